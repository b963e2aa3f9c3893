// Solves for the impulses of limits, contacts and links by projected Gauss-Seidel.
//
// A limit bounds the rotation of a joint. A contact is a point of a body that may touch the ground.
// A link is a constraint that is not a joint of the trees: it closes a loop, attaches a second body
// to the world, or is a spring or the drag.
//
// The solver corrects one impulse after the other, so that the speed which this impulse controls is
// allowed. "Projected" means that each impulse is clamped to its allowed range: for example, a
// contact only pushes. A sweep corrects all impulses once. Sweeps are repeated until the speeds
// hardly change.
//
// The solver visits nodes in the order of the tree. When it moves to another node, it propagates
// the effect of earlier impulses along the joints. Therefore the time of a sweep is proportional to
// the number of bodies. Each impulse is computed from exact velocities.
//
// A step solves twice, with different requirements. The sequence of sweeps of one solution is
// called a set of sweeps (sweep_set) in the code:
//
//   SWEEPS_TO_MOVE    md5i_solve_ragdoll() finds the velocities with which the bodies move in
//                     the step. They include corrections of positions, which push bodies out of
//                     the ground and rotate joints back to their limits.
//   SWEEPS_TO_RELAX   md5i_relax_ragdoll() finds the velocities that remain after the move. They
//                     include bounces, but not the corrections of positions.
//
// A gap is the distance to the ground, to a limit, or to a stop of a spring. A gap is negative if
// the body has passed it.
#include "md5/ragdoll/ragdoll.h"

enum { MIN_SWEEPS = 2, MAX_SWEEPS = 40, MAX_RELAX_SWEEPS = 20, MAX_ROUNDS = 10 };

// The sweeps end when a sweep changes no speed by more than this, units per second.
#define MAX_CALM_CHANGE 0.25

// The maximum friction of a contact follows its normal impulse only in this number of first sweeps.
// After them it is constant. The problem is then convex, and the sweeps converge.
//
// Without this rule, the impulses of a foot that is jammed between the ground and limits would grow
// without bound: friction increases the pressure, and pressure increases the friction.
enum { NUM_FRICTION_SWEEPS = 3 };

#define MAX_EXIT_SPEED 60.0 // units per second, with which a penetration is corrected
#define LOOSE_DISTANCE 0.02 // units; smaller penetrations are not corrected, to avoid jitter
#define NEAR_DISTANCE 0.25  // units; contacts with a larger gap after the step are ignored
#define NEAR_ANGLE 0.25     // radians; limits with a larger gap after the step are ignored
#define NEAR_FREE_ANGLE 0.1 // the same while no body touches the ground

// Smallest change of speed per impulse. If a unit impulse changes the speed along its direction by
// less, the bodies cannot move in this direction. The impulse then remains 0.
#define MIN_RESPONSE 1e-30

#define MAX_FRICTION 100.0 // ratio of friction to normal impulse; larger values are clamped
#define MAX_STIFFNESS 1e12 // mass / second^2; larger values of springs are clamped
#define MAX_DAMPING 1e12   // mass * unit / second; larger values of springs are clamped
#define MIN_LENGTH 1e-6    // units; shorter springs do not have a direction

// A stop of a spring is its minimum or maximum length. Stops with a larger gap than this are
// ignored in a step, units.
#define NEAR_STOP 1.0

// Weight of the current step in the running mean of a joint's load.
#define LOAD_RATE 0.25

// Converts a change of speed per impulse to an impulse per change of speed.
static double invert_response(double response)
{
    return response > MIN_RESPONSE ? 1.0 / response : 0.0;
}

// == Propagation along the trees ==================================================================

// Passes an impulse at a node through its joint, and returns the impulse that acts on the parent.
// The part of the impulse along the motions of the joint moves the joint, and is not passed:
//
//   passed = impulse - gains * (transpose(motions) * impulse)
static spatial impulse_at_parent(const ragdoll_node *node, const spatial *impulse)
{
    spatial passed = *impulse;
    for (uint32_t m = 0; m < node->num_motions; m++)
        md5_spatial_add(&passed, &node->gains[m], -md5_spatial_dot(&node->motions[m], impulse));
    return passed;
}

// Passes a motion of the parent through the joint of a node, and returns the motion of the node.
// The inertia of the subtree resists, so the joint moves against the motion of the parent:
//
//   passed = motion - motions * (transpose(gains) * motion)
static spatial motion_from_parent(const ragdoll_node *node, const spatial *motion)
{
    spatial passed = *motion;
    for (uint32_t m = 0; m < node->num_motions; m++)
        md5_spatial_add(&passed, &node->motions[m], -md5_spatial_dot(&node->gains[m], motion));
    return passed;
}

// Moves the cursor from the parent to a node. The parent's velocity may have changed since the last
// visit of the node. Adds the effect of this change to the velocity of the node.
static void enter_node(md5_ragdoll *ragdoll, uint32_t index)
{
    ragdoll_node *const node = &ragdoll->nodes[index];
    ragdoll->cursor = index;
    if (node->parent == MD5_NONE)
        return;
    const spatial *const parent = &ragdoll->nodes[node->parent].velocity;
    spatial change = *parent;
    md5_spatial_add(&change, &node->parent_velocity, -1.0);
    if (md5_spatial_is_zero(&change))
        return;
    const spatial followed = motion_from_parent(node, &change);
    md5_spatial_add(&node->velocity, &followed, 1.0);
    node->parent_velocity = *parent;
}

// Adds an impulse to the impulses that the parent of a node will receive.
static void add_pending(ragdoll_node *node, const spatial *direction, double impulse)
{
    md5_spatial_add(&node->pending, direction, impulse);
    node->has_pending = true;
}

// Moves the cursor from a node to its parent. Applies the pending impulses of the node's subtree to
// the parent. Most subtrees do not have any, because most contacts and limits that may act do not
// act.
static void leave_node(md5_ragdoll *ragdoll)
{
    ragdoll_node *const node = &ragdoll->nodes[ragdoll->cursor];
    ragdoll->cursor = node->parent;
    if (!node->has_pending)
        return;
    if (node->parent != MD5_NONE) {
        ragdoll_node *const parent = &ragdoll->nodes[node->parent];
        const spatial impulse = impulse_at_parent(node, &node->pending);
        const spatial change = md5_spatial_mul(&parent->response, &impulse);
        md5_spatial_add(&parent->velocity, &change, 1.0);
        add_pending(parent, &impulse, 1.0);
        node->parent_velocity = parent->velocity;
    }
    node->pending = (spatial){{0.0}};
    node->has_pending = false;
}

// Returns true if `node` is `root` or one of its descendants, which follow it in nodes[].
static bool is_in_subtree(const md5_ragdoll *ragdoll, uint32_t node, uint32_t root)
{
    return node >= root && node < ragdoll->nodes[root].subtree_end;
}

