// The bytes of a saved player: written and read by the same walk over its state, so that both
// always agree. Numbers are little-endian, floats IEEE 754: the bytes are the same on every
// platform.
//
// Reading goes through the bytes twice: first every number is checked, then all are stored. So a
// fault at the end changes nothing.
#ifndef MD5_PLAY_RUN_ARCHIVE_H
#define MD5_PLAY_RUN_ARCHIVE_H

#include "md5/core/context.h"

typedef enum md5_archive_mode {
    MD5_ARCHIVE_WRITE,
    MD5_ARCHIVE_CHECK, // reads and checks
    MD5_ARCHIVE_STORE, // reads what has been checked
} md5_archive_mode;

typedef struct md5_archive {
    md5_archive_mode mode;
    uint8_t *to;          // WRITE; NULL: only counts
    const uint8_t *from;  // CHECK, STORE
    size_t size, used;    // bytes
    uint32_t version;     // of the format
    md5_context *context; // CHECK
} md5_archive;

// Each writes *value, or reads it, and checks that it is in least..most; `what` names it in the
// message. They return false if it is not, if the bytes end, or if there is no more room.
bool md5i_keep_uint(md5_archive *archive, uint32_t *value, uint32_t least, uint32_t most,
                    const char *what);
bool md5i_keep_int(md5_archive *archive, int32_t *value, int32_t least, int32_t most,
                   const char *what);
bool md5i_keep_int64(md5_archive *archive, int64_t *value, int64_t least, int64_t most,
                     const char *what);
bool md5i_keep_uint64(md5_archive *archive, uint64_t *value);
bool md5i_keep_bool(md5_archive *archive, bool *value, const char *what);
bool md5i_keep_float(md5_archive *archive, float *value, float least, float most, const char *what);
bool md5i_keep_double(md5_archive *archive, double *value, double least, double most,
                      const char *what);

// Any floats, also those that are not finite: for values that a caller may set to anything.
bool md5i_keep_floats(md5_archive *archive, float *values, size_t count);

// Reports what is wrong with the bytes just read, with their position. Returns false.
bool md5i_archive_fail(md5_archive *archive, md5_status status, const char *what);

#endif
