// Normal maps. A channel c is the coordinate (c - 128) / 127, and is written as the engine writes
// it: 128 + 127 x, cut off.
#include "md5/game/image.h"

#include <math.h>
#include <string.h>

// The engine's reciprocal square root: one Newton step from a guess by the bits of the number, too
// small by up to 0.2 %. So z of a flat normal map is 254, not 255. Results must equal the engine's.
static float fast_inverse_root(float x)
{
    const float half = x * 0.5f;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = UINT32_C(0x5f3759df) - (bits >> 1);
    memcpy(&x, &bits, sizeof x);
    return x * (1.5f - x * x * half);
}

static float squared_length(const float v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static void normalize_fast(float v[3])
{
    const float factor = fast_inverse_root(squared_length(v));
    for (int i = 0; i < 3; i++)
        v[i] *= factor;
}

static void write_normal(uint8_t *texel, const float normal[3])
{
    for (int i = 0; i < 3; i++)
        texel[i] = md5_lowest_byte(normal[i] * 127.0f + 128.0f);
}

// -- Heights --------------------------------------------------------------------------------------

// The normal of a texel: the mean of those of two triangles, above left and below right of the
// diagonal of the square between it and its neighbors.
static void height_normal(float here, float right, float below, float across, float scale,
                          float normal[3])
{
    float first[3] = {-(right - here) * scale, -(below - here) * scale, 1.0f};
    float second[3] = {-(across - below) * scale, (here - below) * scale, 1.0f};
    normalize_fast(first);
    normalize_fast(second);
    for (int i = 0; i < 3; i++)
        normal[i] = first[i] + second[i];
    normalize_fast(normal);
}

static uint8_t gray(const uint8_t *texel)
{
    return (uint8_t)((texel[0] + texel[1] + texel[2]) / 3);
}

static void write_height_row(md5_image *image, uint32_t y, const uint8_t *heights, float scale)
{
    const uint32_t width = image->width;
    const uint8_t *const here = heights + (size_t)y * width;
    const uint8_t *const below = heights + (size_t)((y + 1) % image->height) * width;
    uint8_t *texel = image->pixels + (size_t)y * width * MD5_IMAGE_CHANNELS;
    for (uint32_t x = 0; x < width; x++, texel += MD5_IMAGE_CHANNELS) {
        const uint32_t next = x + 1 < width ? x + 1 : 0;
        float normal[3];
        height_normal(here[x], here[next], below[x], below[next], scale, normal);
        write_normal(texel, normal);
        texel[3] = 255;
    }
}

bool md5i_make_heights_normals(md5_context *context, md5_image *image, float scale)
{
    const size_t count = md5_image_texels(image);
    uint8_t *const heights = (uint8_t *)md5i_alloc(context, count);
    TRY(heights);
    for (size_t i = 0; i < count; i++)
        heights[i] = gray(image->pixels + MD5_IMAGE_CHANNELS * i);
    for (uint32_t y = 0; y < image->height; y++)
        write_height_row(image, y, heights, scale / 256.0f);
    md5i_free(context, heights, count);
    return true;
}

// -- Smoothing ------------------------------------------------------------------------------------

static bool is_unused(const uint8_t *texel)
{
    return texel[0] == texel[1] && texel[0] == texel[2] && (texel[0] == 0 || texel[0] == 128);
}

// Adds the normals of a texel, its left and its right neighbor.
static void add_three(const uint8_t *row, uint32_t width, uint32_t x, int sum[3])
{
    const uint32_t columns[3] = {x > 0 ? x - 1 : width - 1, x, x + 1 < width ? x + 1 : 0};
    for (int i = 0; i < 3; i++) {
        const uint8_t *const texel = row + (size_t)columns[i] * MD5_IMAGE_CHANNELS;
        for (int axis = 0; axis < 3 && !is_unused(texel); axis++)
            sum[axis] += texel[axis] - 128;
    }
}

static void write_mean(uint8_t *texel, const int sum[3])
{
    const float vector[3] = {(float)sum[0], (float)sum[1], (float)sum[2]};
    const float length = sqrtf(squared_length(vector));
    const float factor = length > 0.0f ? 1.0f / length : 0.0f;
    for (int i = 0; i < 3; i++)
        texel[i] = md5_lowest_byte(128.0f + 127.0f * (vector[i] * factor));
}

bool md5i_smooth_normals(md5_context *context, md5_image *image)
{
    const size_t stride = (size_t)image->width * MD5_IMAGE_CHANNELS, size = stride * image->height;
    uint8_t *const source = (uint8_t *)md5i_alloc(context, size);
    TRY(source);
    memcpy(source, image->pixels, size);
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *const above = source + stride * (y > 0 ? y - 1 : image->height - 1);
        const uint8_t *const below = source + stride * (y + 1 < image->height ? y + 1 : 0);
        for (uint32_t x = 0; x < image->width; x++) {
            int sum[3] = {0, 0, 0};
            add_three(above, image->width, x, sum);
            add_three(source + stride * y, image->width, x, sum);
            add_three(below, image->width, x, sum);
            write_mean(image->pixels + stride * y + (size_t)x * MD5_IMAGE_CHANNELS, sum);
        }
    }
    md5i_free(context, source, size);
    return true;
}

// -- Sums -----------------------------------------------------------------------------------------

static float coordinate(uint8_t channel)
{
    return ((float)channel - 128.0f) / 127.0f;
}

// Adds x and y of the other normal. z stays, but is computed for length 1 if the first normal is
// shorter. With the engine's fast root, lengths up to 1.002 count as shorter.
static void add_normal(uint8_t *texel, const uint8_t *other)
{
    float normal[3] = {coordinate(texel[0]), coordinate(texel[1]), coordinate(texel[2])};
    const float squared = squared_length(normal);
    if (squared * fast_inverse_root(squared) < 1.0f) {
        const float rest = 1.0f - normal[0] * normal[0] - normal[1] * normal[1];
        normal[2] = rest > 0.0f ? sqrtf(rest) : 0.0f;
    }
    normal[0] += coordinate(other[0]);
    normal[1] += coordinate(other[1]);
    const float length = sqrtf(squared_length(normal));
    for (int i = 0; i < 3; i++)
        normal[i] = length > 0.0f ? normal[i] / length : 0.0f;
    write_normal(texel, normal);
    texel[3] = 255;
}

void md5i_add_normals(md5_image *image, const md5_image *other)
{
    uint8_t *texel = image->pixels;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++, texel += MD5_IMAGE_CHANNELS)
            add_normal(texel, md5i_texel_over(image, other, x, y));
    }
}
