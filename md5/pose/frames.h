// Reads single values of a frame. The clip may store frames or compressed keys.
#ifndef MD5_POSE_FRAMES_H
#define MD5_POSE_FRAMES_H

#include "md5/pose/packed.h"

// Returns the translation of the joint anim->translation_joints[slot] at a frame. A compressed clip
// is decoded on each call.
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

// Returns the rotation of the joint anim->rotation_joints[slot] at a frame. A compressed clip is
// decoded on each call. The function is always inlined, because sampling along curves calls it
// seven times for each joint. Without inlining, that takes 1.6 times as long.
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
