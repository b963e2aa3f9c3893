// Loading in the small form: models without tangents, colors, skinning plans and losses; clips of
// frames. Replaces build.c, parts.c and complete.c of md5/load.
#include "md5/load/anim.h"
#include "md5/load/axes.h"
#include "md5/load/meshes.h"
#include "md5/load/model.h"

// Loads an asset from text[size] or, if `text` is NULL, from the file at `path`: checks the
// options, reads the file and builds the asset.
void *md5i_load_asset(md5_build_asset *build, const char *path, const char *text, size_t size,
                      const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5i_begin_load(&context, path, text, opts, error);
    return md5i_load_in(&context, build, path, text, size);
}

bool md5i_build_anim(md5_arena *arena, const char *text, size_t size, void **asset)
{
    return md5i_build_frames(arena, text, size, asset);
}

// Reads the tables of a mesh file, and creates the model without its meshes. `kept` receives the
// tables that the meshes need.
static bool read_model(md5_arena *arena, md5_arena *joints, md5_arena *kept, const char *text,
                       size_t size, md5_mesh_file *file, md5_model **result)
{
    TRY(md5i_read_mesh_file(arena, joints, kept, text, size, file));
    if (!file->uses_mesh_arena || md5i_arena_free_bytes(kept) > 0)
        TRY(md5i_repack_tables(kept, file));
    return md5i_create_model(arena->context, file, result);
}

// Builds a model from the text of a mesh file, in the small form of the library. Reads the file,
// derives the meshes from the bind pose, and converts the bind pose to the axes and units of the
// options.
bool md5i_build_model(md5_arena *arena, const char *text, size_t size, void **asset)
{
    md5_context *const context = arena->context;
    md5_arena joints = {.context = context};
    md5_arena kept = {.context = context, .is_exact = true};
    md5_mesh_file file;
    md5_model *model;
    const bool is_read = read_model(arena, &joints, &kept, text, size, &file, &model);
    md5i_arena_free(&joints);
    if (!is_read) {
        md5i_arena_free(&kept);
        return false;
    }
    md5_mesh *const meshes = (md5_mesh *)model->meshes;
    const bool is_filled =
        md5i_derive_meshes(arena, &kept, md5i_memory_goal(size), &md5i_plain_mesh_steps, &file,
                           model->bind, model, meshes);
    md5i_set_mesh_memory(model, &kept);
    if (!is_filled) {
        md5_free_model(model);
        return false;
    }
    if (md5_needs_conversion(context)) // meshes were derived from the file's bind pose
        md5i_convert_bind_pose(context, model);
    *asset = model;
    return true;
}

// Frees the arrays of all meshes, for programs that have uploaded them. A second call has no
// effect.
void md5_release_geometry(md5_model *model)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    if (!model->internal.memory)
        return;
    for (uint32_t m = 0; m < model->num_meshes; m++)
        md5i_clear_mesh((md5_mesh *)&model->meshes[m]);
    md5i_free_mesh_memory(model);
}
