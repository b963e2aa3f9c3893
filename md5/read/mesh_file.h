// What the text of an .md5mesh says, before anything is derived from it.
#ifndef MD5_READ_MESH_FILE_H
#define MD5_READ_MESH_FILE_H

#include "md5/read/joints.h"

// Every index is inside its table.
typedef struct md5_file_mesh {
    md5_span name, shader;
    uint32_t num_vertices, num_triangles, num_weights;
    md5_vertex *vertices;
    md5_vec2 *texcoords;
    uint32_t *triangles; // [3 * num_triangles]
    md5_weight *weights;
    // Version 12 only, else NULL; normals and tangents in the space of a vertex's dominant joint.
    md5_vec3 *normals;
    md5_vec4 *tangents;
    md5_vec4 *colors; // may be NULL there too
} md5_file_mesh;

typedef struct md5_mesh_file {
    md5_span command_line;
    uint32_t num_joints; // >= 1
    const md5_file_joint *joints;
    const md5_transform *bind; // [num_joints] model space, w rebuilt
    const uint32_t *order;     // [num_joints] parents before children
    uint32_t num_meshes;
    const md5_file_mesh *meshes;
} md5_mesh_file;

// Reads `size` bytes of .md5mesh text. What `file` points to lies in the arena or in the text.
// Returns false with the context's error set.
bool md5_read_mesh_file(md5_arena *arena, const char *text, size_t size, md5_mesh_file *file);

#endif
