// Making a machine: its own copy of the tables, then what players read of them, in one arena.
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

static bool copy_texts(md5_arena *arena, const md5_column *column, char *row)
{
    const size_t count = column->kind == MD5_COLUMN_TEXTS ? column->other : 1;
    const char **const texts = (const char **)(void *)(row + column->offset);
    for (size_t i = 0; i < count; i++) {
        const char *const text = texts[i] || !column->is_text_filled ? texts[i] : "";
        if (!text)
            continue;
        const size_t size = strlen(text) + 1;
        char *const copy = (char *)md5i_arena_room(arena, size, 1);
        TRY(copy);
        texts[i] = (const char *)memcpy(copy, text, size);
    }
    return true;
}

bool md5i_copy_tables(md5_arena *arena, const md5_schema *schema, const void *row, void *copy)
{
    memcpy(copy, row, schema->size);
    for (md5_table_walk walk = md5i_begin_columns(schema, row, copy); md5i_next_column(&walk);) {
        const md5_column *const column = walk.column;
        char *const own = walk.level->copy;
        if (!column)
            continue;
        if (column->kind == MD5_COLUMN_TEXT || column->kind == MD5_COLUMN_TEXTS)
            TRY(copy_texts(arena, column, own));
        if (column->kind == MD5_COLUMN_PART || column->kind == MD5_COLUMN_EASING)
            walk.copies = own + column->offset;
        if (column->kind != MD5_COLUMN_TABLE && column->kind != MD5_COLUMN_ROW)
            continue;
        uint32_t count = 0;
        const char *const rows = md5i_rows_of(column, walk.level->row, &count);
        if (!rows && column->kind == MD5_COLUMN_ROW)
            continue;
        walk.copies = (char *)md5i_arena_room(arena, count, column->rows->size);
        TRY(walk.copies);
        if (rows)
            memcpy(walk.copies, rows, count * column->rows->size);
        memcpy(own + column->offset, &walk.copies, sizeof walk.copies);
    }
    return true;
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
        // -1 as in saved players of all versions.
        const uint32_t parent = skeleton->joints[i].parent;
        add(hash, parent == MD5_NONE ? -1.0 : (double)parent);
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
        // One with numbers counts as linear and as a row.
        if (column->kind == MD5_COLUMN_EASING && column->place == MD5_PLACE_HEAD)
            add(&hash, rows ? 0.0 : (double)md5_easing_of(walk.level->row, column->offset)->kind);
        if (rows && column->rows->mark)
            add_text(&hash, column->rows->mark);
        if (!column->rows)
            add_value(&hash, column, md5_column_value(&walk));
    }
    return hash;
}

// == The machine =================================================================================

// Without clips nothing can be played in a slot.
static bool count_slots(md5_building *building)
{
    enum { DEFAULT_SLOTS = 4 };
    const md5_machine_desc *const desc = building->desc;
    if (desc->max_shots > MD5_MAX_SHOTS)
        return md5i_fail_at(building, &desc->max_shots, MD5_ERROR_RANGE,
                            "max_shots is %u, which must be 0 to %d", desc->max_shots,
                            MD5_MAX_SHOTS);
    const uint32_t num_slots = desc->max_shots > 0 ? desc->max_shots : DEFAULT_SLOTS;
    building->machine->num_slots = desc->num_clips > 0 ? num_slots : 0;
    return true;
}

// Everything of the machine lies in the arena, which it takes over.
static bool build_all(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    const md5_report_desc *const report = &desc->report;
    const char *const name = desc->name ? desc->name : "";
    machine->model = desc->model;
    if (!machine->model)
        return md5i_fail(building->context, MD5_ERROR_MISSING, 0, 0, "machine %s has no model",
                         QUOTED(name));
    TRY(md5i_check_tables(building, &md5i_machine_schema, desc));
    TRY(md5i_copy_tables(building->arena, &md5i_machine_schema, desc, &machine->tables));
    machine->tables.locations = NULL; // the caller's
    machine->num_joints = machine->model->skeleton.num_joints;
    machine->reports_states = report->enter || report->leave || report->transition_end;
    building->marks =
        (bool *)md5i_arena_alloc(building->scratch, machine->num_joints, sizeof *building->marks);
    building->sampled = (md5_xform *)md5i_arena_alloc(building->scratch, machine->num_joints,
                                                      sizeof *building->sampled);
    TRY(building->marks && building->sampled);
    TRY(count_slots(building));
    TRY(md5i_build_clips(building));
    TRY(md5i_build_masks(building));
    TRY(md5i_build_details(building));
    TRY(md5i_build_parameters(building));
    TRY(md5i_build_motions(building));
    TRY(md5i_build_layers(building));
    TRY(md5i_build_kinks(building));
    TRY(md5i_build_seen_layers(building));
    TRY(md5i_build_modifiers(building));
    TRY(md5i_build_morphs(building));
    machine->fingerprint = md5i_fingerprint_of(&md5i_machine_schema, desc);
    if (!report->clip_end)
        return true;
    machine->clip_ends =
        (md5_event *)md5i_build_array(building, desc->num_clips, sizeof *machine->clip_ends);
    TRY(machine->clip_ends);
    for (uint32_t i = 0; i < desc->num_clips; i++)
        machine->clip_ends[i] = (md5_event){.name = machine->tables.clips[i].name,
                                            .text = "",
                                            .kind = MD5_EVENT_CLIP_END,
                                            .index = i};
    return true;
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
    md5_arena arena = {.context = &context}, scratch = {.context = &context};
    md5_machine *const machine = (md5_machine *)md5i_arena_alloc(&arena, 1, sizeof *machine);
    md5_building building = {.context = &context,
                             .arena = &arena,
                             .scratch = &scratch,
                             .desc = desc,
                             .machine = machine};
    const bool is_built = machine && build_all(&building);
    md5i_arena_free(&scratch);
    if (!is_built) {
        md5i_arena_free(&arena);
        return NULL;
    }
    machine->allocator = context.allocator;
    machine->memory = arena.chunks;
    return machine;
}
