// The matrix palette. Texels 3 * (instance * num_joints + joint) .. + 2 are the rows of a joint's 3x4
// matrix in model space, which maps the bind pose to the current pose: the bytes of md5_build_palette().
uniform FLOAT_TABLE palettes;
uniform int num_joints;

#ifndef HAS_PREVIOUS
const ivec3 shift = ivec3(0); // see previous.glsl
#endif

// Returns the index of the instance in its batch, for its palette, placement and tint.
#ifndef INSTANCE
uniform int first_instance; // first instance of the draw call
#define INSTANCE (first_instance + gl_InstanceID)
#endif

// Returns the matrix with its rows in columns: `vec4 * joint_matrix(joint)` transforms a vector.
mat3x4 joint_matrix(uint joint)
{
    int row = 3 * (INSTANCE * num_joints + int(joint)) + shift.x;
    return mat3x4(FETCH(palettes, row), FETCH(palettes, row + 1), FETCH(palettes, row + 2));
}

// A skinned vertex in model space. tangent.w is +1 or -1: bitangent = cross(normal, tangent) * w.
struct skinned {
    vec3 position;
    vec3 normal;
    vec4 tangent;
};

// Normalizes a direction; returns the bind pose's if opposed joints cancel out, or if the square of
// the length overflows.
vec3 unit_direction(vec3 direction, vec3 bind)
{
    float square = dot(direction, direction);
    return square > 1e-30 && square < 3e38 ? direction * inversesqrt(square) : bind;
}

// Transforms a vertex of the bind pose by a matrix with its rows in columns.
skinned move_vertex(mat3x4 matrix, vec3 position, vec3 normal, vec4 tangent)
{
    vec3 direction = unit_direction(vec4(tangent.xyz, 0.0) * matrix, tangent.xyz);
    return skinned(vec4(position, 1.0) * matrix,
                   unit_direction(vec4(normal, 0.0) * matrix, normal), vec4(direction, tangent.w));
}
