// The box of a posed model, without its vertices.
#include "md5/core/math.h"

static md5_vec3 skin_vertex(const md5_mesh *mesh, const md5_mat34 *palette, uint32_t vertex)
{
    md5_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++)
        sum = md5_vec3_add(
            sum, md5_mat34_apply(&palette[mesh->influence_joints[i]], mesh->influences[i]));
    return sum;
}

md5_bounds md5_skin_bounds(const md5_model *model, const md5_mat34 *palette)
{
    md5_bounds bounds = md5_bounds_of_points(NULL, 0);
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *mesh = &model->meshes[m];
        // Copies at seams stand where their sources do.
        for (uint32_t vertex = 0; vertex < mesh->num_file_vertices; vertex++) {
            const md5_vec3 point = skin_vertex(mesh, palette, vertex);
            bounds = md5_bounds_union(bounds, (md5_bounds){point, point});
        }
    }
    return bounds;
}
