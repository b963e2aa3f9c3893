#include "md5/pose/plan.h"

#include <string.h>

md5_targets md5i_own_targets(const md5_anim *anim)
{
    // The lists ascend: if they are as long as the skeleton, slot k is joint k.
    const uint32_t count = anim->skeleton.num_joints;
    return (md5_targets){
        .rotations = (const int32_t *)anim->rotation_joints,
        .translations = (const int32_t *)anim->translation_joints,
        .rotations_in_order = anim->num_rotations == count,
        .translations_in_order = anim->num_translations == count,
        .rotation_slots = {0, anim->num_rotations},
        .translation_slots = {0, anim->num_translations},
    };
}

size_t md5i_pose_plan_size(const md5_skeleton *skeleton, const md5_anim *anim)
{
    return 4 * (size_t)skeleton->num_joints + anim->num_rotations + anim->num_translations;
}

enum { FLOATS = sizeof(md5_mat34) / sizeof(float) };

// Sorts the joints by depth. `depths` and `begins` [joints] are scratch. Returns the number of
// roots.
static uint32_t order_by_depth(const md5_skeleton *skeleton, int32_t *depths, int32_t *begins,
                               md5_plan_step *steps)
{
    const uint32_t count = skeleton->num_joints;
    memset(begins, 0, count * sizeof *begins);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        depths[joint] = parent < 0 ? 0 : depths[parent] + 1;
        begins[depths[joint]]++;
    }
    const uint32_t num_roots = (uint32_t)begins[0];
    int32_t begin = 0;
    for (uint32_t depth = 0; depth < count; depth++) {
        const int32_t width = begins[depth];
        begins[depth] = begin;
        begin += width;
    }
    for (uint32_t joint = 0; joint < count; joint++) {
        const int32_t parent = skeleton->joints[joint].parent;
        steps[begins[depths[joint]]++] = (md5_plan_step){
            .own = FLOATS * joint,
            .parent = parent < 0 ? 0 : FLOATS * (uint32_t)parent,
        };
    }
    return num_roots;
}

// Writes the targets of the slots to `found`, and marks the driven joints in `driven`. Returns
// whether slot k drives joint k of all `num_joints`.
static bool find_targets(const uint32_t *joints, uint32_t count, const int32_t *targets,
                         int32_t *found, uint32_t num_joints, int32_t *driven)
{
    bool in_order = count == num_joints;
    memset(driven, 0, num_joints * sizeof *driven);
    for (uint32_t slot = 0; slot < count; slot++) {
        found[slot] = targets[joints[slot]];
        in_order = in_order && found[slot] == (int32_t)slot;
        if (found[slot] >= 0)
            driven[found[slot]] = 1;
    }
    return in_order;
}

// Replaces marks by the list of unmarked joints. Returns their number.
static uint32_t list_unmarked(int32_t *marks, uint32_t count)
{
    uint32_t listed = 0;
    for (uint32_t joint = 0; joint < count; joint++) {
        if (marks[joint] == 0)
            marks[listed++] = (int32_t)joint;
    }
    return listed;
}

void md5i_pose_plan_build(const md5_skeleton *skeleton, const md5_anim *anim,
                          const int32_t *targets, md5_pose_plan *plan, int32_t *integers)
{
    const uint32_t count = skeleton->num_joints;
    md5_plan_step *const steps = (md5_plan_step *)integers;
    int32_t *const fixed_rotations = integers + 2 * (size_t)count, *const fixed_translations =
                                                                       fixed_rotations + count;
    int32_t *const rotations = fixed_translations + count;
    int32_t *const translations = rotations + anim->num_rotations;

    *plan = (md5_pose_plan){
        .steps = steps,
        .num_roots = order_by_depth(skeleton, fixed_rotations, fixed_translations, steps),
        .targets = {.rotations = rotations,
                    .translations = translations,
                    .rotation_slots = {0, anim->num_rotations},
                    .translation_slots = {0, anim->num_translations}},
        .fixed_rotations = (const uint32_t *)fixed_rotations,
        .fixed_translations = (const uint32_t *)fixed_translations,
    };
    plan->targets.rotations_in_order = find_targets(anim->rotation_joints, anim->num_rotations,
                                                    targets, rotations, count, fixed_rotations);
    plan->targets.translations_in_order =
        find_targets(anim->translation_joints, anim->num_translations, targets, translations, count,
                     fixed_translations);
    plan->num_fixed_rotations = list_unmarked(fixed_rotations, count);
    plan->num_fixed_translations = list_unmarked(fixed_translations, count);
}
