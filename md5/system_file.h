// Files of the operating system: the only part of the library that uses one, beyond C11.
#ifndef MD5_SYSTEM_FILE_H
#define MD5_SYSTEM_FILE_H

#include "md5/file_text.h"

// Reads a file, pipe or character device to its end. Conditions as for md5_read_file_text(). With
// MD5_NO_FILES always fails, and uses nothing of the system.
bool md5_read_system_file(md5_context *context, const char *path, md5_file_text *text);

#endif
