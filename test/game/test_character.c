// Compares characters with the original engine: joint modifiers, look-at, heads, walk IK. The game
// folder was made for this test (MD5_CORPUS, golden/d3char; its FORMAT.md explains the tables).
#include "test/game/entity_case.h"
#include "test/game/saved_bytes.h"
#include "test/scoped.h"
#include "test/real.h"

#include <time.h>

enum { MAX_JOINTS = 32 };
#define DEGREE (3.14159265358979323846 / 180.0)

// -- Tables ---------------------------------------------------------------------------------------

// Returns the next line that begins with a letter and is not a comment, or NULL.
static const char *next_line(const char *at)
{
    at = strchr(at, '\n');
    while (at && (at[1] == '#' || at[1] == '\n'))
        at = strchr(at + 1, '\n');
    return at && at[1] ? at + 1 : NULL;
}

// Reads `count` numbers, and skips the bars between them.
static bool read_numbers(const char **at, double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        while (**at == ' ' || **at == '|')
            (*at)++;
        numbers[i] = strtod(*at, &end);
        if (end == *at)
            return false;
        *at = end;
    }
    return true;
}

static bool read_word(const char **at, char word[64])
{
    int length = 0;
    const bool is_read = sscanf(*at, " %63s%n", word, &length) == 1;
    *at += length;
    return is_read;
}

// Reads numbers after a keyword in a line. Returns false if the line does not contain them.
static bool read_numbers_after(const char *line, const char *word, double *numbers, int count)
{
    const char *const end = strchr(line, '\n');
    const char *at = strstr(line, word);
    if (!at || (end && at > end))
        return false;
    at += strlen(word);
    return read_numbers(&at, numbers, count);
}

static md5_vec3 vector(const double *numbers)
{
    return (md5_vec3){(float)numbers[0], (float)numbers[1], (float)numbers[2]};
}

typedef struct max_errors {
    double axes, positions;
    unsigned count;
} max_errors;

// Compares a joint with a line "j JOINT" with 12 numbers.
static void compare_joint(const char *line, const md5_skeleton *skeleton, const md5_mat34 *joints,
                          max_errors *max_error)
{
    char name[64];
    double expected[12] = {0};
    line++;
    REQUIRE(read_word(&line, name) && read_numbers(&line, expected, 12));
    const uint32_t joint = md5_find_joint(skeleton, name);
    REQUIRE(joint != MD5_NONE);
    for (int k = 0; k < 12; k++)
        real_update_max(k % 4 == 3 ? &max_error->positions : &max_error->axes,
                        fabs((double)joints[joint].m[k] - expected[k]));
    max_error->count++;
}

static md5_mod_mode modifier_mode(double number)
{
    return (md5_mod_mode)(int)number;
}

// == Joint modifiers ==============================================================================

TEST (characters_move_joints_like_the_original_engine) {
    REQUIRE_CORPUS();
    SCOPED_GAME game = open_golden_game(&probe_folder, NULL);
    SCOPED_STRING text = read_golden("d3char/jointmods.txt", NULL);
    REQUIRE(game && text);
    max_errors max_error = {0};
    unsigned num_cases = 0;
    for (const char *line = next_line(text); line;) {
        char model[64];
        char clip[64];
        char word[64];
        double numbers[9] = {0};
        const char *at = line + strlen("case ");
        CHECK(read_numbers(&at, numbers, 1) && read_word(&at, model) && read_word(&at, clip));
        CHECK(read_numbers(&at, numbers, 1) && read_word(&at, word)
              && read_numbers(&at, numbers + 1, 1));
        SCOPED_ENTITY entity = md5_load_entity(game, model, NULL, NULL);
        REQUIRE(entity);
        SCOPED_ACTOR actor = md5_create_actor(entity, NULL, NULL);
        REQUIRE(actor);
        const uint32_t index = md5_actor_choose(actor, NULL, clip);
        CHECK(md5_actor_play(actor, MD5_CHANNEL_ALL, index, MD5_ACTOR_CYCLE, 0, 0));
        md5_actor_set_in_place(actor, numbers[1] != 0.0);
        md5_actor_advance(actor, (uint32_t)numbers[0], NULL, NULL);
        md5_joint_mod mods[MAX_JOINTS] = {{0}};
        md5_xform pose[MAX_JOINTS];
        md5_mat34 joints[MAX_JOINTS];
        const md5_skeleton *const skeleton = &entity->model->skeleton;
        while ((line = next_line(line)) && strncmp(line, "mod ", 4) == 0) {
            at = line + 4;
            CHECK(read_word(&at, word) && read_numbers(&at, numbers, 8));
            const uint32_t joint = md5_find_joint(skeleton, word);
            REQUIRE(joint != MD5_NONE);
            const md5_euler rotation = {(float)numbers[2], (float)numbers[3], (float)numbers[4]};
            mods[joint] =
                (md5_joint_mod){modifier_mode(numbers[0]),
                                modifier_mode(numbers[1]),
                                md5_quat_from_euler(rotation),
                                {(float)numbers[5], (float)numbers[6], (float)numbers[7]}};
        }
        md5_actor_pose(actor, pose, NULL, NULL);
        md5_entity_move_joints(entity, mods, pose);
        md5_local_to_model(skeleton, pose, joints);
        for (; line && line[0] == 'j'; line = next_line(line))
            compare_joint(line, skeleton, joints, &max_error);
        CHECK_THAT(max_error.axes <= 2e-5 && max_error.positions <= 3e-4,
                   "case %u: off by %g and %g", num_cases, max_error.axes, max_error.positions);
        num_cases++;
    }
    CHECK_UINT(num_cases, 47);
    CHECK(max_error.count > 47 * 6);
}

// == Look-at ======================================================================================

typedef struct look_case {
    md5_entity *entity;
    md5_actor *body, *head;
    md5_monster *monster;
    md5_monster_tick tick;
    int64_t time;
    unsigned num_ticks;
    const char *random; // random numbers of this tick, as text
} look_case;

static float next_random(void *user)
{
    look_case *const run = user;
    double number = 0.5;
    CHECK(read_numbers(&run->random, &number, 1));
    return (float)number;
}

static void end_run(look_case *run)
{
    md5_destroy_monster(run->monster);
    md5_destroy_actor(run->body);
    md5_destroy_actor(run->head);
    md5_free_entity(run->entity);
    *run = (look_case){.entity = NULL};
}

static md5_actor *begin_actor(const md5_entity *entity, const char *clip, uint32_t passed)
{
    md5_actor *const actor = md5_create_actor(entity, NULL, NULL);
    if (!actor)
        return NULL;
    md5_actor_set_in_place(actor, true);
    const uint32_t index = md5_actor_choose(actor, NULL, clip);
    if (index != MD5_NONE) {
        const md5_actor_mode mode = strcmp(clip, "pain") == 0 ? MD5_ACTOR_ONCE : MD5_ACTOR_CYCLE;
        CHECK(md5_actor_play(actor, MD5_CHANNEL_ALL, index, mode, 0, 0));
        md5_actor_advance(actor, passed, NULL, NULL);
    }
    return actor;
}

