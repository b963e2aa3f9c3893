// Tests of windows and curves of clips. Windows must open and close in pairs, also if a clip is
// interrupted; curves are compared with sums in double precision. MD5_WINDOW_MACHINES sets the
// number of random machines.
#include "test/scoped.h"
#include "test/play/test_play_random.h"

typedef struct window_log {
    char text[2048];
    size_t used;
    double time; // time at the end of the step
} window_log;

PLAY_LISTENER(note)
{
    window_log *const to = user;
    const char *kind = "";
    if (event->kind == MD5_EVENT_BEGIN)
        kind = "+";
    else if (event->kind == MD5_EVENT_END)
        kind = "-";
    to->used += (size_t)snprintf(to->text + to->used, sizeof to->text - to->used, "%s%s%s %.2f ",
                                 kind, event->name, event->text, weight);
}

// Returns the events that fire in steps of `step` seconds.
static const char *play_and_log(play_scene *fixture, double seconds, double step, window_log *to)
{
    *to = (window_log){.used = 0};
    for (int i = 0; i < (int)(seconds / step + 0.5) || (i == 0 && seconds == 0); i++)
        md5_player_advance(fixture->player, seconds == 0 ? 0 : step, note, to);
    return to->text;
}

// Clips of 11 frames and one second.
#define CLIPS                                                                     \
    "clip a f { window hit 2-4 sword\nwindow far 8 10 frame 4 step frame 2 step " \
    "curve force ( 0 1 10 3 ) curve odd cubic_in_out ( 2 0 6 4 ) } "              \
    "clip b f { window far 0-10\ncurve force ( 5 -2 ) } clip c f "

static void begin(play_scene *fixture, const char *rows)
{
    play_scene_clips(fixture, 3, 11, 10);
    play_scene_read(fixture, CLIPS "%s", rows);
}

TEST (windows_open_and_close_at_their_frames) {
    static const char round[] =
        "step 1.00 +hitsword 1.00 step 1.00 -hitsword 1.00 +far 1.00 -far 1.00 ";
    static const char again[] = "step 1.00 +hitsword 1.00 step 1.00 -hitsword 1.00 ";
    static const struct {
        const char *motion;
        const char *first;
        const char *then;
        double seconds;
    } cases[] = {
        {"a", round, "", 1.1},
        {"b", "+far 1.00 -far 1.00 +far 1.00 ", "", 1.1},
        {"o", round, "", 3},
        {"p", round, again, 2.1},
        {"r", "+far 1.00 -far 1.00 +hitsword 1.00 step 1.00 -hitsword 1.00 step 1.00 ", "", 0.95},
        {"s", "+far 1.00 ", "", 1.1}, // stands at frame 9 of clip a
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int rate = 20; rate <= 240; rate += 20) {
            SCOPED_PLAY fixture;
            begin(&fixture,
                  "motion o clip a { once } motion p clip a { ping_pong } "
                  "motion r clip a { speed -1 } motion s clip a { start 0.9 speed 0 } "
                  "layer l { state a a state b b state o o state p p state r r state s s }");
            window_log to;
            char expected[512];
            snprintf(expected, sizeof expected, "%s%s", cases[i].first, cases[i].then);
            const uint32_t state = md5_find_state(fixture.machine, 0, cases[i].motion);
            CHECK(play_fade(fixture.player, 0, state, 0));
            CHECK_STRING(play_and_log(&fixture, cases[i].seconds, 1.0 / rate, &to), expected);
        }
    }
}

// At 0.3 s the window `hit` of clip a is open.
#define STATES "layer l { state a a state c c state a2 a state none nothing } "

