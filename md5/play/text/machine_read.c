// Reads machine files; md5/play/machine_files.md describes the grammar.
//
// A row is written as its keyword, its head (values in a fixed order) and a block in braces with
// keywords and their values; md5/play/schema.c defines which columns are in the head and in the
// block. The location of each value is stored, for errors that are found only when the machine is
// created. read_blocks() is the main loop.
#include "md5/core/file.h"
#include "md5/core/lex.h"
#include "md5/play/schema.h"

// A row that is filled from the text, with the locations of its members.
typedef struct text_row {
    char *row;               // NULL: allocation failed
    md5_location *locations; // one for every four bytes of the row
    md5_locations *all;      // locations of all tables
} text_row;

// -- Tables -------------------------------------------------------------------------------------

// Adds a table and returns its rows: `count` rows of `size` bytes, zeroed like their locations.
// `size` is a multiple of 4. If there is no memory, sets the error and returns NULL.
static unsigned char *add_table(md5_arena *arena, md5_locations *locations, size_t count,
                                size_t size)
{
    enum { TIMES = 3 }; // rows, and 8 bytes of location for every 4 bytes of rows
    md5_located_table *const table = MD5_ALLOC_ZEROED(arena, md5_located_table, 1);
    unsigned char *const rows =
        (unsigned char *)md5i_arena_alloc_zeroed(arena, count, TIMES * size);
    if (!table || !rows)
        return NULL;
    *table = (md5_located_table){locations->tables, rows, count * size};
    locations->tables = table;
    return rows;
}

// Appends a row to a table of `owner`, or creates the single row of a column. The row is zeroed
// except for the start values of its columns. A table is full when its count is a power of two;
// then its capacity doubles.
static text_row append_row(md5_lex *lex, text_row owner, const md5_column *column)
{
    uint32_t one = 0;
    uint32_t *const count = column->kind == MD5_COLUMN_TABLE
                                ? (uint32_t *)(void *)(owner.row + column->auxiliary)
                                : &one;
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
        unsigned char *const grown = add_table(lex->arena, owner.all, capacity, size);
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
                            owner.all};
    for (uint32_t i = 0; i < column->rows->num_columns; i++) {
        const md5_column *const inner = &column->rows->columns[i];
        if (inner->start != 0)
            memcpy(added.row + inner->offset, &inner->start, sizeof inner->start);
    }
    return added;
}

// Stores the location of a member whose token begins at `token`.
static void store_location(md5_lex *lex, text_row record, size_t offset, const char *token)
{
    md5_location *const location = &record.locations[offset / MD5_LOCATION_UNIT];
    md5i_lex_find_location(lex, token, &location->line, &location->column);
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
    md5i_lex_skip_name_space(lex);
    store_location(lex, record, offset, lex->at);
    TRY(md5i_lex_name(lex, &span, what));
    return store_text(lex, record, offset, span.bytes, span.size);
}

// Reads a keyword like md5i_lex_accept_keyword(). If the token continues with bytes of 0x80 and
// above, it is a name and not the keyword.
static bool read_keyword(md5_lex *lex, const char *word)
{
    const char *const start = lex->at;
    if (md5i_lex_accept_keyword(lex, word)) {
        if (lex->at == lex->end || (unsigned char)*lex->at < 0x80)
            return true;
    }
    lex->at = start;
    return false;
}

// -- Keywords -------------------------------------------------------------------------------------

// A keyword of a block: its column, and the value that it selects.
typedef struct keyword_match {
    const md5_column *column;
    uint32_t value;
    uint32_t number; // index among all keywords of the block
    bool is_above;   // it belongs to the row above
} keyword_match;

