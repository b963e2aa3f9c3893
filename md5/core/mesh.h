// md5_mesh_build contains the arrays of one mesh while it is loaded. Three modules fill it in
// order: md5/read fills the tables of the file, md5/load allocates the derived arrays, and md5/skin
// computes them.
#ifndef MD5_CORE_MESH_H
#define MD5_CORE_MESH_H

#include "md5/core/lex.h"

// A mesh while it is loaded. Arrays and counts have the names and lengths of the members of
// md5_mesh.
typedef struct md5_mesh_build {
    // Tables of the file, in the memory of the model. Every index is valid.
    md5_span name;
    md5_span shader;
    uint32_t num_file_vertices;
    uint32_t num_weights;
    uint32_t num_triangles;
    bool has_frames;   // version 12: normals and tangents are in the space of the dominant joint
    bool has_tangents; // the mesh has tangents, derived or from the file
    md5_vertex *file_vertices;
    md5_weight *weights;
    uint32_t *indices; // indices of file vertices; after derivation, of drawn vertices

    // Tables that are read into scratch memory and later copied to the memory of the model. They
    // have num_file_vertices elements, or are NULL if the file does not contain them.
    md5_vec4 *colors;
    md5_vec2 *texcoords;
    md5_vec3 *normals;
    md5_vec4 *tangents;

    // The members below are computed from the file.
    uint32_t num_vertices;   // drawn vertices: file vertices and their copies on mirror seams
    uint32_t num_influences; // upper bound: see md5i_count_influences()
    uint32_t *sources;
    md5_vec3 *positions;
    uint32_t *first_influence;
    uint32_t *influence_joints;
    md5_vec4 *influences;
} md5_mesh_build;

#endif
