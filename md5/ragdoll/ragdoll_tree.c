// The bodies of a ragdoll as trees in reduced coordinates. A node of a tree is a body with the
// joint to its parent. The position of a body is not stored independently: it follows from the
// rotations of the joints between the body and the root of its tree.
//
// This file selects which constraints of the figure become joints. It converts between transforms
// and joint rotations, and computes articulated inertias.
//
// A constraint connects bodies[0] to bodies[1]. Either of them can be the parent. If the node is
// bodies[1], the joint is reversed. The state of a joint does not depend on this: it is the
// rotation of bodies[0] in the axes of bodies[1].
#include "md5/ragdoll/ragdoll.h"

// == Creation =====================================================================================

// Returns the representative of a body's group (union-find with path halving). A group contains
// bodies that joints connect. groups[body] is another body of the same group, or the body itself if
// it is the representative.
static uint32_t find_group(uint32_t *groups, uint32_t body)
{
    uint32_t member = body;
    while (groups[member] != member) {
        groups[member] = groups[groups[member]];
        member = groups[member];
    }
    return member;
}

// Minimum inertia of a body about each axis, as a fraction of the inertia of a ball with its mass
// and radius. Thinner bodies would rotate too fast for the time step.
#define MIN_INERTIA 0.02

// Returns true if a symmetric matrix can be the inertia of a body. Two conditions must hold. The
// matrix must be positive definite, so its leading principal minors must be positive (Sylvester's
// criterion). Its trace must be possible for the radius of the body. `ball_inertia` is the inertia
// of a ball of this radius.
static bool is_valid_inertia(const double (*inertia)[3], double ball_inertia)
{
    const md5_vec3d first = {inertia[0][0], inertia[0][1], inertia[0][2]};
    const md5_vec3d second = {inertia[1][0], inertia[1][1], inertia[1][2]};
    const md5_vec3d third = {inertia[2][0], inertia[2][1], inertia[2][2]};
    const md5_vec3d cross = md5_vec3d_cross(first, second);
    const double minor1 = first.x;
    const double minor2 = cross.z; // minor of the first two rows and columns
    const double determinant = md5_vec3d_dot(cross, third);
    const double trace = first.x + second.y + third.z;
    const double minimum = 0.25 * MIN_INERTIA * ball_inertia;
    if (!(minor1 > minimum && minor2 > minimum * minimum))
        return false;
    return determinant > minimum * minimum * minimum && trace < 100.0 * ball_inertia;
}

// Sets the inertia of a node to the inertia of a ball, the same about all axes.
static void set_ball_inertia(ragdoll_node *node, double ball_inertia)
{
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 3; k++)
            node->inertia[i][k] = i == k ? ball_inertia : 0.0;
    }
}

// Sets the mass and the inertia of a node from the values of the file. Makes the inertia symmetric
// and adds the minimum inertia. If the mass or the inertia is invalid, sets the inertia of a ball.
static void read_inertia(ragdoll_node *node, const md5_body_part *part, double min_mass)
{
    static const double max_mass = 1e15;
    const double mass = (double)part->mass;
    const bool has_mass = mass >= min_mass && mass < max_mass;
    node->mass = has_mass ? mass : min_mass;

    const double ball_inertia = 0.4 * node->mass * node->radius * node->radius;
    const float *const in = part->inertia; // 3 x 3
    double(*const out)[3] = node->inertia;
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 3; k++)
            out[i][k] = 0.5 * ((double)in[3 * i + k] + (double)in[3 * k + i]);
        out[i][i] += MIN_INERTIA * ball_inertia;
    }
    if (!has_mass || !is_valid_inertia((const double(*)[3])out, ball_inertia))
        set_ball_inertia(node, ball_inertia);
}

// Returns the fraction of a velocity that remains after a step. `friction` is the fraction that is
// lost in 1/60 second, which is four steps; hence the fourth root.
static double velocity_factor(float friction)
{
    double lost = (double)friction;
    if (!(friction > 0.0f))
        lost = 0.0;
    else if (!(friction < 1.0f))
        lost = 1.0;
    return sqrt(sqrt(1.0 - lost));
}

// Returns the number of degrees of freedom of a joint.
static uint32_t count_joint_motions(md5_constraint_type type)
{
    switch (type) {
    case MD5_CONSTRAINT_BALL:
        return 3;
    case MD5_CONSTRAINT_UNIVERSAL:
        return 2;
    case MD5_CONSTRAINT_HINGE:
    case MD5_CONSTRAINT_SLIDER:
        return 1;
    default:
        return 0; // fixed
    }
}

// Sets the number of degrees of freedom of a joint, and the number of its limits. Only joints that
// rotate have limits. The two pairs of walls of a pyramid are separate limits.
static void count_motions(ragdoll_node *node, const md5_figure_constraint *def)
{
    node->num_motions = count_joint_motions(def->type);
    const bool can_rotate = node->num_motions > 0 && def->type != MD5_CONSTRAINT_SLIDER;
    if (def->limit == MD5_FIGURE_NO_LIMIT || !can_rotate)
        return;
    const bool is_pyramid = def->limit == MD5_FIGURE_PYRAMID && def->type != MD5_CONSTRAINT_HINGE;
    node->num_limits = is_pyramid ? 2 : 1;
}

// Returns the rotation by the shortest arc between two unit vectors that are not opposite.
static md5_quatd shortest_arc(md5_vec3d from, md5_vec3d to)
{
    const md5_vec3d across = md5_vec3d_cross(from, to);
    const double w = 1.0 + md5_vec3d_dot(from, to);
    const double scale = 1.0 / sqrt(md5_vec3d_dot(across, across) + w * w);
    return (md5_quatd){across.x * scale, across.y * scale, across.z * scale, w * scale};
}

// Returns true if a vector of a file is a direction. Directions have unit length, and a missing
// direction is 0.
static bool is_direction(md5_vec3d vector)
{
    return md5_vec3d_dot(vector, vector) > 0.5;
}

// Sets the shaft of a universal joint, a direction in the axes of bodies[1]. It is the reversed
// second shaft. If that is not usable, it is the first shaft.
//
// In the setup pose, the two shafts may differ by an arc. The base rotation is changed so that it
// aligns the shafts. The joint then only bends the first shaft away from the second, without twist.
static void set_shaft(ragdoll_node *node, const md5_body_constraint *joint)
{
    // Both shafts in the axes of bodies[1].
    const md5_vec3d first =
        md5_quatd_rotate(node->base_rotation, md5_vec3d_from_vec3(joint->shafts[0]));
    const md5_vec3d second = md5_vec3d_scale(md5_vec3d_from_vec3(joint->shafts[1]), -1.0);
    const bool are_opposite = !(md5_vec3d_dot(first, second) > -0.999);
    const bool can_use_second = is_direction(second) && !are_opposite;
    md5_vec3d shaft = can_use_second ? second : first;
    if (!is_direction(shaft))
        shaft = (md5_vec3d){0.0, 0.0, 1.0};

    const md5_quatd first_to_shaft = md5_quatd_conjugate(shortest_arc(shaft, first));
    node->shaft = shaft;
    node->base_rotation = md5_quatd_mul(first_to_shaft, node->base_rotation);
}

