// The color picker of a card: a square of saturation and brightness, a bar of hues, predefined
// colors, and the channels as numbers.
#include "demo/viewer/ui/option_editor.h"

// Converts hue, saturation and value, each 0 to 1, to an opaque color.
static view_color hsv_color(float hue, float saturation, float value)
{
    view_color color = 0xFF; // alpha
    for (int channel = 0; channel < 3; channel++) {
        // At hue 0 red is 1, at 1/3 green, and at 2/3 blue. From there, a channel remains 1 for one
        // sextant in both directions and then decreases to 0.
        const float sextant = fmodf(6 * hue + (float)(6 - 2 * channel), 6);
        const float pure = view_clamp(fabsf(sextant - 3) - 1, 0, 1);
        const float intensity = value * (1 - saturation + saturation * pure);
        color |= (view_color)(255 * intensity + 0.5f) << (24 - 8 * channel);
    }
    return color;
}

// A color as hue, saturation and value, each 0 to 1.
typedef struct hsv {
    float hue;
    float saturation;
    float value;
} hsv;

// Returns the hue of a color that is not gray, -1/6 to 5/6, where a whole turn is 1. `high` is the
// largest channel, and `span` is its difference to the smallest channel.
static float color_hue(const float rgb[3], float high, float span)
{
    if (high == rgb[0])
        return (rgb[1] - rgb[2]) / span / 6;
    if (high == rgb[1])
        return ((rgb[2] - rgb[0]) / span + 2) / 6;
    return ((rgb[0] - rgb[1]) / span + 4) / 6;
}

// Draws a square and a bar to choose a color, with a marker of the color in both. In the square,
// saturation increases to the right and brightness increases upward. The bar contains the hues.
static void draw_color_field(view_ui *ui, view_rect square, view_rect bar, const hsv *color)
{
    enum { STEPS = 48 };
    for (int i = 0; i < STEPS; i++) {
        const float part = (float)i / (float)STEPS;
        const view_rect column = {square.x + part * square.width, square.y,
                                  square.width / (float)STEPS, square.height};
        const view_rect row = {bar.x, bar.y + part * bar.height, bar.width,
                               bar.height / (float)STEPS};
        view_draw_gradient(ui->canvas, column, hsv_color(color->hue, part, 1), 0x000000FF);
        view_draw_rect(ui->canvas, row, hsv_color(part, 1, 1));
    }

    view_draw_disc(ui->canvas, square.x + color->saturation * square.width,
                   square.y + (1 - color->value) * square.height, 0.5f * ui->em, VIEW_BRIGHT);
    view_draw_rect(ui->canvas, (view_rect){bar.x, bar.y + color->hue * bar.height, bar.width, 2},
                   VIEW_BRIGHT);
}

// Draws a row of predefined colors and a button, and handles their input. After a press on the
// button, a click in the 3D view selects a color. Returns true if a predefined color was
// pressed, and sets `color` to it.
static bool swatches_row(view_ui *ui, view_card *card, float left, view_color *color)
{
    enum { NUM_SWATCHES = 8 };
    static const view_color swatches[NUM_SWATCHES] = {0x3A424DFF, 0x16181CFF, 0xFFFFFFFF,
                                                      0x808080FF, 0x7A8F6AFF, 0x6A809AFF,
                                                      0x00B140FF, 0x0047BBFF};
    const float em = ui->em;
    const float step = 2.4f * em;
    view_rect row;
    ui_reserve_row(ui, 2 * em, &row);
    view_rect box = {left, row.y, 2 * em, 1.5f * em};
    bool is_set = false;
    for (int i = 0; i < NUM_SWATCHES; i++) {
        view_draw_round_rect(ui->canvas, box, 3, swatches[i]);
        char name[8];
        COMMON_TEXT(name, "#%06x", swatches[i] >> 8); // without alpha
        if (ui_item(ui, box, name)) {
            *color = swatches[i];
            is_set = true;
        }
        box.x += step;
    }

    // The button "Pick" follows the swatches.
    box.width = 6 * em;
    if (ui_button(ui, box, "\xE2\x97\x8E Pick", card->picks_color))
        card->picks_color = !card->picks_color;
    ui_tooltip(ui, "Then click a color in the viewport");
    return is_set;
}

