// The initial contents of the window.
#ifndef DEMO_VIEWER_APP_START_H
#define DEMO_VIEWER_APP_START_H

#include "demo/viewer/jobs/view.h"

// Opens the files on the command line, or the last model if there are none, and lists the folder on
// it. Returns false and logs an error if nothing can be shown.
bool view_open_first(view_state *viewer);

#endif