// Returns the distance of the farthest vertex of a body from its center of mass, at least 0.1 units
// and at most 1e6 units.
static double body_radius(const md5_figure *figure, const md5_body_part *part)
{
    double radius = 0.1;
    for (uint32_t i = 0; i < part->num_vertices; i++) {
        const md5_vec3 vertex = figure->vertices[part->first_vertex + i];
        radius = md5_max(radius, (double)md5_vec3_length(vertex));
    }
    return md5_min(radius, 1e6);
}

// Returns the rotation of a body in the setup pose of the figure. The world is not rotated.
static md5_quatd setup_rotation(const md5_figure *figure, uint32_t body)
{
    if (body == MD5_NONE)
        return (md5_quatd){0.0, 0.0, 0.0, 1.0};
    return md5_quatd_from_quat(figure->setup[body].rotation);
}

// Sets the members of a node that describe its joint: the degrees of freedom, and the base
// rotation, which is the rotation of bodies[0] in the axes of bodies[1] in the setup pose.
static void set_joint(ragdoll_node *node, const md5_figure *figure)
{
    const md5_body_constraint *const joint = &figure->constraints[node->constraint];
    const md5_quatd first_to_world = setup_rotation(figure, joint->bodies[0]);
    const md5_quatd second_to_world = setup_rotation(figure, joint->bodies[1]);
    node->is_reversed = joint->bodies[0] != node->body;
    node->base_rotation = md5_quatd_mul(md5_quatd_conjugate(second_to_world), first_to_world);
    count_motions(node, joint->def);
    if (joint->def->type == MD5_CONSTRAINT_UNIVERSAL)
        set_shaft(node, joint);
}

// Adds a body to the tree, after its parent. `parent` is a node, or MD5_NONE for the world or no
// parent. `constraint` is the joint to the parent, or MD5_NONE for a free root.
static void add_node(md5_ragdoll *ragdoll, uint32_t body, uint32_t parent, uint32_t constraint,
                     double min_mass)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    const md5_body_part *const part = &figure->bodies[body];
    const uint32_t index = ragdoll->num_nodes++;
    ragdoll->node_by_body[body] = index;

    ragdoll_node *const node = &ragdoll->nodes[index];
    *node = (ragdoll_node){.body = body,
                           .parent = parent,
                           .constraint = constraint,
                           .radius = body_radius(figure, part),
                           .base_rotation = {0.0, 0.0, 0.0, 1.0},
                           .joint_rotation = {0.0, 0.0, 0.0, 1.0}};
    read_inertia(node, part, min_mass);
    node->linear_factor = velocity_factor(part->def->friction[0]);
    node->angular_factor = velocity_factor(part->def->friction[1]);
    if (constraint != MD5_NONE)
        set_joint(node, figure);
}

// Adds a link for a constraint that is not a joint of the trees.
static void add_link(md5_ragdoll *ragdoll, uint32_t constraint)
{
    const md5_body_constraint *const def = &ragdoll->desc.figure->constraints[constraint];
    ragdoll_link *const link = &ragdoll->links[ragdoll->num_links++];
    *link = (ragdoll_link){.constraint = constraint};
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t body = def->bodies[i];
        link->nodes[i] = body == MD5_NONE ? MD5_NONE : ragdoll->node_by_body[body];
    }
}

// The graph of bodies and constraints. The world is an additional body with the index num_bodies.
// Constraint i has two directed edges: 2 i leads from bodies[0] to bodies[1], and 2 i + 1 back.
typedef struct body_graph {
    uint32_t *groups;     // [num_bodies + 1] union-find of connected bodies
    uint32_t *first_edge; // [num_bodies + 1] first edge that leads from each body, or MD5_NONE
    uint32_t *next_edge;  // [2 * num_constraints] next edge that leads from the same body, or
                          // MD5_NONE
    uint32_t *stack;      // edges that add_tree() must still follow
    bool *is_joint;       // [num_constraints] the constraint is a joint of a tree
    double min_mass;      // minimum mass of a body
} body_graph;

// Returns the minimum mass of a body: 1/1000 of the heaviest body.
static double min_body_mass(const md5_figure *figure)
{
    double max_mass = 0.0;
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const double mass = (double)figure->bodies[i].mass;
        if (mass < 1e15)
            max_mass = md5_max(max_mass, mass);
    }
    return max_mass > 0.0 ? 1e-3 * max_mass : 1.0;
}

// Initializes a graph without edges, in which each body and the world are a group of their own.
static void begin_graph(const md5_figure *figure, body_graph *graph)
{
    for (uint32_t i = 0; i < figure->num_bodies + 1; i++) {
        graph->groups[i] = i;
        graph->first_edge[i] = MD5_NONE;
    }
}

// Adds the two edges of a constraint to the lists of its bodies. `ends` are the indices of the
// bodies; num_bodies is the world.
static void add_joint_edges(body_graph *graph, uint32_t constraint, const uint32_t ends[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t edge = 2 * constraint + i;
        graph->next_edge[edge] = graph->first_edge[ends[i]];
        graph->first_edge[ends[i]] = edge;
    }
}

// Selects the constraints that become joints, and adds their edges to the graph. A spring does not
// become a joint, because it does not hold its bodies together. A constraint within one group would
// close a loop, which a tree cannot have, so it does not become a joint either.
static void select_joints(const md5_figure *figure, body_graph *graph)
{
    const uint32_t world = figure->num_bodies;
    begin_graph(figure, graph);
    for (uint32_t i = 0; i < figure->num_constraints; i++) {
        const md5_body_constraint *const constraint = &figure->constraints[i];
        uint32_t ends[2];
        uint32_t groups[2]; // groups of connected bodies
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t body = constraint->bodies[k];
            ends[k] = body == MD5_NONE ? world : body;
            groups[k] = find_group(graph->groups, ends[k]);
        }

        const bool is_spring = constraint->def->type == MD5_CONSTRAINT_SPRING;
        const bool closes_loop = groups[0] == groups[1];
        graph->is_joint[i] = !is_spring && !closes_loop;
        if (!graph->is_joint[i])
            continue;
        graph->groups[groups[1]] = groups[0]; // merges the groups
        add_joint_edges(graph, i, ends);
    }
}

// An edge as seen from one of its ends.
typedef struct body_edge {
    uint32_t constraint;
    uint32_t from; // body, or MD5_NONE for the world
    uint32_t to;
} body_edge;

// Returns an edge of the graph by its index: see body_graph.
static body_edge get_edge(const md5_figure *figure, uint32_t edge)
{
    const uint32_t constraint = edge / 2;
    const uint32_t end = edge % 2;
    const uint32_t *const bodies = figure->constraints[constraint].bodies;
    return (body_edge){constraint, bodies[end], bodies[1 - end]};
}

