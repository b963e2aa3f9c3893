// md5game: the declarations of a Doom 3 game folder, read as the original engine reads them.
//
//   md5_game_path paths[] = {mod, base};                   // best first
//   md5_game *game = md5_create_game(paths, 2, NULL, &error);
//   const md5_material *material = md5_game_material(game, "models/imp/skin", &error);
//
// Declarations are text in materials/*.mtr, skins/*.skin, def/*.def and so on. Opening a game
// indexes which file declares which name; a declaration is parsed when it is first requested. A
// mistake in it is a warning; what becomes of the declaration is a matter of the md5_verdict.
//
// Memory: everything that is returned, except pictures and entities, belongs to the game, is
// read-only and stays valid until md5_destroy_game(). Errors: md5_game_*() fail only if memory runs
// out; NULL without an error: there is none of that name. Threads: parsing changes the game, so
// only one thread may use a game at a time; results may be read by all.
#ifndef MD5GAME_H
#define MD5GAME_H

#include "md5image.h" // beside this file also when installed, like the other
#include "md5skin.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Files ----------------------------------------------------------------------------------------

// A search path: a folder, an archive, or files in memory; valid until md5_destroy_game().
typedef struct md5_game_path {
    size_t num_files;
    // Returns the name of a file, relative to the search path, with / or \ between folders, valid
    // until the library function that called this one returns.
    const char *(*name)(void *user, size_t file);
    // As in md5_files. If *size is not 0 before the call, a file of more bytes need not be read.
    const void *(*open)(void *user, size_t file, size_t *size, md5_error *error);
    void (*close)(void *user, const void *bytes, size_t size);
    void *user;
    bool is_archive; // names become lower case; of two files of one name the last is used
    // Returns when a file was last changed, in a unit common to all search paths; 0: unknown, as
    // if this is NULL. Only for md5_image_opts.compressed_first. The engine has 0 for archives.
    int64_t (*time)(void *user, size_t file);
    uint64_t reserved[4]; // 0
} md5_game_path;

typedef struct md5_game md5_game;

// Opens a game from its search paths, best first. The engine's order: the mod before its base; in
// each the folder itself before its archives; archives by name, ignoring case, the last one first.
// A file hides all files of the same name in later paths. Case does not matter; messages use the
// spelling of the file that is used. Files named /... or with .. or :: are ignored.
//
// The array of paths is copied. Of `opts`, allocator, warn and max_warnings are used; both limits
// apply to the whole game. Time and memory are linear in the sizes of the names and files. Not
// read, with a warning: what cannot be; files of declarations of more than 16 MiB; declarations of
// more than 2 MiB; of an archive what is beyond 48 MiB, where each declaration counts as 320 bytes
// more; and what is beyond half of the allocator's limit.
MD5_GAME_API md5_game *md5_create_game(const md5_game_path *paths, size_t num_paths,
                                       const md5_load_opts *opts, md5_error *error);

MD5_GAME_API void md5_destroy_game(md5_game *game); // and all that it returned; NULL is allowed

// Returns how many declarations, or files of them, were not read to their end, as warnings say.
MD5_GAME_API uint32_t md5_game_num_unread(const md5_game *game);

// Returns the bytes that a game holds. What is parsed stays until it is freed, so a program that
// goes through all declarations of a large one may free it and open it again.
MD5_GAME_API size_t md5_game_memory(const md5_game *game);

// The files of a game, without hidden ones, in the order of the search paths. Names are spelled as
// in their paths, with / between folders. NULL if there is no such index.
MD5_GAME_API size_t md5_game_num_files(const md5_game *game);
MD5_GAME_API const char *md5_game_file(const md5_game *game, size_t index);

// Returns the index of the first search path, from `from` on, that has a file of this name, or
// MD5_NONE: from 0 on that of the file that is used, behind it those of hidden files. The name may
// have upper case, \ and a leading /; one with .. or :: is never found. Time: constant for the file
// that is used, else linear in the number of the paths' files.
MD5_GAME_API uint32_t md5_game_find_file(const md5_game *game, const char *name, uint32_t from);

// For md5_load_opts.files: md5_load_model("models/imp/imp.md5mesh") finds what the engine would.
MD5_GAME_API md5_files md5_game_files(md5_game *game);

// -- Declarations ---------------------------------------------------------------------------------

typedef enum md5_decl_type {
    MD5_DECL_TABLE,
    MD5_DECL_MATERIAL,
    MD5_DECL_SKIN,
    MD5_DECL_SOUND,
    MD5_DECL_ENTITY,
    MD5_DECL_MAP,
    MD5_DECL_FX,
    MD5_DECL_PARTICLE,
    MD5_DECL_ARTICULATED_FIGURE,
    MD5_DECL_PDA,
    MD5_DECL_EMAIL,
    MD5_DECL_VIDEO,
    MD5_DECL_AUDIO,
    MD5_DECL_MODEL,
    MD5_NUM_DECL_TYPES
} md5_decl_type;

typedef enum md5_decl_state {
    MD5_DECL_UNPARSED, // not requested yet
    MD5_DECL_PARSED,
    MD5_DECL_DEFAULTED // replaced by the default of its type, usually after a mistake
} md5_decl_state;

