// Results of layers other than poses: root motion, weights of morph targets, curves and open
// windows.
//
// Root motion is the displacement of a character's root: a translation and a yaw. The displacements
// of an interval are blended like poses: clips to states, states to layers, then layers and
// one-shot clips to the player. The weights of morph targets and the values of curves are sums of
// the machine's morph_rows. They are also blended like poses.
//
// The active states of a layer form a chain, oldest first. Each state fades in over the states
// before it. A part of the chain is a range of these states. The oldest part can be replaced by a
// frozen pose. This is the result of the part at that time, and does not play.
#include "md5/play/run/player_state.h"

// == Root motion ================================================================================

// Directions in which rotate_by_half_yaw() rotates.
#define YAW_LEFT 1.0
#define YAW_RIGHT (-1.0)

// Rotates the translation of a displacement by half of its yaw, to the left or to the right
// (`side`). The yaw itself does not change. A rotation to the right turns a movement on an arc into
// a movement straight ahead.
//
// The sum of the vectors (1, 0) and (cosine, sine) has half of the yaw. Its length is
//
//   sqrt(2 + 2 cosine)
static md5_root_delta rotate_by_half_yaw(md5_root_delta delta, double side)
{
    const double length = sqrt(fmax(2 + 2 * delta.cosine, 1e-12));
    const double c = (1 + delta.cosine) / length;
    const double s = side * delta.sine / length;
    const double x = delta.x;
    const double y = delta.y;
    delta.x = c * x - s * y;
    delta.y = s * x + c * y;
    return delta;
}

// Blends two displacements. Returns exactly `a` for t = 0 and exactly `b` for t = 1. The
// displacements are first rotated to the middle of their arcs, so that the blend of two arcs is the
// arc between them. Directions are blended linearly and normalized, which is accurate enough for
// short intervals.
static md5_root_delta blend_deltas(md5_root_delta a, md5_root_delta b, double t)
{
    if (t <= 0)
        return a;
    if (t >= 1)
        return b;
    const md5_root_delta straight_a = rotate_by_half_yaw(a, YAW_RIGHT);
    const md5_root_delta straight_b = rotate_by_half_yaw(b, YAW_RIGHT);
    return rotate_by_half_yaw(md5_root_delta_lerp(straight_a, straight_b, t), YAW_LEFT);
}

// Returns the displacement `a`, followed by the fraction `t` of the displacement `b`.
static md5_root_delta append_fraction(md5_root_delta a, md5_root_delta b, double t)
{
    return md5_root_delta_mul(a, blend_deltas(MD5_NO_DELTA, b, t));
}

// Returns the displacement of a clip from one clock to another. *last caches the root position at
// the second clock, because the next interval starts there.
static md5_root_delta clip_root_delta(const md5_source *source, const md5_timing *timing,
                                      md5_clock before, md5_clock current, md5_root_position *last)
{
    if (source->root_extraction == MD5_ROOT_EXTRACTION_NONE)
        return MD5_NO_DELTA;
    const md5_root_track track = md5_get_root_track(source);
    const md5_root_position from =
        md5_is_position_at(last, before) ? *last : md5_root_position_at(&track, timing, before);
    *last = md5_root_position_at(&track, timing, current);
    return md5i_root_delta_between(&track, &from, last);
}

// Returns the displacement of a clip of a state in the last interval.
static md5_root_delta instance_root_delta(const md5_instance_plan *plan,
                                          md5_clip_instance *instance)
{
    return clip_root_delta(plan->playable->source, plan->playable->timing, instance->clock_before,
                           instance->clock, &instance->root);
}

// Blends the displacement of an item into the displacement of its motion, which is a blend space or
// a stack. `weight` is the weight of the item. `sum` is the sum of the weights of this item and the
// items before it. Blending each item by weight / sum gives the weighted mean of all items.
static md5_root_delta blend_item_delta(const md5_player *player, const md5_motion *motion,
                                       const md5_item *item, float weight, float sum,
                                       md5_root_delta motion_delta, md5_root_delta item_delta)
{
    const double mask_weight = (double)weight * md5_mask_weight(player->machine, item->mask, 0);
    if (motion->kind != MD5_MOTION_STACK)
        return blend_deltas(motion_delta, item_delta, (weight / sum));
    if (item->mode == MD5_LAYER_OVERRIDE)
        return blend_deltas(motion_delta, item_delta, mask_weight);
    return append_fraction(motion_delta, item_delta, mask_weight);
}

// Blends the last displacement of the stack player->root_deltas, an item's displacement, into the
// displacement of the item's motion, which is below it. The displacement of the first item becomes
// the displacement of the motion. blended_weights[part] is the sum of the weights that were already
// blended into a part.
static void blend_last_delta(const md5_player *player, const md5_active_state *active,
                             const md5i_part *part, uint32_t *num_deltas)
{
    const float weight = active->weights[part->weight];
    float *const sum = &player->blended_weights[part->parent];
    const bool is_first = *sum == 0;
    *sum += weight;
    if (is_first)
        return;

    md5_root_delta *const last = &player->root_deltas[*num_deltas - 1];
    md5_root_delta *const into = last - 1;
    *into = blend_item_delta(player, active->tree->parts[part->parent].motion, part->item, weight,
                             *sum, *into, *last);
    (*num_deltas)--;
}

