// Widgets: items, buttons, fields, sliders, rows, sections, columns, lists, tiles and dialogs.
//
// A panel is a function that draws itself with widgets and handles the mouse. It runs once per
// frame, and once per mouse event without drawing. It directly changes the values that the stage
// allows. Any other request of the user becomes a `view_command`.
//
// An item is a rectangle that reacts to the mouse. It is identified by its panel and its number in
// the panel, not by an address, because the data that it displays may move. If items overlap, the
// last one is on top.
#ifndef DEMO_VIEWER_UI_UI_H
#define DEMO_VIEWER_UI_UI_H

#include "demo/viewer/ui/ui_state.h"

// Sizes in em that several panels share.
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

// Requests an overlay in place of the open one. view_sync_overlay() updates the state of the panels
// after the run. VIEW_OVERLAY_NONE closes the overlay.
void ui_open_overlay(view_ui *ui, view_overlay over);

// -- Panels and items -----------------------------------------------------------------------

// Begins a panel. The log and tests use its name.
void ui_begin(view_ui *ui, const char *panel);

// Adds an item. Returns true if it was pressed.
bool ui_item(view_ui *ui, view_rect rect, const char *label);

// For tests: stores the rectangle and the text of the last item if it is the first whose name
// "panel/label" begins with ui->sought.
void ui_note_found(view_ui *ui, view_rect rect, const char *label, const char *text);

// Draws the background of a panel and begins the panel. The background is its first item.
bool ui_box(view_ui *ui, const char *panel, view_rect box, const char *label);

// Returns true and consumes the event if the event is this key, the panel receives keys and no
// other item has used the event.
bool ui_key(view_ui *ui, int32_t key);

// Returns true if the key moves the focus to another item.
bool ui_passes_focus(const view_ui *ui);

// Return true if the last item is under the mouse, and if it has the keyboard focus.
bool ui_is_hot(const view_ui *ui);
bool ui_is_focused(const view_ui *ui);

// Sets the tooltip of the last item if the mouse is over the item: a text, the tooltip of a
// command, or the whole text if it is wider than `width` pixels.
void ui_tip(view_ui *ui, const char *text);
void ui_tip_command(view_ui *ui, view_action action);
void ui_tip_cut(view_ui *ui, const char *text, float width);

// Requests a preview of a value while the last item is under the mouse. Ignores options that read
// files.
void ui_preview_option(view_ui *ui, const view_option *option, common_value value);

// Requests the context menu of the last item if the item was clicked with the right button. Returns
// true if it was requested. `name` and `path` are copied; each may be NULL.
bool ui_context(view_ui *ui, unsigned context, size_t number, size_t item, const char *name,
                const char *path);

// A filled rectangle that can be pressed; ui_button() adds a centered text. Both return true if
// they were pressed.
bool ui_tile(view_ui *ui, view_rect rect, const char *label, bool is_selected);
bool ui_button(view_ui *ui, view_rect rect, const char *text, bool is_selected);

// An icon in the middle of an item, dim unless the mouse is over the item. Returns true if it was
// pressed.
bool ui_sign(view_ui *ui, view_rect box, const char *label, const char *sign);

// A progress bar, filled to `part`, 0 to 1.
void ui_bar(const view_ui *ui, view_rect rect, float part);

// Background of a popup, with an edge; `radius` in layout units.
void ui_popover(const view_ui *ui, view_rect box, float radius, view_color edge);

// Lines of text in a popup. Its corner is at (x, y), moved to remain in the window. If there is no
// space below `y`, the popup ends at `end_above`.
typedef struct ui_line {
    view_color color;
    char text[320];
} ui_line;
void ui_note(const view_ui *ui, float x, float y, float end_above, const ui_line *lines,
             size_t count);

// Draws an image in the middle of a box, as large as possible with the given aspect ratio.
void ui_image(view_ui *ui, view_rect box, md5gl_texture image, uint32_t width, uint32_t height,
              bool is_color);

// Adjacent buttons, exactly one of which is selected. Returns true if the selection has changed.
bool ui_segment(view_ui *ui, view_rect rect, const char *const *words, uint32_t count,
                uint32_t *choice);

// A text field of one line. `hint` is its label and the placeholder of an empty field. The field
// receives keys and text while it has the focus. Returns true if `text`, a buffer of `size` bytes
// with its terminator, has changed.
bool ui_field(view_ui *ui, view_rect rect, const char *hint, char *text, size_t size);

