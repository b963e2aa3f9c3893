// md5gl_game: draws surfaces of Doom 3 (stages and deforms) and very large crowds (impostors) with
// the renderer of md5gl.h.
//
// Stages. A Doom 3 material can blend several textures over a surface, one after the other, for
// example for the flash of a gun, glowing eyes, a ghost, or the edge along which a body burns away.
// Each of these textures with its blend factors is a stage. A stage list contains the stages of one
// mesh, and the base: the surface below the stages. A md5gl_material describes only the lit
// surface. md5material.h reads materials from a game folder. Example of a frame:
//
//   md5gl_create_texture()       once: kind MD5GL_TEXTURE_STAGE, which is not decoded from sRGB
//   md5gl_begin_frame()
//     md5gl_pose()
//     md5gl_draw_shadows()       omits meshes whose material has no_shadow
//     md5gl_draw_stages()        with MD5GL_STAGE_PASS_SHADOWS: shadows of such meshes
//     md5gl_draw_model()         omits meshes whose material is_staged
//     md5gl_draw_stages()        with MD5GL_STAGE_PASS_BASES: opaque bases; call it after all calls
//                                of md5gl_draw_model()
//     md5gl_draw_stages()        with MD5GL_STAGE_PASS_STAGES: the stages, and the light of
//                                translucent surfaces; call it after the bases of all models
//   md5gl_end_frame()
//
// The caller owns the stage lists. They are not used after a call, so colors, matrices and
// thresholds may change in every frame. Lists are drawn in the given order: sort them by the sort
// values of their materials. All instances of a model have the same lists. Each stage is one
// instanced draw call. Models without lists have no additional cost.
//
// Color of stages: as in the engine, the values of the files are used directly. Texels, colors and
// vertex colors are multiplied and blended without sRGB decoding or encoding. The tints of
// instances (md5gl_instances.tints) have only two effects on stages: they multiply the vertex
// colors, and alpha above 1 hides pixels.
//
// Alpha in the framebuffer is the coverage of the image. If the background of the frame is opaque,
// alpha remains 1; otherwise each stage adds its coverage. The only exceptions are lists in which a
// stage reads the alpha of the target (the image so far). Their stages write alpha as their blend
// factors specify. After such a list is drawn, the alpha of its surface is set to 1.
#ifndef MD5GL_GAME_H
#define MD5GL_GAME_H

#include "md5gl.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// -- Lists ----------------------------------------------------------------------------------------

// Selects a factor of the blend equation. This equation draws a stage over the image:
//
//   result = source_factor * source + target_factor * target
//
//   source: the color of the stage, a texel multiplied by md5gl_stage.color
//   target: the color of the image before the stage
//
// Each of the two factors is one of the following values. "Alpha" is the alpha of the source or of
// the target.
typedef enum md5gl_factor {
    MD5GL_FACTOR_ZERO,                   // the number 0
    MD5GL_FACTOR_ONE,                    // the number 1
    MD5GL_FACTOR_SOURCE_COLOR,           // the color of the source
    MD5GL_FACTOR_ONE_MINUS_SOURCE_COLOR, // 1 minus the color of the source
    MD5GL_FACTOR_TARGET_COLOR,           // the color of the target
    MD5GL_FACTOR_ONE_MINUS_TARGET_COLOR, // 1 minus the color of the target
    MD5GL_FACTOR_SOURCE_ALPHA,           // the alpha of the source
    MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA, // 1 minus the alpha of the source
    MD5GL_FACTOR_TARGET_ALPHA,           // the alpha of the target
    MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA, // 1 minus the alpha of the target
    // The minimum of the source's alpha and 1 minus the target's alpha (GL_SRC_ALPHA_SATURATE).
    // Only allowed as source factor.
    MD5GL_FACTOR_SOURCE_ALPHA_SATURATE,
} md5gl_factor;

// Selects how the vertex colors of a mesh change a stage (a texture that is blended over the mesh).
// A mesh without vertex colors has white vertices.
typedef enum md5gl_vertex_color {
    MD5GL_VERTEX_COLOR_IGNORE, // the vertex colors have no effect
    // The stage is multiplied by the vertex colors, including their alpha.
    MD5GL_VERTEX_COLOR_MODULATE,
    // The stage is multiplied by 1 minus the red, green and blue of the vertex colors, and by their
    // alpha.
    MD5GL_VERTEX_COLOR_INVERSE,
} md5gl_vertex_color;

