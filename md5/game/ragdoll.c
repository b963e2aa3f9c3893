// Ragdolls: their time, their rest, pushes and drags, saving, and getting up.
#include "md5/game/ragdoll.h"

#include "md5/core/arena.h"
#include "md5/core/jobs.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define LEAST_PUSH 500.0 // the engine's: a weaker impulse does nothing
#define SLOW_FOR 0.25    // seconds, and
#define SLOW_AFTER 1.5   // since it began: who stands on his head falls slowly at first
#define MAX_COORDINATE 1e6f
#define LEAST_BOUNCE 30.0 // units a second: slower contacts do not bounce

// == Making =======================================================================================

static float number_of_key(const md5_entity *entity, const char *name, const char *suffix,
                           float otherwise)
{
    char key[64];
    (void)snprintf(key, sizeof key, "ragdoll_%s%s", name, suffix);
    float value = otherwise;
    const char *const text = entity->def ? md5_entity_def_value(entity->def, key) : NULL;
    md5i_entity_numbers(text, &value, 1);
    return value > -1e6f && value < 1e6f ? value : otherwise;
}

// As the engine's defaults: slower at first, and with less friction for a while.
static void read_keys(md5_ragdoll *ragdoll)
{
    const md5_entity *const entity = ragdoll->desc.figure->entity;
    static const char *const names[2] = {"jointFrictionDent", "contactFrictionDent"};
    static const float defaults[2][3] = {{0.1f, 0.2f, 1.2f}, {0.1f, 1.0f, 2.0f}};
    static const char *const suffixes[3] = {"", "Start", "End"};
    ragdoll->slow[0] = number_of_key(entity, "slomo", "Start", -1.6f);
    ragdoll->slow[1] = number_of_key(entity, "slomo", "End", 0.8f);
    MD5_FOR (i, 2)
        MD5_FOR (k, 3)
            ragdoll->dents[i][k] = number_of_key(entity, names[i], suffixes[k], defaults[i][k]);
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
    const md5_entity_key place = {.decl = figure->def->decl, .line = figure->def->decl->line};
    MD5_FOR (i, figure->num_bodies) {
        const md5_body_part *const part = &figure->bodies[i];
        if (!are_possible(&figure->setup[i].translation, 1)
            || !are_possible(figure->vertices + part->first_vertex, part->num_vertices))
            return md5i_report_key(context, MD5_ERROR_RANGE, &place,
                                   "figure %s: body %s is beyond %g units, or not finite",
                                   MD5_QUOTED(figure->def->decl->name), MD5_QUOTED(part->def->name),
                                   (double)MAX_COORDINATE);
    }
    MD5_FOR (i, figure->num_constraints) {
        const md5_body_constraint *const of = &figure->constraints[i];
        const md5_vec3 limits[] = {of->limit_axis, of->limit_base, of->limit_shaft};
        if (!are_possible(of->anchors, 2) || !are_possible(of->shafts, 2)
            || !are_possible(of->axes, 2) || !are_possible(limits, 3))
            return md5i_report_key(context, MD5_ERROR_RANGE, &place,
                                   "figure %s: constraint %s is beyond %g units, or not finite",
                                   MD5_QUOTED(figure->def->decl->name), MD5_QUOTED(of->def->name),
                                   (double)MAX_COORDINATE);
    }
    return true;
}

