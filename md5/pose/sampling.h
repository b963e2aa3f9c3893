// Samples single tracks of a clip that stores frames. The kernels in plain C use these functions,
// and so do joints whose parents differ between the clip and the model.
#ifndef MD5_POSE_SAMPLING_H
#define MD5_POSE_SAMPLING_H

#include "md5/core/math.h"
#include "md5/core/slerp.h"

// Values of a sample position that are the same for all joints, so that they are computed once.
typedef struct md5_sampling {
    const md5_anim *anim;
    const md5_sample_position *sample;
    bool is_nlerp;
    md5_slerp_weights weights; // set unless is_nlerp
    md5_nlerp_weights nlerp;   // set if is_nlerp
} md5_sampling;

// Prepares the sampling of single tracks at a sample position: computes the weights of slerp or
// nlerp once for all tracks.
static inline md5_sampling md5_begin_sampling(const md5_anim *anim,
                                              const md5_sample_position *sample)
{
    md5_sampling sampling = {
        .anim = anim,
        .sample = sample,
        .is_nlerp = sample->interpolation == MD5_INTERPOLATE_NLERP,
    };
    if (sampling.is_nlerp)
        sampling.nlerp = md5_nlerp_weights_at(sample->fraction);
    else
        sampling.weights = md5i_slerp_weights_at(sample->fraction);
    return sampling;
}

// Samples the rotation of the joint anim->rotation_joints[slot].
static inline md5_quat md5_sample_rotation(const md5_sampling *sampling, uint32_t slot)
{
    const md5_anim *anim = sampling->anim;
    const size_t width = anim->num_rotations;
    const md5_quat from = anim->rotations[sampling->sample->frame0 * width + slot];
    const md5_quat to = anim->rotations[sampling->sample->frame1 * width + slot];
    return sampling->is_nlerp ? md5_nlerp_weighted(&sampling->nlerp, from, to)
                              : md5_slerp_weighted(&sampling->weights, from, to);
}

// Samples the translation of the joint anim->translation_joints[slot].
static inline md5_vec3 md5_sample_translation(const md5_sampling *sampling, uint32_t slot)
{
    const md5_sample_position *const sample = sampling->sample;
    const md5_anim *const anim = sampling->anim;
    const size_t width = anim->num_translations;
    return md5_vec3_lerp(anim->translations[sample->frame0 * width + slot],
                         anim->translations[sample->frame1 * width + slot], sample->fraction);
}

#endif
