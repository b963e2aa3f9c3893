// md5gl: draws the models of md5model with OpenGL 3.3 core, OpenGL ES 3.0 or WebGL 2. This header
// contains everything that a program needs to draw animated characters with lights and shadows.
// demo/examples/window.c is a complete program.
//
// A program calls the functions in this order. The indented functions belong to one frame:
//
//   md5gl_create_renderer()     once: creates the renderer for one GL context
//   md5gl_create_model()        once per model: uploads vertices, indices and weights
//   md5gl_set_material()        once per mesh: sets textures and colors
//   md5gl_begin_frame()         sets target, size, background, camera and lights of the frame
//     md5gl_pose()              uploads the poses of all instances of a model, and their positions,
//                               tints, skins and morph weights
//     md5gl_draw_shadows()      draws the instances into the shadow maps. Call it for all models
//                               before you draw anything that receives shadows
//     md5gl_draw_model()        draws the instances
//     md5gl_draw_stages()       blends additional textures over the models: see md5gl_game.h
//     md5gl_draw_ground(), md5gl_draw_grid(), md5gl_draw_floor()
//                               draw shadows on the ground, a grid, or a floor
//     md5gl_draw_lines(), md5gl_draw_panel()
//                               draw overlays, which are blended over the models: call them last
//   md5gl_end_frame()           completes the image and reports GL errors
//
// md5gl_draw_outputs() draws ids, normals and motion vectors instead of an image. It needs its own
// frame. "Worlds" below explains how the program draws other geometry into the same frame.
//
// Terms that are used below:
//
// - Instance: one drawn copy of a model, with its own pose and position. One call of md5gl_pose()
//   sets all instances of a model.
// - Palette: one matrix per joint, which moves vertices from the bind pose to the current pose. See
//   md5skin.h.
// - Sample position: two frames of a clip and a fraction between them. See md5_sample_position.
// - Placement: the matrix that moves an instance from model space to world space.
// - Skin: a complete set of materials, one per mesh. Instances of a model can use different skins.
// - Host: the program or engine that calls md5gl.
//
// Call order: between md5gl_begin_frame() and md5gl_end_frame(), call only the drawing functions,
// md5gl_use_shadows() and md5gl_resume_frame(). Call these only there, and all other functions only
// outside a frame. There are exceptions: md5gl_pose(), md5gl_pose_impostors() and the functions
// that set materials, visibility and the number of skins may be called in a frame and outside. Each
// draw uses the values that were set last.
//
// Assertions: a call that violates a rule in this file is a programming error. It stops the program
// with a message unless the library was compiled with NDEBUG. Failures that depend on the device or
// on data are reported as md5_error.
//
// Threads: the GL context with which the renderer was created must be current in every call, so
// only one thread at a time may call. There is no global state. Two renderers on two contexts are
// independent of each other.
//
// Color: lighting is computed in linear color, except with MD5GL_LIGHTING_CLASSIC. The framebuffer
// contains sRGB-encoded color that is multiplied by its alpha (premultiplied alpha). Blending is
// done in sRGB, as is usual for images and text. Do not use a framebuffer with sRGB encoding,
// because the colors would be encoded twice.
//
// Lost context: if the driver was reset, md5gl_end_frame(), md5gl_read_pixels() and md5gl_capture()
// report MD5_ERROR_GPU. Then destroy the renderer, and create another renderer on a new context.
//
// OpenGL ES 3.0 and WebGL 2 draw the same images as OpenGL, with these differences:
//
// - MD5GL_PATH_COMPUTE is not available. It needs OpenGL 4.3.
// - The edges of MD5GL_WIREFRAME are drawn as lines. The lines of back faces are drawn too.
// - In a multisampled framebuffer, the edges of parts that alpha cuts out are soft only if the
//   frame clears the framebuffer to alpha 1.
//
// Use in an engine: md5gl draws into any framebuffer of the host: see md5gl_frame.framebuffer and
// md5gl_frame.keep_contents. If the engine expects that its GL state is unchanged, it calls
// md5gl_save_state() before the functions of this file and md5gl_restore_state() after them. The
// two functions save and restore the state in the following list. In OpenGL ES they skip state that
// does not exist there.
//
// Without these two functions, md5gl leaves the state in this list at GL's defaults:
//
// - Bindings, all to 0: program, vertex array, framebuffers, renderbuffer. The buffers: array,
//   texture, uniform, transform feedback, pixel pack, pixel unpack and shader storage. The indexed
//   buffers: uniform buffer 0, and transform feedback buffers and shader storage buffers 0 to 2. On
//   texture units 0 to 16: the 2D, cube, buffer and multisample textures and the sampler. The
//   active texture unit is 0.
// - Disabled: depth test, depth clamp, stencil test, scissor test, culling, blending, logic
//   operation, polygon offset for faces and lines, sRGB writes, rasterizer discard, primitive
//   restart, alpha to coverage, alpha to one, sample coverage, sample mask. Both polygon offset
//   values are 0. Multisampling is enabled.
// - Depth: writes are enabled, the function is GL_LESS, the range is 0 to 1, the clear value is 1.
// - Color and faces: color writes are enabled. Culling removes back faces; front faces are
//   counter-clockwise. The blend factors are one and zero, and the blend equation is add. Polygons
//   are filled.
// - Pixel storage: the alignment is 4, and all other values are 0.
//
// The state has these values after md5gl_create_renderer(), md5gl_end_frame() and md5gl_capture(),
// and after md5gl_pose() outside a frame. Every other function resets the state that it changes.
// Viewport, scissor box and clear color are not reset: they keep the values of the last frame.
//
// During a frame, state that is not in the list, such as clip distances and clip control, must have
// GL's defaults. The draw buffers of the host's framebuffers must also have GL's defaults, except
// in frames of md5gl_draw_outputs().
#ifndef MD5GL_H
#define MD5GL_H

#include "md5/md5skin.h"
#include "md5/md5model.h"

// Marks an exported function, like MD5_API in the other headers. On Windows, a program that uses
// md5gl as a DLL defines MD5_SHARED. MD5GL_BUILD is defined only while this DLL is compiled.
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

// A pointer to a GL function. Cast it to the type of the function before you call it.
typedef void (*md5gl_proc)(void);
// The type of a function that finds GL functions: it returns the address of the GL function `name`,
// or NULL if the context does not have the function. `user` is md5gl_opts.load_user. Window
// libraries provide such functions: SDL_GL_GetProcAddress, emscripten_webgl_get_proc_address and
// others.
typedef md5gl_proc md5gl_load_proc(void *user, const char *name);

// Options of md5gl_create_renderer(): access to GL, and memory functions. Initialize the structure
// with MD5_INIT and set `load`.
typedef struct md5gl_opts {
    md5gl_load_proc *load; // function that finds the GL functions of the context; required
    void *load_user;       // first argument of `load`
    // Functions that allocate memory. If all members are 0, malloc() and free() are used.
    md5_allocator allocator;
    uint64_t reserved[8]; // must be 0
} md5gl_opts;

// A renderer, which owns all shader programs, buffers and settings that md5gl needs on one GL
// context. The structure is opaque.
typedef struct md5gl_renderer md5gl_renderer;

// Creates a renderer on the GL context that is current in the calling thread. Shader programs are
// compiled later, when a draw uses them for the first time. Returns NULL with MD5_ERROR_GPU if the
// context is older than OpenGL 3.3 or OpenGL ES 3.0.
MD5GL_API md5gl_renderer *md5gl_create_renderer(const md5gl_opts *opts, md5_error *error);

// Destroys a renderer. Destroy all models that were created with the renderer first. `renderer` may
// be NULL.
MD5GL_API void md5gl_destroy_renderer(md5gl_renderer *renderer);

