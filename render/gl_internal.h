// Types and functions that the files of this room share; only tests may include it from outside.
//
// A md5gl_renderer holds what belongs to the context: functions, limits, programs, shared objects.
// A md5gl_model holds one GPU copy of a md5_model: buffers and path of each mesh, and the instances
// of the last pose, split into batches because the size of a texture buffer is limited. On path
// storage a md5gl_storage replaces the per-mesh buffers. Invariant: the instances that draws read
// are complete; a failed pose sets num_batches to 0. No object refers to a renderer: every function
// takes the renderer, whose context must be current.
#ifndef MD5GL_INTERNAL_H
#define MD5GL_INTERNAL_H

#include "render/md5gl.h"

#include <glad/gl.h>

#if defined(__GNUC__)
#define MD5GL_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define MD5GL_PRINTF(text, values)
#endif

// -- Layout shared by shaders and buffers (shaders/README.md) ---------------------------------

enum md5gl_attribute {
    MD5GL_AT_POSITION = 0,
    MD5GL_AT_NORMAL = 1,
    MD5GL_AT_TEXCOORD = 2,
    MD5GL_AT_TANGENT = 3,
    MD5GL_AT_JOINTS = 4,      // paths 4 and 8; path exact: first influence
    MD5GL_AT_JOINTS_HIGH = 5, // path 8; path exact: end of the influences
    MD5GL_AT_WEIGHTS = 6,
    MD5GL_AT_WEIGHTS_HIGH = 7,
    MD5GL_AT_COLOUR = 8,
};

enum md5gl_unit {
    MD5GL_UNIT_PALETTES,
    MD5GL_UNIT_PLACEMENTS,
    MD5GL_UNIT_INFLUENCES,
    MD5GL_UNIT_INFLUENCE_JOINTS,
    MD5GL_UNIT_TEXTURE, // diffuse texture, or the panel's mask
    MD5GL_UNIT_NORMALS,
    MD5GL_UNIT_SPECULAR,
    MD5GL_UNIT_GLOW,
    MD5GL_UNIT_SUN,       // the key light's shadow map, with depth comparison
    MD5GL_UNIT_SUN_DEPTH, // the same map, read as depth values
    MD5GL_UNIT_CONTACT,
    MD5GL_NUM_UNITS,
};

#define MD5GL_FRAME_BINDING 0 // of the uniform block Frame

// Bindings of shader storage buffers: the first three belong to preskin.comp, the others to
// storage.glsl. GL guarantees 8 bindings.
enum md5gl_storage_binding {
    MD5GL_BINDING_BIND,
    MD5GL_BINDING_FIRST_INFLUENCE,
    MD5GL_BINDING_POSED,
    MD5GL_BINDING_PALETTES,
    MD5GL_BINDING_PLACEMENTS,
    MD5GL_BINDING_INFLUENCES,
    MD5GL_BINDING_INFLUENCE_JOINTS,
    MD5GL_NUM_STORAGE_BINDINGS,
};

// Bindings that animate.comp reads; it writes MD5GL_BINDING_PALETTES.
enum md5gl_clip_binding { MD5GL_BINDING_JOBS, MD5GL_BINDING_NODES, MD5GL_BINDING_ROWS };

// -- Beyond OpenGL 3.3 ------------------------------------------------------------------------

#define MD5GL_COMPUTE_SHADER 0x91B9
#define MD5GL_SHADER_STORAGE_BUFFER 0x90D2
#define MD5GL_MAX_COMPUTE_SHARED_MEMORY_SIZE 0x8262
#define MD5GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT 0x00000001
#define MD5GL_TEXTURE_FETCH_BARRIER_BIT 0x00000008
#define MD5GL_BUFFER_UPDATE_BARRIER_BIT 0x00000200
#define MD5GL_SHADER_STORAGE_BARRIER_BIT 0x00002000
#define MD5GL_DRAW_INDIRECT_BUFFER 0x8F3F
#define MD5GL_MAP_PERSISTENT_BIT 0x0040
#define MD5GL_MAP_COHERENT_BIT 0x0080
#define MD5GL_MAX_SHADER_STORAGE_BLOCK_SIZE 0x90DE
#define MD5GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS 0x90D6

