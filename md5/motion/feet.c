// Feet: locked soles (md5i_advance_foot_lock()), feet on uneven ground (md5_solve_feet()), and legs
// that step without an animation (md5_gait_advance()).
//
// Horizontal means perpendicular to the up axis. In id's axes, z is up and x is forward.
#include "md5/motion/feet.h"
#include "md5/motion/functions.h"
#include "md5/motion/numbers.h"
#include "md5/motion/space.h"

// == Hold ========================================================================================
//
// A sole that stands in the animation is locked at its position on the ground. Without a lock,
// blends, transitions or the movement of the character would move the foot, so that it slides.
//
// A locked sole is released when the animation lifts it or is too far away. The foot then returns
// to the animation like a critically damped spring. See md5_foot_lock.
//
// A lock moves a sole horizontally and rotates it about the vertical axis. The rotation is stored
// as `half_tangent`, the tangent of half of its angle. Sine and cosine follow from it without
// trigonometric functions.

// Number of time constants after which 1 % of the displacement of a critically damped spring is
// left. It is the solution of (1 + x) exp(-x) = 0.01.
static const double settled_time = 6.638;

// If a release takes at most this time, in seconds, the foot returns immediately.
static const float min_release = 1e-6f;

// A leg counts as stretched if it is longer than this fraction of its reach.
static const float stretched_ratio = 0.999f;

// Maximum half_tangent: a lock rotates a sole by at most 45 degrees.
static const float max_half_tangent = 0.41421356f;

// Returns the inverse of the time constant with which a released foot returns to the animation, in
// 1/s. 0 means that the foot returns immediately.
static double return_frequency(const md5_hold_params *hold)
{
    return hold->release > min_release ? settled_time / hold->release : 0;
}

// Rotates a horizontal vector from the character's space of the previous update to its current
// space. Sets z to 0.
static md5_vec3 rotate_with_character(const md5_foot_lock_step *step, md5_vec3 v)
{
    return (md5_vec3){step->cosine * v.x - step->sine * v.y, step->sine * v.x + step->cosine * v.y,
                      0};
}

// -- Heading ----------------------------------------------------------------------------------

// Limits of the squared horizontal length of a direction. Below the minimum, the direction is too
// steep to have a heading. Above the maximum, it is not a unit vector.
#define MIN_HEADING_SQUARE 0.25f
#define MAX_HEADING_SQUARE 4.0f

// The heading of a direction is the horizontal direction in which it points. Returns the heading of
// a unit vector, with length 1. Returns 0 if the vector is steeper than 60 degrees.
md5_vec3 md5i_level_heading(md5_vec3 direction)
{
    const float square = direction.x * direction.x + direction.y * direction.y;
    if (!(square > MIN_HEADING_SQUARE && square < MAX_HEADING_SQUARE))
        return (md5_vec3){0, 0, 0};
    const float scale = 1.0f / sqrtf(square);
    return (md5_vec3){scale * direction.x, scale * direction.y, 0};
}

// Returns true if a heading is known. A heading of 0 is unknown.
static bool has_direction(md5_vec3 facing)
{
    return facing.x != 0 || facing.y != 0;
}

// Rotates a horizontal vector about z. `tangent` is the tangent of half of the rotation's angle.
static md5_vec3 rotate_by_tangent(float tangent, md5_vec3 v)
{
    const float square = tangent * tangent;
    const float cosine = (1 - square) / (1 + square);
    const float sine = 2 * tangent / (1 + square);
    return (md5_vec3){cosine * v.x - sine * v.y, sine * v.x + cosine * v.y, 0};
}

// Returns the tangent of half of the angle a from one horizontal direction to another. It is
// limited to -max_half_tangent..max_half_tangent. The directions need not have unit length.
//
//   tan(a / 2) = sin(a) / (1 + cos(a))
static float half_angle_tangent(md5_vec3 from, md5_vec3 to)
{
    // The cosine and the sine are multiplied by `size`, the product of the lengths of the vectors.
    const float cosine = from.x * to.x + from.y * to.y;
    const float sine = from.x * to.y - from.y * to.x;
    const float size = sqrtf(cosine * cosine + sine * sine);
    const float denominator = size + cosine;
    if (!(fabsf(sine) < max_half_tangent * denominator)) // also true if the denominator is 0
        return sine < 0 ? -max_half_tangent : max_half_tangent;
    return sine / denominator;
}

// Returns the horizontal movement of a point that a rotation about another point causes. `tangent`
// is the tangent of half of the rotation's angle.
static md5_vec3 rotation_offset(float tangent, md5_vec3 about, md5_vec3 point)
{
    const md5_vec3 arm = {point.x - about.x, point.y - about.y, 0};
    return md5_vec3_sub(rotate_by_tangent(tangent, arm), arm);
}

// Returns the horizontal movement of an animated ankle that brings its sole to the locked position
// and heading, in id's axes. With a weight below 1, the sole moves only a part of the way.
md5_vec3 md5i_locked_ankle_shift(const md5_foot_lock *lock, md5_vec3 ankle, float weight)
{
    const md5_vec3 rotation_shift =
        rotation_offset(lock->half_tangent * weight, lock->animated_sole, ankle);
    return md5_vec3_add(md5_vec3_scale(lock->shift, weight), rotation_shift);
}

// -- Position ---------------------------------------------------------------------------------

// Returns the movement from the animated sole to the locked position.
static md5_vec3 shift_to_locked(const md5_foot_lock *lock, md5_vec3 sole)
{
    return (md5_vec3){lock->position.x - sole.x, lock->position.y - sole.y, 0};
}

// Returns the rotation of the sole by its lock, as the tangent of half of the angle. The heading is
// locked together with the position, unless the animation rotates the sole.
static float locked_half_tangent(const md5_foot_lock_step *step, const md5_foot_lock *lock)
{
    const bool have_headings = has_direction(lock->locked_heading) && has_direction(step->heading);
    if (!have_headings || step->is_pivoting)
        return lock->half_tangent;
    return half_angle_tangent(step->heading, lock->locked_heading);
}

// Returns true if the locked position is farther from the animated position than allowed, or if the
// leg cannot reach it.
static bool is_too_far(const md5_hold_params *hold, const md5_foot_lock_step *step,
                       const md5_foot_lock *lock)
{
    const md5_vec3 shift = shift_to_locked(lock, step->sole);
    if (md5_vec3_dot(shift, shift) > hold->distance * hold->distance)
        return true;

    // The lock moves the ankle by the shift of the sole, and by the rotation about the sole.
    const float half_tangent = locked_half_tangent(step, lock);
    const md5_vec3 rotation_shift = rotation_offset(half_tangent, step->sole, step->ankle);
    const md5_vec3 ankle_shift = md5_vec3_add(shift, rotation_shift);
    const md5_vec3 leg = md5_vec3_add(step->leg, ankle_shift); // from the hip to the locked ankle

    // Release the sole only if its lock stretches the leg. The leg is then longer than in the
    // animation, and nearly as long as its reach.
    const float max_length = stretched_ratio * step->reach;
    const float square = md5_vec3_dot(leg, leg);
    const float animated_square = md5_vec3_dot(step->leg, step->leg);
    return square > max_length * max_length && square > animated_square;
}

// A sole is slow if its speed is below SLOW_SPEED_RATIO times the speed at which soles of clips
// count as standing. It is down if its height is below DOWN_HEIGHT_RATIO times the height at which
// soles are released.
#define SLOW_SPEED_RATIO 3
#define DOWN_HEIGHT_RATIO 0.5f

