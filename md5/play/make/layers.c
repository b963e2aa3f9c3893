// Builds the layers of a machine: their states, transitions and one-shot clips, and the sources of
// morph targets.
//
// The tables of md5_machine_desc describe a machine; a row is an element of a table. The functions
// here check a row, find the objects whose names it contains, and fill in the object that players
// use. A function build_...() sets the context's error and returns false on failure.
#include "md5/core/math.h"
#include "md5/play/make/building.h"

#include <stdlib.h>

// == Layers =====================================================================================

// Builds the events that report entering and leaving a state, and the end of a transition to it.
static bool build_state_events(md5_building *building, uint32_t layer, uint32_t state)
{
    const md5_layer_desc *const table = &building->machine->tables.layers[layer];
    md5_event *const events = MD5_ALLOC_ZEROED(building->arena, md5_event, MD5_STATE_EVENTS);
    TRY(building->machine->layers[layer].states[state].events = events);
    for (uint32_t k = 0; k < MD5_STATE_EVENTS; k++) {
        events[k] = (md5_event){
            .name = table->states[state].name,
            .text = table->name,
            .kind = (md5_event_kind)(MD5_EVENT_ENTER + k),
            .layer = layer,
            .index = state,
        };
    }
    return true;
}

// Finds the motion of a state and builds its blend tree, unless another state has built it.
static bool build_state_tree(md5_building *building, const md5_state_desc *desc, md5_state *state)
{
    uint32_t found;
    TRY(MD5_RESOLVE(building, motions, desc->motion, found));
    if (found == MD5_NONE)
        return true;
    md5_motion *const motion = &building->machine->motions[found];
    TRY(motion->tree || md5i_build_tree(building, motion));
    state->tree = motion->tree;
    return true;
}

// Raises the maximum sizes of a layer to the sizes of a state's tree. A player allocates memory for
// these sizes once, and uses it for any state of the layer.
static void merge_tree(md5_play_layer *layer, const md5_blend_tree *tree)
{
    layer->has_root_motion = layer->has_root_motion || tree->has_root_motion;
    layer->max_instances = md5_larger_count(layer->max_instances, tree->num_instances);
    layer->max_groups = md5_larger_count(layer->max_groups, tree->num_groups);
    layer->max_parts = md5_larger_count(layer->max_parts, tree->num_parts);
}

// Builds the reference pose of a state of an additive layer, and marks the joints that the state
// changes. If the layer does not name a reference clip, the reference clip of each state is its
// first clip.
static bool build_state_reference(md5_building *building, const md5_layer_desc *desc,
                                  md5_state *state)
{
    const md5_motion *const motion = state->tree->motion;
    uint32_t clip;
    md5_begin_row(building, "layer", desc->name);
    TRY(MD5_RESOLVE(building, clips, desc->reference, clip));
    TRY(md5i_build_reference(building, clip, motion, &desc->reference_frame, &state->reference));
    md5i_mark_changed(building, motion, state->reference);
    return true;
}

// Sets the joints of a layer, and the rotations and translations of clips that each state samples
// for them. A layer without a mask that is not additive has all joints.
static bool build_layer_joints(md5_building *building, md5_play_layer *layer)
{
    md5_machine *const machine = building->machine;
    if (layer->mode == MD5_LAYER_ADD) {
        TRY(md5i_build_marked_set(building, layer->mask, &layer->joints));
        machine->has_full_layers = true;
    } else if (layer->mask != MD5_NONE) {
        layer->joints = machine->mask_sets[layer->mask].all;
    } else {
        return true; // all joints
    }
    for (uint32_t i = 0; i < layer->num_states; i++) {
        md5i_narrow_state(building, layer, &layer->states[i]);
        if (layer->states[i].is_exact)
            machine->has_full_layers = true;
    }
    return true;
}

// Builds the states of a layer: the blend tree of each state, its events, and the joints that the
// layer changes.
static bool build_states(md5_building *building, uint32_t index, md5_names *names)
{
    md5_machine *const machine = building->machine;
    const md5_layer_desc *const desc = &building->desc->layers[index];
    md5_play_layer *const layer = &machine->layers[index];
    if (desc->num_states == 0)
        return MD5_OUT_OF_RANGE(building, &desc->name, " has no states: expected at least 1");
    TRY(MD5_LIST_NAMES(building, names, desc, states));
    TRY(layer->states = MD5_ALLOC_ZEROED(building->arena, md5_state, desc->num_states));
    layer->num_states = desc->num_states;

    // In an additive layer, the marks are the joints that any state changes.
    md5i_clear_marks(building);
    for (uint32_t i = 0; i < desc->num_states; i++) {
        md5_state *const state = &layer->states[i];
        md5_begin_row(building, "state", desc->states[i].name);
        TRY(build_state_tree(building, &desc->states[i], state));
        if (machine->reports_states)
            TRY(build_state_events(building, index, i));
        if (!state->tree)
            continue;
        merge_tree(layer, state->tree);
        if (layer->mode == MD5_LAYER_ADD)
            TRY(build_state_reference(building, desc, state));
    }
    return build_layer_joints(building, layer);
}

// Returns true if the time of a state continues above 1. If the first clip of the state is played
// once, its time ends at 1.
static bool continues_after_end(const md5_play_layer *layer, uint32_t state)
{
    const md5_blend_tree *const tree = layer->states[state].tree;
    return !tree || tree->instances[0].playable->mode != MD5_PLAY_ONCE;
}

