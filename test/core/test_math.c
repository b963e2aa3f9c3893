// md5math.h against the same formulas in double precision, written as matrices: rotations are
// compared by what they do to vectors, so that no formula of the library is used twice.
#include "test/real.h"

#include "md5/motion/functions.h"

#define DEGREES (3.14159265358979323846 / 180.0)

typedef struct matrix {
    double at[3][3];
} matrix;

static matrix multiply(matrix a, matrix b)
{
    matrix product = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                product.at[i][j] += a.at[i][k] * b.at[k][j];
    return product;
}

static void apply(matrix m, const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m.at[i][0] * v[0] + m.at[i][1] * v[1] + m.at[i][2] * v[2];
}

// Rodrigues' formula: cos I + sin [k] + (1 - cos) k k^T.
static matrix about(const double axis[3], double angle)
{
    const double x = axis[0], y = axis[1], z = axis[2], c = cos(angle), s = sin(angle), v = 1.0 - c;
    return (matrix){{{c + v * x * x, v * x * y - s * z, v * x * z + s * y},
                     {v * x * y + s * z, c + v * y * y, v * y * z - s * x},
                     {v * x * z - s * y, v * y * z + s * x, c + v * z * z}}};
}

// q v q* of a quaternion of any length, in double.
static matrix matrix_of(md5_quat q)
{
    const double x = q.x, y = q.y, z = q.z, w = q.w;
    return (matrix){{{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                     {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                     {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}}};
}

static double difference(matrix a, matrix b)
{
    double most = 0.0;
    for (int i = 0; i < 9; i++)
        most = fmax(most, fabs(a.at[i / 3][i % 3] - b.at[i / 3][i % 3]));
    return most;
}

static md5_vec3 random_vector(uint64_t *random)
{
    return (md5_vec3){(float)test_between(-1, 1, random), (float)test_between(-1, 1, random),
                      (float)test_between(-1, 1, random)};
}

static md5_quat random_rotation(uint64_t *random)
{
    md5_quat q = {(float)test_between(-1, 1, random), (float)test_between(-1, 1, random),
                  (float)test_between(-1, 1, random), (float)test_between(-1, 1, random)};
    return md5_quat_normalize(q, (md5_quat){0, 0, 0, 1});
}

static md5_xform random_transform(uint64_t *random)
{
    return (md5_xform){random_rotation(random), random_vector(random), 0.0f};
}

static void check_vector(md5_vec3 actual, const double expected[3], double tolerance)
{
    CHECK_NEAR(actual.x, expected[0], tolerance);
    CHECK_NEAR(actual.y, expected[1], tolerance);
    CHECK_NEAR(actual.z, expected[2], tolerance);
}

// -- Rotations --------------------------------------------------------------------------------

TEST (math_rotates_as_matrices_do) {
    uint64_t random = 1;
    for (int i = 0; i < 200; i++) {
        const md5_quat a = random_rotation(&random), b = random_rotation(&random);
        const md5_vec3 v = random_vector(&random);
        const double of[3] = {v.x, v.y, v.z};
        double expected[3];
        apply(matrix_of(a), of, expected);
        check_vector(md5_quat_rotate(a, v), expected, 1e-6);
        CHECK(difference(matrix_of(md5_quat_mul(a, b)), multiply(matrix_of(a), matrix_of(b)))
              < 1e-6);
        const matrix none = multiply(matrix_of(a), matrix_of(md5_quat_conjugate(a)));
        CHECK(difference(none, (matrix){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}) < 1e-6);
    }
}

TEST (math_turns_about_an_axis_of_any_length) {
    uint64_t random = 2;
    for (int i = 0; i < 200; i++) {
        const md5_vec3 axis = random_vector(&random);
        const double size = real_length(axis), angle = (double)(float)test_between(-7, 7, &random);
        const double unit[3] = {(double)axis.x / size, (double)axis.y / size,
                                (double)axis.z / size};
        const float scale = i % 3 == 0 ? 1e30f : i % 3 == 1 ? 1e-30f : 1.0f;
        const md5_quat q = md5_quat_from_axis_angle(md5_vec3_scale(axis, scale), (float)angle);
        CHECK(difference(matrix_of(q), about(unit, angle)) < 1e-6);
    }
    const float bad[] = {0.0f, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        const md5_quat none = md5_quat_from_axis_angle((md5_vec3){bad[i], 0, 0}, 1.0f);
        CHECK(none.x == 0.0f && none.y == 0.0f && none.z == 0.0f && none.w == 1.0f);
    }
}

static matrix matrix_of_euler(double pitch, double yaw, double roll)
{
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    return multiply(about(z, yaw * DEGREES),
                    multiply(about(y, pitch * DEGREES), about(x, roll * DEGREES)));
}

TEST (math_reads_and_writes_ids_angles) {
    // Pitch looks down, yaw turns left, roll leans right: what was left goes up.
    const double down[3] = {0, 0, -1}, left[3] = {0, 1, 0}, up[3] = {0, 0, 1};
    check_vector(
        md5_quat_rotate(md5_quat_from_euler((md5_euler){.pitch = 90}), (md5_vec3){1, 0, 0}), down,
        1e-6);
    check_vector(md5_quat_rotate(md5_quat_from_euler((md5_euler){.yaw = 90}), (md5_vec3){1, 0, 0}),
                 left, 1e-6);
    check_vector(md5_quat_rotate(md5_quat_from_euler((md5_euler){.roll = 90}), (md5_vec3){0, 1, 0}),
                 up, 1e-6);
    uint64_t random = 3;
    for (int i = 0; i < 500; i++) {
        const md5_euler angles = {(float)test_between(-89.5, 89.5, &random),
                                  (float)test_between(-180, 180, &random),
                                  (float)test_between(-180, 180, &random)};
        const md5_quat q = md5_quat_from_euler(angles);
        CHECK(difference(matrix_of(q), matrix_of_euler(angles.pitch, angles.yaw, angles.roll))
              < 1e-6);
        const md5_euler again = md5_quat_to_euler(q);
        // A quaternion of floats fixes yaw and roll to about 1e-7 / cos(pitch) radians.
        CHECK_NEAR(again.pitch, angles.pitch, 2e-3);
        CHECK_NEAR(remainder((double)again.yaw - angles.yaw, 360.0), 0.0, 2e-3);
        CHECK_NEAR(remainder((double)again.roll - angles.roll, 360.0), 0.0, 2e-3);
    }
}

TEST (math_looks_straight_up_and_down_without_roll) {
    for (int i = 0; i < 72; i++) {
        const md5_euler angles = {i % 2 == 0 ? 90.0f : -90.0f, (float)(5 * i - 180),
                                  (float)(i * 3)};
        const md5_quat q = md5_quat_from_euler(angles);
        const md5_euler again = md5_quat_to_euler(q);
        CHECK_NEAR(again.pitch, angles.pitch, 0.05);
        CHECK(again.roll == 0.0f);
        CHECK(difference(matrix_of(md5_quat_from_euler(again)), matrix_of(q)) < 1e-3);
    }
}

static void check_between(md5_vec3 from, md5_vec3 to)
{
    const md5_quat q = md5_quat_between(from, to);
    const double size = real_length(to), start = real_length(from);
    const double goal[3] = {(double)to.x / size, (double)to.y / size, (double)to.z / size};
    const double begin[3] = {(double)from.x / start, (double)from.y / start,
                             (double)from.z / start};
    double moved[3];
    apply(matrix_of(q), begin, moved);
    const double cosine = begin[0] * goal[0] + begin[1] * goal[1] + begin[2] * goal[2];
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(moved[i], goal[i], 1e-6);
    // No longer than needed: the angle of the rotation is that between the directions.
    CHECK_NEAR(2.0 * (double)q.w * (double)q.w - 1.0, cosine, 2e-6);
}

TEST (math_finds_the_shortest_rotation) {
    uint64_t random = 4;
    for (int i = 0; i < 200; i++) {
        const md5_vec3 from = random_vector(&random), near = random_vector(&random);
        const float scale = i % 3 == 0 ? 1e25f : 1.0f;
        check_between(md5_vec3_scale(from, scale), near);
        check_between(from, md5_vec3_scale(from, -3.0f));
        check_between(from, md5_vec3_sub(md5_vec3_scale(near, 1e-4f), from));
        check_between(from, from);
    }
    const md5_quat none = md5_quat_between((md5_vec3){0, 0, 0}, (md5_vec3){1, 0, 0});
    CHECK(none.w == 1.0f);
    CHECK(md5_quat_between((md5_vec3){1, 0, 0}, (md5_vec3){NAN, 0, 0}).w == 1.0f);
}

TEST (math_takes_rotations_from_matrices) {
    uint64_t random = 5;
    for (int i = 0; i < 300; i++) {
        md5_xform from = random_transform(&random);
        if (i % 3 == 0) // small traces, where each of the four components may be the largest
            from.rotation = md5_quat_from_axis_angle(random_vector(&random), 3.1f);
        const md5_xform again = md5_xform_from_mat34(md5_mat34_from_xform(from));
        CHECK(difference(matrix_of(again.rotation), matrix_of(from.rotation)) < 2e-6);
        CHECK(again.translation.x == from.translation.x && again.translation.y == from.translation.y
              && again.translation.z == from.translation.z && again.pad == 0.0f);
    }
}

// -- Transforms -------------------------------------------------------------------------------

static void apply_transform(md5_xform a, const double v[3], double out[3])
{
    apply(matrix_of(a.rotation), v, out);
    out[0] += a.translation.x;
    out[1] += a.translation.y;
    out[2] += a.translation.z;
}

TEST (math_composes_and_undoes_transforms) {
    uint64_t random = 6;
    for (int i = 0; i < 200; i++) {
        const md5_xform a = random_transform(&random), b = random_transform(&random);
        const md5_vec3 v = random_vector(&random);
        const double of[3] = {v.x, v.y, v.z};
        double by_b[3], by_both[3];
        apply_transform(b, of, by_b);
        apply_transform(a, by_b, by_both);
        check_vector(md5_xform_point(b, v), by_b, 1e-6);
        check_vector(md5_xform_point(md5_xform_mul(a, b), v), by_both, 2e-6);
        check_vector(md5_xform_point(md5_xform_inverse(b), md5_xform_point(b, v)), of, 2e-6);
    }
}

// Rotations about one axis blend by their angles.
TEST (math_blends_transforms) {
    const md5_vec3 axis = {1.0f, 2.0f, -3.0f};
    const double size = sqrt(14.0), unit[3] = {1.0 / size, 2.0 / size, -3.0 / size};
    const md5_xform a = {md5_quat_from_axis_angle(axis, 0.25f), {1, 2, 3}, 0.0f};
    const md5_xform b = {md5_quat_from_axis_angle(axis, 2.75f), {5, 2, -5}, 0.0f};
    for (int i = 0; i <= 10; i++) {
        const double t = (0.1f * (float)i);
        const md5_xform blend = md5_xform_blend(a, b, (float)t);
        CHECK(difference(matrix_of(blend.rotation), about(unit, 0.25 + 2.5 * t)) < 2e-6);
        check_vector(blend.translation, (const double[]){1 + 4 * t, 2, 3 - 8 * t}, 2e-6);
    }
    const md5_xform before = md5_xform_blend(a, b, -1.0f);
    const md5_xform after = md5_xform_blend(a, b, 9.0f);
    CHECK(before.rotation.w == a.rotation.w && before.translation.x == 1.0f);
    CHECK(after.rotation.w == b.rotation.w && after.translation.x == 5.0f);
}

// -- Matrices ---------------------------------------------------------------------------------

// Scale, shear and mirror included.
TEST (math_inverts_affine_matrices) {
    uint64_t random = 7;
    for (int i = 0; i < 200; i++) {
        md5_mat34 m;
        for (int j = 0; j < 12; j++)
            m.m[j] = (float)test_between(-2, 2, &random);
        m.m[i % 3 * 5] += i % 2 == 0 ? 5.0f : -5.0f; // far from singular
        m.m[(i + 1) % 3 * 5] += 5.0f;
        m.m[(i + 2) % 3 * 5] += 5.0f;
        const md5_mat34 back = md5_mat34_inverse(m);
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 4; column++) {
                double sum = column == 3 ? back.m[4 * row + 3] : 0.0;
                for (int k = 0; k < 3; k++)
                    sum += (double)back.m[4 * row + k] * m.m[4 * k + column];
                CHECK_NEAR(sum, row == column ? 1.0 : 0.0, 2e-5);
            }
        }
    }
    const md5_mat34 flat = {{1, 0, 0, 4, 0, 1, 0, 5, 1, 1, 0, 6}};
    const md5_mat34 none = md5_mat34_inverse(flat);
    for (int i = 0; i < 12; i++)
        CHECK(none.m[i] == 0.0f);
    const md5_mat34 small = {{1e-20f, 0, 0, 1, 0, 1e-20f, 0, 0, 0, 0, 1e-20f, 0}};
    CHECK_NEAR(md5_mat34_inverse(small).m[0], 1e20, 1e14);
}

