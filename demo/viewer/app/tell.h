// Reports to the user: notices in the picture, and the viewer's state in the log.
#ifndef DEMO_VIEWER_APP_TELL_H
#define DEMO_VIEWER_APP_TELL_H

#include "demo/viewer/jobs/view.h"

// Shows a line at the bottom of the window for a few seconds.
void view_notice(view_state *viewer, const char *format, ...) COMMON_PRINTF(2, 3);

// Logs the state after an action at the level "debug".
void view_tell_state(view_state *viewer, const char *action);

#endif
