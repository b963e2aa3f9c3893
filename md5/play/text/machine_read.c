// Reads machine files into the tables of md5_machine_desc. md5/play/machine_files.md describes the
// grammar.
//
// A table is an array of structures, such as md5_machine_desc.clips. Each structure is a row, and
// each of its members is a column. In the text, a row consists of its keyword, its head (values in
// a fixed order) and its block (keywords with values, in braces). md5/play/schema.c lists the
// columns of each kind of row.
//
// The location of each value is stored, for errors that are found only when the machine is created.
// read_blocks() is the main loop.
#include "md5/core/file.h"
#include "md5/core/lex.h"
#include "md5/play/schema.h"

// A row that is filled from the text. The line and column of each member in the text are stored
// with it.
typedef struct text_row {
    char *row;                    // address of the structure; NULL if memory ran out
    md5_location *locations;      // one for every four bytes of the row
    md5_locations *all_locations; // locations of all tables of the file
} text_row;

// -- Tables -------------------------------------------------------------------------------------

// Allocates a table of `count` rows of `size` bytes, followed by the locations of their members.
// All bytes are 0. `size` must be a multiple of 4, because four bytes share one location. The table
// is added to `locations`. Returns the rows, or NULL and sets the error if memory runs out.
static unsigned char *add_table(md5_arena *arena, md5_locations *locations, size_t count,
                                size_t size)
{
    const size_t locations_size = size / MD5_LOCATION_UNIT * sizeof(md5_location);
    md5_located_table *const table = MD5_ALLOC_ZEROED(arena, md5_located_table, 1);
    unsigned char *const rows =
        (unsigned char *)md5i_arena_alloc_zeroed(arena, count, size + locations_size);
    if (!table || !rows)
        return NULL;
    *table = (md5_located_table){locations->tables, rows, count * size};
    locations->tables = table;
    return rows;
}

// Copies a full table of `used` bytes, and its locations, to a new table with more capacity.
// Returns the rows of the new table, or NULL if memory runs out.
static unsigned char *grow_table(md5_arena *arena, md5_locations *locations, unsigned char *rows,
                                 size_t used, size_t capacity, size_t row_size)
{
    unsigned char *const grown = add_table(arena, locations, capacity, row_size);
    if (!grown || used == 0)
        return grown;
    memcpy(grown, rows, used);
    memcpy(md5_locations_at(grown, capacity * row_size, 0), md5_locations_at(rows, used, 0),
           used / MD5_LOCATION_UNIT * sizeof(md5_location));
    return grown;
}

// Stores the initial values of the columns of a new row.
static void store_start_values(const md5_schema *schema, char *row)
{
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        if (column->start != 0)
            memcpy(row + column->offset, &column->start, sizeof column->start);
    }
}

// Returns the smallest power of two that is greater than `count`.
static size_t next_power_of_two(uint32_t count)
{
    size_t power = 1;
    while (power <= count)
        power *= 2;
    return power;
}

// Adds a zeroed row to `column` of the row `owner` and stores the start values of its columns. If
// the column is a table, the row is appended to the table; otherwise it is the only row of the
// column. The result has a NULL row if memory runs out.
//
// The capacity of a table is not stored. It is the number of rows, rounded up to a power of two. So
// a table is full when its number of rows is a power of two.
static text_row append_row(md5_lex *lex, text_row owner, const md5_column *column)
{
    uint32_t single_count = 0; // a single row has no count in its owner
    uint32_t *count = &single_count;
    if (column->kind == MD5_COLUMN_TABLE)
        count = (uint32_t *)(void *)(owner.row + column->auxiliary);

    const size_t row_size = column->rows->size;
    const size_t used = *count * row_size;             // bytes
    const bool is_full = (*count & (*count - 1)) == 0; // a power of two, or 0
    const size_t capacity = next_power_of_two(*count);

    // `pointer` is the member of the owner that points to the rows.
    void *const pointer = owner.row + column->offset;
    unsigned char *rows;
    memcpy(&rows, pointer, sizeof rows);
    if (is_full) {
        rows = grow_table(lex->arena, owner.all_locations, rows, used, capacity, row_size);
        if (!rows)
            return (text_row){0};
        memcpy(pointer, &rows, sizeof rows);
    }

    (*count)++;
    const text_row added = {
        .row = (char *)rows + used,
        .locations = md5_locations_at(rows, capacity * row_size, used),
        .all_locations = owner.all_locations,
    };
    store_start_values(column->rows, added.row);
    return added;
}

// Stores the location of a member whose token begins at `token`.
static void store_location(md5_lex *lex, text_row record, size_t offset, const char *token)
{
    md5_location *const location = &record.locations[offset / MD5_LOCATION_UNIT];
    md5i_lex_find_location(lex, token, &location->line, &location->column);
}