static void apply44(md5_mat44 m, const double v[4], double out[4])
{
    for (int row = 0; row < 4; row++) {
        out[row] = 0.0;
        for (int column = 0; column < 4; column++)
            out[row] += m.m[4 * column + row] * v[column];
    }
}

TEST (math_widens_and_multiplies_4x4_matrices) {
    uint64_t random = 8;
    const md5_xform a = random_transform(&random), b = random_transform(&random);
    const md5_mat44 product = md5_mat44_mul(md5_mat44_from_mat34(md5_mat34_from_xform(a)),
                                            md5_mat44_from_mat34(md5_mat34_from_xform(b)));
    const double v[4] = {0.5, -2.0, 3.0, 1.0};
    double by_b[3], by_both[3], actual[4];
    apply_transform(b, v, by_b);
    apply_transform(a, by_b, by_both);
    apply44(product, v, actual);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(actual[i], by_both[i], 5e-6);
    CHECK_NEAR(actual[3], 1.0, 0.0);
    const md5_mat34 m = {{2, 0, 1, 7, 0, 3, 0, 8, 0, 0, 4, 9}};
    check_vector(md5_mat34_direction(m, (md5_vec3){1, 1, 1}), (const double[]){3, 3, 4}, 0.0);
    check_vector(md5_mat34_point(m, (md5_vec3){1, 1, 1}), (const double[]){10, 11, 13}, 0.0);
    check_vector(md5_mat34_translation(m), (const double[]){7, 8, 9}, 0.0);
}

