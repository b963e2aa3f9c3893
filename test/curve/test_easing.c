// Tests of easings, springs and smoothing: they are compared with their published forms, computed
// with libc.
#include "test/misuse.h"
#include "test/test.h"

#include "md5/md5curve.h"

static const double pi = 3.14159265358979324;

// -- Published forms ------------------------------------------------------------------------------
//
// The formulas of easings.net, with its constants and order of operations. Each takes x in 0..1.

static double published_sine(double x, int direction)
{
    if (direction == 0)
        return 1 - cos(x * pi / 2);
    return direction == 1 ? sin(x * pi / 2) : -(cos(pi * x) - 1) / 2;
}

static double published_back(double x, int direction)
{
    const double c1 = 1.70158;
    const double c2 = c1 * 1.525;
    const double c3 = c1 + 1;
    if (direction == 0)
        return c3 * x * x * x - c1 * x * x;
    if (direction == 1)
        return 1 + c3 * pow(x - 1, 3) + c1 * pow(x - 1, 2);
    return x < 0.5 ? pow(2 * x, 2) * ((c2 + 1) * 2 * x - c2) / 2
                   : (pow(2 * x - 2, 2) * ((c2 + 1) * (x * 2 - 2) + c2) + 2) / 2;
}

static double published_elastic(double x, int direction)
{
    const double c4 = 2 * pi / 3;
    const double c5 = 2 * pi / 4.5;
    if (direction == 0)
        return -pow(2, 10 * x - 10) * sin((x * 10 - 10.75) * c4);
    if (direction == 1)
        return pow(2, -10 * x) * sin((x * 10 - 0.75) * c4) + 1;
    return x < 0.5 ? -(pow(2, 20 * x - 10) * sin((20 * x - 11.125) * c5)) / 2
                   : pow(2, -20 * x + 10) * sin((20 * x - 11.125) * c5) / 2 + 1;
}

static double bounce_out(double x)
{
    const double n1 = 7.5625;
    const double d1 = 2.75;
    if (x < 1 / d1)
        return n1 * x * x;
    if (x < 2 / d1)
        return n1 * pow(x - 1.5 / d1, 2) + 0.75;
    if (x < 2.5 / d1)
        return n1 * pow(x - 2.25 / d1, 2) + 0.9375;
    return n1 * pow(x - 2.625 / d1, 2) + 0.984375;
}

static double published_bounce(double x, int direction)
{
    if (direction == 0)
        return 1 - bounce_out(1 - x);
    if (direction == 1)
        return bounce_out(x);
    return x < 0.5 ? (1 - bounce_out(1 - 2 * x)) / 2 : (1 + bounce_out(2 * x - 1)) / 2;
}

static double published_exponential(double x, int direction)
{
    if (direction == 0)
        return pow(2, 10 * x - 10);
    if (direction == 1)
        return 1 - pow(2, -10 * x);
    return x < 0.5 ? pow(2, 20 * x - 10) / 2 : (2 - pow(2, -20 * x + 10)) / 2;
}

static double published_circular(double x, int direction)
{
    if (direction == 0)
        return 1 - sqrt(1 - pow(x, 2));
    if (direction == 1)
        return sqrt(1 - pow(x - 1, 2));
    return x < 0.5 ? (1 - sqrt(1 - pow(2 * x, 2))) / 2 : (sqrt(1 - pow(-2 * x + 2, 2)) + 1) / 2;
}

static double published_power(double x, int direction, int exponent)
{
    if (direction == 0)
        return pow(x, exponent);
    if (direction == 1)
        return 1 - pow(1 - x, exponent);
    return x < 0.5 ? pow(2, exponent - 1) * pow(x, exponent) : 1 - pow(-2 * x + 2, exponent) / 2;
}

// -- Named easings --------------------------------------------------------------------------------

// The exponents of the first four are 2 to 5.
static const struct {
    const char *name;
    double (*published)(double x, int direction);
} families[] = {{"quadratic", NULL},
                {"cubic", NULL},
                {"quartic", NULL},
                {"quintic", NULL},
                {"sine", published_sine},
                {"exponential", published_exponential},
                {"elastic", published_elastic},
                {"circular", published_circular},
                {"back", published_back},
                {"bounce", published_bounce}};
STRINGS(ways) = {"_in", "_out", "_in_out"};

static float eased(md5_ease_kind kind, float t)
{
    return md5_ease((md5_easing){.kind = kind}, t);
}

