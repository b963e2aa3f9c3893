#include "demo/viewer/ui/sections.h"

#include "demo/viewer/base/panel.h"
#include "demo/viewer/draw/previews.h"

#include <stdio.h>

void view_draw_sections(view_browser *browser, view_canvas *canvas, float x, float y, float width)
{
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const float right = x + width;
    char text[64];
    if (browser->is_scanning) {
        (void)snprintf(text, sizeof text, "reading: %zu files", browser->num_scanned);
        view_draw_text(canvas, VIEW_TEXT, x, y, width, VIEW_AMBER, text);
        return;
    }
    for (int i = 0; i < VIEW_NUM_SECTIONS && x < right; i++) {
        (void)snprintf(text, sizeof text, "%s %zu", view_section_name((view_section)i),
                       browser->num_in_section[i]);
        const bool is_open = (view_section)i == browser->section;
        const float used = view_draw_text(canvas, VIEW_TEXT, x, y, right - x,
                                          is_open                          ? VIEW_BRIGHT
                                          : browser->num_in_section[i] > 0 ? VIEW_ACCENT
                                                                           : VIEW_DIM,
                                          text);
        browser->sections[i] = (view_rect){x, y, used, line};
        if (is_open)
            view_draw_rect(canvas, (view_rect){x, y + line - 2.0f * scale, used, scale},
                           VIEW_BRIGHT);
        x += used + 18.0f * scale;
    }
}

// -- Preview --------------------------------------------------------------------------------

// In layout units: between rows and preview.
static const float distance = 16.0f;

float view_preview_room(const view_browser *browser, const view_font *font, float width)
{
    const float room = ((float)VIEW_SKETCH_SIZE + distance) * font->scale;
    const bool has_any = browser->kind == VIEW_BROWSE_GAME && !browser->is_scanning;
    return has_any && width > 2.5f * room ? room : 0.0f;
}

void view_draw_preview(view_canvas *canvas, view_rect rows, md5gl_texture preview)
{
    const float scale = canvas->font->scale, side = (float)VIEW_SKETCH_SIZE * scale;
    const view_rect place = {rows.x + rows.width + distance * scale, rows.y, side, side};
    const float inset = 2.0f * scale, whole[4] = {0.0f, 0.0f, 1.0f, 1.0f};
    const view_rect within = {place.x + inset, place.y + inset, side - 2.0f * inset,
                              side - 2.0f * inset};
    view_draw_round_rect(canvas, place, 4.0f * scale, VIEW_PREVIEW_COLOR);
    if (preview != 0)
        view_draw_image(canvas, within, whole, preview, true);
}

view_section view_section_at(const view_browser *browser, float x, float y)
{
    int section = 0;
    while (section < VIEW_NUM_SECTIONS && !view_contains(browser->sections[section], x, y))
        section++;
    return (view_section)section;
}
