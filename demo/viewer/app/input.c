// Input: maps events of the mouse, the keyboard and touch screens to commands, executes commands,
// and controls the characters.
#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/export.h"
#include "demo/viewer/jobs/movie.h"

#include <assert.h>

// Returns the document, the camera and the settings as the panels and the renderer use them.
static view_stage current_stage(view_state *viewer)
{
    return view_build_stage(viewer, (float)viewer->width, (float)viewer->height);
}

static view_lens current_lens(view_state *viewer)
{
    const view_stage stage = current_stage(viewer);
    return view_stage_lens(&stage);
}

// == Control of a character =======================================================================

// Passes the point of the scene that is under the mouse to the character that the user controls.
void view_point_mover(view_state *viewer, float x, float y)
{
    view_scene *const scene = &viewer->document->scene;
    const view_motion_kind *const mover = view_get_mover(scene);
    if (mover->point == NULL || current_stage(viewer).plays)
        return;
    const float width = (float)viewer->width;
    const float height = (float)viewer->height;
    const view_lens lens = current_lens(viewer);
    // A point slightly nearer than the camera's target, so that the character looks and reaches
    // towards the user.
    const float depth = 0.7f * viewer->cameras.user.distance;
    const float wide = lens.orthographic ? 1 : depth;
    const float across = 2 * x / width - 1 - lens.shift_x;
    const float high = 1 - 2 * y / height - lens.shift_y;
    const md5_vec3 right = md5_vec3_scale(lens.axes.right, across * lens.half_x * wide);
    const md5_vec3 up = md5_vec3_scale(lens.axes.up, high * lens.half_y * wide);
    mover->point(scene, md5_vec3_add(md5_vec3_add(lens.eye, md5_vec3_scale(lens.axes.back, -depth)),
                                     md5_vec3_add(right, up)));
}

bool view_controls_character(const view_state *viewer)
{
    if (viewer->input.has_released_control || viewer->pages.open >= 0
        || view_shows_crowd(viewer->document))
        return false;
    return view_get_mover(&viewer->document->scene)->take_over != NULL;
}

// Shows a notice if a key of a state machine has no visible effect.
static void explain_no_effect(view_state *viewer, view_action action)
{
    const view_scene *const scene = &viewer->document->scene;
    const bool is_walk_key = action == VIEW_AHEAD || action == VIEW_BACK || action == VIEW_FAST;
    if (is_walk_key && !view_can_walk(&scene->machine))
        view_notice(viewer, "Cannot walk: this machine has no parameter \"speed\" or \"ahead\"");
    else if (view_is_bind_pose(scene))
        view_notice(viewer, "Showing the bind pose; press P to return to the machine");
    else if (!viewer->play.playing)
        view_notice(viewer, "Paused; press Pause to resume");
}

// Fires the trigger of a key.
static void push_trigger(view_state *viewer, const view_menu_entry *row)
{
    view_machine *const machine = &viewer->document->scene.machine;
    const int32_t trigger = view_find_trigger(machine, row->trigger);
    if (trigger >= 0) {
        view_activate_parameter(machine, (uint32_t)trigger);
        view_log_state(viewer, "push");
        return;
    }
    char keys[32];
    view_print_keys(row, keys, sizeof keys);
    view_notice(viewer, "%s has no trigger in this state machine; press Pause to pause", keys);
}

// Updates the direction of a character when one of its four keys is pressed or released. If both
// keys of a pair, such as ahead and back, are down, the last pressed key counts.
static void set_direction(view_control *control, view_action action, bool down)
{
    // The keys are ordered by pairs: ahead, back, right, left.
    const unsigned key = (unsigned)(action - VIEW_AHEAD);
    const unsigned opposite_key = key ^ 1;
    const int sign = key % 2 == 0 ? 1 : -1;
    control->down[key] = down;
    int direction = 0;
    if (down)
        direction = sign;
    else if (control->down[opposite_key])
        direction = -sign;

    if (action == VIEW_AHEAD || action == VIEW_BACK)
        control->ahead = direction;
    else
        control->side = direction;
}

// Handles a press or release of a key that controls a character.
void view_control_character(view_state *viewer, const view_menu_entry *row, bool down)
{
    view_scene *const scene = &viewer->document->scene;
    const view_motion_kind *const mover = view_get_mover(scene);
    const view_action action = row->action;
    const bool has_triggers = mover->mode == VIEW_MODE_MACHINE;
    if (mover->take_over == NULL || (action == VIEW_TRIGGER && !has_triggers))
        return;

    view_control *const control = mover->take_over(scene, down);
    if (down && has_triggers) // a parameter that is set while paused takes effect later
        explain_no_effect(viewer, action);
    if (action == VIEW_TRIGGER) {
        if (down)
            push_trigger(viewer, row);
        return;
    }
    if (action == VIEW_FAST)
        control->fast = down;
    else
        set_direction(control, action, down);
    view_log_state(viewer, down ? "drive" : "let-go");
}

// == Commands =====================================================================================

// Pauses at the next whole frame in a direction, 1 or -1. Wraps around if the clip loops.
static void step(view_play *play, const md5_anim *anim, int direction)
{
    play->playing = false;
    if (anim == NULL || anim->num_frames < 2)
        return;
    const double position = view_frame_position(play, anim);
    const double nearest = round(position);
    const double last = (anim->num_frames - 1);
    double next = direction > 0 ? floor(position) + 1 : ceil(position) - 1;
    // The time of a whole frame converts back to a frame only up to rounding error.
    if (fabs(position - nearest) < 1e-4)
        next = nearest + direction;
    if (play->wrap != MD5_WRAP_CLAMP && next > last)
        next = 0;
    if (play->wrap != MD5_WRAP_CLAMP && next < 0)
        next = last;
    view_seek(play, anim, next / anim->frame_rate);
}

// Moves by one frame, or by one time step of a machine.
static void step_playback(view_state *viewer, int direction)
{
    view_play *const play = &viewer->play;
    if (view_get_mode(viewer->document) == VIEW_MODE_MACHINE) {
        play->playing = false;
        play->time = fmax(play->time + direction / (double)VIEW_STEPS_A_SECOND, 0);
    } else {
        step(play, view_timing_anim(&viewer->document->scene), direction);
    }
}

// Moves to the first or last frame. A machine has no last frame.
static void go_to_end(view_state *viewer, bool is_last)
{
    view_play *const play = &viewer->play;
    view_scene *const scene = &viewer->document->scene;
    const md5_anim *const anim = view_timing_anim(scene);
    if (view_get_mode(viewer->document) == VIEW_MODE_MACHINE) {
        view_restart_machine(&scene->machine);
        play->time = 0;
    } else if (anim != NULL) {
        const double last_time = (anim->num_frames - 1) / anim->frame_rate;
        view_seek(play, anim, is_last ? last_time : 0);
    }
}

// Changes the speed, from 1/16 to 16. Its sign is the direction.
static void change_speed(view_state *viewer, view_action action)
{
    double speed = 1; // of VIEW_NORMAL_SPEED
    if (action == VIEW_REVERSE) {
        speed = -viewer->options->speed;
    } else if (action != VIEW_NORMAL_SPEED) {
        const double factor = action == VIEW_FASTER ? 2 : 0.5;
        speed = fmin(fmax(viewer->play.speed * factor, 1.0 / 16.0), 16);
        speed = copysign(speed, viewer->options->speed);
    }
    if (view_set_option(viewer, VIEW_OPTION(speed), common_number_value(speed)))
        view_notice(viewer, "Speed %g\xC3\x97", speed);
}

