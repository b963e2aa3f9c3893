// Inverse kinematics for chains of any length: FABRIK, CCD and damped least squares, with or
// without joint limits. Damped least squares can also solve several chains of one skeleton
// together.
#include "md5/motion/rig.h"

// == Rotations of a rig ===========================================================================

static double distance_between(md5_vec3d a, md5_vec3d b)
{
    return md5_vec3d_length(md5_vec3d_sub(a, b));
}

// Returns the shortest rotation from one direction to another. Both can have any length. Returns
// the identity if one of them is zero. For opposite directions, rotates about any perpendicular
// axis.
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

// Returns the rotation of a joint, relative to its parent, after it has been rotated by `change` in
// model space and moved into its limit. Does not change the rig.
static md5_quatd rotate_within_limit(const md5_rig *rig, uint32_t joint, md5_quatd change)
{
    const md5_rig_joint *const rig_joint = &rig->joints[joint];
    const md5_quatd in_model = md5_quatd_mul(change, rig_joint->rotation);
    const md5_quatd model_to_parent = md5_quatd_conjugate(md5i_rig_parent_rotation(rig, joint));
    const md5_quatd in_parent = md5_quatd_mul(model_to_parent, in_model);
    return md5i_limit_nearest(&rig_joint->limit, md5i_quatd_unit(in_parent));
}

// Copies the rotations of all joints to locals[rig->count], so that restore_rig() can undo changes.
static void save_rig(const md5_rig *rig, md5_quatd *locals)
{
    for (uint32_t i = 0; i < rig->count; i++)
        locals[i] = rig->joints[i].local;
}

// Restores the rotations that save_rig() has copied, and updates the rig.
static void restore_rig(const md5_quatd *locals, md5_rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++)
        rig->joints[i].local = locals[i];
    md5i_update_rig(rig);
}

// Blends the rotations of all joints that are not held into the pose. `weight` must be > 0.
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

// A chain counts as straight if no joint is farther from the line than this fraction of its length.
#define STRAIGHT_RIG 1e-3

// Sine and cosine of the angle by which straight joints are bent before the first iteration.
#define RIG_BEND_SINE 0.1
#define RIG_BEND_COSINE 0.99498743710662

// Returns the rotation of a joint, relative to its parent, after a small rotation about an axis in
// model space within the joint's limit. `sine` is RIG_BEND_SINE or its negative.
static md5_quatd bend_about(const md5_rig *rig, uint32_t joint, md5_vec3d axis, double sine)
{
    return rotate_within_limit(rig, joint, md5i_quatd_about(axis, RIG_BEND_COSINE, sine));
}

// Bends a joint about an axis in model space by a small angle, within the joint's limit. `sine` is
// RIG_BEND_SINE or its negative. A hinge ignores the axis. It bends about its own axis, to the side
// with the larger part of its range.
static void bend_joint(md5_rig *rig, uint32_t joint, md5_vec3d axis, double sine)
{
    md5_rig_joint *const rig_joint = &rig->joints[joint];
    if (rig_joint->limit.kind != MD5_LIMIT_HINGE) {
        rig_joint->local = bend_about(rig, joint, axis, sine);
        return;
    }

    // Select the side to which the limit permits the larger rotation. A smaller dot product of
    // quaternions means a larger angle.
    const md5_vec3d hinge = md5_quatd_rotate(rig_joint->rotation, rig_joint->limit.axis);
    const md5_quatd positive = bend_about(rig, joint, hinge, sine);
    const md5_quatd negative = bend_about(rig, joint, hinge, -sine);
    const double positive_cosine = fabs(md5_quatd_dot(positive, rig_joint->local));
    const double negative_cosine = fabs(md5_quatd_dot(negative, rig_joint->local));
    rig_joint->local = positive_cosine <= negative_cosine ? positive : negative;
}

