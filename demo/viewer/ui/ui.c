// Items, from which all widgets are made. An item is a rectangle that reacts to the mouse. This
// file contains texts, the keyboard focus, tooltips, context menus, drags and previews of options.
// The files ui_*.c contain the widgets. ui.h documents each function.
#include "demo/viewer/ui/ui.h"

#include <ctype.h>

void ui_begin(view_ui *ui, const char *panel)
{
    ui->item = (ui_item_id){.panel = panel, .area = ui->dock != NULL ? ui->dock : panel};
}

bool ui_is_same_item(ui_item_id a, ui_item_id b)
{
    if (a.panel == NULL || b.panel == NULL)
        return false;
    return a.number == b.number && strcmp(a.panel, b.panel) == 0;
}

// Returns true if the current panel receives keys. It does not if another panel receives all keys,
// for example a modal dialog or an open list.
static bool has_keys(const view_ui *ui)
{
    const char *exclusive_panel = ui->modal;
    if (exclusive_panel == NULL && ui->over == VIEW_OVERLAY_FILES)
        exclusive_panel = "list";
    return exclusive_panel == NULL || strcmp(exclusive_panel, ui->item.panel) == 0;
}

// Returns true if an item is in the current panel.
static bool is_in_panel(const view_ui *ui, ui_item_id item)
{
    return item.panel != NULL && strcmp(item.panel, ui->item.panel) == 0;
}

// Returns true if an item is in the area of the current panel. F6 does not move the focus within an
// area.
static bool is_in_area(const view_ui *ui, ui_item_id item)
{
    return item.panel != NULL && item.area != NULL && strcmp(item.area, ui->item.area) == 0;
}

// Moves the keyboard focus to the current item, or away from it. Tab moves the focus to the next
// item, and Shift+Tab to the previous item. F6 moves it to the first item of the next area, and
// Shift+F6 to the first item of the previous area. An area is a dock without its header, or a panel
// outside of the docks.
//
// The function is called once for each item, in their order. Two members of ui->focus store the
// state between the calls. `takes_next` is true after the item that had the focus, until another
// item takes it. `previous` is the item that gets the focus when a later call reaches the item that
// has it; this is for Shift+Tab and Shift+F6.
static void pass_focus(view_ui *ui)
{
    ui_focus *const focus = &ui->focus;
    const bool is_tab = ui->mouse.key == VIEW_KEY_TAB;
    const bool has_focus = ui_is_same_item(focus->item, ui->item);
    const bool is_in_header = strcmp(ui->item.area, UI_DOCK_HEADER_AREA) == 0;
    const bool is_in_new_area = !is_in_header && !is_in_area(ui, focus->item);
    const bool can_get_focus = is_tab || is_in_new_area;
    if (ui->mouse.shift) {
        if (has_focus)
            focus->item = focus->previous;
    } else if (focus->takes_next && can_get_focus) {
        focus->item = ui->item;
        focus->takes_next = false;
    } else if (has_focus) {
        focus->takes_next = true;
    }

    // Shift+F6 moves the focus to the first item of an area. Therefore later items of the area must
    // not replace it.
    const bool is_first_of_area = !is_in_area(ui, focus->previous);
    if (can_get_focus && (is_tab || is_first_of_area))
        focus->previous = ui->item;
}

// Returns true if a name begins with the name for which tests search. The searched name must end at
// the end of a word.
static bool matches_query(const view_ui *ui, const char *name)
{
    const size_t length = strlen(ui->probe.name);
    if (strncmp(name, ui->probe.name, length) != 0)
        return false;
    return name[length] != '_' && isalnum((unsigned char)name[length]) == 0;
}

// Supports tests: stores the rectangle and the text of the item for which a test searches.
// Called for each item and for each row of text. In normal use no test searches an item, so it
// returns immediately.
void ui_note_found(view_ui *ui, view_rect rect, const char *label, const char *text)
{
    if (ui->probe.name == NULL || ui->probe.rect.width > 0)
        return;
    char name[320];
    COMMON_TEXT(name, "%s/%s", ui->item.panel, label);
    if (!matches_query(ui, name))
        return;
    ui->probe.rect = rect;
    COMMON_TEXT(ui->probe.text, "%s", text);
}

