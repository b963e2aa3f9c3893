// Writes a machine's tables as a machine file, which machine_read.c reads as the same tables.
// Values that the file format cannot store are errors, so that no value is lost silently.
//
// The pass over the columns of schema.c writes a row's keyword and head first, then the keywords of
// its block. Braces are opened when the first of these is written.
#include "md5/play/schema.h"
#include "md5/core/number.h"

// An output text. Bytes above its size are only counted.
typedef struct writer {
    md5_context *context;
    char *text;                       // [size]
    size_t size;                      // bytes
    size_t used;                      // bytes that were written or counted
    bool has_braces[MD5_TABLE_DEPTH]; // the block of the row at this level was opened
    bool has_lines[MD5_TABLE_DEPTH];  // the block has several lines
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

// Fails with a message about the current column: its name is the subject of the message.
static bool fail_write(writer *out, const md5_table_iterator *iterator, const char *format, ...)
    MD5_PRINTF(3, 4);
// Reports that a value of the tables cannot be written to a machine file, with the kind and name of
// its row and its member. Returns false.
static bool fail_write(writer *out, const md5_table_iterator *iterator, const char *format, ...)
{
    char problem[160];
    MD5_PRINT(problem, format);
    const md5_row_title title = md5i_row_title_at(iterator);
    const md5_column *const column = iterator->column;
    return MD5_FAIL(out->context, MD5_ERROR_MISMATCH, "%s %s: %s %s", title.kind,
                    MD5_QUOTED(title.name), column ? column->member : "", problem);
}

// Fails because a row of this kind does not use a value.
static bool fail_unused(writer *out, const md5_table_iterator *iterator)
{
    return fail_write(out, iterator, "is not used by %s of this kind: expected no value",
                      iterator->level->schema->what);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns true if a name does not need quotes.
static bool is_valid_name(const char *name)
{
    static const char *const reserved[] = {"any",   "nothing",    "not",       "and",  "or",
                                           "frame", "state_time", "time_left", "heard"};
    for (uint32_t i = 0; i < MD5_COUNT(reserved); i++) {
        if (strcmp(name, reserved[i]) == 0)
            return false;
    }
    for (const char *byte = name; *byte; byte++) {
        const bool is_valid_later = is_digit(*byte) || *byte == '.';
        const bool is_valid = is_letter(*byte) || (byte > name && is_valid_later);
        if (!is_valid)
            return false;
    }
    return name[0] != '\0';
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

// Writes a name, in quotes if it could be read as something else. Returns false if it cannot be
// written.
static bool write_name(writer *out, const md5_table_iterator *iterator, const char *name)
{
    if (!name || !is_valid_name(name))
        return write_quoted(out, iterator, name ? name : "");
    write_token(out, name);
    return true;
}

enum { NUMBER_SIZE = 40 }; // bytes of the longest text of a number

// Prints a number with a number of significant digits. The decimal point of snprintf() depends on
// the locale and may have several bytes, so it is replaced.
static void print_number(double number, int digits, char text[NUMBER_SIZE])
{
    char printed[NUMBER_SIZE];
    snprintf(printed, sizeof printed, "%.*g", digits, number);
    size_t length = 0;
    for (const char *byte = printed; *byte; byte++) {
        const bool is_kept = is_digit(*byte) || strchr("+-e", *byte);
        if (is_kept || length == 0 || text[length - 1] != '.')
            text[length++] = is_kept ? *byte : '.';
    }
    text[length] = '\0';
}

// Returns true if the reader gets exactly `number` from the text.
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

// Writes the shortest decimal number that is read as the same number.
static void write_number(writer *out, double number, bool is_float)
{
    enum {
        MIN_FLOAT_DIGITS = 6,
        MAX_FLOAT_DIGITS = 9,
        MIN_DOUBLE_DIGITS = 15,
        MAX_DOUBLE_DIGITS = 17
    };
    const int min_digits = is_float ? MIN_FLOAT_DIGITS : MIN_DOUBLE_DIGITS;
    const int max_digits = is_float ? MAX_FLOAT_DIGITS : MAX_DOUBLE_DIGITS;
    char text[NUMBER_SIZE] = "0"; // also for -0
    bool is_same = number == 0;
    for (int digits = min_digits; digits <= max_digits && !is_same; digits++) {
        print_number(number, digits, text);
        is_same = is_read_as(text, number, is_float);
    }
    write_token(out, text);
}

// -- Values -------------------------------------------------------------------------------------

// Returns the keyword of a value of a choice, or NULL.
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

// Writes the keyword of a choice. A default choice without a keyword writes nothing.
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

// Writes a condition: a name, after `not` if necessary, and its comparison, which is the next
// column. If the column after it, the kind, has a value, its keyword is written before the name of
// an event.
static bool write_condition(writer *out, const md5_table_iterator *iterator,
                            const md5_column *column, const char *row, const char *text)
{
    const md5_column *const comparison = column + 1;
    const md5_column *const kind = column + 2;
    if ((int)md5i_column_number(comparison, row) == MD5_IS_CLEAR)
        write_text(out, " not");
    write_choice(out, kind, row);
    if (text || md5i_column_number(kind, row) == (double)MD5_WHEN_PARAMETER)
        TRY(write_name(out, iterator, text));
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

// Returns the first bracket or comment of a text outside of quotes, which would end a joint list,
// or NULL.
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

// Writes a text in the form of its column: a condition, a list of joints, a quoted line, or a name.
// In a head, the keyword column->usual replaces a missing name.
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

// Returns true if an easing follows a number in its head and is not linear.
static bool has_easing_after(const md5_column *column, const char *row)
{
    if (column->kind != MD5_COLUMN_FLOAT || column[1].kind != MD5_COLUMN_EASING)
        return false;
    return column[1].position == MD5_POSITION_AFTER && md5i_column_number(column + 1, row) != 0;
}

// Returns true if not all bytes of a row are 0. Rows that are 0 have only default values and are
// not written.
static bool has_nonzero_byte(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0)
            return true;
    }
    return false;
}

// Returns true if a number must be written. A 0 is also written if an easing follows it.
static bool is_number_set(const md5_column *column, const char *row)
{
    const double number = md5i_column_number(column, row);
    return (number != 0 && number != column->start) || has_easing_after(column, row);
}

// Returns true if a value differs from the value of a column that is not written.
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

// Returns true if a value is not written at all.
static bool is_omitted(const md5_column *column, const char *row)
{
    if (is_set(column, row))
        return false;
    if (column->form == MD5_FORM_OR_AT)
        return is_set(column + 1, row);
    return column->form == MD5_FORM_OPTIONAL || column->form == MD5_FORM_AFTER;
}

// -- Rows ---------------------------------------------------------------------------------------

// Writes a row of a list: the values of its head. Fails if the row has other values.
static bool write_list_row(writer *out, const md5_table_iterator *iterator,
                           const md5_schema *schema, const char *row)
{
    const uint32_t kind = md5_row_kind(schema, row, 0);
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        const bool is_used = md5_is_column_used(column, kind);
        if (!is_used && is_set(column, row))
            return fail_write(
                out, iterator,
                "has an entry with a %s that its kind does not use: expected no value",
                column->member);
        if (is_used && column->position == MD5_POSITION_HEAD && !is_omitted(column, row))
            TRY(write_value(out, iterator, column, row));
    }
    return true;
}

// Writes a list in parentheses, or conditions with `and` and `or` between them.
static bool write_list(writer *out, const md5_table_iterator *iterator, const md5_column *column,
                       const char *owner)
{
    const md5_schema *const schema = column->rows;
    const bool is_list = column->form == MD5_FORM_LIST;
    uint32_t count;
    const char *row = md5i_column_rows(column, owner, &count);

    if (is_list)
        write_text(out, " (");
    for (uint32_t i = 0; i < count; i++, row += schema->size) {
        const bool is_or =
            !is_list && ((const md5_condition *)(const void *)row)->begins_alternative;
        if (is_or && i == 0) // nothing precedes the `or`
            return fail_write(out, iterator,
                              "has the value begins_alternative in its first entry: expected it "
                              "only in later entries");
        if (!is_list && i > 0)
            write_text(out, is_or ? " or" : " and");
        TRY(write_list_row(out, iterator, schema, row));
    }
    if (is_list)
        write_text(out, " )");
    return true;
}

// Returns the text at an offset in a row, or NULL if the offset is 0.
static const char *text_at(const char *row, size_t offset)
{
    return offset > 0 ? *(const char *const *)(const void *)(row + offset) : NULL;
}

// Returns the index of the driver of a value, or MD5_NUM_DRIVERS if it does not have one.
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

// Returns true if a name would be read as the keyword of a driver.
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

// Writes a driver and its names. Drivers without a keyword are further names of the driver before
// them.
static bool write_driver(writer *out, const md5_table_iterator *iterator, uint32_t driver)
{
    const char *const row = iterator->level->row;
    write_token(out, md5i_drivers[driver].word);
    do {
        TRY(write_name(out, iterator, text_at(row, iterator->column->state + driver * sizeof row)));
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

// Writes a driven value: a number, a parameter with an easing, or another driver.
static bool write_driven(writer *out, const md5_table_iterator *iterator)
{
    const md5_column *const column = iterator->column;
    const char *const row = iterator->level->row;
    const char *const parameter = text_at(row, column->auxiliary);
    const uint32_t driver = find_driver(column, row);
    const bool is_driven = driver < MD5_NUM_DRIVERS;
    if (!parameter
        && is_driven_eased(column, row)) // the reader accepts an easing after a parameter
        return fail_write(out, iterator, "has an easing but no parameter: expected no easing");
    if (!parameter && !is_driven)
        return write_value(out, iterator, column, row);

    if (md5i_column_number(column, row) != 0)
        return fail_write(out, iterator, "is set to a number and a %s: expected one of them",
                          parameter ? "parameter" : md5i_drivers[driver].word);
    if (parameter && is_driven)
        return fail_write(out, iterator, "is set to a parameter and a %s: expected one of them",
                          md5i_drivers[driver].word);
    if (is_driven)
        return write_driver(out, iterator, driver);
    return write_parameter(out, iterator, parameter);
}

// Returns the column that contains the rows of this level, or NULL for the machine.
static const md5_column *column_above(const md5_table_iterator *iterator)
{
    const md5_table_level *const above = iterator->level - 1;
    return iterator->top > 0 ? &above->schema->columns[above->next - 1] : NULL;
}

// Writes the keyword of a row.
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

    // The main iteration is at the first column of the row. A copy iterates over the head, so that
    // messages name the column that is written.
    md5_table_iterator head = *iterator;
    const md5_schema *const schema = iterator->level->schema;
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        head.column = &schema->columns[i];
        if (head.column->position == MD5_POSITION_HEAD)
            TRY(write_head_value(out, &head));
    }
    return true;
}

// Writes the opening brace of a block before its first entry; empty blocks have no braces.
static void open_braces(writer *out, int level)
{
    if (!out->has_braces[level])
        write_text(out, " {");
    out->has_braces[level] = true;
}

// Fails if a file cannot store the value of the current column. The reasons are:
// - the kind of the row does not use the value
// - the column does not have a keyword
// - the value must follow another value, which is not set
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
        const md5_column *first = column; // of the columns on one line
        while (first->position == MD5_POSITION_AFTER)
            first--;
        if (!is_set(first, row))
            return fail_write(out, iterator, "has no effect without %s: expected no value",
                              first->member);
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

// Writes the value of the current column after its keyword. The value of a choice is a keyword.
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

// Writes the current column, which is in a block, and the columns that follow it on its line.
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

// Returns true if the parameter, the driver or the easing of a driven value is set. write_driven()
// reports an easing without a parameter, also if the number of the value is 0.
static bool is_driven_set(const md5_column *column, const char *row)
{
    if (column->form != MD5_FORM_DRIVEN)
        return false;
    if (text_at(row, column->auxiliary) || is_driven_eased(column, row))
        return true;
    return find_driver(column, row) < MD5_NUM_DRIVERS;
}

// Writes the current column of the iterator: its keyword and value, or the beginning of the block
// that contains its rows. `braces` is the level of the row whose block contains the column.
static bool write_column(writer *out, md5_table_iterator *iterator, const char *model_file,
                         int braces)
{
    const md5_column *const column = iterator->column;
    const char *const row = iterator->level->row;
    const bool is_in_block = column->position == MD5_POSITION_BLOCK;
    const bool is_list = column->form == MD5_FORM_LIST || column->form == MD5_FORM_CONDITIONS;
    // Each row of such a column is written on its own line, in later steps of the iterator.
    const bool has_lines = column->rows && !is_list && is_in_block;
    const bool has_row_lines = has_lines && is_set(column, row);
    const bool is_model = column->kind == MD5_COLUMN_MODEL && is_in_block && model_file[0] != '\0';
    TRY(check_can_store(out, iterator));

    if (is_model || has_row_lines) {
        open_braces(out, braces);
        out->has_lines[braces] = true;
    }
    if (is_model) {
        begin_line(out, braces + 1);
        write_text(out, md5_column_word(column));
        return write_name(out, iterator, model_file);
    }

    const bool is_keyword_set = is_driven_set(column, row) || is_set(column, row);
    if (is_in_block && !has_lines && is_keyword_set) {
        open_braces(out, braces);
        TRY(write_keyword_value(out, iterator));
    }
    // Rows that were written with their value are not iterated over.
    if (column->rows && column->form != MD5_FORM_ALWAYS && !has_row_lines)
        iterator->column = NULL;
    return true;
}

// Begins the row of the current level: writes its keyword and head.
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

// Ends the row of the current level: closes its block.
static void end_row(writer *out, int level)
{
    if (!out->has_braces[level])
        return;
    if (out->has_lines[level])
        begin_line(out, level);
    write_text(out, out->has_lines[level] ? "}" : " }");
}

// Writes a machine: iterates over the columns of its rows, parents before the rows below them.
static bool write_machine(writer *out, const md5_schema *schema, const md5_machine_desc *desc,
                          const char *model_file)
{
    md5_table_iterator iterator = md5i_begin_columns(schema, desc, NULL);
    while (md5i_next_column(&iterator)) {
        // The row of an ALWAYS column has neither a keyword nor braces: its values are written in
        // the braces of the row above.
        const int level = iterator.top;
        const md5_column *const above = column_above(&iterator);
        const bool is_within = above && above->form == MD5_FORM_ALWAYS;
        const bool is_row_begin = iterator.level->next == 1;
        const bool is_row_end = iterator.level->next > iterator.level->schema->num_columns;

        if (iterator.column && is_row_begin && !is_within)
            TRY(begin_written_row(out, &iterator));
        if (iterator.column)
            TRY(write_column(out, &iterator, model_file, is_within ? level - 1 : level));
        else if (is_row_end && !is_within)
            end_row(out, level);
    }
    write_text(out, "\n");
    return true;
}

// Writes tables as the text of a machine file and a NUL to text[size]. Returns the length of the
// text, which may be larger than `size`, or 0 after an error.
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
