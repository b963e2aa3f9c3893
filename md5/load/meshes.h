// Derives the meshes of a model, during a load or later from stored tables
// (md5_load_opts.skip_geometry). All meshes share memory that md5_release_geometry() frees.
//
// The reader stores the tables that do not change in the arena of the meshes. They are in one chunk
// if the declared counts are correct. Each mesh then passes the five steps of md5_mesh_steps. The
// allocation step reserves all other arrays in a second chunk. After it, the memory of the file's
// other tables is used as scratch memory.
#ifndef MD5_LOAD_MESHES_H
#define MD5_LOAD_MESHES_H

#include "md5/load/asset.h"
#include "md5/md5skin.h"
#include "md5/skin/geometry.h"

// The steps that convert a mesh of a file to a mesh of a model, in the order of their calls. The
// functions for meshes with optional parts, such as tangents, call the plain functions: see
// parts.h. A function that returns bool returns false, with the context's error set, if memory runs
// out.
typedef struct md5_mesh_steps {
    // Sets the numbers of drawn vertices and of influences.
    bool (*measure)(md5_arena *scratch, md5_mesh_build *mesh);
    // Allocates the arrays in the block and copies the arrays of the file. While the block is
    // measured, the arrays become NULL.
    void (*allocate)(md5_block *block, md5_mesh_build *mesh);
    // Computes the derived arrays: positions, normals and influences.
    bool (*build)(md5_arena *scratch, const md5_mesh_joints *joints, md5_mesh_build *mesh);
    // Converts the arrays to the axes and units of the options.
    void (*convert)(const md5_context *context, md5_mesh_build *mesh);
    // Stores the arrays and their counts in the mesh of the model, except num_influences.
    void (*store)(const md5_mesh_build *build, md5_mesh *mesh);
} md5_mesh_steps;

extern const md5_mesh_steps md5i_plain_mesh_steps;

// Functions of md5i_plain_mesh_steps, which the functions for optional parts call.
void md5i_allocate_mesh(md5_block *block, md5_mesh_build *mesh);
void md5i_convert_mesh(const md5_context *context, md5_mesh_build *mesh);
void md5i_store_mesh(const md5_mesh_build *build, md5_mesh *mesh);

// Allocates an array of `count` elements in the block and copies from[num_read] to its beginning,
// unless `from` is NULL.
void *md5i_allocate_array(md5_block *block, const void *from, size_t num_read, size_t count,
                          size_t size);
#define MD5_ALLOCATE_COPY(block, type, from, num_read, count) \
    ((type *)md5i_allocate_array(block, from, num_read, count, sizeof(type)))

// Copies the tables that a model keeps unchanged to a new chunk of `mesh_arena`, and frees the
// previous chunks. This is needed if the reader has not stored the tables in `mesh_arena`, or if
// too much memory was reserved there.
bool md5i_repack_tables(md5_arena *mesh_arena, md5_mesh_file *file);

// Derives the meshes of a file, converted to the axes and units of the options. Does not derive
// skinning plans and packing losses. `bind` is the bind pose of the file. meshes[model->num_meshes]
// must have their names. Frees the tables in the arena and uses their memory as scratch memory.
// Allocates more scratch memory if the total does not exceed `memory_goal` bytes, because some
// steps are faster with it. If memory runs out, returns false with the context's error set. The
// caller must then call md5_release_geometry().
bool md5i_derive_meshes(md5_arena *arena, md5_arena *mesh_arena, size_t memory_goal,
                        const md5_mesh_steps *steps, const md5_mesh_file *file,
                        const md5_mat34 *bind, md5_model *model, md5_mesh *meshes);

// Set the chunks of an arena as the memory of the meshes, and free that memory.
void md5i_set_mesh_memory(md5_model *model, const md5_arena *mesh_arena);
void md5i_free_mesh_memory(md5_model *model);

// Sets the arrays of a mesh to NULL, but not their counts.
void md5i_clear_mesh(md5_mesh *mesh);

#endif
