// Meshes written in C, with all their geometry derived, for the tests of md5/skin.
#ifndef TEST_SKIN_MADE_MESH_H
#define TEST_SKIN_MADE_MESH_H

#include "md5/skin/geometry.h"

// The tables of a mesh in a file.
typedef struct made_source {
    uint32_t num_vertices;
    uint32_t num_triangles;
    uint32_t num_weights;
    const md5_vertex *vertices;
    const md5_vec2 *texcoords;
    const uint32_t *triangles; // [3 * num_triangles]
    const md5_weight *weights;
    const md5_mat34 *bind;
} made_source;

// A model of one mesh. Lives until made_mesh_free().
typedef struct made_mesh {
    md5_context context;
    md5_error error;
    md5_arena arena;
    md5_mesh mesh;
    md5_model model;
} made_mesh;

// `opts` may be NULL. Returns whether it worked; free it either way. `num_joints` counts `bind`.
bool made_mesh_build(made_mesh *made, const made_source *source, uint32_t num_joints,
                     const md5_load_opts *opts);
void made_mesh_free(made_mesh *made);
#define OWN_MESH __attribute__((cleanup(made_mesh_free))) made_mesh

// A source of one vertex with weights[num_weights] and no triangle. `vertex` is overwritten.
made_source made_vertex(md5_vertex *vertex, const md5_weight *weights, uint32_t num_weights,
                        const md5_mat34 *bind);

// A random rotation; each is equally likely.
md5_quat made_rotation(uint64_t *random);

// num_joints matrices: any rotation, and a position up to `size` from the origin along each axis.
void made_joints(md5_mat34 *joints, uint32_t num_joints, double size, uint64_t *random);

#endif
