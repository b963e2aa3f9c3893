// Inverse kinematics for chains of any length: FABRIK and CCD, with and without limits, and damped
// least squares, also for several chains of one skeleton.
#include "md5/motion/rig.h"

// == Rotations of a rig ===========================================================================

static double distance_between(md5_vec3d a, md5_vec3d b)
{
    return md5_vec3d_length(md5_vec3d_sub(a, b));
}

// Returns the shortest rotation from one direction to another; both can have any length. Returns no
// rotation if one of them is zero. For opposite directions, rotates about any perpendicular axis.
static md5_quatd shortest_rotation(md5_vec3d from, md5_vec3d to)
{
    static const double min_w = 1e-12; // smaller for opposite directions
    const md5_vec3d a = md5_vec3d_normalize(from);
    const md5_vec3d b = md5_vec3d_normalize(to);
    const double w = 1 + md5_vec3d_dot(a, b);
    if (!(w > min_w)) {
        const md5_vec3d axis = md5_vec3d_perpendicular(a);
        return (md5_quatd){axis.x, axis.y, axis.z, 0};
    }
    const md5_vec3d axis = md5_vec3d_cross(a, b);
    return md5i_quatd_unit((md5_quatd){axis.x, axis.y, axis.z, w});
}

// Rotates a joint by `change` in model space. Returns the rotation, relative to the parent, that is
// nearest to the result and within the joint's limit. Does not change the rig.
static md5_quatd rotate_within_limit(const md5_rig *rig, uint32_t joint, md5_quatd change)
{
    const md5_rig_joint *const rig_joint = &rig->joints[joint];
    const md5_quatd in_model = md5_quatd_mul(change, rig_joint->rotation);
    const md5_quatd model_to_parent = md5_quatd_conjugate(md5i_rig_parent_rotation(rig, joint));
    const md5_quatd in_parent = md5_quatd_mul(model_to_parent, in_model);
    return md5i_limit_nearest(&rig_joint->limit, md5i_quatd_unit(in_parent));
}

// Copies the rotations of all joints, relative to their parents, to locals[rig->count].
static void save_rig(const md5_rig *rig, md5_quatd *locals)
{
    for (uint32_t i = 0; i < rig->count; i++)
        locals[i] = rig->joints[i].local;
}

// Restores the rotations that save_rig() has copied.
static void restore_rig(const md5_quatd *locals, md5_rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++)
        rig->joints[i].local = locals[i];
    md5i_update_rig(rig);
}

// Writes the rotations of all joints that are not held to the pose, blended by `weight` > 0.
static void write_rig(const md5_rig *rig, float weight, md5_xform *pose)
{
    md5_rotation_blend blend;
    md5i_begin_rotation_blend(weight, &blend);
    for (uint32_t i = 0; i < rig->count; i++) {
        const md5_rig_joint *const rig_joint = &rig->joints[i];
        if (rig_joint->is_held)
            continue;
        const md5_quatd q = rig_joint->local;
        const md5_float4 rotation = md5_float4_set((float)q.x, (float)q.y, (float)q.z, (float)q.w);
        md5_blend_joint_rotation(&pose[rig_joint->joint], &blend, rotation);
    }
}

// -- Straight chains ------------------------------------------------------------------------------

// A chain counts as straight if it deviates by less than this fraction of its length.
#define STRAIGHT_RIG 1e-3

// Sine and cosine of the angle by which straight joints are bent before the first iteration.
#define RIG_BEND_SINE 0.1
#define RIG_BEND_COSINE 0.99498743710662

// Returns the rotation of a joint, relative to its parent, after it has been rotated about an axis
// in model space by the small angle with this sine, and moved into its limit.
static md5_quatd bend_about(const md5_rig *rig, uint32_t joint, md5_vec3d axis, double sine)
{
    return rotate_within_limit(rig, joint, md5i_quatd_about(axis, RIG_BEND_COSINE, sine));
}

// Bends a joint about an axis in model space, within its limit, by the small angle whose sine is
// `sine`, which is RIG_BEND_SINE or its negative. A hinge bends about the axis of its limit
// instead, to the side with the larger part of its range.
static void bend_joint(md5_rig *rig, uint32_t joint, md5_vec3d axis, double sine)
{
    md5_rig_joint *const rig_joint = &rig->joints[joint];
    if (rig_joint->limit.kind != MD5_LIMIT_HINGE) {
        rig_joint->local = bend_about(rig, joint, axis, sine);
        return;
    }

    // Of both sides, select the side to which the limit permits the larger rotation. A smaller dot
    // product of quaternions is a larger angle.
    const md5_vec3d hinge = md5_quatd_rotate(rig_joint->rotation, rig_joint->limit.axis);
    const md5_quatd positive = bend_about(rig, joint, hinge, sine);
    const md5_quatd negative = bend_about(rig, joint, hinge, -sine);
    const double positive_cosine = fabs(md5_quatd_dot(positive, rig_joint->local));
    const double negative_cosine = fabs(md5_quatd_dot(negative, rig_joint->local));
    rig_joint->local = positive_cosine <= negative_cosine ? positive : negative;
}

// Returns the direction of the line on which a straight chain would be: from its root to the
// target, or to the tip if the target is at the root.
static md5_vec3d chain_direction(const md5_rig *rig, uint32_t root, uint32_t tip, md5_vec3d target)
{
    const md5_vec3d start = rig->joints[root].position;
    const md5_vec3d to_target = md5_vec3d_normalize(md5_vec3d_sub(target, start));
    if (md5_vec3d_dot(to_target, to_target) > 0)
        return to_target;
    const md5_vec3d to_tip = md5_vec3d_normalize(md5_vec3d_sub(rig->joints[tip].position, start));
    if (md5_vec3d_dot(to_tip, to_tip) > 0)
        return to_tip;
    return (md5_vec3d){1, 0, 0};
}

// Returns true if all joints of a chain are on the line through its root in this direction. Also
// sets *length to the length of the chain.
static bool is_rig_straight(const md5_rig *rig, uint32_t root, uint32_t tip, md5_vec3d direction,
                            double *length)
{
    const md5_vec3d start = rig->joints[root].position;
    double max_deviation = 0;
    double sum = 0;
    for (uint32_t i = tip; rig->joints[i].parent != MD5_NONE; i = rig->joints[i].parent) {
        const md5_vec3d from_root = md5_vec3d_sub(rig->joints[i].position, start);
        const double deviation = md5_vec3d_length(md5_vec3d_cross(from_root, direction));
        max_deviation = deviation > max_deviation ? deviation : max_deviation;
        sum += md5_vec3d_length(rig->joints[i].offset);
    }
    *length = sum;
    return max_deviation < STRAIGHT_RIG * sum;
}

// Returns true if a solver cannot bend a chain: all its joints are on a line through the root, and
// the target is on the same line, nearer to the root than the length of the chain, but farther than
// `tolerance` from the tip.
static bool is_rig_stuck(const md5_rig *rig, uint32_t root, uint32_t tip, md5_vec3d direction,
                         md5_vec3d target, double tolerance)
{
    double length = 0;
    if (!is_rig_straight(rig, root, tip, direction, &length))
        return false;
    const double root_distance = distance_between(target, rig->joints[root].position);
    const double tip_distance = distance_between(target, rig->joints[tip].position);
    return root_distance < length && tip_distance > tolerance;
}

// Returns the first joint of the chain in a rig that ends at `tip`.
static uint32_t find_chain_root(const md5_rig *rig, uint32_t tip)
{
    uint32_t root = tip;
    while (rig->joints[root].parent != MD5_NONE)
        root = rig->joints[root].parent;
    return root;
}

