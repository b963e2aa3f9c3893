// Inertial transitions of real characters, at random: no joint is ever farther from the new motion
// than when the transition began, and a pose does not depend on whether poses were computed before.
// play_transitions() says how many transitions there are of each model.
#include "test/play/test_play_case.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// How much farther from the target a joint may get than at the start (the issue allows a degree),
// for positions as a part of the longest translation of a joint.
#define MOST_DEGREES 0.02
#define MOST_PART 1e-5

#define DEGREES 57.29577951308232

enum { PATH_ROOM = 1024, MOST_FOLDERS = 512, MOST_ENTRIES = 512, MOST_CLIPS = 32, NAME_ROOM = 16 };

// -- Characters -------------------------------------------------------------------------------

// A model with the clips beside it that fit it, each played in two ways, and a blend of the first
// two.
typedef struct character {
    const char *path;
    md5_model *model;
    md5_anim *anims[MOST_CLIPS];
    md5_binding *bindings[MOST_CLIPS];
    uint32_t num_clips;
    md5_machine *machine;
} character;

static char *copy_text(const char *text)
{
    char *const copy = malloc(strlen(text) + 1);
    if (!copy)
        abort();
    return strcpy(copy, text);
}

static bool ends_with(const char *path, const char *end)
{
    const size_t length = strlen(path), size = strlen(end);
    return length >= size && strcmp(path + length - size, end) == 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The entries of a folder that are not hidden, in the order of their names; free() each.
static size_t list_folder(const char *folder, char *paths[MOST_ENTRIES])
{
    size_t count = 0;
    DIR *const entries = opendir(folder);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        char path[PATH_ROOM];
        if (entry->d_name[0] == '.' || !CHECK(count < MOST_ENTRIES))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        paths[count++] = copy_text(path);
    }
    if (entries)
        closedir(entries);
    qsort((void *)paths, count, sizeof *paths, compare_paths);
    return count;
}

static void add_clip(character *of, const char *path)
{
    md5_anim *const anim = md5_load_anim(path, NULL, NULL);
    md5_binding *const binding = anim ? md5_bind(of->model, anim, NULL, NULL) : NULL;
    if (!binding) {
        md5_free_anim(anim);
        return;
    }
    of->anims[of->num_clips] = anim;
    of->bindings[of->num_clips++] = binding;
}

static md5_machine *make_machine(const character *of, uint64_t *random)
{
    static char names[2 * MOST_CLIPS + 1][NAME_ROOM];
    md5_clip_desc clips[MOST_CLIPS] = {{0}};
    md5_motion_desc motions[MOST_CLIPS + 1] = {{0}};
    md5_state_desc states[2 * MOST_CLIPS + 1];
    for (uint32_t i = 0; i < of->num_clips; i++) {
        snprintf(names[i], NAME_ROOM, "c%u", i);
        snprintf(names[MOST_CLIPS + i], NAME_ROOM, "m%u", i);
        clips[i] = (md5_clip_desc){.name = names[i],
                                   .binding = of->bindings[i],
                                   .extract = (md5_extract)(test_random_u32(random) % 4),
                                   .period = (md5_period)(test_random_u32(random) % 2)};
        motions[i] = (md5_motion_desc){.name = names[MOST_CLIPS + i],
                                       .clip = names[i],
                                       .mode = (md5_play_mode)(test_random_u32(random) % 3),
                                       .start = test_random(random),
                                       .speed = 2.0f * (float)test_random(random) - 1.0f};
        states[2 * i] = (md5_state_desc){names[i], names[i]};
        states[2 * i + 1] = (md5_state_desc){names[MOST_CLIPS + i], names[MOST_CLIPS + i]};
    }
    const md5_parameter_desc parameter = {"x", MD5_PARAMETER_FLOAT, 0.3f};
    const md5_motion_item items[2] = {{.motion = "c0", .x = 0.0f}, {.motion = "c1", .x = 1.0f}};
    const bool is_blended = of->num_clips > 1;
    motions[of->num_clips] = (md5_motion_desc){.name = "x",
                                               .kind = MD5_MOTION_BLEND_1D,
                                               ROWS(items, items),
                                               .x_parameter = "x",
                                               .sync = MD5_SYNC_PHASE};
    states[2 * of->num_clips] = (md5_state_desc){"x", "x"};
    const md5_layer_desc layer = {
        .name = "body", .states = states, .num_states = 2 * of->num_clips + is_blended};
    md5_error error;
    md5_machine *const machine =
        md5_create_machine(&(md5_machine_desc){.model = of->model,
                                               .clips = clips,
                                               .num_clips = of->num_clips,
                                               .motions = motions,
                                               .num_motions = of->num_clips + is_blended,
                                               ROW(parameters, parameter),
                                               ROW(layers, layer)},
                           NULL, &error);
    test_check(machine, __FILE__, __LINE__, "%s: %s", of->path, error.message);
    return machine;
}

