// The state of a ragdoll, shared by ragdoll.c (time, rest, saving), ragdoll_tree.c (bodies as a
// tree), ragdoll_solve.c (limits, loops, contacts), ragdoll_hull.c (shapes of bodies),
// ragdoll_ground.c and ragdoll_triangles.c (contact points).
//
// The bodies are nodes of trees, parents first and each subtree in one piece. A step is:
//
//   place    where the nodes are, from the roots' places and the joints' turns
//   ground   in each fourth step: the points that may touch before the next search
//   prepare  what an impulse at a node does to it, with the whole tree behind it; and the
//   velocities
//            that the momenta of the last step mean in this pose
//   solve    impulses of limits, loops and contacts
//   move     roots and joints, by these velocities, as far as energy and limits allow
//   relax    velocities without what only pushes bodies out of the ground or out of limits
//
// Featherstone, "Rigid Body Dynamics Algorithms", 2008, has the articulated inertias that `prepare`
// computes. That momenta are kept, and velocities follow from them as the nearest that the joints
// allow, stands for the forces that turning frames cause, and never adds energy: the velocities are
// a projection in the metric of the masses.
#ifndef MD5_RAGDOLL_RAGDOLL_H
#define MD5_RAGDOLL_RAGDOLL_H

#include "md5/core/bytes.h"
#include "md5/core/context.h"
#include "md5/core/math.h"
#include "md5/md5ragdoll.h"

#define DEGREE (3.14159265358979323846 / 180.0)

static const double ragdoll_rate = MD5_RAGDOLL_RATE; // in C++ no enumeration times a double

// Of motions the angular velocity, and the velocity of what is at ragdoll->origin; of impulses the
// angular one about that point, and the linear one.
typedef struct spatial {
    double x[6];
} spatial;

static inline double md5_spatial_dot(const spatial *a, const spatial *b)
{
    return a->x[0] * b->x[0] + a->x[1] * b->x[1] + a->x[2] * b->x[2] + a->x[3] * b->x[3]
           + a->x[4] * b->x[4] + a->x[5] * b->x[5];
}

static inline void md5_spatial_add(spatial *to, const spatial *what, double scale)
{
    for (int i = 0; i < 6; i++)
        to->x[i] += what->x[i] * scale;
}

static inline spatial md5_spatial_of(md5_vec3d angular, md5_vec3d linear)
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

// A symmetric matrix.
typedef struct spatial_matrix {
    double x[6][6];
} spatial_matrix;

static inline spatial md5_spatial_mul(const spatial_matrix *a, const spatial *b)
{
    spatial product = {{0.0}};
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 6; i++)
            product.x[i] += a->x[k][i] * b->x[k];
    return product;
}

// fmax() and fmin() in line; of what is not a number `b`.
static inline double md5_greater(double a, double b)
{
    return a > b ? a : b;
}

static inline double md5_less(double a, double b)
{
    return a < b ? a : b;
}

static inline md5_vec3d md5_quatd_rotate(md5_quatd q, md5_vec3d v)
{
    const md5_vec3d axis = {q.x, q.y, q.z};
    const md5_vec3d twice = md5_vec3d_scale(md5_vec3d_cross(axis, v), 2.0);
    return md5_vec3d_add(md5_vec3d_add(v, md5_vec3d_scale(twice, q.w)),
                         md5_vec3d_cross(axis, twice));
}

// An impulse that sweeps solve for. The result of a step is the first guess of the next step.
typedef struct ragdoll_impulse {
    double value;
    double previous;  // before the last sweep
    double direction; // conjugate direction of the sweeps so far
} ragdoll_impulse;

