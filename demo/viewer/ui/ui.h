// Widgets: items, buttons, fields, sliders, rows, sections, columns and dialogs. Tiles are in
// ui_tile.h.
//
// A panel is a function that draws itself with widgets and handles the mouse. It runs once per
// frame to draw. It also runs for each event of the mouse, without drawing. A panel may directly
// change the values that the stage allows. All other requests of the user become a `view_command`.
//
// An item is a rectangle that reacts to the mouse. It is identified by its panel and its number in
// the panel. Addresses cannot identify items, because the displayed data may move. If items
// overlap, the last one is on top.
#ifndef DEMO_VIEWER_UI_UI_H
#define DEMO_VIEWER_UI_UI_H

#include "demo/viewer/ui/ui_state.h"

// Sizes in em that several panels use.
#define UI_PADDING 0.7f       // left and right of the texts of a panel
#define UI_TABLE_ROW 1.6f     // height of a row of a table or tree
#define UI_FIELD_HEIGHT 1.85f // height of a text field or button
#define UI_DOCK_HEADER 2      // height of the header of a dock
#define UI_BAR_HEIGHT 0.3f    // height of ui_bar() in a row

// Returns the width of a thin line, in pixels.
static inline float ui_thin_line(const view_ui *ui)
{
    return fmaxf(1, roundf(0.08f * ui->em));
}

// Requests an overlay, which replaces the open one. view_sync_overlay() updates the state of the
// panels after the run. VIEW_OVERLAY_NONE closes the open overlay.
void ui_open_overlay(view_ui *ui, view_overlay over);

// -- Panels and items -----------------------------------------------------------------------

// Begins a panel. The name identifies its items, and is used by the log and by tests.
void ui_begin(view_ui *ui, const char *panel);

// Adds an item with a rectangle in pixels. Returns true if it was pressed. `label` is its name. An
// item with the label "" cannot get the keyboard focus by Tab.
bool ui_item(view_ui *ui, view_rect rect, const char *label);

// Returns true if both items exist and are the same.
bool ui_is_same_item(ui_item_id a, ui_item_id b);

// Supports tests, which search an item by its name "panel/label". Stores the rectangle and the text
// of the last item, if it is the first one whose name begins with ui->probe.name.
void ui_note_found(view_ui *ui, view_rect rect, const char *label, const char *text);

// Begins a panel and draws its background. The background is the first item of the panel. Returns
// true if the background was pressed.
bool ui_box(view_ui *ui, const char *panel, view_rect box, const char *label);

// Returns true if the event is this key. The current panel must receive keys, and no item may have
// used the event. The event then counts as used.
bool ui_key(view_ui *ui, int32_t key);

// Returns true if the key moves the focus to another item.
bool ui_passes_focus(const view_ui *ui);

// Returns true if the last item is the topmost item under the mouse.
bool ui_is_hot(const view_ui *ui);

// Returns true if the last item has the keyboard focus.
bool ui_is_focused(const view_ui *ui);

// Sets the tooltip of the last item while the mouse is over it.
void ui_tooltip(view_ui *ui, const char *text);

// Sets the tooltip of the last item to the label, the keys and the description of a command.
void ui_command_tooltip(view_ui *ui, view_action action);

// Sets the tooltip of the last item to its text if the text is wider than the `width` pixels in
// which the item displays it. Then the item displays only the beginning of the text.
void ui_tooltip_if_wider(view_ui *ui, const char *text, float width);

// Requests a preview of an option's value while the last item is under the mouse. Options that read
// files are ignored, because their preview would take too long.
void ui_preview_option(view_ui *ui, const view_option *option, common_value value);

// Requests the context menu of the last item if it was clicked with the right button. Returns true
// in this case. `name` and `path` are copied and may be NULL.
bool ui_context(view_ui *ui, unsigned context, size_t number, size_t item, const char *name,
                const char *path);

// ui_tile() adds a filled rectangle that can be pressed. ui_button() also draws a text in its
// center. Both return true if they were pressed.
bool ui_tile(view_ui *ui, view_rect rect, const char *label, bool is_selected);
bool ui_button(view_ui *ui, view_rect rect, const char *text, bool is_selected);

// Adds an item with an icon in its center. The icon is dim unless the mouse is over the item.
// Returns true if the item was pressed.
bool ui_sign(view_ui *ui, view_rect box, const char *label, const char *sign);

