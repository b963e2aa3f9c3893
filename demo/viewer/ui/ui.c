// The interface as a whole: the order of drawing, and which part handles an event.
#include "demo/viewer/ui/panels.h"

#include <math.h>

void view_begin_ui(view_ui *ui)
{
    *ui = (view_ui){.hovered_joint = -1, .chosen_joint = -1};
}

void view_end_ui(view_ui *ui)
{
    view_clear_browser(&ui->browser);
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

static void draw_panels(view_ui *ui, const view_facts *facts)
{
    if (!facts->stage.shown->help) // the list of keys needs the space
        view_draw_figures(ui, facts);
    if (view_shows_channels(facts))
        view_draw_channels(ui, facts);
    if (view_shows_machine(facts))
        view_draw_machine(ui, facts);
    else if (view_shows_bar(facts))
        view_draw_bar(ui, facts);
    if (view_shows_graph(facts))
        view_draw_graph(ui, facts);
    if (!facts->stage.shown->help)
        view_draw_surface(ui, facts);
    draw_notice(ui, facts);
}

static void draw_lists(view_ui *ui, const view_facts *facts)
{
    const view_stage *const stage = &facts->stage;
    if (stage->shown->light_list)
        view_draw_lights(ui, facts);
    if (stage->shown->parm_list)
        view_draw_parms(ui, facts);
    if (stage->shown->hierarchy && stage->document->scene.skeleton != NULL)
        view_draw_hierarchy(ui, facts);
    view_label_joint(ui, facts);
    if (stage->shown->help)
        view_draw_keys(facts);
    view_draw_browser(&ui->browser, stage->canvas, facts->width, facts->height, facts->preview);
    if (stage->log->error[0] != '\0' && ui->browser.kind == VIEW_BROWSE_NOTHING)
        view_draw_error(ui, facts);
}

void view_draw_marks(const view_ui *ui, const view_facts *facts)
{
    const view_stage *const stage = &facts->stage;
    view_scene *const scene = &stage->document->scene;
    view_draw_joint(ui, facts);
    if (!facts->pick->is_set || scene->model == NULL || stage->document->crowd.count > 0)
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
    ui->layout = (view_layout){0};
    if (facts->stage.shown->panel)
        draw_panels(ui, facts);
    draw_lists(ui, facts);
}

// -- Input ----------------------------------------------------------------------------------

static view_request press_error(const view_ui *ui, const view_facts *facts, float x, float y)
{
    if (facts->stage.log->error[0] == '\0' || !view_contains(ui->layout.error, x, y))
        return (view_request){.kind = VIEW_REQUEST_PASS};
    return (view_request){.kind = VIEW_REQUEST_PERFORM, .action = VIEW_CLOSE_LISTS};
}

// A row of the figures.
static view_request press_hit(const view_ui *ui, float x, float y)
{
    const view_layout *const layout = &ui->layout;
    for (uint32_t i = 0; i < layout->num_hits; i++) {
        const view_hit *const hit = &layout->hits[i];
        if (!view_contains(hit->rect, x, y))
            continue;
        if (hit->kind == VIEW_HIT_MESH)
            return (view_request){.kind = VIEW_REQUEST_MESH, .number = hit->mesh};
        if (hit->kind == VIEW_HIT_TEXTURE)
            return (view_request){.kind = VIEW_REQUEST_TEXTURES, .number = hit->mesh};
        const view_action action = hit->kind == VIEW_HIT_FILES ? VIEW_FILES : VIEW_CLIPS;
        return (view_request){.kind = VIEW_REQUEST_PERFORM, .action = action};
    }
    return (view_request){.kind = VIEW_REQUEST_PASS};
}

// The topmost part handles the press.
view_request view_press_ui(view_ui *ui, const view_facts *facts, float x, float y)
{
    view_request request = view_press_browser(&ui->browser, facts->stage.font, x, y);
    if (request.kind == VIEW_REQUEST_PASS)
        request = press_error(ui, facts, x, y);
    if (request.kind == VIEW_REQUEST_PASS)
        request = view_press_hierarchy(ui, facts, x, y);
    if (request.kind == VIEW_REQUEST_PASS)
        request = view_press_lights(ui, facts, x, y);
    if (request.kind == VIEW_REQUEST_PASS)
        request = view_press_parms(ui, facts, x, y);
    if (request.kind == VIEW_REQUEST_PASS)
        request = press_hit(ui, x, y);
    if (request.kind == VIEW_REQUEST_PASS && view_contains(ui->layout.surface, x, y))
        request.kind = VIEW_REQUEST_DONE;
    if (request.kind == VIEW_REQUEST_PASS)
        request = view_press_channels(ui, facts, x, y);
    if (request.kind == VIEW_REQUEST_PASS)
        request = view_press_graph(ui, facts, x, y);
    if (request.kind == VIEW_REQUEST_PASS)
        request = view_press_machine(ui, facts, x, y);
    if (request.kind == VIEW_REQUEST_PASS)
        request = view_press_bar(ui, facts, x, y);
    return request;
}

bool view_is_on_figures(const view_facts *facts, float x, float y)
{
    const view_shown *const shown = facts->stage.shown;
    return shown->panel && !shown->help && view_contains(view_figures_box(facts), x, y);
}

view_request view_drag_ui(const view_ui *ui, const view_facts *facts, float x)
{
    switch (ui->drag) {
    case VIEW_DRAG_TIME:
        return view_drag_bar(ui, facts, x);
    case VIEW_DRAG_PARAMETER:
        return view_drag_machine(ui, facts, x);
    case VIEW_DRAG_LIGHT:
        return view_drag_light(ui, facts, x);
    case VIEW_DRAG_PARM:
        return view_drag_parm(ui, facts, x);
    default:
        return (view_request){.kind = VIEW_REQUEST_PASS};
    }
}

bool view_point_ui(view_ui *ui, const view_facts *facts, float x, float y)
{
    const bool on_list = view_point_browser(&ui->browser, facts->stage.font, x, y);
    return view_point_hierarchy(ui, facts, x, y) || on_list;
}

view_request view_wheel_ui(view_ui *ui, const view_facts *facts, float x, float y, float steps)
{
    const view_request request = view_wheel_browser(&ui->browser, steps);
    if (request.kind != VIEW_REQUEST_PASS || !view_contains(ui->layout.hierarchy, x, y))
        return request;
    ui->hierarchy_scroll -= steps * 3.0f * facts->stage.font->line[VIEW_TEXT];
    return (view_request){.kind = VIEW_REQUEST_DONE};
}
