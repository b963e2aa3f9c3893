// Angular limits of joints: cones, pyramids and hinges.
//
// The shaft of a constraint is a direction that is fixed in the first body. A cone limits the angle
// between the shaft and an axis of the second body. A pyramid limits it by two pairs of walls,
// which are planes through the joint. The gap of a limit is the distance of the shaft from it: see
// limit_state.
//
// A limit acts in three ways:
//
//   solve     impulses keep a joint from rotating farther (ragdoll_solve.c)
//   lock      if the joint leaned on the limit in the last step, a stiff damper acts in this step
//   enforce   after a step, a joint that is too far past a limit is rotated back
#include "md5/ragdoll/ragdoll.h"

// Angles by which a step may rotate a joint past a limit. MAX_WALL_EXCESS applies to the angle in
// the plane across the walls of a pyramid, which can be larger than the gap: see measure_walls().
#define MAX_EXCESS (0.3 * RADIANS_PER_DEGREE)
#define MAX_WALL_EXCESS (4.0 * RADIANS_PER_DEGREE)

#define MIN_CORRECTION 1e-4   // radians; after a larger correction the joint is checked again
#define LOOSE_ANGLE 0.003     // radians past a limit that are not corrected, to avoid jitter
#define MAX_RETURN_SPEED 12.0 // radians per second out of a limit
#define LOCK_STIFFNESS 1e4    // relative to the inertia of the joint

// Limits of the cosine of a limit's angle. Above MAX_COSINE, the angle is increased to half a
// degree, because the axis of an angle of 0 is undefined. Below MIN_COSINE, the angle is nearly 180
// degrees, and the joint has no limit.
#define MAX_COSINE 0.99996
#define MIN_COSINE (-0.9999)

#define UNREACHABLE_GAP 10.0 // more than the 2 tan(angle / 2) of any limit that can be reached

// A limit is locked only if the joint can rotate about the limit's axis. The axis is a unit vector.
// The squared length of its component along the motions of the joint must be above this number.
#define MIN_LOCKED_PART 1e-3

// == Geometry =====================================================================================

// Returns the difference of two angles a and b below 180 degrees in the form of a Cayley map, which
// represents the rotation from b to a:
//
//   2 tan((a - b) / 2)
static double cayley_angle(double cosine_a, double sine_a, double cosine_b, double sine_b)
{
    const double cosine = cosine_a * cosine_b + sine_a * sine_b;
    const double sine = sine_a * cosine_b - cosine_a * sine_b;
    return 2.0 * sine / md5_max(1.0 + cosine, 1e-3);
}

// Measures the gap between the shaft and a cone about `axis`. `cosine` and `sine` belong to the
// half angle of the cone.
static void measure_cone(limit_state *state, md5_vec3d axis, double cosine, double sine)
{
    const md5_vec3d across = md5_vec3d_cross(axis, state->shaft);
    state->cosine = md5_vec3d_dot(axis, state->shaft);
    state->sine = md5_vec3d_length(across);
    state->axis = md5_vec3d_scale(across, 1.0 / md5_max(state->sine, 1e-9));
    if (state->sine < 1e-6)
        state->axis = md5_vec3d_perpendicular(state->shaft);
    state->gap = cayley_angle(cosine, sine, state->cosine, state->sine);
    state->extent = 1.0;
    state->bend = state->cosine / md5_max(state->sine, 0.05);
}

