// Numerical functions: exponential decay and damped springs, which are exact for a time step of any
// length, easings, and replacements for functions of libm. They use only + - * / and square roots,
// because the last bits of libm functions differ between platforms.
#ifndef MD5_MOTION_FUNCTIONS_H
#define MD5_MOTION_FUNCTIONS_H

#include "md5/md5curve.h"

// Returns 2^x for 0 <= x <= 10. The error is at most 1e-9.
double md5i_power_of_two(double x);

// Returns sin(x) for |x| <= pi / 2. The error is at most 1e-13.
double md5i_sine(double x);

// Returns sin(2 pi turns) for |turns| <= 2^20. The error is at most 1e-9, and 1e-13 for |turns| <=
// 16.
double md5i_sine_of_turns(double turns);

// Returns atan2(y, x), from 0 to pi, for y >= 0 and any x. The error is at most 1e-14. Returns 0 if
// both are 0.
double md5i_atan2(double y, double x);

// Returns exp(-x) for x >= 0. The error is at most 1e-13.
double md5i_decay(double x);

// The effect of a time step on a damped spring x'' = -stiffness x - damping x':
//   x  <- keep * x + drift * x'
//   x' <- -stiffness * drift * x + (keep - damping * drift) * x'
typedef struct md5_swing {
    double keep;
    double drift;
} md5_swing;
md5_swing md5i_swing_for(double stiffness, double damping, double seconds);

// Returns the result of md5_ease() before it is rounded to float.
double md5i_eased(const md5_easing *easing, double t);

// Number of equal parts of 0..1 within which easings without parameters are smooth: their edges and
// vertical tangents are only at multiples of 1/44. Therefore integrals over the parts are accurate.
#define MD5_EASE_PARTS 44u

// A quadrature formula. The mean of a function over an interval of 0..1 is the sum of its values at
// five points, each multiplied by its weight. The error is at most 1e-9 for smooth functions.
//
// The points are denser near 0 and 1, so that functions with vertical tangents there have the same
// error. The density does not depend on the division of 0..1 into intervals.
enum { MD5_MEAN_POINTS = 5 };
typedef struct md5_mean_point {
    double position;
    double weight;
} md5_mean_point;
void md5i_mean_points(double from, double to, md5_mean_point *points);

// Returns the integral of md5i_eased() between two times within 0..1. The error is at most 1e-7.
double md5i_eased_area(const md5_easing *easing, double from, double to);

#endif
