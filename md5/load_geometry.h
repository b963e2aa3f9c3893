// The meshes of a model, all in one block: made at load, or later from tables that were kept for
// that (md5_load_opts.without), and freed by md5_release_geometry().
#ifndef MD5_LOAD_GEOMETRY_H
#define MD5_LOAD_GEOMETRY_H

#include "md5/load_mesh.h"

// What follows is done to `model` with its `meshes`, which have their names. Functions return
// false, with the context's error set, if memory runs out; then md5_release_geometry() frees what
// was made so far.

// Fills the meshes from the tables of a file, whose notes are md5_geometry_sizes, but for what
// md5i_finish_meshes() makes. `bind` is the file's own bind pose. Frees the tables in the arena.
bool md5i_make_meshes(md5_arena *arena, const md5_mesh_file *file, const md5_mat34 *bind,
                      md5_model *model, md5_mesh *meshes);

// The parts that follow from complete meshes: plans of those that have none; losses; both, as far
// as the options ask for them.
bool md5i_build_plans(md5_context *context, uint32_t num_meshes, md5_mesh *meshes);
void md5i_measure_losses(const md5_model *model, md5_mesh *meshes);
bool md5i_finish_meshes(md5_context *context, const md5_model *model, md5_mesh *meshes);

// Instead of making meshes: copies what md5_complete_model() makes them from. The model's bind pose
// is still that of the file.
bool md5i_keep_tables(md5_context *context, const md5_mesh_file *file, md5_model *model,
                      md5_mesh *meshes);

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

#endif
