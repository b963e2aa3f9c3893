// Exponential decay with the same bits on every machine, which exp() of libc does not promise.
#ifndef MD5_MOTION_DECAY_H
#define MD5_MOTION_DECAY_H

// exp(-x) for x >= 0, to within 1e-13.
double md5i_decay(double x);

#endif