// Draws a progress bar. `part` is its filled fraction, 0 to 1.
void ui_bar(const view_ui *ui, view_rect rect, float part);

// Draws the background of a popup, with an edge. `radius` is in layout units.
void ui_popover(const view_ui *ui, view_rect box, float radius, view_color edge);

// A line of text in a popup.
typedef struct ui_line {
    view_color color;
    char text[320];
} ui_line;

// Draws lines of text in a popup. (x, y) is its upper left corner. The popup is moved if it would
// extend beyond the window. If there is no space below `y`, the popup is above `end_above`.
void ui_note(const view_ui *ui, float x, float y, float end_above, const ui_line *lines,
             size_t count);

// Draws an image in the center of a box, as large as possible without changing its aspect ratio.
void ui_image(view_ui *ui, view_rect box, md5gl_texture image, uint32_t width, uint32_t height,
              bool is_color);

// Adds a segmented control, which consists of adjacent buttons. One of them, `choice`, is selected;
// an index of `count` or more selects none. Returns true if a press has changed `choice`.
bool ui_segment(view_ui *ui, view_rect rect, const char *const *words, uint32_t count,
                uint32_t *choice);

// Adds a text field of one line. `hint` is its name and the placeholder of an empty field. The
// field receives keys and text while it has the focus. A click that gives it the focus also selects
// its text. `text` is a buffer of `size` bytes. Returns true if the text has changed.
bool ui_field(view_ui *ui, view_rect rect, const char *hint, char *text, size_t size);

// Shows a notice that begins at the time `uptime`, in seconds since the start. The text is
// formatted as by printf().
void ui_show_notice(view_ui *ui, double uptime, const char *format, ...) COMMON_PRINTF(3, 4);

// Copies a text to the clipboard, and shows the notice "Copied: DESCRIPTION" at the time `uptime`.
void ui_copy(view_ui *ui, double uptime, const char *text, const char *description);

// Gives the keyboard focus to the next item, unless another item of the same panel has it. The
// column of the item scrolls to it.
void ui_focus_next(view_ui *ui);

// Begins a dialog in the center of the window. The dialog dims everything else and receives all
// presses. Its panel must be view_ui.modal. The size is in pixels and does not include the padding
// and the title. Returns the area below the title.
view_rect ui_dialog(view_ui *ui, const char *panel, float width, float height, const char *title);

// Returns true if the mouse is over any item of the panel.
bool ui_is_panel_hot(const view_ui *ui);

// Handles a drag of the last item. The drag begins in a run in which `is_pressed` is true, and ends
// when the mouse button is released. Returns true if the event presses or moves the mouse during
// the drag. Then `part` is the horizontal position of the mouse on the track, 0 to 1.
bool ui_drag(view_ui *ui, bool is_pressed, view_rect track, float *part);

// Draws a text in the normal text size (see view_draw_text()). Returns its width in pixels.
float ui_text(const view_ui *ui, float x, float y, float width, view_color color, const char *text);

// Returns the width of a text in the normal text size, in pixels.
float ui_text_width(const view_ui *ui, const char *text);

// Draws a text in the center of a box.
void ui_text_in(view_ui *ui, view_rect box, view_color color, const char *text);

// -- Rows -----------------------------------------------------------------------------------

// Adds a row with a name, a slider from `low` to `high`, and a text at the right, which may be
// NULL. A click on the name resets `value` to `default_value`. If `default_value` is NULL, a click
// on the name moves the slider instead. Returns true if `value` has changed.
bool ui_slider(view_ui *ui, const char *name, view_color name_color, const char *text,
               view_color text_color, float low, float high, const float *default_value,
               float *value);

// Begins the next row of the column. ui_slider(), ui_switch() and ui_next_row() fill it.
void ui_begin_row(view_ui *ui);

// Draws the name of the row. Returns the rectangle of the row, and sets `rest` to the area at the
// right of the name.
view_rect ui_next_row(view_ui *ui, const char *name, view_color color, view_rect *rest);

// Adds a row with a name, a switch, and the name of a key. If `is_button` is true, a disc replaces
// the switch. Returns true if the row was pressed.
bool ui_switch(view_ui *ui, const char *name, bool is_set, bool is_button, const char *key);

// -- Columns --------------------------------------------------------------------------------

// Begin and end a column, which is a scrollable part of a panel. Its rows are clipped to the area.
void ui_begin_column(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll);
void ui_end_column(view_ui *ui);

