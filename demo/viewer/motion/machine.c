// Plays a state machine in the viewer. Loads the machine with its player, which runs it. Advances
// it together with the machines of a companion and of a carried object. Passes keys, settings and
// the mouse pointer to its parameters, and records its events. `view_machine_motion` at the end
// describes the machine as a kind of motion; see motion.h.
#include "demo/viewer/motion/motion.h"

#include "demo/common/threads.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/motion/morphs.h"

// The character looks at the mouse pointer until the pointer has not moved for this time, seconds.
static const double max_still_seconds = 6;

// Maximum distance at which the character looks at a companion, in sizes of the character. If a
// companion is called from farther away, it restarts at its start placement.
static const float max_companion_distance = 1.5f;

// Maximum yaw of a target that has moved behind the character, degrees. Yaw 180 is directly behind
// it. The maximum is larger, so that the head does not change sides as soon as a target crosses
// this direction.
static const float max_yaw = 210;

// Height of the eyes as a fraction of the model's height.
static const float eye_height = 0.75f;

// Returns the index of a parameter, or MD5_NONE if the machine does not have it.
static uint32_t find_parameter(const view_machine *machine, const char *name)
{
    return md5_find_parameter(machine->character->machine, name);
}

void view_set_machine_parameter(const view_machine *machine, const char *name, float value)
{
    md5_player_set(machine->player, find_parameter(machine, name), value);
}

// Transforms a position in the world into the character's space: ahead, to the left, upward.
static md5_vec3 to_character_space(const view_machine *machine, md5_vec3 point)
{
    return md5_quat_rotate(md5_quat_conjugate(machine->placement.rotation),
                           md5_vec3_sub(point, machine->placement.translation));
}

// Returns the position of the eyes in the bind pose, in the character's space.
static md5_vec3 eye_position(const view_machine *machine)
{
    const md5_bounds bounds = machine->desc->model->bounds;
    const float height = bounds.min.z + eye_height * (bounds.max.z - bounds.min.z);
    return md5_vec3_add(machine->placement.translation, (md5_vec3){0, 0, height});
}

// Computes the direction from the eyes to a target in the world, degrees. Stores the yaw in
// machine->target_yaw, and returns the pitch. A target that crosses the direction directly behind
// the character would make the head swing from one side to the other. Therefore the yaw keeps its
// sign until the target is 30 degrees beyond this direction; see max_yaw.
static float aim_at(view_machine *machine, md5_vec3 target)
{
    md5_vec3 offset = to_character_space(machine, target);
    offset.z -= to_character_space(machine, eye_position(machine)).z;
    // Angles that differ by 360 degrees are equivalent. Use the one that is nearest to the last
    // yaw, if it is within the limit.
    const float yaw = view_degrees(atan2f(offset.y, offset.x));
    const float nearest_yaw = yaw + 360 * roundf((machine->target_yaw - yaw) / 360.0f);
    machine->target_yaw = fabsf(nearest_yaw) <= max_yaw ? nearest_yaw : yaw;
    return view_degrees(atan2f(offset.z, hypotf(offset.x, offset.y)));
}

// Passes the position of the companion to the parameters guest_ahead and guest_left. Returns true
// if the companion is near and in front of the character, which then looks at it.
static bool update_companion_parameters(view_machine *machine)
{
    if (machine->guest == NULL)
        return false;
    const md5_vec3 position = to_character_space(machine, machine->guest->placement.translation);
    view_set_machine_parameter(machine, "guest_ahead", position.x);
    view_set_machine_parameter(machine, "guest_left", position.y);
    const bool is_near = md5_vec3_length(position) < max_companion_distance * machine->reach;
    return is_near && position.x > 0;
}

// Sets the parameters of the gaze and of the companion before each step. The character looks at the
// mouse pointer. If the pointer has not moved for a while, it looks at a companion in front of it.
static void update_pointer_parameters(view_machine *machine)
{
    const double still_seconds = fabs(machine->time - machine->pointer_time);
    const bool has_pointer = machine->has_target && still_seconds < max_still_seconds;
    const bool has_visible_companion = update_companion_parameters(machine);
    const bool has_gaze_target = has_pointer || has_visible_companion;

    // Without a target, the angles become 0 once. Afterwards they are not written again, so that
    // the user can set them.
    if (!has_gaze_target && !machine->has_target_angles)
        return;
    machine->has_target_angles = has_gaze_target;
    float pitch = 0;
    if (has_pointer)
        pitch = aim_at(machine, machine->target);
    else if (has_visible_companion)
        pitch = aim_at(machine, eye_position(machine->guest));
    else
        machine->target_yaw = 0;
    view_set_machine_parameter(machine, "pointer", has_pointer ? 1 : 0);
    view_set_machine_parameter(machine, "eyes_yaw", machine->target_yaw);
    view_set_machine_parameter(machine, "eyes_pitch", pitch);
    view_set_machine_parameter(machine, "head_yaw", machine->target_yaw);
    view_set_machine_parameter(machine, "head_pitch", pitch);
}