// Begins a line "run N DEF ...", whose clip began at `start`.
static bool begin_run(look_case *run, md5_game *game, const char *line, const char *clip,
                      double start, bool has_head)
{
    char name[64];
    double number;
    const char *at = line + strlen("run ");
    end_run(run);
    CHECK(read_numbers(&at, &number, 1) && read_word(&at, name));
    run->entity = md5_load_entity(game, name, NULL, NULL);
    if (!CHECK(run->entity))
        return false;
    run->time = (int64_t)start;
    run->body = begin_actor(run->entity, clip, 0);
    if (has_head)
        run->head = begin_actor(run->entity->parts[0].entity, "none", 0);
    const md5_monster_desc desc = {.entity = run->entity, .body = run->body, .head = run->head};
    run->monster = md5_create_monster(&desc, NULL, NULL);
    run->tick = (md5_monster_tick){.rotation = {0, 0, 0, 1}, .random = next_random, .user = run};
    return CHECK(run->monster);
}

// The same for a monster that does not walk: "idle_start T viewyaw Y origin xyz".
static bool begin_standing(look_case *run, md5_game *game, const char *line, bool has_head)
{
    double start;
    double yaw = 0;
    double origin[3] = {0};
    if (!CHECK(read_numbers_after(line, "idle_start ", &start, 1)
               && begin_run(run, game, line, "idle", start, has_head)
               && read_numbers_after(line, "viewyaw ", &yaw, 1)
               && read_numbers_after(line, "origin ", origin, 3)))
        return false;
    run->tick.rotation = md5_quat_from_euler((md5_euler){.yaw = (float)yaw});
    run->tick.origin = vector(origin);
    return true;
}

static void advance_to(look_case *run, double time)
{
    const uint32_t passed = (uint32_t)((int64_t)time - run->time);
    md5_actor_advance(run->body, passed, NULL, NULL);
    if (run->head)
        md5_actor_advance(run->head, passed, NULL, NULL);
    run->time = run->tick.time = (int64_t)time;
}

static double angle_between(double a, double b)
{
    return fabs(remainder(a - b, 360.0));
}

static double point_distance(md5_vec3 a, const double *b)
{
    return fmax(fmax(fabs(a.x - b[0]), fabs(a.y - b[1])), fabs(a.z - b[2]));
}

static void check_angles(const double *expected, md5_euler actual)
{
    CHECK_THAT(
        fmax(angle_between(expected[0], actual.pitch), angle_between(expected[1], actual.yaw))
            <= 1e-3,
        "%g and %g, expected %g and %g", actual.pitch, actual.yaw, expected[0], expected[1]);
}

static void check_look(look_case *run, const double *n)
{
    const md5_monster_status status = md5_monster_state(run->monster);
    check_angles(n + 16, status.eyes);
    check_angles(n + 19, status.look_goal);
    check_angles(n + 22, status.look);
    CHECK_THAT(status.align_time == (int64_t)n[25] && status.force_time == (int64_t)n[26],
               "at %g: aligns at %lld, expected %g", n[0], (long long)status.align_time, n[25]);
    CHECK_THAT(point_distance(status.eye, n + 7) <= 3e-4, "at %g: the eye is off by %g", n[0],
               point_distance(status.eye, n + 7));
    CHECK_THAT(run->num_ticks < 80 || point_distance(status.focus, n + 27) <= 2e-3,
               "at %g: the focus is off by %g", n[0], point_distance(status.focus, n + 27));
}

TEST (characters_look_like_those_of_the_original_engine) {
    REQUIRE_CORPUS();
    SCOPED_GAME game = open_golden_game(&probe_folder, NULL);
    SCOPED_STRING text = read_golden("d3char/look.txt", NULL);
    REQUIRE(game && text);
    look_case fixture = {.entity = NULL};
    look_case *const run = &fixture;
    max_errors max_error = {0};
    unsigned num_ticks = 0;
    md5_mat34 joints[MAX_JOINTS];
    md5_xform pose[MAX_JOINTS];
    for (const char *line = next_line(text); line; line = next_line(line)) {
        double n[40] = {0};
        const char *at = line + 1;
        if (strncmp(line, "run ", 4) == 0) {
            REQUIRE(begin_standing(run, game, line, false)
                    && read_numbers_after(line, "eyeheight ", n, 1));
            if (!md5_entity_def_value(run->entity->def, "bone_focus"))
                CHECK_NEAR(md5_monster_state(run->monster).eye_height, n[0], 1e-3);
        } else if (strncmp(line, "lookAt ", 7) == 0) {
            REQUIRE(read_numbers_after(line, "time ", n, 1)
                    && read_numbers_after(line, "focusTime ", n + 1, 1));
            md5_monster_look_at(run->monster, 1, (int64_t)n[0], (uint32_t)(n[1] - n[0]));
        } else if (strncmp(line, "target removed", 14) == 0) {
            run->tick.look = MD5_LOOK_GONE;
        } else if (line[0] == 'f') {
            REQUIRE(read_numbers(&at, n, 31));
            advance_to(run, n[0]);
            run->tick.target = vector(n + 1);
            run->random = at;
            md5_monster_think(run->monster, &run->tick);
            check_look(run, n);
            num_ticks++;
            run->num_ticks++;
        } else if (line[0] == 'j') {
            md5_monster_pose(run->monster, pose, joints, NULL);
            compare_joint(line, &run->entity->model->skeleton, joints, &max_error);
        }
    }
    CHECK_UINT(num_ticks, 900);
    CHECK_UINT(max_error.count, 270);
    CHECK_THAT(max_error.axes <= 2e-5 && max_error.positions <= 2e-4, "off by %g and %g",
               max_error.axes, max_error.positions);
    end_run(run);
}

// == Heads ========================================================================================

static void check_head(look_case *run, const double *n)
{
    const md5_monster_status status = md5_monster_state(run->monster);
    check_angles(n + 16, status.eyes);
    check_angles(n + 18, status.look);
    CHECK_THAT(status.align_time == (int64_t)n[20], "at %g: aligns at %lld, expected %g", n[0],
               (long long)status.align_time, n[20]);
    CHECK_THAT(run->num_ticks == 2 || point_distance(status.eye, n + 7) <= 3e-4,
               "at %g: the eye is off by %g", n[0], point_distance(status.eye, n + 7));
}

// Compares a transform with 12 numbers, the origin and then the axes: forward, left, up.
static void compare_xform(md5_xform actual, const double *n, max_errors *max_error)
{
    const md5_mat34 matrix = md5_mat34_from_xform(actual);
    for (int row = 0; row < 3; row++) {
        for (int axis = 0; axis < 3; axis++) {
            const double component = (double)matrix.m[4 * row + axis];
            real_update_max(&max_error->axes, fabs(component - n[3 + 3 * axis + row]));
        }
        real_update_max(&max_error->positions, fabs((double)matrix.m[4 * row + 3] - n[row]));
    }
    max_error->count++;
}

// Positions of values in a saved monster, in units of 8 bytes.
enum {
    SAVED_LOOK = 28,           // pitch, yaw
    SAVED_EYES = 32,           // pitch, yaw
    SAVED_HEAD_TRANSFORM = 34, // origin, axes
    SAVED_ALIGN_TIME = 47,
    SAVED_HAS_HEAD_TRANSFORM = 52
};

static void write_doubles(unsigned char *bytes, size_t index, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_double(bytes, index + i, values[i]);
}

// Sets the transform of the head in the last tick.
static void set_head_transform(md5_monster *monster, const double n[12])
{
    const size_t size = md5_monster_save_size(monster);
    SCOPED unsigned char *const bytes = test_alloc(size);
    md5_monster_save(monster, bytes);
    write_doubles(bytes, SAVED_HEAD_TRANSFORM, n, 12);
    write_number(bytes, SAVED_HAS_HEAD_TRANSFORM, true);
    CHECK(md5_monster_restore(monster, bytes, size, NULL));
}

