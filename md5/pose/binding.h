// The parts of a binding: which joint drives which, and which transforms must be composed.
#ifndef MD5_POSE_BINDING_H
#define MD5_POSE_BINDING_H

#include "md5/core/names.h"

// A driven model joint whose track is not relative to its parent in the model. Its transform in the
// pose becomes
//
//   inverse(model joints below `above`, down to the parent)
//     * joints that only the animation has, from `extra` up * its own track
//
// so that it ends where the animation's hierarchy puts it, relative to `above`.
struct md5_rebase {
    uint32_t joint; // model joint
    int32_t extra;  // nearest ancestor of its track, if that drives nothing; -1 = none
    int32_t above;  // model joint, an ancestor of `joint`; -1 = model space
};

// Returns the model joint that each joint of the animation drives, or -1: [anim joints]. Stored
// after `tracks`, of which it is the inverse.
static inline const int32_t *md5_binding_targets(const md5_binding *binding)
{
    return binding->tracks + binding->skeleton->num_joints;
}

// Lists the joints to compose, parents first, in an array of the arena, and warns about each.
// Returns false and sets the context's error if memory runs out.
bool md5i_plan_rebases(md5_arena *arena, const md5_skeleton *model, const md5_skeleton *anim,
                       const int32_t *tracks, const int32_t *targets, md5_rebase **rebases,
                       uint32_t *num_rebases);

#endif
