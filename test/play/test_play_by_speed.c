// Blends whose parameter is the speed of the root: measured over whole cycles.
#include "test/play/test_play_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A clip: how it walks, its number of frames, the frames of its markers and its frames a second.
typedef struct speed_clip {
    play_walk walk;
    uint32_t num_frames, markers[2];
    double frame_rate;
} speed_clip;

typedef struct speed_case {
    play_case made;
    md5_machine *machine;
    md5_player *player;
    md5_clip_desc clips[4];
    md5_motion_item items[4];
    char names[4][12];
} speed_case;

static const md5_event STEPS[] = {{.frame = 0, .name = "step", .text = "left"}};

static void begin(speed_case *of, const speed_clip *clips, uint32_t count, md5_sync sync,
                  md5_extract extract)
{
    static md5_event marks[4][2];
    memset(of, 0, sizeof *of);
    play_begin(&of->made);
    for (uint32_t i = 0; i < count; i++) {
        play_add_clip(&of->made, clips[i].num_frames, clips[i].frame_rate, 0.2, clips[i].walk, i);
        snprintf(of->names[i], sizeof of->names[i], "c%u", i);
        for (int k = 0; k < 2; k++)
            marks[i][k] = (md5_event){
                .frame = clips[i].markers[k], .name = "step", .text = k == 0 ? "left" : "right"};
        of->clips[i] = (md5_clip_desc){.name = of->names[i],
                                       .binding = of->made.bindings[i],
                                       .extract = extract,
                                       .events = sync == MD5_SYNC_MARKERS ? marks[i] : STEPS,
                                       .num_events = sync == MD5_SYNC_MARKERS ? 2 : 1,
                                       .markers = clips[i].markers,
                                       .num_markers = 2};
        of->items[i].motion = of->names[i];
    }
    const md5_parameter_desc parameter = {"speed", MD5_PARAMETER_FLOAT, 0.0f};
    const md5_motion_desc motion = {.name = "go",
                                    .kind = MD5_MOTION_BY_SPEED,
                                    .x_parameter = "speed",
                                    .sync = sync,
                                    .items = of->items,
                                    .num_items = count};
    const md5_state_desc state = {"go", "go"};
    const md5_layer_desc layer = {.name = "body", ROW(states, state)};
    of->machine = play_machine(&(md5_machine_desc){.model = of->made.model,
                                                   .clips = of->clips,
                                                   .num_clips = count,
                                                   ROW(motions, motion),
                                                   ROW(parameters, parameter),
                                                   ROW(layers, layer)});
    of->player = play_player(of->machine);
}

static void end(speed_case *of)
{
    md5_destroy_player(of->player);
    md5_destroy_machine(of->machine);
    play_end(&of->made);
}

static double time_of(const md5_player *player)
{
    return md5_player_layer(player, 0).time;
}

// Returns the mean speed along x over `cycles` whole cycles of the first clip; only a part of the
// last step counts. `by_steps` adds up the lengths of the steps instead, for a root that turns.
static double speed_over(md5_player *player, double cycles, bool by_steps)
{
    const double step = 1.0 / 512.0, first = time_of(player);
    double seconds = 0.0, way = 0.0;
    for (double time = first; time < first + cycles && seconds < 1e3;) {
        md5_player_advance(player, step, NULL, NULL);
        const md5_xform motion = md5_player_root_motion(player);
        const md5_vec3 moved = motion.translation;
        const double now = time_of(player);
        const double part = now > first + cycles ? (first + cycles - time) / (now - time) : 1.0;
        const double length =
            sqrt((double)moved.x * (double)moved.x + (double)moved.y * (double)moved.y);
        way += part * (by_steps ? length : (double)moved.x);
        seconds += part * step;
        time = now;
    }
    return way / seconds;
}

// Returns the largest error relative to the speed or, near 0, to a hundredth of the highest speed.
static double worst_error(md5_player *player, double low, double high)
{
    double worst = 0.0;
    for (int i = 0; i <= 40; i++) {
        const double speed = low + (high - low) * i / 40.0;
        md5_player_reset(player);
        md5_player_set(player, 0, (float)speed);
        const double is = speed_over(player, 8.0, false);
        worst = fmax(worst, fabs(is - speed) / fmax(fabs(speed), 0.01 * fabs(high)));
    }
    return worst;
}

// Backward, idle, walk, run; and two gaits of which the faster one has few and long steps: blended
// by the mean of the rates they would be faster half way than at the end.
static const speed_clip GAITS[] = {{{-20.0, 0.0, 0.0}, 25, {3, 14}, 24.0},
                                   {{0.0, 0.0, 0.0}, 41, {5, 30}, 20.0},
                                   {{30.0, 0.0, 0.0}, 25, {1, 13}, 24.0},
                                   {{90.0, 0.0, 1.0}, 16, {0, 6}, 25.0}};
static const speed_clip LONG_STEPS[] = {{{10.0, 0.0, 0.0}, 13, {0, 5}, 24.0},
                                        {{14.0, 0.0, 0.0}, 61, {11, 31}, 20.0}};

