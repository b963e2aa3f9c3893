// md5dialects: what other engines have beside their MD5 models: Cube 2's scripts, the skins and
// scales of the Quake re-releases.
//
// Space, memory and threads: see md5model.h.
#ifndef MD5DIALECTS_H
#define MD5DIALECTS_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// == Cube 2 ======================================================================================
//
// The models of Cube 2's engines (Sauerbraten, Tesseract, Red Eclipse), as the md5.cfg
// file of each describes them: which meshes and animations they consist of, and how they look.
//
//   md5_cube2 *cube = md5_load_cube2("data/actors/drone/md5.cfg", NULL, NULL, &error);
//   md5_model *model = md5_load_model(cube->parts[0].mesh, NULL, &error);
//
// An md5.cfg is a script. Its commands are read in order, `exec` reads other files, variables and
// `if` with a plain condition work; expressions are not evaluated. Whatever is not understood is a
// warning with its location, as in the engines, and reading goes on.
//
// Space: everything here is in id's axes and the units of the .md5mesh. (The engines mirror y.)
// Memory: a cube is freed as a whole and read-only. Threads: as md5model.h.

// A texture: "<dds>skin.png" has the commands "<dds>".
typedef struct md5_cube2_image {
    const char *path;     // NULL = none
    const char *commands; // what stands in <> before the name, "" = nothing
} md5_cube2_image;

typedef enum md5_cube2_switch { MD5_CUBE2_UNSET, MD5_CUBE2_OFF, MD5_CUBE2_ON } md5_cube2_switch;

// How a mesh looks. Begin with md5_build_cube2_look().
typedef struct md5_cube2_look {
    md5_cube2_image texture, masks, normal_map;
    const char *environment;    // name of a cube map, relative to the game's textures; NULL = none
    const char *shader;         // name of a shader of the game; NULL = the usual one
    float environment_range[2]; // by the masks: largest, smallest; 0 0 = not set
    float specular, ambient, glow; // percent as in the file; -1 = not set
    float glare[2];                // of specular light, of glow; 0 = none
    float alpha_test;              // texels below this alpha are left out; 0 = none; -1 = not set
    md5_cube2_switch alpha_blend, cull_face;
    int32_t materials[2]; // Red Eclipse: which colors of a player it takes; 0 = none
    float scroll[2];
    float fullbright;     // 0 = lit
    uint64_t reserved[4]; // 0
} md5_cube2_look;

// A line that sets how meshes look. md5_build_cube2_look() applies them.
typedef struct md5_cube2_row {
    const char *word; // "md5skin", "md5bumpmap", ...
    const char *mesh; // name of a mesh, or "*" for all
    md5_cube2_image images[2];
    float numbers[2];
} md5_cube2_row;

// Where something can be attached: `transform` is relative to the joint.
typedef struct md5_cube2_tag {
    const char *joint, *name;
    md5_xform transform;
} md5_cube2_tag;

// A joint that follows the view up and down: by clamp(pitch * scale + offset, min, max) degrees.
typedef struct md5_cube2_pitch {
    const char *joint; // "" = the whole part
    float scale, offset, min, max;
} md5_cube2_pitch;

// A change of a joint in animations: see md5_cube2_adjust_pose().
typedef struct md5_cube2_adjustment {
    const char *joint;
    float yaw, pitch, roll; // degrees, as in the file: about down, right and forward
    md5_vec3 translation;
} md5_cube2_adjustment;

// An animation. Which of its frames: md5_cube2_anim_range().
typedef struct md5_cube2_anim {
    const char *names; // what it is used for: see md5_find_cube2_anim()
    const char *file;
    float frame_rate; // frames a second, which replace the file's; > 0
    int32_t priority;
    int32_t start, end;       // as in the file; 0 = none
    uint32_t mask;            // index of one of the part's masks
    uint32_t num_adjustments; // the part's first ones apply; of one joint only the last of these
} md5_cube2_anim;

