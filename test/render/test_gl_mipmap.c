// Mipmaps that the renderer computes, compared with the mean of the area that a texel covers, in
// double precision.
#include "test/render/test_gl_scene.h"

#include "render/gl_internal.h"

#include <math.h>
#include <string.h>

enum { MAX_SIDE = 40 };

static double linear_of(double byte)
{
    const double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double byte_of(double linear)
{
    return 255.0 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055);
}

// How much of texel `index` lies in the part of a side that texel `at` of `half` covers, in texels.
static double covered(uint32_t side, uint32_t half, uint32_t at, uint32_t index)
{
    const double width = (double)side / half, from = at * width, to = from + width;
    const double begin = from > index ? from : index, end = to < index + 1.0 ? to : index + 1.0;
    return end > begin ? end - begin : 0.0;
}

// The mean of a channel over the area of a texel of the next level.
static double mean_of(const md5gl_level *level, const md5gl_level *next, uint32_t x, uint32_t y,
                      uint32_t channel, bool is_srgb)
{
    double sum = 0.0, whole = 0.0;
    for (uint32_t v = 0; v < level->height; v++) {
        for (uint32_t u = 0; u < level->width; u++) {
            const double share = covered(level->width, next->width, x, u)
                                 * covered(level->height, next->height, y, v);
            const double byte = level->rgba[4 * ((size_t)v * level->width + u) + channel];
            sum += share * (is_srgb ? linear_of(byte) : byte);
            whole += share;
        }
    }
    return is_srgb ? byte_of(sum / whole) : sum / whole;
}

// Every byte is the nearest one to the mean. Linear colour has 16 bits: a thousandth of a byte, and
// where sRGB is steepest, a fortieth.
static void check_halves(uint32_t width, uint32_t height, bool is_srgb, uint64_t seed)
{
    static uint8_t texels[4 * MAX_SIDE * MAX_SIDE], halves[4 * MAX_SIDE * MAX_SIDE];
    md5gl_encoding encoding;
    md5gli_prepare_encoding(&encoding, is_srgb);
    for (size_t i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)(test_random_u32(&seed) % (i % 64 < 32 ? 256 : 24));
    const md5gl_level level = {width, height, texels};
    const md5gl_level next = md5gli_halve(&encoding, &level, halves);
    CHECK_UINT(next.width, width / 2 > 0 ? width / 2 : 1);
    CHECK_UINT(next.height, height / 2 > 0 ? height / 2 : 1);
    double worst = 0.0;
    for (uint32_t i = 0; i < 4 * next.width * next.height; i++) {
        const uint32_t x = i / 4 % next.width, y = i / 4 / next.width;
        const double mean = mean_of(&level, &next, x, y, i % 4, is_srgb && i % 4 < 3);
        const double apart = fabs(halves[i] - mean);
        worst = apart > worst ? apart : worst;
    }
    CHECK_NEAR(worst, 0.0, is_srgb ? 0.525 : 0.500001);
    // The same in place.
    const md5gl_level same = md5gli_halve(&encoding, &level, texels);
    CHECK(memcmp(texels, halves, (size_t)4 * same.width * same.height) == 0);
}

TEST (gl_mipmaps_are_means_of_areas) {
    static const uint32_t sides[][2] = {{16, 8}, {7, 6}, {6, 7}, {13, 5}, {1, 9},
                                        {8, 1},  {3, 3}, {2, 2}, {1, 1},  {39, 40}};
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        check_halves(sides[i][0], sides[i][1], false, i);
        check_halves(sides[i][0], sides[i][1], true, i + 100);
    }
}

// A mean of four equal texels is that texel.
TEST (gl_mipmaps_keep_every_value_of_srgb) {
    md5gl_encoding encoding;
    md5gli_prepare_encoding(&encoding, true);
    for (int value = 0; value < 256; value++) {
        uint8_t texels[16], half[4];
        memset(texels, value, sizeof texels);
        const md5gl_level level = {2, 2, texels};
        (void)md5gli_halve(&encoding, &level, half);
        for (int i = 0; i < 4; i++)
            CHECK_UINT(half[i], (uint64_t)value);
    }
}

// A texture has all levels: black and white cells of one texel are grey in level 1, and each cell
// of 2 x 1 texels of the last two levels too. 188 is half of white in linear colour.
TEST_OWN_SCENE (gl_textures_have_all_levels) {
    uint8_t texels[8][4][4];
    const GladGLContext *const gl = &scene->renderer->gl;
    for (int i = 0; i < 32; i++)
        memset(texels[i / 4][i % 4], (i / 4 + i) % 2 ? 255 : 0, 4);
    const md5gl_texture texture =
        scene_texture(scene->renderer, MD5GL_TEXTURE_COLOR, 4, 8, texels[0][0], NULL);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    for (GLint level = 1; level < 4 && !scene->renderer->is_es; level++) {
        uint8_t back[8][4] = {{0}};
        gl->GetTexImage(GL_TEXTURE_2D, level, GL_RGBA, GL_UNSIGNED_BYTE, back);
        CHECK(back[0][0] == 188 && back[0][1] == 188 && back[0][2] == 188 && back[0][3] == 128);
    }
    CHECK(scene->renderer->is_es || gl->GetError() == GL_NO_ERROR);
    md5gl_destroy_texture(scene->renderer, texture);
}