// What becomes of a declaration with a mistake, of which there is a warning in either case.
typedef enum md5_verdict {
    // Only the wrong part is dropped. Unknown words are skipped with the rest of their line; for
    // many words of RBDOOM, Prey, Quake 4 and The Dark Mod the warning names the engine. Unknown
    // tables read as 1. Missing commas, files and joints are ignored; unknown channels are kept.
    MD5_VERDICT_LENIENT,
    // As in Doom 3: most often the whole declaration is replaced by the default of its type.
    MD5_VERDICT_ENGINE
} md5_verdict;

// A declaration. Names are in lower case, with / between folders, and end before the last dot.
typedef struct md5_decl {
    md5_decl_type type;
    md5_decl_state state;
    const char *name;
    const char *file; // "materials/imp.mtr"; NULL if it is implicit: see md5_game_material()
    uint32_t line;    // as in the engine: where the declaration before it ends
    uint32_t index;   // among those of its type
    const char *text; // [size] from the end of the declaration before it to its last brace
    size_t size;
    const struct md5_decl *hidden; // the next of this type and name, without effect; or NULL
} md5_decl;

// The declarations of a type, in the order in which the engine finds them: files by folder and
// name, ignoring case; implicit ones last, as they are made. NULL: no such index.
MD5_GAME_API uint32_t md5_game_num_decls(const md5_game *game, md5_decl_type type);
MD5_GAME_API const md5_decl *md5_game_decl(const md5_game *game, md5_decl_type type,
                                           uint32_t index);

// Sets the verdict for all later calls, initially MD5_VERDICT_LENIENT; earlier results stay. Each
// verdict has its own declarations, with equal indices except for implicit ones. The first change
// takes time and memory linear in their number, unless nothing was requested yet.
MD5_GAME_API bool md5_game_set_verdict(md5_game *game, md5_verdict verdict, md5_error *error);

// Finds a declaration, without parsing it, by a name as in any file: Textures\Rock.tga. NULL: none.
MD5_GAME_API const md5_decl *md5_find_decl(const md5_game *game, md5_decl_type type,
                                           const char *name);

// -- Tables ---------------------------------------------------------------------------------------

typedef struct md5_table {
    const md5_decl *decl;
    bool is_snapped;     // not interpolated
    bool is_clamped;     // held at its ends instead of repeated
    uint32_t num_values; // >= 1
    // [num_values + 1] the first one again at the end. x = 1 of md5_evaluate_material() is the end
    // of the table; a table of one value is 1 everywhere, as in the engine.
    const float *values;
} md5_table;

MD5_GAME_API const md5_table *md5_game_table(md5_game *game, const char *name, md5_error *error);

// -- Images ---------------------------------------------------------------------------------------

// Returns the file of an image, as its search path spells it, or NULL if there is none. A name
// without an extension, or with .tga, means the .tga file, or else the .jpg file. Built-in images,
// whose names begin with _, have no file.
MD5_GAME_API const char *md5_game_image_file(const md5_game *game, const char *name);

// Parses an image program, written as in a material: "heightmap( textures/rock_h.tga, 4 )". Missing
// tokens are warnings; a text of more than 255 bytes is cut to these, as in the engine.
MD5_GAME_API bool md5_game_image_program(md5_game *game, const char *text,
                                         md5_image_program *program, md5_error *error);

// Loads the files of a program and computes its picture. A name without an extension, or with .tga,
// means the .tga file; if that is missing or damaged, the .jpg, then the .png file; a name with
// another extension only that file. The compressed forms in dds/, of each file and of the whole
// program, are tried last; with opts->compressed_first that of the whole program is tried first.
//
// If the program is only the name of a built-in picture (_default, _white, _black, _flat, _ambient,
// _alphaNotch, _ramp, _alphaRamp, _borderClamp, _noFalloff, _specularTable, _specular2DTable,
// _quadratic, _fog, _fogEnter, _normalCubeMap, _scratchCubeMap), the result is that picture, even
// if there is a file of this name; those that the engine makes while drawing, such as
// _currentRender, are errors (MD5_ERROR_MISMATCH). Cube maps are 6 times as high as wide: the sides
// +x, -x, +y, -y, +z, -z one below another. Inside larger programs the engine looks for files of
// these names; the lenient verdict uses the built-in pictures there, too.
//
// If a file is damaged and another form of it is read instead, that is a warning of the game. On
// failure error->file is the name in the program, and the message lists each file that was tried
// and why it failed. Of `opts` file_name is not used. Free the result with md5_free_image().
MD5_GAME_API md5_image *md5_load_image(md5_game *game, const md5_image_program *program,
                                       const md5_image_opts *opts, md5_error *error);

// -- Materials ------------------------------------------------------------------------------------

typedef enum md5_stage_light {
    MD5_STAGE_AMBIENT, // drawn after light, as its blend says
    MD5_STAGE_BUMP,
    MD5_STAGE_DIFFUSE,
    MD5_STAGE_SPECULAR
} md5_stage_light;

