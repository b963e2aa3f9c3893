// The schema of the tables that describe a machine. A table is an array of structures of md5play.h,
// such as md5_machine_desc.clips. Each structure is a row, and each of its members is a column. The
// schema lists the columns of each kind of row.
//
// Each of the following tasks is one pass over these lists: reading and writing of machine files,
// checks, defaults, copies, the fingerprint, and the tables of machine_files.md. Therefore a new
// column only has to be added to a list. md5_table_iterator visits a row and all rows below it.
//
// The second part of this file stores the locations of values in a machine file.
#ifndef MD5_PLAY_SCHEMA_H
#define MD5_PLAY_SCHEMA_H

#include "md5/core/arena.h"
#include "md5/md5play.h"

typedef struct md5_schema md5_schema;

// Type of a column's member.
typedef enum md5_column_kind {
    MD5_COLUMN_TEXT,      // const char *
    MD5_COLUMN_TEXTS,     // const char *[number]; the first NULL ends the list
    MD5_COLUMN_FLOAT,     // float
    MD5_COLUMN_DOUBLE,    // double
    MD5_COLUMN_COUNT,     // uint32_t
    MD5_COLUMN_INT,       // int32_t
    MD5_COLUMN_FLAG,      // bool
    MD5_COLUMN_DIRECTION, // md5_vec3
    MD5_COLUMN_CHOICE,    // an enumeration
    MD5_COLUMN_TABLE,     // a pointer to rows; another member contains their number
    MD5_COLUMN_ROW,       // a pointer to one row, or NULL
    MD5_COLUMN_PART,      // a structure that is a member of the row
    MD5_COLUMN_EASING,    // a member md5_easing; has columns only if its kind is above `last`
    MD5_COLUMN_MODEL,     // const md5_model *; a file contains its name instead
    MD5_COLUMN_BINDING,   // const md5_binding *
    MD5_COLUMN_RESERVED,  // uint64_t[number], all 0
    MD5_COLUMN_OTHER,     // data without influence on the machine, such as locations
} md5_column_kind;

// Position of a column in a machine file. A row is written as KEYWORD HEAD { BLOCK }.
typedef enum md5_column_position {
    MD5_POSITION_BLOCK, // in the braces, after its keyword; the keyword of a choice is its value
    MD5_POSITION_HEAD,  // before the braces, in the order of the columns
    MD5_POSITION_AFTER, // after the value of the previous column
    MD5_POSITION_NONE,  // not written itself: only in C tables, or a form of another column
} md5_column_position;

// Syntax of a column's value in a machine file. MD5_FORM_PLAIN is the usual syntax of its kind.
typedef enum md5_form {
    MD5_FORM_PLAIN,
    MD5_FORM_OPTIONAL,   // a value that may be omitted
    MD5_FORM_DRIVEN,     // a number; a parameter, optionally with an easing; or a driver
    MD5_FORM_LIST,       // a table in round brackets
    MD5_FORM_CONDITIONS, // a table of conditions with `and` between them
    MD5_FORM_COMPARED, // a name, optionally after `not`; or a keyword of the column after the next
    MD5_FORM_OR_AT,    // a value, unless `at` follows, which is the next column
    MD5_FORM_JOINTS,   // a joint list in round brackets
    MD5_FORM_EVENT,    // a name on the same line
    MD5_FORM_LINE,     // the remaining line
    MD5_FORM_SPAN,     // a number, optionally followed by a hyphen and the next column's number
    MD5_FORM_AFTER,    // a name or number after the column's keyword; both may be omitted
    MD5_FORM_ALWAYS,   // one row; its braces may also contain keywords of its owner
} md5_form;

// Condition under which a column is part of the fingerprint of a machine. Saved players contain the
// fingerprint of their machine, so it must not change for an existing machine. Therefore columns
// that were added later are hashed only if they are used.
typedef enum md5_hash {
    MD5_HASH_ALWAYS,
    MD5_HASH_NEVER,
    MD5_HASH_USED, // if this kind of row uses the column
    MD5_HASH_SET,  // if the value is not 0
    MD5_HASH_ROWS, // a table: its rows without their number
} md5_hash;

// A value of an enumeration and its keyword in machine files.
typedef struct md5_choice {
    const char *word;
    uint32_t value;
} md5_choice;

