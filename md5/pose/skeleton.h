// The order of joints, and the bind pose as local transforms, matrices and inverse matrices.
#ifndef MD5_POSE_SKELETON_H
#define MD5_POSE_SKELETON_H

#include "md5/core/arena.h"

// Returns true if skeleton->order is valid: it lists each joint once and after its parent, and each
// parent is a joint or MD5_NONE. visited[num_joints] is scratch memory, which must be zero.
bool md5i_is_ordered(const md5_skeleton *skeleton, uint8_t *visited);

// Converts the file's model-space transforms[num_joints] to bind_local (relative to the parent),
// bind (matrices) and inverse_bind (matrices), each [num_joints].
void md5i_build_bind_pose(const md5_skeleton *skeleton, const md5_xform *transforms,
                          md5_xform *bind_local, md5_mat34 *bind, md5_mat34 *inverse_bind);

// Computes inverse_bind[num_joints] from transforms relative to the parents. Returns false and sets
// the context's error if memory runs out.
bool md5i_invert_bind_pose(md5_arena *arena, const md5_skeleton *skeleton,
                           const md5_xform *bind_local, md5_mat34 *inverse_bind);

#endif
