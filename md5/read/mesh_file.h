// The tables of an .md5mesh, before anything is derived from them.
#ifndef MD5_READ_MESH_FILE_H
#define MD5_READ_MESH_FILE_H

#include "md5/read/joints.h"

// Every index is inside its table.
typedef struct md5_file_mesh {
    md5_span name, shader;
    uint32_t num_vertices, num_triangles, num_weights;
    md5_vertex *vertices;
    md5_vec2 *texcoords;
    // [3 * num_triangles] vertices, in one of two widths; the other is NULL.
    uint16_t *narrow_triangles;
    uint32_t *triangles;
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
    const md5_xform *bind; // [num_joints] model space, w rebuilt
    const uint32_t *order; // [num_joints] parents before children
    uint32_t num_meshes;
    const md5_file_mesh *meshes;
    void *notes;           // [num_meshes][note_size] zeroed, for the caller's use
    md5_arena_mark tables; // md5i_arena_rewind() to it frees tables and texts of meshes, no more
} md5_mesh_file;

// Sizes of the tables of a file, according to its counts.
typedef struct md5_mesh_counts {
    uint64_t num_joints, num_meshes, num_vertices, num_triangles, num_weights; // of all meshes
    uint64_t most_vertices;                                                    // of one mesh
} md5_mesh_counts;

// Meshes of up to this many vertices have narrow triangles if `numverts` comes before `numtris`.
enum { MD5_MOST_NARROW = 1 << 16 };

// Estimates the counts without parsing, in a fraction of the time. The words may occur elsewhere,
// or counts may be wrong; no count exceeds what the text could hold.
md5_mesh_counts md5i_count_mesh_file(const char *text, size_t size);

// Bytes that md5i_read_mesh_file() takes from the arena of the joints, and from the other one
// without notes, if the counts are right.
size_t md5i_file_joints_size(const md5_mesh_counts *counts);
size_t md5i_mesh_file_size(const md5_mesh_counts *counts);

// Reads `size` bytes of .md5mesh text. What `file` points to lies in the arena or in the text;
// joints, their bind pose and order in an arena of their own, which may be the same, and is for
// version 6. The caller gets `note_size` bytes for each mesh. Returns false with the context's
// error set.
bool md5i_read_mesh_file(md5_arena *arena, md5_arena *joints, const char *text, size_t size,
                         size_t note_size, md5_mesh_file *file);

// The same for a .bmd5mesh of Doom 3 BFG, which its first bytes tell from text.
bool md5i_is_bfg_mesh(const char *bytes, size_t size);
bool md5i_read_bfg_mesh(md5_arena *arena, const char *bytes, size_t size, size_t note_size,
                        md5_mesh_file *file);

#endif
