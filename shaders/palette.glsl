// The matrix palette. A joint's 3x4 matrix maps the bind pose to the current pose in model space.
// Its rows are the texels 3 * (instance * num_joints + joint) .. + 2. md5_build_palette() writes
// these bytes.
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

// Normalizes a direction. Returns the direction of the bind pose if the length is nearly 0, because
// joints with opposite rotations cancel each other. Also returns it if the square of the length
// overflows.
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
