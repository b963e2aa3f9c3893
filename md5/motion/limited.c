// CCD and FABRIK for chains with limits.
#include "md5/motion/rig.h"

// After this many iterations without progress, CCD replaces FABRIK, whose backward pass ignores the
// limits and may repeat the same unreachable positions.
enum { MOST_VAIN = 4 };

static double distance_of(md5_vec3d a, md5_vec3d b)
{
    return md5_vec3d_length(md5_vec3d_sub(a, b));
}

static md5_vec3d beside(md5_vec3d v, md5_vec3d axis)
{
    return md5_vec3d_sub(v, md5_vec3d_scale(axis, md5_vec3d_dot(v, axis)));
}

// The rotation about `axis` that brings `from` as near to `to` as possible.
static md5_quatd turn_about(md5_vec3d axis, md5_vec3d from, md5_vec3d to)
{
    const md5_vec3d old = md5_vec3d_normalize(beside(from, axis));
    const md5_vec3d now = md5_vec3d_normalize(beside(to, axis));
    return md5i_quatd_about(axis, md5_vec3d_dot(old, now),
                            md5_vec3d_dot(md5_vec3d_cross(old, now), axis));
}

static bool is_hinge(const md5_rig_joint *joint)
{
    return joint->limit.kind == MD5_LIMIT_HINGE;
}

// The allowed rotation that turns `from` towards `to`. Optimal for a hinge: the angle in its range
// that is nearest to the angle of least distance.
static md5_quatd turned_toward(const md5_rig *rig, uint32_t joint, md5_vec3d from, md5_vec3d to)
{
    const md5_rig_joint *const at = &rig->joints[joint];
    if (!is_hinge(at))
        return md5i_rig_turned(rig, joint, md5i_quatd_between(from, to));
    const md5_vec3d axis = md5_quatd_rotate(at->rotation, at->limit.axis);
    return md5i_rig_turned(rig, joint, turn_about(axis, from, to));
}

static double distance_left(const md5_rig *rig, md5_vec3d target)
{
    return distance_of(rig->joints[rig->count - 1].place, target);
}

// -- CCD ------------------------------------------------------------------------------------------

// One pass from the joint above the tip to the root. Only the tip is updated meanwhile, since
// joints above it do not move. A rotation that increases the distance because of a limit is not
// applied.
static void turn_all(md5_rig *rig, md5_vec3d target)
{
    md5_vec3d tip = rig->joints[rig->count - 1].place;
    for (uint32_t i = rig->count - 1; i-- > 0;) {
        md5_rig_joint *const at = &rig->joints[i];
        if (at->is_held)
            continue;
        const md5_vec3d from = md5_vec3d_sub(tip, at->place);
        const md5_quatd local = turned_toward(rig, i, from, md5_vec3d_sub(target, at->place));
        const md5_quatd rotation = md5_quatd_mul(md5i_rig_above(rig, i), local);
        const md5_vec3d own = md5_quatd_rotate(md5_quatd_conjugate(at->rotation), from);
        const md5_vec3d moved = md5_vec3d_add(at->place, md5_quatd_rotate(rotation, own));
        if (distance_of(moved, target) < distance_of(tip, target)) {
            at->local = local;
            tip = moved;
        }
    }
    md5i_place_rig(rig, 0);
}

double md5i_ccd_limited(md5_axes axes, md5_rig *rig, md5_vec3d target, double tolerance,
                        uint32_t iterations)
{
    md5_quatd before[MD5_MAX_CHAIN];
    const double begun = distance_left(rig, target);
    md5i_keep_rig(rig, before);
    if (iterations > 0)
        md5i_bend_straight(axes, rig, rig->count - 1, target, tolerance);
    double left = distance_left(rig, target);
    for (uint32_t i = 0; i < iterations && left > tolerance; i++) {
        turn_all(rig, target);
        const double now = distance_left(rig, target);
        if (!(now < left))
            break; // nothing changes any more
        left = now;
    }
    if (!(left > begun))
        return left;
    md5i_restore_rig(before, rig);
    return begun;
}

