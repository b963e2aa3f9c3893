// Layers of a machine: their states and transitions; and what drives morph targets.
#include "md5/play/make/building.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// == Layers =====================================================================================
//
// Layers of a machine: states, and the transitions between them.

// One layer while it is made.
typedef struct layer_work {
    const md5_layer_desc *desc;
    md5_play_layer *layer;
    uint32_t number;
    md5_names states;
    uint32_t num_going; // states whose time goes on
} layer_work;

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// The states' own reference, where the layer is added to what is below and names none itself.
static bool build_state(md5_building *building, layer_work *work, uint32_t number)
{
    const md5_state_desc *const desc = &work->desc->states[number];
    md5_play_layer *const layer = work->layer;
    md5_state *const state = &layer->states[number];
    int32_t found;
    TRY(md5i_resolve(building, &building->motions, &desc->motion, "state", desc->name, &found));
    if (building->machine->reports_states) {
        const md5_layer_desc *const names = &building->machine->tables.layers[work->number];
        md5_event *const events =
            (md5_event *)md5i_build_array(building, MD5_STATE_EVENTS, sizeof *events);
        TRY(events);
        for (uint32_t i = 0; i < MD5_STATE_EVENTS; i++)
            events[i] = (md5_event){
                .name = names->states[number].name,
                .text = names->name,
                .kind = (md5_event_kind)(MD5_EVENT_ENTER + i),
                .layer = work->number,
                .index = number,
            };
        state->events = events;
    }
    if (found < 0)
        return true;
    md5_motion *const motion = &building->machine->motions[found];
    TRY(motion->tree || md5i_build_tree(building, motion));
    const md5_blend_tree *const tree = state->tree = motion->tree;
    layer->has_root_motion = layer->has_root_motion || tree->has_root_motion;
    layer->max_instances = larger(layer->max_instances, tree->num_instances);
    layer->max_groups = larger(layer->max_groups, tree->num_groups);
    layer->max_parts = larger(layer->max_parts, tree->num_parts);
    if (layer->mode != MD5_LAYER_ADD)
        return true;
    int32_t clip;
    TRY(md5i_resolve(building, &building->clips, &work->desc->reference, "layer", work->desc->name,
                     &clip));
    TRY(md5i_build_reference(building, clip, motion, &work->desc->reference_frame,
                             &state->reference));
    md5i_mark_changed(building, motion, state->reference);
    return true;
}

static bool build_states(md5_building *building, layer_work *work)
{
    const md5_layer_desc *const desc = work->desc;
    md5_play_layer *const layer = work->layer;
    md5_machine *const machine = building->machine;
    if (desc->num_states == 0)
        return md5i_fail_at(building, &desc->name, MD5_ERROR_RANGE, "layer %s has no states",
                            QUOTED(desc->name));
    TRY(md5i_begin_names(building->scratch, &work->states, "state", desc->num_states));
    for (uint32_t i = 0; i < desc->num_states; i++)
        md5i_add_name(&work->states, &desc->states[i].name);
    TRY(md5i_end_names(building->context, building->desc->locations, &work->states));
    layer->states =
        (md5_state *)md5i_build_array(building, desc->num_states, sizeof *layer->states);
    TRY(layer->states);
    layer->num_states = desc->num_states;
    md5i_begin_marks(building);
    for (uint32_t i = 0; i < desc->num_states; i++)
        TRY(build_state(building, work, i));
    if (layer->mode == MD5_LAYER_ADD)
        TRY(md5i_set_of_marks(building, layer->mask, &layer->joints));
    else if (layer->mask < 0)
        return true;
    else
        layer->joints = machine->mask_sets[layer->mask].all;
    bool is_full = layer->mode == MD5_LAYER_ADD;
    for (uint32_t i = 0; i < desc->num_states; i++) {
        md5i_narrow_state(building, layer, &layer->states[i]);
        is_full = is_full || layer->states[i].is_exact;
    }
    machine->has_full_layers = machine->has_full_layers || is_full;
    return true;
}

