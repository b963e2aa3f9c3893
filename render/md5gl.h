// md5gl: draws md5model's assets with OpenGL 3.3 core, OpenGL ES 3.0 or WebGL 2.
//
//   md5gl_create_renderer()                      creates programs and state for one GL context
//   md5gl_create_model()                uploads vertices, indices and weights of a model
//   md5gl_set_material()                sets what a mesh looks like; also between draws
//   md5gl_begin_frame()                 sets target, size, background, camera and lights
//     md5gl_pose()                      uploads palettes, or moments of baked clips, once for all
//                                       draws that follow; placements, tints, skins, morph weights
//     md5gl_draw_shadows()              fills the shadow maps; before anything lit; see "Worlds"
//     md5gl_draw_model()                draws models; before overlays, which are blended over them
//     md5gl_draw_stages()               draws what materials of games blend over them; see
//                                       md5gl_game.h
//     md5gl_draw_outputs()              in a frame of its own: ids, normals and motion
//     md5gl_draw_ground(), _grid(), _floor(), md5gl_draw_lines(), md5gl_draw_panel()
//   md5gl_end_frame()                   resolves the target and reports GL errors
//
// Call the drawing functions only between begin and end, and all others only outside of a frame.
// Posing, and setting materials, visibility and the number of skins are allowed in both: a draw
// uses what was set last.
//
// Assertions: in builds without NDEBUG a call that breaks a rule of this file ends the program with
// a message. What depends on the device or on data is an md5_error.
//
// Threads: every call needs the context that the renderer was created on to be current, so one
// thread at a time may call. There is no global state: two renderers on two contexts are
// independent.
//
// In an engine: md5gl draws into any framebuffer (md5gl_frame.framebuffer, keep_contents), and
//   md5gl_save_state()                  before any functions of this file
//   md5gl_restore_state()               after them
// keep the engine's GL state. Without them md5gl leaves GL's defaults:
// - bindings: program, vertex array, framebuffers (to 0), renderbuffer; array, texture, uniform,
//   transform feedback, pixel pack, pixel unpack and shader storage buffer; uniform buffer 0,
//   transform feedback buffers and shader storage buffers 0 to 2; 2D, cube, buffer and multisample
//   texture and sampler of units 0..16; active unit 0
// - disabled: depth test, depth clamp, stencil test, scissor test, culling, blending, logic
//   operation, polygon offset (fill, line; 0, 0), sRGB writes, rasterizer discard, primitive
//   restart, alpha to coverage and to one, sample coverage and mask; enabled: multisampling
// - depth writes on, function less, range 0..1, clear value 1; color writes on; culled face
//   back, front face counter-clockwise; blending one, zero, add; polygon mode fill
// - pixel storage: alignment 4, all others 0
// Viewport, scissor box and clear color keep the frame's values. This happens at the end of
// md5gl_create_renderer(), md5gl_end_frame(), md5gl_capture(), and of posing outside of a frame;
// the other calls reset what they change. md5gl_save_state() saves all of this; what OpenGL ES
// lacks of it is left out there. State that is not in this list (clip distances, clip control) must
// be at GL's defaults during a frame; so must the draw buffers of the host's framebuffers, except
// for md5gl_draw_outputs().
//
// OpenGL ES 3.0 and WebGL 2 draw the same pictures, with these differences: the path COMPUTE
// needs OpenGL 4.3; edges of
// MD5GL_WIREFRAME are lines, which are not culled; cut-out edges in a multisampled framebuffer are
// soft only if the frame clears it to alpha 1. A framebuffer with sRGB encoding would encode twice.
//
// Color: lighting is computed in linear color (except in MD5GL_LIGHTING_CLASSIC). The framebuffer
// holds sRGB-encoded color, premultiplied by alpha. Blending is done in sRGB, as is usual for
// pictures and text.
//
// A lost context (the driver was reset) is reported by md5gl_end_frame(), md5gl_read_pixels() and
// md5gl_capture() as MD5_ERROR_GPU. Destroy the renderer and create another one on a new context.
#ifndef MD5GL_H
#define MD5GL_H

#include "md5/md5skin.h"
#include "md5/md5model.h"

// As MD5_API: MD5_SHARED says that a DLL is used, MD5GL_BUILD that this one is being built.
#if defined(_WIN32) && defined(MD5_SHARED)
#ifdef MD5GL_BUILD
#define MD5GL_API __declspec(dllexport)
#else
#define MD5GL_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define MD5GL_API __attribute__((visibility("default")))
#else
#define MD5GL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// -- Renderer -------------------------------------------------------------------------------

// Returns the address of a GL function, or NULL: SDL_GL_GetProcAddress,
// emscripten_webgl_get_proc_address, ...
typedef void (*md5gl_proc)(void);
typedef md5gl_proc md5gl_load_proc(void *user, const char *name);

typedef struct md5gl_opts {
    md5gl_load_proc *load; // required
    void *load_user;
    md5_allocator allocator; // all zero = malloc and free
    uint64_t reserved[8];    // 0
} md5gl_opts;

typedef struct md5gl_renderer md5gl_renderer;

// Creates a renderer on the current context. Programs are compiled when they are first needed.
// Returns NULL with MD5_ERROR_GPU if the context is older than OpenGL 3.3 or ES 3.0.
MD5GL_API md5gl_renderer *md5gl_create_renderer(const md5gl_opts *opts, md5_error *error);
// Destroys the renderer. Destroy its models first. NULL is allowed.
MD5GL_API void md5gl_destroy_renderer(md5gl_renderer *renderer); // NULL is allowed

