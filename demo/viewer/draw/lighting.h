// The lights of a picture, and how meshes look in them.
#ifndef DEMO_VIEWER_DRAW_LIGHTING_H
#define DEMO_VIEWER_DRAW_LIGHTING_H

#include "demo/viewer/draw/camera.h"
#include "demo/viewer/draw/stage.h"

// Sets lights, and what casts shadows, for a picture that is seen along `axes`. Needs the pose of
// the moment. The frame refers to `points`.
enum { VIEW_NUM_POINTS = 2 };
void view_set_lights(const view_stage *stage, view_axes axes,
                     md5gl_point_light points[VIEW_NUM_POINTS], md5gl_frame *frame);

// Sets the material of each mesh: its maps, or what is shown in their place.
void view_set_materials(const view_stage *stage, const view_textures *textures, md5gl_model *drawn);

#endif
