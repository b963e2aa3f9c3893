#include "test/pose/test_generated_pose.h"

#include "test/test.h"

enum { MAX_NAME = 12 };

static void *allocate(generated_pose *generated, size_t count, size_t size)
{
    void *const memory = test_calloc(count, size);
    generated->memory[generated->num_memory++] = memory; // free_generated_pose() frees it
    return memory;
}

static float random_between(double low, double high, uint64_t *random)
{
    return (float)(low + (high - low) * test_random(random));
}

// Some numbers are 0 or -0, because not every order of operations preserves the sign of zero.
static float random_number(double size, uint64_t *random)
{
    const uint32_t kind = test_random_u32(random) % 16;
    if (kind < 2)
        return kind == 0 ? 0 : -0.0f;
    return random_between(-size, size, random);
}

md5_quat rotation_from_file(float x, float y, float z)
{
    const double square = (double)x * x + (double)y * y + (double)z * z;
    const double w = -sqrt(fabs(1 - square));
    const double length = sqrt(square + w * w);
    return (md5_quat){(float)(x / length), (float)(y / length), (float)(z / length),
                      (float)(w / length)};
}

// Zeros of either sign among its numbers, and w rebuilt as from a file.
static md5_quat random_rotation(uint64_t *random)
{
    const float x = random_number(0.57, random);
    const float y = random_number(0.57, random);
    return rotation_from_file(x, y, random_number(0.57, random));
}

md5_quat random_unit_quat(uint64_t *random)
{
    for (;;) {
        double c[4];
        double square = 0;
        for (int i = 0; i < 4; i++) {
            c[i] = 2 * test_random(random) - 1;
            square += c[i] * c[i];
        }
        if (square > 1 || square < 0.01)
            continue;
        const double scale = 1.0 / sqrt(square);
        return (md5_quat){(float)(c[0] * scale), (float)(c[1] * scale), (float)(c[2] * scale),
                          (float)(c[3] * scale)};
    }
}

static md5_xform random_transform(uint64_t *random)
{
    return (md5_xform){
        .rotation = random_rotation(random),
        .translation = {random_number(20, random), random_number(20, random),
                        random_number(20, random)},
    };
}

// Returns a random permutation of 0 .. count - 1.
static void shuffle(uint32_t *numbers, uint32_t count, uint64_t *random)
{
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t swap_index = test_random_u32(random) % i;
        const uint32_t swap = numbers[i - 1];
        numbers[i - 1] = numbers[swap_index];
        numbers[swap_index] = swap;
    }
}

// Returns an order of the joints in which parents come before their children.
static const uint32_t *find_order(generated_pose *generated, const md5_joint *joints,
                                  uint32_t count)
{
    uint32_t *const order = allocate(generated, count, sizeof *order);
    bool *const done = allocate(generated, count, sizeof *done);
    for (uint32_t placed = 0; placed < count;) {
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t parent = joints[i].parent;
            if (!done[i] && (parent == MD5_NONE || done[parent])) {
                done[i] = true;
                order[placed++] = i;
            }
        }
    }
    return order;
}

// Creates a random skeleton: chains of random length and several roots. In about half of the
// skeletons, parents come after their children.
static void make_skeleton(generated_pose *generated, uint32_t count, uint64_t *random)
{
    md5_joint *const joints = allocate(generated, count, sizeof *joints);
    char(*const names)[MAX_NAME] = allocate(generated, count, sizeof *names);
    uint32_t *const permutation = allocate(generated, count, sizeof *permutation);
    shuffle(permutation, count, random);
    const bool shuffled = test_random_u32(random) % 2 > 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t joint = shuffled ? permutation[i] : i;
        uint32_t above = i > 0 && test_random(random) < 0.7 ? i - 1 : 0;
        if (i > 0 && above == 0)
            above = test_random_u32(random) % i;
        const bool is_root = i == 0 || test_random(random) < 0.05;
        const uint32_t parent = shuffled ? permutation[above] : above;
        snprintf(names[joint], sizeof names[joint], "j%u", (unsigned)joint);
        joints[joint] = (md5_joint){names[joint], is_root ? MD5_NONE : parent};
    }
    generated->model.skeleton = (md5_skeleton){
        .num_joints = count, .joints = joints, .order = find_order(generated, joints, count)};

    md5_xform *const local = allocate(generated, count, sizeof *local);
    md5_mat34 *const inverse = allocate(generated, count, sizeof *inverse);
    for (uint32_t i = 0; i < count; i++) {
        const md5_xform transform = random_transform(random);
        local[i] = random_transform(random);
        inverse[i] = md5_mat34_from_xform(transform);
    }
    generated->model.bind_local = local;
    generated->model.inverse_bind = inverse;
}

