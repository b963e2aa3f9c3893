// Opens and turns the pages of techniques.
#ifndef DEMO_VIEWER_APP_PAGING_H
#define DEMO_VIEWER_APP_PAGING_H

#include "demo/viewer/jobs/view.h"

// --page list: prints the names, one a line.
void view_print_pages(void);

// --page: opens the page with its character, with the sliders of --set. Returns false and logs an
// error if there is no such page or slider or its character cannot be opened; true without the
// option.
bool view_choose_page(view_state *viewer);

// Opens a page with its character, or the contents. Returns false and logs an error if that cannot
// be opened.
bool view_show_page_number(view_state *viewer, int32_t number);

// Opens the next (+1) or previous (-1) page: contents, then all pages, and round again.
void view_turn_page(view_state *viewer, int step);

// Shows the document again.
void view_close_page(view_state *viewer);

#endif
