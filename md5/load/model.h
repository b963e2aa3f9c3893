// The block of a model: everything except the arrays of its meshes.
#ifndef MD5_LOAD_MODEL_H
#define MD5_LOAD_MODEL_H

#include "md5/load/asset.h"

// Reserves the memory for reading an ordinary text in three chunks. The first is for the joints,
// and is freed before the meshes are allocated. The second is for the tables that the model keeps.
// The third is for the other tables of the file. It is also large enough to derive the largest mesh
// with the slow method that needs the least memory.
bool md5i_reserve_model(md5_arena *arena, md5_arena *joints, md5_arena *mesh_arena,
                        const char *text, size_t size);

// Creates the block of a model from the tables of a file. Of the meshes, only the names are set.
// The bind pose is not converted yet. Returns false, with the context's error set, if memory runs
// out.
bool md5i_create_model(md5_context *context, const md5_mesh_file *file, md5_model **result);

// Converts the bind pose to the axes and units of the options.
void md5i_convert_bind_pose(const md5_context *context, md5_model *model);

#endif
