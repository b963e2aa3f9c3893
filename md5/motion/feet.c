// Feet: soles that are held where they stand, feet on uneven ground.
#include "md5/core/assert.h"
#include "md5/motion/spring.h"
#include "md5/motion/feet.h"
#include "md5/motion/space.h"

// == Hold ========================================================================================

// A critically damped spring has 1 % left of a displacement at rest after so many of its time
// constants: (1 + x) exp(-x) = 0.01.
static const double settled = 6.638;

// A foot with a shorter release is back at once.
static const float shortest = 1e-6f;

// A leg is stretched if it is longer than this share of its reach.
static const float straight = 0.999f;

// A sole is turned by at most 45 degrees: the tangent of half of it.
static const float farthest_turn = 0.41421356f;

static md5_vec3 turn_with(const md5_hold_step *step, md5_vec3 v)
{
    return (md5_vec3){step->cosine * v.x - step->sine * v.y, step->sine * v.x + step->cosine * v.y,
                      0.0f};
}

// Into the space that the character has now.
static void carry(const md5_hold_step *step, md5_held *held)
{
    const md5_vec3 move = {step->x, step->y, 0.0f};
    const float height = held->animated.z;
    held->animated = md5_vec3_add(turn_with(step, held->animated), move);
    held->animated.z = height;
    held->place = md5_vec3_add(turn_with(step, held->place), move);
    held->shift = turn_with(step, held->shift);
    held->rate = turn_with(step, held->rate);
    held->facing = turn_with(step, held->facing);
    held->heading = turn_with(step, held->heading);
}

// -- Heading ----------------------------------------------------------------------------------

md5_vec3 md5i_level_facing(md5_vec3 direction)
{
    const float square = direction.x * direction.x + direction.y * direction.y;
    if (!(square > 0.25f && square < 4.0f))
        return (md5_vec3){0.0f, 0.0f, 0.0f};
    const float scale = 1.0f / sqrtf(square);
    return (md5_vec3){scale * direction.x, scale * direction.y, 0.0f};
}

static bool is_known(md5_vec3 facing)
{
    return facing.x != 0.0f || facing.y != 0.0f;
}

// By the angle whose half has this tangent.
static md5_vec3 turn_by(float tangent, md5_vec3 v)
{
    const float square = tangent * tangent;
    const float cosine = (1.0f - square) / (1.0f + square), sine = 2.0f * tangent / (1.0f + square);
    return (md5_vec3){cosine * v.x - sine * v.y, sine * v.x + cosine * v.y, 0.0f};
}

// The tangent of half of the angle between two level directions, within the limit.
static float turn_between(md5_vec3 from, md5_vec3 to)
{
    const float cosine = from.x * to.x + from.y * to.y, sine = from.x * to.y - from.y * to.x;
    const float size = sqrtf(cosine * cosine + sine * sine);
    const float most = farthest_turn * (size + cosine);
    if (!(fabsf(sine) < most))
        return sine < 0.0f ? -farthest_turn : farthest_turn;
    return sine / (size + cosine);
}

// By how much a point is moved, level, if it is turned about another one.
static md5_vec3 swing(float tangent, md5_vec3 about, md5_vec3 point)
{
    const md5_vec3 arm = {point.x - about.x, point.y - about.y, 0.0f};
    return md5_vec3_sub(turn_by(tangent, arm), arm);
}

md5_vec3 md5i_held_shift(const md5_held *held, md5_vec3 ankle, float weight)
{
    const md5_vec3 turned = swing(held->turn * weight, held->animated, ankle);
    return md5_vec3_add(md5_vec3_scale(held->shift, weight), turned);
}

// -- Place ------------------------------------------------------------------------------------

// Where a held foot has to be moved to.
static md5_vec3 shift_to(const md5_held *held, md5_vec3 sole)
{
    return (md5_vec3){held->place.x - sole.x, held->place.y - sole.y, 0.0f};
}

