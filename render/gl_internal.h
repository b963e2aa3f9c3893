// Types and functions that the files of this folder share. Outside of this folder, only tests
// include this header.
//
// A md5gl_renderer contains the objects of one OpenGL context: functions, limits, programs and
// shared objects. A md5gl_model contains one GPU copy of a md5_model. It has the buffers of each
// mesh and the instances of the last pose. The size of a table (an array that shaders read) is
// limited, so the instances are divided into batches.
//
// Invariant: the instances that draws read are complete. A failed pose sets num_batches to 0. No
// object refers to a renderer. Every function takes the renderer, and its context must be current.
#ifndef MD5GL_INTERNAL_H
#define MD5GL_INTERNAL_H

#include "render/assert.h"
#include "render/md5gl_game.h"
#include "render/program.h"
#include "render/state.h"

// On Windows, the compiler would check formats against an older printf() than the one that is used.
#if defined(__GNUC__) && !defined(_WIN32)
#define MD5GL_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define MD5GL_PRINTF(text, values)
#endif

// -- Later versions than OpenGL 3.3 -----------------------------------------------------------

#define MD5GL_COMPUTE_SHADER 0x91B9
#define MD5GL_SHADER_STORAGE_BUFFER 0x90D2
#define MD5GL_SHADER_STORAGE_BUFFER_BINDING 0x90D3
#define MD5GL_SHADER_STORAGE_BUFFER_START 0x90D4
#define MD5GL_SHADER_STORAGE_BUFFER_SIZE 0x90D5
#define MD5GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT 0x00000001

// Functions of later versions; NULL if not available. Names and values as in the OpenGL 4.5
// specification.
typedef struct md5gl_optional_functions {
    void(GLAD_API_PTR *DispatchCompute)(GLuint x, GLuint y, GLuint z);
    void(GLAD_API_PTR *MemoryBarrier)(GLbitfield barriers);
    GLenum(GLAD_API_PTR *GetGraphicsResetStatus)(void);
} md5gl_optional_functions;

// -- Renderer -------------------------------------------------------------------------------

// An array that shaders read by index, one texel at a time. It is a buffer texture. OpenGL ES 3.0
// does not have buffer textures. There it is a 2D texture with rows of MD5GL_TABLE_WIDTH texels.
typedef struct md5gl_table {
    GLuint buffer; // 0 in OpenGL ES
    GLuint texture;
    GLenum format; // GL_RGBA32F, GL_R32F, GL_R32UI or GL_RG32UI
    GLsizei rows;  // allocated rows of the 2D texture
} md5gl_table;

enum { MD5GL_TABLE_WIDTH = 1024 }; // the same value as in shaders/table_texture.glsl

// The depth maps of shadows. The first is seen from the key light. The second is seen from below
// the ground and provides contact shadows. The maps of spot lights are the quarters of one
// texture.
enum {
    MD5GL_MAP_SUN,
    MD5GL_MAP_CONTACT,
    MD5GL_MAP_SPOT,
    MD5GL_NUM_MAPS = MD5GL_MAP_SPOT + MD5GL_MAX_SPOT_SHADOWS
};
typedef struct md5gl_depth_map {
    md5gl_shadow_map shown; // description for the host, from the last frame with this map
    float eye[4];           // position or direction of the viewer, as in md5gl_frame_block
    GLuint framebuffer;
    GLuint frame_block; // the frame's uniform block with the map's matrix and eye
} md5gl_depth_map;

// A rectangle on the ground that moves away from the light; world space. Shadows can reach the area
// over which it moves.
typedef struct md5gl_shaded_ground {
    md5_vec2 near_corner; // of the rectangle, nearest to the light
    md5_vec2 far_corner;
    md5_vec2 shift; // the movement
} md5gl_shaded_ground;

