// Vectors and rotations in lanes, one of each character: the operations of md5/core/float4.h and
// space.h, in their order. A file defines an instruction set (md5/core/wide.h) and includes this.
//
// What is unusual is not done in lanes: `sound` is 1 in lanes where all went the usual way, else 0.
#ifndef MD5_IK_LANES_WIDE_H
#define MD5_IK_LANES_WIDE_H

#include "md5/core/wide.h"
#include "md5/motion/lanes.h"
#include "md5/motion/space.h"

typedef struct wide_vec3 {
    md5_wide x, y, z;
} wide_vec3;

typedef struct wide_quat {
    md5_wide x, y, z, w;
} wide_quat;

typedef struct wide_place {
    wide_quat rotation;
    wide_vec3 place;
} wide_place;

MD5_WIDE_INLINE void require(md5_mask mask, md5_wide *sound)
{
    *sound = md5_wide_keep(mask, *sound);
}

// -- In and out -------------------------------------------------------------------------------

MD5_WIDE_INLINE void load_joint(md5_xform *const *poses, uint32_t joint, wide_quat *rotation,
                                wide_vec3 *place)
{
    const float *rotations[MD5_WIDTH], *translations[MD5_WIDTH];
    MD5_UNROLL
    for (int i = 0; i < MD5_WIDTH; i++) {
        rotations[i] = &poses[i][joint].rotation.x;
        translations[i] = &poses[i][joint].translation.x;
    }
    md5_wide rows[4];
    md5_wide_load_rows(rotations, rows);
    md5_wide_transpose(rows);
    *rotation = (wide_quat){rows[0], rows[1], rows[2], rows[3]};
    md5_wide_load_rows(translations, rows);
    md5_wide_transpose(rows);
    *place = (wide_vec3){rows[0], rows[1], rows[2]};
}

MD5_WIDE_INLINE wide_quat load_rotation(md5_xform *const *poses, uint32_t joint)
{
    const float *rotations[MD5_WIDTH];
    MD5_UNROLL
    for (int i = 0; i < MD5_WIDTH; i++)
        rotations[i] = &poses[i][joint].rotation.x;
    md5_wide rows[4];
    md5_wide_load_rows(rotations, rows);
    md5_wide_transpose(rows);
    return (wide_quat){rows[0], rows[1], rows[2], rows[3]};
}

MD5_WIDE_INLINE void store_rotation(md5_xform *const *poses, uint32_t joint, wide_quat q)
{
    float *rotations[MD5_WIDTH];
    MD5_UNROLL
    for (int i = 0; i < MD5_WIDTH; i++)
        rotations[i] = &poses[i][joint].rotation.x;
    md5_wide rows[4] = {q.x, q.y, q.z, q.w};
    md5_wide_transpose(rows);
    md5_wide_store_rows(rotations, rows);
}

MD5_WIDE_INLINE wide_vec3 load_vec3(const md5_lane_vec3 *from)
{
    return (wide_vec3){md5_wide_load(from->x), md5_wide_load(from->y), md5_wide_load(from->z)};
}

MD5_WIDE_INLINE wide_vec3 all_vec3(md5_vec3 v)
{
    return (wide_vec3){md5_wide_all(v.x), md5_wide_all(v.y), md5_wide_all(v.z)};
}

MD5_WIDE_INLINE wide_quat all_quat(md5_quat q)
{
    return (wide_quat){md5_wide_all(q.x), md5_wide_all(q.y), md5_wide_all(q.z), md5_wide_all(q.w)};
}

// -- Vectors ----------------------------------------------------------------------------------

MD5_WIDE_INLINE wide_vec3 vec3_add(wide_vec3 a, wide_vec3 b)
{
    return (wide_vec3){md5_wide_add(a.x, b.x), md5_wide_add(a.y, b.y), md5_wide_add(a.z, b.z)};
}

MD5_WIDE_INLINE wide_vec3 vec3_sub(wide_vec3 a, wide_vec3 b)
{
    return (wide_vec3){md5_wide_sub(a.x, b.x), md5_wide_sub(a.y, b.y), md5_wide_sub(a.z, b.z)};
}

MD5_WIDE_INLINE wide_vec3 vec3_scale(wide_vec3 a, md5_wide s)
{
    return (wide_vec3){md5_wide_mul(a.x, s), md5_wide_mul(a.y, s), md5_wide_mul(a.z, s)};
}

