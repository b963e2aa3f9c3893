// Poses for the other side, and for models with other proportions.
#include "md5/core/freed.h"
#include "md5/core/names.h"
#include "md5/motion/space.h"

// == Mirror ======================================================================================
//
// Mirrors a pose joint by joint. The difference of a joint from its bind pose is transformed to
// model space by the bind pose of that joint, reflected, and transformed back by the bind pose of
// its partner, so the axes of partners need not be symmetric.

// -- Pairs of joints ------------------------------------------------------------------------

// Forms of a side mark in a name, most reliable first.
typedef enum side_form {
    LETTER,  // l or r in any case, delimited by non-letters or the ends of the name
    WORD,    // left or right in any case, anywhere
    CAPITAL, // L or R before a lower-case letter at the start, or after one at the end
    NO_SIDE,
} side_form;

// A name split at its side mark. The names of partners differ only in this mark.
typedef struct sided_name {
    side_form form;
    bool is_right;
    const char *before;
    const char *after;
    size_t length; // of `before`
} sided_name;

static char lower_char(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

static bool is_small(char byte)
{
    return byte >= 'a' && byte <= 'z';
}

static bool is_sign(char byte)
{
    return byte != '\0' && strchr("._-: ", byte) != NULL;
}

static bool begins_with(const char *text, const char *word)
{
    while (*word != '\0' && lower_char(*text) == *word) {
        text++;
        word++;
    }
    return *word == '\0';
}

// Returns true if the letter between two characters, NUL at the ends of the name, stands alone. A
// name that consists of one letter does not have a side mark.
static bool is_delimited(char before, char after)
{
    if (before == '\0')
        return is_sign(after);
    return is_sign(before) && (is_sign(after) || after == '\0');
}

// Returns the length of "left" or "right" at the start of a text, or 0.
static size_t side_word_length(const char *text)
{
    if (begins_with(text, "left"))
        return 4;
    return begins_with(text, "right") ? 5 : 0;
}

// Returns the length of the side mark of a form at name[offset], or 0 if the name does not have
// this mark there.
static size_t side_length(const char *name, size_t offset, side_form form)
{
    const char before = offset > 0 ? name[offset - 1] : '\0';
    const char after = name[offset + 1];
    const bool is_letter = lower_char(name[offset]) == 'l' || lower_char(name[offset]) == 'r';
    const bool is_capital = name[offset] == 'L' || name[offset] == 'R';
    const bool begins_name = before == '\0' && is_small(after);
    const bool ends_name = after == '\0' && is_small(before);
    switch (form) {
    case LETTER:
        return is_letter && is_delimited(before, after);
    case WORD:
        return side_word_length(name + offset);
    default: // CAPITAL
        return is_capital && (begins_name || ends_name);
    }
}

static sided_name split_name(const char *name)
{
    for (uint32_t each = LETTER; each < NO_SIDE; each++) {
        const side_form form = (side_form)each;
        for (size_t offset = 0; name[offset] != '\0'; offset++) {
            const size_t length = side_length(name, offset, form);
            if (length > 0)
                return (sided_name){form, lower_char(name[offset]) == 'r', name,
                                    name + offset + length, offset};
        }
    }
    return (sided_name){.form = NO_SIDE, .before = name, .after = name};
}

// Compares two joints for a sort order in which partners are adjacent. Returns -1 or 1 if the names
// differ only in the side, left first, and -2 or 2 if they belong to different pairs.
static int compare_joints(const md5_skeleton *skeleton, uint32_t a, uint32_t b)
{
    const sided_name one = split_name(skeleton->joints[a].name);
    const sided_name other = split_name(skeleton->joints[b].name);
    int order = (int)one.form - (int)other.form;
    if (order == 0)
        order = (one.length > other.length) - (one.length < other.length);
    if (order == 0)
        order = memcmp(one.before, other.before, one.length);
    if (order == 0)
        order = strcmp(one.after, other.after);
    if (order == 0)
        return (int)one.is_right - (int)other.is_right;
    return order < 0 ? -2 : 2;
}

// Each element of mirror[] holds two 16-bit numbers, so that no other memory is needed: the upper
// half the joints sorted by name, the lower half the resulting partner of each joint.
enum { HALF = 16, MAX_JOINTS = 1 << HALF, LOW = MAX_JOINTS - 1 };

static uint32_t sorted_joint(const uint32_t *mirror, uint32_t i)
{
    return mirror[i] >> HALF;
}

static bool comes_before(const md5_skeleton *skeleton, uint32_t a, uint32_t b)
{
    const int order = compare_joints(skeleton, a, b);
    return order != 0 ? order < 0 : a < b;
}

static void sink(const md5_skeleton *skeleton, uint32_t *mirror, uint32_t top, uint32_t count)
{
    while (2 * top + 1 < count) {
        uint32_t child = 2 * top + 1;
        if (child + 1 < count
            && comes_before(skeleton, sorted_joint(mirror, child), sorted_joint(mirror, child + 1)))
            child++;
        if (!comes_before(skeleton, sorted_joint(mirror, top), sorted_joint(mirror, child)))
            return;
        const uint32_t swap = mirror[top];
        mirror[top] = mirror[child];
        mirror[child] = swap;
        top = child;
    }
}

// The number of sorted joints from `first` on with an equal name, side included.
static uint32_t run_length(const md5_skeleton *skeleton, const uint32_t *mirror, uint32_t first)
{
    uint32_t length = 1;
    while (first + length < skeleton->num_joints
           && compare_joints(skeleton, sorted_joint(mirror, first),
                             sorted_joint(mirror, first + length))
                  == 0)
        length++;
    return length;
}

uint32_t md5_build_mirror(const md5_skeleton *skeleton, uint32_t *mirror)
{
    MD5_ASSERT_PART(skeleton, joints);
    MD5_ASSERT(mirror || skeleton->num_joints == 0, "mirror: must not be NULL");
    uint32_t num_paired = 0;
    if (skeleton->num_joints > MAX_JOINTS) {
        for (uint32_t joint = 0; joint < skeleton->num_joints; joint++)
            mirror[joint] = joint;
        return 0;
    }
    // Heap sort by name: in place, O(n log n) for any input.
    const uint32_t count = skeleton->num_joints;
    for (uint32_t joint = 0; joint < count; joint++)
        mirror[joint] = joint << HALF;
    for (uint32_t top = count / 2; top-- > 0;)
        sink(skeleton, mirror, top, count);
    for (uint32_t end = count; end-- > 1;) {
        const uint32_t swap = mirror[0];
        mirror[0] = mirror[end];
        mirror[end] = swap;
        sink(skeleton, mirror, 0, end);
    }
    for (uint32_t joint = 0; joint < count; joint++)
        mirror[joint] |= joint;
    // Pairs the k-th left joint of a name with the k-th right one.
    for (uint32_t first = 0, next; first < count; first = next) {
        const uint32_t lefts = run_length(skeleton, mirror, first);
        const uint32_t rights = first + lefts;
        next = rights;
        if (rights == count
            || compare_joints(skeleton, sorted_joint(mirror, first), sorted_joint(mirror, rights))
                   != -1)
            continue;
        next += run_length(skeleton, mirror, rights);
        for (uint32_t i = 0; i < lefts && rights + i < next; i++) {
            const uint32_t left = sorted_joint(mirror, first + i);
            const uint32_t right = sorted_joint(mirror, rights + i);
            mirror[left] = (mirror[left] & ~(uint32_t)LOW) | right;
            mirror[right] = (mirror[right] & ~(uint32_t)LOW) | left;
            num_paired += 2;
        }
    }
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++)
        mirror[joint] &= LOW;
    return num_paired;
}

