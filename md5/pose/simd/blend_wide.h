// The kernel that blends, adds and subtracts poses, for one instruction set: see md5_combine_job.
#ifndef MD5_POSE_SIMD_BLEND_WIDE_H
#define MD5_POSE_SIMD_BLEND_WIDE_H

#include "md5/pose/kernels.h"
#include "md5/pose/simd/slerp_wide.h"

#include <stdalign.h>

// == Transforms in lanes =========================================================================
//
// Loads, combines and stores MD5_WIDTH consecutive md5_xforms. Compiled once for each instruction
// set, with the SIMD abstraction of md5/core/wide.h.
//
// Each instruction set uses the order of lanes that needs the fewest shuffles. Other values, such
// as weights, must be reordered with to_lane_order(), so that they are in the lane of their
// transform.
//
//   to_lane_order(a)          reorders floats, one for each transform
//   load_rotations(p, q)      loads the components of the rotations
//   dot_rotations(a, b)       returns the dot products of the rotations
//   blend_transforms(out, a, b, weights, t, is_same)
//                             rotations: a - (a * weights.reduction_a - b * weights.weight_b);
//                             translations: a - (a * t - b * t)
//   add_translations(out, a, b, c, t, is_same, q)
//                             translations: a + (b - c) * t, without c if it is NULL; rotations: q
//
// `is_same`: all lanes of t are equal.

#if defined(MD5_WIDE_AVX512)

// A register of 16 floats contains two transforms. Its first and third quarters are rotations, and
// its second and fourth quarters are translations. The bits of this mask are the lanes of the
// rotations.
#define ROTATION_LANES 0x0f0f

// Returns the rotations of four transforms. Each of the two registers contains two transforms.
#define ROTATIONS_OF_PAIRS(low, high) _mm512_shuffle_f32x4(low, high, _MM_SHUFFLE(2, 0, 2, 0))

// Return the first two or the last two quarters of a register, each twice.
#define REPEAT_LOW_QUARTERS(a) _mm512_shuffle_f32x4(a, a, _MM_SHUFFLE(1, 1, 0, 0))
#define REPEAT_HIGH_QUARTERS(a) _mm512_shuffle_f32x4(a, a, _MM_SHUFFLE(3, 3, 2, 2))

// Replace the rotations of two transforms `a` by the first two or the last two quarters of `q`.
#define REPLACE_ROTATIONS_BY_LOW(a, q) \
    _mm512_mask_shuffle_f32x4(a, ROTATION_LANES, q, q, _MM_SHUFFLE(1, 1, 0, 0))
#define REPLACE_ROTATIONS_BY_HIGH(a, q) \
    _mm512_mask_shuffle_f32x4(a, ROTATION_LANES, q, q, _MM_SHUFFLE(3, 3, 2, 2))

// Moves the values of sixteen joints from the order of joints to the order of lanes. A register is
// loaded with two transforms, so four joints are transposed together. Joint 4 i + k is in lane 4 k
// + i, where i is the register and k is the quarter of the register.
MD5_WIDE_INLINE md5_wide to_lane_order(md5_wide a)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_ps(order, a);
}

// Loads the rotations of sixteen consecutive transforms: register i of `q` contains component i of
// all rotations.
MD5_WIDE_INLINE void load_rotations(const float *p, md5_wide q[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        q[i] = ROTATIONS_OF_PAIRS(_mm512_loadu_ps(p + 32 * i), _mm512_loadu_ps(p + 32 * i + 16));
    md5_wide_transpose(q);
}

// Returns the dot products of MD5_WIDTH pairs of rotations. Two consecutive rotations of a pose are
// 8 floats apart, because a transform also contains a translation.
MD5_WIDE_INLINE md5_wide dot_rotations(const float *a, const float *b)
{
    md5_wide products[4];
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        const float *const p = a + 32 * i;
        const float *const q = b + 32 * i;
        const __m512 low = _mm512_mul_ps(_mm512_loadu_ps(p), _mm512_loadu_ps(q));
        const __m512 high = _mm512_mul_ps(_mm512_loadu_ps(p + 16), _mm512_loadu_ps(q + 16));
        products[i] = ROTATIONS_OF_PAIRS(low, high);
    }
    return md5_wide_row_sums(products);
}

