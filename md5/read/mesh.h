// Interface between the reader of .md5mesh files, mesh.c, and the files for single versions,
// mesh_v6.c and mesh_v12.c. A version is a md5_mesh_dialect: a table of functions that mesh.c calls
// for everything that differs between versions.
#ifndef MD5_READ_MESH_H
#define MD5_READ_MESH_H

#include "md5/read/header.h"
#include "md5/read/tables.h"

// Minimum size in the text of one mesh and of one vertex, in bytes. A count that the remaining text
// cannot contain is an error, so that memory is linear in the size of the text.
enum {
    MD5_MESH_BYTES = sizeof "mesh{numverts 0 numtris 0 numweights 0}" - 1,
    MD5_VERTEX_BYTES = sizeof "vert 0(0 0)0 0" - 1,
};

// State while an .md5mesh is read.
typedef struct md5_mesh_reader {
    md5_lex lex;
    md5_header header;
    const md5_mesh_dialect *dialect;
    md5_count num_joints; // declared
    md5_count num_meshes; // declared
    uint32_t num_meshes_read;
    md5_arena *joint_arena; // for joints, their names and their bind pose
    md5_arena *mesh_arena;  // for tables that the model keeps unchanged
    md5_file_joint *joints;
    struct md5_file_bone *bones; // version 6: `joints` is set after the last bone
    uint32_t num_bones_read;
    md5_mesh_build *meshes;
    uint64_t num_references; // sum of md5_vertex.num_weights over all meshes
    md5_mesh_file *file;
} md5_mesh_reader;

// State while one mesh is read.
typedef struct md5_mesh_block {
    md5_mesh_build *mesh;
    md5_arena *mesh_arena;
    md5_count num_vertices;
    md5_count num_triangles;
    md5_count num_weights;
    md5_count num_colors;
    const char *vertices_at;  // position of the first vertex
    const char *triangles_at; // position of the first triangle
    bool has_name;
    bool has_shader;
} md5_mesh_block;

// The syntax of one version. Functions return false with the context's error set.
struct md5_mesh_dialect {
    uint32_t version;
    const char *joint_keyword;      // for messages
    const char *mesh_count_keyword; // for messages
    const char *vertex_format;      // format of a vertex: see md5i_end_table()
    const char *weight_format;      // format of a weight
    size_t first_weight_part;       // index of the first weight in vertex_format

    // Reads the keyword `word` at the top level, other than `mesh`, with its values.
    bool (*read_keyword)(md5_mesh_reader *reader, md5_span word);
    // Reads the beginning of a mesh, up to and including its `{`, and sets block->mesh.
    bool (*begin_mesh)(md5_mesh_reader *reader, md5_mesh_block *block);
    // Reads one keyword of a mesh with its values.
    bool (*read_mesh_keyword)(md5_mesh_reader *reader, md5_mesh_block *block);
    // Read a count, whose keyword was consumed, and the table after it.
    bool (*read_vertices)(md5_lex *lex, md5_mesh_block *block);
    bool (*read_weights)(md5_lex *lex, md5_mesh_block *block, uint32_t num_joints);
    // Checks the tables of a mesh after its `}`.
    bool (*finish_mesh)(md5_mesh_reader *reader, const md5_mesh_block *block);
    // Returns true if the reader has read everything that it needs.
    bool (*is_complete)(md5_mesh_reader *reader);
};

// Functions of version 10 that other dialects use or extend.
bool md5i_read_mesh_top_level(md5_mesh_reader *reader, md5_span word);
bool md5i_begin_mesh(md5_mesh_reader *reader, md5_mesh_block *block);
bool md5i_read_mesh_keyword(md5_mesh_reader *reader, md5_mesh_block *block);
bool md5i_read_weights(md5_lex *lex, md5_mesh_block *block, uint32_t num_joints);
bool md5i_finish_mesh(md5_mesh_reader *reader, const md5_mesh_block *block);
// Returns true if the joints and all declared meshes are read.
bool md5i_mesh_is_complete(md5_mesh_reader *reader);

// Reads the number of vertices, whose keyword was consumed, and allocates the tables.
bool md5i_begin_vertices(md5_lex *lex, md5_mesh_block *block);

// Reads the number of weights, of at least `min_bytes` each, and allocates their table.
bool md5i_begin_weights(md5_lex *lex, md5_mesh_block *block, size_t min_bytes);

// Reads a line `vert v ( u v ) first count` in any form.
bool md5i_read_vertex(md5_lex *lex, md5_mesh_block *block, uint32_t v, bool *is_warned);

// Reads the first weight of a vertex and the number of its weights.
bool md5i_read_weight_range(md5_lex *lex, md5_vertex *vertex);

// Reads the joint and the bias of a weight. `count_keyword` names the number of joints in messages.
bool md5i_read_weight_joint(md5_lex *lex, uint32_t num_joints, const char *count_keyword,
                            md5_weight *weight);

// Reads the number of meshes, whose keyword `word` was consumed.
bool md5i_read_num_meshes(md5_mesh_reader *reader, const char *word);

// Stores the joints and their bind pose in the file, and finds their order.
bool md5i_finish_joints(md5_mesh_reader *reader, md5_file_joint *joints, md5_xform *bind);

// Reads the keyword and the number of `vert 3`, `tri 3` or `weight 3`. Like in id's engine, the
// number is ignored. The first number in a table that is not the index of its item causes a
// warning.
bool md5i_begin_item(md5_lex *lex, const md5_count *count, const char *count_keyword,
                     const char *word, uint32_t item, bool *is_warned);

#endif
