// The core of the user interface: items, rows, fields, columns, tiles and dialogs. ui.h documents
// each function.
#include "demo/viewer/ui/ui.h"

#include <ctype.h>
#include <stdarg.h>

// -- Panels and items -----------------------------------------------------------------------

void ui_begin(view_ui *ui, const char *panel)
{
    ui->item = (ui_item_id){panel, 0};
}

static bool is_same(ui_item_id a, ui_item_id b)
{
    if (a.panel == NULL || b.panel == NULL)
        return false;
    return a.number == b.number && strcmp(a.panel, b.panel) == 0;
}

// Returns true if the current panel receives keys: no modal panel or list is open, or it is the
// current panel.
static bool has_keys(const view_ui *ui)
{
    const char *exclusive = ui->modal;
    if (exclusive == NULL && ui->over == VIEW_OVERLAY_FILES)
        exclusive = "list";
    return exclusive == NULL || strcmp(exclusive, ui->item.panel) == 0;
}

// Returns true if an item is in the current panel.
static bool is_in_panel(const view_ui *ui, ui_item_id item)
{
    return item.panel != NULL && strcmp(item.panel, ui->item.panel) == 0;
}

// Moves the focus if this item is the target: Tab moves it to the next item, Shift+Tab to the
// previous item, F6 to the first item of the next panel, Shift+F6 to that of the previous panel.
static void pass_focus(view_ui *ui)
{
    const bool is_tab = ui->mouse.key == VIEW_KEY_TAB;
    const bool has_focus = is_same(ui->focus, ui->item);
    const bool stays = !is_tab && is_in_panel(ui, ui->focus);
    if (ui->mouse.shift && has_focus) {
        ui->focus = ui->before;
    } else if (!ui->mouse.shift && ui->takes_next && !stays) {
        ui->focus = ui->item;
        ui->takes_next = false;
    } else {
        ui->takes_next = has_focus || (stays && ui->takes_next);
    }
    if (is_tab || !(stays || is_in_panel(ui, ui->before)))
        ui->before = ui->item;
}

// For tests: stores the rectangle of the first item whose name begins with ui->sought.
static void note_found(view_ui *ui, view_rect rect, const char *label, const char *text)
{
    char name[320];
    if (ui->sought == NULL || ui->found.width > 0)
        return;
    COMMON_TEXT(name, "%s/%s", ui->item.panel, label);
    const size_t length = strlen(ui->sought);
    if (strncmp(name, ui->sought, length) != 0 || name[length] == '_'
        || isalnum((unsigned char)name[length]) != 0) // not a whole word
        return;
    ui->found = rect;
    COMMON_TEXT(ui->found_text, "%s", text);
}

bool ui_item(view_ui *ui, view_rect rect, const char *label)
{
    ui->item.number++;
    if (label[0] != '\0' && has_keys(ui) && ui_passes_focus(ui))
        pass_focus(ui);
    if (is_same(ui->focus, ui->item)) {
        ui->focus_rect = rect;
        ui->is_focus_there = true;
        if (ui->column != NULL)
            ui->column->has_focus = true;
        if (ui->is_focus_shown)
            view_draw_frame(ui->canvas, view_inset(rect, -2), 2 * ui->scale, VIEW_ACCENT);
    }
    const view_rect clip = ui->canvas->clip;
    if (view_contains(rect, ui->mouse.x, ui->mouse.y)
        && (!(clip.width > 0) || view_contains(clip, ui->mouse.x, ui->mouse.y)))
        ui->top = ui->item;
    if (ui->column != NULL && is_same(ui->hot, ui->item))
        ui->column->is_hot = true;
    note_found(ui, rect, label, "");
    return ui->mouse.is_pressed && is_same(ui->hot, ui->item);
}

bool ui_box(view_ui *ui, const char *panel, view_rect box, const char *label)
{
    view_draw_round_rect(ui->canvas, box, VIEW_RADIUS * ui->scale, VIEW_BOX);
    ui_begin(ui, panel);
    return ui_item(ui, box, label);
}

bool ui_key(view_ui *ui, int32_t key)
{
    if (ui->mouse.key != key || ui->has_taken || !has_keys(ui))
        return false;
    ui->has_taken = true;
    return true;
}

bool ui_passes_focus(const view_ui *ui)
{
    return ui->mouse.key == VIEW_KEY_TAB || ui->mouse.key == VIEW_KEY_F(6);
}

bool ui_is_hot(const view_ui *ui)
{
    return is_same(ui->hot, ui->item);
}

bool ui_is_focused(const view_ui *ui)
{
    return is_same(ui->focus, ui->item);
}

void ui_focus_next(view_ui *ui)
{
    if (!is_in_panel(ui, ui->focus))
        ui->focus = (ui_item_id){ui->item.panel, ui->item.number + 1};
}

// Returns true if a value of the option can be previewed without reading files.
static bool can_preview(const view_option *option)
{
    if (option->names == VIEW_NAMES_CLIP)
        return true;
    return option->effect == VIEW_EFFECT_NONE || option->effect == VIEW_EFFECT_MEASURE;
}

void ui_preview_option(view_ui *ui, const view_option *option, const char *text)
{
    view_hover_preview *const preview = &ui->hover_preview;
    if (!ui_is_hot(ui) || !can_preview(option))
        return;
    if (strcmp(preview->text, text) != 0)
        preview->due = ui->stage->now + VIEW_HOVER_PREVIEW_DELAY;
    preview->option = option;
    COMMON_TEXT(preview->text, "%s", text);
}

