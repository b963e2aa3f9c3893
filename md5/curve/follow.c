// Approaching a target.
#include "md5/core/decay.h"
#include "md5/md5curve.h"

float md5_follow_share(float rate, float seconds)
{
    const double way = (double)rate * (double)seconds;
    return rate > 0.0f && way > 0.0 ? (float)(1.0 - md5_decay(way)) : 0.0f;
}
