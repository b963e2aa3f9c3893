// Blending, adding and subtracting poses, for one instruction set.
#ifndef MD5_POSE_SIMD_BLEND_WIDE_H
#define MD5_POSE_SIMD_BLEND_WIDE_H

#include "md5/pose/kernels.h"
#include "md5/pose/simd/slerp_wide.h"

#include <stdalign.h>

// == Transforms in lanes =========================================================================
//
// MD5_WIDTH md5_transforms that lie one after the other in memory: how blending loads, combines and
// stores them. Compiled once for each instruction set, in the vocabulary of md5/core/wide.h.
//
// Each set keeps the transforms in the lane order that costs it the fewest shuffles. Numbers that
// are not transforms, such as weights, must be brought into the same order by to_lane_order(): only
// then do they belong to the transform in the same lane.
//
//   to_lane_order(a)          floats, one for each transform, brought into that order
//   load_rotations(p, q)      the components of the rotations
//   dot_rotations(a, b)       the dot products of the rotations
//   blend_transforms(out, a, b, of_a, of_b, t, is_same)
//                             rotations: a - (a * of_a - b * of_b); translations: the same, with t
//                             instead of both weights
//   add_translations(out, a, b, c, t, is_same, q)
//                             translations: a + (b - c) * t, without c if it is NULL; rotations: q

#if defined(MD5_WIDE_AVX512)

// A register is loaded with two transforms. So four joints stand together, and joint 4 i + k is in
// lane 4 k + i: i is the register, k the quarter of it.
MD5_WIDE_INLINE md5_wide to_lane_order(md5_wide a)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_ps(order, a);
}

MD5_WIDE_INLINE void load_rotations(const float *p, md5_wide q[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        q[i] = _mm512_shuffle_f32x4(_mm512_loadu_ps(p + 32 * i), _mm512_loadu_ps(p + 32 * i + 16),
                                    _MM_SHUFFLE(2, 0, 2, 0));
    md5_wide_transpose(q);
}

MD5_WIDE_INLINE md5_wide dot_rotations(const float *a, const float *b)
{
    md5_wide products[4];
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        const float *const p = a + 32 * i, *const q = b + 32 * i;
        const __m512 low = _mm512_mul_ps(_mm512_loadu_ps(p), _mm512_loadu_ps(q));
        const __m512 high = _mm512_mul_ps(_mm512_loadu_ps(p + 16), _mm512_loadu_ps(q + 16));
        products[i] = _mm512_shuffle_f32x4(low, high, _MM_SHUFFLE(2, 0, 2, 0));
    }
    return md5_wide_sums(products);
}

// The weights that md5_wide_spread_one() spreads for register 2 i and for the next one: a's in the
// first and third quarter, t's in the others.
MD5_WIDE_INLINE void pair_weights(md5_wide a, md5_wide t, md5_wide pair[2])
{
    const __m512 even = _mm512_shuffle_f32x4(t, t, _MM_SHUFFLE(1, 1, 0, 0));
    const __m512 odd = _mm512_shuffle_f32x4(t, t, _MM_SHUFFLE(3, 3, 2, 2));
    pair[0] = _mm512_mask_shuffle_f32x4(even, 0x0f0f, a, a, _MM_SHUFFLE(1, 1, 0, 0));
    pair[1] = _mm512_mask_shuffle_f32x4(odd, 0x0f0f, a, a, _MM_SHUFFLE(3, 3, 2, 2));
}

