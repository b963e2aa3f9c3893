// The inspector in the right dock. Its pages display measurements, the selected mesh or joint,
// lights and materials, parameters of a state machine, channels and states of an entity, and
// statistics of the document.
#include "demo/viewer/ui/inspector.h"

#include "demo/viewer/ui/info.h"
#include "demo/viewer/ui/retarget.h"
#include "demo/viewer/ui/card.h"
#include "demo/viewer/ui/textures.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// Sizes in em.
static const float weight_width = 3.6f;       // column of the weights
static const float wide_values_width = 23.1f; // minimum width of the wide table of values

// == The selected joint =====================================================================

const char *const view_value_names[VIEW_NUM_VALUE_KINDS] = {"Position", "Degrees", "Quat."};
const int view_value_decimals[VIEW_NUM_VALUE_KINDS] = {3, 2, 4};
const char *const view_axis_names[VIEW_NUM_AXES] = {"x", "y", "z", "w"};
const view_color view_axis_colors[VIEW_NUM_AXES] = {VIEW_WRONG, VIEW_FINE, VIEW_ACCENT, VIEW_DIM};

uint32_t view_count_axes(uint32_t kind)
{
    return kind == VIEW_VALUE_QUATERNION ? 4 : 3;
}

// Computes the position, angles and quaternion of a joint from its transform. The angles are in
// degrees. They are rotations about the fixed axes x, y and z, in this order.
void view_find_values(md5_mat34 matrix, view_joint_values values)
{
    const md5_vec3 position = md5_mat34_translation(matrix);
    const md5_quat q = md5_quat_from_mat34(matrix);

    // Compute the angles from the elements of the rotation matrix, which is stored in rows of four
    // floats. The matrix of a quaternion has no scale. A rounding error may make the sine larger
    // than 1, so it is limited.
    const md5_mat34 rotation =
        md5_mat34_from_xform((md5_xform){.rotation = q, .translation = {0, 0, 0}});
    const float *const m = rotation.m;
    const float angle_x = view_degrees(atan2f(m[9], m[10]));
    const float angle_y = view_degrees(asinf(view_clamp(-m[8], -1, 1)));
    const float angle_z = view_degrees(atan2f(m[4], m[0]));

    const view_joint_values joint_values = {
        [VIEW_VALUE_POSITION] = {position.x, position.y, position.z, 0},
        [VIEW_VALUE_DEGREES] = {angle_x, angle_y, angle_z, 0},
        [VIEW_VALUE_QUATERNION] = {q.x, q.y, q.z, q.w},
    };
    memcpy(values, joint_values, sizeof joint_values);
}

static const view_color value_colors[] = {VIEW_BRIGHT, VIEW_BRIGHT, VIEW_BRIGHT, VIEW_BRIGHT};

// Returns the width of the table of values.
static float values_width(const view_ui *ui)
{
    return ui->column->area.width - 2 * UI_PADDING * ui->em;
}

// Draws a row of the table of values, if it is visible. `column_width` is the width of a value in
// pixels.
static void draw_value_row(view_ui *ui, float column_width, const ui_cells *cells)
{
    view_rect row;
    if (ui_reserve_row(ui, ceilf(UI_TABLE_ROW * ui->em), &row))
        ui_draw_cells(ui, row, column_width, cells);
}

// Writes a value of a joint as text. Writes "" if the kind has no such axis; only quaternions have
// a fourth one.
static void write_value(view_joint_values values, int kind, int axis, char text[32])
{
    text[0] = '\0';
    if (axis < (int)view_count_axes((uint32_t)kind))
        view_format_number(text, 32, values[kind][axis], view_value_decimals[kind], false);
}

