// Tests of the schema that lists the tables and columns of a machine. Every function that iterates
// over it must handle every column.
//
// Random tables are generated from the schema, written as text and read again without changing a
// bit. The tables in the manual are compared with the schema.
#include "test/scoped.h"
#include "test/play/test_play_random.h"

#include "md5/play/make/building.h"

enum { MAX_SCHEMAS = 32, MAX_ROWS = 4096, TEXT_SIZE = 1 << 20 };

// A list of all kinds of entries without duplicates. A kind is listed after the first kind that
// refers to it.
typedef struct schema_list {
    const md5_schema *schemas[MAX_SCHEMAS];
    uint32_t count;
} schema_list;

// Returns all schemas that are reachable from the schema of the machine. A schema is followed by
// the schemas of its tables.
static schema_list all_schemas(void)
{
    schema_list schemas = {{&md5i_machine_schema}, 1};
    for (uint32_t i = 0; i < schemas.count; i++) {
        const md5_schema *const schema = schemas.schemas[i];
        uint32_t next = i + 1;
        for (uint32_t j = 0; j < schema->num_columns; j++) {
            const md5_column *const column = &schema->columns[j];
            const md5_schema *const rows = column->rows;
            uint32_t index = 0;
            while (index < schemas.count && schemas.schemas[index] != rows)
                index++;
            if (!rows || index < schemas.count || schemas.count == MAX_SCHEMAS)
                continue;
            memmove(&schemas.schemas[next + 1], &schemas.schemas[next],
                    (schemas.count - next) * sizeof schemas.schemas[0]);
            schemas.schemas[next++] = rows;
            schemas.count++;
        }
    }
    CHECK(schemas.count > 15 && schemas.count < MAX_SCHEMAS);
    return schemas;
}

// Returns the size in bytes of the value of a column in its row.
static size_t column_size(const md5_column *column)
{
    switch (column->kind) {
    case MD5_COLUMN_FLOAT:
    case MD5_COLUMN_COUNT:
    case MD5_COLUMN_INT:
    case MD5_COLUMN_CHOICE:
        return sizeof(uint32_t);
    case MD5_COLUMN_DOUBLE:
        return sizeof(double);
    case MD5_COLUMN_FLAG:
        return sizeof(bool);
    case MD5_COLUMN_DIRECTION:
        return sizeof(md5_vec3);
    case MD5_COLUMN_TEXTS:
        return column->auxiliary * sizeof(char *);
    case MD5_COLUMN_RESERVED:
        return column->auxiliary * sizeof(uint64_t);
    case MD5_COLUMN_PART:
    case MD5_COLUMN_EASING:
        return column->rows->size;
    case MD5_COLUMN_OTHER:
        return column->auxiliary;
    default:
        return sizeof(void *);
    }
}

static bool check(bool holds, const md5_schema *schema, const md5_column *column, const char *rule)
{
    if (!holds)
        printf("%s, column %s: %s\n", schema->description, column ? column->member : "", rule);
    return CHECK(holds);
}

static bool has_number(md5_column_kind kind)
{
    switch (kind) {
    case MD5_COLUMN_FLOAT:
    case MD5_COLUMN_DOUBLE:
    case MD5_COLUMN_COUNT:
    case MD5_COLUMN_INT:
    case MD5_COLUMN_DIRECTION:
        return true;
    default:
        return false;
    }
}

TEST (every_column_has_range_default_and_text) {
    const schema_list schemas = all_schemas();
    for (uint32_t i = 0; i < schemas.count; i++) {
        const md5_schema *const schema = schemas.schemas[i];
        check(schema->text != NULL, schema, NULL, "no text for the manual");
        for (uint32_t j = 0; j < schema->num_columns; j++) {
            const md5_column *const column = &schema->columns[j];
            const bool is_number = has_number(column->kind);
            const bool has_default =
                column->kind == MD5_COLUMN_FLAG || column->kind == MD5_COLUMN_MODEL;
            const bool may_lack =
                column->position == MD5_POSITION_BLOCK && !has_default && !column->rows;
            check(column->text != NULL, schema, column, "no text for the manual");
            check(!is_number || column->min < column->max || column->range, schema, column,
                  "a number without a range");
            check(!may_lack || column->is_filled || column->usual, schema, column, "no default");
            check(!column->is_filled || column->otherwise != 0, schema, column,
                  "a default that 0 is already");
            check(!column->keeps_zero || column->is_filled || column->usual, schema, column,
                  "0 means nothing");
            check(column->offset + column_size(column) <= schema->size, schema, column,
                  "it lies behind the row");
        }
    }
}

