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
//   EXPONENTIAL 2^(10 t - 10), and 0 at t = 0, where it jumps by 1/1024
//   BACK (c + 1) t^3 - c t^2, which falls to -0.1 first; c = 1.70158, of IN_OUT 1.525 times that
//   ELASTIC -2^(10 t - 10) sin(2 pi (10 t - 10 - p / 4) / p), which swings from -0.37 to 1; the
//     period p is 3, of IN_OUT 4.5
//   BOUNCE parabolas h - 7.5625 (t - m)^2 that begin at 0, at t = 0, 1/11, 3/11 and 7/11, and rise
//     to h = 1/64, 1/16, 1/4 and 1
//
// LINEAR is t, SMOOTH 3 t^2 - 2 t^3, SQUARE_ROOT sqrt(t).
typedef enum md5_ease_kind {
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
    // With numbers.
    MD5_EASE_CUBIC_BEZIER,
    MD5_EASE_STEPS,
} md5_ease_kind;

// Where MD5_EASE_STEPS jumps, as steps() of CSS: after each step; before each; only between them;
// or before, between and after.
typedef enum md5_jump {
    MD5_JUMP_END,
    MD5_JUMP_START,
    MD5_JUMP_NONE,
    MD5_JUMP_BOTH,
} md5_jump;

enum { MD5_MAX_EASE_STEPS = 1 << 16 };

// An easing with its numbers, a value. {0} is linear; easings without numbers ignore them.
typedef struct md5_easing {
    md5_ease_kind kind;
    // MD5_EASE_CUBIC_BEZIER, as cubic-bezier() of CSS: from 0 0 with control points x1 y1 and x2 y2
    // to 1 1. The y of the point whose x is t. x1 and x2 are clamped to 0..1, so that there is one.
    float x1, y1, x2, y2;
    // MD5_EASE_STEPS, as steps() of CSS: a staircase. 1 to MD5_MAX_EASE_STEPS steps; with
    // MD5_JUMP_NONE at least 2.
    uint32_t steps;
    md5_jump jump;
} md5_easing;

// Returns the eased value of `t`, as of elapsed / duration, which is clamped to 0..1, NaN to 0:
// within 1e-6 of the formula, of a cubic Bézier for y1 and y2 in -2..3, and but for steps exactly 0
// at 0 and 1 at 1. BACK and ELASTIC leave 0..1 on their way; all without numbers but these and
// BOUNCE rise. Steps count a t that is below the start of a step by no more than a float's rounding
// as that start, so k / steps begins step k. The named curves of CSS: ease .25 .1 .25 1, ease-in
// .42 0 1 1, ease-out 0 0 .58 1, ease-in-out .42 0 .58 1.
MD5_PLAY_API float md5_ease(md5_easing easing, float t);

// Returns the name of an easing, as machine files write it ("cubic_in_out"), or NULL if it is none:
// loops may count up until then. Static text.
MD5_PLAY_API const char *md5_easing_name(md5_ease_kind kind);

// Finds an easing by its name: sets *kind and returns true, or returns false. `-` and `_` are the
// same, and so are the short names quad, quart, quint, expo, circ and sqrt: "quad-in-out". `name`
// may be NULL.
MD5_PLAY_API bool md5_easing_from_name(const char *name, md5_ease_kind *kind);

// -- Following a target ---------------------------------------------------------------------

// Returns the share of its distance to a target that a value goes in `seconds` if it approaches at
// `rate` (1/s) of what remains: 1 - e^(-rate seconds), within 1e-7; 0 if rate or seconds is not
// above 0. Each frame:
//   x += (target - x) * md5_follow_share(rate, seconds);
//   position = md5_vec3_lerp(position, target, share);
//   rotation = md5_quat_slerp(rotation, target, share);
// However a second is split into frames, x comes to the same value. Half of the distance is left
// after 0.693 / rate seconds.
MD5_PLAY_API float md5_follow_share(float rate, float seconds);

// A value with inertia: it is drawn to a target by a damped spring,
//   value'' = stiffness (target - value) - damping value',
// solved exactly for a target that stays where it is during the step, so the result does not
// depend on how time is split. It overshoots if damping^2 < 4 stiffness; at damping^2 = 4 stiffness
// it arrives soonest without. `stiffness` is 1/s^2, above 0; `damping` 1/s, negative counts as 0.
// Changes *value and *velocity (per second). If a number is not finite, the stiffness not above 0
// or the time not above 0, nothing changes. For vectors, call it for each coordinate; for chains of
// joints there is md5_solve_spring() in md5pose.h.
MD5_PLAY_API void md5_follow_spring(float target, float stiffness, float damping, float seconds,
                                    float *value, float *velocity);

// -- Curves ---------------------------------------------------------------------------------
//
// A curve goes through or along points in space while its parameter t goes from 0 to 1. On a closed
// curve t and distances continue beyond their ends, so 1.25 is 0.25; on others they are clamped.
// A t or distance that is NaN counts as 0.