// Returns the displacement of a state in the last interval. The items of a motion precede it in a
// blend tree, so a loop with a stack can blend them.
static md5_root_delta state_root_delta(md5_player *player, const md5_active_state *active)
{
    const md5_blend_tree *const tree = active->tree;
    if (!tree || !tree->has_root_motion)
        return MD5_NO_DELTA;
    if (tree->num_parts == 1) // a clip
        return instance_root_delta(tree->instances, &active->instances[0]);

    uint32_t num_deltas = 0;
    memset(player->blended_weights, 0, tree->num_parts * sizeof *player->blended_weights);
    for (uint32_t i = 0; i < tree->num_parts; i++) {
        const md5i_part *const part = &tree->parts[i];
        if (active->flows[i].total == 0)
            continue;
        const bool is_clip = part->motion->num_items == 0;
        if (is_clip)
            player->root_deltas[num_deltas++] =
                instance_root_delta(&tree->instances[part->first], &active->instances[part->first]);
        if (part->parent != MD5_NONE)
            blend_last_delta(player, active, part, &num_deltas);
    }
    return player->root_deltas[0];
}

// -- Inertial transitions -----------------------------------------------------------------------

// Length of a short time step, seconds. The current velocity of the root is measured as its
// displacement in such a step. The step ends now (`is_before`) or begins now.
#define ROOT_STEP (1.0 / 256.0)

// During an inertial transition, the difference of the root velocities before and after the change
// of state decreases to 0. Returns the integral of the remaining fraction q of the difference over
// time, in seconds. The integral extends from the start of the transition to `shift` seconds from
// now. With s = elapsed / duration,
//
//   q = 1 - 10 s^3 + 15 s^4 - 6 s^5
//
// This is the curve of a pose offset that starts at rest. With the integral, displacements do not
// depend on the division of time into steps.
static double remaining_integral(md5_fade_time time, double shift)
{
    if (!(time.duration > 0)) // the player was restored
        return 0;
    const double s = md5_smaller((time.elapsed + shift) / time.duration, 1);
    return time.duration * s * (1 - s * s * s * (2.5 - s * (3 - s)));
}

// Returns the displacement of a root that moves with a constant velocity for a number of seconds.
// It is an arc if the root turns. To avoid trigonometric functions, a quarter of the yaw is used as
// its own tangent t, which is accurate for small angles:
//
//   cos(yaw / 2) = (1 - t^2) / (1 + t^2)
//   sin(yaw / 2) = 2 t / (1 + t^2)
static md5_root_delta delta_from_velocity(const md5_root_velocity *velocity, double seconds)
{
    const double *const v = velocity->v;
    const double t = v[3] * seconds;
    const double half_cosine = (1 - t * t) / (1 + t * t);
    const double half_sine = 2 * t / (1 + t * t);
    const md5_root_delta straight = {
        .x = v[0] * seconds,
        .y = v[1] * seconds,
        .z = v[2] * seconds,
        .cosine = half_cosine * half_cosine - half_sine * half_sine,
        .sine = 2 * half_cosine * half_sine,
    };
    return rotate_by_half_yaw(straight, YAW_LEFT);
}

// Prepares the clocks of a state's clips for clip_root_delta(), which then measures a time step of
// ROOT_STEP seconds. The step ends now (`is_before`) or begins now. The value of clock_before is
// lost, and reset_adjacent_clocks() restores the current clock.
static void set_adjacent_clocks(md5_player *player, md5_active_state *active, bool is_before)
{
    const double shift = is_before != player->is_backward ? -ROOT_STEP : ROOT_STEP;
    md5i_advance_group_clocks(player, active, shift);
    for (uint32_t i = 0; i < active->num_active_instances; i++) {
        const uint32_t index = active->active_instances[i];
        md5_clip_instance *const instance = &active->instances[index];
        const md5_clock adjacent = md5i_instance_clock_after(player, active, index, shift);
        instance->is_at_start =
            instance->is_at_start
            && md5_is_same_cycle_boundary(instance->clock_before, instance->clock);
        if (is_before) {
            instance->clock_before = adjacent;
        } else {
            instance->clock_before = instance->clock;
            instance->clock = adjacent;
        }
    }
}

// Sets both clocks of a state's clips to the current clock, after set_adjacent_clocks().
static void reset_adjacent_clocks(md5_active_state *active, bool is_before)
{
    for (uint32_t i = 0; i < active->num_active_instances; i++) {
        md5_clip_instance *const instance = &active->instances[active->active_instances[i]];
        if (is_before)
            instance->clock_before = instance->clock;
        else
            instance->clock = instance->clock_before;
    }
}