// -- Machines ------------------------------------------------------------------------------------

// Rotation speed of a character whose machine cannot turn, so that the viewer rotates it; degrees
// per second.
static const float turn_rate = 150;

// Rate at which a parameter approaches the value that the keys request, per second.
static const float value_rate = 6;

// A one-shot is a clip that is played once over the states, in a slot. The constants are for
// one-shots that the viewer starts: the fade time in seconds, and the slot.
static const float one_shot_fade = 0.2f;
static const uint32_t one_shot_slot = 0;

// Maximum time that is simulated after a long pause, seconds.
enum { MAX_SECONDS = 600 };

// -- Loading -------------------------------------------------------------------------------------

// Loads the files of a character on all processors, because its clips take most of the time.
static md5_character *load_with_threads(const char *path, const md5_load_opts *opts,
                                        md5_error *error)
{
    md5_load_opts threaded = opts != NULL ? *opts : (md5_load_opts){0};
    const md5_threads *const threads = common_start_threads(0);
    threaded.threads = threads;
    md5_character *const character = md5_load_character(path, &threaded, error);
    common_stop_threads(threads);
    return character;
}

// Loads a state machine with its model and clips, and creates the player that runs it.
bool view_load_machine(view_machine *machine, const char *path, const md5_load_opts *opts,
                       view_log *log)
{
    md5_error error = {0};
    *machine = (view_machine){.placement = view_at_origin(), .start = view_at_origin()};
    machine->character = load_with_threads(path, opts, &error);
    if (machine->character != NULL)
        machine->player = md5_create_player(machine->character->machine, NULL, &error);
    if (machine->character == NULL || machine->player == NULL) {
        view_log_error(log, &error);
        view_free_machine(machine);
        return false;
    }
    machine->scratch = common_alloc(md5_player_pose_scratch(machine->character->machine), 1);
    machine->desc = md5_machine_tables(machine->character->machine);
    machine->reach = view_size(machine->character->model->bounds);
    return true;
}

// Frees the members of a machine: the player before the character, whose clips and state machine
// it uses.
void view_free_machine(view_machine *machine)
{
    md5_destroy_player(machine->player);
    md5_free_character(machine->character);
    free(machine->scratch);
    view_copy_settings(&machine->settings, NULL);
    *machine = (view_machine){0};
}

// Warns of a name that the changed machine file does not contain. `log` is a view_log.
static void warn_lost(void *log, const char *kind, const char *name)
{
    view_warn(log, "%s %s no longer exists; its effects were stopped", kind, name);
}

// Continues the playback of the old machine in the new machine. The viewer calls it when the
// machine file was changed and loaded again.
void view_migrate_machine(view_machine *machine, const view_machine *old, view_log *log)
{
    if (machine->player == NULL || old->player == NULL)
        return;
    // The members of view_machine from `time` to before `settings` are the playback state.
    const size_t first = offsetof(view_machine, time);
    md5_player_migrate(machine->player, old->player, warn_lost, log);
    memcpy((char *)machine + first, (const char *)old + first,
           offsetof(view_machine, settings) - first);
    machine->next_setting = old->next_setting;
}

// -- Parameters ----------------------------------------------------------------------------------

// Returns the index of the parameter that is trigger `number`, counted from 0 among all triggers.
// Returns -1 if there are fewer triggers.
int32_t view_find_trigger(const view_machine *machine, uint32_t number)
{
    const md5_machine_desc *const desc = machine->desc;
    uint32_t num_triggers = 0; // before parameter i
    for (uint32_t i = 0; i < desc->num_parameters; i++) {
        if (desc->parameters[i].kind != MD5_PARAMETER_TRIGGER)
            continue;
        if (num_triggers == number)
            return (int32_t)i;
        num_triggers++;
    }
    return -1;
}

bool view_can_walk(const view_machine *machine)
{
    return find_parameter(machine, "ahead") != MD5_NONE
           || find_parameter(machine, "speed") != MD5_NONE;
}

