// Creates a machine: checks and copies the tables of its description, then derives the data that
// players read. All memory is in one arena, which becomes the machine's memory.
//
// Checks, copies and the fingerprint are one pass each over the columns of schema.c. This file also
// builds parameters, clips and windows. layers.c and modifiers.c build the other parts.
#include "md5/core/math.h"
#include "md5/core/bytes.h"
#include "md5/play/make/building.h"

#include <stdlib.h>

// == Walks over the tables ======================================================================

// -- Checks -------------------------------------------------------------------------------------

// Checks a number of a row. It must be in the range of its column, or finite if the column has no
// range. A number that this kind of row does not use may be 0. `member` is the address of the
// number, for the location of an error.
static bool check_number(md5_building *building, const md5_table_iterator *iterator,
                         const void *member, double value)
{
    const md5_column *const column = iterator->column;
    const char *const label = column->label ? column->label : column->member;
    const bool is_used = md5_is_column_used(column, iterator->level->kind);
    const bool may_be_zero = column->keeps_zero || !is_used; // 0 is the default or not set
    if (value == 0 && may_be_zero)
        return true;

    const bool has_range = column->min < column->max;
    if (!has_range && !isfinite(value))
        return MD5_OUT_OF_RANGE(building, member, ": %s is not a finite number", label);
    if (!has_range)
        return true;

    const double number = value == (double)MD5_EXPLICIT_ZERO ? 0 : value;
    if (!(number >= column->min && number <= column->max))
        return MD5_OUT_OF_RANGE(building, member,
                                ": %s is out of range: expected %g to %g, found %g", label,
                                column->min, column->max, number);
    return true;
}

// Adds a row to the row counts that determine the sizes of the machine's arrays.
//
// machine->easings has one element for each kind of easing without parameters, and further elements
// for easings with parameters (Bézier curves, steps). An easing with parameters is counted in one
// of two ways. In most tables it is a row of its own schema, below the row that uses it. A
// transition contains its easing in columns of its own row, and the kind of this row is the kind of
// the easing.
static void count_row(md5_building *building, const md5_table_level *level)
{
    const md5_schema *const schema = level->schema;
    const bool has_own_easing =
        schema == &md5i_transition_schema && md5_has_easing_parameters(level->kind);
    if (has_own_easing || schema == &md5i_easing_schema)
        building->num_easings++;
    else if (schema == &md5i_window_schema)
        building->num_windows++;
    else if (schema == &md5i_curve_schema)
        building->num_curves++;
    else if (schema == &md5i_item_schema)
        building->num_items++;
    else if (schema == &md5i_condition_schema)
        building->num_conditions++;
    else if (schema == &md5i_foot_schema)
        building->num_feet++;
}

// Checks the three components of a vector by the rules of its column.
static bool check_direction(md5_building *building, const md5_table_iterator *iterator,
                            const float components[3])
{
    for (uint32_t i = 0; i < 3; i++)
        TRY(check_number(building, iterator, &components[i], components[i]));
    return true;
}

// Checks the value of a choice. The error has no location, because only tables in C can contain an
// invalid value.
static bool check_choice(md5_building *building, const md5_column *column, double number)
{
    const char *const label = column->label ? column->label : column->member;
    if (number > column->last)
        return MD5_OUT_OF_RANGE(building, NULL, ": %s is out of range: expected 0 to %u, found %u",
                                label, column->last, (uint32_t)number);
    return true;
}

// Checks that an array with elements is not NULL. The error has no location, because only tables in
// C can contain such an array.
static bool check_array(md5_building *building, const md5_column *column, const char *row)
{
    const char *const label = column->label ? column->label : column->member;
    uint32_t count = 0;
    if (!md5i_column_rows(column, row, &count) && count > 0)
        return MD5_OUT_OF_RANGE(building, NULL, ": %s is NULL: expected an array of %u elements",
                                label, count);
    return true;
}

// Checks the value of the iterator's column.
static bool check_column(md5_building *building, const md5_table_iterator *iterator)
{
    const md5_column *const column = iterator->column;
    const float *const floats = (const float *)(const void *)md5_column_value(iterator);
    const double number = md5i_column_number(column, iterator->level->row);
    switch (column->kind) {
    case MD5_COLUMN_FLOAT:
    case MD5_COLUMN_DOUBLE:
        return check_number(building, iterator, floats, number);
    case MD5_COLUMN_DIRECTION:
        return check_direction(building, iterator, floats);
    case MD5_COLUMN_CHOICE:
        return check_choice(building, column, number);
    case MD5_COLUMN_TABLE:
        return check_array(building, column, iterator->level->row);
    default:
        return true;
    }
}

