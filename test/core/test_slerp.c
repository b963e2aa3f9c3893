// Slerp against the exact result in double, against the tables, and at its ends.
#include "test/scoped.h"
#include "test/pose/test_generated_pose.h"
#include "test/real.h"

#include "md5/core/math.h"
#include "md5/core/slerp.h"

static double component_error(md5_quat q, real4 expected)
{
    return fmax(fmax(fabs(q.x - expected.x), fabs(q.y - expected.y)),
                fmax(fabs(q.z - expected.z), fabs(q.w - expected.w)));
}

static double dot(md5_quat a, md5_quat b)
{
    return real4_dot(to_real4(a), to_real4(b));
}

// Returns a rotation at a distance of about 1e-8 to 1 from `a`.
static md5_quat random_neighbor(uint64_t *random, md5_quat a)
{
    const double reach = pow(10, -8 * test_random(random));
    const md5_quat b = random_unit_quat(random);
    const real4 sum = real4_add(to_real4(a), real4_scale(to_real4(b), reach));
    const double scale = 1.0 / sqrt(real4_dot(sum, sum));
    if (scale > 100)
        return a;
    return (md5_quat){(float)(sum.x * scale), (float)(sum.y * scale), (float)(sum.z * scale),
                      (float)(sum.w * scale)};
}

// Returns the error of `found` against the definition in double precision, applied to the
// normalized floats. Both signs are correct if rounding decides which arc is shorter.
static double either_path_error(md5_quat a, md5_quat b, float t, md5_quat found)
{
    const real4 from = to_unit_real4(a);
    const real4 to = real4_towards(to_unit_real4(b), from);
    const double error = component_error(found, real4_slerp(from, to, t));
    if (fabs(dot(a, b)) >= 1e-6)
        return error;
    return fmin(error, component_error(found, real4_slerp(from, real4_scale(to, -1), t)));
}

TEST (slerp_is_exact_to_a_millionth) {
    uint64_t random = 1;
    for (int i = 0; i < 1000000; i++) {
        const md5_quat a = random_unit_quat(&random);
        const md5_quat b = i % 2 ? random_unit_quat(&random) : random_neighbor(&random, a);
        const float t = (float)test_random(&random);
        const md5_quat found = md5_quat_slerp(a, b, t);
        CHECK_SMALL(either_path_error(a, b, t, found), 1e-6);
        CHECK_NEAR(real4_length(found), 1, 1e-6);
    }
}

// Slerp is computed by a fitted formula, which is least exact if the quaternions are 90 degrees
// apart. The test covers fractions from 0 to 1.
TEST (slerp_is_exact_at_the_widest_angle) {
    const md5_quat a = {1, 0, 0, 0};
    const md5_quat b = {0, 1, 0, 0};
    for (int i = 0; i < 10001; i++) {
        const float t = (float)i / 10000.0f;
        const double angle = acos(0.0) * (double)t;
        CHECK_SMALL(component_error(md5_quat_slerp(a, b, t), (real4){cos(angle), sin(angle), 0, 0}),
                    3e-7);
    }
}

// -- Normalized linear interpolation --------------------------------------------------------------

static double nlerp_error(md5_quat a, md5_quat b, double t, md5_quat found)
{
    const real4 from = to_unit_real4(a);
    const real4 to = real4_towards(to_unit_real4(b), from);
    const real4 sum = real4_add(real4_scale(from, 1 - t), real4_scale(to, t));
    return component_error(found, real4_scale(sum, 1.0 / sqrt(real4_dot(sum, sum))));
}

TEST (nlerp_is_exact_to_a_millionth) {
    uint64_t random = 7;
    for (int i = 0; i < 300000; i++) {
        const md5_quat a = random_unit_quat(&random);
        const md5_quat b = i % 2 ? random_unit_quat(&random) : random_neighbor(&random, a);
        const float t = (float)test_random(&random);
        if (fabs(dot(a, b)) < 1e-6)
            continue; // rounding decides which arc is shorter
        const md5_quat found = md5_quat_nlerp(a, b, t);
        CHECK_SMALL(nlerp_error(a, b, t, found), 1e-6);
        CHECK_NEAR(real4_length(found), 1, 1e-6);
    }
}

// Returns the largest angle in degrees between md5_quat_nlerp() and slerp, from the identity to a
// rotation by `angle` degrees. Slerp at t rotates by t * angle: the cosine of half of that is w,
// the sine the length along the axis.
static double angle_to_slerp(double angle, uint64_t *random)
{
    const double pi = 2 * acos(0.0);
    const double half = angle / 360.0 * pi;
    const double x = test_random(random);
    const double y = sqrt(1 - x * x);
    const md5_quat a = {0, 0, 0, 1};
    const md5_quat b = {(float)(x * sin(half)), (float)(y * sin(half)), 0, (float)cos(half)};
    double max_error = 0;
    for (int i = 0; i < 2001; i++) {
        const float t = (float)i / 2000.0f;
        const md5_quat found = md5_quat_nlerp(a, b, t);
        const double along = found.x * x + found.y * y;
        real_update_max(&max_error, 2 * fabs(atan2(along, found.w) - t * half) / pi * 180);
    }
    return max_error;
}