// Returns the displacement of a state's root in a time step of ROOT_STEP seconds. The step ends now
// (`is_before`) or begins now.
static md5_root_delta adjacent_root_delta(md5_player *player, md5_active_state *active,
                                          bool is_before)
{
    const md5_blend_tree *const tree = active->tree;
    if (!tree || !tree->has_root_motion)
        return MD5_NO_DELTA;

    set_adjacent_clocks(player, active, is_before);
    const md5_root_delta delta = state_root_delta(player, active);
    reset_adjacent_clocks(active, is_before);
    return delta;
}

// Returns the root velocity of a part of the chain just before (`is_before`) or just after the
// current time. Both differ if the states of the part have just started. States are blended as in
// layer_root_delta(). `covered` is the weight of the states up to now that have a motion.
static md5_root_velocity measure_root_velocity(md5_player *player, md5_layer_state *layer_state,
                                               md5_chain_range part, bool is_before)
{
    const double rate = (player->is_backward ? -1 : 1) / ROOT_STEP; // steps per second
    md5_root_delta delta = MD5_NO_DELTA;
    double covered = 0;
    if (part.has_snapshot) {
        covered = layer_state->coverage;
        delta = delta_from_velocity(&layer_state->frozen_root, 1.0 / rate);
    }

    for (uint32_t i = part.begin; i < part.end; i++) {
        md5_active_state *const active = md5_active_at(layer_state, i);
        const double fade = md5i_fade_in(layer_state, part, i, 0);
        const double state_coverage = active->tree ? fade : 0;
        covered = (1 - fade) * covered + state_coverage;
        if (state_coverage > 0)
            delta = blend_deltas(delta, adjacent_root_delta(player, active, is_before),
                                 state_coverage / covered);
    }

    delta = rotate_by_half_yaw(delta, YAW_RIGHT);
    return (md5_root_velocity){
        {rate * delta.x, rate * delta.y, rate * delta.z, 0.25 * rate * delta.sine}};
}

// -- Layers -------------------------------------------------------------------------------------

// Returns true if an active state of a layer has root motion, or if its frozen pose or its offsets
// may have root motion.
static bool has_root_motion(md5_layer_state *layer_state)
{
    for (uint32_t i = 0; i < layer_state->num_used; i++) {
        const md5_blend_tree *const tree = md5_active_at(layer_state, i)->tree;
        if (tree && tree->has_root_motion)
            return true;
    }
    return layer_state->has_snapshot || layer_state->has_offsets;
}

// Returns half of the displacement over the last `seconds` that results from the remaining velocity
// difference of an inertial transition. The caller applies this half twice: before and after the
// displacement of the clips.
static md5_root_delta half_offset_delta(const md5_layer_state *layer_state, double seconds)
{
    const double integral_at_end = remaining_integral(layer_state->settling, 0);
    const double integral_at_start = remaining_integral(layer_state->settling, -fabs(seconds));
    const double half_time = 0.5 * (integral_at_end - integral_at_start);
    return delta_from_velocity(&layer_state->root_offset, copysign(half_time, seconds));
}

// Returns the weight that the active states of a layer leave to the frozen pose below them, 0..1.
static double weight_of_frozen_pose(md5_layer_state *layer_state)
{
    double uncovered = 1;
    for (uint32_t i = 0; i < layer_state->num_used; i++)
        uncovered -= md5_active_at(layer_state, i)->weight;
    return fmax(uncovered, 0.0);
}

// Returns the root motion of a layer over the last `seconds`. A frozen pose continues with the
// velocity that it had when it was frozen. Sets *coverage to the total weight of the states with a
// motion and of the frozen pose; the root motion of the layers below has the remaining weight.
static md5_root_delta layer_root_delta(md5_player *player, md5_layer_state *layer_state,
                                       double seconds, double *coverage)
{
    md5_root_delta delta = MD5_NO_DELTA;
    *coverage = 0;
    if (layer_state->has_snapshot) {
        delta = delta_from_velocity(&layer_state->frozen_root, seconds);
        *coverage = weight_of_frozen_pose(layer_state) * layer_state->coverage;
    }

    for (uint32_t i = 0; i < layer_state->num_used; i++) {
        const md5_active_state *const active = md5_active_at(layer_state, i);
        if (!active->tree || active->weight == 0)
            continue;
        *coverage += active->weight;
        delta = blend_deltas(delta, state_root_delta(player, active), active->weight / *coverage);
    }
    if (!layer_state->has_offsets)
        return delta;

    // Half of the remaining velocity difference is applied before the displacement, and the other
    // half after it.
    const md5_root_delta half = half_offset_delta(layer_state, seconds);
    return md5_root_delta_mul(md5_root_delta_mul(half, delta), half);
}