static bool build_conditions(md5_building *building, const md5_transition_desc *desc,
                             const char *owner, md5_transition *transition)
{
    md5_machine *const machine = building->machine;
    transition->conditions = machine->conditions + machine->num_conditions;
    transition->num_conditions = desc->num_conditions;
    for (uint32_t i = 0; i < desc->num_conditions; i++) {
        const md5_condition *const from = &desc->conditions[i];
        int32_t parameter;
        TRY(md5i_resolve(building, &building->parameters, &from->parameter, "a transition of layer",
                         owner, &parameter));
        if (parameter < 0)
            return md5i_fail_at(building, &from->parameter, MD5_ERROR_MISMATCH,
                                "layer %s: a transition to %s has a condition without a parameter",
                                QUOTED(owner), QUOTED(desc->to));
        machine->conditions[machine->num_conditions++] =
            (md5_play_condition){(uint32_t)parameter, from->compare, from->value};
    }
    return true;
}

// Whether the time of a state of the layer goes on beyond 1: if its first clip is not played once.
static bool goes_on(const layer_work *work, uint32_t state)
{
    const md5_blend_tree *const tree = work->layer->states[state].tree;
    return !tree || tree->instances[0].playable->mode != MD5_PLAY_ONCE;
}

static bool build_transition(md5_building *building, const layer_work *work, uint32_t number,
                             md5_transition *transition)
{
    const char *const owner = work->desc->name;
    const md5_transition_desc *const desc = &work->desc->transitions[number];
    int32_t from, to;
    TRY(md5i_resolve(building, &work->states, &desc->from, "a transition of layer", owner, &from));
    TRY(md5i_resolve(building, &work->states, &desc->to, "a transition of layer", owner, &to));
    if (to < 0)
        return md5i_fail_at(building, &desc->to, MD5_ERROR_MISMATCH,
                            "layer %s: transition %u has no target state", QUOTED(owner), number);
    *transition = (md5_transition){
        .from = from,
        .to = (uint32_t)to,
        .number = number,
        .priority = desc->priority,
        .exit = md5i_decimal_of(desc->exit),
        .duration = md5i_decimal_of(desc->duration),
        .start = md5i_decimal_of(desc->start),
        .fade = desc->fade,
        .easing = desc->easing.kind,
        .interrupt = desc->interrupt,
        .waits = desc->waits,
        .keeps_phase = desc->keeps_phase,
    };
    // Of the states that the exit may wait for, those that go on beyond the end of their clip.
    const uint32_t num_going = transition->from < 0
                                   ? work->num_going - goes_on(work, transition->to)
                                   : goes_on(work, (uint32_t)transition->from);
    if (desc->waits && desc->exit > 1.0f && num_going == 0) {
        const md5_location at = md5i_find_location(building->desc->locations, &desc->exit);
        md5i_warn(building->context, at.line, at.column,
                  "layer %s: exit %g to %s is never reached: clips that are played once stop at 1",
                  QUOTED(work->desc->name), (double)desc->exit, QUOTED(desc->to));
    }
    if (md5_has_numbers(desc->easing.kind)) {
        transition->easing = MD5_EASE_LINEAR;
        TRY(md5i_build_curve(building, &desc->easing, "a transition of layer", owner,
                             &transition->curve));
    }
    return build_conditions(building, desc, owner, transition);
}

