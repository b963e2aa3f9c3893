#include "md5/core/names.h"

#include <stdlib.h>
#include <string.h>

static bool names_and_parents_equal(const md5_skeleton *a, const md5_skeleton *b)
{
    if (a->num_joints != b->num_joints)
        return false;
    for (uint32_t joint = 0; joint < a->num_joints; joint++) {
        if (a->joints[joint].parent != b->joints[joint].parent
            || strcmp(a->joints[joint].name, b->joints[joint].name) != 0)
            return false;
    }
    return true;
}

// Merges the sorted runs from[low, middle) and from[middle, high). Joints of equal names keep
// their order.
static void merge_runs(const md5_joint *joints, const uint32_t *from, uint32_t *to, size_t low,
                       size_t middle, size_t high)
{
    size_t left = low, right = middle;
    for (size_t i = low; i < high; i++) {
        const bool take_left =
            right == high
            || (left < middle && strcmp(joints[from[left]].name, joints[from[right]].name) <= 0);
        to[i] = from[take_left ? left++ : right++];
    }
}

// Sorts the skeleton's joints by name, then by number. Bottom-up merge sort: no recursion, and no
// slow worst case.
static const uint32_t *sort_by_name(md5_arena *arena, const md5_skeleton *skeleton)
{
    const size_t count = skeleton->num_joints;
    uint32_t *sorted = (uint32_t *)md5i_arena_alloc(arena, count, sizeof *sorted);
    uint32_t *spare = (uint32_t *)md5i_arena_alloc(arena, count, sizeof *spare);
    if (!sorted || !spare)
        return NULL;
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++)
        sorted[joint] = joint;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t low = 0; low < count; low += 2 * run) {
            const size_t middle = low + run < count ? low + run : count;
            const size_t high = middle + run < count ? middle + run : count;
            merge_runs(skeleton->joints, sorted, spare, low, middle, high);
        }
        uint32_t *const swap = sorted;
        sorted = spare;
        spare = swap;
    }
    return sorted;
}

// Walks both sorted lists together, so that the k-th joint of a name matches the k-th.
static void pair_up(const md5_skeleton *model, const uint32_t *by_name, const md5_skeleton *anim,
                    const uint32_t *anim_by_name, int32_t *tracks, int32_t *targets)
{
    uint32_t i = 0, j = 0;
    while (i < model->num_joints && j < anim->num_joints) {
        const uint32_t joint = by_name[i], track = anim_by_name[j];
        const int order = strcmp(model->joints[joint].name, anim->joints[track].name);
        if (order == 0) {
            tracks[joint] = (int32_t)track;
            targets[track] = (int32_t)joint;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

bool md5i_match_joints(md5_arena *arena, const md5_skeleton *model, const md5_skeleton *anim,
                       int32_t *tracks, int32_t *targets)
{
    if (names_and_parents_equal(model, anim)) {
        for (uint32_t joint = 0; joint < model->num_joints; joint++)
            tracks[joint] = targets[joint] = (int32_t)joint;
        return true;
    }
    for (uint32_t joint = 0; joint < model->num_joints; joint++)
        tracks[joint] = -1;
    for (uint32_t joint = 0; joint < anim->num_joints; joint++)
        targets[joint] = -1;
    const uint32_t *by_name = sort_by_name(arena, model);
    const uint32_t *anim_by_name = sort_by_name(arena, anim);
    TRY(by_name && anim_by_name);
    pair_up(model, by_name, anim, anim_by_name, tracks, targets);
    return true;
}

static int compare_spans(md5_span a, md5_span b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size > 0 ? memcmp(a.bytes, b.bytes, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_names(const void *a, const void *b)
{
    const md5_ordered_name *const first = (const md5_ordered_name *)a;
    const md5_ordered_name *const second = (const md5_ordered_name *)b;
    const int order = compare_spans(first->name, second->name);
    return order != 0 ? order : (first->number > second->number) - (first->number < second->number);
}

void md5i_order_names(md5_ordered_name *names, size_t count)
{
    if (count > 0)
        qsort(names, count, sizeof *names, compare_names);
}

const md5_ordered_name *md5i_find_ordered_name(const md5_ordered_name *names, size_t count,
                                               md5_span name)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_spans(names[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && compare_spans(names[low].name, name) == 0 ? &names[low] : NULL;
}
