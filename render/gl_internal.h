// What the files of this room share. Nothing here leaves it, but to tests.
#ifndef MD5GL_INTERNAL_H
#define MD5GL_INTERNAL_H

#include "render/md5gl.h"

#include <glad/gl.h>

#if defined(__GNUC__)
#define MD5GL_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define MD5GL_PRINTF(text, values)
#endif

// -- Layout that shaders and buffers agree on (shaders/README.md) -----------------------------

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
    MD5GL_UNIT_SUN,       // the key light's shadow map, compared with
    MD5GL_UNIT_SUN_DEPTH, // the same, read as numbers
    MD5GL_UNIT_CONTACT,
    MD5GL_NUM_UNITS,
};

#define MD5GL_FRAME_BINDING 0 // of the uniform block Frame

// Shader storage buffers: the first three of preskin.comp, the others of storage.glsl. GL promises
// 8 bindings.
enum md5gl_store {
    MD5GL_STORE_BIND,
    MD5GL_STORE_FIRST,
    MD5GL_STORE_POSED,
    MD5GL_STORE_PALETTES,
    MD5GL_STORE_PLACEMENTS,
    MD5GL_STORE_INFLUENCES,
    MD5GL_STORE_INFLUENCE_JOINTS,
    MD5GL_NUM_STORES,
};

// Those of animate.comp, which writes MD5GL_STORE_PALETTES.
enum md5gl_clip_store { MD5GL_STORE_JOBS, MD5GL_STORE_NODES, MD5GL_STORE_ROWS };

// -- What lies beyond OpenGL 3.3 --------------------------------------------------------------

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

// Functions of later versions; NULL = not there. Names and numbers: the OpenGL 4.5 specification.
typedef struct md5gl_later {
    void(GLAD_API_PTR *DispatchCompute)(GLuint x, GLuint y, GLuint z);
    void(GLAD_API_PTR *MemoryBarrier)(GLbitfield barriers);
    GLenum(GLAD_API_PTR *GetGraphicsResetStatus)(void);
    void(GLAD_API_PTR *BufferStorage)(GLenum target, GLsizeiptr size, const void *data,
                                      GLbitfield flags);
    void(GLAD_API_PTR *MultiDrawElementsIndirect)(GLenum mode, GLenum type, const void *first,
                                                  GLsizei count, GLsizei stride);
} md5gl_later;

extern const char md5gl_heading_of_extensions[];

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

// What becomes of skinned vertices.
enum md5gl_pass {
    MD5GL_PASS_LIT,
    MD5GL_PASS_DEPTH,
    MD5GL_PASS_SOLID, // depth of what has no holes
    MD5GL_PASS_EDGES,
    MD5GL_PASS_CAPTURE,
    MD5GL_NUM_PASSES
};

// How the vertex shader comes by skinned vertices.
enum md5gl_skin {
    MD5GL_SKIN_4,
    MD5GL_SKIN_8,
    MD5GL_SKIN_EXACT,
    MD5GL_SKIN_POSED,
    MD5GL_SKIN_STORAGE, // only with has_storage
    MD5GL_NUM_SKINS
};

enum { MD5GL_NUM_BLENDINGS = MD5GL_BLEND_DUAL + 1 };

// One file of a shader, and a stage as the files that follow each other in it.
typedef struct md5gl_source {
    const char *file, *text;
} md5gl_source;

enum { MD5GL_MAX_SOURCES = 7, MD5GL_NUM_CAPTURED = 3 };

typedef struct md5gl_program_sources {
    md5gl_source vertex[MD5GL_MAX_SOURCES]; // up to the first without a text
    md5gl_source fragment[MD5GL_MAX_SOURCES];
    md5gl_source compute[MD5GL_MAX_SOURCES];  // then there are no others
    const char *captured[MD5GL_NUM_CAPTURED]; // transform feedback, a buffer each; NULL = none
    bool later;                               // GLSL 4.30, as all compute shaders
} md5gl_program_sources;

