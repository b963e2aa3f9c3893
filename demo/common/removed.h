// Options, commands and lessons that earlier versions of a program had. If a user gives one of
// them, the program can name the replacement. Each program has tables of them.
#ifndef DEMO_COMMON_REMOVED_H
#define DEMO_COMMON_REMOVED_H

#include <stddef.h>

typedef struct common_removed {
    const char *name;   // without dashes
    const char *advice; // completes "NAME was removed: ", an imperative
} common_removed;

// Returns the entry with this name in table[count], or NULL. `name` has `length` bytes and no
// dashes.
const common_removed *common_find_removed(const common_removed *table, size_t count,
                                          const char *name, size_t length);

#endif