// Returns the names of the graphics device and of its GL version as a text for users, for example
// "NVIDIA ... / OpenGL 3.3 ...". The renderer owns the text.
MD5GL_API const char *md5gl_device_name(const md5gl_renderer *renderer);

// The amount of GPU memory that a renderer uses for large crowds, for example to show it in
// statistics.
typedef struct md5gl_stats {
    // Size in bytes of all clips that md5gl_create_baked() uploaded.
    size_t baked_bytes;
    // Size in bytes of all images of impostors (see md5gl_game.h).
    size_t impostor_bytes;
    // Number of images of impostors that fit into this memory. Each frame of an impostor set needs
    // one image per direction, and one image from below for contact shadows.
    uint32_t num_impostor_images;
    uint64_t reserved[4]; // always 0
} md5gl_stats;

// Returns the amount of GPU memory that the renderer currently uses for large crowds.
MD5GL_API md5gl_stats md5gl_get_stats(const md5gl_renderer *renderer);

// These functions save and restore the GL state of the host: all state in the list at the top of
// this file. Call md5gl_save_state() before the functions of md5gl that you use in a frame, and
// md5gl_restore_state() after them. The calls must be in pairs, must not be nested, and must be
// outside a frame of md5gl.
//
// Each of the two functions makes some hundred GL calls. Saving also waits for drivers that run in
// a separate thread. So call the pair once per frame of the engine, not once per model.
MD5GL_API void md5gl_save_state(md5gl_renderer *renderer);
MD5GL_API void md5gl_restore_state(md5gl_renderer *renderer);

// -- Textures -------------------------------------------------------------------------------

// The GL name of a texture, as glGenTextures() returns it. 0 means that there is no texture; the
// renderer then uses white, unless a comment describes another behavior.
typedef uint32_t md5gl_texture;

// The content of a texture. It determines the format of the texels and their processing.
typedef enum md5gl_texture_kind {
    // Color with alpha, for materials and images: 4 bytes per texel (red, green, blue, alpha). The
    // color is sRGB-encoded and not multiplied by alpha (straight alpha).
    MD5GL_TEXTURE_COLOR,
    // A normal map in tangent space, 4 bytes per texel.
    MD5GL_TEXTURE_NORMALS,
    // Color for the stages of Doom 3's materials, 4 bytes per texel. Stages are blended with the
    // values of the file, so the color is not decoded from sRGB. See md5gl_game.h.
    MD5GL_TEXTURE_STAGE,
    // The six sides of a cube map for such stages. The texels have the format of
    // MD5GL_TEXTURE_STAGE.
    MD5GL_TEXTURE_STAGE_CUBE,
    // Coverage from 0 (transparent) to 255 (opaque), for example of the glyphs of a font: one byte
    // per texel, linear. The texture has no mipmaps.
    MD5GL_TEXTURE_MASK,
} md5gl_texture_kind;

// Selects the texel that is used for texture coordinates outside 0 to 1.
typedef enum md5gl_wrap {
    MD5GL_WRAP_REPEAT, // the texture is repeated
    MD5GL_WRAP_CLAMP,  // the texels at the border of the texture are used
    // The same as MD5GL_WRAP_CLAMP, but the texels at the border are opaque black instead of those
    // of the image.
    MD5GL_WRAP_CLAMP_BLACK,
    // The same as MD5GL_WRAP_CLAMP, but the texels at the border are transparent black instead of
    // texels of the image.
    MD5GL_WRAP_CLAMP_CLEAR,
} md5gl_wrap;

// Flags that describe how a normal map stores normals, if it differs from the encoding of id's
// games. The value 0 is the encoding of id's games, in which the bytes 0 to 255 mean -1 to 1:
//   red:   component of the normal along increasing u, to the right in the image
//   green: component of the normal along increasing v, downward in the image
//   blue:  component of the normal that points away from the surface
typedef enum md5gl_normals {
    // Green is the component of the normal upward in the image, as in the files of most tools.
    MD5GL_NORMALS_GREEN_UP = 1,
    // The red component is stored in alpha, as in the compressed normal maps of id's games.
    MD5GL_NORMALS_RXGB = 2,
    // The image is a height map, from which normals are computed. The height of a texel is its gray
    // level (red + green + blue) / 3. A difference of 64 gray levels is as high as a texel is wide.
    // The image repeats at its edges. This flag cannot be combined with other flags.
    MD5GL_NORMALS_HEIGHTS = 4,
} md5gl_normals;

// Description of a texture for md5gl_create_texture(). Initialize the structure with MD5_INIT.
typedef struct md5gl_texture_desc {
    md5gl_texture_kind kind; // content of the texture
    uint32_t width, height;  // size in texels
    // The texels, line by line from the top of the image: [4 * width * height] bytes, or [width *
    // height] bytes for MD5GL_TEXTURE_MASK. MD5GL_TEXTURE_STAGE_CUBE uses `faces` instead.
    const uint8_t *texels;
    // The texels of the six sides of a cube map, in OpenGL's order +x, -x, +y, -y, +z, -z. Only
    // MD5GL_TEXTURE_STAGE_CUBE uses them. The lines of each side have OpenGL's order too.
    const uint8_t *faces[6];
    // Treatment of texture coordinates outside 0 to 1. Cube maps and masks are always clamped.
    md5gl_wrap wrap;
    // If true, texels are shown as sharp squares, because the texture is not filtered and has no
    // mipmaps.
    bool is_nearest;
    // Encoding of the normals, as a combination of md5gl_normals flags. Only MD5GL_TEXTURE_NORMALS
    // uses it.
    uint32_t normals;
    // A height map whose slopes are added to the normals. Its texels have the meaning of
    // MD5GL_NORMALS_HEIGHTS. It may have any size. If NULL, there is no height map. Only
    // MD5GL_TEXTURE_NORMALS uses it.
    const struct md5gl_texture_desc *heights;
    uint64_t reserved[3]; // must be 0
} md5gl_texture_desc;

// Detects the encoding of a normal map from its texels, for files whose encoding is unknown.
// Returns a combination of md5gl_normals flags for md5gl_texture_desc.normals:
//
// - MD5GL_NORMALS_RXGB if red is constant and alpha is not constant.
// - MD5GL_NORMALS_GREEN_UP if the normals fit a surface only when green points up. The test uses a
//   property of every surface: the slope along u changes along v by the same amount as the slope
//   along v changes along u.
// - 0, id's encoding, in all other cases, so also for flat maps and for noise.
//
// The time is linear in the number of texels. The test for MD5GL_NORMALS_GREEN_UP reads at most 256
// lines of the image.
MD5GL_API uint32_t md5gl_guess_normals(const md5gl_texture_desc *desc);

// Returns true if more than 1 % of the texels have an alpha below 0.5. Such a texture has holes,
// for example between leaves or hairs, at which the surface is not drawn (see
// md5gl_material.alpha_test). The back of such a surface is visible through the holes, so its
// material should usually be two_sided.
MD5GL_API bool md5gl_has_transparent_texels(const md5gl_texture_desc *desc);

// Creates a GL texture with its mipmaps. The mipmaps are computed on the CPU, so that they are
// equal with every driver. `desc` and its texels are not used after the call. Returns 0 with
// MD5_ERROR_GPU if the device does not support the size, or with MD5_ERROR_MEMORY.
//
// If no texel of a MD5GL_TEXTURE_COLOR is transparent, the function sets GL_TEXTURE_SWIZZLE_A to
// GL_ONE. This marks the texture as opaque, so that shadows of the mesh are drawn faster. WebGL
// does not have this setting; every texture counts as transparent there.
MD5GL_API md5gl_texture md5gl_create_texture(md5gl_renderer *renderer,
                                             const md5gl_texture_desc *desc, md5_error *error);

// Returns a texture with a gray checkerboard, for surfaces whose texture is missing. The renderer
// owns the texture.
MD5GL_API md5gl_texture md5gl_checker_texture(const md5gl_renderer *renderer);

