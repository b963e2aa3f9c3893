// Impulses of limits, contacts and links, one after the other in sweeps over the trees (projected
// Gauss-Seidel). What an impulse changes elsewhere is passed on along the joints only when the
// sweep gets there: a sweep costs as much as there are bodies, and is exact.
#include "md5/ragdoll/ragdoll.h"

enum { MIN_SWEEPS = 2, MAX_SWEEPS = 40, MAX_RELAX_SWEEPS = 20, MAX_ROUNDS = 10 };
#define CALM 0.25 // units a second: sweeps end when none of them changes by more

// The bound of friction follows the normal impulses in the first sweeps only. After that the
// problem is convex, and sweeps converge: otherwise a foot that is jammed between the ground and
// limits would press ever more because friction grows, and rub ever more because it presses.
enum { NUM_FRICTION_SWEEPS = 3 };

// What is passed already comes back by a part of that in a step, up to a speed.
#define FASTEST_OUT 60.0 // units a second
#define LOOSE 0.02       // units of a contact that stay: with less it would come and go
#define NEARBY 0.25      // units, beside the way of the fastest body, and
#define NEAR_TURN 0.25 // radians, beyond which nothing is met in a step; less while nothing touches
#define NEAR_FREE_TURN 0.1

// == Walking along the trees ======================================================================

// What of an impulse at a node its parent gets, and what of the parent's motion the node has.
static spatial passed_up(const ragdoll_node *node, const spatial *impulse)
{
    spatial passed = *impulse;
    for (uint32_t m = 0; m < node->num_moves; m++)
        md5_spatial_add(&passed, &node->gains[m], -md5_spatial_dot(&node->moves[m], impulse));
    return passed;
}

static spatial passed_down(const ragdoll_node *node, const spatial *motion)
{
    spatial passed = *motion;
    for (uint32_t m = 0; m < node->num_moves; m++)
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
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->passed = (spatial){{0.0}};
        if (node->parent != MD5_NONE)
            node->known = ragdoll->nodes[node->parent].velocity;
    }
}

static void end_walk(md5_ragdoll *ragdoll)
{
    go_to(ragdoll, MD5_NONE);
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
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
    uint32_t at = from;
    uint32_t count = 0;
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

// == Conjugate gradients ==========================================================================
//
// Sweeps converge slowly where light bodies hold heavy ones. So each one begins with a step along a
// conjugate direction of the sweeps before it (Silcowitz, Niebe, Erleben, "A nonsmooth nonlinear
// conjugate gradient method for interactive contact force problems", The Visual Computer, 2010).

// Returns what the impulse changes by at the begin of a sweep. The first sweep begins with the
// impulse of the last step, which relaxing has already applied.
static double begin_impulse(const md5_ragdoll *ragdoll, ragdoll_impulse *impulse, bool is_last)
{
    if (ragdoll->sweep == 0) {
        impulse->previous = impulse->value;
        impulse->direction = 0.0;
        return is_last ? 0.0 : impulse->value;
    }
    const double change = ragdoll->ratio * impulse->direction;
    impulse->direction = change + impulse->value - impulse->previous;
    impulse->value += change;
    impulse->previous = impulse->value;
    return change;
}

static void add_gradient(md5_ragdoll *ragdoll, const ragdoll_impulse *impulse, double inverse)
{
    const double change = impulse->value - impulse->previous;
    if (inverse > 0.0)
        ragdoll->gradient += change * change / inverse;
}

// == Limits =======================================================================================

static void push_limit(md5_ragdoll *ragdoll, ragdoll_node *node, const ragdoll_limit *limit,
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

static void prepare_limit(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_limit *limit)
{
    const double approach = md5_less(0.0, md5i_limit_speed(ragdoll, node, limit));
    const double nearby = ragdoll->is_touching ? NEAR_TURN : NEAR_FREE_TURN;
    limit->is_near = limit->is_locked || limit->gap + ragdoll->seconds * approach < nearby;
    if (!limit->is_near) {
        limit->impulse.value = 0.0;
        return;
    }
    ragdoll->is_pushed_out |= md5i_limit_way_out(ragdoll, limit->gap) < 0.0;
    const spatial along = md5_spatial_of(limit->axis, (md5_vec3d){0.0, 0.0, 0.0});
    double torques[3] = {0.0, 0.0, 0.0};
    limit->onto_parent = limit->parent_response = (spatial){{0.0}};
    for (uint32_t m = 0; m < node->num_moves; m++) {
        torques[m] = md5_spatial_dot(&node->moves[m], &along);
        md5_spatial_add(&limit->onto_parent, &node->gains[m], -torques[m]);
    }
    if (node->parent != MD5_NONE)
        limit->parent_response =
            md5_spatial_mul(&ragdoll->nodes[node->parent].response, &limit->onto_parent);
    limit->response = passed_down(node, &limit->parent_response);
    for (uint32_t m = 0; m < node->num_moves; m++) {
        for (uint32_t k = 0; k < node->num_moves; k++)
            md5_spatial_add(&limit->response, &node->moves[m], node->inverse[m][k] * torques[k]);
    }
    const double rate = md5_spatial_dot(&along, &limit->response)
                        - md5_spatial_dot(&along, &limit->parent_response);
    limit->inverse = rate > 1e-30 ? 1.0 / rate : 0.0;
    if (!limit->is_locked)
        node->is_busy = true;
}

static void solve_limit(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_limit *limit,
                        bool is_last)
{
    push_limit(ragdoll, node, limit, begin_impulse(ragdoll, &limit->impulse, is_last));
    double speed = md5i_limit_speed(ragdoll, node, limit);
    if (!is_last || limit->gap >= 0.0)
        speed += md5i_limit_way_out(ragdoll, limit->gap);
    const double before = limit->impulse.value;
    limit->impulse.value = md5_greater(0.0, before - speed * limit->inverse);
    push_limit(ragdoll, node, limit, limit->impulse.value - before);
    note_change(ragdoll, (limit->impulse.value - before) * node->radius, limit->inverse);
    add_gradient(ragdoll, &limit->impulse, limit->inverse);
}

// The torque of a lock is what the joint leans on the limit with. If it pulls, the limit is left.
static void read_locks(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        for (uint32_t i = 0; i < node->num_limits; i++) {
            ragdoll_limit *const limit = &node->limits[i];
            if (!limit->is_locked)
                continue;
            const double missing = limit->speed - md5i_limit_speed(ragdoll, node, limit);
            limit->impulse.value = md5_greater(0.0, limit->stiffness * missing);
        }
    }
}

// After the move nothing needs to come back any more.
static void stop_locks(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        for (uint32_t i = 0; i < node->num_limits; i++) {
            const ragdoll_limit *const limit = &node->limits[i];
            if (!limit->is_locked || limit->speed <= 0.0)
                continue;
            go_to(ragdoll, k);
            push_limit(ragdoll, node, limit, -limit->stiffness * limit->speed);
        }
    }
}