// Moves the cursor along the tree to a node, whose velocity then includes all impulses that were
// applied so far. Leaves nodes up to the first common ancestor, and then enters nodes down to
// `node`. MD5_NONE leaves the tree.
static void move_cursor(md5_ragdoll *ragdoll, uint32_t node)
{
    while (ragdoll->cursor != MD5_NONE
           && (node == MD5_NONE || !is_in_subtree(ragdoll, node, ragdoll->cursor)))
        leave_node(ragdoll);

    // Parents lead from the node up to the cursor, but nodes are entered in the opposite order.
    // Therefore the path is stored first.
    uint32_t path_length = 0;
    for (uint32_t next = node; next != ragdoll->cursor; next = ragdoll->nodes[next].parent)
        ragdoll->path[path_length++] = next;
    for (uint32_t i = path_length; i-- > 0;)
        enter_node(ragdoll, ragdoll->path[i]);
}

// Starts a propagation of impulses: the cursor is outside of the trees, and no impulse is pending.
// Each node stores the velocity of its parent, so that enter_node() adds only later changes.
static void begin_propagation(md5_ragdoll *ragdoll)
{
    ragdoll->cursor = MD5_NONE;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->pending = (spatial){{0.0}};
        node->has_pending = false;
        if (node->parent != MD5_NONE)
            node->parent_velocity = ragdoll->nodes[node->parent].velocity;
    }
}

// Ends a propagation. Leaves the tree, and then enters every node once, so that the velocities of
// all nodes include all impulses.
static void end_propagation(md5_ragdoll *ragdoll)
{
    move_cursor(ragdoll, MD5_NONE);
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        enter_node(ragdoll, k);
    ragdoll->cursor = MD5_NONE;
}

// Applies an impulse at one body, and propagates its effect through the joints to all other bodies.
void md5i_apply_ragdoll_impulse(md5_ragdoll *ragdoll, uint32_t node, const spatial *impulse)
{
    ragdoll->nodes[node].needs_response = true;
    md5i_compute_responses(ragdoll);
    begin_propagation(ragdoll);
    move_cursor(ragdoll, node);
    const spatial change = md5_spatial_mul(&ragdoll->nodes[node].response, impulse);
    md5_spatial_add(&ragdoll->nodes[node].velocity, &change, 1.0);
    add_pending(&ragdoll->nodes[node], impulse, 1.0);
    end_propagation(ragdoll);
}

// Returns the change of node `to`'s velocity by an impulse at node `from`. Passes the impulse up to
// the first common ancestor, and the resulting motion down to `to`.
static spatial velocity_response(md5_ragdoll *ragdoll, uint32_t from, spatial impulse, uint32_t to)
{
    uint32_t common = from;
    while (common != MD5_NONE && !is_in_subtree(ragdoll, to, common)) {
        impulse = impulse_at_parent(&ragdoll->nodes[common], &impulse);
        common = ragdoll->nodes[common].parent;
    }
    if (common == MD5_NONE)
        return (spatial){{0.0}}; // the nodes are in different trees

    uint32_t path_length = 0; // from `to` up to the common ancestor
    for (uint32_t next = to; next != common; next = ragdoll->nodes[next].parent)
        ragdoll->path[path_length++] = next;
    spatial motion = md5_spatial_mul(&ragdoll->nodes[common].response, &impulse);
    for (uint32_t i = path_length; i-- > 0;)
        motion = motion_from_parent(&ragdoll->nodes[ragdoll->path[i]], &motion);
    return motion;
}

// Raises ragdoll->max_change, the largest change of a speed in this sweep. `impulse` is the change
// of an impulse, and `inverse` the impulse per change of speed.
static void record_change(md5_ragdoll *ragdoll, double impulse, double inverse)
{
    if (inverse > 0.0)
        ragdoll->max_change = md5_max(ragdoll->max_change, fabs(impulse) / inverse);
}

// == Conjugate gradients ==========================================================================
//
// Sweeps converge slowly where light bodies hold heavy bodies. Each sweep therefore begins with a
// step along a conjugate direction of the previous sweeps. See Silcowitz, Niebe, Erleben, "A
// nonsmooth nonlinear conjugate gradient method for interactive contact force problems", The Visual
// Computer, 2010.

// Returns the impulse that the caller must apply to the bodies at the beginning of a sweep, before
// the sweep corrects the velocities.
//
// In the first sweep, impulse->value already contains an impulse. With SWEEPS_TO_MOVE it comes from
// the previous time step and has not been applied in this one, so it is returned. With
// SWEEPS_TO_RELAX it was applied in this time step, so 0 is returned.
//
// In each later sweep, it is a step along the conjugate direction:
//
//   step      = ratio * direction
//   direction = step + change of the impulse by the previous sweep
static double begin_impulse(const md5_ragdoll *ragdoll, ragdoll_impulse *impulse, sweep_set set)
{
    if (ragdoll->sweep == 0) {
        impulse->previous = impulse->value;
        impulse->direction = 0.0;
        return set == SWEEPS_TO_RELAX ? 0.0 : impulse->value;
    }
    const double change = ragdoll->ratio * impulse->direction;
    impulse->direction = change + impulse->value - impulse->previous;
    impulse->value += change;
    impulse->previous = impulse->value;
    return change;
}

// Adds the squared change of an impulse by this sweep to the gradient. The square is divided by the
// impulse per change of speed, so the gradient is an energy.
static void add_gradient(md5_ragdoll *ragdoll, const ragdoll_impulse *impulse, double inverse)
{
    const double change = impulse->value - impulse->previous;
    if (inverse > 0.0)
        ragdoll->gradient += change * change / inverse;
}

// == Limits =======================================================================================
//
// A limit on which the joint leaned in the last step is locked: a stiff damper in the articulated
// inertias acts instead of the impulses of the sweeps. See ragdoll_limit.is_locked.

// Applies an impulse about the axis of a limit to the node, and the opposite impulse to its parent.
static void apply_limit_impulse(md5_ragdoll *ragdoll, ragdoll_node *node,
                                const ragdoll_limit *limit, double impulse)
{
    if (impulse == 0.0)
        return;
    md5_spatial_add(&node->velocity, &limit->response, impulse);
    if (node->parent == MD5_NONE)
        return;
    ragdoll_node *const parent = &ragdoll->nodes[node->parent];
    md5_spatial_add(&parent->velocity, &limit->parent_response, impulse);
    add_pending(parent, &limit->parent_impulse, impulse);
    node->parent_velocity = parent->velocity;
}

