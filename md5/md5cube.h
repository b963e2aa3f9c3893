// md5cube: the models of Cube 2's engines (Sauerbraten, Tesseract, Red Eclipse), as the md5.cfg
// file of each describes them: which meshes and animations they consist of, and how they look.
//
//   md5_cube *cube = md5_load_cube2("data/actors/drone/md5.cfg", NULL, NULL, &error);
//   md5_model *model = md5_load_model(cube->parts[0].mesh, NULL, &error);
//
// An md5.cfg is a script. Its commands are read in order, `exec` reads other files, variables and
// `if` with a plain condition work; expressions are not evaluated. Whatever is not understood is a
// warning with its location, as in the engines, and reading goes on.
//
// Space: everything here is in id's axes and the units of the .md5mesh. (The engines mirror y.)
// Memory: a cube is freed as a whole and read-only. Threads: as md5model.h.
#ifndef MD5CUBE_H
#define MD5CUBE_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// A texture: "<dds>skin.png" has the commands "<dds>".
typedef struct md5_cube_image {
    const char *path;     // NULL = none
    const char *commands; // what stands in <> before the name, "" = nothing
} md5_cube_image;

// How a mesh looks. Begin with md5_build_cube2_look().
typedef struct md5_cube_skin {
    md5_cube_image texture, masks, normal_map;
    const char *environment;    // name of a cube map, relative to the game's textures; NULL = none
    const char *shader;         // name of a shader of the game; NULL = the usual one
    float environment_range[2]; // by the masks: largest, smallest; 0 0 = not set
    float specular, ambient, glow;  // percent as in the file; -1 = not set
    float glare[2];                 // of specular light, of glow; 0 = none
    float alpha_test;               // texels below this alpha are left out; 0 = none; -1 = not set
    int32_t alpha_blend, cull_face; // 1 = yes, 0 = no, -1 = not set
    int32_t materials[2];           // Red Eclipse: which colors of a player it takes; 0 = none
    float scroll[2];
    float fullbright; // 0 = lit
} md5_cube_skin;

// A line that sets how meshes look. md5_build_cube2_look() applies them.
typedef struct md5_cube_row {
    const char *word; // "md5skin", "md5bumpmap", ...
    const char *mesh; // name of a mesh, or "*" for all
    md5_cube_image images[2];
    float numbers[2];
} md5_cube_row;

// Where something can be attached: `transform` is relative to the joint.
typedef struct md5_cube_tag {
    const char *joint, *name;
    md5_xform transform;
} md5_cube_tag;

// A joint that follows the view up and down: by clamp(pitch * scale + offset, least, most) degrees.
typedef struct md5_cube_pitch {
    const char *joint; // "" = the whole part
    float scale, offset, least, most;
} md5_cube_pitch;

// A change of a joint in animations: see md5_cube_adjust().
typedef struct md5_cube_adjustment {
    const char *joint;
    float yaw, pitch, roll; // degrees, as in the file: about down, right and forward
    md5_vec3 translation;
} md5_cube_adjustment;

// An animation. Which of its frames: md5_cube2_anim_range().
typedef struct md5_cube_anim {
    const char *names; // what it is used for: a pattern of md5_cube_matches()
    const char *file;
    float frame_rate; // frames a second, which replace the file's; > 0
    int32_t priority;
    int32_t start, end;       // as in the file; 0 = none
    uint32_t mask;            // index of one of the part's masks
    uint32_t num_adjustments; // the part's first ones apply; of one joint only the last of these
} md5_cube_anim;

// The joints that a group of animations moves: those at and below `joints`, without those at and
// below the ones that begin with !.
typedef struct md5_cube_mask {
    uint32_t num_joints;       // 0 = all of the part
    const char *const *joints; // [num_joints]
} md5_cube_mask;