TEST (easings_are_the_published_formulas) {
    for (int i = 0; i < 3 * (int)COUNT_OF(families); i++) {
        char name[32] = {0};
        strcat(strcat(name, families[i / 3].name), ways[i % 3]);
        md5_ease_kind easing = MD5_EASE_LINEAR;
        CHECK(md5_easing_from_name(name, &easing));

        for (int step = 1; step < 4000; step++) {
            const float t = (float)step / 4000.0f;
            const double expected =
                i < 12 ? published_power(t, i % 3, 2 + i / 3) : families[i / 3].published(t, i % 3);
            if (!CHECK_NEAR(eased(easing, t), expected, 2e-7))
                return;
        }
    }
}

TEST (easing_linear_smooth_and_square_root) {
    for (int step = 0; step < 1001; step++) {
        const float t = (float)step / 1000.0f;
        const double x = t;
        CHECK(eased(MD5_EASE_LINEAR, t) == t);
        CHECK_NEAR(eased(MD5_EASE_SMOOTH, t), 3 * x * x - 2 * x * x * x, 1e-7);
        CHECK(eased(MD5_EASE_SQUARE_ROOT, t) == (float)sqrt(x));
    }
}

// The published formulas give exactly 0 at 0 and 1 at 1, next to a jump of 1/1024.
TEST (easing_exponential_jumps_only_at_its_slow_ends) {
    const float little = 1e-6f;
    CHECK(eased(MD5_EASE_EXPONENTIAL_IN, 0) == 0);
    CHECK_NEAR(eased(MD5_EASE_EXPONENTIAL_IN, little), 1.0 / 1024.0, 1e-7);
    CHECK(eased(MD5_EASE_EXPONENTIAL_OUT, 1) == 1);
    CHECK_NEAR(eased(MD5_EASE_EXPONENTIAL_OUT, 1.0f - little), 1023.0 / 1024.0, 1e-7);
    CHECK_NEAR(eased(MD5_EASE_EXPONENTIAL_IN_OUT, little), 1.0 / 2048.0, 1e-7);
    CHECK_NEAR(eased(MD5_EASE_EXPONENTIAL_IN_OUT, 1.0f - little), 2047.0 / 2048.0, 1e-7);
}

TEST (easings_have_exact_ends) {
    for (int i = 0; i < MD5_EASE_CUBIC_BEZIER; i++) {
        const md5_ease_kind easing = (md5_ease_kind)i;
        CHECK(eased(easing, 0) == 0 && eased(easing, 1) == 1);
        CHECK(eased(easing, -3) == 0 && eased(easing, 3) == 1);
        CHECK(eased(easing, NAN) == 0);
        CHECK(eased(easing, -INFINITY) == 0 && eased(easing, INFINITY) == 1);
    }
}

static bool swings(md5_ease_kind easing)
{
    return easing >= MD5_EASE_BACK_IN && easing <= MD5_EASE_BOUNCE_IN_OUT;
}

TEST (easings_increase_unless_they_overshoot) {
    for (int i = 0; i < MD5_EASE_CUBIC_BEZIER; i++) {
        const md5_ease_kind easing = (md5_ease_kind)i;
        float last = 0;
        for (int step = 0; step <= 10000 && !swings(easing); step++) {
            const float value = eased(easing, (float)step / 10000.0f);
            REQUIRE(value >= last && value <= 1);
            last = value;
        }
    }
}

TEST (easings_that_overshoot_leave_the_range_0_to_1) {
    CHECK_NEAR(eased(MD5_EASE_BACK_IN, 0.42f), -0.1, 1e-3);
    CHECK_NEAR(eased(MD5_EASE_BACK_OUT, 0.58f), 1.1, 1e-3);
    CHECK(eased(MD5_EASE_ELASTIC_IN, 0.85f) < -0.35f);
    for (int step = 0; step < 1001; step++) {
        const float value = eased(MD5_EASE_BOUNCE_OUT, (float)step / 1000.0f);
        CHECK(value >= 0 && value <= 1);
    }
}