// Returns true if the mouse is over the visible part of an item.
static bool is_under_mouse(const view_ui *ui, view_rect rect)
{
    const view_rect clip = ui->canvas->clip;
    if (!view_contains(rect, ui->mouse.x, ui->mouse.y))
        return false;
    return !(clip.width > 0) || view_contains(clip, ui->mouse.x, ui->mouse.y);
}

// Records that this run contains the focused item, and draws the frame around it.
static void note_focused_item(view_ui *ui, view_rect rect)
{
    ui->focus.item = ui->item; // a command that sets the focus does not set the area
    ui->focus.rect = rect;
    ui->focus.is_present = true;
    if (ui->column != NULL)
        ui->column->has_focus = true;
    if (!ui->focus.is_shown)
        return;
    // A column cuts off everything outside of it. Therefore the frame of a row is inside the row.
    const float margin = ui->column != NULL ? 0 : 2;
    view_draw_frame(ui->canvas, view_inset(rect, -margin), 2 * ui->scale, VIEW_ACCENT);
}

// Adds an item, which is the basis of all widgets. An item is a rectangle that reacts to the mouse.
// It can also have the keyboard focus, unless its label is "". Returns true if it was pressed.
bool ui_item(view_ui *ui, view_rect rect, const char *label)
{
    ui->item.number++;
    if (label[0] != '\0' && has_keys(ui) && ui_passes_focus(ui))
        pass_focus(ui);
    if (ui_is_same_item(ui->focus.item, ui->item))
        note_focused_item(ui, rect);

    if (is_under_mouse(ui, rect))
        ui->top = ui->item;
    if (ui->column != NULL && ui_is_same_item(ui->hot, ui->item))
        ui->column->is_hot = true;
    ui_note_found(ui, rect, label, "");
    return ui->mouse.is_pressed && ui_is_same_item(ui->hot, ui->item);
}

bool ui_box(view_ui *ui, const char *panel, view_rect box, const char *label)
{
    view_draw_round_rect(ui->canvas, box, VIEW_RADIUS * ui->scale, VIEW_BOX);
    ui_begin(ui, panel);
    return ui_item(ui, box, label);
}

bool ui_key(view_ui *ui, int32_t key)
{
    if (ui->mouse.key != key || ui->is_event_handled || !has_keys(ui))
        return false;
    ui->is_event_handled = true;
    return true;
}

bool ui_passes_focus(const view_ui *ui)
{
    return ui->mouse.key == VIEW_KEY_TAB || ui->mouse.key == VIEW_KEY_F(6);
}

bool ui_is_hot(const view_ui *ui)
{
    return ui_is_same_item(ui->hot, ui->item);
}

bool ui_is_focused(const view_ui *ui)
{
    return ui_is_same_item(ui->focus.item, ui->item);
}

void ui_focus_next(view_ui *ui)
{
    if (is_in_panel(ui, ui->focus.item))
        return;
    ui->focus.item = ui->item;
    ui->focus.item.number++;
    if (ui->column != NULL)
        ui->column->scrolls_to_focus = true;
}

// Returns true if values of an option can be previewed without reading files, which would take too
// long.
static bool can_preview(const view_option *option)
{
    if (option->names == VIEW_NAMES_CLIP)
        return true;
    return option->effect == VIEW_EFFECT_NONE || option->effect == VIEW_EFFECT_MEASURE;
}

// Requests a preview of a value while the last item is under the mouse.
void ui_preview_option(view_ui *ui, const view_option *option, common_value value)
{
    view_hover_preview *const preview = &ui->hover_preview;
    // Texts are owned by the caller, and no option with a text can be previewed. Therefore they are
    // ignored.
    if (!ui_is_hot(ui) || !can_preview(option) || value.type == COMMON_VALUE_TEXT)
        return;
    if (preview->value_option != option || !common_are_values_equal(&preview->value, &value))
        preview->due = ui->stage->uptime + VIEW_HOVER_PREVIEW_DELAY;
    preview->option = option;
    preview->value_option = option;
    preview->value = value;
}