// Shows a notice from the time `now` on (seconds since the start), formatted as by printf().
void ui_show_notice(view_ui *ui, double now, const char *format, ...) COMMON_PRINTF(3, 4);

// Copies a text to the clipboard and shows the notice "Copied: WHAT" from the time `now` on.
void ui_copy(view_ui *ui, double now, const char *text, const char *what);

// Gives the focus to the next item unless an item of the same panel has it.
void ui_focus_next(view_ui *ui);

// A dialog in the middle of the window, which dims everything else and receives all presses; it
// must be modal. Sizes in pixels without the padding. Returns the area below the title.
view_rect ui_dialog(view_ui *ui, const char *panel, float width, float height, const char *title);

// Returns true if the mouse is over any item of the panel.
bool ui_is_panel_hot(const view_ui *ui);

// Lets the last item follow the mouse while the button is held, beginning when `is_pressed` is
// true. Sets `part` to the position of the mouse on the track, 0 to 1, and returns true while it
// does.
bool ui_drag(view_ui *ui, bool is_pressed, view_rect track, float *part);

// view_draw_text() and view_text_width() with the normal text size.
float ui_text(const view_ui *ui, float x, float y, float width, view_color color, const char *text);
float ui_text_width(const view_ui *ui, const char *text);

// -- Rows -----------------------------------------------------------------------------------

// A row with a name, a slider, and a text at the right, or NULL. A click on the name sets `value`
// to `usual`; if `usual` is NULL, the name is a part of the slider. Returns true if `value` has
// changed.
bool ui_slider(view_ui *ui, const char *name, view_color name_color, const char *text,
               view_color text_color, float low, float high, const float *usual, float *value);

// Reserves the next row of the column for ui_slider(), ui_switch() and ui_next_row().
void ui_begin_row(view_ui *ui);

// Draws the name of the next row. Sets `rest` to the area of its value and returns the row.
view_rect ui_next_row(view_ui *ui, const char *name, view_color color, view_rect *rest);

// A row with a name, a switch or, if it `is_button`, a disc, and the name of a key. Returns true if
// it was pressed.
bool ui_switch(view_ui *ui, const char *name, bool is_set, bool is_button, const char *key);

// -- Columns --------------------------------------------------------------------------------

// A scrollable part of a panel. Its rows are clipped to the area.
void ui_begin_column(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll);
void ui_end_column(view_ui *ui);

// Reserves the next row of the column. Returns true if any part of it is visible.
bool ui_reserve_row(view_ui *ui, float height, view_rect *row);

// A text in up to three rows of the column, with a name at the left in ui->label_width. Returns
// true if it was pressed.
typedef struct ui_row_style {
    const char *name; // NULL: none; " ": reserves the space of a name
    view_color color;
    const char *hint; // key or effect, at the right; NULL: the row cannot be pressed
    bool is_title;    // large text
    bool is_fixed;    // always one line
} ui_row_style;
bool ui_row(view_ui *ui, const ui_row_style *style, const char *text);

// ui_row() with a text formatted as by printf(). It cannot be pressed.
void ui_figure(view_ui *ui, view_color color, const char *name, const char *format, ...)
    COMMON_PRINTF(4, 5);

// An empty row of half the line height.
void ui_gap(view_ui *ui);

// Icons of a folded and an open section or submenu.
#define UI_SIGN_FOLDED "\xE2\x96\xB8"
#define UI_SIGN_OPEN "\xE2\x96\xBE"

// The header of a section, with a text at the right. Returns true if the section is open.
bool ui_section(view_ui *ui, ui_section_number number, const char *title, const char *text);

// Returns the top of a text line that is vertically centered in a row.
float ui_text_top(const view_ui *ui, view_rect row);

// Draws a text that ends at `right`.
void ui_text_left_of(view_ui *ui, float right, float y, view_color color, const char *text);

// The header of a page: the name of the selected item, and a text at the right.
void ui_page_title(view_ui *ui, const char *name, const char *text);

// A row with a name and a text, which is a link if it `is_link`. Returns true if the link was
// pressed.
bool ui_pair(view_ui *ui, const char *name, const char *text, bool is_link);

// ui_pair() with a text formatted as by printf(), without a link.
void ui_fact(view_ui *ui, const char *name, const char *format, ...) COMMON_PRINTF(3, 4);

