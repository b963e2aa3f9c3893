// Optional parts of meshes: tangents, colors, an order of vertices by joints, skinning plans and
// packing losses.
#ifndef MD5_LOAD_PARTS_H
#define MD5_LOAD_PARTS_H

#include "md5/load/meshes.h"

// The steps for meshes with tangents, colors, and the order of vertices that the options request.
extern const md5_mesh_steps md5i_mesh_steps;

// Derives the skinning plans and packing losses that are in `parts` (md5_geometry_part flags) and
// do not exist yet. Returns false, with the context's error set, if memory runs out.
bool md5i_finish_meshes(md5_context *context, uint32_t parts, const md5_model *model,
                        md5_mesh *meshes);

// Sets all arrays of a mesh, including tangents and colors, to NULL. Does not change the counts.
void md5i_clear_all_arrays(md5_mesh *mesh);

#endif
