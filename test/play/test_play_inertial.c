// Tests of inertial transitions. The first part plays real characters at random: no joint may ever
// be farther from the new motion than when the transition began, and a pose must not depend on
// whether poses were computed before. play_transitions() returns the number of transitions for each
// model.
//
// "Inertia" tests the offsets themselves, "Speed" velocities at the start of a transition,
// "Smoothness" interrupted transitions of all kinds, "Frozen poses" their long-term accuracy.
#include "test/ik/test_ik_case.h"
#include "test/scoped.h"
#include "test/play/test_play_case.h"

#include <dirent.h>
#include <sys/stat.h>

// A joint's distance from the target may exceed its distance at the start by at most these limits:
// MAX_DEGREES for rotations (the requirement is 1), and for positions MAX_PART times the longest
// translation of a joint.
#define MAX_DEGREES 0.02
#define MAX_PART 1e-5

#define DEGREES 57.29577951308232

enum { PATH_CAPACITY = 1024, MAX_FOLDERS = 512, MAX_ENTRIES = 512, MAX_CLIPS = 32 };

// -- Characters -------------------------------------------------------------------------------

// A model with the matching clips of its folder, each played in two ways, and a blend of the first
// two clips.
typedef struct character {
    const char *path;
    md5_model *model;
    md5_anim *anims[MAX_CLIPS];
    md5_binding *bindings[MAX_CLIPS];
    uint32_t num_clips;
    md5_machine *machine;
} character;

static char *copy_text(const char *text)
{
    char *const copy = test_alloc(strlen(text) + 1);
    return strcpy(copy, text);
}

static bool ends_with(const char *path, const char *end)
{
    const size_t length = strlen(path);
    const size_t size = strlen(end);
    return length >= size && strcmp(path + length - size, end) == 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Lists the entries of a folder that are not hidden, sorted by name; free() each.
static size_t list_folder(const char *folder, char *paths[MAX_ENTRIES])
{
    size_t count = 0;
    DIR *const entries = opendir(folder);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        char path[PATH_CAPACITY];
        if (entry->d_name[0] == '.' || !CHECK(count < MAX_ENTRIES))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        paths[count++] = copy_text(path);
    }
    if (entries)
        closedir(entries);
    qsort((void *)paths, count, sizeof *paths, compare_paths);
    return count;
}

static void add_clip(character *fixture, const char *path)
{
    md5_anim *const anim = md5_load_anim(path, NULL, NULL);
    md5_binding *const binding = anim ? md5_bind(fixture->model, anim, NULL, NULL) : NULL;
    if (!binding) {
        md5_free_anim(anim);
        return;
    }
    fixture->anims[fixture->num_clips] = anim;
    fixture->bindings[fixture->num_clips++] = binding;
}

// Creates a machine with a state for each clip. Motions have random modes, speeds and root motion.
static md5_machine *create_machine(const character *fixture, uint64_t *random)
{
    STRINGS(extracts) = {"", "move", "walk", "turn"};
    STRINGS(modes) = {"loop", "once", "ping_pong"};
    test_text motions = {0};
    test_text states = {0};
    md5_error error = {0};
    test_append(&motions, "machine m { float x 0.3 ");
    for (uint32_t i = 0; i < fixture->num_clips; i++) {
        const char *const extract = extracts[test_random_u32(random) % 4];
        test_append(&motions, "clip c%u f { %s %s } ", i, extract,
                    test_random_u32(random) % 2 ? "open" : "closed");
        const char *const mode = modes[test_random_u32(random) % 3];
        const double start = test_random(random);
        test_append(&motions, "motion m%u clip c%u { %s start %.17g speed %.9g } ", i, i, mode,
                    start, 2 * test_random(random) - 1);
        test_append(&states, "state c%u c%u state m%u m%u ", i, i, i, i);
    }
    if (fixture->num_clips > 1) {
        test_append(&motions, "motion x line x { phase item c0 0 item c1 1 } ");
        test_append(&states, "state x x ");
    }
    test_append(&motions, "layer body { %s} }", states.bytes);
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(motions.bytes, motions.used, NULL, &error);
    free(motions.bytes);
    free(states.bytes);
    if (!CHECK_STRING(error.message, ""))
        return NULL;
    for (uint32_t i = 0; i < fixture->num_clips; i++)
        file->clips[i].binding = fixture->bindings[i];
    file->desc.model = fixture->model;
    md5_machine *const machine = md5_create_machine(&file->desc, NULL, &error);
    CHECK_THAT(machine, "%s: %s", fixture->path, error.message);
    return machine;
}

