// Tables: arrays that a shader reads by index, here textures on buffers. See table_texture.glsl.
#define FLOAT_TABLE samplerBuffer
#define UINT_TABLE usamplerBuffer
#define FETCH(table, index) texelFetch(table, index)
