// Mistakes of callers of md5play.h and md5pose.h: with assertions they end the program with a
// message that names the function and the argument.
#include "test/mistake.h"
#include "test/play/test_play_case.h"

#if !defined(NDEBUG)

static md5_xform poses[3 * PLAY_JOINTS];
static md5_mat34 matrices[2 * PLAY_JOINTS];
static unsigned char scratch[1 << 16];

static void advance_no_player(const void *context)
{
    (void)context;
    md5_player_advance(NULL, 0.1, NULL, NULL);
}

static void go_by_wrong_easing(const void *context)
{
    const play_scene *const of = context;
    md5_player_fade_to(of->player, 0, 0, 0.1f, MD5_FADE_CROSS, MD5_EASE_CUBIC_BEZIER);
}

static void play_by_wrong_mode(const void *context)
{
    const play_scene *const of = context;
    md5_player_play_shot(of->player, 0, 0, &(md5_shot_desc){.mode = (md5_layer_mode)2});
}

static void fade_by_wrong_easing(const void *context)
{
    const play_scene *const of = context;
    const md5_easing curve = {.kind = (md5_ease_kind)99};
    md5_player_play_shot(of->player, 0, 0, &(md5_shot_desc){.fade_in_easing = curve});
}

static void fade_by_wrong_jump(const void *context)
{
    const play_scene *const of = context;
    const md5_easing curve = {.jump = (md5_jump)9};
    md5_player_play_shot(of->player, 0, 0, &(md5_shot_desc){.fade_out_easing = curve});
}

static void detail_no_player(const void *context)
{
    (void)context;
    (void)md5_player_set_detail(test_null(), NULL);
}

static void ask_no_player_for_gaze(const void *context)
{
    (void)context;
    (void)md5_player_gaze(test_null(), 0);
}

static void pose_into_nothing(const void *context)
{
    const play_scene *const of = context;
    md5_player_pose(of->player, NULL, NULL, NULL, scratch);
}

static void morphs_of_no_player(const void *context)
{
    float weights[1];
    (void)context;
    md5_player_morphs(test_null(), weights);
}

static void pose_overlapping_matrices(const void *context)
{
    const play_scene *const of = context;
    md5_player_pose(of->player, poses, matrices, matrices + 1, scratch);
}

static void batch_without_player(const void *context)
{
    (void)context;
    md5_play_job job = {0};
    md5_play_batch(&job, 1, NULL, scratch);
}

static void find_in_no_machine(const void *context)
{
    (void)context;
    (void)md5_find_layer(NULL, "body");
}

static void create_without_description(const void *context)
{
    (void)context;
    (void)md5_create_machine(test_null(), NULL, NULL);
}

static void locate_missing_joint(const void *context)
{
    const play_scene *const of = context;
    (void)md5_joint_in_model(&of->made.model->skeleton, poses, PLAY_JOINTS);
}

static void aim_without_job(const void *context)
{
    const play_scene *const of = context;
    (void)md5_solve_aim(&of->made.model->skeleton, test_null(), poses);
}

static void spring_without_state(const void *context)
{
    const play_scene *const of = context;
    const md5_spring_job job = {.tip = 4, .length = 2, .is_first = true};
    (void)md5_solve_spring(&of->made.model->skeleton, &job, poses);
}

static void mirror_in_place(const void *context)
{
    const play_scene *const of = context;
    static uint32_t mirror[PLAY_JOINTS];
    md5_mirror_pose(of->made.model, mirror, poses, poses + 1);
}

static void mask_of_no_text(const void *context)
{
    const play_scene *const of = context;
    static float weights[PLAY_JOINTS];
    (void)md5_build_mask(&of->made.model->skeleton, NULL, 0, weights, NULL);
}

static void play_with_a_reserved_member(const void *context)
{
    const play_scene *const of = context;
    md5_player_play_shot(of->player, 0, 0, &(md5_shot_desc){.reserved = {1}});
}

static void create_player_with_half_an_allocator(const void *context)
{
    const play_scene *const of = context;
    (void)md5_create_player(of->machine, &(md5_allocator){.free = test_heap_free}, NULL);
}

// The description is valid except for one reserved member.
static void create_with_a_reserved_member(const void *context)
{
    const md5_machine_desc *const desc = context;
    (void)md5_create_machine(desc, NULL, NULL);
}