// Checks all values of the tables that do not depend on other rows: ranges, choices and required
// arrays. Also counts the rows of each kind, so that later passes can allocate their arrays.
bool md5i_check_tables(md5_building *building, const md5_schema *schema, const void *row)
{
    for (md5_table_iterator iterator = md5i_begin_columns(schema, row, NULL);
         md5i_next_column(&iterator);) {
        if (!iterator.column) { // the end of a row
            count_row(building, iterator.level);
            continue;
        }
        const md5_row_title title = md5i_row_title_at(&iterator);
        md5_begin_row(building, title.kind, title.name);
        TRY(check_column(building, &iterator));
    }
    return true;
}

#if !defined(NDEBUG)
// Returns true if all reserved members are 0.
static bool tables_reserve_zero(const md5_schema *schema, const void *row)
{
    for (md5_table_iterator iterator = md5i_begin_columns(schema, row, NULL);
         md5i_next_column(&iterator);) {
        if (iterator.column && iterator.column->kind == MD5_COLUMN_RESERVED
            && !md5_are_zero((const uint64_t *)(const void *)md5_column_value(&iterator),
                             iterator.column->auxiliary))
            return false;
    }
    return true;
}
#endif

// -- Copies -------------------------------------------------------------------------------------

// Replaces the texts of a column in the copy of a row with copies.
static bool copy_texts(md5_arena *arena, const md5_column *column, char *row_copy)
{
    const char **const texts = (const char **)(void *)(row_copy + column->offset);
    const size_t num_texts = column->kind == MD5_COLUMN_TEXTS ? column->auxiliary : 1;
    for (size_t i = 0; i < num_texts; i++) {
        if (!texts[i] && column->is_text_filled)
            texts[i] = "";
        if (!texts[i])
            continue;
        texts[i] = (const char *)md5i_arena_copy(arena, texts[i], strlen(texts[i]) + 1, 1);
        TRY(texts[i]);
    }
    return true;
}

// Copies the rows of the iterator's column, and sets the pointer to them in the copy of the row.
// Also sets iterator->copies, so that the iterator continues in the copies. It copies the texts of
// these rows when it reaches them.
static bool copy_rows(md5_arena *arena, md5_table_iterator *iterator)
{
    const md5_column *const column = iterator->column;
    uint32_t count = 0;
    const char *const rows = md5i_column_rows(column, iterator->level->row, &count);
    if (!rows && column->kind == MD5_COLUMN_ROW)
        return true;
    TRY(iterator->copies = (char *)md5i_arena_alloc_raw(arena, count, column->rows->size));
    if (rows)
        memcpy(iterator->copies, rows, count * column->rows->size);
    memcpy(iterator->level->copy + column->offset, &iterator->copies, sizeof iterator->copies);
    return true;
}

// Copies a row of the tables, and all rows and texts below it, into the arena, so that the machine
// does not depend on the caller's memory.
bool md5i_copy_tables(md5_arena *arena, const md5_schema *schema, const void *row, void *copy)
{
    memcpy(copy, row, schema->size);
    for (md5_table_iterator iterator = md5i_begin_columns(schema, row, copy);
         md5i_next_column(&iterator);) {
        const md5_column *const column = iterator.column;
        if (!column)
            continue;

        switch (column->kind) {
        case MD5_COLUMN_TEXT:
        case MD5_COLUMN_TEXTS:
            TRY(copy_texts(arena, column, iterator.level->copy));
            break;
        case MD5_COLUMN_TABLE:
        case MD5_COLUMN_ROW:
            TRY(copy_rows(arena, &iterator));
            break;
        case MD5_COLUMN_PART:
        case MD5_COLUMN_EASING: // within the row, which is copied already
            iterator.copies = iterator.level->copy + column->offset;
            break;
        default:
            break;
        }
    }
    return true;
}

// -- Fingerprint --------------------------------------------------------------------------------

// Adds the lowest `count` bytes of an integer to a hash, from the lowest byte on. So the result
// does not depend on the byte order of the processor.
static void add_bytes(uint64_t *hash, uint64_t bytes, size_t count)
{
    unsigned char lowest_first[8];
    md5_write_le(lowest_first, bytes, count);
    *hash = md5_fnv(*hash, lowest_first, count);
}

// Adds a number to a hash.
static void add_number(uint64_t *hash, double number)
{
    const double positive = number + 0; // -0 becomes 0, so that equal numbers have equal bits
    uint64_t bits;
    memcpy(&bits, &positive, sizeof bits);
    add_bytes(hash, bits, 8);
}

