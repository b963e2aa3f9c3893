// Transfer of poses: to the other side of the same model (mirror), and to a model with other
// proportions (retarget).
#include "md5/core/freed.h"
#include "md5/core/names.h"
#include "md5/motion/space.h"

// == Mirror ======================================================================================
//
// Mirrors a pose joint by joint. The partner of a joint is the same joint on the other side. Each
// joint gets the mirrored difference of its partner from the bind pose, in three steps:
//
// - The partner's bind pose transforms the difference to model space.
// - There it is reflected.
// - The bind pose of the joint transforms it back.
//
// Therefore the axes of partners need not be symmetric.

// -- Pairs of joints ------------------------------------------------------------------------

// A side mark is the part of a joint's name that distinguishes left from right. These are the forms
// of side marks, most reliable first.
typedef enum side_form {
    LETTER,  // l or r in any case, between non-letters or at an end of the name
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
    size_t length; // length of `before`
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

// Returns true if a text begins with a word, ignoring case. `word` is in lower case.
static bool begins_with(const char *text, const char *word)
{
    while (*word != '\0' && lower_char(*text) == *word) {
        text++;
        word++;
    }
    return *word == '\0';
}

// Returns true if the letter between the characters `before` and `after` is delimited by signs or
// by one end of the name. At an end of the name, the character is NUL. A name that consists of one
// letter has no side mark.
static bool is_delimited(char before, char after)
{
    if (before == '\0')
        return is_sign(after);
    return is_sign(before) && (is_sign(after) || after == '\0');
}

// Returns the length of the word "left" or "right" at the start of a text, or 0 if there is none.
static size_t side_word_length(const char *text)
{
    if (begins_with(text, "left"))
        return 4;
    return begins_with(text, "right") ? 5 : 0;
}

// Returns the length of a side mark of this form at name[offset], or 0 if there is none.
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

// Splits a name at its most reliable side mark, or at the first of several marks of the same form.
static sided_name split_name(const char *name)
{
    for (uint32_t i = LETTER; i < NO_SIDE; i++) {
        const side_form form = (side_form)i;
        for (size_t offset = 0; name[offset] != '\0'; offset++) {
            const size_t mark_length = side_length(name, offset, form);
            if (mark_length == 0)
                continue;
            return (sided_name){
                .form = form,
                .is_right = lower_char(name[offset]) == 'r',
                .before = name,
                .after = name + offset + mark_length,
                .length = offset,
            };
        }
    }
    return (sided_name){.form = NO_SIDE, .before = name, .after = name};
}

// Compares two names without their side marks: by the form of the mark, its position, and the text
// before and after it.
static int compare_unsided(const sided_name *a, const sided_name *b)
{
    int order = (int)a->form - (int)b->form;
    if (order == 0)
        order = (a->length > b->length) - (a->length < b->length);
    if (order == 0)
        order = memcmp(a->before, b->before, a->length);
    if (order == 0)
        order = strcmp(a->after, b->after);
    return order;
}

// Compares two joints by name for sorting. The side mark counts last, so that the left and the
// right joints of a name become adjacent, left first. The magnitude of the result describes how the
// names differ: 0 for equal names, 1 if only the sides differ, which makes the joints partners, and
// 2 for other differences.
static int compare_joints(const md5_skeleton *skeleton, uint32_t a, uint32_t b)
{
    const sided_name name_a = split_name(skeleton->joints[a].name);
    const sided_name name_b = split_name(skeleton->joints[b].name);
    const int order = compare_unsided(&name_a, &name_b);
    if (order == 0)
        return (int)name_a.is_right - (int)name_b.is_right;
    return order < 0 ? -2 : 2;
}

// While partners are searched, each element of mirror[] contains two 16-bit numbers, so that no
// other memory is needed. The upper halves form a list of joints sorted by name. The lower half of
// mirror[joint] is the partner of the joint.
enum { HALF_BITS = 16, MAX_JOINTS = 1 << HALF_BITS, LOW_HALF = MAX_JOINTS - 1 };

static uint32_t sorted_joint(const uint32_t *mirror, uint32_t i)
{
    return mirror[i] >> HALF_BITS;
}

static void set_partner(uint32_t *mirror, uint32_t joint, uint32_t partner)
{
    mirror[joint] = (mirror[joint] & ~(uint32_t)LOW_HALF) | partner;
}

// Returns true if joint `a` is sorted before joint `b`. Joints with equal names are sorted by
// index.
static bool comes_before(const md5_skeleton *skeleton, uint32_t a, uint32_t b)
{
    const int order = compare_joints(skeleton, a, b);
    return order != 0 ? order < 0 : a < b;
}

// Exchanges two elements while the joints are sorted.
static void swap_elements(uint32_t *mirror, uint32_t i, uint32_t k)
{
    const uint32_t element = mirror[i];
    mirror[i] = mirror[k];
    mirror[k] = element;
}

// Restores the order of a heap of `count` elements: moves the element at `top` down until none of
// its children is sorted after it.
static void sink(const md5_skeleton *skeleton, uint32_t *mirror, uint32_t top, uint32_t count)
{
    uint32_t parent = top;
    while (2 * parent + 1 < count) {
        uint32_t child = 2 * parent + 1;
        const bool has_second = child + 1 < count;
        if (has_second
            && comes_before(skeleton, sorted_joint(mirror, child), sorted_joint(mirror, child + 1)))
            child++;
        if (!comes_before(skeleton, sorted_joint(mirror, parent), sorted_joint(mirror, child)))
            return;
        swap_elements(mirror, parent, child);
        parent = child;
    }
}

// Sorts the joints by name into the upper halves of mirror[]. Uses heap sort, which needs no memory
// and takes O(n log n) for any input.
static void sort_joints(const md5_skeleton *skeleton, uint32_t *mirror)
{
    const uint32_t count = skeleton->num_joints;
    for (uint32_t joint = 0; joint < count; joint++)
        mirror[joint] = joint << HALF_BITS;
    for (uint32_t top = count / 2; top-- > 0;)
        sink(skeleton, mirror, top, count);
    for (uint32_t end = count; end-- > 1;) {
        swap_elements(mirror, 0, end);
        sink(skeleton, mirror, 0, end);
    }
}

// Returns the number of consecutive sorted joints, from `first` on, whose names are equal including
// the side.
static uint32_t run_length(const md5_skeleton *skeleton, const uint32_t *mirror, uint32_t first)
{
    const uint32_t joint = sorted_joint(mirror, first);
    uint32_t length = 1;
    while (first + length < skeleton->num_joints) {
        const uint32_t next = sorted_joint(mirror, first + length);
        if (compare_joints(skeleton, joint, next) != 0)
            break;
        length++;
    }
    return length;
}

// Returns true if the sorted joints `first` and `second` are a left joint and its partner.
static bool is_pair(const md5_skeleton *skeleton, const uint32_t *mirror, uint32_t first,
                    uint32_t second)
{
    return compare_joints(skeleton, sorted_joint(mirror, first), sorted_joint(mirror, second))
           == -1;
}

// Makes the k-th left joint and the k-th right joint of a name partners. `first_left` and
// `first_right` are positions in the sorted list. Returns the number of joints that got a partner.
static uint32_t pair_runs(uint32_t *mirror, uint32_t first_left, uint32_t num_left,
                          uint32_t first_right, uint32_t num_right)
{
    const uint32_t num_pairs = num_left < num_right ? num_left : num_right;
    for (uint32_t i = 0; i < num_pairs; i++) {
        const uint32_t left = sorted_joint(mirror, first_left + i);
        const uint32_t right = sorted_joint(mirror, first_right + i);
        set_partner(mirror, left, right);
        set_partner(mirror, right, left);
    }
    return 2 * num_pairs;
}

// Finds the partners of all joints. In the sorted list, the right joints of a name follow the left
// joints of the same name. Returns the number of joints with a partner.
static uint32_t pair_joints(const md5_skeleton *skeleton, uint32_t *mirror)
{
    const uint32_t count = skeleton->num_joints;
    uint32_t num_paired = 0;
    uint32_t first = 0;
    while (first < count) {
        const uint32_t num_left = run_length(skeleton, mirror, first);
        const uint32_t first_right = first + num_left;
        if (first_right == count || !is_pair(skeleton, mirror, first, first_right)) {
            first = first_right;
            continue;
        }
        const uint32_t num_right = run_length(skeleton, mirror, first_right);
        num_paired += pair_runs(mirror, first, num_left, first_right, num_right);
        first = first_right + num_right;
    }
    return num_paired;
}

// Finds the partner of each joint by names that differ only in left and right. A joint without a
// partner is its own partner. Returns the number of joints with a partner.
uint32_t md5_build_mirror(const md5_skeleton *skeleton, uint32_t *mirror)
{
    MD5_ASSERT_PART(skeleton, joints);
    MD5_ASSERT(mirror || skeleton->num_joints == 0, "mirror: must not be NULL");

    const uint32_t count = skeleton->num_joints;
    if (count > MAX_JOINTS) { // an index does not fit into a half of an element
        for (uint32_t joint = 0; joint < count; joint++)
            mirror[joint] = joint;
        return 0;
    }

    // Initially each joint is its own partner. This remains so if pair_joints() does not find a
    // partner.
    sort_joints(skeleton, mirror);
    for (uint32_t joint = 0; joint < count; joint++)
        mirror[joint] |= joint;
    const uint32_t num_paired = pair_joints(skeleton, mirror);

    // Remove the sorted list, which the upper halves contain.
    for (uint32_t joint = 0; joint < count; joint++)
        mirror[joint] &= LOW_HALF;
    return num_paired;
}

// -- Poses ----------------------------------------------------------------------------------

// Rotates a vector by the inverse of the rotation of a matrix.
static md5_vec3 rotate_back(const md5_mat34 *m, md5_vec3 v)
{
    return (md5_vec3){
        m->m[0] * v.x + m->m[4] * v.y + m->m[8] * v.z,
        m->m[1] * v.x + m->m[5] * v.y + m->m[9] * v.z,
        m->m[2] * v.x + m->m[6] * v.y + m->m[10] * v.z,
    };
}

// Returns the bind pose of a joint's parent in model space, which is the identity for a root.
static md5_mat34 parent_bind(const md5_model *model, uint32_t joint)
{
    const uint32_t parent = model->skeleton.joints[joint].parent;
    if (parent != MD5_NONE)
        return model->bind[parent];
    return md5_mat34_compose(MD5_NO_ROTATION, (md5_vec3){0, 0, 0});
}

static md5_vec3 mirror_image(md5_axes axes, md5_vec3 v)
{
    const md5_vec3 from = md5i_vec3_from_axes(axes, v);
    return md5i_vec3_to_axes(axes, (md5_vec3){from.x, -from.y, from.z});
}

// Returns the rotation of a joint from its bind pose that mirrors its partner, in the axes of the
// joint.
static md5_quat mirror_rotation(const md5_model *model, uint32_t joint, uint32_t partner,
                                const md5_xform *pose)
{
    const md5_quat bind = model->bind_local[partner].rotation;
    const md5_quat change = md5_quat_mul(md5_quat_conjugate(bind), pose[partner].rotation);

    // x y z of a quaternion are along its axis. The axis of a rotation is a pseudovector: its
    // mirror image is the negative of the mirror image of a vector.
    const md5_vec3 in_partner = {change.x, change.y, change.z};
    const md5_vec3 in_model = md5_mat34_rotate(&model->bind[partner], in_partner);
    const md5_vec3 mirrored = md5_vec3_scale(mirror_image(model->skeleton.axes, in_model), -1);
    const md5_vec3 in_joint = rotate_back(&model->bind[joint], mirrored);
    return (md5_quat){in_joint.x, in_joint.y, in_joint.z, change.w};
}

// Returns the displacement of a joint from its bind pose that mirrors its partner, in the axes of
// the joint's parent.
static md5_vec3 mirror_displacement(const md5_model *model, uint32_t joint, uint32_t partner,
                                    const md5_xform *pose)
{
    const md5_mat34 partner_parent = parent_bind(model, partner);
    const md5_mat34 joint_parent = parent_bind(model, joint);
    const md5_vec3 change =
        md5_vec3_sub(pose[partner].translation, model->bind_local[partner].translation);
    const md5_vec3 in_model = md5_mat34_rotate(&partner_parent, change);
    return rotate_back(&joint_parent, mirror_image(model->skeleton.axes, in_model));
}

// Returns the transform of a joint that mirrors its partner in `pose`. Both transforms are relative
// to the parents.
static md5_xform mirror_joint(const md5_model *model, uint32_t joint, uint32_t partner,
                              const md5_xform *pose)
{
    const md5_xform *const bind = &model->bind_local[joint];
    const md5_quat change = mirror_rotation(model, joint, partner, pose);
    const md5_vec3 displacement = mirror_displacement(model, joint, partner, pose);
    return (md5_xform){
        .rotation = md5_quat_normalize(md5_quat_mul(bind->rotation, change), bind->rotation),
        .translation = md5_vec3_add(bind->translation, displacement),
    };
}

// Exchanges left and right of a pose by mirroring it at the plane through the origin that is
// perpendicular to the left direction. This is the plane y = 0 of id's axes. `mirror` is the result
// of md5_build_mirror(). `pose` and `mirrored` must not overlap.
void md5_mirror_pose(const md5_model *model, const uint32_t *mirror, const md5_xform *pose,
                     md5_xform *mirrored)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT(mirror || model->skeleton.num_joints == 0, "mirror: must not be NULL");
    MD5_ASSERT(pose || model->skeleton.num_joints == 0, "pose: must not be NULL");
    MD5_ASSERT(mirrored || model->skeleton.num_joints == 0, "mirrored: must not be NULL");
    MD5_ASSERT_DISJOINT(mirrored, model->skeleton.num_joints, pose, model->skeleton.num_joints);

    for (uint32_t joint = 0; joint < model->skeleton.num_joints; joint++)
        mirrored[joint] = mirror_joint(model, joint, mirror[joint], pose);
}

