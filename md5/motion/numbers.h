// The numbers of tools that also stand in the tables of machines: of each its range, what 0 means,
// and a text for the manual. The tools fill in what 0 means; md5/play/schema.c makes columns of
// them. LENGTH: what 0 means in a machine is that many of id's units.
#ifndef MD5_MOTION_NUMBERS_H
#define MD5_MOTION_NUMBERS_H

#include "md5/md5pose.h"

#define MD5_GAZE_NUMBERS(NUMBER, LENGTH)                                     \
    NUMBER(interest, 0.0, 1.0, 0.5f, "share of looks at the target")         \
    NUMBER(wide, 0.0, 1e3, 0.8f, "to both sides, tangent")                   \
    NUMBER(high, 0.0, 1e3, 0.35f, "up and down, tangent")                    \
    LENGTH(distance, 1e-6, 1e9, 100.0f, "of random points")                  \
    NUMBER(min_seconds, 0.0, 1e6, 0.4f, "rest on a point, at least")         \
    NUMBER(max_seconds, 0.0, 1e6, 2.5f, "rest on a point, at most")          \
    NUMBER(head_share, 0.0, 1.0, 0.6f, "part of the way that the head goes") \
    NUMBER(head_seconds, 0.0, 1e6, 0.2f, "time constant of the head")        \
    NUMBER(head_limit, 0.0, 1e6, 0.5f, "largest turn of a joint, radians")   \
    NUMBER(eye_limit, 0.0, 1e6, 0.6f, "largest turn of an eye, radians")

#define MD5_SPRING_NUMBERS(NUMBER)              \
    NUMBER(stiffness, 0.0, 1e9, 120.0f, "1/s²") \
    NUMBER(damping, 0.0, 1e6, 8.0f, "1/s")

// What a number of a description means, of which 0 means `otherwise`.
static inline float md5_number_or(float number, float otherwise)
{
    return number == 0 ? otherwise : number == MD5_ZERO ? 0.0f : number;
}

#endif
