// Procedural walking: the character and its body, homes and ground, steps of the legs, the pose.
#include "md5/core/assert.h"
#include "md5/md5pose.h"
#include "md5/motion/numbers.h"
#include "md5/motion/spring.h"
#include "md5/motion/space.h"

// A description with defaults applied, and the directions of the axes.
typedef struct md5_walk_gait {
    const md5_walk_desc *desc;
    md5_vec3 forward, left, up; // model and world space
    float step_length, step_height, slack, step_seconds, least_seconds, response, smoothing;
} md5_walk_gait;

// `v` without its component along `up`.
static inline md5_vec3 md5_level(const md5_walk_gait *gait, md5_vec3 v)
{
    return md5_vec3_sub(v, md5_vec3_scale(gait->up, md5_vec3_dot(v, gait->up)));
}

// == Homes and ground ============================================================================

static md5_walk_gait walk_gait_of(const md5_walk_desc *desc, float radius)
{
    const md5_axes axes = desc->skeleton->axes;
    md5_walk_gait gait = {
        .desc = desc,
        .forward = md5_forward(axes),
        .left = md5i_vec3_to_axes(axes, (md5_vec3){0.0f, 1.0f, 0.0f}),
        .up = md5_up(axes),
        .step_length = md5_number_or(desc->step_length, 0.5f * radius),
        .step_height = md5_number_or(desc->step_height, 0.15f * radius),
        .step_seconds = md5_number_or(desc->step_seconds, 0.45f),
        .least_seconds = md5_number_or(desc->least_seconds, 0.15f),
        .response = md5_number_or(desc->response, 0.15f),
        .smoothing = md5_number_or(desc->smoothing, 0.12f),
    };
    gait.slack = md5_number_or(desc->slack, 0.1f * gait.step_length);
    return gait;
}

// The ground below or above a position in world space: its point and unit normal.
static md5_vec3 ground_at(const md5_walk_gait *gait, const md5_walk *walk, md5_vec3 at,
                          md5_vec3 *normal)
{
    md5_vec3 found = gait->up;
    float height = 0.0f;
    if (gait->desc->terrain)
        height = gait->desc->terrain(gait->desc->user, at, &found);
    if (!(fabsf(height) < MD5_FARTHEST))
        height = md5_vec3_dot(walk->position, gait->up);
    *normal = md5_is_place(found) ? md5_vec3_normalize(found, gait->up) : gait->up;
    return md5_vec3_add(md5_level(gait, at), md5_vec3_scale(gait->up, height));
}

// The current position of a home, world space, at the character's height.
static md5_vec3 home_of(const md5_walk *walk, uint32_t leg)
{
    return md5_xform_point(md5_walk_placement(walk), walk->feet[leg].home);
}

// The velocity of a home in world space.
static md5_vec3 home_velocity(const md5_walk_gait *gait, const md5_walk *walk, uint32_t leg)
{
    const md5_vec3 home = walk->feet[leg].home;
    const float ahead = md5_vec3_dot(home, gait->forward), aside = md5_vec3_dot(home, gait->left);
    const md5_vec3 around = md5_vec3_add(md5_vec3_scale(gait->forward, -aside * walk->turn),
                                         md5_vec3_scale(gait->left, ahead * walk->turn));
    return md5_quat_rotate(walk->facing, md5_vec3_add(walk->velocity, around));
}

md5_xform md5_walk_placement(const md5_walk *walk)
{
    MD5_ASSERT(walk != NULL, "walk: not NULL");
    return (md5_xform){.rotation = walk->facing, .translation = walk->position};
}

// == Steps =======================================================================================
//
// Chooses which legs step, when, and to which position.

// Time constant with which the end of a step follows its planned position, and the share of a step
// after which it is fixed.
#define REPLAN_SECONDS 0.05
#define PLAN_ENDS 0.7f

// A home that moves less than this share of step_length during a step counts as standing.
#define STANDING 0.02f

