// Weights of the items of a blend space. They are not negative and sum to 1.
#ifndef MD5_PLAY_RUN_BLEND_SPACE_H
#define MD5_PLAY_RUN_BLEND_SPACE_H

#include "md5/play/machine.h"

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

// A blend space of clips that are positioned by the speed of their root motion, so that its
// parameter is the speed of the root.
//
// Two clips of cycles that take a and b seconds and move the root by A and B units, blended by the
// weights 1 - w and w, move it by (1 - w) A + w B a cycle. If that cycle takes (1 - w) a + w b
// seconds, the speed is the quotient of both, which rises steadily from A/a to B/b. It is v for
//   w = a (v - A/a) / (a (v - A/a) + b (B/b - v)).
// Synchronised clips share another rate, the weighted mean of their rates (sync.h), so all of them
// are scaled by one factor. Otherwise each clip plays at its own rate, and the speeds are blended:
// w = (v - A/a) / (B/b - A/a).
//
// Writes the weights of a motion's items at a speed, and returns the factor by which all of its
// clips play faster. Beyond the ends the outermost item plays at its own speed.
double md5i_weigh_by_speed(const md5_machine *machine, const md5_motion *motion, double speed,
                           float *weights);

#endif
