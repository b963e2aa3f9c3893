// Memory in two forms: an arena for what lives during one call, and a block for an asset.
#ifndef MD5_CORE_ARENA_H
#define MD5_CORE_ARENA_H

#include "md5/core/context.h"

// Scratch memory of one call, in chunks that grow. Freed as a whole.
typedef struct md5_arena {
    md5_context *context;
    struct md5_chunk *chunks; // newest first
} md5_arena;

// Zeroed, 16-byte aligned room for `count` things of `size` bytes; never NULL for count 0.
// Returns NULL, with the error set, when there is no memory or the product overflows.
void *md5_arena_alloc(md5_arena *arena, size_t count, size_t size);
// The same, but whatever stood there before.
void *md5_arena_room(md5_arena *arena, size_t count, size_t size);
// Takes one chunk for the next `size` bytes, of things that are multiples of 16, if the memory
// limit allows. Returns false, with the error set, when there is no memory.
bool md5_arena_reserve(md5_arena *arena, size_t size);
void md5_arena_free(md5_arena *arena);

// Forgets what was allocated since the mark.
typedef struct md5_arena_mark {
    struct md5_chunk *chunk;
    size_t used;
} md5_arena_mark;
md5_arena_mark md5_arena_here(const md5_arena *arena);
void md5_arena_rewind(md5_arena *arena, md5_arena_mark mark);

// Lays out one block: run the same takes twice, first with base NULL to measure, then with
// base = memory of `used` bytes to place.
typedef struct md5_block {
    unsigned char *base;
    size_t used; // SIZE_MAX once a sum has overflowed
} md5_block;

// 16-byte aligned room for `count` things of `size` bytes; NULL while measuring.
void *md5_block_take(md5_block *block, size_t count, size_t size);

#endif
