// The joints of two skeletons that have the same names.
#ifndef MD5_CORE_MATCH_H
#define MD5_CORE_MATCH_H

#include "md5/core/arena.h"

// Fills tracks[model joints] and targets[anim joints] with the joint of equal name, or -1. Returns
// false and sets the context's error if memory runs out.
bool md5i_match_joints(md5_arena *arena, const md5_skeleton *model, const md5_skeleton *anim,
                       int32_t *tracks, int32_t *targets);

#endif
