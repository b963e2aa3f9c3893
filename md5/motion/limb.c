// Two-bone inverse kinematics: arms and legs.
#include "md5/motion/functions.h"
#include "md5/motion/rig.h"

// == Limits ======================================================================================

// Largest number of corrections by root and middle joint that bring the tip back to its target, and
// the tolerance, as a share of the limb's length.
enum { MAX_TURNS = 64 };
#define NEAR 1e-6

// If the remaining distance exceeds this share, other rotations of the limb about the line to its
// target are tried, in steps of 30 degrees.
enum { TURNS = 12 };
#define FAR_OFF 1e-3
#define TURN_COSINE 0.86602540378443865
#define TURN_SINE 0.5

// A hinge with a smaller sine of its bend counts as straight.
#define STRAIGHT_LIMB 1e-3

// The joints of a limb in a rig. A joint before the middle and the tip represents all joints
// between it and the previous joint of the limb.
enum { ROOT, ABOVE_MIDDLE, MIDDLE, ABOVE_TIP, TIP };

static md5_quatd unit_quatd(md5_float4 q)
{
    return md5i_quatd_unit(md5_quatd_from_quat(md5_quat_from_float4(q)));
}

static md5_float4 round_quatd(md5_quatd q)
{
    return md5_float4_set((float)q.x, (float)q.y, (float)q.z, (float)q.w);
}

static void limit_joint(md5_rig *rig, uint32_t joint)
{
    md5_rig_joint *const own = &rig->joints[joint];
    own->local = md5i_limit_nearest(&own->limit, own->local);
}

// The sine of the limb's bend about its hinge, for a rotation of the middle joint.
static double hinge_bend(const md5_rig *rig, md5_quatd middle)
{
    const md5_rig_joint *const hinge = &rig->joints[MIDDLE];
    const md5_quatd above = rig->joints[ABOVE_MIDDLE].local;
    const md5_vec3d upper = md5_vec3d_normalize(rig->joints[ABOVE_MIDDLE].offset);
    const md5_vec3d lower = md5_vec3d_normalize(
        md5_quatd_rotate(above, md5_quatd_rotate(middle, rig->joints[ABOVE_TIP].offset)));
    const md5_vec3d axis =
        md5_quatd_rotate(above, md5_quatd_rotate(hinge->limit.rest, hinge->limit.axis));
    return md5_vec3d_dot(md5_vec3d_cross(upper, lower), axis);
}

// Selects a rotation of the limb about the line from root to target, which does not move the tip:
// the rotation for which the root's limit moves the tip least.
static void rotate_about_line(md5_rig *rig, md5_vec3d target, md5_quatd root, md5_quatd middle)
{
    md5_rig_joint *const first = &rig->joints[ROOT];
    const md5_vec3d line = md5_vec3d_normalize(md5_vec3d_sub(target, first->place));
    const md5_quatd step = md5i_quatd_about(line, TURN_COSINE, TURN_SINE);
    const md5_quatd back = md5_quatd_conjugate(first->above);
    md5_quatd turn = md5_quatd_mul(first->above, root);
    md5_quatd best = first->local;
    double least = HUGE_VAL;
    rig->joints[MIDDLE].local = middle;
    for (uint32_t i = 0; i < TURNS; i++) {
        first->local =
            md5i_limit_nearest(&first->limit, md5i_quatd_unit(md5_quatd_mul(back, turn)));
        md5i_place_rig(rig);
        const double left = md5_vec3d_length(md5_vec3d_sub(rig->joints[TIP].place, target));
        if (left < least) {
            least = left;
            best = first->local;
        }
        turn = md5_quatd_mul(step, turn);
    }
    first->local = best;
    md5i_place_rig(rig);
}