// Bends the joints above `tip` slightly, within their limits, if the chain is straight and the
// target is on its line: solvers cannot bend such a chain. Does nothing to other chains, or if the
// tip is within `tolerance` of the target.
static void bend_straight(md5_rig *rig, uint32_t tip, md5_vec3d target, double tolerance)
{
    const uint32_t root = find_chain_root(rig, tip);
    const md5_vec3d direction = chain_direction(rig, root, tip, target);
    if (!is_rig_stuck(rig, root, tip, direction, target, tolerance))
        return;

    // The axis is perpendicular to the chain, and moves it aside to the front of the model.
    const md5_vec3 aside = md5i_forward_perpendicular(rig->axes, md5_vec3d_round(direction));
    const md5_vec3d axis =
        md5_vec3d_normalize(md5_vec3d_cross(direction, md5_vec3d_from_vec3(aside)));

    // The root bends to one side and the other joints back, so that the chain becomes an arc.
    for (uint32_t i = rig->joints[tip].parent; i != MD5_NONE; i = rig->joints[i].parent) {
        const double sine = i == root ? RIG_BEND_SINE : -RIG_BEND_SINE;
        if (!rig->joints[i].is_held)
            bend_joint(rig, i, axis, sine);
    }
    md5i_update_rig(rig);
}

// == Under limits ================================================================================

// After this many iterations without progress, CCD replaces FABRIK, whose backward pass ignores the
// limits and may repeat the same unreachable positions.
enum { MAX_VAIN_ITERATIONS = 4 };

static md5_vec3d perpendicular_part(md5_vec3d v, md5_vec3d axis)
{
    return md5_vec3d_sub(v, md5_vec3d_scale(axis, md5_vec3d_dot(v, axis)));
}

// Returns the rotation about a unit axis that brings the direction `from` as near to the direction
// `to` as possible.
static md5_quatd rotation_about(md5_vec3d axis, md5_vec3d from, md5_vec3d to)
{
    const md5_vec3d a = md5_vec3d_normalize(perpendicular_part(from, axis));
    const md5_vec3d b = md5_vec3d_normalize(perpendicular_part(to, axis));
    return md5i_quatd_about(axis, md5_vec3d_dot(a, b), md5_vec3d_dot(md5_vec3d_cross(a, b), axis));
}

static bool is_hinge(const md5_rig_joint *joint)
{
    return joint->limit.kind == MD5_LIMIT_HINGE;
}

// Rotates a joint so that the direction `from` points toward `to`. Returns the nearest rotation
// within the joint's limit, relative to the parent. A hinge rotates about its axis only; its result
// is the angle in its range that is nearest to the angle of least distance.
static md5_quatd rotate_toward(const md5_rig *rig, uint32_t joint, md5_vec3d from, md5_vec3d to)
{
    const md5_rig_joint *const rig_joint = &rig->joints[joint];
    if (!is_hinge(rig_joint))
        return rotate_within_limit(rig, joint, shortest_rotation(from, to));
    const md5_vec3d axis = md5_quatd_rotate(rig_joint->rotation, rig_joint->limit.axis);
    return rotate_within_limit(rig, joint, rotation_about(axis, from, to));
}

static double rig_distance(const md5_rig *rig, md5_vec3d target)
{
    return distance_between(rig->joints[rig->count - 1].position, target);
}

// -- CCD ------------------------------------------------------------------------------------------

// Runs one pass of CCD, from the joint above the tip to the root. Each joint rotates the tip toward
// the target, within its limit. A rotation that increases the distance because of the limit is not
// applied. Until the end of the pass only the position of the tip is updated, because the joints
// above a rotated joint do not move.
static void run_ccd_pass(md5_rig *rig, md5_vec3d target)
{
    md5_vec3d tip = rig->joints[rig->count - 1].position;
    for (uint32_t k = rig->count - 1; k-- > 0;) {
        md5_rig_joint *const joint = &rig->joints[k];
        if (joint->is_held)
            continue;

        const md5_vec3d to_tip = md5_vec3d_sub(tip, joint->position);
        const md5_vec3d to_target = md5_vec3d_sub(target, joint->position);
        const md5_quatd local = rotate_toward(rig, k, to_tip, to_target);

        // Rotate the tip from the joint's current rotation in model space to its new rotation.
        const md5_quatd new_rotation = md5_quatd_mul(md5i_rig_parent_rotation(rig, k), local);
        const md5_quatd model_to_joint = md5_quatd_conjugate(joint->rotation);
        const md5_vec3d tip_in_joint = md5_quatd_rotate(model_to_joint, to_tip);
        const md5_vec3d new_tip =
            md5_vec3d_add(joint->position, md5_quatd_rotate(new_rotation, tip_in_joint));
        const bool is_nearer = distance_between(new_tip, target) < distance_between(tip, target);
        if (is_nearer) {
            joint->local = local;
            tip = new_tip;
        }
    }
    md5i_update_rig(rig);
}

// Moves the tip of a chain to the target by CCD (cyclic coordinate descent), which rotates one
// joint after the other within the joint limits. Stops at `tolerance` units from the target, or
// when a pass brings no improvement. Returns the remaining distance, in units.
double md5i_ccd_limited(md5_rig *rig, md5_vec3d target, double tolerance, uint32_t iterations)
{
    md5_quatd start_rotations[MD5_MAX_CHAIN];
    const double start_distance = rig_distance(rig, target);
    save_rig(rig, start_rotations);
    if (iterations > 0)
        bend_straight(rig, rig->count - 1, target, tolerance);

    double distance = rig_distance(rig, target);
    for (uint32_t i = 0; i < iterations && distance > tolerance; i++) {
        run_ccd_pass(rig, target);
        const double new_distance = rig_distance(rig, target);
        if (!(new_distance < distance))
            break; // no joint can be improved any more
        distance = new_distance;
    }

    // Bending a straight chain can make the result worse than the start.
    if (distance > start_distance) {
        restore_rig(start_rotations, rig);
        return start_distance;
    }
    return distance;
}

// -- FABRIK ---------------------------------------------------------------------------------------

// Sets the rotation of a joint relative to its parent, and in model space.
static void set_local(md5_rig *rig, uint32_t joint, md5_quatd local)
{
    rig->joints[joint].local = local;
    rig->joints[joint].rotation = md5_quatd_mul(md5i_rig_parent_rotation(rig, joint), local);
}

// Backward pass of FABRIK, from the tip to the root: computes the positions of the joints with the
// tip at the target. The lengths of the bones do not change. Limits are ignored.
static void compute_positions(const md5_rig *rig, md5_vec3d target, md5_vec3d *positions)
{
    const uint32_t last = rig->count - 1;
    positions[last] = target;
    for (uint32_t k = last; k-- > 0;) {
        const double length = md5_vec3d_length(rig->joints[k + 1].offset);
        const md5_vec3d direction =
            md5_vec3d_normalize(md5_vec3d_sub(rig->joints[k].position, positions[k + 1]));
        positions[k] = md5_vec3d_add(positions[k + 1], md5_vec3d_scale(direction, length));
    }
}

