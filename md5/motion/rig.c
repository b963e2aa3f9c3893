// Limits of joints, and rigs: the joints that a solver rotates, in double precision.
#include "md5/motion/rig.h"

// == Limits ======================================================================================
//
// A limit decomposes the rotation d of a joint into a swing and a twist:
//
//   d = swing * twist
//
// The twist rotates about the limit's axis, and the swing about an axis perpendicular to it. Of all
// rotations about the limit's axis, the twist is the nearest to d. It is the projection of d onto
// these rotations. See P. Dobrowolski, "Swing-twist decomposition in Clifford algebra", 2015
// (arXiv:1506.05481).

#define PI 3.14159265358979323846

// Largest angle of a limit. It is slightly above pi, because pi rounded to float is above pi.
#define MAX_ANGLE 3.1416f

#define NO_ROTATION ((md5_quatd){0.0, 0.0, 0.0, 1.0})

// -- Rotations ------------------------------------------------------------------------------------

// Returns a quaternion of unit length, or the identity if `q` cannot be normalized.
md5_quatd md5i_quatd_unit(md5_quatd q)
{
    const double square = md5_quatd_dot(q, q);
    if (!(square > 1e-60 && square < 1e60))
        return NO_ROTATION;
    const double scale = 1.0 / sqrt(square);
    return (md5_quatd){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

// Returns the rotation about an axis whose angle has the direction (cosine, sine). `along` and
// `across` are the cosine and the sine of the half angle, times the same factor. Their sums have
// terms of equal sign, so that no digits cancel. md5_float4_about() uses the same method.
md5_quatd md5i_quatd_about(md5_vec3d axis, double cosine, double sine)
{
    const double size = sqrt(cosine * cosine + sine * sine);
    const bool is_acute = cosine >= 0;
    const double along = is_acute ? size + cosine : sine;
    const double across = is_acute ? sine : size - cosine;
    if (!(size > 0))
        return NO_ROTATION;
    return md5i_quatd_unit((md5_quatd){axis.x * across, axis.y * across, axis.z * across, along});
}

// -- Preparation ----------------------------------------------------------------------------------

// Returns the cosine and sine of half of an angle up to pi, with an error of at most 1e-16. Uses
// Taylor series instead of libm, so that the result is the same on all platforms.
static md5_half_angle make_half_angle(double angle)
{
    const double x = 0.5 * angle;
    const double square = x * x;
    double cosine = 1;
    double sine = 1;
    for (int i = 10; i > 0; i--) {
        const double even = 2.0 * i;
        cosine = 1.0 - cosine * square / (even * (even - 1.0));
        sine = 1.0 - sine * square / (even * (even + 1.0));
    }
    return (md5_half_angle){cosine, x * sine};
}

// Limits an angle to min .. pi.
static double clamp_angle(float angle, double min)
{
    const double exact = angle;
    if (exact < min)
        return min;
    return exact > PI ? PI : exact;
}

// Returns true for the quaternion 0 0 0 0, which a caller may use instead of the identity.
static bool is_zero_rotation(md5_quat q)
{
    const bool has_zero_vector = q.x == 0 && q.y == 0 && q.z == 0;
    return has_zero_vector && q.w == 0;
}

// Returns false if the limit violates the rules of md5_joint_limit.
static bool is_limit(const md5_joint_limit *limit)
{
    if (limit->kind == MD5_LIMIT_NONE)
        return true;
    if (!md5_is_rotation(limit->rest) && !is_zero_rotation(limit->rest))
        return false;
    // In double precision, the length of an axis of finite floats is finite. It is 0 only if all
    // components are 0.
    const double length = md5_vec3d_length(md5_vec3d_from_vec3(limit->axis));
    if (!(length > 0 && isfinite(length)))
        return false;
    if (!(limit->min >= -MAX_ANGLE && limit->max <= MAX_ANGLE && limit->min <= limit->max))
        return false;
    if (limit->kind == MD5_LIMIT_HINGE)
        return true;
    return limit->kind == MD5_LIMIT_CONE && limit->swing >= 0 && limit->swing <= MAX_ANGLE;
}

// Returns true if the limits of joints[count] comply with the rules of md5_joint_limit. If `joints`
// is NULL, checks the first `count` limits.
bool md5i_are_limits(const md5_joint_limit *limits, const uint32_t *joints, uint32_t count)
{
    if (!limits)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        const md5_joint_limit *const limit = &limits[joints ? joints[i] : i];
        if (!MD5_RESERVED_IS_ZERO(limit) || !is_limit(limit))
            return false;
    }
    return true;
}

// Converts a joint limit to the form that solvers use. A limit that is NULL or violates the rules
// allows any rotation.
md5_limit md5i_prepare_limit(const md5_joint_limit *limit)
{
    if (!limit || limit->kind == MD5_LIMIT_NONE || !is_limit(limit))
        return (md5_limit){.kind = MD5_LIMIT_NONE};

    const double min = clamp_angle(limit->min, -PI);
    const double max = clamp_angle(limit->max, -PI);
    const bool is_cone = limit->kind == MD5_LIMIT_CONE;
    return (md5_limit){
        .kind = limit->kind,
        .rest = md5i_quatd_unit(md5_quatd_from_quat(limit->rest)),
        .axis = md5_vec3d_normalize(md5_vec3d_from_vec3(limit->axis)),
        .middle = make_half_angle(0.5 * (min + max)),
        .width = make_half_angle(0.5 * (max - min)),
        .swing = make_half_angle(is_cone ? clamp_angle(limit->swing, 0) : 0.0),
    };
}

// -- Limiting -------------------------------------------------------------------------------------

// A joint's rotation relative to its rest, decomposed into swing * twist.
typedef struct swing_twist {
    md5_quatd swing;      // w >= 0; its axis is perpendicular to the limit's axis
    md5_half_angle twist; // cosine >= 0
} swing_twist;

// Decomposes a rotation relative to the parent into the rest of the limit, a swing and a twist.
static swing_twist split_rotation(const md5_limit *limit, md5_quatd local)
{
    const md5_quatd rotation = md5_quatd_mul(md5_quatd_conjugate(limit->rest), local);
    const md5_vec3d axis = limit->axis;

    // The twist is the part of the quaternion along the axis. If this part has no length, the swing
    // is 180 degrees. Any twist is then possible, and the identity is used.
    const double along = rotation.x * axis.x + rotation.y * axis.y + rotation.z * axis.z;
    const double size = sqrt(along * along + rotation.w * rotation.w);
    swing_twist split = {.twist = {1, 0}};
    if (size > 1e-9) {
        const double scale = rotation.w < 0 ? -1.0 / size : 1.0 / size;
        split.twist = (md5_half_angle){rotation.w * scale, along * scale};
    }

    // The swing is the rotation multiplied by the inverse twist.
    const double back = -split.twist.sine;
    const md5_quatd inverse_twist = {axis.x * back, axis.y * back, axis.z * back,
                                     split.twist.cosine};
    split.swing = md5_quatd_mul(rotation, inverse_twist);
    if (split.swing.w < 0)
        split.swing = md5_quatd_negate(split.swing);
    return split;
}

// Returns true if an angle from 0 to pi is above a limit. `cosine` and `sine` are the cosine and
// the sine of half of the angle. Compares by the sine of half of the difference of both angles,
// which is accurate for small differences.
static bool exceeds(double cosine, double sine, md5_half_angle max)
{
    return sine * max.cosine - cosine * max.sine > 0;
}

// Returns a twist relative to the middle of its range. The sign is chosen so that the cosine is at
// least 0.
static md5_half_angle from_middle(const md5_limit *limit, md5_half_angle twist)
{
    const md5_half_angle middle = limit->middle;
    const double cosine = twist.cosine * middle.cosine + twist.sine * middle.sine;
    const double sine = twist.sine * middle.cosine - twist.cosine * middle.sine;
    return cosine < 0 ? (md5_half_angle){-cosine, -sine} : (md5_half_angle){cosine, sine};
}

// Returns the rotation relative to the parent that consists of the limit's rest, a swing and a
// twist. Inverse of split_rotation().
static md5_quatd limit_joint_rotation(const md5_limit *limit, md5_quatd swing, md5_half_angle twist)
{
    const md5_vec3d axis = md5_vec3d_scale(limit->axis, twist.sine);
    const md5_quatd rotation = {axis.x, axis.y, axis.z, twist.cosine};
    return md5i_quatd_unit(md5_quatd_mul(limit->rest, md5_quatd_mul(swing, rotation)));
}

md5_quatd md5i_limit_middle(const md5_limit *limit)
{
    return limit_joint_rotation(limit, NO_ROTATION, limit->middle);
}

// Moves a twist that is outside of its range to the nearer end of the range. Returns false if the
// twist is within its range.
static bool clamp_twist(const md5_limit *limit, md5_half_angle *twist)
{
    const md5_half_angle middle = limit->middle;
    const md5_half_angle width = limit->width;
    const md5_half_angle from = from_middle(limit, *twist);
    if (!exceeds(from.cosine, fabs(from.sine), width))
        return false;

    // The end of the range is the angle `middle` plus or minus the angle `width`. The sine and the
    // cosine of this sum follow from the angle addition formulas.
    const double end_sine = from.sine < 0 ? -width.sine : width.sine;
    *twist = (md5_half_angle){
        .cosine = middle.cosine * width.cosine - middle.sine * end_sine,
        .sine = middle.sine * width.cosine + middle.cosine * end_sine,
    };
    return true;
}

// Reduces a swing that is outside of its range to the edge of the range. The axis of the swing
// remains the same. Returns false if the swing is within its range.
static bool clamp_swing(const md5_limit *limit, md5_quatd *swing)
{
    const double sine = sqrt(swing->x * swing->x + swing->y * swing->y + swing->z * swing->z);
    if (!exceeds(swing->w, sine, limit->swing))
        return false;
    const double scale = limit->swing.sine / sine;
    *swing = (md5_quatd){swing->x * scale, swing->y * scale, swing->z * scale, limit->swing.cosine};
    return true;
}

// Clamps a rotation relative to the parent to a limit. Returns `local` itself if it is allowed, so
// that rounding does not change it.
md5_quatd md5i_limit_nearest(const md5_limit *limit, md5_quatd local)
{
    if (limit->kind == MD5_LIMIT_NONE)
        return local;
    swing_twist split = split_rotation(limit, local);
    const bool was_twisted = clamp_twist(limit, &split.twist);
    const bool was_swung = clamp_swing(limit, &split.swing);
    if (!was_twisted && !was_swung)
        return local;
    return limit_joint_rotation(limit, split.swing, split.twist);
}

// -- Axes -----------------------------------------------------------------------------------------

// An angle counts as at the end of its range if the sine of half of the difference is less than
// this.
#define AT_END 1e-7

// A range contains all angles, and has no ends, if its half angle has a smaller cosine.
#define MIN_COSINE 1e-9

// A swing has no axis that can be computed if its half angle has a smaller sine.
#define MIN_SWING_SINE 1e-6

// Returns true if an angle is at the end of a range or past it. `half` is its half angle. `sine` is
// the sine of `half` for the upper end, and its negative for the lower end.
static bool is_at(md5_half_angle half, double sine, md5_half_angle end)
{
    return sine * end.cosine - half.cosine * end.sine > -AT_END;
}

enum { NUM_SWING_AXES = 2 };

// Writes the two axes about which the swing of a joint can change. The first is the axis of the
// swing: a rotation about it moves the limit's axis outward, away from its direction at rest. The
// second is the difference of the two directions: a rotation about it moves the limit's axis
// sideways, on a circle around the direction at rest, and does not change the twist.
static void write_swing_axes(const md5_limit *limit, md5_quatd swing, md5_limit_axis *axes)
{
    const md5_vec3d vector = {swing.x, swing.y, swing.z};
    const double sine = md5_vec3d_length(vector);
    md5_vec3d outward;
    md5_vec3d sideways;
    if (sine > MIN_SWING_SINE) {
        outward = md5_vec3d_scale(vector, 1.0 / sine);
        sideways = md5_vec3d_sub(limit->axis, md5_quatd_rotate(swing, limit->axis));
    } else { // swing of nearly 0: any perpendicular axes are possible
        outward = md5_vec3d_perpendicular(limit->axis);
        sideways = md5_vec3d_cross(limit->axis, outward);
    }

    const bool has_end = limit->swing.cosine > MIN_COSINE;
    axes[0] = (md5_limit_axis){
        .axis = md5_quatd_rotate(limit->rest, outward),
        .is_at_max = has_end && is_at((md5_half_angle){swing.w, sine}, sine, limit->swing),
    };
    axes[1] = (md5_limit_axis){
        .axis = md5_quatd_rotate(limit->rest, md5_vec3d_normalize(sideways)),
    };
}

// Writes the axes about which a limited joint can rotate, at most three, and returns their number.
// Each axis records whether the joint is at an end of its range.
uint32_t md5i_limit_axes(const md5_limit *limit, md5_quatd local, md5_limit_axis *axes)
{
    if (limit->kind == MD5_LIMIT_NONE) {
        axes[0] = (md5_limit_axis){.axis = {1, 0, 0}};
        axes[1] = (md5_limit_axis){.axis = {0, 1, 0}};
        axes[2] = (md5_limit_axis){.axis = {0, 0, 1}};
        return 3;
    }

    // The first axis is the axis of the twist, if the twist has a range.
    const swing_twist split = split_rotation(limit, local);
    const bool can_twist = !(limit->width.sine < AT_END);
    const bool has_ends = limit->width.cosine > MIN_COSINE;
    uint32_t count = 0;
    if (can_twist) {
        const md5_half_angle from = from_middle(limit, split.twist);
        const md5_vec3d axis = md5_quatd_rotate(split.swing, limit->axis);
        axes[count++] = (md5_limit_axis){
            .axis = md5_quatd_rotate(limit->rest, axis),
            .is_at_max = has_ends && is_at(from, from.sine, limit->width),
            .is_at_min = has_ends && is_at(from, -from.sine, limit->width),
        };
    }

    const bool can_swing = !(limit->swing.sine < AT_END);
    if (!can_swing)
        return count;
    write_swing_axes(limit, split.swing, &axes[count]);
    return count + NUM_SWING_AXES;
}

// == Rig =========================================================================================

md5_quatd md5i_rig_parent_rotation(const md5_rig *rig, uint32_t index)
{
    const md5_rig_joint *const joint = &rig->joints[index];
    return joint->parent == MD5_NONE ? joint->above : rig->joints[joint->parent].rotation;
}

// Computes the rotations and positions of all joints in model space. Parents precede their
// children, so one pass suffices.
void md5i_update_rig(md5_rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++) {
        md5_rig_joint *const joint = &rig->joints[i];
        const md5_quatd parent_rotation = md5i_rig_parent_rotation(rig, i);
        joint->rotation = md5_quatd_mul(parent_rotation, joint->local);
        if (joint->parent == MD5_NONE)
            continue;
        const md5_vec3d bone = md5_quatd_rotate(parent_rotation, joint->offset);
        joint->position = md5_vec3d_add(rig->joints[joint->parent].position, bone);
    }
}
