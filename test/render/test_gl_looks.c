// What instances look like: tints, skins, and materials that change between draws.
#include "test/render/test_gl_scene.h"

#include <string.h>

enum { COUNT = 5 };

// Instances side by side, 28 pixels apart and 20 wide.
static const int columns[COUNT] = {-56, -28, 0, 28, 56};

static md5gl_texture make_texture(gl_stage *stage, uint8_t red, uint8_t green, uint8_t blue)
{
    const uint8_t texel[4] = {red, green, blue, 255};
    return scene_texture(stage->scene.renderer, MD5GL_TEXTURE_COLOR, 1, 1, texel, NULL);
}

static void pose_row(gl_stage *stage, md5gl_model *copy)
{
    md5_mat34 palettes[2 * COUNT], placements[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const md5_mat34 half = {{0.5f, 0, 0, 0, 0, 0.5f, 0, (float)columns[i], 0, 0, 0.5f, 0}};
        palettes[2 * i] = palettes[2 * i + 1] = scene_identity;
        placements[i] = half;
    }
    CHECK(scene_pose(stage->scene.renderer, copy, palettes, placements, COUNT, NULL));
}

static void draw(gl_stage *stage, md5gl_model *copy, gl_picture *picture)
{
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
    md5gl_draw_model(stage->scene.renderer, copy, MD5GL_LIT);
    scene_finish(&stage->scene, &stage->frame, picture);
}

static bool shows(const gl_picture *picture, int instance, double red, double green, double blue)
{
    return picture_is(picture, columns[instance], 0, scene_sideways(red, green, blue).rgba, 1);
}

// Calls `check` with a copy of the model on each path that the context has, in batches of one
// instance, of two, and of all.
static void on_each_path(gl_stage *stage, void (*check)(gl_stage *stage, md5gl_model *copy))
{
    md5gl_renderer *const renderer = stage->scene.renderer;
    const uint32_t most = *scene_limits(renderer).max_texels;
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(renderer, (md5gl_path)path))
            continue;
        md5gl_model *const copy =
            md5gl_create_model(renderer, stage->model, (md5gl_path)path, NULL);
        for (uint32_t texels = 6; texels <= 18; texels += 6) {
            *scene_limits(renderer).max_texels = texels == 18 ? most : texels;
            check(stage, copy);
        }
        *scene_limits(renderer).max_texels = most;
        md5gl_destroy_model(renderer, copy);
    }
}

static void check_tints(gl_stage *stage, md5gl_model *copy)
{
    static const md5_vec4 tints[COUNT] = {
        {1, 1, 1, 1}, {1, 0, 0, 1}, {0.25f, 0.5f, 1, 1}, {0, 1, 0, 0.25f}, {0, 0, 1, 1}};
    gl_picture picture;
    pose_row(stage, copy);
    CHECK(scene_look(stage->scene.renderer, copy, tints, NULL, NULL));
    draw(stage, copy, &picture);
    CHECK(shows(&picture, 0, 1, 1, 1));
    CHECK(shows(&picture, 1, 1, 0, 0));
    CHECK(shows(&picture, 2, 0.25, 0.5, 1));
    CHECK(picture_is(&picture, columns[3], 0, (uint8_t[4]){0, 0, 0, 255}, 0)); // cut out
    CHECK(shows(&picture, 4, 0, 0, 1));
    pose_row(stage, copy); // posing discards the tints
    draw(stage, copy, &picture);
    CHECK(shows(&picture, 1, 1, 1, 1));
    CHECK(shows(&picture, 3, 1, 1, 1));
}

TEST_STAGE (gl_each_instance_has_its_tint, scene_square, 1) {
    on_each_path(stage, check_tints);
}

