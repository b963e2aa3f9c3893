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

// What moves the model: a state machine, the channels of an entity, the time bar.

// The rows of what fired last; it is shown for a while.
static void add_fired(view_rows *rows, const view_event *events, int count, double now,
                      bool is_fixed)
{
    const double lifetime = 1.5;
    for (int i = 0; i < count; i++) {
        const bool is_fresh = fabs(now - events[i].time) < lifetime;
        view_add_row(rows, i == 0 ? VIEW_ACCENT : VIEW_DIM, NULL, "%s",
                     is_fresh ? events[i].text : "")
            ->fixed = is_fixed;
    }
}

// == A state machine at the right ==========================================================

void view_list_machine(const view_stage *stage, view_rows *rows)
{
    const view_machine *const machine = &stage->document->scene.machine;
    const md5_machine_desc *const desc = machine->desc;
    const view_play *const play = stage->play;
    const view_font *const font = stage->font;
    const bool is_compact = view_is_compact(stage);
    view_begin_rows(rows, font, is_compact ? 190.0f : 270.0f, 56.0f, desc->name);
    // As wide as the longest name, up to half of the box.
    for (uint32_t i = 0; i < desc->num_parameters; i++)
        rows->label_width =
            fmaxf(rows->label_width, view_text_width(font, VIEW_TEXT, desc->parameters[i].name));
    for (uint32_t i = 0; i < desc->num_layers; i++)
        rows->label_width =
            fmaxf(rows->label_width, view_text_width(font, VIEW_TEXT, desc->layers[i].name));
    rows->label_width = fminf(rows->label_width + 16.0f * font->scale, 0.5f * rows->width);
    char speed[32] = "";
    if (play->backward || play->speed != 1.0)
        (void)snprintf(speed, sizeof speed, "  %s%g\xC3\x97", play->backward ? "\xE2\x88\x92" : "",
                       play->speed);
    view_add_row(rows, play->playing ? VIEW_BRIGHT : VIEW_AMBER, "Time", "%.2f s%s%s",
                 machine->time, speed, play->playing ? "" : "  paused");
    view_add_gap(rows);
    // A layer's activity, and below it its states; active ones are highlighted.
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        const md5_layer_desc *const layer = &desc->layers[i];
        const md5_layer_status status = md5_player_layer(machine->player, i);
        const char *const state = layer->states[status.state].name;
        view_row *const row =
            status.from != MD5_NONE
                ? view_add_row(rows, VIEW_AMBER, layer->name, "%s \xE2\x86\x92 %s  %.0f %%",
                               layer->states[status.from].name, state, 100.0 * status.progress)
                : view_add_row(rows, VIEW_BRIGHT, layer->name, "%s  %.2f", state, status.time);
        row->fixed = true; // changes in every frame
        if (layer->num_states < 2)
            continue;
        for (uint32_t k = 0; k < layer->num_states; k++)
            view_add_word(rows, true, layer->states[k].name, k == status.state || k == status.from);
    }
    view_add_gap(rows);
    add_fired(rows, machine->events, is_compact ? 2 : VIEW_EVENTS, machine->time, false);
    view_add_gap(rows);
    view_add_spaces(rows, desc->num_parameters);
    view_add_gap(rows);
    view_add_word(rows, false, "P: pause", false);
    if (view_can_walk(machine)) {
        view_add_word(rows, false, "WASD: walk", false);
        view_add_word(rows, false, "Shift: run", false);
    }
    view_place_rows(rows, stage->width, stage->height - 2.0f * VIEW_MARGIN * font->scale, 0.4f);
}

static void machine_panel(view_ui *ui, const view_stage *stage)
{
    view_machine *const machine = &stage->document->scene.machine;
    view_rows rows = {0};
    uint32_t num_triggers = 0;
    view_list_machine(stage, &rows);
    (void)ui_rows(ui, "parameter", &rows);
    for (uint32_t i = 0; i < machine->desc->num_parameters; i++) {
        const md5_parameter_desc *const parameter = &machine->desc->parameters[i];
        const bool is_trigger = parameter->kind == MD5_PARAMETER_TRIGGER;
        float value = md5_player_get(machine->player, i);
        if (parameter->kind != MD5_PARAMETER_FLOAT) {
            const char *const key = is_trigger ? view_trigger_key(num_triggers++) : "";
            if (!ui_switch(ui, parameter->name, value != 0.0f, is_trigger, key))
                continue;
            view_take_over(machine);
            view_push_parameter(machine, i);
            continue;
        }
        float low, high;
        view_parameter_range(machine->character->machine, parameter->name, &low, &high);
        if (!ui_slider(ui, parameter->name, VIEW_PLAIN, NULL, 0, low, high, NULL, &value))
            continue;
        view_take_over(machine);
        (void)md5_player_set(machine->player, i, value);
    }
    ui_end(ui);
}

// Its state graph, at the bottom: 29 em high, at most 55 % of the picture.
static bool shows_graph(const view_stage *stage)
{
    const float min_height = 440.0f; // of the picture, in layout units
    return stage->shown->graph && view_shows_machine(stage)
           && stage->height >= min_height * stage->font->scale;
}

