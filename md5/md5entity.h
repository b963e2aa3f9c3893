// md5entity: modelDefs and entityDefs of a Doom 3 game folder, and entities loaded from them: a
// model with clips, channels, materials, head and attachments.
//
//   md5_entity *imp = md5_load_entity(game, "monster_demon_imp", NULL, &error);
//
// An entity is read-only and shared by any number of actors (md5actor.h), on any threads. Space is
// id's: x forward, y left, z up, in the file's units. Memory, errors and threads of all else: see
// md5game.h.
#ifndef MD5ENTITY_H
#define MD5ENTITY_H

#include "md5material.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

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
    const char *alias; // "pain": a request for it selects one of this alias
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
// inherits. After an error or a missing file the model is empty in the engine's verdict; in the
// lenient one it keeps what is right: without its mesh it has no joints, and animations without a
// readable file are dropped. Functions, events, effects, sounds and entities in frame commands are
// not looked up. Time: names in channels times joints. Inherited data is shared: a chain of models
// takes time and memory only for what each model adds, replaces or removes.
MD5_GAME_API const md5_model_def *md5_game_model_def(md5_game *game, const char *name,
                                                     md5_error *error);

// Returns an animation of a model, in the engine's order; index < num_anims. Logarithmic time.
MD5_GAME_API const md5_model_anim *md5_model_def_anim(const md5_model_def *model, uint32_t index);

// -- EntityDefs -----------------------------------------------------------------------------------

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
// inherits. Circular inheritance ends where it began. After an error an entityDef has only the
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
    void *internal;  // as md5_internal
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
// part, copied joint or clip with an error is dropped with a warning. Time and memory: linear in
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

#ifdef __cplusplus
}
#endif

#endif