// Destroys a texture of md5gl_create_texture(). `texture` may be 0.
MD5GL_API void md5gl_destroy_texture(md5gl_renderer *renderer, md5gl_texture texture);

// -- Models ---------------------------------------------------------------------------------

// Selects how the vertices of a mesh are skinned (moved by the joints). The paths through the GPU
// differ in speed, in memory, and in the number of influences that they support. An influence is
// the effect of one joint on a vertex. Use MD5GL_PATH_AUTO unless you compare the paths.
//
// The paths 4, 8 and EXACT skin in the vertex shader, again in every pass that draws the mesh, for
// example once for shadows and once for the image. They read the palettes from a texture buffer, or
// from a float texture in OpenGL ES. The paths CPU and COMPUTE skin once, and all passes use the
// result.
typedef enum md5gl_path {
    // Selects a path for each mesh: the first of 4, 8 and EXACT that has no measurable error, or
    // CPU if the data does not fit into a texture buffer or texture.
    MD5GL_PATH_AUTO,
    // Vertex shader with at most 4 influences per vertex, which are vertex attributes.
    MD5GL_PATH_4,
    // Vertex shader with at most 8 influences per vertex, which are vertex attributes.
    MD5GL_PATH_8,
    // Vertex shader with a loop over the influences in a buffer: any number of weights per vertex,
    // with any sum.
    MD5GL_PATH_EXACT,
    // md5_skin() on the CPU, which writes into a vertex buffer whenever md5gl_pose() is called.
    MD5GL_PATH_CPU,
    // Compute shader with a loop over the influences in a buffer. It needs OpenGL 4.3, and is not
    // available in OpenGL ES.
    MD5GL_PATH_COMPUTE,
} md5gl_path;

// Returns true if the GL context of the renderer supports `path`.
MD5GL_API bool md5gl_has_path(const md5gl_renderer *renderer, md5gl_path path);

// A model in GPU memory, with its materials and its current instances. The structure is opaque.
typedef struct md5gl_model md5gl_model;

// Uploads a model to the GPU, so that md5gl_pose() and md5gl_draw_model() can draw it. A `path`
// other than MD5GL_PATH_AUTO applies to all meshes of the model. Meshes without tangents are drawn
// without normal maps.
//
// `model` must exist as long as the result. Its vertex arrays may be freed with
// md5_release_geometry() after the upload, unless a mesh uses MD5GL_PATH_CPU.
//
// Returns NULL with
// - MD5_ERROR_MISMATCH if the geometry of `model` was released before,
// - MD5_ERROR_GPU if the device reports an error or does not support `path`,
// - MD5_ERROR_MEMORY.
MD5GL_API md5gl_model *md5gl_create_model(md5gl_renderer *renderer, const md5_model *model,
                                          md5gl_path path, md5_error *error);

// Destroys a model that md5gl_create_model() created. Its textures are not destroyed. `model` may
// be NULL.
MD5GL_API void md5gl_destroy_model(md5gl_renderer *renderer, md5gl_model *model);

// Returns the skinning path (how the vertices of a mesh are computed) that was selected for a mesh,
// for example to find out why a model is slow. The result is never MD5GL_PATH_AUTO. If `reason` is
// not NULL, the function stores a short text in *reason that explains the choice.
MD5GL_API md5gl_path md5gl_mesh_path(const md5gl_model *model, uint32_t mesh, const char **reason);

// Returns the name of a path as a text for users: "4", "8", "exact", "cpu" or "compute".
MD5GL_API const char *md5gl_path_name(md5gl_path path);

// Selects how the transforms of the joints that move a vertex are combined. All paths (md5gl_path)
// support both methods.
typedef enum md5gl_blending {
    // Linear blend skinning, the method of md5_skin(): the weighted mean of the positions that the
    // joints give to the vertex.
    MD5GL_BLEND_LINEAR,
    // Dual quaternion skinning, the method of md5_skin_job.duals. It preserves the volume of
    // twisted limbs. It transforms the position of the vertex in the bind pose. The result is
    // therefore not exact if the weights of a vertex define different positions.
    MD5GL_BLEND_DUAL,
} md5gl_blending;

// Sets the blending method of a model, for example to preserve the volume of twisted limbs. The
// method is MD5GL_BLEND_LINEAR if the function is not called. Call it outside a frame, before
// md5gl_pose(). The shaders of MD5GL_BLEND_DUAL are compiled on their first use. Returns false with
// MD5_ERROR_GPU and changes nothing if a shader does not compile.
MD5GL_API bool md5gl_set_blending(md5gl_renderer *renderer, md5gl_model *model,
                                  md5gl_blending blending, md5_error *error);

// The morph targets of one model in GPU memory, for example the expressions of a face. The
// structure is opaque. md5skin.h explains morph targets. Morph targets work with every version of
// OpenGL that the renderer supports, and with every skinning path (md5gl_path).
typedef struct md5gl_morph md5gl_morph;

// Uploads morph targets, so that md5gl_instances.morph can use them. `source` must exist as long as
// the result. GPU memory: 48 bytes per target for each vertex that the target changes, and 4 bytes
// for each vertex of the model. Returns NULL with MD5_ERROR_GPU if this data does not fit into a
// texture buffer or texture, or with MD5_ERROR_MEMORY.
MD5GL_API md5gl_morph *md5gl_create_morph(md5gl_renderer *renderer, const md5_morph *source,
                                          md5_error *error);

// Destroys morph targets that md5gl_create_morph() created. `morph` may be NULL.
MD5GL_API void md5gl_destroy_morph(md5gl_renderer *renderer, md5gl_morph *morph);

// The material of a mesh: its textures and colors, and the texels that are not drawn. Initialize
// the structure with MD5_INIT: the mesh is then white and matt. The caller owns the textures. They
// must exist as long as the material is used for drawing.
//
// Files of version 12 can contain vertex colors. The vertex colors are multiplied with the diffuse
// texture.
typedef struct md5gl_material {
    md5gl_texture diffuse; // texture of the base color and alpha; 0 means white
    // Normal map, a texture of kind MD5GL_TEXTURE_NORMALS. If 0, the normals of the vertices are
    // used.
    md5gl_texture normals;
    // Texture with the color of the highlights. Brighter texels also make the highlights sharper.
    // The value 0 means a matt surface without highlights.
    md5gl_texture specular;
    // Texture with the light that the surface emits, which is added to the light that it reflects.
    // If 0, the surface emits no light.
    md5gl_texture glow;
    // If true, the alpha of `specular` marks thin parts such as ears. At alpha 1 no light shines
    // through the part. At alpha 0.5 half of the light from behind shines through.
    bool has_thin_parts;
    // Size of the highlights, above 0 up to 1: small values give wide, weak highlights, and 1 gives
    // small, sharp highlights. The value 0 means 0.45.
    float gloss;
    // Texels of `diffuse` whose alpha is not greater than this value are not drawn, so that the
    // surface has holes there. In a multisampled frame the edges of the holes are soft. The value 0
    // means 0.5.
    float alpha_test;
    // If true, back faces are drawn too, and are lit from the side that they face.
    bool two_sided;
    // If true, md5gl_draw_stages() (md5gl_game.h) draws the mesh instead of md5gl_draw_model(),
    // which then draws only the edges of MD5GL_WIREFRAME. md5gl_draw_outputs() and the images of
    // impostors omit the mesh.
    bool is_staged;
    // If true, the mesh casts no shadow, because md5gl_draw_shadows() does not draw it.
    bool no_shadow;
    // If true, the surface has no holes, regardless of the alpha of `diffuse` and of `alpha_test`.
    bool is_opaque;
    // If true, the vertex colors of the mesh are not used.
    bool no_vertex_color;
    // If true, the red, green and blue of the vertex colors are replaced by 1 minus their values.
    bool inverse_vertex_color;
    // Colors by which the textures `diffuse` and `specular` are multiplied. The components are 0 to
    // 1, as files contain them, and are not decoded from sRGB. 0, 0, 0 means white. For black, set
    // one of the components to MD5_EXPLICIT_ZERO.
    md5_vec3 diffuse_color, specular_color;
    uint64_t reserved[4]; // must be 0
} md5gl_material;