// Returns a name of the device for display, "NVIDIA ... / OpenGL 3.3 ...". Owned by the renderer.
MD5GL_API const char *md5gl_device_name(const md5gl_renderer *renderer);

// What a renderer holds.
typedef struct md5gl_stats {
    size_t baked_bytes;    // of GPU memory: all clips of md5gl_create_baked()
    size_t impostor_bytes; // of GPU memory: all pictures of impostors
    uint32_t num_pictures; // that impostors have room for: in each frame one of each direction, and
                           // one from below for contact shadows
    uint64_t reserved[4];  // 0
} md5gl_stats;
MD5GL_API md5gl_stats md5gl_get_stats(const md5gl_renderer *renderer);

// Save the host's values of all GL state listed above, and set them again. Call them in pairs, not
// nested, outside of a frame; anything may be called in between. Each takes some hundred GL calls,
// and saving waits for drivers that run in a thread: once per frame, not once per model.
MD5GL_API void md5gl_save_state(md5gl_renderer *renderer);
MD5GL_API void md5gl_restore_state(md5gl_renderer *renderer);

// -- Textures -------------------------------------------------------------------------------

// A GL texture name; 0 = none (white).
typedef uint32_t md5gl_texture;

// What the texels of a texture are, and what it is for.
typedef enum md5gl_texture_kind {
    MD5GL_TEXTURE_COLOR,      // rgba, sRGB color, straight alpha: of materials and images
    MD5GL_TEXTURE_NORMALS,    // rgba: a tangent-space normal map
    MD5GL_TEXTURE_STAGE,      // rgba of stages, which are not decoded from sRGB: see md5gl_game.h
    MD5GL_TEXTURE_STAGE_CUBE, // the same, six sides of a cube map
    MD5GL_TEXTURE_MASK,       // one byte a texel: linear coverage, as of glyphs. No mipmaps
} md5gl_texture_kind;

// What is outside of a texture.
typedef enum md5gl_wrap {
    MD5GL_WRAP_REPEAT,
    MD5GL_WRAP_CLAMP,       // the texels of the border
    MD5GL_WRAP_CLAMP_BLACK, // black, alpha 1: the texels of the border become that
    MD5GL_WRAP_CLAMP_CLEAR, // black, alpha 0, likewise
} md5gl_wrap;

// Encoding of a normal map. 0 = id's: red is the component along increasing u, green along
// increasing v (downward in the picture), blue outward; 0..255 is -1..1.
typedef enum md5gl_normals {
    MD5GL_NORMALS_GREEN_UP = 1, // green is the component upward in the picture, as in most tools
    MD5GL_NORMALS_RXGB = 2,     // the red component is in alpha, as in id's compressed maps
    MD5GL_NORMALS_HEIGHTS = 4, // alone: gray levels (r + g + b) / 3 are heights, 64 of which are as
                               // high as a texel is wide; the picture repeats
} md5gl_normals;

typedef struct md5gl_texture_desc {
    md5gl_texture_kind kind;
    uint32_t width, height;
    const uint8_t *texels;   // [4 * width * height] rgba, of a MASK [width * height]; top row first
    const uint8_t *faces[6]; // STAGE_CUBE, instead of `texels`: sides in the order and with the
                             // rows of OpenGL: +x, -x, +y, -y, +z, -z
    md5gl_wrap wrap;         // cube maps and masks are clamped
    bool is_nearest;         // neither filtered nor with mipmaps
    uint32_t normals;        // NORMALS: a combination of md5gl_normals flags
    // NORMALS: heights of any size, as of HEIGHTS, whose slopes are added; NULL = none
    const struct md5gl_texture_desc *heights;
    uint64_t reserved[3]; // 0
} md5gl_texture_desc;

// Returns how the texels of a normal map are encoded, flags of md5gl_normals, since files do not
// say. RXGB: red is constant, and alpha is not. GREEN_UP: the normals are not those of a surface
// otherwise, whose slope along u changes along v as the slope along v does along u. Flat maps and
// noise are id's. Linear in the texels; reads 256 rows of them at most for green.
MD5GL_API uint32_t md5gl_guess_normals(const md5gl_texture_desc *desc);

// Returns whether more than 1 % of the texels have an alpha below one half: a surface with such
// holes, which alpha_test cuts out, is usually seen from both sides.
MD5GL_API bool md5gl_has_holes(const md5gl_texture_desc *desc);

// Creates a texture with mipmaps, which the CPU computes: they are the same on every driver. `desc`
// is read during the call. Returns 0 with MD5_ERROR_GPU if the size is not supported, or with
// MD5_ERROR_MEMORY. If no texel of a COLOR is transparent, GL_TEXTURE_SWIZZLE_A is set to GL_ONE,
// which marks it as opaque for the shadow passes (WebGL has no swizzles: every texture counts as
// transparent there).
MD5GL_API md5gl_texture md5gl_create_texture(md5gl_renderer *renderer,
                                             const md5gl_texture_desc *desc, md5_error *error);

// Returns a gray checker, for surfaces whose texture is missing. Owned by the renderer.
MD5GL_API md5gl_texture md5gl_checker_texture(const md5gl_renderer *renderer);

MD5GL_API void md5gl_destroy_texture(md5gl_renderer *renderer,
                                     md5gl_texture texture); // 0 is allowed

