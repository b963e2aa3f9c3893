// Ragdolls: time steps, coming to rest, impulses, dragging, saving and restoring.
#include "md5/core/freed.h"
#include "md5/ragdoll/ragdoll.h"

#include "md5/core/arena.h"
#include "md5/core/jobs.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define MIN_IMPULSE 500.0 // weaker impulses have no effect, as in the engine
// A figure can only come to rest if its bodies have been slow for SLOW_FOR seconds, and not before
// SLOW_AFTER seconds. One slow step is not enough: a figure that stands on its head is also slow
// when it begins to fall.
#define SLOW_FOR 0.25
#define SLOW_AFTER 1.5
#define MAX_COORDINATE 1e6f
#define DEFAULT_GRAVITY 1066.0 // units per second squared, as in the engine
#define DEFAULT_RESTITUTION 0.4
#define START_STEPS 60 // steps with unlimited energy: the figure may start in the ground
#define MAX_RISE 0.01  // largest increase of the energy in a step, as units of height
#define MAX_FRICTION_SCALE 1e3
#define MIN_BOUNCE_SPEED 30.0 // units per second; slower contacts do not bounce

// == Creation =====================================================================================

// Sets the slow motion at the start, and the temporary reduction of friction.
static void set_pace_and_friction(md5_ragdoll *ragdoll)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    ragdoll->slow_motion[0] = figure->slow_motion[0];
    ragdoll->slow_motion[1] = figure->slow_motion[1];
    ragdoll->friction_dents[FRICTION_OF_JOINTS] = figure->joint_friction;
    ragdoll->friction_dents[FRICTION_OF_CONTACTS] = figure->contact_friction;
}

// Returns true if all coordinates are finite and at most MAX_COORDINATE.
static bool are_in_range(const md5_vec3 *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const md5_vec3 p = points[i];
        const bool is_in_range = fabsf(p.x) <= MAX_COORDINATE && fabsf(p.y) <= MAX_COORDINATE
                                 && fabsf(p.z) <= MAX_COORDINATE;
        if (!is_in_range)
            return false;
    }
    return true;
}

// Returns true if all vectors of a constraint are small enough for the simulation.
static bool is_constraint_in_range(const md5_body_constraint *constraint)
{
    const md5_vec3 limits[] = {constraint->limit_axis, constraint->limit_base,
                               constraint->limit_shaft};
    if (!are_in_range(constraint->anchors, 2) || !are_in_range(constraint->shafts, 2))
        return false;
    return are_in_range(constraint->axes, 2) && are_in_range(limits, 3);
}

// Reports that a part of a figure has a coordinate out of range. Returns false. `kind` is "body" or
// "constraint".
static bool fail_out_of_range(md5_context *context, const md5_decl *decl, const char *kind,
                              const char *name)
{
    return md5i_fail(context, MD5_ERROR_RANGE, decl->keyword_line, decl->keyword_column,
                     "figure %s: %s %s is out of range: expected finite values up to %g units",
                     MD5_QUOTED(decl->name), kind, MD5_QUOTED(name), (double)MAX_COORDINATE);
}

// Fails if a body or a constraint has a coordinate that is not finite or above MAX_COORDINATE.
static bool check_figure(md5_context *context, const md5_figure *figure)
{
    const md5_decl *const decl = figure->def->decl;
    const char *const file = decl->file ? decl->file : "";
    (void)snprintf(context->error.file, sizeof context->error.file, "%s", file);

    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const md5_body_part *const part = &figure->bodies[i];
        const md5_vec3 *const vertices = figure->vertices + part->first_vertex;
        const bool is_in_range = are_in_range(&figure->setup[i].translation, 1)
                                 && are_in_range(vertices, part->num_vertices);
        if (!is_in_range)
            return fail_out_of_range(context, decl, "body", part->def->name);
    }

    for (uint32_t i = 0; i < figure->num_constraints; i++) {
        const md5_body_constraint *const constraint = &figure->constraints[i];
        if (!is_constraint_in_range(constraint))
            return fail_out_of_range(context, decl, "constraint", constraint->def->name);
    }
    return true;
}

// Returns the value of an option. 0 selects the default, and MD5_EXPLICIT_ZERO means 0.
static double option_or_default(float option, double default_value)
{
    if (option == 0.0f)
        return default_value;
    return option == MD5_EXPLICIT_ZERO ? 0.0 : (double)option;
}

// Computes the constant data of a ragdoll whose arrays are allocated. Leaves the ragdoll at rest in
// the setup pose. `scratch` is a buffer for the creation of the tree.
static void initialize_ragdoll(md5_ragdoll *ragdoll, uint32_t *scratch)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    ragdoll->gravity = option_or_default(ragdoll->desc.gravity, DEFAULT_GRAVITY);
    ragdoll->restitution = option_or_default(ragdoll->desc.bounce, DEFAULT_RESTITUTION);
    ragdoll->min_bounce_speed = MIN_BOUNCE_SPEED;
    set_pace_and_friction(ragdoll);
    md5i_build_ragdoll_tree(ragdoll, scratch);
    md5i_build_ragdoll_hulls(ragdoll);
    for (uint32_t i = 0; i < figure->num_bodies; i++)
        ragdoll->bodies[i].transform = figure->setup[i];
    md5_ragdoll_start(ragdoll, ragdoll->bodies);
    ragdoll->is_at_rest = true;
}

// Assigns addresses in a memory block to a ragdoll and its arrays, or only measures the size of the
// block. `scratch` receives the buffer of initialize_ragdoll(). Returns the ragdoll, or NULL while
// measuring.
static md5_ragdoll *lay_out_ragdoll(md5_block *block, const md5_ragdoll_desc *desc,
                                    uint32_t **scratch)
{
    const md5_figure *const figure = desc->figure;
    const size_t num_bodies = figure->num_bodies;
    const size_t num_constraints = figure->num_constraints;
    const size_t num_triangles = figure->num_triangles;
    md5_ragdoll layout = {.desc = *desc};
    md5_ragdoll *const ragdoll = MD5_BLOCK_ARRAY(block, md5_ragdoll, 1);
    layout.nodes = MD5_BLOCK_ARRAY(block, ragdoll_node, num_bodies);
    layout.links = MD5_BLOCK_ARRAY(block, ragdoll_link, num_constraints + 1); // and DRAG_LINK
    layout.node_by_body = MD5_BLOCK_ARRAY(block, uint32_t, num_bodies);
    layout.path = MD5_BLOCK_ARRAY(block, uint32_t, num_bodies);
    layout.hulls = MD5_BLOCK_ARRAY(block, ragdoll_hull, num_bodies);
    layout.planes = MD5_BLOCK_ARRAY(block, ragdoll_plane, num_triangles);
    layout.edges = MD5_BLOCK_ARRAY(block, ragdoll_edge, 2 * num_triangles);
    layout.bodies = MD5_BLOCK_ARRAY(block, md5_body_state, num_bodies);
    layout.rest_reference = MD5_BLOCK_ARRAY(block, md5_body_state, num_bodies);
    // The buffer of md5i_build_ragdoll_tree(): 4 * (num_bodies + 1) indices for groups, first edges
    // and stack, 2 * num_constraints for next edges, and the flags of the constraints.
    *scratch = MD5_BLOCK_ARRAY(block, uint32_t, 4 * num_bodies + 4 + 3 * num_constraints);
    if (ragdoll)
        *ragdoll = layout;
    return ragdoll;
}