// Calls `use` for the model at a path if a clip in its folder matches it. Returns true if it did.
static bool use_model(const char *path, char *const *file_names, size_t count,
                      void (*use)(const character *fixture))
{
    character fixture = {.path = path, .model = md5_load_model(path, NULL, NULL)};
    if (fixture.model) {
        for (size_t i = 0; i < count && fixture.num_clips < MAX_CLIPS; i++) {
            if (ends_with(file_names[i], ".md5anim"))
                add_clip(&fixture, file_names[i]);
        }
    }
    uint64_t random = strlen(path);
    fixture.machine = fixture.num_clips > 0 ? create_machine(&fixture, &random) : NULL;
    const bool is_used = fixture.machine != NULL;
    if (is_used)
        use(&fixture);
    md5_destroy_machine(fixture.machine);
    for (uint32_t i = 0; i < fixture.num_clips; i++) {
        md5_free_binding(fixture.bindings[i]);
        md5_free_anim(fixture.anims[i]);
    }
    md5_free_model(fixture.model);
    return is_used;
}

// Does the same for every model in a folder and its subfolders. Returns the number of models.
static size_t for_each_character(const char *folder, void (*use)(const character *fixture))
{
    char *folders[MAX_FOLDERS] = {copy_text(folder)};
    size_t num_folders = 1;
    size_t num_used = 0;
    while (num_folders > 0) {
        SCOPED_STRING current = folders[--num_folders];
        char *paths[MAX_ENTRIES];
        const size_t count = list_folder(current, paths);
        for (size_t i = 0; i < count; i++) {
            struct stat status;
            if (stat(paths[i], &status) == 0 && S_ISDIR(status.st_mode)
                && CHECK(num_folders < MAX_FOLDERS))
                folders[num_folders++] = copy_text(paths[i]);
            if (ends_with(paths[i], ".md5mesh"))
                num_used += use_model(paths[i], paths, count, use);
        }
        for (size_t i = 0; i < count; i++)
            free(paths[i]);
    }
    return num_used;
}

static void visit_all_characters(void (*use)(const character *fixture))
{
    CHECK(for_each_character(test_path("models"), use) >= 10);
    CHECK(!test_corpus() || for_each_character(test_path("corpus"), use) >= 8);
}

// -- Play -------------------------------------------------------------------------------------

// VISIBLE is posed in every step, HIDDEN only sometimes, IN_CROWD plays in a crowd. TARGET plays
// the new state of these players without a transition.
enum { VISIBLE, HIDDEN, IN_CROWD, TARGET, PLAYERS };

typedef struct scene {
    const character *fixture;
    md5_player *players[PLAYERS];
    md5_xform *poses[PLAYERS];
    md5_mat34 *palettes[PLAYERS];
    double *angles, *distances; // [joints] between VISIBLE and TARGET when the transition began
    void *scratch;
    uint64_t random;
    uint32_t state;
    double max_degrees, max_part; // largest increases of `angles` and `distances` since then
} scene;

static void *allocate(size_t count, size_t size)
{
    void *const memory = test_calloc(count, size);
    return memory;
}

static void begin(scene *play, const character *fixture)
{
    const uint32_t num_joints = fixture->model->skeleton.num_joints;
    *play = (scene){.fixture = fixture, .random = num_joints};
    for (int i = 0; i < PLAYERS; i++) {
        play->players[i] = md5_create_player(fixture->machine, NULL, NULL);
        if (!play->players[i])
            abort();
        play->poses[i] = allocate(num_joints, sizeof(md5_xform));
        play->palettes[i] = allocate(num_joints, sizeof(md5_mat34));
    }
    const md5_play_job job = {.player = play->players[IN_CROWD]};
    const size_t size =
        md5_player_pose_scratch(fixture->machine) + md5_play_batch_scratch(&job, 1, NULL);
    play->scratch = allocate(size, 1);
    play->angles = allocate(num_joints, sizeof(double));
    play->distances = allocate(num_joints, sizeof(double));
}

static void end(scene *play)
{
    for (int i = 0; i < PLAYERS; i++) {
        md5_destroy_player(play->players[i]);
        free(play->poses[i]);
        free(play->palettes[i]);
    }
    free(play->scratch);
    free(play->angles);
    free(play->distances);
}

static void pose(scene *play, int player)
{
    md5_player_pose(play->players[player], play->poses[player], NULL, play->palettes[player],
                    play->scratch);
}

static void advance(scene *play, double seconds)
{
    for (int i = 0; i < PLAYERS; i++) {
        if (i != IN_CROWD)
            play_advance(play->players[i], seconds);
    }
    md5_play_job job = {
        .player = play->players[IN_CROWD], .seconds = seconds, .palette = play->palettes[IN_CROWD]};
    md5_play_batch(&job, 1, NULL, play->scratch);
    pose(play, VISIBLE);
    pose(play, TARGET);
}

