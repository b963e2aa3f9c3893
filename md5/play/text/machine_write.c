// A machine's tables as the text that machine_read.c reads as the same tables. What a text cannot
// say is an error, so that nothing is lost without a word.
#include "md5/play/schema.h"
#include "md5/core/number.h"

typedef struct writer {
    md5_context *context;
    char *text; // [size], of which `used` bytes would be written
    size_t size;
    size_t used;
    bool has_braces[MD5_TABLE_DEPTH]; // of the row at this level of the walk
    bool has_lines[MD5_TABLE_DEPTH];  // so its closing brace has one too
} writer;

// -- Bytes --------------------------------------------------------------------------------------

static void put(writer *to, const char *bytes)
{
    for (; *bytes; bytes++, to->used++) {
        if (to->used < to->size)
            to->text[to->used] = *bytes;
    }
}

// With a blank in front.
static void put_word(writer *to, const char *word)
{
    put(to, " ");
    put(to, word);
}

static void begin_line(writer *to, int depth)
{
    put(to, "\n");
    for (int i = 0; i < depth; i++)
        put(to, "    ");
}

static bool fail(writer *to, const md5_table_walk *walk, const char *problem)
{
    const md5_row_title title = md5i_title_of(walk);
    const md5_column *const column = walk->column;
    return MD5_FAIL(to->context, MD5_ERROR_MISMATCH, "%s %s: %s %s", title.kind,
                    MD5_QUOTED(title.name), column ? column->member : "", problem);
}

// Words that would be taken for something else than a name.
static bool is_plain(const char *name)
{
    static const char *const taken[] = {"any",   "nothing",    "not",       "and",  "or",
                                        "frame", "state_time", "time_left", "heard"};
    for (uint32_t i = 0; i < MD5_COUNT(taken); i++) {
        if (strcmp(name, taken[i]) == 0)
            return false;
    }
    for (const char *byte = name; *byte; byte++) {
        const bool is_letter =
            (*byte >= 'a' && *byte <= 'z') || (*byte >= 'A' && *byte <= 'Z') || *byte == '_';
        if (!is_letter && (byte == name || !((*byte >= '0' && *byte <= '9') || *byte == '.')))
            return false;
    }
    return name[0] != '\0';
}

static bool put_quoted(writer *to, const md5_table_walk *walk, const char *text)
{
    const char *const quote = strchr(text, '"') ? "'" : "\"";
    if (strchr(text, '\r') || strchr(text, '\n') || (strchr(text, '"') && strchr(text, '\'')))
        return fail(to, walk, "contains both kinds of quotes or a line break");
    put_word(to, quote);
    put(to, text);
    put(to, quote);
    return true;
}

static bool put_name(writer *to, const md5_table_walk *walk, const char *name)
{
    if (!name || !is_plain(name))
        return put_quoted(to, walk, name ? name : "");
    put_word(to, name);
    return true;
}

// The fewest digits that are read as the same number. printf() may write another decimal point.
static void put_number(writer *to, double number, bool is_float)
{
    enum { FLOAT_DIGITS = 6, DOUBLE_DIGITS = 15, MORE = 3 };
    char printed[40];
    char text[40] = "0";
    const int digits = is_float ? FLOAT_DIGITS : DOUBLE_DIGITS;
    bool is_same = number == 0;
    for (int i = 0; i < MORE + is_float && !is_same; i++) {
        size_t length = 0;
        float narrow = 0;
        double wide = 0;
        snprintf(printed, sizeof printed, "%.*g", digits + i, number);
        for (const char *byte = printed; *byte; byte++) {
            const bool is_own = (*byte >= '0' && *byte <= '9') || strchr("+-e", *byte);
            if (is_own || length == 0 || text[length - 1] != '.')
                text[length++] = is_own ? *byte : '.';
        }
        text[length] = '\0';
        if (is_float)
            md5i_scan_float(text, text + length, &narrow);
        else
            md5i_scan_double(text, text + length, &wide);
        is_same = (is_float ? narrow : wide) == number;
    }
    put_word(to, text);
}

