// Public functions of md5math.h that are not inline: rotations, matrices, bounds, views, pixels.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/core/slerp.h"

#define NO_ROTATION ((md5_quat){0.0f, 0.0f, 0.0f, 1.0f})

static const double radians = 3.14159265358979323846 / 180.0; // per degree

// -- Axis and angle -------------------------------------------------------------------------------

// Returns the rotation around `axis` by `angle` radians. An axis that is zero or not finite gives
// the identity.
md5_quat md5_quat_from_axis_angle(md5_vec3 axis, float angle)
{
    const md5_vec3d direction = md5_vec3d_from_vec3(axis);
    const double length = md5_vec3d_length(direction);
    const double half = 0.5 * (double)angle;
    if (!(length > 0 && length < HUGE_VAL))
        return NO_ROTATION;
    const md5_vec3d unit = md5_vec3d_scale(direction, sin(half) / length);
    return (md5_quat){(float)unit.x, (float)unit.y, (float)unit.z, (float)cos(half)};
}

// -- Euler angles ---------------------------------------------------------------------------------

// Returns the rotation of Euler angles in degrees: the product of the quaternions of yaw, pitch and
// roll, multiplied out.
md5_quat md5_quat_from_euler(md5_euler angles)
{
    const double half = 0.5 * radians;
    const double pitch = (double)angles.pitch * half;
    const double yaw = (double)angles.yaw * half;
    const double roll = (double)angles.roll * half;
    const double sx = sin(roll);
    const double cx = cos(roll);
    const double sy = sin(pitch);
    const double cy = cos(pitch);
    const double sz = sin(yaw);
    const double cz = cos(yaw);
    return (md5_quat){
        (float)(sx * cy * cz - cx * sy * sz),
        (float)(cx * sy * cz + sx * cy * sz),
        (float)(cx * cy * sz - sx * sy * cz),
        (float)(cx * cy * cz + sx * sy * sz),
    };
}

// If the cosine of the pitch is smaller, yaw and roll rotate about the same axis, up to the
// rounding error of floats.
#define MIN_COSINE 1e-6

// Returns the Euler angles of a rotation in degrees, from elements of its matrix. With pitch p, yaw
// y and roll r, the first column of the matrix is (cos p cos y, cos p sin y, -sin p), and the last
// row is (-sin p, cos p sin r, cos p cos r). If cos p is 0, yaw and roll rotate about the same
// axis: the roll is then 0.
md5_euler md5_quat_to_euler(md5_quat q)
{
    const double x = (double)q.x;
    const double y = (double)q.y;
    const double z = (double)q.z;
    const double w = (double)q.w;
    const double xx = w * w + x * x - y * y - z * z;
    const double yx = 2 * (x * y + w * z);
    const double zx = 2 * (x * z - w * y);
    const double cosine = sqrt(xx * xx + yx * yx);
    md5_euler angles = {.pitch = (float)(atan2(-zx, cosine) / radians)};
    if (cosine > MIN_COSINE) {
        angles.yaw = (float)(atan2(yx, xx) / radians);
        const double zy = 2 * (y * z + w * x);
        const double zz = w * w - x * x - y * y + z * z;
        angles.roll = (float)(atan2(zy, zz) / radians);
    } else { // the second column is (-sin y, cos y, 0)
        const double xy = 2 * (x * y - w * z);
        const double yy = w * w - x * x + y * y - z * z;
        angles.yaw = (float)(atan2(-xy, yy) / radians);
    }
    return angles;
}

// -- Two directions -------------------------------------------------------------------------------

