// Common parts of all MD5 files: keywords at the top level, the version, counts, the end.
#ifndef MD5_READ_HEADER_H
#define MD5_READ_HEADER_H

#include "md5/core/lex.h"

typedef enum md5_kind {
    MD5_KIND_MESH = 1,
    MD5_KIND_ANIM = 2,
    MD5_KIND_CAMERA = 4,
    MD5_KIND_VERSION_6 = 8, // keywords of the 2002 alpha only, beside their kind
} md5_kind;

bool md5i_is_top_word(md5_span word);

// A number that the header gives once.
typedef struct md5_count {
    const char *at; // position of the number; NULL = not read yet
    uint32_t value;
} md5_count;

enum { MD5_VERSION_6 = 6 };

#ifdef MD5_ONLY_VERSION_10
#define MD5_IS_VERSION_6(header) false
#else
#define MD5_IS_VERSION_6(header) ((header)->version == MD5_VERSION_6)
#endif

typedef struct md5_header {
    md5_kind kind;
    const char *version_at; // NULL: no line `MD5Version`
    uint32_t version;
    md5_span command_line;
    bool has_command_line;
    bool has_body; // a word of one version only was seen
} md5_header;

// Checks the first word. Reports an error if the file is empty or not an MD5 file.
bool md5i_header_begin(md5_lex *lex, md5_header *header);

// Looks at each keyword at the top level before it is read. The first one that belongs to one
// version only decides how the file is read: a warning if `MD5Version` says otherwise.
#ifdef MD5_ONLY_VERSION_10
#define md5i_header_see(lex, header, word) ((void)(word))
#else
void md5i_header_see(md5_lex *lex, md5_header *header, md5_span word);
#endif

// Reads the next keyword at the top level, if it belongs to the header or is unknown, with its
// values. A keyword of another kind of file is an error.
bool md5i_header_word(md5_lex *lex, md5_header *header, md5_span word);

// Warns if the header lacks `commandline`, if there are more blocks `what` than `count_word` says,
// and of other text after the last block.
#ifdef MD5_NO_WARNINGS
#define md5i_header_end(lex, header, what, count_word, count) \
    ((lex)->arena->context->error.status == MD5_OK)
#else
bool md5i_header_end(md5_lex *lex, const md5_header *header, const char *what,
                     const char *count_word, const md5_count *count);
#endif

// Reads the number after `word`, which was consumed: at least `least`, and at most what the rest of
// the text could hold at `bytes` for each item.
bool md5i_read_count(md5_lex *lex, const char *word, uint32_t least, size_t bytes,
                     md5_count *count);

// Reports an error if `count` was not read before the next word.
bool md5i_need_count(md5_lex *lex, const md5_count *count, const char *word);

// Reads the end of a block of `count` rows. If more rows follow, the error says how many there are.
// `row` is the form of a row: n a joint's name, i a number, p numbers in parentheses, w a word, o
// any number of words followed by parentheses.
bool md5i_end_rows(md5_lex *lex, const char *count_word, uint32_t count, const char *row);

// Returns the position of a part of row `item` of those that begin at `start`, by reading them
// again: they had no errors.
const char *md5i_find_in_rows(const md5_lex *lex, const char *start, const char *row, size_t item,
                              size_t part);

// The error for a table that ends after `item` of `count` rows.
bool md5i_fail_short(md5_lex *lex, const char *count_word, uint32_t count, uint32_t item);

// Reads the number after `frameRate`, which was consumed: more than 0, and only once. *given_at is
// NULL before and then the position of the number. 0 is read as `fallback`, with a warning; if
// `fallback` is 0 too, it is an error.
bool md5i_read_frame_rate(md5_lex *lex, double fallback, const char **given_at, double *frame_rate);

#endif