TEST (windows_close_however_a_clip_ends) {
    enum { CUT, SEEK, RESET, FADE, STOP, ITSELF, WAYS };
    for (int interruption = 0; interruption < WAYS; interruption++) {
        SCOPED_PLAY fixture;
        begin(&fixture, STATES);
        window_log to;
        const uint32_t hit = md5_find_window(fixture.machine, "hit");
        if (interruption == STOP) {
            md5_player_seek(fixture.player, 0, 3, 0);
            CHECK(PLAY_ONE_SHOT(fixture.player, 0, 0, .weight = 0.5f));
            CHECK_STRING(play_and_log(&fixture, 0.3, 0.1, &to), "step 0.50 +hitsword 0.50 ");
        } else {
            CHECK_STRING(play_and_log(&fixture, 0.3, 0.1, &to), "step 1.00 +hitsword 1.00 ");
        }
        CHECK_EXACT(md5_player_window(fixture.player, hit), interruption == STOP ? 0.5 : 1);
        if (interruption == CUT)
            play_fade(fixture.player, 0, 1, 0);
        if (interruption == FADE)
            play_fade(fixture.player, 0, 1, 0.05f);
        if (interruption == ITSELF)
            play_fade(fixture.player, 0, 2, 0.05f);
        if (interruption == SEEK)
            md5_player_seek(fixture.player, 0, 1, 0);
        if (interruption == RESET)
            md5_player_reset(fixture.player);
        if (interruption == STOP)
            md5_player_stop_one_shot(fixture.player, 0, 0);
        const bool is_immediate = interruption != FADE && interruption != ITSELF;
        CHECK_STRING(play_and_log(&fixture, 0, 0.1, &to), is_immediate ? "-hitsword 0.00 " : "");
        if (interruption == ITSELF) // the old clip plays until it has faded out
            CHECK_STRING(play_and_log(&fixture, 0.3, 0.02, &to),
                         "-hitsword 0.00 step 1.00 +hitsword 1.00 ");
        if (interruption == FADE)
            CHECK_STRING(play_and_log(&fixture, 0.1, 0.02, &to), "-hitsword 0.00 ");
        CHECK_EXACT(md5_player_window(fixture.player, hit), interruption == ITSELF ? 1 : 0);
    }
    CHECK(true);
}

// Clip b, which has a window that is always open, fades out in one second, in many steps and in
// one.
TEST (open_window_has_the_weight_of_its_clip) {
    SCOPED_PLAY fixture;
    begin(&fixture, "layer l { state b b state c c }");
    const uint32_t far = md5_find_window(fixture.machine, "far");
    for (int step = 1; step <= 8; step += 7) {
        md5_player_reset(fixture.player);
        play_advance(fixture.player, 0);
        CHECK_EXACT(md5_player_window(fixture.player, far), 1);
        play_fade(fixture.player, 0, 1, 1);
        for (int i = step; i <= 8; i += step) {
            play_advance(fixture.player, step / 10.0);
            CHECK_NEAR(md5_player_window(fixture.player, far), 1 - i / 10.0, 1e-6);
        }
    }
}

// -- Random machines --------------------------------------------------------------------------

typedef struct pairs {
    bool are_open[PLAY_RANDOM_CLIPS][PLAY_WINDOWS];
    uint32_t num_begun;
    const play_random_tables *tables;
} pairs;

// Checks that a window opens only if it is closed, and closes only if it is open.
PLAY_LISTENER(pair)
{
    pairs *const to = user;
    const bool begins = event->kind == MD5_EVENT_BEGIN;
    if (!begins && event->kind != MD5_EVENT_END)
        return;
    CHECK(weight >= (begins ? 1e-6f : 0) && weight <= 1);
    // If several windows are equal, use the first one.
    for (int k = 0; k < PLAY_WINDOWS; k++) {
        const md5_window *const window = &to->tables->windows[event->index][k];
        bool *const is_open = &to->are_open[event->index][k];
        if (strcmp(window->name, event->name) != 0 || *is_open == begins
            || event->frame != (begins ? window->first : window->last))
            continue;
        *is_open = begins;
        to->num_begun += begins;
        return;
    }
    CHECK_THAT(false, "%s of %s without the other", begins ? "begin" : "end", event->name);
}

