// Models: a file is read, its joints put into one block and the arrays of its meshes into another,
// and what follows from them is derived, at once or later.
#include "md5/core/axes.h"
#include "md5/load.h"
#include "md5/md5skin.h"
#include "md5/pose/skeleton.h"
#include "md5/read/tables.h"
#include "md5/skin/geometry.h"
#include "md5/skin/plan.h"

#include <math.h>

// == One mesh ====================================================================================
//
// One mesh of a model: its arrays in the model's block, first filled with what the file says, then
// with what follows from that.
//
// Each mesh passes three stages. Measuring needs the file's tables. Placing copies these tables to
// the block. Deriving computes normals, tangents and influences from the copies; by then the tables
// are gone and their memory serves as scratch. So the measured sizes are kept apart from the
// tables, in md5_mesh_file.notes.

// The arrays of a mesh in the block; all NULL while the block is measured.
typedef struct mesh_layout {
    md5_vertex *file_vertices;
    md5_weight *weights;
    md5_vec4 *colors; // NULL if the file has none
    md5_geometry_arrays drawn;
} mesh_layout;

// Writes the sizes of the arrays that `mesh` becomes.
static bool measure_mesh(md5_arena *arena, const md5_file_mesh *mesh, md5_geometry_sizes *sizes)
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