// Arranges the weights of sixteen joints for registers that contain two transforms each. pair[0] is
// for registers with even indices, and pair[1] for registers with odd indices. The first and third
// quarters contain the weights `a` of rotations, and the other quarters the weights `t` of
// translations. md5_wide_spread_row() then selects the weights of one register.
MD5_WIDE_INLINE void pair_weights(md5_wide a, md5_wide t, md5_wide pair[2])
{
    pair[0] = REPLACE_ROTATIONS_BY_LOW(REPEAT_LOW_QUARTERS(t), a);
    pair[1] = REPLACE_ROTATIONS_BY_HIGH(REPEAT_HIGH_QUARTERS(t), a);
}

// Blends sixteen transforms, two in each register. A register contains the rotation and the
// translation of both, so the weights of rotations and translations alternate in it. Each register
// is finished before the next one, because some compilers run out of registers.
MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b,
                                      wide_weights weights, md5_wide t, bool is_same)
{
    (void)is_same;
    md5_wide weights_a[2];
    md5_wide weights_b[2];
    pair_weights(weights.reduction_a, t, weights_a);
    pair_weights(weights.weight_b, t, weights_b);
    MD5_UNROLL
    for (int i = 0; i < 8; i++) {
        __m512 from = _mm512_loadu_ps(a + 16 * i);
        md5_wide_keep_loaded(&from);
        const __m512 to = _mm512_loadu_ps(b + 16 * i);
        const __m512 part = _mm512_mul_ps(from, md5_wide_spread_row(weights_a[i % 2], i / 2));
        const __m512 change =
            _mm512_sub_ps(part, _mm512_mul_ps(to, md5_wide_spread_row(weights_b[i % 2], i / 2)));
        _mm512_storeu_ps(out + 16 * i, _mm512_sub_ps(from, change));
    }
}

