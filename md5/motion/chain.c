// Inverse kinematics for chains of any length: FABRIK and CCD, with and without limits, and damped
// least squares, also for several chains of one skeleton.
#include "md5/motion/rig.h"

// == Rotations of a rig ===========================================================================

// The shortest rotation between two directions of any length; none if one of them is zero.
static md5_quatd shortest_rotation(md5_vec3d from, md5_vec3d to)
{
    const md5_vec3d a = md5_vec3d_normalize(from);
    const md5_vec3d b = md5_vec3d_normalize(to);
    const double w = 1 + md5_vec3d_dot(a, b);
    if (!(w > 1e-12)) {
        const md5_vec3d axis = md5_vec3d_perpendicular(a);
        return (md5_quatd){axis.x, axis.y, axis.z, 0};
    }
    const md5_vec3d axis = md5_vec3d_cross(a, b);
    return md5i_quatd_unit((md5_quatd){axis.x, axis.y, axis.z, w});
}

// The allowed rotation, relative to the parent, that is nearest to the current one followed by
// `turn` (model space).
static md5_quatd rotate_within_limit(const md5_rig *rig, uint32_t joint, md5_quatd turn)
{
    const md5_rig_joint *const rig_joint = &rig->joints[joint];
    const md5_quatd above = md5_quatd_conjugate(md5i_rig_above(rig, joint));
    const md5_quatd local = md5_quatd_mul(above, md5_quatd_mul(turn, rig_joint->rotation));
    return md5i_limit_nearest(&rig_joint->limit, md5i_quatd_unit(local));
}

// Saves and restores the rotations: locals[rig->count].
static void save_rig(const md5_rig *rig, md5_quatd *locals)
{
    for (uint32_t i = 0; i < rig->count; i++)
        locals[i] = rig->joints[i].local;
}

static void restore_rig(const md5_quatd *locals, md5_rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++)
        rig->joints[i].local = locals[i];
    md5i_place_rig(rig);
}

// Writes the rotations to the pose, blended by `weight` > 0.
static void write_rig(const md5_rig *rig, float weight, md5_xform *pose)
{
    md5_share share;
    md5i_share_of(weight, &share);
    for (uint32_t i = 0; i < rig->count; i++) {
        const md5_rig_joint *const rig_joint = &rig->joints[i];
        const md5_quatd q = rig_joint->local;
        if (!rig_joint->is_held)
            md5_turn_joint(&pose[rig_joint->joint], &share,
                           md5_float4_set((float)q.x, (float)q.y, (float)q.z, (float)q.w));
    }
}

// -- Straight chains ------------------------------------------------------------------------------

// A chain counts as straight if it deviates by less than this share of its length; the angle by
// which straight joints are bent first, as sine and cosine.
#define STRAIGHT_RIG 1e-3
#define RIG_BEND_SINE 0.1
#define RIG_BEND_COSINE 0.99498743710662

// Bends a joint by a small angle about an axis. A hinge bends about its own axis, to the side with
// the larger part of its range.
static void bend_joint(md5_rig *rig, uint32_t joint, md5_vec3d axis, double sine)
{
    md5_rig_joint *const rig_joint = &rig->joints[joint];
    if (rig_joint->limit.kind != MD5_LIMIT_HINGE) {
        rig_joint->local =
            rotate_within_limit(rig, joint, md5i_quatd_about(axis, RIG_BEND_COSINE, sine));
        return;
    }
    const md5_vec3d hinge = md5_quatd_rotate(rig_joint->rotation, rig_joint->limit.axis);
    const md5_quatd positive =
        rotate_within_limit(rig, joint, md5i_quatd_about(hinge, RIG_BEND_COSINE, sine));
    const md5_quatd negative =
        rotate_within_limit(rig, joint, md5i_quatd_about(hinge, RIG_BEND_COSINE, -sine));
    const bool is_positive = fabs(md5_quatd_dot(positive, rig_joint->local))
                             <= fabs(md5_quatd_dot(negative, rig_joint->local));
    rig_joint->local = is_positive ? positive : negative;
}

// Bends the joints above `tip` slightly, within their limits, if the chain is straight and the
// target is on its line: solvers cannot bend such a chain. Does nothing to other chains, or if the
// tip is within `tolerance` of the target.
static void bend_straight(md5_rig *rig, uint32_t tip, md5_vec3d target, double tolerance)
{
    uint32_t root = tip; // of its chain
    while (rig->joints[root].parent != MD5_NONE)
        root = rig->joints[root].parent;
    const md5_vec3d any = {1, 0, 0};
    const md5_vec3d start = rig->joints[root].place;
    md5_vec3d direction = md5_vec3d_normalize(md5_vec3d_sub(target, start));
    if (!(md5_vec3d_dot(direction, direction) > 0))
        direction = md5_vec3d_normalize(md5_vec3d_sub(rig->joints[tip].place, start));
    if (!(md5_vec3d_dot(direction, direction) > 0))
        direction = any;
    double widest = 0;
    double length = 0;
    for (uint32_t i = tip; rig->joints[i].parent != MD5_NONE; i = rig->joints[i].parent) {
        const md5_vec3d from_root = md5_vec3d_sub(rig->joints[i].place, start);
        const double off = md5_vec3d_length(md5_vec3d_cross(from_root, direction));
        widest = off > widest ? off : widest;
        length += md5_vec3d_length(rig->joints[i].offset);
    }
    const double distance = md5_vec3d_length(md5_vec3d_sub(target, start));
    const double left = md5_vec3d_length(md5_vec3d_sub(target, rig->joints[tip].place));
    if (!(widest < STRAIGHT_RIG * length && distance < length && left > tolerance))
        return;
    const md5_vec3 aside = md5i_forward_beside(rig->axes, md5_vec3d_round(direction));
    const md5_vec3d axis =
        md5_vec3d_normalize(md5_vec3d_cross(direction, md5_vec3d_from_vec3(aside)));
    for (uint32_t i = rig->joints[tip].parent; i != MD5_NONE; i = rig->joints[i].parent)
        if (!rig->joints[i].is_held)
            bend_joint(rig, i, axis, i == root ? RIG_BEND_SINE : -RIG_BEND_SINE);
    md5i_place_rig(rig);
}

