// Thimble, steered at random: how fast the soles of its six legs slide while they are on the floor,
// and that it folds, unfolds and fires.
#include "test/test.h"

#include "md5/md5character.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_FEET = 6, STEPS_A_SECOND = 60, SECONDS = 60, MAX_JOINTS = 64 };

static const float on_floor = 0.15f; // units above the sole's height at rest
static const char *const feet[NUM_FEET] = {"foot_1_l", "foot_1_r", "foot_2_l",
                                           "foot_2_r", "foot_3_l", "foot_3_r"};

typedef struct crawler {
    md5_character *character;
    md5_player *player;
    void *scratch;
    md5_transform place, pose[MAX_JOINTS];
    md5_mat34 joints[MAX_JOINTS];
    uint32_t joint[NUM_FEET];
    md5_vec3 point[NUM_FEET], sole[NUM_FEET]; // in the joint's space; in the world
    uint32_t num_shots;
} crawler;

static md5_vec3 apply(const md5_mat34 *m, md5_vec3 p)
{
    float out[3];
    for (int row = 0; row < 3; row++)
        out[row] = m->m[4 * row] * p.x + m->m[4 * row + 1] * p.y + m->m[4 * row + 2] * p.z
                   + m->m[4 * row + 3];
    return (md5_vec3){out[0], out[1], out[2]};
}

static void set(crawler *of, const char *name, float value)
{
    const int32_t parameter = md5_find_parameter(of->character->machine, name);
    CHECK(parameter >= 0 && md5_player_set(of->player, (uint32_t)parameter, value));
}

static void find_soles(crawler *of)
{
    md5_player_pose(of->player, of->scratch, of->pose, of->joints, NULL);
    const md5_mat34 place = md5_mat34_from_transform(of->place);
    for (int i = 0; i < NUM_FEET; i++) {
        const md5_mat34 joint = md5_mat34_mul(place, of->joints[of->joint[i]]);
        of->sole[i] = apply(&joint, of->point[i]);
    }
}

static bool make(crawler *of)
{
    md5_error error;
    memset(of, 0, sizeof *of);
    of->character =
        md5_load_character(test_path("models/thimble/thimble.md5machine"), NULL, &error);
    CHECK_STRING(error.message, "");
    if (of->character == NULL)
        return false;
    const md5_model *const model = of->character->model;
    of->player = md5_create_player(of->character->machine, NULL, NULL);
    of->scratch = malloc(md5_player_scratch(of->character->machine));
    of->place.rotation.w = 1.0f;
    if (!CHECK(of->player != NULL && model->skeleton.num_joints <= MAX_JOINTS))
        return false;
    md5_player_pose(of->player, of->scratch, of->pose, of->joints, NULL);
    for (int i = 0; i < NUM_FEET; i++) {
        of->joint[i] = (uint32_t)md5_find_joint(&model->skeleton, feet[i]);
        // On the floor below the ankle, standing: the rows are the world's axes in the joint's
        // space.
        const float *const m = of->joints[of->joint[i]].m, down = -m[11];
        of->point[i] = (md5_vec3){down * m[8], down * m[9], down * m[10]};
    }
    find_soles(of);
    return true;
}

static void end(crawler *of)
{
    free(of->scratch);
    md5_free_player(of->player);
    md5_free_character(of->character);
}

static void count_shots(void *user, md5_player *player, const md5_event *event, float weight)
{
    crawler *const of = user;
    (void)player;
    of->num_shots += weight > 0.5f && strcmp(event->name, "shot") == 0;
}