// -- Texts --------------------------------------------------------------------------------------

// Stores a copy of a text in the member of a row at `offset`. Returns false if memory runs out.
static bool store_text(md5_lex *lex, text_row record, size_t offset, const char *bytes, size_t size)
{
    const char *const text = md5_copy_text(lex->arena, bytes, size);
    memcpy(record.row + offset, &text, sizeof text);
    return text != NULL;
}

// Reads a name into the text member at an offset, and stores its location. `description` describes
// the name in messages.
static bool read_name(md5_lex *lex, text_row record, const char *description, size_t offset)
{
    md5_span span;
    md5i_lex_skip_name_space(lex);
    store_location(lex, record, offset, lex->at);
    TRY(md5i_lex_name(lex, &span, description));
    return store_text(lex, record, offset, span.bytes, span.size);
}

// Accepts a keyword like md5i_lex_accept_keyword(), but only as a whole word. If bytes of 0x80 or
// above follow, which are letters of other scripts, the word is a name.
static bool read_keyword(md5_lex *lex, const char *keyword)
{
    const char *const start = lex->at;
    if (md5i_lex_accept_keyword(lex, keyword)) {
        if (lex->at == lex->end || (unsigned char)*lex->at < 0x80)
            return true;
    }
    lex->at = start;
    return false;
}

// -- Keywords -------------------------------------------------------------------------------------

// The column that a keyword of a block selects.
typedef struct keyword_match {
    const md5_column *column; // NULL if the block does not have the keyword
    uint32_t value;           // value that the keyword of a choice selects
    uint32_t index;           // among all keywords of the block and of the row above
    bool is_above;            // the column belongs to the row above
} keyword_match;

// Returns keyword `index` of a column, or NULL after its last keyword. A choice has one keyword for
// each of its values and sets *value to this value; any other column has one keyword.
static const char *column_keyword(const md5_column *column, uint32_t index, uint32_t *value)
{
    const bool is_choice = column->kind == MD5_COLUMN_CHOICE || column->choices;
    if (is_choice)
        return md5i_choice_word(column, index, value);
    return index == 0 ? md5_column_word(column) : NULL;
}

// Finds the column of a block that has the keyword `token`. All keywords of a block are numbered,
// and the result contains the number of this keyword as `index`. If the block does not have the
// keyword, the column is NULL, and the index is the number of keywords of the block.
static keyword_match find_keyword(const md5_schema *schema, md5_span token)
{
    keyword_match found = {0};
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        if (column->position != MD5_POSITION_BLOCK)
            continue;

        const char *keyword = column_keyword(column, 0, &found.value);
        for (uint32_t k = 1; keyword; k++) {
            if (md5_span_is(token, keyword)) {
                found.column = column;
                return found;
            }
            keyword = column_keyword(column, k, &found.value);
            found.index++;
        }
    }
    return found;
}

// A block that is being read: the text in the braces of a row. The keywords in the block are the
// columns of this row. An inner row without its own keyword also accepts the columns of the row
// above it, which the members `above*` describe. For any other row these members are equal to the
// members of the row.
typedef struct open_block {
    const md5_schema *schema; // columns of the row
    text_row record;
    uint64_t seen; // one bit for each keyword that has occurred, to find duplicates
    uint32_t kind; // kind of the row, which decides which columns it uses
    const md5_schema *above;
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

// Returns the word that begins at `token`. Its size is 0 if `token` is inside a word or if bytes of
// 0x80 and above follow, because these belong to a name and not to a keyword. `token` is never the
// first byte of a text.
static md5_span keyword_at(const md5_lex *lex, const char *token)
{
    const bool is_inside_word = (unsigned char)token[-1] > ' ';
    if (is_inside_word)
        return (md5_span){token, 0};
    const char *const end = md5i_lex_word_end(lex, token);
    const bool is_keyword = end == lex->end || (unsigned char)*end < 0x80;
    return (md5_span){token, is_keyword ? (size_t)(end - token) : 0};
}

// Reads the text of an event that is not quoted: the remaining line, without blanks at its end. The
// keywords `frame` and `markers` also end the text, because they begin a new entry of the clip. Any
// other keyword of a clip is an error, because it could be a part of the text or the next keyword.
static bool read_unquoted_text(md5_lex *lex, text_row record, size_t offset)
{
    const char *const start = lex->at;
    const char *end = start; // end of the last word of the text
    for (; !ends_event(lex, lex->at); lex->at++) {
        const md5_span word = keyword_at(lex, lex->at);
        const md5_column *const column = find_keyword(&md5i_clip_schema, word).column;
        const bool begins_entry = column && column->rows;
        if (begins_entry)
            break;
        if (column)
            return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                                 "text of an event is ambiguous: expected text without keywords, "
                                 "found %s; quote the text, or start a new line",
                                 md5i_lex_token(lex, lex->at).text);
        if ((unsigned char)*lex->at > ' ')
            end = lex->at + 1;
    }
    return store_text(lex, record, offset, start, (size_t)(end - start));
}

