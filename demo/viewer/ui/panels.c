// The panels: what each shows and changes, and where they lie. A panel is one function.
#include "demo/viewer/ui/ui.h"

#include "demo/common/file.h"
#include "demo/viewer/assets/look.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/motion/entity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// The name of the marked joint, in the picture.
static void label_joint(const view_ui *ui, const view_stage *stage)
{
    const view_scene *const scene = &stage->document->scene;
    const int32_t joint = view_marked_joint(ui, scene);
    if (joint < 0 || view_shows_crowd(stage->document)) // in which there is no single pose
        return;
    const float scale = stage->font->scale, width = stage->width, height = stage->height;
    const view_lens lens = view_stage_lens(stage);
    const md5_vec3 place = md5_mat34_translation(scene->joints[joint]);
    const float half = view_half_height_at(&lens, place);
    if (half <= 0.0f)
        return;
    const md5_vec3 way = md5_vec3_sub(place, lens.eye);
    const float unit = 0.5f * height / half;
    const float x =
        0.5f * width * (1.0f + lens.shift_x) + md5_vec3_dot(way, lens.axes.right) * unit;
    const float y = 0.5f * height * (1.0f - lens.shift_y) - md5_vec3_dot(way, lens.axes.up) * unit;
    if (!(fabsf(x) < 1e5f && fabsf(y) < 1e5f))
        return;
    view_draw_disc(stage->canvas, x, y, 7.0f * scale, 0x12151AE0u);
    view_draw_disc(stage->canvas, x, y, 4.5f * scale, 0xF2C14EFFu);
    const char *const name = scene->skeleton->joints[joint].name;
    const float text = view_text_width(stage->font, VIEW_TEXT, name);
    const view_rect box = {x + 12.0f * scale, y - 13.0f * scale, text + 16.0f * scale,
                           26.0f * scale};
    view_draw_round_rect(stage->canvas, box, 13.0f * scale, VIEW_BOX);
    view_draw_text(stage->canvas, VIEW_TEXT, box.x + 8.0f * scale, box.y + 4.0f * scale, 0,
                   VIEW_BRIGHT, name);
}

// == Where they lie =======================================================================

// The interface as a whole: the region that panels leave free, keys, errors, the order of the
// panels, and the events.

// -- Keys -----------------------------------------------------------------------------------

enum { MAX_COLUMNS = 4 };

typedef struct key_column {
    uint32_t begin, end; // its lines: whole groups
    float height;        // in lines
    float keys, help;    // widths in pixels
} key_column;

// The keys of the current mode, in columns.
typedef struct key_page {
    view_key_line lines[VIEW_MAX_KEY_LINES];
    uint32_t num_lines;
    key_column columns[MAX_COLUMNS];
    uint32_t num_columns;
    float width, height; // pixels, padding included
} key_page;

// In lines: the height of a heading with its spacing, and the space before a group.
static const float heading_lines = 1.3f, gap_lines = 1.0f;

// In layout units; the gap is between keys and their texts, and between columns.
static const float key_padding = 24.0f, key_gap = 18.0f;

// Fills at most `num` columns of at most `max_height` lines. Returns whether that was enough.
static bool split_columns(key_page *page, float max_height, uint32_t num)
{
    page->num_columns = 0;
    for (uint32_t begin = 0, end; begin < page->num_lines; begin = end) {
        end = begin + 1;
        while (end < page->num_lines && page->lines[end].heading == NULL)
            end++;
        const float lines = heading_lines + (float)(end - begin);
        key_column *const last = &page->columns[page->num_columns > 0 ? page->num_columns - 1 : 0];
        if (page->num_columns > 0 && last->height + gap_lines + lines <= max_height) {
            last->height += gap_lines + lines;
            last->end = end;
            continue;
        }
        if (page->num_columns == num)
            return false;
        page->columns[page->num_columns++] = (key_column){begin, end, lines, 0, 0};
    }
    return true;
}

// The columns of least height, at most `num` of them. Returns the factor by which they fit into a
// picture.
static float lay_out_keys(const view_stage *stage, key_page *page, uint32_t num)
{
    const view_font *const font = stage->font;
    const float padding = key_padding * font->scale, gap = key_gap * font->scale;
    float max_height = 1.0f;
    while (!split_columns(page, max_height, num))
        max_height += 0.1f;
    page->width = 2.0f * padding - 2.0f * gap;
    page->height = 0.0f;
    for (uint32_t i = 0; i < page->num_columns; i++) {
        key_column *const column = &page->columns[i];
        for (uint32_t k = column->begin; k < column->end; k++) {
            column->keys =
                fmaxf(column->keys, view_text_width(font, VIEW_TEXT, page->lines[k].keys));
            column->help =
                fmaxf(column->help, view_text_width(font, VIEW_TEXT, page->lines[k].help));
        }
        page->width += column->keys + column->help + 3.0f * gap;
        page->height = fmaxf(page->height, column->height);
    }
    page->height = page->height * font->line[VIEW_TEXT] + 2.0f * padding;
    const float room = stage->height - view_layout_of(stage).menu.height;
    return fminf(1.0f, fminf(stage->width / page->width, room / page->height));
}