// Each register is finished before the next one begins, for compilers that run out of registers.
MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b, md5_wide of_a,
                                      md5_wide of_b, md5_wide t, bool is_same)
{
    (void)is_same;
    md5_wide more[2], less[2];
    pair_weights(of_a, t, more);
    pair_weights(of_b, t, less);
    MD5_UNROLL
    for (int i = 0; i < 8; i++) {
        __m512 from = _mm512_loadu_ps(a + 16 * i);
        md5_wide_keep_loaded(&from);
        const __m512 to = _mm512_loadu_ps(b + 16 * i);
        const __m512 part = _mm512_mul_ps(from, md5_wide_spread_one(more[i % 2], i / 2));
        const __m512 change =
            _mm512_sub_ps(part, _mm512_mul_ps(to, md5_wide_spread_one(less[i % 2], i / 2)));
        _mm512_storeu_ps(out + 16 * i, _mm512_sub_ps(from, change));
    }
}

// Computes all eight floats of each transform, then replaces the rotations by q.
MD5_WIDE_INLINE void add_translations(float *out, const float *a, const float *b, const float *c,
                                      md5_wide t, bool is_same, md5_wide q[4])
{
    (void)is_same;
    const __m512 weights[2] = {_mm512_shuffle_f32x4(t, t, _MM_SHUFFLE(1, 1, 0, 0)),
                               _mm512_shuffle_f32x4(t, t, _MM_SHUFFLE(3, 3, 2, 2))};
    md5_wide_transpose(q);
    MD5_UNROLL
    for (int i = 0; i < 8; i++) {
        const __m512 rotation = q[i / 2];
        __m512 change = _mm512_loadu_ps(b + 16 * i);
        if (c)
            change = _mm512_sub_ps(change, _mm512_loadu_ps(c + 16 * i));
        change = _mm512_mul_ps(change, md5_wide_spread_one(weights[i % 2], i / 2));
        change = _mm512_add_ps(_mm512_loadu_ps(a + 16 * i), change);
        change = i % 2 ? _mm512_mask_shuffle_f32x4(change, 0x0f0f, rotation, rotation,
                                                   _MM_SHUFFLE(3, 3, 2, 2))
                       : _mm512_mask_shuffle_f32x4(change, 0x0f0f, rotation, rotation,
                                                   _MM_SHUFFLE(1, 1, 0, 0));
        _mm512_storeu_ps(out + 16 * i, change);
    }
}

#else

MD5_WIDE_INLINE md5_wide to_lane_order(md5_wide a)
{
    return a;
}

MD5_WIDE_INLINE void load_rotations(const float *p, md5_wide q[4])
{
    md5_wide_load_run(p, 8, q);
    md5_wide_transpose(q);
}

MD5_WIDE_INLINE md5_wide dot_rotations(const float *a, const float *b)
{
    md5_wide p[4], q[4];
    md5_wide_load_run(a, 8, p);
    md5_wide_load_run(b, 8, q);
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        p[i] = md5_wide_mul(p[i], q[i]);
    return md5_wide_sums(p);
}

#endif

#if defined(MD5_WIDE_AVX2)

// The lower halves hold the weights of the rotations, the upper ones those of the translations.
// Each transform is finished before the next one begins, for compilers that run out of registers.
MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b, md5_wide of_a,
                                      md5_wide of_b, md5_wide t, bool is_same)
{
    (void)is_same;
    const __m128 low_t = _mm256_castps256_ps128(t);
    const __m256 more[2] = {_mm256_insertf128_ps(of_a, low_t, 1),
                            _mm256_permute2f128_ps(of_a, t, 0x31)};
    const __m256 less[2] = {_mm256_insertf128_ps(of_b, low_t, 1),
                            _mm256_permute2f128_ps(of_b, t, 0x31)};
    MD5_UNROLL
    for (uint32_t i = 0; i < 8; i++) {
        __m256 from = _mm256_loadu_ps(a + 8 * i);
        md5_wide_keep_loaded(&from);
        const __m256 to = _mm256_loadu_ps(b + 8 * i);
        const __m256 part = _mm256_mul_ps(from, md5_wide_spread_one(more[i / 4], i % 4));
        const __m256 change =
            _mm256_sub_ps(part, _mm256_mul_ps(to, md5_wide_spread_one(less[i / 4], i % 4)));
        _mm256_storeu_ps(out + 8 * i, _mm256_sub_ps(from, change));
    }
}