static void approach(md5_rig *rig, md5_vec3d target)
{
    const double length = md5_vec3d_length(rig->joints[ABOVE_MIDDLE].offset)
                          + md5_vec3d_length(rig->joints[ABOVE_TIP].offset);
    const md5_quatd exact = rig->joints[ROOT].local;
    limit_joint(rig, ROOT);
    limit_joint(rig, MIDDLE);
    md5i_place_rig(rig);
    const md5_quatd middle = rig->joints[MIDDLE].local;
    const double left = md5i_ccd_limited(rig, target, NEAR * length, MAX_TURNS);
    if (!(left > FAR_OFF * length))
        return;
    const md5_quatd before[] = {rig->joints[ROOT].local, rig->joints[MIDDLE].local};
    rotate_about_line(rig, target, exact, middle);
    if (md5i_ccd_limited(rig, target, NEAR * length, MAX_TURNS) < left)
        return;
    rig->joints[ROOT].local = before[0];
    rig->joints[MIDDLE].local = before[1];
    md5i_place_rig(rig);
}

// == Limbs =======================================================================================
//
// Two-bone inverse kinematics: the law of cosines in the plane in which an arm or leg bends.
//
// Everything is computed in the space of the hip before it is rotated, in which thigh and shin
// follow from the pose directly, and in units of the full reach, so that the precision does not
// depend on the size. In the plane of the limb, `along` points from hip to foot and `side` to the
// side on which the knee is; these are the coordinates of knee and foot. The thigh is rotated in
// the old plane, the plane is rotated so that its line points at the target, and the knee bends in
// it.

// The target is reached if the distance is less than this share of the reach.
#define REACHED 1e-4f

// Vectors shorter than this fraction of the reach of the limb have no direction.
#define NOTHING 1e-5f

typedef struct two_bones {
    md5_axes axes;
    const md5_limb *joints;
    md5_float4 above_knee; // combined rotation of the joints between hip and knee
    md5_float4 above_foot; // combined rotation of the joints between knee and foot
    bool has_above_knee;
    bool has_above_foot;
    md5_float4 to_model;   // rotation of the hip
    md5_float4 from_model; // inverse of to_model
    md5_float4 start;      // position of the hip, model space
    float reach;           // sum of the lengths of thigh and shin, units
    md5_float4 upper;      // thigh, in units of `reach`
    md5_float4 lower;      // shin, in units of `reach`
    float upper_length;    // in units of `reach`
    float lower_length;    // in units of `reach`
} two_bones;

// A rotation in a plane: cosine and sine, both times any factor > 0.
typedef struct flat_turn {
    float cosine;
    float sine;
} flat_turn;

// The current plane of the limb, and the rotation to the new plane. x is along the line from the
// hip to the foot, y perpendicular to it.
typedef struct limb_plane {
    md5_float4 hinge; // axis of the bend in the current plane
    md5_float4 turn;  // from the current plane to the new plane
    float x;          // position of the knee in the current plane
    float y;          // position of the knee in the current plane, >= 0
    float lower_x;    // x from the knee to the foot; y from the knee to the foot is -y
} limb_plane;

bool md5i_is_below(const md5_skeleton *skeleton, uint32_t joint, uint32_t above)
{
    uint32_t ancestor = skeleton->joints[joint].parent;
    while (ancestor != MD5_NONE && ancestor != above)
        ancestor = skeleton->joints[ancestor].parent;
    return ancestor != MD5_NONE;
}

md5_limb_result md5i_check_limb(const md5_skeleton *skeleton, const md5_limb *limb)
{
    const uint32_t count = skeleton->num_joints;
    if (limb->tip >= count || limb->middle >= count || limb->root >= count)
        return MD5_LIMB_NO_JOINT;
    const bool hangs_together = md5i_is_below(skeleton, limb->tip, limb->middle)
                                && md5i_is_below(skeleton, limb->middle, limb->root);
    return hangs_together ? MD5_LIMB_REACHED : MD5_LIMB_NO_CHAIN;
}

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

