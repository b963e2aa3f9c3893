// A chain of joints that looks at a point.
//
// All joints but the last take an equal part of the turn that the last one, the tip, needs. It
// takes what is left when they have moved it, which is such a part as well, but for what its way
// changes.
#include "md5/play/space.h"

#define PI 3.14159265f

// Nearer to the vertical than this sine, the wish to be upright fades.
#define STEEP 0.1f

// The tip, and what it is to look at.
typedef struct aim_view {
    md5_vec3 target, forward, up; // the last two in the tip's space
    md5_vec3 eye;                 // place of the tip
    md5_quat rotation;            // of the tip, model space
} aim_view;

// Turns about the direction of sight after `swing`, so that `up` leans neither left nor right of
// the vertical z: cosine and sine are those between the parts of both at right angles to it.
static md5_quat set_upright(md5_vec3 sight, md5_vec3 up, md5_quat swing)
{
    const float up_along = md5_vec3_dot(up, sight);
    const float slant = sight.x * sight.x + sight.y * sight.y; // squared sine to the vertical
    if (!(1.0f - up_along * up_along > 1e-6f && slant > 1e-8f))
        return swing;
    const md5_quat turn =
        md5_quat_about(sight, up.z - up_along * sight.z, sight.x * up.y - sight.y * up.x);
    if (slant < STEEP * STEEP)
        return md5_quat_mul(md5_slerp(MD5_NO_TURN, turn, sqrtf(slant) / STEEP), swing);
    return md5_quat_mul(turn, swing);
}

// The whole turn that the tip needs.
static md5_quat wanted_turn(const aim_view *view)
{
    const md5_vec3 toward = md5_vec3_sub(view->target, view->eye);
    const md5_vec3 forward = md5_quat_rotate(view->rotation, view->forward);
    const md5_vec3 sight = md5_vec3_normalize(toward, forward);
    const md5_quat swing = md5_quat_between(forward, sight);
    const md5_vec3 up = md5_quat_rotate(swing, md5_quat_rotate(view->rotation, view->up));
    return set_upright(sight, up, swing);
}

// How far each joint may turn.
typedef struct aim_limit {
    bool is_limited;
    md5_quat most; // sine and cosine of half of the limit, in x and w
} aim_limit;

static aim_limit limit_of(float limit)
{
    // Slerp from no turn to a half turn gives sine and cosine of any part of it.
    const md5_quat half_turn = {1.0f, 0.0f, 0.0f, 0.0f};
    aim_limit made = {.is_limited = limit > 0.0f && limit < PI};
    if (made.is_limited)
        made.most = md5_slerp(MD5_NO_TURN, half_turn, limit / PI);
    return made;
}

// The same turn the shorter way, so that w >= 0.
static md5_quat shorter_way(md5_quat turn)
{
    const float sign = turn.w < 0.0f ? -1.0f : 1.0f;
    return (md5_quat){turn.x * sign, turn.y * sign, turn.z * sign, turn.w * sign};
}

// By no more than the limit.
static void limit_turn(md5_quat *turn, const aim_limit *limit)
{
    const md5_quat most = limit->most;
    if (!limit->is_limited || turn->w >= most.w)
        return;
    const md5_vec3 axis =
        md5_vec3_normalize((md5_vec3){turn->x, turn->y, turn->z}, (md5_vec3){0.0f, 0.0f, 1.0f});
    *turn = (md5_quat){axis.x * most.x, axis.y * most.x, axis.z * most.x, most.w};
}

// One of `count` equal parts. Half of a turn lies in the middle between it and none.
static md5_quat equal_part(md5_quat turn, uint32_t count)
{
    for (; count % 2 == 0; count /= 2) {
        turn.w += 1.0f;
        turn = md5_quat_unit(turn, MD5_NO_TURN);
    }
    return count == 1 ? turn : md5_slerp(MD5_NO_TURN, turn, 1.0f / (float)count);
}

static void turn_joints(const md5_chain *chain, aim_view *view, float limit, md5_quat *turned)
{
    const aim_limit most = limit_of(limit);
    const uint32_t last = chain->count - 1;
    if (last > 0) {
        md5_quat turn = equal_part(shorter_way(wanted_turn(view)), chain->count);
        limit_turn(&turn, &most);
        md5_quat so_far = MD5_NO_TURN;
        md5_vec3 place = chain->places[0];
        for (uint32_t i = 0; i < last; i++) {
            so_far = md5_quat_trim(md5_quat_mul(turn, so_far));
            turned[i] = md5_quat_mul(so_far, chain->rotations[i]);
            const md5_vec3 bone = md5_vec3_sub(chain->places[i + 1], chain->places[i]);
            place = md5_vec3_add(place, md5_quat_rotate(so_far, bone));
        }
        view->eye = place;
        view->rotation = md5_quat_mul(so_far, view->rotation);
    }
    md5_quat rest = shorter_way(wanted_turn(view));
    limit_turn(&rest, &most);
    turned[last] = md5_quat_mul(rest, view->rotation);
}

bool md5_aim(const md5_skeleton *skeleton, md5_transform *pose, const md5_aim_job *job)
{
    if (job->tip >= skeleton->num_joints || job->length == 0)
        return false;
    md5_chain chain;
    if (!(job->weight > 0.0f) || !md5_is_place(job->target)
        || !md5_find_chain(skeleton, pose, job->tip, job->length, &chain))
        return true;
    const md5_vec3 x = {1.0f, 0.0f, 0.0f}, z = {0.0f, 0.0f, 1.0f};
    aim_view view = {
        .target = job->target,
        .forward = md5_is_place(job->forward) ? md5_vec3_normalize(job->forward, x) : x,
        .up = md5_is_place(job->up) ? md5_vec3_normalize(job->up, z) : z,
        .eye = chain.places[chain.count - 1],
        .rotation = chain.rotations[chain.count - 1],
    };
    md5_quat turned[MD5_MAX_CHAIN];
    turn_joints(&chain, &view, job->limit, turned);
    md5_turn_chain(&chain, turned, job->weight, pose);
    return true;
}