// Computes all eight floats of each transform, then replaces the rotations by q.
MD5_WIDE_INLINE void add_translations(float *out, const float *a, const float *b, const float *c,
                                      md5_wide t, bool is_same, md5_wide q[4])
{
    (void)is_same;
    const __m256 weights[2] = {_mm256_permute2f128_ps(t, t, 0x00), t};
    md5_wide_transpose(q);
    MD5_UNROLL
    for (uint32_t i = 0; i < 8; i++) {
        __m256 change = _mm256_loadu_ps(b + 8 * i);
        if (c)
            change = _mm256_sub_ps(change, _mm256_loadu_ps(c + 8 * i));
        change = _mm256_mul_ps(change, md5_wide_spread_one(weights[i / 4], i % 4));
        change = _mm256_add_ps(_mm256_loadu_ps(a + 8 * i), change);
        change = i < 4 ? _mm256_blend_ps(change, q[i], 0x0f)
                       : _mm256_permute2f128_ps(q[i - 4], change, 0x31);
        _mm256_storeu_ps(out + 8 * i, change);
    }
}

#elif MD5_WIDTH == 4

// md5_wide_spread(), which does nothing if all lanes are the same.
MD5_WIDE_INLINE void spread_share(md5_wide t, bool is_same, md5_wide rows[4])
{
    if (!is_same)
        md5_wide_spread(t, rows);
    for (int i = 0; i < 4 && is_same; i++)
        rows[i] = t;
}

MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b, md5_wide of_a,
                                      md5_wide of_b, md5_wide t, bool is_same)
{
    md5_wide rows[3][4];
    md5_wide_spread(of_a, rows[0]);
    md5_wide_spread(of_b, rows[1]);
    spread_share(t, is_same, rows[2]);
    MD5_UNROLL
    for (uint32_t i = 0; i < 8; i++) {
        md5_wide from = md5_wide_load(a + 4 * i);
        md5_wide_keep_loaded(&from);
        const md5_wide to = md5_wide_load(b + 4 * i);
        const md5_wide change = md5_wide_sub(md5_wide_mul(from, rows[i % 2 ? 2 : 0][i / 2]),
                                             md5_wide_mul(to, rows[i % 2 ? 2 : 1][i / 2]));
        md5_wide_store(out + 4 * i, md5_wide_sub(from, change));
    }
}

MD5_WIDE_INLINE void add_translations(float *out, const float *a, const float *b, const float *c,
                                      md5_wide t, bool is_same, md5_wide q[4])
{
    md5_wide weights[4];
    spread_share(t, is_same, weights);
    md5_wide_transpose(q);
    MD5_UNROLL
    for (int i = 0; i < 4; i++) {
        const int at = 8 * i + 4;
        md5_wide change = md5_wide_load(b + at);
        if (c)
            change = md5_wide_sub(change, md5_wide_load(c + at));
        change = md5_wide_mul(change, weights[i]);
        md5_wide_store(out + at, md5_wide_add(md5_wide_load(a + at), change));
        md5_wide_store(out + 8 * i, q[i]);
    }
}

#elif MD5_WIDTH == 1

MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b, md5_wide of_a,
                                      md5_wide of_b, md5_wide t, bool is_same)
{
    (void)is_same;
    MD5_UNROLL
    for (uint32_t i = 0; i < 8; i++) {
        const float more = i < 4 ? of_a : t, less = i < 4 ? of_b : t;
        out[i] = a[i] - (a[i] * more - b[i] * less);
    }
}

MD5_WIDE_INLINE void add_translations(float *out, const float *a, const float *b, const float *c,
                                      md5_wide t, bool is_same, const md5_wide q[4])
{
    (void)is_same;
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        const float change = c ? b[4 + i] - c[4 + i] : b[4 + i];
        out[4 + i] = a[4 + i] + change * t;
        out[i] = q[i];
    }
}

