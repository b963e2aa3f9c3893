// Locations in a text of the members of a table, for errors that are found only when the text has
// been read: `modifier look aim haed` is found when the machine is made.
#ifndef MD5_CORE_PLACES_H
#define MD5_CORE_PLACES_H

#include "md5/core/arena.h"

typedef struct md5_place {
    uint32_t line, column; // 1-based, as in md5_error; 0 = none
} md5_place;

enum { MD5_PLACE_PART = 4 }; // bytes that have a location of their own

// A table that was read from a text: rows, followed by one location for every four bytes of them. A
// member's location is that of its first four bytes.
typedef struct md5_placed_table {
    struct md5_placed_table *next;
    unsigned char *rows;
    size_t size; // of the rows, in bytes; their locations begin there
} md5_placed_table;

// All tables that were read from one text.
typedef struct md5_places {
    const char *file; // its name, or ""
    md5_placed_table *tables;
} md5_places;

// The rows of a new table, `count` of `size` bytes each, zeroed, like their locations. `size` is a
// multiple of 4. NULL, with the error set, when there is no memory.
unsigned char *md5_add_placed_table(md5_arena *arena, md5_places *places, size_t count,
                                    size_t size);

// The locations of the row at `offset` bytes in rows of `size` bytes together.
static inline md5_place *md5_places_at(unsigned char *rows, size_t size, size_t offset)
{
    return (md5_place *)(void *)(rows + size) + offset / MD5_PLACE_PART;
}

// The location of a member of a row; 0:0 if it is in none of the tables or has none. `places` may
// be NULL. Time is linear in the number of tables.
md5_place md5_find_place(const md5_places *places, const void *member);

#endif