void view_stop_acting(view_machine *machine)
{
    machine->plays_demo = false;
}

void view_activate_parameter(view_machine *machine, uint32_t parameter)
{
    const bool is_trigger = machine->desc->parameters[parameter].kind == MD5_PARAMETER_TRIGGER;
    const bool is_set = md5_player_get(machine->player, parameter) != 0;
    md5_player_set(machine->player, parameter, is_trigger || !is_set ? 1.0f : 0.0f);
}

// Plays one-shot `index` of the machine, as its file defines it. Returns its name.
static const char *play_defined_one_shot(view_machine *machine, uint32_t index)
{
    const md5_one_shot_desc *const defined = &machine->desc->one_shots[index];
    md5_player_play_one_shot(machine->player, MD5_NONE, MD5_NONE, defined);
    return defined->name;
}

// Plays a clip of the machine once, with the default fades. Returns its name, or NULL if the clip
// is a single pose.
static const char *play_clip_once(view_machine *machine, uint32_t clip)
{
    const md5_one_shot_desc default_fades = {.fade_in = one_shot_fade, .fade_out = one_shot_fade};
    const md5_clip_desc *const desc = &machine->desc->clips[clip];
    if (desc->binding->anim->num_frames < 2)
        return NULL;
    md5_player_play_one_shot(machine->player, one_shot_slot, clip, &default_fades);
    return desc->name;
}

// Plays the next item of a cyclic list, which consists of the machine's one-shots and then its
// clips. Repeated calls thus play all of them.
const char *view_play_one_shot(view_machine *machine)
{
    const uint32_t num_one_shots = machine->desc->num_one_shots;
    const uint32_t count = num_one_shots + machine->desc->num_clips;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t item = machine->next_one_shot % count;
        machine->next_one_shot++;
        const char *name;
        if (item < num_one_shots)
            name = play_defined_one_shot(machine, item);
        else
            name = play_clip_once(machine, item - num_one_shots);
        if (name != NULL)
            return name;
    }
    return NULL;
}

// Extends the range from *low to *high by `value` if `name` is the name of the parameter. `name` is
// the parameter that a condition or a blend of the machine uses together with `value`, or NULL.
static void widen(const char *name, const char *parameter, float value, float *low, float *high)
{
    if (name == NULL || strcmp(name, parameter) != 0)
        return;
    *low = fminf(*low, value);
    *high = fmaxf(*high, value);
}

// Returns the value of the parameter at which a 1D blend plays only this item. This is the item's
// declared position, or the speed of its clip if the blend selects items by speed.
static float item_x(const md5_machine *machine, uint32_t motion, uint32_t item)
{
    const md5_motion_desc *const desc = &md5_machine_tables(machine)->motions[motion];
    return desc->kind == MD5_MOTION_BY_SPEED ? md5_machine_item_speed(machine, motion, item)
                                             : desc->items[item].x;
}

// Extends the range of a parameter by the values with which the conditions of a transition compare
// it. The factor 1.5 lets the slider pass these values, so that the condition can become true.
static void widen_by_conditions(const md5_transition_desc *transition, const char *parameter,
                                float *low, float *high)
{
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        const md5_condition *const condition = &transition->conditions[i];
        if (condition->kind == MD5_WHEN_PARAMETER)
            widen(condition->parameter, parameter, 1.5f * condition->value, low, high);
    }
}

// Extends the range of a parameter by the values at which a motion uses it. These are the positions
// of items in a blend space, weights up to 1, and speeds up to twice the normal speed.
static void widen_by_motion(const md5_machine *machine, uint32_t index, const char *parameter,
                            float *low, float *high)
{
    const md5_motion_desc *const motion = &md5_machine_tables(machine)->motions[index];
    for (uint32_t k = 0; k < motion->num_items; k++) {
        const md5_motion_item *const item = &motion->items[k];
        widen(motion->x_parameter, parameter, item_x(machine, index, k), low, high);
        widen(motion->y_parameter, parameter, item->y, low, high);
        widen(item->weight_parameter, parameter, 1, low, high);
    }
    widen(motion->speed_parameter, parameter, 2, low, high);
}

