// Between two frames, several at once: the operations of md5_slerp_weighted, md5_vec3_lerp,
// md5_mat34_of and md5_mat34_product, in their order.
#ifndef MD5_POSE_SLERP_WIDE_H
#define MD5_POSE_SLERP_WIDE_H

#include "md5/core/math.h"
#include "md5/core/wide.h"
#include "md5/pose/slerp.h"

// md5_slerp_weights of each.
typedef struct wide_slerp {
    md5_wide t, step[MD5_SLERP_POWERS], sum[MD5_SLERP_POWERS];
} wide_slerp;

MD5_WIDE_INLINE void weigh_one_end(md5_wide t, md5_wide by_power[MD5_SLERP_POWERS])
{
    const md5_wide square = md5_wide_mul(t, t);
    const md5_wide ends = md5_wide_mul(t, md5_wide_sub(md5_wide_all(1.0f), square));
    MD5_UNROLL
    for (int power = 0; power < MD5_SLERP_POWERS; power++) {
        md5_wide value = md5_wide_all(md5_slerp_table[MD5_SLERP_POWERS_OF_T2 - 1][power]);
        MD5_UNROLL
        for (int row = MD5_SLERP_POWERS_OF_T2 - 2; row >= 0; row--)
            value = md5_wide_add(md5_wide_all(md5_slerp_table[row][power]),
                                 md5_wide_mul(square, value));
        by_power[power] = md5_wide_mul(ends, value);
    }
}

// md5_slerp_weights_at of each.
MD5_WIDE_INLINE void weigh_wide(md5_wide t, wide_slerp *slerp)
{
    md5_wide of_a[MD5_SLERP_POWERS];
    slerp->t = t;
    weigh_one_end(t, slerp->step);
    weigh_one_end(md5_wide_sub(md5_wide_all(1.0f), t), of_a);
    MD5_UNROLL
    for (int power = 0; power < MD5_SLERP_POWERS; power++)
        slerp->sum[power] = md5_wide_add(slerp->step[power], of_a[power]);
}

// The same for all.
MD5_WIDE_INLINE wide_slerp wide_slerp_of(const md5_slerp_weights *weights)
{
    wide_slerp slerp = {.t = md5_wide_all(weights->t)};
    MD5_UNROLL
    for (int power = 0; power < MD5_SLERP_POWERS; power++) {
        slerp.step[power] = md5_wide_all(weights->step[power]);
        slerp.sum[power] = md5_wide_all(weights->sum[power]);
    }
    return slerp;
}

MD5_WIDE_INLINE md5_wide lerp_wide(md5_wide a, md5_wide b, md5_wide t)
{
    return md5_wide_add(a, md5_wide_mul(md5_wide_sub(b, a), t));
}

MD5_WIDE_INLINE md5_wide dot4_wide(const md5_wide a[4], const md5_wide b[4])
{
    md5_wide sum = md5_wide_mul(a[0], b[0]);
    MD5_UNROLL
    for (int i = 1; i < 4; i++)
        sum = md5_wide_add(sum, md5_wide_mul(a[i], b[i]));
    return sum;
}

// Slerp in three steps, each of which is done for several sets of rotations before the next: one
// set by itself is a long chain in which every operation waits for the one before, and no machine
// looks far enough ahead to find the next set's.
enum { MD5_SLERP_SETS = 16 }; // how many; even

typedef struct wide_slerp_set {
    md5_wide a[4], way[4]; // components
    md5_wide u, of_b, more;
} wide_slerp_set;

