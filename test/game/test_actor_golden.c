// Poses of layered channels against those of the original engine: six scenarios, 33 poses of 40
// joints (MD5_CORPUS, golden/d3/verdicts/poses).
#include "test/test.h"

#include "md5/md5game.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- The folder -----------------------------------------------------------------------------------

static const char *const files[] = {
    "def/rules.def",
    "skins/rules.skin",
    "materials/rules.mtr",
    "models/md5/stromar/stromar.md5mesh",
    "models/md5/stromar/s_idle.md5anim",
    "models/md5/stromar/s_forward.md5anim",
    "models/md5/stromar/s_melee_attack.md5anim",
    "models/md5/stromar/s_taunt.md5anim",
};

static const char *file_name(void *user, size_t file)
{
    (void)user;
    return files[file];
}

// Reads a file of golden/d3 and appends a NUL.
static char *read_golden(const char *folder, const char *name, size_t *size)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/golden/d3/%s/%s", test_corpus(), folder, name);
    FILE *const file = fopen(path, "rb");
    if (!file)
        return NULL;
    (void)fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    rewind(file);
    char *const text = calloc((size_t)length + 1, 1);
    *size = text ? fread(text, 1, (size_t)length, file) : 0;
    (void)fclose(file);
    return text;
}

static const void *open_file(void *user, size_t file, size_t *size, md5_error *error)
{
    (void)user, (void)error;
    return read_golden("minigame/base", files[file], size);
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

static md5_game *open_minigame(void)
{
    const md5_game_path place = {
        .num_files = sizeof files / sizeof files[0],
        .name = file_name,
        .open = open_file,
        .close = close_file,
    };
    return md5_create_game(&place, 1, NULL, NULL);
}

// -- Scenarios ------------------------------------------------------------------------------------

enum { MOST_JOINTS = 64 };

// cycle|play|frame|clear CHANNEL ANIM [FRAME] START BLEND, where `clear` has no animation.
typedef struct pose_command {
    char word[8];
    md5_channel channel;
    char anim[32];
    unsigned frame, start, blend;
} pose_command;

typedef struct scenario {
    char file[32], model[32];
    pose_command commands[8];
    int num_commands;
    const char *cursor;
} scenario;

static bool next_word(scenario *all, char *word, size_t room)
{
    int length = 0;
    char format[16];
    (void)snprintf(format, sizeof format, " %%%zus%%n", room - 1);
    if (*all->cursor == '\n' || sscanf(all->cursor, format, word, &length) != 1)
        return false;
    all->cursor += length;
    while (*all->cursor == ' ' || *all->cursor == '\r')
        all->cursor++;
    return true;
}

static unsigned next_number(scenario *all)
{
    char word[16] = "";
    (void)next_word(all, word, sizeof word);
    return (unsigned)strtoul(word, NULL, 10);
}

static md5_channel channel_of(const char *name)
{
    static const char *const names[] = {"all", "torso", "legs", "head", "eyelids"};
    int channel = 0;
    while (channel < MD5_NUM_CHANNELS - 1 && strcmp(names[channel], name) != 0)
        channel++;
    return (md5_channel)channel;
}

// Reads a line of pose.cfg: orcPose FILE MODEL "TIMES" COMMANDS...
static void read_scenario(const char *line, scenario *all)
{
    char word[32];
    memset(all, 0, sizeof *all);
    all->cursor = line;
    (void)next_word(all, word, sizeof word);
    (void)next_word(all, all->file, sizeof all->file);
    (void)next_word(all, all->model, sizeof all->model);
    all->cursor = strchr(strchr(all->cursor, '"') + 1, '"') + 2;
    while (all->num_commands < 8 && next_word(all, word, sizeof word)) {
        pose_command *const command = &all->commands[all->num_commands++];
        (void)snprintf(command->word, sizeof command->word, "%.7s", word);
        (void)next_word(all, word, sizeof word);
        command->channel = channel_of(word);
        if (strcmp(command->word, "clear") != 0)
            (void)next_word(all, command->anim, sizeof command->anim);
        if (strcmp(command->word, "frame") == 0)
            command->frame = next_number(all);
        command->start = next_number(all);
        command->blend = next_number(all);
    }
}

static bool obey(md5_actor *actor, const pose_command *command)
{
    if (strcmp(command->word, "clear") == 0)
        return md5_actor_clear(actor, command->channel, command->blend);
    const uint32_t clip = md5_actor_choose(actor, NULL, command->anim);
    if (strcmp(command->word, "play") == 0)
        return md5_actor_play(actor, command->channel, clip, MD5_ACTOR_ONCE, 0, command->blend);
    if (strcmp(command->word, "cycle") == 0)
        return md5_actor_play(actor, command->channel, clip, MD5_ACTOR_CYCLE, 0, command->blend);
    return md5_actor_play(actor, command->channel, clip, MD5_ACTOR_HOLD, command->frame,
                          command->blend);
}

// -- Comparison -----------------------------------------------------------------------------------

static double distance_of(const float *ours, const double *theirs, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        const double distance = fabs((double)ours[i] - theirs[i]);
        largest = distance > largest || isnan(distance) ? distance : largest;
    }
    return largest;
}