// Returns the direction of the line on which a straight chain would lie. It points from the root to
// the target, or to the tip if the target is at the root.
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

// Returns true if all joints of a chain are on the line through its root in this direction. Sets
// *length to the length of the chain.
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

// Returns true if the solvers cannot bend a chain although its tip must come nearer to the target.
// In this case, all joints and the target are on one line through the root. The target is within
// the length of the chain, but not within `tolerance` of the tip.
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
// target is on its line. The solvers cannot bend such a chain, because their rotations would all be
// 0. Does nothing to other chains, or if the tip is within `tolerance` of the target.
static void bend_straight(md5_rig *rig, uint32_t tip, md5_vec3d target, double tolerance)
{
    const uint32_t root = find_chain_root(rig, tip);
    const md5_vec3d direction = chain_direction(rig, root, tip, target);
    if (!is_rig_stuck(rig, root, tip, direction, target, tolerance))
        return;

    // A rotation about this axis moves the chain aside, toward the front of the model.
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

// After this many iterations without progress, CCD replaces FABRIK. FABRIK's backward pass ignores
// the limits, so it may repeat the same unreachable positions forever.
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
// within the joint's limit, relative to the parent. A hinge rotates only about its axis, to the
// angle of its range that brings `from` nearest to `to`.
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

// Runs one pass of cyclic coordinate descent (CCD), from the joint above the tip to the root. Each
// joint rotates the tip toward the target, within its limit. A rotation that does not bring the tip
// nearer, because of the limit, is not applied. The joints above a rotated joint do not move, so
// only the position of the tip is updated during the pass.
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

        // Compute where the new rotation of the joint would move the tip.
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
// joint after the other within the joint limits. Stops when the tip is within `tolerance` of the
// target, or when a pass brings no improvement. Returns the remaining distance. Distances are in
// units.
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
            break; // later passes would not improve it either
        distance = new_distance;
    }

    // The initial bend of a straight chain can make the result worse than the start. In that case
    // restore the start.
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

// Backward pass of FABRIK, from the tip to the root. Computes positions of the joints for which the
// tip is at the target and the bones keep their lengths. Ignores limits.
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

// A hinge bends in one plane only. Twists the parent of a hinge about the bone between them until
// this plane contains the position of the joint after the hinge. All vectors are in model space.
static void align_hinge_plane(md5_rig *rig, uint32_t parent, const md5_vec3d *positions)
{
    const md5_rig_joint *const hinge = &rig->joints[parent + 1];
    const md5_quatd parent_to_model = rig->joints[parent].rotation;
    const md5_quatd rest_to_model = md5_quatd_mul(parent_to_model, hinge->limit.rest);
    const md5_vec3d bone = md5_vec3d_normalize(md5_quatd_rotate(parent_to_model, hinge->offset));
    const md5_vec3d axis = md5_quatd_rotate(rest_to_model, hinge->limit.axis);

    // `bend` is the direction in which the hinge bends the next bone at the middle of its range.
    const double side = hinge->limit.middle.sine < 0 ? -1 : 1;
    const md5_vec3d bend = md5_vec3d_scale(md5_vec3d_cross(axis, bone), side);
    const md5_vec3d next_bone = md5_vec3d_sub(positions[parent + 2], positions[parent + 1]);
    const md5_quatd twist = rotation_about(bone, bend, next_bone);
    set_local(rig, parent, rotate_within_limit(rig, parent, twist));
}

