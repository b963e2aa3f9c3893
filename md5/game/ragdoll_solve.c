// Impulses of limits, contacts and links, one after the other in sweeps over the trees (projected
// Gauss-Seidel). What an impulse changes elsewhere is passed on along the joints only when the
// sweep gets there: a sweep costs as much as there are bodies, and is exact.
#include "md5/game/ragdoll.h"

enum { MIN_SWEEPS = 2, MAX_SWEEPS = 40, MAX_RELAX_SWEEPS = 20, MAX_ROUNDS = 10 };
#define CALM 1.0 // units a second: sweeps end when none of them changes by more

// What friction can follows what presses at once. But where a foot is caught between the ground and
// limits, both may push each other to and fro without end: when sweeps still change that much, they
// take over ever less of it, and those whose friction cannot change come to an end.
enum { EAGER_SWEEPS = 6 };
#define JOLT 10.0 // units a second
#define LATE_SHARE 0.25

// What is passed already comes back by a part of that in a step, up to a speed.
#define RECOVERED 0.2
#define FASTEST_OUT 60.0  // units a second
#define FASTEST_BACK 12.0 // radians a second
#define LOOSE 0.02        // units of a contact that stay, and
#define LOOSE_TURN 0.003  // radians of a limit: with less it would come and go
#define NEARBY 0.25       // units, beside the way of the fastest body, and
#define NEAR_TURN 0.25 // radians, beyond which nothing is met in a step; less while nothing touches
#define NEAR_FREE_TURN 0.1

// == Walking along the trees ======================================================================

// What of an impulse at a node its parent gets, and what of the parent's motion the node has.
static spatial passed_up(const ragdoll_node *node, const spatial *impulse)
{
    spatial passed = *impulse;
    MD5_FOR (m, node->num_moves)
        md5_spatial_add(&passed, &node->gains[m], -md5_spatial_dot(&node->moves[m], impulse));
    return passed;
}

static spatial passed_down(const ragdoll_node *node, const spatial *motion)
{
    spatial passed = *motion;
    MD5_FOR (m, node->num_moves)
        md5_spatial_add(&passed, &node->moves[m], -md5_spatial_dot(&node->gains[m], motion));
    return passed;
}

static void enter(md5_ragdoll *ragdoll, uint32_t index)
{
    ragdoll_node *const node = &ragdoll->nodes[index];
    ragdoll->cursor = index;
    if (node->parent == MD5_NONE)
        return;
    const spatial *const parent = &ragdoll->nodes[node->parent].velocity;
    spatial change = *parent;
    md5_spatial_add(&change, &node->known, -1.0);
    const spatial own = passed_down(node, &change);
    md5_spatial_add(&node->velocity, &own, 1.0);
    node->known = *parent;
}

static void leave(md5_ragdoll *ragdoll)
{
    ragdoll_node *const node = &ragdoll->nodes[ragdoll->cursor];
    ragdoll->cursor = node->parent;
    if (node->parent != MD5_NONE) {
        ragdoll_node *const parent = &ragdoll->nodes[node->parent];
        const spatial impulse = passed_up(node, &node->passed);
        const spatial change = md5_spatial_mul(&parent->response, &impulse);
        md5_spatial_add(&parent->velocity, &change, 1.0);
        md5_spatial_add(&parent->passed, &impulse, 1.0);
        node->known = parent->velocity;
    }
    node->passed = (spatial){{0.0}};
}

static bool is_within(const md5_ragdoll *ragdoll, uint32_t node, uint32_t of)
{
    return node >= of && node < ragdoll->nodes[of].end;
}

// After this the velocity of the node counts all impulses.
static void go_to(md5_ragdoll *ragdoll, uint32_t node)
{
    while (ragdoll->cursor != MD5_NONE
           && (node == MD5_NONE || !is_within(ragdoll, node, ragdoll->cursor)))
        leave(ragdoll);
    uint32_t count = 0;
    for (uint32_t at = node; at != ragdoll->cursor; at = ragdoll->nodes[at].parent)
        ragdoll->path[count++] = at;
    while (count > 0)
        enter(ragdoll, ragdoll->path[--count]);
}