// Computes how a node and its parent respond to a unit impulse about the axis of a limit. The
// impulse acts on the node, and the opposite impulse on the parent. Also sets limit->inverse, the
// impulse per change of their relative speed.
//
// Let a be the axis as a spatial vector, M the motions of the joint, G its gains, D = node->inverse
// its inverse inertia, and t = transpose(M) a. The joint passes a - G t to the parent, as in
// impulse_at_parent(). There the opposite impulse -a cancels a:
//
//   parent_impulse   = -G t
//   parent_response  = (response of the parent) * parent_impulse
//   response         = (1 - M transpose(G)) * parent_response + M D t
//   1 / inverse      = dot(a, response - parent_response)
static void compute_limit_response(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_limit *limit)
{
    const spatial axis = md5_spatial_from(limit->axis, (md5_vec3d){0.0, 0.0, 0.0}); // a
    double torques[3] = {0.0, 0.0, 0.0};                                            // t
    for (uint32_t m = 0; m < node->num_motions; m++)
        torques[m] = md5_spatial_dot(&node->motions[m], &axis);

    // The parent.
    limit->parent_impulse = (spatial){{0.0}};
    for (uint32_t m = 0; m < node->num_motions; m++)
        md5_spatial_add(&limit->parent_impulse, &node->gains[m], -torques[m]);
    limit->parent_response = (spatial){{0.0}}; // the world does not move
    if (node->parent != MD5_NONE) {
        const spatial_matrix *const response = &ragdoll->nodes[node->parent].response;
        limit->parent_response = md5_spatial_mul(response, &limit->parent_impulse);
    }

    // The node moves with the parent, and by the motion of the joint, M D t.
    limit->response = motion_from_parent(node, &limit->parent_response);
    for (uint32_t m = 0; m < node->num_motions; m++) {
        for (uint32_t k = 0; k < node->num_motions; k++)
            md5_spatial_add(&limit->response, &node->motions[m], node->inverse[m][k] * torques[k]);
    }

    const double node_speed = md5_spatial_dot(&axis, &limit->response);
    const double parent_speed = md5_spatial_dot(&axis, &limit->parent_response);
    limit->inverse = invert_response(node_speed - parent_speed);
}

// Returns true if the joint must rotate back, because it is past a limit by more than the
// tolerance.
static bool must_return(const md5_ragdoll *ragdoll, const ragdoll_limit *limit)
{
    return md5i_max_limit_speed(ragdoll, limit->gap) < 0.0;
}

// Returns true if the solver applies impulses about the axis of a limit. Only stop_locks() applies
// an impulse about a locked limit, if the lock rotates the joint back.
static bool needs_limit_response(const md5_ragdoll *ragdoll, const ragdoll_limit *limit)
{
    return limit->is_near && (!limit->is_locked || must_return(ragdoll, limit));
}

// Determines if a limit may act in a step. Ignores a limit that the joint cannot reach in the step.
static void begin_limit(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_limit *limit)
{
    const double approach_speed = md5_min(0.0, md5i_limit_speed(ragdoll, node, limit));
    const double next_gap = limit->gap + ragdoll->seconds * approach_speed;
    const double near_angle = ragdoll->is_touching ? NEAR_ANGLE : NEAR_FREE_ANGLE;
    limit->is_near = limit->is_locked || next_gap < near_angle;
    if (!limit->is_near) {
        limit->impulse.value = 0.0;
        return;
    }

    if (must_return(ragdoll, limit))
        ragdoll->needs_relaxation = true;
    if (!limit->is_locked)
        node->is_busy = true; // the sweeps do not solve locked limits
    // The impulse of a limit acts on the node as limit->response, and on its ancestors as an
    // impulse at the parent.
    if (node->parent != MD5_NONE && needs_limit_response(ragdoll, limit))
        ragdoll->nodes[node->parent].needs_response = true;
}

// Corrects the impulse of a limit so that the joint does not pass the limit. The impulse of a limit
// only pushes away from it.
static void solve_limit(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_limit *limit,
                        sweep_set set)
{
    const double initial_impulse = begin_impulse(ragdoll, &limit->impulse, set);
    apply_limit_impulse(ragdoll, node, limit, initial_impulse);

    // `speed` becomes negative if the joint approaches the limit faster than allowed. If the joint
    // is past the limit, it must return: the allowed speed is negative. The relaxation does not
    // require the return.
    double speed = md5i_limit_speed(ragdoll, node, limit);
    if (set == SWEEPS_TO_MOVE || limit->gap >= 0.0)
        speed += md5i_max_limit_speed(ragdoll, limit->gap);

    const double before = limit->impulse.value;
    const double impulse = md5_max(0.0, before - speed * limit->inverse);
    const double change = impulse - before;
    limit->impulse.value = impulse;
    apply_limit_impulse(ragdoll, node, limit, change);
    record_change(ragdoll, change * node->radius, limit->inverse);
    add_gradient(ragdoll, &limit->impulse, limit->inverse);
}

// Sets the impulses of locked limits, which the sweeps did not solve, from the torques of their
// locks. If a torque pulls the joint toward the limit, the impulse becomes 0. The limit is then not
// locked in the next step.
static void read_locks(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        for (uint32_t i = 0; i < node->num_limits; i++) {
            ragdoll_limit *const limit = &node->limits[i];
            if (!limit->is_locked)
                continue;
            const double difference = limit->lock_speed - md5i_limit_speed(ragdoll, node, limit);
            limit->impulse.value = md5_max(0.0, limit->stiffness * difference);
        }
    }
}

// Locks also rotate joints out of a penetration. Removes these speeds after the move, because they
// served only to correct the position.
static void stop_locks(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        for (uint32_t i = 0; i < node->num_limits; i++) {
            const ragdoll_limit *const limit = &node->limits[i];
            if (!limit->is_locked || limit->lock_speed <= 0.0)
                continue;
            move_cursor(ragdoll, k);
            apply_limit_impulse(ragdoll, node, limit, -limit->stiffness * limit->lock_speed);
        }
    }
}

// == Contacts =====================================================================================

// Sets the directions of a contact's impulses: the normal of the ground and two tangents. `point`
// is relative to ragdoll->origin.
static void set_contact_directions(ragdoll_contact *contact, md5_vec3d point)
{
    const md5_vec3d normal = contact->normal;
    const md5_vec3d first = md5_vec3d_perpendicular(normal);
    const md5_vec3d axes[NUM_CONTACT_DIRECTIONS] = {normal, first, md5_vec3d_cross(normal, first)};
    for (uint32_t i = 0; i < NUM_CONTACT_DIRECTIONS; i++)
        contact->directions[i] = md5_spatial_from(md5_vec3d_cross(point, axes[i]), axes[i]);
}

// Computes how the node responds to each impulse of a contact.
static void compute_contact_responses(const ragdoll_node *node, ragdoll_contact *contact)
{
    for (uint32_t i = 0; i < NUM_CONTACT_DIRECTIONS; i++) {
        const spatial *const direction = &contact->directions[i];
        contact->responses[i] = md5_spatial_mul(&node->response, direction);
        contact->inverses[i] = invert_response(md5_spatial_dot(direction, &contact->responses[i]));
    }
}

// Resets a contact that cannot touch the ground in this step.
static void clear_contact(ragdoll_contact *contact)
{
    for (int i = 0; i < NUM_CONTACT_DIRECTIONS; i++)
        contact->impulses[i].value = 0.0;
    contact->approach_speed = 0.0;
}