// Returns the mean weight of a one-shot clip at joint 0 over the last `seconds`, by Simpson's rule,
// like compute_chain_weights() in advance.c.
static float mean_root_weight(const md5_player *player, const md5_one_shot *one_shot,
                              double seconds)
{
    const float at_start = md5i_one_shot_weight(player, one_shot, -seconds, 0);
    const float in_middle = md5i_one_shot_weight(player, one_shot, -0.5 * seconds, 0);
    const float at_end = md5i_one_shot_weight(player, one_shot, 0, 0);
    const float mean = (at_start + 4 * in_middle + at_end) / 6.0f;
    return mean * md5_mask_weight(player->machine, one_shot->mask, 0);
}

// Computes the weight with which each one-shot clip of a slot is blended over the older clips. The
// newest clip fades in while the older clips fade out. A clip covers the older clips by its weight,
// unless it is additive.
static void compute_blend_weights(const md5_player *player, const md5_one_shot_slot *slot,
                                  double seconds, float *blend_weights)
{
    float covered = 0; // sum of the weights of newer clips
    for (uint32_t i = slot->num_one_shots; i-- > 0;) {
        const md5_one_shot *const one_shot = &slot->one_shots[i];
        const float weight = mean_root_weight(player, one_shot, seconds);
        blend_weights[i] = md5i_one_shot_blend_weight(weight, covered);
        covered += one_shot->mode == MD5_LAYER_ADD ? 0 : weight;
    }
}

// Returns the displacement of a one-shot clip from the start to the end of the interval.
static md5_root_delta one_shot_root_delta(const md5_machine *machine, const md5_one_shot *one_shot)
{
    md5_root_position last = {.clock = {.phase = -1}}; // a phase of no clock: nothing is cached
    return clip_root_delta(&machine->sources[one_shot->source],
                           md5_one_shot_timing(machine, one_shot), one_shot->clock_before,
                           one_shot->clock, &last);
}

// Blends the root motion of the one-shot clips that are played directly over the lowest `num_below`
// layers, in the order of their poses.
static void add_one_shots(const md5_player *player, uint32_t num_below, double seconds,
                          md5_root_delta *delta)
{
    for (uint32_t i = 0; i < player->machine->num_slots; i++) {
        const md5_one_shot_slot *const slot = &player->slots[i];
        float blend_weights[MD5_SLOT_ONE_SHOTS];
        compute_blend_weights(player, slot, seconds, blend_weights);
        for (uint32_t j = 0; j < slot->num_one_shots; j++) {
            const md5_one_shot *const one_shot = &slot->one_shots[j];
            if (one_shot->num_below != num_below)
                continue;
            const md5_root_delta clip_delta = one_shot_root_delta(player->machine, one_shot);
            if (one_shot->mode == MD5_LAYER_ADD)
                *delta = append_fraction(*delta, clip_delta, blend_weights[j]);
            else
                *delta = blend_deltas(*delta, clip_delta, blend_weights[j]);
        }
    }
}

// Blends the root motion of a layer over *delta, the root motion of the layers below. *is_moving is
// true if a layer below has root motion. It becomes true if this layer is blended.
//
// A layer without root motion counts as standing: it slows down a moving layer below it. If no
// layer below moves, it has no effect.
static void add_layer(md5_player *player, uint32_t index, double seconds, bool *is_moving,
                      md5_root_delta *delta)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const layer = &machine->layers[index];
    md5_layer_state *const layer_state = &player->layer_states[index];
    const bool moves = layer->has_root_motion && has_root_motion(layer_state);
    const bool slows_down = *is_moving && layer->mode != MD5_LAYER_ADD;
    if (!moves && !slows_down)
        return;
    const double max_weight =
        (double)md5i_rule_weight(player, &layer->weight) * md5_mask_weight(machine, layer->mask, 0);
    if (max_weight == 0)
        return;

    double coverage;
    const double signed_seconds = player->is_backward ? -seconds : seconds;
    const md5_root_delta layer_delta =
        layer_root_delta(player, layer_state, signed_seconds, &coverage);
    const double weight = coverage * max_weight;
    if (layer->mode == MD5_LAYER_ADD)
        *delta = append_fraction(*delta, layer_delta, weight);
    else
        *delta = blend_deltas(*delta, layer_delta, weight);
    *is_moving = true;
}

// Returns the blended root motion of all layers and one-shot clips over the last interval, which
// was `seconds` long.
md5_root_delta md5i_step_root_delta(md5_player *player, double seconds)
{
    const uint32_t num_layers = player->machine->tables.num_layers;
    md5_root_delta delta = MD5_NO_DELTA;
    bool is_moving = player->num_one_shots > 0;
    for (uint32_t i = 0; i < num_layers; i++) {
        add_layer(player, i, seconds, &is_moving, &delta);
        if (player->num_one_shots > 0)
            add_one_shots(player, i + 1, seconds, &delta);
    }
    if (num_layers == 0 && player->num_one_shots > 0)
        add_one_shots(player, 0, seconds, &delta);
    return delta;
}