// Forward pass of FABRIK, from the root to the tip. Rotates each joint toward positions[] within
// its limit, and updates the positions of the rig.
static void rotate_to_positions(md5_rig *rig, const md5_vec3d *positions)
{
    const uint32_t last = rig->count - 1;
    for (uint32_t k = 0; k < last; k++) {
        md5_rig_joint *const rig_joint = &rig->joints[k];
        md5_rig_joint *const next = rig_joint + 1;
        set_local(rig, k, rig_joint->local); // applies the rotations of the joints above

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
// Limits can stop its progress; CCD then performs the remaining iterations. Leaves the best
// rotations in the rig. Returns the remaining distance from the target, in units.
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

// A chain counts as straight if no joint is farther from the line than this fraction of its length.
#define STRAIGHT_CHAIN 1e-3f

// Sine and cosine of the angle by which the bones of a straight chain are bent before the first
// iteration. Without this bend, the iterations could not move a chain off the line to its target.
#define BEND_SINE 0.1f
#define BEND_COSINE 0.99498744f

// A vector has no direction if the square of its length is not above this.
#define MIN_CHAIN_SQUARE 1e-30f

// A chain without limits and its target.
typedef struct reaching {
    md5_axes axes;
    md5_chain chain;
    uint32_t last;                // index of the tip in the chain; also the number of bones
    float lengths[MD5_MAX_CHAIN]; // length of each bone
    float length;                 // length of all bones
    md5_vec3 target;
    float tolerance;
    uint32_t iterations;
} reaching;

static float distance_to_target(const reaching *reach, md5_vec3 tip)
{
    return md5_vec3_length(md5_vec3_sub(tip, reach->target));
}

// The directions in which a chain without limits may have to be bent.
typedef struct chain_line {
    md5_vec3 direction; // from the chain's root to the target
    md5_vec3 aside;     // perpendicular to `direction`: the side to which the chain should bend
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

// Returns true if all joints of a chain are on the line through its root in this direction.
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

// Returns true if the iterations could not bend a chain although they should. In this case, all
// joints and the target are on one line, the target is within reach, and the tip has not reached
// it.
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

// Each iteration first moves the tip to the target, and restores the lengths of the bones from the
// tip to the root. Then it moves the root back to its position, and restores the lengths from the
// root to the tip. The distance between tip and target decreases in each iteration.
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

// Computes the rotations that move the joints of a chain to positions[]. The joints above a joint
// have already rotated its bone; the joint adds the shortest rotation that points the bone at the
// next position. A bone without length has an arbitrary direction. Writes rotations[chain->count]
// in model space.
static void point_bones_at_positions(const md5_chain *chain, const md5_vec3 *positions,
                                     md5_quat *rotations)
{
    const uint32_t last = chain->count - 1;
    const md5_vec3 any = {1, 0, 0};
    md5_quat total = MD5_NO_ROTATION; // total rotation of the joints so far, model space
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

// Moves the inner joints of a straight chain aside. The iterations cannot leave the line
// themselves.
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

// Solves a chain without limits by FABRIK (Aristidou, Lasenby 2011). If the target is out of reach,
// the chain points at it in a straight line. Writes rotations[chain->count] in model space. Returns
// the remaining distance.
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
// so that rounding errors do not accumulate in the lengths.
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

// Computes the rotations of one pass of CCD, from the joint above the tip to the root. Each joint
// rotates the tip onto the line from the joint to the target. The joints above a rotated joint do
// not move, so only the position of the tip is updated during the pass.
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
        // If the tip is at the joint, no rotation moves the tip.
        const bool is_at_joint = !(md5_vec3_dot(to_tip, to_tip) > MIN_CHAIN_SQUARE);
        pass_rotations[i] = is_at_joint ? MD5_NO_ROTATION : md5_rotation_between(from, to);
        tip = md5_vec3_add(positions[i], md5_quat_rotate(pass_rotations[i], to_tip));
    }
}

// Bends a straight chain slightly by rotating its joints, so that the passes of CCD can bend it
// further. CCD never leaves a line that contains all joints and the target.
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

// Solves a chain without limits by CCD. Writes rotations[chain->count] in model space. Returns the
// remaining distance.
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

    total_rotations[last] = total_rotations[last - 1]; // the tip keeps its rotation relative to its
                                                       // parent
    for (uint32_t i = 0; i <= last; i++)
        rotations[i] = md5_quat_mul(total_rotations[i], chain->rotations[i]);
    return distance_to_target(reach, positions[last]);
}

// A goal of the least-squares solver. It is a target position of one joint, the tip, and optionally
// a target rotation of it.
typedef struct rig_goal {
    uint32_t tip; // index in the rig
    md5_vec3d target;
    bool has_rotation;
    md5_quatd rotation;
    double weight; // > 0
    double lever;  // distance in units that counts as much as a rotation error of 1 radian
    double left;   // result: distance of the tip from the target
} rig_goal;

// == Damped least squares ========================================================================
//
// The Jacobian J contains the derivatives of all errors e by all angles. Each goal has three rows
// in it, or six with a rotation. One iteration rotates the joints by
//
//   J^T (J J^T + lambda^2 I)^-1 e
//
// (Wampler 1986; Nakamura, Hanafusa 1986). An iteration that does not reduce the weighted sum of
// the squared errors is undone, and lambda increases. Otherwise lambda decreases (Levenberg 1944,
// Marquardt 1963).
//
// An angle at the end of its range is excluded if the errors would push it further. A joint that
// leaves its limit nevertheless is moved back into it.

// Rows of the Jacobian for a goal without and with a target rotation.
enum { POSITION_ROWS = 3, TRANSFORM_ROWS = 6 };

enum { MAX_ROWS = (int)TRANSFORM_ROWS * (int)MD5_MAX_GOALS, MAX_ANGLES = 3 * MD5_MAX_GOAL_JOINTS };

// Values of lambda^2, the damping, as fractions of the mean of the diagonal of J J^T.
#define DAMPING_FIRST 1e-2
#define DAMPING_MIN 1e-6
#define DAMPING_MAX 1e6
#define DAMPING_DECREASE 0.2
#define DAMPING_INCREASE 6.0

// Largest rotation of a joint in one iteration, radians. The Jacobian is only valid for small
// angles.
#define MAX_ROTATION 0.5

// An axis about which a joint may rotate.
typedef struct free_angle {
    uint32_t joint;
    md5_vec3d axis; // model space
} free_angle;

// The state of the least-squares solver. A row belongs to one component of the error of a goal.
typedef struct solving {
    md5_rig *rig;
    rig_goal *goals;
    uint32_t num_goals;
    uint32_t num_rows;
    uint32_t num_angles;
    uint32_t first_row[MD5_MAX_GOALS];
    uint32_t below[MD5_MAX_GOAL_JOINTS]; // bit i of below[joint] is set if the joint moves the tip
                                         // of goal i
    double errors[MAX_ROWS];             // multiplied by the weights of the goals
    free_angle angles[MAX_ANGLES];
    double matrix[MAX_ROWS][MAX_ROWS]; // J J^T, later its Cholesky factor; only the lower triangle
                                       // is used
} solving;

// Writes the components of a vector, multiplied by a factor.
static void store_scaled(md5_vec3d v, double scale, double *rows)
{
    rows[0] = v.x * scale;
    rows[1] = v.y * scale;
    rows[2] = v.z * scale;
}

// Returns the rotation from one orientation to another as a vector along its axis. The length is
// twice the sine of half of the angle, which is about the angle if it is small.
static md5_vec3d rotation_error(md5_quatd from, md5_quatd to)
{
    const md5_quatd between = md5_quatd_mul(to, md5_quatd_conjugate(from));
    const double scale = between.w < 0 ? -2 : 2; // selects the shorter arc
    return (md5_vec3d){between.x * scale, between.y * scale, between.z * scale};
}

// Stores the errors of a goal, multiplied by its weight, in the rows of the goal. They are the
// vector from its tip to the target and, if the goal has a rotation, the vector of the rotation to
// the target rotation. Returns true if both errors are within `tolerance`, in units.
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

// Sets the weighted errors of all goals, and returns the sum of their squares. Sets *is_reached to
// true if all goals are within `tolerance`, in units.
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

// Computes the derivatives of all errors by one angle, which are one column of J. If the tip of a
// goal does not descend from the joint, its derivatives are 0.
static void fill_column(const solving *problem, const free_angle *angle, double *column)
{
    const md5_vec3d pivot = problem->rig->joints[angle->joint].position;
    for (uint32_t i = 0; i < problem->num_goals; i++) {
        const rig_goal *const goal = &problem->goals[i];
        const bool moves_tip = (problem->below[angle->joint] >> i & 1u) != 0;
        const double weight = moves_tip ? goal->weight : 0;
        // An angle rotates the tip about its axis. The velocity of the tip is the cross product of
        // the axis and the arm.
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

// Replaces the lower triangle of the matrix A by the Cholesky factor L of A + added I:
//
//   L L^T = A + added I
//
// Returns false if A + added I is not positive definite.
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

// Solves the equations of one iteration of damped least squares:
//
//   (J J^T + lambda^2 I) result = errors
//
// lambda^2 is `damping` times the mean of the diagonal. Overwrites problem->matrix. Returns false
// if no joint can move, because the matrix is then not positive definite.
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

// Adds an axis about which a joint can rotate to the angles of the problem, and its derivatives to
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

// Collects the axes about which the joints can rotate, and computes the matrix J J^T from them.
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

// Computes the rotation of each joint in one iteration, as its axis multiplied by its angle in
// radians, in model space. The angle about an axis is the dot product of its column of the Jacobian
// and `solved`. Returns the largest angle of a joint.
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

// Rotates all joints by the result of one iteration. If a joint would rotate by more than
// MAX_ROTATION, all rotations are reduced by the same factor, which keeps their direction.
static void rotate_joints(solving *problem, const double *solved)
{
    md5_rig *const rig = problem->rig;
    md5_vec3d rotations[MD5_MAX_GOAL_JOINTS]; // axis * angle
    const double max_angle = compute_rotations(problem, solved, rotations);

    // Apart from its length, the quaternion of a rotation by an angle is
    //
    //   (tan(angle / 2) * axis, 1)
    //
    // The angle is small, so half of the angle replaces the tangent.
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

// Moves the joints towards all goals by the Levenberg-Marquardt algorithm. A step that reduces the
// error is kept, and the damping decreases. Any other step is undone, and the damping increases.
// Ends when all goals are within `tolerance`, or when the damping is so large that no progress is
// possible.
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

// Assigns rows of the Jacobian to the goals, and finds the joints that move each tip. Other members
// of `problem` remain uninitialized, because clearing the large matrix would take time.
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

    // Each joint gets the set of goals whose tips it moves: a tip is moved by itself and by all its
    // ancestors.
    for (uint32_t i = 0; i < rig->count; i++)
        problem->below[i] = 0;
    for (uint32_t i = 0; i < num_goals; i++) {
        for (uint32_t k = goals[i].tip; k != MD5_NONE; k = rig->joints[k].parent)
            problem->below[k] |= 1u << i;
    }
}

// Rotates the joints that are not held, within their limits, until each tip is within `tolerance`
// of its target. The weighted sum of the squared errors at the end is never larger than at the
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

    // The initial bend of straight chains can make the result worse than the start. In that case
    // restore the start.
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

// Returns a joint of a rig. Its rotation is the rotation in the pose, moved into the joint's limit.
// `limits` contains the limits of all joints of the skeleton, or is NULL.
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

// Copies the joints of a chain to a rig. Each joint of the rig is the parent of the next joint.
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

// Solves a chain in double precision, with joint limits, by the solver of the job. Blends the
// rotations into the pose with the weight of the job. Returns the remaining distance from the
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

// Sets the lengths of the bones of a chain, and the index of its tip.
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

// Solves a chain without limits in single precision, by the solver of the job. Blends the rotations
// into the pose with the weight of the job. Returns the remaining distance from the target, in
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

// Moves the tip of a chain of any length to the target. Joint limits and the least-squares solver
// need a rig in double precision. CCD and FABRIK without limits use single precision, which is
// faster. Returns the distance that remains between tip and target at weight 1, in units.
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
// Solves several chains of one skeleton together, so that a joint that belongs to several chains
// gets one rotation.
//
// The rig contains the joints from each tip up to the highest ancestor that is in any chain. Joints
// between chains are in the rig, but are not rotated themselves: they move with their parents.

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

// Returns true if a goal has a chain with at least one bone, and its values are finite.
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

// Returns true if a joint is in the chain of a goal: the tip and its nearest ancestors, up to the
// length of the chain.
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

// Returns the rig's index of a joint of the skeleton, or MD5_NONE if it is not in the rig.
static uint32_t find_rig_joint(const md5_rig *rig, uint32_t joint)
{
    for (uint32_t i = 0; i < rig->count; i++) {
        if (rig->joints[i].joint == joint)
            return i;
    }
    return MD5_NONE;
}

// Sets the position of a rig joint without a parent in the rig, and the rotation of its parent,
// from the pose.
static void set_root_transform(const goal_collection *collection, md5_rig_joint *first)
{
    const md5_float4_transform above =
        md5i_parent_joint_transform(collection->skeleton, collection->pose, first->joint);
    const md5_float4_transform transform =
        md5i_joint_transform(collection->skeleton, collection->pose, first->joint);
    first->above = md5i_quatd_unit(md5_quatd_from_quat(md5_quat_from_float4(above.rotation)));
    first->position = md5_vec3d_from_vec3(md5_vec3_from_float4(transform.position));
}

// The joints that must be added to a rig for a tip.
typedef struct rig_path {
    uint32_t joints[MD5_MAX_GOAL_JOINTS]; // from the tip upward
    uint32_t length;                      // may be larger than the array
    uint32_t parent; // index in the rig of the highest joint's parent; MD5_NONE: none
} rig_path;

// Collects the joints from a tip up to the first ancestor that is already in the rig. If there is
// none, collects the joints up to the highest ancestor that is in a chain.
static void collect_path(const goal_collection *collection, uint32_t tip, rig_path *path)
{
    uint32_t length_to_chain = 0; // number of joints up to the highest joint that is in a chain
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

// Adds a joint to the rig, and returns its index there. A joint that is in no chain is held: it
// moves with its parents, but is not rotated.
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

// Adds the joints from a tip upward to the rig: see collect_path(). Returns the tip's index in the
// rig, or MD5_NONE if the joints do not fit.
static uint32_t add_path(goal_collection *collection, uint32_t tip)
{
    rig_path path;
    collect_path(collection, tip, &path);
    if (path.length > MD5_MAX_GOAL_JOINTS - collection->rig.count)
        return MD5_NONE;

    // Add the highest ancestor first and the tip last, so that parents precede their children.
    uint32_t last_added = path.parent;
    for (uint32_t i = path.length; i-- > 0;)
        last_added = add_rig_joint(collection, path.joints[i], last_added);
    return last_added;
}

// -- Goals ----------------------------------------------------------------------------------------

// Returns the sum of the lengths of the bones in the chain of a goal.
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

// Returns true if the positions of all joints are finite and in range.
static bool is_rig_finite(const md5_rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++) {
        if (!md5_is_valid_vec3(md5_vec3d_round(rig->joints[i].position)))
            return false;
    }
    return true;
}

// Solves the collected goals. Writes the rotations to the pose, and the remaining distances to the
// goals of the caller.
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

// Returns the largest distance of a tip from its target, among the goals with a weight above 0.
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

// Moves several tips of one skeleton to their targets together. All chains are in one rig, so that
// shared joints have one rotation. Returns the largest distance of a tip from its target, in units.
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