static void close_character(character *of)
{
    md5_destroy_machine(of->machine);
    for (uint32_t i = 0; i < of->num_clips; i++) {
        md5_free_binding(of->bindings[i]);
        md5_free_anim(of->anims[i]);
    }
    md5_free_model(of->model);
}

// Calls `use` for the model at a path, if clips beside it fit it. Returns whether it did that.
static bool use_model(const char *path, char *const *beside, size_t count,
                      void (*use)(const character *of))
{
    character of = {.path = path, .model = md5_load_model(path, NULL, NULL)};
    for (size_t i = 0; of.model && i < count && of.num_clips < MOST_CLIPS; i++) {
        if (ends_with(beside[i], ".md5anim"))
            add_clip(&of, beside[i]);
    }
    uint64_t random = strlen(path);
    of.machine = of.num_clips > 0 ? make_machine(&of, &random) : NULL;
    const bool is_used = of.machine != NULL;
    if (is_used)
        use(&of);
    close_character(&of);
    return is_used;
}

// The same for every model in a folder and below. Returns how many.
static size_t for_each_character(const char *folder, void (*use)(const character *of))
{
    char *folders[MOST_FOLDERS] = {copy_text(folder)};
    size_t num_folders = 1, num_used = 0;
    while (num_folders > 0) {
        char *const current = folders[--num_folders];
        char *paths[MOST_ENTRIES];
        const size_t count = list_folder(current, paths);
        for (size_t i = 0; i < count; i++) {
            struct stat status;
            if (stat(paths[i], &status) == 0 && S_ISDIR(status.st_mode)
                && CHECK(num_folders < MOST_FOLDERS))
                folders[num_folders++] = copy_text(paths[i]);
            if (ends_with(paths[i], ".md5mesh"))
                num_used += use_model(paths[i], paths, count, use);
        }
        for (size_t i = 0; i < count; i++)
            free(paths[i]);
        free(current);
    }
    return num_used;
}

static void for_each_of_all(void (*use)(const character *of))
{
    CHECK(for_each_character(test_path("models"), use) >= 10);
    if (!test_corpus())
        return;
    char folder[PATH_ROOM];
    snprintf(folder, sizeof folder, "%s/corpus", test_corpus());
    CHECK(for_each_character(folder, use) >= 8);
}

// -- Play -------------------------------------------------------------------------------------

// One player is posed in every step, one now and then, one plays in a crowd; TARGET plays without a
// transition the state that the others are going to.
enum { SEEN, UNSEEN, IN_CROWD, TARGET, PLAYERS };

typedef struct scene {
    const character *of;
    md5_player *players[PLAYERS];
    md5_xform *poses[PLAYERS];
    md5_mat34 *palettes[PLAYERS];
    double *angles, *distances; // [joints] between SEEN and TARGET when the transition began
    void *scratch;
    uint64_t random;
    uint32_t state;
    double most_degrees, most_part; // largest increases of these since then
} scene;

static void *room(size_t count, size_t size)
{
    void *const memory = calloc(count, size);
    if (!memory)
        abort();
    return memory;
}

static void begin(scene *play, const character *of)
{
    const uint32_t num_joints = of->model->skeleton.num_joints;
    *play = (scene){.of = of, .random = num_joints};
    for (int i = 0; i < PLAYERS; i++) {
        play->players[i] = md5_create_player(of->machine, NULL, NULL);
        if (!play->players[i])
            abort();
        play->poses[i] = room(num_joints, sizeof(md5_xform));
        play->palettes[i] = room(num_joints, sizeof(md5_mat34));
    }
    const md5_play_job job = {.player = play->players[IN_CROWD]};
    const size_t size =
        md5_player_pose_scratch(of->machine) + md5_play_batch_scratch(&job, 1, NULL);
    play->scratch = room(size, 1);
    play->angles = room(num_joints, sizeof(double));
    play->distances = room(num_joints, sizeof(double));
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
            md5_player_advance(play->players[i], seconds, NULL, NULL);
    }
    md5_play_job job = {
        .player = play->players[IN_CROWD], .seconds = seconds, .palette = play->palettes[IN_CROWD]};
    md5_play_batch(&job, 1, NULL, play->scratch);
    pose(play, SEEN);
    pose(play, TARGET);
}