// Displays the values as a table for a wide dock. A column is an axis and a row is a kind of
// values.
static void show_wide_values(view_ui *ui, const char *title, view_joint_values values)
{
    const float name_width = 5 * ui->em;
    const float column_width = (values_width(ui) - name_width) / (float)VIEW_NUM_AXES;
    ui_cells header = {
        .name = title, .count = VIEW_NUM_AXES, .color = VIEW_PLAIN, .colors = view_axis_colors};
    for (int axis = 0; axis < VIEW_NUM_AXES; axis++)
        COMMON_TEXT(header.texts[axis], "%s", view_axis_names[axis]);
    draw_value_row(ui, column_width, &header);

    for (int kind = 0; kind < VIEW_NUM_VALUE_KINDS; kind++) {
        ui_cells cells = {.name = view_value_names[kind],
                          .count = VIEW_NUM_AXES,
                          .color = VIEW_DIM,
                          .colors = value_colors};
        for (int axis = 0; axis < VIEW_NUM_AXES; axis++)
            write_value(values, kind, axis, cells.texts[axis]);
        draw_value_row(ui, column_width, &cells);
    }
}

// Displays the values as a table for a narrow dock. A column is a kind of values and a row is an
// axis. The header displays the title instead of the name of the first kind, the position.
static void show_narrow_values(view_ui *ui, const char *title, view_joint_values values)
{
    static const view_color name_colors[] = {VIEW_DIM, VIEW_DIM, VIEW_DIM};
    const float name_width = ui->em; // width of the name of an axis
    const float column_width = (values_width(ui) - name_width) / (float)VIEW_NUM_VALUE_KINDS;
    ui_cells header = {
        .name = title, .count = VIEW_NUM_VALUE_KINDS, .color = VIEW_PLAIN, .colors = name_colors};
    for (int kind = 1; kind < VIEW_NUM_VALUE_KINDS; kind++)
        COMMON_TEXT(header.texts[kind], "%s", view_value_names[kind]);
    draw_value_row(ui, column_width, &header);

    for (int axis = 0; axis < VIEW_NUM_AXES; axis++) {
        ui_cells cells = {.name = view_axis_names[axis],
                          .count = VIEW_NUM_VALUE_KINDS,
                          .color = view_axis_colors[axis],
                          .colors = value_colors};
        for (int kind = 0; kind < VIEW_NUM_VALUE_KINDS; kind++)
            write_value(values, kind, axis, cells.texts[kind]);
        draw_value_row(ui, column_width, &cells);
    }
}

// Displays the values of a joint as a table. The columns have a constant width, so that numbers do
// not move during playback.
static void show_values(view_ui *ui, const char *title, view_joint_values values)
{
    if (values_width(ui) >= wide_values_width * ui->em)
        show_wide_values(ui, title, values);
    else
        show_narrow_values(ui, title, values);
}

// Appends the values of a joint to a text with full precision. Each kind is one line with columns
// separated by tabs. `space` is "local" or "model", the space of the values.
static void append_values(char *text, size_t size, const char *space, view_joint_values values)
{
    for (int kind = 0; kind < VIEW_NUM_VALUE_KINDS; kind++) {
        const uint32_t num_axes = view_count_axes((uint32_t)kind);
        common_append(text, size, "\n", "%s %s", space, view_value_names[kind]);
        for (uint32_t axis = 0; axis < num_axes; axis++)
            common_append(text, size, "\t", "%.9g", values[kind][axis]);
    }
}

// Copies the name and the values of a joint to the clipboard, with full precision. `local` is
// relative to the parent, and `model` is in model space.
static void copy_values(view_ui *ui, const char *name, view_joint_values local,
                        view_joint_values model)
{
    char text[1024];
    COMMON_TEXT(text, "%.200s", name);
    append_values(text, sizeof text, "local", local);
    append_values(text, sizeof text, "model", model);
    ui_copy(ui, ui->stage->uptime, text, name);
}

// A vertex that the joint influences, and the weight of this influence.
typedef struct weighted {
    float weight;
    uint32_t mesh;
    uint32_t vertex;
    uint32_t num_joints; // number of joints that influence the vertex
} weighted;

// Orders vertices for qsort(): by decreasing weight, then in the order of the model.
static int compare_weights(const void *a, const void *b)
{
    const weighted *const first = a;
    const weighted *const second = b;
    if (first->weight != second->weight)
        return first->weight > second->weight ? -1 : 1;
    if (first->mesh != second->mesh)
        return first->mesh < second->mesh ? -1 : 1;
    if (first->vertex != second->vertex)
        return first->vertex < second->vertex ? -1 : 1;
    return 0;
}