TEST_LONG (by_speed_the_parameter_is_the_speed) {
    for (md5_sync sync = MD5_SYNC_NONE; sync <= MD5_SYNC_MARKERS; sync++) {
        for (md5_extract extract = MD5_EXTRACT_MOVE; extract <= MD5_EXTRACT_TURN; extract++) {
            speed_case of;
            begin(&of, GAITS, 4, sync, extract);
            // Without synchronisation the cycles of the other clips do not end with the first
            // one's; their root motion is uniform.
            CHECK_NEAR(worst_error(of.player, -20.0, 90.0), 0.0, 1e-3);
            end(&of);
            begin(&of, LONG_STEPS, 2, sync, extract);
            CHECK_NEAR(worst_error(of.player, 10.0, 14.0), 0.0, 1e-3);
            end(&of);
        }
    }
}

#define TEST_HERE(title, ...) TEST_WITH (title, speed_case, of, begin(of, __VA_ARGS__), end(of))

TEST_HERE (by_speed_items_have_the_speed_of_their_clips, GAITS, 4, MD5_SYNC_NONE,
           MD5_EXTRACT_MOVE) {
    CHECK_NEAR(md5_machine_item_speed(of->machine, 0, 0), -20.0, 0.02);
    CHECK_NEAR(md5_machine_item_speed(of->machine, 0, 2), 30.0, 0.03);
    CHECK_NEAR(md5_machine_item_speed(of->machine, 0, 4), 0.0, 0.0); // there is no such item
    CHECK_NEAR(md5_machine_item_speed(of->machine, 1, 0), 0.0, 0.0); // nor such a motion
}

TEST_HERE (by_speed_the_outermost_go_at_their_own_speed, GAITS, 4, MD5_SYNC_PHASE,
           MD5_EXTRACT_WALK) {
    md5_player_set(of->player, 0, -1000.0f);
    CHECK_NEAR(speed_over(of->player, 4.0, false), -20.0, 0.02);
    md5_player_set(of->player, 0, 1000.0f);
    CHECK_NEAR(speed_over(of->player, 4.0, false), 90.0, 0.09);
}

TEST (by_speed_of_clips_that_turn_is_along_their_arcs) {
    static const speed_clip arcs[] = {{{30.0, 0.9, 0.0}, 25, {1, 13}, 24.0},
                                      {{90.0, 0.9, 0.0}, 16, {0, 6}, 25.0}};
    speed_case of;
    begin(&of, arcs, 2, MD5_SYNC_MARKERS, MD5_EXTRACT_TURN);
    for (int speed = 30; speed <= 90; speed += 5) {
        md5_player_set(of.player, 0, (float)speed);
        CHECK_NEAR(speed_over(of.player, 6.0, true) / speed, 1.0, 1e-3);
    }
    end(&of);
}

typedef struct heard {
    uint32_t left, right;
} heard;

static void hear(void *user, md5_player *player, const md5_event *event, float weight)
{
    heard *const to = user;
    (void)player, (void)weight;
    if (strcmp(event->text, "left") == 0)
        to->left++;
    else
        to->right++;
}

// The feet of both clips come down in the same step, and equally often.
TEST (by_speed_clips_are_synchronised) {
    for (md5_sync sync = MD5_SYNC_PHASE; sync <= MD5_SYNC_MARKERS; sync++) {
        speed_case of;
        begin(&of, GAITS, 4, sync, MD5_EXTRACT_WALK);
        uint32_t num_lefts = 0;
        for (int speed = 35; speed < 90; speed += 10) {
            md5_player_set(of.player, 0, (float)speed);
            for (int i = 0; i < 2000; i++) {
                heard step = {0, 0};
                md5_player_advance(of.player, 1.0 / 700.0, hear, &step);
                CHECK(step.left == 0 || step.left == 2 || (i == 0 && num_lefts == 0));
                CHECK(step.right == 0 || step.right == 2);
                num_lefts += step.left;
            }
        }
        CHECK(num_lefts > 20);
        end(&of);
    }
}

// -- Bobbin ---------------------------------------------------------------------------------------

// Returns the largest error of a motion made of Bobbin's clips, at speeds from `low` to `high`.
static double worst_of_bobbin(const char *motion_text, double low, double high)
{
    char text[1024];
    const int size = snprintf(text, sizeof text,
                              "machine m { float speed clip back walk_backward.md5anim { turn "
                              "markers ( 0 14 ) } clip walk walk.md5anim { turn markers ( 0 12 ) } "
                              "clip run run.md5anim { turn markers ( 0 12 ) } motion go %s "
                              "layer body { state go go } }",
                              motion_text);
    md5_error error;
    md5_model *const model =
        md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), NULL, &error);
    md5_machine_file *const file = md5_parse_machine_file(text, (size_t)size, NULL, &error);
    md5_anim *anims[3];
    md5_binding *bindings[3];
    for (uint32_t i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "models/bobbin/%s", file->clips[i].file);
        anims[i] = md5_load_anim(test_path(path), NULL, &error);
        bindings[i] = md5_bind(model, anims[i], NULL, &error);
        file->clips[i].binding = bindings[i];
    }
    file->desc.model = model;
    md5_machine *const machine = md5_create_machine(&file->desc, NULL, &error);
    CHECK_STRING(error.message, "");
    md5_player *const player = md5_create_player(machine, NULL, NULL);
    const double worst = worst_error(player, low, high);
    md5_destroy_player(player);
    md5_destroy_machine(machine);
    for (uint32_t i = 0; i < 3; i++) {
        md5_free_binding(bindings[i]);
        md5_free_anim(anims[i]);
    }
    md5_free_machine_file(file);
    md5_free_model(model);
    return worst;
}

