// The character that bench.c plays. It is as complex as a character of a game: Bobbin walks or
// stands, a masked layer waves, an additive layer breathes, two-bone modifiers place both feet, and
// an aim modifier rotates the head.
#ifndef TEST_BENCH_BENCH_PLAY_H
#define TEST_BENCH_BENCH_PLAY_H

#include "test/bench/bench_pose.h"

#include "md5/md5play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYING_CROWD = 250, PLAYING_CLIPS = 4 };

typedef struct playing {
    md5_model *model;
    md5_anim *anims[PLAYING_CLIPS];
    md5_binding *bindings[PLAYING_CLIPS];
    md5_machine *machine;
    md5_player *players[PLAYING_CROWD];
    md5_play_job jobs[PLAYING_CROWD];
    uint32_t next;
    md5_xform *pose;
    md5_mat34 *joints, *palettes; // one character; the crowd
    void *scratch;
} playing;

static const char *const playing_names[PLAYING_CLIPS] = {"walk", "idle", "wave", "breathe"};

// Creates a machine with a body layer, a wave and breathing, which are typical of a game character.
static md5_machine *make_character(const playing *play)
{
    md5_clip_desc clips[PLAYING_CLIPS];
    for (int i = 0; i < PLAYING_CLIPS; i++)
        clips[i] = (md5_clip_desc){.name = playing_names[i], .binding = play->bindings[i]};
    clips[0].root_extraction = MD5_ROOT_EXTRACTION_TURN;
    const md5_mask_desc masks[] = {{.name = "upper", .joints = "*spine_2", .feather = 2}};
    const md5_parameter_desc parameters[] = {
        {.name = "speed", .kind = MD5_PARAMETER_FLOAT, .value = 2},
        {.name = "breath", .kind = MD5_PARAMETER_FLOAT, .value = 0.5f}};
    const md5_state_desc body[] = {{.name = "walk", .motion = "walk"},
                                   {.name = "stand", .motion = "idle"}};
    const md5_state_desc wave[] = {{.name = "wave", .motion = "wave"}};
    const md5_state_desc breathe[] = {{.name = "breathe", .motion = "breathe"}};
    const md5_condition fast = {.parameter = "speed", .compare = MD5_IS_GREATER, .value = 1};
    const md5_condition slow = {.parameter = "speed", .compare = MD5_IS_AT_MOST, .value = 1};
    const md5_transition_desc transitions[] = {
        {.from = "walk", .to = "stand", .conditions = &slow, .num_conditions = 1, .duration = 0.2f},
        {.from = "stand", .to = "walk", .conditions = &fast, .num_conditions = 1, .duration = 0.2f},
    };
    const md5_layer_desc layers[] = {
        {.name = "body",
         .states = body,
         .num_states = 2,
         .transitions = transitions,
         .num_transitions = 2},
        {.name = "upper", .states = wave, .num_states = 1, .mask = "upper"},
        {.name = "breath",
         .states = breathe,
         .num_states = 1,
         .mode = MD5_LAYER_ADD,
         .weight_parameter = "breath"},
    };
    const md5_modifier_desc modifiers[] = {
        {.name = "left", .kind = MD5_MODIFIER_TWO_BONE, .joint = "foot_l"},
        {.name = "right", .kind = MD5_MODIFIER_TWO_BONE, .joint = "foot_r"},
        {.name = "look", .kind = MD5_MODIFIER_AIM, .joint = "head"},
    };
    md5_error error = {0};
    md5_machine *const machine = md5_create_machine(&(md5_machine_desc){.model = play->model,
                                                                        .clips = clips,
                                                                        .num_clips = PLAYING_CLIPS,
                                                                        .masks = masks,
                                                                        .num_masks = 1,
                                                                        .parameters = parameters,
                                                                        .num_parameters = 2,
                                                                        .layers = layers,
                                                                        .num_layers = 3,
                                                                        .modifiers = modifiers,
                                                                        .num_modifiers = 3},
                                                    NULL, &error);
    if (!machine) {
        fprintf(stderr, "bench: %s\n", error.message);
        exit(1);
    }
    return machine;
}

// Places foot targets near the feet, and a target to look at that differs for each player.
static void place_targets(md5_player *player, uint32_t number)
{
    const float along = 0.02f * (float)number;
    *md5_player_target(player, 0) =
        (md5_target){.weight = 1, .position = {along, 6.5f, 3.5f + along}};
    *md5_player_target(player, 1) = (md5_target){.weight = 1, .position = {-along, -6.5f, 3.5f}};
    *md5_player_target(player, 2) =
        (md5_target){.weight = 1, .position = {80, 40.0f * along - 80.0f, 40}};
}

