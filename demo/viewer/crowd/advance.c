// Advances the members of a crowd: selects their behavior, moves them, and selects their levels of
// detail.
#include "demo/viewer/crowd/crowd.h"

static const float speed_rate = 2; // rate at which the speed approaches target_speed, 1/s

// Turn rate of a member at the border, in radians per second.
static const float border_turn_rate = 1.2f;

float view_next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (float)(*state >> 40) / (float)(1 << 24);
}

// Selects the behavior of a member with a machine until a random time. The member fires a trigger
// of the machine, or gets a target speed at which it stands, walks or runs. A member that talks to
// its group only fires triggers.
static void choose_behavior(const view_crowd *crowd, view_member *member)
{
    enum { TRIGGER, STAND, NUM_CHOICES = 4 }; // the other choices are to move
    const float walking_chance = 0.75f;       // otherwise the member runs
    const float walking_speed = 0.36f;        // relative to the maximum
    const md5_machine *const machine = crowd->kinds[member->kind].machine;
    const md5_machine_desc *const desc = md5_machine_tables(machine);
    const uint32_t choice = (uint32_t)(view_next_random(&member->random) * (float)NUM_CHOICES);
    member->next_choice = crowd->time + 1.5 + 4 * (double)view_next_random(&member->random);
    const float random = view_next_random(&member->random); // selects the trigger or the speed

    const bool fires_trigger = choice == TRIGGER || member->talks;
    if (fires_trigger && desc->num_parameters > 0) {
        const float position = random * (float)desc->num_parameters;
        const uint32_t parameter = (uint32_t)position % desc->num_parameters;
        if (desc->parameters[parameter].kind == MD5_PARAMETER_TRIGGER)
            md5_player_set(member->player, parameter, 1);
        return;
    }
    if (choice == STAND) {
        member->target_speed = 0;
        return;
    }
    float min_speed;
    float max_speed;
    view_parameter_range(machine, "speed", &min_speed, &max_speed);
    const float relative_speed = random < walking_chance ? walking_speed : 1;
    member->target_speed = relative_speed * max_speed;
}

// Moves the parameter `speed` of a member's machine towards the target speed.
static void approach_target_speed(const view_member *member, const md5_machine *machine,
                                  float seconds)
{
    const uint32_t speed = md5_find_parameter(machine, "speed");
    if (speed == MD5_NONE)
        return;
    const float current = md5_player_get(member->player, speed);
    const float part = fminf(speed_rate * seconds, 1);
    md5_player_set(member->player, speed, current + (member->target_speed - current) * part);
}

// Rotates a member that has left the square of the crowd back towards the middle.
static void rotate_inward(const view_crowd *crowd, view_member *member, float seconds)
{
    const md5_vec3 position = member->placement.translation; // relative to the middle
    const float distance = fmaxf(fabsf(position.x), fabsf(position.y));
    if (distance < crowd->spread)
        return;
    const md5_vec3 ahead = md5_quat_rotate(member->placement.rotation, (md5_vec3){1, 0, 0});
    const float side = ahead.x * position.y - ahead.y * position.x; // > 0: the middle is right
    const float rate = side > 0 ? -border_turn_rate : border_turn_rate;
    member->placement.rotation = view_rotate_about_z(member->placement.rotation, rate * seconds);
}

// Passes the placement of a member to the springs of its machine, because springs are simulated in
// world space. Returns true if the machine has springs.
static bool move_springs(const view_member *member, const md5_machine_desc *desc)
{
    bool has_springs = false;
    for (uint32_t i = 0; i < desc->num_modifiers; i++) {
        if (desc->modifiers[i].kind != MD5_MODIFIER_SPRING)
            continue;
        md5_target *const target = md5_player_target(member->player, i);
        target->position = member->placement.translation;
        target->rotation = member->placement.rotation;
        has_springs = true;
    }
    return has_springs;
}

// Advances a member with a player by the time since its last update. Selects its behavior, advances
// its machine, and moves the member. Returns true if the machine has springs.
static bool wander(const view_crowd *crowd, view_member *member)
{
    const md5_machine *const machine = crowd->kinds[member->kind].machine;
    const float seconds = member->waited;
    if (crowd->time >= member->next_choice)
        choose_behavior(crowd, member);
    approach_target_speed(member, machine, seconds);
    rotate_inward(crowd, member, seconds);
    md5_player_advance(member->player, seconds, NULL, NULL);
    member->placement = md5_xform_mul(member->placement, md5_player_root_motion(member->player));
    return move_springs(member, md5_machine_tables(machine));
}