static view_rect graph_box(const view_stage *stage)
{
    const float margin = VIEW_MARGIN * stage->font->scale, em = stage->font->line[VIEW_TEXT] / 1.3f;
    const float height = floorf(fminf(29.0f * em, 0.55f * stage->height));
    return (view_rect){margin, stage->height - margin - height,
                       view_box_of(stage, view_list_machine).x - 2.0f * margin, height};
}

// == Channels of an entity at the right ====================================================
//
// The panel of an entity's channels: what each plays, and the frame commands that fired last.

static bool shows_channels(const view_stage *stage)
{
    return view_channels_of(&stage->document->scene) != NULL && !stage->shown->help
           && !stage->shown->hierarchy && !stage->shown->light_list;
}

static void list_channels(const view_stage *stage, view_rows *rows)
{
    const view_entity *const entity = view_channels_of(&stage->document->scene);
    const bool is_compact = view_is_compact(stage);
    view_begin_rows(rows, stage->font, is_compact ? 176.0f : 250.0f, 64.0f, "Channels");
    for (int c = 0; c < MD5_NUM_CHANNELS; c++) {
        const md5_channel channel = (md5_channel)c;
        const int32_t clip = entity->channels[c].clip;
        const bool has_focus = channel == entity->focus && clip >= 0;
        const char *const name = view_channel_name(channel);
        if (!view_has_channel(entity, channel))
            continue;
        view_row *const row =
            clip < 0
                ? view_add_row(rows, VIEW_DIM, name, "\xE2\x80\x94")
                : view_add_row(rows, has_focus ? VIEW_BRIGHT : VIEW_PLAIN, name, "%s  %.2f",
                               entity->entity->clips[clip].anim->name,
                               0.001 * md5_actor_channel(entity->parts[0].actor, channel).time);
        row->fixed = true; // changes in every frame
        view_make_hit(row, c + 1, has_focus ? "time" : "");
    }
    view_add_gap(rows);
    add_fired(rows, entity->fired, is_compact ? 2 : VIEW_EVENTS, entity->time, true);
    view_add_gap(rows);
    view_add_row(rows, VIEW_DIM, NULL, "Click: choose a clip");
    view_place_rows(rows, stage->width, INFINITY, 1.0f);
}

// A click on the name of a channel shows its time; on what it plays, lists clips for it.
static void channels_panel(view_ui *ui, const view_stage *stage)
{
    view_rows rows = {0};
    list_channels(stage, &rows);
    const int32_t hit = ui_rows(ui, "channel", &rows);
    const float label_end = rows.x + VIEW_PADDING * rows.font->scale + rows.label_width;
    if (hit > 0)
        ui->command = (view_command){.action = ui->mouse.x < label_end ? VIEW_SHOW_CHANNEL
                                                                       : VIEW_LIST_CHANNEL,
                                     .item = (uint32_t)hit - 1};
}

// == The time bar ==========================================================================
//
// The time bar: shows the clip's time; dragging it seeks.

// One line per frame if there is space, every tenth longer; the range that is played, with a mark
// at each end; and frame commands of the clip as marks above the line, those that have just passed
// brighter.
static void draw_marks(const view_stage *stage, view_rect track, const md5_anim *anim,
                       double length)
{
    enum { MAX_COMMANDS = 2000 };
    const double lit = 0.35; // seconds
    view_canvas *const canvas = stage->canvas;
    const float scale = stage->font->scale;
    const double step = track.width / (length * anim->frame_rate);
    const uint32_t stride = step >= 5.0 * scale ? 1 : 10;
    const bool has_space = step * stride >= 4.0 * scale;
    for (uint32_t frame = 0; frame < anim->num_frames && has_space; frame += stride) {
        const view_rect tick = {track.x + (float)(step * frame),
                                track.y + track.height + 3.0f * scale, scale,
                                (frame % 10 == 0 ? 6.0f : 3.0f) * scale};
        view_draw_rect(canvas, tick, 0x8A93A1A0u);
    }
    const double now = view_cycle_time(stage->play, anim);
    const float done = track.width * (float)fmin(now / length, 1.0);
    view_draw_round_rect(canvas, (view_rect){track.x, track.y, done, track.height}, 2.0f * scale,
                         VIEW_ACCENT);
    double begin, end;
    if (view_find_range(stage->play, anim, &begin, &end)) {
        const float left = track.x + track.width * (float)(begin / length);
        const float right = track.x + track.width * (float)fmin(end / length, 1.0);
        const float top = track.y - 5.0f * scale, height = track.height + 10.0f * scale;
        view_draw_rect(canvas, (view_rect){left, track.y, right - left, track.height}, VIEW_AMBER);
        view_draw_rect(canvas, (view_rect){left - scale, top, 2.0f * scale, height}, VIEW_AMBER);
        view_draw_rect(canvas, (view_rect){right - scale, top, 2.0f * scale, height}, VIEW_AMBER);
    }
    const md5_model_anim *const from = view_commands_of(&stage->document->scene);
    const uint32_t num_commands = from != NULL ? from->num_commands : 0;
    for (uint32_t i = 0, last = 0; i < num_commands && i < MAX_COMMANDS; i++) {
        const uint32_t frame = from->commands[i].frame;
        if (frame == last || frame == 0 || frame > anim->num_frames)
            continue;
        last = frame;
        const double time = (frame - 1) / anim->frame_rate, since = now - time;
        const float x = track.x + track.width * (float)fmin(time / length, 1.0);
        const float bottom = track.y - 4.0f * scale, top = bottom - 6.0f * scale;
        const float corners[6] = {x - 4.0f * scale, top, x + 4.0f * scale, top, x, bottom};
        view_draw_triangle(canvas, corners, since >= 0.0 && since < lit ? VIEW_BRIGHT : VIEW_AMBER);
    }
}

