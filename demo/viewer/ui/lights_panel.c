// The lights of the studio as sliders, above the time bar at the right.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/base/math.h"

#include <stdio.h>

static const float box_width = 270.0f, label_width = 70.0f, value_width = 52.0f;

// The position of a row's slider.
static view_rect track_of(const view_ui *ui, const view_facts *facts, uint32_t row)
{
    const view_rect all = ui->layout.lights;
    const float scale = facts->stage.font->scale, line = facts->stage.font->line[VIEW_TEXT];
    return (view_rect){all.x + label_width * scale, all.y + (float)row * line,
                       all.width - (label_width + value_width) * scale, line};
}

static void draw_light(const view_ui *ui, const view_facts *facts, view_light light)
{
    const view_light_range *const range = view_range_of_light(light);
    const view_rect track = track_of(ui, facts, light);
    const float scale = facts->stage.font->scale, value = facts->stage.lights->values[light];
    char text[32];
    (void)snprintf(text, sizeof text, range->usual > 0.0f ? "%.2f" : "%.0f\xC2\xB0", (double)value);
    view_draw_text(facts->stage.canvas, VIEW_TEXT, ui->layout.lights.x, track.y, 0, VIEW_PLAIN,
                   range->name);
    view_draw_slider(facts->stage.canvas, track, (value - range->low) / (range->high - range->low));
    view_draw_text(facts->stage.canvas, VIEW_TEXT, track.x + track.width + 12.0f * scale, track.y,
                   0, VIEW_BRIGHT, text);
}

void view_draw_lights(view_ui *ui, const view_facts *facts)
{
    const float scale = facts->stage.font->scale, margin = VIEW_MARGIN * scale;
    const float bottom = ui->layout.bar.height > 0.0f ? ui->layout.bar.y : facts->height;
    view_rows rows = {.font = facts->stage.font, .width = box_width * scale};
    view_add_row(&rows, VIEW_ROW_TITLE, VIEW_BRIGHT, "", "Lights");
    const float above = view_rows_height(&rows) - VIEW_PADDING * scale;
    // Space for the sliders, which are drawn over it.
    for (int i = 0; i < VIEW_NUM_LIGHTS; i++)
        view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "%s", "");
    view_add_gap(&rows);
    view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "Click on a name to reset it");
    const float x = facts->width - margin - (box_width + 2 * VIEW_PADDING) * scale;
    const float y = fmaxf(bottom - margin - view_rows_height(&rows), margin);
    view_draw_rows(facts->stage.canvas, &rows, x, y);
    ui->layout.lights = (view_rect){x + VIEW_PADDING * scale, y + above, box_width * scale,
                                    (float)VIEW_NUM_LIGHTS * facts->stage.font->line[VIEW_TEXT]};
    for (view_light light = 0; light < VIEW_NUM_LIGHTS; light++)
        draw_light(ui, facts, light);
}

view_request view_press_lights(view_ui *ui, const view_facts *facts, float x, float y)
{
    const view_rect all = ui->layout.lights;
    if (!view_contains(all, x, y))
        return (view_request){.kind = VIEW_REQUEST_PASS};
    view_light light = (view_light)((y - all.y) / facts->stage.font->line[VIEW_TEXT]);
    light = light < VIEW_NUM_LIGHTS ? light : VIEW_NUM_LIGHTS - 1;
    ui->dragged_light = light;
    if (x < track_of(ui, facts, light).x - 8.0f * facts->stage.font->scale)
        return (view_request){.kind = VIEW_REQUEST_LIGHT,
                              .number = light,
                              .value = view_range_of_light(light)->usual};
    ui->drag = VIEW_DRAG_LIGHT;
    return view_drag_light(ui, facts, x);
}

view_request view_drag_light(const view_ui *ui, const view_facts *facts, float x)
{
    const view_light_range *const range = view_range_of_light(ui->dragged_light);
    const view_rect track = track_of(ui, facts, ui->dragged_light);
    const float part = view_clamp((x - track.x) / track.width, 0.0f, 1.0f);
    return (view_request){.kind = VIEW_REQUEST_LIGHT,
                          .number = ui->dragged_light,
                          .value = range->low + part * (range->high - range->low)};
}
