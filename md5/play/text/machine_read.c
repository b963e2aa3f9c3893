// Machine files: md5/play/machine_files.md has the grammar. A row is written as its word, the
// values of its head, and braces with words and their values; md5/play/schema.c says which there
// are. Every value's location is kept, for errors that are found only when the machine is created.
#include "md5/core/file.h"
#include "md5/core/lex.h"
#include "md5/play/schema.h"

// A row that is filled from the text, and where its members stand there.
typedef struct text_row {
    char *row;            // NULL: there was no memory for it
    md5_location *places; // one for every four bytes of it
    md5_locations *text;  // of all tables
} text_row;

// -- Tables -------------------------------------------------------------------------------------

// Adds a table and returns its rows: `count` of `size` bytes each, zeroed like their locations.
// `size` is a multiple of 4. NULL, with the error set, if memory runs out.
static unsigned char *add_table(md5_arena *arena, md5_locations *locations, size_t count,
                                size_t size)
{
    enum { TIMES = 3 }; // the rows, and 8 bytes of location for each 4 bytes of rows
    md5_located_table *const table = MD5_NEW(arena, md5_located_table, 1);
    unsigned char *const rows = (unsigned char *)md5i_arena_alloc(arena, count, TIMES * size);
    if (!table || !rows)
        return NULL;
    *table = (md5_located_table){locations->tables, rows, count * size};
    locations->tables = table;
    return rows;
}

// Appends a row to a table of `owner`, or makes the one row of a column; it is zeroed but for what
// its columns start with. A table doubles when it is full: when its count is a power of two.
static text_row append_row(md5_lex *lex, text_row owner, const md5_column *column)
{
    uint32_t one = 0;
    uint32_t *const count =
        column->kind == MD5_COLUMN_TABLE ? (uint32_t *)(void *)(owner.row + column->other) : &one;
    void *const rows = owner.row + column->offset;
    const size_t size = column->rows->size;
    const uint32_t number = *count;
    const size_t used = number * size;
    size_t capacity = 1;
    while (capacity <= number)
        capacity *= 2;
    unsigned char *bytes;
    memcpy(&bytes, rows, sizeof bytes);
    if ((number & (number - 1)) == 0) {
        unsigned char *const grown = add_table(lex->arena, owner.text, capacity, size);
        if (!grown)
            return (text_row){0};
        if (number > 0) {
            memcpy(grown, bytes, used);
            memcpy(md5_locations_at(grown, capacity * size, 0), md5_locations_at(bytes, used, 0),
                   used / MD5_LOCATION_UNIT * sizeof(md5_location));
        }
        bytes = grown;
        memcpy(rows, &bytes, sizeof bytes);
    }
    (*count)++;
    const text_row added = {(char *)bytes + used, md5_locations_at(bytes, capacity * size, used),
                            owner.text};
    for (uint32_t i = 0; i < column->rows->num_columns; i++) {
        const md5_column *const inner = &column->rows->columns[i];
        if (inner->start != 0)
            memcpy(added.row + inner->offset, &inner->start, sizeof inner->start);
    }
    return added;
}

// `token` is where a token begins.
static void note_place(md5_lex *lex, text_row record, size_t offset, const char *token)
{
    md5_location *const place = &record.places[offset / MD5_LOCATION_UNIT];
    md5i_lex_place(lex, token, &place->line, &place->column);
}

// -- Texts --------------------------------------------------------------------------------------

static bool store_text(md5_lex *lex, text_row record, size_t offset, const char *bytes, size_t size)
{
    const char *const text = md5_copy_text(lex->arena, bytes, size);
    memcpy(record.row + offset, &text, sizeof text);
    return text != NULL;
}

static bool read_name(md5_lex *lex, text_row record, const char *what, size_t offset)
{
    md5_span span;
    md5i_lex_blanks(lex);
    note_place(lex, record, offset, lex->at);
    return md5i_lex_name(lex, &span, what)
           && store_text(lex, record, offset, span.bytes, span.size);
}