// Reads the text of an event, on the line of its name. A text in quotes may contain anything.
static bool read_event_text(md5_lex *lex, text_row record, size_t offset)
{
    while (lex->at < lex->end && (*lex->at == ' ' || *lex->at == '\t'))
        lex->at++;

    const bool is_quoted = lex->at < lex->end && (*lex->at == '"' || *lex->at == '\'');
    if (!is_quoted)
        return read_unquoted_text(lex, record, offset);
    md5_span quoted;
    TRY(md5i_lex_string(lex, &quoted));
    return store_text(lex, record, offset, quoted.bytes, quoted.size);
}

// -- Values -------------------------------------------------------------------------------------

// If the next word is a keyword of the choice `column`, reads it and stores its value. Otherwise
// reads nothing and returns false, without an error.
static bool read_choice(md5_lex *lex, text_row record, const md5_column *column)
{
    uint32_t value;
    const char *keyword;
    for (uint32_t i = 0; (keyword = md5i_choice_word(column, i, &value)) != NULL; i++) {
        if (!read_keyword(lex, keyword))
            continue;
        memcpy(record.row + column->offset, &value, sizeof value);
        return true;
    }
    return false;
}

// Sets the error "expected 'a', 'b' or 'c'" with the keywords of a choice. Returns false.
static bool fail_choice(md5_lex *lex, const md5_column *column)
{
    char choices[128];
    size_t size = 0;
    uint32_t value;
    for (uint32_t i = 0; i < column->num_choices && size < sizeof choices; i++) {
        const char *separator = i == 0 ? "" : ", ";
        if (i > 0 && i + 1 == column->num_choices)
            separator = " or ";
        size += (size_t)snprintf(choices + size, sizeof choices - size, "%s'%s'", separator,
                                 md5i_choice_word(column, i, &value));
    }
    md5i_lex_skip_space(lex);
    return md5i_lex_fail_expected(lex, "expected %s", choices);
}

// Reads a float. In some columns of the tables (keeps_zero), 0 selects the default. A file selects
// the default by omitting the keyword, so a 0 in a file is a real 0. It is stored as
// MD5_EXPLICIT_ZERO.
static bool read_float(md5_lex *lex, const md5_column *column, float *value)
{
    TRY(md5i_lex_float(lex, value));
    if (column->keeps_zero && *value == 0)
        *value = MD5_EXPLICIT_ZERO;
    return true;
}

// Reads a count, which must be at least 1 in some columns.
static bool read_count(md5_lex *lex, const md5_column *column, uint32_t *value)
{
    const char *const token = lex->at;
    TRY(md5i_read_uint(lex, md5_column_word(column), value));
    if (column->is_positive && *value == 0)
        return md5i_lex_fail(lex, token, MD5_ERROR_RANGE,
                             "%s is out of range: expected 1 or more, found 0",
                             md5_column_word(column));
    return true;
}

// Reads an integer of 32 bits.
static bool read_int(md5_lex *lex, const md5_column *column, int32_t *value)
{
    const char *const token = lex->at;
    int64_t number;
    TRY(md5i_lex_int(lex, &number));
    if (number < INT32_MIN || number > INT32_MAX)
        return md5i_lex_fail(lex, token, MD5_ERROR_RANGE,
                             "%s is out of range: expected -2147483648 to 2147483647, found %lld",
                             md5_column_word(column), (long long)number);
    *value = (int32_t)number;
    return true;
}

// Reads a vector. The vector 0 is an error in a column that contains a direction, but not in a
// column that contains lengths.
static bool read_direction(md5_lex *lex, const md5_column *column, md5_vec3 *value)
{
    const char *const token = lex->at;
    TRY(md5i_lex_vec3(lex, md5i_lex_float, value));
    const bool is_zero = value->x == 0 && value->y == 0 && value->z == 0;
    if (is_zero && !column->is_length)
        return md5i_lex_fail(
            lex, token, MD5_ERROR_RANGE,
            "%s is not a direction: expected a vector that is not 0, found ( 0 0 0 )",
            md5_column_word(column));
    return true;
}

// Reads a number and stores the location of its token.
static bool read_number(md5_lex *lex, const md5_column *column, text_row record)
{
    md5i_lex_skip_name_space(lex);
    store_location(lex, record, column->offset, lex->at);
    md5i_lex_skip_space(lex);

    void *const value = record.row + column->offset;
    switch (column->kind) {
    case MD5_COLUMN_FLOAT:
        return read_float(lex, column, (float *)value);
    case MD5_COLUMN_DOUBLE:
        return md5i_lex_double(lex, (double *)value);
    case MD5_COLUMN_COUNT:
        return read_count(lex, column, (uint32_t *)value);
    case MD5_COLUMN_INT:
        return read_int(lex, column, (int32_t *)value);
    default: // MD5_COLUMN_DIRECTION
        return read_direction(lex, column, (md5_vec3 *)value);
    }
}

