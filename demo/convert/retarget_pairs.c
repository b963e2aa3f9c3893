// Pairs the joints of two skeletons that have the same role, and creates the retarget of the
// library from the pairs.
#include "demo/convert/retarget_figure.h"

// Distributes the rotations of a source chain of m joints over a target chain of n joints. Target
// joint i, counted from 1, gets the rotation of the source after i * m / n joints. If this is not a
// whole number, the rotations of the source joints before and after it (`low` and `high`) are
// interpolated.
//
// Joints that a map defines are not changed. Returns true if both chains exist.
bool retarget_pair_chains(const retarget_figure *source, const retarget_figure *target,
                          retarget_chain from, retarget_chain to)
{
    // Element 0 is the parent of the source chain: the rotation before the first joint of the
    // chain.
    uint32_t source_joints[RETARGET_MAX_CHAIN + 1];
    uint32_t target_joints[RETARGET_MAX_CHAIN];
    const uint32_t m = retarget_list_chain(source, from, source_joints + 1);
    const uint32_t n = retarget_list_chain(target, to, target_joints);
    source_joints[0] = retarget_parent_joint(source, from.first);
    if (m == 0 || n == 0)
        return false;

    for (uint32_t i = 0; i < n; i++) {
        retarget_joint *const joint = &target->joints[target_joints[i]];
        const uint32_t position = m * (i + 1); // in n-ths of a joint of the source
        const uint32_t low = source_joints[position / n];
        const uint32_t high = source_joints[(position + n - 1) / n];
        if (joint->is_mapped || source->joints[high].is_mapped)
            continue;
        joint->high = high;
        joint->low = low != MD5_NONE ? low : high;
        joint->fraction = (float)(position % n) / (float)n;
        joint->is_chained = m != n;
    }
    return true;
}

// Pairs the roots and the bodies of both skeletons. The position of the root of a captured clip has
// no meaning. For such a clip, only the bodies are paired.
static void pair_roots(const retarget_figure *source, const retarget_figure *target,
                       bool is_captured)
{
    uint32_t root = source->pelvis;
    while (retarget_parent_joint(source, root) != MD5_NONE)
        root = retarget_parent_joint(source, root);

    const bool is_root_above = retarget_common_parent(target, 0, target->body) == 0;
    const bool has_root = is_root_above && retarget_parent_joint(target, 0) == MD5_NONE;
    if (!is_captured && root != source->pelvis && has_root)
        retarget_pair_chains(source, target, (retarget_chain){root, root}, (retarget_chain){0, 0});
    if (source->pelvis != MD5_NONE && target->body != MD5_NONE) // rotates as the pelvis does
        retarget_pair_chains(source, target, source->roles[2 * BODY_HIPS],
                             (retarget_chain){target->body, target->body});
}

bool retarget_pair_joints(const retarget_figure *source, const retarget_figure *target,
                          bool is_captured, bool has_map)
{
    enum { MIN_COMMON_ROLES = 12 }; // without spine and fingers, whose names differ too much
    pair_roots(source, target, is_captured);

    int num_common = 0;
    bool has_limbs = true; // both skeletons have all upper arms and thighs
    for (int r = 0; r < RETARGET_NUM_ROLES; r++) {
        const int part = r / 2;
        const bool is_role =
            part > BODY_HEAD || r % 2 == 0; // parts up to BODY_HEAD have side 0 only
        const bool is_limb = part == BODY_UPPER_ARM || part == BODY_THIGH;
        const bool is_counted = part != BODY_SPINE && part < BODY_THUMB;
        const bool is_paired =
            is_role && retarget_pair_chains(source, target, source->roles[r], target->roles[r]);
        if (is_paired && is_counted)
            num_common++;
        if (is_limb && !is_paired)
            has_limbs = false;
    }

    const bool is_matched = has_map || (has_limbs && num_common >= MIN_COMMON_ROLES);
    if (is_matched)
        return true;
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++)
        target->joints[i].low = MD5_NONE;
    return false;
}

// Sets is_idle of a target joint that md5_create_retarget() reports as unmoved. It is a callback
// for md5_load_opts.warn. The first number in the warning is the index of the joint.
static void mark_idle(void *user, const md5_error *warning)
{
    const retarget_figure *const target = user;
    const char *const number = strpbrk(warning->message, "0123456789");
    const unsigned long joint = number ? strtoul(number, NULL, 10) : MD5_NONE;
    if (joint < target->skeleton->num_joints)
        target->joints[joint].is_idle = true;
}

// Returns true if the bone of a joint gets the direction of the source's bone. The default is true
// for upper arms, forearms, thighs and shins.
static bool is_aligned(const retarget_figure *target, uint32_t index)
{
    const retarget_alignment align = target->joints[index].align;
    if (align != ALIGN_LIMBS)
        return align == ALIGN_ALWAYS;
    for (int r = 2 * BODY_UPPER_ARM; r < 2 * BODY_FOOT; r++) {
        if (r / 2 != BODY_HAND && target->roles[r].last == index)
            return true;
    }
    return false;
}

// Returns the pair of a target joint for the library. The map can keep a target joint in its bind
// pose; its pair then has no source joint.
static md5_joint_pair create_pair(const retarget_figure *source, const retarget_figure *target,
                                  uint32_t index)
{
    const retarget_joint *const joint = &target->joints[index];
    const md5_joint *const source_joints = source->skeleton->joints;
    md5_joint_pair pair = {.target = target->skeleton->joints[index].name,
                           .fraction = joint->fraction};
    if (joint->low == MD5_NONE)
        return pair;
    pair.align = is_aligned(target, index);
    pair.source = source_joints[joint->low].name;
    if (joint->high != joint->low)
        pair.next = source_joints[joint->high].name;
    return pair;
}

// Lists the pairs of joints in the form of the library. Returns their number. The capacity of
// `pairs` is the number of joints of both skeletons.
static uint32_t list_pairs(const retarget_figure *source, const retarget_figure *target,
                           md5_joint_pair *pairs)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++) {
        const retarget_joint *const joint = &target->joints[i];
        const char *const name = target->skeleton->joints[i].name;
        const bool has_pair = joint->low != MD5_NONE || joint->is_mapped;
        const bool has_unique_name = md5_find_joint(target->skeleton, name) == i;
        if (has_pair && has_unique_name)
            pairs[count++] = create_pair(source, target, i);
    }

    // A map can exclude joints of the source. Such a joint gets a pair without a target joint, so
    // that the library does not pair it by its name.
    for (uint32_t i = 0; i < source->skeleton->num_joints; i++) {
        if (source->joints[i].is_mapped)
            pairs[count++] = (md5_joint_pair){.source = source->skeleton->joints[i].name};
    }
    return count;
}

md5_retarget *retarget_create(const retarget_figure *source, retarget_figure *target,
                              md5_error *error)
{
    const size_t max_pairs = (size_t)target->skeleton->num_joints + source->skeleton->num_joints;
    md5_joint_pair *const pairs = common_alloc(max_pairs, sizeof *pairs);
    const uint32_t num_pairs = list_pairs(source, target, pairs);
    const md5_load_opts opts = {.warn = mark_idle, .warn_user = target, .max_warnings = UINT32_MAX};
    md5_retarget *const retarget =
        md5_create_retarget(source->model, target->model, pairs, num_pairs, &opts, error);
    free(pairs);
    return retarget;
}