// Sets the material of a mesh in a skin. A skin is a set of materials for all meshes; models have
// one skin, with index 0, unless md5gl_set_num_skins() adds skins. Instances use skin 0 by default.
// `skin` must be less than the number of skins. `material` is copied.
//
// All following draws use the material, also in the same frame. Until the next call of
// md5gl_pose(), shadow maps test the alpha of the new material even if it is opaque; this takes
// more time, but the image is the same.
MD5GL_API void md5gl_set_material(md5gl_renderer *renderer, md5gl_model *model, uint32_t skin,
                                  uint32_t mesh, const md5gl_material *material);

// Sets the number of skins of a model, so that its instances can have different materials. A skin
// is a complete set of materials, one per mesh, and each instance uses one skin. A model has one
// skin at first. Each new skin is a copy of skin 0; change it with md5gl_set_material().
//
// The current instances lose their tints and skins; the next call of md5gl_pose() sets them again.
// Returns false with MD5_ERROR_MEMORY or MD5_ERROR_RANGE, and then changes nothing.
MD5GL_API bool md5gl_set_num_skins(md5gl_renderer *renderer, md5gl_model *model, uint32_t num_skins,
                                   md5_error *error);

// Shows or hides one mesh of a model, in all its instances. Meshes are visible by default. A hidden
// mesh also casts no shadow.
MD5GL_API void md5gl_set_visible(md5gl_model *model, uint32_t mesh, bool visible);

// -- Frames ---------------------------------------------------------------------------------

// An off-screen framebuffer that the renderer owns, for images that are not drawn into the window.
// The structure is opaque.
typedef struct md5gl_target md5gl_target;

// Creates an off-screen framebuffer with color and depth, of `width` x `height` pixels. If
// `samples` is above 1, the framebuffer is multisampled with that many samples per pixel, or with
// the maximum of the device if that is less. Returns NULL with MD5_ERROR_GPU if the device does not
// support the size, or with MD5_ERROR_MEMORY.
MD5GL_API md5gl_target *md5gl_create_target(md5gl_renderer *renderer, uint32_t width,
                                            uint32_t height, uint32_t samples, md5_error *error);

// Creates an off-screen framebuffer for md5gl_draw_outputs(), with one sample per pixel. It
// contains depth, normals, motion vectors and ids instead of color; md5gl_get_target_names()
// returns their textures. md5gl_begin_frame() clears them to 0, and md5gl_frame.background is not
// used. Returns NULL for the same reasons as md5gl_create_target(). In OpenGL ES and WebGL it also
// returns NULL if the context has neither EXT_color_buffer_float nor EXT_color_buffer_half_float.
MD5GL_API md5gl_target *md5gl_create_outputs(md5gl_renderer *renderer, uint32_t width,
                                             uint32_t height, md5_error *error);

// Destroys a target that md5gl_create_target() or md5gl_create_outputs() created. `target` may be
// NULL.
MD5GL_API void md5gl_destroy_target(md5gl_renderer *renderer, md5gl_target *target);

// GL names of the framebuffer and the textures of a target, for use in the host's own GL code. The
// target owns these objects: do not resize or detach them. The host may draw into the framebuffer
// outside a frame, and may read the textures after md5gl_end_frame().
typedef struct md5gl_target_names {
    // GL name of the framebuffer into which frames are drawn. It is multisampled if the target has
    // several samples per pixel.
    uint32_t framebuffer;
    // Texture with the image: GL_RGBA8, sRGB-encoded, premultiplied by alpha, bottom line first.
    // The value is 0 in a target of md5gl_create_outputs().
    md5gl_texture color;
    // Depth texture, GL_DEPTH_COMPONENT24. The value is 0 if the target is multisampled.
    md5gl_texture depth;
    // Textures of a target that md5gl_create_outputs() created; md5gl_draw_outputs() explains them.
    // They are 0 in other targets.
    md5gl_texture normals; // normals of surfaces, GL_RGB10_A2
    md5gl_texture motion;  // motion vectors, GL_RG16F
    md5gl_texture ids;     // ids of instances, and indices of meshes, GL_RG32UI
    uint64_t reserved[2];  // always 0
} md5gl_target_names;

// Returns the GL names of a target, for example to use its image as a texture.
MD5GL_API md5gl_target_names md5gl_get_target_names(const md5gl_target *target);

// Copies the image of a target's last frame into a framebuffer of the host, for example to show it
// in a window. `framebuffer` is a GL name, where 0 is the default framebuffer, and must have one
// sample per pixel. The image fills `width` x `height` pixels from the lower left corner. It is
// scaled with linear filtering if this size differs from the size of the target. Call the function
// outside a frame. Returns false with MD5_ERROR_GPU if GL reports an error.
MD5GL_API bool md5gl_copy_target(md5gl_renderer *renderer, const md5gl_target *target,
                                 uint32_t framebuffer, uint32_t width, uint32_t height,
                                 md5_error *error);

// Copies the image of a target like md5gl_copy_target(), but in the size of the target, and smooths
// jagged edges in the copy with a filter. Use it for targets with one sample per pixel, on devices
// on which multisampling is too slow. The filter also blurs text in the image, so draw text into
// `framebuffer` after this call.
MD5GL_API bool md5gl_smooth_target(md5gl_renderer *renderer, const md5gl_target *target,
                                   uint32_t framebuffer, md5_error *error);

// Selects how light is computed in a frame.
typedef enum md5gl_lighting {
    // Physically based lighting, computed in linear color.
    MD5GL_LIGHTING_STUDIO,
    // The lighting of id's engine of 2004: light is added to the colors of the files, without sRGB
    // decoding and encoding. Highlights are small and sharp.
    MD5GL_LIGHTING_CLASSIC,
    MD5GL_NUM_LIGHTINGS // number of values above
} md5gl_lighting;

// Largest number of point lights, and largest number of shadow maps for spot lights, in a frame.
enum { MD5GL_MAX_POINT_LIGHTS = 8, MD5GL_MAX_SPOT_SHADOWS = 4 };

// A light at a position: a point light, which shines in all directions, or a spot light, which
// shines into a cone. Initialize the structure with MD5_INIT.
typedef struct md5gl_point_light {
    md5_vec3 position; // position of the light in world space
    // Distance from the light, in units, at which the light ends. A light with range 0 is not used.
    float range;
    // Linear color of the light at a short distance. It decreases with the square of the distance.
    float color[3];
    // Full angle of a spot light's cone, in degrees. If 0, the light is a point light.
    float cone;
    // Direction in which a spot light shines, a vector of any length. 0, 0, 0 means down.
    md5_vec3 direction;
    // Width of the soft edge of a spot light, as a fraction of the cone's angle. The light
    // decreases to 0 within the edge. The value 0 means 0.2. For a hard edge set MD5_EXPLICIT_ZERO.
    float cone_edge;
    // If true, the spot light casts shadows of all objects in the shadow maps. The cone may be up
    // to 150 degrees. Only the first MD5GL_MAX_SPOT_SHADOWS such lights cast shadows. Point lights
    // cannot cast shadows.
    bool casts_shadow;
    uint64_t reserved[2]; // must be 0
} md5gl_point_light;

// An image that lights a scene from all directions: see "Environments" below. The structure is
// opaque.
typedef struct md5gl_environment md5gl_environment;

