// Functions for cameras and overlays in addition to md5math.h.
#ifndef DEMO_VIEWER_BASE_MATH_H
#define DEMO_VIEWER_BASE_MATH_H

#include "md5/md5model.h"

#define VIEW_PI 3.14159265358979323846f

// A sphere that contains a character in all of its poses. It is in model space or in world space.
typedef struct view_sphere {
    md5_vec3 center;
    float radius;
} view_sphere;

static inline float view_clamp(float value, float low, float high)
{
    return fminf(fmaxf(value, low), high);
}

static inline float view_radians(float degrees)
{
    return degrees * (VIEW_PI / 180.0f);
}

static inline float view_degrees(float radians)
{
    return radians * (180.0f / VIEW_PI);
}

static inline bool view_is_empty(md5_bounds bounds)
{
    return !(bounds.min.x <= bounds.max.x);
}

static inline md5_vec3 view_center(md5_bounds bounds)
{
    return md5_vec3_scale(md5_vec3_add(bounds.min, bounds.max), 0.5f);
}

// Returns a corner of a box. Bits 0, 1 and 2 of its number (0 to 7) select the maximum of x, y and
// z.
static inline md5_vec3 view_corner(md5_bounds bounds, unsigned corner)
{
    md5_vec3 position = bounds.min;
    if ((corner & 1) != 0)
        position.x = bounds.max.x;
    if ((corner & 2) != 0)
        position.y = bounds.max.y;
    if ((corner & 4) != 0)
        position.z = bounds.max.z;
    return position;
}

static inline float view_distance(md5_vec3 a, md5_vec3 b)
{
    return md5_vec3_length(md5_vec3_sub(a, b));
}

// Returns the length of the diagonal of a box, or 0 if the box is empty.
static inline float view_size(md5_bounds bounds)
{
    return view_is_empty(bounds) ? 0 : view_distance(bounds.max, bounds.min);
}

// Returns point + fraction * displacement.
static inline md5_vec3 view_along(md5_vec3 point, md5_vec3 displacement, float fraction)
{
    return md5_vec3_add(point, md5_vec3_scale(displacement, fraction));
}

static inline md5_xform view_at_origin(void)
{
    return (md5_xform){.rotation = {.w = 1}};
}

// Returns the rotation `a` multiplied from the right by a rotation about z.
static inline md5_quat view_rotate_about_z(md5_quat a, float radians)
{
    return md5_quat_mul(a, (md5_quat){.z = sinf(0.5f * radians), .w = cosf(0.5f * radians)});
}

// Returns the angle between the rotations of two matrices, in degrees. It is computed from the
// tangent of half the angle. The cosine of a small angle would be rounded to 1, and the result to
// 0.
static inline float view_angle_between(md5_mat34 a, md5_mat34 b)
{
    const md5_quat p = md5_quat_from_mat34(a);
    const md5_quat q = md5_quat_from_mat34(b);
    const md5_quat rotation = md5_quat_mul(md5_quat_conjugate(p), q);
    const float sine =
        sqrtf(rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z);
    return view_degrees(2 * atan2f(sine, fabsf(rotation.w)));
}

// Multiplies matrices[count] by a transform from the left, in place. The matrices are, for example,
// the joints of a skeleton.
static inline void view_move_matrices(md5_mat34 transform, md5_mat34 *matrices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        matrices[i] = md5_mat34_mul(transform, matrices[i]);
}

#endif
