// Angular limits of joints: cones, pyramids and hinges. A limit acts in three ways:
//
//   solve   impulses keep a joint from turning farther (ragdoll_solve.c)
//   lock    if the joint leaned on the limit in the last step, it is stiff there in this step
//   hold    after a step a joint that went too far beyond, on its curved way, is turned back
#include "md5/ragdoll/ragdoll.h"

#define MAX_BEYOND (0.3 * DEGREE)       // that a step may turn a joint beyond a limit
#define MAX_ANGLE_BEYOND (4.0 * DEGREE) // the same in the plane across the walls of a pyramid
#define SMALL_TURN 1e-4                 // radians, of which a joint need not be turned back again
#define LOOSE_TURN 0.003   // radians beyond a limit that stay: it would come and go otherwise
#define FASTEST_BACK 12.0  // radians per second out of a limit
#define LOCK_STIFFNESS 1e4 // times the inertia of the joint

// == Geometry =====================================================================================

// Returns 2 tan((a - b) / 2) for two angles below a half turn, by their cosines and sines: the turn
// of a Cayley map from b to a.
static double cayley_turn(double cosine_a, double sine_a, double cosine_b, double sine_b)
{
    const double cosine = cosine_a * cosine_b + sine_a * sine_b;
    const double sine = sine_a * cosine_b - cosine_a * sine_b;
    return 2.0 * sine / md5_greater(1.0 + cosine, 1e-3);
}

static void view_cone(limit_view *view, md5_vec3d axis, double cosine, double sine)
{
    const md5_vec3d across = md5_vec3d_cross(axis, view->shaft);
    view->cosine = md5_vec3d_dot(axis, view->shaft);
    view->sine = md5_vec3d_length(across);
    view->axis = md5_vec3d_scale(across, 1.0 / md5_greater(view->sine, 1e-9));
    if (view->sine < 1e-6)
        view->axis = md5_vec3d_across(view->shaft);
    view->gap = cayley_turn(cosine, sine, view->cosine, view->sine);
    view->extent = 1.0;
    view->bend = view->cosine / md5_greater(view->sine, 0.05);
}

// The shaft is between two walls, planes through the joint that contain the third direction of the
// pyramid. The gap is the angle of the shaft to the nearer wall. In the plane across both walls,
// where the limit is given, the angle is larger: near the third direction it has no meaning.
static void view_walls(limit_view *view, md5_vec3d axis, md5_vec3d side, double cosine, double sine)
{
    const double x = md5_vec3d_dot(axis, view->shaft);
    const double y = md5_vec3d_dot(side, view->shaft);
    view->cosine = x;
    view->sine = fabs(y);
    view->extent = md5_greater(sqrt(x * x + y * y), 1e-3);
    // Outward normal of the nearer wall.
    const md5_vec3d wall = md5_vec3d_sub(md5_vec3d_scale(side, y < 0.0 ? -cosine : cosine),
                                         md5_vec3d_scale(axis, sine));
    const double sine_of_gap = -md5_vec3d_dot(wall, view->shaft);
    const double cosine_of_gap = sqrt(md5_greater(1.0 - sine_of_gap * sine_of_gap, 1e-6));
    view->axis = md5_vec3d_scale(md5_vec3d_cross(view->shaft, wall), 1.0 / cosine_of_gap);
    // A wall ends at the third direction: what is more than a quarter turn away is not at it.
    if (cosine * x + sine * view->sine > 0.0)
        view->gap = cayley_turn(cosine_of_gap, sine_of_gap, 1.0, 0.0);
}

limit_view md5i_limit_view(const md5_body_constraint *constraint, uint32_t index,
                           const ragdoll_place ends[2])
{
    limit_view view = {.axis = {0.0, 0.0, 0.0}, .gap = 10.0, .extent = 1.0};
    // At least half a degree: at 0 the axis would have no direction.
    const double cosine = md5_less((double)constraint->limit_cosines[index], 0.99996);
    const md5_vec3d axis = md5_quatd_rotate(ends[1].turn, md5_vec3d_of(constraint->limit_axis));
    view.shaft = md5_quatd_rotate(ends[0].turn, md5_vec3d_of(constraint->limit_shaft));
    const bool has_axes =
        md5_vec3d_dot(axis, axis) > 0.5 && md5_vec3d_dot(view.shaft, view.shaft) > 0.5;
    if (!(cosine > -0.9999) || !has_axes)
        return view;
    const double sine = sqrt(md5_greater(0.0, 1.0 - cosine * cosine));
    const bool is_pyramid =
        constraint->def->limit != MD5_FIGURE_CONE && constraint->def->type != MD5_CONSTRAINT_HINGE;
    if (!is_pyramid) {
        view_cone(&view, axis, cosine, sine);
        return view;
    }
    // The first walls are those of the base: read so, 7 of 123 samples of the engine's falls are
    // more than a degree beyond the limit, otherwise 57.
    const md5_vec3d base = md5_quatd_rotate(ends[1].turn, md5_vec3d_of(constraint->limit_base));
    view_walls(&view, axis, index == 1 ? md5_vec3d_cross(base, axis) : base, cosine, sine);
    return view;
}

