// Messages of the viewer: lines on standard error by level, and errors and warnings for the window.
// Standard output is reserved for requested output: pictures, figures, lists.
#ifndef DEMO_VIEWER_BASE_LOG_H
#define DEMO_VIEWER_BASE_LOG_H

#include "demo/common/memory.h"
#include "demo/looks/look.h"

#include <time.h>

typedef enum view_level {
    VIEW_QUIET,
    VIEW_ERROR,
    VIEW_WARNING,
    VIEW_INFO,
    VIEW_DEBUG, // also one line for every action, with the state after it
} view_level;

// What a report is about: `number` of a mesh, joint or clip, `vertex` of a mesh.
typedef enum view_about_kind {
    VIEW_ABOUT_FILE, // or nothing
    VIEW_ABOUT_MESH,
    VIEW_ABOUT_VERTEX,
    VIEW_ABOUT_JOINT,
    VIEW_ABOUT_CLIP,
} view_about_kind;

typedef struct view_about {
    view_about_kind kind;
    uint32_t number;
    uint32_t vertex;
    const void *model; // that it is of; only compared
} view_about;

// A warning, or several that are alike.
typedef struct view_report {
    view_level level;
    view_about about;
    char *text, *file;     // NULL: it names no file
    uint32_t line, column; // as in md5_error
    uint32_t count;
    uint64_t hash; // of all but the count
} view_report;

enum { VIEW_MAX_REPORTS = 10000 };        // later ones are only counted
enum { VIEW_MAX_PRINTED_WARNINGS = 100 }; // per opening of files

typedef struct view_reports {
    view_report *rows; // in the order of their first ones
    size_t count;
    bool is_told; // that there are some
} view_reports;

typedef struct view_log {
    view_level level;
    view_reports *reports;            // the caller's list that warnings are added to, or NULL
    view_about about;                 // of what is reported meanwhile
    bool keeps_rest;                  // what has an error is left out of what is opened with it
    bool may_stop, has_stopped;       // the window's user may end the long job; and did
    uint32_t num_warnings, num_notes; // with a list: each once
    uint32_t num_printed;             // warnings since view_end_warnings(), printed or counted
    char warning[320];                // the last one
    char error[320];                  // the last one, for the window; "" = none, or dismissed
    md5_error failure;                // its place and message, or without a file if it has no place
    uint32_t num_errors;              // also of those that were dismissed
    clock_t progress_begin;           // of the current long job, in processor time
    bool progress_shown;
} view_log;

bool view_error(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3); // returns false
void view_warn(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3);
void view_warn_about(view_log *log, view_about about, const char *format, ...) COMMON_PRINTF(3, 4);
void view_info(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3);
void view_debug(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3);

// A note on a file that was written: listed with the warnings, but none of what is shown.
void view_note(view_log *log, const char *file, const char *note);

// The library's errors and warnings, in its own form.
bool view_log_error(view_log *log, const md5_error *error); // returns false
void view_log_warning(void *log, const md5_error *warning); // an md5_warn_fn

// What the searches of look.h warn through.
view_listener view_log_listener(view_log *log);

// Prints the number of warnings that were not printed since the last call because of
// VIEW_MAX_PRINTED_WARNINGS. At the level "debug" all warnings are printed.
void view_end_warnings(view_log *log);

// Forgets warnings and error, when another file is opened; frees what was in the list.
void view_log_clear(view_log *log);
void view_free_reports(view_reports *reports);

// Moves what a thread has found to the log's list, about a model. At the level "debug" it only says
// what is about the same as what was reported of its line.
void view_take_reports(view_log *log, view_reports *found, const void *model);

// Shows the progress of a long job, "what 3/12", on a terminal and only after half a second.
// step == count ends it. Returns false if the user wants the job to end.
bool view_log_progress(view_log *log, const char *what, size_t step, size_t count);

#endif