// Adds a text and its terminating zero to a hash. NULL counts as an empty text.
static void add_text(uint64_t *hash, const char *text)
{
    for (const char *byte = text ? text : ""; *byte; byte++)
        add_bytes(hash, (unsigned char)*byte, 1);
    add_bytes(hash, 0, 1);
}

// Returns true if the column of a row is part of the fingerprint.
static bool is_hashed(const md5_column *column, uint32_t kind)
{
    if (column->hash == MD5_HASH_NEVER)
        return false;
    return column->hash != MD5_HASH_USED || md5_is_column_used(column, kind);
}

// Adds names and parents of all joints, axes and scale to a hash.
static void add_skeleton(uint64_t *hash, const md5_skeleton *skeleton)
{
    add_number(hash, skeleton->num_joints);
    add_number(hash, skeleton->axes);
    add_number(hash, md5_skeleton_scale(skeleton));
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        add_text(hash, skeleton->joints[i].name);
        // -1 as in older versions, so that their saved players remain valid
        const uint32_t parent = skeleton->joints[i].parent;
        add_number(hash, parent == MD5_NONE ? -1.0 : parent);
    }
}

static void add_clip(uint64_t *hash, const md5_anim *anim)
{
    add_number(hash, anim->num_frames);
    add_number(hash, anim->frame_rate);
}

static void add_texts(uint64_t *hash, const char *const *texts, size_t capacity)
{
    for (size_t i = 0; i < capacity && texts[i]; i++)
        add_text(hash, texts[i]);
}

static void add_direction(uint64_t *hash, const float components[3])
{
    for (uint32_t i = 0; i < 3; i++)
        add_number(hash, components[i]);
}

// Adds the value of the iterator's column to a hash. `rows` are the rows of the column, or NULL.
static void add_column_value(uint64_t *hash, const md5_table_iterator *iterator, const char *rows,
                             uint32_t num_rows)
{
    const md5_column *const column = iterator->column;
    const void *const value = md5_column_value(iterator);
    const char *const *const texts = (const char *const *)value;
    const double number = md5i_column_number(column, iterator->level->row);
    switch (column->kind) {
    case MD5_COLUMN_TEXT:
        if (column->hash != MD5_HASH_SET || *texts)
            add_text(hash, *texts);
        return;
    case MD5_COLUMN_TEXTS:
        add_texts(hash, texts, column->auxiliary);
        return;
    case MD5_COLUMN_DIRECTION:
        add_direction(hash, (const float *)value);
        return;
    case MD5_COLUMN_MODEL:
        add_skeleton(hash, &(*(const md5_model *const *)value)->skeleton);
        return;
    case MD5_COLUMN_BINDING:
        add_clip(hash, (*(const md5_binding *const *)value)->anim);
        return;
    case MD5_COLUMN_TABLE:
        if (column->hash != MD5_HASH_ROWS)
            add_number(hash, num_rows);
        return;
    case MD5_COLUMN_EASING:
        // An easing with parameters has a row, which contains its kind. Its kind is added as 0
        // here, as in older versions, so that their saved players remain valid.
        if (column->position == MD5_POSITION_HEAD)
            add_number(hash, rows ? 0 : number);
        return;
    case MD5_COLUMN_ROW:
    case MD5_COLUMN_PART:
        return; // only its rows are added
    default:
        if (column->hash != MD5_HASH_SET || number != 0)
            add_number(hash, number);
        return;
    }
}

// Adds the value of one column of a row to the fingerprint of a machine. The iterator visits the
// rows below it next. The order and the form must not change, because saved players contain
// fingerprints.
static void add_column(uint64_t *hash, const md5_table_iterator *iterator)
{
    const md5_column *const column = iterator->column;
    uint32_t num_rows = 0;
    const char *rows = NULL;
    if (column->rows)
        rows = md5i_column_rows(column, iterator->level->row, &num_rows);
    add_column_value(hash, iterator, rows, num_rows);
    if (rows && num_rows > 0 && column->rows->mark)
        add_text(hash, column->rows->mark);
}

// Returns a hash of the tables, of the joints of the model, and of the frame counts and frame rates
// of the clips. A saved player contains it, because it can be restored only with an equal machine.
uint64_t md5i_compute_fingerprint(const md5_schema *schema, const void *row)
{
    uint64_t hash = MD5_FNV;
    for (md5_table_iterator iterator = md5i_begin_columns(schema, row, NULL);
         md5i_next_column(&iterator);) {
        if (iterator.column && is_hashed(iterator.column, iterator.level->kind))
            add_column(&hash, &iterator);
    }
    return hash;
}

// == Parameters and curves ======================================================================