// == Morph targets and curves ===================================================================
//
// A curve is a number that is animated over the frames of clips. A row of the machine's morph_rows
// connects a morph target or a curve to one source of its value: a state, a clip, a parameter, a
// curve or a window. The sum of all rows with the same target is its value. A curve has a second
// sum, the weight of the clips that contain it.
//
// Sums are computed when the game requests them. Only values that outlive their states are stored:
// the sums of a frozen pose and the differences of inertial transitions.
//
// The sums of a chain of states are blended like its poses, blend(blend(A, B), C), for each target,
// so that they fade together with the poses.

// Limit of a parameter that drives a target, so that the sum of all rows is finite.
static const float MAX_VALUE = 1e6f;

// Returns the index of the first key of a row after a frame, by binary search.
static uint32_t find_next_key(const md5_sum_row *row, uint32_t frame)
{
    uint32_t low = 0;
    uint32_t high = row->num_keys;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (row->keys[middle].frame <= frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Returns the value of a row's keys at a frame: eased between two keys, constant before the first
// key and after the last key.
static float weight_at_frame(const md5_sum_row *row, uint32_t frame)
{
    const md5_morph_key *const keys = row->keys;
    const uint32_t next = find_next_key(row, frame);
    if (next == 0)
        return keys[0].weight;
    const md5_morph_key *const from = &keys[next - 1];
    if (next == row->num_keys || from->frame == frame)
        return from->weight;

    const md5_morph_key *const to = &keys[next];
    float fraction = (float)(frame - from->frame) / (float)(to->frame - from->frame);
    if (row->easing && row->easing->kind != MD5_EASE_LINEAR)
        fraction = (float)md5i_eased(row->easing, fraction);
    return from->weight + (to->weight - from->weight) * fraction;
}

// Returns the value of a row's keys at a sample position, interpolated linearly between two frames.
static float weight_at_sample(const md5_sum_row *row, const md5_sample_position *sample)
{
    const float from = weight_at_frame(row, sample->frame0);
    const float to = weight_at_frame(row, sample->frame1);
    return from + (to - from) * sample->fraction;
}

// Returns the weighted sum of a row's keys over those clips of a state that play the row's clip.
// Sets *clip_weight to the weight of these clips in the state.
static float sum_clip_keys(const md5_player *player, const md5_active_state *active,
                           const md5_sum_row *row, float *clip_weight)
{
    const md5_source *const source = &player->machine->sources[row->source];
    float sum = 0;
    *clip_weight = 0;
    for (uint32_t i = 0; i < active->num_active_instances; i++) {
        const uint32_t index = active->active_instances[i];
        const md5_playable *const playable = active->tree->instances[index].playable;
        const md5_clip_instance *const instance = &active->instances[index];
        if (playable->source != source || instance->weight == 0)
            continue;

        const md5_sample_position sample = md5_instance_sample_position(playable, instance);
        sum += instance->weight * weight_at_sample(row, &sample);
        *clip_weight += instance->weight;
    }
    return sum;
}

// Returns the contribution of a row to its sum while a state has the weight 1. If the state drives
// the row, this is the weight of the row. If a clip drives it, this is the weight of the row times
// its keys at the positions of the state's clips. Sets *clip_weight to the weight of the row's clip
// in the state.
static float state_weight(const md5_player *player, uint32_t layer, const md5_active_state *active,
                          const md5_sum_row *row, float *clip_weight)
{
    if (row->drive == MD5_MORPH_BY_CLIP)
        return row->weight * sum_clip_keys(player, active, row, clip_weight);
    *clip_weight = 0;
    const bool is_driven =
        row->drive == MD5_MORPH_BY_STATE && row->layer == layer && row->source == active->state;
    return is_driven ? row->weight : 0;
}

// A range of sums that are computed together. All rows of these sums are in a range of rows.
typedef struct sum_range {
    uint32_t first; // first sum
    uint32_t count; // number of sums
    uint32_t first_row;
    uint32_t end_row;
} sum_range;

// Returns the range of all sums of a machine. A sum is the blended weight of a morph target, a
// curve or a modifier.
static sum_range all_sums(const md5_machine *machine)
{
    return (sum_range){
        .first = 0,
        .count = machine->num_sums,
        .first_row = 0,
        .end_row = machine->num_rows,
    };
}

// Adds the sums of a state, multiplied by its fade weight, to `weights`, which begins at the first
// sum of the range. A curve has a second sum, the weight of the clips that contain it.
static void add_state_sums(const md5_player *player, uint32_t layer, const md5_active_state *active,
                           float fade, sum_range range, float *weights)
{
    for (uint32_t i = range.first_row; i < range.end_row; i++) {
        const md5_sum_row *const row = &player->machine->morph_rows[i];
        const bool is_in_range =
            row->target >= range.first && row->target - range.first < range.count;
        if (!is_in_range)
            continue;
        const uint32_t sum = row->target - range.first;
        float clip_weight;
        weights[sum] += fade * state_weight(player, layer, active, row, &clip_weight);
        if (row->target_kind == MD5_SUM_CURVE)
            weights[sum + MD5_CURVE_CLIP_WEIGHT] += fade * clip_weight;
    }
}

// Computes sums of a part of a layer's chain, without the layer's weight: the blend of its frozen
// pose and states, and the remaining difference of an inertial transition. `weights` may be the
// layer's frozen_morphs.
static void compute_sums(const md5_player *player, uint32_t layer, md5_chain_range part,
                         sum_range range, float *weights)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    for (uint32_t i = 0; i < range.count; i++)
        weights[i] = part.has_snapshot ? layer_state->frozen_morphs[range.first + i] : 0;

    for (uint32_t k = part.begin; k < part.end; k++) {
        const float fade = md5i_fade_in(layer_state, part, k, 0);
        for (uint32_t i = 0; i < range.count; i++)
            weights[i] *= 1 - fade;
        add_state_sums(player, layer, md5_active_at(layer_state, k), fade, range, weights);
    }

    const md5_fade_time *const settling = &layer_state->settling;
    if (!part.has_offsets || !(settling->elapsed < settling->duration))
        return;
    const float left = md5_remaining_offset(0, (float)settling->elapsed, (float)settling->duration);
    for (uint32_t i = 0; i < range.count; i++)
        weights[i] += left * layer_state->morph_offsets[range.first + i];
}

// Returns the row of another machine with the same kind and name, or NULL. The search begins at
// `index`, where the row is in most cases.
static const md5_sum_row *find_morph_row(const md5_machine *machine, const md5_sum_row *row,
                                         uint32_t index)
{
    for (uint32_t k = 0; k < machine->num_rows; k++) {
        const md5_sum_row *const candidate = &machine->morph_rows[(index + k) % machine->num_rows];
        if (candidate->target_kind == row->target_kind && strcmp(candidate->name, row->name) == 0)
            return candidate;
    }
    return NULL;
}

// Copies the blended weights of morphs, curves and modifiers from another player. If the players
// have different machines, weights are matched by name. Weights without a match become 0.
void md5i_copy_sums(const md5_player *player, const md5_player *old_player,
                    const float *old_weights, float *weights)
{
    const md5_machine *const machine = player->machine;
    const md5_machine *const old_machine = old_player->machine;
    for (uint32_t i = 0; i < machine->num_sums; i++)
        weights[i] = machine == old_machine ? old_weights[i] : 0;
    if (machine == old_machine)
        return;

    for (uint32_t i = 0; i < machine->num_rows; i++) {
        const md5_sum_row *const row = &machine->morph_rows[i];
        const md5_sum_row *const old_row = find_morph_row(old_machine, row, i);
        if (!old_row)
            continue;
        for (uint32_t k = 0; k < md5_num_row_sums(row); k++)
            weights[row->target + k] = old_weights[old_row->target + k];
    }
}

enum { NUM_ROOT_COMPONENTS = MD5_COUNT(((md5_root_velocity *)0)->v) };

// Returns the velocity of the root before a change of state. This is the velocity of the clips.
// During an inertial transition, the remaining velocity difference is added. Each component is
// limited to the larger of the clips' velocity and the velocity at the start of that transition.
static md5_root_velocity old_root_velocity(md5_player *player, md5_layer_state *layer_state,
                                           md5_chain_range chain)
{
    const md5_root_velocity clips = measure_root_velocity(player, layer_state, chain, true);
    const md5_fade_time settling = layer_state->settling;
    md5_root_velocity previous = {{0}};
    float left = 0; // remaining fraction of the offset
    if (chain.has_offsets) {
        previous = layer_state->root_velocity;
        left = md5_remaining_offset(0, (float)settling.elapsed, (float)settling.duration);
    }

    md5_root_velocity result;
    for (uint32_t i = 0; i < NUM_ROOT_COMPONENTS; i++) {
        const double limit = fmax(fabs(clips.v[i]), fabs(previous.v[i]));
        const double velocity = clips.v[i] + left * layer_state->root_offset.v[i];
        result.v[i] = fmin(fmax(velocity, -limit), limit);
    }
    return result;
}

// Keeps the velocity of the root continuous in an inertial transition. Stores the velocity of the
// old motion, and its difference from the velocity of the new motion. This difference then
// decreases to 0.
static void carry_root_velocity(md5_player *from, md5_layer_state *old_state,
                                md5_chain_range old_chain, md5_player *player,
                                md5_layer_state *layer_state, md5_chain_range new_chain)
{
    // If the previous transition began at this instant, the stored velocity is still valid.
    if (!old_chain.has_offsets || old_state->settling.elapsed > MD5_BORDER)
        layer_state->root_velocity = old_root_velocity(from, old_state, old_chain);

    const md5_root_velocity velocity = measure_root_velocity(player, layer_state, new_chain, false);
    for (uint32_t i = 0; i < NUM_ROOT_COMPONENTS; i++)
        layer_state->root_offset.v[i] = layer_state->root_velocity.v[i] - velocity.v[i];
}

// Begins an inertial transition of a layer's root motion and morphs. Stores the difference between
// the old and the new values, which decays during the transition. The old part of a chain may
// belong to another player.
void md5i_begin_motion_offsets(md5_player *from, uint32_t old_layer, md5_chain_range old_chain,
                               md5_player *player, uint32_t layer, md5_chain_range new_chain)
{
    md5_layer_state *const old_state = &from->layer_states[old_layer];
    md5_layer_state *const layer_state = &player->layer_states[layer];
    if (player->machine->layers[layer].has_root_motion)
        carry_root_velocity(from, old_state, old_chain, player, layer_state, new_chain);
    // Compute the old sums before the new sums are written, because both may be stored in the same
    // arrays.
    const sum_range all = all_sums(player->machine);
    compute_sums(from, old_layer, old_chain, all_sums(from->machine), from->morphs);
    compute_sums(player, layer, new_chain, all, layer_state->frozen_morphs);
    md5i_copy_sums(player, from, from->morphs, layer_state->morph_offsets);
    for (uint32_t i = 0; i < all.count; i++)
        layer_state->morph_offsets[i] -= layer_state->frozen_morphs[i];
}

// Stores the root motion and morphs of a part of a layer's chain that becomes a frozen pose.
void md5i_freeze_motion(md5_player *player, uint32_t layer, md5_chain_range oldest)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    if (player->machine->layers[layer].has_root_motion)
        layer_state->frozen_root = measure_root_velocity(player, layer_state, oldest, true);
    compute_sums(player, layer, oldest, all_sums(player->machine), layer_state->frozen_morphs);
}