void ui_tip(view_ui *ui, const char *text)
{
    if (ui_is_hot(ui))
        COMMON_TEXT(ui->tip, "%s", text);
}

void ui_tip_command(view_ui *ui, view_action action)
{
    if (!ui_is_hot(ui))
        return;
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_menu_entry *const row = list.entries[i];
        char keys[64];
        char text[sizeof ui->tip];
        if (view_get_action(row) != action || row->menu >= VIEW_NUM_MENUS)
            continue;
        view_print_keys(row, keys, sizeof keys);
        COMMON_TEXT(text, "%s%s%s", view_get_label(row), keys[0] != '\0' ? "  " : "", keys);
        if (strcmp(view_get_tooltip(row), view_get_label(row)) != 0)
            common_append(text, sizeof text, "\n", "%s", view_get_tooltip(row));
        ui_tip(ui, text);
        return;
    }
}

void ui_tip_cut(view_ui *ui, const char *text, float width)
{
    if (ui_is_hot(ui) && ui_text_width(ui, text) > width)
        ui_tip(ui, text);
}

void ui_open_overlay(view_ui *ui, view_overlay over)
{
    ui->over = over;
    ui->focus.panel = NULL;
}

bool ui_context(view_ui *ui, unsigned context, size_t number, size_t item, const char *name,
                const char *path)
{
    if (!ui->mouse.is_right || !ui_is_hot(ui))
        return false;
    view_target *const target = &ui->context;
    target->name[0] = target->path[0] = '\0';
    target->context = context;
    target->number = number;
    target->item = item;
    if (name != NULL && strlen(name) < sizeof target->name)
        memcpy(target->name, name, strlen(name) + 1);
    if (path != NULL && strlen(path) < sizeof target->path)
        memcpy(target->path, path, strlen(path) + 1);
    return true;
}

bool ui_is_panel_hot(const view_ui *ui)
{
    return ui->hot.panel != NULL && strcmp(ui->hot.panel, ui->item.panel) == 0;
}

bool ui_drag(view_ui *ui, bool is_pressed, view_rect track, float *part)
{
    if (is_pressed) {
        ui->active = ui->item;
        ui->held = ui->item.panel;
    }
    const bool has_event = ui->mouse.is_pressed || ui->mouse.is_moved;
    if (!has_event || !is_same(ui->active, ui->item) || track.width <= 0)
        return false;
    *part = view_clamp((ui->mouse.x - track.x) / track.width, 0, 1);
    return true;
}

// -- Text -----------------------------------------------------------------------------------

float ui_text(const view_ui *ui, float x, float y, float width, view_color color, const char *text)
{
    return view_draw_text(ui->canvas, VIEW_TEXT, x, y, width, color, text);
}

float ui_text_width(const view_ui *ui, const char *text)
{
    return view_text_width(ui->canvas->font, VIEW_TEXT, text);
}

// -- Rows -----------------------------------------------------------------------------------

float ui_text_top(const view_ui *ui, view_rect row)
{
    return row.y + floorf(0.5f * (row.height - ui->line));
}

view_rect ui_next_row(view_ui *ui, const char *name, view_color color, view_rect *rest)
{
    const view_rect row = ui->space;
    *rest = (view_rect){row.x + ui->label_width, row.y,
                        row.width - ui->label_width - ui->value_width, row.height};
    ui->space.y += row.height;
    ui_text(ui, row.x, ui_text_top(ui, row), ui->label_width - 8 * ui->scale, color, name);
    return row;
}

void ui_begin_row(view_ui *ui)
{
    const float em = ui->em;
    ui_reserve_row(ui, ceilf((ui->is_touched ? 2.4f : 2.05f) * em), &ui->space);
    ui->label_width = view_clamp(0.34f * ui->space.width, 6 * em, 18 * em);
    ui->space.x += 0.7f * em;
    ui->space.width -= 2.9f * em;
    ui->value_width = 0;
}

bool ui_slider(view_ui *ui, const char *name, view_color name_color, const char *text,
               view_color text_color, float low, float high, const float *usual, float *value)
{
    const float scale = ui->scale;
    view_rect track;
    const view_rect all = ui_next_row(ui, name, name_color, &track);
    float part = (*value - low) / (high - low);
    const float middle = track.y + 0.5f * track.height;
    const float place = track.width * view_clamp(part, 0, 1);
    view_rect line = {track.x, middle - 2 * scale, track.width, 4 * scale};
    view_draw_round_rect(ui->canvas, line, 2 * scale, VIEW_EDGE);
    line.width = place; // filled up to the value
    view_draw_round_rect(ui->canvas, line, 2 * scale, VIEW_ACCENT);
    view_draw_disc(ui->canvas, track.x + place, middle, 6 * scale, VIEW_BRIGHT);
    if (text != NULL)
        ui_text(ui, track.x + track.width + 12 * scale, ui_text_top(ui, all), 0, text_color, text);
    const bool is_pressed = ui_item(ui, all, name);
    if (is_pressed) {
        if (usual != NULL && ui->mouse.x < track.x - 8 * scale) {
            ui->held = ui->item.panel;
            *value = *usual;
            return true;
        }
        ui->low = low; // the range is constant while the slider is dragged
        ui->high = high;
    }
    if (!ui_drag(ui, is_pressed, track, &part))
        return false;
    *value = ui->low + part * (ui->high - ui->low);
    return true;
}

