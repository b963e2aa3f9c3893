// Screenshots.
#ifndef DEMO_VIEWER_APP_SCREENSHOT_H
#define DEMO_VIEWER_APP_SCREENSHOT_H

#include "demo/viewer/jobs/view.h"

// Saves what the window shows under an unused name in the current folder; `clean`: without the
// interface, and with a transparent background.
void view_save_screenshot(view_state *viewer, bool clean);

// MODEL-1.png, MODEL-2.png, ... in the folder, or with another ending: the first that does not
// exist, or NULL. free() it.
char *view_free_name(const char *folder, const char *model, const char *ending);

#endif
