// md5dialects: reads additional files of other engines that use MD5 models. Use it to load a model
// as these engines load it.
//
// - Cube 2: md5.cfg scripts, which list the meshes, animations and materials of a model.
// - Quake and Quake II re-releases: skins of a model, which are found by the names of image files,
//   and .md5scale files, which scale joints in an animation.
//
// md5model.h explains the coordinate system, and the rules for memory and threads.
#ifndef MD5DIALECTS_H
#define MD5DIALECTS_H

#include "md5model.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// == Cube 2 ======================================================================================
//
// Models of the Cube 2 engines: Sauerbraten, Tesseract and Red Eclipse. An md5.cfg file describes
// such a model.
//
//   md5_cube2 *cube = md5_load_cube2("data/actors/drone/md5.cfg", NULL, NULL, &error);
//   md5_model *model = md5_load_model(cube->parts[0].mesh, NULL, &error);
//
// An md5.cfg file is a script. The library executes its commands in order:
//
// - `exec` reads another file.
// - Variables, and `if` with a plain value as its condition, are supported.
// - Expressions are not evaluated.
// - Unsupported content causes a warning with its location, and reading continues. The engines do
//   the same.
//
// Coordinate system: all data has id's axes and the units of the .md5mesh file. The engines mirror
// the y axis; the library does not.
//
// Memory: md5_load_cube2() returns one read-only object, which owns all strings and arrays in it.

// A reference to an image file in a script. Commands for the engine's texture loader may precede
// the name of the file: in "<dds>skin.png", the commands are "<dds>".
typedef struct md5_cube2_image {
    const char *path; // path of the image file; if NULL, no image is set
    // Commands before the name of the file, including < and >. If it is "", there are no commands.
    const char *commands;
} md5_cube2_image;

// The value of an on/off setting of a script. A script does not have to contain the setting.
typedef enum md5_cube2_switch {
    MD5_CUBE2_UNSET, // the script does not contain the setting
    MD5_CUBE2_OFF,
    MD5_CUBE2_ON
} md5_cube2_switch;

// The material of a mesh. md5_build_cube2_material() computes it from the commands of a part.
typedef struct md5_cube2_material {
    // Image that contains the color of the surface.
    md5_cube2_image texture;
    // Image that contains the strength of specular light, glow and environment map.
    md5_cube2_image masks;
    // Image that contains the normals of the surface.
    md5_cube2_image normal_map;
    // Name of a cube map with the environment, relative to the game's textures. If NULL, the mesh
    // does not reflect an environment.
    const char *environment;
    // Name of a shader of the game. If NULL, the game's default shader is used.
    const char *shader;
    // Strength of the reflected environment, which `masks` varies between two numbers: [0] the
    // largest and [1] the smallest strength. Both numbers are 0 if the script does not set them.
    float environment_range[2];
    // Strength of specular light, ambient light and glow, in percent as in the script. If -1, the
    // script does not set the number.
    float specular, ambient, glow;
    // Strength of the glare (a halo around bright spots) of [0] specular light and [1] glow. If 0,
    // there is no glare.
    float glare[2];
    // Texels whose alpha is below this number are discarded. If 0, no texel is discarded; if -1,
    // the script does not set the number.
    float alpha_test;
    // If MD5_CUBE2_ON, the surface is blended with the background by the alpha of the texture.
    md5_cube2_switch alpha_blend;
    // If MD5_CUBE2_ON, the back sides of triangles are not drawn.
    md5_cube2_switch cull_face;
    // Indices of the player colors that are applied to the surface. If 0, no player color is
    // applied. Only models of Red Eclipse use them.
    int32_t materials[2];
    // Movement of the texture coordinates, with the numbers of the script.
    float scroll[2];
    // Brightness of the surface if it is not lit, with the number of the script. If 0, the surface
    // is lit.
    float fullbright;
    uint64_t reserved[4]; // always 0
} md5_cube2_material;

