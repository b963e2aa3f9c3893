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

#endif
