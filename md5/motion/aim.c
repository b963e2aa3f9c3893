// Aims, which point a chain of joints at a target, and gazes: a head and eyes that look around by
// themselves.
#include "md5/motion/functions.h"
#include "md5/motion/numbers.h"
#include "md5/motion/space.h"

// == Aim =========================================================================================
//
// The tip is the last joint of the chain, for example the head. The rotation that points it at the
// target is divided equally among the joints of the chain. The tip performs the rotation that
// remains after the other joints have rotated. It differs from an equal part only because the other
// joints have moved the tip.

#define PI_FLOAT 3.14159265f

// Near the vertical, the rotation that makes the tip upright fades out. It begins to fade where the
// sine of the angle between sight and vertical is below STEEP.
#define STEEP 0.1f

// If the square of this sine is below MIN_SLANT, the sight counts as vertical, and the tip is not
// made upright.
#define MIN_SLANT 1e-8f

// Parameters of an aim that do not depend on the pose. The forward direction of the tip shall point
// at the target, and its up direction shall remain upright.
typedef struct aim_rule {
    md5_axes axes;
    md5_vec3 forward;   // in the axes of the tip
    md5_vec3 up;        // in the axes of the tip
    float up_along;     // dot product of `forward` and `up`: the component of `up` along `forward`
    bool stays_upright; // false if `up` has the direction of `forward`
    bool is_limited;    // each joint rotates by at most the limit
    float max_sine;     // sine of half of the limit
    float max_cosine;   // cosine of half of the limit
} aim_rule;

// The tip and its target.
typedef struct aim_view {
    aim_rule rule;
    md5_float4 target;
    md5_float4 eye;      // position of the tip, from which it looks at the target
    md5_float4 rotation; // rotation of the tip, model space
} aim_view;

// Returns the rotation about the direction of sight, `along`, that makes the tip upright, so that
// it leans neither left nor right. `swung` is the up direction of the tip, which already looks
// along the sight. All vectors are in model space.
//
// The rotation cannot change the component of `swung` along the sight. It moves the perpendicular
// part of `swung` to the upright direction, which is the part of the vertical that is perpendicular
// to the sight:
//
//   upright = vertical - dot(vertical, along) * along
//
// `side` is vertical x along. It is horizontal, perpendicular to the sight and to `upright`, and as
// long as `upright`. Let the tip lean by an angle from `upright` toward `side`. Up to a common
// positive factor,
//
//   cosine of the angle = dot(swung, upright)
//   sine of the angle   = dot(swung, side)
//
// A rotation about the sight by this angle moves the tip from `side` toward `upright`. Because
// dot(along, swung) is rule->up_along,
//
//   dot(swung, upright) = dot(swung, vertical) - rule->up_along * dot(along, vertical)
static md5_float4 upright_rotation(const aim_rule *rule, md5_vec3 along, md5_vec3 side,
                                   md5_vec3 swung)
{
    const md5_vec3 vertical = md5_up(rule->axes);
    const float cosine =
        md5_vec3_dot(swung, vertical) - rule->up_along * md5_vec3_dot(along, vertical);
    const float sine = md5_vec3_dot(swung, side);
    return md5_float4_about(md5_float4_from_vec3(along), cosine, sine);
}

// Returns the rotation `swing`, followed by a rotation about the direction of sight that makes the
// tip upright. `along` is the direction of sight, and `swung` is the up direction of the tip after
// `swing`, both in model space.
//
// If the sight passes through the vertical, its heading reverses, and an upright tip would suddenly
// rotate by 180 degrees. Therefore the second rotation fades out near the vertical.
static md5_float4 set_upright(const aim_view *view, md5_vec3 along, md5_vec3 swung,
                              md5_float4 swing)
{
    const md5_vec3 side = md5_vec3_cross(md5_up(view->rule.axes), along);
    const float slant = md5_vec3_dot(side, side); // square of the sine of the angle to the vertical
    const bool can_be_upright = view->rule.stays_upright && slant > MIN_SLANT;
    if (!can_be_upright)
        return swing;

    const md5_float4 uprighting = upright_rotation(&view->rule, along, side, swung);
    const bool is_steep = slant < STEEP * STEEP;
    if (!is_steep)
        return md5_float4_quat_mul(uprighting, swing);
    const float fraction = sqrtf(slant) / STEEP;
    const md5_quat faded =
        md5_quat_slerp(MD5_NO_ROTATION, md5_quat_from_float4(uprighting), fraction);
    return md5_float4_quat_mul(md5_float4_from_quat(faded), swing);
}