// Returns the shortest rotation that maps the direction `from` to the direction `to`; no rotation
// if a vector has no direction.
md5_quat md5_quat_between(md5_vec3 from, md5_vec3 to)
{
    const md5_vec3d from_unit = md5_vec3d_normalize(md5_vec3d_from_vec3(from));
    const md5_vec3d to_unit = md5_vec3d_normalize(md5_vec3d_from_vec3(to));
    const md5_vec3 a = md5_vec3d_round(from_unit);
    const md5_vec3 b = md5_vec3d_round(to_unit);
    const float cosine = md5_vec3_dot(a, b);
    const bool have_directions = md5_vec3_dot(a, a) > 0.5f && md5_vec3_dot(b, b) > 0.5f;
    if (!have_directions) // zero vectors or NaN
        return NO_ROTATION;
    if (!(cosine > -0.5f))
        return md5i_quat_between_far(a, b);
    // The result is the quaternion (a x b, 1 + cosine), divided by its length sqrt(2 (1 + cosine)).
    const float half_cosine = sqrtf(0.5f + 0.5f * cosine);
    const md5_vec3 axis = md5_vec3_scale(md5_vec3_cross(a, b), 0.5f / half_cosine);
    return (md5_quat){axis.x, axis.y, axis.z, half_cosine};
}

// -- Matrices -------------------------------------------------------------------------------------

md5_quat md5_quat_from_mat34(md5_mat34 m)
{
    return md5_mat34_rotation(&m);
}

// Converts a matrix to an md5_xform, a rotation and a translation. The matrix must contain nothing
// else, such as a scale: see md5_quat_from_mat34().
md5_xform md5_xform_from_mat34(md5_mat34 m)
{
    return (md5_xform){
        .rotation = md5_quat_from_mat34(m),
        .translation = md5_mat34_translation(m),
    };
}

// -- Interpolation --------------------------------------------------------------------------------

// Returns the end of the shorter arc from `a` to `b`: b or -b.
static md5_quat arc_end(md5_quat a, md5_quat b)
{
    const float cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    return cosine < 0 ? (md5_quat){-b.x, -b.y, -b.z, -b.w} : b;
}

// Returns the normalized linear interpolation along the shorter arc.
//
// The maximum difference between nlerp and slerp, which md5math.h documents, follows from this: let
// 2 h be the angle between the unit quaternions, and x = 2 t - 1. Measured from the midpoint of the
// arc, slerp is at the angle x h. The sum (1 - t) a + t b has the components cos(h) along the
// midpoint and x sin(h) across it, so that it is at atan(x tan(h)). The difference is largest where
// its derivative by x is 0: h = tan(h) / (1 + x^2 tan(h)^2). The rotations differ by twice that
// angle.
md5_quat md5_quat_nlerp(md5_quat a, md5_quat b, float t)
{
    if (!(t > 0))
        return a;
    if (t >= 1)
        return arc_end(a, b);
    const md5_nlerp_weights weights = md5_nlerp_weights_at(t);
    return md5_nlerp_weighted(&weights, a, b);
}

// Interpolates from `a` (t = 0) to `b` (t = 1) along the shorter arc with constant angular
// velocity.
md5_quat md5_quat_slerp(md5_quat a, md5_quat b, float t)
{
    if (!(t > 0))
        return a;
    if (t >= 1)
        return arc_end(a, b);
    const md5_slerp_weights weights = md5i_slerp_weights_at(t);
    return md5_slerp_weighted(&weights, a, b);
}

// -- Matrices and bounds --------------------------------------------------------------------------

md5_mat34 md5_mat34_from_xform(md5_xform transform)
{
    return md5_mat34_compose(transform.rotation, transform.translation);
}

md5_mat34 md5_mat34_mul(md5_mat34 a, md5_mat34 b)
{
    return md5_mat34_product(&a, &b);
}

md5_vec3 md5_mat34_point(md5_mat34 m, md5_vec3 point)
{
    return md5_mat34_apply(&m, (md5_vec4){point.x, point.y, point.z, 1});
}

md5_vec3 md5_mat34_direction(md5_mat34 m, md5_vec3 direction)
{
    return md5_mat34_rotate(&m, direction);
}

