// Spring chains, for example of hair: chains of joints that lag behind the animation and swing. A
// damped spring pulls the end of each joint's bone to its animated position in world space. The
// joint is then rotated so that its bone points at this end. The springs are not coupled, so each
// is solved exactly for any time step.
#include "md5/motion/functions.h"
#include "md5/motion/numbers.h"
#include "md5/motion/space.h"

// Parameters of one time step, common to all springs of a chain.
typedef struct axis_step {
    md5_swing swing;  // effect of the step on a spring without acceleration
    double stiffness; // 1 / s^2
    double damping;   // 1 / s
    double seconds;   // length of the step
} axis_step;

// Advances one coordinate of the end of a bone by a step. Assumes that the animated position moves
// from `from` to `to` at constant speed, and that the acceleration is constant.
//
// The solution has two parts. In steady motion, the end has the same speed as the animated
// position, at a constant offset. At this offset, the spring balances acceleration and damping. The
// difference from the steady motion is a free damped oscillation: see md5_swing.
static void step_axis(const axis_step *step, float from, float to, float acceleration,
                      float *position, float *velocity)
{
    const double a = from;
    const double b = to;
    const double speed = (b - a) / step->seconds;
    const double offset = (acceleration - step->damping * speed) / step->stiffness;

    // Position and velocity of the end relative to the steady motion.
    const double x = *position - (a + offset);
    const double v = *velocity - speed;
    const double keep = step->swing.keep;
    const double drift = step->swing.drift;
    *position = (float)(b + offset + keep * x + drift * v);
    *velocity = (float)(speed - step->stiffness * drift * x + (keep - step->damping * drift) * v);
}

// Returns the animated position of the end of a joint's bone, which is the position of the next
// joint. The tip has no next joint; its bone is assumed to equal the bone from its parent to the
// tip.
static md5_vec3 joint_end(const md5_chain *chain, const md5_xform *pose, uint32_t i)
{
    if (i + 1 < chain->count)
        return chain->positions[i + 1];
    const md5_vec3 step = pose[chain->joints[i]].translation;
    return md5_vec3_add(chain->positions[i], md5_quat_rotate(chain->rotations[i], step));
}

// Advances the spring at the end of one bone by a step, in world space. `goal` is the animated
// position of the end after the step.
static void step_spring(const axis_step *step, md5_vec3 goal, md5_vec3 acceleration,
                        md5_spring_joint *joint)
{
    const md5_vec3 from = joint->target; // animated position before the step
    md5_vec3 *const p = &joint->position;
    md5_vec3 *const v = &joint->velocity;
    step_axis(step, from.x, goal.x, acceleration.x, &p->x, &v->x);
    step_axis(step, from.y, goal.y, acceleration.y, &p->y, &v->y);
    step_axis(step, from.z, goal.z, acceleration.z, &p->z, &v->z);
    joint->target = goal;
}

// Moves the ends of all bones by a step, in world space. `placement` is the transform from model
// space to world space. The ends start at rest at their animated positions in the first step, and
// again if a position or velocity is not finite.
static void move_ends(const md5_spring_job *job, const md5_chain *chain, const md5_xform *pose,
                      const axis_step *step, md5_xform placement, md5_vec3 acceleration)
{
    for (uint32_t i = 0; i < chain->count; i++) {
        md5_spring_joint *const joint = &job->state[i];
        const md5_vec3 end = md5_quat_rotate(placement.rotation, joint_end(chain, pose, i));
        const md5_vec3 goal = md5_vec3_add(placement.translation, end);
        if (!job->is_first && step->seconds > 0)
            step_spring(step, goal, acceleration, joint);

        const bool is_valid =
            md5_is_valid_vec3(joint->position) && md5_is_valid_vec3(joint->velocity);
        if (job->is_first || !is_valid)
            *joint = (md5_spring_joint){.position = goal, .target = goal};
    }
}

// The direction of a bone can be computed only if its length, in units, is above this.
#define MIN_BONE_LENGTH 1e-15f

// Computes the shortest rotation from the direction of a bone to `toward`. Returns false if the
// bone has no direction or `toward` is not finite.
static bool find_bone_rotation(md5_vec3 bone, md5_vec3 toward, md5_quat *rotation)
{
    const float length = md5_vec3_length(bone);
    if (!(length > MIN_BONE_LENGTH) || !md5_is_valid_vec3(toward))
        return false;
    const md5_vec3 direction = md5_vec3_scale(bone, 1.0f / length);
    *rotation = md5_rotation_between(direction, md5_vec3_normalize(toward, direction));
    return true;
}