static double pose_extent(const scene *play)
{
    double extent = 1e-3;
    for (uint32_t i = 0; i < play->fixture->model->skeleton.num_joints; i++) {
        const md5_vec3 at = play->poses[TARGET][i].translation;
        extent = fmax(extent, real_length(at));
    }
    return extent;
}

static void go(scene *play, md5_fade fade)
{
    const uint32_t num_states = md5_machine_tables(play->fixture->machine)->layers[0].num_states;
    const float duration = (float)(0.05 + 0.75 * test_random(&play->random));
    play->state = test_random_u32(&play->random) % num_states;
    for (int i = 0; i < TARGET; i++)
        md5_player_fade_to(play->players[i], 0, play->state, duration, fade, MD5_EASE_SMOOTH);
    play_fade(play->players[TARGET], 0, play->state, 0);
    pose(play, VISIBLE);
    pose(play, TARGET);
}

static bool are_equal(const scene *play)
{
    const uint32_t num_joints = play->fixture->model->skeleton.num_joints;
    return memcmp(play->poses[VISIBLE], play->poses[HIDDEN], num_joints * sizeof(md5_xform)) == 0
           && memcmp(play->palettes[VISIBLE], play->palettes[IN_CROWD],
                     num_joints * sizeof(md5_mat34))
                  == 0;
}

// Plays random transitions of a character. No joint may move away from the new motion, and a pose
// must not depend on how often poses were computed before.
static void play_character(const character *fixture)
{
    scene play;
    begin(&play, fixture);
    size_t num_wrong = 0;
    for (uint32_t left = play_transitions(40); left > 0; left--) {
        const double sign = test_random_u32(&play.random) % 8 == 0 ? -1 : 1;
        // Begin in a fade, in the middle of a transition, or with several transitions at one
        // instant.
        if (test_random_u32(&play.random) % 4 == 0)
            go(&play, MD5_FADE_CROSS);
        advance(&play, sign * test_random(&play.random) * test_random(&play.random));
        if (test_random_u32(&play.random) % 8 == 0)
            go(&play, MD5_FADE_INERTIAL);
        go(&play, MD5_FADE_INERTIAL);
        for (uint32_t i = 0; i < play.fixture->model->skeleton.num_joints; i++) {
            const md5_xform shown = play.poses[VISIBLE][i];
            const md5_xform target = play.poses[TARGET][i];
            play.angles[i] = DEGREES * real_angle(shown.rotation, target.rotation);
            play.distances[i] = real_distance(shown.translation, target.translation);
        }

        // Play the transition in steps of the usual size, in most cases to its end; `sign` < 0:
        // backward.
        uint32_t num_steps = 1 + test_random_u32(&play.random) % 24;
        while (num_steps-- > 0) {
            advance(&play, sign * 0.08 * test_random(&play.random));

            // Compare the distance of each joint from the target with the distance at the start.
            const double size = pose_extent(&play);
            for (uint32_t i = 0; i < play.fixture->model->skeleton.num_joints; i++) {
                const md5_xform shown = play.poses[VISIBLE][i];
                const md5_xform target = play.poses[TARGET][i];
                const double angle = DEGREES * real_angle(shown.rotation, target.rotation);
                const double distance = real_distance(shown.translation, target.translation);
                play.max_degrees = fmax(play.max_degrees, angle - play.angles[i]);
                play.max_part = fmax(play.max_part, (distance - play.distances[i]) / size);
            }
        }

        if (left % 2 == 0)
            continue;
        pose(&play, HIDDEN);
        num_wrong += !are_equal(&play);
    }
    CHECK_THAT(play.max_degrees < MAX_DEGREES,
               "%s: a joint is up to %g degrees farther away than at the start", fixture->path,
               play.max_degrees);
    CHECK_THAT(play.max_part < MAX_PART,
               "%s: a joint is up to %g of the size farther away than at the start", fixture->path,
               play.max_part);
    CHECK_THAT(num_wrong == 0, "%s: %zu poses depend on how often somebody looked before",
               fixture->path, num_wrong);
    end(&play);
}

TEST (inertial_transitions_of_models_do_not_overshoot_or_depend_on_poses) {
    visit_all_characters(play_character);
}

// -- Speed of joints after a transition -----------------------------------------------------------
//
// An inertial transition keeps the speed at which each joint approaches the new motion, and drops
// velocity that leads away from it.

// Time from the start of a transition to the measurement of speeds, and duration of the transition,
// seconds.
#define STEP_SECONDS 5e-5
#define DURATION 0.25

