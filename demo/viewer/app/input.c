// Keys and the mouse: what drives a machine, what an action does, and which event is which action.
#include "demo/viewer/app/input.h"

#include "demo/viewer/app/open.h"
#include "demo/viewer/app/record.h"
#include "demo/viewer/app/window.h"
#include "demo/viewer/motion/machine.h"
#include "demo/viewer/ui/browser.h"

#include <SDL.h>
#include <math.h>
#include <stdlib.h>

// == Driving a machine ============================================================================

// -- Mouse ----------------------------------------------------------------------------------

void view_point_mover(view_state *viewer, float x, float y)
{
    view_scene *const scene = &viewer->document->scene;
    const view_motion_kind *const mover = view_mover_of(scene);
    if (mover->point == NULL)
        return;
    const float width = (float)viewer->width, height = (float)viewer->height;
    const view_lens lens = view_choose_lens(viewer, width, height);
    // A little nearer than the camera's target, so that the character looks and reaches towards the
    // user.
    const float depth = 0.7f * viewer->camera.distance, wide = lens.orthographic ? 1.0f : depth;
    const float across = 2.0f * x / width - 1.0f - lens.shift_x;
    const float high = 1.0f - 2.0f * y / height - lens.shift_y;
    const md5_vec3 right = md5_vec3_scale(lens.axes.right, across * lens.half_x * wide);
    const md5_vec3 up = md5_vec3_scale(lens.axes.up, high * lens.half_y * wide);
    mover->point(scene, md5_vec3_add(md5_vec3_add(lens.eye, md5_vec3_scale(lens.axes.back, -depth)),
                                     md5_vec3_add(right, up)));
}

// -- Keys -----------------------------------------------------------------------------------

enum { AHEAD, BACK, RIGHT, LEFT }; // as view_control.down; opposite ones differ in the last bit

// Returns the direction of the last key that was pressed, of those of a pair that are still down.
static int hold(view_control *control, unsigned key, bool down)
{
    const int direction = key % 2 == 0 ? 1 : -1;
    control->down[key] = down;
    if (down)
        return direction;
    return control->down[key ^ 1] ? -direction : 0;
}

static void walk(view_control *control, view_action action, bool down)
{
    switch (action) {
    case VIEW_AHEAD:
        control->ahead = hold(control, AHEAD, down);
        break;
    case VIEW_BACK:
        control->ahead = hold(control, BACK, down);
        break;
    case VIEW_TO_RIGHT:
        control->side = hold(control, RIGHT, down);
        break;
    case VIEW_TO_LEFT:
        control->side = hold(control, LEFT, down);
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
        view_notice(viewer, "%s: the machine has no trigger for this key (P pauses)",
                    binding->keys);
        return;
    }
    view_push_parameter(machine, (uint32_t)trigger);
    view_tell_state(viewer, "push");
}

// A parameter that is set while paused would only take effect later.
static void tell_why_still(view_state *viewer, view_action action)
{
    const bool walks = action == VIEW_AHEAD || action == VIEW_BACK || action == VIEW_FAST;
    if (walks && !view_can_walk(&viewer->document->scene.machine))
        view_notice(viewer, "The machine has no parameter \"speed\" or \"ahead\"");
    else if (view_is_bind_pose(&viewer->document->scene))
        view_notice(viewer, "Bind pose: Shift+P returns to the machine");
    else if (!viewer->play.playing)
        view_notice(viewer, "Paused: P resumes");
}

// Keys that walk do so also where the mode is that of clips, if something moves by them.
bool view_drives_clips(const view_state *viewer, view_action action)
{
    const view_motion_kind *const mover = view_mover_of(&viewer->document->scene);
    return mover->mode != VIEW_MODE_MACHINE && mover->take_over != NULL && action >= VIEW_AHEAD
           && action <= VIEW_FAST;
}