// -- Models ---------------------------------------------------------------------------------

// How a mesh is skinned. 4, 8 and EXACT skin in the vertex shader of every pass, from palettes in a
// texture buffer, or in a texture of floats in OpenGL ES. CPU and COMPUTE skin once for all passes.
typedef enum md5gl_path {
    MD5GL_PATH_AUTO,    // per mesh: the first of 4, 8 and EXACT without measurable loss; CPU if
                        // the data does not fit into a texture buffer or texture
    MD5GL_PATH_4,       // up to 4 influences as vertex attributes
    MD5GL_PATH_8,       // up to 8 influences as vertex attributes
    MD5GL_PATH_EXACT,   // iterates the weight list in a buffer: any number, any sum
    MD5GL_PATH_CPU,     // md5_skin() into a streamed buffer
    MD5GL_PATH_COMPUTE, // a compute shader iterates the weight list: OpenGL 4.3, not in ES
} md5gl_path;

// Returns whether this context supports the path.
MD5GL_API bool md5gl_has_path(const md5gl_renderer *renderer, md5gl_path path);

typedef struct md5gl_model md5gl_model;

// Uploads a model; `model` must outlive the copy. After that md5_release_geometry() may free its
// arrays, unless a mesh takes the path CPU. Meshes without tangents are drawn without normal maps.
// `path` other than AUTO is forced on all meshes. Returns NULL with MD5_ERROR_MEMORY, with
// MD5_ERROR_MISMATCH if the geometry was released already, or with MD5_ERROR_GPU, also if a forced
// path is not supported.
MD5GL_API md5gl_model *md5gl_create_model(md5gl_renderer *renderer, const md5_model *model,
                                          md5gl_path path, md5_error *error);
MD5GL_API void md5gl_destroy_model(md5gl_renderer *renderer, md5gl_model *model); // NULL is allowed

// Returns the path that a mesh is drawn with (never AUTO), and in *reason, unless it is NULL, why,
// in a few words.
MD5GL_API md5gl_path md5gl_mesh_path(const md5gl_model *model, uint32_t mesh, const char **reason);
// Returns the name of a path: "4", "8", "exact", "cpu", "compute".
MD5GL_API const char *md5gl_path_name(md5gl_path path);

// How the joints of a vertex are blended, on every path.
typedef enum md5gl_blending {
    MD5GL_BLEND_LINEAR, // linear blend skinning, as md5_skin()
    MD5GL_BLEND_DUAL,   // dual quaternions, as md5_skin_job.duals: preserve volume at twisting
                      // joints. They transform the bind position, so a vertex whose weights do not
                      // meet in one point is not exact on any path
} md5gl_blending;

// Sets how the model's joints are blended; the default is LINEAR. Call it outside of a frame,
// before md5gl_pose(). Programs for DUAL are compiled when a path first needs them. Returns
// false with MD5_ERROR_GPU and changes nothing if a shader does not compile.
MD5GL_API bool md5gl_set_blending(md5gl_renderer *renderer, md5gl_model *model,
                                  md5gl_blending blending, md5_error *error);

// Morph targets (md5skin.h) of one model in GPU memory. On every context and path.
typedef struct md5gl_morph md5gl_morph;

// Uploads targets: 48 bytes for each vertex that a target changes, and 4 for each vertex of the
// model. `morph` must outlive the copy. Returns NULL with MD5_ERROR_GPU if they do not fit into a
// texture buffer or texture, or with MD5_ERROR_MEMORY.
MD5GL_API md5gl_morph *md5gl_create_morph(md5gl_renderer *renderer, const md5_morph *morph,
                                          md5_error *error);
MD5GL_API void md5gl_destroy_morph(md5gl_renderer *renderer, md5gl_morph *morph); // NULL is allowed

// What a mesh looks like. Textures are not owned by the model; 0 = none. Vertex colors (files of
// version 12) are multiplied with the diffuse texture.
typedef struct md5gl_material {
    md5gl_texture diffuse;  // none: white
    md5gl_texture normals;  // of kind NORMALS; none: the vertex normals
    md5gl_texture specular; // color of highlights; brighter texels give sharper ones;
                            // none: those of a plain matt surface
    md5gl_texture glow;     // emitted light, added to reflected light
    bool has_thin_parts;    // specular's alpha from 1 down to 0.5 marks what is thin: up to half of
                            // the light from behind shines through
    float gloss;            // above 0 to 1: from wide, faint highlights to small, sharp ones;
                            // 0 = 0.45
    float alpha_test;       // texels whose alpha is not greater are cut out; edges are soft in a
                            // multisampled frame; 0 = 0.5
    bool two_sided;         // back faces are drawn, lit on their own side
    bool is_staged;         // nothing is drawn by md5gl_draw_model(), except edges, nor in outputs
                            // and pictures of impostors: see md5gl_game.h
    bool no_shadow;         // nothing is drawn by md5gl_draw_shadows()
    bool is_opaque;         // alpha cuts nothing out, whatever the texture and alpha_test are
    bool no_vertex_color;   // the mesh's colors are ignored
    bool inverse_vertex_color; // red, green and blue of the mesh's colors are 1 minus those
    // Multiply these textures; 0 to 1 as in files, not decoded from sRGB. 0, 0, 0 = white; black
    // has a component of MD5_ZERO.
    md5_vec3 diffuse_color, specular_color;
    uint64_t reserved[4]; // 0
} md5gl_material;