// Shows the next or previous clip, cyclically.
static void change_to_neighbor_clip(view_state *viewer, bool is_next)
{
    const view_scene *const scene = &viewer->document->scene;
    if (scene->num_clips == 0) {
        view_notice(viewer, VIEW_NO_CLIP);
        return;
    }
    const size_t step_size = is_next ? 1 : scene->num_clips - 1;
    view_change_clip(viewer, (scene->clip + step_size) % scene->num_clips);
}

// Sets the first or the last frame of the played range to the current frame.
static void set_range_limit(view_state *viewer, bool is_end)
{
    view_play *const play = &viewer->play;
    if (view_set_range(play, view_timing_anim(&viewer->document->scene), is_end))
        view_notice(viewer, "Frames %u to %u", play->range_first, play->range_last);
    else
        view_notice(viewer, "Cannot set the range: select at least two frames");
}

static void play_one_shot(view_state *viewer)
{
    const char *const name = view_play_one_shot(&viewer->document->scene.machine);
    if (name != NULL)
        view_notice(viewer, "Playing once: %s", name);
}

// Executes commands of playback. A machine has no frames: VIEW_GO_FIRST restarts it, and a step is
// 1 / VIEW_STEPS_A_SECOND seconds.
static void execute_playback(view_state *viewer, view_action action)
{
    view_play *const play = &viewer->play;
    view_scene *const scene = &viewer->document->scene;
    switch (action) {
    case VIEW_PLAY:
        view_toggle_play(play, view_timing_anim(scene));
        if (view_get_mode(viewer->document) == VIEW_MODE_MACHINE)
            view_notice(viewer, "%s", play->playing ? "Playing" : "Paused");
        break;
    case VIEW_STEP_BACK:
    case VIEW_STEP_ON:
        step_playback(viewer, action == VIEW_STEP_ON ? 1 : -1);
        break;
    case VIEW_GO_FIRST:
    case VIEW_GO_LAST:
        go_to_end(viewer, action == VIEW_GO_LAST);
        break;
    case VIEW_NORMAL_SPEED:
    case VIEW_REVERSE:
    case VIEW_SLOWER:
    case VIEW_FASTER:
        change_speed(viewer, action);
        break;
    case VIEW_NEXT_CLIP:
    case VIEW_PREVIOUS_CLIP:
        change_to_neighbor_clip(viewer, action == VIEW_NEXT_CLIP);
        break;
    case VIEW_BIND_POSE:
        view_show_bind_pose(scene, !view_is_bind_pose(scene), play);
        view_measure(viewer);
        break;
    case VIEW_RANGE_BEGIN:
    case VIEW_RANGE_END:
        set_range_limit(viewer, action == VIEW_RANGE_END);
        break;
    case VIEW_RANGE_ALL:
        play->range_first = play->range_last = 0;
        view_notice(viewer, "Playing all frames");
        break;
    case VIEW_ONE_SHOT:
        play_one_shot(viewer);
        break;
    default:
        break;
    }
    view_apply_options(viewer);
}

// Changes a switch, or sets an option to the next of its values.
static void set_next_value(view_state *viewer, const view_option *option)
{
    const unsigned next =
        (view_get_choice(option, viewer->options) + 1) % view_count_choices(option);
    if (!view_set_option(viewer, option, common_choice_value(next)))
        return;

    char *const value = common_copy_word(view_get_choices(option), next);
    if (value != NULL)
        view_notice(viewer, "%s: %s", view_get_label(view_get_entry(option)), value);
    free(value);
}

// Starts or ends the ragdoll.
static void toggle_ragdoll(view_state *viewer)
{
    const view_fall *const fall = viewer->document->scene.fall;
    const double now = viewer->play.time;
    if (fall == NULL) {
        view_notice(viewer, "No ragdoll for this model");
        return;
    }
    const bool has_died = view_has_died(fall, now);
    const common_value alive = {.type = COMMON_VALUE_DEFAULT};
    const common_value time = has_died ? alive : common_number_value(fmax(now, 0));
    if (view_set_option(viewer, VIEW_OPTION(dies), time))
        view_notice(viewer,
                    has_died ? "Ragdoll ended" : "Ragdoll started" VIEW_DOT "press again to end");
}

// Starts or stops legs that walk by rules instead of the clip, as --walk does.
static const char *toggle_walk(view_scene *scene)
{
    if (view_end_walk(scene))
        return "Procedural walking stopped";
    if (!view_begin_walk(scene))
        return "Cannot walk: no two joint names contain foot or ankle";
    return "Procedural walking: W A S D, Shift to run";
}

// Rotates the model by 90 degrees about an axis of the file: about x for a model that lies on its
// back, about z for a model that does not face the camera.
static void rotate_model(view_state *viewer, int axis)
{
    view_scene *const scene = &viewer->document->scene;
    if (view_is_on_ground(scene)) {
        view_notice(viewer, "Cannot rotate the model while its feet are placed on the ground");
        return;
    }
    char axes[32];
    scene->rotation = view_rotate_further(scene->rotation, axis);
    view_describe_rotation(&scene->rotation, axes, sizeof axes);
    view_measure(viewer);
    view_frame_document(viewer, viewer->width, viewer->height);
    view_notice(viewer, "File axes: %s", axes);
}

// Executes commands that change the pose or the orientation of the model.
static void execute_model_command(view_state *viewer, view_action action)
{
    enum { AXIS_X = 0, AXIS_Z = 2 };
    switch (action) {
    case VIEW_WALK:
        view_notice(viewer, "%s", toggle_walk(&viewer->document->scene));
        viewer->play.time = 0; // start of the walk
        view_measure(viewer);
        break;
    case VIEW_DIE:
        toggle_ragdoll(viewer);
        break;
    case VIEW_TURN_X:
        rotate_model(viewer, AXIS_X);
        break;
    case VIEW_TURN_Z:
        rotate_model(viewer, AXIS_Z);
        break;
    default:
        break;
    }
}

// Moves the user's camera near the selected mesh, material or joint.
static void frame_selected(view_state *viewer)
{
    view_camera *const camera = &viewer->cameras.user;
    const view_scene *const scene = &viewer->document->scene;
    if (view_frame_meshes(camera, &viewer->document->scene, &viewer->play, viewer->ui.selected_mesh,
                          viewer->ui.selected_material))
        return;
    const int32_t joint = view_marked_joint(&viewer->ui, scene);
    if (joint < 0) {
        view_notice(viewer, "Select a joint or a mesh first");
        return;
    }
    camera->target = md5_vec3_sub(md5_mat34_translation(scene->joints[joint]),
                                  view_walked(scene, &viewer->play));
    camera->distance *= 0.4f;
}

