// The implementation of stb_image and stb_image_write, for PNG files. image.c checks a file before
// stb_image reads it. zlib compresses the output, if the build has it. stb's own compression takes
// three times as long, and its files are a fifth larger.
#include "demo/common/memory.h"
#include "demo/common/threads.h"
#include "demo/looks/png.h"
#include "md5/md5image.h"

#include <limits.h>

#ifdef HAS_STB

// Size in bytes of the largest image with 16 bits per channel, including the filter byte of each
// row.
#define LARGEST_BLOCK ((size_t)MD5_MAX_IMAGE_PIXELS * 8 + (1u << 20))

// The limit of a block of memory while stb_image reads a file. stb_image unpacks all data in the
// file, even if the image is smaller, so a small file could need very much memory. Its memory hooks
// have no context parameter. The limit is therefore stored per thread. view_load_png() sets it.
static _Thread_local size_t max_block = LARGEST_BLOCK;
static _Thread_local bool is_too_large;

// Returns true if stb_image may allocate a block of this size. If not, sets is_too_large.
static bool is_within_limit(size_t size)
{
    is_too_large |= size > max_block;
    return size <= max_block;
}

// Allocates zeroed memory, so that missing pixels of a damaged file are black.
static void *alloc_block(size_t size)
{
    return is_within_limit(size) ? calloc(1, size) : NULL;
}

// Enlarges a block of memory. The added bytes are 0.
static void *grow_block(void *block, size_t old_size, size_t size)
{
    unsigned char *const larger = is_within_limit(size) ? realloc(block, size) : NULL;
    if (larger && size > old_size)
        memset(larger + old_size, 0, size - old_size);
    return larger;
}

#define STBI_MALLOC(size) alloc_block(size)
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

// Decodes the file. The number of pixels limits the size of each block that stb_image allocates.
uint8_t *view_load_png(const uint8_t *bytes, size_t size, uint64_t num_pixels, uint32_t *width,
                       uint32_t *height, const char **reason)
{
    // Rows with 16 bits per channel and their filter bytes. stb_image doubles a buffer that is too
    // small by a few bytes, hence the factor 2.
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
        *reason = is_too_large ? "invalid PNG: expected the pixels of the image, found more data"
                               : stbi_failure_reason();
    return rgba;
}

#ifdef HAS_ZLIB
#include <zlib.h>

// Compresses the data in parts on several threads. Each part is a deflate stream that ends at a
// byte boundary, so the concatenated parts are one valid stream. A part can refer to the data
// before it. The result does not depend on the number of threads.
enum {
    PART_SIZE = 1 << 19,                          // bytes before compression
    WINDOW_SIZE = 1 << 15,                        // bytes before a part to which it can refer
    PACKED_CAPACITY = PART_SIZE + PART_SIZE / 64, // bytes of a part after compression, at most
    MAX_PARTS = INT_MAX / PART_SIZE + 1,
};

// The data of one image, which is divided into parts that several threads compress.
typedef struct packing {
    unsigned char *bytes;    // the data
    unsigned char *packed;   // PACKED_CAPACITY bytes for each part
    size_t size;             // bytes of the data
    size_t sizes[MAX_PARTS]; // bytes of packed parts; 0 if compression failed
    int level;               // compression level of zlib
} packing;

// Compresses one part of the data with zlib. The data before the part are its dictionary, so parts
// compress nearly as well as one stream.
static void pack_part(packing *all, size_t index)
{
    enum { WINDOW_BITS = -15, MEMORY = 8 }; // a negative number: a stream without zlib's header
    const size_t remaining = all->size - index * PART_SIZE;
    const bool is_last = remaining < PART_SIZE;
    const int flush = is_last ? Z_FINISH : Z_SYNC_FLUSH;
    const int success = is_last ? Z_STREAM_END : Z_OK;
    z_stream stream = {.next_in = all->bytes + index * PART_SIZE,
                       .avail_in = (uInt)(is_last ? remaining : PART_SIZE),
                       .next_out = all->packed + index * PACKED_CAPACITY,
                       .avail_out = PACKED_CAPACITY};
    if (deflateInit2(&stream, all->level, Z_DEFLATED, WINDOW_BITS, MEMORY, Z_DEFAULT_STRATEGY)
        != Z_OK)
        return;

    if (index > 0)
        deflateSetDictionary(&stream, stream.next_in - WINDOW_SIZE, WINDOW_SIZE);
    if (deflate(&stream, flush) == success)
        all->sizes[index] = stream.total_out;
    deflateEnd(&stream);
}

// Compresses the parts `begin` to `end` - 1. It is a callback of md5_threads_run(). `user` is the
// packing.
static void pack_parts(void *user, uint32_t worker, size_t begin, size_t end)
{
    (void)worker;
    for (size_t i = begin; i < end; i++)
        pack_part(user, i);
}

// Moves the packed parts together, so that there are no gaps between them. Returns the end of the
// last part, or NULL if the compression of a part failed.
static unsigned char *join_parts(const packing *all, size_t count)
{
    unsigned char *end = all->packed;
    for (size_t i = 0; i < count; i++) {
        if (all->sizes[i] == 0)
            return NULL;
        memmove(end, all->packed + i * PACKED_CAPACITY, all->sizes[i]);
        end += all->sizes[i];
    }
    return end;
}

// Compresses the data in `count` parts and moves the packed parts together at `packed`. Returns the
// end of the last part, or NULL if the compression of a part failed.
// NOLINTNEXTLINE(readability-non-const-parameter): `all` stores both pointers
static unsigned char *pack(unsigned char *bytes, size_t size, size_t count, unsigned char *packed)
{
    // For large images, level 1 is 3 % larger and hardly faster than level 2; level 4 is 10 %
    // smaller and takes 1.4 times as long. Small images of web pages or file managers become 16 %
    // smaller with level 6, which takes 4 ms longer.
    const bool is_large = count > 1;
    packing all = {.bytes = bytes, .packed = packed, .size = size, .level = is_large ? 2 : 6};
    const md5_threads *const threads = common_start_threads(is_large ? 4 : 1);
    md5_threads_run(threads, count, pack_parts, &all);
    common_stop_threads(threads);
    return join_parts(&all, count);
}

// Compresses the data of a PNG file for stb_image_write. The result has zlib's format: a header,
// the packed parts, and a checksum. stb's quality is ignored. Returns NULL on failure.
static unsigned char *compress_png(unsigned char *bytes, int size, int *size_out, int quality)
{
    enum { HEADER_SIZE = 2, CHECKSUM_SIZE = 4 }; // sizes in zlib's format
    (void)quality;
    const size_t count = (size_t)size / PART_SIZE + 1; // the last part can be empty
    unsigned char *const wrapped = malloc(HEADER_SIZE + count * PACKED_CAPACITY + CHECKSUM_SIZE);
    if (!wrapped)
        return NULL;
    unsigned char *end = pack(bytes, (size_t)size, count, wrapped + HEADER_SIZE);
    if (!end) {
        free(wrapped);
        return NULL;
    }

    wrapped[0] = 0x78; // header of zlib: deflate with this window, fast
    wrapped[1] = 0x5E;
    const uLong sum = adler32(adler32(0, NULL, 0), bytes, (uInt)size);
    for (int i = 0; i < CHECKSUM_SIZE; i++) // big endian
        *end++ = (unsigned char)(sum >> (24 - 8 * i));
    *size_out = (int)(end - wrapped);
    if (end - wrapped <= INT_MAX)
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
typedef int view_no_stb; // C does not allow empty files
#endif
