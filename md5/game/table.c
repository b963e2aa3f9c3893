// Tables: table NAME { [snap] [clamp] { v, v, ... } }
#include "md5/game/table.h"

#include "md5/core/assert.h"
#include "md5/game/verdict.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The values of a table while they are read, in game->scratch.
typedef struct table_reader {
    md5_decl_lex lex;
    md5_table table;
    float *values;
    uint32_t room;
} table_reader;

static bool add_value(table_reader *reader, float value)
{
    enum { FIRST = 64 };
    if (reader->table.num_values == reader->room) {
        const uint32_t room = reader->room ? 2 * reader->room : FIRST;
        float *const values =
            (float *)md5i_arena_room(&reader->lex.game->scratch, room, sizeof *values);
        TRY(values);
        if (reader->table.num_values > 0)
            memcpy(values, reader->values, reader->table.num_values * sizeof *values);
        reader->values = values;
        reader->room = room;
    }
    reader->values[reader->table.num_values++] = value;
    return true;
}

// Reads { v, v, ... } behind its first brace. In the lenient verdict a token that is not a number
// reads as 0, a comma may be missing, and one may stand behind the last value.
static bool read_values(table_reader *reader)
{
    const bool is_lenient = md5_is_lenient(reader->lex.game);
    for (;;) {
        md5_token token;
        float value;
        if (is_lenient && md5i_decl_lex_take(&reader->lex, "}"))
            return true;
        TRY(md5i_decl_lex_float(&reader->lex, &value) || is_lenient);
        TRY(add_value(reader, value));
        const bool is_read = md5i_decl_lex_read(&reader->lex, &token);
        if (is_read && md5i_token_is(&token, "}"))
            return true;
        if (!is_read || !md5i_token_is(&token, ",")) {
            md5i_decl_lex_warn(&reader->lex, "expected comma or brace");
            TRY(is_lenient && is_read);
            md5i_decl_lex_unread(&reader->lex, &token);
        }
    }
}

static bool read_table(table_reader *reader)
{
    md5_token token;
    (void)md5i_decl_lex_skip_until(&reader->lex, "{");
    while (md5i_decl_lex_read(&reader->lex, &token) && !md5i_token_is(&token, "}")) {
        if (md5i_token_is_word(&token, "snap")) {
            reader->table.is_snapped = true;
        } else if (md5i_token_is_word(&token, "clamp")) {
            reader->table.is_clamped = true;
        } else if (md5i_token_is(&token, "{")) {
            TRY(read_values(reader) || md5_is_lenient(reader->lex.game));
        } else {
            TRY(!md5i_mistake(&reader->lex, "snap, clamp or '{'", "unknown token %s",
                              md5i_token_show(&token).text));
        }
    }
    return reader->table.num_values > 0;
}

// A table with a mistake is { { 0 } }.
static bool make_default(table_reader *reader)
{
    reader->table.is_snapped = reader->table.is_clamped = false;
    reader->table.num_values = 0;
    return add_value(reader, 0.0f);
}

// Copies what was read into game->arena, with the first value again at the end.
static bool keep_table(md5_game *game, md5_decl_entry *entry, const table_reader *reader)
{
    const uint32_t count = reader->table.num_values;
    md5_table *const table = (md5_table *)md5i_arena_alloc(&game->arena, 1, sizeof *table);
    float *const values = (float *)md5i_arena_alloc(&game->arena, count + 1, sizeof *values);
    TRY(table && values);
    memcpy(values, reader->values, count * sizeof *values);
    values[count] = values[0];
    *table = reader->table;
    table->decl = &entry->decl;
    table->values = values;
    entry->parsed = table;
    return true;
}

bool md5i_parse_table(md5_game *game, md5_decl_entry *entry)
{
    if (entry->parsed)
        return true;
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    table_reader reader = {.room = 0};
    md5i_decl_lex_begin_decl(&reader.lex, game, entry);
    const bool is_good = read_table(&reader);
    const bool is_kept = game->context.error->status == MD5_OK && (is_good || make_default(&reader))
                         && keep_table(game, entry, &reader);
    md5i_arena_rewind(&game->scratch, before);
    if (is_kept)
        entry->decl.state = is_good ? MD5_DECL_PARSED : MD5_DECL_DEFAULTED;
    return is_kept;
}

const md5_table *md5_game_table(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT(game != NULL, "game: not NULL");
    MD5_ASSERT(name != NULL, "name: not NULL");
    md5_game_begin(game, error);
    md5_decl_entry *const entry = md5i_find_entry(game, MD5_DECL_TABLE, name, strlen(name));
    const bool is_there = entry && md5i_parse_table(game, entry);
    game->context.error = &game->context.unseen;
    return is_there ? (const md5_table *)entry->parsed : NULL;
}

// -- Values ---------------------------------------------------------------------------------------

// The value between two neighbours, or the first of them.
static float value_between(const md5_table *table, uint32_t first, float part)
{
    if (table->is_snapped)
        return table->values[first];
    return table->values[first] * (1.0f - part) + table->values[first + 1] * part;
}

float md5_table_at(const md5_table *table, float x)
{
    MD5_ASSERT(table != NULL, "table: not NULL");
    const uint32_t count = table->num_values;
    if (count <= 1)
        return 1.0f;
    const float size = (float)count, last = (float)(count - 1);
    float place = table->is_clamped ? x * last : x * size;
    if (!(place > -FLT_MAX && place < FLT_MAX))
        return 0.0f;
    if (table->is_clamped) {
        place = place < 0.0f ? 0.0f : place > last ? last : place;
        const uint32_t first = (uint32_t)place;
        return value_between(table, first, place - (float)first);
    }
    if (place < 0.0f)
        place += size * ceilf(-place / size);
    const float whole = floorf(place);
    const uint32_t first = (uint32_t)fmodf(whole, size);
    return value_between(table, first < count ? first : 0, place - whole);
}
