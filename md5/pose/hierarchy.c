// Local transforms to model space, model space to palette.
#include "md5/pose/kernels.h"

// All three steps, one after the other.
static void pose_in_steps(const md5_pose_kernels *kernels, const md5_binding *binding,
                          const md5_moment *moment, md5_root root, md5_transform *scratch,
                          md5_mat34 *joints, md5_mat34 *palette)
{
    const md5_model *model = binding->model;
    md5_sample_with(kernels, binding, moment, root, scratch);
    kernels->finish(model, scratch, joints, palette);
}

void md5_pose_palette_with(const md5_pose_kernels *kernels, const md5_binding *binding,
                           const md5_moment *moment, md5_root root, md5_transform *scratch,
                           md5_mat34 *joints, md5_mat34 *palette)
{
    if (binding->num_rebases > 0)
        pose_in_steps(kernels, binding, moment, root, scratch, joints, palette);
    else
        kernels->single(binding, moment, root, scratch, joints, palette);
}

void md5_local_to_model(const md5_skeleton *skeleton, const md5_transform *pose, md5_mat34 *joints)
{
    // Where each joint waits for its parent, the set that answers soonest is the fastest.
    md5_pose_kernels_of(md5_cpu_best())->compose(skeleton, pose, joints);
}

void md5_build_palette(const md5_model *model, const md5_mat34 *joints, md5_mat34 *palette)
{
    md5_pose_kernels_best()->multiply(model->skeleton.num_joints, joints, model->inverse_bind,
                                      palette);
}

void md5_local_to_palette(const md5_model *model, const md5_transform *pose, md5_mat34 *joints,
                          md5_mat34 *palette)
{
    md5_pose_kernels_best()->finish(model, pose, joints, palette);
}

void md5_pose_palette(const md5_binding *binding, const md5_moment *moment, md5_root root,
                      md5_transform *scratch, md5_mat34 *joints, md5_mat34 *palette)
{
    md5_pose_palette_with(md5_pose_kernels_best(), binding, moment, root, scratch, joints, palette);
}
