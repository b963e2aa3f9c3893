// Tables for systems without buffer textures (OpenGL ES 3.0, WebGL 2): a 2D texture with rows of 1024
// texels, MD5GL_TABLE_WIDTH in render/gl_internal.h. See table_buffer.glsl.
#define FLOAT_TABLE sampler2D
#define UINT_TABLE usampler2D
#define FETCH(table, index) texelFetch(table, ivec2((index) & 1023, (index) >> 10), 0)
