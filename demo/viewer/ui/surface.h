// Elements over the image that belong to the surface of the model: the legend of colored displays,
// texture coordinates, and markers of points.
#ifndef DEMO_VIEWER_UI_SURFACE_H
#define DEMO_VIEWER_UI_SURFACE_H

#include "demo/viewer/ui/ui.h"

// A legend for the displays of the surface in the lower right corner of the free area (surface.c).
// Its box has no width if nothing is displayed.
void view_surface_panel(view_ui *ui);

// Draws the triangles of a mesh over its texture by their texture coordinates.
void view_draw_uv(const view_stage *stage, uint32_t number, view_rect inside);

// Projects a point of the world to pixels; returns false if it is not near the visible region.
// view_mark_pixel() draws a marker with a name.
bool view_find_pixel(const view_stage *stage, md5_vec3 place, float at[2]);
void view_mark_pixel(const view_stage *stage, const float at[2], const char *name);

#endif
