// Draws companions: first poses them as the scene is posed, then draws their shadows, then the
// models. A crowd has no companions.
#ifndef DEMO_VIEWER_DRAW_COMPANION_H
#define DEMO_VIEWER_DRAW_COMPANION_H

#include "demo/viewer/draw/lighting.h"
#include "demo/viewer/draw/stage.h"

bool view_pose_companions(const view_stage *stage, md5_error *error);
void view_shade_companions(const view_stage *stage);
void view_draw_companions(const view_stage *stage, uint32_t style);
bool view_layer_companions(const view_stage *stage, md5gl_stage_pass pass,
                           md5_error *error); // view_draw_layers() of each

#endif