// Members with a smaller diameter than these are updated every second or fourth frame, pixels. A
// fast limb crosses the whole character in half a second. At 60 frames per second, it then jumps by
// at most six pixels.
static const float half_rate_pixels = 90;

static const float quarter_rate_pixels = 45;

// Maximum time between updates, seconds. An animated film shows a drawing for this long: 12
// drawings per second.
static const float max_wait = 1.0f / 12.0f;

// Returns a sphere in world space that contains a member in any pose.
static view_sphere member_sphere(const view_crowd *crowd, const view_member *member)
{
    const view_sphere sphere = crowd->kinds[member->kind].sphere;
    return (view_sphere){md5_xform_point(member->placement, sphere.center), sphere.radius};
}

// Returns the fraction of pixels, 0 to 1, that show the impostor of a member instead of its
// model. `size` is the diameter of the member in pixels. If `pixels` is 0, impostors are not
// used.
float view_impostor_fraction(float size, float pixels)
{
    if (pixels <= 0)
        return 0;
    const float max_size = 1.25f * pixels; // no impostor is drawn from this size on
    const float fade_range = 0.25f * pixels;
    return view_clamp((max_size - size) / fade_range, 0, 1);
}

size_t view_pose_size(const view_kind *kind)
{
    return kind->model->skeleton.num_joints * sizeof(md5_xform);
}

void view_pose_player(const view_kind *kind, md5_player *player, unsigned char *scratch,
                      md5_mat34 *palette)
{
    md5_player_pose(player, (md5_xform *)(void *)scratch, NULL, palette,
                    scratch + view_pose_size(kind));
}

// Returns the number of frames between updates of a member with a diameter of `pixels`. At a low
// frame rate it is smaller, so that no member waits longer than max_wait seconds.
static uint32_t update_stride(const view_crowd *crowd, float pixels)
{
    uint32_t stride = 1;
    if (pixels < quarter_rate_pixels)
        stride = 4;
    else if (pixels < half_rate_pixels)
        stride = 2;
    while (stride > 1 && (float)stride * crowd->pace > max_wait)
        stride /= 2;
    return stride;
}

// Selects the level of detail of a visible member, and the fraction that its impostor shows.
static void select_detail(const view_crowd *crowd, view_member *member, view_sphere sphere)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    const float pixels = view_pixels_across(crowd->culling, sphere);
    member->pixels = pixels;
    if (kind->pictures.impostors != NULL)
        member->impostor_fraction =
            view_impostor_fraction(pixels, kind->levels[kind->num_levels - 1].pixels);
    // Baked vertices are blended linearly, which does not match dual-quaternion skinning.
    const bool allows_baked = member->impostor_fraction < 1 && !crowd->is_dual;
    member->level = view_detail_at(kind, member->clip, ldexpf(pixels, -crowd->coarser),
                                   crowd->reduces, allows_baked);
}

// Returns true if a member is updated in this frame. Small members are updated every second or
// fourth frame. The index of a member determines in which, so that each frame updates about the
// same number of members.
static bool is_update_due(const view_crowd *crowd, const view_member *member, size_t index)
{
    const bool is_throttled = crowd->culling != NULL && crowd->throttles;
    if (!is_throttled)
        return true;
    const float pixels = view_pixels_across(crowd->culling, member_sphere(crowd, member));
    return (crowd->num_frames + index) % update_stride(crowd, pixels) == 0;
}

void view_advance_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    view_crowd *const crowd = user;
    for (size_t i = begin; i < end; i++) {
        view_member *const member = &crowd->members[i];
        bool has_springs = false;
        member->is_due = is_update_due(crowd, member, i);
        member->waited += crowd->step;
        if (member->is_due) {
            if (member->player != NULL)
                has_springs = wander(crowd, member);
            member->waited = 0;
        }

        const view_sphere sphere = member_sphere(crowd, member);
        member->is_visible = crowd->culling != NULL && view_may_be_visible(crowd->culling, sphere);
        member->impostor_fraction = 0;
        member->level = 0;
        if (member->is_visible)
            select_detail(crowd, member, sphere);

        // Springs are simulated during posing. A culled member with springs must therefore be posed
        // too, although it is not drawn.
        if (has_springs && !member->is_visible)
            view_pose_player(&crowd->kinds[member->kind], member->player,
                             crowd->scratch + worker * crowd->scratch_size, NULL);
    }
}
