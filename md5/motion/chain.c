// Inverse kinematics for chains of any length: FABRIK and CCD, with and without limits.
#include "md5/core/assert.h"
#include "md5/motion/rig.h"

#include <string.h>

// == Under limits ================================================================================

// After this many iterations without progress, CCD replaces FABRIK, whose backward pass ignores the
// limits and may repeat the same unreachable positions.
enum { MAX_VAIN = 4 };

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

static double rig_distance(const md5_rig *rig, md5_vec3d target)
{
    return distance_of(rig->joints[rig->count - 1].place, target);
}

// -- CCD ------------------------------------------------------------------------------------------

double md5i_ccd_limited(md5_axes axes, md5_rig *rig, md5_vec3d target, double tolerance,
                        uint32_t iterations)
{
    md5_quatd before[MD5_MAX_CHAIN];
    const double begun = rig_distance(rig, target);
    md5i_keep_rig(rig, before);
    if (iterations > 0)
        md5i_bend_straight(axes, rig, rig->count - 1, target, tolerance);
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
                turned_toward(rig, k, from, md5_vec3d_sub(target, joint->place));
            const md5_quatd rotation = md5_quatd_mul(md5i_rig_above(rig, k), local);
            const md5_vec3d own = md5_quatd_rotate(md5_quatd_conjugate(joint->rotation), from);
            const md5_vec3d moved = md5_vec3d_add(joint->place, md5_quatd_rotate(rotation, own));
            if (distance_of(moved, target) < distance_of(tip, target)) {
                joint->local = local;
                tip = moved;
            }
        }
        md5i_place_rig(rig, 0);
        const double now = rig_distance(rig, target);
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

static void set_local(md5_rig *rig, uint32_t joint, md5_quatd local)
{
    rig->joints[joint].local = local;
    rig->joints[joint].rotation = md5_quatd_mul(md5i_rig_above(rig, joint), local);
}

// A hinge bends in one plane only: twists its parent about the bone until the plane contains the
// position after the next.
static void twist_for_hinge(md5_rig *rig, uint32_t joint, const md5_vec3d *places)
{
    const md5_rig_joint *const below = &rig->joints[joint + 1];
    const md5_quatd rotation = rig->joints[joint].rotation;
    const md5_vec3d bone = md5_vec3d_normalize(md5_quatd_rotate(rotation, below->offset));
    const md5_vec3d hinge =
        md5_quatd_rotate(md5_quatd_mul(rotation, below->limit.rest), below->limit.axis);
    const double side = below->limit.middle.sine < 0.0 ? -1.0 : 1.0;
    const md5_vec3d bend = md5_vec3d_scale(md5_vec3d_cross(hinge, bone), side);
    const md5_vec3d to = md5_vec3d_sub(places[joint + 2], places[joint + 1]);
    set_local(rig, joint, md5i_rig_turned(rig, joint, turn_about(bone, bend, to)));
}

// Forward pass: from the root on, each joint rotates towards the next position within its limit.
static void draw_forward(md5_rig *rig, const md5_vec3d *places)
{
    const uint32_t last = rig->count - 1;
    for (uint32_t i = 0; i < last; i++) {
        md5_rig_joint *const at = &rig->joints[i], *const next = at + 1;
        set_local(rig, i, at->local); // updates it for the rotations of the joints above
        const md5_vec3d bone = md5_quatd_rotate(at->rotation, next->offset);
        set_local(rig, i, turned_toward(rig, i, bone, md5_vec3d_sub(places[i + 1], at->place)));
        if (i + 1 < last && is_hinge(next) && !is_hinge(at))
            twist_for_hinge(rig, i, places);
        next->place = md5_vec3d_add(at->place, md5_quatd_rotate(at->rotation, next->offset));
    }
    set_local(rig, last, rig->joints[last].local);
}