// Measures the gap of a contact, and sets the directions of its impulses. Ignores a contact that
// cannot touch the ground in this step.
static void begin_contact(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_contact *contact)
{
    const md5_vec3d from_center = md5_matrix_mul(&node->axes, contact->position);
    const md5_vec3d position = md5_vec3d_add(node->transform.position, from_center);
    const md5_vec3d point = md5_vec3d_sub(position, ragdoll->origin);
    const md5_vec3d normal = contact->normal;
    const spatial along_normal = md5_spatial_from(md5_vec3d_cross(point, normal), normal);
    const double speed = md5_spatial_dot(&along_normal, &node->velocity);
    contact->gap = md5_vec3d_dot(normal, position) - contact->level;

    // Impulses at other bodies may accelerate the point toward the ground. Assume that they do so
    // by at most the largest speed of the ragdoll.
    const double min_next_gap = contact->gap + ragdoll->seconds * (speed - ragdoll->max_speed);
    contact->is_near = min_next_gap < NEAR_DISTANCE;
    if (!contact->is_near) {
        clear_contact(contact);
        return;
    }

    set_contact_directions(contact, point);
    const bool was_touching = contact->impulses[CONTACT_NORMAL].value != 0.0;
    if (!was_touching)
        contact->approach_speed = speed;
    const bool is_penetrating = contact->gap < -LOOSE_DISTANCE;
    const bool bounces = contact->approach_speed < -ragdoll->min_bounce_speed;
    if (is_penetrating || bounces)
        ragdoll->needs_relaxation = true;
    node->is_busy = true;
    node->needs_response = true;
}

// Applies an impulse along a direction of a contact to the node. The parent receives it when the
// cursor leaves the node.
static void apply_contact_impulse(ragdoll_node *node, const ragdoll_contact *contact,
                                  uint32_t direction, double impulse)
{
    if (impulse == 0.0)
        return;
    md5_spatial_add(&node->velocity, &contact->responses[direction], impulse);
    add_pending(node, &contact->directions[direction], impulse);
}

// Returns the speed at which the gap of a contact may close. A negative speed means that the gap
// must open, to bounce or to end a penetration. Only the relaxation bounces.
static double contact_closing_speed(const md5_ragdoll *ragdoll, const ragdoll_contact *contact,
                                    sweep_set set)
{
    const bool is_touching = contact->impulses[CONTACT_NORMAL].value > 0.0;
    const bool bounces = is_touching && contact->approach_speed < -ragdoll->min_bounce_speed;
    if (set == SWEEPS_TO_RELAX && bounces)
        return ragdoll->restitution * contact->approach_speed;
    if (set == SWEEPS_TO_RELAX && contact->gap < 0.0)
        return 0.0;
    return md5_max_closing_speed(ragdoll->seconds, contact->gap, LOOSE_DISTANCE, MAX_EXIT_SPEED);
}

// Corrects the impulse along the normal of a contact, so that its gap does not close faster than
// allowed. The impulse only pushes, so it is not below 0.
static void solve_normal(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_contact *contact,
                         sweep_set set)
{
    const double inverse = contact->inverses[CONTACT_NORMAL];
    const double before = contact->impulses[CONTACT_NORMAL].value;
    // Negative if the gap closes faster than allowed.
    const double speed = md5_spatial_dot(&contact->directions[CONTACT_NORMAL], &node->velocity)
                         + contact_closing_speed(ragdoll, contact, set);
    const double impulse = md5_max(0.0, before - speed * inverse);
    contact->impulses[CONTACT_NORMAL].value = impulse;
    apply_contact_impulse(node, contact, CONTACT_NORMAL, impulse - before);
    record_change(ragdoll, impulse - before, inverse);
}

// Returns true if a contact has no friction impulse and must not get one, for example because it
// does not push.
static bool is_frictionless(const ragdoll_contact *contact)
{
    const ragdoll_impulse *const impulses = &contact->impulses[CONTACT_TANGENTS];
    return contact->max_friction == 0.0 && impulses[0].value == 0.0 && impulses[1].value == 0.0;
}

// Corrects the impulses along the tangents of a contact so that the point stops. If the length of
// the impulse would exceed the maximum friction, the impulse is shortened, and the point slides.
static void solve_friction(ragdoll_node *node, ragdoll_contact *contact)
{
    if (is_frictionless(contact))
        return;
    const spatial *const tangents = &contact->directions[CONTACT_TANGENTS];
    const double *const inverses = &contact->inverses[CONTACT_TANGENTS];
    ragdoll_impulse *const impulses = &contact->impulses[CONTACT_TANGENTS];
    double stopping[2]; // impulses that stop the point
    MD5_UNROLL
    for (int i = 0; i < 2; i++) {
        const double speed = md5_spatial_dot(&tangents[i], &node->velocity);
        stopping[i] = impulses[i].value - speed * inverses[i];
    }
    const double length = sqrt(stopping[0] * stopping[0] + stopping[1] * stopping[1]);
    const double scale = length > contact->max_friction ? contact->max_friction / length : 1.0;
    MD5_UNROLL
    for (uint32_t i = 0; i < 2; i++) {
        const double impulse = stopping[i] * scale;
        apply_contact_impulse(node, contact, CONTACT_TANGENTS + i, impulse - impulses[i].value);
        impulses[i].value = impulse;
    }
}

// Corrects the impulses of a contact: first along the normal, because it limits the friction, and
// then along the tangents. `friction` is the ratio of the maximum friction to the normal impulse.
static void solve_contact(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_contact *contact,
                          double friction, sweep_set set)
{
    solve_normal(ragdoll, node, contact, set);
    if (ragdoll->sweep < NUM_FRICTION_SWEEPS)
        contact->max_friction = friction * contact->impulses[CONTACT_NORMAL].value;
    solve_friction(node, contact);
}

// == Links ========================================================================================
//
// A link consists of rows, for example one row for each axis of space. A row is one scalar
// constraint. It controls the relative speed of two points along a direction: the speed of a point
// of nodes[0] minus the speed of a point of nodes[1]. Its impulse acts on nodes[0], and the
// opposite impulse on nodes[1]. After a row is solved,
//
//   relative speed + bias + softness * impulse = 0
//
// where bias is biases[row][set] for the current set of sweeps. Softness lets a spring yield; it is
// 0 for rigid rows. A row whose minimum impulse is 0 only pushes. Without an impulse, such a row
// also permits larger relative speeds.

// Adds a rigid row that keeps the distance of two points along the direction `along` constant. The
// caller may then change its bias, softness or minimum impulse. Returns the index of the row.
static uint32_t add_row(const md5_ragdoll *ragdoll, ragdoll_link *link, const md5_vec3d points[2],
                        md5_vec3d along)
{
    const uint32_t row = link->num_rows++;
    for (uint32_t i = 0; i < 2; i++) {
        const md5_vec3d point = md5_vec3d_sub(points[i], ragdoll->origin);
        link->directions[row][i] = md5_spatial_from(md5_vec3d_cross(point, along), along);
    }
    link->biases[row][SWEEPS_TO_MOVE] = 0.0;
    link->biases[row][SWEEPS_TO_RELAX] = 0.0;
    link->softness[row] = 0.0;
    link->min_impulses[row] = -INFINITY;
    return row;
}

