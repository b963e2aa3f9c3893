// What the window shows first.
#ifndef DEMO_VIEWER_APP_START_H
#define DEMO_VIEWER_APP_START_H

#include "demo/viewer/jobs/view.h"

// Opens what the command line names, or what is remembered if it names nothing, and lists the
// folder that it names. Returns false, and logs why, if there is nothing to show.
bool view_open_first(view_state *viewer);

#endif
