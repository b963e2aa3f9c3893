// The tables of a machine for an entity: a layer for each channel, with a state for each clip.
//
// In the engine the channel of a part of the body is visible if the weights of the channel of all
// joints sum to less than 1. So the layers of parts come first, then that of all joints, then that
// of the eyelids.
#include "md5/core/arena.h"
#include "md5/md5game.h"

// The two-file form can be built without machines.
#ifndef MD5_NO_PLAY
#include "md5/md5play.h"

#include <string.h>

static const struct channel_layer {
    md5_channel channel;
    const char *name;
} channel_layers[MD5_NUM_CHANNELS] = {
    {MD5_CHANNEL_TORSO, "torso"}, {MD5_CHANNEL_LEGS, "legs"},       {MD5_CHANNEL_HEAD, "head"},
    {MD5_CHANNEL_ALL, "all"},     {MD5_CHANNEL_EYELIDS, "eyelids"},
};

// -- Clips ----------------------------------------------------------------------------------------

static bool make_events(md5_arena *arena, const md5_model_anim *anim, md5_clip_desc *desc)
{
    md5_event *const events =
        (md5_event *)md5i_arena_alloc(arena, anim->num_commands, sizeof *events);
    TRY(events);
    for (uint32_t i = 0; i < anim->num_commands; i++) {
        events[i].frame = anim->commands[i].frame - 1;
        events[i].name = md5_frame_code_name(anim->commands[i].code);
        events[i].text = anim->commands[i].text;
    }
    desc->events = events;
    desc->num_events = anim->num_commands;
    return true;
}

// A clip with a rate of its own is played by a motion of that speed: "paced NAME".
static const char prefix[] = "paced ";

static bool add_paced(md5_arena *arena, const md5_model_anim *anim, md5_motion_desc *motion)
{
    char *const name = (char *)md5i_arena_alloc(arena, sizeof prefix + strlen(anim->name), 1);
    TRY(name);
    memcpy(name, prefix, sizeof prefix);
    memcpy(name + sizeof prefix - 1, anim->name, strlen(anim->name) + 1);
    motion->name = name;
    motion->clip = anim->name;
    motion->speed = anim->rate;
    return true;
}

// The first state of each layer, which plays nothing.
static const char nothing[] = "(none)";

// Clips have no names that states and motions here have.
static bool is_possible(const char *name)
{
    return name[0] != '\0' && strcmp(name, nothing) != 0
           && strncmp(name, prefix, sizeof prefix - 1) != 0;
}

static bool make_clips(md5_arena *arena, const md5_entity *entity, md5_machine_desc *machine)
{
    md5_clip_desc *const clips =
        (md5_clip_desc *)md5i_arena_alloc(arena, entity->num_clips, sizeof *clips);
    md5_motion_desc *const motions =
        (md5_motion_desc *)md5i_arena_alloc(arena, entity->num_clips, sizeof *motions);
    TRY(clips && motions);
    for (uint32_t i = 0; i < entity->num_clips; i++) {
        const md5_entity_clip *const clip = &entity->clips[i];
        if (clip->num_files == 0)
            continue;
        const char *const name = clip->anim->name;
        if (!is_possible(name)) {
            md5i_warn(arena->context, 0, 0, "no machine can have a clip of the name '%s': left out",
                      name);
            continue;
        }
        md5_clip_desc *const desc = &clips[machine->num_clips++];
        desc->name = name;
        desc->binding = clip->bindings[0];
        desc->file = clip->anim->files[0];
        TRY(make_events(arena, clip->anim, desc));
        if (clip->anim->rate != 1.0f)
            TRY(add_paced(arena, clip->anim, &motions[machine->num_motions++]));
    }
    machine->clips = clips;
    machine->motions = motions;
    return true;
}

// -- Masks ----------------------------------------------------------------------------------------

// Writes the names of a channel's joints, each in quotes that it does not contain, with a blank
// behind it.
static const char *make_mask_text(md5_arena *arena, const md5_model_def *def,
                                  const md5_model_channel *channel)
{
    enum { AROUND = 3 };
    size_t size = 1, used = 0;
    for (uint32_t i = 0; i < channel->num_joints; i++)
        size += strlen(def->joints[channel->joints[i]].name) + AROUND;
    char *const text = (char *)md5i_arena_alloc(arena, size, 1);
    for (uint32_t i = 0; i < channel->num_joints && text; i++) {
        const char *const name = def->joints[channel->joints[i]].name;
        const size_t length = strlen(name);
        const char quote = strchr(name, '"') ? '\'' : '"';
        text[used++] = quote;
        for (size_t k = 0; k < length; k++)
            text[used++] = name[k];
        text[used++] = quote;
        text[used++] = ' ';
    }
    return text;
}

