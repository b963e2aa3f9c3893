// The text of a page: panel with lines and sliders, plots, labels, and the contents.
#ifndef DEMO_VIEWER_PAGES_PANEL_H
#define DEMO_VIEWER_PAGES_PANEL_H

#include "demo/viewer/pages/picture.h"

// The width of the panel at the left with its margins, and the height of the plots at the bottom,
// in pixels.
float view_panel_width(const view_font *font, float width);
float view_plots_height(const view_picture *picture, float height);

void view_draw_page_panel(view_pages *pages, const view_page *page, const view_picture *picture,
                          view_canvas *canvas, float width, float height);
void view_draw_plots(const view_picture *picture, view_canvas *canvas, view_rect area);
void view_draw_contents(view_pages *pages, view_canvas *canvas, float width, float height);

#endif
