// Bounds of joints: a box around the points that each joint moves, in the joint's own space. A
// vertex is a weighted mean of such points, so the boxes of all joints, moved by any pose, hold the
// model.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/md5skin.h"

static bool has_negative_bias(const md5_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->num_weights; i++)
        if (mesh->weights[i].bias < 0.0f)
            return true;
    return false;
}

static void add_weight(md5_bounds *bounds, const md5_weight *weight)
{
    md5_bounds *const of_joint = &bounds[weight->joint];
    *of_joint = md5_bounds_union(*of_joint, (md5_bounds){weight->offset, weight->offset});
}

bool md5_build_joint_bounds(const md5_model *model, md5_bounds *bounds)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(bounds != NULL || model->skeleton.num_joints == 0, "bounds: not NULL");
    bool are_means = true;
    for (uint32_t joint = 0; joint < model->skeleton.num_joints; joint++)
        bounds[joint] = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        are_means = are_means && mesh->num_off_sums == 0 && !has_negative_bias(mesh);
        for (uint32_t weight = 0; weight < mesh->num_weights; weight++)
            add_weight(bounds, &mesh->weights[weight]);
    }
    return are_means;
}

static bool is_empty(const md5_bounds *bounds)
{
    return !(bounds->min.x <= bounds->max.x);
}

// Adds the interval min..max, multiplied by an entry of the matrix, to the interval low..high.
static void add_product(float entry, float min, float max, float *low, float *high)
{
    const float a = entry * min, b = entry * max;
    *low += a < b ? a : b;
    *high += a < b ? b : a;
}

static void transform_row(const float *row, const md5_bounds *bounds, float *low, float *high)
{
    *low = *high = row[3];
    add_product(row[0], bounds->min.x, bounds->max.x, low, high);
    add_product(row[1], bounds->min.y, bounds->max.y, low, high);
    add_product(row[2], bounds->min.z, bounds->max.z, low, high);
}

static md5_bounds transform(const md5_bounds *bounds, const md5_mat34 *m)
{
    md5_bounds moved;
    transform_row(m->m, bounds, &moved.min.x, &moved.max.x);
    transform_row(m->m + 4, bounds, &moved.min.y, &moved.max.y);
    transform_row(m->m + 8, bounds, &moved.min.z, &moved.max.z);
    return moved;
}

md5_bounds md5_bounds_transform(md5_bounds bounds, md5_mat34 m)
{
    return is_empty(&bounds) ? bounds : transform(&bounds, &m);
}

md5_bounds md5_bounds_from_joints(const md5_bounds *joint_bounds, const md5_mat34 *joints,
                                  uint32_t num_joints)
{
    MD5_ASSERT((joint_bounds != NULL && joints != NULL) || num_joints == 0,
               "joint_bounds, joints: not NULL");
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t joint = 0; joint < num_joints; joint++)
        if (!is_empty(&joint_bounds[joint]))
            bounds = md5_bounds_union(bounds, transform(&joint_bounds[joint], &joints[joint]));
    return bounds;
}
