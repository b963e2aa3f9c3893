// Plays one state: computes weights and rates of its clips from the parameters, and advances their
// clocks. A clock consists of the number of completed cycles of a clip, and the phase, which is the
// position within the current cycle, 0..1. A clip instance is one use of a clip in the blend tree
// of a state.
//
// Clips that must remain in phase, such as a walk and a run, form a group. A group has one clock,
// the group clock, from which each member computes its own clock. Clips may have markers, for
// example at footsteps. A part is the section of a cycle from one marker to the next. All clips of
// a group begin and end a part at the same time, even if the parts have different lengths.
//
// States can also be synchronized during a transition (in_step). Then the clocks of their first
// clips advance at the same rate. A shared clock is a clock that several clips follow: the clock of
// a group, or of states in step.
#include "md5/play/run/player_state.h"

// == Synchronized clips =========================================================================

// Timing of shared clocks, which always loop.
static const md5_timing GROUP_TIMING = {.num_frames = 2, .frame_rate = 1};

// Returns the length of the part of a clip's cycle from marker `first` to the next marker, which
// may be the first marker of the next cycle.
static double part_length(const double *markers, uint32_t num_markers, uint32_t first)
{
    if (first + 1 < num_markers)
        return markers[first + 1] - markers[first];
    return markers[0] + 1 - markers[first];
}

// Returns the length of the part after marker `first` in a clip's cycle, divided by its length in
// the shared cycle. All parts have the same length in the shared cycle. Without markers, the whole
// cycle is one part, so the ratio is 1.
static double part_stretch(const double *markers, uint32_t num_markers, uint32_t first)
{
    if (num_markers == 0)
        return 1;
    return part_length(markers, num_markers, first) * num_markers;
}

// Returns the rate of the shared clock in the part after marker `first`, in shared cycles per
// second. It is the weighted mean of the rates at which the clips pass this part.
static double shared_rate_in_part(const md5_sync_item *items, uint32_t num_items,
                                  uint32_t num_markers, uint32_t first)
{
    double sum = 0;
    double total = 0;
    for (uint32_t i = 0; i < num_items; i++) {
        sum += items[i].weight * items[i].rate / part_stretch(items[i].markers, num_markers, first);
        total += items[i].weight;
    }
    return total > 0 ? sum / total : 0;
}

// Returns the duration of a shared cycle, in seconds. Returns 0 if the clock has markers and stops
// or reverses in one of its parts.
static double sync_cycle_seconds(const md5_sync_item *items, uint32_t num_items,
                                 uint32_t num_markers)
{
    if (num_markers == 0)
        return 1.0 / shared_rate_in_part(items, num_items, 0, 0);
    double seconds = 0;
    for (uint32_t i = 0; i < num_markers; i++) {
        const double rate = shared_rate_in_part(items, num_items, num_markers, i);
        if (rate == 0 || (seconds != 0 && (rate < 0) != (seconds < 0)))
            return 0;
        seconds += 1.0 / (rate * num_markers);
    }
    return seconds;
}

// Position between markers: the index of the previous marker, and the fraction of the part after
// this marker.
typedef struct marker_position {
    uint32_t marker;
    double fraction;
} marker_position;

// Returns the position of a phase of the shared cycle between its markers.
static marker_position find_marker_position(double phase, uint32_t num_markers)
{
    const double position = phase * num_markers;
    const uint32_t marker = position < num_markers ? (uint32_t)position : num_markers - 1;
    return (marker_position){marker, position - marker};
}

// Moves a position from the end of a part to the start of the next part. In backward movement,
// moves it from the start of a part to the end of the previous part. Returns the change of the
// clock's cycle: 1, -1 or 0.
static int enter_adjacent_part(marker_position *position, uint32_t num_markers, bool is_forward)
{
    if (is_forward) {
        *position = (marker_position){(position->marker + 1) % num_markers, 0};
        return position->marker == 0 ? 1 : 0;
    }
    const bool leaves_cycle = position->marker == 0;
    *position = (marker_position){(position->marker + num_markers - 1) % num_markers, 1};
    return leaves_cycle ? -1 : 0;
}

// Moves a shared clock with markers by less than a cycle. Moves part by part, because each part has
// its own rate. `seconds` and the rates may be negative.
static md5_clock advance_in_parts(const md5_sync_item *items, uint32_t num_items,
                                  uint32_t num_markers, md5_clock clock, double seconds)
{
    marker_position position = find_marker_position(clock.phase, num_markers);
    int64_t cycle = clock.cycle;
    double seconds_left = seconds;
    // At most one iteration per part is needed, plus one for an incomplete part at each end.
    for (uint32_t i = 0; i < num_markers + 2 && seconds_left != 0; i++) {
        // Move within the current part, at most to its end. Distances are in parts.
        const double rate = shared_rate_in_part(items, num_items, num_markers, position.marker);
        const double parts_per_second = rate * num_markers;
        const double num_parts_moved = parts_per_second * seconds_left;
        const bool is_forward = num_parts_moved >= 0;
        const double space = is_forward ? 1 - position.fraction : position.fraction;
        if (fabs(num_parts_moved) < space || parts_per_second == 0) {
            position.fraction += num_parts_moved;
            break;
        }
        seconds_left -= (is_forward ? space : -space) / parts_per_second;
        cycle += enter_adjacent_part(&position, num_markers, is_forward);
    }
    const double phase = (position.marker + position.fraction) / num_markers;
    return md5i_clock_advance(&GROUP_TIMING, (md5_clock){.cycle = cycle}, phase);
}

// Advances the clock that several blended clips share, so that they remain in phase. Its rate is
// the weighted mean of the clips' rates. With markers, such as footsteps, the mean is computed for
// each part between two markers.
md5_clock md5i_sync_advance(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                            md5_clock clock, double seconds)
{
    if (num_markers == 0)
        return md5i_clock_advance(&GROUP_TIMING, clock,
                                  shared_rate_in_part(items, num_items, 0, 0) * seconds);

    // Move by complete cycles, unless the clock reverses at a marker and stays there.
    const double cycle_seconds = sync_cycle_seconds(items, num_items, num_markers);
    if (cycle_seconds != 0 && fabs(seconds) >= fabs(cycle_seconds)) {
        const double cycles = trunc(seconds / cycle_seconds);
        clock = md5i_clock_advance(&GROUP_TIMING, clock, cycles);
        seconds -= cycles * cycle_seconds;
    }
    return advance_in_parts(items, num_items, num_markers, clock, seconds);
}

// Returns the seconds that the shared clock needs from one clock to a later clock, less than a
// cycle away. Adds up the seconds of all parts in between.
static double seconds_in_parts(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                               md5_clock from, md5_clock to)
{
    const marker_position begin = find_marker_position(from.phase, num_markers);
    const marker_position end = find_marker_position(to.phase, num_markers);
    const int64_t num_parts =
        (to.cycle - from.cycle) * (int64_t)num_markers + end.marker - begin.marker;

    double seconds = 0;
    for (int64_t i = 0; i <= num_parts; i++) {
        const double first = i == 0 ? begin.fraction : 0;
        const double last = i == num_parts ? end.fraction : 1;
        const uint32_t marker = (uint32_t)((begin.marker + (uint64_t)i) % num_markers);
        if (last == first)
            continue;
        const double rate = shared_rate_in_part(items, num_items, num_markers, marker);
        const double part_seconds = (last - first) / (rate * num_markers);
        if (rate == 0 || part_seconds * seconds < 0) // the clock stays at this marker
            return (double)INFINITY;
        seconds += part_seconds;
    }
    return seconds;
}