void view_drive(view_state *viewer, const view_binding *binding, bool down)
{
    view_scene *const scene = &viewer->document->scene;
    const view_motion_kind *const mover = view_mover_of(scene);
    const bool has_triggers = mover->mode == VIEW_MODE_MACHINE;
    if (mover->take_over == NULL || (binding->action == VIEW_TRIGGER && !has_triggers))
        return;
    view_control *const control = mover->take_over(scene, down);
    if (down && has_triggers)
        tell_why_still(viewer, binding->action);
    if (binding->action != VIEW_TRIGGER) {
        walk(control, binding->action, down);
        view_tell_state(viewer, down ? "drive" : "let-go");
    } else if (down) {
        press_trigger(viewer, binding);
    }
}

// == Commands =====================================================================================

static void tell_no_clip(view_state *viewer)
{
    view_notice(viewer, "No animation: drop an .md5anim here");
}

static void change_clip(view_state *viewer, bool back)
{
    const size_t count = viewer->document->scene.num_clips;
    if (count == 0) {
        tell_no_clip(viewer);
        return;
    }
    const size_t clip = (viewer->document->scene.clip + (back ? count - 1 : 1)) % count;
    view_change_clip(viewer, clip);
}

static void play_one_shot(view_state *viewer)
{
    const char *const clip = view_play_one_shot(&viewer->document->scene.machine);
    if (clip != NULL)
        view_notice(viewer, "One-shot: %s", clip);
}

static void go_to_end(view_state *viewer, bool last)
{
    if (view_mode_of(viewer->document) == VIEW_MODE_MACHINE) {
        view_restart_machine(&viewer->document->scene.machine);
        viewer->play.time = 0.0;
        return;
    }
    const md5_anim *const anim = view_clock(&viewer->document->scene);
    if (anim != NULL)
        view_seek(&viewer->play, anim, last ? (anim->num_frames - 1) / anim->frame_rate : 0.0);
}

// A machine has no frames: a step is 1 / VIEW_STEPS_A_SECOND seconds.
static void step(view_state *viewer, int direction)
{
    view_play *const play = &viewer->play;
    if (view_mode_of(viewer->document) != VIEW_MODE_MACHINE) {
        view_step(play, view_clock(&viewer->document->scene), direction);
        return;
    }
    play->playing = false;
    play->time = fmax(play->time + (double)direction / (double)VIEW_STEPS_A_SECOND, 0.0);
}

static void change_loop(view_state *viewer)
{
    static const char *const words[] = {"Loop: the last frame equals the first",
                                        "Cycle: the last frame blends into the first", "Once"};
    const md5_anim *const anim = view_clock(&viewer->document->scene);
    // Keeps the current frame, although the loop duration changes.
    const double place = anim != NULL ? view_cycle_time(&viewer->play, anim) : 0.0;
    viewer->play.wrap = (md5_wrap)((viewer->play.wrap + 1) % 3);
    viewer->play.held_at_end = false;
    viewer->play.time = place;
    view_notice(viewer, "%s", words[viewer->play.wrap]);
}

static void change_range(view_state *viewer, view_action action)
{
    view_play *const play = &viewer->play;
    const md5_anim *const anim = view_clock(&viewer->document->scene);
    if (action == VIEW_RANGE_ALL) {
        play->range_first = play->range_last = 0;
        view_notice(viewer, "All frames");
    } else if (view_set_range(play, anim, action == VIEW_RANGE_END)) {
        view_notice(viewer, "Frames %u to %u", (unsigned)play->range_first,
                    (unsigned)play->range_last);
    } else {
        view_notice(viewer, "A range has at least two frames");
    }
}

static void change_root(view_state *viewer)
{
    static const char *const words[] = {"Root motion: as stored", "Root motion: as in id's engine",
                                        "Root motion: in place"};
    viewer->document->scene.root = (md5_root)((viewer->document->scene.root + 1) % 3);
    view_measure(viewer);
    view_notice(viewer, "%s", words[viewer->document->scene.root]);
}