// Functions of later versions; NULL = not available. Names and values: the OpenGL 4.5
// specification.
typedef struct md5gl_optional_functions {
    void(GLAD_API_PTR *DispatchCompute)(GLuint x, GLuint y, GLuint z);
    void(GLAD_API_PTR *MemoryBarrier)(GLbitfield barriers);
    GLenum(GLAD_API_PTR *GetGraphicsResetStatus)(void);
    void(GLAD_API_PTR *BufferStorage)(GLenum target, GLsizeiptr size, const void *data,
                                      GLbitfield flags);
    void(GLAD_API_PTR *MultiDrawElementsIndirect)(GLenum mode, GLenum type, const void *first,
                                                  GLsizei count, GLsizei stride);
} md5gl_optional_functions;

// The first lines of shaders that need GLSL 4.30 features in a context of an earlier version.
extern const char md5gl_extension_heading[];

// -- Programs -------------------------------------------------------------------------------

enum md5gl_uniform {
    MD5GL_NUM_JOINTS,
    MD5GL_PLACED,
    MD5GL_FIRST_INSTANCE,
    MD5GL_NUM_VERTICES,
    MD5GL_NUM_INSTANCES,
    MD5GL_COLOURED,
    MD5GL_MAPS,
    MD5GL_SURFACE,
    MD5GL_GROUND_AREA,
    MD5GL_FLAT_COLOUR,
    MD5GL_MULTISAMPLED,
    MD5GL_LINE_WIDTH,
    MD5GL_GRID_AREA,
    MD5GL_GRID_CELL,
    MD5GL_NUM_UNIFORMS,
};

typedef struct md5gl_program {
    GLuint name;
    GLint uniforms[MD5GL_NUM_UNIFORMS]; // -1 = has none, which glUniform ignores
} md5gl_program;

// What a program does with skinned vertices.
enum md5gl_pass {
    MD5GL_PASS_LIT,
    MD5GL_PASS_DEPTH,
    MD5GL_PASS_DEPTH_OPAQUE, // depth of meshes without alpha test
    MD5GL_PASS_EDGES,
    MD5GL_PASS_CAPTURE,
    MD5GL_NUM_PASSES
};

// How the vertex shader gets skinned vertices.
enum md5gl_skin {
    MD5GL_SKIN_4,
    MD5GL_SKIN_8,
    MD5GL_SKIN_EXACT,
    MD5GL_SKIN_POSED,
    MD5GL_SKIN_STORAGE, // only with has_storage
    MD5GL_NUM_SKINS
};

enum { MD5GL_NUM_BLENDINGS = MD5GL_BLEND_DUAL + 1 };

// One file of a shader. A stage is a sequence of files.
typedef struct md5gl_source {
    const char *file, *text;
} md5gl_source;

enum { MD5GL_MAX_SOURCES = 7, MD5GL_NUM_CAPTURED = 3 };

typedef struct md5gl_program_sources {
    md5gl_source vertex[MD5GL_MAX_SOURCES]; // ends at the first without text
    md5gl_source fragment[MD5GL_MAX_SOURCES];
    md5gl_source compute[MD5GL_MAX_SOURCES];  // if set, the other stages are empty
    const char *captured[MD5GL_NUM_CAPTURED]; // transform feedback, one buffer each; NULL = none
    bool needs_new_glsl;                      // GLSL 4.30, as all compute shaders
} md5gl_program_sources;

// Compiles and links a program. On failure nothing is leaked, and the message names the file.
bool md5gl_build_program(md5gl_renderer *renderer, const md5gl_program_sources *sources,
                         md5gl_program *program, md5_error *error);

// Builds the programs that draw a path with that blending, unless they exist already.
bool md5gl_build_blending(md5gl_renderer *renderer, md5gl_path path, md5gl_blending blending,
                          md5_error *error);

bool md5gl_build_all_programs(md5gl_renderer *renderer, md5_error *error);
void md5gl_destroy_all_programs(md5gl_renderer *renderer);

// -- Renderer -------------------------------------------------------------------------------

