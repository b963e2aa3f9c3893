// 2D drawing for the user interface: rectangles with round corners, lines, images and text.
// Positions are in pixels from the top left corner of the window. A view_canvas collects the
// triangles and images of one frame. view_draw_canvas() in draw/draw.c then draws them.
#ifndef DEMO_VIEWER_BASE_CANVAS_H
#define DEMO_VIEWER_BASE_CANVAS_H

#include "demo/viewer/base/font.h"

// Color with the bytes 0xRRGGBBAA, in sRGB.
typedef uint32_t view_color;

typedef struct view_rect {
    float x;
    float y;
    float width;
    float height;
} view_rect;

// An image in a rectangle of the window. `first` is the number of canvas vertices that were added
// before the image. The image covers these vertices, and later vertices cover the image.
typedef struct view_canvas_image {
    md5gl_texture image;
    bool is_color; // the texels are colors: see md5gl_draw_panel()
    uint32_t first;
    md5gl_panel_vertex vertices[6];
} view_canvas_image;

enum { VIEW_MAX_CANVAS_IMAGES = 160 };

// Triangles and images of the current frame. The same canvas is used for all frames. Its memory
// then grows only if a frame has more vertices than any frame before.
typedef struct view_canvas {
    const view_font *font;
    md5gl_panel_vertex *vertices; // [capacity], freed by the owner of the canvas
    uint32_t count;
    uint32_t capacity;
    view_canvas_image images[VIEW_MAX_CANVAS_IMAGES];
    uint32_t num_images;
    view_rect clip; // pixels; {0} if drawing is not clipped
} view_canvas;

// Removes all triangles and images, and the clip rectangle.
void view_clear_canvas(view_canvas *canvas);

// Sets the clip rectangle of all following draw functions; {0} disables clipping. Returns the
// previous clip rectangle, so that the caller can restore it.
view_rect view_clip_canvas(view_canvas *canvas, view_rect clip);

void view_draw_rect(view_canvas *canvas, view_rect rect, view_color color);
void view_draw_gradient(view_canvas *canvas, view_rect rect, view_color top, view_color bottom);
void view_draw_round_rect(view_canvas *canvas, view_rect rect, float radius, view_color color);
void view_draw_frame(view_canvas *canvas, view_rect rect, float width, view_color color);
void view_draw_disc(view_canvas *canvas, float x, float y, float radius, view_color color);
void view_draw_triangle(view_canvas *canvas, const float corners[6], view_color color);

// Draws a line of `width` pixels from (ends[0], ends[1]) to (ends[2], ends[3]). Draws nothing if
// both ends are equal.
void view_draw_segment(view_canvas *canvas, const float ends[4], float width, view_color color);

// Draws the part of an image between the texture coordinates (uv[0], uv[1]) and (uv[2], uv[3]). The
// image repeats outside of 0 to 1. A frame can contain VIEW_MAX_CANVAS_IMAGES images; further
// images are not drawn.
void view_draw_image(view_canvas *canvas, view_rect rect, const float uv[4], md5gl_texture image,
                     bool is_color);

// Draws one line of text. `y` is the top of the line. Text that is wider than `width` is cut and
// ends with an ellipsis; 0 means no limit. Returns the width of the drawn text in pixels.
float view_draw_text(view_canvas *canvas, view_text_size size, float x, float y, float width,
                     view_color color, const char *text);
float view_text_width(const view_font *font, view_text_size size, const char *text);

// Copies the beginning of a text, as much as fits in a line of `width` pixels, to `line`. The line
// ends at a space or a line break. A word that is wider than a line is split between two
// characters. Returns the remaining text.
enum { VIEW_MAX_LINE = 192 };
const char *view_next_line(const view_font *font, view_text_size size, float width,
                           const char *text, char line[VIEW_MAX_LINE]);

// Writes a number with `num_decimals` decimal places (at most 9) to `text` and returns `text`. 32
// bytes are enough. From 10 000 on, each power of ten removes one decimal place. A number that is
// rounded to 0 has no sign.
//
// If `reserves_sign` is true, a number without a minus sign begins with a blank that is as wide as
// the minus sign. The digits of numbers in a column are then aligned, because all digits have the
// same width.
const char *view_format_number(char *text, size_t size, double value, int num_decimals,
                               bool reserves_sign);

bool view_contains(view_rect rect, float x, float y);

// Removes a strip of `size` pixels from one side of *rect and returns the strip. If the rectangle
// is smaller than `size`, the strip is the whole rectangle.
typedef enum view_side { VIEW_AT_LEFT, VIEW_AT_RIGHT, VIEW_AT_BOTTOM, VIEW_AT_TOP } view_side;
view_rect view_cut(view_rect *rect, view_side side, float size);

// Returns the rectangle that remains if `border` pixels are removed at each side.
static inline view_rect view_inset(view_rect rect, float border)
{
    return (view_rect){rect.x + border, rect.y + border, rect.width - 2 * border,
                       rect.height - 2 * border};
}

#endif
