// Two-bone inverse kinematics for arms and legs, with and without joint limits.
#include "md5/motion/functions.h"
#include "md5/motion/rig.h"

// == Limits ======================================================================================

// Maximum number of passes in which root and middle joint bring the tip back to its target. They
// end when the tip is nearer than LIMB_TOLERANCE, a fraction of the limb's length.
enum { MAX_CORRECTIONS = 64 };
#define LIMB_TOLERANCE 1e-6

// If the remaining distance exceeds this fraction of the length, the limb is rotated about the line
// to its target, and solved again. The solver compares NUM_SWIVELS rotations, in steps of 30
// degrees.
#define RETRY_DISTANCE 1e-3
enum { NUM_SWIVELS = 12 };
#define SWIVEL_COSINE 0.86602540378443865
#define SWIVEL_SINE 0.5

// A limb counts as straight if the sine of its bend about the hinge is smaller than this.
#define STRAIGHT_LIMB 1e-3

// Indices of a limb's joints in a rig. ABOVE_MIDDLE represents all joints of the skeleton between
// root and middle, and ABOVE_TIP those between middle and tip.
enum { ROOT, ABOVE_MIDDLE, MIDDLE, ABOVE_TIP, TIP };

static md5_quatd unit_quatd(md5_float4 q)
{
    return md5i_quatd_unit(md5_quatd_from_quat(md5_quat_from_float4(q)));
}

static md5_float4 round_quatd(md5_quatd q)
{
    return md5_float4_set((float)q.x, (float)q.y, (float)q.z, (float)q.w);
}

static void limit_joint(md5_rig *rig, uint32_t index)
{
    md5_rig_joint *const joint = &rig->joints[index];
    joint->local = md5i_limit_nearest(&joint->limit, joint->local);
}

// Returns the sine of the limb's bend about its hinge if the middle joint had the rotation
// `middle`. It is positive for bends in the positive direction of the hinge. All vectors are in the
// space of the root.
static double hinge_bend(const md5_rig *rig, md5_quatd middle)
{
    const md5_rig_joint *const hinge = &rig->joints[MIDDLE];
    const md5_quatd above = rig->joints[ABOVE_MIDDLE].local;
    const md5_vec3d upper = md5_vec3d_normalize(rig->joints[ABOVE_MIDDLE].offset);
    const md5_vec3d lower_offset = md5_quatd_rotate(middle, rig->joints[ABOVE_TIP].offset);
    const md5_vec3d lower = md5_vec3d_normalize(md5_quatd_rotate(above, lower_offset));
    const md5_vec3d rest_axis = md5_quatd_rotate(hinge->limit.rest, hinge->limit.axis);
    const md5_vec3d axis = md5_quatd_rotate(above, rest_axis);
    return md5_vec3d_dot(md5_vec3d_cross(upper, lower), axis);
}

// Sets the root to the rotation within its limit that is nearest to `rotation`, and updates the
// rig. Returns the resulting distance of the tip from the target.
static double try_root_rotation(md5_rig *rig, md5_quatd rotation, md5_vec3d target)
{
    md5_rig_joint *const root = &rig->joints[ROOT];
    root->local = md5i_limit_nearest(&root->limit, rotation);
    md5i_update_rig(rig);
    return md5_vec3d_length(md5_vec3d_sub(rig->joints[TIP].position, target));
}

// Rotates the limb about the line from root to target. Without limits, this does not move the tip.
// Tries NUM_SWIVELS angles, and selects the one at which the limit of the root moves the tip least.
// `unlimited_root` is the root's rotation before its limit was applied. `middle` is the rotation of
// the middle joint.
static void rotate_about_line(md5_rig *rig, md5_vec3d target, md5_quatd unlimited_root,
                              md5_quatd middle)
{
    md5_rig_joint *const root = &rig->joints[ROOT];
    const md5_vec3d line = md5_vec3d_normalize(md5_vec3d_sub(target, root->position));
    const md5_quatd step = md5i_quatd_about(line, SWIVEL_COSINE, SWIVEL_SINE); // model space
    const md5_quatd model_to_parent = md5_quatd_conjugate(root->above);
    md5_quatd in_model = md5_quatd_mul(root->above, unlimited_root);

    md5_quatd best = root->local;
    double min_distance = HUGE_VAL;
    rig->joints[MIDDLE].local = middle;
    for (uint32_t i = 0; i < NUM_SWIVELS; i++) {
        const md5_quatd in_parent = md5i_quatd_unit(md5_quatd_mul(model_to_parent, in_model));
        const double distance = try_root_rotation(rig, in_parent, target);
        if (distance < min_distance) {
            min_distance = distance;
            best = root->local;
        }
        in_model = md5_quatd_mul(step, in_model);
    }
    root->local = best;
    md5i_update_rig(rig);
}

