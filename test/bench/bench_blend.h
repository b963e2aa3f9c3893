// Compares the speed of blending and adding poses, for bench.c, with a peer: SSE2 code that was
// written for this comparison and works like the blending job of ozz-animation. Poses are
// structures of arrays with four joints in a register, so no shuffles are needed. The peer
// multiplies each layer by its weight and adds it to the output. It negates a rotation whose dot
// product with the output is negative. At the end it normalizes the rotations by an estimated
// square root with one step of Newton's method. This is a normalized sum of rotations, while the
// library slerps exactly. The joints of the peer have scales and the joints of the library do not,
// so the peer is measured with and without scales.
//
// The printed ratios are ratios to ozz itself: they are multiplied by the factors in README.md.
//
// The peer omits three parts of ozz, which would make it slower: the check of the arguments, the
// sums of weights if all joints have the same weights, and the rest pose for joints whose weights
// sum to almost 0.
#ifndef TEST_BENCH_BENCH_BLEND_H
#define TEST_BENCH_BENCH_BLEND_H

#include "test/bench/bench_pose.h"
#include "test/bench/bench_real.h"

#if defined __SSE2__ && defined __GNUC__
#include <emmintrin.h>

#define BLEND_ROUNDS 61
#define BLEND_MASK_WEIGHT 0.7f // of work_blend_masked()
#define BLEND_INLINE static inline __attribute__((always_inline))

// The transforms of four joints: three registers for translations, four for rotations, three for
// scales.
enum { BLEND_MOVES = 0, BLEND_ROTATION = 3, BLEND_SCALES = 7, BLEND_ALL = 10 };
typedef struct blend_four {
    __m128 parts[BLEND_ALL];
} blend_four;

typedef struct blend_layer {
    const blend_four *joints;
    const __m128 *joint_weights; // NULL: the weights of all joints are 1
    float weight;
} blend_layer;

typedef struct blend_peer {
    const posing *ours;
    uint32_t num_fours;
    blend_four *pose;
    blend_four *layer;
    blend_four *out;
    // These arrays have one element for every four joints.
    __m128 *mask;
    __m128 *inverse_mask;
    __m128 *sums;
} blend_peer;

static blend_four *blend_convert(const md5_xform *pose, uint32_t count, uint32_t num_fours)
{
    blend_four *const to = posing_memory(num_fours, sizeof *to);
    for (uint32_t i = 0; i < 4 * num_fours; i++) {
        const md5_xform joint = pose[i < count ? i : count - 1];
        const float parts[BLEND_ALL] = {joint.translation.x,
                                        joint.translation.y,
                                        joint.translation.z,
                                        joint.rotation.x,
                                        joint.rotation.y,
                                        joint.rotation.z,
                                        joint.rotation.w,
                                        1,
                                        1,
                                        1};
        for (int k = 0; k < BLEND_ALL; k++)
            ((float *)&to[i / 4].parts[k])[i % 4] = parts[k];
    }
    return to;
}

static void blend_make(blend_peer *to, const posing *ours)
{
    const uint32_t count = ours->model->skeleton.num_joints;
    const uint32_t num_fours = (count + 3) / 4;
    *to = (blend_peer){.ours = ours,
                       .num_fours = num_fours,
                       .pose = blend_convert(ours->pose, count, num_fours),
                       .layer = blend_convert(ours->layer, count, num_fours),
                       .out = posing_memory(num_fours, sizeof *to->out),
                       .mask = posing_memory(num_fours, sizeof *to->mask),
                       .inverse_mask = posing_memory(num_fours, sizeof *to->inverse_mask),
                       .sums = posing_memory(num_fours, sizeof *to->sums)};
    for (uint32_t i = 0; i < count; i++) {
        ((float *)to->mask)[i] = ours->mask[i];
        ((float *)to->inverse_mask)[i] = 1.0f - BLEND_MASK_WEIGHT * ours->mask[i];
    }
}

static void blend_free(blend_peer *fixture)
{
    free(fixture->pose);
    free(fixture->layer);
    free(fixture->out);
    free(fixture->mask);
    free(fixture->inverse_mask);
    free(fixture->sums);
}

// -- The peer -------------------------------------------------------------------------------------

