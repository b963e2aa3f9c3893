// Calls public functions with the kernels of a test instead of the kernels in the binding's plan.
#ifndef TEST_POSE_WITH_KERNELS_H
#define TEST_POSE_WITH_KERNELS_H

#include "md5/pose/kernels.h"

typedef struct kernels_binding {
    md5_binding binding;
    md5_pose_plan plan;
} kernels_binding;

static inline const md5_binding *bind_kernels(kernels_binding *to, const md5_binding *binding,
                                              const md5_pose_kernels *kernels)
{
    to->plan = *binding->internal.plan;
    to->plan.kernels = kernels;
    to->binding = *binding;
    to->binding.internal.plan = &to->plan;
    return &to->binding;
}

static inline void sample_with(const md5_pose_kernels *kernels, const md5_binding *binding,
                               const md5_sample_position *sample, md5_root root, md5_xform *pose)
{
    kernels_binding with;
    md5_sample(bind_kernels(&with, binding, kernels), *sample, root, pose);
}

static inline void pose_palette_with(const md5_pose_kernels *kernels, const md5_binding *binding,
                                     const md5_sample_position *sample, md5_root root,
                                     md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    kernels_binding with;
    md5_pose_palette(bind_kernels(&with, binding, kernels), *sample, root, pose, joints, palette);
}

#endif
