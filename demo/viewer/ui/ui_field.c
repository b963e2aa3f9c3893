// The text field, with selection, clipboard and keys. ui.h documents the functions.
#include "demo/viewer/ui/ui.h"

// Color of the frame of a field without the focus.
static const view_color frame_color = 0x6B7788FFu;

// Returns true if a byte continues a UTF-8 character that an earlier byte has begun.
static bool is_continuation_byte(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

// Appends `length` bytes to a text if they fit. Returns true if the text has changed.
static bool append_bytes(char *text, size_t size, const char *bytes, size_t length)
{
    const size_t end = strlen(text);
    if (length == 0 || length >= size - end)
        return false;
    memcpy(text + end, bytes, length);
    text[end + length] = '\0';
    return true;
}

// Removes the last UTF-8 character of a text. Returns true if the text has changed.
static bool remove_last_character(char *text)
{
    size_t last = strlen(text); // becomes the first byte of the last character
    if (last == 0)
        return false;
    last--;
    while (last > 0 && is_continuation_byte(text[last]))
        last--;
    text[last] = '\0';
    return true;
}

// Appends the first line of the clipboard. Returns true if the text has changed.
static bool paste(char *text, size_t size)
{
    char *const pasted = view_paste_text();
    const size_t length = pasted != NULL ? strcspn(pasted, "\r\n") : 0;
    const bool has_changed = append_bytes(text, size, pasted, length);
    free(pasted);
    return has_changed;
}

// Applies the event to the text of the focused field. Typed text and the clipboard (Ctrl+V) are
// appended. Backspace removes the last character, and Ctrl+A selects all. Returns true if the text
// has changed.
static bool edit_text(view_ui *ui, char *text, size_t size)
{
    const bool is_typed = ui->mouse.text != NULL && !ui->is_event_handled;
    if (is_typed) {
        ui->is_event_handled = true;
        return append_bytes(text, size, ui->mouse.text, strlen(ui->mouse.text));
    }
    if (ui_key(ui, VIEW_KEY_BACKSPACE))
        return remove_last_character(text);
    if (!ui->mouse.control)
        return false;
    if (ui_key(ui, 'a'))
        ui->focus.selects_all = true;
    return ui_key(ui, 'v') && paste(text, size);
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

// Consumes keys of the focused field, so that they do not execute shortcuts. Escape ends the focus.
// Keys of letters arrive again as text. Ctrl+Z and Ctrl+Y must not undo changes of the document
// while a text is edited.
static void consume_field_keys(view_ui *ui)
{
    const int32_t key = ui->mouse.key;
    if (ui->modal == NULL && ui_key(ui, VIEW_KEY_ESCAPE))
        ui->focus.item.panel = NULL;
    const bool is_undo = key == 'z' || key == 'y';
    const bool is_letter = key >= ' ' && key < VIEW_KEY_NAMED;
    if (is_letter && (!ui->mouse.control || is_undo))
        ui_key(ui, key);
}

// Returns the longest end of a text that fits into `width` pixels. The end is displayed, because
// the cursor is there.
static const char *visible_end(const view_ui *ui, const char *text, float width)
{
    const char *end = text;
    while (*end != '\0' && ui_text_width(ui, end) > width) {
        end++;
        while (is_continuation_byte(*end))
            end++;
    }
    return end;
}

// Ends the selection of the focused field, which is always the whole text. If the event replaces
// the selected text, clears the text. If the event moves the cursor, only removes the selection.
// Returns true if the text has changed. The key of a letter does nothing, because its text arrives
// later.
static bool end_selection(view_ui *ui, char *text)
{
    if (!ui->focus.selects_all)
        return false;
    if (replaces_selection(&ui->mouse)) {
        const bool has_changed = text[0] != '\0';
        ui->focus.selects_all = false;
        text[0] = '\0';
        return has_changed;
    }
    if (removes_selection(&ui->mouse))
        ui->focus.selects_all = false;
    return false;
}

// Draws a field with its text. If the text is empty, draws the placeholder `hint` instead. The
// cursor is after the text, or before the placeholder.
static void draw_field(const view_ui *ui, view_rect rect, const char *hint, const char *text,
                       bool is_focused)
{
    view_canvas *const canvas = ui->canvas;
    const float scale = ui->scale;
    const float padding = 6 * scale;
    const view_rect inside = {rect.x + padding, rect.y + 0.5f * (rect.height - ui->line),
                              rect.width - 2 * padding, ui->line};
    view_draw_round_rect(canvas, rect, 4 * scale, is_focused ? VIEW_ACCENT : frame_color);
    view_draw_round_rect(canvas, view_inset(rect, scale), 3 * scale, VIEW_FIELD);

    const bool is_empty = text[0] == '\0';
    const char *const shown = visible_end(ui, text, inside.width);
    const bool is_selected = is_focused && ui->focus.selects_all && !is_empty;
    if (is_selected) {
        view_rect selection = inside;
        selection.width = ui_text_width(ui, shown);
        view_draw_rect(canvas, selection, VIEW_SELECTED);
    }
    const view_color color = is_empty ? VIEW_DIM : VIEW_BRIGHT;
    const float text_width =
        ui_text(ui, inside.x, inside.y, inside.width, color, is_empty ? hint : shown);
    if (!is_focused)
        return;
    const float cursor_offset = is_empty ? 0 : text_width + scale;
    const view_rect cursor = {inside.x + cursor_offset, inside.y, fmaxf(1, scale), inside.height};
    view_draw_rect(canvas, cursor, VIEW_BRIGHT);
}

// Adds a text field of one line. `hint` is its label and the placeholder of an empty field. Returns
// true if the text has changed.
bool ui_field(view_ui *ui, view_rect rect, const char *hint, char *text, size_t size)
{
    const bool is_pressed = ui_item(ui, rect, hint);
    if (is_pressed)
        ui->focus.item = ui->item;
    const bool is_focused = ui_is_focused(ui);
    bool has_changed = false;
    if (is_focused) {
        has_changed = end_selection(ui, text);
        has_changed = edit_text(ui, text, size) || has_changed;
        consume_field_keys(ui);
    }

    // The click that gives the focus to the field selects the whole text. The next click ends this
    // selection.
    const bool had_focus = ui_is_same_item(ui->focus.at_press, ui->item);
    if (is_pressed && !had_focus)
        ui->focus.selects_all = true;
    draw_field(ui, rect, hint, text, is_focused);
    return has_changed;
}

void ui_copy(view_ui *ui, double uptime, const char *text, const char *description)
{
    if (view_copy_text(text))
        ui_show_notice(ui, uptime, "Copied: %s", description);
    else
        ui_show_notice(ui, uptime, "Cannot copy %s: no clipboard", description);
}
