// State of a check of one text (md5edit.h). It contains the diagnostics that the caller receives,
// their memory, and the position of the reader in the text. rules.c adds diagnostics, scan.c reads
// texts, and judge.c checks geometry and pairs of files.
#ifndef MD5_EDIT_CHECK_H
#define MD5_EDIT_CHECK_H

#include "md5/core/grow.h"
#include "md5/core/lex.h"
#include "md5/md5edit.h"

// A location in a text. Line 0 means the whole file, and column 0 means the whole line.
typedef struct md5_text_location {
    uint32_t line;
    uint32_t column;
} md5_text_location;

// Returns the location of a whole line, or of the whole file for line 0.
static inline md5_text_location md5_at_line(uint32_t line)
{
    const md5_text_location location = {line, line > 0};
    return location;
}

// A check while it is being created.
typedef struct md5_checker {
    md5_check check;       // the caller's view of the checker; must be the first field
    md5_context context;   // used by both arenas
    md5_arena arena;       // memory of the check, including this structure
    md5_arena scratch;     // temporary memory
    uint32_t *reported;    // [rules] 1 + index of the rule's diagnostic; 0 = not reported yet
    const md5_check *pair; // the mesh of the last md5_check_pair()
    md5_lex lex;

    // The word that was read last, and its location.
    md5_span word;
    md5_text_location location;
    bool is_quoted;
    bool is_mark;  // one of ( ) { }
    bool is_glued; // no blank separates a mark from the word before or after it

    uint32_t entry_line;          // first line of the current entry
    uint32_t joints_line;         // line of the keyword numJoints
    md5_text_location num_meshes; // location of the number of meshes
    uint64_t num_references;      // sum of the weight counts of all vertices
    bool has_unknown;             // the file contains an unknown keyword
} md5_checker;

// Creates a checker in memory of the options' allocator. Returns NULL if memory runs out.
md5_checker *md5i_begin_check(const md5_load_opts *opts, md5_error *error);

// Adds a diagnostic, which belongs to `rule`. If memory runs out, adds nothing and sets the error
// of the context.
void md5i_add_diagnostic(md5_checker *checker, const char *rule, md5_text_location location,
                         const char *format, ...) MD5_PRINTF(4, 5);

// Adds a diagnostic for the first violation of a rule. Further violations of the same rule are only
// counted in it.
void md5i_report_violation(md5_checker *checker, const char *rule, md5_text_location location,
                           const char *format, ...) MD5_PRINTF(4, 5);

// Reports each joint whose name is the name of an earlier joint.
void md5i_check_names(md5_checker *checker);

#endif
