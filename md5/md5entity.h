// md5entity: loads the characters of a Doom 3 game folder from their declarations: modelDefs,
// entityDefs and entities.
//
// - A modelDef is a declaration that gives a model its animations. It names an .md5mesh file and
//   many .md5anim files, and lists commands for the frames of each animation, such as footstep
//   sounds.
// - An entityDef is a declaration of an object in the game, such as a monster or a weapon. It
//   consists of keys with values, for example "model" "monster_demon_imp". Keys that an entityDef
//   does not contain are inherited from its parents.
// - An entity is an object of this library: a model that was loaded from these declarations, with
//   all its animations, materials and attached models.
//
//   md5_entity *imp = md5_load_entity(game, "monster_demon_imp", NULL, &error);
//
// An entity is read-only. Any number of actors (see md5actor.h) on any threads may share it. Its
// coordinate system is id's: x points forward, y to the left and z up. Lengths have the units of
// the model file. md5game.h explains the rules for memory, errors and threads of all other
// functions.
#ifndef MD5ENTITY_H
#define MD5ENTITY_H

#include "md5material.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// -- Models ---------------------------------------------------------------------------------------

// Kinds of frame commands, with the numbers of the engine. A frame command is an action of the game
// that is executed when an animation reaches a certain frame. Each comment contains the keyword and
// the arguments of the command in a modelDef, then its effect. TEXT and JOINT are the members
// `text` and `joint` of md5_frame_command.
typedef enum md5_frame_code {
    MD5_FRAME_CALL,          // call TEXT: call the script function TEXT
    MD5_FRAME_OBJECT_CALL,   // object_call TEXT: call the function TEXT of the script object
    MD5_FRAME_EVENT,         // event TEXT: send the engine's event TEXT to the entity
    MD5_FRAME_SOUND,         // sound TEXT: play the sound TEXT
    MD5_FRAME_SOUND_VOICE,   // sound_voice TEXT: play TEXT on the sound channel "voice"
    MD5_FRAME_SOUND_VOICE2,  // sound_voice2 TEXT: play TEXT on the sound channel "voice2"
    MD5_FRAME_SOUND_BODY,    // sound_body TEXT: play TEXT on the sound channel "body"
    MD5_FRAME_SOUND_BODY2,   // sound_body2 TEXT: play TEXT on the sound channel "body2"
    MD5_FRAME_SOUND_BODY3,   // sound_body3 TEXT: play TEXT on the sound channel "body3"
    MD5_FRAME_SOUND_WEAPON,  // sound_weapon TEXT: play TEXT on the sound channel "weapon"
    MD5_FRAME_SOUND_ITEM,    // sound_item TEXT: play TEXT on the sound channel "item"
    MD5_FRAME_SOUND_GLOBAL,  // sound_global TEXT: play TEXT everywhere at equal volume
    MD5_FRAME_SOUND_CHATTER, // sound_chatter TEXT: play the sound TEXT if the character may speak
    MD5_FRAME_SKIN,          // skin TEXT: change the skin to TEXT; "none" removes the skin
    MD5_FRAME_TRIGGER,       // trigger TEXT: activate the entity TEXT
    // triggerSmokeParticle TEXT: start the smoke particle TEXT
    MD5_FRAME_TRIGGER_SMOKE_PARTICLE,
    MD5_FRAME_MELEE, // melee TEXT: hit the enemy, with the damage TEXT, if it is near
    // direct_damage TEXT: damage the enemy, with the damage TEXT, at any distance
    MD5_FRAME_DIRECT_DAMAGE,
    // attack_begin TEXT: from this frame on, the enemy takes the damage TEXT if the character
    // touches it
    MD5_FRAME_ATTACK_BEGIN,
    // attack_end: end the effect of attack_begin
    MD5_FRAME_ATTACK_END,
    // muzzle_flash JOINT: show a flash at the joint; the index of the joint may be MD5_NONE
    MD5_FRAME_MUZZLE_FLASH,
    // create_missile JOINT: show a missile at the joint, without launching it
    MD5_FRAME_CREATE_MISSILE,
    // launch_missile JOINT: launch the missile from the joint
    MD5_FRAME_LAUNCH_MISSILE,
    // fire_missile_at_target JOINT TEXT: launch a missile from the joint at the entity TEXT
    MD5_FRAME_FIRE_MISSILE_AT_TARGET,
    MD5_FRAME_FOOTSTEP,         // footstep: play the sound of a footstep
    MD5_FRAME_LEFT_FOOT,        // leftfoot: play the footstep sound of the left foot
    MD5_FRAME_RIGHT_FOOT,       // rightfoot: play the footstep sound of the right foot
    MD5_FRAME_ENABLE_EYE_FOCUS, // enableEyeFocus: allow the eyes to follow a target
    // disableEyeFocus: forbid the eyes to follow a target
    MD5_FRAME_DISABLE_EYE_FOCUS,
    MD5_FRAME_FX,              // fx TEXT: start the effect TEXT
    MD5_FRAME_DISABLE_GRAVITY, // disableGravity: switch off gravity for the entity
    MD5_FRAME_ENABLE_GRAVITY,  // enableGravity: switch on gravity for the entity
    MD5_FRAME_JUMP,            // jump: let the entity jump
    MD5_FRAME_ENABLE_CLIP,     // enableClip: switch on collisions of the entity
    MD5_FRAME_DISABLE_CLIP,    // disableClip: switch off collisions of the entity
    // enableWalkIK: start to place the feet on the ground by inverse kinematics
    MD5_FRAME_ENABLE_WALK_IK,
    // disableWalkIK: stop placing the feet on the ground
    MD5_FRAME_DISABLE_WALK_IK,
    // enableLegIK LEG: start to place one foot on the ground; LEG is the member `leg`
    MD5_FRAME_ENABLE_LEG_IK,
    // disableLegIK LEG: stop placing one foot on the ground; LEG is the member `leg`
    MD5_FRAME_DISABLE_LEG_IK,
    MD5_FRAME_RECORD_DEMO,       // recordDemo TEXT: record a demo, or end it if TEXT is ""
    MD5_FRAME_AVI_GAME,          // aviGame TEXT: record a video, or end it if TEXT is ""
    MD5_FRAME_LAUNCH_PROJECTILE, // launch_projectile TEXT: launch the projectile TEXT
    MD5_FRAME_TRIGGER_FX,        // trigger_fx JOINT TEXT: start the effect TEXT at the joint
    // start_emitter NAME JOINT PARTICLE: emit PARTICLE at the joint; `text` contains "NAME
    // PARTICLE"
    MD5_FRAME_START_EMITTER,
    // stop_emitter TEXT: stop the emitter that was started with the name TEXT
    MD5_FRAME_STOP_EMITTER
} md5_frame_code;