// Finds a keyword of a block. The column is NULL if the block does not have this keyword.
static keyword_match find_keyword(const md5_schema *schema, md5_span word)
{
    keyword_match found = {0};
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        if (column->position != MD5_POSITION_BLOCK)
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

// The block of a row: the text in its braces, or after its keyword and head.
typedef struct open_block {
    const md5_schema *schema;
    text_row record;
    uint64_t seen; // bits of the keywords that have occurred
    uint32_t kind;
    const md5_schema *above; // row above whose keywords are also allowed; otherwise `schema`
    uint32_t above_kind;
    text_row above_record;
} open_block;

// -- Events -------------------------------------------------------------------------------------

// Returns true if the text of an event ends at `token`: at the end of the line, a comment, or a
// brace.
static bool ends_event(const md5_lex *lex, const char *token)
{
    if (token == lex->end || *token == '}')
        return true;
    if (*token == '\n' || *token == '\r')
        return true;
    const bool is_slash = lex->end - token > 1 && token[0] == '/';
    return is_slash && (token[1] == '/' || token[1] == '*');
}

// Returns the word that begins at `token`; its size is 0 if no word begins there.
static md5_span keyword_at(const md5_lex *lex, const char *token)
{
    if ((unsigned char)token[-1] > ' ') // `token` is never the first of a text
        return (md5_span){token, 0};
    const char *const end = md5i_lex_word_end(lex, token);
    const bool ends = end == lex->end || (unsigned char)*end < 0x80;
    return (md5_span){token, ends ? (size_t)(end - token) : 0};
}

// Reads the text of an event. In quotes it may contain anything. Without quotes, `frame` and
// `markers` end it, because they need values. Any other keyword of a clip is ambiguous, and an
// error.
static bool read_event_text(md5_lex *lex, text_row record, size_t offset)
{
    while (lex->at < lex->end && (*lex->at == ' ' || *lex->at == '\t'))
        lex->at++;
    if (lex->at < lex->end && (*lex->at == '"' || *lex->at == '\'')) {
        md5_span quoted;
        TRY(md5i_lex_string(lex, &quoted));
        return store_text(lex, record, offset, quoted.bytes, quoted.size);
    }
    const char *const start = lex->at;
    const char *end = start;
    for (; !ends_event(lex, lex->at); lex->at++) {
        const md5_column *const column =
            find_keyword(&md5i_clip_schema, keyword_at(lex, lex->at)).column;
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

// Reads a keyword of a choice and stores its value. Otherwise returns false; the member does not
// change.
static bool read_choice(md5_lex *lex, text_row record, const md5_column *column)
{
    uint32_t value;
    const char *word;
    for (uint32_t i = 0; (word = md5i_choice_word(column, i, &value)) != NULL; i++) {
        if (!read_keyword(lex, word))
            continue;
        memcpy(record.row + column->offset, &value, sizeof value);
        return true;
    }
    return false;
}
// Sets an error that lists the choices.
static bool fail_choice(md5_lex *lex, const md5_column *column)
{
    char words[128];
    size_t size = 0;
    uint32_t value;
    for (uint32_t i = 0; i < column->num_choices && size < sizeof words; i++) {
        const char *join = i == 0 ? "" : ", ";
        if (i > 0 && i + 1 == column->num_choices)
            join = " or ";
        size += (size_t)snprintf(words + size, sizeof words - size, "%s'%s'", join,
                                 md5i_choice_word(column, i, &value));
    }
    md5i_lex_skip_space(lex);
    return md5i_lex_fail_expected(lex, "expected %s", words);
}

// Reads a number and stores the location of its token. In tables, 0 selects the default of a column
// that has one; in a text the keyword is omitted instead.
static bool read_number(md5_lex *lex, const md5_column *column, text_row record)
{
    const char *const word = md5_column_word(column);
    char *const value = record.row + column->offset;
    float *const floats = (float *)(void *)value;
    int64_t number;
    md5i_lex_skip_name_space(lex);
    store_location(lex, record, column->offset, lex->at);
    md5i_lex_skip_space(lex);
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
        if (!column->is_positive || *(uint32_t *)(void *)value > 0)
            return true;
        return md5i_lex_fail(lex, token, MD5_ERROR_RANGE,
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
        if (column->is_length || floats[0] != 0 || floats[1] != 0 || floats[2] != 0)
            return true;
        return md5i_lex_fail(
            lex, token, MD5_ERROR_RANGE,
            "%s is not a direction: expected a vector that is not 0, found ( 0 0 0 )", word);
    }
}

static bool is_number_next(md5_lex *lex)
{
    md5i_lex_skip_name_space(lex);
    const char *const next = lex->at;
    const md5_span word = md5i_lex_peek_word(lex);
    return word.size > 0 && !md5_span_is_name(word) && word.bytes == next;
}

// Reads the joint list of a mask: the bytes between the brackets, so that locations in the list are
// locations in the text. Comments are replaced by blanks.
static bool read_joints(md5_lex *lex, const md5_column *column, text_row record)
{
    TRY(md5i_lex_expect(lex, '('));
    store_location(lex, record, column->offset, lex->at);
    const char *const start = lex->at;
    md5_span word;
    md5i_lex_skip_name_space(lex);
    while (lex->at == lex->end || *lex->at != ')') {
        TRY(md5i_lex_name(lex, &word, "a joint name or ')'"));
        md5i_lex_skip_name_space(lex);
    }
    const char *const end = lex->at;
    char *const text = MD5_ALLOC_ZEROED(lex->arena, char, (size_t)(end - start) + 1);
    TRY(text);
    for (const char *byte = start; byte < end; byte++)
        text[byte - start] = *byte == '\n' || *byte == '\r' ? *byte : ' ';
    lex->at = start;
    md5i_lex_skip_name_space(lex);
    while (lex->at < end) {
        const char *const token = lex->at;
        TRY(md5i_lex_name(lex, &word, "a joint"));
        memcpy(text + (token - start), token, (size_t)(lex->at - token));
        md5i_lex_skip_name_space(lex);
    }
    memcpy(record.row + column->offset, &text, sizeof text);
    return md5i_lex_expect(lex, ')');
}

// Reads the name of an event. It must be on the line of its frame, so that a missing name does not
// consume the next keyword of the clip.
static bool read_event_name(md5_lex *lex, const md5_column *column, text_row record)
{
    const char *const start = lex->at;
    md5i_lex_skip_name_space(lex);
    for (const char *byte = start; byte < lex->at; byte++) {
        if (*byte == '\n' || *byte == '\r')
            return md5i_lex_fail(lex, byte, MD5_ERROR_SYNTAX,
                                 "expected an event name, found the end of the line");
    }
    if (md5_span_is(keyword_at(lex, lex->at), "frame"))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "expected an event name, found 'frame'");
    return read_name(lex, record, column->what, column->offset);
}

// Reads the first number of a range such as 12-18. The lexer considers this one word, so the text
// is temporarily cut at the hyphen.
static bool read_range_start(md5_lex *lex, const md5_column *column, text_row record)
{
    const char *const end = lex->end;
    const md5_span word = md5i_lex_peek_word(lex);
    const char *hyphen = NULL;
    if (word.size > 1)
        hyphen = (const char *)memchr(word.bytes + 1, '-', word.size - 1);
    lex->end = hyphen ? hyphen : end;
    const bool is_read = read_number(lex, column, record);
    lex->end = end;
    if (is_read && hyphen)
        lex->at++;
    return is_read;
}

// Reads the subject of a condition and its comparison. The next column of the row is the
// comparison, the column after it the kind of the condition. A time needs a comparison, an event
// does not have one.
static bool read_comparison(md5_lex *lex, const md5_column *column, text_row record,
                            const char *what)
{
    const md5_column *const comparison = column + 1;
    const md5_column *const kind = column + 2;
    const md5_condition *const row = (const md5_condition *)(void *)record.row;
    const bool is_negated = read_keyword(lex, "not");
    const bool has_kind = !is_negated && read_choice(lex, record, kind);
    const bool is_event = row->kind == MD5_WHEN_EVENT;
    const bool is_time = has_kind && !is_event;
    if (!is_time)
        TRY(read_name(lex, record, is_event ? "an event name" : what, column->offset));
    if (!is_negated && !is_event && read_choice(lex, record, comparison))
        return true;
    const uint32_t compare = is_negated ? MD5_IS_CLEAR : MD5_IS_SET;
    memcpy(record.row + comparison->offset, &compare, sizeof compare);
    if (is_time)
        return fail_choice(lex, comparison);
    return true;
}

// Reads a value that is not a row, a share or an easing.
static bool read_plain(md5_lex *lex, const md5_column *column, text_row record)
{
    const char *const what = column->what ? column->what : md5_column_word(column);
    char *const value = record.row + column->offset;
    switch (column->form) {
    case MD5_FORM_JOINTS:
        return read_joints(lex, column, record);
    case MD5_FORM_EVENT:
        return read_event_name(lex, column, record);
    case MD5_FORM_LINE:
        return read_event_text(lex, record, column->offset);
    case MD5_FORM_SPAN:
        return read_range_start(lex, column, record);
    case MD5_FORM_AFTER:
        if (!read_keyword(lex, md5_column_word(column)))
            return true;
        break;
    case MD5_FORM_COMPARED:
        return read_comparison(lex, column, record, what);
    case MD5_FORM_OR_AT:
        return md5_span_is(md5i_lex_peek_word(lex), "at") || read_number(lex, column, record);
    default:
        break;
    }
    switch (column->kind) {
    case MD5_COLUMN_TEXT:
        if (column->position == MD5_POSITION_HEAD && column->usual
            && read_keyword(lex, column->usual))
            return true;
        return read_name(lex, record, what, column->offset);
    case MD5_COLUMN_MODEL:
        return read_name(lex, record, what, column->auxiliary);
    case MD5_COLUMN_CHOICE:
        if (read_choice(lex, record, column))
            return true;
        memset(value, 0, sizeof(uint32_t));
        if (column->form != MD5_FORM_OPTIONAL)
            return fail_choice(lex, column);
        return true;
    default:
        if (column->form == MD5_FORM_OPTIONAL && !is_number_next(lex))
            return true;
        return read_number(lex, column, record);
    }
}

// Reads an easing and its parameters if the next word is an easing, otherwise stores a linear
// easing.
static bool read_easing(md5_lex *lex, size_t offset, text_row record)
{
    static const md5_schema *const schema = &md5i_easing_schema;
    const text_row easing = {record.row + offset, record.locations + offset / MD5_LOCATION_UNIT,
                             record.all};
    memset(easing.row, 0, schema->size);
    if (!read_choice(lex, easing, &schema->columns[0]))
        return true;
    const uint32_t kind = md5_row_kind(schema, easing.row, 0);
    for (uint32_t i = 1; i < schema->num_columns; i++) {
        if (md5_is_column_used(&schema->columns[i], kind))
            TRY(read_plain(lex, &schema->columns[i], easing));
    }
    return true;
}
// Returns true if the next token is a name.
static bool is_name_next(md5_lex *lex)
{
    const char *const start = lex->at;
    md5i_lex_skip_name_space(lex);
    const char first = lex->at < lex->end ? *lex->at : '0';
    const bool is_quoted = first == '"' || first == '\'';
    const bool is_name =
        is_quoted || (unsigned char)first >= 0x80 || md5_span_is_name(md5i_lex_peek_word(lex));
    lex->at = start;
    return is_name;
}

// Reads the keyword of a driver. Returns its index, or MD5_NUM_DRIVERS if there is none.
static uint32_t read_driver(md5_lex *lex)
{
    for (uint32_t i = 0; i < MD5_NUM_DRIVERS; i++) {
        if (md5i_share_drivers[i].word && read_keyword(lex, md5i_share_drivers[i].word))
            return i;
    }
    return MD5_NUM_DRIVERS;
}

// Clears all members of a share.
static void clear_share(const md5_column *column, text_row record)
{
    const char *const none = NULL;
    memset(record.row + column->offset, 0, sizeof(float));
    memcpy(record.row + column->auxiliary, &none, sizeof none);
    if (column->easing > 0)
        memset(record.row + column->easing, 0, sizeof(md5_easing));
    if (column->state > 0)
        memset(record.row + column->state, 0, MD5_NUM_DRIVERS * sizeof none);
}

// Reads the names of a driver after its keyword. Drivers without a keyword are further names of the
// driver before them: a layer and its state.
static bool read_driver_names(md5_lex *lex, const md5_column *column, text_row record,
                              uint32_t driver)
{
    do {
        TRY(read_name(lex, record, md5i_share_drivers[driver].what,
                      column->state + driver * sizeof(const char *)));
        driver++;
    } while (driver < MD5_NUM_DRIVERS && !md5i_share_drivers[driver].word);
    return true;
}

// Reads a share: a number, a parameter with an easing, or another driver. If it occurs several
// times, the last one clears the others.
static bool read_share(md5_lex *lex, const md5_column *column, text_row record)
{
    clear_share(column, record);
    if (!is_name_next(lex))
        return read_number(lex, column, record);
    if (column->state > 0) {
        const uint32_t driver = read_driver(lex);
        if (driver < MD5_NUM_DRIVERS)
            return read_driver_names(lex, column, record, driver);
    }
    TRY(read_name(lex, record, md5_column_word(column), column->auxiliary));
    return column->easing == 0 || read_easing(lex, column->easing, record);
}

static bool read_value(md5_lex *lex, const md5_column *column, text_row record)
{
    if (column->form == MD5_FORM_SHARE)
        return read_share(lex, column, record);
    if (column->kind == MD5_COLUMN_EASING)
        return read_easing(lex, column->offset, record);
    return read_plain(lex, column, record);
}

// -- Rows ---------------------------------------------------------------------------------------

// Reads rows without braces: ( VALUES VALUES ... ), or VALUES and VALUES or VALUES ...
static bool read_list(md5_lex *lex, const md5_column *column, text_row owner)
{
    const bool is_list = column->form == MD5_FORM_LIST;
    bool is_or = false;
    TRY(!is_list || md5i_lex_expect(lex, '('));
    while (!is_list || !md5i_lex_accept(lex, ')')) {
        const text_row added = append_row(lex, owner, column);
        TRY(added.row);
        for (uint32_t i = 0; i < column->rows->num_columns; i++) {
            const md5_column *const inner = &column->rows->columns[i];
            const uint32_t kind = md5_row_kind(column->rows, added.row, 0);
            if (inner->position == MD5_POSITION_HEAD && md5_is_column_used(inner, kind))
                TRY(read_plain(lex, inner, added));
        }
        if (is_list)
            continue;
        ((md5_condition *)(void *)added.row)->begins_alternative = is_or;
        is_or = md5i_lex_accept_keyword(lex, "or");
        if (!is_or && !md5i_lex_accept_keyword(lex, "and"))
            break;
    }
    return true;
}

// Returns the row of a keyword: a part of the row of its block, or a new row in the table of this
// row. The row is NULL if memory runs out.
static text_row find_or_append_row(md5_lex *lex, const md5_column *column, text_row owner)
{
    if (column->kind != MD5_COLUMN_PART)
        return append_row(lex, owner, column);
    return (text_row){owner.row + column->offset,
                      owner.locations + column->offset / MD5_LOCATION_UNIT, owner.all};
}

// Reads the values between the keyword of a row and its block. The kind of the row may depend on
// values that were read before, so it is updated for each column.
static bool read_head(md5_lex *lex, const md5_schema *schema, uint32_t owner_kind, open_block *row)
{
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        row->kind = md5_row_kind(schema, row->record.row, owner_kind);
        const bool is_used = md5_is_column_used(column, row->kind);
        if (!is_used || column->position != MD5_POSITION_HEAD)
            continue;
        const bool is_table = column->rows && column->kind != MD5_COLUMN_EASING;
        if (is_table)
            TRY(read_list(lex, column, row->record));
        else
            TRY(read_value(lex, column, row->record));
    }
    return true;
}

// Opens the row that each row of a schema contains without a keyword, if there is such a column:
// the keywords of the block then belong to this inner row, or to the row above.
static bool open_inner_row(md5_lex *lex, const md5_schema *schema, open_block *row)
{
    const md5_column *always = NULL;
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        if (column->form == MD5_FORM_ALWAYS && md5_is_column_used(column, row->kind))
            always = column;
    }
    if (!always)
        return true;
    const text_row inner = append_row(lex, row->record, always);
    *row = (open_block){.schema = always->rows,
                        .record = inner,
                        .above = schema,
                        .above_kind = row->kind,
                        .above_record = row->record};
    return inner.row != NULL;
}

