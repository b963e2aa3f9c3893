// The work for each joint, once for every instruction set. All give the bits of the scalar ones.
#ifndef MD5_POSE_KERNELS_H
#define MD5_POSE_KERNELS_H

#include "md5/core/cpu.h"
#include "md5/pose/plan.h"

typedef struct md5_pose_kernels {
    // Writes what the clip turns and moves into a pose that holds the rest.
    void (*sample)(const md5_anim *anim, const md5_moment *moment, const md5_targets *targets,
                   md5_transform *pose);

    // md5_local_to_model().
    void (*compose)(const md5_skeleton *skeleton, const md5_transform *pose, md5_mat34 *joints);

    // palette[count] = joints * inverse_bind.
    void (*multiply)(uint32_t count, const md5_mat34 *joints, const md5_mat34 *inverse_bind,
                     md5_mat34 *palette);

    // md5_local_to_palette().
    void (*finish)(const md5_model *model, const md5_transform *pose, md5_mat34 *joints,
                   md5_mat34 *palette);

    // md5_pose_palette() of a binding without rebases.
    void (*single)(const md5_binding *binding, const md5_moment *moment, md5_root root,
                   md5_transform *scratch, md5_mat34 *joints, md5_mat34 *palette);

    // md5_blend_poses(), md5_add_pose(), md5_make_additive() and md5_add_difference().
    void (*blend)(const md5_transform *from, const md5_transform *to, float weight,
                  const float *joint_weights, uint32_t count, md5_transform *pose);
    void (*add)(const md5_transform *pose, const md5_transform *difference, float weight,
                const float *joint_weights, uint32_t count, md5_transform *out);
    void (*subtract)(const md5_transform *source, const md5_transform *reference, uint32_t count,
                     md5_transform *difference);
    void (*add_difference)(const md5_transform *pose, const md5_transform *source,
                           const md5_transform *reference, float weight, const float *joint_weights,
                           uint32_t count, md5_transform *out);

    // `single` of `width` characters with the same binding, one in each lane. NULL where `width`
    // is 1. `scratch` holds `width` matrices for each joint of the model.
    void (*crowd)(const md5_pose_job *const *jobs, float *scratch);

    // `finish` of `width` characters of the same model, whose poses lie `step` transforms apart.
    // The rest as for `crowd`; of a job's binding only the model counts, and neither moment nor
    // root.
    void (*finish_crowd)(const md5_pose_job *const *jobs, const md5_transform *poses, size_t step,
                         float *scratch);
    uint32_t width;
} md5_pose_kernels;

extern const md5_pose_kernels md5_pose_kernels_scalar;
extern const md5_pose_kernels md5_pose_kernels_sse2;
extern const md5_pose_kernels md5_pose_kernels_avx2;
extern const md5_pose_kernels md5_pose_kernels_avx512;
extern const md5_pose_kernels md5_pose_kernels_neon;

// Those of `level`, which must be there (md5_cpu_has), and those of the widest.
const md5_pose_kernels *md5_pose_kernels_of(md5_cpu level);
const md5_pose_kernels *md5_pose_kernels_best(void);

// The public functions, with the kernels given.
void md5_sample_with(const md5_pose_kernels *kernels, const md5_binding *binding,
                     const md5_moment *moment, md5_root root, md5_transform *pose);
void md5_sample_anim_with(const md5_pose_kernels *kernels, const md5_anim *anim,
                          const md5_moment *moment, md5_root root, md5_transform *pose);
void md5_pose_palette_with(const md5_pose_kernels *kernels, const md5_binding *binding,
                           const md5_moment *moment, md5_root root, md5_transform *scratch,
                           md5_mat34 *joints, md5_mat34 *palette);
void md5_pose_batch_with(const md5_pose_kernels *kernels, const md5_pose_job *jobs, size_t count,
                         void *scratch);

#endif
