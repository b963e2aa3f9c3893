// Memory in two forms: an arena for the scratch memory of one call, and a block for an asset.
#ifndef MD5_CORE_ARENA_H
#define MD5_CORE_ARENA_H

#include "md5/core/context.h"

typedef struct md5_chunk {
    struct md5_chunk *next;
    size_t size, used; // bytes, this header included
} md5_chunk;

enum {
    MD5_ALIGNMENT = 16,
    MD5_CHUNK_HEADER = (sizeof(md5_chunk) + MD5_ALIGNMENT - 1) / MD5_ALIGNMENT * MD5_ALIGNMENT,
};

// Memory of one call, in chunks that grow, or of an asset, in such that are as large as what was
// asked for. Freed as a whole.
typedef struct md5_arena {
    md5_context *context;
    md5_chunk *chunks; // newest first
    bool is_exact;
} md5_arena;

// Returns zeroed, 16-byte aligned memory for `count` elements of `size` bytes; not NULL for count
// 0. Returns NULL and sets the error if memory runs out or the product overflows.
void *md5i_arena_alloc(md5_arena *arena, size_t count, size_t size);
// The same, but uninitialized, or with a copy of from[count].
void *md5i_arena_room(md5_arena *arena, size_t count, size_t size);
void *md5i_arena_copy(md5_arena *arena, const void *from, size_t count, size_t size);
// Such memory for `count` elements of a type.
#define MD5_NEW(arena, type, count) ((type *)md5i_arena_alloc(arena, count, sizeof(type)))
#define MD5_ROOM(arena, type, count) ((type *)md5i_arena_room(arena, count, sizeof(type)))
// A copy of a text of `size` bytes, with a NUL.
static inline char *md5_copy_text(md5_arena *arena, const char *text, size_t size)
{
    char *const copy = MD5_NEW(arena, char, size + 1);
    if (copy && size > 0)
        memcpy(copy, text, size);
    return copy;
}
// Allocates one chunk for the next `size` bytes (each element rounded up to 16), if the memory
// limit allows it; otherwise memory is taken chunk by chunk later. Returns false and sets the error
// if memory runs out.
bool md5i_arena_reserve(md5_arena *arena, size_t size);
void md5i_arena_free(md5_arena *arena);

// Return the bytes that the newest chunk has left, and those of all chunks.
size_t md5i_arena_left(const md5_arena *arena);
size_t md5i_arena_size(const md5_arena *arena);

// What was allocated first in the chunk that was reserved last.
void *md5i_arena_newest(void *chunks);

// An arena that begins in other memory, of a 16-byte aligned address, and is rewound to that.
md5_arena md5i_arena_over(md5_context *context, void *memory, size_t size);

// A position in an arena. md5i_arena_rewind() releases everything allocated since.
typedef struct md5_arena_mark {
    struct md5_chunk *chunk;
    size_t used;
} md5_arena_mark;
md5_arena_mark md5i_arena_here(const md5_arena *arena);
void md5i_arena_rewind(md5_arena *arena, md5_arena_mark mark);

// Lays out one block of memory: call the same md5i_block_take() sequence twice, first with base
// NULL to measure, then, after md5i_block_allocate(), to place.
typedef struct md5_block {
    unsigned char *base;
    size_t used; // SIZE_MAX after an overflow
} md5_block;

// Returns 16-byte aligned memory for `count` elements of `size` bytes; NULL while measuring.
void *md5i_block_take(md5_block *block, size_t count, size_t size);
#define MD5_TAKE(block, type, count) ((type *)md5i_block_take(block, count, sizeof(type)))
// The same, with a copy of from[count]; NULL, and no memory, if `from` is NULL.
void *md5i_block_put(md5_block *block, const void *from, size_t count, size_t size);
#define MD5_PUT(block, type, from, count) ((type *)md5i_block_put(block, from, count, sizeof(type)))
// A copy of a text of `size` bytes, with a NUL, at any address.
const char *md5i_block_text(md5_block *block, const char *text, size_t size);

// Ends measuring and begins placing: allocates what was measured. Returns false and sets the error
// if memory runs out.
bool md5i_block_allocate(md5_context *context, md5_block *block);
bool md5i_block_allocate_in(md5_arena *arena, md5_block *block); // or takes it from an arena

#endif