// Estimates the limits of the slider for a parameter. The range contains 0 and all values at which
// the machine uses the parameter; for an unused parameter it is 0 to 1.
void view_parameter_range(const md5_machine *machine, const char *parameter, float *low,
                          float *high)
{
    const md5_machine_desc *const desc = md5_machine_tables(machine);
    *low = 0;
    *high = 0;
    for (uint32_t i = 0; i < desc->num_motions; i++)
        widen_by_motion(machine, i, parameter, low, high);
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        const md5_layer_desc *const layer = &desc->layers[i];
        widen(layer->weight_parameter, parameter, 1, low, high);
        for (uint32_t k = 0; k < layer->num_transitions; k++)
            widen_by_conditions(&layer->transitions[k], parameter, low, high);
    }
    if (*low == *high)
        *high = 1;
}

// -- Active clips --------------------------------------------------------------------------------

// Marks the clip and the motions with this name. A motion is a named blend of clips or other
// motions. States and items of blends refer to both by their names. `name` may be NULL.
static void mark_by_name(const view_machine *machine, const char *name, bool *clips, bool *motions)
{
    if (name == NULL)
        return;
    const uint32_t clip = md5_find_clip(machine->character->machine, name);
    if (clip != MD5_NONE)
        clips[clip] = true;
    for (uint32_t i = 0; i < machine->desc->num_motions; i++)
        motions[i] = motions[i] || strcmp(machine->desc->motions[i].name, name) == 0;
}

// -- Time ----------------------------------------------------------------------------------------

// Returns true if a companion is in its first state and far away from its host.
static bool is_companion_away(const view_machine *companion, const view_machine *host)
{
    const md5_vec3 offset =
        md5_vec3_sub(companion->placement.translation, host->placement.translation);
    return md5_player_layer(companion->player, 0).state == 0
           && md5_vec3_length(offset) > max_companion_distance * host->reach;
}

// Fires the trigger of another machine that has the same name as a clip's event. If this machine is
// a companion that is away, it first returns to its start placement. `listener` may be NULL.
static void notify_machine(view_machine *listener, const md5_event *event)
{
    if (listener == NULL)
        return;
    const uint32_t parameter = find_parameter(listener, event->name);
    if (parameter == MD5_NONE
        || listener->desc->parameters[parameter].kind != MD5_PARAMETER_TRIGGER)
        return;
    const view_machine *const host = listener->host;
    if (host != NULL && is_companion_away(listener, host))
        listener->placement = md5_xform_mul(host->placement, listener->start);
    md5_player_set(listener->player, parameter, 1);
}

// Receives an event from a player, and adds it to the list of events that the interface shows. An
// event of a clip also fires the triggers of the same name in the companion and the carried object.
// `user` is the machine of the player.
static void record_event(void *user, md5_player *player, const md5_event *event, float weight)
{
    static const char *const descriptions[] = {
        [MD5_EVENT_CLIP] = "",
        [MD5_EVENT_ENTER] = "enter ",
        [MD5_EVENT_LEAVE] = "leave ",
        [MD5_EVENT_TRANSITION_END] = "transition ends: ",
        [MD5_EVENT_CLIP_END] = "clip ends: ",
        [MD5_EVENT_BEGIN] = "begin ",
        [MD5_EVENT_END] = "end ",
    };
    (void)player;
    view_machine *const machine = user;
    // A clip with a small weight is hardly visible, so its events are ignored. Begin and end events
    // are never ignored, because an ignored end would leave its begin without an end.
    const bool is_paired = event->kind >= MD5_EVENT_BEGIN;
    if (weight < 0.1f && !is_paired)
        return;
    if (event->kind == MD5_EVENT_CLIP) {
        notify_machine(machine->guest != NULL ? machine->guest : machine->host, event);
        notify_machine(machine->carried, event);
    }
    char *const text = view_push_event(machine->events, machine->time);
    snprintf(text, sizeof machine->events[0].text, "%s%s %s", descriptions[event->kind],
             event->name, event->text != NULL ? event->text : "");
}

// Moves a parameter towards the value that the pressed keys request, by the fraction `step` of the
// difference. Without a key (`direction` 0), the requested value is 0. Otherwise it is the fraction
// `reach` of the minimum (`direction` -1) or maximum (1) of the parameter's range.
//
// *is_steered is true from the first key until the parameter has returned to 0. While it is false,
// the parameter is not changed, so that the user can set it. Returns false if the parameter does
// not exist.
static bool steer(view_machine *machine, const char *name, int direction, float reach, float step,
                  bool *is_steered)
{
    const uint32_t parameter = find_parameter(machine, name);
    if (parameter == MD5_NONE)
        return false;
    *is_steered = *is_steered || direction != 0;
    if (!*is_steered)
        return true;

    float low, high;
    view_parameter_range(machine->character->machine, name, &low, &high);
    float requested = 0;
    if (direction > 0)
        requested = reach * high;
    else if (direction < 0)
        requested = reach * low;

    const float current = md5_player_get(machine->player, parameter);
    float next = requested; // exactly, also with rounding
    if (step < 1)
        next = current + (requested - current) * step;
    const bool is_near_zero = fabsf(next) < 0.01f * (high - low);
    if (direction == 0 && is_near_zero) {
        next = 0;
        *is_steered = false;
    }
    md5_player_set(machine->player, parameter, next);
    return true;
}

