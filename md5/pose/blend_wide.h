// Combining poses, several joints at once: see kernels.h. Compiled once for each set, and for plain
// C, by the file that includes it, which says in NARROWER which set takes poses that do not fill
// one register.
//
// Each step is done for all joints before the next one begins: a joint by itself is a chain of a
// hundred cycles in which every operation waits for the one before, and no machine looks far enough
// ahead to find the next joint's.
#ifndef MD5_POSE_BLEND_WIDE_H
#define MD5_POSE_BLEND_WIDE_H

#include "md5/core/wide.h"
#include "md5/pose/kernels.h"
#include "md5/pose/slerp.h"

// -- How far slerp goes from a to b ---------------------------------------------------------------

// c[0] x + c[1] x^2 + ..., even and odd powers apart, so that neither waits for the other.
MD5_WIDE_INLINE md5_wide polynomial_wide(const float *c, int size, md5_wide x, md5_wide xx)
{
    md5_wide last = md5_wide_all(c[size - 1]), other = md5_wide_all(c[size - 2]);
    MD5_UNROLL
    for (int i = size - 3; i >= 0; i -= 2)
        last = md5_wide_add(md5_wide_all(c[i]), md5_wide_mul(xx, last));
    MD5_UNROLL
    for (int i = size - 4; i >= 0; i -= 2)
        other = md5_wide_add(md5_wide_all(c[i]), md5_wide_mul(xx, other));
    const md5_wide odd = size % 2 ? last : other, even = size % 2 ? other : last;
    return md5_wide_add(md5_wide_mul(x, odd), md5_wide_mul(xx, even));
}

// a + b + a b: what (1 + a) (1 + b) is more than 1.
MD5_WIDE_INLINE md5_wide compound(md5_wide a, md5_wide b)
{
    return md5_wide_add(a, md5_wide_add(b, md5_wide_mul(b, a)));
}

// Slerp is a - (a * of_a - b * of_b), of_b being negative where the shorter way leads to -b. Of
// equal rotations both weights are the same, so that the result is exactly a.
//
// With the angle 2 h between unit quaternions and s = t - 1/2, slerp's weights have the sum
// cos(2 s h) / cos(h) and the difference sin(2 s h) / sin(h), by the sum-to-product formulas from
// sin((1 - t) 2 h) / sin(2 h) and sin(t 2 h) / sin(2 h). Unlike md5_slerp_table this costs the same
// whether all joints share t or not. With u = 1 - cos(2 h), in 0..1, the tables are minimax fits of
// (2 h)^2, 1 / cos(h) and h / sin(h) in u, and of cos(sqrt(y)) and sin(sqrt(y)) / sqrt(y) in
// y = (2 s h)^2, all but the first less 1; printed by slerp_fit.py. A weight is within 6e-7.
MD5_WIDE_INLINE void find_weights(const float *cosines, const float *weights, float *of_a,
                                  float *of_b)
{
    static const float square_of[6] = {1.99990815f,   0.334991647f,   0.0790399076f,
                                       0.0547827643f, -0.0232197645f, 0.0218968117f};
    static const float over_cosine[7] = {0.250028847f,   0.0930657333f, 0.0445049837f,
                                         -0.0030812386f, 0.0463865396f, -0.0346124209f,
                                         0.0179207375f};
    static const float over_sine[5] = {0.0833694275f, 0.0182808432f, 0.00752131112f,
                                       -0.00144236084f, 0.00299065408f};
    static const float cosine_of[3] = {-0.499998948f, 0.0416562946f, -0.00135978231f};
    static const float sine_of[3] = {-0.166666549f, 0.00833217815f, -0.00019517299f};

    const md5_wide one = md5_wide_all(1.0f), half = md5_wide_all(0.5f);
    const md5_wide cosine = md5_wide_load(cosines);
    const md5_mask away = md5_wide_less(cosine, md5_wide_all(0.0f));
    const md5_wide less = md5_wide_sub(one, md5_wide_flip(away, cosine));
    const md5_wide u = md5_wide_keep(md5_wide_greater(less, md5_wide_all(MD5_SLERP_EQUAL)), less);
    const md5_wide uu = md5_wide_mul(u, u);
    const md5_wide s = md5_wide_sub(md5_wide_load(weights), half);
    const md5_wide y = md5_wide_mul(md5_wide_mul(s, s), polynomial_wide(square_of, 6, u, uu));
    const md5_wide yy = md5_wide_mul(y, y);
    const md5_wide sum =
        compound(polynomial_wide(cosine_of, 3, y, yy), polynomial_wide(over_cosine, 7, u, uu));
    const md5_wide difference =
        compound(polynomial_wide(sine_of, 3, y, yy), polynomial_wide(over_sine, 5, u, uu));
    const md5_wide more = md5_wide_mul(half, sum);
    const md5_wide middle = md5_wide_add(half, md5_wide_add(s, md5_wide_mul(s, difference)));
    md5_wide_store(of_a, md5_wide_sub(middle, more));
    md5_wide_store(of_b, md5_wide_flip(away, md5_wide_add(middle, more)));
}

