// Ragdolls: time steps, coming to rest, impulses, dragging, saving and restoring.
#include "md5/core/freed.h"
#include "md5/ragdoll/ragdoll.h"

#include "md5/core/arena.h"
#include "md5/core/jobs.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define LEAST_PUSH 500.0 // the engine's: a weaker impulse does nothing
#define SLOW_FOR 0.25    // seconds, and
#define SLOW_AFTER 1.5   // since it began: who stands on his head falls slowly at first
#define MAX_COORDINATE 1e6f
#define DEFAULT_GRAVITY 1066.0 // the engine's
#define START_STEPS 60         // in which energy may rise by more: a figure may begin in the ground
#define MAX_RISE 0.01     // units of height by which energy may rise in a step, out of the ground
#define LEAST_BOUNCE 30.0 // units a second: slower contacts do not bounce

// == Making =======================================================================================

static void copy_dent(float to[3], md5_friction_dent dent)
{
    to[0] = dent.scale;
    to[1] = dent.start;
    to[2] = dent.end;
}

// Slow motion at first, and a temporary reduction of friction.
static void set_pace_and_friction(md5_ragdoll *ragdoll)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    ragdoll->slow[0] = figure->slow_motion[0];
    ragdoll->slow[1] = figure->slow_motion[1];
    copy_dent(ragdoll->dents[0], figure->joint_friction);
    copy_dent(ragdoll->dents[1], figure->contact_friction);
}

// Whether coordinates are of a size that a body can have; not a number is none.
static bool are_possible(const md5_vec3 *points, size_t count)
{
    bool are = true;
    for (size_t i = 0; i < count; i++)
        are &= fabsf(points[i].x) <= MAX_COORDINATE && fabsf(points[i].y) <= MAX_COORDINATE
               && fabsf(points[i].z) <= MAX_COORDINATE;
    return are;
}

static bool check_figure(md5_context *context, const md5_figure *figure)
{
    const md5_decl *const decl = figure->def->decl;
    (void)snprintf(context->error.file, sizeof context->error.file, "%s",
                   decl->file ? decl->file : "");
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const md5_body_part *const part = &figure->bodies[i];
        if (!are_possible(&figure->setup[i].translation, 1)
            || !are_possible(figure->vertices + part->first_vertex, part->num_vertices))
            return md5i_fail(
                context, MD5_ERROR_RANGE, decl->keyword_line, decl->keyword_column,
                "figure %s: body %s is out of range: expected finite values up to %g units",
                MD5_QUOTED(decl->name), MD5_QUOTED(part->def->name), (double)MAX_COORDINATE);
    }
    for (uint32_t i = 0; i < figure->num_constraints; i++) {
        const md5_body_constraint *const of = &figure->constraints[i];
        const md5_vec3 limits[] = {of->limit_axis, of->limit_base, of->limit_shaft};
        if (!are_possible(of->anchors, 2) || !are_possible(of->shafts, 2)
            || !are_possible(of->axes, 2) || !are_possible(limits, 3))
            return md5i_fail(
                context, MD5_ERROR_RANGE, decl->keyword_line, decl->keyword_column,
                "figure %s: constraint %s is out of range: expected finite values up to %g units",
                MD5_QUOTED(decl->name), MD5_QUOTED(of->def->name), (double)MAX_COORDINATE);
    }
    return true;
}

