#include "md5/skin/geometry.h"

#include "md5/core/math.h"
#include "md5/skin/influences.h"
#include "md5/skin/normals.h"
#include "md5/skin/seams.h"
#include "md5/skin/tangents.h"

#include <math.h>
#include <string.h>

// Sums of biases within this of 1 count as 1: files round each bias to six decimals.
#define OFF_SUM 1e-4

bool md5i_geometry_measure(md5_arena *scratch, const md5_geometry_source *source,
                           md5_geometry_sizes *sizes)
{
    sizes->has_tangents = !source->no_tangents;
    return md5i_count_seams(scratch, source, sizes);
}

// Writes the drawn vertices' sources: the file's vertices themselves, then those of the copies.
static bool split(md5_arena *scratch, const md5_geometry_source *source,
                  const md5_geometry_sizes *sizes, const md5_geometry_arrays *arrays)
{
    for (uint32_t vertex = 0; vertex < source->num_vertices; vertex++)
        arrays->sources[vertex] = vertex;
    if (sizes->num_vertices > source->num_vertices)
        return md5i_split_seams(scratch, source, arrays->indices, arrays->sources);
    if (arrays->indices != source->triangles && source->num_triangles > 0)
        memcpy(arrays->indices, source->triangles,
               3 * (size_t)source->num_triangles * sizeof *arrays->indices);
    return true;
}

// Writes what copies share with their sources. `used` influences are written already.
static void write_copies(const md5_geometry_source *source, const md5_geometry_sizes *sizes,
                         const md5_geometry_arrays *arrays, uint32_t used)
{
    uint32_t *const first_influence = arrays->first_influence;
    first_influence[source->num_vertices] = used;
    for (uint32_t vertex = source->num_vertices; vertex < sizes->num_vertices; vertex++) {
        const uint32_t from = arrays->sources[vertex];
        arrays->texcoords[vertex] = arrays->texcoords[from];
        arrays->positions[vertex] = arrays->positions[from];
        for (uint32_t i = first_influence[from]; i < first_influence[from + 1]; i++, used++) {
            arrays->influence_joints[used] = arrays->influence_joints[i];
            arrays->influences[used] = arrays->influences[i];
        }
        first_influence[vertex + 1] = used;
    }
}

// Returns the direction in model space, of unit length, or zero if it has none. `bind` may be NULL.
// Normalized before it is rotated: a file's numbers may be too large or too small for floats.
static md5_vec3d file_direction(md5_vec3 from_file, const md5_mat34 *bind)
{
    const md5_vec3d unit = md5_vec3d_normalize(md5_vec3d_of(from_file));
    if (!bind)
        return unit;
    return md5_vec3d_normalize(md5_vec3d_of(md5_mat34_rotate(bind, md5_vec3d_round(unit))));
}

// Converts the file's normals and tangents to model space, from the space of each vertex's dominant
// joint, which is that of its first influence. Normals and tangents get unit length, tangents are
// made perpendicular to normals.
static void write_file_frames(const md5_geometry_source *source, const md5_geometry_arrays *arrays)
{
    for (uint32_t vertex = 0; vertex < source->num_vertices; vertex++) {
        const uint32_t first = arrays->first_influence[vertex];
        const bool has_joint = first < arrays->first_influence[vertex + 1];
        const md5_mat34 *const bind =
            has_joint ? &source->bind[arrays->influence_joints[first]] : NULL;
        const md5_vec3d up = file_direction(source->normals[vertex], bind);
        const bool has_normal = md5_vec3d_dot(up, up) > 0.0;
        const md5_vec3 normal = has_normal ? md5_vec3d_round(up) : (md5_vec3){0.0f, 0.0f, 1.0f};
        arrays->normals[vertex] = normal;
        if (!arrays->tangents)
            continue; // no_tangents
        const md5_vec4 from_file = source->tangents[vertex];
        const md5_vec3d along =
            file_direction((md5_vec3){from_file.x, from_file.y, from_file.z}, bind);
        const md5_vec3 tangent = md5_vec3d_round(md5i_tangent_near(normal, along));
        arrays->tangents[vertex] =
            (md5_vec4){tangent.x, tangent.y, tangent.z, from_file.w < 0.0f ? -1.0f : 1.0f};
    }
}

bool md5i_geometry_build(md5_arena *scratch, const md5_geometry_source *source,
                         const md5_geometry_sizes *sizes, const md5_geometry_arrays *arrays)
{
    const md5_arena_mark before = md5i_arena_here(scratch);
    const uint32_t num_vertices = sizes->num_vertices, num_triangles = source->num_triangles;
    uint32_t num_influences;
    if (num_vertices == 0) {
        arrays->first_influence[0] = 0;
        return true;
    }
    if (arrays->texcoords != source->texcoords)
        memcpy(arrays->texcoords, source->texcoords,
               source->num_vertices * sizeof *arrays->texcoords);
    TRY(split(scratch, source, sizes, arrays));
    TRY(md5i_gather_influences(scratch, source, arrays, &num_influences));
    write_copies(source, sizes, arrays, num_influences);
    md5i_arena_rewind(scratch, before);
    if (source->normals) {
        write_file_frames(source, arrays);
        return true;
    }
    TRY(md5i_build_normals(scratch, num_vertices, num_triangles, source->weighting, arrays));
    return !arrays->tangents || md5i_build_tangents(scratch, num_vertices, num_triangles, arrays);
}

size_t md5i_geometry_measure_size(uint64_t num_vertices)
{
    enum { ALIGNMENT = 16 };
    return (size_t)num_vertices / 4 + 2 * ALIGNMENT;
}

size_t md5i_geometry_build_size(uint64_t num_vertices)
{
    enum { ROOM = 512 };
    return (size_t)num_vertices * MD5_TANGENT_SCRATCH + ROOM; // tangents take the most
}

static bool sum_is_off(const md5_mesh *mesh, const md5_vertex *vertex)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < vertex->num_weights; i++)
        sum += (double)mesh->weights[vertex->first_weight + i].bias;
    return vertex->num_weights > 0 && !(fabs(sum - 1.0) <= OFF_SUM);
}

void md5i_geometry_summarize(md5_mesh *mesh)
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
    mesh->num_influences = mesh->first_influence[mesh->num_vertices];
    mesh->bounds = md5_bounds_from_points(mesh->positions, mesh->num_vertices);
}
