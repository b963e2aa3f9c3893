// Reads the values of single frames, of clips with frames and of compressed clips.
#ifndef MD5_POSE_FRAMES_H
#define MD5_POSE_FRAMES_H

#include "md5/pose/packed.h"

// Returns the translation of anim->translation_joints[slot] at a frame, from a clip that stores
// frames or from a compressed clip.
static inline md5_vec3 md5_frame_translation(const md5_anim *anim, uint32_t frame, uint32_t slot)
{
    const md5_packed *const packed = anim->internal.packed;
    if (packed) {
        const md5_sample_position still = {.frame0 = frame, .frame1 = frame};
        const md5_quat value = md5i_packed_sample_joint(packed, anim->translation_joints[slot],
                                                        MD5_PACKED_TRANSLATION, &still);
        return (md5_vec3){value.x, value.y, value.z};
    }
    return anim->translations[(size_t)frame * anim->num_translations + slot];
}

// Returns the rotation of anim->rotation_joints[slot] at a frame, from a clip that stores frames or
// from a compressed clip. Always inlined: sampling along curves calls it seven times per joint and
// would take 1.6 times as long without inlining.
static MD5_ALWAYS_INLINE md5_quat md5_frame_rotation(const md5_anim *anim, uint32_t frame,
                                                     uint32_t slot)
{
    const md5_packed *const packed = anim->internal.packed;
    if (packed) {
        const md5_sample_position still = {.frame0 = frame, .frame1 = frame};
        return md5i_packed_sample_joint(packed, anim->rotation_joints[slot], MD5_PACKED_ROTATION,
                                        &still);
    }
    return anim->rotations[(size_t)frame * anim->num_rotations + slot];
}

#endif