static double fabrik_limited(md5_axes axes, md5_rig *rig, md5_vec3d target, double tolerance,
                             uint32_t iterations)
{
    md5_quatd best[MD5_MAX_CHAIN];
    md5_vec3d places[MD5_MAX_CHAIN];
    double least = rig_distance(rig, target);
    md5i_keep_rig(rig, best);
    if (iterations > 0)
        md5i_bend_straight(axes, rig, rig->count - 1, target, tolerance);
    uint32_t vain = 0, i = 0;
    for (; i < iterations && least > tolerance && vain < MAX_VAIN; i++) {
        // Backward pass: restores the bone lengths from the target on, ignoring limits.
        places[rig->count - 1] = target;
        for (uint32_t k = rig->count - 1; k-- > 0;) {
            const double length = md5_vec3d_length(rig->joints[k + 1].offset);
            const md5_vec3d way =
                md5_vec3d_normalize(md5_vec3d_sub(rig->joints[k].place, places[k + 1]));
            places[k] = md5_vec3d_add(places[k + 1], md5_vec3d_scale(way, length));
        }
        draw_forward(rig, places);
        const double left = rig_distance(rig, target);
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

// == Without limits ==============================================================================

// A chain counts as straight if it deviates from a line by less than this share of its length.
#define STRAIGHT 1e-3f

// A straight chain whose target is on its line would stay on it, so its joints are first moved
// aside by this share of their bones; PUSH is also the sine of that angle.
#define PUSH 0.1f
#define PUSH_COSINE 0.99498744f

typedef struct reaching {
    md5_axes axes;
    md5_chain chain;
    uint32_t last;                        // the tip's index in the chain, and the number of bones
    float lengths[MD5_MAX_CHAIN], length; // of each bone, and of all
    md5_vec3 target;
    float tolerance;
    uint32_t iterations;
} reaching;

static float distance_left(const reaching *reach, md5_vec3 tip)
{
    return md5_vec3_length(md5_vec3_sub(tip, reach->target));
}

// If all joints and a target in reach lie on one line, and the tip not on the target: writes the
// direction from the chain's root to the target, and one across it to which the chain is to bend.
static bool is_stuck(const reaching *reach, md5_vec3 *way, md5_vec3 *aside)
{
    const md5_vec3 *const places = reach->chain.places;
    const md5_vec3 line = md5_vec3_normalize(md5_vec3_sub(places[reach->last], places[0]),
                                             (md5_vec3){1.0f, 0.0f, 0.0f});
    *way = md5_vec3_normalize(md5_vec3_sub(reach->target, places[0]), line);
    *aside = md5i_forward_beside(reach->axes, *way);
    float widest = 0.0f;
    for (uint32_t i = 1; i <= reach->last; i++) {
        const md5_vec3 off = md5_vec3_beside(md5_vec3_sub(places[i], places[0]), *way);
        const float width = md5_vec3_length(off);
        widest = width > widest ? width : widest;
    }
    return widest < STRAIGHT * reach->length && distance_left(reach, places[0]) < reach->length
           && distance_left(reach, places[reach->last]) > reach->tolerance;
}

// The position at `length` from `fixed` towards `moved`.
static md5_vec3 drawn_to(md5_vec3 fixed, md5_vec3 moved, float length)
{
    const md5_vec3 none = {0.0f, 0.0f, 0.0f};
    const md5_vec3 way = md5_vec3_normalize(md5_vec3_sub(moved, fixed), none);
    return md5_vec3_add(fixed, md5_vec3_scale(way, length));
}

// Both write turned[chain->count], model space, and return the distance that is left.
static float solve_by_fabrik(const reaching *reach, md5_quat *turned)
{
    const md5_chain *const chain = &reach->chain;
    const float *const lengths = reach->lengths;
    const uint32_t last = reach->last;
    const md5_vec3 root = chain->places[0], any = {1.0f, 0.0f, 0.0f};
    md5_vec3 places[MD5_MAX_CHAIN], way, aside;
    memcpy(places, chain->places, chain->count * sizeof *places);
    if (!(distance_left(reach, root) < reach->length)) {
        for (uint32_t i = 0; i < last; i++)
            places[i + 1] = drawn_to(places[i], reach->target, lengths[i]);
    } else {
        const bool is_bending = is_stuck(reach, &way, &aside);
        for (uint32_t i = 1; is_bending && i < last; i++)
            places[i] = md5_vec3_add(places[i], md5_vec3_scale(aside, PUSH * lengths[i - 1]));
        for (uint32_t n = 0;
             n < reach->iterations && !(distance_left(reach, places[last]) <= reach->tolerance);
             n++) {
            // Restores the bone lengths backward from the target, then forward from the root.
            places[last] = reach->target;
            for (uint32_t i = last; i-- > 0;)
                places[i] = drawn_to(places[i + 1], places[i], lengths[i]);
            places[0] = root;
            for (uint32_t i = 0; i < last; i++)
                places[i + 1] = drawn_to(places[i], places[i + 1], lengths[i]);
        }
    }
    // Each joint takes the shortest rotation that points its bone at the next position, after the
    // rotations of the joints above. A bone without length points anywhere.
    md5_quat so_far = MD5_NO_TURN;
    for (uint32_t i = 0; i <= last; i++) {
        if (i < last) {
            const md5_vec3 old = md5_vec3_sub(chain->places[i + 1], chain->places[i]);
            const md5_vec3 from = md5_vec3_normalize(md5_quat_rotate(so_far, old), any);
            const md5_vec3 to = md5_vec3_normalize(md5_vec3_sub(places[i + 1], places[i]), from);
            so_far = md5_quat_trim(md5_quat_mul(md5_turn_between(from, to), so_far));
        }
        turned[i] = md5_quat_mul(so_far, chain->rotations[i]);
    }
    return distance_left(reach, places[last]);
}

// Applies the rotations of a pass of CCD; that of a joint also rotates its descendants, after their
// own. Positions are computed from the original bones, so that rounding errors do not change
// lengths.
static void apply_turns(const md5_chain *chain, const md5_quat *turns, md5_quat *moved,
                        md5_vec3 *places)
{
    md5_quat so_far = MD5_NO_TURN;
    for (uint32_t i = 0; i + 1 < chain->count; i++) {
        so_far = md5_quat_trim(md5_quat_mul(so_far, turns[i]));
        moved[i] = md5_quat_trim(md5_quat_mul(so_far, moved[i]));
        const md5_vec3 bone = md5_vec3_sub(chain->places[i + 1], chain->places[i]);
        places[i + 1] = md5_vec3_add(places[i], md5_quat_rotate(moved[i], bone));
    }
}

static float solve_by_ccd(const reaching *reach, md5_quat *turned)
{
    const md5_chain *const chain = &reach->chain;
    const uint32_t last = reach->last;
    const md5_vec3 any = {1.0f, 0.0f, 0.0f};
    md5_vec3 places[MD5_MAX_CHAIN], way, aside;
    md5_quat turns[MD5_MAX_CHAIN], moved[MD5_MAX_CHAIN]; // of one pass; of all, in model space
    memcpy(places, chain->places, chain->count * sizeof *places);
    for (uint32_t i = 0; i < last; i++)
        moved[i] = MD5_NO_TURN;
    if (is_stuck(reach, &way, &aside)) {
        const md5_float4 axis = md5_float4_of_vec3(md5_vec3_cross(way, aside));
        for (uint32_t i = 0; i < last; i++)
            turns[i] = md5_quat_of_row(md5_float4_about(axis, PUSH_COSINE, i == 0 ? PUSH : -PUSH));
        apply_turns(chain, turns, moved, places);
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
            turns[i] = md5_vec3_dot(old, old) > 1e-30f ? md5_turn_between(from, to) : MD5_NO_TURN;
            tip = md5_vec3_add(places[i], md5_quat_rotate(turns[i], old));
        }
        apply_turns(chain, turns, moved, places);
    }
    moved[last] = moved[last - 1];
    for (uint32_t i = 0; i <= last; i++)
        turned[i] = md5_quat_mul(moved[i], chain->rotations[i]);
    return distance_left(reach, places[last]);
}

// == Both ========================================================================================

// Solves with a rig of the chain, in which each joint is the parent of the next. Rotations are
// first moved into their limits.
static float solve_by_rig(const reaching *reach, const md5_chain_job *job, md5_xform *pose)
{
    static md5_rig_solver *const solvers[] = {fabrik_limited, md5i_ccd_limited, md5i_dls_limited};
    const md5_chain *const chain = &reach->chain;
    md5_rig rig; // without the joints beyond the chain
    rig.count = chain->count;
    for (uint32_t i = 0; i < chain->count; i++) {
        const uint32_t joint = chain->joints[i];
        const md5_xform *const local = &pose[joint];
        md5_rig_joint *const added = &rig.joints[i];
        *added = (md5_rig_joint){
            .joint = joint,
            .parent = (int32_t)i - 1,
            .above = md5i_quatd_unit(md5_quatd_of(chain->above)),
            .offset = md5_vec3d_of(local->translation),
            .place = md5_vec3d_of(chain->places[i]),
            .limit = md5i_limit_of(job->limits ? &job->limits[joint] : NULL),
        };
        added->local =
            md5i_limit_nearest(&added->limit, md5i_quatd_unit(md5_quatd_of(local->rotation)));
    }
    md5i_place_rig(&rig, 0);
    const double left = solvers[job->solver](reach->axes, &rig, md5_vec3d_of(reach->target),
                                             (double)reach->tolerance, reach->iterations);
    if (job->weight > 0.0f)
        md5i_write_rig(&rig, job->weight, pose);
    return (float)left;
}

float md5_solve_chain(const md5_skeleton *skeleton, const md5_chain_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    MD5_ASSERT((unsigned)job->solver <= MD5_CHAIN_LEAST_SQUARES, "solver: a md5_chain_solver");
    reaching reach; // without the joints beyond the chain
    md5_chain *const chain = &reach.chain;
    if (!md5_is_place(job->target) || !md5i_find_chain(skeleton, pose, job->tip, job->length, chain)
        || chain->count < 2)
        return INFINITY;
    MD5_VALIDATE(md5i_are_limits(job->limits, chain->joints, chain->count), MD5_LIMIT_RULE);
    reach.axes = skeleton->axes;
    reach.target = job->target;
    reach.tolerance = job->tolerance > 0.0f ? job->tolerance : 0.0f;
    reach.iterations = job->iterations < MD5_MAX_ITERATIONS ? job->iterations : MD5_MAX_ITERATIONS;
    if (job->limits || job->solver == MD5_CHAIN_LEAST_SQUARES)
        return solve_by_rig(&reach, job, pose);
    reach.last = chain->count - 1;
    reach.length = 0.0f;
    for (uint32_t i = 0; i < reach.last; i++) {
        const md5_vec3 bone = md5_vec3_sub(chain->places[i], chain->places[i + 1]);
        reach.lengths[i] = md5_vec3_length(bone);
        reach.length += reach.lengths[i];
    }
    md5_quat turned[MD5_MAX_CHAIN];
    const float left = job->solver == MD5_CHAIN_CCD ? solve_by_ccd(&reach, turned)
                                                    : solve_by_fabrik(&reach, turned);
    if (job->weight > 0.0f)
        md5i_turn_chain(chain, turned, job->weight, pose);
    return left;
}