static size_t column_alignment(const md5_column *column)
{
    const size_t size = column_size(column);
    if (column->kind == MD5_COLUMN_PART)
        return 1;
    if (column->kind == MD5_COLUMN_DOUBLE)
        return _Alignof(double);
    if (column->kind == MD5_COLUMN_RESERVED)
        return _Alignof(uint64_t);
    if (size % sizeof(void *) == 0)
        return sizeof(void *);
    return size == sizeof(bool) ? 1 : sizeof(uint32_t);
}

// The columns must cover all bytes of an entry, except padding before an aligned member or at the
// end.
TEST (columns_cover_their_rows) {
    const schema_list schemas = all_schemas();
    for (uint32_t i = 0; i < schemas.count; i++) {
        const md5_schema *const schema = schemas.schemas[i];
        size_t widest = 1;
        size_t end = 0;
        while (end < schema->size) {
            size_t next = schema->size;
            size_t alignment = widest;
            size_t after = schema->size;
            for (uint32_t j = 0; j < schema->num_columns; j++) {
                const md5_column *const column = &schema->columns[j];
                if (column->offset >= end && column->offset < next) {
                    next = column->offset;
                    alignment = column_alignment(column);
                    after = next + column_size(column);
                }
                if (column->kind == MD5_COLUMN_TABLE && column->auxiliary >= end
                    && column->auxiliary < next) {
                    next = column->auxiliary;
                    alignment = sizeof(uint32_t);
                    after = next + sizeof(uint32_t);
                }
            }
            widest = widest > alignment ? widest : alignment;
            if (!check(next == (end + alignment - 1) / alignment * alignment, schema, NULL,
                       "a member has no column"))
                printf("    bytes %zu to %zu\n", end, next);
            end = after;
        }
    }
}

// -- Random tables ------------------------------------------------------------------------------

// Entries to be filled, and all memory that was allocated for them.
typedef struct random_tables {
    md5_machine_desc desc;
    struct {
        const md5_schema *schema;
        char *row;
        uint32_t above; // kind of the parent entry
    } rows[MAX_ROWS];
    void *memory[MAX_ROWS];
    uint32_t num_rows, num_allocated;
} random_tables;

static void add_row(random_tables *to, const md5_schema *schema, char *row, uint32_t above)
{
    if (to->num_rows == MAX_ROWS)
        abort();
    to->rows[to->num_rows].schema = schema;
    to->rows[to->num_rows].row = row;
    to->rows[to->num_rows++].above = above;
}

static char *add_rows(random_tables *to, const md5_schema *schema, uint32_t count, uint32_t above)
{
    char *const rows = test_calloc(count, schema->size);
    to->memory[to->num_allocated++] = rows;
    for (uint32_t i = 0; i < count; i++)
        add_row(to, schema, rows + i * schema->size, above);
    return rows;
}

static const char *random_name(uint64_t *random)
{
    STRINGS(names) = {
        "walk",      "Bip01 L Hand", "any",       "nothing", "not",     "and",
        "2nd",       "it's",         "a \"b\" c", "frame",   "linear",  "-",
        "*",         "a/b",          "a//b",      "/*",      "a{b",     "}",
        "\xc3\xa4r", "x.md5anim",    "_",         "turn",    "markers", "state",
        "spine",     "(head)",       "heard",     "or",      "at",
    };
    return names[play_below(random, COUNT_OF(names))];
}

static float random_float(const md5_column *column, uint64_t *random)
{
    const bool has_range = column->min < column->max;
    const double fraction = test_random_u32(random) / 4294967295.0;
    const double low = has_range ? column->min : -1e4;
    const double high = has_range ? column->max : 1e4;
    if (column->keeps_zero && play_random_one_in(random, 5))
        return MD5_EXPLICIT_ZERO;
    if (play_random_one_in(random, 3))
        return (float)(low + (high - low) / 8.0 * play_below(random, 9));
    return (float)(low + (high - low) * fraction * (play_random_one_in(random, 2) ? 1 : 1e-6));
}

static uint32_t random_choice(const md5_column *column, uint64_t *random)
{
    return play_below(random, column->last + 1);
}

