// The card, which is the dialog for the options of a command, and rows of options, each with an
// editor for its type of value. The settings and the panel for touch screens also consist of such
// rows.
#ifndef DEMO_VIEWER_UI_CARD_H
#define DEMO_VIEWER_UI_CARD_H

#include "demo/viewer/ui/ui.h"

// A value that will be set after a delay. A text must not be applied while the user is still typing
// it.
typedef struct view_delayed_value {
    view_command set; // VIEW_SET; owns its text
    double due;       // seconds since the start; INFINITY: when another value is set
} view_delayed_value;

// The state of the card, which is the dialog for the options of a command. It also contains the
// state of the editors. The settings and the panel for touch screens use the same state.
typedef struct view_card {
    const view_menu_entry *row;  // menu entry of the command that opened the card, or NULL
    view_options *before;        // values of the options when it was opened, or NULL
    float length;                // height of its rows, pixels
    float label_width;           // longest name of a number, pixels; 0 outside of the card
    float moved[2];              // displacement by dragging, pixels
    float grip[2];               // position of the mouse minus `moved` at the press, pixels
    const view_option *focused;  // option whose first field gets the focus next, or NULL
    const view_option *opened;   // option whose list of values is open, or NULL
    uint32_t line;               // index of the value of `opened` that the list is for
    const view_option *wrong;    // option whose last value was invalid, or NULL
    char problem[256];           // error message for `wrong`
    view_delayed_value *delayed; // [num_delayed], at most one per option
    size_t num_delayed;
    bool closes;     // close the card when all delayed values were set successfully
    uint32_t typing; // number of the item whose text is `typed`; 0: none
    char typed[512];
    char filter[64];  // filter of the open list
    char query[64];   // search text of the settings
    float hue;        // last hue of the color picker, 0 to 1, because a gray color has no hue
    bool picks_color; // the next click in the viewport selects its color
} view_card;

// Draws the row of an option: its name, an editor for its type of value, and a reset button.
// Also handles its input. Returns true if the editor has used the event. A change requests the
// command VIEW_SET. Typed texts, and options that load files again, are set 0.3 s after the last
// change.
bool ui_setting(view_ui *ui, view_card *card, const view_option *option);

// Returns true if an option is on the open card.
bool view_is_on_card(const view_card *card, const view_option *option);

// Removes a delayed command that is due at the time `uptime`, and returns it. If `uptime` is
// INFINITY, all delayed commands are due. Returns VIEW_NOTHING if none is due.
view_command view_pop_delayed_command(view_card *card, double uptime);

// Opens the card of an option, with all options of its group. `option` is the index of the option.
// Returns VIEW_NOTHING.
//
// --retarget without a value is an exception. No card opens, and the function returns the command
// that opens the list of files. The page of retargeting opens after the file was selected.
view_command view_open_card(view_ui *ui, view_card *card, const view_stage *stage, size_t option);

// Frees the memory of the card.
void view_clear_card(view_card *card);

// Draws the card and handles its input, if it is open.
void view_card_panel(view_ui *ui, view_card *card);

// Returns the command that sets an option of the open card after a click in the 3D view. `joint` is
// the clicked joint, or -1. `color` is the clicked color, or NULL if the click selects a joint.
view_command view_pick_for_card(view_ui *ui, view_card *card, const view_stage *stage,
                                int32_t joint, const view_color *color);

// Reports the result of the command VIEW_SET to the open card, if the card contains the option.
// `is_set` is false if the command failed. The card then displays the error and remains open.
void view_report_to_card(view_ui *ui, view_card *card, view_log *log, const view_option *option,
                         bool is_set);

#endif