// == Under limits ================================================================================

// After this many iterations without progress, CCD replaces FABRIK, whose backward pass ignores the
// limits and may repeat the same unreachable positions.
enum { MAX_VAIN_ITERATIONS = 4 };

static double distance_between(md5_vec3d a, md5_vec3d b)
{
    return md5_vec3d_length(md5_vec3d_sub(a, b));
}

static md5_vec3d perpendicular_part(md5_vec3d v, md5_vec3d axis)
{
    return md5_vec3d_sub(v, md5_vec3d_scale(axis, md5_vec3d_dot(v, axis)));
}

// The rotation about `axis` that brings `from` as near to `to` as possible.
static md5_quatd rotation_about(md5_vec3d axis, md5_vec3d from, md5_vec3d to)
{
    const md5_vec3d old = md5_vec3d_normalize(perpendicular_part(from, axis));
    const md5_vec3d new_distance = md5_vec3d_normalize(perpendicular_part(to, axis));
    return md5i_quatd_about(axis, md5_vec3d_dot(old, new_distance),
                            md5_vec3d_dot(md5_vec3d_cross(old, new_distance), axis));
}

static bool is_hinge(const md5_rig_joint *joint)
{
    return joint->limit.kind == MD5_LIMIT_HINGE;
}

// The allowed rotation that turns `from` towards `to`. Optimal for a hinge: the angle in its range
// that is nearest to the angle of least distance.
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
    return distance_between(rig->joints[rig->count - 1].place, target);
}

// -- CCD ------------------------------------------------------------------------------------------

double md5i_ccd_limited(md5_rig *rig, md5_vec3d target, double tolerance, uint32_t iterations)
{
    md5_quatd before[MD5_MAX_CHAIN];
    const double start_distance = rig_distance(rig, target);
    save_rig(rig, before);
    if (iterations > 0)
        bend_straight(rig, rig->count - 1, target, tolerance);
    double left = rig_distance(rig, target);
    for (uint32_t i = 0; i < iterations && left > tolerance; i++) {
        // One pass from the joint above the tip to the root. Only the tip is updated meanwhile,
        // since joints above it do not move. A rotation that increases the distance because of a
        // limit is not applied.
        md5_vec3d tip = rig->joints[rig->count - 1].place;
        for (uint32_t k = rig->count - 1; k-- > 0;) {
            md5_rig_joint *const joint = &rig->joints[k];
            if (joint->is_held)
                continue;
            const md5_vec3d from = md5_vec3d_sub(tip, joint->place);
            const md5_quatd local =
                rotate_toward(rig, k, from, md5_vec3d_sub(target, joint->place));
            const md5_quatd rotation = md5_quatd_mul(md5i_rig_above(rig, k), local);
            const md5_vec3d rig_joint =
                md5_quatd_rotate(md5_quatd_conjugate(joint->rotation), from);
            const md5_vec3d total_rotations =
                md5_vec3d_add(joint->place, md5_quatd_rotate(rotation, rig_joint));
            if (distance_between(total_rotations, target) < distance_between(tip, target)) {
                joint->local = local;
                tip = total_rotations;
            }
        }
        md5i_place_rig(rig);
        const double new_distance = rig_distance(rig, target);
        if (!(new_distance < left))
            break; // nothing changes any more
        left = new_distance;
    }
    if (!(left > start_distance))
        return left;
    restore_rig(before, rig);
    return start_distance;
}

// -- FABRIK ---------------------------------------------------------------------------------------

static void set_local(md5_rig *rig, uint32_t joint, md5_quatd local)
{
    rig->joints[joint].local = local;
    rig->joints[joint].rotation = md5_quatd_mul(md5i_rig_above(rig, joint), local);
}

// Backward pass: computes the positions of the joints with the tip at the target. Bones keep their
// lengths, limits are ignored.
static void compute_positions(const md5_rig *rig, md5_vec3d target, md5_vec3d *places)
{
    const uint32_t last = rig->count - 1;
    places[last] = target;
    for (uint32_t k = last; k-- > 0;) {
        const double length = md5_vec3d_length(rig->joints[k + 1].offset);
        const md5_vec3d direction =
            md5_vec3d_normalize(md5_vec3d_sub(rig->joints[k].place, places[k + 1]));
        places[k] = md5_vec3d_add(places[k + 1], md5_vec3d_scale(direction, length));
    }
}

