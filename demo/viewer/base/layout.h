// The rectangles of the parts of the window: menu bar, docks, time bar, and the image between them.
// A dock is a panel at the left, the right or the bottom.
//
// view_lay_out() computes all rectangles (view_layout) only from its input (view_layout_request).
// The input contains the size of the window, the size of the text and the open docks. Sizes are
// multiples of the em, the height of the text.
#ifndef DEMO_VIEWER_BASE_LAYOUT_H
#define DEMO_VIEWER_BASE_LAYOUT_H

#include "demo/viewer/base/canvas.h"

typedef enum view_dock {
    VIEW_DOCK_LEFT,   // the outliner
    VIEW_DOCK_RIGHT,  // the inspector
    VIEW_DOCK_BOTTOM, // the state graph
    VIEW_NUM_DOCKS,
} view_dock;

// The arrangement of the docks. It depends on the size of the window.
typedef enum view_arrangement {
    VIEW_ARRANGE_ALONE,  // only the image: the window is too small for docks
    VIEW_ARRANGE_SHEET,  // one dock at a time covers a part of the image
    VIEW_ARRANGE_SINGLE, // one dock at the right, with tabs for both sides
    VIEW_ARRANGE_BESIDE, // all docks next to the image
} view_arrangement;

// The settings of the docks that the user can change.
typedef struct view_docks {
    float sizes[VIEW_NUM_DOCKS];      // em; 0 = default size
    view_dock front;                  // left or right dock, if only one of them fits
    bool is_second[VIEW_DOCK_BOTTOM]; // the second tab of each side is selected: joints, appearance
    bool is_sheet_open, is_sheet_full; // full: the sheet has the full height of an upright window
    float sheet_top;                   // top edge while the sheet is dragged, pixels; otherwise 0
    bool is_folded;                    // the side docks are closed until the user opens one
    bool shows_problems;               // the bottom dock shows the list of problems
} view_docks;

// The input of the layout: the size of the window, its visible parts, and the open docks.
typedef struct view_layout_request {
    float width, height, em; // pixels
    bool has_menu;
    bool has_time;
    bool is_touched;
    bool is_open[VIEW_NUM_DOCKS];
    view_docks docks;
} view_layout_request;

// The result of the layout. The rectangle of a hidden part has the width 0.
typedef struct view_layout {
    view_arrangement arrangement;
    view_rect menu;
    view_rect time;
    view_rect handle;                // handle of an upright window's sheet, above the time bar
    view_rect docks[VIEW_NUM_DOCKS]; // a sheet covers `free`; other docks are next to it
    view_rect free;                  // the image
    bool has_tabs;                   // one dock shows both sides, with tabs
    bool is_phone;                   // a sheet for touch, whose tabs are the parts of both sides
} view_layout;

view_layout view_lay_out(const view_layout_request *request);

// Returns the size of a dock in em if its edge is dragged to the pixel (x, y). Returns 0 if the
// size is less than half of the minimum. The dock closes then.
float view_drag_dock(const view_layout_request *request, view_dock dock, float x, float y);

// Ends a drag of the sheet's handle in an upright window. The sheet moves to the nearest of three
// heights: closed, half, full. If the handle was clicked and not dragged, the sheet changes to the
// next height. The order is closed, half, full, closed.
void view_drop_sheet(const view_layout_request *request, view_docks *docks);

// Returns the em of a font: the height of its text in pixels.
static inline float view_em(const view_font *font)
{
    return 13 * font->scale;
}

#endif
