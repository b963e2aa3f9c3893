// Images and movies of the window.
#ifndef DEMO_VIEWER_JOBS_CAPTURE_H
#define DEMO_VIEWER_JOBS_CAPTURE_H

#include "demo/viewer/draw/draw.h"

typedef struct view_state view_state;

// Adds the contents of the window's framebuffer to the recording, before the swap. A change of the
// window's size and a write error end the recording.
void view_record_frame(view_state *viewer);

// Begins a recording of the window in the current folder, MODEL-1.apng or with the extension of
// the option --record-as; or ends the current recording. Shows a notice.
void view_toggle_recording(view_state *viewer);

// Saves the image of the window under an unused name in the current folder. `clean` omits the
// interface and the background.
void view_save_screenshot(view_state *viewer, bool clean);

// Returns the first of MODEL-1.ENDING, MODEL-2.ENDING, ... that does not exist in the folder; the
// caller frees it. NULL: all names are used.
char *view_find_unused_path(const char *folder, const char *model, const char *ending);

// Returns the color of a pixel of the window; 0 on failure.
view_color view_color_at(view_state *viewer, float x, float y);

#endif