static uint32_t read_numbers(const char **at, double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char *end;
        numbers[i] = strtod(*at, &end);
        if (end == *at)
            return i;
        *at = end;
    }
    return count;
}

// Compares the joints of a pose with the text that follows "time N" and the bounds. Returns the
// largest difference of any number.
static double compare(md5_actor *actor, const md5_entity *entity, const char *text)
{
    static md5_xform pose[MOST_JOINTS];
    static md5_mat34 joints[MOST_JOINTS];
    double theirs[12] = {0.0};
    CHECK(entity->model->skeleton.num_joints <= MOST_JOINTS);
    md5_actor_pose(actor, pose, joints, NULL);
    text = strstr(text, "bounds") + strlen("bounds");
    CHECK_UINT(read_numbers(&text, theirs, 6), 6);
    double worst = 0.0;
    for (uint32_t i = 0; i < entity->model->skeleton.num_joints; i++) {
        double joint;
        CHECK_UINT(read_numbers(&text, &joint, 1), 1);
        CHECK_UINT(read_numbers(&text, theirs, 12), 12);
        CHECK_UINT((unsigned)joint, i);
        const double distance = distance_of(joints[i].m, theirs, 12);
        worst = distance > worst ? distance : worst;
    }
    return worst;
}

// The engine's random numbers continued from scenario to scenario: a name without a digit at its
// end takes one, and so does a cycle of "idle", which begins at a random time. Returns the seed
// after a scenario.
static uint32_t seed_behind(const scenario *all, uint32_t seed)
{
    for (int i = 0; i < all->num_commands; i++) {
        const pose_command *const command = &all->commands[i];
        const size_t length = strlen(command->anim);
        const bool is_exact = length == 0 || strchr("0123456789", command->anim[length - 1]);
        const bool is_anywhere =
            strcmp(command->word, "cycle") == 0 && strcmp(command->anim, "idle") == 0;
        for (int draws = (is_exact ? 0 : 1) + (is_anywhere ? 1 : 0); draws > 0; draws--)
            seed = seed * 69069u + 1u;
    }
    return seed;
}

// Returns the number of poses that are equal.
static uint32_t play_scenario(md5_game *game, const scenario *all, uint32_t seed,
                              uint32_t *num_poses)
{
    md5_error error;
    size_t size;
    uint32_t num_equal = 0;
    int next = 0;
    md5_entity *const entity = md5_load_entity(game, all->model, NULL, &error);
    char *const golden = read_golden("verdicts/poses", all->file, &size);
    CHECK(entity && golden);
    md5_actor *const actor = entity ? md5_create_actor(entity, NULL, &error) : NULL;
    unsigned now = 0;
    if (actor)
        md5_actor_set_seed(actor, seed);
    for (const char *at = golden ? strstr(golden, "\ntime ") : NULL; at && actor;
         at = strstr(at + 1, "\ntime ")) {
        const unsigned time = (unsigned)strtoul(at + strlen("\ntime "), NULL, 10);
        for (; next < all->num_commands && all->commands[next].start <= time; next++) {
            md5_actor_advance(actor, all->commands[next].start - now, NULL, NULL);
            now = all->commands[next].start;
            CHECK(obey(actor, &all->commands[next]));
        }
        md5_actor_advance(actor, time - now, NULL, NULL);
        now = time;
        const double distance = compare(actor, entity, at);
        (*num_poses)++;
        num_equal += distance <= 1e-4;
        test_check(distance <= 1e-4, __FILE__, __LINE__, "%s at %u ms: off by %g", all->file, time,
                   distance);
    }
    md5_destroy_actor(actor);
    md5_free_entity(entity);
    free(golden);
    return num_equal;
}

TEST (actors_pose_as_the_original_engine) {
    if (!test_corpus()) {
        test_skip("MD5_CORPUS is not set");
        return;
    }
    size_t size;
    uint32_t num_equal = 0, num_poses = 0, seed = 0;
    md5_game *const game = open_minigame();
    char *const config = read_golden("verdicts/poses", "pose.cfg", &size);
    CHECK(game && config && md5_game_set_verdict(game, MD5_VERDICT_ENGINE, NULL));
    for (const char *line = config; line && *line;) {
        scenario all;
        read_scenario(line, &all);
        num_equal += play_scenario(game, &all, seed, &num_poses);
        seed = seed_behind(&all, seed);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    CHECK_UINT(num_poses, 33);
    CHECK_UINT(num_equal, 33);
    free(config);
    md5_destroy_game(game);
}
