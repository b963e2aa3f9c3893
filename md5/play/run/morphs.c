// Weights of morph targets, from the rows of the machine. They are computed when they are asked
// for; only what outlives its states is kept: weights that were frozen with a pose, and the
// differences of inertial transitions.
//
// A chain of states has the weights that its blended pose has, blend(blend(A, B), C), target by
// target, so that they fade as the poses do.
#include "md5/core/assert.h"
#include "md5/play/run/player_state.h"

#include <string.h>

// A parameter may be any finite number; the sum of all rows must be one too.
static const float MOST_VALUE = 1e6f;

// Weight of the keys at a whole frame.
static float weight_at_frame(const md5_morph_desc *morph, uint32_t frame)
{
    const md5_morph_key *const keys = morph->keys;
    uint32_t low = 0, high = morph->num_keys; // low: keys up to the frame
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (keys[middle].frame <= frame)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return keys[0].weight;
    const md5_morph_key *const key = &keys[low - 1];
    if (low == morph->num_keys || key->frame == frame)
        return key->weight;
    const float part = (float)(frame - key->frame) / (float)(key[1].frame - key->frame);
    return key->weight + (key[1].weight - key->weight) * part;
}

// Keys stand at whole frames, so between two frames the curve is a line.
static float weight_at_moment(const md5_morph_desc *morph, const md5_moment *moment)
{
    const float from = weight_at_frame(morph, moment->frame0);
    const float to = weight_at_frame(morph, moment->frame1);
    return from + (to - from) * moment->fraction;
}

// Weight that the clips of a state give a row.
static float weight_of_clips(const md5_player *player, const md5_active_state *active,
                             const md5_morph_desc *morph, uint32_t source)
{
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    float sum = 0.0f;
    for (uint32_t i = 0; tree && i < tree->num_instances; i++) {
        const md5_instance_plan *const plan = &machine->instances[tree->first_instance + i];
        const md5_playable *const playable = &machine->playables[plan->playable];
        const md5_clip_instance *const instance = &active->instances[i];
        if (playable->source != source || instance->weight == 0.0f)
            continue;
        const md5_source *const of = &machine->sources[source];
        const md5_moment moment =
            md5i_clock_moment(&of->timings[playable->mode], instance->now, of->interpolation);
        sum += instance->weight * weight_at_moment(morph, &moment);
    }
    return sum;
}

// Weight that a state, fully shown, gives a row.
static float weight_of_state(const md5_player *player, uint32_t layer,
                             const md5_active_state *active, uint32_t number)
{
    const md5_morph_row *const row = &player->machine->morph_rows[number];
    if (row->drive == MD5_MORPH_BY_CLIP)
        return row->weight
               * weight_of_clips(player, active, &player->machine->tables.morphs[number],
                                 row->source);
    const bool is_driven =
        row->drive == MD5_MORPH_BY_STATE && row->layer == layer && row->source == active->state;
    return is_driven ? row->weight : 0.0f;
}

void md5i_weigh_morphs(const md5_player *player, uint32_t layer, md5_chain_range part,
                       float *weights)
{
    const md5_machine *const machine = player->machine;
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const uint32_t count = machine->num_morphs;
    for (uint32_t i = 0; i < count; i++)
        weights[i] = part.has_snapshot ? layer_state->frozen_morphs[i] : 0.0f;
    for (uint32_t k = part.begin; k < part.end; k++) {
        const md5_active_state *const active = md5_active_at(layer_state, k);
        const bool is_bottom = k == part.begin && !part.has_snapshot;
        const float fade = is_bottom ? 1.0f : md5i_fade_at(active, 0.0);
        for (uint32_t i = 0; i < count; i++)
            weights[i] *= 1.0f - fade;
        for (uint32_t i = 0; i < machine->tables.num_morphs; i++)
            weights[machine->morph_rows[i].target] +=
                fade * weight_of_state(player, layer, active, i);
    }
    const md5_fade_time *const settling = &layer_state->settling;
    if (!part.has_offsets || !(settling->elapsed < settling->duration))
        return;
    const float left = md5i_offset_left(0.0f, (float)settling->elapsed, (float)settling->duration);
    for (uint32_t i = 0; i < count; i++)
        weights[i] += left * layer_state->morph_offsets[i];
}

static float weight_of_parameter(const md5_player *player, uint32_t parameter)
{
    const float value = player->parameters[parameter];
    return value > MOST_VALUE ? MOST_VALUE : value < -MOST_VALUE ? -MOST_VALUE : value;
}

static float weight_of_shots(const md5_player *player, uint32_t number)
{
    const md5_machine *const machine = player->machine;
    const uint32_t source = machine->morph_rows[number].source;
    float sum = 0.0f;
    for (uint32_t i = 0; i < machine->num_slots; i++) {
        for (uint32_t k = 0; k < player->slots[i].num_shots; k++) {
            const md5_shot *const shot = &player->slots[i].shots[k];
            if (shot->source != source)
                continue;
            const md5_moment moment = md5i_clock_moment(md5i_shot_timing(machine, shot), shot->now,
                                                        machine->sources[source].interpolation);
            sum += md5i_shot_weight(player, shot, 0.0)
                   * weight_at_moment(&machine->tables.morphs[number], &moment);
        }
    }
    return sum;
}

void md5_player_morphs(md5_player *player, float *weights)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    const md5_machine *const machine = player->machine;
    const uint32_t count = machine->num_morphs;
    MD5_ASSERT(weights != NULL || count == 0, "weights: not NULL");
    if (count == 0)
        return;
    md5i_weigh_all(player);
    memset(weights, 0, count * sizeof *weights);
    for (uint32_t i = 0; i < machine->tables.num_morphs; i++) {
        const md5_morph_row *const row = &machine->morph_rows[i];
        if (row->drive == MD5_MORPH_BY_PARAMETER)
            weights[row->target] += row->weight * weight_of_parameter(player, row->source);
        else if (row->drive == MD5_MORPH_BY_CLIP && player->num_shots > 0)
            weights[row->target] += row->weight * weight_of_shots(player, i);
    }
    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        const md5_layer_state *const layer_state = &player->layer_states[i];
        const float weight = md5i_weight_of(player, &layer->weight);
        const md5_chain_range all = {0, layer_state->num_used, layer_state->has_snapshot,
                                     layer_state->has_offsets};
        if (weight == 0.0f)
            continue;
        md5i_weigh_morphs(player, i, all, player->morphs);
        for (uint32_t k = 0; k < count; k++)
            weights[k] += weight * player->morphs[k];
    }
}