// -- Poses ----------------------------------------------------------------------------------

// By the inverse of the matrix's rotation.
static md5_vec3 rotate_back(const md5_mat34 *m, md5_vec3 v)
{
    return (md5_vec3){
        m->m[0] * v.x + m->m[4] * v.y + m->m[8] * v.z,
        m->m[1] * v.x + m->m[5] * v.y + m->m[9] * v.z,
        m->m[2] * v.x + m->m[6] * v.y + m->m[10] * v.z,
    };
}

// The bind pose of a joint's parent.
static md5_mat34 parent_bind(const md5_model *model, uint32_t joint)
{
    const uint32_t parent = model->skeleton.joints[joint].parent;
    if (parent != MD5_NONE)
        return model->bind[parent];
    return md5_mat34_compose(MD5_NO_TURN, (md5_vec3){0, 0, 0});
}

static md5_vec3 mirror_image(md5_axes axes, md5_vec3 v)
{
    const md5_vec3 from = md5i_vec3_from_axes(axes, v);
    return md5i_vec3_to_axes(axes, (md5_vec3){from.x, -from.y, from.z});
}

void md5_mirror_pose(const md5_model *model, const uint32_t *mirror, const md5_xform *pose,
                     md5_xform *mirrored)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT(mirror || model->skeleton.num_joints == 0, "mirror: must not be NULL");
    MD5_ASSERT(pose || model->skeleton.num_joints == 0, "pose: must not be NULL");
    MD5_ASSERT(mirrored || model->skeleton.num_joints == 0, "mirrored: must not be NULL");
    MD5_ASSERT_DISJOINT(mirrored, model->skeleton.num_joints, pose, model->skeleton.num_joints);
    const md5_xform *const bind = model->bind_local;
    const md5_axes axes = model->skeleton.axes;
    for (uint32_t joint = 0; joint < model->skeleton.num_joints; joint++) {
        const uint32_t from = mirror[joint];
        const md5_mat34 above = parent_bind(model, from);
        const md5_mat34 other_above = parent_bind(model, joint);
        const md5_quat turn =
            md5_quat_mul(md5_quat_conjugate(bind[from].rotation), pose[from].rotation);
        const md5_vec3 axis =
            md5_mat34_rotate(&model->bind[from], (md5_vec3){turn.x, turn.y, turn.z});
        const md5_vec3 move =
            md5_mat34_rotate(&above, md5_vec3_sub(pose[from].translation, bind[from].translation));
        // A rotation axis is a pseudovector: it is the negative of the mirror image of a vector.
        const md5_vec3 mirrored_axis = md5_vec3_scale(mirror_image(axes, axis), -1);
        const md5_vec3 mirrored_move = mirror_image(axes, move);
        const md5_vec3 local = rotate_back(&model->bind[joint], mirrored_axis);
        const md5_quat local_turn = {local.x, local.y, local.z, turn.w};
        mirrored[joint] = (md5_xform){
            .rotation = md5_quat_normalize(md5_quat_mul(bind[joint].rotation, local_turn),
                                           bind[joint].rotation),
            .translation =
                md5_vec3_add(bind[joint].translation, rotate_back(&other_above, mirrored_move)),
        };
    }
}