TEST (math_looks_at_a_target) {
    const md5_vec3 eye = {10, 4, 3}, target = {1, 2, 3};
    const md5_mat44 view = md5_mat44_look_at(eye, target, (md5_vec3){0, 0, 5});
    const double points[3][4] = {{1, 2, 3, 1}, {1, 2, 9, 1}, {10, 4, 3, 1}};
    double at[4];
    apply44(view, points[0], at);
    CHECK_NEAR(at[0], 0.0, 1e-5);
    CHECK_NEAR(at[1], 0.0, 1e-5);
    CHECK_NEAR(at[2], -sqrt(85.0), 1e-5);
    apply44(view, points[1], at);
    CHECK_NEAR(at[0], 0.0, 1e-5);
    CHECK_NEAR(at[1], 6.0, 1e-5);
    apply44(view, points[2], at);
    CHECK(fabs(at[0]) < 1e-5 && fabs(at[1]) < 1e-5 && fabs(at[2]) < 1e-5);
    // From the front, +y (left of the character) is on the right.
    const md5_mat44 front =
        md5_mat44_look_at((md5_vec3){10, 0, 0}, (md5_vec3){0, 0, 0}, (md5_vec3){0, 0, 1});
    apply44(front, (const double[]){0, 1, 0, 1}, at);
    CHECK_NEAR(at[0], 1.0, 1e-6);
}

