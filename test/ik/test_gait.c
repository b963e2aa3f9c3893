// Procedural walking with the legs of models/thimble, over wavy ground.
#include "test/misuse.h"
#include "test/real.h"

#include "md5/md5pose.h"

// Fixture: models/thimble walks on its six legs.

typedef struct walk_case {
    md5_model *model;
    md5_leg legs[6]; // 1 to 3 on the left, then on the right
    md5_gait_desc desc;
    md5_gait gait;
    md5_xform *pose;     // [num_joints]
    md5_mat34 *joints;   // [num_joints]
    uint32_t num_placed; // by walk_pose()
} walk_case;

static uint32_t find_leg_joint(const md5_model *model, const char *part, uint32_t leg)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%u_%c", part, leg % 3 + 1, leg < 3 ? 'l' : 'r');
    return md5_find_joint(&model->skeleton, name);
}

static void walk_free(walk_case *fixture)
{
    free(fixture->joints);
    free(fixture->pose);
    md5_free_model(fixture->model);
}
#define SCOPED_WALK __attribute__((cleanup(walk_free))) walk_case

static bool walk_from(walk_case *fixture, md5_xform placement)
{
    return md5_gait_begin(&fixture->desc, fixture->model->bind_local, placement, &fixture->gait);
}

static bool walk_begins(walk_case *fixture)
{
    return walk_from(fixture, (md5_xform){.rotation = {0, 0, 0, 1}});
}

static void walk_go(walk_case *fixture, md5_vec3 velocity, float angular_speed, double seconds)
{
    md5_gait_advance(&fixture->desc, &fixture->gait, velocity, angular_speed, seconds);
}

// If the model cannot be read, the test fails and the program aborts.
static void walk_begin(walk_case *fixture, md5_axes axes, md5_terrain_fn *terrain)
{
    const md5_load_opts opts = {.axes = axes};
    memset(fixture, 0, sizeof *fixture);
    fixture->model = md5_load_model(test_path("models/thimble/thimble.md5mesh"), &opts, NULL);
    if (!CHECK(fixture->model))
        abort();
    fixture->pose = test_calloc(fixture->model->skeleton.num_joints, sizeof *fixture->pose);
    fixture->joints = test_calloc(fixture->model->skeleton.num_joints, sizeof *fixture->joints);
    for (uint32_t i = 0; i < 6; i++)
        fixture->legs[i] = (md5_leg){
            .limb = {find_leg_joint(fixture->model, "femur", i),
                     find_leg_joint(fixture->model, "tibia", i),
                     find_leg_joint(fixture->model, "foot", i)},
            .swivel = find_leg_joint(fixture->model, "coxa", i),
            .group = (i + i / 3) % 2,
        };
    fixture->desc = (md5_gait_desc){
        .skeleton = &fixture->model->skeleton,
        .legs = fixture->legs,
        .num_legs = 6,
        .num_groups = 2,
        .body = md5_find_joint(&fixture->model->skeleton, "body"),
        .terrain = terrain,
    };
    CHECK(walk_begins(fixture));
}

#define TEST_HERE(title, terrain)                                                    \
    TEST_WITH (title, walk_case, fixture, walk_begin(fixture, MD5_AXES_ID, terrain), \
               walk_free(fixture))

// Writes the bind pose, with the walk applied.
static void walk_pose(walk_case *fixture)
{
    memcpy(fixture->pose, fixture->model->bind_local,
           fixture->model->skeleton.num_joints * sizeof *fixture->pose);
    fixture->num_placed = md5_gait_pose(&fixture->desc, &fixture->gait, fixture->pose);
}

// Ground of waves, at most 1.5 units high, id's axes.
static float walk_waves(void *user, md5_vec3 at, md5_vec3 *normal)
{
    (void)user;
    const double x = at.x / 15.0;
    const double y = at.y / 11.0;
    *normal = (md5_vec3){(float)(-0.1 * cos(x) * cos(y)), (float)(1.5 / 11.0 * sin(x) * sin(y)), 1};
    return (float)(1.5 * sin(x) * cos(y));
}

static md5_vec3 mix(md5_vec3 a, md5_vec3 b, double fraction)
{
    const double rest = 1 - fraction;
    return (md5_vec3){(float)(rest * a.x + fraction * b.x), (float)(rest * a.y + fraction * b.y),
                      (float)(rest * a.z + fraction * b.z)};
}

