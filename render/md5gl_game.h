// Stages: surfaces as the materials of Doom 3 describe them, layer upon layer.
//
// A lit surface is a md5gl_material. What else a material of the game draws is a list of stages:
// textures that are blended over each other in their order, such as the flash of a gun, glowing
// eyes, a ghost, or the edge along which a body burns away. Example:
//
//   md5gl_create_texture()            of MD5GL_TEXTURE_STAGE: texels are not decoded from sRGB
//   md5gl_begin_frame()
//     md5gl_pose()
//     md5gl_draw_shadows()            without meshes whose material has no_shadow
//     md5gl_draw_stages(SHADOWS)      of lists that cast the shadow of such a mesh
//     md5gl_draw_model()              without meshes whose material is_staged
//     md5gl_draw_stages(BASES)        what is opaque of the lists: after all models' lit surfaces
//     md5gl_draw_stages(STAGES)       light of translucent surfaces, stages: after all bases
//   md5gl_end_frame()
//
// Lists belong to the caller and are read during the calls: colors, matrices and thresholds may
// change in every frame. They are drawn in the order in which they are given: sort them as the
// materials say. All instances of a model share them, and each stage is one instanced draw. Models
// without lists cost what they did, because their shaders know nothing of stages.
//
// Color: as in the engine, numbers are those of the files. Texels, colors and vertex colors are
// multiplied and blended as they are, without decoding or encoding sRGB; tints of instances have no
// effect, except that vertex colors are multiplied with them, and that their alpha above 1 hides
// pixels (see md5gl_instances).
//
// Alpha: the framebuffer's alpha is the coverage of the picture. So a frame with an opaque
// background keeps alpha 1, and in others a stage adds what it covers. Only lists with a stage that
// reads the target's alpha write alpha as their stages say, until the list has been drawn; then the
// surface has alpha 1.
#ifndef MD5GL_GAME_H
#define MD5GL_GAME_H

#include "md5gl.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- Lists ----------------------------------------------------------------------------------------

// What the color of a stage, or of the target below it, is multiplied with before they are added.
typedef enum md5gl_factor {
    MD5GL_FACTOR_ZERO,
    MD5GL_FACTOR_ONE,
    MD5GL_FACTOR_SOURCE_COLOR, // source: the stage's texel times its color
    MD5GL_FACTOR_ONE_MINUS_SOURCE_COLOR,
    MD5GL_FACTOR_TARGET_COLOR,
    MD5GL_FACTOR_ONE_MINUS_TARGET_COLOR,
    MD5GL_FACTOR_SOURCE_ALPHA,
    MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA,
    MD5GL_FACTOR_TARGET_ALPHA,
    MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA,
    MD5GL_FACTOR_SOURCE_ALPHA_SATURATE, // source only
} md5gl_factor;

// What a stage does with the mesh's vertex colors, which are white if it has none.
typedef enum md5gl_vertex_color {
    MD5GL_VERTEX_COLOR_IGNORE,
    MD5GL_VERTEX_COLOR_MODULATE,
    MD5GL_VERTEX_COLOR_INVERSE, // 1 minus red, green and blue; alpha as it is
} md5gl_vertex_color;

// Where the texture coordinates of a stage come from. Directions, which look up a cube map, are in
// world space.
typedef enum md5gl_texgen {
    MD5GL_TEXGEN_MESH,
    MD5GL_TEXGEN_NORMAL,  // the normal
    MD5GL_TEXGEN_REFLECT, // the direction to the eye, reflected by the normal
    MD5GL_TEXGEN_SKYBOX,  // the direction from the eye
    MD5GL_TEXGEN_SCREEN,  // of a texture: the place in the picture, -1 to 1 to the right and up
} md5gl_texgen;

// Channels of the target that a stage does not change.
typedef enum md5gl_mask {
    MD5GL_MASK_RED = 1,
    MD5GL_MASK_GREEN = 2,
    MD5GL_MASK_BLUE = 4,
    MD5GL_MASK_ALPHA = 8,
} md5gl_mask;

typedef struct md5gl_stage {
    md5gl_texture texture; // 0: white
    md5gl_factor source, target;
    float color[4];     // multiplies texels; limited to 0..1
    bool has_matrix;    // false: texture coordinates are those of the mesh
    float matrix[2][3]; // u' = m00 u + m01 v + m02, v' = m10 u + m11 v + m12; v points down; of
                        // directions x and y likewise
    md5gl_vertex_color vertex_color;
    // Leaves out texels whose alpha, times that of `color`, is not greater than alpha_test: from
    // the base of the list if it has one, else from the stage. A pixel of a base remains if one of
    // its tested stages keeps it; those whose color has no alpha do not count. In a multisampled
    // frame a base keeps some samples of the pixels at its edge, by their alpha.
    bool is_tested;
    float alpha_test;
    uint32_t masked;       // a combination of md5gl_mask
    bool writes_depth;     // a base does so, too
    bool depth_equal;      // draws only where the surface is the visible one; else where it is
                           // nearer or equally near
    float depth_offset;    // of this stage, instead of the list's; 0 = that
    md5gl_texgen texgen;   // `texture` is a cube map for NORMAL, REFLECT and SKYBOX
    md5gl_texture normals; // REFLECT: a texture of kind NORMALS, whose normals reflect instead of
                           // the vertices', or 0
    uint64_t reserved[3];  // 0
} md5gl_stage;