TEST (easing_names_are_found) {
    unsigned count = 0;
    for (const char *name; (name = md5_easing_name((md5_ease_kind)count)) != NULL; count++) {
        md5_ease_kind found = MD5_EASE_LINEAR;
        CHECK(md5_easing_from_name(name, &found));
        CHECK_UINT(found, count);
    }
    CHECK_UINT(count, MD5_EASE_STEPS + 1);
    CHECK_STRING(md5_easing_name(MD5_EASE_CUBIC_IN_OUT), "cubic_in_out");
    CHECK_STRING(md5_easing_name(MD5_EASE_STEPS), "steps");
    CHECK(md5_easing_name((md5_ease_kind)1000) == NULL);
}

// Names may contain hyphens instead of underscores, and the short words of web pages, such as
// "quad" for quadratic. Similar names are not found, and leave the result unchanged.
TEST (easing_short_names_and_hyphens) {
    static const struct {
        const char *name;
        md5_ease_kind easing;
    } names[] = {
        {"cubic-in-out", MD5_EASE_CUBIC_IN_OUT},
        {"quad-in", MD5_EASE_QUADRATIC_IN},
        {"quart_out", MD5_EASE_QUARTIC_OUT},
        {"quint-in_out", MD5_EASE_QUINTIC_IN_OUT},
        {"expo-in-out", MD5_EASE_EXPONENTIAL_IN_OUT},
        {"circ-out", MD5_EASE_CIRCULAR_OUT},
        {"sqrt", MD5_EASE_SQUARE_ROOT},
        {"cubic-bezier", MD5_EASE_CUBIC_BEZIER},
    };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        md5_ease_kind found = MD5_EASE_LINEAR;
        const bool is_found = md5_easing_from_name(names[i].name, &found);
        CHECK_THAT(is_found && found == names[i].easing, "%s: found %d, expected %d", names[i].name,
                   found, names[i].easing);
    }
    STRINGS(unknown) = {"",         "cubic",        "cubic-in-", "cubic-in-outer", "Linear",
                        "quadr-in", "quadratic in", "quad",      "-linear",        "expo"};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        md5_ease_kind found = MD5_EASE_SMOOTH;
        const bool is_found = md5_easing_from_name(unknown[i], &found);
        CHECK_THAT(!is_found && found == MD5_EASE_SMOOTH, "%s: found %d", unknown[i], found);
    }
    md5_ease_kind found;
    CHECK(!md5_easing_from_name(NULL, &found));
}

// -- Parameters -----------------------------------------------------------------------------------

// Finds y by bisection of the textbook sums, in long double.
static double exact_bezier(const md5_easing *curve, double x)
{
    const long double x1 = (long double)curve->x1, x2 = (long double)curve->x2;
    long double low = 0.0L, high = 1.0L;
    for (int step = 0; step < 80; step++) {
        const long double s = (low + high) / 2, r = 1 - s;
        if (3 * r * r * s * x1 + 3 * r * s * s * x2 + s * s * s < (long double)x)
            low = s;
        else
            high = s;
    }
    const long double s = low, r = 1 - s;
    return (double)(3 * r * r * s * (long double)curve->y1 + 3 * r * s * s * (long double)curve->y2
                    + s * s * s);
}

static void check_bezier(const md5_easing *curve)
{
    for (int step = 1; step < 1000; step++) {
        const float t = (float)step / 1000.0f;
        CHECK_NEAR(md5_ease(*curve, t), exact_bezier(curve, t), 1e-6);
    }
    CHECK(md5_ease(*curve, 0) == 0 && md5_ease(*curve, 1) == 1);
    CHECK(md5_ease(*curve, NAN) == 0 && md5_ease(*curve, 7) == 1);
}

TEST (easing_bezier_is_exact_to_a_millionth) {
    uint64_t random = 1;
    for (int round = 0; round < 100; round++) {
        const md5_easing curve = {
            .kind = MD5_EASE_CUBIC_BEZIER,
            .x1 = (float)test_random(&random),
            .y1 = (float)(5.0 * test_random(&random) - 2.0),
            .x2 = (float)test_random(&random),
            .y2 = (float)(5.0 * test_random(&random) - 2.0),
        };
        check_bezier(&curve);
    }
}

TEST (easing_bezier_with_vertical_and_horizontal_tangents) {
    static const float edges[] = {0, 1e-6f, 0.5f, 1.0f - 1e-6f, 1};
    for (int i = 0; i < 25; i++) {
        const md5_easing curve = {.kind = MD5_EASE_CUBIC_BEZIER,
                                  .x1 = edges[i / 5],
                                  .y1 = -2,
                                  .x2 = edges[i % 5],
                                  .y2 = 3};
        check_bezier(&curve);
    }
}