// Pushes the edges from a body to bodies that are not in a tree yet. Of a body's edges, only the
// one to its parent leads to a body in the tree, because joints do not close loops. Returns the new
// number of edges on the stack.
static uint32_t push_edges_to_children(const md5_ragdoll *ragdoll, const body_graph *graph,
                                       uint32_t body, uint32_t num_stacked)
{
    uint32_t count = num_stacked;
    for (uint32_t i = graph->first_edge[body]; i != MD5_NONE; i = graph->next_edge[i]) {
        const uint32_t neighbor = get_edge(ragdoll->desc.figure, i).to;
        if (neighbor != MD5_NONE && ragdoll->node_by_body[neighbor] == MD5_NONE)
            graph->stack[count++] = i;
    }
    return count;
}

// Adds the nodes below `start` depth first, so that parents precede their children. `start` is a
// root that is already a node, or num_bodies for the world.
static void add_tree(md5_ragdoll *ragdoll, const body_graph *graph, uint32_t start)
{
    uint32_t num_stacked = push_edges_to_children(ragdoll, graph, start, 0);
    while (num_stacked > 0) {
        const body_edge edge = get_edge(ragdoll->desc.figure, graph->stack[--num_stacked]);
        const uint32_t parent = edge.from == MD5_NONE ? MD5_NONE : ragdoll->node_by_body[edge.from];
        add_node(ragdoll, edge.to, parent, edge.constraint, graph->min_mass);
        num_stacked = push_edges_to_children(ragdoll, graph, edge.to, num_stacked);
    }
}

// Sets the end of each node's subtree. The loop visits children before their parents, because
// children follow their parents in nodes[].
static void set_subtree_ends(md5_ragdoll *ragdoll)
{
    for (uint32_t k = ragdoll->num_nodes; k-- > 0;) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        if (node->subtree_end < k + 1)
            node->subtree_end = k + 1;
        if (node->parent == MD5_NONE)
            continue;
        ragdoll_node *const parent = &ragdoll->nodes[node->parent];
        if (parent->subtree_end < node->subtree_end)
            parent->subtree_end = node->subtree_end;
    }
}

// Adds all nodes: first the trees that the world holds, then one tree for each group of bodies that
// is not connected to the world.
static void add_all_trees(md5_ragdoll *ragdoll, const body_graph *graph)
{
    const uint32_t num_bodies = ragdoll->desc.figure->num_bodies;
    for (uint32_t i = 0; i < num_bodies; i++)
        ragdoll->node_by_body[i] = MD5_NONE;
    add_tree(ragdoll, graph, num_bodies); // the world
    for (uint32_t i = 0; i < num_bodies; i++) {
        if (ragdoll->node_by_body[i] != MD5_NONE)
            continue;
        add_node(ragdoll, i, MD5_NONE, MD5_NONE, graph->min_mass);
        add_tree(ragdoll, graph, i);
    }
    set_subtree_ends(ragdoll);
}

// Adds all links: first DRAG_LINK, then the constraints that are not joints of a tree.
static void add_all_links(md5_ragdoll *ragdoll, const body_graph *graph)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    ragdoll->links[ragdoll->num_links++] =
        (ragdoll_link){.constraint = MD5_NONE, .nodes = {MD5_NONE, MD5_NONE}};
    for (uint32_t i = 0; i < figure->num_constraints; i++) {
        const md5_body_constraint *const constraint = &figure->constraints[i];
        const bool connects_two_bodies = constraint->bodies[0] != constraint->bodies[1];
        if (!graph->is_joint[i] && connects_two_bodies)
            add_link(ragdoll, i);
    }
}

// Converts the bodies and constraints of a figure to trees, in which each body has at most one
// parent. Constraints that do not become joints become links, which the solver treats separately.
void md5i_build_ragdoll_tree(md5_ragdoll *ragdoll, uint32_t *scratch)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    const size_t num_vertices = (size_t)figure->num_bodies + 1; // bodies and the world
    const size_t num_edges = 2 * (size_t)figure->num_constraints;

    // All arrays of the graph are parts of the scratch memory.
    body_graph graph;
    graph.groups = scratch;
    graph.first_edge = graph.groups + num_vertices;
    graph.next_edge = graph.first_edge + num_vertices;
    graph.stack = graph.next_edge + num_edges;
    graph.is_joint = (bool *)(graph.stack + 2 * num_vertices);
    graph.min_mass = min_body_mass(figure);

    select_joints(figure, &graph);
    add_all_trees(ragdoll, &graph);
    add_all_links(ragdoll, &graph);
}

// == Transforms ===================================================================================

// Returns the constraint of a node's joint. The node must have a joint.
static const md5_body_constraint *node_joint(const md5_ragdoll *ragdoll, const ragdoll_node *node)
{
    return &ragdoll->desc.figure->constraints[node->constraint];
}

// Returns the rotation about `axis` that is nearest to `rotation`: the quaternion without the part
// of its vector that is perpendicular to the axis.
static md5_quatd keep_twist(md5_quatd rotation, md5_vec3d axis)
{
    const md5_quatd identity = {0.0, 0.0, 0.0, 1.0};
    const double along = rotation.x * axis.x + rotation.y * axis.y + rotation.z * axis.z;
    const md5_vec3d twist = md5_vec3d_scale(axis, along);
    return md5_unit_or((md5_quatd){twist.x, twist.y, twist.z, rotation.w}, identity);
}

// Returns the rotation without twist about `axis` that is nearest to `rotation`: the quaternion
// without the part of its vector along the axis.
static md5_quatd remove_twist(md5_quatd rotation, md5_vec3d axis)
{
    const md5_quatd identity = {0.0, 0.0, 0.0, 1.0};
    const double along = rotation.x * axis.x + rotation.y * axis.y + rotation.z * axis.z;
    const md5_vec3d twist = md5_vec3d_scale(axis, along);
    const md5_quatd bend = {rotation.x - twist.x, rotation.y - twist.y, rotation.z - twist.z,
                            rotation.w};
    return md5_unit_or(bend, identity);
}

// Returns the allowed rotation of a hinge or a universal joint that is nearest to its current
// rotation. A hinge rotates from its base rotation only about its axis. A universal joint rotates
// from its base rotation only without twist about its shaft.
static md5_quatd nearest_allowed_rotation(const ragdoll_node *node,
                                          const md5_body_constraint *joint)
{
    // Rotations of bodies[0] relative to its base rotation, in the axes of bodies[1].
    const md5_quatd from_base =
        md5_quatd_mul(node->joint_rotation, md5_quatd_conjugate(node->base_rotation));
    md5_quatd allowed_from_base;
    if (joint->def->type == MD5_CONSTRAINT_HINGE)
        allowed_from_base = keep_twist(from_base, md5_vec3d_from_vec3(joint->axes[1]));
    else
        allowed_from_base = remove_twist(from_base, node->shaft);
    return md5_quatd_mul(allowed_from_base, node->base_rotation);
}

