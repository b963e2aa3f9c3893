// Tests of characters that are steered by random input: the speed at which their soles slide and
// rotate while they are on the floor, the velocity of the root in transitions, and the states of
// Bobbin's and Thimble's machines.
#include "test/ik/test_ik_case.h"

#include "test/play/test_play_case.h"

enum { MAX_FEET = 6, STEPS_PER_SECOND = 60, MAX_JOINTS = 128, BONES = 3, SPEEDS = 5 };

static const float on_floor = 0.15f; // units above the height of the sole at rest
static const float fast = 2;         // units per second

// A steered character. Its soles are the points of the floor below the toes in the bind pose.
typedef struct subject {
    const char *file;
    int num_feet;
    const char *ankles[MAX_FEET], *toes[MAX_FEET];
    float speeds[SPEEDS], max_angular_speed; // units, degrees per second
    const char *action;                      // a trigger
    bool strafes;
} subject;

static const subject bobbin = {
    .file = "models/bobbin/bobbin.md5machine",
    .num_feet = 2,
    .ankles = {"foot_l", "foot_r"},
    .toes = {"toes_l", "toes_r"},
    .speeds = {0, 22.5f, 22.5f, 45, -3},
    .max_angular_speed = 90,
    .action = "jump",
    .strafes = true,
};

#define SIX_FEET                                                               \
    {                                                                          \
        "foot_1_l", "foot_1_r", "foot_2_l", "foot_2_r", "foot_3_l", "foot_3_r" \
    }
static const subject thimble = {
    .file = "models/thimble/thimble.md5machine",
    .num_feet = 6,
    .ankles = SIX_FEET,
    .toes = SIX_FEET,
    .speeds = {0, 22.5f, 22.5f, 45, -3},
    .max_angular_speed = 36,
    .action = "shoot",
};

typedef struct walker {
    const subject *tested;
    md5_character *character;
    md5_player *player;
    void *scratch;
    md5_xform placement, pose[MAX_JOINTS];
    md5_mat34 joints[MAX_JOINTS];
    uint32_t joint[MAX_FEET];
    md5_vec3 point[MAX_FEET], sole[MAX_FEET];   // in the space of the joint; in world space
    md5_vec3 ahead[MAX_FEET], facing[MAX_FEET]; // heading, also in joint space and in world space
} walker;

static void find_soles(walker *fixture)
{
    md5_player_pose(fixture->player, fixture->pose, fixture->joints, NULL, fixture->scratch);
    const md5_mat34 placement = md5_mat34_from_xform(fixture->placement);
    for (int i = 0; i < fixture->tested->num_feet; i++) {
        const md5_mat34 joint = md5_mat34_mul(placement, fixture->joints[fixture->joint[i]]);
        fixture->sole[i] = md5_mat34_point(joint, fixture->point[i]);
        fixture->facing[i] = md5_mat34_direction(joint, fixture->ahead[i]);
    }
}

// Loads a character and finds the points of its soles. Returns false if this fails.
static bool make(walker *fixture, const subject *tested)
{
    md5_error error = {0};
    memset(fixture, 0, sizeof *fixture);
    fixture->tested = tested;
    fixture->character = md5_load_character(test_path(tested->file), NULL, &error);
    CHECK_STRING(error.message, "");
    if (!fixture->character)
        return false;
    const md5_skeleton *const skeleton = &fixture->character->model->skeleton;
    fixture->player = md5_create_player(fixture->character->machine, NULL, NULL);
    fixture->scratch = malloc(md5_player_pose_scratch(fixture->character->machine));
    fixture->placement.rotation.w = 1;
    for (int i = 0; i < tested->num_feet; i++) {
        const uint32_t joint = md5_find_joint(skeleton, tested->toes[i]);
        md5_vec3 bind = md5_mat34_translation(fixture->character->model->bind[joint]);
        bind.z = 0;
        fixture->joint[i] = joint;
        fixture->point[i] = md5_mat34_point(fixture->character->model->inverse_bind[joint], bind);
        fixture->ahead[i] = md5_mat34_direction(fixture->character->model->inverse_bind[joint],
                                                (md5_vec3){1, 0, 0});
    }
    return CHECK(fixture->player && skeleton->num_joints <= MAX_JOINTS);
}

