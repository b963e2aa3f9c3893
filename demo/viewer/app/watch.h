// Reads files again when they change (--watch).
#ifndef DEMO_VIEWER_APP_WATCH_H
#define DEMO_VIEWER_APP_WATCH_H

#include "demo/viewer/jobs/view.h"

// Looks at the files a few times a second, and reads all again if one has changed.
void view_watch_files(view_state *viewer);

#endif
