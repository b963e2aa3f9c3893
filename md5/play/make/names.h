// Names of a machine's tables: each once in its table, found fast.
#ifndef MD5_PLAY_BUILD_NAMES_H
#define MD5_PLAY_BUILD_NAMES_H

#include "md5/core/locations.h"

typedef struct md5_name {
    const char *text;
    const char *const *member; // of the table, for its place in the text
    uint32_t number;
} md5_name;

typedef struct md5_names {
    const char *what; // the things have these names: "clip", for messages
    md5_name *sorted; // [count]
    uint32_t count;
} md5_names;

// Room for `capacity` names. False, with the error set, when there is no memory.
bool md5i_begin_names(md5_arena *arena, md5_names *names, const char *what, size_t capacity);

// The next name, a member of a table; its number is how many stand before it.
void md5i_add_name(md5_names *names, const char *const *member);

// Sorts them, for names that may be there twice: the first of them is found.
void md5i_sort_names(md5_names *names);

// Sorts them. False, with the error set, when one is missing, empty or there twice. `places` are
// those of the tables, or NULL.
bool md5i_end_names(md5_context *context, const md5_locations *places, md5_names *names);

// The number of a name, or -1 if it is none of them.
int32_t md5i_find_name(const md5_names *names, const char *text);

#endif