// Returns the inverse of a matrix whose last row is 0 0 0 1, or a zero matrix if the inverse is not
// finite. Computes the 3x3 part with cofactors: each row of the inverse is the cross product of two
// columns, divided by the determinant.
md5_mat34 md5_mat34_inverse(md5_mat34 m)
{
    md5_vec3d columns[4];
    for (uint32_t i = 0; i < 4; i++)
        columns[i] = (md5_vec3d){m.m[i], m.m[4 + i], m.m[8 + i]};

    // The rows of the inverse, times the determinant.
    const md5_vec3d rows[3] = {
        md5_vec3d_cross(columns[1], columns[2]),
        md5_vec3d_cross(columns[2], columns[0]),
        md5_vec3d_cross(columns[0], columns[1]),
    };
    const double determinant = md5_vec3d_dot(columns[0], rows[0]);

    md5_mat34 inverse;
    bool is_finite = true;
    for (uint32_t i = 0; i < 3; i++) {
        const md5_vec3d row = md5_vec3d_scale(rows[i], 1.0 / determinant);
        float *const out = inverse.m + 4 * i;
        out[0] = (float)row.x;
        out[1] = (float)row.y;
        out[2] = (float)row.z;
        out[3] = (float)-md5_vec3d_dot(row, columns[3]); // undoes the translation
        for (uint32_t j = 0; j < 4; j++)
            is_finite = is_finite && fabsf(out[j]) <= FLT_MAX;
    }
    return is_finite ? inverse : (md5_mat34){{0}};
}

// Like fminf() and fmaxf(), but inline: if one value is NaN, the result is the other value.
static float smaller(float a, float b)
{
    return b < a || a != a ? b : a;
}

static float larger(float a, float b)
{
    return b > a || a != a ? b : a;
}

// Returns the smallest box that contains both boxes. An empty box has no effect.
md5_bounds md5_bounds_union(md5_bounds a, md5_bounds b)
{
    return (md5_bounds){
        .min = {smaller(a.min.x, b.min.x), smaller(a.min.y, b.min.y), smaller(a.min.z, b.min.z)},
        .max = {larger(a.max.x, b.max.x), larger(a.max.y, b.max.y), larger(a.max.z, b.max.z)},
    };
}

// Returns the bounding box of points; for no points, an empty box whose minimum is above its
// maximum. Ignores NaN, because comparisons with NaN are false.
md5_bounds md5_bounds_from_points(const md5_vec3 *points, size_t count)
{
    MD5_ASSERT_ARRAY(points, count);
    md5_vec3 min = {FLT_MAX, FLT_MAX, FLT_MAX};
    md5_vec3 max = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (size_t i = 0; i < count; i++) {
        const md5_vec3 p = points[i];
        min.x = p.x < min.x ? p.x : min.x;
        min.y = p.y < min.y ? p.y : min.y;
        min.z = p.z < min.z ? p.z : min.z;
        max.x = p.x > max.x ? p.x : max.x;
        max.y = p.y > max.y ? p.y : max.y;
        max.z = p.z > max.z ? p.z : max.z;
    }
    return (md5_bounds){min, max};
}

// Returns the matrix that converts points from id's axes and units to other axes and units: each
// row selects one coordinate, with a sign and the scale.
md5_mat34 md5_mat34_from_axes(md5_axes axes, float scale)
{
    MD5_ASSERT((unsigned)axes < MD5_NUM_AXES, "axes: must be a value of md5_axes");
    const md5_axes_map *const map = &md5i_axes_maps[axes];
    md5_mat34 matrix = {{0}};
    for (int row = 0; row < 3; row++)
        matrix.m[4 * row + map->from[row]] = map->sign[row] * scale;
    return matrix;
}

// -- Views ----------------------------------------------------------------------------------------

// Returns the 4x4 matrix, in columns as OpenGL expects it, of a 3x4 matrix in rows. Its last row is
// 0 0 0 1.
md5_mat44 md5_mat44_from_mat34(md5_mat34 m)
{
    md5_mat44 out;
    for (uint32_t column = 0; column < 4; column++) {
        for (uint32_t row = 0; row < 3; row++)
            out.m[4 * column + row] = m.m[4 * row + column];
        out.m[4 * column + 3] = column == 3 ? 1 : 0;
    }
    return out;
}

