// What all MD5 files share: the words at their top, the version, counts, the end.
#ifndef MD5_READ_HEADER_H
#define MD5_READ_HEADER_H

#include "md5/read/lex.h"

typedef enum md5_kind {
    MD5_KIND_MESH = 1,
    MD5_KIND_ANIM = 2,
    MD5_KIND_CAMERA = 4,
    MD5_KIND_VERSION_6 = 8, // words that only the files of the 2002 alpha have
} md5_kind;

// The kinds of file in which `word` stands at the top level; 0 = none.
unsigned md5_word_kinds(md5_span word);
bool md5_is_top_word(md5_span word);

// A number that the header gives once.
typedef struct md5_count {
    const char *at; // where the number stands; NULL = not given yet
    uint32_t value;
} md5_count;

typedef struct md5_header {
    md5_kind kind;
    const char *version_at; // NULL: no line `MD5Version`
    uint32_t version;
    md5_span command_line;
    bool has_command_line;
} md5_header;

// Looks at the first word: an error that says so if this is no MD5 file, or an empty one.
bool md5_header_begin(md5_lex *lex, md5_header *header);

// Reads the word at the top level that comes next and belongs to the header, or is not known,
// with what follows it; an error if it belongs to a file of another kind.
bool md5_header_word(md5_lex *lex, md5_header *header, md5_span word);

// Warns of a header that lacks `commandline`, of further blocks `what`, of which there should be
// `count` by `count_word`, and of other text behind the last.
bool md5_header_end(md5_lex *lex, const md5_header *header, const char *what,
                    const char *count_word, const md5_count *count);

// The number behind `word`, which was consumed: at least `least`, and no more than the rest of the
// text could hold if each of what it counts takes `bytes` there.
bool md5_read_count(md5_lex *lex, const char *word, uint32_t least, size_t bytes, md5_count *count);

// An error unless `count` was given before the word that comes next.
bool md5_need_count(md5_lex *lex, const md5_count *count, const char *word);

// Whether the block of `count` rows ends here. An error if not, which says how many rows there are
// if those that follow have the same form. `row` is that form: n the name of a joint, i a number,
// p numbers in parentheses, w a word, o any number of words with parentheses behind.
bool md5_end_rows(md5_lex *lex, const char *count_word, uint32_t count, const char *row);
// The same error for rows outside of their table, of which one comes next.
bool md5_fail_rows(md5_lex *lex, const char *count_word, uint32_t count, const char *row);

// The error for a table that ends after `item` of `count` rows.
bool md5_fail_short(md5_lex *lex, const char *count_word, uint32_t count, uint32_t item);

// A whole number from 0 to UINT32_MAX, called `what` in the message.
bool md5_read_uint(md5_lex *lex, const char *what, uint32_t *value);

// The number behind `frameRate`, which was consumed; given once, more than 0. `given_at` becomes
// where it stands, and is NULL before. 0 is read as `fallback`, with a warning, or, if that is 0
// too, is an error.
bool md5_read_frame_rate(md5_lex *lex, double fallback, const char **given_at, double *frame_rate);

#endif
