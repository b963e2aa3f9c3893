// Procedural walking: chooses which legs step, when, and to which position.
#include "md5/motion/decay.h"
#include "md5/motion/walk.h"

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
        const float speed = md5_vec3_length(md5i_home_velocity(gait, walk, i));
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
    const md5_vec3 way = md5_vec3_scale(md5i_home_velocity(gait, walk, leg), left + 0.5f * stand);
    return md5i_ground_at(gait, walk, md5_vec3_add(md5i_home_of(walk, leg), way), normal);
}

// The distance of a standing foot behind its home along the home's velocity; if the home stands,
// the distance in any direction.
static float lag_of(const md5_walk_gait *gait, const md5_walk *walk, uint32_t leg)
{
    const md5_vec3 away =
        md5_level(gait, md5_vec3_sub(md5i_home_of(walk, leg), walk->feet[leg].position));
    const md5_vec3 velocity = md5i_home_velocity(gait, walk, leg);
    const float speed = md5_vec3_length(velocity), distance = md5_vec3_length(away);
    if (!(speed * gait->step_seconds > STANDING * gait->step_length))
        return distance;
    const float behind = md5_vec3_dot(away, velocity) / speed;
    // A foot that is far aside or ahead steps too, for example after a reversal.
    const float far = distance - 0.75f * gait->step_length;
    return behind > far ? behind : far;
}

// The group whose leg lags most, if that is more than the slack.
static bool choose_group(const md5_walk_gait *gait, const md5_walk *walk, uint32_t *group)
{
    float most = gait->slack;
    bool is_found = false;
    for (uint32_t i = 0; i < walk->num_legs; i++) {
        const float lag = lag_of(gait, walk, i);
        if (lag > most) {
            most = lag;
            *group = gait->desc->legs[i].group;
            is_found = true;
        }
    }
    return is_found;
}

static bool is_any_stepping(const md5_walk *walk)
{
    for (uint32_t i = 0; i < walk->num_legs; i++)
        if (walk->feet[i].is_stepping)
            return true;
    return false;
}

// The height of the step also clears the terrain halfway.
static float lift_over(const md5_walk_gait *gait, const md5_walk *walk, const md5_foothold *foot)
{
    md5_vec3 normal;
    const md5_vec3 middle = md5_vec3_lerp(foot->from, foot->to, 0.5f);
    const md5_vec3 ground = md5i_ground_at(gait, walk, middle, &normal);
    const float above = md5_vec3_dot(md5_vec3_sub(ground, middle), gait->up);
    return gait->step_height + (above > 0.0f ? above : 0.0f);
}

static void begin_step(const md5_walk_gait *gait, md5_walk *walk, uint32_t leg)
{
    md5_foothold *const foot = &walk->feet[leg];
    foot->is_stepping = true;
    foot->progress = 0.0f;
    foot->from = foot->position;
    foot->from_facing = foot->facing;
    foot->to = plan_end(gait, walk, leg, &foot->to_normal);
    foot->lift = lift_over(gait, walk, foot);
}

static void continue_step(const md5_walk_gait *gait, md5_walk *walk, uint32_t leg, float seconds)
{
    md5_foothold *const foot = &walk->feet[leg];
    foot->progress += seconds / walk->seconds;
    if (foot->progress < PLAN_ENDS) {
        const md5_vec3 planned = plan_end(gait, walk, leg, &foot->to_normal);
        const float keep = (float)md5i_decay((double)seconds / REPLAN_SECONDS);
        const md5_vec3 to = md5_vec3_lerp(planned, foot->to, keep);
        foot->to = md5i_ground_at(gait, walk, to, &foot->to_normal);
    }
    if (foot->progress >= 1.0f) {
        foot->is_stepping = false;
        foot->progress = 1.0f;
        foot->position = foot->to;
        foot->normal = foot->to_normal;
        foot->facing = walk->facing;
    }
}

md5_vec3 md5i_foot_in_step(const md5_walk_gait *gait, const md5_foothold *foot)
{
    const float t = foot->progress, share = t * t * (3.0f - 2.0f * t); // rests at both ends
    const float height = 16.0f * t * t * (1.0f - t) * (1.0f - t) * foot->lift;
    return md5_vec3_add(md5_vec3_lerp(foot->from, foot->to, share),
                        md5_vec3_scale(gait->up, height));
}

void md5i_step_legs(const md5_walk_gait *gait, md5_walk *walk, float seconds)
{
    walk->seconds = step_seconds(gait, walk);
    for (uint32_t i = 0; i < walk->num_legs; i++)
        if (walk->feet[i].is_stepping)
            continue_step(gait, walk, i, seconds);
    uint32_t group = 0;
    if (is_any_stepping(walk) || !choose_group(gait, walk, &group))
        return;
    for (uint32_t i = 0; i < walk->num_legs; i++)
        if (gait->desc->legs[i].group == group)
            begin_step(gait, walk, i);
}