// Returns a * b. Matrices are stored by columns: element (row, column) is m[4 * column + row].
md5_mat44 md5_mat44_mul(md5_mat44 a, md5_mat44 b)
{
    md5_mat44 product;
    for (uint32_t column = 0; column < 4; column++) {
        for (uint32_t row = 0; row < 4; row++) {
            float sum = 0;
            for (uint32_t i = 0; i < 4; i++)
                sum += a.m[4 * i + row] * b.m[4 * column + i];
            product.m[4 * column + row] = sum;
        }
    }
    return product;
}

// Returns the view matrix of a camera at `eye` that looks at `target`: in view space, x is to the
// right, y is up and z is backward. Always returns a valid matrix, also if the points are equal or
// `up` is parallel to the view direction.
md5_mat44 md5_mat44_look_at(md5_vec3 eye, md5_vec3 target, md5_vec3 up)
{
    const md5_vec3d from = md5_vec3d_from_vec3(eye);

    // The view direction, and the vector to the right. If they are undefined, use other axes.
    md5_vec3d forward = md5_vec3d_normalize(md5_vec3d_sub(md5_vec3d_from_vec3(target), from));
    if (!(md5_vec3d_dot(forward, forward) > 0.5))
        forward = (md5_vec3d){1, 0, 0};
    md5_vec3d right = md5_vec3d_cross(forward, md5_vec3d_normalize(md5_vec3d_from_vec3(up)));
    const bool is_up_parallel = !(md5_vec3d_length(right) > 1e-6); // `up` is parallel to `forward`
    if (is_up_parallel) { // replace `up` by an axis that is not parallel
        const md5_vec3d x = {1, 0, 0};
        const md5_vec3d z = {0, 0, 1};
        right = md5_vec3d_cross(forward, fabs(forward.z) < 0.8 ? z : x);
    }
    right = md5_vec3d_normalize(right);

    // The rows of the matrix are the axes of the view: right, up and backward.
    const md5_vec3d rows[3] = {right, md5_vec3d_cross(right, forward),
                               md5_vec3d_scale(forward, -1)};
    md5_mat44 view = {{0}};
    for (uint32_t row = 0; row < 3; row++) {
        view.m[row] = (float)rows[row].x;
        view.m[4 + row] = (float)rows[row].y;
        view.m[8 + row] = (float)rows[row].z;
        view.m[12 + row] = (float)-md5_vec3d_dot(rows[row], from);
    }
    view.m[15] = 1;
    return view;
}

// Returns the view matrix of a camera of an .md5camera file: `position` and `rotation` are members
// of an md5_camera_view (md5model.h).
md5_mat44 md5_mat44_look_along(md5_vec3 position, md5_quat rotation, md5_axes axes)
{
    MD5_ASSERT((unsigned)axes < MD5_NUM_AXES, "axes: must be a value of md5_axes");
    const md5_vec3 forward = md5_quat_rotate(rotation, md5_forward(axes));
    return md5_mat44_look_at(position, md5_vec3_add(position, forward),
                             md5_quat_rotate(rotation, md5_up(axes)));
}

float md5_vertical_fov(float horizontal_fov, float aspect)
{
    const double half = tan(0.5 * radians * (double)horizontal_fov) / (double)aspect;
    return (float)(2 * atan(half) / radians);
}