static bool is_too_far(const md5_hold_numbers *hold, const md5_hold_step *step,
                       const md5_held *held)
{
    const md5_vec3 shift = shift_to(held, step->sole);
    if (md5_vec3_dot(shift, shift) > hold->distance * hold->distance)
        return true;
    // A heading is held while the place is, unless the animation turns the sole.
    const bool has_heading = is_known(held->heading) && is_known(step->facing) && !step->turns;
    const float turn = has_heading ? turn_between(step->facing, held->heading) : held->turn;
    const md5_vec3 turned = swing(turn, step->sole, step->ankle);
    // The leg is stretched if it is longer than nearly its reach, and than it is animated.
    const md5_vec3 leg = md5_vec3_add(step->leg, md5_vec3_add(shift, turned));
    const float longest = straight * step->reach;
    const float square = md5_vec3_dot(leg, leg);
    return square > longest * longest && square > md5_vec3_dot(step->leg, step->leg);
}

// Blends and transitions move a sole that stands in their clips, but not as fast as one that swings
// through near the ground.
static bool is_slow(const md5_hold_numbers *hold, const md5_hold_step *step, const md5_held *held)
{
    const float x = step->sole.x - held->animated.x, y = step->sole.y - held->animated.y;
    const float most = 3.0f * hold->speed * step->seconds;
    return x * x + y * y <= most * most;
}

static bool is_down(const md5_hold_numbers *hold, float height)
{
    return height <= 0.5f * hold->height;
}

// It is held where it was before, if it was down already: else the last step would still be seen.
static void begin_to_hold(const md5_hold_numbers *hold, const md5_hold_step *step, md5_held *held)
{
    const bool was_down = is_down(hold, held->animated.z) && is_slow(hold, step, held);
    const bool has_pointed = was_down && is_known(held->facing);
    held->place = md5_vec3_add(was_down ? held->animated : step->sole, held->shift);
    held->heading = turn_by(held->turn, has_pointed ? held->facing : step->facing);
}

// A foot that is let go on the ground makes a step of this share of its way in height.
static const float arched = 0.33f;

// Limits the velocity that a foot begins to return with, so that it goes at most by a fifth farther
// away: 2 exp(-1/2) times as far. A foot that lifts quickly would be thrown over the other one.
static void limit_rate(const md5_hold_numbers *hold, md5_held *held)
{
    if (!(hold->release > shortest))
        return;
    const float frequency = (float)(settled / (double)hold->release);
    const float most = frequency * frequency * md5_vec3_dot(held->shift, held->shift);
    const float square = md5_vec3_dot(held->rate, held->rate);
    if (square > most)
        held->rate = md5_vec3_scale(held->rate, sqrtf(most / square));
}

static void let_go_or_hold(const md5_hold_numbers *hold, const md5_hold_step *step, md5_held *held)
{
    const bool is_low = step->sole.z <= hold->height;
    held->wait = held->wait > step->seconds ? held->wait - step->seconds : 0.0f;
    if (held->is_held) {
        const bool is_far = is_too_far(hold, step, held);
        held->is_held = is_low && !step->slides && !is_far;
        if (!held->is_held)
            limit_rate(hold, held);
        held->wait = is_far && hold->release > step->seconds ? hold->release - step->seconds : 0.0f;
        held->arc = arched * sqrtf(md5_vec3_dot(held->shift, held->shift));
        return;
    }
    // A sole begins to be held that stands in most of its clips, or may.
    if (held->wait > 0.0f || !is_low || !(hold->distance > 0.0f))
        return;
    if (!step->stands
        && (step->slides || !is_down(hold, step->sole.z) || !is_slow(hold, step, held)))
        return;
    // After seconds without a pose, where it was before may be out of reach.
    begin_to_hold(hold, step, held);
    held->is_held = !is_too_far(hold, step, held);
}

// Brings a value back to 0, critically damped. Exact for any step.
static void settle(const md5_hold_numbers *hold, float seconds, float *value, float *rate)
{
    if (!(hold->release > shortest)) {
        *value = *rate = 0.0f;
        return;
    }
    const double constant = settled / (double)hold->release;
    const float frequency = (float)constant;
    const float keep = (float)md5i_decay(constant * (double)seconds);
    const float way = (*rate + *value * frequency) * seconds;
    *value = (*value + way) * keep;
    *rate = (*rate - way * frequency) * keep;
}