// Returns the seconds that a shared clock needs from one position to another. The result is
// negative if time must run backward, and not finite if the clock never arrives. This is the
// inverse of md5i_sync_advance().
double md5i_sync_seconds(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                         md5_clock from, md5_clock to)
{
    if (num_markers == 0) {
        const double cycles = md5_cycles_between(from, to);
        return cycles == 0 ? 0 : cycles / shared_rate_in_part(items, num_items, 0, 0);
    }

    const bool is_backward =
        to.cycle < from.cycle || (to.cycle == from.cycle && to.phase < from.phase);
    md5_clock low = is_backward ? to : from;
    const md5_clock high = is_backward ? from : to;

    // Add the complete cycles, then the parts of the remaining cycle.
    const int64_t num_cycles = high.cycle - low.cycle - (high.phase < low.phase);
    double seconds = 0;
    if (num_cycles > 0) {
        seconds = (double)num_cycles * sync_cycle_seconds(items, num_items, num_markers);
        if (seconds == 0)
            return (double)INFINITY;
    }
    low.cycle += num_cycles;
    seconds += seconds_in_parts(items, num_items, num_markers, low, high);
    return is_backward ? -seconds : seconds;
}

// Converts a shared clock to the clock of one clip. The parts of the clip have different lengths,
// but the parts of the shared cycle have equal lengths.
md5_clock md5i_sync_clock(const double *markers, uint32_t num_markers, md5_clock shared)
{
    if (num_markers == 0)
        return shared;
    const marker_position position = find_marker_position(shared.phase, num_markers);
    const double phase = markers[position.marker]
                         + position.fraction * part_length(markers, num_markers, position.marker);
    return md5i_clock_advance(&GROUP_TIMING, (md5_clock){.cycle = shared.cycle}, phase);
}

// Converts the clock of one clip to the shared clock: the inverse of md5i_sync_clock().
md5_clock md5i_sync_shared(const double *markers, uint32_t num_markers, md5_clock clock)
{
    if (num_markers == 0)
        return clock;
    // A phase before the first marker belongs to the last part of the previous cycle.
    const bool is_before = clock.phase < markers[0];
    const double phase = is_before ? clock.phase + 1 : clock.phase;
    uint32_t marker = num_markers - 1;
    while (markers[marker] > phase)
        marker--;
    const double fraction = (phase - markers[marker]) / part_length(markers, num_markers, marker);
    return md5i_clock_advance(&GROUP_TIMING, (md5_clock){.cycle = clock.cycle - is_before},
                              (marker + fraction) / num_markers);
}

// == Blend spaces ===============================================================================

// Computes the weights of a blend space with one parameter `x`. The items are sorted by position.
// Between two items, the weights are linear in x. Before the first item and after the last item,
// the nearest item has the weight 1. Returns the index of the first item with a weight.
uint32_t md5i_blend_weights_1d(const md5_item *items, uint32_t num_items, double x, float *weights)
{
    // Find the first item whose position is above x by binary search.
    uint32_t above = 0;
    uint32_t end = num_items;
    while (above < end) {
        const uint32_t middle = above + (end - above) / 2;
        if (items[middle].position <= x)
            above = middle + 1;
        else
            end = middle;
    }

    memset(weights, 0, num_items * sizeof *weights);
    const uint32_t first = above > 0 ? above - 1 : 0;
    weights[first] = 1;
    if (above == 0 || above == num_items)
        return first;

    const double low = items[first].position;
    const double high = items[above].position;
    weights[above] = (float)((x - low) / (high - low));
    weights[first] = 1 - weights[above];
    return first;
}

// Returns the influence of an item at the position x, y: a number in 0..1. For each other item, a
// value decreases linearly from 1 at the item to 0 at the other item. The influence is the smallest
// of these values (gradient band interpolation).
//
// If another item reduces the influence to 0, *rival is set to it. The next call tests *rival
// first: it often reduces that influence to 0 too, and the search then ends after one step.
static double item_influence_2d(const md5_motion_item *items, uint32_t num_items, uint32_t item,
                                double x, double y, uint32_t *rival)
{
    // Double precision is necessary: positions may be any two floats, and the square of their
    // distance must not become 0.
    const double from_x = x - items[item].x;
    const double from_y = y - items[item].y;
    double influence = 1;
    for (uint32_t k = 0; k < num_items + 1 && influence > 0; k++) {
        const uint32_t neighbor = k == 0 ? *rival : k - 1; // first the rival, then all items
        if (neighbor == item)
            continue;
        const double to_x = (double)items[neighbor].x - items[item].x;
        const double to_y = (double)items[neighbor].y - items[item].y;
        // `fraction` is the position of the point on the line from the item to its neighbor: 0 at
        // the item, 1 at the neighbor. The influence decreases from 1 to 0 along this line.
        const double fraction = (from_x * to_x + from_y * to_y) / (to_x * to_x + to_y * to_y);
        influence = md5_smaller(influence, 1 - fraction);
        if (!(influence > 0))
            *rival = neighbor;
    }
    return influence > 0 ? influence : 0;
}

// Computes the weights of a blend space with two parameters by gradient band interpolation
// (Johansen 2009), and scales them so that their sum is 1.
void md5i_blend_weights_2d(const md5_motion_item *items, uint32_t num_items, float x, float y,
                           float *weights)
{
    double sum = 0;
    uint32_t rival = 0;
    for (uint32_t item = 0; item < num_items; item++) {
        const double influence =
            item_influence_2d(items, num_items, item, (double)x, (double)y, &rival);
        weights[item] = (float)influence;
        sum += influence;
    }

    // The sum is not 0, because the nearest item has at least the influence 0.5: the point is at
    // most halfway on the line from the nearest item to any other item.
    for (uint32_t item = 0; item < num_items; item++)
        weights[item] = (float)(weights[item] / sum);
}

// -- By speed -----------------------------------------------------------------------------------

// Returns the data of an item's clip that determine the rate of a shared clock: weight, rate in
// cycles per second, and markers.
static md5_sync_item make_sync_item(const md5_item *item, float weight)
{
    return (md5_sync_item){
        .weight = weight,
        .rate = 1.0 / item->seconds,
        .markers = item->motion->playable.source->markers,
    };
}

// Computes the weights of two adjacent items of a MD5_MOTION_BY_SPEED. `speed` is between the
// speeds of both items. Returns a factor by which the rates of all clips of the motion must be
// multiplied.
//
// The positions of the items are the root speeds of their clips, so the parameter is a root speed.
// Let the clips have cycles of a and b seconds, in which the root moves by A and B units. Their
// blend has the weights 1 - w and w. One cycle of a synchronized blend must have these properties:
//
//   distance = (1 - w) A + w B
//   duration = (1 - w) a + w b
//
// The speed is distance / duration. It increases monotonically from A/a to B/b, and is v for
//
//   w = a (v - A/a) / (a (v - A/a) + b (B/b - v))
//
// Without the returned factor, the duration would be another: the shared rate of synchronized clips
// is the weighted mean of their rates.
//
// Clips that are not synchronized play at their own rates. Their speeds are blended:
//
//   w = (v - A/a) / (B/b - A/a)
static double weigh_by_speed(const md5_motion *motion, double speed, uint32_t first, float *weights)
{
    const md5_item *const low = &motion->items[first];
    const md5_item *const high = low + 1;
    const bool is_synchronized = motion->sync != MD5_SYNC_NONE;
    const double from_low = (speed - low->position) * (is_synchronized ? low->seconds : 1);
    const double to_high = (high->position - speed) * (is_synchronized ? high->seconds : 1);
    const float weight = (float)(from_low / (from_low + to_high));
    weights[first] = 1 - weight;
    weights[first + 1] = weight;
    if (!is_synchronized)
        return 1;

    // sync_cycle_seconds() returns the duration that results from the rates of the clips. The
    // factor is this duration divided by the required duration, `seconds`.
    const md5_sync_item both[] = {make_sync_item(low, 1 - weight), make_sync_item(high, weight)};
    const double seconds = (1 - weight) * low->seconds + weight * high->seconds;
    const uint32_t num_markers =
        motion->sync == MD5_SYNC_MARKERS ? low->motion->playable.source->num_markers : 0;
    return sync_cycle_seconds(both, 2, num_markers) / seconds;
}

