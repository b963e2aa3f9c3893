// Columns, which can be scrolled, and their rows: texts, links, sections, and rows of tables. ui.h
// documents each function.
#include "demo/viewer/ui/ui.h"

#include <stdarg.h>

static const float hint_gap = 8; // distance between a text and the hint at its right, layout units

// Begins a column, which is a part of a panel with rows that can be scrolled. The rows begin
// above the area by the distance that the user has scrolled, in pixels. With smooth scrolling,
// this distance follows the requested one gradually.
void ui_begin_column(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll)
{
    *column = (ui_column){.area = area, .scroll = scroll, .margin = 0.7f * ui->em};
    column->y = roundf(area.y - (ui->is_smooth ? scroll->shown : scroll->wanted));
    column->clip = view_clip_canvas(ui->canvas, area);
    ui->column = column;
    ui_item(ui, area, "");
}

// Begins a column that can also be scrolled with keys. It scrolls without animation.
void ui_begin_list(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll)
{
    const float line = ui->line;
    const float page = area.height - line;
    const float to_end = 1e6f; // more than the height of any list, pixels
    const struct {
        int32_t key;
        float step;
    } keys[] = {{VIEW_KEY_UP, -line},       {VIEW_KEY_DOWN, line},    {VIEW_KEY_PAGE_UP, -page},
                {VIEW_KEY_PAGE_DOWN, page}, {VIEW_KEY_HOME, -to_end}, {VIEW_KEY_END, to_end}};
    for (size_t i = 0; i < COMMON_LENGTH(keys); i++) {
        if (ui_key(ui, keys[i].key))
            scroll->wanted += keys[i].step;
    }
    scroll->shown = scroll->wanted;
    ui_begin_column(ui, column, area, scroll);
    column->margin = 0; // the dialog has a margin
}

// Reserves the next row of the column. Returns true if it is at least partly visible. The column
// grows by the row even if it is invisible, because the scroll bar needs the height of all rows.
bool ui_reserve_row(view_ui *ui, float height, view_rect *row)
{
    ui_column *const column = ui->column;
    const view_rect area = column->area;
    *row = (view_rect){area.x, column->y, area.width, height};
    column->y += height;
    const bool is_above = row->y + height <= area.y;
    const bool is_below = row->y >= area.y + area.height;
    return !is_above && !is_below;
}

// Begins the next row of the column. ui->space is the part of the row that is not yet occupied,
// and ui->label_width the width of the column of names.
void ui_begin_row(view_ui *ui)
{
    const float em = ui->em;
    const float height = (ui->is_touched ? 2.4f : 2.05f) * em;
    const float left_margin = 0.7f * em;
    const float margins = 2.9f * em; // the right one has space for a reset button
    ui_reserve_row(ui, ceilf(height), &ui->space);
    ui->label_width = view_clamp(0.34f * ui->space.width, 6 * em, 18 * em);
    ui->space.x += left_margin;
    ui->space.width -= margins;
    ui->value_width = 0;
}

// Scrolls a column by the wheel and the finger, and to its focused item. `max_scroll` is the
// largest scroll position, in pixels.
static void scroll_column(view_ui *ui, const ui_column *column, float max_scroll)
{
    const float lines_per_wheel_step = 3;
    ui_scroll *const scroll = column->scroll;
    const view_rect area = column->area;
    const bool is_dragged = ui->mouse.dragged != 0 && max_scroll > 0;
    const bool is_scrolled = ui->mouse.wheel != 0 || is_dragged;
    if (is_scrolled && column->is_hot && !ui->is_event_handled) {
        scroll->wanted -= ui->mouse.wheel * lines_per_wheel_step * ui->line + ui->mouse.dragged;
        if (is_dragged) // without animation, so that the content remains below the finger
            scroll->shown = scroll->wanted;
        ui->is_event_handled = true;
        ui->focus.is_shown = false;
    }

    // If the focused item is above or below the visible area, scroll by the part that is outside.
    const view_rect focus = ui->focus.rect;
    const bool follows_focus = ui->focus.is_shown || column->scrolls_to_focus;
    if (follows_focus && !ui->is_event && column->has_focus) {
        scroll->wanted += fminf(focus.y - area.y, 0);
        scroll->wanted += fmaxf(focus.y + focus.height - area.y - area.height, 0);
    }
}