// == Retarget ====================================================================================

// The source of one target joint.
typedef struct joint_link {
    uint32_t source; // source joint; MD5_NONE: none
    uint32_t next;   // second source joint, whose rotation is blended with a weight of `part`
    float part;
    bool is_placed;  // the model-space position is transferred
    bool is_carried; // otherwise: the translation is transferred, which may change bone lengths
    md5_vec3 from;   // bind position of the source joint
    md5_vec3 rest;   // bind position that is transferred: of the target joint or of the pelvis
    md5_vec3 up;     // from `rest` to the target joint, in the axes of the target joint
    // Model-space rotation of the target = rotation of the source * to_target.
    md5_quat to_target;
    md5_quat next_to_target;
    // Rotation from the bind pose of the source's parent to the bind pose of the target's parent.
    md5_quat frame;
} joint_link;

struct md5_retarget {
    const md5_model *source;
    const md5_model *target;
    float ratio; // of the legs, or the heights of the pelvis: target / source
    size_t size;
    md5_internal internal;
    joint_link links[]; // [target joints]
};

// NOLINTBEGIN(bugprone-macro-parentheses): as messages name the arguments
#define MD5_ASSERT_RETARGET(retarget)                      \
    do {                                                   \
        MD5_ASSERT_ALIVE(retarget, MD5_TAG_RETARGET);      \
        MD5_ASSERT_ALIVE(retarget->source, MD5_TAG_MODEL); \
        MD5_ASSERT_ALIVE(retarget->target, MD5_TAG_MODEL); \
    } while (0)
// NOLINTEND(bugprone-macro-parentheses)

// == Creation ====================================================================================
//
// Prepares transferring poses of one model to another with other proportions.
//
// The rotation of a joint in model space, relative to its bind pose, is transferred, so local axes
// may differ. Bones have the target's lengths. The position of the body is transferred as the
// position of the pelvis, scaled by the ratio of the legs. All data that does not depend on the
// pose is computed at creation.