bool ui_switch(view_ui *ui, const char *name, bool is_set, bool is_button, const char *key)
{
    const float side = 12 * ui->scale;
    view_rect rest;
    const view_rect all = ui_next_row(ui, name, VIEW_PLAIN, &rest);
    const view_rect box = {rest.x, rest.y + 0.5f * (rest.height - side),
                           is_button ? side : 2 * side, side};
    view_draw_round_rect(ui->canvas, box, 0.5f * side, is_set ? VIEW_ACCENT : VIEW_EDGE);
    if (!is_button) {
        const float knob = is_set ? 1.5f : 0.5f;
        view_draw_disc(ui->canvas, box.x + knob * side, box.y + 0.5f * side, 0.4f * side,
                       is_set ? VIEW_BOX : VIEW_BRIGHT);
    }
    ui_text(ui, box.x + box.width + 8 * ui->scale, ui_text_top(ui, rest), 0, VIEW_DIM, key);
    if (!ui_item(ui, all, name))
        return false;
    ui->held = ui->item.panel;
    return true;
}

// -- Buttons, fields, dialogs -------------------------------------------------------------------

void ui_text_in(view_ui *ui, view_rect box, view_color color, const char *text)
{
    const float width = fminf(ui_text_width(ui, text), box.width);
    ui_text(ui, box.x + 0.5f * (box.width - width), box.y + 0.5f * (box.height - ui->line),
            box.width, color, text);
}

bool ui_sign(view_ui *ui, view_rect box, const char *label, const char *sign)
{
    const bool is_pressed = ui_item(ui, box, label);
    ui_text_in(ui, box, ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_DIM, sign);
    return is_pressed;
}

void ui_bar(const view_ui *ui, view_rect rect, float part)
{
    view_draw_round_rect(ui->canvas, rect, 0.5f * rect.height, VIEW_EDGE);
    rect.width *= view_clamp(part, 0, 1);
    view_draw_round_rect(ui->canvas, rect, 0.5f * rect.height, VIEW_ACCENT);
}

void ui_popover(const view_ui *ui, view_rect box, float radius, view_color edge)
{
    view_draw_round_rect(ui->canvas, view_inset(box, -ui->scale), (radius + 1) * ui->scale, edge);
    view_draw_round_rect(ui->canvas, box, radius * ui->scale, VIEW_POPOVER);
}

void ui_note(const view_ui *ui, float x, float y, float above, const ui_line *lines, size_t count)
{
    const float gap = 6 * ui->scale;
    const float bottom = ui->window.y + ui->window.height;
    float width = 0;
    for (size_t i = 0; i < count; i++)
        width = fmaxf(width, ui_text_width(ui, lines[i].text));
    width = fminf(width, ui->window.width - 4 * gap);
    view_rect box = {x, y, width + 2 * gap, (float)count * ui->line + gap};
    box.x = fmaxf(fminf(x, ui->window.width - box.width - gap), gap);
    if (y + box.height + gap > bottom)
        box.y = fmaxf(fminf(above, bottom) - box.height - gap, 0);
    ui_popover(ui, box, 3, VIEW_EDGE);
    for (size_t i = 0; i < count; i++)
        ui_text(ui, box.x + gap, box.y + 0.5f * gap + (float)i * ui->line, width + 1,
                lines[i].color, lines[i].text);
}

bool ui_tile(view_ui *ui, view_rect rect, const char *label, bool is_selected)
{
    const bool is_pressed = ui_item(ui, rect, label);
    view_color color = VIEW_CONTROL;
    if (is_selected)
        color = VIEW_SELECTED;
    else if (ui_is_hot(ui))
        color = VIEW_HOVERED;
    view_draw_round_rect(ui->canvas, rect, 4 * ui->scale, color);
    return is_pressed;
}

void ui_image(view_ui *ui, view_rect box, md5gl_texture image, uint32_t width, uint32_t height,
              bool is_color)
{
    static const float whole[4] = {0, 0, 1, 1};
    const float factor = fminf(box.width / (float)width, box.height / (float)height);
    const float across = factor * (float)width;
    const float down = factor * (float)height;
    view_draw_image(ui->canvas,
                    (view_rect){box.x + 0.5f * (box.width - across),
                                box.y + 0.5f * (box.height - down), across, down},
                    whole, image, is_color);
}

bool ui_button(view_ui *ui, view_rect rect, const char *text, bool is_selected)
{
    const bool is_pressed = ui_tile(ui, rect, text, is_selected);
    ui_text_in(ui, rect, is_selected || ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_PLAIN, text);
    ui_tip_cut(ui, text, rect.width);
    return is_pressed;
}

bool ui_segment(view_ui *ui, view_rect rect, const char *const *words, uint32_t count,
                uint32_t *choice)
{
    const uint32_t before = *choice;
    const float width = rect.width / (float)count;
    float widest = 0;
    float spare = width;
    for (uint32_t i = 0; i < count; i++) {
        const float text = ui_text_width(ui, words[i]);
        widest = fmaxf(widest, text);
        spare -= text / (float)count;
    }
    const bool is_even = widest < width || spare < 0; // else buttons are as wide as their texts
    view_rect part = rect;
    for (uint32_t i = 0; i < count; i++) {
        part.width = is_even ? width : ui_text_width(ui, words[i]) + spare;
        if (ui_button(ui, part, words[i], i == before))
            *choice = i;
        part.x += part.width;
    }
    return *choice != before;
}

