// Curves of extreme numbers, refused descriptions, failing memory, mistakes.
#include "test/curve/test_curve_case.h"
#include "test/mistake.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const md5_vec3 line[MD5_MAX_CURVE_DEGREE + 2] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0},
                                                        {4, 0, 0}, {5, 0, 0}, {6, 0, 0}, {7, 0, 0}};

static void refuse(const md5_curve_desc *desc, const char *message)
{
    md5_error error = {0};
    md5_curve *const curve = md5_create_curve(desc, NULL, &error);
    CHECK(curve == NULL);
    CHECK_UINT(error.status, MD5_ERROR_RANGE);
    CHECK_STRING(error.message, message);
    md5_destroy_curve(curve);
}

TEST (curve_refuses_wrong_numbers_of_points) {
    refuse(&(md5_curve_desc){.num_points = 0},
           "0 points of open Catmull-Rom curve, expected 2 to 1048576");
    refuse(&(md5_curve_desc){.points = line, .num_points = 2, .is_closed = true},
           "2 points of closed Catmull-Rom curve, expected 3 to 1048576");
    refuse(&(md5_curve_desc){.points = line, .num_points = MD5_MAX_CURVE_POINTS + 1},
           "1048577 points of open Catmull-Rom curve, expected 2 to 1048576");
    refuse(&(md5_curve_desc){.kind = MD5_CURVE_CUBIC_BEZIER, .points = line, .num_points = 5},
           "5 points of open cubic Bezier curve, expected 3 n + 1");
    refuse(
        &(md5_curve_desc){
            .kind = MD5_CURVE_CUBIC_BEZIER, .points = line, .num_points = 4, .is_closed = true},
        "4 points of closed cubic Bezier curve, expected 3 n");
    refuse(&(md5_curve_desc){.kind = MD5_CURVE_BEZIER, .points = line, .num_points = 17},
           "17 points of open Bezier curve, expected 2 to 16");
    refuse(
        &(md5_curve_desc){
            .kind = MD5_CURVE_BEZIER, .points = line, .num_points = 4, .is_closed = true},
        "a Bezier curve of one piece is closed, expected an open one");
    refuse(&(md5_curve_desc){.kind = MD5_CURVE_B_SPLINE, .points = line, .num_points = 3},
           "3 points of open B-spline, expected 4 to 1048576");
    refuse(&(md5_curve_desc){.kind = MD5_CURVE_NURBS, .points = line, .num_points = 5, .degree = 5},
           "5 points of open NURBS, expected 6 to 1048576");
    refuse(
        &(md5_curve_desc){.kind = MD5_CURVE_NURBS, .points = line, .num_points = 8, .degree = 16},
        "degree 16, expected at most 15");
    refuse(&(md5_curve_desc){.kind = (md5_curve_kind)6, .points = line, .num_points = 8},
           "curve kind 6, expected 0 to 5");
}

TEST (curve_refuses_points_that_are_not_finite) {
    const md5_vec3 points[] = {{0, 0, 0}, {1, INFINITY, 2}};
    refuse(&(md5_curve_desc){.points = points, .num_points = 2},
           "point 1 is 1 inf 2, expected finite numbers");
}

TEST (curve_refuses_weights) {
    static const float bad[] = {0.0f, -1.0f, 1e-4f, 1e4f, INFINITY};
    static const char *const messages[] = {"0", "-1", "0.0001", "10000", "inf"};
    for (int i = 0; i < 5; i++) {
        const float weights[] = {1.0f, 1.0f, bad[i], 1.0f};
        char message[80] = "weight 2 is ";
        strcat(strcat(message, messages[i]), ", expected 0.001 to 1000");
        refuse(
            &(md5_curve_desc){
                .kind = MD5_CURVE_NURBS, .points = line, .num_points = 4, .weights = weights},
            message);
    }
    const float nan[] = {NAN, 1.0f, 1.0f, 1.0f};
    md5_error error = {0};
    CHECK(!md5_create_curve(
        &(md5_curve_desc){.kind = MD5_CURVE_NURBS, .points = line, .num_points = 4, .weights = nan},
        NULL, &error));
    const float weights[] = {1.0f, 1.0f, 1.0f, 1.0f};
    refuse(
        &(md5_curve_desc){
            .kind = MD5_CURVE_B_SPLINE, .points = line, .num_points = 4, .weights = weights},
        "degree, weights or knots of another curve than NURBS");
}