// Returns the number of vertices of a mesh that are in the file. The loader appends copies of
// vertices at seams of the texture; they are not counted.
static uint32_t count_file_vertices(const md5_mesh *mesh)
{
    const uint32_t count = mesh->num_file_vertices;
    return count < mesh->num_vertices ? count : mesh->num_vertices;
}

// Finds the vertices that a joint influences, in the order of the model. Writes at most `capacity`
// of them to `found`, and returns their total number. With a capacity of 0, the function only
// counts them.
static uint32_t find_weights(const md5_model *model, uint32_t joint, weighted *found,
                             uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        const uint32_t num_vertices = count_file_vertices(mesh);
        for (uint32_t v = 0; v < num_vertices; v++) {
            const uint32_t first = mesh->first_influence[v];
            const uint32_t end = mesh->first_influence[v + 1];
            for (uint32_t i = first; i < end; i++) {
                if (mesh->influence_joints[i] != joint)
                    continue;
                if (count < capacity)
                    found[count] = (weighted){.weight = mesh->influences[i].w,
                                              .mesh = m,
                                              .vertex = v,
                                              .num_joints = end - first};
                count++;
            }
        }
    }
    return count;
}

// Draws the index of a vertex. If the model has several meshes, also draws the name of the mesh.
// Both begin at `left` and have a total width of `width`. `y` is the top of the text. All are in
// pixels.
static void show_vertex_name(view_ui *ui, const md5_model *model, const weighted *influence,
                             float left, float y, float width)
{
    const float em = ui->em;
    char vertex[16];
    COMMON_TEXT(vertex, "%u", influence->vertex);
    const float number_width = ui_text_width(ui, vertex);
    if (model->num_meshes <= 1) {
        ui_right_aligned_text(ui, left + number_width, y, VIEW_BRIGHT, vertex);
        return;
    }
    const float mesh_width = fmaxf(width - number_width - 1.2f * em, em);
    ui_text(ui, left, y, mesh_width, VIEW_DIM, model->meshes[influence->mesh].name);
    ui_right_aligned_text(ui, left + width - 0.8f * em, y, VIEW_BRIGHT, vertex);
}

// Draws a row of the table of weights. It shows the vertex, its weight as a number and a bar, and
// the number of joints that influence it. The mesh is displayed if the model has several.
// `vertex_width` is the width of the mesh and the vertex, in pixels.
static void show_weight(view_ui *ui, const md5_model *model, view_rect row, float vertex_width,
                        const weighted *influence)
{
    const float em = ui->em;
    const float padding = UI_PADDING * em;
    const float y = ui_text_top(ui, row);
    const float left = row.x + padding;
    const float right = row.x + row.width - padding;
    show_vertex_name(ui, model, influence, left, y, vertex_width);

    char weight[32];
    const float weight_right = left + vertex_width + weight_width * em;
    view_format_number(weight, sizeof weight, influence->weight, 4, false);
    ui_right_aligned_text(ui, weight_right, y, VIEW_BRIGHT, weight);

    // The bar of the weight is omitted if the dock is too narrow.
    const view_rect bar = {weight_right + padding,
                           row.y + 0.5f * row.height - 0.5f * UI_BAR_HEIGHT * em,
                           right - 1.6f * em - weight_right - padding, UI_BAR_HEIGHT * em};
    if (bar.width > em)
        ui_bar(ui, bar, fabsf(influence->weight));

    char num_joints[16];
    COMMON_TEXT(num_joints, "%u", influence->num_joints);
    ui_right_aligned_text(ui, right, y, VIEW_DIM, num_joints);
}

// Displays the header of the table of weights in the next row.
static void show_weights_header(view_ui *ui, bool has_meshes, float vertex_width)
{
    view_rect row;
    if (!ui_reserve_row(ui, ceilf(UI_TABLE_ROW * ui->em), &row))
        return;
    const float y = ui_text_top(ui, row);
    const float left = row.x + UI_PADDING * ui->em;
    const float right = row.x + row.width - UI_PADDING * ui->em;
    ui_text(ui, left, y, 0, VIEW_DIM, has_meshes ? "mesh, vertex" : "vertex");
    ui_right_aligned_text(ui, left + vertex_width + weight_width * ui->em, y, VIEW_DIM, "weight");
    ui_right_aligned_text(ui, right, y, VIEW_DIM, "joints");
}

