// Materials: the effect of each map on a square, against values computed here.
#include "test/render/test_gl_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t black[4] = {0, 0, 0, 255}, grey[4] = {128, 128, 128, 255};

static md5gl_texture make_texture(gl_stage *stage, const uint8_t rgba[4])
{
    const md5gl_texture texture =
        scene_texture(stage->scene.renderer, MD5GL_TEXTURE_COLOR, 1, 1, rgba, NULL);
    CHECK(texture != 0);
    return texture;
}

// Creates a normal map of one direction, bytes as in a file.
static md5gl_texture make_normals(gl_stage *stage, const uint8_t rgba[4], uint32_t normals)
{
    const md5gl_texture texture = scene_normals(stage->scene.renderer, 1, 1, rgba, normals, NULL);
    CHECK(texture != 0);
    return texture;
}

// Returns the brightness of the square's centre under only a key light from `direction`.
static int lit_from(gl_stage *stage, md5gl_texture normals, md5_vec3 direction)
{
    gl_picture picture;
    const md5gl_material material = {.normals = normals};
    for (int i = 0; i < 3; i++) {
        stage->frame.ambient[i] = 0.0f;
        stage->frame.light[i] = 0.6f;
    }
    stage->frame.light_direction = direction;
    md5gl_set_material(stage->copy, 0, 0, &material);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    return picture_at(&picture, 3, 3)[1];
}

// The square faces +x, with u along +y and v along -z. The normal is tilted by 45 degrees.
TEST_STAGE (gl_normal_map_components_follow_u_and_v, scene_square, 1) {
    static const uint8_t flat[4] = {128, 128, 255, 255}, along_u[4] = {218, 128, 218, 255},
                         along_v[4] = {128, 218, 218, 255}, in_alpha[4] = {0, 128, 218, 218};
    const md5_vec3 from_y = {1, 1, 0}, from_minus_y = {1, -1, 0}, from_z = {1, 0, 1},
                   from_minus_z = {1, 0, -1};
    const md5gl_texture plain = make_normals(stage, flat, 0);
    const int straight = lit_from(stage, plain, (md5_vec3){1, 0, 0});
    CHECK(abs(lit_from(stage, 0, (md5_vec3){1, 0, 0}) - straight) <= 2);
    CHECK(abs(lit_from(stage, plain, from_y) - lit_from(stage, plain, from_minus_y)) <= 3);

    const struct {
        const uint8_t *texel;
        uint32_t normals;
        md5_vec3 bright, dark;
    } cases[] = {
        {along_u, 0, from_y, from_minus_y},
        {along_v, 0, from_minus_z, from_z}, // green grows downward, as in id's
        {along_v, MD5GL_NORMALS_GREEN_UP, from_z, from_minus_z},
        {in_alpha, MD5GL_NORMALS_RXGB, from_y, from_minus_y},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const md5gl_texture leaning = make_normals(stage, cases[i].texel, cases[i].normals);
        const int bright = lit_from(stage, leaning, cases[i].bright);
        const int dark = lit_from(stage, leaning, cases[i].dark);
        CHECK(bright > 150 && dark < 20); // the opposite tilt is at right angles to the light
        CHECK(abs(bright - straight) <= 12);
        md5gl_destroy_texture(stage->scene.renderer, leaning);
    }
    md5gl_destroy_texture(stage->scene.renderer, plain);
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
    return md5_parse_model(text, sizeof text - 1, NULL, NULL);
}

TEST_STAGE (gl_normal_map_is_right_on_mirrored_texture_coordinates, mirrored_square, 1) {
    static const uint8_t along_u[4] = {218, 128, 218, 255}, along_v[4] = {128, 218, 218, 255};
    md5_model *const straight = scene_square();
    const float sign = straight->meshes[0].tangents[0].w;
    md5_free_model(straight);
    const md5gl_texture u = make_normals(stage, along_u, 0), v = make_normals(stage, along_v, 0);
    CHECK(stage->model->meshes[0].tangents[0].w != sign);
    CHECK(lit_from(stage, u, (md5_vec3){1, -1, 0}) > 150); // u runs along -y here
    CHECK(lit_from(stage, u, (md5_vec3){1, 1, 0}) < 20);
    CHECK(lit_from(stage, v, (md5_vec3){1, 0, -1}) > 150); // and v along -z, unchanged
    CHECK(lit_from(stage, v, (md5_vec3){1, 0, 1}) < 20);
    md5gl_destroy_texture(stage->scene.renderer, u);
    md5gl_destroy_texture(stage->scene.renderer, v);
}

