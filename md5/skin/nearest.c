// Finds the joint nearest to a point or a ray.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/md5skin.h"

// Squares are doubles, which hold those of all floats.
static double square_to_point(md5_vec3 joint, const md5_ray *at)
{
    const md5_vec3d away = md5_vec3d_sub(md5_vec3d_of(joint), md5_vec3d_of(at->origin));
    return md5_vec3d_dot(away, away);
}

// The nearest point of a ray is its origin for joints behind it, and its end for joints beyond it.
static double square_to_ray(md5_vec3 joint, const md5_ray *ray)
{
    const md5_vec3d direction = md5_vec3d_of(ray->direction);
    const md5_vec3d away = md5_vec3d_sub(md5_vec3d_of(joint), md5_vec3d_of(ray->origin));
    const double length = md5_vec3d_dot(direction, direction);
    double t = length > 0.0 ? md5_vec3d_dot(away, direction) / length : 0.0;
    t = t > 0.0 ? t : 0.0;
    if (ray->limit > 0.0f && t > (double)ray->limit)
        t = (double)ray->limit;
    const md5_vec3d across = md5_vec3d_sub(away, md5_vec3d_scale(direction, t));
    return md5_vec3d_dot(across, across);
}

static int32_t find_nearest(const md5_mat34 *joints, uint32_t num_joints, const md5_ray *to,
                            double (*square_to)(md5_vec3, const md5_ray *), float *distance)
{
    int32_t nearest = -1;
    double smallest = INFINITY;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const double square = square_to(md5_mat34_translation(joints[joint]), to);
        if (square < smallest) {
            smallest = square;
            nearest = (int32_t)joint;
        }
    }
    if (nearest >= 0 && distance)
        *distance = (float)sqrt(smallest);
    return nearest;
}

int32_t md5_find_nearest_joint(const md5_mat34 *joints, uint32_t num_joints, md5_vec3 point,
                               float *distance)
{
    MD5_ASSERT(joints != NULL || num_joints == 0, "joints: not NULL");
    const md5_ray at = {.origin = point};
    return find_nearest(joints, num_joints, &at, square_to_point, distance);
}

int32_t md5_find_nearest_joint_to_ray(const md5_mat34 *joints, uint32_t num_joints,
                                      const md5_ray *ray, float *distance)
{
    MD5_ASSERT(ray != NULL, "ray: not NULL");
    MD5_ASSERT(joints != NULL || num_joints == 0, "joints: not NULL");
    return find_nearest(joints, num_joints, ray, square_to_ray, distance);
}
