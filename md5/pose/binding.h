// The parts of a binding: which joint drives which, and what has to be composed.
#ifndef MD5_POSE_BINDING_H
#define MD5_POSE_BINDING_H

#include "md5/core/arena.h"

// A driven model joint whose track is relative to something else than its parent in the model.
// Its transform in the pose becomes
//
//   inverse(model joints below `above`, down to the parent) * animation joints only the animation
//   has, from `extra` up * its own track
//
// so that it ends where the animation's hierarchy puts it, below `above`.
struct md5_rebase {
    uint32_t joint; // model joint
    int32_t extra;  // animation joint: the first of the undriving ones above its track, -1 = none
    int32_t above;  // model joint, an ancestor of `joint`; -1 = above the root
};

// Which joint of the model each joint of the animation drives, or -1. [anim joints], stored
// behind `tracks`, whose inverse it is.
static inline const int32_t *md5_binding_targets(const md5_binding *binding)
{
    return binding->tracks + binding->model->skeleton.num_joints;
}

// Matches by name: fills tracks[model joints] and targets[anim joints].
bool md5_match_joints(md5_arena *arena, const md5_skeleton *model, const md5_skeleton *anim,
                      int32_t *tracks, int32_t *targets);

// Lists what has to be composed, parents first, into an array of the arena, and tells it.
bool md5_plan_rebases(md5_arena *arena, const md5_skeleton *model, const md5_skeleton *anim,
                      const int32_t *tracks, const int32_t *targets, md5_rebase **rebases,
                      uint32_t *num_rebases);

#endif
