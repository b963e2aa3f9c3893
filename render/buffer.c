// Tables (arrays that shaders read by index), and buffers whose content is replaced often.
#include "render/gl_internal.h"

#include <string.h>

// -- Tables -----------------------------------------------------------------------------------

// The layout of the texels of a table in the caller's memory.
typedef struct texel_layout {
    GLenum components;
    GLenum type;
    size_t size; // bytes per texel
} texel_layout;

// Returns the layout of a table's texels. The formats are those that md5gli_create_table() accepts.
static texel_layout table_layout(const md5gl_table *table)
{
    if (table->format == GL_R32UI)
        return (texel_layout){GL_RED_INTEGER, GL_UNSIGNED_INT, sizeof(uint32_t)};
    if (table->format == GL_RG32UI)
        return (texel_layout){GL_RG_INTEGER, GL_UNSIGNED_INT, 2 * sizeof(uint32_t)};
    if (table->format == GL_R32F)
        return (texel_layout){GL_RED, GL_FLOAT, sizeof(float)};
    return (texel_layout){GL_RGBA, GL_FLOAT, 4 * sizeof(float)};
}

// Writes the first `width` texels of `rows` rows of the bound texture, beginning with row `first`.
static void write_rows(const GladGLContext *gl, const md5gl_table *table, GLsizei first,
                       GLsizei width, GLsizei rows, const void *texels)
{
    const texel_layout layout = table_layout(table);
    if (width > 0 && rows > 0)
        gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, first, width, rows, layout.components, layout.type,
                          texels);
}

// Enlarges the bound texture of a table to `rows` rows. Its content is undefined afterwards.
static void reserve_rows(const GladGLContext *gl, md5gl_table *table, GLsizei rows)
{
    const texel_layout layout = table_layout(table);
    if (rows <= table->rows)
        return;
    table->rows = rows;
    gl->TexImage2D(GL_TEXTURE_2D, 0, (GLint)table->format, MD5GL_TABLE_WIDTH, rows, 0,
                   layout.components, layout.type, NULL);
}

// Writes `count` texels to the bound texture of a table, beginning with row `first`. The last row
// can be incomplete. It is written by a separate call, so that no padded copy of the data is
// needed.
static void write_texels(const GladGLContext *gl, const md5gl_table *table, GLsizei first,
                         const void *texels, size_t count)
{
    const size_t width = MD5GL_TABLE_WIDTH;
    const GLsizei num_full_rows = (GLsizei)(count / width);
    const GLsizei last_width = (GLsizei)(count % width); // 0 if there is no incomplete row
    const size_t full_size = (size_t)num_full_rows * width * table_layout(table).size;
    const uint8_t *const last_row = (const uint8_t *)texels + full_size;
    write_rows(gl, table, first, (GLsizei)width, num_full_rows, texels);
    write_rows(gl, table, first + num_full_rows, last_width, 1, last_row);
}

// Fills the texture of a table with one or two parts. Each part has `size` bytes and begins in a
// new row. The second part may be NULL. If the first part is NULL, only reserves memory. Leaves the
// texture bound. Returns the index of the first texel of the second part.
static uint32_t fill_texture(md5gl_renderer *renderer, md5gl_table *table,
                             const void *const parts[2], size_t size)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t width = MD5GL_TABLE_WIDTH;
    const size_t count = size / table_layout(table).size; // texels per part
    const GLsizei rows = (GLsizei)((count + width - 1) / width);
    md5gli_bind_texture(renderer, NULL, MD5GL_UNIT_PALETTES, GL_TEXTURE_2D, table->texture);
    reserve_rows(gl, table, parts[1] ? 2 * rows : rows);
    for (GLsizei i = 0; i < 2 && parts[i]; i++)
        write_texels(gl, table, i * rows, parts[i], count);
    return (uint32_t)((size_t)rows * width);
}

// Creates a table and fills it with data[size]. If `data` is NULL, its content is undefined. The
// table is a buffer texture. OpenGL ES has no buffer textures, so there it is a 2D texture.
md5gl_table md5gli_create_table(md5gl_renderer *renderer, GLenum format, const void *data,
                                size_t size)
{
    const GladGLContext *gl = &renderer->gl;
    md5gl_table table = {.format = format};
    gl->GenTextures(1, &table.texture);
    if (!renderer->is_es)
        gl->GenBuffers(1, &table.buffer);
    const GLenum target = table.buffer ? GL_TEXTURE_BUFFER : GL_TEXTURE_2D;
    md5gli_bind_texture(renderer, NULL, MD5GL_UNIT_PALETTES, target, table.texture);
    if (table.buffer) {
        gl->BindBuffer(GL_TEXTURE_BUFFER, table.buffer);
        gl->BufferData(GL_TEXTURE_BUFFER, (GLsizeiptr)size, data, GL_STATIC_DRAW);
        // The texture continues to refer to the buffer if the buffer gets new storage.
        gl->TexBuffer(GL_TEXTURE_BUFFER, format, table.buffer);
        gl->BindBuffer(GL_TEXTURE_BUFFER, 0);
    } else {
        // Select no filtering: float textures cannot be filtered, and with a filter for mipmaps the
        // texture would be incomplete.
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        const void *const parts[2] = {data, NULL};
        md5gli_reset_transfers(renderer);
        fill_texture(renderer, &table, parts, size);
    }
    md5gli_bind_texture(renderer, NULL, MD5GL_UNIT_PALETTES, target, 0);
    return table;
}

// Replaces the content of a table by data[size], followed by previous[size] if that is not NULL.
// Does not wait for draws that still read the former content. Returns the index of the first texel
// of `previous`, or 0 if it is NULL.
uint32_t md5gli_fill_table(md5gl_renderer *renderer, md5gl_table *table, const void *data,
                           const void *previous, size_t size)
{
    const GladGLContext *gl = &renderer->gl;
    const void *const parts[2] = {data, previous};
    if (!table->buffer) {
        const uint32_t end = fill_texture(renderer, table, parts, size);
        return previous ? end : 0;
    }

    // With new storage, the driver need not wait for draws that still read the former content.
    gl->BindBuffer(GL_TEXTURE_BUFFER, table->buffer);
    gl->BufferData(GL_TEXTURE_BUFFER, (GLsizeiptr)(previous ? 2 * size : size), NULL,
                   GL_STREAM_DRAW);
    for (GLintptr i = 0; i < 2 && parts[i]; i++)
        gl->BufferSubData(GL_TEXTURE_BUFFER, i * (GLintptr)size, (GLsizeiptr)size, parts[i]);
    gl->BindBuffer(GL_TEXTURE_BUFFER, 0);
    return previous ? (uint32_t)(size / table_layout(table).size) : 0;
}

void md5gli_destroy_table(md5gl_renderer *renderer, md5gl_table *table)
{
    renderer->gl.DeleteTextures(1, &table->texture);
    renderer->gl.DeleteBuffers(1, &table->buffer);
}

// -- Buffers ----------------------------------------------------------------------------------

// Replaces the content of a buffer by data[size]. Does not wait for draws that still read the
// former content. Leaves the buffer bound to `binding`.
void md5gli_stream(md5gl_renderer *renderer, GLenum binding, GLuint buffer, const void *data,
                   size_t size)
{
    const GladGLContext *gl = &renderer->gl;
    gl->BindBuffer(binding, buffer);
    gl->BufferData(binding, (GLsizeiptr)size, NULL, GL_STREAM_DRAW);
    gl->BufferSubData(binding, 0, (GLsizeiptr)size, data);
}
