// Unit vectors in 16 bits, on an octahedron that is unfolded into a square: see md5_baked_vertex. u
// and v are coordinates in the square. If they are rounded independently, the error is at most 0.9
// degrees. Selecting the best of the four nearest pairs reduces it to two thirds (Cigolle and
// others, "A Survey of Efficient Representations for Independent Unit Vectors", 2014).
#ifndef MD5_SKIN_OCTAHEDRON_H
#define MD5_SKIN_OCTAHEDRON_H

#include "md5/core/math.h"

// The encoded value of 0. The value 255 is not used, so that the axes are exact.
#define MD5_OCTAHEDRON_CENTER 127.0f

static inline float md5_octahedron_sign(float value)
{
    return value < 0 ? -1.0f : 1.0f;
}

// Returns the unit vector that bits 0 to 15 encode. Higher bits are ignored. The bits contain a
// point (u, v) of the square. If |u| + |v| <= 1, it is in the upper half of the octahedron |x| +
// |y| + |z| = 1, and x = u and y = v. Otherwise it is in the lower half, which is unfolded into the
// corners of the square. Its z is negative, and x and y are folded back.
static inline md5_vec3 md5_decode_octahedron(uint32_t bits)
{
    const float u = ((float)(bits & 255) - MD5_OCTAHEDRON_CENTER) / MD5_OCTAHEDRON_CENTER;
    const float v = ((float)(bits >> 8 & 255) - MD5_OCTAHEDRON_CENTER) / MD5_OCTAHEDRON_CENTER;
    md5_vec3 point = {u, v, 1.0f - fabsf(u) - fabsf(v)};
    if (point.z < 0) {
        point.x = (1.0f - fabsf(v)) * md5_octahedron_sign(u);
        point.y = (1.0f - fabsf(u)) * md5_octahedron_sign(v);
    }
    return md5_vec3_normalize(point, (md5_vec3){0, 0, 1});
}

// Encodes a value from -1 to 1, rounded down. The result is at most 253, so that the next larger
// code also exists.
static inline uint32_t md5_octahedron_step_below(float value)
{
    const float steps = floorf(value * MD5_OCTAHEDRON_CENTER);
    const float last = MD5_OCTAHEDRON_CENTER - 1.0f;
    if (!(steps > -MD5_OCTAHEDRON_CENTER))
        return 0;
    return (uint32_t)((steps < last ? steps : last) + MD5_OCTAHEDRON_CENTER);
}

// Encodes a unit vector: u in bits 0 to 7, v in bits 8 to 15. Selects the best of the four nearest
// pairs, because rounding u and v does not always give the nearest vector. For 0 and for vectors
// that are not finite, the result is an arbitrary pair.
static inline uint32_t md5_encode_octahedron(md5_vec3 n)
{
    const float sum = fabsf(n.x) + fabsf(n.y) + fabsf(n.z);
    float u = n.x / sum;
    float v = n.y / sum;

    // Fold the lower half of the octahedron over the upper half.
    if (n.z < 0) {
        const float across = (1.0f - fabsf(v)) * md5_octahedron_sign(u);
        v = (1.0f - fabsf(u)) * md5_octahedron_sign(v);
        u = across;
    }

    const uint32_t corner = md5_octahedron_step_below(u) | md5_octahedron_step_below(v) << 8;
    uint32_t best = corner;
    float nearest = -2;

    // Bit 0 of i adds a step to u, bit 1 adds a step to v.
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t bits = corner + (i & 1) + (i >> 1 << 8);
        const float cosine = md5_vec3_dot(md5_decode_octahedron(bits), n);
        if (cosine > nearest) {
            nearest = cosine;
            best = bits;
        }
    }
    return best;
}

#endif
