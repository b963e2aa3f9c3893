// Ragdolls as trees: which constraints are joints of it; places from turns; what impulses do.
#include "md5/ragdoll/ragdoll.h"

// == Making =======================================================================================

// The end of a chain of `of`, which is shortened on the way.
static uint32_t group_of(uint32_t *of, uint32_t member)
{
    while (of[member] != member) {
        of[member] = of[of[member]];
        member = of[member];
    }
    return member;
}

// The least that a body's inertia can be, as a part of what its mass has at its radius: thinner
// ones spin faster than steps can follow.
#define LEAST_INERTIA 0.02

// Symmetric, and about each axis at least something; of a density of no sense that of a ball.
static void read_inertia(ragdoll_node *node, const md5_body_part *part, double least_mass)
{
    node->mass = (double)part->mass;
    const bool has_mass = node->mass >= least_mass && node->mass < 1e15;
    node->mass = has_mass ? node->mass : least_mass;
    const double ball = 0.4 * node->mass * node->radius * node->radius;
    const float *const in = part->inertia;
    double(*const out)[3] = node->inertia;
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 3; k++)
            out[i][k] = 0.5 * ((double)in[3 * i + k] + (double)in[3 * k + i]);
        out[i][i] += LEAST_INERTIA * ball;
    }
    // What any body has: the minors are above 0, and the largest is within what its radius allows.
    const md5_vec3d last = md5_vec3d_cross((md5_vec3d){out[0][0], out[0][1], out[0][2]},
                                           (md5_vec3d){out[1][0], out[1][1], out[1][2]});
    const double determinant = md5_vec3d_dot(last, (md5_vec3d){out[2][0], out[2][1], out[2][2]});
    const double trace = out[0][0] + out[1][1] + out[2][2];
    const double least = 0.25 * LEAST_INERTIA * ball;
    if (has_mass && out[0][0] > least && last.z > least * least
        && determinant > least * least * least && trace < 100.0 * ball)
        return;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++)
            out[i][k] = i == k ? ball : 0.0;
}

// The fourth root of what is kept of a velocity in a sixtieth of a second.
static double kept_of(float friction)
{
    const double lost = friction > 0.0f ? friction < 1.0f ? (double)friction : 1.0 : 0.0;
    return sqrt(sqrt(1.0 - lost));
}

static void make_node(md5_ragdoll *ragdoll, uint32_t body, uint32_t parent, uint32_t constraint,
                      double least_mass)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    const md5_body_part *const part = &figure->bodies[body];
    const uint32_t index = ragdoll->num_nodes++;
    ragdoll_node *const node = &ragdoll->nodes[index];
    *node = (ragdoll_node){.body = body,
                           .parent = parent,
                           .constraint = constraint,
                           .radius = 0.1,
                           .base = {0.0, 0.0, 0.0, 1.0},
                           .turn = {0.0, 0.0, 0.0, 1.0}};
    ragdoll->node_of[body] = index;
    for (uint32_t i = 0; i < part->num_vertices; i++)
        node->radius = md5_greater(
            node->radius, (double)md5_vec3_length(figure->vertices[part->first_vertex + i]));
    node->radius = md5_less(node->radius, 1e6);
    read_inertia(node, part, least_mass);
    node->kept[0] = kept_of(part->def->friction[0]);
    node->kept[1] = kept_of(part->def->friction[1]);
    if (constraint == MD5_NONE)
        return;
    const md5_body_constraint *const joint = &figure->constraints[constraint];
    node->is_reversed = joint->bodies[0] != body;
    md5_quatd setup[2];
    for (uint32_t i = 0; i < 2; i++)
        setup[i] = joint->bodies[i] == MD5_NONE
                       ? (md5_quatd){0.0, 0.0, 0.0, 1.0}
                       : md5_quatd_of(figure->setup[joint->bodies[i]].rotation);
    node->base = md5_quatd_mul(md5_quatd_conjugate(setup[1]), setup[0]);
    static const uint32_t moves[] = {0, 0, 3, 2, 1, 1, 0}; // of md5_constraint_type
    const md5_figure_constraint *const def = joint->def;
    node->num_moves = moves[def->type];
    if (def->limit != MD5_FIGURE_NO_LIMIT && node->num_moves > 0
        && def->type != MD5_CONSTRAINT_SLIDER)
        node->num_limits =
            def->limit == MD5_FIGURE_PYRAMID && def->type != MD5_CONSTRAINT_HINGE ? 2 : 1;
    if (def->type != MD5_CONSTRAINT_UNIVERSAL)
        return;
    // Without twist: the arc from the second shaft, backward, to the first one.
    const md5_vec3d first = md5_quatd_rotate(node->base, md5_vec3d_of(joint->shafts[0]));
    const md5_vec3d second = md5_vec3d_scale(md5_vec3d_of(joint->shafts[1]), -1.0);
    const double along = md5_vec3d_dot(first, second);
    node->shaft = along > -0.999 && md5_vec3d_dot(second, second) > 0.5 ? second : first;
    if (!(md5_vec3d_dot(node->shaft, node->shaft) > 0.5))
        node->shaft = (md5_vec3d){0.0, 0.0, 1.0};
    const md5_vec3d across = md5_vec3d_cross(node->shaft, first);
    const double w = 1.0 + md5_vec3d_dot(node->shaft, first);
    const double scale = 1.0 / sqrt(md5_vec3d_dot(across, across) + w * w);
    const md5_quatd back = {-across.x * scale, -across.y * scale, -across.z * scale, w * scale};
    node->base = md5_quatd_mul(back, node->base);
}

