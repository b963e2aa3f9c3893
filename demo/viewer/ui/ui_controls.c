// Single controls: texts, buttons, icons, segmented controls, images, and rows with a slider or a
// switch. ui.h documents each function.
#include "demo/viewer/ui/ui.h"

float ui_text_top(const view_ui *ui, view_rect row)
{
    return row.y + floorf(0.5f * (row.height - ui->line));
}

void ui_text_in(view_ui *ui, view_rect box, view_color color, const char *text)
{
    const float width = fminf(ui_text_width(ui, text), box.width);
    ui_text(ui, box.x + 0.5f * (box.width - width), box.y + 0.5f * (box.height - ui->line),
            box.width, color, text);
}

void ui_right_aligned_text(view_ui *ui, float right, float y, view_color color, const char *text)
{
    const float width = ui_text_width(ui, text);
    ui_text(ui, right - width, y, 0, color, text);
}

// Draws an image in the center of a box, as large as its aspect ratio allows. `width` and
// `height` are the size of the image in texels. Small images are enlarged.
void ui_image(view_ui *ui, view_rect box, md5gl_texture image, uint32_t width, uint32_t height,
              bool is_color)
{
    static const float full_image[4] = {0, 0, 1, 1}; // texture coordinates
    const float factor = fminf(box.width / (float)width, box.height / (float)height);
    const float shown_width = factor * (float)width;
    const float shown_height = factor * (float)height;
    const view_rect shown = {box.x + 0.5f * (box.width - shown_width),
                             box.y + 0.5f * (box.height - shown_height), shown_width, shown_height};
    view_draw_image(ui->canvas, shown, full_image, image, is_color);
}

// Draws a progress bar whose filled fraction is `part`. A fraction outside of 0 to 1 is clamped.
void ui_bar(const view_ui *ui, view_rect rect, float part)
{
    const float radius = 0.5f * rect.height;
    view_rect filled = rect;
    filled.width *= view_clamp(part, 0, 1);
    view_draw_round_rect(ui->canvas, rect, radius, VIEW_EDGE);
    view_draw_round_rect(ui->canvas, filled, radius, VIEW_ACCENT);
}

bool ui_sign(view_ui *ui, view_rect box, const char *label, const char *sign)
{
    const bool is_pressed = ui_item(ui, box, label);
    ui_text_in(ui, box, ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_DIM, sign);
    return is_pressed;
}

// Adds a filled rectangle that can be pressed, and returns true if it was pressed. The color
// shows whether the button is selected, is below the mouse, or neither.
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

bool ui_button(view_ui *ui, view_rect rect, const char *text, bool is_selected)
{
    const bool is_pressed = ui_tile(ui, rect, text, is_selected);
    ui_text_in(ui, rect, is_selected || ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_PLAIN, text);
    ui_tooltip_if_wider(ui, text, rect.width);
    return is_pressed;
}

// Returns the gap between two buttons of a row, pixels.
static float button_gap(const view_ui *ui)
{
    return 6 * ui->scale;
}

// Returns the width of a button that is as wide as its text.
static float button_width(const view_ui *ui, const char *text)
{
    const float border = 20 * ui->scale; // margins at both sides of the text, together
    return ui_text_width(ui, text) + border;
}

// Returns the width of several buttons, each with a gap.
static float buttons_width(const view_ui *ui, const char *const *words, int count)
{
    float width = 0;
    for (int i = 0; i < count; i++)
        width += button_width(ui, words[i]) + button_gap(ui);
    return width;
}

// Adds buttons from the left end of `row` to the right. Returns the index of the pressed button, or
// -1.
static int add_buttons(view_ui *ui, view_rect row, const char *const *words, int count, int primary)
{
    view_rect button = row;
    int pressed = -1;
    for (int i = 0; i < count; i++) {
        button.width = button_width(ui, words[i]);
        if (ui_button(ui, button, words[i], i == primary))
            pressed = i;
        button.x += button.width + button_gap(ui);
    }
    return pressed;
}

int ui_buttons(view_ui *ui, view_rect *row, const char *const *words, int count, int primary)
{
    view_rect buttons = *row;
    row->width -= buttons_width(ui, words, count);
    buttons.x += row->width + button_gap(ui);
    return add_buttons(ui, buttons, words, count, primary);
}

int ui_left_buttons(view_ui *ui, view_rect *row, const char *const *words, int count, int primary)
{
    const view_rect buttons = *row;
    const float width = buttons_width(ui, words, count);
    row->x += width;
    row->width -= width;
    return add_buttons(ui, buttons, words, count, primary);
}

