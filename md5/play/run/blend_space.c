#include "md5/play/run/blend_space.h"

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
