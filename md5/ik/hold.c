#include "md5/ik/hold.h"

#include "md5/core/decay.h"
#include "md5/ik/space.h"

// A critically damped spring has 1 % left of a displacement at rest after so many of its time
// constants: (1 + x) exp(-x) = 0.01.
static const double settled = 6.638;

// A foot with a shorter release is back at once.
static const float shortest = 1e-6f;

// A leg is stretched if it is longer than this share of its reach, and than it is animated.
static const float straight = 0.999f;

static md5_vec3 turn(const md5_hold_step *step, md5_vec3 v)
{
    return (md5_vec3){step->cosine * v.x - step->sine * v.y, step->sine * v.x + step->cosine * v.y,
                      0.0f};
}

// Into the space that the character has now.
static void carry(const md5_hold_step *step, md5_held *held)
{
    const md5_vec3 move = {step->x, step->y, 0.0f};
    const float height = held->animated.z;
    held->animated = md5_vec3_add(turn(step, held->animated), move);
    held->animated.z = height;
    held->place = md5_vec3_add(turn(step, held->place), move);
    held->shift = turn(step, held->shift);
    held->rate = turn(step, held->rate);
}

static bool is_stretched(const md5_hold_step *step, md5_vec3 shift)
{
    const md5_vec3 leg = md5_vec3_add(step->leg, shift);
    const float most = straight * step->reach;
    const float square = md5_vec3_dot(leg, leg);
    return square > most * most && square > md5_vec3_dot(step->leg, step->leg);
}

// Where a held foot has to be moved to.
static md5_vec3 shift_to(const md5_held *held, md5_vec3 sole)
{
    return (md5_vec3){held->place.x - sole.x, held->place.y - sole.y, 0.0f};
}

static bool is_too_far(const md5_hold *hold, const md5_hold_step *step, md5_vec3 shift)
{
    return md5_vec3_dot(shift, shift) > hold->distance * hold->distance
           || is_stretched(step, shift);
}

// Blends and transitions move a sole that stands in their clips, but not as fast as one that swings
// through near the ground.
static bool is_slow(const md5_hold *hold, const md5_hold_step *step, const md5_held *held)
{
    const float x = step->sole.x - held->animated.x, y = step->sole.y - held->animated.y;
    const float most = 3.0f * hold->speed * step->seconds;
    return x * x + y * y <= most * most;
}

static bool is_down(const md5_hold *hold, float height)
{
    return height <= 0.5f * hold->height;
}

// Whether a sole that stands in most of its clips, or may, begins to be held.
static bool begins(const md5_hold *hold, const md5_hold_step *step, const md5_held *held)
{
    if (held->wait > 0.0f || !(step->sole.z <= hold->height) || !(hold->distance > 0.0f))
        return false;
    return step->stands
           || (!step->slides && is_down(hold, step->sole.z) && is_slow(hold, step, held));
}

// It is held where it was before, if it was down already: else the last step would still be seen.
static md5_vec3 place_to_hold(const md5_hold *hold, const md5_hold_step *step, const md5_held *held)
{
    const bool was_down = is_down(hold, held->animated.z) && is_slow(hold, step, held);
    return md5_vec3_add(was_down ? held->animated : step->sole, held->shift);
}

// A foot that is let go on the ground makes a step of this share of its way in height.
static const float arched = 0.33f;

// Limits the velocity that a foot begins to return with, so that it goes at most by a fifth farther
// away: 2 exp(-1/2) times as far. A foot that lifts quickly would be thrown over the other one.
static void limit_rate(const md5_hold *hold, md5_held *held)
{
    if (!(hold->release > shortest))
        return;
    const float frequency = (float)(settled / (double)hold->release);
    const float most = frequency * frequency * md5_vec3_dot(held->shift, held->shift);
    const float square = md5_vec3_dot(held->rate, held->rate);
    if (square > most)
        held->rate = md5_vec3_scale(held->rate, sqrtf(most / square));
}

static void let_go_or_hold(const md5_hold *hold, const md5_hold_step *step, md5_held *held)
{
    const bool is_low = step->sole.z <= hold->height;
    held->wait = held->wait > step->seconds ? held->wait - step->seconds : 0.0f;
    if (held->is_held) {
        const md5_vec3 shift = shift_to(held, step->sole);
        const bool is_far = is_too_far(hold, step, shift);
        held->is_held = is_low && !step->slides && !is_far;
        if (!held->is_held)
            limit_rate(hold, held);
        held->wait = is_far && hold->release > step->seconds ? hold->release - step->seconds : 0.0f;
        held->arc = arched * sqrtf(md5_vec3_dot(held->shift, held->shift));
        return;
    }
    if (!begins(hold, step, held))
        return;
    // After seconds without a pose, where it was before may be out of reach.
    held->place = place_to_hold(hold, step, held);
    held->is_held = !is_too_far(hold, step, shift_to(held, step->sole));
}

// Exact for any step.
static void settle(const md5_hold *hold, float seconds, md5_held *held)
{
    if (!(hold->release > shortest)) {
        held->shift = held->rate = (md5_vec3){0.0f, 0.0f, 0.0f};
        return;
    }
    const double constant = settled / (double)hold->release;
    const float frequency = (float)constant;
    const float keep = (float)md5_decay(constant * (double)seconds);
    const md5_vec3 pull = md5_vec3_add(held->rate, md5_vec3_scale(held->shift, frequency));
    const md5_vec3 way = md5_vec3_scale(pull, seconds);
    held->shift = md5_vec3_scale(md5_vec3_add(held->shift, way), keep);
    held->rate = md5_vec3_scale(md5_vec3_sub(held->rate, md5_vec3_scale(way, frequency)), keep);
}

// A parabola over the time until it may be held; not on top of what the animation lifts it.
static float find_lift(const md5_hold *hold, const md5_held *held, float height)
{
    if (!(held->wait > 0.0f))
        return 0.0f;
    const float left = held->wait / hold->release;
    const float above = 4.0f * held->arc * left * (1.0f - left);
    const float own = height > 0.0f ? height : 0.0f;
    return above > own ? above - own : 0.0f;
}

void md5_advance_hold(const md5_hold *hold, const md5_hold_step *step, bool is_first,
                      md5_held *held)
{
    if (is_first || !md5_is_place(held->place) || !md5_is_place(held->shift)
        || !md5_is_place(held->rate))
        *held = (md5_held){.animated = step->sole};
    else
        carry(step, held);
    let_go_or_hold(hold, step, held);
    held->animated = step->sole;
    held->lift = find_lift(hold, held, step->sole.z);
    if (!held->is_held) {
        settle(hold, step->seconds, held);
        return;
    }
    const md5_vec3 before = held->shift;
    held->shift = shift_to(held, step->sole);
    if (step->seconds > 0.0f)
        held->rate = md5_vec3_scale(md5_vec3_sub(held->shift, before), 1.0f / step->seconds);
}
