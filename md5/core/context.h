// The state of one public call: its memory budget, its messages, its file name. Invariant: `error`
// holds the first failure; later ones do not change it. The caller's is written with it, and by
// nothing else.
#ifndef MD5_CORE_CONTEXT_H
#define MD5_CORE_CONTEXT_H

#include "md5/core/object.h"
#include "md5/md5model.h"

#include <stdarg.h>
#include <stdio.h>

// Returns false if a step fails. Memory belongs to the arena, so there is nothing to clean up on
// the way out.
#define TRY(step)         \
    do {                  \
        if (!(step))      \
            return false; \
    } while (0)

// Prints what follows the parameter `format` of a function to an array of characters.
#define MD5_PRINT(array, format)                               \
    do {                                                       \
        va_list values;                                        \
        va_start(values, format);                              \
        (void)vsnprintf(array, sizeof(array), format, values); \
        va_end(values);                                        \
    } while (0)

// The number of an array's elements.
#define MD5_COUNT(array) (sizeof(array) / sizeof((array)[0]))

// Warnings of one kind are reported as one: those of one format about the same keyword.
typedef struct md5_held_warning {
    const char *format, *word; // word: [word_size] of the text that is read
    size_t word_size;
    uint32_t number;       // of the first, among all warnings
    uint32_t line, column; // of the first
    uint32_t count;
    uint32_t last_line;
    char message[sizeof((md5_error *)0)->message];
} md5_held_warning;

enum { MD5_WARNING_KINDS = 16 };
typedef struct md5_held_warnings {
    uint32_t count;
    md5_held_warning kinds[MD5_WARNING_KINDS]; // in the order of the first of each
} md5_held_warnings;

typedef struct md5_context {
    md5_allocator allocator; // both hooks and the limit are set
    size_t memory_held;
    md5_files files;
    md5_warn_fn *warn;
    void *warn_user;
    uint32_t max_warnings;
    uint32_t num_warnings;
    md5_held_warnings *held; // NULL: warnings are reported one by one
    md5_axes axes;           // of the options, unchecked: make_asset() checks them
    float scale;             // not 0
    bool flip_v;
    bool drop_invalid_triangles;
    bool require_meshes;
    bool allow_partial_binding;
    md5_error error;   // status MD5_OK: none yet, only its file is set
    md5_error *caller; // the caller's error, or NULL
    md5_normals normals;
    // Set only by loads of models:
    bool group_vertices;
    uint32_t skip_geometry; // md5_geometry_part flags
} md5_context;

// Applies the options (may be NULL), or an allocator alone whose members may be 0. `file` names the
// text in messages, NULL = none. `error` is the caller's, or NULL: a failure writes it.
void md5i_context_begin(md5_context *context, const md5_load_opts *opts, const char *file,
                        md5_error *error);
void md5i_context_begin_memory(md5_context *context, md5_allocator allocator, md5_error *error);

// Names the file of the messages that follow; NULL = none.
void md5i_context_set_file(md5_context *context, const char *file);

// Check the allocator or the options, which may be NULL, of a public function in debug builds.
#define MD5_ASSERT_ALLOCATOR(allocator)                                   \
    MD5_ASSERT(!(allocator) || !(allocator)->alloc == !(allocator)->free, \
               "allocator: alloc and free must both be set or both be NULL")
#define MD5_ASSERT_OPTS(opts)                                                                 \
    (MD5_ASSERT(!(opts) || !(opts)->allocator.alloc == !(opts)->allocator.free,               \
                "opts: allocator.alloc and allocator.free must both be set or both be NULL"), \
     MD5_ASSERT(!(opts) || !(opts)->files.open == !(opts)->files.close,                       \
                "opts: files.open and files.close must both be set or both be NULL"),         \
     MD5_ASSERT_RESERVED(opts))

// Records why the call fails; the first failure wins. Line 0 = no location. Returns false.
bool md5i_fail(md5_context *context, md5_status status, uint32_t line, uint32_t column,
               const char *format, ...) MD5_PRINTF(5, 6);

// The same where no place in a text is to blame.
#define MD5_FAIL(context, status, ...) md5i_fail(context, status, 0, 0, __VA_ARGS__)

// Fails since a file or an option asks for what macros leave out.
#define MD5_LEFT_OUT(context, what) \
    MD5_FAIL(context, MD5_ERROR_VERSION, "not supported: built without " what)

// The same with the failure of another call, its file and location included. MD5_ERROR_MISSING does
// not replace an earlier failure in the caller's error, which says why an asset is NULL.
bool md5i_fail_as(md5_context *context, const md5_error *failure);

// The same for a public call without a context, whose asset, `what`, is NULL: writes `error`, which
// may be NULL, if it holds no failure yet. Returns false.
bool md5i_fail_missing(md5_error *error, const char *what);

// Returns "error", or "warning" for MD5_WARNING.
const char *md5i_severity(md5_status status);

// Applies the options for warnings. md5i_context_begin() calls it.
void md5i_begin_warnings(md5_context *context, const md5_load_opts *opts);

// Stops reporting: later warnings are only counted, and warnings of the same kind are not merged.
void md5i_silence_warnings(md5_context *context);

// Counts a warning and reports it, up to max_warnings. While context->held is set, only counts what
// is of a kind that was warned of before; md5i_report_held() then reports all kinds.
void md5i_warn(md5_context *context, uint32_t line, uint32_t column, const char *format, ...)
    MD5_PRINTF(4, 5);
void md5i_report_held(md5_context *context);

// The two steps of md5i_warn(), for warnings about a keyword. The first one returns whether the
// message will be seen, which only then needs to be made.
bool md5i_count_warning(md5_context *context, const char *format, const char *word,
                        size_t word_size, uint32_t line);
void md5i_report_warning(md5_context *context, uint32_t line, uint32_t column, const char *message);

// Returns 16-byte aligned memory within the budget. Returns NULL and sets MD5_ERROR_MEMORY if
// memory or budget runs out.
void *md5i_alloc(md5_context *context, size_t size);
void md5i_free(md5_context *context, void *memory, size_t size); // NULL is allowed

// Returns true if memory of this allocator is that of malloc().
bool md5i_is_default_allocator(const md5_allocator *allocator);

// Bytes of a file for a message: quoted, truncated if long, with control bytes and invalid UTF-8 as
// \xNN.
typedef struct md5_quoted {
    char text[72];
} md5_quoted;
md5_quoted md5i_quote(const char *bytes, size_t size);
#define MD5_QUOTED(string) md5i_quote(string, strlen(string)).text // needs <string.h>

// Returns the rule "name: WHAT 'NAME' does not exist", for assertions about names that a program
// relies on: MD5_ASSERT(joint != MD5_NONE, md5i_name_rule("joint", name).text).
typedef struct md5_name_rule {
    char text[128];
} md5_name_rule;
md5_name_rule md5i_name_rule(const char *what, const char *name);

// Writes the next character of a text as messages have it, a printable one in UTF-8 as it is and
// another byte as \xNN, and moves *at behind it. Returns how many bytes that are.
enum { MD5_ESCAPED = 5 }; // room for these, and a NUL
size_t md5i_escape(const char **at, const char *end, char to[MD5_ESCAPED]);

#endif
