// The start page, beside the live character: what was opened before, our models, and pages.
#include "demo/viewer/ui/ui.h"

#include "demo/common/file.h"
#include "demo/viewer/base/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

static const float row_height = 27.0f, button_height = 32.0f; // in layout units

void view_clear_start(view_start *start)
{
    common_free_list(&start->recent);
    common_free_list(&start->examples);
    common_free_list(&start->pages);
    *start = (view_start){.is_open = false};
}

view_rect view_start_box(const view_stage *stage)
{
    const float scale = stage->font->scale;
    const float width = stage->width >= 760.0f * scale
                            ? roundf(fminf(0.48f * stage->width, 720.0f * scale))
                            : stage->width;
    const float top = view_layout_of(stage).menu.height;
    return (view_rect){stage->width - width, top, width, stage->height - top};
}

// A file that was opened before, in its row.
static void run_recent(view_ui *ui, view_rect row, const view_start *start, size_t number)
{
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const char *const path = start->recent.names[number];
    const char *const name = common_base(path);
    const bool is_missing = (start->missing >> number & 1) != 0;
    const view_rect rest = {row.x, row.y, row.width - row.height, row.height};
    const float y = row.y + 0.5f * (row.height - line), end = rest.x + rest.width;
    const view_rect cross = {end, row.y, row.height, row.height};
    if (ui_item(ui, rest, name))
        ui->command = (view_command){.action = VIEW_OPEN_FILE, .path = common_copy(path)};
    if (ui_is_hot(ui))
        view_draw_round_rect(canvas, rest, 4.0f * scale, VIEW_CONTROL);
    float x = row.x + 8.0f * scale;
    x += view_draw_text(canvas, VIEW_TEXT, x, y, end - x, is_missing ? VIEW_DISABLED : VIEW_BRIGHT,
                        name)
         + 12.0f * scale;
    char *const folder = common_folder(path);
    char *const place = common_format("%s%s", is_missing ? "missing" VIEW_DOT : "", folder);
    if (x + 40.0f * scale < end)
        view_draw_text(canvas, VIEW_TEXT, x, y, end - x, VIEW_DIM, place);
    free(place);
    free(folder);
    char *const label = common_format("forget %s", name);
    if (ui_item(ui, cross, label)) {
        free(ui->command.path);
        ui->command = (view_command){.action = VIEW_FORGET_RECENT, .path = common_copy(path)};
    }
    free(label);
    view_draw_text(canvas, VIEW_TEXT, cross.x + 0.3f * cross.width, y, 0.0f,
                   ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_DIM, "\xC3\x97");
}

// The rows from start->first on that the rectangle has room for: a heading and then the items of
// each section, in columns.
static void run_sections(view_ui *ui, view_rect room, view_start *start)
{
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, height = row_height * scale, gap = 6.0f * scale;
    const size_t columns = room.width > 330.0f * scale ? 3 : 2;
    const struct {
        const char *title;
        const common_list *items;
        size_t columns;
        view_action action;
    } sections[] = {
        {"Recent", &start->recent, 1, VIEW_OPEN_FILE},
        {"Examples", &start->examples, columns, VIEW_OPEN_FILE},
        {"Techniques, with code to play with", &start->pages, columns - 1, VIEW_OPEN_PAGE}};
    enum { NUM_SECTIONS = sizeof sections / sizeof sections[0] };
    const size_t num_visible = SDL_max((size_t)(room.height / height), 1);
    size_t num_rows = 0;
    for (int i = 0; i < NUM_SECTIONS; i++)
        if (sections[i].items->count > 0)
            num_rows +=
                1 + (sections[i].items->count + sections[i].columns - 1) / sections[i].columns;
    const size_t last = num_rows > num_visible ? num_rows - num_visible : 0;
    long long first = (long long)start->first;
    if (ui->mouse.wheel != 0.0f && ui_is_panel_hot(ui)) {
        first -= (long long)view_clamp(3.0f * ui->mouse.wheel, -1e6f, 1e6f);
        ui->has_taken = true;
    }
    const long long page = (long long)num_visible;
    first += (ui_key(ui, SDLK_DOWN) ? 1 : 0) - (ui_key(ui, SDLK_UP) ? 1 : 0);
    first += page * ((ui_key(ui, SDLK_PAGEDOWN) ? 1 : 0) - (ui_key(ui, SDLK_PAGEUP) ? 1 : 0));
    start->first = first < 0 ? 0 : SDL_min((size_t)first, last);

    size_t row = 0;
    for (int i = 0; i < NUM_SECTIONS; i++) {
        const common_list *const items = sections[i].items;
        const float width =
            (room.width - gap * (float)(sections[i].columns - 1)) / (float)sections[i].columns;
        if (items->count == 0)
            continue;
        if (row >= start->first && row < start->first + num_visible)
            view_draw_text(canvas, VIEW_TEXT, room.x,
                           room.y + height * (float)(row - start->first) + 5.0f * scale, room.width,
                           VIEW_DIM, sections[i].title);
        row++;
        for (size_t k = 0; k < items->count; k++) {
            const size_t place = row + k / sections[i].columns;
            if (place < start->first || place >= start->first + num_visible)
                continue;
            const view_rect cell = {room.x + (width + gap) * (float)(k % sections[i].columns),
                                    room.y + height * (float)(place - start->first), width,
                                    height - 3.0f * scale};
            if (items == &start->recent) {
                run_recent(ui, cell, start, k);
                continue;
            }
            const bool is_file = sections[i].action == VIEW_OPEN_FILE;
            char *const label =
                is_file ? common_stem(items->names[k]) : common_copy(items->names[k]);
            if (ui_button(ui, cell, label, false))
                ui->command = (view_command){.action = sections[i].action,
                                             .number = k,
                                             .path = is_file ? common_copy(items->names[k]) : NULL};
            free(label);
        }
        row += (items->count + sections[i].columns - 1) / sections[i].columns;
    }
    if (last > 0) {
        const float length = room.height * (float)num_visible / (float)num_rows;
        const float way = (room.height - length) * (float)start->first / (float)last;
        view_draw_round_rect(
            canvas,
            (view_rect){room.x + room.width + 0.8f * gap, room.y + way, 4.0f * scale, length},
            2.0f * scale, VIEW_DIM);
    }
}

