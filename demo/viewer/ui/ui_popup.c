// Popups over the image: notes and dialogs. ui.h documents each function.
#include "demo/viewer/ui/ui.h"

void ui_popover(const view_ui *ui, view_rect box, float radius, view_color edge)
{
    view_draw_round_rect(ui->canvas, view_inset(box, -ui->scale), (radius + 1) * ui->scale, edge);
    view_draw_round_rect(ui->canvas, box, radius * ui->scale, VIEW_POPOVER);
}

void ui_note(const view_ui *ui, float x, float y, float above, const ui_line *lines, size_t count)
{
    const float gap = 6 * ui->scale;
    const float bottom = ui->window.y + ui->window.height;
    float width = 0;
    for (size_t i = 0; i < count; i++)
        width = fmaxf(width, ui_text_width(ui, lines[i].text));
    width = fminf(width, ui->window.width - 4 * gap);
    view_rect box = {x, y, width + 2 * gap, (float)count * ui->line + gap};
    box.x = fmaxf(fminf(x, ui->window.width - box.width - gap), gap);
    if (y + box.height + gap > bottom)
        box.y = fmaxf(fminf(above, bottom) - box.height - gap, 0);
    ui_popover(ui, box, 3, VIEW_EDGE);
    for (size_t i = 0; i < count; i++)
        ui_text(ui, box.x + gap, box.y + 0.5f * gap + (float)i * ui->line, width + 1,
                lines[i].color, lines[i].text);
}

view_rect ui_dialog(view_ui *ui, const char *panel, float width, float height, const char *title)
{
    view_canvas *const canvas = ui->canvas;
    const float padding = VIEW_PADDING * ui->scale;
    const float head = canvas->font->line[VIEW_TITLE] + 0.5f * padding;
    const view_rect window = ui->window;
    const view_rect box = {
        roundf(window.x + 0.5f * (window.width - width) - padding),
        roundf(window.y + fmaxf(0.5f * (window.height - height - head) - padding, 0)),
        width + 2 * padding, height + head + 2 * padding};
    view_draw_rect(canvas, window, 0x00000073u);
    ui_begin(ui, panel);
    ui_item(ui, (view_rect){0, 0, window.width, window.y + window.height}, "");
    ui_popover(ui, box, VIEW_RADIUS, VIEW_EDGE);
    view_draw_text(canvas, VIEW_TITLE, box.x + padding, box.y + padding, width, VIEW_BRIGHT, title);
    return (view_rect){box.x + padding, box.y + padding + head, width, height};
}

view_rect ui_footed_dialog(view_ui *ui, const char *panel, float width, float height,
                           const char *title, view_rect *foot)
{
    const view_font *const font = ui->canvas->font;
    const float scale = ui->scale;
    const float edges = 2 * (VIEW_PADDING + 4) * scale;
    const float head = font->line[VIEW_TITLE] + 0.5f * VIEW_PADDING * scale;
    const float row = ui->line + 9 * scale;
    view_rect inside = ui_dialog(ui, panel, fminf(width * scale, ui->window.width - edges),
                                 fminf(height * scale, ui->window.height - head - edges), title);
    *foot = view_cut(&inside, VIEW_AT_BOTTOM, row);
    view_cut(&inside, VIEW_AT_BOTTOM, 8 * scale);
    return inside;
}
