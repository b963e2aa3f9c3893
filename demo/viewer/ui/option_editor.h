// Editors of option values, for the rows of the card and of the settings: see ui_setting() in
// card.h.
#ifndef DEMO_VIEWER_UI_OPTION_EDITOR_H
#define DEMO_VIEWER_UI_OPTION_EDITOR_H

#include "demo/viewer/ui/card.h"

// Delay before a typed value is applied, in seconds.
#define VIEW_TYPING_DELAY 0.3

// The editor in a row of the card. It edits an option, or one of several numbers of an option with
// its own range and name.
typedef struct option_editor {
    view_ui *ui;
    view_card *card;
    const view_stage *stage;
    const view_option *option;
    const char *name;      // displayed at the left of the editor
    const char *unit;      // displayed after a number, or ""
    common_value current;  // current value; COMMON_VALUE_NONE for several values
    view_color color;      // color of the name
    double low;            // minimum of a number
    double high;           // maximum of a number
    double default_number; // default of a number
} option_editor;

// -- Parts of editors ----------------------------------------------------------------------------

// Returns the placeholder of an empty field. It describes the effect of the default value.
const char *view_placeholder_text(const view_option *option);

// Returns the delayed value of an option, or NULL. A delayed value is a new value that will be set
// after the user has stopped typing.
const view_delayed_value *view_find_delayed(const view_card *card, const view_option *option);

// Sets the option to a value. If `delay` is 0, sets it now, otherwise after `delay` seconds without
// another change. An option that loads files is always delayed. A drag of a slider would otherwise
// load them for each value.
void view_request_value(const option_editor *editor, common_value value, double delay);

// Draws the reset button at the right of a row and handles its input. It is invisible if
// `is_default` is true, because the value is the default. Returns true if the button was pressed.
bool view_run_reset_button(const option_editor *editor, view_rect row, bool is_default);

// Draws a row with a name. Returns the area of its editor, as high as a text field.
view_rect view_name_row(const option_editor *editor);

// Draws the text field of a value and handles its input. It displays `value` until the user
// edits it. Then it displays card->typed, the text of the edited field. `hint` is the
// placeholder. Returns true if card->typed has changed.
bool view_type_value(const option_editor *editor, view_rect box, const char *hint,
                     const char *value);

// -- Numbers -------------------------------------------------------------------------------------

// Returns the unit that is displayed after the numbers of an option, or "". It is derived from the
// name of the value in the command-line help, for example "SECONDS".
const char *view_unit_text(const view_option *option);

// Returns the number of numbers in the value of an option. Returns 0 if the value is not edited as
// numbers. A color and the index of a clip have their own editors.
int view_count_option_numbers(const view_option *option);

// Draws an editor of `count` numbers and handles its input. It has text fields, arrow keys and,
// for a single number, a slider. `current` contains the current numbers, or is NULL if none are
// set. Returns true if the numbers have changed. `edited` is then their new value, or a text if the
// typed text is not a number.
bool view_numbers_row(const option_editor *editor, int count, const double *current,
                      common_value *edited);

// Draws the editor of a value that consists of numbers. Also handles its input.
void view_edit_numbers(option_editor *editor);

// Displays an editor for the time of materials and for each material parameter, and stores the
// values that the user changes.
void view_edit_parms(option_editor *editor);

// Draws a row for each value of the lights, such as the direction of the main light. Also
// handles its input.
void view_edit_lights(option_editor *editor);

// -- Texts, names, files and choices -------------------------------------------------------------

// Draws the editor of a text and handles its input. An option with several values has a row for
// each value, and an empty row to add a value. A value of the form "A=B" has two rows with
// labels. Names are selected in a list below the row, and files in the list of files.
void view_edit_lines(const option_editor *editor);

// Draws a segmented control for an option with at most four values and handles its input. The
// control is at the right of the name. If it does not fit there, it is below the name. Returns
// false and draws nothing if there are more values or if the control is wider than the row.
bool view_edit_segments(const option_editor *editor);

// -- Colors --------------------------------------------------------------------------------------

// Converts a color to the value of an option: three channels, 0 to 1.
common_value view_color_value(view_color color);

// Draws the editor of a color: a square of saturation and brightness, a bar of hues, swatches,
// and the channels as numbers. Also handles its input.
void view_color_picker(option_editor *editor);

#endif
