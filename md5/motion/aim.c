// Points a chain of joints at a target.
//
// The rotation that the tip needs is divided equally among the joints. The tip takes the rest,
// which differs from an equal part only because the other joints have moved the tip.
#include "md5/core/assert.h"
#include "md5/motion/lanes.h"
#include "md5/motion/space.h"

#define PI 3.14159265f

// The tip and its target.
typedef struct aim_view {
    md5_axes axes;
    md5_float4 target, forward, up; // the last two in the tip's space
    md5_float4 eye;                 // position of the tip
    md5_float4 rotation;            // of the tip, model space
    float up_along;                 // cosine between forward and up
} aim_view;

// Whether up, which has the cosine `along` with the direction of sight, is not that direction.
static bool has_upright(float along)
{
    return 1.0f - along * along > 1e-6f;
}

// Adds to `swing` a rotation about the direction of sight `along` that makes the tip upright:
// `swung`, which is the tip's up after `swing`, leans neither left nor right. Cosine and sine are
// those of the angle between the components of up and vertical that are perpendicular to the sight.
static md5_float4 set_upright(const aim_view *view, md5_vec3 along, md5_vec3 swung,
                              md5_float4 swing)
{
    const md5_vec3 sight = md5i_vec3_from_axes(view->axes, along);
    const md5_vec3 up = md5i_vec3_from_axes(view->axes, swung);
    const float slant = sight.x * sight.x + sight.y * sight.y; // squared sine to the vertical
    if (!(has_upright(view->up_along) && slant > 1e-8f))
        return swing;
    const float sine = sight.x * up.y - sight.y * up.x;
    const md5_float4 turn =
        md5_float4_about(md5_float4_of_vec3(along), up.z - view->up_along * sight.z,
                         md5_is_mirrored(view->axes) ? -sine : sine);
    if (slant < MD5_STEEP * MD5_STEEP) {
        const float part = sqrtf(slant) / MD5_STEEP;
        const md5_quat faded = md5_quat_slerp(MD5_NO_TURN, md5_quat_of_row(turn), part);
        return md5_float4_turn(md5_float4_of_quat(faded), swing);
    }
    return md5_float4_turn(turn, swing);
}

// The rotation that points the tip at the target.
static md5_float4 find_turn(const aim_view *view)
{
    const md5_float4 toward = md5_float4_sub(view->target, view->eye);
    const md5_float4 forward = md5_float4_rotate(view->rotation, view->forward);
    const md5_float4 up = md5_float4_rotate(view->rotation, view->up);
    const md5_float4 sight = md5_float4_normalize(toward, forward);
    const float cosine = md5_float4_dot3(forward, sight);
    const md5_float4 swing = md5_float4_between_at(forward, sight, cosine);
    md5_float4 swung;
    if (cosine > MD5_FAR) {
        // `up` rotated by the swing, without a dependency on the swing: up - k (forward + sight),
        // plus a component along the sight that equals that along forward.
        const md5_float4 both = md5_float4_add(forward, sight);
        const float k = md5_float4_dot3(up, both) / (1.0f + cosine);
        swung = md5_float4_add(md5_float4_sub(up, md5_float4_scale(both, k)),
                               md5_float4_scale(sight, 2.0f * view->up_along));
    } else {
        swung = md5_float4_rotate(swing, up);
    }
    return set_upright(view, md5_vec3_of_row(sight), md5_vec3_of_row(swung), swing);
}

// The largest rotation of each joint.
typedef struct aim_limit {
    bool is_limited;
    md5_quat most; // sine and cosine of half of the limit, in x and w
} aim_limit;

static aim_limit limit_of(float limit)
{
    // A slerp from the identity to a rotation by 180 degrees gives sine and cosine of any fraction.
    const md5_quat half_turn = {1.0f, 0.0f, 0.0f, 0.0f};
    aim_limit result = {.is_limited = limit > 0.0f && limit < PI};
    if (result.is_limited)
        result.most = md5_quat_slerp(MD5_NO_TURN, half_turn, limit / PI);
    return result;
}

// The same rotation by the shorter arc, so that w >= 0.
static md5_float4 shorter_way(md5_float4 turn)
{
    return md5_float4_scale(turn, md5_float4_at(turn, 3) < 0.0f ? -1.0f : 1.0f);
}

