// Skins by up to four influences that stand in the vertex: the bind position, moved by the
// weighted sum of palette matrices. See md5_pack_influences().
layout(location = 0) in vec3 bind_position; // model space
layout(location = 1) in vec3 bind_normal;
layout(location = 4) in uvec4 joints; // unused slots: joint 0, weight 0
layout(location = 6) in vec4 weights; // largest first, sum to 1

void skin(out vec3 position, out vec3 normal)
{
    mat3x4 blend = weights.x * joint_matrix(joints.x) + weights.y * joint_matrix(joints.y)
                   + weights.z * joint_matrix(joints.z) + weights.w * joint_matrix(joints.w);
    position = vec4(bind_position, 1.0) * blend;
    normal = unit_normal(vec4(bind_normal, 0.0) * blend, bind_normal);
}
