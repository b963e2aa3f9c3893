// Reads a vertex from two frames of a baked clip and interpolates it, instead of skinning it.
// md5/md5skin.h describes the format of a vertex. Baked vertices have no tangents, so normal maps
// have no effect.
uniform FLOAT_TABLE baked_jobs;    // per instance: first frame, second frame, fraction, clip
uniform FLOAT_TABLE baked_clips;   // per clip: bounds.min and its first frame; step
uniform UINT_TABLE baked_vertices; // frames of all clips, one after the other
uniform int num_vertices;          // vertices per frame
uniform int first_vertex;          // index of the mesh's first vertex in a frame

// Decodes a unit normal from the upper 16 bits of a word, which contain two coordinates of 8 bits.
// The encoding projects the sphere to an octahedron. It folds the lower half of the octahedron out
// to a square.
vec3 baked_normal(uint word)
{
    vec2 at = (vec2(uvec2(word >> 16u, word >> 24u) & 255u) - 127.0) / 127.0;
    vec3 normal = vec3(at, 1.0 - abs(at.x) - abs(at.y));
    if (normal.z < 0.0) {
        vec2 side = vec2(at.x < 0.0 ? -1.0 : 1.0, at.y < 0.0 ? -1.0 : 1.0);
        normal.xy = (1.0 - abs(at.yx)) * side;
    }
    return normalize(normal);
}

// Returns the quantized position of a vertex, in steps from the minimum of the clip's bounds.
vec3 baked_steps(uvec2 words)
{
    return vec3(words.x & 65535u, words.x >> 16u, words.y & 65535u);
}

// Returns the two words of the vertex in a frame. `frame` is an index into the frames of all clips.
uvec2 baked_words(float frame)
{
    return FETCH(baked_vertices, int(frame) * num_vertices + first_vertex + gl_VertexID).xy;
}

skinned skin()
{
    vec4 job = FETCH(baked_jobs, INSTANCE + shift.x);
    float fraction = job.z; // between the two frames
    int clip = 2 * int(job.w); // texels per clip: 2
    vec4 origin = FETCH(baked_clips, clip);
    vec3 size = FETCH(baked_clips, clip + 1).xyz;
    uvec2 from = baked_words(origin.w + job.x), to = baked_words(origin.w + job.y);
    vec3 position = origin.xyz + size * mix(baked_steps(from), baked_steps(to), fraction);
    vec3 normal = baked_normal(from.y);
    return skinned(position,
                   unit_direction(mix(normal, baked_normal(to.y), fraction), normal),
                   vec4(0.0, 0.0, 0.0, 1.0));
}
