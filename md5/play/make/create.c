// Making a machine: names are resolved into an arena, then everything goes into one block.
#include "md5/core/assert.h"
#include "md5/core/axes.h"
#include "md5/core/bytes.h"
#include "md5/play/make/building.h"
#include "md5/play/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// == Walks over the tables ======================================================================
//
// The walks over a machine's tables when it is made: checks, its own copy, its fingerprint, which
// is the same on every platform.

// -- Checks -------------------------------------------------------------------------------------

// Says what is wrong with a member; NULL: it has no place in a text.
static bool fail(md5_building *building, const md5_table_walk *walk, const void *member,
                 const char *problem)
{
    const md5_row_title title = md5i_title_of(walk);
    return md5i_fail_at(building, member, MD5_ERROR_RANGE, "%s %s: %s", title.kind,
                        md5i_quote(title.name, strlen(title.name)).text, problem);
}

// A number that the row's kind does not use may be left 0.
static bool check_float(md5_building *building, const md5_table_walk *walk, const float *value)
{
    const md5_column *const column = walk->column;
    const char *const label = column->label ? column->label : column->member;
    const bool has_range = column->least < column->most;
    const double number = *value == MD5_ZERO && has_range ? 0.0 : (double)*value;
    char problem[128];
    if (*value == 0.0f && (column->keeps_zero || !md5_is_used(column, walk->level->kind)))
        return true;
    if (has_range ? number >= column->least && number <= column->most : isfinite(number) != 0)
        return true;
    if (has_range)
        snprintf(problem, sizeof problem, "%s is %g, which must be %g to %g", label, number,
                 column->least, column->most);
    else
        snprintf(problem, sizeof problem, "%s is not finite", label);
    return fail(building, walk, value, problem);
}

static bool check_value(md5_building *building, const md5_table_walk *walk)
{
    const md5_column *const column = walk->column;
    const void *const value = md5_column_value(walk);
    const char *const label = column->label ? column->label : column->member;
    char problem[128];
    uint32_t number = 0;
    switch (column->kind) {
    case MD5_COLUMN_FLOAT:
        return check_float(building, walk, (const float *)value);
    case MD5_COLUMN_DIRECTION:
        return check_float(building, walk, (const float *)value)
               && check_float(building, walk, (const float *)value + 1)
               && check_float(building, walk, (const float *)value + 2);
    case MD5_COLUMN_DOUBLE:
        if (isfinite(*(const double *)value))
            return true;
        snprintf(problem, sizeof problem, "%s is not finite", label);
        return fail(building, walk, value, problem);
    case MD5_COLUMN_CHOICE:
        memcpy(&number, value, sizeof number);
        if (number <= column->last)
            return true;
        snprintf(problem, sizeof problem, "there is no %s %u", label, number);
        return fail(building, walk, NULL, problem);
    case MD5_COLUMN_TABLE:
        if (md5i_rows_of(column, walk->level->row, &number) || number == 0)
            return true;
        snprintf(problem, sizeof problem, "no array of %s, but a count of %u", label, number);
        return fail(building, walk, NULL, problem);
    default:
        return true;
    }
}

bool md5i_check_tables(md5_building *building, const md5_schema *schema, const void *row)
{
    for (md5_table_walk walk = md5i_begin_columns(schema, row, NULL); md5i_next_column(&walk);)
        TRY(!walk.column || check_value(building, &walk));
    return true;
}

#if !defined(NDEBUG)
// Whether all reserved members are 0.
static bool tables_reserve_zero(const md5_schema *schema, const void *row)
{
    for (md5_table_walk walk = md5i_begin_columns(schema, row, NULL); md5i_next_column(&walk);) {
        if (walk.column && walk.column->kind == MD5_COLUMN_RESERVED
            && !md5_are_zero((const uint64_t *)(const void *)md5_column_value(&walk),
                             walk.column->other))
            return false;
    }
    return true;
}
#endif

