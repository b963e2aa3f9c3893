// Mipmaps on the CPU. Every driver gets the same ones, and a software renderer needs no shaders for
// them: Mesa's compiles them in each process, which takes longer than decoding the images of a
// model.
#ifndef MD5GL_MIPMAP_H
#define MD5GL_MIPMAP_H

#include "render/gl_internal.h"

// One level of a texture: rgba[4 * width * height].
typedef struct md5gl_level {
    uint32_t width, height;
    uint8_t *rgba;
} md5gl_level;

// Between stored bytes and linear colour, for the mean of texels. The two tables of sRGB hold exact
// roundings of IEC 61966-2-1.
typedef struct md5gl_encoding {
    bool is_srgb;
    uint16_t linear[256]; // 0..65535 of each byte
    uint16_t
        least[257]; // the smallest linear value that is rounded to the byte; [256] is not reached
    uint8_t encoded[1 << 12]; // the byte of linear value 16 * i
} md5gl_encoding;

void md5gli_prepare_encoding(md5gl_encoding *encoding, bool is_srgb);

// Writes the next level, with half of each side, rounded down to at least 1: texels are the means
// of the areas that they cover, in linear colour. `half` may be the memory of `level`. Returns the
// next level.
md5gl_level md5gli_halve(const md5gl_encoding *encoding, const md5gl_level *level, uint8_t *half);

// Uploads a picture to all levels of the bound texture. `target`: GL_TEXTURE_2D or a side of a cube
// map. `format`: GL_SRGB8_ALPHA8 or GL_RGBA8. Returns false with MD5_ERROR_MEMORY.
bool md5gli_upload_levels(md5gl_renderer *renderer, GLenum target, GLint format, uint32_t width,
                          uint32_t height, const uint8_t *rgba, md5_error *error);

#endif
