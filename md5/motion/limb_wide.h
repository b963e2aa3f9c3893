// Arms and legs of several characters, one in each lane: limb.c says what each step is. A file
// defines an instruction set and includes this.
#ifndef MD5_IK_LIMB_WIDE_H
#define MD5_IK_LIMB_WIDE_H

#include "md5/motion/lanes_wide.h"

// The limbs as they are: shares of their reach, in the space of the hip.
typedef struct wide_limb {
    wide_quat hip, knee, foot; // relative to their parents
    wide_quat above_knee, above_foot, knee_in_hip;
    bool has_above_knee, has_above_foot;
    wide_quat to_model, from_model;
    wide_vec3 start, upper, lower;
    md5_wide reach, upper_length, lower_length;
} wide_limb;

// See place_below().
MD5_WIDE_INLINE bool place_below(const md5_limb_lanes *lanes, uint32_t joint, uint32_t above,
                                 wide_quat *own, wide_vec3 *place, wide_quat *rotation)
{
    const md5_joint *const list = lanes->skeleton->joints;
    const uint32_t parent = (uint32_t)list[joint].parent;
    load_joint(lanes->poses, joint, own, place);
    for (uint32_t at = parent; at != above; at = (uint32_t)list[at].parent) {
        wide_quat turn;
        wide_vec3 offset;
        load_joint(lanes->poses, at, &turn, &offset);
        *place = vec3_add(quat_rotate(turn, *place), offset);
        *rotation = at == parent ? turn : quat_trim(quat_turn(turn, *rotation));
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
    limb.hip = load_rotation(lanes->poses, joints->root);
    limb.has_above_knee =
        place_below(lanes, joints->middle, joints->root, &limb.knee, &limb.upper, &limb.above_knee);
    limb.has_above_foot =
        place_below(lanes, joints->tip, joints->middle, &limb.foot, &limb.lower, &limb.above_foot);
    limb.to_model = hip.rotation;
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

// The distance of the foot, and the stretching of the limb: see choose_goal(). A softened distance
// is unusual.
MD5_WIDE_INLINE md5_wide choose_goal(const md5_limb_lanes *lanes, const wide_limb *limb,
                                     md5_wide distance, md5_wide *stretch, md5_wide *sound)
{
    const md5_wide one = md5_wide_all(1.0f), none = md5_wide_all(0.0f);
    const md5_wide past = md5_wide_sub(distance, md5_wide_all(1.0f - lanes->soften));
    const md5_mask is_past = md5_wide_greater(past, none);
    if (lanes->soften > 0.0f)
        *sound = md5_wide_select(is_past, none, *sound);
    const md5_wide softened = md5_wide_select(is_past, one, distance);
    const md5_wide difference = md5_wide_sub(limb->upper_length, limb->lower_length);
    const md5_wide folded =
        md5_wide_flip(md5_wide_less(difference, none), difference); // larger than 0, or compared
    const md5_wide bent = md5_wide_larger(softened, folded);
    const md5_wide needed =
        md5_wide_select(md5_wide_less(bent, distance), md5_wide_div(distance, bent), one);
    *stretch = md5_wide_smaller(needed, md5_wide_all(lanes->most));
    return md5_wide_mul(bent, *stretch);
}

// See limb_plane in limb.c.
typedef struct wide_plane {
    wide_vec3 hinge;
    wide_quat turn;
    md5_wide x, y, lower_x;
} wide_plane;

// Turns the planes towards the poles.
MD5_WIDE_INLINE wide_quat turn_to_poles(const md5_limb_lanes *lanes, const wide_limb *limb,
                                        wide_vec3 along, wide_vec3 old_side, wide_quat turn)
{
    const wide_vec3 way = vec3_sub(load_vec3(&lanes->poles), limb->start);
    const wide_vec3 toward = quat_rotate(limb->from_model, way);
    const wide_vec3 side = vec3_beside(toward, along);
    const md5_wide square = vec3_dot(side, side);
    const md5_wide smallest =
        md5_wide_mul(md5_wide_all(MD5_NOTHING * MD5_NOTHING), vec3_dot(toward, toward));
    md5_wide has = md5_wide_load(lanes->are_poled);
    require(md5_wide_greater(square, smallest), &has);
    require(md5_wide_greater(square, md5_wide_all(1e-30f)), &has);
    const wide_vec3 swung = quat_rotate(turn, old_side);
    const wide_quat twist =
        quat_about(along, vec3_dot(swung, side), vec3_dot(vec3_cross(swung, side), along));
    return quat_select(md5_wide_greater(has, md5_wide_all(0.0f)), quat_turn(twist, turn), turn);
}

MD5_WIDE_INLINE wide_plane choose_plane(const md5_limb_lanes *lanes, const wide_limb *limb,
                                        wide_vec3 toward, md5_wide distance, md5_wide *sound)
{
    const md5_wide one = md5_wide_all(1.0f), nothing = md5_wide_all(MD5_NOTHING);
    const wide_vec3 line = vec3_add(limb->upper, limb->lower);
    const md5_wide span = vec3_length(line);
    const wide_vec3 old_along = vec3_scale(line, md5_wide_div(one, span));
    const wide_vec3 along = vec3_scale(toward, md5_wide_div(one, distance));
    const wide_vec3 beside = vec3_beside(limb->upper, old_along);
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
    if (lanes->has_poles)
        plane.turn = turn_to_poles(lanes, limb, along, old_side, plane.turn);
    return plane;
}

// See place_knee(); the distance is not 0.
MD5_WIDE_INLINE void place_knee(const wide_limb *limb, md5_wide distance, md5_wide stretch,
                                md5_wide *x, md5_wide *y)
{
    const md5_wide none = md5_wide_all(0.0f);
    const md5_wide upper = md5_wide_mul(limb->upper_length, stretch);
    const md5_wide lower = md5_wide_mul(limb->lower_length, stretch);
    const md5_wide both = md5_wide_add(upper, lower), difference = md5_wide_sub(upper, lower);
    const md5_wide outer = md5_wide_mul(md5_wide_sub(both, distance), md5_wide_add(both, distance));
    const md5_wide inner =
        md5_wide_mul(md5_wide_sub(distance, difference), md5_wide_add(distance, difference));
    const md5_wide half = md5_wide_div(md5_wide_all(0.5f), distance);
    const md5_wide height =
        md5_wide_mul(md5_wide_mul(md5_wide_sqrt(outer), md5_wide_sqrt(inner)), half);
    *x = md5_wide_mul(
        md5_wide_add(md5_wide_mul(difference, both), md5_wide_mul(distance, distance)), half);
    *y = md5_wide_keep(md5_wide_greater(outer, none),
                       md5_wide_keep(md5_wide_greater(inner, none), height));
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

typedef struct wide_turns {
    wide_quat thigh, knee;
} wide_turns;

MD5_WIDE_INLINE wide_turns find_turns(const wide_limb *limb, const wide_plane *plane,
                                      md5_wide distance, md5_wide stretch)
{
    const md5_wide none = md5_wide_all(-0.0f);
    md5_wide x, y;
    place_knee(limb, distance, stretch, &x, &y);
    const wide_flat upper = flat_between(plane->x, plane->y, x, y);
    const wide_flat lower = flat_between(plane->lower_x, md5_wide_sub(none, plane->y),
                                         md5_wide_sub(distance, x), md5_wide_sub(none, y));
    const wide_flat bend = flat_between(upper.cosine, upper.sine, lower.cosine, lower.sine);
    return (wide_turns){quat_turn(plane->turn, quat_about(plane->hinge, upper.cosine, upper.sine)),
                        quat_about(plane->hinge, bend.cosine, bend.sine)};
}

MD5_WIDE_INLINE wide_quat turned_foot(const md5_limb_lanes *lanes, const wide_limb *limb)
{
    const wide_quat shin =
        limb->has_above_foot ? quat_turn(limb->knee_in_hip, limb->above_foot) : limb->knee_in_hip;
    const wide_quat own = quat_turn(shin, limb->foot);
    if (!lanes->has_rotations)
        return own;
    const wide_quat unit = quat_of(load_vec3(&lanes->axes), md5_wide_load(lanes->cosines));
    return quat_select(md5_wide_greater(md5_wide_load(lanes->are_turned), md5_wide_all(0.0f)),
                       quat_turn(limb->from_model, unit), own);
}

// Turns the joints of the limbs that are sound.
MD5_WIDE_INLINE uint32_t turn_limb(const md5_limb_lanes *lanes, const wide_limb *limb,
                                   const wide_turns *turns, md5_wide sound)
{
    const md5_limb *const joints = lanes->joints;
    const wide_quat new_knee = quat_turn(turns->knee, limb->knee_in_hip);
    const wide_quat shin = quat_turn(turns->thigh, new_knee);
    const wide_quat new_foot = quat_turn(quat_conjugate(shin), turned_foot(lanes, limb));
    const wide_quat knee =
        limb->has_above_knee ? quat_turn(quat_conjugate(limb->above_knee), new_knee) : new_knee;
    const wide_quat foot =
        limb->has_above_foot ? quat_turn(quat_conjugate(limb->above_foot), new_foot) : new_foot;
    const wide_quat hip_turned =
        turned_joint(limb->hip, quat_turn(limb->hip, turns->thigh), &sound);
    const wide_quat knee_turned = turned_joint(limb->knee, knee, &sound);
    const wide_quat foot_turned = turned_joint(limb->foot, foot, &sound);
    const md5_mask is_sound = md5_wide_greater(sound, md5_wide_all(0.0f));
    store_rotation(lanes->poses, joints->root, quat_select(is_sound, hip_turned, limb->hip));
    store_rotation(lanes->poses, joints->middle, quat_select(is_sound, knee_turned, limb->knee));
    store_rotation(lanes->poses, joints->tip, quat_select(is_sound, foot_turned, limb->foot));
    return md5_wide_bits(is_sound);
}

MD5_WIDE_CODE uint32_t MD5_WIDE_NAME(md5i_bend_lanes)(md5_limb_lanes *lanes)
{
    md5_wide sound = md5_wide_load(lanes->are_usual), stretch;
    const wide_limb limb = measure_limb(lanes, &sound);
    const wide_vec3 way = vec3_sub(load_vec3(&lanes->targets), limb.start);
    const wide_vec3 toward =
        vec3_scale(quat_rotate(limb.from_model, way), md5_wide_div(md5_wide_all(1.0f), limb.reach));
    const md5_wide distance = md5_wide_div(vec3_length(way), limb.reach);
    require(md5_wide_less(distance, md5_wide_all(MD5_FARTHEST)), &sound);
    const md5_wide goal = choose_goal(lanes, &limb, distance, &stretch, &sound);
    const wide_plane plane = choose_plane(lanes, &limb, toward, distance, &sound);
    const wide_turns turns = find_turns(&limb, &plane, goal, stretch);
    md5_wide_store(lanes->stretches, stretch);
    return turn_limb(lanes, &limb, &turns, sound);
}

#endif
