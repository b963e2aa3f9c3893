// Pictures in memory: what image.c and image_program.c share; image programs and built-in pictures.
#ifndef MD5_MATERIAL_IMAGE_H
#define MD5_MATERIAL_IMAGE_H

#include "md5/core/context.h"
#include "md5/decl/decl_lex.h"
#include "md5/md5image.h"
#include "md5/md5material.h"

enum { MD5_IMAGE_CHANNELS = 4 };

// Begins a public call, as md5i_context_begin(): clears `error`, applies `opts`; both may be NULL.
void md5i_image_begin(md5_context *context, const md5_image_opts *opts, md5_error *error);

#define MD5_ASSERT_IMAGE_OPTS(opts)                                                           \
    (MD5_ASSERT(!(opts) || !(opts)->allocator.alloc == !(opts)->allocator.free,               \
                "opts: allocator.alloc and allocator.free must both be set or both be NULL"), \
     MD5_ASSERT(!(opts) || !(opts)->decoder.decode == !(opts)->decoder.release,               \
                "opts: decoder.decode and decoder.release must both be set or both be NULL"), \
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

// == Programs =====================================================================================
//
// Image programs: NAME, or OPERATION( ... ) nested to any depth.
//
// The engine reads a program twice: first from the material, to a text of at most 255 bytes that
// names the image; then from that text, when it makes the image. So do we, with one reader.

enum { MD5_IMAGE_TEXT = 256 };

// Reads a program and writes its text: tokens with one blank between them, none before ( , and ).
// Reports tokens that are missing. Returns false if memory runs out.
bool md5i_read_image_text(md5_decl_lex *lex, char text[MD5_IMAGE_TEXT]);

// Makes the program of a text: without .tga, with / for \; "" becomes _default. Uses game->arena.
// Returns false if memory runs out.
bool md5i_make_image_program(md5_game *game, const char *text, md5_image_program *program);

// == Built-in pictures ============================================================================
//
// Pictures that the engine generates.

// Sets how a stage samples a built-in picture, whatever its material says; another one is repeated.
void md5i_set_builtin_sampling(const char *name, md5_stage *stage);

#endif
