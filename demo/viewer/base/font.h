// Glyphs as coverage in one texture: DejaVu Sans in two sizes, DejaVu Sans Mono for code, what
// these lack from the fonts of the system, and a disc for round corners.
#ifndef DEMO_VIEWER_BASE_FONT_H
#define DEMO_VIEWER_BASE_FONT_H

#include "render/md5gl.h"

// Of the interface.
#define VIEW_MIN_SCALE 0.5f
#define VIEW_MAX_SCALE 4.0f

typedef enum view_text_size {
    VIEW_TEXT,
    VIEW_TITLE,
    VIEW_CODE, // all glyphs are equally wide
    VIEW_NUM_TEXT_SIZES,
} view_text_size;

// A glyph: its box relative to the pen on the base line, y down, and its position in the texture.
typedef struct view_letter {
    float x0;
    float y0;
    float x1;
    float y1;
    float u0;
    float v0;
    float u1;
    float v1;
    float advance;
} view_letter;

typedef struct view_letters view_letters;

typedef struct view_font {
    float scale; // pixels of the screen per unit of layout
    md5gl_texture mask;
    float ascent[VIEW_NUM_TEXT_SIZES]; // pixels from the top of a line to its base line
    float line[VIEW_NUM_TEXT_SIZES];   // pixels from line to line
    // The disc: its texture square, and its radius in pixels.
    float disc_u0;
    float disc_v0;
    float disc_u1;
    float disc_v1;
    float disc_radius;
    float solid_u, solid_v; // its centre, which is fully covered: the plain colour
    view_letters *letters;  // those that were met, in the texture
} view_font;

// Draws the usual letters for a scale, into font->mask. Returns false with MD5_ERROR_GPU in `error`
// when the texture cannot be made.
bool view_make_font(view_font *font, md5gl_renderer *renderer, float scale, md5_error *error);
void view_free_font(view_font *font, md5gl_renderer *renderer);

// Reads the next character of UTF-8 text and moves past it: returns its glyph, a box if no font has
// one, U+FFFD for each byte of invalid UTF-8. NULL at the end. A letter that is met for the first
// time is seen only after view_update_font().
const view_letter *view_next_letter(const view_font *font, view_text_size size, const char **text);

// Call it after each picture, outside of a frame: brings new letters into the texture, or makes
// room for them. Returns whether the picture has to be drawn again, since it lacks some.
bool view_update_font(view_font *font, md5gl_renderer *renderer);

#endif
