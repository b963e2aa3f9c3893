// What a machine is made of: one list of columns for each kind of row. Reading and writing of
// machine files, checks, defaults, copies, the fingerprint and the tables of machine_files.md are
// one walk each over these lists, so a number that is added to a list is known to all of them.
#ifndef MD5_PLAY_SCHEMA_H
#define MD5_PLAY_SCHEMA_H

#include "md5/core/arena.h"
#include "md5/md5play.h"

typedef struct md5_schema md5_schema;

typedef enum md5_column_kind {
    MD5_COLUMN_TEXT,      // const char *
    MD5_COLUMN_TEXTS,     // const char *[number]: those behind the first NULL do not count
    MD5_COLUMN_FLOAT,     // float
    MD5_COLUMN_DOUBLE,    // double
    MD5_COLUMN_COUNT,     // uint32_t
    MD5_COLUMN_INT,       // int32_t
    MD5_COLUMN_FLAG,      // bool
    MD5_COLUMN_DIRECTION, // md5_vec3
    MD5_COLUMN_CHOICE,    // an enumeration
    MD5_COLUMN_TABLE,     // a pointer to rows, and their number in another member
    MD5_COLUMN_ROW,       // a pointer to one row, or NULL
    MD5_COLUMN_PART,      // a row within the row
    MD5_COLUMN_EASING,   // a md5_easing within the row, which is no row if its kind is up to `last`
    MD5_COLUMN_MODEL,    // const md5_model *; in files the name of one, a member of the file
    MD5_COLUMN_BINDING,  // const md5_binding *
    MD5_COLUMN_RESERVED, // uint64_t[number], all 0
    MD5_COLUMN_OTHER,    // not a matter of what the machine does
} md5_column_kind;

// Where a column stands in a machine file.
typedef enum md5_place {
    MD5_PLACE_WORD,    // in the braces, behind its word; a choice by the choice's own word
    MD5_PLACE_HEAD,    // before the braces, in the order of the columns
    MD5_PLACE_BEHIND,  // behind the value of the column before it
    MD5_PLACE_NOWHERE, // in C tables only, or with the column that has it as its other form
} md5_place;

// What is written otherwise than others of its kind.
typedef enum md5_form {
    MD5_FORM_PLAIN,
    MD5_FORM_OPTIONAL,   // a value that may be left out
    MD5_FORM_SHARE,      // a number, or the name of a parameter and perhaps an easing
    MD5_FORM_LIST,       // a table in round brackets
    MD5_FORM_CONDITIONS, // a table of rows with `and` between
    MD5_FORM_COMPARED,   // a name, perhaps behind `not`; or a word of the column after the next
    MD5_FORM_OR_AT,      // a value, unless `at` follows, which is the next column
    MD5_FORM_JOINTS,     // the words of a mask in round brackets
    MD5_FORM_EVENT,      // a name on the same line
    MD5_FORM_LINE,       // the rest of the line
    MD5_FORM_SPAN,       // a number, perhaps with a hyphen before that of the next column
    MD5_FORM_AFTER,      // a name or number behind the column's word; both may be left out
    MD5_FORM_ALWAYS,     // one row, in whose braces also words of its owner may stand
} md5_form;

typedef enum md5_hash {
    MD5_HASH_ALWAYS,
    MD5_HASH_NEVER,
    MD5_HASH_USED, // if the row's kind uses it
    MD5_HASH_SET,  // if it is not 0
    MD5_HASH_ROWS, // of a table: without the number of rows
} md5_hash;

// A value of an enumeration with its word.
typedef struct md5_choice {
    const char *word;
    uint32_t value;
} md5_choice;

// What may drive a share beside a parameter: names that lie one behind the other, and the word in
// front of each; NULL: none.
enum { MD5_DRIVERS = 4 };
typedef struct md5_driver {
    const char *word;
    const char *what;
} md5_driver;
extern const md5_driver md5i_drivers[MD5_DRIVERS];

// A text of the manual alone: small programs only keep whether there is one.
#ifdef MD5_NO_MANUAL
typedef bool md5_manual;
#else
typedef const char *md5_manual;
#endif

typedef struct md5_column {
    md5_column_kind kind;
    const char *member;
    size_t offset;
    size_t other; // the number of rows or elements; of a share, the parameter; of OTHER, its size
    const md5_schema *rows;    // of tables, rows and parts
    uint32_t last;             // the largest value of a choice
    const md5_choice *choices; // [num_choices], NULL: easings
    uint32_t num_choices;
    md5_manual text;
    size_t easing; // of a share: its easing; 0: it has none
    size_t state;  // of a share that md5i_drivers may drive: their names; 0: none
    md5_place place;
    md5_form form;
    const char *word;   // in files, instead of its rows' or the member's name
    const char *what;   // in files' messages, where it has no word
    const char *label;  // in messages of checks, instead of the member's name
    double least, most; // if not equal; else a number must be finite
    md5_manual range;   // which numbers it may be, where that is not one range for all machines
    bool
        keeps_zero; // a 0 of a file is MD5_EXPLICIT_ZERO in the table, where 0 means something else
    bool is_filled; // 0 means `otherwise`, times id's units if `is_length`
    bool is_length; // in units; of a direction: it is none, and may be 0
    bool is_positive;    // a file says 1 or more; 0 is the default
    bool is_text_filled; // the machine's copy has "" for NULL
    float otherwise;
    const char *usual; // what 0 or NULL means, if that is no number
    float start;       // of a file's row, where the column is not written
    uint64_t kinds;    // bits of the kinds of row that use it; 0 = all
    md5_hash hash;
} md5_column;

