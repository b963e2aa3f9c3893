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
    bool is_nlerp;             // rotations by normalized linear interpolation
    md5_nlerp_weights nlerp;   // likewise
} md5_sampling;

static inline md5_sampling md5_begin_sampling(const md5_anim *anim, const md5_moment *moment,
                                              md5_root root)
{
    return (md5_sampling){.anim = anim,
                          .moment = moment,
                          .root = root,
                          .weights = md5_slerp_weights_at(moment->fraction),
                          .cubic = NULL,
                          .is_nlerp = false};
}

static inline md5_sampling md5_begin_nlerp(const md5_anim *anim, const md5_moment *moment,
                                           md5_root root)
{
    return (md5_sampling){.anim = anim,
                          .moment = moment,
                          .root = root,
                          .cubic = NULL,
                          .is_nlerp = true,
                          .nlerp = md5_nlerp_weights_at(moment->fraction)};
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