// Minimum distance that is measured, in units or radians: directions of smaller distances change
// too fast.
#define NEAREST 0.2

// SHOWN plays a transition, OLD continues the previous state, SPEED_TARGET plays only the new
// state.
enum { SHOWN, OLD, SPEED_TARGET, SPEED_PLAYERS };

// States. Each moves at a constant rate for at least half a second from its start; ONCE ends after
// two seconds; EDGE begins just before the end of its cycle; in some states joint 0 walks, and
// jumps at the start of a new cycle.
enum { A, B, BLEND, MIDDLE, STATES, ONCE = STATES, EDGE, THERE, THERE_AT_END, BACK, ALL_STATES };

typedef struct speed_case {
    play_case assets;
    md5_machine *machine;
    md5_player *players[SPEED_PLAYERS];
    uint64_t random;
    uint32_t num_kept, num_dropped; // numbers of measured speeds
} speed_case;

enum { CLIPS = 5 };

// Adds clips of three frames, and a blend of two synchronized clips of which one takes twice as
// long.
static void speed_begin(speed_case *fixture)
{
    static const double rates[CLIPS] = {1, 0.5, 0.8, 1, 1};
    static const play_walk walks[CLIPS] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {-1, 0, 0}};
    *fixture = (speed_case){.random = 1};
    play_begin(&fixture->assets);
    for (uint32_t i = 0; i < CLIPS; i++) {
        fixture->assets.still = i < 3 ? 0 : ~0u;
        play_add_clip(&fixture->assets, 3, rates[i], 0.8, walks[i], 31 + i);
    }
    fixture->machine = play_machine_read(
        &fixture->assets, NULL,
        "clip a f clip b f clip c f clip there f clip back f float x 0.5 "
        "motion line line x { phase item a 0 item b 1 } motion middle clip c { start 0.25 } "
        "motion once clip a { once } motion edge clip a { start 0.99999999 } "
        "motion on clip there { start 0.25 } motion end clip there { start 0.9999 } "
        "layer body { state a a state b b state line line state middle middle state once once "
        "state edge edge state on on state end end state back back }");
    for (int i = 0; i < SPEED_PLAYERS; i++)
        fixture->players[i] = play_player(fixture->machine);
}

static void speed_end(speed_case *fixture)
{
    for (int i = 0; i < SPEED_PLAYERS; i++)
        md5_destroy_player(fixture->players[i]);
    md5_destroy_machine(fixture->machine);
    play_end(&fixture->assets);
}

static void go_at_once(md5_player *player, uint32_t state)
{
    play_fade(player, 0, state, 0);
}

static void speed_advance(speed_case *fixture, double seconds)
{
    for (int i = 0; i < SPEED_PLAYERS; i++)
        play_advance(fixture->players[i], seconds);
}

// Distances between the joints of two poses, in units and in radians.
typedef struct gaps {
    double fixture[2 * PLAY_JOINTS];
} gaps;

static gaps find_gaps(md5_player *player, md5_player *target)
{
    md5_xform a[PLAY_JOINTS], b[PLAY_JOINTS];
    gaps found;
    play_pose(player, a);
    play_pose(target, b);
    for (int i = 0; i < PLAY_JOINTS; i++) {
        found.fixture[2 * i] = real_distance(a[i].translation, b[i].translation);
        found.fixture[2 * i + 1] = real_angle(a[i].rotation, b[i].rotation);
    }
    return found;
}

// Returns the limit for the change of the speed `speed` in one step. The acceleration of the
// quintic is at most 20 * gap / duration^2. The last summand covers two errors: motion
// perpendicular to the gap makes the gap longer to second order, and blends do not move at a
// constant rate.
static double max_speed_change(double gap, double speed)
{
    const double duration = fmin(DURATION, speed < 0 ? -5 * gap / speed : DURATION);
    return 20 * gap / (duration * duration) * STEP_SECONDS + 0.06;
}

