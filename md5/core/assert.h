// Assertions detect programming errors of the caller, which are arguments that break a documented
// rule of a function. Invalid files and invalid input from users are not asserted; they are errors
// with a message. Assertions are enabled in every build without NDEBUG. A program can replace them
// by defining MD5_ASSERT before this file is included.
#ifndef MD5_CORE_ASSERT_H
#define MD5_CORE_ASSERT_H

#include "md5/core/compiler.h"

#if defined(NDEBUG)
#define MD5_HAS_ASSERTS 0
#else
#define MD5_HAS_ASSERTS 1
#endif

// MD5_ASSERT(condition, "argument: rule") is a cheap check. MD5_VALIDATE is a check whose cost
// grows with the arguments, such as a loop over an array.
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

// NOLINTNEXTLINE(bugprone-macro-parentheses): the message contains the argument unchanged
#define MD5_ASSERT_NOT_NULL(pointer) MD5_ASSERT(pointer != NULL, #pointer ": must not be NULL")

// Like MD5_ASSERT_NOT_NULL() for an array, which may be NULL if its count is 0.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define MD5_ASSERT_ARRAY(array, count) \
    MD5_ASSERT(array != NULL || count == 0, #array ": must not be NULL")
// NOLINTEND(bugprone-macro-parentheses)

// Returns true if two arrays do not overlap, or if one of them is NULL. Sizes are in bytes.
static inline bool md5_are_disjoint(const void *a, size_t a_size, const void *b, size_t b_size)
{
    const uintptr_t a_start = (uintptr_t)a;
    const uintptr_t b_start = (uintptr_t)b;
    if (!a || !b)
        return true;
    return a_start + a_size <= b_start || b_start + b_size <= a_start;
}

// Checks that the arrays a[a_count] and b[b_count] do not overlap.
#define MD5_ASSERT_DISJOINT(a, a_count, b, b_count)                                      \
    MD5_ASSERT(md5_are_disjoint(a, (a_count) * sizeof *(a), b, (b_count) * sizeof *(b)), \
               #a ", " #b ": must not overlap")

// Check that the `reserved` members of a structure are 0: see "Compatibility" in md5model.h.
// MD5_ASSERT_RESERVED() accepts a NULL pointer.
#define MD5_RESERVED_IS_ZERO(options) \
    md5_are_zero((options)->reserved, sizeof(options)->reserved / sizeof(options)->reserved[0])
#define MD5_ASSERT_RESERVED(options)                        \
    MD5_ASSERT(!(options) || MD5_RESERVED_IS_ZERO(options), \
               #options ": reserved members must be 0; initialize with = MD5_INIT")
// Checks the `reserved` members of items[count]. They must be the last members of the structure.
#define MD5_VALIDATE_RESERVED(items, count)                                                       \
    MD5_VALIDATE(                                                                                 \
        md5_items_end_with_zeros(items, count, sizeof *(items), sizeof(items)->reserved),         \
        #items ": reserved members must be 0; use designated initializers, or initialize with = " \
               "MD5_INIT")
static inline bool md5_are_zero(const uint64_t *members, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits |= members[i];
    return bits == 0;
}

// Returns true if the last `num_zeros` bytes of each of the `count` items are 0. Each item has
// `size` bytes. The bytes are combined with OR, so that the inner loop has no branch.
static inline bool md5_items_end_with_zeros(const void *items, size_t count, size_t size,
                                            size_t num_zeros)
{
    const unsigned char *item = (const unsigned char *)items;
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = size - num_zeros; k < size; k++)
            bits |= item[k];
        item += size;
    }
    return bits == 0;
}

// Prints "md5model: FUNCTION(): RULE (CONDITION is false)" to standard error and aborts.
MD5_NO_RETURN void md5i_assert_failed(const char *function, const char *condition,
                                      const char *rule);

#endif