// Compiles and links. On failure nothing is left behind, and the message names the file.
bool md5gl_build_program(md5gl_renderer *renderer, const md5gl_program_sources *sources,
                         md5gl_program *program, md5_error *error);

// Those with which a path draws in that blending, where they are not there yet.
bool md5gl_build_blending(md5gl_renderer *renderer, md5gl_path path, md5gl_blending blending,
                          md5_error *error);

bool md5gl_build_all_programs(md5gl_renderer *renderer, md5_error *error);
void md5gl_destroy_all_programs(md5gl_renderer *renderer);

// -- Renderer -------------------------------------------------------------------------------

// A buffer that shaders read as a texture.
typedef struct md5gl_table {
    GLuint buffer, texture;
} md5gl_table;

// A depth map that is drawn from elsewhere than the eye, to be looked up in.
typedef struct md5gl_shadow_map {
    GLuint framebuffer, texture;
    GLsizei side;       // texels
    GLuint frame_block; // the frame as seen from there
} md5gl_shadow_map;

struct md5gl_renderer {
    GladGLContext gl;
    md5gl_later later;
    bool has_stores; // shader storage buffers can be bound
    bool has_compute;
    const char *later_heading; // of shaders that GLSL 3.30 does not do for: its dialect
    bool has_storage;          // path storage
    char no_storage[256];      // why not
    md5_allocator allocator;   // both hooks set
    char device_name[256];

    // Limits of the context.
    uint32_t max_texels;       // of a texture buffer; 3.3 guarantees 65536
    uint64_t max_block;        // bytes of a shader storage buffer that a shader sees at once
    uint32_t max_group_memory; // bytes that the invocations of a compute shader's group share
    uint32_t max_texture_size, max_target_size, max_samples;

    // Of blending MD5GL_BLEND_DUAL only what md5gl_set_blending() has needed, and never POSED.
    md5gl_program skinned[MD5GL_NUM_BLENDINGS][MD5GL_NUM_SKINS][MD5GL_NUM_PASSES];
    md5gl_program preskin[MD5GL_NUM_BLENDINGS]; // only with has_compute
    md5gl_program line, grid, ground_shadow, panel;

    GLuint frame_block; // uniform buffer behind the block Frame
    GLuint line_array, line_buffer;
    GLuint panel_array, panel_buffer;
    GLuint bare_array; // without attributes
    md5gl_texture white, grey, checker;

    md5gl_shadow_map sun, contact;
    bool has_shadows;
    GLuint compared, numbers; // samplers of depth maps

    bool in_frame;          // between begin and end
    md5gl_target *target;   // of the frame that is under way, NULL = default framebuffer
    bool multisampled;      // what that frame is drawn into
    bool shadowed;          // that frame has shadows
    bool shadows_missed;    // that it wants, but the device has none
    float ground;           // height, of that frame
    uint32_t width, height; // of that frame
};

// -- Models ---------------------------------------------------------------------------------

typedef struct md5gl_mesh {
    const md5_mesh *mesh;
    md5gl_path path;    // never AUTO
    const char *reason; // why that path
    bool visible;
    md5gl_material material; // its textures are borrowed
    bool holes_known, holes; // in what it casts
    GLuint array, vertices, influences, indices;
    md5gl_table exact_influences, exact_joints; // paths exact and compute
    uint32_t first_vertex, first_index;         // path storage: in the buffers of all meshes
    GLuint posed;         // paths that skin once: all instances' positions, then normals, tangents
    uint32_t posed_count; // instances in it
} md5gl_mesh;

// As many instances as texture buffers hold.
typedef struct md5gl_batch {
    md5gl_table palettes, placements;
    uint32_t count;
} md5gl_batch;

typedef struct md5gl_storage md5gl_storage;

