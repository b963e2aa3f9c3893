// The kernels in plain C. The kernels of all instruction sets compute the same bits as these.
#include "md5/pose/kernels.h"
#include "md5/pose/sampling.h"

// Samples the requested slots of a clip that stores frames into a pose. All other kernels compute
// the same bits.
void md5i_sample_scalar(const md5_anim *anim, const md5_sample_position *sample,
                        const md5_targets *targets, md5_xform *pose)
{
    const md5_sampling sampling = md5_begin_sampling(anim, sample);
    for (uint32_t i = 0; i < targets->rotation_slots.count; i++) {
        const uint32_t slot = targets->rotation_slots.first + i;
        const uint32_t target = targets->rotations[slot];
        if (target != MD5_NONE)
            pose[target].rotation = md5_sample_rotation(&sampling, slot);
    }
    for (uint32_t i = 0; i < targets->translation_slots.count; i++) {
        const uint32_t slot = targets->translation_slots.first + i;
        const uint32_t target = targets->translations[slot];
        if (target == MD5_NONE)
            continue;
        pose[target].translation = md5_sample_translation(&sampling, slot);
        pose[target].pad = 0;
    }
}

// Computes a palette: multiplies each joint matrix by the inverse bind matrix of its joint.
void md5i_multiply_scalar(uint32_t count, const md5_mat34 *joints, const md5_mat34 *inverse_bind,
                          md5_mat34 *palette)
{
    for (uint32_t joint = 0; joint < count; joint++)
        palette[joint] = md5_mat34_product(&joints[joint], &inverse_bind[joint]);
}

// Computes the joint matrices of a pose, parents first, and the palette unless it is NULL.
void md5i_finish_scalar(const md5_skeleton *skeleton, const md5_mat34 *inverse_bind,
                        const md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        const md5_mat34 local = md5_mat34_compose(pose[joint].rotation, pose[joint].translation);
        joints[joint] = parent == MD5_NONE ? local : md5_mat34_product(&joints[parent], &local);
    }
    if (palette)
        md5i_multiply_scalar(skeleton->num_joints, joints, inverse_bind, palette);
}
