// The inspector in the right dock: measurements, the selected mesh or joint, lights and materials,
// parameters of a state machine, channels and states of an entity, and statistics of the document.
#include "demo/viewer/ui/inspector.h"

#include "demo/viewer/ui/info.h"
#include "demo/viewer/ui/retarget.h"
#include "demo/viewer/ui/settings.h"
#include "demo/viewer/ui/textures.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// == The selected joint =====================================================================

const char *const view_value_names[VIEW_NUM_VALUE_KINDS] = {"Position", "Degrees", "Quat."};
const int view_value_places[VIEW_NUM_VALUE_KINDS] = {3, 2, 4};
const char *const view_axis_names[4] = {"x", "y", "z", "w"};
const view_color view_axis_colors[4] = {VIEW_WRONG, VIEW_FINE, VIEW_ACCENT, VIEW_DIM};

// Computes the values of a joint. The angles are in degrees, about the fixed axes x, y and z in
// this order.
void view_find_values(md5_mat34 matrix, view_joint_values values)
{
    const md5_vec3 position = md5_mat34_translation(matrix);
    const md5_quat q = md5_quat_from_mat34(matrix);
    const md5_mat34 rotation =
        md5_mat34_from_xform((md5_xform){.rotation = q, .translation = {0, 0, 0}});
    const float *const m = rotation.m;
    const view_joint_values all = {
        {position.x, position.y, position.z, 0},
        {view_degrees(atan2f(m[9], m[10])), view_degrees(asinf(view_clamp(-m[8], -1, 1))),
         view_degrees(atan2f(m[4], m[0])), 0},
        {q.x, q.y, q.z, q.w},
    };
    memcpy(values, all, sizeof all);
}

// Displays the values as a table with columns of constant width. In a wide dock each column is an
// axis, in a narrow dock each row is an axis.
static void show_values(view_ui *ui, const char *title, view_joint_values values)
{
    const float em = ui->em;
    const float width = ui->column->area.width - 1.4f * em;
    const bool is_wide = width >= 23.1f * em;
    const int num_rows = is_wide ? VIEW_NUM_VALUE_KINDS : 4;
    const int num_columns = is_wide ? 4 : VIEW_NUM_VALUE_KINDS;
    const float wide = (width - (is_wide ? 5 : 1) * em) / (float)num_columns;
    const char *const *const rows = is_wide ? view_value_names : view_axis_names;
    const char *const *const columns = is_wide ? view_axis_names : view_value_names;
    for (int r = -1; r < num_rows; r++) {
        view_color color = VIEW_PLAIN;
        if (r >= 0)
            color = is_wide ? VIEW_DIM : view_axis_colors[r];
        ui_cells cells = {
            .name = r < 0 ? title : rows[r], .count = (uint32_t)num_columns, .color = color};
        view_rect row;
        view_color colors[4] = {VIEW_DIM, VIEW_DIM, VIEW_DIM, VIEW_DIM};
        for (int c = 0; c < num_columns; c++) {
            const int kind = is_wide ? r : c;
            const int axis = is_wide ? c : r;
            if (r >= 0)
                colors[c] = VIEW_BRIGHT;
            else if (is_wide)
                colors[c] = view_axis_colors[c];
            if (r < 0) // in a narrow dock the title replaces the first name
                COMMON_TEXT(cells.texts[c], "%s", is_wide || c > 0 ? columns[c] : "");
            else if (axis < 3 || kind == 2)
                view_format_number(cells.texts[c], sizeof cells.texts[c], values[kind][axis],
                                   view_value_places[kind], false);
        }
        cells.colors = colors;
        if (ui_reserve_row(ui, ceilf(1.6f * em), &row))
            ui_draw_cells(ui, row, wide, &cells);
    }
}

