// Joint 0's translation, by which clips move a character.
#ifndef MD5_POSE_ROOT_H
#define MD5_POSE_ROOT_H

#include "md5/md5model.h"

// Joint 0's translation as stored, between the frames of `moment`.
md5_vec3 md5_root_stored(const md5_anim *anim, const md5_moment *moment);

// The same after what `root` does to it.
md5_vec3 md5_root_translation(const md5_anim *anim, const md5_moment *moment, md5_root root);

#endif