// Heights as fractions of the height of the driven joints: a joint below ON_GROUND is on the
// ground, and a leg ends below OF_LEGS.
#define ON_GROUND 0.01f
#define OF_LEGS 0.4f

// Temporary data while a retarget is created, in the arena.
typedef struct builder_joint {
    bool is_named;   // the source is given by a pair
    bool is_aligned; // the pair requests alignment
    bool is_foot;
    uint32_t above; // nearest driven ancestor; MD5_NONE: none
    uint32_t child; // first driven descendant, preferably one with a pair
    uint32_t next;  // from the pair; see joint_link
    float part;     // from the pair; see joint_link
    md5_quat turn;  // rotation that aligns the joint, model space
} builder_joint;
typedef struct retarget_builder {
    md5_arena arena;
    const md5_model *models[2]; // target, source
    md5_xform *binds[2];        // model space
    uint32_t *sources;          // [target joints] MD5_NONE: none
    uint32_t *targets;          // [source joints] by equal name
    builder_joint *joints;      // [target joints]
} retarget_builder;

// -- Mapping of joints ----------------------------------------------------------------------

static bool select_sources(retarget_builder *builder, const md5_joint_pair *pairs,
                           uint32_t num_pairs)
{
    const md5_skeleton *const target = &builder->models[0]->skeleton;
    const md5_skeleton *const source = &builder->models[1]->skeleton;
    md5_context *const context = builder->arena.context;
    TRY(md5i_match_joints(&builder->arena, target, source, builder->sources, builder->targets));
    for (uint32_t joint = 0; joint < target->num_joints; joint++)
        builder->joints[joint].next = MD5_NONE;
    for (uint32_t i = 0; i < num_pairs; i++) {
        const char *const names[] = {pairs[i].source, pairs[i].next};
        const char *target_name = pairs[i].target;
        uint32_t found[2];
        for (uint32_t k = 0; k < 2; k++) {
            found[k] = md5_find_joint(source, names[k]);
            if (names[k] && found[k] == MD5_NONE)
                return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                                "joint pair %u: source joint %s does not exist", i,
                                MD5_QUOTED(names[k]));
        }
        const uint32_t from = found[0];
        const uint32_t to = md5_find_joint(target, target_name);
        if (target_name && to == MD5_NONE)
            return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                            "joint pair %u: target joint %s does not exist", i,
                            MD5_QUOTED(target_name));
        // A source joint that is named in a pair no longer drives the target joint of equal name.
        const uint32_t equal = from != MD5_NONE ? builder->targets[from] : MD5_NONE;
        if (equal != MD5_NONE && !builder->joints[equal].is_named)
            builder->sources[equal] = MD5_NONE;
        if (to == MD5_NONE)
            continue;
        builder_joint *const joint = &builder->joints[to];
        if (joint->is_named)
            return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                            "joint pair %u: target joint %s is in two pairs", i,
                            MD5_QUOTED(target_name));
        joint->is_named = true;
        joint->is_aligned = pairs[i].align && from != MD5_NONE;
        joint->next = found[1];
        joint->part = pairs[i].fraction;
        builder->sources[to] = from;
    }
    bool is_driven = false;
    for (uint32_t joint = 0; joint < target->num_joints; joint++)
        is_driven |= builder->sources[joint] != MD5_NONE;
    if (!is_driven)
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "no source joint matches a target joint: add joint pairs");
    for (uint32_t joint = 0; joint < target->num_joints; joint++) {
        const char *const name = target->joints[joint].name;
        if (builder->sources[joint] == MD5_NONE)
            md5i_warn(context, 0, 0,
                      "target joint %u %s has no source joint: it keeps its bind pose", joint,
                      MD5_QUOTED(name));
    }
    return true;
}

// -- Legs -----------------------------------------------------------------------------------

static float joint_height(const retarget_builder *builder, int model, uint32_t joint)
{
    return md5i_vec3_from_axes(builder->models[model]->skeleton.axes,
                               builder->binds[model][joint].translation)
        .z;
}

static md5_vec3 bone_vector(const md5_xform *bind, uint32_t from, uint32_t to)
{
    return md5_vec3_sub(bind[to].translation, bind[from].translation);
}

