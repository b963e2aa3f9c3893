// Frees objects in a way that lets debug builds detect the use of a freed object (object.h). Debug
// builds fill the memory with MD5_FREED_BYTE and keep the most recently freed blocks. An assertion
// that finds these bytes fails.
//
// Only memory from malloc() is kept. A program's own allocator gets its memory back immediately, so
// a later check reads the bytes that this allocator has written there. Release builds only free the
// memory.
#ifndef MD5_CORE_FREED_H
#define MD5_CORE_FREED_H

#include "md5/core/arena.h"

// Frees an object of the library, or the block that contains it.
void md5i_free_object(const md5_allocator *allocator, void *memory, size_t size);

// Frees an arena that contains an object.
void md5i_arena_free_object(md5_arena *arena);

// Checks and frees an object that is one memory block of `object->size` bytes. NULL is allowed.
#define MD5_FREE(object, kind)                                                    \
    do {                                                                          \
        MD5_ASSERT_NULL_OR_ALIVE(object, kind);                                   \
        if (object) {                                                             \
            MD5_ASSERT_NO_CALLBACK(object);                                       \
            md5_free_block(object, (object)->size, (object)->internal.allocator); \
        }                                                                         \
    } while (0)
static inline void md5_free_block(void *memory, size_t size, md5_allocator allocator)
{
    md5i_free_object(&allocator, memory, size);
}

#endif
