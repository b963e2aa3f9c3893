// A crowd in a picture: who lives on, who is seen, posed and drawn.
#ifndef DEMO_VIEWER_DRAW_CROWD_H
#define DEMO_VIEWER_DRAW_CROWD_H

#include "demo/viewer/draw/cull.h"
#include "demo/viewer/draw/stage.h"

// Lets time pass until `time`, and poses all that is in sight.
void view_run_crowd(view_crowd *crowd, double time, const view_sight *sight);

// Takes the poses up to the GPU, then draws the shadows, and the characters.
bool view_pose_crowd(const view_stage *stage, md5_error *error);
void view_shade_crowd(const view_stage *stage);
void view_draw_crowd(const view_stage *stage, uint32_t style);

#endif
