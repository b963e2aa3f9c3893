// Assertions for the caller's errors: an argument that breaks the documented rule of a function.
// Data from files or from users of a game never reaches an assertion; that is an error with a
// message. Enabled in every build without NDEBUG; define MD5_ASSERT before including this to use
// your own.
#ifndef MD5_CORE_ASSERT_H
#define MD5_CORE_ASSERT_H

#include "md5/core/compiler.h"

#if defined(NDEBUG)
#define MD5_HAS_ASSERTS 0
#else
#define MD5_HAS_ASSERTS 1
#endif

// MD5_ASSERT(condition, "argument: rule"): a cheap check. MD5_VALIDATE: a check whose cost grows
// with the arguments, such as a loop over an array.
#if !defined(MD5_ASSERT)
#if !MD5_HAS_ASSERTS
#define MD5_ASSERT(condition, rule) ((void)0)
#else
#define MD5_ASSERT(condition, rule) \
    ((condition) ? (void)0 : md5i_assert_failed(__func__, #condition, rule))
#endif
#endif

#if !MD5_HAS_ASSERTS
#define MD5_VALIDATE(condition, rule) ((void)0)
#else
#define MD5_VALIDATE(condition, rule) MD5_ASSERT(condition, rule)
#endif

// NOLINTNEXTLINE(bugprone-macro-parentheses): as it stands in the message
#define MD5_ASSERT_NOT_NULL(pointer) MD5_ASSERT(pointer != NULL, #pointer ": must not be NULL")

// The same for an array, which may be NULL if its count is 0.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define MD5_ASSERT_ARRAY(array, count) \
    MD5_ASSERT(array != NULL || count == 0, #array ": must not be NULL")
// NOLINTEND(bugprone-macro-parentheses)

// Whether two arrays do not overlap. True if either is NULL.
static inline bool md5_are_apart(const void *a, size_t a_size, const void *b, size_t b_size)
{
    const uintptr_t first = (uintptr_t)a;
    const uintptr_t second = (uintptr_t)b;
    return !a || !b || first + a_size <= second || second + b_size <= first;
}

// `count` rows of an array each.
#define MD5_ASSERT_APART(a, a_count, b, b_count)                                      \
    MD5_ASSERT(md5_are_apart(a, (a_count) * sizeof *(a), b, (b_count) * sizeof *(b)), \
               #a ", " #b ": must not overlap")

// Check that the `reserved` members of a structure, which may be NULL in the second one, are 0:
// "Growth" in md5model.h.
#define MD5_RESERVED_IS_ZERO(options) \
    md5_are_zero((options)->reserved, sizeof(options)->reserved / sizeof(options)->reserved[0])
#define MD5_ASSERT_RESERVED(options)                        \
    MD5_ASSERT(!(options) || MD5_RESERVED_IS_ZERO(options), \
               #options ": reserved members must be 0; initialize with = MD5_INIT")
// The same for rows[count], whose last member it is.
#define MD5_VALIDATE_RESERVED(rows, count)                                                       \
    MD5_VALIDATE(                                                                                \
        md5_rows_end_with_zero(rows, count, sizeof *(rows), sizeof(rows)->reserved),             \
        #rows ": reserved members must be 0; use designated initializers, or initialize with = " \
              "MD5_INIT")
static inline bool md5_are_zero(const uint64_t *members, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits |= members[i];
    return bits == 0;
}
static inline bool md5_rows_end_with_zero(const void *rows, size_t count, size_t size, size_t end)
{
    const unsigned char *row = (const unsigned char *)rows;
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++, row += size)
        for (size_t k = size - end; k < size; k++)
            bits |= row[k];
    return bits == 0;
}

// Prints "md5model: FUNCTION(): RULE (CONDITION is false)" to standard error and aborts.
MD5_NO_RETURN void md5i_assert_failed(const char *function, const char *condition,
                                      const char *rule);

#endif
