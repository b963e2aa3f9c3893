// Weights of the items of a blend space. They are not negative and sum to 1.
#ifndef MD5_PLAY_RUN_BLEND_SPACE_H
#define MD5_PLAY_RUN_BLEND_SPACE_H

#include "md5/md5play.h"

// items[num_items], num_items >= 1, x strictly ascending: the two neighbours of `x` are
// weighted by distance; beyond the ends the outermost item has weight 1.
void md5i_blend_weights_1d(const md5_motion_item *items, uint32_t num_items, float x,
                           float *weights);

// No two items have the same position. Gradient band interpolation (R. S. Johansen, Automated
// Semi-Procedural Animation for Character Locomotion, 2009, 6.3): an item's influence falls from 1
// at its own position to 0 at that of every other item, w_i = min over j of 1 - (p - p_i) . (p_j -
// p_i) / |p_j - p_i|^2, clamped to 0..1, then all are scaled to sum 1. Time: the square of
// num_items.
void md5i_blend_weights_2d(const md5_motion_item *items, uint32_t num_items, float x, float y,
                           float *weights);

#endif
