// Blends the joints of a vertex as dual quaternions, as md5_skin_batch() does. They are converted
// from the joints' matrices. See md5/skin/skin_scalar.c for the formulas. Column 0 of a mat2x4 is
// the real part, column 1 the dual part.
#define BLENDS_DUAL

// A weighted sum of dual quaternions.
struct joint_blend {
    mat2x4 first;  // of the first joint
    mat2x4 sum;
    float weight;  // of the first joint
};

// Converts a rotation matrix to a unit quaternion q. `rotation` is 4 * m * q, where m is a component of
// q with a magnitude of at least 1/2, so that rounding errors remain small. Its square is computed from
// the diagonal. The normalization removes the factor 4 * m.
vec4 joint_rotation(mat3x4 rows)
{
    float x = rows[0].x, y = rows[1].y, z = rows[2].z;
    vec3 skew = vec3(rows[2].y - rows[1].z, rows[0].z - rows[2].x, rows[1].x - rows[0].y);
    vec3 symmetric = vec3(rows[1].z + rows[2].y, rows[0].z + rows[2].x, rows[0].y + rows[1].x);
    vec4 rotation;
    if (x + y + z > 0.0)
        rotation = vec4(skew, 1.0 + (x + y + z));
    else if (x >= y && x >= z)
        rotation = vec4(1.0 + (x - y - z), symmetric.z, symmetric.y, skew.x);
    else if (y >= z)
        rotation = vec4(symmetric.z, 1.0 + (y - x - z), symmetric.x, skew.y);
    else
        rotation = vec4(symmetric.y, symmetric.x, 1.0 + (z - x - y), skew.z);
    return rotation * inversesqrt(dot(rotation, rotation));
}

// Returns the dual quaternion of a joint's matrix.
mat2x4 joint_dual(uint joint)
{
    mat3x4 rows = joint_matrix(joint);
    vec4 real = joint_rotation(rows);
    vec3 half_translation = 0.5 * vec3(rows[0].w, rows[1].w, rows[2].w);
    return mat2x4(real, vec4(real.w * half_translation + cross(half_translation, real.xyz),
                             -dot(half_translation, real.xyz)));
}

// Begins a blend with the first joint of a vertex, whose weight is the largest.
joint_blend first_joint(uint joint, float weight)
{
    mat2x4 first = joint_dual(joint);
    return joint_blend(first, weight * first, weight);
}

// Adds a joint to a blend. A dual quaternion and its negative describe the same motion. The sign is
// chosen so that the dot product with the first joint's rotation is not negative. The blend then
// follows the shorter rotation.
void add_joint(inout joint_blend blend, uint joint, float weight)
{
    if (weight == 0.0)
        return;
    mat2x4 next = joint_dual(joint);
    blend.sum += (dot(blend.first[0], next[0]) < 0.0 ? -weight : weight) * next;
}

// Converts a blend to a matrix with its rows in columns. If no joint has weight, all elements are
// 0. If rotations cancel each other and the sum is nearly 0, the result is the matrix of the first
// joint.
mat3x4 blended_matrix(joint_blend blend)
{
    if (blend.weight == 0.0)
        return mat3x4(0.0);
    float square = dot(blend.sum[0], blend.sum[0]);
    bool has_rotation = square > 1e-6 * (blend.weight * blend.weight);
    vec4 r = has_rotation ? blend.sum[0] : blend.first[0];
    vec4 d = has_rotation ? blend.sum[1] : blend.first[1];
    float twice = 2.0 / (has_rotation ? square : 1.0);
    vec3 by_x = twice * r.x * r.xyz, by_w = twice * r.w * r.xyz;
    float yy = twice * r.y * r.y, yz = twice * r.y * r.z, zz = twice * r.z * r.z;
    vec3 translation = twice * (r.w * d.xyz - d.w * r.xyz + cross(r.xyz, d.xyz));
    return mat3x4(vec4(1.0 - (yy + zz), by_x.y - by_w.z, by_x.z + by_w.y, translation.x),
                  vec4(by_x.y + by_w.z, 1.0 - (by_x.x + zz), yz - by_w.x, translation.y),
                  vec4(by_x.z - by_w.y, yz + by_w.x, 1.0 - (by_x.x + yy), translation.z));
}
