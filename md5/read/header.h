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

// The versions that a reader accepts after `MD5Version`.
typedef struct md5_versions md5_versions;
struct md5_versions {
    const char *text;    // for messages: "versions 6, 10 and 12"
    uint32_t numbers[3]; // 0 in unused elements
};

enum { MD5_VERSION_6 = 6, MD5_VERSION_10 = 10, MD5_VERSION_12 = 12 };

typedef struct md5_header {
    md5_kind kind;
    const md5_versions *versions;
    uint32_t version;       // the version whose syntax is read: see formats.h
    const char *version_at; // the number after `MD5Version`, or NULL if it was not read
    uint32_t declared_version;
    md5_span command_line;
    bool has_command_line;
    bool has_body; // for warnings: a keyword of the body was read
} md5_header;

// Returns the first visible byte of a text, after a byte order mark and blanks. Bytes from 0x80 on
// count as visible here, although the lexer skips them: they show that a file is not a text.
static inline const char *md5_first_visible(const md5_lex *lex)
{
    const char *first = lex->text;
    if (lex->end - first >= 3 && memcmp(first, "\xEF\xBB\xBF", 3) == 0)
        first += 3;
    while (first < lex->end && (unsigned char)*first <= ' ' && *first != '\0')
        first++;
    return first;
}

// Checks the first word. Reports an error if the file is empty or not an MD5 file.
bool md5i_header_begin(md5_lex *lex, md5_header *header);

// Returns the kinds of files (md5_kind flags) that contain `keyword` at the top level; 0: none.
unsigned md5i_keyword_kinds(md5_span keyword);

// Returns true if a keyword of these kinds belongs to version 6 and `version` is a later one, or
// the reverse. `MD5Version` and `commandline` belong to all versions.
bool md5i_is_of_other_version(uint32_t version, md5_span keyword, unsigned kinds);

// Warns if `word`, the next keyword, is the first one of the body and the file is read as another
// version than it declares: see md5i_find_version(). Call it for each keyword at the top level.
void md5i_warn_of_version(md5_lex *lex, md5_header *header, md5_span word);

// Reads the next keyword at the top level, if it belongs to the header or is unknown, with its
// values. A keyword of another kind of file is an error.
bool md5i_header_word(md5_lex *lex, md5_header *header, md5_span word);

// Warns if the header lacks `commandline`, if there are more blocks `what` than `count_word` says,
// and of other text after the last block, to which the lexer is moved.
void md5i_warn_of_end(md5_lex *lex, const md5_header *header, const char *what,
                      const char *count_word, const md5_count *count);

// A lexer for looking ahead in a text: it reports neither errors nor warnings.
typedef struct md5_silent_lex {
    md5_lex lex;
    md5_arena arena;
    md5_context context;
} md5_silent_lex;

// Starts looking ahead where `lex` is. Nothing is allocated as long as strings are not joined.
void md5i_look_ahead(md5_silent_lex *silent, const md5_lex *lex);

// Reads the number after `word`, which was consumed: at least `least`, and at most what the rest of
// the text could hold at `bytes` for each item.
bool md5i_read_count(md5_lex *lex, const char *word, uint32_t least, size_t bytes,
                     md5_count *count);

// Reports that `keyword` must come before the next keyword, and returns false.
bool md5i_fail_missing_keyword(md5_lex *lex, const char *keyword);

// Reports that `keyword` at `position` may occur only once, and returns false.
bool md5i_fail_duplicate_keyword(md5_lex *lex, const char *position, const char *keyword);

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
