// Parameters of gazes and springs. The functions of md5pose.h and the modifiers of state machines
// have the same parameters, so each parameter is defined once, in these lists. An entry contains
// the name, the minimum, the maximum, the default and a text for the manual. A parameter of 0
// selects the default.
//
// The users of a list pass two macros that process its entries: NUMBER for plain numbers, and
// LENGTH for lengths in units of the model. md5/play/schema.c creates the tables of state machines
// in this way. There, defaults of lengths are in Doom 3's units and are scaled to the size of the
// model.
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
