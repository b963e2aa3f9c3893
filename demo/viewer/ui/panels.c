// The interface as a whole: the region that panels leave free, keys, errors, the order of the
// panels, and the events.
#include "demo/viewer/ui/panels.h"

#include <math.h>

// -- The region that panels leave free for the model ----------------------------------------

// In layout units: the minimum width and height for a model.
static const float least_room = 120.0f;

// A panel in a corner leaves the area beside it or the area below it.
static view_rect beside_figures(view_rect all, view_rect box)
{
    const float right = all.x + all.width, bottom = all.y + all.height;
    const float x = box.x + box.width, y = box.y + box.height;
    const view_rect beside = {x, all.y, right - x, all.height};
    const view_rect below = {all.x, y, all.width, bottom - y};
    // A model fills a square better than a strip.
    const float side = fminf(beside.width, beside.height), low = fminf(below.width, below.height);
    return side > low || (side == low && beside.width * beside.height >= below.width * below.height)
               ? beside
               : below;
}

view_rect view_box_of(const view_stage *stage, view_list_fn *list)
{
    view_rows rows = {0};
    list(stage, &rows);
    return rows.box;
}

view_rect view_free_region(const view_stage *stage)
{
    const view_rect all = {0.0f, 0.0f, stage->width, stage->height - stage->caption};
    const float scale = stage->font->scale;
    if (!stage->shown->panel || scale <= 0.0f || view_shows_crowd(stage->document))
        return all;
    view_rect region = all;
    region.height = view_bar_top(stage) - stage->caption;
    if (view_shows_graph(stage))
        region.height = view_graph_box(stage).y;
    region.width = view_right_column(stage);
    // Without what comes and goes: a click, or a slow frame, must not move the picture.
    const view_pick no_pick = {.is_set = false};
    view_stage lasting = *stage;
    lasting.pick = &no_pick;
    lasting.economy = (view_economy){.scale = 0.0f};
    if (stage->surface != VIEW_SURFACE_WEIGHTS)
        region.width = fminf(region.width, view_surface_box(&lasting).x);
    region = beside_figures(region, view_box_of(&lasting, view_list_figures));
    const float least = least_room * scale;
    return region.width >= least && region.height >= least ? region : all;
}

// -- Notices --------------------------------------------------------------------------------

static void draw_notice(const view_ui *ui, const view_stage *stage)
{
    const float scale = stage->font->scale;
    if (stage->now >= ui->notice_end)
        return;
    const float text =
        fminf(view_text_width(stage->font, VIEW_TEXT, ui->notice), stage->width - 80.0f * scale);
    const view_rect box = {roundf(0.5f * (stage->width - text) - 16.0f * scale),
                           stage->height - 100.0f * scale, text + 32.0f * scale, 34.0f * scale};
    view_draw_round_rect(stage->canvas, box, 17.0f * scale, VIEW_BOX);
    view_draw_text(stage->canvas, VIEW_TEXT, box.x + 16.0f * scale, box.y + 7.0f * scale,
                   text + 1.0f, VIEW_BRIGHT, ui->notice);
}

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
            const view_key_line *const line = &page->lines[k];
            column->keys = fmaxf(column->keys, view_text_width(font, VIEW_TEXT, line->keys));
            column->help = fmaxf(column->help, view_text_width(font, VIEW_TEXT, line->help));
        }
        page->width += column->keys + column->help + 3.0f * gap;
        page->height = fmaxf(page->height, column->height);
    }
    page->height = page->height * font->line[VIEW_TEXT] + 2.0f * padding;
    return fminf(1.0f, fminf(stage->width / page->width, stage->height / page->height));
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
    const bool walks = mode == VIEW_MODE_MACHINE && view_can_walk(machine);
    return view_list_keys(mode, triggers, count, walks, lines);
}

// With the number of columns that allows the largest text.
static void draw_keys(const view_stage *stage)
{
    const view_font *const font = stage->font;
    view_canvas *const canvas = stage->canvas;
    const float line = font->line[VIEW_TEXT], gap = key_gap * font->scale;
    key_page page;
    float factor = 0.0f;
    uint32_t num_columns = 1;
    page.num_lines = view_current_keys(stage->document, page.lines);
    for (uint32_t num = 1; num <= MAX_COLUMNS; num++) {
        const float found = lay_out_keys(stage, &page, num);
        if (found > factor) {
            factor = found;
            num_columns = num;
        }
    }
    (void)lay_out_keys(stage, &page, num_columns);
    const view_rect box = {roundf(0.5f * (stage->width - page.width)),
                           roundf(0.5f * (stage->height - page.height)), page.width, page.height};
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
    view_shrink(canvas, first, 0.5f * stage->width, 0.5f * stage->height, factor);
}

// -- Errors ---------------------------------------------------------------------------------

// The error of the last file, until it is dismissed by Esc, a click or the next file.
static void error_panel(view_ui *ui, const view_stage *stage)
{
    const float scale = stage->font->scale, margin = VIEW_MARGIN * scale;
    const float padding = VIEW_PADDING * scale;
    const float room = stage->width - 2.0f * margin - 2.0f * padding;
    view_rows rows = {0};
    view_begin_rows(&rows, stage->font, fmaxf(fminf(440.0f, room / scale), 40.0f), 0.0f, "Error")
        ->color = 0xFF8A80FFu;
    view_add_wrapped(&rows, VIEW_BRIGHT, stage->log->error, 6);
    view_add_gap(&rows);
    view_add_row(&rows, VIEW_DIM, NULL, "Esc or click to dismiss");
    rows.x = roundf(0.5f * stage->width - 0.5f * rows.width - padding);
    rows.y = margin;
    const view_rect box = {rows.x, rows.y, rows.width + 2.0f * padding, view_rows_height(&rows)};
    view_draw_round_rect(stage->canvas, box, VIEW_RADIUS * scale, 0x3A1719F0u);
    (void)ui_rows(ui, "error", &rows);
    if (ui_item(ui, box, stage->log->error))
        ui_ask_action(ui, VIEW_CLOSE_LISTS);
}

