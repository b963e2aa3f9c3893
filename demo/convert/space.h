// Points, rotations and transforms in double precision. With them, a conversion rounds each number
// only once, when it is written. Matrices are column-major. A product a * b applies b first, as in
// md5math.h.
#ifndef DEMO_CONVERT_SPACE_H
#define DEMO_CONVERT_SPACE_H

#include "md5/md5math.h"

// A vector in double precision.
typedef struct convert_vec {
    double x;
    double y;
    double z;
} convert_vec;

// A quaternion in double precision.
typedef struct convert_quat {
    double x;
    double y;
    double z;
    double w;
} convert_quat;

typedef struct convert_xform { // v' = rotation * v + translation
    convert_quat rotation;
    convert_vec translation;
} convert_xform;

static inline convert_vec convert_add(convert_vec a, convert_vec b)
{
    return (convert_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline convert_vec convert_sub(convert_vec a, convert_vec b)
{
    return (convert_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline convert_vec convert_times(convert_vec a, double s)
{
    return (convert_vec){a.x * s, a.y * s, a.z * s};
}

static inline double convert_dot(convert_vec a, convert_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline convert_vec convert_cross(convert_vec a, convert_vec b)
{
    return (convert_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline convert_quat convert_quat_mul(convert_quat a, convert_quat b)
{
    return (convert_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                          a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline convert_quat convert_conjugate(convert_quat q)
{
    return (convert_quat){-q.x, -q.y, -q.z, q.w};
}

static inline double convert_quat_dot(convert_quat a, convert_quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// Normalizes a quaternion. A quaternion of length 0 becomes the identity.
static inline convert_quat convert_unit(convert_quat q)
{
    const double length = sqrt(convert_quat_dot(q, q));
    if (!(length > 0))
        return (convert_quat){0, 0, 0, 1};
    return (convert_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

static inline convert_vec convert_rotate(convert_quat q, convert_vec v)
{
    const convert_vec axis = {q.x, q.y, q.z};
    const convert_vec cross = convert_times(convert_cross(axis, v), 2);
    return convert_add(convert_add(v, convert_times(cross, q.w)), convert_cross(axis, cross));
}

static inline convert_vec convert_point(convert_xform t, convert_vec v)
{
    return convert_add(convert_rotate(t.rotation, v), t.translation);
}

static inline convert_xform convert_mul(convert_xform a, convert_xform b)
{
    return (convert_xform){convert_quat_mul(a.rotation, b.rotation),
                           convert_point(a, b.translation)};
}

static inline convert_xform convert_inverse(convert_xform a)
{
    const convert_quat back = convert_conjugate(a.rotation);
    return (convert_xform){back, convert_rotate(back, convert_times(a.translation, -1))};
}

static inline convert_vec convert_from_vec3(md5_vec3 v)
{
    return (convert_vec){(double)v.x, (double)v.y, (double)v.z};
}

static inline md5_vec3 convert_to_vec3(convert_vec v)
{
    return (md5_vec3){(float)v.x, (float)v.y, (float)v.z};
}

// The rotation is normalized in double precision.
static inline convert_xform convert_from_xform(md5_xform t)
{
    const convert_quat q = {(double)t.rotation.x, (double)t.rotation.y, (double)t.rotation.z,
                            (double)t.rotation.w};
    return (convert_xform){convert_unit(q), convert_from_vec3(t.translation)};
}

static inline convert_quat convert_mix(convert_quat a, double p, convert_quat b, double q)
{
    return (convert_quat){p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z,
                          p * a.w + q * b.w};
}

// Interpolates from a to b along the shorter arc.
static inline convert_quat convert_slerp(convert_quat a, convert_quat b, double fraction)
{
    double dot = convert_quat_dot(a, b);
    const double sign = dot < 0 ? -1.0 : 1.0;
    dot = fmin(fabs(dot), 1.0);
    const double angle = acos(dot);
    const double sine = sin(angle);
    const double p = sine > 1e-6 ? sin((1.0 - fraction) * angle) / sine : 1.0 - fraction;
    const double q = sign * (sine > 1e-6 ? sin(fraction * angle) / sine : fraction);
    return convert_unit(convert_mix(a, p, b, q));
}

#endif