// A row of a table: a name, and right-aligned columns of numbers, each `wide` pixels wide.
enum { UI_MAX_CELLS = 5 };
typedef struct ui_cells {
    const char *name;
    char texts[UI_MAX_CELLS][32];
    uint32_t count;
    view_color color;         // color of the name
    const view_color *colors; // [count] colors of the numbers; NULL: `color`
} ui_cells;
void ui_draw_cells(view_ui *ui, view_rect row, float wide, const ui_cells *cells);

// Returns a command from the panel: an action, and members of view_command.
#define UI_COMMAND(ui, ...) ((ui)->command = (view_command){.action = __VA_ARGS__})

// Returns the command that sets an option to a text, which the command owns.
static inline view_command view_set_text_command(const view_option *option, char *text)
{
    return (view_command){.action = VIEW_SET, .number = view_option_index(option), .path = text};
}

// Returns the value of a command VIEW_SET. Its text belongs to the command.
static inline common_value view_command_value(const view_command *command)
{
    return command->path != NULL ? common_text_value(command->path) : command->value;
}

// Returns the command that sets an option to a value.
static inline view_command view_set_command(const view_option *option, common_value value)
{
    if (value.type == COMMON_VALUE_TEXT)
        return view_set_text_command(option, common_copy(value.text));
    return (view_command){.action = VIEW_SET, .number = view_option_index(option), .value = value};
}

// -- Lists ----------------------------------------------------------------------------------

// Scrolls a list of `count` lines by the wheel or a finger. `room` lines are visible, beginning
// with `first`. Returns false without such an event.
bool ui_scroll_lines(view_ui *ui, float height, size_t room, size_t count, size_t *first);

// Returns the preview of a file, or of an item of the listed game, and requests it if needed.
// Returns NULL if the cache is full.
view_thumbnail *ui_thumbnail(view_ui *ui, const char *request, bool is_in_game);

// Tiles in a grid that fills the width of the column. ui_next_tile() places the next tile, at least
// `min_width` pixels wide, and returns true if it is visible. A `count` of 0 begins a row.
typedef struct ui_grid {
    uint32_t count;   // tiles in the row so far
    uint32_t per_row; // tiles per row
    bool is_flat;     // for the caller
    bool is_visible;  // the row is visible
    float height;
    view_rect row;
} ui_grid;
bool ui_next_tile(view_ui *ui, ui_grid *grid, float min_width, float height, view_rect *box);

// An image above two lines of text; a wide tile has the text at the right of the image. Returns
// true if it was pressed.
typedef struct ui_tile_content {
    const char *label; // of the item
    const char *name;
    const char *text;
    const char *sign;              // icon instead of an image, or NULL
    const view_thumbnail *picture; // or NULL
    md5gl_texture texture;         // a square image if `picture` is NULL, or 0
    bool is_selected;
    bool is_link;
    bool is_folder; // has the icon of a folder
    bool is_wrong;
    bool is_grey;
    bool is_data; // the texels of the image are not colors
} ui_tile_content;
bool ui_content_tile(view_ui *ui, view_rect box, const ui_tile_content *content);

// A tile of a clip. Its image is requested if the tile is visible.
bool ui_clip_tile(view_ui *ui, view_rect box, size_t number, bool is_selected, bool is_visible);

// Draws a text in the middle of a box.
void ui_text_in(view_ui *ui, view_rect box, view_color color, const char *text);

// -- Parts of dialogs -----------------------------------------------------------------------

// A dialog of this size in layout units, or smaller if the window is. Sets `foot` to its last row
// and returns the area above.
view_rect ui_footed_dialog(view_ui *ui, const char *panel, float width, float height,
                           const char *title, view_rect *foot);

// Buttons as wide as their texts, at the beginning or the end of `row`, which becomes the remaining
// part of the row. `primary` is the index of a highlighted button, or -1. Returns the index of the
// pressed button, or -1.
int ui_buttons(view_ui *ui, view_rect *row, const char *const *words, int count, int primary,
               bool at_end);

// A column that keys scroll, too. It scrolls without animation.
void ui_begin_list(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll);

// Adds a text to the column, with line breaks between words.
void ui_column_text(view_ui *ui, view_color color, const char *text);

#define VIEW_DOT "  \xE2\x80\xA2  " // separates the parts of a text

#endif
