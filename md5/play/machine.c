// A machine that has been made: its clips sampled, what it has by name.
#include "md5/play/machine.h"
#include "md5/play/schema.h"

void md5i_sample_source(const md5_machine *machine, const md5_source *source,
                        const md5_moment *moment, md5_xform *pose)
{
    md5_sample(source->binding, *moment, MD5_ROOT_FILE, pose);
    if (source->extract == MD5_EXTRACT_NONE)
        return;
    const md5_root_track track = md5_track_of(source);
    md5i_remove_root_delta(machine->model->skeleton.axes, md5i_root_delta_at(&track, moment),
                           &pose[0]);
}

void md5_destroy_machine(md5_machine *machine)
{
    if (machine)
        md5i_free_memory(&machine->internal);
}

const md5_machine_desc *md5_machine_tables(const md5_machine *machine)
{
    MD5_ASSERT_NOT_NULL(machine);
    return &machine->tables;
}

uint64_t md5_machine_fingerprint(const md5_machine *machine)
{
    MD5_ASSERT_NOT_NULL(machine);
    return machine->fingerprint;
}

// The index of the row of that name, or MD5_NONE. The first member of every row is its name.
static uint32_t find_row(const void *rows, uint32_t count, size_t row_size, const char *name)
{
    MD5_FOR_WHILE (i, count, name) {
        const char *const *const each =
            (const char *const *)(const void *)((const char *)rows + i * row_size);
        if (strcmp(*each, name) == 0)
            return i;
    }
    return MD5_NONE;
}

#define FIND(owner, rows, name) \
    find_row((owner)->rows, (owner)->num_##rows, sizeof *(owner)->rows, name)

#define FINDER(function, owner, rows)                               \
    uint32_t function(const md5_machine *machine, const char *name) \
    {                                                               \
        MD5_ASSERT_NOT_NULL(machine);                               \
        return FIND(owner, rows, name);                             \
    }
FINDER(md5i_find_mask, &machine->tables, masks)
FINDER(md5_find_parameter, &machine->tables, parameters)
FINDER(md5_find_clip, &machine->tables, clips)
FINDER(md5_find_layer, &machine->tables, layers)
FINDER(md5_find_modifier, &machine->tables, modifiers)
FINDER(md5_find_slot, &machine->tables, slots)
FINDER(md5_find_shot, &machine->tables, shots)
FINDER(md5_find_window, machine, windows)
FINDER(md5_find_curve, machine, curves)

uint32_t md5_require_parameter(const md5_machine *machine, const char *name)
{
    const uint32_t parameter = md5_find_parameter(machine, name);
    MD5_ASSERT(parameter != MD5_NONE, "name: that of a parameter of the machine");
    return parameter;
}

uint32_t md5_find_state(const md5_machine *machine, uint32_t layer, const char *name)
{
    MD5_ASSERT_NOT_NULL(machine);
    if (layer >= machine->tables.num_layers)
        return MD5_NONE;
    return FIND(&machine->tables.layers[layer], states, name);
}

uint32_t md5i_find_section(const md5_machine *machine, uint32_t clip, const char *name)
{
    return FIND(&machine->tables.clips[clip], sections, name);
}

uint32_t md5_machine_num_morphs(const md5_machine *machine)
{
    MD5_ASSERT_NOT_NULL(machine);
    return machine->num_morphs;
}

const char *md5_machine_morph_name(const md5_machine *machine, uint32_t morph)
{
    MD5_ASSERT_NOT_NULL(machine);
    const md5_morph_row *const rows = machine->morph_rows;
    return morph < machine->num_morphs ? rows[rows[morph].first].name : NULL;
}

float md5_machine_item_speed(const md5_machine *machine, uint32_t motion, uint32_t item)
{
    MD5_ASSERT_NOT_NULL(machine);
    const md5_machine_desc *const tables = &machine->tables;
    if (motion >= tables->num_motions || item >= tables->motions[motion].num_items
        || tables->motions[motion].kind != MD5_MOTION_BY_SPEED)
        return 0;
    return (float)machine->motions[tables->num_clips + motion].items[item].place;
}
