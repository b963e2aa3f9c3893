// Assertions for the caller's mistakes: an argument that breaks the documented rule of a function
// of md5gl.h. What depends on the device or on files is an error with a message instead. Enabled in
// every build without NDEBUG; define MD5_ASSERT before including this to use your own.
//
// The library has the same macro for itself, but exports no function that reports a failure.
#ifndef MD5GL_ASSERT_H
#define MD5GL_ASSERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MD5_ASSERT(condition, "argument: rule")
#if !defined(MD5_ASSERT)
#if defined(NDEBUG)
#define MD5_ASSERT(condition, rule) ((void)0)
#else
#define MD5_ASSERT(condition, rule) \
    ((condition) ? (void)0 : md5gli_assert_failed(__func__, #condition, rule))
#endif
#endif

// Checks that the `reserved` members of a structure, which may be NULL, are 0: "Growth" in
// md5model.h.
#define MD5_ASSERT_RESERVED(options)                                                            \
    MD5_ASSERT(!(options)                                                                       \
                   || md5gl_are_zero((options)->reserved,                                       \
                                     sizeof(options)->reserved / sizeof(options)->reserved[0]), \
               #options ": reserved members must be 0; begin with = {0}")
static inline bool md5gl_are_zero(const uint64_t *members, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits |= members[i];
    return bits == 0;
}

// Prints "md5gl: FUNCTION(): RULE (CONDITION is false)" to standard error and aborts.
#if defined(__GNUC__)
__attribute__((noreturn, cold))
#endif
void md5gli_assert_failed(const char *function, const char *condition, const char *rule);

#endif
