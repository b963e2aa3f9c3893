// Writes the tables of a machine (md5_machine_desc) as a machine file. machine_read.c reads the
// file as the same tables. A value that the file format cannot store is an error, so that no value
// is lost silently.
//
// A table is an array of structures. Each structure is a row, and each member is a column: see
// schema.h. A row is written as
//
//   KEYWORD HEAD { BLOCK }
//
// The head contains values in a fixed order, and the block contains keywords with values. Rows can
// contain tables, so blocks are nested. The braces are only written if the block is not empty. An
// iterator visits the columns of all rows, and the writer appends the text of each column.
#include "md5/play/schema.h"
#include "md5/core/number.h"

// An output text, and the state of the blocks that are open. The writer counts all bytes, but
// stores only those that fit into the text. Rows are nested in levels: the machine is level 0, the
// rows of its tables are level 1, and so on.
typedef struct writer {
    md5_context *context;
    char *text;                       // [size]
    size_t size;                      // bytes
    size_t used;                      // bytes that were written or counted
    bool has_braces[MD5_TABLE_DEPTH]; // for each level: the `{` of the block was written
    bool has_lines[MD5_TABLE_DEPTH];  // for each level: the block has several lines
} writer;

// -- Bytes --------------------------------------------------------------------------------------

// Appends bytes to the text, as many as fit. Counts all of them, so that the size of the full text
// is known.
static void write_text(writer *out, const char *bytes)
{
    for (; *bytes; bytes++, out->used++) {
        if (out->used < out->size)
            out->text[out->used] = *bytes;
    }
}

// Writes a token with a blank before it.
static void write_token(writer *out, const char *token)
{
    write_text(out, " ");
    write_text(out, token);
}

// Begins a line, indented by `depth` levels.
static void begin_line(writer *out, int depth)
{
    write_text(out, "\n");
    for (int i = 0; i < depth; i++)
        write_text(out, "    ");
}

static bool fail_write(writer *out, const md5_table_iterator *iterator, const char *format, ...)
    MD5_PRINTF(3, 4);
// Reports that the value of the iterator's column cannot be written to a machine file, and returns
// false. The message consists of the kind and the name of the row, the name of the column, and the
// problem, which `format` describes.
static bool fail_write(writer *out, const md5_table_iterator *iterator, const char *format, ...)
{
    char problem[160];
    MD5_PRINT(problem, format);
    const md5_row_title title = md5i_row_title_at(iterator);
    const md5_column *const column = iterator->column;
    return MD5_FAIL(out->context, MD5_ERROR_MISMATCH, "%s %s: %s %s", title.kind,
                    MD5_QUOTED(title.name), column ? column->member : "", problem);
}

