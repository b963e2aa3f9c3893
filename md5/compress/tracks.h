// Compressing, step by step: tracks are taken from the animation, once; then each attempt chooses
// steps for a budget, writes groups and is measured.
#ifndef MD5_COMPRESS_TRACKS_H
#define MD5_COMPRESS_TRACKS_H

#include "md5/pose/packed.h"

// A rotation or translation of one joint: its frames in stored order.
typedef struct md5_packed_track {
    uint32_t joint;
    uint8_t kind, form;
    bool is_constant;
    float weakest;   // the smallest absolute value of the component that is not stored
    float largest;   // absolute value of a component
    float ranges[4]; // of components, over all frames
    // The largest difference from the animation if only each md5i_packed_steps[k]-th frame is a
    // key: half a radian, or units.
    float deviations[MD5_PACKED_STEPS];
    const md5_packed_value *values; // [num_frames], or one if it is constant
    md5_packed_value middle;        // of all frames, and the largest difference from it
    float middle_deviation;

    // Chosen in each attempt.
    uint8_t step; // 0: constant, or near enough to it: `middle` is the only key
    uint8_t bits[4], offset_bits;
    uint32_t scale;
    int32_t offsets[4];
} md5_packed_track;

// Two tracks for each joint: rotation 2 j, translation 2 j + 1.
md5_packed_track *md5i_take_tracks(md5_arena *arena, const md5_anim *anim);

// Distances and budgets of joints, [anim joints] each.
typedef struct md5_skin_reach {
    float *own;     // from a joint to the farthest point of the skin that it moves
    float *reach;   // to the farthest point that it or a joint below it moves, along the bones
    float *budgets; // units by which a joint may displace the skin: 1 is shared along each path
} md5_skin_reach;
bool md5i_find_reach(md5_arena *arena, const md5_anim *anim, const md5_compress_opts *compress,
                     md5_skin_reach *reach);

// Chooses the steps of all tracks, for displacements of budgets[joint] units, and writes them.
// Memory comes from the arena.
bool md5i_pack_tracks(md5_arena *arena, const md5_anim *anim, md5_packed_track *tracks,
                      const float *reach, const float *budgets, md5_packed *packed);

// Measures the largest displacement of a point of the skin, in units, as md5_anim.max_error says.
typedef struct md5_measuring {
    md5_xform *pose;
    struct md5_placed *of_anim, *of_packed;
    double *errors; // [joints], written: of each
} md5_measuring;
bool md5i_begin_measuring(md5_arena *arena, uint32_t num_joints, md5_measuring *scratch);
double md5i_measure_packed(const md5_anim *anim, const md5_packed *packed, const float *own,
                           const md5_measuring *scratch);

#endif