// Executes commands of the camera. All except VIEW_CAMERA_PATH switch to the user's camera.
static void execute_camera_command(view_state *viewer, view_action action)
{
    view_camera *const camera = &viewer->cameras.user;
    // The elevation at which the three axes of a cube appear equally long: atan(1 / sqrt 2).
    const float isometric = 35.26439f;
    // Azimuth and elevation of VIEW_FRONT to VIEW_FROM_BELOW.
    static const float angles[][2] = {{0, 0}, {180, 0}, {-90, 0}, {90, 0}, {0, 90}, {0, -90}};
    static_assert(VIEW_FROM_BELOW - VIEW_FRONT + 1 == COMMON_LENGTH(angles), "each");

    const view_camera before = *camera;
    if (action != VIEW_CAMERA_PATH)
        viewer->cameras.follows_path = false;
    switch (action) {
    case VIEW_CAMERA_PATH:
        viewer->cameras.follows_path = !viewer->cameras.follows_path;
        view_notice(viewer, "%s", viewer->cameras.follows_path ? "Camera path" : "Free camera");
        break;
    case VIEW_FRAME_ALL:
        view_measure(viewer);
        view_frame_document(viewer, viewer->width, viewer->height);
        break;
    case VIEW_FRAME_SELECTED:
        frame_selected(viewer);
        break;
    case VIEW_FRONT:
    case VIEW_BEHIND:
    case VIEW_RIGHT:
    case VIEW_LEFT:
    case VIEW_TOP:
    case VIEW_FROM_BELOW:
        camera->azimuth = angles[action - VIEW_FRONT][0];
        camera->elevation = angles[action - VIEW_FRONT][1];
        break;
    case VIEW_ISOMETRIC:
        camera->azimuth = 45;
        camera->elevation = isometric;
        camera->orthographic = true;
        break;
    case VIEW_PREVIOUS_VIEW:
        if (viewer->cameras.previous.scene_radius > 0)
            *camera = viewer->cameras.previous;
        break;
    default: // VIEW_ORTHOGRAPHIC
        camera->orthographic = !camera->orthographic;
        view_notice(viewer, "%s", camera->orthographic ? "Orthographic" : "Perspective");
        break;
    }

    if (memcmp(camera, &before, sizeof before) != 0)
        viewer->cameras.previous = before;
}

// Opens the context menu of a picked point with its joint and mesh, or of the ground.
static void open_context(view_state *viewer, const view_pick *pick, float x, float y)
{
    const view_scene *const scene = &viewer->document->scene;
    view_open_menu(&viewer->ui, &viewer->panels.menu, VIEW_MENU_OF_CONTEXT, x, y);
    view_target *const target = &viewer->panels.menu.target;
    target->context = pick->is_set ? VIEW_ON_MODEL | VIEW_ON_JOINT | VIEW_ON_MESH : VIEW_ON_GROUND;
    target->number = pick->mesh;
    target->item = pick->mesh + 1;
    if (pick->is_set && pick->joint >= 0 && (uint32_t)pick->joint < scene->num_joints)
        COMMON_TEXT(target->name, "%s", scene->skeleton->joints[pick->joint].name);
}

// Closes one thing: the error, the lesson, the start page, the control of the character, or else
// the selection and the lists.
static void close_topmost(view_state *viewer)
{
    view_ui *const ui = &viewer->ui;
    if (viewer->log.error[0] != '\0') {
        viewer->log.error[0] = '\0';
    } else if (viewer->pages.open >= 0) {
        view_close_page(viewer);
    } else if (viewer->panels.start.is_open) {
        view_clear_start(ui, &viewer->panels.start);
    } else if (view_controls_character(viewer)) {
        viewer->input.has_released_control = true;
        view_notice(viewer, "Keyboard released; press Enter to control the character");
    } else {
        ui->focus.panel = NULL;
        view_set_switch(viewer, VIEW_OPTION(shown.help), false);
        view_set_switch(viewer, VIEW_OPTION(shown.light_list), false);
        view_set_switch(viewer, VIEW_OPTION(shown.parm_list), false);
        ui->selected_joint = ui->hovered_joint = -1;
        ui->measured_from = ui->selected_material = -1;
        ui->selected_mesh = -1;
        viewer->pick = viewer->measured = (view_pick){.is_set = false};
    }
}

// Makes the text of the interface larger or smaller by a tenth.
static void change_text_size(view_state *viewer, bool is_larger)
{
    const float factor = is_larger ? 1.1f : 1.0f / 1.1f;
    const float size =
        view_clamp(viewer->drawing.font.scale * factor, VIEW_MIN_SCALE, VIEW_MAX_SCALE);
    view_set_option(viewer, VIEW_OPTION(ui_scale), common_number_value((double)size));
}

// Copies the command line that shows the current view. In a browser, the page copies a link.
static void copy_command_line(view_state *viewer)
{
    if (view_ask_page("link"))
        return;
    char *const line = view_command_line(viewer);
    ui_copy(&viewer->ui, viewer->now, line, line);
    free(line);
}

// Opens the card of the option with this index.
static void open_card(view_state *viewer, size_t option)
{
    const view_stage stage = current_stage(viewer);
    view_command command = view_open_card(&viewer->ui, &viewer->panels.card, &stage, option);
    // An event without effect, which measures the height of the card.
    view_run_ui(&viewer->ui, &viewer->panels, &stage,
                &(ui_mouse){.x = viewer->ui.mouse.x, .y = viewer->ui.mouse.y});
    view_run_file_command(viewer, &command);
    free(command.path);
}

// Executes commands of the user interface. Returns false if the command is not one of them.
static bool execute_interface_command(view_state *viewer, const view_command *command)
{
    const view_action action = command->action;
    switch (action) {
    case VIEW_FULL_SCREEN:
        view_set_full_screen(viewer->window, !view_is_full_screen(viewer->window));
        break;
    case VIEW_LARGER_TEXT:
    case VIEW_SMALLER_TEXT:
        change_text_size(viewer, action == VIEW_LARGER_TEXT);
        break;
    case VIEW_WARNINGS:
        view_open_overlay(&viewer->ui, &viewer->panels, VIEW_OVERLAY_NONE);
        viewer->ui.docks.shows_problems = !viewer->ui.docks.shows_problems;
        viewer->panels.problems.selected = 0;
        viewer->panels.problems.has_keys = true;
        view_set_switch(viewer, VIEW_OPTION(shown.panel), true);
        break;
    case VIEW_CLOSE_LISTS:
        close_topmost(viewer);
        break;
    case VIEW_DRIVE:
        viewer->input.has_released_control = false;
        view_notice(viewer,
                    "Move with W A S D, Shift and Space; press Esc to release the keyboard");
        break;
    case VIEW_MENUS:
    case VIEW_SEARCH:
        view_open_menu(&viewer->ui, &viewer->panels.menu,
                       action == VIEW_MENUS ? VIEW_MENU_OF_BAR : VIEW_MENU_SEARCH, 0, 0);
        break;
    case VIEW_FIND:
        view_set_switch(viewer, VIEW_OPTION(shown.hierarchy), true);
        view_set_switch(viewer, VIEW_OPTION(shown.panel), true);
        viewer->ui.docks.front = VIEW_DOCK_LEFT;
        viewer->ui.docks.is_sheet_open = viewer->ui.selects_all = true;
        viewer->ui.focus = (ui_item_id){"search", 1};
        break;
    case VIEW_CONTEXT: // of the selection, near the middle of the window
        open_context(viewer, &viewer->pick, 0.4f * (float)viewer->width,
                     0.3f * (float)viewer->height);
        break;
    case VIEW_COPY_NAME:
    case VIEW_COPY_PATH:
        if (command->path != NULL)
            ui_copy(&viewer->ui, viewer->now, command->path, command->path);
        break;
    case VIEW_COPY_COMMAND:
        copy_command_line(viewer);
        break;
    case VIEW_ASK:
        open_card(viewer, command->number);
        break;
    default:
        return false;
    }
    return true;
}

// Sets --hide to a set of meshes: bit i is mesh i. The option is a list of names or indices.
static void hide(view_state *viewer, uint64_t meshes)
{
    char *text = common_copy("");
    for (int i = 0; i < 64; i++)
        if ((meshes >> i & 1) != 0)
            common_extend(&text, "%d\n", i);
    view_set_option(viewer, VIEW_OPTION(hidden), common_text_value(text));
    free(text);
}