// Reports that the iterator's column has a value, although this kind of row does not use it.
// Returns false.
static bool fail_unused(writer *out, const md5_table_iterator *iterator)
{
    return fail_write(out, iterator, "is not used by %s of this kind: expected no value",
                      iterator->level->schema->description);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns true if a name can be written without quotes. It must consist of letters, underscores,
// digits and dots, and begin with a letter or an underscore. It must not be a keyword that the
// grammar permits where a name can stand, or after a name.
static bool is_valid_name(const char *name)
{
    static const char *const reserved[] = {"any",   "nothing",    "not",       "and",  "or",
                                           "frame", "state_time", "time_left", "heard"};
    for (uint32_t i = 0; i < MD5_COUNT(reserved); i++) {
        if (strcmp(name, reserved[i]) == 0)
            return false;
    }

    if (!is_letter(name[0]))
        return false;
    for (const char *byte = name + 1; *byte; byte++) {
        if (!is_letter(*byte) && !is_digit(*byte) && *byte != '.')
            return false;
    }
    return true;
}

// Writes a text in double quotes, or in single quotes if it contains double quotes. Fails if it
// contains both, or a line break.
static bool write_quoted(writer *out, const md5_table_iterator *iterator, const char *text)
{
    if (strchr(text, '\r') || strchr(text, '\n'))
        return fail_write(out, iterator, "contains a line break: expected a text on one line");
    const bool has_double = strchr(text, '"') != NULL;
    const bool has_single = strchr(text, '\'') != NULL;
    if (has_double && has_single)
        return fail_write(out, iterator,
                          "contains both kinds of quotes: expected at most one kind");

    const char *const quote = has_double ? "'" : "\"";
    write_token(out, quote);
    write_text(out, text);
    write_text(out, quote);
    return true;
}

// Writes a name. Writes it in quotes if the reader would not read it as a name without them.
// Returns false if it cannot be written.
static bool write_name(writer *out, const md5_table_iterator *iterator, const char *name)
{
    if (!name || !is_valid_name(name))
        return write_quoted(out, iterator, name ? name : "");
    write_token(out, name);
    return true;
}

enum { NUMBER_SIZE = 40 }; // bytes of the longest text of a number

// Prints a number with `digits` significant digits and a decimal point. snprintf() prints the
// decimal separator of the locale instead, which can consist of several bytes. Such bytes cannot be
// part of a number, so each sequence of them is replaced by one point.
static void print_number(double number, int digits, char text[NUMBER_SIZE])
{
    char printed[NUMBER_SIZE];
    snprintf(printed, sizeof printed, "%.*g", digits, number);
    size_t length = 0;
    for (const char *byte = printed; *byte; byte++) {
        const bool is_number_char = is_digit(*byte) || strchr("+-e", *byte);
        const bool is_in_separator = !is_number_char && length > 0 && text[length - 1] == '.';
        if (!is_in_separator)
            text[length++] = is_number_char ? *byte : '.';
    }
    text[length] = '\0';
}

// Returns true if the reader converts the text to exactly `number`. If `is_float`, the reader
// converts it to a float, otherwise to a double.
static bool is_read_as(const char *text, double number, bool is_float)
{
    const char *const end = text + strlen(text);
    float float_value = 0;
    double double_value = 0;
    if (is_float) {
        md5i_scan_float(text, end, &float_value);
        return (double)float_value == number;
    }
    md5i_scan_double(text, end, &double_value);
    return double_value == number;
}

// Writes the shortest decimal number that the reader converts to the same float or double.
static void write_number(writer *out, double number, bool is_float)
{
    // The C standard calls these numbers FLT_DIG, FLT_DECIMAL_DIG, DBL_DIG and DBL_DECIMAL_DIG. A
    // decimal number with the minimum of digits survives a conversion to binary and back, so fewer
    // digits are never needed. The maximum is sufficient for all binary numbers.
    enum {
        MIN_FLOAT_DIGITS = 6,
        MAX_FLOAT_DIGITS = 9,
        MIN_DOUBLE_DIGITS = 15,
        MAX_DOUBLE_DIGITS = 17
    };
    const int min_digits = is_float ? MIN_FLOAT_DIGITS : MIN_DOUBLE_DIGITS;
    const int max_digits = is_float ? MAX_FLOAT_DIGITS : MAX_DOUBLE_DIGITS;
    if (number == 0) { // also -0, which is written without its sign
        write_token(out, "0");
        return;
    }

    char text[NUMBER_SIZE];
    bool is_exact = false;
    for (int digits = min_digits; digits <= max_digits && !is_exact; digits++) {
        print_number(number, digits, text);
        is_exact = is_read_as(text, number, is_float);
    }
    write_token(out, text);
}

// -- Values -------------------------------------------------------------------------------------

// Returns the keyword of a value of an enumeration, or NULL if the value does not have a keyword.
static const char *choice_keyword(const md5_column *column, uint32_t value)
{
    const char *keyword;
    uint32_t choice;
    for (uint32_t i = 0; (keyword = md5i_choice_word(column, i, &choice)) != NULL; i++) {
        if (choice == value)
            return keyword;
    }
    return NULL;
}

// Writes the keyword of an enumeration's value. Writes nothing for a default value without a
// keyword.
static void write_choice(writer *out, const md5_column *column, const char *row)
{
    const char *const keyword = choice_keyword(column, (uint32_t)md5i_column_number(column, row));
    if (keyword)
        write_token(out, keyword);
}

// Writes the keyword of an easing and its parameters.
static void write_easing(writer *out, const md5_easing *easing)
{
    const md5_schema *const schema = &md5i_easing_schema;
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        const char *const row = (const char *)(const void *)easing;
        if (!md5_is_column_used(column, (uint32_t)easing->kind))
            continue;
        if (column->kind == MD5_COLUMN_CHOICE)
            write_choice(out, column, row);
        else
            write_number(out, md5i_column_number(column, row), column->kind == MD5_COLUMN_FLOAT);
    }
}

