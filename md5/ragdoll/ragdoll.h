// The state of a ragdoll, and the functions that its files share:
//
// ragdoll.c (time, rest, saving), ragdoll_tree.c (bodies as a tree), ragdoll_limits.c (limits of
// joints), ragdoll_solve.c (impulses), ragdoll_hull.c (shapes of bodies), ragdoll_ground.c and
// ragdoll_triangles.c (contact points).
//
// The bodies are nodes of trees. A parent precedes its children, and each subtree is a contiguous
// range of nodes. A time step consists of:
//
//   find contacts       in each fourth step: the points that may touch before the next search
//   prepare             the articulated inertias, and the velocities that correspond to the
//                       momenta of the last step in the current pose
//   solve               the response of each node to an impulse, including the reaction of the
//                       whole tree; then the impulses of limits, loops and contacts
//   move                roots and joints, by these velocities, as far as energy and limits allow
//   update transforms   of all nodes, from the roots' transforms and the joint rotations
//   relax               velocities without the part that only pushes bodies out of the ground or
//                       out of limits
//
// The articulated inertias are computed as in Featherstone, "Rigid Body Dynamics Algorithms", 2008.
//
// Between steps, the ragdoll stores momenta. Each step projects them to velocities for the current
// pose: it selects the velocities that the joints allow and whose momenta differ least from the
// stored momenta. The difference is measured as a kinetic energy, so this projection never adds
// energy. The projection replaces the centrifugal and Coriolis forces of the articulated-body
// algorithm, which this solver does not compute.
#ifndef MD5_RAGDOLL_RAGDOLL_H
#define MD5_RAGDOLL_RAGDOLL_H

#include "md5/core/bytes.h"
#include "md5/core/context.h"
#include "md5/core/math.h"
#include "md5/core/pair.h"
#include "md5/md5ragdoll.h"

#define RADIANS_PER_DEGREE (3.14159265358979323846 / 180.0)

// Steps per second, as a double: C++ does not multiply an enumerator by a double without a warning.
static const double ragdoll_rate = MD5_RAGDOLL_RATE;

// A spatial vector is a motion or an impulse. Both have an angular and a linear part:
//
//   motion    angular velocity, and the velocity of the point at ragdoll->origin
//   impulse   angular impulse about this point, and linear impulse
//
// The functions compute two numbers at a time (pair.h), in the same order with and without SIMD.
typedef struct spatial {
    double x[6];
} spatial;

static inline double md5_spatial_dot(const spatial *a, const spatial *b)
{
    md5_pair sum = md5_pair_mul(md5_pair_load(&a->x[0]), md5_pair_load(&b->x[0]));
    MD5_UNROLL
    for (int i = 2; i < 6; i += 2) {
        const md5_pair product = md5_pair_mul(md5_pair_load(&a->x[i]), md5_pair_load(&b->x[i]));
        sum = md5_pair_add(sum, product);
    }
    return md5_pair_first(sum) + md5_pair_second(sum);
}

static inline void md5_spatial_add(spatial *to, const spatial *added, double scale)
{
    const md5_pair scales = md5_pair_both(scale);
    MD5_UNROLL
    for (int i = 0; i < 6; i += 2) {
        const md5_pair scaled = md5_pair_mul(md5_pair_load(&added->x[i]), scales);
        md5_pair_store(&to->x[i], md5_pair_add(md5_pair_load(&to->x[i]), scaled));
    }
}

static inline bool md5_spatial_is_zero(const spatial *a)
{
    return a->x[0] == 0.0 && a->x[1] == 0.0 && a->x[2] == 0.0 && a->x[3] == 0.0 && a->x[4] == 0.0
           && a->x[5] == 0.0;
}

static inline spatial md5_spatial_from(md5_vec3d angular, md5_vec3d linear)
{
    return (spatial){{angular.x, angular.y, angular.z, linear.x, linear.y, linear.z}};
}

static inline md5_vec3d md5_spatial_angular(const spatial *a)
{
    return (md5_vec3d){a->x[0], a->x[1], a->x[2]};
}

