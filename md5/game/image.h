// Pictures in memory: what the files image*.c share.
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

// Checks a size against the limits. Returns false and sets the error.
bool md5i_check_image_size(md5_context *context, uint32_t width, uint32_t height);

static inline size_t md5_image_texels(const md5_image *image)
{
    return (size_t)image->width * image->height;
}

// Decoders of one format. Return NULL and set the error if the bytes are damaged.
md5_image *md5i_read_tga(md5_context *context, const uint8_t *bytes, size_t size);
md5_image *md5i_read_pcx(md5_context *context, const uint8_t *bytes, size_t size);
md5_image *md5i_read_dds(md5_context *context, const uint8_t *bytes, size_t size);

// Resamples `image` to the powers of two below its sides and frees it; returns it unchanged if both
// are powers of two. If memory runs out, returns NULL and does not free it.
md5_image *md5i_round_image(md5_context *context, md5_image *image);

// Operations of image programs that need more than one texel. They change `image`; the second
// picture may have another size. Return false if memory runs out.
bool md5i_make_heights_normals(md5_context *context, md5_image *image, float scale);
bool md5i_smooth_normals(md5_context *context, md5_image *image);
void md5i_add_normals(md5_image *image, const md5_image *other);

// The texel of `other` that lies over column x and row y of `image`: the nearest one above and
// left of it.
const uint8_t *md5i_texel_over(const md5_image *image, const md5_image *other, uint32_t x,
                               uint32_t y);

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
