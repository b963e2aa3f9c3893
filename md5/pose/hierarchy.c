// Converts local transforms to model space, and model space to palettes.
#include "md5/core/assert.h"
#include "md5/pose/kernels.h"
#include "md5/pose/moment.h"

// The three steps, one after the other.
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

#if !defined(NDEBUG)
static bool are_matrices_apart(const md5_model *model, const md5_mat34 *a, const md5_mat34 *b)
{
    const size_t size = model->skeleton.num_joints * sizeof(md5_mat34);
    return md5_are_apart(a, size, b, size);
}
#endif

void md5_local_to_model(const md5_skeleton *skeleton, const md5_transform *pose, md5_mat34 *joints)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(pose != NULL || skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT(joints != NULL || skeleton->num_joints == 0, "joints: not NULL");
    // Each joint waits for its parent, so the instruction set with the lowest latency is fastest.
    md5_pose_kernels_of(md5_cpu_best())->compose(skeleton, pose, joints);
}

void md5_build_palette(const md5_model *model, const md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(joints != NULL || model->skeleton.num_joints == 0, "joints: not NULL");
    MD5_ASSERT(palette != NULL || model->skeleton.num_joints == 0, "palette: not NULL");
    md5_pose_kernels_best()->multiply(model->skeleton.num_joints, joints, model->inverse_bind,
                                      palette);
}

void md5_local_to_palette(const md5_model *model, const md5_transform *pose, md5_mat34 *joints,
                          md5_mat34 *palette)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(pose != NULL || model->skeleton.num_joints == 0, "pose: not NULL");
    MD5_ASSERT(joints != NULL || model->skeleton.num_joints == 0, "joints: not NULL");
    MD5_ASSERT(palette != NULL || model->skeleton.num_joints == 0, "palette: not NULL");
    MD5_ASSERT(are_matrices_apart(model, joints, palette), "joints, palette: must not overlap");
    md5_pose_kernels_best()->finish(model, pose, joints, palette);
}

void md5_pose_palette(const md5_binding *binding, const md5_moment *moment, md5_root root,
                      md5_transform *scratch, md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT(binding != NULL, "binding: not NULL");
    MD5_ASSERT(moment != NULL, "moment: not NULL");
    MD5_ASSERT(scratch != NULL || binding->model->skeleton.num_joints == 0, "scratch: not NULL");
    MD5_ASSERT(joints != NULL || binding->model->skeleton.num_joints == 0, "joints: not NULL");
    MD5_ASSERT(palette != NULL || binding->model->skeleton.num_joints == 0, "palette: not NULL");
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    MD5_ASSERT(are_matrices_apart(binding->model, joints, palette),
               "joints, palette: must not overlap");
    MD5_ASSERT_MOMENT(binding->anim, moment);
    const md5_moment clamped = md5_clamp_moment(binding->anim, moment);
    md5_pose_palette_with(md5_pose_kernels_best(), binding, &clamped, root, scratch, joints,
                          palette);
}