// Returns the index of the mesh that a command hides or shows. VIEW_HIDE_SELECTION concerns the
// selected mesh or else the picked mesh; without them SIZE_MAX is returned.
static size_t find_command_mesh(const view_state *viewer, const view_command *command)
{
    if (command->action != VIEW_HIDE_SELECTION)
        return command->number;
    if (viewer->ui.selected_mesh >= 0)
        return (size_t)viewer->ui.selected_mesh;
    return viewer->pick.is_set ? viewer->pick.mesh : SIZE_MAX;
}

// Executes commands that hide or show meshes. Only the first 64 meshes can be hidden.
static void execute_mesh_command(view_state *viewer, const view_command *command)
{
    const view_action action = command->action;
    const size_t mesh = find_command_mesh(viewer, command);
    if (action == VIEW_HIDE_SELECTION && mesh == SIZE_MAX) {
        view_notice(viewer, "Click a mesh to select it first");
        return;
    }

    // Sets of meshes, one bit per mesh.
    const uint32_t num_meshes = view_count_meshes(&viewer->document->scene);
    const uint64_t all = num_meshes < 64 ? ((uint64_t)1 << num_meshes) - 1 : UINT64_MAX;
    const uint64_t bit = mesh < 64 ? all & (uint64_t)1 << mesh : 0;
    const uint64_t others = all ^ bit;
    const uint64_t hidden = viewer->options->hidden_meshes;
    if (action == VIEW_SHOW_MESHES) {
        hide(viewer, 0);
    } else if (bit == 0) {
        return;
    } else if (action == VIEW_ONLY_MESH) { // a second time shows all meshes again
        hide(viewer, hidden == others ? 0 : others);
    } else {
        hide(viewer, hidden ^ bit);
    }
}

// Starts a transition of a machine, or changes to a state with a default crossfade. A machine that
// was read again may not have the transition or the state; then nothing happens.
static void execute_transition(view_state *viewer, const view_command *command)
{
    view_machine *const machine = &viewer->document->scene.machine;
    if (view_get_mode(viewer->document) != VIEW_MODE_MACHINE)
        return;
    view_take_over(machine);

    // The default crossfade to the state, or the transition.
    const uint32_t layer = (uint32_t)command->number;
    uint32_t state = (uint32_t)command->item;
    md5_transition_desc transition = {.duration = 0.25f, .easing.kind = MD5_EASE_SMOOTH};
    if (command->action == VIEW_TAKE_TRANSITION) {
        if (layer >= machine->desc->num_layers
            || command->item >= machine->desc->layers[layer].num_transitions)
            return;
        transition = machine->desc->layers[layer].transitions[command->item];
        state = md5_find_state(machine->character->machine, layer, transition.to);
    }

    // While playback is paused, the state is displayed immediately, at its beginning.
    bool has_changed;
    if (viewer->play.playing)
        has_changed = md5_player_fade_to(machine->player, layer, state, transition.duration,
                                         transition.fade, transition.easing.kind);
    else
        has_changed = md5_player_seek(machine->player, layer, state, 0);

    if (has_changed)
        view_notice(viewer, "%s: %s", machine->desc->layers[layer].name,
                    machine->desc->layers[layer].states[state].name);
}

// Selects the parent of the selected joint, if any.
static void select_parent(view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    const int32_t joint = viewer->ui.selected_joint;
    if (joint < 0 || (uint32_t)joint >= scene->num_joints)
        return;
    const uint32_t parent = scene->skeleton->joints[joint].parent;
    if (parent != MD5_NONE)
        viewer->ui.selected_joint = (int32_t)parent;
}

// Begins to measure a distance at the selected joint. A second time on the same joint ends it.
static void toggle_measuring(view_state *viewer)
{
    view_ui *const ui = &viewer->ui;
    ui->measured_from = ui->measured_from != ui->selected_joint ? ui->selected_joint : -1;
    view_notice(viewer,
                ui->measured_from >= 0 ? "Select the second joint" : "Select the first joint");
}

// Executes commands of selection, recording and options. All remaining commands concern files.
static void execute_other_command(view_state *viewer, const view_command *command)
{
    const view_action action = command->action;
    const size_t number = command->number;
    view_scene *const scene = &viewer->document->scene;
    switch (action) {
    case VIEW_SCREENSHOT:
    case VIEW_CLEAN_SCREENSHOT:
        view_save_screenshot(viewer, action == VIEW_CLEAN_SCREENSHOT);
        break;
    case VIEW_RECORD:
        view_toggle_recording(viewer);
        break;
    case VIEW_EXPORT:
    case VIEW_EXPORT_AGAIN:
    case VIEW_RUN_EXPORT:
    case VIEW_STOP_EXPORT:
        view_perform_export(viewer, action);
        if (action == VIEW_EXPORT && command->path != NULL) // a search text
            view_select_named_export(viewer, command->path);
        break;
    case VIEW_SAVE_RETARGETED:
        view_save_retargeted(viewer, number);
        break;
    case VIEW_SELECT_PARENT:
        select_parent(viewer);
        break;
    case VIEW_MEASURE:
        toggle_measuring(viewer);
        break;
    case VIEW_SET:
        view_execute_set(viewer, command);
        break;
    case VIEW_SETTINGS:
        view_open_overlay(&viewer->ui, &viewer->panels, VIEW_OVERLAY_SETTINGS);
        break;
    case VIEW_TAKE_BACK:
        view_revert_card(viewer, number == 1);
        break;
    case VIEW_UNDO:
    case VIEW_REDO:
        view_show_step(viewer, viewer->undo.step + (action == VIEW_UNDO ? SIZE_MAX : 1));
        break;
    case VIEW_GO_TO_STEP:
        view_show_step(viewer, number);
        break;
    case VIEW_RESET_ALL:
    case VIEW_FORGET_DOCUMENT:
    case VIEW_FORGET_ALL:
        view_reset_settings(viewer, action);
        break;
    case VIEW_FIRE_TRIGGER:
        if (view_get_mode(viewer->document) == VIEW_MODE_MACHINE) {
            view_take_over(&scene->machine);
            view_activate_parameter(&scene->machine, (uint32_t)number);
        }
        break;
    case VIEW_QUIT:
        viewer->input.quits = true;
        break;
    case VIEW_PLAY_IN_CHANNEL:
        if (view_play_in_channel(scene, (uint32_t)command->item, number, &viewer->play))
            view_measure(viewer);
        else
            view_notice(viewer, "Cannot play this clip on this channel");
        break;
    case VIEW_SHOW_CHANNEL:
        view_focus_in_scene(scene, (uint32_t)command->item, &viewer->play);
        break;
    case VIEW_SHOW_MESHES:
    case VIEW_ONLY_MESH:
    case VIEW_HIDE_MESH:
    case VIEW_HIDE_SELECTION:
        execute_mesh_command(viewer, command);
        break;
    case VIEW_TAKE_TRANSITION:
    case VIEW_GO_TO_STATE:
        execute_transition(viewer, command);
        break;
    default:
        view_run_file_command(viewer, command);
        break;
    }
}

