#include "md5/motion/swing.h"

#include <math.h>

#define MOST_STEPS 0x1p30 // of the swing that are looked at in one call

// With A the matrix of the equation, so that A^2 = -damping A - stiffness, each power of A and so
// exp(A t) is a + b A: the closed forms of the underdamped, critical and overdamped spring in one.
// For a part of the step so short that ten terms of the series are exact, then squared.
md5_swing md5i_swing_for(double stiffness, double damping, double seconds)
{
    enum { TERMS = 10 };
    const double rate = sqrt(stiffness) + damping;
    double t = rate * seconds < MOST_STEPS ? seconds : MOST_STEPS / rate;
    int doublings = 0;
    for (; rate * t > 0.25; doublings++)
        t *= 0.5;
    double a = 1.0, b = 0.0;
    for (int term = TERMS; term > 0; term--) {
        const double h = t / term;
        const double turned = 1.0 - h * stiffness * b;
        b = h * (a - damping * b);
        a = turned;
    }
    for (; doublings > 0; doublings--) {
        const double squared = a * a - stiffness * (b * b);
        b *= 2.0 * a - damping * b;
        a = squared;
    }
    return (md5_swing){a, b};
}
