// Blocks of words with values: `{ weight 0.5 mask arms add }`, read by a table that says which
// word fills what of a C struct.
#ifndef MD5_READ_FIELDS_H
#define MD5_READ_FIELDS_H

#include "md5/read/lex.h"

typedef enum md5_field_kind {
    MD5_FIELD_NAME,   // const char *: a word or a string
    MD5_FIELD_FLOAT,  // float
    MD5_FIELD_DOUBLE, // double
    MD5_FIELD_COUNT,  // uint32_t
    MD5_FIELD_INT,    // int32_t
    MD5_FIELD_FRAME,  // uint32_t: the text counts from 1, the struct from 0
    MD5_FIELD_VECTOR, // md5_vec3
    MD5_FIELD_CHOICE, // an enum, set to `value` by the word alone
    MD5_FIELD_FLAG,   // bool, set to true by the word alone
    MD5_FIELD_SHARE,  // float; or, for a word that is no number, const char * at `other`
    MD5_FIELD_BLOCK,  // whatever `read` makes of it
} md5_field_kind;

typedef struct md5_field {
    const char *word;
    md5_field_kind kind;
    size_t offset, other;
    int value;
    // Reads what follows the word, which begins at `at`, into the whole struct.
    bool (*read)(md5_lex *lex, const char *at, void *object);
} md5_field;

// Reads words up to the closing brace. `what` names the block in messages. A word that no field
// has is an error; one of those with a value that is given twice a warning.
bool md5_read_fields(md5_lex *lex, const char *what, const md5_field *fields, uint32_t num_fields,
                     void *object);

// The same if a brace comes next, else nothing.
bool md5_read_optional_fields(md5_lex *lex, const char *what, const md5_field *fields,
                              uint32_t num_fields, void *object);

// What follows one field's word, which began at `at`.
bool md5_read_field(md5_lex *lex, const md5_field *field, const char *at, void *object);

// A word or string that comes next, NUL-terminated in the arena.
bool md5_read_name(md5_lex *lex, const char *what, const char **name);
const char *md5_copy_text(md5_lex *lex, const char *bytes, size_t size); // NULL: no memory

// Room for one more at the end of `items`, of which there are *count, each of `size` bytes:
// zeroed, and counted. NULL when there is no memory. Time is linear in how often it is called.
void *md5_append(md5_lex *lex, void *items, uint32_t *count, size_t size);

#endif