// Selects the source of the texture coordinates of a stage. MD5GL_TEXGEN_NORMAL, _REFLECT and
// _SKYBOX compute a direction in world space, which selects a texel of a cube map.
typedef enum md5gl_texgen {
    MD5GL_TEXGEN_MESH,   // texture coordinates of the mesh
    MD5GL_TEXGEN_NORMAL, // the normal of the surface
    // The direction to the eye, reflected at the normal of the surface.
    MD5GL_TEXGEN_REFLECT,
    MD5GL_TEXGEN_SKYBOX, // the direction from the eye to the surface
    // The position on the screen, for a 2D texture: -1 to 1 from left to right and from bottom to
    // top.
    MD5GL_TEXGEN_SCREEN,
} md5gl_texgen;

// Flags that select channels of the image that a stage does not write, for example to write only
// alpha.
typedef enum md5gl_mask {
    MD5GL_MASK_RED = 1,
    MD5GL_MASK_GREEN = 2,
    MD5GL_MASK_BLUE = 4,
    MD5GL_MASK_ALPHA = 8,
} md5gl_mask;

// A stage of a Doom 3 material: one texture, and how it is blended over the surface. Initialize the
// structure with MD5_INIT.
typedef struct md5gl_stage {
    md5gl_texture texture; // texture of the stage; 0 means white
    // Factors of the blend equation; see md5gl_factor. The color of the stage is multiplied by
    // `source`, and the color of the image by `target`.
    md5gl_factor source, target;
    float color[4];  // color by which the texels are multiplied; clamped to 0 to 1
    bool has_matrix; // If true, `matrix` transforms the texture coordinates.
    // Rows of the matrix for texture coordinates (u, v), where v points down in the image:
    //   u' = matrix[0][0] u + matrix[0][1] v + matrix[0][2]
    //   v' = matrix[1][0] u + matrix[1][1] v + matrix[1][2]
    // If `texgen` computes a direction, the matrix transforms its x and y instead.
    float matrix[2][3];
    md5gl_vertex_color vertex_color; // effect of the vertex colors on the stage
    // If true, the stage has an alpha test. It keeps texels whose alpha, multiplied by the alpha of
    // `color`, is greater than `alpha_test`, and discards all other texels.
    // - If the list has a base, the test cuts holes into the base. A pixel of the base remains if
    //   one stage with an alpha test keeps it. Stages whose color has alpha 0 are not counted. In a
    //   multisampled frame the edges of the base are soft: a pixel at an edge keeps some of its
    //   samples, according to its alpha.
    // - If the list has no base, the test cuts holes into the stage.
    bool is_tested;
    float alpha_test; // threshold of the alpha test, 0 to 1
    // Channels of the image that the stage does not write, as a combination of md5gl_mask flags.
    uint32_t masked;
    // If true, the stage writes depth. The base of a stage list always writes depth.
    bool writes_depth;
    // If true, the stage is drawn only where its surface is the visible surface. If false, it is
    // drawn where its surface is nearer than the image so far, or equally near.
    bool depth_equal;
    // Offset of the depth of this stage, instead of md5gl_stage_list.depth_offset. The value 0
    // means the offset of the list.
    float depth_offset;
    // Source of the texture coordinates. `texture` must be a cube map for NORMAL, REFLECT and
    // SKYBOX.
    md5gl_texgen texgen;
    // A texture of kind MD5GL_TEXTURE_NORMALS, whose normals replace the vertex normals. If 0, the
    // vertex normals are used. Only MD5GL_TEXGEN_REFLECT uses it.
    md5gl_texture normals;
    uint64_t reserved[3]; // must be 0
} md5gl_stage;

