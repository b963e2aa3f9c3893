// The bytes of a whole file.
#ifndef MD5_FILE_TEXT_H
#define MD5_FILE_TEXT_H

#include "md5/core/context.h"

typedef struct md5_file_text {
    char *bytes; // from the context's allocator
    size_t size, room;
} md5_file_text;

// Reads files, pipes and character devices to their end; `text` is zeroed before. Waits for a
// pipe's writer, but not for one to come. Returns false with the context's error set; what was read
// so far is still to be freed.
bool md5_read_file_text(md5_context *context, const char *path, md5_file_text *text);
void md5_free_file_text(md5_context *context, md5_file_text *text);

// Lines, columns and counts have 32 bits, and so has twice any count that a text can hold: an error
// if this one is longer than that allows.
bool md5_check_text_size(md5_context *context, size_t size);

#endif