// Measures the gap between the shaft and the nearer of two walls of a pyramid. The walls are planes
// through the joint. They contain the third direction of the pyramid, which is perpendicular to
// `axis` and `side`.
//
// In the plane of axis and side, the limit is the angle from the axis to a wall. `cosine` and
// `sine` belong to this angle. In the same plane, the angle from the shaft to a wall is larger than
// the gap. Near the third direction it is undefined.
static void measure_walls(limit_state *state, md5_vec3d axis, md5_vec3d side, double cosine,
                          double sine)
{
    const double along_axis = md5_vec3d_dot(axis, state->shaft);
    const double along_side = md5_vec3d_dot(side, state->shaft);
    state->cosine = along_axis;
    state->sine = fabs(along_side);
    state->extent = md5_max(sqrt(along_axis * along_axis + along_side * along_side), 1e-3);

    // Compute the outward normal of the nearer wall.
    const md5_vec3d toward_wall = md5_vec3d_scale(side, along_side < 0.0 ? -cosine : cosine);
    const md5_vec3d wall_normal = md5_vec3d_sub(toward_wall, md5_vec3d_scale(axis, sine));
    const double sine_of_gap = -md5_vec3d_dot(wall_normal, state->shaft);
    const double cosine_of_gap = sqrt(md5_max(1.0 - sine_of_gap * sine_of_gap, 1e-6));
    const md5_vec3d rotation_axis = md5_vec3d_cross(state->shaft, wall_normal);
    state->axis = md5_vec3d_scale(rotation_axis, 1.0 / cosine_of_gap);

    // A wall ends at the third direction. A shaft that is more than 90 degrees from the wall cannot
    // be at it.
    const bool is_at_wall = cosine * along_axis + sine * state->sine > 0.0;
    if (is_at_wall)
        state->gap = cayley_angle(cosine_of_gap, sine_of_gap, 1.0, 0.0);
}

// Returns true if the limits of a constraint are two pairs of walls.
static bool has_walls(const md5_figure_constraint *def)
{
    return def->limit != MD5_FIGURE_CONE && def->type != MD5_CONSTRAINT_HINGE;
}

limit_directions md5i_rotate_limits(const md5_body_constraint *constraint,
                                    const ragdoll_transform ends[2])
{
    limit_directions directions;
    directions.shaft =
        md5_quatd_rotate(ends[0].rotation, md5_vec3d_from_vec3(constraint->limit_shaft));
    directions.axis =
        md5_quatd_rotate(ends[1].rotation, md5_vec3d_from_vec3(constraint->limit_axis));
    directions.base = (md5_vec3d){0.0, 0.0, 0.0};
    if (has_walls(constraint->def))
        directions.base =
            md5_quatd_rotate(ends[1].rotation, md5_vec3d_from_vec3(constraint->limit_base));
    return directions;
}

// Returns true if a limit restricts a joint. An angle of nearly 180 degrees restricts nothing.
static bool restricts_joint(double cosine, const limit_directions *directions)
{
    const bool has_axis = md5_vec3d_dot(directions->axis, directions->axis) > 0.5;
    const bool has_shaft = md5_vec3d_dot(directions->shaft, directions->shaft) > 0.5;
    return cosine > MIN_COSINE && has_axis && has_shaft;
}

// Measures how far a joint is from one of its limits. A limit keeps the shaft within a cone or
// pyramid around the axis.
limit_state md5i_measure_limit(const md5_body_constraint *constraint, uint32_t index,
                               const limit_directions *directions)
{
    limit_state state = {
        .axis = {0.0, 0.0, 0.0}, .gap = UNREACHABLE_GAP, .extent = 1.0, .shaft = directions->shaft};
    const double cosine = md5_min((double)constraint->limit_cosines[index], MAX_COSINE);
    if (!restricts_joint(cosine, directions))
        return state;

    const double sine = sqrt(md5_max(0.0, 1.0 - cosine * cosine));
    if (!has_walls(constraint->def)) {
        measure_cone(&state, directions->axis, cosine, sine);
        return state;
    }

    // The first angle limits the shaft toward the base, the second across it. This was found by
    // comparison with the engine: 7 of 123 samples of its ragdolls are more than a degree past the
    // limits in this order, and 57 in the opposite order.
    md5_vec3d side = directions->base;
    if (index == 1)
        side = md5_vec3d_cross(directions->base, directions->axis);
    measure_walls(&state, directions->axis, side, cosine, sine);
    return state;
}

