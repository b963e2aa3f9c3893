// Local transforms to model space, model space to palette.
#include "md5/core/math.h"
#include "md5/pose/kernels.h"

void md5_compose_scalar(const md5_skeleton *skeleton, const md5_transform *pose, md5_mat34 *joints)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        const md5_mat34 local = md5_mat34_of(pose[joint].rotation, pose[joint].translation);
        joints[joint] = parent < 0 ? local : md5_mat34_product(&joints[parent], &local);
    }
}

void md5_multiply_scalar(uint32_t count, const md5_mat34 *joints, const md5_mat34 *inverse_bind,
                         md5_mat34 *palette)
{
    for (uint32_t joint = 0; joint < count; joint++)
        palette[joint] = md5_mat34_product(&joints[joint], &inverse_bind[joint]);
}

void md5_finish_scalar(const md5_model *model, const md5_transform *pose, md5_mat34 *joints,
                       md5_mat34 *palette)
{
    md5_compose_scalar(&model->skeleton, pose, joints);
    md5_multiply_scalar(model->skeleton.num_joints, joints, model->inverse_bind, palette);
}

// All three steps, one after the other.
static void pose_in_steps(const md5_pose_kernels *kernels, const md5_binding *binding,
                          const md5_moment *moment, md5_root root, md5_transform *scratch,
                          md5_mat34 *joints, md5_mat34 *palette)
{
    const md5_model *model = binding->model;
    md5_sample_with(kernels, binding, moment, root, scratch);
    kernels->finish(model, scratch, joints, palette);
}

void md5_single_scalar(const md5_binding *binding, const md5_moment *moment, md5_root root,
                       md5_transform *scratch, md5_mat34 *joints, md5_mat34 *palette)
{
    const md5_pose_kernels *kernels = md5_pose_kernels_of(MD5_CPU_SCALAR);
    pose_in_steps(kernels, binding, moment, root, scratch, joints, palette);
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