static void check_skins(gl_stage *stage, md5gl_model *copy)
{
    static const uint32_t skins[COUNT] = {1, 1, 0, 2, 1};
    static const md5_vec4 tints[COUNT] = {
        {1, 1, 1, 1}, {0.5f, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
    gl_picture picture;
    md5gl_renderer *const renderer = stage->scene.renderer;
    const md5gl_texture red = make_texture(stage, 255, 0, 0), blue = make_texture(stage, 0, 0, 255);
    CHECK(md5gl_set_num_skins(renderer, copy, 3, NULL));
    md5gl_set_material(copy, 1, 0, &(md5gl_material){.diffuse = red});
    md5gl_set_material(copy, 2, 0, &(md5gl_material){.diffuse = blue});
    pose_row(stage, copy);
    CHECK(scene_look(renderer, copy, tints, skins, NULL));
    draw(stage, copy, &picture);
    CHECK(shows(&picture, 0, 1, 0, 0));
    CHECK(shows(&picture, 1, 0.5, 0, 0));
    CHECK(shows(&picture, 2, 1, 1, 1));
    CHECK(shows(&picture, 3, 0, 0, 1));
    CHECK(shows(&picture, 4, 1, 0, 0));
    CHECK(scene_look(renderer, copy, NULL, NULL, NULL));
    draw(stage, copy, &picture);
    CHECK(shows(&picture, 0, 1, 1, 1));
    CHECK(md5gl_set_num_skins(renderer, copy, 1, NULL));
    draw(stage, copy, &picture);
    CHECK(shows(&picture, 3, 1, 1, 1));
    md5gl_destroy_texture(renderer, red);
    md5gl_destroy_texture(renderer, blue);
}

TEST_STAGE (gl_each_instance_wears_its_skin, scene_square, 1) {
    on_each_path(stage, check_skins);
}

// A faded instance is cut out, so that it casts no shadow either.
static void check_shadows(gl_stage *stage, md5gl_model *copy)
{
    static const md5_vec4 tints[2][1] = {{{1, 1, 1, 1}}, {{1, 1, 1, 0.25f}}};
    const md5_mat34 palettes[2] = {scene_identity, scene_identity};
    md5gl_renderer *const renderer = stage->scene.renderer;
    int darkest[2] = {255, 255};
    for (int i = 0; i < 2; i++) {
        gl_picture picture;
        md5gl_begin_frame(renderer, &stage->frame);
        CHECK(scene_pose(renderer, copy, palettes, NULL, 1, NULL));
        CHECK(scene_look(renderer, copy, tints[i], NULL, NULL));
        md5gl_draw_shadows(renderer, copy);
        md5gl_draw_ground(renderer, (md5_vec3){0, 0, 0}, 200.0f);
        scene_finish(&stage->scene, &stage->frame, &picture);
        for (int up = -40; up <= 40; up++) {
            const int shade = picture_at(&picture, 0, up)[0];
            darkest[i] = shade < darkest[i] ? shade : darkest[i];
        }
    }
    CHECK(darkest[0] < 200);
    CHECK_UINT((uint64_t)darkest[1], 255);
}

TEST_STAGE (gl_faded_instances_cast_no_shadow, scene_floor, 1) {
    scene_look_down(&stage->frame);
    memcpy(stage->frame.background, (float[4]){1, 1, 1, 1}, sizeof stage->frame.background);
    stage->frame.casters = (md5_bounds){{-20, -20, -1}, {20, 20, 1}};
    stage->frame.ground = -5.0f;
    stage->frame.light_direction = (md5_vec3){0, 0, 1};
    stage->frame.light[0] = 1.0f;
    on_each_path(stage, check_shadows);
}

static void check_changes(gl_stage *stage, md5gl_model *copy)
{
    gl_picture picture;
    md5gl_renderer *const renderer = stage->scene.renderer;
    const md5gl_texture green = make_texture(stage, 0, 255, 0),
                        red = make_texture(stage, 255, 0, 0);
    static const uint32_t skins[COUNT] = {0, 1, 0, 1, 0};
    CHECK(md5gl_set_num_skins(renderer, copy, 2, NULL));
    pose_row(stage, copy);
    md5gl_begin_frame(renderer, &stage->frame);
    md5gl_draw_model(renderer, copy, MD5GL_LIT);
    md5gl_set_material(copy, 0, 0, &(md5gl_material){.diffuse = green});
    CHECK(scene_look(renderer, copy, NULL, skins, NULL));
    md5gl_set_material(copy, 1, 0, &(md5gl_material){.diffuse = red});
    md5gl_draw_model(renderer, copy, MD5GL_LIT);
    scene_finish(&stage->scene, &stage->frame, &picture);
    CHECK(shows(&picture, 0, 0, 1, 0));
    CHECK(shows(&picture, 1, 1, 0, 0));
    CHECK(shows(&picture, 4, 0, 1, 0));
    md5gl_set_material(copy, 0, 0, &(md5gl_material){0});
    CHECK(md5gl_set_num_skins(renderer, copy, 1, NULL));
    md5gl_destroy_texture(renderer, green);
    md5gl_destroy_texture(renderer, red);
}

TEST_STAGE (gl_materials_change_between_draws_of_a_frame, scene_square, 1) {
    on_each_path(stage, check_changes);
}

TEST_STAGE (gl_unknown_skin_is_refused, scene_square, 1) {
    static const uint32_t skins[COUNT] = {0, 0, 2, 0, 0};
    gl_picture picture;
    md5_error error;
    CHECK(md5gl_set_num_skins(stage->scene.renderer, stage->copy, 2, NULL));
    pose_row(stage, stage->copy);
    CHECK(!scene_look(stage->scene.renderer, stage->copy, NULL, skins, &error));
    CHECK_UINT(error.status, MD5_ERROR_RANGE);
    CHECK(strstr(error.message, "instance 2: skin 2, but there are 2") != NULL);
    draw(stage, stage->copy, &picture);
    CHECK(shows(&picture, 2, 0, 0, 0)); // there are no instances then
}