// Copies the values of a joint as text with full precision.
static void copy_values(view_ui *ui, const char *name, view_joint_values local,
                        view_joint_values model)
{
    char text[1024];
    COMMON_TEXT(text, "%.200s", name);
    for (int space = 0; space < 2; space++)
        for (int kind = 0; kind < VIEW_NUM_VALUE_KINDS; kind++) {
            common_append(text, sizeof text, "\n", "%s %s", space == 0 ? "local" : "model",
                          view_value_names[kind]);
            for (int i = 0; i < (kind == 2 ? 4 : 3); i++)
                common_append(text, sizeof text, "\t", "%.9g",
                              (space == 0 ? local : model)[kind][i]);
        }
    ui_copy(ui, ui->stage->now, text, name);
}

// A vertex that the joint influences.
typedef struct weighted {
    float weight;
    uint32_t mesh;
    uint32_t vertex;
    uint32_t num_joints; // that influence the vertex
} weighted;

static int compare_weights(const void *a, const void *b)
{
    const weighted *const x = a;
    const weighted *const y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->mesh != y->mesh)
        return x->mesh < y->mesh ? -1 : 1;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

// Finds the file vertices that a joint influences. Writes at most `capacity` of them. Returns their
// total number.
static uint32_t find_weights(const md5_model *model, uint32_t joint, weighted *all,
                             uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        for (uint32_t v = 0; v < mesh->num_file_vertices && v < mesh->num_vertices; v++) {
            const uint32_t first = mesh->first_influence[v];
            const uint32_t end = mesh->first_influence[v + 1];
            for (uint32_t i = first; i < end; i++) {
                if (mesh->influence_joints[i] != joint)
                    continue;
                if (count < capacity)
                    all[count] = (weighted){mesh->influences[i].w, m, v, end - first};
                count++;
            }
        }
    }
    return count;
}

// Displays a row of the table of weights: the vertex, its weight as number and bar, and the number
// of its joints. `vertex_width` is the width of the first column.
static void show_weight(view_ui *ui, const md5_model *model, view_rect row, float vertex_width,
                        const weighted *influence)
{
    const bool has_meshes = model->num_meshes > 1;
    const float em = ui->em;
    const float padding = 0.7f * em;
    const float y = ui_text_top(ui, row);
    const float left = row.x + padding;
    const float right = row.x + row.width - padding;
    const float weight = left + vertex_width + 3.6f * em;
    const char *const mesh = model->meshes[influence->mesh].name;
    char text[48];
    COMMON_TEXT(text, "%u", influence->vertex);
    const float number = ui_text_width(ui, text);
    if (has_meshes)
        ui_text(ui, left, y, fmaxf(vertex_width - number - 1.2f * em, em), VIEW_DIM, mesh);
    ui_text_left_of(ui, has_meshes ? left + vertex_width - 0.8f * em : left + number, y,
                    VIEW_BRIGHT, text);
    view_format_number(text, sizeof text, influence->weight, 4, false);
    ui_text_left_of(ui, weight, y, VIEW_BRIGHT, text);
    const view_rect line = {weight + 0.7f * em, row.y + 0.5f * row.height - 0.15f * em,
                            right - 1.6f * em - weight - 0.7f * em, 0.3f * em};
    if (line.width > em)
        ui_bar(ui, line, fabsf(influence->weight));
    COMMON_TEXT(text, "%u", influence->num_joints);
    ui_text_left_of(ui, right, y, VIEW_DIM, text);
}