// The duration of a step for which no step is longer than step_length.
static float step_seconds(const md5_walk_gait *gait, const md5_walk *walk)
{
    float fastest = 0.0f;
    for (uint32_t i = 0; i < walk->num_legs; i++) {
        const float speed = md5_vec3_length(home_velocity(gait, walk, i));
        fastest = speed > fastest ? speed : fastest;
    }
    const float way = fastest * (float)gait->desc->num_groups * gait->step_seconds;
    if (!(way > gait->step_length))
        return gait->step_seconds;
    const float seconds = gait->step_seconds * gait->step_length / way;
    return seconds > gait->least_seconds ? seconds : gait->least_seconds;
}

// Plans a step: half of a stance duration ahead of the home's position when the foot lands.
static md5_vec3 plan_end(const md5_walk_gait *gait, const md5_walk *walk, uint32_t leg,
                         md5_vec3 *normal)
{
    const float left = (1.0f - walk->feet[leg].progress) * walk->seconds;
    const float stand = (float)(gait->desc->num_groups - 1) * walk->seconds;
    const md5_vec3 way = md5_vec3_scale(home_velocity(gait, walk, leg), left + 0.5f * stand);
    return ground_at(gait, walk, md5_vec3_add(home_of(walk, leg), way), normal);
}

// The distance of a standing foot behind its home along the home's velocity; if the home stands,
// the distance in any direction.
static float lag_of(const md5_walk_gait *gait, const md5_walk *walk, uint32_t leg)
{
    const md5_vec3 away =
        md5_level(gait, md5_vec3_sub(home_of(walk, leg), walk->feet[leg].position));
    const md5_vec3 velocity = home_velocity(gait, walk, leg);
    const float speed = md5_vec3_length(velocity), distance = md5_vec3_length(away);
    if (!(speed * gait->step_seconds > STANDING * gait->step_length))
        return distance;
    const float behind = md5_vec3_dot(away, velocity) / speed;
    // A foot that is far aside or ahead steps too, for example after a reversal.
    const float far = distance - 0.75f * gait->step_length;
    return behind > far ? behind : far;
}

static void continue_step(const md5_walk_gait *gait, md5_walk *walk, uint32_t leg, float seconds)
{
    md5_foothold *const foot = &walk->feet[leg];
    foot->progress += seconds / walk->seconds;
    if (foot->progress < PLAN_ENDS) {
        const md5_vec3 planned = plan_end(gait, walk, leg, &foot->to_normal);
        const float keep = (float)md5i_decay((double)seconds / REPLAN_SECONDS);
        const md5_vec3 to = md5_vec3_lerp(planned, foot->to, keep);
        foot->to = ground_at(gait, walk, to, &foot->to_normal);
    }
    if (foot->progress >= 1.0f) {
        foot->is_stepping = false;
        foot->progress = 1.0f;
        foot->position = foot->to;
        foot->normal = foot->to_normal;
        foot->facing = walk->facing;
    }
}

// Starts and advances steps; the character has been moved before.
static void step_legs(const md5_walk_gait *gait, md5_walk *walk, float seconds)
{
    walk->seconds = step_seconds(gait, walk);
    for (uint32_t i = 0; i < walk->num_legs; i++)
        if (walk->feet[i].is_stepping)
            continue_step(gait, walk, i, seconds);
    for (uint32_t i = 0; i < walk->num_legs; i++)
        if (walk->feet[i].is_stepping)
            return;
    // The group whose leg lags most, if that is more than the slack.
    float longest = gait->slack;
    const uint32_t none = UINT32_MAX;
    uint32_t group = none;
    for (uint32_t i = 0; i < walk->num_legs; i++) {
        const float lag = lag_of(gait, walk, i);
        if (lag > longest) {
            longest = lag;
            group = gait->desc->legs[i].group;
        }
    }
    for (uint32_t i = 0; i < walk->num_legs && group != none; i++) {
        if (gait->desc->legs[i].group != group)
            continue;
        md5_foothold *const foot = &walk->feet[i];
        foot->is_stepping = true;
        foot->progress = 0.0f;
        foot->from = foot->position;
        foot->from_facing = foot->facing;
        foot->to = plan_end(gait, walk, i, &foot->to_normal);
        // The height of the step also clears the terrain halfway.
        md5_vec3 normal;
        const md5_vec3 middle = md5_vec3_lerp(foot->from, foot->to, 0.5f);
        const md5_vec3 ground = ground_at(gait, walk, middle, &normal);
        const float above = md5_vec3_dot(md5_vec3_sub(ground, middle), gait->up);
        foot->lift = gait->step_height + (above > 0.0f ? above : 0.0f);
    }
}