// As md5i_lex_take_word(), but a word that continues with bytes from 0x80 on is a name, not `word`.
static bool take_keyword(md5_lex *lex, const char *word)
{
    const char *const start = lex->at;
    if (md5i_lex_take_word(lex, word) && (lex->at == lex->end || (unsigned char)*lex->at < 0x80))
        return true;
    lex->at = start;
    return false;
}

// -- Words --------------------------------------------------------------------------------------

// A word of a block: its column, and the value that it stands for.
typedef struct word_found {
    const md5_column *column;
    uint32_t value, number; // of the word among all of the block's
    bool is_above;          // of the row above
} word_found;

static word_found find_word(const md5_schema *schema, md5_span word)
{
    word_found found = {0};
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        if (column->place != MD5_PLACE_WORD)
            continue;
        found.column = column;
        const char *text = md5_column_word(column);
        for (uint32_t k = 0; text; k++, found.number++) {
            if (column->kind == MD5_COLUMN_CHOICE || column->choices)
                text = md5i_choice_word(column, k, &found.value);
            else if (k > 0)
                text = NULL;
            if (text && md5_span_is(word, text))
                return found;
        }
    }
    found.column = NULL;
    return found;
}

// What stands in braces, or behind the word and the head of a row without them.
typedef struct open_block {
    const md5_schema *schema;
    text_row record;
    uint64_t seen; // bits of its words
    uint32_t kind;
    const md5_schema *above; // some of its words may belong to the row above; else the same
    uint32_t above_kind;
    text_row above_record;
} open_block;

// -- Events -------------------------------------------------------------------------------------

// Where the text of an event ends: at the end of the line, a comment, or a brace.
static bool ends_event(const md5_lex *lex, const char *token)
{
    if (token == lex->end || *token == '\n' || *token == '\r' || *token == '}')
        return true;
    return lex->end - token > 1 && token[0] == '/' && (token[1] == '/' || token[1] == '*');
}

// The word that begins at `token`; size 0 if none does.
static md5_span word_at(const md5_lex *lex, const char *token)
{
    if ((unsigned char)token[-1] > ' ') // `token` is never the first of a text
        return (md5_span){token, 0};
    const char *const end = md5i_lex_word_end(lex, token);
    const bool ends = end == lex->end || (unsigned char)*end < 0x80;
    return (md5_span){token, ends ? (size_t)(end - token) : 0};
}

// In quotes the text of an event may be anything. Else `frame` and `markers`, which need more
// behind them, end it; any other word of a clip could be meant as text or as itself.
static bool read_event_text(md5_lex *lex, text_row record, size_t offset)
{
    while (lex->at < lex->end && (*lex->at == ' ' || *lex->at == '\t'))
        lex->at++;
    if (lex->at < lex->end && (*lex->at == '"' || *lex->at == '\'')) {
        md5_span quoted;
        return md5i_lex_string(lex, &quoted)
               && store_text(lex, record, offset, quoted.bytes, quoted.size);
    }
    const char *const start = lex->at;
    const char *end = start;
    for (; !ends_event(lex, lex->at); lex->at++) {
        const md5_column *const column = find_word(&md5i_clip_schema, word_at(lex, lex->at)).column;
        if (column && column->rows)
            break;
        if (column)
            return md5i_lex_fail(
                lex, lex->at, MD5_ERROR_SYNTAX,
                "keyword %s in the text of an event: start a new line, or quote the text",
                md5i_lex_token(lex, lex->at).text);
        if ((unsigned char)*lex->at > ' ')
            end = lex->at + 1;
    }
    return store_text(lex, record, offset, start, (size_t)(end - start));
}

// -- Values -------------------------------------------------------------------------------------

// A word of a list into the member; without one the member stays.
static bool take_choice(md5_lex *lex, text_row record, const md5_column *column)
{
    uint32_t value;
    const char *word;
    for (uint32_t i = 0; (word = md5i_choice_word(column, i, &value)) != NULL; i++) {
        if (!take_keyword(lex, word))
            continue;
        memcpy(record.row + column->offset, &value, sizeof value);
        return true;
    }
    return false;
}

