// A chain of joints that looks at a point.
//
// From the top down, each joint takes an equal part of the turn that is still wanted, counted from
// where the tip has come to by then; so the last one, which is the tip, ends it exactly.
#include "md5/play/space.h"

#define PI 3.14159265f

// Nearer to the vertical than this sine, the wish to be upright fades.
#define STEEP 0.1f

// The tip while the joints above it turn.
typedef struct aim_view {
    md5_vec3 target, forward, up; // the last two in the tip's space
    md5_vec3 eye;                 // place of the tip
    md5_quat rotation;            // of the tip, model space
} aim_view;

// Turns about the direction of sight, so that `up` leans neither left nor right of the vertical.
static md5_quat upright(md5_vec3 sight, md5_vec3 up)
{
    const md5_vec3 vertical = {0.0f, 0.0f, 1.0f};
    const md5_vec3 from = md5_vec3_beside(up, sight), to = md5_vec3_beside(vertical, sight);
    const float length = md5_vec3_length(from), sine = md5_vec3_length(to);
    if (!(length > 1e-4f && sine > 1e-4f))
        return MD5_NO_TURN;
    const md5_vec3 from_way = md5_vec3_scale(from, 1.0f / length);
    const md5_vec3 to_way = md5_vec3_scale(to, 1.0f / sine);
    const md5_quat turn = md5_quat_about(sight, md5_vec3_dot(from_way, to_way),
                                         md5_vec3_dot(md5_vec3_cross(from_way, to_way), sight));
    return sine < STEEP ? md5_slerp(MD5_NO_TURN, turn, sine / STEEP) : turn;
}

// The whole turn that the tip still needs.
static md5_quat wanted_turn(const aim_view *view)
{
    const md5_vec3 toward = md5_vec3_sub(view->target, view->eye);
    const md5_vec3 forward = md5_quat_rotate(view->rotation, view->forward);
    const md5_vec3 sight = md5_vec3_normalize(toward, forward);
    const md5_quat swing = md5_quat_between(forward, sight);
    const md5_vec3 up = md5_quat_rotate(swing, md5_quat_rotate(view->rotation, view->up));
    return md5_quat_mul(upright(sight, up), swing);
}

// The same turn, by no more than an angle; `most` is (sine, cosine) of half of it in x and w.
static md5_quat limit_turn(md5_quat turn, md5_quat most)
{
    const md5_quat near = turn.w < 0.0f ? (md5_quat){-turn.x, -turn.y, -turn.z, -turn.w} : turn;
    if (near.w >= most.w)
        return near;
    const md5_vec3 axis =
        md5_vec3_normalize((md5_vec3){near.x, near.y, near.z}, (md5_vec3){0.0f, 0.0f, 1.0f});
    return (md5_quat){axis.x * most.x, axis.y * most.x, axis.z * most.x, most.w};
}

static void turn_joints(const md5_chain *chain, aim_view *view, float limit, md5_quat *turned)
{
    // Slerp from no turn to a half turn gives sine and cosine of any part of it.
    const md5_quat half_turn = {1.0f, 0.0f, 0.0f, 0.0f};
    const bool is_limited = limit > 0.0f && limit < PI;
    const md5_quat most = md5_slerp(MD5_NO_TURN, half_turn, limit / PI);
    md5_quat so_far = MD5_NO_TURN;
    md5_vec3 place = chain->places[0];
    for (uint32_t i = 0; i < chain->count; i++) {
        if (i > 0)
            place = md5_vec3_add(
                place,
                md5_quat_rotate(so_far, md5_vec3_sub(chain->places[i], chain->places[i - 1])));
        const uint32_t left = chain->count - i;
        md5_quat turn = md5_slerp(MD5_NO_TURN, wanted_turn(view), 1.0f / (float)left);
        if (is_limited)
            turn = limit_turn(turn, most);
        so_far = md5_quat_trim(md5_quat_mul(turn, so_far));
        turned[i] = md5_quat_mul(so_far, chain->rotations[i]);
        view->eye = md5_vec3_add(place, md5_quat_rotate(turn, md5_vec3_sub(view->eye, place)));
        view->rotation = md5_quat_trim(md5_quat_mul(turn, view->rotation));
    }
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
