// The per-joint work for each instruction set, as a table of functions. Invariant: all sets give
// the same bits as the scalar one, so any of them may be selected at run time.
#ifndef MD5_POSE_KERNELS_H
#define MD5_POSE_KERNELS_H

#include "md5/pose/packed.h"
#include "md5/pose/plan.h"

typedef void md5_sample_kernel(const md5_anim *anim, const md5_sample_position *sample,
                               const md5_targets *targets, md5_xform *pose, md5_mat34 *locals);

// What md5_blend_poses(), the same by nlerp, md5_add_pose() of a difference, md5_subtract_pose()
// and md5_add_pose() with a reference do.
typedef enum md5_combining {
    MD5_BLEND,
    MD5_BLEND_NLERP,
    MD5_ADD,
    MD5_SUBTRACT,
    MD5_ADD_DIFFERENCE, // subtracts, then adds, in one call
} md5_combining;

typedef struct md5_combination {
    md5_combining kind;
    const md5_xform *a;
    const md5_xform *b;
    const md5_xform *reference; // of MD5_ADD_DIFFERENCE, else NULL
    md5_xform *out;             // may be one of the others
    const float *joint_weights; // or NULL
    float weight;
    uint32_t count; // joints
} md5_combination;

typedef void md5_combine_kernel(const md5_combination *poses);

typedef void md5_multiply_kernel(uint32_t count, const md5_mat34 *joints,
                                 const md5_mat34 *inverse_bind, md5_mat34 *palette);
typedef void md5_finish_kernel(const md5_skeleton *skeleton, const md5_mat34 *inverse_bind,
                               const md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette);

typedef struct md5_pose_kernels {
    // Writes the animated rotations and translations into a pose that holds the constant ones:
    // rotations by nlerp if sample->interpolation says so, else by slerp. If `locals` is not NULL,
    // all rotations must be in order, and their joints' local matrices are written instead.
    md5_sample_kernel *sample;

    // Of a compressed clip, by slerp.
    md5_packed_kernel *sample_packed;

    // palette[count] = joints * inverse_bind.
    md5_multiply_kernel *multiply;

    // md5_local_to_palette(); md5_local_to_model() if `palette` is NULL. If `pose` is NULL, the
    // joints are local matrices.
    md5_finish_kernel *finish;

    // md5_pose_palette() for `width` characters with the same binding, one in each lane, which has
    // no rebases, and whose sample positions all have the interpolation LINEAR, or all NLERP. NULL
    // if `width` is 1 or 0. `scratch` holds `width` matrices for each joint of the model.
    void (*crowd)(const md5_pose_job *const *jobs, float *scratch);

    // `finish` for `width` characters of the same skeleton, whose poses are `step` transforms
    // apart. Otherwise as `crowd`; uses only the skeleton of a job's binding, not its sample
    // position or root.
    void (*finish_crowd)(const md5_pose_job *const *jobs, const md5_xform *poses, size_t step,
                         float *scratch);
    uint32_t width;
} md5_pose_kernels;

// The kernels in plain C, of which tables are made.
md5_sample_kernel md5i_sample_scalar;
md5_multiply_kernel md5i_multiply_scalar;
md5_finish_kernel md5i_finish_scalar;

extern const md5_pose_kernels md5i_pose_kernels_scalar;
extern const md5_pose_kernels md5i_pose_kernels_sse2;
extern const md5_pose_kernels md5i_pose_kernels_avx2;
extern const md5_pose_kernels md5i_pose_kernels_avx512;
extern const md5_pose_kernels md5i_pose_kernels_neon;

// Not in the table: programs that do not blend are linked without it.
md5_combine_kernel md5i_combine_scalar, md5i_combine_sse2, md5i_combine_avx2, md5i_combine_avx512,
    md5i_combine_neon;

// MD5_BLEND and MD5_BLEND_NLERP in plain C: the same bits in a tenth of the code.
md5_combine_kernel md5i_blend_scalar;

// Return the kernels of `level`, which must be available (md5i_cpu_has).
const md5_pose_kernels *md5i_pose_kernels_of(md5_cpu level);
md5_combine_kernel *md5i_combine_of(md5_cpu level);

// The fastest kernels of this build, up to those of the set `widest`.
#if MD5_HAS_SIMD
#define MD5_POSE_KERNELS(widest) md5i_pose_kernels_of(md5i_cpu_best(MD5_CPU_##widest))
#define MD5_BLEND_KERNEL md5i_combine_of(md5i_cpu_best(MD5_CPU_AVX512))
#else
#define MD5_POSE_KERNELS(widest) (&md5i_pose_kernels_scalar)
#define MD5_BLEND_KERNEL md5i_blend_scalar
#endif

// With given kernels, for sample positions of md5_clamp_sample_position().
void md5i_sample_anim_with(const md5_pose_kernels *kernels, const md5_anim *anim,
                           const md5_sample_position *sample, md5_root root, md5_xform *pose);
void md5i_pose_batch_with(const md5_pose_kernels *kernels, const md5_pose_job *jobs, size_t count,
                          void *scratch);

#endif
