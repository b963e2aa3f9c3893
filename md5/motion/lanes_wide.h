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

// Between -most and most.
MD5_WIDE_INLINE void require_within(md5_wide a, float most, md5_wide *sound)
{
    require(md5_wide_less(a, md5_wide_all(most)), sound);
    require(md5_wide_greater(a, md5_wide_all(-most)), sound);
}

// -- In and out -------------------------------------------------------------------------------

MD5_WIDE_INLINE void load_joint(md5_xform *const *poses, uint32_t joint, wide_quat *rotation,
                                wide_vec3 *place)
{
    const float *rotations[MD5_WIDTH], *translations[MD5_WIDTH];
    MD5_UNROLL
    MD5_FOR (i, MD5_WIDTH) {
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

MD5_WIDE_INLINE void store_rotation(md5_xform *const *poses, uint32_t joint, wide_quat q)
{
    float *rotations[MD5_WIDTH];
    MD5_UNROLL
    MD5_FOR (i, MD5_WIDTH)
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

MD5_WIDE_INLINE wide_vec3 vec3_reject(wide_vec3 v, wide_vec3 axis)
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
    for (uint32_t above = skeleton->joints[joint].parent; above != MD5_NONE;
         above = skeleton->joints[above].parent) {
        wide_quat turn;
        wide_vec3 place;
        load_joint(poses, above, &turn, &place);
        found.place = vec3_add(place, quat_rotate(turn, found.place));
        found.rotation = quat_turn(turn, found.rotation);
    }
    const md5_wide square = quat_dot(found.rotation, found.rotation);
    require_within(md5_wide_sub(square, md5_wide_all(1.0f)), 1e-4f, sound);
    found.rotation = quat_scale(found.rotation, trim_scale(square));
    return found;
}

// See md5_turn_joint(), with its whole share. Returns the new rotation.
MD5_WIDE_INLINE wide_quat turned_joint(wide_quat old, wide_quat turned, md5_wide *sound)
{
    const md5_wide square = quat_dot(turned, turned);
    require_within(md5_wide_sub(square, md5_wide_all(1.0f)), 0.01f, sound);
    const wide_quat to = quat_scale(turned, trim_scale(square));
    const md5_mask is_far = md5_wide_less(quat_dot(old, to), md5_wide_all(0.0f));
    return (wide_quat){md5_wide_flip(is_far, to.x), md5_wide_flip(is_far, to.y),
                       md5_wide_flip(is_far, to.z), md5_wide_flip(is_far, to.w)};
}

// == Limbs: limb.c says what each step is ========================================================

// The limbs as they are: shares of their reach, in the space of the hip.
typedef struct wide_limb {
    wide_quat hip, knee, foot; // relative to their parents
    wide_quat above_knee, above_foot, knee_in_hip;
    bool has_above_knee, has_above_foot;
    wide_quat from_model;
    wide_vec3 start, upper, lower;
    md5_wide reach, upper_length, lower_length;
} wide_limb;

// See place_below().
MD5_WIDE_INLINE bool place_below(const md5_limb_lanes *lanes, uint32_t joint, uint32_t above,
                                 wide_quat *own, wide_vec3 *place, wide_quat *rotation)
{
    const md5_joint *const list = lanes->skeleton->joints;
    const uint32_t parent = list[joint].parent;
    load_joint(lanes->poses, joint, own, place);
    for (uint32_t ancestor = parent; ancestor != above; ancestor = list[ancestor].parent) {
        wide_quat turn;
        wide_vec3 offset;
        load_joint(lanes->poses, ancestor, &turn, &offset);
        *place = vec3_add(quat_rotate(turn, *place), offset);
        *rotation = ancestor == parent ? turn : quat_trim(quat_turn(turn, *rotation));
    }
    return parent != above;
}

MD5_WIDE_INLINE wide_limb measure_limb(const md5_limb_lanes *lanes, md5_wide *sound)
{
    const md5_limb *const joints = lanes->joints;
    const md5_wide one = md5_wide_all(1.0f);
    wide_limb limb;
    limb.above_knee = limb.above_foot = all_quat(MD5_NO_TURN);
    const wide_place hip = place_in_model(lanes->skeleton, lanes->poses, joints->root, sound);
    wide_vec3 unused;
    load_joint(lanes->poses, joints->root, &limb.hip, &unused);
    limb.has_above_knee =
        place_below(lanes, joints->middle, joints->root, &limb.knee, &limb.upper, &limb.above_knee);
    limb.has_above_foot =
        place_below(lanes, joints->tip, joints->middle, &limb.foot, &limb.lower, &limb.above_foot);
    limb.from_model = quat_conjugate(hip.rotation);
    limb.start = hip.place;
    limb.knee_in_hip = limb.has_above_knee ? quat_turn(limb.above_knee, limb.knee) : limb.knee;
    const md5_wide upper = vec3_length(limb.upper), lower = vec3_length(limb.lower);
    limb.reach = md5_wide_add(upper, lower);
    require(md5_wide_less(limb.reach, md5_wide_all(MD5_FARTHEST)), sound);
    require(md5_wide_greater(limb.reach, md5_wide_all(1e-15f)), sound);
    const md5_wide share = md5_wide_div(one, limb.reach);
    limb.upper = vec3_scale(limb.upper, share);
    limb.lower = vec3_scale(quat_rotate(limb.knee_in_hip, limb.lower), share);
    limb.upper_length = md5_wide_mul(upper, share);
    limb.lower_length = md5_wide_mul(lower, share);
    return limb;
}

// See limb_plane in limb.c.
typedef struct wide_plane {
    wide_vec3 hinge;
    wide_quat turn;
    md5_wide x, y, lower_x;
} wide_plane;

MD5_WIDE_INLINE wide_plane select_plane(const md5_limb_lanes *lanes, const wide_limb *limb,
                                        wide_vec3 toward, md5_wide distance, md5_wide *sound)
{
    const md5_wide one = md5_wide_all(1.0f), nothing = md5_wide_all(MD5_NOTHING);
    const wide_vec3 line = vec3_add(limb->upper, limb->lower);
    const md5_wide span = vec3_length(line);
    const wide_vec3 old_along = vec3_scale(line, md5_wide_div(one, span));
    const wide_vec3 along = vec3_scale(toward, md5_wide_div(one, distance));
    const wide_vec3 beside = vec3_reject(limb->upper, old_along);
    const md5_wide bend = vec3_length(beside);
    require(md5_wide_greater(span, nothing), sound);
    require(md5_wide_greater(distance, nothing), sound);
    require(md5_wide_greater(bend, nothing), sound);
    const wide_vec3 old_side = vec3_scale(beside, md5_wide_div(one, bend));
    wide_plane plane = {.hinge = vec3_cross(old_along, old_side),
                        .turn = quat_between(old_along, along, vec3_dot(old_along, along), sound),
                        .x = vec3_dot(limb->upper, old_along),
                        .y = bend,
                        .lower_x = vec3_dot(limb->lower, old_along)};
    if (!lanes->has_poles)
        return plane;
    // Turns the planes towards the poles.
    const wide_vec3 to_pole =
        quat_rotate(limb->from_model, vec3_sub(load_vec3(&lanes->poles), limb->start));
    const wide_vec3 side = vec3_reject(to_pole, along);
    const md5_wide square = vec3_dot(side, side);
    const md5_wide smallest =
        md5_wide_mul(md5_wide_all(MD5_NOTHING * MD5_NOTHING), vec3_dot(to_pole, to_pole));
    md5_wide has = md5_wide_load(lanes->are_poled);
    require(md5_wide_greater(square, smallest), &has);
    require(md5_wide_greater(square, md5_wide_all(1e-30f)), &has);
    const wide_vec3 swung = quat_rotate(plane.turn, old_side);
    const wide_quat twist =
        quat_about(along, vec3_dot(swung, side), vec3_dot(vec3_cross(swung, side), along));
    plane.turn = quat_select(md5_wide_greater(has, md5_wide_all(0.0f)),
                             quat_turn(twist, plane.turn), plane.turn);
    return plane;
}

// A rotation in the plane: see flat_between().
typedef struct wide_flat {
    md5_wide cosine, sine;
} wide_flat;

MD5_WIDE_INLINE wide_flat flat_between(md5_wide old_x, md5_wide old_y, md5_wide x, md5_wide y)
{
    return (wide_flat){md5_wide_add(md5_wide_mul(old_x, x), md5_wide_mul(old_y, y)),
                       md5_wide_sub(md5_wide_mul(old_x, y), md5_wide_mul(old_y, x))};
}

MD5_WIDE_CODE uint32_t MD5_WIDE_NAME(md5i_bend_lanes)(md5_limb_lanes *lanes)
{
    const md5_limb *const joints = lanes->joints;
    const md5_wide one = md5_wide_all(1.0f), none = md5_wide_all(0.0f);
    const md5_wide negative = md5_wide_all(-0.0f);
    md5_wide sound = md5_wide_load(lanes->are_usual);
    const wide_limb limb = measure_limb(lanes, &sound);
    const wide_vec3 way = vec3_sub(load_vec3(&lanes->targets), limb.start);
    const wide_vec3 toward =
        vec3_scale(quat_rotate(limb.from_model, way), md5_wide_div(one, limb.reach));
    const md5_wide distance = md5_wide_div(vec3_length(way), limb.reach);
    require(md5_wide_less(distance, md5_wide_all(MD5_FARTHEST)), &sound);

    // The distance that the feet get, and the stretching of the limbs. A softened distance is
    // unusual.
    const md5_wide past = md5_wide_sub(distance, md5_wide_all(1.0f - lanes->soften));
    const md5_mask is_past = md5_wide_greater(past, none);
    if (lanes->soften > 0)
        sound = md5_wide_select(is_past, none, sound);
    const md5_wide softened = md5_wide_select(is_past, one, distance);
    const md5_wide slack = md5_wide_sub(limb.upper_length, limb.lower_length);
    const md5_wide folded =
        md5_wide_flip(md5_wide_less(slack, none), slack); // larger than 0, or compared
    const md5_wide bent = md5_wide_larger(softened, folded);
    const md5_wide needed =
        md5_wide_select(md5_wide_less(bent, distance), md5_wide_div(distance, bent), one);
    const md5_wide stretch = md5_wide_smaller(needed, md5_wide_all(lanes->most));
    const md5_wide goal = md5_wide_mul(bent, stretch);
    md5_wide_store(lanes->stretches, stretch);
    const wide_plane plane = select_plane(lanes, &limb, toward, distance, &sound);

    // The knees in the planes; the distance is not 0.
    const md5_wide upper_length = md5_wide_mul(limb.upper_length, stretch);
    const md5_wide lower_length = md5_wide_mul(limb.lower_length, stretch);
    const md5_wide both = md5_wide_add(upper_length, lower_length);
    const md5_wide difference = md5_wide_sub(upper_length, lower_length);
    const md5_wide outer = md5_wide_mul(md5_wide_sub(both, goal), md5_wide_add(both, goal));
    const md5_wide inner =
        md5_wide_mul(md5_wide_sub(goal, difference), md5_wide_add(goal, difference));
    const md5_wide half = md5_wide_div(md5_wide_all(0.5f), goal);
    const md5_wide height =
        md5_wide_mul(md5_wide_mul(md5_wide_sqrt(outer), md5_wide_sqrt(inner)), half);
    const md5_wide x =
        md5_wide_mul(md5_wide_add(md5_wide_mul(difference, both), md5_wide_mul(goal, goal)), half);
    const md5_wide y = md5_wide_keep(md5_wide_greater(outer, none),
                                     md5_wide_keep(md5_wide_greater(inner, none), height));
    const wide_flat upper = flat_between(plane.x, plane.y, x, y);
    const wide_flat lower = flat_between(plane.lower_x, md5_wide_sub(negative, plane.y),
                                         md5_wide_sub(goal, x), md5_wide_sub(negative, y));
    const wide_flat bend = flat_between(upper.cosine, upper.sine, lower.cosine, lower.sine);
    const wide_quat thigh =
        quat_turn(plane.turn, quat_about(plane.hinge, upper.cosine, upper.sine));
    const wide_quat new_knee =
        quat_turn(quat_about(plane.hinge, bend.cosine, bend.sine), limb.knee_in_hip);

    // The feet in the space of the hips as they were.
    const wide_quat old_shin =
        limb.has_above_foot ? quat_turn(limb.knee_in_hip, limb.above_foot) : limb.knee_in_hip;
    wide_quat own = quat_turn(old_shin, limb.foot);
    if (lanes->has_rotations) {
        const wide_quat unit = quat_of(load_vec3(&lanes->axes), md5_wide_load(lanes->cosines));
        own = quat_select(md5_wide_greater(md5_wide_load(lanes->are_turned), none),
                          quat_turn(limb.from_model, unit), own);
    }
    const wide_quat new_foot = quat_turn(quat_conjugate(quat_turn(thigh, new_knee)), own);
    const wide_quat knee =
        limb.has_above_knee ? quat_turn(quat_conjugate(limb.above_knee), new_knee) : new_knee;
    const wide_quat foot =
        limb.has_above_foot ? quat_turn(quat_conjugate(limb.above_foot), new_foot) : new_foot;

    // Turns the joints of the limbs that are sound.
    const wide_quat hip_turned = turned_joint(limb.hip, quat_turn(limb.hip, thigh), &sound);
    const wide_quat knee_turned = turned_joint(limb.knee, knee, &sound);
    const wide_quat foot_turned = turned_joint(limb.foot, foot, &sound);
    const md5_mask is_sound = md5_wide_greater(sound, none);
    store_rotation(lanes->poses, joints->root, quat_select(is_sound, hip_turned, limb.hip));
    store_rotation(lanes->poses, joints->middle, quat_select(is_sound, knee_turned, limb.knee));
    store_rotation(lanes->poses, joints->tip, quat_select(is_sound, foot_turned, limb.foot));
    return md5_wide_bits(is_sound);
}

// == Aim: aim.c says what each step is ===========================================================

// The tips and their targets.
typedef struct wide_view {
    const md5_aim_batch *batch;
    wide_vec3 target, eye;
    wide_quat rotation; // of the tip, model space
} wide_view;

MD5_WIDE_INLINE wide_vec3 from_axes(md5_axes axes, wide_vec3 v)
{
    if (axes == MD5_AXES_ID)
        return v;
    const md5_axes_map *const map = &md5i_axes_maps[axes];
    md5_wide to[3];
    to[map->from[0]] = md5_wide_mul(md5_wide_all(map->sign[0]), v.x);
    to[map->from[1]] = md5_wide_mul(md5_wide_all(map->sign[1]), v.y);
    to[map->from[2]] = md5_wide_mul(md5_wide_all(map->sign[2]), v.z);
    return (wide_vec3){to[0], to[1], to[2]};
}

// See set_upright(). A steep sight is unusual.
MD5_WIDE_INLINE wide_quat set_upright(const md5_aim_batch *batch, wide_vec3 along, wide_vec3 swung,
                                      wide_quat swing, md5_wide *sound)
{
    const md5_axes axes = batch->rule.axes;
    const wide_vec3 sight = from_axes(axes, along), up = from_axes(axes, swung);
    if (!batch->rule.stays_upright)
        return swing;
    const md5_wide slant =
        md5_wide_add(md5_wide_mul(sight.x, sight.x), md5_wide_mul(sight.y, sight.y));
    require(md5_wide_greater(slant, md5_wide_all(MD5_STEEP * MD5_STEEP)), sound);
    md5_wide sine = md5_wide_sub(md5_wide_mul(sight.x, up.y), md5_wide_mul(sight.y, up.x));
    if (md5_is_mirrored(axes))
        sine = md5_wide_sub(md5_wide_all(-0.0f), sine);
    const md5_wide cosine =
        md5_wide_sub(up.z, md5_wide_mul(md5_wide_all(batch->rule.up_along), sight.z));
    return quat_turn(quat_about(along, cosine, sine), swing);
}

// See find_turn() of aim.c, with the shorter arc.
MD5_WIDE_INLINE wide_quat find_turn(const wide_view *view, md5_wide *sound)
{
    const md5_aim_batch *const batch = view->batch;
    const md5_wide one = md5_wide_all(1.0f);
    const wide_vec3 forward = quat_rotate(view->rotation, all_vec3(batch->rule.forward));
    const wide_vec3 up = quat_rotate(view->rotation, all_vec3(batch->rule.up));
    const wide_vec3 sight = vec3_normalize(vec3_sub(view->target, view->eye), forward);
    const md5_wide cosine = vec3_dot(forward, sight);
    const wide_quat swing = quat_between(forward, sight, cosine, sound);
    const wide_vec3 both = vec3_add(forward, sight);
    const md5_wide k = md5_wide_div(vec3_dot(up, both), md5_wide_add(one, cosine));
    const wide_vec3 swung = vec3_add(vec3_sub(up, vec3_scale(both, k)),
                                     vec3_scale(sight, md5_wide_all(2.0f * batch->rule.up_along)));
    const wide_quat turn = set_upright(batch, sight, swung, swing, sound);
    const md5_mask is_far = md5_wide_less(turn.w, md5_wide_all(0.0f));
    return quat_scale(turn, md5_wide_select(is_far, md5_wide_all(-1.0f), one));
}

MD5_WIDE_INLINE wide_quat limit_turn(const md5_aim_batch *batch, wide_quat turn)
{
    if (!batch->rule.is_limited)
        return turn;
    const md5_wide none = md5_wide_all(0.0f), most = md5_wide_all(batch->rule.max_cosine);
    const wide_vec3 axis =
        vec3_normalize(axis_of(turn), (wide_vec3){none, none, md5_wide_all(1.0f)});
    const wide_quat limited = quat_of(vec3_scale(axis, md5_wide_all(batch->rule.max_sine)), most);
    return quat_select(md5_wide_less(turn.w, most), limited, turn);
}

// See equal_part(); `count` is a power of two.
MD5_WIDE_INLINE wide_quat equal_part(wide_quat turn, uint32_t count)
{
    const md5_wide one = md5_wide_all(1.0f);
    for (; count > 1; count /= 2) {
        const md5_wide w = md5_wide_add(one, turn.w);
        turn = quat_scale(quat_of(axis_of(turn), w),
                          md5_wide_div(one, md5_wide_sqrt(md5_wide_add(w, w))));
    }
    return turn;
}

// The chains as they are; see md5i_find_chain().
typedef struct wide_chain {
    wide_quat above;
    wide_vec3 places[MD5_AIM_JOINTS];
    wide_quat rotations[MD5_AIM_JOINTS]; // model space
    wide_quat locals[MD5_AIM_JOINTS];
} wide_chain;

MD5_WIDE_INLINE void find_chain(const md5_aim_batch *batch, wide_chain *chain, md5_wide *sound)
{
    const uint32_t parent = batch->skeleton->joints[batch->joints[0]].parent;
    wide_place above = {all_quat(MD5_NO_TURN), all_vec3((md5_vec3){0, 0, 0})};
    if (parent != MD5_NONE)
        above = place_in_model(batch->skeleton, batch->poses, parent, sound);
    chain->above = above.rotation;
    wide_quat product = above.rotation, rotation = product;
    wide_vec3 place = above.place;
    MD5_FOR (i, batch->count) {
        wide_vec3 offset;
        load_joint(batch->poses, batch->joints[i], &chain->locals[i], &offset);
        place = vec3_add(place, quat_rotate(rotation, offset));
        product = quat_turn(product, chain->locals[i]);
        rotation = quat_trim(product);
        chain->places[i] = place;
        chain->rotations[i] = rotation;
        require_within(place.x, MD5_FARTHEST, sound);
        require_within(place.y, MD5_FARTHEST, sound);
        require_within(place.z, MD5_FARTHEST, sound);
    }
}

MD5_WIDE_CODE uint32_t MD5_WIDE_NAME(md5i_turn_lanes)(const md5_aim_batch *batch)
{
    md5_wide sound = md5_wide_load(batch->are_usual);
    wide_chain chain;
    wide_quat turned[MD5_AIM_JOINTS];
    find_chain(batch, &chain, &sound);
    wide_view view = {.batch = batch,
                      .target = load_vec3(&batch->targets),
                      .eye = chain.places[batch->count - 1],
                      .rotation = chain.rotations[batch->count - 1]};
    // See md5_solve_aim(). Rotations in model space.
    const uint32_t last = batch->count - 1;
    if (last > 0) {
        const wide_quat turn =
            limit_turn(batch, equal_part(find_turn(&view, &sound), batch->count));
        wide_quat so_far = turn;
        wide_vec3 old = chain.places[0], place = old;
        MD5_FOR (i, last) {
            if (i > 0)
                so_far = quat_trim(quat_turn(turn, so_far));
            turned[i] = quat_turn(so_far, chain.rotations[i]);
            const wide_vec3 next = chain.places[i + 1];
            place = vec3_add(place, quat_rotate(so_far, vec3_sub(next, old)));
            old = next;
        }
        view.eye = place;
        view.rotation = quat_turn(so_far, view.rotation);
    }
    const wide_quat rest = limit_turn(batch, find_turn(&view, &sound));
    turned[last] = quat_turn(rest, view.rotation);
    wide_quat above = chain.above;
    MD5_FOR (i, batch->count) {
        const wide_quat now = turned[i];
        turned[i] = turned_joint(chain.locals[i], quat_turn(quat_conjugate(above), now), &sound);
        above = now;
    }
    const md5_mask is_sound = md5_wide_greater(sound, md5_wide_all(0.0f));
    MD5_FOR (i, batch->count)
        store_rotation(batch->poses, batch->joints[i],
                       quat_select(is_sound, turned[i], chain.locals[i]));
    return md5_wide_bits(is_sound);
}

#endif
