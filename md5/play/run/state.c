// Plays one state: weights from the parameters, clocks of its clips.
#include "md5/play/run/player_state.h"

// == Synchronised clips =========================================================================

// Clocks of groups only ever loop.
static const md5_timing GROUP = {.num_frames = 2, .frame_rate = 1};

// Of a clip's cycle, from marker `first` to the next one, which may be the first of the next cycle.
static double part_of(const double *markers, uint32_t num_markers, uint32_t first)
{
    if (first + 1 < num_markers)
        return markers[first + 1] - markers[first];
    return markers[0] + 1 - markers[first];
}

// How much longer that part is than that of the shared clock.
static double stretch_of(const double *markers, uint32_t num_markers, uint32_t first)
{
    return num_markers == 0 ? 1 : part_of(markers, num_markers, first) * num_markers;
}

// Shared cycles a second between marker `first` and the next.
static double rate_between(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                           uint32_t first)
{
    double sum = 0;
    double total = 0;
    for (uint32_t i = 0; i < num_items; i++) {
        sum += items[i].weight * items[i].rate / stretch_of(items[i].markers, num_markers, first);
        total += items[i].weight;
    }
    return total > 0 ? sum / total : 0;
}

// Seconds of a whole shared cycle; with markers, 0 if some part of it stands still or runs
// backward.
static double sync_cycle_seconds(const md5_sync_item *items, uint32_t num_items,
                                 uint32_t num_markers)
{
    if (num_markers == 0)
        return 1.0 / rate_between(items, num_items, 0, 0);
    double seconds = 0;
    for (uint32_t i = 0; i < num_markers; i++) {
        const double rate = rate_between(items, num_items, num_markers, i);
        if (rate == 0 || (seconds != 0 && (rate < 0) != (seconds < 0)))
            return 0;
        seconds += 1.0 / (rate * num_markers);
    }
    return seconds;
}

// A place between markers: the number of the one before it, and the share of the way to the next.
typedef struct marker_place {
    uint32_t marker;
    double share;
} marker_place;

static marker_place place_of(double phase, uint32_t num_markers)
{
    const double position = phase * num_markers;
    const uint32_t marker = position < num_markers ? (uint32_t)position : num_markers - 1;
    return (marker_place){marker, position - marker};
}

md5_clock md5i_sync_advance(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                            md5_clock clock, double seconds)
{
    if (num_markers > 0) {
        const double whole = sync_cycle_seconds(items, num_items, num_markers);
        if (whole != 0 && fabs(seconds) >= fabs(whole)) {
            const double cycles = trunc(seconds / whole);
            clock = md5i_clock_advance(&GROUP, clock, cycles);
            seconds -= cycles * whole;
        }
        // Less than a cycle is left, or a direction that turns round at one of the markers, where
        // it stays: no more parts than there are, and one for each end.
        marker_place position = place_of(clock.phase, num_markers);
        for (uint32_t i = 0; i < num_markers + 2 && seconds != 0; i++) {
            // Within the present part only, up to its end.
            const double rate = rate_between(items, num_items, num_markers, position.marker);
            const double speed = rate * num_markers; // parts a second
            const double delta = speed * seconds;
            const double room = delta >= 0 ? 1 - position.share : position.share;
            if (fabs(delta) < room || speed == 0) {
                position.share += delta;
                break;
            }
            seconds -= (delta >= 0 ? room : -room) / speed;
            if (delta >= 0) {
                position = (marker_place){(position.marker + 1) % num_markers, 0};
                clock.cycle += position.marker == 0;
            } else {
                clock.cycle -= position.marker == 0;
                position = (marker_place){(position.marker + num_markers - 1) % num_markers, 1};
            }
        }
        const double phase = (position.marker + position.share) / num_markers;
        return md5i_clock_advance(&GROUP, (md5_clock){.cycle = clock.cycle}, phase);
    }
    return md5i_clock_advance(&GROUP, clock, rate_between(items, num_items, 0, 0) * seconds);
}

// Seconds for less than a cycle, part after part.
static double seconds_of_parts(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                               md5_clock from, md5_clock to)
{
    const marker_place begin = place_of(from.phase, num_markers);
    const marker_place end = place_of(to.phase, num_markers);
    const int64_t num_parts =
        (to.cycle - from.cycle) * (int64_t)num_markers + end.marker - begin.marker;
    double seconds = 0;
    for (int64_t i = 0; i <= num_parts; i++) {
        const double first = i == 0 ? begin.share : 0;
        const double last = i == num_parts ? end.share : 1;
        const uint32_t marker = (uint32_t)((begin.marker + (uint64_t)i) % num_markers);
        const double rate = rate_between(items, num_items, num_markers, marker);
        if (last == first)
            continue;
        const double part = (last - first) / (rate * num_markers);
        if (rate == 0 || part * seconds < 0) // it stays at this marker
            return (double)INFINITY;
        seconds += part;
    }
    return seconds;
}

