// Whole files in memory: of the system, or of the caller's own file functions.
#ifndef MD5_FILE_TEXT_H
#define MD5_FILE_TEXT_H

#include "md5/core/context.h"

typedef struct md5_file_text {
    const char *bytes;
    size_t size;
    char
        *memory; // from the context's allocator, `room` bytes; NULL if the caller's open() has made
    size_t room; // `bytes`
} md5_file_text;

// Reads a file, pipe or character device to its end; or lets the caller's open() do so. `text` must
// be zeroed. Waits for data from a pipe's writer, but a pipe without a writer is an error. Returns
// false with the context's error set; the caller frees `text` in any case.
bool md5_read_file_text(md5_context *context, const char *path, md5_file_text *text);
void md5_free_file_text(md5_context *context, md5_file_text *text);

// Reports an error if a text has 2 GiB or more: then lines, columns and twice any count fit 32
// bits.
static inline bool md5_check_text_size(md5_context *context, size_t size)
{
    if (size < INT32_MAX)
        return true;
    return md5_fail(context, MD5_ERROR_IO, 0, 0, "the text has %zu bytes: expected less than 2 GiB",
                    size);
}

#endif
