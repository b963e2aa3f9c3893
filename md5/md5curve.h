// md5curve: easings, following a target, curves in space, and rotations along keys.
//
// Nothing here needs a model: these are the numbers of cameras, missiles, doors, menus and
// transitions. md5machine.h uses the easings.
//
// Every function gives the same bits on every platform. Only md5_create_curve() and
// md5_create_squad() allocate and fail; what they return is read-only and may be shared between
// threads. All other functions may run concurrently.
#ifndef MD5CURVE_H
#define MD5CURVE_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- Easing ---------------------------------------------------------------------------------

// How a value goes from 0 to 1 while t does. IN begins slowly, OUT ends slowly, and for each
// family OUT(t) = 1 - IN(1 - t), and IN_OUT is IN(2 t) / 2 up to t = 1/2, then 1 - IN(2 - 2 t) / 2.
// The formulas are R. Penner's, with the numbers of easings.net; IN is
//
//   QUADRATIC t^2, CUBIC t^3, QUARTIC t^4, QUINTIC t^5, SINE 1 - cos(pi t / 2)
//   CIRCULAR 1 - sqrt(1 - t^2)
//   EXPONENTIAL (2^(10 t) - 1) / 1023: Penner's 2^(10 t - 10) without its jump of 0.001 at t = 0
//   BACK (c + 1) t^3 - c t^2, which falls to -0.1 first; c = 1.70158, of IN_OUT 1.525 times that
//   ELASTIC -2^(10 t - 10) sin(2 pi (10 t - 10 - p / 4) / p), which swings from -0.37 to 1; the
//     period p is 3, of IN_OUT 4.5
//   BOUNCE 1 - (t' / d)^2 with parabolas that return to 0: four bounces, at 1/11, 3/11 and 7/11
//
// LINEAR is t, SMOOTH 3 t^2 - 2 t^3, SQUARE_ROOT sqrt(t).
typedef enum md5_easing {
    MD5_EASE_LINEAR,
    MD5_EASE_SMOOTH,
    MD5_EASE_QUADRATIC_IN,
    MD5_EASE_QUADRATIC_OUT,
    MD5_EASE_QUADRATIC_IN_OUT,
    MD5_EASE_CUBIC_IN,
    MD5_EASE_CUBIC_OUT,
    MD5_EASE_CUBIC_IN_OUT,
    MD5_EASE_EXPONENTIAL_IN,
    MD5_EASE_EXPONENTIAL_OUT,
    MD5_EASE_SINE_IN_OUT,
    MD5_EASE_SQUARE_ROOT,
    MD5_EASE_QUARTIC_IN,
    MD5_EASE_QUARTIC_OUT,
    MD5_EASE_QUARTIC_IN_OUT,
    MD5_EASE_QUINTIC_IN,
    MD5_EASE_QUINTIC_OUT,
    MD5_EASE_QUINTIC_IN_OUT,
    MD5_EASE_EXPONENTIAL_IN_OUT,
    MD5_EASE_SINE_IN,
    MD5_EASE_SINE_OUT,
    MD5_EASE_CIRCULAR_IN,
    MD5_EASE_CIRCULAR_OUT,
    MD5_EASE_CIRCULAR_IN_OUT,
    MD5_EASE_BACK_IN,
    MD5_EASE_BACK_OUT,
    MD5_EASE_BACK_IN_OUT,
    MD5_EASE_ELASTIC_IN,
    MD5_EASE_ELASTIC_OUT,
    MD5_EASE_ELASTIC_IN_OUT,
    MD5_EASE_BOUNCE_IN,
    MD5_EASE_BOUNCE_OUT,
    MD5_EASE_BOUNCE_IN_OUT,
    // With parameters: md5_ease_curve() only.
    MD5_EASE_CUBIC_BEZIER,
    MD5_EASE_STEPS,
} md5_easing;

// Returns the eased value of `t`, which is clamped to 0..1, NaN to 0: exactly 0 at 0 and 1 at 1,
// and within 1e-6 of the formula between them. BACK and ELASTIC leave 0..1 on their way; all but
// these and BOUNCE rise. `easing` must be one without parameters.
MD5_API float md5_ease(md5_easing easing, float t);

// Where MD5_EASE_STEPS jumps, as steps() of CSS: after each step; before each; only between them;
// or before, between and after.
typedef enum md5_jump {
    MD5_JUMP_END,
    MD5_JUMP_START,
    MD5_JUMP_NONE,
    MD5_JUMP_BOTH,
} md5_jump;

enum { MD5_MAX_EASE_STEPS = 1 << 16 };

// An easing with its parameters. {0} is linear; an easing without parameters ignores them.
typedef struct md5_easing_curve {
    md5_easing easing;
    // MD5_EASE_CUBIC_BEZIER, as cubic-bezier() of CSS: from 0 0 with control points x1 y1 and x2 y2
    // to 1 1. The y of the point whose x is t. x1 and x2 are clamped to 0..1, so that there is one.
    float x1, y1, x2, y2;
    // MD5_EASE_STEPS, as steps() of CSS: a staircase. 1 to MD5_MAX_EASE_STEPS steps; with
    // MD5_JUMP_NONE at least 2.
    uint32_t steps;
    md5_jump jump;
} md5_easing_curve;

// Returns the eased value of `t`, which is clamped to 0..1, NaN to 0. Of a cubic Bézier it is
// exactly 0 at 0 and 1 at 1 and within 1e-6 of the exact y for y1 and y2 in -2..3. Steps count a t
// that is below the start of a step by no more than a float's rounding as that start, so k / steps
// begins step k. The named curves of CSS: ease .25 .1 .25 1, ease-in .42 0 1 1, ease-out 0 0 .58 1,
// ease-in-out .42 0 .58 1.
MD5_API float md5_ease_curve(const md5_easing_curve *curve, float t);

// Returns md5_ease_curve() at the time `elapsed` of `duration` seconds: 1 if the duration is not
// above 0.
MD5_API float md5_ease_over(const md5_easing_curve *curve, double elapsed, double duration);

// Returns the name of an easing, as machine files write it ("cubic_in_out"), or NULL if it is none:
// loops may count up until then. Static text.
MD5_API const char *md5_easing_name(md5_easing easing);

// Finds an easing by its name: sets *easing and returns true, or returns false. `-` and `_` are the
// same, and so are the short names quad, quart, quint, expo, circ and sqrt: "quad-in-out". `name`
// may be NULL.
MD5_API bool md5_find_easing(const char *name, md5_easing *easing);

// -- Following a target ---------------------------------------------------------------------

// Returns the share of its distance to a target that a value goes in `seconds` if it approaches at
// `rate` (1/s) of what remains: 1 - e^(-rate seconds), within 1e-7; 0 if rate or seconds is not
// above 0. Each frame:
//   x += (target - x) * md5_follow_share(rate, seconds);
//   position = md5_vec3_lerp(position, target, share);
//   rotation = md5_slerp(rotation, target, share);
// However a second is split into frames, x comes to the same value. Half of the distance is left
// after 0.693 / rate seconds. For a motion with inertia, which can overshoot, see md5_spring() in
// md5pose.h.
MD5_API float md5_follow_share(float rate, float seconds);

#ifdef __cplusplus
}
#endif

#endif