double md5i_sync_seconds(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                         md5_clock from, md5_clock to)
{
    if (num_markers == 0) {
        const double cycles = md5_clock_between(from, to);
        return cycles == 0 ? 0 : cycles / rate_between(items, num_items, 0, 0);
    }
    const bool is_backward =
        to.cycle < from.cycle || (to.cycle == from.cycle && to.phase < from.phase);
    md5_clock low = is_backward ? to : from;
    const md5_clock high = is_backward ? from : to;
    const int64_t whole = high.cycle - low.cycle - (high.phase < low.phase);
    double seconds = 0;
    if (whole > 0) {
        seconds = (double)whole * sync_cycle_seconds(items, num_items, num_markers);
        if (seconds == 0)
            return (double)INFINITY;
    }
    low.cycle += whole;
    seconds += seconds_of_parts(items, num_items, num_markers, low, high);
    return is_backward ? -seconds : seconds;
}

md5_clock md5i_sync_clock(const double *markers, uint32_t num_markers, md5_clock shared)
{
    if (num_markers == 0)
        return shared;
    const marker_place position = place_of(shared.phase, num_markers);
    const double phase =
        markers[position.marker] + position.share * part_of(markers, num_markers, position.marker);
    return md5i_clock_advance(&GROUP, (md5_clock){.cycle = shared.cycle}, phase);
}

md5_clock md5i_sync_shared(const double *markers, uint32_t num_markers, md5_clock own)
{
    if (num_markers == 0)
        return own;
    // Before the first marker lies the last part of the cycle before.
    const bool is_before = own.phase < markers[0];
    const double phase = is_before ? own.phase + 1 : own.phase;
    uint32_t marker = num_markers - 1;
    while (markers[marker] > phase)
        marker--;
    const double share = (phase - markers[marker]) / part_of(markers, num_markers, marker);
    return md5i_clock_advance(&GROUP, (md5_clock){.cycle = own.cycle - is_before},
                              (marker + share) / num_markers);
}

// == Blend spaces ===============================================================================

uint32_t md5i_blend_weights_1d(const md5_item *items, uint32_t num_items, double x, float *weights)
{
    memset(weights, 0, num_items * sizeof *weights);
    // The first item above x.
    uint32_t above = 0;
    uint32_t end = num_items;
    while (above < end) {
        const uint32_t middle = above + (end - above) / 2;
        if (items[middle].place <= x)
            above = middle + 1;
        else
            end = middle;
    }
    const uint32_t first = above > 0 ? above - 1 : 0;
    weights[first] = 1;
    if (above == 0 || above == num_items)
        return first;
    const double low = items[first].place;
    const double high = items[above].place;
    weights[above] = (float)((x - low) / (high - low));
    weights[first] = 1 - weights[above];
    return first;
}

void md5i_blend_weights_2d(const md5_motion_item *items, uint32_t num_items, float x, float y,
                           float *weights)
{
    double sum = 0;
    uint32_t rival = 0; // leaves nothing to an item, and mostly to the next one neither
    for (uint32_t item = 0; item < num_items; item++) {
        // In double: places may be any two floats, and the square of their distance must not
        // vanish.
        const double from_x = (double)x - items[item].x;
        const double from_y = (double)y - items[item].y;
        double weight = 1;
        for (uint32_t turn = 0; turn < num_items + 1 && weight > 0; turn++) {
            const uint32_t other = turn == 0 ? rival : turn - 1;
            if (other == item)
                continue;
            const double to_x = (double)items[other].x - items[item].x;
            const double to_y = (double)items[other].y - items[item].y;
            const double delta = (from_x * to_x + from_y * to_y) / (to_x * to_x + to_y * to_y);
            weight = md5_least(weight, 1 - delta);
            rival = weight > 0 ? rival : other;
        }
        weight = weight > 0 ? weight : 0;
        weights[item] = (float)weight;
        sum += weight;
    }
    // The nearest item has at least a half: it lies on its own side of the middle to each other
    // one.
    for (uint32_t item = 0; item < num_items; item++)
        weights[item] = (float)(weights[item] / sum);
}

// -- By speed -----------------------------------------------------------------------------------

// One of two clips between which a speed lies.
static md5_sync_item sync_item(const md5_item *item, float weight)
{
    return (md5_sync_item){
        .weight = weight,
        .rate = 1.0 / item->seconds,
        .markers = item->motion->playable.source->markers,
    };
}

// A blend space of clips that are positioned by the speed of their root motion, so that its
// parameter is the speed of the root.
//
// Two clips of cycles that take a and b seconds and move the root by A and B units, blended by the
// weights 1 - w and w, move it by (1 - w) A + w B a cycle. If that cycle takes (1 - w) a + w b
// seconds, the speed is the quotient of both, which rises steadily from A/a to B/b. It is v for
//   w = a (v - A/a) / (a (v - A/a) + b (B/b - v)).
// Synchronised clips share another rate, the weighted mean of their rates, so all of them
// are scaled by one factor. Otherwise each clip plays at its own rate, and the speeds are blended:
// w = (v - A/a) / (B/b - A/a).
//
// Writes the weights of the first and the next item at a speed between theirs, and returns the
// factor by which all of the motion's clips play faster.
static double weigh_by_speed(const md5_motion *motion, double speed, uint32_t first, float *weights)
{
    const md5_item *const low = &motion->items[first];
    const md5_item *const high = low + 1;
    const bool keeps_step = motion->sync != MD5_SYNC_NONE;
    const double from_low = (speed - low->place) * (keeps_step ? low->seconds : 1);
    const double to_high = (high->place - speed) * (keeps_step ? high->seconds : 1);
    const float share = (float)(from_low / (from_low + to_high));
    weights[first] = 1 - share;
    weights[first + 1] = share;
    if (!keeps_step)
        return 1;
    // The seconds that a cycle of both would take by keeping step, over those that it should take.
    const md5_sync_item both[] = {sync_item(low, 1 - share), sync_item(high, share)};
    const double seconds = (1 - share) * low->seconds + share * high->seconds;
    const uint32_t num_markers =
        motion->sync == MD5_SYNC_MARKERS ? low->motion->playable.source->num_markers : 0;
    return sync_cycle_seconds(both, 2, num_markers) / seconds;
}