md5_ragdoll *md5_create_ragdoll(const md5_ragdoll_desc *desc, const md5_allocator *allocator,
                                md5_error *error)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT_ALLOCATOR(allocator);
    MD5_ASSERT(desc->figure != NULL, "desc->figure: not NULL");
    md5_context context;
    md5i_context_begin_memory(&context, allocator ? *allocator : (md5_allocator){0}, error);
    const md5_figure *const figure = desc->figure;
    if (!check_figure(&context, figure))
        return NULL;
    const size_t num_bodies = figure->num_bodies, num_edges = figure->num_constraints;
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
        made.shapes = MD5_TAKE(&block, ragdoll_shape, num_bodies);
        made.planes = MD5_TAKE(&block, ragdoll_plane, figure->num_triangles);
        made.edges = (uint32_t(*)[2])md5i_block_take(&block, 2 * (size_t)figure->num_triangles,
                                                     sizeof *made.edges);
        made.bodies = MD5_TAKE(&block, md5_body_state, num_bodies);
        made.looked_at = MD5_TAKE(&block, md5_body_state, num_bodies);
        scratch = MD5_TAKE(&block, uint32_t, 4 * num_bodies + 4 + 3 * num_edges);
        if (pass == 1)
            *ragdoll = made;
    }
    ragdoll->internal.allocator = context.allocator;
    ragdoll->gravity = desc->gravity == 0.0f       ? 1066.0
                       : desc->gravity == MD5_ZERO ? 0.0
                                                   : (double)desc->gravity;
    ragdoll->bounce = desc->bounce == 0.0f       ? 0.4
                      : desc->bounce == MD5_ZERO ? 0.0
                                                 : (double)desc->bounce;
    ragdoll->least_bounce = LEAST_BOUNCE;
    read_keys(ragdoll);
    md5i_make_ragdoll_tree(ragdoll, scratch);
    md5i_make_ragdoll_shapes(ragdoll);
    MD5_FOR (i, num_bodies)
        ragdoll->bodies[i].place = figure->setup[i];
    md5_ragdoll_start(ragdoll, ragdoll->bodies);
    ragdoll->is_at_rest = true;
    return ragdoll;
}

void md5_destroy_ragdoll(md5_ragdoll *ragdoll)
{
    MD5_FREE(ragdoll);
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
    MD5_FOR (k, ragdoll->num_nodes) {
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
    MD5_ASSERT_NOT_NULL(ragdoll);
    MD5_ASSERT_NOT_NULL(bodies);
    ragdoll->world =
        place_of(md5_xform_mul(bodies[0].place, md5_xform_inverse(ragdoll->desc.figure->setup[0])));
    ragdoll->left = ragdoll->pushed_in = 0.0;
    ragdoll->step = 0;
    ragdoll->seconds = 1.0 / ragdoll_rate;
    ragdoll->scales[0] = ragdoll->scales[1] = 1.0;
    ragdoll->links[0].nodes[0] = MD5_NONE;
    MD5_FOR (i, ragdoll->num_links)
        memset(ragdoll->links[i].impulses, 0, sizeof ragdoll->links[i].impulses);
    MD5_FOR (k, ragdoll->num_nodes) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        const md5_body_state *const body = &bodies[node->body];
        node->place = place_of(body->place);
        node->linear = within(body->linear, 1e4);
        node->angular = within(body->angular, 1e2);
        node->num_contacts = 0;
        node->next_look = 0;
        node->load = 0.0;
        node->limits[0].impulse = node->limits[1].impulse = 0.0;
    }
    md5i_ragdoll_read_turns(ragdoll);
    md5i_ragdoll_place(ragdoll);
    // The velocities that are possible and nearest to those.
    md5i_ragdoll_prepare(ragdoll, false);
    md5i_ragdoll_take_velocities(ragdoll);
    show(ragdoll);
    awake(ragdoll);
}

void md5_ragdoll_push(md5_ragdoll *ragdoll, uint32_t body, md5_vec3 point, md5_vec3 impulse)
{
    MD5_ASSERT_NOT_NULL(ragdoll);
    MD5_ASSERT(body < ragdoll->num_nodes, "body: one of the figure");
    const md5_vec3d strength = within(impulse, 1e9), at = within(point, 1e7);
    if (!(md5_vec3d_dot(strength, strength) >= LEAST_PUSH * LEAST_PUSH))
        return;
    const double before = md5i_ragdoll_energy(ragdoll);
    md5i_ragdoll_prepare(ragdoll, false);
    const spatial along =
        md5_spatial_of(md5_vec3d_cross(md5_vec3d_sub(at, ragdoll->origin), strength), strength);
    md5i_ragdoll_strike(ragdoll, ragdoll->node_of[body], &along);
    md5i_ragdoll_take_velocities(ragdoll);
    ragdoll->pushed_in += md5_greater(0.0, md5i_ragdoll_energy(ragdoll) - before);
    show(ragdoll);
    awake(ragdoll);
}