// The table does not contain the state before the first tick: continue from the state after it.
static void begin_looking(look_case *run, const double *n)
{
    const size_t size = md5_monster_save_size(run->monster);
    SCOPED unsigned char *const bytes = test_alloc(size);
    md5_monster_save(run->monster, bytes);
    write_doubles(bytes, SAVED_EYES, n + 16, 2);
    write_doubles(bytes, SAVED_LOOK, n + 18, 2);
    write_number(bytes, SAVED_ALIGN_TIME, (uint64_t)(int64_t)n[20]);
    CHECK(md5_monster_restore(run->monster, bytes, size, NULL));

    static const char prefix[] = "look_joint ";
    const md5_entity_def *const def = run->entity->def;
    const md5_entity_key *key = NULL;
    while ((key = md5_entity_def_next_key(def, prefix, key))) {
        const uint32_t joint =
            md5_find_joint(&run->entity->model->skeleton, key->name + strlen(prefix));
        double fractions[2] = {0}; // fractions of pitch and yaw
        const char *at = key->value;
        REQUIRE(joint != MD5_NONE && read_numbers(&at, fractions, 2));
        const md5_euler rotation = {.pitch = (float)(n[18] * fractions[0]),
                                    .yaw = (float)(n[19] * fractions[1])};
        md5_monster_mods(run->monster)[joint].rotation = md5_quat_from_euler(rotation);
    }
}

TEST (heads_follow_their_bodies_as_in_the_original_engine) {
    REQUIRE_CORPUS();
    SCOPED_GAME game = open_golden_game(&probe_folder, NULL);
    SCOPED_STRING text = read_golden("d3char/head.txt", NULL);
    REQUIRE(game && text);
    look_case fixture = {.entity = NULL};
    look_case *const run = &fixture;
    max_errors placement_errors = {0};
    max_errors joints_off = {0};
    md5_mat34 joints[MAX_JOINTS];
    md5_xform pose[MAX_JOINTS];
    for (const char *line = next_line(text); line; line = next_line(line)) {
        double n[40] = {0};
        const char *at = line + 1;
        if (strncmp(line, "run ", 4) == 0) {
            REQUIRE(begin_standing(run, game, line, true)
                    && read_numbers_after(line, " head ", n, 12));
            set_head_transform(run->monster, n);
            md5_monster_look_at(run->monster, 1, run->time, 1500);
        } else if (line[0] == 'f') {
            REQUIRE(read_numbers(&at, n, 22));
            advance_to(run, n[0]);
            run->tick.target = vector(n + 1);
            run->random = at;
            md5_monster_think(run->monster, &run->tick);
            if (run->num_ticks++ > 0)
                check_head(run, n);
            else
                begin_looking(run, n);
        } else if (line[0] == 'h') {
            REQUIRE(read_numbers(&at, n, 12));
            compare_xform(md5_monster_state(run->monster).head, n, &placement_errors);
            if (run->num_ticks == 1)
                set_head_transform(run->monster, n);
            CHECK_THAT(run->num_ticks == 1
                           || (placement_errors.axes <= 2e-5 && placement_errors.positions <= 2e-4),
                       "tick %u: head off by %g and %g", run->num_ticks, placement_errors.axes,
                       placement_errors.positions);
            placement_errors = (max_errors){0};
        } else if (line[0] == 'j') {
            md5_monster_pose(run->monster, pose, joints, NULL);
            compare_joint(line, &run->entity->model->skeleton, joints, &joints_off);
        } else if (line[0] == 'k') {
            md5_monster_head_pose(run->monster, pose, joints, NULL);
            compare_joint(line, &run->entity->parts[0].entity->model->skeleton, joints,
                          &joints_off);
        }
    }
    CHECK_UINT(joints_off.count, 240);
    CHECK_THAT(joints_off.axes <= 2e-5 && joints_off.positions <= 2e-4, "off by %g and %g",
               joints_off.axes, joints_off.positions);
    end_run(run);
}

// == Walk IK ======================================================================================

// Reads the sweeps of a tick from the table: their end points and the points at which they stopped.
typedef struct sweep_case {
    look_case *look;
    const char *line; // the line of the first sweep of this tick
    double max_distance;
} sweep_case;

static float next_sweep(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist)
{
    sweep_case *const run = user;
    double n[11] = {0};
    (void)size;
    if (!CHECK(run->line && run->line[0] == 't'))
        return to.z;
    const char *at = run->line + 1;
    CHECK(read_numbers(&at, n, 11));
    CHECK_UINT(is_waist, (unsigned)n[0]);
    real_update_max(&run->max_distance, point_distance(from, n + 2));
    real_update_max(&run->max_distance, point_distance(to, n + 5));
    run->line = next_line(run->line);
    return (float)n[10];
}

TEST (feet_are_placed_as_in_the_original_engine) {
    REQUIRE_CORPUS();
    SCOPED_GAME game = open_golden_game(&probe_folder, NULL);
    SCOPED_STRING text = read_golden("d3char/walkik.txt", NULL);
    REQUIRE(game && text);
    look_case fixture = {.entity = NULL};
    look_case *const run = &fixture;
    sweep_case sweeps = {.look = run};
    max_errors max_error = {0};
    unsigned num_ticks = 0;
    double heights = 0.0;
    md5_mat34 joints[MAX_JOINTS];
    md5_xform pose[MAX_JOINTS];
    char clip[64];
    for (const char *line = next_line(text); line; line = next_line(line)) {
        double n[40] = {0};
        const char *at = line + 1;
        if (strncmp(line, "run ", 4) == 0) {
            char def[64];
            double start;
            REQUIRE(sscanf(line, "run %*d %63s %63s", def, clip) == 2);
            REQUIRE(read_numbers_after(line, "start ", &start, 1)
                    && begin_run(run, game, line, clip, start, false));
            run->tick.sweep = next_sweep;
            run->tick.user = &sweeps;
            run->tick.random = NULL;
            sweeps.line = NULL;
        } else if (line[0] == 't') {
            sweeps.line = sweeps.line ? sweeps.line : line;
        } else if (line[0] == 'f') {
            REQUIRE(read_numbers(&at, n, 19));
            run->tick.origin = vector(n + 1);
            const md5_mat34 axes = {{(float)n[7], (float)n[10], (float)n[13], 0, (float)n[8],
                                     (float)n[11], (float)n[14], 0, (float)n[9], (float)n[12],
                                     (float)n[15], 0}};
            run->tick.rotation = md5_xform_from_mat34(axes).rotation;
            run->tick.has_ground = n[16] != 0.0;
            run->tick.is_on_a_lift = n[17] != 0.0;
            const uint32_t enabled = (uint32_t)n[18];
            const md5_frame_command command = {.code = enabled != 0 ? MD5_FRAME_ENABLE_WALK_IK
                                                                    : MD5_FRAME_DISABLE_WALK_IK};
            if (enabled != md5_monster_state(run->monster).enabled_legs)
                md5_monster_on_frame(run->monster, &command);
            advance_to(run, n[0]);
            md5_monster_think(run->monster, &run->tick);
            sweeps.line = NULL;
            num_ticks++;
        } else if (line[0] == 's') {
            const md5_monster_status status = md5_monster_state(run->monster);
            REQUIRE(read_numbers(&at, n, 5 + (int)status.num_legs));
            CHECK_UINT(status.is_standing, (unsigned)n[0]);
            if (status.is_standing) {
                real_update_max(&heights, point_distance(status.waist_offset, n + 1));
                real_update_max(&heights, fabs(status.waist_height - n[4]));
                for (uint32_t i = 0; i < status.num_legs; i++)
                    real_update_max(&heights, fabs(status.ankle_heights[i] - n[5 + i]));
            }
        } else if (line[0] == 'j') {
            md5_monster_pose(run->monster, pose, joints, NULL);
            compare_joint(line, &run->entity->model->skeleton, joints, &max_error);
            CHECK_THAT(max_error.axes <= 5e-5 && max_error.positions <= 5e-4 && heights <= 1e-4
                           && sweeps.max_distance <= 5e-4,
                       "at %lld of %s: off by %g, %g, %g, %g", (long long)run->time, clip,
                       max_error.axes, max_error.positions, heights, sweeps.max_distance);
        }
    }
    CHECK_UINT(num_ticks, 590);
    CHECK_UINT(max_error.count, 3572);
    end_run(run);
}