// Executes a command and frees its path, then logs the state at the level "debug".
bool view_execute(view_state *viewer, view_command command)
{
    const view_action action = command.action;
    const bool is_named = action != VIEW_NOTHING && action != VIEW_HANDLED;
    view_shown *const shown = &viewer->options->shown;
    view_shown before = *shown;
    if (is_named)
        view_end_hover_preview(viewer);
    view_sync_overlay(&viewer->ui, &viewer->panels); // a key may have closed the list
    view_update_options(viewer);

    // The actions are sorted by group.
    if (action >= VIEW_TOGGLE)
        set_next_value(viewer, &view_option_rows[action - VIEW_TOGGLE]);
    else if (action <= VIEW_ONE_SHOT)
        execute_playback(viewer, action);
    else if (action <= VIEW_TURN_Z)
        execute_model_command(viewer, action);
    else if (action <= VIEW_ORTHOGRAPHIC)
        execute_camera_command(viewer, action);
    else if (!execute_interface_command(viewer, &command))
        execute_other_command(viewer, &command);

    view_activate_opened_panels(&viewer->ui, &before, shown);
    free(command.path);
    view_sync_overlay(&viewer->ui, &viewer->panels);
    if (is_named)
        view_log_state(viewer, view_action_name(action));
    return action != VIEW_NOTHING;
}

// == Events =======================================================================================

// Returns the point of the body at a pixel. A crowd cannot be picked.
static view_pick pick_at(view_state *viewer, float x, float y)
{
    const float width = (float)viewer->width;
    const float height = (float)viewer->height;
    const view_lens lens = current_lens(viewer);
    const md5_ray ray = view_lens_ray(&lens, x, y, width, height);
    if (view_shows_crowd(viewer->document))
        return (view_pick){.is_set = false};
    return view_find_pick(&viewer->document->scene, viewer->options->hidden_meshes, &ray);
}

// Selects the point of the body at pixel (x, y) and the joint that influences it most.
void view_pick_at(view_state *viewer, float x, float y)
{
    viewer->pick = pick_at(viewer, x, y);
    viewer->measured = (view_pick){.is_set = false};
    viewer->ui.selected_joint = viewer->pick.is_set ? viewer->pick.joint : -1;
    viewer->ui.selected_mesh = -1;
    if (viewer->pick.is_set) {
        viewer->ui.docks.front = VIEW_DOCK_RIGHT;
        viewer->ui.docks.is_second[VIEW_DOCK_RIGHT] = false;
        const view_stage stage = current_stage(viewer);
        viewer->ui.command =
            view_pick_for_card(&viewer->ui, &viewer->panels.card, &stage, viewer->pick.joint, 0);
        view_map_picked_joint(&viewer->ui, &viewer->panels.retarget, &stage);
        view_execute(viewer, viewer->ui.command);
        viewer->ui.command.path = NULL; // freed by view_execute()
    }
    const view_motion_kind *const mover = view_get_mover(&viewer->document->scene);
    viewer->input.has_released_control =
        false; // a click in the viewport takes control of the character
    if (viewer->pick.is_set && mover->click != NULL)
        mover->click(&viewer->document->scene);
    view_log_state(viewer, "pick");
}

void view_measure_at(view_state *viewer, float x, float y)
{
    if (!viewer->pick.is_set) {
        view_pick_at(viewer, x, y);
        return;
    }
    viewer->measured = pick_at(viewer, x, y);
    view_log_state(viewer, "measure");
}

// Continues with the user's camera from the current position of the camera path.
static void leave_camera_path(view_state *viewer)
{
    if (!viewer->cameras.follows_path)
        return;
    // The target is on the axis of the lens, at the depth of the center, so that the size of the
    // model does not change. Roll and field of view are lost.
    view_camera *const camera = &viewer->cameras.user;
    const md5_vec3 walked = view_walked(&viewer->document->scene, &viewer->play);
    const md5_vec3 center = md5_vec3_add(view_center(viewer->document->bounds), walked);
    const view_lens lens = view_path_lens(viewer->document, &viewer->play, camera,
                                          (float)viewer->width, (float)viewer->height);
    const md5_vec3 back = lens.axes.back;
    // The target cannot be behind the camera.
    const float depth =
        fmaxf(md5_vec3_dot(md5_vec3_sub(lens.eye, center), back), 0.25f * camera->scene_radius);
    camera->azimuth = view_degrees(atan2f(back.y, back.x));
    camera->elevation = view_degrees(asinf(view_clamp(back.z, -1, 1)));
    camera->target = md5_vec3_sub(md5_vec3_sub(lens.eye, md5_vec3_scale(back, depth)), walked);
    camera->distance = depth * lens.half_y / VIEW_HALF_HEIGHT;
    camera->orthographic = false;
    viewer->cameras.framing = (view_framing){0};
    viewer->cameras.follows_path = false;
    view_snap(viewer);
}

// Returns the number of pixels of the image per unit of mouse coordinates.
static float mouse_scale(const view_state *viewer)
{
    int width;
    int height;
    view_window_points(viewer->window, &width, &height);
    return width > 0 ? (float)viewer->width / (float)width : 1;
}

// Begins dragging the stick if a press hits it. Returns false if it does not.
static bool hold_stick(view_state *viewer, float x, float y)
{
    const view_stage stage = current_stage(viewer);
    const view_stick stick = view_stick_position(&stage);
    if (!(stick.reach > 0) || hypotf(x - stick.x, y - stick.y) > 1.3f * stick.reach)
        return false;
    viewer->input.stick = stick;
    return true;
}

// Moves the pad of the stick towards a pixel, and presses and releases the keys that it represents.
static void push_stick(view_state *viewer, float x, float y)
{
    view_stick *const stick = &viewer->input.stick;
    view_input key;
    const float right = (x - stick->x) / stick->reach;
    const float down = (y - stick->y) / stick->reach;
    const float factor = 1.0f / fmaxf(hypotf(right, down), 1); // limits the length to 1
    stick->pad.x = right * factor;
    stick->pad.y = down * factor;
    while (view_next_pad_key(&stick->pad, &key)) {
        const view_menu_entry *const row = view_find_key(key.key, false, false, false, true);
        if (row != NULL)
            view_control_character(viewer, row, key.kind == VIEW_INPUT_KEY_DOWN);
    }
}

// Grasps a limb of a ragdoll at a pixel. Returns false if there is none.
static bool grasp_limb(view_state *viewer, float x, float y)
{
    const float reach = 10 * viewer->cameras.user.distance;
    view_fall *const fall = viewer->document->scene.fall;
    if (viewer->pages.open >= 0 || view_shows_crowd(viewer->document)
        || !view_has_died(fall, viewer->play.time))
        return false;
    const view_lens lens = current_lens(viewer);
    const md5_ray ray = view_lens_ray(&lens, x, y, (float)viewer->width, (float)viewer->height);
    const md5_vec3 direction = md5_vec3_normalize(ray.direction, lens.axes.back);
    return view_grasp(fall, ray.origin, view_along(ray.origin, direction, reach));
}

// Moves the grasped limb to a pixel, at the depth at which it was grasped.
static void drag_limb(view_state *viewer, float x, float y)
{
    view_fall *const fall = viewer->document->scene.fall;
    const view_lens lens = current_lens(viewer);
    const md5_ray ray = view_lens_ray(&lens, x, y, (float)viewer->width, (float)viewer->height);
    const md5_vec3 to = md5_vec3_sub(fall->grasped, ray.origin);
    const float depth =
        md5_vec3_dot(to, lens.axes.back) / md5_vec3_dot(ray.direction, lens.axes.back);
    const md5_vec3 target = view_along(ray.origin, ray.direction, depth);
    view_drag(fall, &target);
}

