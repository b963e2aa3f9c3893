// Poses characters from clips, one work group (x) each: samples all nodes, then composes each joint
// with its ancestors up to the root and writes its matrix to the palette. This composes more
// matrices than going down level by level, but no invocation waits for another.
//
// render/clips.c defines GROUP, the invocations of a group, and NODES, the largest number of nodes
// of a clip.
layout(local_size_x = GROUP) in;

// A joint to pose. A clip's first nodes are the model's joints, in their order, followed by joints
// that only the clip has and that are ancestors of those.
struct node {
    uint parent;      // node of the same clip; its own index = no parent
    uint rotation;    // index of the row in the clip's first frame
    uint translation; // likewise
    uint flags;
};

const uint ROTATES = 1u, TRANSLATES = 2u; // over time; else one row holds for all frames
const uint ROOT = 4u;                     // has root motion

// A character.
struct job {
    uint first_node, num_nodes; // of its clip
    uint frame0, frame1;        // row offsets from the first frame
    vec4 root;                  // root motion: xyz + w * translation
    float fraction;             // from frame0 to frame1
    uint pad0, pad1, pad2;
};

layout(std430, binding = 0) readonly buffer Jobs { job jobs[]; };
layout(std430, binding = 1) readonly buffer Nodes { node nodes[]; };

// First the model's inverse bind pose, three rows a joint, then the clips' rotations (x y z w) and
// translations (x y z 0), relative to the parent.
layout(std430, binding = 2) readonly buffer Rows { vec4 rows[]; };
layout(std430, binding = 3) writeonly buffer Palettes { vec4 palettes[]; }; // see palette.glsl

uniform int num_joints;     // of one palette
uniform int first_instance; // job of the first palette

shared vec4 rotations[NODES];
shared vec4 translations[NODES]; // w: parent

// Returns the weights of both ends of a slerp, each at its t: sin(t A) / sin(A) of the angle A
// between them, with u = 1 - cos(A), as a power series in u (Eberly, "A Fast and Accurate Algorithm
// for Computing SLERP", 2011). Up to u = 0.3, an eighth of a turn, the truncation error is below
// 2e-7; both ends are exact.
vec2 slerp_weights(vec2 t, float u)
{
    vec2 square = t * t;
    vec2 sum = vec2(1.0);
    for (float m = 6.0; m > 0.5; m -= 1.0)
        sum = 1.0 + (m * m - square) * (u / (m * (2.0 * m + 1.0))) * sum;
    return t * sum;
}

// Interpolates unit quaternions along the shorter arc, without sin() and acos(), whose accuracy
// GLSL does not specify. Splitting at the middle halves the angle, which is at most a quarter of a
// turn.
vec4 slerp(vec4 a, vec4 b, float t)
{
    float cosine = dot(a, b);
    b = cosine < 0.0 ? -b : b;
    float twice = 2.0 + 2.0 * min(abs(cosine), 1.0);
    vec4 middle = (a + b) * inversesqrt(twice);
    bool second_half = t >= 0.5;
    float fraction = 2.0 * t - (second_half ? 1.0 : 0.0);
    vec2 weights = slerp_weights(vec2(1.0 - fraction, fraction), 1.0 - 0.5 * sqrt(twice));
    return weights.x * (second_half ? middle : a) + weights.y * (second_half ? b : middle);
}

void sample_node(uint index, job character)
{
    node self = nodes[character.first_node + index];
    vec4 rotation = rows[self.rotation];
    if ((self.flags & ROTATES) != 0u)
        rotation = slerp(rows[self.rotation + character.frame0],
                         rows[self.rotation + character.frame1], character.fraction);
    vec3 translation = rows[self.translation].xyz;
    if ((self.flags & TRANSLATES) != 0u)
        translation = mix(rows[self.translation + character.frame0].xyz,
                          rows[self.translation + character.frame1].xyz, character.fraction);
    if ((self.flags & ROOT) != 0u)
        translation = character.root.xyz + character.root.w * translation;
    rotations[index] = rotation;
    translations[index] = vec4(translation, float(self.parent));
}

// Returns the matrix with its rows in columns, as in palette.glsl.
mat3x4 matrix_of(vec4 q, vec3 t)
{
    vec3 twice = 2.0 * q.xyz;
    vec3 squares = q.xyz * twice;
    vec3 products = q.xxy * twice.yzz; // xy, xz, yz
    vec3 by_w = q.w * twice;
    return mat3x4(
        vec4(1.0 - (squares.y + squares.z), products.x - by_w.z, products.y + by_w.y, t.x),
        vec4(products.x + by_w.z, 1.0 - (squares.x + squares.z), products.z - by_w.x, t.y),
        vec4(products.y - by_w.y, products.z + by_w.x, 1.0 - (squares.x + squares.y), t.z));
}

// Applies first b, then a.
mat3x4 product(mat3x4 a, mat3x4 b)
{
    mat3x4 result;
    for (int row = 0; row < 3; row++)
        result[row] = a[row].x * b[0] + a[row].y * b[1] + a[row].z * b[2]
                    + vec4(0.0, 0.0, 0.0, a[row].w);
    return result;
}

// Composes matrices, because quaternions whose length was rounded in the file would drift from the
// CPU's result.
mat3x4 joint_matrix(uint joint)
{
    vec4 translation = translations[joint];
    mat3x4 posed = matrix_of(rotations[joint], translation.xyz);
    for (uint parent = uint(translation.w); parent != joint; parent = uint(translation.w)) {
        joint = parent;
        translation = translations[joint];
        posed = product(matrix_of(rotations[joint], translation.xyz), posed);
    }
    return posed;
}

void main()
{
    job character = jobs[uint(first_instance) + gl_WorkGroupID.x];
    for (uint i = gl_LocalInvocationID.x; i < character.num_nodes; i += gl_WorkGroupSize.x)
        sample_node(i, character);
    barrier();
    uint count = uint(num_joints);
    for (uint joint = gl_LocalInvocationID.x; joint < count; joint += gl_WorkGroupSize.x) {
        mat3x4 inverse_bind = mat3x4(rows[3u * joint], rows[3u * joint + 1u], rows[3u * joint + 2u]);
        mat3x4 matrix = product(joint_matrix(joint), inverse_bind);
        uint first = 3u * (gl_WorkGroupID.x * count + joint);
        for (uint row = 0u; row < 3u; row++)
            palettes[first + row] = matrix[row];
    }
}