// Left of the line is the button that plays and pauses.
static void bar_panel(view_ui *ui, const view_stage *stage)
{
    const md5_anim *const anim = view_clock(&stage->document->scene);
    const view_play *const play = stage->play;
    const float scale = stage->font->scale, margin = VIEW_MARGIN * scale;
    const double length = view_cycle_length(play, anim);
    view_canvas *const canvas = stage->canvas;
    const view_rect bar = {margin, view_bar_top(stage), stage->width - 2.0f * margin,
                           VIEW_BAR_HEIGHT * scale};
    const bool is_pressed = ui_box(ui, "scrub", bar, "time");
    // A triangle while paused, two bars while playing.
    const float x = bar.x + 14.0f * scale, y = bar.y + 13.0f * scale, size = 14.0f * scale;
    const float base = play->backward ? x + size : x, tip = play->backward ? x : x + size;
    const float corners[6] = {base, y, base, y + size, tip, y + 0.5f * size};
    if (play->playing) {
        view_draw_rect(canvas, (view_rect){x, y, 0.32f * size, size}, VIEW_BRIGHT);
        view_draw_rect(canvas, (view_rect){x + 0.6f * size, y, 0.32f * size, size}, VIEW_BRIGHT);
    } else {
        view_draw_triangle(canvas, corners, VIEW_BRIGHT);
    }

    char text[48];
    (void)snprintf(text, sizeof text, "%.2f / %.2f s", view_cycle_time(play, anim), length);
    const float measured = view_text_width(stage->font, VIEW_TEXT, text);
    const float text_width = fmaxf(118.0f * scale, measured + 16.0f * scale);
    view_draw_text(canvas, VIEW_TEXT, bar.x + bar.width - 16.0f * scale - measured,
                   bar.y + 10.0f * scale, 0, VIEW_PLAIN, text);

    const view_rect track = {bar.x + 46.0f * scale, bar.y + 16.0f * scale,
                             bar.width - 46.0f * scale - text_width - 16.0f * scale, 4.0f * scale};
    const bool is_button = is_pressed && ui->mouse.x < track.x - 8.0f * scale;
    float part;
    if (is_button)
        ui->command.action = VIEW_PLAY;
    if (ui_drag(ui, is_pressed && !is_button, track, &part))
        view_seek(stage->play, anim, part * length);
    if (track.width <= 0.0f)
        return;
    const double place = length > 0.0 ? view_cycle_time(play, anim) / length : 0.0;
    view_draw_round_rect(canvas, track, 2.0f * scale, 0x4A5361FFu);
    if (length > 0.0)
        draw_marks(stage, track, anim, length);
    view_draw_disc(canvas, track.x + track.width * (float)fmin(place, 1.0),
                   track.y + 0.5f * track.height, 7.0f * scale, VIEW_BRIGHT);
}

// What the model looks like, at the right: lights, materials, and the surface that the body shows.

// == Sliders ===============================================================================

// Begins a panel of sliders with a title and a hint, its lower right corner at (right, bottom), or
// lower if it is too high. `label_width` in layout units. Returns its outline.
static view_rect open_sliders(view_ui *ui, const char *panel, float right, float bottom,
                              const char *title, const char *hint, uint32_t count,
                              float label_width)
{
    const float scale = ui->canvas->font->scale, margin = VIEW_MARGIN * scale;
    view_rows rows = {.value_width = 52.0f * scale};
    view_begin_rows(&rows, ui->canvas->font, 270.0f, label_width, title);
    view_add_spaces(&rows, count);
    view_add_gap(&rows);
    view_add_row(&rows, VIEW_DIM, NULL, "%s", hint);
    const float width = rows.width + 2.0f * VIEW_PADDING * scale, height = view_rows_height(&rows);
    rows.x = right - margin - width;
    rows.y = fmaxf(bottom - margin - height, margin);
    (void)ui_rows(ui, panel, &rows);
    return (view_rect){rows.x, rows.y, width, height};
}