// What is below the stages of a list.
typedef enum md5gl_base {
    MD5GL_BASE_NONE,  // what is there: the background, or what md5gl_draw_model() drew of the mesh
    MD5GL_BASE_BLACK, // the surface in black
    MD5GL_BASE_LIT,   // the surface with its md5gl_material, cut out by the stages that test alpha
    MD5GL_BASE_ADDED, // what is there, plus the light that the surface reflects, which no shadow
                      // falls on: a translucent surface, which fills no depth
} md5gl_base;

typedef enum md5gl_cull { MD5GL_CULL_BACK, MD5GL_CULL_FRONT, MD5GL_CULL_NONE } md5gl_cull;

typedef struct md5gl_stage_list {
    uint32_t mesh; // index into the model's meshes; nothing is drawn unless it is visible
    uint32_t skin; // draws the instances that wear this one: see md5gl_instances
    md5gl_base base;
    md5gl_cull cull; // faces that are not drawn; of lit bases the material's two_sided goes first
    float depth_offset; // added to depth, in the smallest units of depth: below 0 = nearer
    bool casts_shadow;  // of its base: see MD5GL_STAGE_PASS_SHADOWS
    const md5gl_material *lit_layers; // [num_lit_layers] further lit surfaces, whose light is added
    uint32_t num_lit_layers;          // to that of lit bases; their alpha cuts nothing out
    const md5gl_stage *stages;        // [num_stages] the first one is drawn first
    uint32_t num_stages;
    uint64_t reserved[4]; // 0
} md5gl_stage_list;

// What is drawn of lists: three passes, for all models of a frame one after the other.
typedef enum md5gl_stage_pass {
    MD5GL_STAGE_PASS_SHADOWS, // of lists that have casts_shadow: where the base is, which the
                              // stages that test alpha cut out, so that what is burnt away casts
                              // none. The materials of their meshes are to have no_shadow, or the
                              // whole mesh casts one as well. None of NONE and ADDED, nor in frames
                              // without shadows
    MD5GL_STAGE_PASS_BASES,   // bases that are BLACK or LIT: depth first, then, if it is lit, light
                              // where depth is equal
    MD5GL_STAGE_PASS_STAGES, // the light of lists with MD5GL_BASE_ADDED, then the stages of all, in
                             // order
} md5gl_stage_pass;

// Draws lists[count], of all instances of the model. Returns false with MD5_ERROR_GPU if a shader
// does not compile: the programs of a path are built when it first needs them.
MD5GL_API bool md5gl_draw_stages(md5gl_renderer *renderer, const md5gl_model *model,
                                 md5gl_stage_pass pass, const md5gl_stage_list *lists,
                                 uint32_t count, md5_error *error);

// -- Deforms --------------------------------------------------------------------------------------

// A surface that the caller forms anew whenever the model is posed, from the skinned vertices, such
// as sprites that face the viewer: see md5material.h.
typedef struct md5gl_deform {
    uint32_t num_vertices; // at least as many as the mesh has
    uint32_t num_triangles;
    const uint32_t *indices; // [3 * num_triangles] below num_vertices, clockwise; copied
    // Writes the vertices of an instance in model space; colors are linear, 0 to 1. `instance` is
    // an index into the instances of md5gl_pose(). positions and normals[vertices of the
    // mesh] are the skinned ones; after all instances follow, if md5gl_instances.previous has
    // palettes or weights, the same with those of the previous frame.
    void (*write)(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                  const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                  md5_vec4 *colors);
    void *user;
    uint64_t reserved[4]; // 0
} md5gl_deform;

// Sets the deform of a mesh, or, with NULL, ends it; until the next pose the model has no
// instances. The mesh is skinned on MD5GL_PATH_CPU from then on and drawn instance by instance; the
// other meshes of the model stay on their paths. Normals
// and tangents stay the skinned ones if the number of vertices does, else normals are up. Baked
// clips and impostors are not deformed: do not use them with such a model. Returns false with
// MD5_ERROR_RANGE, or with MD5_ERROR_GPU if a shader does not compile.
MD5GL_API bool md5gl_set_deform(md5gl_renderer *renderer, md5gl_model *model, uint32_t mesh,
                                const md5gl_deform *deform, md5_error *error);