static void begin_walk(md5_ragdoll *ragdoll)
{
    ragdoll->cursor = MD5_NONE;
    MD5_FOR (k, ragdoll->num_nodes) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->passed = (spatial){{0.0}};
        if (node->parent != MD5_NONE)
            node->known = ragdoll->nodes[node->parent].velocity;
    }
}

static void end_walk(md5_ragdoll *ragdoll)
{
    go_to(ragdoll, MD5_NONE);
    MD5_FOR (k, ragdoll->num_nodes)
        enter(ragdoll, k);
    ragdoll->cursor = MD5_NONE;
}

void md5i_ragdoll_strike(md5_ragdoll *ragdoll, uint32_t node, const spatial *impulse)
{
    begin_walk(ragdoll);
    go_to(ragdoll, node);
    const spatial change = md5_spatial_mul(&ragdoll->nodes[node].response, impulse);
    md5_spatial_add(&ragdoll->nodes[node].velocity, &change, 1.0);
    ragdoll->nodes[node].passed = *impulse;
    end_walk(ragdoll);
}

// The velocity of a node that an impulse at another one causes.
static spatial effect(md5_ragdoll *ragdoll, uint32_t from, spatial impulse, uint32_t to)
{
    spatial motion = {{0.0}};
    uint32_t at = from, count = 0;
    for (; at != MD5_NONE && !is_within(ragdoll, to, at); at = ragdoll->nodes[at].parent)
        impulse = passed_up(&ragdoll->nodes[at], &impulse);
    if (at == MD5_NONE)
        return motion;
    motion = md5_spatial_mul(&ragdoll->nodes[at].response, &impulse);
    for (; to != at; to = ragdoll->nodes[to].parent)
        ragdoll->path[count++] = to;
    while (count > 0)
        motion = passed_down(&ragdoll->nodes[ragdoll->path[--count]], &motion);
    return motion;
}

// An impulse has changed the speed of what it acts on.
static void note_change(md5_ragdoll *ragdoll, double impulse, double inverse)
{
    if (inverse > 0.0)
        ragdoll->change = md5_greater(ragdoll->change, fabs(impulse) / inverse);
}

// == Limits =======================================================================================

static void prepare_limit(md5_ragdoll *ragdoll, ragdoll_node *node, uint32_t index)
{
    const md5_body_constraint *const joint = &ragdoll->desc.figure->constraints[node->constraint];
    ragdoll_limit *const limit = &node->limits[index];
    ragdoll_node *const parent = node->parent == MD5_NONE ? NULL : &ragdoll->nodes[node->parent];
    ragdoll_place ends[2];
    md5i_ragdoll_ends(ragdoll, joint, ends);
    const limit_view view = md5i_limit_view(joint, index, ends);
    limit->gap = view.gap;
    limit->axis = md5_vec3d_scale(view.axis, node->is_reversed ? 1.0 : -1.0); // inward
    md5_vec3d turning = md5_spatial_angular(&node->velocity);
    if (parent)
        turning = md5_vec3d_sub(turning, md5_spatial_angular(&parent->velocity));
    const double along_axis = md5_vec3d_dot(limit->axis, turning);
    const double about_shaft = md5_vec3d_dot(view.shaft, turning);
    const double sideways =
        md5_vec3d_dot(turning, turning) - about_shaft * about_shaft - along_axis * along_axis;
    limit->gap -= 0.5 * ragdoll->seconds * ragdoll->seconds * md5_greater(0.0, sideways)
                  * md5_greater(0.0, view.bend);
    ragdoll->is_pushed_out |= limit->gap < -LOOSE_TURN;
    limit->is_near = limit->gap + ragdoll->seconds * md5_less(0.0, along_axis)
                     < (ragdoll->is_touching ? NEAR_TURN : NEAR_FREE_TURN);
    if (!limit->is_near) {
        limit->impulse = 0.0;
        return;
    }
    const spatial along = md5_spatial_of(limit->axis, (md5_vec3d){0.0, 0.0, 0.0});
    double torques[3] = {0.0, 0.0, 0.0};
    limit->onto_parent = limit->parent_response = (spatial){{0.0}};
    MD5_FOR (m, node->num_moves) {
        torques[m] = md5_spatial_dot(&node->moves[m], &along);
        md5_spatial_add(&limit->onto_parent, &node->gains[m], -torques[m]);
    }
    if (parent)
        limit->parent_response = md5_spatial_mul(&parent->response, &limit->onto_parent);
    limit->response = passed_down(node, &limit->parent_response);
    MD5_FOR (m, node->num_moves)
        MD5_FOR (k, node->num_moves)
            md5_spatial_add(&limit->response, &node->moves[m], node->inverse[m][k] * torques[k]);
    const double rate = md5_spatial_dot(&along, &limit->response)
                        - md5_spatial_dot(&along, &limit->parent_response);
    limit->inverse = rate > 1e-30 ? 1.0 / rate : 0.0;
    node->is_busy = true;
}

