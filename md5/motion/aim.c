// Points a chain of joints at a target; a head and eyes that look about by themselves.
#include "md5/motion/functions.h"
#include "md5/motion/numbers.h"
#include "md5/motion/space.h"

// == Aim =========================================================================================
//
// The rotation that points the tip at the target is divided equally among the joints of a chain.
// The tip performs the remaining rotation, which differs from an equal part only because the other
// joints have moved the tip.

#define PI_FLOAT 3.14159265f

// If the sine of the angle between sight and vertical is smaller, the rotation that makes the tip
// upright fades out.
#define STEEP 0.1f

// If the square of this sine is smaller, the sight is vertical and has no upright rotation.
#define MIN_SLANT 1e-8f

// Parameters of an aim that do not depend on the pose.
typedef struct aim_rule {
    md5_axes axes;
    md5_vec3 forward;   // of the tip
    md5_vec3 up;        // of the tip
    float up_along;     // cosine of the angle between `forward` and `up`
    bool stays_upright; // false if `up` has the direction of `forward`
    bool is_limited;
    float max_sine;   // sine of half of the limit
    float max_cosine; // cosine of half of the limit
} aim_rule;

// The tip and its target.
typedef struct aim_view {
    aim_rule rule;
    md5_float4 target;
    md5_float4 eye;      // position of the tip, from which it looks at the target
    md5_float4 rotation; // of the tip, model space
} aim_view;

// Adds to the rotation `swing` a rotation about the direction of sight `along` that makes the tip
// upright, so that it leans neither left nor right. `swung` is the up direction of the tip after
// `swing`. The added angle is the angle between the components of up and of the vertical that are
// perpendicular to the sight.
static md5_float4 set_upright(const aim_view *view, md5_vec3 along, md5_vec3 swung,
                              md5_float4 swing)
{
    const md5_vec3 sight = md5i_vec3_from_axes(view->rule.axes, along);
    const md5_vec3 up = md5i_vec3_from_axes(view->rule.axes, swung);
    const float slant = sight.x * sight.x + sight.y * sight.y; // squared sine to the vertical
    if (!(view->rule.stays_upright && slant > MIN_SLANT))
        return swing;

    // Cosine and sine of the added angle, both times the same factor.
    const float cosine = up.z - view->rule.up_along * sight.z;
    const float sine = sight.x * up.y - sight.y * up.x;
    const md5_float4 uprighting = md5_float4_about(md5_float4_from_vec3(along), cosine,
                                                   md5_is_mirrored(view->rule.axes) ? -sine : sine);
    const bool is_steep = slant < STEEP * STEEP;
    if (!is_steep)
        return md5_float4_quat_mul(uprighting, swing);

    // Fade the rotation out toward the vertical, where the direction of the sight is undefined.
    const float fraction = sqrtf(slant) / STEEP;
    const md5_quat faded =
        md5_quat_slerp(MD5_NO_ROTATION, md5_quat_from_float4(uprighting), fraction);
    return md5_float4_quat_mul(md5_float4_from_quat(faded), swing);
}

// Returns the rotation in model space that points the tip at the target and makes it upright. It is
// composed of a swing, the shortest rotation from the tip's forward direction to the target, and a
// rotation about the direction to the target.
static md5_float4 aim_rotation(const aim_view *view)
{
    const md5_float4 toward = md5_float4_sub(view->target, view->eye);
    const md5_float4 forward =
        md5_float4_rotate(view->rotation, md5_float4_from_vec3(view->rule.forward));
    const md5_float4 up = md5_float4_rotate(view->rotation, md5_float4_from_vec3(view->rule.up));
    const md5_float4 sight = md5_float4_normalize(toward, forward);
    const float cosine = md5_float4_dot3(forward, sight);
    const md5_float4 swing = md5_float4_between_at(forward, sight, cosine);
    md5_float4 swung;
    if (cosine > MD5_MIN_ARC_COSINE) {
        // The up direction rotated by the swing, in a form that does not use `swing`, so that
        // processors compute both at the same time: up - k (forward + sight), plus a component
        // along the sight that equals the component along forward.
        const md5_float4 both = md5_float4_add(forward, sight);
        const float k = md5_float4_dot3(up, both) / (1 + cosine);
        swung = md5_float4_add(md5_float4_sub(up, md5_float4_scale(both, k)),
                               md5_float4_scale(sight, 2 * view->rule.up_along));
    } else {
        swung = md5_float4_rotate(swing, up);
    }
    return set_upright(view, md5_vec3_from_float4(sight), md5_vec3_from_float4(swung), swing);
}