// == States =====================================================================================

// Cycles a second. Higher rates are meaningless and would overflow the count of cycles.
#define MAX_RATE 1e6

float md5i_weight_of(const md5_player *player, const md5_weight_rule *rule)
{
    if (rule->parameter == MD5_NONE)
        return rule->fixed;
    const float value = player->parameters[rule->parameter];
    if (rule->easing > 0)
        return md5_eased_weight(&player->machine->easings[rule->easing], value);
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

static void list_awake(md5_active_state *active)
{
    active->num_awake = 0;
    active->first_loose = active->tree->num_instances;
    for (uint32_t i = 0; i < active->tree->num_instances; i++) {
        if (!active->instances[i].is_asleep)
            active->awake[active->num_awake++] = i;
        else if (active->tree->instances[i].group == MD5_NONE)
            active->awake[--active->first_loose] = i;
    }
}

// What a part has of its parents.
static md5_flow *pass_down(const md5_player *player, md5_active_state *active, uint32_t number)
{
    const md5i_part *const part = &active->tree->parts[number];
    const md5_motion *const motion = part->motion;
    md5_flow *const flow = &active->flows[number];
    *flow = part->parent == MD5_NONE ? (md5_flow){1, 1, 1} : active->flows[part->parent];
    flow->share *= active->weights[part->weight];
    flow->total *= active->weights[part->weight];
    flow->speed *= motion->speed;
    if (motion->speed_parameter != MD5_NONE)
        flow->speed *= player->parameters[motion->speed_parameter];
    if (part->leads_group)
        flow->share = 1;
    return flow;
}

// Weighs the items of a motion, and wakes those that are clips and have weight.
static bool weigh_motion(const md5_player *player, md5_active_state *active, uint32_t number)
{
    const md5i_part *const part = &active->tree->parts[number];
    const md5_motion *const motion = part->motion;
    const uint32_t count = motion->num_items;
    const float x = motion->x_parameter != MD5_NONE ? player->parameters[motion->x_parameter] : 0;
    float *const weights = active->weights + part->children;
    md5_flow *const flow = pass_down(player, active, number);
    uint32_t first = 0, end = count; // of those that may have weight
    if (md5_is_line(motion)) {
        first = md5i_blend_weights_1d(motion->items, count, x, weights);
        end = first + 1 < count ? first + 2 : count;
        if (motion->kind == MD5_MOTION_BY_SPEED && first + 1 < count
            && motion->items[first].place <= x)
            flow->speed *= weigh_by_speed(motion, x, first, weights);
    } else if (motion->kind == MD5_MOTION_BLEND_2D) {
        md5i_blend_weights_2d(motion->places, count, x, player->parameters[motion->y_parameter],
                              weights);
    } else {
        for (uint32_t i = 0; i < count; i++)
            weights[i] = i == 0 ? 1 : md5i_weight_of(player, &motion->items[i].weight);
    }
    bool wakes = false;
    const bool is_used = flow->total != 0 || flow->share != 0;
    for (uint32_t i = first; i < (is_used ? end : 0); i++) {
        const uint32_t clip = part->first + motion->items[i].num_before;
        md5_clip_instance *const instance = &active->instances[clip];
        if (weights[i] == 0 || motion->items[i].motion->num_items > 0 || !instance->is_asleep)
            continue;
        instance->now = md5i_clock_now(active, clip);
        instance->is_asleep = false;
        wakes = true;
    }
    return wakes;
}

static void weigh_clip(const md5_player *player, md5_active_state *active, uint32_t number)
{
    const md5_instance_plan *const plan = &active->tree->instances[number];
    md5_clip_instance *const instance = &active->instances[number];
    const md5_flow *const flow = pass_down(player, active, plan->part);
    const double rate = flow->speed * plan->playable->cycles;
    instance->rate = md5_least(rate > -MAX_RATE ? rate : -MAX_RATE, MAX_RATE);
    instance->weight = flow->total;
    instance->share = flow->share;
}

// Computes weights and speeds from the parameters.
static void weigh_state(const md5_player *player, md5_active_state *active)
{
    const md5_blend_tree *const tree = active->tree;
    if (!tree)
        return;
    bool wakes = active->num_awake == 0;
    active->weights[0] = 1;
    for (uint32_t i = 0; i < tree->num_parts - tree->num_instances; i++)
        wakes = weigh_motion(player, active, tree->blends[i]) || wakes;
    if (wakes)
        list_awake(active);
    for (uint32_t i = 0; i < active->num_awake; i++) {
        const uint32_t number = active->awake[i];
        weigh_clip(player, active, number);
    }
    for (uint32_t i = active->first_loose; i < (tree->is_steady ? 0 : tree->num_instances); i++)
        weigh_clip(player, active, active->awake[i]);
}

void md5i_weigh_all(md5_player *player)
{
    const bool is_weighed = player->is_weighed && !player->has_moved;
    if (!is_weighed) {
        for (uint32_t layer = 0; layer < player->machine->tables.num_layers; layer++) {
            md5_layer_state *const layer_state = &player->layer_states[layer];
            layer_state->is_resting = layer_state->is_resting && player->is_weighed;
            for (uint32_t i = 0; i < layer_state->num_used; i++)
                weigh_state(player, md5_active_at(layer_state, i));
        }
    }
    player->is_weighed = true;
    player->has_moved = false;
}

// -- In step ------------------------------------------------------------------------------------
//
// States that fade over each other in step. All of their first clips' groups follow one clock,
// which needs no place of its own: their clocks begin alike, and in each interval have the same
// rate, that of the part between two markers in which all of them are.

// Seconds: which way the clock goes is seen so far ahead, and where it turns round found to within
// the other.
#define AHEAD MD5_BORDER
#define SAME_TURN 1e-13

// The clock of the first clip's group, or of that clip alone.
static md5_clock step_clock(const md5_active_state *active)
{
    const md5_instance_plan *const first = active->tree->instances;
    if (first->group != MD5_NONE)
        return active->groups[first->group];
    const md5_source *const source = first->playable->source;
    return md5i_sync_shared(source->markers, source->num_markers, active->instances[0].now);
}

// Just below the end of a cycle it is the start of one: clips that are played once, which are not
// in step, would begin at their end.
double md5i_start_in_step(const md5_active_state *left, const md5_blend_tree *tree)
{
    const md5_playable *const playable = tree->instances[0].playable;
    if (!left->tree)
        return 0;
    const md5_clock clock =
        md5i_sync_clock(playable->source->markers, md5_step_markers(tree), step_clock(left));
    return md5i_clock_snap(playable->timing, clock, MD5_BORDER).phase;
}

// Shared cycles a second of the group, behind marker `first`; with `rate` all of its clips get
// that.
static double step_rate(const md5_active_state *active, uint32_t first, const double *rate)
{
    const md5_blend_tree *const tree = active->tree;
    const uint32_t number = tree->instances[0].group;
    const uint32_t num_markers = md5_step_markers(tree);
    const md5_group_plan *const group = number == MD5_NONE ? NULL : &tree->groups[number];
    double sum = 0;
    double total = 0;
    for (uint32_t i = 0; i < (group ? group->num_members : 1); i++) {
        const uint32_t member = group ? group->members[i] : 0;
        md5_clip_instance *const instance = &active->instances[member];
        const md5_source *const source = tree->instances[member].playable->source;
        const double share = group ? instance->share : 1;
        const double stretch = stretch_of(source->markers, num_markers, first);
        sum += share * instance->rate / stretch;
        total += share;
        instance->rate = rate ? *rate * stretch : instance->rate;
    }
    return total > 0 ? sum / total : 0;
}

// How many states from `begin` on share a clock. A player that was restored, or goes on in another
// machine, may have some in step that have not as many markers: these do not.
static uint32_t count_steps(md5_layer_state *layer_state, uint32_t begin)
{
    uint32_t end = begin + 1;
    for (; end < layer_state->num_used && md5_active_at(layer_state, end)->in_step; end++) {
        const md5_blend_tree *const tree = md5_active_at(layer_state, end)->tree;
        const md5_blend_tree *const below = md5_active_at(layer_state, end - 1)->tree;
        if (!tree || !below || md5_step_markers(tree) != md5_step_markers(below))
            break;
    }
    return end - begin;
}

// States from `begin` on in a chain that share a clock, each with its own rate, shared cycles a
// second, in the part that is ahead of the clock and in the one behind it. These differ only at a
// marker, or so near to one that rounding may be the difference.
typedef struct step_group {
    md5_layer_state *layer_state;
    uint32_t begin;
    uint32_t count;
    bool is_backward; // time is
    uint32_t ahead;
    uint32_t behind;
    double own_ahead[MD5_MAX_ACTIVE];
    double own_behind[MD5_MAX_ACTIVE];
} step_group;

// Finds their own rates behind marker `first`: all of them the leader's, if there is one.
static void find_own_rates(const step_group *group, uint32_t first, double *own)
{
    uint32_t leader = MD5_NONE; // the newest one
    for (uint32_t i = group->count; i-- > 0;) {
        const md5_active_state *const active = md5_active_at(group->layer_state, group->begin + i);
        own[i] = step_rate(active, first, NULL);
        leader = i > 0 && leader == MD5_NONE ? active->leader : leader;
    }
    for (uint32_t i = group->count; leader != MD5_NONE && i-- > 0;) {
        if (md5_active_at(group->layer_state, group->begin + i)->state != leader)
            continue;
        for (uint32_t k = 0; k < group->count; k++)
            own[k] = own[i];
        return;
    }
}

// The rate of their clock, so many seconds from now. Weights of poses end at 0 and 1; these do not
// where an easing overshoots, so that they have no other kinks than that.
static double rate_after(const step_group *group, const double *own, double seconds)
{
    double rate = own[0];
    for (uint32_t i = 1; i < group->count; i++) {
        const md5_active_state *const active = md5_active_at(group->layer_state, group->begin + i);
        const double progress = md5_progress_of(active->elapsed + seconds, active->duration);
        rate += md5i_eased(active->easing, progress) * (own[i] - rate);
    }
    return rate;
}

// Which way the clock goes so many seconds from now: 1, -1, or 0 if it stands, also at a marker to
// which it would come back from both sides.
static int heading_after(const step_group *group, double seconds)
{
    const double way = group->is_backward ? -1 : 1;
    if (way * rate_after(group, group->own_ahead, seconds) > 0)
        return 1;
    return way * rate_after(group, group->own_behind, seconds) < 0 ? -1 : 0;
}

// Seconds, up to `most`, until the clock turns round: what it passes on its way there it passes
// again.
static double seconds_until_turn(const step_group *group, int heading, double most)
{
    double before = AHEAD;
    if (most <= before || heading_after(group, most) == heading)
        return most;
    for (int i = 0; i < MD5_MOST_HALVES && most - before > SAME_TURN; i++) {
        const double middle = 0.5 * (before + most);
        if (heading_after(group, middle) == heading)
            before = middle;
        else
            most = middle;
    }
    return most;
}

// Weights are smooth from the last edge of an easing until the next one: how long ago that was, of
// how many seconds. Returns how many are left; INFINITY: they do not change.
static double smooth_part(const step_group *group, double *since, double *whole)
{
    double until = INFINITY;
    *since = INFINITY;
    for (uint32_t i = 1; i < group->count; i++) {
        const md5_active_state *const active = md5_active_at(group->layer_state, group->begin + i);
        const double progress = md5_progress(active);
        const double part = active->duration / MD5_EASE_PARTS;
        const double edge = floor(progress * MD5_EASE_PARTS + 1e-6);
        if (progress == 1)
            continue;
        *since = md5_least(*since, fmax(active->elapsed - edge * part, 0.0));
        until = md5_least(until, (edge + 1) * part - active->elapsed);
    }
    *whole = isfinite(until) ? *since + until : 1;
    *since = isfinite(until) ? *since : 0;
    return until;
}

// The mean of rate_after() over so many seconds from now, within that part.
static double mean_rate(const step_group *group, const double *own, double since, double whole,
                        double seconds)
{
    md5_mean_point points[MD5_MEAN_POINTS];
    md5i_mean_points(since / whole, (since + seconds) / whole, points);
    double rate = 0;
    for (uint32_t i = 0; i < MD5_MEAN_POINTS; i++)
        rate += points[i].weight * rate_after(group, own, points[i].place * whole - since);
    return rate;
}

// The states from `begin` on, with their own rates. Returns as md5i_keep_in_step().
static double steer(md5_layer_state *layer_state, uint32_t begin, uint32_t count, bool is_backward,
                    double seconds, double most)
{
    const md5_active_state *const newest = md5_active_at(layer_state, begin + count - 1);
    const uint32_t num_markers = md5_step_markers(newest->tree);
    const double position = step_clock(newest).phase * num_markers;
    const double ahead = floor(position + MD5_BORDER);
    const double behind = floor(position - MD5_BORDER);
    step_group group = {layer_state, begin, count, is_backward, 0, 0, {0}, {0}};
    if (num_markers > 0) {
        group.ahead = (uint32_t)ahead % num_markers;
        group.behind = behind < 0 ? num_markers - 1 : (uint32_t)behind;
    }
    find_own_rates(&group, group.ahead, group.own_ahead);
    find_own_rates(&group, group.behind, group.own_behind);
    double since, whole;
    most = md5_least(most, smooth_part(&group, &since, &whole));
    const int heading = heading_after(&group, AHEAD);
    most = seconds_until_turn(&group, heading, most);
    const uint32_t first = heading < 0 ? group.behind : group.ahead;
    const double *const own = heading < 0 ? group.own_behind : group.own_ahead;
    const double rate =
        heading != 0 ? mean_rate(&group, own, since, whole, md5_least(seconds, most)) : 0;
    for (uint32_t i = 0; i < count; i++) {
        md5_active_state *const active = md5_active_at(layer_state, begin + i);
        step_rate(active, first, &rate);
        active->own_rate = own[i];
        active->shared_rate = rate;
    }
    const double left = heading < 0 ? position - behind : ahead + 1 - position;
    const double speed = fabs(rate) * num_markers;
    return speed > 0 ? md5_least(most, left / speed) : most;
}

bool md5i_is_in_step(const md5_player *player)
{
    bool is_in_step = false;
    for (uint32_t layer = 0; layer < player->machine->tables.num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        const bool has_steps = player->machine->layers[layer].has_steps;
        is_in_step = is_in_step || layer_state->is_steered;
        for (uint32_t i = 1; has_steps && i < layer_state->num_used; i++)
            is_in_step = is_in_step || md5_active_at(layer_state, i)->in_step;
    }
    return is_in_step;
}

double md5i_keep_in_step(md5_player *player, double seconds, double most)
{
    for (uint32_t layer = 0; layer < player->machine->tables.num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        uint32_t count = 0;
        if (!player->machine->layers[layer].has_steps)
            continue;
        if (layer_state->is_steered) {
            for (uint32_t i = 0; i < layer_state->num_used; i++)
                weigh_state(player, md5_active_at(layer_state, i));
        } // their own rates
        layer_state->is_steered = false;
        for (uint32_t i = 0; i < layer_state->num_used; i += count) {
            count = count_steps(layer_state, i);
            if (count == 1)
                continue;
            most = steer(layer_state, i, count, player->is_backward, fabs(seconds), most);
            layer_state->is_steered = true;
        }
    }
    return most;
}

// How far the clock of a group had gone after a share of the last interval, in cycles by seconds.
static double way_after(const step_group *group, double share, double seconds)
{
    md5_mean_point points[MD5_MEAN_POINTS];
    md5i_mean_points(0, share, points);
    double rate = 0;
    for (uint32_t i = 0; i < MD5_MEAN_POINTS; i++)
        rate +=
            points[i].weight * rate_after(group, group->own_ahead, (points[i].place - 1) * seconds);
    return share * rate;
}

// The states that share a clock with one, and the rates that steer() has found.
static step_group group_of(md5_layer_state *layer_state, uint32_t position)
{
    step_group group = {.layer_state = layer_state};
    while (group.begin + (group.count = count_steps(layer_state, group.begin)) <= position)
        group.begin += group.count;
    for (uint32_t i = 0; i < group.count; i++)
        group.own_ahead[i] = md5_active_at(layer_state, group.begin + i)->own_rate;
    return group;
}

double md5i_seconds_in_step(md5_layer_state *layer_state, uint32_t position, uint32_t instance,
                            double share, double seconds)
{
    const md5_instance_plan *const plans = md5_active_at(layer_state, position)->tree->instances;
    const bool shares =
        instance == 0 || (plans[0].group != MD5_NONE && plans[instance].group == plans[0].group);
    const step_group group = group_of(layer_state, position);
    if (!shares || group.count == 1 || !(share > 0) || share >= 1)
        return share * seconds;
    const double whole = way_after(&group, 1, seconds);
    double low = 0;
    double high = 1;
    while (whole != 0 && high - low > 1e-12) {
        const double middle = 0.5 * (low + high);
        if (way_after(&group, middle, seconds) / whole < share)
            low = middle;
        else
            high = middle;
    }
    return whole != 0 ? high * seconds : share * seconds;
}

// How much more than a value the time is that a clip has left at its rate `at` seconds from now, if
// it is `left` now at the mean rate of the interval.
static double left_beyond(const step_group *group, double left, double value, double at)
{
    const double rate = md5_newest(group->layer_state)->shared_rate;
    double since, whole;
    smooth_part(group, &since, &whole);
    const double way = at * mean_rate(group, group->own_ahead, since, whole, at);
    return (left - way / rate) * fabs(rate / rate_after(group, group->own_ahead, at)) - value;
}

double md5i_seconds_until_left(md5_layer_state *layer_state, double left, double value, double most)
{
    const step_group group = group_of(layer_state, layer_state->num_used - 1u);
    if (group.count == 1 || !isfinite(left) || most <= 0)
        return left - value;
    const bool is_less = left_beyond(&group, left, value, 0) <= MD5_BORDER;
    double before = 0;
    double after = 0;
    for (int i = 1; i < MD5_MOST_HALVES && !(after > 0 && after - before <= SAME_TURN); i++) {
        const bool is_found = after > 0; // else it is looked for in one of four parts after another
        const double at = is_found ? 0.5 * (before + after) : 0.25 * i * most;
        const double beyond = left_beyond(&group, left, value, at);
        if (is_less ? beyond >= 2 * MD5_BORDER : beyond <= 0) // well behind the change
            after = at;
        else if (!is_found && i == 4)
            return INFINITY;
        else
            before = at;
    }
    return after;
}

// The clock of a member of a group, from the shared ones.
static md5_clock clock_in_step(const md5_blend_tree *tree, uint32_t number, const md5_clock *groups)
{
    const md5_instance_plan *const plan = &tree->instances[number];
    return md5i_sync_clock(plan->playable->source->markers, tree->groups[plan->group].num_markers,
                           groups[plan->group]);
}

md5_clock md5i_clock_now(const md5_active_state *active, uint32_t number)
{
    const md5_clip_instance *const instance = &active->instances[number];
    return instance->is_asleep && active->tree->instances[number].group != MD5_NONE
               ? clock_in_step(active->tree, number, active->groups)
               : instance->now;
}

// Where a clip begins. With MD5_BEGIN_AS_LEFT only the phase counts, not the cycle.
static md5_clock clock_of_start(const md5_instance_plan *plan, const md5_change *change)
{
    const md5_timing *const timing = plan->playable->timing;
    const double own = plan->playable->start;
    md5_clock clock = md5i_clock_at(timing, change->begin == MD5_BEGIN_BEHIND ? own + change->start
                                                                              : change->start);
    if (change->begin == MD5_BEGIN_AT)
        return clock;
    clock =
        md5i_clock_snap(timing, clock, MD5_FLOAT_ERROR * fmax(1.0, fabs(md5_clock_time(clock))));
    if (change->begin == MD5_BEGIN_AS_LEFT)
        clock.cycle = 0;
    return clock;
}

void md5i_begin_state(md5_player *player, const md5_play_layer *layer, md5_active_state *active,
                      const md5_change *change)
{
    active->state = change->state;
    active->tree = layer->states[change->state].tree;
    active->is_new = false;
    active->start_time = 0;
    active->num_awake = 0;
    player->has_new = true;
    const md5_blend_tree *const tree = active->tree;
    if (!tree)
        return;
    const md5_instance_plan *const plans = tree->instances;
    for (uint32_t i = 0; i < tree->num_groups; i++) {
        const md5_instance_plan *const leader = &plans[tree->groups[i].members[0]];
        active->groups[i] =
            md5i_sync_shared(leader->playable->source->markers, tree->groups[i].num_markers,
                             clock_of_start(leader, change));
    }
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        md5_clip_instance *const instance = &active->instances[i];
        instance->is_asleep = false;
        instance->now = plans[i].group == MD5_NONE ? clock_of_start(&plans[i], change)
                                                   : clock_in_step(tree, i, active->groups);
        if (change->begin != MD5_BEGIN_AT) // the clocks of group members are rounded
            instance->now = md5i_clock_snap(plans[i].playable->timing, instance->now, MD5_BORDER);
        instance->before = instance->now;
        instance->seconds_at_end = 0;
        instance->is_at_start = change->begin != MD5_BEGIN_AT;
        instance->root.clock.phase = -1; // invalid
    }
    active->start_time = md5i_active_time(active);
    // Events within a cycle that continues have fired in the previous state.
    active->is_new =
        change->begin == MD5_BEGIN_BEHIND
        || (change->begin == MD5_BEGIN_AS_LEFT && !(active->instances[0].now.phase > 0));
    weigh_state(player, active);
}