// Returns false if the model is missing.
static bool make_playing(playing *play)
{
    *play = (playing){.model = md5_load_model("models/bobbin/bobbin.md5mesh", NULL, NULL)};
    if (play->model) {
        for (int i = 0; i < PLAYING_CLIPS; i++) {
            char path[64];
            snprintf(path, sizeof path, "models/bobbin/%s.md5anim", playing_names[i]);
            play->anims[i] = md5_load_anim(path, NULL, NULL);
            if (!play->anims[i])
                return false;
            play->bindings[i] = md5_bind(play->model, play->anims[i], NULL, NULL);
        }
    }
    if (!play->model)
        return false;
    const uint32_t num_joints = play->model->skeleton.num_joints;
    play->machine = make_character(play);
    play->pose = posing_memory(num_joints, sizeof *play->pose);
    play->joints = posing_memory(num_joints, sizeof *play->joints);
    play->palettes = posing_memory((size_t)num_joints * PLAYING_CROWD, sizeof *play->palettes);
    for (uint32_t i = 0; i < PLAYING_CROWD; i++) {
        md5_player *const player = md5_create_player(play->machine, NULL, NULL);
        if (!player)
            abort();
        play->players[i] = player;
        for (uint32_t layer = 0; layer < 3; layer++)
            md5_player_seek(player, layer, 0, 0.01 * (layer + 1) * i);
        place_targets(player, i);
        play->jobs[i] = (md5_play_job){.player = player,
                                       .seconds = 1.0 / 60.0,
                                       .palette = play->palettes + (size_t)i * num_joints};
    }
    play->scratch = posing_memory(md5_play_batch_scratch(play->jobs, PLAYING_CROWD, NULL), 1);
    return true;
}

static void free_playing(playing *play)
{
    for (uint32_t i = 0; i < PLAYING_CROWD; i++)
        md5_destroy_player(play->players[i]);
    md5_destroy_machine(play->machine);
    for (int i = 0; i < PLAYING_CLIPS; i++) {
        md5_free_binding(play->bindings[i]);
        md5_free_anim(play->anims[i]);
    }
    md5_free_model(play->model);
    free(play->pose);
    free(play->joints);
    free(play->palettes);
    free(play->scratch);
}

// The work functions of the rows, whose fixture is a `playing`. They ignore `level`, because the
// player uses the best instruction set.
//
// Advances one character by one step. The characters alternate, so that none of them is in the
// first-level cache.
static md5_player *advance_next(playing *play)
{
    md5_player *const player = play->players[play->next];
    play->next = (play->next + 1) % PLAYING_CROWD;
    md5_player_advance(player, 1.0 / 60.0, NULL, NULL);
    return player;
}

static uint64_t work_advance(void *fixture, md5_cpu level)
{
    (void)level;
    return advance_next(fixture) != NULL;
}

// Advances a character by a step and computes its pose, as in a frame of a game.
static uint64_t work_character(void *fixture, md5_cpu level)
{
    playing *const play = fixture;
    (void)level;
    md5_player_pose(advance_next(play), play->pose, play->joints, play->palettes, play->scratch);
    return play->palettes[0].m[0] > 0.0f;
}

// Does the same as work_character(), while the body layer is always in a transition.
static uint64_t work_fading_character(void *fixture, md5_cpu level)
{
    const playing *const play = fixture;
    md5_player *const player = play->players[play->next];
    const md5_layer_status status = md5_player_layer(player, 0);
    if (status.from == MD5_NONE)
        md5_player_set(player, 0, status.state == 0 ? 0.0f : 2.0f);
    return work_character(fixture, level);
}

// Interpolates the pose of a character between two steps.
static uint64_t work_between_steps(void *fixture, md5_cpu level)
{
    const playing *const play = fixture;
    const size_t num_joints = play->model->skeleton.num_joints;
    md5_xform *const before = play->scratch;
    md5_xform *const pose = before + num_joints;
    (void)level;
    md5_interpolated_pose_job job = {.model = play->model,
                                     .before = play->model->bind_local,
                                     .after = play->pose,
                                     .motion = {.rotation = {.z = 0.1f, .w = 0.995f}},
                                     .pose = pose,
                                     .joints = play->joints,
                                     .palette = play->palettes};
    md5_pose_interpolated(&job, 1, 0.5f, NULL);
    return play->palettes[0].m[0] > 0.0f && job.partial_motion.rotation.w > 0.0f;
}