// A leg whose foot is above the origin of its monster. Sweeps end at the height of the origin.
typedef struct leg_case {
    md5_game *game;
    md5_entity *entity;
    md5_actor *body;
    md5_monster *monster;
    md5_monster_tick tick;
    md5_vec3 swept_from; // by the last sweep of a foot
} leg_case;

static float sweep_to_origin(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist)
{
    leg_case *const run = user;
    (void)to, (void)size;
    if (!is_waist)
        run->swept_from = from;
    return run->tick.origin.z;
}

static bool open_leg(leg_case *run)
{
    memset(run, 0, sizeof *run);
    run->game = open_entity_game(
        "model legged { inherit body anim ik_pose lift.md5anim }\n"
        "entityDef ogre { \"model\" \"legged\" \"ik_numLegs\" \"1\" \"ik_waist\" \"root\"\n"
        "\"ik_hip1\" \"root\" \"ik_knee1\" \"spine\" \"ik_ankle1\" \"neck\" \"ik_foot1\" \"lid\"\n"
        "\"ik_usePivot\" \"1\" }",
        NULL);
    run->entity = load_entity(run->game, "ogre");
    run->body = md5_create_actor(run->entity, NULL, NULL);
    const md5_monster_desc desc = {.entity = run->entity, .body = run->body};
    run->monster = md5_create_monster(&desc, NULL, NULL);
    run->tick = (md5_monster_tick){
        .rotation = {0, 0, 0, 1}, .has_ground = true, .sweep = sweep_to_origin, .user = run};
    return CHECK(run->monster) && CHECK_UINT(md5_monster_state(run->monster).num_legs, 1);
}

static void close_leg(leg_case *run)
{
    md5_destroy_monster(run->monster);
    md5_destroy_actor(run->body);
    md5_free_entity(run->entity);
    md5_destroy_game(run->game);
}

#define TEST_LEG(title) TEST_IF (title, leg_case, run, open_leg(run), close_leg(run))

// In each tick the height of an ankle moves by a quarter of the difference ("ik_smoothing" is
// 0.75). On a lift it moves immediately.
TEST_LEG(ankles_follow_a_lift_at_once)
{
    for (int is_on_a_lift = 0; is_on_a_lift < 2; is_on_a_lift++) {
        run->tick.is_on_a_lift = false;
        for (int i = 0; i < 100; i++) {
            run->tick.time += 16;
            md5_monster_think(run->monster, &run->tick);
        }
        const double before = (double)md5_monster_state(run->monster).ankle_heights[0];
        run->tick.is_on_a_lift = is_on_a_lift;
        run->tick.origin.z += 8.0f;
        run->tick.time += 16;
        md5_monster_think(run->monster, &run->tick);
        const double after = (double)md5_monster_state(run->monster).ankle_heights[0];
        CHECK_NEAR(after - before, is_on_a_lift ? 8.0 : 2.0, 1e-4);
    }
}

// The pivot foot does not move until the monster has turned by more than 30 degrees, also across
// 180 degrees.
TEST_LEG(pivots_keep_feet_up_to_thirty_degrees)
{
    static const struct {
        float begin, rotation;
        bool is_held;
    } rows[] = {
        {0.0f, 29.9f, true},    {0.0f, 30.1f, false},     {0.0f, -29.9f, true},
        {0.0f, -30.1f, false},  {170.0f, 20.0f, true},    {-170.0f, -20.0f, true},
        {170.0f, 31.0f, false}, {-170.0f, -31.0f, false},
    };
    for (size_t j = 0; j < COUNT_OF(rows); j++) {
        const md5_frame_command forget = {.code = MD5_FRAME_ENABLE_WALK_IK};
        md5_monster_on_frame(run->monster, &forget); // at the end of the next tick
        for (int i = 0; i < 3; i++) {
            run->tick.rotation = md5_quat_from_euler((md5_euler){.yaw = rows[j].begin});
            run->tick.time += 16;
            md5_monster_think(run->monster, &run->tick);
        }
        const float before = run->swept_from.x;
        run->tick.rotation =
            md5_quat_from_euler((md5_euler){.yaw = rows[j].begin + rows[j].rotation});
        run->tick.origin.x += 2.0f;
        run->tick.time += 16;
        md5_monster_think(run->monster, &run->tick);
        CHECK_THAT((fabsf(run->swept_from.x - before) < 1e-3f) == rows[j].is_held,
                   "from %g by %g: moved by %g", (double)rows[j].begin, (double)rows[j].rotation,
                   (double)(run->swept_from.x - before));
    }
}

// == Figures ======================================================================================

static uint32_t find_body(const md5_figure *figure, const char *name)
{
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        if (strcmp(figure->bodies[i].def->name, name) == 0)
            return i;
    }
    return MD5_NONE;
}

static md5_xform read_xform(const double *n)
{
    md5_mat34 matrix = {{0}};
    for (int row = 0; row < 3; row++) {
        for (int axis = 0; axis < 3; axis++)
            matrix.m[4 * row + axis] = (float)n[3 + 3 * axis + row];
        matrix.m[4 * row + 3] = (float)n[row];
    }
    return md5_xform_from_mat34(matrix);
}

static void compare_vectors(const char *line, const char *word, const md5_vec3 *actual, int count,
                            double tolerance)
{
    double n[9] = {0};
    if (!read_numbers_after(line, word, n, 3 * count))
        return;
    for (int i = 0; i < count; i++)
        CHECK_THAT(point_distance(actual[i], n + 3 * i) <= tolerance, "%.40s:%s off by %g", line,
                   word, point_distance(actual[i], n + 3 * i));
}

