// Mipmaps on the CPU: see mipmap.h.
#include "render/mipmap.h"

#include <math.h>
#include <string.h>

// -- Encodings --------------------------------------------------------------------------------

// Linear colour of an sRGB value, both 0..1.
static double decode_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

// The least difference of two values in `least` is 65535 / (255 * 12.92) = 19.9: at most one of
// them is between two neighbours in `encoded`, which are 16 apart. So a look-up and a comparison
// encode exactly.
void md5gli_prepare_encoding(md5gl_encoding *encoding, bool is_srgb)
{
    encoding->is_srgb = is_srgb;
    if (!is_srgb)
        return;
    for (int i = 0; i < 256; i++) {
        encoding->linear[i] = (uint16_t)(65535.0 * decode_srgb(i / 255.0) + 0.5);
        encoding->least[i] =
            (uint16_t)(i == 0 ? 0.0 : ceil(65535.0 * decode_srgb((i - 0.5) / 255.0)));
    }
    encoding->least[256] = 65535;
    uint32_t byte = 0;
    for (uint32_t i = 0; i < 1 << 12; i++) {
        byte += byte < 255 && 16 * i >= encoding->least[byte + 1];
        encoding->encoded[i] = (uint8_t)byte;
    }
}

static uint8_t encode_srgb(const md5gl_encoding *encoding, uint32_t linear)
{
    const uint32_t byte = encoding->encoded[linear >> 4];
    return (uint8_t)(byte + (byte < 255 && linear >= encoding->least[byte + 1]));
}

// -- Halving ----------------------------------------------------------------------------------

// What one texel of the next level covers along one axis: two texels of an even side, and of an odd
// one three. Texel i of 2 n + 1 covers (2 + 1 / n) texels from i (2 + 1 / n) on: n - i parts of n
// of texel 2 i, all of the next and i + 1 parts of the third. The weights are multiplied by n.
typedef struct texel_cover {
    uint32_t count, weights[3], sum;
} texel_cover;

static texel_cover cover_of(uint32_t side, uint32_t index)
{
    if (side == 1)
        return (texel_cover){1, {1, 0, 0}, 1};
    if (side % 2 == 0)
        return (texel_cover){2, {1, 1, 0}, 2};
    return (texel_cover){3, {side / 2 - index, side / 2, index + 1}, side};
}

// A mean of texels with any weights, of one channel.
static uint8_t mean_of_area(const uint8_t *from, size_t row, const texel_cover *across,
                            const texel_cover *down, const md5gl_encoding *srgb)
{
    const uint64_t whole = (uint64_t)across->sum * down->sum;
    uint64_t sum = 0;
    for (uint32_t y = 0; y < down->count; y++) {
        for (uint32_t x = 0; x < across->count; x++) {
            const uint64_t weight = (uint64_t)down->weights[y] * across->weights[x];
            const uint8_t value = from[y * row + 4 * (size_t)x];
            sum += weight * (srgb ? srgb->linear[value] : value);
        }
    }
    const uint32_t mean = (uint32_t)((sum + whole / 2) / whole);
    return srgb ? encode_srgb(srgb, mean) : (uint8_t)mean;
}

// A row of which a side is odd or 1. Alpha is always linear.
static void halve_odd_row(const md5gl_encoding *encoding, const md5gl_level *level, uint32_t y,
                          uint8_t *to)
{
    const size_t row = 4 * (size_t)level->width;
    const uint32_t width = level->width > 1 ? level->width / 2 : 1;
    const texel_cover down = cover_of(level->height, y);
    const uint8_t *from = level->rgba + 2 * (size_t)y * row;
    for (uint32_t x = 0; x < width; x++, from += 8) {
        const texel_cover across = cover_of(level->width, x);
        uint8_t texel[4];
        for (uint32_t i = 0; i < 4; i++)
            texel[i] = mean_of_area(from + i, row, &across, &down,
                                    encoding->is_srgb && i < 3 ? encoding : NULL);
        memcpy(to + 4 * (size_t)x, texel, sizeof texel);
    }
}

static uint8_t mean_of_bytes(const uint8_t *from, size_t row)
{
    return (uint8_t)((from[0] + from[4] + from[row] + from[row + 4] + 2) / 4);
}

static uint8_t mean_of_srgb(const md5gl_encoding *encoding, const uint8_t *from, size_t row)
{
    const uint16_t *const linear = encoding->linear;
    const uint32_t sum =
        (uint32_t)linear[from[0]] + linear[from[4]] + linear[from[row]] + linear[from[row + 4]];
    return encode_srgb(encoding, (sum + 2) / 4);
}

static void halve_even_row(const md5gl_encoding *encoding, const uint8_t *from, size_t row,
                           uint8_t *to)
{
    for (size_t x = 0; x < row / 8; x++, from += 8) {
        uint8_t texel[4];
        for (uint32_t i = 0; i < 3; i++)
            texel[i] = encoding->is_srgb ? mean_of_srgb(encoding, from + i, row)
                                         : mean_of_bytes(from + i, row);
        texel[3] = mean_of_bytes(from + 3, row);
        memcpy(to + 4 * x, texel, sizeof texel);
    }
}

// In the same memory, a texel is written after all that it covers have been read, and those of
// later texels lie behind it.
md5gl_level md5gli_halve(const md5gl_encoding *encoding, const md5gl_level *level, uint8_t *half)
{
    const bool is_even = level->width % 2 == 0 && level->height % 2 == 0;
    const size_t row = 4 * (size_t)level->width;
    const md5gl_level next = {level->width > 1 ? level->width / 2 : 1,
                              level->height > 1 ? level->height / 2 : 1, half};
    for (uint32_t y = 0; y < next.height; y++) {
        uint8_t *const to = half + 4 * (size_t)y * next.width;
        if (is_even)
            halve_even_row(encoding, level->rgba + 2 * (size_t)y * row, row, to);
        else
            halve_odd_row(encoding, level, y, to);
    }
    return next;
}

// -- Uploading --------------------------------------------------------------------------------

static void upload_one(const GladGLContext *gl, GLenum target, GLint number, GLint format,
                       const md5gl_level *level)
{
    gl->TexImage2D(target, number, format, (GLsizei)level->width, (GLsizei)level->height, 0,
                   GL_RGBA, GL_UNSIGNED_BYTE, level->rgba);
}

bool md5gli_upload_levels(md5gl_renderer *renderer, GLenum target, GLint format, uint32_t width,
                          uint32_t height, const uint8_t *rgba, md5_error *error)
{
    md5gl_level level = {width, height, (uint8_t *)(uintptr_t)rgba}; // which is only read
    upload_one(&renderer->gl, target, 0, format, &level);
    if (width == 1 && height == 1)
        return true;
    const size_t half_width = width > 1 ? width / 2 : 1, half_height = height > 1 ? height / 2 : 1;
    const size_t size = 4 * half_width * half_height;
    uint8_t *const half = (uint8_t *)md5gli_alloc(&renderer->allocator, size, 1, error);
    if (!half)
        return false;
    md5gl_encoding encoding;
    md5gli_prepare_encoding(&encoding, format == GL_SRGB8_ALPHA8);
    for (GLint number = 1; level.width > 1 || level.height > 1; number++) {
        level = md5gli_halve(&encoding, &level, half);
        upload_one(&renderer->gl, target, number, format, &level);
    }
    md5gli_free(&renderer->allocator, half, size);
    return true;
}
