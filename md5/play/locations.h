// Locations in a text of the members of tables, for errors that are found only after the text was
// read: the mistake in `modifier look aim haed` is found when the machine is created. Invariant:
// every four bytes of a table's rows have one location, stored after the rows in the same
// allocation.
#ifndef MD5_PLAY_LOCATIONS_H
#define MD5_PLAY_LOCATIONS_H

#include "md5/core/arena.h"

typedef struct md5_location {
    uint32_t line, column; // 1-based, as in md5_error; 0 = none
} md5_location;

enum { MD5_LOCATION_UNIT = 4 }; // bytes that share one location

// A table that was read from a text: rows, followed by one location for every four bytes. A
// member's location is that of its first four bytes.
typedef struct md5_located_table {
    struct md5_located_table *next;
    unsigned char *rows;
    size_t size; // of the rows, in bytes; the locations follow
} md5_located_table;

// All tables that were read from one text.
typedef struct md5_locations {
    const char *file; // its name, or ""
    md5_located_table *tables;
} md5_locations;

// Adds a table and returns its rows: `count` of `size` bytes each, zeroed like their locations.
// `size` is a multiple of 4. Returns NULL and sets the error if memory runs out.
unsigned char *md5i_add_located_table(md5_arena *arena, md5_locations *locations, size_t count,
                                      size_t size);

// Returns the locations of the row at `offset` bytes, in rows of `size` bytes in total.
static inline md5_location *md5_locations_at(unsigned char *rows, size_t size, size_t offset)
{
    return (md5_location *)(void *)(rows + size) + offset / MD5_LOCATION_UNIT;
}

// Returns the location of a member of a row; 0:0 if it is in no table or has no location.
// `locations` may be NULL. Time is linear in the number of tables.
md5_location md5i_find_location(const md5_locations *locations, const void *member);

#endif