// A hinge bends in one plane only: rotates the parent of a hinge about its bone until the plane
// contains the position after the hinge.
static void turn_hinge_plane(md5_rig *rig, uint32_t parent, const md5_vec3d *places)
{
    const md5_rig_joint *const hinge = &rig->joints[parent + 1];
    const md5_quatd rotation = rig->joints[parent].rotation;
    const md5_vec3d bone = md5_vec3d_normalize(md5_quatd_rotate(rotation, hinge->offset));
    const md5_vec3d axis =
        md5_quatd_rotate(md5_quatd_mul(rotation, hinge->limit.rest), hinge->limit.axis);
    const double side = hinge->limit.middle.sine < 0 ? -1 : 1;
    const md5_vec3d bend = md5_vec3d_scale(md5_vec3d_cross(axis, bone), side);
    const md5_vec3d next_bone = md5_vec3d_sub(places[parent + 2], places[parent + 1]);
    const md5_quatd twist = rotation_about(bone, bend, next_bone);
    set_local(rig, parent, rotate_within_limit(rig, parent, twist));
}

// Forward pass: from the root on, each joint rotates toward the position of the next joint, within
// its limit.
static void rotate_to_positions(md5_rig *rig, const md5_vec3d *places)
{
    const uint32_t last = rig->count - 1;
    for (uint32_t k = 0; k < last; k++) {
        md5_rig_joint *const rig_joint = &rig->joints[k];
        md5_rig_joint *const next = rig_joint + 1;
        set_local(rig, k, rig_joint->local); // updates it for the rotations of the joints above
        const md5_vec3d bone = md5_quatd_rotate(rig_joint->rotation, next->offset);
        const md5_vec3d direction = md5_vec3d_sub(places[k + 1], rig_joint->place);
        set_local(rig, k, rotate_toward(rig, k, bone, direction));
        if (k + 1 < last && is_hinge(next) && !is_hinge(rig_joint))
            turn_hinge_plane(rig, k, places);
        next->place =
            md5_vec3d_add(rig_joint->place, md5_quatd_rotate(rig_joint->rotation, next->offset));
    }
    set_local(rig, last, rig->joints[last].local);
}

static double fabrik_limited(md5_rig *rig, md5_vec3d target, double tolerance, uint32_t iterations)
{
    md5_quatd best[MD5_MAX_CHAIN];
    md5_vec3d places[MD5_MAX_CHAIN];
    double min_distance = rig_distance(rig, target);
    save_rig(rig, best);
    if (iterations > 0)
        bend_straight(rig, rig->count - 1, target, tolerance);
    uint32_t num_vain = 0;
    uint32_t i = 0;
    for (; i < iterations && min_distance > tolerance && num_vain < MAX_VAIN_ITERATIONS; i++) {
        compute_positions(rig, target, places);
        rotate_to_positions(rig, places);
        const double left = rig_distance(rig, target);
        num_vain++;
        if (left < min_distance) {
            min_distance = left;
            num_vain = 0;
            save_rig(rig, best);
        }
    }
    restore_rig(best, rig);
    return md5i_ccd_limited(rig, target, tolerance, iterations - i);
}

// == Without limits ==============================================================================

// A chain counts as straight if it deviates from a line by less than this share of its length.
#define STRAIGHT_CHAIN 1e-3f

// A straight chain whose target is on its line would stay on the line. Its joints are therefore
// first moved aside by this fraction of their bones, the sine of the angle of the bones.
#define BEND_SINE 0.1f
#define BEND_COSINE 0.99498744f

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

static float distance_left(const reaching *reach, md5_vec3 tip)
{
    return md5_vec3_length(md5_vec3_sub(tip, reach->target));
}

// Returns true if the iterations could not bend the chain, because all joints and a reachable
// target, which the tip has not reached, are on one line. Writes the direction from the chain's
// root to the target, and a perpendicular direction in which the chain should bend.
static bool is_stuck(const reaching *reach, md5_vec3 *direction, md5_vec3 *aside)
{
    const md5_vec3 *const places = reach->chain.places;
    const md5_vec3 line =
        md5_vec3_normalize(md5_vec3_sub(places[reach->last], places[0]), (md5_vec3){1, 0, 0});
    *direction = md5_vec3_normalize(md5_vec3_sub(reach->target, places[0]), line);
    *aside = md5i_forward_beside(reach->axes, *direction);
    float widest = 0;
    for (uint32_t i = 1; i <= reach->last; i++) {
        const md5_vec3 off = md5_vec3_reject(md5_vec3_sub(places[i], places[0]), *direction);
        const float width = md5_vec3_length(off);
        widest = width > widest ? width : widest;
    }
    if (reach->iterations == 0 || !(widest < STRAIGHT_CHAIN * reach->length))
        return false;
    return distance_left(reach, places[0]) < reach->length
           && distance_left(reach, places[reach->last]) > reach->tolerance;
}

// Returns the point at the distance `length` from `fixed`, in the direction of `toward`.
static md5_vec3 point_toward(md5_vec3 fixed, md5_vec3 toward, float length)
{
    const md5_vec3 none = {0, 0, 0};
    const md5_vec3 direction = md5_vec3_normalize(md5_vec3_sub(toward, fixed), none);
    return md5_vec3_add(fixed, md5_vec3_scale(direction, length));
}

// Moves the joints of a chain onto the line from its root to the target.
static void stretch_to_target(const reaching *reach, md5_vec3 *places)
{
    for (uint32_t i = 0; i < reach->last; i++)
        places[i + 1] = point_toward(places[i], reach->target, reach->lengths[i]);
}

