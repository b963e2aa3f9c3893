// Sampling of one joint: for the scalar kernels, and for joints that must be composed.
#ifndef MD5_POSE_SAMPLING_H
#define MD5_POSE_SAMPLING_H

#include "md5/core/math.h"
#include "md5/pose/cubic.h"
#include "md5/pose/slerp.h"

// The inputs that all joints of a sample share.
typedef struct md5_sampling {
    const md5_anim *anim;
    const md5_moment *moment;
    md5_root root;
    md5_slerp_weights weights; // of the moment's fraction
    const md5_cubic *cubic;    // NULL: slerp and lerp between the frames
} md5_sampling;

static inline md5_sampling md5_begin_sampling(const md5_anim *anim, const md5_moment *moment,
                                              md5_root root)
{
    return (md5_sampling){anim, moment, root, md5_slerp_weights_at(moment->fraction), NULL};
}

// Samples anim->rotation_joints[slot] or anim->translation_joints[slot].
static inline md5_quat md5_sample_rotation(const md5_sampling *sampling, uint32_t slot)
{
    const md5_anim *anim = sampling->anim;
    const size_t width = anim->num_rotations;
    return md5_slerp_weighted(&sampling->weights,
                              anim->rotations[sampling->moment->frame0 * width + slot],
                              anim->rotations[sampling->moment->frame1 * width + slot]);
}

static inline md5_vec3 md5_sample_translation(const md5_sampling *sampling, uint32_t slot)
{
    const md5_anim *anim = sampling->anim;
    const size_t width = anim->num_translations;
    return md5_vec3_lerp(anim->translations[sampling->moment->frame0 * width + slot],
                         anim->translations[sampling->moment->frame1 * width + slot],
                         sampling->moment->fraction);
}

// Applies the binding's rebases to a pose that holds each joint's own track. Time is linear in the
// number of joints.
void md5_apply_rebases(const md5_binding *binding, const md5_sampling *sampling,
                       md5_transform *pose);

#endif
