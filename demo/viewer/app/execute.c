// Executes the commands of shortcuts, menus and panels. Commands about files are in ../jobs.
//
// The card is a small dialog for the options of one command.
#include "demo/viewer/app/window.h"
#include "demo/viewer/app/mouse.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/export.h"
#include "demo/viewer/jobs/movie.h"

#include <assert.h>

// Pauses playback and moves to the next whole frame. `direction` is 1 for forward and -1 for
// backward. A looping clip continues at its other end.
static void step_frame(view_play *play, const md5_anim *anim, int direction)
{
    play->playing = false;
    if (anim == NULL || anim->num_frames < 2)
        return;

    // Converting a whole frame to a time and back causes a rounding error. Positions nearer to a
    // whole frame than this, in frames, count as this frame.
    const double rounding_error = 1e-4;
    const double position = view_frame_position(play, anim);
    const double nearest = round(position);
    const bool is_at_frame = fabs(position - nearest) < rounding_error;
    double next = direction > 0 ? floor(position) + 1 : ceil(position) - 1;
    if (is_at_frame)
        next = nearest + direction;

    const bool loops = play->wrap != MD5_WRAP_CLAMP;
    const double last = anim->num_frames - 1;
    if (loops && next > last)
        next = 0;
    if (loops && next < 0)
        next = last;
    view_seek(play, anim, next / anim->frame_rate);
}

// Moves by one frame: forward (1) or backward (-1). A state machine does not have frames. It moves
// by one time step, which is 1 / VIEW_STEPS_PER_SECOND seconds.
static void step_playback(view_state *viewer, int direction)
{
    view_play *const play = &viewer->play;
    if (view_get_mode(viewer->document) == VIEW_MODE_MACHINE) {
        play->playing = false;
        play->time = fmax(play->time + direction / (double)VIEW_STEPS_PER_SECOND, 0);
    } else {
        step_frame(play, view_timing_anim(&viewer->document->scene), direction);
    }
}

// Moves to the first or the last frame of the clip. A state machine has no last frame, so both
// commands restart it.
static void go_to_end(view_state *viewer, bool is_last)
{
    view_play *const play = &viewer->play;
    view_scene *const scene = &viewer->document->scene;
    if (view_get_mode(viewer->document) == VIEW_MODE_MACHINE) {
        view_restart_machine(&scene->machine);
        play->time = 0;
        return;
    }

    const md5_anim *const anim = view_timing_anim(scene);
    if (anim == NULL)
        return;
    const double last_time = (anim->num_frames - 1) / anim->frame_rate;
    view_seek(play, anim, is_last ? last_time : 0);
}

// Executes a command of the playback speed: reset to 1, reverse, halve or double. Halving and
// doubling preserve the sign, which is the direction. The absolute value remains between 1/16 and
// 16.
static void change_speed(view_state *viewer, view_action action)
{
    double speed = 1; // the result of VIEW_NORMAL_SPEED
    if (action == VIEW_REVERSE) {
        speed = -viewer->options->speed;
    } else if (action != VIEW_NORMAL_SPEED) {
        const double factor = action == VIEW_FASTER ? 2 : 0.5;
        const double magnitude = fmin(fmax(viewer->play.speed * factor, 1.0 / 16.0), 16);
        speed = copysign(magnitude, viewer->options->speed);
    }
    if (view_set_option(viewer, VIEW_OPTION(speed), common_number_value(speed)))
        view_notice(viewer, "Speed %g\xC3\x97", speed);
}

// Shows the next or the previous clip of the document. After the last clip follows the first one.
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

// Sets the first or the last frame of the played range to the current frame, so that playback
// repeats only a part of the clip.
static void set_range_limit(view_state *viewer, bool is_end)
{
    view_play *const play = &viewer->play;
    if (view_set_range(play, view_timing_anim(&viewer->document->scene), is_end))
        view_notice(viewer, "Frames %u to %u", play->range_first, play->range_last);
    else
        view_notice(viewer, "Cannot set the range: select at least two frames");
}

// Plays the one-shot clip of the state machine. This clip is added to the current pose and ends by
// itself. A notice shows its name.
static void play_one_shot(view_state *viewer)
{
    const char *const name = view_play_one_shot(&viewer->document->scene.machine);
    if (name != NULL)
        view_notice(viewer, "Playing once: %s", name);
}

// Executes a playback command, VIEW_PLAY to VIEW_ONE_SHOT. Some of these commands only change
// options, which are then applied to the playback.
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

