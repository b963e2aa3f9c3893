// Two doubles in one register, for values that are derived at load: with SSE2, NEON or in plain C.
// Each operation is rounded as C rounds it, so all give the same bits.
#ifndef MD5_SKIN_PAIR_H
#define MD5_SKIN_PAIR_H

#include "md5/core/cpu.h"
#include "md5/core/math.h"

#include <string.h>

#if MD5_HAS_SSE2
#include <emmintrin.h>

typedef __m128d md5_pair;

static inline md5_pair md5_pair_of(double first, double second)
{
    return _mm_set_pd(second, first);
}

static inline md5_pair md5_pair_load(const void *from)
{
    return _mm_loadu_pd((const double *)from);
}

static inline md5_pair md5_pair_of_floats(const void *two)
{
    return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)two)));
}

static inline void md5_pair_store(void *to, md5_pair a)
{
    _mm_storeu_pd((double *)to, a);
}

static inline md5_pair md5_pair_add(md5_pair a, md5_pair b)
{
    return _mm_add_pd(a, b);
}

static inline md5_pair md5_pair_sub(md5_pair a, md5_pair b)
{
    return _mm_sub_pd(a, b);
}

static inline md5_pair md5_pair_mul(md5_pair a, md5_pair b)
{
    return _mm_mul_pd(a, b);
}

static inline md5_pair md5_pair_div(md5_pair a, md5_pair b)
{
    return _mm_div_pd(a, b);
}

static inline md5_pair md5_pair_sqrt(md5_pair a)
{
    return _mm_sqrt_pd(a);
}

// Returns 1 / a; 0 if a is not above 0.
static inline md5_pair md5_pair_inverse(md5_pair a)
{
    const md5_pair inverse = _mm_div_pd(_mm_set1_pd(1.0), a);
    return _mm_and_pd(inverse, _mm_cmpgt_pd(a, _mm_setzero_pd()));
}

static inline md5_pair md5_pair_swap(md5_pair a)
{
    return _mm_shuffle_pd(a, a, 1);
}

// Return the first elements of both, or the second ones.
static inline md5_pair md5_pair_firsts(md5_pair a, md5_pair b)
{
    return _mm_unpacklo_pd(a, b);
}

static inline md5_pair md5_pair_seconds(md5_pair a, md5_pair b)
{
    return _mm_unpackhi_pd(a, b);
}

static inline double md5_pair_first(md5_pair a)
{
    return _mm_cvtsd_f64(a);
}

// Returns the second element of `a`, then the first of `b`.
static inline md5_pair md5_pair_inner(md5_pair a, md5_pair b)
{
    return _mm_shuffle_pd(a, b, 1);
}

// Returns the nearest finite floats.
static inline md5_vec4 md5_pair_round(md5_pair xy, md5_pair zw)
{
    const __m128d widest = _mm_set1_pd((double)FLT_MAX), lowest = _mm_set1_pd(-(double)FLT_MAX);
    const __m128 first = _mm_cvtpd_ps(_mm_max_pd(_mm_min_pd(xy, widest), lowest));
    const __m128 second = _mm_cvtpd_ps(_mm_max_pd(_mm_min_pd(zw, widest), lowest));
    md5_vec4 rounded;
    _mm_storeu_ps(&rounded.x, _mm_movelh_ps(first, second));
    return rounded;
}

#elif MD5_HAS_NEON
#include <arm_neon.h>

typedef float64x2_t md5_pair;

static inline md5_pair md5_pair_load(const void *from)
{
    return vld1q_f64(from);
}

static inline md5_pair md5_pair_of(double first, double second)
{
    const double both[2] = {first, second};
    return md5_pair_load(both);
}

static inline md5_pair md5_pair_of_floats(const void *two)
{
    return vcvt_f64_f32(vld1_f32(two));
}

static inline void md5_pair_store(void *to, md5_pair a)
{
    vst1q_f64(to, a);
}

static inline md5_pair md5_pair_add(md5_pair a, md5_pair b)
{
    return vaddq_f64(a, b);
}

static inline md5_pair md5_pair_sub(md5_pair a, md5_pair b)
{
    return vsubq_f64(a, b);
}

static inline md5_pair md5_pair_mul(md5_pair a, md5_pair b)
{
    return vmulq_f64(a, b);
}

static inline md5_pair md5_pair_div(md5_pair a, md5_pair b)
{
    return vdivq_f64(a, b);
}

static inline md5_pair md5_pair_sqrt(md5_pair a)
{
    return vsqrtq_f64(a);
}

static inline md5_pair md5_pair_inverse(md5_pair a)
{
    const uint64x2_t inverse = vreinterpretq_u64_f64(vdivq_f64(vdupq_n_f64(1.0), a));
    return vreinterpretq_f64_u64(vandq_u64(inverse, vcgtzq_f64(a)));
}

static inline md5_pair md5_pair_swap(md5_pair a)
{
    return vextq_f64(a, a, 1);
}

static inline md5_pair md5_pair_firsts(md5_pair a, md5_pair b)
{
    return vzip1q_f64(a, b);
}