// A point that may touch the ground before the next search.
typedef struct ragdoll_contact {
    md5_vec3d at;                // in the axes of its body
    md5_vec3d normal;            // of the ground, in the world
    double level;                // of the ground along it
    ragdoll_impulse impulses[3]; // along the normal and both tangents
    double speed;                // with which it comes
    // Of the step:
    bool is_near;
    double gap;
    double inverses[3];
    double max_friction; // impulse
    spatial along[3];
    spatial responses[3];
} ragdoll_contact;
enum { MAX_CONTACTS = 8, SEARCH_STEPS = 4 };

// A limit of a joint: a cone, or one pair of walls of a pyramid.
typedef struct ragdoll_limit {
    ragdoll_impulse impulse; // torque, times the time of the step
    // Of the step:
    md5_vec3d axis;     // turns the node away from the limit
    double start_gap;   // radians to the limit
    double start_angle; // the same in the plane across the walls of a pyramid
    double gap;         // the same, less what the bend of a cone takes in this step
    bool is_near;       // may be reached in this step
    // A limit that the joint leaned on in the last step is locked: its axis is a stiff damper in
    // the articulated inertias, so that impulses at the node meet the whole limb.
    bool is_locked;
    double stiffness, speed; // of the lock: torque = stiffness * (speed - speed along the axis)
    // For sweeps, if it is not locked:
    double inverse;
    spatial onto_parent;
    spatial parent_response;
    spatial response;
} ragdoll_limit;

typedef struct ragdoll_place {
    md5_quatd turn;
    md5_vec3d at;
} ragdoll_place;

// A body with the joint to its parent.
typedef struct ragdoll_node {
    uint32_t body, parent; // of the figure; a node or MD5_NONE
    uint32_t constraint;   // the joint, of the figure; MD5_NONE: it floats
    bool is_reversed;      // it is bodies[1] of that
    uint32_t num_moves;    // of the joint: 3 turns, 2, 1 or none; of a slider 1
    uint32_t num_limits;   // a cone 1, a pyramid 2
    uint32_t end;          // of its subtree
    double mass;
    double inertia[3][3] /* in its own axes */;
    double radius;
    double haste;
    double kept[2];  // of linear and angular velocity in a step
    md5_quatd base;  // of bodies[0] in bodies[1] where the joint has not turned
    md5_vec3d shaft; // of a universal joint, in bodies[1]
    // What changes.
    ragdoll_place place;
    md5_quatd turn; // of bodies[0] in bodies[1]
    double slide;
    md5_vec3d momentum, spin;  // spin: about its center
    md5_vec3d linear, angular; // velocities in the world
    double load;               // that its joint bears: a force
    ragdoll_limit limits[2];
    uint64_t next_search; // step of the next search for contacts, if the body is not fast
    uint32_t num_contacts;
    ragdoll_contact contacts[MAX_CONTACTS];
    // Of the step.
    double axes[3][3]; // from its own to the world's
    double inertia_in_world[3][3];
    md5_vec3d center;           // from ragdoll->origin
    spatial_matrix inertias;    // articulated: of what is below, too
    spatial_matrix response;    // what an impulse at it changes of its velocity
    spatial moves[3];           // motions of the joint
    spatial loads[3], gains[3]; // inertias * moves; these by the inverse of moves * loads
    double inverse[3][3];
    double locks[3]; // impulses along the moves by which locked limits reach their speeds
    spatial velocity;
    spatial passed;    // impulses of its subtree that its parent does not know yet
    spatial known;     // the parent's velocity when it was here last
    md5_vec3d touched; // by impulses of contacts and links, linear
    bool is_busy;      // something of its subtree needs impulses
} ragdoll_node;

// A constraint that makes a loop, ties to the world beside others, or is a spring; and the first
// one of all, what drags.
typedef struct ragdoll_link {
    uint32_t constraint; // MD5_NONE: drags
    uint32_t nodes[2];   // MD5_NONE: the world
    double impulses[6];
    // Of the step:
    uint32_t num_rows;
    spatial along[6][2]; // at each node; what keeps them together has opposite signs
    double biases[6][2], softness[6], inverses[6], lows[6]; // biases: also of the last sweeps
    spatial responses[6][2];                                // of the node to itself
} ragdoll_link;

