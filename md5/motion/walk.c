// Procedural walking: the motion of the character, and the body, which follows the feet.
#include "md5/motion/walk.h"

#include "md5/core/assert.h"
#include "md5/motion/decay.h"

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

static void take_home(const md5_walk_gait *gait, const md5_xform *pose, const md5_leg *leg,
                      md5_foothold *foot)
{
    const md5_xform ankle = md5_joint_in_model(gait->desc->skeleton, pose, leg->limb.tip);
    const md5_vec3 at =
        md5_is_place(ankle.translation) ? ankle.translation : (md5_vec3){0.0f, 0.0f, 0.0f};
    foot->home = md5_level(gait, at);
    foot->rise = md5_vec3_dot(at, gait->up);
    foot->rest = md5_quat_normalize(ankle.rotation, MD5_NO_TURN);
}

static float radius_of(const md5_walk *walk)
{
    md5_vec3 middle = {0.0f, 0.0f, 0.0f};
    const float share = 1.0f / (float)walk->num_legs;
    for (uint32_t i = 0; i < walk->num_legs; i++)
        middle = md5_vec3_add(middle, md5_vec3_scale(walk->feet[i].home, share));
    float radius = 0.0f;
    for (uint32_t i = 0; i < walk->num_legs; i++)
        radius += share * md5_vec3_length(md5_vec3_sub(walk->feet[i].home, middle));
    return radius;
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
    md5_walk_gait gait = md5i_walk_gait_of(desc, 1.0f);
    *walk = (md5_walk){.facing = facing_of(&gait, placement.rotation), .normal = gait.up};
    walk->position =
        md5_is_place(placement.translation) ? placement.translation : (md5_vec3){0.0f, 0.0f, 0.0f};
    walk->num_legs = desc->num_legs;
    bool is_valid = true;
    for (uint32_t i = 0; i < desc->num_legs; i++) {
        md5_foothold *const foot = &walk->feet[i];
        *foot = (md5_foothold){.rest = MD5_NO_TURN, .normal = gait.up, .facing = walk->facing};
        if (is_leg(desc, &desc->legs[i]))
            take_home(&gait, pose, &desc->legs[i], foot);
        else
            is_valid = false;
        foot->position = md5i_ground_at(&gait, walk, md5i_home_of(walk, i), &foot->normal);
    }
    walk->radius = radius_of(walk);
    gait = md5i_walk_gait_of(desc, walk->radius);
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
    md5_walk wanted = *walk;
    wanted.velocity = velocity;
    wanted.turn = turn;
    float fastest = 0.0f;
    for (uint32_t i = 0; i < walk->num_legs; i++) {
        const float speed = md5_vec3_length(md5i_home_velocity(gait, &wanted, i));
        fastest = speed > fastest ? speed : fastest;
    }
    const float most = gait->step_length / (gait->least_seconds * (float)gait->desc->num_groups);
    return fastest > most ? most / fastest : 1.0f;
}

static void move(const md5_walk_gait *gait, md5_walk *walk, float seconds)
{
    const md5_vec3 way = md5_quat_rotate(walk->facing, walk->velocity);
    walk->position = md5_vec3_add(walk->position, md5_vec3_scale(way, seconds));
    // tan(x) = x + x^3 / 3, to 1e-5 for the largest half angle of a step, 1/12.
    const float half = 0.5f * walk->turn * seconds;
    const md5_vec3 axis = md5_vec3_cross(gait->forward, gait->left);
    const md5_vec3 imaginary = md5_vec3_scale(axis, half + half * half * half / 3.0f);
    const md5_quat turn =
        md5_quat_normalize((md5_quat){imaginary.x, imaginary.y, imaginary.z, 1.0f}, MD5_NO_TURN);
    walk->facing = md5_quat_normalize(md5_quat_mul(turn, walk->facing), MD5_NO_TURN);
}

void md5_walk_advance(const md5_walk_desc *desc, md5_walk *walk, md5_vec3 velocity, float turn,
                      double seconds)
{
    check_desc(desc);
    MD5_ASSERT(walk != NULL, "walk: not NULL");
    MD5_ASSERT(walk->num_legs == desc->num_legs, "walk: begun with this description");
    if (!(seconds > 0.0))
        return;
    const md5_walk_gait gait = md5i_walk_gait_of(desc, walk->radius);
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
    for (uint32_t i = 0; i < steps; i++) {
        const float keep = keep_for(step, gait.response);
        walk->velocity = md5_vec3_lerp(to, walk->velocity, keep);
        walk->turn = to_turn + (walk->turn - to_turn) * keep;
        move(&gait, walk, step);
        md5i_step_legs(&gait, walk, step);
        follow_feet(&gait, walk, keep_for(step, gait.smoothing));
    }
}