// Adds the translations of all lanes, and stores the rotations q. All eight floats of each
// transform are computed first. Then the rotation is replaced by q.
MD5_WIDE_INLINE void add_translations(float *out, const float *a, const float *b, const float *c,
                                      md5_wide t, bool is_same, md5_wide q[4])
{
    (void)is_same;
    const __m512 weights[2] = {REPEAT_LOW_QUARTERS(t), REPEAT_HIGH_QUARTERS(t)};
    md5_wide_transpose(q);

    MD5_UNROLL
    for (int i = 0; i < 8; i++) {
        const __m512 rotation = q[i / 2];
        __m512 change = _mm512_loadu_ps(b + 16 * i);
        if (c)
            change = _mm512_sub_ps(change, _mm512_loadu_ps(c + 16 * i));
        change = _mm512_mul_ps(change, md5_wide_spread_row(weights[i % 2], i / 2));
        change = _mm512_add_ps(_mm512_loadu_ps(a + 16 * i), change);

        if (i % 2)
            change = REPLACE_ROTATIONS_BY_HIGH(change, rotation);
        else
            change = REPLACE_ROTATIONS_BY_LOW(change, rotation);
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

// Returns the dot products of MD5_WIDTH pairs of rotations. Two rotations of a pose are 8 floats
// apart, because a transform also contains a translation.
MD5_WIDE_INLINE md5_wide dot_rotations(const float *a, const float *b)
{
    md5_wide p[4];
    md5_wide q[4];
    md5_wide_load_run(a, 8, p);
    md5_wide_load_run(b, 8, q);
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        p[i] = md5_wide_mul(p[i], q[i]);
    return md5_wide_row_sums(p);
}

#endif

#if defined(MD5_WIDE_AVX2)

// Blends eight transforms, one in each register. The rotation is in its lower half, and the
// translation in its upper half. The weight registers therefore combine weights of rotations with
// t. Each transform is finished before the next one, because some compilers run out of registers.
MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b,
                                      wide_weights weights, md5_wide t, bool is_same)
{
    (void)is_same;
    const md5_wide reduction_a = weights.reduction_a;
    const md5_wide weight_b = weights.weight_b;
    const __m128 low_t = _mm256_castps256_ps128(t);
    const __m256 weights_a[2] = {_mm256_insertf128_ps(reduction_a, low_t, 1),
                                 _mm256_permute2f128_ps(reduction_a, t, 0x31)};
    const __m256 weights_b[2] = {_mm256_insertf128_ps(weight_b, low_t, 1),
                                 _mm256_permute2f128_ps(weight_b, t, 0x31)};
    MD5_UNROLL
    for (uint32_t i = 0; i < 8; i++) {
        __m256 from = _mm256_loadu_ps(a + 8 * i);
        md5_wide_keep_loaded(&from);
        const __m256 to = _mm256_loadu_ps(b + 8 * i);
        const __m256 part = _mm256_mul_ps(from, md5_wide_spread_row(weights_a[i / 4], i % 4));
        const __m256 change =
            _mm256_sub_ps(part, _mm256_mul_ps(to, md5_wide_spread_row(weights_b[i / 4], i % 4)));
        _mm256_storeu_ps(out + 8 * i, _mm256_sub_ps(from, change));
    }
}

// Adds the translations of all lanes, and stores the rotations q. Computes all eight floats of each
// transform, then replaces its rotation.
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
        change = _mm256_mul_ps(change, md5_wide_spread_row(weights[i / 4], i % 4));
        change = _mm256_add_ps(_mm256_loadu_ps(a + 8 * i), change);
        change = i < 4 ? _mm256_blend_ps(change, q[i], 0x0f)
                       : _mm256_permute2f128_ps(q[i - 4], change, 0x31);
        _mm256_storeu_ps(out + 8 * i, change);
    }
}

#elif MD5_WIDTH == 4

// Spreads each lane of a weight over a row. No shuffles are needed if all lanes are equal.
MD5_WIDE_INLINE void spread_weight(md5_wide t, bool is_same, md5_wide rows[4])
{
    if (!is_same)
        md5_wide_spread(t, rows);
    for (int i = 0; i < 4 && is_same; i++)
        rows[i] = t;
}

// Blends four transforms, each in two registers. Registers with even indices contain rotations, and
// those with odd indices contain translations.
MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b,
                                      wide_weights weights, md5_wide t, bool is_same)
{
    md5_wide weights_a[4];
    md5_wide weights_b[4];
    md5_wide weights_t[4];
    md5_wide_spread(weights.reduction_a, weights_a);
    md5_wide_spread(weights.weight_b, weights_b);
    spread_weight(t, is_same, weights_t);
    MD5_UNROLL
    for (uint32_t i = 0; i < 8; i++) {
        const bool is_rotation = i % 2 == 0;
        md5_wide from = md5_wide_load(a + 4 * i);
        md5_wide_keep_loaded(&from);
        const md5_wide to = md5_wide_load(b + 4 * i);
        const md5_wide weight_a = is_rotation ? weights_a[i / 2] : weights_t[i / 2];
        const md5_wide weight_b = is_rotation ? weights_b[i / 2] : weights_t[i / 2];
        const md5_wide change =
            md5_wide_sub(md5_wide_mul(from, weight_a), md5_wide_mul(to, weight_b));
        md5_wide_store(out + 4 * i, md5_wide_sub(from, change));
    }
}

// Adds the translations of four transforms, and stores the rotations q.
MD5_WIDE_INLINE void add_translations(float *out, const float *a, const float *b, const float *c,
                                      md5_wide t, bool is_same, md5_wide q[4])
{
    md5_wide weights[4];
    spread_weight(t, is_same, weights);
    md5_wide_transpose(q);
    MD5_UNROLL
    for (int i = 0; i < 4; i++) {
        const int at = 8 * i + 4; // the translation of transform i
        md5_wide change = md5_wide_load(b + at);
        if (c)
            change = md5_wide_sub(change, md5_wide_load(c + at));
        change = md5_wide_mul(change, weights[i]);
        md5_wide_store(out + at, md5_wide_add(md5_wide_load(a + at), change));
        md5_wide_store(out + 8 * i, q[i]);
    }
}