// Returns the ankle position of a foothold, world space: `rise` above the sole along the normal.
// During a step, the speed is 0 at both ends of the line, and the foot is `lift` above its middle.
static md5_vec3 reported_ankle(const md5_foothold *foot)
{
    if (!foot->is_stepping)
        return md5_vec3_add(foot->position, md5_vec3_scale(foot->normal, foot->rise));
    const double t = foot->progress;
    const double up = 4 * t * (1 - t);
    md5_vec3 sole = mix(foot->from, foot->to, t * t * (3 - 2 * t));
    sole.z += (float)(up * up * foot->lift);
    const md5_vec3 normal = mix(foot->normal, foot->to_normal, t);
    const float length = sqrtf(md5_vec3_dot(normal, normal));
    return md5_vec3_add(sole, md5_vec3_scale(normal, foot->rise / length));
}

// Sets the requested movement at a time. The sequence contains all kinds of movements: forward,
// backward, sideways, rotations, curves and stops.
static void command(double time, md5_vec3 *velocity, float *angular_speed)
{
    static const struct {
        md5_vec3 velocity;
        float angular_speed;
    } rounds[] = {
        {{20, 0, 0}, 0},  {{0, 0, 0}, 0}, {{-15, 0, 0}, 0.3f},  {{0, 18, 0}, 0},  {{0, 0, 0}, 1.2f},
        {{30, 0, 0}, -1}, {{3, 0, 0}, 0}, {{12, -12, 0}, 0.5f}, {{500, 0, 0}, 0}, {{0, 0, 0}, 0},
    };
    const int at = (int)(time / 1.5) % 10;
    *velocity = rounds[at].velocity;
    *angular_speed = rounds[at].angular_speed;
}

// Returns the position of an ankle of the pose, world space.
static md5_vec3 posed_ankle(const walk_case *fixture, uint32_t leg)
{
    md5_local_to_model(&fixture->model->skeleton, fixture->pose, fixture->joints);
    const md5_mat34 world = md5_mat34_from_xform(md5_gait_placement(&fixture->gait));
    return md5_mat34_point(world,
                           md5_mat34_translation(fixture->joints[fixture->legs[leg].limb.tip]));
}

TEST_HERE (walk_feet_that_stand_do_not_slide_and_all_reach, walk_waves) {
    md5_vec3 before[MD5_MAX_LEGS] = {{0, 0, 0}};
    bool was_standing[MD5_MAX_LEGS] = {false};
    double max_slide = 0;
    double max_miss = 0;
    uint32_t num_steps = 0;
    uint32_t num_out = 0;
    uint32_t num_mixed = 0;
    for (int frame = 0; frame < 60 * 30; frame++) {
        md5_vec3 velocity;
        float angular_speed;
        command(frame / 60.0, &velocity, &angular_speed);
        walk_go(fixture, velocity, angular_speed, 1.0 / 60.0);
        walk_pose(fixture);
        num_out += fixture->num_placed < 6;
        bool is_up[2] = {false, false};
        for (uint32_t leg = 0; leg < 6; leg++) {
            const md5_vec3 at = posed_ankle(fixture, leg);
            const bool is_standing = !fixture->gait.feet[leg].is_stepping;
            const md5_foothold *const foot = &fixture->gait.feet[leg];
            const double miss = real_distance(at, reported_ankle(foot));
            max_miss = fmax(max_miss, miss);
            const double slide =
                is_standing && was_standing[leg] ? real_distance(at, before[leg]) : 0;
            max_slide = fmax(max_slide, slide);
            num_steps += was_standing[leg] && !is_standing;
            is_up[fixture->legs[leg].group] = is_up[fixture->legs[leg].group] || !is_standing;
            before[leg] = at;
            was_standing[leg] = is_standing;
        }
        num_mixed += is_up[0] && is_up[1];
    }
    CHECK_THAT(max_slide <= 0.01, "a foot slides %g units", max_slide);
    CHECK_THAT(max_miss <= 0.01, "a foot misses by %g units", max_miss);
    CHECK_UINT(num_out, 0);
    CHECK_UINT(num_mixed, 0); // neighbors never lift together
    CHECK(num_steps > 100);
}

