// Colours of materials, which multiply diffuse and specular textures, against values computed here.
#include "test/render/test_gl_scene.h"
#include "test/render/test_gl_stages.h"

#include <math.h>

static double linear_of(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double encoded(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
}

static void set_light(md5gl_frame *frame, float key, float sky)
{
    frame->light_direction = (md5_vec3){1, 0, 0};
    for (int i = 0; i < 3; i++) {
        frame->light[i] = key;
        frame->ambient[i] = sky;
    }
}

static void check_pixel(const gl_picture *picture, const double expected[3], int line)
{
    for (int i = 0; i < 3; i++)
        test_check(fabs(picture_at(picture, 0, 0)[i] - 255.0 * expected[i]) <= 2.0, __FILE__, line,
                   "channel %d is %d, expected %.1f", i, picture_at(picture, 0, 0)[i],
                   255.0 * expected[i]);
}

static const uint8_t texel[4] = {200, 150, 100, 255};
static const md5_vec3 red = {1.0f, 0.4f, 0.0f};
static const double reds[3] = {1.0, 0.4, 0.0};

// The classic light multiplies the numbers of the files, the studio's those in linear colour.
TEST_STAGE (gl_paints_multiply_the_diffuse_texture, scene_square, 1) {
    gl_picture picture;
    const md5gl_texture diffuse =
        scene_texture(stage->scene.renderer, MD5GL_TEXTURE_COLOR, 1, 1, texel, NULL);
    const md5gl_material material = {.diffuse = diffuse, .diffuse_color = red};
    md5gl_set_material(stage->copy, 0, 0, &material);
    for (int classic = 0; classic < 2; classic++) {
        double expected[3];
        stage->frame.lighting = classic ? MD5GL_LIGHTING_CLASSIC : MD5GL_LIGHTING_STUDIO;
        set_light(&stage->frame, 0.0f, 1.0f);
        scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
        for (int i = 0; i < 3; i++) {
            const double file = texel[i] / 255.0, color = reds[i];
            // The sky of the studio reaches a wall from above and, in part, from below.
            const double ground[3] = {0.40, 0.36, 0.33};
            const double sky = 0.5 + 0.5 * ground[i];
            expected[i] =
                classic ? file * color : encoded(linear_of(file) * linear_of(color) * sky);
        }
        check_pixel(&picture, expected, __LINE__);
    }
    md5gl_destroy_texture(stage->scene.renderer, diffuse);
}

// A highlight that is seen straight: twice the specular map.
TEST_STAGE (gl_paints_multiply_the_specular_map, scene_square, 1) {
    static const uint8_t black[4] = {0, 0, 0, 255}, dark[4] = {100, 80, 60, 255};
    gl_picture picture;
    md5gl_renderer *const renderer = stage->scene.renderer;
    const md5gl_texture diffuse = scene_texture(renderer, MD5GL_TEXTURE_COLOR, 1, 1, black, NULL);
    const md5gl_texture specular = scene_texture(renderer, MD5GL_TEXTURE_COLOR, 1, 1, dark, NULL);
    const md5gl_material material = {
        .diffuse = diffuse, .specular = specular, .specular_color = red};
    md5gl_set_material(stage->copy, 0, 0, &material);
    stage->frame.lighting = MD5GL_LIGHTING_CLASSIC;
    set_light(&stage->frame, 1.0f, 0.0f);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    double expected[3];
    for (int i = 0; i < 3; i++)
        expected[i] = 2.0 * dark[i] / 255.0 * reds[i];
    check_pixel(&picture, expected, __LINE__);
    md5gl_destroy_texture(renderer, diffuse);
    md5gl_destroy_texture(renderer, specular);
}

// Vertex colours: as they are, ignored, inverted; together with a colour.
TEST_STAGE (gl_paints_go_with_vertex_colours, layer_quad, 1) {
    static const md5_vec3 white = {2.0f, 1.0f, 1.0f}; // as far as 1
    gl_picture pictures[3];
    stage->frame.lighting = MD5GL_LIGHTING_CLASSIC;
    set_light(&stage->frame, 0.0f, 1.0f);
    for (int i = 0; i < 3; i++) {
        const md5gl_material material = {.is_opaque = true,
                                         .no_vertex_color = i == 1,
                                         .inverse_vertex_color = i == 2,
                                         .diffuse_color = white};
        md5gl_set_material(stage->copy, 0, 0, &material);
        scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &pictures[i]);
    }
    for (int i = 0; i < 3; i++) {
        const double own = linear_of(picture_at(&pictures[0], 0, 0)[i] / 255.0);
        const double inverted = linear_of(picture_at(&pictures[2], 0, 0)[i] / 255.0);
        CHECK(own > 0.0 && own < 1.0);
        CHECK_UINT(picture_at(&pictures[1], 0, 0)[i], 255);
        CHECK_NEAR(own + inverted, 1.0, 0.02);
    }
}