// Bits of md5_stage.bits. The lowest four: the blend's source factor (0 one, 1 zero, 3 destination
// color, 4 one minus that, 5 source alpha, 6 one minus that, 7 destination alpha, 8 one minus that,
// 9 source alpha saturated), the next four: the destination factor (0 zero, 2 one, 3 source color,
// 4 one minus that, 5 source alpha, 6 one minus that, 7 destination alpha, 8 one minus that).
enum {
    MD5_STAGE_NO_DEPTH = 0x100, // do not write depth
    MD5_STAGE_NO_RED = 0x200,
    MD5_STAGE_NO_GREEN = 0x400,
    MD5_STAGE_NO_BLUE = 0x800,
    MD5_STAGE_NO_ALPHA = 0x1000,
    MD5_STAGE_DEPTH_EQUAL = 0x20000 // draw where depth is equal, else where it is nearer or equal
};

typedef enum md5_texgen {
    MD5_TEXGEN_EXPLICIT, // the vertex's own coordinates
    MD5_TEXGEN_NORMAL,
    MD5_TEXGEN_REFLECT,
    MD5_TEXGEN_SKYBOX,
    MD5_TEXGEN_WOBBLE_SKY,
    MD5_TEXGEN_SCREEN,
    MD5_TEXGEN_SCREEN2,
    MD5_TEXGEN_GLASS_WARP
} md5_texgen;

typedef enum md5_vertex_color {
    MD5_VERTEX_COLOR_IGNORE,
    MD5_VERTEX_COLOR_MODULATE,
    MD5_VERTEX_COLOR_INVERSE
} md5_vertex_color;

// Shader programs, by name, with their inputs. A name is NULL if there is no such program.
enum { MD5_MAX_FRAGMENT_IMAGES = 8, MD5_MAX_VERTEX_PARMS = 4 };
typedef struct md5_stage_program {
    const char *vertex, *fragment;
    uint32_t num_vertex_parms, num_images;
    uint32_t vertex_parms[MD5_MAX_VERTEX_PARMS][4]; // registers
    md5_image_program images[MD5_MAX_FRAGMENT_IMAGES];
    md5_image_repeat repeat[MD5_MAX_FRAGMENT_IMAGES];
} md5_stage_program;

// One stage. Numbers that may change with time are indices of registers: md5_evaluate_material().
typedef struct md5_stage {
    md5_stage_light light;
    uint32_t bits;
    md5_image_program image; // image.text is "" if there is a video or a dynamic image instead
    md5_image_repeat repeat;
    md5_image_filter filter;
    md5_image_cube cube;
    bool no_picmip, high_quality;
    bool ignore_alpha_test, has_alpha_test, has_matrix;
    md5_texgen texgen;
    md5_vertex_color vertex_color;
    md5_dynamic_image dynamic;
    int32_t dynamic_width, dynamic_height;
    const char *video; // file of a videoMap or soundMap, or NULL
    bool video_loops, is_sound_map;
    uint32_t condition;    // the stage is drawn unless this register is 0
    uint32_t color[4];     // red, green, blue, alpha
    uint32_t alpha_test;   // texels of this alpha and below are left out
    uint32_t matrix[2][3]; // s' = m00 s + m01 t + m02, t' = m10 s + m11 t + m12
    float polygon_offset;  // of this stage alone; 0 = none
    md5_stage_program program;
} md5_stage;

typedef enum md5_coverage {
    MD5_COVERAGE_OPAQUE = 1,
    MD5_COVERAGE_PERFORATED, // alpha tested
    MD5_COVERAGE_TRANSLUCENT
} md5_coverage;

typedef enum md5_cull { MD5_CULL_BACK, MD5_CULL_FRONT, MD5_CULL_NONE } md5_cull;

typedef enum md5_deform {
    MD5_DEFORM_NONE,
    MD5_DEFORM_SPRITE,
    MD5_DEFORM_TUBE,
    MD5_DEFORM_FLARE,
    MD5_DEFORM_EXPAND,
    MD5_DEFORM_MOVE,
    MD5_DEFORM_EYEBALL,
    MD5_DEFORM_PARTICLE,
    MD5_DEFORM_PARTICLE2,
    MD5_DEFORM_TURBULENT
} md5_deform;

typedef enum md5_material_op_kind {
    MD5_OP_ADD,
    MD5_OP_SUBTRACT,
    MD5_OP_MULTIPLY,
    MD5_OP_DIVIDE,
    MD5_OP_MODULO, // of both truncated to integers; a divisor of 0 counts as 1
    MD5_OP_TABLE,  // table at b
    MD5_OP_GREATER,
    MD5_OP_GREATER_EQUAL,
    MD5_OP_LESS,
    MD5_OP_LESS_EQUAL,
    MD5_OP_EQUAL,
    MD5_OP_NOT_EQUAL,
    MD5_OP_AND,
    MD5_OP_OR,
    MD5_OP_SOUND // the amplitude of the entity's sound
} md5_material_op_kind;

// register[result] = register[a] op register[b]
typedef struct md5_material_op {
    md5_material_op_kind kind;
    uint32_t a, b, result;
    const md5_table *table; // of MD5_OP_TABLE
} md5_material_op;

// The first registers are time, the entity's parameters and those of the view.
enum {
    MD5_REGISTER_TIME,
    MD5_REGISTER_PARM0,
    MD5_REGISTER_GLOBAL0 = 13,
    MD5_FIRST_REGISTER = 21, // the first of the material's own
    MD5_MAX_REGISTERS = 4096 // num_registers never exceeds this
};