// Begins inertial transitions from `from`, after `seconds` in it, to all `num_states` states at the
// same time, and compares the speeds before and after.
static bool keeps_speed(speed_case *fixture, uint32_t from, double seconds, const uint32_t *states,
                        uint32_t num_states)
{
    for (int i = 0; i < SPEED_PLAYERS; i++)
        go_at_once(fixture->players[i], from);
    speed_advance(fixture, seconds);
    for (uint32_t i = 0; i < num_states; i++)
        md5_player_fade_to(fixture->players[SHOWN], 0, states[i], (float)DURATION,
                           MD5_FADE_INERTIAL, MD5_EASE_LINEAR);
    go_at_once(fixture->players[SPEED_TARGET], states[num_states - 1]);
    const gaps first = find_gaps(fixture->players[SHOWN], fixture->players[SPEED_TARGET]);
    speed_advance(fixture, seconds < 0 ? -STEP_SECONDS : STEP_SECONDS);
    const gaps shown = find_gaps(fixture->players[SHOWN], fixture->players[SPEED_TARGET]);
    const gaps old_gaps = find_gaps(fixture->players[OLD], fixture->players[SPEED_TARGET]);
    bool held = true;
    for (int i = 0; i < 2 * PLAY_JOINTS; i++) {
        const double gap = first.fixture[i];
        if (gap < NEAREST || (i % 2 == 1 && gap > 3))
            continue;
        const double before = (old_gaps.fixture[i] - gap) / STEP_SECONDS;
        const double after = (shown.fixture[i] - gap) / STEP_SECONDS;
        const double expected = fmin(before, 0);
        fixture->num_kept += before < -0.5;
        fixture->num_dropped += before > 0.5;
        held &= CHECK_THAT(fabs(after - expected) < max_speed_change(gap, expected),
                           "from %u: a gap of %g that changed by %g a second changes by %g", from,
                           gap, before, after);
    }
    return held;
}

// Returns a random time in seconds. From the start of any state up to this time, the state moves at
// a constant rate.
static double random_while(speed_case *fixture)
{
    return 0.05 + 0.4 * test_random(&fixture->random);
}

static void check_sample_counts(const speed_case *fixture)
{
    CHECK(fixture->num_kept > 500);
    CHECK(fixture->num_dropped > 500);
}

#define TEST_HERE(title) \
    TEST_WITH (title, speed_case, fixture, speed_begin(fixture), speed_end(fixture))

TEST_HERE (inertial_transitions_keep_the_speed_towards_the_target) {
    for (int i = 0; i < 2000; i++) {
        const uint32_t to = test_random_u32(&fixture->random) % STATES;
        if (!keeps_speed(fixture, test_random_u32(&fixture->random) % STATES, random_while(fixture),
                         &to, 1))
            break;
    }
    check_sample_counts(fixture);
}

TEST_HERE (inertial_transitions_keep_the_speed_through_states_that_are_left_immediately) {
    for (int i = 0; i < 1000; i++) {
        const uint32_t to[3] = {test_random_u32(&fixture->random) % STATES,
                                test_random_u32(&fixture->random) % STATES,
                                test_random_u32(&fixture->random) % STATES};
        if (!keeps_speed(fixture, test_random_u32(&fixture->random) % STATES, random_while(fixture),
                         to, 3))
            break;
    }
    check_sample_counts(fixture);
}

// Backward, states that begin in the middle of their cycle continue at a constant rate.
TEST_HERE (inertial_transitions_keep_the_speed_backward) {
    const uint32_t to = MIDDLE;
    for (int i = 0; i < 1000; i++) {
        if (!keeps_speed(fixture, test_random_u32(&fixture->random) % STATES,
                         -random_while(fixture), &to, 1))
            break;
    }
    check_sample_counts(fixture);
}

// Rounding decides if a cycle has just ended or is about to end: the result must be the same.
TEST_HERE (inertial_transitions_are_the_same_on_both_sides_of_the_end_of_a_cycle) {
    md5_player *const old_player = fixture->players[SHOWN];
    md5_player *const after = fixture->players[OLD];
    for (uint32_t from = A; from <= BLEND; from++) {
        double cycle = 8.0 / 3.0;
        if (from == A)
            cycle = 2;
        else if (from == B)
            cycle = 4;
        for (uint32_t to = A; to < STATES; to++) {
            go_at_once(old_player, from);
            go_at_once(after, from);
            play_advance(old_player, cycle - 1e-7);
            play_advance(after, cycle + 1e-7);
            for (uint32_t i = 0; i < 2; i++) {
                // The same state begins at the end of a cycle, or at the start of the next cycle.
                const uint32_t state = to == A && i == 0 ? EDGE : to;
                md5_player_fade_to(fixture->players[i], 0, state, (float)DURATION,
                                   MD5_FADE_INERTIAL, MD5_EASE_LINEAR);
            }
            for (int i = 0; i < 10; i++) {
                CHECK(play_player_distance(old_player, after) < 1e-3);
                speed_advance(fixture, 0.02);
            }
        }
    }
}

// A jump at the start of a cycle is not a speed, neither of the old motion nor of the new motion.
TEST_HERE (inertial_transitions_take_no_jump_for_a_speed) {
    for (int i = 0; i < 100; i++) {
        const uint32_t there = THERE;
        const uint32_t at_end = THERE_AT_END;
        keeps_speed(fixture, BACK, 2 + 0.003 * test_random(&fixture->random), &there, 1);
        keeps_speed(fixture, BACK, 0.5 + test_random(&fixture->random), &at_end, 1);
    }
    CHECK_UINT(fixture->num_dropped, 200);
}

