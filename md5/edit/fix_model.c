// Repairs of models. They shorten rotations that are too long, limit the number of weights of a
// vertex, and correct the sum of its weights. Removing weights moves a vertex. md5_fix_weights()
// reports an upper limit of this movement.
#include "md5/edit/repair.h"

// Normalizes the rotations of a model that are longer than 1. Returns the number of changed
// rotations, or MD5_NONE after a failure.
uint32_t md5_fix_rotations(md5_doc *doc, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);

    md5_repair repair;
    if (!md5i_begin_repair(&repair, doc, MD5_DOC_MODEL, error))
        return md5i_end_repair(&repair, doc, 0);

    uint32_t num_fixed = 0;
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        md5_vec3 *const xyz = &doc->joints[j].rotation;
        if (!md5_quat_is_overlong(xyz->x, xyz->y, xyz->z))
            continue;
        const md5_quat normalized = md5_quat_from_xyz(xyz->x, xyz->y, xyz->z);
        *xyz = (md5_vec3){normalized.x, normalized.y, normalized.z};
        num_fixed++;
    }
    return md5i_end_repair(&repair, doc, num_fixed);
}

// Copies the weights of a vertex to `merged`. If there are more than max_weights, merges the
// weights on the same joint. The new offset is the mean of their offsets, weighted by their biases,
// which does not move the vertex. Weights whose biases sum to 0 have no such mean, and are copied
// separately.
//
// slots[joints] is a buffer. It contains 1 + the index of a joint's weight in `merged`, or 0 if the
// joint has none. All elements must be 0 before a call, and are 0 again after it. Returns the
// number of weights.
static uint32_t merge_weights(const md5_weight *weights, uint32_t count, uint32_t max_weights,
                              uint32_t *slots, md5_weight *merged)
{
    const bool merges = count > max_weights;
    uint32_t num_merged = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *const slot = &slots[weights[i].joint];
        md5_weight *const same_joint = *slot > 0 ? &merged[*slot - 1] : NULL;
        const float sum = same_joint ? same_joint->bias + weights[i].bias : 0;
        const bool is_mergeable = same_joint && sum != 0;
        if (merges && is_mergeable) {
            const float fraction = weights[i].bias / sum;
            same_joint->offset = md5_vec3_lerp(same_joint->offset, weights[i].offset, fraction);
            same_joint->bias = sum;
            continue;
        }
        merged[num_merged] = weights[i];
        num_merged++;
        *slot = num_merged;
    }

    for (uint32_t i = 0; i < count; i++)
        slots[weights[i].joint] = 0;
    return num_merged;
}

// Returns the index of the smallest weight. If several are equal, returns the last of them.
static uint32_t find_smallest_weight(const md5_weight *weights, uint32_t count)
{
    uint32_t smallest = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (fabsf(weights[i].bias) <= fabsf(weights[smallest].bias))
            smallest = i;
    }
    return smallest;
}

// Writes at most max_weights weights of a vertex to `selected`. These are the largest, in their
// original order. Adds to *lost an upper limit of the distance by which the removed weights move
// the vertex. slots[joints] must be 0, and is 0 again on return. Returns the number of selected
// weights.
static uint32_t select_weights(const md5_weight *weights, uint32_t count, uint32_t max_weights,
                               uint32_t *slots, md5_weight *selected, double *lost)
{
    const uint32_t num_merged = merge_weights(weights, count, max_weights, slots, selected);
    if (num_merged <= max_weights)
        return num_merged;

    // selected[] contains all merged weights. Keep the largest of them in its first max_weights
    // elements.
    for (uint32_t i = max_weights; i < num_merged; i++) {
        const md5_weight candidate = selected[i];
        const uint32_t smallest = find_smallest_weight(selected, max_weights);
        md5_weight dropped = candidate;
        if (fabsf(candidate.bias) > fabsf(selected[smallest].bias)) {
            dropped = selected[smallest];
            memmove(selected + smallest, selected + smallest + 1,
                    (max_weights - 1 - smallest) * sizeof *selected);
            selected[max_weights - 1] = candidate;
        }
        *lost += (double)fabsf(dropped.bias) * (double)md5_vec3_length(dropped.offset);
    }
    return max_weights;
}

// Parameters, buffers and results of md5_fix_weights().
typedef struct weight_repair {
    uint32_t max_weights;
    float tolerance; // allowed difference of a sum from 1
    uint32_t *slots; // [joints] 0; buffer of select_weights()
    double max_lost; // largest movement of a vertex, units
    uint32_t count;  // changed vertices
} weight_repair;