// Settings of a frame: where it is drawn, the camera, the lights and the shadows. Initialize the
// structure with MD5_INIT. The key light is the main light of the frame, such as the sun: it shines
// in one direction and casts shadows.
typedef struct md5gl_frame {
    // Off-screen target into which the frame is drawn. If NULL, it is drawn into `framebuffer`.
    md5gl_target *target;
    // GL name of a framebuffer of the host; 0 means the default framebuffer. The framebuffer must
    // have a depth attachment, and a color attachment 0 without sRGB encoding. It may have any
    // number of samples per pixel.
    uint32_t framebuffer;
    uint32_t x, y;          // lower left corner of the viewport, in pixels
    uint32_t width, height; // size of the viewport, in pixels
    // If true, the frame is drawn over the image in the framebuffer and tested against its depth.
    // If false, the viewport is first cleared to `background`, and its depth is cleared.
    bool keep_contents;
    // sRGB color and alpha to which the viewport is cleared, 0 to 1. Alpha 0 gives an image with a
    // transparent background.
    float background[4];
    // Camera: the matrix that moves points from world space to view space.
    md5_mat44 view_from_world;
    // Projection: the matrix from view space to GL's clip space, in which z is -w at the nearest
    // depth and w at the farthest. The matrix may mirror the image.
    md5_mat44 clip_from_view;

    md5gl_lighting lighting; // method by which light is computed
    // If true, bright colors approach white smoothly. If false, color components above 1 are cut
    // off. Only MD5GL_LIGHTING_STUDIO uses it.
    bool tone_mapped;
    // Direction from the scene to the key light (the main light), in world space. It may have any
    // length.
    md5_vec3 light_direction;
    // Linear colors of the key light (`light`) and of the light of the sky, which shines from all
    // directions (`ambient`).
    float light[3], ambient[3];
    // [num_point_lights] Point lights and spot lights. The array is not used after the call.
    const md5gl_point_light *point_lights;
    // Number of point lights. Lights after the first MD5GL_MAX_POINT_LIGHTS are ignored.
    uint32_t num_point_lights;

    // Bounding box, in world space, of everything that casts shadows (the casters): of all that
    // md5gl_draw_shadows() and md5gl_draw_casters() draw. The key light's shadow map covers this
    // box. The best box does not depend on the current pose, because the edges of shadows move when
    // the box changes.
    //
    // If all members are 0, the renderer uses the bounds of all models of the renderer, including
    // baked clips, as they are posed when the frame begins. Set the bounds yourself in these cases:
    // - The host's geometry, impostors, morph targets or deformed meshes extend beyond the models.
    // - Some posed models are not drawn in this frame. Bounds that contain them are too large, and
    //   the shadows become coarse.
    //
    // md5gl_pose() computes the bounds of its model only if the last frame used automatic bounds.
    // If a frame sets its own bounds or has `no_shadows`, and a later frame uses automatic bounds,
    // the bounds in that frame are outdated. They are correct again after the next call of
    // md5gl_pose().
    md5_bounds casters;
    // If true, there are no shadows of the key light and no contact shadows. Shadows of spot lights
    // remain. An empty box in `casters` (min above max) has the same effect.
    bool no_shadows;
    // Height of the ground in units. The ground is darkened below objects that are close to it
    // (contact shadows).
    float ground;
    // Softness of shadows: the width of a shadow's edge, divided by the distance between the shadow
    // and the object that casts it. The value 0 means hard edges.
    float softness;
    // Size of the key light's shadow map, in texels per side. The value 0 means 768. The limit is
    // the texture size of the context. The map is created again if the size changes.
    uint32_t shadow_texels;
    // Size of the shadow map of each spot light, in texels per side. The value 0 means 512. The
    // limit is half of the texture size of the context.
    uint32_t spot_texels;
    // Smallest radius around the center of `casters` that the key light's shadow map covers, in
    // units. While all casters are within this radius, the sharpness of shadows does not change
    // when some of them leave.
    float shadow_radius;
    // An image that replaces the light of the sky. Its light is multiplied by `ambient`. The
    // environment must exist until the frame ends. If NULL, the sky has the color `ambient`. Only
    // MD5GL_LIGHTING_STUDIO uses it.
    const md5gl_environment *environment;
    // Rotation of the environment around the +z axis in radians, counter-clockwise as seen from
    // above.
    float environment_angle;
    // The product clip_from_view * view_from_world of the previous frame, from which
    // md5gl_draw_outputs() computes motion vectors. All 0 means the product of this frame. If your
    // projection is jittered for temporal antialiasing, use the jitter of this frame in both
    // matrices, so that the motion vectors do not contain the jitter.
    md5_mat44 previous_clip_from_world;
    uint64_t reserved[6]; // must be 0
} md5gl_frame;

// Begins a frame: sets the GL state for drawing, and clears the viewport unless
// md5gl_frame.keep_contents is true. `frame` is not used after the call.
MD5GL_API void md5gl_begin_frame(md5gl_renderer *renderer, const md5gl_frame *frame);

// Ends the frame and completes its image: the samples of a multisampled target are combined into
// one color per pixel. Returns false with MD5_ERROR_GPU if one of these failures occurred since
// md5gl_begin_frame():
//
// - GL reported errors. The message contains the first error.
// - The context is lost.
// - The device could not create the shadow maps of the frame.
// - A shader did not compile. The message contains the first line of the compiler's log.
MD5GL_API bool md5gl_end_frame(md5gl_renderer *renderer, md5_error *error);

// Reads an image back to the CPU, for example for a screenshot. Reads the last frame of `target`.
// If `target` is NULL, reads the default framebuffer; in this case call the function before the
// buffers are swapped. Writes rgba[4 * width * height] as PNG stores pixels: top line first, sRGB,
// not multiplied by alpha.
//
// Returns false with MD5_ERROR_GPU if `width` or `height` exceeds the size of the target, if GL
// reports an error, or if the context is lost.
MD5GL_API bool md5gl_read_pixels(md5gl_renderer *renderer, md5gl_target *target, uint32_t width,
                                 uint32_t height, uint8_t *rgba, md5_error *error);

// -- Drawing, between begin and end ---------------------------------------------------------

// Selects how a draw shows models, as a combination of flags.
typedef enum md5gl_style {
    MD5GL_LIT = 1, // Surfaces are drawn with their textures and the light of the frame.
    // Together with MD5GL_LIT: surfaces are gray instead of having their diffuse texture.
    MD5GL_UNTEXTURED = 2,
    // The edges of the triangles are drawn: dark together with MD5GL_LIT, otherwise bluish gray.
    MD5GL_WIREFRAME = 4,
    MD5GL_NO_CULLING = 8, // back faces are drawn too
} md5gl_style;

// Baked clips of one model in GPU memory, an opaque structure. A baked clip stores the vertices of
// each frame instead of joints, so that distant crowds need neither palettes nor skinning: see
// md5skin.h. Baked clips work in every context and with every path, and are drawn with the
// materials and skins of a md5gl_model. Normal maps are not drawn, because baked clips do not
// contain tangents. Example:
//
//     md5gl_baked *baked = md5gl_create_baked(renderer, model, clips, count, error);
//     md5gl_instances instances = MD5_INIT; // in a frame
//     instances.count = num_far;
//     instances.baked = baked;
//     instances.jobs = jobs;
//     md5gl_pose(renderer, far, &instances, error);
//     md5gl_draw_model(renderer, far, MD5GL_LIT);
//
// A md5gl_model has only one set of instances. If near characters are skinned in the same frame,
// create a second md5gl_model of the same md5_model for them.
typedef struct md5gl_baked md5gl_baked;

