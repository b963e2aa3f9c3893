// md5character: the behavior of Doom 3 characters in addition to their animations, such as looking
// at a target and standing on stairs. This header contains:
//
// - Joint modifications: changes of single joints by code, on top of an animation.
// - States: the functions of the game's scripts that select and play animations.
// - Damage zones: the part of the body that was hit, and its factor of damage.
// - Monsters: characters that look at targets, whose heads follow their bodies, and whose feet are
//   placed on the ground by inverse kinematics (IK).
//
// Articulated figures (the physics of dead characters) are in md5figure.h.
//
//   md5_monster_desc desc = MD5_INIT;
//   desc.entity = imp;
//   desc.body = actor;
//   md5_monster *monster = md5_create_monster(&desc, NULL, &error);
//   // In each tick of the game:
//   md5_actor_advance(actor, 16, on_frame, monster);    // play the clips,
//   md5_monster_think(monster, &tick);                  // react to the world,
//   md5_monster_pose(monster, pose, joints, palette);   // and compute the pose
//
// Terms that are used below:
//
// - Tick: one step of the game, 16 or 17 ms in Doom 3.
// - Actor: the playback state of an entity, see md5actor.h. A character has one actor for its body,
//   and a second actor if its head is a separate model.
// - Clip: an animation of an entity. Frame command: an action of the game at a certain frame of a
//   clip, such as a footstep. Both are explained in md5entity.h.
// - Keys: the named values of an entityDef, see md5entity.h.
// - Channel: a part of the body that plays its own animation (torso, legs or head), see
//   md5_channel.
// - Walk IK: the placement of all feet of a character on uneven ground. Leg IK: the same for a
//   single leg.
// - [model joints]: an array with one element for each joint of the entity's model.
//
// A monster is the state of one character, which may also be a person. Only one thread at a time
// may use it. After a monster or states have been created, no function of this header allocates
// memory for them.
//
// Coordinate system: id's axes and units, with z up. The entity must be loaded with MD5_AXES_ID and
// without a scale. The world belongs to the caller; gravity must pull along -z.
//
// Rules, keys and defaults are the same as in the engine. Some results of the engine are wrong
// because of errors in its code. This library returns the same results, unless
// md5_monster_desc.is_as_meant is set. Differences from the engine are at most 3e-4 units for
// joints and 1e-3 degrees for angles. Times are equal to the millisecond.
//
// The following features are not supported, because the engine reads but ignores their keys, or no
// entity of its games uses them: ik_tiltWaist, IK for arms (ik_numArms), and the leaning of flying
// monsters.
#ifndef MD5CHARACTER_H
#define MD5CHARACTER_H

#include "md5actor.h" // in the same folder, also when installed