// Returns NULL if a state's first clip can share its clock with another state. Otherwise returns
// the reason, which is a part of an error message.
static const char *find_step_obstacle(const md5_blend_tree *tree)
{
    if (!tree)
        return "it has no motion";
    const md5_play_mode mode = tree->instances[0].playable->mode;
    if (mode == MD5_PLAY_ONCE)
        return "its first clip does not loop";
    if (mode == MD5_PLAY_PING_PONG && md5_num_step_markers(tree) > 0)
        return "its first clip has markers and plays ping-pong";
    return NULL;
}

// Checks that a transition with `in_step` can synchronize a state with the state `to`, which may be
// the same state.
static bool check_step(md5_building *building, const md5_layer_desc *layer_desc,
                       const md5_transition_desc *desc, const md5_play_layer *layer, uint32_t state,
                       uint32_t to)
{
    const md5_blend_tree *const tree = layer->states[state].tree;
    const md5_blend_tree *const to_tree = layer->states[to].tree;
    const char *const obstacle = find_step_obstacle(tree);
    if (obstacle)
        return MD5_MISMATCH(building, &desc->in_step,
                            ": state %s cannot be synchronized with 'in_step': %s",
                            MD5_QUOTED(layer_desc->states[state].name), obstacle);
    if (md5_num_step_markers(tree) != md5_num_step_markers(to_tree))
        return MD5_MISMATCH(building, &desc->in_step,
                            ": states %s and %s cannot be synchronized with 'in_step': expected "
                            "the same number of markers, found %u and %u",
                            MD5_QUOTED(layer_desc->states[state].name), MD5_QUOTED(desc->to),
                            md5_num_step_markers(tree), md5_num_step_markers(to_tree));
    return true;
}