// Takes the arrays of a mesh from a block that only measures.
static void measure_mesh_block(md5_block *block, const md5_file_mesh *mesh,
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

// Takes the arrays of a mesh from the block and copies the file's tables to them.
static void place_mesh(md5_block *block, const md5_file_mesh *file, const md5_geometry_sizes *sizes,
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

// Fills what md5i_place_mesh() left: all but the plan and the losses, converted as the options ask
// for. `block` is as it was for md5i_place_mesh(). Of `file` only counts and NULL pointers are
// used; of `joints` only the bind matrices and the scratch memory. Returns false, with the
// context's error set, if memory runs out.
static bool derive_mesh(md5_arena *arena, md5_block *block, const md5_file_mesh *file,
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

// The meshes of a model, all in one block: made at load, or later from tables that were kept for
// that (md5_load_opts.without), and freed by md5_release_geometry().

// What follows is done to `model` with its `meshes`, which have their names. Functions return
// false, with the context's error set, if memory runs out; then md5_release_geometry() frees what
// was made so far.

// Whether the meshes of a load are not made at all.
static inline bool md5_keeps_tables(const md5_context *context)
{
    return (context->without & MD5_PART_GEOMETRY) == MD5_PART_GEOMETRY;
}

// The meshes lie in the model's own block.
static inline md5_mesh *md5_own_meshes(const md5_model *model)
{
    return (md5_mesh *)model->meshes;
}

// == All meshes ==================================================================================

// -- Arrays ---------------------------------------------------------------------------------

static bool measure_meshes(md5_arena *arena, const md5_mesh_file *file, size_t *size)
{
    md5_geometry_sizes *const sizes = (md5_geometry_sizes *)file->notes;
    md5_block block = {0};
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        TRY(measure_mesh(arena, &file->meshes[m], &sizes[m]));
        measure_mesh_block(&block, &file->meshes[m], &sizes[m]);
    }
    *size = block.used;
    return true;
}

// The tables were placed; in their memory lies what deriving needs.
static bool derive_meshes(md5_arena *arena, const md5_mesh_file *file, const md5_mat34 *bind,
                          md5_model *model, md5_mesh *meshes)
{
    const md5_geometry_sizes *const sizes = (const md5_geometry_sizes *)file->notes;
    md5_block block = {.base = (unsigned char *)model->geometry};
    const md5_geometry_source joints = {
        .num_joints = file->num_joints,
        .bind = bind,
        .joint_scratch =
            (uint32_t *)md5i_arena_alloc(arena, file->num_joints, sizeof *joints.joint_scratch),
    };
    TRY(joints.joint_scratch);
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        TRY(derive_mesh(arena, &block, &file->meshes[m], &sizes[m], &joints, &meshes[m]));
        model->bounds = md5_bounds_union(model->bounds, meshes[m].bounds);
        if (meshes[m].num_vertices > model->max_vertices)
            model->max_vertices = meshes[m].num_vertices;
    }
    return true;
}

// Fills the meshes from the tables of a file, whose notes are md5_geometry_sizes, but for what
// md5i_finish_meshes() makes. `bind` is the file's own bind pose. Frees the tables in the arena.
static bool make_meshes(md5_arena *arena, const md5_mesh_file *file, const md5_mat34 *bind,
                        md5_model *model, md5_mesh *meshes)
{
    const md5_geometry_sizes *const sizes = (const md5_geometry_sizes *)file->notes;
    size_t size;
    TRY(measure_meshes(arena, file, &size));
    if (size == 0)
        return true; // no meshes
    TRY(model->geometry = md5i_alloc(arena->context, size));
    model->geometry_size = size;
    md5_block block = {.base = (unsigned char *)model->geometry};
    for (uint32_t m = 0; m < file->num_meshes; m++)
        place_mesh(&block, &file->meshes[m], &sizes[m], &meshes[m]);
    md5i_arena_rewind(arena, file->tables);
    model->bounds = md5_bounds_from_points(NULL, 0);
    model->max_vertices = 0;
    return derive_meshes(arena, file, bind, model, meshes);
}

// -- Plans and losses -----------------------------------------------------------------------

// The parts that follow from complete meshes: plans of those that have none; losses; both, as far
// as the options ask for them.
static bool build_plans(md5_context *context, uint32_t num_meshes, md5_mesh *meshes)
{
    for (uint32_t m = 0; m < num_meshes; m++) {
        if (!meshes[m].skin_plan)
            TRY(md5i_skin_plan_build(context, &meshes[m], &meshes[m].skin_plan));
    }
    return true;
}

// Whether each vertex follows one joint with bias 1, or none: then packed influences lose nothing.
// Without a plan nobody knows.
static bool is_rigid(const md5_skin_plan *plan)
{
    uint32_t i = 0;
    while (plan && i < plan->num_runs && plan->runs[i].kind <= MD5_SKIN_RIGID)
        i++;
    return plan && i == plan->num_runs;
}

// What a drawing path with 4 or 8 influences a vertex loses.
static void measure_loss(const md5_model *model, uint32_t m, md5_mesh *mesh)
{
    mesh->loss4 = mesh->loss8 = 0.0f;
    if (is_rigid(mesh->skin_plan))
        return;
    mesh->loss4 = md5_pack_loss(model, m, 4, NULL);
    // Without a vertex of more than four influences the packed forms are equal.
    mesh->loss8 = mesh->max_influences > 4 ? md5_pack_loss(model, m, 8, NULL) : mesh->loss4;
}

static void measure_losses(const md5_model *model, md5_mesh *meshes)
{
    for (uint32_t m = 0; m < model->num_meshes; m++)
        measure_loss(model, m, &meshes[m]);
}

static bool finish_meshes(md5_context *context, const md5_model *model, md5_mesh *meshes)
{
    TRY(context->without & MD5_PART_SKIN_PLANS || build_plans(context, model->num_meshes, meshes));
    if (!(context->without & MD5_PART_LOSSES)) {
        measure_losses(model, meshes);
        return true;
    }
    for (uint32_t m = 0; m < model->num_meshes; m++)
        meshes[m].loss4 = meshes[m].loss8 = INFINITY;
    return true;
}

// -- Releasing ------------------------------------------------------------------------------

void md5_release_geometry(md5_model *model)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    for (uint32_t m = 0; m < model->num_meshes && model->geometry; m++) {
        md5_mesh *const mesh = &md5_own_meshes(model)[m];
        md5i_skin_plan_free(&model->allocator, mesh->skin_plan);
        mesh->file_vertices = NULL;
        mesh->weights = NULL;
        mesh->indices = mesh->sources = NULL;
        mesh->texcoords = NULL;
        mesh->positions = mesh->normals = NULL;
        mesh->tangents = mesh->colors = mesh->influences = NULL;
        mesh->first_influence = mesh->influence_joints = NULL;
        mesh->skin_plan = NULL;
    }
    if (model->geometry)
        model->allocator.free(model->allocator.user, model->geometry, model->geometry_size);
    model->geometry = NULL;
    model->geometry_size = 0;
}