// Copies the joints of the model, with the changes of `pairing`.
static void pair_skeleton(generated_pose *generated, joint_pairing pairing, uint64_t *random)
{
    const md5_skeleton *const model = &generated->model.skeleton;
    const uint32_t count = model->num_joints;
    md5_joint *const joints = allocate(generated, count, sizeof *joints);
    uint32_t *const permutation = allocate(generated, count, sizeof *permutation);
    shuffle(permutation, count, random);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t target = pairing == PAIRING_SAME ? i : permutation[i];
        const uint32_t parent = model->joints[i].parent;
        joints[target] = model->joints[i];
        if (parent != MD5_NONE)
            joints[target].parent = pairing == PAIRING_SAME ? parent : permutation[parent];
        if (pairing == PAIRING_REPARENTED && i % 3 == 0)
            joints[target].parent = MD5_NONE;
        if (pairing == PAIRING_MISSING && i > 0 && test_random(random) < 0.2)
            joints[target].name = "only in the clip";
    }
    generated->anim.skeleton = (md5_skeleton){
        .num_joints = count, .joints = joints, .order = find_order(generated, joints, count)};
}

static uint32_t select(uint32_t *joints, uint32_t count, double part, uint64_t *random)
{
    uint32_t selected = 0;
    for (uint32_t joint = 0; joint < count; joint++) {
        if (test_random(random) < part)
            joints[selected++] = joint;
    }
    return selected;
}

void generate_pose(generated_pose *generated, uint32_t num_joints, joint_pairing pairing,
                   double rotating, double moving, uint64_t *random)
{
    memset(generated, 0, sizeof *generated);
    make_skeleton(generated, num_joints, random);
    pair_skeleton(generated, pairing, random);
    md5_anim *const anim = &generated->anim;
    const uint32_t count = anim->skeleton.num_joints;
    uint32_t *const rotated = allocate(generated, count, sizeof *rotated);
    uint32_t *const moved = allocate(generated, count, sizeof *moved);
    md5_xform *const constant = allocate(generated, count, sizeof *constant);
    md5_xform *const base = allocate(generated, count, sizeof *base);
    anim->num_frames = 1 + test_random_u32(random) % 5;
    anim->frame_rate = 24;
    anim->duration = (anim->num_frames - 1) / anim->frame_rate;
    anim->num_rotations = select(rotated, count, rotating, random);
    anim->num_translations = select(moved, count, moving, random);
    for (uint32_t i = 0; i < count; i++) {
        constant[i] = random_transform(random);
        base[i] = random_transform(random);
    }

    const size_t num_rotations = (size_t)anim->num_frames * anim->num_rotations;
    const size_t num_translations = (size_t)anim->num_frames * anim->num_translations;
    md5_quat *const rotations = allocate(generated, num_rotations, sizeof *rotations);
    md5_vec3 *const translations = allocate(generated, num_translations, sizeof *translations);
    for (size_t i = 0; i < num_rotations; i++) {
        const bool stays = i >= anim->num_rotations && test_random(random) < 0.2;
        rotations[i] = stays ? rotations[i - anim->num_rotations] : random_rotation(random);
    }
    for (size_t i = 0; i < num_translations; i++)
        translations[i] = random_transform(random).translation;
    for (uint32_t i = 0; i < anim->num_rotations; i++)
        constant[rotated[i]].rotation = rotations[i];
    for (uint32_t i = 0; i < anim->num_translations; i++)
        constant[moved[i]].translation = translations[i];
    anim->constant = constant;
    anim->base_frame = base;
    anim->rotation_joints = rotated;
    anim->translation_joints = moved;
    anim->rotations = rotations;
    anim->translations = translations;
    md5_error error = {0};
    generated->binding = md5_bind(&generated->model, &generated->anim,
                                  &(md5_load_opts){.allow_partial_binding = true}, &error);
    if (!CHECK_STRING(error.message, "") || !generated->binding)
        abort();
}

void free_generated_pose(generated_pose *generated)
{
    md5_free_binding(generated->binding);
    for (int i = 0; i < generated->num_memory; i++)
        free(generated->memory[i]);
}

md5_sample_position make_sample_position(const md5_anim *anim, uint64_t *random)
{
    const float fractions[4] = {0, 0.25f, 0.99999994f, random_between(0, 0.999, random)};
    return (md5_sample_position){
        .frame0 = test_random_u32(random) % anim->num_frames,
        .frame1 = test_random_u32(random) % anim->num_frames,
        .fraction = fractions[test_random_u32(random) % 4],
        .cycle = (int64_t)(test_random_u32(random) % 5) - 2,
    };
}
