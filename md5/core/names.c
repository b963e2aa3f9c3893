#include "md5/core/names.h"

static int compare_spans(md5_span a, md5_span b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size > 0 ? memcmp(a.bytes, b.bytes, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

// Bottom-up merge sort: no recursion, and no slow worst case. Equal names keep their order.
md5_ordered_name *md5i_order_names(md5_arena *arena, md5_ordered_name *names, size_t count)
{
    md5_ordered_name *sorted = names;
    md5_ordered_name *spare = MD5_ROOM(arena, md5_ordered_name, count);
    if (!names || !spare)
        return NULL;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t low = 0; low < count; low += 2 * run) {
            const size_t middle = low + run < count ? low + run : count;
            const size_t high = middle + run < count ? middle + run : count;
            size_t left = low;
            size_t right = middle;
            for (size_t i = low; i < high; i++) {
                const bool takes_left =
                    right == high
                    || (left < middle && compare_spans(sorted[left].name, sorted[right].name) <= 0);
                spare[i] = sorted[takes_left ? left++ : right++];
            }
        }
        md5_ordered_name *const swap = sorted;
        sorted = spare;
        spare = swap;
    }
    return sorted;
}

const md5_ordered_name *md5i_find_ordered_name(const md5_ordered_name *names, size_t count,
                                               md5_span name)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_spans(names[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && compare_spans(names[low].name, name) == 0 ? &names[low] : NULL;
}

// -- Joints of two skeletons ----------------------------------------------------------------------

const md5_ordered_name *md5i_order_joint_names(md5_arena *arena, const md5_skeleton *skeleton)
{
    const uint32_t count = skeleton->num_joints;
    md5_ordered_name *const names = MD5_ROOM(arena, md5_ordered_name, count);
    if (names) {
        for (uint32_t joint = 0; joint < count; joint++) {
            const char *const name = skeleton->joints[joint].name;
            names[joint] = (md5_ordered_name){{name, strlen(name)}, joint};
        }
    }
    return md5i_order_names(arena, names, count);
}

bool md5i_match_joints(md5_arena *arena, const md5_skeleton *model, const md5_skeleton *anim,
                       uint32_t *tracks, uint32_t *targets)
{
    uint32_t equal = 0; // joints with equal names and parents
    while (model->num_joints == anim->num_joints && equal < model->num_joints
           && model->joints[equal].parent == anim->joints[equal].parent
           && strcmp(model->joints[equal].name, anim->joints[equal].name) == 0) {
        tracks[equal] = targets[equal] = equal;
        equal++;
    }
    if (equal == model->num_joints && equal == anim->num_joints)
        return true;
    for (uint32_t joint = 0; joint < model->num_joints; joint++)
        tracks[joint] = MD5_NONE;
    for (uint32_t joint = 0; joint < anim->num_joints; joint++)
        targets[joint] = MD5_NONE;
    const md5_ordered_name *const by_name = md5i_order_joint_names(arena, model);
    const md5_ordered_name *const anim_by_name = md5i_order_joint_names(arena, anim);
    TRY(by_name && anim_by_name);
    // Walks both sorted lists together, so that the k-th joint of a name matches the k-th.
    uint32_t i = 0;
    uint32_t j = 0;
    while (i < model->num_joints && j < anim->num_joints) {
        const uint32_t joint = by_name[i].number;
        const uint32_t track = anim_by_name[j].number;
        const int order = compare_spans(by_name[i].name, anim_by_name[j].name);
        if (order == 0) {
            tracks[joint] = track;
            targets[track] = joint;
        }
        i += order <= 0;
        j += order >= 0;
    }
    return true;
}
