// Chains that look at a point: against where they look in double precision.
#include "test/ik/test_ik_case.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979;

// The angle between where the tip looks and where the target is.
static double angle_off(const ik_rig *rig, const md5_aim_job *job)
{
    const real_place tip = ik_place(&rig->skeleton, rig->pose, job->tip);
    const real3 sight = real4_rotate(tip.rotation, real3_of(job->numbers.forward));
    const real3 toward = real3_sub(real3_of(job->target), tip.at);
    return atan2(real3_length(real3_cross(sight, toward)), real3_dot(sight, toward));
}

static md5_vec3 random_way(uint64_t *random)
{
    return md5_quat_rotate(made_any_rotation(random), (md5_vec3){1.0f, 0.0f, 0.0f});
}

TEST (ik_aim_looks_at_the_target_and_stays_upright) {
    uint64_t random = 1;
    double worst = 0.0, worst_lean = 0.0;
    for (int round = 0; round < 30000; round++) {
        ik_rig rig;
        const uint32_t count = 1 + test_random_u32(&random) % 6;
        ik_make_rig(&rig, count, 3.0, &random);
        md5_aim_job job = {
            .tip = rig.chain[count - 1],
            .length = 1 + test_random_u32(&random) % 8, // may be longer than the chain
            .target = ik_random_point(100.0, &random),
            .numbers.forward = random_way(&random),
            .numbers.up = random_way(&random),
            .weight = 1.0f,
        };
        ik_rig old = rig;
        CHECK(md5_solve_aim(&rig.skeleton, &job, rig.pose));
        if (!CHECK(ik_is_sound(rig.pose, count)))
            return;
        for (uint32_t i = 0; i < count; i++)
            CHECK(memcmp(&rig.pose[i].translation, &old.pose[i].translation, sizeof(md5_vec3))
                  == 0);
        const real_place tip = ik_place(&rig.skeleton, rig.pose, job.tip);
        const real3 toward = real3_sub(real3_of(job.target), tip.at);
        if (real3_length(toward) < 5.0)
            continue;
        worst = fmax(worst, angle_off(&rig, &job));
        // Up has no part to the left of the line of sight: it is in the plane of that line and the
        // vertical, and points upward. Skipped if that line is nearly vertical, or up nearly along
        // it.
        const real3 up = real4_rotate(tip.rotation, real3_of(job.numbers.up));
        const real3 left = real3_cross((real3){0, 0, 1}, toward);
        const double slant = real3_length(left) / real3_length(toward);
        const real3 lean =
            real3_cross(real4_rotate(tip.rotation, real3_of(job.numbers.forward)), up);
        if (slant > 0.11 && real3_length(lean) > 0.05) {
            worst_lean = fmax(worst_lean, fabs(real3_dot(up, left)) / real3_length(left));
            CHECK(real3_dot(real3_cross(toward, left), up) > 0.0);
        }
    }
    CHECK_NEAR(worst, 0.0, 2e-6);
    CHECK_NEAR(worst_lean, 0.0, 1e-5);
}

// A neck of four joints upward, looking along +x.
static void make_neck(ik_rig *rig)
{
    uint64_t random = 2;
    ik_make_rig(rig, 5, 1.0, &random);
    for (uint32_t i = 0; i < 5; i++)
        rig->pose[rig->chain[i]] = (md5_xform){{0, 0, 0, 1}, {0, 0, i == 0 ? 50.0f : 4.0f}, 0};
}

static md5_aim_job look_at(const ik_rig *rig, uint32_t length, md5_vec3 target)
{
    return (md5_aim_job){
        .tip = rig->chain[4],
        .length = length,
        .target = target,
        .numbers.forward = {1.0f, 0.0f, 0.0f},
        .numbers.up = {0.0f, 0.0f, 1.0f},
        .weight = 1.0f,
    };
}

// How far a joint has turned relative to its parent.
static double turn_of(const ik_rig *rig, uint32_t i)
{
    return real4_angle(real4_of(rig->pose[rig->chain[i]].rotation), (real4){0, 0, 0, 1});
}

TEST (ik_aim_shares_the_turn_equally) {
    ik_rig rig;
    make_neck(&rig);
    md5_aim_job job = look_at(&rig, 4, (md5_vec3){0.0f, 1000.0f, 66.0f});
    md5_solve_aim(&rig.skeleton, &job, rig.pose);
    CHECK_NEAR(turn_of(&rig, 0), 0.0, 1e-6);
    for (uint32_t i = 1; i < 5; i++)
        CHECK_NEAR(turn_of(&rig, i), pi / 8.0, 1e-5);
    // Nodding moves the head as well, so that the later joints get a little more or less to do.
    make_neck(&rig);
    job.target = (md5_vec3){100.0f, 0.0f, 0.0f};
    md5_solve_aim(&rig.skeleton, &job, rig.pose);
    for (uint32_t i = 1; i < 5; i++)
        CHECK_NEAR(turn_of(&rig, i), atan2(66.0, 100.0) / 4.0, 0.05);
    CHECK_NEAR(angle_off(&rig, &job), 0.0, 1e-6);
}