// Adds the section of the vertices that a joint influences, sorted by weight. The vertex whose row
// is under the mouse is highlighted in the image. `model` may be NULL.
static void show_weights(view_ui *ui, const md5_model *model, uint32_t joint)
{
    const uint32_t count = model != NULL ? find_weights(model, joint, NULL, 0) : 0;
    char text[48];
    COMMON_TEXT(text, "%u %s", count, common_noun(count, "vertex", "vertices"));
    if (!ui_section(ui, UI_SECTION_WEIGHTS, "Weights", text))
        return;
    if (count == 0) {
        ui_pair(ui, "no vertices", "");
        return;
    }

    weighted *const vertices = common_alloc(count, sizeof *vertices);
    find_weights(model, joint, vertices, count);
    qsort(vertices, count, sizeof *vertices, compare_weights);

    // If the model has several meshes, the first column also contains their names and must be
    // wider.
    const bool has_meshes = model->num_meshes > 1;
    const float vertex_width = (has_meshes ? 9 : 4) * ui->em;
    show_weights_header(ui, has_meshes, vertex_width);
    for (uint32_t i = 0; i < count; i++) {
        view_rect row;
        const bool is_visible = ui_reserve_row(ui, ceilf(UI_TABLE_ROW * ui->em), &row);
        if (!is_visible)
            continue;
        ui_item(ui, row, "");
        const bool is_hot = ui_is_hot(ui);
        if (is_hot && ui->mouse.is_moved)
            ui->selection.highlighted_point =
                (view_pick){.is_set = true, .mesh = vertices[i].mesh, .vertex = vertices[i].vertex};
        if (is_hot)
            view_draw_rect(ui->canvas, row, VIEW_CONTROL);
        show_weight(ui, model, row, vertex_width, &vertices[i]);
    }
    free(vertices);
}

// Returns true if a modifier is an aim modifier that rotates a joint. An aim modifier rotates
// `length` joints: its own joint and the ancestors of this joint.
static bool is_aimed(const view_scene *scene, const md5_modifier_desc *aim, uint32_t joint)
{
    const uint32_t default_length = 2;
    if (aim->kind != MD5_MODIFIER_AIM)
        return false;
    const uint32_t length = aim->length > 0 ? aim->length : default_length;
    uint32_t rotated = md5_find_joint(scene->skeleton, aim->joint);
    for (uint32_t i = 0; i < length && rotated != MD5_NONE; i++) {
        if (rotated == joint)
            return true;
        rotated = scene->skeleton->joints[rotated].parent;
    }
    return false;
}

// Adds the section of the limit of a joint's rotation. An aim modifier of a state machine rotates
// joints, so that the character looks at a target. If several aim modifiers rotate the joint, the
// limit of the first one that has a limit is displayed.
static void show_limits(view_ui *ui, uint32_t joint)
{
    if (!view_shows_machine(ui->stage))
        return;
    const md5_machine_desc *const desc = ui->scene->machine.desc;
    for (uint32_t i = 0; i < desc->num_modifiers; i++) {
        const md5_modifier_desc *const aim = &desc->modifiers[i];
        if (!is_aimed(ui->scene, aim, joint) || aim->aim.limit == 0)
            continue;
        char degrees[32];
        view_format_number(degrees, sizeof degrees, view_degrees(aim->aim.limit), 2, false);
        if (ui_section(ui, UI_SECTION_LIMITS, "Limits", ""))
            ui_fact(ui, aim->name, "at most %s\xC2\xB0", degrees);
        return;
    }
}