static void change_skinning(view_state *viewer)
{
    viewer->document->scene.dual = !viewer->document->scene.dual;
    view_measure(viewer);
    view_notice(viewer, "%s",
                viewer->document->scene.dual ? "Dual quaternion skinning" : "Linear skinning");
}

// Legs that walk by rules instead of the clip, as with --walk.
static void change_walk(view_state *viewer)
{
    view_scene *const scene = &viewer->document->scene;
    if (view_end_walk(scene)) {
        view_notice(viewer, "Clip");
    } else if (!view_begin_walk(scene)) {
        view_notice(viewer, "No two joints have foot or ankle in their names");
    } else {
        view_notice(viewer, "Walking by rules: W A S D, Shift");
    }
    viewer->play.time = 0.0; // they walk from then on
    view_measure(viewer);
}

// Stands a model up that lies on its back, or turns its face to the front.
static void turn_model(view_state *viewer, int axis)
{
    view_scene *const scene = &viewer->document->scene;
    char text[32];
    if (view_is_on_ground(scene)) {
        view_notice(viewer, "Legs on the ground do not turn");
        return;
    }
    scene->turn = view_turn_further(scene->turn, axis);
    view_describe_turn(&scene->turn, text, sizeof text);
    view_measure(viewer);
    view_frame_again(viewer);
    view_notice(viewer, "Axes of the file: %s", text);
}

// The next thing that the body shows.
static void change_surface(view_state *viewer)
{
    static const char *const words[VIEW_NUM_SURFACES] = {"Materials", "Weights of the marked joint",
                                                         "Grid by texture coordinates", "Images"};
    const uint32_t next = ((uint32_t)viewer->surface + 1) % (uint32_t)VIEW_NUM_SURFACES;
    viewer->surface = (view_surface)next;
    view_notice(viewer, "%s", words[next]);
}

static void change_onion(view_state *viewer)
{
    uint32_t *const count = &viewer->onion.count;
    *count = *count == 0 ? 1 : *count < 4 ? 2 * *count : 0;
    if (*count > 0)
        view_notice(viewer, "Ghosts of %u frames before and after", (unsigned)*count);
    else
        view_notice(viewer, "No ghosts");
}

// What changes the pose of the model, or what it shows.
static bool perform_model(view_state *viewer, view_action action)
{
    switch (action) {
    case VIEW_NEXT_ROOT:
        change_root(viewer);
        return true;
    case VIEW_SKINNING:
        change_skinning(viewer);
        return true;
    case VIEW_WALK:
        change_walk(viewer);
        return true;
    case VIEW_NEXT_ONION:
        change_onion(viewer);
        return true;
    case VIEW_NEXT_SURFACE:
        change_surface(viewer);
        return true;
    case VIEW_TURN_X:
    case VIEW_TURN_Z:
        turn_model(viewer, action == VIEW_TURN_X ? 0 : 2);
        return true;
    default:
        return false;
    }
}

static bool perform_animation(view_state *viewer, view_action action)
{
    view_play *const play = &viewer->play;
    const md5_anim *const anim = view_clock(&viewer->document->scene);
    switch (action) {
    case VIEW_PLAY:
        view_toggle_play(play, anim);
        if (view_mode_of(viewer->document) == VIEW_MODE_MACHINE)
            view_notice(viewer, "%s", play->playing ? "Playing" : "Paused");
        return true;
    case VIEW_STEP_BACK:
    case VIEW_STEP_ON:
        step(viewer, action == VIEW_STEP_ON ? 1 : -1);
        return true;
    case VIEW_GO_FIRST:
    case VIEW_GO_LAST:
        go_to_end(viewer, action == VIEW_GO_LAST);
        return true;
    case VIEW_SLOWER:
    case VIEW_FASTER:
        view_change_speed(play, action == VIEW_FASTER ? 1 : -1);
        view_notice(viewer, "Speed %g\xC3\x97", play->speed);
        return true;
    case VIEW_NORMAL_SPEED:
        play->speed = 1.0;
        play->backward = false;
        view_notice(viewer, "Speed 1\xC3\x97");
        return true;
    case VIEW_REVERSE:
        play->backward = !play->backward;
        view_notice(viewer, "%s", play->backward ? "Backward" : "Forward");
        return true;
    case VIEW_NEXT_CLIP:
    case VIEW_PREVIOUS_CLIP:
        change_clip(viewer, action == VIEW_PREVIOUS_CLIP);
        return true;
    case VIEW_BIND_POSE:
        view_show_bind_pose(&viewer->document->scene, !view_is_bind_pose(&viewer->document->scene),
                            play);
        view_measure(viewer);
        return true;
    case VIEW_NEXT_LOOP:
        change_loop(viewer);
        return true;
    case VIEW_RANGE_BEGIN:
    case VIEW_RANGE_END:
    case VIEW_RANGE_ALL:
        change_range(viewer, action);
        return true;
    case VIEW_ONE_SHOT:
        play_one_shot(viewer);
        return true;
    default:
        return false;
    }
}