// Writes a condition, for example `speed > 2`: a parameter, an event or a time, and a comparison.
// Three adjacent columns contain it. `column` is the first of them and contains the name, which a
// time does not have. The second one is the comparison. The third one is the kind of the condition,
// for which a parameter has no keyword.
static bool write_condition(writer *out, const md5_table_iterator *iterator,
                            const md5_column *column, const char *row, const char *name)
{
    const md5_column *const comparison = column + 1;
    const md5_column *const kind = column + 2;
    const bool is_negated = md5i_column_number(comparison, row) == (double)MD5_IS_CLEAR;
    const bool is_parameter = md5i_column_number(kind, row) == (double)MD5_WHEN_PARAMETER;
    if (is_negated)
        write_text(out, " not");
    write_choice(out, kind, row);
    if (name || is_parameter)
        TRY(write_name(out, iterator, name));
    write_choice(out, comparison, row);
    return true;
}

static bool is_bracket(char c)
{
    return c == '(' || c == ')' || c == '{' || c == '}';
}

static bool is_comment_start(const char *text)
{
    return text[0] == '/' && (text[1] == '/' || text[1] == '*');
}

// Returns the position of the first bracket or comment outside of quotes, or NULL. In a machine
// file, either of them would end the list of joints.
static const char *find_bracket_or_comment(const char *text)
{
    char quote = '\0'; // the quote that ends the current quoted text, or 0
    for (const char *byte = text; *byte; byte++) {
        if (quote != '\0') {
            if (*byte == quote)
                quote = '\0';
        } else if (*byte == '"' || *byte == '\'') {
            quote = *byte;
        } else if (is_bracket(*byte) || is_comment_start(byte)) {
            return byte;
        }
    }
    return NULL;
}

// Writes a list of joints in parentheses. Fails if a bracket or comment would end the list.
static bool write_joints(writer *out, const md5_table_iterator *iterator, const char *joints)
{
    const char *const found = find_bracket_or_comment(joints);
    if (found && is_bracket(*found))
        return fail_write(out, iterator,
                          "contains a bracket outside quotes: expected joint names, found '%c'",
                          *found);
    if (found)
        return fail_write(out, iterator,
                          "contains a comment outside quotes: expected joint names, found '%.2s'",
                          found);
    write_text(out, " (");
    write_text(out, joints);
    write_text(out, ")");
    return true;
}

// Writes the text of a column in the syntax of the column: a condition, a list of joints, a quoted
// line, or a name. If a name in a head is missing, writes the keyword column->usual in its place.
static bool write_text_value(writer *out, const md5_table_iterator *iterator,
                             const md5_column *column, const char *row)
{
    const char *const text = *(const char *const *)(const void *)(row + column->offset);
    const bool is_empty = !text || text[0] == '\0';
    switch (column->form) {
    case MD5_FORM_COMPARED:
        return write_condition(out, iterator, column, row, text);
    case MD5_FORM_JOINTS:
        return write_joints(out, iterator, text ? text : "");
    case MD5_FORM_LINE:
        if (is_empty)
            return true;
        return write_quoted(out, iterator, text);
    default:
        if (text || column->position != MD5_POSITION_HEAD || !column->usual)
            return write_name(out, iterator, text);
        write_token(out, column->usual);
        return true;
    }
}

// Writes the number of a column. Fails if it is not finite.
static bool write_number_value(writer *out, const md5_table_iterator *iterator,
                               const md5_column *column, const char *row)
{
    const bool is_float = column->kind == MD5_COLUMN_FLOAT;
    const double max_number = is_float ? 3.4e38f : 3.4e38;
    const double number = md5i_column_number(column, row);
    if (!(fabs(number) <= max_number))
        return fail_write(out, iterator, "is out of range: expected -3.4e38 to 3.4e38, found %g",
                          number);
    const bool is_explicit_zero = column->keeps_zero && number == (double)MD5_EXPLICIT_ZERO;
    write_number(out, is_explicit_zero ? 0 : number, is_float);
    return true;
}

