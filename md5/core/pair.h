// Two doubles in one register, for values that are derived while loading and for ragdolls. The
// compiler's vector extensions are used if they exist, otherwise plain C. Both variants round every
// operation alike, so they compute the same bits.
#ifndef MD5_CORE_PAIR_H
#define MD5_CORE_PAIR_H

#include "md5/core/cpu.h"
#include "md5/core/math.h"

#if MD5_HAS_VECTORS && MD5_HAS_SIMD

typedef double md5_pair MD5_VECTOR_SIZE(16);
typedef int64_t md5_pair_bits MD5_VECTOR_SIZE(16);

static inline md5_pair md5_pair_set(double first, double second)
{
    return (md5_pair){first, second};
}

static inline double md5_pair_first(md5_pair a)
{
    return a[0];
}

static inline double md5_pair_second(md5_pair a)
{
    return a[1];
}

static inline md5_pair md5_pair_add(md5_pair a, md5_pair b)
{
    return a + b;
}

static inline md5_pair md5_pair_sub(md5_pair a, md5_pair b)
{
    return a - b;
}

static inline md5_pair md5_pair_mul(md5_pair a, md5_pair b)
{
    return a * b;
}

static inline md5_pair md5_pair_div(md5_pair a, md5_pair b)
{
    return a / b;
}

// Returns the reciprocals of two numbers. The reciprocal of a number that is not positive is 0.
static inline md5_pair md5_pair_inverse(md5_pair a)
{
    return (md5_pair)((md5_pair_bits)(1.0 / a) & (md5_pair_bits)(a > 0));
}

#else

typedef struct md5_pair {
    double first;
    double second;
} md5_pair;

static inline md5_pair md5_pair_set(double first, double second)
{
    return (md5_pair){first, second};
}

static inline double md5_pair_first(md5_pair a)
{
    return a.first;
}

static inline double md5_pair_second(md5_pair a)
{
    return a.second;
}

static inline md5_pair md5_pair_add(md5_pair a, md5_pair b)
{
    return (md5_pair){a.first + b.first, a.second + b.second};
}

static inline md5_pair md5_pair_sub(md5_pair a, md5_pair b)
{
    return (md5_pair){a.first - b.first, a.second - b.second};
}

static inline md5_pair md5_pair_mul(md5_pair a, md5_pair b)
{
    return (md5_pair){a.first * b.first, a.second * b.second};
}

static inline md5_pair md5_pair_div(md5_pair a, md5_pair b)
{
    return (md5_pair){a.first / b.first, a.second / b.second};
}

static inline md5_pair md5_pair_inverse(md5_pair a)
{
    const double first = a.first > 0 ? 1.0 / a.first : 0.0;
    const double second = a.second > 0 ? 1.0 / a.second : 0.0;
    return (md5_pair){first, second};
}

#endif

// Loads two consecutive doubles, at any alignment.
static inline md5_pair md5_pair_load(const void *from)
{
    md5_pair loaded;
    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

static inline void md5_pair_store(void *to, md5_pair a)
{
    memcpy(to, &a, sizeof a);
}

static inline md5_pair md5_pair_both(double value)
{
    return md5_pair_set(value, value);
}

static inline md5_pair md5_pair_swap(md5_pair a)
{
    return md5_pair_set(md5_pair_second(a), md5_pair_first(a));
}

// Return the first elements of both pairs, or the second elements.
static inline md5_pair md5_pair_firsts(md5_pair a, md5_pair b)
{
    return md5_pair_set(md5_pair_first(a), md5_pair_first(b));
}

static inline md5_pair md5_pair_seconds(md5_pair a, md5_pair b)
{
    return md5_pair_set(md5_pair_second(a), md5_pair_second(b));
}

// Returns the second element of `a`, then the first of `b`.
static inline md5_pair md5_pair_inner(md5_pair a, md5_pair b)
{
    return md5_pair_set(md5_pair_second(a), md5_pair_first(b));
}

// Returns a.x * b.y - a.y * b.x.
static inline double md5_pair_cross(md5_pair a, md5_pair b)
{
    const md5_pair products = md5_pair_mul(a, md5_pair_swap(b));
    return md5_pair_first(products) - md5_pair_second(products);
}

#if MD5_HAS_VECTORS && MD5_HAS_SSE2
#include <emmintrin.h>

// Loads two consecutive floats and converts them to doubles.
static inline md5_pair md5_pair_load_floats(const void *two)
{
    return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)two)));
}

static inline md5_pair md5_pair_sqrt(md5_pair a)
{
    return _mm_sqrt_pd(a);
}

