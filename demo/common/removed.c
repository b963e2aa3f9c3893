// Finds options and commands that were removed. See removed.h.
#include "demo/common/removed.h"

#include <string.h>

// Returns the table entry of a removed option, or NULL. The table contains options of earlier
// versions, so that an error message can name their replacements.
const common_removed *common_find_removed(const common_removed *table, size_t count,
                                          const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        const common_removed *const entry = &table[i];
        if (strlen(entry->name) == length && memcmp(entry->name, name, length) == 0)
            return entry;
    }
    return NULL;
}