// Checks a rule of a smoothed parameter and assigns it to the parameter. The easing is checked but
// not added to the machine's easings, because players read it from the tables.
static bool build_follow_rule(md5_building *building, uint32_t index)
{
    const md5_machine_desc *const desc = building->desc;
    uint32_t *const smoothing_rows = building->machine->smoothing_rows;
    const md5_follow_desc *const follow = &desc->follows[index];
    uint32_t parameter;
    md5_begin_row(building, "table", "follows");
    TRY(MD5_RESOLVE(building, parameters, follow->parameter, parameter));
    if (parameter == MD5_NONE)
        return md5i_fail_at(building, &follow->parameter, MD5_ERROR_MISMATCH,
                            "'follow' entry %u: name of the parameter is missing", index);

    const char *const name = desc->parameters[parameter].name;
    if (desc->parameters[parameter].kind != MD5_PARAMETER_FLOAT)
        return md5i_fail_at(building, &follow->parameter, MD5_ERROR_MISMATCH,
                            "'follow' entry of parameter %s: expected a parameter of type 'float'",
                            MD5_QUOTED(name));
    if (smoothing_rows[parameter] != MD5_NONE)
        return md5i_fail_at(building, &follow->parameter, MD5_ERROR_MISMATCH,
                            "duplicate 'follow' entry of parameter %s: expected one",
                            MD5_QUOTED(name));

    smoothing_rows[parameter] = index;
    md5_begin_row(building, "'follow' entry of parameter", name);
    return md5i_check_steps(building, &follow->easing);
}

// Stores for each parameter the index of its smoothing, so that setting a parameter needs no
// search.
static bool build_follow_rules(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    for (uint32_t i = 0; i < desc->num_parameters; i++)
        building->machine->smoothing_rows[i] = MD5_NONE;
    for (uint32_t i = 0; i < desc->num_follows; i++)
        TRY(build_follow_rule(building, i));
    return true;
}

// Builds the parameters: their names, the rules by which they are smoothed, and the table of
// easings, which begins with one element for each easing without parameters.
static bool build_parameters(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    TRY(MD5_LIST_NAMES(building, &building->parameters, desc, parameters));
    TRY(machine->smoothing_rows =
            MD5_ALLOC_ZEROED(building->arena, uint32_t, desc->num_parameters));
    TRY(build_follow_rules(building));

    // Allocate the easings. The easings of weights and transitions are added later.
    const size_t num_plain = MD5_LAST_FADE_EASING + 1;
    const size_t num_easings = num_plain + building->num_easings;
    TRY(machine->easings = MD5_ALLOC_ZEROED(building->arena, md5_easing, num_easings));
    for (; machine->num_easings < num_plain; machine->num_easings++)
        machine->easings[machine->num_easings].kind = (md5_ease_kind)machine->num_easings;
    return true;
}

// Compares conditions for qsort(): by parameter, then by value.
static int compare_thresholds(const void *left, const void *right)
{
    const md5_play_condition *const a = (const md5_play_condition *)left;
    const md5_play_condition *const b = (const md5_play_condition *)right;
    if (md5_is_threshold_before(a, b))
        return -1;
    return md5_is_threshold_before(b, a) ? 1 : 0;
}

// Lists the thresholds of all conditions on parameters. A threshold is a value at which a condition
// changes its result. Players compare a changed parameter with them to find out if a transition may
// have become possible. The threshold is 0 for a condition that tests if a parameter is set.
static bool build_thresholds(md5_building *building)
{
    md5_machine *const machine = building->machine;
    const size_t count = machine->num_conditions;
    md5_play_condition *const thresholds =
        MD5_ALLOC_ZEROED(building->arena, md5_play_condition, count);
    TRY(machine->thresholds = thresholds);
    for (size_t i = 0; i < count; i++) {
        const md5_play_condition *const condition = &machine->conditions[i];
        if (condition->kind != MD5_WHEN_PARAMETER)
            continue;
        const bool is_flag = condition->compare <= MD5_IS_CLEAR; // tests if it is set
        thresholds[machine->num_thresholds++] = (md5_play_condition){
            .parameter = condition->parameter,
            .value = is_flag ? 0 : condition->value,
        };
    }
    qsort(thresholds, machine->num_thresholds, sizeof *thresholds, compare_thresholds);
    return true;
}

// Adds a kink if the parameter is smoothed. A kink is a value of a parameter at which its effect
// changes, such as the threshold of a condition. Players divide a time step where a smoothed
// parameter passes a kink, so that the result does not depend on the length of the steps.
static void add_kink(md5_machine *machine, uint32_t parameter, md5_comparison compare, float value)
{
    if (machine->smoothing_rows[parameter] == MD5_NONE)
        return;
    machine->kinks[machine->num_kinks++] =
        (md5_play_condition){.parameter = parameter, .compare = compare, .value = value};
}

