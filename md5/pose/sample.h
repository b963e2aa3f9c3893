// A moment of a clip, joint by joint.
#ifndef MD5_POSE_SAMPLE_H
#define MD5_POSE_SAMPLE_H

#include "md5/pose/slerp.h"

// What all joints of one sampling share.
typedef struct md5_sampling {
    const md5_anim *anim;
    const md5_moment *moment;
    md5_root root;
    md5_slerp_weights weights; // of the moment's fraction
} md5_sampling;

// One animation joint's transform relative to its parent: what sampling the whole clip writes.
md5_transform md5_sample_joint(const md5_sampling *sampling, uint32_t joint);

#endif
