// Random points and curves for tests, and distances to points in double precision.
#ifndef TEST_CURVE_CASE_H
#define TEST_CURVE_CASE_H

#include "md5/md5curve.h"
#include "test/test.h"

enum { CURVE_POINTS = 12 };

typedef struct point3 {
    double x[3];
} point3;

// Random points in a box of 20 units.
void curve_points(md5_vec3 points[CURVE_POINTS], uint64_t seed);

// Creates the curve of a description that must be valid.
md5_curve *curve_of(const md5_curve_desc *desc);

double curve_distance(md5_vec3 a, point3 b);

#endif
