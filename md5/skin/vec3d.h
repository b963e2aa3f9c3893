// Vectors of doubles, for what is derived once at load. The product of four of the widest, or
// of four of the narrowest floats is a double: squared lengths of cross products neither overflow
// nor underflow, whatever a file holds.
#ifndef MD5_SKIN_VEC3D_H
#define MD5_SKIN_VEC3D_H

#include "md5/md5model.h"

#include <float.h>
#include <math.h>

typedef struct md5_vec3d {
    double x, y, z;
} md5_vec3d;

static inline md5_vec3d md5_vec3d_of(md5_vec3 a)
{
    return (md5_vec3d){(double)a.x, (double)a.y, (double)a.z};
}

static inline md5_vec3d md5_vec3d_add(md5_vec3d a, md5_vec3d b)
{
    return (md5_vec3d){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline md5_vec3d md5_vec3d_sub(md5_vec3d a, md5_vec3d b)
{
    return (md5_vec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline md5_vec3d md5_vec3d_scale(md5_vec3d a, double s)
{
    return (md5_vec3d){a.x * s, a.y * s, a.z * s};
}

static inline double md5_vec3d_dot(md5_vec3d a, md5_vec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline md5_vec3d md5_vec3d_cross(md5_vec3d a, md5_vec3d b)
{
    return (md5_vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double md5_vec3d_length(md5_vec3d a)
{
    return sqrt(md5_vec3d_dot(a, a));
}

// Unit length; zero where there is no direction to keep.
static inline md5_vec3d md5_vec3d_normalize(md5_vec3d a)
{
    const double length = md5_vec3d_length(a);
    return length > 0.0 ? md5_vec3d_scale(a, 1.0 / length) : (md5_vec3d){0.0, 0.0, 0.0};
}

// The nearest finite float.
static inline float md5_round_to_float(double value)
{
    const double widest = (double)FLT_MAX;
    return (float)(value > widest ? widest : value < -widest ? -widest : value);
}

static inline md5_vec3 md5_vec3d_round(md5_vec3d a)
{
    return (md5_vec3){md5_round_to_float(a.x), md5_round_to_float(a.y), md5_round_to_float(a.z)};
}

#endif
