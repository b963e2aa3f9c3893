// Encodes unit vectors in 16 bits, as points on an octahedron that is unfolded into a square (see
// md5_baked_vertex). u and v are the coordinates in the square, with 8 bits each.
//
// If u and v are rounded independently, the error is at most 0.9 degrees. The encoder selects the
// best of the four nearest pairs, which reduces the error to two thirds of that (Cigolle and
// others, "A Survey of Efficient Representations for Independent Unit Vectors", 2014).
#ifndef MD5_SKIN_OCTAHEDRON_H
#define MD5_SKIN_OCTAHEDRON_H

#include "md5/core/math.h"

// The encoded value of 0. -1 and 1 are encoded as 0 and 254, so that the axes are exact. The value
// 255 is not used.
#define MD5_OCTAHEDRON_CENTER 127.0f

static inline float md5_octahedron_sign(float value)
{
    return value < 0 ? -1.0f : 1.0f;
}

// Returns the unit vector that bits 0 to 15 encode. Higher bits are ignored. The bits contain a
// point (u, v) of the square. The octahedron is
//
//   |x| + |y| + |z| = 1.
//
// Its upper half is the part of the square with |u| + |v| <= 1, where x = u and y = v. Its lower
// half is in the four corners of the square. There z is negative, and the function folds x and y
// back.
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
