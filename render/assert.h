// Assertions for the caller's errors: arguments that break the documented rules of functions in
// md5gl.h. Failures that depend on the device or on files are errors with a message instead.
// Assertions are enabled in every build without NDEBUG. To replace them, define MD5_ASSERT before
// this header is included.
//
// The library md5model has the same macro, but does not export the function that reports a failure.
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

// NOLINTNEXTLINE(bugprone-macro-parentheses): the message contains the argument unchanged
#define MD5_ASSERT_NOT_NULL(pointer) MD5_ASSERT(pointer != NULL, #pointer ": must not be NULL")

// Assert that an object of md5model.h was not freed. Debug builds of md5model fill freed memory
// with the byte 0xDD. In a valid object, the bytes of `member` never all have this value.
#define MD5GL_ASSERT_PART(part, member)                                     \
    do {                                                                    \
        MD5_ASSERT_NOT_NULL(part);                                          \
        MD5_ASSERT(!md5gl_is_filled(&(part)->member, sizeof(part)->member), \
                   #part ": must not have been freed");                     \
    } while (0)
#define MD5GL_ASSERT_NULL_OR_PART(part, member) \
    do {                                        \
        if ((part) != NULL)                     \
            MD5GL_ASSERT_PART(part, member);    \
    } while (0)
// Returns true if all bytes have the value with which md5model fills freed memory.
static inline bool md5gl_is_filled(const void *memory, size_t size)
{
    const unsigned char *const bytes = (const unsigned char *)memory;
    bool is_filled = true;
    for (size_t i = 0; i < size; i++)
        is_filled = is_filled && bytes[i] == 0xDD;
    return is_filled;
}

// Assert that a function is called inside or outside of a frame.
#define MD5GL_ASSERT_IN_FRAME(renderer) \
    MD5_ASSERT((renderer)->in_frame,    \
               "must be called between md5gl_begin_frame() and md5gl_end_frame()")
#define MD5GL_ASSERT_NO_FRAME(renderer) \
    MD5_ASSERT(!(renderer)->in_frame,   \
               "must not be called between md5gl_begin_frame() and md5gl_end_frame()")

// Assert that the last member of a structure, `reserved`, is 0; see "Compatibility" in md5model.h.
// `options` may be NULL. MD5_VALIDATE_RESERVED checks items[count], in linear time.
#define MD5_ASSERT_RESERVED(options)                                                          \
    MD5_ASSERT(                                                                               \
        !(options)                                                                            \
            || md5gl_end_with_zero(options, 1, sizeof *(options), sizeof(options)->reserved), \
        #options ": reserved members must be 0; initialize with = MD5_INIT")
#define MD5_VALIDATE_RESERVED(items, count)                                                 \
    MD5_ASSERT(md5gl_end_with_zero(items, count, sizeof *(items), sizeof(items)->reserved), \
               #items ": reserved members must be 0; initialize with = MD5_INIT")
// Returns true if the last `end` bytes of each of `count` items of `size` bytes are 0.
static inline bool md5gl_end_with_zero(const void *items, size_t count, size_t size, size_t end)
{
    const unsigned char *item = (const unsigned char *)items;
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++, item += size) {
        for (size_t k = size - end; k < size; k++)
            bits |= item[k];
    }
    return bits == 0;
}

// Prints "md5gl: FUNCTION(): RULE (CONDITION is false)" to standard error and aborts.
#if defined(__GNUC__)
__attribute__((noreturn, cold))
#endif
void md5gli_assert_failed(const char *function, const char *condition, const char *rule);

#endif