static bool are_windows_correct(const pairs *fixture, const md5_machine *machine,
                                const md5_player *player)
{
    for (int i = 0; i < PLAY_WINDOWS; i++) {
        const char *const name =
            fixture->tables->windows[0][i].name; // all clips have the same window names
        bool is_open = false;
        for (int k = 0; k < PLAY_RANDOM_CLIPS; k++)
            is_open = is_open || fixture->are_open[k][i];
        const uint32_t window = md5_find_window(machine, name);
        if ((md5_player_window(player, window) > 0) != is_open)
            return false;
    }
    return true;
}

TEST (each_opened_window_is_closed) {
    enum { USUAL = 1000, STEPS = 12 };
    const char *const wanted = getenv("MD5_WINDOW_MACHINES");
    const uint32_t num_machines = wanted ? (uint32_t)strtoul(wanted, NULL, 10) : USUAL;
    static play_random_tables tables;
    static uint8_t bytes[1 << 16];
    play_random_stock stock;
    play_random_begin(&stock);
    uint64_t num_begun = 0;
    uint32_t num_empty = 0;
    for (uint64_t seed = 0; seed < num_machines; seed++) {
        uint64_t random = seed * 0x2545F4914F6CDD1Du + 77;
        play_random_make(&stock, &tables, &random);
        for (uint32_t i = 0; i < tables.desc.num_layers; i++) // an empty state exists
            tables.states[i][tables.layers[i].num_states - 1].motion = NULL;
        if (seed % 2)
            play_random_step(&tables, &random);
        if (seed % 4 == 0)
            play_random_add_times(&tables, &random);
        SCOPED_MACHINE machine = play_machine(&tables.desc);
        md5_player *player = play_player(machine);
        md5_player *second = play_player(machine);
        pairs window_pairs = {.tables = &tables};
        pairs kept = window_pairs;
        size_t size = md5_player_save(player, bytes, sizeof bytes);
        bool is_right = true;
        for (int i = 0; i < STEPS && is_right; i++) {
            play_random_change(&player, 1, &tables, &random);
            if (play_random_one_in(&random, 3)) {
                const md5_one_shot_desc one_shot = {
                    .start = test_random(&random), .fade_in = 0.2f * (float)play_below(&random, 2)};
                md5_player_play_one_shot(player, play_below(&random, 2),
                                         play_below(&random, PLAY_RANDOM_CLIPS), &one_shot);
            }
            if (play_random_one_in(&random, 4))
                md5_player_stop_one_shot(player, play_below(&random, 2),
                                         0.2f * (float)play_below(&random, 2));
            if (play_random_one_in(&random, 8))
                md5_player_reset(player);
            if (play_random_one_in(&random, 4)) { // a restored player continues
                kept = window_pairs;
                size = md5_player_save(player, bytes, sizeof bytes);
            }
            if (play_random_one_in(&random, 4)) {
                CHECK(md5_player_restore(player, bytes, size, NULL));
                window_pairs = kept;
            }
            if (play_random_one_in(&random, 4)) {
                md5_player_copy(second, player);
                md5_player *const swapped = player;
                player = second;
                second = swapped;
            }
            // Windows open and close in the same way without a callback.
            md5_player_advance(player, play_random_seconds(&random), pair, &window_pairs);
            is_right = are_windows_correct(&window_pairs, machine, player);
        }
        for (uint32_t i = 0; i < tables.desc.num_layers; i++)
            md5_player_seek(player, i, tables.layers[i].num_states - 1, 0);
        for (uint32_t i = 0; i < 4; i++)
            md5_player_stop_one_shot(player, i, 0);
        md5_player_advance(player, 0, pair, &window_pairs);
        bool is_empty = true;
        for (uint32_t i = 0; i < tables.desc.num_layers; i++)
            is_empty = is_empty && md5_player_layer(player, i).from == MD5_NONE
                       && md5_player_layer(player, i).state == tables.layers[i].num_states - 1;
        for (uint32_t i = 0; i < PLAY_RANDOM_CLIPS * PLAY_WINDOWS && is_empty; i++)
            is_right = is_right && !window_pairs.are_open[i / PLAY_WINDOWS][i % PLAY_WINDOWS];
        num_empty += is_empty;
        num_begun += window_pairs.num_begun;
        md5_destroy_player(player);
        md5_destroy_player(second);
        if (!CHECK_THAT(is_right, "machine of seed %u", (unsigned)seed))
            break;
    }
    CHECK(num_begun > 5 * num_machines && num_empty > num_machines / 8);
    play_end(&stock.assets);
}