// == Retarget ====================================================================================

// The link of a joint of the target model to the joint of the source model that it follows. A
// target joint is called "driven" if it has a source joint.
typedef struct joint_link {
    uint32_t source; // source joint; MD5_NONE: none
    uint32_t next;   // second source joint, whose rotation is blended with the rotation of `source`
    float next_weight; // weight of `next` in the blend, 0 .. 1
    bool is_placed;    // the position of the source joint in model space is transferred
    // If true, the translation of the target joint differs from its bind pose as the translation of
    // the source joint does, scaled by `ratio`. If false, it is the translation of the bind pose,
    // so that the length of the bone does not change.
    bool transfers_translation;
    md5_vec3 from; // bind position of the source joint
    md5_vec3 rest; // bind position that is transferred: of the target joint or of the pelvis
    md5_vec3 up;   // from `rest` to the target joint, in the axes of the target joint
    // Model-space rotation of the target = rotation of the source * to_target.
    md5_quat to_target;
    md5_quat next_to_target;
    // Rotation from the axes of the source joint's parent to the axes of the target joint's parent,
    // in the bind poses.
    md5_quat frame;
} joint_link;

struct md5_retarget {
    const md5_model *source;
    const md5_model *target;
    float ratio; // size of the target / size of the source: see size_ratio()
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
// Prepares the transfer of poses from one model to another with other proportions.
//
// A joint of the target gets the rotation of its source joint in model space relative to the bind
// pose. Therefore the local axes of the models may differ. Bones keep the lengths of the target.
// The pelvis carries the position of the body, scaled by the ratio of the legs' lengths. All data
// that does not depend on the pose is computed at creation.

// Heights as fractions of the height of the driven joints. A joint below MAX_GROUND_HEIGHT is on
// the ground. A bone is part of a leg only if it ends below MAX_LEG_HEIGHT.
#define MAX_GROUND_HEIGHT 0.01f
#define MAX_LEG_HEIGHT 0.4f

// Temporary data of a target joint during the creation of a retarget. A pair is an entry of the
// caller's list that assigns a source joint to a target joint.
typedef struct builder_joint {
    bool is_named;      // the source is given by a pair
    bool is_aligned;    // a pair requests that the bone gets the direction of the source's bone
    bool is_foot;       // the joint is at the end of a leg
    uint32_t above;     // nearest driven ancestor; MD5_NONE: none
    uint32_t child;     // first driven descendant, preferably one with a pair
    uint32_t next;      // from the pair; see joint_link
    float next_weight;  // from the pair; see joint_link
    md5_quat alignment; // rotation that aligns the joint and its parents, model space
} builder_joint;

// Indices of arrays that contain a value for each of the two models.
enum { MODEL_TARGET, MODEL_SOURCE, NUM_RETARGET_MODELS };

typedef struct retarget_builder {
    md5_arena arena;
    const md5_model *models[NUM_RETARGET_MODELS];
    md5_xform *binds[NUM_RETARGET_MODELS]; // model space
    uint32_t *sources;                     // [target joints] MD5_NONE: none
    uint32_t *targets;                     // [source joints] the target joint with the same name
    builder_joint *joints;                 // [target joints]
} retarget_builder;

// -- Mapping of joints ----------------------------------------------------------------------

// Finds the joint of a model that pair `index` names. Sets *joint to MD5_NONE if the pair does not
// name a joint of this model, and fails if the named joint does not exist. `model` is "source" or
// "target", for the message.
static bool find_paired_joint(md5_context *context, const md5_skeleton *skeleton, const char *model,
                              const char *name, uint32_t index, uint32_t *joint)
{
    *joint = md5_find_joint(skeleton, name);
    if (name && *joint == MD5_NONE)
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "joint pair %u: %s joint %s not found in its skeleton", index, model,
                        MD5_QUOTED(name));
    return true;
}

