// Interpolates between two frames, one joint in each lane. Performs the operations of
// md5_slerp_weighted(), md5_vec3_lerp() and md5_mat34_compose() in the same order.
#ifndef MD5_POSE_SIMD_SLERP_WIDE_H
#define MD5_POSE_SIMD_SLERP_WIDE_H

#include "md5/core/math.h"
#include "md5/core/wide.h"
#include "md5/core/slerp.h"

// The values of md5_slerp_weights in each lane, and constants.
typedef struct wide_slerp {
    md5_wide s;
    md5_wide ends;
    md5_wide by_power[MD5_SLERP_POWERS];
    md5_wide half;
    md5_wide one;
    md5_wide two;
    md5_wide equal;
} wide_slerp;

// Computes the values of slerp that depend only on the fraction, in each lane, like
// md5i_slerp_weights_at(). Omits terms whose coefficient in the table is 0, because they would not
// change the result.
MD5_WIDE_INLINE wide_slerp wide_slerp_at(md5_wide t)
{
    const md5_wide s = md5_wide_sub(t, md5_wide_set1(0.5f));
    const md5_wide s2 = md5_wide_add(s, s);
    const md5_wide r = md5_wide_mul(s2, s2);
    wide_slerp slerp = {.s = s,
                        .ends = md5_wide_mul(s, md5_wide_sub(md5_wide_set1(1.0f), r)),
                        .half = md5_wide_set1(0.5f),
                        .one = md5_wide_set1(1.0f),
                        .two = md5_wide_set1(2.0f),
                        .equal = md5_wide_set1(MD5_SLERP_EQUAL)};

    MD5_UNROLL
    for (uint32_t power = 0; power < MD5_SLERP_POWERS; power++) {
        const float *const c = md5_slerp_table[power];
        md5_wide sum = md5_wide_set1(c[1]);
        if (c[2] != 0)
            sum = md5_wide_add(sum, md5_wide_mul(r, md5_wide_set1(c[2])));
        slerp.by_power[power] = md5_wide_set1(c[0]);
        if (c[1] != 0)
            slerp.by_power[power] = md5_wide_add(slerp.by_power[power], md5_wide_mul(r, sum));
    }
    return slerp;
}

// The weights of two rotations a and b. The result is a - (a * reduction_a - b * weight_b): see
// slerp_end().
typedef struct wide_weights {
    md5_wide reduction_a; // 1 minus the weight of a
    md5_wide weight_b;    // the weight of b, negative if b is farther from a than -b
} wide_weights;

// Returns the weights of both rotations for slerp in each lane, like md5_slerp_by_cosine().
// `cosine` is the dot product of the rotations.
MD5_WIDE_INLINE wide_weights wide_slerp_weights(const wide_slerp *slerp, md5_wide cosine)
{
    const md5_wide *const c = slerp->by_power;
    const md5_mask opposite = md5_wide_less(cosine, md5_wide_set1(0.0f));
    const md5_wide less = md5_wide_sub(slerp->one, md5_wide_negate_if(opposite, cosine));
    const md5_wide u = md5_wide_mask(md5_wide_greater(less, slerp->equal), less);

    // Evaluate the polynomial in u; the grouping by powers shortens the chain of dependent
    // operations.
    const md5_wide uu = md5_wide_mul(u, u);
    const md5_wide low = md5_wide_add(c[0], md5_wide_mul(u, c[1]));
    const md5_wide middle = md5_wide_add(c[2], md5_wide_mul(u, c[3]));
    const md5_wide high = md5_wide_add(middle, md5_wide_mul(uu, c[4]));
    const md5_wide smooth = md5_wide_add(low, md5_wide_mul(uu, high));
    const md5_wide difference =
        md5_wide_add(slerp->s, md5_wide_mul(md5_wide_mul(u, slerp->ends), smooth));

    const md5_wide part = md5_wide_mul(md5_wide_mul(difference, difference), u);
    const md5_wide sum =
        md5_wide_sqrt(md5_wide_div(md5_wide_sub(slerp->half, part), md5_wide_sub(slerp->two, u)));
    return (wide_weights){
        .reduction_a = md5_wide_add(md5_wide_sub(slerp->one, sum), difference),
        .weight_b = md5_wide_negate_if(opposite, md5_wide_add(sum, difference)),
    };
}

// Returns the weights of both rotations for nlerp at the fraction `t` in each lane, like
// md5_nlerp_weights_at() and md5_nlerp_by_cosine(). `cosine` is the dot product of the rotations.
MD5_WIDE_INLINE wide_weights wide_nlerp_weights(md5_wide t, md5_wide cosine)
{
    const md5_wide one = md5_wide_set1(1.0f);
    const md5_wide left = md5_wide_sub(one, t);
    const md5_wide right = md5_wide_sub(one, left);
    const md5_wide product = md5_wide_mul(md5_wide_add(left, left), right);
    const md5_mask opposite = md5_wide_less(cosine, md5_wide_set1(0.0f));
    const md5_wide less = md5_wide_sub(one, md5_wide_negate_if(opposite, cosine));
    const md5_wide u = md5_wide_mask(md5_wide_greater(less, md5_wide_set1(MD5_SLERP_EQUAL)), less);
    const md5_wide square = md5_wide_sub(one, md5_wide_mul(product, u));
    const md5_wide scale = md5_wide_div(one, md5_wide_sqrt(square));
    return (wide_weights){
        .reduction_a = md5_wide_sub(one, md5_wide_mul(left, scale)),
        .weight_b = md5_wide_negate_if(opposite, md5_wide_mul(right, scale)),
    };
}