// The effect of a slot's one-shot clips on a curve. The slot replaces the fraction `covered` of the
// value below it, and adds `sum`.
typedef struct slot_curve {
    float sum;     // values of the clips, times their weights
    float covered; // total weight of the overriding clips that contain the curve, 0 to 1
} slot_curve;

// Adds a one-shot clip to the curve of its slot, if the clip contains the curve. `target` is the
// index of the curve's sum. `override_weight` is `weight`, or 0 if the clip is additive.
static void add_one_shot_curve(const md5_player *player, const md5_one_shot *one_shot,
                               uint32_t target, float weight, float override_weight,
                               slot_curve *curve)
{
    const md5_machine *const machine = player->machine;
    const md5_sample_position sample = md5_one_shot_sample_position(machine, one_shot);
    for (uint32_t i = 0; i < machine->num_curves; i++) {
        const md5_sum_row *const row = &machine->curves[i];
        if (row->target != target || row->source != one_shot->source)
            continue;
        curve->covered += override_weight;
        curve->sum += weight * weight_at_sample(row, &sample);
    }
}

// Applies the one-shot clips that are played directly above the first `num_below` layers to a
// curve. `target` is the index of the curve's sum. `value` is the curve's value below the clips.
// Returns the new value.
//
// The weights of a slot's clips have at most the sum 1, as in the blend of their poses. The newest
// clip gets its weight first. Each older clip gets at most the weight that is left. Additive clips
// do not use up weight.
static float add_one_shot_curves(const md5_player *player, uint32_t num_below, uint32_t target,
                                 float value)
{
    for (uint32_t i = 0; i < player->machine->num_slots; i++) {
        const md5_one_shot_slot *const slot = &player->slots[i];
        slot_curve curve = {0};
        float remaining_weight = 1;
        for (uint32_t k = slot->num_one_shots; k-- > 0;) { // newest first
            const md5_one_shot *const one_shot = &slot->one_shots[k];
            const float one_shot_weight = md5i_one_shot_weight(player, one_shot, 0, 0);
            const float weight = fminf(one_shot_weight, remaining_weight);
            const float override_weight = one_shot->mode == MD5_LAYER_ADD ? 0 : weight;
            remaining_weight -= override_weight;
            if (one_shot->num_below == num_below)
                add_one_shot_curve(player, one_shot, target, weight, override_weight, &curve);
        }
        value += curve.sum - curve.covered * value; // (1 - covered) * value + sum
    }
    return value;
}