// Twists the parent of a hinge about the bone between them until the plane of the hinge contains
// the position after the hinge. This is necessary because a hinge bends in one plane only. All
// vectors are in model space.
static void align_hinge_plane(md5_rig *rig, uint32_t parent, const md5_vec3d *positions)
{
    const md5_rig_joint *const hinge = &rig->joints[parent + 1];
    const md5_quatd parent_to_model = rig->joints[parent].rotation;
    const md5_quatd rest_to_model = md5_quatd_mul(parent_to_model, hinge->limit.rest);
    const md5_vec3d bone = md5_vec3d_normalize(md5_quatd_rotate(parent_to_model, hinge->offset));
    const md5_vec3d axis = md5_quatd_rotate(rest_to_model, hinge->limit.axis);

    // The direction to which the hinge bends the next bone, at the middle of its range.
    const double side = hinge->limit.middle.sine < 0 ? -1 : 1;
    const md5_vec3d bend = md5_vec3d_scale(md5_vec3d_cross(axis, bone), side);
    const md5_vec3d next_bone = md5_vec3d_sub(positions[parent + 2], positions[parent + 1]);
    const md5_quatd twist = rotation_about(bone, bend, next_bone);
    set_local(rig, parent, rotate_within_limit(rig, parent, twist));
}

// Forward pass of FABRIK: rotates the joints, from the root on, toward positions[], each within its
// limit, and updates their positions.
static void rotate_to_positions(md5_rig *rig, const md5_vec3d *positions)
{
    const uint32_t last = rig->count - 1;
    for (uint32_t k = 0; k < last; k++) {
        md5_rig_joint *const rig_joint = &rig->joints[k];
        md5_rig_joint *const next = rig_joint + 1;
        set_local(rig, k, rig_joint->local); // updates it for the rotations of the joints above

        const md5_vec3d bone = md5_quatd_rotate(rig_joint->rotation, next->offset);
        const md5_vec3d direction = md5_vec3d_sub(positions[k + 1], rig_joint->position);
        set_local(rig, k, rotate_toward(rig, k, bone, direction));
        const bool is_before_hinge = k + 1 < last && is_hinge(next);
        if (is_before_hinge && !is_hinge(rig_joint))
            align_hinge_plane(rig, k, positions);

        const md5_vec3d new_bone = md5_quatd_rotate(rig_joint->rotation, next->offset);
        next->position = md5_vec3d_add(rig_joint->position, new_bone);
    }
    set_local(rig, last, rig->joints[last].local);
}

// Solves a chain with joint limits by FABRIK (forward and backward reaching inverse kinematics).
// When several iterations bring no progress, as limits can cause, uses CCD for the remaining
// iterations. Leaves the best rotations in the rig. Returns the remaining distance from the target,
// in units.
static double fabrik_limited(md5_rig *rig, md5_vec3d target, double tolerance, uint32_t iterations)
{
    md5_quatd best_rotations[MD5_MAX_CHAIN];
    double min_distance = rig_distance(rig, target);
    save_rig(rig, best_rotations);
    if (iterations > 0)
        bend_straight(rig, rig->count - 1, target, tolerance);

    md5_vec3d positions[MD5_MAX_CHAIN];
    uint32_t num_vain = 0; // iterations since the last progress
    uint32_t num_done = 0;
    while (num_done < iterations && min_distance > tolerance && num_vain < MAX_VAIN_ITERATIONS) {
        compute_positions(rig, target, positions);
        rotate_to_positions(rig, positions);
        const double distance = rig_distance(rig, target);
        num_done++;
        num_vain++;
        if (distance < min_distance) {
            min_distance = distance;
            num_vain = 0;
            save_rig(rig, best_rotations);
        }
    }

    restore_rig(best_rotations, rig);
    return md5i_ccd_limited(rig, target, tolerance, iterations - num_done);
}

// == Without limits ==============================================================================

// A chain counts as straight if it deviates from a line by less than this fraction of its length.
#define STRAIGHT_CHAIN 1e-3f

// A straight chain whose target is on its line would stay on the line. Its joints are therefore
// first moved aside by this fraction of their bones, the sine of the angle of the bones.
#define BEND_SINE 0.1f
#define BEND_COSINE 0.99498744f

// A vector with a smaller square of its length does not have a direction.
#define MIN_CHAIN_SQUARE 1e-30f

// A chain without limits and its target.
typedef struct reaching {
    md5_axes axes;
    md5_chain chain;
    uint32_t last;                // the tip's index in the chain, and the number of bones
    float lengths[MD5_MAX_CHAIN]; // of each bone
    float length;                 // of all bones
    md5_vec3 target;
    float tolerance;
    uint32_t iterations;
} reaching;

static float distance_to_target(const reaching *reach, md5_vec3 tip)
{
    return md5_vec3_length(md5_vec3_sub(tip, reach->target));
}

// The directions of a straight chain without limits.
typedef struct chain_line {
    md5_vec3 direction; // from the chain's root to the target
    md5_vec3 aside;     // perpendicular to it: to the side to which the chain should bend
} chain_line;

// Returns the line from the root of a chain to the target. If the target is at the root, the line
// goes from the root to the tip.
static chain_line find_line(const reaching *reach)
{
    const md5_vec3 *const positions = reach->chain.positions;
    const md5_vec3 any = {1, 0, 0};
    const md5_vec3 to_tip = md5_vec3_sub(positions[reach->last], positions[0]);
    const md5_vec3 to_target = md5_vec3_sub(reach->target, positions[0]);
    chain_line line;
    line.direction = md5_vec3_normalize(to_target, md5_vec3_normalize(to_tip, any));
    line.aside = md5i_forward_perpendicular(reach->axes, line.direction);
    return line;
}

// Returns true if all joints of a chain are on a line through its root.
static bool is_chain_on_line(const reaching *reach, md5_vec3 direction)
{
    const md5_vec3 *const positions = reach->chain.positions;
    float max_deviation = 0;
    for (uint32_t i = 1; i <= reach->last; i++) {
        const md5_vec3 from_root = md5_vec3_sub(positions[i], positions[0]);
        const float deviation = md5_vec3_length(md5_vec3_reject(from_root, direction));
        max_deviation = deviation > max_deviation ? deviation : max_deviation;
    }
    return max_deviation < STRAIGHT_CHAIN * reach->length;
}

// Returns true if the iterations could not bend a chain: all its joints are on the line to a target
// that the chain can reach and the tip has not reached.
static bool is_stuck(const reaching *reach, const chain_line *line)
{
    if (reach->iterations == 0 || !is_chain_on_line(reach, line->direction))
        return false;
    const md5_vec3 *const positions = reach->chain.positions;
    const bool is_reachable = distance_to_target(reach, positions[0]) < reach->length;
    const float tip_distance = distance_to_target(reach, positions[reach->last]);
    return is_reachable && tip_distance > reach->tolerance;
}

// Returns the point at the distance `length` from `fixed`, in the direction of `toward`.
static md5_vec3 point_toward(md5_vec3 fixed, md5_vec3 toward, float length)
{
    const md5_vec3 none = {0, 0, 0};
    const md5_vec3 direction = md5_vec3_normalize(md5_vec3_sub(toward, fixed), none);
    return md5_vec3_add(fixed, md5_vec3_scale(direction, length));
}

// Moves the joints of a chain onto the line from its root to the target.
static void stretch_to_target(const reaching *reach, md5_vec3 *positions)
{
    for (uint32_t i = 0; i < reach->last; i++)
        positions[i + 1] = point_toward(positions[i], reach->target, reach->lengths[i]);
}

// Moves the tip of a chain to the target and restores the lengths of the bones, from the tip to the
// root. Then moves the root back to its position, and restores the lengths from the root to the
// tip. Each iteration reduces the distance between tip and target.
static void iterate_fabrik(const reaching *reach, md5_vec3 *positions)
{
    const md5_vec3 root = reach->chain.positions[0];
    const uint32_t last = reach->last;
    for (uint32_t n = 0; n < reach->iterations; n++) {
        if (distance_to_target(reach, positions[last]) <= reach->tolerance)
            break;
        positions[last] = reach->target;
        for (uint32_t i = last; i-- > 0;)
            positions[i] = point_toward(positions[i + 1], positions[i], reach->lengths[i]);
        positions[0] = root;
        for (uint32_t i = 0; i < last; i++)
            positions[i + 1] = point_toward(positions[i], positions[i + 1], reach->lengths[i]);
    }
}

