// Scratch memory of one call: reserved in one piece, and released back to a mark.
#include "test/test.h"

#include "md5/core/arena.h"

#include <string.h>

typedef struct arena_case {
    test_heap heap;
    md5_context context;
    md5_arena arena;
} arena_case;

static void begin(arena_case *it, size_t memory_limit)
{
    it->heap = (test_heap){0};
    const md5_load_opts opts = {
        .allocator = {test_heap_alloc, test_heap_free, &it->heap, memory_limit},
    };
    md5i_context_begin(&it->context, &opts, NULL, NULL);
    it->arena = (md5_arena){.context = &it->context};
}

static void end(arena_case *it)
{
    md5i_arena_free(&it->arena);
    CHECK_UINT(it->heap.live, 0);
    CHECK_UINT(it->context.memory_held, 0);
}

#define TEST_HERE(title, ...) TEST_WITH (title, arena_case, it, begin(it, __VA_ARGS__), end(it))

TEST_HERE (arena_takes_what_is_reserved_from_one_piece, 0) {
    CHECK(md5i_arena_reserve(&it->arena, 3 * 48000));
    const size_t held = it->heap.live_bytes;
    CHECK(held >= 3 * 48000 && held < 3 * 48000 + 100);
    for (int i = 0; i < 3; i++)
        CHECK(md5i_arena_room(&it->arena, 1000, 48));
    CHECK_UINT(it->heap.num_allocs, 1);
    CHECK(md5i_arena_room(&it->arena, 1000, 48));
    CHECK_UINT(it->heap.num_allocs, 2);
}

TEST_HERE (arena_reserves_nothing_past_the_memory_limit, 10000) {
    CHECK(md5i_arena_reserve(&it->arena, 10000));
    CHECK(md5i_arena_reserve(&it->arena, 10001));
    CHECK(md5i_arena_reserve(&it->arena, SIZE_MAX));
    CHECK_UINT(it->heap.num_allocs, 0);
    CHECK_UINT(it->context.error.status, MD5_OK);
    CHECK(md5i_arena_reserve(&it->arena, 9900));
    CHECK_UINT(it->heap.num_allocs, 1);
}

TEST_HERE (arena_reserving_fails_without_memory, 0) {
    it->heap.fail_at = 1;
    CHECK(!md5i_arena_reserve(&it->arena, 100));
    CHECK_UINT(it->context.error.status, MD5_ERROR_MEMORY);
    CHECK(!it->arena.chunks);
}

TEST_HERE (arena_rewinds_to_a_mark, 0) {
    const md5_arena_mark start = md5i_arena_here(&it->arena);
    char *const kept = md5i_arena_alloc(&it->arena, 100, 1);
    memset(kept, 'k', 100);
    const md5_arena_mark mark = md5i_arena_here(&it->arena);
    const char *const first = md5i_arena_room(&it->arena, 100, 1);
    for (int i = 0; i < 10; i++)
        CHECK(md5i_arena_room(&it->arena, 20000, 1));
    CHECK(it->heap.live > 2);
    md5i_arena_rewind(&it->arena, mark);
    CHECK_UINT(it->heap.live, 1);
    CHECK(md5i_arena_room(&it->arena, 100, 1) == first); // at the same address
    CHECK(kept[0] == 'k' && kept[99] == 'k');
    md5i_arena_rewind(&it->arena, start);
    CHECK_UINT(it->heap.live, 0);
}