typedef enum md5_curve_kind {
    // Through all points, cubic pieces (Catmull, Rom 1974). Centripetal: between two points the
    // curve takes the square root of their distance, so it has no cusps or loops there (Yuksel,
    // Schaefer, Keyser 2011). Its velocity is continuous in t. Uniform: each piece takes equally
    // long. The ends of an open curve leave towards their neighbours.
    MD5_CURVE_CATMULL_ROM,
    MD5_CURVE_CATMULL_ROM_UNIFORM,
    // Cubic Bézier pieces, each an equal share of t: through points 0, 3, 6, ..., with two control
    // points between each two. An open curve of n pieces has 3 n + 1 points, a closed one 3 n: its
    // last piece ends at point 0.
    MD5_CURVE_CUBIC_BEZIER,
    // One open Bézier curve of degree num_points - 1, at most MD5_MAX_CURVE_DEGREE.
    MD5_CURVE_BEZIER,
    // Uniform cubic B-spline: near its points and smoother than the others, also in its second
    // derivative. An open one begins near point 1: at (p0 + 4 p1 + p2) / 6, a closed one near 0.
    MD5_CURVE_B_SPLINE,
    // Non-uniform rational B-spline, whose `degree`, `weights` and `knots` are given.
    MD5_CURVE_NURBS,
} md5_curve_kind;

enum { MD5_MAX_CURVE_DEGREE = 15, MD5_MAX_CURVE_POINTS = 1 << 20 };

typedef struct md5_curve_desc {
    md5_curve_kind kind;
    const md5_vec3 *points; // [num_points], finite; only read by md5_create_curve()
    uint32_t num_points;    // at most MD5_MAX_CURVE_POINTS; equal points are allowed
    bool is_closed;
    // NURBS only.
    uint32_t degree;      // 1 to MD5_MAX_CURVE_DEGREE; 0 = 3
    const float *weights; // [num_points], 0.001 to 1000; NULL: all 1
    // [num_points + degree + 1], rising. t runs from knots[degree] to knots[num_points]. A value
    // may occur `degree` times, at the ends degree + 1 times; others differ by at least 1e-9 of
    // that range. NULL: uniform, and an open curve goes from the first to the last point. NULL for
    // a closed curve.
    const float *knots;
    uint64_t reserved[4]; // 0
} md5_curve_desc;

typedef struct md5_curve md5_curve;

// Creates a curve, and measures its length. Returns NULL with MD5_ERROR_RANGE if a number is
// outside its limits above, the kind or the number of points is invalid, or with MD5_ERROR_MEMORY.
// `allocator` may be NULL: malloc and free. Free the curve with
// md5_destroy_curve(). Time is linear in the points, for smooth curves about 50 evaluations for
// each.
MD5_PLAY_API md5_curve *md5_create_curve(const md5_curve_desc *desc, const md5_allocator *allocator,
                                         md5_error *error);
MD5_PLAY_API void md5_destroy_curve(md5_curve *curve); // NULL is allowed

// Returns the point at t. Computed in double from the control points (P. de Casteljau; a B-spline
// is cut into Bézier pieces by C. de Boor's algorithm when it is created). At 0 and 1 it is exactly
// the first and last point of a curve that goes through them.
MD5_PLAY_API md5_vec3 md5_curve_point(const md5_curve *curve, double t);

// Returns the derivative of the point by t, in units: its direction is that of the curve, its
// length the speed. 0 0 0 where the curve stops, as at equal points. Where the direction jumps,
// that of the following piece.
MD5_PLAY_API md5_vec3 md5_curve_tangent(const md5_curve *curve, double t);

// Returns the t at which a piece begins; of the index behind the last one: 1. Point i of a
// Catmull-Rom curve is at md5_curve_start(curve, i).
MD5_PLAY_API double md5_curve_start(const md5_curve *curve, uint32_t piece);

// Returns the length of the whole curve in units, within 1e-6 of the length of its control polygon;
// far from the origin, within 1e-11 of that distance for each piece.
MD5_PLAY_API double md5_curve_length(const md5_curve *curve);

// Convert between t and the distance from the start along the curve, in units, with the same error.
// Equal steps of distance are equal steps along the curve: constant speed. The end of a closed
// curve is its start: both return 0 there. Time: logarithmic in the number of points, and some 50
// evaluations.
MD5_PLAY_API double md5_curve_at_distance(const md5_curve *curve, double distance);
MD5_PLAY_API double md5_curve_distance(const md5_curve *curve, double t);

// -- Rotations along keys -------------------------------------------------------------------

// A rotation that passes keys at their times and never changes its angular velocity abruptly: squad
// (K. Shoemake, Quaternion calculus for animation, SIGGRAPH 1987 course notes). For keys at equal
// intervals the inner rotations are Shoemake's; for others they are selected so that the velocity
// at each key, that of the parabola through its neighbours, is the same on both sides. It is
// limited to one turn in the longer of both intervals. From key to key by the shorter arc.
typedef struct md5_squad md5_squad;

// Creates it from keys: rotations[num_keys] at times[num_keys], in seconds, rising. With a `period`
// above 0 the first key follows the last one, at times[0] + period, which must be after it; with 0
// the rotation stays as it is before the first key and after the last one. Rotations need not be of
// unit length. Returns NULL with MD5_ERROR_RANGE if there is no key, a key is no rotation, or a
// time is not finite or not above the one before, or with MD5_ERROR_MEMORY. `allocator` may be
// NULL. Free it with md5_destroy_squad().
MD5_PLAY_API md5_squad *md5_create_squad(const md5_quat *rotations, const double *times,
                                         uint32_t num_keys, double period,
                                         const md5_allocator *allocator, md5_error *error);
MD5_PLAY_API void md5_destroy_squad(md5_squad *squad); // NULL is allowed

// Returns the rotation at a time, of unit length; NaN counts as the first key. Time: logarithmic in
// the keys.
MD5_PLAY_API md5_quat md5_squad_rotation(const md5_squad *squad, double time);

#ifdef __cplusplus
}
#endif

#endif
