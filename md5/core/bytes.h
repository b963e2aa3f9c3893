// Little-endian numbers in the bytes of files and of saved states; a checksum of bytes.
#ifndef MD5_CORE_BYTES_H
#define MD5_CORE_BYTES_H

#include "md5/core/compiler.h"

// Returns true if a file has at least 4 bytes and begins with the text `begin`, of up to 4 bytes.
static inline bool md5_has_magic(const char *bytes, size_t size, const char *begin)
{
    return size >= 4 && memcmp(bytes, begin, strlen(begin)) == 0;
}

// Writes the lowest `count` bytes of a number, at most 8, in little-endian order.
static inline void md5_write_le(unsigned char *to, uint64_t value, size_t count)
{
    const uint64_t bytes = md5_read_u64le(&value); // swaps the bytes if the processor is big-endian
    memcpy(to, &bytes, count);
}

// Reads a little-endian number of `count` bytes, at most 8.
static inline uint64_t md5_read_le(const unsigned char *from, size_t count)
{
    uint64_t bytes = 0;
    memcpy(&bytes, from, count);
    return md5_read_u64le(&bytes);
}

// A position in the bytes of a saved state, which are either written or read. The same sequence of
// calls does both, so that the written and the read format cannot differ. Each number, integer or
// float, has 4 or 8 bytes.
typedef struct md5_state_archive {
    unsigned char *to;         // next byte to write; NULL while reading
    const unsigned char *from; // next byte to read
} md5_state_archive;

// Writes or reads a number of 4 bytes in little-endian order, and advances the archive. If the
// archive is written (`to` is not NULL), *number is copied to it; otherwise *number is set from it.
static inline void md5_archive_32(md5_state_archive *archive, void *number)
{
    uint32_t bits = 0;
    if (archive->to) {
        memcpy(&bits, number, sizeof bits);
        md5_write_le(archive->to, bits, sizeof bits);
        archive->to += sizeof bits;
        return;
    }
    bits = (uint32_t)md5_read_le(archive->from, sizeof bits);
    archive->from += sizeof bits;
    memcpy(number, &bits, sizeof bits);
}

// Like md5_archive_32(), for a number of 8 bytes.
static inline void md5_archive_64(md5_state_archive *archive, void *number)
{
    uint64_t bits = 0;
    if (archive->to) {
        memcpy(&bits, number, sizeof bits);
        md5_write_le(archive->to, bits, sizeof bits);
        archive->to += sizeof bits;
        return;
    }
    bits = md5_read_le(archive->from, sizeof bits);
    archive->from += sizeof bits;
    memcpy(number, &bits, sizeof bits);
}

// Initial value of the hash that md5_fnv() computes.
#define MD5_FNV UINT64_C(0xCBF29CE484222325)
// Returns the hash of the bytes so far, `hash`, and of the next `size` bytes. The first call passes
// MD5_FNV. The algorithm is FNV-1a with 64 bits: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash
// Algorithm". It detects accidental changes, but not manipulation.
static inline uint64_t md5_fnv(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001B3);
    return hash;
}

#endif
