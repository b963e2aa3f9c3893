// The start page with recent files, examples and lessons, and the card that asks for a decision
// after a crash or after the first minute.
#ifndef DEMO_VIEWER_UI_START_H
#define DEMO_VIEWER_UI_START_H

#include "demo/viewer/ui/ui.h"

typedef struct view_start {
    bool is_open;
    common_list recent;   // paths
    common_list examples; // paths
    common_list pages;    // titles of the lessons
    uint32_t missing;     // bit i: recent file i does not exist
} view_start;

// Closes the start page and frees its lists.
void view_clear_start(view_ui *ui, view_start *start);

// The reason to ask for a decision.
enum { VIEW_INVITING = 8 }; // seconds
typedef struct view_decision {
    char file[1024]; // file that the previous viewer was opening or recording in a crash, or ""
    bool is_movie;   // `file` is an unfinished movie
    double movie_seconds; // length of that movie
    // Time at which the card after the first minute opens, seconds since the start. A notice
    // precedes it by VIEW_INVITING seconds. 0: never; negative: the card is open.
    double demo_end;
} view_decision;

// Cards that ask for a decision: after a crash of the previous viewer, and after the
// first minute. view_needs_decision() returns true while a card is open.
#define VIEW_DECISION_PANEL "choice"
bool view_needs_decision(const view_decision *decision);
void view_decision_panel(view_ui *ui, view_decision *decision);

// The start page, which replaces all other panels (start.c). view_start_box() returns its
// rectangle.
void view_start_panel(view_ui *ui, const view_start *start);
view_rect view_start_box(const view_stage *stage);

#endif
