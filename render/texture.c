// Textures: pictures on models, and masks of the panel.
#include "render/gl_internal.h"

typedef struct texture_format {
    GLint internal;
    GLenum external;
    GLint alignment; // of rows in memory
    bool repeats;    // and has mipmaps
} texture_format;

// Mipmaps of an sRGB texture are averaged in linear colour, as they should be.
static const texture_format picture_format = {GL_SRGB8_ALPHA8, GL_RGBA, 4, true};
static const texture_format mask_format = {GL_R8, GL_RED, 1, false};

static void set_sampling(const GladGLContext *gl, bool repeats)
{
    const GLint wrap = repeats ? GL_REPEAT : GL_CLAMP_TO_EDGE;
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                      repeats ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
}

static md5gl_texture create_texture(md5gl_renderer *renderer, const texture_format *format,
                                    uint32_t width, uint32_t height, const void *texels,
                                    md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const uint32_t most = renderer->max_texture_size;
    md5gl_clear_error(error);
    if (width == 0 || height == 0 || width > most || height > most) {
        md5gl_fail(error, MD5_ERROR_GPU,
                   "a texture of %u x %u: GL_MAX_TEXTURE_SIZE is %u, the least is 1",
                   (unsigned)width, (unsigned)height, (unsigned)most);
        return 0;
    }
    md5gl_drop_errors(renderer);
    md5gl_reset_transfers(renderer);
    GLuint texture = 0;
    gl->GenTextures(1, &texture);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, format->alignment);
    // Row 0 in memory is v = 0, which is the top row of the picture, as in MD5.
    gl->TexImage2D(GL_TEXTURE_2D, 0, format->internal, (GLsizei)width, (GLsizei)height, 0,
                   format->external, GL_UNSIGNED_BYTE, texels);
    set_sampling(gl, format->repeats);
    if (format->repeats)
        gl->GenerateMipmap(GL_TEXTURE_2D);
    gl->BindTexture(GL_TEXTURE_2D, 0);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    if (md5gl_check(renderer, "making a texture", error))
        return texture;
    gl->DeleteTextures(1, &texture);
    return 0;
}

md5gl_texture md5gl_create_texture(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                   const uint8_t *rgba, md5_error *error)
{
    return create_texture(renderer, &picture_format, width, height, rgba, error);
}

md5gl_texture md5gl_create_mask(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                const uint8_t *coverage, md5_error *error)
{
    return create_texture(renderer, &mask_format, width, height, coverage, error);
}

void md5gl_destroy_texture(md5gl_renderer *renderer, md5gl_texture texture)
{
    renderer->gl.DeleteTextures(1, &texture);
}