// Returns the quaternion of the same rotation with w >= 0, which is the shorter arc.
static md5_float4 shorter_arc(md5_float4 rotation)
{
    return md5_float4_scale(rotation, md5_float4_at(rotation, 3) < 0 ? -1 : 1);
}

// Reduces a rotation to the limit.
static md5_float4 limit_aim_rotation(md5_float4 rotation, const aim_rule *rule)
{
    if (!rule->is_limited || md5_float4_at(rotation, 3) >= rule->max_cosine)
        return rotation;
    const md5_float4 axis = md5_float4_normalize(rotation, md5_float4_set(0, 0, 1, 0));
    return md5_float4_with_w(md5_float4_scale(axis, rule->max_sine), rule->max_cosine);
}

// Returns one of `count` equal parts of a rotation with w >= 0. Half of a rotation is the
// normalized mean of it and the identity: (x y z, 1 + w), whose square is 2 (1 + w).
static md5_float4 equal_part(md5_float4 rotation, uint32_t count)
{
    for (; count % 2 == 0; count /= 2) {
        const float w = 1 + md5_float4_at(rotation, 3);
        rotation = md5_float4_scale(md5_float4_with_w(rotation, w), 1.0f / sqrtf(w + w));
    }
    if (count == 1)
        return rotation;
    const md5_quat part =
        md5_quat_slerp(MD5_NO_ROTATION, md5_quat_from_float4(rotation), 1.0f / (float)count);
    return md5_float4_from_quat(part);
}

static md5_vec3 direction_or(md5_vec3 direction, md5_vec3 otherwise)
{
    return md5_is_valid_vec3(direction) ? md5_vec3_normalize(direction, otherwise) : otherwise;
}

// Converts the parameters of a job, with defaults for directions that are invalid.
static aim_rule build_rule(const md5_skeleton *skeleton, const md5_aim_job *job)
{
    // A slerp from the identity to a rotation by 180 degrees gives sine and cosine of any fraction.
    const md5_quat half_turn = {1, 0, 0, 0};
    const float limit = job->params.limit;
    aim_rule rule = {
        .axes = skeleton->axes,
        .forward = direction_or(job->params.forward, md5_forward(skeleton->axes)),
        .up = direction_or(job->params.up, md5_up(skeleton->axes)),
        .is_limited = limit > 0 && limit < PI_FLOAT,
    };
    rule.up_along = md5_vec3_dot(rule.forward, rule.up);
    // If `up` has the direction of `forward`, the tip has no upright rotation.
    rule.stays_upright = 1 - rule.up_along * rule.up_along > 1e-6f;
    if (rule.is_limited) {
        const md5_quat largest = md5_quat_slerp(MD5_NO_ROTATION, half_turn, limit / PI_FLOAT);
        rule.max_sine = largest.x;
        rule.max_cosine = largest.w;
    }
    return rule;
}

// Divides the rotation that points the tip at the target by the number of joints. Rotates all
// joints before the tip by one of these parts, and writes their model-space rotations. Updates the
// position and the rotation of the tip in `view`, from which the remaining rotation is computed.
static void share_rotation(const md5_chain *chain, aim_view *view, md5_quat *rotations)
{
    const uint32_t last = chain->count - 1;
    const md5_float4 whole = shorter_arc(aim_rotation(view));
    const md5_float4 part = limit_aim_rotation(equal_part(whole, chain->count), &view->rule);

    md5_float4 accumulated = part;
    md5_float4 animated = md5_float4_from_vec3(chain->positions[0]);
    md5_float4 position = animated;
    for (uint32_t i = 0; i < last; i++) {
        if (i > 0)
            accumulated = md5_float4_renormalize(md5_float4_quat_mul(part, accumulated));
        rotations[i] = md5_quat_from_float4(
            md5_float4_quat_mul(accumulated, md5_float4_load(&chain->rotations[i])));

        const md5_float4 next = md5_float4_from_vec3(chain->positions[i + 1]);
        const md5_float4 bone = md5_float4_sub(next, animated);
        position = md5_float4_add(position, md5_float4_rotate(accumulated, bone));
        animated = next;
    }

    view->eye = position;
    view->rotation = md5_float4_quat_mul(accumulated, view->rotation);
}

