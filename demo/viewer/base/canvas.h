// 2D drawing for the interface: rectangles with round corners, lines, images and text, in pixels
// from the top left corner of the window. A view_canvas collects the triangles and images of one
// frame; view_draw_canvas() in draw/draw.c draws them.
#ifndef DEMO_VIEWER_BASE_CANVAS_H
#define DEMO_VIEWER_BASE_CANVAS_H

#include "demo/viewer/base/font.h"

// 0xRRGGBBAA, sRGB.
typedef uint32_t view_color;

typedef struct view_rect {
    float x;
    float y;
    float width;
    float height;
} view_rect;

// A rectangle of an image. It is drawn after the canvas vertices with an index below `first`.
typedef struct view_canvas_image {
    md5gl_texture image;
    bool is_color; // the texels are colors: see md5gl_draw_panel()
    uint32_t first;
    md5gl_panel_vertex vertices[6];
} view_canvas_image;

enum { VIEW_MAX_CANVAS_IMAGES = 160 };

// Triangles and images of the current frame. One canvas is reused for all frames, so that memory is
// allocated only when a frame needs more than all earlier frames.
typedef struct view_canvas {
    const view_font *font;
    md5gl_panel_vertex *vertices; // [capacity], freed by the owner of the canvas
    uint32_t count;
    uint32_t capacity;
    view_canvas_image images[VIEW_MAX_CANVAS_IMAGES];
    uint32_t num_images;
    view_rect clip; // {0}: no clipping
} view_canvas;

// Removes all triangles and images, and the clip rectangle.
void view_clear_canvas(view_canvas *canvas);

// Sets the clip rectangle of the following drawing calls; {0} = no clipping. Returns the previous
// clip rectangle, so that the caller can restore it.
view_rect view_clip_canvas(view_canvas *canvas, view_rect clip);

void view_draw_rect(view_canvas *canvas, view_rect rect, view_color color);
void view_draw_gradient(view_canvas *canvas, view_rect rect, view_color top, view_color bottom);
void view_draw_round_rect(view_canvas *canvas, view_rect rect, float radius, view_color color);
void view_draw_frame(view_canvas *canvas, view_rect rect, float width, view_color color);
void view_draw_disc(view_canvas *canvas, float x, float y, float radius, view_color color);
void view_draw_triangle(view_canvas *canvas, const float corners[6], view_color color);

// A line of `width` pixels from ends[0, 1] to ends[2, 3]; nothing if both ends are equal.
void view_draw_segment(view_canvas *canvas, const float ends[4], float width, view_color color);

// Draws the part of an image from (uv[0], uv[1]) to (uv[2], uv[3]). The image repeats outside of 0
// to 1. Images after the first VIEW_MAX_CANVAS_IMAGES are skipped.
void view_draw_image(view_canvas *canvas, view_rect rect, const float uv[4], md5gl_texture image,
                     bool is_color);

// Draws one line of text whose top is `y`. Text that is wider than `width` is truncated and ends in
// an ellipsis; width 0 = no limit. Returns the width of the drawn text.
float view_draw_text(view_canvas *canvas, view_text_size size, float x, float y, float width,
                     view_color color, const char *text);
float view_text_width(const view_font *font, view_text_size size, const char *text);

// Copies the beginning of a text that fits into a line. The line ends at a space or a line break; a
// word that is too long for a line is split between two characters. Returns the remaining text.
enum { VIEW_MAX_LINE = 192 };
const char *view_next_line(const view_font *font, view_text_size size, float width,
                           const char *text, char line[VIEW_MAX_LINE]);

// Writes a number with `places` decimal places, at most 9. From 10 000 on, each power of ten
// removes one decimal place. Numbers that are rounded to 0 have no sign. With `has_column`, numbers
// without a minus sign begin with a blank of the same width, so that columns are aligned: all
// digits are equally wide, and two spaces are as wide as one digit. Returns `text`; 32 bytes are
// enough.
const char *view_format_number(char *text, size_t size, double value, int places, bool has_column);

bool view_contains(view_rect rect, float x, float y);

// Cuts a strip of `size` pixels off one side of *rect and returns it. If the rectangle is smaller,
// the strip is the whole rectangle.
typedef enum view_side { VIEW_AT_LEFT, VIEW_AT_RIGHT, VIEW_AT_BOTTOM, VIEW_AT_TOP } view_side;
view_rect view_cut(view_rect *rect, view_side side, float size);

// Returns a rectangle without a border of `border` pixels on each side.
static inline view_rect view_inset(view_rect rect, float border)
{
    return (view_rect){rect.x + border, rect.y + border, rect.width - 2 * border,
                       rect.height - 2 * border};
}

#endif