// Lists the vertices that a joint influences, sorted by weight.
static void show_weights(view_ui *ui, const md5_model *model, uint32_t joint)
{
    const float em = ui->em;
    const float padding = 0.7f * em;
    const uint32_t count = model != NULL ? find_weights(model, joint, NULL, 0) : 0;
    char text[48];
    COMMON_TEXT(text, count == 1 ? "%u vertex" : "%u vertices", count);
    if (!ui_section(ui, UI_SECTION_WEIGHTS, "Weights", text))
        return;
    if (count == 0) {
        ui_pair(ui, "no vertices", "", false);
        return;
    }
    weighted *const all = common_alloc(count, sizeof *all);
    find_weights(model, joint, all, count);
    qsort(all, count, sizeof *all, compare_weights);
    const bool has_meshes = model->num_meshes > 1;
    const float vertex_width = (has_meshes ? 9 : 4) * em;
    for (int64_t i = -1; i < (int64_t)count; i++) {
        view_rect row;
        if (!ui_reserve_row(ui, ceilf(1.6f * em), &row))
            continue;
        if (i < 0) {
            const float y = ui_text_top(ui, row);
            const float left = row.x + padding;
            ui_text(ui, left, y, 0, VIEW_DIM, has_meshes ? "mesh, vertex" : "vertex");
            ui_text_left_of(ui, left + vertex_width + 3.6f * em, y, VIEW_DIM, "weight");
            ui_text_left_of(ui, row.x + row.width - padding, y, VIEW_DIM, "of");
            continue;
        }
        ui_item(ui, row, "");
        // The view highlights the vertex of the row under the mouse.
        if (ui->mouse.is_moved && ui_is_hot(ui))
            ui->lit = (view_pick){.is_set = true, .mesh = all[i].mesh, .vertex = all[i].vertex};
        if (ui_is_hot(ui))
            view_draw_rect(ui->canvas, row, VIEW_CONTROL);
        show_weight(ui, model, row, vertex_width, &all[i]);
    }
    free(all);
}

// Returns true if an aim modifier rotates the joint: `length` joints upward from its own joint.
static bool is_aimed(const view_scene *scene, const md5_modifier_desc *aim, uint32_t joint)
{
    if (aim->kind != MD5_MODIFIER_AIM)
        return false;
    uint32_t rotated = md5_find_joint(scene->skeleton, aim->joint);
    uint32_t length = aim->length > 0 ? aim->length : 2;
    for (; rotated != MD5_NONE && rotated != joint && length > 1; length--)
        rotated = scene->skeleton->joints[rotated].parent;
    return rotated == joint;
}

// Displays the limit of the first aim modifier of the state machine that rotates the joint, if any.
static void show_limits(view_ui *ui, uint32_t joint)
{
    const uint32_t count =
        view_shows_machine(ui->stage) ? ui->scene->machine.desc->num_modifiers : 0;
    for (uint32_t i = 0; i < count; i++) {
        const md5_modifier_desc *const aim = &ui->scene->machine.desc->modifiers[i];
        char number[32];
        if (!is_aimed(ui->scene, aim, joint) || aim->aim.limit == 0)
            continue;
        view_format_number(number, sizeof number, view_degrees(aim->aim.limit), 2, false);
        if (ui_section(ui, UI_SECTION_LIMITS, "Limits", ""))
            ui_fact(ui, aim->name, "at most %s\xC2\xB0", number);
        return;
    }
}

