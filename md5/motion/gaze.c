// A head and eyes that look about: points are chosen, eyes jump to them, the head follows.
//
// Directions are tangents: a point at distance 1 ahead of the origin, moved to the left and upward.
// So no angle functions are needed, whose bits differ between platforms.
#include "md5/md5pose.h"

#include "md5/core/assert.h"
#include "md5/motion/numbers.h"
#include "md5/motion/spring.h"
#include "md5/motion/space.h"

// Seconds of one call; and the shortest rest, so that their number is bounded.
static const double longest_step = 60.0;
static const float shortest_rest = 0.05f;

// Seconds of a saccade: of any, and for each radian of its angle.
static const float saccade_base = 0.021f, saccade_slope = 0.126f;

static md5_gaze_numbers numbers_of(const md5_gaze_desc *desc)
{
    md5_gaze_numbers numbers = desc->numbers;
#define FILL(name, least, most, usual, text) numbers.name = md5_number_or(numbers.name, usual);
    MD5_GAZE_NUMBERS(FILL, FILL)
#undef FILL
    return numbers;
}

// Weyl sequence and mixer: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
// 2014. Returns a number from 0 up to 1 without it, of 24 bits.
static float next_random(md5_gaze *gaze)
{
    uint64_t bits = gaze->random += UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
    bits ^= bits >> 31;
    return (float)(bits >> 40) * (1.0f / 16777216.0f);
}

// -- Points ---------------------------------------------------------------------------------

// Where a target is seen. Returns false if it is not in front.
static bool direction_of(const md5_gaze_desc *desc, md5_axes axes, int32_t target,
                         md5_vec2 *direction)
{
    if (target < 0 || (uint32_t)target >= desc->num_targets)
        return false;
    const md5_vec3 way = md5_vec3_sub(desc->targets[target], desc->origin);
    const md5_vec3 seen = md5i_vec3_from_axes(axes, way); // x ahead, y left, z up
    if (!md5_is_place(way) || !(seen.x > 1e-3f * (fabsf(seen.y) + fabsf(seen.z))))
        return false;
    *direction = (md5_vec2){seen.y / seen.x, seen.z / seen.x};
    return true;
}

// Smooth at both ends: 3 t^2 - 2 t^3.
static md5_vec2 eyes_at(const md5_gaze *gaze)
{
    if (!(gaze->seconds < gaze->duration))
        return gaze->to;
    const float t = gaze->seconds / gaze->duration, part = t * t * (3.0f - 2.0f * t);
    return (md5_vec2){gaze->from.x + (gaze->to.x - gaze->from.x) * part,
                      gaze->from.y + (gaze->to.y - gaze->from.y) * part};
}

static md5_vec3 point_at(const md5_gaze_desc *desc, md5_axes axes, md5_vec2 direction)
{
    const float distance = numbers_of(desc).distance;
    const md5_vec3 way = {distance, distance * direction.x, distance * direction.y};
    return md5_vec3_add(desc->origin, md5i_vec3_to_axes(axes, way));
}

// -- Time -----------------------------------------------------------------------------------

// Each choice takes five random numbers, so that targets that come and go shift no other one.
static void choose(const md5_gaze_desc *desc, const md5_gaze_numbers *numbers, md5_axes axes,
                   md5_gaze *gaze)
{
    const float x = 2.0f * next_random(gaze) - 1.0f, y = 2.0f * next_random(gaze) - 1.0f;
    const float chance = next_random(gaze), which = next_random(gaze);
    const float least = numbers->least_seconds;
    const float rest = least + (numbers->most_seconds - least) * next_random(gaze);
    gaze->from = eyes_at(gaze);
    gaze->target = -1;
    gaze->to = (md5_vec2){x * numbers->wide, y * numbers->high};
    const int32_t target = (int32_t)(uint32_t)((double)which * (double)desc->num_targets);
    if (chance < numbers->interest && direction_of(desc, axes, target, &gaze->to))
        gaze->target = target;
    gaze->seconds = 0.0f;
    // About the angle between the two directions: the chord between their unit vectors.
    const md5_vec3 straight = {1.0f, 0.0f, 0.0f};
    const md5_vec3 p = md5_vec3_normalize((md5_vec3){1.0f, gaze->from.x, gaze->from.y}, straight);
    const md5_vec3 q = md5_vec3_normalize((md5_vec3){1.0f, gaze->to.x, gaze->to.y}, straight);
    gaze->duration = saccade_base + saccade_slope * md5_vec3_length(md5_vec3_sub(p, q));
    gaze->rest = rest > shortest_rest ? rest : shortest_rest;
}