// The objects and the state of one OpenGL context.
struct md5gl_renderer {
    GladGLContext gl;
    bool is_es;    // OpenGL ES 3.0 or later, or WebGL 2
    bool is_webgl; // WebGL 2, which lacks a few functions of OpenGL ES 3.0
    md5gl_optional_functions optional;
    bool has_storage_buffers; // shader storage buffers can be bound
    bool has_compute;
    const char *compute_heading; // first lines of compute shaders
    md5_allocator allocator;     // never NULL functions
    char device_name[256];
    md5gl_stats stats;

    // Limits of the context.
    uint32_t max_texels; // per table; OpenGL 3.3 guarantees 65536, OpenGL ES 3.0 2 million
    const char *max_texels_name;
    uint32_t max_texture_size;
    uint32_t max_target_size;
    uint32_t max_samples;

    // A program is built when a model first needs it. MD5GL_SKIN_POSED exists only in variant 0.
    // See md5gl_variant_index().
    md5gl_program skinned[MD5GL_NUM_VARIANTS][MD5GL_NUM_SKINS][MD5GL_NUM_PASSES];
    md5gl_program preskin[MD5GL_NUM_VARIANTS]; // only if has_compute
    md5gl_program fixed[MD5GL_NUM_FIXED_PROGRAMS];

    md5gl_host_state host;         // see md5gl_save_state()
    GLuint bound[MD5GL_NUM_UNITS]; // textures that md5gli_bind_texture() bound after the last reset

    GLuint frame_block; // uniform buffer of the block Frame
    GLuint line_array;
    GLuint line_buffer;
    GLuint panel_array;
    GLuint panel_buffer;
    GLuint blob_array;
    GLuint blob_buffer;
    char *host_texts[MD5GL_NUM_LIGHTINGS]; // results of md5gl_shadow_glsl(); NULL before its call
    GLuint empty_array;                    // a vertex array without attributes
    md5gl_texture white;
    md5gl_texture gray;
    md5gl_texture checker;
    md5gl_model *models; // first of the list of all models, linked by `next`

    // If true, md5gl_pose() does not compute the bounds of instances, because shadows do not need
    // them. Either the host set the bounds of the casters in the last frame, or that frame had no
    // shadows.
    bool casters_are_set;

    md5gl_depth_map maps[MD5GL_NUM_MAPS];
    bool has_shadows;       // the device can create the maps
    GLuint compare_sampler; // sampler for depth maps with depth comparison
    GLuint depth_sampler;   // sampler for depth maps that are read as depth values

    // The members below describe the current frame.
    bool in_frame;        // between md5gl_begin_frame() and md5gl_end_frame()
    md5gl_target *target; // NULL if the frame is drawn into `framebuffer` of the host
    GLuint framebuffer;   // framebuffer that the frame is drawn into
    bool opaque;          // alpha is 1 in the whole target before anything is drawn
    bool multisampled;    // alpha becomes coverage
    bool adds_light;      // lit surfaces write their largest component as alpha
    bool shadowed;        // the frame has shadows: maps[first_map] to maps[end_map - 1]
    uint32_t first_map;
    uint32_t end_map;
    GLenum front_face;
    bool shadows_unsupported; // the frame needs shadows, but the device cannot create the maps
    uint32_t num_lights;      // point lights of the frame
    float ground;             // height of the ground, units

    md5gl_shaded_ground shaded_ground;    // the part of the ground that shadows can reach
    const md5gl_environment *environment; // NULL if the frame does not have one
    md5gl_texture reflections;            // reflections of the environment, or 0
    bool is_classic;                      // MD5GL_LIGHTING_CLASSIC
    bool has_outputs;                     // the target was created by md5gl_create_outputs()
    enum md5gl_pass lit_pass;             // the pass LIT* for the frame's light
    md5_error light_error; // error of the last program for lights that could not be built
    float rays[9];         // uniform of shaders/environment.vert

    // Viewport, pixels.
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
};

// -- Models ---------------------------------------------------------------------------------

