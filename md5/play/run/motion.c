// What layers give beside poses: root motion, weights of morph targets, curves and open windows.
#include "md5/play/run/player_state.h"

// == Root motion ================================================================================
//
// Root motion of an interval: blended as the poses are, by clip, by state, by layer.

// Rotates the translation, not the yaw, by half of the yaw, to the right or left: an arc of a
// circle then leads straight ahead.
static md5_root_delta turn_half(md5_root_delta delta, double side)
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

// Blends from a (0) to b (1), exact to the bit at both. Each is seen from the middle of its arc, so
// a blend of arcs is the arc between them. The chord between two directions is normalised instead
// of slerped, because intervals are short.
static md5_root_delta blend(md5_root_delta a, md5_root_delta b, double t)
{
    if (t <= 0)
        return a;
    if (t >= 1)
        return b;
    return turn_half(md5_root_delta_lerp(turn_half(a, -1), turn_half(b, -1), t), 1);
}

// Appends the fraction `t` of `b` to `a`.
static md5_root_delta add(md5_root_delta a, md5_root_delta b, double t)
{
    return md5_root_delta_mul(a, blend(MD5_NO_DELTA, b, t));
}

// Displacement by a clip from one clock to another. `last` is where an earlier one ended, or not.
static md5_root_delta root_delta_of_clip(const md5_source *source, const md5_timing *timing,
                                         md5_clock before, md5_clock now, md5_root_position *last)
{
    if (source->root_extraction == MD5_ROOT_EXTRACTION_NONE)
        return MD5_NO_DELTA;
    const md5_root_track track = md5_track_of(source);
    const md5_root_position from =
        md5_is_at(last, before) ? *last : md5_root_position_at(&track, timing, before);
    *last = md5_root_position_at(&track, timing, now);
    return md5i_root_delta_between(&track, &from, last);
}

static md5_root_delta root_delta_of_instance(const md5_instance_plan *plan,
                                             md5_clip_instance *instance)
{
    return root_delta_of_clip(plan->playable->source, plan->playable->timing, instance->before,
                              instance->now, &instance->root);
}

// Walks the tree as evaluate_state() of layers.c does.
static md5_root_delta root_delta_of_state(md5_player *player, const md5_active_state *active)
{
    const md5_blend_tree *const tree = active->tree;
    if (!tree || !tree->has_root_motion)
        return MD5_NO_DELTA;
    if (tree->num_parts == 1) // a clip
        return root_delta_of_instance(tree->instances, &active->instances[0]);
    uint32_t num_deltas = 0;
    memset(player->gathered, 0, tree->num_parts * sizeof *player->gathered);
    for (uint32_t i = 0; i < tree->num_parts; i++) {
        const md5i_part *const part = &tree->parts[i];
        if (active->flows[i].total == 0)
            continue;
        if (part->motion->num_items == 0)
            player->root_deltas[num_deltas++] = root_delta_of_instance(
                &tree->instances[part->first], &active->instances[part->first]);
        if (part->parent == MD5_NONE)
            continue;
        // The last one is an item's: it is blended into that of its motion before it, if there is.
        const md5_item *const item = part->item;
        const float weight = active->weights[part->weight];
        float *const gathered = &player->gathered[part->parent];
        const bool is_first = *gathered == 0;
        *gathered += weight;
        if (is_first)
            continue;
        const md5_root_delta delta = player->root_deltas[--num_deltas];
        const double share = (double)weight * md5_mask_at(player->machine, item->mask, 0);
        md5_root_delta *const into = &player->root_deltas[num_deltas - 1];
        if (tree->parts[part->parent].motion->kind != MD5_MOTION_STACK)
            *into = blend(*into, delta, (weight / *gathered));
        else if (item->mode == MD5_LAYER_OVERRIDE)
            *into = blend(*into, delta, share);
        else
            *into = add(*into, delta, share);
    }
    return player->root_deltas[0];
}

// -- Inertial transitions -----------------------------------------------------------------------

// Velocities are measured over this time, in seconds.
#define VELOCITY_STEP (1.0 / 256.0)