// Returns the up direction of the tip after `swing`, the shortest rotation from `forward` to
// `sight`. `up` is its up direction before, and `cosine` is the cosine of the angle between
// `forward` and `sight`.
//
// Below 120 degrees, the result is computed without `swing`, so that processors can compute both at
// the same time. The swing is equal to two half turns:
//
// - The first half turn is about `forward`. It moves `up` to 2 up_along forward - up.
// - The second half turn is about both = forward + sight. It moves `forward` to `sight`, and any
//   vector v to dot(v, both) / (1 + cosine) both - v.
//
// Together they move `up` to
//
//   up - dot(up, both) / (1 + cosine) both + 2 up_along sight
static md5_float4 swing_up(const aim_view *view, md5_float4 forward, md5_float4 up,
                           md5_float4 sight, float cosine, md5_float4 swing)
{
    if (!(cosine > MD5_MIN_ARC_COSINE))
        return md5_float4_rotate(swing, up);
    const md5_float4 both = md5_float4_add(forward, sight);
    const float factor = md5_float4_dot3(up, both) / (1 + cosine);
    return md5_float4_add(md5_float4_sub(up, md5_float4_scale(both, factor)),
                          md5_float4_scale(sight, 2 * view->rule.up_along));
}

// Returns the rotation in model space that points the tip at the target and makes it upright.
// First, a swing rotates the tip's forward direction to the target by the shortest arc. Then a
// rotation about the direction to the target makes the tip upright.
static md5_float4 aim_rotation(const aim_view *view)
{
    const md5_float4 toward = md5_float4_sub(view->target, view->eye);
    const md5_float4 forward =
        md5_float4_rotate(view->rotation, md5_float4_from_vec3(view->rule.forward));
    const md5_float4 up = md5_float4_rotate(view->rotation, md5_float4_from_vec3(view->rule.up));
    const md5_float4 sight = md5_float4_normalize(toward, forward);
    const float cosine = md5_float4_dot3(forward, sight);
    const md5_float4 swing = md5_float4_between_at(forward, sight, cosine);
    const md5_float4 swung = swing_up(view, forward, up, sight, cosine, swing);
    return set_upright(view, md5_vec3_from_float4(sight), md5_vec3_from_float4(swung), swing);
}

// Returns the quaternion of the same rotation with w >= 0. Its angle is at most 180 degrees.
static md5_float4 shorter_arc(md5_float4 rotation)
{
    return md5_float4_scale(rotation, md5_float4_at(rotation, 3) < 0 ? -1 : 1);
}

// Reduces a rotation with w >= 0 to the limit of an aim. The axis of the rotation remains the same.
static md5_float4 limit_aim_rotation(md5_float4 rotation, const aim_rule *rule)
{
    const bool is_within_limit = md5_float4_at(rotation, 3) >= rule->max_cosine;
    if (!rule->is_limited || is_within_limit)
        return rotation;
    const md5_float4 axis = md5_float4_normalize(rotation, md5_float4_set(0, 0, 1, 0));
    return md5_float4_with_w(md5_float4_scale(axis, rule->max_sine), rule->max_cosine);
}

// Returns half of a rotation with w >= 0. It is the mean of the rotation and the identity,
// normalized:
//
//   (x, y, z, 1 + w) / sqrt(2 (1 + w))
static md5_float4 half_rotation(md5_float4 rotation)
{
    const float w = 1 + md5_float4_at(rotation, 3);
    return md5_float4_scale(md5_float4_with_w(rotation, w), 1.0f / sqrtf(w + w));
}