// Returns the perspective projection for a range of depths.
//
// A point at the distance d has the depth z / w = -m[10] + m[14] / d. The depth is 0 at the
// distance `from` and 1 at the distance `to`: near_z and far_z, or the opposite for a reversed
// depth. The formulas use the ratio near / far or far / near that is finite, so that far_z may be
// infinite.
md5_mat44 md5_mat44_perspective(float fov_y, float aspect, float near_z, float far_z,
                                md5_depth depth)
{
    MD5_ASSERT(fov_y > 0 && fov_y < 180, "fov_y: must be above 0 and below 180 degrees");
    MD5_ASSERT(aspect > 0, "aspect: must be above 0");
    MD5_ASSERT(near_z > 0 && far_z > near_z,
               "near_z, far_z: must be positive, and near_z must be less than far_z");
    const bool is_reversed = depth == MD5_DEPTH_ONE_TO_ZERO;
    const double from = (double)(is_reversed ? far_z : near_z);
    const double to = (double)(is_reversed ? near_z : far_z);

    // The elements m[10] and m[14] for depths from 0 to 1: the solution of both conditions above.
    const double linear = from < to ? 1.0 / (from / to - 1) : (to / from) / (1 - to / from);
    const double constant = from < to ? from * linear : to / (1 - to / from);

    // The range from -1 to 1 is 2 * depth - 1.
    const bool from_zero = depth != MD5_DEPTH_MINUS_ONE_TO_ONE;
    const double cotangent = 1.0 / tan((double)fov_y * radians * 0.5);
    md5_mat44 clip = {{0}};
    clip.m[0] = (float)(cotangent / (double)aspect);
    clip.m[5] = (float)cotangent;
    clip.m[10] = (float)(from_zero ? linear : 2 * linear + 1);
    clip.m[11] = -1;
    clip.m[14] = (float)(from_zero ? constant : 2 * constant);
    return clip;
}

// -- Pixels ---------------------------------------------------------------------------------------

// Returns the cofactor of an element: the determinant of the other three rows and columns, with a
// sign. The rows and columns are used in cyclic order, which does not change the determinant.
static double cofactor(const md5_mat44 *m, int row, int column)
{
    md5_vec3d columns[3];
    for (int i = 0; i < 3; i++) {
        const float *const from = m->m + 4 * ((column + 1 + i) % 4);
        columns[i] = md5_vec3d_from_vec3(
            (md5_vec3){from[(row + 1) % 4], from[(row + 2) % 4], from[(row + 3) % 4]});
    }
    const double minor = md5_vec3d_dot(columns[0], md5_vec3d_cross(columns[1], columns[2]));
    return (row + column) % 2 == 0 ? minor : -minor;
}

// Computes the inverse. Its elements are not finite if the matrix is singular.
static void invert_mat44(const md5_mat44 *m, double inverse[16])
{
    double determinant = 0;
    for (int i = 0; i < 16; i++)
        inverse[i] = cofactor(m, i / 4, i % 4);
    for (uint32_t i = 0; i < 4; i++)
        determinant += (double)m->m[i] * inverse[4 * i];
    for (uint32_t i = 0; i < 16; i++)
        inverse[i] /= determinant;
}

// Returns the inverse of a matrix, computed in double, or a zero matrix if the inverse is not
// finite.
md5_mat44 md5_mat44_inverse(md5_mat44 m)
{
    double exact[16];
    invert_mat44(&m, exact);
    md5_mat44 inverse;
    for (uint32_t i = 0; i < 16; i++) {
        inverse.m[i] = (float)exact[i];
        if (!(fabsf(inverse.m[i]) <= FLT_MAX))
            return (md5_mat44){{0}};
    }
    return inverse;
}

// Writes a point and returns true if it is finite in float.
static bool store_point(double x, double y, double z, md5_vec3 *out)
{
    const double max = (double)FLT_MAX;
    const bool is_finite = fabs(x) <= max && fabs(y) <= max && fabs(z) <= max;
    if (is_finite)
        *out = (md5_vec3){(float)x, (float)y, (float)z};
    return is_finite;
}