// Lights and materials, at the right. Returns the upper edge of the one at the
// very right, or `bottom`.
static float sliders_panel(view_ui *ui, const view_stage *stage, float bottom)
{
    float right = stage->width, top = bottom;
    if (stage->shown->light_list) {
        const view_rect box = open_sliders(ui, "lights", stage->width, bottom, "Lights",
                                           "Click on a name to reset it", VIEW_NUM_LIGHTS, 70.0f);
        for (view_light light = 0; light < VIEW_NUM_LIGHTS; light++) {
            const view_light_range *const range = &view_light_ranges[light];
            float value = stage->lights->values[light];
            char text[32];
            (void)snprintf(text, sizeof text, range->usual > 0.0f ? "%.2f" : "%.0f\xC2\xB0", value);
            if (ui_slider(ui, range->name, VIEW_PLAIN, text, VIEW_BRIGHT, range->low, range->high,
                          &range->usual, &value))
                stage->lights->values[light] = value;
        }

        right = box.x;
        top = box.y;
    }
    if (stage->shown->parm_list) {
        // Rows that no material of the model reads are dim.
        const view_rect box =
            open_sliders(ui, "parms", right, bottom, "Materials",
                         "Bright: in use. Click on a name to reset it", VIEW_NUM_PARM_ROWS, 100.0f);
        for (int number = 0; number < VIEW_NUM_PARM_ROWS; number++) {
            const view_parm_range *const range = &view_parm_ranges[number];
            const bool is_time = number == VIEW_PARM_TIME;
            float value = is_time ? view_material_time(stage->parms, stage->play->time)
                                  : view_parm_of(stage, number);
            const bool is_read = stage->document->textures.layers.read >> number & 1;
            const view_color color = is_read ? VIEW_BRIGHT : VIEW_DIM;
            // Further steps of the usual range if the value is beyond it, so that time, which runs
            // on, can be moved wherever it is.
            const bool is_beyond = value > range->high && value < 1e6f * range->high;
            const float high = is_beyond ? range->high * ceilf(value / range->high) : range->high;
            char text[32];
            (void)snprintf(text, sizeof text, is_time ? "%.2f s" : "%.2f", value);
            if (ui_slider(ui, range->name, color, text, color, 0.0f, high, &range->usual, &value))
                view_set_parm(stage->parms, number, value, stage->play->time);
        }

        top = stage->shown->light_list ? top : box.y;
    }
    return top;
}

// == The list of joints at the right =======================================================

int32_t view_marked_joint(const view_ui *ui, const view_scene *scene)
{
    const int32_t joint = ui->hovered_joint >= 0 ? ui->hovered_joint : ui->chosen_joint;
    return joint >= 0 && (uint32_t)joint < scene->num_joints ? joint : -1;
}

static float box_width(const view_stage *stage)
{
    return fminf(290.0f * stage->font->scale, 0.5f * stage->width);
}

static float joints_left(const view_stage *stage)
{
    return stage->width - VIEW_MARGIN * stage->font->scale - box_width(stage);
}

// Above `bottom`.
static void joints_panel(view_ui *ui, const view_stage *stage, float bottom)
{
    const view_scene *const scene = &stage->document->scene;
    const md5_skeleton *const skeleton = scene->skeleton;
    const view_clip *const clip = view_shown_clip(scene);
    const float scale = stage->font->scale, line = stage->font->line[VIEW_TEXT];
    const float margin = VIEW_MARGIN * scale, padding = VIEW_PADDING * scale;
    const uint32_t count = skeleton->num_joints;
    uint32_t *const joints = common_alloc(2 * (size_t)count, sizeof *joints);
    uint32_t *const depths = joints + count;
    // The joints in depth-first order, since files may list them in any order, and the depth of
    // each. `places`: of the next child of each joint, and of the next root joint.
    uint32_t *const sizes = common_alloc(2 * (size_t)count + 1, sizeof *sizes); // with those below
    uint32_t *const places = sizes + count;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t joint = skeleton->order[i], parent = skeleton->joints[joint].parent;
        sizes[joint]++;
        if (parent != MD5_NONE)
            sizes[parent] += sizes[joint];
    }
    for (uint32_t i = 0; i < count; i++) { // siblings are in the order of their numbers
        const uint32_t joint = skeleton->order[i], parent = skeleton->joints[joint].parent;
        uint32_t *const place = &places[parent != MD5_NONE ? parent : count];
        depths[joint] = parent != MD5_NONE ? depths[parent] + 1 : 0;
        joints[*place] = joint;
        places[joint] = *place + 1;
        *place += sizes[joint];
    }
    free(sizes);

    const float room = bottom - 2.0f * margin - 2.0f * padding;
    const float shown = fmaxf(line, floorf(fminf((float)count * line, room) / line) * line);
    const view_rect box = {joints_left(stage), margin, box_width(stage), shown + 2.0f * padding};
    ui_list list = {
        .rows = {box.x + padding, box.y + padding, box.width - 2.0f * padding, shown},
        .count = count,
        .highlight = 6.0f * scale,
        .bar_x = box.x + box.width - 8.0f * scale,
        .hovered = SIZE_MAX,
        .pressed = SIZE_MAX,
    };
    const size_t num_rows = ui_list_room(ui, list.rows);
    const float most = count > num_rows ? (float)(count - num_rows) : 0.0f;
    (void)ui_box(ui, "joint", box, "");
    if (ui->mouse.wheel != 0.0f && ui_is_panel_hot(ui)) {
        ui->hierarchy_scroll -= ui->mouse.wheel * 3.0f;
        ui->has_taken = true;
    }
    ui->hierarchy_scroll = roundf(view_clamp(ui->hierarchy_scroll, 0.0f, most));
    ui->shown_scroll = view_clamp(ui->shown_scroll, 0.0f, most);
    list.first = (size_t)roundf(ui->is_smooth ? ui->shown_scroll : ui->hierarchy_scroll);

    for (size_t i = list.first; i < count && i < list.first + num_rows; i++) {
        const char *const name = skeleton->joints[joints[i]].name;
        // Joints that the clip does not drive are dimmed.
        const bool is_still =
            clip != NULL && clip->binding != NULL && clip->binding->tracks[joints[i]] == MD5_NONE;
        const float indent =
            fminf((float)depths[joints[i]] * 11.0f * scale, 0.6f * list.rows.width);
        ui_line(ui, &list, i, (int32_t)joints[i] == view_marked_joint(ui, scene), indent,
                is_still ? VIEW_DIM : VIEW_PLAIN, name, name);
    }
    ui_scroll_bar(ui, &list);
    if (list.hovered != SIZE_MAX)
        ui->hovered_joint = (int32_t)joints[list.hovered];
    if (list.pressed != SIZE_MAX) {
        const int32_t joint = (int32_t)joints[list.pressed];
        ui->chosen_joint = joint != ui->chosen_joint ? joint : -1;
        ui->command.action = VIEW_MARKED;
    }
    free(joints);
}

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

