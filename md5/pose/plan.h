// Tables that posing reads for each joint. md5_bind() builds them once. They contain the order of
// the joints by depth, the target of each track, and the joints that are constant in the clip. A
// separate table contains the joints whose parents differ (md5_rebase).
//
// Invariants: `order` lists every parent before its children. Each joint has either a track or an
// entry in the lists of fixed joints.
//
// State machine players, which are another library, also read plans and call their kernels. The
// functions in this file are inline so that other libraries need only public symbols of this
// library.
#ifndef MD5_POSE_PLAN_H
#define MD5_POSE_PLAN_H

#include "md5/md5model.h"

#include <string.h>

// A range of slots. A slot is the position of a value in a frame: slot k is the value of the k-th
// joint in rotation_joints or translation_joints.
typedef struct md5_slots {
    uint32_t first;
    uint32_t count;
} md5_slots;

// The target joints of a clip's tracks.
typedef struct md5_targets {
    const uint32_t *rotations;    // [num_rotations] joint of the pose; MD5_NONE: drives nothing
    const uint32_t *translations; // [num_translations] joint of the pose, or MD5_NONE
    bool rotations_in_order;      // rotation slot k drives joint k
    bool translations_in_order;   // translation slot k drives joint k
    md5_slots rotation_slots;     // rotations to sample
    md5_slots translation_slots;  // translations to sample
} md5_targets;

// The tables of a binding. A track is the animation of one joint of the clip, and it drives a joint
// of the model. A fixed joint has a rotation or translation that is constant in the clip.
struct md5_pose_plan {
    const struct md5_pose_kernels *kernels; // the fastest kernels of the processor
    const uint32_t *order;                  // [model joints] by depth
    uint32_t num_roots;                     // joints without a parent; they are first in `order`
    // [anim joints] model joint that each animation joint drives, or MD5_NONE. The inverse of
    // `tracks` in the binding, after which it is stored.
    const uint32_t *driven;
    md5_targets targets;
    // Model joints whose rotation or translation the clip does not animate.
    uint32_t num_fixed_rotations;
    uint32_t num_fixed_translations;
    const uint32_t *fixed_rotations;
    const uint32_t *fixed_translations;

    // Not in the small form (md5/small): the tracks of a compressed clip that drive a joint of the
    // pose, in groups.
    const struct md5_packed_group *groups;
    uint32_t num_groups;
};

// A rebased joint: a model joint whose parent in the model is not the parent of its track in the
// clip. Its transform in the pose becomes
//
//   inverse(model joints below `above`, down to the parent)
//     * animation joints that the model lacks, from `extra` upwards * the joint's track
//
// This gives the joint the same transform relative to `above` as in the animation.
struct md5_rebase {
    uint32_t joint; // model joint
    uint32_t extra; // parent of the joint's track if the parent drives nothing; else MD5_NONE
    uint32_t above; // ancestor of `joint` in the model; MD5_NONE = model space
};

// Returns the transform of a model joint that applies where the clip does not animate it: the
// clip's constant, or the bind pose for a joint without a track.
static inline const md5_xform *md5_constant_xform(const md5_binding *binding, uint32_t joint)
{
    const uint32_t track = binding->tracks[joint];
    return track == MD5_NONE ? &binding->bind_local[joint] : &binding->anim->constant[track];
}

// Copies the constant transforms of the joints first .. first + count - 1.
static inline void md5_copy_constants(const md5_binding *binding, uint32_t first, uint32_t count,
                                      md5_xform *pose)
{
    if (binding->same_order && binding->num_extra == 0) {
        memcpy(pose + first, binding->anim->constant + first, count * sizeof *pose);
        return;
    }
    for (uint32_t joint = first; joint < first + count; joint++)
        pose[joint] = *md5_constant_xform(binding, joint);
}

// Returns the smallest range of slots that contains all slots of `slots` that drive a wanted joint.
// targets[] contains the joint of each slot. wanted[model joints] is true for wanted joints.
static inline md5_slots md5_narrow_slots(const uint32_t *targets, md5_slots slots,
                                         const bool *wanted)
{
    while (slots.count > 0) {
        const uint32_t last = targets[slots.first + slots.count - 1];
        if (last != MD5_NONE && wanted[last])
            break;
        slots.count--;
    }
    while (slots.count > 0) {
        const uint32_t first = targets[slots.first];
        if (first != MD5_NONE && wanted[first])
            break;
        slots.first++;
        slots.count--;
    }
    return slots;
}

// Returns the same targets with smaller ranges of slots, which contain all slots of the joints in
// wanted[model joints].
static inline md5_targets md5_narrow_targets(const md5_targets *targets, const bool *wanted)
{
    md5_targets narrowed = *targets;
    narrowed.rotation_slots = md5_narrow_slots(targets->rotations, targets->rotation_slots, wanted);
    narrowed.translation_slots =
        md5_narrow_slots(targets->translations, targets->translation_slots, wanted);
    return narrowed;
}

#endif
