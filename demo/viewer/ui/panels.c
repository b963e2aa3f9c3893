// The interface as a whole: the region that panels leave free, keys, errors, the order of the
// panels, and the events.
#include "demo/viewer/ui/panels.h"

#include <math.h>

// -- The region that panels leave free for the model ----------------------------------------

// In layout units: the minimum width and height for a model.
static const float least_room = 120.0f;

static float area(view_rect rect)
{
    return rect.width * rect.height;
}

// A panel in a corner leaves the area beside it or the area below it.
static view_rect beside_figures(view_rect all, view_rect box)
{
    const float right = all.x + all.width, bottom = all.y + all.height;
    const float x = box.x + box.width, y = box.y + box.height;
    const view_rect beside = {x, all.y, right - x, all.height};
    const view_rect below = {all.x, y, all.width, bottom - y};
    // A model fills a square better than a strip.
    const float side = fminf(beside.width, beside.height), low = fminf(below.width, below.height);
    return side > low || (side == low && area(beside) >= area(below)) ? beside : below;
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
    region = beside_figures(region, view_figures_box(&lasting));
    const float least = least_room * scale;
    return region.width >= least && region.height >= least ? region : all;
}

// -- Notices --------------------------------------------------------------------------------

static void draw_notice(const view_ui *ui, const view_stage *stage)
{
    const float width = stage->width, height = stage->height;
    const float scale = stage->font->scale;
    if (stage->now >= ui->notice_end)
        return;
    const float text =
        fminf(view_text_width(stage->font, VIEW_TEXT, ui->notice), width - 80.0f * scale);
    const view_rect box = {roundf(0.5f * (width - text) - 16.0f * scale), height - 100.0f * scale,
                           text + 32.0f * scale, 34.0f * scale};
    view_draw_round_rect(stage->canvas, box, 17.0f * scale, VIEW_BOX);
    view_draw_text(stage->canvas, VIEW_TEXT, box.x + 16.0f * scale, box.y + 7.0f * scale,
                   text + 1.0f, VIEW_BRIGHT, ui->notice);
}

// -- Keys -----------------------------------------------------------------------------------

enum { MAX_COLUMNS = 4 };

// In lines: the height of a heading with its spacing, and the space before a group.
static const float heading_lines = 1.3f, gap_lines = 1.0f;

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

// The number of lines of the group at `begin`; `end`: the beginning of the next group.
static float measure_group(const key_page *page, uint32_t begin, uint32_t *end)
{
    *end = begin + 1;
    while (*end < page->num_lines && page->lines[*end].heading == NULL)
        ++*end;
    return heading_lines + (float)(*end - begin);
}