// Returns true if the machine has the parameter "turn", in degrees per second to the left. The
// clips of the machine then rotate the character. Otherwise the viewer rotates it.
static bool has_turn_parameter(const view_machine *machine)
{
    return find_parameter(machine, "turn") != MD5_NONE;
}

// Sets the parameters of the option --set whose times have come.
static void apply_due_settings(view_machine *machine)
{
    const view_settings *const settings = &machine->settings;
    while (machine->next_setting < settings->count
           && settings->rows[machine->next_setting].time <= machine->time) {
        const view_setting *const setting = &settings->rows[machine->next_setting];
        view_set_machine_parameter(machine, setting->parameter, setting->value);
        machine->next_setting++;
    }
}

// Moves the parameters that control walking by the pressed keys, for a time step of `seconds`.
// Parameters approach their values exponentially, so that starts and stops are smooth. If the
// machine does not have a parameter for sideways motion, the side keys rotate the character.
static void apply_keys(view_machine *machine, float seconds)
{
    view_control *const control = &machine->control;
    const float reach = control->fast ? 1 : 0.5f; // fraction of the maximum speed
    if (has_turn_parameter(machine)) {
        // The machine makes its own transitions, so it receives the requested values in one step.
        // Backward, it walks at its maximum speed.
        const float speed_reach = control->ahead > 0 ? reach : 1;
        steer(machine, "speed", control->ahead, speed_reach, 1, &control->moves_ahead);
        steer(machine, "turn", -control->side, 1, 1, &control->moves_side);
        return;
    }

    const float step = 1 - expf(-value_rate * seconds);
    if (!steer(machine, "ahead", control->ahead, reach, step, &control->moves_ahead))
        steer(machine, "speed", control->ahead, reach, step, &control->moves_ahead);
    if (!steer(machine, "side", control->side, reach, step, &control->moves_side)) {
        const float angle = view_radians(-turn_rate * (float)control->side * seconds);
        machine->placement.rotation = view_rotate_about_z(machine->placement.rotation, angle);
    }
}

enum { MAX_GROUP = 3 };

// The machines that advance together, in this order: a machine, its companion and its carried
// object. The last two may be NULL.
typedef struct machine_group {
    view_machine *machines[MAX_GROUP];
} machine_group;

// Returns the machines that advance with `host`, including itself.
static machine_group find_group(view_machine *host)
{
    return (machine_group){{host, host->guest, host->carried}};
}

// Advances a machine, its companion and its carried object by a time step. The step is negative if
// time moves backward.
static void advance_machines(view_machine *host, double seconds)
{
    const machine_group group = find_group(host);
    for (int i = 0; i < MAX_GROUP; i++) {
        view_machine *const machine = group.machines[i];
        if (machine == NULL)
            continue;
        apply_due_settings(machine);
        if (machine->plays_demo)
            view_run_demo_acts(machine);
        apply_keys(machine, (float)fabs(seconds));
        update_pointer_parameters(machine);
        machine->time += seconds;
        md5_player_advance(machine->player, seconds, record_event, machine);
        machine->placement =
            md5_xform_mul(machine->placement, md5_player_root_motion(machine->player));
    }
}

// Returns a machine, its companion and the carried object to their state at time 0.
void view_restart_machine(view_machine *host)
{
    const machine_group group = find_group(host);
    for (int i = 0; i < MAX_GROUP; i++) {
        view_machine *const machine = group.machines[i];
        if (machine == NULL)
            continue;
        md5_player_reset(machine->player);
        machine->time = 0;
        machine->placement = machine->start;
        machine->next_setting = 0;
        machine->next_act = 0;
        machine->next_one_shot = 0;
        machine->pointer_time = 0;
        machine->target_yaw = 0;
        memset(machine->events, 0, sizeof machine->events);
    }
}