// Returns true if the next token is on this line and is not a name.
static bool is_number_next(md5_lex *lex)
{
    md5i_lex_skip_name_space(lex);
    const char *const next = lex->at;
    const md5_span token = md5i_lex_peek_word(lex);
    return token.size > 0 && !md5_span_is_name(token) && token.bytes == next;
}

// Skips the joint names of a list up to the closing bracket.
static bool skip_joint_names(md5_lex *lex)
{
    md5i_lex_skip_name_space(lex);
    while (lex->at == lex->end || *lex->at != ')') {
        md5_span name;
        TRY(md5i_lex_name(lex, &name, "a joint name or ')'"));
        md5i_lex_skip_name_space(lex);
    }
    return true;
}

// Reads the joint list of a mask, ( NAMES ). The list is stored as one text, in which blanks
// replace comments. Each joint name is at the same offset as in the file. Therefore the location of
// an error in the list follows from its offset.
static bool read_joints(md5_lex *lex, const md5_column *column, text_row record)
{
    TRY(md5i_lex_expect(lex, '('));
    store_location(lex, record, column->offset, lex->at);
    const char *const start = lex->at;
    TRY(skip_joint_names(lex));
    const char *const end = lex->at;

    // Begin with a text that contains only blanks and the line breaks.
    char *const text = MD5_ALLOC_ZEROED(lex->arena, char, (size_t)(end - start) + 1);
    TRY(text);
    for (const char *byte = start; byte < end; byte++) {
        const bool is_line_break = *byte == '\n' || *byte == '\r';
        text[byte - start] = is_line_break ? *byte : ' ';
    }

    // Read the names again and copy them to the same positions.
    lex->at = start;
    md5i_lex_skip_name_space(lex);
    while (lex->at < end) {
        const char *const token = lex->at;
        md5_span name;
        TRY(md5i_lex_name(lex, &name, "a joint"));
        memcpy(text + (token - start), token, (size_t)(lex->at - token));
        md5i_lex_skip_name_space(lex);
    }

    memcpy(record.row + column->offset, &text, sizeof text);
    return md5i_lex_expect(lex, ')');
}

// Reads the name of an event. The name must be on the line of its frame. Otherwise, if the name is
// missing, the next keyword of the clip would be read as the name.
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
    return read_name(lex, record, column->description, column->offset);
}

// Reads the first number of a range such as 12-18, and its hyphen. The lexer would read the range
// as one word. Therefore the end of the text is moved to the hyphen while the number is read.
// Without a hyphen, reads only the number.
static bool read_range_start(md5_lex *lex, const md5_column *column, text_row record)
{
    const md5_span token = md5i_lex_peek_word(lex);
    const char *hyphen = NULL;
    if (token.size > 1) // a hyphen at the start is a sign
        hyphen = (const char *)memchr(token.bytes + 1, '-', token.size - 1);
    if (!hyphen)
        return read_number(lex, column, record);

    const char *const end_of_text = lex->end;
    lex->end = hyphen;
    const bool is_read = read_number(lex, column, record);
    lex->end = end_of_text;
    TRY(is_read);
    lex->at++; // the hyphen
    return true;
}

// Stores the comparison of a condition that is written without an operator.
static void store_comparison(text_row record, const md5_column *comparison, md5_comparison value)
{
    const uint32_t number = (uint32_t)value;
    memcpy(record.row + comparison->offset, &number, sizeof number);
}

// Reads the subject of a condition and its comparison, in one of these forms:
//
//   NAME [COMPARISON]        a parameter; without a comparison, tests if it is set
//   not NAME                 a parameter that is not set
//   heard NAME               an event
//   state_time COMPARISON    the time of the state
//   time_left COMPARISON     the remaining time of its first clip
//
// `column` is the column of the name. The next column of the row is the comparison, and the column
// after it is the kind. The kind remains MD5_WHEN_PARAMETER for a parameter. `description`
// describes the name of a parameter in messages.
static bool read_comparison(md5_lex *lex, const md5_column *column, text_row record,
                            const char *description)
{
    const md5_column *const comparison = column + 1;
    const md5_column *const kind = column + 2;
    if (read_keyword(lex, "not")) {
        store_comparison(record, comparison, MD5_IS_CLEAR);
        return read_name(lex, record, description, column->offset);
    }

    store_comparison(record, comparison, MD5_IS_SET);
    const bool is_parameter = !read_choice(lex, record, kind);
    if (is_parameter) {
        TRY(read_name(lex, record, description, column->offset));
        read_choice(lex, record, comparison); // optional
        return true;
    }

    const md5_condition *const condition = (const md5_condition *)(void *)record.row;
    if (condition->kind == MD5_WHEN_EVENT)
        return read_name(lex, record, "an event name", column->offset);
    return read_choice(lex, record, comparison) || fail_choice(lex, comparison);
}