static void look_from(view_state *viewer, float azimuth, float elevation)
{
    viewer->camera.azimuth = azimuth;
    viewer->camera.elevation = elevation;
}

static void turn_camera_path(view_state *viewer)
{
    if (viewer->document->scene.camera_path.camera == NULL) {
        view_notice(viewer, "No camera path: drop an .md5camera here");
        return;
    }
    viewer->following = !viewer->following;
    view_notice(viewer, "%s", viewer->following ? "Camera path" : "Free camera");
}

// Switches to the user's camera, which is the one that is set.
static bool perform_camera(view_state *viewer, view_action action)
{
    if (action >= VIEW_FRAME_ALL && action <= VIEW_ORTHOGRAPHIC)
        viewer->following = false;
    // The elevation from which the three axes of a cube look equally long: atan(1 / sqrt 2).
    const float isometric = 35.26439f;
    switch (action) {
    case VIEW_CAMERA_PATH:
        turn_camera_path(viewer);
        return true;
    case VIEW_FRAME_ALL:
        view_measure(viewer);
        view_frame_again(viewer);
        return true;
    case VIEW_FRONT:
        look_from(viewer, 0.0f, 0.0f);
        return true;
    case VIEW_RIGHT:
        look_from(viewer, -90.0f, 0.0f);
        return true;
    case VIEW_TOP:
        look_from(viewer, 0.0f, 90.0f);
        return true;
    case VIEW_ISOMETRIC:
        look_from(viewer, 45.0f, isometric);
        viewer->camera.orthographic = true;
        return true;
    case VIEW_ORTHOGRAPHIC:
        viewer->camera.orthographic = !viewer->camera.orthographic;
        view_notice(viewer, "%s", viewer->camera.orthographic ? "Orthographic" : "Perspective");
        return true;
    default:
        return false;
    }
}

static void change_text(view_state *viewer, float factor)
{
    const float scale = viewer->text_scale * factor;
    if (scale >= 0.5f && scale <= 4.0f)
        viewer->text_scale = scale;
}

static void open_list(view_state *viewer, view_browser_kind kind)
{
    if (!view_open_browser(&viewer->ui.browser, kind, &viewer->document->scene, viewer->config))
        tell_no_clip(viewer);
}

static void open_neighbour(view_state *viewer, int step)
{
    if (viewer->document->scene.library != NULL)
        view_show_neighbour(viewer, step);
    else
        view_open_neighbour(viewer, step);
}