// A driven value is a number, a parameter or a driver. A driver is a source of a value that changes
// during playback, such as the weight of a state. A row contains the names of its drivers in
// adjacent members.
enum { MD5_NUM_DRIVERS = 4 };
typedef struct md5_driver {
    const char *word;        // keyword before the name; NULL: a further name of the driver before
                             // it, such as the state after its layer
    const char *description; // description of the name in messages
} md5_driver;
extern const md5_driver md5i_drivers[MD5_NUM_DRIVERS];

// A text that is used only in the manual. Programs without the manual store only whether the text
// exists.
#ifdef MD5_NO_MANUAL
typedef bool md5_manual;
#else
typedef const char *md5_manual;
#endif

// A column of a table: the member in C, the keyword in a file, the default and the permitted
// values.
typedef struct md5_column {
    md5_column_kind kind;
    const char *member;
    size_t offset;
    size_t auxiliary; // offset of the row count, number of elements, offset of a driven value's
                      // parameter, or size
    const md5_schema *rows;    // schema of tables, rows and parts
    uint32_t last;             // largest value of a choice
    const md5_choice *choices; // [num_choices]; NULL: the choices are the easings
    uint32_t num_choices;
    md5_manual text;
    size_t easing; // offset of a driven value's easing; 0: none
    size_t state;  // offset of the names of a driven value's drivers (md5i_drivers); 0: none
    md5_column_position position;
    md5_form form;
    const char *word; // keyword in files; default: the keyword of its rows or the member's name
    const char *description; // name in messages about files, for a column without a keyword
    const char *label;       // name in messages of checks; default: the member's name
    double min;              // minimum; if min and max are equal, any finite number is permitted
    double max;              // maximum
    md5_manual range;        // permitted values, if min and max cannot express them
    bool keeps_zero;         // 0 in a file becomes MD5_EXPLICIT_ZERO, because 0 selects the default
    bool is_filled;          // 0 selects the default `otherwise`
    bool is_length;      // a length: its default is in id's units; a direction: an offset, may be 0
    bool is_positive;    // must be at least 1 in a file; 0 in C selects the default
    bool is_text_filled; // the machine's copy is "" instead of NULL
    float otherwise;     // default value if is_filled
    const char *usual;   // description of the default that 0 or NULL selects
    float start;         // initial value for rows that are read from a file
    uint64_t kinds;      // bits of the kinds of row that use it; 0 = all
    md5_hash hash;
} md5_column;

// A kind of row: its names, its form in a machine file, and its columns.
struct md5_schema {
    const char *description; // name of a block in messages about files: "a clip"
    const char *head;        // keyword, and title in the manual: "clip"
    // Name in messages of checks; default: `head` if it has a name, or the row above
    const char *owner;
    const char *mark; // text that is hashed before its rows
    md5_manual text;
    size_t kind; // offset of the member that contains the kind of a row
    bool has_kind;
    size_t name; // offset of the member that contains the name in messages of checks
    bool has_name;
    bool kind_is_above; // the kind of a row is the kind of its owner
    bool needs_braces;
    bool has_no_braces;
    size_t size;
    uint32_t num_columns; // at most 64 keywords
    const md5_column *columns;
};

// The columns of a machine. A machine file has the same columns and the name of the model.
extern const md5_schema md5i_machine_schema;
extern const md5_schema md5i_clip_schema, md5i_window_schema, md5i_curve_schema, md5i_motion_schema,
    md5i_item_schema, md5i_layer_schema, md5i_transition_schema, md5i_condition_schema,
    md5i_modifier_schema, md5i_foot_schema, md5i_gaze_schema, md5i_hold_schema, md5i_morph_schema,
    md5i_easing_schema;

// Returns the keyword of the choice with index i and sets *value, or returns NULL after the last
// choice.
const char *md5i_choice_word(const md5_column *column, uint32_t i, uint32_t *value);

// Returns the keyword of a column.
static inline const char *md5_column_word(const md5_column *column)
{
    if (column->word)
        return column->word;
    if (column->rows && column->rows->head)
        return column->rows->head;
    return column->member;
}

// Returns the kind of a row. This is the index of a bit in md5_column.kinds. `above` is the kind of
// the row that contains this row.
static inline uint32_t md5_row_kind(const md5_schema *schema, const void *row, uint32_t above)
{
    uint32_t kind = 0;
    if (schema->has_kind)
        memcpy(&kind, (const char *)row + schema->kind, sizeof kind);
    return schema->kind_is_above ? above : kind;
}