uint32_t view_current_keys(const view_document *document, view_key_line lines[VIEW_MAX_KEY_LINES])
{
    const char *triggers[VIEW_MAX_TRIGGERS];
    uint32_t count = 0;
    const view_mode mode = view_mode_of(document);
    const view_machine *const machine = &document->scene.machine;
    while (mode == VIEW_MODE_MACHINE && count < VIEW_MAX_TRIGGERS) {
        const int32_t trigger = view_find_trigger(machine, count);
        if (trigger < 0)
            break;
        triggers[count++] = machine->desc->parameters[trigger].name;
    }
    const bool walks = mode == VIEW_MODE_MACHINE
                           ? view_can_walk(machine)
                           : view_mover_of(&document->scene)->take_over != NULL;
    const uint32_t have = view_found_needs(document) | VIEW_NEEDS_ENVIRONMENT;
    return view_list_keys(have, triggers, count, walks, lines);
}

// With the number of columns that allows the largest text.
static void draw_keys(const view_stage *stage)
{
    const view_font *const font = stage->font;
    view_canvas *const canvas = stage->canvas;
    const float line = font->line[VIEW_TEXT], gap = key_gap * font->scale;
    key_page page = {.num_lines = 0}, tried;
    float factor = 0.0f;
    tried.num_lines = view_current_keys(stage->document, tried.lines);
    for (uint32_t num = 1; num <= MAX_COLUMNS; num++) {
        const float found = lay_out_keys(stage, &tried, num);
        if (found > factor) {
            factor = found;
            page = tried;
        }
    }
    const float top = view_layout_of(stage).menu.height;
    const float middle = top + 0.5f * (stage->height - top);
    const view_rect box = {roundf(0.5f * (stage->width - page.width)),
                           roundf(middle - 0.5f * page.height), page.width, page.height};
    const uint32_t first = canvas->count;
    view_draw_round_rect(canvas, box, VIEW_RADIUS * font->scale, 0x12151AF6u);
    float x = box.x + key_padding * font->scale;
    for (uint32_t i = 0; i < page.num_columns; i++) {
        const key_column *const column = &page.columns[i];
        const float help_x = x + column->keys + gap;
        float y = box.y + key_padding * font->scale;
        for (uint32_t k = column->begin; k < column->end; k++) {
            const view_key_line *const key = &page.lines[k];
            if (key->heading != NULL) {
                y += k > column->begin ? gap_lines * line : 0.0f;
                view_draw_text(canvas, VIEW_TEXT, x, y, 0, VIEW_ACCENT, key->heading);
                y += heading_lines * line;
            }
            view_draw_text(canvas, VIEW_TEXT, x, y, 0, VIEW_BRIGHT, key->keys);
            view_draw_text(canvas, VIEW_TEXT, help_x, y, 0, VIEW_PLAIN, key->help);
            y += line;
        }
        x += column->keys + column->help + 3.0f * gap;
    }
    view_shrink(canvas, first, 0.5f * stage->width, middle, factor);
}

// A text in the middle of the free region, at a height of it.
static void draw_badge(const view_stage *stage, float down, view_color edge, const char *text)
{
    const float scale = stage->font->scale;
    const view_rect free = view_layout_of(stage).free;
    const float width = fminf(view_text_width(stage->font, VIEW_TEXT, text),
                              fmaxf(free.width - 40.0f * scale, 8.0f * scale));
    const view_rect box = {roundf(free.x + 0.5f * (free.width - width) - 12.0f * scale),
                           roundf(free.y + down), width + 24.0f * scale, 28.0f * scale};
    view_draw_round_rect(stage->canvas, view_inset(box, -scale), 6.0f * scale, edge);
    view_draw_round_rect(stage->canvas, box, 5.0f * scale, VIEW_POPOVER);
    view_draw_text(stage->canvas, VIEW_TEXT, box.x + 12.0f * scale,
                   box.y + 0.5f * (box.height - stage->font->line[VIEW_TEXT]), width + 1.0f,
                   VIEW_BRIGHT, text);
}

// Where keys go to the character, so that nobody looks for what they did before.
static void draw_driving(const view_stage *stage)
{
    char text[160];
    const view_scene *const scene = &stage->document->scene;
    if (!stage->is_driving || view_mode_of(stage->document) != VIEW_MODE_MACHINE
        || view_is_bind_pose(scene))
        return;
    (void)snprintf(text, sizeof text, "Driving %s" VIEW_DOT "%sEsc gives the keys back",
                   scene->machine.desc->name,
                   view_can_walk(&scene->machine) ? "W A S D walk" VIEW_DOT "Shift run" VIEW_DOT
                                                  : "");
    draw_badge(stage, 10.0f * stage->font->scale, VIEW_ACCENT, text);
}

// -- Drawing and input ----------------------------------------------------------------------

