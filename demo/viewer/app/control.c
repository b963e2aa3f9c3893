// Control of a character by keys, and its reaction to the mouse.
//
// A mover is the kind of motion that moves the model by the keys of the user, for example a state
// machine (view_motion_kind).
#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"

// Makes the controlled character look and reach towards the mouse. The mover needs a point in the
// scene. Therefore the mouse position is unprojected with an assumed depth.
void view_point_mover(view_state *viewer, float x, float y)
{
    view_scene *const scene = &viewer->document->scene;
    const view_motion_kind *const mover = view_get_mover(scene);
    if (mover->point == NULL || view_current_stage(viewer).plays_demo)
        return;

    // Mouse position relative to the axis of the lens. 1 is half of the width or of the height.
    const view_lens lens = view_current_lens(viewer);
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
