// Saves what the window shows: as a picture, or as a movie, from a key to the next. While it
// records, the clock advances by the duration of a picture with each frame, so that the movie is
// smooth however long frames take.
#ifndef DEMO_VIEWER_APP_RECORD_H
#define DEMO_VIEWER_APP_RECORD_H

#include "demo/viewer/jobs/view.h"

// Saves what the window shows under an unused name in the current folder; `clean`: without the
// interface, and with a transparent background.
void view_save_screenshot(view_state *viewer, bool clean);

// Begins a movie in the current folder, MODEL-1.apng or with the ending of --record-as, or ends the
// one that is recorded; the notice says which.
void view_toggle_recording(view_state *viewer);

// Ends a movie that is recorded, if any.
void view_end_recording(view_state *viewer);

// Whether a movie is recorded, and how many pictures it has in a second: --frame-rate, or 25.
bool view_is_recording(const view_state *viewer);
double view_recording_rate(const view_state *viewer);

// Adds what is in the window's framebuffer, before the swap. A window of another size than at the
// beginning, and a failure to write, end the movie.
void view_record_frame(view_state *viewer);

#endif