// Returns true if the animation moves the sole more slowly than a swinging foot. A blend or
// transition of two clips in which the sole stands also moves the sole, but slowly.
static bool is_slow(const md5_hold_params *hold, const md5_foot_lock_step *step,
                    const md5_foot_lock *lock)
{
    const float x = step->sole.x - lock->animated_sole.x;
    const float y = step->sole.y - lock->animated_sole.y;
    const float max_distance = SLOW_SPEED_RATIO * hold->speed * step->seconds;
    return x * x + y * y <= max_distance * max_distance;
}

// Returns true if a sole is near enough to the ground to be locked.
static bool is_down(const md5_hold_params *hold, float height)
{
    return height <= DOWN_HEIGHT_RATIO * hold->height;
}

// If a foot is released on the ground, it makes a step back to the animation. This is the height of
// that step as a fraction of its length.
static const float step_height_ratio = 0.33f;

// Limits the velocity with which a released foot begins to return to `frequency` times its
// distance. Without the limit, a foot that lifts quickly would cross the other foot. With it, the
// distance grows by at most about a fifth, to this factor of the distance at the release:
//
//   2 exp(-1/2) = 1.21
static void limit_return_velocity(const md5_hold_params *hold, md5_foot_lock *lock)
{
    const float frequency = (float)return_frequency(hold);
    const float max_square = frequency * frequency * md5_vec3_dot(lock->shift, lock->shift);
    const float square = md5_vec3_dot(lock->shift_velocity, lock->shift_velocity);
    if (frequency > 0 && square > max_square)
        lock->shift_velocity = md5_vec3_scale(lock->shift_velocity, sqrtf(max_square / square));
}

// Releases a locked sole if it is lifted or slides in the animation, or if it is too far from the
// animation. If it is too far, the foot makes a step back to the animation, and is not locked again
// until the end of the step.
static void check_release(const md5_hold_params *hold, const md5_foot_lock_step *step,
                          md5_foot_lock *lock)
{
    const bool is_lifted = !(step->sole.z <= hold->height);
    const bool is_far = is_too_far(hold, step, lock);
    lock->is_locked = !is_lifted && !step->is_sliding && !is_far;
    if (!lock->is_locked)
        limit_return_velocity(hold, lock);

    const bool makes_step = is_far && hold->release > step->seconds;
    lock->relock_delay = makes_step ? hold->release - step->seconds : 0;
    lock->step_height = step_height_ratio * sqrtf(md5_vec3_dot(lock->shift, lock->shift));
}

// Returns true if a sole may be locked now: it stands in the animation, or is slow on the ground.
// Returns false while the foot makes a step after its release, and if the caller has disabled
// locks.
static bool should_lock(const md5_hold_params *hold, const md5_foot_lock_step *step,
                        const md5_foot_lock *lock)
{
    const bool is_low = step->sole.z <= hold->height;
    const bool is_enabled = hold->distance > 0;
    if (lock->relock_delay > 0 || !is_low || !is_enabled)
        return false;
    if (step->is_planted)
        return true;
    return !step->is_sliding && is_down(hold, step->sole.z) && is_slow(hold, step, lock);
}

// Locks a sole at its displayed position if should_lock() permits it.
static void check_lock(const md5_hold_params *hold, const md5_foot_lock_step *step,
                       md5_foot_lock *lock)
{
    if (!should_lock(hold, step, lock))
        return;

    // If the sole was already on the ground at the previous update, lock it at the position that it
    // had then. The sole then does not move visibly in this update.
    const bool was_down = is_down(hold, lock->animated_sole.z) && is_slow(hold, step, lock);
    const md5_vec3 sole = was_down ? lock->animated_sole : step->sole;
    const bool has_old_heading = was_down && has_direction(lock->animated_heading);
    const md5_vec3 heading = has_old_heading ? lock->animated_heading : step->heading;
    lock->position = md5_vec3_add(sole, lock->shift);
    lock->locked_heading = rotate_by_tangent(lock->half_tangent, heading);

    // The leg may not reach the earlier position, for example if several seconds passed since the
    // previous update.
    lock->is_locked = !is_too_far(hold, step, lock);
}

// Locks a sole that is not locked, or releases a locked sole, if the animation requires it. Counts
// down the time during which a released sole may not be locked again.
static void lock_or_release(const md5_hold_params *hold, const md5_foot_lock_step *step,
                            md5_foot_lock *lock)
{
    const float delay = lock->relock_delay;
    lock->relock_delay = delay > step->seconds ? delay - step->seconds : 0;
    if (lock->is_locked)
        check_release(hold, step, lock);
    else
        check_lock(hold, step, lock);
}

// Moves a value toward 0 like a critically damped spring. `rate` is the derivative of the value.
// With the frequency w, the initial value x and the initial rate v, the values after the time t are
//
//   value = (x + (v + w x) t) exp(-w t)
//   rate  = (v - w (v + w x) t) exp(-w t)
//
// This is the exact solution, so the result does not depend on the division of time into steps.
static void settle(const md5_hold_params *hold, float seconds, float *value, float *rate)
{
    const double exact_frequency = return_frequency(hold);
    if (!(exact_frequency > 0)) {
        *value = 0;
        *rate = 0;
        return;
    }
    const float frequency = (float)exact_frequency;
    const float decay = (float)md5i_decay(exact_frequency * seconds);
    const float path = (*rate + *value * frequency) * seconds;
    *value = (*value + path) * decay;
    *rate = (*rate - path * frequency) * decay;
}

// Unlocks the heading of a sole. Limits the angular velocity with which the sole begins to return:
// see limit_return_velocity().
static void release_heading(const md5_hold_params *hold, md5_foot_lock *lock)
{
    lock->locked_heading = (md5_vec3){0, 0, 0};
    const float max_rate = (float)return_frequency(hold) * fabsf(lock->half_tangent);
    if (!(fabsf(lock->half_tangent_rate) <= max_rate))
        lock->half_tangent_rate = lock->half_tangent_rate < 0 ? -max_rate : max_rate;
}

// Rotates a sole against the animation, so that it keeps its locked heading. If the rotation
// reaches its limit, the locked heading follows the animation.
static void hold_heading(const md5_foot_lock_step *step, md5_foot_lock *lock)
{
    const float old_half_tangent = lock->half_tangent;
    lock->half_tangent = half_angle_tangent(step->heading, lock->locked_heading);
    const bool is_at_limit = !(fabsf(lock->half_tangent) < max_half_tangent);
    if (is_at_limit)
        lock->locked_heading = rotate_by_tangent(lock->half_tangent, step->heading);
    if (step->seconds > 0)
        lock->half_tangent_rate = (lock->half_tangent - old_half_tangent) / step->seconds;
}

// Locks the heading of a sole while its position is locked. Otherwise lets the sole return to the
// heading of the animation.
static void lock_or_release_heading(const md5_hold_params *hold, const md5_foot_lock_step *step,
                                    md5_foot_lock *lock)
{
    const bool was_locked = has_direction(lock->locked_heading);
    const bool is_locked = lock->is_locked && !step->is_pivoting && has_direction(step->heading);
    if (!is_locked) {
        if (was_locked)
            release_heading(hold, lock);
        settle(hold, step->seconds, &lock->half_tangent, &lock->half_tangent_rate);
        return;
    }
    if (!was_locked)
        lock->locked_heading = rotate_by_tangent(lock->half_tangent, step->heading);
    hold_heading(step, lock);
}

// Returns true if all numbers of a foot lock are in their valid range. The state belongs to the
// caller, who may have read it from a file.
static bool is_finite_state(const md5_foot_lock *lock)
{
    const md5_vec3 vectors[] = {lock->position, lock->shift, lock->shift_velocity,
                                lock->animated_heading, lock->locked_heading};
    for (uint32_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        if (!md5_is_valid_vec3(vectors[i]))
            return false;
    }
    return fabsf(lock->half_tangent) < 1 && fabsf(lock->half_tangent_rate) < MD5_MAX_COORDINATE;
}