// Selects the base of a stage list, which is the surface below its stages.
typedef enum md5gl_base {
    // No base is drawn: the stages are blended over the image so far, which is the background, or
    // the mesh if md5gl_draw_model() has drawn it.
    MD5GL_BASE_NONE,
    MD5GL_BASE_BLACK, // the surface is drawn in black, without light
    // The surface is drawn with its md5gl_material and the light of the frame. The alpha tests of
    // the stages cut holes into it.
    MD5GL_BASE_LIT,
    // A translucent surface: the light that the surface reflects is added to the image so far. It
    // does not receive shadows and does not write depth.
    MD5GL_BASE_ADDED,
} md5gl_base;

// Selects the faces of triangles that are not drawn.
typedef enum md5gl_cull { MD5GL_CULL_BACK, MD5GL_CULL_FRONT, MD5GL_CULL_NONE } md5gl_cull;

// The stages of one mesh, and its base, which is the surface below them. Initialize the structure
// with MD5_INIT.
typedef struct md5gl_stage_list {
    // Index of the mesh in the model. A hidden mesh is not drawn.
    uint32_t mesh;
    // Index of a skin: the list applies to the instances with this skin (md5gl_instances.skins).
    uint32_t skin;
    md5gl_base base; // how the surface below the stages is drawn
    // Faces of triangles that are not drawn. If the base is lit and its material is two_sided, both
    // sides of the base are drawn nevertheless.
    md5gl_cull cull;
    // Offset that is added to the depth of the surface, in the smallest units that the depth buffer
    // can store. Negative values move the surface nearer.
    float depth_offset;
    // If true, the base casts a shadow when the pass MD5GL_STAGE_PASS_SHADOWS is drawn.
    bool casts_shadow;
    // [num_lit_layers] Materials of additional lit surfaces at the same position. Only
    // MD5GL_BASE_LIT uses them. The light that they reflect is added to the light of the base. The
    // alpha of their textures is not tested, so it makes no holes.
    const md5gl_material *lit_layers;
    uint32_t num_lit_layers;
    const md5gl_stage *stages; // [num_stages] the stages, in the order in which they are drawn
    uint32_t num_stages;
    uint64_t reserved[4]; // must be 0
} md5gl_stage_list;

// Selects one of the three passes in which stage lists are drawn. Draw each pass for all models of
// a frame before you draw the next pass for any model.
typedef enum md5gl_stage_pass {
    // Draws the bases of stage lists with `casts_shadow` into the shadow maps. The alpha tests of
    // the stages cut holes into the shadow, so that burnt parts cast no shadow. Set no_shadow in
    // the material of such a mesh; otherwise md5gl_draw_shadows() draws the shadow of the whole
    // mesh too. Nothing is drawn for MD5GL_BASE_NONE and MD5GL_BASE_ADDED, and in frames without
    // shadows.
    MD5GL_STAGE_PASS_SHADOWS,
    // Draws MD5GL_BASE_BLACK and MD5GL_BASE_LIT: first their depth, then the light of lit bases at
    // pixels whose depth is equal.
    MD5GL_STAGE_PASS_BASES,
    // Draws the reflected light of stage lists whose base is MD5GL_BASE_ADDED. Then draws the
    // stages of all stage lists, in order.
    MD5GL_STAGE_PASS_STAGES,
} md5gl_stage_pass;

// Draws the stages of Doom 3 materials: one pass of lists[count] for all instances of a model.
// Shaders are compiled on their first use. Returns false with MD5_ERROR_GPU if a shader does not
// compile.
MD5GL_API bool md5gl_draw_stages(md5gl_renderer *renderer, const md5gl_model *model,
                                 md5gl_stage_pass pass, const md5gl_stage_list *lists,
                                 uint32_t count, md5_error *error);

// -- Deforms --------------------------------------------------------------------------------------

