// md5curve: functions for motion that is not stored in a model: easing (movement with changing
// speed), smooth approach of a target, curves in space, and interpolation of rotation keys. Use
// them for cameras, missiles, doors, menus and transitions. State machines (md5machine.h) use the
// easings.
//
// This code moves a camera along a path in three seconds. The camera starts and stops slowly:
//
//   md5_curve_desc desc = MD5_INIT;
//   desc.points = points;
//   desc.num_points = num_points;
//   md5_curve *path = md5_create_curve(&desc, NULL, &error);
//   md5_easing easing = MD5_INIT;
//   easing.kind = MD5_EASE_SINE_IN_OUT;
//   // In each frame, `seconds` after the start:
//   double distance = md5_curve_length(path) * md5_ease(easing, seconds / 3.0f);
//   *camera = md5_curve_point(path, md5_curve_at_distance(path, distance));
//
// Every function computes the same bits on every platform. Only md5_create_curve() and
// md5_create_squad() allocate memory and can fail. The objects that they create are read-only, and
// several threads may use them. All other functions may run concurrently.
#ifndef MD5CURVE_H
#define MD5CURVE_H

#include "md5model.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// -- Easing ---------------------------------------------------------------------------------

// The kinds of easing. An easing is a function that changes the course of a transition: it maps the
// elapsed fraction of the time, t, from 0 to 1, to the completed fraction of the transition, which
// also starts at 0 and ends at 1.
//
// Most kinds belong to a family with three variants. IN starts slowly, OUT ends slowly, and IN_OUT
// starts and ends slowly. The variants follow from the function IN of the family:
//
//   OUT(t) = 1 - IN(1 - t)
//   IN_OUT(t) = IN(2 t) / 2            if t <= 1/2
//   IN_OUT(t) = 1 - IN(2 - 2 t) / 2    if t > 1/2
//
// The formulas are R. Penner's, with the constants of easings.net. The functions IN are:
//
//   QUADRATIC     t^2
//   CUBIC         t^3
//   QUARTIC       t^4
//   QUINTIC       t^5
//   SINE          1 - cos(pi t / 2)
//   CIRCULAR      1 - sqrt(1 - t^2)
//   EXPONENTIAL   2^(10 t - 10), and 0 at t = 0. The function jumps there by 1/1024.
//   BACK          (c + 1) t^3 - c t^2, where c = 1.70158, or 1.525 times this value for IN_OUT.
//                 The minimum is -0.1.
//   ELASTIC       -2^(10 t - 10) sin(2 pi (10 t - 10 - p / 4) / p), where the period p is 3, or 4.5
//                 for IN_OUT. The function oscillates between -0.37 and 1.
//   BOUNCE        four parabolas h - 7.5625 (t - m)^2, where m is the t of the highest point.
//                 They start with the value 0 at t = 0, 1/11, 3/11 and 7/11, and their heights h
//                 are 1/64, 1/16, 1/4 and 1.
//
// The kinds without variants are:
//
//   LINEAR        t
//   SMOOTH        3 t^2 - 2 t^3
//   SQUARE_ROOT   sqrt(t)
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
    // The following kinds have parameters, which are members of md5_easing.
    MD5_EASE_CUBIC_BEZIER,
    MD5_EASE_STEPS,
} md5_ease_kind;

// Selects where the staircase function MD5_EASE_STEPS jumps from one step to the next, as in the
// function steps() of CSS.
typedef enum md5_jump {
    MD5_JUMP_END,   // The value jumps at the end of each step.
    MD5_JUMP_START, // The value jumps at the start of each step.
    MD5_JUMP_NONE,  // The value jumps only between the steps, not at t = 0 and t = 1.
    MD5_JUMP_BOTH,  // The value jumps at t = 0, between the steps, and at t = 1.
} md5_jump;

// The largest number of steps of an easing of kind MD5_EASE_STEPS.
enum { MD5_MAX_EASE_STEPS = 1 << 16 };