// Computes the rotations that move the joints of a chain to positions[]. Each joint gets the
// shortest rotation that points its bone at the next position, after the rotations of the joints
// above it. A bone without length has an arbitrary direction. Writes rotations[chain->count] in
// model space.
static void point_bones_at_positions(const md5_chain *chain, const md5_vec3 *positions,
                                     md5_quat *rotations)
{
    const uint32_t last = chain->count - 1;
    const md5_vec3 any = {1, 0, 0};
    md5_quat total = MD5_NO_ROTATION; // product of the rotations of the joints so far, model space
    for (uint32_t i = 0; i < last; i++) {
        const md5_vec3 old_bone = md5_vec3_sub(chain->positions[i + 1], chain->positions[i]);
        const md5_vec3 new_bone = md5_vec3_sub(positions[i + 1], positions[i]);
        const md5_vec3 from = md5_vec3_normalize(md5_quat_rotate(total, old_bone), any);
        const md5_vec3 to = md5_vec3_normalize(new_bone, from);
        total = md5_quat_trim(md5_quat_mul(md5_rotation_between(from, to), total));
        rotations[i] = md5_quat_mul(total, chain->rotations[i]);
    }
    rotations[last] = md5_quat_mul(total, chain->rotations[last]);
}

// Moves the inner joints of a straight chain aside, so that the iterations can bend it.
static void push_aside_if_stuck(const reaching *reach, md5_vec3 *positions)
{
    const chain_line line = find_line(reach);
    if (!is_stuck(reach, &line))
        return;
    for (uint32_t i = 1; i < reach->last; i++) {
        const float distance = BEND_SINE * reach->lengths[i - 1];
        positions[i] = md5_vec3_add(positions[i], md5_vec3_scale(line.aside, distance));
    }
}

// Solves a chain without limits by FABRIK (Aristidou, Lasenby 2011). A target out of reach is
// approached by a straight chain. Writes rotations[chain->count] in model space. Returns the
// remaining distance.
static float solve_by_fabrik(const reaching *reach, md5_quat *rotations)
{
    const md5_chain *const chain = &reach->chain;
    md5_vec3 positions[MD5_MAX_CHAIN];
    memcpy(positions, chain->positions, chain->count * sizeof *positions);
    const bool is_reachable = distance_to_target(reach, chain->positions[0]) < reach->length;
    if (is_reachable) {
        push_aside_if_stuck(reach, positions);
        iterate_fabrik(reach, positions);
    } else {
        stretch_to_target(reach, positions);
    }
    point_bones_at_positions(chain, positions, rotations);
    return distance_to_target(reach, positions[reach->last]);
}

// Applies the rotations of a pass of CCD to the total rotations and the positions of a chain. The
// rotation of a joint also rotates its descendants. Positions are computed from the original bones,
// so that rounding errors do not change lengths.
static void apply_rotations(const md5_chain *chain, const md5_quat *pass_rotations,
                            md5_quat *total_rotations, md5_vec3 *positions)
{
    md5_quat accumulated = MD5_NO_ROTATION;
    for (uint32_t i = 0; i + 1 < chain->count; i++) {
        accumulated = md5_quat_trim(md5_quat_mul(accumulated, pass_rotations[i]));
        total_rotations[i] = md5_quat_trim(md5_quat_mul(accumulated, total_rotations[i]));
        const md5_vec3 bone = md5_vec3_sub(chain->positions[i + 1], chain->positions[i]);
        positions[i + 1] = md5_vec3_add(positions[i], md5_quat_rotate(total_rotations[i], bone));
    }
}

// Computes the rotations of one pass of CCD, from the joint above the tip to the root: each joint
// rotates the tip onto the line from the joint to the target. Until the end of the pass only the
// position of the tip is updated, because the joints above a rotated joint do not move.
static void compute_ccd_pass(const reaching *reach, const md5_vec3 *positions,
                             md5_quat *pass_rotations)
{
    const md5_vec3 any = {1, 0, 0};
    md5_vec3 tip = positions[reach->last];
    for (uint32_t i = reach->last; i-- > 0;) {
        const md5_vec3 to_tip = md5_vec3_sub(tip, positions[i]);
        const md5_vec3 to_target = md5_vec3_sub(reach->target, positions[i]);
        const md5_vec3 from = md5_vec3_normalize(to_tip, any);
        const md5_vec3 to = md5_vec3_normalize(to_target, from);
        // A rotation does not move a tip that is at the joint.
        const bool is_at_joint = !(md5_vec3_dot(to_tip, to_tip) > MIN_CHAIN_SQUARE);
        pass_rotations[i] = is_at_joint ? MD5_NO_ROTATION : md5_rotation_between(from, to);
        tip = md5_vec3_add(positions[i], md5_quat_rotate(pass_rotations[i], to_tip));
    }
}

// Bends a straight chain into a zigzag by small rotations, so that the passes of CCD can bend it
// further: CCD never leaves a line that contains all joints and the target.
static void rotate_if_stuck(const reaching *reach, md5_quat *total_rotations, md5_vec3 *positions)
{
    const chain_line line = find_line(reach);
    if (!is_stuck(reach, &line))
        return;
    md5_quat pass_rotations[MD5_MAX_CHAIN];
    const md5_float4 axis = md5_float4_from_vec3(md5_vec3_cross(line.direction, line.aside));
    for (uint32_t i = 0; i < reach->last; i++) {
        const float sine = i == 0 ? BEND_SINE : -BEND_SINE;
        pass_rotations[i] = md5_quat_from_float4(md5_float4_about(axis, BEND_COSINE, sine));
    }
    apply_rotations(&reach->chain, pass_rotations, total_rotations, positions);
}

// Solves a chain without limits by cyclic coordinate descent (CCD). Writes rotations[chain->count]
// in model space. Returns the remaining distance.
static float solve_by_ccd(const reaching *reach, md5_quat *rotations)
{
    const md5_chain *const chain = &reach->chain;
    const uint32_t last = reach->last;
    md5_quat total_rotations[MD5_MAX_CHAIN]; // rotations of all passes, model space
    for (uint32_t i = 0; i < last; i++)
        total_rotations[i] = MD5_NO_ROTATION;
    md5_vec3 positions[MD5_MAX_CHAIN];
    memcpy(positions, chain->positions, chain->count * sizeof *positions);
    rotate_if_stuck(reach, total_rotations, positions);

    for (uint32_t n = 0; n < reach->iterations; n++) {
        const bool is_reached = !(distance_to_target(reach, positions[last]) > reach->tolerance);
        if (is_reached)
            break;
        md5_quat pass_rotations[MD5_MAX_CHAIN]; // rotations of this pass, model space
        compute_ccd_pass(reach, positions, pass_rotations);
        apply_rotations(chain, pass_rotations, total_rotations, positions);
    }

    total_rotations[last] = total_rotations[last - 1]; // the tip does not rotate in its parent
    for (uint32_t i = 0; i <= last; i++)
        rotations[i] = md5_quat_mul(total_rotations[i], chain->rotations[i]);
    return distance_to_target(reach, positions[last]);
}

// A goal of the least-squares solver: the target position of a joint, the tip, and perhaps its
// target rotation.
typedef struct rig_goal {
    uint32_t tip; // of the rig
    md5_vec3d target;
    bool has_rotation;
    md5_quatd rotation;
    double weight; // > 0
    double lever;  // distance error, in units, equivalent to a rotation error of 1 radian
    double left;   // written: distance of the tip from the target
} rig_goal;