#ifdef __cplusplus
extern "C" {
#endif

// The state of a character that looks around and walks, an opaque structure. See "Monsters" below.
typedef struct md5_monster md5_monster;

// -- Joints that code moves -----------------------------------------------------------------------

// Selects how a joint modification changes the rotation or the position of an animated joint.
typedef enum md5_mod_mode {
    MD5_MOD_NONE, // the joint keeps its animation
    // The value is added to the animation. A rotation is applied in the axes of the joint, a
    // translation in the axes of its parent.
    MD5_MOD_LOCAL,
    // The value replaces the animation. It is relative to the parent joint.
    MD5_MOD_LOCAL_OVERRIDE,
    // The value is added to the animation in model space. As in the engine, a translation of the
    // root joint replaces the animation instead.
    MD5_MOD_WORLD,
    // The value replaces the animation. It is in model space.
    MD5_MOD_WORLD_OVERRIDE
} md5_mod_mode;

// A change of one joint by code, on top of an animation. If both modes are MD5_MOD_NONE, the joint
// is not changed.
typedef struct md5_joint_mod {
    md5_mod_mode axis;     // how `rotation` changes the rotation of the joint
    md5_mod_mode position; // how `translation` changes the position of the joint
    md5_quat rotation;     // rotation that is applied to the joint, a unit quaternion
    md5_vec3 translation;
} md5_joint_mod;

// Applies joint modifications to a pose. Use it to rotate joints by code if the character does not
// have a monster; md5_monster_pose() does the same for monsters. `mods` and `pose` have [model
// joints] elements. `pose` is relative to parents, as md5_actor_pose() writes it.
//
// The descendants of a changed joint move with it. The offset of the modelDef is added to the root
// joint after the modification. The time is linear in the number of joints, plus the number of
// changed joints multiplied by their depth in the skeleton.
MD5_GAME_API void md5_entity_move_joints(const md5_entity *entity, const md5_joint_mod *mods,
                                         md5_xform *pose);

// -- States ---------------------------------------------------------------------------------------
//
// A state is a function of a script object, such as Torso_Walk() or Legs_Idle(). A script object is
// the class in the game's scripts that controls a kind of character. A state plays clips in its
// channel, waits, and changes to the next state by the script function animState().
//
// The game controls the states through variables of the object, such as AI_FORWARD, AI_PAIN and
// AI_DEAD. In the game, the functions state_*() of the object examine the world and select the next
// states. In this library they run only if the caller sets them in MD5_CHANNEL_ALL, and their
// queries of the world return 0.
//
//   md5_load_opts opts = MD5_INIT;
//   opts.files = md5_game_files(game);
//   const char *object = md5_entity_def_value(imp->def, "scriptobject");
//   md5_script *script = md5_load_script("script/doom_main.script", object, imp, &opts, &error);
//   md5_states_desc desc = MD5_INIT;
//   desc.script = script;
//   desc.entity = imp;
//   desc.body = actor;
//   md5_states *states = md5_create_states(&desc, NULL, &error);
//   md5_states_set(states, MD5_CHANNEL_TORSO, "Torso_Idle", 4);
//   md5_states_set(states, MD5_CHANNEL_LEGS, "Legs_Idle", 4);
//   md5_states_set_variable(states, "AI_FORWARD", 1.0f);   // it walks from now on
//   // Each tick, instead of md5_actor_advance():
//   md5_states_advance(states, 16, on_frame, NULL);

// The type of a variable in a script of the game.
typedef enum md5_script_type {
    MD5_SCRIPT_FLOAT,
    MD5_SCRIPT_BOOLEAN,
    MD5_SCRIPT_STRING,
    MD5_SCRIPT_VECTOR,
    MD5_SCRIPT_OTHER // an entity or a script object
} md5_script_type;

// A variable of a script: its name and type.
typedef struct md5_script_variable {
    const char *name;
    md5_script_type type;
} md5_script_variable;

// A state of a script object: a script function that plays clips in one channel (part of the body).
typedef struct md5_script_state {
    const char *name; // name of the script function, such as "Torso_Idle"
    // Channel in which the state plays its clips, derived from the prefix of its name: torso for
    // Torso_*(), legs for Legs_*(), head for Head_*(), and MD5_CHANNEL_ALL for state_*().
    md5_channel channel;
} md5_script_state;

// The compiled states of a script object (the script class that controls a kind of character),
// including the states that it inherits.
typedef struct md5_script {
    uint32_t num_states, num_variables;
    // [num_states] states in the order of the file
    const md5_script_state *states;
    // [num_variables] Variables that the game can read and set: first the variables that the object
    // inherits, then its own variables, then global variables.
    const md5_script_variable *variables;
    // Number of different functions that the script calls, although they are neither defined in it
    // nor supported by this library. They return 0.
    uint32_t num_unknown;
    md5_internal internal;
} md5_script;

// Loads a script and compiles the states of the script object `object`, and all functions that the
// states call. Free the result with md5_free_script(). `path` is the main file of the scripts. This
// file and the files that it includes are each read once, by the functions opts->files.
//
// If `entity` is not NULL, the functions that frame commands of its clips call (`call` and
// `object_call`) are compiled too. The entity must then remain valid until md5_free_script().
//
// Supported language:
//
// - The preprocessor directives include, define, undef, ifdef, ifndef, else and endif. The
//   operators # and ## in macros are not supported.
// - A variable in a namespace is treated as a global variable. A namespace within another namespace
//   is treated as a global namespace.
// - A function that is neither defined nor supported returns 0 and causes one warning. The same
//   applies to functions of other entities, and to functions that start a thread.
// - Functions that are never called are not compiled.
// - Strings are truncated to 63 bytes.
//
// Returns NULL and writes an error if a file cannot be read, the script is invalid, the object does
// not exist, `object` is NULL, or memory runs out. The error for an invalid script contains its
// location, and the expected and the actual content. The result is read-only; threads may share it.
// Time and memory are linear in the sizes of the files. Macros may expand to about as many tokens
// as the files have bytes, plus 65536.
MD5_GAME_API md5_script *md5_load_script(const char *path, const char *object,
                                         const md5_entity *entity, const md5_load_opts *opts,
                                         md5_error *error);

// Frees a script. Destroy all md5_states of the script first. NULL is allowed and has no effect.
MD5_GAME_API void md5_free_script(md5_script *script);

// The states in which a character currently is, one for each channel, and the variables of its
// script object. The structure is opaque.
typedef struct md5_states md5_states;

// Parameters of md5_create_states(), which lets scripts select the animations of a character.
typedef struct md5_states_desc {
    const md5_script *script; // the compiled states that the character can be in
    // The character, for which the script was loaded.
    const md5_entity *entity;
    md5_actor *body; // actor that plays the clips of `entity`
    // Actor that plays the clips of the head. The head is the part with the key "def_head", which
    // must be entity->parts[0]. If NULL, the character does not have a separate head.
    md5_actor *head;
    // Monster whose eyes the states enable and disable. If NULL, the character does not have a
    // monster.
    md5_monster *monster;
    // Callback that returns a random number from 0 to 1, for the script function random(). If NULL,
    // the number is always 0.5.
    float (*random)(void *user);
    void *user;           // argument of `random`
    uint64_t reserved[4]; // must be 0
} md5_states_desc;

// Creates the states of a character in one memory block. At first, no state is active: call
// md5_states_set() to start states. Destroy the result with md5_destroy_states(). The objects in
// `desc` must remain valid until then. If `allocator` is NULL, malloc and free are used. Returns
// NULL only if memory runs out.
MD5_GAME_API md5_states *md5_create_states(const md5_states_desc *desc,
                                           const md5_allocator *allocator, md5_error *error);

// Destroys states. NULL is allowed and has no effect.
MD5_GAME_API void md5_destroy_states(md5_states *states);

// Starts a state in a channel. The state begins in the next md5_states_advance(), and its clips
// fade in over `blend_frames` frames at 24 frames per second. This is the script function
// animState().
//
// MD5_CHANNEL_ALL starts a function state_*() instead, like the script function setState();
// `blend_frames` is not used then. Returns false and changes nothing if the script does not have
// the state or states cannot run in the channel.
MD5_GAME_API bool md5_states_set(md5_states *states, md5_channel channel, const char *name,
                                 uint32_t blend_frames);

// Returns the value of a numeric variable of the object, or of a global numeric variable. Returns 0
// if the variable does not exist.
MD5_GAME_API float md5_states_variable(const md5_states *states, const char *name);

// Sets a numeric variable of the object, or a global numeric variable, for example "AI_FORWARD" to
// 1 to let the character walk. Returns false if the variable does not exist or is not numeric. At
// the end of each md5_states_advance(), AI_PAIN, AI_SPECIAL_DAMAGE and AI_PUSHED are reset to 0.
MD5_GAME_API bool md5_states_set_variable(md5_states *states, const char *name, float value);

// Largest number of operations that a script function may execute in one tick, until it ends or
// calls a function that waits, such as waitFrame(). A function that exceeds this number is stopped.
enum { MD5_MAX_SCRIPT_STEPS = 100000 };

// Advances a character by one tick. Call this function instead of md5_actor_advance(). In the order
// of the engine, it advances the actors of body and head, runs the states, and fires the frame
// commands of the tick. md5_actor_root_motion() of the body then returns the root motion.
// `on_frame` receives the frame commands and may be NULL; `user` is passed to it.
//
// A script function that a frame command calls runs immediately, before `on_frame` receives this
// command. If the function waits, it continues in the next tick, unless another frame command calls
// a function before; this call ends the waiting function.
//
// A function is stopped if it executes MD5_MAX_SCRIPT_STEPS operations without waiting, or if calls
// are nested too deeply. If a frame command has called this function, frame commands do not call
// any further functions in this tick.
MD5_GAME_API void md5_states_advance(md5_states *states, uint32_t milliseconds,
                                     md5_frame_fn *on_frame, void *user);

// The state that is active in one channel of a character.
typedef struct md5_channel_state {
    const char *name; // name of the state; "" if no state is active
    // Duration of the next fade to another clip, in frames at 24 per second.
    uint32_t blend;
    // Duration of the last fade to another clip, in frames at 24 per second.
    uint32_t last_blend;
    // If true, the channel is idle, so it copies the clip of another channel.
    bool is_idle;
    // If true, another channel has taken over this channel by the script function overrideAnim().
    bool is_disabled;
    // If true, the script function of the state has not ended yet.
    bool is_running;
    // If true, the script function was stopped because it exceeded the limit of operations or of
    // nested calls.
    bool was_stopped;
    uint64_t reserved[2]; // always 0
} md5_channel_state;

// Returns the script state that is active in a channel of the character.
MD5_GAME_API md5_channel_state md5_states_channel(const md5_states *states, md5_channel channel);

// Values that the script of a character has set, which the game can read.
typedef struct md5_states_status {
    // Name of the action for which a state waits, the argument of the script function waitAction().
    // If it is "", no state waits.
    const char *waits_for;
    bool allows_pain;     // If true, pain may interrupt the current animation.
    bool allows_movement; // If true, the clips of the character move it through the world.
    uint64_t reserved[2]; // always 0
} md5_states_status;

// Returns the values that the script of a character has set, which the game can read.
MD5_GAME_API md5_states_status md5_states_state(const md5_states *states);

// Copies the current states and variables from `from` to `to`. Both must have been created for the
// same script and entity. The actors are not copied: use md5_actor_save() and md5_actor_restore().
MD5_GAME_API void md5_copy_states(md5_states *to, const md5_states *from);

// -- Damage zones --------------------------------------------------------------------------------

// A damage zone: a group of joints for which the engine multiplies damage by a factor. The key
// "damage_zone NAME" contains the joints of the zone NAME, for example "*spine -head": `*` before a
// joint selects the joint and all its descendants, and `-` removes joints. The key "damage_scale
// NAME" contains the factor.
typedef struct md5_damage_zone {
    // Name of the zone, a string that the entityDef owns. If it is "", no zone contains the joint.
    const char *name;
    // Factor of damage; 1 if the entity does not have the key "damage_scale NAME". The engine
    // multiplies the damage by this factor, then rounds up.
    float scale;
} md5_damage_zone;

// Returns the damage zone of a joint, for example of the joint that a ray has hit. If several zones
// contain the joint, the last zone is used. The time is proportional to the length of the keys of
// damage zones, multiplied by the number of joints.
MD5_GAME_API md5_damage_zone md5_entity_damage_zone(const md5_entity *entity, uint32_t joint);

// -- Monsters -------------------------------------------------------------------------------------

// Parameters of md5_create_monster(), which creates a character that looks at targets and places
// its feet on the ground.
typedef struct md5_monster_desc {
    // The character, which must have been loaded from an entityDef.
    const md5_entity *entity;
    md5_actor *body; // actor that plays the clips of `entity`
    // Actor that plays the clips of the head. The head is the part with the key "def_head", which
    // must be entity->parts[0]. If NULL, the head is ignored.
    md5_actor *head;
    // If true, the library corrects two errors of the engine. One error is in the directions of the
    // eyes if the body is rotated. The other error is in the position of the head if the entity has
    // the key "offsetModel".
    bool is_as_meant;
    uint64_t reserved[4]; // must be 0
} md5_monster_desc;

// Creates a monster in one memory block. Destroy it with md5_destroy_monster(). The objects in
// `desc` must remain valid until then. Uses allocator and warn of `opts`, which may be NULL.
//
// The monster is configured by the following keys of its entity, in which N is the number of a leg:
//
//   joints that look:  look_joint, look_min, look_max, head_focus_rate
//   eyes:              eye_turn_min, eye_turn_max, eye_verticle_offset, eye_horizontal_offset,
//                      eye_focus_rate, focus_align_time, eye_height, bone_leftEye, bone_rightEye
//   start of the look: bone_focus, bone_orientation
//   head:              copy_joint, copy_joint_world
//   joints of legs:    ik_numLegs, ik_waist, ik_hipN, ik_kneeN, ik_ankleN, ik_footN, ik_dirN
//   walk IK:           ik_smoothing, ik_waistSmoothing, ik_footShift, ik_waistShift,
//                      ik_minWaistFloorDist, ik_minWaistAnkleDist, ik_footUpTrace,
//                      ik_footDownTrace, ik_footSize, ik_usePivot
//
// A key that names a missing joint causes a warning and is ignored. If the joint of a leg is
// missing, the engine ends the game; this library reports a warning and disables walk IK instead.
// Walk IK is also disabled if the entity does not have the clip "ik_pose".
//
// Returns NULL with MD5_ERROR_MISMATCH if the entity was loaded with other axes or a scale, and
// with MD5_ERROR_MEMORY if memory runs out.
MD5_GAME_API md5_monster *md5_create_monster(const md5_monster_desc *desc,
                                             const md5_load_opts *opts, md5_error *error);

// Destroys a monster. NULL is allowed and has no effect.
MD5_GAME_API void md5_destroy_monster(md5_monster *monster);

// Returns the joint modifications of the body, [model joints]. The caller may change them, as the
// script functions setJointPos(), setJointAngle() and clearJoint() do. The monster itself sets the
// modifications of the joints with which it looks at targets, and of the joints of its legs.
//
// Performance: by default, md5_monster_think() and md5_monster_pose() compute only the joints named
// in keys, and their ancestors, in addition to the clips. After the first call of this function,
// they compute all joints. The same applies after md5_monster_restore(), because restored data may
// contain modifications of any joint.
MD5_GAME_API md5_joint_mod *md5_monster_mods(md5_monster *monster);

// The kind of target at which a character looks.
typedef enum md5_look_kind {
    // An object. md5_monster_tick.target is the position of its origin.
    MD5_LOOK_THING,
    // An actor: md5_monster_tick.target is the position of its eyes; for an enemy that is not
    // visible, the position where its eyes were last visible.
    MD5_LOOK_ACTOR,
    MD5_LOOK_GONE // the target was removed from the game; md5_monster_tick.target is not used
} md5_look_kind;

// Callback that tests the ground under a foot or under the waist. Moves a box straight up or down,
// from the position `from` to the height of `to`. Returns the height (z) at which the world stops
// the box, or the height of `to` if the box does not hit anything.
//
// The box is flat and square, and its sides have the length `size`; 0 means a point. The box of a
// foot is parallel to the axes of the world. If `is_waist` is true, the box belongs to the waist
// and has the rotation of the character.
typedef float md5_sweep_fn(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist);

// The state of the world in one step of the game, which the caller passes to md5_monster_think().
// The two callbacks must not use the monster and its actors.
typedef struct md5_monster_tick {
    int64_t time; // time of the game, in milliseconds
    // Position of the character in the world, without the offset of the key "offsetModel".
    md5_vec3 origin;
    md5_quat rotation;  // rotation of the character in the world
    md5_look_kind look; // kind of target at which the character looks
    md5_vec3 target;    // position of the target in the world
    bool has_ground;    // If true, the character touches the ground.
    // If true, the ground is an elevator (class idPlat of the engine), so feet move without
    // smoothing.
    bool is_on_a_lift;
    // Callback that tests the ground. If NULL, the ground is never hit.
    md5_sweep_fn *sweep;
    // Callback that returns a random number from 0 to 1. If NULL, the number is always 0.5.
    float (*random)(void *user);
    void *user;           // first argument of `sweep`, argument of `random`
    uint64_t reserved[4]; // must be 0
} md5_monster_tick;

// Starts to look at a target, like the script functions lookAt() and lookAtEnemy(). The character
// looks at the target from `time` until `milliseconds` later. `who` is a number that the caller
// chooses for each target. If the character did not look at this target before, it turns to the
// target immediately and blinks. The position of the target is passed in md5_monster_tick.target.
MD5_GAME_API void md5_monster_look_at(md5_monster *monster, uint64_t who, int64_t time,
                                      uint32_t milliseconds);

// Allows or forbids a character to look at targets with its joints, like the script function
// setBoneMod(), and with its eyes. At first, both are allowed. If one of the two is not allowed,
// the character looks straight ahead.
MD5_GAME_API void md5_monster_allow_looking(md5_monster *monster, bool joints, bool eyes);

// Executes a frame command (an action at a frame of a clip) of the monster's actors. Call this
// function in the callback of md5_actor_advance(). Commands that enable or disable eye focus, walk
// IK or leg IK take effect in the next tick. All other commands are ignored.
MD5_GAME_API void md5_monster_on_frame(md5_monster *monster, const md5_frame_command *command);

// Computes one tick: sets the joint modifications with which the character looks at its target and
// places its feet on the ground. Call this function after md5_actor_advance(). As in the engine,
// the position of the eyes is computed from the clips of this tick and the joint modifications of
// the previous tick.
MD5_GAME_API void md5_monster_think(md5_monster *monster, const md5_monster_tick *tick);

// Computes the pose of the body, with joint modifications. `pose`, `joints` and `palette` have
// [model joints] elements and are written as by md5_actor_pose().
MD5_GAME_API void md5_monster_pose(md5_monster *monster, md5_xform *pose, md5_mat34 *joints,
                                   md5_mat34 *palette);

// Computes the pose of the head, in which copied joints (see md5_joint_copy) follow the joints of
// the body. The arrays have one element for each joint of the head's model. The monster must have a
// head.
MD5_GAME_API void md5_monster_head_pose(md5_monster *monster, md5_xform *pose, md5_mat34 *joints,
                                        md5_mat34 *palette);

// Largest number of legs of a monster.
enum { MD5_MAX_IK_LEGS = 8 };

// The state of a monster, for tests and debug views. Angles are in degrees; the roll of each angle
// is 0.
typedef struct md5_monster_status {
    // Height of the eyes above the origin of the character.
    float eye_height;
    // Position of the eyes in the world, in the last tick.
    md5_vec3 eye;
    // Smoothed position of the target. The character continues to look at it if the target was
    // removed from the game.
    md5_vec3 focus;
    // Current angles of the joints with which the character looks at the target.
    md5_euler look;
    // Angles towards which these joints rotate.
    md5_euler look_goal;
    // Angles of the eyes, in addition to the angles `look`.
    md5_euler eyes;
    // Time of the game at which the joints start to follow the eyes again, in milliseconds.
    int64_t align_time;
    // Time of the game until which the joints follow the eyes in every tick, in milliseconds.
    int64_t force_time;
    // Time of the game until which the character looks at its target, in milliseconds.
    int64_t focus_time;
    md5_xform head; // transform of the head in the world
    uint32_t num_legs;
    // Set of legs: bit n is set if inverse kinematics are enabled for leg n.
    uint32_t enabled_legs;
    // If true, `waist_height` and `ankle_heights` are valid: walk IK (the placement of the feet on
    // the ground) measured them while the character stood on the ground.
    bool is_standing;
    // Height of the waist in the world, in the last tick.
    float waist_height;
    // [num_legs] Height of each ankle in the world.
    float ankle_heights[MD5_MAX_IK_LEGS];
    // Displacement of the waist by walk IK (the placement of the feet on the ground), in the last
    // tick.
    md5_vec3 waist_offset;
    uint64_t reserved[4]; // always 0
} md5_monster_status;

// Returns the current state of a monster, such as its directions of looking and the heights of its
// ankles.
MD5_GAME_API md5_monster_status md5_monster_state(const md5_monster *monster);

// The following three functions save and restore a monster without its actors, for example in a
// saved game; save the actors with md5_actor_save(). The functions can also copy a monster to
// another monster of the same entity. The format of the data is the same on all platforms. A
// restored monster continues with bit-identical results if its actors have been restored too.

// Returns the size of the saved data in bytes.
MD5_GAME_API size_t md5_monster_save_size(const md5_monster *monster);

// Writes the state of a monster to bytes[md5_monster_save_size()].
MD5_GAME_API void md5_monster_save(const md5_monster *monster, void *bytes);

// Restores the state of a monster from bytes[size], which may be untrusted data. Returns false,
// writes an error and does not change the monster if the data is invalid. Values of error->status:
//
//   MD5_ERROR_SYNTAX:   the data is not a saved monster
//   MD5_ERROR_MISMATCH: the data was saved for a monster with other joints or legs
//   MD5_ERROR_RANGE:    a number in the data is out of range
MD5_GAME_API bool md5_monster_restore(md5_monster *monster, const void *bytes, size_t size,
                                      md5_error *error);

#ifdef __cplusplus
}
#endif

#endif
