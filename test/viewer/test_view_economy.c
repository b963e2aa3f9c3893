// Reduced pictures of a window show the same as full ones, and only while reduction is requested.
#include "test/viewer/test_view_shot.h"

#include "demo/common/memory.h"

#include <stdlib.h>

#define PLAIN                                                                             \
    "models/thimble/thimble.md5mesh --animation-index 1 --samples 1 --resolution 320,240" \
    " --grid=no"

enum { WIDTH = 160, HEIGHT = 120 };

// Draws the picture into a target of half the size.
static uint8_t *draw_half(view_state *state)
{
    md5_error error = {0};
    uint8_t *const rgba = common_alloc((size_t)4 * WIDTH * HEIGHT, 1);
    md5gl_target *const target = md5gl_create_target(state->renderer, WIDTH, HEIGHT, 1, &error);
    const bool done = target != NULL && view_draw_small(state, target, WIDTH, HEIGHT, &error)
                      && md5gl_read_pixels(state->renderer, target, WIDTH, HEIGHT, rgba, &error);
    test_check(done, __FILE__, __LINE__, "%s", error.message);
    md5gl_destroy_target(state->renderer, target);
    return rgba;
}

// The mean difference of a channel from the mean of four pixels of the full picture.
static double compare(const shot *full, const uint8_t *half)
{
    double sum = 0.0;
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            for (size_t c = 0; c < 3; c++) {
                int mean = 0;
                for (size_t i = 0; i < 4; i++)
                    mean += full->rgba[4 * ((2 * y + i / 2) * full->width + 2 * x + i % 2) + c];
                sum += abs(mean - 4 * (int)half[4 * (y * WIDTH + x) + c]) / 4.0;
            }
    return sum / (3.0 * (double)((size_t)WIDTH * HEIGHT));
}

// In both projections; the camera from another side gives a different picture.
TEST_SCENE (view_small_pictures_show_the_same) {
    static const char *const lines[] = {PLAIN, PLAIN " --camera-orthographic"};
    shot_viewer viewer;
    for (size_t i = 0; i < 2; i++) {
        if (shot_open(&viewer, scene, lines[i])) {
            shot full = shot_draw(&viewer);
            uint8_t *const half = draw_half(&viewer.state);
            CHECK_NEAR(compare(&full, half), 0.0, 3.0);
            viewer.state.camera.azimuth += 40.0f;
            uint8_t *const other = draw_half(&viewer.state);
            CHECK(compare(&full, other) > 10.0);
            free(full.rgba);
            free(half);
            free(other);
        }
        shot_close(&viewer);
    }
}

TEST_SCENE (view_economy_leaves_out_shadows) {
    shot_viewer viewer;
    shot none = shot_take(scene, PLAIN " --no-shadow");
    if (shot_open(&viewer, scene, PLAIN)) {
        shot full = shot_draw(&viewer);
        viewer.state.economy = view_economy_of(2);
        shot reduced = shot_draw(&viewer);
        viewer.state.economy = (view_economy){.scale = 0.0f};
        shot again = shot_draw(&viewer);
        CHECK(shot_same(&reduced, &none));
        CHECK(!shot_same(&reduced, &full));
        CHECK(shot_same(&again, &full));
        CHECK(viewer.state.shown.shadows);
        free(full.rgba);
        free(reduced.rgba);
        free(again.rgba);
    }
    free(none.rgba);
    shot_close(&viewer);
}