// A source joint in a pair drives only the target joint of that pair. Releases the target joint
// that has the same name as the source joint, unless it is in a pair itself.
static void release_equal_joint(retarget_builder *builder, uint32_t source)
{
    if (source == MD5_NONE)
        return;
    const uint32_t equal = builder->targets[source];
    if (equal != MD5_NONE && !builder->joints[equal].is_named)
        builder->sources[equal] = MD5_NONE;
}

// Applies a pair of the caller: its source joint then drives its target joint. A pair without a
// target joint only removes the default, by which the source joint drives the target joint with the
// same name. `index` is the index of the pair, for messages.
static bool apply_pair(retarget_builder *builder, const md5_joint_pair *pair, uint32_t index)
{
    const md5_skeleton *const target_skeleton = &builder->models[MODEL_TARGET]->skeleton;
    const md5_skeleton *const source_skeleton = &builder->models[MODEL_SOURCE]->skeleton;
    md5_context *const context = builder->arena.context;
    uint32_t source;
    uint32_t next;
    uint32_t target;
    TRY(find_paired_joint(context, source_skeleton, "source", pair->source, index, &source));
    TRY(find_paired_joint(context, source_skeleton, "source", pair->next, index, &next));
    TRY(find_paired_joint(context, target_skeleton, "target", pair->target, index, &target));
    release_equal_joint(builder, source);
    if (target == MD5_NONE)
        return true;

    builder_joint *const joint = &builder->joints[target];
    if (joint->is_named)
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "joint pair %u: target joint %s is in two pairs", index,
                        MD5_QUOTED(pair->target));
    joint->is_named = true;
    joint->is_aligned = pair->align && source != MD5_NONE;
    joint->next = next;
    joint->next_weight = pair->fraction;
    builder->sources[target] = source;
    return true;
}