// Turns `row`, which must be the last row of the link, into a damped spring. `stretch` is the
// distance by which the spring is stretched, units. It is negative if the spring is compressed.
// Removes the row if the spring is too weak to have an effect.
//
// Softness and bias follow from an implicit Euler step, which is stable for every stiffness (Catto,
// "Soft Constraints", GDC 2011). For a step of h seconds:
//
//   softness = 1 / (h (damping + h stiffness))
//   bias     = softness h stiffness stretch
static void make_row_spring(const md5_ragdoll *ragdoll, ragdoll_link *link, uint32_t row,
                            double stretch, double stiffness, double damping)
{
    const double seconds = ragdoll->seconds;
    const double impulse_per_speed = seconds * (damping + seconds * stiffness);
    const bool has_effect = impulse_per_speed > 1e-12;
    if (!has_effect) {
        link->num_rows--;
        return;
    }
    const double bias = stretch * seconds * stiffness / impulse_per_speed;
    link->softness[row] = 1.0 / impulse_per_speed;
    link->biases[row][SWEEPS_TO_MOVE] = bias;
    link->biases[row][SWEEPS_TO_RELAX] = bias;
}

// Returns the speed at which the gap of a spring's stop may close. A negative speed means that the
// gap must open, because the spring has passed its stop. The relaxation does not require that.
static double link_closing_speed(const md5_ragdoll *ragdoll, double gap, sweep_set set)
{
    if (set == SWEEPS_TO_RELAX && gap < 0.0)
        return 0.0;
    return md5_max_closing_speed(ragdoll->seconds, gap, LOOSE_DISTANCE, MAX_EXIT_SPEED);
}

// Adds a row for a stop of a spring, which keeps a gap from closing. The gap increases if points[0]
// moves along `along` relative to points[1]. A gap of NEAR_STOP or more cannot close in a step, so
// it needs no row.
static void add_stop(const md5_ragdoll *ragdoll, ragdoll_link *link, const md5_vec3d points[2],
                     md5_vec3d along, double gap)
{
    if (!(gap < NEAR_STOP))
        return;
    const uint32_t row = add_row(ragdoll, link, points, along);
    link->biases[row][SWEEPS_TO_MOVE] = link_closing_speed(ragdoll, gap, SWEEPS_TO_MOVE);
    link->biases[row][SWEEPS_TO_RELAX] = link_closing_speed(ragdoll, gap, SWEEPS_TO_RELAX);
    link->min_impulses[row] = 0.0;
}

// Indices of the array md5_figure_constraint.spring.
enum {
    SPRING_STRETCH, // stiffness when the spring is stretched
    SPRING_COMPRESS,
    SPRING_DAMPING,
    SPRING_REST_LENGTH,
    SPRING_MIN_LENGTH,
    SPRING_MAX_LENGTH
};

// Adds the row that pulls or pushes along a spring of the length `length`, units. `along` is the
// direction from the second to the first point.
//
// In id's engine, the force is quadratic. The row is a linear spring with the same force and the
// same slope at the current stretch:
//
//   force     = strength * stretch * |stretch| = stiffness * distance
//   stiffness = 2 * strength * |stretch|
//   distance  = 0.5 * stretch
static void add_spring_force(const md5_ragdoll *ragdoll, ragdoll_link *link, const float *values,
                             const md5_vec3d points[2], md5_vec3d along, double length)
{
    const double stretch = length - (double)values[SPRING_REST_LENGTH];
    const float signed_strength = stretch > 0.0 ? values[SPRING_STRETCH] : values[SPRING_COMPRESS];
    const double strength = md5_max(0.0, (double)signed_strength);
    const double stiffness = md5_min(2.0 * strength * fabs(stretch), MAX_STIFFNESS);
    const double distance = 0.5 * stretch;
    const double damping = md5_max(0.0, md5_min((double)values[SPRING_DAMPING], MAX_DAMPING));
    const double damping_per_length = damping / md5_max(length, 1.0);
    const uint32_t row = add_row(ragdoll, link, points, along);
    make_row_spring(ragdoll, link, row, distance, stiffness, damping_per_length);
}

// Adds the rows of a spring between two points. One row pulls or pushes along the line between
// them. Other rows stop the spring at its minimum and maximum length.
static void add_spring(const md5_ragdoll *ragdoll, ragdoll_link *link, const float *values,
                       const md5_vec3d points[2])
{
    const md5_vec3d between = md5_vec3d_sub(points[0], points[1]);
    const double length = md5_vec3d_length(between);
    md5_vec3d along = {0.0, 0.0, 1.0}; // the direction of a spring without length is arbitrary
    if (length > MIN_LENGTH)
        along = md5_vec3d_scale(between, 1.0 / length);
    add_spring_force(ragdoll, link, values, points, along, length);

    // A length of 0 means that the spring does not have this stop.
    const double max_length = (double)values[SPRING_MAX_LENGTH];
    const double min_length = (double)values[SPRING_MIN_LENGTH];
    if (max_length > 0.0)
        add_stop(ragdoll, link, points, md5_vec3d_scale(along, -1.0), max_length - length);
    if (min_length > 0.0)
        add_stop(ragdoll, link, points, along, length - min_length);
}

// Angular frequency of the spring of a drag, radians per second: 3 Hz.
#define DRAG_RATE (2.0 * 3.14159265358979323846 * 3.0)

// Adds three rows that pull the dragged point to its target, one along each axis of the world. The
// stiffness is proportional to the mass that resists along the axis. Light and heavy bodies
// therefore follow at the same rate.
static void add_drag(md5_ragdoll *ragdoll, ragdoll_link *link)
{
    static const md5_vec3d axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const ragdoll_node *const node = &ragdoll->nodes[link->nodes[0]];
    const md5_vec3d points[2] = {md5_transform_point(&node->transform, ragdoll->drag_anchor),
                                 ragdoll->drag_target};
    const md5_vec3d apart = md5_vec3d_sub(points[0], points[1]);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t row = add_row(ragdoll, link, points, axes[i]);
        const spatial *const along = &link->directions[row][0];
        const spatial response = md5_spatial_mul(&node->response, along);
        const double speed_per_impulse = md5_spatial_dot(along, &response);
        const double mass = 1.0 / md5_max(speed_per_impulse, MIN_RESPONSE);

        // The stiffness and the damping of a critically damped spring with this frequency.
        const double stiffness = mass * DRAG_RATE * DRAG_RATE;
        const double damping = 2.0 * mass * DRAG_RATE;
        const double stretch = md5_vec3d_dot(apart, axes[i]);
        make_row_spring(ragdoll, link, row, stretch, stiffness, damping);
    }
}