// Writes a vector as ( x y z ).
static void write_direction(writer *out, const float components[3])
{
    write_text(out, " (");
    for (uint32_t i = 0; i < 3; i++)
        write_number(out, components[i], true);
    write_text(out, " )");
}

// Writes a value after its keyword or in a head.
static bool write_value(writer *out, const md5_table_iterator *iterator, const md5_column *column,
                        const char *row)
{
    if (column->form == MD5_FORM_AFTER)
        write_token(out, md5_column_word(column));
    switch (column->kind) {
    case MD5_COLUMN_TEXT:
        return write_text_value(out, iterator, column, row);
    case MD5_COLUMN_FLOAT:
    case MD5_COLUMN_DOUBLE:
    case MD5_COLUMN_COUNT:
    case MD5_COLUMN_INT:
        return write_number_value(out, iterator, column, row);
    case MD5_COLUMN_DIRECTION:
        write_direction(out, (const float *)(const void *)(row + column->offset));
        return true;
    case MD5_COLUMN_EASING:
        write_easing(out, md5_row_easing(row, column->offset));
        return true;
    default: // MD5_COLUMN_CHOICE
        write_choice(out, column, row);
        return true;
    }
}

// Returns true if an easing other than linear follows the number of a column on the same line. The
// number must then be written even if it is 0.
static bool has_easing_after(const md5_column *column, const char *row)
{
    if (column->kind != MD5_COLUMN_FLOAT || column[1].kind != MD5_COLUMN_EASING)
        return false;
    return column[1].position == MD5_POSITION_AFTER && md5i_column_number(column + 1, row) != 0;
}

// Returns true if a byte of a row is not 0. If all bytes are 0, the row has only default values,
// and it is not written.
static bool has_nonzero_byte(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0)
            return true;
    }
    return false;
}

// Returns true if a number must be written: it differs from the value that the reader would use
// without it, or an easing follows it.
static bool is_number_set(const md5_column *column, const char *row)
{
    const double number = md5i_column_number(column, row);
    return (number != 0 && number != column->start) || has_easing_after(column, row);
}

// Returns true if a column has a value that must be written, because the reader would otherwise use
// another value.
static bool is_set(const md5_column *column, const char *row)
{
    const char *const value = row + column->offset;
    const float *const floats = (const float *)(const void *)value;
    uint32_t count;
    switch (column->kind) {
    case MD5_COLUMN_TEXT:
    case MD5_COLUMN_TEXTS:
    case MD5_COLUMN_ROW:
        return *(const void *const *)(const void *)value != NULL;
    case MD5_COLUMN_DIRECTION:
        return floats[0] != 0 || floats[1] != 0 || floats[2] != 0;
    case MD5_COLUMN_TABLE:
        return md5i_column_rows(column, row, &count) && count > 0;
    case MD5_COLUMN_PART:
        return column->rows && has_nonzero_byte(value, column->rows->size);
    default:
        return is_number_set(column, row);
    }
}

// Returns true if nothing is written for a column of a head: it has no value, and no keyword must
// stand in its place.
static bool is_omitted(const md5_column *column, const char *row)
{
    if (is_set(column, row))
        return false;
    if (column->form == MD5_FORM_OR_AT)
        return is_set(column + 1, row);
    return column->form == MD5_FORM_OPTIONAL || column->form == MD5_FORM_AFTER;
}

// -- Rows ---------------------------------------------------------------------------------------

// Writes a row of a list, which consists of the values of its head. Fails if the row has a value
// that its kind does not use.
static bool write_list_row(writer *out, const md5_table_iterator *iterator,
                           const md5_schema *schema, const char *row)
{
    const uint32_t kind = md5_row_kind(schema, row, 0);
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        const bool is_used = md5_is_column_used(column, kind);
        if (!is_used && is_set(column, row))
            return fail_write(out, iterator,
                              "has an entry that sets %s, which entries of its kind do not use: "
                              "expected no value",
                              column->member);
        if (is_used && column->position == MD5_POSITION_HEAD && !is_omitted(column, row))
            TRY(write_value(out, iterator, column, row));
    }
    return true;
}