// By the CSS specification, `ease` has the value 0.8024 at the middle, and `ease-in` 0.3154.
TEST (easing_bezier_of_css) {
    const md5_easing ease = {MD5_EASE_CUBIC_BEZIER, .x1 = 0.25f, 0.1f, 0.25f, 1};
    const md5_easing ease_in = {MD5_EASE_CUBIC_BEZIER, .x1 = 0.42f, 0, 1, 1};
    CHECK_NEAR(md5_ease(ease, 0.5f), 0.802403, 1e-6);
    CHECK_NEAR(md5_ease(ease_in, 0.5f), 0.315357, 1e-6);
}

TEST (easing_bezier_clamps_x) {
    const md5_easing outside = {MD5_EASE_CUBIC_BEZIER, .x1 = -3, 0.3f, NAN, 0.6f};
    const md5_easing clamped = {MD5_EASE_CUBIC_BEZIER, .x1 = 0, 0.3f, 0, 0.6f};
    for (int step = 0; step < 101; step++) {
        const float t = (float)step / 100.0f;
        CHECK(md5_ease(outside, t) == md5_ease(clamped, t));
    }
}

TEST (easing_steps_equal_those_of_css) {
    // Values of steps(4, ...) at 0, just before 1/4, at 1/4, at 1/2, just before 1, and at 1.
    static const float t[] = {0, 0.24f, 0.25f, 0.5f, 0.99f, 1};
    static const double expected[4][6] = {
        [MD5_JUMP_END] = {0, 0, 0.25, 0.5, 0.75, 1},
        [MD5_JUMP_START] = {0.25, 0.25, 0.5, 0.75, 1, 1},
        [MD5_JUMP_NONE] = {0, 0, 1.0 / 3, 2.0 / 3, 1, 1},
        [MD5_JUMP_BOTH] = {0.2, 0.2, 0.4, 0.6, 0.8, 1},
    };
    for (int jump = MD5_JUMP_END; jump <= MD5_JUMP_BOTH; jump++) {
        const md5_easing curve = {MD5_EASE_STEPS, .steps = 4, .jump = (md5_jump)jump};
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(md5_ease(curve, t[i]), expected[jump][i], 1e-7);
        CHECK(md5_ease(curve, -1) == (float)expected[jump][0]);
        CHECK(md5_ease(curve, 2) == 1);
    }
}

TEST (easing_may_have_65536_steps) {
    const md5_easing curve = {MD5_EASE_STEPS, .steps = MD5_MAX_EASE_STEPS};
    CHECK_EXACT(md5_ease(curve, 1.0f / 65536), 1.0 / 65536);
    CHECK_EXACT(md5_ease(curve, 1.5f / 65536), 1.0 / 65536);
}

TEST (easing_steps_begin_at_multiples_of_the_step) {
    for (uint32_t steps = 1; steps <= 1000; steps++) {
        const md5_easing curve = {MD5_EASE_STEPS, .steps = steps};
        for (uint32_t k = 0; k < steps; k++) {
            const float t = (float)k / (float)steps;
            REQUIRE(md5_ease(curve, t) == (float)((double)k / steps));
        }
    }
}

TEST (easing_can_be_evaluated_over_a_duration) {
    const md5_easing curve = {.kind = MD5_EASE_QUADRATIC_IN};
    CHECK_NEAR(md5_ease(curve, 0.5f / 2.0f), 0.0625, 1e-7);
    CHECK(md5_ease(curve, -1.0f / 2.0f) == 0 && md5_ease(curve, 3.0f / 2.0f) == 1);
}

// -- Following a target ---------------------------------------------------------------------------

TEST (smoothing_fraction_is_one_minus_exp) {
    for (int i = 0; i < 1000; i++) {
        const float rate = (float)pow(10, i % 10 - 4);
        const float seconds = (float)pow(10, i * 0.005 - 4);
        CHECK_NEAR(md5_smoothing_fraction(rate, seconds), -expm1(-(double)rate * seconds), 1e-7);
    }
    CHECK(md5_smoothing_fraction(0, 1) == 0 && md5_smoothing_fraction(1, 0) == 0);
    CHECK(md5_smoothing_fraction(-1, 1) == 0 && md5_smoothing_fraction(1, -1) == 0);
    CHECK(md5_smoothing_fraction(-1, -1) == 0 && md5_smoothing_fraction(NAN, 1) == 0);
    CHECK(md5_smoothing_fraction(1e30f, 1e30f) == 1 && md5_smoothing_fraction(INFINITY, 1) == 1);
}