// Creates a ragdoll, the simulation of a figure, in one memory block. Returns NULL and sets the
// error if a coordinate of the figure is out of range or memory runs out.
md5_ragdoll *md5_create_ragdoll(const md5_ragdoll_desc *desc, const md5_allocator *allocator,
                                md5_error *error)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT_ALLOCATOR(allocator);
    MD5_ASSERT_FIGURE(desc->figure);

    md5_context context;
    md5i_context_begin_memory(&context, allocator ? *allocator : (md5_allocator){0}, error);
    if (!check_figure(&context, desc->figure))
        return NULL;

    // The first call measures the block, and the second call assigns addresses in it.
    md5_block block = {0};
    uint32_t *scratch = NULL;
    (void)lay_out_ragdoll(&block, desc, &scratch);
    const size_t size = block.used;
    if (!md5i_block_end_measuring(&context, &block))
        return NULL;
    memset(block.base, 0, size);
    md5_ragdoll *const ragdoll = lay_out_ragdoll(&block, desc, &scratch);
    ragdoll->size = size;
    ragdoll->internal = (md5_internal){.allocator = context.allocator, .tag = MD5_TAG_RAGDOLL};
    initialize_ragdoll(ragdoll, scratch);
    return ragdoll;
}

void md5_destroy_ragdoll(md5_ragdoll *ragdoll)
{
    MD5_FREE(ragdoll, MD5_TAG_RAGDOLL);
}

// == Start and impulses ===========================================================================

// Limits of the values that a caller sets: positions in units, speeds in units and radians per
// second, and impulses in mass * units per second. They are far above realistic values, and small
// enough for finite results.
#define MAX_POSITION 1e7
#define MAX_START_SPEED 1e4
#define MAX_START_ANGULAR_SPEED 1e2
#define MAX_IMPULSE 1e9

// Limits the length of a vector. Returns 0 for a vector that is infinite or NaN.
static md5_vec3d clamp_length(md5_vec3 v, double max_length)
{
    const md5_vec3d wide = md5_vec3d_from_vec3(v);
    const double length = md5_vec3d_length(wide);
    if (length <= max_length)
        return wide;
    if (length < INFINITY)
        return md5_vec3d_scale(wide, max_length / length);
    return (md5_vec3d){0.0, 0.0, 0.0};
}

// Converts a transform to double precision. Normalizes the rotation and limits the position.
static ragdoll_transform transform_from_xform(md5_xform transform)
{
    const md5_quat none = {0.0f, 0.0f, 0.0f, 1.0f};
    const md5_quatd q = md5_quatd_from_quat(md5_quat_normalize(transform.rotation, none));
    const double scale = 1.0 / sqrt(md5_quatd_dot(q, q)); // normalizes in double precision
    return (ragdoll_transform){{q.x * scale, q.y * scale, q.z * scale, q.w * scale},
                               clamp_length(transform.translation, MAX_POSITION)};
}

// Updates ragdoll->bodies, the state that the caller receives.
static void update_bodies(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        const md5_quatd q = node->transform.rotation;
        md5_body_state *const body = &ragdoll->bodies[node->body];
        body->transform.rotation = (md5_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
        body->transform.translation = md5_vec3d_round(node->transform.position);
        body->linear = md5_vec3d_round(node->linear);
        body->angular = md5_vec3d_round(node->angular);
    }
}

// Wakes the ragdoll, and restarts the check for rest.
static void reset_rest_check(md5_ragdoll *ragdoll)
{
    ragdoll->is_at_rest = false;
    ragdoll->rest_check_step = ragdoll->step;
    ragdoll->wake_step = ragdoll->step;
    ragdoll->last_fast_step = ragdoll->step;
    memcpy(ragdoll->rest_reference, ragdoll->bodies, ragdoll->num_nodes * sizeof *ragdoll->bodies);
}

// Sets the transform and the velocities of a node, and clears its contacts and impulses.
static void start_node(ragdoll_node *node, const md5_body_state *body)
{
    node->transform = transform_from_xform(body->transform);
    node->linear = clamp_length(body->linear, MAX_START_SPEED);
    node->angular = clamp_length(body->angular, MAX_START_ANGULAR_SPEED);
    node->num_contacts = 0;
    node->next_search = 0;
    node->load = 0.0;
    node->limits[0].impulse.value = 0.0;
    node->limits[1].impulse.value = 0.0;
}

// Clears what remains from an earlier fall: time, energy, frictions, the drag, and the impulses of
// links.
static void clear_state(md5_ragdoll *ragdoll)
{
    ragdoll->pending_time = 0.0;
    ragdoll->added_energy = 0.0;
    ragdoll->step = 0;
    ragdoll->seconds = 1.0 / ragdoll_rate;
    ragdoll->friction_scales[FRICTION_OF_JOINTS] = 1.0;
    ragdoll->friction_scales[FRICTION_OF_CONTACTS] = 1.0;
    ragdoll->links[DRAG_LINK].nodes[0] = MD5_NONE;
    for (uint32_t i = 0; i < ragdoll->num_links; i++)
        memset(ragdoll->links[i].impulses, 0, sizeof ragdoll->links[i].impulses);
}

// Starts a fall from the transforms and velocities of `bodies`. If the joints do not allow the
// velocities, the nearest allowed velocities replace them.
void md5_ragdoll_start(md5_ragdoll *ragdoll, const md5_body_state *bodies)
{
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    MD5_ASSERT_NOT_NULL(bodies);

    // The transform from model space to world space moves the first body from its setup pose to its
    // start.
    const md5_xform model_to_body = md5_xform_inverse(ragdoll->desc.figure->setup[0]);
    ragdoll->world = transform_from_xform(md5_xform_mul(bodies[0].transform, model_to_body));
    clear_state(ragdoll);
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        start_node(&ragdoll->nodes[k], &bodies[ragdoll->nodes[k].body]);
    md5i_read_joint_rotations(ragdoll);
    md5i_update_ragdoll_transforms(ragdoll);

    // Replace the velocities by the nearest velocities that the joints allow.
    md5i_prepare_ragdoll(ragdoll, PREPARE_CURRENT);
    md5i_store_ragdoll_velocities(ragdoll);
    update_bodies(ragdoll);
    reset_rest_check(ragdoll);
}

