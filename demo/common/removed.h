// Options and commands of earlier versions of a program. Each program has one table of them, so
// that it can name the replacement when a user gives one.
#ifndef DEMO_COMMON_REMOVED_H
#define DEMO_COMMON_REMOVED_H

#include <stddef.h>

typedef struct common_removed {
    const char *name;   // without dashes
    const char *advice; // completes "NAME was removed: ", an imperative
} common_removed;

// Returns the entry of table[count] with this name (`length` bytes, without dashes), or NULL.
const common_removed *common_find_removed(const common_removed *table, size_t count,
                                          const char *name, size_t length);

#endif
