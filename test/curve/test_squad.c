// Tests of rotation curves along keys, compared with Shoemake's formulas, computed with functions
// of libc.
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/real.h"

// -- Shoemake's formulas --------------------------------------------------------------------------

// Returns a^-1 b, the rotation from `a` to `b`.
static real4 between(real4 a, real4 b)
{
    return real4_mul(real4_conjugate(a), b);
}

static real4 quat_log(real4 q)
{
    const double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    const double scale = sine > 0 ? atan2(sine, q.w) / sine : 0;
    return (real4){q.x * scale, q.y * scale, q.z * scale, 0};
}

static real4 quat_exp(real4 v)
{
    const double angle = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    const double scale = angle > 0 ? sin(angle) / angle : 0;
    return (real4){v.x * scale, v.y * scale, v.z * scale, cos(angle)};
}

// Returns the inner control point s_i = q_i exp(-(log(q_i^-1 q_i+1) + log(q_i^-1 q_i-1)) / 4).
static real4 inner(real4 before, real4 q, real4 after)
{
    const real4 a = quat_log(between(q, after));
    const real4 b = quat_log(between(q, before));
    return real4_mul(q, quat_exp(real4_scale(real4_add(a, b), -0.25)));
}

// -- Keys -----------------------------------------------------------------------------------------

enum { NUM_KEYS = 8 };

static void random_keys(md5_quat *keys, uint64_t seed)
{
    for (int i = 0; i < NUM_KEYS; i++) {
        const float x = (float)test_random(&seed) - 0.5f;
        const float y = (float)test_random(&seed) - 0.5f;
        const float z = (float)test_random(&seed) - 0.5f;
        const float w = (float)test_random(&seed) - 0.5f;
        keys[i] = md5_quat_normalize((md5_quat){x, y, z, w}, (md5_quat){0, 0, 0, 1});
    }
}

static md5_squad *create_squad(const md5_quat *keys, const double *times, uint32_t count,
                               double period)
{
    md5_error error = {0};
    md5_squad *const squad = md5_create_squad(keys, times, count, period, NULL, &error);
    CHECK_DONE(squad, error);
    return squad;
}

static const double uneven[NUM_KEYS] = {-1, 0, 0.3, 2, 2.1, 3, 3.5, 5};

TEST (squad_at_equal_intervals_equals_shoemakes_formula) {
    static const double times[NUM_KEYS] = {1, 3, 5, 7, 9, 11, 13, 15};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        md5_quat keys[NUM_KEYS];
        random_keys(keys, seed);
        SCOPED_SQUAD squad = create_squad(keys, times, NUM_KEYS, 0);
        real4 q[NUM_KEYS];
        for (int i = 0; i < NUM_KEYS; i++) {
            q[i] = to_unit_real4(keys[i]);
            if (i > 0)
                q[i] = real4_towards(q[i], q[i - 1]);
        }
        for (int i = 1; i + 2 < NUM_KEYS; i++) {
            const real4 a = inner(q[i - 1], q[i], q[i + 1]);
            const real4 b = inner(q[i], q[i + 1], q[i + 2]);
            for (int step = 0; step < 21; step++) {
                const double u = step / 20.0;
                const real4 exact = real4_slerp(real4_slerp(q[i], q[i + 1], u),
                                                real4_slerp(a, b, u), 2 * u * (1 - u));
                const md5_quat found = md5_squad_rotation(squad, times[i] + 2 * u);
                CHECK_SMALL(real4_angle(exact, to_unit_real4(found)), 1e-6);
            }
        }
    }
}

TEST (squad_passes_its_keys) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        md5_quat keys[NUM_KEYS];
        random_keys(keys, seed);
        for (int periodic = 0; periodic < 2; periodic++) {
            SCOPED_SQUAD squad = create_squad(keys, uneven, NUM_KEYS, periodic ? 7 : 0);
            for (int i = 0; i < NUM_KEYS; i++) {
                CHECK_SMALL(real_angle(md5_squad_rotation(squad, uneven[i]), keys[i]), 2e-7);
            }
        }
    }
}

// Returns half of the angular velocity at a time, by a one-sided difference of second order.
static real4 half_velocity(const md5_squad *squad, double time, double h)
{
    const real4 at = to_unit_real4(md5_squad_rotation(squad, time));
    real4 steps[2];
    for (int i = 0; i < 2; i++) {
        const real4 q = to_unit_real4(md5_squad_rotation(squad, time + (i + 1) * h));
        steps[i] = quat_log(between(at, real4_towards(q, at)));
    }
    return real4_scale(real4_add(real4_scale(steps[0], 4), real4_scale(steps[1], -1)),
                       1.0 / (2 * h));
}

