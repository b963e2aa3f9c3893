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

// Returns true if both items exist and are the same.
bool ui_is_same_item(ui_item_id a, ui_item_id b);

// For tests: stores the rectangle and the text of the last item if it is the first whose name
// "panel/label" begins with ui->sought.
void ui_note_found(view_ui *ui, view_rect rect, const char *label, const char *text);

// Draws the background of a panel and begins the panel. The background is its first item.
bool ui_box(view_ui *ui, const char *panel, view_rect box, const char *label);

// Returns true if the event is this key, the current panel receives keys, and no item has used the
// event. Then consumes the event.
bool ui_key(view_ui *ui, int32_t key);

// Returns true if the key moves the focus to another item.
bool ui_passes_focus(const view_ui *ui);

// Returns true if the last item is under the mouse, and no other item is above it there.
bool ui_is_hot(const view_ui *ui);

// Returns true if the last item has the keyboard focus.
bool ui_is_focused(const view_ui *ui);

// Sets the tooltip of the last item to a text, if the mouse is over the item.
void ui_tip(view_ui *ui, const char *text);

// Sets the tooltip of the last item to the label, the keys and the description of a command.
void ui_tip_command(view_ui *ui, view_action action);

// Sets the tooltip of the last item to a text if the text is wider than `width` pixels, so that it
// is displayed truncated.
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

// A line of text in a popup.
typedef struct ui_line {
    view_color color;
    char text[320];
} ui_line;

// Draws lines of text in a popup. Its upper left corner is at (x, y), or moved to keep the popup in
// the window. If there is no space below `y`, the popup ends at `end_above`.
void ui_note(const view_ui *ui, float x, float y, float end_above, const ui_line *lines,
             size_t count);

// Draws an image in the middle of a box, as large as possible with the given aspect ratio.
void ui_image(view_ui *ui, view_rect box, md5gl_texture image, uint32_t width, uint32_t height,
              bool is_color);

// A segmented control: adjacent buttons, of which one is selected. `choice` is its index; an index
// of `count` or more selects none. Returns true if a press has changed `choice`.
bool ui_segment(view_ui *ui, view_rect rect, const char *const *words, uint32_t count,
                uint32_t *choice);

// A text field of one line. `hint` is its label and the placeholder of an empty field. The field
// receives keys and text while it has the focus. The click that gives the focus to the field
// selects its text. Returns true if `text`, a buffer of `size` bytes with its terminator, has
// changed.
bool ui_field(view_ui *ui, view_rect rect, const char *hint, char *text, size_t size);

// Shows a notice from the time `now` on (seconds since the start), formatted as by printf().
void ui_show_notice(view_ui *ui, double now, const char *format, ...) COMMON_PRINTF(3, 4);

// Copies a text to the clipboard and shows the notice "Copied: WHAT" from the time `now` on.
void ui_copy(view_ui *ui, double now, const char *text, const char *what);

// Gives the focus to the next item unless an item of the same panel has it.
void ui_focus_next(view_ui *ui);

// Begins a dialog in the middle of the window. It dims everything else and receives all presses.
// Its panel must be view_ui.modal. The size is in pixels, without the padding and the title.
// Returns the area below the title.
view_rect ui_dialog(view_ui *ui, const char *panel, float width, float height, const char *title);

// Returns true if the mouse is over any item of the panel.
bool ui_is_panel_hot(const view_ui *ui);

// Handles dragging of the last item: from a run in which `is_pressed` is true until the button of
// the mouse is released. Returns true if the event presses or moves the mouse during the drag, and
// sets `part` to the horizontal position of the mouse on the track, 0 to 1.
bool ui_drag(view_ui *ui, bool is_pressed, view_rect track, float *part);

// Draws a text in the normal text size (see view_draw_text()). Returns its width.
float ui_text(const view_ui *ui, float x, float y, float width, view_color color, const char *text);

// Returns the width of a text in the normal text size, in pixels.
float ui_text_width(const view_ui *ui, const char *text);

// -- Rows -----------------------------------------------------------------------------------

// A row with a name, a slider from `low` to `high`, and a text at the right. `text` may be NULL. A
// click on the name resets `value` to `usual`; if `usual` is NULL, the name is a part of the
// slider. Returns true if `value` has changed.
bool ui_slider(view_ui *ui, const char *name, view_color name_color, const char *text,
               view_color text_color, float low, float high, const float *usual, float *value);

// Reserves the next row of the column for ui_slider(), ui_switch() and ui_next_row().
void ui_begin_row(view_ui *ui);

// Draws the name of the next row. Sets `rest` to the area of its value and returns the row.
view_rect ui_next_row(view_ui *ui, const char *name, view_color color, view_rect *rest);

// A row with a name, a switch, and the name of a key. If `is_button` is true, a disc replaces the
// switch. Returns true if the row was pressed.
bool ui_switch(view_ui *ui, const char *name, bool is_set, bool is_button, const char *key);