// Ends the current drag, also if another button ends it. Releases the keys of the stick.
static void end_drag(view_state *viewer)
{
    if (viewer->input.drag == VIEW_DRAG_LIMB && viewer->document->scene.fall != NULL)
        view_drag(viewer->document->scene.fall, NULL);
    if (viewer->input.drag == VIEW_DRAG_STICK)
        push_stick(viewer, viewer->input.stick.x, viewer->input.stick.y);
    viewer->input.drag = VIEW_DRAG_NONE;
    viewer->input.stick.reach = 0;
}

// Runs the interface with an event at the position of the last press. Returns true if the interface
// has used the event.
static bool run_at_press(view_state *viewer, ui_mouse event)
{
    const view_stage stage = current_stage(viewer);
    event.x = viewer->input.press_x;
    event.y = viewer->input.press_y;
    return view_execute(viewer, view_run_ui(&viewer->ui, &viewer->panels, &stage, &event));
}

static bool press_panel(view_state *viewer)
{
    return run_at_press(viewer, (ui_mouse){.is_pressed = true,
                                           .is_double = viewer->input.is_double,
                                           .alt = viewer->input.is_alt});
}

// Scrolls the panel under the finger.
static bool drag_panel(view_state *viewer, float down)
{
    viewer->input.scroll_distance = down;
    viewer->input.scroll_time = viewer->now;
    return run_at_press(viewer, (ui_mouse){.dragged = down});
}

// Decides the action of a finger once it has moved far enough: it scrolls, or presses the item
// under the press and drags it. Returns true if it presses.
static bool decide_finger(view_state *viewer, float x, float y)
{
    const float right = x - viewer->input.press_x;
    const float down = y - viewer->input.press_y;
    if (hypotf(right, down) < 8 * viewer->drawing.font.scale)
        return false;
    const bool scrolls = fabsf(down) > fabsf(right) && drag_panel(viewer, down);
    viewer->input.drag = scrolls ? VIEW_DRAG_SCROLL : VIEW_DRAG_NONE;
    if (!scrolls)
        press_panel(viewer);
    return !scrolls;
}

// Handles the end of a touch. A finger that was not moved presses or, after a long touch, opens the
// context menu. Scrolling continues for a fifth of a second, which is twelve moves.
static void lift_finger(view_state *viewer, const view_input *event)
{
    const float moves = 12;
    const float step = 3 * viewer->drawing.font.line[VIEW_TEXT];
    const bool is_still = viewer->input.drag == VIEW_DRAG_FINGER && !event->is_given_up;
    const bool is_scrolling =
        viewer->input.drag == VIEW_DRAG_SCROLL && viewer->now - viewer->input.scroll_time < 0.1;
    const bool continues = is_scrolling && !viewer->options->shown.reduced_motion;
    if (viewer->input.drag == VIEW_DRAG_FINGER)
        viewer->input.drag = VIEW_DRAG_NONE;
    if (is_still && event->is_long)
        run_at_press(viewer, (ui_mouse){.is_right = true});
    else if (is_still)
        press_panel(viewer);
    else if (continues)
        run_at_press(viewer, (ui_mouse){.wheel = moves * viewer->input.scroll_distance / step});
}

// Returns the drag that a press in the viewport begins.
static view_camera_drag drag_kind(const view_input *event)
{
    const bool is_left = event->button == VIEW_BUTTON_LEFT;
    if (event->button == VIEW_BUTTON_MIDDLE || (is_left && event->shift))
        return VIEW_DRAG_PAN;
    if (is_left)
        return VIEW_DRAG_ORBIT;
    return event->button == VIEW_BUTTON_RIGHT ? VIEW_DRAG_ZOOM : VIEW_DRAG_NONE;
}

// Handles a pressed mouse button or a finger: a panel below it gets it first, otherwise it
// begins a drag of the camera, of the control stick or of a limb.
static void press(view_state *viewer, const view_input *event)
{
    const float x = event->x;
    const float y = event->y;
    const bool is_left = event->button == VIEW_BUTTON_LEFT;
    end_drag(viewer);
    viewer->input.is_only_alt_down = false;
    viewer->input.press_x = x;
    viewer->input.press_y = y;
    viewer->input.press_travel = 0;
    viewer->input.is_touched = event->is_touch;
    viewer->input.is_double = event->clicks == 2;
    viewer->input.is_alt = event->alt;

    // A finger on a panel scrolls it or presses an item, which its movement decides.
    if (is_left && event->is_touch) {
        run_at_press(viewer, (ui_mouse){.is_moved = true});
        if (viewer->ui.hot.panel != NULL) {
            viewer->input.drag = VIEW_DRAG_FINGER;
            return;
        }
    }
    // Any button outside of a menu closes the menu.
    if ((is_left || viewer->panels.menu.kind != VIEW_NO_MENU) && press_panel(viewer))
        return;

    viewer->input.drag = drag_kind(event);
    if (viewer->input.drag != VIEW_DRAG_ORBIT)
        return;
    if (hold_stick(viewer, x, y)) {
        viewer->input.drag = VIEW_DRAG_STICK;
        push_stick(viewer, x, y);
    } else if (grasp_limb(viewer, x, y)) {
        viewer->input.drag = VIEW_DRAG_LIMB;
    }
}

// Moves the camera by a drag of the mouse.
static void drag_camera(view_state *viewer, float right, float down)
{
    const float height = (float)viewer->height;
    view_camera *const camera = &viewer->cameras.user;
    if (viewer->input.drag == VIEW_DRAG_ORBIT) {
        // A drag over the height of the image rotates by 180 degrees.
        camera->azimuth = remainderf(camera->azimuth - right * 180.0f / height, 360);
        camera->elevation = view_clamp(camera->elevation + down * 180.0f / height, -90, 90);
    } else if (viewer->input.drag == VIEW_DRAG_PAN) {
        view_pan(camera, right, down, current_stage(viewer).region.height);
    } else {
        // Upward zooms in, by a factor of 20 over the height of the image.
        view_zoom(camera, powf(20, -down / height), 0, 0, height);
    }
}

// Handles a movement of the mouse or a finger. Returns true if the image must be drawn again.
static bool move(view_state *viewer, const view_input *event)
{
    const float x = event->x;
    const float y = event->y;
    const float travel = fabsf(event->moved_x) + fabsf(event->moved_y);
    if (viewer->input.drag == VIEW_DRAG_SCROLL)
        return drag_panel(viewer, event->moved_y);
    if (viewer->input.drag == VIEW_DRAG_FINGER && !decide_finger(viewer, x, y))
        return viewer->input.drag == VIEW_DRAG_SCROLL;
    if (viewer->input.drag == VIEW_DRAG_STICK) {
        push_stick(viewer, x, y);
        return true;
    }
    if (viewer->input.drag == VIEW_DRAG_LIMB) {
        viewer->input.press_travel += travel;
        drag_limb(viewer, x, y);
        return true;
    }

    if (viewer->input.drag != VIEW_DRAG_NONE) {
        leave_camera_path(viewer);
        view_point_mover(viewer, x, y);
        viewer->input.press_travel += travel;
        drag_camera(viewer, event->moved_x, event->moved_y);
        return true;
    }

    // Without a drag, the interface handles the movement.
    const bool is_held = viewer->ui.held != NULL;
    const view_stage stage = current_stage(viewer);
    const ui_mouse mouse = {.x = x, .y = y, .is_moved = true};
    if (view_execute(viewer, view_run_ui(&viewer->ui, &viewer->panels, &stage, &mouse)) && !is_held)
        return true;
    view_point_mover(viewer, x, y);
    return is_held;
}

