// Functions for texels of normal maps, shared by pictures.c and texture.c.
#ifndef MD5GL_TEXELS_H
#define MD5GL_TEXELS_H

#include "render/md5gl.h"

#include <math.h>

// Returns the four channels of a texel.
static inline const uint8_t *texel_at(const md5gl_texture_desc *desc, uint32_t x, uint32_t y)
{
    return desc->texels + 4 * ((size_t)y * desc->width + x);
}

// Slopes of a surface along u and v: change of height per unit of length.
typedef struct md5gl_slopes {
    double u;
    double v;
} md5gl_slopes;

// Returns the slopes of a surface from a texel of its normal map in id's encoding. `red` is the
// channel that contains x.
static inline md5gl_slopes read_slopes(const uint8_t *texel, int red)
{
    const double x = texel[red] / 127.5 - 1.0;
    const double y = texel[1] / 127.5 - 1.0;
    const double z = fmax(texel[2] / 127.5 - 1.0, 0.1);
    return (md5gl_slopes){-x / z, -y / z};
}

#endif