// Returns the sum of the kinetic and the potential energy of all bodies.
static double total_energy(const md5_ragdoll *ragdoll)
{
    return md5i_ragdoll_kinetic_energy(ragdoll) + md5i_ragdoll_potential_energy(ragdoll);
}

// Applies an impulse to a body at a point in world space, for example of a bullet. Impulses below
// MIN_IMPULSE have no effect, as in the engine.
void md5_ragdoll_apply_impulse(md5_ragdoll *ragdoll, uint32_t body, md5_vec3 point,
                               md5_vec3 impulse)
{
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    MD5_ASSERT(body < ragdoll->num_nodes, "body: must be a body of the figure");
    const md5_vec3d linear = clamp_length(impulse, MAX_IMPULSE);
    const md5_vec3d position = clamp_length(point, MAX_POSITION);
    const bool is_strong = md5_vec3d_dot(linear, linear) >= MIN_IMPULSE * MIN_IMPULSE;
    if (!is_strong)
        return;

    const double energy_before = total_energy(ragdoll);
    md5i_prepare_ragdoll(ragdoll, PREPARE_CURRENT); // sets ragdoll->origin
    const md5_vec3d lever = md5_vec3d_sub(position, ragdoll->origin);
    const spatial spatial_impulse = md5_spatial_from(md5_vec3d_cross(lever, linear), linear);
    md5i_apply_ragdoll_impulse(ragdoll, ragdoll->node_by_body[body], &spatial_impulse);
    md5i_store_ragdoll_velocities(ragdoll);

    const double energy_change = total_energy(ragdoll) - energy_before;
    ragdoll->added_energy += md5_max(0.0, energy_change);
    update_bodies(ragdoll);
    reset_rest_check(ragdoll);
}

// Converts a point in world space to the axes of a node's body. Limits its coordinates first,
// because it comes from the caller.
static md5_vec3d world_point_to_body(const ragdoll_node *node, md5_vec3 point)
{
    const ragdoll_transform *const transform = &node->transform;
    const md5_quatd into_body = md5_quatd_conjugate(transform->rotation);
    const md5_vec3d position = clamp_length(point, MAX_POSITION);
    return md5_quatd_rotate(into_body, md5_vec3d_sub(position, transform->position));
}

// Pulls a point of a body toward *target, both in world space. If `target` is NULL, ends the drag.
void md5_ragdoll_drag(md5_ragdoll *ragdoll, uint32_t body, md5_vec3 point, const md5_vec3 *target)
{
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    MD5_ASSERT(body < ragdoll->num_nodes, "body: must be a body of the figure");
    uint32_t *const dragged_node = &ragdoll->links[DRAG_LINK].nodes[0];
    reset_rest_check(ragdoll);
    if (!target) {
        *dragged_node = MD5_NONE;
        return;
    }

    // The point of the body is fixed at the start of a drag. Later calls for the same body only
    // move the target.
    const uint32_t node = ragdoll->node_by_body[body];
    const bool starts_drag = node != *dragged_node;
    if (starts_drag)
        ragdoll->drag_anchor = world_point_to_body(&ragdoll->nodes[node], point);
    ragdoll->drag_target = clamp_length(*target, MAX_POSITION);
    *dragged_node = node;
}

void md5_ragdoll_wake(md5_ragdoll *ragdoll)
{
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    reset_rest_check(ragdoll);
}

// == Time =========================================================================================

static double seconds_since(const md5_ragdoll *ragdoll, uint64_t step)
{
    return (double)(ragdoll->step - step) * (1.0 / ragdoll_rate);
}

#define MIN_TIME_SCALE 0.01 // at the start of slow motion

// Returns the speed of the simulation relative to real time. During slow motion it increases
// linearly from MIN_TIME_SCALE to 1. Before and after slow motion it is 1.
static double slow_motion_scale(const md5_ragdoll *ragdoll)
{
    const double elapsed = seconds_since(ragdoll, 0);
    const double from = (double)ragdoll->slow_motion[0];
    const double to = (double)ragdoll->slow_motion[1];
    if (ragdoll->desc.ignore_slow_motion || !(from < elapsed && elapsed < to))
        return 1.0;
    return md5_max(MIN_TIME_SCALE, (elapsed - from) / (to - from));
}

// Returns the factor of the figure's friction at the current time. A dent is a period in which the
// friction differs from its normal value. The factor goes linearly from 1 at the start of the dent
// to dent->scale in the middle, and back to 1 at the end.
static double friction_scale(const md5_ragdoll *ragdoll, const md5_friction_dent *dent)
{
    const double elapsed = seconds_since(ragdoll, 0);
    const double start = (double)dent->start;
    const double end = (double)dent->end;
    if (!(start < elapsed && elapsed < end))
        return 1.0;
    // The distance from the middle of the dent: 0 in the middle, 1 at the start and the end.
    const double from_middle = fabs(2.0 * (elapsed - start) / (end - start) - 1.0);
    const double scale = 1.0 + ((double)dent->scale - 1.0) * (1.0 - from_middle);
    return md5_min(MAX_FRICTION_SCALE, md5_max(0.0, scale));
}

// Multiplies the velocities and momenta of all bodies by a factor.
static void scale_velocities(md5_ragdoll *ragdoll, double scale)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->linear = md5_vec3d_scale(node->linear, scale);
        node->angular = md5_vec3d_scale(node->angular, scale);
        node->momentum = md5_vec3d_scale(node->momentum, scale);
        node->angular_momentum = md5_vec3d_scale(node->angular_momentum, scale);
    }
}

// A step has a finite length, so its motion is only an approximation, which can add energy. Removes
// this energy by slowing down all bodies. While the ragdoll is dragged, the added energy is only
// counted, because a drag adds energy on purpose.
static void limit_energy(md5_ragdoll *ragdoll, double energy_before)
{
    const double kinetic = md5i_ragdoll_kinetic_energy(ragdoll);
    const double energy = kinetic + md5i_ragdoll_potential_energy(ragdoll);
    if (energy <= energy_before)
        return;
    const double excess = energy - energy_before;
    if (md5_is_ragdoll_dragged(ragdoll)) {
        ragdoll->added_energy += excess;
        return;
    }

    // The kinetic energy is proportional to the square of the velocities. If it is less than the
    // excess, all bodies stop.
    const double allowed = kinetic - excess;
    scale_velocities(ragdoll, allowed > 0.0 ? sqrt(allowed / kinetic) : 0.0);
}