TEST (ik_aim_keeps_to_its_limit) {
    uint64_t random = 3;
    double worst = 0.0;
    for (int round = 0; round < 5000; round++) {
        ik_rig rig;
        make_neck(&rig);
        md5_aim_job job =
            look_at(&rig, 1 + test_random_u32(&random) % 5, ik_random_point(100.0, &random));
        job.numbers.limit = (float)ik_between(0.05, 1.5, &random);
        md5_solve_aim(&rig.skeleton, &job, rig.pose);
        CHECK(ik_is_sound(rig.pose, 5));
        for (uint32_t i = 0; i < 5; i++)
            worst = fmax(worst, turn_of(&rig, i) - (double)job.numbers.limit);
    }
    CHECK(worst < 1e-6);
    // A quarter turn is wanted: the chain turns as far as the limit allows.
    ik_rig rig;
    make_neck(&rig);
    md5_aim_job job = look_at(&rig, 2, (md5_vec3){0.0f, 1000.0f, 66.0f});
    job.numbers.limit = 0.4f;
    md5_solve_aim(&rig.skeleton, &job, rig.pose);
    CHECK_NEAR(angle_off(&rig, &job), pi / 2.0 - 0.8, 1e-5);
    static const float none[] = {0.0f, -1.0f, NAN, INFINITY, 3.2f};
    for (int i = 0; i < 5; i++) {
        make_neck(&rig);
        job.numbers.limit = none[i];
        md5_solve_aim(&rig.skeleton, &job, rig.pose);
        CHECK_NEAR(angle_off(&rig, &job), 0.0, 1e-5);
    }
}

// A target that rises almost to the zenith: the tip turns without a jerk.
TEST (ik_aim_has_no_jerk_near_the_vertical) {
    ik_rig rig;
    real4 last = {0, 0, 0, 1};
    for (int i = 0; i <= 4000; i++) {
        make_neck(&rig);
        const double angle = 0.3 + (pi / 2.0 - 0.3) * i / 4000.0 - 1e-3;
        const md5_vec3 target = {(float)(100.0 * cos(angle)), 3.0f,
                                 (float)(66.0 + 100.0 * sin(angle))};
        md5_aim_job job = look_at(&rig, 1, target);
        md5_solve_aim(&rig.skeleton, &job, rig.pose);
        const real4 now = ik_place(&rig.skeleton, rig.pose, job.tip).rotation;
        if (i > 0)
            CHECK(real4_angle(last, now) < 0.02);
        last = now;
    }
}

TEST (ik_aim_turns_by_its_weight) {
    uint64_t random = 4;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 4, 3.0, &random);
        md5_aim_job job = look_at(&rig, 3, ik_random_point(50.0, &random));
        job.tip = rig.chain[3];
        ik_rig whole = rig, part = rig;
        md5_solve_aim(&rig.skeleton, &job, whole.pose);
        job.weight = round % 2 ? 0.0f : NAN;
        md5_solve_aim(&rig.skeleton, &job, part.pose);
        CHECK(memcmp(part.pose, rig.pose, sizeof rig.pose) == 0);
        job.weight = (float)test_random(&random);
        md5_solve_aim(&rig.skeleton, &job, part.pose);
        for (uint32_t i = 0; i < 4; i++) {
            const md5_quat expected =
                md5_quat_slerp(rig.pose[i].rotation, whole.pose[i].rotation, job.weight);
            CHECK_NEAR(real4_angle(real4_of(expected), real4_of(part.pose[i].rotation)), 0.0, 2e-6);
        }
    }
}

TEST (ik_aim_survives_anything) {
    static const float odd[] = {NAN, INFINITY, 3e38f, 1e15f, 9e14f, 1e-30f, 0.0f};
    uint64_t random = 5;
    for (int round = 0; round < 60000; round++) {
        ik_rig rig;
        const uint32_t count = 1 + test_random_u32(&random) % 5;
        ik_make_rig(&rig, count, 3.0, &random);
        md5_vec3 points[4];
        for (int i = 0; i < 4; i++) {
            points[i] = ik_random_point(5.0, &random);
            const uint32_t which = test_random_u32(&random) % 28;
            if (which < 7)
                points[i] = (md5_vec3){odd[which], odd[which], odd[which]};
        }
        const real3 eye = ik_place(&rig.skeleton, rig.pose, rig.chain[count - 1]).at;
        if (round % 5 == 0)
            points[0] = (md5_vec3){(float)eye.x, (float)eye.y, (float)eye.z};
        if (round % 7 == 0)
            points[2] = points[1];
        if (round % 11 == 0)
            rig.pose[0].translation = points[3];
        else if (round % 3 == 0)
            rig.pose[0].translation = (md5_vec3){0, 0, 0};
        const bool is_sound = ik_is_sound(rig.pose, count);
        const md5_aim_job job = {.tip = rig.chain[count - 1],
                                 .length = 1 + test_random_u32(&random) % 100,
                                 .target = points[0],
                                 .numbers = {points[1], points[2], points[3].x},
                                 .weight = 1.0f};
        CHECK(md5_solve_aim(&rig.skeleton, &job, rig.pose));
        if (is_sound && !CHECK(ik_is_sound(rig.pose, count)))
            return;
    }
    ik_rig rig;
    make_neck(&rig);
    md5_aim_job job = look_at(&rig, 0, (md5_vec3){1.0f, 2.0f, 3.0f});
    CHECK(!md5_solve_aim(&rig.skeleton, &job, rig.pose));
    job.length = 1;
    job.tip = 5;
    CHECK(!md5_solve_aim(&rig.skeleton, &job, rig.pose));
}
