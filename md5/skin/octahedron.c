// Unit vectors in 16 bits. Rounding u and v independently has an error of at most 0.9 degrees;
// choosing the best of the four nearest pairs reduces it to two thirds (Cigolle and others, "A
// Survey of Efficient Representations for Independent Unit Vectors", 2014).
#include "md5/skin/octahedron.h"

#include "md5/core/math.h"

enum { CENTRE = 127 }; // 0; so that the axes are exact, 255 is not used

static inline float sign_of(float value)
{
    return value < 0.0f ? -1.0f : 1.0f;
}

md5_vec3 md5i_octahedron_normal(uint32_t bits)
{
    const float u = ((float)(bits & 255) - (float)CENTRE) / (float)CENTRE;
    const float v = ((float)(bits >> 8 & 255) - (float)CENTRE) / (float)CENTRE;
    md5_vec3 at = {u, v, 1.0f - fabsf(u) - fabsf(v)};
    if (at.z < 0.0f) {
        at.x = (1.0f - fabsf(v)) * sign_of(u);
        at.y = (1.0f - fabsf(u)) * sign_of(v);
    }
    return md5_vec3_normalize(at, (md5_vec3){0.0f, 0.0f, 1.0f});
}

// Returns -1 to 1 as a whole number of steps at or below it.
static uint32_t step_below(float value)
{
    const float steps = floorf(value * (float)CENTRE);
    const float last = (float)CENTRE - 1.0f; // there is one above it
    if (!(steps > -(float)CENTRE))
        return 0;
    return (uint32_t)((steps < last ? steps : last) + (float)CENTRE);
}

uint32_t md5i_octahedron_of(md5_vec3 n)
{
    const float sum = fabsf(n.x) + fabsf(n.y) + fabsf(n.z);
    float u = n.x / sum, v = n.y / sum;
    if (n.z < 0.0f) {
        const float across = (1.0f - fabsf(v)) * sign_of(u);
        v = (1.0f - fabsf(u)) * sign_of(v);
        u = across;
    }
    const uint32_t corner = step_below(u) | step_below(v) << 8;
    uint32_t best = corner;
    float nearest = -2.0f;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t bits = corner + (i & 1) + (i >> 1 << 8);
        const float cosine = md5_vec3_dot(md5i_octahedron_normal(bits), n);
        if (cosine > nearest) {
            nearest = cosine;
            best = bits;
        }
    }
    return best;
}