// Sets an option to its next value, for example from off to on. A notice shows the new value.
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

// Starts the ragdoll or ends it. A ragdoll is a character that is moved by simulated rigid bodies.
// The option --ragdoll-time contains the time at which it starts. The default value of the option
// means that the character stays alive.
static void toggle_ragdoll(view_state *viewer)
{
    const view_fall *const fall = viewer->document->scene.fall;
    const double play_time = viewer->play.time;
    if (fall == NULL) {
        view_notice(viewer, "No ragdoll: the model has no articulated figure (.af file)");
        return;
    }

    const bool has_died = view_has_died(fall, play_time);
    const common_value alive = {.type = COMMON_VALUE_DEFAULT};
    const common_value death_time = has_died ? alive : common_number_value(fmax(play_time, 0));
    if (!view_set_option(viewer, VIEW_OPTION(ragdoll_time), death_time))
        return;
    if (has_died)
        view_notice(viewer, "Ragdoll ended");
    else
        view_notice(viewer, "Ragdoll started" VIEW_DOT "press again to end");
}

// Starts or stops procedural walking (option --walk): the program computes the steps of the legs,
// without a clip. Returns the notice for the user.
static const char *toggle_walk(view_scene *scene)
{
    if (view_end_walk(scene))
        return "Procedural walking stopped";
    if (!view_begin_walk(scene))
        return "Cannot walk: no two joint names contain foot or ankle";
    return "Procedural walking: W A S D, Shift to run";
}

// Rotates the model by 90 degrees about an axis. Axis x corrects a model that lies on its back.
// Axis z corrects a model that does not face the camera.
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

// Executes a command that changes the pose or the orientation of the model. It starts or ends
// procedural walking or the ragdoll, or rotates the model about an axis.
static void execute_model_command(view_state *viewer, view_action action)
{
    enum { AXIS_X = 0, AXIS_Z = 2 };
    switch (action) {
    case VIEW_WALK:
        view_notice(viewer, "%s", toggle_walk(&viewer->document->scene));
        viewer->play.time = 0; // the walk begins at time 0
        view_measure(viewer);
        break;
    case VIEW_TOGGLE_RAGDOLL:
        toggle_ragdoll(viewer);
        break;
    case VIEW_ROTATE_X:
        rotate_model(viewer, AXIS_X);
        break;
    case VIEW_ROTATE_Z:
        rotate_model(viewer, AXIS_Z);
        break;
    default:
        break;
    }
}

// Moves the user's camera to the selected mesh, material or joint. Shows a notice if nothing is
// selected.
static void frame_selected(view_state *viewer)
{
    view_camera *const camera = &viewer->cameras.user;
    const view_scene *const scene = &viewer->document->scene;
    if (view_frame_meshes(camera, &viewer->document->scene, &viewer->play,
                          viewer->ui.selection.mesh, viewer->ui.selection.material))
        return;

    const int32_t joint = view_marked_joint(&viewer->ui, scene);
    if (joint < 0) {
        view_notice(viewer, "Select a joint or a mesh first");
        return;
    }
    // The camera follows a walking character. Its target is therefore relative to the distance that
    // the character has walked.
    const float approach_factor = 0.4f; // a joint is much smaller than the model
    camera->target = md5_vec3_sub(md5_mat34_translation(scene->joints[joint]),
                                  view_walked(scene, &viewer->play));
    camera->distance *= approach_factor;
}

// Sets the direction of the camera for the views along an axis, VIEW_FRONT to VIEW_FROM_BELOW.
static void look_along_axis(view_camera *camera, view_action action)
{
    // Azimuth and elevation of each view, degrees.
    static const float angles[][2] = {{0, 0}, {180, 0}, {-90, 0}, {90, 0}, {0, 90}, {0, -90}};
    static_assert(VIEW_FROM_BELOW - VIEW_FRONT + 1 == COMMON_LENGTH(angles), "each");
    camera->azimuth = angles[action - VIEW_FRONT][0];
    camera->elevation = angles[action - VIEW_FRONT][1];
}

