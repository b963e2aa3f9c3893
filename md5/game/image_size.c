// Resampling as the engine does it: to powers of two when a file is loaded, and to the size of
// another picture in programs.
#include "md5/game/image.h"

#include <string.h>

// The power of two below, or the side itself if it is one.
static uint32_t power_below(uint32_t side)
{
    uint32_t power = 1;
    while (power <= side / 2)
        power *= 2;
    return power;
}

// Columns are sampled in 16.16 fixed point at a quarter and at three quarters of a texel of the
// result, and rows likewise in floats.

static uint32_t column_of(uint32_t step, uint32_t x, uint32_t quarters)
{
    return (uint32_t)((quarters * (uint64_t)(step >> 2) + (uint64_t)x * step) >> 16);
}

static uint32_t row_of(uint32_t y, float offset, uint32_t from, uint32_t to)
{
    return (uint32_t)(((float)y + offset) * (float)from / (float)to);
}

static const uint8_t *texel(const md5_image *image, uint32_t x, uint32_t y)
{
    return image->pixels + ((size_t)y * image->width + x) * MD5_IMAGE_CHANNELS;
}

static void fill_row(md5_image *result, uint32_t y, const md5_image *image)
{
    const uint32_t step = (uint32_t)(((uint64_t)image->width << 16) / result->width);
    const uint32_t above = row_of(y, 0.25f, image->height, result->height);
    const uint32_t below = row_of(y, 0.75f, image->height, result->height);
    uint8_t *to = result->pixels + (size_t)y * result->width * MD5_IMAGE_CHANNELS;
    for (uint32_t x = 0; x < result->width; x++, to += MD5_IMAGE_CHANNELS) {
        const uint32_t left = column_of(step, x, 1), right = column_of(step, x, 3);
        const uint8_t *const a = texel(image, left, above), *const b = texel(image, right, above);
        const uint8_t *const c = texel(image, left, below), *const d = texel(image, right, below);
        for (int i = 0; i < MD5_IMAGE_CHANNELS; i++)
            to[i] = (uint8_t)((a[i] + b[i] + c[i] + d[i]) >> 2);
    }
}

md5_image *md5i_round_image(md5_context *context, md5_image *image)
{
    const uint32_t width = power_below(image->width), height = power_below(image->height);
    if (width == image->width && height == image->height)
        return image;
    md5_image *const result = md5i_new_image(context, width, height);
    if (!result)
        return NULL;
    for (uint32_t y = 0; y < height; y++)
        fill_row(result, y, image);
    md5i_drop_image(context, image);
    return result;
}

const uint8_t *md5i_texel_over(const md5_image *image, const md5_image *other, uint32_t x,
                               uint32_t y)
{
    const uint32_t column = (uint32_t)((uint64_t)x * other->width / image->width);
    const uint32_t row = (uint32_t)(((double)y + 0.25) * other->height / image->height);
    return texel(other, column, row);
}