// -- Columns --------------------------------------------------------------------------------

// Begin and end a column: a scrollable part of a panel. Its rows are clipped to the area.
void ui_begin_column(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll);
void ui_end_column(view_ui *ui);

// Reserves the next row of the column. Returns true if any part of it is visible.
bool ui_reserve_row(view_ui *ui, float height, view_rect *row);

// The appearance of ui_row().
typedef struct ui_row_style {
    const char *name; // NULL: none; " ": reserves the space of a name
    view_color color;
    const char *hint; // key or effect, at the right; NULL: the row cannot be pressed
    bool is_title;    // large text
    bool is_fixed;    // always one line
} ui_row_style;

// Adds a text to the column, wrapped into up to three lines, with a name at the left in
// ui->label_width. Returns true if the text was pressed.
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

// A row with a name and a text. If `is_link` is true, the text is a link. Returns true if the link
// was pressed.
bool ui_pair(view_ui *ui, const char *name, const char *text, bool is_link);

// ui_pair() with a text formatted as by printf(), without a link.
void ui_fact(view_ui *ui, const char *name, const char *format, ...) COMMON_PRINTF(3, 4);

// A row of a table: a name, and right-aligned columns of numbers.
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

// Requests a command, which view_run_ui() returns. A later command of the same run replaces it.
void ui_request(view_ui *ui, view_command command);

// Requests the command with an action and members of view_command.
#define UI_COMMAND(ui, ...) ui_request(ui, (view_command){.action = __VA_ARGS__})

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

// Scrolls a list of `count` lines by the wheel or a finger, in whole lines. `num_visible` lines are
// visible, beginning with `first`. `height` is the height of a line in pixels. Returns true if the
// event has scrolled the list.
bool ui_scroll_lines(view_ui *ui, float height, size_t num_visible, size_t count, size_t *first);

// Returns the preview of a file, or of an item of the listed game, and requests it if needed.
// Returns NULL if the cache is full.
view_thumbnail *ui_thumbnail(view_ui *ui, const char *request, bool is_in_game);

// A grid of tiles that fills the width of the column. Initialize it with zeros. Setting `count` to
// 0 lets the next tile begin a row.
typedef struct ui_grid {
    uint32_t count;   // tiles in the row so far
    uint32_t per_row; // tiles per row
    bool is_flat;     // the tiles are low; only for the caller
    bool is_visible;  // the row is visible
    float height;     // of the row, pixels
    view_rect row;
} ui_grid;

// Sets `box` to the rectangle of the next tile of a grid, at least `min_width` pixels wide. Returns
// true if the tile is visible.
bool ui_next_tile(view_ui *ui, ui_grid *grid, float min_width, float height, view_rect *box);

// The content of a tile.
typedef struct ui_tile_content {
    const char *label; // of the item
    const char *name;
    const char *text;              // second line
    const char *sign;              // icon instead of an image, or NULL
    const view_thumbnail *picture; // or NULL
    md5gl_texture texture;         // a square image if `picture` is NULL, or 0
    bool is_selected;
    bool is_link;   // the name is a link, and the tile has no image
    bool is_folder; // the tile has the icon of a folder
    bool is_wrong;  // the text is a warning
    bool is_grey;   // the name is dim, because the file is missing
    bool is_data;   // the texels of the image are not colors
} ui_tile_content;

// A tile with an image above its name and its text. In a wide tile, the texts are at the right of
// the image. Returns true if the tile was pressed.
bool ui_content_tile(view_ui *ui, view_rect box, const ui_tile_content *content);

// A tile of a clip. Its image is requested if the tile is visible.
bool ui_clip_tile(view_ui *ui, view_rect box, size_t number, bool is_selected, bool is_visible);

// Draws a text in the middle of a box.
void ui_text_in(view_ui *ui, view_rect box, view_color color, const char *text);

// -- Parts of dialogs -----------------------------------------------------------------------

// Begins a dialog (see ui_dialog()) of this size in layout units, or smaller if the window is
// smaller. Sets `foot` to its last row, for buttons. Returns the area between the title and this
// row.
view_rect ui_footed_dialog(view_ui *ui, const char *panel, float width, float height,
                           const char *title, view_rect *foot);

// Buttons that are as wide as their texts, at the left or, if `at_end` is true, at the right end of
// `row`. Cuts their space off the row. `primary` is the index of a highlighted button, or -1.
// Returns the index of the pressed button, or -1.
int ui_buttons(view_ui *ui, view_rect *row, const char *const *words, int count, int primary,
               bool at_end);

// A column that keys scroll, too. It scrolls without animation.
void ui_begin_list(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll);

// Adds a text to the column, with line breaks between words.
void ui_column_text(view_ui *ui, view_color color, const char *text);

#define VIEW_DOT "  \xE2\x80\xA2  " // separates the parts of a text

#endif
