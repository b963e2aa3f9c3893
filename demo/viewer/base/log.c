// Prints messages to standard error, and stores errors and warnings for the window. See log.h.
#include "demo/viewer/base/log.h"

#include "demo/common/text.h"
#include "demo/viewer/platform/platform.h"

#include <stdarg.h>
#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#else
#include <unistd.h>
#endif

enum { STANDARD_ERROR = 2 }; // the descriptor

static void end_progress_line(view_log *log)
{
    if (log->progress_shown)
        fputs("\r\033[K", stderr);
    log->progress_shown = false;
}

// Writes a line to stderr if the user wants messages of this level.
static void write_line(view_log *log, view_level level, const char *text)
{
    if (log->level < level)
        return;
    end_progress_line(log);
    common_print_lines(stderr, text); // file names could contain control characters
    fputc('\n', stderr);
    fflush(stderr);
}

// Prints a warning. After VIEW_MAX_PRINTED_WARNINGS the warnings are only counted, because one file
// can cause any number.
static void write_warning(view_log *log, const char *text)
{
    log->num_printed++;
    if (log->num_printed <= VIEW_MAX_PRINTED_WARNINGS || log->level == VIEW_DEBUG)
        write_line(log, VIEW_WARNING, text);
}

void view_end_warnings(view_log *log)
{
    char text[128];
    if (log->num_printed > VIEW_MAX_PRINTED_WARNINGS && log->level != VIEW_DEBUG) {
        const uint32_t hidden = log->num_printed - VIEW_MAX_PRINTED_WARNINGS;
        COMMON_TEXT(text, "md5view: %u more warning%s not shown; use --verbose debug to print all",
                    hidden, hidden == 1 ? "" : "s");
        write_line(log, VIEW_WARNING, text);
    }
    log->num_printed = 0;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) // FNV-1a
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    return hash;
}

// Adds a warning to the list, or increments the count of an equal warning. Returns true if the
// warning is new.
static bool list_warning(const view_log *log, view_level level, const char *text,
                         const md5_error *location)
{
    view_reports *const reports = log->reports;
    const uint64_t start =
        0xCBF29CE484222325u ^ ((uint64_t)location->line << 32 | location->column);
    const uint64_t hash = hash_text(3 * hash_text(start, location->file), text);
    for (size_t i = reports->count; i-- > 0;)
        if (reports->rows[i].hash == hash) {
            reports->rows[i].count++;
            return false;
        }
    if (reports->count == VIEW_MAX_REPORTS)
        return true;
    *COMMON_ADD_ITEM(reports->rows, reports->count) =
        (view_report){.level = level,
                      .about = log->about,
                      .text = common_copy(text),
                      .file = location->file[0] != '\0' ? common_copy(location->file) : NULL,
                      .line = location->line,
                      .column = location->column,
                      .count = 1,
                      .hash = hash};
    return true;
}

// Stores a message for the window: the last error, or a warning. `whole` is the text with its
// location, which is empty if the message does not have one.
static void store_message(view_log *log, view_level level, const char *whole, const char *text,
                          const md5_error *location)
{
    snprintf(level == VIEW_ERROR ? log->error : log->warning, sizeof log->error, "%.*s",
             (int)sizeof log->error - 1, whole);
    if (level == VIEW_ERROR) {
        log->failure = *location;
        log->num_errors++;
        return;
    }
    log->num_warnings += log->reports == NULL || list_warning(log, level, text, location);
}

// Declares text[1024] in the calling function and writes a prefix and the variadic arguments of the
// function to it, formatted by `format`.
#define FORMAT_TEXT(prefix)                                                \
    char text[1024];                                                       \
    const size_t used = (size_t)snprintf(text, sizeof text, "%s", prefix); \
    va_list values;                                                        \
    va_start(values, format);                                              \
    vsnprintf(text + used, sizeof text - used, format, values);            \
    va_end(values)

bool view_error(view_log *log, const char *format, ...)
{
    FORMAT_TEXT("md5view: ");
    const char *const message_text = text + strlen("md5view: ");
    store_message(log, VIEW_ERROR, message_text, message_text, &(md5_error){.line = 0});
    write_line(log, VIEW_ERROR, text);
    return false;
}

void view_warn(view_log *log, const char *format, ...)
{
    FORMAT_TEXT("md5view: warning: ");
    const char *const message_text = text + strlen("md5view: warning: ");
    store_message(log, VIEW_WARNING, message_text, message_text, &(md5_error){.line = 0});
    write_warning(log, text);
}

