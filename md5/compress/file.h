// Reads the bytes of a compressed clip.
#ifndef MD5_COMPRESS_FILE_H
#define MD5_COMPRESS_FILE_H

#include "md5/compress/packed.h"

// Makes a compressed clip of bytes: whatever they are, in linear time. Reports errors; returns
// false.
bool md5i_read_compressed(md5_arena *arena, const char *bytes, size_t size, void **asset);

#endif
