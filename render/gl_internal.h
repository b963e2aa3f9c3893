// Types and functions that the files of this room share; only tests may include it from outside.
//
// A md5gl_renderer holds what belongs to the context: functions, limits, programs, shared objects.
// A md5gl_model holds one GPU copy of a md5_model: buffers and path of each mesh, and the instances
// of the last pose, split into batches because the size of a table is limited. Invariant: the
// instances that draws read are complete; a failed pose sets num_batches to 0. No object refers to
// a renderer: every function takes the renderer, whose context must be current.
#ifndef MD5GL_INTERNAL_H
#define MD5GL_INTERNAL_H

#include "render/assert.h"
#include "render/md5gl_game.h"
#include "render/program.h"
#include "render/state.h"

#if defined(__GNUC__) && !defined(_WIN32) // whose printf() of old is not the one that is used
#define MD5GL_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define MD5GL_PRINTF(text, values)
#endif

// -- Beyond OpenGL 3.3 ------------------------------------------------------------------------

#define MD5GL_COMPUTE_SHADER 0x91B9
#define MD5GL_SHADER_STORAGE_BUFFER 0x90D2
#define MD5GL_SHADER_STORAGE_BUFFER_BINDING 0x90D3
#define MD5GL_SHADER_STORAGE_BUFFER_START 0x90D4
#define MD5GL_SHADER_STORAGE_BUFFER_SIZE 0x90D5
#define MD5GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT 0x00000001

// Functions of later versions; NULL = not available. Names and values: the OpenGL 4.5
// specification.
typedef struct md5gl_optional_functions {
    void(GLAD_API_PTR *DispatchCompute)(GLuint x, GLuint y, GLuint z);
    void(GLAD_API_PTR *MemoryBarrier)(GLbitfield barriers);
    GLenum(GLAD_API_PTR *GetGraphicsResetStatus)(void);
} md5gl_optional_functions;

// -- Renderer -------------------------------------------------------------------------------

// An array that shaders read by index, one texel at a time: a texture on a buffer, or, in OpenGL ES
// 3.0, which has none, rows of MD5GL_TABLE_WIDTH texels of a 2D texture.
typedef struct md5gl_table {
    GLuint buffer, texture; // buffer: 0 in OpenGL ES
    GLenum format;          // GL_RGBA32F, GL_R32F, GL_R32UI or GL_RG32UI
    GLsizei rows;           // of the 2D texture
} md5gl_table;

enum { MD5GL_TABLE_WIDTH = 1024 }; // as in shaders/table_texture.glsl

// A depth map rendered from another viewpoint than the camera's: from the key light, from below the
// ground for contact shadows, or from spot lights, whose maps are the quarters of one texture.
enum {
    MD5GL_MAP_SUN,
    MD5GL_MAP_CONTACT,
    MD5GL_MAP_SPOT,
    MD5GL_NUM_MAPS = MD5GL_MAP_SPOT + MD5GL_MAX_SPOT_SHADOWS
};
typedef struct md5gl_depth_map {
    md5gl_shadow_map shown; // to the host; of the last frame that had the map
    float eye[4];           // where it is seen from, as in the frame's block
    GLuint framebuffer;
    GLuint frame_block; // the frame's uniform block with the map's matrix and eye
} md5gl_depth_map;

struct md5gl_renderer {
    GladGLContext gl;
    bool is_es;    // OpenGL ES 3.0 or later, or WebGL 2
    bool is_webgl; // lacks a few functions of OpenGL ES 3.0
    md5gl_optional_functions optional;
    bool has_storage_buffers; // shader storage buffers can be bound
    bool has_compute;
    const char *compute_heading; // first lines of compute shaders
    md5_allocator allocator;     // both hooks set
    char device_name[256];
    md5gl_stats stats;

    // Limits of the context.
    uint32_t max_texels; // of a table; 3.3 guarantees 65536, ES 3.0 2 million
    const char *max_texels_name;
    uint32_t max_texture_size;
    uint32_t max_target_size;
    uint32_t max_samples;

    // All are built when a model first needs them; variants of MD5GL_BLEND_DUAL and of morph
    // targets never of POSED. See md5gl_variant_of().
    md5gl_program skinned[MD5GL_NUM_VARIANTS][MD5GL_NUM_SKINS][MD5GL_NUM_PASSES];
    md5gl_program preskin[MD5GL_NUM_VARIANTS]; // only with has_compute
    md5gl_program fixed[MD5GL_NUM_FIXED_PROGRAMS];