// What is left of the difference of velocities is what is left of a pose's offset that begins at
// rest, q = 1 - 10 s^3 + 15 s^4 - 6 s^5 with s = elapsed / duration. Its integral, in seconds,
// makes displacements exact however time is split.
static double integral_of_left(md5_fade_time time, double shift)
{
    if (!(time.duration > 0)) // restored
        return 0;
    const double s = md5_least((time.elapsed + shift) / time.duration, 1);
    return time.duration * s * (1 - s * s * s * (2.5 - s * (3 - s)));
}

// Displacement by a velocity.
static md5_root_delta delta_of(const md5_root_velocity *velocity, double seconds)
{
    const double *const v = velocity->v;
    const double t = v[3] * seconds; // the tangent of a quarter of the turn, of half of which are
    const double c = (1 - t * t) / (1 + t * t);
    const double s = 2 * t / (1 + t * t);
    const md5_root_delta straight = {v[0] * seconds, v[1] * seconds, v[2] * seconds, c * c - s * s,
                                     2 * c * s};
    return turn_half(straight, 1);
}

// Displacement of a state's root in the VELOCITY_STEP before now, or after it.
static md5_root_delta root_delta_beside(md5_player *player, md5_active_state *active,
                                        bool is_before)
{
    const md5_blend_tree *const tree = active->tree;
    if (!tree || !tree->has_root_motion)
        return MD5_NO_DELTA;
    const double shift = is_before != player->is_backward ? -VELOCITY_STEP : VELOCITY_STEP;
    md5i_find_clocks(player, active, shift);
    for (uint32_t i = 0; i < active->num_awake; i++) {
        const uint32_t number = active->awake[i];
        md5_clip_instance *const instance = &active->instances[number];
        const md5_clock other = md5i_clock_after(player, active, number, shift);
        // From here on it does not matter where it was before the last step.
        instance->is_at_start =
            instance->is_at_start && md5_clock_stays_whole(instance->before, instance->now);
        instance->before = is_before ? other : instance->now;
        instance->now = is_before ? instance->now : other;
    }
    const md5_root_delta delta = root_delta_of_state(player, active);
    for (uint32_t i = 0; i < active->num_awake; i++) {
        const uint32_t number = active->awake[i];
        md5_clip_instance *const instance = &active->instances[number];
        instance->before = instance->now = is_before ? instance->now : instance->before;
    }
    return delta;
}

// The root's velocity of a part of the chain, right before now or after it.
static md5_root_velocity measure_root(md5_player *player, md5_layer_state *layer_state,
                                      md5_chain_range part, bool is_before)
{
    const double rate = (player->is_backward ? -1 : 1) / VELOCITY_STEP;
    md5_root_delta delta = MD5_NO_DELTA;
    double covered = 0;
    if (part.has_snapshot) {
        covered = layer_state->coverage;
        delta = delta_of(&layer_state->frozen_root, 1.0 / rate);
    }
    for (uint32_t i = part.begin; i < part.end; i++) {
        md5_active_state *const active = md5_active_at(layer_state, i);
        const double fade = md5i_fade_in(layer_state, part, i, 0);
        const double own = !active->tree ? 0 : fade;
        covered = (1 - fade) * covered + own;
        if (own > 0)
            delta = blend(delta, root_delta_beside(player, active, is_before), own / covered);
    }
    delta = turn_half(delta, -1);
    return (md5_root_velocity){
        {rate * delta.x, rate * delta.y, rate * delta.z, 0.25 * rate * delta.sine}};
}

// -- Layers -------------------------------------------------------------------------------------

// Whether any active state of a layer has root motion, or may have left some.
static bool has_root_motion(md5_layer_state *layer_state)
{
    for (uint32_t i = 0; i < layer_state->num_used; i++) {
        const md5_blend_tree *const tree = md5_active_at(layer_state, i)->tree;
        if (tree && tree->has_root_motion)
            return true;
    }
    return layer_state->has_snapshot || layer_state->has_offsets;
}

