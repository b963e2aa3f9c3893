// Skins a vertex, puts it to its instance's place in the world, projects it.
layout(location = 2) in vec2 vertex_texcoord;

uniform samplerBuffer placements; // texels 3 * instance .. + 2: rows, model to world
uniform bool placed;              // false: model space is world space

out vec3 world_position;
out vec3 world_normal;
out vec2 texcoord;

// Every pass over the same vertices must give the same depth, down to the bit.
invariant gl_Position;

void main()
{
    vec3 position, normal;
    skin(position, normal);
    if (placed) {
        int row = 3 * gl_InstanceID;
        mat3x4 placement = mat3x4(texelFetch(placements, row), texelFetch(placements, row + 1),
                                  texelFetch(placements, row + 2));
        position = vec4(position, 1.0) * placement;
        normal = vec4(normal, 0.0) * placement;
    }
    world_position = position;
    world_normal = normal;
    texcoord = vertex_texcoord;
    gl_Position = clip_from_world * vec4(position, 1.0);
}