// -- Curves -----------------------------------------------------------------------------------

static double force_at(double frame) // the curve of clip a; the curve of clip b is -2
{
    return 1 + 0.2 * frame;
}

static double curve_value(play_scene *fixture, const char *name)
{
    return md5_player_curve(fixture->player, md5_find_curve(fixture->machine, name));
}

static void go(play_scene *fixture, uint32_t layer, uint32_t state, float duration, md5_fade fade)
{
    CHECK(md5_player_fade_to(fixture->player, layer, state, duration, fade, MD5_EASE_LINEAR));
}

TEST (curves_are_blended_as_clips_are) {
    SCOPED_PLAY fixture;
    begin(&fixture, "float x 0.25 motion line line x { phase item a 0 item b 1 } "
                    "layer l { state a a state b b state c c state line line } "
                    "layer over { weight 0.5 state none nothing state b b state c c } "
                    "layer added { add weight 0.25 state none nothing state a a } "
                    "morph smile curve force { weight 2 }");
    md5_player *const player = fixture.player;
    play_advance(player, 0.42);
    CHECK_NEAR(curve_value(&fixture, "force"), force_at(4.2), 1e-5);
    // Eased at whole frames, linear between: 4 t^3 from 0 to 0.5, in 4 frames.
    const double e4 = 4 * 0.125;
    const double e5 = 1 - 4 * 0.25 * 0.25 * 0.25;
    CHECK_NEAR(curve_value(&fixture, "odd"), 4 * (e4 + (e5 - e4) * 0.2), 1e-5);
    float smile;
    md5_player_morphs(player, &smile);
    CHECK_NEAR(smile, 2 * force_at(4.2), 1e-5);
    // A fade from the clip to a clip that does not have the curve, and to further clips.
    go(&fixture, 0, 2, 0.4f, MD5_FADE_CROSS);
    play_advance(player, 0.1);
    CHECK_NEAR(curve_value(&fixture, "force"), 0.75 * force_at(5.2), 1e-5);
    go(&fixture, 0, 1, 0.2f, MD5_FADE_CROSS);
    play_advance(player, 0.05);
    double below = 0.75 * 0.625 * force_at(5.7) + 0.25 * -2;
    CHECK_NEAR(curve_value(&fixture, "force"), below, 1e-5);
    // The curve of a layer above is weighted by the clips that play in that layer and have the
    // curve.
    go(&fixture, 1, 1, 0, MD5_FADE_CROSS);
    CHECK_NEAR(curve_value(&fixture, "force"), 0.5 * below - 1, 1e-5);
    go(&fixture, 1, 2, 0.2f, MD5_FADE_CROSS);
    play_advance(player, 0.05);
    below = 0.5 * 0.5 * force_at(6.2) + 0.5 * -2;
    below = below * (1 - 0.5 * 0.75) + 0.5 * 0.75 * -2;
    CHECK_NEAR(curve_value(&fixture, "force"), below, 1e-5);
    go(&fixture, 2, 1, 0, MD5_FADE_CROSS);
    below += 0.25 * force_at(0);
    CHECK_NEAR(curve_value(&fixture, "force"), below, 1e-5);
    // One-shots that replace the pose, and additive one-shots, have different effects on the curve.
    const md5_one_shot_desc half = {.weight = 0.4f};
    const md5_one_shot_desc added = {.weight = 0.5f, .mode = MD5_LAYER_ADD};
    CHECK(md5_player_play_one_shot(player, 0, 0, &half)
          && md5_player_play_one_shot(player, 1, 1, &added));
    CHECK(md5_player_play_one_shot(player, 2, 2, NULL)); // its clip does not have the curve
    CHECK_NEAR(curve_value(&fixture, "force"), 0.6 * below + 0.4 * 1 + 0.5 * -2, 1e-5);
    // A blend space.
    md5_player_reset(player);
    md5_player_seek(player, 0, 3, 0.5);
    CHECK_NEAR(curve_value(&fixture, "force"), 0.75 * force_at(5) + 0.25 * -2, 1e-5);
    CHECK_EXACT(curve_value(&fixture, "none"), 0);
}