static inline md5_vec3d md5_spatial_linear(const spatial *a)
{
    return (md5_vec3d){a->x[3], a->x[4], a->x[5]};
}

// A symmetric matrix that converts between spatial motions and spatial impulses.
typedef struct spatial_matrix {
    spatial columns[6];
} spatial_matrix;

// Copies the elements above the diagonal, columns[k].x[i] with i < k, to the elements below it. The
// matrix is symmetric, so functions that change it compute only the elements above the diagonal and
// on it.
static inline void md5_spatial_mirror(spatial_matrix *a)
{
    MD5_UNROLL
    for (int k = 1; k < 6; k++) {
        MD5_UNROLL
        for (int i = 0; i < k; i++)
            a->columns[i].x[k] = a->columns[k].x[i];
    }
}

// Multiplies a matrix by a spatial vector. Adds the columns in ascending order.
static inline spatial md5_spatial_mul(const spatial_matrix *a, const spatial *b)
{
    spatial product = {{0.0}};
    MD5_UNROLL
    for (int k = 0; k < 6; k++) {
        md5_spatial_add(&product, &a->columns[k], b->x[k]);
    }
    return product;
}

// fmax() as an inline function. Returns b if one of the numbers is NaN.
static inline double md5_max(double a, double b)
{
    return a > b ? a : b;
}

// fmin() as an inline function. Returns b if one of the numbers is NaN.
static inline double md5_min(double a, double b)
{
    return a < b ? a : b;
}

// Rotates a vector by a unit quaternion, in double precision.
static inline md5_vec3d md5_quatd_rotate(md5_quatd q, md5_vec3d v)
{
    const md5_vec3d axis = {q.x, q.y, q.z};
    const md5_vec3d twice = md5_vec3d_scale(md5_vec3d_cross(axis, v), 2.0);
    return md5_vec3d_add(md5_vec3d_add(v, md5_vec3d_scale(twice, q.w)),
                         md5_vec3d_cross(axis, twice));
}

// A matrix of 3 x 3 elements.
typedef struct ragdoll_matrix {
    double rows[3][3];
} ragdoll_matrix;