static const char *clip_name(const md5_player *player, const md5_instance_plan *plan)
{
    return player->machine->tables.clips[plan->playable->source - player->machine->sources].name;
}

// A state may play a clip several times: the search for it begins at the same place.
void md5i_adopt_clocks(md5_player *player, md5_active_state *active, const md5_player *old,
                       const md5_active_state *was)
{
    const md5_blend_tree *const tree = active->tree;
    const uint32_t num_old = was->tree->num_instances;
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        const md5_instance_plan *const plan = &tree->instances[i];
        const char *const name = clip_name(player, plan);
        uint32_t tried = 0;
        uint32_t k = i % num_old;
        for (; tried < num_old && strcmp(clip_name(old, &was->tree->instances[k]), name) != 0;
             tried++)
            k = (k + 1) % num_old;
        if (tried == num_old)
            continue;
        const md5_timing *const timing = plan->playable->timing;
        const md5_instance_plan *const old_plan = &was->tree->instances[k];
        const bool is_alike = timing->mode == old_plan->playable->timing->mode; // so are cycles
        md5_clip_instance *const instance = &active->instances[i];
        const md5_clip_instance *const from = &was->instances[k];
        const md5_clock then = md5i_clock_now(was, k);
        instance->now = is_alike ? then : md5i_clock_at(timing, then.phase);
        instance->before = instance->now;
        instance->is_at_start =
            is_alike && from->is_at_start && md5_clock_stays_whole(from->before, from->now);
        instance->seconds_at_end = is_alike ? from->seconds_at_end : 0;
        if (plan->group != MD5_NONE)
            active->groups[plan->group] =
                old_plan->group != MD5_NONE
                    ? was->groups[old_plan->group]
                    : md5i_sync_shared(plan->playable->source->markers,
                                       tree->groups[plan->group].num_markers, instance->now);
    }
    for (uint32_t i = 0; i < tree->num_instances; i++) { // those that are not in step
        md5_clip_instance *const instance = &active->instances[i];
        if (tree->instances[i].group == MD5_NONE)
            continue;
        const md5_clock clock = clock_in_step(tree, i, active->groups);
        if (fabs(md5_clock_between(clock, instance->now)) > MD5_BORDER)
            instance->now = instance->before = clock;
    }
}