// Moves root and middle joint into their limits, and then rotates them so that the tip is as near
// as possible to its target. If it is not near enough, tries again after a rotation of the limb
// about the line to the target. Keeps the result that is nearer to the target.
static void approach(md5_rig *rig, md5_vec3d target)
{
    const double length = md5_vec3d_length(rig->joints[ABOVE_MIDDLE].offset)
                          + md5_vec3d_length(rig->joints[ABOVE_TIP].offset);
    const double tolerance = LIMB_TOLERANCE * length;

    // First try: start at the rotations within the limits that are nearest to the planned
    // rotations.
    const md5_quatd unlimited_root = rig->joints[ROOT].local;
    limit_joint(rig, ROOT);
    limit_joint(rig, MIDDLE);
    md5i_update_rig(rig);
    const md5_quatd limited_middle = rig->joints[MIDDLE].local;
    const double distance = md5i_ccd_limited(rig, target, tolerance, MAX_CORRECTIONS);
    if (!(distance > RETRY_DISTANCE * length))
        return;

    // Second try: start after a rotation about the line to the target.
    const md5_quatd first_root = rig->joints[ROOT].local;
    const md5_quatd first_middle = rig->joints[MIDDLE].local;
    rotate_about_line(rig, target, unlimited_root, limited_middle);
    if (md5i_ccd_limited(rig, target, tolerance, MAX_CORRECTIONS) < distance)
        return;

    // The second try was not better, so restore the first result.
    rig->joints[ROOT].local = first_root;
    rig->joints[MIDDLE].local = first_middle;
    md5i_update_rig(rig);
}

// == Limbs =======================================================================================
//
// Two-bone inverse kinematics: the law of cosines in the plane in which an arm or leg bends.
//
// All vectors are in the space of the hip before it is rotated, because thigh and shin follow
// directly from the pose in this space. All lengths are in units of the reach, which is the length
// of the stretched limb. So the precision does not depend on the size of the model.
//
// The plane of the limb has two coordinate axes: `along` points from the hip to the foot, and
// `side` to the side on which the knee is. First, thigh and shin are rotated in the current plane.
// Then the plane is rotated so that its line from hip to foot points at the target.

// A target counts as reached if the distance is less than this fraction of the reach.
#define REACHED 1e-4f

// The direction of a vector can be computed only if its length is above this, in units of the
// reach.
#define MIN_LIMB_LENGTH 1e-5f

// Squares of lengths below this limit are too small for a direction in single precision.
#define MIN_LIMB_SQUARE 1e-30f

// A limb counts as a limb without bones if its reach, in units, is not above this.
#define MIN_REACH 1e-15f

// A limb in the current pose. The comments call its joints hip, knee and foot, and its bones thigh
// and shin, even for an arm. There may be further joints between them, which the solver does not
// rotate.
typedef struct two_bones {
    md5_axes axes;
    const md5_limb *joints; // indices of the hip (root), the knee (middle) and the foot (tip)
    md5_float4 above_knee;  // combined rotation of the joints between hip and knee
    md5_float4 above_foot;  // combined rotation of the joints between knee and foot
    bool has_above_knee;
    bool has_above_foot;
    md5_float4 to_model;   // rotation from the space of the hip to model space
    md5_float4 from_model; // inverse of to_model
    md5_float4 start;      // position of the hip, model space
    float reach;           // sum of the lengths of thigh and shin, units of the model
    md5_float4 upper;      // thigh, in units of `reach`
    md5_float4 lower;      // shin, in units of `reach`
    float upper_length;    // in units of `reach`
    float lower_length;    // in units of `reach`
} two_bones;

// A rotation in a plane: cosine and sine of its angle, both multiplied by the same factor > 0.
typedef struct plane_rotation {
    float cosine;
    float sine;
} plane_rotation;

// The current plane of the limb, and the rotation to the new plane. In the current plane, x is
// along the line from the hip to the foot, and y is perpendicular to it.
typedef struct limb_plane {
    md5_float4 hinge;    // axis of the bend in the current plane
    md5_float4 rotation; // from the current plane to the new plane
    float x;             // position of the knee in the current plane
    float y;             // position of the knee in the current plane, >= 0
    float lower_x;       // x of the vector from knee to foot; its y is -limb_plane.y
} limb_plane;

// Returns true if a joint is a descendant of the joint `above`.
bool md5i_is_descendant(const md5_skeleton *skeleton, uint32_t joint, uint32_t above)
{
    uint32_t ancestor = skeleton->joints[joint].parent;
    while (ancestor != MD5_NONE && ancestor != above)
        ancestor = skeleton->joints[ancestor].parent;
    return ancestor != MD5_NONE;
}

// Checks that the three joints of a limb exist, and that each is a descendant of the previous one.
// Returns MD5_LIMB_REACHED if they do, otherwise the reason why they are not a limb.
md5_limb_result md5i_check_limb(const md5_skeleton *skeleton, const md5_limb *limb)
{
    const uint32_t count = skeleton->num_joints;
    if (limb->tip >= count || limb->middle >= count || limb->root >= count)
        return MD5_LIMB_NO_JOINT;
    const bool hangs_together = md5i_is_descendant(skeleton, limb->tip, limb->middle)
                                && md5i_is_descendant(skeleton, limb->middle, limb->root);
    return hangs_together ? MD5_LIMB_REACHED : MD5_LIMB_NO_CHAIN;
}

// Finds the limb that ends at a joint: the joint, its parent and its grandparent. Returns
// MD5_LIMB_REACHED, or the reason why there is no such limb.
md5_limb_result md5i_limb_above(const md5_skeleton *skeleton, uint32_t tip, md5_limb *limb)
{
    if (tip >= skeleton->num_joints)
        return MD5_LIMB_NO_JOINT;
    const uint32_t middle = skeleton->joints[tip].parent;
    const uint32_t root = middle == MD5_NONE ? MD5_NONE : skeleton->joints[middle].parent;
    if (root == MD5_NONE)
        return MD5_LIMB_NO_PARENTS;
    *limb = (md5_limb){root, middle, tip};
    return MD5_LIMB_REACHED;
}

