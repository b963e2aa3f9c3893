// Converts poses to palettes for several characters of the same model, one in each lane: see
// kernels.h.
#ifndef MD5_POSE_SIMD_FINISH_WIDE_H
#define MD5_POSE_SIMD_FINISH_WIDE_H

#include "md5/pose/simd/hierarchy_wide.h"
#include "md5/pose/kernels.h"

// Loads the local matrices of a joint from poses that are `floats` floats apart.
MD5_WIDE_INLINE void load_local(const md5_xform *joint, size_t floats, md5_wide m[12])
{
    enum { TRANSLATION = sizeof(md5_quat) / sizeof(float) }; // its offset
    const float *const numbers = (const float *)joint;
    md5_wide rotation[4], translation[4];
    md5_wide_load_run(numbers, floats, rotation);
    md5_wide_load_run(numbers + TRANSLATION, floats, translation);
    md5_wide_transpose(rotation);
    md5_wide_transpose(translation);
    matrix_wide(rotation, m);
    MD5_UNROLL
    for (int row = 0; row < 3; row++)
        m[4 * row + 3] = translation[row];
}

MD5_WIDE_INLINE void store_matrix(float *matrix, const md5_wide m[12])
{
    MD5_UNROLL
    for (int k = 0; k < 12; k++)
        md5_wide_store(matrix + k * MD5_WIDTH, m[k]);
}

// Local to model space, in registers.
MD5_WIDE_INLINE void compose_in_registers(const float *parent, md5_wide joint[12])
{
    md5_wide a[9];
    load_rotation(parent, a);
    MD5_UNROLL
    for (int k = 0; k < 4; k++) {
        const md5_wide b[3] = {joint[k], joint[4 + k], joint[8 + k]};
        md5_wide column[3];
        multiply_column(a, b, column);
        if (k == 3)
            add_translation(parent, column);
        MD5_UNROLL
        for (int row = 0; row < 3; row++)
            joint[4 * row + k] = column[row];
    }
}

// Joint by joint, in the order of memory, for sets with enough registers to keep a joint's matrix
// until its palette entry is written. Without a slerp the chain of each joint is short enough for
// that. Not inlined, so that there are registers for most of the addresses: inlined it takes a
// fifth longer.
MD5_WIDE_CODE MD5_NO_INLINE static void finish_in_registers(const md5_pose_job *const *jobs,
                                                            const md5_xform *first, size_t floats,
                                                            float *scratch)
{
    const md5_binding *const binding = jobs[0]->binding;
    const md5_joint *const joints = binding->skeleton->joints;
    float *palettes[MD5_WIDTH];
    for (int i = 0; i < MD5_WIDTH; i++)
        palettes[i] = jobs[i]->palette->m;
    for (uint32_t joint = 0; joint < binding->skeleton->num_joints; joint++) {
        const int32_t parent = joints[joint].parent;
        float *const own = scratch + (size_t)joint * 12 * MD5_WIDTH;
        md5_wide m[12], a[9];
        load_local(&first[joint], floats, m);
        if (parent >= 0)
            compose_in_registers(scratch + (size_t)parent * 12 * MD5_WIDTH, m);
        store_matrix(own, m);
        MD5_UNROLL
        for (int k = 0; k < 9; k++)
            a[k] = m[k / 3 * 4 + k % 3];
        store_palette(a, own, binding->inverse_bind[joint].m, palettes, joint);
    }
}

MD5_WIDE_CODE static void finish_crowd(const md5_pose_job *const *jobs, const md5_xform *first,
                                       size_t step, float *scratch)
{
    const md5_binding *const binding = jobs[0]->binding;
    const crowd_lanes lanes = {.jobs = jobs, .scratch = scratch};
    const size_t floats = step * (sizeof *first / sizeof(float));
    const bool wanted = any_joints_wanted(&lanes);
    if (MANY_REGISTERS && !wanted && has_parents_first(binding->skeleton)) {
        finish_in_registers(jobs, first, floats, scratch);
        return;
    }
    for (uint32_t joint = 0; joint < binding->skeleton->num_joints; joint++) {
        md5_wide m[12];
        load_local(&first[joint], floats, m);
        store_matrix(matrix_of(&lanes, joint), m);
    }
    crowd_joints(&lanes, binding);
    if (wanted)
        crowd_results(&lanes, binding);
    crowd_palettes(&lanes, binding);
}

#endif
