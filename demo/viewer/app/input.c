// Maps events of the mouse, the keyboard and touch screens to commands, executes commands, and
// controls the character.
//
// Terms: A mover is the kind of motion that moves the model by the keys of the user, for example a
// state machine (view_motion_kind). The stick is a joystick that is drawn on touch screens. The
// card is a small dialog for the options of one command. The interface is all panels together.
#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/export.h"
#include "demo/viewer/jobs/movie.h"

#include <assert.h>

// Returns the stage. It contains the document, the camera and the settings in the form that panels
// and the renderer read.
static view_stage current_stage(view_state *viewer)
{
    return view_build_stage(viewer, (float)viewer->width, (float)viewer->height);
}

// Returns the projection of the current image.
static view_lens current_lens(view_state *viewer)
{
    const view_stage stage = current_stage(viewer);
    return view_stage_lens(&stage);
}

// == Control of a character =======================================================================

// Makes the controlled character look and reach towards the mouse. The mover needs a point in the
// scene. Therefore the mouse position is unprojected with an assumed depth.
void view_point_mover(view_state *viewer, float x, float y)
{
    view_scene *const scene = &viewer->document->scene;
    const view_motion_kind *const mover = view_get_mover(scene);
    if (mover->point == NULL || current_stage(viewer).plays_demo)
        return;

    // Mouse position relative to the axis of the lens. 1 is half of the width or of the height.
    const view_lens lens = current_lens(viewer);
    const float right = 2 * x / (float)viewer->width - 1 - lens.shift_x;
    const float up = 1 - 2 * y / (float)viewer->height - lens.shift_y;

    // A point nearer than the camera's target is in front of the character. The character then
    // looks and reaches towards the user.
    const float depth = 0.7f * viewer->cameras.user.distance;
    const float size_factor = lens.orthographic ? 1 : depth;
    const md5_vec3 to_right = md5_vec3_scale(lens.axes.right, right * lens.half_x * size_factor);
    const md5_vec3 to_top = md5_vec3_scale(lens.axes.up, up * lens.half_y * size_factor);
    const md5_vec3 on_axis = md5_vec3_add(lens.eye, md5_vec3_scale(lens.axes.back, -depth));
    mover->point(scene, md5_vec3_add(on_axis, md5_vec3_add(to_right, to_top)));
}

// Returns true if keys control the character. This is not the case in a lesson, in a crowd, and
// after Escape has released the control.
bool view_controls_character(const view_state *viewer)
{
    if (viewer->input.has_released_control || viewer->pages.open >= 0
        || view_shows_crowd(viewer->document))
        return false;
    return view_get_mover(&viewer->document->scene)->take_control != NULL;
}

// Shows a notice if the pressed key has no visible effect in the state machine, for example because
// playback is paused. The notice contains the reason.
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

// Fires the trigger of the state machine to which the pressed key belongs. Shows a notice if the
// machine does not have this trigger.
static void push_trigger(view_state *viewer, const view_menu_entry *entry)
{
    view_machine *const machine = &viewer->document->scene.machine;
    const int32_t trigger = view_find_trigger(machine, entry->trigger);
    if (trigger < 0) {
        char keys[32];
        view_print_keys(entry, keys, sizeof keys);
        view_notice(viewer, "%s has no trigger in this state machine; press Pause to pause", keys);
        return;
    }
    view_activate_parameter(machine, (uint32_t)trigger);
    view_log_state(viewer, "push");
}

// Updates the direction of the character after one of its four keys was pressed or released. Two
// keys with opposite directions are a pair, such as ahead and back. If both are down, the key that
// was pressed last counts.
static void set_direction(view_control *control, view_action action, bool down)
{
    // The actions are ordered by pairs: ahead and back, right and left. Therefore the lowest bit
    // selects the key of a pair.
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

// Handles a press or release of a key that controls the character: a trigger, the key to run, or
// one of the four directions. Only state machines have triggers.
void view_control_character(view_state *viewer, const view_menu_entry *entry, bool down)
{
    view_scene *const scene = &viewer->document->scene;
    const view_motion_kind *const mover = view_get_mover(scene);
    const view_action action = entry->action;
    const bool is_machine = mover->mode == VIEW_MODE_MACHINE;
    const bool is_trigger = action == VIEW_TRIGGER;
    if (mover->take_control == NULL || (is_trigger && !is_machine))
        return;

    view_control *const control = mover->take_control(scene, down);
    if (down && is_machine)
        explain_no_effect(viewer, action);

    if (is_trigger) {
        if (down)
            push_trigger(viewer, entry);
        return;
    }
    if (action == VIEW_FAST)
        control->fast = down;
    else
        set_direction(control, action, down);
    view_log_state(viewer, down ? "drive" : "let-go");
}

// == Commands =====================================================================================

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

// Opens the context menu at the pixel (x, y). `pick` is the point of the model at this pixel. If it
// is not set, the pixel shows the ground and the menu contains commands for the ground.
static void open_context(view_state *viewer, const view_pick *pick, float x, float y)
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
    const view_stage stage = current_stage(viewer);
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
    viewer->ui.focus.item = (ui_item_id){"search", 1};
}