md5_ragdoll *md5_create_ragdoll(const md5_ragdoll_desc *desc, const md5_allocator *allocator,
                                md5_error *error)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT_ALLOCATOR(allocator);
    MD5_ASSERT_FIGURE(desc->figure);
    md5_context context;
    md5i_context_begin_memory(&context, allocator ? *allocator : (md5_allocator){0}, error);
    const md5_figure *const figure = desc->figure;
    if (!check_figure(&context, figure))
        return NULL;
    const size_t num_bodies = figure->num_bodies;
    const size_t num_edges = figure->num_constraints;
    md5_block block = {0};
    md5_ragdoll *ragdoll = NULL;
    uint32_t *scratch = NULL;
    // Once to count, and once to give out.
    for (int pass = 0; pass < 2; pass++) {
        md5_ragdoll made = {.desc = *desc, .size = block.used};
        if (pass == 1 && !md5i_block_allocate(&context, &block))
            return NULL;
        if (pass == 1)
            memset(block.base, 0, made.size);
        ragdoll = MD5_TAKE(&block, md5_ragdoll, 1);
        made.nodes = MD5_TAKE(&block, ragdoll_node, num_bodies);
        made.links = MD5_TAKE(&block, ragdoll_link, num_edges + 1);
        made.node_of = MD5_TAKE(&block, uint32_t, num_bodies);
        made.path = MD5_TAKE(&block, uint32_t, num_bodies);
        made.hulls = MD5_TAKE(&block, ragdoll_hull, num_bodies);
        made.planes = MD5_TAKE(&block, ragdoll_plane, figure->num_triangles);
        made.edges = MD5_TAKE(&block, ragdoll_edge, 2 * (size_t)figure->num_triangles);
        made.bodies = MD5_TAKE(&block, md5_body_state, num_bodies);
        made.looked_at = MD5_TAKE(&block, md5_body_state, num_bodies);
        scratch = MD5_TAKE(&block, uint32_t, 4 * num_bodies + 4 + 3 * num_edges);
        if (pass == 1)
            *ragdoll = made;
    }
    ragdoll->internal = (md5_internal){.allocator = context.allocator, .tag = MD5_TAG_RAGDOLL};
    ragdoll->gravity = desc->gravity == 0.0f                ? DEFAULT_GRAVITY
                       : desc->gravity == MD5_EXPLICIT_ZERO ? 0.0
                                                            : (double)desc->gravity;
    ragdoll->bounce = desc->bounce == 0.0f                ? 0.4
                      : desc->bounce == MD5_EXPLICIT_ZERO ? 0.0
                                                          : (double)desc->bounce;
    ragdoll->least_bounce = LEAST_BOUNCE;
    set_pace_and_friction(ragdoll);
    md5i_make_ragdoll_tree(ragdoll, scratch);
    md5i_make_ragdoll_hulls(ragdoll);
    for (uint32_t i = 0; i < num_bodies; i++)
        ragdoll->bodies[i].place = figure->setup[i];
    md5_ragdoll_start(ragdoll, ragdoll->bodies);
    ragdoll->is_at_rest = true;
    return ragdoll;
}

void md5_destroy_ragdoll(md5_ragdoll *ragdoll)
{
    MD5_FREE(ragdoll, MD5_TAG_RAGDOLL);
}

// == Beginning ====================================================================================

static md5_vec3d within(md5_vec3 v, double most)
{
    const md5_vec3d wide = md5_vec3d_of(v);
    const double length = md5_vec3d_length(wide);
    if (!(length <= most)) // nor not a number
        return length < INFINITY ? md5_vec3d_scale(wide, most / length)
                                 : (md5_vec3d){0.0, 0.0, 0.0};
    return wide;
}

static ragdoll_place place_of(md5_xform place)
{
    const md5_quat none = {0.0f, 0.0f, 0.0f, 1.0f};
    const md5_quatd turn = md5_quatd_of(md5_quat_normalize(place.rotation, none));
    const double scale = 1.0 / sqrt(md5_quatd_dot(turn, turn));
    return (ragdoll_place){{turn.x * scale, turn.y * scale, turn.z * scale, turn.w * scale},
                           within(place.translation, 1e7)};
}

// What the caller sees.
static void show(md5_ragdoll *ragdoll)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        const md5_quatd turn = node->place.turn;
        md5_body_state *const body = &ragdoll->bodies[node->body];
        body->place.rotation =
            (md5_quat){(float)turn.x, (float)turn.y, (float)turn.z, (float)turn.w};
        body->place.translation = md5_vec3d_round(node->place.at);
        body->linear = md5_vec3d_round(node->linear);
        body->angular = md5_vec3d_round(node->angular);
    }
}

// Begins to look anew whether it rests.
static void awake(md5_ragdoll *ragdoll)
{
    ragdoll->is_at_rest = false;
    ragdoll->still_since = ragdoll->woken = ragdoll->moved = ragdoll->step;
    memcpy(ragdoll->looked_at, ragdoll->bodies, ragdoll->num_nodes * sizeof *ragdoll->bodies);
}