// == What a load left out ========================================================================
//
// What loads leave out, made later: geometry from tables that were kept for it, tangents from the
// geometry itself, plans and losses.

// All that meshes are made from: the head of a block with the tables behind it.
typedef struct kept_tables {
    md5_load_opts opts; // those that concern meshes
    md5_mat34 *bind;    // [joints] of the file
    md5_file_mesh *meshes;
} kept_tables;

// -- Keeping --------------------------------------------------------------------------------

static void *keep(md5_block *block, const void *from, size_t count, size_t size)
{
    void *const kept = md5i_block_take(block, from ? count : 0, size);
    if (kept && from)
        md5_copy_items(kept, from, count, size);
    return from ? kept : NULL;
}

static md5_file_mesh keep_mesh(md5_block *block, const md5_file_mesh *mesh)
{
    const size_t count = mesh->num_vertices, num_corners = 3 * (size_t)mesh->num_triangles;
    md5_file_mesh kept = {.num_vertices = mesh->num_vertices,
                          .num_triangles = mesh->num_triangles,
                          .num_weights = mesh->num_weights};
    kept.vertices = (md5_vertex *)keep(block, mesh->vertices, count, sizeof *kept.vertices);
    kept.texcoords = (md5_vec2 *)keep(block, mesh->texcoords, count, sizeof *kept.texcoords);
    kept.narrow_triangles =
        (uint16_t *)keep(block, mesh->narrow_triangles, num_corners, sizeof *kept.narrow_triangles);
    kept.triangles = (uint32_t *)keep(block, mesh->triangles, num_corners, sizeof *kept.triangles);
    kept.weights =
        (md5_weight *)keep(block, mesh->weights, mesh->num_weights, sizeof *kept.weights);
    kept.normals = (md5_vec3 *)keep(block, mesh->normals, count, sizeof *kept.normals);
    kept.tangents = (md5_vec4 *)keep(block, mesh->tangents, count, sizeof *kept.tangents);
    kept.colors = (md5_vec4 *)keep(block, mesh->colors, count, sizeof *kept.colors);
    return kept;
}

// While the block is measured nothing is copied.
static kept_tables *keep_all(md5_block *block, const md5_mesh_file *file, const md5_mat34 *bind)
{
    kept_tables *const kept = (kept_tables *)md5i_block_take(block, 1, sizeof *kept);
    md5_mat34 *const own_bind = (md5_mat34 *)keep(block, bind, file->num_joints, sizeof *own_bind);
    md5_file_mesh *const meshes =
        (md5_file_mesh *)md5i_block_take(block, file->num_meshes, sizeof *meshes);
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        const md5_file_mesh mesh = keep_mesh(block, &file->meshes[m]);
        if (meshes)
            meshes[m] = mesh;
    }
    if (kept)
        *kept = (kept_tables){.bind = own_bind, .meshes = meshes};
    return kept;
}

// Instead of making meshes: copies what md5_complete_model() makes them from. The model's bind pose
// is still that of the file.
static bool keep_tables(md5_context *context, const md5_mesh_file *file, md5_model *model,
                        md5_mesh *meshes)
{
    md5_block measured = {0};
    keep_all(&measured, file, model->bind);
    TRY(model->geometry = md5i_alloc(context, measured.used));
    model->geometry_size = measured.used;
    md5_block block = {.base = (unsigned char *)model->geometry};
    kept_tables *const kept = keep_all(&block, file, model->bind);
    kept->opts = (md5_load_opts){
        .allocator = context->allocator,
        .memory_limit = context->memory_limit,
        .axes = context->axes,
        .scale = context->scale,
        .flip_v = context->flip_v,
        .normals = context->normals,
    };
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        const md5_file_mesh *const from = &file->meshes[m];
        meshes[m].num_file_vertices = meshes[m].num_vertices = from->num_vertices;
        meshes[m].num_weights = from->num_weights;
        if (from->num_vertices > model->max_vertices)
            model->max_vertices = from->num_vertices;
        meshes[m].num_triangles = from->num_triangles;
        meshes[m].bounds = md5_bounds_from_points(NULL, 0);
        meshes[m].loss4 = meshes[m].loss8 = INFINITY;
        meshes[m].is_mirrored = md5_is_mirrored(context->axes);
    }
    return true;
}

