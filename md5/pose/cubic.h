// Sampling along smooth curves through the frames: MD5_INTERPOLATE_CUBIC for one joint.
#ifndef MD5_POSE_CUBIC_H
#define MD5_POSE_CUBIC_H

#include "md5/md5model.h"

// An interval between two frames. If both are the same frame, nothing moves.
typedef struct md5_frame_pair {
    uint32_t from, to;
} md5_frame_pair;

// The interval of a moment, and its neighbours.
typedef struct md5_cubic {
    const md5_anim *anim;
    const md5_moment *moment;
    md5_root root;
    md5_frame_pair before, now, after;
} md5_cubic;

md5_cubic md5i_cubic_at(const md5_anim *anim, const md5_moment *moment, md5_root root);

// Samples anim->rotation_joints[slot] or anim->translation_joints[slot].
md5_quat md5i_cubic_rotation(const md5_cubic *cubic, uint32_t slot);
md5_vec3 md5i_cubic_translation(const md5_cubic *cubic, uint32_t slot);

// Samples joint 0's translation in the mode `root`.
md5_vec3 md5i_cubic_root(const md5_cubic *cubic);

// Samples one animation joint relative to its parent: the md5_sample_joint_fn of an md5_cubic.
md5_xform md5i_cubic_joint(const void *cubic, uint32_t joint);

#endif
