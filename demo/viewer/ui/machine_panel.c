// The panel of a state machine: what its layers do, its parameters as sliders and buttons; and the
// keys and the mouse that set them.
#include "demo/viewer/jobs/view.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/base/panel.h"

#include <stdio.h>

static const float box_width = 270.0f, label_width = 96.0f, switch_side = 12.0f;

// -- Layers ---------------------------------------------------------------------------------

static void add_layer_row(const view_machine *machine, uint32_t number, view_rows *rows)
{
    const md5_layer_desc *const layer = &machine->desc->layers[number];
    const md5_layer_status status = md5_player_layer(machine->player, number);
    const char *const state = layer->states[status.state].name;
    if (status.from >= 0)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_AMBER, layer->name, "%s \xE2\x86\x92 %s  %.0f %%",
                     layer->states[status.from].name, state, 100.0 * (double)status.progress);
    else
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, layer->name, "%s  %.2f", state, status.time);
}

static void add_event_rows(const view_machine *machine, view_rows *rows)
{
    const double lifetime = 1.5;
    for (int i = 0; i < VIEW_EVENTS; i++) {
        const view_event *const event = &machine->events[i];
        const bool is_fresh =
            event->text[0] != '\0' && fabs(machine->time - event->time) < lifetime;
        view_add_row(rows, VIEW_ROW_TEXT, i == 0 ? VIEW_ACCENT : VIEW_DIM, "", "%s",
                     is_fresh ? event->text : "");
    }
}

// -- Parameters -----------------------------------------------------------------------------

// The key of a trigger, for its button.
static void trigger_key(uint32_t number, char *text, size_t size)
{
    if (number == 0)
        (void)snprintf(text, size, "Space");
    else
        (void)snprintf(text, size, "F%u", (unsigned)number + 1);
}

static void draw_slider(view_state *viewer, uint32_t parameter, view_rect row)
{
    const view_machine *const machine = &viewer->document->scene.machine;
    float low, high;
    view_parameter_range(machine->desc, machine->desc->parameters[parameter].name, &low, &high);
    const float value = md5_player_get(machine->player, parameter);
    view_draw_slider(&viewer->canvas, row, (value - low) / (high - low));
}

static void draw_switch(view_state *viewer, uint32_t parameter, uint32_t *num_triggers,
                        view_rect row)
{
    const view_machine *const machine = &viewer->document->scene.machine;
    const float scale = viewer->font.scale, side = switch_side * scale;
    const bool is_set = md5_player_get(machine->player, parameter) != 0.0f;
    const view_rect box = {row.x, row.y + 0.5f * (row.height - side), side, side};
    const bool is_trigger = machine->desc->parameters[parameter].kind == MD5_PARAMETER_TRIGGER;
    view_draw_round_rect(&viewer->canvas, box, (is_trigger ? 0.5f : 0.25f) * side,
                         is_set ? VIEW_ACCENT : 0x4A5361FFu);
    if (!is_trigger)
        return;
    char key[16];
    trigger_key((*num_triggers)++, key, sizeof key);
    view_draw_text(&viewer->canvas, VIEW_TEXT, row.x + side + 8.0f * scale, row.y, 0, VIEW_DIM,
                   key);
}

static void draw_parameters(view_state *viewer)
{
    const md5_machine_desc *const desc = viewer->document->scene.machine.desc;
    const view_rect all = viewer->layout.parameters;
    const float scale = viewer->font.scale, line = viewer->font.line[VIEW_TEXT];
    uint32_t num_triggers = 0;
    for (uint32_t i = 0; i < desc->num_parameters; i++) {
        const float y = all.y + (float)i * line;
        const view_rect row = {all.x + label_width * scale, y, all.width - label_width * scale,
                               line};
        view_draw_text(&viewer->canvas, VIEW_TEXT, all.x, y, (label_width - 8) * scale, VIEW_PLAIN,
                       desc->parameters[i].name);
        if (desc->parameters[i].kind == MD5_PARAMETER_FLOAT)
            draw_slider(viewer, i, row);
        else
            draw_switch(viewer, i, &num_triggers, row);
    }
}

void view_draw_machine(view_state *viewer, float width, float height)
{
    const view_machine *const machine = &viewer->document->scene.machine;
    const float scale = viewer->font.scale, margin = VIEW_MARGIN * scale;
    const float line = viewer->font.line[VIEW_TEXT];
    const md5_machine_desc *const desc = machine->desc;
    view_rows rows = {
        .font = &viewer->font, .width = box_width * scale, .label_width = label_width * scale};
    (void)height;
    view_add_row(&rows, VIEW_ROW_TITLE, VIEW_BRIGHT, "", "%s", desc->name);
    for (uint32_t i = 0; i < desc->num_layers; i++)
        add_layer_row(machine, i, &rows);
    view_add_gap(&rows);
    add_event_rows(machine, &rows);
    view_add_gap(&rows);
    const float above = view_rows_height(&rows) - VIEW_PADDING * scale;
    // Room for the parameters, which are drawn over it.
    for (uint32_t i = 0; i < desc->num_parameters; i++)
        view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "%s", "");
    view_add_gap(&rows);
    view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "WASD: walk  Shift: run");
    const float x = width - margin - (box_width + 2 * VIEW_PADDING) * scale;
    view_draw_rows(&viewer->canvas, &rows, x, margin);
    viewer->layout.parameters = (view_rect){x + VIEW_PADDING * scale, margin + above,
                                            box_width * scale, (float)desc->num_parameters * line};
    draw_parameters(viewer);
}