// Computes the position of a joint in the space of an ancestor, and the rotation of the joint's
// parent in this space. Returns false without a rotation if the parent is the ancestor.
static bool transform_in_ancestor(const md5_skeleton *skeleton, const md5_xform *pose,
                                  uint32_t joint, uint32_t above, md5_float4 *place,
                                  md5_float4 *rotation)
{
    const uint32_t parent = skeleton->joints[joint].parent;
    *place = md5_float4_load_translation(&pose[joint]);
    for (uint32_t ancestor = parent; ancestor != above;
         ancestor = skeleton->joints[ancestor].parent) {
        const md5_float4 turn = md5_float4_load_rotation(&pose[ancestor]);
        *place = md5_float4_add(md5_float4_rotate(turn, *place),
                                md5_float4_load_translation(&pose[ancestor]));
        *rotation = ancestor == parent
                        ? turn
                        : md5_float4_renormalize(md5_float4_quat_mul(turn, *rotation));
    }
    return parent != above;
}

// The knee's rotation in the hip's space.
static md5_float4 knee_rotation(const two_bones *limb, const md5_xform *knee)
{
    const md5_float4 own = md5_float4_load_rotation(knee);
    return limb->has_above_knee ? md5_float4_quat_mul(limb->above_knee, own) : own;
}

static md5_limb_result measure_limb(const md5_skeleton *skeleton, const md5_xform *pose,
                                    two_bones *limb)
{
    const md5_limb *const joints = limb->joints;
    const md5_float4_place hip = md5i_place_of(skeleton, pose, joints->root);
    md5_float4 upper;
    md5_float4 lower;
    limb->has_above_knee = transform_in_ancestor(skeleton, pose, joints->middle, joints->root,
                                                 &upper, &limb->above_knee);
    limb->has_above_foot = transform_in_ancestor(skeleton, pose, joints->tip, joints->middle,
                                                 &lower, &limb->above_foot);
    const float upper_length = md5_float4_length(upper);
    const float lower_length = md5_float4_length(lower);
    limb->reach = upper_length + lower_length;
    if (!(limb->reach < MD5_FARTHEST))
        return MD5_LIMB_NOT_FINITE;
    if (!(limb->reach > 1e-15f))
        return MD5_LIMB_NO_BONE;
    limb->to_model = hip.rotation;
    limb->from_model = md5_float4_conjugate(hip.rotation);
    limb->start = hip.place;
    const float share = 1.0f / limb->reach;
    limb->upper = md5_float4_scale(upper, share);
    limb->lower = md5_float4_scale(
        md5_float4_rotate(knee_rotation(limb, &pose[joints->middle]), lower), share);
    limb->upper_length = upper_length * share;
    limb->lower_length = lower_length * share;
    return MD5_LIMB_REACHED;
}

// Sets *side to the component of a pole that is perpendicular to the line of the limb; it can have
// any length. Returns false if there is no pole or the component is 0.
static bool find_pole(const two_bones *limb, const md5_vec3 *pole, md5_float4 along,
                      md5_float4 *side)
{
    if (!pole || !md5_is_place(*pole))
        return false;
    const md5_float4 way = md5_float4_sub(md5_float4_from_vec3(*pole), limb->start);
    const md5_float4 toward = md5_float4_rotate(limb->from_model, way);
    *side = md5_float4_reject(toward, along);
    const float square = md5_float4_dot3(*side, *side);
    return square > NOTHING * NOTHING * md5_float4_dot3(toward, toward) && square > 1e-30f;
}

