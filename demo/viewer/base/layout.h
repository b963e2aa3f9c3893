// Where the parts of the window lie: a pure function of its size, the size of its text, and what is
// open. All measures are multiples of the em, the height of the text.
#ifndef DEMO_VIEWER_BASE_LAYOUT_H
#define DEMO_VIEWER_BASE_LAYOUT_H

#include "demo/viewer/base/canvas.h"

typedef enum view_dock {
    VIEW_DOCK_LEFT,   // the outliner
    VIEW_DOCK_RIGHT,  // the inspector
    VIEW_DOCK_BOTTOM, // the state graph
    VIEW_NUM_DOCKS,
} view_dock;

// By the width: fewer docks fit beside a picture that is large enough.
typedef enum view_arrangement {
    VIEW_ARRANGE_ALONE,  // the picture: the window is too small for anything else
    VIEW_ARRANGE_SHEET,  // one dock at a time lies over the picture
    VIEW_ARRANGE_SINGLE, // one at the right, with tabs for both sides
    VIEW_ARRANGE_BESIDE, // each has its place
} view_arrangement;

// What the user has made of the docks.
typedef struct view_docks {
    float sizes[VIEW_NUM_DOCKS];       // em; 0: its own
    view_dock front;                   // of the left and the right one, where there is one place
    bool is_second[VIEW_DOCK_BOTTOM];  // of the two parts of each side: joints, look
    bool is_sheet_open, is_sheet_full; // full: all of the height of an upright window
    float sheet_top;                   // pixels, while it is dragged there; else 0
    bool is_folded;                    // those at the sides, until one is asked for
    bool shows_problems;               // at the bottom, in front of others
} view_docks;

// What is to be laid out.
typedef struct view_layout_wish {
    float width, height, em; // pixels
    bool has_menu;
    bool has_time;
    bool is_touched;
    bool is_open[VIEW_NUM_DOCKS];
    view_docks docks;
} view_layout_wish;

// Parts that are not there have no width.
typedef struct view_layout {
    view_arrangement arrangement;
    view_rect menu;
    view_rect time;
    view_rect handle;                // of the sheet of an upright window: it is above the time bar
    view_rect docks[VIEW_NUM_DOCKS]; // a sheet covers the free part, all others lie beside it
    view_rect free;
    bool has_tabs; // the dock stands for both sides
    bool is_phone; // a sheet for fingers, whose tabs are the parts of both sides
} view_layout;

view_layout view_lay_out(const view_layout_wish *wish);

// The size of a dock in em that its edge has when it is dragged to a pixel; 0: it closes, below
// half of its minimum.
float view_drag_dock(const view_layout_wish *wish, view_dock dock, float x, float y);

// Ends the drag of the handle of an upright sheet, at the nearest of its heights: the time bar
// alone, half, full; or goes to the next one if it was not dragged.
void view_drop_sheet(const view_layout_wish *wish, view_docks *docks);

// The text of a font in em.
static inline float view_em(const view_font *font)
{
    return 13 * font->scale;
}

#endif