// -- Mouse ----------------------------------------------------------------------------------

// From now on a person says what is done.
static void take_over(view_machine *machine)
{
    if (machine->acts)
        machine->control = (view_control){.moves_ahead = true, .moves_side = true};
    machine->acts = false;
}

bool view_press_machine(view_state *viewer, float x, float y)
{
    view_machine *const machine = &viewer->document->scene.machine;
    const view_rect all = viewer->layout.parameters;
    if (machine->player == NULL || !view_contains(all, x, y))
        return false;
    const md5_machine_desc *const desc = machine->desc;
    const float line = viewer->font.line[VIEW_TEXT];
    const uint32_t parameter = (uint32_t)((y - all.y) / line);
    if (parameter >= desc->num_parameters)
        return false;
    take_over(machine);
    viewer->dragged_parameter = parameter;
    if (desc->parameters[parameter].kind == MD5_PARAMETER_FLOAT)
        view_drag_machine(viewer, x);
    else
        view_push_parameter(machine, parameter);
    view_tell_state(viewer, "push");
    return true;
}

void view_drag_machine(view_state *viewer, float x)
{
    view_machine *const machine = &viewer->document->scene.machine;
    const md5_parameter_desc *const parameters = machine->desc->parameters;
    const uint32_t parameter = viewer->dragged_parameter;
    if (parameters[parameter].kind != MD5_PARAMETER_FLOAT)
        return;
    const view_rect all = viewer->layout.parameters;
    const float left = all.x + label_width * viewer->font.scale;
    const float part = view_clamp((x - left) / (all.x + all.width - left), 0.0f, 1.0f);
    float low, high;
    view_parameter_range(machine->desc, parameters[parameter].name, &low, &high);
    (void)md5_player_set(machine->player, parameter, low + part * (high - low));
}

void view_point_machine(view_state *viewer, float x, float y)
{
    view_machine *const machine = &viewer->document->scene.machine;
    const float width = (float)viewer->width, height = (float)viewer->height;
    view_camera camera = viewer->camera;
    camera.target = view_add(camera.target, view_walked(&viewer->document->scene, &viewer->play));
    const view_lens lens = view_camera_lens(&camera, width, height);
    // A little nearer than what the camera looks at, so that one reaches and looks out of the
    // picture.
    const float depth = 0.7f * camera.distance, wide = lens.orthographic ? 1.0f : depth;
    const md5_vec3 right =
        view_scale(lens.axes.right, (2.0f * x / width - 1.0f) * lens.half_x * wide);
    const md5_vec3 up = view_scale(lens.axes.up, (1.0f - 2.0f * y / height) * lens.half_y * wide);
    machine->target =
        view_add(view_add(lens.eye, view_scale(lens.axes.back, -depth)), view_add(right, up));
    machine->has_target = true;
}

// -- Keys -----------------------------------------------------------------------------------

static void walk(view_control *control, view_action action, bool down)
{
    switch (action) {
    case VIEW_AHEAD:
        control->ahead = down ? 1 : 0;
        break;
    case VIEW_BACK:
        control->ahead = down ? -1 : 0;
        break;
    case VIEW_TO_RIGHT:
        control->side = down ? 1 : 0;
        break;
    case VIEW_TO_LEFT:
        control->side = down ? -1 : 0;
        break;
    default:
        control->fast = down;
        break;
    }
}

static void press_trigger(view_state *viewer, const view_binding *binding)
{
    view_machine *const machine = &viewer->document->scene.machine;
    const int32_t trigger = view_find_trigger(machine, binding->trigger);
    if (trigger < 0) {
        view_notice(viewer, "%s: this machine has no trigger for it (P pauses)", binding->keys);
        return;
    }
    view_push_parameter(machine, (uint32_t)trigger);
    view_tell_state(viewer, "push");
}

// What is set while nothing goes on would only be seen later.
static void tell_why_still(view_state *viewer)
{
    if (viewer->document->scene.bind_pose)
        view_notice(viewer, "The bind pose is shown: Shift+P goes back to the machine");
    else if (!viewer->play.playing)
        view_notice(viewer, "Paused: P plays on");
}

void view_drive(view_state *viewer, const view_binding *binding, bool down)
{
    view_machine *const machine = &viewer->document->scene.machine;
    if (machine->player == NULL)
        return;
    if (down) {
        take_over(machine);
        tell_why_still(viewer);
    }
    if (binding->action == VIEW_TRIGGER) {
        if (down)
            press_trigger(viewer, binding);
        return;
    }
    walk(&machine->control, binding->action, down);
    view_tell_state(viewer, down ? "drive" : "let-go");
}
