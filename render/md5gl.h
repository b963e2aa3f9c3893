// md5gl: draws md5model's assets with OpenGL 3.3 core.
//
//   md5gl_create()                      programs and state for one GL context
//   md5gl_create_model()                vertices, indices, weights of a model on the GPU
//   md5gl_set_material()                what each mesh looks like
//   md5gl_begin_frame()                 target, size, background, camera, lights
//     md5gl_pose_models()               takes palettes up, once for all that follows; or
//     md5gl_pose_clips()                makes them on the GPU, of clips that lie there
//     md5gl_draw_shadows()              what the models keep light from, before what is lit
//     md5gl_draw_posed()                first, since what follows is blended over it
//     md5gl_draw_ground(), md5gl_draw_grid(), md5gl_draw_lines(), md5gl_draw_panel()
//   md5gl_end_frame()                   resolves the target, tells GL errors
//
// Between begin and end only the drawing functions may be called, and all others only outside;
// md5gl_pose_models() and md5gl_pose_clips() anywhere.
//
// Threads: every call needs the context it was created on to be current, so one thread at a time.
// No global state: two renderers on two contexts do not know of each other.
//
// GL state: md5gl_begin_frame() sets what a frame needs, and md5gl_end_frame() puts back to GL's
// defaults all that was touched:
// - bindings: program, vertex array, framebuffers (to 0), renderbuffer; array, texture, uniform,
//   transform feedback, pixel pack, pixel unpack and draw indirect buffer; uniform buffer 0,
//   transform feedback buffers 0 to 2 and shader storage buffers 0 to 6; 2D texture, buffer texture
//   and sampler of units 0..10; active unit 0
// - off: depth test, depth clamp, stencil test, scissor test, culling, blending, logic operation,
//   polygon offset (fill, line; 0, 0), sRGB writes, rasterizer discard, primitive restart, alpha
//   to coverage and to one, sample coverage and mask; on: multisampling
// - depth writes on, function less, range 0..1, clear value 1; colour writes on; culled face
//   back, front face counter-clockwise; blending one, zero, add; polygon mode fill
// - pixel storage: alignment 4, all others 0
// Viewport and clear colour stay as set. md5gl_create() and md5gl_capture() do the same; the other
// calls do it for what they touch. A host that needs other values sets them again afterwards, and
// keeps what is not in this list (clip distances, draw buffers) at GL's defaults for a frame.
//
// Colour: light is computed in linear colour (but see MD5GL_LIGHTING_CLASSIC), and the framebuffer
// holds its sRGB encoding, premultiplied by alpha. Blending is in sRGB, as pictures and text are
// commonly blended.
//
// A lost context (a driver that was reset) is told by md5gl_end_frame(), md5gl_read_pixels() and
// md5gl_capture() as MD5_ERROR_GPU; destroy the renderer and make another on a new context.
#ifndef MD5GL_H
#define MD5GL_H

#include "md5/md5model.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Renderer -------------------------------------------------------------------------------

// Gives the address of a GL function, or NULL: SDL_GL_GetProcAddress, eglGetProcAddress, ...
typedef void (*md5gl_proc)(void);
typedef md5gl_proc md5gl_load_proc(void *user, const char *name);

typedef struct md5gl_opts {
    md5gl_load_proc *load; // required
    void *load_user;
    md5_allocator allocator; // all zero = malloc and free
} md5gl_opts;

typedef struct md5gl_renderer md5gl_renderer;

// Compiles the programs. Returns NULL, with MD5_ERROR_GPU and the compiler's first line in
// `error`, when the context is older than 3.3 or a shader does not compile.
md5gl_renderer *md5gl_create(const md5gl_opts *opts, md5_error *error);
void md5gl_destroy(md5gl_renderer *renderer); // NULL is allowed; destroy models first

// "NVIDIA ... / OpenGL 3.3 ..." of the context, for people. Valid as long as the renderer.
const char *md5gl_device_name(const md5gl_renderer *renderer);

// -- Textures -------------------------------------------------------------------------------

// A GL texture name; 0 = none (white).
typedef uint32_t md5gl_texture;

