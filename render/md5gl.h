// md5gl: draws md5model's assets with OpenGL 3.3 core.
//
//   md5gl_create()                      programs and state for one GL context
//   md5gl_create_model()                vertices, indices, weights of a model on the GPU
//   md5gl_begin_frame()                 target, size, background, camera, light
//     md5gl_draw_models()               first, since what follows is blended over it
//     md5gl_draw_grid(), md5gl_draw_lines(), md5gl_draw_panel()
//   md5gl_end_frame()                   resolves the target, tells GL errors
//
// Between begin and end only the drawing functions may be called, and all others only outside.
//
// Threads: every call needs the context it was created on to be current, so one thread at a time.
// No global state: two renderers on two contexts do not know of each other.
//
// GL state: md5gl_begin_frame() sets what a frame needs, and md5gl_end_frame() puts back to GL's
// defaults all that was touched:
// - bindings: program, vertex array, framebuffers (to 0), renderbuffer; array, texture, uniform,
//   transform feedback, pixel pack and unpack buffer; uniform buffer 0 and transform feedback
//   buffers 0 and 1; 2D texture, buffer texture and sampler of units 0..7; active unit 0
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
// Colour: light is computed in linear colour, and the framebuffer holds its sRGB encoding,
// premultiplied by alpha. Blending is in sRGB, as pictures and text are commonly blended.
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
// Returns 0 with MD5_ERROR_GPU when the size is not supported.
md5gl_texture md5gl_create_texture(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                   const uint8_t *rgba, md5_error *error);

// The texture of what has none: a grey checker.
md5gl_texture md5gl_checker(const md5gl_renderer *renderer); // owned by the renderer

// One byte a texel of coverage, linear, no mipmaps: for the glyphs of md5gl_draw_panel().
md5gl_texture md5gl_create_mask(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                const uint8_t *coverage, md5_error *error);
void md5gl_destroy_texture(md5gl_renderer *renderer, md5gl_texture texture); // 0 is allowed

// -- Models ---------------------------------------------------------------------------------

// How the vertex shader skins.
typedef enum md5gl_path {
    MD5GL_PATH_AUTO,  // per mesh: the first below that loses nothing measurable
    MD5GL_PATH_4,     // 4 influences in the vertex
    MD5GL_PATH_8,     // 8 influences in the vertex
    MD5GL_PATH_EXACT, // walks the weight list in a buffer: any number, any sum
} md5gl_path;

typedef struct md5gl_model md5gl_model;

// Copies the model to the GPU; `model` must outlive the copy. `path` forces one for all meshes.
// Returns NULL with MD5_ERROR_GPU or MD5_ERROR_MEMORY.
md5gl_model *md5gl_create_model(md5gl_renderer *renderer, const md5_model *model, md5gl_path path,
                                md5_error *error);
void md5gl_destroy_model(md5gl_renderer *renderer, md5gl_model *model); // NULL is allowed

// The path that a mesh is drawn with (never AUTO), and its short name: "4", "8", "exact".
md5gl_path md5gl_mesh_path(const md5gl_model *model, uint32_t mesh);
const char *md5gl_path_name(md5gl_path path);

// Not owned by the model. 0 draws the mesh white. Texels whose alpha is below a half are holes; in
// a multisampled frame their edges are soft.
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

typedef struct md5gl_frame {
    md5gl_target *target;   // NULL = the default framebuffer
    uint32_t width, height; // pixels of the viewport
    float background[4];    // sRGB, 0..1; alpha 0 gives a transparent picture
    md5gl_mat44 view_from_world;
    md5gl_mat44 clip_from_view; // GL clip space: z from -w to w
    md5_vec3 light_direction;   // from the scene to the key light, world space, any length
    float light[3], ambient[3]; // linear colour of the key light, and of the sky
} md5gl_frame;

void md5gl_begin_frame(md5gl_renderer *renderer, const md5gl_frame *frame);

// Resolves the target's samples. Returns false with MD5_ERROR_GPU if GL reported errors since
// md5gl_begin_frame(), naming the first.
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

// Draws `count` instances of all visible meshes with one draw a mesh, or several where the
// palettes do not fit into one texture buffer.
// palettes[count * num_joints]: instance i's palette begins at i * num_joints.
// placements[count]: model to world, rigid or evenly scaled; NULL = identity.
// Returns false when not even one palette fits (MD5_ERROR_GPU names the limit); nothing is drawn
// then.
bool md5gl_draw_models(md5gl_renderer *renderer, const md5gl_model *model,
                       const md5_mat34 *palettes, const md5_mat34 *placements, uint32_t count,
                       uint32_t style, md5_error *error);

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

// Skins one mesh on the GPU by the same vertex shader as drawing and reads it back through
// transform feedback: positions[mesh num_vertices], normals[mesh num_vertices], model space.
// Outside of a frame.
bool md5gl_capture(md5gl_renderer *renderer, const md5gl_model *model, uint32_t mesh,
                   const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals,
                   md5_error *error);

#ifdef __cplusplus
}
#endif

#endif
