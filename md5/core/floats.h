// Refuses settings of the compiler that give other bits than every other build: see "Conventions"
// in md5/README.md. Nothing can be checked about these later, when the numbers are wrong.
#ifndef MD5_CORE_FLOATS_H
#define MD5_CORE_FLOATS_H

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) \
    || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error \
    "md5model gives the same bits on every machine: compile without -ffast-math, -Ofast and the like"
#endif

// How wide sums and products of floats are held. 0 is as floats; 16 says the same where there are
// half floats. x87 holds them as long double (2), gcc for s390x in standard C as double (1).
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#if defined(__i386__)
#error \
    "md5model gives the same bits on every machine: compile with -msse2 -mfpmath=sse, not for x87"
#else
#error "md5model gives the same bits on every machine: compile with -fexcess-precision=fast"
#endif
#endif

#endif
