// Exponential decay and damped springs, exact for any step of time, with the same bits on every
// machine, which exp() of libc does not promise.
#ifndef MD5_MOTION_SPRING_H
#define MD5_MOTION_SPRING_H

// exp(-x) for x >= 0, to within 1e-13.
double md5i_decay(double x);

// What a step of time does to a damped spring x'' = -stiffness x - damping x':
//   x  <- keep * x + drift * x'
//   x' <- -stiffness * drift * x + (keep - damping * drift) * x'
typedef struct md5_swing {
    double keep, drift;
} md5_swing;
md5_swing md5i_swing_for(double stiffness, double damping, double seconds);

#endif
