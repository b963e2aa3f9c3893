#include "demo/viewer/ui/ui.h"

#include "demo/viewer/base/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// -- Panels and items -----------------------------------------------------------------------

void ui_begin(view_ui *ui, const char *panel)
{
    ui->item = (ui_item_id){panel, 0};
    ui->fit = 1.0f;
    ui->first = ui->canvas->count;
}

void ui_fit(view_ui *ui, float x, float y, float factor)
{
    ui->fit_x = x;
    ui->fit_y = y;
    ui->fit = factor;
}

void ui_end(view_ui *ui)
{
    view_shrink(ui->canvas, ui->first, ui->fit_x, ui->fit_y, ui->fit);
    ui->fit = 1.0f;
}

// Where the mouse is in a panel that is scaled down.
static float mouse_x(const view_ui *ui)
{
    return ui->fit_x + (ui->x - ui->fit_x) / ui->fit;
}

static float mouse_y(const view_ui *ui)
{
    return ui->fit_y + (ui->y - ui->fit_y) / ui->fit;
}

static bool is_same(ui_item_id a, ui_item_id b)
{
    return a.panel != NULL && b.panel != NULL && a.number == b.number
           && strcmp(a.panel, b.panel) == 0;
}

static bool is_letter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void seek(view_ui *ui, view_rect rect, const char *label)
{
    char name[320];
    (void)snprintf(name, sizeof name, "%s/%s", ui->item.panel, label);
    const size_t length = strlen(ui->sought);
    const bool is_sought = strncmp(name, ui->sought, length) == 0 && !is_letter(name[length]);
    if (!is_sought || ui->found.width > 0.0f)
        return;
    ui->found = (view_rect){ui->fit_x + (rect.x - ui->fit_x) * ui->fit,
                            ui->fit_y + (rect.y - ui->fit_y) * ui->fit, rect.width * ui->fit,
                            rect.height * ui->fit};
}

bool ui_item(view_ui *ui, view_rect rect, const char *label)
{
    ui->item.number++;
    if (view_contains(rect, mouse_x(ui), mouse_y(ui)))
        ui->top = ui->item;
    if (ui->sought != NULL)
        seek(ui, rect, label);
    return ui->mouse.is_pressed && ui_is_hot(ui);
}

bool ui_is_hot(const view_ui *ui)
{
    return is_same(ui->hot, ui->item);
}

bool ui_is_panel_hot(const view_ui *ui)
{
    return ui->hot.panel != NULL && strcmp(ui->hot.panel, ui->item.panel) == 0;
}

void ui_ask(view_ui *ui, view_command command)
{
    ui->command = command;
}

void ui_ask_action(view_ui *ui, view_action action)
{
    ui_ask(ui, (view_command){.action = action});
}

void ui_hold(view_ui *ui)
{
    ui->active = ui->item;
    ui->held = ui->item.panel;
}

bool ui_follow(view_ui *ui, view_rect track, float *part)
{
    const bool has_event = ui->mouse.is_pressed || ui->mouse.is_moved;
    if (!has_event || !is_same(ui->active, ui->item) || track.width <= 0.0f)
        return false;
    *part = view_clamp((mouse_x(ui) - track.x) / track.width, 0.0f, 1.0f);
    return true;
}

// -- Rows -----------------------------------------------------------------------------------

view_rect ui_row_rect(const view_rows *rows, float x, int32_t hit)
{
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->rows[i].hit == hit)
            return (view_rect){x + VIEW_PADDING * rows->font->scale, rows->rows[i].y, rows->width,
                               view_row_height(rows, &rows->rows[i])};
    return (view_rect){0};
}

int32_t ui_rows(view_ui *ui, view_rows *rows, float x, float y)
{
    int32_t pressed = 0;
    view_draw_rows(ui->canvas, rows, x, y);
    for (uint32_t i = 0; i < rows->count; i++) {
        const view_row *const row = &rows->rows[i];
        const view_rect rect = {x + VIEW_PADDING * rows->font->scale, row->y, rows->width,
                                view_row_height(rows, row)};
        const bool has_label = row->label[0] != '\0' && row->label[0] != ' ';
        if (row->hit != 0 && ui_item(ui, rect, has_label ? row->label : row->text))
            pressed = row->hit;
    }
    return pressed;
}

