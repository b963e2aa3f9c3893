// The clock of a window keeps real time, however long a frame takes.
#include "test/test.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/motion/play.h"

// Plays a clip in frames of `seconds` each; returns its time.
static double play_frames(double seconds, int count)
{
    view_pace pace = {.last = 100.0};
    view_play play = {.playing = true, .speed = 1.0};
    double now = 100.0;
    for (int i = 0; i < count; i++) {
        now += seconds;
        view_advance(&play, NULL, view_pace_frame(&pace, now));
        view_pace_work(&pace, 1e-4, true); // a mouse that moves
    }
    return play.time;
}

// Frames of up to two seconds count in full; they once counted as a tenth of a second at most.
TEST (view_clips_keep_real_time_on_a_slow_clock) {
    CHECK_NEAR(play_frames(1.0 / 60.0, 600), 10.0, 1e-9);
    CHECK_NEAR(play_frames(0.125, 80), 10.0, 1e-9);
    CHECK_NEAR(play_frames(0.5, 20), 10.0, 1e-9);
    CHECK_NEAR(play_frames(2.0, 5), 10.0, 1e-9);
}

TEST (view_opening_a_file_does_not_advance_clips) {
    view_pace pace = {.last = 0.0};
    CHECK_NEAR(view_pace_frame(&pace, 0.25), 0.25, 1e-12);
    view_pace_work(&pace, 3.0, true); // a large model
    CHECK_NEAR(view_pace_frame(&pace, 3.5), 0.25, 1e-12);
    CHECK_NEAR(view_pace_frame(&pace, 3.75), 0.25, 1e-12); // once
}

TEST (view_waiting_for_events_does_not_advance_clips) {
    view_pace pace = {.last = 0.0};
    view_pace_work(&pace, 0.9, false); // until Space is pressed
    view_pace_work(&pace, 0.05, false);
    CHECK_NEAR(view_pace_frame(&pace, 1.0), 0.05, 1e-12);
}

TEST (view_clock_that_jumps_is_bounded) {
    view_pace pace = {.last = 50.0};
    CHECK_NEAR(view_pace_frame(&pace, 40.0), 0.0, 0.0);
    CHECK_NEAR(view_pace_frame(&pace, 40.5), 0.5, 1e-12);
    CHECK_NEAR(view_pace_frame(&pace, 3640.5), 10.0, 0.0); // suspended for an hour
    view_pace_work(&pace, 5.0, true);
    CHECK_NEAR(view_pace_frame(&pace, 3641.0), 0.0, 0.0); // more seconds of work than have passed
}