static limb_plane select_plane(const two_bones *limb, md5_float4 toward, float distance,
                               const md5_vec3 *pole)
{
    const md5_float4 line = md5_float4_add(limb->upper, limb->lower);
    const float span = md5_float4_length(line);
    const bool has_line = span > NOTHING;
    const bool has_way = distance > NOTHING;
    md5_float4 old_along;
    if (has_line)
        old_along = md5_float4_scale(line, 1.0f / span);
    else // folded
        old_along = md5_float4_normalize(limb->upper, md5_float4_set(1, 0, 0, 0));
    const md5_float4 along = has_way ? md5_float4_scale(toward, 1.0f / distance) : old_along;
    // If the foot is at the hip, any direction is valid: uses the direction of the target.
    if (!has_line)
        old_along = along;

    const md5_float4 beside = md5_float4_reject(limb->upper, old_along);
    const float bend = md5_float4_length(beside);
    limb_plane plane = {
        .turn = md5_float4_between(old_along, along),
        .x = md5_float4_dot3(limb->upper, old_along),
        .lower_x = md5_float4_dot3(limb->lower, old_along),
    };
    md5_float4 side = along;
    const bool has_pole = find_pole(limb, pole, along, &side);
    if (!(bend > NOTHING)) {
        // The plane of a straight or folded limb is not defined, so it is selected at the target:
        // the limb bends forward in model space.
        if (!has_pole) {
            const md5_float4 in_model = md5_float4_rotate(limb->to_model, along);
            const md5_vec3 forward =
                md5i_forward_beside(limb->axes, md5_vec3_from_float4(in_model));
            side = md5_float4_rotate(limb->from_model, md5_float4_from_vec3(forward));
        }
        const md5_float4 hinge = md5_float4_normalize(md5_float4_cross(along, side), side);
        plane.hinge = md5_float4_rotate(md5_float4_conjugate(plane.turn), hinge);
        return plane;
    }
    plane.y = bend;
    const md5_float4 old_side = md5_float4_scale(beside, 1.0f / bend);
    plane.hinge = md5_float4_cross(old_along, old_side);
    if (!has_pole)
        return plane;
    const md5_float4 swung = md5_float4_rotate(plane.turn, old_side);
    const md5_float4 twist = md5_float4_about(
        along, md5_float4_dot3(swung, side), md5_float4_dot3(md5_float4_cross(swung, side), along));
    plane.turn = md5_float4_quat_mul(twist, plane.turn);
    return plane;
}

// The rotation about the origin of the plane from one of its points to another.
static flat_turn flat_rotation_between(float old_x, float old_y, float x, float y)
{
    return (flat_turn){old_x * x + old_y * y, old_x * y - old_y * x};
}

static void stretch_limb(const md5_skeleton *skeleton, md5_xform *pose, const md5_limb *joints,
                         float factor)
{
    // The positions of all joints below the root, in their parents'.
    for (uint32_t ancestor = joints->tip; ancestor != joints->root;
         ancestor = skeleton->joints[ancestor].parent)
        pose[ancestor].translation = md5_vec3_scale(pose[ancestor].translation, factor);
}

// Transforms `rotation` into the space of the joints in between, whose rotation is `above`.
static md5_float4 rotation_below(bool has_above, md5_float4 above, md5_float4 rotation)
{
    return has_above ? md5_float4_quat_mul(md5_float4_conjugate(above), rotation) : rotation;
}

// The rotations of the three joints, relative to their parents.
typedef struct limb_rotations {
    md5_float4 hip;
    md5_float4 knee;
    md5_float4 foot;
} limb_rotations;

// From the turns of thigh and knee in the space of the hip before the change.
static limb_rotations find_rotations(const md5_xform *pose, const two_bones *limb,
                                     md5_float4 thigh_turn, md5_float4 knee_turn,
                                     const md5_quat *rotation)
{
    const md5_limb *const joints = limb->joints;
    const md5_xform *const hip = &pose[joints->root];
    const md5_xform *const knee = &pose[joints->middle];
    const md5_float4 old_knee = knee_rotation(limb, knee);
    const md5_float4 new_knee = md5_float4_quat_mul(knee_turn, old_knee);
    // The foot's rotation, in the space of the hip as it was.
    md5_float4 own =
        limb->has_above_foot ? md5_float4_quat_mul(old_knee, limb->above_foot) : old_knee;
    own = md5_float4_quat_mul(own, md5_float4_load_rotation(&pose[joints->tip]));
    if (rotation && md5_is_rotation(*rotation)) {
        const md5_quat unit = md5_quat_normalize(*rotation, MD5_NO_TURN);
        own = md5_float4_quat_mul(limb->from_model, md5_float4_from_quat(unit));
    }
    const md5_float4 shin = md5_float4_quat_mul(thigh_turn, new_knee);
    const md5_float4 new_foot = md5_float4_quat_mul(md5_float4_conjugate(shin), own);
    return (limb_rotations){
        .hip = md5_float4_quat_mul(md5_float4_load_rotation(hip), thigh_turn),
        .knee = rotation_below(limb->has_above_knee, limb->above_knee, new_knee),
        .foot = rotation_below(limb->has_above_foot, limb->above_foot, new_foot),
    };
}

