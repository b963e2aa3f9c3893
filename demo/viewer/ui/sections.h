// The names of the sections of a game, above the list of one.
#ifndef DEMO_VIEWER_UI_SECTIONS_H
#define DEMO_VIEWER_UI_SECTIONS_H

#include "demo/viewer/ui/browser.h"

// Draws the names of the sections in a row and notes where they are, if the library is open.
void view_draw_sections(view_browser *browser, view_canvas *canvas, float x, float y, float width);

// The side of the preview beside the rows of a list, in pixels, with its distance; 0 if the list
// has none, or no room for one.
float view_preview_room(const view_browser *browser, const view_font *font, float width);
void view_draw_preview(view_canvas *canvas, view_rect rows, md5gl_texture preview);

// Of the frame that the preview is drawn on.
#define VIEW_PREVIEW_COLOR 0x2A303AFFu

// The section at (x, y), or VIEW_NUM_SECTIONS.
view_section view_section_at(const view_browser *browser, float x, float y);

#endif