// Fills at most `num` columns of at most `most` lines. Returns whether that was enough.
static bool split_columns(key_page *page, float most, uint32_t num)
{
    page->num_columns = 0;
    for (uint32_t begin = 0, end; begin < page->num_lines; begin = end) {
        const float lines = measure_group(page, begin, &end);
        key_column *const last = &page->columns[page->num_columns > 0 ? page->num_columns - 1 : 0];
        if (page->num_columns > 0 && last->height + gap_lines + lines <= most) {
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

static void measure_column(const view_font *font, const key_page *page, key_column *column)
{
    for (uint32_t i = column->begin; i < column->end; i++) {
        const view_key_line *const line = &page->lines[i];
        column->keys = fmaxf(column->keys, view_text_width(font, VIEW_TEXT, line->keys));
        column->help = fmaxf(column->help, view_text_width(font, VIEW_TEXT, line->help));
    }
}

static float key_padding(const view_font *font)
{
    return 24.0f * font->scale;
}

// The space between keys and their texts, and between columns.
static float key_gap(const view_font *font)
{
    return 18.0f * font->scale;
}

// The columns of least height, at most `num` of them.
static void lay_out_keys(const view_font *font, key_page *page, uint32_t num)
{
    float most = 1.0f;
    while (!split_columns(page, most, num))
        most += 0.1f;
    page->width = 2.0f * key_padding(font) - 2.0f * key_gap(font);
    page->height = 0.0f;
    for (uint32_t i = 0; i < page->num_columns; i++) {
        key_column *const column = &page->columns[i];
        measure_column(font, page, column);
        page->width += column->keys + column->help + 3.0f * key_gap(font);
        page->height = fmaxf(page->height, column->height);
    }
    page->height = page->height * font->line[VIEW_TEXT] + 2.0f * key_padding(font);
}

// With the number of columns that allows the largest text.
static float fit_keys(const view_font *font, key_page *page, float width, float height)
{
    float best = 0.0f;
    uint32_t best_num = 1;
    for (uint32_t num = 1; num <= MAX_COLUMNS; num++) {
        lay_out_keys(font, page, num);
        const float factor = fminf(1.0f, fminf(width / page->width, height / page->height));
        if (factor > best) {
            best = factor;
            best_num = num;
        }
    }
    lay_out_keys(font, page, best_num);
    return best;
}

static void draw_keys_column(const view_stage *stage, const key_page *page,
                             const key_column *column, float x, float y)
{
    const float line = stage->font->line[VIEW_TEXT];
    const float help_x = x + column->keys + key_gap(stage->font);
    for (uint32_t i = column->begin; i < column->end; i++) {
        const view_key_line *const of = &page->lines[i];
        if (of->heading != NULL) {
            y += i > column->begin ? gap_lines * line : 0.0f;
            view_draw_text(stage->canvas, VIEW_TEXT, x, y, 0, VIEW_ACCENT, of->heading);
            y += heading_lines * line;
        }
        view_draw_text(stage->canvas, VIEW_TEXT, x, y, 0, VIEW_BRIGHT, of->keys);
        view_draw_text(stage->canvas, VIEW_TEXT, help_x, y, 0, VIEW_PLAIN, of->help);
        y += line;
    }
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

static void draw_keys(const view_stage *stage)
{
    const float width = stage->width, height = stage->height;
    key_page page;
    page.num_lines = view_current_keys(stage->document, page.lines);
    const float factor = fit_keys(stage->font, &page, width, height);
    const float padding = key_padding(stage->font), gap = key_gap(stage->font);
    const view_rect box = {roundf(0.5f * (width - page.width)),
                           roundf(0.5f * (height - page.height)), page.width, page.height};
    const uint32_t first = stage->canvas->count;
    view_draw_round_rect(stage->canvas, box, VIEW_RADIUS * stage->font->scale,
                         0x12151AF6u);
    float x = box.x + padding;
    for (uint32_t i = 0; i < page.num_columns; i++) {
        const key_column *const column = &page.columns[i];
        draw_keys_column(stage, &page, column, x, box.y + padding);
        x += column->keys + column->help + 3.0f * gap;
    }
    view_shrink(stage->canvas, first, 0.5f * width, 0.5f * height, factor);
}

// -- Errors ---------------------------------------------------------------------------------

// The error of the last file, until it is dismissed by Esc, a click or the next file.
static void error_panel(view_ui *ui, const view_stage *stage)
{
    const float width = stage->width;
    const float scale = stage->font->scale, margin = VIEW_MARGIN * scale;
    const float inner = fmaxf(
        fminf(440.0f * scale, width - 2.0f * margin - 2.0f * VIEW_PADDING * scale), 40.0f * scale);
    view_rows rows = {.font = stage->font, .width = inner};
    view_add_row(&rows, VIEW_ROW_TITLE, 0xFF8A80FFu, "", "Error");
    view_add_wrapped(&rows, VIEW_BRIGHT, stage->log->error, 6);
    view_add_gap(&rows);
    view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "Esc or click to dismiss");
    const view_rect box = {roundf(0.5f * width - 0.5f * inner - VIEW_PADDING * scale), margin,
                           inner + 2.0f * VIEW_PADDING * scale, view_rows_height(&rows)};
    view_draw_round_rect(stage->canvas, box, VIEW_RADIUS * scale, 0x3A1719F0u);
    view_draw_rows(stage->canvas, &rows, box.x, box.y);
    ui_begin(ui, "error");
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
    return shown->panel && !shown->help && view_contains(view_figures_box(stage), x, y);
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