// Writes the rows of a table as a list in parentheses.
static bool write_row_list(writer *out, const md5_table_iterator *iterator,
                           const md5_schema *schema, const char *rows, uint32_t count)
{
    write_text(out, " (");
    for (uint32_t i = 0; i < count; i++)
        TRY(write_list_row(out, iterator, schema, rows + i * schema->size));
    write_text(out, " )");
    return true;
}

// Writes the conditions of a transition. Conditions of the same alternative have `and` between
// them; `or` begins the next alternative.
static bool write_conditions(writer *out, const md5_table_iterator *iterator,
                             const md5_schema *schema, const char *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *const row = rows + i * schema->size;
        const bool begins_alternative =
            ((const md5_condition *)(const void *)row)->begins_alternative;
        if (begins_alternative && i == 0) // nothing precedes the `or`
            return fail_write(out, iterator,
                              "has the value begins_alternative in its first entry: expected it "
                              "only in later entries");
        if (i > 0)
            write_text(out, begins_alternative ? " or" : " and");
        TRY(write_list_row(out, iterator, schema, row));
    }
    return true;
}

// Writes the rows of a table on the line of the row that owns them: as a list, or as conditions.
static bool write_list(writer *out, const md5_table_iterator *iterator, const md5_column *column,
                       const char *owner)
{
    uint32_t count;
    const char *const rows = md5i_column_rows(column, owner, &count);
    if (column->form == MD5_FORM_LIST)
        return write_row_list(out, iterator, column->rows, rows, count);
    return write_conditions(out, iterator, column->rows, rows, count);
}

// Returns the text of the member at an offset in a row. Returns NULL if the offset is 0, which
// means that the row has no such member.
static const char *text_at(const char *row, size_t offset)
{
    return offset > 0 ? *(const char *const *)(const void *)(row + offset) : NULL;
}

// Returns the index in md5i_drivers of the driver that determines a value, or MD5_NUM_DRIVERS if
// there is none. A driver determines a value during playback, for example by the weight of a state.
// Alternatively, a number or a parameter determines the value.
static uint32_t find_driver(const md5_column *column, const char *row)
{
    if (column->state == 0)
        return MD5_NUM_DRIVERS;
    for (uint32_t i = 0; i < MD5_NUM_DRIVERS; i++) {
        if (md5i_drivers[i].word && text_at(row, column->state + i * sizeof row))
            return i;
    }
    return MD5_NUM_DRIVERS;
}

// Returns true if the reader would read a parameter's name as the keyword of a driver.
static bool is_driver_keyword(const md5_column *column, const char *name)
{
    if (column->state == 0)
        return false;
    for (uint32_t i = 0; i < MD5_NUM_DRIVERS; i++) {
        if (md5i_drivers[i].word && strcmp(name, md5i_drivers[i].word) == 0)
            return true;
    }
    return false;
}

// Returns true if a driven value has an easing other than linear.
static bool is_driven_eased(const md5_column *column, const char *row)
{
    return column->easing > 0 && md5_row_easing(row, column->easing)->kind != MD5_EASE_LINEAR;
}

// Writes the keyword of a driver and the names that identify it, for example `state` with the names
// of a layer and a state. Each further name has its own element of md5i_drivers, which has no
// keyword.
static bool write_driver(writer *out, const md5_table_iterator *iterator, uint32_t driver)
{
    const char *const row = iterator->level->row;
    const size_t first_name = iterator->column->state; // offset of the name of driver 0
    write_token(out, md5i_drivers[driver].word);
    do {
        TRY(write_name(out, iterator, text_at(row, first_name + driver * sizeof row)));
        driver++;
    } while (driver < MD5_NUM_DRIVERS && !md5i_drivers[driver].word);
    return true;
}

// Writes the parameter of a driven value and its easing. The name is quoted if it would be read as
// the keyword of a driver.
static bool write_parameter(writer *out, const md5_table_iterator *iterator, const char *name)
{
    const md5_column *const column = iterator->column;
    const char *const row = iterator->level->row;
    if (is_driver_keyword(column, name))
        TRY(write_quoted(out, iterator, name));
    else
        TRY(write_name(out, iterator, name));
    if (is_driven_eased(column, row))
        write_easing(out, md5_row_easing(row, column->easing));
    return true;
}

