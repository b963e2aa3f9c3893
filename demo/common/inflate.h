// Decompresses deflate (RFC 1951), the method of zip files.
#ifndef DEMO_COMMON_INFLATE_H
#define DEMO_COMMON_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

// Decompresses `from` into exactly to[to_size]. Returns false if the data are broken, or give more
// or fewer bytes. Reads and writes nothing outside the two arrays.
bool common_inflate(const unsigned char *from, size_t from_size, unsigned char *to, size_t to_size);

#endif
