// Two allocators whose allocations are freed together, not one by one.
//
// An md5_arena is a list of chunks of memory that grows as needed. It contains the scratch memory
// of a public call, or an object whose size is not known in advance. An md5_block is one piece of
// memory that contains an asset, such as a model. Its size is measured first, and then it is
// allocated in one call.
#ifndef MD5_CORE_ARENA_H
#define MD5_CORE_ARENA_H

#include "md5/core/context.h"

// The header of an arena's chunk, which is at the beginning of the chunk's memory. Both sizes
// include the header.
typedef struct md5_chunk {
    struct md5_chunk *next;
    size_t size; // bytes
    size_t used; // bytes
} md5_chunk;

enum {
    MD5_CHUNK_HEADER = (sizeof(md5_chunk) + MD5_ALIGNMENT - 1) / MD5_ALIGNMENT * MD5_ALIGNMENT,
};

// A list of chunks. An allocation takes the next bytes of the newest chunk, or adds a chunk.
typedef struct md5_arena {
    md5_context *context;
    md5_chunk *chunks; // newest first
    bool is_exact;     // chunks have the requested size; else they grow with the memory held
} md5_arena;

// Returns zeroed memory for `count` elements of `size` bytes, aligned to 16 bytes. The result is
// not NULL if `count` is 0. Returns NULL and sets the context's error if memory runs out or the
// size overflows.
void *md5i_arena_alloc_zeroed(md5_arena *arena, size_t count, size_t size);
// Like md5i_arena_alloc_zeroed(), but the memory of the first function is uninitialized, and the
// memory of the second function contains a copy of from[count].
void *md5i_arena_alloc_raw(md5_arena *arena, size_t count, size_t size);
void *md5i_arena_copy(md5_arena *arena, const void *from, size_t count, size_t size);
// Allocate `count` elements of a type: zeroed, or uninitialized.
#define MD5_ALLOC_ZEROED(arena, type, count) \
    ((type *)md5i_arena_alloc_zeroed(arena, count, sizeof(type)))
#define MD5_ALLOC_ARRAY(arena, type, count) \
    ((type *)md5i_arena_alloc_raw(arena, count, sizeof(type)))
// Returns a copy of a text of `size` bytes, with a terminating NUL.
static inline char *md5_copy_text(md5_arena *arena, const char *text, size_t size)
{
    char *const copy = MD5_ALLOC_ZEROED(arena, char, size + 1);
    if (copy && size > 0)
        memcpy(copy, text, size);
    return copy;
}
// Allocates one chunk with space for the next `size` bytes. `size` must include the padding of the
// allocations, because each of them is rounded up to a multiple of 16 bytes. Does nothing if the
// chunk would exceed the memory limit: later allocations then add chunks as needed. Returns false
// and sets the error if memory runs out.
bool md5i_arena_reserve(md5_arena *arena, size_t size);
void md5i_arena_free(md5_arena *arena);

// Return the free bytes of the newest chunk, and the size of all chunks.
size_t md5i_arena_free_bytes(const md5_arena *arena);
size_t md5i_arena_size(const md5_arena *arena);

// Returns the first allocation in the newest chunk of an arena. `chunks` is the member `chunks` of
// the arena. A model stores only this pointer, to find the memory of its mesh tables again.
void *md5i_arena_first_allocation(void *chunks);

// Returns an arena whose first chunk is `memory`, which must be aligned to 16 bytes. The arena does
// not own this memory. Therefore the caller must rewind the arena to this chunk instead of freeing
// it.
md5_arena md5i_arena_in_memory(md5_context *context, void *memory, size_t size);

// A position in an arena. md5i_arena_rewind() frees all later allocations.
typedef struct md5_arena_mark {
    struct md5_chunk *chunk;
    size_t used;
} md5_arena_mark;
md5_arena_mark md5i_arena_position(const md5_arena *arena);
void md5i_arena_rewind(md5_arena *arena, md5_arena_mark mark);

// One block of memory, which is laid out in two passes. Both passes make the same sequence of
// md5i_block_alloc() calls. In the first pass, `base` is NULL, and the calls only add up the sizes.
// md5i_block_end_measuring() then allocates the block, and in the second pass the calls return
// addresses.
typedef struct md5_block {
    unsigned char *base;
    size_t used; // SIZE_MAX after an overflow
} md5_block;

// Returns memory for `count` elements of `size` bytes, aligned to 16 bytes. Returns NULL while the
// block is measured.
void *md5i_block_alloc(md5_block *block, size_t count, size_t size);
#define MD5_BLOCK_ARRAY(block, type, count) ((type *)md5i_block_alloc(block, count, sizeof(type)))
// Like md5i_block_alloc(), but also copies from[count]. Takes no memory and returns NULL if `from`
// is NULL.
void *md5i_block_copy(md5_block *block, const void *from, size_t count, size_t size);
#define MD5_BLOCK_COPY(block, type, from, count) \
    ((type *)md5i_block_copy(block, from, count, sizeof(type)))
// Returns a copy of a text of `size` bytes, with a terminating NUL. The copy is not aligned.
const char *md5i_block_copy_text(md5_block *block, const char *text, size_t size);

// End the first pass and begin the second: allocate the measured size from the allocator of the
// context, or from an arena. Return false and set the error if memory runs out.
bool md5i_block_end_measuring(md5_context *context, md5_block *block);
bool md5i_block_end_measuring_in(md5_arena *arena, md5_block *block);

#endif