static void end(walker *fixture)
{
    free(fixture->scratch);
    md5_destroy_player(fixture->player);
    md5_free_character(fixture->character);
}

// Sliding and rotation of the soles that are on the floor both before and after a step. A sole that
// moves up or down in the step is not counted, because it is being lifted or lowered. This also
// happens if the leg becomes too short as the body moves on.
typedef struct skating {
    float slide;          // fastest, units per second
    double angular_speed; // fastest, degrees per second
    double all;           // sum over all soles
    int num_on_floor;
} skating;

static double angle_between(md5_vec3 a, md5_vec3 b)
{
    const double x = (double)a.x * b.x + (double)a.y * b.y;
    const double y = (double)a.x * b.y - (double)a.y * b.x;
    return fabs(atan2(y, x)) * 180.0 / 3.14159265358979;
}

// Advances a character by one step. Measures how fast soles that are on the floor slide and rotate.
static skating skate(walker *fixture)
{
    const double seconds = 1.0 / (double)STEPS_PER_SECOND;
    md5_vec3 before[MAX_FEET], facing[MAX_FEET];
    memcpy(before, fixture->sole, sizeof before);
    memcpy(facing, fixture->facing, sizeof facing);
    skating measured = {0};
    play_advance(fixture->player, seconds);
    fixture->placement = md5_xform_mul(fixture->placement, md5_player_root_motion(fixture->player));
    find_soles(fixture);
    for (int i = 0; i < fixture->tested->num_feet; i++) {
        const md5_vec3 current = fixture->sole[i];
        const bool is_moved_up_or_down = fabsf(current.z - before[i].z) > fast * (float)seconds;
        if (current.z >= on_floor || before[i].z >= on_floor || is_moved_up_or_down)
            continue;
        const float slide =
            hypotf(current.x - before[i].x, current.y - before[i].y) / (float)seconds;
        const double angular_speed = angle_between(facing[i], fixture->facing[i]) / seconds;
        measured.slide = fmaxf(measured.slide, slide);
        measured.angular_speed = fmax(measured.angular_speed, angular_speed);
        measured.all += angular_speed;
        measured.num_on_floor++;
    }
    return measured;
}

static const char *body_state(const walker *fixture)
{
    return play_state_name(fixture->player, 0);
}

// Returns the current state of the layer that is above the layer of Bobbin's body.
static const char *story_state(const walker *fixture)
{
    return play_state_name(fixture->player, 2);
}

// Returns the name of the clip that plays in a slot of the machine.
static const char *find_one_shot(const walker *fixture, const char *slot)
{
    const md5_machine *const machine = fixture->character->machine;
    const md5_one_shot_status one_shot =
        md5_player_one_shot(fixture->player, md5_find_slot(machine, slot));
    return one_shot.weight > 0 ? md5_machine_tables(machine)->clips[one_shot.clip].name : "";
}

typedef struct walk_record {
    float slide;     // fastest sole that is on the floor, units per second
    int num_sliding; // number of steps in which a sole is faster than 2
    double angular_speed,
        mean_angular_speed;    // soles that are on the floor, degrees per second: fastest, average
    int num_turning;           // number of steps in which a sole is faster than 2
    double acceleration, mean; // change of the rotation of a leg's joint in a step, degrees
} walk_record;

// Rotations of the joints of the legs, and their change in the last step.
typedef struct leg_motion {
    md5_quat rotation[MAX_FEET * BONES];
    real3 rotation_vector[MAX_FEET * BONES];
} leg_motion;

