// The bind pose, in the three forms that are used.
#ifndef MD5_POSE_BIND_POSE_H
#define MD5_POSE_BIND_POSE_H

#include "md5/md5model.h"

// From model-space transforms transforms[num_joints], as the file has them: writes bind_local
// (relative to the parent), bind and inverse_bind (matrices), each [num_joints].
void md5_build_bind_pose(const md5_skeleton *skeleton, const md5_transform *transforms,
                         md5_transform *bind_local, md5_mat34 *bind, md5_mat34 *inverse_bind);

#endif