// From width * height * 4 bytes, RGBA, sRGB colour, first row = top. Makes mipmaps, repeats.
// Returns 0 with MD5_ERROR_GPU when the size is not supported. Where nothing in it is transparent,
// GL_TEXTURE_SWIZZLE_A is GL_ONE, which tells that shadows need not look at it.
md5gl_texture md5gl_create_texture(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                   const uint8_t *rgba, md5_error *error);

// How the bytes of a normal map are meant. 0 = as id's: red leans towards growing u, green towards
// growing v, which is downward in the picture, blue outward; 0..255 is -1..1.
typedef enum md5gl_normals {
    MD5GL_NORMALS_GREEN_UP = 1, // green leans upward in the picture, as most other tools write it
    MD5GL_NORMALS_RXGB = 2,     // what red would hold is in alpha, as in id's compressed ones
} md5gl_normals;

// A tangent-space normal map, otherwise as md5gl_create_texture(). `normals`: a sum of the above.
md5gl_texture md5gl_create_normal_map(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                      const uint8_t *rgba, uint32_t normals, md5_error *error);

// The texture of what has none: a grey checker.
md5gl_texture md5gl_checker(const md5gl_renderer *renderer); // owned by the renderer

// One byte a texel of coverage, linear, no mipmaps: for the glyphs of md5gl_draw_panel().
md5gl_texture md5gl_create_mask(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                const uint8_t *coverage, md5_error *error);
void md5gl_destroy_texture(md5gl_renderer *renderer, md5gl_texture texture); // 0 is allowed

// -- Models ---------------------------------------------------------------------------------

// How a mesh is skinned. The first three skin in the vertex shader of every pass, from palettes in
// a texture buffer; the next two skin once for all passes; the last skins in the vertex shader, and
// draws all meshes of equal material at once.
typedef enum md5gl_path {
    MD5GL_PATH_AUTO,    // per mesh: the first of the next three that loses nothing measurable;
                        // CPU where its data does not fit into a texture buffer
    MD5GL_PATH_4,       // 4 influences in the vertex
    MD5GL_PATH_8,       // 8 influences in the vertex
    MD5GL_PATH_EXACT,   // walks the weight list in a buffer: any number, any sum
    MD5GL_PATH_CPU,     // md5_skin() into a streamed buffer
    MD5GL_PATH_COMPUTE, // a compute shader walks the weight list: OpenGL 4.3
    MD5GL_PATH_STORAGE, // walks the weight list; palettes are written to where the GPU reads them,
                        // and one multi-draw indirect draws a material's meshes: OpenGL 4.4
} md5gl_path;

// Whether this context can skin by that path.
bool md5gl_has_path(const md5gl_renderer *renderer, md5gl_path path);

typedef struct md5gl_model md5gl_model;

// Copies the model to the GPU; `model` must outlive the copy. `path` forces one for all meshes.
// Returns NULL with MD5_ERROR_GPU, also where a forced path cannot be had, or MD5_ERROR_MEMORY.
md5gl_model *md5gl_create_model(md5gl_renderer *renderer, const md5_model *model, md5gl_path path,
                                md5_error *error);
void md5gl_destroy_model(md5gl_renderer *renderer, md5gl_model *model); // NULL is allowed

// The path that a mesh is drawn with (never AUTO), its short name, "4", "8", "exact", "cpu",
// "compute", "storage", and why it is that one, in a few words.
md5gl_path md5gl_mesh_path(const md5gl_model *model, uint32_t mesh);
const char *md5gl_path_name(md5gl_path path);
const char *md5gl_path_reason(const md5gl_model *model, uint32_t mesh);

// How the joints of a vertex are brought together, on every path.
typedef enum md5gl_blending {
    MD5GL_BLEND_LINEAR, // as md5_skin()
    MD5GL_BLEND_DUAL,   // as md5_skin_dual(), which keeps the volume of what twists: the bind
                        // positions are moved, so that weights which do not meet in one point are
                        // not exact, on no path
} md5gl_blending;