#elif MD5_WIDTH == 1

// Blends the 8 floats of one transform without SIMD. `weights` apply to the rotation (floats 0 to
// 3), and `t` to the translation. The expression is a - (a * t - b * t) as in the wider kernels, so
// that all give the same bits.
MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b,
                                      wide_weights weights, md5_wide t, bool is_same)
{
    (void)is_same;
    MD5_UNROLL
    for (uint32_t i = 0; i < 8; i++) {
        const float weight_a = i < 4 ? weights.reduction_a : t;
        const float weight_b = i < 4 ? weights.weight_b : t;
        out[i] = a[i] - (a[i] * weight_a - b[i] * weight_b);
    }
}

// Adds the scaled change of a translation to `a`, and stores the sum with the rotation `q`, without
// SIMD. The change is b - c. If `c` is NULL, `b` contains differences already, and the change is b.
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
// Combines poses, with several joints in one register. Compiled once for each instruction set and
// for plain C. Poses with too few joints to fill a register are passed to the next narrower set.
//
// Joints are processed in blocks of MD5_WIDTH. The slerp weights of all blocks are computed before
// the first block is blended: the operations on a single joint form a chain of a hundred cycles, in
// which every operation depends on the previous one. No processor looks far enough ahead to find
// the operations of the next joint.

// -- The steps ------------------------------------------------------------------------------------

// The functions below get the `kind` of a combination separately, so that it is a constant after
// inlining. The number of joints is at least MD5_WIDTH.

// Intermediate results for a block of MD5_WIDTH joints, in the order of to_lane_order().
typedef struct block_results {
    // Cosines of the angles between both quaternions. For a difference, they are the w of its
    // rotation, which is the cosine of its angle to the identity quaternion.
    alignas(64) float cosines[MD5_WIDTH];
    float reduction_a[MD5_WIDTH]; // see wide_weights
    float weight_b[MD5_WIDTH];
    float axes[3 * MD5_WIDTH]; // when adding: x y z of the difference's rotations

    // The members below are used only if the joints have weights.
    float weights[MD5_WIDTH]; // see clamp_weight()
    uint32_t changed;         // joints to compute, a bit for each joint in memory order
    uint32_t copied_from_b;   // joints to copy from b; the remaining joints are copied from a
} block_results;

enum { BLEND_SLOTS = 128 / MD5_WIDTH }; // blocks in each step

// Returns the first joint of the next block. The last block overlaps the previous one, so that it
// is full.
MD5_WIDE_INLINE size_t next_block(const md5_combine_job *poses, size_t first)
{
    const size_t next = first + MD5_WIDTH;
    const size_t last = poses->count - MD5_WIDTH;
    return next < last ? next : last;
}

// Returns true if two poses are blended, and false if a difference is computed or added.
MD5_WIDE_INLINE bool is_blend(md5_combine_kind kind)
{
    return kind <= MD5_BLEND_NLERP;
}

// Clamps a weight to 0..1, or to -1..1 if a difference is added. NaN becomes 0.
MD5_WIDE_INLINE md5_wide clamp_weight(md5_combine_kind kind, md5_wide weight)
{
    const md5_wide none = md5_wide_set1(0.0f);
    const md5_wide one = md5_wide_set1(1.0f);
    if (is_blend(kind))
        return md5_wide_min(md5_wide_max(weight, none), one);
    const md5_mask negative = md5_wide_less(weight, none);
    const md5_wide size = md5_wide_max(md5_wide_negate_if(negative, weight), none);
    return md5_wide_negate_if(negative, md5_wide_min(size, one));
}