// Measures the limb and computes its new length and rotations for the target.
typedef struct limb_plan {
    two_bones limb;
    md5_float4 way; // from the hip to the target, model space
    float stretch;
    limb_rotations rotations;
} limb_plan;

// Returns the distance from the hip at which a foot is placed for a target at `distance`, before
// the limb is stretched. Distances are relative to the reach of the limb. Targets up to 1 -
// `soften` are reached exactly. Beyond that, the distance approaches 1 like 1 - exp(-x), x in units
// of `soften`.
static float soften_distance(float distance, float soften)
{
    const float past = distance - (1 - soften);
    if (!(past > 0))
        return distance;
    if (!(soften > 0))
        return 1;
    return (float)(1 - soften * md5i_decay((double)past / soften)); // in double: see md5i_decay()
}

// The position of the knee in the plane of the limb. The hip is at the origin, the foot is at
// (`goal`, 0).
typedef struct knee_position {
    float x;
    float y;
} knee_position;

// Uses Heron's formula for the height, which is accurate even if the limb is nearly straight.
static knee_position find_knee(float upper_length, float lower_length, float goal)
{
    if (!(goal > NOTHING))
        return (knee_position){0, upper_length};
    const float sum = upper_length + lower_length;
    const float difference = upper_length - lower_length;
    const float outer = (sum - goal) * (sum + goal);
    const float inner = (goal - difference) * (goal + difference);
    const float half = 0.5f / goal;
    const float x = (difference * sum + goal * goal) * half;
    if (!(outer > 0 && inner > 0))
        return (knee_position){x, 0};
    return (knee_position){x, sqrtf(outer) * sqrtf(inner) * half};
}

static md5_limb_result plan_limb(const md5_skeleton *skeleton, const md5_xform *pose,
                                 const md5_limb *joints, const md5_two_bone_job *job,
                                 limb_plan *plan)
{
    two_bones *const limb = &plan->limb;
    *limb = (two_bones){.axes = skeleton->axes, .joints = joints};
    const md5_limb_result measured = measure_limb(skeleton, pose, limb);
    if (measured != MD5_LIMB_REACHED)
        return measured;
    plan->way = md5_float4_sub(md5_float4_from_vec3(job->target), limb->start);
    const md5_float4 toward =
        md5_float4_scale(md5_float4_rotate(limb->from_model, plan->way), 1.0f / limb->reach);
    const float distance = md5_float4_length(plan->way) / limb->reach;
    if (!(distance < MD5_FARTHEST)) // also if the hip has no finite position
        return MD5_LIMB_NOT_FINITE;
    const float max_stretch = job->params.stretch > 1 ? job->params.stretch : 1;
    float soften = job->params.soften < 1 ? job->params.soften : 1;
    if (!(job->params.soften > 0)) // also if it is NaN
        soften = 0;
    const float folded = fabsf(limb->upper_length - limb->lower_length);
    const float softened = soften_distance(distance, soften);
    const float bent = softened > folded ? softened : folded;
    const float needed = bent < distance ? distance / bent : 1;
    const float stretch = needed < max_stretch ? needed : max_stretch;
    const float goal = bent * stretch; // distance of the foot from the hip in the result
    const limb_plane plane = select_plane(limb, toward, distance, job->pole);
    const knee_position knee_at =
        find_knee(limb->upper_length * stretch, limb->lower_length * stretch, goal);
    const flat_turn upper = flat_rotation_between(plane.x, plane.y, knee_at.x, knee_at.y);
    const flat_turn lower =
        flat_rotation_between(plane.lower_x, -plane.y, goal - knee_at.x, -knee_at.y);
    const flat_turn bend =
        flat_rotation_between(upper.cosine, upper.sine, lower.cosine, lower.sine);
    const md5_float4 thigh =
        md5_float4_quat_mul(plane.turn, md5_float4_about(plane.hinge, upper.cosine, upper.sine));
    const md5_float4 knee = md5_float4_about(plane.hinge, bend.cosine, bend.sine);
    plan->stretch = stretch;
    plan->rotations = find_rotations(pose, limb, thigh, knee, job->rotation);
    return MD5_LIMB_REACHED;
}

