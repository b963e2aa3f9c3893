// md5math: types for vectors, quaternions, transforms, matrices and bounding boxes, and functions
// that compute with them.
//
// Conventions: vectors are columns, so a matrix M transforms a vector v to M * v. Products follow
// the textbook order: a * b is the operation that applies b first and then a. Angles are in
// radians. The exceptions are Euler angles and fields of view, which are in degrees as in id's
// files. In a right-handed space, a positive angle rotates counterclockwise for an observer at the
// tip of the axis who looks toward the origin.
//
// All functions are pure: they depend only on their arguments, may run concurrently, do not
// allocate memory and cannot fail.
//
// Short functions are inline, and the library uses them too. They compute the same bits in your
// program on every machine if your program is compiled with -ffp-contract=off and without
// -ffast-math.
#ifndef MD5MATH_H
#define MD5MATH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Export macros of the libraries: the attributes of exported functions. On Windows, define
// MD5_SHARED if the libraries are DLLs. While a library is compiled as a DLL, its macro MD5_BUILD,
// MD5_PLAY_BUILD, MD5_GAME_BUILD, MD5_RAGDOLL_BUILD or MD5_EDIT_BUILD must be defined.
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
#ifdef MD5_RAGDOLL_BUILD
#define MD5_RAGDOLL_API __declspec(dllexport)
#else
#define MD5_RAGDOLL_API __declspec(dllimport)
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
#define MD5_RAGDOLL_API MD5_API
#define MD5_EDIT_API MD5_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// -- Types ----------------------------------------------------------------------------------

// Vectors with two, three and four components.
typedef struct md5_vec2 {
    float x, y;
} md5_vec2;

typedef struct md5_vec3 {
    float x, y, z;
} md5_vec3;

typedef struct md5_vec4 {
    float x, y, z, w;
} md5_vec4;

// A rotation as a unit quaternion x i + y j + z k + w. MD5 files store only x, y and z. The loader
// computes w with md5_quat_from_xyz(), and warns if x^2 + y^2 + z^2 is larger than 1.00001.
typedef struct md5_quat {
    float x, y, z, w;
} md5_quat;

// A transform that consists of a rotation followed by a translation. A point v is transformed to
//
//   rotation * v + translation
//
// where the product is md5_quat_rotate(). The structure has 32 bytes, which SIMD instructions can
// load.
typedef struct md5_xform {
    md5_quat rotation;
    md5_vec3 translation;
    float pad; // not used, 0
} md5_xform;

// A transform as a unit dual quaternion, for dual quaternion skinning. The two parts are
//
//   real = rotation
//   dual = (translation, 0) * rotation / 2
//
// where (translation, 0) is the quaternion with the components of the translation and w = 0.
// Negating both parts gives the same transform.
typedef struct md5_dual_quat {
    md5_quat real, dual;
} md5_dual_quat;

// A 3x4 matrix in row-major order: row r consists of the elements m[4 * r] to m[4 * r + 3]. The
// last element of each row is a component of the translation. Shaders can read the matrix as three
// vectors of type vec4, one for each row.
typedef struct md5_mat34 {
    float m[12];
} md5_mat34;

// A 4x4 matrix in column-major order: column c consists of the elements m[4 * c] to m[4 * c + 3].
// The last column is the translation. Shaders of OpenGL, Vulkan and Direct3D read this order.
typedef struct md5_mat44 {
    float m[16];
} md5_mat44;

// Euler angles of id's engine, in degrees. The rotations are applied in the following order: roll
// around x (forward), then pitch around y (left), then yaw around z (up). A positive pitch looks
// down, a positive yaw rotates to the left, and a positive roll leans to the right.
typedef struct md5_euler {
    float pitch, yaw, roll;
} md5_euler;

// The range of the depth z in clip space, from the near plane to the far plane.
typedef enum md5_depth {
    MD5_DEPTH_MINUS_ONE_TO_ONE, // OpenGL: from -1 at the near plane to 1 at the far plane.
    // Vulkan, Direct3D, Metal, and OpenGL with glClipControl(): from 0 at the near plane to 1 at
    // the far plane.
    MD5_DEPTH_ZERO_TO_ONE,
    // Vulkan, Direct3D and Metal with reversed depth: from 1 at the near plane to 0 at the far
    // plane.
    MD5_DEPTH_ONE_TO_ZERO,
} md5_depth;

