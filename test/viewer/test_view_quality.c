// Quality is reduced step by step if frames are too slow, and returns without oscillating. Frame
// times are simulated: each step takes a fixed share of a full frame's time.
#include "test/test.h"

#include "demo/viewer/base/quality.h"


static const view_quality_offers everything = {.samples = true, .shadows = true};

// The time of a frame at each step, relative to full quality.
static const double shares[VIEW_NUM_QUALITIES] = {1.0, 0.6, 0.45, 0.3, 0.18, 0.12};

// Runs frames for this many seconds, where a frame of full quality takes `full` seconds; returns
// the number of changes.
static uint32_t run(view_quality *quality, double full, double seconds)
{
    uint32_t changes = 0;
    for (double t = 0.0; t < seconds;) {
        const double frame = full * shares[quality->step];
        t += frame;
        changes += view_judge_quality(quality, frame, everything) ? 1 : 0;
    }
    return changes;
}

TEST (view_quality_stays_full_if_frames_are_quick) {
    view_quality quality = {0};
    CHECK_UINT(run(&quality, 0.0499, 60.0), 0);
    CHECK_UINT(quality.step, 0);
}

TEST (view_quality_survives_single_slow_frames) {
    view_quality quality = {0};
    for (int i = 0; i < 300; i++)
        CHECK(!view_judge_quality(&quality, i % 2 == 0 ? 0.02 : 1.0, everything));
}

// 0.07 s: 0.042 s with one sample. 0.25 s: 0.075 s at 75 %, 0.045 s at 50 %.
TEST (view_quality_gives_way_as_far_as_needed) {
    const struct {
        double full;
        uint32_t step;
    } cases[] = {{0.07, 1}, {0.1, 2}, {0.15, 3}, {0.25, 4}, {0.35, 5}, {3.0, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        view_quality quality = {0};
        const uint32_t changes = run(&quality, cases[i].full, 60.0);
        CHECK_UINT(quality.step, cases[i].step);
        CHECK_UINT(changes, cases[i].step); // never back
    }
}

TEST (view_quality_is_reached_soon) {
    view_quality quality = {0};
    (void)run(&quality, 0.25, 2.0); // 3, 4, 4 and 4 frames: 0.75 + 0.6 + 0.45 + 0.3 s
    CHECK(quality.step >= 3);
    (void)run(&quality, 0.25, 0.5);
    CHECK_UINT(quality.step, 4);
    quality = (view_quality){0};
    (void)run(&quality, 1.0, 7.0); // three frames each: 3 + 1.8 + 1.35 + ... s
    CHECK(quality.step >= 3);
}

TEST (view_quality_returns_if_there_is_room) {
    view_quality quality = {0};
    (void)run(&quality, 0.25, 10.0);
    CHECK_UINT(run(&quality, 0.02, 10.0), 4); // the crowd is no longer visible
    CHECK_UINT(quality.step, 0);
}

// Between 0.7 and 1 of the accepted time nothing changes, in either direction. Below 0.7 the better
// step is tried, in vain for 0.055 s: 0.033 s with one sample.
TEST (view_quality_does_not_flicker) {
    view_quality quality = {0};
    (void)run(&quality, 0.07, 10.0);
    CHECK_UINT(quality.step, 1);
    CHECK_UINT(run(&quality, 0.062, 600.0), 0); // 0.037 s now
    CHECK_UINT(run(&quality, 0.08, 600.0), 0);  // 0.048 s now
    for (int i = 1; i <= 200; i++) {
        const double full = 0.005 * i;
        quality = (view_quality){0};
        (void)run(&quality, full, 20.0);
        CHECK(run(&quality, full, 600.0) <= 12);
    }
}

// Full quality is too slow here whenever it is tried, although the other steps are fast: attempts
// to return become rarer.
TEST (view_quality_tries_in_vain_ever_more_rarely) {
    view_quality quality = {0};
    uint32_t changes = 0;
    for (int i = 0; i < 120000; i++)
        changes += view_judge_quality(&quality, quality.step == 0 ? 0.2 : 0.03, everything);
    CHECK(changes > 2 && changes < 40);
    // A minute, after an hour.
    changes = 0;
    for (int i = 0; i < 2000; i++)
        changes += view_judge_quality(&quality, quality.step == 0 ? 0.2 : 0.03, everything);
    CHECK(changes <= 2);
}

// Steps that leave out something that is not drawn anyway are skipped.
TEST (view_quality_leaves_out_only_what_is_there) {
    const view_quality_offers none = {.samples = false, .shadows = false};
    view_quality quality = {0};
    uint32_t steps[8], num_steps = 0;
    for (int i = 0; i < 100 && num_steps < 8; i++)
        if (view_judge_quality(&quality, 1.0, none))
            steps[num_steps++] = quality.step;
    CHECK_UINT(num_steps, 3);
    CHECK(num_steps == 3 && steps[0] == 3 && steps[1] == 4 && steps[2] == 5);
    for (int i = 0; i < 100000 && quality.step > 0; i++)
        if (view_judge_quality(&quality, 0.001, none))
            steps[num_steps++] = quality.step;
    CHECK_UINT(num_steps, 6);
    CHECK(num_steps == 6 && steps[3] == 4 && steps[4] == 3 && steps[5] == 0);
}

TEST (view_quality_is_described) {
    static const char *const texts[VIEW_NUM_QUALITIES] = {"",
                                                          "no antialiasing",
                                                          "no shadows",
                                                          "no shadows, 75 %",
                                                          "no shadows, 50 %",
                                                          "no shadows, 35 %"};
    char text[64];
    for (uint32_t step = 0; step < VIEW_NUM_QUALITIES; step++) {
        const view_economy economy = view_economy_of(step);
        view_describe_economy(&economy, text, sizeof text);
        CHECK_STRING(text, texts[step]);
    }
    const view_economy zeroed = {.scale = 0.0f};
    view_describe_economy(&zeroed, text, sizeof text);
    CHECK_STRING(text, "");
}