// Returns the magnitude of a clamped weight.
MD5_WIDE_INLINE md5_wide weight_magnitude(md5_combine_kind kind, md5_wide weight)
{
    if (is_blend(kind))
        return weight;
    return md5_wide_negate_if(md5_wide_less(weight, md5_wide_set1(0.0f)), weight);
}

// Computes the quaternion product a * b in each lane, with the operations of md5_quat_mul(). Each
// array contains a register for each of x y z w.
MD5_WIDE_INLINE void multiply_rotations(const md5_wide a[4], const md5_wide b[4], md5_wide out[4])
{
    MD5_UNROLL
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        const md5_wide two = md5_wide_add(md5_wide_mul(a[3], b[i]), md5_wide_mul(a[i], b[3]));
        const md5_wide three = md5_wide_add(two, md5_wide_mul(a[j], b[k]));
        out[i] = md5_wide_sub(three, md5_wide_mul(a[k], b[j]));
    }
    out[3] = md5_wide_mul(a[3], b[3]);
    MD5_UNROLL
    for (uint32_t i = 0; i < 3; i++)
        out[3] = md5_wide_sub(out[3], md5_wide_mul(a[i], b[i]));
}

// Computes inverse(reference) * source in each lane, as components. The inverse negates x y z by -0
// - x. The expression 0 - x would be +0 instead of -0 if x is +0.
MD5_WIDE_INLINE void divide_rotations(const md5_xform *source, const md5_xform *reference,
                                      md5_wide out[4])
{
    md5_wide a[4];
    md5_wide b[4];
    load_rotations((const float *)source, a);
    load_rotations((const float *)reference, b);
    MD5_UNROLL
    for (uint32_t i = 0; i < 3; i++)
        b[i] = md5_wide_sub(md5_wide_set1(-0.0f), b[i]);
    multiply_rotations(b, a, out);
}

// Computes the clamped weights of a block of joints from their joint weights. Also finds the joints
// that need no computation. A joint with weight 0 is copied from a. When blending, a joint with
// weight 1 is copied from b.
MD5_WIDE_INLINE void compute_joint_weights(md5_combine_kind kind, const md5_combine_job *poses,
                                           size_t first, block_results *results)
{
    const md5_wide none = md5_wide_set1(0.0f);
    const md5_wide one = md5_wide_set1(1.0f);
    const md5_wide joint_weight = md5_wide_load(poses->joint_weights + first);
    const md5_wide weight =
        clamp_weight(kind, md5_wide_mul(md5_wide_set1(poses->weight), joint_weight));
    const md5_wide magnitude = weight_magnitude(kind, weight);
    const uint32_t nonzero = md5_wide_bits(md5_wide_greater(magnitude, none));
    results->changed = nonzero;
    if (is_blend(kind))
        results->changed = nonzero & md5_wide_bits(md5_wide_less(magnitude, one));
    results->copied_from_b = nonzero & ~results->changed;
    md5_wide_store(results->weights, to_lane_order(weight));
}

// Computes the cosines of a block, which are dot products of quaternions: of both rotations when
// blending, otherwise of the difference's rotation and the identity. That is w of the difference's
// rotation, whose x y z are stored in `axes`.
MD5_WIDE_INLINE void compute_cosines(md5_combine_kind kind, const md5_combine_job *poses,
                                     size_t first, block_results *results)
{
    const md5_xform *const b = poses->b + first;
    if (is_blend(kind)) {
        const float *const a = (const float *)(poses->a + first);
        md5_wide_store(results->cosines, dot_rotations(a, (const float *)b));
        return;
    }
    md5_wide q[4];
    if (kind == MD5_ADD)
        load_rotations((const float *)b, q);
    else
        divide_rotations(b, poses->reference + first, q);
    MD5_UNROLL
    for (uint32_t i = 0; i < 3; i++)
        md5_wide_store(results->axes + (size_t)i * MD5_WIDTH, q[i]);
    md5_wide_store(results->cosines, q[3]);
}

