#include "md5/core/places.h"

unsigned char *md5_add_placed_table(md5_arena *arena, md5_places *places, size_t count, size_t size)
{
    enum { TIMES = 3 }; // the rows, and 8 bytes of place for 4 of theirs
    md5_placed_table *const table = md5_arena_alloc(arena, 1, sizeof *table);
    unsigned char *const rows = md5_arena_alloc(arena, count, TIMES * size);
    if (!table || !rows)
        return NULL;
    *table = (md5_placed_table){places->tables, rows, count * size};
    places->tables = table;
    return rows;
}

md5_place md5_find_place(const md5_places *places, const void *member)
{
    const uintptr_t at = (uintptr_t)member;
    for (const md5_placed_table *table = places ? places->tables : NULL; table;
         table = table->next) {
        const uintptr_t offset = at - (uintptr_t)table->rows; // wraps where `at` lies before
        if (offset < table->size)
            return *md5_places_at(table->rows, table->size, offset);
    }
    return (md5_place){0, 0};
}