// == States =====================================================================================

// Maximum rate of a clip, cycles per second. Higher rates are not useful and would overflow the
// cycle count.
#define MAX_STATE_RATE 1e6

// Returns the current weight of a rule, such as the weight of a layer. This is a constant, or the
// eased value of a parameter, clamped to 0..1.
float md5i_rule_weight(const md5_player *player, const md5_weight_rule *rule)
{
    if (rule->parameter == MD5_NONE)
        return rule->fixed;
    const float value = player->parameters[rule->parameter];
    if (rule->easing > 0)
        return md5_clamped_ease(&player->machine->easings[rule->easing], value);
    if (value < 0)
        return 0;
    return value > 1 ? 1 : value;
}

// Fills active->active_instances[], which contains two lists. The list of active instances begins
// at index 0, in ascending order. The list of inactive instances without a group ends at the end of
// the array and begins at first_inactive: it is needed because the phases of these instances still
// advance.
//
// Inactive members of a group are in neither list, because they get their clocks from the group.
static void list_active_instances(md5_active_state *active)
{
    active->num_active_instances = 0;
    active->first_inactive = active->tree->num_instances;
    for (uint32_t i = 0; i < active->tree->num_instances; i++) {
        if (!active->instances[i].is_inactive)
            active->active_instances[active->num_active_instances++] = i;
        else if (active->tree->instances[i].group == MD5_NONE)
            active->active_instances[--active->first_inactive] = i;
    }
}

// Computes the speed and the weights of a part of a blend tree. They are the values of its parent,
// multiplied by its own. The parent must be computed first. At the part with which a group begins,
// group_weight starts again at 1, so that it is the weight in the group.
static md5_flow *compute_flow(const md5_player *player, md5_active_state *active, uint32_t index)
{
    const md5i_part *const part = &active->tree->parts[index];
    const md5_motion *const motion = part->motion;
    md5_flow *const flow = &active->flows[index];
    *flow = part->parent == MD5_NONE ? (md5_flow){1, 1, 1} : active->flows[part->parent];
    flow->group_weight *= active->weights[part->weight];
    flow->total *= active->weights[part->weight];
    flow->speed *= motion->speed;
    if (motion->speed_parameter != MD5_NONE)
        flow->speed *= player->parameters[motion->speed_parameter];
    if (part->leads_group)
        flow->group_weight = 1;
    return flow;
}

// Activates inactive clips that have a weight now, among the items first..end - 1 of a part. An
// activated clip continues at its current clock. Returns true if a clip was activated.
static bool activate_clips(md5_active_state *active, const md5i_part *part, uint32_t first,
                           uint32_t end)
{
    const float *const weights = active->weights + part->children;
    bool is_any_activated = false;
    for (uint32_t i = first; i < end; i++) {
        const md5_item *const item = &part->motion->items[i];
        const bool is_clip = item->motion->num_items == 0;
        const uint32_t clip = part->first + item->num_before;
        md5_clip_instance *const instance = &active->instances[clip];
        if (weights[i] == 0 || !is_clip || !instance->is_inactive)
            continue;
        instance->clock = md5i_instance_clock(active, clip);
        instance->is_inactive = false;
        is_any_activated = true;
    }
    return is_any_activated;
}

// The items first..end - 1 of a motion. All other items have the weight 0.
typedef struct item_range {
    uint32_t first;
    uint32_t end;
} item_range;

// Computes the weights of the items of a blend space with one axis, for the value `x` of its
// parameter. For MD5_MOTION_BY_SPEED, also multiplies flow->speed by a factor. Returns the range of
// the items that may have a weight, at most two neighbors.
static item_range weigh_line(const md5_motion *motion, float x, float *weights, md5_flow *flow)
{
    const uint32_t count = motion->num_items;
    const uint32_t first = md5i_blend_weights_1d(motion->items, count, x, weights);
    const bool has_next = first + 1 < count;
    if (motion->kind == MD5_MOTION_BY_SPEED && has_next && motion->items[first].position <= x)
        flow->speed *= weigh_by_speed(motion, x, first, weights);
    return (item_range){first, has_next ? first + 2 : count};
}

// Computes the weights of the items of a motion from its parameters. Scales flow->speed if the
// motion blends by speed. Returns the range of the items that may have a weight.
static item_range weigh_items(const md5_player *player, const md5_motion *motion, float *weights,
                              md5_flow *flow)
{
    const uint32_t count = motion->num_items;
    const float x = motion->x_parameter != MD5_NONE ? player->parameters[motion->x_parameter] : 0;
    if (md5_is_line(motion))
        return weigh_line(motion, x, weights, flow);

    if (motion->kind == MD5_MOTION_BLEND_2D) {
        const float y = player->parameters[motion->y_parameter];
        md5i_blend_weights_2d(motion->item_rows, count, x, y, weights);
    } else { // a stack: the first item is below all others
        for (uint32_t i = 0; i < count; i++)
            weights[i] = i == 0 ? 1 : md5i_rule_weight(player, &motion->items[i].weight);
    }
    return (item_range){0, count};
}

// Computes the weights of the items of part `index`, which must be a motion. Activates the clips
// that have a weight now. Returns true if a clip was activated, because the list of active
// instances must then be updated.
static bool weigh_motion(const md5_player *player, md5_active_state *active, uint32_t index)
{
    const md5i_part *const part = &active->tree->parts[index];
    md5_flow *const flow = compute_flow(player, active, index);
    const item_range range =
        weigh_items(player, part->motion, active->weights + part->children, flow);
    const bool is_used = flow->total != 0 || flow->group_weight != 0;
    return is_used && activate_clips(active, part, range.first, range.end);
}

// Computes the rate of a clip, and its weights in the state and in its group.
static void weigh_clip(const md5_player *player, md5_active_state *active, uint32_t index)
{
    const md5_instance_plan *const plan = &active->tree->instances[index];
    md5_clip_instance *const instance = &active->instances[index];
    const md5_flow *const flow = compute_flow(player, active, plan->part);
    const double rate = flow->speed * plan->playable->cycles;
    instance->rate = md5_smaller(rate > -MAX_STATE_RATE ? rate : -MAX_STATE_RATE, MAX_STATE_RATE);
    instance->weight = flow->total;
    instance->group_weight = flow->group_weight;
}

// Computes the weights and rates of a state's clips from the parameters.
static void weigh_state(const md5_player *player, md5_active_state *active)
{
    const md5_blend_tree *const tree = active->tree;
    if (!tree)
        return;

    // A new state does not have a list of active instances yet.
    bool has_new_active = active->num_active_instances == 0;
    active->weights[0] = 1;
    for (uint32_t i = 0; i < tree->num_parts - tree->num_instances; i++)
        has_new_active = weigh_motion(player, active, tree->blends[i]) || has_new_active;
    if (has_new_active)
        list_active_instances(active);

    for (uint32_t i = 0; i < active->num_active_instances; i++)
        weigh_clip(player, active, active->active_instances[i]);
    if (tree->is_steady)
        return;
    // The rates of inactive clips can change only if a parameter controls a speed.
    for (uint32_t i = active->first_inactive; i < tree->num_instances; i++)
        weigh_clip(player, active, active->active_instances[i]);
}

// Computes the weights and speeds of all active states again if a parameter has changed. If a
// parameter was set, resting layers stop resting: see start_transitions(). They continue to rest
// if smoothed parameters have only moved towards their goals.
void md5i_update_weights(md5_player *player)
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

// -- Synchronized states (in_step) ----------------------------------------------------------------