MD5_WIDE_INLINE md5_wide vec3_dot(wide_vec3 a, wide_vec3 b)
{
    return md5_wide_add(md5_wide_add(md5_wide_mul(a.x, b.x), md5_wide_mul(a.y, b.y)),
                        md5_wide_mul(a.z, b.z));
}

MD5_WIDE_INLINE md5_wide vec3_length(wide_vec3 a)
{
    return md5_wide_sqrt(vec3_dot(a, a));
}

MD5_WIDE_INLINE wide_vec3 vec3_cross(wide_vec3 a, wide_vec3 b)
{
    return (wide_vec3){md5_wide_sub(md5_wide_mul(a.y, b.z), md5_wide_mul(a.z, b.y)),
                       md5_wide_sub(md5_wide_mul(a.z, b.x), md5_wide_mul(a.x, b.z)),
                       md5_wide_sub(md5_wide_mul(a.x, b.y), md5_wide_mul(a.y, b.x))};
}

MD5_WIDE_INLINE wide_vec3 vec3_select(md5_mask mask, wide_vec3 a, wide_vec3 b)
{
    return (wide_vec3){md5_wide_select(mask, a.x, b.x), md5_wide_select(mask, a.y, b.y),
                       md5_wide_select(mask, a.z, b.z)};
}

MD5_WIDE_INLINE wide_vec3 vec3_normalize(wide_vec3 a, wide_vec3 fallback)
{
    const md5_wide square = vec3_dot(a, a);
    const wide_vec3 unit = vec3_scale(a, md5_wide_div(md5_wide_all(1.0f), md5_wide_sqrt(square)));
    return vec3_select(md5_wide_greater(square, md5_wide_all(1e-30f)), unit, fallback);
}

MD5_WIDE_INLINE wide_vec3 vec3_beside(wide_vec3 v, wide_vec3 axis)
{
    return vec3_sub(v, vec3_scale(axis, vec3_dot(v, axis)));
}

// -- Rotations --------------------------------------------------------------------------------

MD5_WIDE_INLINE wide_vec3 axis_of(wide_quat q)
{
    return (wide_vec3){q.x, q.y, q.z};
}

MD5_WIDE_INLINE wide_quat quat_of(wide_vec3 xyz, md5_wide w)
{
    return (wide_quat){xyz.x, xyz.y, xyz.z, w};
}

MD5_WIDE_INLINE wide_quat quat_scale(wide_quat q, md5_wide s)
{
    return quat_of(vec3_scale(axis_of(q), s), md5_wide_mul(q.w, s));
}

MD5_WIDE_INLINE wide_quat quat_select(md5_mask mask, wide_quat a, wide_quat b)
{
    return quat_of(vec3_select(mask, axis_of(a), axis_of(b)), md5_wide_select(mask, a.w, b.w));
}

MD5_WIDE_INLINE md5_wide quat_dot(wide_quat a, wide_quat b)
{
    return md5_wide_add(vec3_dot(axis_of(a), axis_of(b)), md5_wide_mul(a.w, b.w));
}

// -0 - x is -x, also if x is a zero.
MD5_WIDE_INLINE wide_quat quat_conjugate(wide_quat q)
{
    const md5_wide none = md5_wide_all(-0.0f);
    return quat_of(vec3_sub((wide_vec3){none, none, none}, axis_of(q)), q.w);
}

// One component of a product: ((a b + c d) + e f) - g h.
MD5_WIDE_INLINE md5_wide product_part(md5_wide a, md5_wide b, md5_wide c, md5_wide d, md5_wide e,
                                      md5_wide f, md5_wide g, md5_wide h)
{
    const md5_wide two = md5_wide_add(md5_wide_mul(a, b), md5_wide_mul(c, d));
    return md5_wide_sub(md5_wide_add(two, md5_wide_mul(e, f)), md5_wide_mul(g, h));
}

MD5_WIDE_INLINE wide_quat quat_turn(wide_quat a, wide_quat b)
{
    md5_wide w = md5_wide_sub(md5_wide_mul(a.w, b.w), md5_wide_mul(a.x, b.x));
    w = md5_wide_sub(md5_wide_sub(w, md5_wide_mul(a.y, b.y)), md5_wide_mul(a.z, b.z));
    return (wide_quat){product_part(a.w, b.x, a.x, b.w, a.y, b.z, a.z, b.y),
                       product_part(a.w, b.y, a.y, b.w, a.z, b.x, a.x, b.z),
                       product_part(a.w, b.z, a.z, b.w, a.x, b.y, a.y, b.x), w};
}