// Returns the sine of half of the angle by which a body at rest may rotate. Uses the Taylor series
// up to the fifth power, because the bits of sin() depend on the platform.
static double half_sine_of_limit(double degrees)
{
    const double half_angle = md5_min(md5_max(degrees, 0.0), 180.0) * (0.5 * RADIANS_PER_DEGREE);
    const double square = half_angle * half_angle;
    return half_angle * (1.0 - square * (1.0 / 6.0) * (1.0 - square * (1.0 / 20.0)));
}

// Returns true if a body has moved by at least `max_distance`, units, or has rotated by at least an
// angle. `max_half_sine` is the sine of half of this angle.
static bool has_transform_changed(const md5_xform *before, const md5_xform *after,
                                  double max_distance, double max_half_sine)
{
    const md5_vec3d offset = md5_vec3d_sub(md5_vec3d_from_vec3(after->translation),
                                           md5_vec3d_from_vec3(before->translation));
    if (md5_vec3d_length(offset) >= max_distance)
        return true;

    // The vector part of a unit quaternion has the length sin(angle / 2).
    const md5_quatd inverse_before = md5_quatd_conjugate(md5_quatd_from_quat(before->rotation));
    const md5_quatd q = md5_quatd_mul(md5_quatd_from_quat(after->rotation), inverse_before);
    const double half_sine_square = q.x * q.x + q.y * q.y + q.z * q.z;
    return half_sine_square >= max_half_sine * max_half_sine;
}

// Returns true if a body has moved or rotated too far since the start of the check for rest. The
// figure defines the distance, no_move[1] in units, and the angle, no_move[2] in degrees.
static bool has_moved_since_check(const md5_ragdoll *ragdoll)
{
    const float *const no_move = ragdoll->desc.figure->def->no_move;
    const double max_distance = (double)no_move[1];
    const double max_half_sine = half_sine_of_limit((double)no_move[2]);
    for (uint32_t i = 0; i < ragdoll->num_nodes; i++) {
        const md5_xform *const before = &ragdoll->rest_reference[i].transform;
        const md5_xform *const after = &ragdoll->bodies[i].transform;
        if (has_transform_changed(before, after, max_distance, max_half_sine))
            return true;
    }
    return false;
}

// Returns true if the speeds and accelerations of a body are below the limits of the figure.
// `before` is the body before the last step. `limits` are the maximum speed, angular speed,
// acceleration and angular acceleration.
static bool is_body_slow(const ragdoll_node *node, const md5_body_state *before,
                         const float limits[4])
{
    const bool has_low_speed = md5_vec3d_length(node->linear) < (double)limits[0]
                               && md5_vec3d_length(node->angular) < (double)limits[1];
    if (!has_low_speed)
        return false;

    const md5_vec3d linear_before = md5_vec3d_from_vec3(before->linear);
    const md5_vec3d angular_before = md5_vec3d_from_vec3(before->angular);
    const double change = md5_vec3d_length(md5_vec3d_sub(node->linear, linear_before));
    const double angular_change = md5_vec3d_length(md5_vec3d_sub(node->angular, angular_before));
    return change * ragdoll_rate < (double)limits[2]
           && angular_change * ragdoll_rate < (double)limits[3];
}

// Returns true if all bodies are slow after a step. ragdoll->bodies must still contain the state
// before the step.
static bool is_slow(const md5_ragdoll *ragdoll)
{
    const float *const limits = ragdoll->desc.figure->def->suspend_speed;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        if (!is_body_slow(node, &ragdoll->bodies[node->body], limits))
            return false;
    }
    return true;
}

// A figure cannot rest if a joint is past a limit by more than this angle, or if a contact is
// deeper in the ground than this distance, units.
#define MAX_REST_LIMIT_EXCESS (0.5 * RADIANS_PER_DEGREE)
#define MAX_REST_DEPTH 0.25

// Returns true if all joints are within their limits and no contact is in the ground, within these
// tolerances.
static bool is_within_limits(const md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        for (uint32_t i = 0; i < node->num_limits; i++) {
            if (!(node->limits[i].gap > -MAX_REST_LIMIT_EXCESS))
                return false;
        }
        for (uint32_t i = 0; i < node->num_contacts; i++) {
            if (!(node->contacts[i].gap > -MAX_REST_DEPTH))
                return false;
        }
    }
    return true;
}

// Returns true if the figure has not moved for no_move[0] seconds of its definition. Compares the
// bodies with rest_reference, a copy from the start of the check. If the figure has moved, a new
// check begins.
static bool passes_rest_check(md5_ragdoll *ragdoll)
{
    const double interval = (double)ragdoll->desc.figure->def->no_move[0];
    const bool has_check = interval > 0.0;
    if (!has_check || seconds_since(ragdoll, ragdoll->rest_check_step) < interval)
        return false;
    if (!has_moved_since_check(ragdoll))
        return true;
    ragdoll->rest_check_step = ragdoll->step;
    memcpy(ragdoll->rest_reference, ragdoll->bodies, ragdoll->num_nodes * sizeof *ragdoll->bodies);
    return false;
}

// Returns true if the ragdoll may come to rest after this step. The engine's rules depend on the
// seconds since the ragdoll was started or woken:
//
//   before move_times[0]   it may not rest
//   in between             it rests if the figure does not move: see passes_rest_check()
//   after move_times[1]    it always rests
//
// In addition, a figure may rest if it has been slow for some time. A single slow step is not
// enough, because a body that begins to fall is slow, too.
static bool can_rest(md5_ragdoll *ragdoll)
{
    const md5_figure_def *const def = ragdoll->desc.figure->def;
    const double min_time = (double)def->move_times[0];
    const double max_time = (double)def->move_times[1]; // 0 or less: no maximum
    const double time = seconds_since(ragdoll, ragdoll->wake_step);
    if (md5_is_ragdoll_dragged(ragdoll) || time < min_time)
        return false;
    if (max_time > 0.0 && time > max_time)
        return true;
    if (passes_rest_check(ragdoll))
        return is_within_limits(ragdoll);

    if (!is_slow(ragdoll))
        ragdoll->last_fast_step = ragdoll->step;
    const bool is_slow_for_some_time =
        time > SLOW_AFTER && seconds_since(ragdoll, ragdoll->last_fast_step) >= SLOW_FOR;
    return is_slow_for_some_time && is_within_limits(ragdoll);
}

// Sums over all bodies. They are computed from node->velocity, the velocities that the solver has
// found for the step.
typedef struct ragdoll_motion {
    double kinetic_energy;
    double upward_momentum; // along z, against gravity
    double mass;
} ragdoll_motion;

