// The state of the viewer (view_state), which jobs and the window share.
//
// Each part of the state is a structure. The header of the file that works on this part declares
// it, and this header includes those headers. A job includes the headers of the functions that it
// calls.
#ifndef DEMO_VIEWER_JOBS_VIEW_H
#define DEMO_VIEWER_JOBS_VIEW_H

#include "demo/viewer/jobs/files.h"
#include "demo/viewer/jobs/frame.h"
#include "demo/viewer/jobs/framing.h"
#include "demo/viewer/jobs/input.h"
#include "demo/viewer/jobs/open.h"
#include "demo/viewer/jobs/undo.h"
#include "demo/viewer/ui/panels.h"

// Work that runs between the frames of a window, in other processes, or on threads. A pointer is
// NULL if its work does not run.
typedef struct view_jobs {
    struct view_movie *movie;               // recording of the window; see movie.h
    struct view_export_job *export;         // export that is written between frames; see export.c
    struct view_conversion_job *conversion; // conversion of a model; see export.c
    view_scan *scan;                        // opens another library
    struct view_checking *check;            // check of the files for engines; see check.h
    const view_document *checked_document;  // only its address is compared
    view_picker picker;                     // file dialog of the desktop
} view_jobs;

struct view_state {
    view_options *options;              // owned by the caller; menus change them
    view_config *config;                // configuration file, or NULL
    const view_recent_lines *documents; // stored settings of documents, or NULL
    double config_time; // time at which the state was last stored in `config`, seconds
    view_log log;
    view_reports reports; // warnings of the log, for a window

    uint32_t width, height; // size of the image, pixels
    md5gl_renderer *renderer;
    view_window *window; // or NULL
    double uptime;       // time since the start, seconds

    view_document *document; // empty before the first file is opened
    view_play play;
    view_cameras cameras;
    view_pages pages;   // an open lesson is shown instead of the document and the interface
    bool has_interface; // images can contain parts of the interface: see view_begin()
    view_ui ui;         // the interface over the document
    view_panels panels;

    view_drawing drawing;
    view_opening opening;
    view_jobs jobs;

    // Only used with a window.
    view_undo undo;
    view_lists lists;
    view_input_state input;
};

// Initializes the parts of the state that need no window from the options, such as switches, camera
// and clock. Without a window, the interface exists only if the options request a part of it.
void view_begin(view_state *viewer, view_options *options);

// Frees everything that view_begin(), opening and drawing allocated, in any state.
void view_end(view_state *viewer);

// Shows a line at the bottom of the window for 2.5 seconds.
void view_notice(view_state *viewer, const char *format, ...) COMMON_PRINTF(2, 3);

// Notice for a command that needs a clip, in a document without clips.
#define VIEW_NO_CLIP "No animation: drop an .md5anim here"

// Logs the state after an action at the level "debug".
void view_log_state(view_state *viewer, const char *action);

#endif
