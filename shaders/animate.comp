// Poses characters from clips, a work group (x) each: samples all nodes, then goes from each joint
// up to the root, and writes its row of the palette. A walk of its own for every joint composes
// more matrices than going down level by level, but nobody waits for anybody.
//
// render/clips.c puts GROUP and NODES before this: how many invocations a group has, and how many
// nodes a clip at most.
layout(local_size_x = GROUP) in;

// What moves. A clip's first nodes are the model's joints, in their order; behind them stand joints
// that only the clip has and that some of those hang on.
struct node {
    uint parent;      // of the clip's nodes; itself = none
    uint rotation;    // row, in the clip's first frame
    uint translation; // likewise
    uint flags;
};

const uint TURNS = 1u, MOVES = 2u; // from frame to frame; else one row stands for all frames
const uint ROOT = 4u;              // takes root motion

// A character.
struct job {
    uint first_node, num_nodes; // its clip's
    uint frame0, frame1;        // rows behind those of the first frame
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

// The weights of both ends of a slerp, each at its t: sin(t A) / sin(A) of the angle A between
// them, u = 1 - cos(A), as a power series in u (Eberly, "A Fast and Accurate Algorithm for
// Computing SLERP", 2011). Up to u = 0.3, which is an eighth of a turn, what is left out is below
// 2e-7; both ends are exact.
vec2 slerp_weights(vec2 t, float u)
{
    vec2 square = t * t;
    vec2 sum = vec2(1.0);
    for (float m = 6.0; m > 0.5; m -= 1.0)
        sum = 1.0 + (m * m - square) * (u / (m * (2.0 * m + 1.0))) * sum;
    return t * sum;
}

// The shorter way, between unit quaternions. Without sin() and acos(), of which GLSL promises no
// accuracy. Going by way of the middle, the angle is a quarter of a turn halved.
vec4 slerp(vec4 a, vec4 b, float t)
{
    float cosine = dot(a, b);
    b = cosine < 0.0 ? -b : b;
    float twice = 2.0 + 2.0 * min(abs(cosine), 1.0);
    vec4 middle = (a + b) * inversesqrt(twice);
    bool late = t >= 0.5;
    float part = 2.0 * t - (late ? 1.0 : 0.0);
    vec2 weights = slerp_weights(vec2(1.0 - part, part), 1.0 - 0.5 * sqrt(twice));
    return weights.x * (late ? middle : a) + weights.y * (late ? b : middle);
}

void sample_node(uint place, job work)
{
    node own = nodes[work.first_node + place];
    vec4 rotation = rows[own.rotation];
    if ((own.flags & TURNS) != 0u)
        rotation = slerp(rows[own.rotation + work.frame0], rows[own.rotation + work.frame1],
                         work.fraction);
    vec3 translation = rows[own.translation].xyz;
    if ((own.flags & MOVES) != 0u)
        translation = mix(rows[own.translation + work.frame0].xyz,
                          rows[own.translation + work.frame1].xyz, work.fraction);
    if ((own.flags & ROOT) != 0u)
        translation = work.root.xyz + work.root.w * translation;
    rotations[place] = rotation;
    translations[place] = vec4(translation, float(own.parent));
}

// Rows stand in columns, as in palette.glsl.
mat3x4 matrix_of(vec4 q, vec3 t)
{
    vec3 twice = 2.0 * q.xyz;
    vec3 same = q.xyz * twice;
    vec3 mixed = q.xxy * twice.yzz; // xy, xz, yz
    vec3 turn = q.w * twice;
    return mat3x4(vec4(1.0 - (same.y + same.z), mixed.x - turn.z, mixed.y + turn.y, t.x),
                  vec4(mixed.x + turn.z, 1.0 - (same.x + same.z), mixed.z - turn.x, t.y),
                  vec4(mixed.y - turn.y, mixed.z + turn.x, 1.0 - (same.x + same.y), t.z));
}

// First b, then a.
mat3x4 product(mat3x4 a, mat3x4 b)
{
    mat3x4 made;
    for (int row = 0; row < 3; row++)
        made[row] = a[row].x * b[0] + a[row].y * b[1] + a[row].z * b[2]
                    + vec4(0.0, 0.0, 0.0, a[row].w);
    return made;
}

// Matrices, since quaternions whose length files have rounded would drift off what the CPU makes.
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
    job work = jobs[uint(first_instance) + gl_WorkGroupID.x];
    for (uint place = gl_LocalInvocationID.x; place < work.num_nodes; place += gl_WorkGroupSize.x)
        sample_node(place, work);
    barrier();
    uint count = uint(num_joints);
    for (uint joint = gl_LocalInvocationID.x; joint < count; joint += gl_WorkGroupSize.x) {
        mat3x4 inverse_bind = mat3x4(rows[3u * joint], rows[3u * joint + 1u], rows[3u * joint + 2u]);
        mat3x4 moved = product(joint_matrix(joint), inverse_bind);
        uint first = 3u * (gl_WorkGroupID.x * count + joint);
        for (uint row = 0u; row < 3u; row++)
            palettes[first + row] = moved[row];
    }
}