// Replaces the joint rotation by the nearest rotation that the joint allows.
static void project_joint_rotation(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    const md5_body_constraint *const joint = node_joint(ragdoll, node);
    switch (joint->def->type) {
    case MD5_CONSTRAINT_BALL: // allows every rotation
        node->joint_rotation = md5_unit_or(node->joint_rotation, node->base_rotation);
        break;
    case MD5_CONSTRAINT_HINGE:
    case MD5_CONSTRAINT_UNIVERSAL:
        node->joint_rotation = nearest_allowed_rotation(node, joint);
        break;
    default: // a slider or a fixed joint does not rotate
        node->joint_rotation = node->base_rotation;
        break;
    }
}

// Returns the translation of a slider: the distance between its anchors along its axis, which is
// fixed in bodies[1]. `ends` are the transforms of bodies[0] and bodies[1].
static double measure_slide(const md5_body_constraint *joint, const ragdoll_transform ends[2])
{
    const md5_vec3d first = md5_transform_point(&ends[0], md5_vec3d_from_vec3(joint->anchors[0]));
    const md5_vec3d second = md5_transform_point(&ends[1], md5_vec3d_from_vec3(joint->anchors[1]));
    const md5_vec3d axis = md5_quatd_rotate(ends[1].rotation, md5_vec3d_from_vec3(joint->axes[1]));
    return md5_vec3d_dot(md5_vec3d_sub(first, second), axis);
}

// Computes the rotation of each joint, and the translation of each slider, from the transforms of
// its bodies. Removes the parts of a rotation that the joint does not allow, for example rotations
// of a hinge about other axes than its own.
void md5i_read_joint_rotations(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        if (node->constraint == MD5_NONE)
            continue;
        ragdoll_transform ends[2];
        const md5_body_constraint *const joint = node_joint(ragdoll, node);
        md5i_constraint_transforms(ragdoll, joint, ends);
        node->joint_rotation =
            md5_quatd_mul(md5_quatd_conjugate(ends[1].rotation), ends[0].rotation);
        const bool is_slider = joint->def->type == MD5_CONSTRAINT_SLIDER;
        node->slide = is_slider ? measure_slide(joint, ends) : 0.0;
        project_joint_rotation(ragdoll, node);
    }
}

// Returns the anchor of bodies[1] of a joint, in the axes of this body. The translation of a slider
// moves the anchor along the slider's axis.
static md5_vec3d moved_second_anchor(const ragdoll_node *node, const md5_body_constraint *joint)
{
    const md5_vec3d anchor = md5_vec3d_from_vec3(joint->anchors[1]);
    if (joint->def->type != MD5_CONSTRAINT_SLIDER)
        return anchor;
    const md5_vec3d axis = md5_vec3d_from_vec3(joint->axes[1]);
    return md5_vec3d_add(anchor, md5_vec3d_scale(axis, node->slide));
}

// Sets the transform of a node from the transform of its parent, the rotation of the joint, and the
// translation of a slider. An anchor is the point of a body at which the joint is attached. The
// node is placed so that the anchors of both bodies coincide.
static void update_transform(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    const md5_body_constraint *const joint = node_joint(ragdoll, node);
    const ragdoll_transform parent = md5i_ragdoll_transform(ragdoll, node->parent);

    // The node is bodies[0] and its parent bodies[1], unless the joint is reversed.
    md5_vec3d node_anchor = md5_vec3d_from_vec3(joint->anchors[0]);
    md5_vec3d parent_anchor = moved_second_anchor(node, joint);
    md5_quatd node_to_parent = node->joint_rotation;
    if (node->is_reversed) {
        parent_anchor = node_anchor;
        node_anchor = moved_second_anchor(node, joint);
        node_to_parent = md5_quatd_conjugate(node->joint_rotation);
    }

    const md5_quatd rotation = md5_quatd_mul(parent.rotation, node_to_parent);
    node->transform.rotation = md5_unit_or(rotation, node->transform.rotation);
    const md5_vec3d anchor_position = md5_transform_point(&parent, parent_anchor);
    const md5_vec3d center_to_anchor = md5_quatd_rotate(node->transform.rotation, node_anchor);
    node->transform.position = md5_vec3d_sub(anchor_position, center_to_anchor);
}

// Sets the transforms of all nodes from the transforms of the roots and the joint rotations.
void md5i_update_ragdoll_transforms(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        if (ragdoll->nodes[k].constraint != MD5_NONE)
            update_transform(ragdoll, &ragdoll->nodes[k]);
    }
}

// Rotates a joint back into its limits after a step has rotated it by `angle` radians. A correction
// may contain a twist that the joint does not allow. Without the twist, it is too small, so the
// correction is repeated.
static void enforce_joint_limits(const md5_ragdoll *ragdoll, ragdoll_node *node, double angle)
{
    enum { MAX_TRIES = 8 };
    for (int i = 0; i < MAX_TRIES && md5i_enforce_limits(ragdoll, node, angle); i++)
        project_joint_rotation(ragdoll, node);
}

// Returns the linear velocity of a body's center of mass. The linear part of a spatial velocity is
// the velocity at ragdoll->origin instead.
static md5_vec3d center_velocity(const ragdoll_node *node)
{
    return md5_vec3d_add(md5_spatial_linear(&node->velocity),
                         md5_vec3d_cross(md5_spatial_angular(&node->velocity), node->center));
}

// Moves a free root, which has no joint, by its velocity.
static void move_root(ragdoll_node *node, double seconds)
{
    ragdoll_transform *const transform = &node->transform;
    const md5_vec3d path = md5_vec3d_scale(center_velocity(node), seconds);
    transform->position = md5_vec3d_add(transform->position, path);
    transform->rotation =
        md5i_integrate_rotation(transform->rotation, md5_spatial_angular(&node->velocity), seconds);
}

// Returns the spatial velocity of a node relative to its parent, in world space.
static spatial velocity_from_parent(const md5_ragdoll *ragdoll, const ragdoll_node *node)
{
    spatial velocity = node->velocity;
    if (node->parent != MD5_NONE)
        md5_spatial_add(&velocity, &ragdoll->nodes[node->parent].velocity, -1.0);
    return velocity;
}

// Moves the joint of node `index` by the velocity of the node relative to its parent. Rotates the
// joint and translates a slider. Then removes the parts of the motion that the joint or its limits
// do not allow.
static void move_joint(const md5_ragdoll *ragdoll, uint32_t index, double seconds)
{
    ragdoll_node *const node = &ragdoll->nodes[index];
    const md5_body_constraint *const joint = node_joint(ragdoll, node);
    const spatial velocity = velocity_from_parent(ragdoll, node);
    const md5_vec3d angular = md5_spatial_angular(&velocity); // in world space
    const md5_vec3d linear = md5_spatial_linear(&velocity);

    // The joint rotation is the rotation of bodies[0] in the axes of bodies[1]. If the joint is
    // reversed, the node is bodies[1]: then bodies[0] moves by the opposite velocity.
    const double signed_seconds = node->is_reversed ? -seconds : seconds;
    const uint32_t second_node = node->is_reversed ? index : node->parent;
    const md5_quatd second_to_world = md5i_ragdoll_transform(ragdoll, second_node).rotation;
    const md5_quatd world_to_second = md5_quatd_conjugate(second_to_world);

    const md5_vec3d angular_in_second = md5_quatd_rotate(world_to_second, angular);
    node->joint_rotation =
        md5i_integrate_rotation(node->joint_rotation, angular_in_second, signed_seconds);
    if (joint->def->type == MD5_CONSTRAINT_SLIDER) {
        const md5_vec3d axis = md5_vec3d_from_vec3(joint->axes[1]); // in bodies[1]
        const md5_vec3d linear_in_second = md5_quatd_rotate(world_to_second, linear);
        node->slide += signed_seconds * md5_vec3d_dot(linear_in_second, axis);
    }

    project_joint_rotation(ragdoll, node);
    enforce_joint_limits(ragdoll, node, seconds * md5_vec3d_length(angular));
}