// Draws the scroll bar of a column and handles its input. `length` is the height of all rows, in
// pixels. A press or a drag moves the middle of the handle to the mouse. `shown` is the scroll
// position at which the column is displayed.
static void run_scroll_bar(view_ui *ui, const ui_column *column, float length, float shown)
{
    ui_scroll *const scroll = column->scroll;
    const view_rect area = column->area;
    const float max_scroll = fmaxf(length - area.height, 0);
    const float handle_height = fmaxf(area.height * area.height / length, ui->line);
    const float path = area.height - handle_height; // distance that the handle can move
    const float width = 5 * ui->scale;
    const float margin = 2 * ui->scale;
    const view_rect track = {area.x + area.width - width - margin, area.y, width + margin,
                             area.height};
    float unused; // ui_drag() measures the horizontal position
    const bool is_pressed = ui_item(ui, track, "scroll");
    if (ui_drag(ui, is_pressed, track, &unused)) {
        const float top = ui->mouse.y - area.y - 0.5f * handle_height;
        scroll->wanted = top / fmaxf(path, 1) * max_scroll;
        scroll->shown = scroll->wanted;
    }

    const float top = area.y + path * view_clamp(shown / max_scroll, 0, 1);
    view_draw_round_rect(ui->canvas, (view_rect){track.x, top, width, handle_height}, 0.5f * width,
                         ui_is_hot(ui) ? VIEW_DIM : VIEW_DISABLED);
}

// Ends a column. Scrolls it by the event of this run, and draws a scroll bar if not all rows are
// visible.
void ui_end_column(view_ui *ui)
{
    ui_column *const column = ui->column;
    ui_scroll *const scroll = column->scroll;
    const view_rect area = column->area;
    const float shown = ui->is_smooth ? scroll->shown : scroll->wanted;
    const float length = column->y - roundf(area.y - shown); // height of all rows
    const float max_scroll = fmaxf(length - area.height, 0);
    view_clip_canvas(ui->canvas, column->clip);
    ui->column = NULL;

    scroll_column(ui, column, max_scroll);
    if (max_scroll > 0)
        run_scroll_bar(ui, column, length, shown);
    scroll->wanted = view_clamp(scroll->wanted, 0, max_scroll);
    scroll->shown = view_clamp(scroll->shown, 0, max_scroll);
}

void ui_gap(view_ui *ui)
{
    view_rect row;
    ui_reserve_row(ui, 0.5f * ui->line, &row);
}

// Adds a text to the column, with line breaks between words.
void ui_column_text(view_ui *ui, view_color color, const char *text)
{
    const float margin = ui->column->margin;
    const float max_line_width = 600 * ui->scale; // longer lines are hard to read
    const float width = ui->column->area.width - 2 * margin - 12 * ui->scale;
    const float line_width = fminf(width, max_line_width);
    const char *remaining = text;
    while (*remaining != '\0') {
        char line[VIEW_MAX_LINE];
        remaining = view_next_line(ui->canvas->font, VIEW_TEXT, line_width, remaining, line);
        view_rect row;
        if (ui_reserve_row(ui, ui->line, &row))
            ui_text(ui, row.x + margin, row.y, width, color, line);
    }
}

// One of the lines into which ui_row() wraps a text.
typedef struct row_line {
    const char *name; // at the left; "": none
    const char *hint; // at the right; "": none
    const char *text;
    float indent;     // indent of the text
    float width;      // width of the text
    float hint_width; // with the gap; 0: no hint
} row_line;