// A mesh on the GPU. Its path (md5gl_path) selects where and by which method its vertices are
// skinned.
typedef struct md5gl_mesh {
    const md5_mesh *mesh;
    md5gl_path path;    // never MD5GL_PATH_AUTO
    const char *reason; // reason of the choice of the path
    bool visible;
    GLuint array;      // vertex array, which reads the following buffers
    GLuint vertices;   // positions, normals, tangents, texture coordinates, colors
    GLuint influences; // joints and weights, or indices of influences, depending on the path
    GLuint indices;    // indices of triangles
    GLuint edges;      // line indices of the triangles' edges; only OpenGL ES needs them

    // Paths EXACT and COMPUTE: tables of the influences.
    md5gl_table exact_influences;
    md5gl_table exact_joints;

    // Paths CPU and COMPUTE skin once per pose. Their buffer contains the positions of all
    // instances, then all normals, then all tangents. It has `posed_count` instances: the instances
    // of the pose, followed by the same instances in the previous frame if the pose contains them.
    GLuint posed;
    uint32_t posed_count;
    md5gl_deform deform; // if `write` is NULL, there is no deform, and the counts are the mesh's
    GLuint deformed_indices; // indices of the deformed triangles
} md5gl_mesh;

// The material of a mesh in one skin of its model.
typedef struct md5gl_surface {
    md5gl_material material;  // does not own its textures
    bool is_opacity_computed; // md5gl_pose() has set `is_alpha_tested` for this material
    bool is_alpha_tested;
} md5gl_surface;

// Consecutive instances that one draw call can contain. They have the same skin, and either all or
// none of their placements are mirrored.
typedef struct md5gl_run {
    uint32_t skin;
    uint32_t first;
    uint32_t count;
    bool is_mirrored; // front faces have the opposite winding
} md5gl_run;

// Instances whose data fits into one set of tables. The size of a table is limited, so a model with
// many instances has several batches.
typedef struct md5gl_batch {
    md5gl_table palettes;
    md5gl_table placements;
    md5gl_table tints;
    md5gl_table ids;
    uint32_t count;
    uint32_t previous_palettes;   // first texel of the previous frame's palettes; see previous.glsl
    uint32_t previous_placements; // first texel of the previous frame's placements
} md5gl_batch;

// Morph targets in tables that shaders read by vertex index: the index of each vertex's first
// delta, and all deltas.
struct md5gl_morph {
    const md5_morph *source;
    md5gl_table first;
    md5gl_table deltas;
};

// Baked clips: the vertices of all frames in one table, and the first frame of each clip.
struct md5gl_baked {
    const md5_model *model;
    md5gl_table vertices;
    md5gl_table clips;
    md5_vec4 *jobs; // [job_capacity] scratch memory for one batch
    uint32_t job_capacity;
    uint32_t num_vertices; // per frame
    size_t gpu_size;       // bytes of both tables
    md5_bounds bounds;     // union of all clips' bounds
    uint32_t num_clips;
    uint32_t num_frames[]; // [num_clips]
};

// A model on the GPU, and the instances of its last pose. A skin is a set of materials, one for
// each mesh.
struct md5gl_model {
    const md5_model *model;
    md5gl_model *next;
    md5_bounds *joint_bounds;  // [num_joints] of the vertices that a joint moves, in the bind pose
    md5_bounds posed;          // bounds of the instances, world space
    const md5gl_morph *morph;  // targets of the instances, or NULL
    md5gl_table morph_weights; // [num_instances * num_targets], one texel per weight
    uint32_t previous_weights; // first texel of the previous frame's weights; see previous.glsl
    const md5gl_baked *baked;  // clips that the instances play; NULL if the instances are skinned
    md5gl_batch *batches;      // [batch_capacity]
    uint32_t num_batches;
    uint32_t batch_capacity;
    uint32_t num_instances;  // instances of the last pose
    bool placed;             // batches have placements
    bool tinted;             // batches have tints
    bool has_ids;            // batches have ids
    bool faded;              // a tint has alpha below 1: every mesh needs the alpha test
    md5gl_surface *surfaces; // [num_skins * model->num_meshes], skin by skin
    uint32_t num_skins;
    bool *mirrored; // [mirrored_capacity] true if the placement of the instance is mirrored
    uint32_t mirrored_capacity;
    bool has_mirrored; // false: no placement is mirrored, and `mirrored` is not used
    // [run_capacity] If num_runs is 0, all instances use skin 0 and none is mirrored.
    md5gl_run *runs;
    uint32_t num_runs;
    uint32_t run_capacity;
    md5gl_blending blending;
    md5gl_mesh meshes[]; // [model->num_meshes]
};

