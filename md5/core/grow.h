// Arrays that grow in an arena.
#ifndef MD5_CORE_GROW_H
#define MD5_CORE_GROW_H

#include "md5/core/arena.h"

// Returns an array with room for one item more than `count`, all of `size` bytes: `items`, which
// this function has returned for each count before, or a copy in the arena where that is full,
// which follows from the count. NULL and the context's error if memory runs out.
static inline void *md5_grow(md5_arena *arena, void *items, uint32_t count, size_t size)
{
    enum { FIRST = 16 };
    const bool is_full = count == 0 || (count >= FIRST && (count & (count - 1)) == 0);
    if (!is_full)
        return items;
    void *const copy = md5i_arena_room(arena, count > 0 ? 2 * (size_t)count : FIRST, size);
    if (copy && count > 0)
        memcpy(copy, items, count * size);
    return copy;
}

#endif
