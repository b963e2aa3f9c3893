#include "demo/viewer/app/drive.h"

#include "demo/viewer/app/tell.h"
#include "demo/viewer/motion/machine.h"

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