// == Limits of a step =============================================================================

// Returns the angular speed, in radians/s, at which a joint rotates away from a limit. It is
// negative if the joint approaches the limit.
double md5i_limit_speed(const md5_ragdoll *ragdoll, const ragdoll_node *node,
                        const ragdoll_limit *limit)
{
    md5_vec3d relative = md5_spatial_angular(&node->velocity);
    if (node->parent != MD5_NONE)
        relative =
            md5_vec3d_sub(relative, md5_spatial_angular(&ragdoll->nodes[node->parent].velocity));
    return md5_vec3d_dot(limit->axis, relative);
}

double md5i_max_limit_speed(const md5_ragdoll *ragdoll, double gap)
{
    return md5_max_closing_speed(ragdoll->seconds, gap, LOOSE_ANGLE, MAX_RETURN_SPEED);
}

// Returns the gap that a limit has after a step if the joint moves only along the wall of the
// limit. Along the curved wall of a cone, this motion reduces the gap: see limit_state.bend.
// `angular` is the angular velocity of the joint. The motion along the wall is its part that
// neither rotates the shaft toward the wall nor rotates the joint about the shaft.
static double bent_gap(const limit_state *state, md5_vec3d angular, double seconds)
{
    const double toward = md5_vec3d_dot(state->axis, angular);
    const double about_shaft = md5_vec3d_dot(state->shaft, angular);
    const double along_wall_square =
        md5_vec3d_dot(angular, angular) - about_shaft * about_shaft - toward * toward;
    const double bend = md5_max(0.0, state->bend) * md5_max(0.0, along_wall_square);
    return state->gap - 0.5 * seconds * seconds * bend;
}

// Measures the gaps of all limits of a joint at the start of a step.
void md5i_measure_limits(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    const md5_body_constraint *const joint = &ragdoll->desc.figure->constraints[node->constraint];
    ragdoll_transform ends[2];
    md5i_constraint_transforms(ragdoll, joint, ends);
    const limit_directions directions = md5i_rotate_limits(joint, ends);
    const md5_vec3d angular = md5i_joint_angular_velocity(ragdoll, node);
    for (uint32_t i = 0; i < node->num_limits; i++) {
        ragdoll_limit *const limit = &node->limits[i];
        const limit_state state = md5i_measure_limit(joint, i, &directions);
        // The axis of the state rotates bodies[0] toward the limit, the axis of the limit rotates
        // the node away from it. The node is bodies[0], or bodies[1] of a reversed joint.
        limit->axis = md5_vec3d_scale(state.axis, node->is_reversed ? 1.0 : -1.0);
        limit->start_gap = state.gap;
        limit->start_wall_angle = state.gap / state.extent;
        limit->gap = bent_gap(&state, angular, ragdoll->seconds);
    }
}

// Adds the damper of a locked limit to node->locks and to node->inverse, which still contains the
// inertia of the joint. components[k] is the component of the limit's axis along motion k of the
// joint.
static void add_damper(ragdoll_node *node, const ragdoll_limit *limit, const double components[3])
{
    for (uint32_t k = 0; k < node->num_motions; k++) {
        const double stiffness = limit->stiffness * components[k];
        node->locks[k] += stiffness * limit->lock_speed;
        for (uint32_t m = 0; m < node->num_motions; m++)
            node->inverse[k][m] += stiffness * components[m];
    }
}

// Writes the components of a limit's axis along the motions of the joint. Returns the square of
// their length, which is 1 if the joint can rotate about the axis, and 0 if it cannot.
static double project_axis_to_motions(const ragdoll_node *node, md5_vec3d axis,
                                      double components[3])
{
    const spatial rotation = md5_spatial_from(axis, (md5_vec3d){0.0, 0.0, 0.0});
    double square = 0.0;
    for (uint32_t k = 0; k < node->num_motions; k++) {
        components[k] = md5_spatial_dot(&node->motions[k], &rotation);
        square += components[k] * components[k];
    }
    return square;
}

