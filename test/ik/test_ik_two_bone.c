// Arms and legs that reach: against where the joints are in double precision.
#include "test/ik/test_ik_case.h"

#include <math.h>
#include <string.h>

static double bone_length(const ik_rig *rig, uint32_t i)
{
    return real3_length(real3_of(rig->pose[rig->chain[i]].translation));
}

// A point at `distance` from the hip, which is the third joint from the end.
static md5_vec3 point_from_hip(const ik_rig *rig, uint32_t hip, double distance, uint64_t *random)
{
    const real3 start = ik_place_in_chain(rig, hip);
    const real3 way = real4_rotate(real4_of(made_any_rotation(random)), (real3){distance, 0, 0});
    return (md5_vec3){(float)(start.x + way.x), (float)(start.y + way.y), (float)(start.z + way.z)};
}

// Bones of lengths between 1 and 10 units, some limbs straight.
static void make_limb(ik_rig *rig, uint32_t count, uint64_t *random)
{
    ik_make_rig(rig, count, 8.0, random);
    for (uint32_t i = count - 2; i < count; i++) {
        md5_vec3 *const bone = &rig->pose[rig->chain[i]].translation;
        const md5_vec3 way = md5_vec3_normalize(*bone, (md5_vec3){1.0f, 0.0f, 0.0f});
        *bone = md5_vec3_scale(way, (float)ik_between(1.0, 10.0, random));
        if (i == count - 1 && test_random_u32(random) % 8 == 0) {
            rig->pose[rig->chain[i - 1]].rotation = (md5_quat){0.0f, 0.0f, 0.0f, 1.0f};
            *bone = md5_vec3_scale(rig->pose[rig->chain[i - 1]].translation, 0.7f);
        }
    }
}

TEST (ik_two_bone_reaches_what_is_in_reach) {
    uint64_t random = 1;
    double worst = 0.0, worst_turn = 0.0, worst_plane = 0.0;
    for (int round = 0; round < 30000; round++) {
        ik_rig rig;
        const uint32_t count = 3 + test_random_u32(&random) % 4, hip = count - 3;
        make_limb(&rig, count, &random);
        const double upper = bone_length(&rig, hip + 1), lower = bone_length(&rig, hip + 2);
        const double least = fabs(upper - lower), most = upper + lower;
        const double distance = ik_between(least, most, &random);
        const md5_vec3 target = point_from_hip(&rig, hip, distance, &random);
        const md5_vec3 pole = ik_random_point(30.0, &random);
        const md5_quat rotation = made_any_rotation(&random);
        md5_two_bone_job job = {.tip = rig.chain[count - 1], .target = target, .weight = 1.0f};
        job.pole = round % 2 ? &pole : NULL;
        job.rotation = round % 3 == 0 ? &rotation : NULL;
        const real4 before = ik_place(&rig.skeleton, rig.pose, job.tip).rotation;
        ik_rig old = rig;
        CHECK(md5_solve_two_bone(&rig.skeleton, &job, rig.pose));
        if (!CHECK(ik_is_sound(rig.pose, count)))
            return;
        const real_place tip = ik_place(&rig.skeleton, rig.pose, job.tip);
        worst = fmax(worst, real3_distance(tip.at, real3_of(target)) / most);
        worst_turn =
            fmax(worst_turn, real4_angle(tip.rotation, job.rotation ? real4_of(rotation) : before));
        for (uint32_t i = 0; i < count; i++) // lengths: not a bit of a translation changes
            CHECK(memcmp(&rig.pose[i].translation, &old.pose[i].translation, sizeof(md5_vec3))
                  == 0);
        if (!job.pole)
            continue;
        // The knee lies on the pole's side of the line from hip to foot, in one plane with it.
        const real3 line = real3_sub(tip.at, ik_place_in_chain(&rig, hip));
        const real3 normal =
            real3_cross(line, real3_sub(real3_of(pole), ik_place_in_chain(&rig, hip)));
        const real3 knee =
            real3_sub(ik_place_in_chain(&rig, hip + 1), ik_place_in_chain(&rig, hip));
        const double off = real3_dot(knee, normal) / real3_length(normal);
        worst_plane = fmax(worst_plane, fabs(off) / most);
        CHECK(real3_dot(real3_cross(normal, line), knee)
              >= -1e-4 * real3_length(normal) * most * most);
    }
    CHECK_NEAR(worst, 0.0, 1e-5);
    CHECK_NEAR(worst_turn, 0.0, 1e-5);
    CHECK_NEAR(worst_plane, 0.0, 1e-4);
}