// -- Making ---------------------------------------------------------------------------------

// Makes all of the meshes anew. The model changes only if that succeeds.
static bool make_anew(md5_arena *arena, const kept_tables *kept, md5_model *model)
{
    const uint32_t num_meshes = model->num_meshes;
    md5_mesh_file file = {
        .num_joints = model->skeleton.num_joints, .num_meshes = num_meshes, .meshes = kept->meshes};
    md5_mesh *const meshes = (md5_mesh *)md5i_arena_alloc(arena, num_meshes, sizeof *meshes);
    TRY(meshes);
    TRY(file.notes = md5i_arena_alloc(arena, num_meshes, sizeof(md5_geometry_sizes)));
    file.tables = md5i_arena_here(arena);
    md5_model made = *model;
    made.geometry = NULL;
    made.geometry_size = 0;
    made.meshes = meshes;
    for (uint32_t m = 0; m < num_meshes; m++)
        meshes[m] = (md5_mesh){.name = model->meshes[m].name, .shader = model->meshes[m].shader};
    if (!make_meshes(arena, &file, kept->bind, &made, meshes)
        || !finish_meshes(arena->context, &made, meshes)) {
        md5_release_geometry(&made);
        return false;
    }
    md5_release_geometry(model);
    memcpy(md5_own_meshes(model), meshes, num_meshes * sizeof *meshes);
    model->geometry = made.geometry;
    model->geometry_size = made.geometry_size;
    model->bounds = made.bounds;
    model->max_vertices = made.max_vertices;
    return true;
}

typedef enum geometry_state { GEOMETRY_MADE, GEOMETRY_KEPT, GEOMETRY_RELEASED } geometry_state;

static geometry_state state_of(const md5_model *model)
{
    if (!model->geometry)
        return model->num_meshes == 0 ? GEOMETRY_MADE : GEOMETRY_RELEASED;
    return model->meshes[0].first_influence ? GEOMETRY_MADE : GEOMETRY_KEPT;
}

static bool make_from(const kept_tables *kept, md5_model *model, md5_error *error)
{
    md5_context context;
    md5i_context_begin(&context, &kept->opts, NULL, error);
    md5_arena arena = {.context = &context};
    const bool is_made = make_anew(&arena, kept, model);
    md5i_arena_free(&arena);
    return is_made;
}

// -- What exists ----------------------------------------------------------------------------

static bool has_losses(const md5_model *model)
{
    uint32_t m = 0;
    while (m < model->num_meshes && model->meshes[m].loss4 < INFINITY)
        m++;
    return m == model->num_meshes;
}

static bool has_tangents(const md5_model *model)
{
    uint32_t m = 0;
    while (m < model->num_meshes && model->meshes[m].tangents)
        m++;
    return m == model->num_meshes;
}

static bool has_plan(const md5_model *model)
{
    uint32_t m = 0;
    while (m < model->num_meshes && !model->meshes[m].skin_plan)
        m++;
    return m < model->num_meshes;
}

// The opposite of md5i_convert_points().
static md5_vec3 point_of_file(const md5_skeleton *skeleton, md5_vec3 point)
{
    const float scale = md5_scale_of(skeleton);
    const md5_vec3 unscaled = {point.x / scale, point.y / scale, point.z / scale};
    return md5i_vec3_from_axes(skeleton->axes, unscaled);
}