static inline md5_vec3d md5_matrix_mul(const ragdoll_matrix *matrix, md5_vec3d v)
{
    const double(*const m)[3] = matrix->rows;
    return (md5_vec3d){m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                       m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                       m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}

// Converts a unit quaternion to a matrix, which rotates a vector with half as many operations.
static inline ragdoll_matrix md5_rotation_matrix(md5_quatd q)
{
    const double x = q.x;
    const double y = q.y;
    const double z = q.z;
    const double w = q.w;
    return (ragdoll_matrix){
        {{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
         {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
         {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)}}};
}

// An impulse that the solver computes. Each step starts with the result of the previous step, which
// is usually near the new result.
typedef struct ragdoll_impulse {
    double value;
    double previous;  // value before the last sweep
    double direction; // conjugate direction of the sweeps so far, see ragdoll_solve.c
} ragdoll_impulse;

// Indices of the three directions of a contact's impulse.
enum { CONTACT_NORMAL, CONTACT_TANGENTS, NUM_CONTACT_DIRECTIONS = 3 };

// A point of a body that may touch the ground before the next search for contacts.
typedef struct ragdoll_contact {
    md5_vec3d position; // in the axes of the body
    md5_vec3d normal;   // normal of the ground, world space
    double level;       // the ground is the plane dot(normal, point) = level
    ragdoll_impulse impulses[NUM_CONTACT_DIRECTIONS];
    double approach_speed; // speed along the normal at the first touch; negative if the body
                           // approached the ground
    // The values below are computed again in each step.
    bool is_near;                            // the ground may be reached in this step
    double gap;                              // distance from the ground; negative if the point is
                                             // in the ground
    double inverses[NUM_CONTACT_DIRECTIONS]; // impulse per change of speed, in each direction
    double max_friction;                     // largest impulse along the tangents
    spatial directions[NUM_CONTACT_DIRECTIONS];
    spatial responses[NUM_CONTACT_DIRECTIONS]; // change of the node's velocity per unit of impulse
} ragdoll_contact;
enum { MAX_CONTACTS = 8, SEARCH_STEPS = 4 };

// A limit of a joint: a cone, or one pair of walls of a pyramid. A gap is the distance of the joint
// from the limit; limit_state.gap describes its unit.
typedef struct ragdoll_limit {
    ragdoll_impulse impulse; // torque times the time of the step
    // The values below are computed again in each step.
    md5_vec3d axis;          // a rotation of the node about this axis increases the gap
    double start_gap;        // distance to the limit at the start of the step
    double start_wall_angle; // angle to the limit in the plane across the walls of a pyramid, at
                             // the start of the step
    double gap;              // start_gap, reduced for a cone by the motion along its curved wall
                             // in this step
    bool is_near;            // the limit may be reached in this step
    // True if the joint pressed on the limit in the last step. In this step, a stiff damper then
    // replaces the impulses of the limit. The damper is a part of the articulated inertias, so it
    // acts on the whole limb without sweeps.
    bool is_locked;
    // The torque of a lock is stiffness * (lock_speed - speed along the axis).
    double stiffness;
    double lock_speed;
    // The members below are used by the sweeps only if the limit is not locked.
    double inverse;          // impulse per change of the relative speed
    spatial parent_impulse;  // impulse at the parent per unit of impulse
    spatial parent_response; // change of the parent's velocity per unit of impulse
    spatial response;        // change of the node's velocity per unit of impulse
} ragdoll_limit;

typedef struct ragdoll_transform {
    md5_quatd rotation;
    md5_vec3d position;
} ragdoll_transform;

// A body, and the joint to its parent. bodies[0] and bodies[1] are the bodies that the constraint
// of the joint connects.
typedef struct ragdoll_node {
    uint32_t body;       // index in the figure
    uint32_t parent;     // index of a node; MD5_NONE: the parent is the world, or there is no
                         // parent
    uint32_t constraint; // the joint, index in the figure; MD5_NONE: the body is a free root
    bool is_reversed;    // the node is bodies[1] of the constraint
    // Degrees of freedom of the joint: 3 for a ball joint, 2 for a universal joint, 1 for a hinge
    // or a slider, and 0 for a fixed joint.
    uint32_t num_motions;
    uint32_t num_limits;  // 1 for a cone or a hinge, 2 for a pyramid
    uint32_t subtree_end; // index after the last node of the subtree
    double mass;
    double inertia[3][3]; // in the axes of the body
    double radius;        // distance of the farthest vertex from the center of mass
    double extra_inertia; // relative increase of the joint's inertia, which slows down joints that
                          // rotate too fast
    // Fractions of the velocities that remain after a step. The friction of the body removes the
    // rest.
    double linear_factor;
    double angular_factor;
    md5_quatd base_rotation; // rotation of bodies[0] in bodies[1] in the setup pose
    md5_vec3d shaft;         // first shaft of a universal joint, in the axes of bodies[1]
    // The members below are the state that is kept between steps.
    ragdoll_transform transform;
    md5_quatd joint_rotation; // rotation of bodies[0] in the axes of bodies[1]
    double slide;             // translation of a slider
    md5_vec3d momentum;
    md5_vec3d angular_momentum; // about the center of mass
    md5_vec3d linear;           // velocity of the center of mass, world space
    md5_vec3d angular;          // angular velocity, world space
    double load;                // running mean of the force that the joint bears
    ragdoll_limit limits[2];
    uint64_t next_search; // step of the next search for contacts; a fast body is searched earlier
    uint32_t num_contacts;
    ragdoll_contact contacts[MAX_CONTACTS];
    // The values below are computed again in each step.
    ragdoll_matrix axes; // rotation from the axes of the body to world space
    ragdoll_matrix world_inertia;
    md5_vec3d center;          // center of mass, relative to ragdoll->origin
    spatial_matrix inertias;   // articulated inertia of the subtree
    spatial_matrix response;   // converts an impulse at the node to the change of its velocity,
                               // with the reaction of the tree; see md5i_compute_responses()
    bool needs_response;       // an impulse may act on the node or on a descendant in this step
    spatial motions[3];        // unit motions of the joint
    spatial motion_momenta[3]; // inertias * motions
    spatial gains[3];          // motion_momenta * inverse
    double inverse[3][3];      // inverse of dot(motions, motion_momenta)
    double locks[3];           // impulses along the motions that give locked limits their speeds
    spatial velocity;          // up to date only where the cursor of the solver is
    spatial pending;           // impulses of the subtree that the parent has not received yet
    bool has_pending;          // pending may differ from 0
    spatial parent_velocity;   // parent's velocity at the last visit of the node
    md5_vec3d joint_impulse;   // linear impulse that the joint has transferred
    bool is_busy;              // the sweeps must visit the subtree: it has contacts or limits that
                               // may act
} ragdoll_node;

// The solver runs two sequences of sweeps in each step. SWEEPS_TO_MOVE finds the velocities with
// which the bodies move in the step. SWEEPS_TO_RELAX finds the velocities that remain after the
// move. See ragdoll_solve.c.
typedef enum sweep_set { SWEEPS_TO_MOVE, SWEEPS_TO_RELAX, NUM_SWEEP_SETS } sweep_set;

// A constraint that is not a joint of the tree: it closes a loop, attaches a second body to the
// world, or is a spring. It consists of rows, each of which is a scalar constraint: see
// ragdoll_solve.c.
//
// The link DRAG_LINK is not a constraint of the figure. It pulls a point of nodes[0] to the target
// of the drag. Its nodes[0] is MD5_NONE while the ragdoll is not dragged.
enum { DRAG_LINK = 0, MAX_LINK_ROWS = 6 };
typedef struct ragdoll_link {
    uint32_t constraint; // MD5_NONE: the drag
    uint32_t nodes[2];   // MD5_NONE: the world
    double impulses[MAX_LINK_ROWS];
    // The values below are computed again in each step.
    uint32_t num_rows; // in use
    // [row][node] Direction of the impulse. The impulses at the two nodes have opposite signs.
    spatial directions[MAX_LINK_ROWS][2];
    double biases[MAX_LINK_ROWS][NUM_SWEEP_SETS]; // speed that is added to the relative speed of
                                                  // the nodes in each set of sweeps
    double softness[MAX_LINK_ROWS];     // speed that the row yields per unit of its impulse
    double inverses[MAX_LINK_ROWS];     // impulse per change of the speed along the row
    double min_impulses[MAX_LINK_ROWS]; // 0 if the row only pushes, otherwise -INFINITY
    // [row][node] Change of the node's velocity per unit of impulse at the node.
    spatial responses[MAX_LINK_ROWS][2];
} ragdoll_link;

// The directions that define the limits of a constraint, all in the same axes. They are 0 if the
// file does not define them.
typedef struct limit_directions {
    md5_vec3d shaft; // fixed in bodies[0]; the limits keep it near the axis
    md5_vec3d axis;  // fixed in bodies[1]
    md5_vec3d base;  // fixed in bodies[1], perpendicular to the axis; only for a pyramid
} limit_directions;

// The current distance of a joint from one of its limits.
typedef struct limit_state {
    md5_vec3d axis; // rotates bodies[0] toward the limit; zero if the limit cannot be reached
    // Distance to the limit. It is negative if the joint is past the limit. The distance of an
    // angle is measured by a Cayley map, 2 tan(angle / 2).
    double gap;
    // Cosine and sine of the angle between the axis of the limit and the shaft. For a pyramid, the
    // angle is measured in the plane across one pair of walls.
    double cosine;
    double sine;
    // Length of the shaft in that plane; 1 for a cone. In that plane, an angle to a wall is about
    // gap / extent.
    double extent;
    md5_vec3d shaft;
    // Only for a cone, whose wall is curved. A motion along the wall, perpendicular to the shaft,
    // reduces the gap by 0.5 * bend * motion^2.
    double bend;
} limit_state;

// The plane dot(normal, point) = level.
typedef struct ragdoll_plane {
    md5_vec3d normal;
    double level;
} ragdoll_plane;
enum { MAX_PLANES = 36 }; // per body

// An edge of a hull between two faces: indices of vertices and planes of its body.
typedef struct ragdoll_edge {
    uint32_t vertices[2];
    uint32_t planes[2];
} ragdoll_edge;

// The convex hull of a body: ranges of md5_ragdoll.planes and md5_ragdoll.edges.
typedef struct ragdoll_hull {
    uint32_t first_plane;
    uint32_t num_planes;
    uint32_t first_edge;
    uint32_t num_edges;
} ragdoll_hull;

// Indices of md5_ragdoll.friction_dents and md5_ragdoll.friction_scales, for the frictions that a
// figure can reduce for a time.
enum { FRICTION_OF_JOINTS, FRICTION_OF_CONTACTS, NUM_FRICTIONS };

struct md5_ragdoll {
    md5_ragdoll_desc desc;
    md5_internal internal;
    size_t size; // size of the memory block
    uint32_t num_nodes;
    uint32_t num_links;
    ragdoll_node *nodes;            // [num_nodes]
    ragdoll_link *links;            // [num_links]
    uint32_t *node_by_body;         // [num_nodes] by index of the body in the figure
    uint32_t *path;                 // buffer for paths in a tree, [num_nodes]
    ragdoll_hull *hulls;            // [num_nodes] by index of the body
    ragdoll_plane *planes;          // planes of all hulls, outward
    ragdoll_edge *edges;            // edges of all hulls
    md5_body_state *bodies;         // [num_nodes] the state that the caller receives
    md5_body_state *rest_reference; // [num_nodes] state at the start of the current check for rest
    double gravity;
    double restitution;
    double min_bounce_speed;
    float slow_motion[2]; // start and end of slow motion, seconds
    md5_friction_dent friction_dents[NUM_FRICTIONS];

    // The members from here to is_at_rest are the state, which is copied and saved together with
    // nodes and links.
    ragdoll_transform world;  // transform from model space to world space, for constraints to the
                              // world
    md5_vec3d drag_anchor;    // dragged point in the axes of the body
    md5_vec3d drag_target;    // world space
    double pending_time;      // time that was not simulated yet, seconds; less than a step
    double added_energy;      // energy that impulses and drags have added
    uint64_t step;            // index of the current step
    uint64_t rest_check_step; // step in which rest_reference was set
    uint64_t wake_step;       // step at which the ragdoll started or woke up
    uint64_t last_fast_step;  // last step in which a body was too fast for rest
    uint64_t is_at_rest;

    // The values below are computed again in each step.
    md5_vec3d origin; // origin of spatial vectors: the position of node 0
    double seconds;   // simulated time of the step
    double friction_scales[NUM_FRICTIONS];
    uint32_t cursor;   // node whose velocity is up to date: see move_cursor() in ragdoll_solve.c;
                       // MD5_NONE: no node
    double max_change; // largest change of a speed by the current sweep
    uint32_t sweep;    // index of the current sweep
    double gradient;   // sum of the squared changes of impulses by the current sweep, as an energy
    double ratio;      // gradient of the last sweep / gradient of the sweep before it
    double max_speed;  // largest speed of a point of a body
    bool is_touching;  // a contact or a drag may act in the step
    // The bodies need other velocities after the step than during the step, because a body bounces,
    // or is pushed out of the ground or a joint out of a limit.
    bool needs_relaxation;
};

// Checks the ragdoll of a public function and the objects that it uses. The second macro is for
// functions that change the ragdoll: it also checks that no callback of the ragdoll is running.
// NOLINTBEGIN(bugprone-macro-parentheses): messages contain the names of the arguments
#define MD5_ASSERT_RAGDOLL(ragdoll)                 \
    do {                                            \
        MD5_ASSERT_ALIVE(ragdoll, MD5_TAG_RAGDOLL); \
        MD5_ASSERT_FIGURE(ragdoll->desc.figure);    \
    } while (0)
#define MD5_ASSERT_RAGDOLL_CHANGE(ragdoll) \
    do {                                   \
        MD5_ASSERT_RAGDOLL(ragdoll);       \
        MD5_ASSERT_NO_CALLBACK(ragdoll);   \
    } while (0)
// NOLINTEND(bugprone-macro-parentheses)

static inline bool md5_is_ragdoll_dragged(const md5_ragdoll *ragdoll)
{
    return ragdoll->links[DRAG_LINK].nodes[0] != MD5_NONE;
}

// -- Trees ----------------------------------------------------------------------------------------

// Creates the nodes and links of the figure in the arrays of the ragdoll, which lay_out_ragdoll()
// has allocated. `scratch` is a buffer for the graph of the bodies.
void md5i_build_ragdoll_tree(md5_ragdoll *ragdoll, uint32_t *scratch);

// Sets the joint rotations from the transforms of the nodes. Projects each to the nearest rotation
// that the joint allows.
void md5i_read_joint_rotations(md5_ragdoll *ragdoll);

// Sets the transforms of all nodes from the transforms of the roots and the joint rotations.
void md5i_update_ragdoll_transforms(md5_ragdoll *ragdoll);

// The purpose of md5i_prepare_ragdoll().
typedef enum prepare_mode {
    // A step of the simulation. The velocities are computed from the momenta of the last step, with
    // the friction and the weight of this step.
    PREPARE_STEP,
    // Between steps. The velocities are computed from the current velocities of the bodies, without
    // friction and weight.
    PREPARE_CURRENT
} prepare_mode;

// Computes the articulated inertias and the velocities of the nodes. Clears needs_response of the
// nodes.
void md5i_prepare_ragdoll(md5_ragdoll *ragdoll, prepare_mode mode);

// Computes the responses of the nodes whose needs_response is set, and of their ancestors. The
// other nodes do not have a valid response. Call after md5i_prepare_ragdoll().
void md5i_compute_responses(md5_ragdoll *ragdoll);

// Stops the ragdoll if a velocity is not a number or is huge.
void md5i_stop_invalid_motion(md5_ragdoll *ragdoll);

// Sets the velocities and momenta of the bodies from nodes[].velocity.
void md5i_store_ragdoll_velocities(md5_ragdoll *ragdoll);

// Increases extra_inertia of joints that rotate too fast for the length of the step. Returns true
// if there are such joints. The caller must then solve the step again.
bool md5i_slow_fast_joints(md5_ragdoll *ragdoll);

// Moves the ragdoll by its velocities for `seconds`. Rotates joints that have passed a limit back
// to the limit.
void md5i_move_ragdoll(md5_ragdoll *ragdoll, double seconds);

// Returns the kinetic energy of the momenta and velocities of the last step.
double md5i_ragdoll_kinetic_energy(const md5_ragdoll *ragdoll);

// Returns the potential energy of the bodies. It is 0 at the height 0.
double md5i_ragdoll_potential_energy(const md5_ragdoll *ragdoll);

// Returns the rotation `q` after a rotation by an angular velocity for `seconds`.
md5_quatd md5i_integrate_rotation(md5_quatd q, md5_vec3d angular, double seconds);

// Returns the transform of a node, or of the world for MD5_NONE.
ragdoll_transform md5i_ragdoll_transform(const md5_ragdoll *ragdoll, uint32_t node);

// Returns the angular velocity of a node relative to its parent, or to the world if the node has no
// parent. World space, radians per second.
md5_vec3d md5i_joint_angular_velocity(const md5_ragdoll *ragdoll, const ragdoll_node *node);

// Writes the transforms of both bodies of a constraint, bodies[0] first.
void md5i_constraint_transforms(const md5_ragdoll *ragdoll, const md5_body_constraint *constraint,
                                ragdoll_transform ends[2]);

// Returns a quaternion of unit length, or `otherwise` if the length is too small or too large.
static inline md5_quatd md5_unit_or(md5_quatd q, md5_quatd otherwise)
{
    const double square = md5_quatd_dot(q, q);
    if (!(square > 1e-20 && square < 1e20))
        return otherwise;
    const double scale = 1.0 / sqrt(square);
    return (md5_quatd){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

// Returns the position of a point of a body in the axes into which the transform converts.
static inline md5_vec3d md5_transform_point(const ragdoll_transform *transform, md5_vec3d point)
{
    return md5_vec3d_add(transform->position, md5_quatd_rotate(transform->rotation, point));
}

// -- Limits ---------------------------------------------------------------------------------------

// Returns the directions of a constraint's limits in world space for two transforms of its bodies.
limit_directions md5i_rotate_limits(const md5_body_constraint *constraint,
                                    const ragdoll_transform ends[2]);

// Measures limit `index` of a constraint.
limit_state md5i_measure_limit(const md5_body_constraint *constraint, uint32_t index,
                               const limit_directions *directions);

// Sets the axes and the gaps of the limits of a joint for the current step.
void md5i_measure_limits(const md5_ragdoll *ragdoll, ragdoll_node *node);

// Locks the limits on which the joint leaned in the last step. Adds their dampers to node->inverse,
// which must not be inverted yet, and to node->locks.
void md5i_lock_limits(const md5_ragdoll *ragdoll, ragdoll_node *node);

// Rotates a joint back if it is too far past a limit after a step that has rotated it by `angle`,
// radians. Returns true if the correction is so large that the joint should be checked again.
bool md5i_enforce_limits(const md5_ragdoll *ragdoll, ragdoll_node *node, double angle);

// Returns the speed at which a joint rotates away from a limit, radians per second. It is negative
// if the joint approaches the limit.
double md5i_limit_speed(const md5_ragdoll *ragdoll, const ragdoll_node *node,
                        const ragdoll_limit *limit);

// Returns the largest speed at which the gap of a limit may close: see md5_max_closing_speed().
double md5i_max_limit_speed(const md5_ragdoll *ragdoll, double gap);

#define RECOVERY_RATE 0.2 // fraction of a penetration that is corrected in one step

// Returns the largest speed at which a gap may close, so that it is not below 0 at the end of the
// step. If the gap is below -`tolerance`, the speed is negative: the gap must open, but not faster
// than `max_opening_speed`.
static inline double md5_max_closing_speed(double seconds, double gap, double tolerance,
                                           double max_opening_speed)
{
    if (gap >= 0.0)
        return gap / seconds;
    if (gap >= -tolerance)
        return 0.0;
    return md5_max(RECOVERY_RATE * (gap + tolerance) / seconds, -max_opening_speed);
}

// -- Impulses and ground --------------------------------------------------------------------------

// Finds the impulses of limits, links and contacts, and the velocities with which the bodies move
// in the step (SWEEPS_TO_MOVE). Call after md5i_prepare_ragdoll().
void md5i_solve_ragdoll(md5_ragdoll *ragdoll);

// Finds the velocities that remain after the move (SWEEPS_TO_RELAX), and measures the loads of the
// joints.
void md5i_relax_ragdoll(md5_ragdoll *ragdoll);

// Applies an impulse at a node. Updates the velocities of all nodes.
void md5i_apply_ragdoll_impulse(md5_ragdoll *ragdoll, uint32_t node, const spatial *impulse);

// Sets hulls, planes and edges of all bodies. Their arrays must be allocated.
void md5i_build_ragdoll_hulls(md5_ragdoll *ragdoll);

// Finds the contacts of the bodies whose next search is due.
void md5i_find_ragdoll_contacts(md5_ragdoll *ragdoll);

#endif
