// The facts that the page of gaze shows: a head and eyes that look around.
#include "test/viewer/test_view_page_case.h"

#include "md5/md5pose.h"

#include <math.h>
#include <string.h>

TEST_PAGE (page_gaze_follows_the_ball_and_repeats_by_its_seed, "gaze") {
    page_set(of, "interest in the ball", 1.0f);
    page_show(of, 9.0);
    CHECK(page_fact(of, "looks at the ball") == 1.0);
    const double saccades = page_fact(of, "saccades");
    CHECK(saccades >= 4.0 && saccades <= 23.0); // each after 0.4 to 2 s
    const double head = page_fact(of, "head to his left");
    page_set(of, "interest in the ball", 0.0f);
    page_show(of, 9.0);
    CHECK(page_fact(of, "looks at the ball") == 0.0);
    page_set(of, "interest in the ball", 1.0f);
    page_show(of, 9.0);
    CHECK(page_fact(of, "head to his left") == head);
}

// Simulated here four times as finely: how often the eyes have set out, the first time at once.
TEST_PAGE (page_gaze_counts_saccades, "gaze") {
    page_set(of, "interest in the ball", 0.0f);
    const uint32_t left = view_page_joint(&(view_picture){.scene = &of->scene}, "eye_l");
    for (int seed = 1; seed < 6; seed++) {
        page_set(of, "seed", (float)seed);
        page_show(of, 9.0);
        const md5_gaze_desc desc = {.head = left,
                                    .numbers = {.interest = MD5_ZERO,
                                                .distance = 60.0f,
                                                .most_seconds = 2.0f,
                                                .head_share = 0.6f,
                                                .head_seconds = 0.2f}};
        md5_gaze gaze;
        double count = 0.0;
        md5_vec2 to = {NAN, NAN};
        md5_gaze_begin((uint64_t)seed, &gaze);
        for (int i = 0; i < 9 * 240; i++) {
            md5_gaze_advance(&desc, of->scene.skeleton->axes, &gaze, 1.0 / 240.0);
            count += to.x != gaze.to.x || to.y != gaze.to.y ? 1.0 : 0.0;
            to = gaze.to;
        }
        CHECK_NEAR(page_fact(of, "saccades"), count, 0.0);
    }
}

TEST_PAGE (page_gaze_keeps_the_head_still_without_a_share, "gaze") {
    page_set(of, "head's share", 0.0f);
    page_show(of, 9.0);
    const view_series *const eyes = page_series(of, 0, "eyes");
    const view_series *const head = page_series(of, 0, "head");
    float most = 0.0f;
    CHECK(eyes->count > 100 && head->count == eyes->count);
    for (uint32_t i = 0; i < head->count; i++) {
        CHECK_NEAR(head->points[i].y, 0.0, 0.0);
        most = fmaxf(most, fabsf(eyes->points[i].y));
    }
    CHECK(most > 10.0f && most < 45.0f);
}