static void check_velocities(const md5_squad *squad, int first, int end)
{
    for (int i = first; i < end; i++) {
        const real4 velocity_before = half_velocity(squad, uneven[i], -5e-4);
        const real4 velocity_after = half_velocity(squad, uneven[i], 5e-4);
        const real4 jump = real4_add(velocity_after, real4_scale(velocity_before, -1)); // w is 0
        CHECK_SMALL(sqrt(real4_dot(jump, jump)), 2e-2);
    }
}

TEST (squad_has_no_jump_in_its_velocity) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        md5_quat keys[NUM_KEYS];
        random_keys(keys, seed);
        SCOPED_SQUAD open = create_squad(keys, uneven, NUM_KEYS, 0);
        SCOPED_SQUAD periodic = create_squad(keys, uneven, NUM_KEYS, 7);
        check_velocities(open, 1, NUM_KEYS - 1);
        check_velocities(periodic, 0, NUM_KEYS);
    }
}

TEST (squad_of_a_steady_rotation_is_steady) {
    md5_quat keys[NUM_KEYS];
    for (int i = 0; i < NUM_KEYS; i++)
        keys[i] = md5_quat_from_axis_angle((md5_vec3){1, 2, 3}, 0.5f * (float)uneven[i]);
    SCOPED_SQUAD squad = create_squad(keys, uneven, NUM_KEYS, 0);
    for (int i = -100; i <= 500; i++) {
        const float angle = 0.5f * (float)(i * 0.01);
        const md5_quat exact = md5_quat_from_axis_angle((md5_vec3){1, 2, 3}, angle);
        CHECK_SMALL(real_angle(exact, md5_squad_rotation(squad, i * 0.01)), 1e-6);
    }
}

// Outside of its keys an open curve has the rotation of the nearest key, and a periodic curve
// repeats. NaN counts as the time of the first key.
TEST (squad_before_and_after_its_keys) {
    md5_quat keys[NUM_KEYS];
    random_keys(keys, 3);
    SCOPED_SQUAD open = create_squad(keys, uneven, NUM_KEYS, 0);
    const md5_quat first = keys[0];
    const md5_quat last = keys[NUM_KEYS - 1];
    CHECK_SMALL(real_angle(md5_squad_rotation(open, -100), first), 2e-7);
    CHECK_SMALL(real_angle(md5_squad_rotation(open, NAN), first), 2e-7);
    CHECK_SMALL(real_angle(md5_squad_rotation(open, 100), last), 2e-7);
    CHECK_SMALL(real_angle(md5_squad_rotation(open, INFINITY), last), 2e-7);
    SCOPED_SQUAD periodic = create_squad(keys, uneven, NUM_KEYS, 7);
    for (int i = 0; i < 71; i++) {
        const md5_quat rotation = md5_squad_rotation(periodic, i * 0.1);
        CHECK_SMALL(real_angle(rotation, md5_squad_rotation(periodic, i * 0.1 + 21.0)), 1e-6);
        CHECK_SMALL(real_angle(rotation, md5_squad_rotation(periodic, i * 0.1 - 14.0)), 1e-6);
    }
    CHECK_SMALL(real_angle(md5_squad_rotation(periodic, -INFINITY), first), 2e-7);
}

TEST (squad_of_one_key_is_the_key) {
    const md5_quat key = {0, 3, 0, -4};
    const double time = 2;
    for (int periodic = 0; periodic < 2; periodic++) {
        SCOPED_SQUAD squad = create_squad(&key, &time, 1, periodic ? 1 : 0);
        for (int i = 0; i < 10; i++) {
            const md5_quat at = md5_squad_rotation(squad, i * 0.7);
            CHECK_SMALL(real_angle(at, key), 2e-7);
            CHECK_NEAR((double)(at.y * at.y + at.w * at.w), 1, 1e-6);
        }
    }
}