// A frame command: an action of the game that is executed at a frame of an animation.
typedef struct md5_frame_command {
    // Number of the frame at which the command is executed; the first frame is 1.
    uint32_t frame;
    md5_frame_code code; // kind of action
    // Text argument of the command; "" if the command does not have a text argument. If the only
    // argument is a joint, `text` is the name of this joint.
    const char *text;
    // Index of the joint argument in the model. If MD5_NONE, the command has no joint argument.
    uint32_t joint;
    // Number of the leg. Only the commands enableLegIK and disableLegIK use it.
    int32_t leg;
} md5_frame_command;

// Properties of an animation, as bits of md5_model_anim.flags.
enum {
    // A channel (part of the body) that is idle does not copy this animation from another channel.
    MD5_ANIM_PREVENTS_IDLE_OVERRIDE = 1,
    // If the animation is played in a cycle, it starts at a random time.
    MD5_ANIM_RANDOM_CYCLE_START = 2,
    MD5_ANIM_NO_TURN = 4, // the monster must not turn while the animation plays
    // The rotation of the root joint turns the monster.
    MD5_ANIM_TURN = 8
};

// Largest number of .md5anim files of one animation.
enum { MD5_MAX_SYNCED_ANIMS = 3 };

// An animation of a modelDef.
typedef struct md5_model_anim {
    // Name of the animation, unique in the modelDef, for example "pain12".
    const char *name;
    // The name without the digits at its end, for example "pain". If the game requests an alias,
    // one of the animations with this alias is selected.
    const char *alias;
    uint32_t num_files, num_commands;
    uint32_t flags; // properties of the animation, as MD5_ANIM_* bits
    // [num_files] Names of .md5anim files. Most animations have one file. Several files have the
    // same duration, and the engine can blend them, for example to aim up and down.
    const char *files[MD5_MAX_SYNCED_ANIMS];
    uint32_t num_frames;   // number of frames of files[0]
    uint32_t milliseconds; // duration of each file, in milliseconds
    // [num_commands] Actions at frames of the animation, by ascending frame, then in the order of
    // the file.
    const md5_frame_command *commands;
    // Playback rate, 0.01 to 100, from the keyword "rate" of Quake 4. It is 1 without this keyword.
    float rate;
} md5_model_anim;

