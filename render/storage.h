// Path storage, which serves crowds of models with many meshes: all meshes of a model share one set
// of buffers (md5gl_storage), so that one multi-draw draws all meshes of equal material
// (md5gl_draw_item, md5gl_command), and palettes are written where the GPU reads them (md5gl_ring).
//
// storage.c owns the buffers, ring.c the memory that is written while the GPU reads it, multidraw.c
// orders the meshes. Only models whose meshes all take the path have a md5gl_storage.
#ifndef MD5GL_STORAGE_H
#define MD5GL_STORAGE_H

#include "render/gl_internal.h"

// Triple-buffered, persistently mapped memory that the CPU writes and the GPU reads: while the CPU
// fills one region, the GPU may still read the other two. Invariant: the CPU writes only to the
// region after `current`, and only after that region's fence has passed.
enum { MD5GL_NUM_REGIONS = 3 };

// One buffer of a ring, mapped for as long as it lives.
typedef struct md5gl_region {
    GLuint buffer;
    size_t size;
    uint8_t *bytes; // write only
    GLsync read;    // signalled when the GPU has read the region; NULL = it is not in use
} md5gl_region;

// Separate buffers, so that one that is too small is replaced without moving the others.
typedef struct md5gl_ring {
    md5gl_region regions[MD5GL_NUM_REGIONS];
    uint32_t current; // the region that draws read
} md5gl_ring;

// Returns the region after the current one, of at least `size` bytes, for writing. Waits if the GPU
// still reads it. Returns NULL with MD5_ERROR_GPU if there is no memory.
md5gl_region *md5gl_acquire_region(md5gl_renderer *renderer, md5gl_ring *ring, size_t size,
                                   md5_error *error);
void md5gl_advance_ring(md5gl_renderer *renderer, md5gl_ring *ring); // makes it the current one
void md5gl_destroy_ring(md5gl_renderer *renderer, md5gl_ring *ring);

// A command of glMultiDrawElementsIndirect, in GL's layout.
typedef struct md5gl_command {
    uint32_t num_indices, num_instances, first_index;
    int32_t first_vertex;
    uint32_t first_instance; // gl_InstanceID does not include it
} md5gl_command;

// A mesh in a pass's draw order. The order is sorted so that meshes that one multi-draw can draw
// are adjacent.
typedef struct md5gl_draw_item {
    const md5gl_mesh *mesh;
    const md5gl_surface *surface; // of skin 0
    uint32_t index;               // of the mesh in the model
    uint32_t group;               // index of the first mesh with an equal material
    bool alpha_tested;
} md5gl_draw_item;

// Command lists: one each for lit and depth order, and for full batches and the last batch.
enum { MD5GL_NUM_LISTS = 4 };

// All meshes of a model in shared buffers, and its instances. Invariant: the commands match the
// draw orders and instance counts once md5gl_update_commands() has run.
struct md5gl_storage {
    GLuint array, vertices, influences, indices, commands;
    size_t influences_size, joints_begin, joints_size; // bytes of `influences`
    bool coloured;

    md5gl_ring ring;
    GLuint gpu_palettes;     // palettes of md5gl_pose_clips(), in GPU memory
    GLuint tints;            // of all instances, if the model is tinted
    bool from_clips;         // draws read gpu_palettes instead of the ring
    size_t palette_size;     // bytes
    size_t placements_begin; // byte offset in the current region
    uint32_t batch_capacity; // instances of a full batch
    uint32_t count;          // all instances
    md5_mat34 *mapped;       // returned by md5gl_map_palettes(), not yet posed; or NULL

    bool stale;         // materials or visibility changed since the orders were sorted
    uint32_t num_drawn; // meshes in each order
    md5gl_draw_item *lit_order, *depth_order; // [num_meshes]: by material; opaque meshes first
    uint32_t num_command_instances;           // the `count` that the commands were made for
    md5gl_command *command_list;              // [MD5GL_NUM_LISTS * num_meshes], as in `commands`
};

// Creates the buffers of a model whose meshes all take path storage.
bool md5gl_create_storage(md5gl_renderer *renderer, md5gl_model *model, md5_error *error);
void md5gl_destroy_storage(md5gl_renderer *renderer, md5gl_model *model);

// Returns how many instances a batch holds; 0 and MD5_ERROR_GPU if the model is too large.
uint32_t md5gl_instances_per_block(const md5gl_renderer *renderer, const md5_model *model,
                                   md5_error *error);

// Returns the buffer that draws read palettes from; they begin at byte 0.
GLuint md5gl_palettes_in_storage(const md5gl_storage *storage);

// md5gl_map_palettes() and md5gl_pose_models() on path storage. `palettes` NULL: gpu_palettes.
md5_mat34 *md5gl_map_storage(md5gl_renderer *renderer, md5gl_model *model, uint32_t count,
                             md5_error *error);
bool md5gl_pose_storage(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                        const md5_mat34 *placements, uint32_t count, md5_error *error);

// Binds the vertices and storage buffers of a batch.
void md5gl_bind_storage(md5gl_renderer *renderer, const md5gl_model *model, uint32_t batch);

// Binds the program; `first` is the first instance of the batch that is drawn.
void md5gl_use_storage_program(md5gl_renderer *renderer, const md5gl_model *model,
                               const md5gl_program *program, uint32_t first);

// Draws instances of one mesh of the bound model, beginning at that of the program.
void md5gl_draw_stored(md5gl_renderer *renderer, const md5gl_mesh *mesh, uint32_t count);

// Sorts the draw orders and uploads the commands if either is out of date.
void md5gl_update_commands(md5gl_renderer *renderer, const md5gl_model *model);

// Returns the item at `first` of a pass's order and sets *count to how many items from there need
// the same state; returns NULL at the end. md5gl_multi_draw() then draws them in one call.
const md5gl_draw_item *md5gl_next_draw_group(const md5gl_model *model, enum md5gl_pass pass,
                                             bool culls, uint32_t first, uint32_t *count);
void md5gl_multi_draw(md5gl_renderer *renderer, const md5gl_model *model, enum md5gl_pass pass,
                      uint32_t batch, uint32_t first, uint32_t count);

#endif