// Sets a column of a row to a random value that a machine file can express, or leaves it 0.
static void fill_column(random_tables *to, const md5_schema *schema, uint32_t number, char *row,
                        uint32_t kind, uint64_t *random)
{
    const md5_column *const column = &schema->columns[number];
    char *const value = row + column->offset;
    const bool is_often = !play_random_one_in(random, 3);
    const bool is_head = column->position == MD5_POSITION_HEAD;
    const char **const texts = (const char **)(void *)value;
    float *const floats = (float *)(void *)value;
    uint32_t *const integer = (uint32_t *)(void *)value;
    if (!md5_is_column_used(column, kind) || (!is_head && !is_often))
        return;
    const bool is_kind = schema->has_kind && schema->kind == column->offset;
    if (column->position == MD5_POSITION_NONE && column->form != MD5_FORM_ALWAYS && !is_kind)
        return;
    if (column->position == MD5_POSITION_AFTER) {
        uint32_t leading = number;
        while (schema->columns[leading].position == MD5_POSITION_AFTER)
            leading--;
        char none[sizeof(void *)] = {0};
        const md5_column *const lead = &schema->columns[leading]; // for a number, 0 is also a value
        if (lead->kind != MD5_COLUMN_FLOAT
            && memcmp(row + lead->offset, none, column_size(lead)) == 0)
            return;
    }
    switch (column->kind) {
    case MD5_COLUMN_TEXT:
        if (is_head && column->usual && !is_often)
            return;
        *texts = column->form == MD5_FORM_JOINTS ? "*spine -\"a (b\"\n 'c' " : random_name(random);
        break;
    case MD5_COLUMN_TEXTS:
        for (size_t i = 0; i < column->auxiliary && (i == 0 || !play_random_one_in(random, 3)); i++)
            texts[i] = random_name(random);
        break;
    case MD5_COLUMN_FLOAT:
        if (column->state > 0 && play_random_one_in(random, 3)) {
            const char *const names[] = {random_name(random), random_name(random)};
            memcpy(row + column->state, names, sizeof names);
        } else if (column->form == MD5_FORM_DRIVEN && play_random_one_in(random, 2)) {
            const char *const name = random_name(random);
            memcpy(row + column->auxiliary, &name, sizeof name);
            if (column->easing > 0 && play_random_one_in(random, 2))
                add_row(to, &md5i_easing_schema, row + column->easing, 0);
        } else {
            do
                *floats = random_float(column, random);
            while (column->start != 0 && *floats == 0);
        }
        break;
    case MD5_COLUMN_DOUBLE:
        *(double *)(void *)value = test_random_u32(random) / 64.0;
        break;
    case MD5_COLUMN_COUNT:
        *integer = play_random_one_in(random, 2) ? play_below(random, 9) : test_random_u32(random);
        break;
    case MD5_COLUMN_INT:
        *(int32_t *)(void *)value = (int32_t)test_random_u32(random);
        break;
    case MD5_COLUMN_FLAG:
        *(bool *)(void *)value = true;
        break;
    case MD5_COLUMN_DIRECTION:
        do {
            for (int i = 0; i < 3; i++)
                floats[i] = (float)play_below(random, 100) / 7.0f;
        } while (floats[0] == 0 && floats[1] == 0 && floats[2] == 0); // 0 is not a direction
        break;
    case MD5_COLUMN_CHOICE:
        *integer = random_choice(column, random);
        break;
    case MD5_COLUMN_EASING:
        add_row(to, column->rows, value, 0);
        break;
    case MD5_COLUMN_TABLE: {
        const uint32_t count = 1 + play_below(random, 3);
        char *const rows = add_rows(to, column->rows, count, kind);
        memcpy(value, &rows, sizeof rows);
        memcpy(row + column->auxiliary, &count, sizeof count);
        break;
    }
    case MD5_COLUMN_ROW: {
        char *const rows = add_rows(to, column->rows, 1, kind);
        memcpy(value, &rows, sizeof rows);
        break;
    }
    case MD5_COLUMN_PART:
        for (size_t i = 0; i < offsetof(md5_report_desc, reserved); i++)
            value[i] = (char)play_below(random, 2); // for flags
        break;
    default:
        break;
    }
}

// Fills conditions on times and events, and alternatives. `before` is the previous entry, or NULL
// if there is none in the table.
static void fill_condition(md5_condition *condition, const void *before, uint64_t *random)
{
    condition->kind = (md5_condition_kind)play_below(random, 4);
    condition->begins_alternative = before == condition - 1 && play_random_one_in(random, 2);
    const bool is_compared = condition->compare > MD5_IS_CLEAR;
    if (condition->kind == MD5_WHEN_EVENT ? condition->compare != MD5_IS_SET : !is_compared)
        condition->kind = MD5_WHEN_PARAMETER;
    if (condition->kind == MD5_WHEN_STATE_TIME || condition->kind == MD5_WHEN_TIME_LEFT)
        condition->parameter = NULL;
}