// Scales the rotation of a difference by a weight: interpolates from the identity to the rotation,
// or to its inverse if the weight is negative. A weight of 1 gives the rotation unchanged.
MD5_WIDE_INLINE void scale_rotation(const block_results *results, md5_wide weight, md5_wide q[4])
{
    const md5_wide one = md5_wide_set1(1.0f);
    const md5_mask is_negative = md5_wide_less(weight, md5_wide_set1(0.0f));
    const md5_mask is_partial = md5_wide_less(md5_wide_negate_if(is_negative, weight), one);
    const md5_wide reduction_a = md5_wide_load(results->reduction_a);
    const md5_wide weight_b = md5_wide_load(results->weight_b);
    const md5_wide axis_weight =
        md5_wide_negate_if(is_negative, md5_wide_select(is_partial, weight_b, one));
    MD5_UNROLL
    for (uint32_t i = 0; i < 3; i++)
        q[i] = md5_wide_mul(md5_wide_load(results->axes + (size_t)i * MD5_WIDTH), axis_weight);
    const md5_wide w = md5_wide_load(results->cosines);
    const md5_wide change = md5_wide_sub(reduction_a, md5_wide_mul(w, weight_b));
    q[3] = md5_wide_select(is_partial, md5_wide_sub(one, change), w);
}

// Combines the transforms of the MD5_WIDTH joints from `first` on, and writes them to `out`.
// `is_same`: all lanes of `weight` are equal.
MD5_WIDE_INLINE void combine_joints(md5_combine_kind kind, const md5_combine_job *poses,
                                    size_t first, const block_results *results, md5_wide weight,
                                    bool is_same, md5_xform *out)
{
    const float *const a = (const float *)(poses->a + first);
    const float *const b = (const float *)(poses->b + first);
    if (is_blend(kind)) {
        const wide_weights weights = {md5_wide_load(results->reduction_a),
                                      md5_wide_load(results->weight_b)};
        blend_transforms((float *)out, a, b, weights, weight, is_same);
        return;
    }

    md5_wide product[4];
    if (kind == MD5_SUBTRACT) {
        divide_rotations(poses->a + first, poses->b + first, product);
    } else {
        md5_wide rotation[4];
        md5_wide rotation_change[4];
        load_rotations(a, rotation);
        scale_rotation(results, weight, rotation_change);
        multiply_rotations(rotation, rotation_change, product);
    }

    const float *const c =
        kind == MD5_ADD_DIFFERENCE ? (const float *)(poses->reference + first) : NULL;
    add_translations((float *)out, a, b, c, weight, is_same, product);
}

// Copies the joints of a block except the first `skipped` joints.
MD5_WIDE_INLINE void copy_joints(const md5_xform *from, uint32_t skipped, md5_xform *out)
{
    for (uint32_t i = skipped; i < MD5_WIDTH && from != out; i++)
        out[i] = from[i];
}

// Writes the joints of a block except the first `skipped` joints. If all lanes are written, whole
// registers are stored directly. Otherwise the transforms are computed in an array and copied.
// `weight` is the clamped weight of all joints. It is not used if `has_joint_weights`.
MD5_WIDE_INLINE void write_block(md5_combine_kind kind, bool has_joint_weights,
                                 const md5_combine_job *poses, size_t first, uint32_t skipped,
                                 md5_wide weight, const block_results *results)
{
    const uint32_t all = (1u << MD5_WIDTH) - 1;
    md5_xform *const out = poses->out + first;
    md5_xform computed[MD5_WIDTH];

    if (!has_joint_weights) {
        combine_joints(kind, poses, first, results, weight, true, skipped > 0 ? computed : out);
        if (skipped > 0)
            copy_joints(computed, skipped, out);
        return;
    }

    if (results->changed == 0 && (results->copied_from_b == 0 || results->copied_from_b == all)) {
        copy_joints((results->copied_from_b > 0 ? poses->b : poses->a) + first, skipped, out);
        return;
    }

    const bool is_complete = results->changed == all && skipped == 0;
    if (results->changed > 0)
        combine_joints(kind, poses, first, results, md5_wide_load(results->weights), false,
                       is_complete ? out : computed);
    if (is_complete)
        return;

    // Some joints are copied from an input, and the others from the computed transforms. A table of
    // sources avoids a branch for each joint.
    const md5_xform *const sources[4] = {poses->a + first, poses->b + first, computed, computed};
    for (uint32_t lane = skipped; lane < MD5_WIDTH; lane++) {
        const uint32_t is_changed = results->changed >> lane & 1;
        const uint32_t is_from_b = results->copied_from_b >> lane & 1;
        out[lane] = sources[is_changed * 2 + is_from_b][lane];
    }
}