// Returns one of `count` equal parts of a rotation with w >= 0. Halves the rotation while the
// number of parts is even, because this is faster than a slerp.
static md5_float4 equal_part(md5_float4 rotation, uint32_t count)
{
    md5_float4 part = rotation;
    uint32_t num_parts = count; // number of equal parts into which `part` must still be divided
    for (; num_parts % 2 == 0; num_parts /= 2)
        part = half_rotation(part);
    if (num_parts == 1)
        return part;
    return md5_float4_from_quat(
        md5_quat_slerp(MD5_NO_ROTATION, md5_quat_from_float4(part), 1.0f / (float)num_parts));
}

static md5_vec3 direction_or(md5_vec3 direction, md5_vec3 otherwise)
{
    return md5_is_valid_vec3(direction) ? md5_vec3_normalize(direction, otherwise) : otherwise;
}

// Converts the parameters of a job. The axes of the skeleton replace invalid directions.
static aim_rule build_rule(const md5_skeleton *skeleton, const md5_aim_job *job)
{
    // The sine and cosine of a part of 90 degrees are computed by a slerp, without libm. A half
    // turn as a quaternion is 90 degrees from the identity.
    const md5_quat half_turn = {1, 0, 0, 0};
    const float limit = job->params.limit;
    aim_rule rule = {
        .axes = skeleton->axes,
        .forward = direction_or(job->params.forward, md5_forward(skeleton->axes)),
        .up = direction_or(job->params.up, md5_up(skeleton->axes)),
        .is_limited = limit > 0 && limit < PI_FLOAT,
    };
    rule.up_along = md5_vec3_dot(rule.forward, rule.up);
    // If `up` has the direction of `forward`, no rotation about the sight can change it.
    rule.stays_upright = 1 - rule.up_along * rule.up_along > 1e-6f;
    if (rule.is_limited) {
        const md5_quat largest = md5_quat_slerp(MD5_NO_ROTATION, half_turn, limit / PI_FLOAT);
        rule.max_sine = largest.x;
        rule.max_cosine = largest.w;
    }
    return rule;
}

// Rotates all joints of a chain except the tip, each by one equal part of the rotation that points
// the tip at the target. Each joint also follows the rotations of the joints above it. Writes the
// model-space rotations of these joints to rotations[chain->count - 1].
//
// Updates the position and the rotation of the tip in `view`, so that the caller can compute the
// rotation that remains for the tip.
static void share_rotation(const md5_chain *chain, aim_view *view, md5_quat *rotations)
{
    const uint32_t last = chain->count - 1;
    const md5_float4 rotation = shorter_arc(aim_rotation(view));
    const md5_float4 part = limit_aim_rotation(equal_part(rotation, chain->count), &view->rule);

    // `accumulated` is the rotation of joint i that results from the parts of joint i and of all
    // joints above it, in model space.
    md5_float4 accumulated = part;
    md5_float4 old_position = md5_float4_from_vec3(chain->positions[0]);
    md5_float4 new_position = old_position;
    for (uint32_t i = 0; i < last; i++) {
        if (i > 0)
            accumulated = md5_float4_renormalize(md5_float4_quat_mul(part, accumulated));
        const md5_float4 old_rotation = md5_float4_load(&chain->rotations[i]);
        rotations[i] = md5_quat_from_float4(md5_float4_quat_mul(accumulated, old_rotation));

        // The bone from joint i to the next joint rotates with joint i.
        const md5_float4 next = md5_float4_from_vec3(chain->positions[i + 1]);
        const md5_float4 bone = md5_float4_sub(next, old_position);
        new_position = md5_float4_add(new_position, md5_float4_rotate(accumulated, bone));
        old_position = next;
    }

    view->eye = new_position;
    view->rotation = md5_float4_quat_mul(accumulated, view->rotation);
}