// Rigid and right-handed whatever the arguments are.
TEST (math_looks_along_up_and_at_itself) {
    const md5_vec3 eyes[] = {{0, 0, 5}, {0, 0, -5}, {1, 2, 3}, {5, 0, 0}, {0, 0, 0}};
    const md5_vec3 ups[] = {{0, 0, 1}, {0, 0, 0}, {1, 0, 0}, {1, 2, 3}};
    for (int i = 0; i < 20; i++) {
        const md5_mat44 view = md5_mat44_look_at(eyes[i % 5], (md5_vec3){0, 0, 0}, ups[i / 5]);
        matrix m;
        for (int j = 0; j < 9; j++)
            m.at[j / 3][j % 3] = view.m[4 * (j % 3) + j / 3];
        matrix transposed;
        for (int j = 0; j < 9; j++)
            transposed.at[j / 3][j % 3] = m.at[j % 3][j / 3];
        CHECK(difference(multiply(m, transposed), (matrix){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}})
              < 1e-6);
        const double determinant =
            m.at[0][0] * (m.at[1][1] * m.at[2][2] - m.at[1][2] * m.at[2][1])
            - m.at[0][1] * (m.at[1][0] * m.at[2][2] - m.at[1][2] * m.at[2][0])
            + m.at[0][2] * (m.at[1][0] * m.at[2][1] - m.at[1][1] * m.at[2][0]);
        CHECK_NEAR(determinant, 1.0, 1e-6);
    }
}