static void perform_rest(view_state *viewer, view_action action)
{
    switch (action) {
    case VIEW_FILES:
    case VIEW_CLIPS:
        open_list(viewer, action == VIEW_FILES ? VIEW_BROWSE_FILES : VIEW_BROWSE_CLIPS);
        break;
    case VIEW_GAME:
        view_list_game(viewer);
        break;
    case VIEW_NEXT_FILE:
    case VIEW_PREVIOUS_FILE:
        open_neighbour(viewer, action == VIEW_NEXT_FILE ? 1 : -1);
        break;
    case VIEW_RELOAD:
        view_notice(viewer, "%s", view_reload(viewer) ? "Reloaded" : "Reload failed: unchanged");
        break;
    case VIEW_SCREENSHOT:
    case VIEW_CLEAN_SCREENSHOT:
        view_save_screenshot(viewer, action == VIEW_CLEAN_SCREENSHOT);
        break;
    case VIEW_RECORD:
        view_toggle_recording(viewer);
        break;
    case VIEW_LARGER_TEXT:
    case VIEW_SMALLER_TEXT:
        change_text(viewer, action == VIEW_LARGER_TEXT ? 1.1f : 1.0f / 1.1f);
        break;
    case VIEW_NEXT_PAGE:
    case VIEW_PREVIOUS_PAGE:
        view_turn_page(viewer, action == VIEW_NEXT_PAGE ? 1 : -1);
        break;
    case VIEW_CLOSE_LISTS:
        if (viewer->pages.open >= 0) {
            view_close_page(viewer);
            break;
        }
        if (viewer->log.error[0] != '\0') {
            viewer->log.error[0] = '\0';
            break;
        }
        viewer->shown.help = viewer->shown.hierarchy = viewer->shown.light_list = false;
        viewer->shown.parm_list = false;
        viewer->ui.chosen_joint = viewer->ui.hovered_joint = -1;
        viewer->pick = viewer->measured = (view_pick){.is_set = false};
        break;
    case VIEW_QUIT:
        viewer->quit = true;
        break;
    default:
        break;
    }
}

// What is at a pixel of the body.
static view_pick find_at(view_state *viewer, float x, float y)
{
    const float width = (float)viewer->width, height = (float)viewer->height;
    const view_lens lens = view_choose_lens(viewer, width, height);
    const md5_ray ray = view_lens_ray(&lens, x, y, width, height);
    if (view_shows_crowd(viewer->document))
        return (view_pick){.is_set = false};
    return view_find_pick(&viewer->document->scene, viewer->hidden_meshes, &ray);
}

void view_pick_at(view_state *viewer, float x, float y)
{
    viewer->pick = find_at(viewer, x, y);
    viewer->measured = (view_pick){.is_set = false};
    viewer->ui.chosen_joint = viewer->pick.is_set ? viewer->pick.joint : -1;
    const view_motion_kind *const mover = view_mover_of(&viewer->document->scene);
    if (viewer->pick.is_set && mover->click != NULL)
        mover->click(&viewer->document->scene);
    view_tell_state(viewer, "pick");
}

void view_measure_at(view_state *viewer, float x, float y)
{
    if (!viewer->pick.is_set) {
        view_pick_at(viewer, x, y);
        return;
    }
    viewer->measured = find_at(viewer, x, y);
    view_tell_state(viewer, "measure");
}

// -- Of the mouse and of lists --------------------------------------------------------------

static void hide_mesh(view_state *viewer, size_t mesh)
{
    if (mesh >= 64 || viewer->document->scene.model == NULL
        || mesh >= viewer->document->scene.model->num_meshes)
        return;
    viewer->hidden_meshes ^= (uint64_t)1 << mesh;
    view_show_meshes(viewer->document, viewer->hidden_meshes);
}

// While it is paused the state is shown at once, at its beginning.
static void go_to_state(view_state *viewer, const view_command *command)
{
    const float duration = 0.25f;
    view_machine *const machine = &viewer->document->scene.machine;
    const uint32_t layer = (uint32_t)command->number, state = (uint32_t)command->item;
    if (view_mode_of(viewer->document) != VIEW_MODE_MACHINE)
        return;
    view_take_over(machine);
    const bool goes = viewer->play.playing ? md5_player_fade_to(
                          machine->player, layer, state, duration, MD5_FADE_CROSS, MD5_EASE_SMOOTH)
                                           : md5_player_seek(machine->player, layer, state, 0.0);
    if (goes) // a machine that was read again may have other states
        view_notice(viewer, "%s: %s", machine->desc->layers[layer].name,
                    machine->desc->layers[layer].states[state].name);
}