// Adds the thresholds of all conditions on smoothed parameters as kinks.
static void add_condition_kinks(md5_machine *machine)
{
    for (size_t i = 0; i < machine->num_conditions; i++) {
        const md5_play_condition *const condition = &machine->conditions[i];
        if (condition->kind == MD5_WHEN_PARAMETER
            && machine->smoothing_rows[condition->parameter] != MD5_NONE)
            machine->kinks[machine->num_kinks++] = *condition;
    }
}

// Adds the positions of the items of a 1D blend space as kinks.
static void add_motion_kinks(md5_machine *machine, const md5_motion *motion)
{
    if (!md5_is_line(motion))
        return;
    for (uint32_t i = 0; i < motion->num_items; i++)
        add_kink(machine, motion->x_parameter, MD5_IS_GREATER, (float)motion->items[i].position);
}

// Lists the values at which the effect of a smoothed parameter changes, its kinks:
//
// - the values of conditions
// - 0, where a clip's speed changes its direction
// - 0 and 1, the limits of weights
// - the positions of the items of a 1D blend space
static bool build_kinks(md5_building *building)
{
    enum { KINKS_PER_PARAMETER = 3 };
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    const size_t max_kinks = machine->num_conditions
                             + KINKS_PER_PARAMETER * (size_t)desc->num_follows
                             + building->num_items;
    TRY(machine->kinks = MD5_ALLOC_ZEROED(building->arena, md5_play_condition, max_kinks));

    add_condition_kinks(machine);
    for (uint32_t i = 0; i < desc->num_parameters; i++) {
        add_kink(machine, i, MD5_IS_GREATER, 0);
        add_kink(machine, i, MD5_IS_LESS, 0);
        add_kink(machine, i, MD5_IS_LESS, 1);
    }
    for (uint32_t i = 0; i < desc->num_motions; i++)
        add_motion_kinks(machine, &machine->motions[desc->num_clips + i]);
    return true;
}

// == Clips ======================================================================================

// Checks the names and frames of a clip's events.
static bool check_events(md5_building *building, const md5_clip_desc *clip)
{
    const uint32_t num_frames = clip->binding->anim->num_frames;
    for (uint32_t k = 0; k < clip->num_events; k++) {
        const md5_event *const event = &clip->events[k];
        if (!event->name || !event->name[0])
            return MD5_MISMATCH(building, &event->name,
                                ": name of event %u is missing: expected a text", k);
        if (event->frame >= num_frames)
            return MD5_OUT_OF_RANGE(
                building, &event->frame,
                ": event %s is out of range: expected a frame from 0 to %u, found %u",
                MD5_QUOTED(event->name), num_frames - 1, event->frame);
    }
    return true;
}

// Checks the bindings and events of all clips.
static bool check_clips(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    for (uint32_t i = 0; i < desc->num_clips; i++) {
        const md5_clip_desc *const clip = &desc->clips[i];
        md5_begin_row(building, "clip", clip->name);

        if (!clip->binding)
            return md5i_fail_row(building, &clip->name, MD5_ERROR_MISSING, " has no binding");
        if (!clip->binding->model)
            return MD5_MISMATCH(
                building, &clip->name,
                " is bound to a skeleton: expected a binding to the machine's model");
        if (clip->binding->model != desc->model)
            return MD5_MISMATCH(
                building, &clip->name,
                " is bound to another model: expected a binding to the machine's model");

        TRY(check_events(building, clip));
    }
    return true;
}

// Builds the cues of a clip for a play mode. A cue is an event at a phase of the cycle. Its index
// is the index of the event in the table, or num_events for an end of the cycle. Each window has
// two further indices after num_events, for its first and its last frame.
static bool build_mode_cues(md5_building *building, const md5_clip_desc *clip,
                            const md5_timing *timing, md5_cues *mode_cues)
{
    // A ping-pong cycle passes each frame twice, so a frame has up to two cues. The start and the
    // end of a cycle together have two cues, as many as a frame.
    enum { CUES_PER_FRAME = 2, FRAMES_PER_WINDOW = 2 };
    const bool has_ends = building->desc->report.clip_end;
    const size_t max_frames = (size_t)clip->num_events
                              + FRAMES_PER_WINDOW * (size_t)clip->num_windows + (has_ends ? 1 : 0);
    md5_cue *const cues = (md5_cue *)md5i_arena_alloc_zeroed(building->arena, max_frames,
                                                             CUES_PER_FRAME * sizeof *cues);
    TRY(cues);

    const uint32_t first_window_index = clip->num_events + 1;
    const uint32_t num_event_cues =
        md5i_build_cues(timing, clip->events, clip->num_events, has_ends, cues);
    const uint32_t num_cues = md5i_add_window_cues(timing, clip->windows, clip->num_windows,
                                                   first_window_index, cues, num_event_cues);
    *mode_cues = (md5_cues){timing, cues, num_cues};
    return true;
}

