// Textures: colour and normal maps of models, and masks of the panel.
#include "render/mipmap.h"

#include <string.h>

typedef struct texture_format {
    GLint internal;
    GLenum external;
    GLint alignment; // of rows in memory
    bool repeats;    // and has mipmaps
} texture_format;

static const texture_format picture_format = {GL_SRGB8_ALPHA8, GL_RGBA, 4, true};
static const texture_format normals_format = {GL_RGBA8, GL_RGBA, 4, true};
static const texture_format mask_format = {GL_R8, GL_RED, 1, false};

void md5gli_set_sampling(const GladGLContext *gl, bool repeats, GLint magnify, GLint minify)
{
    const GLint wrap = repeats ? GL_REPEAT : GL_CLAMP_TO_EDGE;
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, magnify);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, minify);
}

GLuint md5gli_begin_texture(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                            md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const uint32_t limit = renderer->max_texture_size;
    md5gli_clear_error(error);
    if (width == 0 || height == 0 || width > limit || height > limit) {
        md5gli_fail(error, MD5_ERROR_GPU,
                    "texture of %u x %u: a side must be 1 to %u texels (GL_MAX_TEXTURE_SIZE)",
                    (unsigned)width, (unsigned)height, (unsigned)limit);
        return 0;
    }
    md5gli_clear_gl_errors(renderer);
    md5gli_reset_transfers(renderer);
    GLuint texture = 0;
    gl->GenTextures(1, &texture);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    if (texture == 0) // as on a lost context
        md5gli_fail(error, MD5_ERROR_GPU, "GL creates no texture");
    return texture;
}

md5gl_texture md5gli_end_texture(md5gl_renderer *renderer, GLuint texture, bool uploaded,
                                 md5_error *error)
{
    renderer->gl.BindTexture(GL_TEXTURE_2D, 0);
    if (uploaded && md5gli_check(renderer, "creating a texture", error))
        return texture;
    renderer->gl.DeleteTextures(1, &texture);
    return 0;
}

static md5gl_texture create_texture(md5gl_renderer *renderer, const texture_format *format,
                                    uint32_t width, uint32_t height, const void *texels,
                                    md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const GLuint texture = md5gli_begin_texture(renderer, width, height, error);
    if (texture == 0)
        return 0;
    md5gli_set_sampling(gl, format->repeats, GL_LINEAR,
                        format->repeats ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
    // Row 0 in memory is v = 0, which is the top row of the picture, as in MD5.
    bool uploaded = true;
    if (format->repeats) {
        uploaded = md5gli_upload_levels(renderer, GL_TEXTURE_2D, format->internal, width, height,
                                        (const uint8_t *)texels, error);
    } else {
        gl->PixelStorei(GL_UNPACK_ALIGNMENT, format->alignment);
        gl->TexImage2D(GL_TEXTURE_2D, 0, format->internal, (GLsizei)width, (GLsizei)height, 0,
                       format->external, GL_UNSIGNED_BYTE, texels);
        gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    }
    return md5gli_end_texture(renderer, texture, uploaded, error);
}

static bool is_opaque(const uint8_t *rgba, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rgba[4 * i + 3] != 255)
            return false;
    }
    return true;
}

// Marks a texture as opaque: its alpha is a constant 1.
static void mark_opaque(const GladGLContext *gl, GLuint texture)
{
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_A, GL_ONE);
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

bool md5gli_texture_is_opaque(md5gl_renderer *renderer, md5gl_texture texture)
{
    const GladGLContext *gl = &renderer->gl;
    GLint alpha = GL_ALPHA;
    if (renderer->is_webgl)
        return false;
    gl->ActiveTexture(GL_TEXTURE0 + MD5GL_UNIT_TEXTURE);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->GetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_A, &alpha);
    return alpha == GL_ONE;
}

md5gl_texture md5gl_create_texture(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                   const uint8_t *rgba, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && rgba != NULL, "renderer, rgba: not NULL");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    const md5gl_texture texture =
        create_texture(renderer, &picture_format, width, height, rgba, error);
    if (texture && !renderer->is_webgl && is_opaque(rgba, (size_t)width * height))
        mark_opaque(&renderer->gl, texture);
    return texture;
}

md5gl_texture md5gli_create_checker(md5gl_renderer *renderer, md5_error *error)
{
    enum { SIDE = 128, CELL = 16 };
    const size_t size = (size_t)SIDE * SIDE * 4;
    uint8_t *const cells = (uint8_t *)md5gli_alloc(&renderer->allocator, size, 1, error);
    if (!cells)
        return 0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        const bool is_light = (i % SIDE / CELL + i / SIDE / CELL) % 2;
        memset(cells + 4 * i, is_light ? 196 : 138, 3);
        cells[4 * i + 3] = 255;
    }
    const md5gl_texture texture = md5gl_create_texture(renderer, SIDE, SIDE, cells, error);
    md5gli_free(&renderer->allocator, cells, size);
    return texture;
}

// Converts to id's encoding: x in red, y along increasing v in green.
static void reorder(const uint8_t *rgba, size_t count, uint32_t normals, uint8_t *ordered)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const from = rgba + 4 * i;
        uint8_t *const to = ordered + 4 * i;
        to[0] = normals & MD5GL_NORMALS_RXGB ? from[3] : from[0];
        to[1] = normals & MD5GL_NORMALS_GREEN_UP ? (uint8_t)(255 - from[1]) : from[1];
        to[2] = from[2];
        to[3] = 255;
    }
}

md5gl_texture md5gl_create_normal_map(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                      const uint8_t *rgba, uint32_t normals, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && rgba != NULL, "renderer, rgba: not NULL");
    MD5_ASSERT((normals & ~(uint32_t)(MD5GL_NORMALS_GREEN_UP | MD5GL_NORMALS_RXGB)) == 0,
               "normals: flags of md5gl_normals");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    const size_t count = (size_t)width * height;
    if (normals == 0)
        return create_texture(renderer, &normals_format, width, height, rgba, error);
    uint8_t *const ordered = (uint8_t *)md5gli_alloc(&renderer->allocator, count, 4, error);
    if (!ordered)
        return 0;
    reorder(rgba, count, normals, ordered);
    const md5gl_texture texture =
        create_texture(renderer, &normals_format, width, height, ordered, error);
    md5gli_free(&renderer->allocator, ordered, 4 * count);
    return texture;
}

md5gl_texture md5gl_create_mask(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                const uint8_t *coverage, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && coverage != NULL, "renderer, coverage: not NULL");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    return create_texture(renderer, &mask_format, width, height, coverage, error);
}

void md5gl_destroy_texture(md5gl_renderer *renderer, md5gl_texture texture)
{
    MD5_ASSERT(renderer != NULL, "renderer: not NULL");
    renderer->gl.DeleteTextures(1, &texture);
}
