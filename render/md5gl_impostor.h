// Impostors: pictures of a character, drawn on a square in place of the character where it is
// small.
//
// An impostor set holds pictures of one model from many directions in each frame of its motion: its
// colour, normals, depth and coverage. A picture is relit by the frame's lights, blended with those
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
// the impostor's `shown` is s and the alpha of the model's tint is 1 + s (see md5gl_set_looks()).
// Both use the same pattern of pixels: each pixel shows exactly one of the two.
//
// Limits: shading uses the average gloss of one material, the brightness of specular maps, and no
// glow. A picture has 8 bits of depth for the diameter of the sphere. Instances that are mirrored
// or stretched are not supported.
#ifndef MD5GL_IMPOSTOR_H
#define MD5GL_IMPOSTOR_H

#include "md5gl.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// How the pictures are stored.
typedef enum md5gl_impostor_layout {
    MD5GL_IMPOSTOR_AUTO,  // the first of the others, in their order, whose limits hold the pictures
    MD5GL_IMPOSTOR_ARRAY, // 2D array texture, one layer a picture (GL_MAX_ARRAY_TEXTURE_LAYERS)
    MD5GL_IMPOSTOR_ATLAS, // 2D texture of blocks, one block a frame (GL_MAX_TEXTURE_SIZE)
    MD5GL_IMPOSTOR_VOLUME, // 3D texture of blocks, one slice a frame (GL_MAX_3D_TEXTURE_SIZE):
                           // blends neighbouring frames, but has no mipmaps and flickers where
                           // small
} md5gl_impostor_layout;

// Begin with {0}.
typedef struct md5gl_impostor_desc {
    uint32_t num_frames; // at least 1
    md5_vec3 centre;     // of a sphere around the model in all frames, model space
    float radius;        // of the sphere, units; above 0
    uint32_t num_around; // directions around the z axis; 0 = 12
    uint32_t num_above;  // rings of directions between `lowest` and `highest`; 0 = 2
    float lowest;        // elevation of the rings, radians from the horizontal plane, between
    float highest;       // -pi/2 and pi/2; both 0 = 0.17 to 0.79 (10 to 45 degrees)
    uint32_t texels;     // side of a picture, a power of 2 from 8 to 512; 0 = 64
    md5gl_impostor_layout layout;
    size_t memory_limit;   // bytes of GPU memory; 0 = 512 MiB
    uintptr_t reserved[8]; // 0
} md5gl_impostor_desc;

typedef struct md5gl_impostors md5gl_impostors;

// Creates an impostor set without pictures. `desc` is read during the call. Returns NULL with
// MD5_ERROR_RANGE if a member of `desc` is out of its range, MD5_ERROR_MEMORY if the pictures
// exceed `memory_limit`, or MD5_ERROR_GPU if they exceed a limit of the context, which the message
// names.
MD5GL_API md5gl_impostors *
md5gl_create_impostors(md5gl_renderer *renderer, const md5gl_impostor_desc *desc, md5_error *error);
MD5GL_API void md5gl_destroy_impostors(md5gl_renderer *renderer,
                                       md5gl_impostors *impostors); // NULL is allowed

// Return the layout in use (never AUTO), the number of pictures of a frame (all directions, and one
// from below for contact shadows), and the bytes of GPU memory.
MD5GL_API md5gl_impostor_layout md5gl_impostors_layout(const md5gl_impostors *impostors);
MD5GL_API uint32_t md5gl_impostors_views(const md5gl_impostors *impostors);
MD5GL_API size_t md5gl_impostors_size(const md5gl_impostors *impostors);

// Draws the pictures of one frame, replacing earlier ones: the model with its materials of skin 0,
// posed by palette[num_joints]. Call it outside of a frame, in any order of frames. The model has
// no defined instances afterwards: pose it again. Cost: one draw of all directions, as many
// instances. Returns false with MD5_ERROR_RANGE if there is no such frame, otherwise as
// md5gl_pose_models().
MD5GL_API bool md5gl_draw_impostor_pictures(md5gl_renderer *renderer, md5gl_impostors *impostors,
                                            md5gl_model *model, uint32_t frame,
                                            const md5_mat34 *palette, md5_error *error);
MD5GL_API bool md5gl_has_impostor_pictures(const md5gl_impostors *impostors, uint32_t frame);

// One impostor. 40 bytes, read by the GPU as they are.
typedef struct md5gl_impostor {
    md5_quat rotation;    // model to world, unit length
    md5_vec3 translation; // model to world, units
    float scale;          // model to world, above 0
    float frame;          // rounded to the nearest; VOLUME blends neighbouring frames
    float shown;          // share of its pixels, 0..1; only 1 casts shadows
} md5gl_impostor;

// Sets the instances, until the next call; initially there are none. instances[count] is read
// during the call. Returns false with MD5_ERROR_RANGE and leaves none if a frame has no pictures.
MD5GL_API bool md5gl_pose_impostors(md5gl_renderer *renderer, md5gl_impostors *impostors,
                                    const md5gl_impostor *instances, uint32_t count,
                                    md5_error *error);

// Draws all instances into the shadow maps, before anything lit. Does nothing if the frame's
// `casters` are empty. Each shows its pictures towards the key light, and from below.
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
