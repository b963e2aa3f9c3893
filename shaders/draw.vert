// Skins a vertex, transforms it by the placement of its instance, and projects it.
layout(location = 2) in vec2 vertex_texcoord;
layout(location = 8) in vec4 vertex_color; // linear

uniform FLOAT_TABLE placements; // texels 3 * instance .. + 2: rows of the model-to-world matrix
uniform FLOAT_TABLE tints;      // linear
uniform bool placed;   // true if instances have placements; otherwise model space is world space
uniform bool tinted;   // true if instances have tints
uniform int colored;  // vertex_color is 0: ignored, 1: multiplied, 2: inverted and multiplied

out vec3 world_position;
out vec3 world_normal;
out vec4 world_tangent;
out vec2 texcoord;
out vec4 tint;
flat out float dissolved; // fraction of the pixels that is hidden

#ifdef HAS_PREVIOUS
uniform UINT_TABLE ids;
uniform ivec2 first_identity; // id of the batch's first instance, or 0 to read `ids`; index of the mesh
out vec3 current_xyw, previous_xyw; // clip space, current and previous frame
flat out uvec2 identity;
#endif

// Several passes draw the same vertices and compare depth, so all programs must compute exactly the
// same depth.
invariant gl_Position;

// Returns the placement of the instance, with its rows in columns.
mat3x4 instance_placement()
{
    int row = 3 * INSTANCE + shift.y;
    return mat3x4(FETCH(placements, row), FETCH(placements, row + 1), FETCH(placements, row + 2));
}

// Transforms a vertex by a placement, which may contain a different scale along each axis, a shear
// or a mirror. Positions and tangents are transformed by the matrix. Normals are transformed by its
// cofactors, which keep them perpendicular to the surface.
//
// Cofactors are products of two components, which could underflow to 0 if the matrix is small. The
// matrix is therefore divided by its largest component. If the placement mirrors, the cofactors
// point inwards and the bitangent is reversed, so both signs are changed.
skinned place_vertex(skinned vertex, mat3x4 placement)
{
    vec3 x = placement[0].xyz, y = placement[1].xyz, z = placement[2].xyz;
    vec3 largest = max(max(abs(x), abs(y)), abs(z));
    float size = max(max(largest.x, largest.y), max(largest.z, 1e-30));
    x /= size;
    y /= size;
    z /= size;
    vec3 along_x = cross(y, z);
    float side = dot(along_x, x) < 0.0 ? -1.0 : 1.0;
    vec3 normal = vec3(dot(along_x, vertex.normal), dot(cross(z, x), vertex.normal),
                       dot(cross(x, y), vertex.normal));
    vec3 tangent = vec3(dot(x, vertex.tangent.xyz), dot(y, vertex.tangent.xyz), dot(z, vertex.tangent.xyz));
    return skinned(vec4(vertex.position, 1.0) * placement, unit_direction(side * normal, vertex.normal),
                   vec4(unit_direction(tangent, vertex.tangent.xyz), side * vertex.tangent.w));
}

void main()
{
    skinned vertex = skin();
    if (placed)
        vertex = place_vertex(vertex, instance_placement());
    world_position = vertex.position;
    world_normal = vertex.normal;
    world_tangent = vertex.tangent;
    texcoord = vertex_texcoord;
    tint = colored != 0 ? vertex_color : vec4(1.0);
    if (colored == 2)
        tint.rgb = 1.0 - clamp(tint.rgb, 0.0, 1.0);
    dissolved = 0.0;
    if (tinted) {
        // Alpha above 1 hides pixels: see md5gl_instances.
        vec4 instance_tint = FETCH(tints, INSTANCE);
        dissolved = max(instance_tint.a - 1.0, 0.0);
        tint *= vec4(instance_tint.rgb, min(instance_tint.a, 1.0));
    }
    gl_Position = clip_from_world * vec4(vertex.position, 1.0);
#ifdef HAS_PREVIOUS
    // Motion vectors need the position of the vertex in the previous frame. If `previous` is 0, the
    // tables contain no data of that frame, and the instance has not moved.
    if (previous != ivec3(0)) {
        shift = previous;
        vertex.position = skin().position;
        if (placed)
            vertex.position = vec4(vertex.position, 1.0) * instance_placement();
    }
    current_xyw = gl_Position.xyw;
    previous_xyw = (previous_clip_from_world * vec4(vertex.position, 1.0)).xyw;
    identity.x = first_identity.x > 0 ? uint(first_identity.x + INSTANCE) : FETCH(ids, INSTANCE).x;
    identity.y = uint(first_identity.y);
#endif
}