static double depth_at(md5_mat44 clip, double distance)
{
    double out[4];
    apply44(clip, (const double[]){0, 0, -distance, 1}, out);
    CHECK_NEAR(out[3], distance, 1e-9);
    return out[2] / out[3];
}

TEST (math_projects_near_and_far_to_the_ends_of_depth) {
    const md5_mat44 gl = md5_mat44_perspective(60, 2, 0.5f, 200, MD5_DEPTH_MINUS_ONE_TO_ONE);
    CHECK_NEAR(depth_at(gl, 0.5), -1.0, 1e-6);
    CHECK_NEAR(depth_at(gl, 200), 1.0, 1e-6);
    const md5_mat44 zero = md5_mat44_perspective(60, 2, 0.5f, 200, MD5_DEPTH_ZERO_TO_ONE);
    CHECK_NEAR(depth_at(zero, 0.5), 0.0, 1e-6);
    CHECK_NEAR(depth_at(zero, 200), 1.0, 1e-6);
    const md5_mat44 endless =
        md5_mat44_perspective(60, 2, 0.5f, INFINITY, MD5_DEPTH_MINUS_ONE_TO_ONE);
    CHECK_NEAR(depth_at(endless, 0.5), -1.0, 1e-6);
    CHECK_NEAR(depth_at(endless, 1e9), 1.0, 1e-6);
    const md5_mat44 reversed = md5_mat44_perspective(60, 2, 0.5f, 200, MD5_DEPTH_ONE_TO_ZERO);
    CHECK_NEAR(depth_at(reversed, 0.5), 1.0, 1e-6);
    CHECK_NEAR(depth_at(reversed, 200), 0.0, 1e-6);
    const md5_mat44 both = md5_mat44_perspective(60, 2, 0.5f, INFINITY, MD5_DEPTH_ONE_TO_ZERO);
    CHECK_NEAR(depth_at(both, 0.5), 1.0, 1e-6);
    CHECK_NEAR(depth_at(both, 1e9), 0.0, 1e-6);
    // The edge of the picture: 30 degrees up, and twice as far to the side.
    double edge[4];
    apply44(gl, (const double[]){2 * 10 * tan(30 * DEGREES), 10 * tan(30 * DEGREES), -10, 1}, edge);
    CHECK_NEAR(edge[0] / edge[3], 1.0, 1e-6);
    CHECK_NEAR(edge[1] / edge[3], 1.0, 1e-6);
}

