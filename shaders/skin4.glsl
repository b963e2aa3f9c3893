// Skins by up to four influences that stand in the vertex: the bind position, moved by the
// weighted sum of palette matrices. See md5_pack_influences().
layout(location = 0) in vec3 bind_position; // model space
layout(location = 1) in vec3 bind_normal;
layout(location = 3) in vec4 bind_tangent;
layout(location = 4) in uvec4 joints; // unused slots: joint 0, weight 0
layout(location = 6) in vec4 weights; // largest first, sum to 1

skinned skin()
{
    mat3x4 blend = weights.x * joint_matrix(joints.x) + weights.y * joint_matrix(joints.y)
                   + weights.z * joint_matrix(joints.z) + weights.w * joint_matrix(joints.w);
    vec3 tangent = unit_direction(vec4(bind_tangent.xyz, 0.0) * blend, bind_tangent.xyz);
    return skinned(vec4(bind_position, 1.0) * blend,
                   unit_direction(vec4(bind_normal, 0.0) * blend, bind_normal),
                   vec4(tangent, bind_tangent.w));
}