// Moves all bodies by their velocities for `seconds`, and rotates joints that have passed a limit
// back to the limit.
void md5i_move_ragdoll(md5_ragdoll *ragdoll, double seconds)
{
    // The motion of a joint uses the old transform of the parent, so parents move last.
    for (uint32_t k = ragdoll->num_nodes; k-- > 0;) {
        if (ragdoll->nodes[k].constraint == MD5_NONE)
            move_root(&ragdoll->nodes[k], seconds);
        else
            move_joint(ragdoll, k, seconds);
    }
    md5i_update_ragdoll_transforms(ragdoll);
}

// == Articulated inertias =========================================================================

// Sets node->world_inertia, the inertia of the body in the axes of the world:
//
//   R I transpose(R)
//
// where R = node->axes rotates the body to the world and I is the inertia in the axes of the body.
// The product is symmetric, so only one half of it is computed.
static void rotate_inertia(ragdoll_node *node)
{
    const double(*const rotation)[3] = (const double(*)[3])node->axes.rows; // R
    const double(*const inertia)[3] = (const double(*)[3])node->inertia;    // I
    double rotated[3][3];                                                   // R I
    for (uint32_t i = 0; i < 3; i++) {
        MD5_UNROLL
        for (uint32_t k = 0; k < 3; k++)
            rotated[i][k] = rotation[i][0] * inertia[0][k] + rotation[i][1] * inertia[1][k]
                            + rotation[i][2] * inertia[2][k];
    }

    MD5_UNROLL
    for (uint32_t i = 0; i < 3; i++) {
        MD5_UNROLL
        for (uint32_t k = i; k < 3; k++) {
            const double element = rotated[i][0] * rotation[k][0] + rotated[i][1] * rotation[k][1]
                                   + rotated[i][2] * rotation[k][2];
            node->world_inertia.rows[i][k] = element;
            node->world_inertia.rows[k][i] = element;
        }
    }
}

// Sets node->inertias to the spatial inertia of the body, without its children, about the origin.
// With the mass m, the center c relative to the origin, and [c] the matrix of the cross product
// with c, its blocks of 3 x 3 are:
//
//   world_inertia + m (dot(c, c) - c * transpose(c))    m [c]
//   transpose(m [c])                                    m
static void set_inertias(ragdoll_node *node)
{
    const double m = node->mass;
    const double x = node->center.x;
    const double y = node->center.y;
    const double z = node->center.z;
    const double square = x * x + y * y + z * z;
    const double c[3] = {x, y, z};
    const double cross[3][3] = {{0.0, -m * z, m * y}, {m * z, 0.0, -m * x}, {-m * y, m * x, 0.0}};
    spatial *const columns = node->inertias.columns;
    rotate_inertia(node);

    MD5_UNROLL
    for (uint32_t i = 0; i < 3; i++) {
        MD5_UNROLL
        for (uint32_t k = 0; k < 3; k++) {
            const double diagonal = i == k ? square : 0.0;
            columns[i].x[k] = node->world_inertia.rows[i][k] + m * (diagonal - c[i] * c[k]);
            columns[i].x[3 + k] = cross[i][k];
            columns[3 + k].x[i] = cross[i][k];
            columns[3 + i].x[3 + k] = i == k ? m : 0.0;
        }
    }
}

// Returns the unit motion of a rotation about an axis through a point, which is relative to
// ragdoll->origin. Its angular part is the axis. Its linear part is the velocity at the origin.
static spatial rotation_about(md5_vec3d axis, md5_vec3d point)
{
    return md5_spatial_from(axis, md5_vec3d_cross(point, axis));
}

// Sets the two axes of a universal joint, in world space. They are perpendicular to the mean of its
// two shafts. The second shaft is fixed in bodies[1], whose rotation is `second_to_world`. The
// first shaft is the second shaft, rotated by the bend of the joint.
static void set_universal_axes(const ragdoll_node *node, md5_quatd second_to_world, md5_vec3d *axes)
{
    const md5_quatd bend =
        md5_quatd_mul(node->joint_rotation, md5_quatd_conjugate(node->base_rotation));
    const md5_vec3d second_shaft = md5_quatd_rotate(second_to_world, node->shaft);
    const md5_vec3d first_shaft =
        md5_quatd_rotate(second_to_world, md5_quatd_rotate(bend, node->shaft));
    md5_vec3d middle = md5_vec3d_add(second_shaft, first_shaft);
    if (!(md5_vec3d_dot(middle, middle) > 1e-8)) // opposite shafts do not have a mean
        middle = md5_vec3d_perpendicular(second_shaft);
    middle = md5_vec3d_normalize(middle);
    axes[0] = md5_vec3d_perpendicular(middle);
    axes[1] = md5_vec3d_cross(middle, axes[0]);
}

// Sets node->motions, the unit motions that the joint allows: rotations about the anchor, or the
// translation of a slider.
static void set_motions(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    if (node->num_motions == 0)
        return;
    const md5_body_constraint *const joint = node_joint(ragdoll, node);
    ragdoll_transform ends[2];
    md5i_constraint_transforms(ragdoll, joint, ends);
    const md5_vec3d first_axis =
        md5_quatd_rotate(ends[1].rotation, md5_vec3d_from_vec3(joint->axes[1]));
    if (joint->def->type == MD5_CONSTRAINT_SLIDER) {
        node->motions[0] = md5_spatial_from((md5_vec3d){0.0, 0.0, 0.0}, first_axis);
        return;
    }

    // A ball joint has three axes, in any direction.
    md5_vec3d axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    if (joint->def->type == MD5_CONSTRAINT_UNIVERSAL)
        set_universal_axes(node, ends[1].rotation, axes);
    else if (node->num_motions == 1)
        axes[0] = first_axis;
    const md5_vec3d anchor = md5_vec3d_sub(
        md5_transform_point(&ends[0], md5_vec3d_from_vec3(joint->anchors[0])), ragdoll->origin);
    for (uint32_t i = 0; i < node->num_motions; i++)
        node->motions[i] = rotation_about(axes[i], anchor);
}