// Finds the driven ancestor and descendant of each driven joint, the feet and the pelvis. Returns
// the ratio of the models' sizes.
static float find_legs(retarget_builder *builder, uint32_t *pelvis)
{
    const md5_skeleton *const target = &builder->models[0]->skeleton;
    builder_joint *const joints = builder->joints;
    float low[] = {INFINITY, INFINITY};
    float high[] = {-INFINITY, -INFINITY};
    float lengths[2] = {0, 0};
    float ratio = 1;
    uint32_t standing = MD5_NONE; // first joint that is above the ground in both models
    for (uint32_t i = 0; i < target->num_joints; i++) {
        const uint32_t joint = target->order[i];
        const uint32_t parent = target->joints[joint].parent;
        const uint32_t of[] = {joint, builder->sources[joint]};
        joints[joint].child = joints[joint].above = MD5_NONE;
        if (parent != MD5_NONE)
            joints[joint].above =
                builder->sources[parent] != MD5_NONE ? parent : joints[parent].above;
        for (int k = 0; k < 2 && of[1] != MD5_NONE; k++) {
            low[k] = fminf(low[k], joint_height(builder, k, of[k]));
            high[k] = fmaxf(high[k], joint_height(builder, k, of[k]));
        }
    }
    for (uint32_t i = target->num_joints; i-- > 0;) {
        const uint32_t joint = target->order[i];
        const uint32_t above = joints[joint].above;
        if (above == MD5_NONE || builder->sources[joint] == MD5_NONE)
            continue;
        uint32_t *const child = &joints[above].child;
        if (*child == MD5_NONE || joints[joint].is_named || !joints[*child].is_named)
            *child = joint;
    }
    for (uint32_t i = 0; i < target->num_joints; i++) {
        const uint32_t joint = target->order[i];
        const uint32_t below = joints[joint].child;
        const uint32_t above = joints[joint].above;
        const uint32_t of[] = {joint, builder->sources[joint]};
        bool is_leg = joints[joint].is_aligned && below != MD5_NONE;
        const uint32_t ends[] = {below, is_leg ? builder->sources[below] : 0};
        bool stands = of[1] != MD5_NONE && standing == MD5_NONE;
        for (int k = 0; k < 2; k++) {
            stands = stands && joint_height(builder, k, of[k]) > ON_GROUND * high[k];
            is_leg =
                is_leg && joint_height(builder, k, ends[k]) < low[k] + OF_LEGS * (high[k] - low[k]);
        }
        if (is_leg) {
            for (uint32_t k = 0; k < 2; k++)
                lengths[k] += md5_vec3_length(bone_vector(builder->binds[k], of[k], ends[k]));
        }
        if (is_leg)
            joints[below].is_foot = !joints[below].is_aligned;
        if (is_leg && *pelvis == MD5_NONE)
            *pelvis = above;
        if (stands) {
            standing = joint;
            ratio = joint_height(builder, 0, of[0]) / joint_height(builder, 1, of[1]);
        }
    }
    if (lengths[0] > 0 && lengths[1] > 0)
        return lengths[0] / lengths[1];
    *pelvis = standing;
    return ratio;
}

// -- The block ------------------------------------------------------------------------------