void md5_ragdoll_start(md5_ragdoll *ragdoll, const md5_body_state *bodies)
{
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    MD5_ASSERT_NOT_NULL(bodies);
    ragdoll->world =
        place_of(md5_xform_mul(bodies[0].place, md5_xform_inverse(ragdoll->desc.figure->setup[0])));
    ragdoll->left = ragdoll->added_energy = 0.0;
    ragdoll->step = 0;
    ragdoll->seconds = 1.0 / ragdoll_rate;
    ragdoll->scales[0] = ragdoll->scales[1] = 1.0;
    ragdoll->links[0].nodes[0] = MD5_NONE;
    for (uint32_t i = 0; i < ragdoll->num_links; i++)
        memset(ragdoll->links[i].impulses, 0, sizeof ragdoll->links[i].impulses);
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        const md5_body_state *const body = &bodies[node->body];
        node->place = place_of(body->place);
        node->linear = within(body->linear, 1e4);
        node->angular = within(body->angular, 1e2);
        node->num_contacts = 0;
        node->next_search = 0;
        node->load = 0.0;
        node->limits[0].impulse.value = node->limits[1].impulse.value = 0.0;
    }
    md5i_ragdoll_read_turns(ragdoll);
    md5i_ragdoll_place(ragdoll);
    // The velocities that are possible and nearest to those.
    md5i_ragdoll_prepare(ragdoll, false);
    md5i_ragdoll_take_velocities(ragdoll);
    show(ragdoll);
    awake(ragdoll);
}

void md5_ragdoll_apply_impulse(md5_ragdoll *ragdoll, uint32_t body, md5_vec3 point,
                               md5_vec3 impulse)
{
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    MD5_ASSERT(body < ragdoll->num_nodes, "body: must be a body of the figure");
    const md5_vec3d strength = within(impulse, 1e9);
    const md5_vec3d at = within(point, 1e7);
    if (!(md5_vec3d_dot(strength, strength) >= LEAST_PUSH * LEAST_PUSH))
        return;
    const double before = md5i_ragdoll_energy(ragdoll);
    md5i_ragdoll_prepare(ragdoll, false);
    const spatial along =
        md5_spatial_of(md5_vec3d_cross(md5_vec3d_sub(at, ragdoll->origin), strength), strength);
    md5i_ragdoll_strike(ragdoll, ragdoll->node_of[body], &along);
    md5i_ragdoll_take_velocities(ragdoll);
    ragdoll->added_energy += md5_greater(0.0, md5i_ragdoll_energy(ragdoll) - before);
    show(ragdoll);
    awake(ragdoll);
}

void md5_ragdoll_drag(md5_ragdoll *ragdoll, uint32_t body, md5_vec3 point, const md5_vec3 *target)
{
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    MD5_ASSERT(body < ragdoll->num_nodes, "body: must be a body of the figure");
    uint32_t *const dragged = &ragdoll->links[0].nodes[0];
    const uint32_t node = target ? ragdoll->node_of[body] : MD5_NONE;
    if (node != *dragged && node != MD5_NONE) {
        const ragdoll_place *const place = &ragdoll->nodes[node].place;
        ragdoll->drag_at = md5_quatd_rotate(md5_quatd_conjugate(place->turn),
                                            md5_vec3d_sub(within(point, 1e7), place->at));
    }
    if (target)
        ragdoll->drag_to = within(*target, 1e7);
    *dragged = node;
    awake(ragdoll);
}

void md5_ragdoll_wake(md5_ragdoll *ragdoll)
{
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    awake(ragdoll);
}

// == Time =========================================================================================

static double seconds_since(const md5_ragdoll *ragdoll, uint64_t step)
{
    return (double)(ragdoll->step - step) * (1.0 / ragdoll_rate);
}

static double pace_of(const md5_ragdoll *ragdoll)
{
    const double now = seconds_since(ragdoll, 0);
    const double from = (double)ragdoll->slow[0];
    const double to = (double)ragdoll->slow[1];
    if (ragdoll->desc.ignore_slow_motion || !(from < now && now < to))
        return 1.0;
    return md5_greater(0.01, (now - from) / (to - from));
}

// Of friction: less than 1 for some time, least in the middle of it.
static double scale_of(const md5_ragdoll *ragdoll, const float dent[3])
{
    const double now = seconds_since(ragdoll, 0);
    const double from = (double)dent[1];
    const double to = (double)dent[2];
    if (!(from < now && now < to))
        return 1.0;
    const double from_middle = fabs(2.0 * (now - from) / (to - from) - 1.0);
    return md5_less(1e3, md5_greater(0.0, 1.0 + ((double)dent[0] - 1.0) * (1.0 - from_middle)));
}