// Lower limits of the squared diagonal elements (pivots) in the Cholesky decomposition. A pivot is
// at least MIN_PIVOT, and at least MIN_RELATIVE_PIVOT times the diagonal element of the matrix.
// Smaller pivots are rounding errors of a nearly singular matrix, and may be negative.
#define MIN_RELATIVE_PIVOT 1e-12
#define MIN_PIVOT 1e-30

// Inverts a symmetric positive definite matrix A of `count` rows, at most 6, in place. Row i of A
// begins at a[i * stride]. `count` is a constant in every call, so that the loops are unrolled.
// Computes the Cholesky decomposition with a lower triangular matrix L,
// and inverts L in the same loop:
//
//   A          = L transpose(L)
//   inverse(A) = transpose(inverse(L)) inverse(L)
static MD5_ALWAYS_INLINE void invert(double *a, int count, int stride)
{
    double inverse[6][6] = {{0.0}}; // inverse of L, which replaces the lower half of A
    MD5_UNROLL
    for (int k = 0; k < count; k++) {
        // The elements of row k of L to the left of the diagonal.
        double *const row = a + k * stride;
        MD5_UNROLL
        for (int i = 0; i < k; i++) {
            double sum = row[i];
            MD5_UNROLL
            for (int j = 0; j < i; j++)
                sum -= row[j] * a[i * stride + j];
            row[i] = sum * inverse[i][i];
        }

        // The diagonal element of L is the root of the pivot. Only its inverse is used.
        const double min_pivot = md5_max(MIN_RELATIVE_PIVOT * row[k], MIN_PIVOT);
        double pivot = row[k];
        MD5_UNROLL
        for (int j = 0; j < k; j++)
            pivot -= row[j] * row[j];
        inverse[k][k] = 1.0 / sqrt(md5_max(pivot, min_pivot));

        // The elements of row k of inverse(L) to the left of the diagonal.
        MD5_UNROLL
        for (int i = 0; i < k; i++) {
            double sum = 0.0;
            MD5_UNROLL
            for (int j = i; j < k; j++)
                sum -= row[j] * inverse[j][i];
            inverse[k][i] = sum * inverse[k][k];
        }
    }

    // transpose(inverse(L)) inverse(L), which is symmetric.
    MD5_UNROLL
    for (int i = 0; i < count; i++) {
        MD5_UNROLL
        for (int k = 0; k <= i; k++) {
            double sum = 0.0;
            MD5_UNROLL
            for (int j = i; j < count; j++)
                sum += inverse[j][i] * inverse[j][k];
            a[i * stride + k] = sum;
            a[k * stride + i] = sum;
        }
    }
}

// Inverts the inertia of a joint that has this number of motions, in place.
static void invert_joint_inertia(double inertia[3][3], uint32_t num_motions)
{
    switch (num_motions) {
    case 1:
        invert(&inertia[0][0], 1, 3);
        break;
    case 2:
        invert(&inertia[0][0], 2, 3);
        break;
    case 3:
        invert(&inertia[0][0], 3, 3);
        break;
    default: // a fixed joint
        break;
    }
}

// Below this speed, the friction of a joint decreases, radians per second. It is below the speeds
// at which a ragdoll counts as moving, so that joints come to rest.
#define MIN_BRAKE_SPEED 0.05

#define MAX_JOINT_FRICTION 1e3 // larger values of files have the effect of this value

// Returns the friction of a joint as an additional inertia. Unlike a torque, an inertia can slow a
// motion down to a stop, but never reverse it.
//
// Friction is a torque that is proportional to the force that the joint bears. In a step it changes
// the momentum by torque * seconds. At the current speed, the following inertia absorbs this
// momentum:
//
//   inertia = torque * seconds / speed
//
// friction_scales[] reduces the friction for a time that the figure defines.
static double friction_brake(const md5_ragdoll *ragdoll, const ragdoll_node *node)
{
    const md5_figure_constraint *const def = node_joint(ragdoll, node)->def;
    if (def->type == MD5_CONSTRAINT_SLIDER || !(def->friction > 0.0f))
        return 0.0;
    const md5_vec3d angular = md5i_joint_angular_velocity(ragdoll, node);
    const double speed = md5_max(md5_vec3d_length(angular), MIN_BRAKE_SPEED);
    const double coefficient = md5_min((double)def->friction, MAX_JOINT_FRICTION);
    const double torque = coefficient * ragdoll->friction_scales[FRICTION_OF_JOINTS] * node->load;
    return ragdoll->seconds * torque / speed;
}

// Computes the inertia of a joint's free motions, which is the resistance of the body and all its
// descendants. Sets node->inverse and node->gains from it. In a step of the simulation, friction
// and locked limits also resist.
static void set_joint_inertia(md5_ragdoll *ragdoll, ragdoll_node *node, prepare_mode mode)
{
    const uint32_t num_motions = node->num_motions;
    const bool is_step = mode == PREPARE_STEP;
    const double brake = is_step && num_motions > 0 ? friction_brake(ragdoll, node) : 0.0;
    // The children have changed only the elements above the diagonal: see add_inertia_to_parent().
    md5_spatial_mirror(&node->inertias);
    for (uint32_t i = 0; i < num_motions; i++)
        node->motion_momenta[i] = md5_spatial_mul(&node->inertias, &node->motions[i]);

    double(*const inertia)[3] = node->inverse; // inverted in place below
    for (uint32_t i = 0; i < num_motions; i++) {
        for (uint32_t k = 0; k < num_motions; k++)
            inertia[i][k] = md5_spatial_dot(&node->motions[i], &node->motion_momenta[k]);
        inertia[i][i] += brake + node->extra_inertia * inertia[i][i];
        node->locks[i] = 0.0;
    }
    if (is_step && node->num_limits > 0) {
        md5i_measure_limits(ragdoll, node);
        md5i_lock_limits(ragdoll, node); // adds to `inverse` and `locks`
    }
    invert_joint_inertia(inertia, num_motions);

    for (uint32_t i = 0; i < num_motions; i++) {
        node->gains[i] = (spatial){{0.0}};
        for (uint32_t k = 0; k < num_motions; k++)
            md5_spatial_add(&node->gains[i], &node->motion_momenta[k], node->inverse[i][k]);
    }
}

// Adds scale * (a * transpose(b) + b * transpose(a)), which is symmetric, to a matrix. Does not
// compute the elements below the diagonal, except those that are in a pair with the diagonal.
static void add_symmetric_product(spatial_matrix *matrix, const spatial *a, const spatial *b,
                                  double scale)
{
    md5_pair a_pairs[3];
    md5_pair b_pairs[3];
    MD5_UNROLL
    for (int i = 0; i < 3; i++) {
        a_pairs[i] = md5_pair_load(&a->x[2 * i]);
        b_pairs[i] = md5_pair_load(&b->x[2 * i]);
    }
    MD5_UNROLL
    for (int k = 0; k < 6; k++) {
        const md5_pair a_scaled = md5_pair_both(scale * a->x[k]);
        const md5_pair b_scaled = md5_pair_both(scale * b->x[k]);
        MD5_UNROLL
        for (int i = 0; i <= k / 2; i++) {
            double *const elements = &matrix->columns[k].x[2 * i];
            const md5_pair product = md5_pair_add(md5_pair_mul(a_scaled, b_pairs[i]),
                                                  md5_pair_mul(b_scaled, a_pairs[i]));
            md5_pair_store(elements, md5_pair_add(md5_pair_load(elements), product));
        }
    }
}