// Adds links to the parent and the children of a joint. Returns the joint whose link was pressed,
// or -1.
static int32_t show_relatives(view_ui *ui, uint32_t joint)
{
    const md5_joint *const joints = ui->scene->skeleton->joints;
    const uint32_t parent = joints[joint].parent;
    int32_t pressed = -1;
    if (parent == MD5_NONE)
        ui_pair(ui, "Parent", "none");
    else if (ui_link_pair(ui, "Parent", joints[parent].name))
        pressed = (int32_t)parent;

    const char *label = "Children"; // only the first child has this label
    for (uint32_t i = 0; i < ui->scene->num_joints; i++) {
        if (joints[i].parent != joint)
            continue;
        if (ui_link_pair(ui, label, joints[i].name))
            pressed = (int32_t)i;
        label = "";
    }
    return pressed;
}

// Adds the section of a joint's transform, relative to its parent and in model space. A button in
// the header of the section, or Ctrl+C, copies the values.
static void show_transform(view_ui *ui, uint32_t joint)
{
    const float em = ui->em;
    const md5_anim *const anim = view_timing_anim(ui->scene);
    char title[64] = "Transform";
    if (anim != NULL)
        COMMON_TEXT(title, "Transform at frame %.1f", view_frame_position(ui->stage->play, anim));
    const float header_top = ui->column->y;
    const bool is_open = ui_section(ui, UI_SECTION_TRANSFORM, title, "");

    view_joint_values local;
    view_joint_values model;
    view_find_values(view_joint_matrix(ui->scene, joint, true), local);
    view_find_values(view_joint_matrix(ui->scene, joint, false), model);

    // The button is in the header. Therefore it remains visible when the section is folded.
    const view_rect area = ui->column->area;
    const view_rect button = {area.x + area.width - 4.6f * em, header_top + 0.15f * em, 4 * em,
                              ceilf(1.6f * em)};
    const bool is_pressed = ui_button(ui, button, "Copy", false);
    const bool is_copied = is_pressed || (ui->mouse.control && ui_key(ui, 'c'));
    if (is_copied)
        copy_values(ui, ui->scene->skeleton->joints[joint].name, local, model);

    if (!is_open)
        return;
    show_values(ui, "Local", local);
    show_values(ui, "Model", model);
}

// Adds the page of the selected joint: its relatives, transform, limits and weights. A crowd has
// many poses at the same time, so it has no page of a joint.
static void joint_panel(view_ui *ui)
{
    const int32_t selected = ui->selection.joint;
    if (selected < 0 || (uint32_t)selected >= ui->scene->num_joints
        || view_shows_crowd(ui->stage->document))
        return;
    const uint32_t joint = (uint32_t)selected;
    char text[64];
    COMMON_TEXT(text, "joint %u", joint);
    ui_begin(ui, "chosen");
    ui_page_title(ui, ui->scene->skeleton->joints[joint].name, text);
    const int32_t next = show_relatives(ui, joint);
    show_transform(ui, joint);
    show_limits(ui, joint);
    show_weights(ui, ui->scene->model, joint);
    view_rect space;
    ui_reserve_row(ui, ceilf(0.5f * ui->em), &space);

    if (next >= 0) {
        ui->selection.joint = next;
        UI_COMMAND(ui, VIEW_JOINT_SELECTED);
    }
}

// == A state machine ======================================================================

// Lists the last events with the newest first. Each event is displayed for 1.5 s. The row of an
// older event remains empty, so that the rows below do not move. `time` is in seconds. If
// `is_fixed` is true, an event is always one line.
static void list_fired(view_ui *ui, const view_event *events, int count, double time, bool is_fixed)
{
    const double lifetime = 1.5;
    for (int i = 0; i < count; i++) {
        const bool is_recent = fabs(time - events[i].time) < lifetime;
        const ui_row_style style = {.color = i == 0 ? VIEW_ACCENT : VIEW_DIM, .is_fixed = is_fixed};
        ui_row(ui, &style, is_recent ? events[i].text : "");
    }
}

// Displays a row with the name and the current value of an animation curve or of a window. A window
// is a named time range of a clip. The row is dim if the value is 0.
static void show_track(view_ui *ui, const char *name, float value)
{
    ui_figure(ui, value != 0 ? VIEW_PLAIN : VIEW_DIM, name, "%.2f", value);
}