#endif

// == Poses =======================================================================================
//
// Blends, adds and subtracts poses, several joints in one register: see kernels.h. Compiled once
// for each instruction set, and for plain C, by the file that includes it. The next narrower set
// takes poses with too few joints to fill a register.
//
// The slerp weights of all joints are computed before any joint is blended: a single joint is a
// chain of a hundred cycles in which every operation waits for the one before, and no processor
// looks far enough ahead to find the next joint's.

// -- The steps ------------------------------------------------------------------------------------

// Steps take the kind as a constant beside the poses, whose count is at least MD5_WIDTH.

// Intermediate results for a block of MD5_WIDTH joints, in the order of to_lane_order().
typedef struct prepared {
    alignas(64) float cosines[MD5_WIDTH]; // of the angles; for a difference, of the angle to the
                                          // identity
    float of_a[MD5_WIDTH];
    float of_b[MD5_WIDTH];
    float axes[3 * MD5_WIDTH]; // when adding: x y z of the difference's rotations

    float shares[MD5_WIDTH]; // with joint weights: see share_of()
    uint32_t changed;        // a bit for each joint, in memory order: computed; others are copied
    uint32_t copied_from_b;  // which of the others are copied from b
} prepared;

enum { SLOTS = 128 / MD5_WIDTH }; // number of blocks that are prepared before the first is finished

// The first joint of the block after that of `first`. The last block overlaps the one before, so
// that it is full.
MD5_WIDE_INLINE size_t next_block(const md5_combination *poses, size_t first)
{
    const size_t next = first + MD5_WIDTH;
    const size_t last = poses->count - MD5_WIDTH;
    return next < last ? next : last;
}

// Clamps a weight: 0..1, for differences with a sign. NaN gives 0.
MD5_WIDE_INLINE md5_wide share_of(md5_combining kind, md5_wide weight)
{
    const md5_wide none = md5_wide_all(0.0f);
    const md5_wide one = md5_wide_all(1.0f);
    if (kind <= MD5_BLEND_NLERP)
        return md5_wide_smaller(md5_wide_larger(weight, none), one);
    const md5_mask negative = md5_wide_less(weight, none);
    const md5_wide size = md5_wide_larger(md5_wide_flip(negative, weight), none);
    return md5_wide_flip(negative, md5_wide_smaller(size, one));
}

// Returns the magnitude of a share.
MD5_WIDE_INLINE md5_wide size_of_share(md5_combining kind, md5_wide share)
{
    return kind <= MD5_BLEND_NLERP ? share
                                   : md5_wide_flip(md5_wide_less(share, md5_wide_all(0.0f)), share);
}

// md5_quat_mul of each, as components.
MD5_WIDE_INLINE void multiply_rotations(const md5_wide a[4], const md5_wide b[4], md5_wide out[4])
{
    MD5_UNROLL
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const md5_wide two = md5_wide_add(md5_wide_mul(a[3], b[i]), md5_wide_mul(a[i], b[3]));
        const md5_wide three = md5_wide_add(two, md5_wide_mul(a[j], b[k]));
        out[i] = md5_wide_sub(three, md5_wide_mul(a[k], b[j]));
    }
    out[3] = md5_wide_mul(a[3], b[3]);
    MD5_UNROLL
    for (uint32_t i = 0; i < 3; i++)
        out[3] = md5_wide_sub(out[3], md5_wide_mul(a[i], b[i]));
}

// inverse(reference) * source of each, as components.
MD5_WIDE_INLINE void divide_rotations(const md5_xform *source, const md5_xform *reference,
                                      md5_wide out[4])
{
    md5_wide a[4], b[4];
    load_rotations((const float *)source, a);
    load_rotations((const float *)reference, b);
    MD5_UNROLL
    for (uint32_t i = 0; i < 3; i++)
        b[i] = md5_wide_sub(md5_wide_all(-0.0f), b[i]);
    multiply_rotations(b, a, out);
}