static void make_link(md5_ragdoll *ragdoll, uint32_t constraint)
{
    const md5_body_constraint *const of = &ragdoll->desc.figure->constraints[constraint];
    ragdoll_link *const link = &ragdoll->links[ragdoll->num_links++];
    *link = (ragdoll_link){.constraint = constraint};
    for (uint32_t i = 0; i < 2; i++)
        link->nodes[i] = of->bodies[i] == MD5_NONE ? MD5_NONE : ragdoll->node_of[of->bodies[i]];
}

void md5i_make_ragdoll_tree(md5_ragdoll *ragdoll, uint32_t *scratch)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    const uint32_t count = figure->num_bodies;
    const uint32_t num_edges = figure->num_constraints;
    const uint32_t world = count;
    // Lists of the edges of each body and of the world; edge 2 i and 2 i + 1 are constraint i.
    uint32_t *const groups = scratch;
    uint32_t *const firsts = groups + count + 1;
    uint32_t *const nexts = firsts + count + 1;
    uint32_t *const stack = nexts + 2 * (size_t)num_edges;
    bool *const is_joint = (bool *)(stack + 2 * ((size_t)count + 1));
    double heaviest = 0.0;
    for (uint32_t i = 0; i < count + 1; i++)
        groups[i] = i, firsts[i] = MD5_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const double mass = (double)figure->bodies[i].mass;
        heaviest = mass < 1e15 ? md5_greater(heaviest, mass) : heaviest;
    }
    for (uint32_t i = 0; i < num_edges; i++) {
        const md5_body_constraint *const edge = &figure->constraints[i];
        uint32_t ends[2], group[2];
        for (uint32_t k = 0; k < 2; k++) {
            ends[k] = edge->bodies[k] == MD5_NONE ? world : edge->bodies[k];
            group[k] = group_of(groups, ends[k]);
        }
        is_joint[i] = edge->def->type != MD5_CONSTRAINT_SPRING && group[0] != group[1];
        if (!is_joint[i])
            continue;
        groups[group[1]] = group[0];
        for (uint32_t k = 0; k < 2; k++) {
            nexts[2 * i + k] = firsts[ends[k]];
            firsts[ends[k]] = 2 * i + k;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        ragdoll->node_of[i] = MD5_NONE;
    // From the world, then from each body that was not reached: depth first, parents before
    // children. On the stack: edges to walk, as seen from the nearer end.
    const double least_mass = heaviest > 0.0 ? 1e-3 * heaviest : 1.0;
    for (uint32_t start = world, round = 0; round <= count; start = round++) {
        uint32_t top = 0;
        uint32_t from = start;
        if (start != world) {
            if (ragdoll->node_of[start] != MD5_NONE)
                continue;
            make_node(ragdoll, start, MD5_NONE, MD5_NONE, least_mass);
        }
        for (;;) {
            for (uint32_t edge = firsts[from]; edge != MD5_NONE; edge = nexts[edge]) {
                const uint32_t to = figure->constraints[edge / 2].bodies[1 - edge % 2];
                if (to != MD5_NONE && ragdoll->node_of[to] == MD5_NONE)
                    stack[top++] = edge;
            }
            if (top == 0)
                break;
            const uint32_t edge = stack[--top];
            const md5_body_constraint *const joint = &figure->constraints[edge / 2];
            const uint32_t near = joint->bodies[edge % 2];
            from = joint->bodies[1 - edge % 2];
            make_node(ragdoll, from, near == MD5_NONE ? MD5_NONE : ragdoll->node_of[near], edge / 2,
                      least_mass);
        }
    }
    for (uint32_t k = count; k-- > 0;) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->end = node->end > k + 1 ? node->end : k + 1;
        if (node->parent != MD5_NONE && ragdoll->nodes[node->parent].end < node->end)
            ragdoll->nodes[node->parent].end = node->end;
    }
    ragdoll->links[ragdoll->num_links++] =
        (ragdoll_link){.constraint = MD5_NONE, .nodes = {MD5_NONE, MD5_NONE}};
    for (uint32_t i = 0; i < num_edges; i++)
        if (!is_joint[i] && figure->constraints[i].bodies[0] != figure->constraints[i].bodies[1])
            make_link(ragdoll, i);
}