// Returns the sums of energy, momentum and mass over all bodies: see ragdoll_motion. The kinetic
// energy of a body with the mass m, the velocity v of its center, the angular momentum L and the
// angular velocity w is
//
//   m v^2 / 2 + dot(L, w) / 2
static ragdoll_motion sum_motion(const md5_ragdoll *ragdoll)
{
    ragdoll_motion sum = {0.0, 0.0, 0.0};
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        const md5_vec3d angular = md5_spatial_angular(&node->velocity);
        const md5_vec3d linear = md5_vec3d_add(md5_spatial_linear(&node->velocity),
                                               md5_vec3d_cross(angular, node->center));
        const md5_vec3d angular_momentum = md5_matrix_mul(&node->world_inertia, angular);
        sum.kinetic_energy += 0.5 * node->mass * md5_vec3d_dot(linear, linear);
        sum.kinetic_energy += 0.5 * md5_vec3d_dot(angular_momentum, angular);
        sum.upward_momentum += node->mass * linear.z;
        sum.mass += node->mass;
    }
    return sum;
}

// Returns the fraction s of a step, 0 to 1, after which the energy has changed by `allowed`. It is
// the positive root of
//
//   K s^2 + R s = allowed
//
// `kinetic` is K, the kinetic energy of the bodies in the step. `rise` is R, the increase of their
// potential energy in a whole step.
static double fraction_for_energy(double kinetic, double rise, double allowed)
{
    // For each sign of `rise`, one of these two forms avoids a difference of nearly equal numbers.
    const double root = sqrt(rise * rise + 4.0 * kinetic * allowed);
    if (rise > 0.0)
        return 2.0 * allowed / (root + rise);
    return (root - rise) / (2.0 * kinetic);
}

// Returns the time for which the bodies may move by the solved velocities, so that the energy does
// not increase by more than MAX_RISE. Usually this is the whole step. It is shorter only if bodies
// are pushed out of the ground, or if the sweeps ended before they converged.
//
// A shorter move is safe. The bodies are then between their positions before and after the whole
// move, so no joint is farther past its limit, and no body deeper in the ground, than at one of
// these positions.
static double safe_seconds(const md5_ragdoll *ragdoll, double kinetic_before)
{
    const bool is_starting = ragdoll->step < START_STEPS;
    if (md5_is_ragdoll_dragged(ragdoll) || is_starting)
        return ragdoll->seconds;

    const ragdoll_motion motion = sum_motion(ragdoll);
    const double kinetic = motion.kinetic_energy;
    const double rise = ragdoll->seconds * ragdoll->gravity * motion.upward_momentum;
    const double gravity = ragdoll->gravity > 0.0 ? ragdoll->gravity : DEFAULT_GRAVITY;
    // Momenta and velocities of a restored state may contradict each other. Their energy can then
    // be negative.
    const double allowed = md5_max(0.0, kinetic_before) + MAX_RISE * gravity * motion.mass;
    if (kinetic + rise <= allowed)
        return ragdoll->seconds;
    return ragdoll->seconds * fraction_for_energy(kinetic, rise, allowed);
}

// Finds the velocities with which the bodies move in this step. If joints would rotate too fast for
// the length of the step, increases their inertia, and solves the step again.
static void solve_step(md5_ragdoll *ragdoll)
{
    enum { MAX_SOLUTIONS = 5 };
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        ragdoll->nodes[k].extra_inertia = 0.0;
    int num_solutions = 0;
    do {
        md5i_prepare_ragdoll(ragdoll, PREPARE_STEP);
        md5i_solve_ragdoll(ragdoll);
        num_solutions++;
    } while (md5i_slow_fast_joints(ragdoll) && num_solutions < MAX_SOLUTIONS);
}

// Simulates one step: finds contacts with the ground, solves for the velocities of all bodies,
// moves the bodies, and detects rest. See ragdoll.h.
static void advance_step(md5_ragdoll *ragdoll)
{
    const double kinetic_before = md5i_ragdoll_kinetic_energy(ragdoll);
    const double energy_before = kinetic_before + md5i_ragdoll_potential_energy(ragdoll);
    ragdoll->seconds = slow_motion_scale(ragdoll) * (1.0 / ragdoll_rate);
    for (uint32_t i = 0; i < NUM_FRICTIONS; i++)
        ragdoll->friction_scales[i] = friction_scale(ragdoll, &ragdoll->friction_dents[i]);

    md5i_find_ragdoll_contacts(ragdoll);
    solve_step(ragdoll);
    md5i_move_ragdoll(ragdoll, safe_seconds(ragdoll, kinetic_before));
    md5i_relax_ragdoll(ragdoll);
    md5i_store_ragdoll_velocities(ragdoll);
    limit_energy(ragdoll, energy_before);

    ragdoll->step++;
    ragdoll->is_at_rest = can_rest(ragdoll);
    if (ragdoll->is_at_rest)
        scale_velocities(ragdoll, 0.0);
    update_bodies(ragdoll);
}

// Advances the simulation by `seconds` in steps of 1 / ragdoll_rate. A remainder that is shorter
// than a step is kept for the next call.
void md5_ragdoll_advance(md5_ragdoll *ragdoll, double seconds)
{
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    MD5_ASSERT(seconds >= 0.0 && seconds <= 1e6, "seconds: must be 0 or more");
    const double tolerance = 1e-7; // sums of fractions of a step may be slightly less than a step
    ragdoll->pending_time += seconds;
    while (!ragdoll->is_at_rest && ragdoll->pending_time + tolerance >= 1.0 / ragdoll_rate) {
        ragdoll->pending_time -= 1.0 / ragdoll_rate;
        md5_mark_callback(&ragdoll->internal, MD5_CALLBACK);
        advance_step(ragdoll);
        md5_mark_callback(&ragdoll->internal, MD5_NO_CALLBACK);
    }
    if (ragdoll->is_at_rest)
        ragdoll->pending_time = 0.0;
}

// The arguments of md5_ragdoll_advance_batch().
typedef struct batch_arguments {
    md5_ragdoll *const *ragdolls;
    double seconds;
} batch_arguments;

// Advances the ragdolls with the indices `begin` to `end` - 1, as one part of a batch.
static void advance_range(void *user, size_t begin, size_t end, void *scratch)
{
    const batch_arguments *const arguments = (const batch_arguments *)user;
    (void)scratch;
    for (size_t i = begin; i < end; i++)
        md5_ragdoll_advance(arguments->ragdolls[i], arguments->seconds);
}

