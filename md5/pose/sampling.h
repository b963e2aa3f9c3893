// Sampling of one joint: for the scalar kernels, and for joints that must be composed.
#ifndef MD5_POSE_SAMPLING_H
#define MD5_POSE_SAMPLING_H

#include "md5/core/math.h"
#include "md5/core/slerp.h"
#include "md5/pose/packed.h"

// The inputs that all joints of a sample share.
typedef struct md5_sampling {
    const md5_anim *anim;
    const md5_moment *moment;
    bool is_nlerp;
    md5_slerp_weights weights; // of the moment's fraction, or if is_nlerp
    md5_nlerp_weights nlerp;
} md5_sampling;

static inline md5_sampling md5_begin_sampling(const md5_anim *anim, const md5_moment *moment)
{
    md5_sampling sampling = {
        .anim = anim,
        .moment = moment,
        .is_nlerp = moment->interpolation == MD5_INTERPOLATE_NLERP,
    };
    if (sampling.is_nlerp)
        sampling.nlerp = md5_nlerp_weights_at(moment->fraction);
    else
        sampling.weights = md5i_slerp_weights_at(moment->fraction);
    return sampling;
}

// anim->translation_joints[slot] at a frame, also of a compressed clip.
static inline md5_vec3 md5_frame_translation(const md5_anim *anim, uint32_t frame, uint32_t slot)
{
#ifndef MD5_NO_COMPRESSED
    if (MD5_PACKED(anim)) {
        const md5_moment still = {.frame0 = frame, .frame1 = frame};
        const md5_quat value = md5i_packed_joint_at(
            MD5_PACKED(anim), anim->translation_joints[slot], MD5_PACKED_TRANSLATION, &still);
        return (md5_vec3){value.x, value.y, value.z};
    }
#endif
    return anim->translations[(size_t)frame * anim->num_translations + slot];
}

// The same of anim->rotation_joints[slot]. Inlined by force: called seven times a joint along
// curves, which takes 1.6 times as long otherwise.
static MD5_ALWAYS_INLINE md5_quat md5_frame_rotation(const md5_anim *anim, uint32_t frame,
                                                     uint32_t slot)
{
#ifndef MD5_NO_COMPRESSED
    if (MD5_PACKED(anim)) {
        const md5_moment still = {.frame0 = frame, .frame1 = frame};
        return md5i_packed_joint_at(MD5_PACKED(anim), anim->rotation_joints[slot],
                                    MD5_PACKED_ROTATION, &still);
    }
#endif
    return anim->rotations[(size_t)frame * anim->num_rotations + slot];
}

// Samples anim->rotation_joints[slot] or anim->translation_joints[slot].
static inline md5_quat md5_sample_rotation(const md5_sampling *sampling, uint32_t slot)
{
    const md5_anim *anim = sampling->anim;
    const size_t width = anim->num_rotations;
    const md5_quat from = anim->rotations[sampling->moment->frame0 * width + slot];
    const md5_quat to = anim->rotations[sampling->moment->frame1 * width + slot];
    return sampling->is_nlerp ? md5_nlerp_weighted(&sampling->nlerp, from, to)
                              : md5_slerp_weighted(&sampling->weights, from, to);
}

static inline md5_vec3 md5_sample_translation(const md5_sampling *sampling, uint32_t slot)
{
    const md5_moment *const moment = sampling->moment;
    return md5_vec3_lerp(md5_frame_translation(sampling->anim, moment->frame0, slot),
                         md5_frame_translation(sampling->anim, moment->frame1, slot),
                         moment->fraction);
}

#endif
