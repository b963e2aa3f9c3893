// Tests of md5math.h against the same formulas in double precision, written as matrices. Rotations
// are compared by their effect on vectors, so that no formula of the library is used in its own
// test.
#include "test/real.h"

#define DEGREES (3.14159265358979323846 / 180.0)

typedef struct matrix {
    double at[3][3];
} matrix;

static matrix multiply(matrix a, matrix b)
{
    matrix product = {{{0}}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++)
                product.at[i][j] += a.at[i][k] * b.at[k][j];
        }
    }
    return product;
}

static real3 apply(matrix m, real3 v)
{
    const double(*const at)[3] = m.at;
    return (real3){at[0][0] * v.x + at[0][1] * v.y + at[0][2] * v.z,
                   at[1][0] * v.x + at[1][1] * v.y + at[1][2] * v.z,
                   at[2][0] * v.x + at[2][1] * v.y + at[2][2] * v.z};
}

// Rodrigues' formula: cos I + sin [k] + (1 - cos) k k^T.
static matrix about(real3 axis, double angle)
{
    const double x = axis.x;
    const double y = axis.y;
    const double z = axis.z;
    const double c = cos(angle);
    const double s = sin(angle);
    const double v = 1 - c;
    return (matrix){{{c + v * x * x, v * x * y - s * z, v * x * z + s * y},
                     {v * x * y + s * z, c + v * y * y, v * y * z - s * x},
                     {v * x * z - s * y, v * y * z + s * x, c + v * z * z}}};
}

