// Converts a file's vertices, triangles and weights to drawable geometry: bind positions, smooth
// normals, tangents, split mirror seams, sorted influences. Time and scratch memory are linear in
// the number of vertices, triangles and weights that vertices refer to (times a logarithm if one
// vertex has very many joints), for any file.
#ifndef MD5_SKIN_GEOMETRY_H
#define MD5_SKIN_GEOMETRY_H

#include "md5/core/mesh.h"

// Computes num_vertices and num_influences of a mesh that has what the file says. Returns false and
// sets the context's error if memory runs out.
bool md5i_geometry_measure(md5_arena *scratch, md5_mesh_build *mesh);

// The joints that meshes are derived with.
typedef struct md5_mesh_joints {
    uint32_t num_joints;
    const md5_mat34 *bind; // [num_joints] of the file, model space
    uint32_t *scratch;     // [num_joints] of any content
} md5_mesh_joints;

// Derives a mesh in place: all arrays have room, those of the file are filled. `tangents` is NULL
// if they are left out. With less scratch memory than md5i_geometry_build_size() says, takes
// longer. Returns false and sets the context's error if memory runs out.
bool md5i_geometry_build(md5_arena *scratch, const md5_mesh_joints *joints, md5_mesh_build *mesh);

// Bytes of scratch memory that building needs for most meshes of `num_vertices` drawn vertices; and
// that both need for so many of the file at least, besides those of texture coordinates, which
// building uses again.
size_t md5i_geometry_build_size(uint64_t num_vertices);
size_t md5i_geometry_least_size(uint64_t num_vertices);

// Sets num_influences, max_influences, max_weights, num_off_sums and bounds of a mesh. All its
// arrays must be complete.
void md5i_geometry_summarize(md5_mesh *mesh);

// -- Equal points ---------------------------------------------------------------------------------

// Writes first_equal[count]: for each point the index of the first one that equals it in value
// (-0 = +0), which may be its own. Points are finite. Time is linear in `count` for any input: a
// hash table finds equal points, and if points were selected to collide, they are radix sorted.
// Returns false and sets the context's error if memory runs out.
bool md5i_weld(md5_arena *arena, const md5_vec3 *points, uint32_t count, uint32_t *first_equal);

// Makes of them nexts[count]: for each point the next one that equals it, `count` behind the last.
// Ascending, so that who marks those it has seen by their own index sees each group once.
void md5i_chain_equals(uint32_t *equals, uint32_t count);

// As md5i_weld(), by sorting without trying the hash table.
bool md5i_weld_by_sorting(md5_arena *arena, const md5_vec3 *points, uint32_t count,
                          uint32_t *first_equal);

#endif