// Returns true if at least one target joint has a source joint.
static bool is_any_joint_driven(const retarget_builder *builder)
{
    const uint32_t num_joints = builder->models[MODEL_TARGET]->skeleton.num_joints;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (builder->sources[joint] != MD5_NONE)
            return true;
    }
    return false;
}

// Warns of target joints without a source joint. Fails if no target joint has a source joint.
static bool check_sources(const retarget_builder *builder)
{
    const md5_skeleton *const target = &builder->models[MODEL_TARGET]->skeleton;
    md5_context *const context = builder->arena.context;
    if (!is_any_joint_driven(builder))
        return MD5_FAIL(
            context, MD5_ERROR_MISMATCH,
            "no source joint has the name of a target joint: expected at least 1; add joint pairs");

    for (uint32_t joint = 0; joint < target->num_joints; joint++) {
        const char *const name = target->joints[joint].name;
        if (builder->sources[joint] == MD5_NONE)
            md5i_warn(context, 0, 0,
                      "target joint %u %s has no source joint: it keeps its bind pose", joint,
                      MD5_QUOTED(name));
    }
    return true;
}

// Selects the source joint of each target joint: from a pair, or else by equal names.
static bool select_sources(retarget_builder *builder, const md5_joint_pair *pairs,
                           uint32_t num_pairs)
{
    const md5_skeleton *const target = &builder->models[MODEL_TARGET]->skeleton;
    const md5_skeleton *const source = &builder->models[MODEL_SOURCE]->skeleton;
    TRY(md5i_match_joints(&builder->arena, target, source, builder->sources, builder->targets));
    for (uint32_t joint = 0; joint < target->num_joints; joint++)
        builder->joints[joint].next = MD5_NONE;
    for (uint32_t i = 0; i < num_pairs; i++)
        TRY(apply_pair(builder, &pairs[i], i));
    return check_sources(builder);
}

// -- Legs -----------------------------------------------------------------------------------

// Returns the height of a joint in the bind pose of the source or target model: its z in id's axes.
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

// The lowest and the highest height of the driven joints in one of the models.
typedef struct height_range {
    float low;
    float high;
} height_range;