// Fails if a driven value cannot be written. Only one of its sources may be set: a number, a
// parameter or a driver. It may have an easing only if it has a parameter, because the reader would
// reject the easing otherwise.
static bool check_driven(writer *out, const md5_table_iterator *iterator, bool has_parameter,
                         uint32_t driver)
{
    const md5_column *const column = iterator->column;
    const char *const row = iterator->level->row;
    const bool has_driver = driver < MD5_NUM_DRIVERS;
    const bool has_number = md5i_column_number(column, row) != 0;

    if (!has_parameter && is_driven_eased(column, row))
        return fail_write(out, iterator, "has an easing but no parameter: expected no easing");
    if (has_number && (has_parameter || has_driver))
        return fail_write(out, iterator, "is set to a number and a %s: expected one of them",
                          has_parameter ? "parameter" : md5i_drivers[driver].word);
    if (has_parameter && has_driver)
        return fail_write(out, iterator, "is set to a parameter and a %s: expected one of them",
                          md5i_drivers[driver].word);
    return true;
}

// Writes a driven value: a number, the name of a parameter with an easing, or a driver.
static bool write_driven(writer *out, const md5_table_iterator *iterator)
{
    const md5_column *const column = iterator->column;
    const char *const row = iterator->level->row;
    const char *const parameter = text_at(row, column->auxiliary);
    const uint32_t driver = find_driver(column, row);
    TRY(check_driven(out, iterator, parameter != NULL, driver));

    if (parameter)
        return write_parameter(out, iterator, parameter);
    if (driver < MD5_NUM_DRIVERS)
        return write_driver(out, iterator, driver);
    return write_value(out, iterator, column, row);
}

// Returns the column of the outer row whose table contains the iterator's row. Returns NULL for the
// machine, which is not in a table.
static const md5_column *column_above(const md5_table_iterator *iterator)
{
    const md5_table_level *const above = iterator->level - 1;
    return iterator->top > 0 ? &above->schema->columns[above->next - 1] : NULL;
}

// Writes the keyword that begins the iterator's row. This is the keyword of the table that contains
// the row, or the keyword of the row's kind if the table has rows of several kinds.
static void write_keyword(writer *out, const md5_table_iterator *iterator)
{
    const md5_column *const above = column_above(iterator);
    if (!above)
        write_text(out, iterator->level->schema->head);
    else if (above->choices)
        write_text(out, choice_keyword(above, iterator->level->kind));
    else
        write_text(out, md5_column_word(above));
}

// Writes the value of the current column, which is in the head of its row.
static bool write_head_value(writer *out, const md5_table_iterator *iterator)
{
    const md5_column *const column = iterator->column;
    const char *const row = iterator->level->row;
    if (!md5_is_column_used(column, iterator->level->kind)) {
        if (is_set(column, row))
            return fail_unused(out, iterator);
        return true;
    }
    if (is_omitted(column, row))
        return true;
    const bool is_table = column->rows && column->kind != MD5_COLUMN_EASING;
    if (is_table)
        return write_list(out, iterator, column, row);
    return write_value(out, iterator, column, row);
}

// Writes the keyword of a row and its head.
static bool write_head(writer *out, const md5_table_iterator *iterator)
{
    write_keyword(out, iterator);

    // Iterate over the columns with a copy of the iterator, so that it remains at the first column
    // of the row. Messages name the column of the copy.
    md5_table_iterator head = *iterator;
    const md5_schema *const schema = iterator->level->schema;
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        head.column = &schema->columns[i];
        if (head.column->position == MD5_POSITION_HEAD)
            TRY(write_head_value(out, &head));
    }
    return true;
}

// Writes the `{` of the block at a level, unless it was written before. This function is called
// before each entry of the block, so that an empty block has no braces.
static void open_braces(writer *out, int level)
{
    if (!out->has_braces[level])
        write_text(out, " {");
    out->has_braces[level] = true;
}