static void slow_to(md5_ragdoll *ragdoll, double scale)
{
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        md5_vec3d *const all[] = {&node->linear, &node->angular, &node->momentum, &node->spin};
        for (int i = 0; i < 4; i++)
            *all[i] = md5_vec3d_scale(*all[i], scale);
    }
}

// What the last impulses and a step of finite length added is taken away again.
static void keep_energy(md5_ragdoll *ragdoll, double before)
{
    const double after = md5i_ragdoll_energy(ragdoll);
    if (after <= before)
        return;
    if (ragdoll->links[0].nodes[0] != MD5_NONE) {
        ragdoll->added_energy += after - before;
        return;
    }
    const double moving = md5i_ragdoll_motion(ragdoll);
    const double allowed = moving - (after - before);
    slow_to(ragdoll, allowed > 0.0 ? sqrt(allowed / moving) : 0.0);
}

// Whether a body has moved or turned since the last look.
static bool has_moved(const md5_ragdoll *ragdoll)
{
    const float *const limits = ragdoll->desc.figure->def->no_move;
    const double half = md5_less(md5_greater((double)limits[2], 0.0), 180.0) * (0.5 * DEGREE);
    const double square = half * half;
    const double sine = half * (1.0 - square * (1.0 / 6.0) * (1.0 - square * (1.0 / 20.0)));
    bool has = false;
    for (uint32_t i = 0; i < ragdoll->num_nodes; i++) {
        const md5_xform *const then = &ragdoll->looked_at[i].place;
        const md5_xform *const now = &ragdoll->bodies[i].place;
        const md5_vec3d way =
            md5_vec3d_sub(md5_vec3d_of(now->translation), md5_vec3d_of(then->translation));
        const md5_quatd turn = md5_quatd_mul(md5_quatd_of(now->rotation),
                                             md5_quatd_conjugate(md5_quatd_of(then->rotation)));
        has |= md5_vec3d_length(way) >= (double)limits[1];
        has |= turn.x * turn.x + turn.y * turn.y + turn.z * turn.z >= sine * sine;
    }
    return has;
}

// Whether all move so slowly, and so evenly, that the figure lets them rest. `bodies` are those of
// the step before.
static bool is_slow(const md5_ragdoll *ragdoll)
{
    const float *const limits = ragdoll->desc.figure->def->suspend_speed;
    bool is = true;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        const md5_body_state *const before = &ragdoll->bodies[node->body];
        const md5_vec3d pulled = md5_vec3d_sub(node->linear, md5_vec3d_of(before->linear));
        const md5_vec3d twisted = md5_vec3d_sub(node->angular, md5_vec3d_of(before->angular));
        is &= md5_vec3d_length(node->linear) < (double)limits[0]
              && md5_vec3d_length(node->angular) < (double)limits[1]
              && md5_vec3d_length(pulled) * ragdoll_rate < (double)limits[2]
              && md5_vec3d_length(twisted) * ragdoll_rate < (double)limits[3];
    }
    return is;
}

// Nothing is left beyond a limit or in the ground that rest would keep there.
static bool is_settled(const md5_ragdoll *ragdoll)
{
    bool is = true;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        for (uint32_t i = 0; i < node->num_limits; i++)
            is &= node->limits[i].gap > -0.5 * DEGREE;
        for (uint32_t i = 0; i < node->num_contacts; i++)
            is &= node->contacts[i].gap > -0.25;
    }
    return is;
}

// The engine's rules; but what is slow must stay so for a while, since a body that begins to fall
// is slow, too.
static bool may_rest(md5_ragdoll *ragdoll)
{
    const md5_figure_def *const def = ragdoll->desc.figure->def;
    const double time = seconds_since(ragdoll, ragdoll->woken);
    if (ragdoll->links[0].nodes[0] != MD5_NONE || time < (double)def->move_times[0])
        return false;
    if (def->move_times[1] > 0.0f && time > (double)def->move_times[1])
        return true;
    if (def->no_move[0] > 0.0f
        && seconds_since(ragdoll, ragdoll->still_since) >= (double)def->no_move[0]) {
        if (!has_moved(ragdoll))
            return is_settled(ragdoll);
        ragdoll->still_since = ragdoll->step;
        memcpy(ragdoll->looked_at, ragdoll->bodies, ragdoll->num_nodes * sizeof *ragdoll->bodies);
    }
    if (!is_slow(ragdoll))
        ragdoll->moved = ragdoll->step;
    return time > SLOW_AFTER && seconds_since(ragdoll, ragdoll->moved) >= SLOW_FOR
           && is_settled(ragdoll);
}