// Rotates a chain of joints so that the tip points at the target, for example neck and head.
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

    // The tip is rotated by the remaining angle.
    const md5_float4 remaining = limit_aim_rotation(shorter_arc(aim_rotation(&view)), &view.rule);
    rotations[last] = md5_quat_from_float4(md5_float4_quat_mul(remaining, view.rotation));
    md5i_rotate_chain(&chain, rotations, job->weight, pose);
    return true;
}

// == Gaze ========================================================================================
//
// Selects points; the eyes jump to a point, and the head follows. A direction is the offset to the
// left and upward of a point at distance 1 in front of the origin: the tangents of its angles.
// Therefore no angle functions are needed, whose bits differ between platforms.

// Maximum time of one call and minimum time between two saccades, seconds, which bound the number
// of saccades in a call.
static const double max_step = 60;
static const float min_rest = 0.05f;

// Duration of a saccade: a constant, seconds, and an addition, seconds per radian.
static const float saccade_base = 0.021f;
static const float saccade_slope = 0.126f;

// Returns the parameters of a gaze, with defaults for values that are 0.
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
// or is not in front of the origin.
static bool target_direction(const md5_gaze_desc *desc, md5_axes axes, uint32_t target,
                             md5_vec2 *direction)
{
    if (target >= desc->num_targets)
        return false;
    const md5_vec3 offset = md5_vec3_sub(desc->targets[target], desc->origin);
    const md5_vec3 seen = md5i_vec3_from_axes(axes, offset); // x ahead, y left, z up
    if (!md5_is_valid_vec3(offset) || !(seen.x > 1e-3f * (fabsf(seen.y) + fabsf(seen.z))))
        return false;
    *direction = (md5_vec2){seen.y / seen.x, seen.z / seen.x};
    return true;
}

// Returns the current direction of the eyes. During a saccade they have moved the fraction 3 t^2 -
// 2 t^3 of the way, which is smooth at both ends.
static md5_vec2 eye_direction(const md5_gaze *gaze)
{
    if (!(gaze->seconds < gaze->duration))
        return gaze->to;
    const float t = gaze->seconds / gaze->duration;
    const float part = t * t * (3 - 2 * t);
    return (md5_vec2){gaze->from.x + (gaze->to.x - gaze->from.x) * part,
                      gaze->from.y + (gaze->to.y - gaze->from.y) * part};
}

// Returns the point in a direction, at the distance of random points.
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

// Restarts the gaze if a number of its state is not finite or too large. Sums of larger finite
// numbers could be infinite, and their differences NaN.
static void repair_state(md5_gaze *gaze)
{
    const float max_number = 1e18f;
    const float state[] = {gaze->from.x, gaze->from.y, gaze->to.x,    gaze->to.y,    gaze->head.x,
                           gaze->head.y, gaze->rest,   gaze->seconds, gaze->duration};
    for (uint32_t i = 0; i < sizeof state / sizeof state[0]; i++) {
        if (fabsf(state[i]) <= max_number)
            continue;
        md5_gaze_begin(gaze->random, gaze);
        return;
    }
}

// Returns the duration of an eye movement, seconds. It depends on the angle between the directions.
// The chord between two unit vectors approximates the angle between them.
static float saccade_duration(md5_vec2 from, md5_vec2 to)
{
    const md5_vec3 straight = {1, 0, 0};
    const md5_vec3 p = md5_vec3_normalize((md5_vec3){1, from.x, from.y}, straight);
    const md5_vec3 q = md5_vec3_normalize((md5_vec3){1, to.x, to.y}, straight);
    return saccade_base + saccade_slope * md5_vec3_length(md5_vec3_sub(p, q));
}