// Fails if the iterator's column has a value that a machine file cannot store, for one of these
// reasons:
//
// - The kind of the row does not use the value.
// - The column does not have a keyword.
// - The value must follow another value, which is not set.
static bool check_can_store(writer *out, const md5_table_iterator *iterator)
{
    const md5_column *const column = iterator->column;
    const char *const row = iterator->level->row;
    if (!is_set(column, row) || column->hash == MD5_HASH_USED)
        return true;

    if (column->form == MD5_FORM_ALWAYS) {
        if (!md5_is_column_used(column, iterator->level->kind))
            return fail_unused(out, iterator);
        return true;
    }
    if (column->position == MD5_POSITION_NONE && column->kind == MD5_COLUMN_COUNT)
        return fail_write(out, iterator,
                          "cannot be stored in a machine file: expected 0, found %.0f",
                          md5i_column_number(column, row));
    if (column->position == MD5_POSITION_AFTER) {
        const md5_column *first_on_line = column;
        while (first_on_line->position == MD5_POSITION_AFTER)
            first_on_line--;
        if (!is_set(first_on_line, row))
            return fail_write(out, iterator, "has no effect without %s: expected no value",
                              first_on_line->member);
    }
    return true;
}

// Writes an array of texts: each text after its own keyword.
static bool write_texts(writer *out, const md5_table_iterator *iterator)
{
    const md5_column *const column = iterator->column;
    const void *const array = iterator->level->row + column->offset;
    const char *const *const texts = (const char *const *)array;
    const size_t capacity = column->auxiliary;
    for (size_t i = 0; i < capacity && texts[i]; i++) {
        write_token(out, md5_column_word(column));
        TRY(write_name(out, iterator, texts[i]));
    }
    return true;
}

// Writes the keyword and the value of the iterator's column. An enumeration has only the keyword of
// its value.
static bool write_block_value(writer *out, const md5_table_iterator *iterator)
{
    const md5_column *const column = iterator->column;
    const char *const row = iterator->level->row;
    if (column->kind == MD5_COLUMN_TEXTS)
        return write_texts(out, iterator);
    if (column->kind != MD5_COLUMN_CHOICE)
        write_token(out, md5_column_word(column));
    if (column->form == MD5_FORM_DRIVEN)
        return write_driven(out, iterator);
    if (column->rows)
        return write_list(out, iterator, column, row);
    if (column->kind == MD5_COLUMN_FLAG)
        return true; // its keyword is its value
    return write_value(out, iterator, column, row);
}

// Writes the iterator's column in a block, and the columns whose values follow on the same line.
static bool write_keyword_value(writer *out, const md5_table_iterator *iterator)
{
    const md5_column *const column = iterator->column;
    const char *const row = iterator->level->row;
    const md5_schema *const schema = iterator->level->schema;
    TRY(write_block_value(out, iterator));
    const md5_column *const end = schema->columns + schema->num_columns;
    for (const md5_column *next = column + 1; next < end && next->position == MD5_POSITION_AFTER;
         next++) {
        if (md5_is_column_used(next, iterator->level->kind) && !is_omitted(next, row))
            TRY(write_value(out, iterator, next, row));
    }
    return true;
}

// Returns true if a driven value has a parameter, another driver, or an easing. An easing without a
// parameter is an error that check_driven() reports, also if the number of the value is 0.
static bool is_driven_set(const md5_column *column, const char *row)
{
    if (column->form != MD5_FORM_DRIVEN)
        return false;
    if (text_at(row, column->auxiliary) || is_driven_eased(column, row))
        return true;
    return find_driver(column, row) < MD5_NUM_DRIVERS;
}

// Writes the line with the file of the machine's model, in the block of the row at a level.
static bool write_model_line(writer *out, const md5_table_iterator *iterator,
                             const char *model_file, int level)
{
    open_braces(out, level);
    out->has_lines[level] = true;
    begin_line(out, level + 1);
    write_text(out, md5_column_word(iterator->column));
    return write_name(out, iterator, model_file);
}

