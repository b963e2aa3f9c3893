// Skins all vertices (x) of all instances (y) of a mesh once, for all passes that draw them.
layout(local_size_x = 64) in;

// Both buffers contain positions (3 floats per vertex), then normals (3), then tangents (4): one of the
// bind pose, one of the skinned vertices of all instances.
layout(std430, binding = 0) readonly buffer Bind { float bind[]; };
layout(std430, binding = 1) readonly buffer First { uint first[]; }; // [num_vertices + 1]
layout(std430, binding = 2) writeonly buffer Posed { float posed[]; };

uniform int num_vertices, num_instances;
uniform int first_instance; // index of the instance with palette 0

// Returns three floats of the bind pose.
vec3 fetch(int index)
{
    return vec3(bind[index], bind[index + 1], bind[index + 2]);
}

// Writes three floats of the skinned vertices.
void store(int index, vec3 value)
{
    posed[index] = value.x;
    posed[index + 1] = value.y;
    posed[index + 2] = value.z;
}

void main()
{
    int vertex = int(gl_GlobalInvocationID.x);
    if (vertex >= num_vertices)
        return;
    vertex_index = vertex;
    instance = int(gl_GlobalInvocationID.y);

    // Normals begin after 3 floats per vertex, tangents after 6.
    bind_position = fetch(3 * vertex);
    bind_normal = fetch(3 * (num_vertices + vertex));
    bind_tangent = vec4(fetch(6 * num_vertices + 4 * vertex), bind[6 * num_vertices + 4 * vertex + 3]);
    first_influence = first[vertex];
    end_influence = first[vertex + 1];
    shift = previous;
    skinned result = skin();

    // The same layout, but with the vertices of all instances.
    int all = num_instances * num_vertices;
    int index = (first_instance + instance) * num_vertices + vertex;
    store(3 * index, result.position);
    store(3 * (all + index), result.normal);
    store(6 * all + 4 * index, result.tangent.xyz);
    posed[6 * all + 4 * index + 3] = result.tangent.w;
}
