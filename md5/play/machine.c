// Functions of a created machine: lookup of its parts by name, sampling of its clips, destruction.
#include "md5/play/machine.h"
#include "md5/play/schema.h"

// Samples a clip and removes the extracted root motion from joint 0. The game moves the character
// by the root motion instead, so it must not move joint 0 too.
void md5i_sample_source(const md5_machine *machine, const md5_source *source,
                        const md5_sample_position *sample, md5_xform *pose)
{
    md5_sample(source->binding, *sample, MD5_ROOT_FILE, pose);
    if (source->root_extraction == MD5_ROOT_EXTRACTION_NONE)
        return;
    const md5_root_track track = md5_get_root_track(source);
    md5i_remove_root_delta(machine->model->skeleton.axes, md5i_root_delta_at(&track, sample),
                           &pose[0]);
}

// Frees a machine. All players of the machine must be freed first. `machine` may be NULL.
void md5_destroy_machine(md5_machine *machine)
{
    MD5_ASSERT_NULL_OR_ALIVE(machine, MD5_TAG_MACHINE);
    if (machine)
        md5i_free_memory(&machine->internal);
}

const md5_machine_desc *md5_machine_tables(const md5_machine *machine)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return &machine->tables;
}

uint64_t md5_machine_fingerprint(const md5_machine *machine)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return machine->fingerprint;
}

// Returns the index of the row with a name, or MD5_NONE. rows[count] are structures of `row_size`
// bytes whose first member is the name.
static uint32_t find_row(const void *rows, uint32_t count, size_t row_size, const char *name)
{
    if (!name)
        return MD5_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const char *const *const row_name =
            (const char *const *)(const void *)((const char *)rows + i * row_size);
        if (strcmp(*row_name, name) == 0)
            return i;
    }
    return MD5_NONE;
}

// Returns the index of the mask with a name, or MD5_NONE.
uint32_t md5i_find_mask(const md5_machine *machine, const char *name)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return find_row(machine->tables.masks, machine->tables.num_masks, sizeof *machine->tables.masks,
                    name);
}

// Returns the index of the parameter with this name, or MD5_NONE.
uint32_t md5_find_parameter(const md5_machine *machine, const char *name)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return find_row(machine->tables.parameters, machine->tables.num_parameters,
                    sizeof *machine->tables.parameters, name);
}

// Returns the index of the clip with this name, or MD5_NONE.
uint32_t md5_find_clip(const md5_machine *machine, const char *name)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return find_row(machine->tables.clips, machine->tables.num_clips, sizeof *machine->tables.clips,
                    name);
}

// Returns the index of the layer with this name, or MD5_NONE.
uint32_t md5_find_layer(const md5_machine *machine, const char *name)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return find_row(machine->tables.layers, machine->tables.num_layers,
                    sizeof *machine->tables.layers, name);
}

// Returns the index of the modifier with this name, or MD5_NONE.
uint32_t md5_find_modifier(const md5_machine *machine, const char *name)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return find_row(machine->tables.modifiers, machine->tables.num_modifiers,
                    sizeof *machine->tables.modifiers, name);
}

// Returns the index of the slot for one-shot clips with this name, or MD5_NONE.
uint32_t md5_find_slot(const md5_machine *machine, const char *name)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return find_row(machine->tables.slots, machine->tables.num_slots, sizeof *machine->tables.slots,
                    name);
}

// Returns the index of the machine's one-shot clip with this name, or MD5_NONE.
uint32_t md5_find_one_shot(const md5_machine *machine, const char *name)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return find_row(machine->tables.one_shots, machine->tables.num_one_shots,
                    sizeof *machine->tables.one_shots, name);
}

uint32_t md5_find_window(const md5_machine *machine, const char *name)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return find_row(machine->windows, machine->num_windows, sizeof *machine->windows, name);
}

uint32_t md5_find_curve(const md5_machine *machine, const char *name)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return find_row(machine->curves, machine->num_curves, sizeof *machine->curves, name);
}

// Returns the index of a parameter that the program requires. Use this function instead of
// md5_find_parameter() to detect misspelled names early.
uint32_t md5_require_parameter(const md5_machine *machine, const char *name)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    const uint32_t parameter = md5_find_parameter(machine, name);
    MD5_ASSERT(parameter != MD5_NONE, md5i_name_rule("parameter", name).text);
    return parameter;
}

// Returns the index of a layer's state with this name, or MD5_NONE.
uint32_t md5_find_state(const md5_machine *machine, uint32_t layer, const char *name)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    if (layer >= machine->tables.num_layers)
        return MD5_NONE;
    const md5_layer_desc *const table = &machine->tables.layers[layer];
    return find_row(table->states, table->num_states, sizeof *table->states, name);
}

uint32_t md5i_find_section(const md5_machine *machine, uint32_t clip, const char *name)
{
    const md5_clip_desc *const table = &machine->tables.clips[clip];
    return find_row(table->sections, table->num_sections, sizeof *table->sections, name);
}

uint32_t md5_machine_num_morphs(const md5_machine *machine)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    return machine->num_morphs;
}

// Returns the name of a morph target that the machine controls. Returns NULL if `morph` is not
// below md5_machine_num_morphs().
const char *md5_machine_morph_name(const md5_machine *machine, uint32_t morph)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    const md5_sum_row *const rows = machine->morph_rows;
    return morph < machine->num_morphs ? rows[rows[morph].first].name : NULL;
}

// Returns the speed of an item of a blend by speed, units/s. The speed is computed from the root
// motion of the item's clip. Returns 0 if an index is invalid or the motion is not a blend by
// speed.
float md5_machine_item_speed(const md5_machine *machine, uint32_t motion, uint32_t item)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    const md5_machine_desc *const tables = &machine->tables;
    if (motion >= tables->num_motions || item >= tables->motions[motion].num_items)
        return 0;
    if (tables->motions[motion].kind != MD5_MOTION_BY_SPEED)
        return 0;
    return (float)machine->motions[tables->num_clips + motion].items[item].position;
}