// == Damped least squares ========================================================================
//
// With the Jacobian J of all errors e by all angles, one iteration rotates the joints by
//   J^T (J J^T + lambda^2 I)^-1 e
// (Wampler 1986; Nakamura, Hanafusa 1986), where each goal has three rows, or six with a rotation.
// An angle at the end of its range is excluded if the errors would push it further. Joints that
// leave a limit nevertheless are moved back into it. An iteration that does not reduce the weighted
// sum of squares is undone and lambda increases; otherwise lambda decreases (Levenberg 1944,
// Marquardt 1963).

// Rows of the Jacobian per goal: for the position, and also for a rotation.
enum { POSITION_ROWS = 3, TRANSFORM_ROWS = 6 };

enum { MAX_ROWS = (int)TRANSFORM_ROWS * (int)MD5_MAX_GOALS, MAX_ANGLES = 3 * MD5_MAX_GOAL_JOINTS };

// lambda^2, as a fraction of the mean of the diagonal of J J^T.
#define DAMPING_FIRST 1e-2
#define DAMPING_MIN 1e-6
#define DAMPING_MAX 1e6
#define DAMPING_DECREASE 0.2
#define DAMPING_INCREASE 6.0

// Largest rotation of a joint in one iteration, in radians.
#define MAX_ROTATION 0.5

// An axis about which a joint may rotate.
typedef struct free_angle {
    uint32_t joint;
    md5_vec3d axis; // model space
} free_angle;

// The state of the least-squares solver.
typedef struct solving {
    md5_rig *rig;
    rig_goal *goals;
    uint32_t num_goals;
    uint32_t num_rows;
    uint32_t num_angles;
    uint32_t first_row[MD5_MAX_GOALS];
    uint32_t below[MD5_MAX_GOAL_JOINTS]; // bit i: the joint moves the tip of goal i
    double errors[MAX_ROWS];             // weighted
    free_angle angles[MAX_ANGLES];
    double matrix[MAX_ROWS][MAX_ROWS]; // lower triangle
} solving;

// Writes the components of a vector, multiplied by a factor.
static void store_scaled(md5_vec3d v, double scale, double *rows)
{
    rows[0] = v.x * scale;
    rows[1] = v.y * scale;
    rows[2] = v.z * scale;
}

// Returns the vector of the rotation from one orientation to another, with twice the sine of half
// of the angle as its length. For small angles, the length is the angle.
static md5_vec3d rotation_error(md5_quatd from, md5_quatd to)
{
    const md5_quatd between = md5_quatd_mul(to, md5_quatd_conjugate(from));
    const double scale = between.w < 0 ? -2 : 2; // by the shorter arc
    return (md5_vec3d){between.x * scale, between.y * scale, between.z * scale};
}

// Stores the errors of a goal, multiplied by its weight, in the rows of the problem that belong to
// the goal: the vector from its tip to the target and, if the goal has a rotation, the vector of
// the rotation to the target rotation. Returns true if both are within `tolerance`, model units.
static bool measure_goal(solving *problem, uint32_t index, double tolerance)
{
    rig_goal *const goal = &problem->goals[index];
    const md5_rig_joint *const tip = &problem->rig->joints[goal->tip];
    double *const rows = &problem->errors[problem->first_row[index]];
    const md5_vec3d error = md5_vec3d_sub(goal->target, tip->position);
    goal->left = md5_vec3d_length(error);
    store_scaled(error, goal->weight, rows);
    if (!goal->has_rotation)
        return goal->left <= tolerance;

    const md5_vec3d angle = rotation_error(tip->rotation, goal->rotation);
    store_scaled(angle, goal->weight * goal->lever, rows + POSITION_ROWS);
    const double rotation_distance = md5_vec3d_length(angle) * goal->lever;
    return goal->left <= tolerance && rotation_distance <= tolerance;
}

// Sets the weighted errors of all goals, and returns the sum of their squares. Sets *is_reached if
// all goals are within `tolerance`, model units.
static double measure(solving *problem, double tolerance, bool *is_reached)
{
    *is_reached = true;
    for (uint32_t i = 0; i < problem->num_goals; i++) {
        if (!measure_goal(problem, i, tolerance))
            *is_reached = false;
    }

    double sum = 0;
    for (uint32_t i = 0; i < problem->num_rows; i++)
        sum += problem->errors[i] * problem->errors[i];
    return sum;
}

// -- Jacobian -------------------------------------------------------------------------------------

// Computes the derivatives of all errors by an angle: one column of J. Goals whose tips do not
// descend from the joint have derivatives of 0.
static void fill_column(const solving *problem, const free_angle *angle, double *column)
{
    const md5_vec3d pivot = problem->rig->joints[angle->joint].position;
    for (uint32_t i = 0; i < problem->num_goals; i++) {
        const rig_goal *const goal = &problem->goals[i];
        const bool moves_tip = (problem->below[angle->joint] >> i & 1u) != 0;
        const double weight = moves_tip ? goal->weight : 0;
        // The velocity of a tip that rotates about an axis is the product of axis and arm.
        const md5_vec3d arm = md5_vec3d_sub(problem->rig->joints[goal->tip].position, pivot);
        double *const rows = &column[problem->first_row[i]];
        store_scaled(md5_vec3d_cross(angle->axis, arm), weight, rows);
        if (goal->has_rotation)
            store_scaled(angle->axis, weight * goal->lever, rows + POSITION_ROWS);
    }
}

