#version 450
// Linear-blend skinning. `palette` contains the matrices from md5_pose_palette() as they are stored
// in memory. An md5_mat34 has three rows of four floats, which GLSL reads as the columns of a
// mat3x4. This is the transposed matrix, so vectors are multiplied from the left: vector * matrix.
layout(std430, set = 0, binding = 0) readonly buffer Palette { mat3x4 palette[]; };
layout(push_constant) uniform Camera { mat4 clip_from_model; }; // an md5_mat44

layout(location = 0) in vec3 position; // bind pose, model space
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 texcoord;
layout(location = 3) in uvec4 joints; // from md5_pack_influences(); unused joints are 0
layout(location = 4) in vec4 weights; // bytes, converted to 0..1; the sum is 1

layout(location = 0) out vec3 posed_normal; // model space, not normalized
layout(location = 1) out vec2 posed_texcoord;

void main()
{
    mat3x4 blended = mat3x4(0.0);
    for (int i = 0; i < 4; i++)
        blended += weights[i] * palette[joints[i]];
    gl_Position = clip_from_model * vec4(vec4(position, 1.0) * blended, 1.0);
    posed_normal = vec4(normal, 0.0) * blended;
    posed_texcoord = texcoord;
}
