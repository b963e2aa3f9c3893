// Easing of transitions: polynomials only, so that every machine has the same bits.
#include "md5/core/assert.h"
#include "md5/md5machine.h"

#include <math.h>

// 2^x for 0 <= x <= 10: a power by repeated squaring of the whole part, and the Taylor series of
// the rest, whose next term is below 1e-9.
static double power_of_two(double x)
{
    const double whole = floor(x);
    const double rest = (x - whole) * 0.69314718055994531;
    double sum = 1.0;
    for (int term = 10; term > 0; term--)
        sum = 1.0 + sum * rest / term;
    return sum * (double)(1 << (int)whole);
}

// Rises from 0 to 1, slowly at first: 2^(10 t), brought to 0 and 1 at its ends.
static double exponential(double t)
{
    return (power_of_two(10.0 * t) - 1.0) / 1023.0;
}

// (1 - cos(pi t)) / 2 as (1 + sin(pi (t - 1/2))) / 2, by the Taylor series of the sine.
static double half_wave(double t)
{
    const double x = 3.14159265358979324 * (t - 0.5);
    double sum = 1.0;
    for (int term = 16; term > 0; term -= 2)
        sum = 1.0 - sum * x * x / (term * (term + 1));
    return 0.5 + 0.5 * x * sum;
}

// A curve for t in 0..1 that begins at 0 and ends at 1, run both ways one after the other.
static double in_out(double (*in)(double), double t)
{
    return t < 0.5 ? 0.5 * in(2.0 * t) : 1.0 - 0.5 * in(2.0 - 2.0 * t);
}

static double square(double t)
{
    return t * t;
}

static double cube(double t)
{
    return t * t * t;
}

static double eased(md5_easing easing, double t)
{
    switch (easing) {
    case MD5_EASE_LINEAR:
        break;
    case MD5_EASE_SMOOTH:
        return t * t * (3.0 - 2.0 * t);
    case MD5_EASE_QUADRATIC_IN:
        return square(t);
    case MD5_EASE_QUADRATIC_OUT:
        return 1.0 - square(1.0 - t);
    case MD5_EASE_QUADRATIC_IN_OUT:
        return in_out(square, t);
    case MD5_EASE_CUBIC_IN:
        return cube(t);
    case MD5_EASE_CUBIC_OUT:
        return 1.0 - cube(1.0 - t);
    case MD5_EASE_CUBIC_IN_OUT:
        return in_out(cube, t);
    case MD5_EASE_EXPONENTIAL_IN:
        return exponential(t);
    case MD5_EASE_EXPONENTIAL_OUT:
        return 1.0 - exponential(1.0 - t);
    case MD5_EASE_SINE_IN_OUT:
        return half_wave(t);
    }
    return t;
}

float md5_ease(md5_easing easing, float t)
{
    MD5_ASSERT((unsigned)easing <= MD5_EASE_SINE_IN_OUT, "easing: a md5_easing");
    if (!(t > 0.0f))
        return 0.0f;
    if (t >= 1.0f)
        return 1.0f;
    // Series end a rounding error away from 0 and 1.
    return (float)fmin(fmax(eased(easing, (double)t), 0.0), 1.0);
}