// Computes q v q* for a quaternion of any length, as a matrix in double precision.
static matrix matrix_from_quat(md5_quat q)
{
    const double x = q.x;
    const double y = q.y;
    const double z = q.z;
    const double w = q.w;
    return (matrix){{{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                     {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                     {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}}};
}

static double difference(matrix a, matrix b)
{
    double max_difference = 0;
    for (int i = 0; i < 9; i++)
        max_difference = fmax(max_difference, fabs(a.at[i / 3][i % 3] - b.at[i / 3][i % 3]));
    return max_difference;
}

static md5_vec3 random_vector(uint64_t *random)
{
    return (md5_vec3){test_betweenf(-1, 1, random), test_betweenf(-1, 1, random),
                      test_betweenf(-1, 1, random)};
}

static md5_quat random_rotation(uint64_t *random)
{
    const md5_quat q = {test_betweenf(-1, 1, random), test_betweenf(-1, 1, random),
                        test_betweenf(-1, 1, random), test_betweenf(-1, 1, random)};
    return md5_quat_normalize(q, (md5_quat){0, 0, 0, 1});
}

static md5_xform random_transform(uint64_t *random)
{
    return (md5_xform){random_rotation(random), random_vector(random), 0};
}

static void check_vector(md5_vec3 actual, real3 expected, double tolerance)
{
    CHECK_VEC3(actual, expected.x, expected.y, expected.z, tolerance);
}

static const matrix identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// Compares rotations, which are given as quaternions or matrices.
static void check_rotation(matrix actual, matrix expected, double tolerance)
{
    CHECK(difference(actual, expected) < tolerance);
}

// -- Rotations --------------------------------------------------------------------------------

TEST (math_rotates_like_matrices) {
    uint64_t random = 1;
    for (int i = 0; i < 200; i++) {
        const md5_quat a = random_rotation(&random);
        const md5_quat b = random_rotation(&random);
        const md5_vec3 v = random_vector(&random);
        const matrix matrix_a = matrix_from_quat(a);
        check_vector(md5_quat_rotate(a, v), apply(matrix_a, to_real3(v)), 1e-6);
        check_rotation(matrix_from_quat(md5_quat_mul(a, b)),
                       multiply(matrix_a, matrix_from_quat(b)), 1e-6);
        check_rotation(multiply(matrix_a, matrix_from_quat(md5_quat_conjugate(a))), identity, 1e-6);
    }
}

TEST (math_rotates_about_an_axis_of_any_length) {
    uint64_t random = 2;
    for (int i = 0; i < 200; i++) {
        const md5_vec3 axis = random_vector(&random);
        const double angle = test_betweenf(-7, 7, &random);
        static const float scales[] = {1e30f, 1e-30f, 1};
        const float scale = scales[i % 3];
        const md5_quat q = md5_quat_from_axis_angle(md5_vec3_scale(axis, scale), (float)angle);
        check_rotation(matrix_from_quat(q), about(real3_unit(to_real3(axis)), angle), 1e-6);
    }
    const float bad[] = {0, NAN, INFINITY};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const md5_quat none = md5_quat_from_axis_angle((md5_vec3){bad[i], 0, 0}, 1);
        CHECK(none.x == 0 && none.y == 0 && none.z == 0);
        CHECK(none.w == 1);
    }
}

static matrix matrix_from_euler(double pitch, double yaw, double roll)
{
    return multiply(about((real3){0, 0, 1}, yaw * DEGREES),
                    multiply(about((real3){0, 1, 0}, pitch * DEGREES),
                             about((real3){1, 0, 0}, roll * DEGREES)));
}

TEST (math_reads_and_writes_ids_angles) {
    // A positive pitch looks down, a positive yaw turns left, and a positive roll leans right, so
    // that the left side rises.
    static const struct {
        md5_euler rotation;
        md5_vec3 from;
        real3 to;
    } rotations[] = {{{.pitch = 90}, {1, 0, 0}, {0, 0, -1}},
                     {{.yaw = 90}, {1, 0, 0}, {0, 1, 0}},
                     {{.roll = 90}, {0, 1, 0}, {0, 0, 1}}};
    for (size_t i = 0; i < COUNT_OF(rotations); i++)
        check_vector(md5_quat_rotate(md5_quat_from_euler(rotations[i].rotation), rotations[i].from),
                     rotations[i].to, 1e-6);
    uint64_t random = 3;
    for (int i = 0; i < 500; i++) {
        const md5_euler angles = {test_betweenf(-89.5f, 89.5f, &random),
                                  test_betweenf(-180, 180, &random),
                                  test_betweenf(-180, 180, &random)};
        const md5_quat q = md5_quat_from_euler(angles);
        check_rotation(matrix_from_quat(q),
                       matrix_from_euler(angles.pitch, angles.yaw, angles.roll), 1e-6);
        const md5_euler round_trip = md5_quat_to_euler(q);
        // A quaternion of floats determines yaw and roll to about 1e-7 / cos(pitch) radians.
        CHECK_NEAR(round_trip.pitch, angles.pitch, 2e-3);
        CHECK_SMALL(remainder((double)round_trip.yaw - angles.yaw, 360), 2e-3);
        CHECK_SMALL(remainder((double)round_trip.roll - angles.roll, 360), 2e-3);
    }
}

// At a pitch of 90 degrees, yaw and roll rotate about the same axis, so their values are
// ambiguous. The conversion then returns a roll of 0, and the same rotation.
TEST (math_looks_straight_up_and_down_without_roll) {
    for (int i = 0; i < 72; i++) {
        const md5_euler angles = {i % 2 == 0 ? 90 : -90, (float)(5 * i - 180), (float)(i * 3)};
        const md5_quat q = md5_quat_from_euler(angles);
        const md5_euler round_trip = md5_quat_to_euler(q);
        CHECK_NEAR(round_trip.pitch, angles.pitch, 0.05);
        CHECK(round_trip.roll == 0);
        check_rotation(matrix_from_quat(md5_quat_from_euler(round_trip)), matrix_from_quat(q),
                       1e-3);
    }
}

static void check_between(md5_vec3 from, md5_vec3 to)
{
    const md5_quat q = md5_quat_between(from, to);
    const real3 begin = real3_unit(to_real3(from));
    const real3 goal = real3_unit(to_real3(to));
    CHECK_SMALL(real3_distance(apply(matrix_from_quat(q), begin), goal), 1e-6);
    // The shortest rotation: its angle is the angle between the directions.
    CHECK_NEAR(2 * (double)q.w * (double)q.w - 1, real3_dot(begin, goal), 2e-6);
}

TEST (math_finds_the_shortest_rotation) {
    uint64_t random = 4;
    for (int i = 0; i < 200; i++) {
        const md5_vec3 from = random_vector(&random);
        const md5_vec3 near = random_vector(&random);
        const float scale = i % 3 == 0 ? 1e25f : 1;
        check_between(md5_vec3_scale(from, scale), near);
        check_between(from, md5_vec3_scale(from, -3));
        check_between(from, md5_vec3_sub(md5_vec3_scale(near, 1e-4f), from));
        check_between(from, from);
    }
    CHECK(md5_quat_between((md5_vec3){0, 0, 0}, (md5_vec3){1, 0, 0}).w == 1);
    CHECK(md5_quat_between((md5_vec3){1, 0, 0}, (md5_vec3){NAN, 0, 0}).w == 1);
}

TEST (math_converts_matrices_to_rotations) {
    uint64_t random = 5;
    for (int i = 0; i < 300; i++) {
        md5_xform from = random_transform(&random);
        if (i % 3 == 0) // small traces, for which each of the four components can be the largest
            from.rotation = md5_quat_from_axis_angle(random_vector(&random), 3.1f);
        const md5_xform round_trip = md5_xform_from_mat34(md5_mat34_from_xform(from));
        check_rotation(matrix_from_quat(round_trip.rotation), matrix_from_quat(from.rotation),
                       2e-6);
        CHECK(round_trip.translation.x == from.translation.x);
        CHECK(round_trip.translation.y == from.translation.y);
        CHECK(round_trip.translation.z == from.translation.z);
        CHECK(round_trip.pad == 0);
    }
}

// -- Transforms -------------------------------------------------------------------------------

static real3 apply_transform(md5_xform a, real3 v)
{
    return real3_add(apply(matrix_from_quat(a.rotation), v), to_real3(a.translation));
}

TEST (math_composes_and_inverts_transforms) {
    uint64_t random = 6;
    for (int i = 0; i < 200; i++) {
        const md5_xform a = random_transform(&random);
        const md5_xform b = random_transform(&random);
        const md5_vec3 v = random_vector(&random);
        const real3 point = to_real3(v);
        const real3 by_b = apply_transform(b, point);
        check_vector(md5_xform_point(b, v), by_b, 1e-6);
        check_vector(md5_xform_point(md5_xform_mul(a, b), v), apply_transform(a, by_b), 2e-6);
        check_vector(md5_xform_point(md5_xform_inverse(b), md5_xform_point(b, v)), point, 2e-6);
    }
}

// Rotations about one axis blend by their angles.
TEST (math_blends_transforms) {
    const md5_vec3 axis = {1, 2, -3};
    const real3 unit = real3_unit(to_real3(axis));
    const md5_xform a = {md5_quat_from_axis_angle(axis, 0.25f), {1, 2, 3}, 0};
    const md5_xform b = {md5_quat_from_axis_angle(axis, 2.75f), {5, 2, -5}, 0};
    for (int i = 0; i < 11; i++) {
        const double t = (0.1f * (float)i);
        const md5_xform blend = md5_xform_blend(a, b, (float)t);
        check_rotation(matrix_from_quat(blend.rotation), about(unit, 0.25 + 2.5 * t), 2e-6);
        check_vector(blend.translation, (real3){1 + 4 * t, 2, 3 - 8 * t}, 2e-6);
    }
    const md5_xform clamped_to_a = md5_xform_blend(a, b, -1);
    const md5_xform clamped_to_b = md5_xform_blend(a, b, 9);
    CHECK(clamped_to_a.rotation.w == a.rotation.w && clamped_to_a.translation.x == 1);
    CHECK(clamped_to_b.rotation.w == b.rotation.w && clamped_to_b.translation.x == 5);
}

// -- Matrices ---------------------------------------------------------------------------------

// Including scale, shear and mirroring.
TEST (math_inverts_affine_matrices) {
    uint64_t random = 7;
    for (int i = 0; i < 200; i++) {
        md5_mat34 m;
        for (int j = 0; j < 12; j++)
            m.m[j] = test_betweenf(-2, 2, &random);
        m.m[i % 3 * 5] += i % 2 == 0 ? 5 : -5; // far from singular
        m.m[(i + 1) % 3 * 5] += 5;
        m.m[(i + 2) % 3 * 5] += 5;
        const md5_mat34 back = md5_mat34_inverse(m);
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 4; column++) {
                double sum = column == 3 ? back.m[4 * row + 3] : 0;
                for (int k = 0; k < 3; k++)
                    sum += (double)back.m[4 * row + k] * m.m[4 * k + column];
                CHECK_NEAR(sum, row == column ? 1 : 0, 2e-5);
            }
        }
    }
    const md5_mat34 flat = {{1, 0, 0, 4, 0, 1, 0, 5, 1, 1, 0, 6}};
    const md5_mat34 none = md5_mat34_inverse(flat);
    for (int i = 0; i < 12; i++)
        CHECK(none.m[i] == 0);
    const md5_mat34 small = {{1e-20f, 0, 0, 1, 0, 1e-20f, 0, 0, 0, 0, 1e-20f, 0}};
    CHECK_NEAR(md5_mat34_inverse(small).m[0], 1e20, 1e14);
}