struct md5_schema {
    const char *what;  // "a clip": its braces in messages of files
    const char *head;  // "clip": its word and its title in the manual
    const char *owner; // in messages of checks; NULL: its head if it has a name, else as above
    const char *mark;  // hashed before its rows
    md5_manual text;
    size_t kind; // the member that says of which kind a row is
    bool has_kind;
    size_t name; // the member that is its name in messages of checks
    bool has_name;
    bool kind_is_above; // instead, that of the row above
    bool needs_braces;
    bool has_no_braces;
    size_t size;
    uint32_t num_columns; // at most 64 words
    const md5_column *columns;
};

// The file's are those of the machine, and the name of the model.
extern const md5_schema md5i_machine_schema;
extern const md5_schema md5i_clip_schema, md5i_window_schema, md5i_curve_schema, md5i_motion_schema,
    md5i_item_schema, md5i_layer_schema, md5i_transition_schema, md5i_condition_schema,
    md5i_modifier_schema, md5i_foot_schema, md5i_gaze_schema, md5i_hold_schema, md5i_morph_schema,
    md5i_easing_schema;

// The word of a choice: its number i in the list becomes the value; NULL behind the last one.
const char *md5i_choice_word(const md5_column *column, uint32_t i, uint32_t *value);

static inline const char *md5_column_word(const md5_column *column)
{
    const char *const head = column->rows ? column->rows->head : NULL;
    return column->word ? column->word : head ? head : column->member;
}

// Of which kind a row is, as a number of a bit in md5_column.kinds.
static inline uint32_t md5_kind_of(const md5_schema *schema, const void *row, uint32_t above)
{
    uint32_t kind = 0;
    if (schema->has_kind)
        memcpy(&kind, (const char *)row + schema->kind, sizeof kind);
    return schema->kind_is_above ? above : kind;
}

static inline bool md5_is_used(const md5_column *column, uint32_t kind)
{
    return column->kinds == 0 || (kind < 64 && (column->kinds >> kind & 1) != 0);
}

static inline const md5_easing *md5_easing_of(const char *row, size_t offset)
{
    return (const md5_easing *)(const void *)(row + offset);
}

// A number, a flag, a choice, or the kind of an easing; 0 of other columns.
double md5i_column_number(const md5_column *column, const char *row);

// The rows of a column of kind TABLE, ROW, PART or EASING.
const char *md5i_rows_of(const md5_column *column, const char *row, uint32_t *count);

// Goes through a row, column after column, and behind a column of rows through these. Tables lie at
// most four deep, so there is no recursion. Behind the last column of each row `column` is NULL.
typedef struct md5_table_level {
    const md5_schema *schema;
    const char *row;
    char *copy; // the row's counterpart, if the caller wants one: goes on with it
    uint32_t left;
    uint32_t next;
    uint32_t kind;
} md5_table_level;

enum { MD5_TABLE_DEPTH = 6 };
typedef struct md5_table_walk {
    md5_table_level levels[MD5_TABLE_DEPTH];
    int top;
    const md5_column *column;
    md5_table_level *level; // that has the column
    char *copies;           // of the rows of `column`, for the next step
} md5_table_walk;

md5_table_walk md5i_begin_columns(const md5_schema *schema, const void *row, void *copy);
bool md5i_next_column(md5_table_walk *walk);

// The bytes of a value.
static inline const char *md5_column_value(const md5_table_walk *walk)
{
    return walk->level->row + walk->column->offset;
}

// Of what a message about a row speaks: the kind and name of the row or of the nearest one above
// it.
typedef struct md5_row_title {
    const char *kind;
    const char *name;
} md5_row_title;
md5_row_title md5i_title_of(const md5_table_walk *walk);

// md5_parse_machine_file() and md5_write_machine() with a list of columns of a test.
md5_machine_file *md5i_read_machine(md5_context *context, const md5_schema *schema,
                                    const char *text, size_t size);
size_t md5i_write_machine(md5_context *context, const md5_schema *schema,
                          const md5_machine_desc *desc, const char *model_file, char *text,
                          size_t size);

// Frees an arena that something made has taken over, which may itself lie in it.
void md5i_free_memory(const md5_internal *internal);

// Fills in defaults of a row. `unit` is the length of one of id's units.
void md5i_fill_defaults(const md5_schema *schema, void *row, float unit);

// -- Locations in a text ------------------------------------------------------------------------
//
// Locations in a text of the members of tables, for errors that are found only after the text was
// read: the error in `modifier look aim haed` is found when the machine is created. Invariant:
// every four bytes of a table's rows have one location, stored after the rows in the same
// allocation.

typedef struct md5_location {
    uint32_t line, column; // 1-based, as in md5_error; 0 = none
} md5_location;

enum { MD5_LOCATION_UNIT = 4 }; // bytes that share one location

// A table that was read from a text: rows, followed by one location for every four bytes. A
// member's location is that of its first four bytes.
typedef struct md5_located_table {
    struct md5_located_table *next;
    unsigned char *rows;
    size_t size; // of the rows, in bytes; the locations follow
} md5_located_table;

// All tables that were read from one text.
typedef struct md5_locations {
    const char *file; // its name, or ""
    md5_located_table *tables;
} md5_locations;

// Returns the locations of the row at `offset` bytes, in rows of `size` bytes in total.
static inline md5_location *md5_locations_at(unsigned char *rows, size_t size, size_t offset)
{
    return (md5_location *)(void *)(rows + size) + offset / MD5_LOCATION_UNIT;
}

// Returns the location of a member of a row; 0:0 if it is in no table or has no location.
// `locations` may be NULL. Time is linear in the number of tables.
md5_location md5i_find_location(const md5_locations *locations, const void *member);

#endif