// -- Values -------------------------------------------------------------------------------------

// The word of a value, or none.
static const char *word_of(const md5_column *column, uint32_t value)
{
    const char *word;
    uint32_t found;
    for (uint32_t i = 0; (word = md5i_choice_word(column, i, &found)) != NULL; i++) {
        if (found == value)
            return word;
    }
    return NULL;
}

static void put_choice(writer *to, const md5_column *column, const char *row)
{
    const char *const word = word_of(column, (uint32_t)md5i_column_number(column, row));
    if (word)
        put_word(to, word);
}

static void put_easing(writer *to, const md5_easing *easing)
{
    const md5_schema *const schema = &md5i_easing_schema;
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        const char *const row = (const char *)(const void *)easing;
        if (!md5_is_used(column, (uint32_t)easing->kind))
            continue;
        if (column->kind == MD5_COLUMN_CHOICE)
            put_choice(to, column, row);
        else
            put_number(to, md5i_column_number(column, row), column->kind == MD5_COLUMN_FLOAT);
    }
}

// Writes a value as it stands behind its word or in a head.
static bool put_value(writer *to, const md5_table_walk *walk, const md5_column *column,
                      const char *row)
{
    const void *const value = row + column->offset;
    const char *const text = column->kind == MD5_COLUMN_TEXT ? *(const char *const *)value : NULL;
    const float *const floats = (const float *)value;
    const double number = md5i_column_number(column, row);
    if (column->form == MD5_FORM_AFTER)
        put_word(to, md5_column_word(column));
    switch (column->kind) {
    case MD5_COLUMN_TEXT:
        if (column->form == MD5_FORM_COMPARED) {
            // A name, perhaps behind `not`, and how it is compared, which is the next column; or a
            // word of the one after that, and, of an event, its name.
            put(to, (int)md5i_column_number(column + 1, row) == MD5_IS_CLEAR ? " not" : "");
            put_choice(to, column + 2, row);
            if (text || md5i_column_number(column + 2, row) == (double)MD5_WHEN_PARAMETER)
                TRY(put_name(to, walk, text));
            put_choice(to, column + 1, row);
            return true;
        }
        if (column->form == MD5_FORM_JOINTS) {
            // The bytes between the brackets of a mask: brackets and comments would end them.
            const char *const joints = text ? text : "";
            for (const char *byte = joints, *quote = NULL; *byte; byte++) {
                if (quote ? *byte == *quote : *byte == '"' || *byte == '\'')
                    quote = quote ? NULL : byte;
                else if (!quote
                         && (strchr("(){}", *byte)
                             || (*byte == '/' && (byte[1] == '/' || byte[1] == '*'))))
                    return fail(to, walk, "contains a bracket or comment outside quotes");
            }
            put(to, " (");
            put(to, joints);
            put(to, ")");
            return true;
        }
        if (column->form == MD5_FORM_LINE)
            return !text || !*text || put_quoted(to, walk, text);
        if (text || column->place != MD5_PLACE_HEAD || !column->usual)
            return put_name(to, walk, text);
        put_word(to, column->usual);
        return true;
    case MD5_COLUMN_FLOAT:
    case MD5_COLUMN_DOUBLE:
    case MD5_COLUMN_COUNT:
    case MD5_COLUMN_INT: {
        const bool is_float = column->kind == MD5_COLUMN_FLOAT;
        if (!(fabs(number) <= (is_float ? 3.4e38f : 3.4e38)))
            return fail(to, walk, is_float ? "is not finite" : "is not finite or too large");
        put_number(to, number == (double)MD5_EXPLICIT_ZERO && column->keeps_zero ? 0 : number,
                   is_float);
        return true;
    }
    case MD5_COLUMN_DIRECTION:
        put(to, " (");
        for (uint32_t i = 0; i < 3; i++)
            put_number(to, floats[i], true);
        put(to, " )");
        return true;
    case MD5_COLUMN_EASING:
        put_easing(to, md5_easing_of(row, column->offset));
        return true;
    default: // MD5_COLUMN_CHOICE
        put_choice(to, column, row);
        return true;
    }
}