// Sets the material of a mesh in a skin, which is below the number of skins; it is copied. Skin 0
// is what instances wear unless they are posed with another. Draws that follow use it, in the same
// frame too; until the next pose shadow maps test its alpha even if it is opaque.
MD5GL_API void md5gl_set_material(md5gl_renderer *renderer, md5gl_model *model, uint32_t skin,
                                  uint32_t mesh, const md5gl_material *material);

// Sets how many skins the model has: complete sets of materials, one per mesh, of which each
// instance wears one. Initially 1. New skins are copies of skin 0. Instances lose their looks.
// Returns false with MD5_ERROR_MEMORY or MD5_ERROR_RANGE, and changes nothing then.
MD5GL_API bool md5gl_set_num_skins(md5gl_renderer *renderer, md5gl_model *model, uint32_t num_skins,
                                   md5_error *error);

// Shows or hides a mesh. Meshes are visible by default.
MD5GL_API void md5gl_set_visible(md5gl_model *model, uint32_t mesh, bool visible);

// -- Frames ---------------------------------------------------------------------------------

// A framebuffer of this renderer's own, off the screen.
typedef struct md5gl_target md5gl_target;

// Creates an off-screen target of `width` x `height` pixels with color and depth, multisampled if
// `samples` > 1, limited to what the device supports. Returns NULL with MD5_ERROR_GPU if the size
// is not supported, or with MD5_ERROR_MEMORY.
MD5GL_API md5gl_target *md5gl_create_target(md5gl_renderer *renderer, uint32_t width,
                                            uint32_t height, uint32_t samples, md5_error *error);
// Creates a target for md5gl_draw_outputs() only, of one sample: depth, and textures that
// md5gl_get_target_names() gives. Frames clear them to 0, and do not use their `background`. Fails
// likewise, in OpenGL ES and WebGL also without EXT_color_buffer_float (or _half_float).
MD5GL_API md5gl_target *md5gl_create_outputs(md5gl_renderer *renderer, uint32_t width,
                                             uint32_t height, md5_error *error);
MD5GL_API void md5gl_destroy_target(md5gl_renderer *renderer,
                                    md5gl_target *target); // NULL is allowed

// GL names of a target's objects, which it owns: draw into the framebuffer outside of a frame, read
// the textures after md5gl_end_frame(). Do not resize or detach them.
typedef struct md5gl_target_names {
    uint32_t framebuffer; // of all samples
    md5gl_texture color;  // GL_RGBA8: sRGB, premultiplied; the bottom row is first
    md5gl_texture depth;  // GL_DEPTH_COMPONENT24; 0 in a multisampled target
    // Of md5gl_create_outputs(), where `color` is 0; else 0.
    md5gl_texture normals; // GL_RGB10_A2
    md5gl_texture motion;  // GL_RG16F
    md5gl_texture ids;     // GL_RG32UI
    uint64_t reserved[2];  // 0
} md5gl_target_names;
MD5GL_API md5gl_target_names md5gl_get_target_names(const md5gl_target *target);

// Copies the last frame of a target into a framebuffer of one sample (0 = default), from (0, 0) to
// `width`, `height`: as it is if it has that size, else scaled with linear filtering. Call it
// outside of a frame. Returns false with MD5_ERROR_GPU if GL reports an error.
MD5GL_API bool md5gl_copy_target(md5gl_renderer *renderer, const md5gl_target *target,
                                 uint32_t framebuffer, uint32_t width, uint32_t height,
                                 md5_error *error);

// The same in the target's size, with its edges smoothed by a filter: for targets of one sample,
// where several take too long. Text is smoothed too: draw it afterwards, over the copy.
MD5GL_API bool md5gl_smooth_target(md5gl_renderer *renderer, const md5gl_target *target,
                                   uint32_t framebuffer, md5_error *error);

typedef enum md5gl_lighting {
    MD5GL_LIGHTING_STUDIO,  // physically based, in linear color
    MD5GL_LIGHTING_CLASSIC, // as id's engine of 2004: lights are added in the files' colors,
                            // without sRGB encoding; a small, sharp highlight
    MD5GL_NUM_LIGHTINGS
} md5gl_lighting;

enum { MD5GL_MAX_POINT_LIGHTS = 8, MD5GL_MAX_SPOT_SHADOWS = 4 };

typedef struct md5gl_point_light {
    md5_vec3 position;  // world space
    float range;        // units; no light beyond it
    float color[3];     // linear, close to the light; falls off with the square of the distance
    float cone;         // of a spot light, its full angle in degrees; 0 = shines all around
    md5_vec3 direction; // of a spot light: from it, any length; 0, 0, 0 = down
    float cone_edge;    // share of the angle over which its light fades to 0; 0 = 0.2, or MD5_ZERO
    bool casts_shadow;  // a spot light: what is drawn into the shadow maps blocks its light. The
                        // first MD5GL_MAX_SPOT_SHADOWS do; beyond 150 degrees nothing is blocked
    uint64_t reserved[2]; // 0
} md5gl_point_light;

typedef struct md5gl_environment md5gl_environment; // see below