// Advances `count` different ragdolls by the same duration, on the threads of `threads`. If
// `threads` is NULL, the calling thread does all work.
void md5_ragdoll_advance_batch(md5_ragdoll *const *ragdolls, size_t count, double seconds,
                               const md5_threads *threads)
{
    MD5_ASSERT_ARRAY(ragdolls, count);
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_RAGDOLL_CHANGE(ragdolls[i]);
    }
    batch_arguments arguments = {ragdolls, seconds};
    const md5_batch batch = {.run = advance_range, .user = &arguments, .count = count};
    md5i_run_batch(threads, &batch);
}

// == State ========================================================================================

const md5_body_state *md5_ragdoll_bodies(const md5_ragdoll *ragdoll)
{
    MD5_ASSERT_RAGDOLL(ragdoll);
    return ragdoll->bodies;
}

bool md5_ragdoll_is_at_rest(const md5_ragdoll *ragdoll)
{
    MD5_ASSERT_RAGDOLL(ragdoll);
    return ragdoll->is_at_rest;
}

// Returns the number of angular limits of a constraint: 1 for a cone or a hinge, 2 for a pyramid,
// and 0 for a constraint without limit or without rotation.
static uint32_t count_limits(const md5_figure_constraint *def)
{
    const bool is_hinge = def->type == MD5_CONSTRAINT_HINGE;
    const bool is_ball = def->type == MD5_CONSTRAINT_BALL || def->type == MD5_CONSTRAINT_UNIVERSAL;
    if (def->limit == MD5_FIGURE_NO_LIMIT || (!is_hinge && !is_ball))
        return 0;
    return def->limit == MD5_FIGURE_PYRAMID && is_ball ? 2 : 1;
}

// Returns the smallest angle, in degrees, from the shaft of a constraint to one of its limits. It
// is negative if the shaft is past the limit, and 360 if the constraint has no limit.
static double angle_to_limit(const md5_body_constraint *constraint, const ragdoll_transform ends[2])
{
    double min_angle = 360.0;
    const uint32_t num_limits = count_limits(constraint->def);
    const limit_directions directions = md5i_rotate_limits(constraint, ends);
    for (uint32_t i = 0; i < num_limits; i++) {
        const limit_state state = md5i_measure_limit(constraint, i, &directions);
        const bool can_be_reached = md5_vec3d_dot(state.axis, state.axis) != 0.0;
        if (!can_be_reached)
            continue;
        const double limit = acos(md5_min((double)constraint->limit_cosines[i], 0.99996));
        const double angle = atan2(state.sine, state.cosine);
        min_angle = md5_min(min_angle, (limit - angle) / RADIANS_PER_DEGREE);
    }
    return min_angle;
}

// Adds the contacts of a node to the statistics of the ragdoll.
static void measure_contacts(const ragdoll_node *node, md5_ragdoll_status *status)
{
    for (uint32_t i = 0; i < node->num_contacts; i++) {
        const ragdoll_contact *const contact = &node->contacts[i];
        const md5_vec3d point = md5_transform_point(&node->transform, contact->position);
        const double gap = md5_vec3d_dot(contact->normal, point) - contact->level;
        status->num_contacts += contact->impulses[CONTACT_NORMAL].value > 0.0;
        status->max_penetration = fmaxf(status->max_penetration, (float)-gap);
    }
}

// Returns the distance between the anchors of a constraint, the points that it holds together.
// Springs and sliders permit a distance. For other constraints, a distance is an error of the
// simulation.
static double anchor_distance(const md5_body_constraint *constraint,
                              const ragdoll_transform ends[2])
{
    md5_vec3d anchors[2]; // in world space
    for (uint32_t i = 0; i < 2; i++)
        anchors[i] = md5_transform_point(&ends[i], md5_vec3d_from_vec3(constraint->anchors[i]));
    return md5_vec3d_length(md5_vec3d_sub(anchors[0], anchors[1]));
}

// Adds the errors of a constraint to the statistics: the angle by which it is past its limit, and
// the distance between its anchors.
static void measure_constraint(const md5_ragdoll *ragdoll, uint32_t index,
                               md5_ragdoll_status *status)
{
    const md5_body_constraint *const constraint = &ragdoll->desc.figure->constraints[index];
    ragdoll_transform ends[2];
    md5i_constraint_transforms(ragdoll, constraint, ends);
    const double excess = -angle_to_limit(constraint, ends);
    if (excess > (double)status->worst_limit) {
        status->worst_limit = (float)excess;
        status->worst_constraint = index;
    }

    const md5_constraint_type type = constraint->def->type;
    const bool can_separate = type == MD5_CONSTRAINT_SPRING || type == MD5_CONSTRAINT_SLIDER;
    if (!can_separate) {
        const double distance = anchor_distance(constraint, ends);
        status->worst_joint = fmaxf(status->worst_joint, (float)distance);
    }
}

// Returns the state and the statistics of a ragdoll's simulation, for example for a debug view.
md5_ragdoll_status md5_ragdoll_state(const md5_ragdoll *ragdoll)
{
    MD5_ASSERT_RAGDOLL(ragdoll);
    md5_ragdoll_status status = {.time = seconds_since(ragdoll, 0),
                                 .energy = total_energy(ragdoll),
                                 .added_energy = ragdoll->added_energy,
                                 .time_scale = (float)(ragdoll->seconds * ragdoll_rate),
                                 .worst_constraint = MD5_NONE};
    for (uint32_t i = 0; i < NUM_FRICTIONS; i++)
        status.friction_scales[i] = (float)ragdoll->friction_scales[i];
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        measure_contacts(&ragdoll->nodes[k], &status);
    for (uint32_t i = 0; i < ragdoll->desc.figure->num_constraints; i++)
        measure_constraint(ragdoll, i, &status);
    return status;
}

// == Copying and saving ===========================================================================

// Copies the changing state of a ragdoll to another ragdoll. Both must belong to the same figure.
void md5_copy_ragdoll(md5_ragdoll *to, const md5_ragdoll *from)
{
    MD5_ASSERT_RAGDOLL_CHANGE(to);
    MD5_ASSERT_RAGDOLL(from);
    MD5_ASSERT(to->desc.figure == from->desc.figure, "to, from: must belong to the same figure");
    if (to == from)
        return;
    memcpy(to->nodes, from->nodes, to->num_nodes * sizeof *to->nodes);
    memcpy(to->links, from->links, to->num_links * sizeof *to->links);
    memcpy(to->bodies, from->bodies, to->num_nodes * sizeof *to->bodies);
    memcpy(to->rest_reference, from->rest_reference, to->num_nodes * sizeof *to->rest_reference);
    memcpy(&to->world, &from->world, sizeof *to - offsetof(md5_ragdoll, world));
}

