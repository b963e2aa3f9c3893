// The core of the interface: what a panel is made of. A panel is one function that draws itself and
// answers the mouse in one go; it is run for each picture, and for each event of the mouse, without
// drawing then.
//
// An item is a rectangle that the mouse can hit. It is known by its panel and its number in it, not
// by its address, since what it shows may move. Of items over each other the last one is on top.
#ifndef DEMO_VIEWER_UI_UI_H
#define DEMO_VIEWER_UI_UI_H

#include "demo/viewer/base/panel.h"
#include "demo/viewer/ui/browser.h"

// -- State ----------------------------------------------------------------------------------

// Where the mouse is, in pixels, and what it has just done: nothing while a picture is drawn.
typedef struct ui_mouse {
    float x, y;
    bool is_pressed, is_moved;
    float wheel; // steps
} ui_mouse;

typedef struct ui_item_id {
    const char *panel; // NULL: none
    uint32_t number;   // from 1
} ui_item_id;

typedef struct view_ui {
    view_canvas *canvas; // of the current run
    ui_mouse mouse;
    bool is_event;        // it is run for an event, not for a picture
    bool has_taken;       // an item has used the event
    view_command command; // what the event asks for
    ui_item_id item;      // the last one of the run
    ui_item_id top;       // of those so far, the last one below the mouse
    ui_item_id hot;       // the topmost below the mouse
    ui_item_id active;    // whose value follows the mouse until the button is released
    float low, high;      // the range of the active slider when it was pressed
    const char *held;     // the panel whose value the last press has changed
    bool is_on_figures;   // the mouse is on their panel, also beside its rows

    // Of a panel that is scaled down towards (fit_x, fit_y), from canvas vertex `first` on.
    float fit_x, fit_y, fit;
    uint32_t first;
    view_rect space; // the next row that ui_slider() takes
    float label_width, value_width;

    // For tests: the place of the first item whose "panel/label" begins with these words.
    const char *sought;
    view_rect found;

    view_browser browser;
    float hierarchy_scroll; // lines
    float shown_scroll;     // on its way there, if it moves smoothly
    bool is_smooth;         // after view_follow()
    int32_t hovered_joint;  // in the list, -1 = none
    int32_t chosen_joint;   // that was clicked on, likewise
    char notice[256];       // shown at the bottom until notice_end, in seconds since the start
    double notice_end;
} view_ui;

// -- Panels and items -----------------------------------------------------------------------

// Begins a panel. Its name is the word for it in the log and in tests.
void ui_begin(view_ui *ui, const char *panel);

// Scales down what was drawn since, if its rows are, see ui_rows().
void ui_end(view_ui *ui);

// Adds an item. Returns whether it was pressed.
bool ui_item(view_ui *ui, view_rect rect, const char *label);

// Whether the mouse is on any item of the panel.
bool ui_is_panel_hot(const view_ui *ui);

// Answers the event by a command, which takes over `path`.
void ui_ask(view_ui *ui, view_command command);
void ui_ask_action(view_ui *ui, view_action action);

// The last item follows the mouse from its press on.
void ui_hold(view_ui *ui);

// If the last item follows the mouse, sets `part` to where the mouse is on a track, 0 to 1, and
// returns true.
bool ui_follow(view_ui *ui, view_rect track, float *part);

// -- Rows -----------------------------------------------------------------------------------

// Begins a panel of rows and draws them where they are placed, which is what ui_end() scales. Those
// with a number for a click are items; returns the number of the one that was pressed, or 0.
// Sliders and switches take their spaces.
int32_t ui_rows(view_ui *ui, const char *panel, view_rows *rows);

typedef struct ui_slider_row {
    const char *name, *value; // value: a text at the right, or NULL
    float low, high;
    const float *usual; // a click on the name sets it; NULL: the name is part of the slider
    view_color name_color, value_color;
} ui_slider_row;

// The next row: a name, a slider, a value. Returns whether `value` was changed.
bool ui_slider(view_ui *ui, const ui_slider_row *row, float *value);

// The next row: a name and a box or, if it `is_button`, a disc, with the name of a key. Returns
// whether it was pressed.
bool ui_switch(view_ui *ui, const char *name, bool is_set, bool is_button, const char *key);

// -- Lists ----------------------------------------------------------------------------------

// Lines of text, of which those from `first` on are shown, as many as `rows` has room for. What it
// shows of a line is `text`, moved to the right by `indent`.
typedef struct ui_list {
    view_rect rows;
    size_t count, first;
    float highlight;         // how much wider than the rows that of the chosen line is, pixels
    float bar_x;             // where the scroll bar is, if there are more lines
    size_t hovered, pressed; // lines; SIZE_MAX: none
} ui_list;

// How many lines the rectangle has room for.
size_t ui_list_room(const view_ui *ui, view_rect rows);

// A line of a list, which is an item. Sets `hovered` and `pressed`.
void ui_line(view_ui *ui, ui_list *list, size_t line, bool is_chosen, float indent,
             view_color color, const char *label, const char *text);
void ui_scroll_bar(view_ui *ui, const ui_list *list);

#endif
