// What a layer with a mask overwrites need not be computed below it: the same bits as if it were.
#include "test/play/test_play_case.h"

#include "md5/play/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIPS = 3, FRAMES = 240 };

typedef struct below_case {
    md5_model *model;
    md5_anim *anims[CLIPS];
    md5_binding *bindings[CLIPS];
    md5_machine *machines[2]; // the second computes all joints
    md5_player *players[2];
    md5_xform *poses[2];
    void *scratch;
    size_t scratch_size;
} below_case;

static const char *const NAMES[CLIPS] = {"walk", "idle", "wave"};

static md5_machine *make_machine(const below_case *of, md5_fade fade)
{
    static const md5_mask_desc masks[] = {{.name = "upper", .joints = "*spine_2", .feather = 2}};
    static const md5_parameter_desc parameters[] = {{"speed", MD5_PARAMETER_FLOAT, 2.0f},
                                                    {"upper", MD5_PARAMETER_FLOAT, 1.0f},
                                                    {"body", MD5_PARAMETER_FLOAT, 1.0f}};
    static const md5_condition fast = {"speed", MD5_IS_GREATER, 1.0f};
    static const md5_condition slow = {"speed", MD5_IS_AT_MOST, 1.0f};
    static const md5_state_desc body[] = {{"walk", "walk"}, {"stand", "idle"}};
    static const md5_state_desc wave[] = {{"wave", "wave"}, {"none", NULL}};
    const md5_transition_desc transitions[] = {
        {.from = "walk", .to = "stand", ROW(conditions, slow), .duration = 0.2f, .fade = fade},
        {.from = "stand", .to = "walk", ROW(conditions, fast), .duration = 0.2f, .fade = fade},
    };
    const md5_transition_desc upper[] = {
        {.from = "wave", .to = "none", ROW(conditions, slow), .duration = 0.3f},
        {.from = "none", .to = "wave", ROW(conditions, fast), .duration = 0.3f}};
    const md5_layer_desc layers[] = {{.name = "body",
                                      ROWS(states, body),
                                      ROWS(transitions, transitions),
                                      .weight_parameter = "body"},
                                     {.name = "upper",
                                      ROWS(states, wave),
                                      ROWS(transitions, upper),
                                      .mask = "upper",
                                      .weight_parameter = "upper"}};
    md5_clip_desc clips[CLIPS];
    for (int i = 0; i < CLIPS; i++)
        clips[i] = (md5_clip_desc){.name = NAMES[i], .binding = of->bindings[i]};
    clips[0].extract = MD5_EXTRACT_TURN;
    return play_machine(&(md5_machine_desc){.model = of->model,
                                            ROWS(clips, clips),
                                            ROWS(masks, masks),
                                            ROWS(parameters, parameters),
                                            ROWS(layers, layers)});
}

static void begin(below_case *of, md5_fade fade)
{
    *of = (below_case){.model =
                           md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), NULL, NULL)};
    for (int i = 0; i < CLIPS; i++) {
        char path[64];
        snprintf(path, sizeof path, "models/bobbin/%s.md5anim", NAMES[i]);
        of->anims[i] = md5_load_anim(test_path(path), NULL, NULL);
        of->bindings[i] = md5_bind(of->model, of->anims[i], NULL, NULL);
    }
    const uint32_t num_joints = of->model->skeleton.num_joints;
    for (int i = 0; i < 2; i++) {
        of->machines[i] = make_machine(of, fade);
        of->players[i] = play_player(of->machines[i]);
        of->poses[i] = (md5_xform *)malloc(num_joints * sizeof *of->poses[i]);
    }
    of->scratch_size = md5_player_pose_scratch(of->machines[0]);
    of->scratch = malloc(of->scratch_size);
    CHECK(of->machines[0]->rests[0].num_runs > 0);
    of->machines[1]->rests[0].num_runs = 0;
}

static void end(below_case *of)
{
    for (int i = 0; i < 2; i++) {
        md5_destroy_player(of->players[i]);
        md5_destroy_machine(of->machines[i]);
        free(of->poses[i]);
    }
    for (int i = 0; i < CLIPS; i++) {
        md5_free_binding(of->bindings[i]);
        md5_free_anim(of->anims[i]);
    }
    md5_free_model(of->model);
    free(of->scratch);
}

// What was in the memory before must not come through: it is no number.
static const md5_xform *pose_of(const below_case *of, int which)
{
    const size_t size = of->model->skeleton.num_joints * sizeof *of->poses[which];
    memset(of->scratch, 0xff, of->scratch_size);
    memset(of->poses[which], 0xff, size);
    md5_player_pose(of->players[which], of->poses[which], NULL, NULL, of->scratch);
    return of->poses[which];
}

static void play(md5_fade fade)
{
    static const float weights[] = {1.0f, 1.0f, 0.5f, 1.0f, 0.0f};
    below_case of;
    begin(&of, fade);
    const uint32_t num_joints = of.model->skeleton.num_joints;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (int i = 0; i < 2; i++) {
            md5_player_set(of.players[i], 0, frame / 25 % 2 ? 0.0f : 2.0f);
            md5_player_set(of.players[i], 1, weights[frame / 20 % 5]);
            md5_player_set(of.players[i], 2, weights[frame / 33 % 5]);
            md5_player_advance(of.players[i], 1.0 / 60.0, NULL, NULL);
            if (frame == 180)
                md5_player_play_shot(of.players[i], 0, 2, NULL);
        }
        const md5_xform *const pose = pose_of(&of, 0), *const all = pose_of(&of, 1);
        if (!CHECK(play_is_sound(pose, num_joints))
            || !CHECK(memcmp(pose, all, num_joints * sizeof *pose) == 0))
            break;
    }
    end(&of);
}

TEST (play_below_a_mask_only_what_is_seen_is_computed) {
    play(MD5_FADE_CROSS);
    play(MD5_FADE_INERTIAL);
}
