// Buffer textures, buffers that are refilled for every draw, and static buffers.
#include "render/gl_internal.h"

#include <string.h>

md5gl_buffer_texture md5gl_create_buffer_texture(md5gl_renderer *renderer, GLenum format,
                                                 const void *data, size_t size)
{
    const GladGLContext *gl = &renderer->gl;
    md5gl_buffer_texture table;
    gl->GenBuffers(1, &table.buffer);
    gl->BindBuffer(GL_TEXTURE_BUFFER, table.buffer);
    gl->BufferData(GL_TEXTURE_BUFFER, (GLsizeiptr)size, data, GL_STATIC_DRAW);
    gl->GenTextures(1, &table.texture);
    gl->BindTexture(GL_TEXTURE_BUFFER, table.texture);
    // The texture keeps referring to the buffer if the buffer gets new storage.
    gl->TexBuffer(GL_TEXTURE_BUFFER, format, table.buffer);
    gl->BindTexture(GL_TEXTURE_BUFFER, 0);
    gl->BindBuffer(GL_TEXTURE_BUFFER, 0);
    return table;
}

void md5gl_destroy_buffer_texture(md5gl_renderer *renderer, md5gl_buffer_texture *table)
{
    renderer->gl.DeleteTextures(1, &table->texture);
    renderer->gl.DeleteBuffers(1, &table->buffer);
}

void md5gl_bind_buffer_texture(md5gl_renderer *renderer, enum md5gl_unit unit,
                               const md5gl_buffer_texture *table)
{
    renderer->gl.ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    renderer->gl.BindTexture(GL_TEXTURE_BUFFER, table->texture);
}

void md5gl_stream(md5gl_renderer *renderer, GLenum binding, GLuint buffer, const void *data,
                  size_t size)
{
    const GladGLContext *gl = &renderer->gl;
    gl->BindBuffer(binding, buffer);
    gl->BufferData(binding, (GLsizeiptr)size, NULL, GL_STREAM_DRAW);
    gl->BufferSubData(binding, 0, (GLsizeiptr)size, data);
}

bool md5gl_fill_buffer(md5gl_renderer *renderer, GLuint buffer, const md5gl_part *parts, int count,
                       md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    size_t size = 0, used = 0;
    for (int i = 0; i < count; i++)
        size += parts[i].size;
    uint8_t *const bytes = md5gl_alloc(&renderer->allocator, size, 1, error);
    if (!bytes)
        return false;
    for (int i = 0; i < count; i++) {
        if (parts[i].size > 0)
            memcpy(bytes + used, parts[i].data, parts[i].size);
        used += parts[i].size;
    }
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, bytes, GL_STATIC_DRAW);
    md5gl_free(&renderer->allocator, bytes, size);
    return true;
}