// A command of the script that changes the materials of meshes, for example "md5skin upper skin.png
// masks.png". md5_build_cube2_material() applies these commands.
typedef struct md5_cube2_material_command {
    // Name of the command, such as "md5skin" or "md5bumpmap".
    const char *keyword;
    const char *mesh;          // name of the mesh to change; "*" means all meshes
    md5_cube2_image images[2]; // images in the command, in the order of the script
    float values[2];           // numbers in the command, in the order of the script
} md5_cube2_material_command;

// A tag: a named point of a part (an .md5mesh file of a model), to which another part can be
// attached.
typedef struct md5_cube2_tag {
    const char *joint;   // name of the joint with which the tag moves
    const char *name;    // name of the tag, to which links refer
    md5_xform transform; // transform of the tag relative to the joint
} md5_cube2_tag;

// Describes a joint that follows the view of a player when the player looks up or down. The game
// rotates the joint by the following angle, in which `view` is the pitch of the view in degrees:
//
//   angle = clamp(view * scale + offset, min, max)
typedef struct md5_cube2_pitch {
    // Name of the joint. If it is "", the whole part is rotated.
    const char *joint;
    // Members of the formula above: `scale` is a factor, the other members are degrees.
    float scale, offset, min, max;
} md5_cube2_pitch;

// A constant rotation and translation of a joint in animations: see md5_cube2_adjust_pose().
typedef struct md5_cube2_adjustment {
    const char *joint; // name of the joint
    // Rotation of the joint, as in the file, in degrees: yaw around the axis down, pitch around the
    // axis to the right and roll around the axis forward.
    float yaw, pitch, roll;
    // Vector that is added to the position of the joint, with restrictions: see
    // md5_cube2_adjust_pose().
    md5_vec3 translation;
} md5_cube2_adjustment;

// An animation of a part of a model. md5_cube2_anim_range() computes which frames of the file it
// plays.
typedef struct md5_cube2_anim {
    // Patterns of the names of actions for which the animation is played: see
    // md5_find_cube2_anim().
    const char *names;
    const char *file; // path of the .md5anim file
    // Frames per second, above 0. It replaces the frame rate in the .md5anim file.
    float frame_rate;
    // Priority in the game, as in the script. The library does not use it.
    int32_t priority;
    // First frame, as in the script; md5_cube2_anim_range() explains the number. If 0, the script
    // does not set it.
    int32_t start;
    // Number of frames, as in the script; md5_cube2_anim_range() explains the number. If 0, the
    // script does not set it.
    int32_t end;
    // Index of the mask in md5_cube2_part.masks, which contains the joints that the animation
    // moves.
    uint32_t mask;
    // Number of adjustments that apply to this animation: the first num_adjustments elements of
    // md5_cube2_part.adjustments. If several of them name the same joint, the last one is used.
    uint32_t num_adjustments;
} md5_cube2_anim;

// A mask: the joints that a group of animations moves. These are the named joints and all their
// descendants. If a name begins with !, this joint and its descendants are excluded.
typedef struct md5_cube2_mask {
    // Number of names. If 0, the mask contains all joints of the part.
    uint32_t num_joints;
    // [num_joints] Names of joints. A name that begins with ! excludes this joint and its
    // descendants.
    const char *const *joints;
} md5_cube2_mask;

// A part of a model: one .md5mesh file with its animations and materials.
typedef struct md5_cube2_part {
    const char *mesh; // path of the .md5mesh file
    // Name of the skeleton. Parts with the same name share their joints and animations. If it is
    // "", the part does not share them.
    const char *skeleton;
    // Angle in degrees. Normals are smoothed across an edge if the angle between its two triangles
    // is at most this number. If 0, the smoothing of the .md5mesh file is used.
    float smooth;
    uint32_t num_tags, num_pitches, num_adjustments, num_anims, num_masks, num_commands;
    // [num_tags] Points to which other parts can be attached.
    const md5_cube2_tag *tags;
    // [num_pitches] Joints that follow the view of a player.
    const md5_cube2_pitch *pitches;
    // [num_adjustments] Constant changes of joints in animations, in file order.
    const md5_cube2_adjustment *adjustments;
    const md5_cube2_anim *anims; // [num_anims] animations in file order
    // [num_masks] Sets of joints that animations move. The first mask contains all joints.
    const md5_cube2_mask *masks;
    // [num_commands] Commands that set the materials of meshes, in file order.
    const md5_cube2_material_command *commands;
} md5_cube2_part;