// Root motion of a layer, and its coverage. States without motion do not move; a frozen pose moves
// as when it was frozen.
static md5_root_delta root_delta_of_layer(md5_player *player, md5_layer_state *layer_state,
                                          double seconds, double *coverage)
{
    const bool is_frozen = layer_state->has_snapshot;
    md5_root_delta delta = is_frozen ? delta_of(&layer_state->frozen_root, seconds) : MD5_NO_DELTA;
    double rest = 1;
    for (uint32_t i = 0; i < layer_state->num_used; i++)
        rest -= md5_active_at(layer_state, i)->weight;
    *coverage = is_frozen ? fmax(rest, 0.0) * layer_state->coverage : 0;
    for (uint32_t i = 0; i < layer_state->num_used; i++) {
        const md5_active_state *const active = md5_active_at(layer_state, i);
        if (!active->tree || active->weight == 0)
            continue;
        *coverage += active->weight;
        delta = blend(delta, root_delta_of_state(player, active), active->weight / *coverage);
    }
    if (!layer_state->has_offsets)
        return delta;
    // What is left of its velocity over the last `seconds`: half of it before, half after.
    const double time = integral_of_left(layer_state->settling, 0)
                        - integral_of_left(layer_state->settling, -fabs(seconds));
    const md5_root_delta half = delta_of(&layer_state->root_offset, copysign(0.5 * time, seconds));
    return md5_root_delta_mul(md5_root_delta_mul(half, delta), half);
}

// Blends the root motion of the one-shots over `num_below` layers as their poses are.
static void add_one_shots(const md5_player *player, uint32_t num_below, double seconds,
                          md5_root_delta *delta)
{
    for (uint32_t i = 0; i < player->machine->num_slots; i++) {
        const md5_one_shot_slot *const slot = &player->slots[i];
        float covered = 0;
        float shares[MD5_SLOT_ONE_SHOTS];
        for (uint32_t j = slot->num_one_shots; j-- > 0;) {
            // Its mean at joint 0 over the last `seconds`, as weigh_chain() has it of states.
            const md5_one_shot *const one_shot = &slot->one_shots[j];
            const float at_start = md5i_one_shot_weight(player, one_shot, -seconds, 0);
            const float in_middle = md5i_one_shot_weight(player, one_shot, -0.5 * seconds, 0);
            const float at_end = md5i_one_shot_weight(player, one_shot, 0, 0);
            const float weight = (at_start + 4 * in_middle + at_end) / 6.0f
                                 * md5_mask_at(player->machine, one_shot->mask, 0);
            shares[j] = md5i_one_shot_share(weight, covered);
            covered += one_shot->mode == MD5_LAYER_ADD ? 0 : weight;
        }
        for (uint32_t j = 0; j < slot->num_one_shots; j++) {
            const md5_one_shot *const one_shot = &slot->one_shots[j];
            if (one_shot->num_below != num_below)
                continue;
            md5_root_position last = {.clock = {.phase = -1}}; // none
            const md5_root_delta of_one_shot =
                root_delta_of_clip(&player->machine->sources[one_shot->source],
                                   md5_one_shot_timing(player->machine, one_shot), one_shot->before,
                                   one_shot->now, &last);
            *delta = one_shot->mode == MD5_LAYER_ADD ? add(*delta, of_one_shot, shares[j])
                                                     : blend(*delta, of_one_shot, shares[j]);
        }
    }
}

// Blends the root motion of a layer over that of the layers below. A layer that does not move only
// matters if it covers one that does.
static void add_layer(md5_player *player, uint32_t number, double seconds, bool *is_moving,
                      md5_root_delta *delta)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const layer = &machine->layers[number];
    const bool moves = layer->has_root_motion && has_root_motion(&player->layer_states[number]);
    if (!moves && (!*is_moving || layer->mode == MD5_LAYER_ADD))
        return;
    const double share =
        (double)md5i_weight_of(player, &layer->weight) * md5_mask_at(machine, layer->mask, 0);
    if (share == 0)
        return;
    double weight;
    const md5_root_delta of_layer = root_delta_of_layer(
        player, &player->layer_states[number], player->is_backward ? -seconds : seconds, &weight);
    weight *= share;
    *delta = layer->mode == MD5_LAYER_ADD ? add(*delta, of_layer, weight)
                                          : blend(*delta, of_layer, weight);
    *is_moving = true;
}

md5_root_delta md5i_root_delta_of_step(md5_player *player, double seconds)
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
// Weights of morph targets and values of curves, from the rows of the machine. They are computed
// when they are asked for; only what outlives its states is kept: weights that were frozen with a
// pose, and the differences of inertial transitions.
//
// A chain of states has the weights that its blended pose has, blend(blend(A, B), C), target by
// target, so that they fade as the poses do.

// A parameter may be any finite number; the sum of all rows must be one too.
static const float MAX_VALUE = 1e6f;

