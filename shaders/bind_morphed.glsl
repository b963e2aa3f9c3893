// Applies morph targets to the bind pose, as md5_skin_batch() does. A delta is the displacement of
// one vertex by one target. It has three texels: position and target, normal, tangent. The deltas
// of a vertex are consecutive.
uniform UINT_TABLE morph_first;    // first delta of each vertex; the deltas end at the next entry
uniform FLOAT_TABLE morph_deltas;
uniform FLOAT_TABLE morph_weights; // target t of instance i is at i * num_morphs + t
uniform int num_morphs;
uniform int first_morphed; // index of the batch's first instance in morph_weights
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
    vec3 new_normal = normal, new_tangent = tangent.xyz;
    bool changes = false;
    for (int i = first; i < end; i++) {
        vec4 delta = FETCH(morph_deltas, 3 * i);
        int weight_index = instance_index * num_morphs + int(delta.w) + shift.z;
        float weight = FETCH(morph_weights, weight_index).x;
        if (weight == 0.0)
            continue;
        morph_offset += weight * delta.xyz;
        new_normal += weight * FETCH(morph_deltas, 3 * i + 1).xyz;
        new_tangent += weight * FETCH(morph_deltas, 3 * i + 2).xyz;
        changes = true;
    }
    if (!changes)
        return plain;
    new_normal = unit_direction(new_normal, normal);
    new_tangent -= dot(new_tangent, new_normal) * new_normal;
    new_tangent = unit_direction(new_tangent, tangent.xyz);
    return skinned(position + morph_offset, new_normal, vec4(new_tangent, tangent.w));
}

// An influence is a point times a bias, and the bias. A vertex has one point per influence, and all
// of its points move by the same offset.
#define BOUND_INFLUENCE(influence) vec4((influence).xyz + (influence).w * morph_offset, (influence).w)