// Opens the context menu of the item or point under the mouse, and selects the point.
static void click_right(view_state *viewer)
{
    const float x = viewer->input.press_x;
    const float y = viewer->input.press_y;
    if (run_at_press(viewer, (ui_mouse){.is_right = true}))
        return;
    const view_pick pick = pick_at(viewer, x, y);
    if (pick.is_set) {
        viewer->pick = pick;
        viewer->ui.selected_joint = pick.joint;
    }
    open_context(viewer, &pick, x, y);
    view_log_state(viewer, "context");
}

// Moves the camera near the clicked point of the body, or shows the whole model if the click was
// outside of the body.
static void frame_spot(view_state *viewer)
{
    view_camera *const camera = &viewer->cameras.user;
    const view_scene *const scene = &viewer->document->scene;
    if (!viewer->pick.is_set) {
        view_execute(viewer, (view_command){.action = VIEW_FRAME_ALL});
        return;
    }
    leave_camera_path(viewer);
    camera->target =
        md5_vec3_sub(view_pick_point(scene, &viewer->pick), view_walked(scene, &viewer->play));
    camera->distance = fminf(camera->distance, camera->scene_radius);
    view_log_state(viewer, "frame-spot");
}

// Handles a click in the viewport: a release without a movement since the press. The drag that the
// press has begun identifies the button. Returns false if the release was not a click.
static bool click(view_state *viewer, const view_stage *stage, const view_input *event)
{
    const float x = viewer->input.press_x;
    const float y = viewer->input.press_y;
    const view_camera_drag drag = viewer->input.drag;
    const bool has_moved = viewer->input.press_travel >= 4 * mouse_scale(viewer);
    if (has_moved || viewer->pages.open >= 0 || event->is_given_up)
        return false;

    const bool is_left = drag == VIEW_DRAG_ORBIT || drag == VIEW_DRAG_LIMB;
    const bool is_right = drag == VIEW_DRAG_ZOOM || (is_left && event->is_long);
    if (is_right)
        click_right(viewer);
    else if (!is_left)
        return false;
    else if (event->control)
        view_measure_at(viewer, x, y);
    else if (viewer->panels.card.picks_color)
        view_execute(viewer, view_pick_for_card(&viewer->ui, &viewer->panels.card, stage, -1,
                                                view_color_at(viewer, x, y)));
    else
        view_pick_at(viewer, x, y);

    const bool is_plain = is_left && !is_right && !event->control;
    if (is_plain && event->clicks == 2)
        frame_spot(viewer);
    return true;
}

// Handles a released mouse button or a lifted finger: it ends the drag, and is a click if the
// pointer has hardly moved.
static void release(view_state *viewer, const view_input *event)
{
    static const char *const drag_names[] = {"none",  "orbit",  "pan",    "zoom",
                                             "stick", "finger", "scroll", "limb"};
    lift_finger(viewer, event);
    const char *const held = viewer->ui.held;
    viewer->ui.active.panel = viewer->ui.held = NULL;
    const view_stage stage = current_stage(viewer);
    if (held != NULL && strcmp(held, VIEW_SHEET_HANDLE) == 0) {
        const view_layout_request request = view_requested_layout(&stage);
        view_drop_sheet(&request, &viewer->ui.docks);
    }

    if (!click(viewer, &stage, event)) {
        const view_camera_drag drag = viewer->input.drag;
        if (drag != VIEW_DRAG_NONE)
            view_log_state(viewer, drag_names[drag]);
        else if (held != NULL)
            view_log_state(viewer, held);
    }
    end_drag(viewer);
}

// Handles the mouse wheel: a panel below the pointer scrolls, otherwise the camera zooms toward
// the pointer.
static void turn_wheel(view_state *viewer, const view_input *event)
{
    const float x = event->x;
    const float y = event->y;
    const view_stage stage = current_stage(viewer);
    const ui_mouse mouse = {.x = x, .y = y, .wheel = event->wheel};
    if (view_execute(viewer, view_run_ui(&viewer->ui, &viewer->panels, &stage, &mouse)))
        return;
    leave_camera_path(viewer);
    const view_rect region = current_stage(viewer).region;
    view_zoom(&viewer->cameras.user, powf(1.15f, event->wheel), x - region.x - 0.5f * region.width,
              y - region.y - 0.5f * region.height, region.height);
    view_log_state(viewer, "zoom");
}

// Returns true if a key moves or uses the focus of an open list's buttons, instead of the list.
static bool leads_to_buttons(const view_ui *ui, const ui_mouse *event)
{
    if (ui->is_focus_shown)
        return event->key == VIEW_KEY_TAB || event->key == VIEW_KEY_RETURN;
    return event->key == VIEW_KEY_TAB && event->shift;
}

// Passes a key or text to the interface: fields, menus, dialogs. Returns true if the interface has
// used it.
static bool type(view_state *viewer, const ui_mouse *event)
{
    // An open list receives all keys except those that lead to its buttons.
    const bool is_listing =
        viewer->panels.browser.kind != VIEW_BROWSE_NOTHING && viewer->ui.modal == NULL;
    if (is_listing && !leads_to_buttons(&viewer->ui, event)) {
        viewer->ui.is_focus_shown = false;
        const int32_t key = event->key | (event->control ? VIEW_WITH_CTRL : 0);
        if (key != 0 && !event->alt
            && view_execute(viewer, view_key_browser(&viewer->panels.browser, key)))
            return true;
    }

    const view_stage stage = current_stage(viewer);
    ui_mouse typed = *event;
    typed.x = viewer->ui.mouse.x;
    typed.y = viewer->ui.mouse.y;
    if (view_execute(viewer, view_run_ui(&viewer->ui, &viewer->panels, &stage, &typed)))
        return true;

    // A list also uses all letters: they do not run shortcuts.
    return is_listing && event->key < VIEW_KEY_NAMED && !event->control;
}

// Runs the command of a shortcut, or shows the reason why it is not available.
static void run_shortcut(view_state *viewer, const view_menu_entry *entry)
{
    const view_stage stage = current_stage(viewer);
    const uint32_t missing = view_missing_needs(&stage, entry);
    if (missing != 0) {
        view_notice(viewer, "%s: %s", view_get_label(entry), view_reason(missing));
        view_log_state(viewer, "unused");
        return;
    }
    const view_option *const option = view_get_option(entry);
    const size_t number = option != NULL ? view_option_index(option) : 0;
    view_execute(viewer, (view_command){.action = view_get_action(entry), .number = number});
}

// Handles a pressed key. In this order it goes to a text field or the focused item, to the
// controlled character, and to the shortcuts.
static void press_key(view_state *viewer, const view_input *event)
{
    const int32_t key = event->key;
    const bool shift = event->shift;
    const bool control = event->control;
    const bool alt = event->alt;
    viewer->input.is_only_alt_down = key == VIEW_KEY_LEFT_ALT;
    viewer->input.ignores_text = viewer->input.ignores_text && event->is_repeated;

    // F6 moves the focus to another panel unless a character is controlled.
    const bool is_trigger = key == VIEW_KEY_F(6) && view_controls_character(viewer);
    if (!is_trigger
        && type(viewer, &(ui_mouse){.key = key, .shift = shift, .control = control, .alt = alt}))
        return;
    // A modal dialog ignores keys other than function keys and keys with Ctrl.
    const bool is_function = key >= VIEW_KEY_F(1) && key <= VIEW_KEY_F(12);
    if (viewer->ui.modal != NULL && !control && !is_function)
        return;

    if (view_controls_character(viewer) && !control) {
        const view_menu_entry *const drive = view_find_key(key, shift, control, alt, true);
        if (drive != NULL) {
            view_control_character(viewer, drive, true);
            return;
        }
    }

    const view_menu_entry *const shortcut = view_find_key(key, shift, control, alt, false);
    if (shortcut != NULL) {
        viewer->input.ignores_text = true;
        run_shortcut(viewer, shortcut);
    } else if (key == VIEW_KEY_F(10) && !event->is_repeated) {
        view_execute(viewer, (view_command){.action = VIEW_MENUS});
    }
}