typedef struct md5_material {
    const md5_decl *decl;
    md5_coverage coverage;
    float sort; // surfaces are drawn by ascending sort
    md5_cull cull;
    bool creates_back_sides; // two-sided and lit: draw a flipped copy of each triangle
    bool no_shadows, no_self_shadow, force_shadows, no_portal_fog, no_fog, unsmoothed_tangents;
    bool allows_overlays, suppressed_in_subview, has_subview, is_portal_sky;
    bool is_fog_light, is_blend_light, is_ambient_light;
    bool has_polygon_offset;
    float polygon_offset;
    uint32_t contents; // the engine's bits: 1 solid, 2 opaque, 4 water, ...
    uint32_t surface;  // the engine's bits: 0 to 15 the type (1 metal, 2 stone, 3 flesh, ...), ...
    int32_t spectrum;
    md5_deform deform;
    uint32_t deform_registers[3];
    const char *deform_decl;      // the name of its table or particle, or NULL
    uint32_t wobble_registers[3]; // of MD5_TEXGEN_WOBBLE_SKY
    const char *gui;              // "entity", "entity2", "entity3" or a file; NULL = none
    const char *description, *editor_image, *render_bump; // NULL = none
    md5_image_program light_falloff;
    float decal_stay, decal_fade; // seconds
    float decal_start[4], decal_end[4];

    uint32_t num_stages, num_ops;
    const md5_stage *stages;    // [num_stages] in drawing order
    uint32_t num_registers;     // those of time and parameters included
    const float *registers;     // [num_registers] constants; 0 elsewhere
    const md5_material_op *ops; // [num_ops] in order of evaluation
} md5_material;

// Returns a material. If no file declares it, it is implicit, as in the engine: one blended stage
// whose image is the name. After a mistake it has one stage with the image _default in the engine's
// verdict; in the lenient one it keeps what is right. It is defaulted beyond 256 stages, 4096
// registers, 4096 operations, as in the engine, and if expressions are nested more than 1600 deep.
MD5_GAME_API const md5_material *md5_game_material(md5_game *game, const char *name,
                                                   md5_error *error);

// What the registers of a material depend on.
typedef struct md5_material_input {
    float time;           // seconds
    float parms[12];      // of the entity: red, green, blue, then shaderParm3 to 11
    float globals[8];     // of the view
    float sound;          // amplitude of the entity's sound
    uint64_t reserved[4]; // 0
} md5_material_input;

// Writes registers[material->num_registers]. Allocates nothing.
MD5_GAME_API void md5_evaluate_material(const md5_material *material,
                                        const md5_material_input *input, float *registers);

// Writes the texture matrix of a stage, rows s and t, from evaluated registers; offsets beyond +-40
// lose their integer part, as in the engine. Writes the identity if the stage has no matrix.
MD5_GAME_API void md5_stage_matrix(const md5_stage *stage, const float *registers,
                                   float matrix[2][3]);

// -- Skins ----------------------------------------------------------------------------------------

typedef struct md5_skin_row {
    const char *from; // the name of a material, or NULL for all
    const char *to;
} md5_skin_row;

typedef struct md5_skin_def {
    const md5_decl *decl;
    uint32_t num_rows, num_models;
    const md5_skin_row *rows;  // [num_rows] the first one that matches is used
    const char *const *models; // [num_models] files that an editor offers it for
} md5_skin_def;

// Returns a skin. If no file declares it, it is implicit, as in the engine: every material becomes
// _default; or, if there is a material of its name, _default becomes that. In the lenient verdict
// an implicit skin without such a material replaces nothing.
MD5_GAME_API const md5_skin_def *md5_game_skin_def(md5_game *game, const char *name,
                                                   md5_error *error);

// Returns the name of the material that replaces `material`, spelled as in any file, or `material`
// itself if no row matches. A material that has been parsed and draws nothing is never replaced.
MD5_GAME_API const char *md5_skin_def_material(const md5_game *game, const md5_skin_def *skin,
                                               const char *material);

// -- Models ---------------------------------------------------------------------------------------

// The kinds of frame commands, with the engine's numbers.
typedef enum md5_frame_code {
    MD5_FRAME_CALL,
    MD5_FRAME_OBJECT_CALL,
    MD5_FRAME_EVENT,
    MD5_FRAME_SOUND,
    MD5_FRAME_SOUND_VOICE,
    MD5_FRAME_SOUND_VOICE2,
    MD5_FRAME_SOUND_BODY,
    MD5_FRAME_SOUND_BODY2,
    MD5_FRAME_SOUND_BODY3,
    MD5_FRAME_SOUND_WEAPON,
    MD5_FRAME_SOUND_ITEM,
    MD5_FRAME_SOUND_GLOBAL,
    MD5_FRAME_SOUND_CHATTER,
    MD5_FRAME_SKIN, // text "none": no skin
    MD5_FRAME_TRIGGER,
    MD5_FRAME_TRIGGER_SMOKE_PARTICLE,
    MD5_FRAME_MELEE,
    MD5_FRAME_DIRECT_DAMAGE,
    MD5_FRAME_ATTACK_BEGIN,
    MD5_FRAME_ATTACK_END,
    MD5_FRAME_MUZZLE_FLASH, // joint MD5_NONE: none
    MD5_FRAME_CREATE_MISSILE,
    MD5_FRAME_LAUNCH_MISSILE,
    MD5_FRAME_FIRE_MISSILE_AT_TARGET,
    MD5_FRAME_FOOTSTEP,
    MD5_FRAME_LEFT_FOOT,
    MD5_FRAME_RIGHT_FOOT,
    MD5_FRAME_ENABLE_EYE_FOCUS,
    MD5_FRAME_DISABLE_EYE_FOCUS,
    MD5_FRAME_FX,
    MD5_FRAME_DISABLE_GRAVITY,
    MD5_FRAME_ENABLE_GRAVITY,
    MD5_FRAME_JUMP,
    MD5_FRAME_ENABLE_CLIP,
    MD5_FRAME_DISABLE_CLIP,
    MD5_FRAME_ENABLE_WALK_IK,
    MD5_FRAME_DISABLE_WALK_IK,
    MD5_FRAME_ENABLE_LEG_IK,
    MD5_FRAME_DISABLE_LEG_IK,
    MD5_FRAME_RECORD_DEMO,
    MD5_FRAME_AVI_GAME,
    MD5_FRAME_LAUNCH_PROJECTILE,
    MD5_FRAME_TRIGGER_FX,
    MD5_FRAME_START_EMITTER, // text "NAME PARTICLE"
    MD5_FRAME_STOP_EMITTER
} md5_frame_code;

