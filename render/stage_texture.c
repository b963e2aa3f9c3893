// Textures of stages: texels as they are in the file, and what is outside of a texture.
#include "render/md5gl_game.h"
#include "render/mipmap.h"

#include <string.h>

// Borders of another colour than the edge's are texels, as in id's engine: OpenGL ES 3.0 has no
// other ones.
static void fill_border(const md5gl_level *level, uint8_t alpha)
{
    const uint8_t border[4] = {0, 0, 0, alpha};
    for (uint32_t y = 0; y < level->height; y++) {
        const bool whole = y == 0 || y + 1 == level->height;
        for (uint32_t x = 0; x < level->width;
             x += whole || x + 1 == level->width ? 1 : level->width - 1)
            memcpy(level->rgba + 4 * ((size_t)y * level->width + x), border, 4);
    }
}

static void upload_level(const GladGLContext *gl, GLint number, const md5gl_level *level)
{
    gl->TexImage2D(GL_TEXTURE_2D, number, GL_RGBA8, (GLsizei)level->width, (GLsizei)level->height,
                   0, GL_RGBA, GL_UNSIGNED_BYTE, level->rgba);
}

// Uploads all levels of a copy whose borders are filled: the mean of a border and what is inside is
// no border.
static bool upload_bordered(md5gl_renderer *renderer, const md5gl_level *source, uint8_t alpha,
                            bool nearest, md5_error *error)
{
    const size_t size = (size_t)source->width * source->height * 4;
    md5gl_level level = *source;
    level.rgba = (uint8_t *)md5gli_alloc(&renderer->allocator, size, 1, error);
    if (!level.rgba)
        return false;
    memcpy(level.rgba, source->rgba, size);
    md5gl_encoding bytes;
    md5gli_prepare_encoding(&bytes, false);
    fill_border(&level, alpha);
    upload_level(&renderer->gl, 0, &level);
    for (GLint number = 1; !nearest && (level.width > 1 || level.height > 1); number++) {
        level = md5gli_halve(&bytes, &level, level.rgba);
        fill_border(&level, alpha);
        upload_level(&renderer->gl, number, &level);
    }
    md5gli_free(&renderer->allocator, level.rgba, size);
    return true;
}

static bool upload(md5gl_renderer *renderer, const md5gl_level *source, md5gl_wrap wrap,
                   bool nearest, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    md5gli_set_sampling(gl, wrap == MD5GL_WRAP_REPEAT, nearest ? GL_NEAREST : GL_LINEAR,
                        nearest ? GL_NEAREST : GL_LINEAR_MIPMAP_LINEAR);
    if (wrap == MD5GL_WRAP_CLAMP_BLACK || wrap == MD5GL_WRAP_CLAMP_CLEAR)
        return upload_bordered(renderer, source, wrap == MD5GL_WRAP_CLAMP_BLACK ? 255 : 0, nearest,
                               error);
    if (!nearest)
        return md5gli_upload_levels(renderer, GL_TEXTURE_2D, GL_RGBA8, source->width,
                                    source->height, source->rgba, error);
    upload_level(gl, 0, source);
    return true;
}

md5gl_texture md5gl_create_stage_cube(md5gl_renderer *renderer, uint32_t side,
                                      const uint8_t *const rgba[6], bool nearest, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && rgba != NULL, "renderer, rgba: not NULL");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    const GladGLContext *gl = &renderer->gl;
    md5gli_clear_error(error);
    if (side == 0 || side > renderer->max_texture_size) {
        md5gli_fail(error, MD5_ERROR_GPU,
                    "a cube map of %u texels a side, but 1 to %u are possible", (unsigned)side,
                    (unsigned)renderer->max_texture_size);
        return 0;
    }
    GLuint texture = 0;
    md5gli_clear_gl_errors(renderer);
    md5gli_reset_transfers(renderer);
    gl->GenTextures(1, &texture);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_CUBE_MAP, texture);
    const GLint shown[5][2] = {
        {GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE},
        {GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE},
        {GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE},
        {GL_TEXTURE_MAG_FILTER, nearest ? GL_NEAREST : GL_LINEAR},
        {GL_TEXTURE_MIN_FILTER, nearest ? GL_NEAREST : GL_LINEAR_MIPMAP_LINEAR},
    };
    for (int i = 0; i < 5; i++)
        gl->TexParameteri(GL_TEXTURE_CUBE_MAP, (GLenum)shown[i][0], shown[i][1]);
    bool uploaded = true;
    for (GLenum i = 0; i < 6 && uploaded; i++) {
        const GLenum target = GL_TEXTURE_CUBE_MAP_POSITIVE_X + i;
        MD5_ASSERT(rgba[i] != NULL, "rgba: six sides");
        if (nearest)
            gl->TexImage2D(target, 0, GL_RGBA8, (GLsizei)side, (GLsizei)side, 0, GL_RGBA,
                           GL_UNSIGNED_BYTE, rgba[i]);
        else
            uploaded = md5gli_upload_levels(renderer, target, GL_RGBA8, side, side, rgba[i], error);
    }
    gl->BindTexture(GL_TEXTURE_CUBE_MAP, 0);
    if (uploaded && md5gli_check(renderer, "creating a cube map", error))
        return texture;
    gl->DeleteTextures(1, &texture);
    return 0;
}

md5gl_texture md5gl_create_stage_texture(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                         const uint8_t *rgba, md5gl_wrap wrap, bool nearest,
                                         md5_error *error)
{
    MD5_ASSERT(renderer != NULL && rgba != NULL, "renderer, rgba: not NULL");
    MD5_ASSERT((unsigned)wrap <= MD5GL_WRAP_CLAMP_CLEAR, "wrap: one of md5gl_wrap");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    const md5gl_level source = {width, height, (uint8_t *)(uintptr_t)rgba}; // which is only read
    const GLuint texture = md5gli_begin_texture(renderer, width, height, error);
    if (texture == 0)
        return 0;
    const bool uploaded = upload(renderer, &source, wrap, nearest, error);
    return md5gli_end_texture(renderer, texture, uploaded, error);
}