// Returns the height range of the driven joints in the target, or of their source joints in the
// source.
static height_range find_height_range(const retarget_builder *builder, int model)
{
    height_range range = {INFINITY, -INFINITY};
    for (uint32_t joint = 0; joint < builder->models[MODEL_TARGET]->skeleton.num_joints; joint++) {
        const uint32_t pair[] = {joint, builder->sources[joint]};
        if (pair[MODEL_SOURCE] == MD5_NONE)
            continue;
        const float height = joint_height(builder, model, pair[model]);
        range.low = fminf(range.low, height);
        range.high = fmaxf(range.high, height);
    }
    return range;
}

// Finds the nearest driven ancestor of each target joint.
static void find_driven_ancestors(const retarget_builder *builder)
{
    const md5_skeleton *const target = &builder->models[MODEL_TARGET]->skeleton;
    builder_joint *const joints = builder->joints;
    for (uint32_t i = 0; i < target->num_joints; i++) { // parents before their children
        const uint32_t joint = target->order[i];
        const uint32_t parent = target->joints[joint].parent;
        if (parent == MD5_NONE)
            joints[joint].above = MD5_NONE;
        else if (builder->sources[parent] != MD5_NONE)
            joints[joint].above = parent;
        else
            joints[joint].above = joints[parent].above;
    }
}

// Finds the first driven descendant of each joint, preferably one that a pair names. The loop runs
// backwards, so that the first of several descendants is set last and remains.
static void find_driven_children(const retarget_builder *builder)
{
    const md5_skeleton *const target = &builder->models[MODEL_TARGET]->skeleton;
    builder_joint *const joints = builder->joints;
    for (uint32_t i = 0; i < target->num_joints; i++)
        joints[i].child = MD5_NONE;
    for (uint32_t i = target->num_joints; i-- > 0;) {
        const uint32_t joint = target->order[i];
        const uint32_t above = joints[joint].above;
        if (above == MD5_NONE || builder->sources[joint] == MD5_NONE)
            continue;
        uint32_t *const child = &joints[above].child;
        const bool is_preferred =
            *child == MD5_NONE || joints[joint].is_named || !joints[*child].is_named;
        if (is_preferred)
            *child = joint;
    }
}

// Returns true if the bone from a joint to its driven child is part of a leg. In this case, a pair
// aligns the joint, and the bone ends low in both models.
static bool is_leg_bone(const retarget_builder *builder, uint32_t joint, const height_range *ranges)
{
    const uint32_t child = builder->joints[joint].child;
    if (!builder->joints[joint].is_aligned || child == MD5_NONE)
        return false;
    const uint32_t ends[] = {child, builder->sources[child]};
    for (int k = 0; k < NUM_RETARGET_MODELS; k++) {
        const float max_height = ranges[k].low + MAX_LEG_HEIGHT * (ranges[k].high - ranges[k].low);
        if (!(joint_height(builder, k, ends[k]) < max_height))
            return false;
    }
    return true;
}

// Returns true if a joint is driven, and it and its source joint are above the ground.
static bool is_above_ground(const retarget_builder *builder, uint32_t joint,
                            const height_range *ranges)
{
    const uint32_t pair[] = {joint, builder->sources[joint]};
    if (pair[MODEL_SOURCE] == MD5_NONE)
        return false;
    for (int k = 0; k < NUM_RETARGET_MODELS; k++) {
        const float max_ground = MAX_GROUND_HEIGHT * ranges[k].high;
        if (!(joint_height(builder, k, pair[k]) > max_ground))
            return false;
    }
    return true;
}

// The legs of both models. The joints are joints of the target.
typedef struct leg_search {
    float lengths[NUM_RETARGET_MODELS]; // sum of the lengths of all leg bones, of each model
    uint32_t pelvis;                    // joint above the first leg; MD5_NONE: none
    uint32_t above_ground;              // first driven joint above the ground; MD5_NONE: none
} leg_search;

static bool has_legs(const leg_search *legs)
{
    return legs->lengths[MODEL_TARGET] > 0 && legs->lengths[MODEL_SOURCE] > 0;
}

// Adds the bone from a joint to its driven child to the legs. If no pair aligns the child, the leg
// ends there, and the child is a foot.
static void add_leg_bone(const retarget_builder *builder, uint32_t joint, leg_search *legs)
{
    builder_joint *const joints = builder->joints;
    const uint32_t child = joints[joint].child;
    const uint32_t starts[] = {joint, builder->sources[joint]}; // in the target, in the source
    const uint32_t ends[] = {child, builder->sources[child]};
    for (uint32_t k = 0; k < NUM_RETARGET_MODELS; k++) {
        const md5_vec3 bone = bone_vector(builder->binds[k], starts[k], ends[k]);
        legs->lengths[k] += md5_vec3_length(bone);
    }
    joints[child].is_foot = !joints[child].is_aligned;
    if (legs->pelvis == MD5_NONE)
        legs->pelvis = joints[joint].above;
}

// Finds the leg bones, and marks the feet. If one of the models has no legs, the pelvis is the
// first driven joint above the ground.
static leg_search find_legs(const retarget_builder *builder)
{
    const md5_skeleton *const target = &builder->models[MODEL_TARGET]->skeleton;
    const height_range ranges[] = {find_height_range(builder, MODEL_TARGET),
                                   find_height_range(builder, MODEL_SOURCE)};
    leg_search legs = {.pelvis = MD5_NONE, .above_ground = MD5_NONE};
    for (uint32_t i = 0; i < target->num_joints; i++) { // parents before their children
        const uint32_t joint = target->order[i];
        if (legs.above_ground == MD5_NONE && is_above_ground(builder, joint, ranges))
            legs.above_ground = joint;
        if (is_leg_bone(builder, joint, ranges))
            add_leg_bone(builder, joint, &legs);
    }
    if (!has_legs(&legs))
        legs.pelvis = legs.above_ground;
    return legs;
}