// -- Decay ----------------------------------------------------------------------------------------

// Exponential decay, against exp() of libc.

TEST (decay_is_exp) {
    double worst = 0.0, worst_share = 0.0;
    for (int i = 0; i < 1400; i++) {
        const double x = i < 700 ? i : pow(10.0, (i - 1400) * 0.01);
        worst = fmax(worst, fabs(md5i_decay(x) - exp(-x)));
        worst_share = fmax(worst_share, fabs(md5i_decay(x) / exp(-x) - 1.0));
    }
    CHECK_NEAR(worst, 0.0, 1e-13);
    CHECK_NEAR(worst_share, 0.0, 1e-10);
    CHECK(md5i_decay(0.0) == 1.0);
    CHECK(md5i_decay(INFINITY) == md5i_decay(800.0) && md5i_decay(1e300) < 1e-300);
}

// -- Inverse and pixels ---------------------------------------------------------------------------

TEST (math_inverts_4x4_matrices) {
    uint64_t random = 9;
    for (int i = 0; i < 200; i++) {
        md5_mat44 m;
        for (int j = 0; j < 16; j++)
            m.m[j] = test_betweenf(-2, 2, &random) + (j % 4 == (j / 4 + i) % 4 ? 8.0f : 0.0f);
        const md5_mat44 back = md5_mat44_inverse(m);
        for (int column = 0; column < 4; column++) {
            double unit[4] = {0}, by_m[4], again[4];
            unit[column] = 1.0;
            apply44(m, unit, by_m);
            apply44(back, by_m, again);
            for (int row = 0; row < 4; row++)
                CHECK_NEAR(again[row], unit[row], 2e-6);
        }
    }
    const md5_mat44 bad[] = {{{1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 4, 5, 6, 1}},
                             {{NAN, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
                             {{1e-39f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}};
    EACH (m, bad)
        for (int i = 0; i < 16; i++)
            CHECK(md5_mat44_inverse(*m).m[i] == 0.0f);
}

// A camera in textbook terms: where a point is, as fractions of the picture from its middle and as
// distance along the line of sight.
typedef struct test_eye {
    double right[3], up[3], forward[3], at[3], half_width, half_height, near_z, far_z;
    bool is_orthographic, is_mirrored;
    md5_depth depth;
} test_eye;

static md5_mat44 matrix_of_eye(const test_eye *eye)
{
    const md5_vec3 at = {(float)eye->at[0], (float)eye->at[1], (float)eye->at[2]};
    const md5_vec3 to = {(float)(eye->at[0] + 9 * eye->forward[0]),
                         (float)(eye->at[1] + 9 * eye->forward[1]),
                         (float)(eye->at[2] + 9 * eye->forward[2])};
    const md5_vec3 up = {(float)eye->up[0], (float)eye->up[1], (float)eye->up[2]};
    md5_mat44 clip = {{0}};
    if (eye->is_orthographic) { // z = a d + b, from the depth of both ends
        const double from =
            eye->depth == MD5_DEPTH_MINUS_ONE_TO_ONE ? -1 : eye->depth == MD5_DEPTH_ONE_TO_ZERO;
        const double to_z = eye->depth != MD5_DEPTH_ONE_TO_ZERO;
        const double a = (to_z - from) / (eye->far_z - eye->near_z);
        clip.m[0] = (float)(1 / eye->half_width), clip.m[5] = (float)(1 / eye->half_height);
        clip.m[10] = (float)-a, clip.m[14] = (float)(from - a * eye->near_z), clip.m[15] = 1;
    } else {
        clip = md5_mat44_perspective((float)(2 * atan(eye->half_height) / DEGREES),
                                     (float)(eye->half_width / eye->half_height),
                                     (float)eye->near_z, (float)eye->far_z, eye->depth);
    }
    clip.m[0] *= eye->is_mirrored ? -1.0f : 1.0f;
    return md5_mat44_mul(clip, md5_mat44_look_at(at, to, up));
}

static double along(const double axis[3], const test_eye *eye, md5_vec3 p)
{
    return axis[0] * (p.x - eye->at[0]) + axis[1] * (p.y - eye->at[1])
           + axis[2] * (p.z - eye->at[2]);
}

// The pixel of a point by similar triangles, and its depth: linear in d, or in 1 / d.
static void see(const test_eye *eye, md5_viewport window, md5_vec3 p, double pixel[3])
{
    const double d = along(eye->forward, eye, p), zoom = eye->is_orthographic ? 1.0 : d;
    const double right = along(eye->right, eye, p) / zoom / eye->half_width;
    const double up = along(eye->up, eye, p) / zoom / eye->half_height;
    const double near_z = eye->near_z, far_z = eye->far_z;
    const double share = eye->is_orthographic ? (d - near_z) / (far_z - near_z)
                                              : (1 / near_z - 1 / d) / (1 / near_z - 1 / far_z);
    pixel[0] = window.x + window.width * (0.5 + (eye->is_mirrored ? -0.5 : 0.5) * right);
    pixel[1] = window.y + window.height * (0.5 - 0.5 * up);
    pixel[2] = eye->depth == MD5_DEPTH_ONE_TO_ZERO ? 1.0 - share : share;
}

static test_eye random_eye(int i, uint64_t *random)
{
    const matrix turn = matrix_of(random_rotation(random));
    test_eye eye = {.half_width = test_between(0.3, 2, random),
                    .half_height = test_between(0.3, 2, random),
                    .near_z = test_between(0.5, 2, random),
                    .far_z = i % 3 == 0 ? INFINITY : test_between(30, 90, random),
                    .is_mirrored = i % 2 == 1,
                    .depth = (md5_depth)(i / 2 % 3)};
    if (i % 7 == 3) {
        eye.is_orthographic = true;
        eye.far_z = 50.0;
        eye.half_width *= 20, eye.half_height *= 20;
    }
    for (int k = 0; k < 3; k++) {
        eye.right[k] = turn.at[k][0], eye.up[k] = turn.at[k][1], eye.forward[k] = -turn.at[k][2];
        eye.at[k] = (double)test_betweenf(-20, 20, random);
    }
    return eye;
}

TEST (math_takes_points_to_pixels_and_back) {
    uint64_t random = 10;
    for (int i = 0; i < 420; i++) {
        const test_eye eye = random_eye(i, &random);
        const md5_viewport window = {30, i % 5 == 0 ? 620.0f : 20.0f, 800,
                                     i % 5 == 0 ? -600.0f : 600.0f, eye.depth};
        const md5_mat44 clip = matrix_of_eye(&eye);
        const double d = test_between(eye.near_z, 25, &random), zoom = eye.is_orthographic ? 1 : d;
        const double right = test_between(-1, 1, &random) * eye.half_width * zoom;
        const double up = test_between(-1, 1, &random) * eye.half_height * zoom;
        double p[3], pixel[3];
        for (int k = 0; k < 3; k++)
            p[k] = eye.at[k] + right * eye.right[k] + up * eye.up[k] + d * eye.forward[k];
        const md5_vec3 point = {(float)p[0], (float)p[1], (float)p[2]};
        see(&eye, window, point, pixel);
        md5_vec3 actual, back, behind;
        REQUIRE(md5_mat44_project(clip, window, point, &actual));
        // Floats of the matrix and of the distance of 20 to the origin, in 800 pixels.
        CHECK_NEAR(actual.x, pixel[0], 0.02);
        CHECK_NEAR(actual.y, pixel[1], 0.02);
        CHECK_NEAR(actual.z, pixel[2], 2e-5);
        REQUIRE(md5_mat44_unproject(clip, window, actual, &back));
        check_vector(back, p, 3e-4 * d * d);
        // The ray begins at the near plane, goes through the point and ends at the far plane.
        const md5_ray ray = md5_ray_from_pixel(clip, window, actual.x, actual.y);
        const double t = real_length(md5_vec3_sub(point, ray.origin));
        CHECK_NEAR(real_length(ray.direction), 1.0, 1e-6);
        check_vector(md5_vec3_add(ray.origin, md5_vec3_scale(ray.direction, (float)t)), p,
                     1e-5 * (20 + d));
        CHECK_NEAR(along(eye.forward, &eye, ray.origin), eye.near_z, 1e-4);
        if (eye.far_z < INFINITY) {
            const md5_vec3 end = md5_vec3_add(ray.origin, md5_vec3_scale(ray.direction, ray.limit));
            CHECK_NEAR(along(eye.forward, &eye, end), eye.far_z, 1e-3 * eye.far_z * eye.far_z / 30);
        } else {
            CHECK(ray.limit == 0.0f || ray.limit > 1e5f);
        }
        for (int k = 0; k < 3; k++)
            p[k] -= 2 * d * eye.forward[k];
        behind = (md5_vec3){(float)p[0], (float)p[1], (float)p[2]};
        CHECK(md5_mat44_project(clip, window, behind, &back) == eye.is_orthographic);
    }
}

TEST (math_has_no_ray_without_an_inverse) {
    const md5_viewport window = {0, 0, 640, 480, MD5_DEPTH_ZERO_TO_ONE};
    md5_vec3 out = {7, 8, 9};
    const md5_mat44 none = {{0}},
                    endless = md5_mat44_perspective(60, 1, 1, INFINITY, MD5_DEPTH_ONE_TO_ZERO);
    const md5_ray ray = md5_ray_from_pixel(none, window, 3, 4);
    CHECK(real_length(ray.direction) == 0.0 && real_length(ray.origin) == 0.0 && ray.limit == 0.0f);
    CHECK(!md5_mat44_unproject(none, window, out, &out));
    CHECK(!md5_mat44_project(none, window, out, &out));
    CHECK(!md5_mat44_unproject(endless, window, (md5_vec3){3, 4, 0}, &out)); // infinitely far
    CHECK(!md5_mat44_unproject(endless, window, (md5_vec3){NAN, 4, 1}, &out));
    CHECK(!md5_mat44_project(endless, window, (md5_vec3){1, 2, NAN}, &out));
    CHECK(out.x == 7 && out.y == 8 && out.z == 9);
}

// In its own axes a camera looks along those of the load, whose matrix is applied to id's here.
TEST (math_looks_along_a_camera_view) {
    uint64_t random = 11;
    for (int i = 0; i < 60; i++) {
        const md5_axes axes = (md5_axes)(i % 6);
        const md5_mat34 from_id = md5_mat34_from_axes(axes, 1);
        const md5_quat turn = random_rotation(&random);
        const md5_vec3 at = md5_vec3_scale(random_vector(&random), 9);
        const md5_mat44 view = md5_mat44_look_along(at, turn, axes);
        const md5_vec3 own[3] = {{5, 0, 0}, {0, 2, 0}, {0, 0, 3}};
        const bool is_left = axes == MD5_AXES_Y_UP_LEFT || axes == MD5_AXES_Z_UP_LEFT;
        const double expected[3][3] = {{0, 0, -5}, {is_left ? 2 : -2, 0, 0}, {0, 3, 0}};
        for (int k = 0; k < 3; k++) {
            const md5_vec3 arm = md5_mat34_direction(from_id, own[k]);
            const md5_vec3 p = md5_vec3_add(at, md5_quat_rotate(turn, arm));
            double seen[4];
            apply44(view, (const double[]){p.x, p.y, p.z, 1}, seen);
            for (int j = 0; j < 3; j++)
                CHECK_NEAR(seen[j], expected[k][j], 1e-5);
        }
    }
    // 90 degrees in 2:1: the edge is half as far up as to the side.
    CHECK_NEAR(md5_vertical_fov(90, 2), 2 * atan(0.5) / DEGREES, 1e-5);
}
