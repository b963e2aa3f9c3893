// The check of the document's files for problems in engines. It runs on a thread after the first
// image of a window.
#ifndef DEMO_VIEWER_JOBS_CHECK_H
#define DEMO_VIEWER_JOBS_CHECK_H

#include "demo/viewer/pages/page.h"

#include <stdatomic.h>

typedef struct view_state view_state;

typedef struct view_checking {
    view_thread *thread;
    common_list files;
    view_reports found;
    atomic_bool is_done;
    atomic_bool stops;
} view_checking;

// Starts the check of the model and its clips, if they are MD5 files on disk.
void view_begin_check(view_state *viewer);

// Stops the check of the files.
void view_end_check(view_state *viewer);

#endif
