// Pictures in memory: what image.c and image_program.c share.
#ifndef MD5_GAME_IMAGE_H
#define MD5_GAME_IMAGE_H

#include "md5/core/context.h"
#include "md5/md5image.h"

enum { MD5_IMAGE_CHANNELS = 4 };

// Begins a public call, as md5i_context_begin(): clears `error`, applies `opts`; both may be NULL.
void md5i_image_begin(md5_context *context, const md5_image_opts *opts, md5_error *error);

#define MD5_ASSERT_IMAGE_OPTS(opts)                                             \
    (MD5_ASSERT(!(opts) || !(opts)->allocator.alloc == !(opts)->allocator.free, \
                "opts: the allocator has both functions or none"),              \
     MD5_ASSERT(!(opts) || !(opts)->decoder.decode == !(opts)->decoder.release, \
                "opts: the decoder has both functions or none"),                \
     MD5_ASSERT_RESERVED(opts))

// Returns a picture whose pixels are not set; NULL and an error beyond the limits.
md5_image *md5i_new_image(md5_context *context, uint32_t width, uint32_t height);

// Frees a picture that counts in context->memory_held. NULL is allowed.
void md5i_drop_image(md5_context *context, md5_image *image);

static inline size_t md5_image_texels(const md5_image *image)
{
    return (size_t)image->width * image->height;
}

// Numbers in files.
static inline uint32_t md5_little16(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

static inline uint32_t md5_little32(const uint8_t *bytes)
{
    return md5_little16(bytes) | md5_little16(bytes + 2) << 16;
}

// The lowest byte of a number that is truncated to an integer. 0 if it is out of the range of int,
// as on the engine's processors.
static inline uint8_t md5_lowest_byte(float number)
{
    const float limit = 2147483648.0f;
    return number > -limit && number < limit ? (uint8_t)((uint32_t)(int32_t)number & 255) : 0;
}

#endif