// Returns the size of the target relative to the source, by which positions are scaled. It is the
// ratio of the lengths of the legs, or else of the heights of the first driven joint above the
// ground.
static float size_ratio(const retarget_builder *builder, const leg_search *legs)
{
    if (has_legs(legs))
        return legs->lengths[MODEL_TARGET] / legs->lengths[MODEL_SOURCE];
    const uint32_t joint = legs->above_ground;
    if (joint == MD5_NONE)
        return 1;
    const float target_height = joint_height(builder, MODEL_TARGET, joint);
    const float source_height = joint_height(builder, MODEL_SOURCE, builder->sources[joint]);
    return target_height / source_height;
}

// -- The block ------------------------------------------------------------------------------

// Allocates the arrays of the builder, and computes the bind poses in model space.
static bool create_tables(retarget_builder *builder)
{
    const size_t num_target = builder->models[MODEL_TARGET]->skeleton.num_joints;
    const size_t num_source = builder->models[MODEL_SOURCE]->skeleton.num_joints;
    md5_arena *const arena = &builder->arena;
    builder->joints = MD5_ALLOC_ZEROED(arena, builder_joint, num_target);
    builder->binds[MODEL_SOURCE] = MD5_ALLOC_ZEROED(arena, md5_xform, num_source);
    builder->binds[MODEL_TARGET] = MD5_ALLOC_ZEROED(arena, md5_xform, num_target);
    builder->sources = MD5_ALLOC_ZEROED(arena, uint32_t, num_target);
    builder->targets = MD5_ALLOC_ZEROED(arena, uint32_t, num_source);
    TRY(builder->sources && builder->targets && builder->joints);
    TRY(builder->binds[MODEL_TARGET] && builder->binds[MODEL_SOURCE]);

    for (uint32_t k = 0; k < NUM_RETARGET_MODELS; k++)
        md5_local_to_model_xforms(&builder->models[k]->skeleton, builder->models[k]->bind_local,
                                  builder->binds[k]);
    return true;
}

// Returns the rotation in model space that gives the bone from a joint to its driven child the
// direction of the bone between their source joints. It includes `inherited`, the alignment of the
// parent.
static md5_quat align_bone(const retarget_builder *builder, uint32_t joint, uint32_t child,
                           md5_quat inherited)
{
    const md5_vec3 any = {1, 0, 0};
    const uint32_t *const sources = builder->sources;
    const md5_vec3 target_bone = bone_vector(builder->binds[MODEL_TARGET], joint, child);
    const md5_vec3 source_bone =
        bone_vector(builder->binds[MODEL_SOURCE], sources[joint], sources[child]);
    const md5_vec3 from = md5_vec3_normalize(md5_quat_rotate(inherited, target_bone), any);
    const md5_vec3 to = md5_vec3_normalize(source_bone, from);
    return md5_quat_trim(md5_quat_mul(md5_rotation_between(from, to), inherited));
}

// Rotates a joint of the target's bind pose toward the bind pose of the source, so that both models
// have the same posture. An aligned joint is rotated until the bone to its driven child has the
// direction of the source's bone. Its descendants rotate with it, except for feet, which stay
// level. Parents must be aligned before their children.
static void align_joint(const retarget_builder *builder, uint32_t joint)
{
    builder_joint *const joints = builder->joints;
    const uint32_t parent = builder->models[MODEL_TARGET]->skeleton.joints[joint].parent;
    const uint32_t child = joints[joint].child;
    const bool follows_parent = parent != MD5_NONE && !joints[joint].is_foot;
    md5_quat alignment = follows_parent ? joints[parent].alignment : MD5_NO_ROTATION;
    if (joints[joint].is_aligned && child != MD5_NONE)
        alignment = align_bone(builder, joint, child, alignment);

    md5_quat *const rotation = &builder->binds[MODEL_TARGET][joint].rotation;
    *rotation = md5_quat_mul(alignment, *rotation);
    joints[joint].alignment = alignment;
}

// Returns the rotation of a joint in a bind pose, or the identity for MD5_NONE.
static md5_quat bind_rotation(const md5_xform *bind, uint32_t joint)
{
    return joint == MD5_NONE ? MD5_NO_ROTATION : bind[joint].rotation;
}

// Sets the constant rotations of a link. After the alignment, both models have the same posture in
// their bind poses. The rotations between their joints in this posture are therefore valid in every
// other pose. `joint` is a joint of the target, `parent` its parent, and `source_parent` the parent
// of link->source.
static void set_link_rotations(const retarget_builder *builder, uint32_t joint, uint32_t parent,
                               uint32_t source_parent, joint_link *link)
{
    const md5_xform *const target_bind = builder->binds[MODEL_TARGET];
    const md5_xform *const source_bind = builder->binds[MODEL_SOURCE];

    // The rotation of the target joint in the axes of each source joint.
    const md5_quat target_in_model = target_bind[joint].rotation;
    const md5_quat model_to_source = md5_quat_conjugate(source_bind[link->source].rotation);
    const md5_quat model_to_next = md5_quat_conjugate(source_bind[link->next].rotation);
    link->to_target = md5_quat_mul(model_to_source, target_in_model);
    link->next_to_target = md5_quat_mul(model_to_next, target_in_model);

    // The rotation of the source's parent in the axes of the target's parent.
    const md5_quat model_to_parent = md5_quat_conjugate(bind_rotation(target_bind, parent));
    link->frame = md5_quat_mul(model_to_parent, bind_rotation(source_bind, source_parent));
}

