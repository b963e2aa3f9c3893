#include "md5/play/tables.h"

#include <string.h>

// Tables go into the block; the texts that they name are counted meanwhile and go behind them all.
typedef struct copier {
    md5_block *block;
    char *texts; // NULL while measuring
    size_t used;
} copier;

static void *take(const copier *to, uint32_t count, size_t size)
{
    return md5_block_take(to->block, count, size);
}

static const char *copy_text(copier *to, const char *text)
{
    if (!text)
        return NULL;
    const size_t size = strlen(text) + 1;
    char *const copy = to->texts ? to->texts + to->used : NULL;
    if (copy)
        memcpy(copy, text, size);
    to->used += size;
    return copy;
}

static const md5_event *copy_events(copier *to, const md5_clip_desc *clip)
{
    md5_event *const copy = take(to, clip->num_events, sizeof *copy);
    for (uint32_t i = 0; i < clip->num_events; i++) {
        md5_event event = clip->events[i];
        event.name = copy_text(to, event.name);
        event.text = copy_text(to, event.text ? event.text : "");
        if (copy)
            copy[i] = event;
    }
    return copy;
}

static const md5_clip_desc *copy_clips(copier *to, const md5_machine_desc *desc)
{
    md5_clip_desc *const copy = take(to, desc->num_clips, sizeof *copy);
    for (uint32_t i = 0; i < desc->num_clips; i++) {
        md5_clip_desc clip = desc->clips[i];
        clip.name = copy_text(to, clip.name);
        clip.file = copy_text(to, clip.file);
        clip.events = copy_events(to, &desc->clips[i]);
        uint32_t *const markers = take(to, clip.num_markers, sizeof *markers);
        if (markers && clip.num_markers > 0)
            memcpy(markers, clip.markers, clip.num_markers * sizeof *markers);
        clip.markers = markers;
        if (copy)
            copy[i] = clip;
    }
    return copy;
}

static const md5_mask_desc *copy_masks(copier *to, const md5_machine_desc *desc)
{
    md5_mask_desc *const copy = take(to, desc->num_masks, sizeof *copy);
    for (uint32_t i = 0; i < desc->num_masks; i++) {
        md5_mask_desc mask = desc->masks[i];
        mask.name = copy_text(to, mask.name);
        mask.joints = copy_text(to, mask.joints);
        if (copy)
            copy[i] = mask;
    }
    return copy;
}

static const md5_parameter_desc *copy_parameters(copier *to, const md5_machine_desc *desc)
{
    md5_parameter_desc *const copy = take(to, desc->num_parameters, sizeof *copy);
    for (uint32_t i = 0; i < desc->num_parameters; i++) {
        md5_parameter_desc parameter = desc->parameters[i];
        parameter.name = copy_text(to, parameter.name);
        if (copy)
            copy[i] = parameter;
    }
    return copy;
}

static const md5_motion_item *copy_items(copier *to, const md5_motion_desc *motion)
{
    md5_motion_item *const copy = take(to, motion->num_items, sizeof *copy);
    for (uint32_t i = 0; i < motion->num_items; i++) {
        md5_motion_item item = motion->items[i];
        item.motion = copy_text(to, item.motion);
        item.mask = copy_text(to, item.mask);
        item.weight_parameter = copy_text(to, item.weight_parameter);
        item.reference = copy_text(to, item.reference);
        if (copy)
            copy[i] = item;
    }
    return copy;
}

static const md5_motion_desc *copy_motions(copier *to, const md5_machine_desc *desc)
{
    md5_motion_desc *const copy = take(to, desc->num_motions, sizeof *copy);
    for (uint32_t i = 0; i < desc->num_motions; i++) {
        md5_motion_desc motion = desc->motions[i];
        motion.name = copy_text(to, motion.name);
        motion.clip = copy_text(to, motion.clip);
        motion.speed_parameter = copy_text(to, motion.speed_parameter);
        motion.x_parameter = copy_text(to, motion.x_parameter);
        motion.y_parameter = copy_text(to, motion.y_parameter);
        motion.items = copy_items(to, &desc->motions[i]);
        if (copy)
            copy[i] = motion;
    }
    return copy;
}

static const md5_state_desc *copy_states(copier *to, const md5_layer_desc *layer)
{
    md5_state_desc *const copy = take(to, layer->num_states, sizeof *copy);
    for (uint32_t i = 0; i < layer->num_states; i++) {
        md5_state_desc state = layer->states[i];
        state.name = copy_text(to, state.name);
        state.motion = copy_text(to, state.motion);
        if (copy)
            copy[i] = state;
    }
    return copy;
}

static const md5_condition *copy_conditions(copier *to, const md5_transition_desc *transition)
{
    md5_condition *const copy = take(to, transition->num_conditions, sizeof *copy);
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        md5_condition condition = transition->conditions[i];
        condition.parameter = copy_text(to, condition.parameter);
        if (copy)
            copy[i] = condition;
    }
    return copy;
}

static const md5_transition_desc *copy_transitions(copier *to, const md5_layer_desc *layer)
{
    md5_transition_desc *const copy = take(to, layer->num_transitions, sizeof *copy);
    for (uint32_t i = 0; i < layer->num_transitions; i++) {
        md5_transition_desc transition = layer->transitions[i];
        transition.from = copy_text(to, transition.from);
        transition.to = copy_text(to, transition.to);
        transition.conditions = copy_conditions(to, &layer->transitions[i]);
        if (copy)
            copy[i] = transition;
    }
    return copy;
}

static const md5_layer_desc *copy_layers(copier *to, const md5_machine_desc *desc)
{
    md5_layer_desc *const copy = take(to, desc->num_layers, sizeof *copy);
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        md5_layer_desc layer = desc->layers[i];
        layer.name = copy_text(to, layer.name);
        layer.reference = copy_text(to, layer.reference);
        layer.mask = copy_text(to, layer.mask);
        layer.weight_parameter = copy_text(to, layer.weight_parameter);
        layer.states = copy_states(to, &desc->layers[i]);
        layer.transitions = copy_transitions(to, &desc->layers[i]);
        if (copy)
            copy[i] = layer;
    }
    return copy;
}

static const md5_modifier_desc *copy_modifiers(copier *to, const md5_machine_desc *desc)
{
    md5_modifier_desc *const copy = take(to, desc->num_modifiers, sizeof *copy);
    for (uint32_t i = 0; i < desc->num_modifiers; i++) {
        md5_modifier_desc modifier = desc->modifiers[i];
        modifier.name = copy_text(to, modifier.name);
        modifier.joint = copy_text(to, modifier.joint);
        if (copy)
            copy[i] = modifier;
    }
    return copy;
}

static void copy_all(copier *to, const md5_machine_desc *desc, md5_machine_desc *copy)
{
    *copy = *desc;
    copy->name = copy_text(to, desc->name ? desc->name : "");
    copy->clips = copy_clips(to, desc);
    copy->masks = copy_masks(to, desc);
    copy->parameters = copy_parameters(to, desc);
    copy->motions = copy_motions(to, desc);
    copy->layers = copy_layers(to, desc);
    copy->modifiers = copy_modifiers(to, desc);
}

void md5_copy_tables(md5_block *block, const md5_machine_desc *desc, md5_machine_desc *copy)
{
    // The texts' size is known only after a round through the tables, which then tells their place.
    md5_block unused = {0};
    copier measure = {.block = &unused};
    copy_all(&measure, desc, copy);
    char *const texts = md5_block_take(block, measure.used, 1);
    copier to = {.block = block, .texts = texts};
    copy_all(&to, desc, copy);
}