// The hinge keeps its axis: thigh and shin turn about what was the limb's own normal.
TEST (ik_two_bone_without_a_pole_keeps_the_plane_of_the_bend) {
    uint64_t random = 2;
    double worst = 0.0;
    for (int round = 0; round < 5000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 3, 8.0, &random);
        const real3 a = ik_place_in_chain(&rig, 0), b = ik_place_in_chain(&rig, 1),
                    c = ik_place_in_chain(&rig, 2);
        const real3 normal = real3_cross(real3_sub(b, a), real3_sub(c, a));
        const double area = real3_length(normal);
        if (area < 1.0)
            continue;
        // A target in the limb's own plane: the knee may not leave it.
        const double s = ik_between(0.2, 0.9, &random), t = ik_between(-0.5, 0.5, &random);
        const real3 u = real3_sub(b, a), v = real3_sub(c, a);
        const md5_vec3 target = {(float)(a.x + s * v.x + t * u.x), (float)(a.y + s * v.y + t * u.y),
                                 (float)(a.z + s * v.z + t * u.z)};
        const md5_two_bone_job job = {.tip = rig.chain[2], .target = target, .weight = 1.0f};
        md5_solve_two_bone(&rig.skeleton, &job, rig.pose);
        const real3 knee = real3_sub(ik_place_in_chain(&rig, 1), a);
        worst = fmax(worst, fabs(real3_dot(knee, normal)) / area);
    }
    CHECK_NEAR(worst, 0.0, 1e-3);
}

TEST (ik_two_bone_points_at_what_is_out_of_reach) {
    uint64_t random = 3;
    double worst = 0.0;
    for (int round = 0; round < 5000; round++) {
        ik_rig rig;
        make_limb(&rig, 4, &random);
        const double reach = bone_length(&rig, 2) + bone_length(&rig, 3);
        const double distance = reach * ik_between(1.0, 50.0, &random);
        const md5_vec3 target = point_from_hip(&rig, 1, distance, &random);
        const md5_two_bone_job job = {.tip = rig.chain[3], .target = target, .weight = 1.0f};
        md5_solve_two_bone(&rig.skeleton, &job, rig.pose);
        const real3 start = ik_place_in_chain(&rig, 1), way = real3_sub(real3_of(target), start);
        const double share = reach / real3_length(way);
        const real3 end = {start.x + way.x * share, start.y + way.y * share,
                           start.z + way.z * share};
        worst = fmax(worst, real3_distance(ik_place_in_chain(&rig, 3), end) / reach);
        CHECK(ik_is_sound(rig.pose, 4));
    }
    CHECK_NEAR(worst, 0.0, 1e-5);
}

// A leg that bends forward, thigh and shin of 10 and 8 units down from the hip at 18.
static void make_leg(ik_rig *rig)
{
    uint64_t random = 4;
    ik_make_rig(rig, 3, 1.0, &random);
    const float angle = 0.2f;
    rig->pose[rig->chain[0]] = (md5_xform){{0, sinf(-angle), 0, cosf(angle)}, {0, 0, 18}, 0};
    rig->pose[rig->chain[1]] = (md5_xform){{0, sinf(angle), 0, cosf(angle)}, {0, 0, -10}, 0};
    rig->pose[rig->chain[2]] = (md5_xform){{0, 0, 0, 1}, {0, 0, -8}, 0};
}

// The distance of the foot from the hip if the target is `distance` straight below the hip.
static double foot_distance(double distance, float soften, float stretch, ik_rig *rig)
{
    make_leg(rig);
    const md5_two_bone_job job = {
        .tip = rig->chain[2],
        .target = {0.0f, 0.0f, (float)(18.0 - distance)},
        .numbers.soften = soften,
        .numbers.stretch = stretch,
        .weight = 1.0f,
    };
    md5_solve_two_bone(&rig->skeleton, &job, rig->pose);
    return real3_distance(ik_place_in_chain(rig, 0), ik_place_in_chain(rig, 2));
}