// A clip that has reached its end stands still and has no speed that could continue.
TEST_HERE (inertial_transitions_from_the_end_of_a_clip_begin_at_rest) {
    for (int i = 0; i < 1000; i++) {
        const uint32_t to = B + test_random_u32(&fixture->random) % 3;
        if (!keeps_speed(fixture, ONCE, 2 + 0.004 + test_random(&fixture->random), &to, 1))
            break;
    }
    check_sample_counts(fixture);
}

// One step gives the result of many steps, also if a clip reaches its end meanwhile.
TEST_HERE (inertial_transitions_do_not_depend_on_how_time_was_split) {
    md5_player *const shown = fixture->players[SHOWN];
    md5_player *const many = fixture->players[OLD];
    for (int i = 0; i < 2000; i++) {
        const uint32_t from = i % 2 == 0 ? ONCE : test_random_u32(&fixture->random) % STATES;
        const uint32_t to = test_random_u32(&fixture->random) % (ONCE + 1);
        double left = 2 + 0.02 * test_random(&fixture->random) - 0.01;
        go_at_once(shown, from);
        go_at_once(many, from);
        play_advance(shown, left);
        while (left > 0) {
            const bool is_short = left < 0.03;
            const double part =
                fmin(left, (is_short ? 0.004 : 0.5) * test_random(&fixture->random));
            play_advance(many, part);
            left -= part;
        }
        for (uint32_t k = 0; k < 2; k++)
            md5_player_fade_to(fixture->players[k], 0, to, (float)DURATION, MD5_FADE_INERTIAL,
                               MD5_EASE_LINEAR);
        play_advance(shown, 0.05);
        play_advance(many, 0.02);
        play_advance(many, 0.03);
        if (!CHECK(play_player_distance(shown, many) < 1e-4))
            break;
    }
}

// -- Smoothness -----------------------------------------------------------------------------------

// A transition never makes a pose jump, independent of the times and the number of its
// interruptions.

static const play_walk STANDS = {0, 0, 0};

// Limits for the movement of a joint in one step: of the fastest clip, and of the fastest fade
// between the two clips with the largest distance, half a rotation and some units. Four fades can
// be active simultaneously, and an additive layer on top. A jump is much longer: clips differ by a
// radian and more.
#define SMOOTH_STEP_SECONDS 0.001
#define FASTEST_CLIP 25.0
#define FARTHEST 6.0
#define SHORTEST_FADE 0.2
#define STEEPEST 3.0 // largest slope of the easings in use
#define LONGEST_STEP \
    (SMOOTH_STEP_SECONDS * (FASTEST_CLIP + 4.0 * FARTHEST * STEEPEST / SHORTEST_FADE))

enum { SMOOTH_STATES = 7 };

#define SMOOTH_ALL_STATES                                                                       \
    "state a a state b b state c c state line line state stack stack state once once state no " \
    "nothing "

typedef struct smooth_case {
    play_case assets;
    md5_machine *machine;
    md5_player *player;
    md5_xform pose[PLAY_JOINTS]; // the previous pose
} smooth_case;
#define SCOPED_SMOOTH __attribute__((cleanup(smooth_end))) smooth_case

// Creates the states: clips, a blend space, a stack, a clip that is played once, nothing. Layers:
// the body, an additive layer, and above them a masked layer, whose weight is 0 unless a test sets
// it.
static void smooth_begin(smooth_case *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    play_begin(&fixture->assets);
    for (uint32_t i = 0; i < 4; i++)
        play_add_clip(&fixture->assets, 25 + 8 * i, 24, 0.5, STANDS, 11 + i);
    fixture->machine = play_machine_read(
        &fixture->assets, NULL,
        "clip a f clip b f clip c f clip d f float x 0.4 float over "
        "mask upper ( *spine ) { feather 1 } motion line line x { phase item a 0 item d 1 } "
        "motion stack stack { item line item c { add weight 0.5 } } motion once clip b { once } "
        "layer body { " SMOOTH_ALL_STATES "} layer more { add weight 0.5 " SMOOTH_ALL_STATES "} "
        "layer over { mask upper weight over " SMOOTH_ALL_STATES "}");
    fixture->player = play_player(fixture->machine);
    play_pose(fixture->player, fixture->pose);
}

static void smooth_end(smooth_case *fixture)
{
    md5_destroy_player(fixture->player);
    md5_destroy_machine(fixture->machine);
    play_end(&fixture->assets);
}

