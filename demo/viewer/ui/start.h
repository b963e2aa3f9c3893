// The start page with recent files, examples and lessons. This header also contains the card that
// asks for a decision, after a crash or at the end of the demo.
#ifndef DEMO_VIEWER_UI_START_H
#define DEMO_VIEWER_UI_START_H

#include "demo/viewer/ui/ui.h"

// The state of the start page, with the items of its three lists.
typedef struct view_start {
    bool is_open;
    common_list recent;   // paths
    common_list examples; // paths
    common_list pages;    // titles of the lessons
    uint32_t missing;     // bit i: recent file i does not exist
} view_start;

// Closes the start page and frees its lists.
void view_clear_start(view_ui *ui, view_start *start);

// The demo continues for this many seconds after the demo scene. During this time, a notice invites
// the user to open a model.
enum { VIEW_DEMO_NOTICE_SECONDS = 8 };

// The state of the card that asks for a decision. The reason for the card is that the viewer has
// crashed before, or that the demo is over.
typedef struct view_decision {
    char file[1024];      // file that the viewer was opening or recording when it crashed, or ""
    bool is_movie;        // `file` is an unfinished movie
    double movie_seconds; // length of that movie
    // Time at which the demo ends and its card opens, in seconds since the start. 0 means that no
    // demo is playing. A negative value means that the card is open.
    double demo_end;
} view_decision;

#define VIEW_DECISION_PANEL "choice" // name of the card's panel

// Returns true while a card is open.
bool view_needs_decision(const view_decision *decision);

// Draws the open card that asks for a decision. Also handles its input.
void view_decision_panel(view_ui *ui, view_decision *decision);

// Draws the start page and handles its input.
void view_start_panel(view_ui *ui, const view_start *start);

// Returns the rectangle of the start page.
view_rect view_start_box(const view_stage *stage);

#endif