// Advances the machine to a time in steps of at most 1/60 s. Long steps at low frame rates would
// delay transitions and events.
void view_run_machine(view_machine *machine, double time)
{
    // A short time backward is played in reverse. After a longer jump, the machine restarts.
    const double step = 1.0 / (double)VIEW_STEPS_PER_SECOND;
    const double max_reverse = 4 * step;
    if (time < machine->time - max_reverse)
        view_restart_machine(machine);
    // After a long pause, only the last MAX_SECONDS are simulated.
    if (time > machine->time + (double)MAX_SECONDS)
        machine->time = time - (double)MAX_SECONDS;

    while (fabs(time - machine->time) > step)
        advance_machines(machine, time > machine->time ? step : -step);
    const double remainder = time - machine->time;
    if (remainder != 0)
        advance_machines(machine, remainder);
}

// -- Pose ----------------------------------------------------------------------------------------

// Returns a point on an ellipse in front of the model. In sizes of the model, it is 0.8 ahead of
// the center, moves 0.35 to each side, and 0.12 up and down. One round takes about five seconds.
md5_vec3 view_orbiting_target(const md5_model *model, double time)
{
    const float angle = (float)fmod(time * 1.3, 2 * VIEW_PI);
    const float reach = view_size(model->bounds);
    return md5_vec3_add(view_center(model->bounds),
                        (md5_vec3){0.8f * reach, 0.35f * reach * sinf(angle),
                                   0.12f * reach * (0.8f + cosf(angle))});
}

// Returns the point at which the character looks or reaches, in its own space. A companion looks at
// the eyes of its host. If the mouse has not set a target, the point circles in front of the face.
static md5_vec3 find_target(const view_machine *machine)
{
    if (machine->host != NULL)
        return to_character_space(machine, eye_position(machine->host));
    if (machine->has_target)
        return to_character_space(machine, machine->target);
    return view_orbiting_target(machine->desc->model, machine->time);
}

// Passes targets to the machine's modifiers. A modifier changes the pose after the clips were
// blended. Modifiers that look or reach receive the target of the character. Springs are simulated
// in world space, so they receive the placement. Joint modifiers are skipped, because the user
// rotates them.
static void set_modifier_targets(view_machine *machine)
{
    const md5_vec3 target = find_target(machine);
    for (uint32_t i = 0; i < machine->desc->num_modifiers; i++) {
        const md5_modifier_kind kind = machine->desc->modifiers[i].kind;
        if (kind == MD5_MODIFIER_JOINT)
            continue;
        const bool is_spring = kind == MD5_MODIFIER_SPRING;
        md5_target *const modifier_target = md5_player_target(machine->player, i);
        modifier_target->position = is_spring ? machine->placement.translation : target;
        modifier_target->rotation = machine->placement.rotation;
    }
}

// Computes the pose of a machine, and moves it to the placement of the character.
void view_pose_machine(view_machine *machine, uint32_t num_joints, md5_xform *pose,
                       md5_mat34 *joints, md5_mat34 *palette)
{
    set_modifier_targets(machine);
    md5_player_pose(machine->player, pose, joints, palette, machine->scratch);
    const md5_mat34 world_from_character = md5_mat34_from_xform(machine->placement);
    view_move_matrices(world_from_character, joints, num_joints);
    view_move_matrices(world_from_character, palette, num_joints);
}

// -- Kind of motion ------------------------------------------------------------------------------

static bool has_machine(const view_scene *scene)
{
    return scene->machine.player != NULL;
}

// Implements md5_ground_fn, which a machine with its own foot placement calls. Sets the height of
// the ground below an ankle, in the character's space. `user` is the scene.
static void get_foot_ground(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot)
{
    (void)player;
    const view_scene *const scene = user;
    const md5_xform *const placement = &scene->machine.placement;
    foot->floor = 0;
    if (scene->terrain.kind == VIEW_LEVEL)
        return;
    const md5_vec3 ankle_in_world = md5_xform_point(*placement, ankle);
    foot->floor = view_ground_height(&scene->terrain, ankle_in_world.x, ankle_in_world.y)
                  - placement->translation.z;
}

// Returns true if a modifier of the machine places the feet on the ground.
static bool has_foot_placement(const view_machine *machine)
{
    for (uint32_t i = 0; i < machine->desc->num_modifiers; i++) {
        if (machine->desc->modifiers[i].kind == MD5_MODIFIER_FEET)
            return true;
    }
    return false;
}

