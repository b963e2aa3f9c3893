// Joint 0's translation, by which clips move a character.
#ifndef MD5_POSE_ROOT_H
#define MD5_POSE_ROOT_H

#include "md5/md5model.h"

// Returns joint 0's translation as stored, interpolated between the frames of `moment`.
md5_vec3 md5i_root_stored(const md5_anim *anim, const md5_moment *moment);

// Returns joint 0's translation in the mode `root`.
md5_vec3 md5i_root_translation(const md5_anim *anim, const md5_moment *moment, md5_root root);

#endif