// Whether a value is other than that of a row which says nothing of it.
static bool is_set(const md5_column *column, const char *row)
{
    const char *const value = row + column->offset;
    const float *const floats = (const float *)(const void *)value;
    const double number = md5i_column_number(column, row);
    uint32_t count;
    switch (column->kind) {
    case MD5_COLUMN_TEXT:
    case MD5_COLUMN_TEXTS:
    case MD5_COLUMN_ROW:
        return *(const void *const *)(const void *)value != NULL;
    case MD5_COLUMN_DIRECTION:
        return floats[0] != 0 || floats[1] != 0 || floats[2] != 0;
    case MD5_COLUMN_TABLE:
        return md5i_rows_of(column, row, &count) && count > 0;
    case MD5_COLUMN_PART:
        for (size_t i = 0; column->rows && i < column->rows->size; i++) {
            if (value[i] != 0)
                return true;
        }
        return false;
    default: // also a 0, behind which an easing says something
        return (number != 0 && number != column->start)
               || (column->kind == MD5_COLUMN_FLOAT && column[1].kind == MD5_COLUMN_EASING
                   && column[1].place == MD5_PLACE_BEHIND
                   && md5i_column_number(column + 1, row) != 0);
    }
}

// Whether nothing is written of a value.
static bool is_left_out(const md5_column *column, const char *row)
{
    return !is_set(column, row)
           && (column->form == MD5_FORM_OPTIONAL || column->form == MD5_FORM_AFTER
               || (column->form == MD5_FORM_OR_AT && is_set(column + 1, row)));
}

// -- Rows ---------------------------------------------------------------------------------------

static bool put_list(writer *to, const md5_table_walk *walk, const md5_column *column,
                     const char *owner)
{
    const md5_schema *const schema = column->rows;
    const bool is_list = column->form == MD5_FORM_LIST;
    uint32_t count;
    const char *row = md5i_rows_of(column, owner, &count);
    put(to, is_list ? " (" : "");
    for (uint32_t i = 0; i < count; i++, row += schema->size) {
        const bool is_or =
            !is_list && ((const md5_condition *)(const void *)row)->begins_alternative;
        put(to, is_list || i == 0 ? "" : is_or ? " or" : " and");
        for (uint32_t j = 0; j < schema->num_columns; j++) {
            const md5_column *const inner = &schema->columns[j];
            const bool is_used = md5_is_used(inner, md5_kind_of(schema, row, 0));
            if ((!is_used && is_set(inner, row)) || (is_or && i == 0))
                return fail(to, walk, "has a value that the file format cannot store");
            if (is_used && inner->place == MD5_PLACE_HEAD && !is_left_out(inner, row))
                TRY(put_value(to, walk, inner, row));
        }
    }
    put(to, is_list ? " )" : "");
    return true;
}

static const char *name_at(const char *row, size_t offset)
{
    return offset > 0 ? *(const char *const *)(const void *)(row + offset) : NULL;
}

// The number of the driver of a share, of those with a word; MD5_DRIVERS: none.
static uint32_t driver_of(const md5_column *column, const char *row)
{
    uint32_t i = 0;
    while (i < MD5_DRIVERS
           && !(column->state > 0 && md5i_drivers[i].word
                && name_at(row, column->state + i * sizeof row)))
        i++;
    return i;
}

