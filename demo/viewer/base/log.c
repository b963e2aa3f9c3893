// Prints messages to standard error, and stores errors and warnings for the window.
//
// A report (view_report) is a message about a file or a part of the scene. Equal messages are one
// report with a count. Reports are stored only if view_log.reports is not NULL, which is the case
// in a window.
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

// Removes the line that displays the progress from the terminal, so that a message can be printed.
static void end_progress_line(view_log *log)
{
    if (log->progress_shown)
        fputs("\r\033[K", stderr);
    log->progress_shown = false;
}

// Writes a line to standard error, unless the user has requested fewer messages than this level.
static void write_line(view_log *log, view_level level, const char *text)
{
    if (log->level < level)
        return;
    end_progress_line(log);
    common_print_lines(stderr, text); // escapes control characters, which file names may contain
    fputc('\n', stderr);
    fflush(stderr);
}

// Prints a warning. After VIEW_MAX_PRINTED_WARNINGS, warnings are only counted, because one file
// can cause a large number of them.
static void write_warning(view_log *log, const char *text)
{
    log->num_printed++;
    if (log->num_printed <= VIEW_MAX_PRINTED_WARNINGS || log->level == VIEW_DEBUG)
        write_line(log, VIEW_WARNING, text);
}

// Prints how many warnings were not shown because there were too many. The count restarts at 0,
// so that the next document can print its first warnings.
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

// Returns the hash of a text after `text` was appended. `hash` is the hash of the text before.
static uint64_t hash_text(uint64_t hash, const char *text)
{
    return common_hash(hash, text, strlen(text));
}

// Adds a warning to the list of reports. If an equal warning exists, only increments its count.
// Warnings after the first VIEW_MAX_REPORTS are not listed. Returns true if the warning is new.
static bool list_warning(const view_log *log, view_level level, const char *text,
                         const md5_error *location)
{
    view_reports *const reports = log->reports;
    const uint64_t position = (uint64_t)location->line << 32 | location->column;
    const uint64_t file_hash = hash_text(COMMON_HASH_START ^ position, location->file);
    const uint64_t hash = hash_text(3 * file_hash, text);
    for (size_t i = reports->count; i-- > 0;) { // equal warnings usually follow each other
        if (reports->rows[i].hash == hash) {
            reports->rows[i].count++;
            return false;
        }
    }
    if (reports->count == VIEW_MAX_REPORTS)
        return true;
    const bool has_file = location->file[0] != '\0';
    *COMMON_ADD_ITEM(reports->rows, reports->count) =
        (view_report){.level = level,
                      .about = log->about,
                      .text = common_copy(text),
                      .file = has_file ? common_copy(location->file) : NULL,
                      .line = location->line,
                      .column = location->column,
                      .count = 1,
                      .hash = hash};
    return true;
}

// Stores the last error, or a warning, for the window. `full_text` is the text with its location,
// and `text` is the text without it.
static void store_message(view_log *log, view_level level, const char *full_text, const char *text,
                          const md5_error *location)
{
    if (level == VIEW_ERROR) {
        COMMON_TEXT(log->error, "%.*s", (int)sizeof log->error - 1, full_text);
        log->failure = *location;
        log->num_errors++;
        return;
    }
    COMMON_TEXT(log->warning, "%.*s", (int)sizeof log->warning - 1, full_text);
    const bool is_new = log->reports == NULL || list_warning(log, level, text, location);
    if (is_new)
        log->num_warnings++;
}

// Declares text[1024] in the calling function. Writes `prefix` and the variadic arguments,
// formatted by the function's parameter `format`, to it.
#define FORMAT_TEXT(prefix)                                                \
    char text[1024];                                                       \
    const size_t used = (size_t)snprintf(text, sizeof text, "%s", prefix); \
    va_list values;                                                        \
    va_start(values, format);                                              \
    vsnprintf(text + used, sizeof text - used, format, values);            \
    va_end(values)

// Stores and prints an error. Always returns false, so that a function that fails can end with
// `return view_error(...)`.
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

// Reports a warning about a part of the scene, for example a mesh, which the list of problems
// can then select.
void view_warn_about(view_log *log, view_about about, const char *format, ...)
{
    FORMAT_TEXT("");
    const view_about before = log->about;
    log->about = about;
    view_warn(log, "%s", text);
    log->about = before;
}