static bool fail_choice(md5_lex *lex, const md5_column *column)
{
    char words[128];
    size_t size = 0;
    uint32_t value;
    for (uint32_t i = 0; i < column->num_choices && size < sizeof words; i++) {
        const char *const join = i == 0 ? "" : i + 1 < column->num_choices ? ", " : " or ";
        size += (size_t)snprintf(words + size, sizeof words - size, "%s'%s'", join,
                                 md5i_choice_word(column, i, &value));
    }
    md5i_lex_next(lex);
    return md5i_lex_fail_found(lex, "expected %s", words);
}

// A number that has a token, and so a location, of its own. 0 in a row means the default where it
// has one; a text leaves the word out instead.
static bool read_number(md5_lex *lex, const md5_column *column, text_row record)
{
    const char *const word = md5_column_word(column);
    char *const value = record.row + column->offset;
    float *const floats = (float *)(void *)value;
    int64_t number;
    md5i_lex_blanks(lex);
    note_place(lex, record, column->offset, lex->at);
    md5i_lex_next(lex);
    const char *const token = lex->at;
    switch (column->kind) {
    case MD5_COLUMN_FLOAT:
        TRY(md5i_lex_float(lex, floats));
        if (column->keeps_zero && *floats == 0)
            *floats = MD5_EXPLICIT_ZERO;
        return true;
    case MD5_COLUMN_DOUBLE:
        return md5i_lex_double(lex, (double *)(void *)value);
    case MD5_COLUMN_COUNT:
        TRY(md5i_read_uint(lex, word, (uint32_t *)(void *)value));
        return !column->is_positive || *(uint32_t *)(void *)value > 0
               || md5i_lex_fail(lex, token, MD5_ERROR_RANGE,
                                "%s is out of range: expected 1 or more, found 0", word);
    case MD5_COLUMN_INT:
        TRY(md5i_lex_int(lex, &number));
        if (number < INT32_MIN || number > INT32_MAX)
            return md5i_lex_fail(
                lex, token, MD5_ERROR_RANGE,
                "%s is out of range: expected -2147483648 to 2147483647, found %lld", word,
                (long long)number);
        *(int32_t *)(void *)value = (int32_t)number;
        return true;
    default: // MD5_COLUMN_DIRECTION
        TRY(md5i_lex_vec3(lex, md5i_lex_float, (md5_vec3 *)(void *)value));
        if (floats[0] != 0 || floats[1] != 0 || floats[2] != 0 || column->is_length)
            return true;
        return md5i_lex_fail(
            lex, token, MD5_ERROR_RANGE,
            "%s is not a direction: expected a vector that is not 0, found ( 0 0 0 )", word);
    }
}

static bool is_number_next(md5_lex *lex)
{
    md5i_lex_blanks(lex);
    const char *const next = lex->at;
    const md5_span word = md5i_lex_peek_word(lex);
    return word.size > 0 && !md5_span_is_name(word) && word.bytes == next;
}

