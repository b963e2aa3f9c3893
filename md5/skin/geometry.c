// Derives the geometry of a mesh without tangents and colors, and computes its statistics.
#include "md5/skin/geometry.h"
#include "md5/core/math.h"

// Sets num_vertices and num_influences of a mesh that contains the tables of the file.
void md5i_measure_geometry(md5_mesh_build *mesh)
{
    mesh->num_vertices = mesh->num_file_vertices;
    mesh->num_influences = 0;
    for (uint32_t vertex = 0; vertex < mesh->num_file_vertices; vertex++)
        mesh->num_influences += md5i_count_influences(mesh, vertex);
}

// Derives a mesh without tangents in place. Influences and positions come first, because the
// normals are computed from the positions. All arrays must be allocated.
bool md5i_build_geometry(md5_arena *scratch, const md5_mesh_joints *joints, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_position(scratch);
    TRY(md5i_build_influences(scratch, joints, mesh));
    if (mesh->num_vertices == 0)
        return true;
    uint32_t *const nexts = MD5_ALLOC_ARRAY(scratch, uint32_t, mesh->num_vertices);
    md5_vec4 *const sums = MD5_ALLOC_ARRAY(scratch, md5_vec4, mesh->num_vertices);
    TRY(nexts && sums && md5i_build_normals(scratch, mesh, nexts, sums));
    md5i_arena_rewind(scratch, before);
    return true;
}

enum {
    EXTRA = 512,        // additional bytes for a few weights and joints
    MARKS_PER_BYTE = 4, // vertices per byte of the two sets of vertices in tangents.c
};

size_t md5i_geometry_build_size(uint64_t num_vertices)
{
    return (size_t)num_vertices * sizeof(double[4]) + EXTRA; // for sums of texture axes
}

size_t md5i_geometry_min_size(uint64_t num_vertices)
{
    return (size_t)num_vertices / MARKS_PER_BYTE + EXTRA;
}

// Largest difference from 1 at which a sum of biases counts as 1. Files round biases to six
// decimals.
#define SUM_TOLERANCE 1e-4

// Computes the bounds and the statistics of a finished mesh. The statistics are the largest number
// of weights of a vertex, the largest number of influences, and the number of vertices whose biases
// do not add up to 1.
void md5i_geometry_summarize(md5_mesh *mesh)
{
    mesh->max_weights = 0;
    mesh->num_off_sums = 0;
    mesh->max_influences = 0;

    for (uint32_t v = 0; v < mesh->num_file_vertices; v++) {
        const md5_vertex *const vertex = &mesh->file_vertices[v];
        if (vertex->num_weights > mesh->max_weights)
            mesh->max_weights = vertex->num_weights;

        double sum = 0;
        for (uint32_t k = 0; k < vertex->num_weights; k++)
            sum += (double)mesh->weights[vertex->first_weight + k].bias;
        const bool is_sum_off = !(fabs(sum - 1) <= SUM_TOLERANCE); // NaN also counts as off
        if (vertex->num_weights > 0 && is_sum_off)
            mesh->num_off_sums++;
    }

    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        const uint32_t count = mesh->first_influence[i + 1] - mesh->first_influence[i];
        if (count > mesh->max_influences)
            mesh->max_influences = count;
    }

    mesh->num_influences = mesh->first_influence[mesh->num_vertices];
    mesh->bounds = md5_bounds_from_points(mesh->positions, mesh->num_vertices);
}