// -- Drawing --------------------------------------------------------------------------------

void view_begin_ui(view_ui *ui)
{
    *ui = (view_ui){.hovered_joint = -1, .chosen_joint = -1, .fit = 1.0f};
}

void view_end_ui(view_ui *ui)
{
    view_clear_browser(&ui->browser);
}

// All panels and lists, the upper ones last.
static void run_panels(view_ui *ui, const view_stage *stage)
{
    const view_shown *const shown = stage->shown;
    float bottom = stage->height;
    ui->canvas = stage->canvas;
    ui->top = (ui_item_id){NULL, 0};
    if (stage->pages != NULL) {
        stage->page_panel(ui, stage);
        return;
    }
    if (shown->panel) {
        if (!shown->help) // the list of keys needs the space
            view_figures_panel(ui, stage);
        if (view_shows_channels(stage))
            view_channels_panel(ui, stage);
        if (view_shows_machine(stage))
            view_machine_panel(ui, stage);
        else if (view_shows_bar(stage))
            view_bar_panel(ui, stage);
        if (view_shows_graph(stage))
            view_graph_panel(ui, stage);
        if (!shown->help)
            view_surface_panel(ui, stage);
        draw_notice(ui, stage);
        bottom = view_bar_top(stage);
    }
    const float above = view_sliders_panel(ui, stage, bottom);
    if (shown->hierarchy && stage->document->scene.skeleton != NULL)
        view_joints_panel(ui, stage, above);
    view_label_joint(ui, stage);
    if (shown->help)
        draw_keys(stage);
    view_browser_panel(ui, stage);
    if (stage->log->error[0] != '\0' && ui->browser.kind == VIEW_BROWSE_NOTHING)
        error_panel(ui, stage);
}

void view_draw_marks(const view_ui *ui, const view_stage *stage)
{
    view_scene *const scene = &stage->document->scene;
    view_draw_joint(ui, stage);
    if (!stage->pick->is_set || scene->model == NULL || view_shows_crowd(stage->document))
        return;
    view_skin(scene);
    view_clear_lines(stage->lines);
    view_add_pick(stage->lines, scene, stage->pick, 0.01f * stage->camera->scene_radius);
    if (stage->measured->is_set)
        view_add_measure(stage->lines, scene, stage->pick, stage->measured,
                         0.015f * stage->camera->scene_radius);
    md5gl_draw_lines(stage->renderer, stage->lines->vertices, stage->lines->count,
                     2.0f * stage->font->scale, true);
}

void view_draw_ui(view_ui *ui, const view_stage *stage)
{
    ui->mouse = (ui_mouse){0};
    ui->is_event = false;
    run_panels(ui, stage);
}

// -- Input ----------------------------------------------------------------------------------

// Runs the panels twice: to find what is below the mouse, then with the event. Nothing is drawn.
static view_command run_event(view_ui *ui, const view_stage *stage, float x, float y,
                              ui_mouse mouse)
{
    ui->x = x;
    ui->y = y;
    ui->mouse = (ui_mouse){0};
    ui->is_event = true;
    run_panels(ui, stage);
    ui->hot = ui->top;
    ui->mouse = mouse;
    ui->has_taken = mouse.is_pressed && ui->hot.panel != NULL;
    ui->command = (view_command){.action = VIEW_NOTHING};
    run_panels(ui, stage);
    view_clear_canvas(stage->canvas);
    if (ui->command.action == VIEW_NOTHING && ui->has_taken)
        ui->command.action = VIEW_TAKEN;
    return ui->command;
}

view_command view_press_ui(view_ui *ui, const view_stage *stage, float x, float y)
{
    (void)view_release_ui(ui);
    return run_event(ui, stage, x, y, (ui_mouse){.is_pressed = true});
}

void view_drag_ui(view_ui *ui, const view_stage *stage, float x, float y)
{
    if (ui->active.panel != NULL)
        (void)run_event(ui, stage, x, y, (ui_mouse){.is_moved = true});
}

const char *view_release_ui(view_ui *ui)
{
    const char *const held = ui->held;
    ui->active = (ui_item_id){NULL, 0};
    ui->held = NULL;
    return held;
}

bool view_is_on_figures(const view_stage *stage, float x, float y)
{
    const view_shown *const shown = stage->shown;
    return shown->panel && !shown->help
           && view_contains(view_box_of(stage, view_list_figures), x, y);
}

bool view_point_ui(view_ui *ui, const view_stage *stage, float x, float y)
{
    const int32_t hovered = ui->hovered_joint;
    const size_t chosen = ui->browser.chosen;
    ui->hovered_joint = -1;
    (void)run_event(ui, stage, x, y, (ui_mouse){.is_moved = true});
    return ui->hovered_joint != hovered || ui->browser.chosen != chosen;
}

view_command view_wheel_ui(view_ui *ui, const view_stage *stage, float x, float y, float steps)
{
    return run_event(ui, stage, x, y, (ui_mouse){.wheel = steps});
}