    md5gl_host_state host;         // see md5gl_save_state()
    GLuint bound[MD5GL_NUM_UNITS]; // by md5gli_bind_texture() since the state was set

    GLuint frame_block; // uniform buffer behind the block Frame
    GLuint line_array;
    GLuint line_buffer;
    GLuint panel_array;
    GLuint panel_buffer;
    GLuint blob_array;
    GLuint blob_buffer;
    char *host_texts[MD5GL_NUM_LIGHTINGS]; // of md5gl_shadow_glsl(); NULL until asked for
    GLuint empty_array;                    // a vertex array without attributes
    md5gl_texture white;
    md5gl_texture grey;
    md5gl_texture checker;
    md5gl_model *models;  // all, each with the `next`
    bool casters_are_set; // by the last frame, or it has no shadows: poses leave out bounds

    md5gl_depth_map maps[MD5GL_NUM_MAPS];
    bool has_shadows;
    GLuint compare_sampler, depth_sampler; // samplers of depth maps

    // The current frame.
    bool in_frame;               // between begin and end
    md5gl_target *target;        // NULL = `framebuffer`
    GLuint framebuffer;          // that is drawn into
    bool opaque;                 // alpha is 1 in the whole target before anything is drawn
    bool multisampled;           // alpha becomes coverage
    bool adds_light;             // of lit surfaces: alpha becomes the largest component
    bool shadowed;               // the frame has shadows: its maps are
    uint32_t first_map, end_map; // maps[first_map] to maps[end_map - 1]
    GLenum front_face;
    bool shadows_unsupported; // the frame needs shadows, but the device cannot create the maps
    uint32_t num_lights;      // point lights of the frame
    float ground;             // height
    // What shadows may reach of it: x and y of a rectangle's first corner, of the last one, and how
    // far it moves, which is away from the first.
    float shaded_ground[8];
    const md5gl_environment *environment; // NULL: none
    md5gl_texture reflections;            // of the environment
    bool is_classic;                      // MD5GL_LIGHTING_CLASSIC
    bool has_outputs;                     // the target is of md5gl_create_outputs()
    enum md5gl_pass lit_pass;             // LIT, or its kin for the frame's light
    md5_error light_error;                // why that cannot be drawn, of the last draw
    float rays[9];                        // of md5gl_draw_environment(): see its shader
    uint32_t x, y, width, height;         // viewport, pixels
};

// -- Models ---------------------------------------------------------------------------------

typedef struct md5gl_mesh {
    const md5_mesh *mesh;
    md5gl_path path;    // never AUTO
    const char *reason; // why the mesh takes that path
    bool visible;
    GLuint array;
    GLuint vertices;
    GLuint influences;
    GLuint indices;
    GLuint edges; // ends of the triangles' edges, in OpenGL ES, which cannot draw polygons as lines
    md5gl_table exact_influences, exact_joints; // paths exact and compute
    GLuint posed; // paths CPU and COMPUTE, which skin once: all instances' positions, then normals,
                  // tangents
    uint32_t posed_count; // instances in `posed`: those of a pose, then, if it has previous ones,
                          // as they were
    md5gl_deform deform;  // write NULL: it has none, and the counts are the mesh's
    GLuint deformed_indices;
} md5gl_mesh;

// What a mesh looks like in one skin of its model.
typedef struct md5gl_surface {
    md5gl_material material;          // does not own its textures
    bool opacity_known, alpha_tested; // found by md5gl_pose()
} md5gl_surface;

// Instances that follow each other and wear the same skin: what one draw can contain.
typedef struct md5gl_run {
    uint32_t skin;
    uint32_t first;
    uint32_t count;
} md5gl_run;

// At most as many instances as fit into tables.
typedef struct md5gl_batch {
    md5gl_table palettes;
    md5gl_table placements;
    md5gl_table tints;
    md5gl_table ids;
    uint32_t count;
    uint32_t previous_palettes, previous_placements; // texels of the tables: see previous.glsl
} md5gl_batch;

// Morph targets in tables that shaders read by vertex number: the first delta of each vertex, and
// all deltas.
struct md5gl_morph {
    const md5_morph *source;
    md5gl_table first;
    md5gl_table deltas;
};