// Begins the row of a keyword: reads its head. Sets *has_block to true if a block in braces
// follows.
static bool begin_read_row(md5_lex *lex, const keyword_match *word, const open_block *owner,
                           open_block *row, bool *has_block)
{
    const md5_column *const column = word->column;
    const md5_schema *const schema = column->rows;
    const text_row record = find_or_append_row(lex, column, owner->record);
    TRY(record.row);
    *row =
        (open_block){.schema = schema, .record = record, .above = schema, .above_record = record};
    if (column->choices) // the keyword selects the kind of the row
        memcpy(record.row + schema->kind, &word->value, sizeof word->value);
    TRY(read_head(lex, schema, owner->kind, row));
    TRY(open_inner_row(lex, schema, row));
    *has_block = schema->needs_braces;
    if (schema->needs_braces)
        return md5i_lex_expect(lex, '{');
    if (!schema->has_no_braces)
        *has_block = md5i_lex_accept(lex, '{');
    return true;
}

// Reads the next keyword of a block, which belongs to its row or to the row above. An unknown
// keyword is an error. A duplicate keyword with a value, or a keyword that this kind of row does
// not use, is a warning.
static bool match_keyword(md5_lex *lex, open_block *block, keyword_match *found)
{
    const char *const token = lex->at;
    const md5_span word = md5i_lex_peek_word(lex);
    *found = find_keyword(block->schema, word);
    if (!found->column) {
        const uint32_t number = found->number;
        *found = find_keyword(block->above, word);
        found->number += number;
        found->is_above = true;
        if (found->column && !md5_is_column_used(found->column, block->above_kind))
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
    if (!found->is_above && !md5_is_column_used(column, block->kind))
        md5i_lex_warn(lex, token, "'%.*s' is ignored: it has no effect in %s of this kind",
                      (int)word.size, word.bytes, block->schema->what);
    return true;
}

// Reads the values of a keyword that began at `token`.
static bool read_keyword_values(md5_lex *lex, const char *token, const keyword_match *word,
                                const open_block *block)
{
    const md5_column *const column = word->column;
    const md5_schema *const schema = word->is_above ? block->above : block->schema;
    const text_row record = word->is_above ? block->above_record : block->record;
    char *const value = record.row + column->offset;
    switch (column->kind) {
    case MD5_COLUMN_CHOICE:
        store_location(lex, record, column->offset, token);
        memcpy(value, &word->value, sizeof word->value);
        break;
    case MD5_COLUMN_FLAG:
        *(bool *)(void *)value = true;
        break;
    case MD5_COLUMN_TEXTS: {
        const char *const *const texts = (const char *const *)(void *)value;
        size_t number = 0;
        while (number < column->auxiliary && texts[number])
            number++;
        if (number == column->auxiliary)
            return md5i_lex_fail(lex, token, MD5_ERROR_RANGE, "too many %s: expected at most %d",
                                 column->member, (int)column->auxiliary);
        return read_name(lex, record, column->what, column->offset + number * sizeof *texts);
    }
    default:
        TRY(read_value(lex, column, record));
        break;
    }
    const md5_column *const end = schema->columns + schema->num_columns;
    for (const md5_column *next = column + 1; next < end && next->position == MD5_POSITION_AFTER;
         next++) {
        if (md5_is_column_used(next, md5_row_kind(schema, record.row, 0)))
            TRY(read_value(lex, next, record));
    }
    return true;
}

// Reads a block and the blocks in it.
static bool read_blocks(md5_lex *lex, const md5_schema *schema, text_row record)
{
    open_block blocks[MD5_TABLE_DEPTH] = {
        {.schema = schema, .record = record, .above = schema, .above_record = record}};
    int top = 0;
    while (top >= 0) {
        open_block *const inner = &blocks[top];
        if (md5i_lex_accept(lex, '}')) {
            top--;
            continue;
        }
        const char *const token = lex->at;
        keyword_match word;
        TRY(match_keyword(lex, inner, &word) && word.column);
        const md5_column *const column = word.column;
        bool braces = false;
        if (!column->rows) {
            TRY(read_keyword_values(lex, token, &word, inner));
            continue;
        }
        if (column->form == MD5_FORM_LIST || column->form == MD5_FORM_CONDITIONS) {
            TRY(read_list(lex, column, inner->record));
            continue;
        }
        uint32_t count;
        if (column->kind == MD5_COLUMN_ROW
            && md5i_column_rows(column, inner->record.row, &count) != NULL)
            return md5i_lex_fail(lex, token, MD5_ERROR_SYNTAX, "duplicate '%s': expected one",
                                 md5_column_word(column));
        TRY(begin_read_row(lex, &word, inner, &blocks[top + 1], &braces));
        top += braces;
    }
    return true;
}

// -- The file -----------------------------------------------------------------------------------

// Reads a file. The file is a table of one row, so that its values have locations, too.
// md5_create_machine() resolves the names.
static md5_machine_file *read_file(md5_arena *arena, const md5_schema *schema, const char *text,
                                   size_t size)
{
    const char *const name = arena->context->error.file;
    md5_lex lex;
    md5i_lex_begin(&lex, arena, text, size);
    md5_locations *const locations = MD5_ALLOC_ZEROED(arena, md5_locations, 1);
    unsigned char *const row =
        locations ? add_table(arena, locations, 1, sizeof(md5_machine_file)) : NULL;
    if (row)
        locations->file = md5_copy_text(arena, name, strlen(name));
    if (!row || !locations->file)
        return NULL;
    md5_machine_file *const file = (md5_machine_file *)(void *)row;
    *file = (md5_machine_file){.desc = {.locations = locations}, .model_file = ""};
    const text_row record = {(char *)row, md5_locations_at(row, sizeof *file, 0), locations};
    if (!md5i_lex_accept_keyword(&lex, schema->head)) {
        md5i_lex_fail_expected(&lex, "expected '%s'", schema->head);
        return NULL;
    }
    if (!read_plain(&lex, &schema->columns[0], record))
        return NULL;
    if (!md5i_lex_expect(&lex, '{') || !read_blocks(&lex, schema, record))
        return NULL;
    md5i_lex_skip_space(&lex);
    if (arena->context->error.status != MD5_OK) // a comment is not terminated
        return NULL;
    if (lex.at < lex.end)
        md5i_lex_warn(&lex, lex.at, "text after the machine is ignored: found %s",
                      md5i_lex_token(&lex, lex.at).text);
    memcpy(&file->clips, &file->desc.clips,
           sizeof file->clips); // pointers through which the program may change the tables
    memcpy(&file->attached, &file->desc.attached, sizeof file->attached);
    return file;
}

// Reads a machine file. Its tables are small and of many kinds, so they are not copied into one
// block: the file owns the arena into which they were read.
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
    if (!text)
        return md5i_read_machine(&context, &md5i_machine_schema, "", 0);
    return md5i_read_machine(&context, &md5i_machine_schema, (const char *)text, size);
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