// The opposite of md5i_convert_matrices().
static md5_mat34 matrix_of_file(const md5_skeleton *skeleton, const md5_mat34 *matrix)
{
    const md5_axes_map *const map = &md5i_axes_maps[skeleton->axes];
    md5_mat34 made;
    for (int row = 0; row < 3; row++) {
        const float *const from = matrix->m + 4 * row;
        float *const to = made.m + 4 * map->from[row];
        for (int column = 0; column < 3; column++)
            to[map->from[column]] = map->sign[row] * map->sign[column] * from[column];
        to[3] = map->sign[row] * (from[3] / md5_scale_of(skeleton));
    }
    return made;
}

// What the file said of a mesh that was made without tangents.
static bool tables_of_mesh(md5_arena *arena, const md5_model *model, const md5_mesh *mesh,
                           md5_file_mesh *file)
{
    const uint32_t num_weights = mesh->num_weights, num_vertices = mesh->num_file_vertices;
    md5_weight *const weights = (md5_weight *)md5i_arena_room(arena, num_weights, sizeof *weights);
    TRY(weights);
    md5_vec2 *const texcoords = (md5_vec2 *)md5i_arena_room(arena, num_vertices, sizeof *texcoords);
    TRY(texcoords);
    for (uint32_t w = 0; w < num_weights; w++) {
        weights[w] = mesh->weights[w];
        weights[w].offset = point_of_file(&model->skeleton, weights[w].offset);
    }
    for (uint32_t v = 0; v < num_vertices; v++) {
        texcoords[v] = mesh->texcoords[v];
        if (model->flip_v)
            texcoords[v].y = 1.0f - texcoords[v].y;
    }
    *file = (md5_file_mesh){
        .num_vertices = num_vertices,
        .num_triangles = mesh->num_triangles,
        .num_weights = num_weights,
        .vertices = (md5_vertex *)mesh->file_vertices, // are read only
        .texcoords = texcoords,
        .triangles = (uint32_t *)mesh->indices,
        .weights = weights,
    };
    return true;
}

static bool tables_of_model(md5_arena *arena, const md5_model *model, kept_tables *kept)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    *kept = (kept_tables){
        .opts = {.allocator = model->allocator,
                 .axes = skeleton->axes,
                 .scale = skeleton->scale,
                 .flip_v = model->flip_v,
                 .normals = model->normals,
                 .without = (has_plan(model) ? 0 : MD5_PART_SKIN_PLANS)
                            | (has_losses(model) ? 0 : MD5_PART_LOSSES)},
        .bind = (md5_mat34 *)md5i_arena_room(arena, skeleton->num_joints, sizeof *kept->bind),
        .meshes = (md5_file_mesh *)md5i_arena_room(arena, model->num_meshes, sizeof *kept->meshes),
    };
    TRY(kept->bind);
    TRY(kept->meshes);
    for (uint32_t j = 0; j < skeleton->num_joints; j++)
        kept->bind[j] = matrix_of_file(skeleton, &model->bind[j]);
    for (uint32_t m = 0; m < model->num_meshes; m++)
        TRY(tables_of_mesh(arena, model, &model->meshes[m], &kept->meshes[m]));
    return true;
}

// Geometry that exists without tangents is derived again, with the plans and losses that it has or
// that are asked for.
static bool make_tangents(md5_context *context, md5_model *model, uint32_t parts, md5_error *error)
{
    if (model->stores_normals)
        return md5i_fail(context, MD5_ERROR_MISMATCH, 0, 0,
                         "tangents that the file stores were left out: load it with them");
    kept_tables kept;
    md5_arena arena = {.context = context};
    bool is_made = tables_of_model(&arena, model, &kept);
    kept.opts.without &= ~parts;
    is_made = is_made && make_from(&kept, model, error);
    md5i_arena_free(&arena);
    return is_made;
}