static int compare(const void *left, const void *right)
{
    const md5_transition *a = (const md5_transition *)left, *b = (const md5_transition *)right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static bool build_transitions(md5_building *building, layer_work *work)
{
    const md5_layer_desc *const desc = work->desc;
    md5_play_layer *const layer = work->layer;
    md5_transition *const transitions =
        (md5_transition *)md5i_build_array(building, desc->num_transitions, sizeof *transitions);
    TRY(transitions);
    for (uint32_t i = 0; i < desc->num_states; i++)
        work->num_going += goes_on(work, i);
    for (uint32_t i = 0; i < desc->num_transitions; i++) {
        TRY(build_transition(building, work, i, &transitions[i]));
        layer->has_waits = layer->has_waits || transitions[i].waits;
    }
    qsort(transitions, desc->num_transitions, sizeof *transitions, compare);
    layer->any = transitions;
    for (uint32_t i = 0; i < desc->num_transitions; i++) {
        md5_state *const from =
            transitions[i].from < 0 ? NULL : &layer->states[transitions[i].from];
        if (!from) {
            layer->num_any++;
            continue;
        }
        from->transitions = from->num_transitions == 0 ? &transitions[i] : from->transitions;
        from->num_transitions++;
    }
    return true;
}

static bool build_layer(md5_building *building, uint32_t number)
{
    const md5_layer_desc *const desc = &building->desc->layers[number];
    md5_play_layer *const layer = &building->machine->layers[number];
    layer_work work = {.desc = desc, .layer = layer, .number = number};
    md5_layer_desc filled = *desc;
    md5i_fill_defaults(&md5i_layer_schema, &filled, 1.0f);
    *layer = (md5_play_layer){.mode = desc->mode, .weight = {.fixed = filled.weight}};
    TRY(md5i_resolve(building, &building->masks, &desc->mask, "layer", desc->name, &layer->mask));
    TRY(md5i_resolve(building, &building->parameters, &desc->weight_parameter, "layer", desc->name,
                     &layer->weight.parameter));
    TRY(md5i_build_curve(building, &desc->weight_easing, "layer", desc->name,
                         &layer->weight.curve));
    TRY(build_states(building, &work));
    return build_transitions(building, &work);
}

bool md5i_build_layers(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    md5_names layers;
    TRY(md5i_begin_names(building->scratch, &layers, "layer", desc->num_layers));
    size_t num_conditions = 0;
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        md5i_add_name(&layers, &desc->layers[i].name);
        for (uint32_t k = 0; k < desc->layers[i].num_transitions; k++)
            num_conditions += desc->layers[i].transitions[k].num_conditions;
    }
    TRY(md5i_end_names(building->context, desc->locations, &layers));
    machine->layers =
        (md5_play_layer *)md5i_build_array(building, desc->num_layers, sizeof *machine->layers);
    machine->conditions = (md5_play_condition *)md5i_build_array(building, num_conditions,
                                                                 sizeof *machine->conditions);
    TRY(machine->layers && machine->conditions);
    for (uint32_t i = 0; i < desc->num_layers; i++)
        TRY(build_layer(building, i));
    return true;
}

// == Morph targets ==============================================================================
//
// Which morph targets a machine drives, and by what.

// A member that the row's kind needs.
static bool check_named(md5_building *building, const md5_morph_desc *morph,
                        const char *const *name, const char *what)
{
    if (*name)
        return true;
    return md5i_fail_at(building, &morph->target, MD5_ERROR_MISMATCH, "morph %s names no %s",
                        QUOTED(morph->target), what);
}

static bool check_keys(md5_building *building, const md5_morph_desc *morph, uint32_t clip)
{
    const uint32_t num_frames = building->machine->sources[clip].binding->anim->num_frames;
    if (morph->num_keys == 0)
        return md5i_fail_at(building, &morph->target, MD5_ERROR_RANGE,
                            "morph %s has no keys for clip %s", QUOTED(morph->target),
                            QUOTED(morph->clip));
    for (uint32_t i = 0; i < morph->num_keys; i++) {
        const md5_morph_key *const key = &morph->keys[i];
        if (key->frame >= num_frames)
            return md5i_fail_at(
                building, &key->frame, MD5_ERROR_RANGE,
                "frame %u of clip %s is a key of morph %s, but the last frame is %u", key->frame,
                QUOTED(morph->clip), QUOTED(morph->target), num_frames - 1);
        if (i > 0 && key->frame <= key[-1].frame)
            return md5i_fail_at(building, &key->frame, MD5_ERROR_RANGE,
                                "morph %s: the key of frame %u stands behind that of frame %u",
                                QUOTED(morph->target), key->frame, key[-1].frame);
    }
    return true;
}