MD5_WIDE_INLINE md5_wide lerp_wide(md5_wide a, md5_wide b, md5_wide t)
{
    return md5_wide_add(a, md5_wide_mul(md5_wide_sub(b, a), t));
}

// Returns the dot products of pairs of quaternions, whose components are in separate registers.
MD5_WIDE_INLINE md5_wide dot4_wide(const md5_wide a[4], const md5_wide b[4])
{
    md5_wide sum = md5_wide_mul(a[0], b[0]);
    MD5_UNROLL
    for (uint32_t i = 1; i < 4; i++)
        sum = md5_wide_add(sum, md5_wide_mul(a[i], b[i]));
    return sum;
}

// Slerp in three steps: slerp_begin(), compute_set_weights(), slerp_end(). Each step processes
// several sets of rotations before the next step begins. The operations on a single set form a long
// chain, in which every operation depends on the previous one. No processor looks far enough ahead
// to find the operations of the next set.
enum { MD5_SLERP_SETS = 16 }; // sets per step

typedef struct wide_slerp_set {
    md5_wide a[4]; // components
    md5_wide b[4];
    md5_wide cosine;
    wide_weights weights;
} wide_slerp_set;

// Begins a set with the rotations of two frames, given as rows: transposes them to components and
// computes their cosines.
MD5_WIDE_INLINE void slerp_begin(wide_slerp_set *set, md5_wide a[4], md5_wide b[4])
{
    md5_wide_transpose(a);
    md5_wide_transpose(b);
    set->cosine = dot4_wide(a, b);
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        set->a[i] = a[i];
        set->b[i] = b[i];
    }
}

// Computes the weights of all sets, for slerp or nlerp. `t` contains the fraction of each lane.
MD5_WIDE_INLINE void compute_set_weights(md5_interpolation interpolation, md5_wide t,
                                         wide_slerp_set *sets, uint32_t count)
{
    if (interpolation != MD5_INTERPOLATE_NLERP) {
        const wide_slerp slerp = wide_slerp_at(t);
        for (uint32_t i = 0; i < count; i++)
            sets[i].weights = wide_slerp_weights(&slerp, sets[i].cosine);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        sets[i].weights = wide_nlerp_weights(t, sets[i].cosine);
}

// Writes the components of the interpolated rotations to out[4].
MD5_WIDE_INLINE void slerp_end(const wide_slerp_set *set, md5_wide out[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        const md5_wide change = md5_wide_sub(md5_wide_mul(set->a[i], set->weights.reduction_a),
                                             md5_wide_mul(set->b[i], set->weights.weight_b));
        out[i] = md5_wide_sub(set->a[i], change);
    }
}

// Converts rotations to matrices in each lane, both as components, with the operations of
// md5_mat34_compose(). Does not write the translation column: m[3], m[7] and m[11].
MD5_WIDE_INLINE void matrix_wide(const md5_wide q[4], md5_wide m[12])
{
    const md5_wide one = md5_wide_set1(1.0f);
    const md5_wide x2 = md5_wide_add(q[0], q[0]);
    const md5_wide y2 = md5_wide_add(q[1], q[1]);
    const md5_wide z2 = md5_wide_add(q[2], q[2]);

    const md5_wide xx = md5_wide_mul(q[0], x2);
    const md5_wide yy = md5_wide_mul(q[1], y2);
    const md5_wide zz = md5_wide_mul(q[2], z2);
    const md5_wide xy = md5_wide_mul(q[0], y2);
    const md5_wide xz = md5_wide_mul(q[0], z2);
    const md5_wide yz = md5_wide_mul(q[1], z2);
    const md5_wide wx = md5_wide_mul(q[3], x2);
    const md5_wide wy = md5_wide_mul(q[3], y2);
    const md5_wide wz = md5_wide_mul(q[3], z2);

    m[0] = md5_wide_sub(one, md5_wide_add(yy, zz));
    m[1] = md5_wide_sub(xy, wz);
    m[2] = md5_wide_add(xz, wy);
    m[4] = md5_wide_add(xy, wz);
    m[5] = md5_wide_sub(one, md5_wide_add(xx, zz));
    m[6] = md5_wide_sub(yz, wx);
    m[8] = md5_wide_sub(xz, wy);
    m[9] = md5_wide_add(yz, wx);
    m[10] = md5_wide_sub(one, md5_wide_add(xx, yy));
}

#endif