// Applies the text and the keys of the event to a text field. Returns true if `text` has changed.
// Backspace removes a whole UTF-8 character.
static bool edit(view_ui *ui, char *text, size_t size)
{
    size_t length = strlen(text);
    if (ui->mouse.text != NULL && !ui->has_taken) {
        const size_t added = strlen(ui->mouse.text);
        ui->has_taken = true;
        if (added >= size - length)
            return false;
        memcpy(text + length, ui->mouse.text, added + 1);
        return added > 0;
    }
    if (ui_key(ui, VIEW_KEY_BACKSPACE)) {
        const bool has_changed = length > 0;
        while (length > 0 && ((unsigned char)text[--length] & 0xC0) == 0x80)
            continue;
        text[length] = '\0';
        return has_changed;
    }
    if (ui->mouse.control && ui_key(ui, 'a'))
        ui->selects_all = true;
    if (ui->mouse.control && ui_key(ui, 'v')) {
        char *const pasted = view_paste_text();
        const size_t added = pasted != NULL ? strcspn(pasted, "\r\n") : 0;
        const bool has_room = added > 0 && added < size - length;
        if (has_room) {
            memcpy(text + length, pasted, added);
            text[length + added] = '\0';
        }
        free(pasted);
        return has_room;
    }
    return false;
}

// Returns true if the event replaces the selected text by other text.
static bool replaces_selection(const ui_mouse *mouse)
{
    if (mouse->text != NULL || (mouse->control && mouse->key == 'v'))
        return true;
    return mouse->key == VIEW_KEY_BACKSPACE || mouse->key == VIEW_KEY_DELETE;
}

// Returns true if the event only removes the selection.
static bool removes_selection(const ui_mouse *mouse)
{
    if (mouse->is_pressed)
        return true;
    const int32_t key = mouse->key;
    if (key == VIEW_KEY_LEFT || key == VIEW_KEY_RIGHT)
        return true;
    return key == VIEW_KEY_HOME || key == VIEW_KEY_END;
}

// Consumes keys that belong to the focused field: Escape and keys of letters, which arrive again as
// text. Ctrl+Z and Ctrl+Y are consumed because they must not undo changes of the view.
static void consume_field_keys(view_ui *ui)
{
    const int32_t key = ui->mouse.key;
    if (ui->modal == NULL && ui_key(ui, VIEW_KEY_ESCAPE))
        ui->focus.panel = NULL;
    const bool is_undo = key == 'z' || key == 'y';
    const bool is_letter = key >= ' ' && key < VIEW_KEY_NAMED;
    if (is_letter && (!ui->mouse.control || is_undo))
        ui_key(ui, key);
}

// Returns the end of a text that fits into `width` pixels: the cursor is at the end.
static const char *visible_end(const view_ui *ui, const char *text, float width)
{
    while (ui_text_width(ui, text) > width && *text != '\0') {
        do
            text++;
        while (((unsigned char)*text & 0xC0) == 0x80);
    }
    return text;
}

bool ui_field(view_ui *ui, view_rect rect, const char *hint, char *text, size_t size)
{
    view_canvas *const canvas = ui->canvas;
    const float scale = ui->scale;
    const float padding = 6 * scale;
    const view_rect inside = {rect.x + padding, rect.y + 0.5f * (rect.height - ui->line),
                              rect.width - 2 * padding, ui->line};
    if (ui_item(ui, rect, hint))
        ui->focus = ui->item;
    const bool is_focused = ui_is_focused(ui);
    bool selects_all = is_focused && ui->selects_all;
    bool is_changed = false;
    // Keys of letters arrive before their text. Only the text replaces the selected text.
    if (selects_all && replaces_selection(&ui->mouse)) {
        ui->selects_all = false;
        is_changed = text[0] != '\0';
        text[0] = '\0';
    } else if (selects_all && removes_selection(&ui->mouse)) {
        ui->selects_all = false;
    }
    is_changed = (is_focused && edit(ui, text, size)) || is_changed;
    selects_all = is_focused && ui->selects_all;
    if (is_focused)
        consume_field_keys(ui);
    view_draw_round_rect(canvas, rect, 4 * scale, is_focused ? VIEW_ACCENT : 0x6B7788FFu);
    view_draw_round_rect(canvas, view_inset(rect, scale), 3 * scale, VIEW_FIELD);
    const bool is_empty = text[0] == '\0';
    const char *const shown = visible_end(ui, text, inside.width);
    if (selects_all && !is_empty)
        view_draw_rect(canvas,
                       (view_rect){inside.x, inside.y, ui_text_width(ui, shown), inside.height},
                       VIEW_SELECTED);
    const view_color color = is_empty ? VIEW_DIM : VIEW_BRIGHT;
    const float end = ui_text(ui, inside.x, inside.y, inside.width, color, is_empty ? hint : shown);
    if (is_focused)
        view_draw_rect(canvas,
                       (view_rect){inside.x + (is_empty ? 0 : end + scale), inside.y,
                                   fmaxf(1, scale), inside.height},
                       VIEW_BRIGHT);
    return is_changed;
}

void ui_copy(view_ui *ui, double now, const char *text, const char *what)
{
    COMMON_TEXT(ui->notice, view_copy_text(text) ? "Copied: %s" : "Cannot copy %s: no clipboard",
                what);
    ui->notice_end = now + 2.5;
}