typedef struct md5gl_frame {
    md5gl_target *target;   // NULL = `framebuffer`
    uint32_t framebuffer;   // GL name of the host's; 0 = the default framebuffer. It needs a color
                            // attachment 0 without sRGB encoding, and depth; any samples
    uint32_t x, y;          // lower left corner of the viewport, pixels
    uint32_t width, height; // pixels of the viewport
    bool keep_contents;     // draw over what the framebuffer holds, tested against its depth;
                            // otherwise the viewport is cleared to `background`
    float background[4];    // sRGB, 0..1; alpha 0 gives a transparent picture
    md5_mat44 view_from_world;
    md5_mat44 clip_from_view; // GL clip space: z from -w to w, nearest -w. May mirror the picture

    md5gl_lighting lighting;
    bool tone_mapped; // STUDIO: bright colors approach white smoothly instead of being clipped
    md5_vec3 light_direction;   // from the scene to the key light, world space, any length
    float light[3], ambient[3]; // linear color of the key light, and of the sky
    const md5gl_point_light *point_lights; // [num_point_lights], read during the call
    uint32_t num_point_lights; // those beyond the first MD5GL_MAX_POINT_LIGHTS are ignored

    // Bounds in world space of everything that md5gl_draw_shadows() draws, which blocks the key
    // light for models and ground; those of the present pose are best, as shadows do not swim when
    // they change. All 0: those of all models of the renderer as they are posed when the frame
    // begins, with their baked clips. Set them if host's geometry, impostors, morph targets or
    // deformed meshes reach beyond, or if models that are posed are not drawn here: a large map is
    // coarse. Poses find these bounds only until a frame sets its own or has no shadows, and again
    // behind one that does neither: where frames differ, pose once more.
    md5_bounds casters;
    bool no_shadows;        // but those of spot lights; as with bounds of nothing (min above max)
    float ground;           // height of the ground, units; it darkens below nearby casters
    float softness;         // width of a shadow's edge per distance from the caster; 0 = hard edges
    uint32_t shadow_texels; // texels along a side of the key light's shadow map; 0 = 768. Limited
                            // to the context's texture size; a change recreates the map
    uint32_t spot_texels;   // the same of each spot light's map; 0 = 512. Limited to half of that
    float shadow_radius;    // what the key light's map shows at least around the casters' center,
                            // units: while that contains them, edges are as sharp when some go
    // STUDIO: the picture that takes the place of the sky; NULL = none. `ambient` multiplies its
    // light. It must live until the frame ends.
    const md5gl_environment *environment;
    float environment_angle; // rotation of the picture about +z, counter-clockwise from above,
                             // radians
    // clip_from_view * view_from_world of the previous frame, for md5gl_draw_outputs(); all 0 = of
    // this one. If the projection is jittered, jitter both alike, so that motion has none.
    md5_mat44 previous_clip_from_world;
    uint64_t reserved[6]; // 0
} md5gl_frame;

// Begins a frame: sets GL state, clears the viewport. `frame` is read during the call.
MD5GL_API void md5gl_begin_frame(md5gl_renderer *renderer, const md5gl_frame *frame);

// Ends the frame and resolves the target's samples. Returns false with MD5_ERROR_GPU if GL reported
// errors since md5gl_begin_frame() (the message names the first), if the context is lost, if the
// device cannot create the shadow maps that the frame needs, or if a shader that lights or draws an
// overlay does not compile: the message then holds the first line of the compiler's log.
MD5GL_API bool md5gl_end_frame(md5gl_renderer *renderer, md5_error *error);

// Reads the last frame of the target (NULL = default framebuffer, before the swap) into
// rgba[4 * width * height]: top row first, sRGB, straight alpha, as in PNG. Returns false with
// MD5_ERROR_GPU if the size exceeds the target's, if GL reports an error or if the context is lost.
MD5GL_API bool md5gl_read_pixels(md5gl_renderer *renderer, md5gl_target *target, uint32_t width,
                                 uint32_t height, uint8_t *rgba, md5_error *error);

// -- Drawing, between begin and end ---------------------------------------------------------

typedef enum md5gl_style {
    MD5GL_LIT = 1,        // textured and lit
    MD5GL_UNTEXTURED = 2, // with LIT: gray instead of the diffuse texture
    MD5GL_WIREFRAME = 4,  // edges: dark if combined with LIT, else bluish gray
    MD5GL_NO_CULLING = 8, // draw back faces too
} md5gl_style;

// Baked clips (md5skin.h) of one model in GPU memory, for distant crowds: no palettes, no skinning.
// On any context and path, with the vertices, materials and skins of a md5gl_model. Draws without
// normal maps, because tangents are not baked.
//     md5gl_baked *baked = md5gl_create_baked(renderer, model, clips, count, error);
//     ... in a frame:
//     md5gl_pose(renderer, far,
//                &(md5gl_instances){.count = num_far, .baked = baked, .jobs = jobs}, error);
//     md5gl_draw_model(renderer, far, MD5GL_LIT);
// A model has one set of instances, so that a crowd of which some are skinned in the same frame
// uses two md5gl_models of one md5_model.
typedef struct md5gl_baked md5gl_baked;

// Uploads clips[count], which md5_create_baked() made of `model`. They are read during the call;
// `model` must outlive the copy. Uses 8 bytes a vertex and frame: see md5gl_get_stats(). Returns
// NULL with
// - MD5_ERROR_RANGE if `count` is 0, MD5_ERROR_MISMATCH if a clip has another number of vertices
//   than the model;
// - MD5_ERROR_GPU if the frames do not fit into one texture buffer (OpenGL; at least 65536 vertices
//   of frames, on most devices 2^27) or texture (ES; at least 2^21), or if a shader does not
//   compile;
// - MD5_ERROR_MEMORY.
MD5GL_API md5gl_baked *md5gl_create_baked(md5gl_renderer *renderer, const md5_model *model,
                                          const md5_baked *const *clips, uint32_t count,
                                          md5_error *error);