// A transition with `in_step` synchronizes its two states, for example so that the feet of a walk
// and a run land at the same time. In each state, the first clip and the clips in its group follow
// one clock. The clocks of both states are the shared clock of the states.
//
// The shared clock is not stored. Instead, both clocks are equal at the start of the transition,
// and get the same rate in each interval of time. Therefore they remain equal.

// The direction of the shared clock is evaluated this many seconds after the current time. A clock
// that reverses now then already has its new direction.
#define LOOK_AHEAD MD5_BORDER

// Precision of the time at which the shared clock reverses, seconds.
#define SAME_TURN 1e-13

// An edge is the border between two parts of an easing: see find_smooth_interval(). Positions count
// as equal if they differ by less than this fraction of a part.
#define SAME_EDGE 1e-6

// Precision with which md5i_shared_clock_seconds() finds a time, as a fraction of the interval.
#define SAME_FRACTION 1e-12

// Returns the clock that a state shares with other states. This is the clock of its first clip's
// group. If the first clip does not have a group, it is the clock of this clip.
static md5_clock shared_clock(const md5_active_state *active)
{
    const md5_instance_plan *const first = active->tree->instances;
    if (first->group != MD5_NONE)
        return active->groups[first->group];
    const md5_source *const source = first->playable->source;
    return md5i_sync_shared(source->markers, source->num_markers, active->instances[0].clock);
}

// Returns the phase at which a new state must begin to follow the shared clock of the state `left`.
// `tree` is the blend tree of the new state. The transition leads from `left` to the new state.
//
// A phase just below 1 is a rounding error and becomes 0, the start of the next cycle. Otherwise
// those clips of the new state that are played once would begin at their end.
double md5i_shared_start_time(const md5_active_state *left, const md5_blend_tree *tree)
{
    if (!left->tree)
        return 0;
    const md5_playable *const first_clip = tree->instances[0].playable;
    const md5_clock first_clip_clock = md5i_sync_clock(
        first_clip->source->markers, md5_num_step_markers(tree), shared_clock(left));
    return md5i_clock_snap(first_clip->timing, first_clip_clock, MD5_BORDER).phase;
}

// The clips of a state that follow the shared clock, as indices of instances.
typedef struct synced_clips {
    const uint32_t *instances;
    uint32_t count;
    bool is_group; // the members of the first clip's group; otherwise only the first clip
} synced_clips;

// Returns the clips of a state that follow the shared clock: its first clip, and the clips in the
// group of the first clip.
static synced_clips find_synced_clips(const md5_blend_tree *tree)
{
    static const uint32_t first_clip[1] = {0};
    const uint32_t group_index = tree->instances[0].group;
    if (group_index == MD5_NONE)
        return (synced_clips){first_clip, 1, false};
    const md5_group_plan *const group = &tree->groups[group_index];
    return (synced_clips){group->members, group->num_members, true};
}

// Returns the rate of a clip divided by the rate of the shared clock, in the part after marker
// `first`. Without markers, the ratio is 1.
static double synced_clip_stretch(const md5_blend_tree *tree, uint32_t instance, uint32_t first)
{
    const md5_source *const source = tree->instances[instance].playable->source;
    return part_stretch(source->markers, md5_num_step_markers(tree), first);
}

// Returns the rate of a state's shared clock after marker `first`, in shared cycles per second: the
// weighted mean of the rates of the clips that follow the clock.
static double step_rate(const md5_active_state *active, uint32_t first)
{
    const synced_clips clips = find_synced_clips(active->tree);
    double sum = 0;
    double total = 0;
    for (uint32_t i = 0; i < clips.count; i++) {
        const md5_clip_instance *const instance = &active->instances[clips.instances[i]];
        const double weight = clips.is_group ? instance->group_weight : 1;
        const double stretch = synced_clip_stretch(active->tree, clips.instances[i], first);
        sum += weight * instance->rate / stretch;
        total += weight;
    }
    return total > 0 ? sum / total : 0;
}

// Sets the rates of the clips that follow the shared clock, so that this clock has the rate `rate`
// in the part after marker `first`. `rate` is in shared cycles per second.
static void set_step_rate(const md5_active_state *active, uint32_t first, double rate)
{
    const synced_clips clips = find_synced_clips(active->tree);
    for (uint32_t i = 0; i < clips.count; i++) {
        const uint32_t index = clips.instances[i];
        active->instances[index].rate = rate * synced_clip_stretch(active->tree, index, first);
    }
}

// Returns the number of consecutive states that share a clock, from position `begin` of the chain
// on. Returns 1 if the state there does not share its clock.
//
// States with different numbers of markers cannot share a clock. They may be adjacent in a restored
// player, and in a player that continues with another machine.
static uint32_t count_steps(md5_layer_state *layer_state, uint32_t begin)
{
    uint32_t end = begin + 1;
    for (; end < layer_state->num_used && md5_active_at(layer_state, end)->in_step; end++) {
        const md5_blend_tree *const tree = md5_active_at(layer_state, end)->tree;
        const md5_blend_tree *const below = md5_active_at(layer_state, end - 1)->tree;
        if (!tree || !below || md5_num_step_markers(tree) != md5_num_step_markers(below))
            break;
    }
    return end - begin;
}

// States of a chain that share a clock: `count` states, from position `begin` on. rates_ahead[i]
// and rates_behind[i] are the rates that the clock would have if only state i were active, in
// shared cycles per second. rates_ahead applies to the part ahead of the clock, rates_behind to the
// part behind it. The two parts differ only if the clock is at a marker, or so near that rounding
// matters.
typedef struct step_group {
    md5_layer_state *layer_state;
    uint32_t begin;
    uint32_t count;
    bool is_backward; // direction of time
    uint32_t ahead;   // index of the marker before the part ahead of the clock
    uint32_t behind;  // index of the marker before the part behind the clock
    double rates_ahead[MD5_MAX_ACTIVE];
    double rates_behind[MD5_MAX_ACTIVE];
} step_group;

// Computes the rate of each state in the part after marker `first`. If the group has a leader, all
// states get its rate.
static void find_state_rates(const step_group *group, uint32_t first, double *rates)
{
    uint32_t leader = MD5_NONE; // leader of the newest transition that has a leader
    for (uint32_t i = group->count; i-- > 0;) {
        const md5_active_state *const active = md5_active_at(group->layer_state, group->begin + i);
        rates[i] = step_rate(active, first);
        // The transition to the oldest state of the group is not synchronized.
        if (i > 0 && leader == MD5_NONE)
            leader = active->leader;
    }
    if (leader == MD5_NONE)
        return;

    // The same state can be active several times. The newest of these is the leader.
    for (uint32_t i = group->count; i-- > 0;) {
        if (md5_active_at(group->layer_state, group->begin + i)->state != leader)
            continue;
        for (uint32_t k = 0; k < group->count; k++)
            rates[k] = rates[i];
        return;
    }
}

// Returns the rate of the shared clock `seconds` from now. rates[group->count] are the rates of the
// active states. They are blended by the eased progress of the states' fades.
//
// Poses use weights that are clamped to 0..1, because some easings overshoot. The weights here are
// not clamped, so that the rate is smooth within each part of the easing.
static double shared_rate_after(const step_group *group, const double *rates, double seconds)
{
    double rate = rates[0];
    for (uint32_t i = 1; i < group->count; i++) {
        const md5_active_state *const active = md5_active_at(group->layer_state, group->begin + i);
        const double progress = md5_fade_progress(active->elapsed + seconds, active->duration);
        rate += md5i_eased(active->easing, progress) * (rates[i] - rate);
    }
    return rate;
}

// Returns the direction of the shared clock `seconds` from now: 1, -1, or 0 if it stops. The clock
// also stops at a marker if the rates on both sides lead back to the marker.
static int direction_after(const step_group *group, double seconds)
{
    const double sign = group->is_backward ? -1 : 1;
    if (sign * shared_rate_after(group, group->rates_ahead, seconds) > 0)
        return 1;
    return sign * shared_rate_after(group, group->rates_behind, seconds) < 0 ? -1 : 0;
}

