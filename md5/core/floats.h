// Rejects compiler settings that would give different bits from other builds: see
// md5/README.md. They cannot be detected later, when the numbers are wrong.
#ifndef MD5_CORE_FLOATS_H
#define MD5_CORE_FLOATS_H

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) \
    || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error \
    "md5model gives the same bits on every machine: compile without -ffast-math, -Ofast and the like"
#endif

#if defined(_M_FP_FAST) || defined(_M_FP_CONTRACT)
#error "md5model gives the same bits on every machine: compile without /fp:fast and /fp:contract"
#endif

// The precision in which sums and products of floats are computed. 0 is float; 16 means the same if
// there are half floats. x87 uses long double (2), gcc for s390x in standard C double (1).
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#if defined(__i386__)
#error \
    "md5model gives the same bits on every machine: compile with -msse2 -mfpmath=sse, not for x87"
#else
#error "md5model gives the same bits on every machine: compile with -fexcess-precision=fast"
#endif
#endif

#if defined(_M_IX86_FP) && _M_IX86_FP < 2
#error "md5model gives the same bits on every machine: compile with /arch:SSE2, not for x87"
#endif

#endif
