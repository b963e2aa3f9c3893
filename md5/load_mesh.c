#include "md5/load_mesh.h"

#include "md5/core/axes.h"
#include "md5/load.h"

// The arrays of a mesh in the block; all NULL while the block is measured.
typedef struct mesh_layout {
    md5_vertex *file_vertices;
    md5_weight *weights;
    md5_vec4 *colors; // NULL if the file has none
    md5_geometry_arrays drawn;
} mesh_layout;

bool md5i_measure_mesh(md5_arena *arena, const md5_file_mesh *mesh, md5_geometry_sizes *sizes)
{
    const md5_geometry_source source = {
        .num_vertices = mesh->num_vertices,
        .num_triangles = mesh->num_triangles,
        .vertices = mesh->vertices,
        .texcoords = mesh->texcoords,
        .triangles = mesh->triangles,
        .narrow_triangles = mesh->narrow_triangles,
        .weights = mesh->weights,
        .tangents = mesh->tangents,
        .no_tangents = arena->context->without & MD5_PART_TANGENTS,
    };
    return md5i_geometry_measure(arena, &source, sizes);
}

static void lay_out_mesh(md5_block *block, const md5_file_mesh *mesh,
                         const md5_geometry_sizes *sizes, mesh_layout *layout)
{
    md5_geometry_arrays *const drawn = &layout->drawn;
    const size_t count = sizes->num_vertices, num_influences = sizes->num_influences;
    const size_t num_triangles = mesh->num_triangles;
    layout->file_vertices =
        (md5_vertex *)md5i_block_take(block, mesh->num_vertices, sizeof *layout->file_vertices);
    layout->weights =
        (md5_weight *)md5i_block_take(block, mesh->num_weights, sizeof *layout->weights);
    layout->colors = mesh->colors ? (md5_vec4 *)md5i_block_take(block, mesh->num_vertices,
                                                                sizeof *layout->colors)
                                  : NULL;
    drawn->indices = (uint32_t *)md5i_block_take(block, num_triangles, 3 * sizeof *drawn->indices);
    drawn->sources = (uint32_t *)md5i_block_take(block, count, sizeof *drawn->sources);
    drawn->texcoords = (md5_vec2 *)md5i_block_take(block, count, sizeof *drawn->texcoords);
    drawn->positions = (md5_vec3 *)md5i_block_take(block, count, sizeof *drawn->positions);
    drawn->normals = (md5_vec3 *)md5i_block_take(block, count, sizeof *drawn->normals);
    drawn->tangents = sizes->has_tangents
                          ? (md5_vec4 *)md5i_block_take(block, count, sizeof *drawn->tangents)
                          : NULL;
    drawn->first_influence =
        (uint32_t *)md5i_block_take(block, count + 1, sizeof *drawn->first_influence);
    drawn->influence_joints =
        (uint32_t *)md5i_block_take(block, num_influences, sizeof *drawn->influence_joints);
    drawn->influences =
        (md5_vec4 *)md5i_block_take(block, num_influences, sizeof *drawn->influences);
}

void md5i_measure_mesh_block(md5_block *block, const md5_file_mesh *mesh,
                             const md5_geometry_sizes *sizes)
{
    mesh_layout layout;
    lay_out_mesh(block, mesh, sizes, &layout);
}

static void copy_triangles(uint32_t *to, const md5_file_mesh *file)
{
    const size_t num_corners = 3 * (size_t)file->num_triangles;
    if (file->triangles)
        md5_copy_items(to, file->triangles, num_corners, sizeof *to);
    for (size_t i = 0; i < num_corners && file->narrow_triangles; i += 3) {
        to[i] = file->narrow_triangles[i];
        to[i + 1] = file->narrow_triangles[i + 1];
        to[i + 2] = file->narrow_triangles[i + 2];
    }
}

