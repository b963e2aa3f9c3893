// The text field, with selection, clipboard and keys. ui.h documents the functions.
#include "demo/viewer/ui/ui.h"

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