// As the header says of a line: its speed is far off between its items, although it is right at
// them.
TEST (by_speed_of_bobbin_is_the_parameter_as_of_a_line_is_not) {
    const double of_line =
        worst_of_bobbin("line speed { markers item walk 15.9 item run 44 }", 15.9, 44.0);
    CHECK(of_line > 0.05 && of_line < 0.20);
    CHECK_NEAR(worst_of_bobbin("by_speed speed { markers item walk item run }", 15.9, 44.0), 0.0,
               1e-3);
    CHECK_NEAR(
        worst_of_bobbin("by_speed speed { markers item back item walk item run }", -10.5, 44.0),
        0.0, 1e-3);
}

// -- What cannot be measured ----------------------------------------------------------------------

static void check_refused(const md5_motion_desc *motions, uint32_t num_motions,
                          md5_clip_desc *clips, const md5_model *model, const char *message)
{
    const md5_parameter_desc parameter = {"speed", MD5_PARAMETER_FLOAT, 0.0f};
    md5_error error;
    md5_machine *const machine = md5_create_machine(&(md5_machine_desc){.model = model,
                                                                        .clips = clips,
                                                                        .num_clips = 4,
                                                                        .motions = motions,
                                                                        .num_motions = num_motions,
                                                                        ROW(parameters, parameter)},
                                                    NULL, &error);
    CHECK(machine == NULL);
    CHECK_STRING(error.message, message);
    md5_destroy_machine(machine);
}

TEST_HERE (by_speed_refuses_what_has_no_speed_of_its_own, GAITS, 4, MD5_SYNC_NONE,
           MD5_EXTRACT_WALK) {
    static const struct {
        md5_motion_item items[2];
        const char *message;
    } cases[] = {
        {{{.motion = "c2"}, {.motion = "c3", .x = 90.0f}},
         "motion 'go': item 1 ('c3') has a position, but is placed by its speed"},
        {{{.motion = "c3"}, {.motion = "c2"}},
         "motion 'go': item 1 ('c2') moves the root at 30 units/s, which must be faster than the "
         "one before, at 90"},
        {{{.motion = "c2"}, {.motion = "c2"}},
         "motion 'go': item 1 ('c2') moves the root at 30 units/s, which must be faster than the "
         "one before, at 30"},
        {{{.motion = "c2"}, {.motion = "still"}},
         "motion 'go': item 1 ('still') has no speed of its own: it must be a clip that loops "
         "forward at a fixed speed"},
        {{{.motion = "c2"}, {.motion = "there_and_back"}},
         "motion 'go': item 1 ('there_and_back') has no speed of its own: it must be a clip that "
         "loops forward at a fixed speed"},
        {{{.motion = "backward"}, {.motion = "c3"}},
         "motion 'go': item 0 ('backward') has no speed of its own: it must be a clip that loops "
         "forward at a fixed speed"},
        {{{.motion = "paced"}, {.motion = "c3"}},
         "motion 'go': item 0 ('paced') has no speed of its own: it must be a clip that loops "
         "forward at a fixed speed"},
    };
    static const md5_motion_item alone = {.motion = "c2"};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const md5_motion_desc motions[] = {
            {.name = "still", .kind = MD5_MOTION_STACK, ROW(items, alone)},
            {.name = "there_and_back", .clip = "c3", .mode = MD5_PLAY_PING_PONG},
            {.name = "backward", .clip = "c2", .speed = -1.0f},
            {.name = "paced", .clip = "c2", .speed_parameter = "speed"},
            {.name = "go",
             .kind = MD5_MOTION_BY_SPEED,
             .x_parameter = "speed",
             .items = cases[i].items,
             .num_items = 2},
        };
        check_refused(motions, 5, of->clips, of->made.model, cases[i].message);
    }
    // Without extraction nothing moves.
    const md5_motion_desc go = {
        .name = "go", .kind = MD5_MOTION_BY_SPEED, .x_parameter = "speed", ROWS(items, of->items)};
    for (uint32_t i = 0; i < 4; i++)
        of->clips[i].extract = MD5_EXTRACT_NONE;
    check_refused(&go, 1, of->clips, of->made.model,
                  "motion 'go': item 1 ('c1') moves the root at 0 units/s, which must be faster "
                  "than the one before, at 0");
}