// Returns the difference between the rotations of a joint in this step and in the previous step,
// degrees.
static double watch_joint(const walker *fixture, uint32_t joint, int number, leg_motion *legs)
{
    const md5_quat current = fixture->pose[joint].rotation;
    const md5_quat by = md5_quat_mul(current, md5_quat_conjugate(legs->rotation[number]));
    const double side = by.w < 0 ? -2 : 2; // twice the sine of half of the angle
    const real3 rotation_vector = {side * by.x, side * by.y, side * by.z};
    const double change = real3_distance(rotation_vector, legs->rotation_vector[number]);
    legs->rotation[number] = current;
    legs->rotation_vector[number] = rotation_vector;
    return change * 180.0 / 3.14159265358979;
}

// Walks for `seconds` seconds, with or without held feet.
static walk_record walk_about(const subject *tested, int seconds, uint64_t random, bool holds)
{
    walker fixture;
    walk_record measured = {0};
    leg_motion legs = {0};
    int next = 0;
    int num_on_floor = 0;
    const int num_steps = seconds * STEPS_PER_SECOND;
    if (!make(&fixture, tested))
        return measured;
    const uint32_t feet = md5_find_modifier(fixture.character->machine, "legs");
    if (CHECK(feet != MD5_NONE))
        md5_player_target(fixture.player, feet)->weight = holds ? 1 : 0;
    find_soles(&fixture);
    for (int i = 0; i < num_steps; i++) {
        if (i == next) {
            // Random input as from keys, or from a stick that turns at any rate; it changes every
            // 0.3 to 1.5 seconds.
            const float limit = fixture.tested->max_angular_speed;
            const float angular_speeds[] = {0, limit, -limit,
                                            (float)(test_random(&random) * 2 - 1.0) * limit};
            static const float strafes[] = {0, 0, 5, -5};
            play_set(fixture.player, "speed",
                     fixture.tested->speeds[test_random_u32(&random) % SPEEDS]);
            play_set(fixture.player, "turn", angular_speeds[test_random_u32(&random) % 4]);
            if (fixture.tested->strafes)
                play_set(fixture.player, "strafe", strafes[test_random_u32(&random) % 4]);
            if (test_random_u32(&random) % 8 == 0)
                play_set(fixture.player, fixture.tested->action, 1);

            next += 18 + (int)(test_random(&random) * 72);
        }
        const skating current = skate(&fixture);

        // The ankle of each foot and the two joints above it.
        const md5_skeleton *const skeleton = &fixture.character->model->skeleton;
        for (int j = 0; j < fixture.tested->num_feet * BONES; j++) {
            uint32_t joint = md5_find_joint(skeleton, fixture.tested->ankles[j / BONES]);
            for (int above = 0; above < j % BONES; above++)
                joint = skeleton->joints[joint].parent;
            const double acceleration = watch_joint(&fixture, joint, j, &legs);
            if (i < 2)
                continue; // two steps are needed
            measured.acceleration = fmax(measured.acceleration, acceleration);
            measured.mean += acceleration / (fixture.tested->num_feet * BONES);
        }

        if (strncmp(body_state(&fixture), "skid", 4) == 0)
            continue; // states in which soles slide on purpose
        measured.num_sliding += current.slide > fast;
        measured.slide = fmaxf(current.slide, measured.slide);
        measured.num_turning += current.angular_speed > 2;
        measured.angular_speed = fmax(current.angular_speed, measured.angular_speed);
        measured.mean_angular_speed += current.all;
        num_on_floor += current.num_on_floor;
    }
    measured.mean /= num_steps;
    measured.mean_angular_speed /= num_on_floor;
    end(&fixture);
    return measured;
}

static void report(const subject *tested, const char *description, int seconds,
                   const walk_record *measured)
{
    printf("note: %s, feet %s: soles slide at most %.2f units a second, above 2 in %.1f %% of %d "
           "s, and turn at most by %.2f degrees a second, above 2 in %.1f %%, on average by %.2f; "
           "joints of legs accelerate at most by %.1f degrees a step squared, on average by %.2f\n",
           tested->file, description, measured->slide,
           100.0 * measured->num_sliding / (seconds * STEPS_PER_SECOND), seconds,
           measured->angular_speed, 100.0 * measured->num_turning / (seconds * STEPS_PER_SECOND),
           measured->mean_angular_speed, measured->acceleration, measured->mean);
}