// Reads a name. Some columns of a head have a keyword for a missing name (column->usual); this
// keyword stores nothing.
static bool read_name_or_usual(md5_lex *lex, const md5_column *column, text_row record,
                               const char *description)
{
    const bool has_usual = column->position == MD5_POSITION_HEAD && column->usual;
    if (has_usual && read_keyword(lex, column->usual))
        return true;
    return read_name(lex, record, description, column->offset);
}

// Reads the keyword of a choice. Stores 0 if it is omitted.
static bool read_choice_or_zero(md5_lex *lex, const md5_column *column, text_row record)
{
    if (read_choice(lex, record, column))
        return true;
    memset(record.row + column->offset, 0, sizeof(uint32_t));
    return column->form == MD5_FORM_OPTIONAL || fail_choice(lex, column);
}

// Reads a value in the syntax of its column's kind: a name, a keyword or a number. read_plain()
// reads the columns whose form has another syntax. An optional number may be omitted, which keeps
// its default. `description` describes the value in the message for a missing name.
static bool read_by_kind(md5_lex *lex, const md5_column *column, text_row record,
                         const char *description)
{
    switch (column->kind) {
    case MD5_COLUMN_TEXT:
        return read_name_or_usual(lex, column, record, description);
    case MD5_COLUMN_MODEL:
        return read_name(lex, record, description, column->auxiliary);
    case MD5_COLUMN_CHOICE:
        return read_choice_or_zero(lex, column, record);
    default:
        if (column->form == MD5_FORM_OPTIONAL && !is_number_next(lex))
            return true;
        return read_number(lex, column, record);
    }
}

// Reads a value that is not a row, a driven value or an easing.
static bool read_plain(md5_lex *lex, const md5_column *column, text_row record)
{
    const char *const description =
        column->description ? column->description : md5_column_word(column);
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
        return read_by_kind(lex, column, record, description);
    case MD5_FORM_COMPARED:
        return read_comparison(lex, column, record, description);
    case MD5_FORM_OR_AT:
        return md5_span_is(md5i_lex_peek_word(lex), "at") || read_number(lex, column, record);
    default:
        return read_by_kind(lex, column, record, description);
    }
}

