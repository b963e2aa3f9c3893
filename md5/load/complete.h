// Parts of a model that are made later: see md5_derive_geometry().
#ifndef MD5_LOAD_COMPLETE_H
#define MD5_LOAD_COMPLETE_H

#include "md5/load/meshes.h"

// Stores the tables that md5_derive_geometry() makes meshes from, instead of making the meshes. The
// file's tables are in the arena `kept`, and the model's bind pose is still that of the file.
bool md5i_store_tables(md5_arena *kept, const md5_mesh_file *file, md5_model *model,
                       md5_mesh *meshes);

#endif