TEST (curve_refuses_knots) {
    static const struct {
        float knots[10];
        const char *message;
    } cases[] = {
        {{0, 0, 0, 0, 2, 1, 3, 3, 3, 3}, "knot 5 is 1, expected at least knot 4, 2"},
        {{0, 0, 0, INFINITY, 1, 2, 3, 3, 3, 3}, "knot 3 is inf, expected a finite number"},
        {{0, 0, 0, 1, 1, 1, 1, 3, 3, 3}, "knots 3 and 6 are both 1, expected a range"},
        {{0, 0, 1, 1, 1, 1, 3, 3, 3, 3}, "knots 2 to 5 are all 1, expected at most 3 equal ones"},
        {{0, 0, 0, 0, 1e-10f, 1, 3, 3, 3, 3},
         "knots 3 and 4 differ by 1e-10, expected 0 or at least 3e-09"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refuse(
            &(md5_curve_desc){
                .kind = MD5_CURVE_NURBS, .points = line, .num_points = 6, .knots = cases[i].knots},
            cases[i].message);
    refuse(&(md5_curve_desc){.kind = MD5_CURVE_NURBS,
                             .points = line,
                             .num_points = 6,
                             .is_closed = true,
                             .knots = cases[0].knots},
           "knots of a closed NURBS, expected none: it is uniform");
}

static bool is_finite(md5_vec3 v)
{
    return fabsf(v.x) <= FLT_MAX && fabsf(v.y) <= FLT_MAX && fabsf(v.z) <= FLT_MAX;
}

static void check_finite(const md5_curve_desc *desc)
{
    md5_curve *const curve = curve_of(desc);
    const double length = md5_curve_length(curve);
    CHECK(length >= 0.0 && length < HUGE_VAL);
    for (int i = 0; i <= 200; i++) {
        const double t = i / 200.0, at = md5_curve_at_distance(curve, t * length);
        if (!CHECK(is_finite(md5_curve_point(curve, t))) || !CHECK(at >= 0.0 && at <= 1.0)
            || !CHECK(is_finite(md5_curve_tangent(curve, t)))
            || !CHECK(md5_curve_distance(curve, t) <= length * (1.0 + 1e-6)))
            break;
    }
    md5_destroy_curve(curve);
}

// The largest and smallest floats, and points that repeat.
TEST (curve_of_hostile_points_is_finite) {
    static const float values[] = {0.0f,   1.0f,  -1.0f,   FLT_MAX, -FLT_MAX, FLT_MIN,
                                   1e-45f, 1e19f, -1e-19f, 1.0f,    0.0f,     1e30f};
    uint64_t random = 1;
    for (int round = 0; round < 60; round++) {
        md5_vec3 points[CURVE_POINTS];
        for (int i = 0; i < CURVE_POINTS; i++) {
            points[i].x = values[test_random_u32(&random) % 12];
            points[i].y = values[test_random_u32(&random) % 12];
            points[i].z = values[test_random_u32(&random) % 12];
            if (i > 0 && test_random_u32(&random) % 2 == 0)
                points[i] = points[i - 1];
        }
        static const uint32_t counts[] = {12, 12, 10, 9, 12, 12};
        for (int kind = 0; kind <= (int)MD5_CURVE_NURBS; kind++)
            check_finite(&(md5_curve_desc){
                .kind = (md5_curve_kind)kind, .points = points, .num_points = counts[kind]});
    }
}

TEST (curve_of_hostile_weights_and_knots_is_finite) {
    static const float knots[] = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX, -1e37f,  0.0f,
                                  0.0f,     0.0f,     1e38f,    FLT_MAX,  FLT_MAX, FLT_MAX};
    static const float weights[] = {0.001f,  1000.0f, 0.001f, 1000.0f,
                                    1000.0f, 0.001f,  0.001f, 1.0f};
    check_finite(&(md5_curve_desc){.kind = MD5_CURVE_NURBS,
                                   .points = line,
                                   .num_points = 8,
                                   .weights = weights,
                                   .knots = knots});
}

// Between equal points a Catmull-Rom curve stands still or nearly so; elsewhere it moves on.
TEST (curve_with_equal_neighbours_still_passes_them) {
    const md5_vec3 points[] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 2, 0}};
    md5_curve *const curve = curve_of(&(md5_curve_desc){.points = points, .num_points = 6});
    for (uint32_t i = 0; i < 6; i++) {
        const md5_vec3 p = md5_curve_point(curve, md5_curve_start(curve, i));
        CHECK(p.x == points[i].x && p.y == points[i].y && p.z == points[i].z);
    }
    CHECK_NEAR(md5_curve_length(curve), 3.0, 0.1);
    md5_destroy_curve(curve);
}