typedef struct md5_frame_command {
    uint32_t frame; // 1 = the first
    md5_frame_code code;
    const char *text; // argument, "" if there is none; the joint's name if that is the only one
    uint32_t joint;   // index into the model's joints, MD5_NONE = none
    int32_t leg;      // of the two commands for leg IK
} md5_frame_command;

// Bits of md5_model_anim.flags.
enum {
    MD5_ANIM_PREVENTS_IDLE_OVERRIDE = 1,
    MD5_ANIM_RANDOM_CYCLE_START = 2,
    MD5_ANIM_NO_TURN = 4,
    MD5_ANIM_TURN = 8
};

enum { MD5_MAX_SYNCED_ANIMS = 3 };
typedef struct md5_model_anim {
    const char *name;  // "pain12"
    const char *alias; // "pain": a request for it chooses one of this alias
    uint32_t num_files, num_commands, flags;
    const char *files[MD5_MAX_SYNCED_ANIMS]; // of which the engine can blend several
    uint32_t num_frames, milliseconds;       // of files[0]; of each file
    const md5_frame_command *commands;       // [num_commands] by frame, then as in the file
    float rate; // at which the files are played, 0.01 to 100: Quake 4's word "rate", else 1
} md5_model_anim;

typedef enum md5_channel {
    MD5_CHANNEL_ALL,
    MD5_CHANNEL_TORSO,
    MD5_CHANNEL_LEGS,
    MD5_CHANNEL_HEAD,
    MD5_CHANNEL_EYELIDS,
    MD5_NUM_CHANNELS
} md5_channel;

typedef struct md5_model_channel {
    uint32_t num_joints;
    const uint32_t *joints; // [num_joints] in the order in which the file names them
} md5_model_channel;

// A channel that the engine does not know: only in the lenient verdict.
typedef struct md5_named_channel {
    const char *name; // as in the file
    md5_model_channel channel;
} md5_named_channel;

typedef struct md5_model_def {
    const md5_decl *decl;
    const char *mesh; // file of the model, "" if it has none
    const char *skin; // name of a skin, or NULL
    md5_vec3 offset;  // added to the first joint
    uint32_t num_joints;
    const md5_joint *joints; // [num_joints] of the mesh
    md5_model_channel channels[MD5_NUM_CHANNELS];
    uint32_t num_anims, num_other_channels;  // num_anims: see md5_model_def_anim()
    const md5_named_channel *other_channels; // [num_other_channels]
} md5_model_def;

// Returns the modelDef of a name, or NULL if there is none: then the engine takes the name for a
// file. Reads the mesh and the animations that it names, each once per game, and the models that it
// inherits. After a mistake or a missing file the model is empty in the engine's verdict; in the
// lenient one it keeps what is right: without its mesh it has no joints, and animations without a
// readable file are dropped. Functions, events, effects, sounds and entities in frame commands are
// not looked up. Time: names in channels times joints. Inherited data is shared: a chain of models
// takes time and memory only for what each model adds, replaces or removes.
MD5_GAME_API const md5_model_def *md5_game_model_def(md5_game *game, const char *name,
                                                     md5_error *error);

// Returns an animation of a model, in the engine's order; index < num_anims. Logarithmic time.
MD5_GAME_API const md5_model_anim *md5_model_def_anim(const md5_model_def *model, uint32_t index);

// == Entities and actors ==========================================================================
//
//   md5_entity *imp = md5_load_entity(game, "monster_demon_imp", NULL, &error);
//   md5_actor *actor = md5_create_actor(imp, NULL, &error);
//   uint32_t walk = md5_actor_choose(actor, NULL, "walk");
//   md5_actor_play(actor, MD5_CHANNEL_ALL, walk, MD5_ACTOR_CYCLE, 0, 200);
//   md5_actor_advance(actor, 16, on_frame, NULL);
//   md5_actor_pose(actor, pose, joints, palette);
//
// An entity is read-only and shared by any number of actors, on any threads. An actor is the state
// of one character; one thread at a time may use it. After it is created, no call allocates memory.
//
// An md5_actor follows the rules of the engine's animator, down to its clock of whole milliseconds,
// which decides which frames are passed; poses agree to 1e-4 units. What else moves joints in a
// game is not part of it: articulated figures, IK, joints that code turns. Space is id's: x
// forward, y left, z up, in the file's units.

