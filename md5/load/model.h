// The block of a model: everything except the arrays of its meshes.
#ifndef MD5_LOAD_MODEL_H
#define MD5_LOAD_MODEL_H

#include "md5/load/asset.h"

// Reserves the memory for reading an ordinary text, in three chunks: for the joints, which are
// freed before the meshes are allocated; for the tables that the model keeps; and for the other
// tables of the file. The last chunk is also large enough to derive the largest mesh in the slower
// way that needs the least memory.
bool md5i_reserve_model(md5_arena *arena, md5_arena *joints, md5_arena *mesh_arena,
                        const char *text, size_t size);

// Creates the block of a model from the tables of a file. The meshes have only their names, and the
// bind pose is not converted. Returns false, with the context's error set, if memory runs out.
bool md5i_create_model(md5_context *context, const md5_mesh_file *file, md5_model **result);

// Converts the bind pose to the axes and units of the options.
void md5i_convert_bind_pose(const md5_context *context, md5_model *model);

#endif