// -- Limits -----------------------------------------------------------------------------------

// Adds a joint of the limb and, before it, a joint that represents all joints between it and the
// previous joint of the limb.
static void add_bone(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint,
                     uint32_t above, const md5_joint_limit *limits, md5_rig *rig)
{
    md5_float4 place;
    md5_float4 rotation;
    if (!transform_in_ancestor(skeleton, pose, joint, above, &place, &rotation))
        rotation = md5_float4_from_quat(MD5_NO_TURN);
    md5_rig_joint *const added = &rig->joints[rig->count];
    added[0] = (md5_rig_joint){
        .parent = rig->count - 1,
        .is_held = true,
        .local = unit_quatd(rotation),
        .offset = md5_vec3d_from_vec3(md5_vec3_from_float4(place)),
    };
    added[1] = (md5_rig_joint){
        .parent = rig->count,
        .local = unit_quatd(md5_float4_load_rotation(&pose[joint])),
        .limit = md5i_limit_of(&limits[joint]),
    };
    rig->count += 2;
}

// Creates a rig of the joints of a limb. The rig ends at the tip.
static void create_limb_rig(const md5_skeleton *skeleton, const md5_xform *pose,
                            const md5_limb *joints, const md5_joint_limit *limits, md5_rig *rig)
{
    const md5_float4_place root = md5i_place_of(skeleton, pose, joints->root);
    rig->axes = skeleton->axes;
    rig->count = 1;
    rig->joints[ROOT] = (md5_rig_joint){
        .parent = MD5_NONE,
        .local = unit_quatd(md5_float4_load_rotation(&pose[joints->root])),
        .above = unit_quatd(md5i_place_above(skeleton, pose, joints->root).rotation),
        .place = md5_vec3d_from_vec3(md5_vec3_from_float4(root.place)),
        .limit = md5i_limit_of(&limits[joints->root]),
    };
    add_bone(skeleton, pose, joints->middle, joints->root, limits, rig);
    add_bone(skeleton, pose, joints->tip, joints->middle, limits, rig);
    rig->joints[TIP].is_held = true;
}

// Bends the middle joint to the middle of its range if it is a hinge that is straight, or bent to
// the side with the smaller part of its range.
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

// Moves the rotations of a plan into the limits. If this moves the tip, rotates root and middle
// until the tip is as near as possible to its planned position. The tip keeps its rotation in model
// space if its limit allows.
static void limit_plan(md5_rig *rig, limb_plan *plan)
{
    limb_rotations *const rotations = &plan->rotations;
    rig->joints[ROOT].local = unit_quatd(rotations->hip);
    rig->joints[MIDDLE].local = unit_quatd(rotations->knee);
    rig->joints[TIP].local = unit_quatd(rotations->foot);
    rig->joints[ABOVE_MIDDLE].offset =
        md5_vec3d_scale(rig->joints[ABOVE_MIDDLE].offset, plan->stretch);
    rig->joints[ABOVE_TIP].offset = md5_vec3d_scale(rig->joints[ABOVE_TIP].offset, plan->stretch);
    md5i_place_rig(rig);
    const md5_quatd tip_rotation = rig->joints[TIP].rotation;
    approach(rig, rig->joints[TIP].place);
    const md5_quatd above = md5_quatd_conjugate(md5i_rig_above(rig, TIP));
    const md5_quatd tip_local = md5i_quatd_unit(md5_quatd_mul(above, tip_rotation));
    rotations->hip = round_quatd(rig->joints[ROOT].local);
    rotations->knee = round_quatd(rig->joints[MIDDLE].local);
    rotations->foot = round_quatd(md5i_limit_nearest(&rig->joints[TIP].limit, tip_local));
}