// Fastest slide of a sole that is on the floor before and after a step, units a second.
static float step(crawler *of)
{
    const double seconds = 1.0 / (double)STEPS_A_SECOND;
    md5_vec3 before[NUM_FEET];
    float fastest = 0.0f;
    memcpy(before, of->sole, sizeof before);
    md5_player_advance(of->player, seconds, count_shots, of);
    of->place = md5_transform_mul(of->place, md5_player_root_motion(of->player));
    find_soles(of);
    for (int i = 0; i < NUM_FEET; i++) {
        const md5_vec3 now = of->sole[i];
        const float slide = hypotf(now.x - before[i].x, now.y - before[i].y) / (float)seconds;
        if (now.z < on_floor && before[i].z < on_floor && slide > fastest)
            fastest = slide;
    }
    return fastest;
}

// Random input as from keys; the test changes it every 0.3 to 1.5 seconds.
static void steer(crawler *of, uint64_t *random)
{
    static const float speeds[] = {0.0f, 22.5f, 22.5f, 45.0f, -3.0f};
    static const float turns[] = {0.0f, 0.0f, 26.0f, -26.0f};
    set(of, "speed", speeds[test_random_u32(random) % 5]);
    set(of, "turn", turns[test_random_u32(random) % 4]);
    if (test_random_u32(random) % 8 == 0)
        set(of, "shoot", 1.0f);
}

TEST (steer_six_soles_stand_still_whatever_is_ordered) {
    crawler of;
    uint64_t random = 17;
    int next = 0, num_fast = 0;
    float fastest = 0.0f;
    if (!make(&of))
        return;
    for (int i = 0; i < SECONDS * STEPS_A_SECOND; i++) {
        if (i == next) {
            steer(&of, &random);
            next += 18 + (int)(test_random(&random) * 72.0);
        }
        const float slide = step(&of);
        num_fast += slide > 2.0f;
        fastest = slide > fastest ? slide : fastest;
    }
    printf("note: soles slide at most %.1f units a second, above 2 in %.1f %% of the time\n",
           (double)fastest, 100.0 * num_fast / (SECONDS * STEPS_A_SECOND));
    // What remains is the change between walking and trotting, 0.25 s each, and into and out of
    // curves: their strides differ while feet stand. A stop out of these slides at up to 20.
    CHECK(fastest < 45.0f && num_fast < SECONDS * STEPS_A_SECOND / 5);
    CHECK(hypotf(of.place.translation.x, of.place.translation.y) > 20.0f); // it went somewhere
    end(&of);
}

static const char *state_of(const crawler *of)
{
    const md5_machine_desc *const tables = md5_machine_tables(of->character->machine);
    return tables->layers[0].states[md5_player_layer(of->player, 0).state].name;
}

static void check_state(crawler *of, double seconds, const char *name)
{
    md5_player_advance(of->player, seconds, count_shots, of);
    CHECK_STRING(state_of(of), name);
}

TEST (steer_six_it_folds_and_any_key_unfolds_it) {
    crawler of;
    if (!make(&of))
        return;
    set(&of, "fold", 1.0f);
    check_state(&of, 5.0, "fold");
    set(&of, "speed", 22.5f);
    check_state(&of, 0.1, "unfold");
    check_state(&of, 2.0, "start");
    check_state(&of, 0.5, "walk_left");
    set(&of, "speed", 0.0f);
    check_state(&of, 2.5, "idle");
    set(&of, "speed", -3.0f);
    check_state(&of, 1.0, "back");
    end(&of);
}

TEST (steer_six_it_shoots_standing_alert_and_walking) {
    crawler of;
    if (!make(&of))
        return;
    set(&of, "shoot", 1.0f);
    check_state(&of, 0.1, "shoot");
    check_state(&of, 2.0, "idle");
    CHECK(of.num_shots == 2);
    set(&of, "alert", 1.0f);
    check_state(&of, 4.0, "alert");
    set(&of, "shoot", 1.0f);
    check_state(&of, 2.0, "idle");
    CHECK(of.num_shots == 4);
    set(&of, "speed", 22.5f);
    check_state(&of, 1.5, "walk_right");
    set(&of, "shoot", 1.0f);
    md5_player_advance(of.player, 2.0, count_shots, &of);
    CHECK(of.num_shots == 6);
    end(&of);
}