// Draws a line of ui_row(). `row` is the rectangle of the line without margins.
static void draw_row_line(view_ui *ui, view_rect row, const ui_row_style *style,
                          const row_line *line)
{
    const view_text_size size = style->is_title ? VIEW_TITLE : VIEW_TEXT;
    const float hint_left = row.x + row.width - line->hint_width + hint_gap * ui->scale;
    ui_text(ui, hint_left, row.y, 0, VIEW_DIM, line->hint);
    ui_text(ui, row.x, row.y, line->indent, VIEW_DIM, line->name);
    view_draw_text(ui->canvas, size, row.x + line->indent, row.y, line->width, style->color,
                   line->text);
}

// Computes the name, the hint and the widths of a line of ui_row(). Only the first line of a row
// has a name and a hint. `row_width` is the width of the row without margins.
static row_line lay_out_row_line(const view_ui *ui, const ui_row_style *style, bool is_first,
                                 float row_width)
{
    const char *const name = style->name != NULL ? style->name : "";
    row_line line = {.name = "", .hint = "", .indent = name[0] != '\0' ? ui->label_width : 0};
    if (is_first)
        line.name = name;
    if (is_first && style->hint != NULL)
        line.hint = style->hint;
    if (line.hint[0] != '\0')
        line.hint_width = ui_text_width(ui, line.hint) + hint_gap * ui->scale;
    line.width = row_width - line.indent - line.hint_width;
    return line;
}

// Adds a text to the column, wrapped into at most three lines, with a name at the left. If the row
// can be pressed, each line is an item. Returns true if a line was pressed.
bool ui_row(view_ui *ui, const ui_row_style *style, const char *text)
{
    enum { MAX_LINES = 3 };
    const view_font *const font = ui->canvas->font;
    const view_text_size size = style->is_title ? VIEW_TITLE : VIEW_TEXT;
    const char *const name = style->name != NULL ? style->name : "";
    const bool is_name_blank = strspn(name, " ") == strlen(name);
    const char *const label = is_name_blank ? text : name;
    const bool can_press = style->hint != NULL;
    const float inset = VIEW_INSET * ui->scale;
    const int max_lines = style->is_fixed ? 1 : MAX_LINES;
    const char *remaining = text;
    bool is_pressed = false;
    int num_lines = 0;
    do { // also for an empty text
        view_rect row;
        const bool is_visible = ui_reserve_row(ui, font->line[size], &row);
        row.x += inset;
        row.width -= 2 * inset;
        row_line line = lay_out_row_line(ui, style, num_lines == 0, row.width);
        num_lines++;

        // The last line takes the whole remaining text, which is truncated when it is drawn.
        const bool is_last = num_lines >= max_lines;
        char line_text[VIEW_MAX_LINE];
        remaining =
            view_next_line(font, size, is_last ? INFINITY : line.width, remaining, line_text);
        line.text = line_text;
        ui_note_found(ui, row, label, text);
        if (can_press && ui_item(ui, row, label))
            is_pressed = true;
        if (is_visible)
            draw_row_line(ui, row, style, &line);
    } while (*remaining != '\0');
    return is_pressed;
}

// Adds a row with a name and a text. The text is formatted like printf() and cut at
// VIEW_MAX_LINE bytes.
void ui_figure(view_ui *ui, view_color color, const char *name, const char *format, ...)
{
    char text[VIEW_MAX_LINE];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    ui_row(ui, &(ui_row_style){.name = name, .color = color}, text);
}

// Adds the header of a page: the name of the selected item, and a text at the right.
void ui_page_title(view_ui *ui, const char *name, const char *text)
{
    const float em = ui->em;
    const float padding = 0.7f * em;
    const float width = ui_text_width(ui, text);
    view_rect row;
    if (!ui_reserve_row(ui, ceilf(2.4f * em), &row))
        return;
    view_draw_text(ui->canvas, VIEW_TITLE, row.x + padding, row.y + 0.45f * em,
                   row.width - width - 3 * padding, VIEW_BRIGHT, name);
    ui_right_aligned_text(ui, row.x + row.width - padding, row.y + 0.75f * em, VIEW_DIM, text);
}