// Transforms a point from the space of a joint to the space of the joint's parent.
static inline md5_float4 point_in_parent(const md5_xform *joint, md5_float4 point)
{
    const md5_float4 rotated = md5_float4_rotate(md5_float4_load_rotation(joint), point);
    return md5_float4_add(rotated, md5_float4_load_translation(joint));
}

// Computes the position of a joint in the space of one of its ancestors, and the combined rotation
// of the joints between the two. If the ancestor is the joint's parent, no joint is between them.
// The function then returns false and does not set the rotation.
static bool transform_in_ancestor(const md5_skeleton *skeleton, const md5_xform *pose,
                                  uint32_t joint, uint32_t ancestor, md5_float4 *position,
                                  md5_float4 *rotation)
{
    const uint32_t parent = skeleton->joints[joint].parent;
    const md5_float4 in_parent = md5_float4_load_translation(&pose[joint]);
    if (parent == ancestor) {
        *position = in_parent;
        return false;
    }

    // Transform both by each joint from the parent up to the child of the ancestor.
    md5_float4 point = point_in_parent(&pose[parent], in_parent);
    md5_float4 product = md5_float4_load_rotation(&pose[parent]);
    uint32_t between = skeleton->joints[parent].parent;
    while (between != ancestor) {
        const md5_float4 local = md5_float4_load_rotation(&pose[between]);
        point = point_in_parent(&pose[between], point);
        product = md5_float4_renormalize(md5_float4_quat_mul(local, product));
        between = skeleton->joints[between].parent;
    }
    *position = point;
    *rotation = product;
    return true;
}

// Returns the rotation of the knee in the space of the hip.
static md5_float4 knee_rotation(const two_bones *limb, const md5_xform *knee)
{
    const md5_float4 local = md5_float4_load_rotation(knee);
    return limb->has_above_knee ? md5_float4_quat_mul(limb->above_knee, local) : local;
}

// Sets the bones of a limb from vectors in units of the model: the thigh, `upper`, in the space of
// the hip, and the shin, `lower`, in the space of the knee. Scales them so that the reach is 1.
// Returns MD5_LIMB_REACHED, or the reason why the limb cannot be solved.
static md5_limb_result set_bones(two_bones *limb, md5_float4 upper, md5_float4 lower,
                                 const md5_xform *knee)
{
    const float upper_length = md5_float4_length(upper);
    const float lower_length = md5_float4_length(lower);
    limb->reach = upper_length + lower_length;
    if (!(limb->reach < MD5_MAX_COORDINATE))
        return MD5_LIMB_NOT_FINITE;
    if (!(limb->reach > MIN_REACH))
        return MD5_LIMB_NO_BONE;

    const float scale = 1.0f / limb->reach;
    const md5_float4 lower_in_hip = md5_float4_rotate(knee_rotation(limb, knee), lower);
    limb->upper = md5_float4_scale(upper, scale);
    limb->lower = md5_float4_scale(lower_in_hip, scale);
    limb->upper_length = upper_length * scale;
    limb->lower_length = lower_length * scale;
    return MD5_LIMB_REACHED;
}

// Measures a limb in the current pose: lengths and directions of its bones, and the transform of
// the hip. limb->axes and limb->joints must be set. Returns MD5_LIMB_REACHED, or the reason why the
// limb cannot be solved.
static md5_limb_result measure_limb(const md5_skeleton *skeleton, const md5_xform *pose,
                                    two_bones *limb)
{
    const md5_limb *const joints = limb->joints;
    const md5_float4_transform hip = md5i_joint_transform(skeleton, pose, joints->root);
    limb->to_model = hip.rotation;
    limb->from_model = md5_float4_conjugate(hip.rotation);
    limb->start = hip.position;

    md5_float4 upper;
    md5_float4 lower;
    limb->has_above_knee = transform_in_ancestor(skeleton, pose, joints->middle, joints->root,
                                                 &upper, &limb->above_knee);
    limb->has_above_foot = transform_in_ancestor(skeleton, pose, joints->tip, joints->middle,
                                                 &lower, &limb->above_foot);
    return set_bones(limb, upper, lower, &pose[joints->middle]);
}

// A pole is a point in model space toward which the knee bends. Sets *side to its component
// perpendicular to the line of the limb, which can have any length. `along` is the direction of the
// line in the space of the hip. Returns false if there is no pole or the component is 0.
static bool find_pole(const two_bones *limb, const md5_vec3 *pole, md5_float4 along,
                      md5_float4 *side)
{
    if (!pole || !md5_is_valid_vec3(*pole))
        return false;
    const md5_float4 in_model = md5_float4_sub(md5_float4_from_vec3(*pole), limb->start);
    const md5_float4 toward = md5_float4_rotate(limb->from_model, in_model);
    *side = md5_float4_reject(toward, along);
    const float square = md5_float4_dot3(*side, *side);
    const float toward_square = md5_float4_dot3(toward, toward);
    const bool is_on_line = !(square > MIN_LIMB_LENGTH * MIN_LIMB_LENGTH * toward_square);
    return !is_on_line && square > MIN_LIMB_SQUARE;
}

