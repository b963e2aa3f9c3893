// Draws the lists that open over the picture, and answers the mouse in them.
#include "demo/viewer/draw/previews.h"
#include "demo/viewer/ui/panels.h"

#include <math.h>
#include <stdio.h>

static void draw_entries(view_ui *ui, view_rect rows)
{
    view_browser *const browser = &ui->browser;
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const size_t fitting = browser->num_rows;
    size_t hovered = browser->chosen, pressed = SIZE_MAX;
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
        if (ui_item(ui, (view_rect){rows.x, y, rows.width, line}, entry->label))
            pressed = place;
        if (ui->mouse.is_moved && ui_is_hot(ui))
            hovered = place;
    }
    if (browser->num_found > fitting) {
        const float part = (float)fitting / (float)browser->num_found;
        const float way = (float)browser->first / (float)(browser->num_found - fitting);
        const float length = rows.height * part;
        const view_rect bar = {rows.x + rows.width + 7.0f * scale,
                               rows.y + (rows.height - length) * way, 4.0f * scale, length};
        view_draw_round_rect(canvas, bar, 2.0f * scale, VIEW_DIM);
    }
    browser->chosen = hovered;
    if (pressed != SIZE_MAX)
        ui_ask(ui, view_take_entry(browser, pressed));
}

static void draw_sections(view_ui *ui, float x, float y, float width)
{
    const view_browser *const browser = &ui->browser;
    view_canvas *const canvas = ui->canvas;
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
        if (ui_item(ui, (view_rect){x, y, used, line}, text))
            ui_ask(ui, (view_command){.action = VIEW_OPEN_SECTION, .number = (size_t)i});
        if (is_open)
            view_draw_rect(canvas, (view_rect){x, y + line - 2.0f * scale, used, scale},
                           VIEW_BRIGHT);
        x += used + 18.0f * scale;
    }
}

// -- Preview --------------------------------------------------------------------------------

// In layout units: between rows and preview.
static const float distance = 16.0f;

// The side of the preview beside the rows, in pixels, with its distance; 0 if the list has none, or
// no room for one: `width` is that of both.
static float preview_room(const view_browser *browser, const view_font *font, float width)
{
    const float room = ((float)VIEW_SKETCH_SIZE + distance) * font->scale;
    const bool has_any = browser->kind == VIEW_BROWSE_GAME && !browser->is_scanning;
    return has_any && width > 2.5f * room ? room : 0.0f;
}

static void draw_preview(view_canvas *canvas, view_rect rows, md5gl_texture preview)
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

// The typed filter, or a hint.
static void draw_heading(view_ui *ui, float x, float y, float width)
{
    const view_browser *const browser = &ui->browser;
    view_canvas *const canvas = ui->canvas;
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
        draw_sections(ui, x, y, width);
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

// A click beside the list closes it.
void view_browser_panel(view_ui *ui, const view_facts *facts)
{
    const float width = facts->width, height = facts->height;
    view_browser *const browser = &ui->browser;
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const float margin = VIEW_MARGIN * scale, padding = VIEW_PADDING * scale;
    if (browser->kind == VIEW_BROWSE_NOTHING)
        return;
    // As high as the unfiltered list, so that it does not jump while the user types.
    const float heading = (browser->kind == VIEW_BROWSE_GAME ? 4.0f : 2.8f) * line;
    const float most = height - 2.0f * margin - 2.0f * padding - heading;
    const float inner = fmaxf(fminf(520.0f * scale, width - 2.0f * margin - 2.0f * padding), 1.0f);
    const float beside = preview_room(browser, canvas->font, inner);
    const float wanted = fmaxf((float)most_entries(browser) * line, beside);
    const float rows = fmaxf(floorf(fminf(wanted, most) / line), 1.0f) * line;
    const view_rect box = {roundf(0.5f * (width - inner) - padding), margin, inner + 2.0f * padding,
                           heading + rows + 2.0f * padding};
    const view_rect inside = {box.x + padding, box.y + padding + heading, inner - beside, rows};
    browser->num_rows = (size_t)(rows / line + 0.5f);
    ui_begin(ui, "list");
    const bool is_beside = ui_item(ui, (view_rect){0.0f, 0.0f, width, height}, "");
    (void)ui_item(ui, box, "box");
    if (ui->mouse.wheel != 0.0f && ui_is_panel_hot(ui)) {
        view_scroll_browser(browser, ui->mouse.wheel);
        ui->has_taken = true;
    }
    if (browser->chosen < browser->first)
        browser->first = browser->chosen;
    if (browser->chosen >= browser->first + browser->num_rows)
        browser->first = browser->chosen - browser->num_rows + 1;
    view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, 0x12151AF6u);
    draw_heading(ui, box.x + padding, box.y + padding, inner);
    if (beside > 0.0f)
        draw_preview(canvas, inside, facts->preview);
    draw_entries(ui, inside);
    if (is_beside) {
        view_clear_browser(browser);
        ui_ask(ui, (view_command){.action = VIEW_CLOSED});
    }
}
