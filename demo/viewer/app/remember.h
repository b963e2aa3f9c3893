// Converts between the window's state, options that describe it, and the configuration file.
#ifndef DEMO_VIEWER_APP_REMEMBER_H
#define DEMO_VIEWER_APP_REMEMBER_H

#include "demo/viewer/jobs/view.h"

// Switches as the options say, after view_begin(), and options that say what the window shows: what
// is set by one and described by the other is the same.
void view_take_switches(view_state *viewer);
void view_describe(const view_state *viewer, view_options *options);

// Restores the camera of the last run, unless the command line sets it.
void view_restore_camera(view_state *viewer, const view_camera *camera);

// Whether the next start shows the current model: a single one, not a crowd.
bool view_remembers_model(const view_state *viewer);

// Writes the configuration file, if there is one, when the window closes.
void view_remember(view_state *viewer);

// The same after a second in which nothing changed any more, so that nothing is lost if the program
// is ended; the camera alone is no reason to. Call it in every frame.
void view_remember_soon(view_state *viewer);

#endif
