// Glyphs for the interface, as coverage in one texture: DejaVu Sans in two sizes, and DejaVu Sans
// Mono for code. Characters that these fonts do not contain are drawn with fonts of the system. The
// texture also contains a disc, which canvas.c uses for round corners and solid areas.
//
// A view_font contains the metrics and the texture, a view_letter the rectangles of one glyph.
#ifndef DEMO_VIEWER_BASE_FONT_H
#define DEMO_VIEWER_BASE_FONT_H

#include "render/md5gl.h"

// Limits of the scale of the interface.
#define VIEW_MIN_SCALE 0.5f
#define VIEW_MAX_SCALE 4.0f

typedef enum view_text_size {
    VIEW_TEXT,
    VIEW_TITLE,
    VIEW_CODE, // all glyphs are equally wide
    VIEW_NUM_TEXT_SIZES,
} view_text_size;

// A glyph: its rectangle relative to the pen on the base line, y down, and its texture coordinates.
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
    float solid_u, solid_v; // center of the disc, where coverage is 1: for solid areas
    view_letters *letters;  // glyphs in the texture
} view_font;

// Creates the texture font->mask with the common glyphs for a scale. Returns false with
// MD5_ERROR_GPU in `error` if the texture cannot be created.
bool view_make_font(view_font *font, md5gl_renderer *renderer, float scale, md5_error *error);
void view_free_font(view_font *font, md5gl_renderer *renderer);

// Reads the next character of UTF-8 text and advances *text. Returns its glyph, a box if no font
// contains it, U+FFFD for each byte of invalid UTF-8, or NULL at the end. A glyph that is used for
// the first time becomes visible after the next view_update_font().
const view_letter *view_next_letter(const view_font *font, view_text_size size, const char **text);

// Uploads new glyphs to the texture. If the texture is full, removes all but the common glyphs.
// Call it after each image, outside of a frame. Returns true if glyphs were missing, so that the
// image must be drawn again.
bool view_update_font(view_font *font, md5gl_renderer *renderer);

#endif