// Advances and poses the player. Returns the movement of the pose.
static double step(smooth_case *fixture, double seconds)
{
    md5_xform current[PLAY_JOINTS];
    play_advance(fixture->player, seconds);
    play_pose(fixture->player, current);
    CHECK(play_is_sound(current, PLAY_JOINTS));
    const double moved = play_pose_distance(current, fixture->pose);
    memcpy(fixture->pose, current, sizeof current);
    return moved;
}

static void smooth_go(smooth_case *fixture, uint32_t layer, md5_fade fade, uint64_t *random)
{
    static const md5_ease_kind easings[4] = {MD5_EASE_LINEAR, MD5_EASE_SMOOTH,
                                             MD5_EASE_QUADRATIC_OUT, MD5_EASE_CUBIC_IN};
    const double duration = SHORTEST_FADE + 0.5 * test_random(random);
    CHECK(md5_player_fade_to(fixture->player, layer, test_random_u32(random) % SMOOTH_STATES,
                             (float)duration, fade, easings[test_random_u32(random) % 4]));
}

// Clips without transitions must remain far below the limit; otherwise the other tests would prove
// nothing.
TEST_WITH (smooth_clips_move_slowly, smooth_case, fixture, smooth_begin(fixture),
           smooth_end(fixture)) {
    for (uint32_t state = 0; state < SMOOTH_STATES; state++) {
        play_fade(fixture->player, 0, state, 0);
        step(fixture, 0);
        for (int i = 0; i < 1500; i++)
            CHECK(step(fixture, SMOOTH_STEP_SECONDS) < SMOOTH_STEP_SECONDS * FASTEST_CLIP);
    }
}

// Interrupts the active transition about `often` times per second, sometimes many times in a row.
// `kinds` is the md5_fade of the transitions, or 2 for a random one.
static void interrupt_at_random(int kinds, double often, uint64_t seed)
{
    uint64_t random = seed;
    SCOPED_SMOOTH fixture;
    smooth_begin(&fixture);
    double maximum = 0;
    for (int i = 0; i < 20000; i++) {
        for (uint32_t layer = 0; layer < 2; layer++) {
            int count = test_random(&random) < often * SMOOTH_STEP_SECONDS;
            if (count > 0 && test_random_u32(&random) % 8 == 0)
                count = 1 + (int)(test_random_u32(&random) % 12);
            while (count-- > 0)
                smooth_go(&fixture, layer,
                          (md5_fade)(kinds < 2 ? kinds : (int)(test_random_u32(&random) % 2)),
                          &random);
        }
        maximum = fmax(maximum, step(&fixture, SMOOTH_STEP_SECONDS));
    }
    CHECK_THAT(maximum < LONGEST_STEP, "kind %d moved by %g, at most %g", kinds, maximum,
               LONGEST_STEP);
}

TEST (smooth_crossfades_may_be_interrupted) {
    interrupt_at_random(MD5_FADE_CROSS, 2, 1);
    interrupt_at_random(MD5_FADE_CROSS, 20, 2);
}

TEST (smooth_inertial_transitions_may_be_interrupted) {
    interrupt_at_random(MD5_FADE_INERTIAL, 2, 3);
    interrupt_at_random(MD5_FADE_INERTIAL, 20, 4);
}

TEST (smooth_transitions_of_all_kinds_may_be_interrupted) {
    interrupt_at_random(2, 4, 5);
    interrupt_at_random(2, 30, 6);
}

// Fades to a state and back again at the middle of the fade.
TEST (smooth_transition_and_return_have_no_jump) {
    for (int fade = 0; fade < 2; fade++) {
        SCOPED_SMOOTH fixture;
        smooth_begin(&fixture);
        for (int i = 0; i < 12; i++) {
            md5_player_fade_to(fixture.player, 0, (uint32_t)(i % 2), 0.3f, (md5_fade)fade,
                               MD5_EASE_LINEAR);
            for (int k = 0; k < 150; k++)
                CHECK(step(&fixture, SMOOTH_STEP_SECONDS) < 0.5 * LONGEST_STEP);
        }
    }
}

// An inertial transition ends at its time, exactly in its target state.
TEST (smooth_inertial_transitions_end) {
    SCOPED_SMOOTH fixture, second;
    smooth_begin(&fixture);
    smooth_begin(&second);
    md5_player_fade_to(fixture.player, 0, 1, 0.25f, MD5_FADE_INERTIAL, MD5_EASE_LINEAR);
    play_fade(second.player, 0, 1, 0);
    for (int i = 0; i < 26; i++) {
        step(&fixture, 0.01);
        step(&second, 0.01);
        if (i != 24) // it ends at this step, with rounding errors
            CHECK((memcmp(fixture.pose, second.pose, sizeof fixture.pose) == 0) == (i > 24));
    }
    // A transition during which no pose was computed leaves nothing either.
    md5_player_fade_to(fixture.player, 0, 2, 0.25f, MD5_FADE_INERTIAL, MD5_EASE_LINEAR);
    play_fade(second.player, 0, 2, 0);
    step(&fixture, 0.3);
    step(&second, 0.3);
    CHECK_BYTES(fixture.pose, second.pose, sizeof fixture.pose);
}