view_rect ui_dialog(view_ui *ui, const char *panel, float width, float height, const char *title)
{
    view_canvas *const canvas = ui->canvas;
    const float padding = VIEW_PADDING * ui->scale;
    const float head = canvas->font->line[VIEW_TITLE] + 0.5f * padding;
    const view_rect window = ui->window;
    const view_rect box = {
        roundf(window.x + 0.5f * (window.width - width) - padding),
        roundf(window.y + fmaxf(0.5f * (window.height - height - head) - padding, 0)),
        width + 2 * padding, height + head + 2 * padding};
    view_draw_rect(canvas, window, 0x00000073u);
    ui_begin(ui, panel);
    ui_item(ui, (view_rect){0, 0, window.width, window.y + window.height}, "");
    ui_popover(ui, box, VIEW_RADIUS, VIEW_EDGE);
    view_draw_text(canvas, VIEW_TITLE, box.x + padding, box.y + padding, width, VIEW_BRIGHT, title);
    return (view_rect){box.x + padding, box.y + padding + head, width, height};
}

// -- Columns --------------------------------------------------------------------------------

void ui_begin_column(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll)
{
    *column = (ui_column){.area = area, .scroll = scroll, .margin = 0.7f * ui->em};
    column->y = roundf(area.y - (ui->is_smooth ? scroll->shown : scroll->wanted));
    column->clip = view_clip_canvas(ui->canvas, area);
    ui->column = column;
    ui_item(ui, area, "");
}

bool ui_reserve_row(view_ui *ui, float height, view_rect *row)
{
    ui_column *const column = ui->column;
    const view_rect area = column->area;
    *row = (view_rect){area.x, column->y, area.width, height};
    column->y += height;
    return row->y < area.y + area.height && row->y + height > area.y;
}

// Handles the wheel and the finger for a column, and scrolls a focused item into view. `max_scroll`
// is the largest scroll position.
static void scroll_column(view_ui *ui, const ui_column *column, float max_scroll)
{
    ui_scroll *const scroll = column->scroll;
    const view_rect area = column->area;
    const view_rect focus = ui->focus_rect;
    const bool is_dragged = ui->mouse.dragged != 0 && max_scroll > 0;
    const bool is_scrolled = ui->mouse.wheel != 0 || is_dragged;
    if (is_scrolled && column->is_hot && !ui->has_taken) {
        scroll->wanted -= ui->mouse.wheel * 3 * ui->line + ui->mouse.dragged;
        if (is_dragged) // without animation, so that the content remains below the finger
            scroll->shown = scroll->wanted;
        ui->has_taken = true;
        ui->is_focus_shown = false;
    }
    if (ui->is_focus_shown && !ui->is_event && column->has_focus) {
        scroll->wanted += fminf(focus.y - area.y, 0);
        scroll->wanted += fmaxf(focus.y + focus.height - area.y - area.height, 0);
    }
}

// Draws the scroll bar of a column of `length` pixels and handles dragging it.
static void run_scroll_bar(view_ui *ui, const ui_column *column, float length, float shown)
{
    ui_scroll *const scroll = column->scroll;
    const view_rect area = column->area;
    const float max_scroll = fmaxf(length - area.height, 0);
    const float size = fmaxf(area.height * area.height / length, ui->line);
    const float width = 5 * ui->scale;
    const float path = area.height - size;
    const view_rect track = {area.x + area.width - width - 2 * ui->scale, area.y,
                             width + 2 * ui->scale, area.height};
    float unused;
    if (ui_drag(ui, ui_item(ui, track, "scroll"), track, &unused)) {
        scroll->wanted = (ui->mouse.y - area.y - 0.5f * size) / fmaxf(path, 1) * max_scroll;
        scroll->shown = scroll->wanted;
    }
    const float top = area.y + path * view_clamp(shown / max_scroll, 0, 1);
    view_draw_round_rect(ui->canvas, (view_rect){track.x, top, width, size}, 0.5f * width,
                         ui_is_hot(ui) ? VIEW_DIM : VIEW_DISABLED);
}

void ui_end_column(view_ui *ui)
{
    ui_column *const column = ui->column;
    ui_scroll *const scroll = column->scroll;
    const view_rect area = column->area;
    const float shown = ui->is_smooth ? scroll->shown : scroll->wanted;
    const float length = column->y - roundf(area.y - shown);
    const float max_scroll = fmaxf(length - area.height, 0);
    view_clip_canvas(ui->canvas, column->clip);
    ui->column = NULL;
    scroll_column(ui, column, max_scroll);
    if (max_scroll > 0)
        run_scroll_bar(ui, column, length, shown);
    scroll->wanted = view_clamp(scroll->wanted, 0, max_scroll);
    scroll->shown = view_clamp(scroll->shown, 0, max_scroll);
}

void ui_text_left_of(view_ui *ui, float right, float y, view_color color, const char *text)
{
    const float width = ui_text_width(ui, text);
    ui_text(ui, right - width, y, 0, color, text);
}

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
    ui_text_left_of(ui, row.x + row.width - padding, row.y + 0.75f * em, VIEW_DIM, text);
}

