// md5quake: what the MD5 models of the Quake and Quake II re-releases have beside them: skins that
// are found by their names, and scales of joints.
//
// Both games play by frame numbers: md5_moment_from_frames(), and md5_bind(), which matches joints
// by name if an animation lacks some. Quake shows frame n of its .mdl as frame n of the animation,
// Quake II frame n modulo anim->num_frames; the file's frame rate is not used. Their roots stay as
// in the file: MD5_ROOT_FILE.
#ifndef MD5QUAKE_H
#define MD5QUAKE_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- Skins of Quake -------------------------------------------------------------------------------

enum { MD5_QUAKE_MAX_SKINS = 32, MD5_QUAKE_MAX_IMAGES = 4 };

// The skins of a mesh: skin s has the images 0 to num_images[s] - 1. If a game asks for a skin that
// is not there, vkQuake draws the .mdl instead.
typedef struct md5_quake_skins {
    uint32_t num_skins;                       // 0 = none was found
    uint32_t num_images[MD5_QUAKE_MAX_SKINS]; // 1 to 4; more than one are shown in turn
} md5_quake_skins;

// Whether there is an image of this name, in any format: names have no extension.
typedef bool md5_quake_has_image(void *user, const char *name);

// Writes the name of an image, SHADER_SS_FF, and a NUL to text[size], cut if it is too long.
// Returns the length of the uncut name. `shader` is that of the mesh; the games look for the name
// as it is, in progs/ and in textures/. An image that glows has _glow or _luma behind its name.
MD5_API size_t md5_quake_image_name(const char *shader, uint32_t skin, uint32_t image, char *text,
                                    size_t size);

// Finds the skins of a mesh: from 0 on, as long as there is an image 0.
MD5_API void md5_find_quake_skins(const char *shader, md5_quake_has_image *has_image, void *user,
                                  md5_quake_skins *skins);

// Returns the image that a skin shows at a time in seconds, ten a second in turn: of 2 images 0 1,
// of 3 as in vkQuake 0 1 2 0. 0 if there is no such skin.
MD5_API uint32_t md5_quake_image_at(const md5_quake_skins *skins, uint32_t skin, double time);

// -- Scales of Quake II ---------------------------------------------------------------------------

typedef struct md5_scale_key {
    uint32_t frame;
    float scale;
} md5_scale_key;

// A joint of an animation that is scaled at some frames. It is 1 at all others.
typedef struct md5_scaled_joint {
    uint32_t joint;       // of the animation
    bool scales_position; // its own translation, too
    uint32_t num_keys;
    const md5_scale_key *keys; // [num_keys] by ascending frame
} md5_scaled_joint;

// A .md5scale file, which belongs to an animation. Models without one cost nothing: scales change
// poses and palettes after they are computed.
typedef struct md5_scales {
    uint32_t num_joints;
    const md5_scaled_joint *joints; // [num_joints] by ascending joint
    uint32_t num_warnings;
    size_t size;
    md5_allocator allocator;
} md5_scales;

// Loads the scales of an animation, JSON of this form:
//   { "joint": { "scale_positions": true, "12": 0.5, "13": 0 } }
// with frames from 0 on. Unknown joints and frames are warnings. `opts` and `error` may be NULL.
// Returns NULL on failure. Keeps no pointer to `anim`. Memory is linear in the sizes of the text
// and of the animation's joints; so is time, but for sorting.
MD5_API md5_scales *md5_load_scales(const char *path, const md5_anim *anim,
                                    const md5_load_opts *opts, md5_error *error);
MD5_API md5_scales *md5_parse_scales(const void *text, size_t size, const md5_anim *anim,
                                     const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_scales(md5_scales *scales); // NULL is allowed

// Returns the scale of a joint of the animation at a moment. As in Quake II, it is not
// interpolated: between two frames it is that of the later one. 1 if the joint is not scaled.
MD5_API float md5_scale_at(const md5_scales *scales, uint32_t joint, const md5_moment *moment);

// Scales the translations of joints with scales_position: call it between md5_sample() and
// md5_local_to_model(). pose[model joints].
MD5_API void md5_scale_pose(const md5_scales *scales, const md5_binding *binding,
                            const md5_moment *moment, md5_xform *pose);

// Scales what hangs on each scaled joint, but not the joints below it: changes palette[model
// joints] of joints[model joints], as md5_local_to_palette() writes both. A vertex becomes the
// joint's position plus scale times its rotated offset.
MD5_API void md5_scale_palette(const md5_scales *scales, const md5_binding *binding,
                               const md5_moment *moment, const md5_mat34 *joints,
                               md5_mat34 *palette);

#ifdef __cplusplus
}
#endif

#endif