// Moves the tip of a chain to the target and restores the lengths of the bones, from the tip to the
// root. Then moves the root back to its position, and restores the lengths from the root to the
// tip. Each iteration reduces the distance between tip and target.
static void iterate_fabrik(const reaching *reach, md5_vec3 *places)
{
    const md5_vec3 root = reach->chain.places[0];
    const uint32_t last = reach->last;
    for (uint32_t n = 0; n < reach->iterations; n++) {
        if (distance_left(reach, places[last]) <= reach->tolerance)
            break;
        places[last] = reach->target;
        for (uint32_t i = last; i-- > 0;)
            places[i] = point_toward(places[i + 1], places[i], reach->lengths[i]);
        places[0] = root;
        for (uint32_t i = 0; i < last; i++)
            places[i + 1] = point_toward(places[i], places[i + 1], reach->lengths[i]);
    }
}

// Computes the rotations that move the joints of a chain to places[]. Each joint takes the shortest
// rotation that points its bone at the next position, after the rotations of the joints above it. A
// bone without length has an arbitrary direction. Writes turned[chain->count], model-space
// rotations.
static void rotate_to_places(const md5_chain *chain, const md5_vec3 *places, md5_quat *turned)
{
    const uint32_t last = chain->count - 1;
    const md5_vec3 any = {1, 0, 0};
    md5_quat total = MD5_NO_TURN;
    for (uint32_t i = 0; i < last; i++) {
        const md5_vec3 bone = md5_vec3_sub(chain->places[i + 1], chain->places[i]);
        const md5_vec3 from = md5_vec3_normalize(md5_quat_rotate(total, bone), any);
        const md5_vec3 to = md5_vec3_normalize(md5_vec3_sub(places[i + 1], places[i]), from);
        total = md5_quat_trim(md5_quat_mul(md5_turn_between(from, to), total));
        turned[i] = md5_quat_mul(total, chain->rotations[i]);
    }
    turned[last] = md5_quat_mul(total, chain->rotations[last]);
}

// Writes turned[chain->count], model-space rotations. Returns the remaining distance.
static float solve_by_fabrik(const reaching *reach, md5_quat *turned)
{
    const md5_chain *const chain = &reach->chain;
    md5_vec3 places[MD5_MAX_CHAIN];
    memcpy(places, chain->places, chain->count * sizeof *places);
    const bool is_reachable = distance_left(reach, chain->places[0]) < reach->length;
    if (is_reachable) {
        md5_vec3 direction;
        md5_vec3 aside;
        if (is_stuck(reach, &direction, &aside)) {
            for (uint32_t i = 1; i < reach->last; i++) {
                const float push = BEND_SINE * reach->lengths[i - 1];
                places[i] = md5_vec3_add(places[i], md5_vec3_scale(aside, push));
            }
        }
        iterate_fabrik(reach, places);
    } else {
        stretch_to_target(reach, places);
    }
    rotate_to_places(chain, places, turned);
    return distance_left(reach, places[reach->last]);
}

// Applies the rotations of a pass of CCD. The rotation of a joint also rotates its descendants.
// Positions are computed from the original bones, so that rounding errors do not change lengths.
static void apply_rotations(const md5_chain *chain, const md5_quat *pass_rotations,
                            md5_quat *total_rotations, md5_vec3 *places)
{
    md5_quat so_far = MD5_NO_TURN;
    for (uint32_t i = 0; i + 1 < chain->count; i++) {
        so_far = md5_quat_trim(md5_quat_mul(so_far, pass_rotations[i]));
        total_rotations[i] = md5_quat_trim(md5_quat_mul(so_far, total_rotations[i]));
        const md5_vec3 bone = md5_vec3_sub(chain->places[i + 1], chain->places[i]);
        places[i + 1] = md5_vec3_add(places[i], md5_quat_rotate(total_rotations[i], bone));
    }
}

// Writes turned[chain->count], model-space rotations. Returns the remaining distance.
static float solve_by_ccd(const reaching *reach, md5_quat *turned)
{
    const md5_chain *const chain = &reach->chain;
    const uint32_t last = reach->last;
    const md5_vec3 any = {1, 0, 0};
    md5_vec3 places[MD5_MAX_CHAIN];
    md5_vec3 direction;
    md5_vec3 aside;
    md5_quat pass_rotations[MD5_MAX_CHAIN];  // rotations of one pass, model space
    md5_quat total_rotations[MD5_MAX_CHAIN]; // rotations of all passes, model space
    memcpy(places, chain->places, chain->count * sizeof *places);
    for (uint32_t i = 0; i < last; i++)
        total_rotations[i] = MD5_NO_TURN;
    if (is_stuck(reach, &direction, &aside)) {
        const md5_float4 axis = md5_float4_from_vec3(md5_vec3_cross(direction, aside));
        for (uint32_t i = 0; i < last; i++)
            pass_rotations[i] = md5_quat_from_float4(
                md5_float4_about(axis, BEND_COSINE, i == 0 ? BEND_SINE : -BEND_SINE));
        apply_rotations(chain, pass_rotations, total_rotations, places);
    }
    for (uint32_t n = 0;
         n < reach->iterations && distance_left(reach, places[last]) > reach->tolerance; n++) {
        // One pass from the joint above the tip to the root: each joint rotates the tip onto the
        // line from the joint to the target. Only the position of the tip is updated meanwhile.
        md5_vec3 tip = places[last];
        for (uint32_t i = last; i-- > 0;) {
            const md5_vec3 old = md5_vec3_sub(tip, places[i]);
            const md5_vec3 from = md5_vec3_normalize(old, any);
            const md5_vec3 to = md5_vec3_normalize(md5_vec3_sub(reach->target, places[i]), from);
            // A rotation does not move a tip that is at the joint.
            pass_rotations[i] =
                md5_vec3_dot(old, old) > 1e-30f ? md5_turn_between(from, to) : MD5_NO_TURN;
            tip = md5_vec3_add(places[i], md5_quat_rotate(pass_rotations[i], old));
        }
        apply_rotations(chain, pass_rotations, total_rotations, places);
    }
    total_rotations[last] = total_rotations[last - 1];
    for (uint32_t i = 0; i <= last; i++)
        turned[i] = md5_quat_mul(total_rotations[i], chain->rotations[i]);
    return distance_left(reach, places[last]);
}

