// Brings the joints of a vertex together by the dual quaternions that their matrices are, as
// md5_skin_dual() does: see md5/skin/dual.c for the formulas. Column 0 of a mat2x4 is the real part,
// column 1 the dual one.
#define BLENDS_DUAL

struct joint_blend {
    mat2x4 first, sum;
    float weight; // of the first
};

// From the largest of the four.
vec4 joint_rotation(mat3x4 rows)
{
    float x = rows[0].x, y = rows[1].y, z = rows[2].z;
    vec3 turn = vec3(rows[2].y - rows[1].z, rows[0].z - rows[2].x, rows[1].x - rows[0].y);
    vec3 mixed = vec3(rows[1].z + rows[2].y, rows[0].z + rows[2].x, rows[0].y + rows[1].x);
    vec4 rotation;
    if (x + y + z > 0.0)
        rotation = vec4(turn, 1.0 + (x + y + z));
    else if (x >= y && x >= z)
        rotation = vec4(1.0 + (x - y - z), mixed.z, mixed.y, turn.x);
    else if (y >= z)
        rotation = vec4(mixed.z, 1.0 + (y - x - z), mixed.x, turn.y);
    else
        rotation = vec4(mixed.y, mixed.x, 1.0 + (z - x - y), turn.z);
    return rotation * inversesqrt(dot(rotation, rotation));
}

mat2x4 joint_dual(uint joint)
{
    mat3x4 rows = joint_matrix(joint);
    vec4 real = joint_rotation(rows);
    vec3 half_way = 0.5 * vec3(rows[0].w, rows[1].w, rows[2].w);
    return mat2x4(real, vec4(real.w * half_way + cross(half_way, real.xyz),
                             -dot(half_way, real.xyz)));
}

joint_blend first_joint(uint joint, float weight)
{
    mat2x4 first = joint_dual(joint);
    return joint_blend(first, weight * first, weight);
}

// A dual quaternion and its opposite are the same motion: the one on the side of the first counts.
void add_joint(inout joint_blend blend, uint joint, float weight)
{
    if (weight == 0.0)
        return;
    mat2x4 next = joint_dual(joint);
    blend.sum += (dot(blend.first[0], next[0]) < 0.0 ? -weight : weight) * next;
}

// The rows of the matrix stand in columns. It is 0 where nothing has weight; the first joint's where
// weights cancel out.
mat3x4 blended_matrix(joint_blend blend)
{
    if (blend.weight == 0.0)
        return mat3x4(0.0);
    float square = dot(blend.sum[0], blend.sum[0]);
    bool is_left = square > 1e-6 * (blend.weight * blend.weight);
    vec4 r = is_left ? blend.sum[0] : blend.first[0];
    vec4 d = is_left ? blend.sum[1] : blend.first[1];
    float twice = 2.0 / (is_left ? square : 1.0);
    vec3 by_x = twice * r.x * r.xyz, by_w = twice * r.w * r.xyz;
    float yy = twice * r.y * r.y, yz = twice * r.y * r.z, zz = twice * r.z * r.z;
    vec3 way = twice * (r.w * d.xyz - d.w * r.xyz + cross(r.xyz, d.xyz));
    return mat3x4(vec4(1.0 - (yy + zz), by_x.y - by_w.z, by_x.z + by_w.y, way.x),
                  vec4(by_x.y + by_w.z, 1.0 - (by_x.x + zz), yz - by_w.x, way.y),
                  vec4(by_x.z - by_w.y, yz + by_w.x, 1.0 - (by_x.x + yy), way.z));
}
