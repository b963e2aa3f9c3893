// Flat drawing in pixels from the top left corner: boxes with round corners, text.
#ifndef DEMO_VIEWER_BASE_CANVAS_H
#define DEMO_VIEWER_BASE_CANVAS_H

#include "demo/viewer/base/font.h"

// 0xRRGGBBAA, sRGB.
typedef uint32_t view_color;

// The triangles so far. One canvas is reused for all frames and keeps its memory.
typedef struct view_canvas {
    const view_font *font;
    md5gl_panel_vertex *vertices;
    uint32_t count, room;
} view_canvas;

typedef struct view_rect {
    float x, y, width, height;
} view_rect;

void view_clear_canvas(view_canvas *canvas);
void view_free_canvas(view_canvas *canvas);

void view_draw_rect(view_canvas *canvas, view_rect rect, view_color color);
void view_draw_gradient(view_canvas *canvas, view_rect rect, view_color top, view_color bottom);
void view_draw_round_rect(view_canvas *canvas, view_rect rect, float radius, view_color color);
void view_draw_disc(view_canvas *canvas, float x, float y, float radius, view_color color);
void view_draw_triangle(view_canvas *canvas, const float corners[6], view_color color);

// Draws rgba[4 * width * height], sRGB with straight alpha and the top row first, as so many
// rectangles: for small pictures.
void view_draw_picture(view_canvas *canvas, view_rect rect, const uint8_t *rgba, uint32_t width,
                       uint32_t height);

// Writes one line whose top is `y`. Longer text than `width` is cut and ends in an ellipsis; width
// 0 = no limit. Returns the used width.
float view_draw_text(view_canvas *canvas, view_text_size size, float x, float y, float width,
                     view_color color, const char *text);
float view_text_width(const view_font *font, view_text_size size, const char *text);

// Scales down all vertices from `first` on towards the point (x, y), to fit into a small window.
void view_shrink(view_canvas *canvas, uint32_t first, float x, float y, float factor);

bool view_contains(view_rect rect, float x, float y);

#endif
