// Weights of the items of a blend space, also of one whose parameter is the speed of the root.
#include "md5/play/run/blend_space.h"
#include "md5/play/run/sync.h"

#include <string.h>

void md5i_blend_weights_1d(const md5_motion_item *items, uint32_t num_items, float x,
                           float *weights)
{
    memset(weights, 0, num_items * sizeof *weights);
    uint32_t above = 0;
    while (above < num_items && items[above].x <= x)
        above++;
    if (above == 0 || above == num_items) {
        weights[above == 0 ? 0 : num_items - 1] = 1.0f;
        return;
    }
    const double low = (double)items[above - 1].x, high = (double)items[above].x;
    const float share = (float)(((double)x - low) / (high - low));
    weights[above - 1] = 1.0f - share;
    weights[above] = share;
}

// In double: places may be any two floats, and the square of their distance must not vanish.
static double band_weight(const md5_motion_item *items, uint32_t num_items, uint32_t item, double x,
                          double y)
{
    const double from_x = x - (double)items[item].x, from_y = y - (double)items[item].y;
    double least = 1.0;
    for (uint32_t other = 0; other < num_items; other++) {
        if (other == item)
            continue;
        const double to_x = (double)items[other].x - (double)items[item].x;
        const double to_y = (double)items[other].y - (double)items[item].y;
        const double delta = (from_x * to_x + from_y * to_y) / (to_x * to_x + to_y * to_y);
        if (1.0 - delta < least)
            least = 1.0 - delta;
    }
    return least > 0.0 ? least : 0.0;
}

void md5i_blend_weights_2d(const md5_motion_item *items, uint32_t num_items, float x, float y,
                           float *weights)
{
    double sum = 0.0;
    for (uint32_t item = 0; item < num_items; item++) {
        const double weight = band_weight(items, num_items, item, (double)x, (double)y);
        weights[item] = (float)weight;
        sum += weight;
    }
    // The nearest item has at least a half: it lies on its own side of the middle to each other
    // one.
    for (uint32_t item = 0; item < num_items; item++)
        weights[item] = (float)((double)weights[item] / sum);
}

// -- By speed ------------------------------------------------------------------------------------

// One of two clips between which a speed lies.
static md5_sync_item sync_item(const md5_machine *machine, const md5_item *item, float weight)
{
    const md5_playable *const playable =
        &machine->playables[machine->motions[item->motion].playable];
    return (md5_sync_item){
        .weight = weight,
        .rate = 1.0 / item->gait.seconds,
        .markers = machine->markers + machine->sources[playable->source].first_marker,
    };
}

static uint32_t count_markers(const md5_machine *machine, const md5_motion *motion,
                              const md5_item *item)
{
    const md5_playable *const playable =
        &machine->playables[machine->motions[item->motion].playable];
    return motion->sync == MD5_SYNC_MARKERS ? machine->sources[playable->source].num_markers : 0;
}

// The seconds that a cycle of both would take by keeping step, over those that it should take.
static double tempo(const md5_machine *machine, const md5_motion *motion, const md5_item *low,
                    const float *weights)
{
    const md5_item *const high = low + 1;
    const md5_sync_item both[] = {sync_item(machine, low, weights[0]),
                                  sync_item(machine, high, weights[1])};
    const double wanted =
        (double)weights[0] * low->gait.seconds + (double)weights[1] * high->gait.seconds;
    return md5i_sync_cycle_seconds(both, 2, count_markers(machine, motion, low)) / wanted;
}

double md5i_weigh_by_speed(const md5_machine *machine, const md5_motion *motion, double speed,
                           float *weights)
{
    const md5_item *const items = machine->items + motion->first_item;
    const uint32_t count = motion->num_items;
    memset(weights, 0, count * sizeof *weights);
    uint32_t above = 0;
    while (above < count && items[above].gait.speed <= speed)
        above++;
    if (above == 0 || above == count) {
        weights[above == 0 ? 0 : count - 1] = 1.0f;
        return 1.0;
    }
    const md5_gait *const low = &items[above - 1].gait, *const high = &items[above].gait;
    const bool keeps_step = motion->sync != MD5_SYNC_NONE;
    const double from_low = (speed - low->speed) * (keeps_step ? low->seconds : 1.0);
    const double to_high = (high->speed - speed) * (keeps_step ? high->seconds : 1.0);
    const float share = (float)(from_low / (from_low + to_high));
    weights[above - 1] = 1.0f - share;
    weights[above] = share;
    return keeps_step ? tempo(machine, motion, &items[above - 1], &weights[above - 1]) : 1.0;
}