static void perform_chosen(view_state *viewer, const view_command *command)
{
    view_browser *const browser = &viewer->ui.browser;
    const view_scene *const scene = &viewer->document->scene;
    switch (command->action) {
    case VIEW_OPEN_FOLDER:
        view_browse_folder(browser, command->path, viewer->config);
        break;
    case VIEW_OPEN_GAME:
        view_browse_game(viewer, command->path);
        break;
    case VIEW_OPEN_SECTION:
        view_show_section(viewer, command->number);
        break;
    case VIEW_OPEN_FILE:
        view_drop(viewer, command->path);
        break;
    case VIEW_OPEN_CLIP:
        if (command->number < scene->num_clips) // a file that changed may have fewer
            view_change_clip(viewer, command->number);
        break;
    case VIEW_OPEN_NAMED:
        view_show_named(viewer, command->number, command->path);
        break;
    case VIEW_PLAY_IN_CHANNEL:
        view_play_in(viewer, (uint32_t)command->item, command->number);
        break;
    case VIEW_SHOW_CHANNEL:
        (void)view_focus_in_scene(&viewer->document->scene, (uint32_t)command->item, &viewer->play);
        break;
    case VIEW_LIST_CHANNEL:
        view_list_channel(browser, scene, (md5_channel)command->item);
        break;
    case VIEW_HIDE_MESH:
        hide_mesh(viewer, command->number);
        break;
    case VIEW_LIST_TEXTURES:
        view_list_textures(browser, scene, (uint32_t)command->number);
        break;
    case VIEW_TAKE_TEXTURE:
        view_give_texture(viewer, (uint32_t)command->number, command->path);
        break;
    case VIEW_OPEN_PAGE:
        (void)view_show_page_number(viewer, (int32_t)command->number);
        break;
    case VIEW_GO_TO_STATE:
        go_to_state(viewer, command);
        break;
    default: // the interface has done it alone
        break;
    }
}

bool view_perform(view_state *viewer, view_command command)
{
    const view_action action = command.action;
    const view_option *const turned = view_switch_of(action);
    if (turned != NULL) {
        bool *const on = view_switch_field(turned, &viewer->shown);
        *on = !*on;
    } else if (action >= VIEW_TAKEN && action <= VIEW_GO_TO_STATE) {
        perform_chosen(viewer, &command);
    } else if (!perform_animation(viewer, action) && !perform_model(viewer, action)
               && !perform_camera(viewer, action)) {
        perform_rest(viewer, action);
    }
    free(command.path);
    if (action != VIEW_NOTHING && action != VIEW_TAKEN)
        view_tell_state(viewer, view_action_name(action));
    return action != VIEW_NOTHING;
}

// == Events =======================================================================================
//
// From SDL's events to actions, and the mouse.

// Pixels of the picture per unit of mouse coordinates.
static float mouse_scale(const view_state *viewer)
{
    int width = 0, height = 0;
    SDL_GetWindowSize(viewer->window, &width, &height);
    return width > 0 ? (float)viewer->width / (float)width : 1.0f;
}

// -- Mouse ----------------------------------------------------------------------------------

static view_stage stage_of(view_state *viewer)
{
    return view_stage_of(viewer, (float)viewer->width, (float)viewer->height);
}