// Sorts transitions by their source state, then by descending priority, then by their order in the
// table. Transitions from any state are first.
static int compare_transitions(const void *left, const void *right)
{
    const md5_transition *a = (const md5_transition *)left;
    const md5_transition *b = (const md5_transition *)right;
    if (a->from != b->from)
        return a->from + 1 < b->from + 1 ? -1 : 1; // MD5_NONE + 1 wraps around to 0
    if (a->change.priority != b->change.priority)
        return a->change.priority > b->change.priority ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

// Returns true if `wanted` is the name of an event, or its name and text separated by a space.
static bool matches_event(const char *wanted, const md5_event *event)
{
    const size_t length = strlen(event->name);
    if (strncmp(wanted, event->name, length) != 0)
        return false;
    if (wanted[length] == '\0')
        return true;
    return wanted[length] == ' ' && event->text && strcmp(wanted + length + 1, event->text) == 0;
}

// Adds an event bit to the events of a clip that match a name, and sets *is_found if an event
// matches. Returns false if memory runs out.
static bool add_event_bit(md5_building *building, uint32_t clip, const char *name,
                          uint64_t event_bit, bool *is_found)
{
    md5_source *const source = &building->machine->sources[clip];
    const md5_clip_desc *const desc = &building->desc->clips[clip];
    // The end of the clip and both ends of its windows are events too, so they need bits.
    const size_t num_events = (size_t)desc->num_events + 1 + 2 * (size_t)desc->num_windows;
    if (!source->event_bits)
        source->event_bits = MD5_ALLOC_ZEROED(building->arena, uint64_t, num_events);
    TRY(source->event_bits);
    for (uint32_t k = 0; k < desc->num_events; k++) {
        if (!matches_event(name, &desc->events[k]))
            continue;
        source->event_bits[k] |= event_bit;
        source->all_event_bits |= source->event_bits[k];
        *is_found = true;
    }
    return true;
}

// Finds the event bit of an event name. Event bits let players test conditions on events quickly. A
// new name gets the next bit, and all events with this name get the bit too. Fails if no event has
// the name, or if the machine uses more than MD5_MAX_EVENT_BITS names.
static bool find_event_bit(md5_building *building, const char *const *name, uint64_t *event_bit)
{
    md5_machine *const machine = building->machine;
    const char *const event_name = *name;
    if (!event_name || event_name[0] == '\0')
        return MD5_MISMATCH(building, name,
                            " has no event name: expected the name of an event of a clip");

    uint32_t index = 0;
    while (index < machine->num_event_bits && strcmp(building->event_bits[index], event_name) != 0)
        index++;
    if (index == MD5_MAX_EVENT_BITS)
        return MD5_OUT_OF_RANGE(building, name,
                                " refers to too many events: expected at most %d in a machine",
                                MD5_MAX_EVENT_BITS);
    *event_bit = (uint64_t)1 << index;
    const bool is_new = index == machine->num_event_bits;
    if (!is_new)
        return true;

    building->event_bits[machine->num_event_bits++] = event_name;
    bool is_found = false;
    for (uint32_t i = 0; i < building->desc->num_clips; i++)
        TRY(add_event_bit(building, i, event_name, *event_bit, &is_found));
    if (!is_found)
        return MD5_MISMATCH(building, name, " refers to unknown event %s: no clip contains it",
                            MD5_QUOTED(event_name));
    return true;
}

// Returns the event bits of all events of a state's first clip. An event bit stands for a name that
// conditions or exits use: see find_event_bit().
static uint64_t first_clip_bits(const md5_play_layer *layer, uint32_t state)
{
    const md5_blend_tree *const tree = layer->states[state].tree;
    return tree ? tree->instances[0].playable->source->all_event_bits : 0;
}

static bool is_time_condition(const md5_condition *row)
{
    return row->kind != MD5_WHEN_PARAMETER && row->kind != MD5_WHEN_EVENT;
}

// Checks that a condition has the members that its kind requires. `parameter` is the index of the
// parameter that the condition names, or MD5_NONE.
static bool check_condition_members(md5_building *building, const md5_condition *row,
                                    uint32_t parameter)
{
    if (row->kind == MD5_WHEN_PARAMETER && parameter == MD5_NONE)
        return MD5_MISMATCH(
            building, &row->parameter,
            ": parameter of a condition is missing: expected the name of a parameter");
    if (row->kind == MD5_WHEN_EVENT && row->compare != MD5_IS_SET)
        return MD5_MISMATCH(building, &row->parameter,
                            ": condition about an event has a wrong comparison: expected %u "
                            "(MD5_IS_SET), found %u",
                            (unsigned)MD5_IS_SET, (unsigned)row->compare);
    if (is_time_condition(row) && row->compare <= MD5_IS_CLEAR)
        return MD5_MISMATCH(building, &row->parameter, ": condition has no comparison");
    return true;
}

// Checks the range of a condition with a random time.
static bool check_random_time(md5_building *building, const md5_condition *row, double shortest,
                              double longest)
{
    if (row->kind != MD5_WHEN_STATE_TIME)
        return MD5_OUT_OF_RANGE(building, &row->longest,
                                ": only 'state_time' can have a range: expected one number, found "
                                "%g to %g",
                                shortest, longest);
    if (!(shortest >= 0 && longest >= shortest))
        return MD5_OUT_OF_RANGE(building, &row->longest,
                                ": range of a condition is not ascending: expected two ascending "
                                "numbers from 0 or more, found %g to %g",
                                shortest, longest);
    return true;
}

// The part of a machine that a condition belongs to.
typedef enum condition_owner { OWNED_BY_TRANSITION, OWNED_BY_ONE_SHOT } condition_owner;

// Resolves the subject of a condition: sets *parameter to the index of a parameter or MD5_NONE, and
// *event_bit to the bit of an event or 0. A time has neither; one-shots cannot have a time.
static bool find_condition_subject(md5_building *building, condition_owner owner,
                                   const md5_condition *row, uint32_t *parameter,
                                   uint64_t *event_bit)
{
    *parameter = MD5_NONE;
    *event_bit = 0;
    if (row->kind == MD5_WHEN_EVENT)
        return find_event_bit(building, &row->parameter, event_bit);
    if (!is_time_condition(row))
        return MD5_RESOLVE(building, parameters, row->parameter, *parameter);
    if (owner == OWNED_BY_ONE_SHOT)
        return MD5_MISMATCH(
            building, &row->parameter,
            ": 'state_time' and 'time_left' are not supported in conditions of one-shots");
    return true;
}

// Adds a condition to the machine's conditions. `num_following` is the number of conditions after
// it that belong to the same alternative, and must also be true.
static bool build_condition(md5_building *building, condition_owner owner, const md5_condition *row,
                            uint32_t num_following)
{
    md5_machine *const machine = building->machine;
    uint32_t parameter;
    uint64_t event_bit;
    TRY(find_condition_subject(building, owner, row, &parameter, &event_bit));
    TRY(check_condition_members(building, row, parameter));
    const double shortest = md5i_decimal_from_float(row->value);
    const double longest = md5i_decimal_from_float(row->longest);
    const bool is_random = row->longest != 0;
    if (is_random)
        TRY(check_random_time(building, row, shortest, longest));

    machine->conditions[machine->num_conditions++] = (md5_play_condition){
        .parameter = parameter,
        .compare = row->compare,
        .value = row->value,
        .kind = row->kind,
        .num_following = num_following,
        .seconds = shortest,
        .event_bit = event_bit,
        .spread = is_random ? longest - shortest : 0,
    };
    const bool depends_on_time = is_time_condition(row) || row->kind == MD5_WHEN_EVENT;
    machine->has_chances = machine->has_chances || is_random;
    machine->has_times = machine->has_times || depends_on_time;
    return true;
}

// Adds the conditions of a transition or of a one-shot clip to the machine's conditions. They form
// alternatives. The transition is possible if all conditions of one alternative hold.
static bool build_conditions(md5_building *building, condition_owner owner,
                             const md5_condition *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t num_following = 0; // conditions up to the next alternative
        while (i + num_following + 1 < count && !rows[i + num_following + 1].begins_alternative)
            num_following++;
        TRY(build_condition(building, owner, &rows[i], num_following));
    }
    return true;
}

// Returns the causes that can open a transition, as bits: the passage of time, or a change of one
// of its parameters. Players test a transition only after one of its causes.
static uint64_t transition_causes(const md5_transition *transition)
{
    const bool is_always = transition->waits || transition->num_conditions == 0;
    uint64_t causes = is_always ? MD5_CAUSE_TIME : 0;
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        const md5_play_condition *const condition = &transition->conditions[i];
        if (condition->kind == MD5_WHEN_PARAMETER)
            causes |= md5_parameter_cause(condition->parameter);
        else
            causes |= MD5_CAUSE_TIME;
    }
    return causes;
}

