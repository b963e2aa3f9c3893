// The little vector maths that a camera and overlays need.
#ifndef DEMO_VIEWER_BASE_MATH_H
#define DEMO_VIEWER_BASE_MATH_H

#include "md5/md5model.h"

#include <math.h>

#define VIEW_PI 3.14159265358979323846f

// What holds a character in every pose, model or world space.
typedef struct view_sphere {
    md5_vec3 centre;
    float radius;
} view_sphere;

static inline md5_vec3 view_add(md5_vec3 a, md5_vec3 b)
{
    return (md5_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline md5_vec3 view_sub(md5_vec3 a, md5_vec3 b)
{
    return (md5_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline md5_vec3 view_scale(md5_vec3 a, float s)
{
    return (md5_vec3){a.x * s, a.y * s, a.z * s};
}

static inline float view_dot(md5_vec3 a, md5_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline md5_vec3 view_cross(md5_vec3 a, md5_vec3 b)
{
    return (md5_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float view_length(md5_vec3 a)
{
    return sqrtf(view_dot(a, a));
}

static inline float view_clamp(float value, float low, float high)
{
    return fminf(fmaxf(value, low), high);
}

static inline float view_radians(float degrees)
{
    return degrees * (VIEW_PI / 180.0f);
}

static inline bool view_is_empty(md5_bounds bounds)
{
    return !(bounds.min.x <= bounds.max.x);
}

static inline md5_vec3 view_centre(md5_bounds bounds)
{
    return view_scale(view_add(bounds.min, bounds.max), 0.5f);
}

// Corner 0..7: bits 0, 1, 2 choose max over min in x, y, z.
static inline md5_vec3 view_corner(md5_bounds bounds, unsigned corner)
{
    return (md5_vec3){
        (corner & 1) != 0 ? bounds.max.x : bounds.min.x,
        (corner & 2) != 0 ? bounds.max.y : bounds.min.y,
        (corner & 4) != 0 ? bounds.max.z : bounds.min.z,
    };
}

// Length of the diagonal: "the size" of what the box holds.
static inline float view_size(md5_bounds bounds)
{
    return view_is_empty(bounds) ? 0.0f : view_length(view_sub(bounds.max, bounds.min));
}

static inline md5_vec3 view_translation(const md5_mat34 *m)
{
    return (md5_vec3){m->m[3], m->m[7], m->m[11]};
}

// Without the translation.
static inline md5_vec3 view_turn(const md5_mat34 *m, md5_vec3 v)
{
    return (md5_vec3){
        m->m[0] * v.x + m->m[1] * v.y + m->m[2] * v.z,
        m->m[4] * v.x + m->m[5] * v.y + m->m[6] * v.z,
        m->m[8] * v.x + m->m[9] * v.y + m->m[10] * v.z,
    };
}

// By a unit quaternion.
static inline md5_vec3 view_rotate(md5_quat q, md5_vec3 v)
{
    const md5_vec3 axis = {q.x, q.y, q.z};
    const md5_vec3 twice = view_scale(view_cross(axis, v), 2.0f);
    return view_add(view_add(v, view_scale(twice, q.w)), view_cross(axis, twice));
}

// One turn about z after another, both without tilt.
static inline md5_quat view_turn_after(md5_quat a, md5_quat b)
{
    return (md5_quat){.z = a.w * b.z + a.z * b.w, .w = a.w * b.w - a.z * b.z};
}

static inline md5_quat view_turn_by(md5_quat a, float radians)
{
    return view_turn_after(a, (md5_quat){.z = sinf(0.5f * radians), .w = cosf(0.5f * radians)});
}

// Where a character that stands at `place` has come by a motion in its own space.
static inline md5_transform view_go(md5_transform place, md5_transform motion)
{
    return (md5_transform){
        .rotation = view_turn_after(place.rotation, motion.rotation),
        .translation = view_add(place.translation, view_rotate(place.rotation, motion.translation)),
    };
}

#endif