// An easing and its parameters. A structure that is initialized with MD5_INIT is the linear easing.
// Only MD5_EASE_CUBIC_BEZIER and MD5_EASE_STEPS use the members after `kind`.
typedef struct md5_easing {
    md5_ease_kind kind;
    // Control points (x1, y1) and (x2, y2) of a Bézier curve from (0, 0) to (1, 1), as in the
    // function cubic-bezier() of CSS. Only MD5_EASE_CUBIC_BEZIER uses them. The eased value is the
    // y of the point of the curve whose x is t. x1 and x2 are clamped to 0..1, so that there is
    // only one such point.
    float x1, y1, x2, y2;
    // Number of steps of a staircase, 1 to MD5_MAX_EASE_STEPS, and the positions of its jumps, as
    // in the function steps() of CSS. With MD5_JUMP_NONE, at least 2 steps are required. Only
    // MD5_EASE_STEPS uses both members.
    uint32_t steps;
    md5_jump jump;
} md5_easing;

// Computes an easing: returns the eased value of `t`, which is usually the elapsed time divided by
// the duration. `t` is clamped to 0..1; NaN counts as 0.
//
// Range: except for steps, the result is exactly 0 at t = 0 and exactly 1 at t = 1. Between them,
// BACK and ELASTIC leave the range 0..1. All kinds without parameters are monotonic, except for
// BACK, ELASTIC and BOUNCE.
//
// Precision: the result is within 1e-6 of the formula. For a cubic Bézier curve this is true if y1
// and y2 are from -2 to 3. For steps, a value of `t` that is below the start of a step by no more
// than the rounding of a float counts as the start. Therefore t = k / steps begins step k.
//
// The named curves of CSS are cubic Bézier curves with the following parameters x1, y1, x2, y2:
//
//   ease          0.25  0.1  0.25  1
//   ease-in       0.42  0    1     1
//   ease-out      0     0    0.58  1
//   ease-in-out   0.42  0    0.58  1
MD5_PLAY_API float md5_ease(md5_easing easing, float t);

// Returns the name of an easing as it is written in machine files, for example "cubic_in_out". The
// string is static. Returns NULL if `kind` is invalid, so that a loop over all kinds can end at the
// first NULL.
MD5_PLAY_API const char *md5_easing_name(md5_ease_kind kind);

// Finds an easing by its name. Writes the kind to *kind and returns true, or returns false if the
// name is unknown. `name` may be NULL. The characters - and _ are equivalent. The short forms quad,
// quart, quint, expo, circ and sqrt are accepted, for example "quad-in-out".
MD5_PLAY_API bool md5_easing_from_name(const char *name, md5_ease_kind *kind);

// -- Following a target ---------------------------------------------------------------------

// Lets a value approach a target smoothly, fast at first and then more slowly. Returns the fraction
// of the remaining distance by which the value moves in `seconds`:
//
//   1 - e^(-rate seconds)
//
// with an error of at most 1e-7. `rate`, in 1/s, is the speed divided by the remaining distance.
// After 0.693 / rate seconds, half of the distance remains. Returns 0 if `rate` or `seconds` is not
// above 0. Apply the result in each frame to a number, a position or a rotation:
//
//   const float fraction = md5_smoothing_fraction(rate, seconds);
//   x += (target_x - x) * fraction;
//   position = md5_vec3_lerp(position, target, fraction);
//   rotation = md5_quat_slerp(rotation, target_rotation, fraction);
//
// The motion does not depend on the frame rate.
MD5_PLAY_API float md5_smoothing_fraction(float rate, float seconds);

// Lets a value approach a target with inertia, like an object on a damped spring. Updates *value
// and *velocity (per second) by one step of `seconds`, according to
//
//   value'' = stiffness (target - value) - damping value'
//
// The equation is solved exactly for a target that is constant during the step, so the motion does
// not depend on the division of time into steps. `stiffness` is in 1/s^2 and must be above 0.
// `damping` is in 1/s; negative values count as 0. If damping^2 < 4 stiffness, the value overshoots
// the target. If damping^2 = 4 stiffness, it arrives as fast as possible without overshooting.
// Changes nothing if a number is not finite, or if `stiffness` or `seconds` is not above 0.
//
// For vectors, call this function for each coordinate. For chains of joints, use md5_solve_spring()
// in md5pose.h.
MD5_PLAY_API void md5_spring_damp(float target, float stiffness, float damping, float seconds,
                                  float *value, float *velocity);

