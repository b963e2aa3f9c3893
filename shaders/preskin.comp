// Skins all vertices (x) of all instances (y) of a mesh once, for all passes that will draw them.
layout(local_size_x = 64) in;

// Positions (3 floats a vertex), then normals (3), then tangents (4): of the bind pose, and posed,
// there of all instances.
layout(std430, binding = 0) readonly buffer Bind { float bind[]; };
layout(std430, binding = 1) readonly buffer First { uint first[]; }; // [num_vertices + 1]
layout(std430, binding = 2) writeonly buffer Posed { float posed[]; };

uniform int num_vertices, num_instances;
uniform int first_instance; // of those, the one that palette 0 is of

vec3 fetch(int place)
{
    return vec3(bind[place], bind[place + 1], bind[place + 2]);
}

void store(int place, vec3 value)
{
    posed[place] = value.x;
    posed[place + 1] = value.y;
    posed[place + 2] = value.z;
}

void main()
{
    int vertex = int(gl_GlobalInvocationID.x);
    if (vertex >= num_vertices)
        return;
    instance = int(gl_GlobalInvocationID.y);
    bind_position = fetch(3 * vertex);
    bind_normal = fetch(3 * (num_vertices + vertex));
    bind_tangent = vec4(fetch(6 * num_vertices + 4 * vertex), bind[6 * num_vertices + 4 * vertex + 3]);
    first_influence = first[vertex];
    end_influence = first[vertex + 1];
    skinned made = skin();
    int all = num_instances * num_vertices;
    int place = (first_instance + instance) * num_vertices + vertex;
    store(3 * place, made.position);
    store(3 * (all + place), made.normal);
    store(6 * all + 4 * place, made.tangent.xyz);
    posed[6 * all + 4 * place + 3] = made.tangent.w;
}