// Rounds four doubles to floats. Values outside of the range of floats become the largest finite
// float of their sign.
static inline md5_vec4 md5_pair_round(md5_pair xy, md5_pair zw)
{
    const md5_pair widest = md5_pair_both((double)FLT_MAX);
    const __m128 first = _mm_cvtpd_ps(_mm_max_pd(_mm_min_pd(xy, widest), -widest));
    const __m128 second = _mm_cvtpd_ps(_mm_max_pd(_mm_min_pd(zw, widest), -widest));
    md5_vec4 rounded;
    _mm_storeu_ps(&rounded.x, _mm_movelh_ps(first, second));
    return rounded;
}

#else

static inline md5_pair md5_pair_load_floats(const void *two)
{
    float values[2];
    memcpy(values, two, sizeof values);
    return md5_pair_set((double)values[0], (double)values[1]);
}

static inline md5_pair md5_pair_sqrt(md5_pair a)
{
    return md5_pair_set(sqrt(md5_pair_first(a)), sqrt(md5_pair_second(a)));
}

static inline md5_vec4 md5_pair_round(md5_pair xy, md5_pair zw)
{
    return (md5_vec4){
        md5_round_to_float(md5_pair_first(xy)), md5_round_to_float(md5_pair_second(xy)),
        md5_round_to_float(md5_pair_first(zw)), md5_round_to_float(md5_pair_second(zw))};
}

#endif

// Two vectors x y z. The first elements of the pairs are one vector, and the second elements are
// the other.
typedef struct md5_pair3 {
    md5_pair x;
    md5_pair y;
    md5_pair z;
} md5_pair3;

static inline md5_pair3 md5_pair3_set(md5_vec3d first, md5_vec3d second)
{
    return (md5_pair3){md5_pair_set(first.x, second.x), md5_pair_set(first.y, second.y),
                       md5_pair_set(first.z, second.z)};
}

static inline md5_vec3d md5_pair3_first(md5_pair3 a)
{
    return (md5_vec3d){md5_pair_first(a.x), md5_pair_first(a.y), md5_pair_first(a.z)};
}

static inline md5_vec3d md5_pair3_second(md5_pair3 a)
{
    return (md5_vec3d){md5_pair_second(a.x), md5_pair_second(a.y), md5_pair_second(a.z)};
}

static inline md5_pair3 md5_pair3_swap(md5_pair3 a)
{
    return (md5_pair3){md5_pair_swap(a.x), md5_pair_swap(a.y), md5_pair_swap(a.z)};
}

static inline md5_pair3 md5_pair3_sub(md5_pair3 a, md5_pair3 b)
{
    return (md5_pair3){md5_pair_sub(a.x, b.x), md5_pair_sub(a.y, b.y), md5_pair_sub(a.z, b.z)};
}

static inline md5_pair3 md5_pair3_scale(md5_pair3 a, md5_pair s)
{
    return (md5_pair3){md5_pair_mul(a.x, s), md5_pair_mul(a.y, s), md5_pair_mul(a.z, s)};
}

static inline md5_pair md5_pair3_dot(md5_pair3 a, md5_pair3 b)
{
    return md5_pair_add(md5_pair_add(md5_pair_mul(a.x, b.x), md5_pair_mul(a.y, b.y)),
                        md5_pair_mul(a.z, b.z));
}

// Returns two cross products.
static inline md5_pair3 md5_pair3_cross(md5_pair3 a, md5_pair3 b)
{
    return (md5_pair3){md5_pair_sub(md5_pair_mul(a.y, b.z), md5_pair_mul(a.z, b.y)),
                       md5_pair_sub(md5_pair_mul(a.z, b.x), md5_pair_mul(a.x, b.z)),
                       md5_pair_sub(md5_pair_mul(a.x, b.y), md5_pair_mul(a.y, b.x))};
}

static inline md5_pair md5_pair3_length(md5_pair3 a)
{
    return md5_pair_sqrt(md5_pair3_dot(a, a));
}

// Rounds two vectors to floats. Their components must be within the range of floats.
static inline void md5_pair3_round(md5_pair3 a, md5_vec3 *first, md5_vec3 *second)
{
    first->x = (float)md5_pair_first(a.x);
    second->x = (float)md5_pair_second(a.x);
    first->y = (float)md5_pair_first(a.y);
    second->y = (float)md5_pair_second(a.y);
    first->z = (float)md5_pair_first(a.z);
    second->z = (float)md5_pair_second(a.z);
}

#endif