// Reserves the next row of the column and sets `row` to its rectangle. Returns true if the row is
// at least partly visible. The caller need not draw an invisible row.
bool ui_reserve_row(view_ui *ui, float height, view_rect *row);

// The name and the appearance of a row that ui_row() adds.
typedef struct ui_row_style {
    const char *name; // NULL: none; " ": reserves the space of a name
    view_color color;
    const char *hint; // key or effect, at the right; NULL: the row cannot be pressed
    bool is_title;    // large text
    bool is_fixed;    // always one line
} ui_row_style;

// Adds a text to the column. The text is wrapped into at most three lines. The name is at the left
// and is ui->label_width wide. Returns true if the text was pressed.
bool ui_row(view_ui *ui, const ui_row_style *style, const char *text);

// Adds a row as ui_row() does. The text is formatted as by printf() and cannot be pressed.
void ui_figure(view_ui *ui, view_color color, const char *name, const char *format, ...)
    COMMON_PRINTF(4, 5);

// Adds an empty row of half the height of a line.
void ui_gap(view_ui *ui);

// Icons of a folded and an open section or submenu.
#define UI_SIGN_FOLDED "\xE2\x96\xB8"
#define UI_SIGN_OPEN "\xE2\x96\xBE"

// Adds the header of a section, with a text at the right. Returns true if the section is open. The
// caller then adds its rows.
bool ui_section(view_ui *ui, ui_section_number number, const char *title, const char *text);

// Returns the top of a text line that is vertically centered in a row.
float ui_text_top(const view_ui *ui, view_rect row);

// Draws a text whose right end is at the x coordinate `right`.
void ui_right_aligned_text(view_ui *ui, float right, float y, view_color color, const char *text);

// Adds the header of a page: the name of the selected object, and a text at the right.
void ui_page_title(view_ui *ui, const char *name, const char *text);

// Adds a row with a name and a text.
void ui_pair(view_ui *ui, const char *name, const char *text);

// Adds a row as ui_pair() does, whose text is a link. Returns true if the link was pressed.
bool ui_link_pair(view_ui *ui, const char *name, const char *text);

// Adds a row as ui_pair() does. The text is formatted as by printf().
void ui_fact(view_ui *ui, const char *name, const char *format, ...) COMMON_PRINTF(3, 4);

// A row of a table. It consists of a name and right-aligned columns of numbers.
enum { UI_MAX_CELLS = 5 };
typedef struct ui_cells {
    const char *name;
    char texts[UI_MAX_CELLS][32];
    uint32_t count;
    view_color color;         // color of the name
    const view_color *colors; // [count] colors of the numbers; NULL: `color`
} ui_cells;

// Draws a row of a table. Each column of numbers is `column_width` pixels wide.
void ui_draw_cells(view_ui *ui, view_rect row, float column_width, const ui_cells *cells);

// Requests a command, which view_run_ui() returns. If a run requests several commands, the last one
// counts.
void ui_request(view_ui *ui, view_command command);

// Requests a command. The arguments are the action and other members of view_command.
#define UI_COMMAND(ui, ...) ui_request(ui, (view_command){.action = __VA_ARGS__})

// -- Parts of dialogs -----------------------------------------------------------------------

// Begins a dialog (see ui_dialog()) with a size in layout units. The dialog is smaller if the
// window is smaller. Sets `foot` to its last row, which is for buttons. Returns the area between
// the title and this row.
view_rect ui_footed_dialog(view_ui *ui, const char *panel, float width, float height,
                           const char *title, view_rect *foot);

// Add buttons that are as wide as their texts. ui_buttons() adds them at the right end of `row`,
// ui_left_buttons() at its left end. Remove their space from `row`. `primary` is the index of a
// highlighted button, or -1. Return the index of the pressed button, or -1.
int ui_buttons(view_ui *ui, view_rect *row, const char *const *words, int count, int primary);
int ui_left_buttons(view_ui *ui, view_rect *row, const char *const *words, int count, int primary);

// Begins a column that can also be scrolled with keys. It scrolls without animation.
void ui_begin_list(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll);

// Adds a text to the column, wrapped between words.
void ui_column_text(view_ui *ui, view_color color, const char *text);

#define VIEW_DOT "  \xE2\x80\xA2  " // separates the parts of a text

#endif
