// md5_context is the state of one public call that can fail: its options, memory limit, warnings
// and error. Invariant: `error` contains the first failure, and later failures do not change it.
// Only md5i_fail_as() writes the error of the caller, together with `error`.
#ifndef MD5_CORE_CONTEXT_H
#define MD5_CORE_CONTEXT_H

#include "md5/core/object.h"
#include "md5/md5model.h"

#include <stdarg.h>
#include <stdio.h>

// Returns false if a step fails. The arena owns all memory, so that a failing function does not
// clean up.
#define TRY(step)         \
    do {                  \
        if (!(step))      \
            return false; \
    } while (0)

// Prints the variable arguments of a function to an array of characters. `format` is the last named
// parameter.
#define MD5_PRINT(array, format)                               \
    do {                                                       \
        va_list values;                                        \
        va_start(values, format);                              \
        (void)vsnprintf(array, sizeof(array), format, values); \
        va_end(values);                                        \
    } while (0)

// Number of elements of an array.
#define MD5_COUNT(array) (sizeof(array) / sizeof((array)[0]))

// Repeated warnings are reported once, with a count. Warnings are of one kind if they have the same
// format string and are about the same keyword. A kind contains the message and the location of its
// first warning, until it is reported.
typedef struct md5_merged_warning {
    const char *format;
    const char *word; // [word_size] keyword in the text that is read
    size_t word_size; // 0 if the warning is not about a keyword
    uint32_t number;  // position of the first warning among all warnings, from 1
    uint32_t line;
    uint32_t column;
    uint32_t count;
    uint32_t last_line;
    char message[sizeof((md5_error *)0)->message];
} md5_merged_warning;

// The kinds that were not reported yet. If there are too many kinds, all are reported, and a later
// warning of the same kind begins a new kind.
enum { MD5_WARNING_KINDS = 16 };
typedef struct md5_merged_warnings {
    uint32_t count;
    md5_merged_warning kinds[MD5_WARNING_KINDS]; // in the order of their first warnings
} md5_merged_warnings;

// The state of one public call. All functions that it calls allocate memory and report errors and
// warnings through it.
typedef struct md5_context {
    md5_allocator allocator; // both hooks and the limit are set
    size_t memory_held;      // bytes that the call has allocated and not freed
    md5_files files;

    // Not in the small form: warnings.
    md5_warn_fn *warn;
    void *warn_user;
    uint32_t max_warnings;
    uint32_t num_warnings;
    md5_merged_warnings *held; // merges repeated warnings; NULL: each is reported immediately

    // Options that loads use. `axes` and `scale` are not validated before md5i_load_in().
    md5_axes axes;
    float scale; // not 0
    bool flip_v;
    bool drop_invalid_triangles;
    bool require_meshes;
    bool allow_partial_binding;
    md5_normals normals;
    md5_error error;   // only its file is set until the first failure
    md5_error *caller; // the caller's error, or NULL

    // Not in the small form: set only by loads of models.
    bool group_vertices;
    uint32_t skip_geometry; // md5_geometry_part flags
} md5_context;

// Begin a call with options, which may be NULL, or only with an allocator, whose members may be 0.
// `file` is the name of the text in messages; NULL = none. `error` is the caller's error, or NULL;
// a failure writes it.
void md5i_context_begin(md5_context *context, const md5_load_opts *opts, const char *file,
                        md5_error *error);
void md5i_context_begin_memory(md5_context *context, md5_allocator allocator, md5_error *error);

// Sets the file name of the following messages; NULL = none.
void md5i_context_set_file(md5_context *context, const char *file);

// Check the allocator or the options of a public function in debug builds. Both may be NULL.
#define MD5_ASSERT_ALLOCATOR(allocator)                                   \
    MD5_ASSERT(!(allocator) || !(allocator)->alloc == !(allocator)->free, \
               "allocator: alloc and free must both be set or both be NULL")