static real4 apply44(md5_mat44 by, real4 v)
{
    const float *const m = by.m;
    return (real4){m[0] * v.x + m[4] * v.y + m[8] * v.z + m[12] * v.w,
                   m[1] * v.x + m[5] * v.y + m[9] * v.z + m[13] * v.w,
                   m[2] * v.x + m[6] * v.y + m[10] * v.z + m[14] * v.w,
                   m[3] * v.x + m[7] * v.y + m[11] * v.z + m[15] * v.w};
}

static void check_clip(real4 actual, real4 expected, double tolerance)
{
    CHECK_NEAR(actual.x, expected.x, tolerance);
    CHECK_NEAR(actual.y, expected.y, tolerance);
    CHECK_NEAR(actual.z, expected.z, tolerance);
    CHECK_NEAR(actual.w, expected.w, tolerance);
}

TEST (math_extends_and_multiplies_4x4_matrices) {
    uint64_t random = 8;
    const md5_xform a = random_transform(&random);
    const md5_xform b = random_transform(&random);
    const md5_mat44 product = md5_mat44_mul(md5_mat44_from_mat34(md5_mat34_from_xform(a)),
                                            md5_mat44_from_mat34(md5_mat34_from_xform(b)));
    const real3 both = apply_transform(a, apply_transform(b, (real3){0.5, -2, 3}));
    const real4 actual = apply44(product, (real4){0.5, -2, 3, 1});
    check_clip(actual, (real4){both.x, both.y, both.z, 1}, 5e-6);
    CHECK_EXACT(actual.w, 1);
    const md5_mat34 m = {{2, 0, 1, 7, 0, 3, 0, 8, 0, 0, 4, 9}};
    check_vector(md5_mat34_direction(m, (md5_vec3){1, 1, 1}), (real3){3, 3, 4}, 0);
    check_vector(md5_mat34_point(m, (md5_vec3){1, 1, 1}), (real3){10, 11, 13}, 0);
    check_vector(md5_mat34_translation(m), (real3){7, 8, 9}, 0);
}

