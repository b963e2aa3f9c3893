// Reads whole files into memory, from the file system or through the caller's file functions
// (md5_load_opts.files). This is the only part of the library that uses an operating system beyond
// C11.
#ifndef MD5_CORE_FILE_H
#define MD5_CORE_FILE_H

#include "md5/core/context.h"

// A whole file in memory.
typedef struct md5_file_text {
    const char *bytes;
    size_t size;
    // [capacity] from the context's allocator. NULL if the caller's file functions own `bytes`.
    char *memory;
    size_t capacity;
} md5_file_text;

// Reports an error if a text has 2 GiB or more. In a smaller text, lines, columns and twice any
// count fit into 32 bits.
static inline bool md5_check_text_size(md5_context *context, size_t size)
{
    if (size < INT32_MAX)
        return true;
    return MD5_FAIL(context, MD5_ERROR_IO,
                    "text is too large: expected less than 2 GiB, found %zu bytes", size);
}

// Reads a file with the caller's open() if it is set, otherwise from the file system. Only regular
// files are read: folders, pipes and devices are errors. With MD5_HAS_FILES=0 the file system is
// not used. `text` must be zeroed. Returns false and sets the context's error on failure. The
// caller must free `text` in both cases.
bool md5i_read_file_text(md5_context *context, const char *path, md5_file_text *text);
void md5i_free_file_text(md5_context *context, md5_file_text *text);

// Check the arguments of a public function in debug builds. Release builds treat a NULL text as
// empty and report a NULL path as an error.
#define MD5_ASSERT_PATH(path) MD5_ASSERT((path) != NULL, "path: must not be NULL")
#define MD5_ASSERT_TEXT(text, size) \
    MD5_ASSERT((text) != NULL || (size) == 0, "text: must not be NULL unless size is 0")

#endif
