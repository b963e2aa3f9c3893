// Events of the mouse and of touch screens: presses and drags of panels, the camera, the stick and
// limbs of a ragdoll; clicks that select a point of the body; the wheel.
//
// The stick is a joystick that is drawn on touch screens. The interface is all panels together.
#include "demo/viewer/app/mouse.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/capture.h"

// == Points of the body ===========================================================================

view_pick view_find_pick_at(view_state *viewer, float x, float y)
{
    const view_lens lens = view_current_lens(viewer);
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

    const view_stage stage = view_current_stage(viewer);
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
    selection->pick = view_find_pick_at(viewer, x, y);
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
    viewer->ui.selection.measured = view_find_pick_at(viewer, x, y);
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

// == Drags and clicks =============================================================================

float view_mouse_scale(const view_state *viewer)
{
    int width;
    int height;
    view_window_points(viewer->window, &width, &height);
    return width > 0 ? (float)viewer->width / (float)width : 1;
}

// Begins to drag the stick if the pixel (x, y) of the press is on it. Returns false otherwise.
static bool hold_stick(view_state *viewer, float x, float y)
{
    const view_stage stage = view_current_stage(viewer);
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
        const view_menu_entry *const entry = view_find_control(key.key);
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
    const view_lens lens = view_current_lens(viewer);
    const md5_ray ray = view_lens_ray(&lens, x, y, (float)viewer->width, (float)viewer->height);
    const md5_vec3 direction = md5_vec3_normalize(ray.direction, lens.axes.back);
    return view_grasp(fall, ray.origin, view_along(ray.origin, direction, ray_length));
}

// Drags the grasped limb of the ragdoll to the pixel (x, y). The mouse has no depth. Therefore the
// limb moves in the plane through the grasped point that is parallel to the image.
static void drag_limb(view_state *viewer, float x, float y)
{
    view_fall *const fall = viewer->document->scene.fall;
    const view_lens lens = view_current_lens(viewer);
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
    const view_stage stage = view_current_stage(viewer);
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

void view_press_button(view_state *viewer, const view_input *event)
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
        view_pan(camera, right, down, view_current_stage(viewer).region.height);
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
    const view_stage stage = view_current_stage(viewer);
    const ui_mouse mouse = {.x = event->x, .y = event->y, .is_moved = true};
    const bool is_used =
        view_execute(viewer, view_run_ui(&viewer->ui, &viewer->panels, &stage, &mouse));
    if (is_used && !is_held)
        return true;
    view_point_mover(viewer, event->x, event->y);
    return is_held;
}

bool view_move_pointer(view_state *viewer, const view_input *event)
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

    const view_pick pick = view_find_pick_at(viewer, x, y);
    if (pick.is_set) {
        viewer->ui.selection.pick = pick;
        viewer->ui.selection.joint = pick.joint;
    }
    view_open_context(viewer, &pick, x, y);
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
    const bool has_moved = viewer->input.press_travel >= 4 * view_mouse_scale(viewer);
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

void view_release_button(view_state *viewer, const view_input *event)
{
    static const char *const drag_names[] = {"none",  "orbit",  "pan",    "zoom",
                                             "stick", "finger", "scroll", "limb"};
    lift_finger(viewer, event);
    const char *const held_panel = viewer->ui.held;
    viewer->ui.active.panel = viewer->ui.held = NULL;
    const view_stage stage = view_current_stage(viewer);
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

void view_scroll_wheel(view_state *viewer, const view_input *event)
{
    const float zoom_per_step = 1.15f;
    const view_stage stage = view_current_stage(viewer);
    const ui_mouse mouse = {.x = event->x, .y = event->y, .wheel = event->wheel};
    if (view_execute(viewer, view_run_ui(&viewer->ui, &viewer->panels, &stage, &mouse)))
        return;

    leave_camera_path(viewer);
    const view_rect region = view_current_stage(viewer).region;
    const float from_center_x = event->x - region.x - 0.5f * region.width;
    const float from_center_y = event->y - region.y - 0.5f * region.height;
    view_zoom(&viewer->cameras.user, powf(zoom_per_step, event->wheel), from_center_x,
              from_center_y, region.height);
    view_log_state(viewer, "zoom");
}