TEST (math_looks_at_a_target) {
    const md5_vec3 eye = {10, 4, 3};
    const md5_vec3 target = {1, 2, 3};
    const md5_mat44 view = md5_mat44_look_at(eye, target, (md5_vec3){0, 0, 5});
    check_clip(apply44(view, (real4){1, 2, 3, 1}), (real4){0, 0, -sqrt(85.0), 1}, 1e-5);
    check_clip(apply44(view, (real4){1, 2, 9, 1}), (real4){0, 6, -sqrt(85.0), 1}, 1e-5);
    check_clip(apply44(view, (real4){10, 4, 3, 1}), (real4){0, 0, 0, 1}, 1e-5);
    // Seen from the front, +y (left of the character) is on the right.
    const md5_mat44 front =
        md5_mat44_look_at((md5_vec3){10, 0, 0}, (md5_vec3){0, 0, 0}, (md5_vec3){0, 0, 1});
    CHECK_NEAR(apply44(front, (real4){0, 1, 0, 1}).x, 1, 1e-6);
}

// The matrix is rigid and right-handed for all arguments.
TEST (math_looks_along_up_and_at_itself) {
    const md5_vec3 eyes[] = {{0, 0, 5}, {0, 0, -5}, {1, 2, 3}, {5, 0, 0}, {0, 0, 0}};
    const md5_vec3 ups[] = {{0, 0, 1}, {0, 0, 0}, {1, 0, 0}, {1, 2, 3}};
    for (int i = 0; i < 20; i++) {
        const md5_mat44 view = md5_mat44_look_at(eyes[i % 5], (md5_vec3){0, 0, 0}, ups[i / 5]);
        matrix m, transposed;
        for (int j = 0; j < 9; j++) {
            m.at[j / 3][j % 3] = view.m[4 * (j % 3) + j / 3];
            transposed.at[j % 3][j / 3] = m.at[j / 3][j % 3];
        }
        check_rotation(multiply(m, transposed), identity, 1e-6);
        const real3 rows[] = {{m.at[0][0], m.at[0][1], m.at[0][2]},
                              {m.at[1][0], m.at[1][1], m.at[1][2]},
                              {m.at[2][0], m.at[2][1], m.at[2][2]}};
        CHECK_NEAR(real3_dot(rows[0], real3_cross(rows[1], rows[2])), 1, 1e-6);
    }
}