// The table and the formula at md5_quat_nlerp().
TEST (nlerp_deviates_from_slerp_as_documented) {
    static const struct {
        double angle;
        double to_slerp;
        double rounding;
    } rows[] = {{10, 0.0012, 5e-5}, {30, 0.033, 5e-4}, {60, 0.27, 5e-3},
                {90, 0.92, 5e-3},   {120, 2.2, 0.05},  {179.999, 8.1, 0.05}};
    uint64_t random = 11;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const double pi = 2 * acos(0.0);
        const double h = rows[i].angle / 720.0 * pi;
        const double x = sqrt(tan(h) / h - 1) / tan(h);
        const double formula = (2 * atan(x * tan(h)) - 2 * x * h) / pi * 180;
        const double found = angle_to_slerp(rows[i].angle, &random);
        CHECK_NEAR(found, formula, 5e-5);
        CHECK_NEAR(found, rows[i].to_slerp, rows[i].rounding + 5e-5);
    }
    const double found = angle_to_slerp(20, &random);
    const double radians = 20.0 / 90.0 * acos(0.0);
    CHECK_NEAR(found / 90.0 * acos(0.0), radians * radians * radians / 249.0, 3e-6);
}

// -- Ends and equal rotations ---------------------------------------------------------------------

static bool same(md5_quat a, md5_quat b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

TEST (slerp_ends_are_exact) {
    uint64_t random = 2;
    for (int i = 0; i < 1000; i++) {
        const md5_quat a = random_unit_quat(&random);
        const md5_quat b = random_unit_quat(&random);
        const md5_quat minus = {-b.x, -b.y, -b.z, -b.w};
        const md5_quat end = dot(a, b) < 0 ? minus : b;
        bool held = same(md5_quat_slerp(a, b, 0), a) && same(md5_quat_slerp(a, b, -3), a)
                    && same(md5_quat_slerp(a, b, NAN), a);
        held =
            held && same(md5_quat_slerp(a, b, 1), end) && same(md5_quat_slerp(a, b, INFINITY), end);
        held = held && same(md5_quat_nlerp(a, b, 0), a) && same(md5_quat_nlerp(a, b, NAN), a);
        held = held && same(md5_quat_nlerp(a, b, 1), end) && same(md5_quat_nlerp(a, b, 2), end);
        const md5_nlerp_weights nlerp = md5_nlerp_weights_at(0);
        held = held && same(md5_nlerp_weighted(&nlerp, a, b), a);
        const md5_slerp_weights weights = md5i_slerp_weights_at(0);
        held = held && same(md5_slerp_weighted(&weights, a, b), a);
        REQUIRE(held);
    }
}

// Three kinds of rotations: computed in double; as in files, with w reconstructed in float; and
// products of a few rotations, whose length differs slightly from 1.
TEST (slerp_of_equal_rotations_returns_the_rotation) {
    uint64_t random = 3;
    for (int i = 0; i < 100000; i++) {
        md5_quat a = random_unit_quat(&random);
        if (i % 3 == 1)
            a = md5_quat_from_xyz(a.x, a.y, a.z);
        if (i % 3 == 2)
            a = md5_quat_mul(md5_quat_mul(a, random_unit_quat(&random)), random_unit_quat(&random));
        const md5_quat minus = {-a.x, -a.y, -a.z, -a.w};
        const float t = i % 4 < 2 ? 0.5f : (float)test_random(&random);
        REQUIRE(same(md5_quat_slerp(a, a, t), a) && same(md5_quat_slerp(a, minus, t), a));
        REQUIRE(same(md5_quat_nlerp(a, a, t), a) && same(md5_quat_nlerp(a, minus, t), a));
    }
}

// Checks rows "s q0 q1 t ...". The four numbers of the exact result begin at number `first`, and
// the four numbers of the engine's result at number `second` (-1: none).
static void check_table(const char *path, int numbers, int first, int second)
{
    SCOPED char *text = test_read_file(path, NULL);
    REQUIRE(text);
    int rows = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] != 's')
            continue;
        double n[32];
        char *at = line + 1;
        for (int i = 0; i < numbers; i++)
            n[i] = strtod(at, &at);
        const md5_quat a = {(float)n[0], (float)n[1], (float)n[2], (float)n[3]};
        const md5_quat b = {(float)n[4], (float)n[5], (float)n[6], (float)n[7]};
        const md5_quat found = md5_quat_slerp(a, b, (float)n[8]);
        // At the end of the arc to -b, the engine jumps to b: the same rotation.
        const double sign = n[8] >= 1 && dot(a, b) < 0 ? -1 : 1;
        const real4 exact = {n[first], n[first + 1], n[first + 2], n[first + 3]};
        const double off =
            fmin(component_error(found, exact), component_error(found, real4_scale(exact, sign)));
        CHECK_SMALL(off, 1e-6);
        if (second >= 0) {
            const real4 expected = {n[second], n[second + 1], n[second + 2], n[second + 3]};
            CHECK_SMALL(component_error(found, real4_scale(expected, sign)), 2e-6);
        }
        if (off > 1e-6)
            printf("%s: row %d is off by %g\n", path, rows + 1, off);
        rows++;
    }
    CHECK(rows > 100);
}

TEST (slerp_agrees_with_the_reference_table) {
    check_table(test_path("test/reference/data/slerptable.txt"), 13, 9, -1);
}

TEST (slerp_agrees_with_the_engine) {
    REQUIRE_CORPUS();
    check_table(test_path("golden/slerptable.txt"), 26, 22, 9);
}