// Reads an easing and its parameters. If the next word is not an easing, reads nothing and stores a
// linear easing.
static bool read_easing(md5_lex *lex, size_t offset, text_row record)
{
    static const md5_schema *const schema = &md5i_easing_schema;
    const text_row easing = {record.row + offset, record.locations + offset / MD5_LOCATION_UNIT,
                             record.all_locations};
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

// Returns true if the next token is a name: a word that does not begin like a number, or a text in
// quotes.
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

// Reads the keyword of a driver: a source of a value other than a number and a parameter, such as
// the weight of a state. Returns its index in md5i_drivers, or MD5_NUM_DRIVERS if the next word is
// not such a keyword.
static uint32_t read_driver(md5_lex *lex)
{
    for (uint32_t i = 0; i < MD5_NUM_DRIVERS; i++) {
        if (md5i_drivers[i].word && read_keyword(lex, md5i_drivers[i].word))
            return i;
    }
    return MD5_NUM_DRIVERS;
}

// Clears all members of a driven value: the number and the names of its sources.
static void clear_driven(const md5_column *column, text_row record)
{
    const char *const none = NULL;
    memset(record.row + column->offset, 0, sizeof(float));
    memcpy(record.row + column->auxiliary, &none, sizeof none);
    if (column->easing > 0)
        memset(record.row + column->easing, 0, sizeof(md5_easing));
    if (column->state > 0)
        memset(record.row + column->state, 0, MD5_NUM_DRIVERS * sizeof none);
}

// Reads the names that identify a driver, after its keyword. A driver without a keyword in
// md5i_drivers is a further name of the driver before it: `state` has a layer and a state.
static bool read_driver_names(md5_lex *lex, const md5_column *column, text_row record,
                              uint32_t driver)
{
    do {
        TRY(read_name(lex, record, md5i_drivers[driver].description,
                      column->state + driver * sizeof(const char *)));
        driver++;
    } while (driver < MD5_NUM_DRIVERS && !md5i_drivers[driver].word);
    return true;
}

// Reads a driven value: a number, the name of a parameter with an easing, or another driver. If the
// file specifies the value of a column again, the later value replaces the earlier value.
static bool read_driven(md5_lex *lex, const md5_column *column, text_row record)
{
    clear_driven(column, record);
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

// Reads the value of a column into a row, in the syntax that the form of the column selects.
static bool read_value(md5_lex *lex, const md5_column *column, text_row record)
{
    if (column->form == MD5_FORM_DRIVEN)
        return read_driven(lex, column, record);
    if (column->kind == MD5_COLUMN_EASING)
        return read_easing(lex, column->offset, record);
    return read_plain(lex, column, record);
}

// -- Rows ---------------------------------------------------------------------------------------

// Appends a row to a table of `owner` and reads the values of its head. The kind of a row decides
// which columns are used. It may depend on a value that was just read, so it is computed for each
// column.
static bool read_list_row(md5_lex *lex, const md5_column *column, text_row owner, text_row *added)
{
    *added = append_row(lex, owner, column);
    TRY(added->row);
    for (uint32_t i = 0; i < column->rows->num_columns; i++) {
        const md5_column *const inner = &column->rows->columns[i];
        const uint32_t kind = md5_row_kind(column->rows, added->row, 0);
        if (inner->position == MD5_POSITION_HEAD && md5_is_column_used(inner, kind))
            TRY(read_plain(lex, inner, *added));
    }
    return true;
}

// Reads the conditions of a transition: CONDITION and CONDITION or CONDITION ... Each `or` begins
// an alternative.
static bool read_conditions(md5_lex *lex, const md5_column *column, text_row owner)
{
    bool is_after_or = false;
    bool has_next = true;
    while (has_next) {
        text_row added;
        TRY(read_list_row(lex, column, owner, &added));
        ((md5_condition *)(void *)added.row)->begins_alternative = is_after_or;
        is_after_or = md5i_lex_accept_keyword(lex, "or");
        has_next = is_after_or || md5i_lex_accept_keyword(lex, "and");
    }
    return true;
}

// Reads rows without braces: ( VALUES VALUES ... ), or conditions.
static bool read_list(md5_lex *lex, const md5_column *column, text_row owner)
{
    if (column->form != MD5_FORM_LIST)
        return read_conditions(lex, column, owner);
    TRY(md5i_lex_expect(lex, '('));
    while (!md5i_lex_accept(lex, ')')) {
        text_row added;
        TRY(read_list_row(lex, column, owner, &added));
    }
    return true;
}

// Returns the row that the keyword of `column` begins in the row `owner`. A column of the kind PART
// is a structure inside of `owner`; any other column gets a new row. The row is NULL if memory runs
// out.
static text_row find_or_append_row(md5_lex *lex, const md5_column *column, text_row owner)
{
    if (column->kind != MD5_COLUMN_PART)
        return append_row(lex, owner, column);
    return (text_row){owner.row + column->offset,
                      owner.locations + column->offset / MD5_LOCATION_UNIT, owner.all_locations};
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

// Opens the inner row of a block, if the schema has one. Some kinds of row contain an inner row
// without a keyword (MD5_FORM_ALWAYS), such as the gaze of a modifier. The keywords of the block
// then belong to the inner row, or to the row that contains it.
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
    *row = (open_block){
        .schema = always->rows,
        .record = inner,
        .above = schema,
        .above_kind = row->kind,
        .above_record = row->record,
    };
    return inner.row != NULL;
}

// Begins the row that a keyword in the block `owner` selects: adds the row, reads its head, and
// initializes *row for its block. Sets *has_block to true if a block in braces follows; its opening
// brace was read.
static bool begin_read_row(md5_lex *lex, const keyword_match *keyword, const open_block *owner,
                           open_block *row, bool *has_block)
{
    const md5_column *const column = keyword->column;
    const md5_schema *const schema = column->rows;
    const text_row record = find_or_append_row(lex, column, owner->record);
    TRY(record.row);
    *row = (open_block){
        .schema = schema,
        .record = record,
        .above = schema,
        .above_record = record,
    };
    if (column->choices) // the keyword selects the kind of the row
        memcpy(record.row + schema->kind, &keyword->value, sizeof keyword->value);
    TRY(read_head(lex, schema, owner->kind, row));
    TRY(open_inner_row(lex, schema, row));

    *has_block = schema->needs_braces;
    if (schema->needs_braces)
        return md5i_lex_expect(lex, '{');
    if (!schema->has_no_braces)
        *has_block = md5i_lex_accept(lex, '{');
    return true;
}

// Finds a keyword of a block or of the row above.
static keyword_match find_block_keyword(const open_block *block, md5_span token)
{
    const keyword_match inner = find_keyword(block->schema, token);
    if (inner.column)
        return inner;
    keyword_match above = find_keyword(block->above, token);
    above.index += inner.index; // after the indices of the block
    above.is_above = true;
    if (above.column && !md5_is_column_used(above.column, block->above_kind))
        above.column = NULL;
    return above;
}

// Fails because the token is not a keyword of the block.
static bool fail_keyword(md5_lex *lex, const open_block *block, md5_span token)
{
    if (md5_span_is(token, "shot"))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "keyword 'shot' was renamed: expected 'one_shot', found 'shot'");
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                         "expected a keyword of %s or '}', found %s", block->schema->description,
                         md5i_lex_token(lex, lex->at).text);
}

