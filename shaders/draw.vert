// Skins a vertex, puts it to its instance's place in the world, projects it.
layout(location = 2) in vec2 vertex_texcoord;
layout(location = 8) in vec4 vertex_colour; // linear

#ifndef PLACEMENT_ROW
uniform samplerBuffer placements; // texels 3 * instance .. + 2: rows, model to world
#define PLACEMENT_ROW(row) texelFetch(placements, row)
#endif
uniform bool placed;              // false: model space is world space
uniform int first_instance;       // what is drawn one by one counts from here
uniform bool coloured;            // false: there is no vertex_colour

out vec3 world_position;
out vec3 world_normal;
out vec4 world_tangent;
out vec2 texcoord;
out vec4 tint;

// Every pass over the same vertices must give the same depth, down to the bit.
invariant gl_Position;

void main()
{
    skinned made = skin();
    if (placed) {
        int row = 3 * (first_instance + gl_InstanceID);
        mat3x4 placement =
            mat3x4(PLACEMENT_ROW(row), PLACEMENT_ROW(row + 1), PLACEMENT_ROW(row + 2));
        made.position = vec4(made.position, 1.0) * placement;
        made.normal = vec4(made.normal, 0.0) * placement;
        made.tangent.xyz = vec4(made.tangent.xyz, 0.0) * placement;
    }
    world_position = made.position;
    world_normal = made.normal;
    world_tangent = made.tangent;
    texcoord = vertex_texcoord;
    tint = coloured ? vertex_colour : vec4(1.0);
    gl_Position = clip_from_world * vec4(made.position, 1.0);
}
