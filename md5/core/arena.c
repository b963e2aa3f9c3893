// Arenas and blocks of memory: see arena.h.
#include "md5/core/arena.h"

enum {
    FIRST_CHUNK = 16 << 10, // bytes
    GROWTH = 4,             // a new chunk has at least 1 / GROWTH of the memory that the call holds
};

// Returns true if count * size, rounded up to the alignment, does not fit into a size_t.
static bool size_overflows(size_t count, size_t size)
{
    // A product of two factors fits into a size_t if both factors have at most half of its bits.
    // This test avoids the division in nearly all calls.
    const size_t half_range = (size_t)1 << (sizeof(size_t) * 4);
    if (count < half_range && size < half_range)
        return false;
    return size != 0 && count > (SIZE_MAX - MD5_ALIGNMENT) / size;
}

// Returns count * size, rounded up to the alignment, or SIZE_MAX if the result overflows.
static size_t aligned_size(size_t count, size_t size)
{
    if (size_overflows(count, size))
        return SIZE_MAX;
    return (count * size + (MD5_ALIGNMENT - 1)) & ~(size_t)(MD5_ALIGNMENT - 1);
}

// Adds a chunk of `size` bytes, including its header, to the front of an arena's list. Returns NULL
// if memory runs out.
static md5_chunk *new_chunk(md5_arena *arena, size_t size)
{
    md5_chunk *chunk = (md5_chunk *)md5i_alloc(arena->context, size);
    if (!chunk)
        return NULL;
    *chunk = (md5_chunk){.next = arena->chunks, .size = size, .used = MD5_CHUNK_HEADER};
    arena->chunks = chunk;
    return chunk;
}

// Returns the size of a new chunk for an allocation of `num_bytes`. The chunk has at least a
// fraction of the memory that the context already holds. Therefore the number of chunks grows only
// with the logarithm of the total, and little memory at their ends is unused.
static size_t new_chunk_size(const md5_arena *arena, size_t num_bytes)
{
    const size_t exact = num_bytes + MD5_CHUNK_HEADER;
    if (arena->is_exact)
        return exact;
    const size_t grown = arena->context->memory_held / GROWTH;
    const size_t min_size = grown > FIRST_CHUNK ? grown : FIRST_CHUNK;
    return exact > min_size ? exact : min_size;
}

// Returns uninitialized memory for `count` elements of `size` bytes, aligned to 16 bytes. Takes it
// from the newest chunk, or from a new chunk if the newest has too little space left. Returns NULL
// and sets the context's error if memory runs out.
void *md5i_arena_alloc_raw(md5_arena *arena, size_t count, size_t size)
{
    const size_t num_bytes = aligned_size(count, size);
    if (num_bytes > PTRDIFF_MAX) { // C has no larger objects
        MD5_FAIL(arena->context, MD5_ERROR_MEMORY,
                 "out of memory: %zu elements of %zu bytes exceed the address space", count, size);
        return NULL;
    }

    md5_chunk *chunk = arena->chunks;
    const bool fits = chunk && num_bytes <= chunk->size - chunk->used;
    if (!fits)
        chunk = new_chunk(arena, new_chunk_size(arena, num_bytes));
    if (!chunk)
        return NULL;

    unsigned char *memory = (unsigned char *)chunk + chunk->used;
    chunk->used += num_bytes;
    return memory;
}