// A buffer that shaders read through a texture (GL's "buffer texture").
typedef struct md5gl_buffer_texture {
    GLuint buffer, texture;
} md5gl_buffer_texture;

// A depth map rendered from another viewpoint than the camera's.
typedef struct md5gl_shadow_map {
    GLuint framebuffer, texture;
    GLsizei side;       // texels
    GLuint frame_block; // the frame's uniform block with the map's matrix
} md5gl_shadow_map;

struct md5gl_renderer {
    GladGLContext gl;
    md5gl_optional_functions optional;
    bool has_storage_buffers; // shader storage buffers can be bound
    bool has_compute;
    const char *new_glsl_heading; // first lines of shaders that need more than GLSL 3.30
    bool has_storage;             // path storage
    char no_storage_reason[256];  // why the context lacks path storage
    md5_allocator allocator;      // both hooks set
    char device_name[256];

    // Limits of the context.
    uint32_t max_texels;       // of a texture buffer; 3.3 guarantees 65536
    uint64_t max_block;        // bytes of a shader storage block
    uint32_t max_group_memory; // bytes of shared memory of a compute work group
    uint32_t max_texture_size, max_target_size, max_samples;

    // Programs of MD5GL_BLEND_DUAL are built when md5gl_set_blending() needs them, never of POSED.
    md5gl_program skinned[MD5GL_NUM_BLENDINGS][MD5GL_NUM_SKINS][MD5GL_NUM_PASSES];
    md5gl_program preskin[MD5GL_NUM_BLENDINGS]; // only with has_compute
    md5gl_program line, grid, ground_shadow, panel;

    GLuint frame_block; // uniform buffer behind the block Frame
    GLuint line_array, line_buffer;
    GLuint panel_array, panel_buffer;
    GLuint empty_array; // a vertex array without attributes
    md5gl_texture white, grey, checker;

    md5gl_shadow_map sun, contact;
    bool has_shadows;
    GLuint compare_sampler, depth_sampler; // samplers of depth maps

    // The current frame.
    bool in_frame;            // between begin and end
    md5gl_target *target;     // NULL = default framebuffer
    bool multisampled;        // the target has samples
    bool shadowed;            // the frame has shadows
    bool shadows_unsupported; // the frame needs shadows, but the device cannot create the maps
    float ground;             // height
    uint32_t width, height;   // pixels
};

// -- Models ---------------------------------------------------------------------------------

typedef struct md5gl_mesh {
    const md5_mesh *mesh;
    md5gl_path path;    // never AUTO
    const char *reason; // why the mesh takes that path
    bool visible;
    md5gl_material material;          // does not own its textures
    bool opacity_known, alpha_tested; // see md5gl_update_opacity()
    GLuint array, vertices, influences, indices;
    md5gl_buffer_texture exact_influences, exact_joints; // paths exact and compute
    uint32_t first_vertex, first_index; // path storage: offsets in the model's shared buffers
    GLuint posed;         // paths that skin once: all instances' positions, then normals, tangents
    uint32_t posed_count; // instances in `posed`
} md5gl_mesh;

// At most as many instances as fit into texture buffers.
typedef struct md5gl_batch {
    md5gl_buffer_texture palettes, placements;
    uint32_t count;
} md5gl_batch;

typedef struct md5gl_storage md5gl_storage;

struct md5gl_model {
    const md5_model *model;
    size_t size;
    md5gl_storage *storage; // if not NULL, all meshes take path storage
    md5gl_batch *batches;   // [batch_capacity]
    uint32_t num_batches, batch_capacity;
    bool placed; // batches have placements
    md5gl_blending blending;
    md5_mat34 *palettes; // memory of md5gl_map_palettes() on paths other than storage
    size_t palettes_size;
    md5gl_mesh meshes[]; // [model->num_meshes]
};

// Byte offsets of the attribute arrays in a buffer of `count` vertices that holds one array after
// the other.
typedef struct md5gl_layout {
    size_t normals, tangents, texcoords, colours, end; // positions begin at 0
} md5gl_layout;
md5gl_layout md5gl_make_layout(size_t count, bool has_colours);