static void press(view_state *viewer, const SDL_MouseButtonEvent *button)
{
    const float scale = mouse_scale(viewer);
    const float x = (float)button->x * scale, y = (float)button->y * scale;
    const bool shift = (SDL_GetModState() & KMOD_SHIFT) != 0;
    const bool left = button->button == SDL_BUTTON_LEFT;
    viewer->drag = VIEW_DRAG_NONE;
    viewer->press_x = x;
    viewer->press_y = y;
    viewer->press_travel = 0.0f;
    if (left) {
        const view_stage stage = stage_of(viewer);
        if (view_perform(viewer, view_press_ui(&viewer->ui, &stage, x, y)))
            return;
    }
    if (button->button == SDL_BUTTON_MIDDLE || (left && shift))
        viewer->drag = VIEW_DRAG_PAN;
    else if (left)
        viewer->drag = VIEW_DRAG_ORBIT;
    else if (button->button == SDL_BUTTON_RIGHT)
        viewer->drag = VIEW_DRAG_ZOOM;
}

// Moves the dragged camera.
static void move_camera(view_state *viewer, float right, float down)
{
    const float height = (float)viewer->height;
    if (viewer->drag == VIEW_DRAG_ORBIT)
        view_orbit(&viewer->camera, right, down, height);
    else if (viewer->drag == VIEW_DRAG_PAN)
        view_pan(&viewer->camera, right, down, stage_of(viewer).region.height);
    else // upward comes nearer; a drag over the height of the picture by a factor of 20
        view_zoom(&viewer->camera, powf(20.0f, -down / height), 0.0f, 0.0f, height);
}

static bool move(view_state *viewer, const SDL_MouseMotionEvent *motion)
{
    const float scale = mouse_scale(viewer);
    const float x = (float)motion->x * scale, y = (float)motion->y * scale;
    const view_camera_drag drag = viewer->drag;
    const bool is_camera = drag != VIEW_DRAG_NONE;
    const bool is_held = viewer->ui.held != NULL;
    if (is_camera)
        view_leave_camera_path(viewer);
    else {
        const view_stage stage = stage_of(viewer);
        if (is_held)
            view_drag_ui(&viewer->ui, &stage, x, y);
        else if (view_point_ui(&viewer->ui, &stage, x, y))
            return true;
    }
    view_point_mover(viewer, x, y);
    if (is_camera) {
        viewer->press_travel += fabsf((float)motion->xrel) + fabsf((float)motion->yrel);
        move_camera(viewer, (float)motion->xrel * scale, (float)motion->yrel * scale);
    }
    return is_camera || is_held;
}

static void release(view_state *viewer)
{
    static const char *const names[] = {"none", "orbit", "pan", "zoom"};
    const char *const held = view_release_ui(&viewer->ui);
    // A left click that hardly moves is no drag.
    const view_stage stage = stage_of(viewer);
    const bool is_click = viewer->drag == VIEW_DRAG_ORBIT && viewer->press_travel < 4.0f
                          && viewer->pages.open < 0
                          && !view_is_on_figures(&stage, viewer->press_x, viewer->press_y);
    if (is_click && (SDL_GetModState() & KMOD_CTRL) != 0)
        view_measure_at(viewer, viewer->press_x, viewer->press_y);
    else if (is_click)
        view_pick_at(viewer, viewer->press_x, viewer->press_y);
    else if (viewer->drag != VIEW_DRAG_NONE)
        view_tell_state(viewer, names[viewer->drag]);
    else if (held != NULL)
        view_tell_state(viewer, held);
    viewer->drag = VIEW_DRAG_NONE;
}

static void turn_wheel(view_state *viewer, const SDL_MouseWheelEvent *wheel)
{
    const float scale = mouse_scale(viewer);
    int mouse_x = 0, mouse_y = 0;
    SDL_GetMouseState(&mouse_x, &mouse_y);
    const float x = (float)mouse_x * scale, y = (float)mouse_y * scale;
    const float steps =
        wheel->direction == SDL_MOUSEWHEEL_FLIPPED ? -wheel->preciseY : wheel->preciseY;
    const view_stage stage = stage_of(viewer);
    if (view_perform(viewer, view_wheel_ui(&viewer->ui, &stage, x, y, steps)))
        return;
    view_leave_camera_path(viewer);
    const view_rect region = stage_of(viewer).region;
    view_zoom(&viewer->camera, powf(1.15f, steps), x - region.x - 0.5f * region.width,
              y - region.y - 0.5f * region.height, region.height);
    view_tell_state(viewer, "zoom");
}

