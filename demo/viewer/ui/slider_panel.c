// Panels of rows with a name, a slider and a value, above the time bar: of lights, of materials.
#include "demo/viewer/ui/panels.h"

#include <math.h>

static const float box_width = 270.0f, value_width = 52.0f;

view_rect view_draw_slider_panel(const view_ui *ui, const view_facts *facts,
                                 const view_slider_panel *panel, float right)
{
    const float scale = facts->stage.font->scale, margin = VIEW_MARGIN * scale;
    const float bottom = ui->layout.bar.height > 0.0f ? ui->layout.bar.y : facts->height;
    view_rows rows = {.font = facts->stage.font, .width = box_width * scale};
    view_add_row(&rows, VIEW_ROW_TITLE, VIEW_BRIGHT, "", "%s", panel->title);
    const float above = view_rows_height(&rows) - VIEW_PADDING * scale;
    // Space for the sliders, which are drawn over it.
    for (uint32_t i = 0; i < panel->count; i++)
        view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "%s", "");
    view_add_gap(&rows);
    view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "%s", panel->hint);
    const float x = right - margin - (box_width + 2 * VIEW_PADDING) * scale;
    const float y = fmaxf(bottom - margin - view_rows_height(&rows), margin);
    view_draw_rows(facts->stage.canvas, &rows, x, y);
    return (view_rect){x + VIEW_PADDING * scale, y + above, box_width * scale,
                       (float)panel->count * facts->stage.font->line[VIEW_TEXT]};
}

view_rect view_slider_track(const view_facts *facts, const view_slider_panel *panel, view_rect all,
                            uint32_t row)
{
    const float scale = facts->stage.font->scale, line = facts->stage.font->line[VIEW_TEXT];
    return (view_rect){all.x + panel->label_width * scale, all.y + (float)row * line,
                       all.width - (panel->label_width + value_width) * scale, line};
}

void view_draw_slider_row(const view_facts *facts, view_rect all, view_rect track,
                          const view_slider_row *row)
{
    view_canvas *const canvas = facts->stage.canvas;
    view_draw_text(canvas, VIEW_TEXT, all.x, track.y, 0, row->name_color, row->name);
    view_draw_slider(canvas, track, row->part);
    view_draw_text(canvas, VIEW_TEXT, track.x + track.width + 12.0f * facts->stage.font->scale,
                   track.y, 0, row->value_color, row->value);
}

uint32_t view_pressed_slider(const view_facts *facts, const view_slider_panel *panel, view_rect all,
                             float y)
{
    const uint32_t row = (uint32_t)((y - all.y) / facts->stage.font->line[VIEW_TEXT]);
    return row < panel->count ? row : panel->count - 1;
}

bool view_is_on_slider(const view_facts *facts, view_rect track, float x)
{
    return x >= track.x - 8.0f * facts->stage.font->scale;
}