MD5GL_API void md5gl_destroy_baked(md5gl_renderer *renderer, md5gl_baked *baked); // NULL is allowed

// What one instance shows of clips.
typedef struct md5gl_clip_job {
    uint32_t clip;        // index into the clips of md5gl_create_baked()
    md5_moment moment;    // of md5_moment_at(); its cycle is not used
    uint64_t reserved[4]; // 0
} md5gl_clip_job;

// The instances of a model. Arrays are read during the call.
typedef struct md5gl_instances {
    uint32_t count;
    const md5_mat34 *palettes;  // [count * num_joints]: instance i's begins at i * num_joints; or
    md5gl_baked *baked;         // clips, which must live until the next pose, with
    const md5gl_clip_job *jobs; // [count]. Neither: as posed before, with other tints and skins
    const md5_mat34
        *placements;          // [count] model to world, rigid or uniformly scaled; NULL = identity
    const md5_vec4 *tints;    // [count] linear colors that multiply the diffuse texture. Alpha
                              // below 1 fades cut-outs only; alpha 1 + s hides the share s of the
                              // pixels in a fixed pattern, but not of the shadow (see
                              // md5gl_game.h). NULL = white
    const uint32_t *skins;    // [count] below the number of skins; NULL = 0
    const md5gl_morph *morph; // with palettes: targets, which must live until the next pose
    const float *weights;     // [count * targets] of `morph`, finite numbers
    const uint32_t *ids;      // [count] for md5gl_draw_outputs(); NULL = 1 + index
    // What palettes, jobs, placements and weights were in the previous frame, of the same instances
    // in the same order: for md5gl_draw_outputs(). NULL, and arrays that are NULL: as they are now.
    // Its other members are not used. A table holds half as many palettes then.
    const struct md5gl_instances *previous;
    uint64_t reserved[4]; // 0
} md5gl_instances;

// Sets the instances of the model, until the next call; initially there are none. The paths that
// skin once do so here. Without palettes and clips `count` is that of the last pose, whose
// vertices, placements and weights stay (a model without joints needs no palettes: it is always
// posed anew); ids are replaced as tints and skins are. Instances of one skin that follow each
// other are drawn together: sort crowds by skin. Draws, shadows and md5gl_capture() give what
// md5_skin() and its kin compute: with morph targets within 1e-5 of the model's size, with clips,
// as md5_skin_baked(), within 1e-6 of the clip's. Programs are compiled
// when a path first needs them. Returns false and leaves no instances
// - with MD5_ERROR_GPU if not even one palette, or not all weights, fit into a texture buffer or
//   texture (the message names the limit), or if a shader does not compile,
// - with MD5_ERROR_RANGE if a skin, a job's clip or frame does not exist,
// - with MD5_ERROR_MISMATCH if clips or morph targets are of another model,
// - with MD5_ERROR_MEMORY.
MD5GL_API bool md5gl_pose(md5gl_renderer *renderer, md5gl_model *model,
                          const md5gl_instances *instances, md5_error *error);

// Draws all instances into the shadow maps, before anything lit. Does nothing in a frame without
// shadows.
MD5GL_API void md5gl_draw_shadows(md5gl_renderer *renderer, const md5gl_model *model);

// Returns how far beside its hard shadow a caster can affect pixels, in units, because edges are
// soft; 0 for a frame without shadows or bounds. Enlarge bounds by it when culling casters.
MD5GL_API float md5gl_shadow_reach(const md5gl_frame *frame);

// Draws all instances of all visible meshes. `style`: a combination of md5gl_style flags. Issues
// one draw per mesh and run of equal skins, or several if the palettes do not fit into one buffer;
// on the paths that skin once, one per instance.
MD5GL_API void md5gl_draw_model(md5gl_renderer *renderer, const md5gl_model *model, uint32_t style);

// Draws what other passes of a host need of the instances: ids to pick by, and depth, normals and
// motion for temporal antialiasing, ambient occlusion and the like. The pixels are those that
// md5gl_draw_model() draws with MD5GL_LIT in a frame of one sample, at the same depth. Draws into a
// target of md5gl_create_outputs(), or into the host's framebuffer: then its draw buffers, or
// GL_NONE for what it lacks, get, in this order,
// - vec4: the normal n that light falls on, with the normal map, world space, as (n + 1) / 2; 1
// - vec2: motion: where the point is on the screen minus where it was in the previous frame, as a
//   fraction of the viewport, to the right and up: `uv - motion` is where to look up the previous
//   picture. See md5gl_instances.previous and md5gl_frame.previous_clip_from_world. Limited to -2
//   to 2; 2, 2 if it was behind the camera
// - uvec2: md5gl_instances.ids, where 0 is as if nothing was there; the index of the mesh
// and the host clears it (keep_contents): glClear() is not defined for integers. Impostors have no
// outputs. Issues as many draws as md5gl_draw_model(). Returns false with MD5_ERROR_GPU if a shader
// does not compile: the programs of a path are built when it first needs them.
MD5GL_API bool md5gl_draw_outputs(md5gl_renderer *renderer, const md5gl_model *model,
                                  md5_error *error);