// Returns the dot product of two vectors with `count` components.
static double dot_product(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// -- Step -----------------------------------------------------------------------------------------

// Replaces the lower triangle of the matrix A by L, where L L^T = A + added I. Returns false if the
// sum is not positive definite.
static bool decompose(solving *problem, double added)
{
    for (uint32_t i = 0; i < problem->num_rows; i++) {
        double *const row = problem->matrix[i];
        for (uint32_t k = 0; k < i; k++)
            row[k] = (row[k] - dot_product(row, problem->matrix[k], k)) / problem->matrix[k][k];
        const double pivot = row[i] + added - dot_product(row, row, i);
        if (!(pivot > 0))
            return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

// Solves the equations of one step of damped least squares: (J J^T + lambda^2 I) result = errors,
// where lambda^2 is `damping` times the mean of the diagonal. Uses Cholesky decomposition (L L^T)
// in place. The matrix is positive definite unless no joint can move. Returns false in this case.
static bool solve(solving *problem, double damping, double *result)
{
    const uint32_t count = problem->num_rows;
    double trace = 0;
    for (uint32_t i = 0; i < count; i++)
        trace += problem->matrix[i][i];
    const double lambda_square = damping * trace / count;
    if (!decompose(problem, lambda_square))
        return false;

    // Solve L y = errors by forward substitution; `result` receives y.
    for (uint32_t i = 0; i < count; i++) {
        const double *const row = problem->matrix[i];
        result[i] = (problem->errors[i] - dot_product(row, result, i)) / row[i];
    }

    // Solve L^T result = y by back substitution.
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t k = i + 1; k < count; k++)
            result[i] -= problem->matrix[k][i] * result[k];
        result[i] /= problem->matrix[i][i];
    }
    return true;
}

// -- Iterations -----------------------------------------------------------------------------------

// Adds an axis about which a joint can rotate: to the angles of the problem, and its derivatives to
// the matrix J J^T. Ignores the axis if the joint is at the end of its range and the errors would
// push it further.
static void add_angle(solving *problem, uint32_t joint, const md5_limit_axis *axis)
{
    const md5_quatd parent_to_model = md5i_rig_parent_rotation(problem->rig, joint);
    const free_angle angle = {joint, md5_quatd_rotate(parent_to_model, axis->axis)};
    double column[MAX_ROWS] = {0};
    fill_column(problem, &angle, column);

    const double direction = dot_product(column, problem->errors, problem->num_rows);
    const bool exceeds_max = direction > 0 && axis->is_at_max;
    const bool exceeds_min = direction < 0 && axis->is_at_min;
    if (exceeds_max || exceeds_min)
        return;

    problem->angles[problem->num_angles++] = angle;
    for (uint32_t row = 0; row < problem->num_rows; row++) {
        for (uint32_t k = 0; k <= row; k++)
            problem->matrix[row][k] += column[row] * column[k];
    }
}

// Collects the axes about which the joints can rotate, and computes the matrix J J^T.
static void collect_angles(solving *problem)
{
    problem->num_angles = 0;
    for (uint32_t row = 0; row < problem->num_rows; row++) {
        for (uint32_t k = 0; k <= row; k++)
            problem->matrix[row][k] = 0;
    }

    for (uint32_t joint = 0; joint < problem->rig->count; joint++) {
        const md5_rig_joint *const rig_joint = &problem->rig->joints[joint];
        const bool moves_a_tip = problem->below[joint] != 0;
        if (rig_joint->is_held || !moves_a_tip)
            continue;
        md5_limit_axis axes[3];
        const uint32_t count = md5i_limit_axes(&rig_joint->limit, rig_joint->local, axes);
        for (uint32_t k = 0; k < count; k++)
            add_angle(problem, joint, &axes[k]);
    }
}

// Computes the rotation of each joint of the rig in one step, as its axis times its angle in
// radians, in model space. The angle about each axis of a joint is the dot product of the axis'
// column of the Jacobian, which contains the movements of the tips, and `solved`. Returns the
// largest angle of a joint.
static double compute_rotations(const solving *problem, const double *solved,
                                md5_vec3d rotations[MD5_MAX_GOAL_JOINTS])
{
    const uint32_t num_joints = problem->rig->count;
    for (uint32_t joint = 0; joint < num_joints; joint++)
        rotations[joint] = (md5_vec3d){0, 0, 0};

    double column[MAX_ROWS] = {0};
    for (uint32_t i = 0; i < problem->num_angles; i++) {
        const free_angle *const angle = &problem->angles[i];
        fill_column(problem, angle, column);
        const double radians = dot_product(column, solved, problem->num_rows);
        md5_vec3d *const rotation = &rotations[angle->joint];
        *rotation = md5_vec3d_add(*rotation, md5_vec3d_scale(angle->axis, radians));
    }

    double max_angle = 0;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const double angle = md5_vec3d_length(rotations[joint]);
        max_angle = angle > max_angle ? angle : max_angle;
    }
    return max_angle;
}

// Rotates all joints by one step of the least-squares solver. If a joint would rotate by more than
// MAX_ROTATION, all rotations are scaled down.
static void rotate_joints(solving *problem, const double *solved)
{
    md5_rig *const rig = problem->rig;
    md5_vec3d rotations[MD5_MAX_GOAL_JOINTS]; // axis * angle
    const double max_angle = compute_rotations(problem, solved, rotations);

    // A quaternion (tan(angle / 2) * axis, 1) is a rotation by the angle, except for its length.
    // The angle is small, so half of it replaces the tangent.
    const double half = max_angle > MAX_ROTATION ? 0.5 * MAX_ROTATION / max_angle : 0.5;
    for (uint32_t joint = 0; joint < rig->count; joint++) {
        const md5_vec3d tangent = md5_vec3d_scale(rotations[joint], half);
        const bool rotates = md5_vec3d_dot(tangent, tangent) > 0;
        if (!rotates)
            continue;
        const md5_quatd rotation = md5i_quatd_unit((md5_quatd){tangent.x, tangent.y, tangent.z, 1});
        rig->joints[joint].local = rotate_within_limit(rig, joint, rotation);
    }
    md5i_update_rig(rig);
}

// Moves the joints towards all goals by the Levenberg-Marquardt algorithm: damped least squares,
// with less damping after each step that reduces the error and more after a step that does not and
// is undone. Ends when all goals are within `tolerance`, or when the damping shows that no further
// progress is possible.
static void iterate(solving *problem, double tolerance, uint32_t iterations)
{
    md5_quatd before[MD5_MAX_GOAL_JOINTS];
    double solved[MAX_ROWS];
    double damping = DAMPING_FIRST;
    bool is_reached;
    double sum = measure(problem, tolerance, &is_reached);
    for (uint32_t i = 0; i < iterations && !is_reached && damping < DAMPING_MAX; i++) {
        collect_angles(problem);
        if (!solve(problem, damping, solved))
            return;
        save_rig(problem->rig, before);
        rotate_joints(problem, solved);

        const double new_sum = measure(problem, tolerance, &is_reached);
        if (new_sum < sum) {
            sum = new_sum;
            const double reduced = damping * DAMPING_DECREASE;
            damping = reduced > DAMPING_MIN ? reduced : DAMPING_MIN;
        } else { // undo the step
            damping *= DAMPING_INCREASE;
            restore_rig(before, problem->rig);
            measure(problem, tolerance, &is_reached);
        }
    }
}

// Assigns rows of the matrix to the goals, and finds the joints that move each tip. Only the
// members that are used are initialized, because the matrix is large.
static void begin_problem(solving *problem, md5_rig *rig, rig_goal *goals, uint32_t num_goals)
{
    problem->rig = rig;
    problem->goals = goals;
    problem->num_goals = num_goals;
    problem->num_rows = 0;
    for (uint32_t i = 0; i < num_goals; i++) {
        problem->first_row[i] = problem->num_rows;
        problem->num_rows += goals[i].has_rotation ? TRANSFORM_ROWS : POSITION_ROWS;
    }

    // A tip is moved by itself and all its ancestors.
    for (uint32_t i = 0; i < rig->count; i++)
        problem->below[i] = 0;
    for (uint32_t i = 0; i < num_goals; i++) {
        for (uint32_t k = goals[i].tip; k != MD5_NONE; k = rig->joints[k].parent)
            problem->below[k] |= 1u << i;
    }
}

// Rotates the joints that are not held, within their limits, until each tip is within `tolerance`
// of its target. The weighted sum of the squared errors is never larger at the end than at the
// start.
static void solve_goals(md5_rig *rig, rig_goal *goals, uint32_t num_goals, double tolerance,
                        uint32_t iterations)
{
    solving problem;
    begin_problem(&problem, rig, goals, num_goals);
    bool is_reached;
    const double start_sum = measure(&problem, tolerance, &is_reached);
    md5_quatd start_rotations[MD5_MAX_GOAL_JOINTS];
    save_rig(rig, start_rotations);

    if (iterations > 0 && !is_reached) {
        for (uint32_t i = 0; i < num_goals; i++)
            bend_straight(rig, goals[i].tip, goals[i].target, tolerance);
    }
    iterate(&problem, tolerance, iterations);

    // Bending straight chains can make the result worse than the start.
    const double end_sum = measure(&problem, tolerance, &is_reached);
    if (end_sum > start_sum) {
        restore_rig(start_rotations, rig);
        measure(&problem, tolerance, &is_reached);
    }
}

// Solves a chain with one target by damped least squares. Returns the remaining distance.
static double dls_limited(md5_rig *rig, md5_vec3d target, double tolerance, uint32_t iterations)
{
    rig_goal goal = {.tip = rig->count - 1, .target = target, .weight = 1, .lever = 1};
    solve_goals(rig, &goal, 1, tolerance, iterations);
    return goal.left;
}

