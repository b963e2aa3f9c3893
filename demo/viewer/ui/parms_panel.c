// Time and parameters of the materials as sliders, at the right like the lights, or beside them.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/draw/lighting.h"

#include <stdio.h>

static const view_slider_panel panel = {.title = "Materials",
                                        .hint = "Bright: in use. Click on a name to reset it",
                                        .count = VIEW_NUM_PARM_ROWS,
                                        .label_width = 100.0f};

static float value_of(const view_facts *facts, int row)
{
    const view_parms *const parms = facts->stage.parms;
    return row == VIEW_PARM_TIME ? view_material_time(parms, facts->stage.play->time)
                                 : view_parm_of(&facts->stage, row);
}

// The upper end of a slider: further steps of the usual range if the value is beyond it, so that
// time, which runs on, can be moved wherever it is.
static float high_of(const view_facts *facts, int row)
{
    const float high = view_range_of_parm(row)->high, value = value_of(facts, row);
    return value > high && value < 1e6f * high ? high * ceilf(value / high) : high;
}

static view_rect track_of(const view_ui *ui, const view_facts *facts, int row)
{
    return view_slider_track(facts, &panel, ui->layout.parms, (uint32_t)row);
}

// Rows that no material of the model reads are dim.
static void draw_parm(const view_ui *ui, const view_facts *facts, int row)
{
    const float value = value_of(facts, row);
    const bool is_read = facts->stage.document->textures.layers.read >> row & 1;
    const view_color color = is_read ? VIEW_BRIGHT : VIEW_DIM;
    char text[32];
    (void)snprintf(text, sizeof text, row == VIEW_PARM_TIME ? "%.2f s" : "%.2f", (double)value);
    view_draw_slider_row(
        facts, ui->layout.parms, track_of(ui, facts, row),
        &(view_slider_row){.name = view_range_of_parm(row)->name,
                           .value = text,
                           .name_color = color,
                           .value_color = color,
                           .part = view_clamp(value / high_of(facts, row), 0.0f, 1.0f)});
}

void view_draw_parms(view_ui *ui, const view_facts *facts)
{
    const view_rect lights = ui->layout.lights;
    const float beside = lights.x - VIEW_PADDING * facts->stage.font->scale;
    const float right = lights.height > 0.0f ? beside : facts->width;
    ui->layout.parms = view_draw_slider_panel(ui, facts, &panel, right);
    for (int row = 0; row < VIEW_NUM_PARM_ROWS; row++)
        draw_parm(ui, facts, row);
}

view_request view_press_parms(view_ui *ui, const view_facts *facts, float x, float y)
{
    const view_rect all = ui->layout.parms;
    if (!view_contains(all, x, y))
        return (view_request){.kind = VIEW_REQUEST_PASS};
    const int row = (int)view_pressed_slider(facts, &panel, all, y);
    ui->dragged_parm = row;
    ui->dragged_high = high_of(facts, row);
    if (!view_is_on_slider(facts, track_of(ui, facts, row), x))
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