// Computes the constants with which a target joint follows its source joint. The joint and its
// parent must be aligned already: see align_joint().
static joint_link create_link(const retarget_builder *builder, uint32_t joint)
{
    const builder_joint *const built = &builder->joints[joint];
    const uint32_t source = builder->sources[joint];
    joint_link link = {
        .source = source,
        .rest = builder->binds[MODEL_TARGET][joint].translation,
    };
    if (source == MD5_NONE)
        return link;

    const uint32_t parent = builder->models[MODEL_TARGET]->skeleton.joints[joint].parent;
    const uint32_t source_parent = builder->models[MODEL_SOURCE]->skeleton.joints[source].parent;
    const bool is_root = parent == MD5_NONE || source_parent == MD5_NONE;
    const bool has_next = built->next != MD5_NONE;
    link.is_placed = is_root && !has_next;
    link.transfers_translation = !has_next && !built->is_aligned;
    link.next = has_next ? built->next : source;
    link.next_weight = built->next_weight;
    link.from = builder->binds[MODEL_SOURCE][source].translation;
    set_link_rotations(builder, joint, parent, source_parent, &link);
    return link;
}

// Marks the pelvis and its ancestors, because they carry the position of the body. Ancestors with
// the same source joint as the pelvis rotate about the pelvis.
static void mark_pelvis(const retarget_builder *builder, joint_link *links, uint32_t pelvis)
{
    const md5_skeleton *const target = &builder->models[MODEL_TARGET]->skeleton;
    const md5_xform *const target_bind = builder->binds[MODEL_TARGET];
    for (uint32_t joint = pelvis; joint != MD5_NONE; joint = target->joints[joint].parent) {
        joint_link *const link = &links[joint];
        link->is_placed = true;
        if (link->source == links[pelvis].source) {
            link->rest = target_bind[pelvis].translation;
            link->up = md5_quat_rotate(md5_quat_conjugate(target_bind[joint].rotation),
                                       bone_vector(target_bind, pelvis, joint));
        }
    }
}

// Computes the links of all joints of a retarget. Visits parents before their children, because
// align_joint() requires it.
static void build_links(const retarget_builder *builder, uint32_t pelvis, joint_link *links)
{
    const md5_skeleton *const target = &builder->models[MODEL_TARGET]->skeleton;
    for (uint32_t i = 0; i < target->num_joints; i++) {
        const uint32_t joint = target->order[i];
        align_joint(builder, joint);
        links[joint] = create_link(builder, joint);
    }
    mark_pelvis(builder, links, pelvis);
}

// Allocates a retarget and computes its links. Returns NULL after an error.
static md5_retarget *build_retarget(retarget_builder *builder, const md5_joint_pair *pairs,
                                    uint32_t num_pairs)
{
    md5_context *const context = builder->arena.context;
    if (!create_tables(builder) || !select_sources(builder, pairs, num_pairs))
        return NULL;
    const uint32_t num_links = builder->models[MODEL_TARGET]->skeleton.num_joints;
    const size_t size = sizeof(md5_retarget) + num_links * sizeof(joint_link);
    md5_retarget *const retarget = (md5_retarget *)md5i_alloc(context, size);
    if (!retarget)
        return NULL;

    find_driven_ancestors(builder);
    find_driven_children(builder);
    const leg_search legs = find_legs(builder);
    *retarget = (md5_retarget){
        .source = builder->models[MODEL_SOURCE],
        .target = builder->models[MODEL_TARGET],
        .ratio = size_ratio(builder, &legs),
        .size = size,
        .internal = {.allocator = context->allocator, .tag = MD5_TAG_RETARGET},
    };
    build_links(builder, legs.pelvis, retarget->links);
    return retarget;
}

// Prepares the transfer of poses from one model to another with other proportions or joint names.
// pairs[num_pairs] assign joints whose names differ. Returns NULL and sets the error on failure.
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
    retarget_builder builder = {.arena = {.context = &context},
                                .models = {[MODEL_TARGET] = target, [MODEL_SOURCE] = source}};
    md5_retarget *const retarget = build_retarget(&builder, pairs, num_pairs);
    md5i_arena_free(&builder.arena);
    return retarget;
}

void md5_destroy_retarget(md5_retarget *retarget)
{
    MD5_FREE(retarget, MD5_TAG_RETARGET);
}

// == Poses =======================================================================================

// Returns the translation of a joint whose position is not transferred. It is the translation of
// the bind pose. If link->transfers_translation, the source's difference from its own bind pose is
// added.
static md5_vec3 retarget_translation(const md5_retarget *retarget, uint32_t joint,
                                     const md5_xform *source)
{
    const joint_link *const link = &retarget->links[joint];
    const md5_vec3 bind = retarget->target->bind_local[joint].translation;
    if (link->source == MD5_NONE || !link->transfers_translation)
        return bind;
    const md5_vec3 source_bind = retarget->source->bind_local[link->source].translation;
    const md5_vec3 difference = md5_vec3_sub(source[link->source].translation, source_bind);
    const md5_vec3 scaled = md5_vec3_scale(difference, retarget->ratio);
    return md5_vec3_add(bind, md5_quat_rotate(link->frame, scaled));
}