// Locks the limits of a node that pushed in the last step. A stiff damper about the axis of the
// limit takes the place of its impulse in this step. The damper also slows down a rotation away
// from the limit. This lasts only one step, because read_locks() then unlocks the limit.
void md5i_lock_limits(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    double inertia = 0.0; // inverse inertia of the joint: node->inverse is not inverted yet
    for (uint32_t i = 0; i < node->num_motions; i++)
        inertia += node->inverse[i][i];

    for (uint32_t i = 0; i < node->num_limits; i++) {
        ragdoll_limit *const limit = &node->limits[i];
        limit->is_locked = false;
        const bool has_pushed = limit->impulse.value > 0.0;
        if (!has_pushed)
            continue;
        double components[3] = {0.0, 0.0, 0.0};
        const double square = project_axis_to_motions(node, limit->axis, components);
        const bool can_rotate_about_axis = square > MIN_LOCKED_PART;
        if (!can_rotate_about_axis)
            continue;
        limit->is_locked = true;
        limit->stiffness = LOCK_STIFFNESS * inertia / square;
        limit->lock_speed = -md5i_max_limit_speed(ragdoll, limit->gap);
        add_damper(node, limit, components);
    }
}

// Returns true if a joint can be past a limit after it has rotated by an angle.
static bool can_exceed_limit(const ragdoll_limit *limit, double angle)
{
    return limit->start_gap < angle + MAX_EXCESS;
}

// Returns the minimum gap after a step. A joint may be past a limit by a tolerance. A joint that
// was farther past the limit at the start of the step may remain there.
static double min_allowed_gap(const ragdoll_limit *limit, const limit_state *state)
{
    const double min_gap = md5_min(limit->start_gap, -MAX_EXCESS);
    const double min_wall_angle = md5_min(limit->start_wall_angle, -MAX_WALL_EXCESS);
    return md5_max(min_gap, min_wall_angle * state->extent);
}

// Rotates a joint back if it is too far past limit `index`. Returns true if the correction is
// larger than MIN_CORRECTION.
static bool enforce_limit(const md5_ragdoll *ragdoll, ragdoll_node *node, uint32_t index)
{
    // The directions are in the axes of bodies[1], because the joint rotation is relative to them.
    const md5_body_constraint *const joint = &ragdoll->desc.figure->constraints[node->constraint];
    const md5_vec3d shaft = md5_vec3d_from_vec3(joint->limit_shaft); // in the axes of bodies[0]
    const limit_directions directions = {md5_quatd_rotate(node->joint_rotation, shaft),
                                         md5_vec3d_from_vec3(joint->limit_axis),
                                         md5_vec3d_from_vec3(joint->limit_base)};
    const limit_state state = md5i_measure_limit(joint, index, &directions);
    const double min_gap = min_allowed_gap(&node->limits[index], &state);
    if (state.gap >= min_gap)
        return false;

    // state.axis rotates toward the limit, so a negative angle rotates away from it.
    node->joint_rotation =
        md5i_integrate_rotation(node->joint_rotation, state.axis, state.gap - min_gap);
    return state.gap < min_gap - MIN_CORRECTION;
}

// Rotates a joint back if it is too far past a limit after a step that has rotated it by `angle`
// radians. Returns true if a correction is so large that the joint should be checked again.
bool md5i_enforce_limits(const md5_ragdoll *ragdoll, ragdoll_node *node, double angle)
{
    bool needs_check = false;
    // A rotation out of one pair of walls may be a rotation into the other pair, so each limit is
    // enforced as often as there are limits.
    for (uint32_t round = 0; round < node->num_limits; round++) {
        for (uint32_t i = 0; i < node->num_limits; i++) {
            if (!can_exceed_limit(&node->limits[i], angle))
                continue;
            if (enforce_limit(ragdoll, node, i))
                needs_check = true;
        }
    }
    return needs_check;
}
