// Updates, culls, poses and draws a crowd.
#ifndef DEMO_VIEWER_DRAW_CROWD_H
#define DEMO_VIEWER_DRAW_CROWD_H

#include "demo/viewer/draw/cull.h"
#include "demo/viewer/draw/lighting.h"
#include "demo/viewer/draw/stage.h"

// Advances the crowd to `time` and poses its visible members. Uses all cores.
void view_run_crowd(view_crowd *crowd, double time, const view_sight *sight);

// Uploads the poses; then draws shadows; then draws the characters. Call in this order.
bool view_pose_crowd(const view_stage *stage, md5_error *error);
void view_shade_crowd(const view_stage *stage);
void view_draw_crowd(const view_stage *stage, uint32_t style);
bool view_layer_crowd(const view_stage *stage, md5gl_stage_pass pass,
                      md5_error *error); // view_draw_layers() of each kind

#endif