float ui_text(const view_ui *ui, float x, float y, float width, view_color color, const char *text)
{
    return view_draw_text(ui->canvas, VIEW_TEXT, x, y, width, color, text);
}

float ui_text_width(const view_ui *ui, const char *text)
{
    return view_text_width(ui->canvas->font, VIEW_TEXT, text);
}

void ui_tooltip(view_ui *ui, const char *text)
{
    if (ui_is_hot(ui))
        COMMON_TEXT(ui->tooltip.text, "%s", text);
}

// Writes the tooltip of a menu entry: "Label  Keys" and, in a second line, its description.
static void describe_entry(const view_menu_entry *entry, char *text, size_t size)
{
    const char *const label = view_get_label(entry);
    const char *const tooltip = view_get_tooltip(entry);
    char keys[64];
    view_print_keys(entry, keys, sizeof keys);
    snprintf(text, size, "%s%s%s", label, keys[0] != '\0' ? "  " : "", keys);
    if (strcmp(tooltip, label) != 0)
        common_append(text, size, "\n", "%s", tooltip);
}

// Sets the tooltip of the last item to the label, the keys and the description of a command.
void ui_command_tooltip(view_ui *ui, view_action action)
{
    if (!ui_is_hot(ui))
        return;
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_menu_entry *const entry = list.entries[i];
        const bool is_in_menu_bar = entry->menu < VIEW_NUM_MENUS;
        if (!is_in_menu_bar || view_get_action(entry) != action)
            continue;
        char text[sizeof ui->tooltip.text];
        describe_entry(entry, text, sizeof text);
        ui_tooltip(ui, text);
        return;
    }
}

void ui_tooltip_if_wider(view_ui *ui, const char *text, float width)
{
    if (ui_is_hot(ui) && ui_text_width(ui, text) > width)
        ui_tooltip(ui, text);
}

void ui_open_overlay(view_ui *ui, view_overlay over)
{
    ui->over = over;
    ui->focus.item.panel = NULL;
}

void ui_request(view_ui *ui, view_command command)
{
    free(ui->command.path);
    ui->command = command;
}

// Copies a text to a buffer. The buffer remains empty if the text does not fit, because a truncated
// path would be wrong. `text` may be NULL.
static void copy_if_short(char *buffer, size_t size, const char *text)
{
    buffer[0] = '\0';
    if (text != NULL && strlen(text) < size)
        memcpy(buffer, text, strlen(text) + 1);
}

// Requests the context menu of the last item, and returns true, if the item was clicked with the
// right button.
bool ui_context(view_ui *ui, unsigned context, size_t number, size_t item, const char *name,
                const char *path)
{
    if (!ui->mouse.is_right || !ui_is_hot(ui))
        return false;
    view_target *const target = &ui->context;
    target->context = context;
    target->number = number;
    target->item = item;
    copy_if_short(target->name, sizeof target->name, name);
    copy_if_short(target->path, sizeof target->path, path);
    return true;
}

bool ui_is_panel_hot(const view_ui *ui)
{
    return ui->hot.panel != NULL && strcmp(ui->hot.panel, ui->item.panel) == 0;
}

// Handles dragging of the last item: from a run in which `is_pressed` is true until the button of
// the mouse is released.
bool ui_drag(view_ui *ui, bool is_pressed, view_rect track, float *part)
{
    if (is_pressed) {
        ui->active = ui->item;
        ui->held = ui->item.panel;
    }
    const bool has_event = ui->mouse.is_pressed || ui->mouse.is_moved;
    if (!has_event || !ui_is_same_item(ui->active, ui->item) || track.width <= 0)
        return false;
    *part = view_clamp((ui->mouse.x - track.x) / track.width, 0, 1);
    return true;
}