void view_start_panel(view_ui *ui, const view_stage *stage)
{
    view_canvas *const canvas = stage->canvas;
    const view_font *const font = stage->font;
    const float scale = font->scale, line = font->line[VIEW_TEXT], gap = 8.0f * scale;
    const view_rect box = view_start_box(stage);
    const float padding = (box.width > 460.0f * scale ? 25.0f : VIEW_PADDING) * scale;
    const bool is_high = box.height > 420.0f * scale;
    view_draw_rect(canvas, box, 0x12151AEBu);
    ui_begin(ui, "start");
    (void)ui_item(ui, box, "");
    view_rect part = {box.x + padding, box.y + padding, box.width - 2.0f * padding,
                      button_height * scale};
    view_draw_text(canvas, VIEW_TITLE, part.x, part.y, part.width, VIEW_BRIGHT, "md5view");
    static const char *const hint = "click the character, it is alive";
    const float hint_width = view_text_width(font, VIEW_TEXT, hint);
    if (box.x > 0.0f && hint_width < 0.6f * part.width)
        view_draw_text(canvas, VIEW_TEXT, part.x + part.width - hint_width, part.y + 4.0f * scale,
                       0.0f, VIEW_DIM, hint);
    part.y += font->line[VIEW_TITLE] + gap;
    static const char *const words[] = {"Open\xE2\x80\xA6", "Open folder\xE2\x80\xA6"};
    static const view_action actions[] = {VIEW_FILES, VIEW_OPEN_FOLDER};
    view_rect button = part;
    for (int i = 0; i < 2; i++) {
        button.width = view_text_width(font, VIEW_TEXT, words[i]) + 28.0f * scale;
        if (ui_button(ui, button, words[i], i == 0))
            ui->command.action = actions[i];
        button.x += button.width + gap;
    }
    part.y += part.height + gap;
    if (is_high) {
        static const char *const drop =
            "Drop a model, clip, machine, camera, texture, folder or .pk4 anywhere";
        const float width = fminf(view_text_width(font, VIEW_TEXT, drop), part.width - 2.0f * gap);
        part.height = line + 1.5f * gap;
        view_draw_frame(canvas, part, fmaxf(1.0f, scale), VIEW_EDGE);
        view_draw_text(canvas, VIEW_TEXT, part.x + 0.5f * (part.width - width),
                       part.y + 0.75f * gap, width + 1.0f, VIEW_PLAIN, drop);
        part.y += part.height + gap;
    }
    part.height = box.y + box.height - 0.5f * padding - part.y;
    run_sections(ui, part, &ui->start);
    if (ui_key(ui, SDLK_RETURN) || ui_key(ui, SDLK_KP_ENTER))
        ui->command.action = VIEW_FILES;
    if (ui_key(ui, SDLK_ESCAPE))
        ui->command.action = VIEW_CLOSE_LISTS;
}
