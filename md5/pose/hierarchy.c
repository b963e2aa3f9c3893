// Local transforms to model space, model space to palette.
#include "md5/core/math.h"

void md5_local_to_model(const md5_skeleton *skeleton, const md5_transform *pose, md5_mat34 *joints)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        const md5_mat34 local = md5_mat34_of(pose[joint].rotation, pose[joint].translation);
        joints[joint] = parent < 0 ? local : md5_mat34_product(&joints[parent], &local);
    }
}

void md5_build_palette(const md5_model *model, const md5_mat34 *joints, md5_mat34 *palette)
{
    for (uint32_t joint = 0; joint < model->skeleton.num_joints; joint++)
        palette[joint] = md5_mat34_product(&joints[joint], &model->inverse_bind[joint]);
}