// Checks a walk. `limit` limits the acceleration of the leg joints with held feet, as a multiple of
// the acceleration in the animation.
static void check_walk(const subject *tested, int seconds, uint64_t random, double limit)
{
    const walk_record free = walk_about(tested, seconds, random, false);
    const walk_record held = walk_about(tested, seconds, random, true);
    report(tested, "as animated", seconds, &free);
    report(tested, "held", seconds, &held);
    // Holding a foot must not make the knee jump.
    CHECK(free.slide > 10 && held.num_sliding == 0);
    CHECK(free.angular_speed > 20 && held.num_turning == 0);
    CHECK(held.acceleration < limit * free.acceleration && held.mean < 1.3 * free.mean);
}

TEST (steer_soles_do_not_slide_for_any_input) {
    check_walk(&bobbin, 20, 17, 1.25);
    check_walk(&thimble, 10, 17, 1.25);
}

TEST_LONG (steer_soles_do_not_slide_for_ten_minutes) {
    for (uint64_t random = 1; random <= 5; random++) {
        // Sometimes Bobbin's leg becomes too short as the body moves on, and the foot makes a step.
        check_walk(&bobbin, 120, random, 1.5);
        check_walk(&thimble, 120, random, 1.25);
    }
}

// A transition between two clips of constant root motion, without modifiers. The velocity of the
// root changes like the offset of a joint that begins at rest, whose steepest slope is 15/8. Before
// and after the transition it is the velocity of the clips.
TEST (steer_the_root_keeps_its_velocity_in_transitions) {
    static const struct {
        float before;
        const char *parameter;
        float after;
        double from;    // units per second
        double to;      // units per second
        double seconds; // duration of the transition
    } cases[] = {
        {-3, "fall", 1, -10.5, 0, 0.15},
    };
    const double step = 1.0 / 240.0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        walker fixture;
        if (!make(&fixture, &bobbin))
            return;
        play_set(fixture.player, "speed", cases[i].before);
        play_advance(fixture.player, 3);
        play_set(fixture.player, cases[i].parameter, cases[i].after);
        double velocity = cases[i].from;
        double limit = 0;
        for (int k = 0; k < 150; k++) {
            play_advance(fixture.player, step);
            const double current = md5_player_root_motion(fixture.player).translation.x / step;
            limit = fmax(limit, fabs(current - velocity));
            velocity = current;
        }
        const double change = fabs(cases[i].to - cases[i].from);
        CHECK_NEAR(velocity, cases[i].to, 0.02);
        CHECK_NEAR(limit, 15.0 / 8.0 * change * step / cases[i].seconds, 0.02 * change);
        end(&fixture);
    }
}

#define TEST_HERE(title) TEST_IF (title, walker, fixture, make(fixture, &bobbin), end(fixture))

// A walk that fades into a synchronized run: strides of 20 units at one per second, and of 35.2
// units in 0.8 seconds. Both the length and the rate of the strides follow the weights.
TEST_HERE (steer_a_walk_changes_to_a_run_in_phase) {
    const double step = 1.0 / 240.0;
    const double fade = 0.25;
    double time = -1;
    // Largest difference in the fade, from the first step in which the root is faster.
    double max_difference = 0;
    play_set(fixture->player, "speed", 22.5f);
    play_advance(fixture->player, 3);
    play_set(fixture->player, "speed", 45);
    for (int k = 0; k < 240; k++) {
        play_advance(fixture->player, step);
        const double velocity = md5_player_root_motion(fixture->player).translation.x / step;
        if (time < 0 && strcmp(body_state(fixture), "run") == 0)
            time = md5_player_layer(fixture->player, 0).progress * fade - 0.5 * step;
        else if (time >= 0)
            time += step;
        const double part = fmin(fmax(time / fade, 0), 1);
        const double run = part * part * (3 - 2 * part);
        const double stride = 20 + run * (35.2 - 20);
        const double rate = 1 + run * (1.0 / 0.8 - 1.0);
        max_difference = fmax(max_difference, fabs(velocity - stride * rate));
    }
    CHECK(time > fade && max_difference < 0.02);
}

