// One picture of the world: background, ground, model, lines.
#ifndef DEMO_VIEWER_DRAW_DRAW_H
#define DEMO_VIEWER_DRAW_DRAW_H

#include "demo/viewer/draw/stage.h"

// Begins a frame into `target` (NULL = the window) and draws everything but text. Pose the document
// first. `transparent` leaves out the background and the ground. Returns false and fills `error` on
// failure. The caller ends the frame with md5gl_end_frame() in both cases.
bool view_draw_world(const view_stage *stage, md5gl_target *target, uint32_t width, uint32_t height,
                     bool transparent, md5_error *error);

// Draws the gradient behind a picture, with the stage's canvas.
void view_draw_background(const view_stage *stage, float width, float height);

// Draws the canvas over the frame.
void view_draw_canvas(const view_stage *stage);

#endif