// With joint weights.
MD5_WIDE_INLINE void weigh_joints(md5_combining kind, const md5_combination *poses, size_t first,
                                  prepared *to)
{
    const md5_wide none = md5_wide_all(0.0f);
    const md5_wide one = md5_wide_all(1.0f);
    const md5_wide part = md5_wide_load(poses->joint_weights + first);
    const md5_wide share = share_of(kind, md5_wide_mul(md5_wide_all(poses->weight), part));
    const md5_wide size = size_of_share(kind, share);
    const uint32_t some = md5_wide_bits(md5_wide_greater(size, none));
    to->changed = kind <= MD5_BLEND_NLERP ? some & md5_wide_bits(md5_wide_less(size, one)) : some;
    to->copied_from_b = some & ~to->changed;
    md5_wide_store(to->shares, to_lane_order(share));
}

MD5_WIDE_INLINE void find_cosines(md5_combining kind, const md5_combination *poses, size_t first,
                                  prepared *to)
{
    const md5_xform *const b = poses->b + first;
    if (kind <= MD5_BLEND_NLERP) {
        const float *const a = (const float *)(poses->a + first);
        md5_wide_store(to->cosines, dot_rotations(a, (const float *)b));
        return;
    }
    md5_wide q[4];
    if (kind == MD5_ADD)
        load_rotations((const float *)b, q);
    else
        divide_rotations(b, poses->reference + first, q);
    MD5_UNROLL
    for (uint32_t i = 0; i < 3; i++)
        md5_wide_store(to->axes + (size_t)i * MD5_WIDTH, q[i]);
    md5_wide_store(to->cosines, q[3]);
}

// Slerp from the identity to a difference's rotation; with a negative weight, to its inverse. A
// share of 1 gives that rotation unchanged.
MD5_WIDE_INLINE void weigh_rotation(const prepared *from, md5_wide share, md5_wide q[4])
{
    const md5_wide one = md5_wide_all(1.0f);
    const md5_mask negative = md5_wide_less(share, md5_wide_all(0.0f));
    const md5_mask part = md5_wide_less(md5_wide_flip(negative, share), one);
    const md5_wide of_a = md5_wide_load(from->of_a);
    const md5_wide of_b = md5_wide_load(from->of_b);
    const md5_wide of_axis = md5_wide_flip(negative, md5_wide_select(part, of_b, one));
    MD5_UNROLL
    for (uint32_t i = 0; i < 3; i++)
        q[i] = md5_wide_mul(md5_wide_load(from->axes + (size_t)i * MD5_WIDTH), of_axis);
    const md5_wide w = md5_wide_load(from->cosines);
    const md5_wide change = md5_wide_sub(of_a, md5_wide_mul(w, of_b));
    q[3] = md5_wide_select(part, md5_wide_sub(one, change), w);
}

// Computes the results of MD5_WIDTH joints. `is_same`: all have the same share.
MD5_WIDE_INLINE void finish_joints(md5_combining kind, const md5_combination *poses, size_t first,
                                   const prepared *from, md5_wide share, bool is_same,
                                   md5_xform *out)
{
    const float *const a = (const float *)(poses->a + first);
    const float *const b = (const float *)(poses->b + first);
    if (kind <= MD5_BLEND_NLERP) {
        blend_transforms((float *)out, a, b, md5_wide_load(from->of_a), md5_wide_load(from->of_b),
                         share, is_same);
        return;
    }
    md5_wide product[4];
    if (kind == MD5_SUBTRACT) {
        divide_rotations(poses->a + first, poses->b + first, product);
    } else {
        md5_wide rotation[4], rotation_change[4];
        load_rotations(a, rotation);
        weigh_rotation(from, share, rotation_change);
        multiply_rotations(rotation, rotation_change, product);
    }
    const float *const c =
        kind == MD5_ADD_DIFFERENCE ? (const float *)(poses->reference + first) : NULL;
    add_translations((float *)out, a, b, c, share, is_same, product);
}