// Returns the direction in which a constraint lets its bodies slide, or 0 if they cannot slide.
static md5_vec3d slide_direction(const md5_body_constraint *constraint,
                                 const ragdoll_transform *second_body)
{
    if (constraint->def->type != MD5_CONSTRAINT_SLIDER)
        return (md5_vec3d){0.0, 0.0, 0.0};
    return md5_quatd_rotate(second_body->rotation, md5_vec3d_from_vec3(constraint->axes[1]));
}

// Writes the axes along which a constraint holds its anchors together. These are the axes of the
// world, or two axes perpendicular to the direction of a slider. Returns their number.
static uint32_t find_loop_axes(const md5_body_constraint *constraint,
                               const ragdoll_transform ends[2], md5_vec3d axes[3])
{
    const md5_vec3d slide = slide_direction(constraint, &ends[1]);
    const bool can_slide = md5_vec3d_dot(slide, slide) > 0.5; // unit length or zero
    if (can_slide) {
        axes[0] = md5_vec3d_perpendicular(slide);
        axes[1] = md5_vec3d_cross(slide, axes[0]);
        return 2;
    }
    axes[0] = (md5_vec3d){1.0, 0.0, 0.0};
    axes[1] = (md5_vec3d){0.0, 1.0, 0.0};
    axes[2] = (md5_vec3d){0.0, 0.0, 1.0};
    return 3;
}

// Adds the rows of a constraint that closes a loop. They keep the anchors of its two bodies
// together. `points` are the anchors in world space. They are apart because of errors of earlier
// steps. Each step corrects the fraction RECOVERY_RATE of their distance.
static void add_loop(const md5_ragdoll *ragdoll, ragdoll_link *link,
                     const md5_body_constraint *constraint, const ragdoll_transform ends[2],
                     const md5_vec3d points[2])
{
    md5_vec3d axes[3];
    const uint32_t num_axes = find_loop_axes(constraint, ends, axes);
    const md5_vec3d apart = md5_vec3d_sub(points[0], points[1]);
    for (uint32_t i = 0; i < num_axes; i++) {
        const uint32_t row = add_row(ragdoll, link, points, axes[i]);
        const double distance = md5_vec3d_dot(apart, axes[i]);
        const double speed = RECOVERY_RATE * distance / ragdoll->seconds;
        link->biases[row][SWEEPS_TO_MOVE] =
            md5_max(-MAX_EXIT_SPEED, md5_min(speed, MAX_EXIT_SPEED));
    }
}

// Adds the rows of a link's constraint: a spring, or a constraint that closes a loop.
static void add_constraint(const md5_ragdoll *ragdoll, ragdoll_link *link)
{
    const md5_body_constraint *const constraint =
        &ragdoll->desc.figure->constraints[link->constraint];
    ragdoll_transform ends[2];
    md5i_constraint_transforms(ragdoll, constraint, ends);
    md5_vec3d points[2]; // the anchors in world space
    for (uint32_t i = 0; i < 2; i++)
        points[i] = md5_transform_point(&ends[i], md5_vec3d_from_vec3(constraint->anchors[i]));
    if (constraint->def->type == MD5_CONSTRAINT_SPRING)
        add_spring(ragdoll, link, constraint->def->spring, points);
    else
        add_loop(ragdoll, link, constraint, ends, points);
}

// Computes the responses of both nodes of a row, and the impulse per change of the speed along the
// row. If both nodes are in one tree, an impulse at one node also moves the other.
static void prepare_row(md5_ragdoll *ragdoll, ragdoll_link *link, uint32_t row)
{
    const spatial *const directions = link->directions[row]; // at each node
    double change_per_impulse = link->softness[row];
    for (uint32_t i = 0; i < 2; i++) {
        if (link->nodes[i] == MD5_NONE)
            continue;
        const spatial_matrix *const node_response = &ragdoll->nodes[link->nodes[i]].response;
        spatial *const response = &link->responses[row][i];
        *response = md5_spatial_mul(node_response, &directions[i]);
        change_per_impulse += md5_spatial_dot(response, &directions[i]);
    }

    // The impulses at the two nodes are opposite, so the effect of each on the other node is
    // subtracted. Both effects are equal, because the matrix of all responses is symmetric.
    const bool connects_two_nodes = link->nodes[0] != MD5_NONE && link->nodes[1] != MD5_NONE;
    if (connects_two_nodes) {
        const spatial response =
            velocity_response(ragdoll, link->nodes[0], directions[0], link->nodes[1]);
        change_per_impulse -= 2.0 * md5_spatial_dot(&response, &directions[1]);
    }
    link->inverses[row] = invert_response(change_per_impulse);
}

// Adds the rows of a link for the current step, and prepares them for the sweeps. If the number of
// rows is the same as in the last step, each row starts with its last impulse. Otherwise the
// impulses start at 0.
static void prepare_link(md5_ragdoll *ragdoll, ragdoll_link *link)
{
    const uint32_t num_rows_before = link->num_rows;
    const bool is_drag = link->constraint == MD5_NONE;
    link->num_rows = 0;
    if (!is_drag)
        add_constraint(ragdoll, link);
    else if (md5_is_ragdoll_dragged(ragdoll))
        add_drag(ragdoll, link);

    if (link->num_rows > 0)
        ragdoll->needs_relaxation = true;
    if (link->num_rows != num_rows_before)
        memset(link->impulses, 0, sizeof link->impulses);
    for (uint32_t row = 0; row < link->num_rows; row++)
        prepare_row(ragdoll, link, row);
}

// Applies an impulse along a row to node 0, and the opposite impulse to node 1.
static void apply_link_impulse(md5_ragdoll *ragdoll, ragdoll_link *link, uint32_t row,
                               double impulse)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (link->nodes[i] == MD5_NONE)
            continue;
        const double signed_impulse = i == 0 ? impulse : -impulse;
        move_cursor(ragdoll, link->nodes[i]);
        ragdoll_node *const node = &ragdoll->nodes[link->nodes[i]];
        md5_spatial_add(&node->velocity, &link->responses[row][i], signed_impulse);
        add_pending(node, &link->directions[row][i], signed_impulse);
    }
}

// Returns the relative speed of a row plus `speed`. Moves the cursor to the nodes. `speed` is a
// parameter, because the order of the additions must not change: it affects the last bits of the
// result.
static double add_relative_speed(md5_ragdoll *ragdoll, const ragdoll_link *link, uint32_t row,
                                 double speed)
{
    double sum = speed;
    for (uint32_t i = 0; i < 2; i++) {
        if (link->nodes[i] == MD5_NONE)
            continue;
        move_cursor(ragdoll, link->nodes[i]);
        const spatial *const velocity = &ragdoll->nodes[link->nodes[i]].velocity;
        const double node_speed = md5_spatial_dot(&link->directions[row][i], velocity);
        sum += i == 0 ? node_speed : -node_speed;
    }
    return sum;
}