// Returns the direction in which the knee bends if neither the pose nor a pole defines it. It is
// the forward direction of the model, made perpendicular to `along`. Both vectors are in the space
// of the hip.
static md5_float4 forward_side(const two_bones *limb, md5_float4 along)
{
    const md5_float4 in_model = md5_float4_rotate(limb->to_model, along);
    const md5_vec3 forward = md5i_forward_perpendicular(limb->axes, md5_vec3_from_float4(in_model));
    return md5_float4_rotate(limb->from_model, md5_float4_from_vec3(forward));
}

// Sets the hinge of a straight or folded limb, whose current plane is not defined. The plane after
// the rotation is selected instead: it contains the direction `along` to the target and `side`.
static void set_hinge_at_target(limb_plane *plane, md5_float4 along, md5_float4 side)
{
    const md5_float4 hinge = md5_float4_normalize(md5_float4_cross(along, side), side);
    plane->hinge = md5_float4_rotate(md5_float4_conjugate(plane->rotation), hinge);
}

// Twists the rotation of a plane about the direction to the target, `along`, so that the knee bends
// toward `pole_side`.
static void twist_to_pole(limb_plane *plane, md5_float4 along, md5_float4 current_side,
                          md5_float4 pole_side)
{
    const md5_float4 swung = md5_float4_rotate(plane->rotation, current_side);
    const float cosine = md5_float4_dot3(swung, pole_side);
    const float sine = md5_float4_dot3(md5_float4_cross(swung, pole_side), along);
    plane->rotation = md5_float4_quat_mul(md5_float4_about(along, cosine, sine), plane->rotation);
}

// The directions from the hip to the foot, in the space of the hip.
typedef struct foot_directions {
    md5_float4 current;
    md5_float4 at_target; // when the foot is at the target
} foot_directions;

// Returns the directions from the hip to the foot. A direction is undefined if the foot, or the
// target, is at the hip. It is then set to the other direction, and to the direction of the thigh
// if both are undefined. `toward` and `distance` are the parameters of select_plane().
static foot_directions find_foot_directions(const two_bones *limb, md5_float4 toward,
                                            float distance)
{
    const md5_float4 line = md5_float4_add(limb->upper, limb->lower);
    const float span = md5_float4_length(line);
    const bool is_foot_at_hip = !(span > MIN_LIMB_LENGTH);
    const bool is_target_at_hip = !(distance > MIN_LIMB_LENGTH);
    foot_directions directions;
    if (is_foot_at_hip)
        directions.current = md5_float4_normalize(limb->upper, md5_float4_set(1, 0, 0, 0));
    else
        directions.current = md5_float4_scale(line, 1.0f / span);
    if (is_target_at_hip)
        directions.at_target = directions.current;
    else
        directions.at_target = md5_float4_scale(toward, 1.0f / distance);
    if (is_foot_at_hip)
        directions.current = directions.at_target;
    return directions;
}

// Computes the current plane of a limb, and the rotation to the plane in which the limb reaches a
// target. `toward` is the vector from the hip to the target in the space of the hip, and `distance`
// its length, both in units of the reach. `pole` is a point in model space toward which the knee
// bends. Without a pole, the plane rotates by the shortest arc.
static limb_plane select_plane(const two_bones *limb, md5_float4 toward, float distance,
                               const md5_vec3 *pole)
{
    const foot_directions directions = find_foot_directions(limb, toward, distance);
    const md5_float4 old_along = directions.current;
    const md5_float4 along = directions.at_target;
    limb_plane plane = {
        .rotation = md5_float4_between(old_along, along),
        .x = md5_float4_dot3(limb->upper, old_along),
        .lower_x = md5_float4_dot3(limb->lower, old_along),
    };
    md5_float4 pole_side = along;
    const bool has_pole = find_pole(limb, pole, along, &pole_side);

    // If the knee is on the line from the hip to the foot, it does not define a plane.
    const md5_float4 knee_offset = md5_float4_reject(limb->upper, old_along);
    const float bend = md5_float4_length(knee_offset);
    const bool is_straight = !(bend > MIN_LIMB_LENGTH);
    if (is_straight) {
        const md5_float4 side = has_pole ? pole_side : forward_side(limb, along);
        set_hinge_at_target(&plane, along, side);
        return plane;
    }

    const md5_float4 side = md5_float4_scale(knee_offset, 1.0f / bend);
    plane.y = bend;
    plane.hinge = md5_float4_cross(old_along, side);
    if (has_pole)
        twist_to_pole(&plane, along, side, pole_side);
    return plane;
}

// Returns the rotation in a plane, about its origin, from the direction of one point to the
// direction of another. Neither point may be the origin.
static plane_rotation rotation_in_plane(float from_x, float from_y, float to_x, float to_y)
{
    return (plane_rotation){from_x * to_x + from_y * to_y, from_x * to_y - from_y * to_x};
}

// Scales the bones of a limb: the translations of the joints from the tip up to the child of the
// root.
static void stretch_limb(const md5_skeleton *skeleton, md5_xform *pose, const md5_limb *joints,
                         float factor)
{
    for (uint32_t ancestor = joints->tip; ancestor != joints->root;
         ancestor = skeleton->joints[ancestor].parent)
        pose[ancestor].translation = md5_vec3_scale(pose[ancestor].translation, factor);
}