void md5_ragdoll_drag(md5_ragdoll *ragdoll, uint32_t body, md5_vec3 point, const md5_vec3 *target)
{
    MD5_ASSERT_NOT_NULL(ragdoll);
    MD5_ASSERT(body < ragdoll->num_nodes, "body: one of the figure");
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
    MD5_ASSERT_NOT_NULL(ragdoll);
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
    const double from = (double)ragdoll->slow[0], to = (double)ragdoll->slow[1];
    if (ragdoll->desc.is_at_full_pace || !(from < now && now < to))
        return 1.0;
    return md5_greater(0.01, (now - from) / (to - from));
}

// Of friction: less than 1 for some time, least in the middle of it.
static double scale_of(const md5_ragdoll *ragdoll, const float dent[3])
{
    const double now = seconds_since(ragdoll, 0);
    const double from = (double)dent[1], to = (double)dent[2];
    if (!(from < now && now < to))
        return 1.0;
    const double from_middle = fabs(2.0 * (now - from) / (to - from) - 1.0);
    return md5_less(1e3, md5_greater(0.0, 1.0 + ((double)dent[0] - 1.0) * (1.0 - from_middle)));
}

static void slow_to(md5_ragdoll *ragdoll, double scale)
{
    MD5_FOR (k, ragdoll->num_nodes) {
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
        ragdoll->pushed_in += after - before;
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
    MD5_FOR (i, ragdoll->num_nodes) {
        const md5_xform *const then = &ragdoll->looked_at[i].place, *const now =
                                                                        &ragdoll->bodies[i].place;
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
    MD5_FOR (k, ragdoll->num_nodes) {
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
    MD5_FOR (k, ragdoll->num_nodes) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        MD5_FOR (i, node->num_limits)
            is &= node->limits[i].gap > -0.5 * DEGREE;
        MD5_FOR (i, node->num_contacts)
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

static void do_step(md5_ragdoll *ragdoll)
{
    const double before = md5i_ragdoll_energy(ragdoll);
    ragdoll->seconds = pace_of(ragdoll) * (1.0 / ragdoll_rate);
    MD5_FOR (i, 2)
        ragdoll->scales[i] = scale_of(ragdoll, ragdoll->dents[i]);
    md5i_ragdoll_look(ragdoll);
    MD5_FOR (k, ragdoll->num_nodes)
        ragdoll->nodes[k].haste = 0.0;
    int tries = 0;
    do {
        md5i_ragdoll_prepare(ragdoll, true);
        md5i_ragdoll_solve(ragdoll);
    } while (md5i_ragdoll_is_hasty(ragdoll) && ++tries < 5);
    md5i_ragdoll_move(ragdoll);
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
    MD5_ASSERT_NOT_NULL(ragdoll);
    MD5_ASSERT(seconds >= 0.0 && seconds <= 1e6, "seconds: 0 or more");
    // A trifle more than there is: sums of parts of a step may be a trifle less than one.
    const double trifle = 1e-7;
    ragdoll->left += seconds;
    while (!ragdoll->is_at_rest && ragdoll->left + trifle >= 1.0 / ragdoll_rate) {
        ragdoll->left -= 1.0 / ragdoll_rate;
        do_step(ragdoll);
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
    advance_batch all = {ragdolls, seconds};
    const md5_batch batch = {.run = advance_some, .user = &all, .count = count};
    md5i_run_batch(threads, &batch);
}

// == State ========================================================================================

const md5_body_state *md5_ragdoll_bodies(const md5_ragdoll *ragdoll)
{
    MD5_ASSERT_NOT_NULL(ragdoll);
    return ragdoll->bodies;
}

bool md5_ragdoll_is_at_rest(const md5_ragdoll *ragdoll)
{
    MD5_ASSERT_NOT_NULL(ragdoll);
    return ragdoll->is_at_rest;
}

static double margin_between(const md5_body_constraint *constraint, const ragdoll_place ends[2])
{
    const md5_figure_constraint *const def = constraint->def;
    const bool is_hinge = def->type == MD5_CONSTRAINT_HINGE;
    if (def->limit == MD5_FIGURE_NO_LIMIT
        || !(is_hinge || def->type == MD5_CONSTRAINT_BALL || def->type == MD5_CONSTRAINT_UNIVERSAL))
        return 360.0;
    double least = 360.0;
    MD5_FOR (i, def->limit == MD5_FIGURE_PYRAMID && !is_hinge ? 2 : 1) {
        const limit_view view = md5i_limit_view(constraint, i, ends);
        if (md5_vec3d_dot(view.axis, view.axis) > 0.0)
            least = md5_less(least, 2.0 * atan(0.5 * view.gap) / DEGREE);
    }
    return least;
}

float md5_figure_limit_margin(const md5_figure *figure, const md5_body_state *bodies,
                              uint32_t constraint)
{
    MD5_ASSERT_NOT_NULL(figure);
    MD5_ASSERT_NOT_NULL(bodies);
    MD5_ASSERT(constraint < figure->num_constraints, "constraint: one of the figure");
    const md5_body_constraint *const of = &figure->constraints[constraint];
    ragdoll_place ends[2];
    MD5_FOR (i, 2)
        ends[i] = place_of(of->bodies[i] == MD5_NONE
                               ? md5_xform_mul(bodies[0].place, md5_xform_inverse(figure->setup[0]))
                               : bodies[of->bodies[i]].place);
    return (float)margin_between(of, ends);
}

md5_ragdoll_status md5_ragdoll_state(const md5_ragdoll *ragdoll)
{
    MD5_ASSERT_NOT_NULL(ragdoll);
    md5_ragdoll_status status = {.time = seconds_since(ragdoll, 0),
                                 .energy = md5i_ragdoll_energy(ragdoll),
                                 .pushed_in = ragdoll->pushed_in,
                                 .pace = (float)(ragdoll->seconds * ragdoll_rate),
                                 .worst_constraint = MD5_NONE};
    MD5_FOR (i, 2)
        status.friction_scales[i] = (float)ragdoll->scales[i];
    MD5_FOR (k, ragdoll->num_nodes) {
        const ragdoll_node *const node = &ragdoll->nodes[k];
        MD5_FOR (i, node->num_contacts) {
            const ragdoll_contact *const contact = &node->contacts[i];
            const double gap =
                md5_vec3d_dot(contact->normal, md5_in_place(&node->place, contact->at))
                - contact->level;
            status.num_contacts += contact->impulses[0] > 0.0;
            status.deepest = fmaxf(status.deepest, (float)-gap);
        }
    }
    MD5_FOR (i, ragdoll->desc.figure->num_constraints) {
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
    MD5_ASSERT_NOT_NULL(to);
    MD5_ASSERT_NOT_NULL(from);
    MD5_ASSERT(to->desc.figure == from->desc.figure, "to, from: of one figure");
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
    bool is_trial, is_valid;
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
    MD5_FOR (i, 2)
        keep_numbers(kept, &node->limits[i].impulse, 1, 0.0, 1e30);
    keep_count(kept, &node->next_look, UINT64_MAX / 2);
    keep_index(kept, &node->num_contacts, MAX_CONTACTS, MAX_CONTACTS);
    MD5_FOR (i, MAX_CONTACTS) {
        ragdoll_contact *const contact = &node->contacts[i];
        keep_vector(kept, &contact->at);
        keep_numbers(kept, &contact->normal.x, 3, -1.001, 1.001);
        keep_numbers(kept, &contact->level, 1, -1e15, 1e15);
        keep_numbers(kept, contact->impulses, 1, 0.0, 1e30);
        keep_numbers(kept, contact->impulses + 1, 2, -1e30, 1e30);
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
    keep_numbers(kept, &ragdoll->pushed_in, 1, 0.0, 1e30);
    keep_numbers(kept, &ragdoll->seconds, 1, 0.0, 1.0);
    keep_numbers(kept, ragdoll->scales, 2, 0.0, 1e3);
    keep_count(kept, &ragdoll->step, UINT64_MAX / 2);
    keep_count(kept, &ragdoll->still_since, UINT64_MAX / 2);
    keep_count(kept, &ragdoll->woken, UINT64_MAX / 2);
    keep_count(kept, &ragdoll->moved, UINT64_MAX / 2);
    keep_count(kept, &ragdoll->is_at_rest, 1);
    keep_index(kept, &ragdoll->links[0].nodes[0], ragdoll->num_nodes, MD5_NONE);
    MD5_FOR (i, ragdoll->num_links) {
        keep_index(kept, &ragdoll->links[i].num_rows, 6, 6);
        keep_numbers(kept, ragdoll->links[i].impulses, 6, -1e30, 1e30);
    }
    MD5_FOR (k, ragdoll->num_nodes)
        keep_node(kept, &ragdoll->nodes[k]);
    MD5_FOR (i, ragdoll->num_nodes) {
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
    MD5_ASSERT_NOT_NULL(ragdoll);
    return sizeof(uint64_t)
           * (HEAD_WORDS + STATE_WORDS + LINK_WORDS * (size_t)ragdoll->num_links
              + NODE_WORDS * (size_t)ragdoll->num_nodes);
}

void md5_ragdoll_save(const md5_ragdoll *ragdoll, void *bytes)
{
    MD5_ASSERT_NOT_NULL(ragdoll);
    MD5_ASSERT_NOT_NULL(bytes);
    kept_ragdoll kept = {.archive = {.to = (unsigned char *)bytes}, .is_trial = true};
    uint64_t head[HEAD_WORDS] = {RAGDOLL_MAGIC,
                                 (uint64_t)ragdoll->num_nodes << 32 | ragdoll->num_links};
    MD5_FOR (i, HEAD_WORDS)
        md5_keep_64(&kept.archive, &head[i]);
    keep_ragdoll(&kept, (md5_ragdoll *)ragdoll); // a trial writes nothing to it
    MD5_ASSERT((size_t)(kept.archive.to - (unsigned char *)bytes) == md5_ragdoll_save_size(ragdoll),
               "as many bytes as announced");
}

bool md5_ragdoll_restore(md5_ragdoll *ragdoll, const void *bytes, size_t size, md5_error *error)
{
    if (!ragdoll)
        return md5i_fail_missing(error, "ragdoll");
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: not NULL");
    kept_ragdoll kept = {
        .archive = {.from = (const unsigned char *)bytes}, .is_trial = true, .is_valid = true};
    uint64_t head[HEAD_WORDS] = {0, 0};
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    MD5_FOR (i, size >= sizeof head ? HEAD_WORDS : 0)
        md5_keep_64(&kept.archive, &head[i]);
    if (head[0] != RAGDOLL_MAGIC)
        return MD5_FAIL(&context, MD5_ERROR_SYNTAX, "expected a saved ragdoll, found %zu bytes",
                        size);
    const size_t wanted = md5_ragdoll_save_size(ragdoll);
    if (head[1] != ((uint64_t)ragdoll->num_nodes << 32 | ragdoll->num_links) || size != wanted)
        return MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                        "the ragdoll was saved with another figure: expected %zu bytes, found %zu",
                        wanted, size);
    const md5_kept_state behind_head = kept.archive;
    keep_ragdoll(&kept, ragdoll);
    if (!kept.is_valid)
        return MD5_FAIL(&context, MD5_ERROR_RANGE, "a number of the saved ragdoll is out of range");
    kept.archive = behind_head;
    kept.is_trial = false;
    keep_ragdoll(&kept, ragdoll);
    show(ragdoll);
    return true;
}

// == Getting up ===================================================================================

// The least height of a body's corners.
static float lowest_of(const md5_figure *figure, uint32_t body, md5_xform place)
{
    const md5_body_part *const part = &figure->bodies[body];
    float lowest = place.translation.z;
    MD5_FOR (i, part->num_vertices)
        lowest = fminf(lowest, md5_xform_point(place, figure->vertices[part->first_vertex + i]).z);
    return lowest;
}

md5_xform md5_fit_figure(const md5_figure *figure, const md5_body_state *bodies,
                         const md5_mat34 *joints)
{
    MD5_ASSERT_NOT_NULL(figure);
    MD5_ASSERT(bodies != NULL && joints != NULL, "bodies, joints: not NULL");
    // About both centers of mass, in the plane: the sums of products of ways from there are the
    // sine and cosine of the best turn, times their length.
    double mass = 0.0, sine = 0.0, cosine = 0.0;
    md5_vec3d centers[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    float lowest[2] = {FLT_MAX, FLT_MAX};
    for (int pass = 0; pass < 2; pass++) {
        MD5_FOR (i, figure->num_bodies) {
            const md5_body_part *const part = &figure->bodies[i];
            const double weight = md5_greater((double)part->mass, 1e-6);
            const md5_xform places[2] = {
                md5_xform_mul(md5_xform_from_mat34(joints[part->joint]), part->offset),
                bodies[i].place};
            if (pass == 0) {
                mass += weight;
                for (int k = 0; k < 2; k++) {
                    centers[k] = md5_vec3d_add(
                        centers[k], md5_vec3d_scale(md5_vec3d_of(places[k].translation), weight));
                    lowest[k] = fminf(lowest[k], lowest_of(figure, i, places[k]));
                }
                continue;
            }
            const md5_vec3d a = md5_vec3d_sub(md5_vec3d_of(places[0].translation), centers[0]);
            const md5_vec3d b = md5_vec3d_sub(md5_vec3d_of(places[1].translation), centers[1]);
            cosine += weight * (a.x * b.x + a.y * b.y);
            sine += weight * (a.x * b.y - a.y * b.x);
        }
        for (int k = 0; pass == 0 && k < 2; k++)
            centers[k] = md5_vec3d_scale(centers[k], 1.0 / mass);
    }
    const double length = sqrt(sine * sine + cosine * cosine);
    const double half = length > 0.0 ? sqrt(md5_greater(0.0, 0.5 * (1.0 + cosine / length))) : 1.0;
    const double z = length > 0.0 ? sqrt(md5_greater(0.0, 1.0 - half * half)) : 0.0;
    md5_xform place = {.rotation = {0.0f, 0.0f, (float)(sine < 0.0 ? -z : z), (float)half}};
    const md5_vec3 from = md5_quat_rotate(place.rotation, md5_vec3d_round(centers[0]));
    place.translation = md5_vec3_sub(md5_vec3d_round(centers[1]), from);
    place.translation.z = lowest[1] - lowest[0];
    return place;
}

void md5_fade_figure(const md5_figure *figure, const md5_body_state *bodies, md5_xform place,
                     const md5_xform *clip, float weight, md5_xform *pose)
{
    MD5_ASSERT_NOT_NULL(figure);
    MD5_ASSERT(bodies != NULL && clip != NULL && pose != NULL && pose != clip,
               "bodies, clip, pose: not NULL, and different");
    const md5_skeleton *const skeleton = &figure->entity->model->skeleton;
    const md5_xform lying = md5_figure_to_pose(figure, bodies, pose);
    // The place of the entity is that of its first body, which may lie on its side; what it is
    // turned by becomes a turn of the joint that this body moves, as clips have it.
    const uint32_t base = figure->bodies[0].joint;
    const md5_xform at =
        md5_xform_mul(lying, md5_xform_mul(md5i_parent_place(skeleton, pose, base), pose[base]));
    for (uint32_t i = skeleton->joints[base].parent; i != MD5_NONE; i = skeleton->joints[i].parent)
        pose[i] = clip[i];
    const md5_xform from = md5_xform_mul(place, md5i_parent_place(skeleton, pose, base));
    pose[base] = md5_xform_mul(md5_xform_inverse(from), at);
    MD5_FOR (i, skeleton->num_joints)
        pose[i] = md5_xform_blend(pose[i], clip[i], weight);
}
