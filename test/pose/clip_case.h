// Decodes clips and bind poses from tables in C, also from numbers that no file contains, for tests
// that include public headers only.
#ifndef TEST_POSE_CLIP_CASE_H
#define TEST_POSE_CLIP_CASE_H

#include "md5/md5model.h"

// The tables of an .md5anim file.
typedef struct clip_source {
    uint32_t num_joints;
    uint32_t num_frames;
    uint32_t num_components;
    const md5_track *tracks;     // [num_joints]
    const md5_xform *base_frame; // [num_joints]
    const float *numbers;        // [num_frames][num_components]
} clip_source;

// The arrays of a clip, with space for all joints in all frames.
typedef struct clip_arrays {
    md5_xform *base_frame;
    md5_xform *constant;
    uint32_t *rotation_joints;
    uint32_t *translation_joints;
    md5_quat *rotations;
    md5_vec3 *translations;
} clip_arrays;

// Fills the arrays, and sets the numbers of joints that rotate and that move. Implemented in
// test/read/test_anim_clip.c.
void decode_clip(const clip_source *source, const clip_arrays *arrays, uint32_t *num_rotations,
                 uint32_t *num_translations);

// Computes the bind pose of a skeleton from the transforms of its joints in model space.
// Implemented in test_batch.c.
void compute_bind_pose(const md5_skeleton *skeleton, const md5_xform *transforms, md5_xform *local,
                       md5_mat34 *bind, md5_mat34 *inverse);

#endif