// Executes a camera command. All commands except VIEW_CAMERA_PATH change the user's camera. They
// therefore end the camera path of the document. If the camera changes, the previous camera is
// stored for VIEW_PREVIOUS_VIEW.
static void execute_camera_command(view_state *viewer, view_action action)
{
    // In an isometric view, the three axes of a cube have the same length in the image. This
    // requires an elevation of atan(1 / sqrt 2), here in degrees.
    const float isometric = 35.26439f;
    view_camera *const camera = &viewer->cameras.user;
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
        look_along_axis(camera, action);
        break;
    case VIEW_ISOMETRIC:
        camera->azimuth = 45;
        camera->elevation = isometric;
        camera->orthographic = true;
        break;
    case VIEW_PREVIOUS_VIEW:
        if (viewer->cameras.previous.scene_radius > 0) // a previous camera exists
            *camera = viewer->cameras.previous;
        break;
    default: // VIEW_ORTHOGRAPHIC
        camera->orthographic = !camera->orthographic;
        view_notice(viewer, "%s", camera->orthographic ? "Orthographic" : "Perspective");
        break;
    }

    const bool has_changed = memcmp(camera, &before, sizeof before) != 0;
    if (has_changed)
        viewer->cameras.previous = before;
}

void view_open_context(view_state *viewer, const view_pick *pick, float x, float y)
{
    view_open_menu(&viewer->ui, &viewer->panels.menu, VIEW_MENU_OF_CONTEXT, x, y);
    view_target *const target = &viewer->panels.menu.target;
    const unsigned context_of_model = VIEW_ON_MODEL | VIEW_ON_JOINT | VIEW_ON_MESH;
    target->context = pick->is_set ? context_of_model : VIEW_ON_GROUND;
    target->number = pick->mesh;
    target->item = pick->mesh + 1;

    const view_scene *const scene = &viewer->document->scene;
    const bool has_joint = pick->joint >= 0 && (uint32_t)pick->joint < scene->num_joints;
    if (pick->is_set && has_joint)
        COMMON_TEXT(target->name, "%s", scene->skeleton->joints[pick->joint].name);
}

// Closes the lists and clears the selection, the measurement and the keyboard focus.
static void clear_selection(view_state *viewer)
{
    viewer->ui.focus.item.panel = NULL;
    viewer->ui.selection = VIEW_NO_SELECTION;
    view_set_switch(viewer, VIEW_OPTION(shown.help), false);
    view_set_switch(viewer, VIEW_OPTION(shown.light_list), false);
    view_set_switch(viewer, VIEW_OPTION(shown.parm_list), false);
}

// Handles Escape, which closes one thing per press. The order is: the error message, the lesson,
// the start page, the control of the character, and at last the selection and the lists.
static void close_topmost(view_state *viewer)
{
    if (viewer->log.error[0] != '\0') {
        viewer->log.error[0] = '\0';
    } else if (viewer->pages.open >= 0) {
        view_close_page(viewer);
    } else if (viewer->panels.start.is_open) {
        view_clear_start(&viewer->ui, &viewer->panels.start);
    } else if (view_controls_character(viewer)) {
        viewer->input.has_released_control = true;
        view_notice(viewer, "Keyboard released; press Enter to control the character");
    } else {
        clear_selection(viewer);
    }
}

// Makes the interface larger or smaller by 10 %.
static void change_text_size(view_state *viewer, bool is_larger)
{
    const float factor = is_larger ? 1.1f : 1.0f / 1.1f;
    const float size =
        view_clamp(viewer->drawing.font.scale * factor, VIEW_MIN_SCALE, VIEW_MAX_SCALE);
    view_set_option(viewer, VIEW_OPTION(ui_scale), common_number_value((double)size));
}

// Copies the command line that shows the current view. In a browser, the web page copies a link
// instead.
static void copy_command_line(view_state *viewer)
{
    if (view_send_page_request("link"))
        return;
    char *const line = view_command_line(viewer);
    ui_copy(&viewer->ui, viewer->uptime, line, line);
    free(line);
}

// Opens the card of an option: a small dialog for this option and the other options of its group.
// `option` is an index in the option table.
static void open_card(view_state *viewer, size_t option)
{
    const view_stage stage = view_current_stage(viewer);
    view_command command = view_open_card(&viewer->ui, &viewer->panels.card, &stage, option);
    // The height of the card is unknown until the interface has run once. Run it with an event that
    // has no effect.
    const ui_mouse no_event = {.x = viewer->ui.mouse.x, .y = viewer->ui.mouse.y};
    view_run_ui(&viewer->ui, &viewer->panels, &stage, &no_event);
    view_run_file_command(viewer, &command);
    free(command.path);
}