// At the limit it goes along with the body.
static void hold_heading(const md5_hold_numbers *hold, const md5_hold_step *step, md5_held *held)
{
    if (!held->is_held || step->turns || !is_known(step->facing)) {
        if (is_known(held->heading)) {
            held->heading = (md5_vec3){0.0f, 0.0f, 0.0f};
            if (hold->release > shortest) { // as in limit_rate()
                const float fastest = (float)(settled / (double)hold->release) * fabsf(held->turn);
                if (!(fabsf(held->turn_rate) <= fastest))
                    held->turn_rate = held->turn_rate < 0.0f ? -fastest : fastest;
            }
        }
        settle(hold, step->seconds, &held->turn, &held->turn_rate);
        return;
    }
    if (!is_known(held->heading))
        held->heading = turn_by(held->turn, step->facing);
    const float before = held->turn;
    held->turn = turn_between(step->facing, held->heading);
    if (!(fabsf(held->turn) < farthest_turn))
        held->heading = turn_by(held->turn, step->facing);
    if (step->seconds > 0.0f)
        held->turn_rate = (held->turn - before) / step->seconds;
}

// A parabola over the time until it may be held; not on top of what the animation lifts it.
static float find_lift(const md5_hold_numbers *hold, const md5_held *held, float height)
{
    if (!(held->wait > 0.0f))
        return 0.0f;
    const float left = held->wait / hold->release;
    const float above = 4.0f * held->arc * left * (1.0f - left);
    const float own = height > 0.0f ? height : 0.0f;
    return above > own ? above - own : 0.0f;
}

static bool is_sound(const md5_held *held)
{
    return md5_is_place(held->place) && md5_is_place(held->shift) && md5_is_place(held->rate)
           && md5_is_place(held->facing) && md5_is_place(held->heading) && fabsf(held->turn) < 1.0f
           && fabsf(held->turn_rate) < MD5_FARTHEST;
}

void md5i_advance_hold(const md5_hold_numbers *hold, const md5_hold_step *step, bool is_first,
                       md5_held *held)
{
    if (is_first || !is_sound(held))
        *held = (md5_held){.animated = step->sole};
    else
        carry(step, held);
    let_go_or_hold(hold, step, held);
    hold_heading(hold, step, held);
    held->animated = step->sole;
    held->facing = step->facing;
    held->lift = find_lift(hold, held, step->sole.z);
    if (!held->is_held) {
        settle(hold, step->seconds, &held->shift.x, &held->rate.x);
        settle(hold, step->seconds, &held->shift.y, &held->rate.y);
        return;
    }
    const md5_vec3 before = held->shift;
    held->shift = shift_to(held, step->sole);
    if (step->seconds > 0.0f)
        held->rate = md5_vec3_scale(md5_vec3_sub(held->shift, before), 1.0f / step->seconds);
}

// == Ground ======================================================================================
//
// Feet on uneven ground, as in id's walk IK: each ankle is moved by the height of the floor under
// it, the pelvis is lowered with the lowest floor, and the legs are solved for the ankles.

// Moves `height` towards `goal`; the share `keep` of the difference remains.
static float smoothed(float height, float goal, float keep)
{
    const float from = fabsf(height) < MD5_FARTHEST ? height : 0.0f;
    const float to = fabsf(goal) < MD5_FARTHEST ? goal : from;
    return to + (from - to) * keep;
}

