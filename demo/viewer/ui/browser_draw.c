// Draws the lists that open over the picture.
#include "demo/viewer/base/panel.h"
#include "demo/viewer/ui/browser.h"
#include "demo/viewer/ui/sections.h"

#include <math.h>
#include <stdio.h>

static void draw_entries(const view_browser *browser, view_canvas *canvas)
{
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const view_rect rows = browser->rows;
    const size_t fitting = view_rows_that_fit(browser, canvas->font);
    for (size_t i = 0; i < fitting && browser->first + i < browser->num_found; i++) {
        const size_t place = browser->first + i;
        const view_entry *const entry = &browser->entries[browser->found[place]];
        const float y = rows.y + (float)i * line;
        if (place == browser->chosen)
            view_draw_round_rect(
                canvas, (view_rect){rows.x - 6.0f * scale, y, rows.width + 12.0f * scale, line},
                4.0f * scale, 0x33507FFFu);
        const bool is_folder = entry->kind == VIEW_ENTRY_FOLDER || entry->kind == VIEW_ENTRY_ABOVE
                               || entry->kind == VIEW_ENTRY_GROUP || entry->kind == VIEW_ENTRY_OWN
                               || entry->kind == VIEW_ENTRY_FOUND_TEXTURE;
        const size_t left_out = entry->kind == VIEW_ENTRY_NAMED ? browser->num_left_out : 0;
        const view_color color = is_folder                          ? VIEW_ACCENT
                                 : entry->kind == VIEW_ENTRY_RECENT ? VIEW_DIM
                                                                    : VIEW_PLAIN;
        view_draw_text(canvas, VIEW_TEXT, rows.x, y, rows.width,
                       place == browser->chosen ? VIEW_BRIGHT : color, entry->label + left_out);
    }
    if (browser->num_found > fitting) {
        const float part = (float)fitting / (float)browser->num_found;
        const float way = (float)browser->first / (float)(browser->num_found - fitting);
        const float length = rows.height * part;
        const view_rect bar = {rows.x + rows.width + 7.0f * scale,
                               rows.y + (rows.height - length) * way, 4.0f * scale, length};
        view_draw_round_rect(canvas, bar, 2.0f * scale, VIEW_DIM);
    }
}

// The typed filter, or a hint.
static void draw_heading(view_browser *browser, view_canvas *canvas, float x, float y, float width)
{
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    char count[48], title[48];
    (void)snprintf(title, sizeof title, "Texture of mesh %u", (unsigned)browser->mesh);
    const bool is_game = browser->kind == VIEW_BROWSE_GAME;
    const size_t num_all = is_game ? browser->num_names : browser->num_entries;
    if (is_game && browser->filter[0] == '\0')
        (void)snprintf(count, sizeof count, "%zu", num_all); // rows may be groups
    else
        (void)snprintf(count, sizeof count, "%zu of %zu", browser->num_found, num_all);
    const float count_width = view_text_width(canvas->font, VIEW_TEXT, count) + 12.0f * scale;
    view_draw_text(canvas, VIEW_TEXT, x, y, fmaxf(width - count_width, 1.0f), VIEW_BRIGHT,
                   browser->kind == VIEW_BROWSE_CLIPS ? "Clips"
                   : browser->folder != NULL          ? browser->folder
                                                      : title);
    view_draw_text(canvas, VIEW_TEXT, x + width - count_width + 12.0f * scale, y, 0, VIEW_DIM,
                   count);
    if (is_game) {
        y += 1.2f * line;
        view_draw_sections(browser, canvas, x, y, width);
    }
    const view_rect field = {x - 6.0f * scale, y + 1.2f * line, width + 12.0f * scale,
                             line + 4.0f * scale};
    view_draw_round_rect(canvas, field, 4.0f * scale, 0x2A303AFFu);
    const bool typed = browser->filter[0] != '\0';
    char hint[160];
    (void)snprintf(hint, sizeof hint, "%s%stype to filter; Enter opens%s",
                   is_game && browser->group != NULL ? browser->group : "",
                   is_game && browser->group != NULL && browser->group[0] != '\0' ? ": " : "",
                   is_game ? ", Tab: next section" : "");
    const float used =
        view_draw_text(canvas, VIEW_TEXT, x, field.y + 2.0f * scale, width,
                       typed ? VIEW_BRIGHT : VIEW_DIM, typed ? browser->filter : hint);
    if (typed)
        view_draw_rect(
            canvas,
            (view_rect){x + used + 1.0f, field.y + 4.0f * scale, scale, line - 4.0f * scale},
            VIEW_ACCENT);
}

// Of the entries of all sections, so that the list is as high in each.
static size_t most_entries(const view_browser *browser)
{
    size_t most = browser->num_entries;
    for (int i = 0; i < VIEW_NUM_SECTIONS; i++)
        most = browser->num_in_section[i] > most ? browser->num_in_section[i] : most;
    return most;
}

void view_draw_browser(view_browser *browser, view_canvas *canvas, float width, float height,
                       md5gl_texture preview)
{
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const float margin = VIEW_MARGIN * scale, padding = VIEW_PADDING * scale;
    if (browser->kind == VIEW_BROWSE_NOTHING)
        return;
    // As high as the unfiltered list, so that it does not jump while the user types.
    const float heading = (browser->kind == VIEW_BROWSE_GAME ? 4.0f : 2.8f) * line;
    const float most = height - 2.0f * margin - 2.0f * padding - heading;
    const float inner = fmaxf(fminf(520.0f * scale, width - 2.0f * margin - 2.0f * padding), 1.0f);
    const float beside = view_preview_room(browser, canvas->font, inner);
    const float wanted = fmaxf((float)most_entries(browser) * line, beside);
    const float rows = fmaxf(floorf(fminf(wanted, most) / line), 1.0f) * line;
    const view_rect box = {roundf(0.5f * (width - inner) - padding), margin, inner + 2.0f * padding,
                           heading + rows + 2.0f * padding};
    browser->box = box;
    browser->rows = (view_rect){box.x + padding, box.y + padding + heading, inner - beside, rows};

    const size_t fitting = view_rows_that_fit(browser, canvas->font);
    if (browser->chosen < browser->first)
        browser->first = browser->chosen;
    if (browser->chosen >= browser->first + fitting)
        browser->first = browser->chosen - fitting + 1;
    view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, 0x12151AF6u);
    draw_heading(browser, canvas, box.x + padding, box.y + padding, inner);
    draw_entries(browser, canvas);
    if (beside > 0.0f)
        view_draw_preview(canvas, browser->rows, preview);
}