struct md5gl_model {
    const md5_model *model;
    size_t size;
    md5gl_storage *storage; // of path storage, on which then all meshes are; otherwise NULL
    md5gl_batch *batches;   // [room]
    uint32_t num_batches, room;
    bool placed; // batches have placements
    md5gl_blending blending;
    md5_mat34 *palettes; // of md5gl_map_palettes(), but on path storage
    size_t palettes_size;
    md5gl_mesh meshes[]; // [model->num_meshes]
};

// Where the attributes of `count` vertices begin in a buffer that holds one after the other.
typedef struct md5gl_layout {
    size_t normals, tangents, texcoords, colours, end; // in bytes; positions begin at 0
} md5gl_layout;
md5gl_layout md5gl_lay_out(size_t count, bool has_colours);

// An attribute of floats from the buffer that is bound.
void md5gl_point_at(const GladGLContext *gl, GLuint attribute, GLint numbers, size_t offset);

// What drawing may lose without anybody measuring it, as a part of the model's diagonal: a fifth
// of the 1e-4 within which the GPU must agree with the CPU, 1/25 of a pixel where the model is
// 2000 high. Files round to six decimals, which costs models of a few units nearly as much.
#define MD5GL_MEASURABLE_LOSS 2e-5f

// Whether a mesh has holes is found out when it is posed, since GL must be asked; until then it may
// have some.
void md5gl_look_for_holes(md5gl_renderer *renderer, md5gl_model *model);
bool md5gl_is_whole(const md5gl_mesh *mesh);

// Whether md5gl_create_texture() has found it without transparency. Leaves it bound.
bool md5gl_is_solid(md5gl_renderer *renderer, md5gl_texture texture);

// Whether a path skins once, before drawing.
bool md5gl_skins_first(md5gl_path path);

enum md5gl_skin md5gl_skin_of(md5gl_path path);

const md5gl_program *md5gl_skinned_program(const md5gl_renderer *renderer, md5gl_path path,
                                           md5gl_blending blending, enum md5gl_pass pass);

// Binds the program, the vertices and the texture buffers of a mesh.
void md5gl_bind_mesh(md5gl_renderer *renderer, const md5gl_mesh *mesh, const md5gl_program *program,
                     const md5gl_batch *batch, uint32_t num_joints);

// Points the attributes of a mesh that is bound at the skinned vertices of an instance.
void md5gl_point_at_posed(md5gl_renderer *renderer, const md5gl_mesh *mesh, uint32_t instance);

// GL guarantees a compute shader as many groups in one direction.
enum { MD5GL_MOST_IN_A_BATCH = 65535 };

// Puts palettes and placements, each of which may be NULL, into batches of at most `most`
// instances.
bool md5gl_fill_batches(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                        const md5_mat34 *placements, uint32_t count, uint32_t most,
                        md5_error *error);

// How many instances' palettes fit into one texture buffer; 0 and MD5_ERROR_GPU if not one does.
uint32_t md5gl_instances_per_draw(const md5gl_renderer *renderer, uint32_t num_joints,
                                  md5_error *error);

// Skins a mesh's instances into its buffer, on the paths that do.
bool md5gl_preskin(md5gl_renderer *renderer, md5gl_model *model, md5gl_mesh *mesh,
                   const md5_mat34 *palettes, uint32_t count, md5_error *error);

// -- Path storage -----------------------------------------------------------------------------

// Memory that the CPU writes and the GPU reads, mapped for good, three regions in turn: while the
// CPU fills one, the GPU may still read the other two.
enum { MD5GL_NUM_REGIONS = 3 };

typedef struct md5gl_region {
    GLuint buffer;
    size_t size;
    uint8_t *bytes; // write only
    GLsync read;    // passed when the GPU has read it; NULL = it never did, or that is known
} md5gl_region;

typedef struct md5gl_ring {
    md5gl_region regions[MD5GL_NUM_REGIONS];
    uint32_t current; // what draws read
} md5gl_ring;