// What is not a row, a share or an easing.
static bool read_plain(md5_lex *lex, const md5_column *column, text_row record)
{
    const char *const what = column->what ? column->what : md5_column_word(column);
    char *const value = record.row + column->offset;
    switch (column->form) {
    case MD5_FORM_JOINTS: {
        // The bytes between two round brackets as they stand, so that places in them are places in
        // the text, but with blanks for comments.
        TRY(md5i_lex_expect(lex, '('));
        note_place(lex, record, column->offset, lex->at);
        const char *const start = lex->at;
        md5_span word;
        for (md5i_lex_blanks(lex); lex->at == lex->end || *lex->at != ')'; md5i_lex_blanks(lex))
            TRY(md5i_lex_name(lex, &word, "a joint name or ')'"));
        const char *const end = lex->at;
        char *const text = MD5_NEW(lex->arena, char, (size_t)(end - start) + 1);
        TRY(text);
        for (const char *byte = start; byte < end; byte++)
            text[byte - start] = *byte == '\n' || *byte == '\r' ? *byte : ' ';
        for (lex->at = start; md5i_lex_blanks(lex), lex->at < end;) {
            const char *const token = lex->at;
            TRY(md5i_lex_name(lex, &word, "a joint"));
            memcpy(text + (token - start), token, (size_t)(lex->at - token));
        }
        memcpy(value, &text, sizeof text);
        return md5i_lex_expect(lex, ')');
    }
    case MD5_FORM_EVENT: {
        // On the line of its frame, so that a name left out does not take the next word of the
        // clip.
        const char *const start = lex->at;
        md5i_lex_blanks(lex);
        for (const char *byte = start; byte < lex->at; byte++) {
            if (*byte == '\n' || *byte == '\r')
                return md5i_lex_fail(lex, byte, MD5_ERROR_SYNTAX,
                                     "expected an event name, found the end of the line");
        }
        if (md5_span_is(word_at(lex, lex->at), "frame"))
            return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                                 "expected an event name, found 'frame'");
        return read_name(lex, record, column->what, column->offset);
    }
    case MD5_FORM_LINE:
        return read_event_text(lex, record, column->offset);
    case MD5_FORM_SPAN: {
        // 12-18 is one word to the lexer: for this number the text ends at the hyphen.
        const char *const end = lex->end;
        const md5_span word = md5i_lex_peek_word(lex);
        const char *const hyphen =
            word.size > 1 ? (const char *)memchr(word.bytes + 1, '-', word.size - 1) : NULL;
        lex->end = hyphen ? hyphen : end;
        const bool is_read = read_number(lex, column, record);
        lex->end = end;
        lex->at += is_read && hyphen;
        return is_read;
    }
    case MD5_FORM_AFTER:
        if (!take_keyword(lex, md5_column_word(column)))
            return true;
        break;
    case MD5_FORM_COMPARED: {
        const uint32_t compare = take_keyword(lex, "not") ? MD5_IS_CLEAR : MD5_IS_SET;
        const md5_condition *const row = (const md5_condition *)(void *)record.row;
        const bool is_time = compare == MD5_IS_SET && take_choice(lex, record, column + 2)
                             && row->kind != MD5_WHEN_EVENT;
        if (!is_time)
            TRY(read_name(lex, record, row->kind == MD5_WHEN_EVENT ? "an event name" : what,
                          column->offset));
        if (compare == MD5_IS_SET && row->kind != MD5_WHEN_EVENT
            && take_choice(lex, record, column + 1))
            return true;
        memcpy(record.row + column[1].offset, &compare, sizeof compare);
        return !is_time || fail_choice(lex, column + 1);
    }
    case MD5_FORM_OR_AT:
        return md5_span_is(md5i_lex_peek_word(lex), "at") || read_number(lex, column, record);
    default:
        break;
    }
    switch (column->kind) {
    case MD5_COLUMN_TEXT:
        if (column->place == MD5_PLACE_HEAD && column->usual && take_keyword(lex, column->usual))
            return true;
        return read_name(lex, record, what, column->offset);
    case MD5_COLUMN_MODEL:
        return read_name(lex, record, what, column->other);
    case MD5_COLUMN_CHOICE:
        if (take_choice(lex, record, column))
            return true;
        memset(value, 0, sizeof(uint32_t));
        return column->form == MD5_FORM_OPTIONAL || fail_choice(lex, column);
    default:
        return (column->form == MD5_FORM_OPTIONAL && !is_number_next(lex))
               || read_number(lex, column, record);
    }
}

// An easing and its numbers, if the next word is one; else linear.
static bool read_easing(md5_lex *lex, size_t offset, text_row record)
{
    static const md5_schema *const schema = &md5i_easing_schema;
    const text_row easing = {record.row + offset, record.places + offset / MD5_LOCATION_UNIT,
                             record.text};
    memset(easing.row, 0, schema->size);
    if (!take_choice(lex, easing, &schema->columns[0]))
        return true;
    const uint32_t kind = md5_kind_of(schema, easing.row, 0);
    for (uint32_t i = 1; i < schema->num_columns; i++) {
        if (md5_is_used(&schema->columns[i], kind))
            TRY(read_plain(lex, &schema->columns[i], easing));
    }
    return true;
}

