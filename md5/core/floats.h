// Rejects compiler settings with which results would differ from other builds: see md5/README.md.
// They are rejected here because wrong numbers could not be detected at run time.
#ifndef MD5_CORE_FLOATS_H
#define MD5_CORE_FLOATS_H

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) \
    || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error \
    "md5model requires reproducible floating-point results: compile without -ffast-math, -Ofast and similar options"
#endif

#if defined(_M_FP_FAST) || defined(_M_FP_CONTRACT)
#error \
    "md5model requires reproducible floating-point results: compile without /fp:fast and /fp:contract"
#endif

// FLT_EVAL_METHOD is the precision in which sums and products of floats are computed. The values
// 0 and 16 mean float; 16 is for targets with half floats. x87 has 2, which means long double. GCC
// for s390x in standard C has 1, which means double.
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#if defined(__i386__)
#error \
    "md5model requires reproducible floating-point results: compile with -msse2 -mfpmath=sse instead of x87 arithmetic"
#else
#error "md5model requires reproducible floating-point results: compile with -fexcess-precision=fast"
#endif
#endif

#if defined(_M_IX86_FP) && _M_IX86_FP < 2
#error \
    "md5model requires reproducible floating-point results: compile with /arch:SSE2 instead of x87 arithmetic"
#endif

#endif