// == Contacts =====================================================================================

static void prepare_contact(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_contact *contact)
{
    const md5_vec3d at = md5_in_place(&node->place, contact->at);
    const md5_vec3d point = md5_vec3d_sub(at, ragdoll->origin);
    const md5_vec3d normal = contact->normal;
    contact->gap = md5_vec3d_dot(normal, at) - contact->level;
    contact->along[0] = md5_spatial_of(md5_vec3d_cross(point, normal), normal);
    const double speed = md5_spatial_dot(&contact->along[0], &node->velocity);
    contact->is_near = contact->gap + ragdoll->seconds * (speed - ragdoll->fastest) < NEARBY;
    if (!contact->is_near) {
        for (int i = 0; i < 3; i++)
            contact->impulses[i].value = 0.0;
        contact->speed = 0.0;
        return;
    }
    const md5_vec3d first = md5_vec3d_across(normal);
    const md5_vec3d second = md5_vec3d_cross(normal, first);
    contact->along[1] = md5_spatial_of(md5_vec3d_cross(point, first), first);
    contact->along[2] = md5_spatial_of(md5_vec3d_cross(point, second), second);
    for (uint32_t i = 0; i < 3; i++) {
        contact->responses[i] = md5_spatial_mul(&node->response, &contact->along[i]);
        const double rate = md5_spatial_dot(&contact->along[i], &contact->responses[i]);
        contact->inverses[i] = rate > 1e-30 ? 1.0 / rate : 0.0;
    }
    if (contact->impulses[0].value == 0.0)
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

// The speed at which a contact must open, or negative: may close.
static double contact_way_out(const md5_ragdoll *ragdoll, const ragdoll_contact *contact,
                              bool is_last)
{
    const bool is_hit = contact->impulses[0].value > 0.0 && contact->speed < -ragdoll->least_bounce;
    if (is_last && is_hit)
        return ragdoll->bounce * contact->speed;
    if (is_last && contact->gap < 0.0)
        return 0.0;
    return md5_way_out(ragdoll->seconds, contact->gap, LOOSE, FASTEST_OUT);
}

static void solve_contact(md5_ragdoll *ragdoll, ragdoll_node *node, ragdoll_contact *contact,
                          double friction, bool is_last)
{
    ragdoll_impulse *const impulses = contact->impulses;
    const double speed = md5_spatial_dot(&contact->along[0], &node->velocity)
                         + contact_way_out(ragdoll, contact, is_last);
    const double impulse = md5_greater(0.0, impulses[0].value - speed * contact->inverses[0]);
    push_contact(node, contact, 0, impulse - impulses[0].value);
    note_change(ragdoll, impulse - impulses[0].value, contact->inverses[0]);
    impulses[0].value = impulse;
    if (ragdoll->sweep < NUM_FRICTION_SWEEPS)
        contact->max_friction = friction * impulse;
    double across[2];
    for (int i = 0; i < 2; i++)
        across[i] =
            impulses[1 + i].value
            - md5_spatial_dot(&contact->along[1 + i], &node->velocity) * contact->inverses[1 + i];
    const double length = sqrt(across[0] * across[0] + across[1] * across[1]);
    const double scale = length > contact->max_friction ? contact->max_friction / length : 1.0;
    for (uint32_t i = 0; i < 2; i++) {
        push_contact(node, contact, 1 + i, across[i] * scale - impulses[1 + i].value);
        impulses[1 + i].value = across[i] * scale;
    }
}

// == Links ========================================================================================

// A row that holds two points together, or a point at a place, along a direction.
static uint32_t add_row(const md5_ragdoll *ragdoll, ragdoll_link *link, const md5_vec3d points[2],
                        md5_vec3d along)
{
    const uint32_t row = link->num_rows++;
    for (uint32_t i = 0; i < 2; i++) {
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
    const double h = ragdoll->seconds;
    const double sum = h * (damping + h * stiffness);
    if (!(sum > 1e-12)) {
        link->num_rows--;
        return;
    }
    link->softness[row] = 1.0 / sum;
    link->biases[row][0] = link->biases[row][1] = apart * h * stiffness / sum;
}

static double link_way_out(const md5_ragdoll *ragdoll, double gap, bool is_last)
{
    if (is_last && gap < 0.0)
        return 0.0;
    return md5_way_out(ragdoll->seconds, gap, LOOSE, FASTEST_OUT);
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
    const double longest = (double)numbers[5] - length;
    const double shortest = length - (double)numbers[4];
    if (numbers[5] > 0.0f && longest < 1.0) {
        const uint32_t end = add_row(ragdoll, link, points, md5_vec3d_scale(along, -1.0));
        for (uint32_t i = 0; i < 2; i++)
            link->biases[end][i] = link_way_out(ragdoll, longest, i == 1);
        link->lows[end] = 0.0;
    }
    if (numbers[4] > 0.0f && shortest < 1.0) {
        const uint32_t end = add_row(ragdoll, link, points, along);
        for (uint32_t i = 0; i < 2; i++)
            link->biases[end][i] = link_way_out(ragdoll, shortest, i == 1);
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
    for (uint32_t i = 0; i < 3; i++) {
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
    for (uint32_t i = 0; i < count; i++) {
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
        for (uint32_t i = 0; i < 2; i++)
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
    for (uint32_t row = 0; row < link->num_rows; row++) {
        double rate = link->softness[row];
        spatial *const along = link->along[row];
        for (uint32_t i = 0; i < 2; i++) {
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
    for (uint32_t i = 0; i < 2; i++) {
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
    for (uint32_t row = 0; row < link->num_rows; row++) {
        double speed = link->biases[row][is_last] + link->softness[row] * link->impulses[row];
        for (uint32_t i = 0; i < 2; i++) {
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

// The velocity of the parent does not know yet what contacts do to the node: limits, which depend
// on both, are solved before them.
static void solve_node(md5_ragdoll *ragdoll, ragdoll_node *node, bool is_last)
{
    const double friction = friction_of(ragdoll, node);
    for (uint32_t i = 0; i < node->num_limits; i++) {
        if (node->limits[i].is_near && !node->limits[i].is_locked)
            solve_limit(ragdoll, node, &node->limits[i], is_last);
    }
    for (uint32_t i = 0; i < node->num_contacts; i++) {
        ragdoll_contact *const contact = &node->contacts[i];
        if (!contact->is_near)
            continue;
        for (uint32_t row = 0; row < 3; row++)
            push_contact(node, contact, row,
                         begin_impulse(ragdoll, &contact->impulses[row], is_last));
    }
    double most = ragdoll->change;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        ragdoll->change = 0.0;
        for (uint32_t i = 0; i < node->num_contacts; i++) {
            if (node->contacts[i].is_near)
                solve_contact(ragdoll, node, &node->contacts[i], friction, is_last);
        }
        most = md5_greater(most, ragdoll->change);
        if (ragdoll->change < CALM)
            break;
    }
    ragdoll->change = most;
    for (uint32_t i = 0; i < node->num_contacts; i++) {
        const ragdoll_contact *const contact = &node->contacts[i];
        if (!contact->is_near)
            continue;
        for (int row = 0; row < 3; row++)
            add_gradient(ragdoll, &contact->impulses[row], contact->inverses[row]);
    }
}

static void sweep(md5_ragdoll *ragdoll, bool is_last)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes;) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        if (!node->is_busy) {
            k = node->end;
            continue;
        }
        go_to(ragdoll, k++);
        solve_node(ragdoll, node, is_last);
    }
    const bool is_first = ragdoll->sweep == 0 && !is_last;
    for (uint32_t i = 0; i < ragdoll->num_links; i++) {
        ragdoll_link *const link = &ragdoll->links[i];
        if (is_first) {
            for (uint32_t row = 0; row < link->num_rows; row++)
                push_link(ragdoll, link, row, link->impulses[row]);
        }
        solve_link(ragdoll, link, is_last);
    }
}

static void sweep_until_calm(md5_ragdoll *ragdoll, bool is_last)
{
    const uint32_t max_sweeps = is_last ? MAX_RELAX_SWEEPS : MAX_SWEEPS;
    double gradient_before = 0.0;
    ragdoll->ratio = 0.0;
    for (ragdoll->sweep = 0; ragdoll->sweep < max_sweeps; ragdoll->sweep++) {
        ragdoll->change = 0.0;
        ragdoll->gradient = 0.0;
        sweep(ragdoll, is_last);
        if (ragdoll->change < CALM && ragdoll->sweep + 1 >= MIN_SWEEPS)
            break;
        const bool is_falling = ragdoll->gradient < gradient_before;
        ragdoll->ratio = is_falling ? ragdoll->gradient / gradient_before : 0.0;
        gradient_before = ragdoll->gradient;
    }
}

void md5i_ragdoll_solve(md5_ragdoll *ragdoll)
{
    ragdoll->is_pushed_out = ragdoll->is_touching = ragdoll->links[0].nodes[0] != MD5_NONE;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        node->is_busy = false;
        for (uint32_t i = 0; i < node->num_contacts; i++)
            prepare_contact(ragdoll, node, &node->contacts[i]);
        ragdoll->is_touching |= node->is_busy;
    }
    for (uint32_t k = ragdoll->num_nodes; k-- > 0;) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        for (uint32_t i = 0; i < node->num_limits; i++)
            prepare_limit(ragdoll, node, &node->limits[i]);
        if (node->is_busy && node->parent != MD5_NONE)
            ragdoll->nodes[node->parent].is_busy = true;
    }
    for (uint32_t i = 0; i < ragdoll->num_links; i++)
        prepare_link(ragdoll, &ragdoll->links[i]);
    begin_walk(ragdoll);
    sweep_until_calm(ragdoll, false);
    end_walk(ragdoll);
    read_locks(ragdoll);
    md5i_ragdoll_tame(ragdoll);
}

// What each joint bore: what its subtree has gained of momentum, but for what weight and touches
// gave it.
static void weigh_joints(md5_ragdoll *ragdoll)
{
    const md5_vec3d none = {0.0, 0.0, 0.0};
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        const md5_vec3d linear =
            md5_vec3d_add(md5_spatial_linear(&node->velocity),
                          md5_vec3d_cross(md5_spatial_angular(&node->velocity), node->center));
        node->touched = md5_vec3d_scale(md5_vec3d_sub(linear, node->linear), node->mass);
        node->touched.z += node->mass * ragdoll->gravity * ragdoll->seconds;
        for (uint32_t i = 0; i < node->num_contacts; i++)
            for (uint32_t row = 0; row < (node->contacts[i].is_near ? 3 : 0); row++)
                node->touched =
                    md5_vec3d_sub(node->touched,
                                  md5_vec3d_scale(md5_spatial_linear(&node->contacts[i].along[row]),
                                                  node->contacts[i].impulses[row].value));
    }
    for (uint32_t i = 0; i < ragdoll->num_links; i++) {
        const ragdoll_link *const link = &ragdoll->links[i];
        for (uint32_t row = 0; row < link->num_rows; row++)
            for (uint32_t end = 0; end < 2; end++)
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
        stop_locks(ragdoll);
        sweep_until_calm(ragdoll, true);
        end_walk(ragdoll);
        md5i_ragdoll_tame(ragdoll);
    }
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        for (uint32_t i = 0; i < ragdoll->nodes[k].num_contacts; i++)
            if (ragdoll->nodes[k].contacts[i].impulses[0].value > 0.0)
                ragdoll->nodes[k].contacts[i].speed = 0.0;
    weigh_joints(ragdoll);
}