// The channels: parts of the body that can play animations independently of each other. A modelDef
// lists the joints of each channel.
typedef enum md5_channel {
    // The whole body: all joints.
    MD5_CHANNEL_ALL,
    MD5_CHANNEL_TORSO,
    MD5_CHANNEL_LEGS,
    MD5_CHANNEL_HEAD,
    MD5_CHANNEL_EYELIDS,
    MD5_NUM_CHANNELS // number of channels in this list
} md5_channel;

// The joints of a channel, which is a part of the body that can play its own animations.
typedef struct md5_model_channel {
    uint32_t num_joints;
    // [num_joints] Indices of joints, in the order in which the file names them.
    const uint32_t *joints;
} md5_model_channel;

// A channel whose name is not one of the engine's five channels. The engine reports an error for
// such a channel. Only MD5_PARSE_LENIENT keeps it.
typedef struct md5_named_channel {
    const char *name; // name of the channel, as in the file
    md5_model_channel channel;
} md5_named_channel;

// A modelDef: a declaration that gives a model its animations.
typedef struct md5_model_def {
    const md5_decl *decl; // the declaration in the game's files
    // Name of the .md5mesh file. The string is "" if the modelDef does not contain it.
    const char *mesh;
    // Name of the skin that replaces materials of the model. If NULL, the model keeps its
    // materials.
    const char *skin;
    // Vector that is added to the position of the first joint (keyword "offset").
    md5_vec3 offset;
    uint32_t num_joints;
    const md5_joint *joints; // [num_joints] joints of the .md5mesh file
    // joints of each channel; the index is an md5_channel
    md5_model_channel channels[MD5_NUM_CHANNELS];
    uint32_t num_anims; // number of animations, which md5_model_def_anim() returns
    uint32_t num_other_channels;
    // [num_other_channels] channels that the engine does not have
    const md5_named_channel *other_channels;
} md5_model_def;

// Returns the modelDef with the given name. Returns NULL without an error if no file declares this
// name; the engine then uses the name as the name of a model file.
//
// The function reads the mesh and the animations that the modelDef names. Each file is read once
// per game. It also reads the modelDefs that are inherited. Functions, events, effects, sounds and
// entities in frame commands are not checked.
//
// Errors, and files that are missing, have these effects:
//
// - MD5_PARSE_ENGINE: the modelDef becomes empty.
// - MD5_PARSE_LENIENT: valid parts are kept. Without its mesh, a model does not have joints. An
//   animation without a readable file is dropped.
//
// The time is proportional to the number of names in channels multiplied by the number of joints.
// Inherited data is shared: in a chain of modelDefs, each modelDef takes time and memory only for
// the data that it adds, replaces or removes.
MD5_GAME_API const md5_model_def *md5_game_model_def(md5_game *game, const char *name,
                                                     md5_error *error);

// Returns an animation of a modelDef by its index, 0 to num_anims - 1. The animations are in the
// order of the engine. The time is logarithmic in the number of animations.
MD5_GAME_API const md5_model_anim *md5_model_def_anim(const md5_model_def *model, uint32_t index);

// -- EntityDefs -----------------------------------------------------------------------------------

// A key of an entityDef: a name with a value, for example "model" "monster_demon_imp".
typedef struct md5_entity_key {
    const char *name, *value; // name and value as in the file
    // The entityDef that contains the key, which is this entityDef or one of its parents.
    const md5_decl *decl;
    uint32_t line, column; // line and column of the key's name in the file decl->file
} md5_entity_key;

// An entityDef: a declaration of an object in the game, which consists of keys with values. Each
// key has a different name; names that differ only in case are equal. The key "classname" is always
// present and contains the name of the entityDef.
typedef struct md5_entity_def {
    const md5_decl *decl; // the declaration in the game's files
    uint32_t num_keys;
    // [num_keys] The keys of the entityDef itself in file order, then the keys of its parents.
    const md5_entity_key *keys;
} md5_entity_def;

// Returns the entityDef with the given name, including all inherited keys. Returns NULL without an
// error if no file declares this name.
//
// Inheritance: every key whose name begins with "inherit" names a parent. If an entityDef and a
// parent contain the same key, the value of the entityDef is used. If several parents contain the
// same key, the first parent is used; a parent is followed by its own parents. An entityDef that
// inherits from itself does not inherit its own keys again.
//
// Errors: in MD5_PARSE_ENGINE, an entityDef with an error has only the keys "DEFAULTED" and
// "classname". MD5_PARSE_LENIENT keeps all valid keys, and accepts key names without quotes.
//
// Time and memory are linear in the size of the text of the entityDef and of all its parents.
MD5_GAME_API const md5_entity_def *md5_game_entity_def(md5_game *game, const char *name,
                                                       md5_error *error);

