// Lights and materials of a picture.
#ifndef DEMO_VIEWER_DRAW_LIGHTING_H
#define DEMO_VIEWER_DRAW_LIGHTING_H

#include "demo/viewer/draw/camera.h"
#include "demo/viewer/draw/stage.h"

// Sets the frame's lights and shadow casters for a view along `axes`. Pose the scene first. The
// frame keeps a pointer to `points`.
enum { VIEW_NUM_POINTS = 2 };
void view_set_lights(const view_stage *stage, view_axes axes,
                     md5gl_point_light points[VIEW_NUM_POINTS], md5gl_frame *frame);

// The environment that a picture is lit by, or NULL: the classic light has none.
const view_environment *view_shown_environment(const view_stage *stage);

// The value of a row of parameters but that of time: if it is as usual, that of the entity's key.
float view_parm_of(const view_stage *stage, int row);

// Sets the material of each mesh: its maps, or the checker if that is shown. Evaluates its stages
// at the time of playback.
void view_set_materials(const view_stage *stage, const view_textures *textures, md5gl_model *drawn);

// Draws a pass of what materials draw besides lit surfaces. Does nothing if it is hidden by grey,
// the checker or a texture that was dropped.
bool view_draw_layers(const view_stage *stage, const view_textures *textures,
                      const md5gl_model *drawn, md5gl_stage_pass pass, md5_error *error);

#endif