// Frames of vertices in a table, and where those of each clip begin.
struct md5gl_baked {
    const md5_model *model;
    md5gl_table vertices;
    md5gl_table clips;
    md5_vec4 *jobs; // [job_capacity] scratch: of one batch
    uint32_t job_capacity;
    uint32_t num_vertices; // of a frame
    size_t gpu_size;
    md5_bounds bounds; // of all clips
    uint32_t num_clips;
    uint32_t num_frames[]; // [num_clips]
};

struct md5gl_model {
    const md5_model *model;
    md5gl_model *next;
    md5_bounds *joint_bounds;  // [num_joints] of what a joint moves, in the bind pose
    md5_bounds posed;          // of the instances, world space
    const md5gl_morph *morph;  // targets of the instances; NULL: they have none
    md5gl_table morph_weights; // [num_morphed * targets], one texel each
    uint32_t previous_weights; // texel of the table: see previous.glsl
    const md5gl_baked *baked;  // clips that the instances play; NULL: they are skinned
    md5gl_batch *batches;      // [batch_capacity]
    uint32_t num_batches;
    uint32_t batch_capacity;
    uint32_t num_instances;  // of the last pose
    bool placed;             // batches have placements
    bool tinted;             // batches have tints
    bool has_ids;            // batches have ids
    bool faded;              // a tint has alpha below 1: every mesh needs the alpha test
    md5gl_surface *surfaces; // [num_skins * model->num_meshes], skin by skin
    uint32_t num_skins;
    md5gl_run *runs; // [run_capacity]; num_runs 0: all instances wear skin 0
    uint32_t num_runs;
    uint32_t run_capacity;
    md5gl_blending blending;
    md5gl_mesh meshes[]; // [model->num_meshes]
};

// The arrays of vertices, and where each begins in a buffer that holds one after the other: bytes;
// the last is the end.
enum md5gl_array {
    MD5GL_ARRAY_POSITIONS,
    MD5GL_ARRAY_NORMALS,
    MD5GL_ARRAY_TANGENTS,
    MD5GL_ARRAY_TEXCOORDS,
    MD5GL_ARRAY_COLOURS,
    MD5GL_NUM_ARRAYS
};
typedef struct md5gl_layout {
    size_t begin[MD5GL_NUM_ARRAYS + 1];
} md5gl_layout;

// Of `count` vertices, with colours if all arrays are there.
md5gl_layout md5gli_make_layout(size_t count, uint32_t num_arrays);

// Reads attributes from the bound buffer from vertex `vertex` on: those of arrays `first` to
// `end` - 1.
void md5gli_set_attributes(const GladGLContext *gl, const md5gl_layout *layout, size_t vertex,
                           uint32_t first, uint32_t end);

// The largest skinning error that counts as lossless, as a fraction of the model's diagonal: a
// fifth of the 1e-4 within which the GPU must agree with the CPU, 1/25 of a pixel if the model is
// 2000 pixels high. Files round to six decimals, which costs models of a few units nearly as much.
#define MD5GL_MEASURABLE_LOSS 2e-5f

// Draws all instances with MD5GL_PASS_PICTURE into the bound framebuffer, outside of a frame.
void md5gli_draw_for_pictures(md5gl_renderer *renderer, const md5gl_model *model);

// Returns what a mesh looks like in a skin.
md5gl_surface *md5gli_surface_of(const md5gl_model *model, uint32_t skin, uint32_t mesh);

// Begin a texture of that size, and bind it to `target`: 0 with an error if the size is not
// supported. End it, and unbind it: returns it or, if its texels were not uploaded or GL reports an
// error, deletes it and returns 0.
GLuint md5gli_begin_texture(md5gl_renderer *renderer, GLenum target, uint32_t width,
                            uint32_t height, md5_error *error);
md5gl_texture md5gli_end_texture(md5gl_renderer *renderer, GLenum target, GLuint texture,
                                 bool uploaded, md5_error *error);

// Sets the sampling of the texture that is bound to `target`.
void md5gli_set_sampling(const GladGLContext *gl, GLenum target, bool repeats, GLint magnify,
                         GLint minify);

// Binds a texture that a program samples, unless it does not or the texture is bound already. With
// NULL it is bound anyway, and its unit is active.
void md5gli_bind_texture(md5gl_renderer *renderer, const md5gl_program *program,
                         enum md5gl_unit unit, GLenum target, GLuint texture);

// One level of a texture: rgba[4 * width * height].
typedef struct md5gl_level {
    uint32_t width;
    uint32_t height;
    uint8_t *rgba;
} md5gl_level;

