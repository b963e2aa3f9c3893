#include "demo/viewer/scene/pointer.h"

#include "demo/viewer/base/math.h"

// For how long a pointer that is still is looked at, seconds.
static const double most_still = 6.0;

// How far to one side a direction can be that came there on that side, degrees.
static const float most_yaw = 210.0f;

// Height of the eyes, as a share of the height of the model.
static const float eye_height = 0.75f;

static void set(view_machine *machine, const char *name, float value)
{
    const int32_t parameter = md5_find_parameter(machine->character->machine, name);
    if (parameter >= 0)
        (void)md5_player_set(machine->player, (uint32_t)parameter, value);
}

// A position in the world as the character sees it: its own axes, from where it stands.
static md5_vec3 seen_from(const view_machine *machine, md5_vec3 point)
{
    const md5_quat turn = machine->place.rotation;
    return md5_quat_rotate((md5_quat){-turn.x, -turn.y, -turn.z, turn.w},
                           md5_vec3_sub(point, machine->place.translation));
}

// The same direction as `yaw` on the side of the last one, if it is not too far on that side.
static float nearest_yaw(float yaw, float last)
{
    const float near = yaw + 360.0f * roundf((last - yaw) / 360.0f);
    return fabsf(near) <= most_yaw ? near : yaw;
}

static void set_direction(view_machine *machine, float yaw, float pitch)
{
    set(machine, "eyes_yaw", yaw);
    set(machine, "eyes_pitch", pitch);
    set(machine, "head_yaw", yaw);
    set(machine, "head_pitch", pitch);
}

void view_point_at(view_machine *machine, md5_vec3 target)
{
    machine->target = target;
    machine->has_target = true;
    machine->pointed = machine->time;
}

void view_tell_pointer(view_machine *machine)
{
    const bool is_there =
        machine->has_target && fabs(machine->time - machine->pointed) < most_still;
    if (machine->guest != NULL) {
        const md5_vec3 at = seen_from(machine, machine->guest->place.translation);
        set(machine, "guest_ahead", at.x);
        set(machine, "guest_left", at.y);
    }
    if (!is_there && !machine->is_told)
        return;
    machine->is_told = is_there;
    set(machine, "pointer", is_there ? 1.0f : 0.0f);
    if (!is_there) {
        machine->told_yaw = 0.0f;
        set_direction(machine, 0.0f, 0.0f);
        return;
    }
    const md5_bounds bounds = machine->desc->model->bounds;
    md5_vec3 to = seen_from(machine, machine->target);
    to.z -= bounds.min.z + eye_height * (bounds.max.z - bounds.min.z);
    machine->told_yaw = nearest_yaw(view_degrees(atan2f(to.y, to.x)), machine->told_yaw);
    set_direction(machine, machine->told_yaw, view_degrees(atan2f(to.z, hypotf(to.x, to.y))));
}

void view_click_machine(view_machine *machine)
{
    set(machine, "click", 1.0f);
}