// Rotates a chain of joints, for example neck and head, so that the tip points at the target.
// Returns false and changes nothing if the tip is invalid or `length` is 0.
bool md5_solve_aim(const md5_skeleton *skeleton, const md5_aim_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    if (job->tip >= skeleton->num_joints || job->length == 0)
        return false;
    if (!(job->weight > 0) || job->params.limit == MD5_EXPLICIT_ZERO)
        return true;

    md5_chain chain;
    if (!md5_is_valid_vec3(job->target)
        || !md5i_find_chain(skeleton, pose, job->tip, job->length, &chain))
        return true;

    const uint32_t last = chain.count - 1;
    aim_view view = {
        .rule = build_rule(skeleton, job),
        .target = md5_float4_from_vec3(job->target),
        .eye = md5_float4_from_vec3(chain.positions[last]),
        .rotation = md5_float4_load(&chain.rotations[last]),
    };

    md5_quat rotations[MD5_MAX_CHAIN]; // model space
    if (last > 0)
        share_rotation(&chain, &view, rotations);

    // The last joint, the tip, performs the rotation that remains.
    const md5_float4 remaining = limit_aim_rotation(shorter_arc(aim_rotation(&view)), &view.rule);
    rotations[last] = md5_quat_from_float4(md5_float4_quat_mul(remaining, view.rotation));
    md5i_rotate_chain(&chain, rotations, job->weight, pose);
    return true;
}

// == Gaze ========================================================================================
//
// A gaze selects a point or a target. The eyes jump to it, and the head follows. A jump of the eyes
// is called a saccade.
//
// A direction is stored as a point on the plane at distance 1 in front of the origin: its offsets
// to the left and upward. These are the tangents of the angles. Therefore no trigonometric
// functions are needed, whose results differ between platforms.

// Maximum time of one call, and minimum time between two saccades, in seconds. Their ratio is the
// maximum number of saccades in a call.
static const double max_step = 60;
static const float min_rest = 0.05f;

// Duration of a saccade: a constant in seconds, plus a number of seconds per radian.
static const float saccade_base = 0.021f;
static const float saccade_slope = 0.126f;

// Returns the parameters of a gaze. Defaults replace values of 0.
static md5_gaze_params params_with_defaults(const md5_gaze_desc *desc)
{
    md5_gaze_params numbers = desc->params;
#define FILL_GAZE(name, min, max, default_value, text) \
    numbers.name = md5_number_or(numbers.name, default_value);
    MD5_GAZE_NUMBERS(FILL_GAZE, FILL_GAZE)
#undef FILL_GAZE
    return numbers;
}

// Returns the next random number of a gaze, 0 <= number < 1.
static float next_random(md5_gaze *gaze)
{
    gaze->random += MD5_WEYL;
    return md5_random_float(gaze->random);
}

// -- Points ---------------------------------------------------------------------------------

// Writes the direction of a target. Returns false, and writes nothing, if the target does not exist
// or is not in front of the eyes.
static bool target_direction(const md5_gaze_desc *desc, md5_axes axes, uint32_t target,
                             md5_vec2 *direction)
{
    if (target >= desc->num_targets)
        return false;
    const md5_vec3 offset = md5_vec3_sub(desc->targets[target], desc->origin);
    if (!md5_is_valid_vec3(offset))
        return false;
    const md5_vec3 seen = md5i_vec3_from_axes(axes, offset); // x ahead, y left, z up
    const bool is_in_front = seen.x > 1e-3f * (fabsf(seen.y) + fabsf(seen.z));
    if (!is_in_front)
        return false;
    *direction = (md5_vec2){seen.y / seen.x, seen.z / seen.x};
    return true;
}

// Returns the current direction of the eyes. During a saccade, let t be the fraction of its time
// that has passed. The eyes have then moved this fraction of the way from the old to the new
// direction:
//
//   3 t^2 - 2 t^3
//
// The movement starts and ends smoothly.
static md5_vec2 eye_direction(const md5_gaze *gaze)
{
    const bool is_in_saccade = gaze->seconds < gaze->duration;
    if (!is_in_saccade)
        return gaze->to;
    const float t = gaze->seconds / gaze->duration;
    const float moved = t * t * (3 - 2 * t);
    return (md5_vec2){gaze->from.x + (gaze->to.x - gaze->from.x) * moved,
                      gaze->from.y + (gaze->to.y - gaze->from.y) * moved};
}