// Reads an attribute of `size` floats from the bound buffer, tightly packed, from byte `offset`.
void md5gl_set_attribute(const GladGLContext *gl, GLuint attribute, GLint size, size_t offset);

// The largest skinning error that counts as lossless, as a fraction of the model's diagonal: a
// fifth of the 1e-4 within which the GPU must agree with the CPU, 1/25 of a pixel if the model is
// 2000 pixels high. Files round to six decimals, which costs models of a few units nearly as much.
#define MD5GL_MEASURABLE_LOSS 2e-5f

// Finds which visible meshes need the alpha test, if their materials changed. Called when a model
// is posed, since it queries GL; until then a mesh counts as alpha-tested.
void md5gl_update_opacity(md5gl_renderer *renderer, md5gl_model *model);
bool md5gl_is_opaque(const md5gl_mesh *mesh);

// Returns whether the texture is marked as opaque (see md5gl_create_texture()). Leaves it bound.
bool md5gl_texture_is_opaque(md5gl_renderer *renderer, md5gl_texture texture);

// Returns whether a path skins once for all passes, before drawing.
bool md5gl_preskins(md5gl_path path);

enum md5gl_skin md5gl_skin_of(md5gl_path path);

const md5gl_program *md5gl_skinned_program(const md5gl_renderer *renderer, md5gl_path path,
                                           md5gl_blending blending, enum md5gl_pass pass);

// Binds the program, the vertices and the texture buffers of a mesh.
void md5gl_bind_mesh(md5gl_renderer *renderer, const md5gl_mesh *mesh, const md5gl_program *program,
                     const md5gl_batch *batch, uint32_t num_joints);

// Sets the attributes of a bound mesh to the skinned vertices of an instance.
void md5gl_set_posed_attributes(md5gl_renderer *renderer, const md5gl_mesh *mesh,
                                uint32_t instance);

// The number of work groups in one dimension that GL guarantees for a compute shader.
enum { MD5GL_MAX_BATCH_INSTANCES = 65535 };

// Uploads palettes and placements, each of which may be NULL, in batches of at most `capacity`
// instances.
bool md5gl_fill_batches(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                        const md5_mat34 *placements, uint32_t count, uint32_t capacity,
                        md5_error *error);

// Returns how many palettes fit into one texture buffer; 0 and MD5_ERROR_GPU if none does.
uint32_t md5gl_instances_per_draw(const md5gl_renderer *renderer, uint32_t num_joints,
                                  md5_error *error);

// Skins all instances of a mesh into its buffer `posed`; does nothing on paths that skin per pass.
bool md5gl_preskin(md5gl_renderer *renderer, md5gl_model *model, md5gl_mesh *mesh,
                   const md5_mat34 *palettes, uint32_t count, md5_error *error);

// -- Path storage -----------------------------------------------------------------------------

// Triple-buffered, persistently mapped memory that the CPU writes and the GPU reads: while the CPU
// fills one region, the GPU may still read the other two. Invariant: the CPU writes only to the
// region after `current`, and only after that region's fence has passed.
enum { MD5GL_NUM_REGIONS = 3 };

typedef struct md5gl_region {
    GLuint buffer;
    size_t size;
    uint8_t *bytes; // write only
    GLsync read;    // signalled when the GPU has read the region; NULL = it is not in use
} md5gl_region;

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
    uint32_t index; // of the mesh in the model
    uint32_t group; // index of the first mesh with an equal material
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

// Bind the vertices and storage buffers of a batch, and the program.
void md5gl_bind_storage(md5gl_renderer *renderer, const md5gl_model *model, uint32_t batch);
void md5gl_use_storage_program(md5gl_renderer *renderer, const md5gl_model *model,
                               const md5gl_program *program);

// Returns whether two materials are equal.
bool md5gl_same_material(const md5gl_material *a, const md5gl_material *b);

// Sorts the draw orders and uploads the commands if either is out of date.
void md5gl_update_commands(md5gl_renderer *renderer, const md5gl_model *model);

// Returns the item at `first` of a pass's order and sets *count to how many items from there need
// the same state; returns NULL at the end. md5gl_multi_draw() then draws them in one call.
const md5gl_draw_item *md5gl_next_draw_group(const md5gl_model *model, enum md5gl_pass pass,
                                             bool culls, uint32_t first, uint32_t *count);