// Checks that a foot lands ahead of its home by half of the movement during a stand, so that it is
// at its home in the middle of the stand. While the legs of one group step, all other legs stand.
// The end of a step is predicted exactly for a home that moves evenly, and along the tangent for a
// home on a circle, from the time of the last planning, which is 0.7 of the step. The prediction is
// followed with a delay of 0.05 s.
static void check_landings(md5_vec3 velocity, float angular_speed, uint32_t num_groups)
{
    SCOPED_WALK landing;
    walk_case *const fixture = &landing;
    walk_begin(fixture, MD5_AXES_ID, NULL);
    fixture->desc.response = MD5_EXPLICIT_ZERO;
    fixture->desc.num_groups = num_groups;
    double fastest = 0;
    double farthest = 0;
    double begun[6] = {0};
    for (uint32_t leg = 0; leg < 6; leg++) {
        const md5_vec3 home = fixture->gait.feet[leg].home;
        const double x = velocity.x - (double)angular_speed * home.y;
        const double y = velocity.y + (double)angular_speed * home.x;
        fastest = fmax(fastest, sqrt(x * x + y * y));
        farthest = fmax(farthest, real_distance(home, (md5_vec3){0, 0, 0}));
        fixture->legs[leg].group = leg % num_groups;
    }
    const double seconds = fmin(0.45, 0.5 * fixture->gait.radius / (fastest * num_groups));
    const double half = 0.5 * (num_groups - 1.0) * seconds;
    const double along = angular_speed * (0.3 * seconds + half + 0.05 + 1.0 / 120.0);
    const double tolerance = 1e-3 + farthest * along * along / 2.0;
    md5_vec3 expected[6];
    uint32_t num_landed = 0;
    for (int frame = 1; frame <= 960; frame++) {
        bool stepped[6];
        for (uint32_t leg = 0; leg < 6; leg++)
            stepped[leg] = fixture->gait.feet[leg].is_stepping;
        walk_go(fixture, velocity, angular_speed, 1.0 / 120.0);
        for (uint32_t leg = 0; leg < 6; leg++) {
            const md5_foothold *const foot = &fixture->gait.feet[leg];
            if (foot->is_stepping && !stepped[leg]) {
                const double angle = angular_speed * (frame / 120.0 + seconds + half);
                const double x = foot->home.x;
                const double y = foot->home.y;
                const md5_vec3 arm = {(float)(x * cos(angle) - y * sin(angle)),
                                      (float)(x * sin(angle) + y * cos(angle)), 0};
                const md5_vec3 displacement = md5_vec3_scale(velocity, (float)(seconds + half));
                expected[leg] =
                    md5_vec3_add(fixture->gait.position, md5_vec3_add(displacement, arm));
                begun[leg] = frame / 120.0;
            } else if (!foot->is_stepping && stepped[leg]) {
                CHECK_SMALL(real_distance(foot->position, expected[leg]), tolerance);
                CHECK_NEAR(frame / 120.0 - begun[leg], seconds, 1.01 / 120.0);
                num_landed++;
            }
        }
    }
    CHECK(num_landed >= 12);
}

TEST (walk_places_feet_half_a_stance_ahead_of_the_rest_position) {
    static const uint32_t group_counts[] = {1, 2, 3, 6};
    static const struct {
        md5_vec3 velocity;
        float angular_speed;
    } ways[] = {{{6, 0, 0}, 0},  {{-3, 0, 0}, 0},   {{0, 5, 0}, 0},
                {{9, -7, 0}, 0}, {{0, 0, 0}, 0.4f}, {{0, 0, 0}, -0.2f}};
    for (int i = 0; i < 4; i++) {
        for (size_t j = 0; j < COUNT_OF(ways); j++)
            check_landings(ways[j].velocity, ways[j].angular_speed, group_counts[i]);
    }
}

// The expected values are the analytic solution of x' = u with u' = (v - u) / response.
TEST_HERE (walk_follows_velocity_and_turn, NULL) {
    for (int frame = 0; frame < 300; frame++)
        walk_go(fixture, (md5_vec3){10, 4, 7}, 0, 1.0 / 60.0);
    const double expected = 5 - 0.15 * (1 - exp(-5.0 / 0.15));
    // The velocity at the end of each time step of 1/120 s is used, so the error is at most half a
    // time step.
    CHECK_NEAR(fixture->gait.position.x, 10 * expected, 10.0 / 120.0);
    CHECK_NEAR(fixture->gait.position.y, 4 * expected, 4.0 / 120.0);
    CHECK_SMALL(fixture->gait.position.z, 1e-5);

    CHECK(walk_begins(fixture)); // a second walk
    for (int frame = 0; frame < 120; frame++)
        walk_go(fixture, (md5_vec3){0, 0, 0}, 0.5f, 1.0 / 60.0);
    const double angle = 0.5 * (2 - 0.15 * (1 - exp(-2.0 / 0.15)));
    const md5_vec3 ahead = md5_quat_rotate(fixture->gait.facing, (md5_vec3){1, 0, 0});
    CHECK_NEAR(atan2((double)ahead.y, ahead.x), angle, 0.5 / 120.0);
}