// == Chains of a pose ============================================================================

// Returns a joint of a rig with its rotation in the pose, moved into its limit. `limits`, the
// limits of all joints, may be NULL.
static md5_rig_joint create_rig_joint(const md5_xform *pose, uint32_t joint, uint32_t parent,
                                      const md5_joint_limit *limits)
{
    md5_rig_joint added = {
        .joint = joint,
        .parent = parent,
        .offset = md5_vec3d_from_vec3(pose[joint].translation),
        .limit = md5i_prepare_limit(limits ? &limits[joint] : NULL),
    };
    const md5_quatd rotation = md5i_quatd_unit(md5_quatd_from_quat(pose[joint].rotation));
    added.local = md5i_limit_nearest(&added.limit, rotation);
    return added;
}

// Sets a rig to the joints of a chain, in double precision. Each joint of the rig is the parent of
// the next joint.
static void create_chain_rig(const reaching *reach, const md5_joint_limit *limits,
                             const md5_xform *pose, md5_rig *rig)
{
    const md5_chain *const chain = &reach->chain;
    rig->axes = reach->axes;
    rig->count = chain->count;
    for (uint32_t i = 0; i < chain->count; i++) {
        const uint32_t parent = i > 0 ? i - 1 : MD5_NONE;
        md5_rig_joint *const added = &rig->joints[i];
        *added = create_rig_joint(pose, chain->joints[i], parent, limits);
        added->above = md5i_quatd_unit(md5_quatd_from_quat(chain->above));
        added->position = md5_vec3d_from_vec3(chain->positions[i]);
    }
    md5i_update_rig(rig);
}

// Solves a chain in double precision, with joint limits, by the solver of the job. Writes the
// rotations to the pose, with the weight of the job. Returns the remaining distance from the
// target, in units.
static float solve_by_rig(const reaching *reach, const md5_chain_job *job, md5_xform *pose)
{
    static md5_rig_solver *const solvers[] = {
        [MD5_CHAIN_FABRIK] = fabrik_limited,
        [MD5_CHAIN_CCD] = md5i_ccd_limited,
        [MD5_CHAIN_LEAST_SQUARES] = dls_limited,
    };
    md5_rig_solver *const solver = solvers[job->solver];
    md5_rig rig; // only the joints of the chain are initialized
    create_chain_rig(reach, job->limits, pose, &rig);
    const md5_vec3d target = md5_vec3d_from_vec3(reach->target);
    const double distance = solver(&rig, target, reach->tolerance, reach->iterations);
    if (job->weight > 0)
        write_rig(&rig, job->weight, pose);
    return (float)distance;
}

// Sets the lengths of the bones of a chain.
static void measure_bones(reaching *reach)
{
    const md5_chain *const chain = &reach->chain;
    reach->last = chain->count - 1;
    reach->length = 0;
    for (uint32_t i = 0; i < reach->last; i++) {
        const md5_vec3 bone = md5_vec3_sub(chain->positions[i], chain->positions[i + 1]);
        reach->lengths[i] = md5_vec3_length(bone);
        reach->length += reach->lengths[i];
    }
}

// Solves a chain without limits in single precision, by the solver of the job. Writes the rotations
// to the pose, with the weight of the job. Returns the remaining distance from the target, in
// units.
static float solve_without_limits(reaching *reach, const md5_chain_job *job, md5_xform *pose)
{
    md5_quat rotations[MD5_MAX_CHAIN]; // model space
    float distance;
    measure_bones(reach);
    if (job->solver == MD5_CHAIN_CCD)
        distance = solve_by_ccd(reach, rotations);
    else
        distance = solve_by_fabrik(reach, rotations);
    if (job->weight > 0)
        md5i_rotate_chain(&reach->chain, rotations, job->weight, pose);
    return distance;
}

// Moves the tip of a chain of any length to the target. Chains with joint limits, and the
// least-squares solver, use a rig in double precision. CCD and FABRIK without limits use single
// precision, which is faster. Returns the distance of the tip from the target at weight 1, in
// units.
float md5_solve_chain(const md5_skeleton *skeleton, const md5_chain_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    MD5_ASSERT((unsigned)job->solver <= MD5_CHAIN_LEAST_SQUARES,
               "solver: must be a value of md5_chain_solver");
    reaching reach; // only the used parts of the arrays are set
    md5_chain *const chain = &reach.chain;
    if (!md5_is_valid_vec3(job->target))
        return INFINITY;
    if (!md5i_find_chain(skeleton, pose, job->tip, job->length, chain) || chain->count < 2)
        return INFINITY;
    MD5_VALIDATE(md5i_are_limits(job->limits, chain->joints, chain->count), MD5_LIMIT_RULE);

    reach.axes = skeleton->axes;
    reach.target = job->target;
    reach.tolerance = job->tolerance > 0 ? job->tolerance : 0;
    reach.iterations = job->iterations < MD5_MAX_ITERATIONS ? job->iterations : MD5_MAX_ITERATIONS;
    const bool needs_rig = job->limits != NULL || job->solver == MD5_CHAIN_LEAST_SQUARES;
    if (needs_rig)
        return solve_by_rig(&reach, job, pose);
    return solve_without_limits(&reach, job, pose);
}

// == Goals =======================================================================================
//
// Solves several chains of one skeleton together.
//
// The rig contains the joints from each tip up to the highest ancestor that is in any chain. Joints
// between chains are moved by their parents, but not rotated.

// The goals of a job that are valid and fit into one rig.
typedef struct goal_collection {
    const md5_skeleton *skeleton;
    const md5_xform *pose;
    const md5_goals_job *job;
    md5_rig rig; // the joints of all goals
    rig_goal goals[MD5_MAX_GOALS];
    md5_goal *from[MD5_MAX_GOALS]; // the goal of the job from which each of goals[] was created
    uint32_t num_goals;
} goal_collection;

// Returns true if a goal has a chain and finite values.
static bool is_valid_goal(const md5_skeleton *skeleton, const md5_goal *goal)
{
    if (!(goal->weight > 0 && goal->weight < MD5_MAX_COORDINATE))
        return false;
    if (goal->tip >= skeleton->num_joints || goal->length < 2)
        return false;
    if (skeleton->joints[goal->tip].parent == MD5_NONE || !md5_is_valid_vec3(goal->target))
        return false;
    return !goal->rotation || md5_is_rotation(*goal->rotation);
}

// Returns true if a joint is in the chain of a goal: the joint is the tip of the goal or one of its
// nearest ancestors, up to the length of the chain.
static bool is_in_goal_chain(const md5_skeleton *skeleton, const md5_goal *goal, uint32_t joint)
{
    const uint32_t max_length = goal->length < MD5_MAX_CHAIN ? goal->length : MD5_MAX_CHAIN;
    uint32_t ancestor = goal->tip;
    for (uint32_t i = 0; i < max_length && ancestor != MD5_NONE; i++) {
        if (ancestor == joint)
            return true;
        ancestor = skeleton->joints[ancestor].parent;
    }
    return false;
}

// Returns true if a joint is in the chain of a valid goal.
static bool is_in_a_chain(const goal_collection *collection, uint32_t joint)
{
    const md5_skeleton *const skeleton = collection->skeleton;
    for (uint32_t i = 0; i < collection->job->num_goals; i++) {
        const md5_goal *const goal = &collection->job->goals[i];
        if (is_valid_goal(skeleton, goal) && is_in_goal_chain(skeleton, goal, joint))
            return true;
    }
    return false;
}

// -- Rig ------------------------------------------------------------------------------------------