// Copies a block except its first `skipped` joints.
MD5_WIDE_INLINE void copy_joints(const md5_xform *from, uint32_t skipped, md5_xform *out)
{
    for (uint32_t i = skipped; i < MD5_WIDTH && from != out; i++)
        out[i] = from[i];
}

// Does not write the first `skipped` joints. `share`: of all joints, unless they are weighed.
MD5_WIDE_INLINE void finish_block(md5_combining kind, bool is_weighed, const md5_combination *poses,
                                  size_t first, uint32_t skipped, md5_wide share,
                                  const prepared *from)
{
    const uint32_t all = (1u << MD5_WIDTH) - 1;
    md5_xform *const out = poses->out + first;
    md5_xform results[MD5_WIDTH];
    if (!is_weighed) {
        finish_joints(kind, poses, first, from, share, true, skipped > 0 ? results : out);
        if (skipped > 0)
            copy_joints(results, skipped, out);
        return;
    }
    if (from->changed == 0 && (from->copied_from_b == 0 || from->copied_from_b == all)) {
        copy_joints((from->copied_from_b > 0 ? poses->b : poses->a) + first, skipped, out);
        return;
    }
    const bool is_whole = from->changed == all && skipped == 0;
    if (from->changed > 0)
        finish_joints(kind, poses, first, from, md5_wide_load(from->shares), false,
                      is_whole ? out : results);
    if (is_whole)
        return;
    // Some joints are copied, and the others taken from the results.
    const md5_xform *const sources[4] = {poses->a + first, poses->b + first, results, results};
    for (uint32_t lane = skipped; lane < MD5_WIDTH; lane++) {
        const uint32_t source = (from->changed >> lane & 1) * 2 + (from->copied_from_b >> lane & 1);
        out[lane] = sources[source][lane];
    }
}

// Returns the pose to copy if the weight of all joints leaves nothing to compute, else NULL.
MD5_WIDE_INLINE const md5_xform *copied_from(md5_combining kind, const md5_combination *poses)
{
    if (poses->joint_weights)
        return NULL;
    if (!(poses->weight > 0 || (kind > MD5_BLEND_NLERP && poses->weight < 0)))
        return poses->a;
    return kind <= MD5_BLEND_NLERP && poses->weight >= 1 ? poses->b : NULL;
}

// Blocks that are prepared before the first of them is finished.
typedef struct block_group {
    size_t first;          // joint of the first block
    uint32_t count;        // blocks
    uint32_t skipped_last; // joints that the last block does not write
} block_group;

MD5_WIDE_INLINE void combine_blocks(md5_combining kind, bool is_weighed,
                                    const md5_combination *poses, const block_group *group)
{
    prepared slots[SLOTS];
    const md5_wide share = share_of(kind, md5_wide_all(poses->weight));
    wide_slerp common = wide_slerp_at(size_of_share(kind, share)); // of joints that are not weighed
    if (MD5_WIDE_REGISTERS == 16 && !is_weighed && kind != MD5_BLEND_NLERP)
        MD5_KEEP_IN_MEMORY(common);
    size_t first = group->first;
    for (uint32_t i = 0; i < group->count && kind != MD5_SUBTRACT; i++) {
        if (is_weighed)
            weigh_joints(kind, poses, first, &slots[i]);
        if (!is_weighed || slots[i].changed > 0)
            find_cosines(kind, poses, first, &slots[i]);
        first = next_block(poses, first);
    }
    for (uint32_t i = 0; i < group->count && kind != MD5_SUBTRACT; i++) {
        if (is_weighed && slots[i].changed == 0)
            continue;
        const md5_wide cosine = md5_wide_load(slots[i].cosines);
        wide_slerp_pair weights;
        if (kind == MD5_BLEND_NLERP) {
            weights = wide_nlerp_weigh(is_weighed ? md5_wide_load(slots[i].shares) : share, cosine);
        } else if (is_weighed) {
            const md5_wide size = size_of_share(kind, md5_wide_load(slots[i].shares));
            const wide_slerp own = wide_slerp_at(size);
            weights = wide_slerp_weigh(&own, cosine);
        } else {
            weights = wide_slerp_weigh(&common, cosine);
        }
        md5_wide_store(slots[i].of_a, weights.of_a);
        md5_wide_store(slots[i].of_b, weights.of_b);
    }
    first = group->first;
    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t skipped = i + 1 == group->count ? group->skipped_last : 0;
        finish_block(kind, is_weighed, poses, first, skipped, share, &slots[i]);
        first = next_block(poses, first);
    }
}