// The current distance of a joint from one of its limits, and its direction.
typedef struct limit_view {
    md5_vec3d axis; // turns bodies[0] toward the limit; zero: it cannot be reached
    double gap;     // to the limit, negative: beyond; as 2 tan(angle / 2), the turn of a Cayley map
    double cosine, sine; // of the angle between the axis of the limit and the shaft; for a pyramid
                         // in the plane across one pair of walls
    double extent; // length of the shaft in that plane; 1 for a cone. An angle to a wall in that
                   // plane is about gap / extent.
    // Of a cone: motion along its wall, across the shaft, reduces the gap by half of its square
    // times `bend`.
    md5_vec3d shaft;
    double bend;
} limit_view;

typedef struct ragdoll_plane {
    md5_vec3d normal;
    double level; // along it
} ragdoll_plane;
enum { MAX_PLANES = 36 }; // of a body

// An edge of a hull between two faces: vertices and planes of its body.
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

struct md5_ragdoll {
    md5_ragdoll_desc desc;
    md5_internal internal;
    size_t size;
    uint32_t num_nodes;
    uint32_t num_links;
    ragdoll_node *nodes;       // [num_nodes]
    ragdoll_link *links;       // [num_links]
    uint32_t *node_of;         // [num_nodes] of the figure's bodies
    uint32_t *path;            // [num_nodes] scratch
    ragdoll_hull *hulls;       // [num_nodes] of bodies
    ragdoll_plane *planes;     // of all hulls, outward
    ragdoll_edge *edges;       // of all hulls
    md5_body_state *bodies;    // [num_nodes] what the caller sees
    md5_body_state *looked_at; // [num_nodes] in the last look for rest
    double gravity;
    double bounce;
    double least_bounce /* speed */;
    float slow[2], dents[2][3]; // seconds; joints, contacts: least, from, to
    // What changes beside nodes and links.
    ragdoll_place world;        // of model space, for ties to it
    md5_vec3d drag_at, drag_to; // in the body, in the world
    double left, added_energy;  // time for the next step
    uint64_t step; // number of it; and of those of the last look for rest, when it woke, when a
    uint64_t still_since, woken, moved; // body was too fast to rest
    uint64_t is_at_rest;
    // Of the step.
    md5_vec3d origin;
    double seconds;   // that it lasts
    double scales[2]; // of friction of joints and of contacts
    uint32_t cursor;
    double change;      // of speeds, by the sweep
    uint32_t sweep;     // number of it
    double gradient;    // square of what the sweep changed, as energy
    double ratio;       // of the gradients of the last two sweeps
    double fastest;     // speed of a point of a body
    bool is_touching;   // something may
    bool is_pushed_out; // something is, or bounces: the velocities of the step are not those after
                        // it
};

// Check the ragdoll of a public function and the objects that it uses; of a function that changes
// the ragdoll, that no callback of this ragdoll runs.
// NOLINTBEGIN(bugprone-macro-parentheses): as messages name the arguments
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

// -- Trees ----------------------------------------------------------------------------------------