static void push_limit(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_limit *limit,
                       double impulse)
{
    md5_spatial_add(&node->velocity, &limit->response, impulse);
    if (node->parent == MD5_NONE)
        return;
    ragdoll_node *const parent = &ragdoll->nodes[node->parent];
    md5_spatial_add(&parent->velocity, &limit->parent_response, impulse);
    md5_spatial_add(&parent->passed, &limit->onto_parent, impulse);
    node->known = parent->velocity;
}

// By how much faster than a speed something must come back that is passed by `gap` < 0, or may come
// nearer.
static double way_out(const md5_ragdoll *ragdoll, double gap, double slack, double fastest,
                      bool is_last)
{
    if (gap >= 0.0)
        return gap / ragdoll->seconds;
    if (is_last || gap >= -slack)
        return 0.0;
    return md5_greater(RECOVERED * (gap + slack) / ragdoll->seconds, -fastest);
}

static void solve_limit(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_limit *limit,
                        bool is_last)
{
    md5_vec3d turning = md5_spatial_angular(&node->velocity);
    if (node->parent != MD5_NONE)
        turning =
            md5_vec3d_sub(turning, md5_spatial_angular(&ragdoll->nodes[node->parent].velocity));
    const double speed = md5_vec3d_dot(limit->axis, turning)
                         + way_out(ragdoll, limit->gap, LOOSE_TURN, FASTEST_BACK, is_last);
    const double impulse = md5_greater(0.0, limit->impulse - speed * limit->inverse);
    push_limit(ragdoll, node, limit, impulse - limit->impulse);
    note_change(ragdoll, (impulse - limit->impulse) * node->radius, limit->inverse);
    limit->impulse = impulse;
}

// == Contacts =====================================================================================

static void prepare_contact(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_contact *contact)
{
    const md5_vec3d at = md5_in_place(&node->place, contact->at);
    const md5_vec3d point = md5_vec3d_sub(at, ragdoll->origin), normal = contact->normal;
    contact->gap = md5_vec3d_dot(normal, at) - contact->level;
    contact->along[0] = md5_spatial_of(md5_vec3d_cross(point, normal), normal);
    const double speed = md5_spatial_dot(&contact->along[0], &node->velocity);
    contact->is_near = contact->gap + ragdoll->seconds * (speed - ragdoll->fastest) < NEARBY;
    if (!contact->is_near) {
        memset(contact->impulses, 0, sizeof contact->impulses);
        contact->speed = 0.0;
        return;
    }
    const md5_vec3d first = md5_vec3d_across(normal), second = md5_vec3d_cross(normal, first);
    contact->along[1] = md5_spatial_of(md5_vec3d_cross(point, first), first);
    contact->along[2] = md5_spatial_of(md5_vec3d_cross(point, second), second);
    MD5_FOR (i, 3) {
        contact->responses[i] = md5_spatial_mul(&node->response, &contact->along[i]);
        const double rate = md5_spatial_dot(&contact->along[i], &contact->responses[i]);
        contact->inverses[i] = rate > 1e-30 ? 1.0 / rate : 0.0;
    }
    if (contact->impulses[0] == 0.0)
        contact->speed = speed;
    ragdoll->is_pushed_out |= contact->gap < -LOOSE || contact->speed < -ragdoll->least_bounce;
    node->is_busy = true;
}

static void push_contact(ragdoll_node *node, const ragdoll_contact *contact, uint32_t row,
                         double impulse)
{
    md5_spatial_add(&node->velocity, &contact->responses[row], impulse);
    md5_spatial_add(&node->passed, &contact->along[row], impulse);
}