// A connection of two parts of a model: the part `child` is attached to a tag of the part `parent`.
typedef struct md5_cube2_link {
    uint32_t parent, child; // indices of the two parts in md5_cube2.parts
    const char *tag;        // name of the tag of the parent
    // Translation of the child in addition to the transform of the tag.
    md5_vec3 translation;
} md5_cube2_link;

// A command of the script that only games need, such as a setting for collision, shadows or
// ragdolls. The library returns its arguments unchanged.
typedef struct md5_cube2_setting {
    // Name of the command, such as "mdlspin" or "rdvert".
    const char *keyword;
    uint32_t num_values;
    const char *const *values; // [num_values] arguments of the command
} md5_cube2_setting;

// A model: the content of an md5.cfg file. To place the model in the world of the game, add
// `translation` first, then apply `scale` and the rotation.
typedef struct md5_cube2 {
    uint32_t num_parts; // number of parts, at least 1
    // [num_parts] The parts, each of which is one .md5mesh file.
    const md5_cube2_part *parts;
    uint32_t num_links;
    // [num_links] The connections between parts.
    const md5_cube2_link *links;
    // Size of a unit of the .md5mesh file in units of the game. `mdlscale` is the percentage in the
    // command of this name, 100 if the script does not contain it:
    //   scale = mdlscale / 100 / 4
    float scale;
    // Translation of the model in units of the .md5mesh file. It is applied before `scale` and the
    // rotation.
    md5_vec3 translation;
    float yaw, pitch, roll; // rotation of the model around its axes, in degrees
    uint32_t num_settings;
    // [num_settings] Commands that only games need.
    const md5_cube2_setting *settings;
    // Number of warnings that the load produced, including those that were not passed to a
    // callback.
    uint32_t num_warnings;
    md5_internal internal;
} md5_cube2;

// Loads a model from an md5.cfg file. Free the result with md5_free_cube2(). The function does not
// load meshes, animations and images; it returns their paths. If the md5.cfg file does not exist,
// the model consists of FOLDER/FOLDER.md5mesh and, if it exists, FOLDER/FOLDER.md5anim, where
// FOLDER is the folder of the missing file.
//
// `root` is the data folder of the game. Paths in the commands `exec` and `md5dir` are relative to
// it, and all paths in the result begin with it. If `root` is NULL, the function uses the first of
// these folders that exists in `path`:
//
// - the part of the path before "packages/models/"
// - the part of the path up to and including "data/"
// - the current folder
//
// `opts` and `error` may be NULL. The members allocator, files, warn and max_warnings of the
// options are used. Returns NULL and writes an error on failure. At most 64 files are read, and
// `exec` may be nested at most 16 deep. Time and memory are linear in the sizes of the files.
MD5_GAME_API md5_cube2 *md5_load_cube2(const char *path, const char *root,
                                       const md5_load_opts *opts, md5_error *error);

// Frees a model. NULL is allowed and has no effect.
MD5_GAME_API void md5_free_cube2(md5_cube2 *cube);

// Finds the animation that a part plays for an action, such as "jump". Returns the index of the
// last animation in part->anims whose mask is `mask` and whose patterns match `name`. Returns
// MD5_NONE if there is no such animation, or if `name` is NULL.
//
// Patterns in md5_cube2_anim.names are separated by |. The character * matches one or more
// characters except blanks. For example, "jump|pistol *" matches "jump" and "pistol reload".
MD5_GAME_API uint32_t md5_find_cube2_anim(const md5_cube2_part *part, uint32_t mask,
                                          const char *name);

