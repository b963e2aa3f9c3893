// Flat drawing in pixels from the top left corner: boxes with round corners, text.
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

// A rectangle of an image, drawn after the triangles before `first`.
typedef struct view_canvas_image {
    md5gl_texture image;
    bool is_color; // of its texels: see md5gl_draw_panel()
    uint32_t first;
    md5gl_panel_vertex vertices[6];
} view_canvas_image;

enum { VIEW_MAX_CANVAS_IMAGES = 160 };

// The triangles and images so far. One canvas is reused for all frames and keeps its memory.
typedef struct view_canvas {
    const view_font *font;
    md5gl_panel_vertex *vertices; // for the owner to free
    uint32_t count;
    uint32_t room;
    view_canvas_image images[VIEW_MAX_CANVAS_IMAGES];
    uint32_t num_images;
    view_rect clip; // {0}: none
} view_canvas;

// Also ends clipping.
void view_clear_canvas(view_canvas *canvas);

// What is drawn from now on is cut off outside of a rectangle; {0} = nowhere. Returns the one
// before, to set it again.
view_rect view_clip_canvas(view_canvas *canvas, view_rect clip);

void view_draw_rect(view_canvas *canvas, view_rect rect, view_color color);
void view_draw_gradient(view_canvas *canvas, view_rect rect, view_color top, view_color bottom);
void view_draw_round_rect(view_canvas *canvas, view_rect rect, float radius, view_color color);
void view_draw_frame(view_canvas *canvas, view_rect rect, float width, view_color color);
void view_draw_disc(view_canvas *canvas, float x, float y, float radius, view_color color);
void view_draw_triangle(view_canvas *canvas, const float corners[6], view_color color);

// A line of `width` pixels from ends[0, 1] to ends[2, 3]; nothing if both ends are equal.
void view_draw_segment(view_canvas *canvas, const float ends[4], float width, view_color color);

// The part from (uv[0], uv[1]) to (uv[2], uv[3]) of an image, repeated outside of 0 to 1. Images
// beyond VIEW_MAX_CANVAS_IMAGES are left out.
void view_draw_image(view_canvas *canvas, view_rect rect, const float uv[4], md5gl_texture image,
                     bool is_color);

// Writes one line whose top is `y`. Longer text than `width` is cut and ends in an ellipsis; width
// 0 = no limit. Returns the used width.
float view_draw_text(view_canvas *canvas, view_text_size size, float x, float y, float width,
                     view_color color, const char *text);
float view_text_width(const view_font *font, view_text_size size, const char *text);

// Copies what of a text fits into a line: up to a space or a line break, or in a word that is too
// long up to a character. Returns what is behind it.
enum { VIEW_MAX_LINE = 192 };
const char *view_next_line(const view_font *font, view_text_size size, float width,
                           const char *text, char line[VIEW_MAX_LINE]);

// Writes a number with so many decimal places, at most 9; of 10 000 and more with one less for each
// power of ten. What is rounded to 0 has no sign. With `has_column` a place for the sign is kept
// where there is none, as wide as the minus. Digits are equally wide, and two spaces as wide as
// one. Returns `text`; 32 bytes are enough.
const char *view_format_number(char *text, size_t size, double value, int places, bool has_column);

bool view_contains(view_rect rect, float x, float y);

// Cuts off a part of a rectangle, at most all of it.
typedef enum view_side { VIEW_AT_LEFT, VIEW_AT_RIGHT, VIEW_AT_BOTTOM, VIEW_AT_TOP } view_side;
view_rect view_cut(view_rect *rest, view_side side, float size);

// What is left of a rectangle without a border.
static inline view_rect view_inset(view_rect rect, float border)
{
    return (view_rect){rect.x + border, rect.y + border, rect.width - 2 * border,
                       rect.height - 2 * border};
}

#endif