// Number of events of one name, and the time of the last event.
typedef struct event_log {
    const char *name;
    int count;
    double time, last;
} event_log;

PLAY_LISTENER(hear)
{
    event_log *const fixture = user;
    if (strcmp(event->name, fixture->name) != 0)
        return;
    fixture->count++;
    fixture->last = fixture->time;
}

// Plays for `seconds` seconds in equal steps.
static void play(walker *fixture, double seconds, event_log *events)
{
    const int num_steps = (int)(seconds * (double)STEPS_PER_SECOND + 0.5);
    for (int i = 0; i < num_steps; i++) {
        events->time += 1.0 / (double)STEPS_PER_SECOND;
        md5_player_advance(fixture->player, 1.0 / (double)STEPS_PER_SECOND, hear, events);
        fixture->placement =
            md5_xform_mul(fixture->placement, md5_player_root_motion(fixture->player));
    }
}

// A character that was not posed for seconds must not reach back to its previous footholds: a
// visible sole is no farther from the animated sole than the machine allows.
TEST (steer_a_pose_after_a_pause_releases_old_footholds) {
    walker held, free_feet;
    if (!make(&held, &thimble) || !make(&free_feet, &thimble))
        return;
    const uint32_t feet = md5_find_modifier(held.character->machine, "legs");
    if (CHECK(feet != MD5_NONE))
        md5_player_target(free_feet.player, feet)->weight = 0;
    walker *const walkers[] = {&held, &free_feet};
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 2; k++) {
            play_set(walkers[k]->player, "speed", 22.5f);
            play_advance(walkers[k]->player, 1.37);
            find_soles(walkers[k]);
        }
        for (int foot = 0; foot < thimble.num_feet; foot++)
            CHECK(hypotf(held.sole[foot].x - free_feet.sole[foot].x,
                         held.sole[foot].y - free_feet.sole[foot].y)
                  <= 6);
    }
    end(&free_feet);
    end(&held);
}

TEST_HERE (steer_a_character_left_alone_falls_asleep_and_starts_up) {
    play_advance(fixture->player, 19.9);
    CHECK_STRING(body_state(fixture), "idle");
    play_advance(fixture->player, 0.2);
    CHECK_STRING(story_state(fixture), "yawn");
    play_advance(fixture->player, 4);
    CHECK_STRING(story_state(fixture), "sit");
    event_log snores = {.name = "snore"};
    play(fixture, 56, &snores);
    CHECK_STRING(story_state(fixture), "doze");
    CHECK(snores.count == 13 || snores.count == 14); // one in four seconds
    play_set(fixture->player, "speed", 22.5f);
    play_advance(fixture->player, 0.1);
    CHECK_STRING(story_state(fixture), "startle");
    play_advance(fixture->player, 1.2);
    CHECK_STRING(body_state(fixture), "start");
}

// Checks demo/docs/viewer.md: a speed that is set before the first step, and a speed that is set
// after a reset.
TEST_HERE (steer_a_character_that_always_walks_does_not_fall_asleep) {
    for (int i = 0; i < 2; i++) {
        play_set(fixture->player, "speed", 20);
        play_advance(fixture->player, 20.8);
        CHECK_STRING(story_state(fixture), "away");
        CHECK_STRING(body_state(fixture), "walk");
        md5_player_reset(fixture->player);
    }
}