static bool read_value(md5_lex *lex, const md5_column *column, text_row record)
{
    if (column->form == MD5_FORM_SHARE) {
        // A number, a parameter or another driver: the last one is used, it clears the others.
        const char *const start = lex->at;
        const char *const none = NULL;
        md5i_lex_blanks(lex);
        const char first = lex->at < lex->end ? *lex->at : '0';
        const bool is_name = first == '"' || first == '\'' || (unsigned char)first >= 0x80
                             || md5_span_is_name(md5i_lex_peek_word(lex));
        lex->at = start;
        memset(record.row + column->offset, 0, sizeof(float));
        memcpy(record.row + column->other, &none, sizeof none);
        if (column->easing > 0)
            memset(record.row + column->easing, 0, sizeof(md5_easing));
        if (column->state > 0)
            memset(record.row + column->state, 0, MD5_DRIVERS * sizeof none);
        if (is_name) {
            uint32_t i = 0;
            while (i < MD5_DRIVERS && column->state > 0
                   && !(md5i_drivers[i].word && take_keyword(lex, md5i_drivers[i].word)))
                i++;
            if (i < MD5_DRIVERS && column->state > 0) {
                do
                    TRY(read_name(lex, record, md5i_drivers[i].what,
                                  column->state + i * sizeof none));
                while (++i < MD5_DRIVERS && !md5i_drivers[i].word);
                return true;
            }
            TRY(read_name(lex, record, md5_column_word(column), column->other));
            return column->easing == 0 || read_easing(lex, column->easing, record);
        }
        return read_number(lex, column, record);
    }
    if (column->kind == MD5_COLUMN_EASING)
        return read_easing(lex, column->offset, record);
    return read_plain(lex, column, record);
}

// -- Rows ---------------------------------------------------------------------------------------

// Rows without braces: ( VALUES VALUES ... ), or VALUES and VALUES or VALUES ...
static bool read_list(md5_lex *lex, const md5_column *column, text_row owner)
{
    const bool is_list = column->form == MD5_FORM_LIST;
    bool is_or = false;
    TRY(!is_list || md5i_lex_expect(lex, '('));
    while (!is_list || !md5i_lex_take(lex, ')')) {
        const text_row added = append_row(lex, owner, column);
        TRY(added.row);
        for (uint32_t i = 0; i < column->rows->num_columns; i++) {
            const md5_column *const inner = &column->rows->columns[i];
            const uint32_t kind = md5_kind_of(column->rows, added.row, 0);
            if (inner->place == MD5_PLACE_HEAD && md5_is_used(inner, kind))
                TRY(read_plain(lex, inner, added));
        }
        if (is_list)
            continue;
        ((md5_condition *)(void *)added.row)->begins_alternative = is_or;
        is_or = md5i_lex_take_word(lex, "or");
        if (!is_or && !md5i_lex_take_word(lex, "and"))
            break;
    }
    return true;
}

// Begins the row of a word: its head. *braces becomes whether there are some.
static bool begin_row(md5_lex *lex, const word_found *word, const open_block *owner,
                      open_block *row, bool *braces)
{
    const md5_column *const column = word->column;
    const md5_schema *const schema = column->rows;
    *row = (open_block){.schema = schema};
    row->record =
        (text_row){owner->record.row + column->offset,
                   owner->record.places + column->offset / MD5_LOCATION_UNIT, owner->record.text};
    if (column->kind != MD5_COLUMN_PART)
        row->record = append_row(lex, owner->record, column);
    TRY(row->record.row);
    row->above = schema;
    row->above_record = row->record;
    if (column->choices)
        memcpy(row->record.row + schema->kind, &word->value, sizeof word->value);
    const md5_column *always = NULL;
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const inner = &schema->columns[i];
        row->kind = md5_kind_of(schema, row->record.row, owner->kind);
        if (!md5_is_used(inner, row->kind))
            continue;
        if (inner->form == MD5_FORM_ALWAYS)
            always = inner;
        if (inner->place == MD5_PLACE_HEAD)
            TRY(inner->rows && inner->kind != MD5_COLUMN_EASING
                    ? read_list(lex, inner, row->record)
                    : read_value(lex, inner, row->record));
    }
    if (always) {
        const text_row added = append_row(lex, row->record, always);
        *row = (open_block){.schema = always->rows,
                            .record = added,
                            .above = schema,
                            .above_kind = row->kind,
                            .above_record = row->record};
        TRY(added.row);
    }
    *braces = schema->needs_braces;
    if (*braces)
        return md5i_lex_expect(lex, '{');
    if (schema->has_no_braces)
        return true;
    md5i_lex_next(lex);
    *braces = lex->at < lex->end && *lex->at == '{';
    lex->at += *braces;
    return true;
}

