// Tables are arrays that a shader reads by index. Here they are buffer textures. See
// table_texture.glsl.
#define FLOAT_TABLE samplerBuffer
#define UINT_TABLE usamplerBuffer
#define FETCH(table, index) texelFetch(table, index)