// -- The steps ------------------------------------------------------------------------------------

typedef enum combination { BLEND, ADD, SUBTRACT } combination;

enum {
    CHUNK = 128,                    // joints that go through together
    NUM_BLOCKS = CHUNK / MD5_WIDTH, // each fills a register
    FLOATS = sizeof(md5_transform) / sizeof(float),
    TRANSLATION = 4, // its place in them
};

// Block k has the joints from k * MD5_WIDTH on, the last one, so that it is full, those up to the
// end, some of which are the one before's.
typedef struct chunk {
    const md5_transform *a, *b;
    md5_transform *out;
    uint32_t size, num_blocks;
    uint32_t changed[NUM_BLOCKS]; // a bit for each joint: it is computed, the others are copied
    float weights[CHUNK];         // 0..1
    float cosines[CHUNK], of_a[CHUNK], of_b[CHUNK];
    float signed_weights[CHUNK]; // ADD only
} chunk;

MD5_WIDE_INLINE uint32_t first_of_block(const chunk *of, uint32_t block)
{
    const uint32_t first = block * MD5_WIDTH;
    return first + MD5_WIDTH <= of->size ? first : of->size - MD5_WIDTH;
}

// 0 for what is not a number.
MD5_WIDE_INLINE md5_wide clamp_weight(md5_wide weight)
{
    const md5_wide one = md5_wide_all(1.0f);
    const md5_wide least = md5_wide_keep(md5_wide_greater(weight, md5_wide_all(0.0f)), weight);
    return md5_wide_select(md5_wide_less(least, one), least, one);
}

MD5_WIDE_INLINE void weigh_joints(combination kind, chunk *of, float weight,
                                  const float *joint_weights)
{
    const md5_wide none = md5_wide_all(0.0f);
    for (uint32_t block = 0; block < of->num_blocks; block++) {
        const uint32_t slot = block * MD5_WIDTH;
        md5_wide signed_weight = md5_wide_all(weight);
        if (joint_weights) {
            const md5_wide part = md5_wide_load(joint_weights + first_of_block(of, block));
            signed_weight = md5_wide_mul(signed_weight, part);
        }
        if (kind == ADD) {
            const md5_mask negative = md5_wide_less(signed_weight, none);
            const md5_wide size = clamp_weight(md5_wide_flip(negative, signed_weight));
            md5_wide_store(of->weights + slot, size);
            md5_wide_store(of->signed_weights + slot, md5_wide_flip(negative, size));
            of->changed[block] = md5_wide_bits(md5_wide_greater(size, none));
        } else {
            const md5_wide size = clamp_weight(signed_weight);
            md5_wide_store(of->weights + slot, size);
            of->changed[block] = md5_wide_bits(md5_wide_greater(size, none))
                                 & md5_wide_bits(md5_wide_less(size, md5_wide_all(1.0f)));
        }
    }
}

MD5_WIDE_INLINE void load_part(const md5_transform *from, size_t part, md5_wide rows[4])
{
    md5_wide_load_run((const float *)from + part, FLOATS, rows);
}

// Of the angles between rotations; of a difference, that to the identity.
MD5_WIDE_INLINE void find_cosines(combination kind, chunk *of)
{
    const md5_transform *const from = of->a, *const to = of->b;
    const uint32_t num_blocks = of->num_blocks;
    for (uint32_t block = 0; block < num_blocks; block++) {
        const uint32_t first = first_of_block(of, block);
        md5_wide a[4], b[4];
        load_part(to + first, 0, b);
        if (kind == ADD) {
            md5_wide_transpose(b);
            md5_wide_store(of->cosines + block * MD5_WIDTH, b[3]);
            continue;
        }
        load_part(from + first, 0, a);
        MD5_UNROLL
        for (int i = 0; i < 4; i++)
            a[i] = md5_wide_mul(a[i], b[i]);
        md5_wide_transpose(a);
        const md5_wide three = md5_wide_add(md5_wide_add(a[0], a[1]), a[2]);
        md5_wide_store(of->cosines + block * MD5_WIDTH, md5_wide_add(three, a[3]));
    }
}