// The attribute arrays of vertices, in the order in which a buffer contains them.
enum md5gl_array {
    MD5GL_ARRAY_POSITIONS,
    MD5GL_ARRAY_NORMALS,
    MD5GL_ARRAY_TANGENTS,
    MD5GL_ARRAY_TEXCOORDS,
    MD5GL_ARRAY_COLORS,
    MD5GL_NUM_ARRAYS
};

// Offset of each array in a buffer, in bytes. The last element is the size of the buffer.
typedef struct md5gl_layout {
    size_t begin[MD5GL_NUM_ARRAYS + 1];
} md5gl_layout;

// Returns the layout of a buffer with the first `num_arrays` arrays of `count` vertices.
md5gl_layout md5gli_make_layout(size_t count, uint32_t num_arrays);

// Makes the bound vertex array read arrays `first` to `end` - 1 from the bound buffer, beginning
// with vertex `vertex`.
void md5gli_set_attributes(const GladGLContext *gl, const md5gl_layout *layout, size_t vertex,
                           uint32_t first, uint32_t end);

// The largest skinning error that counts as lossless, as a fraction of the model's diagonal. It is
// a fifth of 1e-4, the tolerance of the comparison between GPU and CPU. It is 1/25 of a pixel if
// the model is 2000 pixels large. For a model of a few units, the six decimals of MD5 files cause
// errors of nearly the same size.
#define MD5GL_MEASURABLE_LOSS 2e-5f

// Draws all instances with MD5GL_PASS_IMPOSTOR into the bound framebuffer, outside of a frame.
void md5gli_draw_for_impostors(md5gl_renderer *renderer, const md5gl_model *model);

// Returns the surface (material and its opacity) of a mesh in a skin.
md5gl_surface *md5gli_get_surface(const md5gl_model *model, uint32_t skin, uint32_t mesh);

// Creates a texture and binds it to `target`, so that the caller can upload its texels. Returns 0
// and fills the error if the size is not supported.
GLuint md5gli_begin_texture(md5gl_renderer *renderer, GLenum target, uint32_t width,
                            uint32_t height, md5_error *error);

// Unbinds a texture after its upload and returns it. If `uploaded` is false or GL reports an error,
// deletes the texture and returns 0.
md5gl_texture md5gli_end_texture(md5gl_renderer *renderer, GLenum target, GLuint texture,
                                 bool uploaded, md5_error *error);

// Sets the wrapping and the filters of the texture that is bound to `target`.
void md5gli_set_sampling(const GladGLContext *gl, GLenum target, bool repeats, GLint magnify,
                         GLint minify);

// Binds a texture if the program samples its unit and it is not bound yet. If `program` is NULL,
// always binds it and leaves its unit active, so that the caller can change the texture.
void md5gli_bind_texture(md5gl_renderer *renderer, const md5gl_program *program,
                         enum md5gl_unit unit, GLenum target, GLuint texture);

// One level of a texture: rgba[4 * width * height].
typedef struct md5gl_level {
    uint32_t width;
    uint32_t height;
    uint8_t *rgba;
} md5gl_level;

// Tables for the conversion between stored bytes and linear color. Means of texels must be computed
// in linear color. The sRGB values follow IEC 61966-2-1 and are exactly rounded.
typedef struct md5gl_encoding {
    bool is_srgb;
    uint16_t linear[256];     // linear value of a byte, 0..65535
    uint16_t min_linear[257]; // the smallest linear value that is rounded to a byte
    uint8_t encoded[1 << 12]; // byte of the linear value 16 * i
} md5gl_encoding;