// Corrects the impulses of a link, one row after the other, so that for each row
//
//   relative speed + bias + softness * impulse = 0
//
// unless this impulse is below the minimum impulse of the row.
static void solve_link(md5_ragdoll *ragdoll, ragdoll_link *link, sweep_set set)
{
    for (uint32_t row = 0; row < link->num_rows; row++) {
        const double before = link->impulses[row];
        const double allowed_speed = link->biases[row][set] + link->softness[row] * before;
        const double speed = add_relative_speed(ragdoll, link, row, allowed_speed);
        const double unlimited = before - speed * link->inverses[row];
        const double impulse = md5_max(link->min_impulses[row], unlimited);
        apply_link_impulse(ragdoll, link, row, impulse - before);
        link->impulses[row] = impulse;
        record_change(ragdoll, impulse - before, link->inverses[row]);
    }
}

// == Sweeps =======================================================================================

// Returns the ratio of the maximum friction of a body's contacts to their normal impulse.
static double contact_friction(const md5_ragdoll *ragdoll, const ragdoll_node *node)
{
    enum { CONTACT_FRICTION = 2 }; // index of md5_figure_body.friction
    const float friction = ragdoll->desc.figure->bodies[node->body].def->friction[CONTACT_FRICTION];
    if (!(friction > 0.0f))
        return 0.0;
    return md5_min((double)friction, MAX_FRICTION) * ragdoll->friction_scales[FRICTION_OF_CONTACTS];
}

// Begins a sweep for the contacts of a node: applies the impulses of begin_impulse().
static void begin_contacts(md5_ragdoll *ragdoll, ragdoll_node *node, sweep_set set)
{
    for (uint32_t i = 0; i < node->num_contacts; i++) {
        ragdoll_contact *const contact = &node->contacts[i];
        if (!contact->is_near)
            continue;
        MD5_UNROLL
        for (uint32_t d = 0; d < NUM_CONTACT_DIRECTIONS; d++)
            apply_contact_impulse(node, contact, d,
                                  begin_impulse(ragdoll, &contact->impulses[d], set));
    }
}

// Solves the contacts of a node. Each impulse changes the speeds at the other contacts of the node.
// Therefore all contacts are solved repeatedly, until their impulses hardly change.
static void solve_contacts(md5_ragdoll *ragdoll, ragdoll_node *node, sweep_set set)
{
    const double friction = contact_friction(ragdoll, node);
    double max_change_of_sweep = ragdoll->max_change;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        ragdoll->max_change = 0.0; // largest change of this round only
        for (uint32_t i = 0; i < node->num_contacts; i++) {
            if (node->contacts[i].is_near)
                solve_contact(ragdoll, node, &node->contacts[i], friction, set);
        }
        max_change_of_sweep = md5_max(max_change_of_sweep, ragdoll->max_change);
        if (ragdoll->max_change < MAX_CALM_CHANGE)
            break;
    }
    ragdoll->max_change = max_change_of_sweep;
}

// Adds the changes of a node's contact impulses in this sweep to the gradient.
static void add_contact_gradients(md5_ragdoll *ragdoll, const ragdoll_node *node)
{
    for (uint32_t i = 0; i < node->num_contacts; i++) {
        const ragdoll_contact *const contact = &node->contacts[i];
        if (!contact->is_near)
            continue;
        MD5_UNROLL
        for (uint32_t d = 0; d < NUM_CONTACT_DIRECTIONS; d++)
            add_gradient(ragdoll, &contact->impulses[d], contact->inverses[d]);
    }
}

// Solves the limits and contacts of a node. A limit also depends on the velocity of the parent,
// which does not include the impulses of the node's contacts yet. Therefore limits are solved
// first.
static void solve_node(md5_ragdoll *ragdoll, ragdoll_node *node, sweep_set set)
{
    for (uint32_t i = 0; i < node->num_limits; i++) {
        if (node->limits[i].is_near && !node->limits[i].is_locked)
            solve_limit(ragdoll, node, &node->limits[i], set);
    }
    begin_contacts(ragdoll, node, set);
    solve_contacts(ragdoll, node, set);
    add_contact_gradients(ragdoll, node);
}

// Solves all active limits and contacts once, in the order of the tree. Skips subtrees without
// active limits and contacts.
static void sweep_nodes(md5_ragdoll *ragdoll, sweep_set set)
{
    uint32_t index = 0;
    while (index < ragdoll->num_nodes) {
        ragdoll_node *const node = &ragdoll->nodes[index];
        if (!node->is_busy) {
            index = node->subtree_end;
            continue;
        }
        move_cursor(ragdoll, index);
        solve_node(ragdoll, node, set);
        index++;
    }
}

// Solves all links once. The first sweep of a step begins with the impulses of the previous step.
// Links do not use conjugate gradients.
static void sweep_links(md5_ragdoll *ragdoll, sweep_set set)
{
    const bool is_first_of_step = ragdoll->sweep == 0 && set == SWEEPS_TO_MOVE;
    for (uint32_t i = 0; i < ragdoll->num_links; i++) {
        ragdoll_link *const link = &ragdoll->links[i];
        if (is_first_of_step) {
            for (uint32_t row = 0; row < link->num_rows; row++)
                apply_link_impulse(ragdoll, link, row, link->impulses[row]);
        }
        solve_link(ragdoll, link, set);
    }
}

// Runs sweeps until no speed changes much. Sets ragdoll->ratio, the length of the next step along
// the conjugate direction:
//
//   ratio = gradient of this sweep / gradient of the previous sweep
//
// If the gradient has not decreased, the direction is dropped: the ratio becomes 0.
static void run_sweeps(md5_ragdoll *ragdoll, sweep_set set)
{
    const uint32_t max_sweeps = set == SWEEPS_TO_RELAX ? MAX_RELAX_SWEEPS : MAX_SWEEPS;
    double gradient_before = 0.0;
    ragdoll->ratio = 0.0;
    for (ragdoll->sweep = 0; ragdoll->sweep < max_sweeps; ragdoll->sweep++) {
        ragdoll->max_change = 0.0;
        ragdoll->gradient = 0.0;
        sweep_nodes(ragdoll, set);
        sweep_links(ragdoll, set);
        const bool has_converged = ragdoll->max_change < MAX_CALM_CHANGE;
        if (has_converged && ragdoll->sweep + 1 >= MIN_SWEEPS)
            break;
        const bool is_falling = ragdoll->gradient < gradient_before;
        ragdoll->ratio = is_falling ? ragdoll->gradient / gradient_before : 0.0;
        gradient_before = ragdoll->gradient;
    }
}

// Finds the contacts that may act in this step. Sets is_touching if there are such contacts, or if
// the ragdoll is dragged.
static void begin_all_contacts(md5_ragdoll *ragdoll)
{
    const bool is_dragged = md5_is_ragdoll_dragged(ragdoll);
    ragdoll->needs_relaxation = is_dragged;
    ragdoll->is_touching = is_dragged;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->is_busy = false;
        for (uint32_t i = 0; i < node->num_contacts; i++)
            begin_contact(ragdoll, node, &node->contacts[i]);
        ragdoll->is_touching |= node->is_busy;
    }
}