// Rotations by 180 degrees, equal keys, and intervals that differ by 18 orders of magnitude.
TEST (squad_of_hostile_keys_is_a_rotation) {
    static const md5_quat few[] = {
        {1, 0, 0, 0},  {0, 1, 0, 0},      {0, 0, 1, 0},         {0, 0, 0, 1},
        {0, 0, 0, -1}, {1e-14f, 0, 0, 0}, {0, 1e14f, 0, 1e14f}, {0.5f, 0.5f, 0.5f, 0.5f}};
    uint64_t random = 5;
    for (int round = 0; round < 500; round++) {
        md5_quat keys[NUM_KEYS];
        double times[NUM_KEYS];
        double time = -100;
        for (int i = 0; i < NUM_KEYS; i++) {
            keys[i] = few[test_random_u32(&random) % 8];
            time = fmax(time + pow(10, 18 * test_random(&random) - 12), nextafter(time, HUGE_VAL));
            times[i] = time;
        }
        SCOPED_SQUAD squad = create_squad(keys, times, NUM_KEYS, round % 2 ? 1e9 : 0);
        for (int i = 0; i < 101; i++) {
            const double at = times[i % 7] + (times[i % 7 + 1] - times[i % 7]) * 0.01 * i;
            const md5_quat q = md5_squad_rotation(squad, at);
            if (!CHECK_NEAR(real4_dot(to_real4(q), to_real4(q)), 1, 1e-6))
                break;
        }
    }
}

// The keys are so close in time that the velocity exceeds the range of a double.
TEST (squad_at_a_time_is_a_rotation) {
    static const md5_quat keys[] = {{0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}};
    static const double times[] = {0, 4e-320, 8e-320};
    SCOPED_SQUAD squad = create_squad(keys, times, 3, 0);
    for (int i = 0; i < 3; i++) {
        const real4 found = to_unit_real4(md5_squad_rotation(squad, times[i]));
        CHECK_NEAR(fabs(real4_dot(found, to_unit_real4(keys[i]))), 1, 1e-6);
    }
}

// -- Rejected keys, failed allocations, errors ----------------------------------------------------

TEST (squad_rejects_invalid_keys) {
    static const md5_quat good[] = {{0, 0, 0, 1}, {0, 0, 1, 0}};
    static const md5_quat zero[] = {{0, 0, 0, 1}, {0, 0, 0, 0}};
    static const double rising[] = {0, 1};
    static const double equal[] = {1, 1};
    const double endless[] = {0, INFINITY};
    const struct {
        const md5_quat *keys;
        const double *times;
        uint32_t count;
        double period;
        const char *message;
    } cases[] = {
        {good, rising, 0, 0, "rotation curve has no keys: expected at least 1"},
        {zero, rising, 2, 0,
         "key 1 is not a rotation: expected a quaternion of length 1e-15 to 1e15, found ( 0 0 0 0 "
         ")"},
        {good, equal, 2, 0,
         "key times are not ascending: key 1 is at 1 seconds, but key 0 is at 1 seconds"},
        {good, endless, 2, 0,
         "time of key 1 is not finite: expected a number of seconds, found inf"},
        {good, rising, 2, INFINITY,
         "period is not finite: expected 0 or a number of seconds, found inf"},
        {good, rising, 2, 1, "period is too short: expected 0 or more than 1 seconds, found 1"},
        {good, rising, 2, -5, "period is too short: expected 0 or more than 1 seconds, found -5"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        md5_error error = {0};
        CHECK_FAILS(md5_create_squad(cases[i].keys, cases[i].times, cases[i].count, cases[i].period,
                                     NULL, &error),
                    error, MD5_ERROR_RANGE);
        CHECK_STRING(error.message, cases[i].message);
    }
}

TEST (squad_survives_failing_memory) {
    static const md5_quat keys[] = {{0, 0, 0, 1}, {0, 0, 1, 0}};
    static const double times[] = {0, 1};
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_SQUAD squad =
            md5_create_squad(keys, times, 2, 0, &failure.opts.allocator, &failure.error);
        CHECK_FAILURE(failure, squad);
    }
    md5_destroy_squad(NULL);
}

#if !defined(NDEBUG)

TEST (errors_with_squad_are_reported) {
    static const md5_quat key = {0, 0, 0, 1};
    static const double time = 0;
    MISUSE("md5_squad_rotation(): squad: must not be NULL", md5_squad_rotation(test_null(), 0));
    MISUSE("md5_create_squad(): rotations: must not be NULL",
           md5_create_squad(NULL, &time, 1, 0, NULL, NULL));
    MISUSE("md5_create_squad(): times: must not be NULL",
           md5_create_squad(&key, NULL, 1, 0, NULL, NULL));
}

#endif
