// The kernels in plain C: the reference that all others must equal bit for bit. They call no
// others.
#include "md5/pose/sampling.h"

#include "md5/pose/simd/blend_wide.h"

static void sample(const md5_anim *anim, const md5_moment *moment, const md5_targets *targets,
                   md5_xform *pose, md5_mat34 *locals)
{
    const md5_sampling sampling = md5_begin_sampling(anim, moment);
    MD5_FOR (i, targets->rotation_slots.count) {
        const uint32_t slot = targets->rotation_slots.first + i;
        const uint32_t target = targets->rotations[slot];
        if (target != MD5_NONE)
            pose[target].rotation = md5_sample_rotation(&sampling, slot);
    }
    MD5_FOR (i, targets->translation_slots.count) {
        const uint32_t slot = targets->translation_slots.first + i;
        const uint32_t target = targets->translations[slot];
        if (target == MD5_NONE)
            continue;
        pose[target].translation = md5_sample_translation(&sampling, slot);
        pose[target].pad = 0;
    }
    MD5_FOR_WHILE (i, anim->num_rotations, MD5_HAS_KERNELS && locals)
        locals[i] = md5_mat34_of(pose[i].rotation, pose[i].translation);
}

static void multiply(uint32_t count, const md5_mat34 *joints, const md5_mat34 *inverse_bind,
                     md5_mat34 *palette)
{
    MD5_FOR (joint, count)
        palette[joint] = md5_mat34_product(&joints[joint], &inverse_bind[joint]);
}

static void finish(const md5_skeleton *skeleton, const md5_mat34 *inverse_bind,
                   const md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_FOR (i, skeleton->num_joints) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        const md5_mat34 local =
            pose ? md5_mat34_of(pose[joint].rotation, pose[joint].translation) : joints[joint];
        joints[joint] = parent == MD5_NONE ? local : md5_mat34_product(&joints[parent], &local);
    }
    if (palette)
        multiply(skeleton->num_joints, joints, inverse_bind, palette);
}

const md5_pose_kernels md5i_pose_kernels_scalar = {
    .sample = sample,
#ifndef MD5_NO_COMPRESSED
    .sample_packed = md5i_packed_sample_scalar,
#endif
    .multiply = multiply,
    .finish = finish,
    .width = 1,
};