// Converts the state to the current space of the character, which has moved since the previous
// update. Heights do not change.
static void move_with_character(const md5_foot_lock_step *step, md5_foot_lock *lock)
{
    const md5_vec3 move = {step->x, step->y, 0};
    const float height = lock->animated_sole.z;
    lock->animated_sole = md5_vec3_add(rotate_with_character(step, lock->animated_sole), move);
    lock->animated_sole.z = height;
    lock->position = md5_vec3_add(rotate_with_character(step, lock->position), move);
    lock->shift = rotate_with_character(step, lock->shift);
    lock->shift_velocity = rotate_with_character(step, lock->shift_velocity);
    lock->animated_heading = rotate_with_character(step, lock->animated_heading);
    lock->locked_heading = rotate_with_character(step, lock->locked_heading);
}

// Returns the height by which a foot is lifted while it steps back after a release on the ground.
// The step is a parabola over time. The height of the sole in the animation is subtracted, because
// the animation already lifts the foot by it.
static float released_lift(const md5_hold_params *hold, const md5_foot_lock_step *step,
                           const md5_foot_lock *lock)
{
    float remaining = 0; // remaining fraction of the step, from 1 to 0
    if (lock->relock_delay > 0)
        remaining = lock->relock_delay / hold->release;
    const float arc_height = 4 * lock->step_height * remaining * (1 - remaining);
    const float animated_height = step->sole.z > 0 ? step->sole.z : 0;
    return arc_height > animated_height ? arc_height - animated_height : 0;
}

// Updates the horizontal shift from the animated sole to the displayed sole. The shift of a locked
// sole leads to the locked position. The shift of a released sole returns to 0.
static void advance_shift(const md5_hold_params *hold, const md5_foot_lock_step *step,
                          md5_foot_lock *lock)
{
    if (!lock->is_locked) {
        settle(hold, step->seconds, &lock->shift.x, &lock->shift_velocity.x);
        settle(hold, step->seconds, &lock->shift.y, &lock->shift_velocity.y);
        return;
    }
    const md5_vec3 old_shift = lock->shift;
    lock->shift = shift_to_locked(lock, step->sole);
    const md5_vec3 change = md5_vec3_sub(lock->shift, old_shift);
    if (step->seconds > 0)
        lock->shift_velocity = md5_vec3_scale(change, 1.0f / step->seconds);
}

// Advances the lock of a sole by one time step. A locked sole keeps its position and heading on the
// ground although the animation moves it. A released sole returns to the animation smoothly.
void md5i_advance_foot_lock(const md5_hold_params *hold, const md5_foot_lock_step *step,
                            bool is_first, md5_foot_lock *lock)
{
    if (is_first || !is_finite_state(lock))
        *lock = (md5_foot_lock){.animated_sole = step->sole};
    else
        move_with_character(step, lock);
    lock_or_release(hold, step, lock);
    lock_or_release_heading(hold, step, lock);
    lock->animated_sole = step->sole;
    lock->animated_heading = step->heading;
    lock->lift = released_lift(hold, step, lock);
    advance_shift(hold, step, lock);
}

// == Ground ======================================================================================
//
// Feet on uneven ground, as in id's walk IK. Each ankle is moved by the height of the floor under
// it. The pelvis is lowered to the lowest floor, so that both legs reach. Then the legs are bent so
// that the ankles are at their targets.

// Moves `height` toward `goal`, so that the fraction `keep` of the difference remains. An invalid
// height starts at 0, and an invalid goal changes nothing.
static float smooth_height(float height, float goal, float keep)
{
    const float from = fabsf(height) < MD5_MAX_COORDINATE ? height : 0;
    const float to = fabsf(goal) < MD5_MAX_COORDINATE ? goal : from;
    return to + (from - to) * keep;
}

// Returns the rotation from the up axis to the normal of the ground, reduced to the fraction
// `weight`.
static md5_quat ground_tilt(md5_axes axes, md5_vec3 ground_normal, float weight)
{
    const md5_vec3 up = md5_up(axes);
    const bool is_valid = md5_is_valid_vec3(ground_normal);
    const md5_vec3 normal = is_valid ? md5_vec3_normalize(ground_normal, up) : up;
    return md5_quat_slerp(MD5_NO_ROTATION, md5_rotation_between(up, normal), weight);
}

// Returns a rotation about the up axis, in the axes of the model. `half_tangent` is the tangent of
// half of its angle in id's axes. Models can have mirrored axes, in which the sense of rotation is
// opposite.
static md5_quat rotation_about_up(md5_axes axes, float half_tangent)
{
    const float tangent = md5_is_mirrored(axes) ? -half_tangent : half_tangent;
    const float cosine = 1.0f / sqrtf(1 + tangent * tangent);
    const float sine = tangent * cosine;
    const md5_vec3 v = md5_vec3_scale(md5_up(axes), sine);
    return (md5_quat){v.x, v.y, v.z, cosine};
}

// Returns the position to which the leg moves an ankle, in id's axes. It is the animated position,
// lifted to the ground and moved with a locked sole. `sunk` is the height by which the pelvis has
// moved the ankle. `lock` is NULL if the sole has no lock.
static md5_vec3 ankle_target(md5_vec3 animated, const md5_foot *foot, const md5_foot_lock *lock,
                             float sunk, float weight)
{
    md5_vec3 target = animated;
    target.z = target.z - sunk + foot->lift * weight;
    if (lock) {
        target = md5_vec3_add(target, md5i_locked_ankle_shift(lock, target, weight));
        target.z += lock->lift * weight;
    }
    return target;
}

// Returns the rotation of an ankle in model space: the animated rotation, rotated about the up axis
// with a locked sole, and then tilted like the ground.
static md5_quat placed_rotation(md5_axes axes, md5_quat animated, const md5_foot *foot,
                                const md5_foot_lock *lock, float weight)
{
    const md5_quat tilt = ground_tilt(axes, foot->normal, weight);
    if (!lock)
        return md5_quat_mul(tilt, animated);
    const md5_quat heading = rotation_about_up(axes, lock->half_tangent * weight);
    return md5_quat_mul(tilt, md5_quat_mul(heading, animated));
}

// Solves one leg so that its ankle is at its target and tilted like the ground. `sunk` is the
// height by which the pelvis has moved the ankle. `lock` is NULL if the sole has no lock.
static md5_limb_result solve_leg_to_ankle(const md5_skeleton *skeleton, md5_xform *pose,
                                          const md5_limb *leg, md5_foot *foot,
                                          const md5_foot_lock *lock, float sunk, float weight)
{
    const md5_axes axes = skeleton->axes;
    const md5_xform ankle = md5_joint_in_model(skeleton, pose, foot->ankle);
    const md5_vec3 animated = md5i_vec3_from_axes(axes, ankle.translation);
    const md5_vec3 target = ankle_target(animated, foot, lock, sunk, weight);
    const md5_quat rotation = placed_rotation(axes, ankle.rotation, foot, lock, weight);
    const md5_two_bone_job job = {
        .target = md5i_vec3_to_axes(axes, target),
        .rotation = &rotation,
        .weight = 1,
    };
    return md5i_bend_limb(skeleton, pose, leg, &job, &foot->miss);
}

// Returns the fraction of a height difference that remains after the time step of a job. Without
// smoothing, no difference remains. Without a time step, heights do not change.
static float remaining_height_fraction(const md5_feet_job *job)
{
    if (!(job->smoothing > 0))
        return 0;
    if (!(job->seconds > 0))
        return 1;
    return (float)md5i_decay((double)job->seconds / job->smoothing);
}