// Rotates each joint so that its bone points at its end, which the spring has moved. Writes the
// rotations of the joints in model space. Bones keep their lengths, so a rotated bone does not end
// exactly where the spring has moved its end. The next bone starts at the end of the rotated bone.
static void point_at_ends(const md5_spring_job *job, const md5_chain *chain, const md5_xform *pose,
                          md5_xform placement, md5_quat *rotations)
{
    const md5_xform to_model = md5_xform_inverse(placement);
    md5_vec3 start = chain->positions[0]; // start of the current bone, model space
    for (uint32_t i = 0; i < chain->count; i++) {
        const md5_vec3 bone = md5_vec3_sub(joint_end(chain, pose, i), chain->positions[i]);
        const md5_vec3 rotated_end = md5_quat_rotate(to_model.rotation, job->state[i].position);
        const md5_vec3 end = md5_vec3_add(rotated_end, to_model.translation); // model space

        md5_quat rotation = MD5_NO_ROTATION;
        rotations[i] = chain->rotations[i];
        if (find_bone_rotation(bone, md5_vec3_sub(end, start), &rotation))
            rotations[i] = md5_quat_mul(rotation, chain->rotations[i]);
        start = md5_vec3_add(start, md5_quat_rotate(rotation, bone));
    }
}

// Returns a value that is above 0 and below MD5_MAX_COORDINATE, and 0 instead of any other value.
static float value_in_range_or_zero(float value)
{
    return value > 0 && value < MD5_MAX_COORDINATE ? value : 0;
}

// Returns the sum of gravity and the acceleration of the job, or 0 if the sum is not finite.
static md5_vec3 spring_acceleration(const md5_spring_job *job, md5_axes axes, float gravity)
{
    const md5_vec3 none = {0, 0, 0};
    const md5_vec3 down = {0, 0, -gravity};
    const md5_vec3 sum = md5_vec3_add(job->acceleration, md5i_vec3_to_axes(axes, down));
    return md5_is_valid_vec3(sum) ? sum : none;
}

// Returns the parameters of a job. Defaults replace values of 0.
static md5_spring_params filled_params(const md5_spring_job *job)
{
    md5_spring_params params = job->params;
#define FILL_SPRING(name, min, max, default_value, text) \
    params.name = md5_number_or(params.name, default_value);
    MD5_SPRING_NUMBERS(FILL_SPRING)
#undef FILL_SPRING
    return params;
}

// Prepares a time step. A damping or a time that is out of range is replaced by 0.
static axis_step create_step(const md5_spring_params *params, float seconds)
{
    axis_step step = {
        .stiffness = params->stiffness,
        .damping = value_in_range_or_zero(params->damping),
        .seconds = value_in_range_or_zero(seconds),
    };
    step.swing = md5i_swing_for(step.stiffness, step.damping, step.seconds);
    return step;
}

// Returns the placement of the character. The identity replaces parts of it that are invalid.
static md5_xform valid_placement(const md5_spring_job *job)
{
    const md5_vec3 none = {0, 0, 0};
    const bool is_placed = md5_is_valid_vec3(job->placement.translation);
    return (md5_xform){
        .rotation = md5_quat_normalize(job->placement.rotation, MD5_NO_ROTATION),
        .translation = is_placed ? job->placement.translation : none,
    };
}

// Moves a spring chain, such as hair or a tail. Simulates the ends of its bones for job->seconds,
// then rotates the joints so that the bones point at these ends. Returns false if the chain or the
// stiffness is invalid.
bool md5_solve_spring(const md5_skeleton *skeleton, const md5_spring_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    const md5_spring_params params = filled_params(job);
    const bool is_stiff = params.stiffness > 0 && params.stiffness < MD5_MAX_COORDINATE;
    md5_chain chain;
    if (!md5i_find_chain(skeleton, pose, job->tip, job->length, &chain) || !is_stiff)
        return false;
    MD5_ASSERT(job->state != NULL, "state: must not be NULL");

    const axis_step step = create_step(&params, job->seconds);
    const md5_xform placement = valid_placement(job);
    const md5_vec3 acceleration = spring_acceleration(job, skeleton->axes, params.gravity);
    move_ends(job, &chain, pose, &step, placement, acceleration);
    if (!(job->weight > 0))
        return true;

    md5_quat rotations[MD5_MAX_CHAIN]; // model space
    point_at_ends(job, &chain, pose, placement, rotations);
    md5i_rotate_chain(&chain, rotations, job->weight, pose);
    return true;
}