// Returns for how much of the step the solved velocities may move the bodies, so that energy does
// not rise by more than MAX_RISE: all of it, unless bodies are pushed out of the ground, or sweeps
// ended before impulses agreed. A shorter way breaks no limit and no contact, since standing still
// breaks none. Energy is K s^2 + R s for a part s, with the energy of motion K and the rise R.
static double safe_seconds(const md5_ragdoll *ragdoll, double kinetic_before)
{
    const double gravity = ragdoll->gravity > 0.0 ? ragdoll->gravity : DEFAULT_GRAVITY;
    double kinetic = 0.0;
    double upward = 0.0;
    double mass = 0.0;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        const md5_vec3d angular = md5_spatial_angular(&node->velocity);
        const md5_vec3d linear = md5_vec3d_add(md5_spatial_linear(&node->velocity),
                                               md5_vec3d_cross(angular, node->center));
        kinetic += 0.5 * node->mass * md5_vec3d_dot(linear, linear);
        kinetic += 0.5 * md5_vec3d_dot(md5i_node_spin(node, angular), angular);
        upward += node->mass * linear.z;
        mass += node->mass;
    }
    // Momenta of a restored state may not agree with its velocities.
    const double allowed = md5_greater(0.0, kinetic_before) + MAX_RISE * gravity * mass;
    const double rise = ragdoll->seconds * ragdoll->gravity * upward;
    const bool is_dragged = ragdoll->links[0].nodes[0] != MD5_NONE;
    const bool is_starting = ragdoll->step < START_STEPS;
    if (is_dragged || is_starting || kinetic + rise <= allowed)
        return ragdoll->seconds;
    const double root = sqrt(rise * rise + 4.0 * kinetic * allowed);
    const double part =
        rise > 0.0 ? 2.0 * allowed / (root + rise) : (root - rise) / (2.0 * kinetic);
    return ragdoll->seconds * part;
}

static void do_step(md5_ragdoll *ragdoll)
{
    const double before = md5i_ragdoll_energy(ragdoll);
    const double kinetic_before = md5i_ragdoll_motion(ragdoll);
    ragdoll->seconds = pace_of(ragdoll) * (1.0 / ragdoll_rate);
    for (uint32_t i = 0; i < 2; i++)
        ragdoll->scales[i] = scale_of(ragdoll, ragdoll->dents[i]);
    md5i_ragdoll_find_contacts(ragdoll);
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        ragdoll->nodes[k].haste = 0.0;
    int tries = 0;
    do {
        md5i_ragdoll_prepare(ragdoll, true);
        md5i_ragdoll_solve(ragdoll);
    } while (md5i_ragdoll_is_hasty(ragdoll) && ++tries < 5);
    md5i_ragdoll_move(ragdoll, safe_seconds(ragdoll, kinetic_before));
    md5i_ragdoll_relax(ragdoll);
    md5i_ragdoll_take_velocities(ragdoll);
    keep_energy(ragdoll, before);
    ragdoll->step++;
    ragdoll->is_at_rest = may_rest(ragdoll);
    if (ragdoll->is_at_rest)
        slow_to(ragdoll, 0.0);
    show(ragdoll);
}

void md5_ragdoll_advance(md5_ragdoll *ragdoll, double seconds)
{
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    MD5_ASSERT(seconds >= 0.0 && seconds <= 1e6, "seconds: must be 0 or more");
    // A trifle more than there is: sums of parts of a step may be a trifle less than one.
    const double trifle = 1e-7;
    ragdoll->left += seconds;
    while (!ragdoll->is_at_rest && ragdoll->left + trifle >= 1.0 / ragdoll_rate) {
        ragdoll->left -= 1.0 / ragdoll_rate;
        md5_mark_callback(&ragdoll->internal, MD5_CALLBACK);
        do_step(ragdoll);
        md5_mark_callback(&ragdoll->internal, MD5_NO_CALLBACK);
    }
    if (ragdoll->is_at_rest)
        ragdoll->left = 0.0;
}

