// The start page with recent files, examples and lessons, and the card that asks for a decision
// after a crash or after the first minute.
#ifndef DEMO_VIEWER_UI_START_H
#define DEMO_VIEWER_UI_START_H

#include "demo/viewer/ui/ui.h"

enum { VIEW_INVITING = 8 }; // seconds: see view_ui.end_at

typedef struct view_start {
    bool is_open;
    common_list recent;   // paths
    common_list examples; // paths
    common_list pages;    // titles of the lessons
    uint32_t missing;     // bit i: recent file i does not exist
} view_start;

// Closes the start page and frees its lists.
void view_clear_start(view_ui *ui);

// Cards that ask for a decision (start.c): after a crash of the previous viewer, and after the
// first minute. view_has_choice() returns true while a card is open.
#define VIEW_CHOICE_PANEL "choice"
bool view_has_choice(const view_ui *ui);
void view_choice_panel(view_ui *ui);

// The start page, which replaces all other panels (start.c). view_start_box() returns its
// rectangle.
void view_start_panel(view_ui *ui);
view_rect view_start_box(const view_stage *stage);

#endif
