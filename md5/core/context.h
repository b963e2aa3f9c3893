// md5_context is the state of one public call that can fail. It contains the options, memory limit,
// warnings and error of the call. Invariant: `error` contains the first failure, and later failures
// do not change it. Only md5i_fail_as() writes the error of the caller, together with `error`.
#ifndef MD5_CORE_CONTEXT_H
#define MD5_CORE_CONTEXT_H

#include "md5/core/object.h"
#include "md5/md5model.h"

#include <stdarg.h>
#include <stdio.h>

// Returns false from the calling function if a step fails. Throughout the library, a function that
// returns bool and can fail sets the context's error and returns false. The arena owns all memory,
// so a failing function need not free anything.
#define TRY(step)         \
    do {                  \
        if (!(step))      \
            return false; \
    } while (0)

// Prints the variable arguments of a function to an array of characters. `format` must be the last
// named parameter of that function.
#define MD5_PRINT(array, format)                               \
    do {                                                       \
        va_list values;                                        \
        va_start(values, format);                              \
        (void)vsnprintf(array, sizeof(array), format, values); \
        va_end(values);                                        \
    } while (0)

// Number of elements of an array.
#define MD5_COUNT(array) (sizeof(array) / sizeof((array)[0]))

// Repeated warnings are reported once, with a count. Two warnings are of the same kind if they have
// the same format string and are about the same keyword. This structure represents one kind until
// it is reported. It contains the message and the location of the first warning of the kind.
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

// The kinds of warnings that were not reported yet. When the array is full, all kinds are reported
// and removed. Warnings that are repeated after that are reported again.
enum { MD5_WARNING_KINDS = 16 };
typedef struct md5_merged_warnings {
    uint32_t count;
    md5_merged_warning kinds[MD5_WARNING_KINDS]; // in the order of their first warnings
} md5_merged_warnings;

// The state of one public call. All functions that the call uses allocate memory and report errors
// and warnings through it.
typedef struct md5_context {
    md5_allocator allocator; // both hooks and the limit are set
    size_t memory_held;      // bytes that the call has allocated and not freed
    md5_files files;

    // Not in the small form (md5/small): warnings.
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

    // Not in the small form: options of loading models.
    bool group_vertices;
    uint32_t skip_geometry; // md5_geometry_part flags
} md5_context;

// Alignment of all memory of an allocator, in bytes. SIMD kernels require it.
enum { MD5_ALIGNMENT = 16 };

// Begin a public call. The first function takes load options, which may be NULL. The second
// function takes only an allocator, whose members may be 0. `file` is the name of the text in
// messages, or NULL. `error` is the caller's error, or NULL; a failure is written to it.
void md5i_context_begin(md5_context *context, const md5_load_opts *opts, const char *file,
                        md5_error *error);
void md5i_context_begin_memory(md5_context *context, md5_allocator allocator, md5_error *error);

// Sets the file name of the following messages, or none if `file` is NULL.
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

// Stores the reason of a failure unless the call has failed before. Line 0 means that the failure
// has no location. Returns false.
bool md5i_fail(md5_context *context, md5_status status, uint32_t line, uint32_t column,
               const char *format, ...) MD5_PRINTF(5, 6);

// Like md5i_fail(), without a location.
#define MD5_FAIL(context, status, ...) md5i_fail(context, status, 0, 0, __VA_ARGS__)

// Like md5i_fail(), but copies the failure of another call with its file and location.
// MD5_ERROR_MISSING does not replace an earlier failure in the caller's error: see context.c.
bool md5i_fail_as(md5_context *context, const md5_error *failure);

// Fails a public call that has no context because its argument is NULL. `argument` is the name of
// the argument. Writes to `error` unless it contains a failure already. `error` may be NULL.
// Returns false.
bool md5i_fail_missing(md5_error *error, const char *argument);

// Returns "error", or "warning" for MD5_WARNING.
const char *md5i_severity(md5_status status);

// Applies the options for warnings. md5i_context_begin() calls it.
void md5i_begin_warnings(md5_context *context, const md5_load_opts *opts);

// Stops the reporting of warnings. Later warnings are only counted, and are not merged.
void md5i_silence_warnings(md5_context *context);

// Counts a warning and reports it, up to max_warnings. While context->held is set, repeated
// warnings are merged instead. md5i_report_merged_warnings() then reports one warning for each
// kind.
void md5i_warn(md5_context *context, uint32_t line, uint32_t column, const char *format, ...)
    MD5_PRINTF(4, 5);
void md5i_report_merged_warnings(md5_context *context);

// The two halves of md5i_warn(), for warnings about a keyword. md5i_count_warning() returns true if
// the warning will be reported. Only then need the caller format the message and call
// md5i_report_warning(). This saves time for suppressed warnings.
bool md5i_count_warning(md5_context *context, const char *format, const char *word,
                        size_t word_size, uint32_t line);
void md5i_report_warning(md5_context *context, uint32_t line, uint32_t column, const char *message);

// Returns memory that is aligned to 16 bytes. Returns NULL and sets MD5_ERROR_MEMORY if memory runs
// out or the memory limit is exceeded.
void *md5i_alloc(md5_context *context, size_t size);
void md5i_free(md5_context *context, void *memory, size_t size); // NULL is allowed

// Returns true if this allocator uses malloc().
bool md5i_is_default_allocator(const md5_allocator *allocator);

// A part of a file in quotes, for a message. Long text is truncated. Control bytes and invalid
// UTF-8 are written as \xNN.
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

// Writes the next character of a text in the form that messages use, and moves *at past it. A
// printable UTF-8 character is copied, and any other byte becomes \xNN. Returns the number of bytes
// written.
enum { MD5_ESCAPED = 5 }; // capacity of `to`: \xNN and a NUL, which snprintf() writes
size_t md5i_escape(const char **at, const char *end, char to[MD5_ESCAPED]);

#endif
