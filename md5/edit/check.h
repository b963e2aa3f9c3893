// What was found in a text (md5edit.h) while rules are looked at: as the caller sees it, with its
// memory and where the reader is.
#ifndef MD5_EDIT_CHECK_H
#define MD5_EDIT_CHECK_H

#include "md5/core/grow.h"
#include "md5/core/lex.h"
#include "md5/md5edit.h"

typedef struct md5_text_place {
    uint32_t line, column; // 0: none
} md5_text_place;

static inline md5_text_place md5_at_line(uint32_t line)
{
    const md5_text_place at = {line, line > 0};
    return at;
}

typedef struct md5_checker {
    md5_check check;         // first: this is what the caller has
    md5_context context;     // of `kept`, for all calls
    md5_arena kept, scratch; // scratch: while the text is read
    uint32_t *numbers;       // [rules] of the diagnostic of each, from 1
    const md5_check *pair;   // the mesh that a clip was compared with last
    md5_lex lex;
    // The word that was read last.
    md5_span word;
    md5_text_place at;
    bool is_quoted, is_mark, is_glued; // mark: ( ) { }; glued: one without a blank
    uint32_t row_line;                 // where the row began
    uint32_t joints_line;              // of the word numJoints
    uint64_t num_references;           // of vertices to weights
    bool has_unknown;                  // a word that is not one of the format
    md5_text_place count;              // that of meshes
} md5_checker;

// Begins a check in memory of the options. Returns NULL if there is none.
md5_checker *md5i_begin_check(const md5_load_opts *opts, md5_error *error);

// Adds a diagnostic of a rule. If memory runs out, nothing more is added, and the context says so.
void md5i_add_diagnostic(md5_checker *from, const char *rule, md5_text_place at, const char *format,
                         ...) MD5_PRINTF(4, 5);

// The same, but once a check for each rule, at the first place, with the number of places.
void md5i_found(md5_checker *from, const char *rule, md5_text_place at, const char *format, ...)
    MD5_PRINTF(4, 5);

// Finds joints of one name, each but the first.
void md5i_check_names(md5_checker *from);

#endif