bool ui_pair(view_ui *ui, const char *name, const char *text, bool is_link)
{
    const float em = ui->em;
    const float padding = 0.7f * em;
    const float left = padding + 6 * em;
    view_rect row;
    const bool is_visible = ui_reserve_row(ui, ceilf(1.5f * em), &row);
    const view_rect link = {row.x + left, row.y, row.width - left - padding, row.height};
    const bool is_pressed = is_link && ui_item(ui, link, text);
    const float y = ui_text_top(ui, row);
    if (is_visible) {
        ui_text(ui, row.x + padding, y, 0, VIEW_DIM, name);
        ui_text(ui, link.x, y, link.width, is_link && !ui_is_hot(ui) ? VIEW_ACCENT : VIEW_BRIGHT,
                text);
    }
    return is_pressed;
}

void ui_fact(view_ui *ui, const char *name, const char *format, ...)
{
    char text[160];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    ui_pair(ui, name, text, false);
}

void ui_draw_cells(view_ui *ui, view_rect row, float wide, const ui_cells *cells)
{
    const float padding = 0.7f * ui->em;
    const float y = ui_text_top(ui, row);
    const float end = row.x + row.width - padding;
    const float right = end - wide * (float)cells->count;
    for (uint32_t i = 0; i < cells->count; i++)
        ui_text_left_of(ui, right + wide * (float)(i + 1), y,
                        cells->colors != NULL ? cells->colors[i] : cells->color, cells->texts[i]);
    if (cells->name[0] != '\0')
        ui_text(ui, row.x + padding, y, fmaxf(right - row.x - padding, padding), cells->color,
                cells->name);
}

void ui_gap(view_ui *ui)
{
    view_rect row;
    ui_reserve_row(ui, 0.5f * ui->line, &row);
}

bool ui_row(view_ui *ui, const ui_row_style *style, const char *text)
{
    enum { MAX_LINES = 3 };
    const view_font *const font = ui->canvas->font;
    const view_text_size size = style->is_title ? VIEW_TITLE : VIEW_TEXT;
    const char *const name = style->name != NULL ? style->name : "";
    const char *rest = text;
    const float indent = name[0] != '\0' ? ui->label_width : 0;
    const float inset = VIEW_INSET * ui->scale;
    int lines = style->is_fixed ? MAX_LINES : 1;
    bool is_first = true;
    bool is_pressed = false;
    do {
        char line[VIEW_MAX_LINE];
        view_rect row;
        const char *const hint = is_first && style->hint != NULL ? style->hint : "";
        const bool is_visible = ui_reserve_row(ui, font->line[size], &row);
        const float end = hint[0] != '\0' ? ui_text_width(ui, hint) + 8 * ui->scale : 0;
        row.x += inset;
        row.width -= 2 * inset;
        const float width = row.width - indent - end;
        rest = view_next_line(font, size, lines++ < MAX_LINES ? width : INFINITY, rest, line);
        const char *const label = strspn(name, " ") < strlen(name) ? name : text;
        note_found(ui, row, label, text);
        if (style->hint != NULL && ui_item(ui, row, label))
            is_pressed = true;
        if (is_visible) {
            ui_text(ui, row.x + row.width - end + 8 * ui->scale, row.y, 0, VIEW_DIM, hint);
            ui_text(ui, row.x, row.y, indent, VIEW_DIM, is_first ? name : "");
            view_draw_text(ui->canvas, size, row.x + indent, row.y, width, style->color, line);
        }
        is_first = false;
    } while (*rest != '\0');
    return is_pressed;
}

void ui_figure(view_ui *ui, view_color color, const char *name, const char *format, ...)
{
    char text[VIEW_MAX_LINE];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    ui_row(ui, &(ui_row_style){.name = name, .color = color}, text);
}

bool ui_section(view_ui *ui, ui_section_number number, const char *title, const char *text)
{
    const float scale = ui->scale;
    const float padding = VIEW_INSET * scale;
    const uint32_t bit = (uint32_t)1 << number;
    view_rect row;
    const bool is_visible = ui_reserve_row(ui, ceilf(25 * scale), &row);
    const float y = ui_text_top(ui, row);
    if (ui_item(ui, row, title))
        ui->folded ^= bit;
    const bool is_open = (ui->folded & bit) == 0;
    if (is_visible) {
        view_draw_rect(ui->canvas, row, ui_is_hot(ui) ? VIEW_CONTROL : VIEW_SECTION);
        ui_text(ui, row.x + padding - 2 * scale, y, 0, VIEW_DIM,
                is_open ? UI_SIGN_OPEN : UI_SIGN_FOLDED);
        ui_text(ui, row.x + padding + 16 * scale, y, 0, VIEW_BRIGHT, title);
        ui_text_left_of(ui, row.x + row.width - padding, y, VIEW_DIM, text);
    }
    return is_open;
}

// -- Lists ----------------------------------------------------------------------------------

bool ui_scroll_lines(view_ui *ui, float height, size_t room, size_t count, size_t *first)
{
    const float max_first = count > room ? (float)(count - room) : 0;
    if (ui->mouse.wheel == 0 && (ui->mouse.dragged == 0 || !(max_first > 0)))
        return false;
    // Remember a distance of less than a line for the next event.
    ui->scroll_rest = ui->mouse.dragged != 0 ? ui->scroll_rest + ui->mouse.dragged : 0;
    const float lines = truncf(ui->scroll_rest / height);
    ui->scroll_rest -= lines * height;
    *first = (size_t)view_clamp((float)*first - truncf(3 * ui->mouse.wheel) - lines, 0, max_first);
    ui->has_taken = true;
    return true;
}