// A deform replaces the triangles of a mesh by triangles that the caller computes from the skinned
// vertices in every call of md5gl_pose(). Doom 3's materials use deforms, for example for sprites
// that face the viewer: see md5material.h. Initialize the structure with MD5_INIT.
typedef struct md5gl_deform {
    // number of vertices of the deform, at least the number of vertices of the mesh
    uint32_t num_vertices;
    uint32_t num_triangles; // number of triangles that replace the triangles of the mesh
    // [3 * num_triangles] Three indices of vertices per triangle, clockwise as seen from the front.
    // Indices must be less than num_vertices. The array is copied.
    const uint32_t *indices;
    // Your function that computes the vertices of one instance. It is called for each instance.
    //   user               the member `user` below
    //   mesh               index of the mesh
    //   instance           index into the instances of md5gl_pose()
    //   positions, normals the skinned vertices, as many as the mesh has, in model space
    //   to_positions       output [num_vertices]: positions in model space
    //   texcoords          output [num_vertices]: texture coordinates
    //   colors             output [num_vertices]: linear colors, 0 to 1
    // If md5gl_instances.previous contains palettes or weights, the function is called a second
    // time for all instances, with the skinned vertices of the previous frame.
    void (*write)(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                  const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                  md5_vec4 *colors);
    void *user;           // first argument of `write`
    uint64_t reserved[4]; // must be 0
} md5gl_deform;

// Sets the deform of a mesh. NULL removes the deform. The model has no instances until the next
// call of md5gl_pose().
//
// A mesh with a deform uses MD5GL_PATH_CPU and is drawn with one draw call per instance; the other
// meshes of the model keep their paths. If the deform has as many vertices as the mesh, it is lit
// with the skinned normals and tangents. Otherwise its normals point up.
//
// Baked clips and impostors do not support deforms: do not use them with a model that has a deform.
// Returns false with MD5_ERROR_RANGE if a member of `deform` is out of range, or with MD5_ERROR_GPU
// if a shader does not compile.
MD5GL_API bool md5gl_set_deform(md5gl_renderer *renderer, md5gl_model *model, uint32_t mesh,
                                const md5gl_deform *deform, md5_error *error);

// == Impostors ===================================================================================
//
// An impostor is an image of a character. It is drawn on a square instead of the character when the
// character is small on the screen, so that very large crowds can be drawn. The cost does not
// depend on the number of triangles: an instance has four vertices.
//
// An impostor set contains images of one model: for each frame of its motion, images from many
// directions. Each image consists of color, normals, depth and coverage. An impostor is therefore
// lit by the lights of the current frame and writes the depth of the character. Images of
// neighboring directions are blended. Example:
//
//   md5gl_create_impostors()              once; num_frames = number of frames of all clips
//   for each frame of the clips:
//     md5gl_draw_impostor_images()        draws the images of this frame from its palette
//   md5gl_begin_frame()
//     md5gl_pose_impostors()              sets position, frame and visibility of each instance
//     md5gl_draw_impostor_shadows()       together with md5gl_draw_shadows()
//     md5gl_draw_impostors()              together with md5gl_draw_model()
//   md5gl_end_frame()
//
// Crossfade. To replace a model by its impostor without a visible change, draw both for a short
// time while s increases from 0 to 1:
//   - md5gl_impostor.shown is s: the impostor shows the fraction s of its pixels.
//   - The alpha of the model's tint (md5gl_instances.tints) is 1 + s. So the model hides the pixels
//     that the impostor shows.
// Each pixel then shows either the model or the impostor.
//
// Limits:
//   - All meshes have the same gloss: the mean gloss of their materials.
//   - Only the brightness of specular textures is used.
//   - Glow textures have no effect.
//   - The depth of an image has 8 bits for the diameter of the sphere around the model.
//   - Mirrored and stretched instances are not supported.

// Size, number and directions of the images of an impostor set (images of one model, which are
// drawn instead of it). Initialize the structure with MD5_INIT.
typedef struct md5gl_impostor_desc {
    uint32_t num_frames; // number of frames of the motion that the images show, at least 1
    // Center, in model space, of a sphere that contains the model in all frames.
    md5_vec3 center;
    float radius; // radius of this sphere, in units; above 0
    // Number of directions in each ring; 0 means 12. The directions from which images are drawn are
    // arranged in rings around the z axis.
    uint32_t num_around;
    // Number of rings, at elevations from `lowest` to `highest`. The value 0 means 2.
    uint32_t num_above;
    // Elevations of the lowest and the highest ring above the horizontal plane, in radians between
    // -pi/2 and pi/2. If both are 0, they are 0.17 and 0.79 (10 and 45 degrees).
    float lowest;
    float highest;
    // Side length of an image in texels, a power of 2 from 8 to 512. The value 0 means 64.
    uint32_t texels;
    // Largest amount of GPU memory for the images, in bytes. The value 0 means 512 MiB.
    size_t gpu_limit;
    uint64_t reserved[8]; // must be 0
} md5gl_impostor_desc;

