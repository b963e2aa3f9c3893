// Blocks of words with values: `{ weight 0.5 mask arms add }`, read by a table that says which
// word fills what of a C struct; and the tables that such structs are rows of.
#ifndef MD5_READ_FIELDS_H
#define MD5_READ_FIELDS_H

#include "md5/core/locations.h"
#include "md5/read/lex.h"

// A struct that is filled from the text, and where its members stand there.
typedef struct md5_record {
    void *row;            // NULL: there was no memory for it
    md5_location *places; // one for every four bytes of it; NULL: it keeps none
    md5_locations *text;  // of all tables
} md5_record;

typedef enum md5_field_kind {
    MD5_FIELD_NAME,      // const char *: a word or a string
    MD5_FIELD_FLOAT,     // float
    MD5_FIELD_DEFAULTED, // float; the struct has MD5_ZERO for a 0 of the text, 0 being its default
    MD5_FIELD_DOUBLE,    // double
    MD5_FIELD_COUNT,     // uint32_t
    MD5_FIELD_NUMBER,    // uint32_t, not 0
    MD5_FIELD_INT,       // int32_t
    MD5_FIELD_FRAME,     // uint32_t: the text counts from 1, the struct from 0
    MD5_FIELD_DIRECTION, // md5_vec3, not 0 0 0
    MD5_FIELD_CHOICE,    // an enum, set to `value` by the word alone
    MD5_FIELD_FLAG,      // bool, set to true by the word alone
    MD5_FIELD_SHARE,     // as DEFAULTED; or, for a word that is no number, const char * at `other`
    MD5_FIELD_BLOCK,     // whatever `read` makes of it
} md5_field_kind;

typedef struct md5_field {
    const char *word;
    md5_field_kind kind;
    size_t offset, other;
    int value;
    // Reads what follows the word, which begins at `at`.
    bool (*read)(md5_lex *lex, const char *at, md5_record record);
    uint32_t kinds; // bits of the block's kinds to which the word means something; 0 = all
} md5_field;

// The words of one kind of block.
typedef struct md5_block_words {
    const char *what; // "a clip", for messages
    const md5_field *fields;
    uint32_t num_fields; // at most 32
    uint32_t kind;       // number of a bit in md5_field.kinds
} md5_block_words;

// Reads words up to the closing brace. A word that no field has is an error; one of those with a
// value that is given twice, or one that means nothing to the block's kind, a warning.
bool md5_read_fields(md5_lex *lex, const md5_block_words *words, md5_record record);

// The same if a brace comes next, else nothing.
bool md5_read_optional_fields(md5_lex *lex, const md5_block_words *words, md5_record record);

// The field of a word, or NULL.
const md5_field *md5_find_field(const md5_block_words *words, md5_span word);

// What follows one field's word, which began at `at`.
bool md5_read_field(md5_lex *lex, const md5_field *field, const char *at, md5_record record);

// A word or string that comes next, NUL-terminated in the arena. A bare one may have bytes from
// 0x80 on, as UTF-8 has. `member` of the record is set to it, and has its place.
bool md5_read_name(md5_lex *lex, md5_record record, const char *what, const char **member);
const char *md5_copy_text(md5_lex *lex, const char *bytes, size_t size); // NULL: no memory

// As md5_lex_take_word(); but of a name that comes instead nothing is skipped.
bool md5_take_keyword(md5_lex *lex, const char *word);

// Gives a member of the record the place where the lexer stands.
void md5_note_place(md5_lex *lex, md5_record record, const void *member);

// Room for one more row at the end of a table that belongs to `owner`: zeroed, and counted. `rows`
// points to the table's pointer; each of its *count rows has `size` bytes. The row is NULL when
// there is no memory. Time is linear in how often it is called.
md5_record md5_append(md5_lex *lex, md5_record owner, void *rows, uint32_t *count, size_t size);

#endif
