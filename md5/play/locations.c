#include "md5/play/locations.h"

unsigned char *md5i_add_located_table(md5_arena *arena, md5_locations *locations, size_t count,
                                      size_t size)
{
    enum { TIMES = 3 }; // the rows, and 8 bytes of location for each 4 bytes of rows
    md5_located_table *const table = (md5_located_table *)md5i_arena_alloc(arena, 1, sizeof *table);
    unsigned char *const rows = (unsigned char *)md5i_arena_alloc(arena, count, TIMES * size);
    if (!table || !rows)
        return NULL;
    *table = (md5_located_table){locations->tables, rows, count * size};
    locations->tables = table;
    return rows;
}

md5_location md5i_find_location(const md5_locations *locations, const void *member)
{
    const uintptr_t at = (uintptr_t)member;
    for (const md5_located_table *table = locations ? locations->tables : NULL; table;
         table = table->next) {
        const uintptr_t offset = at - (uintptr_t)table->rows; // wraps if `at` is before the rows
        if (offset < table->size)
            return *md5_locations_at(table->rows, table->size, offset);
    }
    return (md5_location){0, 0};
}
