// Mirrors a pose joint by joint. The difference of a joint from its bind pose is transformed to
// model space by the bind pose of that joint, reflected, and transformed back by the bind pose of
// its partner, so the axes of partners need not be symmetric.
#include "md5/core/assert.h"
#include "md5/motion/space.h"

#include <string.h>

// -- Pairs of joints ------------------------------------------------------------------------

// How a name marks its side, most reliable first.
typedef enum side_form {
    LETTER,  // l or r in any case, delimited by non-letters or the ends of the name
    WORD,    // left or right in any case, anywhere
    CAPITAL, // L or R before a lower-case letter at the start, or after one at the end
    NO_SIDE,
} side_form;

// A name without its side: the parts before and after it. The names of partners differ only in the
// side.
typedef struct sided_name {
    side_form form;
    bool is_right;
    const char *before, *after;
    size_t length; // of `before`
} sided_name;

static char lower(char byte)
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
    while (*word != '\0' && lower(*text) == *word) {
        text++;
        word++;
    }
    return *word == '\0';
}

// The length of the side mark of that form at name[at], or 0 if there is none.
static size_t side_length(const char *name, size_t at, side_form form)
{
    const char before = at > 0 ? name[at - 1] : '\0', after = name[at + 1];
    const bool is_letter = lower(name[at]) == 'l' || lower(name[at]) == 'r';
    const bool is_capital = name[at] == 'L' || name[at] == 'R';
    switch (form) {
    case LETTER:
        return is_letter && (is_sign(before) || (before == '\0' && is_sign(after)))
               && (is_sign(after) || after == '\0');
    case WORD:
        return begins_with(name + at, "left") ? 4 : begins_with(name + at, "right") ? 5 : 0;
    default: // CAPITAL
        return is_capital
               && ((before == '\0' && is_small(after)) || (after == '\0' && is_small(before)));
    }
}

static sided_name split_name(const char *name)
{
    for (int each = LETTER; each < NO_SIDE; each++) {
        const side_form form = (side_form)each;
        for (size_t at = 0; name[at] != '\0'; at++) {
            const size_t length = side_length(name, at, form);
            if (length > 0)
                return (sided_name){form, lower(name[at]) == 'r', name, name + at + length, at};
        }
    }
    return (sided_name){.form = NO_SIDE, .before = name, .after = name};
}

// Sort order in which partners are adjacent.
static int compare_names(const sided_name *a, const sided_name *b)
{
    if (a->form != b->form)
        return a->form < b->form ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    const int order = memcmp(a->before, b->before, a->length);
    return order != 0 ? order : strcmp(a->after, b->after);
}

static bool comes_before(const md5_skeleton *skeleton, uint32_t a, uint32_t b)
{
    const sided_name one = split_name(skeleton->joints[a].name);
    const sided_name other = split_name(skeleton->joints[b].name);
    const int order = compare_names(&one, &other);
    if (order != 0)
        return order < 0;
    return one.is_right != other.is_right ? other.is_right : a < b;
}

// Each element of mirror[] holds two 16-bit numbers, so that no other memory is needed: the upper
// half the joints sorted by name, the lower half the resulting partner of each joint.
enum { HALF = 16, MOST_JOINTS = 1 << HALF, LOW = MOST_JOINTS - 1 };

static uint32_t sorted_joint(const uint32_t *mirror, uint32_t i)
{
    return mirror[i] >> HALF;
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
    const sided_name name = split_name(skeleton->joints[sorted_joint(mirror, first)].name);
    uint32_t length = 1;
    for (; first + length < skeleton->num_joints; length++) {
        const uint32_t joint = sorted_joint(mirror, first + length);
        const sided_name next = split_name(skeleton->joints[joint].name);
        if (compare_names(&name, &next) != 0 || name.is_right != next.is_right)
            break;
    }
    return length;
}

// Pairs the k-th left joint of a name with the k-th right one.
static uint32_t pair_sorted(const md5_skeleton *skeleton, uint32_t *mirror)
{
    uint32_t num_paired = 0;
    for (uint32_t first = 0; first < skeleton->num_joints;) {
        const uint32_t lefts = run_length(skeleton, mirror, first), next = first + lefts;
        bool are_partners = next < skeleton->num_joints; // the sides of one name
        if (are_partners) {
            const sided_name a = split_name(skeleton->joints[sorted_joint(mirror, first)].name);
            const sided_name b = split_name(skeleton->joints[sorted_joint(mirror, next)].name);
            are_partners = compare_names(&a, &b) == 0;
        }
        if (!are_partners) {
            first = next;
            continue;
        }
        const uint32_t rights = run_length(skeleton, mirror, next);
        const uint32_t pairs = lefts < rights ? lefts : rights;
        for (uint32_t i = 0; i < pairs; i++) {
            const uint32_t left = sorted_joint(mirror, first + i);
            const uint32_t right = sorted_joint(mirror, next + i);
            mirror[left] = (mirror[left] & ~(uint32_t)LOW) | right;
            mirror[right] = (mirror[right] & ~(uint32_t)LOW) | left;
        }
        num_paired += 2 * pairs;
        first = next + rights;
    }
    return num_paired;
}

uint32_t md5_build_mirror(const md5_skeleton *skeleton, uint32_t *mirror)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(mirror != NULL || skeleton->num_joints == 0, "mirror: not NULL");
    uint32_t num_paired = 0;
    if (skeleton->num_joints > MOST_JOINTS) {
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
    num_paired = pair_sorted(skeleton, mirror);
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
    const int32_t parent = model->skeleton.joints[joint].parent;
    if (parent >= 0)
        return model->bind[parent];
    return md5_mat34_of(MD5_NO_TURN, (md5_vec3){0.0f, 0.0f, 0.0f});
}

static md5_vec3 mirror_image(md5_axes axes, md5_vec3 v)
{
    const md5_vec3 from = md5i_vec3_from_axes(axes, v);
    return md5i_vec3_to_axes(axes, (md5_vec3){from.x, -from.y, from.z});
}

void md5_mirror_pose(const md5_model *model, const uint32_t *mirror, const md5_xform *pose,
                     md5_xform *mirrored)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(mirror != NULL || model->skeleton.num_joints == 0, "mirror: not NULL");
    MD5_ASSERT(pose != NULL || model->skeleton.num_joints == 0, "pose: not NULL");
    MD5_ASSERT(mirrored != NULL || model->skeleton.num_joints == 0, "mirrored: not NULL");
    MD5_ASSERT(md5_are_apart(mirrored, model->skeleton.num_joints * sizeof *mirrored, pose,
                             model->skeleton.num_joints * sizeof *pose),
               "mirrored, pose: must not overlap");
    const md5_xform *const bind = model->bind_local;
    const md5_axes axes = model->skeleton.axes;
    for (uint32_t joint = 0; joint < model->skeleton.num_joints; joint++) {
        const uint32_t from = mirror[joint];
        const md5_mat34 above = parent_bind(model, from), other_above = parent_bind(model, joint);
        const md5_quat turn =
            md5_quat_mul(md5_quat_conjugate(bind[from].rotation), pose[from].rotation);
        const md5_vec3 axis =
            md5_mat34_rotate(&model->bind[from], (md5_vec3){turn.x, turn.y, turn.z});
        const md5_vec3 move =
            md5_mat34_rotate(&above, md5_vec3_sub(pose[from].translation, bind[from].translation));
        // A rotation axis is a pseudovector: its mirror image is the negative of that of a vector.
        const md5_vec3 mirrored_axis = md5_vec3_scale(mirror_image(axes, axis), -1.0f);
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