// A tip and its target.
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

enum { MAX_ROWS = 6 * MD5_MAX_GOALS, MAX_ANGLES = 3 * MD5_MAX_GOAL_JOINTS };

// lambda^2, as a share of the mean of the diagonal of J J^T.
#define DAMPING_FIRST 1e-2
#define DAMPING_MIN 1e-6
#define DAMPING_MAX 1e6
#define DAMPING_LESS 0.2
#define DAMPING_MORE 6.0

// No joint turns by more than this in one iteration, in radians.
#define MAX_TURN 0.5

// An axis about which a joint may turn.
typedef struct free_angle {
    uint32_t joint;
    md5_vec3d axis; // model space
} free_angle;

typedef struct solving {
    md5_rig *rig;
    rig_goal *goals;
    uint32_t num_goals;
    uint32_t num_rows;
    uint32_t num_angles;
    uint32_t first_row[MD5_MAX_GOALS];
    uint32_t below[MD5_MAX_GOAL_JOINTS]; // bit of each goal whose tip is this joint or descends
    double errors[MAX_ROWS];             // weighted
    free_angle angles[MAX_ANGLES];
    double matrix[MAX_ROWS][MAX_ROWS]; // lower triangle
} solving;

static void put(md5_vec3d v, double scale, double *rows)
{
    rows[0] = v.x * scale;
    rows[1] = v.y * scale;
    rows[2] = v.z * scale;
}

// Returns the weighted sum of squares. Sets whether all goals are within `tolerance`.
static double measure(solving *problem, double tolerance, bool *is_reached)
{
    double sum = 0;
    *is_reached = true;
    for (uint32_t i = 0; i < problem->num_goals; i++) {
        rig_goal *const goal = &problem->goals[i];
        const md5_rig_joint *const tip = &problem->rig->joints[goal->tip];
        double *const rows = &problem->errors[problem->first_row[i]];
        const md5_vec3d off = md5_vec3d_sub(goal->target, tip->place);
        goal->left = md5_vec3d_length(off);
        put(off, goal->weight, rows);
        *is_reached = *is_reached && goal->left <= tolerance;
        if (!goal->has_rotation)
            continue;
        // Twice the vector of the turn to the goal's rotation: its length is twice the sine of half
        // of the angle, which is the angle where it is small.
        const md5_quatd to = md5_quatd_mul(goal->rotation, md5_quatd_conjugate(tip->rotation));
        const double scale = to.w < 0 ? -2 : 2;
        const md5_vec3d turn = {to.x * scale, to.y * scale, to.z * scale};
        put(turn, goal->weight * goal->lever, rows + 3);
        *is_reached = *is_reached && md5_vec3d_length(turn) * goal->lever <= tolerance;
    }
    for (uint32_t i = 0; i < problem->num_rows; i++)
        sum += problem->errors[i] * problem->errors[i];
    return sum;
}

// -- Jacobian -------------------------------------------------------------------------------------

// The derivative of all errors by an angle: one column of J.
static void fill_column(const solving *problem, const free_angle *angle, double *column)
{
    const md5_vec3d pivot = problem->rig->joints[angle->joint].place;
    for (uint32_t i = 0; i < problem->num_goals; i++) {
        const rig_goal *const goal = &problem->goals[i];
        const double weight = problem->below[angle->joint] >> i & 1u ? goal->weight : 0;
        const md5_vec3d arm = md5_vec3d_sub(problem->rig->joints[goal->tip].place, pivot);
        double *const rows = &column[problem->first_row[i]];
        put(md5_vec3d_cross(angle->axis, arm), weight, rows);
        if (goal->has_rotation)
            put(angle->axis, weight * goal->lever, rows + 3);
    }
}

static double dot_product(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// -- Step -----------------------------------------------------------------------------------------

// Solves the linear system by Cholesky decomposition in place. The matrix is positive definite,
// because `damping` is above 0 unless no joint can move. Returns false if no joint can move.
static bool solve(solving *problem, double damping, double *result)
{
    const uint32_t count = problem->num_rows;
    double trace = 0;
    for (uint32_t i = 0; i < count; i++)
        trace += problem->matrix[i][i];
    const double added = damping * trace / count;
    for (uint32_t i = 0; i < count; i++) {
        double *const row = problem->matrix[i];
        for (uint32_t k = 0; k < i; k++)
            row[k] = (row[k] - dot_product(row, problem->matrix[k], k)) / problem->matrix[k][k];
        const double square = row[i] + added - dot_product(row, row, i);
        if (!(square > 0))
            return false;
        row[i] = sqrt(square);
    }
    for (uint32_t i = 0; i < count; i++)
        result[i] = (problem->errors[i] - dot_product(problem->matrix[i], result, i))
                    / problem->matrix[i][i];
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t k = i + 1; k < count; k++)
            result[i] -= problem->matrix[k][i] * result[k];
        result[i] /= problem->matrix[i][i];
    }
    return true;
}

