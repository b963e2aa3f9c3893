#include "md5/load_mesh.h"
#include "md5/load.h"

// The arrays of a mesh in the block; all NULL while the block is measured.
typedef struct mesh_layout {
    md5_vertex *file_vertices;
    md5_weight *weights;
    md5_vec4 *colors; // NULL if the file has none
    md5_geometry_arrays drawn;
    md5_skin_plan_room plan;
} mesh_layout;

bool md5_measure_mesh(md5_arena *arena, const md5_file_mesh *mesh, const md5_transform *bind,
                      md5_geometry_sizes *sizes)
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
    };
    return md5_geometry_measure(arena, &source, bind, sizes);
}

static void lay_out_mesh(md5_block *block, const md5_file_mesh *mesh,
                         const md5_geometry_sizes *sizes, mesh_layout *layout)
{
    md5_geometry_arrays *const drawn = &layout->drawn;
    const size_t count = sizes->num_vertices, num_influences = sizes->num_influences;
    const size_t num_triangles = mesh->num_triangles;
    layout->file_vertices =
        md5_block_take(block, mesh->num_vertices, sizeof *layout->file_vertices);
    layout->weights = md5_block_take(block, mesh->num_weights, sizeof *layout->weights);
    layout->colors =
        mesh->colors ? md5_block_take(block, mesh->num_vertices, sizeof *layout->colors) : NULL;
    drawn->indices = md5_block_take(block, num_triangles, 3 * sizeof *drawn->indices);
    drawn->sources = md5_block_take(block, count, sizeof *drawn->sources);
    drawn->texcoords = md5_block_take(block, count, sizeof *drawn->texcoords);
    drawn->positions = md5_block_take(block, count, sizeof *drawn->positions);
    drawn->normals = md5_block_take(block, count, sizeof *drawn->normals);
    drawn->tangents = md5_block_take(block, count, sizeof *drawn->tangents);
    drawn->first_influence = md5_block_take(block, count + 1, sizeof *drawn->first_influence);
    drawn->influence_joints =
        md5_block_take(block, num_influences, sizeof *drawn->influence_joints);
    drawn->influences = md5_block_take(block, num_influences, sizeof *drawn->influences);
    md5_skin_plan_take(block, sizes->num_vertices, &sizes->plan, &layout->plan);
}

void md5_measure_mesh_block(md5_block *block, const md5_file_mesh *mesh,
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

void md5_place_mesh(md5_block *block, const md5_file_mesh *file, const md5_geometry_sizes *sizes,
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
        md5_copy_items(drawn->tangents, file->tangents, file->num_vertices, sizeof *file->tangents);
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

bool md5_derive_mesh(md5_arena *arena, md5_block *block, const md5_file_mesh *file,
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
        .num_joints = joints->num_joints,
        .bind = joints->bind,
        .joint_scratch = joints->joint_scratch,
    };
    TRY(md5_geometry_build(arena, &source, sizes, &layout.drawn));
    md5_geometry_summarize(mesh);
    mesh->skin_plan = md5_skin_plan_build(mesh, &layout.plan);
    return true;
}
