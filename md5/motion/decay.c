#include "md5/motion/decay.h"

// For a part of x so small that ten terms of the series are exact, then squared.
double md5i_decay(double x)
{
    enum { TERMS = 10 };
    double part = x < 800.0 ? x : 800.0;
    int doublings = 0;
    for (; part > 0.25; doublings++)
        part *= 0.5;
    double sum = 1.0;
    for (int term = TERMS; term > 0; term--)
        sum = 1.0 - sum * part / term;
    for (; doublings > 0; doublings--)
        sum *= sum;
    return sum;
}