float md5_retarget_ratio(const md5_retarget *retarget)
{
    MD5_ASSERT_RETARGET(retarget);
    return retarget->ratio;
}

// Space for the joints of the source in model space, plus up to 3 bytes to align them.
size_t md5_retarget_pose_scratch(const md5_retarget *retarget)
{
    MD5_ASSERT_RETARGET(retarget);
    return retarget->source->skeleton.num_joints * sizeof(md5_xform) + sizeof(float) - 1;
}

// Returns the rotation of a driven target joint in model space. It follows one source joint, or a
// blend of two. `source` is the pose of the source in model space.
static md5_quat driven_rotation(const joint_link *link, const md5_xform *source)
{
    const md5_quat first = md5_quat_mul(source[link->source].rotation, link->to_target);
    const bool has_next = link->next != link->source;
    if (!has_next)
        return first;
    const md5_quat next = md5_quat_mul(source[link->next].rotation, link->next_to_target);
    return md5_quat_slerp(first, next, link->next_weight);
}

// Returns the model-space position of a target joint whose position is transferred. It is the bind
// position, moved like the source joint from its own bind position. `rotation` is the rotation of
// the target joint. `source` is the pose of the source in model space.
static md5_vec3 placed_position(const joint_link *link, float ratio, md5_quat rotation,
                                const md5_xform *source)
{
    const md5_vec3 rest = md5_vec3_add(link->rest, md5_quat_rotate(rotation, link->up));
    const md5_vec3 moved = md5_vec3_sub(source[link->source].translation, link->from);
    return md5_vec3_add(rest, md5_vec3_scale(moved, ratio));
}

// Returns the transform of a target joint in model space. `source` is the pose of the source
// relative to the parents, and `source_in_model` is the same pose in model space. `target` must
// already contain the parent of the joint in model space.
static md5_xform retarget_joint(const md5_retarget *retarget, uint32_t joint,
                                const md5_xform *source, const md5_xform *source_in_model,
                                const md5_xform *target)
{
    const md5_model *const model = retarget->target;
    const uint32_t parent = model->skeleton.joints[joint].parent;
    const joint_link *const link = &retarget->links[joint];

    // `carried` is the transform of the joint in model space if it only moves with its parent: its
    // rotation relative to the parent is the same as in the bind pose.
    const md5_xform local = {
        .rotation = model->bind_local[joint].rotation,
        .translation = retarget_translation(retarget, joint, source),
    };
    const md5_xform carried = parent != MD5_NONE ? md5_xform_mul(target[parent], local) : local;
    if (link->source == MD5_NONE)
        return (md5_xform){.rotation = md5_quat_trim(carried.rotation),
                           .translation = carried.translation};

    const md5_quat rotation = driven_rotation(link, source_in_model);
    md5_vec3 translation = carried.translation;
    if (link->is_placed)
        translation = placed_position(link, retarget->ratio, rotation, source_in_model);
    return (md5_xform){.rotation = md5_quat_trim(rotation), .translation = translation};
}

// The conversion to model space and back changes the last bits of a retargeted pose. Restores the
// exact translations, because the lengths of bones must not change, and the exact rotations of
// joints without a source.
static void restore_exact_values(const md5_retarget *retarget, const md5_xform *source,
                                 md5_xform *target)
{
    const md5_model *const model = retarget->target;
    for (uint32_t joint = 0; joint < model->skeleton.num_joints; joint++) {
        const joint_link *const link = &retarget->links[joint];
        if (!link->is_placed)
            target[joint].translation = retarget_translation(retarget, joint, source);
        if (link->source == MD5_NONE)
            target[joint].rotation = model->bind_local[joint].rotation;
    }
}

// Transfers a pose from the source model to the target model. Computes the target joints in model
// space, parents first, then converts them to transforms relative to their parents.
void md5_retarget_pose(const md5_retarget *retarget, const md5_xform *source, md5_xform *target,
                       void *scratch)
{
    MD5_ASSERT_RETARGET(retarget);
    MD5_ASSERT_NOT_NULL(source);
    MD5_ASSERT_NOT_NULL(scratch);
    MD5_ASSERT_NOT_NULL(target);
    const md5_skeleton *const from = &retarget->source->skeleton;
    const md5_skeleton *const to = &retarget->target->skeleton;
    MD5_ASSERT(md5_are_disjoint(source, from->num_joints * sizeof *source, scratch,
                                md5_retarget_pose_scratch(retarget)),
               "source, scratch: must not overlap");
    MD5_ASSERT_DISJOINT(source, from->num_joints, target, to->num_joints);
    MD5_ASSERT(md5_are_disjoint(scratch, md5_retarget_pose_scratch(retarget), target,
                                to->num_joints * sizeof *target),
               "scratch, target: must not overlap");

    // Align the scratch memory upward: see md5_retarget_pose_scratch().
    const size_t num_skipped = (0 - (uintptr_t)scratch) % sizeof(float);
    md5_xform *const source_in_model = (md5_xform *)(void *)((char *)scratch + num_skipped);
    md5_local_to_model_xforms(from, source, source_in_model);
    for (uint32_t i = 0; i < to->num_joints; i++) {
        const uint32_t joint = to->order[i];
        target[joint] = retarget_joint(retarget, joint, source, source_in_model, target);
    }
    md5_model_to_local_xforms(to, target, target);
    restore_exact_values(retarget, source, target);
}