typedef struct advance_batch {
    md5_ragdoll *const *ragdolls;
    double seconds;
} advance_batch;

static void advance_some(void *user, size_t begin, size_t end, void *scratch)
{
    const advance_batch *const batch = (const advance_batch *)user;
    (void)scratch;
    for (size_t i = begin; i < end; i++)
        md5_ragdoll_advance(batch->ragdolls[i], batch->seconds);
}

void md5_ragdoll_advance_batch(md5_ragdoll *const *ragdolls, size_t count, double seconds,
                               const md5_threads *threads)
{
    MD5_ASSERT_ARRAY(ragdolls, count);
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_RAGDOLL_CHANGE(ragdolls[i]);
    }
    advance_batch all = {ragdolls, seconds};
    const md5_batch batch = {.run = advance_some, .user = &all, .count = count};
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

// Degrees from the angle between axis and shaft to the limit.
static double margin_between(const md5_body_constraint *constraint, const ragdoll_place ends[2])
{
    const md5_figure_constraint *const def = constraint->def;
    const bool is_hinge = def->type == MD5_CONSTRAINT_HINGE;
    const bool is_ball = def->type == MD5_CONSTRAINT_BALL || def->type == MD5_CONSTRAINT_UNIVERSAL;
    double least = 360.0;
    if (def->limit == MD5_FIGURE_NO_LIMIT || (!is_hinge && !is_ball))
        return least;
    const uint32_t count = def->limit == MD5_FIGURE_PYRAMID && is_ball ? 2 : 1;
    for (uint32_t i = 0; i < count; i++) {
        const limit_view view = md5i_limit_view(constraint, i, ends);
        if (md5_vec3d_dot(view.axis, view.axis) == 0.0)
            continue;
        const double limit = acos(md5_less((double)constraint->limit_cosines[i], 0.99996));
        least = md5_less(least, (limit - atan2(view.sine, view.cosine)) / DEGREE);
    }
    return least;
}

md5_ragdoll_status md5_ragdoll_state(const md5_ragdoll *ragdoll)
{
    MD5_ASSERT_RAGDOLL(ragdoll);
    md5_ragdoll_status status = {.time = seconds_since(ragdoll, 0),
                                 .energy = md5i_ragdoll_energy(ragdoll),
                                 .added_energy = ragdoll->added_energy,
                                 .time_scale = (float)(ragdoll->seconds * ragdoll_rate),
                                 .worst_constraint = MD5_NONE};
    for (uint32_t i = 0; i < 2; i++)
        status.friction_scales[i] = (float)ragdoll->scales[i];
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        for (uint32_t i = 0; i < node->num_contacts; i++) {
            const ragdoll_contact *const contact = &node->contacts[i];
            const double gap =
                md5_vec3d_dot(contact->normal, md5_in_place(&node->place, contact->at))
                - contact->level;
            status.num_contacts += contact->impulses[0].value > 0.0;
            status.max_penetration = fmaxf(status.max_penetration, (float)-gap);
        }
    }
    for (uint32_t i = 0; i < ragdoll->desc.figure->num_constraints; i++) {
        const md5_body_constraint *const of = &ragdoll->desc.figure->constraints[i];
        ragdoll_place ends[2];
        md5i_ragdoll_ends(ragdoll, of, ends);
        const double beyond = -margin_between(of, ends);
        if (beyond > (double)status.worst_limit) {
            status.worst_limit = (float)beyond;
            status.worst_constraint = i;
        }
        if (of->def->type == MD5_CONSTRAINT_SPRING || of->def->type == MD5_CONSTRAINT_SLIDER)
            continue;
        const md5_vec3d apart = md5_vec3d_sub(md5_in_place(&ends[0], md5_vec3d_of(of->anchors[0])),
                                              md5_in_place(&ends[1], md5_vec3d_of(of->anchors[1])));
        status.worst_joint = fmaxf(status.worst_joint, (float)md5_vec3d_length(apart));
    }
    return status;
}

// == Copying and saving ===========================================================================

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
    memcpy(to->looked_at, from->looked_at, to->num_nodes * sizeof *to->looked_at);
    memcpy(&to->world, &from->world, sizeof *to - offsetof(md5_ragdoll, world));
}

// A walk over what changes; a trial only looks at what is read.
typedef struct kept_ragdoll {
    md5_kept_state archive;
    bool is_trial;
    bool is_valid;
} kept_ragdoll;