view_rect ui_open_sliders(view_ui *ui, float right, float bottom, const char *title,
                          const char *hint, uint32_t count, float label_width)
{
    const float inner = 270.0f, value_width = 52.0f; // layout units
    const float scale = ui->canvas->font->scale, margin = VIEW_MARGIN * scale;
    view_rows rows = {.font = ui->canvas->font, .width = inner * scale};
    view_add_row(&rows, VIEW_ROW_TITLE, VIEW_BRIGHT, "", "%s", title);
    for (uint32_t i = 0; i < count; i++) { // space for the sliders, which are drawn over it
        view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "%s", "");
    }
    view_add_gap(&rows);
    view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "%s", hint);
    const float width = rows.width + 2.0f * VIEW_PADDING * scale, height = view_rows_height(&rows);
    const view_rect box = {right - margin - width, fmaxf(bottom - margin - height, margin), width,
                           height};
    view_draw_rows(ui->canvas, &rows, box.x, box.y);
    ui->rows = (view_rect){box.x + VIEW_PADDING * scale, rows.rows[1].y, rows.width, 0.0f};
    ui->label_width = label_width * scale;
    ui->value_width = value_width * scale;
    return box;
}

// The next row; sets the part after its name.
static view_rect next_row(view_ui *ui, view_rect *rest)
{
    const view_rect row = {ui->rows.x, ui->rows.y, ui->rows.width,
                           ui->canvas->font->line[VIEW_TEXT]};
    *rest = (view_rect){row.x + ui->label_width, row.y,
                        row.width - ui->label_width - ui->value_width, row.height};
    ui->rows.y += row.height;
    return row;
}

static void draw_name(view_ui *ui, view_rect row, view_color color, const char *name)
{
    view_draw_text(ui->canvas, VIEW_TEXT, row.x, row.y,
                   ui->label_width - 8.0f * ui->canvas->font->scale, color, name);
}

bool ui_slider(view_ui *ui, const ui_slider_row *row, float *value)
{
    const float scale = ui->canvas->font->scale;
    view_rect track;
    const view_rect all = next_row(ui, &track);
    float part = (*value - row->low) / (row->high - row->low);
    draw_name(ui, all, row->name_color, row->name);
    view_draw_slider(ui->canvas, track, part);
    if (row->value != NULL)
        view_draw_text(ui->canvas, VIEW_TEXT, track.x + track.width + 12.0f * scale, all.y, 0,
                       row->value_color, row->value);
    if (ui_item(ui, all, row->name)) {
        if (row->usual != NULL && mouse_x(ui) < track.x - 8.0f * scale) {
            ui->held = ui->item.panel;
            *value = *row->usual;
            return true;
        }
        ui_hold(ui);
        ui->low = row->low; // they stay while it is dragged
        ui->high = row->high;
    }
    if (!ui_follow(ui, track, &part))
        return false;
    *value = ui->low + part * (ui->high - ui->low);
    return true;
}

bool ui_switch(view_ui *ui, const char *name, bool is_set, bool is_button, const char *key)
{
    const float scale = ui->canvas->font->scale, side = 12.0f * scale;
    view_rect rest;
    const view_rect all = next_row(ui, &rest);
    const view_rect box = {rest.x, rest.y + 0.5f * (rest.height - side), side, side};
    draw_name(ui, all, VIEW_PLAIN, name);
    view_draw_round_rect(ui->canvas, box, (is_button ? 0.5f : 0.25f) * side,
                         is_set ? VIEW_ACCENT : 0x4A5361FFu);
    view_draw_text(ui->canvas, VIEW_TEXT, rest.x + side + 8.0f * scale, rest.y, 0, VIEW_DIM, key);
    if (!ui_item(ui, all, name))
        return false;
    ui->held = ui->item.panel;
    return true;
}