MD5_WIDE_INLINE void find_all_weights(chunk *of)
{
    const uint32_t size = of->num_blocks * MD5_WIDTH;
    for (uint32_t slot = 0; slot < size; slot += MD5_WIDTH)
        find_weights(of->cosines + slot, of->weights + slot, of->of_a + slot, of->of_b + slot);
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
    for (int i = 0; i < 3; i++)
        out[3] = md5_wide_sub(out[3], md5_wide_mul(a[i], b[i]));
}

// Slerp from the identity to `b`, in place; with a negative weight, to its inverse. All of it is b
// as it is.
MD5_WIDE_INLINE void weigh_rotation(const chunk *of, uint32_t slot, md5_wide b[4])
{
    const md5_wide one = md5_wide_all(1.0f);
    const md5_mask part = md5_wide_less(md5_wide_load(of->weights + slot), one);
    const md5_mask back =
        md5_wide_less(md5_wide_load(of->signed_weights + slot), md5_wide_all(0.0f));
    const md5_wide of_a = md5_wide_load(of->of_a + slot), of_b = md5_wide_load(of->of_b + slot);
    const md5_wide change = md5_wide_sub(of_a, md5_wide_mul(b[3], of_b));
    b[3] = md5_wide_select(part, md5_wide_sub(one, change), b[3]);
    MD5_UNROLL
    for (int i = 0; i < 3; i++)
        b[i] = md5_wide_flip(back, md5_wide_select(part, md5_wide_mul(b[i], of_b), b[i]));
}

MD5_WIDE_INLINE void store_product(const md5_wide a[4], const md5_wide b[4], md5_transform *out)
{
    md5_wide product[4];
    multiply_rotations(a, b, product);
    md5_wide_transpose(product);
    md5_wide_store_run((float *)&out->rotation, FLOATS, product);
}

MD5_WIDE_INLINE void add_block(const chunk *of, uint32_t block, md5_transform *out)
{
    const uint32_t slot = block * MD5_WIDTH, first = first_of_block(of, block);
    md5_wide a[4], b[4], weights[4];
    load_part(of->a + first, TRANSLATION, a);
    load_part(of->b + first, TRANSLATION, b);
    md5_wide_spread(md5_wide_load(of->signed_weights + slot), weights);
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        b[i] = md5_wide_add(a[i], md5_wide_mul(b[i], weights[i]));
    md5_wide rotation[4];
    load_part(of->a + first, 0, a);
    load_part(of->b + first, 0, rotation);
    md5_wide_transpose(a);
    md5_wide_transpose(rotation);
    weigh_rotation(of, slot, rotation);
    store_product(a, rotation, out);
    md5_wide_store_run((float *)&out->translation, FLOATS, b);
}

MD5_WIDE_INLINE void subtract_block(const chunk *of, uint32_t block, md5_transform *out)
{
    const uint32_t first = first_of_block(of, block);
    md5_wide a[4], b[4], translation[4];
    load_part(of->a + first, TRANSLATION, a);
    load_part(of->b + first, TRANSLATION, b);
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        translation[i] = md5_wide_sub(a[i], b[i]);
    load_part(of->a + first, 0, a);
    load_part(of->b + first, 0, b);
    md5_wide_transpose(a);
    md5_wide_transpose(b);
    MD5_UNROLL
    for (int i = 0; i < 3; i++)
        b[i] = md5_wide_sub(md5_wide_all(-0.0f), b[i]);
    store_product(b, a, out);
    md5_wide_store_run((float *)&out->translation, FLOATS, translation);
}

MD5_WIDE_INLINE void combine_block(combination kind, const chunk *of, uint32_t block,
                                   md5_transform *out)
{
    if (kind == ADD) {
        add_block(of, block, out);
    } else if (kind == SUBTRACT) {
        subtract_block(of, block, out);
    } else {
        const uint32_t slot = block * MD5_WIDTH, first = first_of_block(of, block);
        md5_wide_mix((float *)out, (const float *)&of->a[first], (const float *)&of->b[first],
                     md5_wide_load(of->of_a + slot), md5_wide_load(of->of_b + slot),
                     md5_wide_load(of->weights + slot));
    }
}

