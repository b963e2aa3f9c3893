// Level of detail of a player: which joints are animated, and how often its pose is computed.
#include "md5/core/assert.h"
#include "md5/play/run/player_state.h"

#include <string.h>

bool md5_player_set_detail(md5_player *player, const md5_detail *detail)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    const md5_detail full = {0};
    const md5_detail *const set = detail ? detail : &full;
    const int32_t mask = md5_find_mask(player->machine, set->mask);
    if (set->mask && mask < 0)
        return false;
    const uint32_t interval = set->interval > 1 ? set->interval : 1;
    player->detail.mask = mask;
    player->detail.interval = interval;
    player->detail.phase = set->phase % interval;
    return true;
}

md5_detail md5_player_detail(const md5_player *player)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    const md5_detail_state *const state = &player->detail;
    return (md5_detail){
        .mask = state->mask < 0 ? NULL : player->machine->tables.masks[state->mask].name,
        .interval = state->interval,
        .phase = state->phase,
    };
}

// The count of calls goes on at any level of detail, so a game may set it as often as it likes: the
// players of a crowd keep taking turns. No pose becomes older than the interval.
bool md5i_begin_pose(md5_player *player)
{
    md5_detail_state *const state = &player->detail;
    const uint32_t call = state->num_calls++;
    if (state->interval == 1)
        return true;
    state->age++;
    return !state->is_kept || state->age >= state->interval
           || (call % state->interval + state->phase) % state->interval == 0;
}

void md5i_end_pose(md5_player *player, const md5_xform *pose)
{
    md5_detail_state *const state = &player->detail;
    player->since_pose = 0.0;
    player->walked = (md5_root_delta){.cosine = 1.0};
    state->age = 0;
    state->is_kept = state->interval > 1;
    if (state->is_kept && player->machine->num_joints > 0)
        memcpy(player->kept, pose, player->machine->num_joints * sizeof *pose);
}

// Chains end in ancestors of their tips, which are animated if the tips are.
bool md5i_is_animated(const md5_machine *machine, const md5_detail_set *detail,
                      const md5_modifier *modifier)
{
    const bool *const are_animated = machine->are_animated + detail->first_joint;
    bool all = are_animated[modifier->joint];
    const bool has_feet = modifier->desc.kind == MD5_MODIFIER_FEET;
    for (uint32_t i = 0; has_feet && i < modifier->desc.num_feet; i++)
        all = all && are_animated[machine->legs[modifier->first_foot + i].tip];
    return all;
}