// -- Iterations -----------------------------------------------------------------------------------

// Adds an angle to the angles and to the matrix J J^T, unless the joint is at the end of its range
// about this axis and the errors would push it further.
static void add_angle(solving *problem, uint32_t joint, const md5_limit_axis *axis)
{
    free_angle *const angle = &problem->angles[problem->num_angles];
    double column[MAX_ROWS] = {0};
    angle->joint = joint;
    angle->axis = md5_quatd_rotate(md5i_rig_above(problem->rig, joint), axis->axis);
    fill_column(problem, angle, column);
    const double direction = dot_product(column, problem->errors, problem->num_rows);
    const bool is_blocked = direction > 0 ? axis->is_most : direction < 0 && axis->is_least;
    if (is_blocked)
        return;
    problem->num_angles++;
    for (uint32_t row = 0; row < problem->num_rows; row++) {
        for (uint32_t k = 0; k <= row; k++)
            problem->matrix[row][k] += column[row] * column[k];
    }
}

// Collects the angles that can change and computes the matrix J J^T.
static void collect_angles(solving *problem)
{
    problem->num_angles = 0;
    for (uint32_t row = 0; row < problem->num_rows; row++) {
        for (uint32_t k = 0; k <= row; k++)
            problem->matrix[row][k] = 0;
    }
    for (uint32_t joint = 0; joint < problem->rig->count; joint++) {
        const md5_rig_joint *const rig_joint = &problem->rig->joints[joint];
        md5_limit_axis axes[3];
        if (rig_joint->is_held || problem->below[joint] == 0)
            continue;
        const uint32_t count = md5i_limit_axes(&rig_joint->limit, rig_joint->local, axes);
        for (uint32_t k = 0; k < count; k++)
            add_angle(problem, joint, &axes[k]);
    }
}

// Rotates the joints by J^T `solved`. If a rotation is larger than MAX_TURN, all rotations are
// scaled down.
static void rotate_joints(solving *problem, const double *solved)
{
    md5_rig *const rig = problem->rig;
    md5_vec3d rotations[MD5_MAX_GOAL_JOINTS] = {{0, 0, 0}}; // axis * angle
    double column[MAX_ROWS] = {0};
    double max_angle = 0;
    for (uint32_t i = 0; i < problem->num_angles; i++) {
        const free_angle *const angle = &problem->angles[i];
        fill_column(problem, angle, column);
        md5_vec3d *const rotation = &rotations[angle->joint];
        const double radians = dot_product(column, solved, problem->num_rows);
        *rotation = md5_vec3d_add(*rotation, md5_vec3d_scale(angle->axis, radians));
    }
    for (uint32_t joint = 0; joint < rig->count; joint++) {
        const double angle = md5_vec3d_length(rotations[joint]);
        max_angle = angle > max_angle ? angle : max_angle;
    }
    // A quaternion (tan(angle / 2) * axis, 1) is a rotation by the angle, except for its length.
    // The angle is small, so half of it replaces the tangent.
    const double half = max_angle > MAX_TURN ? 0.5 * MAX_TURN / max_angle : 0.5;
    for (uint32_t joint = 0; joint < rig->count; joint++) {
        const md5_vec3d tangent = md5_vec3d_scale(rotations[joint], half);
        if (!(md5_vec3d_dot(tangent, tangent) > 0))
            continue;
        const md5_quatd rotation = md5i_quatd_unit((md5_quatd){tangent.x, tangent.y, tangent.z, 1});
        rig->joints[joint].local = rotate_within_limit(rig, joint, rotation);
    }
    md5i_place_rig(rig);
}

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
            const double reduced = damping * DAMPING_LESS;
            damping = reduced > DAMPING_MIN ? reduced : DAMPING_MIN;
            continue;
        }
        damping *= DAMPING_MORE;
        restore_rig(before, problem->rig);
        measure(problem, tolerance, &is_reached);
    }
}

// Rotates the joints that are not held, within their limits, until each tip is within `tolerance`.
// The weighted sum of squares is never larger at the end than at the start.
static void solve_goals(md5_rig *rig, rig_goal *goals, uint32_t num_goals, double tolerance,
                        uint32_t iterations)
{
    solving problem;
    md5_quatd before[MD5_MAX_GOAL_JOINTS];
    bool is_reached;
    problem.rig = rig;
    problem.goals = goals;
    problem.num_goals = num_goals;
    problem.num_rows = 0;
    for (uint32_t i = 0; i < rig->count; i++)
        problem.below[i] = 0;
    for (uint32_t i = 0; i < num_goals; i++) {
        problem.first_row[i] = problem.num_rows;
        problem.num_rows += goals[i].has_rotation ? 6 : 3;
        for (uint32_t ancestor = goals[i].tip; ancestor != MD5_NONE;
             ancestor = rig->joints[ancestor].parent)
            problem.below[ancestor] |= 1u << i;
    }
    const double start_distance = measure(&problem, tolerance, &is_reached);
    save_rig(rig, before);
    if (iterations > 0 && !is_reached) {
        for (uint32_t i = 0; i < num_goals; i++)
            bend_straight(rig, goals[i].tip, goals[i].target, tolerance);
    }
    iterate(&problem, tolerance, iterations);
    if (!(measure(&problem, tolerance, &is_reached) > start_distance))
        return;
    restore_rig(before, rig);
    measure(&problem, tolerance, &is_reached);
}