// -- Keys -----------------------------------------------------------------------------------

// A key without effect in the current mode.
static void tell_unused(view_state *viewer, const view_binding *binding)
{
    // Shift alone is usually followed by another key.
    if (binding->action == VIEW_NOTHING || binding->action == VIEW_FAST)
        return;
    view_notice(viewer, "%s: not %s", binding->help,
                view_mode_name(view_mode_of(viewer->document)));
    view_tell_state(viewer, "unused");
}

static void press_key(view_state *viewer, const SDL_Keysym *key, bool repeated)
{
    const bool shift = (key->mod & KMOD_SHIFT) != 0, control = (key->mod & KMOD_CTRL) != 0;
    const bool alt = (key->mod & (KMOD_ALT | KMOD_GUI)) != 0;
    view_browser *const browser = &viewer->ui.browser;
    if (!control && !alt && view_perform(viewer, view_key_browser(browser, key->sym, repeated)))
        return;
    const view_binding walk = view_find_binding(VIEW_MODE_MACHINE, key->sym, shift, control, alt);
    if (view_drives_clips(viewer, walk.action)) {
        view_drive(viewer, &walk, true);
        return;
    }
    const view_mode mode = view_mode_of(viewer->document);
    const view_binding binding = view_find_binding(mode, key->sym, shift, control, alt);
    if (binding.action == VIEW_NOTHING) {
        const view_binding elsewhere = view_find_anywhere(key->sym, shift, control, alt);
        tell_unused(viewer, &elsewhere);
        return;
    }
    if (view_is_driving(binding.action)) {
        view_drive(viewer, &binding, true);
        return;
    }
    if (binding.action == VIEW_FULL_SCREEN) {
        const Uint32 full = SDL_WINDOW_FULLSCREEN_DESKTOP;
        const bool is_full = (SDL_GetWindowFlags(viewer->window) & full) == full;
        SDL_SetWindowFullscreen(viewer->window, is_full ? 0 : full);
    }
    view_perform(viewer, (view_command){.action = binding.action});
}

// Also if the mode has changed since it was pressed.
static void let_go(view_state *viewer, const SDL_Keysym *key)
{
    const view_binding binding =
        view_find_binding(VIEW_MODE_MACHINE, key->sym, false, false, false);
    if (view_is_driving(binding.action))
        view_drive(viewer, &binding, false);
}

// -- Events ---------------------------------------------------------------------------------

void view_handle_event(view_state *viewer, const SDL_Event *event, bool *redraw)
{
    switch (event->type) {
    case SDL_QUIT:
        viewer->quit = true;
        break;
    case SDL_KEYDOWN:
        press_key(viewer, &event->key.keysym, event->key.repeat != 0);
        *redraw = true;
        break;
    case SDL_KEYUP:
        let_go(viewer, &event->key.keysym);
        break;
    case SDL_TEXTINPUT:
        *redraw = view_perform(viewer, view_type_browser(&viewer->ui.browser, event->text.text))
                  || *redraw;
        break;
    case SDL_MOUSEBUTTONDOWN:
        press(viewer, &event->button);
        *redraw = true;
        break;
    case SDL_MOUSEBUTTONUP:
        release(viewer);
        *redraw = true;
        break;
    case SDL_MOUSEMOTION:
        *redraw = move(viewer, &event->motion) || *redraw;
        break;
    case SDL_MOUSEWHEEL:
        turn_wheel(viewer, &event->wheel);
        *redraw = true;
        break;
    case SDL_DROPFILE:
        view_drop(viewer, event->drop.file);
        SDL_free(event->drop.file);
        view_tell_state(viewer, "drop");
        *redraw = true;
        break;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED)
            view_tell_state(viewer, "resize");
        *redraw = true;
        break;
    default:
        break;
    }
}