// The next word of a block, which is a word of its row or of the row above. An unknown one is an
// error; one with a value that appears twice, or that this kind of row does not use, is a warning.
static bool take_word(md5_lex *lex, open_block *block, word_found *found)
{
    const char *const token = lex->at;
    const md5_span word = md5i_lex_peek_word(lex);
    *found = find_word(block->schema, word);
    if (!found->column) {
        const uint32_t number = found->number;
        *found = find_word(block->above, word);
        found->number += number;
        found->is_above = true;
        if (found->column && !md5_is_used(found->column, block->above_kind))
            found->column = NULL;
    }
    const md5_column *const column = found->column;
    if (!column && md5_span_is(word, "shot"))
        return md5i_lex_fail(lex, token, MD5_ERROR_SYNTAX,
                             "the keyword 'shot' was renamed: use 'one_shot'");
    if (!column)
        return md5i_lex_fail(lex, token, MD5_ERROR_SYNTAX,
                             "expected a keyword of %s or '}', found %s", block->schema->what,
                             md5i_lex_token(lex, token).text);
    const uint64_t bit = (uint64_t)1 << found->number % 64;
    lex->at += word.size;
    if ((block->seen & bit) && !column->rows && column->kind != MD5_COLUMN_TEXTS)
        md5i_lex_warn(lex, token, "duplicate '%.*s': using the last", (int)word.size, word.bytes);
    block->seen |= bit;
    if (!found->is_above && !md5_is_used(column, block->kind))
        md5i_lex_warn(lex, token, "'%.*s' is ignored: it has no effect in %s of this kind",
                      (int)word.size, word.bytes, block->schema->what);
    return true;
}

// The values of a word, which began at `token`.
static bool read_word(md5_lex *lex, const char *token, const word_found *word,
                      const open_block *block)
{
    const md5_column *const column = word->column;
    const md5_schema *const schema = word->is_above ? block->above : block->schema;
    const text_row record = word->is_above ? block->above_record : block->record;
    char *const value = record.row + column->offset;
    switch (column->kind) {
    case MD5_COLUMN_CHOICE:
        note_place(lex, record, column->offset, token);
        memcpy(value, &word->value, sizeof word->value);
        break;
    case MD5_COLUMN_FLAG:
        *(bool *)(void *)value = true;
        break;
    case MD5_COLUMN_TEXTS: {
        const char *const *const texts = (const char *const *)(void *)value;
        size_t number = 0;
        while (number < column->other && texts[number])
            number++;
        if (number == column->other)
            return md5i_lex_fail(lex, token, MD5_ERROR_RANGE, "too many %s: expected at most %d",
                                 column->member, (int)column->other);
        return read_name(lex, record, column->what, column->offset + number * sizeof *texts);
    }
    default:
        TRY(read_value(lex, column, record));
        break;
    }
    const md5_column *const end = schema->columns + schema->num_columns;
    for (const md5_column *next = column + 1; next < end && next->place == MD5_PLACE_BEHIND;
         next++) {
        if (md5_is_used(next, md5_kind_of(schema, record.row, 0)))
            TRY(read_value(lex, next, record));
    }
    return true;
}

