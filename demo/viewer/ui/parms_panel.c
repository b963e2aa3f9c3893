// Time and parameters of the materials as sliders, at the right like the lights, or beside them.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/base/math.h"

#include <stdio.h>

static const float box_width = 270.0f, label_width = 100.0f, value_width = 52.0f;

static float value_of(const view_facts *facts, int row)
{
    const view_parms *const parms = facts->stage.parms;
    return row == VIEW_PARM_TIME ? view_material_time(parms, facts->stage.play->time)
                                 : parms->values[row - VIEW_FIRST_PARM];
}

// The upper end of a slider: further steps of the usual range if the value is beyond it, so that
// time, which runs on, can be moved wherever it is.
static float high_of(const view_facts *facts, int row)
{
    const float high = view_range_of_parm(row)->high, value = value_of(facts, row);
    return value > high && value < 1e6f * high ? high * ceilf(value / high) : high;
}

// The position of a row's slider.
static view_rect track_of(const view_ui *ui, const view_facts *facts, int row)
{
    const view_rect all = ui->layout.parms;
    const float scale = facts->stage.font->scale, line = facts->stage.font->line[VIEW_TEXT];
    return (view_rect){all.x + label_width * scale, all.y + (float)row * line,
                       all.width - (label_width + value_width) * scale, line};
}

// Rows that no material of the model reads are dim.
static void draw_parm(const view_ui *ui, const view_facts *facts, int row)
{
    view_canvas *const canvas = facts->stage.canvas;
    const view_rect track = track_of(ui, facts, row);
    const float value = value_of(facts, row);
    const bool is_read = facts->stage.document->textures.layers.read >> row & 1;
    char text[32];
    (void)snprintf(text, sizeof text, row == VIEW_PARM_TIME ? "%.2f s" : "%.2f", (double)value);
    view_draw_text(canvas, VIEW_TEXT, ui->layout.parms.x, track.y, 0,
                   is_read ? VIEW_BRIGHT : VIEW_DIM, view_range_of_parm(row)->name);
    view_draw_slider(canvas, track, view_clamp(value / high_of(facts, row), 0.0f, 1.0f));
    view_draw_text(canvas, VIEW_TEXT, track.x + track.width + 12.0f * facts->stage.font->scale,
                   track.y, 0, is_read ? VIEW_BRIGHT : VIEW_DIM, text);
}

void view_draw_parms(view_ui *ui, const view_facts *facts)
{
    const float scale = facts->stage.font->scale, margin = VIEW_MARGIN * scale;
    const float bottom = ui->layout.bar.height > 0.0f ? ui->layout.bar.y : facts->height;
    const float right =
        ui->layout.lights.height > 0.0f ? ui->layout.lights.x - VIEW_PADDING * scale : facts->width;
    view_rows rows = {.font = facts->stage.font, .width = box_width * scale};
    view_add_row(&rows, VIEW_ROW_TITLE, VIEW_BRIGHT, "", "Materials");
    const float above = view_rows_height(&rows) - VIEW_PADDING * scale;
    // Space for the sliders, which are drawn over it.
    for (int i = 0; i < VIEW_NUM_PARM_ROWS; i++)
        view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "%s", "");
    view_add_gap(&rows);
    view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "Bright: in use. Click on a name to reset it");
    const float x = right - margin - (box_width + 2 * VIEW_PADDING) * scale;
    const float y = fmaxf(bottom - margin - view_rows_height(&rows), margin);
    view_draw_rows(facts->stage.canvas, &rows, x, y);
    ui->layout.parms = (view_rect){x + VIEW_PADDING * scale, y + above, box_width * scale,
                                   (float)VIEW_NUM_PARM_ROWS * facts->stage.font->line[VIEW_TEXT]};
    for (int row = 0; row < VIEW_NUM_PARM_ROWS; row++)
        draw_parm(ui, facts, row);
}

view_request view_press_parms(view_ui *ui, const view_facts *facts, float x, float y)
{
    const view_rect all = ui->layout.parms;
    if (!view_contains(all, x, y))
        return (view_request){.kind = VIEW_REQUEST_PASS};
    const int pressed = (int)((y - all.y) / facts->stage.font->line[VIEW_TEXT]);
    const int row = pressed < VIEW_NUM_PARM_ROWS ? pressed : VIEW_NUM_PARM_ROWS - 1;
    ui->dragged_parm = row;
    ui->dragged_high = high_of(facts, row);
    if (x < track_of(ui, facts, row).x - 8.0f * facts->stage.font->scale)
        return (view_request){.kind = VIEW_REQUEST_PARM,
                              .number = (size_t)row,
                              .value = view_range_of_parm(row)->usual};
    ui->drag = VIEW_DRAG_PARM;
    return view_drag_parm(ui, facts, x);
}

view_request view_drag_parm(const view_ui *ui, const view_facts *facts, float x)
{
    const view_rect track = track_of(ui, facts, ui->dragged_parm);
    const float part = view_clamp((x - track.x) / track.width, 0.0f, 1.0f);
    return (view_request){.kind = VIEW_REQUEST_PARM,
                          .number = (size_t)ui->dragged_parm,
                          .value = part * ui->dragged_high};
}