// == Places =======================================================================================

static const md5_body_constraint *joint_of(const md5_ragdoll *ragdoll, const ragdoll_node *node)
{
    return &ragdoll->desc.figure->constraints[node->constraint];
}

// Keeps of a turn what the joint can do.
static void restrain(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    const md5_body_constraint *const joint = joint_of(ragdoll, node);
    const md5_quatd none = {0.0, 0.0, 0.0, 1.0};
    if (joint->def->type == MD5_CONSTRAINT_BALL) {
        node->turn = md5_unit_or(node->turn, node->base);
        return;
    }
    if (node->num_moves == 0 || joint->def->type == MD5_CONSTRAINT_SLIDER) {
        node->turn = node->base;
        return;
    }
    const bool is_hinge = joint->def->type == MD5_CONSTRAINT_HINGE;
    const md5_vec3d axis = is_hinge ? md5_vec3d_of(joint->axes[1]) : node->shaft;
    md5_quatd by = md5_quatd_mul(node->turn, md5_quatd_conjugate(node->base));
    const double along = by.x * axis.x + by.y * axis.y + by.z * axis.z;
    const md5_vec3d part = md5_vec3d_scale(axis, along);
    by = is_hinge ? (md5_quatd){part.x, part.y, part.z, by.w}
                  : (md5_quatd){by.x - part.x, by.y - part.y, by.z - part.z, by.w};
    node->turn = md5_quatd_mul(md5_unit_or(by, none), node->base);
}

void md5i_ragdoll_read_turns(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        if (node->constraint == MD5_NONE)
            continue;
        ragdoll_place ends[2];
        const md5_body_constraint *const joint = joint_of(ragdoll, node);
        md5i_ragdoll_ends(ragdoll, joint, ends);
        node->turn = md5_quatd_mul(md5_quatd_conjugate(ends[1].turn), ends[0].turn);
        node->slide = 0.0;
        if (joint->def->type == MD5_CONSTRAINT_SLIDER) {
            const md5_vec3d way =
                md5_vec3d_sub(md5_in_place(&ends[0], md5_vec3d_of(joint->anchors[0])),
                              md5_in_place(&ends[1], md5_vec3d_of(joint->anchors[1])));
            node->slide =
                md5_vec3d_dot(way, md5_quatd_rotate(ends[1].turn, md5_vec3d_of(joint->axes[1])));
        }
        restrain(ragdoll, node);
    }
}

void md5i_ragdoll_place(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        if (node->constraint == MD5_NONE)
            continue;
        const md5_body_constraint *const joint = joint_of(ragdoll, node);
        const ragdoll_place parent = md5i_ragdoll_end(ragdoll, node->parent);
        const md5_vec3d first = md5_vec3d_of(joint->anchors[0]);
        md5_vec3d second = md5_vec3d_of(joint->anchors[1]);
        if (joint->def->type == MD5_CONSTRAINT_SLIDER)
            second =
                md5_vec3d_add(second, md5_vec3d_scale(md5_vec3d_of(joint->axes[1]), node->slide));
        const md5_quatd turn = node->is_reversed ? md5_quatd_conjugate(node->turn) : node->turn;
        node->place.turn = md5_unit_or(md5_quatd_mul(parent.turn, turn), node->place.turn);
        const md5_vec3d anchor = md5_in_place(&parent, node->is_reversed ? first : second);
        node->place.at = md5_vec3d_sub(
            anchor, md5_quatd_rotate(node->place.turn, node->is_reversed ? second : first));
    }
}

