// A machine's fingerprint: FNV-1a over the numbers and names of its tables, in their order. It is
// the same on every platform, so numbers are hashed as the bytes of a little-endian double.
#include "md5/core/axes.h"
#include "md5/play/make/tables.h"

#include <string.h>

static void add_bytes(uint64_t *hash, uint64_t bytes, int count)
{
    for (int i = 0; i < count; i++)
        *hash = (*hash ^ (bytes >> (8 * i) & 255u)) * 0x100000001b3u;
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
    uint64_t hash = 0xcbf29ce484222325u;
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
