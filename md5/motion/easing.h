// Easings in double precision, and the areas below them.
#ifndef MD5_CURVE_EASING_H
#define MD5_CURVE_EASING_H

#include "md5/md5curve.h"

// md5_ease() without rounding to float.
double md5i_eased(const md5_easing *easing, double t);

// The integral of md5i_eased() between two times within 0..1, to within 1e-7.
double md5i_eased_area(const md5_easing *easing, double from, double to);

#endif