static double dls_limited(md5_rig *rig, md5_vec3d target, double tolerance, uint32_t iterations)
{
    rig_goal goal = {.tip = rig->count - 1, .target = target, .weight = 1, .lever = 1};
    solve_goals(rig, &goal, 1, tolerance, iterations);
    return goal.left;
}

// == Both ========================================================================================

// A joint of a rig as it is in the pose, moved into its limits, which may be NULL.
static md5_rig_joint create_rig_joint(const md5_xform *pose, uint32_t joint, uint32_t parent,
                                      const md5_joint_limit *limits)
{
    md5_rig_joint added = {
        .joint = joint,
        .parent = parent,
        .offset = md5_vec3d_from_vec3(pose[joint].translation),
        .limit = md5i_limit_of(limits ? &limits[joint] : NULL),
    };
    added.local = md5i_limit_nearest(&added.limit,
                                     md5i_quatd_unit(md5_quatd_from_quat(pose[joint].rotation)));
    return added;
}

// Solves with a rig of the chain, in which each joint is the parent of the next. Rotations are
// first moved into their limits.
static float solve_by_rig(const reaching *reach, const md5_chain_job *job, md5_xform *pose)
{
    static md5_rig_solver *const solvers[] = {fabrik_limited, md5i_ccd_limited, dls_limited};
    const md5_chain *const chain = &reach->chain;
    md5_rig rig; // without the joints beyond the chain
    rig.axes = reach->axes;
    rig.count = chain->count;
    for (uint32_t i = 0; i < chain->count; i++) {
        rig.joints[i] =
            create_rig_joint(pose, chain->joints[i], i > 0 ? i - 1 : MD5_NONE, job->limits);
        rig.joints[i].above = md5i_quatd_unit(md5_quatd_from_quat(chain->above));
        rig.joints[i].place = md5_vec3d_from_vec3(chain->places[i]);
    }
    md5i_place_rig(&rig);
    const double left = solvers[job->solver](&rig, md5_vec3d_from_vec3(reach->target),
                                             reach->tolerance, reach->iterations);
    if (job->weight > 0)
        write_rig(&rig, job->weight, pose);
    return (float)left;
}

float md5_solve_chain(const md5_skeleton *skeleton, const md5_chain_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    MD5_ASSERT((unsigned)job->solver <= MD5_CHAIN_LEAST_SQUARES,
               "solver: must be a value of md5_chain_solver");
    reaching reach; // without the joints beyond the chain
    md5_chain *const chain = &reach.chain;
    if (!md5_is_place(job->target) || !md5i_find_chain(skeleton, pose, job->tip, job->length, chain)
        || chain->count < 2)
        return INFINITY;
    MD5_VALIDATE(md5i_are_limits(job->limits, chain->joints, chain->count), MD5_LIMIT_RULE);
    reach.axes = skeleton->axes;
    reach.target = job->target;
    reach.tolerance = job->tolerance > 0 ? job->tolerance : 0;
    reach.iterations = job->iterations < MD5_MAX_ITERATIONS ? job->iterations : MD5_MAX_ITERATIONS;
    if (job->limits || job->solver == MD5_CHAIN_LEAST_SQUARES)
        return solve_by_rig(&reach, job, pose);
    reach.last = chain->count - 1;
    reach.length = 0;
    for (uint32_t i = 0; i < reach.last; i++) {
        const md5_vec3 bone = md5_vec3_sub(chain->places[i], chain->places[i + 1]);
        reach.lengths[i] = md5_vec3_length(bone);
        reach.length += reach.lengths[i];
    }
    md5_quat turned[MD5_MAX_CHAIN];
    const float left = job->solver == MD5_CHAIN_CCD ? solve_by_ccd(&reach, turned)
                                                    : solve_by_fabrik(&reach, turned);
    if (job->weight > 0)
        md5i_turn_chain(chain, turned, job->weight, pose);
    return left;
}

// == Goals =======================================================================================
//
// Solves several chains of one skeleton together.
//
// The rig contains the joints from each tip up to the highest ancestor that is in any chain. Joints
// between chains are moved by their parents, but not rotated.

// The goals that are solved, and their indices in the job.
typedef struct goal_collection {
    const md5_skeleton *skeleton;
    const md5_xform *pose;
    const md5_goals_job *job;
    md5_rig rig;
    rig_goal goals[MD5_MAX_GOALS];
    md5_goal *from[MD5_MAX_GOALS];
    uint32_t num_goals;
} goal_collection;

// Returns true if a goal has a chain and finite values.
static bool is_valid_goal(const md5_skeleton *skeleton, const md5_goal *goal)
{
    if (!(goal->weight > 0 && goal->weight < MD5_FARTHEST))
        return false;
    if (goal->tip >= skeleton->num_joints || goal->length < 2)
        return false;
    if (skeleton->joints[goal->tip].parent == MD5_NONE || !md5_is_place(goal->target))
        return false;
    return !goal->rotation || md5_is_rotation(*goal->rotation);
}