TEST (ik_two_bone_softens_without_a_jerk) {
    ik_rig rig;
    const double step = 0.01, reach = 18.0, onset = reach * 0.8;
    double last = foot_distance(4.0, 0.2f, 0.0f, &rig);
    real3 last_knee = ik_place_in_chain(&rig, 1);
    for (int i = 1; i < 3600; i++) {
        const double distance = 4.0 + step * i;
        const double now = foot_distance(distance, 0.2f, 0.0f, &rig);
        const real3 knee = ik_place_in_chain(&rig, 1);
        if (distance < onset)
            CHECK_NEAR(now, distance, 1e-4);
        CHECK(now >= last - 1e-4 && now <= last + step + 1e-4 && now < reach + 1e-4);
        CHECK(real3_distance(knee, last_knee) < 20.0 * step);
        // Half a unit past the onset x is 0.5 / 3.6; the curve is that of the exponential.
        const double x = (distance - onset) / (reach - onset);
        if (x > 0.0 && x < 1.0)
            CHECK_NEAR(now, reach - (reach - onset) * exp(-x), 1e-4);
        last = now;
        last_knee = knee;
    }
    CHECK(last > 0.99 * reach);
    CHECK_NEAR(foot_distance(17.9, 0.0f, 0.0f, &rig), 17.9, 1e-4);
    CHECK_NEAR(foot_distance(18.1, 0.0f, 0.0f, &rig), 18.0, 1e-4);
    CHECK_NEAR(foot_distance(9.0, 1.0f, 0.0f, &rig), 18.0 * (1.0 - exp(-0.5)), 1e-4);
    CHECK_NEAR(foot_distance(9.0, 5.0f, NAN, &rig), 18.0 * (1.0 - exp(-0.5)), 1e-4);
    CHECK_NEAR(foot_distance(9.0, NAN, 0.5f, &rig), 9.0, 1e-4);
}

TEST (ik_two_bone_stretches_as_far_as_it_may) {
    ik_rig rig;
    CHECK_NEAR(foot_distance(17.0, 0.0f, 1.25f, &rig), 17.0, 1e-4);
    CHECK_NEAR(bone_length(&rig, 1), 10.0, 1e-6);
    CHECK_NEAR(foot_distance(19.8, 0.0f, 1.25f, &rig), 19.8, 1e-4);
    CHECK_NEAR(bone_length(&rig, 1), 11.0, 1e-5);
    CHECK_NEAR(bone_length(&rig, 2), 8.8, 1e-5);
    CHECK_NEAR(foot_distance(40.0, 0.0f, 1.25f, &rig), 22.5, 1e-4);
    CHECK_NEAR(foot_distance(40.0, 0.3f, INFINITY, &rig), 40.0, 1e-4);
    // With both, it stretches instead of falling behind, and again without a jerk.
    double last = foot_distance(10.0, 0.3f, 1.1f, &rig);
    for (int i = 0; i < 2500; i++) {
        const double distance = 10.0 + 0.02 * i;
        const double now = foot_distance(distance, 0.3f, 1.1f, &rig);
        CHECK(now >= last - 1e-4 && now <= last + 0.02 + 1e-4 && now < 18.0 * 1.1 + 1e-4);
        last = now;
    }
    CHECK(last > 18.0 * 1.09);
}

TEST (ik_two_bone_turns_by_its_weight) {
    uint64_t random = 5;
    double worst = 0.0;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig, whole;
        make_limb(&rig, 3, &random);
        whole = rig;
        md5_two_bone_job job = {.tip = rig.chain[2], .numbers.stretch = 1.5f, .weight = 1.0f};
        job.target = point_from_hip(&rig, 0, ik_between(1.0, 20.0, &random), &random);
        md5_solve_two_bone(&rig.skeleton, &job, whole.pose);
        ik_rig none = rig, part = rig;
        job.weight = round % 2 ? 0.0f : NAN;
        md5_solve_two_bone(&rig.skeleton, &job, none.pose);
        CHECK(memcmp(none.pose, rig.pose, sizeof rig.pose) == 0);
        job.weight = (float)test_random(&random);
        md5_solve_two_bone(&rig.skeleton, &job, part.pose);
        for (uint32_t i = 0; i < 3; i++) {
            const md5_quat expected =
                md5_quat_slerp(rig.pose[i].rotation, whole.pose[i].rotation, job.weight);
            worst = fmax(worst, real4_angle(real4_of(expected), real4_of(part.pose[i].rotation)));
            const md5_vec3 way =
                md5_vec3_lerp(rig.pose[i].translation, whole.pose[i].translation, job.weight);
            worst = fmax(worst, real3_distance(real3_of(way), real3_of(part.pose[i].translation)));
        }
        job.weight = 7.0f; // as 1
        md5_solve_two_bone(&rig.skeleton, &job, rig.pose);
        CHECK(memcmp(whole.pose, rig.pose, sizeof rig.pose) == 0);
    }
    CHECK_NEAR(worst, 0.0, 1e-5);
}