// -- Copies -------------------------------------------------------------------------------------

// Tables go into the block; the texts that they name are counted meanwhile and go behind them all.
typedef struct copier {
    md5_block *block;
    char *texts; // NULL while measuring
    size_t used;
} copier;

static void copy_texts(copier *to, const md5_column *column, const char *row, char *copy)
{
    const size_t count = column->kind == MD5_COLUMN_TEXTS ? column->other : 1;
    for (size_t i = 0; i < count; i++) {
        const size_t offset = column->offset + i * sizeof(const char *);
        const char *text;
        memcpy(&text, row + offset, sizeof text);
        text = text || !column->is_text_filled ? text : "";
        if (!text)
            continue;
        const size_t size = strlen(text) + 1;
        char *const place = to->texts ? to->texts + to->used : NULL;
        if (place && copy) {
            memcpy(place, text, size);
            memcpy(copy + offset, &place, sizeof place);
        }
        to->used += size;
    }
}

static void copy_all(copier *to, const md5_schema *schema, const void *row, void *copy)
{
    char *const into = to->texts ? (char *)copy : NULL;
    if (into)
        memcpy(into, row, schema->size);
    for (md5_table_walk walk = md5i_begin_columns(schema, row, into); md5i_next_column(&walk);) {
        const md5_column *const column = walk.column;
        char *const own = walk.level->copy;
        if (!column)
            continue;
        if (column->kind == MD5_COLUMN_TEXT || column->kind == MD5_COLUMN_TEXTS)
            copy_texts(to, column, walk.level->row, own);
        if (column->kind == MD5_COLUMN_PART && own)
            walk.copies = own + column->offset;
        if (column->kind != MD5_COLUMN_TABLE && column->kind != MD5_COLUMN_ROW)
            continue;
        uint32_t count = 0;
        const char *const rows = md5i_rows_of(column, walk.level->row, &count);
        if (!rows && column->kind == MD5_COLUMN_ROW)
            continue;
        walk.copies = (char *)md5i_block_take(to->block, count, column->rows->size);
        if (!own || !walk.copies)
            continue;
        if (rows)
            memcpy(walk.copies, rows, count * column->rows->size);
        memcpy(own + column->offset, &walk.copies, sizeof walk.copies);
    }
}

void md5i_copy_tables(md5_block *block, const md5_schema *schema, const void *row, void *copy)
{
    // The texts' size is known only after a round through the tables, which then tells their place.
    md5_block unused = {0};
    copier measure = {.block = &unused};
    copy_all(&measure, schema, row, copy);
    copier to = {.block = block, .texts = (char *)md5i_block_take(block, measure.used, 1)};
    copy_all(&to, schema, row, copy);
}

// -- Fingerprint --------------------------------------------------------------------------------

static void add_bytes(uint64_t *hash, uint64_t bytes, size_t count)
{
    unsigned char lowest_first[8];
    md5_put_bytes(lowest_first, bytes, count);
    *hash = md5_fnv(*hash, lowest_first, count);
}

static void add(uint64_t *hash, double number)
{
    const double positive = number + 0.0; // not -0
    uint64_t bits;
    memcpy(&bits, &positive, sizeof bits);
    add_bytes(hash, bits, 8);
}

static void add_text(uint64_t *hash, const char *text)
{
    for (const char *at = text ? text : ""; *at; at++)
        add_bytes(hash, (unsigned char)*at, 1);
    add_bytes(hash, 0, 1);
}

static void add_model(uint64_t *hash, const md5_skeleton *skeleton)
{
    add(hash, skeleton->num_joints);
    add(hash, (double)skeleton->axes);
    add(hash, (double)md5_scale_of(skeleton));
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        add_text(hash, skeleton->joints[i].name);
        add(hash, skeleton->joints[i].parent);
    }
}

