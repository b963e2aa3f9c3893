// Values that follow a target: exponential smoothing and a damped spring.
#include "md5/core/assert.h"
#include "md5/motion/decay.h"
#include "md5/motion/swing.h"
#include "md5/md5curve.h"

float md5_follow_share(float rate, float seconds)
{
    const double way = (double)rate * (double)seconds;
    return rate > 0.0f && way > 0.0 ? (float)(1.0 - md5i_decay(way)) : 0.0f;
}

void md5_follow_spring(float *value, float *velocity, float target, float stiffness, float damping,
                       float seconds)
{
    MD5_ASSERT(value != NULL, "value: not NULL");
    MD5_ASSERT(velocity != NULL, "velocity: not NULL");
    const double k = (double)stiffness, c = damping > 0.0f ? (double)damping : 0.0;
    const double x = (double)*value - (double)target, v = (double)*velocity, t = (double)seconds;
    // The sum is finite only if all terms are.
    if (!(k > 0.0 && t > 0.0) || !isfinite(k + c + x + v + t))
        return;
    const md5_swing swing = md5i_swing_for(k, c, t);
    *value = (float)((double)target + swing.keep * x + swing.drift * v);
    *velocity = (float)(-k * swing.drift * x + (swing.keep - c * swing.drift) * v);
}