// == The surface ===========================================================================
//
// What belongs to the surface that the body shows, in the lower right corner: the scale of the
// weights, the layout of a mesh's texture coordinates, or the images of a mesh.

// In layout units.
static const float widest = 400.0f, scale_width = 230.0f, scale_height = 12.0f, spacing = 8.0f;

static view_surface surface_of(const view_stage *stage)
{
    const bool is_one = stage->document->drawn != NULL && !view_shows_crowd(stage->document);
    return is_one ? stage->surface : VIEW_SURFACE_LIT;
}

// The mesh that was clicked on, or the first that is not hidden.
static uint32_t mesh_of(const view_stage *stage)
{
    const uint32_t num_meshes = stage->document->scene.model->num_meshes;
    uint32_t mesh = 0;
    if (stage->pick->is_set && stage->pick->mesh < num_meshes)
        return stage->pick->mesh;
    while (mesh + 1 < num_meshes && mesh < 64 && (stage->hidden_meshes >> mesh & 1) != 0)
        mesh++;
    return mesh;
}

// The left edge of the joints and the machine, or that of the picture's right side.
static float right_column(const view_stage *stage)
{
    float left = stage->width;
    if (stage->shown->hierarchy && stage->document->scene.skeleton != NULL)
        left = fminf(left, joints_left(stage));
    else if (view_mode_of(stage->document) == VIEW_MODE_MACHINE)
        left = fminf(left, view_box_of(stage, view_list_machine).x);
    else if (shows_channels(stage))
        left = fminf(left, view_box_of(stage, list_channels).x);
    return left;
}

// Draws the title of the panel; returns what is inside of it, below the title.
static view_rect open_box(const view_stage *stage, view_rect box, const char *title)
{
    const float padding = VIEW_PADDING * stage->font->scale;
    const view_rect inside = {box.x + padding, box.y + padding + stage->font->line[VIEW_TITLE],
                              box.width - 2.0f * padding,
                              box.height - stage->font->line[VIEW_TITLE] - 2.0f * padding};
    view_draw_text(stage->canvas, VIEW_TITLE, inside.x, box.y + padding, inside.width, VIEW_BRIGHT,
                   title);
    return inside;
}

// -- Weights --------------------------------------------------------------------------------

static void draw_weights(const view_stage *stage, view_rect box)
{
    enum { STEPS = 64 };
    static const char *const weights[5] = {"0", "0.25", "0.5", "0.75", "1"};
    static const char *const counts[5] = {"", "1", "2", "3", "4+"};
    const int32_t joint = stage->joint;
    const view_heat_facts heat = view_measure_heat(stage->document->scene.model, joint);
    char title[96] = "Joints of each vertex", text[96];
    if (joint >= 0) {
        (void)snprintf(title, sizeof title, "Weights of %s",
                       stage->document->scene.skeleton->joints[joint].name);
        (void)snprintf(text, sizeof text, "%u vertices" VIEW_DOT "at most %.3f", heat.num_vertices,
                       heat.most);
    } else {
        (void)snprintf(text, sizeof text, "at most %.0f" VIEW_DOT "%u with more than 4", heat.most,
                       heat.num_vertices);
    }
    const view_rect inside = open_box(stage, box, title);
    view_draw_text(stage->canvas, VIEW_TEXT, inside.x, inside.y, inside.width, VIEW_PLAIN, text);
    const view_rect band = {
        inside.x, inside.y + stage->font->line[VIEW_TEXT] + 0.5f * spacing * stage->font->scale,
        inside.width, scale_height * stage->font->scale};
    // A band of the scale's colours, with what its ends and quarters mean.
    const float step = band.width / (float)STEPS;
    for (int i = 0; i < STEPS; i++) {
        const float value = ((float)i + 0.5f) / (float)STEPS;
        const md5_vec4 linear = view_heat_color(joint < 0 ? ceilf(4 * value) / 4 : value);
        const float channels[3] = {linear.x, linear.y, linear.z};
        view_color color = 0xFF;
        for (int k = 0; k < 3; k++) {
            const float c = channels[k];
            const float encoded =
                c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1.0f / 2.4f) - 0.055f;
            color |= (view_color)(255.0f * encoded + 0.5f) << (24 - 8 * k);
        }
        view_draw_rect(stage->canvas,
                       (view_rect){band.x + (float)i * step, band.y, step + 0.5f, band.height},
                       color);
    }
    for (int i = 0; i < 5; i++) {
        const char *const word = joint < 0 ? counts[i] : weights[i];
        const float half = 0.5f * view_text_width(stage->font, VIEW_TEXT, word);
        // Below its colour: counts in the middle of their quarter, weights at their place.
        const float part = joint < 0 ? ((float)i - 0.5f) / 4.0f : (float)i / 4.0f;
        const float x = band.x + part * band.width - half;
        view_draw_text(stage->canvas, VIEW_TEXT,
                       view_clamp(x, band.x, band.x + band.width - 2.0f * half),
                       band.y + band.height, 0, VIEW_DIM, word);
    }
}

