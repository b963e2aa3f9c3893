// Whole files in memory: of the system, or of the caller's own file functions.
#ifndef MD5_CORE_FILE_TEXT_H
#define MD5_CORE_FILE_TEXT_H

#include "md5/core/system_file.h"

// Reads a regular file to its end; or lets the caller's open() do so. `text` must be zeroed.
// Returns false with the context's error set; the caller frees `text` in any case.
bool md5i_read_file_text(md5_context *context, const char *path, md5_file_text *text);
void md5i_free_file_text(md5_context *context, md5_file_text *text);

// Check the arguments of a public function in debug builds. Release builds read a NULL text as an
// empty one and report a NULL path as an error.
#define MD5_ASSERT_PATH(path) MD5_ASSERT((path) != NULL, "path: not NULL")
#define MD5_ASSERT_TEXT(text, size) \
    MD5_ASSERT((text) != NULL || (size) == 0, "text: not NULL unless size is 0")

#endif