// What drives it, as a number.
static bool find_drive(md5_building *building, const md5_morph_desc *morph, md5_morph_row *row)
{
    if (morph->drive == MD5_MORPH_BY_STATE) {
        const md5_machine_desc *const desc = building->desc;
        TRY(check_named(building, morph, &morph->layer, "layer"));
        TRY(check_named(building, morph, &morph->state, "state"));
        uint32_t layer = 0, state = 0;
        while (layer < desc->num_layers && strcmp(desc->layers[layer].name, morph->layer) != 0)
            layer++;
        if (layer == desc->num_layers)
            return md5i_fail_at(building, &morph->layer, MD5_ERROR_MISMATCH,
                                "morph %s names layer %s, which does not exist",
                                QUOTED(morph->target), QUOTED(morph->layer));
        const md5_layer_desc *const of = &desc->layers[layer];
        while (state < of->num_states && strcmp(of->states[state].name, morph->state) != 0)
            state++;
        if (state == of->num_states)
            return md5i_fail_at(building, &morph->state, MD5_ERROR_MISMATCH,
                                "morph %s names state %s, which layer %s lacks",
                                QUOTED(morph->target), QUOTED(morph->state), QUOTED(morph->layer));
        row->layer = layer;
        row->source = state;
        return true;
    }
    const bool is_clip = morph->drive == MD5_MORPH_BY_CLIP;
    const char *const *const name = is_clip ? &morph->clip : &morph->parameter;
    int32_t number;
    TRY(check_named(building, morph, name, is_clip ? "clip" : "parameter"));
    TRY(md5i_resolve(building, is_clip ? &building->clips : &building->parameters, name, "morph",
                     morph->target, &number));
    row->source = (uint32_t)number;
    return !is_clip || check_keys(building, morph, row->source);
}

// Numbers the targets by the rows that name them first.
static void number_targets(const md5_building *building, const md5_names *names)
{
    md5_machine *const machine = building->machine;
    for (uint32_t i = 0; i < building->desc->num_morphs; i++) {
        // Of equal names the first row is found.
        const uint32_t first = (uint32_t)md5i_find_name(names, building->desc->morphs[i].target);
        md5_morph_row *const row = &machine->morph_rows[i];
        if (first == i) {
            row->target = machine->num_morphs;
            machine->morph_firsts[machine->num_morphs++] = i;
        } else
            row->target = machine->morph_rows[first].target;
    }
}

bool md5i_build_morphs(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    md5_names names;
    TRY(md5i_begin_names(building->scratch, &names, "morph", desc->num_morphs));
    machine->morph_rows =
        (md5_morph_row *)md5i_build_array(building, desc->num_morphs, sizeof *machine->morph_rows);
    machine->morph_firsts =
        (uint32_t *)md5i_build_array(building, desc->num_morphs, sizeof *machine->morph_firsts);
    TRY(machine->morph_rows && machine->morph_firsts);
    for (uint32_t i = 0; i < desc->num_morphs; i++) {
        const char *const *const target = &desc->morphs[i].target;
        if (!*target || **target == '\0')
            return md5i_fail_at(building, target, MD5_ERROR_MISMATCH, "morph %u names no target",
                                i);
        md5i_add_name(&names, target);
        const md5_morph_desc *const morph = &desc->morphs[i];
        md5_morph_row *const row = &machine->morph_rows[i];
        md5_morph_desc filled = *morph;
        md5i_fill_defaults(&md5i_morph_schema, &filled, 1.0f);
        row->drive = morph->drive;
        row->weight = filled.weight;
        TRY(find_drive(building, morph, row));
    }
    md5i_sort_names(&names);
    number_targets(building, &names);
    return true;
}
