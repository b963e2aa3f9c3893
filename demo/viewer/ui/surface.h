// Elements over the image that belong to the surface of the model: the legend of colored displays,
// texture coordinates, and markers of points.
#ifndef DEMO_VIEWER_UI_SURFACE_H
#define DEMO_VIEWER_UI_SURFACE_H

#include "demo/viewer/ui/ui.h"

// Draws the legend of the weights in the lower right corner of the image, while the surface
// displays weights.
void view_surface_panel(view_ui *ui);

// Draws the UV layout of a mesh in `inside`: its texture and, over it, its triangles at their
// texture coordinates. `number` is the index of the mesh.
void view_draw_uv(const view_stage *stage, uint32_t number, view_rect inside);

// Projects a point of the world to a pixel of the window. Returns false if the point is behind the
// camera or far outside of the window.
bool view_find_pixel(const view_stage *stage, md5_vec3 position, float at[2]);

// Draws a marker with a name at a pixel.
void view_mark_pixel(const view_stage *stage, const float at[2], const char *name);

#endif