// Fills the tables of an encoding if it is sRGB.
void md5gli_prepare_encoding(md5gl_encoding *encoding, bool is_srgb);

// Writes the next mipmap level to `half` and returns it. Each side is half as long, rounded down,
// but at least 1. Each texel is the mean, in linear color, of the area that it covers. `half` may
// be the memory of `level`.
md5gl_level md5gli_halve(const md5gl_encoding *encoding, const md5gl_level *level, uint8_t *half);

// Returns the program that draws a mesh of the model's instances. Builds the program if it does not
// exist yet. Returns NULL on failure.
const md5gl_program *md5gli_get_mesh_program(md5gl_renderer *renderer, const md5gl_model *model,
                                             const md5gl_mesh *mesh, enum md5gl_pass pass,
                                             md5_error *error);

// Returns the number of instances whose palettes fit into one table, with `copies` palettes per
// instance. Returns 0 and MD5_ERROR_GPU if the palettes of one instance do not fit.
uint32_t md5gli_instances_per_draw(const md5gl_renderer *renderer, uint32_t num_joints,
                                   uint32_t copies, md5_error *error);

// Binds the vertices and the tables of a mesh, for a batch and the program in use. `before` is the
// number of instances in earlier batches.
void md5gli_bind_mesh(md5gl_renderer *renderer, const md5gl_model *model, const md5gl_mesh *mesh,
                      const md5gl_program *program, const md5gl_batch *batch, uint32_t before);

// -- Shadows ----------------------------------------------------------------------------------

// The uniform block of shaders/frame.glsl.
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
    float point_colors[MD5GL_MAX_POINT_LIGHTS][4];
    float point_cones[MD5GL_MAX_POINT_LIGHTS][4];
    float spot_from_world[MD5GL_MAX_SPOT_SHADOWS][16];
    float spot_texels[MD5GL_MAX_SPOT_SHADOWS];
    float environment[4];
    float harmonics[9][4];
    float previous_clip_from_world[16];
} md5gl_frame_block;

// Projects the light of a panorama to spherical harmonics of degrees 0 to 2, for red, green and
// blue. Each texel is weighted by its solid angle. `width` and `height` are at least 1.
//
// The functions are real and orthonormal: (0,0) is 0.282095, and (1,1) is 0.488603 x. Their order
// is (0,0) (1,-1) (1,0) (1,1) (2,-2) (2,-1) (2,0) (2,1) (2,2). Source: Ramamoorthi and Hanrahan,
// "An Efficient Representation for Irradiance Environment Maps", 2001.
void md5gli_project_light(uint32_t width, uint32_t height, const float *rgb, md5_vec3 harmonics[9]);

// Computes the light that a matt surface reflects, as a polynomial of its normal.
// md5gl_environment_light() describes the polynomial. md5gli_project_light() names the source.
void md5gli_reflect_light(const md5_vec3 harmonics[9], md5_vec3 polynomial[9]);

// Sets the environment of a frame, its members of the block, and the pass of lit surfaces.
void md5gli_begin_environment(md5gl_renderer *renderer, const md5gl_frame *frame,
                              md5gl_frame_block *block);

// Switches the frame to the studio's light because a program for its own light could not be built.
// Stores the error, which md5gl_end_frame() reports.
void md5gli_fail_light(md5gl_renderer *renderer, const md5_error *error);

// Creates the maps and sets has_shadows if the device supports them. Leaves a framebuffer bound.
void md5gli_create_shadows(md5gl_renderer *renderer);

// Completes the uniform block of a frame with its point lights and shadows. Clears the shadow maps.
// Leaves other framebuffers bound.
void md5gli_begin_shadows(md5gl_renderer *renderer, const md5gl_frame *frame,
                          md5gl_frame_block *block);