// The joints that a group of animations moves: those at and below `joints`, without those at and
// below the ones that begin with !.
typedef struct md5_cube2_mask {
    uint32_t num_joints;       // 0 = all of the part
    const char *const *joints; // [num_joints]
} md5_cube2_mask;

typedef struct md5_cube2_part {
    const char *mesh;     // the .md5mesh
    const char *skeleton; // parts with the same name share joints and animations; "" = its own
    float smooth;         // normals are smoothed up to this angle, degrees; 0 = the file's
    uint32_t num_tags, num_pitches, num_adjustments, num_anims, num_masks, num_rows;
    const md5_cube2_tag *tags;
    const md5_cube2_pitch *pitches;
    const md5_cube2_adjustment *adjustments;
    const md5_cube2_anim *anims;
    const md5_cube2_mask *masks; // [num_masks] the first one has all joints
    const md5_cube2_row *rows;
} md5_cube2_part;

// Part `child` is attached to a tag of part `parent`.
typedef struct md5_cube2_link {
    uint32_t parent, child;
    const char *tag;
    md5_vec3 translation;
} md5_cube2_link;

// Any other line: collision, shadow, ragdoll and so on.
typedef struct md5_cube2_setting {
    const char *word; // "mdlspin", "rdvert", ...
    uint32_t num_values;
    const char *const *values; // [num_values]
} md5_cube2_setting;

typedef struct md5_cube2 {
    uint32_t num_parts; // >= 1
    const md5_cube2_part *parts;
    uint32_t num_links;
    const md5_cube2_link *links;
    float scale;            // game units per unit of the file: `mdlscale` percent / 4
    md5_vec3 translation;   // applied before that scale
    float yaw, pitch, roll; // degrees
    uint32_t num_settings;
    const md5_cube2_setting *settings;
    uint32_t num_warnings; // of the load, reported or not
} md5_cube2;

// Loads an md5.cfg. If there is none, the model is FOLDER/FOLDER.md5mesh with
// FOLDER/FOLDER.md5anim, if these can be opened.
//
// `root` is the folder of the game's data, which `exec` and `md5dir` are relative to. NULL: the
// part of the path before `packages/models/`, else the part up to `data/`, else the current folder.
// The paths of the result begin with it; only .cfg files are read, and the two default files to see
// if they can be opened. `opts` and `error` may be NULL; of the options allocator,
// files, warn and max_warnings are used. Returns NULL on failure. Free with md5_free_cube2(). Reads
// at most 64 files, nested at most 16 deep; time and memory are linear in their sizes.
MD5_GAME_API md5_cube2 *md5_load_cube2(const char *path, const char *root,
                                       const md5_load_opts *opts, md5_error *error);
MD5_GAME_API void md5_free_cube2(md5_cube2 *cube); // NULL is allowed

// Returns the index of the animation that a part plays for a name: the last one with the given mask
// whose pattern matches it; MD5_NONE if there is none, or if `name` is NULL. Alternatives of a
// pattern are separated by |, and * stands for a word, or the rest of one: "jump|pistol *" matches
// "jump" and "pistol reload".
MD5_GAME_API uint32_t md5_find_cube2_anim(const md5_cube2_part *part, uint32_t mask,
                                          const char *name);

// Writes which frames of a file with `num_frames` frames an animation plays: the first one, and how
// many, at least 1.
MD5_GAME_API void md5_cube2_anim_range(const md5_cube2_anim *anim, uint32_t num_frames,
                                       uint32_t *first, uint32_t *count);

// Writes how a mesh looks, from all rows for it; of rows of one kind the last one counts.
MD5_GAME_API void md5_build_cube2_look(const md5_cube2_part *part, const char *mesh,
                                       md5_cube2_look *look);

// Applies the adjustments of an animation to pose[skeleton->num_joints], as md5_sample() writes it.
// As in the engines a rotation is applied on the left, and changes the translation of its joint
// only along its axis. Time grows with the number of adjustments times that of joints and
// adjustments.
MD5_GAME_API void md5_cube2_adjust_pose(const md5_cube2_part *part, const md5_cube2_anim *anim,
                                        const md5_skeleton *skeleton, md5_xform *pose);