static void compare_constraint(const md5_figure *figure, const char *line)
{
    char name[64], ends[2][64];
    double n[16] = {0};
    const char *at = line + 1;
    uint32_t index = 0;
    CHECK(read_word(&at, name) && read_numbers(&at, n, 1) && read_word(&at, ends[0])
          && read_word(&at, ends[1]));
    while (index < figure->num_constraints
           && strcmp(figure->constraints[index].def->name, name) != 0)
        index++;
    REQUIRE(index < figure->num_constraints);
    const md5_body_constraint *const actual = &figure->constraints[index];
    for (int i = 0; i < 2; i++)
        CHECK_UINT(actual->bodies[i], find_body(figure, ends[i]));
    compare_vectors(line, " anchors ", actual->anchors, 2, 3e-5);
    compare_vectors(line, " shafts ", actual->shafts, 2, 1e-5);
    compare_vectors(line, " axes ", actual->axes, 2, 1e-5);
    if (read_numbers_after(line, " cone ", n, 10)) {
        CHECK(point_distance(actual->limit_axis, n + 3) <= 1e-5);
        CHECK(point_distance(actual->limit_shaft, n + 6) <= 1e-5);
        CHECK_NEAR(actual->limit_cosines[0], n[9], 1e-6);
    }
    if (read_numbers_after(line, " pyramid ", n, 16)) {
        CHECK(point_distance(actual->limit_base, n + 3) <= 1e-5);
        CHECK(point_distance(actual->limit_axis, n + 9) <= 1e-5);
        CHECK(point_distance(actual->limit_shaft, n + 12) <= 1e-5);
        CHECK_NEAR(actual->limit_cosines[0], n[15], 1e-6);
    }
}

TEST (figures_move_with_joints_as_in_the_original_engine) {
    REQUIRE_CORPUS();
    SCOPED_GAME game = open_golden_game(&probe_folder, NULL);
    SCOPED_STRING text = read_golden("d3char/afpose.txt", NULL);
    REQUIRE(game && text);
    look_case fixture = {.entity = NULL};
    look_case *const run = &fixture;
    md5_figure *figure = NULL;
    md5_body_state bodies[16];
    md5_mat34 joints[MAX_JOINTS] = {{{0}}};
    md5_xform pose[MAX_JOINTS];
    md5_xform expected = {.rotation = {0, 0, 0, 1}};
    max_errors max_error = {0};
    unsigned num_bodies = 0;
    unsigned num_constraints = 0;
    char name[64];
    double n[32] = {0};
    for (const char *line = next_line(text); line; line = next_line(line)) {
        const char *at = strchr(line, ' ') ? strchr(line, ' ') : line;
        if (strncmp(line, "load ", 5) == 0) {
            CHECK(read_word(&at, name));
            md5_free_figure(figure);
            end_run(run);
            run->entity = md5_load_entity(game, name, NULL, NULL);
            const md5_figure_def *const def =
                md5_game_figure_def(game, strstr(name, "stilt") ? "stilt" : "trestle", NULL);
            REQUIRE(run->entity && def
                    && (figure = md5_create_figure(def, run->entity, NULL, NULL)));
            double mass = 0.0;
            for (uint32_t i = 0; i < figure->num_bodies; i++)
                mass += figure->bodies[i].mass;
            CHECK(read_numbers_after(line, " totalmass ", n, 1));
            CHECK_NEAR(mass, n[0], 1e-5 * n[0]);
            expected = (md5_xform){.rotation = {0, 0, 0, 1}};
        } else if (strncmp(line, "m ", 2) == 0) {
            CHECK(read_word(&at, name) && read_numbers(&at, n, 10));
            const md5_body_part *const body = &figure->bodies[find_body(figure, name)];
            CHECK_NEAR(body->mass, n[0], 1e-5 * n[0]);
            for (int i = 0; i < 9; i++)
                CHECK_NEAR(body->inertia[i], n[1 + i], 2e-5 * n[1]);
            num_bodies++;
        } else if (strncmp(line, "jm ", 3) == 0) {
            CHECK(read_word(&at, name));
            const md5_body_part *const body = &figure->bodies[find_body(figure, name)];
            CHECK(read_word(&at, name) && read_numbers(&at, n, 13));
            CHECK_UINT(body->joint, md5_find_joint(&run->entity->model->skeleton, name));
            CHECK_UINT((unsigned)body->def->mod, (unsigned)n[0]);
            compare_xform(body->offset, n + 1, &max_error);
        } else if (strncmp(line, "base ", 5) == 0) {
            CHECK(read_numbers(&at, n, 12));
            compare_xform(figure->setup[0], n, &max_error);
        } else if (strncmp(line, "contained ", 10) == 0) {
            CHECK(read_word(&at, name) && read_numbers(&at, n, 1));
            const uint32_t joint = md5_find_joint(&run->entity->model->skeleton, name);
            CHECK_UINT(figure->body_of_joint[joint], (unsigned)n[0]);
        } else if (strncmp(line, "c ", 2) == 0) {
            compare_constraint(figure, line);
            num_constraints++;
        } else if (strncmp(line, "setup", 5) == 0) {
            for (uint32_t i = 0; i < figure->num_bodies; i++)
                bodies[i].transform = figure->setup[i];
        } else if (strncmp(line, "pose ", 5) == 0 || strncmp(line, "change ", 7) == 0) {
            double start = 0.0;
            const bool is_change = line[0] == 'c';
            CHECK(read_numbers(&at, n, 1) && read_numbers_after(line, " start ", &start, 1));
            if (!is_change) {
                CHECK(read_numbers_after(line, " start ", n + 1, 13));
                expected = read_xform(n + 2);
            }
            md5_destroy_actor(run->body);
            run->body = begin_actor(run->entity, "walk", (uint32_t)(n[0] - start));
            md5_actor_pose(run->body, pose, joints, NULL);
            md5_figure_from_joints(figure, joints, expected, is_change ? 0.1f : 0.0f, bodies);
        } else if (strncmp(line, "b ", 2) == 0) {
            CHECK(read_word(&at, name) && read_numbers(&at, n, 12));
            const uint32_t body = find_body(figure, name);
            if (read_numbers(&at, n + 12, 3))
                CHECK_THAT(point_distance(bodies[body].linear, n + 12) <= 1e-2, "%.20s: off by %g",
                           line, point_distance(bodies[body].linear, n + 12));
            if (run->tick.time == 1) // set explicitly
                bodies[body].transform = read_xform(n);
            else
                compare_xform(bodies[body].transform, n, &max_error);
        } else if (strncmp(line, "back ", 5) == 0) {
            run->tick.time = 1;
        } else if (strncmp(line, "render ", 7) == 0) {
            CHECK(read_numbers(&at, n, 12));
            expected = md5_figure_to_pose(figure, bodies, pose);
            md5_local_to_model(&run->entity->model->skeleton, pose, joints);
            compare_xform(expected, n, &max_error);
        } else if (strncmp(line, "j ", 2) == 0) {
            compare_joint(line, &run->entity->model->skeleton, joints, &max_error);
        } else if (strncmp(line, "bounds ", 7) == 0) {
            const md5_bounds box = md5_figure_bounds(figure, bodies, expected);
            CHECK(read_numbers(&at, n, 6));
            real_update_max(&max_error.positions, point_distance(box.min, n));
            real_update_max(&max_error.positions, point_distance(box.max, n + 3));
        }
        CHECK_THAT(max_error.axes <= 1e-5 && max_error.positions <= 3e-4, "%.60s: off by %g and %g",
                   line, max_error.axes, max_error.positions);
        max_error.axes = fmin(max_error.axes, 1e-5);
        max_error.positions = fmin(max_error.positions, 3e-4);
    }
    CHECK_UINT(num_bodies, 24);
    CHECK_UINT(num_constraints, 23);
    md5_free_figure(figure);
    end_run(run);
}

// == Without the probe ============================================================================