static void keep_numbers(kept_ragdoll *kept, double *numbers, int count, double least, double most)
{
    for (int i = 0; i < count; i++) {
        double number = numbers[i];
        md5_keep_64(&kept->archive, &number);
        kept->is_valid &= number >= least && number <= most;
        numbers[i] = kept->is_trial ? numbers[i] : number;
    }
}

static void keep_vector(kept_ragdoll *kept, md5_vec3d *vector)
{
    keep_numbers(kept, &vector->x, 3, -1e15, 1e15);
}

static void keep_turn(kept_ragdoll *kept, md5_quatd *turn)
{
    double numbers[4] = {turn->x, turn->y, turn->z, turn->w};
    const bool is_trial = kept->is_trial;
    kept->is_trial = false;
    keep_numbers(kept, numbers, 4, -1.001, 1.001);
    const md5_quatd read = {numbers[0], numbers[1], numbers[2], numbers[3]};
    kept->is_trial = is_trial;
    kept->is_valid &= fabs(md5_quatd_dot(read, read) - 1.0) < 1e-3;
    *turn = is_trial ? *turn : read;
}

static void keep_count(kept_ragdoll *kept, uint64_t *count, uint64_t most)
{
    uint64_t number = *count;
    md5_keep_64(&kept->archive, &number);
    kept->is_valid &= number <= most;
    *count = kept->is_trial ? *count : number;
}

static void keep_index(kept_ragdoll *kept, uint32_t *index, uint32_t count, uint32_t otherwise)
{
    uint64_t number = *index == otherwise ? count : *index;
    keep_count(kept, &number, count);
    *index = kept->is_trial ? *index : number == count ? otherwise : (uint32_t)number;
}

static void keep_node(kept_ragdoll *kept, ragdoll_node *node)
{
    keep_turn(kept, &node->place.turn);
    keep_turn(kept, &node->turn);
    md5_vec3d *const vectors[] = {&node->place.at, &node->momentum, &node->spin, &node->linear,
                                  &node->angular};
    for (int i = 0; i < 5; i++)
        keep_vector(kept, vectors[i]);
    keep_numbers(kept, &node->slide, 1, -1e15, 1e15);
    keep_numbers(kept, &node->load, 1, 0.0, 1e30);
    for (uint32_t i = 0; i < 2; i++)
        keep_numbers(kept, &node->limits[i].impulse.value, 1, 0.0, 1e30);
    keep_count(kept, &node->next_search, UINT64_MAX / 2);
    keep_index(kept, &node->num_contacts, MAX_CONTACTS, MAX_CONTACTS);
    for (uint32_t i = 0; i < MAX_CONTACTS; i++) {
        ragdoll_contact *const contact = &node->contacts[i];
        keep_vector(kept, &contact->at);
        keep_numbers(kept, &contact->normal.x, 3, -1.001, 1.001);
        keep_numbers(kept, &contact->level, 1, -1e15, 1e15);
        keep_numbers(kept, &contact->impulses[0].value, 1, 0.0, 1e30);
        keep_numbers(kept, &contact->impulses[1].value, 1, -1e30, 1e30);
        keep_numbers(kept, &contact->impulses[2].value, 1, -1e30, 1e30);
        keep_numbers(kept, &contact->speed, 1, -1e15, 1e15);
    }
}

