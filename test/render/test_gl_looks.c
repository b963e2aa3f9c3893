// The appearance of instances: tints, skins, and materials that change between draws.
#include "test/scoped.h"
#include "test/render/test_gl_scene.h"

enum { COUNT = 5 };

// Instances side by side, 28 pixels apart and 20 wide.
static const int columns[COUNT] = {-56, -28, 0, 28, 56};

static md5gl_texture make_texture(gl_stage *stage, uint8_t red, uint8_t green, uint8_t blue)
{
    const uint8_t texel[4] = {red, green, blue, 255};
    return stage_color(stage, 1, 1, texel);
}

static void pose_row(gl_stage *stage, md5gl_model *copy)
{
    md5_mat34 palettes[2 * COUNT];
    md5_mat34 placements[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const md5_mat34 half = {{0.5f, 0, 0, 0, 0, 0.5f, 0, (float)columns[i], 0, 0, 0.5f, 0}};
        palettes[2 * i] = palettes[2 * i + 1] = scene_identity;
        placements[i] = half;
    }
    CHECK(scene_pose(stage->renderer, copy, palettes, placements, COUNT, NULL));
}

static void draw(gl_stage *stage, md5gl_model *copy, gl_picture *picture)
{
    stage_begin(stage);
    md5gl_draw_model(stage->renderer, copy, MD5GL_LIT);
    stage_finish(stage, picture);
}

static bool shows(const gl_picture *picture, int instance, double red, double green, double blue)
{
    return picture_is(picture, columns[instance], 0, scene_sideways(red, green, blue).rgba, 1);
}

// Calls `check` with a copy of the model on each path that the context has, in batches of one
// instance, of two, and of all.
static void on_each_path(gl_stage *stage, void (*check)(gl_stage *stage, md5gl_model *copy))
{
    md5gl_renderer *const renderer = stage->renderer;
    const uint32_t max_texels = *scene_limits(renderer).max_texels;
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(renderer, path))
            continue;
        md5gl_model *const copy = md5gl_create_model(renderer, stage->model, path, NULL);
        for (uint32_t texels = 6; texels <= 18; texels += 6) {
            *scene_limits(renderer).max_texels = texels == 18 ? max_texels : texels;
            check(stage, copy);
        }
        *scene_limits(renderer).max_texels = max_texels;
        md5gl_destroy_model(renderer, copy);
    }
}

static void check_tints(gl_stage *stage, md5gl_model *copy)
{
    static const md5_vec4 tints[COUNT] = {
        {1, 1, 1, 1}, {1, 0, 0, 1}, {0.25f, 0.5f, 1, 1}, {0, 1, 0, 0.25f}, {0, 0, 1, 1}};
    gl_picture picture;
    pose_row(stage, copy);
    CHECK(scene_look(stage->renderer, copy, tints, NULL, NULL));
    draw(stage, copy, &picture);
    CHECK(shows(&picture, 0, 1, 1, 1));
    CHECK(shows(&picture, 1, 1, 0, 0));
    CHECK(shows(&picture, 2, 0.25, 0.5, 1));
    CHECK_PIXEL(&picture, columns[3], 0, (uint8_t[4]){0, 0, 0, 255}, 0); // cut out
    CHECK(shows(&picture, 4, 0, 0, 1));
    pose_row(stage, copy); // posing discards the tints
    draw(stage, copy, &picture);
    CHECK(shows(&picture, 1, 1, 1, 1));
    CHECK(shows(&picture, 3, 1, 1, 1));
}

TEST_SQUARE (gl_each_instance_has_its_tint) {
    on_each_path(stage, check_tints);
}