// -- Texture coordinates --------------------------------------------------------------------

// The part of the plane of texture coordinates that is shown: the image, and what is beyond it.
typedef struct uv_window {
    float low[2], size;
    view_rect area; // where it is
} uv_window;

// Sides that leave the window are left out.
static void draw_triangle_sides(const view_stage *stage, const md5_mesh *mesh, uint32_t triangle,
                                const uv_window *window, float width, view_color color)
{
    const view_rect area = window->area;
    const view_rect room = view_inset(area, -1.0f);
    const uint32_t *const corners = mesh->indices + 3 * (size_t)triangle;
    for (uint32_t i = 0; i < 3; i++) {
        float ends[4];
        for (uint32_t k = 0; k < 2; k++) {
            const md5_vec2 uv = mesh->texcoords[corners[(i + k) % 3]];
            ends[2 * k] = area.x + (uv.x - window->low[0]) / window->size * area.width;
            ends[2 * k + 1] = area.y + (uv.y - window->low[1]) / window->size * area.height;
        }
        if (view_contains(room, ends[0], ends[1]) && view_contains(room, ends[2], ends[3]))
            view_draw_segment(stage->canvas, ends, width, color);
    }
}

static void draw_uv(const view_stage *stage, view_rect box)
{
    enum { MAX_TRIANGLES = 20000, MAX_IMAGES = 4 };
    const uint32_t number = mesh_of(stage);
    const md5_mesh *const mesh = &stage->document->scene.model->meshes[number];
    const view_texture *const image =
        view_mesh_image(&stage->document->textures, number, MD5GL_PICTURE_DIFFUSE);
    const float line = stage->font->line[VIEW_TEXT], scale = stage->font->scale;
    // Texture coordinates of repeated images may be far out: as far as MAX_IMAGES are shown.
    float low[2] = {0.0f, 0.0f}, high[2] = {1.0f, 1.0f};
    uint32_t num_outside = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const float uv[2] = {mesh->texcoords[v].x, mesh->texcoords[v].y};
        for (int i = 0; i < 2; i++) {
            low[i] = fmaxf(fminf(low[i], uv[i]), -(float)MAX_IMAGES);
            high[i] = fminf(fmaxf(high[i], uv[i]), (float)MAX_IMAGES);
        }
        num_outside += !(uv[0] >= 0.0f && uv[0] <= 1.0f && uv[1] >= 0.0f && uv[1] <= 1.0f);
    }
    char title[96], text[160];
    (void)snprintf(title, sizeof title, "UV of mesh %u  %s", number, mesh->name);
    if (num_outside > 0)
        (void)snprintf(text, sizeof text, "%u of %u vertices outside 0 to 1", num_outside,
                       mesh->num_vertices);
    else
        (void)snprintf(text, sizeof text, "%s",
                       image != NULL ? common_base(image->path) : "no texture");
    const view_rect inside = open_box(stage, box, title);
    const float side = fminf(inside.width, inside.height - line);
    view_draw_text(stage->canvas, VIEW_TEXT, inside.x, inside.y, inside.width,
                   num_outside > 0 ? VIEW_AMBER : VIEW_PLAIN, text);
    if (mesh->num_vertices == 0)
        return;
    const uv_window window = {.low = {low[0], low[1]},
                              .size = fmaxf(high[0] - low[0], high[1] - low[1]),
                              .area = {inside.x, inside.y + line, side, side}};
    const float uv[4] = {low[0], low[1], low[0] + window.size, low[1] + window.size};
    view_draw_image(stage->canvas, window.area, uv,
                    image != NULL ? image->texture : stage->document->surfaces.uv_grid, true);
    for (uint32_t i = 0; i < mesh->num_triangles && i < MAX_TRIANGLES; i++)
        draw_triangle_sides(stage, mesh, i, &window, scale, 0xF1F3F690u);
    if (stage->pick->is_set && stage->pick->mesh == number)
        draw_triangle_sides(stage, mesh, stage->pick->triangle, &window, 3.0f * scale, 0xF2C14EFFu);
}

// -- Images ---------------------------------------------------------------------------------