// Projects a point of the world to a pixel: x and y in the viewport, y downward, and the depth as
// z. Returns false and leaves `pixel` unchanged if the point is not in front of the camera.
bool md5_mat44_project(md5_mat44 clip_from_world, md5_viewport viewport, md5_vec3 point,
                       md5_vec3 *pixel)
{
    MD5_ASSERT_NOT_NULL(pixel);
    const float *const m = clip_from_world.m;
    const double x = (double)point.x;
    const double y = (double)point.y;
    const double z = (double)point.z;

    // Multiply the matrix by (x, y, z, 1), which gives the point in clip space.
    double clip[4];
    for (uint32_t i = 0; i < 4; i++)
        clip[i] =
            (double)m[i] * x + (double)m[4 + i] * y + (double)m[8 + i] * z + (double)m[12 + i];
    const bool is_behind_camera = !(clip[3] > 0);
    if (is_behind_camera)
        return false;

    // Divide by w, and map -1 to 1 to the viewport.
    double depth = clip[2] / clip[3];
    if (viewport.depth == MD5_DEPTH_MINUS_ONE_TO_ONE)
        depth = 0.5 + 0.5 * depth;
    return store_point(
        (double)viewport.x + (0.5 + 0.5 * clip[0] / clip[3]) * (double)viewport.width,
        (double)viewport.y + (0.5 - 0.5 * clip[1] / clip[3]) * (double)viewport.height, depth,
        pixel);
}

// The world position of a pixel with a depth, in homogeneous coordinates: w is 1 / w of clip space.
typedef struct unproject_result {
    md5_vec3d at;
    double w;
} unproject_result;

// Returns the point of the world that projects to `pixel` with the depth pixel.z: the inverse of
// md5_mat44_project().
static unproject_result unproject(const md5_mat44 *clip_from_world, md5_viewport viewport,
                                  md5_vec3 pixel)
{
    double m[16];
    double out[4];
    invert_mat44(clip_from_world, m);
    const double depth = (double)pixel.z;
    const double x = 2 * ((double)pixel.x - (double)viewport.x) / (double)viewport.width - 1;
    const double y = 1 - 2 * ((double)pixel.y - (double)viewport.y) / (double)viewport.height;
    const double z = viewport.depth == MD5_DEPTH_MINUS_ONE_TO_ONE ? 2 * depth - 1 : depth;
    for (uint32_t i = 0; i < 4; i++)
        out[i] = m[i] * x + m[4 + i] * y + m[8 + i] * z + m[12 + i];
    return (unproject_result){{out[0], out[1], out[2]}, out[3]};
}

// Computes the point that is displayed at a pixel with a depth. This is the inverse of
// md5_mat44_project(): pixel.x and pixel.y are the coordinates of the pixel, and pixel.z is the
// depth.
bool md5_mat44_unproject(md5_mat44 clip_from_world, md5_viewport viewport, md5_vec3 pixel,
                         md5_vec3 *point)
{
    MD5_ASSERT_NOT_NULL(point);
    const unproject_result found = unproject(&clip_from_world, viewport, pixel);
    return found.w > 0
           && store_point(found.at.x / found.w, found.at.y / found.w, found.at.z / found.w, point);
}

// Returns the ray of the world through a pixel. It starts on the near plane and ends on the far
// plane, at the distance `limit`, which is 0 if the far plane is infinitely distant.
//
// The ray is from near / near.w to far / far.w, where near and far are the pixel's points on both
// planes in homogeneous coordinates. The direction is computed after a multiplication by both w,
// because far.w may be 0.
md5_ray md5_ray_from_pixel(md5_mat44 clip_from_world, md5_viewport viewport, float x, float y)
{
    const float near_z = viewport.depth == MD5_DEPTH_ONE_TO_ZERO ? 1 : 0;
    const unproject_result near = unproject(&clip_from_world, viewport, (md5_vec3){x, y, near_z});
    const unproject_result far =
        unproject(&clip_from_world, viewport, (md5_vec3){x, y, 1 - near_z});
    const md5_vec3d along =
        md5_vec3d_sub(md5_vec3d_scale(far.at, near.w), md5_vec3d_scale(near.at, far.w));
    const double length = md5_vec3d_length(along);
    const double limit = length / (near.w * far.w);
    md5_ray ray = {.limit = limit > 0 && limit <= (double)FLT_MAX ? (float)limit : 0};
    const bool is_defined = near.w > 0 && length > 0 && length < HUGE_VAL;
    if (!is_defined)
        return ray;
    if (store_point(near.at.x / near.w, near.at.y / near.w, near.at.z / near.w, &ray.origin))
        ray.direction = md5_vec3d_round(md5_vec3d_scale(along, 1.0 / length));
    return ray;
}
