// The interface as a whole: which panels are shown and where, their order, and the events.
#include "demo/viewer/ui/panels.h"

#include <math.h>

// -- What is shown --------------------------------------------------------------------------

// In layout units: in smaller windows, panels of full width leave no space between them.
static const float compact_below = 1000.0f;

bool view_is_compact(const view_facts *facts)
{
    return facts->width < compact_below * facts->stage.font->scale;
}

bool view_shows_machine(const view_facts *facts)
{
    return view_mode_of(facts->stage.document) == VIEW_MODE_MACHINE && !facts->stage.shown->help
           && !facts->stage.shown->hierarchy;
}

bool view_shows_bar(const view_facts *facts)
{
    return !view_shows_machine(facts) && view_clock(&facts->stage.document->scene) != NULL;
}

float view_bar_top(const view_facts *facts)
{
    const float height = (VIEW_MARGIN + VIEW_BAR_HEIGHT) * facts->stage.font->scale;
    return facts->height - (view_shows_bar(facts) ? height : 0.0f);
}

float view_right_column(const view_facts *facts)
{
    float left = facts->width;
    if (facts->stage.shown->hierarchy && facts->stage.document->scene.skeleton != NULL)
        left = fminf(left, view_joints_left(facts));
    else if (view_mode_of(facts->stage.document) == VIEW_MODE_MACHINE)
        left = fminf(left, view_machine_box(facts).x);
    else if (view_shows_channels(facts))
        left = fminf(left, view_channels_box(facts).x);
    return left;
}

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

view_rect view_free_region(const view_facts *facts)
{
    const view_rect all = {0.0f, 0.0f, facts->width, facts->height - facts->caption};
    const float scale = facts->stage.font->scale;
    if (!facts->stage.shown->panel || scale <= 0.0f || view_shows_crowd(facts->stage.document))
        return all;
    view_rect region = all;
    region.height = view_bar_top(facts) - facts->caption;
    if (view_shows_graph(facts))
        region.height = view_graph_box(facts).y;
    region.width = view_right_column(facts);
    // Without what comes and goes: a click, or a slow frame, must not move the picture.
    const view_pick no_pick = {.is_set = false};
    view_facts lasting = *facts;
    lasting.pick = &no_pick;
    lasting.economy = (view_economy){.scale = 0.0f};
    if (facts->stage.surface != VIEW_SURFACE_WEIGHTS)
        region.width = fminf(region.width, view_surface_box(&lasting).x);
    region = beside_figures(region, view_figures_box(&lasting));
    const float least = least_room * scale;
    return region.width >= least && region.height >= least ? region : all;
}

// -- Drawing --------------------------------------------------------------------------------

static void draw_notice(const view_ui *ui, const view_facts *facts)
{
    const float width = facts->width, height = facts->height;
    const float scale = facts->stage.font->scale;
    if (facts->now >= ui->notice_end)
        return;
    const float text =
        fminf(view_text_width(facts->stage.font, VIEW_TEXT, ui->notice), width - 80.0f * scale);
    const view_rect box = {roundf(0.5f * (width - text) - 16.0f * scale), height - 100.0f * scale,
                           text + 32.0f * scale, 34.0f * scale};
    view_draw_round_rect(facts->stage.canvas, box, 17.0f * scale, VIEW_BOX);
    view_draw_text(facts->stage.canvas, VIEW_TEXT, box.x + 16.0f * scale, box.y + 7.0f * scale,
                   text + 1.0f, VIEW_BRIGHT, ui->notice);
}