// Draws a row of numbers for the channels of a color, 0 to 255. Also handles its input. Returns
// true if a channel has changed, and sets `color`.
static bool channels_row(const option_editor *editor, const float rgb[3], view_color *color)
{
    double current[3];
    common_value edited;
    for (int i = 0; i < 3; i++)
        current[i] = rint(255 * (double)rgb[i]);
    option_editor numbers = *editor;
    numbers.name = "R G B";
    numbers.high = 255;
    ui_begin_row(editor->ui);
    if (!view_numbers_row(&numbers, 3, current, &edited) || edited.type != COMMON_VALUE_NUMBERS)
        return false;

    unsigned channels[3];
    for (int i = 0; i < 3; i++)
        channels[i] = (unsigned)fmin(fmax(edited.numbers[i], 0), 255);
    *color = channels[0] << 24 | channels[1] << 16 | channels[2] << 8;
    return true;
}

// Converts a color with channels from 0 to 1 to HSV. Gray has no hue. It gets the hue that the card
// has displayed last, so that the marker does not jump.
static hsv hsv_from_rgb(view_card *card, const float rgb[3])
{
    const float high = fmaxf(fmaxf(rgb[0], rgb[1]), rgb[2]);
    const float low = fminf(fminf(rgb[0], rgb[1]), rgb[2]);
    const float span = high - low;
    if (span > 0)
        card->hue = color_hue(rgb, high, span);
    return (hsv){.hue = card->hue - floorf(card->hue),
                 .saturation = high > 0 ? span / high : 0,
                 .value = high};
}

// Draws the square of saturation and brightness and the bar of hues in the next row. Also
// handles their input. Returns true if `color` has changed.
static bool run_color_field(view_ui *ui, view_card *card, hsv *color)
{
    const float em = ui->em;
    view_rect row;
    ui_reserve_row(ui, 10 * em, &row);
    const view_rect square = {row.x + UI_PADDING * em, row.y, row.width - 4 * em, 9.5f * em};
    const view_rect bar = {square.x + square.width + em, row.y, 1.5f * em, square.height};
    draw_color_field(ui, square, bar, color);

    bool is_set = false;
    float part;
    if (ui_drag(ui, ui_item(ui, square, "square"), square, &part)) {
        color->saturation = part;
        color->value = view_clamp(1 - (ui->mouse.y - square.y) / square.height, 0, 1);
        is_set = true;
    }
    if (ui_drag(ui, ui_item(ui, bar, "hue"), bar, &part)) {
        color->hue = view_clamp((ui->mouse.y - bar.y) / bar.height, 0, 1);
        card->hue = color->hue;
        is_set = true;
    }
    return is_set;
}

common_value view_color_value(view_color color)
{
    common_value value = {.type = COMMON_VALUE_NUMBERS};
    for (int i = 0; i < 3; i++)
        value.numbers[i] = (color >> (24 - 8 * i) & 255) / 255.0;
    return value;
}

void view_color_picker(option_editor *editor)
{
    view_ui *const ui = editor->ui;
    const bool has_color = editor->current.type == COMMON_VALUE_NUMBERS;
    float rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = has_color ? (float)editor->current.numbers[i] : 0.5f;

    // The user can change the color in the square and the bar, in the swatches, or in the channels.
    // `edited` is the color of the part that has changed.
    hsv color = hsv_from_rgb(editor->card, rgb);
    bool has_changed = run_color_field(ui, editor->card, &color);
    view_color edited = hsv_color(color.hue, color.saturation, color.value);
    const float left = ui->column->area.x + UI_PADDING * ui->em;
    has_changed = swatches_row(ui, editor->card, left, &edited) || has_changed;
    has_changed = channels_row(editor, rgb, &edited) || has_changed;
    if (!has_changed)
        return;

    if (ui->active.panel != NULL)
        ui->held = ui->active.panel; // until the mouse button is released
    view_request_value(editor, view_color_value(edited), 0);
}