static void add_value(uint64_t *hash, const md5_column *column, const void *value)
{
    const float *const floats = (const float *)value;
    const char *const *const texts = (const char *const *)value;
    switch (column->kind) {
    case MD5_COLUMN_TEXT:
        add_text(hash, *texts);
        break;
    case MD5_COLUMN_TEXTS:
        for (size_t i = 0; i < column->other && texts[i]; i++)
            add_text(hash, texts[i]);
        break;
    case MD5_COLUMN_FLOAT:
        add(hash, (double)*floats);
        break;
    case MD5_COLUMN_DOUBLE:
        add(hash, *(const double *)value);
        break;
    case MD5_COLUMN_COUNT:
    case MD5_COLUMN_CHOICE:
        add(hash, *(const uint32_t *)value);
        break;
    case MD5_COLUMN_INT:
        add(hash, *(const int32_t *)value);
        break;
    case MD5_COLUMN_FLAG:
        add(hash, *(const bool *)value);
        break;
    case MD5_COLUMN_DIRECTION:
        for (int i = 0; i < 3; i++)
            add(hash, (double)floats[i]);
        break;
    case MD5_COLUMN_MODEL:
        add_model(hash, &(*(const md5_model *const *)value)->skeleton);
        break;
    case MD5_COLUMN_BINDING:
        add(hash, (*(const md5_binding *const *)value)->anim->num_frames);
        add(hash, (*(const md5_binding *const *)value)->anim->frame_rate);
        break;
    default: // rows, which follow
        break;
    }
}

static bool is_hashed(const md5_table_walk *walk)
{
    const md5_column *const column = walk->column;
    if (column->hash == MD5_HASH_USED)
        return md5_is_used(column, walk->level->kind);
    if (column->hash == MD5_HASH_SET)
        return *(const float *)(const void *)md5_column_value(walk) != 0.0f;
    return column->hash != MD5_HASH_NEVER;
}

uint64_t md5i_fingerprint_of(const md5_schema *schema, const void *row)
{
    uint64_t hash = MD5_FNV;
    for (md5_table_walk walk = md5i_begin_columns(schema, row, NULL); md5i_next_column(&walk);) {
        const md5_column *const column = walk.column;
        if (!column || !is_hashed(&walk))
            continue;
        uint32_t count = 0;
        const char *const rows =
            column->rows ? md5i_rows_of(column, walk.level->row, &count) : NULL;
        if (column->kind == MD5_COLUMN_TABLE && column->hash != MD5_HASH_ROWS)
            add(&hash, count);
        if (rows && column->rows->mark)
            add_text(&hash, column->rows->mark);
        if (!column->rows)
            add_value(&hash, column, md5_column_value(&walk));
    }
    return hash;
}

// == The machine ================================================================================

// -- Reports ------------------------------------------------------------------------------------

// The events of one state, in the order of their kinds.
static void make_state_events(const md5_layer_desc *of, uint32_t layer, uint32_t state,
                              md5_event *events)
{
    for (uint32_t i = 0; i < MD5_STATE_EVENTS; i++)
        events[i] = (md5_event){
            .name = of->states[state].name,
            .text = of->name,
            .kind = (md5_event_kind)(MD5_EVENT_ENTER + i),
            .layer = layer,
            .index = state,
        };
}

static void place_reports(md5_block *block, const md5_machine_desc *desc, md5_machine *machine)
{
    const md5_machine_desc *const tables = &machine->tables; // whose names last
    const md5_report_desc *const report = &desc->report;
    machine->reports_states = report->enter || report->leave || report->transition_end;
    machine->state_events =
        (md5_event *)md5i_block_take(block, machine->reports_states ? machine->num_states : 0,
                                     MD5_STATE_EVENTS * sizeof *machine->state_events);
    machine->clip_ends = (md5_event *)md5i_block_take(block, report->clip_end ? desc->num_clips : 0,
                                                      sizeof *machine->clip_ends);
    if (!block->base) // measuring
        return;
    for (uint32_t i = 0; machine->reports_states && i < tables->num_layers; i++) {
        for (uint32_t k = 0; k < tables->layers[i].num_states; k++)
            make_state_events(&tables->layers[i], i, k,
                              machine->state_events
                                  + MD5_STATE_EVENTS * (machine->layers[i].first_state + k));
    }
    for (uint32_t i = 0; report->clip_end && i < tables->num_clips; i++)
        machine->clip_ends[i] = (md5_event){
            .name = tables->clips[i].name, .text = "", .kind = MD5_EVENT_CLIP_END, .index = i};
}

