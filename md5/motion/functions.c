#include "md5/motion/functions.h"

#include <math.h>

// A power by repeated squaring of the whole part, and the Taylor series of the rest, whose next
// term is below 1e-9.
double md5i_power_of_two(double x)
{
    const double whole = floor(x);
    const double rest = (x - whole) * 0.69314718055994531;
    double sum = 1.0;
    for (int term = 10; term > 0; term--)
        sum = 1.0 + sum * rest / term;
    return sum * (double)(1 << (int)whole);
}

// The Taylor series up to x^17; the next term is below 5e-14.
double md5i_sine(double x)
{
    double sum = 1.0;
    for (int term = 16; term > 0; term -= 2)
        sum = 1.0 - sum * x * x / (term * (term + 1));
    return x * sum;
}

// Uses sin(pi - x) = sin(x) to reduce the range to a quarter turn.
double md5i_sine_of_turns(double turns)
{
    double rest = turns - floor(turns + 0.5);
    if (rest > 0.25)
        rest = 0.5 - rest;
    else if (rest < -0.25)
        rest = -0.5 - rest;
    return md5i_sine(6.28318530717958648 * rest);
}

// atan(x) = 2 atan(x / (1 + sqrt(1 + x^2))), three times: from 0..1 to 0..0.0985, where the series
// up to x^15 is exact to 1e-18. Beyond 1 by the complement, beyond pi / 2 by the supplement.
double md5i_angle(double y, double x)
{
    const double pi = 3.14159265358979324, across = fabs(x);
    if (!(y > 0.0))
        return x < 0.0 ? pi : 0.0;
    double slope = y <= across ? y / across : across / y;
    for (int halving = 0; halving < 3; halving++)
        slope = slope / (1.0 + sqrt(1.0 + slope * slope));
    double sum = 0.0;
    for (int term = 15; term > 0; term -= 2)
        sum = 1.0 / term - sum * slope * slope;
    double angle = 8.0 * slope * sum;
    if (y > across)
        angle = 0.5 * pi - angle;
    return x < 0.0 ? pi - angle : angle;
}
