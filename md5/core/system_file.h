// Files of the operating system: the only part of the library that uses one, beyond C11.
#ifndef MD5_CORE_SYSTEM_FILE_H
#define MD5_CORE_SYSTEM_FILE_H

#include "md5/core/context.h"

// A whole file in memory.
typedef struct md5_file_text {
    const char *bytes;
    size_t size;
    char *memory; // [room] from the context's allocator; NULL if the caller's open() made `bytes`
    size_t room;
} md5_file_text;

// Reports an error if a text has 2 GiB or more: then lines, columns and twice any count fit 32
// bits.
static inline bool md5_check_text_size(md5_context *context, size_t size)
{
    if (size < INT32_MAX)
        return true;
    return md5i_fail(context, MD5_ERROR_IO, 0, 0,
                     "the text has %zu bytes: expected less than 2 GiB", size);
}

// Reads a regular file to its end; anything else is an error. Conditions as for
// md5i_read_file_text(). With MD5_NO_FILES always fails, and uses nothing of the system.
bool md5i_read_system_file(md5_context *context, const char *path, md5_file_text *text);

#endif