typedef struct md5_entity_key {
    const char *name, *value; // as in the file
    const md5_decl *decl;     // the entityDef that has it: itself, or one that it inherits
    uint32_t line, column;    // of its name in decl->file
} md5_entity_key;

// An entityDef. No two keys have the same name, ignoring case. "classname" is its own name.
typedef struct md5_entity_def {
    const md5_decl *decl;
    uint32_t num_keys;
    const md5_entity_key *keys; // [num_keys] its own in the order of the file, then its parents'
} md5_entity_def;

// Returns an entityDef with all that it inherits. Every key that begins with "inherit" names a
// parent. Its own keys override those of its parents, which count in order, each with what it
// inherits. Circular inheritance ends where it began. After a mistake an entityDef has only the
// keys "DEFAULTED" and "classname" in the engine's verdict; in the lenient one keys may be without
// quotes, and what is right is kept. Time and memory: linear in its text and those of its parents.
MD5_GAME_API const md5_entity_def *md5_game_entity_def(md5_game *game, const char *name,
                                                       md5_error *error);

// Parses the text of an entityDef, without what it inherits: this reports its warnings and sets
// md5_decl.state, in time and memory linear in the text. True if there is none of this name.
MD5_GAME_API bool md5_game_check_entity_def(md5_game *game, const char *name, md5_error *error);

// Reports, as warnings of the game at their locations, the keys of an entityDef that name nothing:
// "model", "skin", "anim", "def_head", "head_joint", "def_attach", "joint" of what that attaches,
// which is not shown without a .md5mesh file. Of inherited keys those that do not fit its own
// model. md5_load_entity() reports the same of what it loads. Returns false if memory runs out.
MD5_GAME_API bool md5_game_check_entity_keys(md5_game *game, const char *name, md5_error *error);

// Returns the value of a key, ignoring the case of its name, or NULL. Linear in the number of keys.
MD5_GAME_API const char *md5_entity_def_value(const md5_entity_def *def, const char *key);

// Returns the next key after `key`, one of `def` or NULL for the first, whose name begins with
// `prefix`, such as "def_attach", ignoring case; NULL if there is none.
MD5_GAME_API const md5_entity_key *
md5_entity_def_next_key(const md5_entity_def *def, const char *prefix, const md5_entity_key *key);

// -- Entities -------------------------------------------------------------------------------------

// An animation of an entity. Its name, alias, flags and frame commands are those of the modelDef.
typedef struct md5_entity_clip {
    const md5_model_anim *anim;
    uint32_t num_files; // 0: it cannot be played, which was reported
    const md5_anim *anims[MD5_MAX_SYNCED_ANIMS];
    const md5_binding *bindings[MD5_MAX_SYNCED_ANIMS];
} md5_entity_clip;

// A joint of the body that a joint of a head follows.
typedef struct md5_joint_copy {
    uint32_t from, to;   // joints of the body and of the head
    bool is_model_space; // position and rotation in model space, else relative to the parent
} md5_joint_copy;

typedef struct md5_entity md5_entity;

enum {
    MD5_MAX_ENTITY_PARTS = 64,      // parts of parts and those that cannot be loaded included
    MD5_MAX_JOINT_COPIES = 256,     // of each part; further keys of both are ignored
    MD5_MAX_BLINK_WAIT = 1000000000 // milliseconds; longer times between two blinks are cut to it
};

// A model attached to a joint: a head, or the entity that a key beginning with "def_attach" names.
typedef struct md5_entity_part {
    const char *key; // "def_head", or one that begins with "def_attach"
    const md5_entity *entity;
    uint32_t joint, num_copies; // the joint is one of the body
    md5_xform offset; // of the part's model space in the space of the joint, model_offset included
    const md5_joint_copy *copies; // [num_copies] parents first
} md5_entity_part;

// All that is needed to show and play an entity.
struct md5_entity {
    const md5_entity_def *def;      // NULL if its name is that of a modelDef or of a file
    const md5_model_def *model_def; // NULL if its model is a file
    const md5_model *model;
    const md5_skin_def *skin;     // NULL: none
    const char *const *materials; // [model->num_meshes] names, with skin and "shader" applied
    uint32_t num_clips, num_parts;
    const md5_entity_clip *clips; // [num_clips] those of the modelDef
    const float *const *masks;    // [MD5_NUM_CHANNELS] joint weights, [model joints] each, 0 or 1
    const md5_entity_part *parts; // [num_parts] the head first
    // Added to joint 0 in every pose: md5_model_def.offset, as all numbers clamped to +-1e9.
    md5_vec3 offset;
    md5_vec3 model_offset; // of the model's origin in the space of the entity: key "offsetModel"
    uint32_t blink_min, blink_max; // milliseconds from blink to blink, see md5_actor_spawn()
    uint32_t num_warnings;         // reported or not
    size_t size;     // bytes of the model and the animations, those of parts not included
    void *owned;     // the memory of all this
    float parms[12]; // for md5_material_input: keys "_color", "shaderParm3" to "shaderParm11"
};

