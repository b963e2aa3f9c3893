// Screenshots.
#ifndef DEMO_VIEWER_APP_SCREENSHOT_H
#define DEMO_VIEWER_APP_SCREENSHOT_H

#include "demo/viewer/jobs/view.h"

// Saves what the window shows under an unused name in the current folder; `clean`: without the
// interface, and with a transparent background.
void view_save_screenshot(view_state *viewer, bool clean);

#endif
