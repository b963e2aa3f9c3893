// Blends the joints of a vertex by the weighted sum of their matrices, as md5_skin() does.
// blend_dual.glsl defines the same names.
struct joint_blend {
    mat3x4 sum;
};

joint_blend first_joint(uint joint, float weight)
{
    return joint_blend(weight * joint_matrix(joint));
}

void add_joint(inout joint_blend blend, uint joint, float weight)
{
    blend.sum += weight * joint_matrix(joint);
}

mat3x4 blended_matrix(joint_blend blend)
{
    return blend.sum;
}