// LINEAR until this is called: outside of a frame, before md5gl_pose_models(). What DUAL needs is
// made when a path first asks for it: returns false with MD5_ERROR_GPU, and changes nothing, where
// a shader does not compile.
bool md5gl_set_blending(md5gl_renderer *renderer, md5gl_model *model, md5gl_blending blending,
                        md5_error *error);
md5gl_blending md5gl_model_blending(const md5gl_model *model);

// What a mesh looks like. Textures are not owned by the model; 0 = none. The vertex colours of
// files of version 12 are multiplied in.
typedef struct md5gl_material {
    md5gl_texture diffuse;  // none: white
    md5gl_texture normals;  // of md5gl_create_normal_map(); none: the surface's own
    md5gl_texture specular; // colour of highlights, and where it is brighter they are sharper;
                            // none: those of a plain matt thing
    md5gl_texture glow;     // light of its own, added to what is reflected
    float gloss;            // above 0 to 1: from wide, faint highlights to small, sharp ones;
                            // 0 = 0.45
    float alpha_test; // texels of less alpha are holes, whose edges are soft in a multisampled
                      // frame; 0 = 0.5
    bool two_sided;   // back faces are seen, lit from their own side
} md5gl_material;

void md5gl_set_material(md5gl_model *model, uint32_t mesh, const md5gl_material *material);

// Another diffuse texture in the same material.
void md5gl_set_texture(md5gl_model *model, uint32_t mesh, md5gl_texture diffuse);
void md5gl_set_visible(md5gl_model *model, uint32_t mesh, bool visible);

// -- Frames ---------------------------------------------------------------------------------

// Off-screen colour and depth, multisampled where `samples` > 1.
typedef struct md5gl_target md5gl_target;
md5gl_target *md5gl_create_target(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                  uint32_t samples, md5_error *error);
void md5gl_destroy_target(md5gl_renderer *renderer, md5gl_target *target); // NULL is allowed

// Column-major 4x4 matrix, as GL takes it: element (row, column) is m[4 * column + row].
typedef struct md5gl_mat44 {
    float m[16];
} md5gl_mat44;

typedef enum md5gl_lighting {
    MD5GL_LIGHTING_STUDIO,  // physically based, in linear colour
    MD5GL_LIGHTING_CLASSIC, // as id's engine of 2004: lights added up in the colours of the files,
                            // without encoding; a small, sharp highlight
} md5gl_lighting;

enum { MD5GL_MAX_POINT_LIGHTS = 8 };

typedef struct md5gl_point_light {
    md5_vec3 position; // world space
    float reach;       // units; beyond it there is nothing of the light
    float color[3];    // linear, next to it; falls with the square of the distance further off
} md5gl_point_light;

typedef struct md5gl_frame {
    md5gl_target *target;   // NULL = the default framebuffer
    uint32_t width, height; // pixels of the viewport
    float background[4];    // sRGB, 0..1; alpha 0 gives a transparent picture
    md5gl_mat44 view_from_world;
    md5gl_mat44 clip_from_view; // GL clip space: z from -w to w

    md5gl_lighting lighting;
    bool tone_mapped; // STUDIO: bright colours come near to white softly, instead of being cut off
    md5_vec3 light_direction;        // from the scene to the key light, world space, any length
    float light[3], ambient[3];      // linear colour of the key light, and of the sky
    const md5gl_point_light *points; // [num_points], read during the call
    uint32_t num_points;             // those beyond MD5GL_MAX_POINT_LIGHTS are left out

    // Shadows: what md5gl_draw_shadows() draws keeps the key light from models and ground. A box
    // in world space that holds all of it; without extent (all 0) there are no shadows.
    md5_bounds casters;
    float ground;   // height of the ground, which darkens under what nearly touches it
    float softness; // width of a shadow's edge per distance from what casts it; 0 = hard edges
    uint32_t shadow_texels; // along a side of the key light's map; 0 = 768. At most what the
                            // context has for textures; a change makes the map anew
} md5gl_frame;

void md5gl_begin_frame(md5gl_renderer *renderer, const md5gl_frame *frame);

