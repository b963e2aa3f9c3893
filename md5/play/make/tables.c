// The walks over a machine's tables when it is made: checks, its own copy, its fingerprint, which
// is the same on every platform.
#include "md5/core/assert.h"
#include "md5/core/axes.h"
#include "md5/core/bytes.h"
#include "md5/play/make/tables.h"
#include "md5/play/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

bool md5i_tables_reserve_zero(const md5_schema *schema, const void *row)
{
    for (md5_table_walk walk = md5i_begin_columns(schema, row, NULL); md5i_next_column(&walk);) {
        if (walk.column && walk.column->kind == MD5_COLUMN_RESERVED
            && !md5_are_zero((const uintptr_t *)(const void *)md5_column_value(&walk),
                             walk.column->other))
            return false;
    }
    return true;
}

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