TEST (follow_does_not_depend_on_the_frame_rate) {
    static const int frames[] = {1, 7, 60, 1000};
    for (int i = 0; i < 4; i++) {
        float x = 3;
        for (int frame = 0; frame < frames[i]; frame++)
            x += (10.0f - x) * md5_smoothing_fraction(2, 1.0f / (float)frames[i]);
        CHECK_NEAR(x, 10.0 - 7.0 * exp(-2), 1e-5);
    }
}

// -- Errors ---------------------------------------------------------------------------------------

#if !defined(NDEBUG)

TEST (errors_with_easings_are_reported) {
    static const md5_easing many_steps = {MD5_EASE_STEPS, .steps = MD5_MAX_EASE_STEPS + 1};
    static const md5_easing no_easing = {.kind = (md5_ease_kind)99};
    static const md5_easing no_steps = {MD5_EASE_STEPS, .jump = MD5_JUMP_END};
    static const md5_easing one_step = {MD5_EASE_STEPS, .steps = 1, .jump = MD5_JUMP_NONE};
    static const md5_easing no_jump = {MD5_EASE_STEPS, .steps = 1, .jump = (md5_jump)9};
    MISUSE("md5_ease(): easing.kind: must be a value of md5_ease_kind", md5_ease(no_easing, 0.5f));
    MISUSE("easing.steps: must be 1 to", md5_ease(no_steps, 0.5f));
    MISUSE("easing.steps: must be 1 to", md5_ease(one_step, 0.5f));
    MISUSE("easing.steps: must be 1 to", md5_ease(many_steps, 0.5f));
    MISUSE("easing.jump: must be a value of md5_jump", md5_ease(no_jump, 0.5f));
}

#endif

// -- Springs --------------------------------------------------------------------------------------

// Returns the solution of value'' = -k value - c value' in closed form. It starts at 1 at rest, and
// is underdamped, critical or overdamped.
static double swinging(double k, double c, double t)
{
    const double decay = 0.5 * c;
    const double square = k - decay * decay;
    if (fabs(square) < 1e-9)
        return exp(-decay * t) * (1 + decay * t);
    const double w = sqrt(fabs(square));
    return square > 0 ? exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t))
                      : exp(-decay * t) * (cosh(w * t) + decay / w * sinh(w * t));
}

TEST (spring_motion_equals_its_closed_form) {
    static const float dampings[] = {0, 4, 20, 30}; // for a stiffness of 100: 20 is critical
    for (int i = 0; i < 4; i++) {
        float value = -3;
        float velocity = 0;
        for (int step = 1; step <= 120; step++) {
            md5_spring_damp(5, 100, dampings[i], 1.0f / 60.0f, &value, &velocity);
            const double rest = swinging(100, dampings[i], step / 60.0);
            if (!CHECK_NEAR(value, 5.0 - 8.0 * rest, 2e-4))
                return;
        }
    }
}

TEST (spring_does_not_depend_on_the_steps) {
    float single = 1;
    float single_velocity = -2;
    float split = 1;
    float split_velocity = -2;
    md5_spring_damp(0.25f, 60, 3, 1, &single, &single_velocity);
    for (int i = 0; i < 64; i++)
        md5_spring_damp(0.25f, 60, 3, 1.0f / 64.0f, &split, &split_velocity);
    CHECK_NEAR(single, split, 1e-5);
    CHECK_NEAR(single_velocity, split_velocity, 1e-4);
}

TEST (spring_ignores_nan) {
    float value = 1;
    float velocity = 2;
    md5_spring_damp(NAN, 60, 3, 1, &value, &velocity);
    md5_spring_damp(INFINITY, 60, 3, 1, &value, &velocity);
    md5_spring_damp(0, 0, 3, 1, &value, &velocity);
    md5_spring_damp(0, NAN, 3, 1, &value, &velocity);
    md5_spring_damp(0, 60, INFINITY, 1, &value, &velocity);
    md5_spring_damp(0, 60, 3, 0, &value, &velocity);
    md5_spring_damp(0, 60, 3, NAN, &value, &velocity);
    CHECK(value == 1 && velocity == 2);
}