// Returns zeroed memory for `count` elements of `size` bytes, aligned to 16 bytes. The result is
// not NULL if `count` is 0. Returns NULL and sets the context's error if memory runs out or the
// size overflows.
void *md5i_arena_alloc_zeroed(md5_arena *arena, size_t count, size_t size)
{
    void *memory = md5i_arena_alloc_raw(arena, count, size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

// Copies from[count], whose elements have `size` bytes, to the arena. Returns NULL if memory runs
// out.
void *md5i_arena_copy(md5_arena *arena, const void *from, size_t count, size_t size)
{
    void *const copy = md5i_arena_alloc_raw(arena, count, size);
    if (copy && count > 0)
        memcpy(copy, from, count * size);
    return copy;
}

// Adds a chunk that has space for `size` bytes, so that later allocations need no new chunk. Does
// nothing, and returns true, if the chunk would exceed the memory limit. Returns false if memory
// runs out.
bool md5i_arena_reserve(md5_arena *arena, size_t size)
{
    const md5_context *const context = arena->context;
    const size_t available = context->allocator.limit - context->memory_held;
    const size_t wanted = aligned_size(size, 1);
    const bool exceeds_limit = wanted > available || available - wanted < MD5_CHUNK_HEADER;
    return exceeds_limit || new_chunk(arena, wanted + MD5_CHUNK_HEADER) != NULL;
}

md5_arena_mark md5i_arena_position(const md5_arena *arena)
{
    md5_chunk *const chunk = arena->chunks;
    return (md5_arena_mark){chunk, chunk ? chunk->used : 0};
}

// Frees everything that was allocated in the arena after the mark was made.
void md5i_arena_rewind(md5_arena *arena, md5_arena_mark mark)
{
    while (arena->chunks != mark.chunk) {
        md5_chunk *const newest = arena->chunks;
        arena->chunks = newest->next;
        md5i_free(arena->context, newest, newest->size);
    }
    if (mark.chunk)
        mark.chunk->used = mark.used;
}

void md5i_arena_free(md5_arena *arena)
{
    md5i_arena_rewind(arena, (md5_arena_mark){NULL, 0});
}

size_t md5i_arena_free_bytes(const md5_arena *arena)
{
    return arena->chunks ? arena->chunks->size - arena->chunks->used : 0;
}

// Returns the size of all chunks of an arena in bytes.
size_t md5i_arena_size(const md5_arena *arena)
{
    size_t size = 0;
    for (const md5_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        size += chunk->size;
    return size;
}

void *md5i_arena_first_allocation(void *chunks)
{
    return (char *)chunks + MD5_CHUNK_HEADER;
}

// Returns an arena whose first chunk is `memory`, which must be aligned to 16 bytes. The arena does
// not own this memory. Therefore the caller must rewind the arena to this chunk instead of freeing
// it.
md5_arena md5i_arena_in_memory(md5_context *context, void *memory, size_t size)
{
    md5_chunk *const chunk = size > MD5_CHUNK_HEADER ? (md5_chunk *)memory : NULL;
    if (chunk)
        *chunk = (md5_chunk){.size = size, .used = MD5_CHUNK_HEADER};
    return (md5_arena){.context = context, .chunks = chunk, .is_exact = true};
}

// Returns memory for `count` elements of `size` bytes, aligned to 16 bytes. Returns NULL while the
// block is measured.
void *md5i_block_alloc(md5_block *block, size_t count, size_t size)
{
    const size_t start = aligned_size(block->used, 1);
    const size_t wanted = aligned_size(count, size);
    block->used = wanted > SIZE_MAX - start ? SIZE_MAX : start + wanted;
    return block->base ? block->base + start : NULL;
}

// Allocates an array in a block and copies from[count] to it. Elements have `size` bytes. If `from`
// is NULL, the function takes no memory and returns NULL. Nothing is copied while the block is only
// measured.
void *md5i_block_copy(md5_block *block, const void *from, size_t count, size_t size)
{
    if (!from)
        return NULL;
    void *const copy = md5i_block_alloc(block, count, size);
    if (copy && count > 0)
        memcpy(copy, from, count * size);
    return copy;
}

// Copies a text of `size` bytes to a block and adds a terminating NUL. The copy is not aligned.
// While a block is only measured, nothing is copied and the result is NULL.
const char *md5i_block_copy_text(md5_block *block, const char *text, size_t size)
{
    char *const copy = block->base ? (char *)block->base + block->used : NULL;
    block->used = size >= SIZE_MAX - block->used ? SIZE_MAX : block->used + size + 1;
    if (copy && size > 0)
        memcpy(copy, text, size);
    if (copy)
        copy[size] = '\0';
    return copy;
}

// Ends the measuring of a block by allocating its memory. Repeating the same sequence of
// allocations then returns addresses. Returns false if memory runs out.
bool md5i_block_end_measuring(md5_context *context, md5_block *block)
{
    block->base = (unsigned char *)md5i_alloc(context, block->used);
    block->used = 0;
    return block->base != NULL;
}

// Ends the measuring of a block like md5i_block_end_measuring(), but allocates its memory in an
// arena.
bool md5i_block_end_measuring_in(md5_arena *arena, md5_block *block)
{
    block->base = MD5_ALLOC_ARRAY(arena, unsigned char, block->used);
    block->used = 0;
    return block->base != NULL;
}