// Converts the rotation of a joint from the space of an ancestor to the space of its parent.
// `above` is the combined rotation of the joints between ancestor and joint. If there are none,
// `has_above` is false, and the rotation is returned unchanged.
static md5_float4 rotation_below(bool has_above, md5_float4 above, md5_float4 rotation)
{
    return has_above ? md5_float4_quat_mul(md5_float4_conjugate(above), rotation) : rotation;
}

// The new rotations of the three joints, relative to their parents.
typedef struct limb_rotations {
    md5_float4 hip;
    md5_float4 knee;
    md5_float4 foot;
} limb_rotations;

// Returns the new rotation of the foot in the space of the hip before the change. It is
// `model_rotation`, which is in model space, or the current rotation if this is NULL.
static md5_float4 foot_rotation(const two_bones *limb, const md5_xform *pose,
                                const md5_quat *model_rotation)
{
    if (model_rotation && md5_is_rotation(*model_rotation)) {
        const md5_quat unit = md5_quat_normalize(*model_rotation, MD5_NO_ROTATION);
        return md5_float4_quat_mul(limb->from_model, md5_float4_from_quat(unit));
    }
    const md5_float4 foot_in_parent = md5_float4_load_rotation(&pose[limb->joints->tip]);
    const md5_float4 knee_in_hip = knee_rotation(limb, &pose[limb->joints->middle]);
    if (!limb->has_above_foot)
        return md5_float4_quat_mul(knee_in_hip, foot_in_parent);
    const md5_float4 parent_in_hip = md5_float4_quat_mul(knee_in_hip, limb->above_foot);
    return md5_float4_quat_mul(parent_in_hip, foot_in_parent);
}

// Computes the new rotations of the hip, knee and foot, relative to their parents. The foot gets
// the rotation `model_rotation` in model space, or keeps its current one if this is NULL.
//
// The space of the hip before the change is called "old hip", and the space after it "new hip".
// `thigh_rotation` and `knee_bend` are in the old hip. A product of quaternions applies its right
// factor first: the knee has its current rotation, is then bent by `knee_bend`, and then rotates
// with the thigh.
static limb_rotations find_rotations(const md5_xform *pose, const two_bones *limb,
                                     md5_float4 thigh_rotation, md5_float4 knee_bend,
                                     const md5_quat *model_rotation)
{
    const md5_float4 hip_in_parent = md5_float4_load_rotation(&pose[limb->joints->root]);
    const md5_float4 current_knee = knee_rotation(limb, &pose[limb->joints->middle]);

    // The rotation of the thigh carries everything below the hip with it. The bent knee therefore
    // has the same rotation in the new hip as it had in the old hip.
    const md5_float4 knee_in_new_hip = md5_float4_quat_mul(knee_bend, current_knee);
    const md5_float4 knee_in_old_hip = md5_float4_quat_mul(thigh_rotation, knee_in_new_hip);

    const md5_float4 foot_in_old_hip = foot_rotation(limb, pose, model_rotation);
    const md5_float4 foot_in_knee =
        md5_float4_quat_mul(md5_float4_conjugate(knee_in_old_hip), foot_in_old_hip);

    return (limb_rotations){
        .hip = md5_float4_quat_mul(hip_in_parent, thigh_rotation),
        .knee = rotation_below(limb->has_above_knee, limb->above_knee, knee_in_new_hip),
        .foot = rotation_below(limb->has_above_foot, limb->above_foot, foot_in_knee),
    };
}

// The measured limb, and how it must change to reach the target.
typedef struct limb_plan {
    two_bones limb;
    md5_float4 to_target; // from the hip, model space
    float stretch;        // factor of the lengths of the bones, >= 1
    limb_rotations rotations;
} limb_plan;

// Returns the distance from the hip at which the foot of an unstretched limb is placed for a target
// at `distance`. Distances are in units of the reach. Targets up to 1 - `soften` are reached
// exactly. For targets farther away, the result approaches 1, so that the limb does not snap
// straight. With x in units of `soften`, it approaches 1 like
//
//   1 - exp(-x)
static float soften_distance(float distance, float soften)
{
    const float past = distance - (1 - soften);
    if (!(past > 0))
        return distance;
    if (!(soften > 0))
        return 1;
    return (float)(1 - soften * md5i_decay((double)past / soften));
}

// The position of the knee in the plane of the limb. The hip is at the origin, the foot is at
// (`goal`, 0). All lengths are in units of the limb's reach.
typedef struct knee_position {
    float x; // along the line from the hip to the foot
    float y; // distance from this line, >= 0
} knee_position;

// Returns the position of the knee for the lengths of thigh and shin, and the distance `goal` of
// the foot from the hip. If these lengths do not form a triangle, the knee is on the line. If the
// foot is at the hip, the line has no direction. The knee is then at distance `upper_length` on the
// axis y.
//
// With thigh a, shin b and goal c, x follows from the law of cosines. y follows from Heron's
// formula for the area of the triangle, c y / 2:
//
//   2 c x     = a^2 - b^2 + c^2
//   (2 c y)^2 = ((a + b)^2 - c^2) * (c^2 - (a - b)^2) = outer * inner
//
// Differences of squares are computed as products of a sum and a difference, and y is not computed
// as sqrt(a^2 - x^2). Otherwise cancellation would make the result inaccurate for nearly straight
// limbs.
static knee_position find_knee(float upper_length, float lower_length, float goal)
{
    if (!(goal > MIN_LIMB_LENGTH))
        return (knee_position){0, upper_length};
    const float sum = upper_length + lower_length;
    const float difference = upper_length - lower_length;
    const float outer = (sum - goal) * (sum + goal);
    const float inner = (goal - difference) * (goal + difference);
    const float half_inverse = 0.5f / goal;
    const float x = (difference * sum + goal * goal) * half_inverse;
    if (!(outer > 0 && inner > 0))
        return (knee_position){x, 0};
    return (knee_position){x, sqrtf(outer) * sqrtf(inner) * half_inverse};
}

