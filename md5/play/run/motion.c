// The root's way in a step: blended as the poses are, clip by clip, state by state, layer by layer.
#include "md5/play/run/player.h"

#include <math.h>

static const md5_way NO_WAY = {.cosine = 1.0};

// Turns the way itself, not its yaw, by half of that yaw, to the right or left: on an arc of a
// circle it then goes straight ahead.
static md5_way turn_half(md5_way way, double side)
{
    const double length = sqrt(fmax(2.0 + 2.0 * way.cosine, 1e-12));
    const double c = (1.0 + way.cosine) / length, s = side * way.sine / length;
    const double x = way.x, y = way.y;
    way.x = c * x - s * y;
    way.y = s * x + c * y;
    return way;
}

// From a (0) to b (1), bit by bit at both. Seen from half way round each, so that a blend of arcs
// is the arc between them. Between two directions the chord is brought to unit length: steps are
// short.
static md5_way mix(md5_way a, md5_way b, double t)
{
    if (t <= 0.0)
        return a;
    if (t >= 1.0)
        return b;
    const md5_way from = turn_half(a, -1.0), to = turn_half(b, -1.0);
    md5_way way = {
        .x = from.x + (to.x - from.x) * t,
        .y = from.y + (to.y - from.y) * t,
        .z = from.z + (to.z - from.z) * t,
        .cosine = a.cosine + (b.cosine - a.cosine) * t,
        .sine = a.sine + (b.sine - a.sine) * t,
    };
    const double square = way.cosine * way.cosine + way.sine * way.sine;
    const double scale = square > 1e-12 ? 1.0 / sqrt(square) : 0.0;
    way.cosine = scale > 0.0 ? way.cosine * scale : a.cosine;
    way.sine = scale > 0.0 ? way.sine * scale : a.sine;
    return turn_half(way, 1.0);
}

// Goes `b` on top of `a`, as much of it as `t` says.
static md5_way add(md5_way a, md5_way b, double t)
{
    return md5_way_mul(a, mix(NO_WAY, b, t));
}

static md5_way way_of_leaf(const md5_machine *machine, const md5_leaf_plan *plan, md5_leaf *leaf)
{
    const md5_playable *const playable = &machine->playables[plan->playable];
    const md5_source *const source = &machine->sources[playable->source];
    if (source->extract == MD5_EXTRACT_NONE)
        return NO_WAY;
    const md5_root_track track = md5_track_of(machine, source);
    const md5_timing *const timing = &source->timings[playable->mode];
    const md5_root_place from = md5_is_at(&leaf->root, leaf->before)
                                    ? leaf->root
                                    : md5_root_place_at(&track, timing, leaf->before);
    leaf->root = md5_root_place_at(&track, timing, leaf->now);
    return md5_way_between(&track, &from, &leaf->root);
}

// What mask an item has at joint 0.
static double mask_at_root(const md5_machine *machine, int32_t mask)
{
    return mask < 0 ? 1.0 : (double)md5_mask_of(machine, mask)[0];
}

// The last of ways[] is an item's, which goes into that of its motion before it. Returns how many
// are left.
static uint32_t gather(md5_player *player, const md5_live *live, const md5_part *part,
                       const md5_motion *parent, uint32_t num_ways)
{
    const md5_item *const item = &player->machine->items[part->item];
    const float weight = live->weights[part->weight];
    float *const gathered = &player->gathered[part->parent];
    const bool is_first = *gathered == 0.0f;
    *gathered += weight;
    if (is_first)
        return num_ways;
    md5_way *const into = &player->ways[num_ways - 2];
    const md5_way way = player->ways[num_ways - 1];
    if (parent->kind != MD5_MOTION_STACK)
        *into = mix(*into, way, (double)(weight / *gathered));
    else if (item->mode == MD5_LAYER_OVERRIDE)
        *into = mix(*into, way, (double)weight * mask_at_root(player->machine, item->mask));
    else
        *into = add(*into, way, (double)weight * mask_at_root(player->machine, item->mask));
    return num_ways - 1;
}

// The same walk as that of the poses: see md5_evaluate_live().
static md5_way way_of_live(md5_player *player, const md5_live *live)
{
    const md5_machine *const machine = player->machine;
    const md5_program *const program = md5_program_of(player, live);
    if (!program || !program->has_way)
        return NO_WAY;
    if (program->num_parts == 1) // a clip
        return way_of_leaf(machine, &machine->leaves[program->first_leaf], &live->leaves[0]);
    const md5_part *const parts = machine->parts + program->first_part;
    uint32_t num_ways = 0;
    for (uint32_t i = 0; i < program->num_parts; i++)
        player->gathered[i] = 0.0f;
    for (uint32_t i = 0; i < program->num_parts; i++) {
        const md5_part *const part = &parts[i];
        if (live->totals[i] == 0.0f)
            continue;
        if (part->leaf >= 0)
            player->ways[num_ways++] =
                way_of_leaf(machine, &machine->leaves[program->first_leaf + (uint32_t)part->leaf],
                            &live->leaves[part->leaf]);
        if (part->parent >= 0)
            num_ways =
                gather(player, live, part, &machine->motions[parts[part->parent].motion], num_ways);
    }
    return player->ways[0];
}

// Whether anything of what lives in a layer has a way.
static bool has_way(const md5_player *player, md5_run *run)
{
    for (uint32_t i = 0; i < run->num_used; i++) {
        const md5_program *const program = md5_program_of(player, md5_live_at(run, i));
        if (program && program->has_way)
            return true;
    }
    return false;
}

// Of a layer, and how much of it there is. States that are nothing do not move, and neither does a
// frozen pose.
static md5_way way_of_run(md5_player *player, md5_run *run, double *coverage)
{
    md5_way way = NO_WAY;
    double rest = 1.0;
    for (uint32_t i = 0; i < run->num_used; i++)
        rest -= (double)md5_live_at(run, i)->weight;
    *coverage = run->has_snapshot ? fmax(rest, 0.0) * (double)run->coverage : 0.0;
    for (uint32_t i = 0; i < run->num_used; i++) {
        const md5_live *const live = md5_live_at(run, i);
        if (live->program < 0 || live->weight == 0.0f)
            continue;
        *coverage += (double)live->weight;
        way = mix(way, way_of_live(player, live), (double)live->weight / *coverage);
    }
    return way;
}

md5_way md5_way_of_step(md5_player *player)
{
    const md5_machine *const machine = player->machine;
    md5_way way = NO_WAY;
    bool is_moving = false;
    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        const bool moves = layer->has_way && has_way(player, &player->runs[i]);
        // What does not move only matters where it covers something that does.
        if (!moves && (!is_moving || layer->mode == MD5_LAYER_ADD))
            continue;
        const double share = (double)md5_weight_of(player, layer->weight_parameter, layer->weight)
                             * mask_at_root(machine, layer->mask);
        if (share == 0.0)
            continue;
        double weight;
        const md5_way of_layer = way_of_run(player, &player->runs[i], &weight);
        weight *= share;
        way =
            layer->mode == MD5_LAYER_ADD ? add(way, of_layer, weight) : mix(way, of_layer, weight);
        is_moving = true;
    }
    return way;
}
