// Draws a stage, one texture layer of a Doom 3 material: a texture times a color, blended with the
// framebuffer. As in the engine, values are used as stored in the files, without sRGB decoding or
// encoding.
uniform sampler2D layer;
uniform samplerCube cube;     // replaces the texture if texture coordinates are directions
uniform sampler2D normals;    // normal map for reflections, as in surface.glsl
uniform vec3 texture_rows[2]; // rows of the matrix from (u, v, 1) of the vertices to (u, v) of the texture
uniform vec4 stage_color;    // 0..1
uniform int stage_texgen;     // texture coordinates: 0 of the vertices; directions: 1 normal,
                              // 2 reflected view, 3 from the eye; 4 position in the image;
                              // 5 view reflected by the normal map
uniform ivec3 stage_mode;     // vertex colors: 0 ignored, 1 multiplied, 2 inverted;
                              // alpha test: 1 discards, 2 converts the edge to coverage;
                              // written alpha: 0 unchanged, 1 one, 2 the largest component
uniform float alpha_limit;

in vec3 world_position;
in vec3 world_normal;
in vec4 world_tangent; // w = +-1: bitangent = cross(normal, tangent) * w
in vec2 texcoord;
in vec4 tint;
flat in float dissolved; // fraction of the pixels that is hidden

out vec4 color;

// Returns the normal with the normal map applied, as mapped_normal() of surface.glsl does.
vec3 mapped(vec3 normal)
{
    vec3 along_u = world_tangent.xyz - dot(world_tangent.xyz, normal) * normal;
    vec3 along_v = cross(normal, along_u) * world_tangent.w;
    vec3 texel = texture(normals, texcoord).xyz * (255.0 / 127.5) - 1.0;
    vec3 sum = texel.x * along_u + texel.y * along_v + texel.z * normal;
    return dot(sum, sum) > 1e-12 ? normalize(sum) : normal;
}

// Returns the direction for the lookup in the cube map, world space.
vec3 direction()
{
    vec3 normal = normalize(world_normal), to_eye = eye.xyz - eye.w * world_position;
    if (stage_texgen == 1)
        return world_normal;
    if (stage_texgen == 5)
        normal = mapped(normal);
    return stage_texgen == 3 ? -to_eye : reflect(-normalize(to_eye), normal);
}

// Returns the texel of the stage at the pixel. If the texture coordinates are directions, it is
// from the cube map.
vec4 stage_texel()
{
    if (stage_texgen > 0 && stage_texgen != 4) {
        vec3 axis = direction();
        vec3 coords = vec3(axis.xy, 1.0);
        return texture(cube,
                       vec3(dot(texture_rows[0], coords), dot(texture_rows[1], coords), axis.z));
    }
    // In image positions, -1 is left and bottom, 1 is right and top.
    vec2 at = (gl_FragCoord.xy - origin.xy) * viewport.zw * 2.0 - 1.0;
    vec3 coords = vec3(stage_texgen == 4 ? at : texcoord, 1.0);
    return texture(layer, vec2(dot(texture_rows[0], coords), dot(texture_rows[1], coords)));
}

void main()
{
    if (dissolved > 0.0 && dissolves(dissolved))
        discard;
    vec4 value = stage_texel() * stage_color;
    // As in Doom 3's texture combiners, the inverse mode inverts only the color. Alpha is
    // multiplied in both modes.
    vec4 vertex_color = clamp(tint, 0.0, 1.0);
    if (stage_mode.x != 0)
        value *= vec4(stage_mode.x == 2 ? 1.0 - vertex_color.rgb : vertex_color.rgb, vertex_color.a);
    if (stage_mode.y == 1 && !(value.a > alpha_limit))
        discard;
    if (stage_mode.y == 2) {
        // Alpha becomes coverage. It increases from 0 to 1 over the width of a pixel and is 0.5 at
        // the limit of the test.
        value.a = clamp((value.a - alpha_limit) / max(fwidth(value.a), 1e-4) + 0.5, 0.0, 1.0);
        if (value.a < 0.05)
            discard;
    } else if (stage_mode.z != 0)
        value.a = stage_mode.z == 1 ? 1.0 : max(max(value.r, value.g), value.b);
    color = value;
}