// Fills in the timing and the cues of a clip for each play mode.
static bool build_cues(md5_building *building, const md5_clip_desc *clip, md5_source *source)
{
    for (uint32_t mode = 0; mode < MD5_PLAY_MODES; mode++) {
        source->timings[mode] = (md5_timing){
            .num_frames = clip->binding->anim->num_frames,
            .frame_rate = clip->binding->anim->frame_rate,
            .period = clip->period,
            .mode = (md5_play_mode)mode,
        };
        TRY(build_mode_cues(building, clip, &source->timings[mode], &source->cues[mode]));
    }
    return true;
}

// Checks the names and frames of a clip's sections.
static bool check_sections(md5_building *building, const md5_clip_desc *clip)
{
    const uint32_t num_frames = clip->binding->anim->num_frames;
    md5_names sections = {.kind = "section"};
    TRY(MD5_LIST_NAMES(building, &sections, clip, sections));
    for (uint32_t j = 0; j < clip->num_sections; j++) {
        const md5_section *const section = &clip->sections[j];
        if (section->last >= num_frames || section->first >= section->last)
            return MD5_OUT_OF_RANGE(building, &section->first,
                                    ": section %s is out of range: expected ascending frames "
                                    "from 0 to %u, found %u to %u",
                                    MD5_QUOTED(section->name), num_frames - 1, section->first,
                                    section->last);
    }
    return true;
}

// Converts the markers of a clip from frames to phases, 0..1. They must be ascending. A marker is a
// frame at which synchronized clips are at the same point, such as a footfall.
static bool build_markers(md5_building *building, const md5_clip_desc *clip, md5_source *source)
{
    // A marker at the end of a cycle is not allowed, because this is also the start of the next
    // cycle.
    const uint32_t intervals = md5_timing_intervals(&source->timings[MD5_PLAY_LOOP]);
    double *const markers = MD5_ALLOC_ZEROED(building->arena, double, clip->num_markers);
    TRY(source->markers = markers);
    source->num_markers = clip->num_markers;
    for (uint32_t k = 0; k < clip->num_markers; k++) {
        const uint32_t frame = clip->markers[k];
        if (frame >= intervals)
            return MD5_OUT_OF_RANGE(building, &clip->markers[k],
                                    ": marker is out of range: expected a frame below %u, found %u",
                                    intervals, frame);
        if (k > 0 && frame <= clip->markers[k - 1])
            return MD5_OUT_OF_RANGE(
                building, &clip->markers[k],
                ": markers are out of order: expected a frame above %u, found %u",
                clip->markers[k - 1], frame);
        markers[k] = (double)frame / intervals;
    }
    return true;
}

// Computes the displacement of joint 0 in each frame of a clip.
static bool build_root_deltas(md5_building *building, md5_source *source)
{
    const uint32_t num_frames = source->binding->anim->num_frames;
    md5_xform *const roots = MD5_ALLOC_ZEROED(building->scratch, md5_xform, num_frames);
    md5_root_delta *const root_deltas =
        MD5_ALLOC_ZEROED(building->arena, md5_root_delta, num_frames);
    TRY(roots && (source->root_deltas = root_deltas));
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        md5_sample(source->binding, (md5_sample_position){.frame0 = frame, .frame1 = frame},
                   MD5_ROOT_FILE, building->sampled);
        roots[frame] =
            md5i_transform_from_axes(building->desc->model->skeleton.axes, building->sampled[0]);
    }
    md5i_build_root_track(source->root_extraction, roots, num_frames, root_deltas);
    return true;
}

// Builds the data that players read for a clip: timings, cues, markers, and the displacements of
// its root if root motion is extracted.
static bool build_clip(md5_building *building, const md5_clip_desc *clip, md5_source *source)
{
    md5_machine *const machine = building->machine;
    md5_begin_row(building, "clip", clip->name);
    *source = (md5_source){
        .binding = clip->binding,
        .interpolation = clip->interpolation,
        .root_extraction = clip->root_extraction,
        .first_frame = machine->num_frames,
    };
    machine->num_frames += clip->binding->anim->num_frames;
    if (clip->num_events > 0 || clip->num_windows > 0 || building->desc->report.clip_end)
        machine->has_clip_events = true;

    TRY(build_cues(building, clip, source));
    TRY(check_sections(building, clip));
    TRY(build_markers(building, clip, source));
    if (clip->root_extraction == MD5_ROOT_EXTRACTION_NONE)
        return true;
    machine->has_root_motion = true;
    return build_root_deltas(building, source);
}

