// Joints and meshes by their names.
#include "md5/core/assert.h"
#include "md5/md5model.h"

#include <string.h>

int32_t md5_find_joint(const md5_skeleton *skeleton, const char *name)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    for (uint32_t i = 0; name && i < skeleton->num_joints; i++) {
        if (strcmp(skeleton->joints[i].name, name) == 0)
            return (int32_t)i;
    }
    return -1;
}

int32_t md5_find_mesh(const md5_model *model, const char *name)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    for (uint32_t i = 0; name && i < model->num_meshes; i++) {
        if (strcmp(model->meshes[i].name, name) == 0)
            return (int32_t)i;
    }
    return -1;
}
