// Sampling along smooth curves through the frames: what md5_sample_cubic() computes for one joint.
#ifndef MD5_POSE_CUBIC_H
#define MD5_POSE_CUBIC_H

#include "md5/md5model.h"

// A stretch of a clip: from one frame to the next. The same frame twice: it stands still.
typedef struct md5_stretch {
    uint32_t from, to;
} md5_stretch;

// The one that a moment lies in, with those before and after it.
typedef struct md5_cubic {
    const md5_anim *anim;
    const md5_moment *moment;
    md5_stretch before, now, after;
} md5_cubic;

md5_cubic md5_cubic_at(const md5_anim *anim, const md5_moment *moment, md5_wrap wrap);

// Of anim->rotation_joints[slot], and of anim->translation_joints[slot].
md5_quat md5_cubic_rotation(const md5_cubic *cubic, uint32_t slot);
md5_vec3 md5_cubic_translation(const md5_cubic *cubic, uint32_t slot);

// Joint 0's translation after what `root` does to it.
md5_vec3 md5_cubic_root(const md5_cubic *cubic, md5_root root);

#endif