// Turns a joint back that a step has turned by an angle. The way back may need a twist that the
// joint does not have: without it the joint is a part of the way back, so the rest is tried again.
static void hold_in_limits(const md5_ragdoll *ragdoll, ragdoll_node *node, double angle)
{
    enum { MAX_TRIES = 8 };
    for (int i = 0; i < MAX_TRIES && md5i_hold_limits(ragdoll, node, angle); i++)
        restrain(ragdoll, node);
}

void md5i_ragdoll_move(md5_ragdoll *ragdoll, double seconds)
{
    for (uint32_t k = ragdoll->num_nodes; k-- > 0;) { // parents last: where they are counts
        ragdoll_node *const node = &ragdoll->nodes[k];
        spatial by = node->velocity;
        if (node->constraint == MD5_NONE) {
            const md5_vec3d angular = md5_spatial_angular(&by);
            const md5_vec3d linear =
                md5_vec3d_add(md5_spatial_linear(&by), md5_vec3d_cross(angular, node->center));
            node->place.at = md5_vec3d_add(node->place.at, md5_vec3d_scale(linear, seconds));
            node->place.turn = md5i_turned(node->place.turn, angular, seconds);
            continue;
        }
        const md5_body_constraint *const joint = joint_of(ragdoll, node);
        if (node->parent != MD5_NONE)
            md5_spatial_add(&by, &ragdoll->nodes[node->parent].velocity, -1.0);
        const double time = node->is_reversed ? -seconds : seconds; // of bodies[0] in bodies[1]
        const ragdoll_place second =
            md5i_ragdoll_end(ragdoll, node->is_reversed ? k : node->parent);
        const md5_quatd into = md5_quatd_conjugate(second.turn);
        node->turn =
            md5i_turned(node->turn, md5_quatd_rotate(into, md5_spatial_angular(&by)), time);
        if (joint->def->type == MD5_CONSTRAINT_SLIDER)
            node->slide += time
                           * md5_vec3d_dot(md5_quatd_rotate(into, md5_spatial_linear(&by)),
                                           md5_vec3d_of(joint->axes[1]));
        restrain(ragdoll, node);
        hold_in_limits(ragdoll, node, seconds * md5_vec3d_length(md5_spatial_angular(&by)));
    }
    md5i_ragdoll_place(ragdoll);
}

// == What impulses do =============================================================================

static void set_axes(ragdoll_node *node)
{
    const md5_quatd q = node->place.turn;
    const double x = q.x;
    const double y = q.y;
    const double z = q.z;
    const double w = q.w;
    const double rows[3][3] = {
        {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
        {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
        {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)}};
    memcpy(node->axes, rows, sizeof rows);
}

// Of the body alone, about the origin; its upper left block becomes that about its center first.
static void set_inertias(ragdoll_node *node)
{
    double part[3][3];
    double(*const out)[6] = node->inertias.x;
    const double m = node->mass;
    const double x = node->center.x;
    const double y = node->center.y;
    const double z = node->center.z;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++)
            part[i][k] = node->axes[i][0] * node->inertia[0][k]
                         + node->axes[i][1] * node->inertia[1][k]
                         + node->axes[i][2] * node->inertia[2][k];
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = i; k < 3; k++)
            node->inertia_in_world[i][k] = node->inertia_in_world[k][i] =
                part[i][0] * node->axes[k][0] + part[i][1] * node->axes[k][1]
                + part[i][2] * node->axes[k][2];
    const double square = x * x + y * y + z * z;
    const double c[3] = {x, y, z};
    const double cross[3][3] = {{0.0, -m * z, m * y}, {m * z, 0.0, -m * x}, {-m * y, m * x, 0.0}};
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            out[i][k] = node->inertia_in_world[i][k] + m * ((i == k ? square : 0.0) - c[i] * c[k]);
            out[i][3 + k] = cross[i][k];
            out[3 + k][i] = cross[i][k];
            out[3 + i][3 + k] = i == k ? m : 0.0;
        }
    }
}

// About an axis through a point.
static spatial turn_about(md5_vec3d axis, md5_vec3d point)
{
    return md5_spatial_of(axis, md5_vec3d_cross(point, axis));
}

