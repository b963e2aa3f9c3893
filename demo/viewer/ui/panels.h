// The parts of the interface, for ui.c, which draws them in order, and for region.c, which computes
// the region that they leave free.
#ifndef DEMO_VIEWER_UI_PANELS_H
#define DEMO_VIEWER_UI_PANELS_H

#include "demo/viewer/base/panel.h"
#include "demo/viewer/ui/ui.h"

// -- What is shown (facts.c) ----------------------------------------------------------------

// Small windows have small panels: fewer figures.
bool view_is_compact(const view_facts *facts);

// Whether the machine with its parameters, or the time bar, is shown beside the figures.
bool view_shows_machine(const view_facts *facts);
bool view_shows_bar(const view_facts *facts);

// The left edge of the joints and the machine, or that of the picture's right side (columns.c).
float view_right_column(const view_facts *facts);

// -- Figures, at the left (info.c) ----------------------------------------------------------

void view_list_figures(const view_facts *facts, view_rows *rows);
view_rect view_figures_box(const view_facts *facts);
void view_draw_figures(view_ui *ui, const view_facts *facts);

// The differences from what the pose is compared with (compare_panel.c).
void view_list_compare(const view_facts *facts, view_rows *rows);

// What was clicked on, at their end (pick_panel.c).
void view_list_pick(const view_facts *facts, view_rows *rows);

// -- Time bar, at the bottom (time_bar.c) ---------------------------------------------------

#define VIEW_BAR_HEIGHT 40.0f // in units of layout
void view_draw_bar(view_ui *ui, const view_facts *facts);
view_request view_press_bar(view_ui *ui, const view_facts *facts, float x, float y);
view_request view_drag_bar(const view_ui *ui, const view_facts *facts, float x);

// -- State machine, at the right (machine_panel.c) ------------------------------------------

// Adds the names of the clips to a panel; playing clips are highlighted.
void view_add_machine_clips(const view_machine *machine, view_rows *rows);
void view_list_machine(const view_facts *facts, view_rows *rows);
view_rect view_machine_box(const view_facts *facts);
void view_draw_machine(view_ui *ui, const view_facts *facts);
view_request view_press_machine(view_ui *ui, const view_facts *facts, float x, float y);
view_request view_drag_machine(const view_ui *ui, const view_facts *facts, float x);

// -- Channels of an entity, at the right (channels_panel.c) ---------------------------------

bool view_shows_channels(const view_facts *facts);
view_rect view_channels_box(const view_facts *facts);
void view_draw_channels(view_ui *ui, const view_facts *facts);
view_request view_press_channels(const view_ui *ui, const view_facts *facts, float x, float y);

// -- State graph, at the bottom (graph_panel.c) ---------------------------------------------

bool view_shows_graph(const view_facts *facts);
view_rect view_graph_box(const view_facts *facts);
void view_draw_graph(view_ui *ui, const view_facts *facts);
view_request view_press_graph(const view_ui *ui, const view_facts *facts, float x, float y);

// -- Joints, at the right (joints.c) --------------------------------------------------------

float view_hierarchy_left(const view_facts *facts); // pixels
void view_draw_hierarchy(view_ui *ui, const view_facts *facts);
view_request view_press_hierarchy(view_ui *ui, const view_facts *facts, float x, float y);
bool view_point_hierarchy(view_ui *ui, const view_facts *facts, float x, float y);

// Draws the marked joint with the weights of the vertices as heat; adds its name to the canvas.
void view_draw_joint(const view_ui *ui, const view_facts *facts);
void view_label_joint(const view_ui *ui, const view_facts *facts);

// -- Rows of sliders (slider_panel.c) ---------------------------------------------------------

typedef struct view_slider_panel {
    const char *title, *hint;
    uint32_t count;    // of rows
    float label_width; // layout units
} view_slider_panel;

typedef struct view_slider_row {
    const char *name, *value;
    view_color name_color, value_color;
    float part; // 0 to 1
} view_slider_row;

// Draws the box left of `right`. Returns where its rows are.
view_rect view_draw_slider_panel(const view_ui *ui, const view_facts *facts,
                                 const view_slider_panel *panel, float right);
view_rect view_slider_track(const view_facts *facts, const view_slider_panel *panel, view_rect all,
                            uint32_t row);
void view_draw_slider_row(const view_facts *facts, view_rect all, view_rect track,
                          const view_slider_row *row);
uint32_t view_pressed_slider(const view_facts *facts, const view_slider_panel *panel, view_rect all,
                             float y);
// Whether a click in the row is on the slider, not on its name.
bool view_is_on_slider(const view_facts *facts, view_rect track, float x);

// -- Lights, at the right (lights_panel.c) ---------------------------------------------------

void view_draw_lights(view_ui *ui, const view_facts *facts);
view_request view_press_lights(view_ui *ui, const view_facts *facts, float x, float y);
view_request view_drag_light(const view_ui *ui, const view_facts *facts, float x);

// -- Materials, at the right (parms_panel.c) --------------------------------------------------

void view_draw_parms(view_ui *ui, const view_facts *facts);
view_request view_press_parms(view_ui *ui, const view_facts *facts, float x, float y);
view_request view_drag_parm(const view_ui *ui, const view_facts *facts, float x);

// -- The surface that the body shows, at the right (surface_panel.c) --------------------------

// Its box; without width if the body shows its materials only.
view_rect view_surface_box(const view_facts *facts);
void view_draw_surface(view_ui *ui, const view_facts *facts);

// -- Keys and errors, in the middle (lists.c) -----------------------------------------------

void view_draw_keys(const view_facts *facts);
void view_draw_error(view_ui *ui, const view_facts *facts);

#endif