// Finds the limits that may act in this step. Marks the ancestors of busy nodes as busy, because
// sweep_nodes() skips the whole subtree of a node that is not busy. Children are visited before
// their parents, so that the mark reaches the root.
static void begin_all_limits(md5_ragdoll *ragdoll)
{
    for (uint32_t k = ragdoll->num_nodes; k-- > 0;) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        for (uint32_t i = 0; i < node->num_limits; i++)
            begin_limit(ragdoll, node, &node->limits[i]);
        if (node->is_busy && node->parent != MD5_NONE)
            ragdoll->nodes[node->parent].is_busy = true;
    }
}

// Marks the nodes of all links, because their impulses act on these nodes.
static void mark_nodes_of_links(md5_ragdoll *ragdoll)
{
    for (uint32_t i = 0; i < ragdoll->num_links; i++) {
        const ragdoll_link *const link = &ragdoll->links[i];
        for (uint32_t end = 0; end < 2; end++) {
            if (link->nodes[end] != MD5_NONE)
                ragdoll->nodes[link->nodes[end]].needs_response = true;
        }
    }
}

// Computes how the bodies respond to the impulses of the contacts and limits that may act.
static void compute_impulse_responses(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        for (uint32_t i = 0; i < node->num_contacts; i++) {
            if (node->contacts[i].is_near)
                compute_contact_responses(node, &node->contacts[i]);
        }
        for (uint32_t i = 0; i < node->num_limits; i++) {
            if (needs_limit_response(ragdoll, &node->limits[i]))
                compute_limit_response(ragdoll, node, &node->limits[i]);
        }
    }
}

// Finds the impulses of limits, links and contacts, and the velocities with which the bodies move
// in this step.
void md5i_solve_ragdoll(md5_ragdoll *ragdoll)
{
    begin_all_contacts(ragdoll);
    begin_all_limits(ragdoll);
    mark_nodes_of_links(ragdoll);
    md5i_compute_responses(ragdoll);
    compute_impulse_responses(ragdoll);
    for (uint32_t i = 0; i < ragdoll->num_links; i++)
        prepare_link(ragdoll, &ragdoll->links[i]);
    begin_propagation(ragdoll);
    run_sweeps(ragdoll, SWEEPS_TO_MOVE);
    end_propagation(ragdoll);
    read_locks(ragdoll);
    md5i_stop_invalid_motion(ragdoll);
}

// Subtracts the linear part of an impulse from the impulse that a node's joint has transferred.
static void subtract_impulse(ragdoll_node *node, const spatial *direction, double impulse)
{
    const md5_vec3d linear = md5_vec3d_scale(md5_spatial_linear(direction), impulse);
    node->joint_impulse = md5_vec3d_sub(node->joint_impulse, linear);
}

// Sets node->joint_impulse to the part of the change of the body's momentum that neither its weight
// nor its contacts cause.
static void measure_body_impulse(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    const md5_vec3d linear =
        md5_vec3d_add(md5_spatial_linear(&node->velocity),
                      md5_vec3d_cross(md5_spatial_angular(&node->velocity), node->center));
    node->joint_impulse = md5_vec3d_scale(md5_vec3d_sub(linear, node->linear), node->mass);
    node->joint_impulse.z += node->mass * ragdoll->gravity * ragdoll->seconds;
    for (uint32_t i = 0; i < node->num_contacts; i++) {
        const ragdoll_contact *const contact = &node->contacts[i];
        if (!contact->is_near)
            continue;
        for (uint32_t d = 0; d < NUM_CONTACT_DIRECTIONS; d++)
            subtract_impulse(node, &contact->directions[d], contact->impulses[d].value);
    }
}

// Subtracts the impulses of a link from the joint impulses of both nodes.
static void subtract_link_impulses(md5_ragdoll *ragdoll, const ragdoll_link *link)
{
    for (uint32_t row = 0; row < link->num_rows; row++) {
        const double impulse = link->impulses[row];
        for (uint32_t end = 0; end < 2; end++) {
            if (link->nodes[end] == MD5_NONE)
                continue;
            subtract_impulse(&ragdoll->nodes[link->nodes[end]], &link->directions[row][end],
                             end == 0 ? impulse : -impulse);
        }
    }
}

// Adds the joint impulse of a node to the joint impulse of its parent, because the parent's joint
// moves the whole subtree.
static void pass_impulse_to_parent(md5_ragdoll *ragdoll, const ragdoll_node *node)
{
    if (node->parent == MD5_NONE)
        return;
    md5_vec3d *const parent_impulse = &ragdoll->nodes[node->parent].joint_impulse;
    *parent_impulse = md5_vec3d_add(*parent_impulse, node->joint_impulse);
}

// Updates the load of a node's joint, which is the running mean of the force that the joint bears.
// The load of a free root is 0, because it has no joint.
static void update_load(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    const bool has_joint = node->constraint != MD5_NONE;
    if (!has_joint) {
        node->load = 0.0;
        return;
    }
    const double force = md5_vec3d_length(node->joint_impulse) / ragdoll->seconds;
    node->load = (1.0 - LOAD_RATE) * node->load + LOAD_RATE * force;
}

// Measures the force that each joint bears. It is the change of the momentum of its subtree that
// neither weight nor contacts nor links cause. The last loop visits children before their parents,
// so that a joint has received the impulses of its whole subtree.
static void measure_joint_loads(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        measure_body_impulse(ragdoll, &ragdoll->nodes[k]);
    for (uint32_t i = 0; i < ragdoll->num_links; i++)
        subtract_link_impulses(ragdoll, &ragdoll->links[i]);
    for (uint32_t k = ragdoll->num_nodes; k-- > 0;) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        update_load(ragdoll, node);
        pass_impulse_to_parent(ragdoll, node);
        node->joint_impulse = (md5_vec3d){0.0, 0.0, 0.0};
    }
}

// Clears the approach speed of each contact that pushes. The contact has bounced in this step, and
// would bounce again in the next step.
static void end_approaches(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        for (uint32_t i = 0; i < node->num_contacts; i++) {
            ragdoll_contact *const contact = &node->contacts[i];
            if (contact->impulses[CONTACT_NORMAL].value > 0.0)
                contact->approach_speed = 0.0;
        }
    }
}

// Finds the velocities that remain after the bodies have moved, without the parts that only
// corrected positions. Also measures the loads of the joints.
void md5i_relax_ragdoll(md5_ragdoll *ragdoll)
{
    if (ragdoll->needs_relaxation) {
        begin_propagation(ragdoll);
        stop_locks(ragdoll);
        run_sweeps(ragdoll, SWEEPS_TO_RELAX);
        end_propagation(ragdoll);
        md5i_stop_invalid_motion(ragdoll);
    }
    end_approaches(ragdoll);
    measure_joint_loads(ragdoll);
}