// What the impulses of friction may change by at once, for a speed, so that what moves never gets
// faster by them, since what one pushes the other has to bear.
static double steady_of(const ragdoll_contact *contact)
{
    const double a = md5_spatial_dot(&contact->along[1], &contact->responses[1]);
    const double b = md5_spatial_dot(&contact->along[2], &contact->responses[2]);
    const double ab = md5_spatial_dot(&contact->along[1], &contact->responses[2]);
    return 2.0 / md5_greater(a + b + sqrt((a - b) * (a - b) + 4.0 * ab * ab), 1e-30);
}

static void solve_contact(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_contact *contact,
                          double friction, double share, bool is_last)
{
    double out = way_out(ragdoll, contact->gap, LOOSE, FASTEST_OUT, is_last);
    if (is_last && contact->impulses[0] > 0.0 && contact->speed < -ragdoll->least_bounce)
        out = ragdoll->bounce * contact->speed;
    const double speed = md5_spatial_dot(&contact->along[0], &node->velocity) + out;
    double *const impulses = contact->impulses;
    const double impulse = md5_greater(0.0, impulses[0] - speed * contact->inverses[0]);
    push_contact(node, contact, 0, impulse - impulses[0]);
    note_change(ragdoll, impulse - impulses[0], contact->inverses[0]);
    impulses[0] = impulse;
    if (share > 0.0 && share < 1.0)
        contact->steady = steady_of(contact);
    contact->grip += share * (friction * impulse - contact->grip);
    double across[2], most = contact->grip;
    MD5_FOR (i, 2)
        across[i] = impulses[1 + i]
                    - md5_spatial_dot(&contact->along[1 + i], &node->velocity)
                          * (share < 1.0 ? contact->steady : contact->inverses[1 + i]);
    const double length = sqrt(across[0] * across[0] + across[1] * across[1]);
    const double scale = length > most ? most / length : 1.0;
    MD5_FOR (i, 2) {
        push_contact(node, contact, 1 + i, across[i] * scale - impulses[1 + i]);
        impulses[1 + i] = across[i] * scale;
    }
}

// == Links ========================================================================================

// A row that holds two points together, or a point at a place, along a direction.
static uint32_t add_row(const md5_ragdoll *ragdoll, ragdoll_link *link, const md5_vec3d points[2],
                        md5_vec3d along)
{
    const uint32_t row = link->num_rows++;
    MD5_FOR (i, 2) {
        const md5_vec3d point = md5_vec3d_sub(points[i], ragdoll->origin);
        link->along[row][i] = md5_spatial_of(md5_vec3d_cross(point, along), along);
    }
    link->biases[row][0] = link->biases[row][1] = link->softness[row] = 0.0;
    link->lows[row] = -INFINITY;
    return row;
}

// Lets a row be a spring that resists `apart` with a stiffness, and a damper.
static void soften(const md5_ragdoll *ragdoll, ragdoll_link *link, uint32_t row, double apart,
                   double stiffness, double damping)
{
    const double h = ragdoll->seconds, sum = h * (damping + h * stiffness);
    if (!(sum > 1e-12)) {
        link->num_rows--;
        return;
    }
    link->softness[row] = 1.0 / sum;
    link->biases[row][0] = link->biases[row][1] = apart * h * stiffness / sum;
}

static void add_spring(const md5_ragdoll *ragdoll, ragdoll_link *link, const float *numbers,
                       const md5_vec3d points[2])
{
    const md5_vec3d way = md5_vec3d_sub(points[0], points[1]);
    const double length = md5_vec3d_length(way);
    const md5_vec3d along =
        length > 1e-6 ? md5_vec3d_scale(way, 1.0 / length) : (md5_vec3d){0.0, 0.0, 1.0};
    const double apart = length - (double)numbers[3];
    const double strength = md5_greater(0.0, (double)numbers[apart > 0.0 ? 0 : 1]);
    // The engine's force grows with the square: twice the slope, and half the way.
    const uint32_t row = add_row(ragdoll, link, points, along);
    soften(ragdoll, link, row, 0.5 * apart, md5_less(2.0 * strength * fabs(apart), 1e12),
           md5_greater(0.0, md5_less((double)numbers[2], 1e12)) / md5_greater(length, 1.0));
    const double longest = (double)numbers[5] - length, shortest = length - (double)numbers[4];
    if (numbers[5] > 0.0f && longest < 1.0) {
        const uint32_t end = add_row(ragdoll, link, points, md5_vec3d_scale(along, -1.0));
        MD5_FOR (i, 2)
            link->biases[end][i] = way_out(ragdoll, longest, LOOSE, FASTEST_OUT, i == 1);
        link->lows[end] = 0.0;
    }
    if (numbers[4] > 0.0f && shortest < 1.0) {
        const uint32_t end = add_row(ragdoll, link, points, along);
        MD5_FOR (i, 2)
            link->biases[end][i] = way_out(ragdoll, shortest, LOOSE, FASTEST_OUT, i == 1);
        link->lows[end] = 0.0;
    }
}

