// Optional parts of meshes: tangents, colors, an order of vertices by joints, skinning plans and
// losses.
#ifndef MD5_LOAD_PARTS_H
#define MD5_LOAD_PARTS_H

#include "md5/load/meshes.h"

// Steps with tangents and colors, and with the order of vertices that the options request.
extern const md5_mesh_steps md5i_mesh_steps;

// Makes the skinning plans and losses among `parts`, md5_geometry_part flags, that meshes lack.
// Returns false, with the context's error set, if memory runs out.
bool md5i_finish_meshes(md5_context *context, uint32_t parts, const md5_model *model,
                        md5_mesh *meshes);

// Sets the arrays of a mesh to NULL, but not their counts.
void md5i_forget_arrays(md5_mesh *mesh);

#endif