// Fills the tables of a machine with random rows and values.
static void fill_tables(random_tables *to, const md5_schema *machine, uint64_t *random)
{
    to->num_rows = to->num_allocated = 0;
    memset(&to->desc, 0, sizeof to->desc);
    add_row(to, machine, (char *)&to->desc, 0);
    for (uint32_t i = 0; i < to->num_rows; i++) {
        const md5_schema *const schema = to->rows[i].schema;
        char *const row = to->rows[i].row;
        uint32_t kind = md5_row_kind(schema, row, to->rows[i].above);
        if (schema->has_kind) {
            for (uint32_t k = 0; k < schema->num_columns && kind == 0; k++) {
                if (schema->columns[k].offset != schema->kind)
                    continue;
                kind = random_choice(&schema->columns[k], random);
                memcpy(row + schema->kind, &kind, sizeof kind);
            }
        }
        for (uint32_t k = 0; k < schema->num_columns; k++) {
            if (schema->columns[k].form == MD5_FORM_ALWAYS
                && md5_is_column_used(&schema->columns[k], kind)) {
                char *const rows = add_rows(to, schema->columns[k].rows, 1, kind);
                memcpy(row + schema->columns[k].offset, &rows, sizeof rows);
            } else if (!schema->has_kind || schema->columns[k].offset != schema->kind) {
                fill_column(to, schema, k, row, kind, random);
            }
        }
        if (schema->head && strcmp(schema->head, "when") == 0)
            fill_condition((md5_condition *)(void *)row,
                           to->rows[i - 1].schema == schema ? to->rows[i - 1].row : NULL, random);
    }
}

static bool is_same_text(const char *a, const char *b)
{
    const char *const left = a ? a : "";
    const char *const right = b ? b : "";
    return strcmp(left, right) == 0;
}

// Compares two tables column by column.
static bool are_same(const md5_schema *schema, const void *first, const void *second)
{
    md5_table_iterator a = md5i_begin_columns(schema, first, NULL);
    md5_table_iterator b = md5i_begin_columns(schema, second, NULL);
    while (md5i_next_column(&a)) {
        const md5_column *const column = a.column;
        uint32_t counts[2] = {0, 0};
        if (!md5i_next_column(&b) || column != b.column)
            return false;
        if (!column
            || (column->hash == MD5_HASH_USED && !md5_is_column_used(column, a.level->kind)))
            continue;
        const char *const left = md5_column_value(&a);
        const char *const right = md5_column_value(&b);
        bool is_same = true;
        if (column->rows) {
            const bool has_left = md5i_column_rows(column, a.level->row, &counts[0]) != NULL;
            const bool has_right = md5i_column_rows(column, b.level->row, &counts[1]) != NULL;
            is_same = counts[0] == counts[1] && has_left == has_right
                      && (column->kind != MD5_COLUMN_EASING
                          || memcmp(left, right, sizeof(md5_ease_kind)) == 0);
        } else if (column->kind == MD5_COLUMN_TEXT || column->kind == MD5_COLUMN_TEXTS) {
            const size_t count = column->kind == MD5_COLUMN_TEXTS ? column->auxiliary : 1;
            for (size_t i = 0; i < count; i++)
                is_same = is_same
                          && is_same_text(((const char *const *)(const void *)left)[i],
                                          ((const char *const *)(const void *)right)[i]);
        } else if (column->kind == MD5_COLUMN_FLOAT && column->start != 0) {
            const float x = *(const float *)(const void *)left;
            is_same = x == *(const float *)(const void *)right || x == 0;
        } else if (column->kind != MD5_COLUMN_OTHER && column->kind != MD5_COLUMN_MODEL
                   && column->kind != MD5_COLUMN_BINDING) {
            is_same = memcmp(left, right, column_size(column)) == 0;
        }
        if (!is_same) {
            printf("%s: %s differs\n", a.level->schema->description, column->member);
            return false;
        }
    }
    return !md5i_next_column(&b);
}

// MD5_TRANSITIONS sets the number of random machines that are written and read.
TEST (written_machines_are_read_bit_for_bit) {
    static random_tables tables;
    SCOPED_STRING text = malloc(TEXT_SIZE);
    uint64_t random = 77;
    md5_error error = {0};
    const uint32_t count = play_transitions(5000);
    uint32_t num_same = 0;
    if (text) {
        for (uint32_t i = 0; i < count; i++) {
            fill_tables(&tables, &md5i_machine_schema, &random);
            const size_t size =
                md5_write_machine(&tables.desc, "a b.md5mesh", text, TEXT_SIZE, &error);
            md5_machine_file *const file =
                size > 0 ? md5_parse_machine_file(text, size, NULL, &error) : NULL;
            bool is_same = file && are_same(&md5i_machine_schema, &tables.desc, &file->desc);
            is_same =
                is_same && strcmp(file->model_file, "a b.md5mesh") == 0 && file->num_warnings == 0;
            if (!is_same && num_same == i)
                printf("%s\n%s:%u:%u: %s\n", text, file ? "differs" : "refused", error.line,
                       error.column, error.message);
            num_same += is_same;
            md5_free_machine_file(file);
            for (uint32_t j = 0; j < tables.num_allocated; j++)
                free(tables.memory[j]);
        }
    }
    CHECK_UINT(num_same, count);
}