// Reads the next keyword of a block and finds its column, in the row of the block or in the row
// above. An unknown keyword is an error. A duplicate keyword with a value, or a keyword that this
// kind of row does not use, is a warning.
static bool match_keyword(md5_lex *lex, open_block *block, keyword_match *found)
{
    const char *const start = lex->at;
    const md5_span token = md5i_lex_peek_word(lex);
    *found = find_block_keyword(block, token);
    const md5_column *const column = found->column;
    if (!column)
        return fail_keyword(lex, block, token);
    lex->at += token.size;

    const uint64_t keyword_bit = (uint64_t)1 << found->index % 64;
    const bool is_duplicate = (block->seen & keyword_bit) != 0;
    const bool may_repeat = column->rows || column->kind == MD5_COLUMN_TEXTS;
    if (is_duplicate && !may_repeat)
        md5i_lex_warn(lex, start, "duplicate '%.*s': using the last", (int)token.size, token.bytes);
    block->seen |= keyword_bit;

    if (!found->is_above && !md5_is_column_used(column, block->kind))
        md5i_lex_warn(lex, start, "'%.*s' is ignored: it has no effect in %s of this kind",
                      (int)token.size, token.bytes, block->schema->description);
    return true;
}

// Appends a name to an array of texts. The first NULL ends the array.
static bool read_next_text(md5_lex *lex, const char *token, const md5_column *column,
                           text_row record)
{
    const void *const array = record.row + column->offset;
    const char *const *const texts = (const char *const *)array;
    const size_t capacity = column->auxiliary;
    size_t count = 0;
    while (count < capacity && texts[count])
        count++;
    if (count == capacity)
        return md5i_lex_fail(lex, token, MD5_ERROR_RANGE, "too many %s: expected at most %d",
                             column->member, (int)capacity);
    return read_name(lex, record, column->description, column->offset + count * sizeof *texts);
}

// Reads the value of a keyword into a row. The values of a choice and of a flag are their keywords,
// so nothing follows. `token` is the position of the keyword.
static bool read_first_value(md5_lex *lex, const char *token, const keyword_match *keyword,
                             text_row record)
{
    const md5_column *const column = keyword->column;
    char *const value = record.row + column->offset;
    switch (column->kind) {
    case MD5_COLUMN_CHOICE:
        store_location(lex, record, column->offset, token);
        memcpy(value, &keyword->value, sizeof keyword->value);
        return true;
    case MD5_COLUMN_FLAG:
        *(bool *)(void *)value = true;
        return true;
    default:
        return read_value(lex, column, record);
    }
}

// Reads the values of a keyword into the row of its block, or into the row above if the keyword is
// a column of that row. `token` is the position of the keyword, which was already read.
static bool read_keyword_values(md5_lex *lex, const char *token, const keyword_match *keyword,
                                const open_block *block)
{
    const md5_column *const column = keyword->column;
    const md5_schema *const schema = keyword->is_above ? block->above : block->schema;
    const text_row record = keyword->is_above ? block->above_record : block->record;
    if (column->kind == MD5_COLUMN_TEXTS)
        return read_next_text(lex, token, column, record);
    TRY(read_first_value(lex, token, keyword, record));

    // Read the values that follow the first value, such as the frame of a reference.
    const md5_column *const end = schema->columns + schema->num_columns;
    for (const md5_column *next = column + 1; next < end && next->position == MD5_POSITION_AFTER;
         next++) {
        if (md5_is_column_used(next, md5_row_kind(schema, record.row, 0)))
            TRY(read_value(lex, next, record));
    }
    return true;
}

// Returns true if a column with at most one row has its row already.
static bool has_single_row(const md5_column *column, text_row record)
{
    uint32_t count;
    return column->kind == MD5_COLUMN_ROW && md5i_column_rows(column, record.row, &count) != NULL;
}