// A number, a parameter and its easing, or another driver.
static bool put_share(writer *to, const md5_table_walk *walk)
{
    const md5_column *const column = walk->column;
    const char *const row = walk->level->row;
    const char *const name = name_at(row, column->other);
    uint32_t driver = driver_of(column, row);
    const bool is_driven = driver < MD5_DRIVERS;
    const md5_easing *const easing = md5_easing_of(row, column->easing);
    const bool is_eased = column->easing > 0 && easing->kind != MD5_EASE_LINEAR;
    if (name || is_driven ? md5i_column_number(column, row) != 0 || (name && is_driven) : is_eased)
        return fail(to, walk, "is set to a number and a parameter: expected one of them");
    if (is_driven) {
        put_word(to, md5i_drivers[driver].word);
        do
            TRY(put_name(to, walk, name_at(row, column->state + driver * sizeof row)));
        while (++driver < MD5_DRIVERS && !md5i_drivers[driver].word);
        return true;
    }
    if (!name)
        return put_value(to, walk, column, row);
    bool is_word = false;
    if (column->state > 0) {
        for (uint32_t i = 0; i < MD5_DRIVERS; i++)
            is_word = is_word || (md5i_drivers[i].word && strcmp(name, md5i_drivers[i].word) == 0);
    }
    TRY(is_word ? put_quoted(to, walk, name) : put_name(to, walk, name));
    if (is_eased)
        put_easing(to, easing);
    return true;
}

// The column that the rows of this level are of; NULL: the machine.
static const md5_column *column_above(const md5_table_walk *walk)
{
    const md5_table_level *const above = walk->level - 1;
    return walk->top > 0 ? &above->schema->columns[above->next - 1] : NULL;
}

// The word of a row, and its head.
static bool put_head(writer *to, const md5_table_walk *walk)
{
    const md5_table_level *const level = walk->level;
    const md5_schema *const schema = level->schema;
    const md5_column *const above = column_above(walk);
    put(to, above && above->choices ? word_of(above, level->kind)
            : above                 ? md5_column_word(above)
                                    : schema->head);
    md5_table_walk head = *walk; // at the column that is written, for messages
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        head.column = column;
        const bool is_used = md5_is_used(column, level->kind);
        if (column->place != MD5_PLACE_HEAD)
            continue;
        if (!is_used && is_set(column, level->row))
            return fail(to, &head, "has a value that the file format cannot store");
        if (!is_used || is_left_out(column, level->row))
            continue;
        if (column->rows && column->kind != MD5_COLUMN_EASING)
            TRY(put_list(to, &head, column, level->row));
        else
            TRY(put_value(to, &head, column, level->row));
    }
    return true;
}

static void open_braces(writer *to, int level)
{
    put(to, to->has_braces[level] ? "" : " {");
    to->has_braces[level] = true;
}

// A value that a file can only have behind another one, which the row has not, or not at all.
static bool is_lost(const md5_table_walk *walk)
{
    const md5_column *column = walk->column;
    const char *const row = walk->level->row;
    if (!is_set(column, row) || column->hash == MD5_HASH_USED)
        return false;
    if (column->form == MD5_FORM_ALWAYS)
        return !md5_is_used(column, walk->level->kind);
    if (column->place != MD5_PLACE_BEHIND)
        return column->place == MD5_PLACE_NOWHERE && column->kind == MD5_COLUMN_COUNT;
    while (column->place == MD5_PLACE_BEHIND)
        column--;
    return !is_set(column, row);
}