// Adds a row with a name and a text, and returns true if the text is a link that was pressed. The
// name is a dim column at the left, and the text fills the remaining row. A link has the accent
// color and becomes bright under the mouse. A link that is scrolled out of view is still an item,
// so that the keyboard can reach it.
static bool add_pair(view_ui *ui, const char *name, const char *text, bool is_link)
{
    const float row_height = ceilf(1.5f * ui->em);
    const float name_width = 6 * ui->em;
    const float padding = UI_PADDING * ui->em;
    const float text_left = padding + name_width;
    view_rect row;
    const bool is_visible = ui_reserve_row(ui, row_height, &row);
    const view_rect text_box = {row.x + text_left, row.y, row.width - text_left - padding,
                                row.height};
    const bool is_pressed = is_link && ui_item(ui, text_box, text);
    if (!is_visible)
        return is_pressed;

    // ui_is_hot() refers to the last item. This is the link, if there is one.
    const bool is_hot_link = is_link && ui_is_hot(ui);
    const view_color text_color = is_link && !is_hot_link ? VIEW_ACCENT : VIEW_BRIGHT;
    const float y = ui_text_top(ui, row);
    ui_text(ui, row.x + padding, y, 0, VIEW_DIM, name);
    ui_text(ui, text_box.x, y, text_box.width, text_color, text);
    return is_pressed;
}

void ui_pair(view_ui *ui, const char *name, const char *text)
{
    add_pair(ui, name, text, false);
}

bool ui_link_pair(view_ui *ui, const char *name, const char *text)
{
    return add_pair(ui, name, text, true);
}

// Adds a row with a name and a text. The text is formatted like printf() and cut at 160 bytes.
void ui_fact(view_ui *ui, const char *name, const char *format, ...)
{
    char text[160];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    ui_pair(ui, name, text);
}

// Draws a row of a table. Each column of numbers is `column_width` pixels wide.
void ui_draw_cells(view_ui *ui, view_rect row, float column_width, const ui_cells *cells)
{
    const float padding = 0.7f * ui->em;
    const float y = ui_text_top(ui, row);
    const float columns_right = row.x + row.width - padding;
    const float columns_left = columns_right - column_width * (float)cells->count;
    for (uint32_t i = 0; i < cells->count; i++) {
        const float right = columns_left + column_width * (float)(i + 1);
        const view_color color = cells->colors != NULL ? cells->colors[i] : cells->color;
        ui_right_aligned_text(ui, right, y, color, cells->texts[i]);
    }

    // The name fills the space at the left of the columns.
    const float name_width = fmaxf(columns_left - row.x - padding, padding);
    if (cells->name[0] != '\0')
        ui_text(ui, row.x + padding, y, name_width, cells->color, cells->name);
}

// Adds the header of a section, with a text at the right. A press opens or closes the section.
// Returns true if it is open.
bool ui_section(view_ui *ui, ui_section_number number, const char *title, const char *text)
{
    const float scale = ui->scale;
    const float padding = VIEW_INSET * scale;
    const uint32_t bit = (uint32_t)1 << number;
    view_rect row;
    const bool is_visible = ui_reserve_row(ui, ceilf(25 * scale), &row);
    if (ui_item(ui, row, title))
        ui->folded ^= bit;
    const bool is_open = (ui->folded & bit) == 0;
    if (!is_visible)
        return is_open;

    const float y = ui_text_top(ui, row);
    const char *const sign = is_open ? UI_SIGN_OPEN : UI_SIGN_FOLDED;
    view_draw_rect(ui->canvas, row, ui_is_hot(ui) ? VIEW_CONTROL : VIEW_SECTION);
    ui_text(ui, row.x + padding - 2 * scale, y, 0, VIEW_DIM, sign);
    ui_text(ui, row.x + padding + 16 * scale, y, 0, VIEW_BRIGHT, title);
    ui_right_aligned_text(ui, row.x + row.width - padding, y, VIEW_DIM, text);
    return is_open;
}