// Returns the value of an animation curve, a weighted sum over all clips that contain it. In a
// layer that overrides, these clips replace the value of the layers below by their weight. In an
// additive layer, they add to it. Weights must be up to date: see md5i_update_weights().
static float curve_value(const md5_player *player, uint32_t curve)
{
    const md5_machine *const machine = player->machine;
    const uint32_t num_layers = machine->tables.num_layers;
    const uint32_t sum = machine->curves[curve].target;
    const uint32_t first_curve_row = machine->tables.num_morphs; // after the rows of morphs
    const sum_range range = {
        .first = sum,
        .count = MD5_NUM_CURVE_SUMS,
        .first_row = first_curve_row + curve,
        .end_row = first_curve_row + machine->num_curves,
    };

    // With layers, each one-shot clip is played over at least one of them.
    float value = num_layers == 0 ? add_one_shot_curves(player, 0, sum, 0) : 0;
    for (uint32_t i = 0; i < num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        float sums[MD5_NUM_CURVE_SUMS];
        compute_sums(player, i, md5_complete_chain(&player->layer_states[i]), range, sums);
        const float clip_weight = fminf(fmaxf(sums[MD5_CURVE_CLIP_WEIGHT], 0.0f), 1.0f);
        const float covered = layer->mode == MD5_LAYER_ADD ? 0 : clip_weight;
        const float layer_weight = md5i_rule_weight(player, &layer->weight);
        value += layer_weight * (sums[MD5_CURVE_VALUE] - covered * value);
        value = add_one_shot_curves(player, i + 1, sum, value);
    }
    return value;
}