// What lies over the document.
static void run_document_panels(view_ui *ui, const view_stage *stage)
{
    const bool is_start = stage->is_start && !stage->shown->help;
    if (is_start && !stage->is_bare)
        view_start_panel(ui, stage);
    if (!is_start) {
        if (stage->shown->panel)
            view_surface_panel(ui, stage);
        label_joint(ui, stage);
        if (view_shows_graph(stage))
            view_graph_panel(ui, stage);
        if (stage->shown->panel && stage->recorded < 0.0)
            draw_driving(stage);
        view_dock_panels(ui, stage);
    }
    if ((stage->shown->panel || is_start) && stage->now < ui->notice_end)
        draw_badge(stage, view_layout_of(stage).free.height - 50.0f * stage->font->scale, VIEW_EDGE,
                   ui->notice);
    if (stage->shown->help)
        draw_keys(stage);
    view_browser_panel(ui, stage);
}

// All panels and lists, the upper ones last.
static void run_panels(view_ui *ui, const view_stage *stage)
{
    ui->canvas = stage->canvas;
    ui->top = (ui_item_id){NULL, 0};
    ui->fit = 1.0f;
    if (ui->is_event) // it is drawn by itself
        view_recording_panel(ui, stage);
    if (stage->pages != NULL)
        stage->page_panel(ui, stage);
    else
        run_document_panels(ui, stage);
    view_reports_panel(ui, stage);
    if (ui->export.is_open && stage->pages == NULL)
        view_export_panel(ui, stage);
    view_menu_panel(ui, stage);
}

// The one that keys go to alone, or NULL: the order is that of run_panels(), backward.
static const char *topmost_panel(const view_ui *ui, const view_stage *stage)
{
    return ui->menu.kind != VIEW_NO_MENU                ? "menu"
           : ui->export.is_open && stage->pages == NULL ? VIEW_EXPORT_PANEL
                                                        : view_open_report(ui, stage);
}

view_command view_run_ui(view_ui *ui, const view_stage *stage, const ui_mouse *event)
{
    const int32_t hovered = ui->hovered_joint;
    const size_t chosen = ui->browser.chosen;
    const ui_item_id was_hot = ui->hot;
    const uint32_t hovered_edge = ui->graph.hovered;
    bool is_pressed = event != NULL && event->is_pressed;
    const bool is_moved = event != NULL && event->is_moved;
    ui->command = (view_command){.action = VIEW_NOTHING};
    if (is_moved && ui->held != NULL && ui->active.panel == NULL)
        return ui->command; // what was pressed does not follow the mouse
    if (!(stage->font->scale > 0.0f))
        return ui->command; // nothing was drawn yet
    if (is_moved && ui->held == NULL) {
        ui->hovered_joint = -1;
        ui->lit.is_set = false;
    }
    if (is_pressed)
        ui->active.panel = ui->held = NULL;
    const ui_mouse *const place = event != NULL ? event : &ui->mouse;
    ui->mouse = (ui_mouse){.x = place->x, .y = place->y};
    ui->is_event = event != NULL;
    ui->has_taken = false;
    ui->window = (view_rect){0.0f, 0.0f, stage->width, stage->height};
    ui->modal = topmost_panel(ui, stage);
    run_panels(ui, stage);
    if (event == NULL)
        return ui->command;
    // Again with the event, now that it is known what is below the mouse. Nothing is drawn.
    const bool is_key = event->key != 0 || event->text != NULL;
    ui->hot = ui->top;
    ui->mouse = *event;
    if (is_pressed) {
        ui->is_focus_shown = false;
        ui->focus.panel = NULL;
    }
    // What has the focus is pressed by a key too.
    const bool is_return = event->key == SDLK_RETURN || event->key == SDLK_KP_ENTER;
    if (ui->is_focus_shown && ui->focus.panel != NULL && is_return && !event->control) {
        ui->hot = ui->focus;
        ui->mouse = (ui_mouse){.x = ui->focus_rect.x + 0.5f * ui->focus_rect.width,
                               .y = ui->focus_rect.y + 0.5f * ui->focus_rect.height,
                               .is_pressed = true};
        is_pressed = true;
    }
    ui->has_taken = is_pressed && ui->hot.panel != NULL;
    if (event->key == SDLK_TAB) {
        ui->before.panel = NULL;
        ui->takes_next = ui->focus.panel == NULL;
    }
    run_panels(ui, stage);
    if (event->key == SDLK_TAB) {
        if (event->shift ? ui->focus.panel == NULL : ui->takes_next)
            ui->focus = event->shift ? ui->before : (ui_item_id){NULL, 0};
        ui->is_focus_shown = ui->has_taken = true;
    }
    view_clear_canvas(stage->canvas);
    if (is_key) // the mouse is where it was
        return ui->command.action != VIEW_NOTHING || !ui->has_taken
                   ? ui->command
                   : (view_command){.action = VIEW_TAKEN};
    const bool has_changed = ui->hovered_joint != hovered || ui->browser.chosen != chosen
                             || ui->graph.hovered != hovered_edge
                             || ui->hot.number != was_hot.number || ui->hot.panel != was_hot.panel;
    if (ui->command.action == VIEW_NOTHING && (ui->has_taken || (is_moved && has_changed)))
        ui->command.action = VIEW_TAKEN;
    return ui->command;
}