static inline md5_pair md5_pair_seconds(md5_pair a, md5_pair b)
{
    return vzip2q_f64(a, b);
}

static inline double md5_pair_first(md5_pair a)
{
    return vgetq_lane_f64(a, 0);
}

static inline md5_pair md5_pair_inner(md5_pair a, md5_pair b)
{
    return vextq_f64(a, b, 1);
}

static inline md5_vec4 md5_pair_round(md5_pair xy, md5_pair zw)
{
    const float64x2_t widest = vdupq_n_f64((double)FLT_MAX), lowest = vnegq_f64(widest);
    const float32x2_t first = vcvt_f32_f64(vmaxq_f64(vminq_f64(xy, widest), lowest));
    const float32x2_t second = vcvt_f32_f64(vmaxq_f64(vminq_f64(zw, widest), lowest));
    md5_vec4 rounded;
    vst1q_f32(&rounded.x, vcombine_f32(first, second));
    return rounded;
}

#else

typedef struct md5_pair {
    double first, second;
} md5_pair;

static inline md5_pair md5_pair_of(double first, double second)
{
    return (md5_pair){first, second};
}

static inline md5_pair md5_pair_load(const void *from)
{
    md5_pair loaded;
    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

static inline md5_pair md5_pair_of_floats(const void *two)
{
    float values[2];
    memcpy(values, two, sizeof values);
    return (md5_pair){(double)values[0], (double)values[1]};
}

static inline void md5_pair_store(void *to, md5_pair a)
{
    memcpy(to, &a, sizeof a);
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

static inline md5_pair md5_pair_sqrt(md5_pair a)
{
    return (md5_pair){sqrt(a.first), sqrt(a.second)};
}

static inline md5_pair md5_pair_inverse(md5_pair a)
{
    return (md5_pair){a.first > 0.0 ? 1.0 / a.first : 0.0, a.second > 0.0 ? 1.0 / a.second : 0.0};
}

static inline md5_pair md5_pair_swap(md5_pair a)
{
    return (md5_pair){a.second, a.first};
}

static inline md5_pair md5_pair_firsts(md5_pair a, md5_pair b)
{
    return (md5_pair){a.first, b.first};
}

static inline md5_pair md5_pair_seconds(md5_pair a, md5_pair b)
{
    return (md5_pair){a.second, b.second};
}

static inline double md5_pair_first(md5_pair a)
{
    return a.first;
}

static inline md5_pair md5_pair_inner(md5_pair a, md5_pair b)
{
    return (md5_pair){a.second, b.first};
}

static inline md5_vec4 md5_pair_round(md5_pair xy, md5_pair zw)
{
    return (md5_vec4){md5_round_to_float(xy.first), md5_round_to_float(xy.second),
                      md5_round_to_float(zw.first), md5_round_to_float(zw.second)};
}

#endif

static inline md5_pair md5_pair_both(double value)
{
    return md5_pair_of(value, value);
}

// a.x * b.y - a.y * b.x
static inline double md5_pair_cross(md5_pair a, md5_pair b)
{
    const md5_pair products = md5_pair_mul(a, md5_pair_swap(b));
    return md5_pair_first(md5_pair_sub(products, md5_pair_swap(products)));
}

// Returns the lengths of two vectors x y z.
static inline md5_pair md5_pair_length(md5_pair x, md5_pair y, md5_pair z)
{
    const md5_pair square = md5_pair_add(md5_pair_mul(x, x), md5_pair_mul(y, y));
    return md5_pair_sqrt(md5_pair_add(square, md5_pair_mul(z, z)));
}

// Two vectors.
typedef struct md5_pair3 {
    md5_pair x, y, z;
} md5_pair3;

static inline md5_pair3 md5_pair3_of(md5_vec3d first, md5_vec3d second)
{
    const md5_pair3 both = {md5_pair_of(first.x, second.x), md5_pair_of(first.y, second.y),
                            md5_pair_of(first.z, second.z)};
    return both;
}

static inline md5_pair3 md5_pair3_scale(md5_pair3 a, md5_pair s)
{
    const md5_pair3 scaled = {md5_pair_mul(a.x, s), md5_pair_mul(a.y, s), md5_pair_mul(a.z, s)};
    return scaled;
}

static inline md5_pair md5_pair3_dot(md5_pair3 a, md5_pair3 b)
{
    return md5_pair_add(md5_pair_add(md5_pair_mul(a.x, b.x), md5_pair_mul(a.y, b.y)),
                        md5_pair_mul(a.z, b.z));
}

// Rounds both, whose components are within the range of floats.
static inline void md5_pair3_round(md5_pair3 a, md5_vec3 *first, md5_vec3 *second)
{
    first->x = (float)md5_pair_first(a.x), second->x = (float)md5_pair_first(md5_pair_swap(a.x));
    first->y = (float)md5_pair_first(a.y), second->y = (float)md5_pair_first(md5_pair_swap(a.y));
    first->z = (float)md5_pair_first(a.z), second->z = (float)md5_pair_first(md5_pair_swap(a.z));
}

#endif