// Advances and poses all characters in one call.
static uint64_t work_played_crowd(void *fixture, md5_cpu level)
{
    playing *const play = fixture;
    (void)level;
    md5_play_batch(play->jobs, PLAYING_CROWD, NULL, play->scratch);
    return play->palettes[0].m[0] > 0.0f;
}

// Copies the state of a character to the next character, as for rollback.
static uint64_t work_copied_player(void *fixture, md5_cpu level)
{
    playing *const play = fixture;
    (void)level;
    const md5_player *const from = play->players[play->next];
    play->next = (play->next + 1) % PLAYING_CROWD;
    md5_player_copy(play->players[play->next], from);
    return play->next;
}

// Transfers the state of a character like work_copied_player(), but by saving and restoring bytes.
static uint64_t work_saved_player(void *fixture, md5_cpu level)
{
    static uint8_t bytes[1 << 16];
    playing *const play = fixture;
    (void)level;
    const size_t size = md5_player_save(play->players[play->next], bytes, sizeof bytes);
    play->next = (play->next + 1) % PLAYING_CROWD;
    return size > 0 && md5_player_restore(play->players[play->next], bytes, size, NULL);
}

// One step of a player of a blend space of SPACE_CLIPS synchronized clips, while its parameter
// moves.
enum { SPACE_CLIPS = 1000 };

// Creates a player of a blend space with SPACE_CLIPS items.
static md5_player *make_space(const playing *play)
{
    static md5_clip_desc clips[SPACE_CLIPS];
    static md5_motion_item items[SPACE_CLIPS];
    static char names[SPACE_CLIPS][8];
    for (int i = 0; i < SPACE_CLIPS; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        clips[i] = (md5_clip_desc){.name = names[i], .binding = play->bindings[i % PLAYING_CLIPS]};
        items[i] = (md5_motion_item){.motion = names[i], .x = (float)i};
    }
    const md5_motion_desc space = {.name = "space",
                                   .kind = MD5_MOTION_BLEND_1D,
                                   .items = items,
                                   .num_items = SPACE_CLIPS,
                                   .x_parameter = "x",
                                   .sync = MD5_SYNC_PHASE};
    const md5_parameter_desc x = {.name = "x", .kind = MD5_PARAMETER_FLOAT};
    const md5_state_desc state = {.name = "move", .motion = "space"};
    const md5_layer_desc layer = {.name = "body", .states = &state, .num_states = 1};
    return md5_create_player(md5_create_machine(&(md5_machine_desc){.model = play->model,
                                                                    .clips = clips,
                                                                    .num_clips = SPACE_CLIPS,
                                                                    .motions = &space,
                                                                    .num_motions = 1,
                                                                    .parameters = &x,
                                                                    .num_parameters = 1,
                                                                    .layers = &layer,
                                                                    .num_layers = 1},
                                                NULL, NULL),
                             NULL, NULL);
}

static uint64_t work_space(void *fixture, md5_cpu level)
{
    static md5_player *player; // exists until the program ends
    playing *const play = fixture;
    (void)level;
    player = player ? player : make_space(play);
    play->next = (play->next + 1) % (100 * (SPACE_CLIPS - 1));
    md5_player_set(player, 0, 0.01f * (float)play->next);
    md5_player_advance(player, 1.0 / 60.0, NULL, NULL);
    return md5_player_layer(player, 0).time > 0;
}

// Measures the rows of the table. Does nothing if the model is missing.
static void measure_play(bench_table *table)
{
    static playing fixture;
    if (!make_playing(&fixture))
        return;
    const double num_joints = fixture.model->skeleton.num_joints;
    bench_row row = {
        .name = "full character",
        .unit = "ns/joint",
        .work = work_character,
        .fixture = &fixture,
        .units = num_joints,
        .best = md5i_cpu_best(MD5_CPU_AVX2),
        .no_twin = true,
        .goal = 15,
    };
    bench_heading("playing: state machine, 2 layers, additive, 2 legs, look-at, 71 joints");
    bench_measure(table, &row);
    row.goal = 0;
    row.name = "between two steps";
    row.work = work_between_steps;
    bench_measure(table, &row);
    row.name = "while states fade";
    row.work = work_fading_character;
    bench_measure(table, &row);
    row.goal = 15;
    row.name = "250 at once";
    row.work = work_played_crowd;
    row.units = (double)PLAYING_CROWD * num_joints;
    bench_measure(table, &row);
    row.goal = 0;
    row.unit = "ns";
    row.units = 1;
    row.name = "player copied";
    row.work = work_copied_player;
    bench_measure(table, &row);
    row.name = "player saved, restored";
    row.work = work_saved_player;
    bench_measure(table, &row);
    free_playing(&fixture);
}

#endif