static md5_retarget *build_retarget(retarget_builder *builder, const md5_joint_pair *pairs,
                                    uint32_t num_pairs)
{
    const md5_skeleton *const source = &builder->models[1]->skeleton;
    const md5_skeleton *const target = &builder->models[0]->skeleton;
    const size_t num_source = source->num_joints;
    const size_t num_target = target->num_joints;
    md5_arena *const arena = &builder->arena;
    builder_joint *const joints = builder->joints =
        MD5_ALLOC_ZEROED(arena, builder_joint, num_target);
    md5_xform *const source_bind = builder->binds[1] =
        MD5_ALLOC_ZEROED(arena, md5_xform, num_source);
    md5_xform *const target_bind = builder->binds[0] =
        MD5_ALLOC_ZEROED(arena, md5_xform, num_target);
    const size_t size = sizeof(md5_retarget) + num_target * sizeof(joint_link);
    builder->sources = MD5_ALLOC_ZEROED(arena, uint32_t, num_target);
    builder->targets = MD5_ALLOC_ZEROED(arena, uint32_t, num_source);
    const bool has_tables = builder->sources && builder->targets && joints;
    if (!has_tables || !source_bind || !target_bind)
        return NULL;
    if (!select_sources(builder, pairs, num_pairs))
        return NULL;
    md5_retarget *const retarget = (md5_retarget *)md5i_alloc(arena->context, size);
    if (!retarget)
        return NULL;
    for (uint32_t k = 0; k < 2; k++)
        md5_local_to_model_xforms(&builder->models[k]->skeleton, builder->models[k]->bind_local,
                                  builder->binds[k]);
    uint32_t pelvis = MD5_NONE;
    *retarget = (md5_retarget){
        .source = builder->models[1],
        .target = builder->models[0],
        .ratio = find_legs(builder, &pelvis),
        .size = size,
        .internal = {.allocator = arena->context->allocator, .tag = MD5_TAG_RETARGET},
    };
    for (uint32_t i = 0; i < target->num_joints; i++) {
        const uint32_t joint = target->order[i];
        const uint32_t parent = target->joints[joint].parent;
        const uint32_t child = joints[joint].child;
        const uint32_t from = builder->sources[joint];
        md5_quat *const turn = &joints[joint].turn;
        md5_quat *const own = &target_bind[joint].rotation;
        joint_link *const link = &retarget->links[joint];
        // The target's bind pose is turned from each aligned joint downward, so that the bone to
        // its first driven child has the direction of the source's bone; but for feet.
        *turn = parent == MD5_NONE || joints[joint].is_foot ? MD5_NO_TURN : joints[parent].turn;
        if (joints[joint].is_aligned && child != MD5_NONE) {
            const md5_vec3 forward =
                md5_vec3_normalize(md5_quat_rotate(*turn, bone_vector(target_bind, joint, child)),
                                   (md5_vec3){1, 0, 0});
            const md5_vec3 bone = md5_vec3_normalize(
                bone_vector(source_bind, from, builder->sources[child]), forward);
            *turn = md5_quat_trim(md5_quat_mul(md5_turn_between(forward, bone), *turn));
        }
        *own = md5_quat_mul(*turn, *own);
        *link = (joint_link){.source = from, .rest = target_bind[joint].translation};
        if (from == MD5_NONE)
            continue;
        const uint32_t above = source->joints[from].parent;
        const uint32_t next = joints[joint].next;
        link->is_placed = next == MD5_NONE && (parent == MD5_NONE || above == MD5_NONE);
        link->is_carried = next == MD5_NONE && !joints[joint].is_aligned;
        link->next = next != MD5_NONE ? next : from;
        link->part = joints[joint].part;
        link->from = source_bind[from].translation;
        link->to_target = md5_quat_mul(md5_quat_conjugate(source_bind[from].rotation), *own);
        link->next_to_target =
            md5_quat_mul(md5_quat_conjugate(source_bind[link->next].rotation), *own);
        const md5_quat target_parent =
            parent == MD5_NONE ? MD5_NO_TURN : target_bind[parent].rotation;
        const md5_quat source_parent =
            above == MD5_NONE ? MD5_NO_TURN : source_bind[above].rotation;
        link->frame = md5_quat_mul(md5_quat_conjugate(target_parent), source_parent);
    }
    // The positions of the pelvis and its ancestors are transferred. Ancestors with the same source
    // as the pelvis rotate about the pelvis.
    for (uint32_t joint = pelvis; joint != MD5_NONE; joint = target->joints[joint].parent) {
        joint_link *const link = &retarget->links[joint];
        link->is_placed = true;
        if (link->source == retarget->links[pelvis].source) {
            link->rest = target_bind[pelvis].translation;
            link->up = md5_quat_rotate(md5_quat_conjugate(target_bind[joint].rotation),
                                       bone_vector(target_bind, pelvis, joint));
        }
    }
    return retarget;
}

md5_retarget *md5_create_retarget(const md5_model *source, const md5_model *target,
                                  const md5_joint_pair *pairs, uint32_t num_pairs,
                                  const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(source, MD5_TAG_MODEL);
    MD5_ASSERT_NULL_OR_ALIVE(target, MD5_TAG_MODEL);
    if (!source) {
        md5i_fail_missing(error, "source");
        return NULL;
    }
    if (!target) {
        md5i_fail_missing(error, "target");
        return NULL;
    }
    MD5_ASSERT(pairs || num_pairs == 0, "pairs: must not be NULL");
    MD5_VALIDATE_RESERVED(pairs, num_pairs);
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    retarget_builder builder = {.arena = {.context = &context}, .models = {target, source}};
    md5_retarget *const retarget = build_retarget(&builder, pairs, num_pairs);
    md5i_arena_free(&builder.arena);
    return retarget;
}