// Returns the pose to copy if nothing must be computed, otherwise NULL. This is possible only
// without joint weights, if the weight of all joints copies an input.
MD5_WIDE_INLINE const md5_xform *find_copied_pose(md5_combine_kind kind,
                                                  const md5_combine_job *poses)
{
    if (poses->joint_weights)
        return NULL;
    const bool changes_a = poses->weight > 0 || (!is_blend(kind) && poses->weight < 0);
    if (!changes_a) // also if the weight is NaN
        return poses->a;
    return is_blend(kind) && poses->weight >= 1 ? poses->b : NULL;
}

// Blocks that pass each step of combine_blocks() together.
typedef struct block_group {
    size_t first;          // first joint of the first block
    uint32_t count;        // number of blocks
    uint32_t skipped_last; // number of joints that the last block does not write
} block_group;

// Combines the blocks of a group: sets of MD5_WIDTH consecutive joints that fill a register. `kind`
// selects the operation: blending two poses, adding a difference to a pose, or subtracting a pose.
// If `has_joint_weights`, the weight of each joint is multiplied by poses->joint_weights.
//
// The work has three steps: the cosines of the angles between rotations, the weights of both
// rotations (slerp or nlerp), and the results. Each step is a loop over the blocks, so that the
// processor works on several blocks at once.
MD5_WIDE_INLINE void combine_blocks(md5_combine_kind kind, bool has_joint_weights,
                                    const md5_combine_job *poses, const block_group *group)
{
    block_results slots[BLEND_SLOTS];
    const md5_wide weight = clamp_weight(kind, md5_wide_set1(poses->weight));
    wide_slerp common = wide_slerp_at(weight_magnitude(kind, weight)); // without joint weights
    if (MD5_WIDE_REGISTERS == 16 && !has_joint_weights && kind != MD5_BLEND_NLERP)
        MD5_KEEP_IN_MEMORY(common);

    // Step 1: compute the cosines of the angles between both rotations. A subtraction needs none.
    size_t first = group->first;
    for (uint32_t i = 0; i < group->count && kind != MD5_SUBTRACT; i++) {
        if (has_joint_weights)
            compute_joint_weights(kind, poses, first, &slots[i]);
        if (!has_joint_weights || slots[i].changed > 0)
            compute_cosines(kind, poses, first, &slots[i]);
        first = next_block(poses, first);
    }

    // Step 2: compute the weights of both rotations from the cosines, by nlerp or slerp.
    for (uint32_t i = 0; i < group->count && kind != MD5_SUBTRACT; i++) {
        if (has_joint_weights && slots[i].changed == 0)
            continue;
        const md5_wide cosine = md5_wide_load(slots[i].cosines);

        wide_weights weights;
        if (kind == MD5_BLEND_NLERP) {
            const md5_wide t = has_joint_weights ? md5_wide_load(slots[i].weights) : weight;
            weights = wide_nlerp_weights(t, cosine);
        } else if (has_joint_weights) {
            const md5_wide t = weight_magnitude(kind, md5_wide_load(slots[i].weights));
            const wide_slerp slerp = wide_slerp_at(t);
            weights = wide_slerp_weights(&slerp, cosine);
        } else {
            weights = wide_slerp_weights(&common, cosine);
        }

        md5_wide_store(slots[i].reduction_a, weights.reduction_a);
        md5_wide_store(slots[i].weight_b, weights.weight_b);
    }

    // Step 3: compute the results from the weights, and write them.
    first = group->first;
    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t skipped = i + 1 == group->count ? group->skipped_last : 0;
        write_block(kind, has_joint_weights, poses, first, skipped, weight, &slots[i]);
        first = next_block(poses, first);
    }
}

