// An arm or a leg that reaches for a point: the law of cosines in the plane in which it bends.
//
// Lengths are in shares of the full reach, so that limbs of any size are equally exact. In that
// plane, `along` points from hip to target and `side` to where the knee goes; the old and the new
// knee have coordinates (x, y) on these two, y >= 0. The limb is swung as a whole until its line
// from hip to foot lies along the target's, turned about that line until the plane is right, and
// then thigh and shin are each turned in the plane.
#include "md5/play/space.h"

// What is less than this share of the reach has no direction.
#define NOTHING 1e-5f

typedef struct two_bones {
    uint32_t joints[3];               // hip, knee, foot
    md5_quat above;                   // model-space rotation of what the hip hangs on
    md5_quat rotations[3];            // model space
    md5_vec3 start;                   // of the hip, model space
    md5_vec3 upper, lower;            // thigh and shin, model space, in shares of
    float reach;                      // both lengths together
    float upper_length, lower_length; // shares
} two_bones;

// Where the foot is to be and how long the limb gets.
typedef struct limb_goal {
    float distance; // from the hip, in shares of the reach
    float stretch;  // factor to both lengths
} limb_goal;

// The plane of the limb as it is, and as it is to be.
typedef struct limb_plane {
    md5_vec3 along, side; // new
    md5_quat turn;        // from the old plane to the new one
    float x, y, lower_x;  // old knee; foot beyond the knee along the line
} limb_plane;

static bool find_joints(const md5_skeleton *skeleton, uint32_t tip, uint32_t *joints)
{
    if (tip >= skeleton->num_joints)
        return false;
    const int32_t knee = skeleton->joints[tip].parent;
    const int32_t hip = knee < 0 ? -1 : skeleton->joints[knee].parent;
    if (hip < 0)
        return false;
    joints[0] = (uint32_t)hip;
    joints[1] = (uint32_t)knee;
    joints[2] = tip;
    return true;
}

// False if the limb has no length, or is at no place.
static bool measure_limb(const md5_skeleton *skeleton, const md5_transform *pose, two_bones *limb)
{
    const md5_transform above = md5_parent_in_model(skeleton, pose, limb->joints[0]);
    const md5_transform *const hip = &pose[limb->joints[0]], *const knee = &pose[limb->joints[1]];
    const md5_transform *const foot = &pose[limb->joints[2]];
    limb->above = above.rotation;
    limb->rotations[0] = md5_quat_trim(md5_quat_mul(above.rotation, hip->rotation));
    limb->rotations[1] = md5_quat_trim(md5_quat_mul(limb->rotations[0], knee->rotation));
    limb->rotations[2] = md5_quat_trim(md5_quat_mul(limb->rotations[1], foot->rotation));
    limb->start =
        md5_vec3_add(above.translation, md5_quat_rotate(above.rotation, hip->translation));
    const md5_vec3 upper = md5_quat_rotate(limb->rotations[0], knee->translation);
    const md5_vec3 lower = md5_quat_rotate(limb->rotations[1], foot->translation);
    const float upper_length = md5_vec3_length(upper), lower_length = md5_vec3_length(lower);
    limb->reach = upper_length + lower_length;
    if (!md5_is_place(limb->start) || !(limb->reach > 1e-15f && limb->reach < MD5_FARTHEST))
        return false;
    const float share = 1.0f / limb->reach;
    limb->upper = md5_vec3_scale(upper, share);
    limb->lower = md5_vec3_scale(lower, share);
    limb->upper_length = upper_length * share;
    limb->lower_length = lower_length * share;
    return true;
}

// From `soften` before the end on, the limb comes to its full reach as 1 - exp(-x) comes to 1, with
// the first four terms of the series of exp.
static float soften_distance(float distance, float soften)
{
    const float past = distance - (1.0f - soften);
    if (!(past > 0.0f))
        return distance;
    if (!(soften > 0.0f))
        return 1.0f;
    const float x = past < 1e6f * soften ? past / soften : 1e6f;
    const float exp_less_1 = x * (1.0f + x * (0.5f + x * (1.0f / 6.0f)));
    return (1.0f - soften) + soften * (exp_less_1 / (1.0f + exp_less_1));
}

static limb_goal choose_goal(const two_bones *limb, float distance, const md5_two_bone_job *job)
{
    const float soften = job->soften > 0.0f ? (job->soften < 1.0f ? job->soften : 1.0f) : 0.0f;
    const float most = job->stretch > 1.0f ? job->stretch : 1.0f;
    const float least = fabsf(limb->upper_length - limb->lower_length);
    const float softened = soften_distance(distance, soften);
    const float bent = softened > least ? softened : least;
    const float wanted = bent < distance ? distance / bent : 1.0f;
    const float stretch = wanted < most ? wanted : most;
    return (limb_goal){bent * stretch, stretch};
}

// The pole's direction at right angles to the limb's line; false if it has none.
static bool find_pole(const two_bones *limb, const md5_vec3 *pole, md5_vec3 along, md5_vec3 *side)
{
    if (!pole || !md5_is_place(*pole))
        return false;
    const md5_vec3 toward = md5_vec3_sub(*pole, limb->start);
    const md5_vec3 beside = md5_vec3_beside(toward, along);
    const float length = md5_vec3_length(beside);
    if (!(length > NOTHING * md5_vec3_length(toward) && length > 1e-15f))
        return false;
    *side = md5_vec3_scale(beside, 1.0f / length);
    return true;
}