// From two frames' rotations as rows.
MD5_WIDE_INLINE void slerp_begin(wide_slerp_set *set, md5_wide a[4], md5_wide b[4])
{
    md5_wide_transpose(a);
    md5_wide_transpose(b);
    const md5_wide cosine = dot4_wide(a, b);
    const md5_mask away = md5_wide_less(cosine, md5_wide_all(0.0f));
    const md5_wide less = md5_wide_sub(md5_wide_all(1.0f), md5_wide_flip(away, cosine));
    set->u = md5_wide_keep(md5_wide_greater(less, md5_wide_all(MD5_SLERP_EQUAL)), less);
    MD5_UNROLL
    for (int i = 0; i < 4; i++) {
        set->a[i] = a[i];
        set->way[i] = md5_wide_sub(md5_wide_flip(away, b[i]), a[i]);
    }
}

// Of two sets at a time.
MD5_WIDE_INLINE void slerp_weigh(const wide_slerp *slerp, wide_slerp_set sets[2])
{
    md5_wide u[2], uu[2], odd_b[2], even_b[2], odd[2], even[2];
    MD5_UNROLL
    for (int k = 0; k < 2; k++) {
        u[k] = sets[k].u;
        uu[k] = md5_wide_mul(u[k], u[k]);
        odd_b[k] = slerp->step[MD5_SLERP_POWERS - 2];
        even_b[k] = slerp->step[MD5_SLERP_POWERS - 1];
        odd[k] = slerp->sum[MD5_SLERP_POWERS - 2];
        even[k] = slerp->sum[MD5_SLERP_POWERS - 1];
    }
    MD5_UNROLL
    for (int power = MD5_SLERP_POWERS - 4; power >= 0; power -= 2) {
        MD5_UNROLL
        for (int k = 0; k < 2; k++) {
            odd_b[k] = md5_wide_add(slerp->step[power], md5_wide_mul(uu[k], odd_b[k]));
            even_b[k] = md5_wide_add(slerp->step[power + 1], md5_wide_mul(uu[k], even_b[k]));
            odd[k] = md5_wide_add(slerp->sum[power], md5_wide_mul(uu[k], odd[k]));
            even[k] = md5_wide_add(slerp->sum[power + 1], md5_wide_mul(uu[k], even[k]));
        }
    }
    MD5_UNROLL
    for (int k = 0; k < 2; k++) {
        sets[k].of_b = md5_wide_add(
            slerp->t, md5_wide_add(md5_wide_mul(u[k], odd_b[k]), md5_wide_mul(uu[k], even_b[k])));
        sets[k].more = md5_wide_add(md5_wide_mul(u[k], odd[k]), md5_wide_mul(uu[k], even[k]));
    }
}

// All sets: their number may be odd, if there is room for one more.
MD5_WIDE_INLINE void slerp_weigh_all(const wide_slerp *slerp, wide_slerp_set *sets, uint32_t count)
{
    if (count % 2 > 0)
        sets[count].u = sets[0].u;
    for (uint32_t i = 0; i < count; i += 2)
        slerp_weigh(slerp, sets + i);
}

// The rotations between, as components.
MD5_WIDE_INLINE void slerp_end(const wide_slerp_set *set, md5_wide out[4])
{
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        out[i] = md5_wide_add(set->a[i], md5_wide_add(md5_wide_mul(set->a[i], set->more),
                                                      md5_wide_mul(set->way[i], set->of_b)));
}

// The matrices of rotations, all as components; the translations are left as they are.
MD5_WIDE_INLINE void matrix_wide(const md5_wide q[4], md5_wide m[12])
{
    const md5_wide one = md5_wide_all(1.0f);
    const md5_wide x2 = md5_wide_add(q[0], q[0]);
    const md5_wide y2 = md5_wide_add(q[1], q[1]);
    const md5_wide z2 = md5_wide_add(q[2], q[2]);
    const md5_wide xx = md5_wide_mul(q[0], x2), yy = md5_wide_mul(q[1], y2);
    const md5_wide zz = md5_wide_mul(q[2], z2), xy = md5_wide_mul(q[0], y2);
    const md5_wide xz = md5_wide_mul(q[0], z2), yz = md5_wide_mul(q[1], z2);
    const md5_wide wx = md5_wide_mul(q[3], x2), wy = md5_wide_mul(q[3], y2);
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
