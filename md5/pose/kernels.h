// The per-joint work for each instruction set, as a table of functions. Invariant: all sets give
// the same bits as the scalar one, so any of them may be selected at run time.
#ifndef MD5_POSE_KERNELS_H
#define MD5_POSE_KERNELS_H

#include "md5/pose/packed.h"
#include "md5/pose/plan.h"

typedef void md5_sample_kernel(const md5_anim *anim, const md5_moment *moment,
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
    const md5_xform *a, *b;
    const md5_xform *reference; // of MD5_ADD_DIFFERENCE, else NULL
    md5_xform *out;             // may be one of the others
    const float *joint_weights; // or NULL
    float weight;
    uint32_t count; // joints
} md5_combination;

typedef void md5_combine_kernel(const md5_combination *poses);

typedef struct md5_pose_kernels {
    // Writes the animated rotations and translations into a pose that holds the constant ones:
    // rotations by nlerp if moment->interpolation says so, else by slerp. If `locals` is not NULL,
    // all rotations must be in order, and their joints' local matrices are written instead.
    md5_sample_kernel *sample;

#ifndef MD5_NO_COMPRESSED
    // Of a compressed clip, by slerp.
    md5_packed_kernel *sample_packed;
#endif

    // palette[count] = joints * inverse_bind.
    void (*multiply)(uint32_t count, const md5_mat34 *joints, const md5_mat34 *inverse_bind,
                     md5_mat34 *palette);

    // md5_local_to_palette(); md5_local_to_model() if `palette` is NULL. If `pose` is NULL, the
    // joints are local matrices.
    void (*finish)(const md5_skeleton *skeleton, const md5_mat34 *inverse_bind,
                   const md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette);

    // md5_pose_palette() for `width` characters with the same binding, one in each lane, which has
    // no rebases, and whose moments all have the interpolation LINEAR, or all NLERP. NULL if
    // `width` is 1 or 0. `scratch` holds `width` matrices for each joint of the model.
    void (*crowd)(const md5_pose_job *const *jobs, float *scratch);

    // `finish` for `width` characters of the same skeleton, whose poses are `step` transforms
    // apart. Otherwise as `crowd`; uses only the skeleton of a job's binding, not its moment or
    // root.
    void (*finish_crowd)(const md5_pose_job *const *jobs, const md5_xform *poses, size_t step,
                         float *scratch);
    uint32_t width;
} md5_pose_kernels;

extern const md5_pose_kernels md5i_pose_kernels_scalar;
extern const md5_pose_kernels md5i_pose_kernels_sse2;
extern const md5_pose_kernels md5i_pose_kernels_avx2;
extern const md5_pose_kernels md5i_pose_kernels_avx512;
extern const md5_pose_kernels md5i_pose_kernels_neon;

// Not in the table: programs that do not blend are linked without it.
md5_combine_kernel md5i_combine_scalar, md5i_combine_sse2, md5i_combine_avx2, md5i_combine_avx512,
    md5i_combine_neon;
md5_combine_kernel *md5i_combine_of(md5_cpu level);

// Returns the kernels of `level`, which must be available (md5i_cpu_has), or the fastest ones up to
// those of the set `widest`.
#ifdef MD5_NO_SIMD
#define md5i_pose_kernels_of(level) ((void)(level), &md5i_pose_kernels_scalar)
#define MD5_POSE_KERNELS(widest) (&md5i_pose_kernels_scalar)
#else
const md5_pose_kernels *md5i_pose_kernels_of(md5_cpu level);
#define MD5_POSE_KERNELS(widest) md5i_pose_kernels_of(md5i_cpu_best(MD5_CPU_##widest))
#endif

// With given kernels, and of moments of md5_clamp_moment().
void md5i_sample_anim_with(const md5_pose_kernels *kernels, const md5_anim *anim,
                           const md5_moment *moment, md5_root root, md5_xform *pose);
void md5i_pose_batch_with(const md5_pose_kernels *kernels, const md5_pose_job *jobs, size_t count,
                          void *scratch);

#endif