// Starts an eye movement to a random direction or target.
static void choose_direction(const md5_gaze_desc *desc, md5_axes axes,
                             const md5_gaze_params *params, md5_gaze *gaze)
{
    // Each choice consumes five random numbers, so that it does not depend on the targets of
    // earlier choices.
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

// Advances the gaze by `seconds`, in pieces that end when the gaze chooses another target. The eyes
// jump to a target in a short time; the head follows them slowly.
void md5_gaze_advance(const md5_gaze_desc *desc, md5_axes axes, md5_gaze *gaze, double seconds)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_NOT_NULL(gaze);
    double left = seconds > max_step ? max_step : seconds; // NaN: no iteration of the loop
    repair_state(gaze);
    const md5_gaze_params params = params_with_defaults(desc);
    const double constant = params.head_seconds;
    while (left > 0) {
        if (!(gaze->rest > 0))
            choose_direction(desc, axes, &params, gaze);
        const double step = left < gaze->rest ? left : gaze->rest;
        target_direction(desc, axes, gaze->target, &gaze->to); // the target may have moved

        // The head approaches its direction exponentially, with the same result for any step.
        const float fraction = constant > 0 ? (float)(1 - md5i_decay(step / constant)) : 1;
        gaze->head.x += (params.head_share * gaze->to.x - gaze->head.x) * fraction;
        gaze->head.y += (params.head_share * gaze->to.y - gaze->head.y) * fraction;

        gaze->seconds += (float)step;
        gaze->rest = left < gaze->rest ? gaze->rest - (float)step : 0;
        left -= step;
    }
}

// -- Pose -----------------------------------------------------------------------------------

// Returns the point at which the eyes look, in model space: the target itself after the eyes have
// arrived, otherwise a point in their current direction.
md5_vec3 md5_gaze_point(const md5_gaze_desc *desc, md5_axes axes, const md5_gaze *gaze)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_NOT_NULL(gaze);
    const bool have_eyes_arrived = !(gaze->seconds < gaze->duration);
    if (have_eyes_arrived && gaze->target < desc->num_targets
        && md5_is_valid_vec3(desc->targets[gaze->target]))
        return desc->targets[gaze->target];
    return point_in_direction(desc, axes, eye_direction(gaze));
}

// Number of joints that move the head if a description does not contain one.
enum { DEFAULT_HEAD_LENGTH = 3 };

// Returns a limit for md5_solve_aim(), which does not rotate joints with a limit of
// MD5_EXPLICIT_ZERO: this value of a gaze is kept, any other value is replaced by `filled`, the
// value with defaults.
static float get_aim_limit(float limit, float filled)
{
    return limit == MD5_EXPLICIT_ZERO ? MD5_EXPLICIT_ZERO : filled;
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

    const md5_gaze_params *const params = &desc->params;
    const md5_gaze_params filled = params_with_defaults(desc);
    md5_aim_job job = {
        .tip = desc->head,
        .length = params->length > 0 ? params->length : DEFAULT_HEAD_LENGTH,
        .target = point_in_direction(desc, skeleton->axes, gaze->head),
        .params = {.limit = get_aim_limit(params->head_limit, filled.head_limit)},
        .weight = weight,
    };
    md5_solve_aim(skeleton, &job, pose);

    // Each eye is a chain of one joint.
    uint32_t num_rotated_eyes = 0;
    job.length = 1;
    job.target = md5_gaze_point(desc, skeleton->axes, gaze);
    job.params.limit = get_aim_limit(params->eye_limit, filled.eye_limit);
    for (uint32_t i = 0; i < desc->num_eyes; i++) {
        job.tip = desc->eyes[i];
        if (md5_solve_aim(skeleton, &job, pose))
            num_rotated_eyes++;
    }
    return num_rotated_eyes;
}
