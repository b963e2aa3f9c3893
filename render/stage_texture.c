// Textures of stages: texels as they are in the file, and what is outside of a texture.
#include "render/gl_internal.h"
#include "render/md5gl_stages.h"

#include <string.h>

typedef struct picture {
    uint32_t width, height;
    uint8_t *rgba;
} picture;

// Borders of another colour than the edge's are texels, as in id's engine: OpenGL ES 3.0 has no
// other ones.
static void fill_border(const picture *level, uint8_t alpha)
{
    const uint8_t border[4] = {0, 0, 0, alpha};
    for (uint32_t y = 0; y < level->height; y++) {
        const bool whole = y == 0 || y + 1 == level->height;
        for (uint32_t x = 0; x < level->width;
             x += whole || x + 1 == level->width ? 1 : level->width - 1)
            memcpy(level->rgba + 4 * ((size_t)y * level->width + x), border, 4);
    }
}

// Halves a picture in place, by the mean of four texels. A side of 1 stays.
static void halve(picture *level)
{
    const uint32_t width = level->width, height = level->height;
    const picture half = {width > 1 ? width / 2 : 1, height > 1 ? height / 2 : 1, level->rgba};
    const size_t right = width > 1 ? 4 : 0, below = height > 1 ? (size_t)width * 4 : 0;
    for (uint32_t y = 0; y < half.height; y++) {
        for (uint32_t x = 0; x < half.width; x++) {
            const uint8_t *const from = level->rgba + 4 * (2 * (size_t)y * width + 2 * (size_t)x);
            uint8_t texel[4];
            for (size_t i = 0; i < 4; i++)
                texel[i] = (uint8_t)((from[i] + from[right + i] + from[below + i]
                                      + from[right + below + i] + 2)
                                     / 4);
            memcpy(half.rgba + 4 * ((size_t)y * half.width + x), texel, 4);
        }
    }
    *level = half;
}

static void upload_level(const GladGLContext *gl, GLint number, const picture *level)
{
    gl->TexImage2D(GL_TEXTURE_2D, number, GL_RGBA8, (GLsizei)level->width, (GLsizei)level->height,
                   0, GL_RGBA, GL_UNSIGNED_BYTE, level->rgba);
}

// Uploads all levels of a copy whose borders are filled: the mean of a border and what is inside is
// no border.
static bool upload_bordered(md5gl_renderer *renderer, const picture *source, uint8_t alpha,
                            bool nearest, md5_error *error)
{
    const size_t size = (size_t)source->width * source->height * 4;
    picture level = *source;
    level.rgba = (uint8_t *)md5gl_alloc(&renderer->allocator, size, 1, error);
    if (!level.rgba)
        return false;
    memcpy(level.rgba, source->rgba, size);
    fill_border(&level, alpha);
    upload_level(&renderer->gl, 0, &level);
    for (GLint number = 1; !nearest && (level.width > 1 || level.height > 1); number++) {
        halve(&level);
        fill_border(&level, alpha);
        upload_level(&renderer->gl, number, &level);
    }
    md5gl_free(&renderer->allocator, level.rgba, size);
    return true;
}

static bool upload(md5gl_renderer *renderer, const picture *source, md5gl_wrap wrap, bool nearest,
                   md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    md5gl_set_sampling(gl, wrap == MD5GL_WRAP_REPEAT, nearest ? GL_NEAREST : GL_LINEAR,
                       nearest ? GL_NEAREST : GL_LINEAR_MIPMAP_LINEAR);
    if (wrap == MD5GL_WRAP_CLAMP_BLACK || wrap == MD5GL_WRAP_CLAMP_CLEAR)
        return upload_bordered(renderer, source, wrap == MD5GL_WRAP_CLAMP_BLACK ? 255 : 0, nearest,
                               error);
    upload_level(gl, 0, source);
    if (!nearest)
        gl->GenerateMipmap(GL_TEXTURE_2D);
    return true;
}

md5gl_texture md5gl_create_stage_cube(md5gl_renderer *renderer, uint32_t side,
                                      const uint8_t *const rgba[6], bool nearest, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && rgba != NULL, "renderer, rgba: not NULL");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    const GladGLContext *gl = &renderer->gl;
    md5gl_clear_error(error);
    if (side == 0 || side > renderer->max_texture_size) {
        md5gl_fail(error, MD5_ERROR_GPU, "a cube map of %u texels a side, but 1 to %u are possible",
                   (unsigned)side, (unsigned)renderer->max_texture_size);
        return 0;
    }
    GLuint texture = 0;
    md5gl_clear_gl_errors(renderer);
    md5gl_reset_transfers(renderer);
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
    for (GLenum i = 0; i < 6; i++) {
        MD5_ASSERT(rgba[i] != NULL, "rgba: six sides");
        gl->TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i, 0, GL_RGBA8, (GLsizei)side,
                       (GLsizei)side, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba[i]);
    }
    if (!nearest)
        gl->GenerateMipmap(GL_TEXTURE_CUBE_MAP);
    gl->BindTexture(GL_TEXTURE_CUBE_MAP, 0);
    if (md5gl_check(renderer, "creating a cube map", error))
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
    const picture source = {width, height, (uint8_t *)(uintptr_t)rgba}; // which is only read
    const GLuint texture = md5gl_begin_texture(renderer, width, height, error);
    if (texture == 0)
        return 0;
    const bool uploaded = upload(renderer, &source, wrap, nearest, error);
    return md5gl_end_texture(renderer, texture, uploaded, error);
}
