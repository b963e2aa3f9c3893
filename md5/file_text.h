// Whole files in memory: of the system, or of the caller's own file functions.
#ifndef MD5_FILE_TEXT_H
#define MD5_FILE_TEXT_H

#include "md5/system_file.h"

// Reads a regular file to its end; or lets the caller's open() do so. `text` must be zeroed.
// Returns false with the context's error set; the caller frees `text` in any case.
bool md5i_read_file_text(md5_context *context, const char *path, md5_file_text *text);
void md5i_free_file_text(md5_context *context, md5_file_text *text);

#endif
