// The names of the sections of a game, above the list of one.
#ifndef DEMO_VIEWER_UI_SECTIONS_H
#define DEMO_VIEWER_UI_SECTIONS_H

#include "demo/viewer/ui/browser.h"

// Draws the names of the sections in a row and notes where they are, if the library is open.
void view_draw_sections(view_browser *browser, view_canvas *canvas, float x, float y, float width);

// The section at (x, y), or VIEW_NUM_SECTIONS.
view_section view_section_at(const view_browser *browser, float x, float y);

#endif
