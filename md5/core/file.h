// Whole files in memory: of the system, or of the caller's own file functions. Files of the system
// are the only part of the library that uses one, beyond C11.
#ifndef MD5_CORE_FILE_H
#define MD5_CORE_FILE_H

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
    return MD5_FAIL(context, MD5_ERROR_IO,
                    "text is too large: expected less than 2 GiB, found %zu bytes", size);
}

// Reads a regular file to its end, anything else is an error; or lets the caller's open() do so.
// With MD5_HAS_FILES=0 no files of the system are read. `text` must be zeroed. Returns false with
// the context's error set; the caller frees `text` in any case.
bool md5i_read_file_text(md5_context *context, const char *path, md5_file_text *text);
void md5i_free_file_text(md5_context *context, md5_file_text *text);

// Check the arguments of a public function in debug builds. Release builds read a NULL text as an
// empty one and report a NULL path as an error.
#define MD5_ASSERT_PATH(path) MD5_ASSERT((path) != NULL, "path: must not be NULL")
#define MD5_ASSERT_TEXT(text, size) \
    MD5_ASSERT((text) != NULL || (size) == 0, "text: must not be NULL unless size is 0")

#endif