// -- Machines -----------------------------------------------------------------------------------

// Items that are added, and states of layers that are: each has a reference.
static size_t count_references(const md5_machine_desc *desc)
{
    size_t count = 0;
    for (uint32_t i = 0; i < desc->num_motions; i++) {
        const md5_motion_desc *const motion = &desc->motions[i];
        for (uint32_t k = 0; k < motion->num_items; k++)
            count += motion->items[k].mode == MD5_LAYER_ADD;
    }
    for (uint32_t i = 0; i < desc->num_layers; i++)
        count += desc->layers[i].mode == MD5_LAYER_ADD ? desc->layers[i].num_states : 0;
    return count;
}

// Without clips nothing can be played in a slot.
static bool count_slots(md5_building *building)
{
    enum { DEFAULT_SLOTS = 4 };
    const md5_machine_desc *const desc = building->desc;
    if (desc->max_shots > MD5_MAX_SHOTS)
        return md5i_fail_at(building, &desc->max_shots, MD5_ERROR_RANGE,
                            "max_shots is %u, which must be 0 to %d", desc->max_shots,
                            MD5_MAX_SHOTS);
    const uint32_t wanted = desc->max_shots > 0 ? desc->max_shots : DEFAULT_SLOTS;
    building->machine->num_slots = desc->num_clips > 0 ? wanted : 0;
    return true;
}

static bool build_all(md5_building *building)
{
    md5_machine *const machine = building->machine;
    const char *const name = building->desc->name ? building->desc->name : "";
    machine->model = building->desc->model;
    if (!machine->model)
        return md5i_fail(building->context, MD5_ERROR_MISMATCH, 0, 0, "machine %s has no model",
                         md5i_quote(name, strlen(name)).text);
    TRY(md5i_check_tables(building, &md5i_machine_schema, building->desc));
    machine->num_joints = machine->model->skeleton.num_joints;
    TRY(count_slots(building));
    machine->references =
        (md5_xform *)md5i_build_array(building, count_references(building->desc),
                                      machine->num_joints * sizeof *machine->references);
    TRY(machine->references);
    TRY(md5i_build_clips(building));
    TRY(md5i_begin_sets(building));
    TRY(md5i_build_masks(building));
    TRY(md5i_build_details(building));
    TRY(md5i_build_parameters(building));
    TRY(md5i_build_motions(building));
    TRY(md5i_build_layers(building));
    TRY(md5i_build_kinks(building));
    TRY(md5i_build_seen_layers(building));
    TRY(md5i_build_modifiers(building));
    TRY(md5i_build_morphs(building));
    machine->fingerprint = md5i_fingerprint_of(&md5i_machine_schema, building->desc);
    return true;
}

// An array of the arena goes into the block.
static void *move(md5_block *block, const void *from, size_t count, size_t size)
{
    void *const to = md5i_block_take(block, count, size);
    if (to && from && count > 0)
        memcpy(to, from, count * size);
    return to;
}

