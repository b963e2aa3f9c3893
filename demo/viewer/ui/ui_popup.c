// Popups over the image: notes, notices and dialogs. ui.h documents each function.
#include "demo/viewer/ui/ui.h"

#include <stdarg.h>

static const view_color dimming_color = 0x00000073u; // over everything behind a dialog

void ui_popover(const view_ui *ui, view_rect box, float radius, view_color edge)
{
    view_draw_round_rect(ui->canvas, view_inset(box, -ui->scale), (radius + 1) * ui->scale, edge);
    view_draw_round_rect(ui->canvas, box, radius * ui->scale, VIEW_POPOVER);
}

// Draws lines of text in a popup. Its upper left corner is at (x, y), or moved to keep the popup in
// the window.
void ui_note(const view_ui *ui, float x, float y, float end_above, const ui_line *lines,
             size_t count)
{
    const float gap = 6 * ui->scale;
    const float bottom = ui->window.y + ui->window.height;
    float width = 0;
    for (size_t i = 0; i < count; i++)
        width = fmaxf(width, ui_text_width(ui, lines[i].text));
    width = fminf(width, ui->window.width - 4 * gap);

    // Move the box into the window. Without space below `y`, it is above `end_above`.
    view_rect box = {x, y, width + 2 * gap, (float)count * ui->line + gap};
    box.x = fmaxf(fminf(x, ui->window.width - box.width - gap), gap);
    if (y + box.height + gap > bottom)
        box.y = fmaxf(fminf(end_above, bottom) - box.height - gap, 0);

    ui_popover(ui, box, 3, VIEW_EDGE);
    for (size_t i = 0; i < count; i++)
        ui_text(ui, box.x + gap, box.y + 0.5f * gap + (float)i * ui->line, width + 1,
                lines[i].color, lines[i].text);
}

// Shows a text, formatted like printf(), as a notice for VIEW_NOTICE_SECONDS after the time
// `uptime`. Has the same effect as view_notice() of the module jobs, which the user interface
// cannot call.
void ui_show_notice(view_ui *ui, double uptime, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(ui->notice.text, sizeof ui->notice.text, format, values);
    va_end(values);
    ui->notice.end = uptime + VIEW_NOTICE_SECONDS;
    ui->notice.action = VIEW_NOTHING;
}

// Begins a dialog in the middle of the window. It dims everything else and receives all presses.
// Returns the area for its content, of size `width` x `height`, below the title.
view_rect ui_dialog(view_ui *ui, const char *panel, float width, float height, const char *title)
{
    view_canvas *const canvas = ui->canvas;
    const float padding = VIEW_PADDING * ui->scale;
    const float title_height = canvas->font->line[VIEW_TITLE] + 0.5f * padding;
    const view_rect window = ui->window;
    const float space = window.height - height - title_height;
    const view_rect box = {roundf(window.x + 0.5f * (window.width - width) - padding),
                           roundf(window.y + fmaxf(0.5f * space - padding, 0)), width + 2 * padding,
                           height + title_height + 2 * padding};

    // The dimmed background is the first item: it receives presses outside of the dialog.
    view_draw_rect(canvas, window, dimming_color);
    ui_begin(ui, panel);
    ui_item(ui, (view_rect){0, 0, window.width, window.y + window.height}, "");
    ui_popover(ui, box, VIEW_RADIUS, VIEW_EDGE);
    view_draw_text(canvas, VIEW_TITLE, box.x + padding, box.y + padding, width, VIEW_BRIGHT, title);
    return (view_rect){box.x + padding, box.y + padding + title_height, width, height};
}

// Begins a dialog (see ui_dialog()) of this size in layout units, or smaller if the window is
// smaller. *foot is its last row, for buttons. Returns the area between the title and this row.
view_rect ui_footed_dialog(view_ui *ui, const char *panel, float width, float height,
                           const char *title, view_rect *foot)
{
    const view_font *const font = ui->canvas->font;
    const float scale = ui->scale;
    const float margins = 2 * (VIEW_PADDING + 4) * scale;
    const float title_height = font->line[VIEW_TITLE] + 0.5f * VIEW_PADDING * scale;
    const float max_width = ui->window.width - margins;
    const float max_height = ui->window.height - title_height - margins;
    view_rect inside = ui_dialog(ui, panel, fminf(width * scale, max_width),
                                 fminf(height * scale, max_height), title);

    // Cut off the last row and a gap above it.
    *foot = view_cut(&inside, VIEW_AT_BOTTOM, ui->line + 9 * scale);
    view_cut(&inside, VIEW_AT_BOTTOM, 8 * scale);
    return inside;
}