// Returns the seconds, at most `max_seconds`, until the shared clock changes its direction. An
// interval must end there, because the clock then passes the same events again.
static double seconds_until_turn(const step_group *group, int direction, double max_seconds)
{
    double before = LOOK_AHEAD;
    double after = max_seconds;
    if (after <= before || direction_after(group, after) == direction)
        return after;
    for (int i = 0; i < MD5_MAX_BISECTIONS && after - before > SAME_TURN; i++) {
        const double middle = 0.5 * (before + after);
        if (direction_after(group, middle) == direction)
            before = middle;
        else
            after = middle;
    }
    return after;
}

// The interval around now in which the weights of the states are smooth. It extends from the
// previous edge of an easing to the next edge. Times are in seconds.
typedef struct smooth_interval {
    double since;    // from the previous edge until now
    double until;    // from now until the next edge; INFINITY if the weights do not change
    double duration; // between both edges
} smooth_interval;

// Finds the nearest edges of all easings of a group. An easing is divided into MD5_EASE_PARTS equal
// parts and is smooth within each part.
static smooth_interval find_smooth_interval(const step_group *group)
{
    double since = INFINITY;
    double until = INFINITY;
    for (uint32_t i = 1; i < group->count; i++) {
        const md5_active_state *const active = md5_active_at(group->layer_state, group->begin + i);
        const double progress = md5_progress(active);
        if (progress == 1)
            continue;

        const double part = active->duration / MD5_EASE_PARTS;
        const double edge = floor(progress * MD5_EASE_PARTS + SAME_EDGE);
        since = md5_smaller(since, fmax(active->elapsed - edge * part, 0.0));
        until = md5_smaller(until, (edge + 1) * part - active->elapsed);
    }

    if (!isfinite(until)) // no state fades in, so any duration is correct
        return (smooth_interval){.until = until, .duration = 1};
    return (smooth_interval){.since = since, .until = until, .duration = since + until};
}

// Returns the mean rate of the shared clock over the next `seconds`, with the rates of the active
// states in rates[group->count]. `seconds` must be at most smooth->until, because the numerical
// integration of the rate is accurate only where the weights of the states are smooth.
static double mean_rate(const step_group *group, const double *rates, const smooth_interval *smooth,
                        double seconds)
{
    md5_mean_point points[MD5_MEAN_POINTS];
    md5i_mean_points(smooth->since / smooth->duration, (smooth->since + seconds) / smooth->duration,
                     points);
    double rate = 0;
    for (uint32_t i = 0; i < MD5_MEAN_POINTS; i++) {
        const double after = points[i].position * smooth->duration - smooth->since;
        rate += points[i].weight * shared_rate_after(group, rates, after);
    }
    return rate;
}

// Sets the rates of all states of a group, so that the shared clock has the rate `rate` in the part
// after marker `first`. Stores this rate in each state, and rates[i], the rate of the clock if only
// state i were active. md5i_shared_clock_seconds() and md5i_seconds_until_time_left() use them.
static void set_shared_rate(const step_group *group, uint32_t first, const double *rates,
                            double rate)
{
    for (uint32_t i = 0; i < group->count; i++) {
        md5_active_state *const active = md5_active_at(group->layer_state, group->begin + i);
        set_step_rate(active, first, rate);
        active->state_rate = rates[i];
        active->shared_rate = rate;
    }
}

// Position of a shared clock in parts: 1.5 is the middle between markers 1 and 2. `ahead` and
// `behind` are the numbers of the markers before the part ahead of the clock and before the part
// behind it. They differ only if the clock is at a marker. At the first marker `behind` is -1.
typedef struct shared_position {
    double position;
    double ahead;
    double behind;
    uint32_t num_markers;
} shared_position;

// Returns the position of the clock that a state shares with other states.
static shared_position find_shared_position(const md5_active_state *active)
{
    const uint32_t num_markers = md5_num_step_markers(active->tree);
    const double position = shared_clock(active).phase * num_markers;
    return (shared_position){
        .position = position,
        .ahead = floor(position + MD5_BORDER),
        .behind = floor(position - MD5_BORDER),
        .num_markers = num_markers,
    };
}

// Finds the parts ahead of a group's clock and behind it, and computes the rates of the states in
// both parts.
static void find_group_rates(step_group *group, const shared_position *clock)
{
    if (clock->num_markers > 0) {
        const bool is_before_first = clock->behind < 0;
        group->ahead = (uint32_t)clock->ahead % clock->num_markers;
        group->behind = is_before_first ? clock->num_markers - 1 : (uint32_t)clock->behind;
    }
    find_state_rates(group, group->ahead, group->rates_ahead);
    find_state_rates(group, group->behind, group->rates_behind);
}

// Sets the rate of the clock that the states of a group share. The caller sets the states and the
// direction of time in `group`; this function computes the other members.
//
// The weights of the states change, so the rate is the mean over the next `seconds`. Returns the
// seconds, at most `max_seconds`, for which the rate is valid. This time ends at the next edge of
// an easing, when the clock reverses, or at the next marker.
static double update_group_rate(step_group *group, double seconds, double max_seconds)
{
    const md5_active_state *const newest =
        md5_active_at(group->layer_state, group->begin + group->count - 1);
    const shared_position clock = find_shared_position(newest);
    find_group_rates(group, &clock);

    const smooth_interval smooth = find_smooth_interval(group);
    const int direction = direction_after(group, LOOK_AHEAD);
    const double valid_seconds =
        seconds_until_turn(group, direction, md5_smaller(max_seconds, smooth.until));

    // Give all states the mean rate. A clock that stops gets the rate 0.
    const bool moves_back = direction < 0;
    const uint32_t first = moves_back ? group->behind : group->ahead;
    const double *const rates = moves_back ? group->rates_behind : group->rates_ahead;
    double rate = 0;
    if (direction != 0)
        rate = mean_rate(group, rates, &smooth, md5_smaller(seconds, valid_seconds));
    set_shared_rate(group, first, rates, rate);

    const double markers_per_second = fabs(rate) * clock.num_markers;
    if (!(markers_per_second > 0))
        return valid_seconds;
    const double markers_left =
        moves_back ? clock.position - clock.behind : clock.ahead + 1 - clock.position;
    return md5_smaller(valid_seconds, markers_left / markers_per_second);
}

// Returns true if a layer has several active states that share a clock, as in transitions between a
// walk and a run.
bool md5i_has_shared_clock(const md5_player *player)
{
    for (uint32_t layer = 0; layer < player->machine->tables.num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        if (layer_state->is_steered)
            return true;
        if (!player->machine->layers[layer].has_steps)
            continue;
        for (uint32_t i = 1; i < layer_state->num_used; i++) {
            if (md5_active_at(layer_state, i)->in_step)
                return true;
        }
    }
    return false;
}

// Sets the rates of the clips of one layer that share a clock. The parameters and the
// result have the same meaning as in md5i_update_shared_rates(), which updates all layers.
static double update_layer_rates(md5_player *player, md5_layer_state *layer_state, double seconds,
                                 double max_seconds)
{
    // In the last interval, the clips got the rate of the shared clock. weigh_state() computes
    // their own rates again, from which the next shared rate is computed.
    if (layer_state->is_steered) {
        for (uint32_t i = 0; i < layer_state->num_used; i++)
            weigh_state(player, md5_active_at(layer_state, i));
    }

    layer_state->is_steered = false;
    double valid_seconds = max_seconds;
    uint32_t count = 0;
    for (uint32_t i = 0; i < layer_state->num_used; i += count) {
        count = count_steps(layer_state, i);
        if (count == 1)
            continue;
        step_group group = {
            .layer_state = layer_state,
            .begin = i,
            .count = count,
            .is_backward = player->is_backward,
        };
        valid_seconds = update_group_rate(&group, fabs(seconds), valid_seconds);
        layer_state->is_steered = true;
    }
    return valid_seconds;
}

