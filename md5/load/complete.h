// Derives parts of the geometry after a load has skipped them: see md5_derive_geometry().
#ifndef MD5_LOAD_COMPLETE_H
#define MD5_LOAD_COMPLETE_H

#include "md5/load/meshes.h"

// Stores the tables from which md5_derive_geometry() can derive the meshes later. The tables of the
// file are in the arena `mesh_arena`, and the bind pose of the model is not converted yet.
bool md5i_store_tables(md5_arena *mesh_arena, const md5_mesh_file *file, md5_model *model,
                       md5_mesh *meshes);

#endif