// == Quake and Quake II ==========================================================================
//
// What the MD5 models of the Quake and Quake II re-releases have beside them: skins that
// are found by their names, and scales of joints.
//
// Both games play by frame numbers: md5_moment_from_frames(), and md5_bind(), which matches joints
// by name if an animation lacks some. Quake shows frame n of its .mdl as frame n of the animation,
// Quake II frame n modulo anim->num_frames; the file's frame rate is not used. Their roots stay as
// in the file: MD5_ROOT_FILE.

// -- Skins of Quake -------------------------------------------------------------------------------

enum { MD5_MAX_QUAKE_SKINS = 32, MD5_MAX_QUAKE_IMAGES = 4 };

// The skins of a mesh: skin s has the images 0 to num_images[s] - 1. If a game asks for a skin that
// is not there, vkQuake draws the .mdl instead.
typedef struct md5_quake_skins {
    uint32_t num_skins;                       // 0 = none was found
    uint32_t num_images[MD5_MAX_QUAKE_SKINS]; // 1 to 4; more than one are shown in turn
    uint64_t reserved[2];                     // 0
} md5_quake_skins;

// Whether there is an image of this name, in any format: names have no extension.
typedef bool md5_quake_has_image(void *user, const char *name);

// Writes the name of an image, SHADER_SS_FF, and a NUL to text[size], cut if it is too long.
// Returns the length of the uncut name. `shader` is that of the mesh; the games look for the name
// as it is, in progs/ and in textures/. An image that glows has _glow or _luma behind its name.
MD5_GAME_API size_t md5_quake_image_name(const char *shader, uint32_t skin, uint32_t image,
                                         char *text, size_t size);

// Finds the skins of a mesh: from 0 on, as long as there is an image 0.
MD5_GAME_API void md5_build_quake_skins(const char *shader, md5_quake_has_image *has_image,
                                        void *user, md5_quake_skins *skins);

// Returns the image that a skin shows at a time in seconds, ten a second in turn: of 2 images 0 1,
// of 3 as in vkQuake 0 1 2 0. 0 if there is no such skin.
MD5_GAME_API uint32_t md5_quake_image_at(const md5_quake_skins *skins, uint32_t skin, double time);

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
    md5_internal internal;
} md5_scales;

// Loads the scales of an animation, JSON of this form:
//   { "joint": { "scale_positions": true, "12": 0.5, "13": 0 } }
// with frames from 0 on. Unknown joints and frames are warnings. `opts` and `error` may be NULL.
// Returns NULL on failure. Keeps no pointer to `anim`. Memory is linear in the sizes of the text
// and of the animation's joints; so is time, but for sorting.
MD5_GAME_API md5_scales *md5_load_scales(const char *path, const md5_anim *anim,
                                         const md5_load_opts *opts, md5_error *error);
MD5_GAME_API md5_scales *md5_parse_scales(const void *text, size_t size, const md5_anim *anim,
                                          const md5_load_opts *opts, md5_error *error);
MD5_GAME_API void md5_free_scales(md5_scales *scales); // NULL is allowed

// Scales the translations of joints with scales_position: call it between md5_sample() and
// md5_local_to_model(). pose[model joints]. As in Quake II,
// scales are not interpolated: between two frames that of the later one counts.
MD5_GAME_API void md5_scale_pose(const md5_scales *scales, const md5_binding *binding,
                                 md5_moment moment, md5_xform *pose);

// Scales what hangs on each scaled joint, but not the joints below it: changes palette[model
// joints] of joints[model joints], as md5_local_to_palette() writes both. A vertex becomes the
// joint's position plus scale times its rotated offset.
MD5_GAME_API void md5_scale_palette(const md5_scales *scales, const md5_binding *binding,
                                    md5_moment moment, const md5_mat34 *joints, md5_mat34 *palette);

#ifdef __cplusplus
}
#endif

#endif