// Opens the outliner with the keyboard focus in its search field.
static void open_outliner_search(view_state *viewer)
{
    view_set_switch(viewer, VIEW_OPTION(shown.hierarchy), true);
    view_set_switch(viewer, VIEW_OPTION(shown.panel), true);
    viewer->ui.docks.front = VIEW_DOCK_LEFT;
    viewer->ui.docks.is_sheet_open = viewer->ui.focus.selects_all = true;
    viewer->ui.focus.item = (ui_item_id){.panel = "search", .number = 1};
}

// Picks a joint of the model to which clips are retargeted. The joint that the user then finds in
// the outliner moves the picked joint.
static void pick_target_joint(view_state *viewer, size_t joint)
{
    const view_stage stage = view_current_stage(viewer);
    view_pick_target_joint(&viewer->ui, &viewer->panels.retarget, &stage, joint);
    open_outliner_search(viewer);
}

// Executes a command of the user interface. Returns false if the command belongs to another group.
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
        if (viewer->ui.notice.action == VIEW_WARNINGS) // the list replaces the notice
            viewer->ui.notice.end = 0;
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
        open_outliner_search(viewer);
        break;
    case VIEW_PICK_TARGET_JOINT:
        pick_target_joint(viewer, command->number);
        break;
    case VIEW_CONTEXT: // a key opens the menu, so it is near the middle and not at the mouse
        view_open_context(viewer, &viewer->ui.selection.pick, 0.4f * (float)viewer->width,
                          0.3f * (float)viewer->height);
        break;
    case VIEW_COPY_NAME:
    case VIEW_COPY_PATH:
        if (command->path != NULL)
            ui_copy(&viewer->ui, viewer->uptime, command->path, command->path);
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

// Hides the meshes whose bits are set (bit i is mesh i) and shows all others. The option --hide
// stores them as a list of indices, one per line.
static void hide_meshes(view_state *viewer, uint64_t meshes)
{
    char *indices = common_copy("");
    for (int i = 0; i < 64; i++) {
        const bool is_hidden = (meshes >> i & 1) != 0;
        if (is_hidden)
            common_extend(&indices, "%d\n", i);
    }
    view_set_option(viewer, VIEW_OPTION(hidden), common_text_value(indices));
    free(indices);
}

// Returns the index of the mesh that a command hides or shows. VIEW_HIDE_SELECTION uses the mesh
// that is selected in a list. If there is none, it uses the clicked mesh. Returns SIZE_MAX if
// neither exists.
static size_t find_command_mesh(const view_state *viewer, const view_command *command)
{
    if (command->action != VIEW_HIDE_SELECTION)
        return command->number;
    const view_selection *const selection = &viewer->ui.selection;
    if (selection->mesh >= 0)
        return (size_t)selection->mesh;
    return selection->pick.is_set ? selection->pick.mesh : SIZE_MAX;
}

// Executes a command that hides or shows meshes. Sets of meshes are 64-bit masks. Therefore only
// the first 64 meshes can be hidden.
static void execute_mesh_command(view_state *viewer, const view_command *command)
{
    const view_action action = command->action;
    const size_t mesh = find_command_mesh(viewer, command);
    if (action == VIEW_HIDE_SELECTION && mesh == SIZE_MAX) {
        view_notice(viewer, "Click a mesh to select it first");
        return;
    }
    if (action == VIEW_SHOW_MESHES) {
        hide_meshes(viewer, 0);
        return;
    }

    const uint32_t num_meshes = view_count_meshes(&viewer->document->scene);
    const uint64_t all_meshes = num_meshes < 64 ? ((uint64_t)1 << num_meshes) - 1 : UINT64_MAX;
    const uint64_t this_mesh = mesh < 64 ? all_meshes & (uint64_t)1 << mesh : 0;
    const uint64_t other_meshes = all_meshes ^ this_mesh;
    const uint64_t hidden = viewer->options->hidden_meshes;
    if (this_mesh == 0) // the mesh does not exist, or its index is too large for the mask
        return;
    if (action == VIEW_ONLY_MESH) // the same command again shows all meshes
        hide_meshes(viewer, hidden == other_meshes ? 0 : other_meshes);
    else
        hide_meshes(viewer, hidden ^ this_mesh);
}