// Sets the range of transitions of each state of a layer, and the causes of each transition.
// transitions[count] are sorted by compare_transitions().
static bool list_transitions(md5_building *building, md5_play_layer *layer,
                             const md5_transition *transitions, uint32_t count)
{
    uint64_t *const causes = MD5_ALLOC_ZEROED(building->arena, uint64_t, count);
    TRY(layer->causes = causes);
    for (uint32_t i = 0; i < count; i++) {
        causes[i] = transition_causes(&transitions[i]);
        if (transitions[i].from == MD5_NONE) {
            layer->num_any++;
            layer->any_causes |= causes[i];
            continue;
        }
        md5_state *const from = &layer->states[transitions[i].from];
        if (from->num_transitions == 0)
            from->first_transition = i;
        from->num_transitions++;
        from->causes |= causes[i];
    }
    return true;
}

// Event bits of the first clips of a layer's states: see find_event_bit().
typedef struct first_clip_events {
    uint64_t in_one_state;   // in at least one state
    uint64_t in_two_states;  // in at least two states
    uint32_t num_event_bits; // number of the machine's event bits when this was computed
} first_clip_events;

// Computes the events of first clips again if the machine has got another event bit since the last
// call.
static void update_first_clip_events(const md5_machine *machine, const md5_play_layer *layer,
                                     first_clip_events *event_bits)
{
    if (event_bits->num_event_bits == machine->num_event_bits)
        return;
    *event_bits = (first_clip_events){.num_event_bits = machine->num_event_bits};
    for (uint32_t i = 0; i < layer->num_states; i++) {
        event_bits->in_two_states |= event_bits->in_one_state & first_clip_bits(layer, i);
        event_bits->in_one_state |= first_clip_bits(layer, i);
    }
}

// Finds the event bit of the event at which a transition exits. The first clip of a source state
// must contain the event.
static bool build_exit_event(md5_building *building, const md5_transition_desc *desc,
                             const md5_play_layer *layer, first_clip_events *event_bits,
                             md5_transition *transition)
{
    TRY(find_event_bit(building, &desc->exit_event, &transition->exit_event_bit));
    update_first_clip_events(building->machine, layer, event_bits);
    uint64_t source_bits;
    if (transition->from != MD5_NONE) {
        source_bits = first_clip_bits(layer, transition->from);
    } else {
        // The transition can begin in any state except its target.
        const uint64_t target_bits = first_clip_bits(layer, transition->change.state);
        source_bits = event_bits->in_two_states | (event_bits->in_one_state & ~target_bits);
    }
    if ((source_bits & transition->exit_event_bit) == 0)
        return MD5_MISMATCH(
            building, &desc->exit_event,
            " exits at unknown event %s: no first clip of its source states contains it",
            MD5_QUOTED(desc->exit_event));
    return true;
}

// Returns true if an exit time above 1 is reached in at least one source state of a transition. The
// normalized time of a state is 1 after the first cycle of its first clip, so an exit time of 2.5
// is in the third cycle. It is reached only if the time of the source state continues after the
// first cycle. `num_continuing` is the number of states of the layer with this property.
static bool reaches_later_cycle(const md5_play_layer *layer, const md5_transition *transition,
                                uint32_t num_continuing)
{
    if (transition->from != MD5_NONE)
        return continues_after_end(layer, transition->from);

    // The transition can begin in any state except its own target.
    const bool target_continues = continues_after_end(layer, transition->change.state);
    const uint32_t num_sources = target_continues ? num_continuing - 1 : num_continuing;
    return num_sources > 0;
}

// Warns if a transition waits for an exit time that is never reached. A time up to 1 is always
// reached. An exit time in every cycle (exits_each) is also reached in the first cycle.
// reaches_later_cycle() describes `num_continuing`.
static void warn_about_exit(md5_building *building, const md5_layer_desc *layer_desc,
                            const md5_transition_desc *desc, const md5_play_layer *layer,
                            const md5_transition *transition, uint32_t num_continuing)
{
    const bool exits_after_end = desc->waits && !transition->exits_each && desc->exit > 1;
    if (!exits_after_end || reaches_later_cycle(layer, transition, num_continuing))
        return;
    const md5_location location = md5i_find_location(building->desc->locations, &desc->exit);
    md5i_warn(building->context, location.line, location.column,
              "layer %s: exit %g of the transition to %s is never reached: clips that play "
              "once end at 1",
              MD5_QUOTED(layer_desc->name), desc->exit, MD5_QUOTED(desc->to));
}

// Checks a transition with `in_step`, which synchronizes its target with its source: both states
// must be able to share a clock. Also finds the leader, the state whose rate the shared clock gets.
//
// A transition from any state is checked with all states of the layer. This is done only once:
// *are_alike becomes true when all states have passed.
static bool build_step(md5_building *building, const md5_layer_desc *layer_desc,
                       const md5_transition_desc *desc, const md5_play_layer *layer,
                       const md5_names *names, bool *are_alike, md5_transition *transition)
{
    const uint32_t from = transition->from;
    const uint32_t to = transition->change.state;
    uint32_t *const leader = &transition->change.leader;
    TRY(check_step(building, layer_desc, desc, layer, to, to));
    if (from != MD5_NONE) {
        TRY(check_step(building, layer_desc, desc, layer, from, to));
    } else if (!*are_alike) {
        for (uint32_t k = 0; k < layer->num_states; k++)
            TRY(check_step(building, layer_desc, desc, layer, k, to));
        *are_alike = true;
    }

    TRY(md5i_resolve(building, names, &desc->leader, leader));
    if (*leader == MD5_NONE || from == MD5_NONE)
        return true;
    if (*leader != to && *leader != from)
        return MD5_MISMATCH(building, &desc->leader, ": leader %s is not one of its two states",
                            MD5_QUOTED(desc->leader));
    return true;
}