static double depth_at(md5_mat44 clip, double distance)
{
    const real4 out = apply44(clip, (real4){0, 0, -distance, 1});
    CHECK_NEAR(out.w, distance, 1e-9);
    return out.z / out.w;
}

TEST (math_projects_near_and_far_planes_to_the_depth_range) {
    static const struct {
        float far_z;
        md5_depth depth;
        double far_away;
        double near_depth;
        double far_depth;
    } cases[] = {{200, MD5_DEPTH_MINUS_ONE_TO_ONE, 200, -1, 1},
                 {200, MD5_DEPTH_ZERO_TO_ONE, 200, 0, 1},
                 {INFINITY, MD5_DEPTH_MINUS_ONE_TO_ONE, 1e9, -1, 1},
                 {200, MD5_DEPTH_ONE_TO_ZERO, 200, 1, 0},
                 {INFINITY, MD5_DEPTH_ONE_TO_ZERO, 1e9, 1, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const md5_mat44 clip = md5_mat44_perspective(60, 2, 0.5f, cases[i].far_z, cases[i].depth);
        CHECK_NEAR(depth_at(clip, 0.5), cases[i].near_depth, 1e-6);
        CHECK_NEAR(depth_at(clip, cases[i].far_away), cases[i].far_depth, 1e-6);
    }
    // The edge of the image: 30 degrees up, and twice as far to the side.
    const double up = 10 * tan(30 * DEGREES);
    const real4 edge = apply44(md5_mat44_perspective(60, 2, 0.5f, 200, MD5_DEPTH_MINUS_ONE_TO_ONE),
                               (real4){2 * up, up, -10, 1});
    CHECK_NEAR(edge.x / edge.w, 1, 1e-6);
    CHECK_NEAR(edge.y / edge.w, 1, 1e-6);
}

// -- Inverse and pixels ---------------------------------------------------------------------------

TEST (math_inverts_4x4_matrices) {
    uint64_t random = 9;
    for (int i = 0; i < 200; i++) {
        md5_mat44 m;
        for (int j = 0; j < 16; j++)
            m.m[j] = test_betweenf(-2, 2, &random) + (j % 4 == (j / 4 + i) % 4 ? 8 : 0);
        const md5_mat44 back = md5_mat44_inverse(m);
        for (int column = 0; column < 4; column++) {
            const real4 unit = {column == 0, column == 1, column == 2, column == 3};
            check_clip(apply44(back, apply44(m, unit)), unit, 2e-6);
        }
    }
    const md5_mat44 bad[] = {{{1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 4, 5, 6, 1}},
                             {{NAN, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
                             {{1e-39f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}};
    for (size_t j = 0; j < COUNT_OF(bad); j++) {
        const md5_mat44 *const m = &bad[j];
        for (int i = 0; i < 16; i++)
            CHECK(md5_mat44_inverse(*m).m[i] == 0);
    }
}

// A camera in textbook terms. It gives the position of a point as fractions of the image from its
// middle, and as the distance along the line of sight.
typedef struct test_eye {
    real3 right;
    real3 up;
    real3 forward;
    real3 at;
    double half_width;
    double half_height;
    double near_z;
    double far_z;
    bool is_orthographic, is_mirrored;
    md5_depth depth;
} test_eye;

static md5_mat44 matrix_from_eye(const test_eye *eye)
{
    const md5_vec3 at = to_vec3(eye->at);
    const md5_vec3 up = to_vec3(eye->up);
    const md5_vec3 to = to_vec3(real3_add(eye->at, real3_scale(eye->forward, 9)));
    md5_mat44 clip = {{0}};
    if (eye->is_orthographic) { // z = a d + b, from the depth of both ends
        const double from =
            eye->depth == MD5_DEPTH_MINUS_ONE_TO_ONE ? -1 : eye->depth == MD5_DEPTH_ONE_TO_ZERO;
        const double to_z = eye->depth != MD5_DEPTH_ONE_TO_ZERO;
        const double a = (to_z - from) / (eye->far_z - eye->near_z);
        clip.m[0] = (float)(1 / eye->half_width);
        clip.m[5] = (float)(1 / eye->half_height);
        clip.m[10] = (float)-a;
        clip.m[14] = (float)(from - a * eye->near_z);
        clip.m[15] = 1;
    } else {
        clip = md5_mat44_perspective((float)(2 * atan(eye->half_height) / DEGREES),
                                     (float)(eye->half_width / eye->half_height),
                                     (float)eye->near_z, (float)eye->far_z, eye->depth);
    }
    clip.m[0] *= eye->is_mirrored ? -1 : 1;
    return md5_mat44_mul(clip, md5_mat44_look_at(at, to, up));
}

static double along(real3 axis, const test_eye *eye, md5_vec3 p)
{
    return real3_dot(axis, real3_sub(to_real3(p), eye->at));
}

// Returns the pixel of a point by similar triangles, and its depth, which is linear in d or in 1 /
// d.
static real3 see(const test_eye *eye, md5_viewport window, md5_vec3 p)
{
    const double d = along(eye->forward, eye, p);
    const double zoom = eye->is_orthographic ? 1 : d;
    const double right = along(eye->right, eye, p) / zoom / eye->half_width;
    const double up = along(eye->up, eye, p) / zoom / eye->half_height;
    const double near_z = eye->near_z;
    const double far_z = eye->far_z;
    const double fraction = eye->is_orthographic ? (d - near_z) / (far_z - near_z)
                                                 : (1 / near_z - 1 / d) / (1 / near_z - 1 / far_z);
    const double half_width = eye->is_mirrored ? -0.5 : 0.5;
    return (real3){window.x + window.width * (0.5 + half_width * right),
                   window.y + window.height * (0.5 - 0.5 * up),
                   eye->depth == MD5_DEPTH_ONE_TO_ZERO ? 1 - fraction : fraction};
}

static test_eye random_eye(int i, uint64_t *random)
{
    const matrix rotation = matrix_from_quat(random_rotation(random));
    test_eye eye = {.right = apply(rotation, (real3){1, 0, 0}),
                    .up = apply(rotation, (real3){0, 1, 0}),
                    .forward = apply(rotation, (real3){0, 0, -1}),
                    .at = real3_scale(to_real3(random_vector(random)), 20),
                    .half_width = test_between(0.3, 2, random),
                    .half_height = test_between(0.3, 2, random),
                    .near_z = test_between(0.5, 2, random),
                    .far_z = i % 3 == 0 ? INFINITY : test_between(30, 90, random),
                    .is_mirrored = i % 2 == 1,
                    .depth = (md5_depth)(i / 2 % 3)};
    if (i % 7 == 3) {
        eye.is_orthographic = true;
        eye.far_z = 50;
        eye.half_width *= 20;
        eye.half_height *= 20;
    }
    return eye;
}

TEST (math_projects_points_to_pixels_and_back) {
    uint64_t random = 10;
    for (int i = 0; i < 420; i++) {
        const test_eye eye = random_eye(i, &random);
        const md5_viewport window = {30, i % 5 == 0 ? 620 : 20, 800, i % 5 == 0 ? -600 : 600,
                                     eye.depth};
        const md5_mat44 clip = matrix_from_eye(&eye);
        const double d = test_between(eye.near_z, 25, &random);
        const double zoom = eye.is_orthographic ? 1 : d;
        const double right = test_between(-1, 1, &random) * eye.half_width * zoom;
        const double up = test_between(-1, 1, &random) * eye.half_height * zoom;
        const real3 side = real3_add(real3_scale(eye.right, right), real3_scale(eye.up, up));
        const real3 ahead = real3_scale(eye.forward, d);
        const real3 p = real3_add(eye.at, real3_add(side, ahead));
        const md5_vec3 point = to_vec3(p);
        const real3 pixel = see(&eye, window, point);
        md5_vec3 actual, back;
        REQUIRE(md5_mat44_project(clip, window, point, &actual));
        // The tolerance is the rounding error of floats: of the matrix, and of the distance of 20
        // to the origin, in an image of 800 pixels.
        CHECK_NEAR(actual.x, pixel.x, 0.02);
        CHECK_NEAR(actual.y, pixel.y, 0.02);
        CHECK_NEAR(actual.z, pixel.z, 2e-5);
        REQUIRE(md5_mat44_unproject(clip, window, actual, &back));
        check_vector(back, p, 3e-4 * d * d);
        // The ray begins at the near plane, passes through the point and ends at the far plane.
        const md5_ray ray = md5_ray_from_pixel(clip, window, actual.x, actual.y);
        const double t = real_length(md5_vec3_sub(point, ray.origin));
        CHECK_NEAR(real_length(ray.direction), 1, 1e-6);
        check_vector(md5_vec3_add(ray.origin, md5_vec3_scale(ray.direction, (float)t)), p,
                     1e-5 * (20 + d));
        CHECK_NEAR(along(eye.forward, &eye, ray.origin), eye.near_z, 1e-4);
        if (eye.far_z < INFINITY) {
            const md5_vec3 end = md5_vec3_add(ray.origin, md5_vec3_scale(ray.direction, ray.limit));
            CHECK_NEAR(along(eye.forward, &eye, end), eye.far_z, 1e-3 * eye.far_z * eye.far_z / 30);
        } else {
            CHECK(ray.limit == 0 || ray.limit > 1e5f);
        }
        const md5_vec3 point_behind = to_vec3(real3_sub(p, real3_scale(ahead, 2)));
        CHECK(md5_mat44_project(clip, window, point_behind, &back) == eye.is_orthographic);
    }
}

TEST (math_returns_no_ray_for_a_singular_matrix) {
    const md5_viewport window = {0, 0, 640, 480, MD5_DEPTH_ZERO_TO_ONE};
    md5_vec3 out = {7, 8, 9};
    const md5_mat44 none = {{0}};
    const md5_mat44 endless = md5_mat44_perspective(60, 1, 1, INFINITY, MD5_DEPTH_ONE_TO_ZERO);
    const md5_ray ray = md5_ray_from_pixel(none, window, 3, 4);
    CHECK(real_length(ray.direction) == 0 && real_length(ray.origin) == 0 && ray.limit == 0);
    CHECK(!md5_mat44_unproject(none, window, out, &out));
    CHECK(!md5_mat44_project(none, window, out, &out));
    CHECK(!md5_mat44_unproject(endless, window, (md5_vec3){3, 4, 0}, &out)); // infinitely far
    CHECK(!md5_mat44_unproject(endless, window, (md5_vec3){NAN, 4, 1}, &out));
    CHECK(!md5_mat44_project(endless, window, (md5_vec3){1, 2, NAN}, &out));
    CHECK(out.x == 7 && out.y == 8 && out.z == 9);
}

// A camera of a converted load looks along the axes of that load, whose matrix is applied to id's
// axes here.
TEST (math_looks_along_a_camera_view) {
    uint64_t random = 11;
    for (int i = 0; i < 60; i++) {
        const md5_axes axes = (md5_axes)(i % 6);
        const md5_mat34 from_id = md5_mat34_from_axes(axes, 1);
        const md5_quat rotation = random_rotation(&random);
        const md5_vec3 at = md5_vec3_scale(random_vector(&random), 9);
        const md5_mat44 view = md5_mat44_look_along(at, rotation, axes);
        const md5_vec3 offsets[3] = {{5, 0, 0}, {0, 2, 0}, {0, 0, 3}};
        const bool is_left = axes == MD5_AXES_Y_UP_LEFT || axes == MD5_AXES_Z_UP_LEFT;
        const real3 expected[3] = {{0, 0, -5}, {is_left ? 2 : -2, 0, 0}, {0, 3, 0}};
        for (int k = 0; k < 3; k++) {
            const md5_vec3 arm = md5_mat34_direction(from_id, offsets[k]);
            const md5_vec3 p = md5_vec3_add(at, md5_quat_rotate(rotation, arm));
            const real4 view_point = apply44(view, (real4){p.x, p.y, p.z, 1});
            CHECK_SMALL(
                real3_distance((real3){view_point.x, view_point.y, view_point.z}, expected[k]),
                1e-5);
        }
    }
    // Field of view of 90 degrees at an aspect of 2:1: at the same depth, the upper edge is at half
    // the distance of the side edge.
    CHECK_NEAR(md5_vertical_fov(90, 2), 2 * atan(0.5) / DEGREES, 1e-5);
}

// Returns the volume to which a matrix maps the unit cube: its determinant.
static double volume(md5_mat34 m)
{
    const md5_vec3 x = {m.m[0], m.m[4], m.m[8]};
    const md5_vec3 y = {m.m[1], m.m[5], m.m[9]};
    const md5_vec3 z = {m.m[2], m.m[6], m.m[10]};
    return md5_vec3_dot(x, md5_vec3_cross(y, z));
}

// Halfway between two rotations, the mean of their matrices shrinks a body to the volume
// (1 + cos a) / 2, and slerp preserves the volume.
TEST (mean_of_rotation_matrices_is_not_a_rotation) {
    const md5_vec3 axis = md5_vec3_normalize((md5_vec3){1, 0.5f, 0.3f}, (md5_vec3){1, 0, 0});
    const md5_quat from = md5_quat_from_axis_angle((md5_vec3){0.6f, -0.8f, 0}, 0.7f);
    for (int degrees = 0; degrees <= 180; degrees += 30) {
        const md5_quat rotation = md5_quat_from_axis_angle(axis, (float)(degrees * DEGREES));
        const md5_quat to = md5_quat_mul(from, rotation);
        const md5_mat34 a = md5_mat34_from_xform((md5_xform){.rotation = from});
        const md5_mat34 b = md5_mat34_from_xform((md5_xform){.rotation = to});
        const md5_xform middle = {.rotation = md5_quat_slerp(from, to, 0.5f)};
        md5_mat34 mean;
        for (int i = 0; i < 12; i++)
            mean.m[i] = 0.5f * (a.m[i] + b.m[i]);
        CHECK_NEAR(volume(mean), 0.5 * (1 + cos(degrees * DEGREES)), 1e-5);
        CHECK_NEAR(volume(md5_mat34_from_xform(middle)), 1, 1e-5);
    }
}
