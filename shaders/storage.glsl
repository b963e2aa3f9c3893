// Declares the tables that skinning reads as shader storage buffers, for path storage. It precedes
// palette.glsl, skin_exact.glsl and draw.vert, which otherwise read tables. All meshes of
// a model share the tables, so a draw needs no per-mesh data. Morph targets stay in tables that are
// textures on buffers, because GL guarantees no more bindings.
#define FLOAT_TABLE samplerBuffer
#define UINT_TABLE usamplerBuffer
#define FETCH(table, index) texelFetch(table, index)

layout(std430, binding = 3) readonly restrict buffer Palettes { vec4 palette_rows[]; };
layout(std430, binding = 4) readonly restrict buffer Placements { vec4 placement_rows[]; };
layout(std430, binding = 5) readonly restrict buffer Influences { vec4 influence_list[]; };
layout(std430, binding = 6) readonly restrict buffer InfluenceJoints { uint joint_list[]; };
layout(std430, binding = 7) readonly restrict buffer Tints { vec4 tint_list[]; };

#define PALETTE_ROW(row) palette_rows[row]
#define PLACEMENT_ROW(row) placement_rows[row]
#define TINT(instance) tint_list[instance]
#define INFLUENCE(index) influence_list[index]
#define INFLUENCE_JOINT(index) joint_list[index]
