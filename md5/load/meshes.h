// The meshes of a model, in memory that they share: made by a load, or later from tables that the
// load stored for that purpose (md5_load_opts.skip_geometry), and freed by md5_release_geometry().
//
// Reading puts the tables that do not change into the model's own arena, in one chunk if counts are
// right. Each mesh then passes the steps of md5_mesh_steps: measuring needs the file's tables;
// placing allocates all other arrays in a second chunk; building derives normals and influences
// there. The memory of the file's other tables then serves as scratch memory.
#ifndef MD5_LOAD_MESHES_H
#define MD5_LOAD_MESHES_H

#include "md5/load/asset.h"
#include "md5/md5skin.h"
#include "md5/skin/geometry.h"

// The steps in which a mesh of a file becomes one of a model. Optional parts, such as tangents,
// have steps that extend the plain ones: see parts.h.
typedef struct md5_mesh_steps {
    // Sets the numbers of drawn vertices and of influences.
    bool (*measure)(md5_arena *scratch, md5_mesh_build *mesh);
    // Allocates the arrays in the block and copies those of the file. While the block is measured,
    // the arrays become NULL.
    void (*place)(md5_block *block, md5_mesh_build *mesh);
    bool (*build)(md5_arena *scratch, const md5_mesh_joints *joints, md5_mesh_build *mesh);
    // Converts the arrays to the axes and units of the options.
    void (*convert)(const md5_context *context, md5_mesh_build *mesh);
    // Stores the arrays and their counts in the mesh of the model, except num_influences.
    void (*store)(const md5_mesh_build *build, md5_mesh *mesh);
} md5_mesh_steps;

extern const md5_mesh_steps md5i_plain_mesh_steps;

// The plain steps, for steps that extend them.
void md5i_place_mesh(md5_block *block, md5_mesh_build *mesh);
void md5i_convert_mesh(const md5_context *context, md5_mesh_build *mesh);
void md5i_store_mesh(const md5_mesh_build *build, md5_mesh *mesh);

// Allocates an array of `count` elements in the block and copies from[num_read] to it, unless that
// is NULL.
void *md5i_place_array(md5_block *block, const void *from, size_t num_read, size_t count,
                       size_t size);
#define MD5_PLACE(block, type, from, num_read, count) \
    ((type *)md5i_place_array(block, from, num_read, count, sizeof(type)))

// Copies the tables that a model keeps as they are to a new chunk of `kept`, and frees the old
// chunks: for readers that do not read them into `kept`, and if memory was reserved for too many.
bool md5i_repack_tables(md5_arena *kept, md5_mesh_file *file);

// Makes the meshes of a file, converted as the options request, without skinning plans and losses.
// `bind` is the file's own bind pose. meshes[model->num_meshes] have their names. Frees the tables
// in the arena and uses their memory as scratch memory, and more as long as `memory_goal` bytes are
// not exceeded. Returns false, with the context's error set, if memory runs out; then
// md5_release_geometry() frees what was made.
bool md5i_make_meshes(md5_arena *arena, md5_arena *kept, size_t memory_goal,
                      const md5_mesh_steps *steps, const md5_mesh_file *file, const md5_mat34 *bind,
                      md5_model *model, md5_mesh *meshes);

// Makes the chunks of an arena the memory of the model's meshes; frees that memory.
void md5i_set_mesh_memory(md5_model *model, const md5_arena *kept);
void md5i_free_mesh_memory(md5_model *model);

// Sets the arrays of a mesh to NULL, but not their counts.
void md5i_forget_mesh(md5_mesh *mesh);

#endif