// Uploads baked clips to the GPU. md5_create_baked() must have created clips[count] from `model`.
// The clips are not used after the call. `model` must exist as long as the result. GPU memory: 8
// bytes per vertex and frame; md5gl_get_stats() returns the sum. Returns NULL with
//
// - MD5_ERROR_RANGE if `count` is 0,
// - MD5_ERROR_MISMATCH if a clip and the model have different numbers of vertices,
// - MD5_ERROR_GPU if the frames of all clips do not fit into one texture buffer (OpenGL) or one
//   texture (OpenGL ES). A texture buffer stores at least 65536 vertices of frames, and 2^27 on
//   most devices. A texture stores at least 2^21.
// - MD5_ERROR_GPU if a shader does not compile,
// - MD5_ERROR_MEMORY.
MD5GL_API md5gl_baked *md5gl_create_baked(md5gl_renderer *renderer, const md5_model *model,
                                          const md5_baked *const *clips, uint32_t count,
                                          md5_error *error);

// Destroys baked clips that md5gl_create_baked() created. `baked` may be NULL.
MD5GL_API void md5gl_destroy_baked(md5gl_renderer *renderer, md5gl_baked *baked);

// The baked clip (an animation stored as vertices) that one instance plays, and the position in the
// clip.
typedef struct md5gl_clip_job {
    uint32_t clip; // index of the clip in the array that md5gl_create_baked() uploaded
    // The position in the clip: two frames and the fraction between them, from
    // md5_sample_position_at(). The member `cycle` of the position is not used.
    md5_sample_position sample;
    uint64_t reserved[4]; // must be 0
} md5gl_clip_job;

// The instances of a model for md5gl_pose(): their poses, positions and appearance. Initialize the
// structure with MD5_INIT. Arrays are not used after the call.
//
// The poses are given in one of three forms:
// - `palettes`: the instances are skinned.
// - `baked` and `jobs`: the instances play baked clips.
// - none of these: the instances keep the poses of the last call, with new tints, skins and ids.
typedef struct md5gl_instances {
    uint32_t count; // number of instances
    // [count * num_joints] The palettes of all instances. The palette of instance i begins at index
    // i * num_joints.
    const md5_mat34 *palettes;
    // Baked clips that the instances play. They must exist until the next call of md5gl_pose().
    md5gl_baked *baked;
    // [count] The baked clip that each instance plays, and the position in it.
    const md5gl_clip_job *jobs;
    // [count] Matrices that move each instance from model space to world space. Any matrix of
    // finite numbers is valid: it may also scale each axis differently, shear or mirror. Normals
    // remain perpendicular to the surface. If NULL, all instances are at the origin. Instances with
    // mirrored placements take separate draw calls.
    const md5_mat34 *placements;
    // [count] Tints: linear colors by which the diffuse texture is multiplied; NULL means white.
    // The alpha of a tint has two effects:
    // - Alpha below 1 is multiplied by the alpha of the diffuse texture before the alpha test
    //   (md5gl_material.alpha_test). It does not make surfaces translucent.
    // - Alpha 1 + s hides the fraction s of the pixels, in a fixed pattern. The shadow remains
    //   complete. See "Crossfade" in md5gl_game.h.
    const md5_vec4 *tints;
    // [count] Index of the skin (set of materials) of each instance. If NULL, all instances use
    // skin 0.
    const uint32_t *skins;
    // Morph targets of the model, which must exist until the next call of md5gl_pose(). They have
    // an effect only together with `palettes`. NULL means no morph targets.
    const md5gl_morph *morph;
    // [count * number of targets] Weights of the morph targets of each instance, finite numbers.
    const float *weights;
    // [count] Id of each instance, which md5gl_draw_outputs() writes. NULL means 1 + the index of
    // the instance.
    const uint32_t *ids;
    // Palettes, jobs, placements and weights of the same instances in the previous frame, in the
    // same order. md5gl_draw_outputs() computes motion vectors from them. Other members of the
    // structure are not used. NULL, or an array that is NULL, means that the values did not change.
    // With palettes of the previous frame, a buffer has space for only half as many instances.
    const struct md5gl_instances *previous;
    uint64_t reserved[4]; // must be 0
} md5gl_instances;

// Sets the instances of a model: uploads their poses and other data. All following draws of the
// model use them, until the next call. A model has no instances before the first call. The paths
// MD5GL_PATH_CPU and MD5GL_PATH_COMPUTE skin in this call.
//
// If `instances` contains neither palettes nor jobs, `count` must be equal to `count` of the last
// call. Poses, placements and weights of the last call remain, and ids, tints and skins are
// replaced. A model without joints never needs palettes.
//
// Consecutive instances with the same skin are drawn together, so sort the instances of a crowd by
// skin.
//
// Accuracy: draws, shadows and md5gl_capture() use the vertices that md5_skin() computes. With
// morph targets, the vertices differ from md5_skin() by at most 1e-5 of the size of the model.
// Baked clips differ from md5_skin_baked() by at most 1e-6 of the size of the clip.
//
// Shaders are compiled on their first use. In case of an error the function returns false and
// removes all instances. The errors are:
//
// - MD5_ERROR_GPU: one palette, or all weights, do not fit into a texture buffer or texture. The
//   message contains the limit.
// - MD5_ERROR_GPU: a shader does not compile.
// - MD5_ERROR_RANGE: a skin does not exist, or the clip or the frame of a job does not exist.
// - MD5_ERROR_MISMATCH: the baked clips or the morph targets belong to another model.
// - MD5_ERROR_MEMORY.
MD5GL_API bool md5gl_pose(md5gl_renderer *renderer, md5gl_model *model,
                          const md5gl_instances *instances, md5_error *error);

// Draws all instances of a model into the shadow maps of the frame, so that they cast shadows. Call
// it for all models before you draw anything that receives shadows. Has no effect in a frame
// without shadows.
MD5GL_API void md5gl_draw_shadows(md5gl_renderer *renderer, const md5gl_model *model);

// Returns the distance, in units, by which soft shadows can extend beyond hard shadows. Use it if
// you omit objects whose shadows are outside the view: enlarge the bounding box of each object by
// this distance before the test. Returns 0 if `frame` has no shadows or no bounds.
MD5GL_API float md5gl_shadow_reach(const md5gl_frame *frame);

// Draws all instances of a model, with all its visible meshes. `style` is a combination of
// md5gl_style flags.
//
// The number of GL draw calls is one per mesh for each sequence of instances with the same skin. It
// is larger if the palettes do not fit into one buffer. With MD5GL_PATH_CPU and MD5GL_PATH_COMPUTE
// it is one per mesh and instance.
MD5GL_API void md5gl_draw_model(md5gl_renderer *renderer, const md5gl_model *model, uint32_t style);

// Draws data about the visible surfaces instead of an image: ids for picking, depth, normals and
// motion vectors. Engines use this data for temporal antialiasing, ambient occlusion and similar
// effects. The covered pixels and their depths are the same as for md5gl_draw_model() with
// MD5GL_LIT, in a frame with one sample per pixel.
//
// The function draws into a target of md5gl_create_outputs(), or into a framebuffer of the host.
// The host's framebuffer must have these draw buffers in this order, with GL_NONE for each output
// that is not needed:
//
// 1. vec4, normal: xyz is (n + 1) / 2, and w is 1. n is the unit normal in world space that
//    lighting uses; it includes the normal map.
// 2. vec2, motion: the position on the screen minus the position in the previous frame. The unit is
//    the size of the viewport; x is to the right and y is up. So `uv - motion` is the position in
//    the previous image. Each component is limited to -2 to 2. The value is (2, 2) if the point was
//    behind the camera in the previous frame. The previous frame is described by
//    md5gl_instances.previous and md5gl_frame.previous_clip_from_world.
// 3. uvec2, ids: x is the id of the instance from md5gl_instances.ids, or 0 if there is no
//    instance. y is the index of the mesh.
//
// The host must clear its framebuffer itself and set md5gl_frame.keep_contents, because glClear()
// is not defined for integers. Impostors are not drawn. The number of draw calls is the same as for
// md5gl_draw_model(). Shaders are compiled on their first use. Returns false with MD5_ERROR_GPU if
// a shader does not compile.
MD5GL_API bool md5gl_draw_outputs(md5gl_renderer *renderer, const md5gl_model *model,
                                  md5_error *error);