// Returns true if a file that is dropped at a pixel hits the body `pick` and no panel.
static bool is_over_body(const view_state *viewer, const view_stage *stage, const view_pick *pick,
                         float x, float y)
{
    if (!pick->is_set || stage->pages != NULL || viewer->ui.over != VIEW_OVERLAY_NONE)
        return false;
    return view_contains(view_current_layout(stage).free, x, y);
}

// Opens a dropped file. An image that is dropped on a mesh or on a tile of its page becomes a map
// of this mesh. If a single model is dropped on the open model, the user selects its purpose.
static void drop_file(view_state *viewer, const view_input *event)
{
    const float x = event->x;
    const float y = event->y;
    char *const path = event->path;
    const view_stage stage = current_stage(viewer);
    const view_pick pick = pick_at(viewer, x, y);
    const bool is_on_body = is_over_body(viewer, &stage, &pick, x, y);

    // Find the tile of an image under the mouse.
    view_run_ui(&viewer->ui, &viewer->panels, &stage,
                &(ui_mouse){.x = x, .y = y, .is_moved = true});
    const uint32_t hovered_map = viewer->panels.textures.hovered; // 1 + md5gl_image_kind; 0: none

    view_command command = {.action = VIEW_OPEN_FILE, .path = path};
    if (view_is_image(path) && hovered_map > 0)
        command = (view_command){.action = VIEW_TAKE_TEXTURE,
                                 .number = (size_t)viewer->ui.selected_mesh,
                                 .item = hovered_map - 1,
                                 .path = path};
    else if (is_on_body && view_is_image(path))
        command = (view_command){.action = VIEW_TAKE_TEXTURE,
                                 .number = pick.mesh,
                                 .item = view_guess_map(path),
                                 .path = path};
    else if (is_on_body && event->is_alone && common_has_suffix(path, ".md5mesh"))
        command.action = VIEW_FILES;
    view_run_file_command(viewer, &command);
}

// Returns true if an event is an intended action of the user, not a movement. A drop with an empty
// path is ignored.
static bool is_intended(const view_input *event)
{
    switch (event->kind) {
    case VIEW_INPUT_KEY_DOWN:
    case VIEW_INPUT_PRESS:
    case VIEW_INPUT_WHEEL:
        return true;
    case VIEW_INPUT_DROP:
        return event->path[0] != '\0';
    default:
        return false;
    }
}

// Returns true if an event always changes the image.
static bool changes_image(view_input_kind kind)
{
    return kind == VIEW_INPUT_RELEASE || kind == VIEW_INPUT_WINDOW || kind == VIEW_INPUT_RESIZE;
}

// Returns an event with positions in pixels instead of points.
static view_input scale_event(const view_input *event, float scale)
{
    view_input scaled = *event;
    scaled.x *= scale;
    scaled.y *= scale;
    scaled.moved_x *= scale;
    scaled.moved_y *= scale;
    return scaled;
}

// Ends a movement of the character, also if the mode has changed since the key was pressed. Opens
// the menus if only Alt was pressed.
static void release_key(view_state *viewer, const view_input *event)
{
    viewer->input.ignores_text = false;
    const view_menu_entry *const drive = view_find_key(event->key, false, false, false, true);
    if (drive != NULL)
        view_control_character(viewer, drive, false);
    const bool is_alt = event->key == VIEW_KEY_LEFT_ALT && viewer->input.is_only_alt_down;
    if (is_alt && !event->is_forced)
        view_execute(viewer, (view_command){.action = VIEW_MENUS});
}

// Sets the option that the event names. Returns true if the image must be drawn again.
static bool set_sent_option(view_state *viewer, const view_input *event)
{
    const view_option *const option = view_find_option(event->text, strlen(event->text));
    const bool is_set =
        option != NULL && view_set_option(viewer, option, common_text_value(event->path));
    free(event->path);
    return is_set;
}

// Postpones the end of the demo scene. Lets the user control the character if it plays by itself.
static void interrupt_demo(view_state *viewer, bool is_touch)
{
    if (viewer->panels.decision.demo_end > 0)
        viewer->panels.decision.demo_end = viewer->now + 20;
    if (!current_stage(viewer).plays)
        return;
    view_take_over(&viewer->document->scene.machine);
    if (is_touch)
        view_notice(viewer, "You now control Bobbin" VIEW_DOT "drag the stick to move");
    else
        view_notice(viewer, "You now control Bobbin" VIEW_DOT "Ctrl+Home: start page" VIEW_DOT
                            "F1: shortcuts");
}

// Passes an event to its handler. Returns true if the image must be drawn again; see also
// changes_image().
static bool dispatch_event(view_state *viewer, const view_input *event)
{
    switch (event->kind) {
    case VIEW_INPUT_QUIT:
        viewer->input.quits = true;
        break;
    case VIEW_INPUT_KEY_DOWN:
        press_key(viewer, event);
        break;
    case VIEW_INPUT_KEY_UP:
        release_key(viewer, event);
        break;
    case VIEW_INPUT_TEXT:
        return !viewer->input.ignores_text && type(viewer, &(ui_mouse){.text = event->text});
    case VIEW_INPUT_PRESS:
        press(viewer, event);
        break;
    case VIEW_INPUT_RELEASE:
        release(viewer, event);
        break;
    case VIEW_INPUT_MOVE:
        return move(viewer, event);
    case VIEW_INPUT_WHEEL:
        turn_wheel(viewer, event);
        break;
    case VIEW_INPUT_DROP:
        drop_file(viewer, event);
        free(event->path);
        view_log_state(viewer, "drop");
        break;
    case VIEW_INPUT_SET:
        return set_sent_option(viewer, event);
    case VIEW_INPUT_RESIZE:
        view_log_state(viewer, "resize");
        break;
    case VIEW_INPUT_WINDOW:
    case VIEW_INPUT_OTHER:
        break;
    }
    return false;
}

// Handles an event, whose position is in points of the system, and frees its path.
void view_handle_event(view_state *viewer, const view_input *in_points, bool *redraw)
{
    const view_input event = scale_event(in_points, mouse_scale(viewer));
    const view_input_kind kind = event.kind;
    if (is_intended(&event)) {
        *redraw = true;
        interrupt_demo(viewer, event.is_touch);
    }
    *redraw |= changes_image(kind);
    if (viewer->undo.num_steps == 0)
        view_store_step(viewer);

    *redraw |= dispatch_event(viewer, &event);

    viewer->undo.merges_steps = kind == VIEW_INPUT_KEY_DOWN || kind == VIEW_INPUT_WHEEL;
    // A drag is one step of the undo history, and so are all changes of a card.
    const bool is_in_progress =
        viewer->ui.held != NULL || kind == VIEW_INPUT_MOVE || viewer->ui.over == VIEW_OVERLAY_CARD;
    if (!is_in_progress)
        view_store_step(viewer);
}