// Loads an entity: the entityDef of a name, with its model, clips, skin, head and attachments; if
// there is none, the modelDef of that name; else an .md5mesh file. The game must outlive it, and
// its caches grow as with md5_game_model_def(). Attached entities come with their own heads and
// attachments; an entity that would be attached to itself is a warning.
//
// Of `opts`, files are not used. With other axes or another scale all poses, offsets and placements
// are converted. The allocator's limit applies to each file separately. Fails if there is no such
// entity, or if it has no model of MD5 files; the error has the location of the declaration. A
// part, copied joint or clip with a mistake is dropped with a warning. Time and memory: linear in
// the files, plus the number of clips times that of channels.
MD5_GAME_API md5_entity *md5_load_entity(md5_game *game, const char *name,
                                         const md5_load_opts *opts, md5_error *error);
MD5_GAME_API void md5_free_entity(md5_entity *entity); // after its actors; NULL is allowed

// Returns the word of a frame command, such as "sound_voice", or NULL if there is none.
MD5_GAME_API const char *md5_frame_code_name(md5_frame_code code);

// Returns the placement of a part in the body's model space, from the body's joints[model joints].
MD5_GAME_API md5_xform md5_entity_part_placement(const md5_entity_part *part,
                                                 const md5_mat34 *joints);

// Changes the joints of a head that follow its body's. `body` and `head` are poses relative to
// parents, [model joints] each; `joints`, [body's model joints], is `body` in model space. Compute
// the head's matrices after that, by md5_local_to_palette(). Time: copies times the head's depth.
MD5_GAME_API void md5_entity_part_copy_joints(const md5_entity_part *part, const md5_xform *body,
                                              const md5_mat34 *joints, md5_xform *head);

// -- Actors ---------------------------------------------------------------------------------------

// The engine's rules: an actor has five channels, each of which plays up to three animations. A new
// animation fades in, and the one before it fades out over the same time and then ends. Weights
// change linearly. The pose is that of MD5_CHANNEL_ALL; if its weights sum to less than 1, the
// other channels are blended in at their joints. Eyelids are blended over all. An animation that
// has ended shows its last frame if nothing else plays. If nothing plays, as after
// md5_actor_clear() with a time of 0, the last pose stays, which is the bind pose at first.
typedef struct md5_actor md5_actor;

// Creates an actor at time 0 with nothing playing, in one block of memory. The entity must outlive
// it. `allocator` may be NULL: malloc and free. Fails only if memory runs out.
MD5_GAME_API md5_actor *md5_create_actor(const md5_entity *entity, const md5_allocator *allocator,
                                         md5_error *error);
MD5_GAME_API void md5_destroy_actor(md5_actor *actor); // NULL is allowed

// Sets the state of the random number generator, initially 0: the engine's own, which chooses among
// the clips of an alias, where cycles with MD5_ANIM_RANDOM_CYCLE_START begin, and blinks.
MD5_GAME_API void md5_actor_set_seed(md5_actor *actor, uint32_t seed);

// Sets whether the root motion is removed from the pose, as for the engine's monsters and players,
// initially false. md5_actor_root_motion() returns it in either case.
MD5_GAME_API void md5_actor_set_in_place(md5_actor *actor, bool is_removed);

// Returns the index of a clip of this name, case-sensitive, or MD5_NONE. A name that ends in a
// digit is that of one clip; else it is an alias, and one of the first 64 clips that have it is
// chosen at random. With a `prefix`, which may be NULL or "", a clip "PREFIX_name" is preferred to
// "name": "wounded_walk" to "walk". For the head channel call this for the head's actor.
MD5_GAME_API uint32_t md5_actor_choose(md5_actor *actor, const char *prefix, const char *name);

// Starts what the engine starts when a character spawns: a head cycles its clip "def_head", and the
// eyelids play the clip "blink" immediately and then repeatedly, at random intervals between
// blink_min and blink_max of `body` (keys of the same names, in seconds; default 0.5 and 8). Call
// it for each actor of a character: `body` is the actor's own entity or, for a head, the entity
// that the head is a part of. Does nothing for a body with a head, since the head blinks.
MD5_GAME_API void md5_actor_spawn(md5_actor *actor, const md5_entity *body);

// Stops blinking and opens the eyes, or resumes blinking after a random time, if it ever blinks:
// for MD5_FRAME_DISABLE_EYE_FOCUS and MD5_FRAME_ENABLE_EYE_FOCUS, and when a character dies.
MD5_GAME_API void md5_actor_set_blinking(md5_actor *actor, bool is_blinking);

typedef enum md5_actor_mode { MD5_ACTOR_ONCE, MD5_ACTOR_CYCLE, MD5_ACTOR_HOLD } md5_actor_mode;

// Starts a clip now. It fades in over `blend` milliseconds. `frame` is the one that MD5_ACTOR_HOLD
// shows, clamped: 1 is the first, which shows the base frame, as in the engine. Of several files
// the first is shown. False and no change if channel or clip is invalid or it cannot be played.
MD5_GAME_API bool md5_actor_play(md5_actor *actor, md5_channel channel, uint32_t clip,
                                 md5_actor_mode mode, uint32_t frame, uint32_t blend);

