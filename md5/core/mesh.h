// One mesh on its way from a file's text to its place in a model.
#ifndef MD5_CORE_MESH_H
#define MD5_CORE_MESH_H

#include "md5/core/lex.h"

// The arrays of md5_mesh, of the same names and lengths, and the counts that say how long they are.
// Reading fills those of the file: those that stay as they are in the model's memory. Placing gives
// all others room there, and copies what they begin with. Deriving completes them.
typedef struct md5_mesh_build {
    // Of the file. Every index is inside its table.
    md5_span name;
    md5_span shader;
    uint32_t num_file_vertices;
    uint32_t num_weights;
    uint32_t num_triangles;
    bool has_frames;   // version 12: normals and tangents are in the space of the dominant joint
    bool has_tangents; // tangents are to be derived, or those of the file are used
    md5_vertex *file_vertices;
    md5_weight *weights;
    uint32_t *indices; // of file vertices until they are derived

    // In scratch memory, [num_file_vertices], before they are placed; NULL = none.
    md5_vec4 *colors;
    md5_vec2 *texcoords;
    md5_vec3 *normals;
    md5_vec4 *tangents;

    // Derived.
    uint32_t num_vertices;   // file vertices and copies on mirror seams
    uint32_t num_influences; // upper bound, exact for what exporters write: see count_influences()
    uint32_t *sources;
    md5_vec3 *positions;
    uint32_t *first_influence;
    uint32_t *influence_joints;
    md5_vec4 *influences;
} md5_mesh_build;

#endif
