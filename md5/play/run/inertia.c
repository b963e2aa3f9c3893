#include "md5/play/run/inertia.h"

#include "md5/core/math.h"

// Below this, a step says nothing about a velocity but rounding.
#define SHORTEST_STEP 1e-5f

// Of the shorter way round, so that its length is at most 1.
static md5_vec3 turn_of(md5_quat q)
{
    const float sign = q.w < 0.0f ? -1.0f : 1.0f;
    return md5_vec3_scale((md5_vec3){q.x, q.y, q.z}, sign / (1.0f + sign * q.w));
}

static md5_quat quat_of(md5_vec3 turn)
{
    const float square = md5_vec3_dot(turn, turn);
    const float scale = 1.0f / (1.0f + square);
    const md5_vec3 axis = md5_vec3_scale(turn, 2.0f * scale);
    return (md5_quat){axis.x, axis.y, axis.z, (1.0f - square) * scale};
}

static md5_vec3 turn_between(md5_quat to, md5_quat from)
{
    return turn_of(md5_quat_mul(from, md5_quat_conjugate(to)));
}

// The same rotation has another turn, the long way round: `turn` as its nearest to `other`.
static md5_vec3 nearest_turn(md5_vec3 turn, md5_vec3 other)
{
    const float square = md5_vec3_dot(turn, turn);
    if (square < 0.25f || md5_vec3_dot(turn, other) >= 0.0f)
        return turn;
    return md5_vec3_scale(turn, -1.0f / square);
}

void md5_make_offsets(const md5_transform *from, const md5_transform *from_before,
                      const md5_transform *to, const md5_transform *to_before, float seconds,
                      uint32_t num_joints, md5_offset *offsets)
{
    const float rate = seconds > SHORTEST_STEP ? 1.0f / seconds : 0.0f;
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_vec3 turn = turn_between(to[i].rotation, from[i].rotation);
        const md5_vec3 turn_before =
            nearest_turn(turn_between(to_before[i].rotation, from_before[i].rotation), turn);
        const md5_vec3 move = md5_vec3_sub(from[i].translation, to[i].translation);
        const md5_vec3 move_before =
            md5_vec3_sub(from_before[i].translation, to_before[i].translation);
        offsets[i] = (md5_offset){
            .turn = turn,
            .turn_velocity = md5_vec3_scale(md5_vec3_sub(turn, turn_before), rate),
            .move = move,
            .move_velocity = md5_vec3_scale(md5_vec3_sub(move, move_before), rate),
        };
    }
}

// A quintic Hermite from place and velocity, without acceleration, to rest at 0.
typedef struct decay {
    float place, velocity;
} decay;

static decay decay_at(float elapsed, float duration)
{
    if (!(elapsed < duration))
        return (decay){0.0f, 0.0f};
    const float s = elapsed > 0.0f ? elapsed / duration : 0.0f;
    const float cube = s * s * s;
    return (decay){
        .place = 1.0f - cube * (10.0f - s * (15.0f - 6.0f * s)),
        .velocity = duration * (s - cube * (6.0f - s * (8.0f - 3.0f * s))),
    };
}

void md5_add_offsets(const md5_offset *offsets, float elapsed, float duration, uint32_t num_joints,
                     md5_transform *pose)
{
    const decay left = decay_at(elapsed, duration);
    if (left.place == 0.0f && left.velocity == 0.0f)
        return;
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_offset *const offset = &offsets[i];
        const md5_vec3 turn = md5_vec3_add(md5_vec3_scale(offset->turn, left.place),
                                           md5_vec3_scale(offset->turn_velocity, left.velocity));
        const md5_vec3 move = md5_vec3_add(md5_vec3_scale(offset->move, left.place),
                                           md5_vec3_scale(offset->move_velocity, left.velocity));
        pose[i].rotation = md5_quat_mul(quat_of(turn), pose[i].rotation);
        pose[i].translation = md5_vec3_add(pose[i].translation, move);
    }
}