// Binds the framebuffer, viewport and uniform block of a shadow map, for drawing into it.
void md5gli_bind_map(md5gl_renderer *renderer, const md5gl_depth_map *map);

// Binds the first `count` shadow maps to consecutive texture units from `first_unit`, for sampling.
void md5gli_bind_shadows(md5gl_renderer *renderer, uint32_t first_unit, uint32_t count);

// Switches the conversion of alpha to coverage on or off, if the frame is multisampled.
void md5gli_set_coverage(md5gl_renderer *renderer, bool on);

// Binds the framebuffer, viewport and uniform block of the current frame.
void md5gli_bind_frame(md5gl_renderer *renderer);

// -- Buffers --------------------------------------------------------------------------------

// Creates a table with the content data[size]. If `data` is NULL, the content is undefined. A table
// can be filled again by md5gli_fill_table().
md5gl_table md5gli_create_table(md5gl_renderer *renderer, GLenum format, const void *data,
                                size_t size);

// Replaces the content of a table by data[size]. If `previous` is not NULL, appends previous[size].
// Does not wait for draws that still read the former content. Returns the index of the first texel
// of `previous`, or 0 if it is NULL.
uint32_t md5gli_fill_table(md5gl_renderer *renderer, md5gl_table *table, const void *data,
                           const void *previous, size_t size);
void md5gli_destroy_table(md5gl_renderer *renderer, md5gl_table *table);

// Replaces the content of a buffer by data[size]. Does not wait for draws that still read the
// former content. Leaves the buffer bound to `binding`.
void md5gli_stream(md5gl_renderer *renderer, GLenum binding, GLuint buffer, const void *data,
                   size_t size);

// -- Errors and memory ----------------------------------------------------------------------

// Fills the error and returns false. `error` may be NULL in all functions of this section.
bool md5gli_fail(md5_error *error, md5_status status, const char *format, ...) MD5GL_PRINTF(3, 4);

// Reports that the caller passed NULL instead of an object. `argument` names the object. If `error`
// already contains the reason why the object could not be created, that error remains. Otherwise
// sets MD5_ERROR_MISSING. Returns false.
bool md5gli_fail_missing(md5_error *error, const char *argument);

// Clears all pending GL errors. If there were any, returns false and fills the error. The message
// contains the first GL error and `where`.
bool md5gli_check(md5gl_renderer *renderer, const char *where, md5_error *error);

// Clears all pending GL errors, which can be left over from the host's calls. Returns the first
// one.
GLenum md5gli_clear_errors(md5gl_renderer *renderer);

// Returns false and fills the error if the driver reports that the context is lost.
bool md5gli_check_context(md5gl_renderer *renderer, md5_error *error);

// Returns zeroed memory, or NULL with MD5_ERROR_MEMORY.
void *md5gli_alloc(const md5_allocator *allocator, size_t count, size_t size, md5_error *error);
#define MD5GL_NEW(renderer, type, count, error) \
    ((type *)md5gli_alloc(&(renderer)->allocator, count, sizeof(type), error))
void md5gli_free(md5gl_renderer *renderer, void *memory); // NULL and the renderer are allowed

// Kinds of the objects that callers own. The kind is stored in memory before the object until the
// object is freed, so that assertions detect freed and confused objects.
typedef enum md5gl_kind {
    MD5GL_KIND_RENDERER = 0x6D644C01,
    MD5GL_KIND_MODEL,
    MD5GL_KIND_MORPH,
    MD5GL_KIND_BAKED,
    MD5GL_KIND_IMPOSTORS,
    MD5GL_KIND_TARGET,
    MD5GL_KIND_ENVIRONMENT,
    MD5GL_KIND_MATERIALS,
} md5gl_kind;
void md5gli_set_kind(void *object, md5gl_kind kind); // NULL is allowed
bool md5gli_is_alive(const void *object, md5gl_kind kind);

// Assert that an object that a caller passes is not NULL, not freed and of the given kind. The
// variants with NULL_OR accept NULL. The variants for models also assert that the md5_model was not
// freed.
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