// Sets the rates of all clips that share a clock to the mean rate of the clock over the next
// `seconds`. Returns the time, at most `max_seconds`, for which these rates are valid. It ends at a
// marker, at a change of direction or at a change of weights.
double md5i_update_shared_rates(md5_player *player, double seconds, double max_seconds)
{
    double valid_seconds = max_seconds;
    for (uint32_t layer = 0; layer < player->machine->tables.num_layers; layer++) {
        if (player->machine->layers[layer].has_steps)
            valid_seconds =
                update_layer_rates(player, &player->layer_states[layer], seconds, valid_seconds);
    }
    return valid_seconds;
}

// Returns the distance that the shared clock moved in the first part of the last interval, in
// cycles, divided by the length of the interval in seconds. `fraction` is the length of this part
// as a fraction of the interval.
static double distance_after(const step_group *group, double fraction, double seconds)
{
    md5_mean_point points[MD5_MEAN_POINTS];
    md5i_mean_points(0, fraction, points);
    double rate = 0;
    for (uint32_t i = 0; i < MD5_MEAN_POINTS; i++)
        rate += points[i].weight
                * shared_rate_after(group, group->rates_ahead, (points[i].position - 1) * seconds);
    return fraction * rate;
}

// Returns the states that share a clock with the state at `position`, and the rates that
// set_shared_rate() has stored for them.
static step_group find_step_group(md5_layer_state *layer_state, uint32_t position)
{
    step_group group = {.layer_state = layer_state};
    group.count = count_steps(layer_state, 0);
    while (group.begin + group.count <= position) {
        group.begin += group.count;
        group.count = count_steps(layer_state, group.begin);
    }
    for (uint32_t i = 0; i < group.count; i++)
        group.rates_ahead[i] = md5_active_at(layer_state, group.begin + i)->state_rate;
    return group;
}

// Returns true if a clip of a blend tree is the first clip or in the group of the first clip. Only
// these clips follow a clock that the state shares with other states.
static bool follows_shared_clock(const md5_blend_tree *tree, uint32_t instance)
{
    if (instance == 0)
        return true;
    const uint32_t first_group = tree->instances[0].group;
    return first_group != MD5_NONE && tree->instances[instance].group == first_group;
}

// Returns the time at which a clip had moved by `fraction` of its distance in the last interval.
// The time counts from the start of the interval, whose length was `seconds`. A clip moves at a
// constant rate, unless it shares a clock with other states. Then its rate changes with the weights
// of the states.
double md5i_shared_clock_seconds(md5_layer_state *layer_state, uint32_t position, uint32_t instance,
                                 double fraction, double seconds)
{
    const md5_blend_tree *const tree = md5_active_at(layer_state, position)->tree;
    const double seconds_at_constant_rate = fraction * seconds;
    const bool is_inside = fraction > 0 && fraction < 1;
    if (!is_inside || !follows_shared_clock(tree, instance))
        return seconds_at_constant_rate;

    const step_group group = find_step_group(layer_state, position);
    if (group.count == 1)
        return seconds_at_constant_rate;
    const double distance = distance_after(&group, 1, seconds);
    if (distance == 0)
        return seconds_at_constant_rate;

    // Find by bisection the time at which the clock has moved by this fraction.
    double low = 0;
    double high = 1;
    while (high - low > SAME_FRACTION) {
        const double middle = 0.5 * (low + high);
        if (distance_after(&group, middle, seconds) / distance < fraction)
            low = middle;
        else
            high = middle;
    }
    return high * seconds;
}

// Returns the remaining time of the newest state's first clip `at` seconds from now, minus `value`.
// The remaining time is the remaining distance divided by the rate at that time. `left` is the
// remaining time now, computed with the mean rate of the interval.
static double excess_time_left(const step_group *group, double left, double value, double at)
{
    const double rate = md5_newest(group->layer_state)->shared_rate;
    const smooth_interval smooth = find_smooth_interval(group);
    const double distance = at * mean_rate(group, group->rates_ahead, &smooth, at);
    const double rate_ratio = fabs(rate / shared_rate_after(group, group->rates_ahead, at));
    return (left - distance / rate) * rate_ratio - value;
}

// Returns true if the remaining time of the first clip has passed `value` when `at` seconds have
// elapsed. `is_less` is true if the remaining time is less than `value` now. In this case it must
// later exceed `value` by more than a rounding error.
static bool is_after_change(const step_group *group, double left, double value, bool is_less,
                            double at)
{
    const double excess = excess_time_left(group, left, value, at);
    return is_less ? excess >= 2 * MD5_BORDER : excess <= 0;
}

// Returns the seconds until the remaining time of the newest state's first clip becomes `value`.
// `left` is the remaining time now, computed with the mean rate of the interval.
//
// At a constant rate, the result is left - value. If the clip shares a clock, its rate changes, and
// the remaining time may also increase. Then the next `max_seconds` are searched; the result is
// INFINITY if the time does not pass `value` there.
double md5i_seconds_until_time_left(md5_layer_state *layer_state, double left, double value,
                                    double max_seconds)
{
    const step_group group = find_step_group(layer_state, layer_state->num_used - 1u);
    if (group.count == 1 || !isfinite(left) || max_seconds <= 0)
        return left - value;

    // Sample the ends of equal parts of the interval, until a sample is after the change.
    enum { NUM_SAMPLES = 4 };
    const bool is_less = excess_time_left(&group, left, value, 0) <= MD5_BORDER;
    int num_samples = 1;
    double before = 0;
    double after = 1.0 / (double)NUM_SAMPLES * max_seconds;
    while (!is_after_change(&group, left, value, is_less, after)) {
        if (num_samples == NUM_SAMPLES)
            return INFINITY;
        num_samples++;
        before = after;
        after = (double)num_samples / (double)NUM_SAMPLES * max_seconds;
    }

    // Bisection: find the change between the last two samples.
    const int max_bisections = MD5_MAX_BISECTIONS - 1 - num_samples;
    for (int i = 0; i < max_bisections && after - before > SAME_TURN; i++) {
        const double middle = 0.5 * (before + after);
        if (is_after_change(&group, left, value, is_less, middle))
            after = middle;
        else
            before = middle;
    }
    return after;
}

// Returns the clock of a member of a group. groups[] contains the shared clocks.
static md5_clock group_member_clock(const md5_blend_tree *tree, uint32_t index,
                                    const md5_clock *groups)
{
    const md5_instance_plan *const plan = &tree->instances[index];
    return md5i_sync_clock(plan->playable->source->markers, tree->groups[plan->group].num_markers,
                           groups[plan->group]);
}

// Returns the current clock of a clip, which may be inactive.
md5_clock md5i_instance_clock(const md5_active_state *active, uint32_t index)
{
    const md5_clip_instance *const instance = &active->instances[index];
    if (instance->is_inactive && active->tree->instances[index].group != MD5_NONE)
        return group_member_clock(active->tree, index, active->groups);
    return instance->clock;
}

// Returns the clock at which a clip starts in a new state. change->begin determines its meaning:
//
//   MD5_BEGIN_AT                  the time change->start
//   MD5_BEGIN_AFTER_START         change->start after the clip's own start
//   MD5_BEGIN_AT_PREVIOUS_PHASE   change->start is the phase of the previous state; the cycle is 0
//
// A start that differs from a frame only by the rounding of a float is moved to the frame, except
// for MD5_BEGIN_AT.
static md5_clock start_clock(const md5_instance_plan *plan, const md5_change *change)
{
    const md5_timing *const timing = plan->playable->timing;
    double time = change->start;
    if (change->begin == MD5_BEGIN_AFTER_START)
        time = plan->playable->start + change->start;
    const md5_clock exact = md5i_clock_at(timing, time);
    if (change->begin == MD5_BEGIN_AT)
        return exact;

    const double rounding_error = MD5_FLOAT_ERROR * fmax(1.0, fabs(md5_clock_time(exact)));
    md5_clock snapped = md5i_clock_snap(timing, exact, rounding_error);
    if (change->begin == MD5_BEGIN_AT_PREVIOUS_PHASE)
        snapped.cycle = 0;
    return snapped;
}