// Fades out all that plays in a channel over `blend` milliseconds, from its present weight, or ends
// it immediately if that is 0. Returns false if the channel is invalid.
MD5_GAME_API bool md5_actor_clear(md5_actor *actor, md5_channel channel, uint32_t blend);

// Called for each frame command that is passed: channel by channel, newest clip first, then by
// frame and as in the file. Must not change the actor.
typedef void md5_frame_fn(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                          md5_channel channel);

// Advances an actor by one tick of the engine. Fires the commands of the frames after that of the
// last tick, up to and including the present one. A clip fires nothing before the first tick after
// its start, which also fires those of its first frame. At the end of a cycle the commands of its
// last and of its first frame fire, though both show the same pose. A tick passes the end of a clip
// at most once. Held frames and clips that have ended fire nothing. `on_frame` may be NULL.
MD5_GAME_API void md5_actor_advance(md5_actor *actor, uint32_t milliseconds, md5_frame_fn *on_frame,
                                    void *user);

// Returns the root motion of the last md5_actor_advance(), in the space of the character before it,
// blended from the channels that move joint 0; its rotation is that of clips with MD5_ANIM_TURN. It
// is part of the pose, too, unless md5_actor_set_in_place() is set.
MD5_GAME_API md5_xform md5_actor_root_motion(const md5_actor *actor);

// Writes pose[model joints], relative to parents, with md5_entity.offset in joint 0; `joints` and
// `palette`, [model joints] each, may be NULL and must not overlap. Uses the actor's own buffers.
MD5_GAME_API void md5_actor_pose(md5_actor *actor, md5_xform *pose, md5_mat34 *joints,
                                 md5_mat34 *palette);

// Status of the newest clip of a channel.
typedef struct md5_actor_status {
    uint32_t clip; // MD5_NONE: none, or no such channel, and all else is 0
    uint32_t time; // of the clip, in milliseconds
    uint32_t held; // the frame that is held, 1 is the first; 0: none
    float weight;
    bool is_cycling, has_ended;
    uint64_t reserved[2]; // 0
} md5_actor_status;
MD5_GAME_API md5_actor_status md5_actor_channel(const md5_actor *actor, md5_channel channel);

// Saves an actor in bytes[MD5_ACTOR_SAVE_SIZE], which are the same on all platforms. A restored
// actor continues with the same bits. md5_actor_restore() accepts untrusted bytes; on failure it
// returns false and changes nothing. MD5_ERROR_MISMATCH: saved by another version, or with an
// entity that has other clips; MD5_ERROR_SYNTAX: not a saved actor, or another size;
// MD5_ERROR_RANGE: a number is out of range.
enum { MD5_ACTOR_SAVE_SIZE = 1508 };
MD5_GAME_API void md5_actor_save(const md5_actor *actor, void *bytes);
MD5_GAME_API bool md5_actor_restore(md5_actor *actor, const void *bytes, size_t size,
                                    md5_error *error);

// == Deforms ======================================================================================
//
// Surfaces that are deformed by their materials, for renderers, are computed from their skinned
// vertices for each image that is drawn: every quad of four vertices is a SPRITE that faces the
// viewer, or a TUBE that turns about its long axis; a FLARE is one quad with a border; an EYEBALL
// is an eye with two triangles, of which one marks its center and the other what it looks at, and
// the eye alone is drawn, textured from there; EXPAND moves along normals, MOVE along x, TURBULENT
// moves texture coordinates. The engine does not light them, so no normals are computed.

typedef struct md5_deform_view {
    md5_vec3 eye, left, up; // model space; unit vectors to the left and up
    uint64_t reserved[4];   // 0
} md5_deform_view;

// Arrays of the caller that md5_deform_vertices() fills, [num_vertices] of md5_deform_size() each.
typedef struct md5_deformed {
    md5_vec3 *positions; // model space
    md5_vec2 *texcoords;
    md5_vec4 *colors;     // NULL: not written; white if the mesh has none
    uint64_t reserved[4]; // 0
} md5_deformed;

// Returns whether a mesh can be deformed in this way, and writes how many vertices and triangles it
// has then. Sprites and tubes need quads, flares exactly one quad, EYEBALL at most 60 triangles in
// three groups that share no vertices, else the engine draws it as it is; particles cannot be.
MD5_GAME_API bool md5_deform_size(md5_deform deform, const md5_mesh *mesh, uint32_t *num_vertices,
                                  uint32_t *num_triangles);

// Writes indices[3 * num_triangles], for a mesh for which md5_deform_size() returns true.
MD5_GAME_API void md5_deform_indices(md5_deform deform, const md5_mesh *mesh, uint32_t *indices);

// Writes the deformed vertices of such a mesh. positions[mesh->num_vertices] and, unless NULL,
// normals are those of md5_skin(); `registers` those of md5_evaluate_material(); `table` that of
// material->deform_decl, for TURBULENT, which changes nothing if it is NULL. Allocates nothing.
MD5_GAME_API void md5_deform_vertices(const md5_material *material, const md5_table *table,
                                      const float *registers, const md5_mesh *mesh,
                                      const md5_vec3 *positions, const md5_vec3 *normals,
                                      const md5_deform_view *view, const md5_deformed *out);

#ifdef __cplusplus
}
#endif

#endif
