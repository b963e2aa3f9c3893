// Chains of several characters that point at targets, one character in each lane: aim.c says what
// each step is. A file defines an instruction set and includes this.
#ifndef MD5_IK_AIM_WIDE_H
#define MD5_IK_AIM_WIDE_H

#include "md5/core/axes.h"
#include "md5/motion/lanes_wide.h"

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
    const md5_axes axes = batch->skeleton->axes;
    const wide_vec3 sight = from_axes(axes, along), up = from_axes(axes, swung);
    if (!batch->stays_upright)
        return swing;
    const md5_wide slant =
        md5_wide_add(md5_wide_mul(sight.x, sight.x), md5_wide_mul(sight.y, sight.y));
    require(md5_wide_greater(slant, md5_wide_all(MD5_STEEP * MD5_STEEP)), sound);
    md5_wide sine = md5_wide_sub(md5_wide_mul(sight.x, up.y), md5_wide_mul(sight.y, up.x));
    if (md5_is_mirrored(axes))
        sine = md5_wide_sub(md5_wide_all(-0.0f), sine);
    const md5_wide cosine =
        md5_wide_sub(up.z, md5_wide_mul(md5_wide_all(batch->up_along), sight.z));
    return quat_turn(quat_about(along, cosine, sine), swing);
}

// See find_turn() of aim.c, with the shorter arc.
MD5_WIDE_INLINE wide_quat find_turn(const wide_view *view, md5_wide *sound)
{
    const md5_aim_batch *const batch = view->batch;
    const md5_wide one = md5_wide_all(1.0f);
    const wide_vec3 forward = quat_rotate(view->rotation, all_vec3(batch->forward));
    const wide_vec3 up = quat_rotate(view->rotation, all_vec3(batch->up));
    const wide_vec3 sight = vec3_normalize(vec3_sub(view->target, view->eye), forward);
    const md5_wide cosine = vec3_dot(forward, sight);
    const wide_quat swing = quat_between(forward, sight, cosine, sound);
    const wide_vec3 both = vec3_add(forward, sight);
    const md5_wide k = md5_wide_div(vec3_dot(up, both), md5_wide_add(one, cosine));
    const wide_vec3 swung = vec3_add(vec3_sub(up, vec3_scale(both, k)),
                                     vec3_scale(sight, md5_wide_all(2.0f * batch->up_along)));
    const wide_quat turn = set_upright(batch, sight, swung, swing, sound);
    const md5_mask is_far = md5_wide_less(turn.w, md5_wide_all(0.0f));
    return quat_scale(turn, md5_wide_select(is_far, md5_wide_all(-1.0f), one));
}

MD5_WIDE_INLINE wide_quat limit_turn(const md5_aim_batch *batch, wide_quat turn)
{
    if (!batch->is_limited)
        return turn;
    const md5_wide none = md5_wide_all(0.0f), most = md5_wide_all(batch->most_cosine);
    const wide_vec3 axis =
        vec3_normalize(axis_of(turn), (wide_vec3){none, none, md5_wide_all(1.0f)});
    const wide_quat limited = quat_of(vec3_scale(axis, md5_wide_all(batch->most_sine)), most);
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

MD5_WIDE_INLINE void require_place(wide_vec3 place, md5_wide *sound)
{
    const md5_wide high = md5_wide_all(MD5_FARTHEST), low = md5_wide_all(-MD5_FARTHEST);
    require(md5_wide_less(place.x, high), sound);
    require(md5_wide_less(place.y, high), sound);
    require(md5_wide_less(place.z, high), sound);
    require(md5_wide_greater(place.x, low), sound);
    require(md5_wide_greater(place.y, low), sound);
    require(md5_wide_greater(place.z, low), sound);
}

MD5_WIDE_INLINE void find_chain(const md5_aim_batch *batch, wide_chain *chain, md5_wide *sound)
{
    const int32_t parent = batch->skeleton->joints[batch->joints[0]].parent;
    wide_place above = {all_quat(MD5_NO_TURN), all_vec3((md5_vec3){0.0f, 0.0f, 0.0f})};
    if (parent >= 0)
        above = place_in_model(batch->skeleton, batch->poses, (uint32_t)parent, sound);
    chain->above = above.rotation;
    wide_quat product = above.rotation, rotation = product;
    wide_vec3 place = above.place;
    for (uint32_t i = 0; i < batch->count; i++) {
        wide_vec3 offset;
        load_joint(batch->poses, batch->joints[i], &chain->locals[i], &offset);
        place = vec3_add(place, quat_rotate(rotation, offset));
        product = quat_turn(product, chain->locals[i]);
        rotation = quat_trim(product);
        chain->places[i] = place;
        chain->rotations[i] = rotation;
        require_place(place, sound);
    }
}

// See turn_joints(). Writes model-space rotations.
MD5_WIDE_INLINE void turn_joints(const wide_chain *chain, wide_view *view, wide_quat *turned,
                                 md5_wide *sound)
{
    const md5_aim_batch *const batch = view->batch;
    const uint32_t last = batch->count - 1;
    if (last > 0) {
        const wide_quat turn = limit_turn(batch, equal_part(find_turn(view, sound), batch->count));
        wide_quat so_far = turn;
        wide_vec3 old = chain->places[0], place = old;
        for (uint32_t i = 0; i < last; i++) {
            if (i > 0)
                so_far = quat_trim(quat_turn(turn, so_far));
            turned[i] = quat_turn(so_far, chain->rotations[i]);
            const wide_vec3 next = chain->places[i + 1];
            place = vec3_add(place, quat_rotate(so_far, vec3_sub(next, old)));
            old = next;
        }
        view->eye = place;
        view->rotation = quat_turn(so_far, view->rotation);
    }
    const wide_quat rest = limit_turn(batch, find_turn(view, sound));
    turned[last] = quat_turn(rest, view->rotation);
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
    turn_joints(&chain, &view, turned, &sound);
    wide_quat above = chain.above;
    for (uint32_t i = 0; i < batch->count; i++) {
        const wide_quat now = turned[i];
        turned[i] = turned_joint(chain.locals[i], quat_turn(quat_conjugate(above), now), &sound);
        above = now;
    }
    const md5_mask is_sound = md5_wide_greater(sound, md5_wide_all(0.0f));
    for (uint32_t i = 0; i < batch->count; i++)
        store_rotation(batch->poses, batch->joints[i],
                       quat_select(is_sound, turned[i], chain.locals[i]));
    return md5_wide_bits(is_sound);
}

#endif