// Checks the text of an entityDef for errors without collecting inherited keys, for example to
// check all entityDefs of a game in linear time. Reports warnings and sets md5_decl.state. Returns
// true if the entityDef does not exist. Returns false only if memory runs out. Time and memory are
// linear in the size of the text.
MD5_GAME_API bool md5_game_check_entity_def(md5_game *game, const char *name, md5_error *error);

// Checks the keys of an entityDef for models, skins, animations, entities and joints that do not
// exist. Reports each of them as a warning of the game, with the location of the key. The following
// keys are checked:
//
//   model:      the modelDef or .md5mesh file
//   skin, anim: the skin, and the animation of the model
//   def_head:   the model of the head, and the joint in the key "head_joint"
//   def_attach: the attached entityDef, the model of this entityDef (an attachment is drawn only if
//               it has an .md5mesh file), and the body's joint in its key "joint"
//
// For an inherited key, the function reports only problems that are caused by the model of this
// entityDef. All other problems are reported for the parent that contains the key.
// md5_load_entity() reports the same warnings for all entityDefs that it loads. Returns false only
// if memory runs out.
MD5_GAME_API bool md5_game_check_entity_keys(md5_game *game, const char *name, md5_error *error);

// Returns the value of a key, such as "model", or NULL if the entityDef does not have the key. The
// name of the key is not case-sensitive. The time is linear in the number of keys.
MD5_GAME_API const char *md5_entity_def_value(const md5_entity_def *def, const char *key);

// Finds all keys whose names begin with `prefix`, such as "def_attach", one after another. The
// first call passes NULL as `key` and returns the first such key. Each further call passes the
// previous result as `key` and returns the next key, or NULL after the last key. The prefix is not
// case-sensitive.
MD5_GAME_API const md5_entity_key *
md5_entity_def_next_key(const md5_entity_def *def, const char *prefix, const md5_entity_key *key);

// -- Entities -------------------------------------------------------------------------------------

// An animation of an entity: an animation of the modelDef whose files have been loaded.
typedef struct md5_entity_clip {
    const md5_model_anim *anim; // the animation in the modelDef: its name, flags and frame commands
    // Number of loaded files. 0 means that the animation cannot be played because a file is missing
    // or invalid; a warning has reported the reason.
    uint32_t num_files;
    const md5_anim *anims[MD5_MAX_SYNCED_ANIMS]; // [num_files] content of each file
    // [num_files] Binding of each file to the model of the entity.
    const md5_binding *bindings[MD5_MAX_SYNCED_ANIMS];
} md5_entity_clip;

// A joint of a head that follows a joint of the body. The head and the body of a character are
// separate models; copied joints keep the neck of the head aligned with the neck of the body.
typedef struct md5_joint_copy {
    uint32_t from; // index of the joint of the body that is followed
    uint32_t to;   // index of the joint of the head that follows
    // If true, the position and rotation in model space are copied. If false, the position and
    // rotation relative to the parent joint are copied.
    bool is_model_space;
} md5_joint_copy;

typedef struct md5_entity md5_entity;

// Limits of entities.
enum {
    // Largest number of parts (attached models) of an entity, including the parts of its parts, and
    // parts that could not be loaded. Further parts are ignored.
    MD5_MAX_ENTITY_PARTS = 64,
    // Largest number of copied joints of a part. Further copied joints are ignored.
    MD5_MAX_JOINT_COPIES = 256,
    // Longest time between two blinks of the eyes, in milliseconds.
    MD5_MAX_BLINK_WAIT = 1000000000
};

// A part of an entity: another model that is attached to a joint. A part is either the head, from
// the key "def_head", or an attached entity, from a key that begins with "def_attach". The entity
// to which parts are attached is called the body.
typedef struct md5_entity_part {
    // Name of the entityDef's key that defines the part, such as "def_head".
    const char *key;
    const md5_entity *entity; // the attached entity: its model, clips and materials
    uint32_t joint;           // index of the joint of the body to which the part is attached
    uint32_t num_copies;
    // Transform from the model space of the part to the space of the joint. It includes the
    // model_offset of the part.
    md5_xform offset;
    // [num_copies] joints of the part that follow joints of the body, parents before their children
    const md5_joint_copy *copies;
} md5_entity_part;

