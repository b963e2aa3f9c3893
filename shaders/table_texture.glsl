// Tables where textures cannot lie on buffers (OpenGL ES 3.0, WebGL 2): rows of 1024 texels of a 2D
// texture, MD5GL_TABLE_WIDTH in render/gl_internal.h. See table_buffer.glsl.
#define FLOAT_TABLE sampler2D
#define UINT_TABLE usampler2D
#define FETCH(table, index) texelFetch(table, ivec2((index) & 1023, (index) >> 10), 0)