// -- FABRIK ---------------------------------------------------------------------------------------

// Backward pass: restores the bone lengths from the target on, ignoring limits.
static void draw_back(const md5_rig *rig, md5_vec3d target, md5_vec3d *wanted)
{
    wanted[rig->count - 1] = target;
    for (uint32_t i = rig->count - 1; i-- > 0;) {
        const double length = md5_vec3d_length(rig->joints[i + 1].offset);
        const md5_vec3d way =
            md5_vec3d_normalize(md5_vec3d_sub(rig->joints[i].place, wanted[i + 1]));
        wanted[i] = md5_vec3d_add(wanted[i + 1], md5_vec3d_scale(way, length));
    }
}

static void set_local(md5_rig *rig, uint32_t joint, md5_quatd local)
{
    rig->joints[joint].local = local;
    rig->joints[joint].rotation = md5_quatd_mul(md5i_rig_above(rig, joint), local);
}

// A hinge bends in one plane only: twists its parent about the bone until the plane contains the
// position after the next.
static void twist_for_hinge(md5_rig *rig, uint32_t joint, const md5_vec3d *wanted)
{
    const md5_rig_joint *const below = &rig->joints[joint + 1];
    const md5_quatd rotation = rig->joints[joint].rotation;
    const md5_vec3d bone = md5_vec3d_normalize(md5_quatd_rotate(rotation, below->offset));
    const md5_vec3d hinge =
        md5_quatd_rotate(md5_quatd_mul(rotation, below->limit.rest), below->limit.axis);
    const double side = below->limit.middle.sine < 0.0 ? -1.0 : 1.0;
    const md5_vec3d bend = md5_vec3d_scale(md5_vec3d_cross(hinge, bone), side);
    const md5_vec3d to = md5_vec3d_sub(wanted[joint + 2], wanted[joint + 1]);
    set_local(rig, joint, md5i_rig_turned(rig, joint, turn_about(bone, bend, to)));
}

// Forward pass: from the root on, each joint rotates towards the next position within its limit.
static void draw_forward(md5_rig *rig, const md5_vec3d *wanted)
{
    const uint32_t last = rig->count - 1;
    for (uint32_t i = 0; i < last; i++) {
        md5_rig_joint *const at = &rig->joints[i], *const next = at + 1;
        set_local(rig, i, at->local); // updates it for the rotations of the joints above
        const md5_vec3d bone = md5_quatd_rotate(at->rotation, next->offset);
        set_local(rig, i, turned_toward(rig, i, bone, md5_vec3d_sub(wanted[i + 1], at->place)));
        if (i + 1 < last && is_hinge(next) && !is_hinge(at))
            twist_for_hinge(rig, i, wanted);
        next->place = md5_vec3d_add(at->place, md5_quatd_rotate(at->rotation, next->offset));
    }
    set_local(rig, last, rig->joints[last].local);
}

double md5i_fabrik_limited(md5_axes axes, md5_rig *rig, md5_vec3d target, double tolerance,
                           uint32_t iterations)
{
    md5_quatd best[MD5_MAX_CHAIN];
    md5_vec3d wanted[MD5_MAX_CHAIN];
    double least = distance_left(rig, target);
    md5i_keep_rig(rig, best);
    if (iterations > 0)
        md5i_bend_straight(axes, rig, rig->count - 1, target, tolerance);
    uint32_t vain = 0, i = 0;
    for (; i < iterations && least > tolerance && vain < MOST_VAIN; i++) {
        draw_back(rig, target, wanted);
        draw_forward(rig, wanted);
        const double left = distance_left(rig, target);
        vain++;
        if (left < least) {
            least = left;
            vain = 0;
            md5i_keep_rig(rig, best);
        }
    }
    md5i_restore_rig(best, rig);
    return md5i_ccd_limited(axes, rig, target, tolerance, iterations - i);
}