// Displays the current values of a state machine's curves. Curves of different clips with the same
// name have one common value, so only the first of them is displayed.
static void list_curves(view_ui *ui, const view_machine *machine)
{
    uint32_t index = 0; // among the curves of all clips
    for (uint32_t i = 0; i < machine->desc->num_clips; i++) {
        const md5_clip_desc *const clip = &machine->desc->clips[i];
        for (uint32_t k = 0; k < clip->num_curves; k++) {
            const char *const name = clip->curves[k].name;
            const bool is_first = md5_find_curve(machine->character->machine, name) == index;
            if (is_first)
                show_track(ui, name, md5_player_curve(machine->player, index));
            index++;
        }
    }
}

// Displays the weight of each window. A window is a named time range of a clip, and its weight is 0
// outside of this range.
static void list_windows(view_ui *ui, const view_machine *machine)
{
    uint32_t index = 0; // among the windows of all clips
    for (uint32_t i = 0; i < machine->desc->num_clips; i++) {
        const md5_clip_desc *const clip = &machine->desc->clips[i];
        for (uint32_t k = 0; k < clip->num_windows; k++) {
            const char *const name = clip->windows[k].name;
            const bool is_first = md5_find_window(machine->character->machine, name) == index;
            if (is_first)
                show_track(ui, name, md5_player_window(machine->player, index));
            index++;
        }
    }
}

// Displays a slider for a parameter of the state machine that is a number. If the user moves the
// slider, sets the parameter and takes over control of the machine.
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
    view_stop_acting(machine);
    md5_player_set(machine->player, index, value);
}

// Adds a switch for a parameter. If the parameter is a trigger, adds a button with its key instead.
// `trigger` is its index among the triggers, or -1 if the parameter is not a trigger.
static void switch_row(view_ui *ui, view_machine *machine, uint32_t index, int64_t trigger)
{
    const bool is_trigger = trigger >= 0;
    const char *const name = machine->desc->parameters[index].name;
    const bool is_set = md5_player_get(machine->player, index) != 0;
    char key[32] = "";
    ui_begin_row(ui);
    if (is_trigger)
        view_print_trigger_key((uint32_t)trigger, key, sizeof key);
    if (!ui_switch(ui, name, is_set, is_trigger, key))
        return;
    view_stop_acting(machine);
    view_activate_parameter(machine, index);
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

// Displays the parameters of the state machine that are numbers or switches, in a section that
// can be folded. Triggers are displayed elsewhere.
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

// Adds the page of a state machine. It shows the triggers and parameters, the values of curves and
// windows, the last events, and the keys that control the character.
static void machine_panel(view_ui *ui)
{
    view_machine *const machine = &ui->scene->machine;
    ui_begin(ui, "parameter");
    list_triggers(ui, machine);
    list_parameters(ui, machine);
    ui_begin(ui, "machine");
    ui->label_width = 100 * ui->scale;
    list_curves(ui, machine);
    list_windows(ui, machine);
    list_fired(ui, machine->events, VIEW_EVENTS, machine->time, false);
    if (view_can_walk(machine)) {
        const char *keys = "Enter: control the character";
        if (ui->stage->is_driving)
            keys = "W A S D: walk" VIEW_DOT "Shift: run" VIEW_DOT "Esc: release keyboard";
        ui_figure(ui, VIEW_DIM, NULL, "%s", keys);
    }
    ui_gap(ui);
}

// == Channels of an entity ================================================================

// Adds the row of a channel, which is a part of the body with its own clip. The row displays the
// name and the time of its clip, in seconds. A click on the name of the channel shows its time in
// the time bar. A click on the clip lists the clips for the channel.
static void show_channel(view_ui *ui, const view_entity *entity, md5_channel channel)
{
    const float label_end = ui->column->area.x + VIEW_INSET * ui->scale + ui->label_width;
    const int32_t clip = entity->channels[channel].clip;
    const bool is_playing = clip >= 0;
    const bool has_focus = channel == entity->focus && is_playing; // the time bar shows its time
    char text[192] = "\xE2\x80\x94";                               // a dash
    view_color color = VIEW_DIM;
    if (is_playing) {
        const char *const name = entity->entity->clips[clip].anim->name;
        const uint32_t milliseconds = md5_actor_channel(entity->parts[0].actor, channel).time;
        COMMON_TEXT(text, "%s  %.2f", name, 0.001 * milliseconds);
        color = has_focus ? VIEW_BRIGHT : VIEW_PLAIN;
    }

    const ui_row_style style = {.name = view_channel_name(channel),
                                .color = color,
                                .hint = has_focus ? "time" : "",
                                .is_fixed = true}; // the text changes in every frame
    if (!ui_row(ui, &style, text))
        return;
    const bool is_name = ui->mouse.x < label_end;
    UI_COMMAND(ui, is_name ? VIEW_SHOW_CHANNEL : VIEW_LIST_CHANNEL, .item = (uint32_t)channel);
}

// Draws the page of the active entity: its channels and its last events. Also handles its input.
static void channels_panel(view_ui *ui)
{
    const view_entity *const entity = view_active_entity(ui->scene);
    ui_begin(ui, "channel");
    ui->label_width = 64 * ui->scale;
    if (!ui_section(ui, UI_SECTION_CHANNELS, "Channels", ""))
        return;
    for (int c = 0; c < MD5_NUM_CHANNELS; c++) {
        if (view_has_channel(entity, (md5_channel)c))
            show_channel(ui, entity, (md5_channel)c);
    }

    ui_gap(ui);
    list_fired(ui, entity->fired, VIEW_EVENTS, entity->time, true);
    ui_gap(ui);
    ui_figure(ui, VIEW_DIM, NULL, "Click a channel to choose a clip");
}

// Returns true if a flag of the script is set after the user toggles the flag `pressed`. The other
// flags keep their values.
static bool is_flag_set_after(const view_entity *entity, uint32_t flag, uint32_t pressed)
{
    return view_is_script_item_active(entity, true, flag) != (flag == pressed);
}

// Returns true if a state of the script will be active after the state `pressed` was started. A
// started state replaces the active state of its channel. States of other channels continue.
static bool is_state_active_after(const view_entity *entity, uint32_t state, uint32_t pressed)
{
    const md5_script_state *const states = entity->script->states;
    if (state == pressed)
        return true;
    return view_is_script_item_active(entity, false, state)
           && states[state].channel != states[pressed].channel;
}

// Returns the command that sets --flag or --state after a flag or a state was pressed. Its value is
// the list of all flags that will be set, or of all states that will be active. `pressed` is the
// index of the pressed flag or state.
static view_command press_script_name(const view_entity *entity, bool is_flag, uint32_t pressed)
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
    return view_set_text_command(option, text);
}