// -- Layers ---------------------------------------------------------------------------------------

static bool make_states(md5_arena *arena, const md5_machine_desc *machine, md5_layer_desc *layer)
{
    md5_state_desc *const states =
        (md5_state_desc *)md5i_arena_alloc(arena, (size_t)machine->num_clips + 1, sizeof *states);
    TRY(states);
    states[0].name = nothing;
    for (uint32_t i = 0, motion = 0; i < machine->num_clips; i++) {
        const char *const name = machine->clips[i].name;
        const bool is_paced =
            motion < machine->num_motions && machine->motions[motion].clip == name;
        states[i + 1].name = name;
        states[i + 1].motion = is_paced ? machine->motions[motion++].name : name;
    }
    layer->states = states;
    layer->num_states = machine->num_clips + 1;
    return true;
}

static bool make_layers(md5_arena *arena, const md5_entity *entity, md5_machine_desc *machine)
{
    md5_layer_desc *const layers =
        (md5_layer_desc *)md5i_arena_alloc(arena, MD5_NUM_CHANNELS, sizeof *layers);
    md5_mask_desc *const masks =
        (md5_mask_desc *)md5i_arena_alloc(arena, MD5_NUM_CHANNELS, sizeof *masks);
    const md5_model_def *const def = entity->model_def;
    TRY(layers && masks);
    for (int i = 0; i < MD5_NUM_CHANNELS; i++) {
        const struct channel_layer *const from = &channel_layers[i];
        const bool is_all = from->channel == MD5_CHANNEL_ALL;
        const md5_model_channel *const channel = def ? &def->channels[from->channel] : NULL;
        if (!is_all && (!channel || channel->num_joints == 0))
            continue;
        md5_layer_desc *const layer = &layers[machine->num_layers++];
        layer->name = from->name;
        TRY(make_states(arena, machine, layer));
        if (is_all)
            continue;
        md5_mask_desc *const mask = &masks[machine->num_masks++];
        mask->name = layer->mask = from->name;
        mask->joints = make_mask_text(arena, def, channel);
        TRY(mask->joints);
    }
    machine->layers = layers;
    machine->masks = masks;
    return true;
}

static bool make_tables(md5_arena *arena, const md5_entity *entity, md5_machine_desc *machine)
{
    const md5_decl *const decl = entity->def         ? entity->def->decl
                                 : entity->model_def ? entity->model_def->decl
                                                     : NULL;
    machine->name = decl ? decl->name : "model";
    machine->model = entity->model;
    return make_clips(arena, entity, machine) && make_layers(arena, entity, machine);
}

// -- Public ---------------------------------------------------------------------------------------

// The public part, and what it owns.
typedef struct owned_machine {
    md5_entity_machine machine; // first
    md5_machine_desc desc;
    struct md5_chunk *chunks;
} owned_machine;

md5_entity_machine *md5_make_entity_machine(const md5_entity *entity, const md5_load_opts *opts,
                                            md5_error *error)
{
    MD5_ASSERT(entity != NULL, "entity: not NULL");
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, NULL, error);
    md5_arena arena = {.context = &context};
    owned_machine *const owned = (owned_machine *)md5i_arena_alloc(&arena, 1, sizeof *owned);
    if (!owned || !make_tables(&arena, entity, &owned->desc)) {
        md5i_arena_free(&arena);
        return NULL;
    }
    owned->machine.desc = &owned->desc;
    owned->machine.allocator = context.allocator;
    owned->chunks = arena.chunks;
    return &owned->machine;
}

void md5_free_entity_machine(md5_entity_machine *machine)
{
    if (!machine)
        return;
    const md5_load_opts opts = {.allocator = machine->allocator};
    md5_context context;
    md5i_context_begin(&context, &opts, NULL, NULL);
    md5_arena arena = {.context = &context, .chunks = ((const owned_machine *)machine)->chunks};
    md5i_arena_free(&arena);
}

#endif
