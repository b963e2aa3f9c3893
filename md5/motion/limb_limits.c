// Moves the rotations of a solved limb into the limits of its joints.
#include "md5/motion/rig.h"

// Largest number of corrections by root and middle joint that bring the tip back to its target, and
// the tolerance, as a share of the limb's length.
enum { MOST_TURNS = 64 };
#define NEAR 1e-6

// If the remaining distance exceeds this share, other rotations of the limb about the line to its
// target are tried, in steps of 30 degrees.
enum { TURNS = 12 };
#define FAR_OFF 1e-3
#define TURN_COSINE 0.86602540378443865
#define TURN_SINE 0.5

// A hinge with a smaller sine of its bend counts as straight.
#define STRAIGHT 1e-3

enum { ROOT, ABOVE_MIDDLE, MIDDLE, ABOVE_TIP, TIP };

// Adds a joint of the limb and, before it, one that represents all joints between it and the last.
static void add_joint(const md5_limb_pose *limb, const md5_limb_bone *bone, uint32_t joint,
                      md5_quat rotation, md5_rig *rig)
{
    rig->joints[rig->count] = (md5_rig_joint){
        .parent = (int32_t)rig->count - 1,
        .is_held = true,
        .local = md5i_quatd_unit(md5_quatd_of(bone->above)),
        .offset = md5_vec3d_scale(md5_vec3d_of(bone->offset), (double)limb->stretch),
    };
    rig->joints[rig->count + 1] = (md5_rig_joint){
        .parent = (int32_t)rig->count,
        .local = md5i_quatd_unit(md5_quatd_of(rotation)),
        .limit = md5i_limit_of(&limb->limits[joint]),
    };
    rig->count += 2;
}

static void make_rig(const md5_limb *joints, const md5_limb_pose *limb, md5_rig *rig)
{
    rig->count = 1;
    rig->joints[ROOT] = (md5_rig_joint){
        .parent = -1,
        .local = md5i_quatd_unit(md5_quatd_of(limb->root)),
        .above = md5i_quatd_unit(md5_quatd_of(limb->above.rotation)),
        .place = md5_vec3d_of(limb->above.translation),
        .limit = md5i_limit_of(&limb->limits[joints->root]),
    };
    add_joint(limb, &limb->upper, joints->middle, limb->middle, rig);
    add_joint(limb, &limb->lower, joints->tip, limb->tip, rig);
    rig->joints[TIP].is_held = true;
}

static md5_quat rounded(md5_quatd q)
{
    return (md5_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}

static void limit_joint(md5_rig *rig, uint32_t joint)
{
    md5_rig_joint *const at = &rig->joints[joint];
    at->local = md5i_limit_nearest(&at->limit, at->local);
}

// -- Before ---------------------------------------------------------------------------------------

// The sine of the limb's bend about its hinge, for a rotation of the middle joint.
static double bend_of(const md5_rig *rig, md5_quatd middle)
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

void md5i_ready_limb(const md5_limb *joints, md5_limb_pose *limb)
{
    md5_rig rig;
    make_rig(joints, limb, &rig);
    limit_joint(&rig, ROOT);
    limit_joint(&rig, MIDDLE);
    md5_rig_joint *const middle = &rig.joints[MIDDLE];
    if (middle->limit.kind == MD5_LIMIT_HINGE) {
        const md5_quatd between = md5i_limit_middle(&middle->limit);
        const double bend = bend_of(&rig, middle->local), most = bend_of(&rig, between);
        if (fabs(bend) < STRAIGHT || bend * most < 0.0)
            middle->local = between;
    }
    limb->root = rounded(rig.joints[ROOT].local);
    limb->middle = rounded(middle->local);
}

// -- After ----------------------------------------------------------------------------------------

static double distance_left(const md5_rig *rig, md5_vec3d target)
{
    return md5_vec3d_length(md5_vec3d_sub(rig->joints[TIP].place, target));
}

// A rotation of the limb about the line from root to target does not move the tip: chooses the one
// for which the root's limit moves the tip least.
static void turn_about_line(md5_rig *rig, md5_vec3d target, md5_quatd root, md5_quatd middle)
{
    md5_rig_joint *const first = &rig->joints[ROOT];
    const md5_vec3d line = md5_vec3d_normalize(md5_vec3d_sub(target, first->place));
    const md5_quatd step = md5i_quatd_about(line, TURN_COSINE, TURN_SINE);
    const md5_quatd back = md5_quatd_conjugate(first->above);
    md5_quatd turn = md5_quatd_mul(first->above, root), best = first->local;
    double least = HUGE_VAL;
    rig->joints[MIDDLE].local = middle;
    for (int i = 0; i < TURNS; i++) {
        first->local =
            md5i_limit_nearest(&first->limit, md5i_quatd_unit(md5_quatd_mul(back, turn)));
        md5i_place_rig(rig, 0);
        const double left = distance_left(rig, target);
        if (left < least) {
            least = left;
            best = first->local;
        }
        turn = md5_quatd_mul(step, turn);
    }
    first->local = best;
    md5i_place_rig(rig, 0);
}

static void approach(md5_axes axes, md5_rig *rig, md5_vec3d target)
{
    const double length = md5_vec3d_length(rig->joints[ABOVE_MIDDLE].offset)
                          + md5_vec3d_length(rig->joints[ABOVE_TIP].offset);
    const md5_quatd exact = rig->joints[ROOT].local;
    limit_joint(rig, ROOT);
    limit_joint(rig, MIDDLE);
    md5i_place_rig(rig, 0);
    const md5_quatd middle = rig->joints[MIDDLE].local;
    const double left = md5i_ccd_limited(axes, rig, target, NEAR * length, MOST_TURNS);
    if (!(left > FAR_OFF * length))
        return;
    const md5_quatd kept[] = {rig->joints[ROOT].local, rig->joints[MIDDLE].local};
    turn_about_line(rig, target, exact, middle);
    if (md5i_ccd_limited(axes, rig, target, NEAR * length, MOST_TURNS) < left)
        return;
    rig->joints[ROOT].local = kept[0];
    rig->joints[MIDDLE].local = kept[1];
    md5i_place_rig(rig, 0);
}

void md5i_limit_limb(md5_axes axes, const md5_limb *joints, md5_limb_pose *limb)
{
    md5_rig rig;
    make_rig(joints, limb, &rig);
    md5i_place_rig(&rig, 0);
    const md5_quatd tip = rig.joints[TIP].rotation;
    approach(axes, &rig, rig.joints[TIP].place);
    const md5_quatd above = md5_quatd_conjugate(md5i_rig_above(&rig, TIP));
    limb->root = rounded(rig.joints[ROOT].local);
    limb->middle = rounded(rig.joints[MIDDLE].local);
    limb->tip = rounded(
        md5i_limit_nearest(&rig.joints[TIP].limit, md5i_quatd_unit(md5_quatd_mul(above, tip))));
}
