// A range of frames on the time bar, which limits playback. Also recording, the pace of frames, the
// scale of the interface, keys and touch input.
#include "test/scoped.h"
#include "test/viewer/test_view_shot.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/platform/platform_sdl.h"

// 41 frames at 20 Hz: two seconds.
static const md5_anim clip = {.num_frames = 41, .frame_rate = 20, .duration = 2};

// Frames 11 to 31 in the numbering of the panel: from 0.5 to 1.5 s.
static view_play make_play(md5_wrap wrap)
{
    return (view_play){
        .playing = true, .speed = 1, .wrap = wrap, .range_first = 10, .range_last = 30};
}

TEST (view_range_has_the_times_of_its_frames) {
    double begin, end;
    view_play play = make_play(MD5_WRAP_LOOP);
    CHECK(view_find_range(&play, &clip, &begin, &end));
    CHECK_NEAR(begin, 0.5, 1e-12);
    CHECK_NEAR(end, 1.5, 1e-12);
    play.range_last = 1000; // from a longer clip
    CHECK(view_find_range(&play, &clip, &begin, &end));
    CHECK_NEAR(end, 2, 1e-12);
    play.range_first = 40; // a range of one frame
    CHECK(!view_find_range(&play, &clip, &begin, &end));
    CHECK(!view_find_range(&play, NULL, &begin, &end));
    play.range_first = play.range_last = 0;
    CHECK(!view_find_range(&play, &clip, &begin, &end));
}

// At t seconds after its beginning, the time is begin + t modulo 1 s, forward and backward.
TEST (view_range_loops) {
    static const md5_wrap wraps[] = {MD5_WRAP_LOOP, MD5_WRAP_CYCLE};
    for (int i = 0; i < 4; i++) {
        view_play play = make_play(wraps[i % 2]);
        play.backward = i >= 2;
        play.time = play.backward ? 1.5 : 0.5;
        for (int k = 1; k <= 500; k++) {
            view_advance(&play, &clip, 0.03);
            const double over = fmod(0.03 * k, 1.0);
            const double expected = play.backward ? 1.5 - over : 0.5 + over;
            const double off = fabs(view_cycle_time(&play, &clip) - expected);
            CHECK(fmin(off, fabs(off - 1.0)) < 1e-5);
            CHECK(play.time >= 0.5 - 1e-9 && play.time <= 1.5 + 1e-9);
        }
        CHECK(play.playing);
    }
}

TEST (view_range_is_entered_at_its_beginning) {
    view_play play = make_play(MD5_WRAP_LOOP);
    play.time = 0.1;
    view_advance(&play, &clip, 0.01);
    CHECK_NEAR(play.time, 0.51, 1e-9);
    // After the jump to the start of the range, the time is still in the sixth cycle of the clip,
    // because the root may have moved in the earlier cycles.
    play.time = 10.0 + 1.9;
    view_advance(&play, &clip, 0.01);
    CHECK_NEAR(play.time, 10.51, 1e-9);
    play.time = 10.0 + 0.1;
    play.backward = true;
    view_advance(&play, &clip, 0.01);
    CHECK_NEAR(play.time, 11.49, 1e-9);
}

TEST (view_range_plays_once) {
    view_play play = make_play(MD5_WRAP_CLAMP);
    play.time = 1.4;
    view_advance(&play, &clip, 0.3);
    CHECK(play.time == 1.5 && !play.playing);
    view_toggle_play(&play, &clip);
    CHECK(play.time == 0.5 && play.playing);
    play.backward = true;
    play.time = 0.6;
    view_advance(&play, &clip, 0.3);
    CHECK(play.time == 0.5 && !play.playing);
    view_toggle_play(&play, &clip);
    CHECK(play.time == 1.5 && play.playing);
}

TEST (view_range_is_set_at_the_shown_frame) {
    view_play play = {.speed = 1, .wrap = MD5_WRAP_LOOP};
    view_seek(&play, &clip, 0.5);
    CHECK(view_set_range(&play, &clip, false));
    CHECK(play.range_first == 10 && play.range_last == 40);
    view_seek(&play, &clip, 1.51);
    CHECK(view_set_range(&play, &clip, true));
    CHECK(play.range_first == 10 && play.range_last == 30);
    view_seek(&play, &clip, 1.8); // after the end of the range
    CHECK(view_set_range(&play, &clip, false));
    CHECK(play.range_first == 36 && play.range_last == 40);
    view_seek(&play, &clip, 0.2); // before the beginning of the range
    CHECK(view_set_range(&play, &clip, true));
    CHECK(play.range_first == 0 && play.range_last == 4);
    view_seek(&play, &clip, 0.0);
    CHECK(!view_set_range(&play, &clip, true));
    CHECK(!view_set_range(&play, NULL, true));
    CHECK(play.range_first == 0 && play.range_last == 4);
}