static void set_moves(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    if (node->num_moves == 0)
        return;
    const md5_body_constraint *const joint = joint_of(ragdoll, node);
    ragdoll_place ends[2];
    md5i_ragdoll_ends(ragdoll, joint, ends);
    const md5_vec3d anchor =
        md5_vec3d_sub(md5_in_place(&ends[0], md5_vec3d_of(joint->anchors[0])), ragdoll->origin);
    md5_vec3d axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    if (joint->def->type == MD5_CONSTRAINT_UNIVERSAL) {
        // Shafts that turn evenly turn about what lies across the middle of both.
        const md5_vec3d shaft = md5_quatd_rotate(ends[1].turn, node->shaft);
        const md5_quatd by = md5_quatd_mul(node->turn, md5_quatd_conjugate(node->base));
        const md5_vec3d other = md5_quatd_rotate(ends[1].turn, md5_quatd_rotate(by, node->shaft));
        md5_vec3d middle = md5_vec3d_add(shaft, other);
        if (!(md5_vec3d_dot(middle, middle) > 1e-8))
            middle = md5_vec3d_across(shaft);
        middle = md5_vec3d_normalize(middle);
        axes[0] = md5_vec3d_across(middle);
        axes[1] = md5_vec3d_cross(middle, axes[0]);
    } else if (node->num_moves == 1) {
        axes[0] = md5_quatd_rotate(ends[1].turn, md5_vec3d_of(joint->axes[1]));
        if (joint->def->type == MD5_CONSTRAINT_SLIDER) {
            node->moves[0] = md5_spatial_of((md5_vec3d){0.0, 0.0, 0.0}, axes[0]);
            return;
        }
    }
    for (uint32_t i = 0; i < node->num_moves; i++)
        node->moves[i] = turn_about(axes[i], anchor);
}

// The inverse of a symmetric positive matrix of `count` rows: by Cholesky, in place.
static void invert(double *a, int count, int stride)
{
    double inverse[6][6] = {{0.0}};
    for (int k = 0; k < count; k++) {
        double *const row = a + k * stride;
        for (int i = 0; i < k; i++) {
            double sum = row[i];
            for (int j = 0; j < i; j++)
                sum -= row[j] * a[i * stride + j];
            row[i] = sum * inverse[i][i];
        }
        double square = row[k];
        const double whole = square;
        for (int j = 0; j < k; j++)
            square -= row[j] * row[j];
        inverse[k][k] = 1.0 / sqrt(md5_greater(square, md5_greater(1e-12 * whole, 1e-30)));
        for (int i = 0; i < k; i++) {
            double sum = 0.0;
            for (int j = i; j < k; j++)
                sum -= row[j] * inverse[j][i];
            inverse[k][i] = sum * inverse[k][k];
        }
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k <= i; k++) {
            double sum = 0.0;
            for (int j = i; j < count; j++)
                sum += inverse[j][i] * inverse[j][k];
            a[i * stride + k] = a[k * stride + i] = sum;
        }
    }
}

// Friction resists as a brake, as strong as the force that the joint bears allows, and as slow
// motion makes of it: as part of the inertia it can stop what moves but never turn it around.
#define SLOWEST_TURN 0.05 // radians a second, below which it weakens: slower than rest looks for

static double brake_of(const md5_ragdoll *ragdoll, const ragdoll_node *node)
{
    const md5_body_constraint *const joint = joint_of(ragdoll, node);
    if (joint->def->type == MD5_CONSTRAINT_SLIDER || !(joint->def->friction > 0.0f))
        return 0.0;
    md5_vec3d turning = node->angular;
    if (node->parent != MD5_NONE)
        turning = md5_vec3d_sub(turning, ragdoll->nodes[node->parent].angular);
    const double friction =
        md5_less((double)joint->def->friction, 1e3) * ragdoll->scales[0] * node->load;
    return ragdoll->seconds * friction / md5_greater(md5_vec3d_length(turning), SLOWEST_TURN);
}

