// Messages of the viewer: lines on standard error by level, and the last warnings for the panel.
// Standard output is reserved for requested output: pictures, figures, lists.
#ifndef DEMO_VIEWER_BASE_LOG_H
#define DEMO_VIEWER_BASE_LOG_H

#include "md5/md5model.h"
#include "demo/common/memory.h"

#include <time.h>

typedef enum view_level {
    VIEW_QUIET,
    VIEW_ERROR,
    VIEW_WARNING,
    VIEW_INFO,
    VIEW_DEBUG, // also one line for every action, with the state after it
} view_level;

#define VIEW_LOG_LAST 4

typedef struct view_log {
    view_level level;
    uint32_t num_warnings;
    char last[VIEW_LOG_LAST][320]; // the newest at (num_warnings - 1) % VIEW_LOG_LAST
    char error[320];               // the last one, for the window; "" = none, or dismissed
    clock_t progress_begin;        // of the current long job, in processor time
    bool progress_shown;
} view_log;

bool view_error(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3); // returns false
void view_warn(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3);
void view_info(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3);
void view_debug(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3);

// The library's errors and warnings, in its own form.
bool view_log_error(view_log *log, const md5_error *error); // returns false
void view_log_warning(void *log, const md5_error *warning); // an md5_warn_fn

// Forgets warnings and error, when another file is opened.
void view_log_clear(view_log *log);

// Shows the progress of a long job, "what 3/12", on a terminal and only after half a second.
// step == count ends it.
void view_log_progress(view_log *log, const char *what, size_t step, size_t count);

#endif