TEST_WITH (reserved_member_of_each_kind_of_table_is_a_mistake, play_scene, of, play_scene_begin(of),
           play_scene_end(of)) {
    const md5_clip_desc clip = {.reserved = {[3] = 1}};
    const md5_motion_item item = {.reserved = {[2] = 1}};
    const md5_motion_desc motions[] = {{.reserved = {[3] = 1}}, {ROW(items, item)}};
    const md5_transition_desc transition = {.reserved = {[3] = 1}};
    const md5_layer_desc layers[] = {{.reserved = {[2] = 1}}, {ROW(transitions, transition)}};
    const md5_modifier_gaze gaze = {.reserved = {[3] = 1}};
    const md5_modifier_hold hold = {.reserved = {[3] = 1}};
    const md5_modifier_desc modifier = {.reserved = {[0] = 1}}, looking = {.gaze = &gaze},
                            holding = {.hold = &hold};
    const md5_morph_desc morph = {.reserved = {[3] = 1}};
    const md5_machine_desc mistakes[] = {
        {.reserved = {[5] = 1}},    {ROW(clips, clip)},        {ROW(motions, motions[0])},
        {ROW(motions, motions[1])}, {ROW(layers, layers[0])},  {ROW(layers, layers[1])},
        {ROW(modifiers, modifier)}, {ROW(modifiers, looking)}, {ROW(modifiers, holding)},
        {ROW(morphs, morph)},
    };
    EACH (mistake, mistakes) {
        md5_machine_desc desc = *mistake;
        desc.model = of->made.model;
        const char *const message = test_message_of(create_with_a_reserved_member, &desc);
        CHECK(strstr(message, "md5_create_machine()") != NULL);
        CHECK(strstr(message, "desc: reserved members") != NULL);
    }
}

TEST_WITH (mistakes_with_players_and_poses_are_reported_with_function_and_argument, play_scene, of,
           play_scene_begin(of), play_scene_end(of)) {
    static const struct {
        void (*make)(const void *context);
        const char *function, *argument;
    } mistakes[] = {
        {advance_no_player, "md5_player_advance()", "player: not NULL"},
        {go_by_wrong_easing, "md5_player_fade_to()", "easing: one without parameters"},
        {play_by_wrong_mode, "md5_player_play_shot()", "mode: a md5_layer_mode"},
        {fade_by_wrong_easing, "md5_player_play_shot()", "fade_in_easing: a md5_ease_kind"},
        {fade_by_wrong_jump, "md5_player_play_shot()", "fade_out_easing: a md5_ease_kind"},
        {detail_no_player, "md5_player_set_detail()", "player: not NULL"},
        {ask_no_player_for_gaze, "md5_player_gaze()", "player: not NULL"},
        {pose_into_nothing, "md5_player_pose()", "pose: not NULL"},
        {morphs_of_no_player, "md5_player_morphs()", "player: not NULL"},
        {pose_overlapping_matrices, "md5_player_pose()", "joints, palette: must not overlap"},
        {batch_without_player, "md5_play_batch()", "jobs: each has a player"},
        {find_in_no_machine, "md5_find_layer()", "machine: not NULL"},
        {create_without_description, "md5_create_machine()", "desc: not NULL"},
        {locate_missing_joint, "md5_joint_in_model()", "joint: an index"},
        {aim_without_job, "md5_solve_aim()", "job: not NULL"},
        {spring_without_state, "md5_solve_spring()", "state: not NULL"},
        {mirror_in_place, "md5_mirror_pose()", "mirrored, pose: must not overlap"},
        {mask_of_no_text, "md5_build_mask()", "joints: not NULL"},
        {play_with_a_reserved_member, "md5_player_play_shot()", "desc: reserved members must be 0"},
        {create_player_with_half_an_allocator, "md5_create_player()", "allocator: both functions"},
    };
    play_scene_add(of, 25, 24.0, 1.0, 3);
    const md5_state_desc state = {.name = "a", .motion = "a"};
    const md5_layer_desc layer = {.name = "body", ROW(states, state)};
    play_scene_play(of, &(md5_machine_desc){ROW(layers, layer)});
    EACH (mistake, mistakes) {
        const char *const message = test_message_of(mistake->make, of);
        CHECK(strstr(message, mistake->function) != NULL);
        CHECK(strstr(message, mistake->argument) != NULL);
    }
}

#endif