// Checks README.md and models/bobbin/bobbin.md5machine: the root has the speed of the clips for
// every requested speed.
TEST (steer_walks_and_runs_at_the_documented_speed) {
    static const float orders[][2] = {{20, 20}, {45, 44}};
    for (int i = 0; i < 2; i++) {
        walker fixture;
        event_log none = {.name = ""};
        if (!make(&fixture, &bobbin))
            return;
        play_set(fixture.player, "speed", orders[i][0]);
        play(&fixture, 3, &none);
        const float start_x = fixture.placement.translation.x;
        play(&fixture, 6, &none);
        CHECK_NEAR((fixture.placement.translation.x - start_x) / 6.0f, orders[i][1], 0.05);
        end(&fixture);
    }
}

// Bobbin does not sleep while a pointer is near.
TEST_HERE (steer_a_character_that_is_looked_at_stays_awake) {
    play_set(fixture->player, "pointer", 1);
    play_advance(fixture->player, 60);
    CHECK_STRING(body_state(fixture), "idle");
}

// Standing, Bobbin waves with the whole body; asleep, Bobbin is only startled.
TEST_HERE (steer_a_sleeper_does_not_wave) {
    play_set(fixture->player, "wave", 1);
    play_advance(fixture->player, 0.5);
    CHECK_STRING(find_one_shot(fixture, "act"), "wave");
    CHECK_STRING(find_one_shot(fixture, "gesture"), "");
    play_advance(fixture->player, 29.5);
    CHECK_STRING(story_state(fixture), "doze");
    play_set(fixture->player, "wave", 1);
    play_advance(fixture->player, 0.5);
    CHECK_STRING(story_state(fixture), "startle");
    CHECK_STRING(find_one_shot(fixture, "act"), "");
    CHECK_STRING(find_one_shot(fixture, "gesture"), "");
    play_advance(fixture->player, 2);
    CHECK_STRING(body_state(fixture), "idle");
    play_set(fixture->player, "speed", 15);
    play_advance(fixture->player, 2);
    play_set(fixture->player, "wave", 1);
    play_advance(fixture->player, 0.5);
    CHECK_STRING(find_one_shot(fixture, "gesture"), "wave");
    CHECK_STRING(find_one_shot(fixture, "act"), "");
}

TEST_HERE (steer_a_sneeze_is_fire_and_throws_him_back) {
    event_log fire = {.name = "fire"};
    play_set(fixture->player, "sneeze", 1);
    play(fixture, 1.2, &fire);
    CHECK_STRING(find_one_shot(fixture, "act"), "sneeze");
    CHECK(fire.count == 0);
    play(fixture, 1.7, &fire);
    CHECK_STRING(find_one_shot(fixture, "act"), "");
    // The event is at frame 38 of a clip of 30 Hz.
    CHECK(fire.count == 1 && fabs(fire.last - 38.0 / 30.0) < 0.02);
    CHECK_NEAR(fixture->placement.translation.x, -3, 0.01);
}

TEST_HERE (steer_a_sneeze_does_not_stop_a_walk) {
    event_log fire = {.name = "fire"};
    play_set(fixture->player, "speed", 20);
    play(fixture, 1.5, &fire);
    const float start_x = fixture->placement.translation.x;
    play_set(fixture->player, "sneeze", 1);
    play(fixture, 2, &fire);
    CHECK(fire.count == 1);
    CHECK(fixture->placement.translation.x > start_x + 25);
}

TEST_HERE (steer_a_tail_chase_rotates_him_on_planted_feet_until_he_falls) {
    STRINGS(order) = {"chase", "reel", "dizzy", "get_up", "away", "ready"};
    int number = -1;
    float slide = 0;
    play_advance(fixture->player, 0.1);
    find_soles(fixture);
    play_set(fixture->player, "chase", 1);
    skate(fixture);
    for (int i = 0; i < 12 * STEPS_PER_SECOND && number < 5; i++) {
        const float fastest = skate(fixture).slide;
        const char *const state = story_state(fixture);
        if (number < 0 || strcmp(state, order[number]) != 0)
            CHECK_STRING(state, order[++number]);
        if (number == 0)
            slide = fmaxf(slide, fastest);
    }
    CHECK(number == 5 && slide < 2);
    CHECK_STRING(body_state(fixture), "idle");
    // The character has made two full rotations.
    CHECK_SMALL(fixture->placement.rotation.z, 1e-3);
}