// Reports a note about a file that was written. Prints the note like a warning. With a list of
// reports, counts it only if the list did not contain it.
void view_note(view_log *log, const char *file, const char *note)
{
    md5_error location = {.line = 0};
    COMMON_TEXT(location.file, "%s", file);
    char *const text = common_format("%s: note: %s", common_base(file), note);
    write_warning(log, text);
    if (log->reports == NULL || list_warning(log, VIEW_INFO, note, &location))
        log->num_notes++;
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

// Writes a message of the library for the window. It contains the name of the file without its
// folder, the line, and the text. The location of an error is written in words.
static void write_window_message(view_level level, const md5_error *note, char *text, size_t size)
{
    const bool is_error = level == VIEW_ERROR;
    char location[64] = "";
    if (note->line > 0 && is_error)
        COMMON_TEXT(location, ", line %u, column %u", note->line, note->column);
    else if (note->line > 0)
        COMMON_TEXT(location, ":%u", note->line);

    const char *const slash = strrchr(note->file, '/');
    const char *const file = slash != NULL ? slash + 1 : note->file;
    const bool has_location = note->line > 0 || *file != '\0';
    const char *const separator = has_location || !is_error ? ": " : "";
    snprintf(text, size, "%s%s%s%s", file, location, separator, note->message);
}

// Reports an error or a warning of the library: prints it and stores it for the window.
static void log_note(view_log *log, view_level level, const md5_error *note)
{
    char text[640];
    md5_format_error(note, text, sizeof text);
    if (level == VIEW_WARNING)
        write_warning(log, text);
    else
        write_line(log, level, text);

    char window_text[640];
    write_window_message(level, note, window_text, sizeof window_text);
    store_message(log, level, window_text, note->message, note);
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

// Logs a warning. This is a view_listener; `log` is the view_log.
static void warn_listener(void *log, const char *text)
{
    view_warn(log, "%s", text);
}

view_listener view_log_listener(view_log *log)
{
    return (view_listener){warn_listener, log};
}

// Removes the error and all warnings, before another file is opened. First prints how many
// warnings were suppressed, because the counters restart at 0.
void view_log_clear(view_log *log)
{
    view_end_warnings(log);
    log->num_warnings = log->num_notes = 0;
    log->has_stopped = false;
    log->warning[0] = log->error[0] = '\0';
    if (log->reports != NULL)
        view_free_reports(log->reports);
}

// Copies the subject of `report` to the first `count` reports, if they are about the same line of
// the same file.
static void set_subject(view_reports *reports, size_t count, const view_report *report)
{
    for (size_t i = 0; i < count; i++) {
        view_report *const listed = &reports->rows[i];
        const bool is_same_line = listed->line == report->line && listed->file != NULL;
        if (is_same_line && strcmp(listed->file, report->file) == 0)
            listed->about = report->about;
    }
}

// Moves the reports of a thread to the log. A report with the level VIEW_DEBUG is not a problem. It
// only supplies the subject of earlier reports about the same line. The subject is a part of
// `model`.
void view_move_reports(view_log *log, view_reports *found, const void *model)
{
    view_reports *const listed = log->reports;
    const size_t num_earlier = listed->count;
    for (size_t i = 0; i < found->count; i++) {
        view_report *const report = &found->rows[i];
        report->about.model = model;
        if (report->level == VIEW_DEBUG) {
            set_subject(listed, num_earlier, report);
            continue;
        }
        if (listed->count == VIEW_MAX_REPORTS)
            continue;
        if (report->level == VIEW_WARNING)
            log->num_warnings++;
        *COMMON_ADD_ITEM(listed->rows, listed->count) = *report;
        report->text = report->file = NULL; // the list owns both texts now
    }
    view_free_reports(found);
}

// Frees the reports with their texts, and the groups of causes. The list is empty afterwards and
// can be used again.
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

// Displays the progress of a long job in one line of the terminal, which "\r" overwrites. The
// call with step 0 starts the measurement of time. Returns false if the user has interrupted the
// job, which is possible only if log->may_stop is set.
bool view_log_progress(view_log *log, const char *task, size_t step, size_t count)
{
    const double min_seconds = 0.5; // do not display the progress of shorter jobs
    if (step == 0)
        log->progress_begin = clock();
    if (step >= count) {
        end_progress_line(log);
        return !(log->may_stop && log->has_stopped);
    }

    if (log->may_stop && !log->has_stopped)
        log->has_stopped = view_is_interrupted();
    const double seconds = (double)(clock() - log->progress_begin) / CLOCKS_PER_SEC;
    const bool is_long = seconds >= min_seconds;
    if (is_long && log->level >= VIEW_WARNING && isatty(STANDARD_ERROR) != 0) {
        fprintf(stderr, "\r%s %zu/%zu\033[K", task, step + 1, count);
        fflush(stderr);
        log->progress_shown = true;
    }
    return !(log->may_stop && log->has_stopped);
}