static uint32_t list_images(const view_stage *stage, uint32_t mesh,
                            const view_texture *images[MD5GL_NUM_PICTURES])
{
    uint32_t count = 0;
    for (md5gl_picture map = MD5GL_PICTURE_DIFFUSE; map < MD5GL_NUM_PICTURES; map++) {
        const view_texture *const image = view_mesh_image(&stage->document->textures, mesh, map);
        if (image != NULL)
            images[count++] = image;
    }
    return count;
}

static void draw_images(const view_stage *stage, view_rect box)
{
    static const float whole[4] = {0.0f, 0.0f, 1.0f, 1.0f};
    const view_texture *images[MD5GL_NUM_PICTURES];
    const uint32_t mesh = mesh_of(stage), count = list_images(stage, mesh, images);
    const uint32_t columns = count > 1 ? 2 : 1;
    const float line = stage->font->line[VIEW_TEXT], gap = spacing * stage->font->scale;
    char text[96];
    (void)snprintf(text, sizeof text, "Images of mesh %u  %s", mesh,
                   stage->document->scene.model->meshes[mesh].name);
    const view_rect inside = open_box(stage, box, text);
    const float side = columns > 1 ? 0.5f * (inside.width - gap) : inside.width;
    if (count == 0)
        view_draw_text(stage->canvas, VIEW_TEXT, inside.x, inside.y, inside.width, VIEW_DIM,
                       "none");
    for (uint32_t i = 0; i < count; i++) {
        const view_texture *const image = images[i];
        const float longest = (float)(image->width > image->height ? image->width : image->height);
        const uint32_t column = i % columns, row = i / columns;
        const view_rect tile = {inside.x + (float)column * (side + gap),
                                inside.y + (float)row * (side + 2.0f * line + gap),
                                side * (float)image->width / longest,
                                side * (float)image->height / longest};
        const bool is_color =
            image->map != MD5GL_PICTURE_NORMALS && image->map != MD5GL_PICTURE_HEIGHTS;
        (void)snprintf(text, sizeof text, "%u\xC3\x97%u" VIEW_DOT "%s", image->width, image->height,
                       view_map_name(image->map));
        view_draw_image(stage->canvas, tile, whole, image->texture, is_color);
        view_draw_text(stage->canvas, VIEW_TEXT, tile.x, tile.y + side, side, VIEW_PLAIN,
                       common_base(image->path));
        view_draw_text(stage->canvas, VIEW_TEXT, tile.x, tile.y + side + line, side, VIEW_DIM,
                       text);
    }
}

// -- The panel ------------------------------------------------------------------------------

// Above the time bar or the state graph and beside what is there already; without width if the body
// shows its materials only.
static view_rect surface_box(const view_stage *stage)
{
    const view_font *const font = stage->font;
    const float line = font->line[VIEW_TEXT], gap = spacing * font->scale;
    const float margin = VIEW_MARGIN * font->scale, padding = VIEW_PADDING * font->scale;
    // A square panel: a third of the picture, as far as there is room.
    const float side =
        fmaxf(fminf(0.42f * fminf(stage->width, stage->height), widest * font->scale), 32.0f);
    const view_texture *images[MD5GL_NUM_PICTURES];
    float width = side, inner = side + line;
    uint32_t count, rows;
    switch (surface_of(stage)) {
    case VIEW_SURFACE_WEIGHTS:
        width = scale_width * font->scale;
        inner = 2.0f * line + (scale_height + spacing) * font->scale;
        break;
    case VIEW_SURFACE_UV:
        break;
    case VIEW_SURFACE_TEXTURES:
        count = list_images(stage, mesh_of(stage), images);
        rows = (count + 1) / 2; // of two tiles
        inner = count > 1 ? (float)rows * (0.5f * (side - gap) + 2.0f * line + gap)
                          : (count > 0 ? side - gap : 0.0f) + 2.0f * line + gap;
        break;
    default:
        return (view_rect){stage->width, stage->height, 0.0f, 0.0f};
    }
    const float bottom = shows_graph(stage) ? graph_box(stage).y : view_bar_top(stage);
    const float height = font->line[VIEW_TITLE] + inner + 2.0f * padding;
    return (view_rect){right_column(stage) - margin - width - 2.0f * padding,
                       fmaxf(bottom - margin - height, margin), width + 2.0f * padding, height};
}

static void surface_panel(view_ui *ui, const view_stage *stage)
{
    const view_surface surface = surface_of(stage);
    const view_rect box = surface_box(stage);
    if (surface == VIEW_SURFACE_LIT)
        return;
    (void)ui_box(ui, "surface", box, "");
    if (ui->is_event) // many triangles
        return;
    if (surface == VIEW_SURFACE_WEIGHTS)
        draw_weights(stage, box);
    else if (surface == VIEW_SURFACE_UV)
        draw_uv(stage, box);
    else
        draw_images(stage, box);
}

// == Where they lie =======================================================================

// The interface as a whole: the region that panels leave free, keys, errors, the order of the
// panels, and the events.

// -- The region that panels leave free for the model ----------------------------------------