// Returns the current value of a curve: a number that is animated over the frames of clips
// (md5_clip_curve), such as the brightness of a glowing eye.
float md5_player_curve(const md5_player *player, uint32_t curve)
{
    MD5_ASSERT_PLAYER(player);
    md5i_update_weights((md5_player *)player); // only updates values that are derived from others
    return curve < player->machine->num_curves ? curve_value(player, curve) : 0;
}

// Returns the weight with which a window is open: the largest weight of the clips that are inside
// the window. Returns 0 if the window is closed.
float md5_player_window(const md5_player *player, uint32_t window)
{
    MD5_ASSERT_PLAYER(player);
    float max_weight = 0;
    for (uint32_t i = 0; i < player->machine->num_windows; i++) {
        if (player->machine->windows[i].window == window)
            max_weight = md5_larger(max_weight, player->windows[i].weight);
    }
    return max_weight;
}

// Returns the contribution of a row that a state drives: the weight of the state in its layer,
// times the weights of the row and of the layer.
static float state_driver_value(const md5_player *player, uint32_t row_index)
{
    const md5_machine *const machine = player->machine;
    const md5_sum_row *const row = &machine->morph_rows[row_index];
    const sum_range only_row = {
        .first = row->target, .count = 1, .first_row = row_index, .end_row = row_index + 1};
    float sum = 0;
    compute_sums(player, row->layer, md5_complete_chain(&player->layer_states[row->layer]),
                 only_row, &sum);
    return sum * md5i_rule_weight(player, &machine->layers[row->layer].weight);
}

// Returns the contribution of the one-shot clips that play the clip of a row: the values of the
// row's keys, times the weights of the one-shot clips.
static float one_shot_driver_value(const md5_player *player, const md5_sum_row *row)
{
    float sum = 0;
    const md5_one_shot *one_shot;
    md5_one_shot_iterator iterator = {0};
    while ((one_shot = md5_next_one_shot(player, &iterator)) != NULL) {
        if (one_shot->source != row->source)
            continue;
        const md5_sample_position sample = md5_one_shot_sample_position(player->machine, one_shot);
        sum += md5i_one_shot_weight(player, one_shot, 0, 0) * weight_at_sample(row, &sample);
    }
    return sum;
}

// Returns the current value of the source that drives a morph or a modifier: a parameter, the
// weight of a state, a curve, a window, or the weight of a one-shot clip.
float md5i_driver_value(const md5_player *player, uint32_t row_index)
{
    const md5_sum_row *const row = &player->machine->morph_rows[row_index];
    switch (row->drive) {
    case MD5_MORPH_BY_PARAMETER:
        return fminf(fmaxf(player->parameters[row->source], -MAX_VALUE), MAX_VALUE);
    case MD5_MORPH_BY_STATE:
        return state_driver_value(player, row_index);
    case MD5_MORPH_BY_CURVE:
        return curve_value(player, row->source);
    case MD5_MORPH_BY_WINDOW:
        return md5_player_window(player, row->source);
    default: // MD5_MORPH_BY_CLIP
        return one_shot_driver_value(player, row);
    }
}

// Writes the current weights of all morph targets that the machine controls. Sources other than
// states are added once; states contribute per layer, times the weight of the layer.
void md5_player_morphs(const md5_player *player, float *weights)
{
    MD5_ASSERT_PLAYER(player);
    const md5_machine *const machine = player->machine;
    const uint32_t count = machine->num_morphs;
    const sum_range named = {
        .first = 0,
        .count = count,
        .first_row = 0,
        .end_row = machine->tables.num_morphs,
    };
    MD5_ASSERT(weights != NULL || count == 0, "weights: must not be NULL");
    if (count == 0)
        return;

    md5i_update_weights((md5_player *)player); // only updates values that are derived from others
    memset(weights, 0, count * sizeof *weights);
    for (uint32_t i = 0; i < machine->tables.num_morphs; i++) {
        const md5_sum_row *const row = &machine->morph_rows[i];
        if (row->drive != MD5_MORPH_BY_STATE) // compute_sums() computes these for all targets
            weights[row->target] += row->weight * md5i_driver_value(player, i);
    }

    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        const float weight = md5i_rule_weight(player, &machine->layers[i].weight);
        if (weight == 0)
            continue;
        compute_sums(player, i, md5_complete_chain(&player->layer_states[i]), named,
                     player->morphs);
        for (uint32_t k = 0; k < count; k++)
            weights[k] += weight * player->morphs[k];
    }
}