// The region after the current one, for writing, of `size` bytes at least. Waits for the GPU where
// it has fallen so far behind that it still reads it. NULL and MD5_ERROR_GPU if there is no memory.
md5gl_region *md5gl_take_region(md5gl_renderer *renderer, md5gl_ring *ring, size_t size,
                                md5_error *error);
void md5gl_turn_ring(md5gl_renderer *renderer, md5gl_ring *ring); // makes that one the current
void md5gl_destroy_ring(md5gl_renderer *renderer, md5gl_ring *ring);

// A command of glMultiDrawElementsIndirect, in its layout.
typedef struct md5gl_command {
    uint32_t num_indices, num_instances, first_index;
    int32_t first_vertex;
    uint32_t first_instance; // gl_InstanceID does not count it
} md5gl_command;

// Meshes in the order in which a pass draws them, so that those which can be drawn at once are
// neighbours.
typedef struct md5gl_order {
    const md5gl_mesh *mesh;
    uint32_t number; // of the mesh
    uint32_t group;  // of equal materials: the number of its first mesh
    bool tested;     // has holes
} md5gl_order;

// The orders of lit and depth passes, for batches that are full, and for the last one.
enum { MD5GL_NUM_LISTS = 4 };

struct md5gl_storage {
    GLuint array, vertices, influences, indices, commands;
    size_t influences_size, joints_begin, joints_size; // bytes of `influences`
    bool coloured;

    md5gl_ring ring;
    GLuint made;             // palettes of md5gl_pose_clips(), in memory of the GPU's own
    bool from_clips;         // draws read those, not the ring's
    size_t palette_size;     // bytes
    size_t placements_begin; // in the region that draws read
    uint32_t most, count;    // instances of a batch, and of all
    md5_mat34 *mapped;       // where the caller may be writing; NULL = nowhere

    bool stale;               // materials are not those that meshes are ordered by
    uint32_t num_drawn;       // meshes of either order
    md5gl_order *lit, *solid; // [num_meshes], by material; what has no holes first
    uint32_t num_listed;      // instances that the commands are for
    md5gl_command *list;      // [MD5GL_NUM_LISTS * num_meshes], as in `commands`
};

// Makes the buffers of a model whose meshes all take path storage.
bool md5gl_create_storage(md5gl_renderer *renderer, md5gl_model *model, md5_error *error);
void md5gl_destroy_storage(md5gl_renderer *renderer, md5gl_model *model);

// How many instances a batch holds; 0 and MD5_ERROR_GPU if the path cannot hold the model.
uint32_t md5gl_instances_per_block(const md5gl_renderer *renderer, const md5_model *model,
                                   md5_error *error);

// The buffer that begins with the palettes that draws read.
GLuint md5gl_palettes_in_storage(const md5gl_storage *storage);

// What md5gl_map_palettes() and md5gl_pose_models() do there. palettes NULL: they are in `made`.
md5_mat34 *md5gl_map_storage(md5gl_renderer *renderer, md5gl_model *model, uint32_t count,
                             md5_error *error);
bool md5gl_pose_storage(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                        const md5_mat34 *placements, uint32_t count, md5_error *error);

// Binds the vertices and the storage buffers of a batch; and the program.
void md5gl_bind_storage(md5gl_renderer *renderer, const md5gl_model *model, uint32_t batch);
void md5gl_use_storage_program(md5gl_renderer *renderer, const md5gl_model *model,
                               const md5gl_program *program);

// Drawing, after md5gl_update_commands(): from `first` of a pass's order as many meshes at once as
// need the same state, which is that of the first, which is returned; NULL when all are drawn.
bool md5gl_same_material(const md5gl_material *a, const md5gl_material *b);
void md5gl_update_commands(md5gl_renderer *renderer, const md5gl_model *model);
const md5gl_order *md5gl_next_alike(const md5gl_model *model, enum md5gl_pass pass, bool culls,
                                    uint32_t first, uint32_t *count);