// Starts a clip instance of a state at a clock. `is_at_start` is false if the state begins at a
// given time (MD5_BEGIN_AT). If it is true, a clock that differs from a frame only by rounding is
// moved to the frame.
static void begin_instance(md5_clip_instance *instance, const md5_timing *timing, md5_clock clock,
                           bool is_at_start)
{
    instance->is_inactive = false;
    instance->clock = is_at_start ? md5i_clock_snap(timing, clock, MD5_BORDER) : clock;
    instance->clock_before = instance->clock;
    instance->seconds_at_end = 0;
    instance->is_at_start = is_at_start;
    instance->root.clock.phase = -1; // invalid
}

// Starts the clocks of a state's groups, each at the start of its first member, then the clips.
static void begin_clocks(md5_active_state *active, const md5_change *change)
{
    const md5_blend_tree *const tree = active->tree;
    const md5_instance_plan *const plans = tree->instances;
    for (uint32_t i = 0; i < tree->num_groups; i++) {
        const md5_instance_plan *const leader = &plans[tree->groups[i].members[0]];
        active->groups[i] =
            md5i_sync_shared(leader->playable->source->markers, tree->groups[i].num_markers,
                             start_clock(leader, change));
    }

    const bool is_at_start = change->begin != MD5_BEGIN_AT;
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        md5_clock clock;
        if (plans[i].group == MD5_NONE)
            clock = start_clock(&plans[i], change);
        else
            clock = group_member_clock(tree, i, active->groups);
        begin_instance(&active->instances[i], plans[i].playable->timing, clock, is_at_start);
    }
}

// Initializes the clocks and weights of the clips of a new active state. `change` determines where
// in its cycle the state begins, and whether events at this position are reported.
void md5i_begin_state(md5_player *player, const md5_play_layer *layer, md5_active_state *active,
                      const md5_change *change)
{
    active->state = change->state;
    active->tree = layer->states[change->state].tree;
    active->is_new = false;
    active->start_time = 0;
    active->num_active_instances = 0;
    player->has_new = true;
    if (!active->tree)
        return;

    begin_clocks(active, change);
    active->start_time = md5i_active_time(active);

    // If a cycle continues, its earlier events have fired in the previous state.
    const bool starts_cycle = !(active->instances[0].clock.phase > 0);
    if (change->begin == MD5_BEGIN_AFTER_START)
        active->is_new = true;
    else if (change->begin == MD5_BEGIN_AT_PREVIOUS_PHASE)
        active->is_new = starts_cycle;
    weigh_state(player, active);
}

static const char *clip_name(const md5_player *player, const md5_instance_plan *plan)
{
    return player->machine->tables.clips[plan->playable->source - player->machine->sources].name;
}

// Returns the index of an instance of a clip in a state of another player, or MD5_NONE. A state may
// play a clip several times, so the search starts at the same index.
static uint32_t find_instance(const md5_player *old_player, const md5_active_state *old_active,
                              uint32_t start, const char *name)
{
    const uint32_t count = old_active->tree->num_instances;
    uint32_t k = start % count;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(clip_name(old_player, &old_active->tree->instances[k]), name) == 0)
            return k;
        k = (k + 1) % count;
    }
    return MD5_NONE;
}

// Copies the clock of a clip's synchronized group from the old state. Clip `index` of the new state
// and clip `old_index` of the old state have the same name. If the old clip was not in a group, the
// clock of the group is derived from the new clip's clock, which was already copied.
static void copy_group_clock(md5_active_state *active, uint32_t index,
                             const md5_active_state *old_active, uint32_t old_index)
{
    const md5_blend_tree *const tree = active->tree;
    const md5_instance_plan *const plan = &tree->instances[index];
    const uint32_t old_group = old_active->tree->instances[old_index].group;
    if (plan->group == MD5_NONE)
        return;
    if (old_group != MD5_NONE) {
        active->groups[plan->group] = old_active->groups[old_group];
        return;
    }
    active->groups[plan->group] =
        md5i_sync_shared(plan->playable->source->markers, tree->groups[plan->group].num_markers,
                         active->instances[index].clock);
}

// Copies the clock of a clip, and of its group, from clip `old_index` of the old state. If the
// clips play in different modes, such as once and ping-pong, only the phase is copied.
static void copy_clock(md5_active_state *active, uint32_t index, const md5_active_state *old_active,
                       uint32_t old_index)
{
    const md5_timing *const timing = active->tree->instances[index].playable->timing;
    const md5_timing *const old_timing = old_active->tree->instances[old_index].playable->timing;
    const bool has_same_mode = timing->mode == old_timing->mode;

    md5_clip_instance *const instance = &active->instances[index];
    const md5_clip_instance *const old_instance = &old_active->instances[old_index];
    const md5_clock clock = md5i_instance_clock(old_active, old_index);
    instance->clock = has_same_mode ? clock : md5i_clock_at(timing, clock.phase);
    instance->clock_before = instance->clock;
    instance->is_at_start =
        has_same_mode && old_instance->is_at_start
        && md5_is_same_cycle_boundary(old_instance->clock_before, old_instance->clock);
    instance->seconds_at_end = has_same_mode ? old_instance->seconds_at_end : 0;
    copy_group_clock(active, index, old_active, old_index);
}

// Corrects the clocks of group members that do not match the clock of their group. Such differences
// arise, for example, if the members were not in one group in the old state.
static void correct_group_clocks(md5_active_state *active)
{
    const md5_blend_tree *const tree = active->tree;
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        md5_clip_instance *const instance = &active->instances[i];
        if (tree->instances[i].group == MD5_NONE)
            continue;
        const md5_clock clock = group_member_clock(tree, i, active->groups);
        if (fabs(md5_cycles_between(clock, instance->clock)) > MD5_BORDER) {
            instance->clock = clock;
            instance->clock_before = clock;
        }
    }
}

// Lets a state continue the clips of a state in another machine's player: copies the clocks of
// clips with the same names.
void md5i_copy_clocks(md5_player *player, md5_active_state *active, const md5_player *old_player,
                      const md5_active_state *old_active)
{
    const md5_blend_tree *const tree = active->tree;
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        const char *const name = clip_name(player, &tree->instances[i]);
        const uint32_t found = find_instance(old_player, old_active, i, name);
        if (found != MD5_NONE)
            copy_clock(active, i, old_active, found);
    }
    correct_group_clocks(active);
}

