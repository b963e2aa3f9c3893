// Planes of triangles as quadrics, in double precision, for reduce.c.
#ifndef DEMO_VIEWER_SCENE_QUADRIC_H
#define DEMO_VIEWER_SCENE_QUADRIC_H

#include "md5/md5math.h"

#include <math.h>

typedef struct vector {
    double x, y, z;
} vector;

// The sum of squared distances of a point from planes, weighted by their areas, as coefficients of
// xx, yy, zz, 2xy, 2xz, 2yz, 2x, 2y, 2z, 1; then the area.
enum { QUADRIC_SIZE = 11 };
typedef struct quadric {
    double values[QUADRIC_SIZE];
} quadric;

static inline vector minus(vector a, vector b)
{
    return (vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline double dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vector cross_edges(vector a, vector b, vector c)
{
    const vector u = minus(b, a), v = minus(c, a);
    return (vector){u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
}

static inline vector wide(md5_vec3 v)
{
    return (vector){(double)v.x, (double)v.y, (double)v.z};
}

static inline void add_quadric(quadric *sum, const quadric *added)
{
    for (int i = 0; i < QUADRIC_SIZE; i++)
        sum->values[i] += added->values[i];
}

static inline double distance_squared(const quadric *q, vector p)
{
    const double *const v = q->values;
    const double sum = v[0] * p.x * p.x + v[1] * p.y * p.y + v[2] * p.z * p.z
                       + 2.0 * (v[3] * p.x * p.y + v[4] * p.x * p.z + v[5] * p.y * p.z)
                       + 2.0 * (v[6] * p.x + v[7] * p.y + v[8] * p.z) + v[9];
    return v[10] > 0.0 ? fmax(sum, 0.0) / v[10] : 0.0;
}

static inline quadric plane_of(vector a, vector b, vector c)
{
    const vector n = cross_edges(a, b, c);
    const double area = sqrt(dot(n, n)), d = -dot(n, a);
    const double share = area > 0.0 ? 1.0 / area : 0.0; // the normal is n / area
    return (quadric){{n.x * n.x * share, n.y * n.y * share, n.z * n.z * share, n.x * n.y * share,
                      n.x * n.z * share, n.y * n.z * share, n.x * d * share, n.y * d * share,
                      n.z * d * share, d * d * share, area}};
}

#endif
