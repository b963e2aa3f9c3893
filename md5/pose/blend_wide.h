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

// Everything here is done for one or two sets side by side, `n` says how many: two keep more of the
// machine busy.

// x * sum + more of each.
MD5_WIDE_INLINE void step_two(int n, const md5_wide x[2], float more, md5_wide sums[2])
{
    MD5_UNROLL
    for (int k = 0; k < n; k++)
        sums[k] = md5_wide_add(md5_wide_all(more), md5_wide_mul(x[k], sums[k]));
}

// c[0] x + c[1] x^2 + ..., even and odd powers apart, so that neither waits for the other.
MD5_WIDE_INLINE void polynomial_two(int n, const float *c, int size, const md5_wide x[2],
                                    const md5_wide xx[2], md5_wide out[2])
{
    md5_wide last[2], other[2];
    MD5_UNROLL
    for (int k = 0; k < n; k++) {
        last[k] = md5_wide_all(c[size - 1]);
        other[k] = md5_wide_all(c[size - 2]);
    }
    MD5_UNROLL
    for (int i = size - 3; i >= 0; i -= 2)
        step_two(n, xx, c[i], last);
    MD5_UNROLL
    for (int i = size - 4; i >= 0; i -= 2)
        step_two(n, xx, c[i], other);
    MD5_UNROLL
    for (int k = 0; k < n; k++)
        out[k] = size % 2
                     ? md5_wide_add(md5_wide_mul(x[k], last[k]), md5_wide_mul(xx[k], other[k]))
                     : md5_wide_add(md5_wide_mul(x[k], other[k]), md5_wide_mul(xx[k], last[k]));
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
MD5_WIDE_INLINE void find_weights(int n, const float *cosines, const float *weights, float *of_a,
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
    const md5_wide none = md5_wide_all(0.0f), equal = md5_wide_all(MD5_SLERP_EQUAL);
    md5_wide cosine[2], u[2], uu[2], s[2], y[2], yy[2];
    MD5_UNROLL
    for (int k = 0; k < n; k++) {
        cosine[k] = md5_wide_load(cosines + k * MD5_WIDTH);
        s[k] = md5_wide_sub(md5_wide_load(weights + k * MD5_WIDTH), half);
        const md5_mask away = md5_wide_less(cosine[k], none);
        const md5_wide less = md5_wide_sub(one, md5_wide_flip(away, cosine[k]));
        u[k] = md5_wide_keep(md5_wide_greater(less, equal), less);
        uu[k] = md5_wide_mul(u[k], u[k]);
    }
    polynomial_two(n, square_of, 6, u, uu, y);
    MD5_UNROLL
    for (int k = 0; k < n; k++) {
        y[k] = md5_wide_mul(md5_wide_mul(s[k], s[k]), y[k]);
        yy[k] = md5_wide_mul(y[k], y[k]);
    }
    md5_wide a[2], b[2], c[2], d[2];
    polynomial_two(n, over_cosine, 7, u, uu, a);
    polynomial_two(n, over_sine, 5, u, uu, b);
    polynomial_two(n, cosine_of, 3, y, yy, c);
    polynomial_two(n, sine_of, 3, y, yy, d);
    MD5_UNROLL
    for (int k = 0; k < n; k++) {
        const md5_wide more = md5_wide_mul(half, compound(c[k], a[k]));
        const md5_wide difference = md5_wide_mul(s[k], compound(d[k], b[k]));
        const md5_wide middle = md5_wide_add(half, md5_wide_add(s[k], difference));
        const md5_wide found = md5_wide_add(middle, more);
        md5_wide_store(of_a + k * MD5_WIDTH, md5_wide_sub(middle, more));
        md5_wide_store(of_b + k * MD5_WIDTH, md5_wide_flip(md5_wide_less(cosine[k], none), found));
    }
}

// Of `count` joints, a multiple of MD5_WIDTH.
MD5_WIDE_CODE static void find_all_weights(const float *cosines, const float *weights,
                                           uint32_t count, float *of_a, float *of_b)
{
    uint32_t i = 0;
    for (; i + 2 * MD5_WIDTH <= count; i += 2 * MD5_WIDTH)
        find_weights(2, cosines + i, weights + i, of_a + i, of_b + i);
    if (i < count)
        find_weights(1, cosines + i, weights + i, of_a + i, of_b + i);
}

// -- The steps ------------------------------------------------------------------------------------

// ADD_DIFFERENCE is ADD of what SUBTRACT makes.
typedef enum combination { BLEND, ADD, SUBTRACT, ADD_DIFFERENCE } combination;

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
    const md5_transform *reference; // ADD_DIFFERENCE only
    md5_transform *out;
    uint32_t size, num_blocks;
    uint32_t changed[NUM_BLOCKS]; // a bit for each joint: it is computed, the others are copied
    float weights[CHUNK];         // 0..1
    float cosines[CHUNK], of_a[CHUNK], of_b[CHUNK];
    // When adding.
    float signed_weights[CHUNK];
    float differences[4 * CHUNK]; // rotations, as components, block by block
} chunk;