MD5_WIDE_INLINE wide_vec3 quat_rotate(wide_quat q, wide_vec3 v)
{
    const wide_vec3 half = vec3_cross(axis_of(q), v);
    const wide_vec3 twice = vec3_add(half, half);
    return vec3_add(vec3_add(v, vec3_scale(twice, q.w)), vec3_cross(axis_of(q), twice));
}

// What brings a product of unit quaternions to unit length.
MD5_WIDE_INLINE md5_wide trim_scale(md5_wide square)
{
    return md5_wide_sub(md5_wide_all(1.5f), md5_wide_mul(md5_wide_all(0.5f), square));
}

MD5_WIDE_INLINE wide_quat quat_trim(wide_quat q)
{
    return quat_scale(q, trim_scale(quat_dot(q, q)));
}

// Whether a square is as near to 1 as `most`.
MD5_WIDE_INLINE void require_unit(md5_wide square, float most, md5_wide *sound)
{
    const md5_wide off = md5_wide_sub(square, md5_wide_all(1.0f));
    require(md5_wide_less(off, md5_wide_all(most)), sound);
    require(md5_wide_greater(off, md5_wide_all(-most)), sound);
}

// See md5_float4_about().
MD5_WIDE_INLINE wide_quat quat_about(wide_vec3 axis, md5_wide cosine, md5_wide sine)
{
    const md5_wide size =
        md5_wide_sqrt(md5_wide_add(md5_wide_mul(cosine, cosine), md5_wide_mul(sine, sine)));
    const md5_mask is_obtuse = md5_wide_less(cosine, md5_wide_all(0.0f));
    const md5_wide half_cosine = md5_wide_select(is_obtuse, sine, md5_wide_add(size, cosine));
    const md5_wide half_sine = md5_wide_select(is_obtuse, md5_wide_sub(size, cosine), sine);
    const md5_wide square =
        md5_wide_add(md5_wide_mul(half_cosine, half_cosine), md5_wide_mul(half_sine, half_sine));
    const md5_wide scale = md5_wide_div(md5_wide_all(1.0f), md5_wide_sqrt(square));
    const wide_quat turn =
        quat_of(vec3_scale(axis, md5_wide_mul(half_sine, scale)), md5_wide_mul(half_cosine, scale));
    return quat_select(md5_wide_greater(square, md5_wide_all(1e-30f)), turn, all_quat(MD5_NO_TURN));
}

// See md5_float4_between_at().
MD5_WIDE_INLINE wide_quat quat_between(wide_vec3 from, wide_vec3 to, md5_wide cosine,
                                       md5_wide *sound)
{
    const md5_wide half = md5_wide_all(0.5f);
    require(md5_wide_greater(cosine, md5_wide_all(MD5_FAR)), sound);
    const md5_wide half_cosine = md5_wide_sqrt(md5_wide_add(half, md5_wide_mul(half, cosine)));
    return quat_of(vec3_scale(vec3_cross(from, to), md5_wide_div(half, half_cosine)), half_cosine);
}

// -- Joints -----------------------------------------------------------------------------------

// See md5i_place_of().
MD5_WIDE_INLINE wide_place place_in_model(const md5_skeleton *skeleton, md5_xform *const *poses,
                                          uint32_t joint, md5_wide *sound)
{
    wide_place found;
    load_joint(poses, joint, &found.rotation, &found.place);
    for (int32_t above = skeleton->joints[joint].parent; above >= 0;
         above = skeleton->joints[above].parent) {
        wide_quat turn;
        wide_vec3 place;
        load_joint(poses, (uint32_t)above, &turn, &place);
        found.place = vec3_add(place, quat_rotate(turn, found.place));
        found.rotation = quat_turn(turn, found.rotation);
    }
    const md5_wide square = quat_dot(found.rotation, found.rotation);
    require_unit(square, 1e-4f, sound);
    found.rotation = quat_scale(found.rotation, trim_scale(square));
    return found;
}

// See md5_turn_joint(), with its whole share. Returns the new rotation.
MD5_WIDE_INLINE wide_quat turned_joint(wide_quat old, wide_quat turned, md5_wide *sound)
{
    const md5_wide square = quat_dot(turned, turned);
    require_unit(square, 0.01f, sound);
    const wide_quat to = quat_scale(turned, trim_scale(square));
    const md5_mask is_far = md5_wide_less(quat_dot(old, to), md5_wide_all(0.0f));
    return (wide_quat){md5_wide_flip(is_far, to.x), md5_wide_flip(is_far, to.y),
                       md5_wide_flip(is_far, to.z), md5_wide_flip(is_far, to.w)};
}

#endif