// Returns the position of the first element of active->active_instances that is at least
// `instance`, by binary search.
static uint32_t find_first_active(const md5_active_state *active, uint32_t instance)
{
    uint32_t low = 0;
    uint32_t high = active->num_active_instances;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (active->active_instances[middle] < instance)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Writes the clips of a group that have a weight in the group to player->sync_items, and returns
// their number. Clips without weight do not influence the shared rate.
static uint32_t collect_sync_items(const md5_player *player, const md5_active_state *active,
                                   uint32_t group)
{
    const md5_blend_tree *const tree = active->tree;
    const md5_group_plan *const plan = &tree->groups[group];
    const uint32_t last_member = plan->members[plan->num_members - 1];
    uint32_t count = 0;
    // The instances of the group need not be adjacent: clips that do not belong to it may be
    // between its first and its last member.
    for (uint32_t i = find_first_active(active, plan->members[0]); i < active->num_active_instances;
         i++) {
        const uint32_t index = active->active_instances[i];
        const md5_clip_instance *const instance = &active->instances[index];
        if (index > last_member)
            break;
        if (tree->instances[index].group != group || instance->group_weight == 0)
            continue;
        player->sync_items[count] = (md5_sync_item){
            .weight = instance->group_weight,
            .rate = instance->rate,
            .markers = tree->instances[index].playable->source->markers,
        };
        count++;
    }
    return count;
}

// Computes the clocks of groups `seconds` from now, in player->group_clocks.
void md5i_advance_group_clocks(md5_player *player, const md5_active_state *active, double seconds)
{
    const md5_blend_tree *const tree = active->tree;
    for (uint32_t i = 0; i < tree->num_groups; i++) {
        const uint32_t num_items = collect_sync_items(player, active, i);
        player->group_clocks[i] = md5i_sync_advance(
            player->sync_items, num_items, tree->groups[i].num_markers, active->groups[i], seconds);
    }
}

// Returns the clock of an active clip `seconds` from now. A clip in a group has the group's clock,
// which md5i_advance_group_clocks() must have advanced.
md5_clock md5i_instance_clock_after(const md5_player *player, const md5_active_state *active,
                                    uint32_t index, double seconds)
{
    const md5_instance_plan *const plan = &active->tree->instances[index];
    const md5_clip_instance *const instance = &active->instances[index];
    if (plan->group != MD5_NONE)
        return group_member_clock(active->tree, index, player->group_clocks);
    const double moved = fmax(fabs(seconds) - instance->seconds_at_end, 0.0);
    return md5i_clock_advance(plan->playable->timing, instance->clock,
                              instance->rate * copysign(moved, seconds));
}

// Updates the time since the end of a clip that is played once, after its clock was advanced by
// `seconds`. If the clip moves backward, its end is the first frame.
static void update_time_at_end(md5_clip_instance *instance, double seconds)
{
    const double cycles = instance->rate * seconds;
    const double end = cycles > 0 ? 1 : 0;
    const bool is_at_end = cycles != 0 && instance->clock.phase == end;
    const bool was_at_end = instance->clock_before.phase == end;
    if (!is_at_end) {
        instance->seconds_at_end = 0;
    } else if (was_at_end) {
        instance->seconds_at_end += fabs(seconds);
    } else {
        // The clip has stopped within the interval: convert the distance that it would have
        // advanced past its end to a time.
        const double excess = instance->clock_before.phase + cycles - instance->clock.phase;
        instance->seconds_at_end = fabs(excess / instance->rate);
    }
}

// Returns true if a clip without a weight can become inactive, so that its clock is no longer
// advanced: see md5_clip_instance for the clips that remain active.
static bool can_become_inactive(const md5_instance_plan *plan, const md5_clip_instance *instance,
                                uint32_t index)
{
    const bool must_remain_active =
        index == 0 || instance->is_at_start || plan->playable->mode == MD5_PLAY_ONCE;
    return !must_remain_active && instance->weight == 0 && instance->group_weight == 0;
}

// Advances the clock of an active clip by `seconds`. A member of a group gets the clock of the
// group, which is in player->group_clocks. Returns true if the clip becomes inactive because it no
// longer has a weight.
static bool advance_instance(const md5_player *player, md5_active_state *active, uint32_t index,
                             double seconds)
{
    const md5_blend_tree *const tree = active->tree;
    const md5_instance_plan *const plan = &tree->instances[index];
    md5_clip_instance *const instance = &active->instances[index];
    instance->is_at_start = instance->is_at_start
                            && md5_is_same_cycle_boundary(instance->clock_before, instance->clock);
    instance->clock_before = instance->clock;
    if (seconds == 0)
        return false;

    if (plan->group != MD5_NONE)
        instance->clock = group_member_clock(tree, index, player->group_clocks);
    else
        instance->clock =
            md5i_clock_advance(plan->playable->timing, instance->clock, instance->rate * seconds);
    if (plan->playable->mode == MD5_PLAY_ONCE)
        update_time_at_end(instance, seconds);

    if (!can_become_inactive(plan, instance, index))
        return false;
    instance->is_inactive = true;
    return true;
}

// Advances the phases of the inactive instances that are not in a group. If such a clip becomes
// active again, it continues as if it had always been played.
static void advance_inactive(md5_active_state *active, double seconds)
{
    const md5_blend_tree *const tree = active->tree;
    for (uint32_t i = active->first_inactive; i < tree->num_instances; i++) {
        const uint32_t index = active->active_instances[i];
        md5_clip_instance *const instance = &active->instances[index];
        const double cycles = instance->rate * seconds;
        const double phase = instance->clock.phase + cycles;
        if (phase >= 0 && phase < 1) // fast path: avoid the call
            instance->clock.phase = phase;
        else
            instance->clock = md5i_clock_advance(tree->instances[index].playable->timing,
                                                 instance->clock, cycles);
    }
}

// Advances an active state by `seconds`: its transition, and the clocks of its clips and groups.
// Clips that no longer have a weight become inactive.
void md5i_advance_state(md5_player *player, md5_active_state *active, double seconds)
{
    const md5_blend_tree *const tree = active->tree;
    active->elapsed += fabs(seconds);
    if (!tree)
        return;

    // player->group_clocks receives the new clocks of the groups.
    const bool moves = seconds != 0;
    const bool has_groups = moves && tree->num_groups > 0;
    if (has_groups)
        md5i_advance_group_clocks(player, active, seconds);

    bool has_new_inactive = false;
    for (uint32_t i = 0; i < active->num_active_instances; i++) {
        if (advance_instance(player, active, active->active_instances[i], seconds))
            has_new_inactive = true;
    }
    if (moves)
        advance_inactive(active, seconds);

    if (has_groups) {
        for (uint32_t i = 0; i < tree->num_groups; i++)
            active->groups[i] = player->group_clocks[i];
    }
    if (has_new_inactive)
        list_active_instances(active);
}

double md5i_active_time(const md5_active_state *active)
{
    return active->tree ? md5_clock_time(active->instances[0].clock) : 0;
}

// Returns the seconds that clip `index` of a state takes from one clock to another, at the current
// weights and speeds. The result is negative if time must run backward. It is not finite if the
// clip never arrives.
double md5i_instance_seconds(const md5_player *player, const md5_active_state *active,
                             uint32_t index, md5_clock from, md5_clock to)
{
    const md5_instance_plan *const plan = &active->tree->instances[index];
    const bool is_in_group = plan->group != MD5_NONE;
    if (!is_in_group) {
        const double cycles = md5_cycles_between(from, to);
        return cycles == 0 ? 0 : cycles / active->instances[index].rate;
    }

    // A member of a group follows the group's clock. Its rate depends on all members, and is
    // different between each pair of markers.
    const uint32_t num_markers = active->tree->groups[plan->group].num_markers;
    const double *const markers = plan->playable->source->markers;
    const md5_clock shared_from = md5i_sync_shared(markers, num_markers, from);
    const md5_clock shared_to = md5i_sync_shared(markers, num_markers, to);
    const uint32_t num_items = collect_sync_items(player, active, plan->group);
    return md5i_sync_seconds(player->sync_items, num_items, num_markers, shared_from, shared_to);
}

// Returns the weight of a state over the states below it in a range of the chain, `shift` seconds
// from now. This is the eased progress of its fade. The lowest state has the weight 1, unless a
// frozen pose is below it.
float md5i_fade_in(md5_layer_state *layer_state, md5_chain_range part, uint32_t position,
                   double shift)
{
    const bool is_lowest = position == part.begin && !part.has_snapshot;
    if (is_lowest)
        return 1;
    const md5_active_state *const active = md5_active_at(layer_state, position);
    const double progress = md5_fade_progress(active->elapsed + shift, active->duration);
    return md5_clamped_ease(active->easing, progress);
}