// == Impostors ===================================================================================
//
// Impostors: pictures of a character, drawn on a square in place of the character where it is
// small.
//
// An impostor set holds pictures of one model from many directions in each frame of its motion: its
// color, normals, depth and coverage. A picture is relit by the frame's lights, blended with those
// of neighbouring directions and writes the character's depth. Ten triangles or ten thousand cost
// the same: four vertices an instance. Example:
//
//   md5gl_create_impostors()            once; num_frames = frames of all clips
//   for each frame:
//     md5gl_draw_impostor_pictures()             with the palette of that frame
//   md5gl_begin_frame()
//     md5gl_pose_impostors()            position, frame and visibility of each instance
//     md5gl_draw_impostor_shadows()     beside md5gl_draw_shadows()
//     md5gl_draw_impostors()            beside md5gl_draw_model()
//   md5gl_end_frame()
//
// Cross-fade: an instance that is drawn both as a model and as an impostor blends without a pop if
// the impostor's `shown` is s and the alpha of the model's tint is 1 + s (see md5gl_instances).
// Both use the same pattern of pixels: each pixel shows exactly one of the two.
//
// Limits: shading uses the average gloss of one material, the brightness of specular maps, and no
// glow. A picture has 8 bits of depth for the diameter of the sphere. Instances that are mirrored
// or stretched are not supported.

// Begin with {0}.
typedef struct md5gl_impostor_desc {
    uint32_t num_frames;  // at least 1
    md5_vec3 center;      // of a sphere around the model in all frames, model space
    float radius;         // of the sphere, units; above 0
    uint32_t num_around;  // directions around the z axis; 0 = 12
    uint32_t num_above;   // rings of directions between `lowest` and `highest`; 0 = 2
    float lowest;         // elevation of the rings, radians from the horizontal plane, between
    float highest;        // -pi/2 and pi/2; both 0 = 0.17 to 0.79 (10 to 45 degrees)
    uint32_t texels;      // side of a picture, a power of 2 from 8 to 512; 0 = 64
    size_t gpu_limit;     // bytes of GPU memory; 0 = 512 MiB
    uint64_t reserved[8]; // 0
} md5gl_impostor_desc;

typedef struct md5gl_impostors md5gl_impostors;

// Creates an impostor set without pictures. `desc` is read during the call. Returns NULL with
// MD5_ERROR_RANGE if a member of `desc` is out of its range, MD5_ERROR_MEMORY if the pictures
// exceed `gpu_limit`, or MD5_ERROR_GPU if they exceed a limit of the context, which the message
// names: all pictures are one texture (GL_MAX_TEXTURE_SIZE; 184 frames of the default size need
// 4480).
MD5GL_API md5gl_impostors *
md5gl_create_impostors(md5gl_renderer *renderer, const md5gl_impostor_desc *desc, md5_error *error);
MD5GL_API void md5gl_destroy_impostors(md5gl_renderer *renderer,
                                       md5gl_impostors *impostors); // NULL is allowed

// Draws the pictures of one frame, replacing earlier ones: the model with its materials of skin 0,
// posed by palette[num_joints]. Call it outside of a frame, in any order of frames. The model has
// no defined instances afterwards: pose it again. Cost: one draw of all directions, as many
// instances. Returns false with MD5_ERROR_RANGE if there is no such frame, otherwise as
// md5gl_pose().
MD5GL_API bool md5gl_draw_impostor_pictures(md5gl_renderer *renderer, md5gl_impostors *impostors,
                                            md5gl_model *model, uint32_t frame,
                                            const md5_mat34 *palette, md5_error *error);
MD5GL_API bool md5gl_has_impostor_pictures(const md5gl_impostors *impostors, uint32_t frame);

// One impostor. 40 bytes, read by the GPU as they are.
typedef struct md5gl_impostor {
    md5_quat rotation;    // model to world, unit length
    md5_vec3 translation; // model to world, units
    float scale;          // model to world, above 0
    float frame;          // rounded to the nearest
    float shown;          // share of its pixels, 0..1; only 1 casts shadows
} md5gl_impostor;

// Sets the instances, until the next call; initially there are none. instances[count] is read
// during the call. Returns false with MD5_ERROR_RANGE and leaves none if a frame has no pictures.
MD5GL_API bool md5gl_pose_impostors(md5gl_renderer *renderer, md5gl_impostors *impostors,
                                    const md5gl_impostor *instances, uint32_t count,
                                    md5_error *error);

// Draws all instances into the shadow maps, before anything lit. Does nothing in a frame
// without shadows. Each shows its pictures towards the key light, and from below.
MD5GL_API void md5gl_draw_impostor_shadows(md5gl_renderer *renderer,
                                           const md5gl_impostors *impostors);

// Draws all instances. `style`: flags of md5gl_style; UNTEXTURED is applied, LIT is required, and
// the others have no effect.
MD5GL_API void md5gl_draw_impostors(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                                    uint32_t style);

#ifdef __cplusplus
}
#endif

#endif
