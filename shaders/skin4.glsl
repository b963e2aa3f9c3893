// Skins with up to four influences, which are vertex attributes. Transforms the bind position by
// the blended matrix of the joints. md5_pack_influences() computes the attributes.
layout(location = 0) in vec3 bind_position; // model space
layout(location = 1) in vec3 bind_normal;
layout(location = 3) in vec4 bind_tangent;
layout(location = 4) in uvec4 joints; // joint 0 and weight 0 if the vertex has fewer influences
layout(location = 6) in vec4 weights; // largest first, sum to 1

skinned skin()
{
    skinned bind = bound(bind_position, bind_normal, bind_tangent);
    joint_blend blend = first_joint(joints.x, weights.x);
    add_joint(blend, joints.y, weights.y);
    add_joint(blend, joints.z, weights.z);
    add_joint(blend, joints.w, weights.w);
    return move_vertex(blended_matrix(blend), bind.position, bind.normal, bind.tangent);
}