// The meaning of the axes x, y and z of a space, for a character that looks forward. A space whose
// name ends with LEFT is left-handed.
typedef enum md5_axes {
    MD5_AXES_ID,        // x forward, y left, z up: MD5 files
    MD5_AXES_Y_UP,      // x right, y up, z backward: OpenGL, Vulkan, cameras of Godot
    MD5_AXES_GLTF,      // x left, y up, z forward: glTF, three.js, models of Godot
    MD5_AXES_Y_UP_LEFT, // x right, y up, z forward: Unity, Direct3D
    MD5_AXES_Z_UP_LEFT, // x forward, y right, z up: Unreal
    MD5_AXES_BLENDER,   // x left, y backward, z up: Blender
} md5_axes;

// An axis-aligned bounding box. The box is empty if min.x > max.x.
typedef struct md5_bounds {
    md5_vec3 min, max;
} md5_bounds;

// -- Vectors --------------------------------------------------------------------------------

// Returns the sum a + b.
static inline md5_vec3 md5_vec3_add(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

// Returns the difference a - b.
static inline md5_vec3 md5_vec3_sub(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 difference = {a.x - b.x, a.y - b.y, a.z - b.z};
    return difference;
}

// Returns the vector `a` multiplied by the number `s`.
static inline md5_vec3 md5_vec3_scale(md5_vec3 a, float s)
{
    const md5_vec3 product = {a.x * s, a.y * s, a.z * s};
    return product;
}

// Returns the dot product of `a` and `b`.
static inline float md5_vec3_dot(md5_vec3 a, md5_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Returns the cross product a x b.
static inline md5_vec3 md5_vec3_cross(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 cross = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return cross;
}

// Interpolates linearly between two vectors. Returns `a` if t is 0 and `b` if t is 1, except for
// rounding. `t` is not clamped.
static inline md5_vec3 md5_vec3_lerp(md5_vec3 a, md5_vec3 b, float t)
{
    return md5_vec3_add(a, md5_vec3_scale(md5_vec3_sub(b, a), t));
}

// Returns the length of `a`.
static inline float md5_vec3_length(md5_vec3 a)
{
    return sqrtf(md5_vec3_dot(a, a));
}

// Returns the vector with the direction of `a` and the length 1. Returns `fallback` if `a` is too
// short or too long: if the square of its length is at most 1e-30 or not finite.
static inline md5_vec3 md5_vec3_normalize(md5_vec3 a, md5_vec3 fallback)
{
    const float square = md5_vec3_dot(a, a);
    if (!(square > 1e-30f && square < INFINITY))
        return fallback;
    return md5_vec3_scale(a, 1.0f / sqrtf(square));
}

// -- Rotations ------------------------------------------------------------------------------

// Returns the product a * b, which is the rotation that applies `b` first and then `a`.
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

// Returns the conjugate of `q`. For a unit quaternion, this is the inverse rotation.
static inline md5_quat md5_quat_conjugate(md5_quat q)
{
    const md5_quat conjugate = {-q.x, -q.y, -q.z, q.w};
    return conjugate;
}

// Returns the vector `v` rotated by the unit quaternion `q`.
static inline md5_vec3 md5_quat_rotate(md5_quat q, md5_vec3 v)
{
    const md5_vec3 axis = {q.x, q.y, q.z};
    const md5_vec3 twice = md5_vec3_scale(md5_vec3_cross(axis, v), 2);
    return md5_vec3_add(md5_vec3_add(v, md5_vec3_scale(twice, q.w)), md5_vec3_cross(axis, twice));
}

// Returns `q` scaled to the length 1. Use this function for products of many rotations, because
// rounding errors change the length of such products. Returns `fallback` if the square of the
// length is not between 1e-30 and 1e30.
static inline md5_quat md5_quat_normalize(md5_quat q, md5_quat fallback)
{
    const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(square > 1e-30f && square < 1e30f))
        return fallback;
    const float scale = 1.0f / sqrtf(square);
    const md5_quat unit = {q.x * scale, q.y * scale, q.z * scale, q.w * scale};
    return unit;
}

// Interpolates between two rotations with constant angular velocity, from `a` (t = 0) to `b` (t =
// 1) along the shorter great arc (Shoemake 1985). `a` and `b` must have unit length, and `t` is
// clamped to 0..1. Every component of the result is within 1e-6 of the exact value. If the shorter
// arc ends at -b, the result at t = 1 is -b, which is the same rotation as b.
MD5_API md5_quat md5_quat_slerp(md5_quat a, md5_quat b, float t);

// Interpolates between two rotations by normalizing the weighted sum of the quaternions:
//
//   (1 - t) a + t b
//
// Use this function for clips that were made with tools that interpolate in this way. A single call
// is not faster than md5_quat_slerp(), but functions that interpolate many joints are, such as
// md5_blend_batch(). Requirements and end points are the same as for md5_quat_slerp(), and the
// rotations are on the same arc. The speed is lower near the ends and higher in the middle.
//
// The largest angle between the results of both functions depends on the angle between `a` and `b`.
// If this angle is 4 h, the largest angle is
//
//   2 atan(x tan(h)) - 2 x h, where x = sqrt(tan(h) / h - 1) / tan(h).
//
// The difference is largest at t = (1 + x) / 2 and t = (1 - x) / 2. For small angles it is about (4
// h)^3 / 249 radians. Examples, in degrees:
//
//   angle between a and b          10      30     60    90    120  180
//   largest difference to slerp    0.0012  0.033  0.27  0.92  2.2  8.1
MD5_API md5_quat md5_quat_nlerp(md5_quat a, md5_quat b, float t);

// Returns the rotation that an MD5 file stores as x, y and z, by computing the missing component:
//
//   w = -sqrt(|1 - x^2 - y^2 - z^2|)
//
// The sign is negative so that the textbook conversion of a quaternion to a matrix gives the same
// matrix as id's engine. If the length of (x, y, z) is above 1, the quaternion is normalized. id's
// engine does not normalize such a quaternion, so its matrix is not a rotation. If x^2 + y^2 + z^2
// is not finite, the result is not a rotation.
static inline md5_quat md5_quat_from_xyz(float x, float y, float z)
{
    const float square = x * x + y * y + z * z;
    const float w = -sqrtf(fabsf(1.0f - square));
    // square + w * w, halved to prevent overflow
    const float scale = square > 1 ? sqrtf(0.5f) / sqrtf(square - 0.5f) : 1.0f;
    const md5_quat q = {x * scale, y * scale, z * scale, w * scale};
    return q;
}

// Returns the rotation around `axis` by `angle` radians. The axis may have any length. If it is
// zero or not finite, returns the identity.
MD5_API md5_quat md5_quat_from_axis_angle(md5_vec3 axis, float angle);

// Returns the shortest rotation from the direction `from` to the direction `to`, for example to
// rotate a turret towards a target. Both vectors may have any length. For opposite directions,
// returns a rotation by 180 degrees around an axis perpendicular to `from`. If a vector is zero or
// not finite, returns the identity.
MD5_API md5_quat md5_quat_between(md5_vec3 from, md5_vec3 to);

// Returns the rotation of Euler angles: the product yaw * pitch * roll.
MD5_API md5_quat md5_quat_from_euler(md5_euler angles);

// Returns the Euler angles of the unit quaternion `q`. Pitch is from -90 to 90 degrees, yaw and
// roll are from -180 to 180 degrees. At a pitch of 90 or -90 degrees, yaw and roll rotate around
// the same axis, so that only their sum or their difference is defined. The roll is then 0, as in
// id's engine.
MD5_API md5_euler md5_quat_to_euler(md5_quat q);

// Returns the rotation of a matrix. The first three columns must be perpendicular unit vectors of a
// right-handed space, except for rounding. If the matrix contains a scale, remove it first;
// otherwise the result is wrong. The sign of the quaternion is arbitrary, because q and -q are the
// same rotation. The function uses the method of Shepperd (1978).
MD5_API md5_quat md5_quat_from_mat34(md5_mat34 m);

// -- Transforms -----------------------------------------------------------------------------

// Returns the product a * b, which is the transform that applies `b` first and then `a`.
static inline md5_xform md5_xform_mul(md5_xform a, md5_xform b)
{
    const md5_xform product = {
        md5_quat_mul(a.rotation, b.rotation),
        md5_vec3_add(a.translation, md5_quat_rotate(a.rotation, b.translation)),
        0,
    };
    return product;
}

// Moves an object: returns placement * motion with a normalized rotation. Use this function to
// apply the result of md5_player_root_motion() to the transform of a character in each frame.
// Because the rotation is normalized, rounding errors do not accumulate.
static inline md5_xform md5_xform_advance(md5_xform placement, md5_xform motion)
{
    md5_xform moved = md5_xform_mul(placement, motion);
    moved.rotation = md5_quat_normalize(moved.rotation, placement.rotation);
    return moved;
}

// Returns the inverse of the transform `a`. For example, the inverse of the placement of a
// character converts a point from world space to model space.
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

// Returns the transformed point: a.rotation * point + a.translation.
static inline md5_vec3 md5_xform_point(md5_xform a, md5_vec3 point)
{
    return md5_vec3_add(md5_quat_rotate(a.rotation, point), a.translation);
}

// Interpolates between two transforms, from `a` (t = 0) to `b` (t = 1). `t` is clamped to 0..1.
// Rotations are interpolated by md5_quat_slerp(), translations linearly, as md5_blend_poses() does
// for each joint.
MD5_API md5_xform md5_xform_blend(md5_xform a, md5_xform b, float t);

// Converts a matrix to an md5_xform, a rotation and a translation. The matrix must contain nothing
// else, such as a scale: see md5_quat_from_mat34().
MD5_API md5_xform md5_xform_from_mat34(md5_mat34 m);

// -- Matrices -------------------------------------------------------------------------------

// Returns the matrix of a transform, by the textbook formula (Shoemake 1985).
MD5_API md5_mat34 md5_mat34_from_xform(md5_xform transform);

// Returns the product a * b. For this product, both matrices have an additional last row 0 0 0 1.
MD5_API md5_mat34 md5_mat34_mul(md5_mat34 a, md5_mat34 b);

// Returns the inverse of any affine matrix, which may contain scale and shear. The computation uses
// double precision. If the inverse does not exist or exceeds the range of floats, all elements of
// the result are 0.
MD5_API md5_mat34 md5_mat34_inverse(md5_mat34 m);

// Returns the translation of a matrix, which is its last column.
static inline md5_vec3 md5_mat34_translation(md5_mat34 m)
{
    const md5_vec3 translation = {m.m[3], m.m[7], m.m[11]};
    return translation;
}

// Returns the transformed point: m * (point, 1).
MD5_API md5_vec3 md5_mat34_point(md5_mat34 m, md5_vec3 point);

// Returns the transformed direction: m * (direction, 0). The translation has no effect on
// directions.
MD5_API md5_vec3 md5_mat34_direction(md5_mat34 m, md5_vec3 direction);

// Returns the matrix that converts points from id's axes and units to other axes and units. The
// matrix is `scale` times a rotation; for left-handed axes, it is `scale` times a reflection. See
// md5_load_opts.axes in md5model.h.
MD5_API md5_mat34 md5_mat34_from_axes(md5_axes axes, float scale);

// Returns the 4x4 matrix that consists of `m` and the additional last row 0 0 0 1.
MD5_API md5_mat44 md5_mat44_from_mat34(md5_mat34 m);

// Returns the product a * b.
MD5_API md5_mat44 md5_mat44_mul(md5_mat44 a, md5_mat44 b);

// Returns the view matrix of a camera at `eye` that looks at `target`. A view matrix transforms
// points from world space to view space. In view space, x points right, y up and -z forward, as in
// OpenGL. `up` is the up direction of the camera and may have any length. If `up` is parallel to
// the line of sight, another direction is used. If `eye` equals `target`, the camera looks along
// +x.
MD5_API md5_mat44 md5_mat44_look_at(md5_vec3 eye, md5_vec3 target, md5_vec3 up);

// Returns the view matrix of a camera of an .md5camera file: `position` and `rotation` are members
// of an md5_camera_view (md5model.h). `axes` must be the axes with which the camera was loaded.
MD5_API md5_mat44 md5_mat44_look_along(md5_vec3 position, md5_quat rotation, md5_axes axes);

// Returns the projection matrix of a camera, which transforms points from the view space of
// md5_mat44_look_at() to clip space. `depth` is the range of z in clip space. y points up in clip
// space; for Vulkan, negate the element m[5] of the result. The other arguments are:
//
// - `fov_y`: vertical field of view in degrees, above 0 and below 180.
// - `aspect`: width of the image divided by its height.
// - `near_z` and `far_z`: distances of the near plane and the far plane. Both are positive, and
//   near_z < far_z. `far_z` may be INFINITY.
MD5_API md5_mat44 md5_mat44_perspective(float fov_y, float aspect, float near_z, float far_z,
                                        md5_depth depth);

// Converts a horizontal field of view, such as md5_camera_view.fov, to a vertical field of view.
// Both are in degrees. `aspect` is the width of the image divided by its height.
MD5_API float md5_vertical_fov(float horizontal_fov, float aspect);

// Returns the inverse of a matrix. The computation uses double precision. If the inverse does not
// exist or exceeds the range of floats, all elements of the result are 0.
MD5_API md5_mat44 md5_mat44_inverse(md5_mat44 m);

// -- Bounds, planes, rays -------------------------------------------------------------------

// Returns the bounding box of points[count]. If `count` is 0, the result is empty (each coordinate
// of min is FLT_MAX, each coordinate of max is -FLT_MAX), and `points` may be NULL.
MD5_API md5_bounds md5_bounds_from_points(const md5_vec3 *points, size_t count);

// Returns the smallest box that contains both boxes. An empty box has no effect.
MD5_API md5_bounds md5_bounds_union(md5_bounds a, md5_bounds b);

// Returns the bounding box of a box that is transformed by the matrix `m` (Arvo, "Transforming
// Axis-Aligned Bounding Boxes", Graphics Gems, 1990). If the box is empty, the result is empty.
MD5_API md5_bounds md5_bounds_transform(md5_bounds bounds, md5_mat34 m);

// Computes the planes of a view frustum, the part of space that a camera shows. Use the result with
// md5_cull_planes() to skip objects that are not visible. Writes planes[6]: left, right, bottom,
// top, near and far (Gribb and Hartmann, "Fast Extraction of Viewing Frustum Planes", 2001).
//
// `clip_from_world` is the product of the projection matrix and the view matrix. The planes are in
// the space from which this matrix transforms, usually world space. `depth` is the range of z in
// clip space. The planes are not normalized. A point (px, py, pz) is on the inner side of a plane
// (x, y, z, w) if
//
//   x * px + y * py + z * pz + w >= 0
//
// If the far plane is at infinity, all points are on its inner side.
MD5_API void md5_frustum_planes(md5_mat44 clip_from_world, md5_depth depth, md5_vec4 *planes);

// A ray: the points origin + t * direction, where t is from 0 to `limit`.
typedef struct md5_ray {
    md5_vec3 origin;
    // Direction of any length; t is measured in multiples of this length. A ray whose direction has
    // length 0 hits nothing.
    md5_vec3 direction;
    // Largest value of t, in multiples of the length of `direction`. If 0, the ray has no end.
    float limit;
    // If true, the ray hits a triangle only if it comes from the outer side of the triangle.
    bool front_only;
} md5_ray;

// -- Pixels ---------------------------------------------------------------------------------

// The position and size of an image in a window, in pixels. y is 0 at the top of the window and
// increases downward, as for a mouse. The center of the first pixel is (0.5, 0.5).
//
// Set `y` to the opposite edge, y + height, and `height` to -height in two cases: if your pixel
// coordinates increase upward, as in gl_FragCoord, or if y points down in clip space, as in Vulkan.
typedef struct md5_viewport {
    float x, y, width, height; // width and height must not be 0
    md5_depth depth;           // range of the depth z in clip space
} md5_viewport;

// These functions convert between points in space and pixels of a window. `clip_from_world` is the
// product of the projection matrix and the view matrix. Any such matrix is allowed: perspective,
// orthographic, oblique, mirrored, or with a far plane at infinity. The functions compute in double
// precision, and those that need the inverse of the matrix compute it in each call.

// Computes the pixel at which a point is displayed. Writes the coordinates of the pixel to pixel->x
// and pixel->y, and the depth of the point in a depth buffer to pixel->z. The depth is from 0 to 1
// between the near plane and the far plane, and outside this range in front of the near plane and
// behind the far plane. Points outside the viewport are not clipped. Returns false and writes
// nothing if the point is not in front of the eye of a perspective camera, or if a number is not
// finite.
MD5_API bool md5_mat44_project(md5_mat44 clip_from_world, md5_viewport viewport, md5_vec3 point,
                               md5_vec3 *pixel);

// Computes the point that is displayed at a pixel with a depth. This is the inverse of
// md5_mat44_project(): pixel.x and pixel.y are the coordinates of the pixel, and pixel.z is the
// depth. Returns false and writes nothing if the point is at infinity or beyond it, or if the
// matrix has no inverse.
MD5_API bool md5_mat44_unproject(md5_mat44 clip_from_world, md5_viewport viewport, md5_vec3 pixel,
                                 md5_vec3 *point);

// Returns the ray through a pixel, for example to find the object under the mouse. x and y are the
// coordinates of the pixel. The ray starts at the near plane. Its direction has unit length, so t
// is a distance. Its limit is the far plane, or 0 if the far plane is at infinity. If the matrix
// has no inverse, all members of the result are 0; such a ray hits nothing.
MD5_API md5_ray md5_ray_from_pixel(md5_mat44 clip_from_world, md5_viewport viewport, float x,
                                   float y);

#ifdef __cplusplus
}
#endif

#endif