// Finds the states that a transition names, and copies the values of its row.
static bool copy_transition(md5_building *building, const md5_layer_desc *layer_desc,
                            uint32_t number, const md5_names *names, md5_transition *transition)
{
    const md5_transition_desc *const desc = &layer_desc->transitions[number];
    const md5_machine *const machine = building->machine;
    uint32_t from;
    uint32_t to;
    TRY(md5i_resolve(building, names, &desc->from, &from));
    TRY(md5i_resolve(building, names, &desc->to, &to));
    if (to == MD5_NONE)
        return md5i_fail_at(
            building, &desc->to, MD5_ERROR_MISMATCH,
            "layer %s: transition %u has no target state: expected the name of a state",
            MD5_QUOTED(layer_desc->name), number);

    const md5_change change = {
        .state = to,
        .start = md5i_decimal_from_float(desc->start),
        .begin = MD5_BEGIN_AFTER_START,
        .duration = md5i_decimal_from_float(desc->duration),
        .fade = desc->fade,
        .easing = (uint32_t)desc->easing.kind,
        .priority = desc->priority,
        .interrupt = desc->interrupt,
        .in_step = desc->in_step,
    };
    *transition = (md5_transition){
        .from = from,
        .change = change,
        .conditions = machine->conditions + machine->num_conditions,
        .num_conditions = desc->num_conditions,
        .number = number,
        .exit = md5i_decimal_from_float(desc->exit),
        .waits = desc->waits || desc->exit_event,
        .keeps_phase = desc->keeps_phase,
        .exits_each = desc->exits_each || desc->exit_event,
    };
    if (desc->exits_each) // an exit in each cycle is above 0 and at most 1
        transition->exit -= ceil(transition->exit) - 1;
    return true;
}

// Values that are computed once for all transitions of a layer.
typedef struct transition_context {
    const md5_layer_desc *layer_desc;
    const md5_names *names;       // names of the layer's states
    first_clip_events event_bits; // updated when a transition adds an event bit
    bool are_alike;               // all states can share a clock
    uint32_t num_continuing;      // states that continue after the end of their clip
} transition_context;

// Builds a transition. Its conditions are appended to the conditions of the machine.
static bool build_transition(md5_building *building, transition_context *context, uint32_t index,
                             md5_play_layer *layer, md5_transition *transition)
{
    const md5_layer_desc *const layer_desc = context->layer_desc;
    const md5_transition_desc *const desc = &layer_desc->transitions[index];
    md5_begin_row(building, "transition of layer", layer_desc->name);
    TRY(copy_transition(building, layer_desc, index, context->names, transition));
    if (desc->exit_event)
        TRY(build_exit_event(building, desc, layer, &context->event_bits, transition));
    warn_about_exit(building, layer_desc, desc, layer, transition, context->num_continuing);
    if (md5_has_easing_parameters(desc->easing.kind))
        TRY(md5i_build_easing(building, &desc->easing, &transition->change.easing));
    TRY(build_conditions(building, OWNED_BY_TRANSITION, desc->conditions, desc->num_conditions));

    layer->has_waits = layer->has_waits || transition->waits;
    if (!desc->in_step)
        return true;
    layer->has_steps = true;
    building->machine->has_steps = true;
    return build_step(building, layer_desc, desc, layer, context->names, &context->are_alike,
                      transition);
}

// Builds the transitions of a layer, sorted in the order in which players test them. `names` are
// the names of the layer's states.
static bool build_transitions(md5_building *building, uint32_t layer_index, const md5_names *names)
{
    const md5_layer_desc *const layer_desc = &building->desc->layers[layer_index];
    const uint32_t count = layer_desc->num_transitions;
    md5_play_layer *const layer = &building->machine->layers[layer_index];
    md5_transition *const transitions = MD5_ALLOC_ZEROED(building->arena, md5_transition, count);
    TRY(layer->transitions = transitions);

    transition_context context = {.layer_desc = layer_desc, .names = names};
    for (uint32_t i = 0; i < layer->num_states; i++)
        context.num_continuing += continues_after_end(layer, i);
    for (uint32_t i = 0; i < count; i++)
        TRY(build_transition(building, &context, i, layer, &transitions[i]));

    qsort(transitions, count, sizeof *transitions, compare_transitions);
    return list_transitions(building, layer, transitions, count);
}

// == Curves and morph targets ===================================================================

