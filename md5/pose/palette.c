// Computes joint matrices and palettes. A palette contains a matrix for each joint, which
// transforms a vertex from the bind pose to the current pose.
#include "md5/core/math.h"
#include "md5/pose/kernels.h"
#include "md5/pose/sample_position.h"
#include "md5/pose/tracks.h"

// Computes the joint matrices and the palette from a pose. Either output may be NULL. If `joints`
// is NULL, the joint matrices are computed in the memory of the palette, which is then multiplied
// in place.
static void finish_palette(const md5_pose_kernels *kernels, const md5_skeleton *skeleton,
                           const md5_mat34 *inverse_bind, const md5_xform *pose, md5_mat34 *joints,
                           md5_mat34 *palette)
{
    if (joints) {
        kernels->finish(skeleton, inverse_bind, pose, joints, palette);
    } else if (palette) {
        kernels->finish(skeleton, inverse_bind, pose, palette, NULL);
        kernels->multiply(skeleton->num_joints, palette, inverse_bind, palette);
    }
}

// Returns the model-space matrix of an object that is attached to a joint, such as a weapon in a
// hand: joints[joint] * offset.
md5_mat34 md5_attach_to_joint(const md5_mat34 *joints, uint32_t joint, md5_xform offset)
{
    MD5_ASSERT_NOT_NULL(joints);
    const md5_mat34 local = md5_mat34_compose(offset.rotation, offset.translation);
    return md5_mat34_product(&joints[joint], &local);
}

// Computes the palette from joint matrices in model space. For each joint of the model, writes
// palette[joint] = joints[joint] * inverse_bind[joint].
void md5_build_palette(const md5_model *model, const md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT_ARRAY(joints, model->skeleton.num_joints);
    MD5_ASSERT_ARRAY(palette, model->skeleton.num_joints);
    MD5_POSE_KERNELS(AVX512)->multiply(model->skeleton.num_joints, joints, model->inverse_bind,
                                       palette);
}

// Converts a pose, with transforms relative to the parents, to joint matrices in model space and to
// the palette for skinning. `joints` or `palette` may be NULL.
void md5_local_to_palette(const md5_model *model, const md5_xform *pose, md5_mat34 *joints,
                          md5_mat34 *palette)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT_ARRAY(pose, model->skeleton.num_joints);
    MD5_ASSERT_DISJOINT(joints, model->skeleton.num_joints, palette, model->skeleton.num_joints);
    finish_palette(MD5_POSE_KERNELS(AVX512), &model->skeleton, model->inverse_bind, pose, joints,
                   palette);
}

// Samples an animation and computes the joint matrices and the palette of the pose in one call.
// `joints` and `palette` may be NULL.
void md5_pose_palette(const md5_binding *binding, md5_sample_position sample, md5_root root,
                      md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT_BINDING(binding);
    MD5_ASSERT_ARRAY(pose, binding->skeleton->num_joints);
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: must be a value of md5_root");
    MD5_ASSERT_DISJOINT(joints, binding->skeleton->num_joints, palette,
                        binding->skeleton->num_joints);
    MD5_ASSERT_SAMPLE_POSITION(binding->anim, sample);
    const md5_pose_plan *const plan = binding->internal.plan;
    md5_sample(binding, sample, root, pose);
    // Change the order of joints to their depth. A parent's matrix is then rarely needed
    // immediately after it is computed, so the processor seldom waits for it.
    md5_skeleton by_depth = *binding->skeleton;
    by_depth.order = plan->order;
    finish_palette(plan->kernels, &by_depth, binding->inverse_bind, pose, joints, palette);
}
