// How what swings comes to rest, exactly, for any step of time.
#ifndef MD5_MOTION_SWING_H
#define MD5_MOTION_SWING_H

// What a step of time does to a damped spring x'' = -stiffness x - damping x':
//   x  <- keep * x + drift * x'
//   x' <- -stiffness * drift * x + (keep - damping * drift) * x'
typedef struct md5_swing {
    double keep, drift;
} md5_swing;
md5_swing md5i_swing_for(double stiffness, double damping, double seconds);

#endif