// Resolves the target's samples. Returns false with MD5_ERROR_GPU if GL reported errors since
// md5gl_begin_frame(), naming the first, if the context is lost, or if there is no room for
// shadows.
bool md5gl_end_frame(md5gl_renderer *renderer, md5_error *error);

// Reads the last frame of the target (NULL = default framebuffer, before the swap), top row
// first, sRGB with straight alpha, as PNG has it: rgba[4 * width * height]. At most the target's
// size.
bool md5gl_read_pixels(md5gl_renderer *renderer, md5gl_target *target, uint32_t width,
                       uint32_t height, uint8_t *rgba, md5_error *error);

// -- Drawing, between begin and end ---------------------------------------------------------

typedef enum md5gl_style {
    MD5GL_LIT = 1,        // textured and lit
    MD5GL_UNTEXTURED = 2, // with LIT: grey instead of the texture
    MD5GL_WIREFRAME = 4,  // edges, dark over LIT, or alone
    MD5GL_NO_CULLING = 8, // back faces too
} md5gl_style;

// Sets which instances of the model there are, until it is called again; none before. On the paths
// that skin once, it skins.
// palettes[count * num_joints]: instance i's palette begins at i * num_joints.
// placements[count]: model to world, rigid or evenly scaled; NULL = identity.
// Both are read during the call. Returns false when not even one palette fits into a texture buffer
// (MD5_ERROR_GPU names the limit), or with MD5_ERROR_MEMORY; there are no instances then.
bool md5gl_pose_models(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                       const md5_mat34 *placements, uint32_t count, md5_error *error);

// Where to write `count` palettes for the next md5gl_pose_models(), which then copies nothing:
//     md5_mat34 *palettes = md5gl_map_palettes(renderer, model, count, error);
//     ... for each instance i of md5_pose_batch(): job.palette = palettes + i * num_joints;
//     md5gl_pose_models(renderer, model, palettes, placements, count, error);
// count may be less there than it was here. On path storage this is memory that the GPU reads: any
// thread may write to it, in rising order wherever possible, but reading from it is very slow, and
// nothing that was in it before is left. Waits where the GPU is more than a frame behind: pose a
// model once a frame. On other paths it is plain memory. It is lost with the next call of either,
// and with the model. Until then earlier instances are drawn as they were. NULL, with MD5_ERROR_GPU
// or MD5_ERROR_MEMORY, if there is none.
md5_mat34 *md5gl_map_palettes(md5gl_renderer *renderer, md5gl_model *model, uint32_t count,
                              md5_error *error);

// Clips of one model, kept on the GPU, to pose crowds there: each character takes 48 bytes of the
// CPU, for which a palette would be 48 a joint.
typedef struct md5gl_clips md5gl_clips;

// Copies the clips to the GPU. `bindings` are of one model; they and the clips' animations are read
// during the call, the model must outlive the copy. Takes 16 bytes for each rotation and each
// translation that changes, a frame, and 48 for a joint: see md5gl_clips_size(). Returns NULL with
// - MD5_ERROR_GPU without OpenGL 4.3 (md5gl_has_path() of MD5GL_PATH_COMPUTE tells), where a clip
//   moves more joints than a work group's memory holds (1024 at least), where the clips are more
//   than a storage buffer holds (16 MB at least), or where more than 32 joints that only the clip
//   or only the model has lie between a joint and what the clip hangs it on;
// - MD5_ERROR_RANGE without clips, MD5_ERROR_MISMATCH when they are of several models;
// - MD5_ERROR_MEMORY.
md5gl_clips *md5gl_create_clips(md5gl_renderer *renderer, const md5_binding *const *bindings,
                                uint32_t count, md5_error *error);
void md5gl_destroy_clips(md5gl_renderer *renderer, md5gl_clips *clips); // NULL is allowed
size_t md5gl_clips_size(const md5gl_clips *clips);                      // bytes on the GPU

// One character of a crowd: as md5_pose_job.
typedef struct md5gl_clip_job {
    uint32_t clip; // of md5gl_create_clips()
    md5_moment moment;
    md5_root root;
} md5gl_clip_job;