// Adds a symmetric matrix to another one. Computes the same elements as add_symmetric_product().
static void add_symmetric_matrix(spatial_matrix *sum, const spatial_matrix *added)
{
    MD5_UNROLL
    for (int k = 0; k < 6; k++) {
        MD5_UNROLL
        for (int i = 0; i <= k / 2; i++) {
            double *const elements = &sum->columns[k].x[2 * i];
            const md5_pair other = md5_pair_load(&added->columns[k].x[2 * i]);
            md5_pair_store(elements, md5_pair_add(md5_pair_load(elements), other));
        }
    }
}

// Adds the inertia of a node's subtree to its parent. The part along the motions of the joint is
// subtracted, because the parent does not move it (Featherstone, see ragdoll.h, chapter 7):
//
//   inertias - motion_momenta * inverse * transpose(motion_momenta)
//
// motion_momenta * inverse are the gains. The mean of the product and its transpose is subtracted,
// so that rounding errors do not make the result asymmetric. It is subtracted from node->inertias,
// which is not used after that.
static void add_inertia_to_parent(ragdoll_node *node, ragdoll_node *parent)
{
    for (uint32_t m = 0; m < node->num_motions; m++)
        add_symmetric_product(&node->inertias, &node->motion_momenta[m], &node->gains[m], -0.5);
    add_symmetric_matrix(&parent->inertias, &node->inertias);
}

// Adds the pending impulse of a node to its parent, without the part that moves the joint. The
// pending impulse is the sum of the impulses in the subtree that the parent has not received yet.
// Locked limits also pass on the impulses with which they act on the joint.
static void add_impulse_to_parent(const ragdoll_node *node, ragdoll_node *parent)
{
    spatial passed = node->pending;
    for (uint32_t i = 0; i < node->num_motions; i++) {
        const double along = md5_spatial_dot(&node->motions[i], &node->pending);
        md5_spatial_add(&passed, &node->gains[i], -node->locks[i] - along);
    }
    md5_spatial_add(&parent->pending, &passed, 1.0);
}

// Computes the inertia of a node's joint, and adds the inertia and the impulses that the joint
// transfers to the parent. Must be called for all nodes from the leaves to the roots, so that
// node->inertias contains the whole subtree (articulated-body algorithm).
static void propagate_inertia(md5_ragdoll *ragdoll, ragdoll_node *node, prepare_mode mode)
{
    set_joint_inertia(ragdoll, node, mode);
    if (node->parent == MD5_NONE)
        return;
    ragdoll_node *const parent = &ragdoll->nodes[node->parent];
    add_inertia_to_parent(node, parent);
    add_impulse_to_parent(node, parent);
}

// Changes node->response from the parent's response to the node's response. A response is the
// matrix that converts an impulse at a body to the change of its velocity. With the motions M, the
// gains G and the parent's response P, the node's response is
//
//   (1 - M transpose(G)) P (1 - G transpose(M)) + M inverse transpose(M)
//
// The code computes an equivalent sum, which keeps the matrix symmetric. For each motion m with the
// gain g:
//
//   h        = -P g + 0.5 M (transpose(G) P g + column m of inverse)
//   response = P + sum over m of (m transpose(h) + h transpose(m))
static void add_joint_response(ragdoll_node *node)
{
    const uint32_t num_motions = node->num_motions;
    spatial responses[3];          // P G
    double motion_responses[3][3]; // transpose(G) P G + inverse
    for (uint32_t i = 0; i < num_motions; i++)
        responses[i] = md5_spatial_mul(&node->response, &node->gains[i]);
    for (uint32_t i = 0; i < num_motions; i++) {
        for (uint32_t k = 0; k < num_motions; k++)
            motion_responses[i][k] =
                md5_spatial_dot(&node->gains[i], &responses[k]) + node->inverse[i][k];
    }

    for (uint32_t m = 0; m < num_motions; m++) {
        const spatial *const motion = &node->motions[m];
        spatial h = {{0.0}};
        md5_spatial_add(&h, &responses[m], -1.0);
        for (uint32_t k = 0; k < num_motions; k++)
            md5_spatial_add(&h, &node->motions[k], 0.5 * motion_responses[m][k]);
        add_symmetric_product(&node->response, motion, &h, 1.0);
    }
    md5_spatial_mirror(&node->response);
}

// Changes node->velocity from the parent's velocity to the node's velocity. Adds the speeds of the
// joint, which result from the parent's velocity, the locks and the pending impulse.
static void add_joint_velocity(ragdoll_node *node)
{
    const spatial parent_velocity = node->velocity;
    double impulses[3]; // along the motions of the joint
    for (uint32_t k = 0; k < node->num_motions; k++)
        impulses[k] = node->locks[k] + md5_spatial_dot(&node->motions[k], &node->pending);
    for (uint32_t m = 0; m < node->num_motions; m++) {
        double speed = -md5_spatial_dot(&node->gains[m], &parent_velocity);
        for (uint32_t k = 0; k < node->num_motions; k++)
            speed += node->inverse[m][k] * impulses[k];
        md5_spatial_add(&node->velocity, &node->motions[m], speed);
    }
}

// Computes the velocity of a node from the velocity of its parent. Must be called for all nodes
// from the roots to the leaves. The world does not move. The velocity of a free root results from
// its response, which is the inverse of its inertia.
static void propagate_velocity(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    if (node->constraint == MD5_NONE) {
        node->response = node->inertias;
        invert((double *)node->response.columns, 6, 6);
        node->velocity = md5_spatial_mul(&node->response, &node->pending);
        return;
    }
    node->velocity = (spatial){{0.0}};
    if (node->parent != MD5_NONE)
        node->velocity = ragdoll->nodes[node->parent].velocity;
    add_joint_velocity(node);
}

// Computes the response of a node from the response of its parent. The world does not respond. The
// response of a free root already exists: see propagate_velocity().
static void propagate_response(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    if (node->constraint == MD5_NONE)
        return;
    if (node->parent == MD5_NONE)
        node->response = (spatial_matrix){{{{0.0}}}};
    else
        node->response = ragdoll->nodes[node->parent].response;
    add_joint_response(node);
}

// Computes the responses of the nodes on which impulses may act, and of their ancestors, to which
// the joints pass these impulses.
void md5i_compute_responses(md5_ragdoll *ragdoll)
{
    for (uint32_t k = ragdoll->num_nodes; k-- > 0;) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        if (node->needs_response && node->parent != MD5_NONE)
            ragdoll->nodes[node->parent].needs_response = true;
    }
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        if (ragdoll->nodes[k].needs_response)
            propagate_response(ragdoll, &ragdoll->nodes[k]);
    }
}

