// Reloads files that change (--watch).
#ifndef DEMO_VIEWER_APP_WATCH_H
#define DEMO_VIEWER_APP_WATCH_H

#include "demo/viewer/jobs/view.h"

// Checks the files a few times a second, and reloads all if one has changed.
void view_watch_files(view_state *viewer);

#endif
