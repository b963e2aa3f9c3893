// Weights of blend spaces, and synchronised clips.
#include "test/test.h"

#include "md5/play/run/player_state.h"

#include <math.h>

// -- Blend spaces -----------------------------------------------------------------------------

TEST (on_a_line_the_two_neighbours_share) {
    const md5_motion_item items[] = {{.x = -1.0f}, {.x = 0.0f}, {.x = 4.0f}};
    const struct {
        float x, weights[3];
    } rows[] = {
        {-9.0f, {1, 0, 0}}, {-1.0f, {1, 0, 0}},        {-0.25f, {0.25f, 0.75f, 0}},
        {0.0f, {0, 1, 0}},  {3.0f, {0, 0.25f, 0.75f}}, {9.0f, {0, 0, 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float weights[3];
        md5i_blend_weights_1d(items, 3, rows[i].x, weights);
        for (int item = 0; item < 3; item++)
            CHECK_NEAR((double)weights[item], (double)rows[i].weights[item], 1e-6);
    }
}

TEST (in_a_plane_an_item_has_full_weight_at_its_position_and_weights_sum_to_one) {
    const md5_motion_item items[] = {
        {.x = 0, .y = 0}, {.x = 2, .y = 0}, {.x = -2, .y = 0}, {.x = 0, .y = 1}, {.x = 3, .y = 3},
    };
    enum { COUNT = sizeof items / sizeof *items };
    float weights[COUNT], before[COUNT] = {0};
    for (int item = 0; item < COUNT; item++) {
        md5i_blend_weights_2d(items, COUNT, items[item].x, items[item].y, weights);
        for (int other = 0; other < COUNT; other++)
            CHECK(weights[other] == (item == other ? 1.0f : 0.0f));
    }
    // Anywhere: not negative, sum 1, and continuous along a path.
    for (int step = 0; step < 4000; step++) {
        const float x = -6.0f + 0.003f * (float)step, y = 0.001f * (float)(step % 4000) - 1.0f;
        md5i_blend_weights_2d(items, COUNT, x, y, weights);
        double sum = 0.0;
        for (int item = 0; item < COUNT; item++) {
            sum += (double)weights[item];
            CHECK(weights[item] >= 0.0f);
            if (step > 0 && !CHECK_NEAR((double)weights[item], (double)before[item], 0.01))
                return;
            before[item] = weights[item];
        }
        if (!CHECK_NEAR(sum, 1.0, 1e-6))
            return;
    }
}

TEST (one_item_has_all_the_weight) {
    const md5_motion_item item = {.x = 3.0f};
    float weight;
    md5i_blend_weights_1d(&item, 1, -8.0f, &weight);
    CHECK(weight == 1.0f);
    md5i_blend_weights_2d(&item, 1, -8.0f, 1e30f, &weight);
    CHECK(weight == 1.0f);
}

// -- Synchronised clips -----------------------------------------------------------------------

TEST (without_markers_a_group_advances_at_the_mean_rate) {
    const md5_sync_item items[] = {{0.25f, 1.0, NULL}, {0.75f, 2.0, NULL}};
    const md5_clock clock = md5i_sync_advance(items, 2, 0, (md5_clock){3, 0.5}, 2.0);
    CHECK_NEAR(md5_clock_time(clock), 7.0, 1e-12);
    CHECK_NEAR(md5_clock_time(md5i_sync_clock(NULL, 0, clock)), 7.0, 1e-12);
    CHECK_NEAR(md5_clock_time(md5i_sync_shared(NULL, 0, clock)), 7.0, 1e-12);
    const md5_sync_item nothing = {0.0f, 1.0, NULL};
    CHECK_NEAR(md5_clock_time(md5i_sync_advance(&nothing, 1, 0, clock, 2.0)), 7.0, 0.0);
}

static const double WALK[] = {0.1, 0.6, 0.8}, RUN[] = {0.0, 0.3, 0.9};

TEST (clips_meet_at_their_markers) {
    for (int marker = 0; marker < 3; marker++) {
        const md5_clock shared = {7, marker / 3.0};
        CHECK_NEAR(md5_clock_time(md5i_sync_clock(WALK, 3, shared)), 7.0 + WALK[marker], 1e-12);
        CHECK_NEAR(md5_clock_time(md5i_sync_clock(RUN, 3, shared)), 7.0 + RUN[marker], 1e-12);
    }
    for (int step = -300; step < 300; step++) {
        const double time = 0.01 * step;
        const md5_timing loop = {2, 1.0, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP};
        const md5_clock own = md5i_clock_at(&loop, time);
        const md5_clock shared = md5i_sync_shared(WALK, 3, own);
        CHECK_NEAR(md5_clock_time(md5i_sync_clock(WALK, 3, shared)), time, 1e-9);
    }
}

TEST (alone_in_a_group_a_clip_advances_at_its_own_rate) {
    const md5_sync_item walk = {1.0f, 0.8, WALK};
    for (int step = -38; step < 38; step++) {
        const double seconds = 0.13 * step;
        const md5_clock shared = md5i_sync_advance(&walk, 1, 3, (md5_clock){0}, seconds);
        const double own = md5_clock_time(md5i_sync_clock(WALK, 3, shared));
        CHECK_NEAR(own - WALK[0], 0.8 * seconds, 1e-9);
    }
}

TEST (a_group_with_markers_does_not_depend_on_the_split) {
    const md5_sync_item items[] = {{0.3f, 0.8, WALK}, {0.7f, 1.7, RUN}};
    uint64_t random = 3;
    for (int i = 0; i < 3000; i++) {
        const double seconds = test_random(&random) * 10.0 - 5.0;
        const md5_clock start = {0, test_random(&random)};
        const md5_clock whole = md5i_sync_advance(items, 2, 3, start, seconds);
        md5_clock clock = start;
        double left = seconds;
        for (int part = 0; part < 6; part++) {
            const double step = part == 5 ? left : left * test_random(&random);
            clock = md5i_sync_advance(items, 2, 3, clock, step);
            left -= step;
        }
        if (!CHECK_NEAR(md5_clock_time(clock), md5_clock_time(whole), 1e-9))
            return;
    }
}

TEST (a_group_that_pulls_both_ways_comes_to_rest_between) {
    // Forward in the first part, backward in the second: it stays at the marker between.
    const double even[] = {0.0, 0.5}, late[] = {0.0, 0.9};
    const md5_sync_item items[] = {{0.5f, 1.0, even}, {0.5f, -1.0, late}};
    const md5_clock ahead = md5i_sync_advance(items, 2, 2, (md5_clock){0, 0.25}, 100.0);
    CHECK_NEAR(md5_clock_time(ahead), 0.5, 1e-9);
    // And one that stands still does not move.
    const md5_sync_item still = {1.0f, 0.0, even};
    const md5_clock rest = md5i_sync_advance(&still, 1, 2, (md5_clock){0, 0.25}, 100.0);
    CHECK_NEAR(md5_clock_time(rest), 0.25, 1e-12);
}

TEST (the_end_of_the_last_part_is_the_next_cycle) {
    const md5_clock below = {2, 1.0 - 1e-17};
    const double even[] = {0.0, 0.5};
    CHECK_NEAR(md5_clock_time(md5i_sync_clock(even, 2, below)), 3.0, 1e-12);
}