bool md5_complete_model(md5_model *model, uint32_t parts, md5_error *error)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(parts <= MD5_PART_GEOMETRY, "parts: md5_part flags");
    const md5_load_opts opts = {.allocator = model->allocator};
    md5_context context;
    md5i_context_begin(&context, &opts, NULL, error);
    const geometry_state state = state_of(model);
    if (parts == 0)
        return true;
    if (state == GEOMETRY_RELEASED)
        return md5i_fail(&context, MD5_ERROR_MISMATCH, 0, 0, "the model's geometry was released");
    if (state == GEOMETRY_KEPT) {
        kept_tables kept = *(const kept_tables *)model->geometry;
        kept.opts.without = ~parts & (MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS | MD5_PART_LOSSES);
        return make_from(&kept, model, error);
    }
    if ((parts & MD5_PART_TANGENTS) && !has_tangents(model))
        return make_tangents(&context, model, parts, error);
    TRY(!(parts & MD5_PART_SKIN_PLANS)
        || build_plans(&context, model->num_meshes, md5_own_meshes(model)));
    if (parts & MD5_PART_LOSSES && !has_losses(model))
        measure_losses(model, md5_own_meshes(model));
    return true;
}

// == The model ===================================================================================

// The parts of a model in its block; all NULL while the block is measured.
typedef struct model_layout {
    md5_model *model;
    md5_mesh *meshes;
    md5_joint *joints;
    uint32_t *order;
    md5_xform *bind_local;
    md5_mat34 *bind, *inverse_bind;
    char *names;
} model_layout;

static size_t model_names_size(const md5_mesh_file *file)
{
    size_t size = md5i_joint_names_size(file->joints, file->num_joints);
    for (uint32_t m = 0; m < file->num_meshes; m++)
        size += md5i_name_size(file->meshes[m].name) + md5i_name_size(file->meshes[m].shader);
    return size + md5i_name_size(file->command_line);
}

static void lay_out_model(md5_block *block, const md5_mesh_file *file, model_layout *layout)
{
    const uint32_t num_joints = file->num_joints;
    layout->model = (md5_model *)md5i_block_take(block, 1, sizeof *layout->model);
    layout->meshes = (md5_mesh *)md5i_block_take(block, file->num_meshes, sizeof *layout->meshes);
    layout->joints = (md5_joint *)md5i_block_take(block, num_joints, sizeof *layout->joints);
    layout->order = (uint32_t *)md5i_block_take(block, num_joints, sizeof *layout->order);
    layout->bind_local =
        (md5_xform *)md5i_block_take(block, num_joints, sizeof *layout->bind_local);
    layout->bind = (md5_mat34 *)md5i_block_take(block, num_joints, sizeof *layout->bind);
    layout->inverse_bind =
        (md5_mat34 *)md5i_block_take(block, num_joints, sizeof *layout->inverse_bind);
    layout->names = (char *)md5i_block_take(block, model_names_size(file), 1);
}

static size_t measure_model(const md5_mesh_file *file)
{
    md5_block block = {0};
    model_layout layout;
    lay_out_model(&block, file, &layout);
    return block.used;
}

// Fills the model's own block: everything but what meshes have in theirs.
static md5_model *place_model(const md5_context *context, md5_block *block,
                              const md5_mesh_file *file, md5_mesh **meshes)
{
    const uint32_t num_joints = file->num_joints;
    model_layout layout;
    lay_out_model(block, file, &layout);
    char *names = layout.names;
    md5i_copy_joints(&names, file->joints, num_joints, layout.joints);
    md5_copy_items(layout.order, file->order, num_joints, sizeof *layout.order);

    md5_model *const model = layout.model;
    *model = (md5_model){
        .skeleton = {num_joints, layout.joints, layout.order, context->axes, context->scale},
        .bind_local = layout.bind_local,
        .bind = layout.bind,
        .inverse_bind = layout.inverse_bind,
        .num_meshes = file->num_meshes,
        .normals = context->normals,
        .meshes = layout.meshes,
        .bounds = md5_bounds_from_points(NULL, 0),
        .command_line = md5i_copy_name(&names, file->command_line),
        .num_warnings = context->num_warnings,
        .flip_v = context->flip_v,
        .stores_normals = file->num_meshes > 0 && file->meshes[0].normals,
        .size = block->used,
        .allocator = context->allocator,
    };
    md5i_build_bind_pose(&model->skeleton, file->bind, layout.bind_local, layout.bind,
                         layout.inverse_bind);
    for (uint32_t m = 0; m < file->num_meshes; m++)
        layout.meshes[m] = (md5_mesh){.name = md5i_copy_name(&names, file->meshes[m].name),
                                      .shader = md5i_copy_name(&names, file->meshes[m].shader)};
    *meshes = layout.meshes;
    return model;
}