static void joint_panel(view_ui *ui)
{
    const float em = ui->em;
    const int32_t selected = ui->selected_joint;
    if (selected < 0 || (uint32_t)selected >= ui->scene->num_joints
        || view_shows_crowd(ui->stage->document))
        return;
    const uint32_t number = (uint32_t)selected;
    const md5_joint *const joints = ui->scene->skeleton->joints;
    const md5_joint *const joint = &joints[number];
    char text[64];
    int32_t next = -1;
    view_rect row;
    ui_begin(ui, "chosen");
    COMMON_TEXT(text, "joint %u", number);
    ui_page_title(ui, joint->name, text);
    if (joint->parent == MD5_NONE)
        ui_pair(ui, "Parent", "none", false);
    else if (ui_pair(ui, "Parent", joints[joint->parent].name, true))
        next = (int32_t)joint->parent;
    const char *label = "Children";
    for (uint32_t i = 0; i < ui->scene->num_joints; i++)
        if (joints[i].parent == number) {
            if (ui_pair(ui, label, joints[i].name, true))
                next = (int32_t)i;
            label = "";
        }
    view_joint_values local;
    view_joint_values model;
    view_find_values(view_joint_matrix(ui->scene, number, true), local);
    view_find_values(view_joint_matrix(ui->scene, number, false), model);
    const md5_anim *const anim = view_timing_anim(ui->scene);
    if (anim != NULL)
        COMMON_TEXT(text, "Transform at frame %.1f", view_frame_position(ui->stage->play, anim));
    else
        COMMON_TEXT(text, "Transform");
    const float top = ui->column->y;
    const bool is_open = ui_section(ui, UI_SECTION_PLACE, text, "");
    const view_rect area = ui->column->area;
    const view_rect button = {area.x + area.width - 4.6f * em, top + 0.15f * em, 4 * em,
                              ceilf(1.6f * em)};
    const bool is_copied = ui_button(ui, button, "Copy", false);
    if (is_copied || (ui->mouse.control && ui_key(ui, 'c')))
        copy_values(ui, joint->name, local, model);
    if (is_open) {
        show_values(ui, "Local", local);
        show_values(ui, "Model", model);
    }
    show_limits(ui, number);
    show_weights(ui, ui->scene->model, number);
    ui_reserve_row(ui, ceilf(0.5f * em), &row);
    if (next >= 0) {
        ui->selected_joint = next;
        ui->command.action = VIEW_MARKED;
    }
}

// == A state machine ======================================================================

// Displays the last events, each for 1.5 s. The rows remain, without text.
static void list_fired(view_ui *ui, const view_event *events, int count, double now, bool is_fixed)
{
    const double lifetime = 1.5;
    for (int i = 0; i < count; i++) {
        const bool is_recent = fabs(now - events[i].time) < lifetime;
        const ui_row_style words = {.color = i == 0 ? VIEW_ACCENT : VIEW_DIM, .is_fixed = is_fixed};
        ui_row(ui, &words, is_recent ? events[i].text : "");
    }
}

// Displays the curves of the clips or, if `are_curves` is false, the windows, with their values.
static void list_tracks(view_ui *ui, const view_machine *machine, bool are_curves)
{
    const md5_machine *const made = machine->character->machine;
    uint32_t number = 0; // counts the curves of all clips; equal names share the first number
    for (uint32_t i = 0; i < machine->desc->num_clips; i++) {
        const md5_clip_desc *const clip = &machine->desc->clips[i];
        const uint32_t count = are_curves ? clip->num_curves : clip->num_windows;
        for (uint32_t k = 0; k < count; k++) {
            const char *const name = are_curves ? clip->curves[k].name : clip->windows[k].name;
            const uint32_t first =
                are_curves ? md5_find_curve(made, name) : md5_find_window(made, name);
            const float value = are_curves ? md5_player_curve(machine->player, number)
                                           : md5_player_window(machine->player, number);
            if (number++ == first)
                ui_figure(ui, value != 0 ? VIEW_PLAIN : VIEW_DIM, name, "%.2f", value);
        }
    }
}

// Displays a slider for a parameter that is a number.
static void number_row(view_ui *ui, view_machine *machine, uint32_t index)
{
    const char *const name = machine->desc->parameters[index].name;
    float value = md5_player_get(machine->player, index);
    float low;
    float high;
    char text[32];
    ui_begin_row(ui);
    ui->value_width = 62 * ui->scale;
    view_parameter_range(machine->character->machine, name, &low, &high);
    view_format_number(text, sizeof text, value, 2, false);
    if (!ui_slider(ui, name, VIEW_PLAIN, text, VIEW_BRIGHT, low, high, NULL, &value))
        return;
    view_take_over(machine);
    md5_player_set(machine->player, index, value);
}