// Solves from a pose within the limits, so that the limb bends in the direction and the plane of
// its hinge, and then moves the result into the limits. The pose is not changed.
static md5_limb_result plan_within_limits(const md5_skeleton *skeleton, md5_xform *pose,
                                          const md5_limb *joints, const md5_two_bone_job *job,
                                          limb_plan *plan)
{
    md5_quat *const root = &pose[joints->root].rotation;
    md5_quat *const middle = &pose[joints->middle].rotation;
    const md5_quat old_root = *root;
    const md5_quat old_middle = *middle;
    const md5_quat tip = md5_quat_from_float4(md5i_place_of(skeleton, pose, joints->tip).rotation);
    md5_two_bone_job inner_job = *job;
    if (!job->rotation)
        inner_job.rotation = &tip;
    md5_rig rig;
    create_limb_rig(skeleton, pose, joints, job->limits, &rig);
    limit_joint(&rig, ROOT);
    limit_joint(&rig, MIDDLE);
    bend_hinge(&rig);
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

md5_limb_result md5i_bend_limb(const md5_skeleton *skeleton, md5_xform *pose,
                               const md5_limb *joints, const md5_two_bone_job *job, float *miss)
{
    if (miss)
        *miss = INFINITY;
    if (!md5_is_place(job->target))
        return MD5_LIMB_NOT_FINITE;
    limb_plan plan;
    const md5_limb_result planned = job->limits
                                        ? plan_within_limits(skeleton, pose, joints, job, &plan)
                                        : plan_limb(skeleton, pose, joints, job, &plan);
    if (planned != MD5_LIMB_REACHED)
        return planned;
    md5_share share;
    md5i_share_of(job->weight, &share);
    md5_turn_joint(&pose[joints->root], &share, plan.rotations.hip);
    md5_turn_joint(&pose[joints->middle], &share, plan.rotations.knee);
    md5_turn_joint(&pose[joints->tip], &share, plan.rotations.foot);
    if (plan.stretch > 1)
        stretch_limb(skeleton, pose, joints, 1 + (plan.stretch - 1) * share.weight);
    if (!miss)
        return MD5_LIMB_REACHED;
    const two_bones *const limb = &plan.limb;
    md5_float4 tip;
    md5_float4 unused;
    transform_in_ancestor(skeleton, pose, joints->tip, joints->root, &tip, &unused);
    const md5_float4_place hip = md5i_place_of(skeleton, pose, joints->root);
    *miss = md5_float4_length(md5_float4_sub(md5_float4_rotate(hip.rotation, tip), plan.way));
    if (!(*miss < MD5_FARTHEST)) {
        *miss = INFINITY;
        return MD5_LIMB_NOT_FINITE;
    }
    if (!(limb->upper_length > NOTHING && limb->lower_length > NOTHING))
        return MD5_LIMB_NO_BONE;
    return *miss > REACHED * limb->reach ? MD5_LIMB_OUT_OF_REACH : MD5_LIMB_REACHED;
}

bool md5_solve_two_bone(const md5_skeleton *skeleton, const md5_two_bone_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    md5_limb above;
    const md5_limb *const limb = job->limb ? job->limb : &above;
    const md5_limb_result found = job->limb ? md5i_check_limb(skeleton, job->limb)
                                            : md5i_limb_above(skeleton, job->tip, &above);
    if (found != MD5_LIMB_REACHED)
        return false;
    const uint32_t joints[] = {limb->root, limb->middle, limb->tip};
    (void)joints;
    MD5_VALIDATE(md5i_are_limits(job->limits, joints, 3), MD5_LIMIT_RULE);
    if (job->weight > 0)
        md5i_bend_limb(skeleton, pose, limb, job, NULL);
    return true;
}
