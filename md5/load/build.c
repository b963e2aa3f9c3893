// Builds models with all optional parts, and clips of all formats. This file combines the functions
// of the other files in this folder.
#include "md5/compress/file.h"
#include "md5/load/anim.h"
#include "md5/load/axes.h"
#include "md5/load/complete.h"
#include "md5/load/model.h"
#include "md5/load/parts.h"

// Loads an asset and merges equal warnings, so that each kind of warning is reported once.
void *md5i_load_asset(md5_build_asset *build, const char *path, const char *text, size_t size,
                      const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5_merged_warnings held = {.count = 0};
    md5i_begin_load(&context, path, text, opts, error);
    context.held = &held;
    context.group_vertices = opts && opts->group_vertices;
    context.skip_geometry = opts ? opts->skip_geometry : 0;
    void *const asset = md5i_load_in(&context, build, path, text, size);
    md5i_report_merged_warnings(&context);
    return asset;
}

// == Animations ==================================================================================

// Builds a clip that stores frames, and stores the number of warnings in it.
static bool build_frames_asset(md5_arena *arena, const char *text, size_t size, void **asset)
{
    TRY(md5i_build_frames(arena, text, size, asset));
    md5_anim *const anim = (md5_anim *)*asset;
    anim->num_warnings = arena->context->num_warnings;
    return true;
}

#if MD5_HAS_FORMATS

// Builds a clip from a text or from a compressed file. A magic number at the beginning
// distinguishes the two.
bool md5i_build_anim(md5_arena *arena, const char *text, size_t size, void **asset)
{
    if (md5_has_magic(text, size, MD5_PACKED_FILE))
        return md5i_read_packed_file(arena, text, size, asset);
    return build_frames_asset(arena, text, size, asset);
}

#else

bool md5i_build_anim(md5_arena *arena, const char *text, size_t size, void **asset)
{
    return build_frames_asset(arena, text, size, asset);
}

#endif

// == Models ======================================================================================

// Returns true if the options skip the whole geometry.
static bool skips_geometry(const md5_context *context)
{
    return (context->skip_geometry & MD5_GEOMETRY_ALL) == MD5_GEOMETRY_ALL;
}

// Reserves the memory for reading an ordinary text. If the load skips the geometry, the model keeps
// all tables of the meshes, so they are all read into `mesh_arena`. Nothing is reserved for binary
// files, whose size is not estimated.
static bool reserve_memory(md5_arena *arena, md5_arena *joints, md5_arena *mesh_arena,
                           const char *text, size_t size)
{
    if (md5_has_magic(text, size, MD5_BFG_MESH))
        return true;
    if (!skips_geometry(arena->context))
        return md5i_reserve_model(arena, joints, mesh_arena, text, size);
    const md5_mesh_counts counts = md5i_count_mesh_file(text, size);
    const md5_mesh_sizes sizes = md5i_mesh_file_sizes(&counts);
    const uint64_t total = sizes.meshes + sizes.tables + counts.mesh_arena_size;
    if (counts.num_joints > 0)
        TRY(md5i_arena_reserve(joints, (size_t)sizes.joints));
    return md5i_arena_reserve(mesh_arena, total < SIZE_MAX ? (size_t)total : SIZE_MAX);
}

// Stores the properties of a model that depend on optional parts of the library.
static void store_properties(const md5_context *context, const md5_mesh_file *file,
                             md5_model *model)
{
    model->num_warnings = context->num_warnings;
    model->stores_normals = file->num_meshes > 0 && file->meshes[0].has_frames;
    model->has_grouped_vertices = context->group_vertices;
}

// Reads a text and creates the block of the model, without the arrays of its meshes. `file`
// contains the tables from which these arrays are derived later. The arenas receive the same tables
// as in md5i_read_mesh_file(). If the load skips the geometry, `mesh_arena` also receives the other
// tables of the meshes.
static bool read_model(md5_arena *arena, md5_arena *joints, md5_arena *mesh_arena, const char *text,
                       size_t size, md5_mesh_file *file, md5_model **result)
{
    const bool keeps_tables = skips_geometry(arena->context);
    md5_arena *const table_arena = keeps_tables ? mesh_arena : arena;
    TRY(reserve_memory(arena, joints, mesh_arena, text, size));
    TRY(md5i_read_mesh_file(table_arena, joints, mesh_arena, text, size, file));

    // The model keeps the tables in `mesh_arena`. Move them to memory of exactly their size, unless
    // they are in such memory already.
    const bool fits_exactly = file->uses_mesh_arena && md5i_arena_free_bytes(mesh_arena) == 0;
    if (!keeps_tables && !fits_exactly)
        TRY(md5i_repack_tables(mesh_arena, file));
    TRY(md5i_create_model(arena->context, file, result));
    store_properties(arena->context, file, *result);
    return true;
}

// Fills the meshes of a model from the tables of its file. If `keeps_tables`, the tables are stored
// for later. Otherwise the geometry is derived from them. Converts the bind pose last, because the
// meshes are derived from the bind pose of the file.
static bool fill_model(md5_arena *arena, md5_arena *mesh_arena, size_t text_size,
                       const md5_mesh_file *file, bool keeps_tables, md5_model *model)
{
    md5_context *const context = arena->context;
    md5_mesh *const meshes = (md5_mesh *)model->meshes;
    if (keeps_tables)
        TRY(md5i_store_tables(mesh_arena, file, model, meshes));
    else
        TRY(md5i_derive_meshes(arena, mesh_arena, md5i_memory_goal(text_size), &md5i_mesh_steps,
                               file, model->bind, model, meshes));
    if (md5_needs_conversion(context))
        md5i_convert_bind_pose(context, model);
    return true;
}

// Builds a model from a text. Derives the geometry of the meshes from the tables of the text, or
// keeps the tables for later. Converts the result to the axes and units of the options.
bool md5i_build_model(md5_arena *arena, const char *text, size_t size, void **asset)
{
    md5_context *const context = arena->context;
    md5_arena joints = {.context = context};
    md5_arena mesh_arena = {.context = context, .is_exact = true};
    md5_mesh_file file;
    md5_model *model;

    const bool is_read = read_model(arena, &joints, &mesh_arena, text, size, &file, &model);
    md5i_arena_free(&joints);
    if (!is_read) {
        md5i_arena_free(&mesh_arena);
        return false;
    }

    const bool keeps_tables = skips_geometry(context);
    const bool is_filled = fill_model(arena, &mesh_arena, size, &file, keeps_tables, model);
    md5i_set_mesh_memory(model, &mesh_arena);

    // Skin plans are allocated only after the scratch memory is freed. Thus the peak of memory does
    // not include both.
    md5i_arena_free(arena);
    bool is_complete = is_filled;
    if (is_filled && !keeps_tables)
        is_complete =
            md5i_finish_meshes(context, ~context->skip_geometry, model, (md5_mesh *)model->meshes);
    if (!is_complete) {
        md5_free_model(model);
        return false;
    }
    *asset = model;
    return true;
}
