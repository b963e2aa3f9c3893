// The bodies of stb_image and stb_image_write, which come as headers: PNG files in and out. image.c
// checks a file before stb_image reads it. What is written is compressed by zlib if it is there;
// stb's own compression takes three times as long, and its files are a fifth larger.
#include "demo/common/memory.h"
#include "demo/common/threads.h"
#include "demo/looks/png.h"
#include "md5/md5image.h"

#include <limits.h>

#ifdef HAS_STB

// The bytes of the largest image with 16 bits per channel, and of its rows' filters.
#define LARGEST_BLOCK ((size_t)MD5_MAX_IMAGE_PIXELS * 8 + (1u << 20))

// The limit of a block of memory while stb_image reads a file. stb_image unpacks all data that the
// file has, also if the image is smaller, and its hooks for memory take no context: the limit is
// kept for each thread, and view_load_png() sets it.
static _Thread_local size_t max_block = LARGEST_BLOCK;
static _Thread_local bool is_too_large;

static bool is_within_limit(size_t size)
{
    is_too_large |= size > max_block;
    return size <= max_block;
}

// Zeroed: missing pixels of a damaged file are black, not uninitialized memory.
static void *make_block(size_t size)
{
    return is_within_limit(size) ? calloc(1, size) : NULL;
}

static void *grow_block(void *block, size_t old_size, size_t size)
{
    unsigned char *const larger = is_within_limit(size) ? realloc(block, size) : NULL;
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

uint8_t *view_load_png(const uint8_t *bytes, size_t size, uint64_t num_pixels, uint32_t *width,
                       uint32_t *height, const char **reason)
{
    // Rows of 16 bits per channel with their filters; twice, as stb_image doubles a buffer of the
    // file's data or of an interlaced image that is too small by a few bytes.
    const uint64_t limit = 2 * (8 * num_pixels + size) + (1u << 16);
    int columns = 0;
    int rows = 0;
    int channels = 0;
    max_block = limit < LARGEST_BLOCK ? (size_t)limit : LARGEST_BLOCK;
    is_too_large = false;
    uint8_t *const rgba = stbi_load_from_memory(bytes, (int)size, &columns, &rows, &channels, 4);
    max_block = LARGEST_BLOCK;
    *width = (uint32_t)columns;
    *height = (uint32_t)rows;
    if (!rgba)
        *reason = is_too_large ? "invalid PNG: the data are larger than the image"
                               : stbi_failure_reason();
    return rgba;
}

#ifdef HAS_ZLIB
#include <zlib.h>

// Compresses in parts, on several cores: each is a stream of deflate that may refer to what is
// before it, and ends with a byte, so that one behind the other is what zlib wraps. They are the
// same on any number of cores.
enum { PART = 1 << 19, REACH = 1 << 15, ROOM = PART + PART / 64, MOST_PARTS = INT_MAX / PART + 1 };

typedef struct packing {
    unsigned char *bytes, *packed;  // packed: ROOM for each part
    size_t size, sizes[MOST_PARTS]; // sizes: of packed parts; 0: it failed
    int level;
} packing;

static void pack_parts(void *user, uint32_t worker, size_t begin, size_t end)
{
    (void)worker;
    packing *const all = user;
    enum { BITS = -15, MEMORY = 8 }; // bits of the reach, nothing around the stream
    for (size_t i = begin; i < end; i++) {
        const size_t left = all->size - i * PART;
        const bool is_last = left < PART;
        z_stream stream = {.next_in = all->bytes + i * PART,
                           .avail_in = (uInt)(is_last ? left : PART),
                           .next_out = all->packed + i * ROOM,
                           .avail_out = ROOM};
        if (deflateInit2(&stream, all->level, Z_DEFLATED, BITS, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
            continue;
        if (i > 0)
            deflateSetDictionary(&stream, stream.next_in - REACH, REACH);
        if (deflate(&stream, is_last ? Z_FINISH : Z_SYNC_FLUSH) == (is_last ? Z_STREAM_END : Z_OK))
            all->sizes[i] = stream.total_out;
        deflateEnd(&stream);
    }
}

// Ignores stb's quality.
static unsigned char *compress_png(unsigned char *bytes, int size, int *size_out, int quality)
{
    (void)quality;
    const size_t count = (size_t)size / PART + 1; // the last one may be empty
    const uLong sum = adler32(adler32(0, NULL, 0), bytes, (uInt)size);
    unsigned char *const wrapped = malloc(2 + count * ROOM + 4);
    if (!wrapped)
        return NULL;
    unsigned char *end = wrapped + 2;
    // Level 1 is 3 % larger and hardly faster, level 4 10 % smaller and 1.4 times as slow. A small
    // picture, of the web or of a file manager, becomes 16 % smaller in 4 ms more.
    packing all = {bytes, end, (size_t)size, {0}, count > 1 ? 2 : 6};
    const md5_threads *const threads = common_start_threads(count > 1 ? 4 : 1);
    md5_threads_run(threads, count, pack_parts, &all);
    common_stop_threads(threads);
    wrapped[0] = 0x78; // of zlib: deflate with this reach, fast
    wrapped[1] = 0x5E;
    bool is_whole = true;
    for (size_t i = 0; i < count; i++) {
        is_whole = is_whole && all.sizes[i] > 0;
        memmove(end, all.packed + i * ROOM, all.sizes[i]);
        end += all.sizes[i];
    }
    for (int i = 0; i < 4; i++)
        *end++ = (unsigned char)(sum >> (24 - 8 * i));
    *size_out = (int)(end - wrapped);
    if (is_whole && end - wrapped <= INT_MAX)
        return wrapped;
    free(wrapped);
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
