// Finds items of the interface by their labels, and presses them.
#ifndef MD5_TEST_VIEW_ITEM_H
#define MD5_TEST_VIEW_ITEM_H

#include "demo/viewer/jobs/view.h"

// Draws the interface over a picture of that size; returns what it shows.
view_stage item_draw(view_state *viewer, float width, float height);

// The rectangle of the first item whose name, "panel/label", begins with these words; without width
// if there is none. Draws the interface.
view_rect item_find(view_state *viewer, const view_stage *facts, const char *name);

// Presses at a point in pixels. The release returns the panel whose value was held, or NULL.
view_command item_press_at(view_state *viewer, const view_stage *facts, float x, float y);
const char *item_release(view_state *viewer);

// Presses a part of an item: (0, 0) is its upper left corner, (1, 1) the lower right one. If there
// is none the test fails.
view_command item_press(view_state *viewer, const view_stage *facts, const char *name, float across,
                        float down);

#endif
