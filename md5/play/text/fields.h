// Readers for blocks of keywords with values, such as `{ weight 0.5 mask arms add }`. A table of
// fields maps each keyword to a member of a C struct; the structs are rows of growing tables.
#ifndef MD5_READ_FIELDS_H
#define MD5_READ_FIELDS_H

#include "md5/md5play.h"
#include "md5/core/locations.h"
#include "md5/read/lex_values.h"

// A struct that is filled from the text, and where its members stand there.
typedef struct md5_record {
    void *row;                      // NULL: there was no memory for it
    md5_location *places;           // one for every four bytes of it
    md5_locations *text;            // of all tables
    const struct md5_record *owner; // of the row to which fields with `of_owner` belong, or NULL
} md5_record;

typedef enum md5_field_kind {
    MD5_FIELD_NAME,      // const char *: a word or a string
    MD5_FIELD_FLOAT,     // float
    MD5_FIELD_DEFAULTED, // float; the struct has MD5_ZERO for a 0 of the text, 0 being its default
    MD5_FIELD_DOUBLE,    // double
    MD5_FIELD_COUNT,     // uint32_t
    MD5_FIELD_NUMBER,    // uint32_t, not 0
    MD5_FIELD_INT,       // int32_t
    MD5_FIELD_DIRECTION, // md5_vec3, not 0 0 0
    MD5_FIELD_CHOICE,    // an enum, set to `value` by the word alone
    MD5_FIELD_FLAG,      // bool, set to true by the word alone
    MD5_FIELD_SHARE,     // as DEFAULTED; or, for a word that is no number, const char * at `other`,
                         // and if `curve` is not 0, an easing: const md5_easing_curve * there
    MD5_FIELD_BLOCK,     // read by the field's own function `read`
} md5_field_kind;

typedef struct md5_field {
    const char *word;
    md5_field_kind kind;
    size_t offset, other;
    int value;
    // Reads the values after the keyword, which begins at `at`.
    bool (*read)(md5_lex *lex, const char *at, md5_record record);
    uint32_t kinds; // bits of the kinds of block that use the keyword; 0 = all
    size_t curve;
    bool of_owner; // `offset` is in the row of the record's owner
} md5_field;

// The words of one kind of block.
typedef struct md5_block_words {
    const char *what; // "a clip", for messages
    const md5_field *fields;
    uint32_t num_fields; // at most 64
    uint32_t kind;       // number of a bit in md5_field.kinds
} md5_block_words;

// Reads keywords up to the closing brace. An unknown keyword is an error. One with a value that
// appears twice, or that this kind of block does not use, is a warning.
bool md5i_read_fields(md5_lex *lex, const md5_block_words *words, md5_record record);

// The same if a brace comes next; else reads nothing.
bool md5i_read_optional_fields(md5_lex *lex, const md5_block_words *words, md5_record record);

// Returns the field of a keyword, or NULL.
const md5_field *md5i_find_field(const md5_block_words *words, md5_span word);

// Reads the values of one field, whose keyword began at `at`.
bool md5i_read_field(md5_lex *lex, const md5_field *field, const char *at, md5_record record);

// Reads a word or string and stores it in `member` of the record, with its location. The copy in
// the arena is NUL-terminated. A bare word may have bytes from 0x80 on, as in UTF-8.
bool md5i_read_name(md5_lex *lex, md5_record record, const char *what, const char **member);
const char *md5i_copy_text(md5_lex *lex, const char *bytes, size_t size); // NULL: no memory

// As md5_lex_take_word(), but a word that continues with bytes from 0x80 on is a name, not `word`.
bool md5i_take_keyword(md5_lex *lex, const char *word);

// Reads the numbers of an easing that has some, behind its word, into a member of the record: those
// of `cubic_bezier X1 Y1 X2 Y2`; of `steps N`, with `jump_start`, `jump_none` or `jump_both`.
bool md5i_read_bezier(md5_lex *lex, md5_record record, md5_easing_curve *curve);
bool md5i_read_steps(md5_lex *lex, md5_record record, md5_easing_curve *curve);

// Reads an easing, if the next word is one, into a row of its own; else *curve becomes NULL.
bool md5i_read_easing(md5_lex *lex, md5_record record, const md5_easing_curve **curve);

// Stores the lexer's position as the location of a member of the record.
void md5i_note_place(md5_lex *lex, md5_record record, const void *member);

// Appends a zeroed row to a table of `owner`. `rows` points to the table's pointer; each of its
// *count rows has `size` bytes. The row is NULL if memory runs out. Amortized constant time.
md5_record md5i_append(md5_lex *lex, md5_record owner, void *rows, uint32_t *count, size_t size);

#endif