TEST (machines_of_our_models_round_trip_through_text) {
    STRINGS(paths) = {
        "models/bobbin/bobbin.md5machine",
        "models/thimble/thimble.md5machine",
        "models/tendril/tendril.md5machine",
        "test/fuzz/seeds/machine/all.md5machine",
    };
    SCOPED_STRING text = malloc(TEXT_SIZE);
    if (text) {
        for (size_t i = 0; i < COUNT_OF(paths); i++) {
            md5_error error = {0};
            SCOPED_MACHINE_FILE file = md5_load_machine_file(test_path(paths[i]), NULL, &error);
            const size_t size =
                file ? md5_write_machine(&file->desc, file->model_file, text, TEXT_SIZE, &error)
                     : 0;
            SCOPED_MACHINE_FILE again = md5_parse_machine_file(text, size, NULL, &error);
            if (!CHECK(again && size > 0))
                printf("%s:%u:%u: %s\n", paths[i], error.line, error.column, error.message);
            else
                CHECK(are_same(&md5i_machine_schema, &file->desc, &again->desc)
                      && strcmp(file->model_file, again->model_file) == 0);
        }
    }
}

// Copies the tokens of a machine with every kind of entry; some of them are swapped or replaced by
// a number.
static size_t shuffle_tokens(const char *text, char *to, uint64_t *random)
{
    STRINGS(numbers) = {"0", "1", "2", "0.5", "7", "and", "linear", "steps 2"};
    size_t size = 0;
    const char *kept = NULL;
    const char *end = text;
    for (const char *word = text + strspn(text, " \n"); *word; word = end) {
        const size_t length = strcspn(word, " \n");
        end = word + length + strspn(word + length, " \n");
        const bool is_changed = play_random_one_in(random, 500);
        const char *const replacement = play_random_one_in(random, 2) ? kept : NULL;
        if (is_changed && !replacement)
            size += (size_t)sprintf(to + size, "%s ", numbers[play_below(random, 8)]);
        if (is_changed && replacement)
            size +=
                (size_t)sprintf(to + size, "%.*s ", (int)strcspn(replacement, " \n"), replacement);
        if (!is_changed || play_random_one_in(random, 3)) {
            memcpy(to + size, word, (size_t)(end - word));
            size += (size_t)(end - word);
        }
        kept = play_random_one_in(random, 9) ? word : kept;
    }
    return size;
}

// A machine that can be read can be written, and is the same when it is read again.
TEST (machine_round_trips_through_text) {
    SCOPED_STRING mixed = malloc(TEXT_SIZE);
    SCOPED_STRING text = malloc(TEXT_SIZE);
    size_t complete_size;
    SCOPED_STRING complete =
        test_read_file(test_path("test/fuzz/seeds/machine/all.md5machine"), &complete_size);
    uint64_t random = 3;
    uint32_t num_read = 0;
    uint32_t num_same = 0;
    for (uint32_t i = 0; i < play_transitions(6000); i++) {
        md5_error error = {0};
        const size_t mixed_size = shuffle_tokens(complete, mixed, &random);
        SCOPED_MACHINE_FILE file = md5_parse_machine_file(mixed, mixed_size, NULL, &error);
        if (!file)
            continue;
        const size_t size = md5_write_machine(&file->desc, "m", text, TEXT_SIZE, &error);
        SCOPED_MACHINE_FILE again = md5_parse_machine_file(text, size, NULL, &error);
        const bool is_same = again && are_same(&md5i_machine_schema, &file->desc, &again->desc);
        if (!is_same && num_same == num_read)
            printf("%.*s\n%s\n%s\n", (int)mixed_size, mixed, text, error.message);
        num_same += is_same;
        num_read++;
    }
    CHECK(num_read > play_transitions(6000) / 20);
    CHECK_UINT(num_same, num_read);
}

// -- Every iteration handles a new column -------------------------------------------------------

// Lists of columns with one more column, at the reserved member.
typedef struct longer_schema {
    md5_schema machine, modifier;
    md5_column machine_columns[24], modifier_columns[40];
} longer_schema;