void view_warn_about(view_log *log, view_about about, const char *format, ...)
{
    FORMAT_TEXT("");
    const view_about before = log->about;
    log->about = about;
    view_warn(log, "%s", text);
    log->about = before;
}

void view_note(view_log *log, const char *file, const char *note)
{
    md5_error location = {.line = 0};
    COMMON_TEXT(location.file, "%s", file);
    char *const text = common_format("%s: note: %s", common_base(file), note);
    write_warning(log, text);
    log->num_notes += log->reports == NULL || list_warning(log, VIEW_INFO, note, &location);
    free(text);
}

void view_info(view_log *log, const char *format, ...)
{
    FORMAT_TEXT("");
    write_line(log, VIEW_INFO, text);
}

void view_debug(view_log *log, const char *format, ...)
{
    FORMAT_TEXT("");
    write_line(log, VIEW_DEBUG, text);
}

// Reports an error or warning of the library. The window shows only the file name without its
// folder, the line and the message; for errors the line and column are written in words.
static void log_note(view_log *log, view_level level, const md5_error *note)
{
    char text[640];
    char location[64] = "";
    md5_format_error(note, text, sizeof text);
    if (level == VIEW_WARNING)
        write_warning(log, text);
    else
        write_line(log, level, text);
    const char *const slash = strrchr(note->file, '/');
    const char *const file = slash != NULL ? slash + 1 : note->file;
    if (note->line > 0 && level == VIEW_ERROR)
        COMMON_TEXT(location, ", line %u, column %u", note->line, note->column);
    else if (note->line > 0)
        COMMON_TEXT(location, ":%u", note->line);
    const bool has_place = note->line > 0 || level != VIEW_ERROR || *file != '\0';
    COMMON_TEXT(text, "%s%s%s%s", file, location, has_place ? ": " : "", note->message);
    store_message(log, level, text, note->message, note);
}

bool view_log_error(view_log *log, const md5_error *error)
{
    log_note(log, VIEW_ERROR, error);
    return false;
}

void view_log_warning(void *log, const md5_error *warning)
{
    log_note(log, VIEW_WARNING, warning);
}

static void warn_listener(void *log, const char *text)
{
    view_warn(log, "%s", text);
}

view_listener view_log_listener(view_log *log)
{
    return (view_listener){warn_listener, log};
}

void view_log_clear(view_log *log)
{
    view_end_warnings(log);
    log->num_warnings = log->num_notes = 0;
    log->has_stopped = false;
    log->warning[0] = log->error[0] = '\0';
    if (log->reports != NULL)
        view_free_reports(log->reports);
}

// Takes over the reports of a thread.
void view_take_reports(view_log *log, view_reports *found, const void *model)
{
    view_reports *const to = log->reports;
    const size_t before = to->count;
    for (size_t i = 0; i < found->count; i++) {
        view_report *const row = &found->rows[i];
        row->about.model = model;
        for (size_t k = 0; row->level == VIEW_DEBUG && k < before; k++)
            if (to->rows[k].line == row->line && to->rows[k].file != NULL
                && strcmp(to->rows[k].file, row->file) == 0)
                to->rows[k].about = row->about;
        if (row->level == VIEW_DEBUG || to->count == VIEW_MAX_REPORTS)
            continue;
        log->num_warnings += row->level == VIEW_WARNING;
        *COMMON_ADD_ITEM(to->rows, to->count) = *row;
        row->text = row->file = NULL;
    }
    view_free_reports(found);
}

void view_free_reports(view_reports *reports)
{
    for (size_t i = 0; i < reports->count; i++) {
        free(reports->rows[i].text);
        free(reports->rows[i].file);
    }
    free(reports->rows);
    free(reports->causes);
    free(reports->order);
    *reports = (view_reports){.count = 0};
}

bool view_log_progress(view_log *log, const char *what, size_t step, size_t count)
{
    if (step == 0)
        log->progress_begin = clock();
    if (step >= count) {
        end_progress_line(log);
        return !(log->may_stop && log->has_stopped);
    }
    log->has_stopped |= log->may_stop && !log->has_stopped && view_is_interrupted();
    const double seconds = (double)(clock() - log->progress_begin) / CLOCKS_PER_SEC;
    if (seconds >= 0.5 && log->level >= VIEW_WARNING && isatty(STANDARD_ERROR) != 0) {
        fprintf(stderr, "\r%s %zu/%zu\033[K", what, step + 1, count);
        fflush(stderr);
        log->progress_shown = true;
    }
    return !(log->may_stop && log->has_stopped);
}