// Adds a segmented control: adjacent buttons, of which one is selected. *choice is the index of
// the selected button. Returns true if the user has selected another button.
bool ui_segment(view_ui *ui, view_rect rect, const char *const *words, uint32_t count,
                uint32_t *choice)
{
    const uint32_t selected = *choice; // before a press in this run

    // The buttons are equally wide if each text fits. Otherwise each button is as wide as its text
    // and an equal part of the spare width. Without spare width, the texts are truncated.
    const float even_width = rect.width / (float)count;
    float max_text_width = 0;
    float spare_width = even_width; // spare width of each button
    for (uint32_t i = 0; i < count; i++) {
        const float text_width = ui_text_width(ui, words[i]);
        max_text_width = fmaxf(max_text_width, text_width);
        spare_width -= text_width / (float)count;
    }
    const bool is_even = max_text_width < even_width || spare_width < 0;

    view_rect button = rect;
    for (uint32_t i = 0; i < count; i++) {
        button.width = is_even ? even_width : ui_text_width(ui, words[i]) + spare_width;
        if (ui_button(ui, button, words[i], i == selected))
            *choice = i;
        button.x += button.width;
    }
    return *choice != selected;
}

// Draws the name of the current row and returns its rectangle. Sets *rest to the space for the
// widget, which is between the name and the value. ui->value_width pixels at the right are reserved
// for the value.
view_rect ui_next_row(view_ui *ui, const char *name, view_color color, view_rect *rest)
{
    const view_rect row = ui->space;
    *rest = (view_rect){row.x + ui->label_width, row.y,
                        row.width - ui->label_width - ui->value_width, row.height};
    ui->space.y += row.height;
    ui_text(ui, row.x, ui_text_top(ui, row), ui->label_width - 8 * ui->scale, color, name);
    return row;
}

// Draws a slider: a line that is filled up to the value, and a knob there. `part` is the position
// of the value on the line, 0 to 1.
static void draw_slider(const view_ui *ui, view_rect track, float part)
{
    const float scale = ui->scale;
    const float height = 4 * scale;
    const float radius = 2 * scale;
    const float middle = track.y + 0.5f * track.height;
    const float filled = track.width * view_clamp(part, 0, 1);
    view_rect line = {track.x, middle - radius, track.width, height};
    view_draw_round_rect(ui->canvas, line, radius, VIEW_EDGE);
    line.width = filled;
    view_draw_round_rect(ui->canvas, line, radius, VIEW_ACCENT);
    view_draw_disc(ui->canvas, track.x + filled, middle, 6 * scale, VIEW_BRIGHT);
}

// Adds a row with a name, a slider from `low` to `high`, and a text at the right. Returns true if
// the value has changed.
bool ui_slider(view_ui *ui, const char *name, view_color name_color, const char *text,
               view_color text_color, float low, float high, const float *default_value,
               float *value)
{
    const float scale = ui->scale;
    view_rect track;
    const view_rect row = ui_next_row(ui, name, name_color, &track);
    float part = (*value - low) / (high - low);
    draw_slider(ui, track, part);
    if (text != NULL)
        ui_text(ui, track.x + track.width + 12 * scale, ui_text_top(ui, row), 0, text_color, text);

    // A press on the name resets the value. A press elsewhere begins a drag. The range must not
    // change during the drag.
    const bool is_pressed = ui_item(ui, row, name);
    if (is_pressed) {
        const bool is_name = ui->mouse.x < track.x - 8 * scale;
        if (default_value != NULL && is_name) {
            ui->held = ui->item.panel;
            *value = *default_value;
            return true;
        }
        ui->low = low;
        ui->high = high;
    }
    if (!ui_drag(ui, is_pressed, track, &part))
        return false;
    *value = ui->low + part * (ui->high - ui->low);
    return true;
}

// Draws a switch, or the disc of a button, at the left end of a rectangle. Returns its right edge.
static float draw_switch(const view_ui *ui, view_rect rest, bool is_set, bool is_button)
{
    const float side = 12 * ui->scale;
    const float width = is_button ? side : 2 * side;
    const view_rect box = {rest.x, rest.y + 0.5f * (rest.height - side), width, side};
    view_draw_round_rect(ui->canvas, box, 0.5f * side, is_set ? VIEW_ACCENT : VIEW_EDGE);
    if (!is_button) {
        const float knob = is_set ? 1.5f : 0.5f; // center, as a multiple of `side`
        view_draw_disc(ui->canvas, box.x + knob * side, box.y + 0.5f * side, 0.4f * side,
                       is_set ? VIEW_BOX : VIEW_BRIGHT);
    }
    return box.x + box.width;
}

// Adds a row with a name, a switch, and the name of a key. If `is_button` is true, a disc replaces
// the switch.
bool ui_switch(view_ui *ui, const char *name, bool is_set, bool is_button, const char *key)
{
    view_rect rest;
    const view_rect row = ui_next_row(ui, name, VIEW_PLAIN, &rest);
    const float right = draw_switch(ui, rest, is_set, is_button);
    ui_text(ui, right + 8 * ui->scale, ui_text_top(ui, rest), 0, VIEW_DIM, key);
    if (!ui_item(ui, row, name))
        return false;
    ui->held = ui->item.panel;
    return true;
}