// Limits a parameter to 0 .. 1. NaN becomes 0.
static float clamp_fraction(float value)
{
    if (!(value > 0))
        return 0;
    return value < 1 ? value : 1;
}

// The extension of a limb that lets the foot reach a target.
typedef struct limb_extension {
    float stretch; // ratio of the new length of the bones, >= 1
    float goal;    // distance of the foot from the hip, in units of the reach before the stretch
} limb_extension;

// Computes the extension for a target at `distance`, in units of the reach. The foot cannot be
// nearer to the hip than the difference of the bones' lengths. The limb is stretched only if it
// does not reach the target otherwise.
static limb_extension extend_limb(const two_bones *limb, const md5_two_bone_job *job,
                                  float distance)
{
    const float max_stretch = job->params.stretch > 1 ? job->params.stretch : 1;
    const float softened = soften_distance(distance, clamp_fraction(job->params.soften));
    const float min_distance = fabsf(limb->upper_length - limb->lower_length);
    const float bent = softened > min_distance ? softened : min_distance;
    const float needed = bent < distance ? distance / bent : 1;
    const float stretch = needed < max_stretch ? needed : max_stretch;
    return (limb_extension){stretch, bent * stretch};
}

// Rotations that bring the foot of a limb to a target, both in the space of the hip before the
// change.
typedef struct limb_bend {
    md5_float4 thigh; // rotation of the thigh
    md5_float4 knee;  // rotation of the shin relative to the thigh
} limb_bend;

// Bends a limb in its current plane so that its foot is at the distance `goal` from the hip, and
// then rotates the plane. `goal` is in units of the reach. `stretch` is the factor of the bones'
// lengths.
static limb_bend bend_in_plane(const two_bones *limb, const limb_plane *plane, float stretch,
                               float goal)
{
    const knee_position knee =
        find_knee(limb->upper_length * stretch, limb->lower_length * stretch, goal);

    // Rotations in the plane, from the old to the new direction of each bone.
    const plane_rotation thigh = rotation_in_plane(plane->x, plane->y, knee.x, knee.y);
    const plane_rotation shin =
        rotation_in_plane(plane->lower_x, -plane->y, goal - knee.x, -knee.y);
    const plane_rotation knee_bend =
        rotation_in_plane(thigh.cosine, thigh.sine, shin.cosine, shin.sine);

    const md5_float4 thigh_in_plane = md5_float4_about(plane->hinge, thigh.cosine, thigh.sine);
    return (limb_bend){
        .thigh = md5_float4_quat_mul(plane->rotation, thigh_in_plane),
        .knee = md5_float4_about(plane->hinge, knee_bend.cosine, knee_bend.sine),
    };
}

// Computes how a limb must bend and rotate so that its tip reaches the target of a job. Does not
// change the pose. Returns MD5_LIMB_REACHED, or the reason why the limb cannot be solved.
static md5_limb_result plan_limb(const md5_skeleton *skeleton, const md5_xform *pose,
                                 const md5_limb *joints, const md5_two_bone_job *job,
                                 limb_plan *plan)
{
    two_bones *const limb = &plan->limb;
    *limb = (two_bones){.axes = skeleton->axes, .joints = joints};
    const md5_limb_result measured = measure_limb(skeleton, pose, limb);
    if (measured != MD5_LIMB_REACHED)
        return measured;

    plan->to_target = md5_float4_sub(md5_float4_from_vec3(job->target), limb->start);
    const float distance = md5_float4_length(plan->to_target) / limb->reach;
    if (!(distance < MD5_MAX_COORDINATE)) // also true if the position of the hip is not finite
        return MD5_LIMB_NOT_FINITE;

    // The vector to the target in the space of the hip, in units of the reach.
    const md5_float4 target_in_hip = md5_float4_rotate(limb->from_model, plan->to_target);
    const md5_float4 toward = md5_float4_scale(target_in_hip, 1.0f / limb->reach);

    const limb_extension extension = extend_limb(limb, job, distance);
    const limb_plane plane = select_plane(limb, toward, distance, job->pole);
    const limb_bend bend = bend_in_plane(limb, &plane, extension.stretch, extension.goal);
    plan->stretch = extension.stretch;
    plan->rotations = find_rotations(pose, limb, bend.thigh, bend.knee, job->rotation);
    return MD5_LIMB_REACHED;
}

// -- Limits -----------------------------------------------------------------------------------

