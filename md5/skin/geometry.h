// Converts a file's vertices, triangles and weights to drawable geometry: bind positions, smooth
// normals, sorted influences. tangents.h adds tangents. Time and scratch memory are linear in the
// number of vertices, triangles and weights that vertices refer to (times a logarithm if one vertex
// has very many joints), for any file.
#ifndef MD5_SKIN_GEOMETRY_H
#define MD5_SKIN_GEOMETRY_H

#include "md5/core/mesh.h"

// The joints that meshes are derived with.
typedef struct md5_mesh_joints {
    uint32_t num_joints;
    const md5_mat34 *bind; // [num_joints] of the file, model space
    uint32_t *scratch;     // [num_joints] of any content
} md5_mesh_joints;

// Sets num_vertices and num_influences of a mesh that contains the file's tables.
void md5i_measure_geometry(md5_mesh_build *mesh);

// Returns the number of influences of a vertex of the file: weights of bias 0 add none, weights on
// the same joint are merged. The number is an upper bound if there are many weights, or if weights
// cancel out or are too small for a float.
uint32_t md5i_count_influences(const md5_mesh_build *mesh, uint32_t vertex);

// Derives a mesh in place: all arrays are allocated, those of the file are filled. Returns false
// and sets the context's error if memory runs out.
bool md5i_build_geometry(md5_arena *scratch, const md5_mesh_joints *joints, md5_mesh_build *mesh);

// Steps of md5i_build_geometry().
//
// Writes sources, positions, first_influence, influence_joints and influences of the vertices of
// the file. Several weights of a vertex on one joint J add up to one influence without loss,
// because J * (b1 * p1, b1) + J * (b2 * p2, b2) = J * (b1 * p1 + b2 * p2, b1 + b2). Influences that
// are zero in all four numbers are omitted.
bool md5i_build_influences(md5_arena *scratch, const md5_mesh_joints *joints, md5_mesh_build *mesh);

// Writes the normals from indices and positions. nexts[num_vertices] and scratch[num_vertices] are
// overwritten.
//
// The unit normals of all triangles that meet at a position are summed with the weights that
// context->normals selects, whichever of the vertices at the position they use, so that texture
// seams and mirror seams are invisible. If the sum of a position cancels out, as on a sheet whose
// front and back have separate vertices, each vertex takes the sum of its own triangles; if that
// cancels out too, 0 0 1.
bool md5i_build_normals(md5_arena *arena, md5_mesh_build *mesh, uint32_t *nexts, md5_vec4 *scratch);

// Scratch memory in bytes: for building most meshes of `num_vertices` drawn vertices; and the
// minimum for measuring and building, in addition to the memory of the file's texture coordinates,
// which building uses again.
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