// Reads what stands in braces, and in the braces in these.
static bool read_blocks(md5_lex *lex, const md5_schema *schema, text_row record)
{
    open_block blocks[MD5_TABLE_DEPTH] = {
        {.schema = schema, .record = record, .above = schema, .above_record = record}};
    int top = 0;
    while (top >= 0) {
        open_block *const inner = &blocks[top];
        if (md5i_lex_take(lex, '}')) {
            top--;
            continue;
        }
        const char *const token = lex->at;
        word_found word;
        TRY(take_word(lex, inner, &word) && word.column);
        const md5_column *const column = word.column;
        bool braces = false;
        if (!column->rows) {
            TRY(read_word(lex, token, &word, inner));
            continue;
        }
        if (column->form == MD5_FORM_LIST || column->form == MD5_FORM_CONDITIONS) {
            TRY(read_list(lex, column, inner->record));
            continue;
        }
        uint32_t count;
        if (column->kind == MD5_COLUMN_ROW
            && md5i_rows_of(column, inner->record.row, &count) != NULL)
            return md5i_lex_fail(lex, token, MD5_ERROR_SYNTAX, "duplicate '%s': expected one",
                                 md5_column_word(column));
        TRY(begin_row(lex, &word, inner, &blocks[top + 1], &braces));
        top += braces;
    }
    return true;
}

// -- The file -----------------------------------------------------------------------------------

// The file is a table of one row, so that its words have locations too. Names are not looked up:
// md5_create_machine() does that.
static md5_machine_file *read_file(md5_arena *arena, const md5_schema *schema, const char *text,
                                   size_t size)
{
    const char *const name = arena->context->error.file;
    md5_lex lex;
    md5i_lex_begin(&lex, arena, text, size);
    md5_locations *const places = MD5_NEW(arena, md5_locations, 1);
    unsigned char *const row =
        places ? add_table(arena, places, 1, sizeof(md5_machine_file)) : NULL;
    if (row)
        places->file = md5_copy_text(arena, name, strlen(name));
    if (!row || !places->file)
        return NULL;
    md5_machine_file *const file = (md5_machine_file *)(void *)row;
    *file = (md5_machine_file){.desc = {.locations = places}, .model_file = ""};
    const text_row record = {(char *)row, md5_locations_at(row, sizeof *file, 0), places};
    if (!md5i_lex_take_word(&lex, schema->head)) {
        md5i_lex_fail_found(&lex, "expected '%s'", schema->head);
        return NULL;
    }
    if (!read_plain(&lex, &schema->columns[0], record) || !md5i_lex_expect(&lex, '{')
        || !read_blocks(&lex, schema, record))
        return NULL;
    md5i_lex_next(&lex);
    if (arena->context->error.status != MD5_OK) // a comment without an end
        return NULL;
    if (lex.at < lex.end)
        md5i_lex_warn(&lex, lex.at, "text after the machine is ignored: found %s",
                      md5i_lex_token(&lex, lex.at).text);
    memcpy(&file->clips, &file->desc.clips, sizeof file->clips); // they may be written
    memcpy(&file->attached, &file->desc.attached, sizeof file->attached);
    return file;
}

// The tables are small and of many kinds, so they are not copied into one block: the file takes
// over the arena that they were read into.
md5_machine_file *md5i_read_machine(md5_context *context, const md5_schema *schema,
                                    const char *text, size_t size)
{
    md5_arena arena = {.context = context};
    md5_machine_file *const file =
        md5_check_text_size(context, size) ? read_file(&arena, schema, text, size) : NULL;
    if (!file) {
        md5i_arena_free(&arena);
        return NULL;
    }
    file->num_warnings = context->num_warnings;
    file->internal.allocator = context->allocator;
    file->internal.tag = MD5_TAG_MACHINE_FILE;
    file->internal.memory = arena.chunks;
    return file;
}

md5_machine_file *md5_parse_machine_file(const void *text, size_t size, const md5_load_opts *opts,
                                         md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    return md5i_read_machine(&context, &md5i_machine_schema, text ? (const char *)text : "",
                             text ? size : 0);
}

md5_machine_file *md5_load_machine_file(const char *path, const md5_load_opts *opts,
                                        md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5_file_text text = {0};
    md5_machine_file *file = NULL;
    md5i_context_begin(&context, opts, path, error);
    if (md5i_read_file_text(&context, path, &text))
        file = md5i_read_machine(&context, &md5i_machine_schema, text.bytes, text.size);
    md5i_free_file_text(&context, &text);
    return file;
}

void md5_free_machine_file(md5_machine_file *file)
{
    MD5_ASSERT_NULL_OR_ALIVE(file, MD5_TAG_MACHINE_FILE);
    if (file)
        md5i_free_memory(&file->internal);
}