static double size_of(const scene *play)
{
    double most = 1e-3;
    for (uint32_t i = 0; i < play->of->model->skeleton.num_joints; i++) {
        const md5_vec3 at = play->poses[TARGET][i].translation;
        most = fmax(most, play_distance_between(at, (md5_vec3){0.0f, 0.0f, 0.0f}));
    }
    return most;
}

static void note_start(scene *play)
{
    for (uint32_t i = 0; i < play->of->model->skeleton.num_joints; i++) {
        const md5_xform shown = play->poses[SEEN][i], target = play->poses[TARGET][i];
        play->angles[i] = DEGREES * play_angle_between(shown.rotation, target.rotation);
        play->distances[i] = play_distance_between(shown.translation, target.translation);
    }
}

// Compares the distances with those at the start.
static void measure(scene *play)
{
    const double size = size_of(play);
    for (uint32_t i = 0; i < play->of->model->skeleton.num_joints; i++) {
        const md5_xform shown = play->poses[SEEN][i], target = play->poses[TARGET][i];
        const double angle = DEGREES * play_angle_between(shown.rotation, target.rotation);
        const double distance = play_distance_between(shown.translation, target.translation);
        play->most_degrees = fmax(play->most_degrees, angle - play->angles[i]);
        play->most_part = fmax(play->most_part, (distance - play->distances[i]) / size);
    }
}

static void go(scene *play, md5_fade fade)
{
    const uint32_t num_states = md5_machine_tables(play->of->machine)->layers[0].num_states;
    const float duration = (float)(0.05 + 0.75 * test_random(&play->random));
    play->state = test_random_u32(&play->random) % num_states;
    for (int i = 0; i < TARGET; i++)
        md5_player_fade_to(play->players[i], 0, play->state, duration, fade, MD5_EASE_SMOOTH);
    md5_player_fade_to(play->players[TARGET], 0, play->state, 0.0f, MD5_FADE_CROSS,
                       MD5_EASE_LINEAR);
    pose(play, SEEN);
    pose(play, TARGET);
}

// Lets the transition run, in steps of a game's size, mostly to its end; `sign` < 0: backward.
static void let_run(scene *play, double sign)
{
    uint32_t num_steps = 1 + test_random_u32(&play->random) % 24;
    while (num_steps-- > 0) {
        advance(play, sign * 0.08 * test_random(&play->random));
        measure(play);
    }
}

static bool are_equal(const scene *play)
{
    const uint32_t num_joints = play->of->model->skeleton.num_joints;
    return memcmp(play->poses[SEEN], play->poses[UNSEEN], num_joints * sizeof(md5_xform)) == 0
           && memcmp(play->palettes[SEEN], play->palettes[IN_CROWD], num_joints * sizeof(md5_mat34))
                  == 0;
}

static void play_character(const character *of)
{
    scene play;
    begin(&play, of);
    size_t num_wrong = 0;
    for (uint32_t left = play_transitions(40); left > 0; left--) {
        const double sign = test_random_u32(&play.random) % 8 == 0 ? -1.0 : 1.0;
        // From a fade, from the middle of a transition, from several at one moment.
        if (test_random_u32(&play.random) % 4 == 0)
            go(&play, MD5_FADE_CROSS);
        advance(&play, sign * test_random(&play.random) * test_random(&play.random));
        if (test_random_u32(&play.random) % 8 == 0)
            go(&play, MD5_FADE_INERTIAL);
        go(&play, MD5_FADE_INERTIAL);
        note_start(&play);
        let_run(&play, sign);
        if (left % 2 == 0)
            continue;
        pose(&play, UNSEEN);
        num_wrong += !are_equal(&play);
    }
    test_check(play.most_degrees < MOST_DEGREES, __FILE__, __LINE__,
               "%s: a joint is up to %g degrees farther away than at the start", of->path,
               play.most_degrees);
    test_check(play.most_part < MOST_PART, __FILE__, __LINE__,
               "%s: a joint is up to %g of the size farther away than at the start", of->path,
               play.most_part);
    test_check(num_wrong == 0, __FILE__, __LINE__,
               "%s: %zu poses depend on how often somebody looked before", of->path, num_wrong);
    end(&play);
}

TEST (inertial_transitions_of_models_go_no_farther_and_need_no_looking) {
    for_each_of_all(play_character);
}