BLEND_INLINE __m128 blend_dot(const __m128 a[4], const __m128 b[4])
{
    const __m128 xy = _mm_add_ps(_mm_mul_ps(a[0], b[0]), _mm_mul_ps(a[1], b[1]));
    const __m128 zw = _mm_add_ps(_mm_mul_ps(a[2], b[2]), _mm_mul_ps(a[3], b[3]));
    return _mm_add_ps(xy, zw);
}

BLEND_INLINE void blend_normalize(__m128 q[4])
{
    const __m128 square = blend_dot(q, q);
    const __m128 root = _mm_rsqrt_ps(square);
    const __m128 half = _mm_mul_ps(_mm_mul_ps(_mm_set1_ps(0.5f), root), root);
    const __m128 step = _mm_sub_ps(_mm_set1_ps(1.5f), _mm_mul_ps(half, square));
    const __m128 scale = _mm_mul_ps(root, step);
    for (int k = 0; k < 4; k++)
        q[k] = _mm_mul_ps(q[k], scale);
}

BLEND_INLINE __m128 blend_weight(const blend_layer *layer, uint32_t four)
{
    const __m128 weight = _mm_set1_ps(layer->weight);
    if (!layer->joint_weights)
        return weight;
    return _mm_mul_ps(weight, _mm_max_ps(layer->joint_weights[four], _mm_setzero_ps()));
}

BLEND_INLINE void blend_first(const blend_layer *layer, uint32_t num_fours, int num_parts,
                              __m128 *sums, blend_four *out)
{
    for (uint32_t i = 0; i < num_fours; i++) {
        const __m128 weight = blend_weight(layer, i);
        if (layer->joint_weights)
            sums[i] = weight;
        for (int k = 0; k < num_parts; k++)
            out[i].parts[k] = _mm_mul_ps(layer->joints[i].parts[k], weight);
    }
}

BLEND_INLINE void blend_next(const blend_layer *layer, uint32_t num_fours, int num_parts,
                             __m128 *sums, blend_four *out)
{
    for (uint32_t i = 0; i < num_fours; i++) {
        const __m128 *const from = layer->joints[i].parts;
        __m128 *const to = out[i].parts;
        __m128 weight = blend_weight(layer, i);
        const __m128 dot = blend_dot(to + BLEND_ROTATION, from + BLEND_ROTATION);
        const __m128 sign = _mm_and_ps(dot, _mm_set1_ps(-0.0f));
        if (layer->joint_weights)
            sums[i] = _mm_add_ps(sums[i], weight);
        for (int k = 0; k < num_parts; k++) {
            const bool is_rotation = k >= BLEND_ROTATION && k < BLEND_SCALES;
            const __m128 part = is_rotation ? _mm_xor_ps(from[k], sign) : from[k];
            to[k] = _mm_add_ps(to[k], _mm_mul_ps(part, weight));
        }
    }
}

BLEND_INLINE void blend_end(float sum, const __m128 *sums, uint32_t num_fours, int num_parts,
                            blend_four *out)
{
    const __m128 ones = _mm_set1_ps(1.0f);
    const __m128 same = _mm_set1_ps(1.0f / sum);
    for (uint32_t i = 0; i < num_fours; i++) {
        const __m128 scale = sums ? _mm_div_ps(ones, sums[i]) : same;
        blend_normalize(out[i].parts + BLEND_ROTATION);
        for (int k = 0; k < num_parts; k++) {
            if (k < BLEND_ROTATION || k >= BLEND_SCALES)
                out[i].parts[k] = _mm_mul_ps(out[i].parts[k], scale);
        }
    }
}

BLEND_INLINE void blend_multiply(const __m128 a[4], const __m128 b[4], __m128 out[4])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        const __m128 two = _mm_add_ps(_mm_mul_ps(a[3], b[i]), _mm_mul_ps(a[i], b[3]));
        out[i] = _mm_add_ps(two, _mm_sub_ps(_mm_mul_ps(a[j], b[k]), _mm_mul_ps(a[k], b[j])));
    }
    const __m128 xy = _mm_add_ps(_mm_mul_ps(a[0], b[0]), _mm_mul_ps(a[1], b[1]));
    out[3] = _mm_sub_ps(_mm_sub_ps(_mm_mul_ps(a[3], b[3]), _mm_mul_ps(a[2], b[2])), xy);
}

