// The per-joint work for each instruction set, as a table of functions (md5_pose_kernels).
// Invariant: the kernels of all instruction sets compute the same bits as the kernels in plain C,
// so any of them can be selected at run time.
#ifndef MD5_POSE_KERNELS_H
#define MD5_POSE_KERNELS_H

#include "md5/pose/packed.h"
#include "md5/pose/plan.h"

typedef void md5_sample_kernel(const md5_anim *anim, const md5_sample_position *sample,
                               const md5_targets *targets, md5_xform *pose);

// The method by which two poses are combined.
typedef enum md5_combine_kind {
    MD5_BLEND,          // md5_blend_poses()
    MD5_BLEND_NLERP,    // the same with nlerp: md5_blend_batch()
    MD5_ADD,            // md5_add_pose() with a difference of poses
    MD5_SUBTRACT,       // md5_subtract_pose()
    MD5_ADD_DIFFERENCE, // md5_add_pose() with a reference: subtracts, then adds, in one call
} md5_combine_kind;

// Two poses that a kernel combines to a third. Without joint weights, each joint is combined by
// `weight`, otherwise by the product of both weights.
typedef struct md5_combine_job {
    md5_combine_kind kind;
    const md5_xform *a;
    const md5_xform *b;
    const md5_xform *reference; // for MD5_ADD_DIFFERENCE, else NULL
    md5_xform *out;             // can be the same array as an input
    const float *joint_weights; // [count] or NULL
    float weight;
    uint32_t count; // number of joints
} md5_combine_job;

typedef void md5_combine_kernel(const md5_combine_job *poses);

// palette[count] = joints * inverse_bind.
typedef void md5_multiply_kernel(uint32_t count, const md5_mat34 *joints,
                                 const md5_mat34 *inverse_bind, md5_mat34 *palette);
// Computes the joints in model space from a pose, and the palette unless it is NULL.
typedef void md5_finish_kernel(const md5_skeleton *skeleton, const md5_mat34 *inverse_bind,
                               const md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette);

// The kernels of one instruction set. A kernel is a function that does the work for all joints of a
// pose, or for several poses, with the vectors of that instruction set.
typedef struct md5_pose_kernels {
    // Writes the animated rotations and translations into a pose that already contains the constant
    // values. Interpolates rotations by nlerp for MD5_INTERPOLATE_NLERP, else by slerp.
    md5_sample_kernel *sample;

    // Not in the small form: samples a compressed clip by slerp.
    md5_packed_kernel *sample_packed;

    // palette[count] = joints * inverse_bind.
    md5_multiply_kernel *multiply;

    // Computes md5_local_to_palette(), or md5_local_to_model() if `palette` is NULL.
    md5_finish_kernel *finish;

    // Not in the small form: computes md5_pose_palette() for `width` characters with the same
    // binding, one in each lane. The binding has no rebases. The interpolation of all sample
    // positions is LINEAR, or that of all is NLERP. NULL if `width` is 1 or 0. `scratch` has space
    // for `width` matrices for each joint of the model.
    void (*crowd)(const md5_pose_job *const *jobs, float *scratch);

    // Not in the small form: computes `finish` for `width` characters of the same skeleton, whose
    // poses are `step` transforms apart. Otherwise like `crowd`, but uses only the skeleton of a
    // job's binding, not its sample position or root.
    void (*finish_crowd)(const md5_pose_job *const *jobs, const md5_xform *poses, size_t step,
                         float *scratch);

    uint32_t width; // number of lanes
} md5_pose_kernels;

// The kernels in plain C.
md5_sample_kernel md5i_sample_scalar;
md5_multiply_kernel md5i_multiply_scalar;
md5_finish_kernel md5i_finish_scalar;

extern const md5_pose_kernels md5i_pose_kernels_scalar;
extern const md5_pose_kernels md5i_pose_kernels_sse2;
extern const md5_pose_kernels md5i_pose_kernels_avx2;
extern const md5_pose_kernels md5i_pose_kernels_avx512;
extern const md5_pose_kernels md5i_pose_kernels_neon;

// Combine two poses. Not in the table, so that programs that do not blend are linked without them.
md5_combine_kernel md5i_combine_scalar;
md5_combine_kernel md5i_combine_sse2;
md5_combine_kernel md5i_combine_avx2;
md5_combine_kernel md5i_combine_avx512;
md5_combine_kernel md5i_combine_neon;

// Computes MD5_BLEND and MD5_BLEND_NLERP in plain C: the same bits with a tenth of the code.
md5_combine_kernel md5i_blend_scalar;

// The kernels of each instruction set. The processor must support the set: see md5i_cpu_has(). The
// combine kernels are in a table, so that blending a few joints takes one call less.
const md5_pose_kernels *md5i_get_pose_kernels(md5_cpu level);
extern md5_combine_kernel *const md5i_combine_kernels[MD5_CPU_COUNT];

// The fastest kernels of this build and processor, up to the instruction set `widest`.
#if MD5_HAS_SIMD
#define MD5_POSE_KERNELS(widest) md5i_get_pose_kernels(md5i_cpu_best(MD5_CPU_##widest))
#define MD5_BLEND_KERNEL md5i_combine_kernels[md5i_cpu_best(MD5_CPU_AVX512)]
#else
#define MD5_POSE_KERNELS(widest) (&md5i_pose_kernels_scalar)
#define MD5_BLEND_KERNEL md5i_blend_scalar
#endif

// Sample a clip without a binding, and pose a batch, with given kernels. The sample positions must
// be valid: see md5_clamp_sample_position().
void md5i_sample_anim_with(const md5_pose_kernels *kernels, const md5_anim *anim,
                           const md5_sample_position *sample, md5_root root, md5_xform *pose);
void md5i_pose_batch_with(const md5_pose_kernels *kernels, const md5_pose_job *jobs, size_t count,
                          void *scratch);

#endif