// Weight of the keys at a whole frame.
static float weight_at_frame(const md5_morph_row *row, uint32_t frame)
{
    const md5_morph_key *const keys = row->keys;
    // The first key after the frame.
    uint32_t next = 0;
    uint32_t high = row->num_keys;
    while (next < high) {
        const uint32_t middle = next + (high - next) / 2;
        if (keys[middle].frame <= frame)
            next = middle + 1;
        else
            high = middle;
    }
    if (next == 0)
        return keys[0].weight;
    const md5_morph_key *const key = &keys[next - 1];
    if (next == row->num_keys || key->frame == frame)
        return key->weight;
    float part = (float)(frame - key->frame) / (float)(key[1].frame - key->frame);
    if (row->easing && row->easing->kind != MD5_EASE_LINEAR)
        part = (float)md5i_eased(row->easing, part);
    return key->weight + (key[1].weight - key->weight) * part;
}

// Keys stand at whole frames, so between two frames the curve is a line.
static float weight_at_sample(const md5_morph_row *row, const md5_sample_position *sample)
{
    const float from = weight_at_frame(row, sample->frame0);
    const float to = weight_at_frame(row, sample->frame1);
    return from + (to - from) * sample->fraction;
}

// Weight that a state, fully shown, gives a row; *share becomes that of the row's clip in it.
static float weight_of_state(const md5_player *player, uint32_t layer,
                             const md5_active_state *active, const md5_morph_row *row, float *share)
{
    *share = 0;
    if (row->drive == MD5_MORPH_BY_CLIP) {
        const md5_source *const source = &player->machine->sources[row->source];
        float sum = 0;
        for (uint32_t i = 0; i < active->num_awake; i++) {
            const uint32_t number = active->awake[i];
            const md5_playable *const playable = active->tree->instances[number].playable;
            const md5_clip_instance *const instance = &active->instances[number];
            if (playable->source != source || instance->weight == 0)
                continue;
            const md5_sample_position sample = md5_instance_sample_position(playable, instance);
            sum += instance->weight * weight_at_sample(row, &sample);
            *share += instance->weight;
        }
        return row->weight * sum;
    }
    const bool is_driven =
        row->drive == MD5_MORPH_BY_STATE && row->layer == layer && row->source == active->state;
    return is_driven ? row->weight : 0;
}

// Some of the sums that players blend, and rows among which all of theirs are.
typedef struct sums {
    uint32_t first;
    uint32_t count;
    uint32_t row;
    uint32_t end;
} sums;

static sums all_sums(const md5_machine *machine)
{
    return (sums){0, machine->num_sums, 0, machine->num_rows};
}

// Writes sums of a part of a layer's chain, without the layer's own weight. They may be the layer's
// frozen ones.
static void weigh_morphs(const md5_player *player, uint32_t layer, md5_chain_range part, sums of,
                         float *weights)
{
    const md5_machine *const machine = player->machine;
    md5_layer_state *const layer_state = &player->layer_states[layer];
    for (uint32_t i = 0; i < of.count; i++)
        weights[i] = part.has_snapshot ? layer_state->frozen_morphs[of.first + i] : 0;
    for (uint32_t k = part.begin; k < part.end; k++) {
        const md5_active_state *const active = md5_active_at(layer_state, k);
        const float fade = md5i_fade_in(layer_state, part, k, 0);
        for (uint32_t i = 0; i < of.count; i++)
            weights[i] *= 1 - fade;
        for (uint32_t i = of.row; i < of.end; i++) {
            const md5_morph_row *const row = &machine->morph_rows[i];
            const uint32_t number = row->target - of.first; // wraps below it
            float share;
            if (number >= of.count)
                continue;
            weights[number] += fade * weight_of_state(player, layer, active, row, &share);
            if (row->of == MD5_SUM_CURVE)
                weights[number + 1] += fade * share;
        }
    }
    const md5_fade_time *const settling = &layer_state->settling;
    if (!part.has_offsets || !(settling->elapsed < settling->duration))
        return;
    const float left = md5_offset_left(0, (float)settling->elapsed, (float)settling->duration);
    for (uint32_t i = 0; i < of.count; i++)
        weights[i] += left * layer_state->morph_offsets[of.first + i];
}