// Limits and normalizes the weights of a vertex, and writes them to `fixed`. Returns their number.
// Updates the statistics of the repair, which are the changed vertices and the largest possible
// movement.
static uint32_t fix_vertex_weights(weight_repair *fix, const md5_weight *weights, uint32_t count,
                                   md5_weight *fixed)
{
    static const double min_sum = 1e-3; // a sum near 0 cannot be scaled to 1
    double lost = 0;                    // upper limit of the movement of the vertex, units
    const uint32_t num_fixed =
        select_weights(weights, count, fix->max_weights, fix->slots, fixed, &lost);

    double sum = 0;
    for (uint32_t k = 0; k < num_fixed; k++)
        sum += (double)fixed[k].bias;
    // The remaining weights after a removal are always scaled to the sum 1.
    const bool is_pruned = num_fixed < count;
    const bool is_normalized = !is_pruned && !(fabs(sum - 1) > (double)fix->tolerance);
    const bool can_normalize = fabs(sum) >= min_sum;
    const double divisor = !is_normalized && can_normalize ? sum : 1;
    for (uint32_t k = 0; k < num_fixed; k++) {
        const double bias = (double)fixed[k].bias / divisor;
        lost += fabs(bias - (double)fixed[k].bias) * (double)md5_vec3_length(fixed[k].offset);
        fixed[k].bias = md5_round_to_float(bias);
    }

    if (is_pruned && lost > fix->max_lost)
        fix->max_lost = lost;
    if (is_pruned || divisor != 1)
        fix->count++;
    return num_fixed;
}

// Gives each vertex of a mesh separate weights, which begin at `weights`, and repairs them. If the
// mesh needs no repair, leaves it unchanged. Returns the end of the written weights.
static md5_weight *fix_mesh_weights(md5_repair *repair, weight_repair *fix, md5_weight *weights,
                                    md5_doc_mesh *mesh)
{
    const uint32_t count_before = fix->count;
    md5_weight *next = weights;
    md5_vertex *const vertices = MD5_ALLOC_ARRAY(&repair->arena, md5_vertex, mesh->num_vertices);
    if (!vertices)
        return next;

    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vertex vertex = mesh->vertices[v];
        const uint32_t first = vertex.num_weights > 0 ? vertex.first_weight : 0;
        const uint32_t count =
            fix_vertex_weights(fix, mesh->weights + first, vertex.num_weights, next);
        vertices[v] = (md5_vertex){count > 0 ? (uint32_t)(next - weights) : 0, count};
        next += count;
    }

    if (fix->count > count_before) {
        mesh->vertices = vertices;
        mesh->weights = weights;
        mesh->num_weights = (uint32_t)(next - weights);
    }
    return next;
}

// Limits the number of weights per vertex and normalizes the weights. Sets *loss to the largest
// distance, in units, by which removed weights can displace a vertex. Returns the number of changed
// vertices, or MD5_NONE after a failure.
uint32_t md5_fix_weights(md5_doc *doc, uint32_t max_weights, float tolerance, float *loss,
                         md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT(max_weights <= 64, "max_weights: must be 0 to 64");
    if (loss)
        *loss = 0;

    md5_repair repair;
    if (!md5i_begin_repair(&repair, doc, MD5_DOC_MODEL, error))
        return md5i_end_repair(&repair, doc, 0);

    // Vertices of a file may share weights. After the repair, each has its own. One array with
    // space for all references of vertices to weights contains the weights of all meshes.
    weight_repair fix = {
        .max_weights = max_weights > 0 ? max_weights : UINT32_MAX,
        .tolerance = tolerance,
        .slots = MD5_ALLOC_ZEROED(&repair.scratch, uint32_t, doc->num_joints),
    };
    md5_doc_mesh *const meshes = (md5_doc_mesh *)md5i_arena_copy(&repair.scratch, doc->meshes,
                                                                 doc->num_meshes, sizeof *meshes);
    md5_weight *const weights =
        MD5_ALLOC_ARRAY(&repair.arena, md5_weight, (size_t)repair.num_references);
    if (!meshes || !fix.slots || !weights)
        return md5i_end_repair(&repair, doc, 0);

    md5_weight *next_weight = weights;
    for (uint32_t m = 0; m < doc->num_meshes; m++)
        next_weight = fix_mesh_weights(&repair, &fix, next_weight, &meshes[m]);

    if (repair.context.error.status == MD5_OK && fix.count > 0)
        memcpy(doc->meshes, meshes, doc->num_meshes * sizeof *meshes);
    if (loss)
        *loss = md5_round_to_float(fix.max_lost);
    return md5i_end_repair(&repair, doc, fix.count);
}
