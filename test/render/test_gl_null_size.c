// Every function of md5gl.h and md5gl_game.h that takes an array and a count accepts NULL and 0.
#include "test/render/test_gl_scene.h"

TEST_SQUARE (gl_null_and_count_0_draw_nothing) {
    md5gl_renderer *const renderer = stage->renderer;
    const md5gl_impostor_desc desc = {.num_frames = 1, .radius = 30};
    md5_error error = {0};
    CHECK_FAILS(md5gl_create_baked(renderer, stage->model, NULL, 0, &error), error,
                MD5_ERROR_RANGE);
    md5gl_impostors *const impostors = md5gl_create_impostors(renderer, &desc, NULL);
    REQUIRE(impostors);
    CHECK(md5gl_pose_impostors(renderer, impostors, NULL, 0, NULL));
    gl_picture empty;
    gl_picture picture;
    stage_begin(stage);
    stage_finish(stage, &empty);
    stage_begin(stage);
    md5gl_draw_blob_shadows(renderer, NULL, 0);
    md5gl_draw_lines(renderer, NULL, 0, 1.0f, false);
    md5gl_draw_panel(renderer, 0, MD5GL_TEXTURE_COLOR, NULL, 0);
    CHECK(md5gl_draw_stages(renderer, stage->copy, (md5gl_stage_pass)0, NULL, 0, NULL));
    md5gl_draw_impostors(renderer, impostors, MD5GL_LIT);
    stage_finish(stage, &picture);
    CHECK_BYTES(&picture, &empty, sizeof picture);
    md5gl_destroy_impostors(renderer, impostors);
}