// Checks the keys of a morph or curve over a clip. `owner` is the location of errors about all
// keys.
static bool check_clip_keys(md5_building *building, const char *const *owner, uint32_t clip,
                            const md5_morph_key *keys, uint32_t num_keys)
{
    const uint32_t num_frames = building->machine->sources[clip].binding->anim->num_frames;
    const char *const name = building->desc->clips[clip].name;
    if (num_keys == 0)
        return MD5_OUT_OF_RANGE(building, owner, " has no keys for clip %s: expected at least 1",
                                MD5_QUOTED(name));

    for (uint32_t i = 0; i < num_keys; i++) {
        const md5_morph_key *const key = &keys[i];
        if (key->frame >= num_frames)
            return md5i_fail_at(
                building, &key->frame, MD5_ERROR_RANGE,
                "key of %s %s is out of range: expected a frame from 0 to %u in clip %s, found %u",
                building->kind, MD5_QUOTED(building->owner), num_frames - 1, MD5_QUOTED(name),
                key->frame);
        if (i > 0 && key->frame <= key[-1].frame)
            return MD5_OUT_OF_RANGE(building, &key->frame,
                                    ": keys are out of order: expected a frame above %u, found %u",
                                    key[-1].frame, key->frame);
    }
    return true;
}

// A player adds up the weighted values of all rows with the same name: see md5_sum_row. Assigns a
// number to each distinct name, in the order of the first rows, and stores it in rows[i].target.
// Also sets rows[number].first to the first row with the name. Sets *num_targets to the number of
// names; it must be 0 before.
static bool number_rows(md5_building *building, md5_names *names, md5_sum_row *rows, uint32_t count,
                        uint32_t *num_targets)
{
    names->may_repeat = true;
    TRY(md5i_list_names(building, names, rows, count, sizeof *rows));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first; // first row with the name of row i
        TRY(md5i_resolve(building, names, &rows[i].name, &first));
        if (first < i) {
            rows[i].target = rows[first].target;
            continue;
        }
        rows[i].target = *num_targets;
        rows[*num_targets].first = i;
        (*num_targets)++;
    }
    return true;
}

// Checks the animation curves of a clip, which are numbers that change over its frames, and adds
// them to the table of weighted sums. Curves with the same name in several clips are blended like
// the clips.
static bool build_clip_curves(md5_building *building, uint32_t clip_index)
{
    md5_machine *const machine = building->machine;
    const md5_clip_desc *const clip = &building->desc->clips[clip_index];
    md5_names names = {.kind = "curve"};
    TRY(MD5_LIST_NAMES(building, &names, clip, curves));

    for (uint32_t k = 0; k < clip->num_curves; k++) {
        const md5_clip_curve *const curve = &clip->curves[k];
        const md5_clip_curve *const copy = &machine->tables.clips[clip_index].curves[k];
        md5_begin_row(building, "curve", curve->name);
        TRY(md5i_check_steps(building, &curve->easing));
        TRY(check_clip_keys(building, &curve->name, clip_index, curve->keys, curve->num_keys));
        machine->curves[machine->num_curves++] = (md5_sum_row){
            .name = copy->name,
            .target_kind = MD5_SUM_CURVE,
            .drive = MD5_MORPH_BY_CLIP,
            .source = clip_index,
            .weight = 1,
            .keys = copy->keys,
            .num_keys = copy->num_keys,
            .easing = &copy->easing,
        };
    }
    return true;
}

// Builds the rows of the animation curves of all clips, and numbers their names. A curve stores a
// number for each frame of a clip, which blends like the clip.
bool md5i_build_curves(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    // The table contains the rows of morphs, then of curves, then of modifiers.
    const size_t num_rows = (size_t)desc->num_morphs + building->num_curves + desc->num_modifiers;
    TRY(machine->morph_rows = MD5_ALLOC_ZEROED(building->arena, md5_sum_row, num_rows));
    machine->curves = machine->morph_rows + desc->num_morphs;
    for (uint32_t i = 0; i < desc->num_clips; i++)
        TRY(build_clip_curves(building, i));
    return number_rows(building, &building->curves, machine->curves, machine->num_curves,
                       &machine->num_sums);
}

// Checks that a name that the row's kind needs is not NULL. `kind` is the kind of the named thing,
// for the error message.
static bool check_named(md5_building *building, const char *const *name, const char *kind)
{
    if (*name)
        return true;
    (void)MD5_MISMATCH(building, name, " has no %s", kind);
    return false;
}

// Resolves the names of a layer and of one of its states, which are required, to indices in `row`.
bool md5i_resolve_state(md5_building *building, const char *const *layer, const char *const *state,
                        md5_sum_row *row)
{
    TRY(check_named(building, layer, "layer") && check_named(building, state, "state"));
    row->layer = md5_find_layer(building->machine, *layer);
    if (row->layer == MD5_NONE)
        return MD5_MISMATCH(building, layer, " refers to unknown layer %s", MD5_QUOTED(*layer));
    row->source = md5_find_state(building->machine, row->layer, *state);
    if (row->source == MD5_NONE)
        return MD5_MISMATCH(building, state, " refers to unknown state %s of layer %s",
                            MD5_QUOTED(*state), MD5_QUOTED(*layer));
    return true;
}

// Finds the index of a name in `names`. Fails if the name is missing, although the kind of the row
// requires it, or unknown.
static bool resolve_named(md5_building *building, const md5_names *names, const char *const *name,
                          uint32_t *index)
{
    TRY(check_named(building, name, names->kind));
    return md5i_resolve(building, names, name, index);
}