// -- Curves ---------------------------------------------------------------------------------
// A curve is a path in space that is defined by points. Some kinds of curves pass through all their
// points, others pass near them. A position on the curve is given by the parameter t, from 0 at the
// start to 1 at the end, or by the distance from the start along the curve. On a closed curve,
// parameters and distances outside the curve continue at the other end: t = 1.25 is equivalent to t
// = 0.25. On an open curve they are clamped. NaN counts as 0.
//
// A curve consists of pieces. Each piece is a formula for a part of the range of t.

// The kinds of curves. A curve is a path in space that is defined by points; the kind determines
// how the points define the path.
typedef enum md5_curve_kind {
    // Centripetal Catmull-Rom spline: cubic pieces through all points (Catmull, Rom 1974). The size
    // of a piece in t is proportional to the square root of the distance between its points. This
    // is called centripetal; the curve then has no cusps and no loops within a piece (Yuksel,
    // Schaefer, Keyser 2011). The velocity is continuous in t. At an end of an open curve, the
    // tangent points to the neighboring point.
    MD5_CURVE_CATMULL_ROM,
    // Uniform Catmull-Rom spline: like the centripetal spline, but all pieces have the same size in
    // t.
    MD5_CURVE_CATMULL_ROM_UNIFORM,
    // Cubic Bézier pieces, which have the same size in t. The curve passes through the points 0, 3,
    // 6 and so on; the two points between them are control points. An open curve with n pieces has
    // 3 n + 1 points. A closed curve with n pieces has 3 n points; its last piece ends at point 0.
    MD5_CURVE_CUBIC_BEZIER,
    // A single open Bézier curve. Its degree is num_points - 1, at most MD5_MAX_CURVE_DEGREE.
    MD5_CURVE_BEZIER,
    // Uniform cubic B-spline. The curve passes near its points, and its second derivative is
    // continuous. An open curve with the points p0, p1, p2 and so on starts near p1, at (p0 + 4 p1
    // + p2) / 6. A closed curve starts near p0.
    MD5_CURVE_B_SPLINE,
    // Non-uniform rational B-spline, with the members `degree`, `weights` and `knots` of
    // md5_curve_desc.
    MD5_CURVE_NURBS,
} md5_curve_kind;

// The largest degree of Bézier curves and NURBS, and the largest number of points of a curve.
enum { MD5_MAX_CURVE_DEGREE = 15, MD5_MAX_CURVE_POINTS = 1 << 20 };

// Description of a curve, from which md5_create_curve() creates it.
typedef struct md5_curve_desc {
    md5_curve_kind kind;
    // [num_points] The points that define the curve. Coordinates must be finite. Only
    // md5_create_curve() reads the array.
    const md5_vec3 *points;
    // Number of points, at most MD5_MAX_CURVE_POINTS. Several points may be equal.
    uint32_t num_points;
    bool is_closed; // If true, after the last point, the curve returns to its start.
    // Degree of the pieces, 1 to MD5_MAX_CURVE_DEGREE. 0 means 3. Only MD5_CURVE_NURBS uses this
    // member and the members after it.
    uint32_t degree;
    // [num_points] Weights of the points, 0.001 to 1000. A larger weight moves the curve closer to
    // its point. If NULL, all weights are 1.
    const float *weights;
    // [num_points + degree + 1] Knots in ascending order, or NULL. A knot is a value of the
    // parameter at which a piece begins or ends. The range of t, from 0 to 1, corresponds to the
    // range of knots from knots[degree] to knots[num_points]. A value may occur `degree` times, at
    // the ends of the array `degree` + 1 times. Different values must differ by at least 1e-9 of
    // the range of knots. If the pointer is NULL, the knots are uniform, and an open curve passes
    // from the first point to the last point. The pointer must be NULL for a closed curve.
    const float *knots;
    uint64_t reserved[4]; // must be 0
} md5_curve_desc;

// A curve and its length. The structure is opaque.
typedef struct md5_curve md5_curve;

// Creates a curve and measures its length. If `allocator` is NULL, malloc() and free() are used.
// Free the curve with md5_destroy_curve(). The time is linear in the number of points; a smooth
// curve takes about 50 evaluations per point.
//
// Returns NULL with MD5_ERROR_RANGE if a number is outside the limits of md5_curve_desc, or if the
// kind or the number of points is invalid. Returns NULL with MD5_ERROR_MEMORY if memory runs out.
MD5_PLAY_API md5_curve *md5_create_curve(const md5_curve_desc *desc, const md5_allocator *allocator,
                                         md5_error *error);