// Returns the index of a joint in the rig, or MD5_NONE.
static uint32_t find_rig_joint(const md5_rig *rig, uint32_t joint)
{
    for (uint32_t i = 0; i < rig->count; i++) {
        if (rig->joints[i].joint == joint)
            return i;
    }
    return MD5_NONE;
}

// Sets the rotation above the first joint of a rig, and its position, from the pose.
static void set_root_transform(const goal_collection *collection, md5_rig_joint *first)
{
    const md5_float4_transform above =
        md5i_parent_joint_transform(collection->skeleton, collection->pose, first->joint);
    const md5_float4_transform transform =
        md5i_joint_transform(collection->skeleton, collection->pose, first->joint);
    first->above = md5i_quatd_unit(md5_quatd_from_quat(md5_quat_from_float4(above.rotation)));
    first->position = md5_vec3d_from_vec3(md5_vec3_from_float4(transform.position));
}

// The joints from a tip upward that must be added to a rig.
typedef struct rig_path {
    uint32_t joints[MD5_MAX_GOAL_JOINTS]; // from the tip upward
    uint32_t length;                      // may be larger than the array
    uint32_t parent; // of the highest joint, index in the rig; MD5_NONE: the path starts a chain
} rig_path;

// Collects the joints from a tip up to the first ancestor that is in the rig already. If no
// ancestor is in the rig, collects the joints up to the highest ancestor that is in a chain.
static void collect_path(const goal_collection *collection, uint32_t tip, rig_path *path)
{
    uint32_t length_to_chain = 0; // of the path to the highest joint in a chain
    path->length = 0;
    path->parent = MD5_NONE;
    for (uint32_t ancestor = tip; ancestor != MD5_NONE;
         ancestor = collection->skeleton->joints[ancestor].parent) {
        path->parent = find_rig_joint(&collection->rig, ancestor);
        if (path->parent != MD5_NONE)
            return;
        if (path->length < MD5_MAX_GOAL_JOINTS)
            path->joints[path->length] = ancestor;
        path->length++;
        if (is_in_a_chain(collection, ancestor))
            length_to_chain = path->length;
    }
    path->length = length_to_chain;
}

// Adds a joint to the rig. A joint that is in no chain is held: its parents move it, but it is not
// rotated. Returns the index of the joint in the rig.
static uint32_t add_rig_joint(goal_collection *collection, uint32_t joint, uint32_t parent)
{
    md5_rig *const rig = &collection->rig;
    const bool is_held = !is_in_a_chain(collection, joint);
    const md5_joint_limit *const limits = is_held ? NULL : collection->job->limits;
    md5_rig_joint *const added = &rig->joints[rig->count];
    *added = create_rig_joint(collection->pose, joint, parent, limits);
    added->is_held = is_held;
    if (parent == MD5_NONE)
        set_root_transform(collection, added);
    return rig->count++;
}

// Adds the joints of collect_path() to the rig. Returns the tip's index in the rig, or MD5_NONE if
// the joints do not fit.
static uint32_t add_path(goal_collection *collection, uint32_t tip)
{
    rig_path path;
    collect_path(collection, tip, &path);
    if (path.length > MD5_MAX_GOAL_JOINTS - collection->rig.count)
        return MD5_NONE;

    // From the highest ancestor down to the tip, so that parents precede their children.
    uint32_t last_added = path.parent;
    for (uint32_t i = path.length; i-- > 0;)
        last_added = add_rig_joint(collection, path.joints[i], last_added);
    return last_added;
}

// -- Goals ----------------------------------------------------------------------------------------

// Returns the length of the chain of a goal: the sum of its bones.
static double goal_chain_length(const md5_skeleton *skeleton, const md5_xform *pose,
                                const md5_goal *goal)
{
    double length = 0;
    uint32_t joint = goal->tip;
    for (uint32_t i = 1; i < goal->length && i < MD5_MAX_CHAIN; i++) {
        const uint32_t parent = skeleton->joints[joint].parent;
        if (parent == MD5_NONE)
            break;
        length += md5_vec3d_length(md5_vec3d_from_vec3(pose[joint].translation));
        joint = parent;
    }
    return length;
}

// Adds a goal and the joints of its chain. Ignores a goal that is invalid or whose joints do not
// fit into the rig.
static void add_goal(goal_collection *collection, md5_goal *goal)
{
    if (!is_valid_goal(collection->skeleton, goal))
        return;
    const uint32_t tip = add_path(collection, goal->tip);
    if (tip == MD5_NONE)
        return;

    rig_goal added = {
        .tip = tip,
        .target = md5_vec3d_from_vec3(goal->target),
        .has_rotation = goal->rotation != NULL,
        .rotation = {0, 0, 0, 1},
        .weight = goal->weight,
        .lever = goal_chain_length(collection->skeleton, collection->pose, goal),
    };
    if (goal->rotation)
        added.rotation = md5i_quatd_unit(md5_quatd_from_quat(*goal->rotation));
    collection->from[collection->num_goals] = goal;
    collection->goals[collection->num_goals] = added;
    collection->num_goals++;
}

// Returns true if the positions of all joints are valid numbers.
static bool is_rig_finite(const md5_rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++) {
        if (!md5_is_valid_vec3(md5_vec3d_round(rig->joints[i].position)))
            return false;
    }
    return true;
}

// Solves the collected goals, and writes the rotations to the pose and the distances to the goals
// of the caller.
static void solve_collection(goal_collection *collection, md5_xform *pose)
{
    const md5_goals_job *const job = collection->job;
    md5i_update_rig(&collection->rig);
    if (collection->num_goals == 0 || !is_rig_finite(&collection->rig))
        return;

    const double tolerance = job->tolerance > 0 ? job->tolerance : 0;
    const uint32_t iterations =
        job->iterations < MD5_MAX_ITERATIONS ? job->iterations : MD5_MAX_ITERATIONS;
    solve_goals(&collection->rig, collection->goals, collection->num_goals, tolerance, iterations);

    for (uint32_t i = 0; i < collection->num_goals; i++)
        collection->from[i]->distance = (float)collection->goals[i].left;
    if (job->weight > 0)
        write_rig(&collection->rig, job->weight, pose);
}

// Returns the largest distance of a tip from its target, of all goals with a weight above 0.
static float max_goal_distance(const md5_goals_job *job)
{
    float max_distance = 0;
    for (uint32_t i = 0; i < job->num_goals; i++) {
        const md5_goal *const goal = &job->goals[i];
        if (goal->weight > 0 && goal->distance > max_distance)
            max_distance = goal->distance;
    }
    return max_distance;
}

// Moves several tips of one skeleton to their targets together. Collects the chains of all goals in
// one rig, so that shared joints have one rotation. Returns the largest distance of a tip from its
// target, in units.
float md5_solve_goals(const md5_skeleton *skeleton, const md5_goals_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    MD5_ASSERT(job->goals || job->num_goals == 0, "goals: must not be NULL");
    MD5_VALIDATE_RESERVED(job->goals, job->num_goals);
    MD5_ASSERT(job->num_goals <= MD5_MAX_GOALS, "num_goals: must be at most MD5_MAX_GOALS");
    MD5_VALIDATE(md5i_are_limits(job->limits, NULL, skeleton->num_joints), MD5_LIMIT_RULE);

    goal_collection collection; // only the used parts of the arrays are set
    collection.skeleton = skeleton;
    collection.pose = pose;
    collection.job = job;
    collection.rig.axes = skeleton->axes;
    collection.rig.count = 0;
    collection.num_goals = 0;
    for (uint32_t i = 0; i < job->num_goals; i++) {
        job->goals[i].distance = INFINITY;
        add_goal(&collection, &job->goals[i]);
    }
    solve_collection(&collection, pose);
    return max_goal_distance(job);
}
