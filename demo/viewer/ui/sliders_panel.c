// Sliders above the time bar at the right: the lights of the studio; time and parameters of the
// materials, beside them.
#include "demo/viewer/draw/lighting.h"
#include "demo/viewer/ui/panels.h"

#include <math.h>
#include <stdio.h>

static view_rect lights_panel(view_ui *ui, const view_facts *facts, float bottom)
{
    ui_begin(ui, "lights");
    const view_rect box = ui_open_sliders(ui, facts->width, bottom, "Lights",
                                          "Click on a name to reset it", VIEW_NUM_LIGHTS, 70.0f);
    for (view_light light = 0; light < VIEW_NUM_LIGHTS; light++) {
        const view_light_range *const range = view_range_of_light(light);
        float value = facts->lights->values[light];
        char text[32];
        (void)snprintf(text, sizeof text, range->usual > 0.0f ? "%.2f" : "%.0f\xC2\xB0",
                       (double)value);
        const ui_slider_row row = {range->name,   text,       range->low, range->high,
                                   &range->usual, VIEW_PLAIN, VIEW_BRIGHT};
        if (ui_slider(ui, &row, &value))
            facts->lights->values[light] = value;
    }
    ui_end(ui);
    return box;
}

// The upper end of a slider: further steps of the usual range if the value is beyond it, so that
// time, which runs on, can be moved wherever it is.
static float parm_high(float usual_high, float value)
{
    const bool is_beyond = value > usual_high && value < 1e6f * usual_high;
    return is_beyond ? usual_high * ceilf(value / usual_high) : usual_high;
}

// Rows that no material of the model reads are dim.
static view_rect materials_panel(view_ui *ui, const view_facts *facts, float right, float bottom)
{
    ui_begin(ui, "parms");
    const view_rect box =
        ui_open_sliders(ui, right, bottom, "Materials",
                        "Bright: in use. Click on a name to reset it", VIEW_NUM_PARM_ROWS, 100.0f);
    for (int number = 0; number < VIEW_NUM_PARM_ROWS; number++) {
        const view_parm_range *const range = view_range_of_parm(number);
        const bool is_time = number == VIEW_PARM_TIME;
        float value = is_time ? view_material_time(facts->parms, facts->play->time)
                              : view_parm_of(&facts->stage, number);
        const bool is_read = facts->stage.document->textures.layers.read >> number & 1;
        const view_color color = is_read ? VIEW_BRIGHT : VIEW_DIM;
        char text[32];
        (void)snprintf(text, sizeof text, is_time ? "%.2f s" : "%.2f", (double)value);
        const ui_slider_row row = {range->name,   text,  0.0f, parm_high(range->high, value),
                                   &range->usual, color, color};
        if (ui_slider(ui, &row, &value))
            view_set_parm(facts->parms, number, value, facts->play->time);
    }
    ui_end(ui);
    return box;
}

float view_sliders_panel(view_ui *ui, const view_facts *facts, float bottom)
{
    const view_shown *const shown = facts->stage.shown;
    float right = facts->width, top = bottom;
    if (shown->light_list) {
        const view_rect box = lights_panel(ui, facts, bottom);
        right = box.x;
        top = box.y;
    }
    if (shown->parm_list) {
        const view_rect box = materials_panel(ui, facts, right, bottom);
        top = shown->light_list ? top : box.y;
    }
    return top;
}
