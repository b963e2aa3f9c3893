// Bounds of the current pose.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/play/machine.h"
#include "md5/play/run/player_state.h"

#include <float.h>

// A sum of places, each between `low` and `high`, with biases that sum to what the machine says of
// its vertices: the largest along one axis.
static float largest_sum(const md5_machine *machine, float low, float high)
{
    const float of_high = high * (high > 0.0f ? machine->most_bias : machine->least_bias);
    return of_high + (low < 0.0f ? -low * machine->most_negative : 0.0f);
}

static void sum_axis(const md5_machine *machine, float *low, float *high)
{
    const float most = largest_sum(machine, *low, *high);
    const float least = -largest_sum(machine, -*high, -*low);
    // Rounding, in the places and in whoever works out the vertices.
    const float slack = machine->beside + 1e-5f * (fabsf(most) + fabsf(least));
    *low = least - slack;
    *high = most + slack;
}

md5_bounds md5_player_bounds(const md5_player *player, const md5_mat34 *joints)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    MD5_ASSERT(joints != NULL || player->machine->num_joints == 0, "joints: not NULL");
    const md5_machine *const machine = player->machine;
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < machine->num_joints; i++) {
        const float reach = machine->reaches[i];
        if (reach < 0.0f && machine->has_vertices)
            continue;
        const float wide = reach > 0.0f ? reach : 0.0f;
        const md5_vec3 position = md5_mat34_translation(joints[i]);
        const md5_vec3 size = {wide, wide, wide};
        bounds = md5_bounds_union(
            bounds, (md5_bounds){md5_vec3_sub(position, size), md5_vec3_add(position, size)});
    }
    if (!machine->has_vertices)
        return bounds;
    sum_axis(machine, &bounds.min.x, &bounds.max.x);
    sum_axis(machine, &bounds.min.y, &bounds.max.y);
    sum_axis(machine, &bounds.min.z, &bounds.max.z);
    return bounds;
}