// Checks the clips of the tables and prepares the data that players need for each of them.
static bool build_clips(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    TRY(MD5_LIST_NAMES(building, &building->clips, desc, clips));
    TRY(machine->sources = MD5_ALLOC_ZEROED(building->arena, md5_source, desc->num_clips));
    TRY(check_clips(building));
    for (uint32_t i = 0; i < desc->num_clips; i++)
        TRY(build_clip(building, &desc->clips[i], &machine->sources[i]));
    return true;
}

// Checks the name and the frames of a window of a clip.
static bool check_window(md5_building *building, const md5_clip_desc *clip, uint32_t index)
{
    const md5_window *const window = &clip->windows[index];
    const uint32_t last_frame = clip->binding->anim->num_frames - 1;
    if (!window->name || !window->name[0])
        return MD5_MISMATCH(building, &window->name,
                            ": name of window %u is missing: expected a text", index);
    if (window->first > window->last || window->last > last_frame)
        return MD5_OUT_OF_RANGE(
            building, &window->last,
            ": window %s is out of range: expected ascending frames from 0 to %u, found %u "
            "to %u; a window cannot span the end of a cycle",
            MD5_QUOTED(window->name), last_frame, window->first, window->last);
    return true;
}

// Returns the event that reports the opening or the closing of a window at a frame of a clip.
static md5_event window_event(const md5_window *window, uint32_t frame, md5_event_kind kind,
                              uint32_t clip)
{
    return (md5_event){
        .frame = frame,
        .name = window->name,
        .text = window->text,
        .kind = kind,
        .index = clip,
    };
}

// Adds the windows of a clip, with the events that report their begin and end.
static bool add_clip_windows(md5_building *building, uint32_t clip_index)
{
    md5_machine *const machine = building->machine;
    const md5_clip_desc *const clip = &building->desc->clips[clip_index];
    md5_begin_row(building, "clip", clip->name);
    machine->sources[clip_index].first_window = machine->num_windows;
    for (uint32_t i = 0; i < clip->num_windows; i++) {
        TRY(check_window(building, clip, i));
        const md5_window *const window = &machine->tables.clips[clip_index].windows[i];
        machine->windows[machine->num_windows++] = (md5_machine_window){
            .name = window->name,
            .begin = window_event(window, window->first, MD5_EVENT_BEGIN, clip_index),
            .end = window_event(window, window->last, MD5_EVENT_END, clip_index),
        };
    }
    return true;
}

// Lists the windows of all clips. Windows with the same name are one window for the game.
static bool build_windows(md5_building *building)
{
    md5_machine *const machine = building->machine;
    TRY(machine->windows =
            MD5_ALLOC_ZEROED(building->arena, md5_machine_window, building->num_windows));
    for (uint32_t i = 0; i < building->desc->num_clips; i++)
        TRY(add_clip_windows(building, i));

    TRY(MD5_LIST_NAMES(building, &building->windows, machine, windows));
    for (uint32_t i = 0; i < machine->num_windows; i++)
        TRY(MD5_RESOLVE(building, windows, machine->windows[i].name, machine->windows[i].window));
    return true;
}

// == The machine =================================================================================

// Checks and sets the number of slots for one-shot clips. A machine without clips has no slots.
static bool set_num_slots(md5_building *building)
{
    enum { DEFAULT_SLOTS = 4 };
    const md5_machine_desc *const desc = building->desc;
    if (desc->max_one_shots > MD5_MAX_ONE_SHOTS)
        return md5i_fail_at(building, &desc->max_one_shots, MD5_ERROR_RANGE,
                            "max_one_shots is out of range: expected 0 to %d, found %u",
                            MD5_MAX_ONE_SHOTS, desc->max_one_shots);
    if (desc->num_slots > MD5_MAX_ONE_SHOTS)
        return md5i_fail_at(building, &desc->slots[MD5_MAX_ONE_SHOTS].name, MD5_ERROR_RANGE,
                            "too many slots: expected at most %d, found %u", MD5_MAX_ONE_SHOTS,
                            desc->num_slots);

    uint32_t num_slots = DEFAULT_SLOTS;
    if (desc->max_one_shots > 0)
        num_slots = desc->max_one_shots;
    else if (desc->num_slots > 0)
        num_slots = desc->num_slots;
    if (desc->num_clips > 0)
        building->machine->num_slots = num_slots > desc->num_slots ? num_slots : desc->num_slots;
    return true;
}

