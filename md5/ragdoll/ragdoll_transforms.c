// Transforms of bodies at both ends of a constraint, and rotation by an angular velocity.
#include "md5/ragdoll/ragdoll.h"

ragdoll_transform md5i_ragdoll_transform(const md5_ragdoll *ragdoll, uint32_t node)
{
    return node == MD5_NONE ? ragdoll->world : ragdoll->nodes[node].transform;
}

// Returns the angular velocity of a node relative to its parent: see ragdoll.h. The world does not
// rotate, so a node without a parent has its own velocity.
md5_vec3d md5i_joint_angular_velocity(const md5_ragdoll *ragdoll, const ragdoll_node *node)
{
    if (node->parent == MD5_NONE)
        return node->angular;
    return md5_vec3d_sub(node->angular, ragdoll->nodes[node->parent].angular);
}

// Writes the transforms of the two bodies that a constraint connects, in the order of
// constraint->bodies. The world, MD5_NONE, has the transform ragdoll->world.
void md5i_constraint_transforms(const md5_ragdoll *ragdoll, const md5_body_constraint *constraint,
                                ragdoll_transform ends[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t body = constraint->bodies[i];
        ends[i] = md5i_ragdoll_transform(ragdoll,
                                         body == MD5_NONE ? MD5_NONE : ragdoll->node_by_body[body]);
    }
}

// Returns the rotation `q` after a rotation by an angular velocity for `seconds`. Uses the Cayley
// map, whose error is proportional to the third power of the angle.
md5_quatd md5i_integrate_rotation(md5_quatd q, md5_vec3d angular, double seconds)
{
    const md5_vec3d half = md5_vec3d_scale(angular, 0.5 * seconds);
    return md5_unit_or(md5_quatd_mul((md5_quatd){half.x, half.y, half.z, 1.0}, q), q);
}