static void walk_at(walk_case *fixture, double rate, double seconds)
{
    for (int frame = 0; frame < (int)(seconds * rate + 0.5); frame++) {
        md5_vec3 velocity;
        float angular_speed;
        command(frame / rate, &velocity, &angular_speed);
        walk_go(fixture, velocity, angular_speed, 1.0 / rate);
    }
}

TEST (walk_at_30_hz_ends_at_the_same_point_as_at_120_hz) {
    SCOPED_WALK slow;
    SCOPED_WALK fast;
    SCOPED_WALK odd;
    walk_begin(&slow, MD5_AXES_ID, walk_waves);
    walk_begin(&fast, MD5_AXES_ID, walk_waves);
    walk_begin(&odd, MD5_AXES_ID, walk_waves);
    walk_at(&slow, 30, 12);
    walk_at(&fast, 120, 12);
    walk_at(&odd, 50, 12);
    const md5_vec3 end = fast.gait.position;
    const double distance = real_length(end);
    CHECK(distance > 20);
    CHECK_SMALL(real_distance(slow.gait.position, end), 0.01 * distance);
    CHECK_SMALL(real_distance(odd.gait.position, end), 0.02 * distance);
    for (uint32_t leg = 0; leg < 6; leg++)
        CHECK(real_distance(slow.gait.feet[leg].position, fast.gait.feet[leg].position) < 3);
}

// Ground that rises by 0.2 forward and falls by 0.1 to the left.
static float slope(void *user, md5_vec3 at, md5_vec3 *normal)
{
    (void)user;
    *normal = (md5_vec3){-0.2f, 0.1f, 1};
    return 0.2f * at.x - 0.1f * at.y + 3;
}

TEST_HERE (walk_body_lies_in_the_plane_of_its_feet, slope) {
    const double length = sqrt(0.2 * 0.2 + 0.1 * 0.1 + 1.0);
    for (int frame = 0; frame < 240; frame++) {
        walk_go(fixture, (md5_vec3){5, 0, 0}, 0.2f, 1.0 / 60.0);
        CHECK_NEAR(fixture->gait.normal.x, -0.2 / length, 1e-4);
        CHECK_NEAR(fixture->gait.normal.y, 0.1 / length, 1e-4);
    }
    // The height follows with a time constant of 0.12 s, while the ground rises below a moving
    // character.
    const double ground = slope(NULL, fixture->gait.position, &fixture->gait.feet[0].normal);
    CHECK_NEAR(fixture->gait.position.z, ground, 0.2 * 5.5 * 0.12 + 0.02);
    for (uint32_t leg = 0; leg < 6; leg++) {
        const md5_foothold *const foot = &fixture->gait.feet[leg];
        md5_vec3 normal;
        CHECK_NEAR(foot->position.z, slope(NULL, foot->position, &normal), 1e-4);
    }
}

// If the body does not move, no leg steps. After a walk, each leg takes a last step until its foot
// is near its rest position.
TEST_HERE (walk_comes_to_rest_near_its_homes, NULL) {
    walk_go(fixture, (md5_vec3){0, 0, 0}, 0, 1);
    for (uint32_t leg = 0; leg < 6; leg++) // nothing moves, so no leg steps
        CHECK(real_distance(fixture->gait.feet[leg].position, fixture->gait.feet[leg].home) < 1e-5);
    walk_at(fixture, 60, 13.5);
    for (int i = 0; i < 4; i++)
        walk_go(fixture, (md5_vec3){0, 0, 0}, 0, 1);
    const double slack = 0.1 * 0.5 * fixture->gait.radius;
    for (uint32_t leg = 0; leg < 6; leg++) {
        const md5_vec3 home =
            md5_xform_point(md5_gait_placement(&fixture->gait), fixture->gait.feet[leg].home);
        CHECK(!fixture->gait.feet[leg].is_stepping);
        CHECK(real_distance(fixture->gait.feet[leg].position, home) <= slack + 1e-4);
    }
}