// Frames count from zero, as in MD5 files, machine files and the panel.
TEST (view_option_range_counts_from_zero) {
    STRINGS(bad) = {"", "3", "3-", "-3", "5-5", "7-3", "4-0", "1.5-3", "1-3-5", "1-1000000", "a-b"};
    view_options options;
    char problem[256];
    char *good[] = {"--range=10-30", "--range=0-4"};
    CHECK(view_read_options(1, good, &options, problem, sizeof problem));
    CHECK(options.range_first == 10 && options.range_last == 30);
    view_free_options(&options);
    CHECK(view_read_options(1, good + 1, &options, problem, sizeof problem));
    CHECK(options.range_first == 0 && options.range_last == 4);
    view_free_options(&options);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        char text[32];
        char name[] = "--range";
        char *words[] = {name, text};
        snprintf(text, sizeof text, "%s", bad[i]);
        CHECK(!view_read_options(2, words, &options, problem, sizeof problem));
        view_free_options(&options);
    }
}

// -- Recording ------------------------------------------------------------------------------------

// Movies of the window, which are written while it runs, without knowing the number of frames.

enum { WIDTH = 64, HEIGHT = 48 };

// Returns the number of frames in an APNG header: it is in the chunk acTL after the signature and
// the chunk IHDR of 25 bytes, after its size and name.
static uint32_t read_frame_count(const uint8_t *bytes)
{
    const uint8_t *const at = bytes + 8 + 25 + 8;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint8_t *write_movie(const char *path, uint32_t num_frames, size_t *size)
{
    view_log log = quiet_log;
    uint8_t pixels[4 * 4 * 2] = {0};
    const char *problem = NULL;
    view_movie *const movie = view_begin_movie(path, 4, 2, 25.0, num_frames, &log);
    if (!CHECK(movie))
        return NULL;
    for (uint8_t i = 0; i < 3; i++) {
        memset(pixels, 40 * i, sizeof pixels);
        CHECK(view_add_movie_image(movie, pixels));
    }
    CHECK(view_end_movie(movie));
    uint8_t *const bytes = (uint8_t *)common_read_stream(path, size, &problem);
    CHECK(remove(path) == 0);
    return bytes;
}

// A movie whose number of frames is known at the start must equal a movie whose number is written
// at the end, including the checksums.
TEST (view_movie_stores_its_frame_count_at_the_end) {
    size_t reference_size = 0;
    size_t open_size = 0;
    SCOPED uint8_t *const reference = write_movie("record_known.apng", 3, &reference_size);
    SCOPED uint8_t *const open = write_movie("record_open.apng", 0, &open_size);
    REQUIRE(reference != NULL && open != NULL);
    CHECK_UINT(read_frame_count(open), 3);
    CHECK_UINT(open_size, reference_size);
    CHECK(reference_size == open_size && memcmp(reference, open, open_size) == 0);
}

TEST_SHOT (view_record_begins_and_ends_by_a_key,
           "models/zoo/triangle.md5mesh --frame-rate 10 --resolution 64,48") {
    view_state *const state = &viewer->state;
    const char *problem = NULL;
    CHECK(!state->jobs.movie);
    view_record_frame(state); // has no effect
    PERFORM(state, VIEW_RECORD);
    if (CHECK(state->jobs.movie)) {
        char *const path = common_copy(state->jobs.movie->path);
        CHECK_EXACT(state->jobs.movie->frame_rate, 10);
        view_record_frame(state);
        view_record_frame(state);
        CHECK_UINT(state->jobs.movie->num_added, 2);
        PERFORM(state, VIEW_RECORD);
        CHECK(!state->jobs.movie);
        CHECK(strstr(state->ui.notice.text, ": 2 frames"));
        size_t size = 0;
        SCOPED_STRING bytes = common_read_stream(path, &size, &problem);
        CHECK(bytes != NULL && size > 100 && read_frame_count((const uint8_t *)bytes) == 2);
        CHECK(remove(path) == 0);
        free(path);
    }
    // A change of the window's size ends the recording.
    PERFORM(state, VIEW_RECORD);
    if (CHECK(state->jobs.movie)) {
        char *const path = common_copy(state->jobs.movie->path);
        view_record_frame(state);
        state->width = WIDTH / 2;
        view_record_frame(state);
        CHECK(!state->jobs.movie);
        CHECK(remove(path) == 0);
        free(path);
    }
}

// -- Pace of frames -------------------------------------------------------------------------------

// The clock of a window follows real time, however long a frame takes.

// Plays a clip in frames of `seconds` each, and returns its time.
static double play_frames(double seconds, int count)
{
    view_pace pace = {.last = 100};
    view_play play = {.playing = true, .speed = 1};
    double time = 100.0;
    for (int i = 0; i < count; i++) {
        time += seconds;
        view_advance(&play, NULL, view_pace_frame(&pace, time));
        view_adjust_frame_pace(&pace, 1e-4, true); // a mouse movement
    }
    return play.time;
}

// The complete time of frames of up to two seconds is counted. A former version limited them to a
// tenth of a second.
TEST (view_clips_keep_real_time_on_a_slow_clock) {
    CHECK_NEAR(play_frames(1.0 / 60.0, 600), 10, 1e-9);
    CHECK_NEAR(play_frames(0.125, 80), 10, 1e-9);
    CHECK_NEAR(play_frames(0.5, 20), 10, 1e-9);
    CHECK_NEAR(play_frames(2.0, 5), 10, 1e-9);
}

TEST (view_opening_a_file_does_not_advance_clips) {
    view_pace pace = {.last = 0};
    CHECK_NEAR(view_pace_frame(&pace, 0.25), 0.25, 1e-12);
    view_adjust_frame_pace(&pace, 3.0, true); // loading a large model
    CHECK_NEAR(view_pace_frame(&pace, 3.5), 0.25, 1e-12);
    CHECK_NEAR(view_pace_frame(&pace, 3.75), 0.25, 1e-12); // subtracted once
}

TEST (view_waiting_for_events_does_not_advance_clips) {
    view_pace pace = {.last = 0};
    view_adjust_frame_pace(&pace, 0.9, false); // waiting until Space is pressed
    view_adjust_frame_pace(&pace, 0.05, false);
    CHECK_NEAR(view_pace_frame(&pace, 1.0), 0.05, 1e-12);
}

TEST (view_clock_that_jumps_is_bounded) {
    view_pace pace = {.last = 50};
    CHECK_EXACT(view_pace_frame(&pace, 40.0), 0);
    CHECK_NEAR(view_pace_frame(&pace, 40.5), 0.5, 1e-12);
    CHECK_EXACT(view_pace_frame(&pace, 3640.5), 10); // suspended for an hour
    view_adjust_frame_pace(&pace, 5.0, true);
    CHECK_EXACT(view_pace_frame(&pace, 3641.0), 0); // longer work than the clock has measured
}

// -- The scale of the interface -------------------------------------------------------------------

// The scale of the window is Xft.dpi divided by 96. Invalid values and other resources are
// ignored.
TEST (view_scale_is_read_from_x_resources) {
    static const struct {
        const char *resources;
        double expected;
    } cases[] = {
        {"Xft.dpi:\t144\n", 1.5},
        {"Xcursor.size: 24\nXft.antialias: 1\nXft.dpi: 192", 2},
        {"*Xft.dpi: 144\n", 0},
        {"Other.Xft.dpi: 144\n", 0},
        {"Xft.dpi: much\n", 0},
        {"Xft.dpi: 1e30\n", 0},
        {"Xft.dpi: nan\n", 0},
        {"Xft.dpi:", 0},
        {"", 0},
        {NULL, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_EXACT(view_scale_from_resources(cases[i].resources), cases[i].expected);
}

// -- Names of keys --------------------------------------------------------------------------------

// All keys that commands have, and letters of other alphabets. SDL has the same names for them.
TEST (view_keys_are_named_as_in_sdl) {
    static const SDL_Keycode codes[] = {'a',
                                        'z',
                                        '0',
                                        '9',
                                        ' ',
                                        ',',
                                        '-',
                                        '[',
                                        SDLK_RETURN,
                                        SDLK_ESCAPE,
                                        SDLK_BACKSPACE,
                                        SDLK_TAB,
                                        SDLK_DELETE,
                                        SDLK_UP,
                                        SDLK_DOWN,
                                        SDLK_LEFT,
                                        SDLK_RIGHT,
                                        SDLK_HOME,
                                        SDLK_END,
                                        SDLK_PAGEUP,
                                        SDLK_PAGEDOWN,
                                        SDLK_PAUSE,
                                        SDLK_APPLICATION,
                                        SDLK_LSHIFT,
                                        SDLK_RSHIFT,
                                        SDLK_LALT,
                                        SDLK_F1,
                                        SDLK_F9,
                                        SDLK_F12,
                                        SDLK_KP_ENTER,
                                        SDLK_KP_PLUS,
                                        SDLK_KP_MINUS,
                                        SDLK_KP_0,
                                        SDLK_KP_1,
                                        SDLK_KP_9};
    char name[16];
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        CHECK_STRING(view_name_key(view_key_from_sdl(codes[i]), name, sizeof name),
                     SDL_GetKeyName(codes[i]));
    CHECK(view_key_from_sdl(0xE9) == 0xE9); // a character without a name in the viewer
    CHECK_STRING(view_name_key(0xE9, name, sizeof name), "");
    CHECK(view_key_from_sdl(SDLK_F13) == VIEW_KEY_OTHER);
    CHECK(view_key_from_sdl(SDLK_UNKNOWN) == VIEW_KEY_OTHER);
    CHECK(view_key_from_sdl((SDL_Keycode)0x80000001u) == VIEW_KEY_OTHER);
}

// A double click consists of two presses of one button at one position. Its time limit is 500 ms,
// also if the clock wraps around.
TEST (view_clicks_are_counted_by_their_times) {
    view_clicks clicks = {0};
    CHECK_UINT((unsigned)view_count_clicks(&clicks, 1, 100, 50, 50),
               1); // less than 500 ms after the start
    CHECK_UINT((unsigned)view_count_clicks(&clicks, 1, 600, 66, 34), 2);
    CHECK_UINT((unsigned)view_count_clicks(&clicks, 1, 1100, 66, 34), 3);
    CHECK_UINT((unsigned)view_count_clicks(&clicks, 1, 1601, 66, 34), 1);
    CHECK_UINT((unsigned)view_count_clicks(&clicks, 3, 1602, 66, 34), 1);
    CHECK_UINT((unsigned)view_count_clicks(&clicks, 3, 1603, 83, 34), 1);
    CHECK_UINT((unsigned)view_count_clicks(&clicks, 3, UINT32_MAX - 99, 83, 34), 1);
    CHECK_UINT((unsigned)view_count_clicks(&clicks, 3, 400, 83, 34), 2);
    CHECK_UINT((unsigned)view_count_clicks(&clicks, 3, 901, 83, 34), 1);
}

// Sends an SDL event of a finger at a time in milliseconds, and returns the resulting input.
static view_input touch(view_window *window, Uint32 type, Uint32 time)
{
    SDL_Event event = {.type = type};
    event.common.timestamp = time;
    if (type == SDL_MOUSEBUTTONUP)
        event.button = (SDL_MouseButtonEvent){
            .type = type, .timestamp = time, .which = SDL_TOUCH_MOUSEID, .button = SDL_BUTTON_LEFT};
    return view_input_from_sdl(window, &event);
}

TEST (view_long_press_needs_a_single_finger) {
    if (!CHECK(SDL_InitSubSystem(SDL_INIT_VIDEO) == 0)) // the video system, which lists the screens
        return;
    view_window *const window = common_alloc(1, sizeof *window);
    (void)touch(window, SDL_FINGERDOWN, 1000);
    CHECK(!touch(window, SDL_MOUSEBUTTONUP, 1400).is_long);
    CHECK(touch(window, SDL_MOUSEBUTTONUP, 1600).is_long);
    CHECK(!touch(window, SDL_MOUSEBUTTONUP, 1600).is_canceled);
    (void)touch(window, SDL_FINGERDOWN, 1600);
    CHECK(touch(window, SDL_MOUSEBUTTONUP, 1700).is_canceled);
    (void)touch(window, SDL_FINGERUP, 1700);
    (void)touch(window, SDL_FINGERUP, 1700);
    (void)touch(window, SDL_FINGERDOWN, 2000);
    CHECK(!touch(window, SDL_MOUSEBUTTONUP, 2100).is_canceled);
    CHECK(!touch(window, SDL_MOUSEBUTTONUP, 2100).is_long);
    free(window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

// The second finger acts as the middle button, which pans. The distance of two fingers acts as the
// wheel.
TEST (view_two_fingers_pan_and_pinch) {
    REQUIRE(SDL_InitSubSystem(SDL_INIT_VIDEO) == 0);
    view_window *const window = common_alloc(1, sizeof *window);
    SDL_Event pinch = {.mgesture = {.type = SDL_MULTIGESTURE, .dDist = 0.1f}};
    CHECK(touch(window, SDL_FINGERDOWN, 1000).kind == VIEW_INPUT_OTHER);
    CHECK(view_input_from_sdl(window, &pinch).kind == VIEW_INPUT_OTHER);
    const view_input second = touch(window, SDL_FINGERDOWN, 1100);
    CHECK(second.kind == VIEW_INPUT_PRESS && second.button == VIEW_BUTTON_MIDDLE);
    const view_input apart = view_input_from_sdl(window, &pinch);
    CHECK(apart.kind == VIEW_INPUT_WHEEL && apart.wheel > 2.0f && apart.wheel < 3.0f);
    CHECK(touch(window, SDL_FINGERDOWN, 1100).kind == VIEW_INPUT_OTHER);
    free(window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

// Queued mouse moves are merged up to the next event of another kind. Otherwise a window that draws
// slowly would lag.
TEST (view_queued_mouse_moves_are_merged) {
    REQUIRE(SDL_InitSubSystem(SDL_INIT_VIDEO) == 0);
    view_window *const window = common_alloc(1, sizeof *window);
    const SDL_Event press = {.button = {.type = SDL_MOUSEBUTTONDOWN, .button = SDL_BUTTON_LEFT}};
    SDL_FlushEvents(SDL_FIRSTEVENT, SDL_LASTEVENT);
    for (int i = 1; i <= 4; i++) {
        SDL_Event moved = {.motion = {.type = SDL_MOUSEMOTION, .x = 10 * i, .xrel = i, .yrel = -i}};
        CHECK(SDL_PushEvent(&moved) == 1);
        if (i == 3)
            CHECK(SDL_PushEvent(&(SDL_Event){.button = press.button}) == 1);
    }
    view_input event = {.kind = VIEW_INPUT_OTHER};
    CHECK(view_next_input(window, 0.0, &event) && event.kind == VIEW_INPUT_MOVE);
    CHECK(event.x == 30.0f && event.moved_x == 6.0f && event.moved_y == -6.0f);
    CHECK(view_next_input(window, 0.0, &event) && event.kind == VIEW_INPUT_PRESS);
    CHECK(view_next_input(window, 0.0, &event) && event.x == 40.0f && event.moved_x == 4.0f);
    free(window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

// Queues two dropped files and a dropped text. Between the files is the marker at which
// SDL_PollEvent() stops.
static void queue_drops(void)
{
    static const Uint32 types[] = {SDL_DROPFILE, SDL_POLLSENTINEL, SDL_DROPFILE, SDL_DROPTEXT};
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        SDL_Event event = {.type = types[i]};
        if (types[i] != SDL_POLLSENTINEL)
            event.drop.file = SDL_strdup("a.md5mesh");
        CHECK(SDL_PushEvent(&event) == 1);
    }
}

// SDL reuses the entries of its queue, so only the first round allocates them.
TEST (view_drops_that_remain_in_the_queue_are_freed) {
    REQUIRE(SDL_InitSubSystem(SDL_INIT_VIDEO) == 0);
    view_discard_events();
    queue_drops();
    view_discard_events();
    const int before = SDL_GetNumAllocations();
    queue_drops();
    view_discard_events();
    CHECK(SDL_GetNumAllocations() == before);
    CHECK(!SDL_HasEvents(SDL_FIRSTEVENT, SDL_LASTEVENT));
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

// Dropped texts are ignored.
TEST (view_dropped_text_is_freed) {
    REQUIRE(SDL_InitSubSystem(SDL_INIT_VIDEO) == 0);
    view_window *const window = common_alloc(1, sizeof *window);
    const int before = SDL_GetNumAllocations();
    SDL_Event event = {.type = SDL_DROPTEXT};
    event.drop.file = SDL_strdup("text");
    CHECK(view_input_from_sdl(window, &event).kind == VIEW_INPUT_OTHER);
    CHECK(SDL_GetNumAllocations() == before);
    free(window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

// A tap with exactly three fingers frames everything, unless the fingers rest.
TEST (view_three_fingers_tap_the_key_home) {
    REQUIRE(SDL_InitSubSystem(SDL_INIT_VIDEO) == 0);
    for (int count = 1; count <= 4; count++) {
        for (Uint32 hold_time = 200; hold_time <= 800; hold_time += 600) {
            view_window *const window = common_alloc(1, sizeof *window);
            uint32_t num_homes = 0;
            for (int i = 0; i < 2 * count; i++) {
                const bool is_down = i < count;
                const view_input input = is_down ? touch(window, SDL_FINGERDOWN, 1000)
                                                 : touch(window, SDL_FINGERUP, 1000 + hold_time);
                num_homes += input.kind == VIEW_INPUT_KEY_DOWN && input.key == VIEW_KEY_HOME;
            }
            CHECK_UINT(num_homes, count == 3 && hold_time == 200);
            free(window);
        }
    }
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}