TEST (ik_two_bone_needs_two_parents) {
    uint64_t random = 6;
    ik_rig rig;
    ik_make_rig(&rig, 3, 8.0, &random);
    const ik_rig old = rig;
    md5_two_bone_job job = {.tip = rig.chain[0], .weight = 1.0f};
    CHECK(!md5_solve_two_bone(&rig.skeleton, &job, rig.pose));
    job.tip = rig.chain[1];
    CHECK(!md5_solve_two_bone(&rig.skeleton, &job, rig.pose));
    job.tip = 3;
    CHECK(!md5_solve_two_bone(&rig.skeleton, &job, rig.pose));
    CHECK(memcmp(rig.pose, old.pose, sizeof rig.pose) == 0);
}

static md5_vec3 odd_point(uint64_t *random)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, 1e15f, 9e14f, 1e-30f, 0.0f, -0.0f};
    md5_vec3 point = ik_random_point(10.0, random);
    const uint32_t which = test_random_u32(random) % 64;
    if (which < 9)
        point.x = odd[which];
    else if (which < 18)
        point = (md5_vec3){odd[which - 9], odd[which - 9], odd[which - 9]};
    return point;
}

// Bones without length, straight, folded; targets on joints; NaN and infinity.
TEST (ik_two_bone_survives_anything) {
    uint64_t random = 7;
    for (int round = 0; round < 60000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 3, 8.0, &random);
        for (uint32_t i = 0; i < 3; i++) {
            md5_xform *const joint = &rig.pose[rig.chain[i]];
            const uint32_t kind = test_random_u32(&random) % 8;
            if (kind < 2)
                joint->translation = (md5_vec3){0.0f, 0.0f, 0.0f};
            else if (kind < 4)
                joint->translation = (md5_vec3){kind == 2 ? 5.0f : -5.0f, 0.0f, 0.0f};
            else if (kind == 4)
                joint->translation = md5_vec3_scale(joint->translation, 1e14f);
            else if (kind == 5)
                joint->translation =
                    md5_vec3_scale(joint->translation, round % 2 ? 1e-17f : 4e-16f);
            else if (kind == 6 && i == 0)
                joint->translation = md5_vec3_scale(joint->translation, 1e15f);
            if (test_random_u32(&random) % 2)
                joint->rotation = (md5_quat){0.0f, 0.0f, 0.0f, 1.0f};
        }
        const md5_vec3 pole = odd_point(&random);
        const md5_quat rotation = {odd_point(&random).x, 0.0f, 0.0f, odd_point(&random).y};
        md5_two_bone_job job = {
            .tip = rig.chain[2],
            .target = odd_point(&random),
            .pole = round % 2 ? &pole : NULL,
            .rotation = round % 3 ? NULL : &rotation,
            .numbers.soften = odd_point(&random).x,
            .numbers.stretch = odd_point(&random).y,
            .weight = round % 5 ? 1.0f : odd_point(&random).z,
        };
        if (round % 7 < 3) {
            const real3 at = ik_place_in_chain(&rig, (uint32_t)round % 7);
            job.target = (md5_vec3){(float)at.x, (float)at.y, (float)at.z};
        }
        if (isfinite(job.numbers.stretch) && job.numbers.stretch > 100.0f)
            job.numbers.stretch = 2.0f;
        const ik_rig old = rig;
        CHECK(md5_solve_two_bone(&rig.skeleton, &job, rig.pose));
        if (!CHECK(ik_is_sound(rig.pose, 3)))
            return;
        if (!isfinite(job.target.x) || !(job.weight > 0.0f))
            CHECK(memcmp(rig.pose, old.pose, sizeof rig.pose) == 0);
    }
}