static void release_monster(md5_monster *const *owner)
{
    md5_destroy_monster(*owner);
}
#define SCOPED_MONSTER __attribute__((unused, cleanup(release_monster))) md5_monster *const

// The target is 90 degrees to the left. The default limit is 75 degrees, and in one tick the look
// turns by a tenth of 75 degrees. The lid turns by more than 180 degrees.
TEST (monsters_look_to_the_left) {
    SCOPED_GAME game =
        open_entity_game("entityDef ogre { \"model\" \"body\" \"look_joint neck\" \"0 "
                         "0.5 0\" \"look_joint lid\" \"0 30 0\" \"eye_height\" \"20\" }",
                         NULL);
    SCOPED_ENTITY entity = load_entity(game, "ogre");
    SCOPED_ACTOR body = md5_create_actor(entity, NULL, NULL);
    const md5_monster_desc desc = {.entity = entity, .body = body};
    SCOPED_MONSTER monster = md5_create_monster(&desc, NULL, NULL);
    REQUIRE(monster);
    const md5_monster_tick tick = {
        .time = 16, .rotation = {0, 0, 0, 1}, .look = MD5_LOOK_THING, .target = {0, 50, 20}};
    md5_monster_look_at(monster, 1, 0, 1000);
    md5_monster_think(monster, &tick);
    const md5_monster_status status = md5_monster_state(monster);
    CHECK_NEAR(status.look_goal.yaw, 75, 1e-4);
    CHECK_NEAR(status.look.yaw, 7.5, 1e-4);
    CHECK_NEAR(status.eyes.yaw, 30, 1e-4);
    CHECK_NEAR(status.eye_height, 20, 0);
    md5_xform pose[ENTITY_JOINTS];
    md5_monster_pose(monster, pose, NULL, NULL);
    CHECK_NEAR(pose[NECK].rotation.z, -sin(3.75 / 2.0 * DEGREE), 1e-6);
    CHECK_NEAR(pose[SPINE].rotation.z, 0, 0);
    CHECK_NEAR(fabs((double)pose[LID].rotation.z), sin(112.5 * DEGREE), 1e-6);
    CHECK_UINT(status.num_legs, 0);
}

// A monster looks with its neck, and code turns the lid, a child of the neck. The same is true of a
// monster that is restored from its saved state.
TEST (monsters_pose_the_joints_that_code_moves) {
    static unsigned char bytes[1 << 12];
    SCOPED_GAME game = open_entity_game(
        "entityDef ogre { \"model\" \"body\" \"look_joint neck\" \"0 1 0\" }", NULL);
    SCOPED_ENTITY entity = load_entity(game, "ogre");
    SCOPED_ACTOR body = md5_create_actor(entity, NULL, NULL);
    const md5_monster_desc desc = {.entity = entity, .body = body};
    SCOPED_MONSTER monster = md5_create_monster(&desc, NULL, NULL);
    SCOPED_MONSTER copy = md5_create_monster(&desc, NULL, NULL);
    REQUIRE(monster && copy && md5_monster_save_size(monster) <= sizeof bytes);
    const md5_monster_tick tick = {.rotation = {0, 0, 0, 1}};
    md5_monster_think(monster, &tick);
    md5_joint_mod *const mods = md5_monster_mods(monster);
    mods[LID] = (md5_joint_mod){
        MD5_MOD_LOCAL, MD5_MOD_WORLD, md5_quat_from_euler((md5_euler){.yaw = 30}), {1, 2, 3}};
    mods[SPINE] = (md5_joint_mod){.axis = MD5_MOD_WORLD,
                                  .rotation = md5_quat_from_euler((md5_euler){.pitch = 90})};
    md5_xform expected[ENTITY_JOINTS], pose[ENTITY_JOINTS];
    md5_actor_pose(body, expected, NULL, NULL);
    md5_entity_move_joints(entity, mods, expected);
    CHECK(expected[LID].translation.x != 0.0f);
    md5_monster_pose(monster, pose, NULL, NULL);
    for (int i = 0; i < ENTITY_JOINTS * 8; i++)
        CHECK_NEAR(((const float *)pose)[i], ((const float *)expected)[i], 1e-6);
    md5_monster_save(monster, bytes);
    REQUIRE(md5_monster_restore(copy, bytes, md5_monster_save_size(monster), NULL));
    md5_monster_pose(copy, expected, NULL, NULL);
    CHECK_BYTES(expected, pose, sizeof pose);
}

// By default, a monster computes only the joints that its keys name. After md5_monster_mods(), it
// computes all joints. The results are the same.
TEST (monsters_compute_few_joints_as_exactly_as_all) {
    enum { HEAD_JOINTS = 3, NUM_TICKS = 60 };
    // Each joint is named by only one key, so that the monster computes a joint only if it
    // evaluates this key.
    SCOPED_GAME game = open_entity_game(
        "entityDef ogre { \"model\" \"body\" \"def_head\" \"face\" \"head_joint\" \"lid\"\n"
        "\"look_joint spine\" \"0.5 0.5\" \"bone_focus\" \"tooth\"\n"
        "\"copy_joint spine\" \"top\" \"copy_joint_world root\" \"jaw\" }",
        NULL);
    SCOPED_ENTITY entity = load_entity(game, "ogre");
    REQUIRE(entity && entity->num_parts == 1);
    SCOPED_ACTOR body = md5_create_actor(entity, NULL, NULL);
    SCOPED_ACTOR head = md5_create_actor(entity->parts[0].entity, NULL, NULL);
    const md5_monster_desc desc = {.entity = entity, .body = body, .head = head};
    SCOPED_MONSTER few = md5_create_monster(&desc, NULL, NULL);
    SCOPED_MONSTER all = md5_create_monster(&desc, NULL, NULL);
    REQUIRE(few && all && CHECK(md5_monster_mods(all)));
    const uint32_t walk = md5_actor_choose(body, NULL, "walk");
    CHECK(md5_actor_play(body, MD5_CHANNEL_ALL, walk, MD5_ACTOR_CYCLE, 0, 0));
    md5_monster_tick tick = {.origin = {1, 2, 3}, .has_ground = true};
    md5_monster_look_at(few, 1, 0, 1000);
    md5_monster_look_at(all, 1, 0, 1000);
    float largest_yaw = 0;
    for (int i = 0; i < NUM_TICKS; i++) {
        md5_xform few_pose[ENTITY_JOINTS], all_pose[ENTITY_JOINTS];
        tick.time += 16;
        tick.rotation = md5_quat_from_euler((md5_euler){.yaw = (float)i});
        tick.target = (md5_vec3){100, 50 - 4.0f * (float)i, 30};
        md5_actor_advance(body, 16, NULL, NULL);
        md5_actor_advance(head, 16, NULL, NULL);
        md5_monster_think(few, &tick);
        md5_monster_think(all, &tick);
        md5_monster_pose(few, few_pose, NULL, NULL);
        md5_monster_pose(all, all_pose, NULL, NULL);
        CHECK_BYTES(few_pose, all_pose, sizeof few_pose);
        md5_monster_head_pose(few, few_pose, NULL, NULL);
        md5_monster_head_pose(all, all_pose, NULL, NULL);
        CHECK_BYTES(few_pose, all_pose, HEAD_JOINTS * sizeof *few_pose);
        const md5_monster_status few_status = md5_monster_state(few);
        const md5_monster_status all_status = md5_monster_state(all);
        CHECK_BYTES(&few_status.eye, &all_status.eye, sizeof few_status.eye);
        CHECK_BYTES(&few_status.eyes, &all_status.eyes, sizeof few_status.eyes);
        CHECK_BYTES(&few_status.head, &all_status.head, sizeof few_status.head);
        largest_yaw = fmaxf(largest_yaw, fabsf(few_status.look.yaw));
    }
    CHECK(largest_yaw > 10);
}