// == Body ========================================================================================
//
// The motion of the character, and the body, which follows the feet.

#define LONGEST_STEP (1.0 / 120.0) // seconds
#define STEEPEST 1.0f              // slope of the body
#define FASTEST_TURN 20.0f         // radians/s

// -- Beginning ------------------------------------------------------------------------------------

static void check_desc(const md5_walk_desc *desc)
{
    (void)desc;
    MD5_ASSERT(desc != NULL, "desc: not NULL");
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT(desc->skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(desc->legs != NULL, "legs: not NULL");
    MD5_ASSERT(desc->num_legs >= 1 && desc->num_legs <= MD5_MAX_LEGS,
               "num_legs: 1 to MD5_MAX_LEGS");
    MD5_ASSERT(desc->num_groups >= 1 && desc->num_groups <= desc->num_legs,
               "num_groups: 1 to num_legs");
}

static bool is_leg(const md5_walk_desc *desc, const md5_leg *leg)
{
    if (md5i_check_limb(desc->skeleton, &leg->limb) != MD5_LIMB_PLACED
        || leg->group >= desc->num_groups || desc->body >= desc->skeleton->num_joints)
        return false;
    return leg->swivel < 0
           || ((uint32_t)leg->swivel < desc->skeleton->num_joints
               && md5i_is_below(desc->skeleton, leg->limb.root, (uint32_t)leg->swivel));
}

// The twist of a rotation about the up axis: the heading to which it rotates forward.
static md5_quat facing_of(const md5_walk_gait *gait, md5_quat rotation)
{
    const md5_quat unit = md5_quat_normalize(rotation, MD5_NO_TURN);
    const md5_vec3 ahead =
        md5_vec3_normalize(md5_level(gait, md5_quat_rotate(unit, gait->forward)), gait->forward);
    const float cosine = md5_vec3_dot(ahead, gait->forward);
    const float sine = md5_vec3_dot(ahead, gait->left);
    const md5_vec3 axis = md5_vec3_cross(gait->forward, gait->left);
    return md5_quat_of_row(md5_float4_about(md5_float4_of_vec3(axis), cosine, sine));
}

// The ground estimated from the feet: its height at the character and its slopes.
typedef struct plane {
    float height, ahead, aside;
} plane;

// Fits a plane to the feet by least squares, in doubles, since feet may be nearly collinear.
static plane fit_plane(const md5_walk_gait *gait, const md5_walk *walk)
{
    double xx = 0, xy = 0, yy = 0, xh = 0, yh = 0, mx = 0, my = 0, mh = 0;
    double x[MD5_MAX_LEGS], y[MD5_MAX_LEGS], h[MD5_MAX_LEGS];
    const double count = (double)walk->num_legs;
    const md5_quat to_model = md5_quat_conjugate(walk->facing);
    for (uint32_t i = 0; i < walk->num_legs; i++) {
        const md5_foothold *const foot = &walk->feet[i];
        const md5_vec3 at = foot->is_stepping ? md5_vec3_lerp(foot->from, foot->to, foot->progress)
                                              : foot->position;
        const md5_vec3 from = md5_quat_rotate(to_model, md5_vec3_sub(at, walk->position));
        x[i] = (double)md5_vec3_dot(from, gait->forward), mx += x[i] / count;
        y[i] = (double)md5_vec3_dot(from, gait->left), my += y[i] / count;
        h[i] = (double)md5_vec3_dot(from, gait->up), mh += h[i] / count;
    }
    for (uint32_t i = 0; i < walk->num_legs; i++) {
        const double a = x[i] - mx, b = y[i] - my, c = h[i] - mh;
        xx += a * a, xy += a * b, yy += b * b, xh += a * c, yh += b * c;
    }
    const double determinant = xx * yy - xy * xy;
    plane found = {.height = (float)mh};
    if (determinant > 1e-6 * (xx + yy) * (xx + yy)) {
        const double ahead = (xh * yy - yh * xy) / determinant;
        const double aside = (yh * xx - xh * xy) / determinant;
        found = (plane){(float)(mh - ahead * mx - aside * my), (float)ahead, (float)aside};
    }
    return found;
}

static float limited(float slope)
{
    return slope > STEEPEST ? STEEPEST : slope > -STEEPEST ? slope : -STEEPEST;
}

// Moves the body towards the plane through its feet; the share `keep` of the difference remains.
static void follow_feet(const md5_walk_gait *gait, md5_walk *walk, float keep)
{
    const plane at = fit_plane(gait, walk);
    const float inside = md5_vec3_dot(walk->velocity, gait->forward) * walk->turn;
    const float ahead = limited(at.ahead), aside = limited(at.aside - gait->desc->bank * inside);
    const md5_vec3 slope =
        md5_vec3_add(md5_vec3_scale(gait->forward, ahead), md5_vec3_scale(gait->left, aside));
    const md5_vec3 normal =
        md5_vec3_normalize(md5_quat_rotate(walk->facing, md5_vec3_sub(gait->up, slope)), gait->up);
    walk->normal = md5_vec3_normalize(md5_vec3_lerp(normal, walk->normal, keep), gait->up);
    walk->position =
        md5_vec3_add(walk->position, md5_vec3_scale(gait->up, at.height * (1.0f - keep)));
}

bool md5_walk_begin(const md5_walk_desc *desc, const md5_xform *pose, md5_xform placement,
                    md5_walk *walk)
{
    check_desc(desc);
    MD5_ASSERT(pose != NULL, "pose: not NULL");
    MD5_ASSERT(walk != NULL, "walk: not NULL");
    md5_walk_gait gait = walk_gait_of(desc, 1.0f);
    *walk = (md5_walk){.facing = facing_of(&gait, placement.rotation), .normal = gait.up};
    walk->position =
        md5_is_place(placement.translation) ? placement.translation : (md5_vec3){0.0f, 0.0f, 0.0f};
    walk->num_legs = desc->num_legs;
    bool is_valid = true;
    for (uint32_t i = 0; i < desc->num_legs; i++) {
        md5_foothold *const foot = &walk->feet[i];
        *foot = (md5_foothold){.rest = MD5_NO_TURN, .normal = gait.up, .facing = walk->facing};
        if (is_leg(desc, &desc->legs[i])) {
            const md5_xform ankle =
                md5_joint_in_model(desc->skeleton, pose, desc->legs[i].limb.tip);
            const md5_vec3 place =
                md5_is_place(ankle.translation) ? ankle.translation : (md5_vec3){0.0f, 0.0f, 0.0f};
            foot->home = md5_level(&gait, place);
            foot->rise = md5_vec3_dot(place, gait.up);
            foot->rest = md5_quat_normalize(ankle.rotation, MD5_NO_TURN);
        } else {
            is_valid = false;
        }
        foot->position = ground_at(&gait, walk, home_of(walk, i), &foot->normal);
    }
    // The mean distance of the homes from their middle.
    md5_vec3 middle = {0.0f, 0.0f, 0.0f};
    const float share = 1.0f / (float)walk->num_legs;
    for (uint32_t i = 0; i < walk->num_legs; i++)
        middle = md5_vec3_add(middle, md5_vec3_scale(walk->feet[i].home, share));
    for (uint32_t i = 0; i < walk->num_legs; i++)
        walk->radius += share * md5_vec3_length(md5_vec3_sub(walk->feet[i].home, middle));
    gait = walk_gait_of(desc, walk->radius);
    walk->seconds = gait.step_seconds;
    follow_feet(&gait, walk, 0.0f);
    return is_valid && walk->radius > 0.0f;
}

// -- Walking --------------------------------------------------------------------------------------

static float keep_for(float seconds, float constant)
{
    return constant > 0.0f ? (float)md5i_decay((double)seconds / (double)constant) : 0.0f;
}

// Reduces both by one factor, so that no home moves farther than step_length in the shortest step.
static float share_of_speed(const md5_walk_gait *gait, const md5_walk *walk, md5_vec3 velocity,
                            float turn)
{
    md5_walk faster = *walk;
    faster.velocity = velocity;
    faster.turn = turn;
    float fastest = 0.0f;
    for (uint32_t i = 0; i < walk->num_legs; i++) {
        const float speed = md5_vec3_length(home_velocity(gait, &faster, i));
        fastest = speed > fastest ? speed : fastest;
    }
    const float most = gait->step_length / (gait->least_seconds * (float)gait->desc->num_groups);
    return fastest > most ? most / fastest : 1.0f;
}

void md5_walk_advance(const md5_walk_desc *desc, md5_walk *walk, md5_vec3 velocity, float turn,
                      double seconds)
{
    check_desc(desc);
    MD5_ASSERT(walk != NULL, "walk: not NULL");
    MD5_ASSERT(walk->num_legs == desc->num_legs, "walk: begun with this description");
    if (!(seconds > 0.0))
        return;
    const md5_walk_gait gait = walk_gait_of(desc, walk->radius);
    md5_vec3 to = md5_is_place(velocity) ? md5_level(&gait, velocity) : (md5_vec3){0, 0, 0};
    float to_turn = fabsf(turn) < FASTEST_TURN ? turn
                    : turn > 0.0f              ? FASTEST_TURN
                    : turn < 0.0f              ? -FASTEST_TURN
                                               : 0.0f;
    const float share = share_of_speed(&gait, walk, to, to_turn);
    to = md5_vec3_scale(to, share);
    to_turn *= share;
    const double span = seconds < 1.0 ? seconds : 1.0;
    const uint32_t steps = (uint32_t)(span / LONGEST_STEP * (1.0 - 1e-6)) + 1;
    const float step = (float)(span / (double)steps);
    const md5_vec3 axis = md5_vec3_cross(gait.forward, gait.left);
    for (uint32_t i = 0; i < steps; i++) {
        const float keep = keep_for(step, gait.response);
        walk->velocity = md5_vec3_lerp(to, walk->velocity, keep);
        walk->turn = to_turn + (walk->turn - to_turn) * keep;
        const md5_vec3 way = md5_quat_rotate(walk->facing, walk->velocity);
        walk->position = md5_vec3_add(walk->position, md5_vec3_scale(way, step));
        // tan(x) = x + x^3 / 3, to 1e-5 for the largest half angle of a step, 1/12.
        const float half = 0.5f * walk->turn * step;
        const md5_vec3 imaginary = md5_vec3_scale(axis, half + half * half * half / 3.0f);
        const md5_quat rotation = md5_quat_normalize(
            (md5_quat){imaginary.x, imaginary.y, imaginary.z, 1.0f}, MD5_NO_TURN);
        walk->facing = md5_quat_normalize(md5_quat_mul(rotation, walk->facing), MD5_NO_TURN);
        step_legs(&gait, walk, step);
        follow_feet(&gait, walk, keep_for(step, gait.smoothing));
    }
}

// == Pose ========================================================================================
//
// Moves the feet of a pose to their footholds.

// World space: the ankle is above the sole along the ground's normal.
static md5_vec3 ankle_of(const md5_walk_gait *gait, const md5_foothold *foot)
{
    if (!foot->is_stepping)
        return md5_vec3_add(foot->position, md5_vec3_scale(foot->normal, foot->rise));
    const float t = foot->progress, share = t * t * (3.0f - 2.0f * t); // rests at both ends
    const float height = 16.0f * t * t * (1.0f - t) * (1.0f - t) * foot->lift;
    const md5_vec3 sole =
        md5_vec3_add(md5_vec3_lerp(foot->from, foot->to, share), md5_vec3_scale(gait->up, height));
    const md5_vec3 normal =
        md5_vec3_normalize(md5_vec3_lerp(foot->normal, foot->to_normal, t), gait->up);
    return md5_vec3_add(sole, md5_vec3_scale(normal, foot->rise));
}

// The rotation of an ankle in model space: that at rest, with the heading of the character when the
// foot landed, and tilted like the ground.
static md5_quat ankle_rotation(const md5_walk_gait *gait, const md5_walk *walk,
                               const md5_foothold *foot)
{
    const md5_quat facing = foot->is_stepping
                                ? md5_quat_slerp(foot->from_facing, walk->facing, foot->progress)
                                : foot->facing;
    const md5_vec3 normal =
        foot->is_stepping ? md5_vec3_normalize(
            md5_vec3_lerp(foot->normal, foot->to_normal, foot->progress), gait->up)
                          : foot->normal;
    const md5_quat tilt = md5_turn_between(gait->up, normal);
    const md5_quat world = md5_quat_mul(tilt, md5_quat_mul(facing, foot->rest));
    return md5_quat_normalize(md5_quat_mul(md5_quat_conjugate(walk->facing), world), foot->rest);
}

static void turn_in_model(const md5_skeleton *skeleton, md5_xform *pose, uint32_t joint,
                          md5_quat turn)
{
    const md5_xform change = {.rotation = turn};
    (void)md5_modify_joint(skeleton, joint, MD5_JOINT_MODEL, change, 1.0f, pose);
}

// Rotates the swivel about the body's up axis so that the target is in the plane of the leg.
static void swivel_leg(const md5_skeleton *skeleton, md5_xform *pose, const md5_leg *leg,
                       md5_vec3 target, md5_vec3 body_up)
{
    const uint32_t swivel = (uint32_t)leg->swivel;
    const md5_vec3 at = md5_joint_in_model(skeleton, pose, swivel).translation;
    const md5_vec3 tip = md5_joint_in_model(skeleton, pose, leg->limb.tip).translation;
    const md5_vec3 none = {0.0f, 0.0f, 0.0f};
    const md5_vec3 from = md5_vec3_normalize(md5_vec3_beside(md5_vec3_sub(tip, at), body_up), none);
    const md5_vec3 to =
        md5_vec3_normalize(md5_vec3_beside(md5_vec3_sub(target, at), body_up), none);
    if (md5_vec3_dot(from, from) > 0.5f && md5_vec3_dot(to, to) > 0.5f)
        turn_in_model(skeleton, pose, swivel, md5_turn_between(from, to));
}

uint32_t md5_walk_pose(const md5_walk_desc *desc, const md5_walk *walk, md5_xform *pose)
{
    MD5_ASSERT(desc != NULL && walk != NULL && pose != NULL, "desc, walk, pose: not NULL");
    MD5_ASSERT(walk->num_legs == desc->num_legs, "walk: begun with this description");
    const md5_walk_gait gait = walk_gait_of(desc, walk->radius);
    const md5_xform to_model = md5_xform_inverse(md5_walk_placement(walk));
    const md5_vec3 normal = md5_quat_rotate(to_model.rotation, walk->normal);
    turn_in_model(desc->skeleton, pose, desc->body, md5_turn_between(gait.up, normal));
    uint32_t num_placed = 0;
    for (uint32_t i = 0; i < desc->num_legs; i++) {
        md5_limb limb = desc->legs[i].limb;
        if (md5i_check_limb(desc->skeleton, &limb) != MD5_LIMB_PLACED)
            continue;
        const md5_vec3 target = md5_xform_point(to_model, ankle_of(&gait, &walk->feet[i]));
        if (desc->legs[i].swivel >= 0
            && (uint32_t)desc->legs[i].swivel < desc->skeleton->num_joints)
            swivel_leg(desc->skeleton, pose, &desc->legs[i], target, normal);
        const md5_quat rotation = ankle_rotation(&gait, walk, &walk->feet[i]);
        const md5_two_bone_job job = {.target = target, .rotation = &rotation, .weight = 1.0f};
        float miss = 0.0f;
        num_placed += md5i_bend_limb(desc->skeleton, pose, &limb, &job, &miss) == MD5_LIMB_PLACED;
    }
    return num_placed;
}
