#include "md5/skin/geometry.h"

#include "md5/skin/influences.h"
#include "md5/skin/normals.h"
#include "md5/skin/seams.h"
#include "md5/skin/tangents.h"

#include <math.h>
#include <string.h>

// Biases that sum to 1 within this are taken as meant to: files round each to six decimals.
#define OFF_SUM 1e-4

static uint32_t count_influences(const md5_geometry_plan *plan, uint32_t vertex)
{
    return plan->first_influence[vertex + 1] - plan->first_influence[vertex];
}

bool md5_geometry_measure(md5_arena *arena, const md5_geometry_source *source,
                          md5_geometry_plan *plan)
{
    *plan = (md5_geometry_plan){0};
    TRY(md5_find_seams(arena, source, plan));
    TRY(md5_gather_influences(arena, source, plan));

    uint64_t num_influences = plan->first_influence[source->num_vertices];
    for (uint32_t vertex = 0; vertex < source->num_vertices; vertex++) {
        if (plan->seam_copies[vertex] != vertex)
            num_influences += count_influences(plan, vertex);
    }
    if (num_influences > UINT32_MAX)
        return md5_fail(arena->context, MD5_ERROR_RANGE, 0, 0,
                        "a mesh with its mirror seams split has more than %u influences",
                        UINT32_MAX);
    plan->num_influences = (uint32_t)num_influences;
    return true;
}

// The drawn vertices' sources: themselves, then those of the copies.
static void write_sources(const md5_geometry_source *source, const md5_geometry_plan *plan,
                          uint32_t *sources)
{
    for (uint32_t vertex = 0; vertex < source->num_vertices; vertex++) {
        sources[vertex] = vertex;
        sources[plan->seam_copies[vertex]] = vertex;
    }
}

static void write_indices(const md5_geometry_source *source, const md5_geometry_plan *plan,
                          uint32_t *indices)
{
    for (size_t i = 0; i < source->num_triangles; i++) {
        const uint32_t *corners = source->triangles + 3 * i;
        const md5_vec2 *uv = source->texcoords;
        const bool mirrored = md5_is_mirrored(uv[corners[0]], uv[corners[1]], uv[corners[2]]);
        for (size_t corner = 0; corner < 3; corner++) {
            const uint32_t vertex = corners[corner];
            indices[3 * i + corner] = mirrored ? plan->seam_copies[vertex] : vertex;
        }
    }
}

static void write_vertices(const md5_geometry_source *source, const md5_geometry_plan *plan,
                           const md5_geometry_arrays *arrays)
{
    uint32_t used = 0;
    for (uint32_t vertex = 0; vertex < plan->num_vertices; vertex++) {
        const uint32_t from = arrays->sources[vertex];
        const uint32_t first = plan->first_influence[from];
        const uint32_t count = count_influences(plan, from);
        arrays->texcoords[vertex] = source->texcoords[from];
        arrays->positions[vertex] = plan->positions[from];
        arrays->first_influence[vertex] = used;
        for (uint32_t i = 0; i < count; i++, used++) {
            arrays->influence_joints[used] = plan->influence_joints[first + i];
            arrays->influences[used] = plan->influences[first + i];
        }
    }
    arrays->first_influence[plan->num_vertices] = used;
}

bool md5_geometry_build(md5_arena *arena, const md5_geometry_source *source,
                        const md5_geometry_plan *plan, const md5_geometry_arrays *arrays)
{
    write_sources(source, plan, arrays->sources);
    write_indices(source, plan, arrays->indices);
    write_vertices(source, plan, arrays);
    TRY(md5_build_normals(arena, plan->num_vertices, source->num_triangles, arrays));
    TRY(md5_build_tangents(arena, plan->num_vertices, source->num_triangles, arrays));
    return true;
}

static bool sum_is_off(const md5_mesh *mesh, const md5_vertex *vertex)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < vertex->num_weights; i++)
        sum += (double)mesh->weights[vertex->first_weight + i].bias;
    return vertex->num_weights > 0 && !(fabs(sum - 1.0) <= OFF_SUM);
}

void md5_geometry_summarize(md5_mesh *mesh)
{
    mesh->max_weights = mesh->num_off_sums = mesh->max_influences = 0;
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++) {
        const md5_vertex *vertex = &mesh->file_vertices[i];
        if (vertex->num_weights > mesh->max_weights)
            mesh->max_weights = vertex->num_weights;
        mesh->num_off_sums += sum_is_off(mesh, vertex);
    }
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        const uint32_t count = mesh->first_influence[i + 1] - mesh->first_influence[i];
        if (count > mesh->max_influences)
            mesh->max_influences = count;
    }
    mesh->bounds = md5_bounds_of_points(mesh->positions, mesh->num_vertices);
}