// Displays a switch for a parameter, or a button with the key of the trigger `trigger`; -1: the
// parameter is not a trigger.
static void switch_row(view_ui *ui, view_machine *machine, uint32_t index, int64_t trigger)
{
    const float value = md5_player_get(machine->player, index);
    char key[32] = "";
    ui_begin_row(ui);
    if (trigger >= 0)
        view_print_trigger_key((uint32_t)trigger, key, sizeof key);
    if (ui_switch(ui, machine->desc->parameters[index].name, value != 0, trigger >= 0, key)) {
        view_take_over(machine);
        view_activate_parameter(machine, index);
    }
}

// Displays the section of the triggers.
static void list_triggers(view_ui *ui, view_machine *machine)
{
    uint32_t num_triggers = 0;
    for (uint32_t i = 0; i < machine->desc->num_parameters; i++) {
        if (machine->desc->parameters[i].kind != MD5_PARAMETER_TRIGGER)
            continue;
        if (num_triggers == 0 && !ui_section(ui, UI_SECTION_TRIGGERS, "Triggers", ""))
            return;
        switch_row(ui, machine, i, num_triggers++);
    }
}

// Displays the section of the parameters that are not triggers.
static void list_parameters(view_ui *ui, view_machine *machine)
{
    bool has_header = false;
    for (uint32_t i = 0; i < machine->desc->num_parameters; i++) {
        const md5_parameter_kind kind = machine->desc->parameters[i].kind;
        if (kind == MD5_PARAMETER_TRIGGER)
            continue;
        if (!has_header && !ui_section(ui, UI_SECTION_PARAMETERS, "Parameters", ""))
            return;
        has_header = true;
        if (kind == MD5_PARAMETER_FLOAT)
            number_row(ui, machine, i);
        else
            switch_row(ui, machine, i, -1);
    }
}

static void machine_panel(view_ui *ui)
{
    view_machine *const machine = &ui->scene->machine;
    ui_begin(ui, "parameter");
    list_triggers(ui, machine);
    list_parameters(ui, machine);
    ui_begin(ui, "machine");
    ui->label_width = 100 * ui->scale;
    list_tracks(ui, machine, true);
    list_tracks(ui, machine, false);
    list_fired(ui, machine->events, VIEW_EVENTS, machine->time, false);
    if (view_can_walk(machine))
        ui_figure(ui, VIEW_DIM, NULL, "%s",
                  ui->stage->is_driving ? "W A S D: walk" VIEW_DOT "Shift: run" VIEW_DOT
                                          "Esc: release keyboard"
                                        : "Enter: control the character");
    ui_gap(ui);
}

// == Channels of an entity ================================================================

// Displays the channels of an entity. A click on the name of a channel shows its time in the time
// bar; a click on its clip lists the clips for the channel.
static void channels_panel(view_ui *ui)
{
    const view_entity *const entity = view_active_entity(ui->scene);
    ui_begin(ui, "channel");
    ui->label_width = 64 * ui->scale;
    const float label_end = ui->column->area.x + VIEW_INSET * ui->scale + ui->label_width;
    if (!ui_section(ui, UI_SECTION_CHANNELS, "Channels", ""))
        return;
    for (int c = 0; c < MD5_NUM_CHANNELS; c++) {
        const md5_channel channel = (md5_channel)c;
        const int32_t clip = entity->channels[c].clip;
        const bool has_focus = channel == entity->focus && clip >= 0;
        view_color color = has_focus ? VIEW_BRIGHT : VIEW_PLAIN;
        if (clip < 0)
            color = VIEW_DIM;
        const ui_row_style words = {.name = view_channel_name(channel),
                                    .color = color,
                                    .hint = has_focus ? "time" : "",
                                    .is_fixed = true}; // the text changes in every frame
        char text[192] = "\xE2\x80\x94";
        if (!view_has_channel(entity, channel))
            continue;
        if (clip >= 0)
            COMMON_TEXT(text, "%s  %.2f", entity->entity->clips[clip].anim->name,
                        0.001 * md5_actor_channel(entity->parts[0].actor, channel).time);
        if (ui_row(ui, &words, text))
            UI_COMMAND(ui, ui->mouse.x < label_end ? VIEW_SHOW_CHANNEL : VIEW_LIST_CHANNEL,
                       .item = (uint32_t)c);
    }
    ui_gap(ui);
    list_fired(ui, entity->fired, VIEW_EVENTS, entity->time, true);
    ui_gap(ui);
    ui_figure(ui, VIEW_DIM, NULL, "Click a channel to choose a clip");
}

