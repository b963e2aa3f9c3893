// State while an .md5mesh is read. mesh_parse.c reads the file, its joints and the
// words of each mesh; mesh_tables.c reads the rows of vertices, triangles and weights.
#ifndef MD5_READ_MESH_READER_H
#define MD5_READ_MESH_READER_H

#include "md5/read/header.h"
#include "md5/read/mesh_file.h"

typedef struct md5_mesh_reader {
    md5_lex lex;
    md5_header header;
    md5_count num_joints, num_meshes;
    uint32_t num_meshes_read;
    md5_arena *joint_arena;
    md5_file_joint *joints;
    struct md5_file_bone *bones; // of version 6; `joints` is set after the last of them
    uint32_t num_bones_read;
    md5_file_mesh *meshes;
    size_t note_size;
    uint64_t num_references; // of vertices to weights, over all meshes
    md5_mesh_file *file;
} md5_mesh_reader;

// Whether vertices and weights have no parentheses, and joints are bones.
static inline bool md5_is_old_mesh(const md5_mesh_reader *reader)
{
    return reader->header.version == MD5_VERSION_6;
}

// State while one mesh is read.
typedef struct md5_mesh_block {
    md5_file_mesh *mesh;
    md5_count num_vertices, num_triangles, num_weights, num_colors;
    const char *vertices_at, *triangles_at; // where the first of each begins
    // The first corner of a narrow triangle whose vertex is out of range, and that vertex.
    bool has_bad_corner;
    size_t bad_corner;
    uint32_t bad_vertex;
    bool has_name, has_shader;
} md5_mesh_block;

// Whether each vertex ends with a normal and a tangent.
static inline bool md5_has_frames(const md5_mesh_reader *reader)
{
    return reader->header.version == 12;
}

// Each reads a count, whose keyword was consumed, and the rows after it.
bool md5i_read_vertices(md5_mesh_reader *reader, md5_mesh_block *block);
bool md5i_read_triangles(md5_mesh_reader *reader, md5_mesh_block *block);
bool md5i_read_weights(md5_mesh_reader *reader, md5_mesh_block *block);
bool md5i_read_colors(md5_mesh_reader *reader, md5_mesh_block *block);

// Check indices at the end of a mesh. An index outside of its table is an error; so are vertices
// that share weights more often than the text has bytes.
bool md5i_check_vertices(md5_mesh_reader *reader, const md5_mesh_block *block);
bool md5i_check_triangles(md5_mesh_reader *reader, md5_mesh_block *block);

// -- bones.c: joints of version 6 -----------------------------------------------------------------

// Reads the number after `numbones`, which was consumed.
bool md5i_read_num_bones(md5_mesh_reader *reader);

// Reads `bone i { ... }`. After the last one the joints of the file are complete.
bool md5i_read_bone(md5_mesh_reader *reader);

#endif
