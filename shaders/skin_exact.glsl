// Skins with any number of influences, whose weights can have any sum. Each influence is a texel
// (bias * point, bias) of a table. The weights of an MD5 vertex can have different points, so the
// exact position is the sum of matrix * influence. See md5_mesh.influences. Dual quaternions are
// blended to one rigid motion, which transforms the bind position instead.
#ifndef NO_ATTRIBUTES
layout(location = 0) in vec3 bind_position; // read by dual blending only
layout(location = 1) in vec3 bind_normal; // model space
layout(location = 3) in vec4 bind_tangent;
layout(location = 4) in uint first_influence;
layout(location = 5) in uint end_influence; // one past the last influence
#endif

uniform FLOAT_TABLE influences;      // bias * point, bias
uniform UINT_TABLE influence_joints; // joint of each influence
#define INFLUENCE(index) FETCH(influences, int(index))
#define INFLUENCE_JOINT(index) FETCH(influence_joints, int(index)).x

#ifdef BLENDS_DUAL
skinned skin()
{
    if (first_influence == end_influence)
        return skinned(vec3(0.0), bind_normal, bind_tangent);
    skinned bind = bound(bind_position, bind_normal, bind_tangent);
    // Divide all biases by the first bias, which has the largest magnitude, so that tiny and huge
    // biases do not overflow or underflow. If it is 0, all biases are 0, and only the first
    // influence is used.
    float bias = INFLUENCE(first_influence).w;
    joint_blend blend = first_joint(INFLUENCE_JOINT(first_influence), 1.0);
    for (uint i = first_influence + 1u; bias != 0.0 && i < end_influence; i++)
        add_joint(blend, INFLUENCE_JOINT(i), INFLUENCE(i).w / bias);
    return move_vertex(blended_matrix(blend), bind.position, bind.normal, bind.tangent);
}
#else
skinned skin()
{
    skinned bind = bound(bind_position, bind_normal, bind_tangent);
    vec3 posed = vec3(0.0), normal = vec3(0.0), tangent = vec3(0.0);
    for (uint i = first_influence; i < end_influence; i++) {
        vec4 influence = INFLUENCE(i);
        mat3x4 matrix = joint_matrix(INFLUENCE_JOINT(i));
        posed += BOUND_INFLUENCE(influence) * matrix;
        normal += influence.w * (vec4(bind.normal, 0.0) * matrix);
        tangent += influence.w * (vec4(bind.tangent.xyz, 0.0) * matrix);
    }
    return skinned(posed, unit_direction(normal, bind.normal),
                   vec4(unit_direction(tangent, bind.tangent.xyz), bind.tangent.w));
}
#endif