// Moves the lifts of the feet and the drop of the pelvis smoothly toward the heights of the floor.
static void smooth_heights(md5_feet_job *job)
{
    const float keep = remaining_height_fraction(job);
    float min_floor = INFINITY;
    for (uint32_t i = 0; i < job->num_feet; i++) {
        md5_foot *const foot = &job->feet[i];
        min_floor = foot->floor < min_floor ? foot->floor : min_floor;
        foot->lift = smooth_height(foot->lift, foot->floor, keep);
    }
    job->drop = smooth_height(job->drop, min_floor, keep);
}

// Moves a joint up by `height` units.
static void raise_joint(const md5_skeleton *skeleton, uint32_t joint, float height, md5_xform *pose)
{
    const md5_quat above = md5i_parent_in_model(skeleton, pose, joint).rotation;
    const md5_vec3 shift = md5i_vec3_to_axes(skeleton->axes, (md5_vec3){0, 0, height});
    const md5_vec3 local_shift = md5_quat_rotate(md5_quat_conjugate(above), shift);
    pose[joint].translation = md5_vec3_add(pose[joint].translation, local_shift);
}

// Finds the leg of a foot: the joints that the foot specifies, or else its ankle and the two joints
// above it. Returns MD5_LIMB_REACHED, or the reason why there is no leg.
static md5_limb_result find_leg(const md5_skeleton *skeleton, const md5_foot *foot, md5_limb *leg)
{
    if (!foot->has_leg)
        return md5i_limb_above(skeleton, foot->ankle, leg);
    *leg = (md5_limb){foot->hip, foot->knee, foot->ankle};
    return md5i_check_limb(skeleton, leg);
}

// Solves the leg of a foot after the pelvis has been lowered. Sets foot->result, and foot->miss,
// which is the distance of the ankle from its target. With a weight of 0, only checks whether there
// is a leg.
static void solve_foot(const md5_skeleton *skeleton, const md5_feet_job *job,
                       const md5_foot_lock *lock, md5_foot *foot, float weight, md5_xform *pose)
{
    md5_limb leg;
    foot->result = find_leg(skeleton, foot, &leg);
    if (foot->result != MD5_LIMB_REACHED) {
        foot->miss = INFINITY;
        return;
    }

    foot->miss = 0;
    if (weight > 0) {
        const bool moves_with_pelvis =
            foot->ankle == job->pelvis || md5i_is_descendant(skeleton, foot->ankle, job->pelvis);
        const float sunk = moves_with_pelvis ? job->drop * weight : 0;
        foot->result = solve_leg_to_ankle(skeleton, pose, &leg, foot, lock, sunk, weight);
    }

    const bool is_floor_valid = fabsf(foot->floor) < MD5_MAX_COORDINATE;
    if (foot->result == MD5_LIMB_REACHED && !is_floor_valid)
        foot->result = MD5_LIMB_NOT_FINITE;
}

// Limits the weight of a job to 0 .. 1. NaN becomes 0.
static float clamp_weight(float weight)
{
    if (!(weight > 0))
        return 0;
    return weight < 1 ? weight : 1;
}

// Puts feet on the ground like md5_solve_feet(). The first `num_locks` feet have foot locks, which
// first move and rotate them.
uint32_t md5i_solve_locked_feet(const md5_skeleton *skeleton, md5_feet_job *job,
                                const md5_foot_lock *locks, uint32_t num_locks, md5_xform *pose)
{
    const float weight = clamp_weight(job->weight);
    smooth_heights(job);
    if (weight > 0 && job->pelvis < skeleton->num_joints)
        raise_joint(skeleton, job->pelvis, job->drop * weight, pose);

    uint32_t num_placed = 0;
    for (uint32_t i = 0; i < job->num_feet; i++) {
        md5_foot *const foot = &job->feet[i];
        const md5_foot_lock *const lock = i < num_locks ? &locks[i] : NULL;
        solve_foot(skeleton, job, lock, foot, weight, pose);
        if (foot->result == MD5_LIMB_REACHED)
            num_placed++;
    }
    return num_placed;
}

// Puts the feet of a pose on uneven ground. Returns the number of feet that reach their targets
// (MD5_LIMB_REACHED). md5_foot.result is the result for each foot.
uint32_t md5_solve_feet(const md5_skeleton *skeleton, md5_feet_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    MD5_ASSERT(job->feet || job->num_feet == 0, "feet: must not be NULL");
    MD5_VALIDATE_RESERVED(job->feet, job->num_feet);
    return md5i_solve_locked_feet(skeleton, job, NULL, 0, pose);
}

// == Walking =====================================================================================
//
// A procedural gait: legs step without an animation. The character moves as requested. The home of
// a foot is the position of its ankle in the rest pose, and moves with the character. A foot stands
// until it lags too far behind its home, and then steps.
//
// Legs are divided into groups. One group at a time steps, while all other feet stand. The body
// follows the feet.

// The parameters of a gait, with defaults for missing values, and the axes of the character.
typedef struct md5_gait_context {
    const md5_gait_desc *desc;
    // Directions, in the axes of both the character and the world.
    md5_vec3 forward;
    md5_vec3 left;
    md5_vec3 up;
    float step_length;  // maximum length of a step, units
    float step_height;  // height of a foot in the middle of a step, units
    float slack;        // a foot steps if it lags behind its home by more than this, units
    float step_seconds; // duration of a step, seconds
    float min_seconds;  // duration of a step at the highest speed, seconds
    float response;     // time constant with which the character accelerates, seconds
    float smoothing;    // time constant with which the body follows the feet, seconds
} md5_gait_context;

// Returns the horizontal part of a vector.
static inline md5_vec3 md5_level(const md5_gait_context *context, md5_vec3 v)
{
    return md5_vec3_sub(v, md5_vec3_scale(context->up, md5_vec3_dot(v, context->up)));
}

// -- Homes and ground -----------------------------------------------------------------------------

// The home of a foot is the horizontal position of its ankle in the rest pose, relative to the
// character.

// Returns the parameters of a description, with defaults for missing values. Default lengths are
// proportional to `radius`, the mean distance of the homes from their center.
static md5_gait_context gait_context(const md5_gait_desc *desc, float radius)
{
    const md5_axes axes = desc->skeleton->axes;
    md5_gait_context context = {
        .desc = desc,
        .forward = md5_forward(axes),
        .left = md5i_vec3_to_axes(axes, (md5_vec3){0, 1, 0}),
        .up = md5_up(axes),
        .step_length = md5_number_or(desc->step_length, 0.5f * radius),
        .step_height = md5_number_or(desc->step_height, 0.15f * radius),
        .step_seconds = md5_number_or(desc->step_seconds, 0.45f),
        .min_seconds = md5_number_or(desc->min_seconds, 0.15f),
        .response = md5_number_or(desc->response, 0.15f),
        .smoothing = md5_number_or(desc->smoothing, 0.12f),
    };
    context.slack = md5_number_or(desc->slack, 0.1f * context.step_length);
    return context;
}

// Returns the height of the ground at a position in world space, and its unit normal. Heights are
// along the up axis. If the terrain has no finite height there, returns the height of the
// character.
static float ground_height(const md5_gait_context *context, const md5_gait *gait, md5_vec3 point,
                           md5_vec3 *normal)
{
    md5_vec3 terrain_normal = context->up;
    float height = 0;
    if (context->desc->terrain)
        height = context->desc->terrain(context->desc->user, point, &terrain_normal);
    *normal = context->up;
    if (md5_is_valid_vec3(terrain_normal))
        *normal = md5_vec3_normalize(terrain_normal, context->up);
    const bool is_valid = fabsf(height) < MD5_MAX_COORDINATE;
    return is_valid ? height : md5_vec3_dot(gait->position, context->up);
}

