// Rejects compiler settings that would make results differ from other builds: see md5/README.md.
// The wrong numbers could not be detected at run time.
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

// FLT_EVAL_METHOD is the precision in which sums and products of floats are computed: 0 is float;
// 16 is also float, on targets with half floats. x87 uses long double (2), GCC for s390x in
// standard C uses double (1).
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
