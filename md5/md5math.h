// md5math: the values of the other headers (vectors, quaternions, transforms, matrices, bounds) and
// functions on them.
//
// Vectors are columns: v' = M * v. Products follow textbook order: a * b applies b first, then a.
// Angles are radians, except Euler angles and fields of view, which are degrees as in id's files.
// Positive angles turn counterclockwise, seen from the tip of the axis in a right-handed space.
// All functions are pure: they may run concurrently, allocate nothing and cannot fail.
//
// Functions of few operations are inline. They are the ones that the library computes with; in your
// program they give the same bits on every machine if it is compiled with -ffp-contract=off and
// without -ffast-math.
#ifndef MD5MATH_H
#define MD5MATH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What each library exports. With MD5_SHARED, for DLLs, each is built with a macro of its own.
#if defined(_WIN32) && defined(MD5_SHARED)
#ifdef MD5_BUILD
#define MD5_API __declspec(dllexport)
#else
#define MD5_API __declspec(dllimport)
#endif
#ifdef MD5_PLAY_BUILD
#define MD5_PLAY_API __declspec(dllexport)
#else
#define MD5_PLAY_API __declspec(dllimport)
#endif
#ifdef MD5_GAME_BUILD
#define MD5_GAME_API __declspec(dllexport)
#else
#define MD5_GAME_API __declspec(dllimport)
#endif
#ifdef MD5_EDIT_BUILD
#define MD5_EDIT_API __declspec(dllexport)
#else
#define MD5_EDIT_API __declspec(dllimport)
#endif
#else
#ifdef __GNUC__
#define MD5_API __attribute__((visibility("default")))
#else
#define MD5_API
#endif
#define MD5_PLAY_API MD5_API
#define MD5_GAME_API MD5_API
#define MD5_EDIT_API MD5_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// -- Types ----------------------------------------------------------------------------------

typedef struct md5_vec2 {
    float x, y;
} md5_vec2;

typedef struct md5_vec3 {
    float x, y, z;
} md5_vec3;

typedef struct md5_vec4 {
    float x, y, z, w;
} md5_vec4;

// Unit quaternion. Files store x y z, from which the loader rebuilds w by md5_quat_from_xyz(). It
// warns if x^2 + y^2 + z^2 exceeds 1.00001.
typedef struct md5_quat {
    float x, y, z, w;
} md5_quat;

// Rotation, then translation: v' = rotation * v + translation. 32 bytes, for SIMD loads; `pad` is
// 0.
typedef struct md5_xform {
    md5_quat rotation;
    md5_vec3 translation;
    float pad;
} md5_xform;

// A transform as unit dual quaternion: real = rotation, dual = (translation, 0) * rotation / 2.
// Negating both parts gives the same transform.
typedef struct md5_dual_quat {
    md5_quat real, dual;
} md5_dual_quat;

// 3x4 matrix, row-major: row r is m[4*r] .. m[4*r + 3]; its last element is the translation. The
// bytes are three vec4 rows, as shaders read them.
typedef struct md5_mat34 {
    float m[12];
} md5_mat34;

// 4x4 matrix, column-major, as OpenGL, Vulkan and Direct3D shaders read it: column c is
// m[4*c] .. m[4*c + 3]; the last column is the translation.
typedef struct md5_mat44 {
    float m[16];
} md5_mat44;

// id's angles, in degrees: roll about x (forward) first, then pitch about y (left), then yaw about
// z (up). Positive pitch looks down, positive yaw turns left, positive roll leans right.
typedef struct md5_euler {
    float pitch, yaw, roll;
} md5_euler;

// Range of z in clip space.
typedef enum md5_depth {
    MD5_DEPTH_MINUS_ONE_TO_ONE, // OpenGL
    MD5_DEPTH_ZERO_TO_ONE,      // Vulkan, Direct3D, Metal, OpenGL with glClipControl()
    MD5_DEPTH_ONE_TO_ZERO,      // of the same range, reversed: near is 1
} md5_depth;

// Axes of a space, as a character sees them that looks forward. A `LEFT` space is left-handed.
typedef enum md5_axes {
    MD5_AXES_ID,        // x forward, y left, z up: the files
    MD5_AXES_Y_UP,      // x right, y up, z backward: OpenGL, Vulkan and Godot cameras
    MD5_AXES_GLTF,      // x left, y up, z forward: glTF, three.js and Godot models
    MD5_AXES_Y_UP_LEFT, // x right, y up, z forward: Unity, Direct3D
    MD5_AXES_Z_UP_LEFT, // x forward, y right, z up: Unreal
    MD5_AXES_BLENDER,   // x left, y backward, z up
} md5_axes;

// Axis-aligned bounding box. Empty if min.x > max.x.
typedef struct md5_bounds {
    md5_vec3 min, max;
} md5_bounds;

