// Glyphs of the interface, as coverage in one texture. The fonts are DejaVu Sans in two sizes, and
// DejaVu Sans Mono for code. Fonts of the system supply the characters that these fonts do not
// contain. The texture also contains a disc, which canvas.c uses for round corners and solid areas.
//
// A view_font contains the metrics and the texture. A view_letter contains the rectangles of one
// glyph.
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

// A glyph. Its rectangle is in pixels relative to the pen position on the base line, with y
// downward. The texture coordinates belong to the rectangle's corners.
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
    // The square of the disc in the texture, and the radius of the disc in pixels.
    float disc_u0;
    float disc_v0;
    float disc_u1;
    float disc_v1;
    float disc_radius;
    float solid_u, solid_v; // center of the disc, where coverage is 1: for solid areas
    view_letters *letters;  // glyphs in the texture
} view_font;

// Creates the texture font->mask with the common glyphs for a scale of the interface. Returns false
// and sets `error` to MD5_ERROR_GPU if the texture cannot be created.
bool view_make_font(view_font *font, md5gl_renderer *renderer, float scale, md5_error *error);
void view_free_font(view_font *font, md5gl_renderer *renderer);

// Reads the next character of UTF-8 text, advances *text and returns the glyph. Returns NULL at the
// end of the text. The glyph is a box if no font contains the character, and U+FFFD for each byte
// of invalid UTF-8. A glyph that is used for the first time becomes visible after the next
// view_update_font().
const view_letter *view_next_letter(const view_font *font, view_text_size size, const char **text);

// Uploads new glyphs to the texture. If the texture is full, removes all glyphs except the common
// ones. Must be called after each image, outside of a frame. Returns true if the image must be
// drawn again, because glyphs were missing in it.
bool view_update_font(view_font *font, md5gl_renderer *renderer);

#endif
