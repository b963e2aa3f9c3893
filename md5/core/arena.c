#include "md5/core/arena.h"

#include <string.h>

enum { ALIGNMENT = 16, FIRST_CHUNK = 16 << 10, GROWTH = 4 };

typedef struct md5_chunk {
    struct md5_chunk *next;
    size_t size, used; // bytes, this header included
} md5_chunk;

// Rounded up to the alignment; SIZE_MAX when that, or the product, overflows.
static size_t aligned_size(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - ALIGNMENT) / size)
        return SIZE_MAX;
    return (count * size + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1);
}

// Chunks grow with what is held, so that their number grows with its logarithm, and little is
// left unused at the end of each.
static md5_chunk *add_chunk(md5_arena *arena, size_t wanted)
{
    const size_t header = aligned_size(1, sizeof(md5_chunk));
    const size_t grown = arena->context->memory_held / GROWTH;
    if (wanted > SIZE_MAX - header) {
        md5_fail(arena->context, MD5_ERROR_MEMORY, 0, 0,
                 "more memory is asked for than addresses exist");
        return NULL;
    }
    size_t size = wanted + header;
    size = size > grown ? size : grown;
    size = size > FIRST_CHUNK ? size : FIRST_CHUNK;
    md5_chunk *chunk = md5_alloc(arena->context, size);
    if (!chunk)
        return NULL;
    *chunk = (md5_chunk){.next = arena->chunks, .size = size, .used = header};
    arena->chunks = chunk;
    return chunk;
}

void *md5_arena_alloc(md5_arena *arena, size_t count, size_t size)
{
    const size_t wanted = aligned_size(count, size);
    md5_chunk *chunk = arena->chunks;
    if (!chunk || wanted > chunk->size - chunk->used) {
        chunk = add_chunk(arena, wanted);
        if (!chunk)
            return NULL;
    }
    unsigned char *memory = (unsigned char *)chunk + chunk->used;
    chunk->used += wanted;
    memset(memory, 0, wanted);
    return memory;
}

static void free_chunks(md5_arena *arena, md5_chunk *chunk)
{
    while (chunk) {
        md5_chunk *next = chunk->next;
        md5_free(arena->context, chunk, chunk->size);
        chunk = next;
    }
}

void md5_arena_free(md5_arena *arena)
{
    free_chunks(arena, arena->chunks);
    arena->chunks = NULL;
}

void md5_arena_reset(md5_arena *arena)
{
    md5_chunk *newest = arena->chunks;
    if (!newest)
        return;
    free_chunks(arena, newest->next);
    newest->next = NULL;
    newest->used = aligned_size(1, sizeof *newest);
}

void *md5_block_take(md5_block *block, size_t count, size_t size)
{
    const size_t wanted = aligned_size(count, size);
    if (wanted > SIZE_MAX - block->used) {
        block->used = SIZE_MAX;
        return NULL;
    }
    void *place = block->base ? block->base + block->used : NULL;
    block->used += wanted;
    return place;
}