// Returns true if a kind of row uses a column.
static inline bool md5_is_column_used(const md5_column *column, uint32_t kind)
{
    return column->kinds == 0 || (kind < 64 && (column->kinds >> kind & 1) != 0);
}

static inline const md5_easing *md5_row_easing(const char *row, size_t offset)
{
    return (const md5_easing *)(const void *)(row + offset);
}

// Returns the value of a number, flag or choice, or the kind of an easing; 0 for other columns.
double md5i_column_number(const md5_column *column, const char *row);

// Returns the rows of a column and sets *count to their number. The column has the kind TABLE, ROW,
// PART or EASING.
const char *md5i_column_rows(const md5_column *column, const char *row, uint32_t *count);

// The current row in one level of nested tables.
typedef struct md5_table_level {
    const md5_schema *schema;
    const char *row;
    char *copy;    // corresponding row of a copy, if the caller creates one
    uint32_t left; // number of remaining rows, including the current row
    uint32_t next; // index of the next column
    uint32_t kind; // kind of the current row: md5_row_kind()
} md5_table_level;

// Iterator over the columns of a row and of all rows below it, in depth-first order: the rows of a
// column follow directly after it. At the end of each row it stops once more, with `column` set to
// NULL. The levels are a stack. Tables are nested at most four levels deep.
enum { MD5_TABLE_DEPTH = 6 };
typedef struct md5_table_iterator {
    md5_table_level levels[MD5_TABLE_DEPTH];
    int top;
    const md5_column *column;
    md5_table_level *level; // level of the column
    char *copies; // copies of the column's rows; the caller may set it before the next step
} md5_table_iterator;

md5_table_iterator md5i_begin_columns(const md5_schema *schema, const void *row, void *copy);
bool md5i_next_column(md5_table_iterator *iterator);

// Returns the address of the value of the current column.
static inline const char *md5_column_value(const md5_table_iterator *iterator)
{
    return iterator->level->row + iterator->column->offset;
}

// Kind and name of a row in messages, such as "clip" and "walk". A row without a kind or name uses
// the kind or name of the nearest row above it.
typedef struct md5_row_title {
    const char *kind;
    const char *name;
} md5_row_title;
md5_row_title md5i_row_title_at(const md5_table_iterator *iterator);

// The same as md5_parse_machine_file() and md5_write_machine(), but with a schema as a parameter.
// Tests pass schemas with their own columns.
md5_machine_file *md5i_read_machine(md5_context *context, const md5_schema *schema,
                                    const char *text, size_t size);
size_t md5i_write_machine(md5_context *context, const md5_schema *schema,
                          const md5_machine_desc *desc, const char *model_file, char *text,
                          size_t size);

// Frees the arena of an object. The object may be in the arena.
void md5i_free_memory(const md5_internal *internal);

// Replaces values of a row that select a default by this default. `unit` is the length of one of
// id's units.
void md5i_fill_defaults(const md5_schema *schema, void *row, float unit);

// -- Locations in a text ------------------------------------------------------------------------
//
// The reader stores the location of each value of a machine file, because some errors are found
// only when the machine is created. An example is the unknown joint in `modifier look aim haed`.
// Invariant: every four bytes of a table's rows have one location. The locations are stored after
// the rows in the same allocation.

typedef struct md5_location {
    uint32_t line;   // 1-based, as in md5_error; 0 = none
    uint32_t column; // 1-based
} md5_location;

enum { MD5_LOCATION_UNIT = 4 }; // bytes that share one location

// A table that was read from a text: rows, followed by one location for every four bytes of the
// rows. The location of a member is the location of its first four bytes.
typedef struct md5_located_table {
    struct md5_located_table *next;
    unsigned char *rows;
    size_t size; // size of the rows, bytes; the locations follow
} md5_located_table;

// All tables that were read from one text.
typedef struct md5_locations {
    const char *file; // name of the text, or ""
    md5_located_table *tables;
} md5_locations;

// Returns the locations of one row of a table. `rows` is the table, and `size` its size. `offset`
// is the position of the row in the table. Both are in bytes.
static inline md5_location *md5_locations_at(unsigned char *rows, size_t size, size_t offset)
{
    return (md5_location *)(void *)(rows + size) + offset / MD5_LOCATION_UNIT;
}

// Returns the location of a member of a row. Returns 0:0 if the member was not read from the text.
// `locations` may be NULL. The time is linear in the number of tables.
md5_location md5i_find_location(const md5_locations *locations, const void *member);

#endif