// Returns the point of the ground below or above a position in world space, and the ground's unit
// normal.
static md5_vec3 ground_at(const md5_gait_context *context, const md5_gait *gait, md5_vec3 point,
                          md5_vec3 *normal)
{
    const float height = ground_height(context, gait, point, normal);
    return md5_vec3_add(md5_level(context, point), md5_vec3_scale(context->up, height));
}

// Returns the current position of a home in world space. It moves and rotates with the character.
static md5_vec3 home_position(const md5_gait *gait, uint32_t leg)
{
    return md5_xform_point(md5_gait_placement(gait), gait->feet[leg].home);
}

// Returns the velocity of a home in world space: the velocity of the character, plus the velocity
// that its rotation causes at the home.
static md5_vec3 home_velocity(const md5_gait_context *context, const md5_gait *gait, uint32_t leg)
{
    const md5_vec3 home = gait->feet[leg].home;
    const float ahead = md5_vec3_dot(home, context->forward);
    const float aside = md5_vec3_dot(home, context->left);
    const md5_vec3 forward_part = md5_vec3_scale(context->forward, -aside * gait->turn_rate);
    const md5_vec3 left_part = md5_vec3_scale(context->left, ahead * gait->turn_rate);
    const md5_vec3 by_rotation = md5_vec3_add(forward_part, left_part);
    return md5_quat_rotate(gait->facing, md5_vec3_add(gait->velocity, by_rotation));
}

md5_xform md5_gait_placement(const md5_gait *gait)
{
    MD5_ASSERT_NOT_NULL(gait);
    return (md5_xform){.rotation = gait->facing, .translation = gait->position};
}

// == Steps =======================================================================================
//
// Decides which legs step, when they step, and where their feet land.

// During a step, the landing position is planned again in each tick, because the character can turn
// or stop. The landing position follows the new plan smoothly, with this time constant.
#define REPLAN_SECONDS 0.05
// After this fraction of the step, the landing position no longer changes.
#define PLAN_ENDS 0.7f

// A home counts as standing if it moves less than this fraction of step_length during a step.
#define STANDING 0.02f

// If a foot is farther from its home than this fraction of step_length, it lags in any direction.
#define MAX_ASIDE 0.75f

// Returns the speed of the fastest home.
static float fastest_home(const md5_gait_context *context, const md5_gait *gait)
{
    float max_speed = 0;
    for (uint32_t i = 0; i < gait->num_legs; i++) {
        const float speed = md5_vec3_length(home_velocity(context, gait, i));
        max_speed = speed > max_speed ? speed : max_speed;
    }
    return max_speed;
}

// Returns the position where a foot lands. A stance is the time in which the foot stands while the
// other groups of legs step. The foot lands where its home will be in the middle of the stance.
// Therefore it is ahead of its home in the first half of the stance, and behind it in the second
// half.
static md5_vec3 plan_end(const md5_gait_context *context, const md5_gait *gait, uint32_t leg,
                         md5_vec3 *normal)
{
    const float until_landing = (1 - gait->feet[leg].progress) * gait->seconds;
    const float stance = (float)(context->desc->num_groups - 1) * gait->seconds;
    const float seconds = until_landing + 0.5f * stance;
    const md5_vec3 movement = md5_vec3_scale(home_velocity(context, gait, leg), seconds);
    return ground_at(context, gait, md5_vec3_add(home_position(gait, leg), movement), normal);
}

// Returns the distance by which a foot on the ground is behind its home, along the movement of the
// home. If the home does not move, returns the distance between foot and home.
static float leg_lag(const md5_gait_context *context, const md5_gait *gait, uint32_t leg)
{
    const md5_vec3 to_home = md5_vec3_sub(home_position(gait, leg), gait->feet[leg].position);
    const md5_vec3 away = md5_level(context, to_home);
    const float distance = md5_vec3_length(away);
    const md5_vec3 velocity = home_velocity(context, gait, leg);
    const float speed = md5_vec3_length(velocity);
    const bool is_moving = speed * context->step_seconds > STANDING * context->step_length;
    if (!is_moving)
        return distance;

    const float lag_behind = md5_vec3_dot(away, velocity) / speed;
    // A foot that is far aside or ahead must also step, for example after the character reversed.
    const float lag_aside = distance - MAX_ASIDE * context->step_length;
    return lag_behind > lag_aside ? lag_behind : lag_aside;
}

// Returns the duration of a step in seconds. At high speeds it decreases, so that no step is longer
// than step_length. It is never shorter than min_seconds.
static float step_duration(const md5_gait_context *context, const md5_gait *gait)
{
    // The distance that the fastest home moves while each group steps once.
    const float length =
        fastest_home(context, gait) * (float)context->desc->num_groups * context->step_seconds;
    const bool is_too_long = length > context->step_length;
    if (!is_too_long)
        return context->step_seconds;
    const float shorter = context->step_seconds * context->step_length / length;
    return shorter > context->min_seconds ? shorter : context->min_seconds;
}

// Plans the landing position again, because the character may have changed its velocity. Moves the
// current landing position smoothly to the plan.
static void follow_plan(const md5_gait_context *context, md5_gait *gait, uint32_t leg,
                        float seconds)
{
    md5_foothold *const foot = &gait->feet[leg];
    const md5_vec3 planned = plan_end(context, gait, leg, &foot->to_normal);
    const float keep = (float)md5i_decay(seconds / REPLAN_SECONDS);
    const md5_vec3 to = md5_vec3_lerp(planned, foot->to, keep);
    foot->to = ground_at(context, gait, to, &foot->to_normal);
}

// Ends the step of a foot at its landing position.
static void land_foot(const md5_gait *gait, md5_foothold *foot)
{
    foot->is_stepping = false;
    foot->progress = 1;
    foot->position = foot->to;
    foot->normal = foot->to_normal;
    foot->facing = gait->facing;
}

// Advances the step of a leg. Its progress is 0 at the start, and 1 when the foot lands.
static void advance_step(const md5_gait_context *context, md5_gait *gait, uint32_t leg,
                         float seconds)
{
    md5_foothold *const foot = &gait->feet[leg];
    foot->progress += seconds / gait->seconds;
    if (foot->progress < PLAN_ENDS)
        follow_plan(context, gait, leg, seconds);
    if (foot->progress >= 1)
        land_foot(gait, foot);
}

// Starts a step of a leg from its current position.
static void start_step(const md5_gait_context *context, md5_gait *gait, uint32_t leg)
{
    md5_foothold *const foot = &gait->feet[leg];
    foot->is_stepping = true;
    foot->progress = 0;
    foot->from = foot->position;
    foot->from_facing = foot->facing;
    foot->to = plan_end(context, gait, leg, &foot->to_normal);

    // The foot must also clear a terrain that is higher halfway than at both ends.
    md5_vec3 normal;
    const md5_vec3 middle = md5_vec3_lerp(foot->from, foot->to, 0.5f);
    const md5_vec3 ground = ground_at(context, gait, middle, &normal);
    const float above = md5_vec3_dot(md5_vec3_sub(ground, middle), context->up);
    foot->lift = context->step_height + (above > 0 ? above : 0);
}

// Returns the group of the leg that lags most, or MD5_NONE if no leg lags by more than
// context->slack.
static uint32_t find_lagging_group(const md5_gait_context *context, const md5_gait *gait)
{
    float max_lag = context->slack;
    uint32_t group = MD5_NONE;
    for (uint32_t i = 0; i < gait->num_legs; i++) {
        const float lag = leg_lag(context, gait, i);
        if (lag > max_lag) {
            max_lag = lag;
            group = context->desc->legs[i].group;
        }
    }
    return group;
}

// Advances the steps of all legs. Returns true if a leg is still stepping.
static bool advance_steps(const md5_gait_context *context, md5_gait *gait, float seconds)
{
    bool is_any_stepping = false;
    for (uint32_t i = 0; i < gait->num_legs; i++) {
        if (gait->feet[i].is_stepping)
            advance_step(context, gait, i, seconds);
        is_any_stepping = is_any_stepping || gait->feet[i].is_stepping;
    }
    return is_any_stepping;
}

