// Converts local matrices to palettes for several characters of the same model, one in each lane.
// Compiled once for each instruction set, by the file that includes it. Each step processes all
// joints before the next step begins, with matrices in the scratch memory.
#ifndef MD5_POSE_SIMD_HIERARCHY_WIDE_H
#define MD5_POSE_SIMD_HIERARCHY_WIDE_H

#include "md5/pose/binding.h"
#include "md5/pose/plan.h"
#include "md5/pose/simd/slerp_wide.h"

// The inputs that differ between lanes.
typedef struct crowd_lanes {
    const md5_pose_job *const *jobs;
    const float *rotations[2][MD5_WIDTH], *translations[2][MD5_WIDTH]; // of the two frames
    wide_slerp slerp;
    md5_wide fractions[4]; // as rows
    float *scratch;
} crowd_lanes;

// Returns a joint's matrix in the scratch memory: entry k of all lanes begins at k * MD5_WIDTH.
MD5_WIDE_INLINE float *matrix_of(const crowd_lanes *lanes, int64_t joint)
{
    return lanes->scratch + joint * 12 * MD5_WIDTH;
}

// Loads the left factor of a product, without its translation.
MD5_WIDE_INLINE void load_rotation(const float *matrix, md5_wide a[9])
{
    MD5_UNROLL
    for (int i = 0; i < 9; i++)
        a[i] = md5_wide_load(matrix + (i / 3 * 4 + i % 3) * MD5_WIDTH);
}

// Computes one column of a product from that column of the right factor: see md5_mat34_product().
MD5_WIDE_INLINE void multiply_column(const md5_wide a[9], const md5_wide b[3], md5_wide out[3])
{
    MD5_UNROLL
    for (int row = 0; row < 3; row++) {
        const md5_wide two =
            md5_wide_add(md5_wide_mul(a[3 * row], b[0]), md5_wide_mul(a[3 * row + 1], b[1]));
        out[row] = md5_wide_add(two, md5_wide_mul(a[3 * row + 2], b[2]));
    }
}

MD5_WIDE_INLINE void add_translation(const float *matrix, md5_wide column[3])
{
    MD5_UNROLL
    for (int row = 0; row < 3; row++)
        column[row] = md5_wide_add(column[row], md5_wide_load(matrix + (4 * row + 3) * MD5_WIDTH));
}

// Stores the matrices of a joint, one from each lane, to each character's own array.
MD5_WIDE_INLINE void store_matrices(float *const to[MD5_WIDTH], uint32_t joint, md5_wide m[3][4])
{
    MD5_UNROLL
    for (int row = 0; row < 3; row++) {
        float *rows[MD5_WIDTH];
        MD5_UNROLL
        for (int i = 0; i < MD5_WIDTH; i++)
            rows[i] = to[i] + 12 * (size_t)joint + 4 * row;
        md5_wide_transpose(m[row]);
        md5_wide_store_rows(rows, m[row]);
    }
}

// Converts a joint to model space, in place, and returns the matrix in `joint`.
MD5_WIDE_INLINE void compose_joint(const float *parent, float *own, md5_wide joint[12])
{
    md5_wide a[9];
    load_rotation(parent, a);
    MD5_UNROLL
    for (int k = 0; k < 4; k++) {
        float *const column_k = own + k * MD5_WIDTH;
        const md5_wide b[3] = {md5_wide_load(column_k), md5_wide_load(column_k + 4 * MD5_WIDTH),
                               md5_wide_load(column_k + 8 * MD5_WIDTH)};
        md5_wide column[3];
        multiply_column(a, b, column);
        if (k == 3)
            add_translation(parent, column);
        MD5_UNROLL
        for (int row = 0; row < 3; row++) {
            joint[4 * row + k] = column[row];
            md5_wide_store(column_k + 4 * row * MD5_WIDTH, column[row]);
        }
    }
}

MD5_WIDE_INLINE void crowd_joints(const crowd_lanes *lanes, const md5_binding *binding)
{
    const md5_pose_plan *const plan = binding->plan;
    for (uint32_t i = plan->num_roots; i < binding->skeleton->num_joints; i++) {
        float *const own = lanes->scratch + (size_t)plan->steps[i].own * MD5_WIDTH;
        md5_wide joint[12];
        compose_joint(lanes->scratch + (size_t)plan->steps[i].parent * MD5_WIDTH, own, joint);
    }
}

// `a` is the rotation part of a joint's matrix; its translation is in `own`.
MD5_WIDE_INLINE void store_palette(const md5_wide a[9], const float *own, const float *inverse_bind,
                                   float *const palettes[MD5_WIDTH], uint32_t joint)
{
    md5_wide m[3][4];
    MD5_UNROLL
    for (int k = 0; k < 4; k++) {
        const md5_wide b[3] = {md5_wide_all(inverse_bind[k]), md5_wide_all(inverse_bind[4 + k]),
                               md5_wide_all(inverse_bind[8 + k])};
        md5_wide column[3];
        multiply_column(a, b, column);
        if (k == 3)
            add_translation(own, column);
        MD5_UNROLL
        for (int row = 0; row < 3; row++)
            m[row][k] = column[row];
    }
    store_matrices(palettes, joint, m);
}

MD5_WIDE_INLINE void find_palettes(const crowd_lanes *lanes, float *palettes[MD5_WIDTH])
{
    for (int i = 0; i < MD5_WIDTH; i++)
        palettes[i] = lanes->jobs[i]->palette->m;
}

MD5_WIDE_INLINE void crowd_palettes(const crowd_lanes *lanes, const md5_binding *binding)
{
    float *palettes[MD5_WIDTH];
    find_palettes(lanes, palettes);
    for (uint32_t joint = 0; joint < binding->skeleton->num_joints; joint++) {
        const float *const own = matrix_of(lanes, joint);
        md5_wide a[9];
        load_rotation(own, a);
        store_palette(a, own, binding->inverse_bind[joint].m, palettes, joint);
    }
}

// Whether joints can be computed in the order of memory.
static inline bool has_parents_first(const md5_skeleton *skeleton)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (skeleton->joints[i].parent >= (int32_t)i)
            return false;
    }
    return true;
}

// Whether any job wants joints.
static inline bool any_joints_wanted(const crowd_lanes *lanes)
{
    bool any = false;
    for (int i = 0; i < MD5_WIDTH; i++)
        any = any || lanes->jobs[i]->joints;
    return any;
}

// Stores joints for the jobs that want them. Those of the others go to their palettes, which are
// overwritten later.
MD5_WIDE_INLINE void crowd_results(const crowd_lanes *lanes, const md5_binding *binding)
{
    float *joints[MD5_WIDTH];
    for (int i = 0; i < MD5_WIDTH; i++) {
        const md5_pose_job *const job = lanes->jobs[i];
        joints[i] = job->joints ? job->joints->m : job->palette->m;
    }
    for (uint32_t joint = 0; joint < binding->skeleton->num_joints; joint++) {
        const float *const own = matrix_of(lanes, joint);
        md5_wide m[3][4];
        MD5_UNROLL
        for (int k = 0; k < 12; k++)
            m[k / 4][k % 4] = md5_wide_load(own + k * MD5_WIDTH);
        store_matrices(joints, joint, m);
    }
}

#endif