// Checks that instances have their skins and tints.
static void check_skins(gl_stage *stage, md5gl_model *copy)
{
    static const uint32_t skins[COUNT] = {1, 1, 0, 2, 1};
    static const md5_vec4 tints[COUNT] = {
        {1, 1, 1, 1}, {0.5f, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
    gl_picture picture;
    const md5gl_texture red = make_texture(stage, 255, 0, 0);
    const md5gl_texture blue = make_texture(stage, 0, 0, 255);
    CHECK(md5gl_set_num_skins(stage->renderer, copy, 3, NULL));
    md5gl_set_material(stage->renderer, copy, 1, 0, &(md5gl_material){.diffuse = red});
    md5gl_set_material(stage->renderer, copy, 2, 0, &(md5gl_material){.diffuse = blue});
    pose_row(stage, copy);
    CHECK(scene_look(stage->renderer, copy, tints, skins, NULL));
    draw(stage, copy, &picture);
    CHECK(shows(&picture, 0, 1, 0, 0));
    CHECK(shows(&picture, 1, 0.5, 0, 0));
    CHECK(shows(&picture, 2, 1, 1, 1));
    CHECK(shows(&picture, 3, 0, 0, 1));
    CHECK(shows(&picture, 4, 1, 0, 0));
    CHECK(scene_look(stage->renderer, copy, NULL, NULL, NULL));
    draw(stage, copy, &picture);
    CHECK(shows(&picture, 0, 1, 1, 1));
    CHECK(md5gl_set_num_skins(stage->renderer, copy, 1, NULL));
    draw(stage, copy, &picture);
    CHECK(shows(&picture, 3, 1, 1, 1));
}

TEST_SQUARE (gl_each_instance_has_its_skin) {
    on_each_path(stage, check_skins);
}

// Checks that a faded instance casts no shadow. It fades by cutting out pixels, and these pixels
// cast no shadow.
static void check_shadows(gl_stage *stage, md5gl_model *copy)
{
    static const md5_vec4 tints[2][1] = {{{1, 1, 1, 1}}, {{1, 1, 1, 0.25f}}};
    int darkest[2] = {255, 255};
    for (int i = 0; i < 2; i++) {
        gl_picture picture;
        stage_begin(stage);
        CHECK(scene_pose(stage->renderer, copy, scene_identities, NULL, 1, NULL));
        CHECK(scene_look(stage->renderer, copy, tints[i], NULL, NULL));
        md5gl_draw_shadows(stage->renderer, copy);
        md5gl_draw_ground(stage->renderer, (md5_vec3){0, 0, 0}, 200);
        stage_finish(stage, &picture);
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
    stage->frame.ground = -5;
    stage->frame.light_direction = (md5_vec3){0, 0, 1};
    stage->frame.light[0] = 1;
    on_each_path(stage, check_shadows);
}

static void check_changes(gl_stage *stage, md5gl_model *copy)
{
    gl_picture picture;
    md5gl_renderer *const renderer = stage->renderer;
    const md5gl_texture green = make_texture(stage, 0, 255, 0);
    const md5gl_texture red = make_texture(stage, 255, 0, 0);
    static const uint32_t skins[COUNT] = {0, 1, 0, 1, 0};
    CHECK(md5gl_set_num_skins(renderer, copy, 2, NULL));
    pose_row(stage, copy);
    stage_begin(stage);
    md5gl_draw_model(renderer, copy, MD5GL_LIT);
    md5gl_set_material(stage->renderer, copy, 0, 0, &(md5gl_material){.diffuse = green});
    CHECK(scene_look(renderer, copy, NULL, skins, NULL));
    md5gl_set_material(stage->renderer, copy, 1, 0, &(md5gl_material){.diffuse = red});
    md5gl_draw_model(renderer, copy, MD5GL_LIT);
    stage_finish(stage, &picture);
    CHECK(shows(&picture, 0, 0, 1, 0));
    CHECK(shows(&picture, 1, 1, 0, 0));
    CHECK(shows(&picture, 4, 0, 1, 0));
    md5gl_set_material(stage->renderer, copy, 0, 0, &(md5gl_material){0});
    CHECK(md5gl_set_num_skins(renderer, copy, 1, NULL));
}

TEST_SQUARE (gl_materials_change_between_draws_of_a_frame) {
    on_each_path(stage, check_changes);
}

// Functions accept NULL from a failed creation, so that callers need not check it.
TEST_SQUARE (gl_null_assets_keep_the_first_failure) {
    md5gl_renderer *const renderer = stage->renderer;
    md5_error error = {0};
    md5_error none;
    CHECK(!md5gl_create_target(renderer, 0, 4, 1, &error));
    const md5_error first = error;
    CHECK_UINT(first.status, MD5_ERROR_GPU);
#define KEEPS(call, expected_message)                                \
    do {                                                             \
        md5_error *to = &error;                                      \
        CHECK(!(call) && memcmp(&error, &first, sizeof error) == 0); \
        to = &none, none = (md5_error){0};                           \
        CHECK(!(call) && none.status == MD5_ERROR_MISSING            \
              && strstr(none.message, expected_message));            \
        to = NULL;                                                   \
        CHECK(!(call));                                              \
    } while (0)
    const md5gl_instances instances = {.count = 1};
    const md5gl_impostor_desc desc = {.num_frames = 1, .radius = 1};
    const float black[3] = {0};
    KEEPS(md5gl_create_model(NULL, stage->model, MD5GL_PATH_AUTO, to), "renderer");
    KEEPS(md5gl_create_model(renderer, NULL, MD5GL_PATH_AUTO, to), "model");
    KEEPS(md5gl_create_texture(NULL, &(md5gl_texture_desc){.width = 1, .height = 1}, to),
          "renderer");
    KEEPS(md5gl_create_target(NULL, 4, 4, 1, to), "renderer");
    KEEPS(md5gl_create_environment(NULL, 1, 1, black, to), "renderer");
    KEEPS(md5gl_create_morph(renderer, NULL, to), "morph");
    KEEPS(md5gl_create_baked(renderer, NULL, NULL, 0, to), "model");
    KEEPS(md5gl_create_impostors(NULL, &desc, to), "renderer");
    KEEPS(md5gl_set_blending(renderer, NULL, MD5GL_BLEND_DUAL, to), "model");
    KEEPS(md5gl_set_num_skins(renderer, NULL, 2, to), "model");
    KEEPS(md5gl_set_deform(renderer, NULL, 0, NULL, to), "model");
    KEEPS(md5gl_pose(renderer, NULL, &instances, to), "model");
    KEEPS(md5gl_capture(renderer, NULL, 0, NULL, NULL, NULL, NULL, to), "model");
    KEEPS(md5gl_copy_target(renderer, NULL, 0, 4, 4, to), "target");
    KEEPS(md5gl_smooth_target(renderer, NULL, 0, to), "target");
    KEEPS(md5gl_draw_stages(renderer, NULL, MD5GL_STAGE_PASS_BASES, NULL, 0, to), "model");
    KEEPS(md5gl_pose_impostors(renderer, NULL, NULL, 0, to), "impostor");
    KEEPS(md5gl_draw_impostor_images(renderer, NULL, stage->copy, 0, NULL, to), "impostor");
    md5gl_destroy_texture(NULL, 0);
#undef KEEPS
}

TEST_SQUARE (gl_unknown_skin_is_rejected) {
    static const uint32_t skins[COUNT] = {0, 0, 2, 0, 0};
    gl_picture picture;
    md5_error error = {0};
    CHECK(md5gl_set_num_skins(stage->renderer, stage->copy, 2, NULL));
    pose_row(stage, stage->copy);
    CHECK_SAYS(scene_look(stage->renderer, stage->copy, NULL, skins, &error), error,
               MD5_ERROR_RANGE,
               "instance 2: skin is out of range: expected an index below 2, found 2");
    draw(stage, stage->copy, &picture);
    CHECK(shows(&picture, 2, 0, 0, 0)); // no instance is drawn after the error
}

// -- Maps of materials ----------------------------------------------------------------------------

// Materials: the effect of each map on a square, against values computed here.

static const uint8_t black[4] = {0, 0, 0, 255};
static const uint8_t gray[4] = {128, 128, 128, 255};

// Creates a normal map of one direction, bytes as in a file.
static md5gl_texture make_normals(gl_stage *stage, const uint8_t rgba[4], uint32_t normals)
{
    return stage_keep(stage, scene_normals(stage->renderer, 1, 1, rgba, normals, NULL));
}

// Returns the brightness of the square's center under only a key light from `direction`.
static int lit_from(gl_stage *stage, md5gl_texture normals, md5_vec3 direction)
{
    gl_picture picture;
    stage_light(stage, 0.6f, 0);
    stage->frame.light_direction = direction;
    STAGE_MATERIAL(stage, .normals = normals);
    stage_draw(stage, MD5GL_LIT, &picture);
    return picture_at(&picture, 3, 3)[1];
}

// The square faces +x, with u along +y and v along -z. The normal is tilted by 45 degrees.
TEST_SQUARE (gl_normal_map_components_follow_u_and_v) {
    static const uint8_t flat[4] = {128, 128, 255, 255};
    static const uint8_t along_u[4] = {218, 128, 218, 255};
    static const uint8_t along_v[4] = {128, 218, 218, 255};
    static const uint8_t in_alpha[4] = {0, 128, 218, 218};
    const md5_vec3 from_y = {1, 1, 0};
    const md5_vec3 from_minus_y = {1, -1, 0};
    const md5_vec3 from_z = {1, 0, 1};
    const md5_vec3 from_minus_z = {1, 0, -1};
    const md5gl_texture plain = make_normals(stage, flat, 0);
    const int straight = lit_from(stage, plain, (md5_vec3){1, 0, 0});
    CHECK(abs(lit_from(stage, 0, (md5_vec3){1, 0, 0}) - straight) <= 2);
    CHECK(abs(lit_from(stage, plain, from_y) - lit_from(stage, plain, from_minus_y)) <= 3);

    const struct {
        const uint8_t *texel;
        uint32_t normals;
        md5_vec3 bright;
        md5_vec3 dark;
    } cases[] = {
        {along_u, 0, from_y, from_minus_y},
        {along_v, 0, from_minus_z, from_z}, // green grows downward, as in id's normal maps
        {along_v, MD5GL_NORMALS_GREEN_UP, from_z, from_minus_z},
        {in_alpha, MD5GL_NORMALS_RXGB, from_y, from_minus_y},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const md5gl_texture leaning = make_normals(stage, cases[i].texel, cases[i].normals);
        const int bright = lit_from(stage, leaning, cases[i].bright);
        const int dark = lit_from(stage, leaning, cases[i].dark);
        CHECK(bright > 150 && dark < 20); // the opposite tilt is perpendicular to the light
        CHECK(abs(bright - straight) <= 12);
    }
}

// Mirrored texture coordinates flip the sign of the tangent: the same map then tilts to the other
// side, as a mirrored picture does.
static md5_model *mirrored_square(void)
{
    static const char text[] =
        "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n"
        "\"low\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"high\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n"
        "mesh {\nshader \"\"\nnumverts 4\nvert 0 ( 1 1 ) 0 1\nvert 1 ( 0 1 ) 1 1\n"
        "vert 2 ( 1 0 ) 2 1\nvert 3 ( 0 0 ) 3 1\nnumtris 2\ntri 0 0 2 1\ntri 1 1 2 3\n"
        "numweights 4\nweight 0 0 1 ( 0 -20 -20 )\nweight 1 0 1 ( 0 20 -20 )\n"
        "weight 2 1 1 ( 0 -20 20 )\nweight 3 1 1 ( 0 20 20 )\n}\n";
    return text_model(text, NULL);
}

TEST_STAGE (gl_normal_map_is_right_on_mirrored_texture_coordinates, mirrored_square, 1) {
    static const uint8_t along_u[4] = {218, 128, 218, 255};
    static const uint8_t along_v[4] = {128, 218, 218, 255};
    md5_model *const straight = scene_square();
    const float sign = straight->meshes[0].tangents[0].w;
    md5_free_model(straight);
    const md5gl_texture u = make_normals(stage, along_u, 0);
    const md5gl_texture v = make_normals(stage, along_v, 0);
    CHECK(stage->model->meshes[0].tangents[0].w != sign);
    CHECK(lit_from(stage, u, (md5_vec3){1, -1, 0}) > 150); // u runs along -y here
    CHECK(lit_from(stage, u, (md5_vec3){1, 1, 0}) < 20);
    CHECK(lit_from(stage, v, (md5_vec3){1, 0, -1}) > 150); // and v along -z, unchanged
    CHECK(lit_from(stage, v, (md5_vec3){1, 0, 1}) < 20);
}

// Without light a glow map is visible unchanged, and the diffuse texture is black.
TEST_SQUARE (gl_glow_is_visible_without_light) {
    static const uint8_t color[4] = {200, 40, 90, 255};
    gl_picture picture;
    stage_light(stage, 0, 0);
    for (int classic = 0; classic < 2; classic++) {
        stage->frame.lighting = classic ? MD5GL_LIGHTING_CLASSIC : MD5GL_LIGHTING_STUDIO;
        STAGE_MATERIAL(stage, .glow = stage_color(stage, 1, 1, color));
        stage_draw(stage, MD5GL_LIT, &picture);
        CHECK_PIXEL(&picture, 0, 0, color, 1);
    }
}

// A specular map adds a highlight of its color in the mirror direction of the light, which fades
// to all sides.
TEST_SQUARE (gl_specular_map_colors_the_highlight) {
    static const uint8_t red[4] = {255, 0, 0, 255};
    gl_picture plain;
    gl_picture shiny;
    gl_picture off;
    stage_light(stage, 0.3f, 0);
    stage->frame.light_direction = (md5_vec3){1, 0, 0};
    const md5gl_texture dark = stage_color(stage, 1, 1, black);
    const md5gl_texture specular = stage_color(stage, 1, 1, red);
    STAGE_MATERIAL(stage, .diffuse = dark);
    stage_draw(stage, MD5GL_LIT, &plain);
    STAGE_MATERIAL(stage, .diffuse = dark, .specular = specular);
    stage_draw(stage, MD5GL_LIT, &shiny);
    CHECK(picture_at(&shiny, 0, 0)[0] > 150 && picture_at(&shiny, 0, 0)[2] < 40);
    CHECK(picture_at(&plain, 0, 0)[0] < 90); // a faint white highlight
    CHECK(abs(picture_at(&plain, 0, 0)[0] - picture_at(&plain, 0, 0)[2]) <= 1);
    stage->frame.light_direction = (md5_vec3){1, 1.5f, 0};
    stage_draw(stage, MD5GL_LIT, &off);
    CHECK(picture_at(&off, 0, 0)[0] < picture_at(&shiny, 0, 0)[0] / 2);
}

TEST_SQUARE (gl_alpha_test_uses_the_material) {
    static const uint8_t thin[4] = {255, 255, 255, 90};
    gl_picture picture;
    md5gl_material material = {.diffuse = stage_color(stage, 1, 1, thin)};
    md5gl_set_material(stage->renderer, stage->copy, 0, 0, &material);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, black, 0);
    material.alpha_test = 0.3f;
    md5gl_set_material(stage->renderer, stage->copy, 0, 0, &material);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, scene_sideways(1, 1, 1).rgba, 1);
    material.alpha_test = 90.0f / 255.0f; // alpha is equal, not greater
    md5gl_set_material(stage->renderer, stage->copy, 0, 0, &material);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, black, 0);
    material.is_opaque = true;
    md5gl_set_material(stage->renderer, stage->copy, 0, 0, &material);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, scene_sideways(1, 1, 1).rgba, 1);
}