static limb_plane choose_plane(const two_bones *limb, md5_vec3 toward, float distance,
                               const md5_vec3 *pole)
{
    const md5_vec3 line = md5_vec3_add(limb->upper, limb->lower);
    const float span = md5_vec3_length(line);
    const md5_vec3 upper_way = md5_vec3_normalize(limb->upper, (md5_vec3){1.0f, 0.0f, 0.0f});
    const md5_vec3 line_way = span > NOTHING ? md5_vec3_scale(line, 1.0f / span) : upper_way;
    limb_plane plane;
    plane.along = distance > NOTHING ? md5_vec3_scale(toward, 1.0f / distance) : line_way;
    // A foot that stands on its hip can be swung to any side: it is taken to lie there already.
    const md5_vec3 old_along = span > NOTHING ? line_way : plane.along;
    const md5_vec3 beside = md5_vec3_beside(limb->upper, old_along);
    const md5_quat swing = md5_quat_between(old_along, plane.along);
    plane.turn = swing;
    plane.x = md5_vec3_dot(limb->upper, old_along);
    plane.lower_x = md5_vec3_dot(limb->lower, old_along);
    plane.y = md5_vec3_length(beside);
    const bool is_bent = plane.y > NOTHING;
    const bool has_pole = find_pole(limb, pole, plane.along, &plane.side);
    if (!is_bent) {
        plane.y = 0.0f;
        if (!has_pole)
            plane.side = md5_forward_beside(plane.along);
        return plane;
    }
    const md5_vec3 bend = md5_quat_rotate(swing, md5_vec3_scale(beside, 1.0f / plane.y));
    if (!has_pole) {
        plane.side = bend;
        return plane;
    }
    const md5_vec3 about = md5_vec3_cross(bend, plane.side);
    const md5_quat twist = md5_quat_about(plane.along, md5_vec3_dot(bend, plane.side),
                                          md5_vec3_dot(about, plane.along));
    plane.turn = md5_quat_mul(twist, swing);
    return plane;
}

// Heron's formula for the height keeps its digits where the limb is nearly straight.
static void place_knee(const two_bones *limb, limb_goal goal, float *x, float *y)
{
    const float upper = limb->upper_length * goal.stretch;
    const float lower = limb->lower_length * goal.stretch;
    const float distance = goal.distance;
    *x = 0.0f;
    *y = upper;
    if (!(distance > NOTHING))
        return;
    const float both = upper + lower, difference = upper - lower;
    const float outer = (both - distance) * (both + distance);
    const float inner = (distance - difference) * (distance + difference);
    *x = (difference * both + distance * distance) / (2.0f * distance);
    *y = outer > 0.0f && inner > 0.0f ? sqrtf(outer) * sqrtf(inner) / (2.0f * distance) : 0.0f;
}

static void turn_limb(const two_bones *limb, const limb_plane *plane, limb_goal goal,
                      const md5_two_bone_job *job, md5_transform *pose)
{
    float x, y;
    place_knee(limb, goal, &x, &y);
    const md5_vec3 hinge = md5_vec3_cross(plane->along, plane->side);
    const md5_quat upper_turn =
        md5_quat_about(hinge, plane->x * x + plane->y * y, plane->x * y - plane->y * x);
    const float lower_x = goal.distance - x;
    const md5_quat lower_turn = md5_quat_about(hinge, plane->lower_x * lower_x + plane->y * y,
                                               plane->y * lower_x - plane->lower_x * y);
    const md5_quat upper = md5_quat_mul(md5_quat_mul(upper_turn, plane->turn), limb->rotations[0]);
    const md5_quat lower = md5_quat_mul(md5_quat_mul(lower_turn, plane->turn), limb->rotations[1]);
    const md5_quat foot =
        job->rotation ? md5_quat_unit(*job->rotation, limb->rotations[2]) : limb->rotations[2];
    const md5_share share = md5_share_of(job->weight);
    md5_turn_joint(&pose[limb->joints[0]], &share,
                   md5_quat_mul(md5_quat_conjugate(limb->above), upper));
    md5_turn_joint(&pose[limb->joints[1]], &share, md5_quat_mul(md5_quat_conjugate(upper), lower));
    md5_turn_joint(&pose[limb->joints[2]], &share, md5_quat_mul(md5_quat_conjugate(lower), foot));
    if (!(goal.stretch > 1.0f))
        return;
    const float factor = 1.0f + (goal.stretch - 1.0f) * share.weight;
    for (int i = 1; i < 3; i++) {
        md5_vec3 *const place = &pose[limb->joints[i]].translation;
        *place = md5_vec3_scale(*place, factor);
    }
}

bool md5_two_bone(const md5_skeleton *skeleton, md5_transform *pose, const md5_two_bone_job *job)
{
    two_bones limb;
    if (!find_joints(skeleton, job->tip, limb.joints))
        return false;
    if (!(job->weight > 0.0f) || !md5_is_place(job->target) || !measure_limb(skeleton, pose, &limb))
        return true;
    const md5_vec3 toward =
        md5_vec3_scale(md5_vec3_sub(job->target, limb.start), 1.0f / limb.reach);
    if (!md5_is_place(toward))
        return true;
    const float distance = md5_vec3_length(toward);
    const limb_goal goal = choose_goal(&limb, distance, job);
    const limb_plane plane = choose_plane(&limb, toward, distance, job->pole);
    turn_limb(&limb, &plane, goal, job, pose);
    return true;
}