// Advances the steps of legs, and starts new ones, after the character has moved. When all feet are
// on the ground, the group of the leg that lags most starts to step.
static void step_legs(const md5_gait_context *context, md5_gait *gait, float seconds)
{
    gait->seconds = step_duration(context, gait);
    if (advance_steps(context, gait, seconds))
        return;
    const uint32_t group = find_lagging_group(context, gait);
    if (group == MD5_NONE)
        return;
    for (uint32_t i = 0; i < gait->num_legs; i++) {
        if (context->desc->legs[i].group == group)
            start_step(context, gait, i);
    }
}

// == Body ========================================================================================
//
// Moves the character as requested, and its body with the feet.

#define LONGEST_STEP (1.0 / 120.0) // longest time step of the simulation, seconds
#define LONGEST_ADVANCE 1.0        // longest time that one call advances, seconds
#define STEEPEST 1.0f              // largest slope of the body, height per distance
#define FASTEST_TURN 20.0f         // largest turn rate of the character, radians/s

// -- Beginning ------------------------------------------------------------------------------------

// Asserts that a description complies with the rules of md5_gait_desc.
static void check_desc(const md5_gait_desc *desc)
{
    (void)desc; // only used if assertions are enabled
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT(desc->skeleton != NULL, "skeleton: must not be NULL");
    MD5_ASSERT(desc->legs != NULL, "legs: must not be NULL");
    MD5_ASSERT(desc->num_legs >= 1 && desc->num_legs <= MD5_MAX_LEGS,
               "num_legs: must be 1 to MD5_MAX_LEGS");
    MD5_VALIDATE_RESERVED(desc->legs, desc->num_legs);
    MD5_ASSERT(desc->num_groups >= 1 && desc->num_groups <= desc->num_legs,
               "num_groups: must be 1 to num_legs");
}

// Returns true if the joints of a leg exist, and the leg hangs from its swivel joint if it has one.
static bool is_valid_leg(const md5_gait_desc *desc, const md5_leg *leg)
{
    const bool has_body = desc->body < desc->skeleton->num_joints;
    const bool has_group = leg->group < desc->num_groups;
    if (!has_body || !has_group)
        return false;
    if (md5i_check_limb(desc->skeleton, &leg->limb) != MD5_LIMB_REACHED)
        return false;
    if (leg->swivel == MD5_NONE)
        return true;
    if (leg->swivel >= desc->skeleton->num_joints)
        return false;
    return md5i_is_descendant(desc->skeleton, leg->limb.root, leg->swivel);
}

// Returns the rotation about the up axis with the same heading as `rotation`: both rotate the
// forward direction to the same horizontal direction.
static md5_quat heading_rotation(const md5_gait_context *context, md5_quat rotation)
{
    const md5_quat unit = md5_quat_normalize(rotation, MD5_NO_ROTATION);
    const md5_vec3 level = md5_level(context, md5_quat_rotate(unit, context->forward));
    const md5_vec3 heading = md5_vec3_normalize(level, context->forward);
    const float cosine = md5_vec3_dot(heading, context->forward);
    const float sine = md5_vec3_dot(heading, context->left);
    const md5_vec3 axis = md5_vec3_cross(context->forward, context->left);
    return md5_quat_from_float4(md5_float4_about(md5_float4_from_vec3(axis), cosine, sine));
}

// Limits the slope of the body to STEEPEST in both directions.
static float clamp_slope(float slope)
{
    if (slope > STEEPEST)
        return STEEPEST;
    return slope > -STEEPEST ? slope : -STEEPEST;
}

// A plane through the feet, relative to the character: its slopes forward and to the left, and its
// height at the position of the character.
typedef struct feet_plane {
    double slope_forward;
    double slope_left;
    double height;
} feet_plane;

// Returns the current position of a foothold in world space, without the lift of a step.
static md5_vec3 foothold_position(const md5_foothold *foot)
{
    if (foot->is_stepping)
        return md5_vec3_lerp(foot->from, foot->to, foot->progress);
    return foot->position;
}

// Positions of the feet relative to the character: x forward, y left, h up.
typedef struct foot_points {
    double x[MD5_MAX_LEGS];
    double y[MD5_MAX_LEGS];
    double h[MD5_MAX_LEGS];
    double mean_x;
    double mean_y;
    double mean_h;
} foot_points;

// Computes the positions of all feet relative to the character, and their mean.
static void collect_foot_points(const md5_gait_context *context, const md5_gait *gait,
                                foot_points *points)
{
    const double num_feet = gait->num_legs;
    const md5_quat world_to_body = md5_quat_conjugate(gait->facing);
    points->mean_x = 0;
    points->mean_y = 0;
    points->mean_h = 0;
    for (uint32_t i = 0; i < gait->num_legs; i++) {
        const md5_vec3 position = foothold_position(&gait->feet[i]);
        const md5_vec3 offset = md5_vec3_sub(position, gait->position); // in world space
        const md5_vec3 foot = md5_quat_rotate(world_to_body, offset);
        points->x[i] = md5_vec3_dot(foot, context->forward);
        points->y[i] = md5_vec3_dot(foot, context->left);
        points->h[i] = md5_vec3_dot(foot, context->up);
        points->mean_x += points->x[i] / num_feet;
        points->mean_y += points->y[i] / num_feet;
        points->mean_h += points->h[i] / num_feet;
    }
}

// Limit of the determinant of the fit, divided by the square of xx + yy: see fit_plane(). Below it,
// the feet count as collinear.
#define MIN_FIT_DETERMINANT 1e-6

// Fits a plane through the feet of a gait by least squares. The body gets its height and tilt from
// this plane. If the feet are in one line, the plane is horizontal. Uses doubles, because the
// equations are badly conditioned if the feet are nearly in one line.
static feet_plane fit_plane(const md5_gait_context *context, const md5_gait *gait)
{
    foot_points points; // only the first num_legs elements are set
    collect_foot_points(context, gait, &points);

    double xx = 0; // sums of products of the deviations from the means
    double xy = 0;
    double yy = 0;
    double xh = 0;
    double yh = 0;
    for (uint32_t i = 0; i < gait->num_legs; i++) {
        const double x = points.x[i] - points.mean_x;
        const double y = points.y[i] - points.mean_y;
        const double h = points.h[i] - points.mean_h;
        xx += x * x;
        xy += x * y;
        yy += y * y;
        xh += x * h;
        yh += y * h;
    }

    // The slopes a (forward) and b (left) solve the normal equations
    //
    //   a xx + b xy = xh
    //   a xy + b yy = yh
    const double determinant = xx * yy - xy * xy;
    const bool is_collinear = !(determinant > MIN_FIT_DETERMINANT * (xx + yy) * (xx + yy));
    if (is_collinear)
        return (feet_plane){.height = points.mean_h};
    const double forward = (xh * yy - yh * xy) / determinant;
    const double left = (yh * xx - xh * xy) / determinant;
    return (feet_plane){
        .slope_forward = forward,
        .slope_left = left,
        .height = points.mean_h - forward * points.mean_x - left * points.mean_y,
    };
}