// More transitions of both kinds than there are slots: curves do not jump, and a saved player
// continues.
TEST (curves_do_not_jump_when_transitions_are_interrupted) {
    SCOPED_PLAY fixture;
    begin(&fixture, "layer l { state a a state b b state c c } layer m { weight 0.5 state b b }");
    for (uint32_t i = 1; i < 60u; i++) {
        const double previous_value = curve_value(&fixture, "force");
        go(&fixture, 0, i * 7 % 3, 0.9f, i % 5 == 4 ? MD5_FADE_INERTIAL : MD5_FADE_CROSS);
        CHECK_NEAR(curve_value(&fixture, "force"), previous_value, 1e-5);
        play_advance(fixture.player, 0.09);
        SCOPED_PLAYER restored = play_restored(fixture.player);
        SCOPED_PLAYER copied = play_copied(fixture.player);
        const uint32_t force = md5_find_curve(fixture.machine, "force");
        const float value = md5_player_curve(fixture.player, force);
        CHECK(md5_player_curve(restored, force) == value
              && md5_player_curve(copied, force) == value);
    }
    go(&fixture, 0, 2, 0.1f, MD5_FADE_CROSS);
    play_advance(fixture.player, 3);
    CHECK_NEAR(curve_value(&fixture, "force"), -1, 1e-6);
}

TEST (windows_and_curves_are_checked) {
    static const char *const cases[][2] = {
        {"clip a f { window hit 3-2 }",
         "clip 'a': window 'hit' is out of range: expected ascending frames from 0 to 10, found 3 "
         "to 2; a window cannot span the end of a cycle"},
        {"clip a f { window hit 2 11 }",
         "clip 'a': window 'hit' is out of range: expected ascending frames from 0 to 10, found 2 "
         "to 11; a window cannot span the end of a cycle"},
        {"clip a f { window '' 1-2 }", "clip 'a': name of window 0 is missing: expected a text"},
        {"clip a f { curve c ( ) }", "curve 'c' has no keys for clip 'a': expected at least 1"},
        {"clip a f { curve c ( 0 1 ) curve c ( 0 1 ) }", "duplicate curve 'c'"},
        {"clip a f { curve c ( 11 1 ) }",
         "key of curve 'c' is out of range: expected a frame from 0 to 10 in clip 'a', found 11"},
        {"clip a f { curve c ( 1 1 ) } motion m clip a { speed c }",
         "motion 'm' refers to curve 'c': expected a parameter, because curves are read with the "
         "pose"},
        {"clip a f morph m curve c", "morph 'm' refers to unknown curve 'c'"},
    };
    play_case assets;
    play_begin(&assets);
    play_add_clip(&assets, 11, 10, 0.3, (play_walk){0}, 1);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        play_refused(&assets, NULL, cases[i][1], "%s", cases[i][0]);
    play_end(&assets);
}