// Gives the parent what of inertia and impulses goes through the joint.
static void pass_up(md5_ragdoll *ragdoll, ragdoll_node *node, bool is_step)
{
    const double brake = is_step && node->num_moves > 0 ? brake_of(ragdoll, node) : 0.0;
    for (uint32_t i = 0; i < node->num_moves; i++)
        node->loads[i] = md5_spatial_mul(&node->inertias, &node->moves[i]);
    for (uint32_t i = 0; i < node->num_moves; i++) {
        for (uint32_t k = 0; k < node->num_moves; k++)
            node->inverse[i][k] = md5_spatial_dot(&node->moves[i], &node->loads[k]);
        node->inverse[i][i] += brake + node->haste * node->inverse[i][i];
        node->locks[i] = 0.0;
    }
    if (is_step && node->num_limits > 0) {
        md5i_measure_limits(ragdoll, node);
        md5i_lock_limits(ragdoll, node);
    }
    invert(&node->inverse[0][0], (int)node->num_moves, 3);
    for (uint32_t i = 0; i < node->num_moves; i++) {
        node->gains[i] = (spatial){{0.0}};
        for (uint32_t k = 0; k < node->num_moves; k++)
            md5_spatial_add(&node->gains[i], &node->loads[k], node->inverse[i][k]);
    }
    if (node->parent == MD5_NONE)
        return;
    ragdoll_node *const parent = &ragdoll->nodes[node->parent];
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            double passed = node->inertias.x[i][k];
            for (uint32_t m = 0; m < node->num_moves; m++)
                passed -= 0.5
                          * (node->loads[m].x[i] * node->gains[m].x[k]
                             + node->gains[m].x[i] * node->loads[m].x[k]);
            parent->inertias.x[i][k] += passed;
        }
    }
    spatial passed = node->passed;
    for (uint32_t i = 0; i < node->num_moves; i++)
        md5_spatial_add(&passed, &node->gains[i],
                        -node->locks[i] - md5_spatial_dot(&node->moves[i], &node->passed));
    md5_spatial_add(&parent->passed, &passed, 1.0);
}

// From the parent's response, none of the world, to the node's, and from its velocity.
static void pass_down(const md5_ragdoll *ragdoll, ragdoll_node *node)
{
    if (node->constraint == MD5_NONE) {
        node->response = node->inertias;
        invert(&node->response.x[0][0], 6, 6);
        node->velocity = md5_spatial_mul(&node->response, &node->passed);
        return;
    }
    const ragdoll_node *const parent =
        node->parent == MD5_NONE ? NULL : &ragdoll->nodes[node->parent];
    spatial turned_gains[3];
    double between[3][3];
    node->response = parent ? parent->response : (spatial_matrix){{{0.0}}};
    node->velocity = parent ? parent->velocity : (spatial){{0.0}};
    for (uint32_t i = 0; i < node->num_moves; i++)
        turned_gains[i] = md5_spatial_mul(&node->response, &node->gains[i]);
    for (uint32_t i = 0; i < node->num_moves; i++)
        for (uint32_t k = 0; k < node->num_moves; k++)
            between[i][k] =
                md5_spatial_dot(&node->gains[i], &turned_gains[k]) + node->inverse[i][k];
    const spatial from = node->velocity;
    for (uint32_t m = 0; m < node->num_moves; m++) {
        // Half of what belongs to both sides.
        spatial across = {{0.0}};
        md5_spatial_add(&across, &turned_gains[m], -1.0);
        for (uint32_t k = 0; k < node->num_moves; k++)
            md5_spatial_add(&across, &node->moves[k], 0.5 * between[m][k]);
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 6; k++)
                node->response.x[i][k] +=
                    node->moves[m].x[i] * across.x[k] + across.x[i] * node->moves[m].x[k];
        double speed = -md5_spatial_dot(&node->gains[m], &from);
        for (uint32_t k = 0; k < node->num_moves; k++)
            speed += node->inverse[m][k]
                     * (node->locks[k] + md5_spatial_dot(&node->moves[k], &node->passed));
        md5_spatial_add(&node->velocity, &node->moves[m], speed);
    }
}

// The speeds that nothing exceeds, the engine's: 128 units and a quarter turn in a tick.
#define FASTEST 7680.0
#define FASTEST_TURN 94.2
#define HASTY_TURN 35.0

// Figures whose masses or lengths differ by more than numbers can have lead to velocities of no
// sense: they stop.
void md5i_ragdoll_tame(md5_ragdoll *ragdoll)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        for (int i = 0; i < 6; i++)
            sum += fabs(ragdoll->nodes[k].velocity.x[i]);
    if (sum < 1e15) // else, or if it is not a number
        return;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->velocity = (spatial){{0.0}};
        node->num_contacts = 0;
        node->load = node->limits[0].impulse.value = node->limits[1].impulse.value = 0.0;
    }
    for (uint32_t i = 0; i < ragdoll->num_links; i++)
        memset(ragdoll->links[i].impulses, 0, sizeof ragdoll->links[i].impulses);
}