void md5_destroy_retarget(md5_retarget *retarget)
{
    MD5_FREE(retarget, MD5_TAG_RETARGET);
}

// == Poses =======================================================================================

// Returns the translation of a joint whose position is not transferred: the translation of the bind
// pose, plus the source's difference from its bind pose if is_carried.
static md5_vec3 retarget_translation(const md5_retarget *retarget, uint32_t joint,
                                     const md5_xform *source)
{
    const joint_link *const link = &retarget->links[joint];
    const md5_vec3 own = retarget->target->bind_local[joint].translation;
    if (link->source == MD5_NONE || !link->is_carried)
        return own;
    const md5_vec3 from = retarget->source->bind_local[link->source].translation;
    const md5_vec3 moved = md5_vec3_sub(source[link->source].translation, from);
    return md5_vec3_add(own, md5_quat_rotate(link->frame, md5_vec3_scale(moved, retarget->ratio)));
}

float md5_retarget_ratio(const md5_retarget *retarget)
{
    MD5_ASSERT_RETARGET(retarget);
    return retarget->ratio;
}

// Joints of the source in model space, and what aligns them.
size_t md5_retarget_pose_scratch(const md5_retarget *retarget)
{
    MD5_ASSERT_RETARGET(retarget);
    return retarget->source->skeleton.num_joints * sizeof(md5_xform) + sizeof(float) - 1;
}

void md5_retarget_pose(const md5_retarget *retarget, const md5_xform *source, md5_xform *target,
                       void *scratch)
{
    MD5_ASSERT_RETARGET(retarget);
    MD5_ASSERT_NOT_NULL(source);
    MD5_ASSERT_NOT_NULL(scratch);
    MD5_ASSERT_NOT_NULL(target);
    const md5_model *const from = retarget->source;
    const md5_model *const to = retarget->target;
    MD5_ASSERT(md5_are_disjoint(source, from->skeleton.num_joints * sizeof *source, scratch,
                                md5_retarget_pose_scratch(retarget)),
               "source, scratch: must not overlap");
    MD5_ASSERT_DISJOINT(source, from->skeleton.num_joints, target, to->skeleton.num_joints);
    MD5_ASSERT(md5_are_disjoint(scratch, md5_retarget_pose_scratch(retarget), target,
                                to->skeleton.num_joints * sizeof *target),
               "scratch, target: must not overlap");
    md5_xform *const world =
        (md5_xform *)(void *)((char *)scratch + (0 - (uintptr_t)scratch) % sizeof(float));
    md5_local_to_model_xforms(&from->skeleton, source, world);
    for (uint32_t i = 0; i < to->skeleton.num_joints; i++) { // model space
        const uint32_t joint = to->skeleton.order[i];
        const uint32_t parent = to->skeleton.joints[joint].parent;
        const joint_link *const link = &retarget->links[joint];
        md5_xform place = {
            .rotation = to->bind_local[joint].rotation,
            .translation = retarget_translation(retarget, joint, source),
        };
        if (parent != MD5_NONE)
            place = md5_xform_mul(target[parent], place);
        if (link->source != MD5_NONE) {
            const md5_xform *const led = &world[link->source];
            place.rotation = md5_quat_mul(led->rotation, link->to_target);
            if (link->next != link->source)
                place.rotation = md5_quat_slerp(
                    place.rotation, md5_quat_mul(world[link->next].rotation, link->next_to_target),
                    link->part);
            if (link->is_placed)
                place.translation = md5_vec3_add(
                    md5_vec3_add(link->rest, md5_quat_rotate(place.rotation, link->up)),
                    md5_vec3_scale(md5_vec3_sub(led->translation, link->from), retarget->ratio));
        }
        place.rotation = md5_quat_trim(place.rotation);
        target[joint] = place;
    }
    md5_model_to_local_xforms(&to->skeleton, target, target);
    for (uint32_t joint = 0; joint < to->skeleton.num_joints; joint++) {
        const joint_link *const link = &retarget->links[joint];
        // Not through model space: bones keep their lengths to the last bit.
        if (!link->is_placed)
            target[joint].translation = retarget_translation(retarget, joint, source);
        if (link->source == MD5_NONE)
            target[joint].rotation = to->bind_local[joint].rotation;
    }
}