// `sunk`: the height by which the pelvis has moved the ankle. `held`: by what it is to be moved and
// turned, or NULL.
static md5_limb_result place_foot(const md5_skeleton *skeleton, md5_xform *pose,
                                  const md5_limb *leg, md5_foot *foot, const md5_held *held,
                                  float sunk, float weight)
{
    const md5_vec3 up = md5_up(skeleton->axes);
    const md5_xform ankle = md5_joint_in_model(skeleton, pose, foot->ankle);
    const md5_vec3 normal = md5_is_place(foot->normal) ? md5_vec3_normalize(foot->normal, up) : up;
    const md5_quat tilt = md5_quat_slerp(MD5_NO_TURN, md5_turn_between(up, normal), weight);
    md5_quat rotation = ankle.rotation;
    md5_vec3 target = md5i_vec3_from_axes(skeleton->axes, ankle.translation);
    target.z = target.z - sunk + foot->lift * weight;
    if (held) {
        target = md5_vec3_add(target, md5i_held_shift(held, target, weight));
        target.z += held->lift * weight;
        // About `up` by the angle whose half has this tangent.
        const float tangent = (md5_is_mirrored(skeleton->axes) ? -held->turn : held->turn) * weight;
        const float cosine = 1.0f / sqrtf(1.0f + tangent * tangent);
        const md5_vec3 v = md5_vec3_scale(up, tangent * cosine);
        rotation = md5_quat_mul((md5_quat){v.x, v.y, v.z, cosine}, rotation);
    }
    rotation = md5_quat_mul(tilt, rotation);
    const md5_two_bone_job job = {
        .target = md5i_vec3_to_axes(skeleton->axes, target),
        .rotation = &rotation,
        .weight = 1.0f,
    };
    return md5i_bend_limb(skeleton, pose, leg, &job, &foot->miss);
}

uint32_t md5i_solve_held_feet(const md5_skeleton *skeleton, md5_feet_job *job, const md5_held *held,
                              uint32_t num_held, md5_xform *pose)
{
    float keep = 0.0f; // also in a step of 0 seconds, such as a single pose
    if (job->smoothing > 0.0f)
        keep = job->seconds > 0.0f
                   ? (float)md5i_decay((double)job->seconds / (double)job->smoothing)
                   : 1.0f;
    float lowest = INFINITY;
    for (uint32_t i = 0; i < job->num_feet; i++) {
        md5_foot *const foot = &job->feet[i];
        lowest = foot->floor < lowest ? foot->floor : lowest;
        foot->lift = smoothed(foot->lift, foot->floor, keep);
    }
    job->drop = smoothed(job->drop, lowest, keep);
    const float share = job->weight > 0.0f ? (job->weight < 1.0f ? job->weight : 1.0f) : 0.0f;
    const float sunk = job->drop * share;
    if (share > 0.0f && job->pelvis < skeleton->num_joints) {
        const md5_quat above = md5i_parent_in_model(skeleton, pose, job->pelvis).rotation;
        const md5_vec3 shift =
            md5_quat_rotate(md5_quat_conjugate(above),
                            md5i_vec3_to_axes(skeleton->axes, (md5_vec3){0.0f, 0.0f, sunk}));
        pose[job->pelvis].translation = md5_vec3_add(pose[job->pelvis].translation, shift);
    }
    uint32_t num_placed = 0;
    for (uint32_t i = 0; i < job->num_feet; i++) {
        md5_foot *const foot = &job->feet[i];
        md5_limb leg = {foot->hip, foot->knee, foot->ankle};
        foot->result = foot->has_leg ? md5i_check_limb(skeleton, &leg)
                                     : md5i_limb_above(skeleton, foot->ankle, &leg);
        foot->miss = foot->result == MD5_LIMB_PLACED ? 0.0f : INFINITY;
        if (foot->result == MD5_LIMB_PLACED && share > 0.0f) {
            const bool has_sunk =
                foot->ankle == job->pelvis || md5i_is_below(skeleton, foot->ankle, job->pelvis);
            foot->result = place_foot(skeleton, pose, &leg, foot, i < num_held ? &held[i] : NULL,
                                      has_sunk ? sunk : 0.0f, share);
        }
        if (foot->result == MD5_LIMB_PLACED && !(fabsf(foot->floor) < MD5_FARTHEST))
            foot->result = MD5_LIMB_NOT_FINITE;
        num_placed += foot->result == MD5_LIMB_PLACED;
    }
    return num_placed;
}

uint32_t md5_solve_feet(const md5_skeleton *skeleton, md5_feet_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    MD5_ASSERT(job->feet != NULL || job->num_feet == 0, "feet: not NULL");
    return md5i_solve_held_feet(skeleton, job, NULL, 0, pose);
}