// Reduces a rotation to the limit.
static md5_float4 limit_turn(md5_float4 turn, const aim_limit *limit)
{
    const md5_quat most = limit->most;
    if (!limit->is_limited || md5_float4_at(turn, 3) >= most.w)
        return turn;
    const md5_float4 axis = md5_float4_normalize(turn, md5_float4_of(0.0f, 0.0f, 1.0f, 0.0f));
    return md5_float4_with_w(md5_float4_scale(axis, most.x), most.w);
}

// Returns one of `count` equal parts of a rotation with w >= 0. Half of a rotation is the
// normalized mean of it and the identity: (x y z, 1 + w), whose square is 2 (1 + w).
static md5_float4 equal_part(md5_float4 turn, uint32_t count)
{
    for (; count % 2 == 0; count /= 2) {
        const float w = 1.0f + md5_float4_at(turn, 3);
        turn = md5_float4_scale(md5_float4_with_w(turn, w), 1.0f / sqrtf(w + w));
    }
    if (count == 1)
        return turn;
    const md5_quat part = md5_quat_slerp(MD5_NO_TURN, md5_quat_of_row(turn), 1.0f / (float)count);
    return md5_float4_of_quat(part);
}

static void turn_joints(const md5_chain *chain, aim_view *view, float limit, md5_quat *turned)
{
    const aim_limit largest = limit_of(limit);
    const uint32_t last = chain->count - 1;
    if (last > 0) {
        const md5_float4 whole = shorter_way(find_turn(view));
        const md5_float4 turn = limit_turn(equal_part(whole, chain->count), &largest);
        md5_float4 so_far = turn;
        md5_float4 old = md5_float4_of_vec3(chain->places[0]), place = old;
        for (uint32_t i = 0; i < last; i++) {
            if (i > 0)
                so_far = md5_float4_trim(md5_float4_turn(turn, so_far));
            turned[i] =
                md5_quat_of_row(md5_float4_turn(so_far, md5_float4_load(&chain->rotations[i])));
            const md5_float4 next = md5_float4_of_vec3(chain->places[i + 1]);
            place = md5_float4_add(place, md5_float4_rotate(so_far, md5_float4_sub(next, old)));
            old = next;
        }
        view->eye = place;
        view->rotation = md5_float4_turn(so_far, view->rotation);
    }
    const md5_float4 rest = limit_turn(shorter_way(find_turn(view)), &largest);
    turned[last] = md5_quat_of_row(md5_float4_turn(rest, view->rotation));
}

static md5_vec3 direction_or(md5_vec3 direction, md5_vec3 otherwise)
{
    return md5_is_place(direction) ? md5_vec3_normalize(direction, otherwise) : otherwise;
}

void md5i_begin_aim(const md5_skeleton *skeleton, const md5_aim_job *job, md5_aim_batch *batch)
{
    const aim_limit limit = limit_of(job->numbers.limit);
    batch->forward = direction_or(job->numbers.forward, md5_forward(skeleton->axes));
    batch->up = direction_or(job->numbers.up, md5_up(skeleton->axes));
    batch->up_along = md5_vec3_dot(batch->forward, batch->up);
    batch->stays_upright = has_upright(batch->up_along);
    batch->is_limited = limit.is_limited;
    batch->most_sine = limit.most.x;
    batch->most_cosine = limit.most.w;
}

bool md5_solve_aim(const md5_skeleton *skeleton, const md5_aim_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    if (job->tip >= skeleton->num_joints || job->length == 0)
        return false;
    md5_chain chain;
    if (!(job->weight > 0.0f) || job->numbers.limit == MD5_ZERO || !md5_is_place(job->target)
        || !md5i_find_chain(skeleton, pose, job->tip, job->length, &chain))
        return true;
    const md5_vec3 forward = direction_or(job->numbers.forward, md5_forward(skeleton->axes));
    const md5_vec3 up = direction_or(job->numbers.up, md5_up(skeleton->axes));
    aim_view view = {
        .axes = skeleton->axes,
        .target = md5_float4_of_vec3(job->target),
        .forward = md5_float4_of_vec3(forward),
        .up = md5_float4_of_vec3(up),
        .eye = md5_float4_of_vec3(chain.places[chain.count - 1]),
        .rotation = md5_float4_load(&chain.rotations[chain.count - 1]),
        .up_along = md5_vec3_dot(forward, up),
    };
    md5_quat turned[MD5_MAX_CHAIN];
    turn_joints(&chain, &view, job->numbers.limit, turned);
    md5i_turn_chain(&chain, turned, job->weight, pose);
    return true;
}