#define MD5_ASSERT_OPTS(opts)                                                                 \
    (MD5_ASSERT(!(opts) || !(opts)->allocator.alloc == !(opts)->allocator.free,               \
                "opts: allocator.alloc and allocator.free must both be set or both be NULL"), \
     MD5_ASSERT(!(opts) || !(opts)->files.open == !(opts)->files.close,                       \
                "opts: files.open and files.close must both be set or both be NULL"),         \
     MD5_ASSERT_RESERVED(opts))

// Stores the reason of a failure, unless the call has failed before. Line 0 = no location. Returns
// false.
bool md5i_fail(md5_context *context, md5_status status, uint32_t line, uint32_t column,
               const char *format, ...) MD5_PRINTF(5, 6);

// Like md5i_fail(), without a location.
#define MD5_FAIL(context, status, ...) md5i_fail(context, status, 0, 0, __VA_ARGS__)

// Like md5i_fail(), with the failure of another call, including its file and location.
// MD5_ERROR_MISSING does not replace an earlier failure in the caller's error, because that failure
// is the reason why an asset is NULL.
bool md5i_fail_as(md5_context *context, const md5_error *failure);

// Fails a public call without a context because its argument is NULL. `argument` is its name.
// Writes `error`, which may be NULL, unless it contains a failure. Returns false.
bool md5i_fail_missing(md5_error *error, const char *argument);

// Returns "error", or "warning" for MD5_WARNING.
const char *md5i_severity(md5_status status);

// Applies the options for warnings. md5i_context_begin() calls it.
void md5i_begin_warnings(md5_context *context, const md5_load_opts *opts);

// Stops reporting: later warnings are only counted, and warnings of the same kind are not merged.
void md5i_silence_warnings(md5_context *context);

// Counts a warning and reports it, up to max_warnings. While context->held is set,
// repeated warnings are only counted, and md5i_report_merged_warnings() reports one warning for
// each kind.
void md5i_warn(md5_context *context, uint32_t line, uint32_t column, const char *format, ...)
    MD5_PRINTF(4, 5);
void md5i_report_merged_warnings(md5_context *context);

// The two steps of md5i_warn(), for warnings about a keyword. md5i_count_warning() returns true if
// the warning will be reported. Only then the caller formats the message and calls
// md5i_report_warning().
bool md5i_count_warning(md5_context *context, const char *format, const char *word,
                        size_t word_size, uint32_t line);
void md5i_report_warning(md5_context *context, uint32_t line, uint32_t column, const char *message);

// Returns 16-byte aligned memory. Returns NULL and sets MD5_ERROR_MEMORY if memory runs out or the
// memory limit is exceeded.
void *md5i_alloc(md5_context *context, size_t size);
void md5i_free(md5_context *context, void *memory, size_t size); // NULL is allowed

// Returns true if this allocator uses malloc().
bool md5i_is_default_allocator(const md5_allocator *allocator);

// Text of a file for a message: in quotes, truncated if long, with control bytes and invalid UTF-8
// as \xNN.
typedef struct md5_quoted {
    char text[72];
} md5_quoted;
md5_quoted md5i_quote(const char *bytes, size_t size);
#define MD5_QUOTED(string) md5i_quote(string, strlen(string)).text // needs <string.h>

// Returns the rule "name: WHAT 'NAME' does not exist" for an assertion that a name exists:
// MD5_ASSERT(joint != MD5_NONE, md5i_name_rule("joint", name).text).
typedef struct md5_name_rule {
    char text[128];
} md5_name_rule;
md5_name_rule md5i_name_rule(const char *kind, const char *name);

// Writes the next character of a text in the form of messages, and moves *at to the character after
// it. A printable character in UTF-8 is copied; any other byte becomes \xNN. Returns the number of
// bytes written.
enum { MD5_ESCAPED = 5 }; // capacity of `to`: \xNN and a NUL, which snprintf() writes
size_t md5i_escape(const char **at, const char *end, char to[MD5_ESCAPED]);

#endif