// Executes VIEW_TAKE_TRANSITION or VIEW_GO_TO_STATE. The former starts a transition of the state
// machine even if its condition is false. The latter changes to a state with a default crossfade.
// The file of the machine may have been read again after the command was created. The command does
// nothing if the transition does not exist any more.
static void execute_transition(view_state *viewer, const view_command *command)
{
    view_machine *const machine = &viewer->document->scene.machine;
    if (view_get_mode(viewer->document) != VIEW_MODE_MACHINE)
        return;
    view_stop_acting(machine);

    const uint32_t layer = (uint32_t)command->number;
    uint32_t state = (uint32_t)command->item;
    md5_transition_desc crossfade = {.duration = 0.25f, .easing.kind = MD5_EASE_SMOOTH};
    if (command->action == VIEW_TAKE_TRANSITION) {
        const bool exists = layer < machine->desc->num_layers
                            && command->item < machine->desc->layers[layer].num_transitions;
        if (!exists)
            return;
        crossfade = machine->desc->layers[layer].transitions[command->item];
        state = md5_find_state(machine->character->machine, layer, crossfade.to);
    }

    // While playback is paused, a crossfade would not advance. Therefore the state is shown
    // immediately.
    bool has_changed;
    if (viewer->play.playing)
        has_changed = md5_player_fade_to(machine->player, layer, state, crossfade.duration,
                                         crossfade.fade, crossfade.easing.kind);
    else
        has_changed = md5_player_seek(machine->player, layer, state, 0);

    if (has_changed)
        view_notice(viewer, "%s: %s", machine->desc->layers[layer].name,
                    machine->desc->layers[layer].states[state].name);
}

// Selects the parent of the selected joint.
static void select_parent(view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    const int32_t joint = viewer->ui.selection.joint;
    if (joint < 0 || (uint32_t)joint >= scene->num_joints)
        return;
    const uint32_t parent = scene->skeleton->joints[joint].parent;
    if (parent != MD5_NONE)
        viewer->ui.selection.joint = (int32_t)parent;
}

// Begins to measure a distance. The measurement starts at the selected joint and ends at the joint
// that is selected next. A second command on the same joint cancels it.
static void toggle_measuring(view_state *viewer)
{
    view_selection *const selection = &viewer->ui.selection;
    const bool ends = selection->measured_from == selection->joint;
    selection->measured_from = ends ? -1 : selection->joint;
    if (selection->measured_from >= 0)
        view_notice(viewer, "Select the second joint");
    else
        view_notice(viewer, "Select the first joint");
}

// Executes commands of selection, recording, export, undo and options. Passes all other commands to
// the jobs, because they concern files.
static void execute_general_command(view_state *viewer, const view_command *command)
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
        if (action == VIEW_EXPORT && command->path != NULL) // the text of the command search
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
    case VIEW_REVERT_CARD:
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
    case VIEW_CLEAR_DOCUMENT_SETTINGS:
    case VIEW_CLEAR_ALL_SETTINGS:
        view_reset_settings(viewer, action);
        break;
    case VIEW_FIRE_TRIGGER:
        if (view_get_mode(viewer->document) == VIEW_MODE_MACHINE) {
            view_stop_acting(&scene->machine);
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

// Executes a command of the user, such as a menu item or a key, and frees its path. Actions are
// ordered by groups, and the function that executes an action is selected by its group. The action
// VIEW_TOGGLE + i sets option i to its next value. Afterwards, a panel that the command has opened
// receives the keyboard focus, and the state is logged at the level "debug". Returns false if there
// was no command (VIEW_NOTHING).
bool view_execute(view_state *viewer, view_command command)
{
    const view_action action = command.action;
    const bool is_for_log = action != VIEW_NOTHING && action != VIEW_HANDLED;
    view_shown *const shown = &viewer->options->shown;
    view_shown before = *shown;
    if (is_for_log)
        view_end_hover_preview(viewer);
    view_sync_overlay(&viewer->ui, &viewer->panels); // a key may have closed the list
    view_update_options(viewer);

    // Each group is a range of view_action. VIEW_TOGGLE is the first action of the last range. The
    // other constants are the last actions of their ranges.
    if (action >= VIEW_TOGGLE)
        set_next_value(viewer, &view_option_rows[action - VIEW_TOGGLE]);
    else if (action <= VIEW_ONE_SHOT)
        execute_playback(viewer, action);
    else if (action <= VIEW_ROTATE_Z)
        execute_model_command(viewer, action);
    else if (action <= VIEW_ORTHOGRAPHIC)
        execute_camera_command(viewer, action);
    else if (!execute_interface_command(viewer, &command))
        execute_general_command(viewer, &command);

    view_activate_opened_panels(&viewer->ui, &before, shown);
    free(command.path);
    view_sync_overlay(&viewer->ui, &viewer->panels);
    if (is_for_log)
        view_log_state(viewer, view_action_name(action));
    return action != VIEW_NOTHING;
}