// Writes the iterator's column into the block at `level`. A value is written with its keyword. A
// table that is written as a list is also written here. The rows of other tables have their own
// lines. They are written later, when the iterator visits them.
static bool write_column(writer *out, md5_table_iterator *iterator, const char *model_file,
                         int level)
{
    const md5_column *const column = iterator->column;
    const char *const row = iterator->level->row;
    const bool is_in_block = column->position == MD5_POSITION_BLOCK;
    TRY(check_can_store(out, iterator));

    if (column->kind == MD5_COLUMN_MODEL && is_in_block && model_file[0] != '\0')
        return write_model_line(out, iterator, model_file, level);
    if (column->form == MD5_FORM_ALWAYS)
        return true; // the iterator visits the inner row, whose values are in the same block

    const bool is_list = column->form == MD5_FORM_LIST || column->form == MD5_FORM_CONDITIONS;
    const bool has_row_lines = column->rows && !is_list && is_in_block;
    if (has_row_lines && is_set(column, row)) {
        open_braces(out, level);
        out->has_lines[level] = true;
        return true; // the iterator visits the rows
    }

    const bool has_value = is_driven_set(column, row) || is_set(column, row);
    if (is_in_block && !has_row_lines && has_value) {
        open_braces(out, level);
        TRY(write_keyword_value(out, iterator));
    }
    iterator->column = NULL; // the iterator does not visit the rows of the column, if any
    return true;
}

// Begins the iterator's row on a new line: writes its keyword and head, and the opening brace if
// the grammar requires it.
static bool begin_written_row(writer *out, const md5_table_iterator *iterator)
{
    const int level = iterator->top;
    out->has_braces[level] = false;
    out->has_lines[level] = false;
    if (level > 0)
        begin_line(out, level);
    TRY(write_head(out, iterator));
    if (iterator->level->schema->needs_braces)
        open_braces(out, level);
    return true;
}

// Ends the row at a level: closes its block, if it has one.
static void end_row(writer *out, int level)
{
    if (!out->has_braces[level])
        return;
    if (out->has_lines[level])
        begin_line(out, level);
    write_text(out, out->has_lines[level] ? "}" : " }");
}

// Writes a machine. The iterator visits the columns of each row and, after a column with rows, the
// columns of these rows. At the end of each row its column is NULL.
static bool write_machine(writer *out, const md5_schema *schema, const md5_machine_desc *desc,
                          const char *model_file)
{
    md5_table_iterator iterator = md5i_begin_columns(schema, desc, NULL);
    while (md5i_next_column(&iterator)) {
        // An inner row (MD5_FORM_ALWAYS) is written without keyword and braces. Its values are in
        // the block of the outer row.
        const md5_column *const above = column_above(&iterator);
        const bool is_inner_row = above && above->form == MD5_FORM_ALWAYS;
        const int level = iterator.top;
        const int block_level = is_inner_row ? level - 1 : level;

        // The iterator has already advanced: `next` is the index of the column after its current
        // column.
        const bool is_row_begin = iterator.level->next == 1;
        const bool is_row_end = iterator.level->next > iterator.level->schema->num_columns;
        if (iterator.column && is_row_begin && !is_inner_row)
            TRY(begin_written_row(out, &iterator));
        if (iterator.column)
            TRY(write_column(out, &iterator, model_file, block_level));
        else if (is_row_end && !is_inner_row)
            end_row(out, level);
    }
    write_text(out, "\n");
    return true;
}

// Writes the tables of a machine as the text of a machine file, with a NUL at its end, to
// text[size]. Returns the length of the complete text, which may be larger than `size`, or 0 after
// an error.
size_t md5i_write_machine(md5_context *context, const md5_schema *schema,
                          const md5_machine_desc *desc, const char *model_file, char *text,
                          size_t size)
{
    writer out = {.context = context, .text = text, .size = size};
    if (!write_machine(&out, schema, desc, model_file ? model_file : ""))
        out.used = 0;
    if (size > 0)
        text[out.used < size ? out.used : size - 1] = '\0';
    return out.used;
}

// Writes the tables of a machine as the text of a machine file. Returns its length without the NUL;
// with a size of 0, only measures it.
size_t md5_write_machine(const md5_machine_desc *desc, const char *model_file, char *text,
                         size_t size, md5_error *error)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT(text || size == 0, "text: must not be NULL");
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    return md5i_write_machine(&context, &md5i_machine_schema, desc, model_file, text, size);
}
