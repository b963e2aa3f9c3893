// Carries out requests of the interface.
#ifndef DEMO_VIEWER_APP_REQUESTS_H
#define DEMO_VIEWER_APP_REQUESTS_H

#include "demo/viewer/jobs/view.h"

// Does what the request says and frees its path. Returns whether the interface handled the event.
bool view_carry_out(view_state *viewer, view_request request);

// The same; then logs the state at the level "debug" if something was done.
bool view_answer(view_state *viewer, view_request request);

#endif
