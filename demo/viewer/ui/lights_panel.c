// The lights of the studio as sliders, above the time bar at the right.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/base/math.h"

#include <stdio.h>

static const view_slider_panel panel = {.title = "Lights",
                                        .hint = "Click on a name to reset it",
                                        .count = VIEW_NUM_LIGHTS,
                                        .label_width = 70.0f};

static view_rect track_of(const view_ui *ui, const view_facts *facts, uint32_t row)
{
    return view_slider_track(facts, &panel, ui->layout.lights, row);
}

static void draw_light(const view_ui *ui, const view_facts *facts, view_light light)
{
    const view_light_range *const range = view_range_of_light(light);
    const float value = facts->stage.lights->values[light];
    char text[32];
    (void)snprintf(text, sizeof text, range->usual > 0.0f ? "%.2f" : "%.0f\xC2\xB0", (double)value);
    view_draw_slider_row(
        facts, ui->layout.lights, track_of(ui, facts, light),
        &(view_slider_row){.name = range->name,
                           .value = text,
                           .name_color = VIEW_PLAIN,
                           .value_color = VIEW_BRIGHT,
                           .part = (value - range->low) / (range->high - range->low)});
}

void view_draw_lights(view_ui *ui, const view_facts *facts)
{
    ui->layout.lights = view_draw_slider_panel(ui, facts, &panel, facts->width);
    for (view_light light = 0; light < VIEW_NUM_LIGHTS; light++)
        draw_light(ui, facts, light);
}

view_request view_press_lights(view_ui *ui, const view_facts *facts, float x, float y)
{
    const view_rect all = ui->layout.lights;
    if (!view_contains(all, x, y))
        return (view_request){.kind = VIEW_REQUEST_PASS};
    const view_light light = (view_light)view_pressed_slider(facts, &panel, all, y);
    ui->dragged_light = light;
    if (!view_is_on_slider(facts, track_of(ui, facts, light), x))
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