// Moves the body toward the plane through its feet, and tilts it like the plane. In a curve, the
// body also leans inward (desc->bank). The fraction `keep` of the difference remains.
static void follow_feet(const md5_gait_context *context, md5_gait *gait, float keep)
{
    const feet_plane plane = fit_plane(context, gait);
    const float inward = md5_vec3_dot(gait->velocity, context->forward) * gait->turn_rate;
    const float ahead = clamp_slope((float)plane.slope_forward);
    const float aside = clamp_slope((float)plane.slope_left - context->desc->bank * inward);
    const md5_vec3 slope =
        md5_vec3_add(md5_vec3_scale(context->forward, ahead), md5_vec3_scale(context->left, aside));

    const md5_vec3 in_body = md5_vec3_sub(context->up, slope); // normal of the plane
    const md5_vec3 in_world = md5_quat_rotate(gait->facing, in_body);
    const md5_vec3 normal = md5_vec3_normalize(in_world, context->up);
    gait->normal = md5_vec3_normalize(md5_vec3_lerp(normal, gait->normal, keep), context->up);

    const float rise = (float)plane.height * (1 - keep);
    gait->position = md5_vec3_add(gait->position, md5_vec3_scale(context->up, rise));
}

// Sets the home of a foot from the position of its ankle in the rest pose. Also stores the height
// of the ankle above the home, and its rotation.
static void set_home(const md5_gait_context *context, const md5_xform *pose, uint32_t tip,
                     md5_foothold *foot)
{
    const md5_xform ankle = md5_joint_in_model(context->desc->skeleton, pose, tip);
    md5_vec3 position = {0, 0, 0};
    if (md5_is_valid_vec3(ankle.translation))
        position = ankle.translation;
    foot->home = md5_level(context, position);
    foot->rise = md5_vec3_dot(position, context->up);
    foot->rest = md5_quat_normalize(ankle.rotation, MD5_NO_ROTATION);
}

// Initializes a foothold from the rest pose, on the ground below its home. If the description of
// the leg is not valid, the home is the position of the character, and the function returns false.
static bool begin_foothold(const md5_gait_context *context, const md5_xform *pose, uint32_t leg,
                           md5_gait *gait)
{
    const md5_gait_desc *const desc = context->desc;
    md5_foothold *const foot = &gait->feet[leg];
    *foot = (md5_foothold){.rest = MD5_NO_ROTATION, .normal = context->up, .facing = gait->facing};
    const bool is_valid = is_valid_leg(desc, &desc->legs[leg]);
    if (is_valid)
        set_home(context, pose, desc->legs[leg].limb.tip, foot);
    foot->position = ground_at(context, gait, home_position(gait, leg), &foot->normal);
    return is_valid;
}

// Returns the mean distance of the homes from their center.
static float home_radius(const md5_gait *gait)
{
    const float leg_weight = 1.0f / (float)gait->num_legs;
    md5_vec3 center = {0, 0, 0};
    for (uint32_t i = 0; i < gait->num_legs; i++)
        center = md5_vec3_add(center, md5_vec3_scale(gait->feet[i].home, leg_weight));
    float radius = 0;
    for (uint32_t i = 0; i < gait->num_legs; i++)
        radius += leg_weight * md5_vec3_length(md5_vec3_sub(gait->feet[i].home, center));
    return radius;
}

// Starts a procedural gait with all feet on the ground below their homes. `pose` is the rest pose.
// Returns false if a leg is invalid.
bool md5_gait_begin(const md5_gait_desc *desc, const md5_xform *pose, md5_xform placement,
                    md5_gait *gait)
{
    check_desc(desc);
    MD5_ASSERT_NOT_NULL(pose);
    MD5_ASSERT_NOT_NULL(gait);

    // The default lengths depend on the radius of the homes, which is not known before the
    // footholds exist. The footholds do not depend on these lengths, so the context can be created
    // with any radius.
    const float any_radius = 1;
    md5_gait_context context = gait_context(desc, any_radius);
    *gait =
        (md5_gait){.facing = heading_rotation(&context, placement.rotation), .normal = context.up};
    gait->position =
        md5_is_valid_vec3(placement.translation) ? placement.translation : (md5_vec3){0, 0, 0};
    gait->num_legs = desc->num_legs;

    bool is_valid = true;
    for (uint32_t i = 0; i < desc->num_legs; i++) {
        if (!begin_foothold(&context, pose, i, gait))
            is_valid = false;
    }

    gait->radius = home_radius(gait);
    context = gait_context(desc, gait->radius);
    gait->seconds = context.step_seconds;
    follow_feet(&context, gait, 0);
    return is_valid && gait->radius > 0;
}

// -- Walking --------------------------------------------------------------------------------------

// Returns the fraction of a difference that remains after `seconds` of exponential smoothing.
// `constant` is the time constant, seconds.
static float remaining_fraction(float seconds, float constant)
{
    return constant > 0 ? (float)md5i_decay((double)seconds / constant) : 0;
}

// The motion toward which a character accelerates.
typedef struct gait_goal {
    md5_vec3 velocity; // horizontal, model space
    float turn_rate;   // radians/s
} gait_goal;

// Limits a turn rate to FASTEST_TURN in both directions. NaN becomes 0.
static float limit_turn_rate(float turn_rate)
{
    if (fabsf(turn_rate) < FASTEST_TURN)
        return turn_rate;
    if (turn_rate > 0)
        return FASTEST_TURN;
    return turn_rate < 0 ? -FASTEST_TURN : 0;
}

// Returns the requested motion, limited to a speed that the legs can walk. Velocity and turn rate
// are reduced by the same factor, so that no home moves farther than step_length while each group
// makes its shortest step.
static gait_goal limit_goal(const md5_gait_context *context, const md5_gait *gait,
                            md5_vec3 velocity, float turn_rate)
{
    gait_goal goal = {.velocity = {0, 0, 0}, .turn_rate = limit_turn_rate(turn_rate)};
    if (md5_is_valid_vec3(velocity))
        goal.velocity = md5_level(context, velocity);

    // Measure the speed of the homes as if the character already had the requested motion.
    md5_gait unlimited = *gait;
    unlimited.velocity = goal.velocity;
    unlimited.turn_rate = goal.turn_rate;
    const float speed = fastest_home(context, &unlimited);
    const float max_speed =
        context->step_length / (context->min_seconds * (float)context->desc->num_groups);
    if (speed > max_speed) {
        goal.velocity = md5_vec3_scale(goal.velocity, max_speed / speed);
        goal.turn_rate *= max_speed / speed;
    }
    return goal;
}

// Returns the rotation about the up axis by a turn rate, in radians/s, for a short time. It is the
// normalized quaternion (tan(x) * axis, 1) for half the angle x. The tangent is approximated by
//
//   tan(x) = x + x^3 / 3
//
// The error is 1e-5 for x = 1/12, the largest half angle of a time step.
static md5_quat small_rotation(const md5_gait_context *context, float turn_rate, float seconds)
{
    const float half = 0.5f * turn_rate * seconds;
    const float tangent = half + half * half * half / 3.0f;
    const md5_vec3 axis = md5_vec3_cross(context->forward, context->left);
    const md5_vec3 imaginary = md5_vec3_scale(axis, tangent);
    return md5_quat_normalize((md5_quat){imaginary.x, imaginary.y, imaginary.z, 1},
                              MD5_NO_ROTATION);
}

// Accelerates, moves and rotates the character for a time step.
static void move_character(const md5_gait_context *context, md5_gait *gait, const gait_goal *goal,
                           float seconds)
{
    const float keep = remaining_fraction(seconds, context->response);
    gait->velocity = md5_vec3_lerp(goal->velocity, gait->velocity, keep);
    gait->turn_rate = goal->turn_rate + (gait->turn_rate - goal->turn_rate) * keep;

    const md5_vec3 world_velocity = md5_quat_rotate(gait->facing, gait->velocity);
    gait->position = md5_vec3_add(gait->position, md5_vec3_scale(world_velocity, seconds));
    const md5_quat rotation = small_rotation(context, gait->turn_rate, seconds);
    gait->facing = md5_quat_normalize(md5_quat_mul(rotation, gait->facing), MD5_NO_ROTATION);
}