// -- Vectors --------------------------------------------------------------------------------

static inline md5_vec3 md5_vec3_add(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

static inline md5_vec3 md5_vec3_sub(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 difference = {a.x - b.x, a.y - b.y, a.z - b.z};
    return difference;
}

static inline md5_vec3 md5_vec3_scale(md5_vec3 a, float s)
{
    const md5_vec3 product = {a.x * s, a.y * s, a.z * s};
    return product;
}

static inline float md5_vec3_dot(md5_vec3 a, md5_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline md5_vec3 md5_vec3_cross(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 cross = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return cross;
}

static inline md5_vec3 md5_vec3_lerp(md5_vec3 a, md5_vec3 b, float t)
{
    return md5_vec3_add(a, md5_vec3_scale(md5_vec3_sub(b, a), t));
}

static inline float md5_vec3_length(md5_vec3 a)
{
    return sqrtf(md5_vec3_dot(a, a));
}

// Returns `a` at unit length, or `fallback` if `a` is too short or too long to have a direction in
// floats: its square is at most 1e-30, or not finite.
static inline md5_vec3 md5_vec3_normalize(md5_vec3 a, md5_vec3 fallback)
{
    const float square = md5_vec3_dot(a, a);
    if (!(square > 1e-30f && square < INFINITY))
        return fallback;
    return md5_vec3_scale(a, 1.0f / sqrtf(square));
}

// -- Rotations ------------------------------------------------------------------------------

// Returns a * b.
static inline md5_quat md5_quat_mul(md5_quat a, md5_quat b)
{
    const md5_quat product = {
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
        a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
    return product;
}

// Returns the conjugate, which is the inverse of a unit quaternion.
static inline md5_quat md5_quat_conjugate(md5_quat q)
{
    const md5_quat conjugate = {-q.x, -q.y, -q.z, q.w};
    return conjugate;
}

// Returns `v` rotated by the unit quaternion `q`.
static inline md5_vec3 md5_quat_rotate(md5_quat q, md5_vec3 v)
{
    const md5_vec3 axis = {q.x, q.y, q.z};
    const md5_vec3 twice = md5_vec3_scale(md5_vec3_cross(axis, v), 2);
    return md5_vec3_add(md5_vec3_add(v, md5_vec3_scale(twice, q.w)), md5_vec3_cross(axis, twice));
}

// Returns `q` at unit length, or `fallback` if `q` is too short or too long to be a rotation: its
// square is not between 1e-30 and 1e30. For products of many rotations, whose length drifts from 1.
static inline md5_quat md5_quat_normalize(md5_quat q, md5_quat fallback)
{
    const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(square > 1e-30f && square < 1e30f))
        return fallback;
    const float scale = 1.0f / sqrtf(square);
    const md5_quat unit = {q.x * scale, q.y * scale, q.z * scale, q.w * scale};
    return unit;
}

// Interpolates from `a` (t = 0) to `b` (t = 1) along the shorter great arc (Shoemake 1985). Both
// have unit length; t is clamped to 0..1. Every component is within 1e-6 of the exact result. If
// the shorter arc ends at -b, so does the result: the same rotation as b.
MD5_API md5_quat md5_quat_slerp(md5_quat a, md5_quat b, float t);

// Interpolates along the same arc by the normalized sum (1 - t) a + t b, at uneven speed: slower
// near the ends, faster in the middle. Requirements and ends as for md5_quat_slerp(). If the
// rotations differ by the angle 4 h, the angle to the result of md5_quat_slerp() is at most
//   2 atan(x tan(h)) - 2 x h, x = sqrt(tan(h) / h - 1) / tan(h)
// which is reached at t = (1 +- x) / 2; about (4 h)^3 / 249 radians for small angles:
//   angle between the rotations, degrees     10     30    60    90   120  180
//   largest angle to md5_quat_slerp(), degrees  0.0012  0.033 0.27  0.92  2.2  8.1
// md5_quat_slerp() takes no longer: this is for clips that were made with tools that interpolate
// so.
MD5_API md5_quat md5_quat_nlerp(md5_quat a, md5_quat b, float t);

// Returns the rotation that a file stores as x y z: w = -sqrt(|1 - x^2 - y^2 - z^2|), with which
// the textbook quaternion-to-matrix formula agrees with id's engine. If x y z are longer than 1,
// then x y z w are brought to unit length, unlike in id's engine, whose matrix is then not a
// rotation. Not a rotation if the sum of squares is not finite.
static inline md5_quat md5_quat_from_xyz(float x, float y, float z)
{
    const float square = x * x + y * y + z * z;
    const float w = -sqrtf(fabsf(1.0f - square));
    // square + w * w, halved so that it stays finite.
    const float scale = square > 1 ? sqrtf(0.5f) / sqrtf(square - 0.5f) : 1.0f;
    const md5_quat q = {x * scale, y * scale, z * scale, w * scale};
    return q;
}

// Returns the rotation about `axis`, of any length, by `angle` radians; no rotation if the axis is
// zero or not finite.
MD5_API md5_quat md5_quat_from_axis_angle(md5_vec3 axis, float angle);

// Returns the shortest rotation from direction `from` to direction `to`, of any lengths. Opposite
// directions: half a turn about an axis perpendicular to them. No rotation if a vector is zero or
// not finite.
MD5_API md5_quat md5_quat_between(md5_vec3 from, md5_vec3 to);

// Returns yaw * pitch * roll.
MD5_API md5_quat md5_quat_from_euler(md5_euler angles);

// Returns the angles of the unit quaternion `q`: pitch from -90 to 90, yaw and roll from -180 to
// 180. At a pitch of 90 or -90 only the sum or difference of yaw and roll is defined: roll is 0, as
// in id's engine.
MD5_API md5_euler md5_quat_to_euler(md5_quat q);

// Returns the rotation of a matrix whose columns are perpendicular unit vectors of a right-handed
// space, up to rounding error (Shepperd 1978). q and -q are the same rotation; either may result.
// Divide a scale out first: the result is wrong for others.
MD5_API md5_quat md5_quat_from_mat34(md5_mat34 m);

// -- Transforms -----------------------------------------------------------------------------

// Returns a * b.
static inline md5_xform md5_xform_mul(md5_xform a, md5_xform b)
{
    const md5_xform product = {
        md5_quat_mul(a.rotation, b.rotation),
        md5_vec3_add(a.translation, md5_quat_rotate(a.rotation, b.translation)),
        0,
    };
    return product;
}

// Returns placement * motion with a rotation of unit length: where a character is after
// md5_player_root_motion(), for ever.
static inline md5_xform md5_xform_advance(md5_xform placement, md5_xform motion)
{
    md5_xform moved = md5_xform_mul(placement, motion);
    moved.rotation = md5_quat_normalize(moved.rotation, placement.rotation);
    return moved;
}

// Returns the transform that undoes `a`.
static inline md5_xform md5_xform_inverse(md5_xform a)
{
    const md5_quat back = md5_quat_conjugate(a.rotation);
    const md5_xform inverse = {
        back,
        md5_vec3_scale(md5_quat_rotate(back, a.translation), -1),
        0,
    };
    return inverse;
}

// Returns rotation * point + translation.
static inline md5_vec3 md5_xform_point(md5_xform a, md5_vec3 point)
{
    return md5_vec3_add(md5_quat_rotate(a.rotation, point), a.translation);
}

// Returns `a` at t = 0, `b` at t = 1; t is clamped to 0..1. Rotations by md5_quat_slerp(),
// translations lerped: what md5_blend_poses() computes for a joint.
MD5_API md5_xform md5_xform_blend(md5_xform a, md5_xform b, float t);

// Returns the transform of a rigid matrix: see md5_quat_from_mat34().
MD5_API md5_xform md5_xform_from_mat34(md5_mat34 m);

// -- Matrices -------------------------------------------------------------------------------

// Returns the matrix of a transform, by the textbook formula (Shoemake 1985).
MD5_API md5_mat34 md5_mat34_from_xform(md5_xform transform);

// Returns a * b; the last row of both is 0 0 0 1.
MD5_API md5_mat34 md5_mat34_mul(md5_mat34 a, md5_mat34 b);

// Returns the inverse of any affine matrix, with scale and shear, computed in double. All zeros if
// it has no inverse in floats.
MD5_API md5_mat34 md5_mat34_inverse(md5_mat34 m);

// Returns the last column: where the origin goes.
static inline md5_vec3 md5_mat34_translation(md5_mat34 m)
{
    const md5_vec3 translation = {m.m[3], m.m[7], m.m[11]};
    return translation;
}

// Returns m * (point, 1).
MD5_API md5_vec3 md5_mat34_point(md5_mat34 m, md5_vec3 point);

// Returns m * (direction, 0): without the translation.
MD5_API md5_vec3 md5_mat34_direction(md5_mat34 m, md5_vec3 direction);

// Returns the matrix that takes points from id's axes and units to others: `scale` times a
// rotation, or a reflection for left-handed axes. See md5_load_opts.axes.
MD5_API md5_mat34 md5_mat34_from_axes(md5_axes axes, float scale);

// Returns the same matrix with the last row 0 0 0 1.
MD5_API md5_mat44 md5_mat44_from_mat34(md5_mat34 m);

// Returns a * b.
MD5_API md5_mat44 md5_mat44_mul(md5_mat44 a, md5_mat44 b);

// Returns the matrix from world to view space of a camera at `eye` that looks at `target`: in view
// space x is right, y up and -z forward (OpenGL). `up` has any length; if it is parallel to the
// line of sight, another direction is taken, and if `eye` is `target`, the camera looks along +x.
MD5_API md5_mat44 md5_mat44_look_at(md5_vec3 eye, md5_vec3 target, md5_vec3 up);

// Returns the same for a md5_camera_view: `axes` are those with which the camera was loaded.
MD5_API md5_mat44 md5_mat44_look_along(md5_vec3 position, md5_quat rotation, md5_axes axes);

// Returns the matrix from the view space of md5_mat44_look_at() to clip space. `fov_y` is the
// vertical field of view in degrees, above 0 and below 180; `aspect` width / height. `near_z` and
// `far_z` are positive distances, near_z < far_z, which may be INFINITY. y is up in clip space:
// Vulkan needs m[5] negated.
MD5_API md5_mat44 md5_mat44_perspective(float fov_y, float aspect, float near_z, float far_z,
                                        md5_depth depth);

// Returns the vertical field of view of a horizontal one, as in md5_camera_view; both in degrees.
MD5_API float md5_vertical_fov(float horizontal_fov, float aspect);

// Returns the inverse, computed in double. All zeros if it has none in floats.
MD5_API md5_mat44 md5_mat44_inverse(md5_mat44 m);

// -- Bounds ---------------------------------------------------------------------------------

// Returns the bounds of points[count]. Without points: min = +FLT_MAX, max = -FLT_MAX, which is
// empty; `points` may then be NULL.
MD5_API md5_bounds md5_bounds_from_points(const md5_vec3 *points, size_t count);

// Returns the bounds of two boxes. An empty one adds nothing.
MD5_API md5_bounds md5_bounds_union(md5_bounds a, md5_bounds b);

// -- Bounds, planes, rays -------------------------------------------------------------------

// Returns the bounds of a box that is rotated and moved by `m` (Arvo, "Transforming Axis-Aligned
// Bounding Boxes", Graphics Gems, 1990). An empty box stays empty.
MD5_API md5_bounds md5_bounds_transform(md5_bounds bounds, md5_mat34 m);

// Writes the six planes of a view frustum for md5_cull_planes(): left, right, bottom, top, near,
// far, from clip_from_world = projection * view, in the space that the matrix transforms from
// (Gribb and Hartmann, "Fast Extraction of Viewing Frustum Planes", 2001). They are not normalized.
// A far plane at infinity has everything inside.
MD5_API void md5_frustum_planes(md5_mat44 clip_from_world, md5_depth depth, md5_vec4 *planes);

// The points origin + t * direction, from t = 0 to `limit`.
typedef struct md5_ray {
    md5_vec3 origin;
    md5_vec3 direction; // of any length, which is the unit of t; a ray of length 0 hits nothing
    float limit;        // largest t; 0 = none
    bool front_only;    // triangles are hit only from outside
} md5_ray;

// -- Pixels ---------------------------------------------------------------------------------

// Where a picture lies in a window, in pixels whose y counts down from the top, as those of a
// mouse. For y that counts up (gl_FragCoord), and for clip spaces whose y points down (Vulkan),
// begin at the other edge: y + height, -height. The center of the first pixel is 0.5, 0.5.
typedef struct md5_viewport {
    float x, y, width, height; // width and height are not 0
    md5_depth depth;           // of the clip space
} md5_viewport;

// These take clip_from_world = projection * view of any kind: perspective, orthographic or oblique,
// mirrored, with infinite distance. They compute in double, and invert the matrix in each call.

// Writes the pixel x, y of a point and, as z, its depth in a depth buffer: 0..1, or beyond it
// before the near and behind the far plane. Nothing is clipped to the viewport. Returns false and
// writes nothing if the point is not in front of a perspective camera's eye, or a number is not
// finite.
MD5_API bool md5_mat44_project(md5_mat44 clip_from_world, md5_viewport viewport, md5_vec3 point,
                               md5_vec3 *pixel);

// Writes the point of a pixel with a depth, the reverse of md5_mat44_project(). Returns false and
// writes nothing if it is at infinity or beyond, or the matrix has no inverse.
MD5_API bool md5_mat44_unproject(md5_mat44 clip_from_world, md5_viewport viewport, md5_vec3 pixel,
                                 md5_vec3 *point);

// Returns the ray through a pixel, for picking: from the near plane, with a direction of unit
// length, so that t is a distance, and the far plane as limit, 0 if it is infinitely far. All 0,
// which hits nothing, if the matrix has no inverse.
MD5_API md5_ray md5_ray_from_pixel(md5_mat44 clip_from_world, md5_viewport viewport, float x,
                                   float y);

#ifdef __cplusplus
}
#endif

#endif
