// Skins with up to eight influences, which are vertex attributes. See skin4.glsl.
layout(location = 0) in vec3 bind_position; // model space
layout(location = 1) in vec3 bind_normal;
layout(location = 3) in vec4 bind_tangent;
layout(location = 4) in uvec4 joints; // joint 0 and weight 0 if the vertex has fewer influences
layout(location = 5) in uvec4 more_joints;
layout(location = 6) in vec4 weights; // largest first, sum to 1 with more_weights
layout(location = 7) in vec4 more_weights;

skinned skin()
{
    skinned bind = bound(bind_position, bind_normal, bind_tangent);
    joint_blend blend = first_joint(joints.x, weights.x);
    add_joint(blend, joints.y, weights.y);
    add_joint(blend, joints.z, weights.z);
    add_joint(blend, joints.w, weights.w);
    // Most vertices have at most four influences.
    if (more_weights.x != 0.0) {
        add_joint(blend, more_joints.x, more_weights.x);
        add_joint(blend, more_joints.y, more_weights.y);
        add_joint(blend, more_joints.z, more_weights.z);
        add_joint(blend, more_joints.w, more_weights.w);
    }
    return move_vertex(blended_matrix(blend), bind.position, bind.normal, bind.tangent);
}
