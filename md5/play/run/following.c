// Parameters that follow what is set.
#include "md5/play/run/player_state.h"

bool md5_set_goal(md5_player *player, uint32_t parameter, float goal)
{
    const int32_t row = player->machine->followers[parameter];
    if (row < 0)
        return false;
    md5_following *const following = &player->followings[row];
    if (following->goal != goal) {
        following->from = player->parameters[parameter];
        following->goal = goal;
        following->elapsed = 0.0;
    }
    return true;
}

void md5_rest_parameters(md5_player *player)
{
    for (uint32_t i = 0; i < player->machine->tables.num_parameters; i++) {
        const int32_t row = player->machine->followers[i];
        const float value = player->parameters[i];
        if (row >= 0)
            player->followings[row] = (md5_following){.goal = value, .from = value};
    }
}

static float moved(const md5_follow_desc *follow, md5_following *following, float value,
                   double seconds)
{
    const float goal = following->goal;
    following->elapsed += seconds;
    switch (follow->kind) {
    case MD5_FOLLOW_SMOOTH:
        return value + (goal - value) * md5_follow_share(follow->rate, (float)seconds);
    case MD5_FOLLOW_SPRING:
        md5_follow_spring(&value, &following->velocity, goal, follow->stiffness, follow->damping,
                          (float)seconds);
        return value;
    default: {
        const md5_easing_curve plain = {.easing = follow->easing};
        const md5_easing_curve *const curve = follow->curve ? follow->curve : &plain;
        const float part = md5_ease_over(curve, following->elapsed, (double)follow->duration);
        // Exactly there at the end.
        return part == 1.0f ? goal : following->from + (goal - following->from) * part;
    }
    }
}

void md5_follow_goals(md5_player *player, double seconds)
{
    const md5_machine_desc *const tables = &player->machine->tables;
    for (uint32_t i = 0; tables->num_follows > 0 && i < tables->num_parameters; i++) {
        const int32_t row = player->machine->followers[i];
        if (row < 0)
            continue;
        const float value = player->parameters[i];
        const float now = moved(&tables->follows[row], &player->followings[row], value, seconds);
        // A difference of two large numbers may be infinite.
        if (now == value || !isfinite(now))
            continue;
        player->parameters[i] = now;
        player->is_weighed = player->is_settled = false;
    }
}