// Builds the events that report the ends of clips.
static bool build_clip_ends(md5_building *building)
{
    md5_machine *const machine = building->machine;
    const uint32_t num_clips = building->desc->num_clips;
    TRY(machine->clip_ends = MD5_ALLOC_ZEROED(building->arena, md5_event, num_clips));
    for (uint32_t i = 0; i < num_clips; i++)
        machine->clip_ends[i] = (md5_event){.name = machine->tables.clips[i].name,
                                            .text = "",
                                            .kind = MD5_EVENT_CLIP_END,
                                            .index = i};
    return true;
}

// Checks and copies the tables.
static bool build_tables(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    TRY(md5i_check_tables(building, &md5i_machine_schema, desc));
    TRY(md5i_copy_tables(building->arena, &md5i_machine_schema, desc, &machine->tables));
    machine->tables.locations = NULL; // belongs to the caller
    return true;
}

// Allocates temporary arrays with one element per joint, which several functions share.
static bool alloc_scratch(md5_building *building)
{
    const uint32_t num_joints = building->machine->num_joints;
    building->marks = MD5_ALLOC_ZEROED(building->scratch, bool, num_joints);
    building->sampled = MD5_ALLOC_ZEROED(building->scratch, md5_xform, num_joints);
    return building->marks && building->sampled;
}

// Builds the machine in the arena. Each part refers only to parts that were built before it.
static bool build_all(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    const md5_report_desc *const report = &desc->report;
    machine->model = desc->model;
    if (!machine->model)
        return MD5_FAIL(building->context, MD5_ERROR_MISSING,
                        "machine %s has no model: expected a loaded model",
                        MD5_QUOTED(desc->name ? desc->name : ""));
    TRY(build_tables(building));

    machine->num_joints = machine->model->skeleton.num_joints;
    machine->reports_states = report->enter || report->leave || report->transition_end;
    TRY(alloc_scratch(building));
    TRY(set_num_slots(building));
    TRY(build_clips(building));
    TRY(build_windows(building));
    TRY(md5i_build_curves(building));
    TRY(build_parameters(building));
    TRY(md5i_build_layers(building));
    TRY(build_thresholds(building));
    TRY(build_kinks(building));
    TRY(md5i_build_modifiers(building));
    if (report->clip_end)
        TRY(build_clip_ends(building));

    machine->fingerprint = md5i_compute_fingerprint(&md5i_machine_schema, desc);
    return true;
}

// Creates a machine from tables. Checks the tables, resolves names to indices, and prepares all
// data that players need. The machine is in one arena; a second arena for intermediate data is
// freed at the end. Returns NULL and sets `error` on failure.
md5_machine *md5_create_machine(const md5_machine_desc *desc, const md5_load_opts *opts,
                                md5_error *error)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_OPTS(opts);
    MD5_VALIDATE(tables_reserve_zero(&md5i_machine_schema, desc),
                 "desc: reserved members of all tables must be 0");
    MD5_ASSERT_NULL_OR_ALIVE(desc->model, MD5_TAG_MODEL);
    if (MD5_HAS_ASSERTS && desc->clips) {
        for (uint32_t i = 0; i < desc->num_clips; i++)
            MD5_ASSERT_NULL_OR_ALIVE(desc->clips[i].binding, MD5_TAG_BINDING);
    }

    md5_context context;
    const char *const file = desc->locations ? desc->locations->file : NULL;
    md5i_context_begin(&context, opts, opts && opts->file_name ? opts->file_name : file, error);
    md5_arena arena = {.context = &context};
    md5_arena scratch = {.context = &context};
    md5_machine *const machine = MD5_ALLOC_ZEROED(&arena, md5_machine, 1);
    if (machine)
        machine->internal.tag = MD5_TAG_MACHINE;

    md5_building building = {
        .context = &context,
        .arena = &arena,
        .scratch = &scratch,
        .desc = desc,
        .machine = machine,
        .clips = {.kind = "clip"},
        .masks = {.kind = "mask"},
        .parameters = {.kind = "parameter"},
        .joints = {.kind = "joint", .may_repeat = true},
        .windows = {.kind = "window", .may_repeat = true},
        .curves = {.kind = "curve"},
        .attached = {.kind = "attached model"},
    };
    const bool is_built = machine && build_all(&building);
    md5i_arena_free(&scratch);
    if (!is_built) {
        md5i_arena_free(&arena);
        return NULL;
    }

    machine->internal.allocator = context.allocator;
    machine->internal.memory = arena.chunks;
    return machine;
}