// In layout units: the minimum width and height for a model.
static const float min_room = 120.0f;

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
    if (shows_graph(stage))
        region.height = graph_box(stage).y;
    region.width = right_column(stage);
    // Without what comes and goes: a click, or a slow frame, must not move the picture.
    const view_pick no_pick = {.is_set = false};
    view_stage lasting = *stage;
    lasting.pick = &no_pick;
    lasting.economy = (view_economy){.scale = 0.0f};
    if (stage->surface != VIEW_SURFACE_WEIGHTS)
        region.width = fminf(region.width, surface_box(&lasting).x);

    // A panel in a corner leaves the area beside it or the area below it.
    view_rect box = view_box_of(&lasting, view_list_figures);
    const float right = region.x + region.width, bottom = region.y + region.height;
    const float x = box.x + box.width, y = box.y + box.height;
    const view_rect beside = {x, region.y, right - x, region.height};
    const view_rect below = {region.x, y, region.width, bottom - y};
    // A model fills a square better than a strip.
    const float side = fminf(beside.width, beside.height), low = fminf(below.width, below.height);
    region =
        side > low || (side == low && beside.width * beside.height >= below.width * below.height)
            ? beside
            : below;

    const float least = min_room * scale;
    return region.width >= least && region.height >= least ? region : all;
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
            column->keys =
                fmaxf(column->keys, view_text_width(font, VIEW_TEXT, page->lines[k].keys));
            column->help =
                fmaxf(column->help, view_text_width(font, VIEW_TEXT, page->lines[k].help));
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
        ui->command.action = VIEW_CLOSE_LISTS;
}

// -- Drawing and input ----------------------------------------------------------------------

// All panels and lists, the upper ones last.
static void run_panels(view_ui *ui, const view_stage *stage)
{
    const view_shown *const shown = stage->shown;
    float bottom = stage->height;
    ui->canvas = stage->canvas;
    ui->top = (ui_item_id){NULL, 0};
    ui->is_on_figures = false;
    if (stage->pages != NULL) {
        stage->page_panel(ui, stage);
        return;
    }
    if (shown->panel) {
        if (!shown->help) // the list of keys needs the space
            view_figures_panel(ui, stage);
        if (shows_channels(stage))
            channels_panel(ui, stage);
        if (view_shows_machine(stage))
            machine_panel(ui, stage);
        else if (view_shows_bar(stage))
            bar_panel(ui, stage);
        if (shows_graph(stage))
            view_graph_panel(ui, stage, graph_box(stage));
        if (!shown->help)
            surface_panel(ui, stage);
        if (stage->now < ui->notice_end) {
            const float scale = stage->font->scale;
            const float text = fminf(view_text_width(stage->font, VIEW_TEXT, ui->notice),
                                     stage->width - 80.0f * scale);
            const view_rect box = {roundf(0.5f * (stage->width - text) - 16.0f * scale),
                                   stage->height - 100.0f * scale, text + 32.0f * scale,
                                   34.0f * scale};
            view_draw_round_rect(stage->canvas, box, 17.0f * scale, VIEW_BOX);
            view_draw_text(stage->canvas, VIEW_TEXT, box.x + 16.0f * scale, box.y + 7.0f * scale,
                           text + 1.0f, VIEW_BRIGHT, ui->notice);
        }
        bottom = view_bar_top(stage);
    }
    const float above = sliders_panel(ui, stage, bottom);
    if (shown->hierarchy && stage->document->scene.skeleton != NULL)
        joints_panel(ui, stage, above);
    label_joint(ui, stage);
    if (shown->help)
        draw_keys(stage);
    view_browser_panel(ui, stage);
    if (stage->log->error[0] != '\0' && ui->browser.kind == VIEW_BROWSE_NOTHING)
        error_panel(ui, stage);
}

view_command view_run_ui(view_ui *ui, const view_stage *stage, const ui_mouse *event)
{
    const int32_t hovered = ui->hovered_joint;
    const size_t chosen = ui->browser.chosen;
    const uint32_t hovered_edge = ui->graph.hovered;
    const bool is_pressed = event != NULL && event->is_pressed;
    const bool is_moved = event != NULL && event->is_moved;
    ui->command = (view_command){.action = VIEW_NOTHING};
    if (is_moved && ui->held != NULL && ui->active.panel == NULL)
        return ui->command; // what was pressed does not follow the mouse
    if (is_moved && ui->held == NULL)
        ui->hovered_joint = -1;
    if (is_pressed)
        ui->active.panel = ui->held = NULL;
    const ui_mouse *const place = event != NULL ? event : &ui->mouse;
    ui->mouse = (ui_mouse){.x = place->x, .y = place->y};
    ui->is_event = event != NULL;
    run_panels(ui, stage);
    if (event == NULL)
        return ui->command;
    // Again with the event, now that it is known what is below the mouse. Nothing is drawn.
    ui->hot = ui->top;
    ui->mouse = *event;
    ui->has_taken = is_pressed && ui->hot.panel != NULL;
    run_panels(ui, stage);
    view_clear_canvas(stage->canvas);
    const bool has_changed = ui->hovered_joint != hovered || ui->browser.chosen != chosen
                             || ui->graph.hovered != hovered_edge;
    if (ui->command.action == VIEW_NOTHING && (ui->has_taken || (is_moved && has_changed)))
        ui->command.action = VIEW_TAKEN;
    return ui->command;
}