static void add_column(longer_schema *to, md5_column column)
{
    to->machine = md5i_machine_schema;
    to->modifier = md5i_modifier_schema;
    to->machine.columns = to->machine_columns;
    to->modifier.columns = to->modifier_columns;
    for (uint32_t i = 0; i < to->machine.num_columns; i++) {
        to->machine_columns[i] = md5i_machine_schema.columns[i];
        if (to->machine_columns[i].rows == &md5i_modifier_schema)
            to->machine_columns[i].rows = &to->modifier;
    }
    for (uint32_t i = 0; i < to->modifier.num_columns; i++)
        to->modifier_columns[i] = md5i_modifier_schema.columns[i];
    CHECK(to->modifier_columns[to->modifier.num_columns - 1].kind == MD5_COLUMN_RESERVED);
    to->modifier_columns[to->modifier.num_columns - 1] = column;
}

static md5_machine_file *read_with(const md5_schema *schema, const char *text, md5_error *error)
{
    md5_context context;
    md5i_context_begin(&context, NULL, "new.md5machine", error);
    return md5i_read_machine(&context, schema, text, strlen(text));
}

static bool check_with(const md5_schema *schema, const md5_machine_desc *desc, md5_error *error)
{
    md5_context context;
    md5i_context_begin(&context, NULL, "new.md5machine", error);
    md5_building building = {.context = &context, .desc = desc};
    return md5i_check_tables(&building, schema, desc);
}

static float glow_value(const md5_modifier_desc *modifier)
{
    float glow;
    memcpy(&glow, modifier->reserved, sizeof glow);
    return glow;
}

// Reading, checking, defaults, copying, fingerprint and writing of machines use the table of
// columns. A column that is only in a test's copy of this table works in all of them.
TEST_WITH (one_table_row_adds_a_column_to_all_functions, play_case, assets, play_begin(assets),
           play_end(assets)) {
    static longer_schema longer;
    add_column(&longer, (md5_column){.kind = MD5_COLUMN_FLOAT,
                                     .member = "glow",
                                     .offset = offsetof(md5_modifier_desc, reserved),
                                     .min = 0,
                                     .max = 8,
                                     .keeps_zero = true,
                                     .is_filled = true,
                                     .otherwise = 2.5f,
                                     .text = "how much it shines"});
    const md5_schema *const schema = &longer.machine;
    md5_error error = {0};
    md5_machine_file *const files[] = {
        read_with(schema, "machine m { modifier a aim head { glow 7.5 } }", &error),
        read_with(schema, "machine m { modifier a aim head { glow 9 } }", &error),
        read_with(schema, "machine m { modifier a aim head }", &error),
    };
    if (CHECK(files[0] && files[1] && files[2])) {
        for (int i = 0; i < 3; i++)
            files[i]->desc.model = assets->model;
        CHECK(glow_value(files[0]->desc.modifiers) == 7.5f);
        CHECK(check_with(schema, &files[0]->desc, &error));
        CHECK(!check_with(schema, &files[1]->desc, &error));
        CHECK_STRING(error.message, "modifier 'a': glow is out of range: expected 0 to 8, found 9");
        CHECK_UINT(error.column, 40);

        md5_modifier_desc filled = *files[2]->desc.modifiers;
        md5i_fill_defaults(&longer.modifier, &filled, 1);
        CHECK(glow_value(&filled) == 2.5f);

        md5_machine_desc copy;
        md5_context copying;
        md5i_context_begin(&copying, NULL, NULL, NULL);
        md5_arena arena = {.context = &copying};
        CHECK(md5i_copy_tables(&arena, schema, &files[0]->desc, &copy));
        CHECK(copy.modifiers != files[0]->desc.modifiers && glow_value(copy.modifiers) == 7.5f);
        CHECK(md5i_compute_fingerprint(schema, &files[0]->desc)
              != md5i_compute_fingerprint(schema, &files[2]->desc));
        md5i_arena_free(&arena);

        char text[256];
        md5_context context;
        md5i_context_begin(&context, NULL, NULL, &error);
        CHECK(md5i_write_machine(&context, schema, &files[0]->desc, NULL, text, sizeof text) > 0);
        CHECK_STRING(text, "machine m {\n    modifier a aim head { glow 7.5 }\n}\n");
    }
    for (int i = 0; i < 3; i++)
        md5_free_machine_file(files[i]);
}

// -- Machines that a file cannot express --------------------------------------------------------

static void is_refused(const md5_machine_desc *desc, const char *message)
{
    char text[256];
    md5_error error = {0};
    CHECK_FAILS(md5_write_machine(desc, NULL, text, sizeof text, &error), error,
                MD5_ERROR_MISMATCH);
    CHECK_STRING(error.message, message);
}

