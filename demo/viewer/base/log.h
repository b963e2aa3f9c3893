// Messages of the viewer. Each message has a level and is printed to standard error. Errors and
// warnings are also stored for the window. Standard output is reserved for requested output, for
// example images, measurements and lists.
//
// view_log contains the level, the last error and the last warning. If the caller provides a list
// of reports (view_reports), each warning is stored in it with its file, line and subject. causes.c
// groups this list by cause.
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
    VIEW_DEBUG, // also one line for each action, with the resulting state
} view_level;

// The kind of object that a report is about.
typedef enum view_about_kind {
    VIEW_ABOUT_FILE, // a file, or no subject
    VIEW_ABOUT_MESH,
    VIEW_ABOUT_VERTEX,
    VIEW_ABOUT_JOINT,
    VIEW_ABOUT_CLIP,
    VIEW_ABOUT_BINDING, // joints of a clip's file that do not match the joints of the model
} view_about_kind;

// The object that a report is about.
typedef struct view_about {
    view_about_kind kind;
    uint32_t number;   // index of the mesh, joint or clip
    uint32_t vertex;   // vertex of the mesh
    const void *model; // model that contains the subject; only compared
} view_about;

// A warning. Equal warnings are one report with a count.
typedef struct view_report {
    view_level level;
    view_about about;
    char *text;
    char *file;            // NULL if the warning does not name a file
    uint32_t line, column; // as in md5_error
    uint32_t count;        // number of equal warnings
    uint64_t hash;         // hash of text, file, line and column
} view_report;

enum { VIEW_MAX_REPORTS = 10000 };        // further warnings are only counted
enum { VIEW_MAX_PRINTED_WARNINGS = 100 }; // per opening of files
enum { VIEW_MAX_CAUSES = 10 };            // per file

// Reports about one file with the same cause. Their texts differ only in numbers and quoted names.
// All reports about the binding of a clip to a skeleton also have one cause.
typedef struct view_cause {
    uint64_t key;       // identifies the cause after new reports were added
    view_level level;   // most severe level of its reports
    size_t first;       // index in view_reports.order
    size_t num_reports; // at least 1
    bool is_binding;    // all reports are about the binding of a clip
    bool is_merged;     // contains several causes, because the file has more than VIEW_MAX_CAUSES
} view_cause;

typedef struct view_reports {
    view_report *rows; // [count] in the order in which they were first reported
    size_t count;
    bool was_announced; // the window has shown a notice about the warnings

    // Results of view_find_causes(). They contain only the first `num_grouped` reports.
    view_cause *causes; // [num_causes] the worst first
    size_t num_causes;
    uint32_t *order; // [num_grouped] indices of reports, in the order of their causes
    size_t num_grouped;
} view_reports;

typedef struct view_log {
    view_level level;
    view_reports *reports;            // the caller's list for warnings, or NULL
    view_about about;                 // subject of the following warnings
    bool skips_faulty_files;          // a file with an error is skipped; the other files are opened
    bool may_stop;                    // the user can stop the current long job
    bool has_stopped;                 // the user has stopped it
    uint32_t num_warnings, num_notes; // equal warnings count once, unless `reports` is NULL
    uint32_t num_printed;             // warnings since view_end_warnings(), printed or counted
    char warning[320];                // the last warning
    char error[320];                  // the last error, for the window; "" = none, or dismissed
    md5_error failure;                // the last error; file "" if it has no location
    uint32_t num_errors;              // includes dismissed errors
    clock_t progress_begin;           // start of the current long job, CPU time
    bool progress_shown;
} view_log;

bool view_error(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3); // returns false
void view_warn(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3);
void view_warn_about(view_log *log, view_about about, const char *format, ...) COMMON_PRINTF(3, 4);
void view_info(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3);
void view_debug(view_log *log, const char *format, ...) COMMON_PRINTF(2, 3);

// Reports a note about a file that was written. Notes are listed with the warnings. They are
// counted separately, because they do not concern the displayed content.
void view_note(view_log *log, const char *file, const char *note);

// Report an error or a warning of the library, in the library's format.
bool view_log_error(view_log *log, const md5_error *error); // returns false
void view_log_warning(void *log, const md5_error *warning); // an md5_warn_fn

// Returns a listener that passes the warnings of look.h to the log.
view_listener view_log_listener(view_log *log);

// Prints how many warnings were suppressed since the last call because of
// VIEW_MAX_PRINTED_WARNINGS. The level "debug" suppresses no warnings.
void view_end_warnings(view_log *log);

// Removes the error and all warnings, and frees the listed reports. Must be called before another
// file is opened.
void view_log_clear(view_log *log);
void view_free_reports(view_reports *reports);

// Moves the reports of a thread to the list of the log, and sets their model. A report of the level
// VIEW_DEBUG is not listed. It only sets the subject of earlier reports about the same line of the
// same file.
void view_move_reports(view_log *log, view_reports *found, const void *model);

// Groups the reports by cause. Does nothing if no reports were added since the last call
// (causes.c).
void view_find_causes(view_reports *reports);

// Returns the number of causes, without those that contain only notes. Without a list of reports,
// returns the number of warnings.
uint32_t view_count_problems(const view_log *log);

// Displays the progress of a long job, for example "reading 3/12". It is displayed only on a
// terminal, and only if the job takes more than half a second. A call with step == count ends the
// display. Returns false if the user wants to stop the job.
bool view_log_progress(view_log *log, const char *task, size_t step, size_t count);

#endif
