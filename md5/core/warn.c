// Reporting of warnings, an optional feature. In the small form of the library, md5/small/warn.c
// replaces this file, and the calls of its functions are removed.
#include "md5/core/context.h"

enum { DEFAULT_MAX_WARNINGS = 100 };

const char *md5i_severity(md5_status status)
{
    return status == MD5_WARNING ? "warning" : "error";
}

// Applies the options for warnings. md5i_context_begin() calls it.
void md5i_begin_warnings(md5_context *context, const md5_load_opts *opts)
{
    context->warn = opts->warn;
    context->warn_user = opts->warn_user;
    context->max_warnings = opts->max_warnings ? opts->max_warnings : DEFAULT_MAX_WARNINGS;
}

void md5i_silence_warnings(md5_context *context)
{
    context->warn = NULL;
    context->held = NULL;
}

// Appends a note to the message of a warning. If the message is too long, the note overwrites its
// end.
static void append_note(char message[sizeof((md5_error *)0)->message], const char *note)
{
    const size_t length = strlen(message);
    const size_t size = strlen(note) + 1;
    const size_t max_length = sizeof((md5_error *)0)->message - size;
    memcpy(message + (length < max_length ? length : max_length), note, size);
}

// Passes a warning to the application's callback, unless the maximum number of warnings was
// reported. `number` is the position of this warning among all warnings, from 1. The last warning
// that is reported mentions that further warnings are suppressed.
static void report_warning(const md5_context *context, uint32_t number, md5_error *warning)
{
    if (!context->warn || number > context->max_warnings)
        return;
    memcpy(warning->file, context->error.file, sizeof warning->file);
    if (number == context->max_warnings)
        append_note(warning->message, " (further warnings suppressed)");
    context->warn(context->warn_user, warning);
}

// Reports one warning for each kind of warning that was merged, with the number of its repetitions,
// and removes all kinds.
void md5i_report_merged_warnings(md5_context *context)
{
    md5_merged_warnings *const merged = context->held;
    if (!merged)
        return;
    for (uint32_t i = 0; i < merged->count; i++) {
        const md5_merged_warning *const repeated = &merged->kinds[i];
        md5_error warning = {
            .line = repeated->line, .column = repeated->column, .status = MD5_WARNING};

        memcpy(warning.message, repeated->message, sizeof warning.message);
        if (repeated->count > 1) {
            char note[48];
            snprintf(note, sizeof note, " (%u times, last in line %u)", repeated->count,
                     repeated->last_line);
            append_note(warning.message, note);
        }

        report_warning(context, repeated->number, &warning);
    }
    merged->count = 0;
}

// Returns true if a warning is merged with the warnings of a kind: it has the same format and is
// about the same word, if it is about a word.
static bool is_same_warning(const md5_merged_warning *kind, const char *format, const char *word,
                            size_t word_size)
{
    if (kind->format != format || kind->word_size != word_size)
        return false;
    return word_size == 0 || memcmp(kind->word, word, word_size) == 0;
}

// Returns the kind to which a warning belongs, or NULL if it is the first warning of its kind.
static md5_merged_warning *find_warning_kind(md5_merged_warnings *merged, const char *format,
                                             const char *word, size_t word_size)
{
    for (uint32_t i = 0; i < merged->count; i++) {
        if (is_same_warning(&merged->kinds[i], format, word, word_size))
            return &merged->kinds[i];
    }
    return NULL;
}

// Counts a warning. Returns true if the caller must format its message and call
// md5i_report_warning(). Returns false if the warning repeats an earlier kind of warning, or will
// not be reported. `word` is the name that the warning is about, with `word_size` 0 if there is
// none.
bool md5i_count_warning(md5_context *context, const char *format, const char *word,
                        size_t word_size, uint32_t line)
{
    md5_merged_warnings *const merged = context->held;
    md5_merged_warning *const repeated =
        merged ? find_warning_kind(merged, format, word, word_size) : NULL;
    if (repeated) {
        repeated->count++;
        repeated->last_line = line;
        return false;
    }

    // If there are too many kinds, report them before this kind is added.
    if (merged && merged->count == MD5_WARNING_KINDS)
        md5i_report_merged_warnings(context);

    context->num_warnings++;
    if (merged)
        merged->kinds[merged->count++] = (md5_merged_warning){.format = format,
                                                              .word = word,
                                                              .word_size = word_size,
                                                              .number = context->num_warnings,
                                                              .count = 1};

    return context->warn && context->num_warnings <= context->max_warnings;
}

// Reports a warning that md5i_count_warning() has counted. While warnings are merged, only stores
// its message and location in its kind; md5i_report_merged_warnings() reports it later.
void md5i_report_warning(md5_context *context, uint32_t line, uint32_t column, const char *message)
{
    md5_merged_warnings *const merged = context->held;
    md5_error warning = {.line = line, .column = column, .status = MD5_WARNING};
    if (merged) {
        // Store the message in the kind that md5i_count_warning() has added.
        md5_merged_warning *const repeated = &merged->kinds[merged->count - 1];
        repeated->line = line;
        repeated->column = column;
        memcpy(repeated->message, message, strlen(message) + 1);
        return;
    }
    memcpy(warning.message, message, strlen(message) + 1);
    report_warning(context, context->num_warnings, &warning);
}

// Reports a warning at a line and column, unless it repeats an earlier warning or exceeds the
// limit. `format` and the values after it are as for printf().
void md5i_warn(md5_context *context, uint32_t line, uint32_t column, const char *format, ...)
{
    char message[sizeof((md5_error *)0)->message];
    if (!md5i_count_warning(context, format, NULL, 0, line))
        return;
    MD5_PRINT(message, format);
    md5i_report_warning(context, line, column, message);
}
