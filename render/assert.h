// Assertions for the caller's mistakes: an argument that breaks the documented rule of a function
// of md5gl.h. What depends on the device or on files is an error with a message instead. Enabled in
// every build without NDEBUG; define MD5_ASSERT before including this to use your own.
//
// The library has the same macro for itself, but exports no function that reports a failure.
#ifndef MD5GL_ASSERT_H
#define MD5GL_ASSERT_H

// MD5_ASSERT(condition, "argument: rule")
#if !defined(MD5_ASSERT)
#if defined(NDEBUG)
#define MD5_ASSERT(condition, rule) ((void)0)
#else
#define MD5_ASSERT(condition, rule) \
    ((condition) ? (void)0 : md5gl_assert_failed(__func__, #condition, rule))
#endif
#endif

// Prints "md5gl: FUNCTION(): RULE (CONDITION is false)" to standard error and aborts.
#if defined(__GNUC__)
__attribute__((noreturn, cold))
#endif
void md5gl_assert_failed(const char *function, const char *condition, const char *rule);

#endif