// If the output is one of the inputs, the joints that the last block shares with the one before
// have been overwritten: their results are wrong and not stored.
MD5_WIDE_INLINE void combine(md5_combining kind, const md5_combination *poses)
{
    const md5_xform *const copied = copied_from(kind, poses);
    if (copied) {
        if (poses->out != copied)
            memcpy(poses->out, copied, poses->count * sizeof *copied);
        return;
    }
    const bool in_place =
        poses->out == poses->a || poses->out == poses->b || poses->out == poses->reference;
    const uint32_t num_blocks = (poses->count - 1) / MD5_WIDTH + 1;
    const uint32_t num_shared = num_blocks * MD5_WIDTH - poses->count;
    const size_t last = poses->count - MD5_WIDTH;
    size_t next = 0;
    for (uint32_t left = num_blocks; left > 0;) {
        const uint32_t count = left < SLOTS ? left : SLOTS;
        left -= count;
        const size_t first = next < last ? next : last;
        const block_group group = {first, count, left == 0 && in_place ? num_shared : 0};
        if (kind != MD5_SUBTRACT && poses->joint_weights)
            combine_blocks(kind, true, poses, &group);
        else
            combine_blocks(kind, false, poses, &group);
        next += (size_t)count * MD5_WIDTH;
    }
}

// One function for each kind, as registers run out in a common one; with copies of what it is
// given, which no store changes.
MD5_WIDE_CODE MD5_NO_INLINE static void blend(const md5_combination *poses)
{
    const md5_combination own = *poses;
    combine(MD5_BLEND, &own);
}

MD5_WIDE_CODE MD5_NO_INLINE static void blend_nlerp(const md5_combination *poses)
{
    const md5_combination own = *poses;
    combine(MD5_BLEND_NLERP, &own);
}

MD5_WIDE_CODE MD5_NO_INLINE static void add(const md5_combination *poses)
{
    const md5_combination own = *poses;
    combine(MD5_ADD, &own);
}

MD5_WIDE_CODE MD5_NO_INLINE static void subtract(const md5_combination *poses)
{
    combine(MD5_SUBTRACT, &(md5_combination){MD5_SUBTRACT, poses->a, poses->b, NULL, poses->out,
                                             NULL, -1, poses->count});
}

MD5_WIDE_CODE MD5_NO_INLINE static void add_difference(const md5_combination *poses)
{
    const md5_combination own = *poses;
    combine(MD5_ADD_DIFFERENCE, &own);
}

// NOLINTNEXTLINE(misc-no-recursion): a width of 1 is always filled
void MD5_WIDE_NAME(md5i_combine)(const md5_combination *poses)
{
    static void (*const kinds[])(const md5_combination *) = {blend, blend_nlerp, add, subtract,
                                                             add_difference};
    if (poses->count >= MD5_WIDTH)
        kinds[poses->kind](poses);
    else if (poses->count > 0)
        MD5_WIDE_NARROWER(md5i_combine)(poses);
}

#endif
