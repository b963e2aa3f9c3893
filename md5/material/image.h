// Declarations that image.c, image_program.c and the parsers of materials share: images in memory,
// image programs and built-in images.
#ifndef MD5_MATERIAL_IMAGE_H
#define MD5_MATERIAL_IMAGE_H

#include "md5/core/context.h"
#include "md5/decl/decl_lex.h"
#include "md5/md5image.h"
#include "md5/md5material.h"

enum { MD5_IMAGE_CHANNELS = 4 };

// Starts a public call, like md5i_context_begin(): clears `error` and applies `opts`. Both may be
// NULL.
void md5i_image_begin(md5_context *context, const md5_image_opts *opts, md5_error *error);

#define MD5_ASSERT_IMAGE_OPTS(opts)                                                           \
    (MD5_ASSERT(!(opts) || !(opts)->allocator.alloc == !(opts)->allocator.free,               \
                "opts: allocator.alloc and allocator.free must both be set or both be NULL"), \
     MD5_ASSERT(!(opts) || !(opts)->decoder.decode == !(opts)->decoder.release,               \
                "opts: decoder.decode and decoder.release must both be set or both be NULL"), \
     MD5_ASSERT_RESERVED(opts))

// Returns an image with uninitialized pixels. Returns NULL and sets the context's error if the size
// is 0 or exceeds MD5_MAX_IMAGE_SIDE or MD5_MAX_IMAGE_PIXELS, or if memory runs out.
md5_image *md5i_new_image(md5_context *context, uint32_t width, uint32_t height);

// Frees an image that is counted in context->memory_held. `image` may be NULL.
void md5i_free_image(md5_context *context, md5_image *image);

static inline size_t md5_image_texels(const md5_image *image)
{
    return (size_t)image->width * image->height;
}

// Little-endian integers in files.
static inline uint32_t md5_read_u16le(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

static inline uint32_t md5_read_u32le(const uint8_t *bytes)
{
    return md5_read_u16le(bytes) | md5_read_u16le(bytes + 2) << 16;
}

// Truncates a number to an integer and returns its lowest byte. Returns 0 if the number is outside
// of the range of int, like the processors that the engine runs on.
static inline uint8_t md5_lowest_byte(float number)
{
    const float limit = 2147483648.0f;
    if (number > -limit && number < limit)
        return (uint8_t)((uint32_t)(int32_t)number & 255);
    return 0;
}

// == Programs =====================================================================================
//
// Image programs: NAME, or OPERATION( ... ) nested to any depth.
//
// The engine reads a program twice. First it converts the program in the material to a text of at
// most 255 bytes, which becomes the name of the image. Then it reads that text when it creates the
// image. This library does the same, with one parser.

enum { MD5_IMAGE_TEXT = 256 };

// Reads a program and writes its text: the tokens, separated by one space, without a space before
// `(`, `,` and `)`. Reports missing tokens. Returns false if memory runs out.
bool md5i_read_image_text(md5_decl_lex *lex, char text[MD5_IMAGE_TEXT]);

// Builds a program from its text, in game->arena. The text of the program has no `.tga`, and
// contains `/` instead of `\`. An empty text becomes `_default`. Returns false if memory runs out.
bool md5i_build_image_program(md5_game *game, const char *text, md5_image_program *program);

// == Built-in images ==============================================================================
//
// Images that the engine generates. Their names begin with `_`.

// Sets the repeat mode and the filter of a stage to the modes of a built-in image. The material's
// keywords have no effect on them. If `name` is not a built-in image, sets MD5_IMAGE_REPEAT.
void md5i_set_builtin_sampling(const char *name, md5_stage *stage);

#endif
