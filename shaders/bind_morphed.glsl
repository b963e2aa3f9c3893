// The bind pose with blended morph targets, as computed by md5_skin_batch(). The deltas of all
// targets of a vertex are contiguous, with three texels each: position and target, normal, tangent.
uniform UINT_TABLE morph_first;    // first delta of each vertex; the deltas end at the next entry
uniform FLOAT_TABLE morph_deltas;
uniform FLOAT_TABLE morph_weights; // target t of instance i is at i * num_morphs + t
uniform int num_morphs;
uniform int first_morphed; // the instance that has index 0 in this batch
uniform int first_vertex;  // index of the mesh's first vertex in the model

#ifndef VERTEX
#define VERTEX gl_VertexID
#endif

vec3 morph_offset = vec3(0.0); // displacement of the vertex by all targets

// Returns a vertex of the bind pose, displaced by all targets with a weight. Sets morph_offset.
skinned bound(vec3 position, vec3 normal, vec4 tangent)
{
    morph_offset = vec3(0.0);
    skinned plain = skinned(position, normal, tangent);
    int instance_index = first_morphed + INSTANCE;
    int vertex = first_vertex + VERTEX;
    int first = int(FETCH(morph_first, vertex).x), end = int(FETCH(morph_first, vertex + 1).x);
    vec3 turned = normal, along = tangent.xyz;
    bool changes = false;
    for (int i = first; i < end; i++) {
        vec4 delta = FETCH(morph_deltas, 3 * i);
        int weight_index = instance_index * num_morphs + int(delta.w) + shift.z;
        float weight = FETCH(morph_weights, weight_index).x;
        if (weight == 0.0)
            continue;
        morph_offset += weight * delta.xyz;
        turned += weight * FETCH(morph_deltas, 3 * i + 1).xyz;
        along += weight * FETCH(morph_deltas, 3 * i + 2).xyz;
        changes = true;
    }
    if (!changes)
        return plain;
    turned = unit_direction(turned, normal);
    along = unit_direction(along - dot(along, turned) * turned, tangent.xyz);
    return skinned(position + morph_offset, turned, vec4(along, tangent.w));
}

// A vertex has several points, one per weight. All of them move by the same offset.
#define BOUND_INFLUENCE(influence) vec4((influence).xyz + (influence).w * morph_offset, (influence).w)
