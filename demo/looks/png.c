// The bodies of stb_image and stb_image_write, which come as headers: PNG files in and out. image.c
// checks a file before stb_image reads it. What is written is compressed by zlib if it is there;
// stb's own compression takes three times as long, and its files are a fifth larger.
#include "md5/md5image.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAS_STB

// The size of the largest picture with 16 bits per channel, twice: for intermediate buffers.
// stb_image allocates as much as the file claims.
static const size_t max_block = (size_t)MD5_MAX_IMAGE_PIXELS * 8 + (1u << 20);

// Zeroed: missing pixels of a damaged file are black, not uninitialized memory.
static void *make_block(size_t size)
{
    return size <= max_block ? calloc(1, size) : NULL;
}

static void *grow_block(void *block, size_t old_size, size_t size)
{
    unsigned char *const larger = size <= max_block ? realloc(block, size) : NULL;
    if (larger && size > old_size)
        memset(larger + old_size, 0, size - old_size);
    return larger;
}

#define STBI_MALLOC(size) make_block(size)
#define STBI_REALLOC_SIZED(block, old_size, size) grow_block(block, old_size, size)
#define STBI_FREE(block) free(block)
#define STBI_MAX_DIMENSIONS MD5_MAX_IMAGE_SIDE
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#if defined(__EMSCRIPTEN__) && !defined(HAS_JPEG)
#define STBI_ONLY_JPEG // too; see decode_jpeg()
#endif
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>

#ifdef HAS_ZLIB
#include <zlib.h>

// Ignores stb's quality. Level 1 is 3 % larger and hardly faster, level 4 10 % smaller and 1.4
// times as slow.
static unsigned char *compress_png(const unsigned char *bytes, int size, int *size_out, int quality)
{
    (void)quality;
    enum { LEVEL = 2 };
    uLongf packed_size = compressBound((uLong)size);
    unsigned char *const packed = malloc(packed_size);
    if (packed && compress2(packed, &packed_size, bytes, (uLong)size, LEVEL) == Z_OK
        && packed_size <= INT_MAX) {
        *size_out = (int)packed_size;
        return packed;
    }
    free(packed);
    return NULL;
}

#define STBIW_ZLIB_COMPRESS compress_png
#define STBIW_CRC32(bytes, size) ((unsigned int)crc32(0, bytes, (uInt)(size)))
#endif

#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

#else
typedef int view_no_stb; // a file of C holds something
#endif