// Returns the point in a direction at the distance `desc->distance` or its default, measured
// straight ahead from the origin of the gaze.
static md5_vec3 point_in_direction(const md5_gaze_desc *desc, md5_axes axes, md5_vec2 direction)
{
    const float distance = params_with_defaults(desc).distance;
    const md5_vec3 offset = {distance, distance * direction.x, distance * direction.y};
    return md5_vec3_add(desc->origin, md5i_vec3_to_axes(axes, offset));
}

// -- Time -----------------------------------------------------------------------------------

void md5_gaze_begin(uint64_t seed, md5_gaze *gaze)
{
    MD5_ASSERT_NOT_NULL(gaze);
    *gaze = (md5_gaze){.random = seed, .target = MD5_NONE};
}

// Returns true if all numbers of a gaze's state are finite and not too large. Sums of larger
// numbers could become infinite, and differences of infinite numbers are NaN.
static bool is_valid_state(const md5_gaze *gaze)
{
    const float max_number = 1e18f;
    const float state[] = {gaze->from.x, gaze->from.y, gaze->to.x,    gaze->to.y,    gaze->head.x,
                           gaze->head.y, gaze->rest,   gaze->seconds, gaze->duration};
    for (uint32_t i = 0; i < sizeof state / sizeof state[0]; i++) {
        if (!(fabsf(state[i]) <= max_number))
            return false;
    }
    return true;
}

// Returns the duration of a saccade in seconds. It depends on the angle between both directions,
// which is approximated by the chord between the unit vectors.
static float saccade_duration(md5_vec2 from, md5_vec2 to)
{
    const md5_vec3 straight = {1, 0, 0};
    const md5_vec3 p = md5_vec3_normalize((md5_vec3){1, from.x, from.y}, straight);
    const md5_vec3 q = md5_vec3_normalize((md5_vec3){1, to.x, to.y}, straight);
    return saccade_base + saccade_slope * md5_vec3_length(md5_vec3_sub(p, q));
}

// Starts a saccade to a random direction or to a random target.
static void choose_direction(const md5_gaze_desc *desc, md5_axes axes,
                             const md5_gaze_params *params, md5_gaze *gaze)
{
    // Each choice uses five random numbers, whether it needs them or not. The sequence of choices
    // therefore does not depend on the targets of earlier choices.
    const float x = 2 * next_random(gaze) - 1;
    const float y = 2 * next_random(gaze) - 1;
    const float chance = next_random(gaze);
    const uint32_t target = (uint32_t)((double)next_random(gaze) * desc->num_targets);
    const float rest_range = params->max_seconds - params->min_seconds;
    const float rest = params->min_seconds + rest_range * next_random(gaze);

    gaze->from = eye_direction(gaze);
    gaze->to = (md5_vec2){x * params->wide, y * params->high};
    gaze->target = MD5_NONE;
    if (chance < params->interest && target_direction(desc, axes, target, &gaze->to))
        gaze->target = target;

    gaze->seconds = 0;
    gaze->duration = saccade_duration(gaze->from, gaze->to);
    gaze->rest = rest > min_rest ? rest : min_rest;
}

// Moves the head toward a fraction of the direction of the eyes. The difference decays
// exponentially, so that the result does not depend on the division of the time into steps.
static void move_head(const md5_gaze_params *params, md5_gaze *gaze, double seconds)
{
    const double constant = params->head_seconds;
    const float fraction = constant > 0 ? (float)(1 - md5i_decay(seconds / constant)) : 1;
    gaze->head.x += (params->head_share * gaze->to.x - gaze->head.x) * fraction;
    gaze->head.y += (params->head_share * gaze->to.y - gaze->head.y) * fraction;
}