// Adds a difference: its rotation is a normalized sum with the identity, its scale a factor.
BLEND_INLINE void blend_add(const blend_layer *layer, uint32_t num_fours, int num_parts,
                            blend_four *out)
{
    const __m128 ones = _mm_set1_ps(1.0f);
    for (uint32_t i = 0; i < num_fours; i++) {
        const __m128 *const from = layer->joints[i].parts;
        __m128 *const to = out[i].parts;
        __m128 weight = blend_weight(layer, i);
        __m128 q[4];
        __m128 rotated[4];
        const __m128 sign = _mm_and_ps(from[BLEND_ROTATION + 3], _mm_set1_ps(-0.0f));
        for (int k = 0; k < 3; k++) {
            to[k] = _mm_add_ps(to[k], _mm_mul_ps(from[k], weight));
            q[k] = _mm_mul_ps(_mm_xor_ps(from[BLEND_ROTATION + k], sign), weight);
        }
        const __m128 w = _mm_sub_ps(_mm_xor_ps(from[BLEND_ROTATION + 3], sign), ones);
        q[3] = _mm_add_ps(_mm_mul_ps(w, weight), ones);
        blend_normalize(q);
        blend_multiply(to + BLEND_ROTATION, q, rotated);
        for (int k = 0; k < 4; k++)
            to[BLEND_ROTATION + k] = rotated[k];
        for (int k = BLEND_SCALES; k < num_parts; k++) {
            const __m128 rest = _mm_sub_ps(ones, weight);
            to[k] = _mm_mul_ps(to[k], _mm_add_ps(rest, _mm_mul_ps(from[k], weight)));
        }
    }
}

// -- Comparing ------------------------------------------------------------------------------------

typedef enum blend_kind {
    BLEND_PEER_PLAIN,
    BLEND_PEER_MASKED,
    BLEND_PEER_ADD,
    BLEND_OURS_NLERP, // compared with BLEND_PEER_PLAIN
} blend_kind;

BLEND_INLINE void blend_peer_parts(const blend_peer *fixture, blend_kind kind, int num_parts)
{
    const uint32_t count = fixture->num_fours;
    const bool adds = kind == BLEND_PEER_ADD;
    const bool is_masked = kind == BLEND_PEER_MASKED;
    __m128 *const sums = is_masked ? fixture->sums : NULL;
    blend_layer layers[] = {{fixture->pose, NULL, 0.7f}, {fixture->layer, NULL, 0.3f}};
    if (adds)
        layers[1].weight = 0.6f;
    if (is_masked) {
        layers[0].joint_weights = fixture->inverse_mask;
        layers[1].joint_weights = fixture->mask;
        layers[1].weight = BLEND_MASK_WEIGHT;
    }
    if (adds || is_masked)
        layers[0].weight = 1;
    if (real.blend) {
        real_blend_job job = {
            .num_fours = count, .is_additive = adds, .out = (float *)fixture->out};
        for (int i = 0; i < 2; i++)
            job.layers[i] = (real_layer){(const float *)layers[i].joints,
                                         (const float *)layers[i].joint_weights, layers[i].weight};
        real.blend(&job);
        return;
    }
    blend_first(&layers[0], count, num_parts, sums, fixture->out);
    if (!adds)
        blend_next(&layers[1], count, num_parts, sums, fixture->out);
    blend_end(1, sums, count, num_parts, fixture->out);
    if (adds)
        blend_add(&layers[1], count, num_parts, fixture->out);
}

// Calls the peer with constant arguments, so that the compiler removes the conditions from its
// loops.
static void blend_by_peer(const blend_peer *fixture, blend_kind kind, bool has_scales)
{
    switch ((int)kind % BLEND_OURS_NLERP * 2 + has_scales) {
    case 0:
        blend_peer_parts(fixture, BLEND_PEER_PLAIN, BLEND_SCALES);
        break;
    case 1:
        blend_peer_parts(fixture, BLEND_PEER_PLAIN, BLEND_ALL);
        break;
    case 2:
        blend_peer_parts(fixture, BLEND_PEER_MASKED, BLEND_SCALES);
        break;
    case 3:
        blend_peer_parts(fixture, BLEND_PEER_MASKED, BLEND_ALL);
        break;
    case 4:
        blend_peer_parts(fixture, BLEND_PEER_ADD, BLEND_SCALES);
        break;
    default:
        blend_peer_parts(fixture, BLEND_PEER_ADD, BLEND_ALL);
    }
}