TEST (monsters_report_missing_keys) {
    game_log log = {0};
    SCOPED_GAME game =
        open_entity_game("entityDef ogre { \"model\" \"body\" \"look_joint nose\" \"1 "
                         "1 0\" \"bone_focus\" \"brow\"\n"
                         "\"ik_numLegs\" \"2\" \"ik_waist\" \"spine\" }",
                         &log);
    const md5_load_opts axes = {.axes = MD5_AXES_Y_UP};
    SCOPED_ENTITY entity = load_entity(game, "ogre");
    SCOPED_ENTITY rotated = md5_load_entity(game, "ogre", &axes, NULL);
    SCOPED_ACTOR body = md5_create_actor(entity, NULL, NULL);
    SCOPED_ACTOR rotated_body = md5_create_actor(rotated, NULL, NULL);
    md5_monster_desc desc = {.entity = rotated, .body = rotated_body};
    md5_error error = {0};
    CHECK_FAILS(md5_create_monster(&desc, NULL, &error), error, MD5_ERROR_MISMATCH);
    desc = (md5_monster_desc){.entity = entity, .body = body};
    const md5_load_opts opts = {.warn = log_warning, .warn_user = &log};
    SCOPED_MONSTER monster = md5_create_monster(&desc, &opts, NULL);
    CHECK(monster && md5_monster_state(monster).num_legs == 0);
    CHECK_STRING(
        log.text,
        "def/b.def:1: key 'look_joint nose': joint 'nose' not found in entity 'ogre'\n"
        "def/b.def:1: key 'bone_focus': joint 'brow' not found in entity 'ogre'\n"
        "def/b.def:2: walk IK is disabled: clip 'ik_pose' is missing; add it to the modelDef\n");
}

#define HEAD "MD5Version 10\ncommandline \"\"\n"
static const game_text doll_files[] = {
    {"d.md5mesh", HEAD "numJoints 3\nnumMeshes 0\njoints {\n\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
                       "\"trunk\" 0 ( 0 0 10 ) ( 0 0 0 )\n\"limb\" 1 ( 0 0 20 ) ( 0 0 0 )\n}\n"},
    {"d.md5anim", HEAD "numFrames 1\nnumJoints 3\nframeRate 24\nnumAnimatedComponents 0\n"
                       "hierarchy {\n\"origin\" -1 0 0\n\"trunk\" 0 0 0\n\"limb\" 1 0 0\n}\n"
                       "bounds {\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n"
                       "( 0 0 10 ) ( 0 0 0 )\n( 0 0 10 ) ( 0 0 0 )\n}\nframe 0 {\n}\n"},
    {"def/d.def",
     "model doll { mesh d.md5mesh anim af_pose d.md5anim } model bare { mesh d.md5mesh }\n"
     "articulatedFigure doll { body \"b\" { joint \"origin\" origin ( 0, 0, 10 ) density 2\n"
     "containedJoints \"*origin -*limb\" }\n"
     "body \"c\" { joint \"limb\" model bone( ( 0, 0, 20 ), ( 0, 0, 32 ), 4 ) origin ( 0, 0, 26 )\n"
     "containedJoints \"*trunk -*trunk *limb\" } }\n"
     "articulatedFigure loose { body \"b\" { joint \"origin\" containedJoints \"*trunk nose\" }\n"
     "body \"c\" { joint \"limb\" containedJoints \"limb\" } }"},
};

// A box with sides of 20 about ( 0 0 10 ), and above it a bone from 20 to 32. The area of the
// triangle in the middle of the bone is 3/8 of its squared width.
TEST (figures_are_hit_where_they_are) {
    SCOPED_GAME game = open_texts(doll_files, COUNT_OF(doll_files), NULL);
    SCOPED_ENTITY entity = load_entity(game, "doll");
    SCOPED_ENTITY bare = load_entity(game, "bare");
    md5_error error = {0};
    const md5_figure_def *const def = md5_game_figure_def(game, "doll", NULL);
    CHECK_FAILS(md5_create_figure(def, bare, NULL, &error), error, MD5_ERROR_MISMATCH);
    CHECK_STRING(error.file, "def/d.def");
    CHECK_UINT(error.line, 2);
    CHECK_UINT(error.column, 1);
    md5_figure *const figure = md5_create_figure(def, entity, NULL, &error);
    REQUIRE(figure);
    CHECK_UINT(figure->bodies[0].joint, 1);
    CHECK_UINT(figure->body_of_joint[1], 0);
    CHECK_UINT(figure->body_of_joint[2], 1);
    CHECK_NEAR(figure->bodies[0].mass, 16000, 1e-2);
    CHECK_NEAR(figure->bodies[0].inertia[0], 16000.0 * 800.0 / 12.0, 1);
    CHECK_NEAR(figure->bodies[1].mass, 0.2 * 6.0 * 12.0 / 3.0, 1e-5);
    md5_body_state bodies[2] = {{.transform = figure->setup[0]}, {.transform = figure->setup[1]}};
    md5_figure_hit hit;
    REQUIRE(md5_raycast_figure(figure, bodies, (md5_vec3){50, 1, 5}, (md5_vec3){-50, 1, 5}, &hit));
    CHECK_UINT(hit.body, 0);
    CHECK_NEAR(hit.fraction, 0.4, 1e-6);
    CHECK_VEC3(hit.point, 10, 1, 5, 1e-4);
    CHECK_VEC3(hit.normal, 1, 0, 0, 1e-6);
    REQUIRE(md5_raycast_figure(figure, bodies, (md5_vec3){0, 0, 99}, (md5_vec3){0, 0, 0}, &hit));
    CHECK_UINT(hit.joint, 2);
    CHECK_NEAR(hit.point.z, 32, 1e-4);
    CHECK(!md5_raycast_figure(figure, bodies, (md5_vec3){0, 0, 10}, (md5_vec3){0, 0, 9}, &hit));
    CHECK(!md5_raycast_figure(figure, bodies, (md5_vec3){9, 9, 26}, (md5_vec3){-9, 9, 26}, &hit));
    md5_free_figure(figure);
}

TEST (figures_report_shared_and_missing_joints) {
    game_log log;
    SCOPED_GAME game = open_texts(doll_files, COUNT_OF(doll_files), &log);
    SCOPED_ENTITY entity = load_entity(game, "doll");
    const md5_load_opts opts = {.warn = log_warning, .warn_user = &log};
    md5_figure *const figure =
        md5_create_figure(md5_game_figure_def(game, "loose", NULL), entity, &opts, NULL);
    CHECK_STRING(log.text,
                 "def/d.def:6: figure 'loose': joint 'nose' not found in \"containedJoints\"\n"
                 "def/d.def:6: figure 'loose': joint 'limb' is in two bodies, 'b' and 'c': "
                 "expected it in one body\n"
                 "def/d.def:6: figure 'loose': joint 'origin' does not belong to a body: hits on "
                 "it have no effect; add it to \"containedJoints\"\n");
    md5_free_figure(figure);
}

