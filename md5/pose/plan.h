// Tables that posing looks up for each joint, built once by md5_bind(): the joints by depth, the
// target of each track, the joints that the clip leaves constant, and those that are composed.
// Invariant: `order` lists every parent before its children, and each joint has either a track or
// an entry in the constant lists.
//
// The players of state machines read plans and call their kernels, as this file offers it inline:
// no other library needs a symbol of this one that is not public.
#ifndef MD5_POSE_PLAN_H
#define MD5_POSE_PLAN_H

#include "md5/md5model.h"

#include <string.h>

// A range of slots. Slot k of a frame is the k-th joint of rotation_joints or translation_joints.
typedef struct md5_slots {
    uint32_t first;
    uint32_t count;
} md5_slots;

// The target joints of a clip's tracks.
typedef struct md5_targets {
    const uint32_t *rotations;    // [num_rotations] joint of the pose, MD5_NONE: drives nothing
    const uint32_t *translations; // [num_translations]
    bool rotations_in_order, translations_in_order; // slot k drives joint k
    md5_slots rotation_slots, translation_slots;    // the sampled ones
} md5_targets;

struct md5_pose_plan {
    const struct md5_pose_kernels *kernels; // the best: asked for once
    const uint32_t *order;                  // [model joints] by depth
    uint32_t num_roots;                     // with which it begins
    // [anim joints] the model joint that each one drives, or MD5_NONE: the inverse of the binding's
    // `tracks`, behind which it is stored.
    const uint32_t *driven;
    md5_targets targets;
    // Joints whose rotation or translation the clip does not animate.
    uint32_t num_fixed_rotations;
    uint32_t num_fixed_translations;
    const uint32_t *fixed_rotations;
    const uint32_t *fixed_translations;
    // Of a compressed clip: the tracks that drive a joint of the pose.
    const struct md5_packed_lanes *groups;
    uint32_t num_groups;
};

// A driven model joint whose track is not relative to its parent in the model. Its transform in the
// pose becomes
//
//   inverse(model joints below `above`, down to the parent)
//     * joints that only the animation has, from `extra` up * its own track
//
// so that it ends where the animation's hierarchy puts it, relative to `above`.
struct md5_rebase {
    uint32_t joint; // model joint
    uint32_t extra; // nearest ancestor of its track, if that drives nothing; MD5_NONE = none
    uint32_t above; // model joint, an ancestor of `joint`; MD5_NONE = model space
};

// Returns the constant transform of a model joint: used where the clip does not animate it.
static inline const md5_xform *md5_constant_of(const md5_binding *binding, uint32_t joint)
{
    const uint32_t track = binding->tracks[joint];
    return track == MD5_NONE ? &binding->bind_local[joint] : &binding->anim->constant[track];
}

// Copies the constant transforms of `count` joints from `first` on.
static inline void md5_copy_constants(const md5_binding *binding, uint32_t first, uint32_t count,
                                      md5_xform *pose)
{
    if (binding->same_order && binding->num_extra == 0) {
        memcpy(pose + first, binding->anim->constant + first, count * sizeof *pose);
        return;
    }
    for (uint32_t joint = first; joint < first + count; joint++)
        pose[joint] = *md5_constant_of(binding, joint);
}

// The range from the first to the last slot that drives a joint in wanted[model joints].
static inline md5_slots md5_narrow_slots(const uint32_t *targets, md5_slots slots,
                                         const bool *wanted)
{
    while (slots.count > 0) {
        const uint32_t last = targets[slots.first + slots.count - 1];
        if (last != MD5_NONE && wanted[last])
            break;
        slots.count--;
    }
    while (slots.count > 0 && (targets[slots.first] == MD5_NONE || !wanted[targets[slots.first]])) {
        slots.first++;
        slots.count--;
    }
    return slots;
}

static inline md5_targets md5_narrow_targets(const md5_targets *targets, const bool *wanted)
{
    md5_targets narrowed = *targets;
    narrowed.rotation_slots = md5_narrow_slots(targets->rotations, targets->rotation_slots, wanted);
    narrowed.translation_slots =
        md5_narrow_slots(targets->translations, targets->translation_slots, wanted);
    return narrowed;
}

#endif