// Resolves the source of a morph target's weight: a parameter, a state, a clip, a curve or a
// window.
static bool find_drive(md5_building *building, const md5_morph_desc *morph, md5_sum_row *row)
{
    row->num_keys = morph->num_keys;
    switch (morph->drive) {
    case MD5_MORPH_BY_STATE:
        return md5i_resolve_state(building, &morph->layer, &morph->state, row);
    case MD5_MORPH_BY_CLIP:
        TRY(resolve_named(building, &building->clips, &morph->clip, &row->source));
        return check_clip_keys(building, &morph->target, row->source, morph->keys, morph->num_keys);
    case MD5_MORPH_BY_CURVE:
        return resolve_named(building, &building->curves, &morph->curve, &row->source);
    case MD5_MORPH_BY_WINDOW:
        return resolve_named(building, &building->windows, &morph->window, &row->source);
    default: // MD5_MORPH_BY_PARAMETER
        return resolve_named(building, &building->parameters, &morph->parameter, &row->source);
    }
}

// Builds the row of a morph, which connects a morph target to the source of its weight.
static bool build_morph(md5_building *building, uint32_t index)
{
    const md5_morph_desc *const morph = &building->desc->morphs[index];
    const md5_morph_desc *const copy = &building->machine->tables.morphs[index];
    md5_sum_row *const row = &building->machine->morph_rows[index];
    if (!morph->target || morph->target[0] == '\0')
        return md5i_fail_at(building, &morph->target, MD5_ERROR_MISMATCH,
                            "morph %u has no target: expected the name of a morph target", index);

    md5_begin_row(building, "morph", morph->target);
    md5_morph_desc filled = *morph;
    md5i_fill_defaults(&md5i_morph_schema, &filled, 1);
    row->name = copy->target;
    row->keys = copy->keys;
    row->drive = morph->drive;
    row->weight = filled.weight;
    return find_drive(building, morph, row);
}

// Builds the rows of the morphs, and assigns the sums of morphs and curves.
static bool build_morphs(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    md5_names names = {.kind = "morph"};
    for (uint32_t i = 0; i < desc->num_morphs; i++)
        TRY(build_morph(building, i));
    TRY(number_rows(building, &names, machine->morph_rows, desc->num_morphs, &machine->num_morphs));

    // The sums of morph targets are first, then the sums of curves, then the sums of modifiers.
    // Until here, `target` of a curve is the number of its name. Each curve has MD5_NUM_CURVE_SUMS
    // sums.
    const uint32_t num_curve_names = machine->num_sums; // set by md5i_build_curves()
    machine->num_rows = desc->num_morphs + machine->num_curves;
    machine->num_sums = machine->num_morphs + MD5_NUM_CURVE_SUMS * num_curve_names;
    for (uint32_t i = 0; i < machine->num_curves; i++) {
        const uint32_t name = machine->curves[i].target;
        machine->curves[i].target = machine->num_morphs + MD5_NUM_CURVE_SUMS * name;
    }
    return true;
}

// == One-shots ===================================================================================

// Checks the names in the rows of slots. A slot plays one one-shot clip at a time.
static bool check_slots(md5_building *building, const md5_names *layers)
{
    const md5_machine_desc *const desc = building->desc;
    uint32_t unused; // the names are resolved again when a one-shot clip starts
    for (uint32_t i = 0; i < desc->num_slots; i++) {
        const md5_slot_desc *const row = &desc->slots[i];
        md5_begin_row(building, "slot", row->name);
        TRY(MD5_RESOLVE(building, masks, row->mask, unused));
        TRY(md5i_resolve(building, layers, &row->layer, &unused));
        TRY(MD5_RESOLVE(building, clips, row->reference, unused));
    }
    return true;
}

// Checks the reference frame and the section of a one-shot clip.
static bool check_one_shot_frames(md5_building *building, const md5_one_shot_desc *row,
                                  uint32_t slot, uint32_t clip)
{
    const md5_machine *const machine = building->machine;
    const md5_one_shot_desc filled = md5_apply_slot_defaults(machine, slot, *row);
    const uint32_t reference = filled.reference ? md5_find_clip(machine, filled.reference) : clip;
    const uint32_t num_frames = machine->sources[reference].binding->anim->num_frames;

    // The error is located at the frame, which was declared together with its clip: in the one-shot
    // or in the slot.
    const uint32_t *const location =
        row->reference ? &row->reference_frame : &building->desc->slots[slot].reference_frame;
    if (filled.reference_frame >= num_frames)
        return MD5_OUT_OF_RANGE(building, location,
                                ": reference frame is out of range: expected 0 to %u, found %u",
                                num_frames - 1, filled.reference_frame);

    if (row->section && md5i_find_section(machine, clip, row->section) == MD5_NONE)
        return MD5_MISMATCH(building, &row->section, " refers to unknown section %s of its clip",
                            MD5_QUOTED(row->section));
    return true;
}