// Returns the id that the last frame of a target of md5gl_create_outputs() has at a pixel, counted
// from the top left corner, and in *mesh, unless it is NULL, the index of the mesh. Returns 0, and
// MD5_NONE, if nothing or no pixel is there, or with MD5_ERROR_GPU if GL reports an error or if the
// context is lost. Call it outside of a frame. It waits for the frame to be drawn.
MD5GL_API uint32_t md5gl_pick(md5gl_renderer *renderer, md5gl_target *target, uint32_t x,
                              uint32_t y, uint32_t *mesh, md5_error *error);

// Darkens what is already drawn where shadows fall on a plane at the frame's ground height; the
// plane itself is invisible. Fades out at `radius` units from the center.
MD5GL_API void md5gl_draw_ground(md5gl_renderer *renderer, md5_vec3 center, float radius);

// A cheap shadow: a soft, dark disc on the ground, without any map.
typedef struct md5gl_blob {
    md5_vec3 position;    // of its center, world space
    float radius;         // units; it is darkest in the middle. 0 or less: not drawn
    md5_vec3 normal;      // of the ground there, any length; 0, 0, 0 = up
    float darkness;       // share of the light that is taken in the middle, to 1; 0 = 0.5
    uint64_t reserved[2]; // 0
} md5gl_blob;

// Draws blobs[count] over what is drawn already up to 0.15 radii in front of them, as ground is not
// flat.
MD5GL_API void md5gl_draw_blobs(md5gl_renderer *renderer, const md5gl_blob *blobs, uint32_t count);

// One end of a line: world space, sRGB color with straight alpha.
typedef struct md5gl_line_vertex {
    md5_vec3 position;
    uint8_t rgba[4];
} md5gl_line_vertex;

// Draws vertices[count], two per line, `width_pixels` wide, with round ends. `on_top` disables the
// depth test, for lines that show through the model.
MD5GL_API void md5gl_draw_lines(md5gl_renderer *renderer, const md5gl_line_vertex *vertices,
                                uint32_t count, float width_pixels, bool on_top);

// Draws a grid at height z with cells of `cell` units, of 0 nothing; every tenth line is stronger,
// the x and y axes are colored. Fades out at `radius` units from the center.
MD5GL_API void md5gl_draw_grid(md5gl_renderer *renderer, float z, float cell, md5_vec3 center,
                               float radius);
// Draws a warm floor without lines likewise. The frame's point lights from `first_light` on,
// counted from 0, light it without shadows; UINT32_MAX = none.
MD5GL_API void md5gl_draw_floor(md5gl_renderer *renderer, float z, md5_vec3 center, float radius,
                                uint32_t first_light);

// Position in pixels from the top left corner; texture coordinate 0..1; sRGB, straight alpha.
typedef struct md5gl_panel_vertex {
    float x, y, u, v;
    uint8_t rgba[4];
} md5gl_panel_vertex;

// Blends triangles of vertices[count] over everything. `kind` is that of the texture: vertex color
// times the coverage of a MASK, or times the texels of another kind, which are shown as in their
// file, without lighting and without their alpha; not STAGE_CUBE. Texture 0 = white.
MD5GL_API void md5gl_draw_panel(md5gl_renderer *renderer, md5gl_texture texture,
                                md5gl_texture_kind kind, const md5gl_panel_vertex *vertices,
                                uint32_t count);

// -- Worlds ---------------------------------------------------------------------------------
//
// Geometry that the host draws itself, such as terrain, in the frame's light and shadows:
//
//   md5gl_shadow_glsl()                 once: text for the host's fragment shaders
//   md5gl_begin_frame()
//     md5gl_draw_casters()              the host's geometry casts
//     md5gl_use_shadows()               for each of the host's programs, before it draws
//     md5gl_resume_frame()              before md5gl draws again
//   md5gl_end_frame()

// Returns text for fragment shaders, to be put behind "#version 330 core", in OpenGL ES
// "#version 300 es": functions, a uniform block and four samplers, whose names all begin with
// md5gl_, and there the default precisions. Lines that follow count from 1. Positions are in world
// space; normals have unit length and are on the eye's side; `color` is linear; `gloss` 0 to 1 as
// in materials.
//   vec3 md5gl_shade(vec3 position, vec3 normal, vec3 color, float gloss)
//       sRGB, as a model without maps: all lights, shadows, sky, tone mapping
//   vec3 md5gl_light_surface(md5gl_plain(position, normal, color, gloss),
//                            md5gl_direction_to_eye(position))
//       the same, linear and without tone mapping; not of CLASSIC
//   float md5gl_sunlight(vec3 position, vec3 normal)
//   float md5gl_spotlight(int number, vec3 position, vec3 normal)
//       share of the key light, or of a point light (of those with a range), that is not blocked
//   float md5gl_contact_shade(vec3 position)
//       share of the sky that casters close above hide, if the point is about as high as the
//       frame's ground; md5gl_draw_ground() darkens by 0.7 of it
//   vec3 md5gl_tone_map(vec3 linear), vec3 md5gl_srgb_from_linear(vec3 linear)
// `lighting` is that of the frames that the shader draws in. Owned by the renderer. Returns NULL
// with MD5_ERROR_MEMORY.
MD5GL_API const char *md5gl_shadow_glsl(md5gl_renderer *renderer, md5gl_lighting lighting,
                                        md5_error *error);

enum { MD5GL_NUM_SHADOW_UNITS = 4 };

