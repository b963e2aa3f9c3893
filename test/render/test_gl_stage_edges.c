// Edges of bases that stages cut out: strict with one sample, soft with several.
#include "test/render/test_gl_stages.h"

#include <math.h>

enum { RAMP = 256 };

// Alpha grows by the texture's width; the edge of an alpha test is a vertical line.
static md5gl_texture make_ramp(const gl_stage *stage)
{
    uint8_t rgba[RAMP][4];
    for (int i = 0; i < RAMP; i++)
        for (int k = 0; k < 4; k++)
            rgba[i][k] = k < 3 ? 255 : (uint8_t)i;
    return scene_stage_texture(stage->scene.renderer, RAMP, 1, rgba[0], MD5GL_WRAP_CLAMP, false,
                               NULL);
}

// The square's edge lies at `at` units right of the middle; where alpha is above the limit, on the
// right, it is drawn.
static void draw_edge(gl_stage *stage, md5gl_base base, double at, md5gl_texture ramp,
                      gl_picture *picture)
{
    const md5_mat34 palette[2] = {scene_identity, scene_identity};
    md5gl_renderer *const renderer = stage->scene.renderer;
    // Texel i holds i / 255 at the place (i + 0.5) / 256.
    const double alpha = ((20.0 + at) / 40.0 * (double)RAMP - 0.5) / 255.0;
    const md5gl_stage tested = {.texture = ramp,
                                .source = MD5GL_FACTOR_ZERO,
                                .target = MD5GL_FACTOR_ONE,
                                .color = {1, 1, 1, 1},
                                .is_tested = true,
                                .alpha_test = (float)alpha};
    const md5gl_stage_list list = {.base = base, ROW(stages, tested)};
    const md5gl_material material = {.is_staged = true, .is_opaque = true};
    md5gl_set_material(stage->copy, 0, 0, &material);
    md5gl_begin_frame(renderer, &stage->frame);
    CHECK(scene_pose(renderer, stage->copy, palette, NULL, 1, NULL));
    CHECK(md5gl_draw_stages(renderer, stage->copy, MD5GL_STAGE_PASS_BASES, &list, 1, NULL));
    CHECK(md5gl_draw_stages(renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1, NULL));
    scene_finish(&stage->scene, &stage->frame, picture);
}

// The background and the base: white and black, or black and lit.
static void check_edge(gl_stage *stage, md5gl_base base, uint32_t samples, md5gl_texture ramp)
{
    gl_picture picture;
    const float background = base == MD5GL_BASE_BLACK ? 1.0f : 0.0f;
    for (int i = 0; i < 3; i++)
        stage->frame.background[i] = background;
    for (int part = 1; part < 10; part += 2) {
        const double covered = 1.0 - part / 10.0; // of the pixel from 3 to 4 units
        draw_edge(stage, base, 3.0 + part / 10.0, ramp, &picture);
        const double left = picture_at(&picture, 2, 0)[0], right = picture_at(&picture, 4, 0)[0];
        const double seen = (picture_at(&picture, 3, 0)[0] - left) / (right - left);
        CHECK(fabs(right - left) > 200.0);
        if (samples == 1)
            test_check(fabs(seen - (covered > 0.5)) < 0.01 || part == 5, __FILE__, __LINE__,
                       "part %d is %.2f", part, seen);
        else
            test_check(fabs(seen - covered) < 0.26, __FILE__, __LINE__, "%.1f of a pixel is %.2f",
                       covered, seen);
        CHECK(samples == 1 || part != 5 || (seen > 0.2 && seen < 0.8));
        CHECK(picture_at(&picture, 3, 0)[3] == 255);
    }
}

static void check_edges(uint32_t samples)
{
    gl_stage stage;
    if (!scene_open_stage(&stage, scene_square, samples))
        return;
    const md5gl_texture ramp = make_ramp(&stage);
    check_edge(&stage, MD5GL_BASE_BLACK, samples, ramp);
    check_edge(&stage, MD5GL_BASE_LIT, samples, ramp);
    md5gl_destroy_texture(stage.scene.renderer, ramp);
    scene_close_stage(&stage);
}

TEST (gl_stage_edges_are_strict_with_one_sample) {
    check_edges(1);
}

TEST (gl_stage_edges_are_soft_with_several_samples) {
    check_edges(4);
}