typedef struct md5_cube_part {
    const char *mesh;     // the .md5mesh
    const char *skeleton; // parts with the same name share joints and animations; "" = its own
    float smooth;         // normals are smoothed up to this angle, degrees; 0 = the file's
    uint32_t num_tags, num_pitches, num_adjustments, num_anims, num_masks, num_rows;
    const md5_cube_tag *tags;
    const md5_cube_pitch *pitches;
    const md5_cube_adjustment *adjustments;
    const md5_cube_anim *anims;
    const md5_cube_mask *masks; // [num_masks] the first one has all joints
    const md5_cube_row *rows;
} md5_cube_part;

// Part `child` is attached to a tag of part `parent`.
typedef struct md5_cube_link {
    uint32_t parent, child;
    const char *tag;
    md5_vec3 translation;
} md5_cube_link;

// Any other line: collision, shadow, ragdoll and so on.
typedef struct md5_cube_setting {
    const char *word; // "mdlspin", "rdvert", ...
    uint32_t num_values;
    const char *const *values; // [num_values]
} md5_cube_setting;

typedef struct md5_cube {
    uint32_t num_parts; // >= 1
    const md5_cube_part *parts;
    uint32_t num_links;
    const md5_cube_link *links;
    float scale;            // game units per unit of the file: `mdlscale` percent / 4
    md5_vec3 translation;   // applied before that scale
    float yaw, pitch, roll; // degrees
    uint32_t num_settings;
    const md5_cube_setting *settings;
    uint32_t num_warnings; // of the load, reported or not
} md5_cube;

// Loads an md5.cfg. If there is none, the model is FOLDER/FOLDER.md5mesh with
// FOLDER/FOLDER.md5anim, if these can be opened.
//
// `root` is the folder of the game's data, which `exec` and `md5dir` are relative to. NULL: the
// part of the path before `packages/models/`, else the part up to `data/`, else the current folder.
// The paths of the result begin with it; only .cfg files are read, and the two default files to see
// if they can be opened. `opts` and `error` may be NULL; of the options allocator, memory_limit,
// files, warn and max_warnings are used. Returns NULL on failure. Free with md5_free_cube2(). Reads
// at most 64 files, nested at most 16 deep; time and memory are linear in their sizes.
MD5_API md5_cube *md5_load_cube2(const char *path, const char *root, const md5_load_opts *opts,
                                 md5_error *error);
MD5_API void md5_free_cube2(md5_cube *cube); // NULL is allowed

// Returns whether a pattern matches the name of an animation. Alternatives are separated by |, and
// * stands for a word, or the rest of one: "jump|pistol *" matches "jump" and "pistol reload".
MD5_API bool md5_cube_matches(const char *pattern, const char *name);

// Returns the index of the animation that a part plays for a name: the last one with the given mask
// whose pattern matches it; -1 if there is none, or if `name` is NULL.
MD5_API int32_t md5_find_cube2_anim(const md5_cube_part *part, uint32_t mask, const char *name);

// Writes which frames of a file with `num_frames` frames an animation plays: the first one, and how
// many, at least 1.
MD5_API void md5_cube2_anim_range(const md5_cube_anim *anim, uint32_t num_frames, uint32_t *first,
                                  uint32_t *count);

// Writes how a mesh looks, from all rows for it; of rows of one kind the last one counts.
MD5_API void md5_build_cube2_look(const md5_cube_part *part, const char *mesh, md5_cube_skin *skin);

// Returns a joint's transform, relative to its parent, after an adjustment. As in the engines the
// rotation is applied on the left, and changes the translation only along its axis.
MD5_API md5_xform md5_cube_adjust(const md5_cube_adjustment *adjustment, md5_xform transform);

// Applies the adjustments of an animation to pose[skeleton->num_joints], as md5_sample() writes it.
// Time grows with the number of adjustments times that of joints and adjustments.
MD5_API void md5_cube2_adjust_pose(const md5_cube_part *part, const md5_cube_anim *anim,
                                   const md5_skeleton *skeleton, md5_xform *pose);

#ifdef __cplusplus
}
#endif

#endif