void md5i_place_mesh(md5_block *block, const md5_file_mesh *file, const md5_geometry_sizes *sizes,
                     md5_mesh *mesh)
{
    mesh_layout layout;
    lay_out_mesh(block, file, sizes, &layout);
    const md5_geometry_arrays *const drawn = &layout.drawn;
    md5_copy_items(layout.file_vertices, file->vertices, file->num_vertices,
                   sizeof *file->vertices);
    md5_copy_items(layout.weights, file->weights, file->num_weights, sizeof *file->weights);
    md5_copy_items(layout.colors, file->colors, file->colors ? file->num_vertices : 0,
                   sizeof *file->colors);
    copy_triangles(drawn->indices, file);
    md5_copy_items(drawn->texcoords, file->texcoords, file->num_vertices, sizeof *file->texcoords);
    if (file->normals) {
        md5_copy_items(drawn->normals, file->normals, file->num_vertices, sizeof *file->normals);
        md5_copy_items(drawn->tangents, file->tangents, drawn->tangents ? file->num_vertices : 0,
                       sizeof *file->tangents);
    }
    mesh->num_file_vertices = file->num_vertices;
    mesh->num_weights = file->num_weights;
    mesh->file_vertices = layout.file_vertices;
    mesh->weights = layout.weights;
    mesh->num_vertices = sizes->num_vertices;
    mesh->num_triangles = file->num_triangles;
    mesh->indices = drawn->indices;
    mesh->sources = drawn->sources;
    mesh->texcoords = drawn->texcoords;
    mesh->positions = drawn->positions;
    mesh->normals = drawn->normals;
    mesh->tangents = drawn->tangents;
    mesh->colors = layout.colors;
    mesh->first_influence = drawn->first_influence;
    mesh->influence_joints = drawn->influence_joints;
    mesh->influences = drawn->influences;
}

static void convert_mesh(const md5_context *context, const mesh_layout *layout, md5_mesh *mesh)
{
    const md5_geometry_arrays *const drawn = &layout->drawn;
    const size_t num_vertices = mesh->num_vertices;
    const size_t num_influences = drawn->first_influence[num_vertices];
    for (size_t i = 0; i < mesh->num_weights; i++)
        md5i_convert_points(context, &layout->weights[i].offset, 1);
    md5i_convert_points(context, drawn->positions, num_vertices);
    md5i_convert_directions(context, drawn->normals, num_vertices);
    mesh->is_mirrored = md5_is_mirrored(context->axes);
    // The bitangent is cross(N, T) * w: a reflection changes the sign of the product, and flipping
    // v that of the bitangent.
    const float side = mesh->is_mirrored != context->flip_v ? -1.0f : 1.0f;
    for (size_t i = 0; i < num_vertices; i++) {
        if (context->flip_v)
            drawn->texcoords[i].y = 1.0f - drawn->texcoords[i].y;
        if (!drawn->tangents)
            continue;
        md5_vec4 *const tangent = &drawn->tangents[i];
        const md5_vec3 along =
            md5i_vec3_to_axes(context->axes, (md5_vec3){tangent->x, tangent->y, tangent->z});
        *tangent = (md5_vec4){along.x, along.y, along.z, tangent->w * side};
    }
    for (size_t i = 0; i < num_influences; i++) {
        md5_vec4 *const influence = &drawn->influences[i];
        md5_vec3 point = {influence->x, influence->y, influence->z};
        md5i_convert_points(context, &point, 1);
        *influence = (md5_vec4){point.x, point.y, point.z, influence->w};
    }
}

bool md5i_derive_mesh(md5_arena *arena, md5_block *block, const md5_file_mesh *file,
                      const md5_geometry_sizes *sizes, const md5_geometry_source *joints,
                      md5_mesh *mesh)
{
    mesh_layout layout;
    lay_out_mesh(block, file, sizes, &layout);
    const md5_geometry_source source = {
        .num_vertices = file->num_vertices,
        .num_triangles = file->num_triangles,
        .num_weights = file->num_weights,
        .vertices = layout.file_vertices,
        .texcoords = layout.drawn.texcoords,
        .triangles = layout.drawn.indices,
        .weights = layout.weights,
        .normals = file->normals ? layout.drawn.normals : NULL,
        .tangents = file->normals ? layout.drawn.tangents : NULL,
        .weighting = arena->context->normals,
        .no_tangents = !sizes->has_tangents,
        .num_joints = joints->num_joints,
        .bind = joints->bind,
        .joint_scratch = joints->joint_scratch,
    };
    TRY(md5i_geometry_build(arena, &source, sizes, &layout.drawn));
    if (md5_converts(arena->context))
        convert_mesh(arena->context, &layout, mesh);
    md5i_geometry_summarize(mesh);
    return true;
}