TEST (content_that_a_file_cannot_contain_is_not_written) {
    const md5_modifier_desc quotes = {.name = "a\"b'c", .joint = "head"};
    const md5_motion_desc twice = {.name = "m", .clip = "c", .speed = 2, .speed_parameter = "p"};
    const md5_motion_desc clip = {.name = "m", .kind = MD5_MOTION_STACK, .clip = "c"};
    const md5_layer_desc frame = {.name = "l", .reference_frame = 3};
    const md5_mask_desc bracket = {.name = "b", .joints = "a)b"};
    const md5_mask_desc comment = {.name = "b", .joints = "a /*b*/"};
    const md5_layer_desc eased = {
        .name = "l", .weight = 0.5f, .weight_easing = {.kind = MD5_EASE_SMOOTH}};
    const md5_layer_desc eased_zero = {.name = "l", .weight_easing = {.kind = MD5_EASE_SMOOTH}};
    const md5_modifier_desc eased_curve = {.name = "a",
                                           .joint = "head",
                                           .weight_curve = "c",
                                           .weight_easing = {.kind = MD5_EASE_SMOOTH}};
    const md5_layer_desc endless = {.name = "l", .weight = INFINITY};
    const md5_modifier_desc driven = {
        .name = "a", .joint = "head", .weight_parameter = "p", .weight_curve = "c"};
    is_refused(&(md5_machine_desc){.name = "m", .max_one_shots = 3},
               "machine 'm': max_one_shots cannot be stored in a machine file: expected 0, found "
               "3");
    is_refused(&(md5_machine_desc){.name = "m", ROW(modifiers, quotes)},
               "modifier 'a\"b'c': name contains both kinds of quotes: expected at most one kind");
    is_refused(&(md5_machine_desc){.name = "a\nb"},
               "machine 'a\\x0ab': name contains a line break: expected a text on one line");
    is_refused(&(md5_machine_desc){.name = "m", ROW(motions, twice)},
               "motion 'm': speed is set to a number and a parameter: expected one of them");
    is_refused(&(md5_machine_desc){.name = "m", ROW(motions, clip)},
               "motion 'm': clip is not used by a motion of this kind: expected no value");
    is_refused(&(md5_machine_desc){.name = "m", ROW(layers, frame)},
               "layer 'l': reference_frame has no effect without reference: expected no value");
    is_refused(&(md5_machine_desc){.name = "m", ROW(layers, eased)},
               "layer 'l': weight has an easing but no parameter: expected no easing");
    is_refused(&(md5_machine_desc){.name = "m", ROW(layers, eased_zero)},
               "layer 'l': weight has an easing but no parameter: expected no easing");
    is_refused(&(md5_machine_desc){.name = "m", ROW(modifiers, eased_curve)},
               "modifier 'a': weight has an easing but no parameter: expected no easing");
    is_refused(&(md5_machine_desc){.name = "m", ROW(layers, endless)},
               "layer 'l': weight is out of range: expected -3.4e38 to 3.4e38, found inf");
    is_refused(&(md5_machine_desc){.name = "m", ROW(modifiers, driven)},
               "modifier 'a': weight is set to a parameter and a curve: expected one of them");
    is_refused(&(md5_machine_desc){.name = "m", ROW(masks, bracket)},
               "mask 'b': joints contains a bracket outside quotes: expected joint names, found "
               "')'");
    is_refused(&(md5_machine_desc){.name = "m", ROW(masks, comment)},
               "mask 'b': joints contains a comment outside quotes: expected joint names, found "
               "'/*'");
}

TEST (written_machine_is_cut_at_the_end_of_its_buffer) {
    const md5_machine_desc desc = {.name = "hero"};
    char text[9] = "........";
    CHECK_UINT(md5_write_machine(&desc, NULL, NULL, 0, NULL), strlen("machine hero {\n}\n"));
    CHECK_UINT(md5_write_machine(&desc, NULL, text, sizeof text - 1, NULL), 17);
    CHECK_STRING(text, "machine");
}

// -- The manual ---------------------------------------------------------------------------------

static void print_keywords(test_text *to, const md5_column *column, const char *join)
{
    const char *word;
    uint32_t value;
    if (column->kind == MD5_COLUMN_EASING
        || (column->kind == MD5_COLUMN_CHOICE && !column->choices)) {
        test_append(to, "an easing");
        return;
    }
    for (uint32_t i = 0; (word = md5i_choice_word(column, i, &value)) != NULL; i++)
        test_append(to, "%s`%s`", i > 0 ? join : "", word);
}