static void convert_bind_pose(const md5_context *context, md5_model *model)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    // All three lie in the model's own block.
    md5i_convert_transforms(context, (md5_xform *)model->bind_local, num_joints);
    md5i_convert_matrices(context, (md5_mat34 *)model->bind, num_joints);
    md5i_convert_matrices(context, (md5_mat34 *)model->inverse_bind, num_joints);
}

// Reserves the scratch memory of an ordinary file in two chunks: of the joints, which is freed
// before the meshes take theirs; and of the file's tables, and later, in the same bytes, of what
// deriving the largest mesh needs.
static bool reserve_scratch(md5_arena *arena, md5_arena *joints, const char *text, size_t size)
{
    const bool keeps = md5_keeps_tables(arena->context);
    const md5_mesh_counts counts = md5i_count_mesh_file(text, size);
    const md5_mesh_counts no_tables = {.num_meshes = counts.num_meshes};
    const uint64_t notes = counts.num_meshes * sizeof(md5_geometry_sizes);
    const uint64_t reading =
        md5i_mesh_file_size(&counts) + md5i_geometry_measure_size(counts.most_vertices);
    const uint64_t deriving = md5i_mesh_file_size(&no_tables) + counts.num_joints * sizeof(uint32_t)
                              + md5i_geometry_build_size(counts.most_vertices);
    const uint64_t most = notes + (reading > deriving || keeps ? reading : deriving);
    TRY(counts.num_joints == 0 || md5i_arena_reserve(joints, md5i_file_joints_size(&counts)));
    return md5i_arena_reserve(arena, most < SIZE_MAX ? (size_t)most : SIZE_MAX);
}

// Reads the file and fills the model's own block. The bind pose is still that of the file.
static bool read_model(md5_arena *arena, md5_arena *joints, const char *text, size_t size,
                       md5_mesh_file *file, md5_model **model, md5_mesh **meshes)
{
    const size_t note_size = sizeof(md5_geometry_sizes);
    const bool is_bfg = md5i_is_bfg_mesh(text, size);
    if (!is_bfg)
        TRY(reserve_scratch(arena, joints, text, size));
    TRY(is_bfg ? md5i_read_bfg_mesh(arena, text, size, note_size, file)
               : md5i_read_mesh_file(arena, joints, text, size, note_size, file));
    md5_block block = {.base = (unsigned char *)md5i_alloc(arena->context, measure_model(file))};
    TRY(block.base);
    *model = place_model(arena->context, &block, file, meshes);
    return true;
}

static bool build_model(md5_arena *arena, const char *text, size_t size, void **asset)
{
    md5_context *const context = arena->context;
    md5_arena joints = {.context = context};
    md5_mesh_file file;
    md5_model *model;
    md5_mesh *meshes;
    const bool is_read = read_model(arena, &joints, text, size, &file, &model, &meshes);
    md5i_arena_free(&joints);
    TRY(is_read);
    const bool is_filled = md5_keeps_tables(context)
                               ? keep_tables(context, &file, model, meshes)
                               : make_meshes(arena, &file, model->bind, model, meshes);
    if (!is_filled) {
        md5_free_model(model);
        return false;
    }
    if (md5_converts(context)) // meshes are derived from the file's own bind pose
        convert_bind_pose(context, model);
    // Plans take memory only after scratch memory is freed, so that the most that is held at once
    // does not include both.
    md5i_arena_free(arena);
    if (!md5_keeps_tables(context) && !finish_meshes(context, model, meshes)) {
        md5_free_model(model);
        return false;
    }
    *asset = model;
    return true;
}

md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                           md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)md5i_parse_asset(build_model, text, size, opts, error);
}

md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)md5i_load_asset(build_model, path, opts, error);
}

void md5_free_model(md5_model *model)
{
    if (!model)
        return;
    md5_release_geometry(model);
    model->allocator.free(model->allocator.user, model, model->size);
}