// Between stored bytes and linear colour, for the mean of texels. The two tables of sRGB hold exact
// roundings of IEC 61966-2-1.
typedef struct md5gl_encoding {
    bool is_srgb;
    uint16_t linear[256];     // 0..65535 of each byte
    uint16_t least[257];      // the smallest linear value that is rounded to the byte
    uint8_t encoded[1 << 12]; // the byte of linear value 16 * i
} md5gl_encoding;

void md5gli_prepare_encoding(md5gl_encoding *encoding, bool is_srgb);

// Writes the next level, with half of each side, rounded down to at least 1: texels are the means
// of the areas that they cover, in linear colour. `half` may be the memory of `level`. Returns the
// next level.
md5gl_level md5gli_halve(const md5gl_encoding *encoding, const md5gl_level *level, uint8_t *half);

// Returns the program that draws a mesh of the model's instances, which it builds first unless it
// exists already, as those of the common passes do. NULL on failure.
const md5gl_program *md5gli_program_of(md5gl_renderer *renderer, const md5gl_model *model,
                                       const md5gl_mesh *mesh, enum md5gl_pass pass,
                                       md5_error *error);

// Returns for how many instances palettes fit into one table, `copies` of each; 0 and
// MD5_ERROR_GPU if those of one do not.
uint32_t md5gli_instances_per_draw(const md5gl_renderer *renderer, uint32_t num_joints,
                                   uint32_t copies, md5_error *error);

// Binds the vertices and the tables of a mesh, for a batch and the program in use. `before`: the
// number of instances of earlier batches.
void md5gli_bind_mesh(md5gl_renderer *renderer, const md5gl_model *model, const md5gl_mesh *mesh,
                      const md5gl_program *program, const md5gl_batch *batch, uint32_t before);

// -- Shadows ----------------------------------------------------------------------------------

// The block of shaders/frame.glsl.
typedef struct md5gl_frame_block {
    float clip_from_world[16];
    float eye[4];
    float light_direction[4];
    float light[4];
    float ambient[4];
    float viewport[4];
    float origin[4];
    float sun_from_world[16];
    float contact_from_world[16];
    float shadow[4];
    float contact[4];
    float mode[4];
    float point_positions[MD5GL_MAX_POINT_LIGHTS][4];
    float point_colours[MD5GL_MAX_POINT_LIGHTS][4];
    float point_cones[MD5GL_MAX_POINT_LIGHTS][4];
    float spot_from_world[MD5GL_MAX_SPOT_SHADOWS][16];
    float spot_texels[MD5GL_MAX_SPOT_SHADOWS];
    float environment[4];
    float harmonics[9][4];
    float previous_clip_from_world[16];
} md5gl_frame_block;

// Projects the light of a picture, `width` * `height` at least 1, to spherical harmonics of degrees
// 0 to 2: harmonics[9], each red, green and blue, in the order (0,0) (1,-1) (1,0) (1,1) (2,-2)
// (2,-1) (2,0) (2,1) (2,2), real and orthonormal: (0,0) is 0.282095, (1,1) 0.488603 x. Each texel
// counts by its solid angle. Source: Ramamoorthi and Hanrahan, "An Efficient Representation for
// Irradiance Environment Maps", 2001, as of what a matt surface reflects of that:
// md5gl_environment_light().
void md5gli_project_light(uint32_t width, uint32_t height, const float *rgb, md5_vec3 harmonics[9]);
void md5gli_reflect_light(const md5_vec3 harmonics[9], md5_vec3 polynomial[9]);

// Sets the environment of a frame, and its members of the block, and binds what lit programs read;
// notes that they cannot be built, which the frame's end reports.
void md5gli_begin_environment(md5gl_renderer *renderer, const md5gl_frame *frame,
                              md5gl_frame_block *block);
void md5gli_fail_light(md5gl_renderer *renderer, const md5_error *error);

// Creates the maps and sets has_shadows if the device supports them. Leaves a framebuffer bound.
void md5gli_create_shadows(md5gl_renderer *renderer);

// Fills in the point lights and the shadow members of the block, which is complete then, and clears
// the maps. Leaves other framebuffers bound.
void md5gli_begin_shadows(md5gl_renderer *renderer, const md5gl_frame *frame,
                          md5gl_frame_block *block);