void md5i_carry_morphs(const md5_player *player, const md5_player *old, const float *old_weights,
                       float *weights)
{
    const md5_machine *const machine = player->machine;
    const md5_machine *const was = old->machine;
    for (uint32_t i = 0; i < machine->num_sums; i++)
        weights[i] = machine == was ? old_weights[i] : 0;
    if (machine != was) {
        for (uint32_t i = 0; i < machine->num_rows; i++) {
            const md5_morph_row *const row = &machine->morph_rows[i];
            const md5_morph_row *other = NULL;
            for (uint32_t k = 0; k < was->num_rows && !other;
                 k++) { // usually it has the same number
                const md5_morph_row *const tried = &was->morph_rows[(i + k) % was->num_rows];
                if (tried->of == row->of && strcmp(tried->name, row->name) == 0)
                    other = tried;
            }
            if (other) {
                for (uint32_t k = 0; k < md5_num_sums(row); k++)
                    weights[row->target + k] = old_weights[other->target + k];
            }
        }
    }
}

void md5i_carry_motion(md5_player *from, uint32_t old_layer, md5_chain_range old,
                       md5_player *player, uint32_t layer, md5_chain_range fresh)
{
    md5_layer_state *const was = &from->layer_states[old_layer];
    md5_layer_state *const layer_state = &player->layer_states[layer];
    if (player->machine->layers[layer].has_root_motion) {
        // What the root keeps of its velocity, and how far that is from the new motion's.
        const bool has_rest = old.has_offsets;
        const md5_fade_time time = was->settling;
        if (!has_rest || time.elapsed > MD5_BORDER) {
            const md5_root_velocity clips = measure_root(from, was, old, true);
            const float left =
                has_rest ? md5_offset_left(0, (float)time.elapsed, (float)time.duration) : 0;
            for (uint32_t i = 0; i < 4; i++) {
                const double before = has_rest ? was->root_velocity.v[i] : 0;
                const double most = fmax(fabs(clips.v[i]), fabs(before));
                const double now = clips.v[i] + left * was->root_offset.v[i];
                layer_state->root_velocity.v[i] = fmin(fmax(now, -most), most);
            }
        }
        const md5_root_velocity now = measure_root(player, layer_state, fresh, false);
        for (uint32_t i = 0; i < 4; i++)
            layer_state->root_offset.v[i] = layer_state->root_velocity.v[i] - now.v[i];
    }
    // Before the new ones are written: old offsets may be the same array.
    const sums all = all_sums(player->machine);
    weigh_morphs(from, old_layer, old, all_sums(from->machine), from->morphs);
    weigh_morphs(player, layer, fresh, all, layer_state->frozen_morphs);
    md5i_carry_morphs(player, from, from->morphs, layer_state->morph_offsets);
    for (uint32_t i = 0; i < all.count; i++)
        layer_state->morph_offsets[i] -= layer_state->frozen_morphs[i];
}

void md5i_freeze_motion(md5_player *player, uint32_t layer, md5_chain_range oldest)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    if (player->machine->layers[layer].has_root_motion)
        layer_state->frozen_root = measure_root(player, layer_state, oldest, true);
    weigh_morphs(player, layer, oldest, all_sums(player->machine), layer_state->frozen_morphs);
}

// Blends what one-shots over `num_below` layers have of the curve with this sum over the value: in
// a slot as their poses are, older ones in what the newer leave.
static float add_one_shot_curves(const md5_player *player, uint32_t num_below, uint32_t sum_of,
                                 float value)
{
    const md5_machine *const machine = player->machine;
    for (uint32_t i = 0; i < machine->num_slots; i++) {
        const md5_one_shot_slot *const slot = &player->slots[i];
        float rest = 1;
        float share = 0;
        float sum = 0;
        for (uint32_t k = slot->num_one_shots; k-- > 0;) {
            const md5_one_shot *const one_shot = &slot->one_shots[k];
            const md5_sample_position sample = md5_one_shot_sample_position(machine, one_shot);
            const float weight = fminf(md5i_one_shot_weight(player, one_shot, 0, 0), rest);
            const float over = one_shot->mode == MD5_LAYER_ADD ? 0 : weight;
            rest -= over;
            if (one_shot->num_below == num_below) {
                for (uint32_t n = 0; n < machine->num_curves; n++) {
                    const md5_morph_row *const row = &machine->curves[n];
                    if (row->target != sum_of || row->source != one_shot->source)
                        continue;
                    share += over;
                    sum += weight * weight_at_sample(row, &sample);
                }
            }
        }
        value += sum - share * value;
    }
    return value;
}