// Bobbin's body, stories and one-shots react only to each other's events: no layer may wait
// forever.
TEST_HERE (steer_any_input_ends_with_standing_and_waving) {
    const md5_machine_desc *const tables = md5_machine_tables(fixture->character->machine);
    uint64_t random = 29;
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 30; i++) {
            const uint32_t number = test_random_u32(&random) % tables->num_parameters;
            const md5_parameter_desc *const row = &tables->parameters[number];
            // Parameters are degrees or units per second. This range includes all values that occur
            // in conditions.
            const float value = row->kind == MD5_PARAMETER_FLOAT
                                    ? (float)(test_random(&random) * 180 - 90.0)
                                    : (float)(test_random_u32(&random) % 2);
            md5_player_set(fixture->player, number, value);
            // Sometimes enough time passes to fall asleep.
            const double limit = test_random_u32(&random) % 50 == 0 ? 60 : 2;
            play_advance(fixture->player, test_random(&random) * limit);
        }
        for (uint32_t i = 0; i < tables->num_parameters; i++)
            md5_player_set(fixture->player, i, tables->parameters[i].value);
        play_set(fixture->player, "speed", 20); // ends the sleep
        play_advance(fixture->player, 15);
        play_set(fixture->player, "speed", 0);
        play_advance(fixture->player, 3);
        CHECK_STRING(body_state(fixture), "idle");
        CHECK_STRING(story_state(fixture), "ready");
        play_set(fixture->player, "wave", 1);
        play_advance(fixture->player, 0.5);
        CHECK_STRING(find_one_shot(fixture, "act"), "wave");
    }
}

// -- Six legs -------------------------------------------------------------------------------------

// The user steers Thimble, which folds, unfolds and fires. An earlier test checks its soles.

static void check_state(play_actor *fixture, double seconds, const char *name)
{
    play_actor_advance(fixture, seconds);
    CHECK_STRING(play_state_name(fixture->player, 0), name);
}

#undef TEST_HERE
#define TEST_HERE(title)                                                             \
    TEST_IF (title, play_actor, fixture,                                             \
             play_actor_begin(fixture, "models/thimble/thimble.md5machine", "shot"), \
             play_actor_end(fixture))

TEST_HERE (steer_gun_folds_at_key_6_and_unfolds_at_any_key) {
    play_set(fixture->player, "fold", 1);
    check_state(fixture, 5, "fold");
    play_set(fixture->player, "speed", 22.5f);
    check_state(fixture, 0.1, "unfold");
    check_state(fixture, 2, "start");
    check_state(fixture, 0.5, "walk_left");
    play_set(fixture->player, "speed", 0);
    check_state(fixture, 2.5, "idle");
    play_set(fixture->player, "speed", -3);
    check_state(fixture, 1, "back");
}

TEST_HERE (steer_gun_shoots_standing_alert_and_walking) {
    play_set(fixture->player, "shoot", 1);
    check_state(fixture, 0.1, "shoot");
    check_state(fixture, 2, "idle");
    CHECK(fixture->count == 2);
    play_set(fixture->player, "alert", 1);
    check_state(fixture, 4, "alert");
    play_set(fixture->player, "shoot", 1);
    check_state(fixture, 2, "idle");
    CHECK(fixture->count == 4);
    play_set(fixture->player, "speed", 22.5f);
    check_state(fixture, 1.5, "walk_right");
    play_set(fixture->player, "shoot", 1);
    play_actor_advance(fixture, 2);
    CHECK(fixture->count == 6);
}