void md5gli_bind_map(md5gl_renderer *renderer, const md5gl_depth_map *map); // for drawing into it
// For reading the maps, so many of them from a unit on.
void md5gli_bind_shadows(md5gl_renderer *renderer, uint32_t first_unit, uint32_t count);
void md5gli_set_coverage(md5gl_renderer *renderer,
                         bool on); // alpha becomes coverage, if multisampled

// Binds the framebuffer, viewport and uniform block of the current frame.
void md5gli_bind_frame(md5gl_renderer *renderer);

// -- Buffers --------------------------------------------------------------------------------

md5gl_table md5gli_create_table(md5gl_renderer *renderer, GLenum format, const void *data,
                                size_t size);
// Gives the table new content, which avoids waiting for draws that still read the old one:
// data[size] and, unless it is NULL, previous[size] behind it. Returns the texel at which that
// begins, 0 if there is none.
uint32_t md5gli_fill_table(md5gl_renderer *renderer, md5gl_table *table, const void *data,
                           const void *previous, size_t size);
void md5gli_destroy_table(md5gl_renderer *renderer, md5gl_table *table);

// Gives the buffer new storage with `size` bytes of `data`, which avoids waiting for draws that
// still read the old one. Leaves it bound to `binding`.
void md5gli_stream(md5gl_renderer *renderer, GLenum binding, GLuint buffer, const void *data,
                   size_t size);

// -- Errors and memory ----------------------------------------------------------------------

// Fills the error, which may be NULL, as all errors below. Returns false.
bool md5gli_fail(md5_error *error, md5_status status, const char *format, ...) MD5GL_PRINTF(3, 4);

// For a public call whose renderer, model or other asset, `what`, is NULL because making it failed:
// that failure stays in `error`; without one it is MD5_ERROR_MISSING. Returns false.
bool md5gli_fail_missing(md5_error *error, const char *what);

// Takes all pending GL errors. If there are any, returns false and fills the error; the message
// names the first one and `where`.
bool md5gli_check(md5gl_renderer *renderer, const char *where, md5_error *error);

// The same, and returns the first one: this drops errors of the host's earlier calls.
GLenum md5gli_take_errors(md5gl_renderer *renderer);

// Returns false and fills the error if the context is known to be lost.
bool md5gli_check_context(md5gl_renderer *renderer, md5_error *error);

// Returns zeroed memory, or NULL with MD5_ERROR_MEMORY.
void *md5gli_alloc(const md5_allocator *allocator, size_t count, size_t size, md5_error *error);
#define MD5GL_NEW(renderer, type, count, error) \
    ((type *)md5gli_alloc(&(renderer)->allocator, count, sizeof(type), error))
void md5gli_free(md5gl_renderer *renderer, void *memory); // NULL and the renderer are allowed

// Kinds of the objects that programs have. Each is stored in front of the object, until it is
// freed.
typedef enum md5gl_kind {
    MD5GL_KIND_RENDERER = 0x6D644C01,
    MD5GL_KIND_MODEL,
    MD5GL_KIND_MORPH,
    MD5GL_KIND_BAKED,
    MD5GL_KIND_IMPOSTORS,
    MD5GL_KIND_TARGET,
    MD5GL_KIND_ENVIRONMENT,
    MD5GL_KIND_LOOKS,
} md5gl_kind;
void md5gli_set_kind(void *object, md5gl_kind kind); // NULL is allowed
bool md5gli_is_alive(const void *object, md5gl_kind kind);

// Check an object of a public function: not NULL, not freed, and of this kind; or NULL. Of a model
// also the md5_model from which it was created.
#define MD5GL_ASSERT_ALIVE(object, kind)                                              \
    do {                                                                              \
        MD5_ASSERT_NOT_NULL(object);                                                  \
        MD5_ASSERT(md5gli_is_alive(object, MD5GL_KIND_##kind),                        \
                   #object ": must be an object of this library that was not freed"); \
    } while (0)
#define MD5GL_ASSERT_NULL_OR_ALIVE(object, kind) \
    do {                                         \
        if ((object) != NULL)                    \
            MD5GL_ASSERT_ALIVE(object, kind);    \
    } while (0)
#define MD5GL_ASSERT_MODEL(object)                \
    do {                                          \
        MD5GL_ASSERT_ALIVE(object, MODEL);        \
        MD5GL_ASSERT_PART((object)->model, bind); \
    } while (0)
#define MD5GL_ASSERT_NULL_OR_MODEL(object) \
    do {                                   \
        if ((object) != NULL)              \
            MD5GL_ASSERT_MODEL(object);    \
    } while (0)

#endif
