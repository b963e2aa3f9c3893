// One picture of the world: background, ground, model, lines.
#ifndef DEMO_VIEWER_DRAW_DRAW_H
#define DEMO_VIEWER_DRAW_DRAW_H

#include "demo/viewer/draw/stage.h"

// Begins a frame, after the document was posed, into `target` (NULL = the window) and
// draws everything but text into it. `transparent` leaves out the background. The caller ends the
// frame with md5gl_end_frame(), also after a failure, of which `error` says why.
bool view_draw_world(const view_stage *stage, md5gl_target *target, uint32_t width, uint32_t height,
                     bool transparent, md5_error *error);

// Draws what the canvas holds over it.
void view_draw_canvas(const view_stage *stage);

#endif