// Reads the next entry of the block blocks[0]: a keyword with its values, or a keyword that begins
// a row. If that row has a block, sets *opens_block to true and initializes blocks[1].
static bool read_block_entry(md5_lex *lex, open_block *blocks, bool *opens_block)
{
    open_block *const block = &blocks[0];
    const char *const token = lex->at;
    keyword_match keyword;
    *opens_block = false;
    TRY(match_keyword(lex, block, &keyword) && keyword.column);

    const md5_column *const column = keyword.column;
    if (!column->rows)
        return read_keyword_values(lex, token, &keyword, block);
    if (column->form == MD5_FORM_LIST || column->form == MD5_FORM_CONDITIONS)
        return read_list(lex, column, block->record);
    if (has_single_row(column, block->record))
        return md5i_lex_fail(lex, token, MD5_ERROR_SYNTAX, "duplicate '%s': expected one",
                             md5_column_word(column));
    return begin_read_row(lex, &keyword, block, &blocks[1], opens_block);
}

// Reads the block of a machine and all blocks inside of it. The open blocks are a stack of fixed
// size, because the schema limits the depth of nested rows. Therefore hostile files cannot exhaust
// the call stack.
static bool read_blocks(md5_lex *lex, const md5_schema *schema, text_row record)
{
    open_block blocks[MD5_TABLE_DEPTH] = {
        {.schema = schema, .record = record, .above = schema, .above_record = record}};
    int top = 0;
    while (top >= 0) {
        if (md5i_lex_accept(lex, '}')) {
            top--;
            continue;
        }
        bool opens_block;
        TRY(read_block_entry(lex, &blocks[top], &opens_block));
        if (opens_block)
            top++;
    }
    return true;
}

// -- The file -----------------------------------------------------------------------------------

// Allocates the result of reading. It is stored as a table with one row, so that its values have
// locations, too. Sets *record to this row. Returns NULL if memory runs out.
static md5_machine_file *alloc_file(md5_arena *arena, text_row *record)
{
    md5_locations *const locations = MD5_ALLOC_ZEROED(arena, md5_locations, 1);
    if (!locations)
        return NULL;
    unsigned char *const row = add_table(arena, locations, 1, sizeof(md5_machine_file));
    if (!row)
        return NULL;
    const char *const name = arena->context->error.file;
    locations->file = md5_copy_text(arena, name, strlen(name));
    if (!locations->file)
        return NULL;

    md5_machine_file *const file = (md5_machine_file *)(void *)row;
    *file = (md5_machine_file){.desc = {.locations = locations}, .model_file = ""};
    *record = (text_row){
        .row = (char *)row,
        .locations = md5_locations_at(row, sizeof *file, 0),
        .all_locations = locations,
    };
    return file;
}

// Reads the text of a machine into the record of its file.
static bool read_machine_text(md5_lex *lex, const md5_schema *schema, text_row record)
{
    if (!md5i_lex_accept_keyword(lex, schema->head))
        return md5i_lex_fail_expected(lex, "expected '%s'", schema->head);
    TRY(read_plain(lex, &schema->columns[0], record)); // the name of the machine
    TRY(md5i_lex_expect(lex, '{') && read_blocks(lex, schema, record));

    md5i_lex_skip_space(lex);
    if (lex->arena->context->error.status != MD5_OK) // a comment is not terminated
        return false;
    if (lex->at < lex->end)
        md5i_lex_warn(lex, lex->at, "text after the machine is ignored: found %s",
                      md5i_lex_token(lex, lex->at).text);
    return true;
}

// Reads a file. md5_create_machine() resolves the names.
static md5_machine_file *read_file(md5_arena *arena, const md5_schema *schema, const char *text,
                                   size_t size)
{
    md5_lex lex;
    md5i_lex_begin(&lex, arena, text, size);
    text_row record;
    md5_machine_file *const file = alloc_file(arena, &record);
    if (!file || !read_machine_text(&lex, schema, record))
        return NULL;

    // The same pointers without `const`, so that the program may change these tables.
    memcpy(&file->clips, &file->desc.clips, sizeof file->clips);
    memcpy(&file->attached, &file->desc.attached, sizeof file->attached);
    return file;
}

// Reads a machine file with the columns of `schema`. The file owns the arena into which its tables
// were read; the tables are small and of many kinds, so copying them into one block is not worth
// it.
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

// Parses the text of a machine file in memory. A text that is NULL is read like an empty text,
// which fails with an error message.
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

// Reads a machine file into tables, without loading the models and clips that it names.
md5_machine_file *md5_load_machine_file(const char *path, const md5_load_opts *opts,
                                        md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);

    md5_context context;
    md5i_context_begin(&context, opts, path, error);
    md5_file_text text = {0};
    md5_machine_file *file = NULL;
    if (md5i_read_file_text(&context, path, &text))
        file = md5i_read_machine(&context, &md5i_machine_schema, text.bytes, text.size);
    md5i_free_file_text(&context, &text);
    return file;
}

// Frees the tables of a machine file. NULL has no effect.
void md5_free_machine_file(md5_machine_file *file)
{
    MD5_ASSERT_NULL_OR_ALIVE(file, MD5_TAG_MACHINE_FILE);
    if (file)
        md5i_free_memory(&file->internal);
}