static void keep_ragdoll(kept_ragdoll *kept, md5_ragdoll *ragdoll)
{
    keep_turn(kept, &ragdoll->world.turn);
    md5_vec3d *const vectors[] = {&ragdoll->world.at, &ragdoll->drag_at, &ragdoll->drag_to};
    for (int i = 0; i < 3; i++)
        keep_vector(kept, vectors[i]);
    keep_numbers(kept, &ragdoll->left, 1, -1.0, 1e6);
    keep_numbers(kept, &ragdoll->added_energy, 1, 0.0, 1e30);
    keep_numbers(kept, &ragdoll->seconds, 1, 0.0, 1.0);
    keep_numbers(kept, ragdoll->scales, 2, 0.0, 1e3);
    keep_count(kept, &ragdoll->step, UINT64_MAX / 2);
    keep_count(kept, &ragdoll->still_since, UINT64_MAX / 2);
    keep_count(kept, &ragdoll->woken, UINT64_MAX / 2);
    keep_count(kept, &ragdoll->moved, UINT64_MAX / 2);
    keep_count(kept, &ragdoll->is_at_rest, 1);
    keep_index(kept, &ragdoll->links[0].nodes[0], ragdoll->num_nodes, MD5_NONE);
    for (uint32_t i = 0; i < ragdoll->num_links; i++) {
        keep_index(kept, &ragdoll->links[i].num_rows, 6, 6);
        keep_numbers(kept, ragdoll->links[i].impulses, 6, -1e30, 1e30);
    }
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++)
        keep_node(kept, &ragdoll->nodes[k]);
    for (uint32_t i = 0; i < ragdoll->num_nodes; i++) {
        md5_xform *const place = &ragdoll->looked_at[i].place;
        float *const floats[] = {&place->rotation.x,   &place->rotation.y,    &place->rotation.z,
                                 &place->rotation.w,   &place->translation.x, &place->translation.y,
                                 &place->translation.z};
        for (int m = 0; m < 7; m++) {
            double number = (double)*floats[m];
            keep_numbers(kept, &number, 1, -1e15, 1e15);
            *floats[m] = (float)number;
        }
    }
}

#define RAGDOLL_MAGIC UINT64_C(0x014D354452) // "RD5M" and the version
enum { HEAD_WORDS = 2, STATE_WORDS = 24, LINK_WORDS = 7, NODE_WORDS = 36 + 11 * MAX_CONTACTS };

size_t md5_ragdoll_save_size(const md5_ragdoll *ragdoll)
{
    MD5_ASSERT_RAGDOLL(ragdoll);
    return sizeof(uint64_t)
           * (HEAD_WORDS + STATE_WORDS + LINK_WORDS * (size_t)ragdoll->num_links
              + NODE_WORDS * (size_t)ragdoll->num_nodes);
}

void md5_ragdoll_save(const md5_ragdoll *ragdoll, void *bytes)
{
    MD5_ASSERT_RAGDOLL(ragdoll);
    MD5_ASSERT_NOT_NULL(bytes);
    kept_ragdoll kept = {.archive = {.to = (unsigned char *)bytes}, .is_trial = true};
    uint64_t head[HEAD_WORDS] = {RAGDOLL_MAGIC,
                                 (uint64_t)ragdoll->num_nodes << 32 | ragdoll->num_links};
    for (uint32_t i = 0; i < HEAD_WORDS; i++)
        md5_keep_64(&kept.archive, &head[i]);
    keep_ragdoll(&kept, (md5_ragdoll *)ragdoll); // a trial writes nothing to it
    MD5_ASSERT((size_t)(kept.archive.to - (unsigned char *)bytes) == md5_ragdoll_save_size(ragdoll),
               "number of bytes must match md5_ragdoll_save_size()");
}

bool md5_ragdoll_restore(md5_ragdoll *ragdoll, const void *bytes, size_t size, md5_error *error)
{
    if (!ragdoll)
        return md5i_fail_missing(error, "ragdoll");
    MD5_ASSERT_RAGDOLL_CHANGE(ragdoll);
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: must not be NULL");
    kept_ragdoll kept = {
        .archive = {.from = (const unsigned char *)bytes}, .is_trial = true, .is_valid = true};
    uint64_t head[HEAD_WORDS] = {0, 0};
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    for (uint32_t i = 0; i < (size >= sizeof head ? HEAD_WORDS : 0); i++)
        md5_keep_64(&kept.archive, &head[i]);
    if (head[0] != RAGDOLL_MAGIC)
        return MD5_FAIL(&context, MD5_ERROR_SYNTAX,
                        "not a saved ragdoll: found %zu bytes of other or truncated data", size);
    const size_t wanted = md5_ragdoll_save_size(ragdoll);
    if (head[1] != ((uint64_t)ragdoll->num_nodes << 32 | ragdoll->num_links) || size != wanted)
        return MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                        "saved ragdoll belongs to another figure: expected %zu bytes, found %zu",
                        wanted, size);
    const md5_kept_state behind_head = kept.archive;
    keep_ragdoll(&kept, ragdoll);
    if (!kept.is_valid)
        return MD5_FAIL(&context, MD5_ERROR_RANGE,
                        "invalid saved ragdoll: a value is out of range");
    kept.archive = behind_head;
    kept.is_trial = false;
    keep_ragdoll(&kept, ragdoll);
    show(ragdoll);
    return true;
}