// Lays the machine out in the block, or measures that. `from` is the one in the arena.
static md5_machine *lay_out(md5_block *block, const md5_machine *from, const md5_machine_desc *desc)
{
    md5_machine *const machine = (md5_machine *)md5i_block_take(block, 1, sizeof *machine);
    md5_machine placed = *from;
    const size_t joints = from->num_joints;
#define MOVE(type, array, count) \
    placed.array = (type *)move(block, from->array, (count), sizeof *from->array)
    MOVE(md5_source, sources, desc->num_clips);
    MOVE(int32_t, followers, desc->num_parameters);
    MOVE(md5_root_delta, root_deltas, from->num_deltas);
    MOVE(double, markers, from->num_markers);
    MOVE(md5_playable, playables, from->num_playables);
    MOVE(md5_cue, cues, from->num_cues);
    MOVE(float, masks, desc->num_masks *joints);
    MOVE(md5_mask_sets, mask_sets, desc->num_masks);
    MOVE(md5_detail_set, details, desc->num_masks);
    MOVE(md5_detail_set, rests, desc->num_masks);
    MOVE(bool, are_animated, desc->num_masks *joints);
    MOVE(uint32_t, left_out, desc->num_masks * joints);
    MOVE(md5_joint_run, runs, from->num_runs);
    MOVE(md5_run_slots, run_slots, from->num_run_slots);
    MOVE(bool, are_seen, (size_t)desc->num_masks * desc->num_layers);
    MOVE(uint32_t, listed, from->num_listed);
    MOVE(float, listed_weights, from->num_listed);
    MOVE(md5_xform, references, from->num_references * joints);
    MOVE(md5_motion, motions, from->num_motions);
    MOVE(md5_item, items, from->num_items);
    MOVE(md5_blend_tree, trees, from->num_trees);
    MOVE(md5i_part, parts, from->num_parts);
    MOVE(md5_instance_plan, instances, from->num_instances);
    MOVE(md5_group_plan, groups, from->num_groups);
    MOVE(uint32_t, members, from->num_members);
    MOVE(md5_play_layer, layers, desc->num_layers);
    MOVE(md5_state, states, from->num_states);
    MOVE(md5_transition, transitions, from->num_transitions);
    MOVE(md5_play_condition, conditions, from->num_conditions);
    MOVE(md5_play_condition, kinks, from->num_kinks);
    MOVE(md5_easing, curves, from->num_curves);
    MOVE(md5_modifier, modifiers, desc->num_modifiers);
    MOVE(md5_limb, legs, from->num_feet);
    MOVE(md5_sole, soles, from->num_soles);
    MOVE(uint8_t, contacts, from->num_soles * from->num_frames);
    MOVE(md5_gaze_desc, gazes, from->num_gazes);
    MOVE(md5_morph_row, morph_rows, desc->num_morphs);
    MOVE(uint32_t, morph_firsts, from->num_morphs);
    MOVE(float, reaches, joints);
#undef MOVE
    md5i_copy_tables(block, &md5i_machine_schema, desc, &placed.tables);
    placed.tables.locations = NULL; // the caller's
    place_reports(block, desc, &placed);
    if (machine)
        *machine = placed;
    return machine;
}

md5_machine *md5_create_machine(const md5_machine_desc *desc, const md5_load_opts *opts,
                                md5_error *error)
{
    MD5_ASSERT(desc != NULL, "desc: not NULL");
    MD5_ASSERT_OPTS(opts);
    MD5_VALIDATE(tables_reserve_zero(&md5i_machine_schema, desc),
                 "desc: reserved members of all tables must be 0");
    md5_context context;
    const char *const file = desc->locations ? desc->locations->file : NULL;
    md5i_context_begin(&context, opts, opts && opts->file_name ? opts->file_name : file, error);
    md5_arena arena = {.context = &context};
    md5_machine built = {0};
    md5_building building = {.context = &context, .arena = &arena, .desc = desc, .machine = &built};
    md5_machine *machine = NULL;
    if (build_all(&building)) {
        md5_block block = {0};
        lay_out(&block, &built, desc);
        built.size = block.used;
        built.allocator = context.allocator;
        block = (md5_block){.base = (unsigned char *)md5i_alloc(&context, block.used)};
        if (block.base)
            machine = lay_out(&block, &built, desc);
    }
    md5i_arena_free(&arena);
    return machine;
}
