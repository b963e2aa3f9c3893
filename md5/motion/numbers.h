// Parameters that pose operations and modifiers of state machines share: range, default and text
// for the manual. A parameter of 0 selects the default. The pose operations apply the defaults.
// md5/play/schema.c creates entries of its tables from the lists. A LENGTH is in units of the
// model, but its default in a state machine is in id's units.
#ifndef MD5_MOTION_NUMBERS_H
#define MD5_MOTION_NUMBERS_H

#include "md5/md5pose.h"

#define MD5_GAZE_NUMBERS(NUMBER, LENGTH)                                                  \
    NUMBER(interest, 0.0, 1.0, 0.5f, "fraction of the points that are the target")        \
    NUMBER(wide, 0.0, 1e3, 0.8f, "horizontal range, as a tangent")                        \
    NUMBER(high, 0.0, 1e3, 0.35f, "vertical range, as a tangent")                         \
    LENGTH(distance, 1e-6, 1e9, 100.0f, "distance of random points")                      \
    NUMBER(min_seconds, 0.0, 1e6, 0.4f, "minimum time on a point, seconds")               \
    NUMBER(max_seconds, 0.0, 1e6, 2.5f, "maximum time on a point, seconds")               \
    NUMBER(head_share, 0.0, 1.0, 0.6f, "fraction of the rotation that the head performs") \
    NUMBER(head_seconds, 0.0, 1e6, 0.2f, "time constant of the head, seconds")            \
    NUMBER(head_limit, 0.0, 1e6, 0.5f, "maximum rotation of a joint, radians")            \
    NUMBER(eye_limit, 0.0, 1e6, 0.6f, "maximum rotation of an eye, radians")

#define MD5_SPRING_NUMBERS(NUMBER)                                \
    NUMBER(stiffness, 0.0, 1e9, 120.0f, "spring stiffness, 1/s²") \
    NUMBER(damping, 0.0, 1e6, 8.0f, "spring damping, 1/s")

// Returns `number` if it is set. 0 selects the default `otherwise`, and MD5_EXPLICIT_ZERO means 0.
static inline float md5_number_or(float number, float otherwise)
{
    if (number == MD5_EXPLICIT_ZERO)
        return 0.0f;
    return number == 0 ? otherwise : number;
}

#endif