// Writes a group's clips that have a share to player->sync_items, and returns how many: the others
// add nothing to its rate.
static uint32_t gather_group(const md5_player *player, const md5_active_state *active,
                             uint32_t group)
{
    const md5_blend_tree *const tree = active->tree;
    const md5_group_plan *const plan = &tree->groups[group];
    const uint32_t last = plan->members[plan->num_members - 1];
    uint32_t count = 0;
    // The active clips from the first to the last member are in order: find the first one.
    uint32_t i = 0;
    uint32_t high = active->num_awake;
    while (i < high) {
        const uint32_t middle = i + (high - i) / 2;
        if (active->awake[middle] < plan->members[0])
            i = middle + 1;
        else
            high = middle;
    }
    for (; i < active->num_awake && active->awake[i] <= last; i++) {
        const uint32_t number = active->awake[i];
        const md5_clip_instance *const instance = &active->instances[number];
        if (tree->instances[number].group == group && instance->share != 0)
            player->sync_items[count++] = (md5_sync_item){
                instance->share, instance->rate, tree->instances[number].playable->source->markers};
    }
    return count;
}

void md5i_find_clocks(md5_player *player, const md5_active_state *active, double seconds)
{
    const md5_blend_tree *const tree = active->tree;
    for (uint32_t i = 0; i < tree->num_groups; i++)
        player->group_clocks[i] =
            md5i_sync_advance(player->sync_items, gather_group(player, active, i),
                              tree->groups[i].num_markers, active->groups[i], seconds);
}