// Sums of finite numbers that are this large may be infinite, their difference from themselves NaN.
static bool is_finite(const md5_gaze *gaze)
{
    const float most = 1e18f;
    const float numbers[] = {gaze->from.x, gaze->from.y, gaze->to.x,    gaze->to.y,    gaze->head.x,
                             gaze->head.y, gaze->rest,   gaze->seconds, gaze->duration};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!(fabsf(numbers[i]) <= most))
            return false;
    return true;
}

void md5_gaze_begin(uint64_t seed, md5_gaze *gaze)
{
    MD5_ASSERT(gaze != NULL, "gaze: not NULL");
    *gaze = (md5_gaze){.random = seed, .target = -1};
}

void md5_gaze_advance(const md5_gaze_desc *desc, md5_axes axes, md5_gaze *gaze, double seconds)
{
    MD5_ASSERT(desc != NULL, "desc: not NULL");
    MD5_ASSERT(gaze != NULL, "gaze: not NULL");
    double left = seconds > longest_step ? longest_step : seconds; // NaN stays, and ends at once
    if (!is_finite(gaze))
        md5_gaze_begin(gaze->random, gaze);
    const md5_gaze_numbers numbers = numbers_of(desc);
    const double constant = (double)numbers.head_seconds;
    while (left > 0.0) {
        if (!(gaze->rest > 0.0f))
            choose(desc, &numbers, axes, gaze);
        const double step = left < (double)gaze->rest ? left : (double)gaze->rest;
        (void)direction_of(desc, axes, gaze->target, &gaze->to);
        // The head approaches its part of the way, exactly for any step.
        const float part = constant > 0.0 ? (float)(1.0 - md5i_decay(step / constant)) : 1.0f;
        gaze->head.x += (numbers.head_share * gaze->to.x - gaze->head.x) * part;
        gaze->head.y += (numbers.head_share * gaze->to.y - gaze->head.y) * part;
        gaze->seconds += (float)step;
        gaze->rest = left < (double)gaze->rest ? gaze->rest - (float)step : 0.0f;
        left -= step;
    }
}

// -- Pose -----------------------------------------------------------------------------------

md5_vec3 md5_gaze_point(const md5_gaze_desc *desc, md5_axes axes, const md5_gaze *gaze)
{
    MD5_ASSERT(desc != NULL, "desc: not NULL");
    MD5_ASSERT(gaze != NULL, "gaze: not NULL");
    const bool is_there = !(gaze->seconds < gaze->duration);
    if (is_there && gaze->target >= 0 && (uint32_t)gaze->target < desc->num_targets
        && md5_is_place(desc->targets[gaze->target]))
        return desc->targets[gaze->target];
    return point_at(desc, axes, eyes_at(gaze));
}

uint32_t md5_gaze_pose(const md5_gaze_desc *desc, const md5_gaze *gaze,
                       const md5_skeleton *skeleton, float weight, md5_xform *pose)
{
    MD5_ASSERT(desc != NULL, "desc: not NULL");
    MD5_ASSERT(gaze != NULL, "gaze: not NULL");
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(desc->num_eyes <= MD5_MAX_EYES, "num_eyes: at most MD5_MAX_EYES");
    const md5_gaze_numbers *const numbers = &desc->numbers, filled = numbers_of(desc);
    // A limit of MD5_ZERO is what md5_solve_aim() takes for none.
    const float head_limit = numbers->head_limit == MD5_ZERO ? MD5_ZERO : filled.head_limit;
    const float eye_limit = numbers->eye_limit == MD5_ZERO ? MD5_ZERO : filled.eye_limit;
    md5_aim_job job = {
        .tip = desc->head,
        .length = numbers->length > 0 ? numbers->length : 3,
        .target = point_at(desc, skeleton->axes, gaze->head),
        .numbers = {.limit = head_limit},
        .weight = weight,
    };
    (void)md5_solve_aim(skeleton, &job, pose);
    uint32_t count = 0;
    job.length = 1;
    job.target = md5_gaze_point(desc, skeleton->axes, gaze);
    job.numbers.limit = eye_limit;
    for (uint32_t i = 0; i < desc->num_eyes; i++) {
        job.tip = desc->eyes[i];
        count += md5_solve_aim(skeleton, &job, pose) ? 1u : 0u;
    }
    return count;
}