// `braces` is the level of the row in whose braces the column stands.
static bool put_column(writer *to, md5_table_walk *walk, const char *model_file, int braces)
{
    const md5_column *const column = walk->column;
    const char *const row = walk->level->row;
    const bool is_list = column->form == MD5_FORM_LIST || column->form == MD5_FORM_CONDITIONS;
    const bool has_lines = column->rows && !is_list && column->place == MD5_PLACE_WORD;
    const bool is_share = column->form == MD5_FORM_SHARE
                          && (name_at(row, column->other) || driver_of(column, row) < MD5_DRIVERS);
    const bool is_model = column->kind == MD5_COLUMN_MODEL && column->place == MD5_PLACE_WORD
                          && model_file[0] != '\0';
    if (is_lost(walk))
        return fail(to, walk, "has a value that the file format cannot store");
    if (is_model || (has_lines && is_set(column, row))) {
        open_braces(to, braces);
        to->has_lines[braces] = true;
    }
    if (is_model) {
        begin_line(to, braces + 1);
        put(to, md5_column_word(column));
        return put_name(to, walk, model_file);
    }
    if (!has_lines && column->place == MD5_PLACE_WORD && (is_share || is_set(column, row))) {
        // A word of the row's braces with its value.
        const md5_schema *const schema = walk->level->schema;
        const size_t count = column->kind == MD5_COLUMN_TEXTS ? column->other : 1;
        open_braces(to, braces);
        for (size_t i = 0; i < count; i++) {
            const char *const *const texts =
                (const char *const *)(const void *)(row + column->offset);
            if (column->kind == MD5_COLUMN_TEXTS && !texts[i])
                break;
            if (column->kind != MD5_COLUMN_CHOICE)
                put_word(to, md5_column_word(column));
            if (column->kind == MD5_COLUMN_TEXTS)
                TRY(put_name(to, walk, texts[i]));
            else if (column->form == MD5_FORM_SHARE)
                TRY(put_share(to, walk));
            else if (column->rows)
                TRY(put_list(to, walk, column, row));
            else if (column->kind != MD5_COLUMN_FLAG)
                TRY(put_value(to, walk, column, row));
        }
        const md5_column *const end = schema->columns + schema->num_columns;
        for (const md5_column *next = column + 1; next < end && next->place == MD5_PLACE_BEHIND;
             next++) {
            if (md5_is_used(next, walk->level->kind) && !is_left_out(next, row))
                TRY(put_value(to, walk, next, row));
        }
    }
    // Other rows are written with a value. They are not gone through.
    if (column->rows && column->form != MD5_FORM_ALWAYS && !(has_lines && is_set(column, row)))
        walk->column = NULL;
    return true;
}

static bool put_machine(writer *to, const md5_schema *schema, const md5_machine_desc *desc,
                        const char *model_file)
{
    md5_table_walk walk = md5i_begin_columns(schema, desc, NULL);
    while (md5i_next_column(&walk)) {
        const int level = walk.top;
        const md5_column *const above = column_above(&walk);
        const bool is_within = above && above->form == MD5_FORM_ALWAYS;
        if (walk.column && walk.level->next == 1 && !is_within) {
            to->has_braces[level] = to->has_lines[level] = false;
            if (level > 0)
                begin_line(to, level);
            TRY(put_head(to, &walk));
            if (walk.level->schema->needs_braces)
                open_braces(to, level);
        }
        if (walk.column)
            TRY(put_column(to, &walk, model_file, is_within ? level - 1 : level));
        if (walk.column || is_within || !to->has_braces[level]
            || walk.level->next <= walk.level->schema->num_columns)
            continue;
        if (to->has_lines[level])
            begin_line(to, level);
        put(to, to->has_lines[level] ? "}" : " }");
    }
    put(to, "\n");
    return true;
}

size_t md5i_write_machine(md5_context *context, const md5_schema *schema,
                          const md5_machine_desc *desc, const char *model_file, char *text,
                          size_t size)
{
    writer to = {.context = context, .text = text, .size = size};
    if (!put_machine(&to, schema, desc, model_file ? model_file : ""))
        to.used = 0;
    if (size > 0)
        text[to.used < size ? to.used : size - 1] = '\0';
    return to.used;
}

size_t md5_write_machine(const md5_machine_desc *desc, const char *model_file, char *text,
                         size_t size, md5_error *error)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT(text || size == 0, "text: must not be NULL");
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    return md5i_write_machine(&context, &md5i_machine_schema, desc, model_file, text, size);
}