// Returns the id of the instance at a pixel, for example under the mouse. `target` was created by
// md5gl_create_outputs(). The id is read from its last frame. `x` and `y` are pixels from the top
// left corner. If `mesh` is not NULL, the function stores the index of the mesh in *mesh.
//
// Returns 0 and stores MD5_NONE in *mesh if there is no instance at the pixel, or if the pixel is
// outside the target. The function returns the same values, with MD5_ERROR_GPU, if GL reports an
// error or the context is lost. Call the function outside a frame. It waits until the GPU has drawn
// the frame.
MD5GL_API uint32_t md5gl_pick(md5gl_renderer *renderer, md5gl_target *target, uint32_t x,
                              uint32_t y, uint32_t *mesh, md5_error *error);

// Draws shadows onto an invisible ground, so that characters seem to stand on the background. The
// ground is a horizontal plane at the height md5gl_frame.ground. The function darkens the image
// where shadows fall on this plane. The effect decreases with the distance from `center` and ends
// at `radius` units.
MD5GL_API void md5gl_draw_ground(md5gl_renderer *renderer, md5_vec3 center, float radius);

// A simple shadow for crowds and slow devices: a soft, dark disc on the ground, which needs no
// shadow map. Initialize the structure with MD5_INIT.
typedef struct md5gl_blob_shadow {
    md5_vec3 position; // center of the disc in world space
    // Radius of the disc in units. If it is not above 0, the shadow is not drawn.
    float radius;
    // Normal of the ground at the disc, a vector of any length. 0, 0, 0 means up.
    md5_vec3 normal;
    // Fraction of the light that the shadow removes in its center, up to 1. The shadow becomes
    // weaker toward its edge. The value 0 means 0.5.
    float darkness;
    uint64_t reserved[2]; // must be 0
} md5gl_blob_shadow;

// Draws the simple shadows blobs[count] over the image. Because the ground is not exactly flat, a
// shadow also darkens geometry in front of its disc, up to a distance of 0.15 times its radius.
MD5GL_API void md5gl_draw_blob_shadows(md5gl_renderer *renderer, const md5gl_blob_shadow *blobs,
                                       uint32_t count);

// One of the two end points of a line that md5gl_draw_lines() draws.
typedef struct md5gl_line_vertex {
    md5_vec3 position; // position of the end point in world space
    uint8_t rgba[4];   // sRGB color and alpha; the color is not multiplied by alpha
} md5gl_line_vertex;

// Draws lines, for example of a skeleton. vertices[count] contains the two end points of each line.
// The lines are `width_pixels` wide and have round ends. If `on_top` is true, the lines are not
// tested against the depth, so that they are visible through the model.
MD5GL_API void md5gl_draw_lines(md5gl_renderer *renderer, const md5gl_line_vertex *vertices,
                                uint32_t count, float width_pixels, bool on_top);

// Draws a horizontal grid at the height `z`, with square cells of `cell` units per side. Every
// tenth line is stronger, and the x and y axes are colored. The grid becomes fainter with the
// distance from `center` and ends at `radius` units. If `cell` is 0, nothing is drawn.
MD5GL_API void md5gl_draw_grid(md5gl_renderer *renderer, float z, float cell, md5_vec3 center,
                               float radius);

// Draws a horizontal floor in a warm color at the height `z`. `center` and `radius` limit the floor
// as they limit the grid of md5gl_draw_grid(). The point lights of the frame from index
// `first_light` on light the floor, without shadows. If UINT32_MAX, no point light lights the
// floor.
MD5GL_API void md5gl_draw_floor(md5gl_renderer *renderer, float z, md5_vec3 center, float radius,
                                uint32_t first_light);

// A vertex of a panel. A panel consists of triangles that md5gl_draw_panel() draws in the plane of
// the screen.
typedef struct md5gl_panel_vertex {
    // Position (x, y) in pixels from the top left corner of the viewport, and texture coordinates
    // (u, v) from 0 to 1.
    float x, y, u, v;
    uint8_t rgba[4]; // sRGB color and alpha; the color is not multiplied by alpha
} md5gl_panel_vertex;

// Blends flat triangles over the image, for example text and other parts of a user interface. Each
// three of vertices[count] are one triangle. `kind` is the kind with which `texture` was created;
// if `texture` is 0, it is replaced by white. The color of the vertices is multiplied by the
// texture:
//
// - MD5GL_TEXTURE_MASK: by the coverage.
// - MD5GL_TEXTURE_STAGE_CUBE: not supported.
// - Other kinds: by the colors of the texels as they are in the file. Lighting and the alpha of the
//   texels have no effect.
MD5GL_API void md5gl_draw_panel(md5gl_renderer *renderer, md5gl_texture texture,
                                md5gl_texture_kind kind, const md5gl_panel_vertex *vertices,
                                uint32_t count);

// -- Worlds ---------------------------------------------------------------------------------
//
// A game draws its world, such as terrain and buildings, with its own shaders. The functions of
// this section give the world the light and the shadows of the frame, and let the world cast
// shadows:
//
//   md5gl_shadow_glsl()           once: returns source code for the fragment shaders of the host
//   md5gl_begin_frame()
//     md5gl_draw_casters()        draws geometry of the host into the shadow maps
//     md5gl_use_shadows()         before the host draws, for each of its programs
//     md5gl_resume_frame()        after the host has drawn, before md5gl draws again
//   md5gl_end_frame()

// Returns GLSL source code that computes the light and shadows of a frame in fragment shaders of
// the host. Insert the code after the line "#version 330 core", or in OpenGL ES after "#version 300
// es".
//
// The code contains functions, one uniform block and four samplers; all their names begin with
// md5gl_. In OpenGL ES it also sets the default precisions. Compilers number the lines of your code
// after it from 1. `lighting` must be the lighting method of all frames in which the shader draws.
//
// These parameters of the GLSL functions have the same meaning in all of them:
//
//   position   the point on the surface, world space
//   normal     unit normal of the surface on the side that faces the eye, world space
//   color      linear color of the surface
//   gloss      size of highlights, 0 to 1: see md5gl_material.gloss
//
// The GLSL functions are:
//
//   vec3 md5gl_shade(vec3 position, vec3 normal, vec3 color, float gloss)
//       sRGB color of a lit surface, the same as for a model without textures. It contains all
//       lights, the sky, shadows and tone mapping.
//   vec3 md5gl_light_surface(md5gl_plain(position, normal, color, gloss),
//                            md5gl_direction_to_eye(position))
//       the same color, but linear and without tone mapping. Not with MD5GL_LIGHTING_CLASSIC.
//   float md5gl_sunlight(vec3 position, vec3 normal)
//       fraction of the key light that shadows do not block
//   float md5gl_spotlight(int light_index, vec3 position, vec3 normal)
//       fraction of a point light's light that shadows do not block. `light_index` is the index of
//       the light, counting only lights with a range above 0.
//   float md5gl_contact_shade(vec3 position)
//       fraction of the sky that casters close above the point block. The point must be near the
//       height of the frame's ground. md5gl_draw_ground() darkens by 0.7 times this fraction.
//   vec3 md5gl_tone_map(vec3 linear)
//       the tone mapping of the renderer, applied to a linear color
//   vec3 md5gl_srgb_from_linear(vec3 linear)
//       the sRGB encoding of a linear color
//
// The renderer owns the text. Returns NULL with MD5_ERROR_MEMORY.
MD5GL_API const char *md5gl_shadow_glsl(md5gl_renderer *renderer, md5gl_lighting lighting,
                                        md5_error *error);