// Without light a glow map is visible unchanged, and the diffuse texture is black.
TEST_STAGE (gl_glow_is_visible_without_light, scene_square, 1) {
    static const uint8_t colour[4] = {200, 40, 90, 255};
    gl_picture picture;
    for (int i = 0; i < 3; i++)
        stage->frame.ambient[i] = 0.0f;
    const md5gl_material material = {.glow = make_texture(stage, colour)};
    for (int classic = 0; classic < 2; classic++) {
        stage->frame.lighting = classic ? MD5GL_LIGHTING_CLASSIC : MD5GL_LIGHTING_STUDIO;
        md5gl_set_material(stage->copy, 0, 0, &material);
        scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
        CHECK(picture_is(&picture, 0, 0, colour, 1));
    }
    md5gl_destroy_texture(stage->scene.renderer, material.glow);
}

// A specular map gives a highlight of its colour in the mirror direction of the light, which fades
// beside it.
TEST_STAGE (gl_specular_map_colours_the_highlight, scene_square, 1) {
    static const uint8_t red[4] = {255, 0, 0, 255};
    gl_picture plain, shiny, off;
    for (int i = 0; i < 3; i++) {
        stage->frame.ambient[i] = 0.0f;
        stage->frame.light[i] = 0.3f;
    }
    stage->frame.light_direction = (md5_vec3){1, 0, 0};
    const md5gl_texture dark = make_texture(stage, black), specular = make_texture(stage, red);
    const md5gl_material without = {.diffuse = dark};
    const md5gl_material with = {.diffuse = dark, .specular = specular};
    md5gl_set_material(stage->copy, 0, 0, &without);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &plain);
    md5gl_set_material(stage->copy, 0, 0, &with);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &shiny);
    CHECK(picture_at(&shiny, 0, 0)[0] > 150 && picture_at(&shiny, 0, 0)[2] < 40);
    CHECK(picture_at(&plain, 0, 0)[0] < 90); // a faint white highlight
    CHECK(abs(picture_at(&plain, 0, 0)[0] - picture_at(&plain, 0, 0)[2]) <= 1);
    stage->frame.light_direction = (md5_vec3){1, 1.5f, 0};
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &off);
    CHECK(picture_at(&off, 0, 0)[0] < picture_at(&shiny, 0, 0)[0] / 2);
    md5gl_destroy_texture(stage->scene.renderer, dark);
    md5gl_destroy_texture(stage->scene.renderer, specular);
}

TEST_STAGE (gl_alpha_test_uses_the_material, scene_square, 1) {
    static const uint8_t thin[4] = {255, 255, 255, 90};
    gl_picture picture;
    md5gl_material material = {.diffuse = make_texture(stage, thin)};
    md5gl_set_material(stage->copy, 0, 0, &material);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, black, 0));
    material.alpha_test = 0.3f;
    md5gl_set_material(stage->copy, 0, 0, &material);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, scene_sideways(1, 1, 1).rgba, 1));
    material.alpha_test = 90.0f / 255.0f; // alpha is equal, not greater
    md5gl_set_material(stage->copy, 0, 0, &material);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, black, 0));
    material.is_opaque = true;
    md5gl_set_material(stage->copy, 0, 0, &material);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, scene_sideways(1, 1, 1).rgba, 1));
    md5gl_destroy_texture(stage->scene.renderer, material.diffuse);
}

TEST_STAGE (gl_two_sided_material_is_visible_from_behind, scene_square, 1) {
    gl_picture picture;
    scene_look_from_behind(&stage->frame);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, black, 0));
    const md5gl_material material = {.two_sided = true};
    md5gl_set_material(stage->copy, 0, 0, &material);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, scene_sideways(1, 1, 1).rgba, 1));
}

// A file of version 12: its colours are linear and multiplied with the texture.
static md5_model *coloured_square(void)
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
    md5_error error;
    md5_model *const model = md5_parse_model(text, sizeof text - 1, NULL, &error);
    test_check(model != NULL, __FILE__, __LINE__, "line %u: %s", error.line, error.message);
    return model;
}

TEST_STAGE (gl_vertex_colours_tint_the_texture, coloured_square, 1) {
    gl_picture picture;
    const md5gl_texture texture = make_texture(stage, grey);
    md5gl_set_material(stage->copy, 0, 0, &(md5gl_material){.diffuse = texture});
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    const double linear = 0.2158605; // of sRGB 128
    CHECK(picture_is(&picture, 0, 0, scene_sideways(linear, 0.5 * linear, 0).rgba, 1));
    md5gl_destroy_texture(stage->scene.renderer, texture);
}