// The joints of a block from lane `begin` on: computed ones from `results`, others as they are.
MD5_WIDE_INLINE void copy_block(combination kind, const chunk *of, uint32_t block, uint32_t begin,
                                const md5_transform *results)
{
    const uint32_t first = first_of_block(of, block);
    for (uint32_t lane = begin; lane < MD5_WIDTH; lane++) {
        const bool whole = kind == BLEND && of->weights[block * MD5_WIDTH + lane] >= 1.0f;
        if (of->changed[block] >> lane & 1)
            of->out[first + lane] = results[lane];
        else
            of->out[first + lane] = (whole ? of->b : of->a)[first + lane];
    }
}

// A last block that shares joints with the one before is computed first: the result may lie where
// the inputs do.
MD5_WIDE_INLINE void combine_blocks(combination kind, const chunk *of)
{
    const uint32_t all = (1u << MD5_WIDTH) - 1;
    const uint32_t rest = of->size % MD5_WIDTH;
    const uint32_t num_full = of->size / MD5_WIDTH;
    md5_transform apart[2][MD5_WIDTH]; // the last block's results, and another's
    for (uint32_t i = 0; i < of->num_blocks; i++) {
        const uint32_t block = i < of->num_blocks - num_full ? num_full : i - (rest > 0);
        const bool is_whole = block < num_full && of->changed[block] == all;
        md5_transform *const results =
            is_whole ? of->out + (size_t)block * MD5_WIDTH : apart[block < num_full];
        if (of->changed[block] > 0)
            combine_block(kind, of, block, results);
        if (block < num_full && !is_whole)
            copy_block(kind, of, block, 0, results);
    }
    if (rest > 0)
        copy_block(kind, of, num_full, MD5_WIDTH - rest, apart[0]);
}

// Joints of the next chunk: as many as there are, or so many that those left fill a register.
MD5_WIDE_INLINE uint32_t size_of_chunk(uint32_t left)
{
    if (left <= CHUNK)
        return left;
    return left - CHUNK < MD5_WIDTH ? CHUNK - MD5_WIDTH : CHUNK;
}

// At least MD5_WIDTH joints.
MD5_WIDE_INLINE void combine(combination kind, const md5_transform *a, const md5_transform *b,
                             float weight, const float *joint_weights, uint32_t count,
                             md5_transform *out)
{
    chunk of;
    for (uint32_t begin = 0; begin < count; begin += of.size) {
        of.a = a + begin;
        of.b = b + begin;
        of.out = out + begin;
        of.size = size_of_chunk(count - begin);
        of.num_blocks = (of.size + MD5_WIDTH - 1) / MD5_WIDTH;
        if (kind == SUBTRACT) {
            for (uint32_t block = 0; block < of.num_blocks; block++)
                of.changed[block] = (1u << MD5_WIDTH) - 1;
        } else {
            weigh_joints(kind, &of, weight, joint_weights ? joint_weights + begin : NULL);
            find_cosines(kind, &of);
            find_all_weights(&of);
        }
        combine_blocks(kind, &of);
    }
}

// -- The kernels ----------------------------------------------------------------------------------

MD5_WIDE_CODE static void blend(const md5_transform *from, const md5_transform *to, float weight,
                                const float *joint_weights, uint32_t count, md5_transform *pose)
{
    if (count >= MD5_WIDTH)
        combine(BLEND, from, to, weight, joint_weights, count, pose);
    else if (count > 0)
        md5_pose_kernels_of(NARROWER)->blend(from, to, weight, joint_weights, count, pose);
}

MD5_WIDE_CODE static void add(const md5_transform *pose, const md5_transform *difference,
                              float weight, const float *joint_weights, uint32_t count,
                              md5_transform *out)
{
    if (count >= MD5_WIDTH)
        combine(ADD, pose, difference, weight, joint_weights, count, out);
    else if (count > 0)
        md5_pose_kernels_of(NARROWER)->add(pose, difference, weight, joint_weights, count, out);
}

MD5_WIDE_CODE static void subtract(const md5_transform *source, const md5_transform *reference,
                                   uint32_t count, md5_transform *difference)
{
    if (count >= MD5_WIDTH)
        combine(SUBTRACT, source, reference, 1.0f, NULL, count, difference);
    else if (count > 0)
        md5_pose_kernels_of(NARROWER)->subtract(source, reference, count, difference);
}

#endif