view_thumbnail *ui_thumbnail(view_ui *ui, const char *request, bool is_in_game)
{
    view_thumbnail *unused = NULL;
    for (int i = 0; i < VIEW_MAX_THUMBNAILS; i++) {
        view_thumbnail *const picture = &ui->pictures[i];
        if (picture->request == NULL) {
            unused = unused != NULL ? unused : picture;
        } else if (picture->is_in_game == is_in_game && strcmp(picture->request, request) == 0) {
            picture->is_visible = true;
            return picture;
        }
    }
    if (unused == NULL)
        return NULL;
    *unused = (view_thumbnail){
        .request = common_copy(request), .is_in_game = is_in_game, .is_visible = true};
    view_wake_window();
    return unused;
}

bool ui_next_tile(view_ui *ui, ui_grid *grid, float least, float height, view_rect *box)
{
    const float gap = 0.6f * ui->em;
    const uint32_t column = grid->count++ % (grid->per_row > 0 ? grid->per_row : 1);
    if (column == 0) {
        grid->height = ceilf(height);
        grid->is_visible = ui_reserve_row(ui, grid->height, &grid->row);
        grid->per_row = (uint32_t)fmaxf(floorf(grid->row.width / (least + gap)), 1);
        grid->count = 1;
    }
    const float step = (grid->row.width - gap) / (float)grid->per_row; // without the scroll bar
    *box = (view_rect){grid->row.x + step * (float)column, grid->row.y, step - gap,
                       grid->row.height - 0.5f * gap};
    return grid->is_visible;
}

// Returns the color of the name of a tile.
static view_color tile_name_color(const view_ui *ui, const ui_tile_content *content)
{
    if (content->is_grey)
        return VIEW_DISABLED;
    if (content->is_selected || ui_is_hot(ui))
        return VIEW_BRIGHT;
    return content->is_link ? VIEW_ACCENT : VIEW_PLAIN;
}

// Returns the color of the second text of a tile.
static view_color tile_text_color(const ui_tile_content *content, bool is_wide)
{
    if (content->is_wrong)
        return VIEW_AMBER;
    return content->is_selected && is_wide ? VIEW_PLAIN : VIEW_DIM;
}

// Copies a name that is wider than `width` with an ellipsis after its first `head` bytes, so that
// its end remains, by which similar names differ.
static void shorten_name(const view_ui *ui, const char *name, size_t head, float width,
                         char text[256])
{
    const char *end = name + head;
    snprintf(text, 256, "%s", name);
    while (*end != '\0' && ui_text_width(ui, text) > width) {
        end++;
        while ((*end & 0xC0) == 0x80) // inside of a character
            end++;
        snprintf(text, 256, "%.*s\xE2\x80\xA6%s", (int)head, name, end);
    }
}

// Draws the name of a tile in one row, or in two rows if it is too long: the second row is the file
// extension if the rest fits into the first row.
static void draw_tile_name(view_ui *ui, view_rect row, view_color color, const char *name)
{
    char line[VIEW_MAX_LINE];
    char last[256];
    const char *rest = view_next_line(ui->canvas->font, VIEW_TEXT, row.width, name, line);
    const char *const dot = strrchr(name, '.');
    const bool has_stem = dot != NULL && dot > name && dot < rest;
    if (has_stem && *rest != '\0') {
        COMMON_TEXT(line, "%.*s", (int)(dot - name), name);
        rest = dot;
    }
    ui_text_in(ui, row, color, line);
    row.y += row.height;
    shorten_name(ui, rest, 0, row.width, last);
    ui_text_in(ui, row, color, last);
}

// Draws the name of a wide tile. The middle of a long name is omitted.
static void draw_row_name(view_ui *ui, view_rect row, view_color color, const char *name)
{
    char line[VIEW_MAX_LINE];
    char text[256];
    view_next_line(ui->canvas->font, VIEW_TEXT, 0.5f * row.width, name, line);
    shorten_name(ui, name, strlen(line), row.width, text);
    ui_text(ui, row.x, row.y, row.width, color, text);
}

// Draws the icon of a folder in the middle of a box.
static void draw_folder(const view_ui *ui, view_rect box)
{
    const float em = ui->em;
    const view_rect body = {roundf(box.x + 0.5f * (box.width - 1.3f * em)),
                            roundf(box.y + 0.5f * box.height - 0.4f * em), roundf(1.3f * em),
                            roundf(0.95f * em)};
    const view_rect tab = {body.x, body.y - roundf(0.2f * em), roundf(0.6f * em),
                           roundf(0.4f * em)};
    view_draw_round_rect(ui->canvas, tab, 0.12f * em, VIEW_AMBER);
    view_draw_round_rect(ui->canvas, body, 0.12f * em, VIEW_AMBER);
}

