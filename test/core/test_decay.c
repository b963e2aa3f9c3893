// Exponential decay, against exp() of libc.
#include "test/test.h"

#include "md5/motion/functions.h"

#include <math.h>

TEST (decay_is_exp) {
    double worst = 0.0, worst_share = 0.0;
    for (int i = 0; i < 1400; i++) {
        const double x = i < 700 ? i : pow(10.0, (i - 1400) * 0.01);
        worst = fmax(worst, fabs(md5i_decay(x) - exp(-x)));
        worst_share = fmax(worst_share, fabs(md5i_decay(x) / exp(-x) - 1.0));
    }
    CHECK_NEAR(worst, 0.0, 1e-13);
    CHECK_NEAR(worst_share, 0.0, 1e-10);
    CHECK(md5i_decay(0.0) == 1.0);
    CHECK(md5i_decay(INFINITY) == md5i_decay(800.0) && md5i_decay(1e300) < 1e-300);
}