TEST_HERE (walk_speed_is_what_the_legs_can_do, NULL) {
    const double step = 0.5 * fixture->gait.radius;
    const double expected_speed = step / (0.15 * 2.0);
    double max_distance = 0;
    for (int frame = 0; frame < 300; frame++) {
        walk_go(fixture, (md5_vec3){1e6f, 0, 0}, 0, 1.0 / 60.0);
        for (uint32_t leg = 0; leg < 6; leg++) {
            const md5_vec3 home =
                md5_xform_point(md5_gait_placement(&fixture->gait), fixture->gait.feet[leg].home);
            const md5_foothold *const foot = &fixture->gait.feet[leg];
            const double off = foot->is_stepping ? 0 : real_distance(foot->position, home);
            max_distance = fmax(max_distance, off);
        }
    }
    CHECK_NEAR(fixture->gait.velocity.x, expected_speed, 0.01 * expected_speed);
    CHECK_THAT(max_distance < 0.75 * step, "a foot is %g from home, a step is %g", max_distance,
               step);
}

TEST_HERE (walk_state_is_saved_by_copying_it, walk_waves) {
    walk_at(fixture, 60, 3.1);
    const md5_gait saved = fixture->gait;
    walk_at(fixture, 60, 4);
    const md5_gait first = fixture->gait;
    fixture->gait = saved;
    walk_at(fixture, 60, 4);
    CHECK_BYTES(&first.position, &fixture->gait.position, sizeof first.position);
    for (uint32_t leg = 0; leg < 6; leg++)
        CHECK_BYTES(&first.feet[leg].position, &fixture->gait.feet[leg].position, sizeof(md5_vec3));
}

// With y up: the same walk, up to rounding error.
TEST (walk_in_other_axes_is_the_same_walk) {
    static const md5_axes all[] = {MD5_AXES_Y_UP, MD5_AXES_Y_UP_LEFT};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        SCOPED_WALK fixture;
        SCOPED_WALK rotated_walk;
        walk_begin(&fixture, MD5_AXES_ID, NULL);
        walk_begin(&rotated_walk, all[i], NULL);
        const md5_mat34 to = md5_mat34_from_axes(all[i], 1);
        for (int frame = 0; frame < 120; frame++) {
            const md5_vec3 velocity = {12, 5, 0};
            walk_go(&fixture, velocity, 0.7f, 1.0 / 60.0);
            walk_go(&rotated_walk, md5_mat34_direction(to, velocity), 0.7f, 1.0 / 60.0);
        }
        walk_pose(&fixture);
        walk_pose(&rotated_walk);
        CHECK_UINT(rotated_walk.num_placed, 6);
        for (uint32_t leg = 0; leg < 6; leg++)
            CHECK(real_distance(md5_mat34_point(to, posed_ankle(&fixture, leg)),
                                posed_ankle(&rotated_walk, leg))
                  < 0.01);
    }
}

// -- Hostile input --------------------------------------------------------------------------------

// Procedural walking with arbitrary numbers, invalid legs, and errors of callers.

static float wild(void *user, md5_vec3 at, md5_vec3 *normal)
{
    static const float heights[] = {NAN, INFINITY, 1e30f, -1e14f, 0, 5};
    uint64_t *const seed = user;
    const uint32_t choice = test_random_u32(seed);
    normal->x = at.x;
    if (choice % 5 == 0)
        normal->x = NAN;
    else if (choice % 7 == 0)
        normal->x = 1e30f;
    normal->z = choice % 3 == 0 ? 0 : 1.0f;
    return heights[choice % 6];
}