// Advances the gaze by `seconds`. Divides the time into steps, which end when the gaze selects
// another direction. The eyes jump to this direction in a short time, and the head follows them
// slowly.
void md5_gaze_advance(const md5_gaze_desc *desc, md5_axes axes, md5_gaze *gaze, double seconds)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_NOT_NULL(gaze);
    if (!is_valid_state(gaze))
        md5_gaze_begin(gaze->random, gaze);
    const md5_gaze_params params = params_with_defaults(desc);
    double left = seconds > max_step ? max_step : seconds; // NaN: no iteration of the loop
    while (left > 0) {
        if (!(gaze->rest > 0))
            choose_direction(desc, axes, &params, gaze);
        const bool is_last = left < gaze->rest;
        const double step = is_last ? left : gaze->rest;
        target_direction(desc, axes, gaze->target, &gaze->to); // the target may have moved
        move_head(&params, gaze, step);
        gaze->seconds += (float)step;
        gaze->rest = is_last ? gaze->rest - (float)step : 0;
        left -= step;
    }
}

// -- Pose -----------------------------------------------------------------------------------

// Returns the point at which the eyes look, in model space. It is the target itself after the eyes
// have arrived, so that they follow a target exactly. Otherwise it is a point in their current
// direction.
md5_vec3 md5_gaze_point(const md5_gaze_desc *desc, md5_axes axes, const md5_gaze *gaze)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_NOT_NULL(gaze);
    const bool have_eyes_arrived = !(gaze->seconds < gaze->duration);
    const bool has_target = gaze->target < desc->num_targets;
    if (have_eyes_arrived && has_target && md5_is_valid_vec3(desc->targets[gaze->target]))
        return desc->targets[gaze->target];
    return point_in_direction(desc, axes, eye_direction(gaze));
}

// Number of joints that share the rotation of the head if the description does not specify it.
enum { DEFAULT_HEAD_LENGTH = 3 };

// Returns the limit of an aim for a limit of a gaze. `limit_with_default` is the same limit after
// params_with_defaults(), which converts MD5_EXPLICIT_ZERO to 0. md5_solve_aim() would take this 0
// for no limit, so MD5_EXPLICIT_ZERO is passed on.
static float aim_limit(float limit, float limit_with_default)
{
    return limit == MD5_EXPLICIT_ZERO ? MD5_EXPLICIT_ZERO : limit_with_default;
}

// Rotates the head and the eyes of a pose towards the point of the gaze. Returns the number of eyes
// whose joints exist.
uint32_t md5_gaze_pose(const md5_gaze_desc *desc, const md5_gaze *gaze,
                       const md5_skeleton *skeleton, float weight, md5_xform *pose)
{
    MD5_ASSERT_PART(skeleton, joints);
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_NOT_NULL(gaze);
    MD5_ASSERT(desc->num_eyes <= MD5_MAX_EYES, "num_eyes: must be at most MD5_MAX_EYES");

    const md5_gaze_params *const given = &desc->params;
    const md5_gaze_params params = params_with_defaults(desc);
    const md5_aim_job head = {
        .tip = desc->head,
        .length = given->length > 0 ? given->length : DEFAULT_HEAD_LENGTH,
        .target = point_in_direction(desc, skeleton->axes, gaze->head),
        .params = {.limit = aim_limit(given->head_limit, params.head_limit)},
        .weight = weight,
    };
    md5_solve_aim(skeleton, &head, pose);

    // Each eye is an aim chain of one joint.
    md5_aim_job eye = {
        .length = 1,
        .target = md5_gaze_point(desc, skeleton->axes, gaze),
        .params = {.limit = aim_limit(given->eye_limit, params.eye_limit)},
        .weight = weight,
    };
    uint32_t num_rotated_eyes = 0;
    for (uint32_t i = 0; i < desc->num_eyes; i++) {
        eye.tip = desc->eyes[i];
        if (md5_solve_aim(skeleton, &eye, pose))
            num_rotated_eyes++;
    }
    return num_rotated_eyes;
}