// A limb at a mouse: three times a second it would swing, if it were not damped.
#define DRAG_RATE (2.0 * 3.14159265358979323846 * 3.0)

static void add_drag(md5_ragdoll *ragdoll, ragdoll_link *link)
{
    const ragdoll_node *const node = &ragdoll->nodes[link->nodes[0]];
    const md5_vec3d points[2] = {md5_in_place(&node->place, ragdoll->drag_at), ragdoll->drag_to};
    const md5_vec3d apart = md5_vec3d_sub(points[0], points[1]);
    static const md5_vec3d axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    MD5_FOR (i, 3) {
        const uint32_t row = add_row(ragdoll, link, points, axes[i]);
        const spatial *const along = &link->along[row][0];
        const spatial response = md5_spatial_mul(&node->response, along);
        const double mass = 1.0 / md5_greater(md5_spatial_dot(along, &response), 1e-30);
        soften(ragdoll, link, row, md5_vec3d_dot(apart, axes[i]), mass * DRAG_RATE * DRAG_RATE,
               2.0 * mass * DRAG_RATE);
    }
}

static void add_loop(const md5_ragdoll *ragdoll, ragdoll_link *link,
                     const md5_body_constraint *constraint, const ragdoll_place ends[2],
                     const md5_vec3d points[2])
{
    md5_vec3d axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    uint32_t count = 3;
    if (constraint->def->type == MD5_CONSTRAINT_SLIDER) {
        const md5_vec3d free = md5_quatd_rotate(ends[1].turn, md5_vec3d_of(constraint->axes[1]));
        if (md5_vec3d_dot(free, free) > 0.5) {
            axes[0] = md5_vec3d_across(free);
            axes[1] = md5_vec3d_cross(free, axes[0]);
            count = 2;
        }
    }
    const md5_vec3d apart = md5_vec3d_sub(points[0], points[1]);
    MD5_FOR (i, count) {
        const double gap = md5_vec3d_dot(apart, axes[i]);
        const uint32_t row = add_row(ragdoll, link, points, axes[i]);
        link->biases[row][0] =
            md5_greater(-FASTEST_OUT, md5_less(RECOVERED * gap / ragdoll->seconds, FASTEST_OUT));
    }
}

static void prepare_link(md5_ragdoll *ragdoll, ragdoll_link *link)
{
    const uint32_t before = link->num_rows;
    link->num_rows = 0;
    if (link->constraint != MD5_NONE) {
        const md5_body_constraint *const constraint =
            &ragdoll->desc.figure->constraints[link->constraint];
        ragdoll_place ends[2];
        md5_vec3d points[2];
        md5i_ragdoll_ends(ragdoll, constraint, ends);
        MD5_FOR (i, 2)
            points[i] = md5_in_place(&ends[i], md5_vec3d_of(constraint->anchors[i]));
        if (constraint->def->type == MD5_CONSTRAINT_SPRING)
            add_spring(ragdoll, link, constraint->def->spring, points);
        else
            add_loop(ragdoll, link, constraint, ends, points);
    } else if (link->nodes[0] != MD5_NONE) {
        add_drag(ragdoll, link);
    }
    ragdoll->is_pushed_out |= link->num_rows > 0;
    if (link->num_rows != before)
        memset(link->impulses, 0, sizeof link->impulses);
    MD5_FOR (row, link->num_rows) {
        double rate = link->softness[row];
        spatial *const along = link->along[row];
        MD5_FOR (i, 2) {
            if (link->nodes[i] == MD5_NONE)
                continue;
            spatial *const response = &link->responses[row][i];
            *response = md5_spatial_mul(&ragdoll->nodes[link->nodes[i]].response, &along[i]);
            rate += md5_spatial_dot(response, &along[i]);
        }
        if (link->nodes[0] != MD5_NONE && link->nodes[1] != MD5_NONE) {
            const spatial other = effect(ragdoll, link->nodes[0], along[0], link->nodes[1]);
            rate -= 2.0 * md5_spatial_dot(&other, &along[1]);
        }
        link->inverses[row] = rate > 1e-30 ? 1.0 / rate : 0.0;
    }
}

