// Functions of numbers: replacements for libc functions whose last bits differ between platforms,
// decay and damped springs, exact for any step of time, and easings. They use only + - * / and
// square roots.
#ifndef MD5_MOTION_FUNCTIONS_H
#define MD5_MOTION_FUNCTIONS_H

#include "md5/md5curve.h"

// 2^x for 0 <= x <= 10, to within 1e-9 of it.
double md5i_power_of_two(double x);

// sin(x) for |x| <= pi / 2, to within 1e-13.
double md5i_sine(double x);

// sin(2 pi turns) for |turns| <= 2^20, to within 1e-9; for |turns| <= 16 to within 1e-13.
double md5i_sine_of_turns(double turns);

// atan2(y, x) for y >= 0 and any x, from 0 to pi, to within 1e-14; 0 if both are 0.
double md5i_atan2(double y, double x);

// exp(-x) for x >= 0, to within 1e-13.
double md5i_decay(double x);

// The effect of a time step on a damped spring x'' = -stiffness x - damping x':
//   x  <- keep * x + drift * x'
//   x' <- -stiffness * drift * x + (keep - damping * drift) * x'
typedef struct md5_swing {
    double keep;
    double drift;
} md5_swing;
md5_swing md5i_swing_for(double stiffness, double damping, double seconds);

// md5_ease() without rounding to float.
double md5i_eased(const md5_easing *easing, double t);

// Easings without parameters are smooth between multiples of 1/44. At these multiples are the edges
// of bounces, also of easings that consist of two bounces, and vertical tangents.
#define MD5_EASE_PARTS 44u

// A quadrature: the mean of a function over an interval of 0..1 is the sum of its values at five
// points, multiplied by their weights. The error is at most 1e-9 for smooth functions, also with
// vertical tangents at 0 and 1: the points are denser there. The density is the same for every
// division of 0..1 into intervals.
enum { MD5_MEAN_POINTS = 5 };
typedef struct md5_mean_point {
    double position;
    double weight;
} md5_mean_point;
void md5i_mean_points(double from, double to, md5_mean_point *points);

// The integral of md5i_eased() between two times within 0..1, to within 1e-7.
double md5i_eased_area(const md5_easing *easing, double from, double to);

#endif