// Uses a host's linked program that has the text, within a frame: binds the frame's block to
// uniform buffer `binding`, and 2D textures and samplers to MD5GL_NUM_SHADOW_UNITS units from
// `first_unit` on, and sets the program's uniforms for them. The host unbinds the samplers of units
// above 16.
MD5GL_API void md5gl_use_shadows(md5gl_renderer *renderer, uint32_t program, uint32_t first_unit,
                                 uint32_t binding);

// Sets all GL state to what drawing needs, within a frame, after the host's own calls of GL.
MD5GL_API void md5gl_resume_frame(md5gl_renderer *renderer);

typedef enum md5gl_shadow_kind {
    MD5GL_SHADOW_KEY_LIGHT,
    MD5GL_SHADOW_CONTACT, // the lowest casters, seen from below; ground does not belong here
    MD5GL_SHADOW_SPOT_LIGHT,
} md5gl_shadow_kind;

// A depth map of the current frame. Copy it for a lookup of your own.
typedef struct md5gl_shadow_map {
    md5gl_shadow_kind kind;
    uint32_t light;            // SPOT_LIGHT: index into md5gl_frame.point_lights; else MD5_NONE
    md5_mat44 clip_from_world; // for drawing into it: -w to w
    md5_mat44 map_from_world;  // after division by w 0..1 over the map: column, row, depth
    md5gl_texture depth;       // GL_DEPTH_COMPONENT24, owned by the renderer
    uint32_t x, y, texels;     // the map: a square of the texture, from its lower left corner
    uint64_t reserved[4];      // 0
} md5gl_shadow_map;

// Draws casters of the host into a map. GL's state is that at the top of this file, with the depth
// test enabled and the map's framebuffer and viewport. It may change all of that state, but clears
// nothing and calls no function of md5gl.
typedef void md5gl_draw_caster(void *user, const md5gl_shadow_map *map);

// Calls draw(user, map) for each map of the frame, before anything lit; then resumes the frame. The
// frame's `casters` must contain what is drawn, or the key light's map cuts it off.
MD5GL_API void md5gl_draw_casters(md5gl_renderer *renderer, md5gl_draw_caster *draw, void *user);

// -- Verification ---------------------------------------------------------------------------

// Skins one mesh as for drawing and reads the vertex shader's results back through transform
// feedback: positions, normals, tangents [num_vertices of the mesh], model space, as md5_skin()
// writes them; each may be NULL. Call it outside of a frame. With a palette, poses and skins the
// whole model, which has no instances afterwards. To capture many meshes in one pose, call
// md5gl_pose() once without placements and pass NULL for `palette`: this reads the first instance
// and keeps the instances. Returns false with MD5_ERROR_RANGE if there is no instance,
// otherwise with MD5_ERROR_GPU or MD5_ERROR_MEMORY. In WebGL it needs glGetBufferSubData, which the
// loader of emscripten does not find.
MD5GL_API bool md5gl_capture(md5gl_renderer *renderer, md5gl_model *model, uint32_t mesh,
                             const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals,
                             md5_vec4 *tangents, md5_error *error);

// == Environments ================================================================================
//
// Environments: light from all around, given as a picture.
//
//   md5gl_create_environment()          once for each picture
//   md5gl_begin_frame()                 with md5gl_frame.environment
//     md5gl_draw_environment()          the picture as the background, if wanted: before models
//     md5gl_draw_model() ...            lit by the picture instead of by a sky of one color
//   md5gl_end_frame()
//
// The picture takes the place of the sky of MD5GL_LIGHTING_STUDIO: it lights matt surfaces by
// spherical harmonics, and glossy ones, those with a specular map, reflect it, blurred by their
// roughness. Key light, point lights and shadows are added as in other frames. Frames without an
// environment cost what they did: they are drawn by other programs.
//
// Pictures are equirectangular panoramas, rgb[3 * width * height], linear color, top row first:
// the top row is +z, the bottom row -z, the middle of a row +x; columns go on to the right, to -y.

// Creates an environment from a picture, which is read during the call: projects its light, and
// filters its reflections on the CPU, some hundredths of a second. Uses 4 to 6 bytes of GPU memory
// for each texel of up to 4096 x 2048; larger pictures are reduced. Components below 0 and those
// that are not numbers count as 0, those above 65000 as that. Call it outside of a frame. Returns
// NULL with MD5_ERROR_MEMORY, or with MD5_ERROR_GPU, also if a side is 0.
MD5GL_API md5gl_environment *md5gl_create_environment(md5gl_renderer *renderer, uint32_t width,
                                                      uint32_t height, const float *rgb,
                                                      md5_error *error);
MD5GL_API void md5gl_destroy_environment(md5gl_renderer *renderer,
                                         md5gl_environment *environment); // NULL is allowed

// Returns the polynomial[9] of the environment's light: what a white matt surface whose unit normal
// is n reflects is the sum of the products with 1, x, y, z, xy, yz, xz, z^2 and x^2 - y^2 of n.
// Exact for light of degree 2, within some per cent for pictures. May be negative opposite of very
// bright light. Owned by the environment.
MD5GL_API const md5_vec3 *md5gl_environment_light(const md5gl_environment *environment);

// Draws the frame's environment behind everything: over the whole viewport, opaque, without depth.
// Tone mapping, `ambient` and rotation are those of surfaces. A parallel projection shows it as
// from a point, 45 degrees high. Does nothing in a frame without one.
MD5GL_API void md5gl_draw_environment(md5gl_renderer *renderer);

#ifdef __cplusplus
}
#endif

#endif