static void push_link(md5_ragdoll *ragdoll, ragdoll_link *link, uint32_t row, double impulse)
{
    MD5_FOR (i, 2) {
        if (link->nodes[i] == MD5_NONE)
            continue;
        const double signed_impulse = i == 0 ? impulse : -impulse;
        go_to(ragdoll, link->nodes[i]);
        ragdoll_node *const node = &ragdoll->nodes[link->nodes[i]];
        md5_spatial_add(&node->velocity, &link->responses[row][i], signed_impulse);
        md5_spatial_add(&node->passed, &link->along[row][i], signed_impulse);
    }
}

static void solve_link(md5_ragdoll *ragdoll, ragdoll_link *link, bool is_last)
{
    MD5_FOR (row, link->num_rows) {
        double speed = link->biases[row][is_last] + link->softness[row] * link->impulses[row];
        MD5_FOR (i, 2) {
            if (link->nodes[i] == MD5_NONE)
                continue;
            go_to(ragdoll, link->nodes[i]);
            const double own =
                md5_spatial_dot(&link->along[row][i], &ragdoll->nodes[link->nodes[i]].velocity);
            speed += i == 0 ? own : -own;
        }
        const double impulse =
            md5_greater(link->lows[row], link->impulses[row] - speed * link->inverses[row]);
        push_link(ragdoll, link, row, impulse - link->impulses[row]);
        link->impulses[row] = impulse;
    }
}

// == Sweeps =======================================================================================

static double friction_of(const md5_ragdoll *ragdoll, const ragdoll_node *node)
{
    const float friction = ragdoll->desc.figure->bodies[node->body].def->friction[2];
    return friction > 0.0f ? md5_less((double)friction, 100.0) * ragdoll->scales[1] : 0.0;
}

// What impulses there were in the last step is there first.
static void begin_with_old(md5_ragdoll *ragdoll, ragdoll_node *node)
{
    MD5_FOR (i, node->num_limits)
        if (node->limits[i].is_near)
            push_limit(ragdoll, node, &node->limits[i], node->limits[i].impulse);
    MD5_FOR (i, node->num_contacts)
        MD5_FOR (row, node->contacts[i].is_near ? 3 : 0)
            push_contact(node, &node->contacts[i], row, node->contacts[i].impulses[row]);
}

static void solve_node(md5_ragdoll *ragdoll, ragdoll_node *node, bool is_last)
{
    const double friction = friction_of(ragdoll, node), before = ragdoll->change;
    const double late = ragdoll->num_late;
    double most = before, share = 1.0 / (1.0 + LATE_SHARE * late);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        ragdoll->change = 0.0;
        MD5_FOR (i, node->num_limits)
            if (node->limits[i].is_near)
                solve_limit(ragdoll, node, &node->limits[i], is_last);
        MD5_FOR (i, node->num_contacts)
            if (node->contacts[i].is_near)
                solve_contact(ragdoll, node, &node->contacts[i], friction, share, is_last);
        share = late > 0.0 ? 0.0 : share;
        most = md5_greater(most, ragdoll->change);
        if (ragdoll->change < CALM)
            break;
    }
    ragdoll->change = most;
}

static void sweep(md5_ragdoll *ragdoll, bool is_first, bool is_last)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes;) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        if (!node->is_busy) {
            k = node->end;
            continue;
        }
        go_to(ragdoll, k++);
        if (is_first)
            begin_with_old(ragdoll, node);
        solve_node(ragdoll, node, is_last);
    }
    MD5_FOR (i, ragdoll->num_links) {
        ragdoll_link *const link = &ragdoll->links[i];
        MD5_FOR (row, is_first ? link->num_rows : 0)
            push_link(ragdoll, link, row, link->impulses[row]);
        solve_link(ragdoll, link, is_last);
    }
}