void md5gl_multi_draw(md5gl_renderer *renderer, const md5gl_model *model, enum md5gl_pass pass,
                      uint32_t batch, uint32_t first, uint32_t count);

// -- Shadows ----------------------------------------------------------------------------------

// The block of shaders/frame.glsl.
typedef struct md5gl_frame_block {
    float clip_from_world[16];
    float eye[4], light_direction[4], light[4], ambient[4], viewport[4];
    float sun_from_world[16], contact_from_world[16];
    float shadow[4], contact[4], mode[4];
    float point_positions[MD5GL_MAX_POINT_LIGHTS][4], point_colours[MD5GL_MAX_POINT_LIGHTS][4];
} md5gl_frame_block;

// Creates the maps and sets has_shadows if the device supports them. Leaves a framebuffer bound.
void md5gl_create_shadows(md5gl_renderer *renderer);

// Fills in the shadow members of the block and clears the maps. Leaves other framebuffers bound.
void md5gl_begin_shadows(md5gl_renderer *renderer, const md5gl_frame *frame,
                         md5gl_frame_block *block);
void md5gl_bind_map(md5gl_renderer *renderer, const md5gl_shadow_map *map); // for drawing into it
void md5gl_bind_shadows(md5gl_renderer *renderer);                          // for reading the maps
void md5gl_destroy_shadows(md5gl_renderer *renderer);

// Binds the framebuffer, viewport and uniform block of the current frame.
void md5gl_bind_frame(md5gl_renderer *renderer);

// -- Buffers --------------------------------------------------------------------------------

md5gl_buffer_texture md5gl_create_buffer_texture(md5gl_renderer *renderer, GLenum format,
                                                 const void *data, size_t size);
void md5gl_destroy_buffer_texture(md5gl_renderer *renderer, md5gl_buffer_texture *table);
void md5gl_bind_buffer_texture(md5gl_renderer *renderer, enum md5gl_unit unit,
                               const md5gl_buffer_texture *table);

// Gives the buffer new storage with `size` bytes of `data`, which avoids waiting for draws that
// still read the old one. Leaves it bound to `binding`.
void md5gl_stream(md5gl_renderer *renderer, GLenum binding, GLuint buffer, const void *data,
                  size_t size);

// Fills a static buffer with consecutive parts, in one upload: drivers advise against writing to
// such a buffer piece by piece. Leaves it bound to GL_ARRAY_BUFFER.
typedef struct md5gl_part {
    const void *data;
    size_t size;
} md5gl_part;
bool md5gl_fill_buffer(md5gl_renderer *renderer, GLuint buffer, const md5gl_part *parts, int count,
                       md5_error *error);

// -- State ----------------------------------------------------------------------------------

// Resets all GL state that this room changes to GL's defaults.
void md5gl_reset_state(md5gl_renderer *renderer);

// Resets pixel buffers and pixel storage, which affect transfers between memory and textures.
void md5gl_reset_transfers(md5gl_renderer *renderer);

// -- Errors and memory ----------------------------------------------------------------------

void md5gl_clear_error(md5_error *error); // NULL is allowed, as for all errors below

// Fills the error. Returns false.
bool md5gl_fail(md5_error *error, md5_status status, const char *format, ...) MD5GL_PRINTF(3, 4);

// Takes all pending GL errors. If there are any, returns false and fills the error; the message
// names the first one and `where`.
bool md5gl_check(md5gl_renderer *renderer, const char *where, md5_error *error);
void md5gl_clear_gl_errors(md5gl_renderer *renderer); // drops errors of the host's earlier calls

// Returns false and fills the error if the context is known to be lost.
bool md5gl_check_context(md5gl_renderer *renderer, md5_error *error);

// Returns zeroed memory, or NULL with MD5_ERROR_MEMORY.
void *md5gl_alloc(const md5_allocator *allocator, size_t count, size_t size, md5_error *error);
void md5gl_free(const md5_allocator *allocator, void *memory, size_t size); // NULL is allowed

#endif
