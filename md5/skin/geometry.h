// Converts the vertices, triangles and weights of a file to drawable geometry: bind positions,
// smooth normals and sorted influences. tangents.h adds tangents. For any file, time and scratch
// memory are linear in the number of vertices, triangles and referenced weights. A vertex with very
// many joints adds a logarithmic factor.
#ifndef MD5_SKIN_GEOMETRY_H
#define MD5_SKIN_GEOMETRY_H

#include "md5/core/mesh.h"

// The joints of the file, for deriving meshes.
typedef struct md5_mesh_joints {
    uint32_t num_joints;
    const md5_mat34 *bind; // [num_joints] bind pose of the file, model space
    uint32_t *scratch;     // [num_joints] scratch memory with any content
} md5_mesh_joints;

// Sets num_vertices and num_influences of a mesh that contains the tables of the file.
void md5i_measure_geometry(md5_mesh_build *mesh);

// Returns the number of influences of a file vertex. Weights with bias 0 are not counted, and
// weights on the same joint are merged. In two cases, the number is only an upper bound: the vertex
// has many weights, or some of them cancel out or are too small for a float.
uint32_t md5i_count_influences(const md5_mesh_build *mesh, uint32_t vertex);

// Derives a mesh in place. All arrays must be allocated, and the arrays of the file must be filled.
// Returns false and sets the context's error if memory runs out.
bool md5i_build_geometry(md5_arena *scratch, const md5_mesh_joints *joints, md5_mesh_build *mesh);

// First step of md5i_build_geometry(). Writes sources, positions, first_influence, influence_joints
// and influences of the file vertices.
//
// An influence is the sum of all weights of a vertex on one joint. Nothing is lost by this, because
// the joint's matrix J is linear. For two weights with the biases b1, b2 and the points p1, p2:
//
//   J * (b1 * p1, b1) + J * (b2 * p2, b2) = J * (b1 * p1 + b2 * p2, b1 + b2)
//
// Influences whose four numbers are all zero are omitted.
bool md5i_build_influences(md5_arena *scratch, const md5_mesh_joints *joints, md5_mesh_build *mesh);

// Second step of md5i_build_geometry(). Computes the normals from indices and positions.
// nexts[num_vertices] and scratch[num_vertices] are scratch memory.
//
// The normals at a position are computed in three steps:
//
// - Sum the unit normals of all triangles at the position, with the weights that context->normals
//   selects. All vertices at the position share this sum, so texture seams and mirror seams are
//   invisible.
// - If the sum cancels out, each vertex gets the sum of its own triangles instead. This occurs on a
//   sheet whose front and back have separate vertices.
// - If this sum also cancels out, the normal is 0 0 1.
bool md5i_build_normals(md5_arena *arena, md5_mesh_build *mesh, uint32_t *nexts, md5_vec4 *scratch);

// Returns the bytes of scratch memory that are sufficient for building most meshes with
// `num_vertices` drawn vertices.
size_t md5i_geometry_build_size(uint64_t num_vertices);

// Returns the smallest number of bytes of scratch memory with which measuring and building can
// succeed. Building also reuses the memory of the file's texture coordinates, which is not counted.
size_t md5i_geometry_min_size(uint64_t num_vertices);

// Sets num_influences, max_influences, max_weights, num_off_sums and bounds of a mesh. All its
// arrays must be complete.
void md5i_geometry_summarize(md5_mesh *mesh);

// -- Equal points ---------------------------------------------------------------------------------

// Finds equal points, which must be finite. The result first_equal[i] is the index of the first
// point with the same value as point i. This can be i itself. 0 and -0 are equal. Returns false and
// sets the context's error if memory runs out.
//
// The time is linear in `count` for any input. A hash table finds equal points. If too many points
// collide in it, a radix sort replaces it.
bool md5i_weld(md5_arena *arena, const md5_vec3 *points, uint32_t count, uint32_t *first_equal);

// Converts first_equal[count] in place to nexts[count], which chains equal points. nexts[i] is the
// index of the next equal point, or `count` for the last one. Indices ascend. A caller that sets
// nexts[i] to i for visited points visits each group once.
void md5i_chain_equals(uint32_t *equals, uint32_t count);

// Computes the result of md5i_weld() by sorting only, which is slower but needs no hash table.
bool md5i_weld_by_sorting(md5_arena *arena, const md5_vec3 *points, uint32_t count,
                          uint32_t *first_equal);

#endif