// Returns the CPU time, s, for a figure of a chain of joints, whose body lists each joint twice.
static double time_lists(uint32_t count)
{
    test_text mesh = {0};
    test_text clip = {0};
    test_text def = {0};
    test_append(&mesh, HEAD "numJoints %u\nnumMeshes 0\njoints {\n", count);
    test_append(&clip,
                HEAD "numFrames 1\nnumJoints %u\nframeRate 24\nnumAnimatedComponents 0\n"
                     "hierarchy {\n",
                count);
    test_append(&def, "model doll { mesh d.md5mesh anim af_pose d.md5anim } articulatedFigure doll "
                      "{ body \"b\" { joint \"origin\" containedJoints \"*origin");
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, i > 0 ? "j%u" : "origin", (unsigned)i);
        test_append(&mesh, "\"%s\" %d ( 0 0 0 ) ( 0 0 0 )\n", name, (int)i - 1);
        test_append(&clip, "\"%s\" %d 0 0\n", name, (int)i - 1);
        test_append(&def, " -*%s *%s", name, name);
    }
    test_append(&mesh, "}\n");
    test_append(&clip, "}\nbounds {\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n");
    for (uint32_t i = 0; i < count; i++)
        test_append(&clip, "( 0 0 0 ) ( 0 0 0 )\n");
    test_append(&clip, "}\nframe 0 {\n}\n");
    test_append(&def, "\" } }");
    const game_text files[] = {
        {"d.md5mesh", mesh.bytes}, {"d.md5anim", clip.bytes}, {"def/d.def", def.bytes}};
    SCOPED_GAME game = open_texts(files, COUNT_OF(files), NULL);
    SCOPED_ENTITY entity = load_entity(game, "doll");
    double shortest = INFINITY;
    for (int i = 0; i < 3; i++) {
        const clock_t begin = clock();
        md5_figure *const figure =
            md5_create_figure(md5_game_figure_def(game, "doll", NULL), entity, NULL, NULL);
        shortest = fmin(shortest, (double)(clock() - begin) / CLOCKS_PER_SEC);
        CHECK(figure && figure->body_of_joint[count - 1] == 0);
        md5_free_figure(figure);
    }
    free(mesh.bytes);
    free(clip.bytes);
    free(def.bytes);
    return shortest;
}

TEST (lists_of_joints_take_linear_time) {
    const double quarter = time_lists(4000);
    const double full = time_lists(16000);
    CHECK_THAT(full < 10.0 * quarter + 0.01, "%g s, for a quarter of the joints %g s", full,
               quarter);
}

TEST (figures_report_memory_that_runs_out) {
    SCOPED_GAME game = open_texts(doll_files, COUNT_OF(doll_files), NULL);
    SCOPED_ENTITY entity = load_entity(game, "doll");
    const md5_figure_def *const def = md5_game_figure_def(game, "doll", NULL);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        md5_figure *const figure = md5_create_figure(def, entity, &failure.opts, &failure.error);
        CHECK(figure || failure.error.status == MD5_ERROR_MEMORY);
        md5_free_figure(figure);
    }
}

// If several lists contain a joint, the last list is used, even if an earlier element of this list
// excludes the joint.
TEST (hits_count_by_zones) {
    SCOPED_GAME game = open_entity_game(
        "entityDef ogre { \"model\" \"body\" \"damage_zone Trunk\" \"*root -*neck\"\n"
        "\"damage_zone head\" \"*spine -spine -*lid nose\" \"damage_zone eye\" \"-*root lid "
        "-root\"\n"
        "\"damage_scale eye\" \"x\" \"damage_scale trunk\" \"9\" \"damage_scale head\" \"1.5\" }\n"
        "entityDef ghost { \"model\" \"body\" }",
        NULL);
    SCOPED_ENTITY ogre = load_entity(game, "ogre");
    SCOPED_ENTITY ghost = load_entity(game, "ghost");
    static const md5_damage_zone zones[] = {{"Trunk", 1}, {"Trunk", 1}, {"head", 1.5f}, {"eye", 0}};
    for (uint32_t i = 0; i < ENTITY_JOINTS; i++) {
        const md5_damage_zone zone = md5_entity_damage_zone(ogre, i);
        CHECK_STRING(zone.name, zones[i].name);
        CHECK_NEAR(zone.scale, zones[i].scale, 0);
        CHECK_STRING(md5_entity_damage_zone(ghost, i).name, "");
    }
    CHECK_NEAR(md5_entity_damage_zone(ghost, 0).scale, 1, 0);
}

// Checks the positions of the head and of its left eye, in the space of the monster and in the
// space of the head. The monster is rotated by `yaw`. The neck is 125 above the origin of the
// monster, the eyes are 20 above the neck.
static void look_with_yaw(bool is_as_meant, float yaw, md5_vec3 *head, md5_mat34 joints[4])
{
    SCOPED_GAME game = open_entity_game(
        "entityDef ogre { \"model\" \"body\" \"def_head\" \"face\" \"head_joint\" \"neck\"\n"
        "\"bone_leftEye\" \"tooth\" \"eye_height\" \"20\" \"offsetModel\" \"3 0 -2\" }",
        NULL);
    SCOPED_ENTITY entity = load_entity(game, "ogre");
    SCOPED_ACTOR body = md5_create_actor(entity, NULL, NULL);
    SCOPED_ACTOR head_actor = md5_create_actor(entity->parts[0].entity, NULL, NULL);
    const md5_monster_desc desc = {entity, body, head_actor, is_as_meant, {0}};
    SCOPED_MONSTER monster = md5_create_monster(&desc, NULL, NULL);
    const md5_quat rotation = md5_quat_from_euler((md5_euler){.yaw = yaw});
    md5_monster_tick tick = {.rotation = rotation, .origin = {100, 200, 0}};
    for (; tick.time < 64; tick.time += 16)
        md5_monster_think(monster, &tick);
    md5_xform pose[ENTITY_JOINTS];
    md5_monster_head_pose(monster, pose, joints, NULL);
    *head = md5_quat_rotate(md5_quat_conjugate(rotation),
                            md5_vec3_sub(md5_monster_state(monster).head.translation, tick.origin));
}

// The eyes aim at a point 64 ahead and 8 to the right. The engine adds "offsetModel" twice, and
// does not rotate the vector from head to eyes.
TEST (monsters_correct_faults_of_the_engine_on_request) {
    static const double eyes[2][2][3] = {{{64 - 6, -8, 20 - 121}, {64, -8 - 6, 20 - 121}},
                                         {{64 - 3, -8, 20 - 123}, {64 - 3, -8, 20 - 123}}};
    for (int is_as_meant = 0; is_as_meant < 2; is_as_meant++) {
        for (int quarter_turns = 0; quarter_turns < 2; quarter_turns++) {
            const double *const eye = eyes[is_as_meant][quarter_turns];
            md5_mat34 joints[ENTITY_JOINTS];
            md5_vec3 head;
            look_with_yaw(is_as_meant, 90.0f * (float)quarter_turns, &head, joints);
            if (is_as_meant)
                CHECK_VEC3(head, 3, 0, 123, 1e-4);
            else
                CHECK_VEC3(head, 6, 0, 121, 1e-4);
            CHECK_THAT(
                point_distance((md5_vec3){joints[2].m[3], joints[2].m[7], joints[2].m[11]}, eye)
                    < 1e-4,
                "%d, %d", is_as_meant, quarter_turns);
        }
    }
}