// The position in a saved state, and what to do with each value: save, check or restore it. One set
// of functions does all three, so that they cannot disagree on the format.
typedef struct ragdoll_archive {
    md5_state_archive bytes; // bytes to which the state is written, or from which it is read
    bool is_trial;           // the ragdoll is not changed: its state is only saved or checked
    bool is_valid;           // all values so far are in their ranges
} ragdoll_archive;

// Largest valid values in a saved state.
#define MAX_SAVED_COORDINATE 1e15       // of positions and speeds
#define MAX_SAVED_IMPULSE 1e30          // of impulses, forces and energies
#define MAX_UNIT_COMPONENT 1.001        // of unit vectors and unit quaternions
#define MAX_SAVED_STEP (UINT64_MAX / 2) // limit of step counts

// Saves `number`, or reads the saved number. Returns the number, which must be from `min` to `max`.
static double archive_number(ragdoll_archive *archive, double number, double min, double max)
{
    double archived = number;
    md5_archive_64(&archive->bytes, &archived);
    archive->is_valid &= archived >= min && archived <= max;
    return archived;
}

// Saves or restores numbers. Each number must be from `min` to `max`.
static void archive_numbers(ragdoll_archive *archive, double *numbers, int count, double min,
                            double max)
{
    for (int i = 0; i < count; i++) {
        const double number = archive_number(archive, numbers[i], min, max);
        if (!archive->is_trial)
            numbers[i] = number;
    }
}

// Saves or restores a vector. Each coordinate must be from -max to `max`.
static void archive_vector(ragdoll_archive *archive, md5_vec3d *vector, double max)
{
    archive_numbers(archive, &vector->x, 1, -max, max);
    archive_numbers(archive, &vector->y, 1, -max, max);
    archive_numbers(archive, &vector->z, 1, -max, max);
}

// Saves or restores a unit quaternion. The saved quaternion must have nearly unit length.
static void archive_rotation(ragdoll_archive *archive, md5_quatd *rotation)
{
    double components[4] = {rotation->x, rotation->y, rotation->z, rotation->w};
    for (int i = 0; i < 4; i++)
        components[i] =
            archive_number(archive, components[i], -MAX_UNIT_COMPONENT, MAX_UNIT_COMPONENT);

    const md5_quatd q = {components[0], components[1], components[2], components[3]};
    archive->is_valid &= fabs(md5_quatd_dot(q, q) - 1.0) < 1e-3;
    if (!archive->is_trial)
        *rotation = q;
}

// Saves or restores a whole number from 0 to `max`.
static void archive_count(ragdoll_archive *archive, uint64_t *count, uint64_t max)
{
    uint64_t number = *count;
    md5_archive_64(&archive->bytes, &number);
    archive->is_valid &= number <= max;
    if (!archive->is_trial)
        *count = number;
}

// Saves or restores an index that is less than `count`, or `none`. The value `none` is saved as
// `count`.
static void archive_index(ragdoll_archive *archive, uint32_t *index, uint32_t count, uint32_t none)
{
    uint64_t number = *index == none ? count : *index;
    archive_count(archive, &number, count);
    if (!archive->is_trial)
        *index = number == count ? none : (uint32_t)number;
}

// Saves or restores the values of a contact that last from step to step. Its other values are
// computed again in each step.
static void archive_contact(ragdoll_archive *archive, ragdoll_contact *contact)
{
    archive_vector(archive, &contact->position, MAX_SAVED_COORDINATE);
    archive_vector(archive, &contact->normal, MAX_UNIT_COMPONENT);
    archive_numbers(archive, &contact->level, 1, -MAX_SAVED_COORDINATE, MAX_SAVED_COORDINATE);
    for (int i = 0; i < NUM_CONTACT_DIRECTIONS; i++) {
        const double min_impulse = i == CONTACT_NORMAL ? 0.0 : -MAX_SAVED_IMPULSE;
        archive_numbers(archive, &contact->impulses[i].value, 1, min_impulse, MAX_SAVED_IMPULSE);
    }
    archive_numbers(archive, &contact->approach_speed, 1, -MAX_SAVED_COORDINATE,
                    MAX_SAVED_COORDINATE);
}

// Saves or restores the state of a body and its joint. Unused elements of contacts[] are saved,
// too, so that all nodes have the same size.
static void archive_node(ragdoll_archive *archive, ragdoll_node *node)
{
    archive_rotation(archive, &node->transform.rotation);
    archive_rotation(archive, &node->joint_rotation);
    archive_vector(archive, &node->transform.position, MAX_SAVED_COORDINATE);
    archive_vector(archive, &node->momentum, MAX_SAVED_COORDINATE);
    archive_vector(archive, &node->angular_momentum, MAX_SAVED_COORDINATE);
    archive_vector(archive, &node->linear, MAX_SAVED_COORDINATE);
    archive_vector(archive, &node->angular, MAX_SAVED_COORDINATE);
    archive_numbers(archive, &node->slide, 1, -MAX_SAVED_COORDINATE, MAX_SAVED_COORDINATE);
    archive_numbers(archive, &node->load, 1, 0.0, MAX_SAVED_IMPULSE);
    for (size_t i = 0; i < MD5_COUNT(node->limits); i++)
        archive_numbers(archive, &node->limits[i].impulse.value, 1, 0.0, MAX_SAVED_IMPULSE);
    archive_count(archive, &node->next_search, MAX_SAVED_STEP);

    // archive_index() permits 0 to MAX_CONTACTS, because MAX_CONTACTS is passed as `none`, too.
    archive_index(archive, &node->num_contacts, MAX_CONTACTS, MAX_CONTACTS);
    for (uint32_t i = 0; i < MAX_CONTACTS; i++)
        archive_contact(archive, &node->contacts[i]);
}

// Saves or restores a transform of float components.
static void archive_xform(ragdoll_archive *archive, md5_xform *transform)
{
    md5_quat *const rotation = &transform->rotation;
    md5_vec3 *const translation = &transform->translation;
    float *const components[] = {&rotation->x,    &rotation->y,    &rotation->z,   &rotation->w,
                                 &translation->x, &translation->y, &translation->z};
    for (size_t i = 0; i < MD5_COUNT(components); i++) {
        double number = (double)*components[i];
        archive_numbers(archive, &number, 1, -MAX_SAVED_COORDINATE, MAX_SAVED_COORDINATE);
        *components[i] = (float)number;
    }
}