// The value of a curve, once the player is weighed.
static float value_of_curve(const md5_player *player, uint32_t curve)
{
    const md5_machine *const machine = player->machine;
    const uint32_t num_layers = machine->tables.num_layers;
    const uint32_t rows = machine->tables.num_morphs;
    const uint32_t sum = machine->curves[curve].target;
    const sums of = {sum, 2, rows + curve, rows + machine->num_curves};
    float value = num_layers == 0 ? add_one_shot_curves(player, 0, sum, 0) : 0;
    for (uint32_t i = 0; i < num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        float pair[2]; // of values, and of the weights of the clips that have them
        weigh_morphs(player, i, md5_whole_chain(&player->layer_states[i]), of, pair);
        const float share = layer->mode == MD5_LAYER_ADD ? 0 : fminf(fmaxf(pair[1], 0.0f), 1.0f);
        value += md5i_weight_of(player, &layer->weight) * (pair[0] - share * value);
        value = add_one_shot_curves(player, i + 1, sum, value);
    }
    return value;
}

float md5_player_curve(const md5_player *player, uint32_t curve)
{
    MD5_ASSERT_PLAYER(player);
    md5i_weigh_all((md5_player *)player); // keeps weights that follow from the rest
    return curve < player->machine->num_curves ? value_of_curve(player, curve) : 0;
}

float md5_player_window(const md5_player *player, uint32_t window)
{
    MD5_ASSERT_PLAYER(player);
    float most = 0;
    for (uint32_t i = 0; i < player->machine->num_windows; i++) {
        if (player->machine->windows[i].window == window)
            most = md5_larger(most, player->windows[i].weight);
    }
    return most;
}

float md5i_driven(const md5_player *player, uint32_t number)
{
    const md5_machine *const machine = player->machine;
    const md5_morph_row *const row = &machine->morph_rows[number];
    float sum = 0;
    switch (row->drive) {
    case MD5_MORPH_BY_PARAMETER:
        return fminf(fmaxf(player->parameters[row->source], -MAX_VALUE), MAX_VALUE);
    case MD5_MORPH_BY_STATE:
        weigh_morphs(player, row->layer, md5_whole_chain(&player->layer_states[row->layer]),
                     (sums){row->target, 1, number, number + 1}, &sum);
        return sum * md5i_weight_of(player, &machine->layers[row->layer].weight);
    case MD5_MORPH_BY_CURVE:
        return value_of_curve(player, row->source);
    case MD5_MORPH_BY_WINDOW:
        return md5_player_window(player, row->source);
    default: {
        const md5_one_shot *one_shot;
        md5_one_shot_walk walk = {0};
        while ((one_shot = md5_next_one_shot(player, &walk)) != NULL) {
            const md5_sample_position sample = md5_one_shot_sample_position(machine, one_shot);
            if (one_shot->source == row->source)
                sum +=
                    md5i_one_shot_weight(player, one_shot, 0, 0) * weight_at_sample(row, &sample);
        }
        return sum;
    }
    }
}

void md5_player_morphs(const md5_player *player, float *weights)
{
    MD5_ASSERT_PLAYER(player);
    const md5_machine *const machine = player->machine;
    const uint32_t count = machine->num_morphs;
    const sums named = {0, count, 0, machine->tables.num_morphs};
    MD5_ASSERT(weights != NULL || count == 0, "weights: must not be NULL");
    if (count == 0)
        return;
    md5i_weigh_all((md5_player *)player);
    memset(weights, 0, count * sizeof *weights);
    for (uint32_t i = 0; i < machine->tables.num_morphs; i++) {
        const md5_morph_row *const row = &machine->morph_rows[i];
        if (row->drive != MD5_MORPH_BY_STATE) // layers have those, all targets together
            weights[row->target] += row->weight * md5i_driven(player, i);
    }
    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        const float weight = md5i_weight_of(player, &machine->layers[i].weight);
        if (weight == 0)
            continue;
        weigh_morphs(player, i, md5_whole_chain(&player->layer_states[i]), named, player->morphs);
        for (uint32_t k = 0; k < count; k++)
            weights[k] += weight * player->morphs[k];
    }
}
