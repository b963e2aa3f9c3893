// Blocks of 4 x 4 texels, compressed by S3TC (DXT): 8 bytes of color, in some formats behind 8
// bytes of alpha. (EXT_texture_compression_s3tc, appendix.) Fractions are cut off, as in libsquish.
#include "md5/game/image_dds.h"

#include <string.h>

// Widens 5 and 6 bits to 8: the highest ones are repeated at the end.
static void widen565(uint32_t packed, uint32_t rgb[3])
{
    const uint32_t r = packed >> 11 & 31, g = packed >> 5 & 63, b = packed & 31;
    rgb[0] = r << 3 | r >> 2;
    rgb[1] = g << 2 | g >> 4;
    rgb[2] = b << 3 | b >> 2;
}

// Two end colors and 2 bits for each texel. In DXT1, if the first color is not the greater one, the
// third is their mean and the fourth black and transparent; else both lie between them.
static void read_colors(const uint8_t *block, bool has_transparent, uint8_t texels[16][4])
{
    const uint32_t first = md5_little16(block), second = md5_little16(block + 2);
    const uint32_t indices = md5_little32(block + 4);
    const bool is_three = has_transparent && first <= second;
    uint32_t ends[2][3];
    uint8_t palette[4][4];
    widen565(first, ends[0]);
    widen565(second, ends[1]);
    for (int i = 0; i < 3; i++) {
        const uint32_t a = ends[0][i], b = ends[1][i];
        palette[0][i] = (uint8_t)a;
        palette[1][i] = (uint8_t)b;
        palette[2][i] = (uint8_t)(is_three ? (a + b) / 2 : (2 * a + b) / 3);
        palette[3][i] = (uint8_t)(is_three ? 0 : (a + 2 * b) / 3);
    }
    palette[0][3] = palette[1][3] = palette[2][3] = 255;
    palette[3][3] = is_three ? 0 : 255;
    for (int i = 0; i < 16; i++)
        memcpy(texels[i], palette[indices >> 2 * i & 3], 4);
}

// 4 bits for each texel.
static void read_explicit_alpha(const uint8_t *block, uint8_t texels[16][4])
{
    for (int i = 0; i < 16; i++)
        texels[i][3] = (uint8_t)((block[i / 2] >> (i % 2 ? 4 : 0) & 15) * 17);
}

// Two end values and 3 bits for each texel. If the first is not the greater one, there are four
// values between them, 0 and 255; else six.
static void read_interpolated_alpha(const uint8_t *block, uint8_t texels[16][4])
{
    const uint32_t a = block[0], b = block[1], steps = a > b ? 7 : 5;
    uint8_t palette[8] = {block[0], block[1], 0, 0, 0, 0, 0, 255};
    for (uint32_t i = 1; i < steps; i++)
        palette[i + 1] = (uint8_t)(((steps - i) * a + i * b) / steps);
    uint64_t indices = md5_little32(block + 2) | (uint64_t)md5_little16(block + 6) << 32;
    for (int i = 0; i < 16; i++, indices >>= 3)
        texels[i][3] = palette[indices & 7];
}

void md5i_read_block(md5_block_format format, const uint8_t *block, uint8_t texels[16][4])
{
    switch (format) {
    case MD5_BLOCK_DXT1:
        read_colors(block, true, texels);
        break;
    case MD5_BLOCK_DXT3:
        read_colors(block + 8, false, texels);
        read_explicit_alpha(block, texels);
        break;
    default:
        read_colors(block + 8, false, texels);
        read_interpolated_alpha(block, texels);
        break;
    }
    for (int i = 0; i < 16 && format == MD5_BLOCK_RXGB; i++) {
        texels[i][0] = texels[i][3];
        texels[i][3] = 255;
    }
}