static void sweep_until_calm(md5_ragdoll *ragdoll, bool is_last)
{
    MD5_FOR (i, is_last ? MAX_RELAX_SWEEPS : MAX_SWEEPS) {
        ragdoll->num_late += i > EAGER_SWEEPS && ragdoll->change > JOLT;
        ragdoll->change = 0.0;
        sweep(ragdoll, i == 0 && !is_last, is_last);
        if (ragdoll->change < CALM && i + 1 >= MIN_SWEEPS)
            break;
    }
}

void md5i_ragdoll_solve(md5_ragdoll *ragdoll)
{
    ragdoll->is_pushed_out = ragdoll->is_touching = ragdoll->links[0].nodes[0] != MD5_NONE;
    MD5_FOR (k, ragdoll->num_nodes) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->is_busy = false;
        MD5_FOR (i, node->num_contacts)
            prepare_contact(ragdoll, node, &node->contacts[i]);
        ragdoll->is_touching |= node->is_busy;
    }
    for (uint32_t k = ragdoll->num_nodes; k-- > 0;) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        MD5_FOR (i, node->num_limits)
            prepare_limit(ragdoll, node, i);
        if (node->is_busy && node->parent != MD5_NONE)
            ragdoll->nodes[node->parent].is_busy = true;
    }
    MD5_FOR (i, ragdoll->num_links)
        prepare_link(ragdoll, &ragdoll->links[i]);
    begin_walk(ragdoll);
    ragdoll->num_late = 0;
    sweep_until_calm(ragdoll, false);
    end_walk(ragdoll);
    md5i_ragdoll_tame(ragdoll);
}

// What each joint bore: what its subtree has gained of momentum, but for what weight and touches
// gave it.
static void weigh_joints(md5_ragdoll *ragdoll)
{
    const md5_vec3d none = {0.0, 0.0, 0.0};
    MD5_FOR (k, ragdoll->num_nodes) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        const md5_vec3d linear =
            md5_vec3d_add(md5_spatial_linear(&node->velocity),
                          md5_vec3d_cross(md5_spatial_angular(&node->velocity), node->center));
        node->touched = md5_vec3d_scale(md5_vec3d_sub(linear, node->linear), node->mass);
        node->touched.z += node->mass * ragdoll->gravity * ragdoll->seconds;
        MD5_FOR (i, node->num_contacts)
            MD5_FOR (row, node->contacts[i].is_near ? 3 : 0)
                node->touched =
                    md5_vec3d_sub(node->touched,
                                  md5_vec3d_scale(md5_spatial_linear(&node->contacts[i].along[row]),
                                                  node->contacts[i].impulses[row]));
    }
    MD5_FOR (i, ragdoll->num_links) {
        const ragdoll_link *const link = &ragdoll->links[i];
        MD5_FOR (row, link->num_rows)
            MD5_FOR (end, 2)
                if (link->nodes[end] != MD5_NONE) {
                    ragdoll_node *const node = &ragdoll->nodes[link->nodes[end]];
                    node->touched = md5_vec3d_sub(
                        node->touched,
                        md5_vec3d_scale(md5_spatial_linear(&link->along[row][end]),
                                        end == 0 ? link->impulses[row] : -link->impulses[row]));
                }
    }
    for (uint32_t k = ragdoll->num_nodes; k-- > 0;) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        const double force = md5_vec3d_length(node->touched) / ragdoll->seconds;
        node->load = node->constraint == MD5_NONE ? 0.0 : 0.75 * node->load + 0.25 * force;
        if (node->parent != MD5_NONE)
            ragdoll->nodes[node->parent].touched =
                md5_vec3d_add(ragdoll->nodes[node->parent].touched, node->touched);
        node->touched = none;
    }
}

void md5i_ragdoll_relax(md5_ragdoll *ragdoll)
{
    if (ragdoll->is_pushed_out) {
        begin_walk(ragdoll);
        sweep_until_calm(ragdoll, true);
        end_walk(ragdoll);
        md5i_ragdoll_tame(ragdoll);
    }
    MD5_FOR (k, ragdoll->num_nodes)
        MD5_FOR (i, ragdoll->nodes[k].num_contacts)
            if (ragdoll->nodes[k].contacts[i].impulses[0] > 0.0)
                ragdoll->nodes[k].contacts[i].speed = 0.0;
    weigh_joints(ragdoll);
}