// If any number of transitions begins while no pose is computed, a limited number is stored; the
// next pose is valid and the motion continues smoothly.
TEST (smooth_play_continues_after_transitions_without_poses) {
    for (int fade = 0; fade < 3; fade++) {
        for (int hidden = 1; hidden < 24; hidden++) {
            SCOPED_SMOOTH fixture;
            smooth_begin(&fixture);
            uint64_t random = (uint64_t)hidden;
            for (int i = 0; i < hidden; i++) {
                const int kind = fade < 2 ? fade : i == 0;
                md5_player_fade_to(fixture.player, 0, test_random_u32(&random) % 5, 0.5f,
                                   (md5_fade)kind, MD5_EASE_LINEAR);
                play_advance(fixture.player, 0.01);
            }
            step(&fixture, 0.01); // checks that the pose is valid
            for (int i = 0; i < 50; i++)
                CHECK(step(&fixture, SMOOTH_STEP_SECONDS) < LONGEST_STEP);
        }
    }
}

// Begins one or two transitions in a random layer. Sets the weight of the masked layer to 0, 0.5 or
// 1.
static void stir(smooth_case *fixture, uint64_t *random)
{
    const uint32_t layer = test_random_u32(random) % 3;
    md5_player_set(fixture->player, 0, (float)test_random(random));
    md5_player_set(fixture->player, 1, 0.5f * (float)(test_random_u32(random) % 3));
    for (uint32_t count = 1 + test_random_u32(random) % 2; count > 0; count--)
        smooth_go(fixture, layer, (md5_fade)(test_random_u32(random) % 2), random);
}

// States and poses must be bit-identical whether or not poses were computed before, for fades of
// more states than are stored, interrupted inertial transitions and layers of weight 0.
TEST (smooth_play_does_not_depend_on_computed_poses) {
    SCOPED_SMOOTH visible, hidden;
    smooth_begin(&visible);
    smooth_begin(&hidden);
    uint64_t random = 10;
    bool held = true;
    for (uint32_t left = play_transitions(2000); held && left > 0; left--) {
        uint64_t same = random;
        stir(&visible, &random);
        stir(&hidden, &same);
        for (uint32_t i = test_random_u32(&random) % 4; i > 0; i--) {
            const double seconds = 0.15 * test_random(&random) * test_random(&random);
            step(&visible, seconds);
            play_advance(hidden.player, seconds);
        }
        const md5_layer_status a = md5_player_layer(visible.player, 0);
        const md5_layer_status b = md5_player_layer(hidden.player, 0);
        held &= CHECK(a.state == b.state && a.from == b.from);
        held &= CHECK(a.progress == b.progress && a.time == b.time);
        if (test_random_u32(&random) % 8 != 0)
            continue;
        step(&visible, 0);
        step(&hidden, 0);
        held &= CHECK_BYTES(visible.pose, hidden.pose, sizeof visible.pose);
    }
}

// -- Frozen poses ---------------------------------------------------------------------------------
//
// A pose that is frozen again and again, because transitions interrupt each other for hours,
// remains valid: rounding errors do not accumulate.

static void check_endless_interruption(const char *mode)
{
    enum { CHANGES = 20000, CHECKED = 1000 };
    SCOPED_PLAY fixture;
    play_scene_begin(&fixture);
    play_scene_add(&fixture, 25, 24, 1, 3);
    play_scene_add(&fixture, 31, 24, 1, 4);
    play_scene_read(&fixture, "layer body { state a a } layer tested { %s state a a state b b }",
                    mode);
    for (uint32_t i = 0; i < CHANGES; i++) {
        md5_xform pose[PLAY_JOINTS];
        CHECK(play_fade(fixture.player, 1, i % 2, 10));
        play_advance(fixture.player, 1e-4);
        if (i % CHECKED != 0)
            continue;
        play_pose(fixture.player, pose);
        if (!CHECK(play_is_sound(pose, PLAY_JOINTS)))
            break;
    }
}

TEST (rotations_stay_unit_length_while_transitions_interrupt_each_other) {
    check_endless_interruption("override");
    check_endless_interruption("add");
}