// All panels and lists, the upper ones last.
static void run_panels(view_ui *ui, const view_facts *facts)
{
    const view_stage *const stage = &facts->stage;
    const view_shown *const shown = stage->shown;
    float bottom = facts->height;
    ui->canvas = stage->canvas;
    ui->top = (ui_item_id){NULL, 0};
    if (shown->panel) {
        if (!shown->help) // the list of keys needs the space
            view_figures_panel(ui, facts);
        if (view_shows_channels(facts))
            view_channels_panel(ui, facts);
        if (view_shows_machine(facts))
            view_machine_panel(ui, facts);
        else if (view_shows_bar(facts))
            view_bar_panel(ui, facts);
        if (view_shows_graph(facts))
            view_graph_panel(ui, facts);
        if (!shown->help)
            view_surface_panel(ui, facts);
        draw_notice(ui, facts);
        bottom = view_bar_top(facts);
    }
    const float above = view_sliders_panel(ui, facts, bottom);
    if (shown->hierarchy && stage->document->scene.skeleton != NULL)
        view_joints_panel(ui, facts, above);
    view_label_joint(ui, facts);
    if (shown->help)
        view_draw_keys(facts);
    view_browser_panel(ui, facts);
    if (stage->log->error[0] != '\0' && ui->browser.kind == VIEW_BROWSE_NOTHING)
        view_error_panel(ui, facts);
}

void view_draw_marks(const view_ui *ui, const view_facts *facts)
{
    const view_stage *const stage = &facts->stage;
    view_scene *const scene = &stage->document->scene;
    view_draw_joint(ui, facts);
    if (!facts->pick->is_set || scene->model == NULL || view_shows_crowd(stage->document))
        return;
    view_skin(scene);
    view_clear_lines(stage->lines);
    view_add_pick(stage->lines, scene, facts->pick, 0.01f * stage->camera->scene_radius);
    if (facts->measured->is_set)
        view_add_measure(stage->lines, scene, facts->pick, facts->measured,
                         0.015f * stage->camera->scene_radius);
    md5gl_draw_lines(stage->renderer, stage->lines->vertices, stage->lines->count,
                     2.0f * stage->font->scale, true);
}

void view_draw_ui(view_ui *ui, const view_facts *facts)
{
    ui->mouse = (ui_mouse){0};
    ui->is_event = false;
    run_panels(ui, facts);
}

// -- Input ----------------------------------------------------------------------------------

// Runs the panels twice: to find what is below the mouse, then with the event. Nothing is drawn.
static view_command run_event(view_ui *ui, const view_facts *facts, float x, float y,
                              ui_mouse mouse)
{
    ui->x = x;
    ui->y = y;
    ui->mouse = (ui_mouse){0};
    ui->is_event = true;
    run_panels(ui, facts);
    ui->hot = ui->top;
    ui->mouse = mouse;
    ui->has_taken = mouse.is_pressed && ui->hot.panel != NULL;
    ui->command = (view_command){.action = VIEW_NOTHING};
    run_panels(ui, facts);
    view_clear_canvas(facts->stage.canvas);
    if (ui->command.action == VIEW_NOTHING && ui->has_taken)
        ui->command.action = VIEW_TAKEN;
    return ui->command;
}

view_command view_press_ui(view_ui *ui, const view_facts *facts, float x, float y)
{
    (void)view_release_ui(ui);
    return run_event(ui, facts, x, y, (ui_mouse){.is_pressed = true});
}

void view_drag_ui(view_ui *ui, const view_facts *facts, float x, float y)
{
    if (ui->active.panel != NULL)
        (void)run_event(ui, facts, x, y, (ui_mouse){.is_moved = true});
}

const char *view_release_ui(view_ui *ui)
{
    const char *const held = ui->held;
    ui->active = (ui_item_id){NULL, 0};
    ui->held = NULL;
    return held;
}

bool view_is_on_figures(const view_facts *facts, float x, float y)
{
    const view_shown *const shown = facts->stage.shown;
    return shown->panel && !shown->help && view_contains(view_figures_box(facts), x, y);
}

bool view_point_ui(view_ui *ui, const view_facts *facts, float x, float y)
{
    const int32_t hovered = ui->hovered_joint;
    const size_t chosen = ui->browser.chosen;
    ui->hovered_joint = -1;
    (void)run_event(ui, facts, x, y, (ui_mouse){.is_moved = true});
    return ui->hovered_joint != hovered || ui->browser.chosen != chosen;
}

view_command view_wheel_ui(view_ui *ui, const view_facts *facts, float x, float y, float steps)
{
    return run_event(ui, facts, x, y, (ui_mouse){.wheel = steps});
}