TEST_SQUARE (gl_two_sided_material_is_visible_from_behind) {
    gl_picture picture;
    scene_look_from_behind(&stage->frame);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, black, 0);
    STAGE_MATERIAL(stage, .two_sided = true);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, scene_sideways(1, 1, 1).rgba, 1);
}

// Returns a model of version 12, whose colors are linear and multiplied with the texture.
static md5_model *colored_square(void)
{
    static const char text[] =
        "MD5Version 12\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n"
        "\"low\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"high\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n"
        "mesh {\nshader \"\"\nnumverts 4\n"
        "vert 0 ( 0 1 ) 0 1 ( 1 0 0 ) ( 0 1 0 1 )\n"
        "vert 1 ( 1 1 ) 1 1 ( 1 0 0 ) ( 0 1 0 1 )\n"
        "vert 2 ( 0 0 ) 2 1 ( 1 0 0 ) ( 0 1 0 1 )\n"
        "vert 3 ( 1 0 ) 3 1 ( 1 0 0 ) ( 0 1 0 1 )\n"
        "numtris 2\ntri 0 0 2 1\ntri 1 1 2 3\nnumweights 4\nweight 0 0 1 ( 0 -20 -20 )\n"
        "weight 1 0 1 ( 0 20 -20 )\nweight 2 1 1 ( 0 -20 20 )\nweight 3 1 1 ( 0 20 20 )\n"
        "numvertexcolors 4\nvertexcolor 0 ( 1 0.5 0 1 )\nvertexcolor 1 ( 1 0.5 0 1 )\n"
        "vertexcolor 2 ( 1 0.5 0 1 )\nvertexcolor 3 ( 1 0.5 0 1 )\n}\n";
    md5_error error = {0};
    md5_model *const model = text_model(text, &error);
    CHECK_THAT(model != NULL, "line %u: %s", error.line, error.message);
    return model;
}

TEST_STAGE (gl_vertex_colors_tint_the_texture, colored_square, 1) {
    gl_picture picture;
    STAGE_MATERIAL(stage, .diffuse = stage_color(stage, 1, 1, gray));
    stage_draw(stage, MD5GL_LIT, &picture);
    const double linear = 0.2158605; // linear value of sRGB 128
    CHECK_PIXEL(&picture, 0, 0, scene_sideways(linear, 0.5 * linear, 0).rgba, 1);
}
