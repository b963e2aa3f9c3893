// Images and movies of the window.
#ifndef DEMO_VIEWER_JOBS_CAPTURE_H
#define DEMO_VIEWER_JOBS_CAPTURE_H

#include "demo/viewer/draw/draw.h"

typedef struct view_state view_state;

// Adds the image in the window's framebuffer to the recording. Call it before the buffers are
// swapped: afterwards, the contents of the framebuffer are undefined. The recording ends if the
// size of the window changes or the file cannot be written.
void view_record_frame(view_state *viewer);

// Begins a recording of the window in the current folder, or ends the current recording. The file
// is MODEL-1.apng, with another extension if the option --record-as is set. Shows a notice.
void view_toggle_recording(view_state *viewer);

// Saves the image of the window under an unused name in the current folder. `clean` omits the
// interface and the background.
void view_save_screenshot(view_state *viewer, bool clean);

// Returns the first of MODEL-1.ENDING, MODEL-2.ENDING, ... that does not exist in the folder, or
// NULL if all names are used. The caller frees the path.
char *view_find_unused_path(const char *folder, const char *model, const char *ending);

// Sets *color to the color of the window at the pixel (x, y). Returns false and logs an error if
// the window cannot be drawn.
bool view_read_window_color(view_state *viewer, float x, float y, view_color *color);

#endif
