// Values in binary files, whose byte order is mixed. After the first failure every value is 0, so
// that only counts and what follows from values need a check.
#ifndef MD5_READ_BINARY_H
#define MD5_READ_BINARY_H

#include "md5/core/arena.h"
#include "md5/core/lex.h"

typedef struct md5_binary {
    md5_arena *arena;
    const unsigned char *start, *at, *end;
    bool has_failed;
} md5_binary;

void md5i_binary_begin(md5_binary *in, md5_arena *arena, const char *bytes, size_t size);

// Reports an error at the byte that is read next, or where the file ends: the file counts as one
// line. Returns false.
bool md5i_binary_fail(md5_binary *in, md5_status status, const char *format, ...) MD5_PRINTF(3, 4);

// Returns `size` bytes and steps over them; NULL if there are fewer.
const unsigned char *md5i_binary_take(md5_binary *in, size_t size);

uint32_t md5i_binary_big_32(md5_binary *in);
uint32_t md5i_binary_little_32(md5_binary *in);
float md5i_binary_big_float(md5_binary *in);
float md5i_binary_little_float(md5_binary *in);

// Reads a length in little-endian order, then that many bytes, which are no NUL.
bool md5i_binary_text(md5_binary *in, md5_span *text, const char *what);

// Reads how many items of `bytes` each follow, at least `least`. Messages call them `what`.
bool md5i_binary_count(md5_binary *in, const char *what, uint32_t least, size_t bytes,
                       uint32_t *count);

// Reads three floats in little-endian order, within 1e9.
bool md5i_binary_point(md5_binary *in, md5_vec3 *point);

// Reads a rotation of four floats in big-endian order, and turns it into one of ours: id's engine
// multiplies vectors from the left, so that w changes its sign.
bool md5i_binary_rotation(md5_binary *in, md5_quat *rotation);

#endif