// md5gl_pose_models() with palettes that the GPU makes: as md5_pose_batch() would, to within
// rounding. jobs[count] and placements[count] are read during the call. Returns false, and there
// are no instances then, with MD5_ERROR_RANGE when a job's clip or frame is none, with
// MD5_ERROR_MISMATCH when the clips are of another model, with MD5_ERROR_GPU when a mesh is skinned
// on the CPU, which does not see these palettes, or otherwise as md5gl_pose_models().
bool md5gl_pose_clips(md5gl_renderer *renderer, md5gl_model *model, const md5gl_clips *clips,
                      const md5gl_clip_job *jobs, const md5_mat34 *placements, uint32_t count,
                      md5_error *error);

// Draws all instances into the shadows of a frame that has `casters`, before what is lit.
void md5gl_draw_shadows(md5gl_renderer *renderer, const md5gl_model *model);

// Units: pixels depend on a thing that casts shadows no farther than so beside where its shadow
// falls, since edges are soft; 0 for a frame without shadows. For leaving out what is out of sight.
float md5gl_shadow_reach(const md5gl_frame *frame);

// Draws all instances of all visible meshes with one draw a mesh, or several where the palettes do
// not fit into one buffer; on the paths that skin once, one for each instance; on path storage, one
// for all meshes of equal material.
void md5gl_draw_posed(md5gl_renderer *renderer, const md5gl_model *model, uint32_t style);

// md5gl_pose_models() and md5gl_draw_posed() at once.
bool md5gl_draw_models(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                       const md5_mat34 *placements, uint32_t count, uint32_t style,
                       md5_error *error);

// The frame's shadows, dark on what is there already at the frame's height of the ground, which is
// not drawn itself. Fades out at `radius` units from the centre.
void md5gl_draw_ground(md5gl_renderer *renderer, md5_vec3 centre, float radius);

// A line list: every two vertices are a line, world space, colour sRGB, straight alpha.
typedef struct md5gl_line_vertex {
    md5_vec3 position;
    uint8_t rgba[4];
} md5gl_line_vertex;

// `on_top` ignores depth, for what should be seen through the model. Ends are round.
void md5gl_draw_lines(md5gl_renderer *renderer, const md5gl_line_vertex *vertices, uint32_t count,
                      float width_pixels, bool on_top);

// Ground grid at height z, fading with distance, `cell` units wide, every tenth line stronger,
// x and y axes coloured.
void md5gl_draw_grid(md5gl_renderer *renderer, float z, float cell, md5_vec3 centre, float radius);

// Triangles in pixels from the top left corner, over everything, blended: flat colour times the
// mask's coverage at texcoord (0..1); mask 0 covers all.
typedef struct md5gl_panel_vertex {
    float x, y, u, v;
    uint8_t rgba[4];
} md5gl_panel_vertex;

void md5gl_draw_panel(md5gl_renderer *renderer, md5gl_texture mask,
                      const md5gl_panel_vertex *vertices, uint32_t count);

// -- Verification ---------------------------------------------------------------------------

// Skins one mesh as for drawing, and reads back through transform feedback what the vertex shader
// gives: positions, normals, tangents [mesh num_vertices] as md5_skin() has them, model space; each
// may be NULL. Outside of a frame. With a palette, poses and skins the whole model, which has no
// instances afterwards. To capture many meshes in one pose, call md5gl_pose_models() once without
// placements and pass NULL for `palette`: reads the first instance, and the instances stay. Without
// an instance that is MD5_ERROR_RANGE.
bool md5gl_capture(md5gl_renderer *renderer, md5gl_model *model, uint32_t mesh,
                   const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals,
                   md5_vec4 *tangents, md5_error *error);

// Reads back the palettes that the model's instances are drawn from: palettes[instances *
// num_joints]. A model all of whose meshes are skinned on the CPU has none: MD5_ERROR_GPU. Outside
// of a frame.
bool md5gl_read_palettes(md5gl_renderer *renderer, const md5gl_model *model, md5_mat34 *palettes,
                         md5_error *error);

#ifdef __cplusplus
}
#endif

#endif
