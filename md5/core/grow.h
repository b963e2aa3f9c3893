// Arrays that grow in an arena.
#ifndef MD5_CORE_GROW_H
#define MD5_CORE_GROW_H

#include "md5/core/arena.h"

// Returns an array with space for at least one more item than `count`. Each item has `size` bytes.
// If `items` has space left, the result is `items`. Otherwise the result is a copy with twice the
// capacity in the arena. Returns NULL and sets the context's error if memory runs out.
//
// The capacity is not stored. It is a power of two and at least FIRST_CAPACITY, so the array is
// full if `count` is such a power. Therefore `items` must be the result of this function for
// `count` - 1.
static inline void *md5_grow(md5_arena *arena, void *items, uint32_t count, size_t size)
{
    enum { FIRST_CAPACITY = 16 };
    const bool is_full = count == 0 || (count >= FIRST_CAPACITY && (count & (count - 1)) == 0);
    if (!is_full)
        return items;
    void *const copy =
        md5i_arena_alloc_raw(arena, count > 0 ? 2 * (size_t)count : FIRST_CAPACITY, size);
    if (copy && count > 0)
        memcpy(copy, items, count * size);
    return copy;
}

#endif