// Maximum speeds, as in the engine: 128 units and 90 degrees in a tick of 1/60 second.
#define MAX_LINEAR_SPEED 7680.0 // units per second
#define MAX_ANGULAR_SPEED 94.2  // radians per second
#define MAX_JOINT_SPEED 35.0    // radians per second, relative to the parent

// A joint is slowed down if its speed exceeds the maximum by more than TOLERATED_SPEED_RATIO. Its
// inertia then grows by the ratio of the speeds. It also grows by INERTIA_MARGIN, because impulses
// make up for a part of the larger inertia.
#define TOLERATED_SPEED_RATIO 1.05
#define INERTIA_MARGIN 1.2

#define MAX_SUM_OF_SPEEDS 1e15

// Stops the whole ragdoll if a velocity is not a number or is huge. Such velocities result from
// rounding errors in figures whose masses or lengths differ by many orders of magnitude. Also
// removes everything from which the next step would start: contacts, loads and impulses.
void md5i_stop_invalid_motion(md5_ragdoll *ragdoll)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        for (int i = 0; i < 6; i++)
            sum += fabs(ragdoll->nodes[k].velocity.x[i]);
    }
    const bool is_valid = sum < MAX_SUM_OF_SPEEDS; // false for NaN
    if (is_valid)
        return;

    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->velocity = (spatial){{0.0}};
        node->num_contacts = 0;
        node->load = 0.0;
        node->limits[0].impulse.value = 0.0;
        node->limits[1].impulse.value = 0.0;
    }
    for (uint32_t i = 0; i < ragdoll->num_links; i++)
        memset(ragdoll->links[i].impulses, 0, sizeof ragdoll->links[i].impulses);
}

// Scales all velocities by one factor so that no body exceeds the maximum speeds. Different factors
// would violate the joints.
static void clamp_velocities(md5_ragdoll *ragdoll)
{
    double excess = 1.0; // largest ratio of a speed to its maximum
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        const double linear_speed = md5_vec3d_length(center_velocity(node));
        const double angular_speed = md5_vec3d_length(md5_spatial_angular(&node->velocity));
        excess = md5_max(excess, linear_speed * (1.0 / MAX_LINEAR_SPEED));
        excess = md5_max(excess, angular_speed * (1.0 / MAX_ANGULAR_SPEED));
    }
    if (excess <= 1.0)
        return;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        for (int i = 0; i < 6; i++)
            ragdoll->nodes[k].velocity.x[i] *= 1.0 / excess;
    }
}

// Increases the inertia of joints that rotate too fast for the length of the step. Returns true if
// there were such joints. The caller must then solve the step again.
bool md5i_slow_fast_joints(md5_ragdoll *ragdoll)
{
    bool has_fast_joints = false;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        if (node->num_motions == 0)
            continue;
        const spatial velocity = velocity_from_parent(ragdoll, node);
        const double speed = md5_vec3d_length(md5_spatial_angular(&velocity));
        const double speed_ratio = speed / MAX_JOINT_SPEED;
        const bool is_too_fast = speed_ratio > TOLERATED_SPEED_RATIO;
        if (is_too_fast) {
            node->extra_inertia = (1.0 + node->extra_inertia) * speed_ratio * INERTIA_MARGIN - 1.0;
            has_fast_joints = true;
        }
    }
    return has_fast_joints;
}

// Computes the momenta with which a step starts. These are the stored momenta of the last step,
// changed by gravity and by the friction of the body.
static void get_step_momenta(const md5_ragdoll *ragdoll, const ragdoll_node *node,
                             md5_vec3d *momentum, md5_vec3d *angular_momentum)
{
    md5_vec3d falling = node->momentum;
    falling.z -= ragdoll->gravity * ragdoll->seconds * node->mass;
    *momentum = md5_vec3d_scale(falling, node->linear_factor);
    *angular_momentum = md5_vec3d_scale(node->angular_momentum, node->angular_factor);
}

// Computes the values of a body that do not depend on other bodies: its inertia, the motions of its
// joint, and its momentum. The momentum is stored in node->pending, as the impulse that would
// accelerate the body from rest to its velocity.
static void prepare_body(const md5_ragdoll *ragdoll, ragdoll_node *node, prepare_mode mode)
{
    node->center = md5_vec3d_sub(node->transform.position, ragdoll->origin);
    node->needs_response = false;
    node->axes = md5_rotation_matrix(node->transform.rotation);
    set_inertias(node);
    set_motions(ragdoll, node);

    md5_vec3d momentum;
    md5_vec3d angular_momentum; // about the center
    if (mode == PREPARE_STEP) {
        get_step_momenta(ragdoll, node, &momentum, &angular_momentum);
    } else {
        momentum = md5_vec3d_scale(node->linear, node->mass);
        angular_momentum = md5_matrix_mul(&node->world_inertia, node->angular);
    }
    const md5_vec3d about_origin =
        md5_vec3d_add(angular_momentum, md5_vec3d_cross(node->center, momentum));
    node->pending = md5_spatial_from(about_origin, momentum);
}

// Prepares the tree for a step by Featherstone's articulated-body algorithm. A pass from the leaves
// to the roots computes the inertia of each body together with its descendants. A pass from the
// roots to the leaves computes the velocities.
void md5i_prepare_ragdoll(md5_ragdoll *ragdoll, prepare_mode mode)
{
    // Rounding errors of spatial vectors increase with the distance from their origin, so the
    // origin is a point near the bodies.
    ragdoll->origin = ragdoll->nodes[0].transform.position;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        prepare_body(ragdoll, &ragdoll->nodes[k], mode);
    for (uint32_t k = ragdoll->num_nodes; k-- > 0;)
        propagate_inertia(ragdoll, &ragdoll->nodes[k], mode);
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        propagate_velocity(ragdoll, &ragdoll->nodes[k]);
    md5i_stop_invalid_motion(ragdoll);
    clamp_velocities(ragdoll);
}

// Sets the velocities and momenta of all bodies from their spatial velocities. Linear velocities
// are velocities of the centers of mass.
void md5i_store_ragdoll_velocities(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->angular = md5_spatial_angular(&node->velocity);
        node->linear = center_velocity(node);
        node->momentum = md5_vec3d_scale(node->linear, node->mass);
        node->angular_momentum = md5_matrix_mul(&node->world_inertia, node->angular);
    }
}

// Returns the sum of the kinetic energies of all bodies: half of momentum times velocity, linear
// and angular.
double md5i_ragdoll_kinetic_energy(const md5_ragdoll *ragdoll)
{
    double energy = 0.0;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        energy += 0.5 * md5_vec3d_dot(node->momentum, node->linear)
                  + 0.5 * md5_vec3d_dot(node->angular_momentum, node->angular);
    }
    return energy;
}

// Returns the sum of the potential energies of all bodies.
double md5i_ragdoll_potential_energy(const md5_ragdoll *ragdoll)
{
    double energy = 0.0;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        energy += node->mass * ragdoll->gravity * node->transform.position.z;
    }
    return energy;
}