// Poses the scene by its state machine: joints, palette and morph weights, in the world. On level
// ground, the user can rotate the model. On terrain, its feet are placed on the ground.
static void pose_scene(view_scene *scene, const view_play *play)
{
    view_machine *const machine = &scene->machine;
    view_run_machine(machine, play->time);
    md5_player_set_ground(machine->player, get_foot_ground, scene);
    view_pose_machine(machine, scene->num_joints, scene->pose, scene->joints, scene->palette);
    if (scene->morphs != NULL)
        view_drive_morphs(scene->morphs, machine->player, scene->morphs->reported,
                          scene->morphs->weights);
    if (scene->terrain.kind == VIEW_LEVEL)
        view_rotate_pose(scene, &machine->placement);
    else if (!has_foot_placement(machine))
        view_pose_feet(scene, &machine->placement, play->time);
}

static md5_xform get_placement(const view_scene *scene)
{
    return scene->machine.placement;
}

// Returns a clip by its index, to measure the bounds of the scene. Returns NULL if the machine does
// not have this clip; the bind pose is measured then.
static const md5_anim *get_clip(const view_scene *scene, uint32_t clip)
{
    const md5_character *const character = scene->machine.character;
    return clip < character->num_clips ? character->anims[clip] : NULL;
}

// Poses a frame of a clip to measure its bounds. If the machine extracts the root motion of the
// clip, the pose stays at the origin. In the scene this motion moves the character, and the camera
// follows it, so it must not enlarge the bounds.
static void pose_frame(view_scene *scene, uint32_t clip, uint32_t frame)
{
    const md5_sample_position begin = {0};
    const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
    const md5_character *const character = scene->machine.character;
    if (clip >= character->num_clips) {
        view_pose_at(scene, &sample);
        return;
    }
    md5_sample(character->bindings[clip], sample, MD5_ROOT_FILE, scene->pose);
    const md5_root_extraction extraction = scene->machine.desc->clips[clip].root_extraction;
    if (extraction != MD5_ROOT_EXTRACTION_NONE) {
        const md5_vec3 motion = md5_anim_root_motion(character->anims[clip], begin, sample);
        scene->pose[0].translation.x -= motion.x;
        scene->pose[0].translation.y -= motion.y;
    }
    md5_local_to_palette(scene->model, scene->pose, scene->joints, scene->palette);
    view_rotate_pose(scene, NULL);
}

static void describe(const view_scene *scene, char *text, size_t size)
{
    const uint32_t count = scene->machine.desc->num_clips;
    snprintf(text, size, "state machine  \xE2\x80\xA2  %u clip%s", count, count == 1 ? "" : "s");
}

// Returns the parameter that selects the items of a 1D blend. Returns MD5_NONE for a motion of
// another kind.
static uint32_t find_blend_parameter(const view_machine *machine, const md5_motion_desc *motion)
{
    const bool is_1d = motion->kind == MD5_MOTION_BLEND_1D || motion->kind == MD5_MOTION_BY_SPEED;
    return is_1d ? find_parameter(machine, motion->x_parameter) : MD5_NONE;
}

// Returns true if an item of a 1D blend has a weight greater than 0 at a value of the parameter.
// This is the case if the value is between the positions of the item's neighbors.
static bool has_item_weight(const md5_machine *machine, uint32_t motion, uint32_t item, float value)
{
    const uint32_t num_items = md5_machine_tables(machine)->motions[motion].num_items;
    const bool is_first = item == 0;
    const bool is_last = item + 1 == num_items;
    const bool is_above_previous = is_first || value > item_x(machine, motion, item - 1);
    const bool is_below_next = is_last || value < item_x(machine, motion, item + 1);
    return is_above_previous && is_below_next;
}

// Marks the clips and the motions that a motion plays: its clip, and its items. In a 1D blend, only
// the items with a weight play.
static void mark_items(const view_machine *machine, uint32_t index, bool *clips, bool *motions)
{
    const md5_machine *const tables = machine->character->machine;
    const md5_motion_desc *const motion = &machine->desc->motions[index];
    const uint32_t parameter = find_blend_parameter(machine, motion);
    float value = 0;
    if (parameter != MD5_NONE)
        value = md5_player_get(machine->player, parameter);

    mark_by_name(machine, motion->clip, clips, motions);
    for (uint32_t j = 0; j < motion->num_items; j++) {
        if (parameter == MD5_NONE || has_item_weight(tables, index, j, value))
            mark_by_name(machine, motion->items[j].motion, clips, motions);
    }
}

