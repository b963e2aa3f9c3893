#include "demo/viewer/scene/wander.h"

#include "demo/viewer/base/math.h"

// How fast the speed approaches the wanted one, per second, and how fast a member at the border
// turns back, radians per second.
static const float speed_rate = 2.0f, turn_back_rate = 1.2f;

// xorshift, Marsaglia 2003.
float view_next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (float)(*state >> 40) / (float)(1 << 24);
}

// Chooses a new speed or fires a trigger.
static void choose_behaviour(const view_crowd *crowd, view_member *member, md5_player *player)
{
    const md5_machine *const machine = crowd->kinds[member->kind].machine;
    const md5_machine_desc *const desc = md5_machine_tables(machine);
    const uint32_t choice = (uint32_t)(view_next_random(&member->random) * 4.0f);
    member->next_choice = crowd->time + 1.5 + 4.0 * (double)view_next_random(&member->random);
    if (choice == 0 && desc->num_parameters > 0) {
        const uint32_t parameter =
            (uint32_t)(view_next_random(&member->random) * (float)desc->num_parameters)
            % desc->num_parameters;
        if (desc->parameters[parameter].kind == MD5_PARAMETER_TRIGGER)
            (void)md5_player_set(player, parameter, 1.0f);
        return;
    }
    float low, high;
    view_parameter_range(machine, "speed", &low, &high);
    const float part = view_next_random(&member->random);
    member->wanted_speed = choice == 1 ? 0.0f : (part < 0.75f ? 0.36f : 1.0f) * high;
}

// A member that leaves the square turns back.
static void stay_near(const view_crowd *crowd, view_member *member, float seconds)
{
    const md5_vec3 place = member->place.translation;
    if (fmaxf(fabsf(place.x), fabsf(place.y)) < crowd->spread)
        return;
    const md5_vec3 ahead = md5_quat_rotate(member->place.rotation, (md5_vec3){1.0f, 0.0f, 0.0f});
    const float side = ahead.x * place.y - ahead.y * place.x;
    const float rate = side > 0.0f ? -turn_back_rate : turn_back_rate;
    member->place.rotation = view_turn_by(member->place.rotation, rate * seconds);
}

// Springs are simulated in world space, so they need the character's placement.
static void place_springs(const view_kind *kind, md5_player *player, md5_xform place)
{
    const md5_machine_desc *const desc = md5_machine_tables(kind->machine);
    for (uint32_t i = 0; i < desc->num_modifiers && kind->has_springs; i++)
        if (desc->modifiers[i].kind == MD5_MODIFIER_SPRING) {
            md5_target *const target = md5_player_target(player, i);
            target->position = place.translation;
            target->rotation = place.rotation;
        }
}

void view_wander(view_crowd *crowd, uint32_t number)
{
    view_member *const member = &crowd->members[number];
    md5_player *const player = crowd->players[number];
    const float seconds = member->waited;
    if (crowd->time >= member->next_choice)
        choose_behaviour(crowd, member, player);
    const int32_t speed = md5_find_parameter(crowd->kinds[member->kind].machine, "speed");
    if (speed >= 0) {
        const float now = md5_player_get(player, (uint32_t)speed);
        const float part = fminf(speed_rate * seconds, 1.0f);
        (void)md5_player_set(player, (uint32_t)speed, now + (member->wanted_speed - now) * part);
    }
    stay_near(crowd, member, seconds);
    md5_player_advance(player, (double)seconds, NULL, NULL);
    member->place = md5_xform_mul(member->place, md5_player_root_motion(player));
    place_springs(&crowd->kinds[member->kind], player, member->place);
}