// Returns true if a flag is set after flag `pressed` was toggled.
static bool is_flag_set_after(const view_entity *entity, uint32_t flag, uint32_t pressed)
{
    return view_is_script_item_active(entity, true, flag) != (flag == pressed);
}

// Returns true if a script state runs after state `pressed` was started: the states of other
// channels continue.
static bool is_state_active_after(const view_entity *entity, uint32_t state, uint32_t pressed)
{
    const md5_script_state *const states = entity->script->states;
    if (state == pressed)
        return true;
    return view_is_script_item_active(entity, false, state)
           && states[state].channel != states[pressed].channel;
}

// Returns the command that sets --flag or --state after a flag or a state was pressed.
static view_command press_script_name(const view_entity *entity, int is_flag, uint32_t pressed)
{
    char *text = common_copy("");
    for (uint32_t i = 0;; i++) {
        const char *const name = view_script_name(entity, is_flag, i);
        if (name == NULL)
            break;
        if (name[0] == '\0')
            continue;
        const bool is_set = is_flag ? is_flag_set_after(entity, i, pressed)
                                    : is_state_active_after(entity, i, pressed);
        if (is_set)
            common_extend(&text, "%s\n", name);
    }
    const view_option *const option = is_flag ? VIEW_OPTION(flags) : VIEW_OPTION(states);
    return view_set_command(option, text);
}

// Displays the flags or the states of an entity's script; active ones are switched on.
static void list_script_names(view_ui *ui, int is_flag)
{
    const view_entity *const entity = &ui->scene->entity;
    for (uint32_t i = 0;; i++) {
        const char *const name = view_script_name(entity, is_flag, i);
        if (name == NULL)
            break;
        if (name[0] == '\0')
            continue;
        ui_begin_row(ui);
        if (ui_switch(ui, name, view_is_script_item_active(entity, is_flag, i), !is_flag, ""))
            ui->command = press_script_name(entity, is_flag, i);
    }
}

static void states_panel(view_ui *ui)
{
    ui_begin(ui, "state");
    if (ui_section(ui, UI_SECTION_STATES, "States", ""))
        list_script_names(ui, false);
    if (ui_section(ui, UI_SECTION_FLAGS, "Flags", ""))
        list_script_names(ui, true);
}

// == The dock =============================================================================

void view_inspector_panel(view_ui *ui, view_card *card, view_texture_panel *textures,
                          view_retarget_page *retarget, view_rect area)
{
    const view_shown *const shown = ui->stage->shown;
    ui_column column;
    ui_begin(ui, "inspected");
    ui_begin_column(ui, &column, area, &ui->scrolls[VIEW_DOCK_RIGHT]);
    if (shown->light_list && ui_section(ui, UI_SECTION_LIGHTS, "Lights", ""))
        ui_setting(ui, card, VIEW_OPTION(lights));
    if (shown->parm_list
        && ui_section(ui, UI_SECTION_MATERIALS, "Materials", "highlighted: in use"))
        ui_setting(ui, card, VIEW_OPTION(parms));
    if (view_shows_retarget(retarget, ui->stage)) {
        view_retarget_rows(ui, retarget, card);
    } else if (shown->panel && shown->inspector) {
        view_two_panel(ui);
        view_mesh_page(ui, textures);
        joint_panel(ui);
        if (view_shows_machine(ui->stage))
            machine_panel(ui);
        if (view_active_entity(ui->scene) != NULL)
            channels_panel(ui);
        if (ui->scene->entity.states != NULL)
            states_panel(ui);
        view_figures_panel(ui);
    }
    ui_end_column(ui);
}