static uint64_t blend_ours(const blend_peer *fixture, blend_kind kind)
{
    static bench_work *const works[] = {work_blend, work_blend_masked, work_add, work_blend_nlerp};
    return works[kind]((void *)(uintptr_t)fixture->ours, MD5_CPU_SSE2);
}

// Returns the largest difference between a component of the peer's result and of the library's
// result.
static double blend_distance(const blend_peer *fixture, blend_kind kind)
{
    const uint32_t count = fixture->ours->model->skeleton.num_joints;
    double max_error = 0;
    (void)blend_ours(fixture, kind);
    blend_by_peer(fixture, kind, true);
    blend_four *const ours = blend_convert(fixture->ours->mixed, count, fixture->num_fours);
    for (uint32_t i = 0; i < count; i++) {
        double dot = 0;
        for (int k = BLEND_ROTATION; k < BLEND_SCALES; k++)
            dot += (double)((float *)&ours[i / 4].parts[k])[i % 4]
                   * (double)((float *)&fixture->out[i / 4].parts[k])[i % 4];
        for (int k = 0; k < BLEND_SCALES; k++) {
            const double a = (double)((float *)&ours[i / 4].parts[k])[i % 4];
            const double b = (double)((float *)&fixture->out[i / 4].parts[k])[i % 4];
            max_error = fmax(max_error, fabs(k >= BLEND_ROTATION && dot < 0.0 ? a + b : a - b));
        }
    }
    free(ours);
    return max_error;
}

static double blend_time(const blend_peer *fixture, blend_kind kind, int scales, uint64_t *checksum)
{
    static const int calls = 400;
    const double start = bench_now();
    for (int i = 0; i < calls; i++) {
        if (scales < 0)
            *checksum += blend_ours(fixture, kind);
        else
            blend_by_peer(fixture, kind, scales > 0);
        __asm__ volatile("" ::: "memory");
    }
    return (bench_now() - start) / calls;
}

// Measures the ratio of the peer's time to the library's time, both with SSE2: the median of runs
// that alternate.
static void blend_compare(bench_table *table, const blend_peer *fixture, blend_kind kind,
                          bool scales)
{
    static const char *const names[] = {"blend 2 layers", "the same with a mask",
                                        "add a difference", "ours by nlerp, 2 layers"};
    // Ratio of the peer's time to the time of ozz: see README.md.
    static const double ratios_to_ozz[] = {0.81, 0.63, 0.91, 0.81};
    double ratios[BLEND_ROUNDS];
    char name[96];
    if (!(blend_distance(fixture, kind) < 0.1)) { // sums and slerp of turns by up to half a circle
        fprintf(stderr, "bench: %s: the peer computes something else\n", names[kind]);
        exit(1);
    }
    const bench_watch watch = bench_begin_watch();
    for (int round = 0; round < BLEND_ROUNDS; round++) {
        const double ours = blend_time(fixture, kind, -1, &table->checksum);
        ratios[round] = blend_time(fixture, kind, scales, &table->checksum) / ours;
    }
    qsort(ratios, BLEND_ROUNDS, sizeof ratios[0], bench_compare);
    snprintf(name, sizeof name, "%s%s", names[kind], scales ? "" : ", no scales");
    const double ratio_to_ozz = real.blend ? 1 : ratios_to_ozz[kind];
    bench_minimum(table, &watch, name, ratios[BLEND_ROUNDS / 2] / ratio_to_ozz, scales ? 1.0 : 0.0);
}

static void measure_against_blend_peer(bench_table *table, const posing *posed)
{
    blend_peer fixture;
    blend_make(&fixture, posed);
    bench_heading("blending with SSE2, ours by slerp, over ozz-animation's sum");
    for (int kind = BLEND_PEER_PLAIN; kind <= BLEND_OURS_NLERP; kind++) {
        blend_compare(table, &fixture, (blend_kind)kind, true);
        blend_compare(table, &fixture, (blend_kind)kind, false);
    }
    blend_free(&fixture);
}

#else

static void measure_against_blend_peer(bench_table *table, const posing *posed)
{
    (void)table;
    (void)posed;
}

#endif
#endif
