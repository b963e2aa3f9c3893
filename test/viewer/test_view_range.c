// A range of frames on the time bar: playback stays within it.
#include "test/test.h"

#include "demo/viewer/base/options.h"
#include "demo/viewer/motion/play.h"

#include <math.h>
#include <stdio.h>

// 41 frames of 20 a second: two seconds.
static const md5_anim clip = {.num_frames = 41, .frame_rate = 20.0, .duration = 2.0};

// Frames 11 to 31 as the panel counts them: from 0.5 to 1.5 s.
static view_play make_play(md5_wrap wrap)
{
    return (view_play){
        .playing = true, .speed = 1.0, .wrap = wrap, .range_first = 10, .range_last = 30};
}

TEST (view_range_has_the_times_of_its_frames) {
    double begin, end;
    view_play play = make_play(MD5_WRAP_LOOP);
    CHECK(view_find_range(&play, &clip, &begin, &end));
    CHECK_NEAR(begin, 0.5, 1e-12);
    CHECK_NEAR(end, 1.5, 1e-12);
    play.range_last = 1000; // of a longer clip
    CHECK(view_find_range(&play, &clip, &begin, &end));
    CHECK_NEAR(end, 2.0, 1e-12);
    play.range_first = 40; // only the last frame
    CHECK(!view_find_range(&play, &clip, &begin, &end));
    CHECK(!view_find_range(&play, NULL, &begin, &end));
    play.range_first = play.range_last = 0;
    CHECK(!view_find_range(&play, &clip, &begin, &end));
}

// After t seconds from its beginning the time is begin + t modulo 1 s, forward and backward.
TEST (view_range_loops) {
    static const md5_wrap wraps[] = {MD5_WRAP_LOOP, MD5_WRAP_CYCLE};
    for (int i = 0; i < 4; i++) {
        view_play play = make_play(wraps[i % 2]);
        play.backward = i >= 2;
        play.time = play.backward ? 1.5 : 0.5;
        for (int k = 1; k <= 500; k++) {
            view_advance(&play, &clip, 0.03);
            const double over = fmod(0.03 * k, 1.0);
            const double place = play.backward ? 1.5 - over : 0.5 + over;
            const double off = fabs(view_cycle_time(&play, &clip) - place);
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
    play.time = 10.0 + 1.9; // of the sixth cycle, which stays: the root may have moved
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
    view_play play = {.speed = 1.0, .wrap = MD5_WRAP_LOOP};
    view_seek(&play, &clip, 0.5);
    CHECK(view_set_range(&play, &clip, false));
    CHECK(play.range_first == 10 && play.range_last == 40);
    view_seek(&play, &clip, 1.51);
    CHECK(view_set_range(&play, &clip, true));
    CHECK(play.range_first == 10 && play.range_last == 30);
    view_seek(&play, &clip, 1.8); // after its end
    CHECK(view_set_range(&play, &clip, false));
    CHECK(play.range_first == 36 && play.range_last == 40);
    view_seek(&play, &clip, 0.2); // before its beginning
    CHECK(view_set_range(&play, &clip, true));
    CHECK(play.range_first == 0 && play.range_last == 4);
    view_seek(&play, &clip, 0.0);
    CHECK(!view_set_range(&play, &clip, true));
    CHECK(!view_set_range(&play, NULL, true));
    CHECK(play.range_first == 0 && play.range_last == 4);
}

// As files, machine files and the panel.
TEST (view_option_range_counts_from_zero) {
    static const char *const bad[] = {"",    "3",     "3-",    "-3",        "5-5", "7-3",
                                      "4-0", "1.5-3", "1-3-5", "1-1000000", "a-b"};
    view_options options;
    char problem[256];
    char *good[] = {"--range=10-30", "--range=0-4"};
    CHECK(view_read_options(1, good, &options, problem, sizeof problem));
    CHECK(options.range_first == 10 && options.range_last == 30);
    view_free_options(&options);
    CHECK(view_read_options(1, good + 1, &options, problem, sizeof problem));
    CHECK(options.range_first == 0 && options.range_last == 4);
    view_free_options(&options);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[32], name[] = "--range", *words[] = {name, text};
        (void)snprintf(text, sizeof text, "%s", bad[i]);
        CHECK(!view_read_options(2, words, &options, problem, sizeof problem));
        view_free_options(&options);
    }
}