// Picks a joint of the model to which clips are retargeted. The joint that the user then finds in
// the outliner moves the picked joint.
static void pick_target_joint(view_state *viewer, size_t joint)
{
    const view_stage stage = current_stage(viewer);
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
        open_context(viewer, &viewer->ui.selection.pick, 0.4f * (float)viewer->width,
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

// == Events =======================================================================================

// Returns the point of the model's surface at the pixel (x, y). The result is not set if the pixel
// does not show the model. A crowd cannot be picked.
static view_pick pick_at(view_state *viewer, float x, float y)
{
    const view_lens lens = current_lens(viewer);
    const md5_ray ray = view_lens_ray(&lens, x, y, (float)viewer->width, (float)viewer->height);
    if (view_shows_crowd(viewer->document))
        return (view_pick){.is_set = false};
    return view_find_pick(&viewer->document->scene, viewer->options->hidden_meshes, &ray);
}

// Shows the picked joint in the inspector. If a card for a joint or the retargeting page is open,
// the joint also becomes its value.
static void show_picked_joint(view_state *viewer)
{
    view_ui *const ui = &viewer->ui;
    const int32_t joint = viewer->ui.selection.pick.joint;
    ui->docks.front = VIEW_DOCK_RIGHT;
    ui->docks.is_second[VIEW_DOCK_RIGHT] = false;

    const view_stage stage = current_stage(viewer);
    ui->command = view_pick_for_card(ui, &viewer->panels.card, &stage, joint, NULL);
    view_map_picked_joint(ui, &viewer->panels.retarget, &stage);
    view_execute(viewer, ui->command);
    ui->command.path = NULL; // freed by view_execute()
}

// Selects the point of the body at the pixel (x, y), and the joint that has the largest influence
// on it. If the user had released the control of the character, the click takes it again.
void view_pick_at(view_state *viewer, float x, float y)
{
    view_selection *const selection = &viewer->ui.selection;
    selection->pick = pick_at(viewer, x, y);
    selection->measured = (view_pick){.is_set = false};
    selection->joint = selection->pick.is_set ? selection->pick.joint : -1;
    selection->mesh = -1;
    if (selection->pick.is_set)
        show_picked_joint(viewer);

    const view_motion_kind *const mover = view_get_mover(&viewer->document->scene);
    viewer->input.has_released_control = false;
    if (selection->pick.is_set && mover->click != NULL)
        mover->click(&viewer->document->scene);
    view_log_state(viewer, "pick");
}

// Measures the distance between two points of the body on which the user clicks. The first click
// selects the start of the distance, and each further click its end.
void view_measure_at(view_state *viewer, float x, float y)
{
    if (!viewer->ui.selection.pick.is_set) {
        view_pick_at(viewer, x, y);
        return;
    }
    viewer->ui.selection.measured = pick_at(viewer, x, y);
    view_log_state(viewer, "measure");
}

// Ends the camera path of the document. The user's camera continues at the current position and in
// the current direction. It cannot represent the roll and the field of view of the path, so these
// are lost.
static void leave_camera_path(view_state *viewer)
{
    if (!viewer->cameras.follows_path)
        return;
    view_camera *const camera = &viewer->cameras.user;
    const md5_vec3 walked = view_walked(&viewer->document->scene, &viewer->play);
    const md5_vec3 center = md5_vec3_add(view_center(viewer->document->bounds), walked);
    const view_lens lens = view_path_lens(viewer->document, &viewer->play, camera,
                                          (float)viewer->width, (float)viewer->height);

    // The new target is on the axis of the lens at the depth of the model's center. Zoom then acts
    // relative to the model, and the model keeps its size in the image. The target must be in front
    // of the camera.
    const md5_vec3 back = lens.axes.back;
    const float center_depth = md5_vec3_dot(md5_vec3_sub(lens.eye, center), back);
    const float depth = fmaxf(center_depth, 0.25f * camera->scene_radius);
    const md5_vec3 target = md5_vec3_sub(lens.eye, md5_vec3_scale(back, depth));

    camera->azimuth = view_degrees(atan2f(back.y, back.x));
    camera->elevation = view_degrees(asinf(view_clamp(back.z, -1, 1)));
    camera->target = md5_vec3_sub(target, walked);
    camera->distance = depth * lens.half_y / VIEW_HALF_HEIGHT;
    camera->orthographic = false;
    viewer->cameras.framing = (view_framing){0};
    viewer->cameras.follows_path = false;
    view_snap(viewer);
}

// Returns the number of image pixels per unit of mouse coordinates. It is more than 1 on
// high-resolution screens.
static float mouse_scale(const view_state *viewer)
{
    int width;
    int height;
    view_window_points(viewer->window, &width, &height);
    return width > 0 ? (float)viewer->width / (float)width : 1;
}

// Begins to drag the stick if the pixel (x, y) of the press is on it. Returns false otherwise.
static bool hold_stick(view_state *viewer, float x, float y)
{
    const view_stage stage = current_stage(viewer);
    const view_stick stick = view_stick_position(&stage);
    const bool is_visible = stick.reach > 0;
    const float touch_radius = 1.3f * stick.reach; // a finger is less precise than a mouse
    if (!is_visible || hypotf(x - stick.x, y - stick.y) > touch_radius)
        return false;
    viewer->input.stick = stick;
    return true;
}

// Moves the stick towards the pixel (x, y). The stick acts like the stick of a gamepad: its
// directions press and release the keys that move the character.
static void push_stick(view_state *viewer, float x, float y)
{
    view_stick *const stick = &viewer->input.stick;
    const float right = (x - stick->x) / stick->reach;
    const float down = (y - stick->y) / stick->reach;
    const float factor = 1.0f / fmaxf(hypotf(right, down), 1); // limits the length to 1
    stick->pad.x = right * factor;
    stick->pad.y = down * factor;

    view_input key;
    while (view_next_pad_key(&stick->pad, &key)) {
        const view_menu_entry *const entry = view_find_key(key.key, false, false, false, true);
        if (entry != NULL)
            view_control_character(viewer, entry, key.kind == VIEW_INPUT_KEY_DOWN);
    }
}

// Begins to drag a limb of the ragdoll at the pixel (x, y). Returns false if no limb is at this
// pixel.
static bool grasp_limb(view_state *viewer, float x, float y)
{
    view_fall *const fall = viewer->document->scene.fall;
    const bool shows_other_scene = viewer->pages.open >= 0 || view_shows_crowd(viewer->document);
    if (shows_other_scene || !view_has_died(fall, viewer->play.time))
        return false;

    const float ray_length = 10 * viewer->cameras.user.distance; // far behind the model
    const view_lens lens = current_lens(viewer);
    const md5_ray ray = view_lens_ray(&lens, x, y, (float)viewer->width, (float)viewer->height);
    const md5_vec3 direction = md5_vec3_normalize(ray.direction, lens.axes.back);
    return view_grasp(fall, ray.origin, view_along(ray.origin, direction, ray_length));
}

// Drags the grasped limb of the ragdoll to the pixel (x, y). The mouse has no depth. Therefore the
// limb moves in the plane through the grasped point that is parallel to the image.
static void drag_limb(view_state *viewer, float x, float y)
{
    view_fall *const fall = viewer->document->scene.fall;
    const view_lens lens = current_lens(viewer);
    const md5_ray ray = view_lens_ray(&lens, x, y, (float)viewer->width, (float)viewer->height);
    const md5_vec3 to_grasped = md5_vec3_sub(fall->grasped, ray.origin);
    const float ray_fraction =
        md5_vec3_dot(to_grasped, lens.axes.back) / md5_vec3_dot(ray.direction, lens.axes.back);
    const md5_vec3 target = view_along(ray.origin, ray.direction, ray_fraction);
    view_drag(fall, &target);
}

// Ends the current drag. Releases the limb of the ragdoll, or the keys that the stick holds down. A
// press of a second button also ends the drag of the first button.
static void end_drag(view_state *viewer)
{
    view_input_state *const input = &viewer->input;
    if (input->drag == VIEW_DRAG_LIMB && viewer->document->scene.fall != NULL)
        view_drag(viewer->document->scene.fall, NULL);
    if (input->drag == VIEW_DRAG_STICK)
        push_stick(viewer, input->stick.x, input->stick.y); // to its center
    input->drag = VIEW_DRAG_NONE;
    input->stick.reach = 0;
}

// Runs the interface with an event at the position of the last press, and executes the command that
// it returns. Returns true if the interface has used the event.
static bool run_at_press(view_state *viewer, ui_mouse event)
{
    const view_stage stage = current_stage(viewer);
    event.x = viewer->input.press_x;
    event.y = viewer->input.press_y;
    return view_execute(viewer, view_run_ui(&viewer->ui, &viewer->panels, &stage, &event));
}

// Presses the item of the interface at the position of the last press. Returns false if no item is
// there.
static bool press_panel(view_state *viewer)
{
    return run_at_press(viewer, (ui_mouse){.is_pressed = true,
                                           .is_double = viewer->input.is_double,
                                           .alt = viewer->input.is_alt});
}

// Scrolls the panel under the finger by `down` pixels. Returns true if the panel has scrolled.
static bool drag_panel(view_state *viewer, float down)
{
    viewer->input.scroll_distance = down;
    viewer->input.scroll_time = viewer->uptime;
    return run_at_press(viewer, (ui_mouse){.dragged = down});
}

// Determines the purpose of a touch on a panel as soon as the finger has moved far enough. A mainly
// vertical movement scrolls the panel. Any other movement presses the touched item and drags its
// value. Returns true if the finger presses the item.
static bool decide_finger(view_state *viewer, float x, float y)
{
    const float min_distance = 8 * viewer->drawing.font.scale;
    const float right = x - viewer->input.press_x;
    const float down = y - viewer->input.press_y;
    if (hypotf(right, down) < min_distance)
        return false;

    const bool is_vertical = fabsf(down) > fabsf(right);
    if (is_vertical && drag_panel(viewer, down)) {
        viewer->input.drag = VIEW_DRAG_SCROLL;
        return false;
    }
    viewer->input.drag = VIEW_DRAG_NONE;
    press_panel(viewer);
    return true;
}

// Handles the end of a touch on a panel. A finger that has not moved presses the touched item.
// After a long touch, it opens the context menu of the item instead. After a fast scroll, the panel
// continues to scroll and slows down, unless the user prefers reduced motion.
static void lift_finger(view_state *viewer, const view_input *event)
{
    view_input_state *const input = &viewer->input;
    const bool is_still = input->drag == VIEW_DRAG_FINGER && !event->is_canceled;
    const bool was_scrolling =
        input->drag == VIEW_DRAG_SCROLL && viewer->uptime - input->scroll_time < 0.1;
    const bool continues = was_scrolling && !viewer->options->shown.reduced_motion;
    if (input->drag == VIEW_DRAG_FINGER)
        input->drag = VIEW_DRAG_NONE;

    if (is_still && event->is_long) {
        run_at_press(viewer, (ui_mouse){.is_right = true});
    } else if (is_still) {
        press_panel(viewer);
    } else if (continues) {
        // Scroll further by twelve times the last movement. The wheel scrolls smoothly, so the
        // panel slows down.
        const float num_moves = 12;
        const float pixels_per_step = 3 * viewer->drawing.font.line[VIEW_TEXT];
        run_at_press(viewer,
                     (ui_mouse){.wheel = num_moves * input->scroll_distance / pixels_per_step});
    }
}

// Returns the camera movement of a mouse button in the 3D view. The left button orbits, or pans
// with Shift. The middle button pans and the right button zooms.
static view_camera_drag camera_drag_of_button(const view_input *event)
{
    switch (event->button) {
    case VIEW_BUTTON_LEFT:
        return event->shift ? VIEW_DRAG_PAN : VIEW_DRAG_ORBIT;
    case VIEW_BUTTON_MIDDLE:
        return VIEW_DRAG_PAN;
    case VIEW_BUTTON_RIGHT:
        return VIEW_DRAG_ZOOM;
    default:
        return VIEW_DRAG_NONE;
    }
}

// Stores the position and the modifiers of a press. The following moves and the release need them.
static void store_press(view_input_state *input, const view_input *event)
{
    input->is_only_alt_down = false;
    input->press_x = event->x;
    input->press_y = event->y;
    input->press_travel = 0;
    input->is_touched = event->is_touch;
    input->is_double = event->clicks == 2;
    input->is_alt = event->alt;
}

// Handles the press of a mouse button or finger. A panel at this position has priority. Otherwise
// the press begins to drag the stick, a limb of the ragdoll, or the camera.
static void press(view_state *viewer, const view_input *event)
{
    view_input_state *const input = &viewer->input;
    const bool is_left = event->button == VIEW_BUTTON_LEFT;
    end_drag(viewer);
    store_press(input, event);

    // A finger on a panel scrolls the panel or presses an item. The purpose is unknown until the
    // finger moves.
    if (is_left && event->is_touch) {
        run_at_press(viewer, (ui_mouse){.is_moved = true});
        if (viewer->ui.hot.panel != NULL) {
            input->drag = VIEW_DRAG_FINGER;
            return;
        }
    }
    // Only the left button presses items, but any button outside of an open menu closes it.
    const bool is_menu_open = viewer->panels.menu.kind != VIEW_NO_MENU;
    if ((is_left || is_menu_open) && press_panel(viewer))
        return;

    input->drag = camera_drag_of_button(event);
    if (input->drag != VIEW_DRAG_ORBIT)
        return;
    if (hold_stick(viewer, event->x, event->y)) {
        input->drag = VIEW_DRAG_STICK;
        push_stick(viewer, event->x, event->y);
    } else if (grasp_limb(viewer, event->x, event->y)) {
        input->drag = VIEW_DRAG_LIMB;
    }
}

// Moves the user's camera during a drag of the mouse: orbit, pan or zoom. `right` and `down` are
// the movement in pixels.
static void drag_camera(view_state *viewer, float right, float down)
{
    const float height = (float)viewer->height;
    view_camera *const camera = &viewer->cameras.user;
    if (viewer->input.drag == VIEW_DRAG_ORBIT) {
        // A drag over the full height of the image rotates by 180 degrees.
        camera->azimuth = remainderf(camera->azimuth - right * 180.0f / height, 360);
        camera->elevation = view_clamp(camera->elevation + down * 180.0f / height, -90, 90);
    } else if (viewer->input.drag == VIEW_DRAG_PAN) {
        view_pan(camera, right, down, current_stage(viewer).region.height);
    } else {
        // A drag upward over the full height of the image zooms in by a factor of 20.
        view_zoom(camera, powf(20, -down / height), 0, 0, height);
    }
}

// Handles a movement of the mouse while nothing is dragged in the 3D view. The interface has
// priority. If it does not use the event, the character looks at the mouse. Returns true if the
// image must be drawn again.
static bool hover(view_state *viewer, const view_input *event)
{
    const bool is_held = viewer->ui.held != NULL; // the user drags a value of a panel
    const view_stage stage = current_stage(viewer);
    const ui_mouse mouse = {.x = event->x, .y = event->y, .is_moved = true};
    const bool is_used =
        view_execute(viewer, view_run_ui(&viewer->ui, &viewer->panels, &stage, &mouse));
    if (is_used && !is_held)
        return true;
    view_point_mover(viewer, event->x, event->y);
    return is_held;
}

// Handles a movement of the mouse or of a finger, and continues the current drag. Returns true if
// the image must be drawn again.
static bool move(view_state *viewer, const view_input *event)
{
    view_input_state *const input = &viewer->input;
    if (input->drag == VIEW_DRAG_SCROLL)
        return drag_panel(viewer, event->moved_y);
    if (input->drag == VIEW_DRAG_FINGER && !decide_finger(viewer, event->x, event->y))
        return input->drag == VIEW_DRAG_SCROLL;

    // After a finger has pressed an item, its movements act like movements of the mouse.
    if (input->drag == VIEW_DRAG_NONE)
        return hover(viewer, event);
    if (input->drag == VIEW_DRAG_STICK) {
        push_stick(viewer, event->x, event->y);
        return true;
    }

    input->press_travel += fabsf(event->moved_x) + fabsf(event->moved_y);
    if (input->drag == VIEW_DRAG_LIMB) {
        drag_limb(viewer, event->x, event->y);
        return true;
    }
    leave_camera_path(viewer);
    view_point_mover(viewer, event->x, event->y);
    drag_camera(viewer, event->moved_x, event->moved_y);
    return true;
}

// Handles a click of the right button. Opens the context menu of the item at the position of the
// last press. If no item is there, selects the point of the model and opens its context menu.
static void click_right(view_state *viewer)
{
    const float x = viewer->input.press_x;
    const float y = viewer->input.press_y;
    const bool is_on_item = run_at_press(viewer, (ui_mouse){.is_right = true});
    if (is_on_item)
        return;

    const view_pick pick = pick_at(viewer, x, y);
    if (pick.is_set) {
        viewer->ui.selection.pick = pick;
        viewer->ui.selection.joint = pick.joint;
    }
    open_context(viewer, &pick, x, y);
    view_log_state(viewer, "context");
}

// Handles a double click. Moves the camera near the clicked point of the body. A double click
// outside of the body shows the whole model.
static void frame_clicked_point(view_state *viewer)
{
    view_camera *const camera = &viewer->cameras.user;
    const view_scene *const scene = &viewer->document->scene;
    if (!viewer->ui.selection.pick.is_set) {
        view_execute(viewer, (view_command){.action = VIEW_FRAME_ALL});
        return;
    }
    leave_camera_path(viewer);
    const md5_vec3 point = view_pick_point(scene, &viewer->ui.selection.pick);
    camera->target = md5_vec3_sub(point, view_walked(scene, &viewer->play));
    camera->distance = fminf(camera->distance, camera->scene_radius);
    view_log_state(viewer, "frame-spot");
}

// Handles a click of the left button. With Ctrl, it measures a distance. If a card waits for a
// color, the color of the clicked pixel becomes its value. Otherwise the click selects a point of
// the body.
static void click_left(view_state *viewer, const view_stage *stage, bool control)
{
    const float x = viewer->input.press_x;
    const float y = viewer->input.press_y;
    if (control) {
        view_measure_at(viewer, x, y);
    } else if (viewer->panels.card.picks_color) {
        view_color color;
        if (view_read_window_color(viewer, x, y, &color))
            view_execute(viewer,
                         view_pick_for_card(&viewer->ui, &viewer->panels.card, stage, -1, &color));
    } else {
        view_pick_at(viewer, x, y);
    }
}

// Handles a release in the 3D view. The release completes a click if the pointer has hardly moved
// since the press. Returns false otherwise. A long touch counts as a click of the right button.
static bool click(view_state *viewer, const view_stage *stage, const view_input *event)
{
    const bool has_moved = viewer->input.press_travel >= 4 * mouse_scale(viewer);
    if (has_moved || viewer->pages.open >= 0 || event->is_canceled)
        return false;

    // The release does not identify the button of the press. The drag that the press has begun
    // does.
    const view_camera_drag drag = viewer->input.drag;
    const bool is_left = drag == VIEW_DRAG_ORBIT || drag == VIEW_DRAG_LIMB;
    const bool is_right = drag == VIEW_DRAG_ZOOM || (is_left && event->is_long);
    if (is_right) {
        click_right(viewer);
        return true;
    }
    if (!is_left)
        return false;

    click_left(viewer, stage, event->control);
    const bool is_double_click = event->clicks == 2 && !event->control;
    if (is_double_click)
        frame_clicked_point(viewer);
    return true;
}

// Handles a released mouse button or a lifted finger. Ends the drag, and executes a click if the
// pointer has hardly moved. Logs the name of the drag, or of the panel whose value was dragged.
static void release(view_state *viewer, const view_input *event)
{
    static const char *const drag_names[] = {"none",  "orbit",  "pan",    "zoom",
                                             "stick", "finger", "scroll", "limb"};
    lift_finger(viewer, event);
    const char *const held_panel = viewer->ui.held;
    viewer->ui.active.panel = viewer->ui.held = NULL;
    const view_stage stage = current_stage(viewer);
    if (held_panel != NULL && strcmp(held_panel, VIEW_SHEET_HANDLE) == 0) {
        const view_layout_request request = view_requested_layout(&stage);
        view_drop_sheet(&request, &viewer->ui.docks);
    }

    if (!click(viewer, &stage, event)) {
        const view_camera_drag drag = viewer->input.drag;
        if (drag != VIEW_DRAG_NONE)
            view_log_state(viewer, drag_names[drag]);
        else if (held_panel != NULL)
            view_log_state(viewer, held_panel);
    }
    end_drag(viewer);
}

// Handles the mouse wheel. A panel under the pointer scrolls. Otherwise the camera zooms, and the
// point under the pointer keeps its position in the image.
static void scroll_wheel(view_state *viewer, const view_input *event)
{
    const float zoom_per_step = 1.15f;
    const view_stage stage = current_stage(viewer);
    const ui_mouse mouse = {.x = event->x, .y = event->y, .wheel = event->wheel};
    if (view_execute(viewer, view_run_ui(&viewer->ui, &viewer->panels, &stage, &mouse)))
        return;

    leave_camera_path(viewer);
    const view_rect region = current_stage(viewer).region;
    const float from_center_x = event->x - region.x - 0.5f * region.width;
    const float from_center_y = event->y - region.y - 0.5f * region.height;
    view_zoom(&viewer->cameras.user, powf(zoom_per_step, event->wheel), from_center_x,
              from_center_y, region.height);
    view_log_state(viewer, "zoom");
}

// Returns true if a key belongs to the buttons of an open list and not to the list itself. Such a
// key moves the keyboard focus to the buttons or presses the focused button.
static bool leads_to_buttons(const view_ui *ui, const ui_mouse *event)
{
    if (ui->focus.is_shown)
        return event->key == VIEW_KEY_TAB || event->key == VIEW_KEY_RETURN;
    return event->key == VIEW_KEY_TAB && event->shift;
}

// Passes a key or a typed text to the interface: fields, menus, dialogs and lists. Returns true if
// the interface has used it. The caller must not execute its shortcut then.
static bool type(view_state *viewer, const ui_mouse *event)
{
    const bool is_list_open =
        viewer->panels.browser.kind != VIEW_BROWSE_NOTHING && viewer->ui.modal == NULL;

    // An open list receives all keys except those for its buttons.
    if (is_list_open && !leads_to_buttons(&viewer->ui, event)) {
        viewer->ui.focus.is_shown = false;
        const int32_t key = event->key | (event->control ? VIEW_WITH_CTRL : 0);
        const bool is_list_key = key != 0 && !event->alt;
        if (is_list_key && view_execute(viewer, view_key_browser(&viewer->panels.browser, key)))
            return true;
    }

    const view_stage stage = current_stage(viewer);
    ui_mouse event_at_mouse = *event;
    event_at_mouse.x = viewer->ui.mouse.x;
    event_at_mouse.y = viewer->ui.mouse.y;
    if (view_execute(viewer, view_run_ui(&viewer->ui, &viewer->panels, &stage, &event_at_mouse)))
        return true;

    // Typed letters filter an open list. They must not execute shortcuts at the same time.
    const bool is_letter = event->key < VIEW_KEY_NAMED && !event->control;
    return is_list_open && is_letter;
}

// Executes the command of a shortcut. If the command is not available now, shows a notice with the
// reason.
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

// Passes a pressed key to the controlled character. Returns false if the key does not control the
// character.
static bool press_control_key(view_state *viewer, const view_input *event)
{
    if (!view_controls_character(viewer) || event->control)
        return false;
    const view_menu_entry *const entry =
        view_find_key(event->key, event->shift, event->control, event->alt, true);
    if (entry == NULL)
        return false;
    view_control_character(viewer, entry, true);
    return true;
}

// Handles a pressed key. The first of the following uses it: the text field or focused item, the
// controlled character, the shortcuts.
static void press_key(view_state *viewer, const view_input *event)
{
    const int32_t key = event->key;
    viewer->input.is_only_alt_down = key == VIEW_KEY_LEFT_ALT;
    viewer->input.ignores_text = viewer->input.ignores_text && event->is_repeated;

    // F6 moves the focus to another panel. If a character is controlled, F6 fires a trigger
    // instead.
    const bool is_trigger = key == VIEW_KEY_F(6) && view_controls_character(viewer);
    const ui_mouse key_event = {
        .key = key, .shift = event->shift, .control = event->control, .alt = event->alt};
    if (!is_trigger && type(viewer, &key_event))
        return;
    // A modal dialog ignores keys other than function keys and keys with Ctrl.
    const bool is_function_key = key >= VIEW_KEY_F(1) && key <= VIEW_KEY_F(12);
    if (viewer->ui.modal != NULL && !event->control && !is_function_key)
        return;
    if (press_control_key(viewer, event))
        return;

    const view_menu_entry *const shortcut =
        view_find_key(key, event->shift, event->control, event->alt, false);
    if (shortcut != NULL) {
        viewer->input.ignores_text = true;
        run_shortcut(viewer, shortcut);
    } else if (key == VIEW_KEY_F(10) && !event->is_repeated) {
        view_execute(viewer, (view_command){.action = VIEW_MENUS});
    }
}

// Returns true if a file is dropped on the model and not on a panel. (x, y) is the pixel of the
// drop and `pick` is the point of the model at this pixel.
static bool is_over_body(const view_state *viewer, const view_stage *stage, const view_pick *pick,
                         float x, float y)
{
    if (!pick->is_set || stage->pages != NULL || viewer->ui.over != VIEW_OVERLAY_NONE)
        return false;
    return view_contains(view_current_layout(stage).free, x, y);
}

// Opens a dropped file. The position of the drop determines its use. An image on a mesh, or on a
// texture tile of the inspector, becomes a texture map of this mesh. If a single model is dropped
// on the open model, a dialog asks the user what to do with it. All other files are opened.
static void drop_file(view_state *viewer, const view_input *event)
{
    const float x = event->x;
    const float y = event->y;
    char *const path = event->path;
    const view_stage stage = current_stage(viewer);
    const view_pick pick = pick_at(viewer, x, y);
    const bool is_on_body = is_over_body(viewer, &stage, &pick, x, y);

    // Run the interface, so that it determines the texture tile at this pixel. The result is 1 +
    // md5gl_image_kind, or 0 if there is no tile.
    view_run_ui(&viewer->ui, &viewer->panels, &stage,
                &(ui_mouse){.x = x, .y = y, .is_moved = true});
    const uint32_t hovered_map = viewer->panels.textures.hovered;

    const bool is_image = view_is_image(path);
    const bool is_model = common_has_suffix(path, ".md5mesh");
    view_command command = {.action = VIEW_OPEN_FILE, .path = path};
    if (is_image && hovered_map > 0) {
        command.action = VIEW_ASSIGN_TEXTURE;
        command.number = (size_t)viewer->ui.selection.mesh;
        command.item = hovered_map - 1;
    } else if (is_image && is_on_body) {
        command.action = VIEW_ASSIGN_TEXTURE;
        command.number = pick.mesh;
        command.item = view_guess_map(path);
    } else if (is_model && is_on_body && event->is_only_file) {
        command.action = VIEW_FILES;
    }
    view_run_file_command(viewer, &command);
}

// Returns true if an event is a deliberate action of the user: a key, a press, the wheel, or a
// drop. Movements may be accidental, and a drop without a path is ignored.
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

// Returns true if an event of this kind always requires a new image.
static bool changes_image(view_input_kind kind)
{
    return kind == VIEW_INPUT_RELEASE || kind == VIEW_INPUT_WINDOW || kind == VIEW_INPUT_RESIZE;
}

// Returns a copy of the event with positions in pixels of the image. The operating system sends
// positions in points, which may consist of several pixels.
static view_input scale_event(const view_input *event, float scale)
{
    view_input scaled = *event;
    scaled.x *= scale;
    scaled.y *= scale;
    scaled.moved_x *= scale;
    scaled.moved_y *= scale;
    return scaled;
}

// Handles a released key. A released control key always stops the movement of the character, even
// if the mode has changed since it was pressed; otherwise the character would not stop. Pressing
// and releasing only Alt opens the menus, as in other programs.
static void release_key(view_state *viewer, const view_input *event)
{
    viewer->input.ignores_text = false;
    const view_menu_entry *const control = view_find_key(event->key, false, false, false, true);
    if (control != NULL)
        view_control_character(viewer, control, false);

    const bool is_only_alt = event->key == VIEW_KEY_LEFT_ALT && viewer->input.is_only_alt_down;
    if (is_only_alt && !event->is_forced)
        view_execute(viewer, (view_command){.action = VIEW_MENUS});
}

// Handles an event of the web page that contains the viewer: the page sets an option. Returns true
// if the image must be drawn again.
static bool set_sent_option(view_state *viewer, const view_input *event)
{
    const view_option *const option = view_find_option(event->text, strlen(event->text));
    const bool is_set =
        option != NULL && view_set_option(viewer, option, common_text_value(event->path));
    free(event->path);
    return is_set;
}

// Handles an action of the user while the demo scene is playing by itself. Postpones the end of the
// demo, and gives the user the control of the character.
static void interrupt_demo(view_state *viewer, bool is_touch)
{
    const double more_seconds = 20;
    double *const demo_end = &viewer->panels.decision.demo_end;
    if (*demo_end > 0)
        *demo_end = viewer->uptime + more_seconds;
    if (!current_stage(viewer).plays_demo)
        return;

    view_stop_acting(&viewer->document->scene.machine);
    if (is_touch)
        view_notice(viewer, "You now control Bobbin" VIEW_DOT "drag the stick to move");
    else
        view_notice(viewer, "You now control Bobbin" VIEW_DOT "Ctrl+Home: start page" VIEW_DOT
                            "F1: shortcuts");
}

// Passes an event to the handler of its kind. Returns true if the image must be drawn again. For
// kinds for which changes_image() returns true, the result is not used.
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
        scroll_wheel(viewer, event);
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

// Handles an event, and stores its effect as a step of the undo history. `in_points` is the event
// with its position in points of the operating system. Sets `redraw` to true if the image changes.
// Frees the path of the event.
void view_handle_event(view_state *viewer, const view_input *in_points, bool *redraw)
{
    const view_input event = scale_event(in_points, mouse_scale(viewer));
    const view_input_kind kind = event.kind;
    // A drag may last for a long time without a new press.
    const bool is_held = viewer->input.drag != VIEW_DRAG_NONE;
    if (is_intended(&event) || is_held) {
        *redraw = true;
        interrupt_demo(viewer, event.is_touch);
    }
    *redraw |= changes_image(kind);
    if (viewer->undo.num_steps == 0)
        view_store_step(viewer); // the state before the first event

    *redraw |= dispatch_event(viewer, &event);

    // Successive keys are merged into one undo step, and so are successive turns of the wheel. All
    // events of a drag, and all changes of a card, are also one step.
    viewer->undo.merges_steps = kind == VIEW_INPUT_KEY_DOWN || kind == VIEW_INPUT_WHEEL;
    const bool is_card_open = viewer->ui.over == VIEW_OVERLAY_CARD;
    const bool is_dragging = viewer->ui.held != NULL || kind == VIEW_INPUT_MOVE;
    if (!is_card_open && !is_dragging)
        view_store_step(viewer);
}
