// Frees objects. Debug builds release the most recently freed blocks only later: see freed.h.
#include "md5/core/freed.h"

#include <stdlib.h>

#if MD5_HAS_ASSERTS && MD5_HAS_ATOMICS

// Ring buffer of the most recently freed blocks. Its entries are replaced atomically, because
// threads share it.
enum { RING_SIZE = 64, MAX_BLOCK_SIZE = 1 << 16 };
static void *ring[RING_SIZE];
static uint32_t num_freed;

// Stores a block of malloc() in the ring buffer and frees the oldest block there.
static void store_block(void *memory, size_t size)
{
    // Keep only the beginning of a large block, so that the ring buffer uses little memory. Most C
    // libraries do not move a block that realloc() makes smaller, so a stale pointer still refers
    // to it.
    void *const shrunk = size > MAX_BLOCK_SIZE ? realloc(memory, MAX_BLOCK_SIZE) : NULL;
    void *const block = shrunk ? shrunk : memory;
    const uint32_t index = MD5_ATOMIC_INCREMENT(&num_freed) % RING_SIZE;
    free(MD5_ATOMIC_EXCHANGE(&ring[index], block));
}

// Frees an object of the library, or the block that contains it. If freed objects are checked, the
// block is kept for a while, so that a later use of the object is detected.
void md5i_free_object(const md5_allocator *allocator, void *memory, size_t size)
{
    md5_fill_freed(memory, size);
    if (md5i_is_default_allocator(allocator))
        store_block(memory, size);
    else
        allocator->free(allocator->user, memory, size);
}

#else

void md5i_free_object(const md5_allocator *allocator, void *memory, size_t size)
{
    md5_fill_freed(memory, size);
    allocator->free(allocator->user, memory, size);
}

#endif

// Frees an arena that contains an object.
void md5i_arena_free_object(md5_arena *arena)
{
    while (arena->chunks) {
        md5_chunk *const chunk = arena->chunks;
        arena->chunks = chunk->next;
        md5i_free_object(&arena->context->allocator, chunk, chunk->size);
    }
}
