// The lights of the studio as sliders, above the time bar at the right.
#include "demo/viewer/jobs/view.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/base/panel.h"

#include <stdio.h>

static const float box_width = 270.0f, label_width = 70.0f, value_width = 52.0f;

// Where the slider of a row lies.
static view_rect track_of(const view_state *viewer, uint32_t row)
{
    const view_rect all = viewer->layout.lamps;
    const float scale = viewer->font.scale, line = viewer->font.line[VIEW_TEXT];
    return (view_rect){all.x + label_width * scale, all.y + (float)row * line,
                       all.width - (label_width + value_width) * scale, line};
}

static void draw_lamp(view_state *viewer, view_lamp lamp)
{
    const view_lamp_range *const range = view_range_of_lamp(lamp);
    const view_rect track = track_of(viewer, lamp);
    const float scale = viewer->font.scale, value = viewer->lamps.values[lamp];
    char text[32];
    (void)snprintf(text, sizeof text, range->usual > 0.0f ? "%.2f" : "%.0f\xC2\xB0", (double)value);
    view_draw_text(&viewer->canvas, VIEW_TEXT, viewer->layout.lamps.x, track.y, 0, VIEW_PLAIN,
                   range->name);
    view_draw_slider(&viewer->canvas, track, (value - range->low) / (range->high - range->low));
    view_draw_text(&viewer->canvas, VIEW_TEXT, track.x + track.width + 12.0f * scale, track.y, 0,
                   VIEW_BRIGHT, text);
}

void view_draw_lamps(view_state *viewer, float width, float height)
{
    const float scale = viewer->font.scale, margin = VIEW_MARGIN * scale;
    const float bottom = viewer->layout.bar.height > 0.0f ? viewer->layout.bar.y : height;
    view_rows rows = {.font = &viewer->font, .width = box_width * scale};
    view_add_row(&rows, VIEW_ROW_TITLE, VIEW_BRIGHT, "", "Lights");
    const float above = view_rows_height(&rows) - VIEW_PADDING * scale;
    // Room for the sliders, which are drawn over it.
    for (int i = 0; i < VIEW_NUM_LAMPS; i++)
        view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "%s", "");
    view_add_gap(&rows);
    view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "A click on a name puts it back");
    const float x = width - margin - (box_width + 2 * VIEW_PADDING) * scale;
    const float y = fmaxf(bottom - margin - view_rows_height(&rows), margin);
    view_draw_rows(&viewer->canvas, &rows, x, y);
    viewer->layout.lamps = (view_rect){x + VIEW_PADDING * scale, y + above, box_width * scale,
                                       (float)VIEW_NUM_LAMPS * viewer->font.line[VIEW_TEXT]};
    for (view_lamp lamp = 0; lamp < VIEW_NUM_LAMPS; lamp++)
        draw_lamp(viewer, lamp);
}

bool view_press_lamps(view_state *viewer, float x, float y)
{
    const view_rect all = viewer->layout.lamps;
    if (!view_contains(all, x, y))
        return false;
    viewer->dragged_lamp = (view_lamp)((y - all.y) / viewer->font.line[VIEW_TEXT]);
    if (viewer->dragged_lamp >= VIEW_NUM_LAMPS)
        viewer->dragged_lamp = VIEW_NUM_LAMPS - 1;
    if (x < track_of(viewer, viewer->dragged_lamp).x - 8.0f * viewer->font.scale) {
        viewer->lamps.values[viewer->dragged_lamp] =
            view_range_of_lamp(viewer->dragged_lamp)->usual;
        view_tell_state(viewer, "lamp");
        return true;
    }
    viewer->drag = VIEW_DRAG_LAMP;
    view_drag_lamp(viewer, x);
    return true;
}

void view_drag_lamp(view_state *viewer, float x)
{
    const view_lamp_range *const range = view_range_of_lamp(viewer->dragged_lamp);
    const view_rect track = track_of(viewer, viewer->dragged_lamp);
    const float part = view_clamp((x - track.x) / track.width, 0.0f, 1.0f);
    viewer->lamps.values[viewer->dragged_lamp] = range->low + part * (range->high - range->low);
}
