// One mesh of a model: its arrays in the model's block, first filled with what the file says, then
// with what follows from that.
//
// Each mesh passes three stages. Measuring needs the file's tables. Placing copies these tables to
// the block. Deriving computes normals, tangents and influences from the copies; by then the tables
// are gone and their memory serves as scratch. So the measured sizes are kept apart from the
// tables, in md5_mesh_file.notes.
#ifndef MD5_LOAD_MESH_H
#define MD5_LOAD_MESH_H

#include "md5/read/tables.h"
#include "md5/skin/geometry.h"

// Writes the sizes of the arrays that `mesh` becomes.
bool md5i_measure_mesh(md5_arena *arena, const md5_file_mesh *mesh, md5_geometry_sizes *sizes);

// Takes the arrays of a mesh from a block that only measures.
void md5i_measure_mesh_block(md5_block *block, const md5_file_mesh *mesh,
                             const md5_geometry_sizes *sizes);

// Takes the arrays of a mesh from the block and copies the file's tables to them.
void md5i_place_mesh(md5_block *block, const md5_file_mesh *file, const md5_geometry_sizes *sizes,
                     md5_mesh *mesh);

// Fills what md5i_place_mesh() left: all but the plan and the losses, converted as the options ask
// for. `block` is as it was for md5i_place_mesh(). Of `file` only counts and NULL pointers are
// used; of `joints` only the bind matrices and the scratch memory. Returns false, with the
// context's error set, if memory runs out.
bool md5i_derive_mesh(md5_arena *arena, md5_block *block, const md5_file_mesh *file,
                      const md5_geometry_sizes *sizes, const md5_geometry_source *joints,
                      md5_mesh *mesh);

#endif