// Computes the frames of an .md5anim file that an animation plays. `num_frames`, at least 1, is the
// number of frames of the file. Writes the index of the first frame to *first, and the number of
// frames, at least 1, to *count. The numbers in the script have this meaning:
//
//   anim->start >= 0: the first frame; it is reduced to the last frame of the file if necessary
//   anim->start < 0:  the first frame, counted from the end of the file
//   anim->end > 0:    the number of frames; it is reduced to the available frames if necessary
//   anim->end == 0:   all frames from the first frame on
//   anim->end < 0:    all frames from the first frame on, without the last -anim->end frames
MD5_GAME_API void md5_cube2_anim_range(const md5_cube2_anim *anim, uint32_t num_frames,
                                       uint32_t *first, uint32_t *count);

// Computes the material of a mesh, which a renderer needs to draw it. Applies all commands of the
// part that name this mesh or "*". If several commands have the same keyword, the last command is
// used.
MD5_GAME_API void md5_build_cube2_material(const md5_cube2_part *part, const char *mesh,
                                           md5_cube2_material *material);

// Applies the adjustments of an animation to a pose. Call this function after md5_sample(), which
// writes pose[skeleton->num_joints].
//
// The result is the same as in the engines: the rotation of an adjustment is multiplied by the
// rotation of the joint from the left. It changes only the component of the joint's translation
// along the rotation axis. The time is proportional to the number of adjustments, multiplied by the
// sum of the numbers of joints and adjustments.
MD5_GAME_API void md5_cube2_adjust_pose(const md5_cube2_part *part, const md5_cube2_anim *anim,
                                        const md5_skeleton *skeleton, md5_xform *pose);

// == Quake and Quake II ==========================================================================
//
// Additional files of the MD5 models in the re-releases of Quake and Quake II. Programs that
// display these models should follow these rules of the games:
//
// - Animations are played by frame numbers, so the frame rate in the .md5anim file is not used. Use
//   md5_sample_position_from_frames(). Quake plays frame n of the .md5anim file instead of frame n
//   of the .mdl file. Quake II plays frame n modulo anim->num_frames.
// - Some animations do not contain all joints of the model. md5_bind() matches joints by their
//   names, so these animations can be used.
// - Root joints are used as in the file: pass MD5_ROOT_FILE to md5_sample().

// -- Skins of Quake -------------------------------------------------------------------------------

// Largest number of skins of a mesh, and largest number of images of a skin.
enum { MD5_MAX_QUAKE_SKINS = 32, MD5_MAX_QUAKE_IMAGES = 4 };

// The skins of a mesh: alternative sets of images, of which the game selects one by its index. A
// skin with several images is animated. If a game requests a skin that does not exist, vkQuake
// draws the .mdl file instead.
typedef struct md5_quake_skins {
    uint32_t num_skins; // number of skins that were found
    // [num_skins] Number of images of each skin, 1 to 4. The images are shown in sequence.
    uint32_t num_images[MD5_MAX_QUAKE_SKINS];
    uint64_t reserved[2]; // always 0
} md5_quake_skins;

// Callback that checks if an image exists. `name` does not have a file extension. Returns true if a
// file with this name exists in any image format.
typedef bool md5_quake_has_image(void *user, const char *name);

// Writes the name of an image of a skin, and a NUL, to text[size]. The name is SHADER_SS_FF: the
// shader of the mesh, the index of the skin and the index of the image, both with two digits. A
// name that does not fit is truncated. Returns the length of the whole name.
//
// The games search for this name at three paths: the name itself, in progs/ and in textures/.
// Images of glowing parts have the same name with the suffix _glow or _luma.
MD5_GAME_API size_t md5_quake_image_name(const char *shader, uint32_t skin, uint32_t image,
                                         char *text, size_t size);

// Finds the skins of a mesh. Calls `has_image` for the names of md5_quake_image_name() with skin 0,
// skin 1 and so on, and stops at the first skin that does not have an image with index 0. `shader`
// is the shader of the mesh. Writes the result to *skins.
MD5_GAME_API void md5_build_quake_skins(const char *shader, md5_quake_has_image *has_image,
                                        void *user, md5_quake_skins *skins);