MD5_PLAY_API void md5_destroy_curve(md5_curve *curve); // accepts NULL

// Returns the point of a curve at t, for example the position of a camera. If the kind of curve
// passes through its first and last point, the results at t = 0 and t = 1 are exactly these points.
// The point is computed in double precision from the control points by de Casteljau's algorithm.
// For this purpose, md5_create_curve() converts B-splines to Bézier pieces by de Boor's algorithm.
MD5_PLAY_API md5_vec3 md5_curve_point(const md5_curve *curve, double t);

// Returns the derivative of the point by t, in units. The direction of the result is the direction
// of the curve, and its length is the speed in t. The result is 0 0 0 at positions where the curve
// stops, for example at equal points. If the direction changes abruptly at t, the result is the
// derivative of the following piece.
MD5_PLAY_API md5_vec3 md5_curve_tangent(const md5_curve *curve, double t);

// Returns the value of t at which a piece of the curve starts, for example to find the time at
// which an object passes a point. For the index after the last piece, returns 1. On a Catmull-Rom
// curve, point i is at t = md5_curve_start(curve, i).
MD5_PLAY_API double md5_curve_start(const md5_curve *curve, uint32_t piece);

// Returns the length of the whole curve in units. The error is at most 1e-6 of the length of the
// control polygon, which is the line through all points. For a curve far from the origin, rounding
// adds an error of at most 1e-11 of the distance from the origin for each piece.
MD5_PLAY_API double md5_curve_length(const md5_curve *curve);

// These functions convert between t and the distance from the start along the curve, in units. Use
// md5_curve_at_distance() to move an object with constant speed: advance the distance by the same
// amount in each step. The error is the same as for md5_curve_length(). On a closed curve the end
// is the start, so both functions return 0 there. The time is logarithmic in the number of points,
// plus about 50 evaluations.
MD5_PLAY_API double md5_curve_at_distance(const md5_curve *curve, double distance);
MD5_PLAY_API double md5_curve_distance(const md5_curve *curve, double t);

// -- Rotations along keys -------------------------------------------------------------------

// A rotation that changes over time and passes through keys, which are rotations at given times.
// The structure is opaque. Between keys the rotation follows the shorter arc, and its angular
// velocity is continuous. Use it for example for a camera that looks in several directions one
// after another.
//
// The method is squad, spherical and quadrangle interpolation (K. Shoemake, Quaternion calculus for
// animation, SIGGRAPH 1987 course notes). It uses an inner rotation on each side of a key. For keys
// at equal intervals, the inner rotations are computed by Shoemake's formula. For other keys, they
// are chosen so that the velocity at a key is equal on both sides; this velocity is the velocity of
// the parabola through the key and its two neighbors. The velocity is limited to one revolution in
// the longer of the two intervals next to the key.
typedef struct md5_squad md5_squad;

// Creates a squad from keys: the rotation rotations[i] at the time times[i], in seconds, for i from
// 0 to num_keys - 1. Times must be ascending. Rotations may have any length.
//
// If `period` is above 0, the rotation is periodic: the first key follows the last key at times[0]
// + period, which must be after the last key. If `period` is 0, the rotation is constant before the
// first key and after the last key.
//
// `allocator` may be NULL. Free the result with md5_destroy_squad(). Returns NULL with
// MD5_ERROR_RANGE if `num_keys` is 0, if a key is not a rotation, or if a time is not finite or not
// above the previous time. Returns NULL with MD5_ERROR_MEMORY if memory runs out.
MD5_PLAY_API md5_squad *md5_create_squad(const md5_quat *rotations, const double *times,
                                         uint32_t num_keys, double period,
                                         const md5_allocator *allocator, md5_error *error);
MD5_PLAY_API void md5_destroy_squad(md5_squad *squad); // accepts NULL

// Returns the rotation at a time in seconds. The result has unit length. NaN counts as the time of
// the first key. The time is logarithmic in the number of keys.
MD5_PLAY_API md5_quat md5_squad_rotation(const md5_squad *squad, double time);

#ifdef __cplusplus
}
#endif

#endif
