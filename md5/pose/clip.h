// Converts the numbers of an animation file to a clip that is ready to sample.
#ifndef MD5_POSE_CLIP_H
#define MD5_POSE_CLIP_H

#include "md5/md5model.h"

enum { MD5_MOVES_ROTATION = 1, MD5_MOVES_TRANSLATION = 2 };

// All frames of a file: fields of md5_anim_file. Tracks may share numbers; each is within
// num_components.
typedef struct md5_clip_source {
    uint32_t num_joints, num_frames, num_components;
    const md5_track *tracks;     // [num_joints]
    const md5_xform *base_frame; // [num_joints]
    const float *numbers;        // [num_frames][num_components]
} md5_clip_source;

// Returns a base frame's transform with its rotation completed: files hold only its x y z.
md5_xform md5i_clip_base(const md5_xform *stored);

// Finds which joints change over the frames, by value: writes moves[num_joints] (MD5_MOVES_*) and
// the numbers of rotating and translating joints. changes[num_components] is scratch memory. Time
// is linear in the joints and the size of `numbers`, not in joints * frames, even if tracks share
// numbers.
void md5i_clip_plan(const md5_clip_source *source, uint8_t *changes, uint8_t *moves,
                    uint32_t *num_rotations, uint32_t *num_translations);

// The arrays of a clip. md5i_clip_plan() computes their sizes.
typedef struct md5_clip_arrays {
    md5_xform *constant;          // [num_joints]
    uint32_t *rotation_joints;    // [num_rotations]
    uint32_t *translation_joints; // [num_translations]
    md5_quat *rotations;          // [num_frames][num_rotations]
    md5_vec3 *translations;       // [num_frames][num_translations]
} md5_clip_arrays;
void md5i_clip_build(const md5_clip_source *source, const uint8_t *moves,
                     const md5_clip_arrays *arrays);

#endif