// An impostor set: the images of one model in GPU memory, and the current instances. The structure
// is opaque.
typedef struct md5gl_impostors md5gl_impostors;

// Creates an impostor set. The set has no images yet: md5gl_draw_impostor_images() draws them.
// `desc` is not used after the call. Returns NULL with
//
// - MD5_ERROR_RANGE if a member of `desc` is out of range,
// - MD5_ERROR_MEMORY if the images need more memory than md5gl_impostor_desc.gpu_limit,
// - MD5_ERROR_GPU if the images exceed a limit of the context, which the message contains.
//
// All images are parts of one texture, whose size is limited by GL_MAX_TEXTURE_SIZE. For example,
// 184 frames of the default size need a texture of 4480 texels per side.
MD5GL_API md5gl_impostors *
md5gl_create_impostors(md5gl_renderer *renderer, const md5gl_impostor_desc *desc, md5_error *error);

// Destroys an impostor set. `impostors` may be NULL.
MD5GL_API void md5gl_destroy_impostors(md5gl_renderer *renderer, md5gl_impostors *impostors);

// Draws the images of one frame of an impostor set, from all directions. The images show `model` in
// the pose palette[num_joints], with the materials of skin 0. They replace earlier images of the
// same frame. `frame` is an index below md5gl_impostor_desc.num_frames; the frames may be drawn in
// any order. Call the function outside a frame of md5gl_begin_frame().
//
// The function changes the instances of `model`. Call md5gl_pose() again before you draw the model.
// There is one GL draw call per mesh for all directions. Returns false with MD5_ERROR_RANGE if the
// frame does not exist, or with the errors of md5gl_pose().
MD5GL_API bool md5gl_draw_impostor_images(md5gl_renderer *renderer, md5gl_impostors *impostors,
                                          md5gl_model *model, uint32_t frame,
                                          const md5_mat34 *palette, md5_error *error);

// Returns true if the images of a frame have been drawn, so that instances can show this frame.
MD5GL_API bool md5gl_has_impostor_images(const md5gl_impostors *impostors, uint32_t frame);

// One instance of an impostor set: an image of a character at a position. The GPU reads these 40
// bytes without conversion.
typedef struct md5gl_impostor {
    // Rotation from model space to world space, a unit quaternion.
    md5_quat rotation;
    // Position of the model's origin in world space, in units.
    md5_vec3 translation;
    float scale; // scale factor from model space to world space, above 0
    // Number of the frame whose images are drawn; it is rounded to the nearest frame.
    float frame;
    // Fraction of the pixels that are visible, 0 to 1, for crossfades from a model to its impostor:
    // see "Crossfade" above. Only instances with the value 1 cast shadows.
    float shown;
} md5gl_impostor;

// Sets the instances of an impostor set: instances[count], which are not used after the call. All
// following draws of the set use them, until the next call. A set has no instances before the first
// call. Returns false with MD5_ERROR_RANGE, and removes all instances, if the images of an
// instance's frame were not drawn.
MD5GL_API bool md5gl_pose_impostors(md5gl_renderer *renderer, md5gl_impostors *impostors,
                                    const md5gl_impostor *instances, uint32_t count,
                                    md5_error *error);

// Draws all instances of an impostor set into the shadow maps, so that they cast shadows. Call it
// before you draw anything that receives shadows. The shadow of an instance is computed from its
// images in the direction of the key light, and its contact shadow from the image from below. Has
// no effect in a frame without shadows.
MD5GL_API void md5gl_draw_impostor_shadows(md5gl_renderer *renderer,
                                           const md5gl_impostors *impostors);

// Draws all instances of an impostor set. `style` is a combination of md5gl_style flags. Without
// MD5GL_LIT nothing is drawn. MD5GL_UNTEXTURED has the same effect as on models. Other flags have
// no effect.
MD5GL_API void md5gl_draw_impostors(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                                    uint32_t style);

#ifdef __cplusplus
}
#endif

#endif