// Returns the index of the image that a skin shows at a time in seconds. The image changes ten
// times per second. The sequence of images is repeated:
//
//   2 images: 0 1
//   3 images: 0 1 2 0, as in vkQuake
//   4 images: 0 1 2 3
//
// Returns 0 if the skin does not exist.
MD5_GAME_API uint32_t md5_quake_image_at(const md5_quake_skins *skins, uint32_t skin, double time);

// -- Scales of Quake II ---------------------------------------------------------------------------
//
// An .md5scale file belongs to an .md5anim file and scales joints in some of its frames. A scale of
// 0 hides the vertices of a joint, because they collapse to one point. Scales are applied to poses
// and palettes after these have been computed, so models without scales have no additional cost.

// A key of a scaled joint: the scale of the joint in one frame.
typedef struct md5_scale_key {
    // Index of the frame. The first frame has the index 0.
    uint32_t frame;
    // Factor by which the joint is scaled. 1 does not change the joint.
    float scale;
} md5_scale_key;

// A joint of an animation that is scaled in some frames. In all other frames its scale is 1.
typedef struct md5_scaled_joint {
    uint32_t joint; // index of the joint in the animation
    // If true, the translation of the joint relative to its parent is scaled too.
    bool scales_position;
    uint32_t num_keys;
    const md5_scale_key *keys; // [num_keys] scales in some frames, by ascending frame
} md5_scaled_joint;

// The content of an .md5scale file: the joints of an animation that are scaled in some frames.
typedef struct md5_scales {
    uint32_t num_joints;
    // [num_joints] The scaled joints, by ascending index.
    const md5_scaled_joint *joints;
    uint32_t num_warnings; // number of warnings that the load produced
    size_t size;           // size of the scales in memory, in bytes
    md5_internal internal;
} md5_scales;

// Loads the .md5scale file of an animation. Free the result with md5_free_scales(). The file is
// JSON of this form, in which the members of a joint are frame numbers, starting at 0, with scales:
//
//   { "joint": { "scale_positions": true, "12": 0.5, "13": 0 } }
//
// Joints and frames that the animation does not contain cause warnings. `opts` and `error` may be
// NULL. Returns NULL and writes an error on failure. `anim` may be freed before the result. Memory
// is linear in the size of the file and the number of joints. Time is also linear, except for
// sorting.
MD5_GAME_API md5_scales *md5_load_scales(const char *path, const md5_anim *anim,
                                         const md5_load_opts *opts, md5_error *error);

// Parses the content of an .md5scale file in memory, text[size], by the rules of md5_load_scales().
MD5_GAME_API md5_scales *md5_parse_scales(const void *text, size_t size, const md5_anim *anim,
                                          const md5_load_opts *opts, md5_error *error);

// Frees scales. NULL is allowed and has no effect.
MD5_GAME_API void md5_free_scales(md5_scales *scales);

// Applies scales to the positions of joints: scales the translation of each joint with
// scales_position in pose[model joints]. Call this function after md5_sample() and before
// md5_local_to_model(), with the same binding and sample position as md5_sample().
//
// As in Quake II, scales are not interpolated: between two frames, the scale of the later frame is
// used.
MD5_GAME_API void md5_scale_pose(const md5_scales *scales, const md5_binding *binding,
                                 md5_sample_position sample, md5_xform *pose);

// Applies scales to the vertices of joints: changes the matrix of each scaled joint in
// palette[model joints]. Call this function after md5_local_to_palette(), which writes `palette`
// and joints[model joints]. Descendants of a scaled joint do not change. A vertex with one joint is
// moved as follows:
//
//   position = joint_position + scale * rotated_offset
//
// joint_position is the position of the joint, and rotated_offset is the offset of the vertex from
// the joint, rotated by the joint.
MD5_GAME_API void md5_scale_palette(const md5_scales *scales, const md5_binding *binding,
                                    md5_sample_position sample, const md5_mat34 *joints,
                                    md5_mat34 *palette);

#ifdef __cplusplus
}
#endif

#endif