TEST (curve_of_many_points) {
    enum { MANY = 100000 };
    static md5_vec3 points[MANY];
    for (int i = 0; i < MANY; i++)
        points[i] = (md5_vec3){(float)i, 0.0f, 0.0f};
    md5_curve *const curve = curve_of(&(md5_curve_desc){.points = points, .num_points = MANY});
    CHECK_NEAR(md5_curve_length(curve), MANY - 1, 1e-3);
    CHECK_NEAR((double)md5_curve_point(curve, md5_curve_at_distance(curve, 77777.25)).x, 77777.25,
               1e-2);
    md5_destroy_curve(curve);
}

TEST (curve_survives_failure_of_every_allocation) {
    for (size_t n = 1; n < 100; n++) {
        test_heap heap = {.fail_at = n};
        const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap, 0}};
        md5_error error = {0};
        md5_curve *const curve =
            md5_create_curve(&(md5_curve_desc){.points = line, .num_points = 8}, &opts, &error);
        CHECK_UINT(error.status, curve ? MD5_OK : MD5_ERROR_MEMORY);
        md5_destroy_curve(curve);
        CHECK_UINT(heap.live, 0);
        if (curve)
            break;
    }
    const md5_load_opts small = {.allocator = {.limit = 100}};
    md5_error error = {0};
    CHECK(!md5_create_curve(&(md5_curve_desc){.points = line, .num_points = 8}, &small, &error));
    CHECK_UINT(error.status, MD5_ERROR_MEMORY);
    md5_destroy_curve(NULL);
}

// -- Mistakes -------------------------------------------------------------------------------------

#if !defined(NDEBUG)

static void create_of_nothing(const void *context)
{
    md5_create_curve((const md5_curve_desc *)context, NULL, NULL);
}

static void point_of_nothing(const void *context)
{
    md5_curve_point((const md5_curve *)context, 0.5);
}

static void tangent_of_nothing(const void *context)
{
    md5_curve_tangent((const md5_curve *)context, 0.5);
}

static void at_distance_of_nothing(const void *context)
{
    md5_curve_at_distance((const md5_curve *)context, 0.5);
}

static void start_of_no_piece(const void *context)
{
    md5_curve_start((const md5_curve *)context, 8);
}

TEST (mistakes_with_curves_are_reported) {
    static const md5_curve_desc no_points = {.num_points = 3};
    static const md5_curve_desc reserved = {.reserved = {0, 1}};
    md5_curve *const curve = curve_of(&(md5_curve_desc){.points = line, .num_points = 8});
    const struct {
        void (*make)(const void *context);
        const void *context;
        const char *message;
    } mistakes[] = {
        {create_of_nothing, NULL, "md5_create_curve(): desc: not NULL"},
        {create_of_nothing, &no_points, "md5_create_curve(): desc->points: not NULL"},
        {create_of_nothing, &reserved, "md5_create_curve(): desc: reserved members must be 0"},
        {point_of_nothing, NULL, "md5_curve_point(): curve: not NULL"},
        {tangent_of_nothing, NULL, "md5_curve_tangent(): curve: not NULL"},
        {at_distance_of_nothing, NULL, "md5_curve_at_distance(): curve: not NULL"},
        {start_of_no_piece, curve, "md5_curve_start(): piece: at most the number of pieces"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const char *const message = test_message_of(mistakes[i].make, mistakes[i].context);
        CHECK(strstr(message, mistakes[i].message) != NULL);
    }
    md5_destroy_curve(curve);
}

#endif