// Adds a joint of the limb (middle or tip) to its rig. Before it, adds a held joint that represents
// all joints of the skeleton between it and `above`, the previous joint of the limb. The solver
// does not rotate held joints.
static void add_bone(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint,
                     uint32_t above, const md5_joint_limit *limits, md5_rig *rig)
{
    md5_float4 position;
    md5_float4 rotation;
    const bool has_joints_between =
        transform_in_ancestor(skeleton, pose, joint, above, &position, &rotation);
    if (!has_joints_between)
        rotation = md5_float4_from_quat(MD5_NO_ROTATION);

    const uint32_t held_index = rig->count;
    rig->joints[held_index] = (md5_rig_joint){
        .parent = held_index - 1,
        .is_held = true,
        .local = unit_quatd(rotation),
        .offset = md5_vec3d_from_vec3(md5_vec3_from_float4(position)),
    };
    rig->joints[held_index + 1] = (md5_rig_joint){
        .parent = held_index,
        .local = unit_quatd(md5_float4_load_rotation(&pose[joint])),
        .limit = md5i_prepare_limit(&limits[joint]),
    };
    rig->count += 2;
}

// Creates a rig with the five joints ROOT to TIP of a limb.
static void create_limb_rig(const md5_skeleton *skeleton, const md5_xform *pose,
                            const md5_limb *joints, const md5_joint_limit *limits, md5_rig *rig)
{
    const uint32_t root = joints->root;
    const md5_float4_transform in_model = md5i_joint_transform(skeleton, pose, root);
    const md5_float4_transform parent = md5i_parent_joint_transform(skeleton, pose, root);
    rig->axes = skeleton->axes;
    rig->count = 1;
    rig->joints[ROOT] = (md5_rig_joint){
        .parent = MD5_NONE,
        .local = unit_quatd(md5_float4_load_rotation(&pose[root])),
        .above = unit_quatd(parent.rotation),
        .position = md5_vec3d_from_vec3(md5_vec3_from_float4(in_model.position)),
        .limit = md5i_prepare_limit(&limits[root]),
    };
    add_bone(skeleton, pose, joints->middle, root, limits, rig);
    add_bone(skeleton, pose, joints->tip, joints->middle, limits, rig);
    rig->joints[TIP].is_held = true; // a rotation of the tip would not move it
}

// Bends a hinge in the middle of the limb to the middle of its range, in two cases: if the hinge is
// straight, or if it is bent to the side with the smaller part of its range. The plan then
// continues this bend, instead of bending the wrong way.
static void bend_hinge(md5_rig *rig)
{
    md5_rig_joint *const hinge = &rig->joints[MIDDLE];
    if (hinge->limit.kind != MD5_LIMIT_HINGE)
        return;
    const md5_quatd range_middle = md5i_limit_middle(&hinge->limit);
    const double bend = hinge_bend(rig, hinge->local);
    const double middle_bend = hinge_bend(rig, range_middle);
    if (fabs(bend) < STRAIGHT_LIMB || bend * middle_bend < 0)
        hinge->local = range_middle;
}

// Sets the joints of a rig to the rotations and the stretch of a plan.
static void set_planned_pose(md5_rig *rig, const limb_plan *plan)
{
    md5_rig_joint *const above_middle = &rig->joints[ABOVE_MIDDLE];
    md5_rig_joint *const above_tip = &rig->joints[ABOVE_TIP];
    rig->joints[ROOT].local = unit_quatd(plan->rotations.hip);
    rig->joints[MIDDLE].local = unit_quatd(plan->rotations.knee);
    rig->joints[TIP].local = unit_quatd(plan->rotations.foot);
    above_middle->offset = md5_vec3d_scale(above_middle->offset, plan->stretch);
    above_tip->offset = md5_vec3d_scale(above_tip->offset, plan->stretch);
    md5i_update_rig(rig);
}

// Moves the rotations of a plan into the limits. If this moves the tip, rotates root and middle
// joint until the tip is as near as possible to its planned position. The tip keeps its rotation in
// model space if its limit permits that.
static void limit_plan(md5_rig *rig, limb_plan *plan)
{
    set_planned_pose(rig, plan);
    const md5_quatd tip_in_model = rig->joints[TIP].rotation;
    approach(rig, rig->joints[TIP].position);

    // The parent of the tip may have rotated, so the tip needs another rotation relative to it.
    const md5_quatd model_to_parent = md5_quatd_conjugate(md5i_rig_parent_rotation(rig, TIP));
    const md5_quatd tip_in_parent = md5i_quatd_unit(md5_quatd_mul(model_to_parent, tip_in_model));
    const md5_quatd limited_tip = md5i_limit_nearest(&rig->joints[TIP].limit, tip_in_parent);
    plan->rotations.hip = round_quatd(rig->joints[ROOT].local);
    plan->rotations.knee = round_quatd(rig->joints[MIDDLE].local);
    plan->rotations.foot = round_quatd(limited_tip);
}

// Computes how a limb with joint limits must bend and rotate to reach a target. The plan starts at
// a pose within the limits, so that the limb bends in the direction of its hinge. The result is
// then moved into the limits. The pose is restored before the return.
static md5_limb_result plan_within_limits(const md5_skeleton *skeleton, md5_xform *pose,
                                          const md5_limb *joints, const md5_two_bone_job *job,
                                          limb_plan *plan)
{
    // If no rotation is requested, the tip keeps its rotation in model space.
    const md5_float4 tip = md5i_joint_transform(skeleton, pose, joints->tip).rotation;
    const md5_quat tip_rotation = md5_quat_from_float4(tip);
    md5_two_bone_job inner_job = *job;
    if (!job->rotation)
        inner_job.rotation = &tip_rotation;

    md5_rig rig;
    create_limb_rig(skeleton, pose, joints, job->limits, &rig);
    limit_joint(&rig, ROOT);
    limit_joint(&rig, MIDDLE);
    bend_hinge(&rig);

    // Plan from the pose within the limits, then restore the pose.
    md5_quat *const root = &pose[joints->root].rotation;
    md5_quat *const middle = &pose[joints->middle].rotation;
    const md5_quat old_root = *root;
    const md5_quat old_middle = *middle;
    *root = md5_quat_from_float4(round_quatd(rig.joints[ROOT].local));
    *middle = md5_quat_from_float4(round_quatd(rig.joints[MIDDLE].local));
    const md5_limb_result planned = plan_limb(skeleton, pose, joints, &inner_job, plan);
    *root = old_root;
    *middle = old_middle;
    if (planned != MD5_LIMB_REACHED)
        return planned;
    limit_plan(&rig, plan);
    return MD5_LIMB_REACHED;
}