md5_clock md5i_clock_after(const md5_player *player, const md5_active_state *active,
                           uint32_t number, double seconds)
{
    const md5_instance_plan *const plan = &active->tree->instances[number];
    const md5_clip_instance *const instance = &active->instances[number];
    if (plan->group != MD5_NONE)
        return clock_in_step(active->tree, number, player->group_clocks);
    const double moved = fmax(fabs(seconds) - instance->seconds_at_end, 0.0);
    return md5i_clock_advance(plan->playable->timing, instance->now,
                              instance->rate * copysign(moved, seconds));
}

// For how long a clip that is played once has been at its end follows from how far it would have
// advanced beyond it.
static void stay_at_end(md5_clip_instance *instance, double seconds)
{
    const double cycles = instance->rate * seconds;
    const double end = cycles > 0 ? 1 : 0;
    const double beyond = instance->before.phase + cycles - instance->now.phase;
    if (cycles == 0 || instance->now.phase != end)
        instance->seconds_at_end = 0;
    else if (instance->before.phase == end)
        instance->seconds_at_end += fabs(seconds);
    else
        instance->seconds_at_end = fabs(beyond / instance->rate);
}

void md5i_advance_state(md5_player *player, md5_active_state *active, double seconds)
{
    const md5_blend_tree *const tree = active->tree;
    active->elapsed += fabs(seconds);
    if (!tree)
        return;
    const bool moves = seconds != 0;
    const bool has_groups = moves && tree->num_groups > 0;
    if (has_groups)
        md5i_find_clocks(player, active, seconds);
    bool sleeps = false; // one more
    for (uint32_t i = 0; i < active->num_awake; i++) {
        const uint32_t number = active->awake[i];
        const md5_instance_plan *const plan = &tree->instances[number];
        md5_clip_instance *const instance = &active->instances[number];
        instance->is_at_start =
            instance->is_at_start && md5_clock_stays_whole(instance->before, instance->now);
        instance->before = instance->now;
        if (!moves)
            continue;
        instance->now = plan->group == MD5_NONE ? md5i_clock_advance(
                            plan->playable->timing, instance->now, instance->rate * seconds)
                                                : clock_in_step(tree, number, player->group_clocks);
        if (plan->playable->mode == MD5_PLAY_ONCE)
            stay_at_end(instance, seconds);
        else if (number > 0 && instance->weight == 0 && instance->share == 0
                 && !instance->is_at_start)
            sleeps = instance->is_asleep = true;
    }
    md5_clip_instance *const instances = active->instances;
    const uint32_t *const awake = active->awake;
    for (uint32_t i = active->first_loose; i < (moves ? tree->num_instances : 0); i++) {
        md5_clock *const now = &instances[awake[i]].now;
        const double cycles = instances[awake[i]].rate * seconds;
        const double phase = now->phase + cycles;
        if (phase >= 0 && phase < 1) // without a call
            now->phase = phase;
        else
            *now = md5i_clock_advance(tree->instances[awake[i]].playable->timing, *now, cycles);
    }
    if (has_groups) {
        for (uint32_t i = 0; i < tree->num_groups; i++)
            active->groups[i] = player->group_clocks[i];
    }
    if (sleeps)
        list_awake(active);
}