MD5_WIDE_INLINE bool is_adding(combination kind)
{
    return kind == ADD || kind == ADD_DIFFERENCE;
}

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
    const md5_wide none = md5_wide_all(0.0f), one = md5_wide_all(1.0f);
    md5_wide weights = md5_wide_all(weight);
    for (uint32_t block = 0; block < of->num_blocks; block++) {
        const uint32_t slot = block * MD5_WIDTH;
        if (joint_weights) {
            const md5_wide part = md5_wide_load(joint_weights + first_of_block(of, block));
            weights = md5_wide_mul(md5_wide_all(weight), part);
        }
        const md5_mask negative = md5_wide_less(weights, none);
        const md5_wide size =
            clamp_weight(is_adding(kind) ? md5_wide_flip(negative, weights) : weights);
        md5_wide_store(of->weights + slot, size);
        of->changed[block] = md5_wide_bits(md5_wide_greater(size, none));
        if (kind == BLEND)
            of->changed[block] &= md5_wide_bits(md5_wide_less(size, one));
        else
            md5_wide_store(of->signed_weights + slot, md5_wide_flip(negative, size));
    }
}

MD5_WIDE_INLINE void load_part(const md5_transform *from, size_t part, md5_wide rows[4])
{
    md5_wide_load_run((const float *)from + part, FLOATS, rows);
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

// inverse(reference) * source of each, as components.
MD5_WIDE_INLINE void divide_rotations(const md5_transform *source, const md5_transform *reference,
                                      md5_wide out[4])
{
    md5_wide a[4], b[4];
    load_part(source, 0, a);
    load_part(reference, 0, b);
    md5_wide_transpose(a);
    md5_wide_transpose(b);
    MD5_UNROLL
    for (int i = 0; i < 3; i++)
        b[i] = md5_wide_sub(md5_wide_all(-0.0f), b[i]);
    multiply_rotations(b, a, out);
}

// Of the angles between rotations; of a difference, which is kept, that to the identity.
MD5_WIDE_INLINE void find_cosines(combination kind, chunk *of)
{
    const uint32_t num_blocks = of->num_blocks;
    for (uint32_t block = 0; block < num_blocks; block++) {
        const uint32_t first = first_of_block(of, block);
        float *const cosines = of->cosines + block * MD5_WIDTH;
        if (!is_adding(kind)) {
            md5_wide_store(cosines, md5_wide_dots((const float *)(of->a + first),
                                                  (const float *)(of->b + first)));
            continue;
        }
        md5_wide difference[4];
        if (kind == ADD) {
            load_part(of->b + first, 0, difference);
            md5_wide_transpose(difference);
        } else {
            divide_rotations(of->b + first, of->reference + first, difference);
        }
        MD5_UNROLL
        for (uint32_t i = 0; i < 4; i++)
            md5_wide_store(of->differences + (4 * block + i) * MD5_WIDTH, difference[i]);
        md5_wide_store(cosines, difference[3]);
    }
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

MD5_WIDE_INLINE void store_rotations(md5_wide rotations[4], md5_transform *out)
{
    md5_wide_transpose(rotations);
    md5_wide_store_run((float *)&out->rotation, FLOATS, rotations);
}

MD5_WIDE_INLINE void subtract_translations(const md5_transform *source,
                                           const md5_transform *reference, md5_wide rows[4])
{
    md5_wide b[4];
    load_part(source, TRANSLATION, rows);
    load_part(reference, TRANSLATION, b);
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        rows[i] = md5_wide_sub(rows[i], b[i]);
}

MD5_WIDE_INLINE void add_block(combination kind, const chunk *of, uint32_t block,
                               md5_transform *out)
{
    const uint32_t slot = block * MD5_WIDTH, first = first_of_block(of, block);
    md5_wide a[4], b[4], weights[4];
    load_part(of->a + first, TRANSLATION, a);
    if (kind == ADD)
        load_part(of->b + first, TRANSLATION, b);
    else
        subtract_translations(of->b + first, of->reference + first, b);
    md5_wide_spread(md5_wide_load(of->signed_weights + slot), weights);
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        b[i] = md5_wide_add(a[i], md5_wide_mul(b[i], weights[i]));
    md5_wide rotation[4], product[4];
    load_part(of->a + first, 0, a);
    md5_wide_transpose(a);
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rotation[i] = md5_wide_load(of->differences + 4 * slot + i * MD5_WIDTH);
    weigh_rotation(of, slot, rotation);
    multiply_rotations(a, rotation, product);
    store_rotations(product, out);
    md5_wide_store_run((float *)&out->translation, FLOATS, b);
}

MD5_WIDE_INLINE void subtract_block(const chunk *of, uint32_t block, md5_transform *out)
{
    const uint32_t first = first_of_block(of, block);
    md5_wide translation[4], rotation[4];
    subtract_translations(of->a + first, of->b + first, translation);
    divide_rotations(of->a + first, of->b + first, rotation);
    store_rotations(rotation, out);
    md5_wide_store_run((float *)&out->translation, FLOATS, translation);
}

MD5_WIDE_INLINE void combine_block(combination kind, const chunk *of, uint32_t block,
                                   md5_transform *out)
{
    if (is_adding(kind)) {
        add_block(kind, of, block, out);
    } else if (kind == SUBTRACT) {
        subtract_block(of, block, out);
    } else {
        const uint32_t slot = block * MD5_WIDTH, first = first_of_block(of, block);
        md5_wide_mix((float *)out, (const float *)&of->a[first], (const float *)&of->b[first],
                     md5_wide_load(of->of_a + slot), md5_wide_load(of->of_b + slot),
                     md5_wide_load(of->weights + slot));
    }
}

// The joints of a block from lane `begin` on that are only copied, and, where results were kept
// apart, the computed ones.
MD5_WIDE_INLINE void copy_block(combination kind, const chunk *of, uint32_t block, uint32_t begin,
                                const md5_transform *results)
{
    const uint32_t first = first_of_block(of, block), changed = of->changed[block];
    const md5_transform *const a = of->a + first, *const b = of->b + first;
    const float *const weights = of->weights + (size_t)block * MD5_WIDTH;
    md5_transform *const out = of->out + first;
    for (uint32_t lane = begin; lane < MD5_WIDTH; lane++) {
        if (!(changed >> lane & 1))
            out[lane] = kind == BLEND && weights[lane] >= 1.0f ? b[lane] : a[lane];
        else if (results != out)
            out[lane] = results[lane];
    }
}

// Where the results lie where the inputs do, blocks that are copied in part are computed apart, and
// so is, before all others, a last block that shares joints with the one before. Elsewhere the
// shared joints may as well be written twice.
MD5_WIDE_INLINE void combine_blocks(combination kind, const chunk *of)
{
    const uint32_t all = (1u << MD5_WIDTH) - 1;
    const uint32_t rest = of->size % MD5_WIDTH, last = of->num_blocks - 1;
    const bool in_place = of->out == of->a || of->out == of->b || of->out == of->reference;
    const bool last_first = rest > 0 && in_place;
    md5_transform kept[MD5_WIDTH], some[MD5_WIDTH]; // the last block's, and another's
    for (uint32_t i = 0; i < of->num_blocks; i++) {
        const uint32_t block = !last_first ? i : i == 0 ? last : i - 1;
        const bool is_kept = last_first && i == 0, is_whole = of->changed[block] == all;
        md5_transform *results = of->out + first_of_block(of, block);
        if (in_place && (is_kept || !is_whole))
            results = is_kept ? &kept[0] : &some[0];
        if (of->changed[block] > 0)
            combine_block(kind, of, block, results);
        if (!is_whole && !is_kept)
            copy_block(kind, of, block, 0, results);
    }
    if (last_first)
        copy_block(kind, of, last, MD5_WIDTH - rest, kept);
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
                             const md5_transform *reference, float weight,
                             const float *joint_weights, uint32_t count, md5_transform *out)
{
    chunk of;
    for (uint32_t begin = 0; begin < count; begin += of.size) {
        of.a = a + begin;
        of.b = b + begin;
        of.reference = reference ? reference + begin : NULL;
        of.out = out + begin;
        of.size = size_of_chunk(count - begin);
        of.num_blocks = (of.size + MD5_WIDTH - 1) / MD5_WIDTH;
        if (kind == SUBTRACT) {
            for (uint32_t block = 0; block < of.num_blocks; block++)
                of.changed[block] = (1u << MD5_WIDTH) - 1;
        } else {
            weigh_joints(kind, &of, weight, joint_weights ? joint_weights + begin : NULL);
            find_cosines(kind, &of);
            find_all_weights(of.cosines, of.weights, of.num_blocks * MD5_WIDTH, of.of_a, of.of_b);
        }
        combine_blocks(kind, &of);
    }
}

// -- The kernels ----------------------------------------------------------------------------------

MD5_WIDE_CODE static void blend(const md5_transform *from, const md5_transform *to, float weight,
                                const float *joint_weights, uint32_t count, md5_transform *pose)
{
    if (count >= MD5_WIDTH)
        combine(BLEND, from, to, NULL, weight, joint_weights, count, pose);
    else if (count > 0)
        md5_pose_kernels_of(NARROWER)->blend(from, to, weight, joint_weights, count, pose);
}

MD5_WIDE_CODE static void add(const md5_transform *pose, const md5_transform *difference,
                              float weight, const float *joint_weights, uint32_t count,
                              md5_transform *out)
{
    if (count >= MD5_WIDTH)
        combine(ADD, pose, difference, NULL, weight, joint_weights, count, out);
    else if (count > 0)
        md5_pose_kernels_of(NARROWER)->add(pose, difference, weight, joint_weights, count, out);
}

MD5_WIDE_CODE static void subtract(const md5_transform *source, const md5_transform *reference,
                                   uint32_t count, md5_transform *difference)
{
    if (count >= MD5_WIDTH)
        combine(SUBTRACT, source, reference, NULL, 1.0f, NULL, count, difference);
    else if (count > 0)
        md5_pose_kernels_of(NARROWER)->subtract(source, reference, count, difference);
}

MD5_WIDE_CODE static void add_difference(const md5_transform *pose, const md5_transform *source,
                                         const md5_transform *reference, float weight,
                                         const float *joint_weights, uint32_t count,
                                         md5_transform *out)
{
    if (count >= MD5_WIDTH)
        combine(ADD_DIFFERENCE, pose, source, reference, weight, joint_weights, count, out);
    else if (count > 0)
        md5_pose_kernels_of(NARROWER)->add_difference(pose, source, reference, weight,
                                                      joint_weights, count, out);
}

#endif
