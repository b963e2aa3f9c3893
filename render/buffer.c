// Tables that shaders index, and buffers that are refilled for every draw.
#include "render/gl_internal.h"

#include <string.h>

// -- Tables -----------------------------------------------------------------------------------

// What the texels of a format are in memory.
typedef struct texel_layout {
    GLenum components, type;
    size_t size;
} texel_layout;

static texel_layout layout_of(const md5gl_table *table)
{
    if (table->format == GL_R32UI)
        return (texel_layout){GL_RED_INTEGER, GL_UNSIGNED_INT, sizeof(uint32_t)};
    if (table->format == GL_RG32UI)
        return (texel_layout){GL_RG_INTEGER, GL_UNSIGNED_INT, 2 * sizeof(uint32_t)};
    if (table->format == GL_R32F)
        return (texel_layout){GL_RED, GL_FLOAT, sizeof(float)};
    return (texel_layout){GL_RGBA, GL_FLOAT, 4 * sizeof(float)};
}

static void write_rows(const GladGLContext *gl, const md5gl_table *table, GLsizei first,
                       GLsizei width, GLsizei rows, const void *texels)
{
    const texel_layout layout = layout_of(table);
    if (width > 0 && rows > 0)
        gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, first, width, rows, layout.components, layout.type,
                          texels);
}

// Writes full rows, then the rest of the last one, so that nothing is copied before.
static void fill_texture(md5gl_renderer *renderer, md5gl_table *table, const void *data,
                         size_t size)
{
    const GladGLContext *gl = &renderer->gl;
    const texel_layout layout = layout_of(table);
    const size_t count = size / layout.size, width = MD5GL_TABLE_WIDTH;
    const GLsizei full = (GLsizei)(count / width), rest = (GLsizei)(count % width);
    md5gli_reset_transfers(renderer);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, table->texture);
    if (full + (rest > 0) > table->rows) {
        table->rows = full + (rest > 0);
        gl->TexImage2D(GL_TEXTURE_2D, 0, (GLint)table->format, (GLsizei)width, table->rows, 0,
                       layout.components, layout.type, NULL);
    }
    write_rows(gl, table, 0, (GLsizei)width, full, data);
    if (rest > 0)
        write_rows(gl, table, full, rest, 1,
                   (const uint8_t *)data + (size_t)full * width * layout.size);
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

md5gl_table md5gli_create_table(md5gl_renderer *renderer, GLenum format, const void *data,
                                size_t size)
{
    const GladGLContext *gl = &renderer->gl;
    md5gl_table table = {.format = format};
    gl->GenTextures(1, &table.texture);
    if (!renderer->is_es)
        gl->GenBuffers(1, &table.buffer);
    const GLenum target = table.buffer ? GL_TEXTURE_BUFFER : GL_TEXTURE_2D;
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(target, table.texture);
    if (table.buffer) {
        gl->BindBuffer(GL_TEXTURE_BUFFER, table.buffer);
        gl->BufferData(GL_TEXTURE_BUFFER, (GLsizeiptr)size, data, GL_STATIC_DRAW);
        // The texture keeps referring to the buffer if the buffer gets new storage.
        gl->TexBuffer(GL_TEXTURE_BUFFER, format, table.buffer);
        gl->BindBuffer(GL_TEXTURE_BUFFER, 0);
    } else {
        // Floats cannot be filtered, and a texture that has no mipmaps must not ask for them.
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        if (size > 0)
            fill_texture(renderer, &table, data, size);
    }
    gl->BindTexture(target, 0);
    return table;
}

void md5gli_fill_table(md5gl_renderer *renderer, md5gl_table *table, const void *data, size_t size)
{
    if (table->buffer) {
        md5gli_stream(renderer, GL_TEXTURE_BUFFER, table->buffer, data, size);
        renderer->gl.BindBuffer(GL_TEXTURE_BUFFER, 0);
    } else {
        fill_texture(renderer, table, data, size);
    }
}

void md5gli_destroy_table(md5gl_renderer *renderer, md5gl_table *table)
{
    renderer->gl.DeleteTextures(1, &table->texture);
    renderer->gl.DeleteBuffers(1, &table->buffer);
}

// -- Buffers ----------------------------------------------------------------------------------

void md5gli_stream(md5gl_renderer *renderer, GLenum binding, GLuint buffer, const void *data,
                   size_t size)
{
    const GladGLContext *gl = &renderer->gl;
    gl->BindBuffer(binding, buffer);
    gl->BufferData(binding, (GLsizeiptr)size, NULL, GL_STREAM_DRAW);
    gl->BufferSubData(binding, 0, (GLsizeiptr)size, data);
}