static bool is_finite(md5_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

TEST_HERE (walk_takes_any_numbers, NULL) {
    static const float numbers[] = {NAN, INFINITY, -INFINITY, 1e38f, -1e-38f, 0, 30, -5};
    static const double seconds[] = {NAN, -1, 0, 1e-300, 0.01, 0.3, 1e300, INFINITY};
    static uint64_t seed = 11;
    fixture->desc.terrain = wild;
    fixture->desc.user = &seed;
    for (int i = 0; i < 300; i++) {
        const md5_vec3 velocity = {numbers[test_random_u32(&seed) % 8],
                                   numbers[test_random_u32(&seed) % 8], 1};
        walk_go(fixture, velocity, numbers[test_random_u32(&seed) % 8],
                seconds[test_random_u32(&seed) % 8]);
        walk_pose(fixture);
        CHECK(is_finite(fixture->gait.position) && is_finite(fixture->gait.normal));
        for (uint32_t joint = 0; joint < fixture->model->skeleton.num_joints; joint++) {
            const real4 q = to_real4(fixture->pose[joint].rotation);
            CHECK_NEAR(real4_dot(q, q), 1, 1e-3);
        }
    }
}

TEST_HERE (walk_begins_with_any_placement_and_pose, NULL) {
    const md5_xform wrong = {.rotation = {NAN, 0, 0, 0}, .translation = {INFINITY, 0, 0}};
    CHECK(walk_from(fixture, wrong));
    CHECK(fixture->gait.position.x == 0 && fixture->gait.facing.w == 1);
    // The placement is rotated by 90 degrees to the left and tilted. Only the rotation to the left
    // has an effect.
    const md5_quat left = {0, 0, 0.70710678f, 0.70710678f};
    const md5_quat tilt = {0, 0.2f, 0, 0.98f};
    const md5_xform tilted = {.rotation = md5_quat_mul(left, tilt), .translation = {3, 4, 9}};
    CHECK(walk_from(fixture, tilted));
    CHECK_NEAR(fixture->gait.facing.z, sqrt(0.5), 1e-6);
    CHECK_SMALL(fixture->gait.facing.x, 1e-6);
    CHECK_SMALL(fixture->gait.position.z, 1e-5); // flat ground
}

TEST_HERE (walk_rejects_what_is_no_leg, NULL) {
    const md5_leg good = fixture->legs[2];
    fixture->legs[2].limb.tip = 1000;
    CHECK(!walk_begins(fixture));
    walk_go(fixture, (md5_vec3){10, 0, 0}, 0, 0.5);
    walk_pose(fixture);
    CHECK(fixture->num_placed < 6);
    fixture->legs[2] = good;
    fixture->legs[2].swivel = 1000;
    CHECK(!walk_begins(fixture));
    fixture->legs[2].swivel = good.limb.tip;
    CHECK(!walk_begins(fixture));
    fixture->legs[2].swivel = MD5_NONE;
    CHECK(walk_begins(fixture));
    walk_pose(fixture);
    CHECK_UINT(fixture->num_placed, 6);
    fixture->legs[2].group = 2;
    CHECK(!walk_begins(fixture));
    fixture->legs[2] = good;
    fixture->desc.body = 1000;
    CHECK(!walk_begins(fixture));
    fixture->desc.body = 1;
    fixture->desc.num_legs = fixture->desc.num_groups =
        1; // the middle of all homes is this home: radius 0
    CHECK(!walk_begins(fixture));
}

// The first two legs are listed twice, so that there are eight.
TEST_HERE (walk_may_have_eight_legs, NULL) {
    md5_leg legs[MD5_MAX_LEGS];
    memcpy(legs, fixture->legs, sizeof fixture->legs);
    memcpy(legs + 6, fixture->legs, 2 * sizeof *legs);
    fixture->desc.legs = legs;
    fixture->desc.num_legs = MD5_MAX_LEGS;
    CHECK(walk_begins(fixture));
    CHECK_BYTES(&fixture->gait.feet[7].position, &fixture->gait.feet[1].position, sizeof(md5_vec3));
    CHECK(md5_vec3_length(fixture->gait.feet[7].position) > 1);
}

#if !defined(NDEBUG)

TEST_HERE (errors_in_walks_are_reported, NULL) {
    const md5_gait_desc good = fixture->desc;
    static md5_gait gait; // begun with no legs
    const md5_xform origin = {.rotation = {0, 0, 0, 1}};
    md5_xform pose[1] = {origin};
    md5_gait_desc descs[5] = {good, good, good, good, good};
    static const char *const messages[5] = {"skeleton: must not be NULL", "legs: must not be NULL",
                                            "num_legs: must be 1 to MD5_MAX_LEGS",
                                            "num_groups: must be 1 to num_legs",
                                            "reserved members must be 0"};
    descs[0].skeleton = NULL;
    descs[1].legs = NULL;
    descs[2].num_legs = MD5_MAX_LEGS + 1;
    descs[3].num_groups = 0;
    descs[4].reserved[0] = 1;
    for (int i = 0; i < 5; i++)
        MISUSE(messages[i], md5_gait_begin(&descs[i], pose, origin, &gait));
    MISUSE("desc: must not be NULL", md5_gait_begin(test_null(), pose, origin, &gait));
    MISUSE("must be initialized with this description",
           md5_gait_advance(&good, &gait, (md5_vec3){0, 0, 0}, 0, 0.1));
    MISUSE("must be initialized with this description", md5_gait_pose(&good, &gait, pose));
}

#endif