// Combines two poses of at least MD5_WIDTH joints. A block of joints fills a register; the blocks
// of a group pass each step together. The last block overlaps the previous block, so that it is
// full. If the output is also an input, the joints that both blocks contain have already been
// overwritten; their results in the last block would be wrong and are not stored.
MD5_WIDE_INLINE void combine(md5_combine_kind kind, const md5_combine_job *poses)
{
    const md5_xform *const copied = find_copied_pose(kind, poses);
    if (copied) {
        if (poses->out != copied)
            memcpy(poses->out, copied, poses->count * sizeof *copied);
        return;
    }

    const bool in_place =
        poses->out == poses->a || poses->out == poses->b || poses->out == poses->reference;

    const uint32_t num_blocks = (poses->count - 1) / MD5_WIDTH + 1;
    const uint32_t num_common = num_blocks * MD5_WIDTH - poses->count;
    const size_t last = poses->count - MD5_WIDTH;

    size_t next = 0;
    for (uint32_t left = num_blocks; left > 0;) {
        const uint32_t count = left < BLEND_SLOTS ? left : BLEND_SLOTS;
        left -= count;
        const size_t first = next < last ? next : last;
        const block_group group = {first, count, left == 0 && in_place ? num_common : 0};
        if (kind != MD5_SUBTRACT && poses->joint_weights)
            combine_blocks(kind, true, poses, &group);
        else
            combine_blocks(kind, false, poses, &group);
        next += (size_t)count * MD5_WIDTH;
    }
}

// Each kind has its own function, because a common function would run out of registers. Each
// function copies its argument, so that the compiler can assume that no store changes it.
MD5_WIDE_CODE MD5_NO_INLINE static void blend_poses(const md5_combine_job *poses)
{
    const md5_combine_job copy = *poses;
    combine(MD5_BLEND, &copy);
}

MD5_WIDE_CODE MD5_NO_INLINE static void blend_nlerp(const md5_combine_job *poses)
{
    const md5_combine_job copy = *poses;
    combine(MD5_BLEND_NLERP, &copy);
}

MD5_WIDE_CODE MD5_NO_INLINE static void add_poses(const md5_combine_job *poses)
{
    const md5_combine_job copy = *poses;
    combine(MD5_ADD, &copy);
}

MD5_WIDE_CODE MD5_NO_INLINE static void subtract(const md5_combine_job *poses)
{
    combine(MD5_SUBTRACT, &(md5_combine_job){MD5_SUBTRACT, poses->a, poses->b, NULL, poses->out,
                                             NULL, -1, poses->count});
}

MD5_WIDE_CODE MD5_NO_INLINE static void add_difference(const md5_combine_job *poses)
{
    const md5_combine_job copy = *poses;
    combine(MD5_ADD_DIFFERENCE, &copy);
}

// The last call processes the poses that do not fill a register. In plain C a register contains one
// float, so no poses remain, and the function does not call itself.
// NOLINTNEXTLINE(misc-no-recursion)
void MD5_WIDE_NAME(md5i_combine)(const md5_combine_job *poses)
{
    static void (*const functions[])(const md5_combine_job *) = {
        [MD5_BLEND] = blend_poses, [MD5_BLEND_NLERP] = blend_nlerp,       [MD5_ADD] = add_poses,
        [MD5_SUBTRACT] = subtract, [MD5_ADD_DIFFERENCE] = add_difference,
    };
    if (poses->count >= MD5_WIDTH)
        functions[poses->kind](poses);
    else if (poses->count > 0)
        MD5_WIDE_NARROWER(md5i_combine)(poses);
}

#endif