// An entity: all data that is needed to draw and animate an object of the game.
struct md5_entity {
    // The entityDef with the keys. If NULL, the entity was loaded from a modelDef or a file.
    const md5_entity_def *def;
    // The modelDef with the animations. If NULL, the entity was loaded from a file.
    const md5_model_def *model_def;
    const md5_model *model;
    // The skin that has been applied to the materials. If NULL, no skin has been applied.
    const md5_skin_def *skin;
    // [model->num_meshes] Name of the material of each mesh. The skin has been applied, and so has
    // the key "shader", which replaces all materials of an entity.
    const char *const *materials;
    uint32_t num_clips, num_parts;
    const md5_entity_clip *clips; // [num_clips] animations, in the order of the modelDef
    // [MD5_NUM_CHANNELS] For each channel, an array of [model joints] weights: 1 if the joint
    // belongs to the channel, 0 if it does not.
    const float *const *masks;
    // [num_parts] If the entity has a head, the head is the first part.
    const md5_entity_part *parts;
    // Offset that is added to the position of joint 0 in every pose. It is md5_model_def.offset
    // with each coordinate clamped to -1e9 .. 1e9, like all numbers of an entity.
    md5_vec3 offset;
    // Position of the model's origin in the space of the entity (the key "offsetModel").
    md5_vec3 model_offset;
    // Shortest and longest time between two blinks of the eyes, in milliseconds: see
    // md5_actor_spawn().
    uint32_t blink_min, blink_max;
    // Number of warnings that the load produced, including those that were not passed to a
    // callback.
    uint32_t num_warnings;
    // Size of the model and the animations in memory, in bytes, without the parts.
    size_t size;
    md5_internal internal;
    // Parameters of the entity's materials, for md5_material_input.parms: the key "_color" (red,
    // green, blue), then the keys "shaderParm3" to "shaderParm11".
    float parms[12];
};

// Loads an entity by the name of an entityDef, with its model, animations, skin, head and attached
// entities. If no entityDef has this name, loads the modelDef with this name. If this does not
// exist either, loads the .md5mesh file with this name. Free the entity with md5_free_entity(). The
// game must remain valid until then. The memory of the game grows as with md5_game_model_def().
//
// Attached entities are loaded together with their own heads and attachments. An entity that would
// be attached to itself is dropped with a warning.
//
// `opts` may be NULL. Its member `files` is not used, because all files are read from the game. If
// `opts` selects other axes or another scale, all poses, offsets and placements are converted. The
// limit of the allocator applies to each file separately.
//
// Returns NULL and writes an error if the entity does not exist or its model is not an .md5mesh
// file. The error contains the location of the declaration. A part, a copied joint or a clip with
// an error is dropped with a warning. Time and memory are linear in the sizes of the files, plus
// the number of clips multiplied by the number of channels.
MD5_GAME_API md5_entity *md5_load_entity(md5_game *game, const char *name,
                                         const md5_load_opts *opts, md5_error *error);

// Frees an entity and its parts. Destroy all actors of the entity first. NULL is allowed and has no
// effect.
MD5_GAME_API void md5_free_entity(md5_entity *entity);

// Returns the keyword of a frame command, such as "sound_voice", or NULL if `code` is invalid.
MD5_GAME_API const char *md5_frame_code_name(md5_frame_code code);

// Returns the transform of a part in the model space of its body, in the current pose of the body.
// Use it to draw a head or an attachment. `joints`, [model joints of the body], are the transforms
// of the body's joints in model space, as md5_actor_pose() writes them.
MD5_GAME_API md5_xform md5_entity_part_placement(const md5_entity_part *part,
                                                 const md5_mat34 *joints);

// Changes the pose of a head so that its copied joints follow the joints of the body. Call this
// function after both poses have been computed, and call md5_local_to_palette() for the head
// afterwards. The time is proportional to the number of copied joints multiplied by the depth of
// the head's skeleton. Parameters:
//
//   body:   [model joints of the body] pose of the body, relative to parents
//   joints: [model joints of the body] the same pose in model space
//   head:   [model joints of the head] pose of the head, relative to parents; changed
MD5_GAME_API void md5_entity_part_copy_joints(const md5_entity_part *part, const md5_xform *body,
                                              const md5_mat34 *joints, md5_xform *head);

#ifdef __cplusplus
}
#endif

#endif
