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
#ifndef MD5_PLAY_RUN_BY_SPEED_H
#define MD5_PLAY_RUN_BY_SPEED_H

#include "md5/play/machine.h"

// Writes the weights of a motion's items at a speed, and returns the factor by which all of its
// clips play faster. Beyond the ends the outermost item plays at its own speed.
double md5i_weigh_by_speed(const md5_machine *machine, const md5_motion *motion, double speed,
                           float *weights);

#endif