// == Limits of a step =============================================================================

double md5i_limit_speed(const md5_ragdoll *ragdoll, const ragdoll_node *node,
                        const ragdoll_limit *limit)
{
    md5_vec3d turning = md5_spatial_angular(&node->velocity);
    if (node->parent != MD5_NONE)
        turning =
            md5_vec3d_sub(turning, md5_spatial_angular(&ragdoll->nodes[node->parent].velocity));
    return md5_vec3d_dot(limit->axis, turning);
}

double md5i_limit_way_out(const md5_ragdoll *ragdoll, double gap)
{
    return md5_way_out(ragdoll->seconds, gap, LOOSE_TURN, FASTEST_BACK);
}

void md5i_measure_limits(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    const md5_body_constraint *const joint = &ragdoll->desc.figure->constraints[node->constraint];
    ragdoll_place ends[2];
    md5i_ragdoll_ends(ragdoll, joint, ends);
    md5_vec3d turning = node->angular;
    if (node->parent != MD5_NONE)
        turning = md5_vec3d_sub(turning, ragdoll->nodes[node->parent].angular);
    for (uint32_t i = 0; i < node->num_limits; i++) {
        ragdoll_limit *const limit = &node->limits[i];
        const limit_view view = md5i_limit_view(joint, i, ends);
        const double toward = md5_vec3d_dot(view.axis, turning);
        const double about_shaft = md5_vec3d_dot(view.shaft, turning);
        const double along_wall =
            md5_vec3d_dot(turning, turning) - about_shaft * about_shaft - toward * toward;
        const double bend = md5_greater(0.0, view.bend) * md5_greater(0.0, along_wall);
        limit->axis = md5_vec3d_scale(view.axis, node->is_reversed ? 1.0 : -1.0);
        limit->start_gap = view.gap;
        limit->start_angle = view.gap / view.extent;
        limit->gap = view.gap - 0.5 * ragdoll->seconds * ragdoll->seconds * bend;
    }
}

// A damper along the axis of a limit resists in both directions: what turns away from the limit is
// slowed down for one step, after which the limit is not locked.
void md5i_lock_limits(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    double inertia = 0.0;
    for (uint32_t i = 0; i < node->num_moves; i++)
        inertia += node->inverse[i][i];
    for (uint32_t i = 0; i < node->num_limits; i++) {
        ragdoll_limit *const limit = &node->limits[i];
        const spatial along = md5_spatial_of(limit->axis, (md5_vec3d){0.0, 0.0, 0.0});
        double shares[3] = {0.0, 0.0, 0.0}, square = 0.0; // of the moves in a turn about the axis
        for (uint32_t k = 0; k < node->num_moves; k++) {
            shares[k] = md5_spatial_dot(&node->moves[k], &along);
            square += shares[k] * shares[k];
        }
        limit->is_locked = limit->impulse.value > 0.0 && square > 1e-3;
        if (!limit->is_locked)
            continue;
        limit->stiffness = LOCK_STIFFNESS * inertia / square;
        limit->speed = -md5i_limit_way_out(ragdoll, limit->gap);
        for (uint32_t k = 0; k < node->num_moves; k++) {
            const double stiffness = limit->stiffness * shares[k];
            node->locks[k] += stiffness * limit->speed;
            for (uint32_t m = 0; m < node->num_moves; m++)
                node->inverse[k][m] += stiffness * shares[m];
        }
    }
}

// Returns true if the joint may be beyond a limit after it has turned by an angle.
static bool may_be_beyond(const ragdoll_limit *limit, double angle)
{
    return limit->start_gap < angle + MAX_BEYOND;
}

// Returns the least gap to which a step may turn a joint. A joint that was beyond the limit at the
// start of the step may stay there.
static double allowed_gap(const ragdoll_limit *limit, const limit_view *view)
{
    const double gap = md5_less(limit->start_gap, -MAX_BEYOND);
    const double angle = md5_less(limit->start_angle, -MAX_ANGLE_BEYOND);
    return md5_greater(gap, angle * view->extent);
}

bool md5i_hold_limits(const md5_ragdoll *ragdoll, ragdoll_node *node, double angle)
{
    bool is_turned = false;
    const md5_body_constraint *const joint = &ragdoll->desc.figure->constraints[node->constraint];
    const md5_vec3d nowhere = {0.0, 0.0, 0.0};
    // Turning out of one pair of walls may turn into the other one.
    for (uint32_t round = 0; round < node->num_limits; round++) {
        for (uint32_t i = 0; i < node->num_limits; i++) {
            const ragdoll_limit *const limit = &node->limits[i];
            if (!may_be_beyond(limit, angle))
                continue;
            const ragdoll_place ends[2] = {{node->turn, nowhere}, {{0.0, 0.0, 0.0, 1.0}, nowhere}};
            const limit_view view = md5i_limit_view(joint, i, ends);
            const double allowed = allowed_gap(limit, &view);
            if (view.gap >= allowed)
                continue;
            node->turn = md5i_turned(node->turn, view.axis, view.gap - allowed);
            is_turned |= view.gap < allowed - SMALL_TURN;
        }
    }
    return is_turned;
}
