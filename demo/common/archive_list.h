// The list of an archive's files, whatever its kind.
#ifndef DEMO_COMMON_ARCHIVE_LIST_H
#define DEMO_COMMON_ARCHIVE_LIST_H

#include "demo/common/archive.h"
#include "demo/common/memory.h"

#include <stdbool.h>
#include <stdint.h>

// The largest file that is read, and the largest archive.
#define COMMON_MAX_FILE_SIZE ((uint64_t)1 << 29)

typedef struct common_entry {
    char *name;
    uint64_t location; // zip: number of the entry; pak: byte offset
    uint64_t size;     // bytes of the file
} common_entry;

typedef struct common_entries {
    common_entry *files;
    size_t count, room;
    uint64_t archive_size, num_packed; // bytes of the archive, and what all entries claim of it
    common_archive_warn *warn;         // may be NULL
    void *user;
    size_t num_warnings;
} common_entries;

// Adds a file that claims `packed` bytes of the archive, if its name and size are possible; else
// warns.
void common_add_entry(common_entries *entries, const char *name, uint64_t location, uint64_t size,
                      uint64_t packed);

// Reports an entry, unless many have been.
void common_warn_entry(common_entries *entries, const char *name, const char *format, ...)
    COMMON_PRINTF(3, 4);

// Checks what all entries together must keep: entries that overlap claim more than the archive has.
// Warns of names that come twice. Returns false and fills `fault`.
bool common_check_entries(common_entries *entries, common_fault *fault);

void common_free_entries(common_entries *entries);

// Fills `fault` as printf() does and returns false.
bool common_archive_fail(common_fault *fault, const char *format, ...) COMMON_PRINTF(2, 3);

// -- Kinds ----------------------------------------------------------------------------------------

// A zip file. NULL and `fault`, also if this build has no libzip.
struct zip *common_open_zip(const char *path, common_entries *entries, common_fault *fault);
void common_close_zip(struct zip *zip);
bool common_read_zip(struct zip *zip, const common_entry *entry, char *bytes, common_fault *fault);

#endif