// Makes nodes and links of the figure, in which arrays have room for all.
void md5i_make_ragdoll_tree(md5_ragdoll *ragdoll, uint32_t *scratch);
// Brings the turns of joints to what joints allow, from the places of the nodes.
void md5i_ragdoll_read_turns(md5_ragdoll *ragdoll);
void md5i_ragdoll_place(md5_ragdoll *ragdoll);
// With `is_step` the momenta of the last step, after the frictions and with the weight of this
// one, make the velocities; else those of the bodies, at this moment.
void md5i_ragdoll_prepare(md5_ragdoll *ragdoll, bool is_step);
void md5i_ragdoll_tame(md5_ragdoll *ragdoll);
// What nodes[].velocity are: of the bodies; and of nodes by themselves: the momenta.
void md5i_ragdoll_take_velocities(md5_ragdoll *ragdoll);
bool md5i_ragdoll_is_hasty(md5_ragdoll *ragdoll);
// Moves by the velocities for `seconds`, and out of limits that this passes.
void md5i_ragdoll_move(md5_ragdoll *ragdoll, double seconds);
md5_vec3d md5i_node_spin(const ragdoll_node *node, md5_vec3d angular); // angular momentum
double md5i_ragdoll_motion(const md5_ragdoll *ragdoll);                // energy of it
double md5i_ragdoll_energy(const md5_ragdoll *ragdoll);                // and of height
md5_quatd md5i_turned(md5_quatd q, md5_vec3d angular, double seconds);
ragdoll_place md5i_ragdoll_end(const md5_ragdoll *ragdoll, uint32_t node);
// Both ends of a constraint, bodies[0] first.
void md5i_ragdoll_ends(const md5_ragdoll *ragdoll, const md5_body_constraint *constraint,
                       ragdoll_place ends[2]);

// Returns a quaternion of unit length, or `otherwise` if the length is too small or too large.
static inline md5_quatd md5_unit_or(md5_quatd q, md5_quatd otherwise)
{
    const double square = md5_quatd_dot(q, q);
    if (!(square > 1e-20 && square < 1e20))
        return otherwise;
    const double scale = 1.0 / sqrt(square);
    return (md5_quatd){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

static inline md5_vec3d md5_in_place(const ragdoll_place *place, md5_vec3d point)
{
    return md5_vec3d_add(place->at, md5_quatd_rotate(place->turn, point));
}

// -- Limits ---------------------------------------------------------------------------------------

// How a constraint of a figure stands to its limit `index` between two places.
limit_view md5i_limit_view(const md5_body_constraint *constraint, uint32_t index,
                           const ragdoll_place ends[2]);
// Sets axis, start_gap and gap of the limits of a joint.
void md5i_measure_limits(const md5_ragdoll *ragdoll, ragdoll_node *node);
// Adds the locked limits to node->inverse, before it is inverted, and to node->locks.
void md5i_lock_limits(const md5_ragdoll *ragdoll, ragdoll_node *node);
// Turns a joint back that has turned by an angle and is too far beyond a limit. Returns true if it
// turned the joint by an angle that matters.
bool md5i_hold_limits(const md5_ragdoll *ragdoll, ragdoll_node *node, double angle);
// The speed at which the joint turns away from a limit.
double md5i_limit_speed(const md5_ragdoll *ragdoll, const ragdoll_node *node,
                        const ragdoll_limit *limit);
// The change per second of a gap for which a limit is solved: see md5_way_out().
double md5i_limit_way_out(const md5_ragdoll *ragdoll, double gap);

#define RECOVERED 0.2 // part of what is beyond that is recovered in a step

// How fast a gap may close, to be just closed at the end of the step; negative: how fast something
// that is beyond by more than `loose` must come back.
static inline double md5_way_out(double seconds, double gap, double loose, double fastest)
{
    if (gap >= 0.0)
        return gap / seconds;
    if (gap >= -loose)
        return 0.0;
    return md5_greater(RECOVERED * (gap + loose) / seconds, -fastest);
}

// -- Impulses and ground --------------------------------------------------------------------------

void md5i_ragdoll_solve(md5_ragdoll *ragdoll);
void md5i_ragdoll_relax(md5_ragdoll *ragdoll);
// An impulse at a node, through the whole tree.
void md5i_ragdoll_strike(md5_ragdoll *ragdoll, uint32_t node, const spatial *impulse);

// Sets hulls, planes and edges.
void md5i_make_ragdoll_hulls(md5_ragdoll *ragdoll);
// Finds the contacts of those bodies whose next search is due.
void md5i_ragdoll_find_contacts(md5_ragdoll *ragdoll);

#endif