double md5i_active_time(const md5_active_state *active)
{
    return !active->tree ? 0 : md5_clock_time(active->instances[0].now);
}

double md5i_instance_seconds(const md5_player *player, const md5_active_state *active,
                             uint32_t number, md5_clock from, md5_clock to)
{
    const md5_blend_tree *const tree = active->tree;
    const md5_instance_plan *const plan = &tree->instances[number];
    if (plan->group == MD5_NONE) {
        const double cycles = md5_clock_between(from, to);
        return cycles == 0 ? 0 : cycles / active->instances[number].rate;
    }
    const md5_group_plan *const group = &tree->groups[plan->group];
    const double *const markers = plan->playable->source->markers;
    return md5i_sync_seconds(player->sync_items, gather_group(player, active, plan->group),
                             group->num_markers,
                             md5i_sync_shared(markers, group->num_markers, from),
                             md5i_sync_shared(markers, group->num_markers, to));
}

float md5i_fade_in(md5_layer_state *layer_state, md5_chain_range part, uint32_t position,
                   double shift)
{
    const md5_active_state *const active = md5_active_at(layer_state, position);
    if (position == part.begin && !part.has_snapshot)
        return 1;
    return md5_eased_weight(active->easing,
                            md5_progress_of(active->elapsed + shift, active->duration));
}
