#include "demo/viewer/base/log.h"

#include "demo/common/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
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

static void tell(view_log *log, view_level level, const char *text)
{
    if (log->level < level)
        return;
    end_progress_line(log);
    common_print_lines(stderr, text); // file names could contain control characters
    fputc('\n', stderr);
    fflush(stderr);
}

static void remember_warning(view_log *log, const char *text)
{
    char *slot = log->last[log->num_warnings % VIEW_LOG_LAST];
    (void)snprintf(slot, sizeof log->last[0], "%.*s", (int)sizeof log->last[0] - 1, text);
    log->num_warnings++;
}

// Formats the values after `format` into a text of the caller's, after a prefix.
#define FORMAT_TEXT(prefix)                                                \
    char text[1024];                                                       \
    const size_t used = (size_t)snprintf(text, sizeof text, "%s", prefix); \
    va_list values;                                                        \
    va_start(values, format);                                              \
    (void)vsnprintf(text + used, sizeof text - used, format, values);      \
    va_end(values)

static void remember_error(view_log *log, const char *text)
{
    (void)snprintf(log->error, sizeof log->error, "%.*s", (int)sizeof log->error - 1, text);
}

bool view_error(view_log *log, const char *format, ...)
{
    FORMAT_TEXT("md5view: ");
    remember_error(log, text + strlen("md5view: "));
    tell(log, VIEW_ERROR, text);
    return false;
}

void view_warn(view_log *log, const char *format, ...)
{
    FORMAT_TEXT("md5view: warning: ");
    remember_warning(log, text + strlen("md5view: warning: "));
    tell(log, VIEW_WARNING, text);
}

void view_info(view_log *log, const char *format, ...)
{
    FORMAT_TEXT("");
    tell(log, VIEW_INFO, text);
}

void view_debug(view_log *log, const char *format, ...)
{
    FORMAT_TEXT("");
    tell(log, VIEW_DEBUG, text);
}

static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool view_log_error(view_log *log, const md5_error *error)
{
    char text[640];
    (void)md5_format_error(error, text, sizeof text);
    tell(log, VIEW_ERROR, text);

    // The window shows the location in words.
    const char *const file = base_name(error->file);
    if (error->line > 0)
        (void)snprintf(text, sizeof text, "%s, line %u, column %u: %s", file, (unsigned)error->line,
                       (unsigned)error->column, error->message);
    else
        (void)snprintf(text, sizeof text, "%s%s%s", file, *file != '\0' ? ": " : "",
                       error->message);
    remember_error(log, text);
    return false;
}

void view_log_warning(void *log, const md5_error *warning)
{
    char text[640];
    (void)md5_format_error(warning, text, sizeof text);
    tell(log, VIEW_WARNING, text);

    // The panel is narrow: it shows only the location in the file and the message.
    const char *const file = base_name(warning->file);
    if (warning->line > 0)
        (void)snprintf(text, sizeof text, "%s:%u: %s", file, (unsigned)warning->line,
                       warning->message);
    else
        (void)snprintf(text, sizeof text, "%s: %s", file, warning->message);
    remember_warning(log, text);
}

void view_log_clear(view_log *log)
{
    log->num_warnings = 0;
    memset(log->last, 0, sizeof log->last);
    log->error[0] = '\0';
}

void view_log_progress(view_log *log, const char *what, size_t step, size_t count)
{
    if (step == 0)
        log->progress_begin = clock();
    if (step >= count) {
        end_progress_line(log);
        return;
    }
    const double seconds = (double)(clock() - log->progress_begin) / (double)CLOCKS_PER_SEC;
    if (seconds < 0.5 || log->level < VIEW_WARNING || isatty(STANDARD_ERROR) == 0)
        return;
    fprintf(stderr, "\r%s %zu/%zu\033[K", what, step + 1, count);
    fflush(stderr);
    log->progress_shown = true;
}
