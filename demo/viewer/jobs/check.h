// Checks whether the files of the document would have problems in game engines. The check runs on a
// thread and begins after the first image of a window, so that it does not delay this image.
#ifndef DEMO_VIEWER_JOBS_CHECK_H
#define DEMO_VIEWER_JOBS_CHECK_H

#include "demo/viewer/pages/page.h"

#include <stdatomic.h>

typedef struct view_state view_state;

// A check while it runs. The viewer reads the results after the thread has set `is_done`.
typedef struct view_checking {
    view_thread *thread;
    common_list files;   // the model, then its clips
    view_reports found;  // the problems in the files
    atomic_bool is_done; // set by the thread
    atomic_bool stops;   // set by the viewer: the thread ends early
} view_checking;

// Starts the check of the model and its clips, if they are MD5 files on disk.
void view_begin_check(view_state *viewer);

// Stops the check of the files.
void view_end_check(view_state *viewer);

#endif