bool ui_content_tile(view_ui *ui, view_rect box, const ui_tile_content *content)
{
    const float line = ui->line;
    const float gap = 0.4f * ui->em;
    const bool is_wide = box.width > 2 * box.height;
    const bool is_pressed = ui_tile(ui, box, content->label, content->is_selected && is_wide);
    if (!is_wide) { // images have a background
        view_draw_round_rect(ui->canvas, box, gap, VIEW_CONTROL);
        if (content->is_selected || ui_is_hot(ui))
            view_draw_frame(ui->canvas, box, 0.4f * gap,
                            content->is_selected ? VIEW_ACCENT : VIEW_DISABLED);
    }
    const view_color color = tile_name_color(ui, content);
    const view_color below = tile_text_color(content, is_wide);
    view_rect image = view_inset(box, gap);
    view_rect row = image;
    ui_tip_cut(ui, content->name, is_wide ? 0.6f * row.width : 2 * row.width);
    if (is_wide) {
        if (content->is_link)
            image.width = content->is_folder ? 1.5f * ui->em : 0;
        else
            image.width = image.height;
        row.x += image.width + gap;
        row.width -= image.width + gap;
        row.y = box.y + 0.5f * (box.height - line);
        const float used = fminf(ui_text_width(ui, content->text), 0.5f * row.width);
        ui_text(ui, row.x + row.width - used, row.y, used + 1, below, content->text);
        row.width -= used > 0 ? used + gap : 0;
        draw_row_name(ui, row, color, content->name);
    } else {
        const bool is_long = ui_text_width(ui, content->name) > row.width;
        const float name_height = is_long ? 2 * line : line;
        image.height -= name_height + (*content->text != '\0' ? line : 0);
        row.height = line;
        row.y = image.y + image.height;
        draw_tile_name(ui, row, color, content->name);
        row.y += name_height;
        ui_text_in(ui, row, below, content->text);
    }
    if (content->is_folder)
        draw_folder(ui, image);
    const view_thumbnail square = {.texture = content->texture, .width = 1, .height = 1};
    const view_thumbnail *const shown = content->picture != NULL ? content->picture : &square;
    if (shown->texture != 0 && !content->is_link)
        ui_image(ui, image, shown->texture, shown->width, shown->height, !content->is_data);
    else if (content->is_wrong || content->sign != NULL)
        ui_text_in(ui, image, below, content->is_wrong ? "\xE2\x9A\xA0" : content->sign);
    return is_pressed;
}

bool ui_clip_tile(view_ui *ui, view_rect box, size_t number, bool is_selected, bool is_visible)
{
    const view_document *const document = ui->stage->document;
    const view_clip *const clip = &document->scene.clips[number];
    view_clip_picture *const picture =
        is_visible && number < document->num_pictures ? &document->pictures[number] : NULL;
    char text[32];
    COMMON_TEXT(text, "%.2f s", clip->anim->duration);
    if (picture != NULL && !picture->is_wanted) // images of clips are drawn one per frame
        view_wake_window();
    if (picture != NULL)
        picture->is_wanted = true;
    return ui_content_tile(ui, box,
                           &(ui_tile_content){.label = clip->name,
                                              .name = clip->name,
                                              .text = text,
                                              .texture = picture != NULL ? picture->texture : 0,
                                              .is_selected = is_selected});
}

// -- Parts of dialogs -----------------------------------------------------------------------

view_rect ui_footed_dialog(view_ui *ui, const char *panel, float width, float height,
                           const char *title, view_rect *foot)
{
    const view_font *const font = ui->canvas->font;
    const float scale = ui->scale;
    const float edges = 2 * (VIEW_PADDING + 4) * scale;
    const float head = font->line[VIEW_TITLE] + 0.5f * VIEW_PADDING * scale;
    const float row = ui->line + 9 * scale;
    view_rect inside = ui_dialog(ui, panel, fminf(width * scale, ui->window.width - edges),
                                 fminf(height * scale, ui->window.height - head - edges), title);
    *foot = view_cut(&inside, VIEW_AT_BOTTOM, row);
    view_cut(&inside, VIEW_AT_BOTTOM, 8 * scale);
    return inside;
}

int ui_buttons(view_ui *ui, view_rect *row, const char *const *words, int count, int primary,
               bool at_end)
{
    const float border = 20 * ui->scale;
    const float gap = 6 * ui->scale;
    float all = 0;
    int pressed = -1;
    for (int i = 0; i < count; i++)
        all += ui_text_width(ui, words[i]) + border + gap;
    view_rect button = *row;
    row->width -= all;
    if (at_end)
        button.x += row->width + gap;
    else
        row->x += all;
    for (int i = 0; i < count; i++) {
        button.width = ui_text_width(ui, words[i]) + border;
        if (ui_button(ui, button, words[i], i == primary))
            pressed = i;
        button.x += button.width + gap;
    }
    return pressed;
}

void ui_begin_list(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll)
{
    static const int32_t keys[] = {VIEW_KEY_UP,        VIEW_KEY_DOWN, VIEW_KEY_PAGE_UP,
                                   VIEW_KEY_PAGE_DOWN, VIEW_KEY_HOME, VIEW_KEY_END};
    const float line = ui->line;
    const float page = area.height - line;
    const float all = 1e6f;
    const float steps[] = {-line, line, -page, page, -all, all};
    for (int i = 0; i < 6; i++)
        scroll->wanted += ui_key(ui, keys[i]) ? steps[i] : 0;
    scroll->shown = scroll->wanted;
    ui_begin_column(ui, column, area, scroll);
    column->margin = 0; // the dialog has a margin
}

void ui_column_text(view_ui *ui, view_color color, const char *text)
{
    const float margin = ui->column->margin;
    const float max_width = 600 * ui->scale;
    const float width = ui->column->area.width - 2 * margin - 12 * ui->scale;
    char line[VIEW_MAX_LINE];
    view_rect row;
    while (*text != '\0') {
        text = view_next_line(ui->canvas->font, VIEW_TEXT, fminf(width, max_width), text, line);

        if (ui_reserve_row(ui, ui->line, &row))
            ui_text(ui, row.x + margin, row.y, width, color, line);
    }
}