// Number of consecutive texture units that md5gl_use_shadows() uses.
enum { MD5GL_NUM_SHADOW_UNITS = 4 };

// Connects a program of the host with the lights and shadow maps of the current frame. Call it
// within a frame before you draw with `program`, a linked GL program that contains the code of
// md5gl_shadow_glsl(). The function
//
// - binds the uniform block of the frame to the uniform buffer index `binding`,
// - binds 2D textures and samplers to MD5GL_NUM_SHADOW_UNITS texture units from `first_unit` on,
// - sets the uniforms of `program` to these units and this index.
//
// md5gl removes the samplers of units 0 to 16 later. The host must remove samplers of higher units.
MD5GL_API void md5gl_use_shadows(md5gl_renderer *renderer, uint32_t program, uint32_t first_unit,
                                 uint32_t binding);

// Sets all GL state for drawing again. Call it within a frame, after the host's own GL calls and
// before the next drawing function of md5gl.
MD5GL_API void md5gl_resume_frame(md5gl_renderer *renderer);

// The kind of shadows for which a shadow map is used.
typedef enum md5gl_shadow_kind {
    MD5GL_SHADOW_KEY_LIGHT, // shadows of the key light, the main light of the frame
    // Contact shadows, which darken the ground below objects that are close to it. The map contains
    // the lowest parts of these objects, seen from below. Do not draw the ground into this map.
    MD5GL_SHADOW_CONTACT,
    MD5GL_SHADOW_SPOT_LIGHT, // shadows of one spot light
} md5gl_shadow_kind;

// A shadow map of the current frame: a square in a depth texture. md5gl_draw_casters() passes it to
// your function. You may copy the structure, to read the map in your own shaders during the frame.
typedef struct md5gl_shadow_map {
    // The shadows for which the map is used.
    md5gl_shadow_kind kind;
    // Index of the light in md5gl_frame.point_lights, for MD5GL_SHADOW_SPOT_LIGHT. For all other
    // kinds, the value is MD5_NONE.
    uint32_t light;
    // Matrix for drawing into the map: moves points from world space to clip space, in which
    // visible points have z from -w to w.
    md5_mat44 clip_from_world;
    // Matrix for reading the map: moves points from world space into the map. After division by w,
    // x and y are 0 to 1 over the width and height of the map, and z is the depth, 0 to 1.
    md5_mat44 map_from_world;
    // Depth texture that contains the map, GL_DEPTH_COMPONENT24. The renderer owns it.
    md5gl_texture depth;
    // The square of the map in the texture: its lower left corner (x, y) and its side length, in
    // texels.
    uint32_t x, y, texels;
    uint64_t reserved[4]; // always 0
} md5gl_shadow_map;

// Type of a function of the host that draws the host's geometry into a shadow map. When it is
// called, the GL state is the list of defaults at the top of this file, except that the depth test
// is enabled, and that the framebuffer and the viewport of the map are set. The function may change
// all of this state. It must not clear the map and must not call functions of md5gl.
typedef void md5gl_draw_caster(void *user, const md5gl_shadow_map *map);

// Lets the host's geometry cast shadows: calls draw(user, map) for each shadow map of the frame.
// Afterwards it sets the GL state again, as md5gl_resume_frame() does. Call it before you draw
// anything that receives shadows. The bounds md5gl_frame.casters must contain the geometry, because
// the key light's map contains nothing outside these bounds.
MD5GL_API void md5gl_draw_casters(md5gl_renderer *renderer, md5gl_draw_caster *draw, void *user);

// -- Verification ---------------------------------------------------------------------------

// Reads the vertices that the GPU computes back to the CPU, for tests that compare them with
// md5_skin(). The function skins one mesh as a draw does and reads the results of the vertex shader
// by transform feedback. It writes positions, normals and tangents, [num_vertices of the mesh]
// each, in model space; each of the three arrays may be NULL. Call it outside a frame.
//
// - With a `palette` the function poses the whole model. The model has no instances afterwards.
// - With NULL as `palette` the function reads the first instance, and all instances remain. To read
//   several meshes in one pose, call md5gl_pose() once, without placements, and then this function
//   with NULL for each mesh.
//
// Returns false with MD5_ERROR_RANGE if `palette` is NULL and the model has no instance, or with
// MD5_ERROR_GPU or MD5_ERROR_MEMORY. In WebGL the function needs glGetBufferSubData, which
// emscripten's function loader does not provide.
MD5GL_API bool md5gl_capture(md5gl_renderer *renderer, md5gl_model *model, uint32_t mesh,
                             const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals,
                             md5_vec4 *tangents, md5_error *error);

// == Environments ================================================================================
//
// An environment is an image of the surroundings that lights a scene from all directions.
//
//   md5gl_create_environment()          once for each image
//   md5gl_begin_frame()                 with md5gl_frame.environment
//     md5gl_draw_environment()          optional: draws the image as the background, before models
//     md5gl_draw_model() ...            draws models in the light of the image
//   md5gl_end_frame()
//
// The image replaces the sky of MD5GL_LIGHTING_STUDIO, which otherwise has one color. Matt surfaces
// receive its light from spherical harmonics, a smooth approximation of the image. Surfaces with a
// specular texture also reflect the image, more blurred if they are rough. Key light, point lights
// and shadows are added as in other frames. Frames without an environment have no additional cost,
// because they use other shaders.
//
// The image is an equirectangular panorama: columns are angles around the z axis, and lines are
// angles above or below the horizon.
//
//   rgb[3 * width * height]    linear color, top line first
//   top and bottom lines       the directions +z and -z
//   center of a line           the direction +x
//   columns to the right       turn from +x to -y

// Creates an environment from a panorama. The image is not used after the call. The function
// computes the light of the image and its blurred reflections on the CPU, which takes some
// hundredths of a second. Call it outside a frame.
//
// Images larger than 4096 x 2048 are reduced to this size. The environment uses 4 to 6 bytes of GPU
// memory per texel. Color components below 0 and NaN count as 0, and components above 65000 count
// as 65000. Returns NULL with MD5_ERROR_MEMORY, or with MD5_ERROR_GPU, also if `width` or `height`
// is 0.
MD5GL_API md5gl_environment *md5gl_create_environment(md5gl_renderer *renderer, uint32_t width,
                                                      uint32_t height, const float *rgb,
                                                      md5_error *error);

// Destroys an environment. `environment` may be NULL.
MD5GL_API void md5gl_destroy_environment(md5gl_renderer *renderer, md5gl_environment *environment);

// Returns the light of the environment as nine colors c[0] to c[8], so that your own shaders can
// use the same light. A white matt surface with the unit normal n = (x, y, z) reflects the color
//
//   c[0] + c[1] x + c[2] y + c[3] z + c[4] x y + c[5] y z + c[6] x z + c[7] z^2 + c[8] (x^2 - y^2)
//
// The result is within a few percent of the exact light for images. It is exact for light that is
// itself a polynomial of degree 2 in the direction. It may be negative in the direction opposite to
// very bright light. The environment owns the array.
MD5GL_API const md5_vec3 *md5gl_environment_light(const md5gl_environment *environment);

// Draws the image of md5gl_frame.environment as the background. It covers the whole viewport, is
// opaque, and does not write depth, so call the function before you draw anything else. The image
// has the tone mapping, the factor md5gl_frame.ambient and the rotation that lit surfaces have too.
// With a parallel projection the image is drawn as a camera with perspective and a vertical field
// of view of 45 degrees would see it. Has no effect in a frame without an environment.
MD5GL_API void md5gl_draw_environment(md5gl_renderer *renderer);

#ifdef __cplusplus
}
#endif

#endif