// Lists the flags of an entity's script or, if `is_flag` is 0, its states. Each one is a switch or
// a button. Set flags and active states are switched on. Flags and states without a name are
// skipped.
static void list_script_names(view_ui *ui, bool is_flag)
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
            ui_request(ui, press_script_name(entity, is_flag, i));
    }
}

// Draws the page of the states and flags of an entity's script, and handles its input.
static void states_panel(view_ui *ui)
{
    ui_begin(ui, "state");
    if (ui_section(ui, UI_SECTION_STATES, "States", ""))
        list_script_names(ui, false);
    if (ui_section(ui, UI_SECTION_FLAGS, "Flags", ""))
        list_script_names(ui, true);
}

// == The dock =============================================================================

// Draws the inspector, the panel in the right dock, and handles its input. At the top are the
// editors of lights and material parameters, if the user has opened them. Below are the pages about
// the selected object and the document. While a clip is retargeted to another skeleton, the editor
// of the retargeting is shown instead of these pages.
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

    if (view_shows_retarget(retarget, ui->stage)) { // replaces the other pages
        view_retarget_rows(ui, retarget, card);
    } else if (shown->panel && shown->inspector) {
        view_distance_section(ui);
        view_mesh_page(ui, textures);
        joint_panel(ui);
        if (view_shows_machine(ui->stage))
            machine_panel(ui);
        if (view_active_entity(ui->scene) != NULL)
            channels_panel(ui);
        if (ui->scene->entity.states != NULL)
            states_panel(ui);
        view_document_sections(ui);
    }
    ui_end_column(ui);
}