// Blends the rotations and the stretch of a plan into the pose.
static void apply_plan(const md5_skeleton *skeleton, const md5_limb *joints, const limb_plan *plan,
                       float weight, md5_xform *pose)
{
    md5_rotation_blend blend;
    md5i_begin_rotation_blend(weight, &blend);
    md5_blend_joint_rotation(&pose[joints->root], &blend, plan->rotations.hip);
    md5_blend_joint_rotation(&pose[joints->middle], &blend, plan->rotations.knee);
    md5_blend_joint_rotation(&pose[joints->tip], &blend, plan->rotations.foot);
    if (plan->stretch > 1)
        stretch_limb(skeleton, pose, joints, 1 + (plan->stretch - 1) * blend.weight);
}

// Measures the distance between tip and target after a plan has been applied, in units. Sets *miss
// to it, or to INFINITY if it is not finite. Returns MD5_LIMB_REACHED if the distance is small,
// otherwise the reason why the target was missed.
static md5_limb_result measure_miss(const md5_skeleton *skeleton, const md5_xform *pose,
                                    const md5_limb *joints, const limb_plan *plan, float *miss)
{
    md5_float4 tip_in_hip;
    md5_float4 unused_rotation;
    transform_in_ancestor(skeleton, pose, joints->tip, joints->root, &tip_in_hip, &unused_rotation);
    const md5_float4_transform hip = md5i_joint_transform(skeleton, pose, joints->root);
    const md5_float4 to_tip = md5_float4_rotate(hip.rotation, tip_in_hip);
    const float distance = md5_float4_length(md5_float4_sub(to_tip, plan->to_target));
    if (!(distance < MD5_MAX_COORDINATE)) {
        *miss = INFINITY;
        return MD5_LIMB_NOT_FINITE;
    }

    *miss = distance;
    const two_bones *const limb = &plan->limb;
    const bool has_both_bones =
        limb->upper_length > MIN_LIMB_LENGTH && limb->lower_length > MIN_LIMB_LENGTH;
    if (!has_both_bones)
        return MD5_LIMB_NO_BONE;
    return distance > REACHED * limb->reach ? MD5_LIMB_OUT_OF_REACH : MD5_LIMB_REACHED;
}

// Bends a valid limb towards the target of a job. The weight of the job must be above 0. If `miss`
// is not NULL, measures the distance that remains between tip and target, in units, and returns the
// result for it. The distance is INFINITY if the limb was not changed.
md5_limb_result md5i_bend_limb(const md5_skeleton *skeleton, md5_xform *pose,
                               const md5_limb *joints, const md5_two_bone_job *job, float *miss)
{
    if (miss)
        *miss = INFINITY;
    if (!md5_is_valid_vec3(job->target))
        return MD5_LIMB_NOT_FINITE;

    limb_plan plan;
    md5_limb_result planned;
    if (job->limits)
        planned = plan_within_limits(skeleton, pose, joints, job, &plan);
    else
        planned = plan_limb(skeleton, pose, joints, job, &plan);
    if (planned != MD5_LIMB_REACHED)
        return planned;

    apply_plan(skeleton, joints, &plan, job->weight, pose);
    if (!miss)
        return MD5_LIMB_REACHED;
    return measure_miss(skeleton, pose, joints, &plan, miss);
}

// Finds the limb of a job: the joints that job->limb contains, or else job->tip and the two joints
// above it. Returns false if these joints are not a limb.
static bool find_job_limb(const md5_skeleton *skeleton, const md5_two_bone_job *job, md5_limb *limb)
{
    if (!job->limb)
        return md5i_limb_above(skeleton, job->tip, limb) == MD5_LIMB_REACHED;
    *limb = *job->limb;
    return md5i_check_limb(skeleton, limb) == MD5_LIMB_REACHED;
}

// Bends an arm or a leg so that its tip reaches the target. If the target is out of reach, the limb
// points at it. Returns false and changes nothing if the joints are not a limb.
bool md5_solve_two_bone(const md5_skeleton *skeleton, const md5_two_bone_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    md5_limb limb;
    if (!find_job_limb(skeleton, job, &limb))
        return false;

    const uint32_t joints[] = {limb.root, limb.middle, limb.tip};
    (void)joints; // only used if MD5_VALIDATE() checks its condition
    MD5_VALIDATE(md5i_are_limits(job->limits, joints, 3), MD5_LIMIT_RULE);
    if (job->weight > 0)
        md5i_bend_limb(skeleton, pose, &limb, job, NULL);
    return true;
}