// Saves, checks or restores the whole state of a ragdoll, depending on the archive. Whoever changes
// this function must also change RAGDOLL_MAGIC and the sizes below.
static void archive_ragdoll(ragdoll_archive *archive, md5_ragdoll *ragdoll)
{
    archive_rotation(archive, &ragdoll->world.rotation);
    archive_vector(archive, &ragdoll->world.position, MAX_SAVED_COORDINATE);
    archive_vector(archive, &ragdoll->drag_anchor, MAX_SAVED_COORDINATE);
    archive_vector(archive, &ragdoll->drag_target, MAX_SAVED_COORDINATE);
    archive_numbers(archive, &ragdoll->pending_time, 1, -1.0, 1e6);
    archive_numbers(archive, &ragdoll->added_energy, 1, 0.0, MAX_SAVED_IMPULSE);
    archive_numbers(archive, &ragdoll->seconds, 1, 0.0, 1.0);
    archive_numbers(archive, ragdoll->friction_scales, NUM_FRICTIONS, 0.0, MAX_FRICTION_SCALE);
    archive_count(archive, &ragdoll->step, MAX_SAVED_STEP);
    archive_count(archive, &ragdoll->rest_check_step, MAX_SAVED_STEP);
    archive_count(archive, &ragdoll->wake_step, MAX_SAVED_STEP);
    archive_count(archive, &ragdoll->last_fast_step, MAX_SAVED_STEP);
    archive_count(archive, &ragdoll->is_at_rest, 1);
    archive_index(archive, &ragdoll->links[DRAG_LINK].nodes[0], ragdoll->num_nodes, MD5_NONE);

    for (uint32_t i = 0; i < ragdoll->num_links; i++) {
        // All impulses are saved, so that each link has the same size.
        ragdoll_link *const link = &ragdoll->links[i];
        archive_index(archive, &link->num_rows, MAX_LINK_ROWS, MAX_LINK_ROWS);
        archive_numbers(archive, link->impulses, MAX_LINK_ROWS, -MAX_SAVED_IMPULSE,
                        MAX_SAVED_IMPULSE);
    }

    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        archive_node(archive, &ragdoll->nodes[k]);
    for (uint32_t i = 0; i < ragdoll->num_nodes; i++)
        archive_xform(archive, &ragdoll->rest_reference[i].transform);
}

#define RAGDOLL_MAGIC UINT64_C(0x014D354452) // "RD5M" and the version
// A saved state consists of 64-bit values. These are the numbers of values of its header, of the
// members of md5_ragdoll, of each link and of each node. See archive_ragdoll().
enum {
    HEADER_SIZE = 2,
    STATE_SIZE = 24,
    LINK_SIZE = 1 + MAX_LINK_ROWS,
    NODE_SIZE = 36 + 11 * MAX_CONTACTS
};

// Returns the size of the saved state in bytes.
size_t md5_ragdoll_save_size(const md5_ragdoll *ragdoll)
{
    MD5_ASSERT_RAGDOLL(ragdoll);
    return sizeof(uint64_t)
           * (HEADER_SIZE + STATE_SIZE + LINK_SIZE * (size_t)ragdoll->num_links
              + NODE_SIZE * (size_t)ragdoll->num_nodes);
}

// Returns the numbers of bodies and links, combined to one value of the header.
static uint64_t header_counts(const md5_ragdoll *ragdoll)
{
    return (uint64_t)ragdoll->num_nodes << 32 | ragdoll->num_links;
}

// Writes the state of a ragdoll to bytes[md5_ragdoll_save_size()].
void md5_ragdoll_save(const md5_ragdoll *ragdoll, void *bytes)
{
    MD5_ASSERT_RAGDOLL(ragdoll);
    MD5_ASSERT_NOT_NULL(bytes);
    ragdoll_archive archive = {.bytes = {.to = (unsigned char *)bytes}, .is_trial = true};
    uint64_t head[HEADER_SIZE] = {RAGDOLL_MAGIC, header_counts(ragdoll)};
    for (uint32_t i = 0; i < HEADER_SIZE; i++)
        md5_archive_64(&archive.bytes, &head[i]);
    archive_ragdoll(&archive, (md5_ragdoll *)ragdoll); // a trial does not change the ragdoll
    MD5_ASSERT((size_t)(archive.bytes.to - (unsigned char *)bytes)
                   == md5_ragdoll_save_size(ragdoll),
               "bytes: the written size must be md5_ragdoll_save_size()");
}

// Reads the header of a saved state. `size` is the size of the whole state in bytes, and must be at
// least the size of the header. Fails if the data is not a saved ragdoll, has the wrong size, or
// belongs to a ragdoll with other numbers of bodies and constraints.
static bool read_saved_header(const md5_ragdoll *ragdoll, size_t size, ragdoll_archive *archive,
                              md5_context *context)
{
    uint64_t head[HEADER_SIZE] = {0, 0};
    for (uint32_t i = 0; i < HEADER_SIZE; i++)
        md5_archive_64(&archive->bytes, &head[i]);
    if (head[0] != RAGDOLL_MAGIC)
        return MD5_FAIL(
            context, MD5_ERROR_SYNTAX,
            "data is not a saved ragdoll: expected the header of a ragdoll at the start");
    if (head[1] != header_counts(ragdoll))
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "saved ragdoll does not match the figure: expected the same numbers of "
                        "bodies and constraints");

    const size_t expected_size = md5_ragdoll_save_size(ragdoll);
    if (size != expected_size)
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "wrong size of a saved ragdoll: expected %zu bytes, found %zu bytes",
                        expected_size, size);
    return true;
}

// Restores the state that md5_ragdoll_save() wrote. Reads the bytes twice: first to check every
// value, then to store them, so that a failure changes nothing.
bool md5_ragdoll_restore(md5_ragdoll *ragdoll, const void *bytes, size_t size, md5_error *error)
{
    if (!ragdoll)
        return md5i_fail_missing(error, "ragdoll");
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: must not be NULL");
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    ragdoll_archive archive = {
        .bytes = {.from = (const unsigned char *)bytes}, .is_trial = true, .is_valid = true};
    const size_t header_size = HEADER_SIZE * sizeof(uint64_t);
    if (size < header_size)
        return MD5_FAIL(&context, MD5_ERROR_SYNTAX,
                        "data is not a saved ragdoll: expected at least %zu bytes, found %zu bytes",
                        header_size, size);
    TRY(read_saved_header(ragdoll, size, &archive, &context));

    // The first pass checks all values.
    const md5_state_archive after_header = archive.bytes;
    archive_ragdoll(&archive, ragdoll);
    if (!archive.is_valid)
        return MD5_FAIL(&context, MD5_ERROR_RANGE,
                        "invalid saved ragdoll: a value is out of range; save the ragdoll again");

    // The second pass stores the values.
    archive.bytes = after_header;
    archive.is_trial = false;
    archive_ragdoll(&archive, ragdoll);
    update_bodies(ragdoll);
    return true;
}
