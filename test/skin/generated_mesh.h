// Builds meshes with all geometry from tables in C, for the tests of md5/skin.
#ifndef TEST_SKIN_GENERATED_MESH_H
#define TEST_SKIN_GENERATED_MESH_H

#include "md5/md5skin.h"

// The tables of a mesh in a file.
typedef struct mesh_source {
    uint32_t num_vertices;
    uint32_t num_triangles;
    uint32_t num_weights;
    const md5_vertex *vertices;
    const md5_vec2 *texcoords;
    const uint32_t *triangles; // [3 * num_triangles]
    const md5_weight *weights;
    const md5_mat34 *bind;
} mesh_source;

// A model with one mesh. Free it with free_generated_mesh().
typedef struct generated_mesh {
    md5_error error;
    md5_mesh mesh;
    md5_model model;
    struct mesh_memory *memory; // memory of the arrays of `mesh`
} generated_mesh;

// Builds a mesh. `opts` can be NULL; `num_joints` is the number of elements of source->bind.
// Returns true on success. The mesh must be freed in both cases.
bool build_generated_mesh(generated_mesh *generated, const mesh_source *source, uint32_t num_joints,
                          const md5_load_opts *opts);
void free_generated_mesh(generated_mesh *generated);
#define SCOPED_MESH __attribute__((cleanup(free_generated_mesh))) generated_mesh

// Returns a source with one vertex, weights[num_weights] and no triangles. Overwrites `vertex`.
mesh_source single_vertex_source(md5_vertex *vertex, const md5_weight *weights,
                                 uint32_t num_weights, const md5_mat34 *bind);

// Returns a random rotation with uniform distribution.
md5_quat random_quat(uint64_t *random);

// Writes num_joints matrices with random rotations, and positions of up to `size` along each axis.
void random_joints(md5_mat34 *joints, uint32_t num_joints, double size, uint64_t *random);

#endif