static void slow_down(md5_ragdoll *ragdoll)
{
    double excess = 1.0;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        const md5_vec3d angular = md5_spatial_angular(&node->velocity);
        const md5_vec3d linear = md5_vec3d_add(md5_spatial_linear(&node->velocity),
                                               md5_vec3d_cross(angular, node->center));
        excess = md5_greater(excess, md5_vec3d_length(linear) * (1.0 / FASTEST));
        excess = md5_greater(excess, md5_vec3d_length(angular) * (1.0 / FASTEST_TURN));
    }
    if (excess > 1.0)
        for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
            for (int i = 0; i < 6; i++)
                ragdoll->nodes[k].velocity.x[i] *= 1.0 / excess;
}

bool md5i_ragdoll_is_hasty(md5_ragdoll *ragdoll)
{
    bool is_hasty = false;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        if (node->num_moves == 0)
            continue;
        md5_vec3d turning = md5_spatial_angular(&node->velocity);
        if (node->parent != MD5_NONE)
            turning =
                md5_vec3d_sub(turning, md5_spatial_angular(&ragdoll->nodes[node->parent].velocity));
        const double excess = md5_vec3d_length(turning) / HASTY_TURN;
        if (excess > 1.05) {
            node->haste = (1.0 + node->haste) * excess * 1.2 - 1.0;
            is_hasty = true;
        }
    }
    return is_hasty;
}

md5_vec3d md5i_node_spin(const ragdoll_node *node, md5_vec3d angular)
{
    const double(*const inertia)[3] = (const double(*)[3])node->inertia_in_world;
    return (md5_vec3d){
        inertia[0][0] * angular.x + inertia[0][1] * angular.y + inertia[0][2] * angular.z,
        inertia[1][0] * angular.x + inertia[1][1] * angular.y + inertia[1][2] * angular.z,
        inertia[2][0] * angular.x + inertia[2][1] * angular.y + inertia[2][2] * angular.z};
}

void md5i_ragdoll_prepare(md5_ragdoll *ragdoll, bool is_step)
{
    ragdoll->origin = ragdoll->nodes[0].place.at;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->center = md5_vec3d_sub(node->place.at, ragdoll->origin);
        set_axes(node);
        set_inertias(node);
        set_moves(ragdoll, node);
        md5_vec3d momentum = md5_vec3d_scale(node->linear, node->mass);
        md5_vec3d spin = md5i_node_spin(node, node->angular);
        if (is_step) {
            momentum = node->momentum;
            momentum.z -= ragdoll->gravity * ragdoll->seconds * node->mass;
            momentum = md5_vec3d_scale(momentum, node->kept[0]);
            spin = md5_vec3d_scale(node->spin, node->kept[1]);
        }
        node->passed =
            md5_spatial_of(md5_vec3d_add(spin, md5_vec3d_cross(node->center, momentum)), momentum);
    }
    for (uint32_t k = ragdoll->num_nodes; k-- > 0;)
        pass_up(ragdoll, &ragdoll->nodes[k], is_step);
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        pass_down(ragdoll, &ragdoll->nodes[k]);
    md5i_ragdoll_tame(ragdoll);
    slow_down(ragdoll);
}

void md5i_ragdoll_take_velocities(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->angular = md5_spatial_angular(&node->velocity);
        node->linear = md5_vec3d_add(md5_spatial_linear(&node->velocity),
                                     md5_vec3d_cross(node->angular, node->center));
        node->momentum = md5_vec3d_scale(node->linear, node->mass);
        node->spin = md5i_node_spin(node, node->angular);
    }
}

double md5i_ragdoll_motion(const md5_ragdoll *ragdoll)
{
    double energy = 0.0;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        energy += 0.5 * md5_vec3d_dot(node->momentum, node->linear)
                  + 0.5 * md5_vec3d_dot(node->spin, node->angular);
    }
    return energy;
}

double md5i_ragdoll_energy(const md5_ragdoll *ragdoll)
{
    double energy = md5i_ragdoll_motion(ragdoll);
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        energy += ragdoll->nodes[k].mass * ragdoll->gravity * ragdoll->nodes[k].place.at.z;
    return energy;
}