// Checks a one-shot clip of the tables and builds its conditions. Its other values are read from
// the tables each time that it starts.
static bool build_one_shot(md5_building *building, const md5_one_shot_desc *row,
                           const md5_names *slots, const md5_names *layers,
                           md5_play_one_shot *one_shot)
{
    md5_machine *const machine = building->machine;
    uint32_t slot;
    uint32_t clip;
    uint32_t unused; // names that are only checked here
    TRY(md5i_resolve(building, slots, &row->slot, &slot));
    TRY(MD5_RESOLVE(building, clips, row->clip, clip));
    TRY(MD5_RESOLVE(building, masks, row->mask, unused));
    TRY(md5i_resolve(building, layers, &row->layer, &unused));
    TRY(MD5_RESOLVE(building, clips, row->reference, unused));
    TRY(md5i_check_steps(building, &row->fade_in_easing));
    TRY(md5i_check_steps(building, &row->fade_out_easing));

    if (slot == MD5_NONE || clip == MD5_NONE)
        return MD5_MISMATCH(building, &row->name, " has no %s", slot == MD5_NONE ? "slot" : "clip");
    TRY(check_one_shot_frames(building, row, slot, clip));

    // The conditions of the exit are stored after the conditions of the start.
    md5_play_condition *const conditions = machine->conditions + machine->num_conditions;
    *one_shot = (md5_play_one_shot){
        .slot = slot,
        .conditions = conditions,
        .until = conditions + row->num_conditions,
    };
    TRY(build_conditions(building, OWNED_BY_ONE_SHOT, row->conditions, row->num_conditions));
    return build_conditions(building, OWNED_BY_ONE_SHOT, row->until, row->num_until);
}

// Builds the one-shot clips of the tables, and checks their slots.
static bool build_one_shots(md5_building *building, const md5_names *layers)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    md5_names slots = {.kind = "slot"};
    md5_names one_shots = {.kind = "one_shot"};
    TRY(MD5_LIST_NAMES(building, &slots, desc, slots));
    TRY(MD5_LIST_NAMES(building, &one_shots, desc, one_shots));
    TRY(machine->one_shots =
            MD5_ALLOC_ZEROED(building->arena, md5_play_one_shot, desc->num_one_shots));
    TRY(check_slots(building, layers));
    for (uint32_t i = 0; i < desc->num_one_shots; i++) {
        md5_begin_row(building, one_shots.kind, desc->one_shots[i].name);
        TRY(build_one_shot(building, &desc->one_shots[i], &slots, layers, &machine->one_shots[i]));
    }
    return true;
}

// == All =========================================================================================

// Returns true if a layer may change a joint that is animated at a reduced level of detail.
static bool may_change_animated(const md5_machine *machine, const md5_play_layer *layer,
                                const md5_detail_set *detail)
{
    const md5_joint_set *const joints = &layer->joints;
    const float *const weights = md5_mask_weights(machine, layer->mask);
    if (layer->mode != MD5_LAYER_ADD && !weights)
        return true; // may change any joint
    for (uint32_t n = 0; n < joints->count; n++) {
        const uint32_t joint = joints->list ? joints->list[n] : joints->first + n;
        if (detail->are_animated[joint] && (!weights || weights[joint] > 0))
            return true;
    }
    return false;
}

// Builds a layer: its mode, mask and weight, its states and transitions.
static bool build_layer(md5_building *building, uint32_t index)
{
    const md5_layer_desc *const desc = &building->desc->layers[index];
    md5_play_layer *const layer = &building->machine->layers[index];
    md5_names states = {.kind = "state"};
    md5_layer_desc filled = *desc;
    md5_begin_row(building, "layer", desc->name);
    md5i_fill_defaults(&md5i_layer_schema, &filled, 1);
    *layer = (md5_play_layer){.mode = desc->mode, .weight = {.fixed = filled.weight}};
    TRY(MD5_RESOLVE(building, masks, desc->mask, layer->mask));
    TRY(MD5_RESOLVE(building, parameters, desc->weight_parameter, layer->weight.parameter));
    TRY(md5i_build_easing(building, &desc->weight_easing, &layer->weight.easing));
    return build_states(building, index, &states) && build_transitions(building, index, &states);
}

// For each level of detail and each layer, stores in are_visible[mask * num_layers + layer] if the
// layer may change a joint that is animated at this level. Players omit other layers.
static bool find_visible_layers(md5_building *building)
{
    md5_machine *const machine = building->machine;
    const size_t num_layers = building->desc->num_layers;
    const size_t num_masks = building->desc->num_masks;
    machine->are_visible = (bool *)md5i_arena_alloc_zeroed(
        building->arena, num_masks, num_layers * sizeof *machine->are_visible);
    TRY(machine->are_visible);
    for (size_t i = 0; i < num_masks; i++) {
        for (size_t k = 0; k < num_layers; k++)
            machine->are_visible[i * num_layers + k] =
                may_change_animated(machine, &machine->layers[k], &machine->details[i]);
    }
    return true;
}

// Builds the layers of the machine with everything that they refer to: masks, motions, states,
// conditions, one-shot clips and morphs. The order matters: later steps use the results of earlier
// steps.
bool md5i_build_layers(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    md5_names layers = {.kind = "layer"};
    TRY(md5i_build_masks(building) && md5i_build_motions(building));
    TRY(MD5_LIST_NAMES(building, &layers, desc, layers));

    machine->layers = MD5_ALLOC_ZEROED(building->arena, md5_play_layer, desc->num_layers);
    machine->conditions =
        MD5_ALLOC_ZEROED(building->arena, md5_play_condition, building->num_conditions);
    TRY(machine->layers && machine->conditions);

    for (uint32_t i = 0; i < desc->num_layers; i++)
        TRY(build_layer(building, i));
    TRY(find_visible_layers(building));
    TRY(build_one_shots(building, &layers));
    return build_morphs(building);
}
