// Readers for the parts that all MD5 text files have: keywords outside of all blocks ("top level"),
// the version, counts, and the ends of tables and of the file. All functions report errors with a
// location and return false.
#ifndef MD5_READ_HEADER_H
#define MD5_READ_HEADER_H

#include "md5/core/lex.h"

// Kinds of MD5 files. They are flags, because a keyword may belong to several kinds.
typedef enum md5_kind {
    MD5_KIND_MESH = 1,
    MD5_KIND_ANIM = 2,
    MD5_KIND_CAMERA = 4,
    MD5_KIND_VERSION_6 = 8, // additional flag of keywords that only the 2002 alpha has
} md5_kind;

// Returns true if a word is a keyword at the top level of any MD5 file.
bool md5i_is_top_level_keyword(md5_span word);

// A count that a file declares once.
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

// The header of a text file, and its state while the file is read. The body of a file is everything
// after MD5Version and commandline.
typedef struct md5_header {
    md5_kind kind;
    const md5_versions *versions;
    uint32_t version;          // the version whose syntax is read: see formats.c
    const char *version_at;    // position of the number after `MD5Version`; NULL = not read yet
    uint32_t declared_version; // the number after `MD5Version`
    md5_span command_line;
    bool has_command_line;
    bool has_body; // a keyword of the body was read; for warnings
} md5_header;

// Returns the first visible byte of a text, after a byte order mark and blanks. Here bytes from
// 0x80 on are visible, because they indicate a binary file. The lexer skips them.
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
bool md5i_begin_header(md5_lex *lex, md5_header *header);

// Returns the kinds of files (md5_kind flags) that may contain `keyword` at the top level. Returns
// 0 if it is not a keyword.
unsigned md5i_keyword_kinds(md5_span keyword);

// Returns true if a keyword of these kinds does not belong to `version`.
bool md5i_is_invalid_in_version(uint32_t version, md5_span keyword, unsigned kinds);

// Warns if the file is not read as the version that it declares: see find_version() in formats.c.
// Call this function for each keyword at the top level. It warns only if `word`, the next keyword,
// is the first of the body.
void md5i_warn_about_version(md5_lex *lex, md5_header *header, md5_span word);

// Reads the next keyword at the top level and its values, if the keyword belongs to the header or
// is unknown. A keyword of another kind of file is an error.
bool md5i_read_header_keyword(md5_lex *lex, md5_header *header, md5_span word);

// Warns about three problems: the header has no `commandline`, the file has more blocks
// `block_keyword` than `count_keyword` declares, or other text follows the last block. Moves the
// lexer to that text.
void md5i_warn_at_file_end(md5_lex *lex, const md5_header *header, const char *block_keyword,
                           const char *count_keyword, const md5_count *count);

// A copy of a lexer for looking ahead. It does not report errors or warnings.
typedef struct md5_silent_lex {
    md5_lex lex;
    md5_arena arena;
    md5_context context;
} md5_silent_lex;

// Starts looking ahead at the position of `lex`. The copy does not join strings, because that would
// allocate memory.
void md5i_begin_look_ahead(md5_silent_lex *silent, const md5_lex *lex);

// Reads the count after the keyword `word`, which was consumed. It must be at least `min`, and the
// remaining text must be large enough for that many items of `bytes` bytes.
bool md5i_read_count(md5_lex *lex, const char *word, uint32_t min, size_t bytes, md5_count *count);

// Reports that `keyword` must come before the next keyword, and returns false.
bool md5i_fail_missing_keyword(md5_lex *lex, const char *keyword);

// Reports that `keyword` at `position` may occur only once, and returns false.
bool md5i_fail_duplicate_keyword(md5_lex *lex, const char *position, const char *keyword);

// Reports an error if `count` was not read before the next token.
bool md5i_need_count(md5_lex *lex, const md5_count *count, const char *word);

// The parts of an item of a table. A format is a string of these characters. For example, "wiip"
// describes items of a keyword, two numbers, and a vector in parentheses.
enum {
    MD5_PART_NAME = 'n',    // a joint name
    MD5_PART_NUMBER = 'i',  // an integer or a float
    MD5_PART_VECTOR = 'p',  // numbers in parentheses
    MD5_PART_WORD = 'w',    // a keyword
    MD5_PART_OPTIONS = 'o', // any number of pairs of a keyword and numbers in parentheses
};

// Reads the `}` after a table of `count` items. If more items follow, the error contains their
// number. `format` is the format of an item.
bool md5i_end_table(md5_lex *lex, const char *count_keyword, uint32_t count, const char *format);

// Returns the position of part `part` of item `item` in a table that begins at `start`. Reads the
// table again, which must not have syntax errors.
const char *md5i_find_item_part(const md5_lex *lex, const char *start, const char *format,
                                size_t item, size_t part);

// Reports that a table ends after `item` items although `count` were declared.
bool md5i_fail_too_few(md5_lex *lex, const char *count_keyword, uint32_t count, uint32_t item);

// Reads the number after `frameRate`, which was consumed. The keyword may occur once: *rate_at must
// be NULL, and becomes the position of the number. The number must be positive. 0 is replaced by
// `fallback` with a warning, or is an error if `fallback` is 0.
bool md5i_read_frame_rate(md5_lex *lex, double fallback, const char **rate_at, double *frame_rate);

#endif