void md5gl_multi_draw(md5gl_renderer *renderer, const md5gl_model *model, enum md5gl_pass pass,
                      uint32_t batch, uint32_t first, uint32_t count);

// -- Shadows ----------------------------------------------------------------------------------

// The block of shaders/frame.glsl.
typedef struct md5gl_frame_block {
    float clip_from_world[16];
    float eye[4], light_direction[4], light[4], ambient[4], viewport[4];
    float sun_from_world[16], contact_from_world[16];
    float shadow[4], contact[4], mode[4];
    float point_places[MD5GL_MAX_POINT_LIGHTS][4], point_colours[MD5GL_MAX_POINT_LIGHTS][4];
} md5gl_frame_block;

// Makes the maps, where the device can: see has_shadows. Leaves their framebuffer bound.
void md5gl_create_shadows(md5gl_renderer *renderer);

// Fills in what shadows need, and clears their maps. Leaves other framebuffers bound.
void md5gl_begin_shadows(md5gl_renderer *renderer, const md5gl_frame *frame,
                         md5gl_frame_block *block);
void md5gl_bind_map(md5gl_renderer *renderer, const md5gl_shadow_map *map); // to draw into it
void md5gl_bind_shadows(md5gl_renderer *renderer); // for drawing what lies in them
void md5gl_destroy_shadows(md5gl_renderer *renderer);

// The framebuffer, viewport and block of the frame that is under way.
void md5gl_bind_frame(md5gl_renderer *renderer);

// -- Buffers --------------------------------------------------------------------------------

md5gl_table md5gl_create_table(md5gl_renderer *renderer, GLenum format, const void *data,
                               size_t size);
void md5gl_destroy_table(md5gl_renderer *renderer, md5gl_table *table);
void md5gl_bind_table(md5gl_renderer *renderer, enum md5gl_unit unit, const md5gl_table *table);

// Gives the buffer new storage with `size` bytes of `data`, so that draws which still read the
// old one need not be waited for. Leaves it bound to `binding`.
void md5gl_stream(md5gl_renderer *renderer, GLenum binding, GLuint buffer, const void *data,
                  size_t size);

// Fills a buffer with parts that follow each other, once for ever, and at once: drivers advise
// against writing into such a buffer piece by piece. Leaves it bound to GL_ARRAY_BUFFER.
typedef struct md5gl_part {
    const void *data;
    size_t size;
} md5gl_part;
bool md5gl_fill(md5gl_renderer *renderer, GLuint buffer, const md5gl_part *parts, int count,
                md5_error *error);

// -- State ----------------------------------------------------------------------------------

// Sets all GL state that this room touches to GL's defaults.
void md5gl_reset_state(md5gl_renderer *renderer);

// The same for what decides how pixels and bytes travel between memory and textures.
void md5gl_reset_transfers(md5gl_renderer *renderer);

// -- Errors and memory ----------------------------------------------------------------------

void md5gl_clear_error(md5_error *error); // NULL is allowed, as in the next

// Fills the error. Returns false.
bool md5gl_fail(md5_error *error, md5_status status, const char *format, ...) MD5GL_PRINTF(3, 4);

// Takes all errors that GL holds. Returns false and fills the error, naming the first and
// `where`, when there were any.
bool md5gl_check(md5gl_renderer *renderer, const char *where, md5_error *error);
void md5gl_drop_errors(md5gl_renderer *renderer); // those of other people

// Returns false and fills the error where the context is known to be lost.
bool md5gl_check_context(md5gl_renderer *renderer, md5_error *error);

// Zeroed memory, or NULL and MD5_ERROR_MEMORY.
void *md5gl_alloc(const md5_allocator *allocator, size_t count, size_t size, md5_error *error);
void md5gl_free(const md5_allocator *allocator, void *memory, size_t size); // NULL is allowed

#endif