// Advances a gait by `seconds`, at most one second per call, in short time steps. `velocity` and
// `turn_rate` are the requested motion. `velocity` is in model space, in units/s. `turn_rate` is in
// radians/s, positive to the left.
void md5_gait_advance(const md5_gait_desc *desc, md5_gait *gait, md5_vec3 velocity, float turn_rate,
                      double seconds)
{
    check_desc(desc);
    MD5_ASSERT_NOT_NULL(gait);
    MD5_ASSERT(gait->num_legs == desc->num_legs, "gait: must be initialized with this description");
    if (!(seconds > 0))
        return;

    // The number of steps is rounded up. A multiple of LONGEST_STEP may be slightly too large
    // because of rounding. The factor 1 - 1e-6 prevents an additional step in this case.
    const double span = seconds < LONGEST_ADVANCE ? seconds : LONGEST_ADVANCE;
    const uint32_t num_steps = (uint32_t)(span / LONGEST_STEP * (1 - 1e-6)) + 1;
    const float step = (float)(span / num_steps);

    const md5_gait_context context = gait_context(desc, gait->radius);
    const gait_goal goal = limit_goal(&context, gait, velocity, turn_rate);
    for (uint32_t i = 0; i < num_steps; i++) {
        move_character(&context, gait, &goal, step);
        step_legs(&context, gait, step);
        follow_feet(&context, gait, remaining_fraction(step, context.smoothing));
    }
}

// == Pose ========================================================================================
//
// Moves the feet of a pose to their footholds.

// Returns the normal of the ground below a foot, interpolated during a step.
static md5_vec3 foot_normal(const md5_gait_context *context, const md5_foothold *foot)
{
    if (!foot->is_stepping)
        return foot->normal;
    return md5_vec3_normalize(md5_vec3_lerp(foot->normal, foot->to_normal, foot->progress),
                              context->up);
}

// Returns the position of a sole during a step. Its horizontal and its vertical speed are 0 at both
// ends of the step. Its height above the line between both ends is foot->lift in the middle.
static md5_vec3 stepping_sole(const md5_gait_context *context, const md5_foothold *foot)
{
    const float t = foot->progress;
    const float moved = t * t * (3 - 2 * t); // fraction of the distance
    const float height = 16 * t * t * (1 - t) * (1 - t) * foot->lift;
    return md5_vec3_add(md5_vec3_lerp(foot->from, foot->to, moved),
                        md5_vec3_scale(context->up, height));
}

// Returns the position of an ankle in world space. It is foot->rise above the sole, along the
// normal of the ground.
static md5_vec3 ankle_position(const md5_gait_context *context, const md5_foothold *foot)
{
    const md5_vec3 sole_to_ankle = md5_vec3_scale(foot_normal(context, foot), foot->rise);
    const md5_vec3 sole = foot->is_stepping ? stepping_sole(context, foot) : foot->position;
    return md5_vec3_add(sole, sole_to_ankle);
}

// Returns the rotation of an ankle in model space. It is the rotation in the rest pose, turned to
// the heading that the character had when the foot landed, and tilted like the ground.
static md5_quat ankle_rotation(const md5_gait_context *context, const md5_gait *gait,
                               const md5_foothold *foot)
{
    md5_quat facing = foot->facing;
    if (foot->is_stepping)
        facing = md5_quat_slerp(foot->from_facing, gait->facing, foot->progress);
    const md5_quat tilt = md5_rotation_between(context->up, foot_normal(context, foot));
    const md5_quat in_world = md5_quat_mul(tilt, md5_quat_mul(facing, foot->rest));
    const md5_quat world_to_model = md5_quat_conjugate(gait->facing);
    return md5_quat_normalize(md5_quat_mul(world_to_model, in_world), foot->rest);
}

// Rotates a joint about its position by a rotation in model space.
static void rotate_in_model(const md5_skeleton *skeleton, md5_xform *pose, uint32_t joint,
                            md5_quat rotation)
{
    const md5_xform change = {.rotation = rotation};
    md5_modify_joint(skeleton, joint, MD5_JOINT_MODEL, change, 1, pose);
}

// Returns the direction from one point to another, projected to the plane with this normal. Returns
// 0 if the projected points are equal.
static md5_vec3 direction_in_plane(md5_vec3 from, md5_vec3 to, md5_vec3 normal)
{
    const md5_vec3 none = {0, 0, 0};
    return md5_vec3_normalize(md5_vec3_reject(md5_vec3_sub(to, from), normal), none);
}

// Rotates the swivel joint of a leg about the body's up axis until the leg points in the direction
// of the target.
static void rotate_swivel(const md5_skeleton *skeleton, const md5_leg *leg, md5_vec3 body_up,
                          md5_vec3 target, md5_xform *pose)
{
    const md5_vec3 swivel = md5_joint_in_model(skeleton, pose, leg->swivel).translation;
    const md5_vec3 tip = md5_joint_in_model(skeleton, pose, leg->limb.tip).translation;
    const md5_vec3 from = direction_in_plane(swivel, tip, body_up);
    const md5_vec3 to = direction_in_plane(swivel, target, body_up);
    const bool can_rotate = md5_vec3_dot(from, from) > 0.5f && md5_vec3_dot(to, to) > 0.5f;
    if (can_rotate)
        rotate_in_model(skeleton, pose, leg->swivel, md5_rotation_between(from, to));
}

// Bends a leg of a pose so that its ankle is at its foothold. `world_to_model` is the inverse of
// the character's transform. `body_up` is the up axis of the tilted body in model space. Returns
// false if the leg is invalid or does not reach its foothold.
static bool pose_leg(const md5_gait_context *context, const md5_gait *gait, uint32_t index,
                     const md5_xform *world_to_model, md5_vec3 body_up, md5_xform *pose)
{
    const md5_skeleton *const skeleton = context->desc->skeleton;
    const md5_leg *const leg = &context->desc->legs[index];
    const md5_foothold *const foot = &gait->feet[index];
    if (md5i_check_limb(skeleton, &leg->limb) != MD5_LIMB_REACHED)
        return false;
    const md5_vec3 target = md5_xform_point(*world_to_model, ankle_position(context, foot));
    if (leg->swivel < skeleton->num_joints)
        rotate_swivel(skeleton, leg, body_up, target, pose);

    const md5_quat rotation = ankle_rotation(context, gait, foot);
    const md5_two_bone_job job = {.target = target, .rotation = &rotation, .weight = 1};
    float miss = 0;
    return md5i_bend_limb(skeleton, pose, &leg->limb, &job, &miss) == MD5_LIMB_REACHED;
}

// Applies a gait to a pose: tilts the body like the plane through the feet, and bends the legs so
// that each ankle is at its foothold. Returns the number of legs that reach their footholds.
uint32_t md5_gait_pose(const md5_gait_desc *desc, const md5_gait *gait, md5_xform *pose)
{
    MD5_ASSERT(desc && gait && pose, "desc, gait, pose: must not be NULL");
    MD5_ASSERT(gait->num_legs == desc->num_legs, "gait: must be initialized with this description");

    // Rotate the body so that its up axis is the normal of the plane through the feet.
    const md5_gait_context context = gait_context(desc, gait->radius);
    const md5_xform world_to_model = md5_xform_inverse(md5_gait_placement(gait));
    const md5_vec3 body_up = md5_quat_rotate(world_to_model.rotation, gait->normal);
    const md5_quat tilt = md5_rotation_between(context.up, body_up);
    rotate_in_model(desc->skeleton, pose, desc->body, tilt);

    uint32_t num_placed = 0;
    for (uint32_t i = 0; i < desc->num_legs; i++) {
        if (pose_leg(&context, gait, i, &world_to_model, body_up, pose))
            num_placed++;
    }
    return num_placed;
}