// Prints the section of the manual about a schema: a table of its columns.
static void print_schema(test_text *to, const md5_schema *schema, const md5_schema *above)
{
    test_append(to, "\n**%s**: %s\n\n", schema->description, schema->text);
    test_append(to, "| keyword | value | default | used by | meaning |\n|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        if (column->position == MD5_POSITION_NONE)
            continue;
        test_append(to, "| ");

        // Writes the keyword and the value of a column.
        const bool has_word = column->position == MD5_POSITION_BLOCK;
        if (column->kind == MD5_COLUMN_CHOICE || column->kind == MD5_COLUMN_EASING
            || column->choices)
            print_keywords(to, column, " ");
        else if (has_word)
            test_append(to, "`%s`", md5_column_word(column));
        else
            test_append(to, "*%s*", strpbrk(column->member, ". ") ? column->word : column->member);

        test_append(to, " | ");
        STRINGS(what) = {
            [MD5_COLUMN_TEXT] = "name",           [MD5_COLUMN_TEXTS] = "names",
            [MD5_COLUMN_COUNT] = "whole number",  [MD5_COLUMN_INT] = "whole number",
            [MD5_COLUMN_DIRECTION] = "( x y z )", [MD5_COLUMN_FLOAT] = "number",
            [MD5_COLUMN_DOUBLE] = "number",       [MD5_COLUMN_MODEL] = "name",
            [MD5_COLUMN_RESERVED] = NULL,         [MD5_COLUMN_OTHER] = NULL,
        };
        if (column->form == MD5_FORM_AFTER)
            test_append(to, "`%s` ", md5_column_word(column));
        test_append(to, "%s", what[column->kind] ? what[column->kind] : "");
        if (column->form == MD5_FORM_DRIVEN)
            test_append(to, " or parameter%s", column->easing > 0 ? " [easing]" : "");
        if (column->form == MD5_FORM_DRIVEN && column->state > 0)
            test_append(to, " or `state` layer state, `curve` or `window` name");
        if (column->min < column->max)
            test_append(to, ", %g to %g", column->min, column->max);
        else if (column->range && strcmp(column->range, "any") != 0)
            test_append(to, ", %s", column->range);
        test_append(to, " | ");
        if (column->is_filled)
            test_append(to, "%g%s", column->otherwise, column->is_length ? " of id's units" : "");
        else if (column->usual)
            test_append(to, "%s", column->usual);
        test_append(to, " | ");

        // Writes the kinds of entries that have a column.
        const md5_schema *const kinds = schema->kind_is_above ? above : schema;
        const char *word;
        uint32_t value;
        uint32_t count = 0;
        if (column->kinds != 0) {
            for (uint32_t k = 0; k < kinds->num_columns; k++) {
                const md5_column *const kind = &kinds->columns[k];
                if (!kinds->has_kind || kind->offset != kinds->kind)
                    continue;
                for (uint32_t j = 0; (word = md5i_choice_word(kind, j, &value)) != NULL; j++) {
                    if (md5_is_column_used(column, value))
                        test_append(to, "%s`%s`", count++ > 0 ? " " : "", word);
                }
            }
        }

        test_append(to, " | %s |\n", column->text);
    }
}

// Returns the kind of entry that contains a table of entries of the kind `schema`.
static const md5_schema *schema_parent(const schema_list *all, const md5_schema *schema)
{
    for (uint32_t i = 0; i < all->count; i++) {
        for (uint32_t j = 0; j < all->schemas[i]->num_columns; j++) {
            const md5_column *const column = &all->schemas[i]->columns[j];
            if (column->rows == schema)
                return all->schemas[i];
        }
    }
    return NULL;
}

// The tables of machine_files.md must match the schema. If they do not, the test writes a correct
// copy to build/.
TEST (manual_has_every_column) {
    static const char begin[] = "<!-- columns -->\n";
    static const char end[] = "\n<!-- /columns -->";
    test_text printed = {0};
    const schema_list schemas = all_schemas();
    size_t size;
    for (uint32_t i = 0; i < schemas.count; i++)
        print_schema(&printed, schemas.schemas[i], schema_parent(&schemas, schemas.schemas[i]));
    SCOPED_STRING text = test_read_file(test_path("md5/play/machine_files.md"), &size);
    char *const first = text ? strstr(text, begin) : NULL;
    char *const last = first ? strstr(first, end) : NULL;
    REQUIRE(last);
    const char *const tables = first + strlen(begin);
    const bool is_same =
        (size_t)(last - tables) == printed.used && memcmp(tables, printed.bytes, printed.used) == 0;
    if (!CHECK(is_same)) {
        FILE *const file = fopen("build/machine_files.md", "wb");
        if (file) {
            fprintf(file, "%.*s%s%s", (int)(tables - text), text, printed.bytes, last);
            fclose(file);
            printf("the tables are out of date: copy build/machine_files.md over "
                   "md5/play/machine_files.md\n");
        }
    }
    free(printed.bytes);
}