// Marks the clips and motions of the current states of all layers. A layer that fades also plays
// the state from which it fades, so this state is marked too.
static void mark_states(const view_machine *machine, bool *clips, bool *motions)
{
    for (uint32_t i = 0; i < machine->desc->num_layers; i++) {
        const md5_layer_status status = md5_player_layer(machine->player, i);
        const md5_state_desc *const states = machine->desc->layers[i].states;
        if (status.weight <= 0)
            continue;
        mark_by_name(machine, states[status.state].motion, clips, motions);
        if (status.from != MD5_NONE)
            mark_by_name(machine, states[status.from].motion, clips, motions);
    }
}

// Marks the clips that play as one-shots. A machine without slots has one slot.
static void mark_one_shots(const view_machine *machine, bool *clips)
{
    for (uint32_t i = 0; i <= machine->desc->num_slots; i++) {
        const md5_one_shot_status one_shot = md5_player_one_shot(machine->player, i);
        if (one_shot.weight > 0)
            clips[one_shot.clip] = true;
    }
}

// Marks the clips of the marked motions. A motion may contain motions that are before or after it,
// so the loop repeats until no new motion is found.
static void mark_clips_of_motions(const view_machine *machine, bool *clips, bool *motions)
{
    const uint32_t num_motions = machine->desc->num_motions;
    bool *const done = common_alloc(num_motions, sizeof *done);
    bool has_new = true;
    while (has_new) {
        has_new = false;
        for (uint32_t i = 0; i < num_motions; i++) {
            if (!motions[i] || done[i])
                continue;
            mark_items(machine, i, clips, motions);
            done[i] = true;
            has_new = true;
        }
    }
    free(done);
}

// Finds the clips that contribute to the pose: in the states of the layers and as one-shots.
bool *view_active_clips(const view_machine *machine)
{
    bool *const clips = common_alloc(machine->desc->num_clips, sizeof *clips);
    bool *const motions = common_alloc(machine->desc->num_motions, sizeof *motions);
    mark_states(machine, clips, motions);
    mark_one_shots(machine, clips);
    mark_clips_of_motions(machine, clips, motions);
    free(motions);
    return clips;
}

// Writes the position of the character, the state of each layer, and the one-shot of each slot. An
// idle slot is written as "-". Example: "machine: position=0.000,1.500 states=walk,aim
// one-shots=-".
static void write_log_line(const view_scene *scene, char *text, size_t size)
{
    const view_machine *const machine = &scene->machine;
    const md5_machine_desc *const desc = machine->desc;
    const md5_vec3 position = machine->placement.translation;

    char states[256] = "";
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        const uint32_t state = md5_player_layer(machine->player, i).state;
        common_append(states, sizeof states, ",", "%s", desc->layers[i].states[state].name);
    }

    // A machine that does not declare slots has one slot.
    const uint32_t num_slots = desc->num_slots > 0 ? desc->num_slots : 1;
    char one_shots[256] = "";
    for (uint32_t i = 0; i < num_slots; i++) {
        const md5_one_shot_status one_shot = md5_player_one_shot(machine->player, i);
        common_append(one_shots, sizeof one_shots, ",", "%s",
                      one_shot.is_playing ? desc->clips[one_shot.clip].name : "-");
    }

    snprintf(text, size, "machine: position=%.3f,%.3f states=%s one-shots=%s", position.x,
             position.y, states, one_shots);
}

// Returns the controls of the machine. The first pressed key ends the demo scene.
static view_control *take_control(view_scene *scene, bool down)
{
    if (down)
        view_stop_acting(&scene->machine);
    return &scene->machine.control;
}

// Lets the character look at the mouse pointer, until the pointer has not moved for some seconds.
static void point(view_scene *scene, md5_vec3 target)
{
    scene->machine.target = target;
    scene->machine.has_target = true;
    scene->machine.pointer_time = scene->machine.time;
}

static void click(view_scene *scene)
{
    view_set_machine_parameter(&scene->machine, "click", 1);
}

// Sets the time to the machine's time, which did not advance while the bind pose was shown.
static void resume(const view_scene *scene, view_play *play)
{
    play->time = scene->machine.time;
}

const view_motion_kind view_machine_motion = {
    .name = "machine",
    .clip_use = VIEW_CLIP_UNUSED,
    .mode = VIEW_MODE_MACHINE,
    .moves_alone = true,
    .ending = ".md5machine",
    .moves = has_machine,
    .pose = pose_scene,
    .placement = get_placement,
    .clip = get_clip,
    .pose_frame = pose_frame,
    .describe = describe,
    .write_log_line = write_log_line,
    .take_control = take_control,
    .point = point,
    .click = click,
    .resume = resume,
};
