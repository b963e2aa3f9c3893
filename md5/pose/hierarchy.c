// Converts local transforms to model space and back, and model space to palettes.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/pose/kernels.h"
#include "md5/pose/moment.h"

// Without one of the results the other takes its place: a palette is multiplied where the joints
// were composed.
static void finish(const md5_pose_kernels *kernels, const md5_skeleton *skeleton,
                   const md5_mat34 *inverse_bind, const md5_xform *pose, md5_mat34 *joints,
                   md5_mat34 *palette)
{
    if (joints && palette) {
        kernels->finish(skeleton, inverse_bind, pose, joints, palette);
        return;
    }
    if (joints || palette)
        kernels->compose(skeleton, pose, joints ? joints : palette);
    if (palette)
        kernels->multiply(skeleton->num_joints, palette, inverse_bind, palette);
}

void md5i_pose_palette_with(const md5_pose_kernels *kernels, const md5_binding *binding,
                            const md5_moment *moment, md5_root root, md5_xform *pose,
                            md5_mat34 *joints, md5_mat34 *palette)
{
    const bool is_slerp = moment->interpolation == MD5_INTERPOLATE_LINEAR
                          || moment->interpolation == MD5_INTERPOLATE_STEP;
    if (is_slerp && binding->num_rebases == 0 && !binding->anim->packed && joints && palette) {
        kernels->single(binding, moment, root, pose, joints, palette);
        return;
    }
    md5i_sample_with(kernels, binding, moment, root, pose);
    finish(kernels, binding->skeleton, binding->inverse_bind, pose, joints, palette);
}

#if !defined(NDEBUG)
static bool are_matrices_apart(uint32_t num_joints, const md5_mat34 *a, const md5_mat34 *b)
{
    const size_t size = num_joints * sizeof(md5_mat34);
    return md5_are_apart(a, size, b, size);
}
#endif

void md5_local_to_model(const md5_skeleton *skeleton, const md5_xform *pose, md5_mat34 *joints)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(pose != NULL || skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT(joints != NULL || skeleton->num_joints == 0, "joints: not NULL");
    // Each joint waits for its parent, so the instruction set with the lowest latency is fastest.
    md5i_pose_kernels_of(md5i_cpu_best())->compose(skeleton, pose, joints);
}

// -- Transforms -----------------------------------------------------------------------------

// a * b at unit length. Rounding errors of a long chain of joints would add up.
static md5_xform product(md5_xform a, md5_xform b)
{
    md5_xform result = md5_xform_mul(a, b);
    const md5_quat q = result.rotation;
    const float scale = 1.0f / sqrtf(((q.x * q.x + q.y * q.y) + q.z * q.z) + q.w * q.w);
    result.rotation = (md5_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
    return result;
}

void md5_local_to_model_xforms(const md5_skeleton *skeleton, const md5_xform *pose,
                               md5_xform *joints)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(pose != NULL || skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT(joints != NULL || skeleton->num_joints == 0, "joints: not NULL");
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        joints[joint] = parent < 0 ? pose[joint] : product(joints[parent], pose[joint]);
    }
}

// Children first, so that the parent's transform is still there if both arrays are one.
void md5_model_to_local_xforms(const md5_skeleton *skeleton, const md5_xform *joints,
                               md5_xform *pose)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(joints != NULL || skeleton->num_joints == 0, "joints: not NULL");
    MD5_ASSERT(pose != NULL || skeleton->num_joints == 0, "pose: not NULL");
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        pose[joint] =
            parent < 0 ? joints[joint] : product(md5_xform_inverse(joints[parent]), joints[joint]);
    }
}

// -- Palettes -------------------------------------------------------------------------------

void md5_build_palette(const md5_model *model, const md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(joints != NULL || model->skeleton.num_joints == 0, "joints: not NULL");
    MD5_ASSERT(palette != NULL || model->skeleton.num_joints == 0, "palette: not NULL");
    md5i_pose_kernels_best()->multiply(model->skeleton.num_joints, joints, model->inverse_bind,
                                       palette);
}

void md5_local_to_palette(const md5_model *model, const md5_xform *pose, md5_mat34 *joints,
                          md5_mat34 *palette)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(pose != NULL || model->skeleton.num_joints == 0, "pose: not NULL");
    MD5_ASSERT(are_matrices_apart(model->skeleton.num_joints, joints, palette),
               "joints, palette: must not overlap");
    finish(md5i_pose_kernels_best(), &model->skeleton, model->inverse_bind, pose, joints,
           palette);
}

void md5_pose_palette(const md5_binding *binding, md5_moment moment, md5_root root, md5_xform *pose,
                      md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT(binding != NULL, "binding: not NULL");
    MD5_ASSERT(pose != NULL || binding->skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    MD5_ASSERT(are_matrices_apart(binding->skeleton->num_joints, joints, palette),
               "joints, palette: must not overlap");
    MD5_ASSERT_MOMENT(binding->anim, moment);
    const md5_moment clamped = md5_clamp_moment(binding->anim, &moment);
    md5i_pose_palette_with(md5i_pose_kernels_best(), binding, &clamped, root, pose, joints,
                           palette);
}