static bool is_in_a_chain(const goal_collection *collection, uint32_t joint)
{
    for (uint32_t i = 0; i < collection->job->num_goals; i++) {
        const md5_goal *const goal = &collection->job->goals[i];
        if (!is_valid_goal(collection->skeleton, goal))
            continue;
        uint32_t ancestor = goal->tip;
        for (uint32_t k = 0; k < goal->length && k < MD5_MAX_CHAIN && ancestor != MD5_NONE; k++) {
            if (ancestor == joint)
                return true;
            ancestor = collection->skeleton->joints[ancestor].parent;
        }
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
static void place_first_joint(const goal_collection *collection, md5_rig_joint *first)
{
    const md5_float4_place above =
        md5i_place_above(collection->skeleton, collection->pose, first->joint);
    const md5_float4_place place =
        md5i_place_of(collection->skeleton, collection->pose, first->joint);
    first->above = md5i_quatd_unit(md5_quatd_from_quat(md5_quat_from_float4(above.rotation)));
    first->place = md5_vec3d_from_vec3(md5_vec3_from_float4(place.place));
}

// Adds the joints from a tip up to an ancestor that is in the rig. If no ancestor is in the rig,
// adds them up to the highest ancestor that is in a chain. Returns the tip's index in the rig, or
// MD5_NONE if the joints do not fit.
static uint32_t add_path(goal_collection *collection, uint32_t tip)
{
    md5_rig *const rig = &collection->rig;
    uint32_t path[MD5_MAX_GOAL_JOINTS]; // from the tip upward
    uint32_t length = 0;                // of the path to the current ancestor, even if longer
    uint32_t length_to_chain = 0;       // of the path to the highest joint in a chain
    uint32_t parent = MD5_NONE;         // index in the rig
    for (uint32_t ancestor = tip; ancestor != MD5_NONE;
         ancestor = collection->skeleton->joints[ancestor].parent) {
        parent = find_rig_joint(rig, ancestor);
        if (parent != MD5_NONE)
            break;
        if (length < MD5_MAX_GOAL_JOINTS)
            path[length] = ancestor;
        length++;
        if (is_in_a_chain(collection, ancestor))
            length_to_chain = length;
    }
    if (parent == MD5_NONE)
        length = length_to_chain;
    if (length > MD5_MAX_GOAL_JOINTS - rig->count)
        return MD5_NONE;
    for (uint32_t i = length; i-- > 0;) {
        const uint32_t joint = path[i];
        const bool is_held = !is_in_a_chain(collection, joint);
        const md5_joint_limit *const limits = is_held ? NULL : collection->job->limits;
        md5_rig_joint *const added = &rig->joints[rig->count];
        *added = create_rig_joint(collection->pose, joint, parent, limits);
        added->is_held = is_held;
        if (parent == MD5_NONE)
            place_first_joint(collection, added);
        parent = rig->count;
        rig->count++;
    }
    return parent;
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
    const md5_quatd no_rotation = {0, 0, 0, 1};
    collection->from[collection->num_goals] = goal;
    collection->goals[collection->num_goals++] = (rig_goal){
        .tip = tip,
        .target = md5_vec3d_from_vec3(goal->target),
        .has_rotation = goal->rotation != NULL,
        .rotation =
            goal->rotation ? md5i_quatd_unit(md5_quatd_from_quat(*goal->rotation)) : no_rotation,
        .weight = goal->weight,
        .lever = goal_chain_length(collection->skeleton, collection->pose, goal),
    };
}

static bool is_rig_finite(const md5_rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++) {
        if (!md5_is_place(md5_vec3d_round(rig->joints[i].place)))
            return false;
    }
    return true;
}

float md5_solve_goals(const md5_skeleton *skeleton, const md5_goals_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    MD5_ASSERT(job->goals || job->num_goals == 0, "goals: must not be NULL");
    MD5_VALIDATE_RESERVED(job->goals, job->num_goals);
    MD5_ASSERT(job->num_goals <= MD5_MAX_GOALS, "num_goals: must be at most MD5_MAX_GOALS");
    MD5_VALIDATE(md5i_are_limits(job->limits, NULL, skeleton->num_joints), MD5_LIMIT_RULE);
    goal_collection collection; // without its arrays
    collection.skeleton = skeleton;
    collection.pose = pose;
    collection.job = job;
    collection.rig.axes = skeleton->axes;
    collection.rig.count = collection.num_goals = 0;
    for (uint32_t i = 0; i < job->num_goals; i++) {
        job->goals[i].distance = INFINITY;
        add_goal(&collection, &job->goals[i]);
    }
    md5i_place_rig(&collection.rig);
    if (collection.num_goals > 0 && is_rig_finite(&collection.rig)) {
        const double tolerance = job->tolerance > 0 ? job->tolerance : 0;
        const uint32_t iterations =
            job->iterations < MD5_MAX_ITERATIONS ? job->iterations : MD5_MAX_ITERATIONS;
        solve_goals(&collection.rig, collection.goals, collection.num_goals, tolerance, iterations);
        for (uint32_t i = 0; i < collection.num_goals; i++)
            collection.from[i]->distance = (float)collection.goals[i].left;
        if (job->weight > 0)
            write_rig(&collection.rig, job->weight, pose);
    }
    float max_distance = 0;
    for (uint32_t i = 0; i < job->num_goals; i++) {
        if (job->goals[i].weight > 0 && job->goals[i].distance > max_distance)
            max_distance = job->goals[i].distance;
    }
    return max_distance;
}
