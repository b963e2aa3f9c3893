// md5actor: the entities of a Doom 3 game folder, and characters that are animated by the rules of
// the original engine.
//
//   md5_entity *imp = md5_load_entity(game, "monster_demon_imp", NULL, &error);
//   md5_actor *actor = md5_create_actor(imp, NULL, &error);
//   md5_actor_cycle(actor, MD5_CHANNEL_ALL, md5_actor_choose(actor, "walk"), 200);
//   md5_actor_advance(actor, 16, on_frame, NULL);
//   md5_actor_pose(actor, pose, joints, palette);
//
// An entity is read-only and shared by any number of actors, on any threads. An actor is the state
// of one character; one thread at a time may use it. After it is created, no call allocates memory.
//
// There are two ways to play an entity: an md5_actor follows the rules of the engine's animator,
// down to its clock of whole milliseconds, with poses that agree to 1e-4 units; what else moves
// joints in a game is not part of it: articulated figures, IK, joints that code turns.
// md5_make_entity_machine() makes a state machine of md5machine.h, with all that
// md5play.h offers.
//
// Time is whole milliseconds, as in the engine, whose clock decides which frames are passed. Space
// is id's: x forward, y left, z up, in the file's units.
#ifndef MD5ACTOR_H
#define MD5ACTOR_H

#include "md5game.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- entityDefs -----------------------------------------------------------------------------------

// Memory and threads: as those of other declarations, see md5game.h.

typedef struct md5_entity_key {
    const char *name, *value; // as in the file
    const md5_decl *decl;     // the entityDef that has it: itself, or one that it inherits
} md5_entity_key;

// An entityDef. No two keys have the same name, ignoring case. "classname" is its own name.
typedef struct md5_entity_def {
    const md5_decl *decl;
    uint32_t num_keys;
    const md5_entity_key *keys; // [num_keys] its own in the order of the file, then its parents'
} md5_entity_def;

// Returns an entityDef with all that it inherits, or NULL if there is none of this name. Every key
// that begins with "inherit" names a parent. Its own keys override those of its parents, which
// count in order, each with what it inherits. Circular inheritance ends where it began. After a
// mistake an entityDef has only the keys "DEFAULTED" and "classname" in the engine's verdict; in
// the lenient one keys may be without quotes, and what is right is kept.
//
// Sets `error` (may be NULL) only if memory runs out. Time and memory: linear in the texts of the
// entityDef and of all that it inherits; each is parsed once per game.
MD5_API const md5_entity_def *md5_game_entity_def(md5_game *game, const char *name,
                                                  md5_error *error);

// Parses the text of an entityDef, without what it inherits: this reports its warnings and sets
// md5_decl.state. Checking all entityDefs of a game this way takes time and memory linear in their
// texts. md5_game_entity_def() may take quadratic time and memory, since each entityDef in a long
// chain of ancestors gets all the keys of those before it. Returns false and sets `error` (may be
// NULL) only if memory runs out, and true if there is no entityDef of this name.
MD5_API bool md5_game_check_entity_def(md5_game *game, const char *name, md5_error *error);

// Returns the value of a key, ignoring the case of its name, or NULL if there is none. Linear in
// the number of keys.
MD5_API const char *md5_entity_def_value(const md5_entity_def *def, const char *key);

// Returns the next key after `key` whose name begins with `prefix`, such as "def_attach", ignoring
// case; NULL if there is none. `key` is a key of `def`, or NULL to find the first one.
MD5_API const md5_entity_key *md5_entity_def_next_key(const md5_entity_def *def, const char *prefix,
                                                      const md5_entity_key *key);

// -- Entities -------------------------------------------------------------------------------------

// An animation of an entity. Its name, its alias, flags and frame commands are those of the
// modelDef.
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

// The largest number of parts of an entity, parts of its parts included, and of copied joints of
// each; further keys are ignored. Parts that cannot be loaded count, too, so that many of them take
// linear time.
enum { MD5_MOST_ENTITY_PARTS = 64, MD5_MOST_JOINT_COPIES = 256 };

// The longest time between two blinks, in milliseconds. Longer ones are cut to it.
enum { MD5_MOST_BLINK_WAIT = 1000000000 };

// A model attached to a joint: a head, or the entity that a key beginning with "def_attach" names.
typedef struct md5_entity_part {
    const char *key; // "def_head", or one that begins with "def_attach"
    const md5_entity *entity;
    uint32_t joint;   // of the body
    md5_xform offset; // of the part's model space in the space of the joint, model_offset included
    uint32_t num_copies;
    const md5_joint_copy *copies; // [num_copies] parents first
} md5_entity_part;

// All that is needed to show and play an entity.
struct md5_entity {
    const md5_entity_def *def;      // NULL if its name is that of a modelDef or of a file
    const md5_model_def *model_def; // NULL if its model is a file
    const md5_model *model;
    const md5_skin_def *skin;     // NULL: none
    const char *const *materials; // [model->num_meshes] names, with skin and "shader" applied
    uint32_t num_clips;
    const md5_entity_clip *clips; // [num_clips] those of the modelDef
    const float *const *masks;    // [MD5_NUM_CHANNELS] joint weights, [model joints] each, 0 or 1
    uint32_t num_parts;
    const md5_entity_part *parts; // [num_parts] the head first
    // Added to joint 0 in every pose: md5_model_def.offset. Its numbers and those of keys are
    // clamped to +-1e9.
    md5_vec3 offset;
    md5_vec3 model_offset; // of the model's origin in the space of the entity: key "offsetModel"
    uint32_t blink_min,
        blink_max;         // milliseconds from one blink to the next, see md5_actor_spawn()
    uint32_t num_warnings; // reported or not
    size_t size;           // bytes of the model and the animations, those of parts not included
    void *owned;           // the memory of all this
    float parms[12];       // for md5_material_input: keys "_color", "shaderParm3" to "shaderParm11"
};

// Loads an entity: the entityDef of a name, with its model, clips, skin, head and attachments; if
// there is none, the modelDef of that name; else an .md5mesh file. The game must outlive it, and
// its caches grow as with md5_game_model_def(). Attached entities come with their own heads and
// attachments; an entity that would be attached to itself is a warning.
//
// Of `opts` (may be NULL), files are not used. With other axes or another scale all poses, offsets
// and placements are converted. memory_limit applies to each file separately. Returns NULL and
// fills `error` (may be NULL) if there is no such entity, if it has no model of MD5 files, or if
// memory runs out; the error has the location of the declaration. A part, copied joint or clip with
// a mistake is dropped with a warning.
//
// Time and memory: linear in the files, plus the number of clips times that of channels.
MD5_API md5_entity *md5_load_entity(md5_game *game, const char *name, const md5_load_opts *opts,
                                    md5_error *error);
MD5_API void md5_free_entity(md5_entity *entity); // after its actors and machines; NULL is allowed

// Returns the word of a frame command, such as "sound_voice", or NULL if there is none.
MD5_API const char *md5_frame_code_name(md5_frame_code code);

// -- Machines -------------------------------------------------------------------------------------

// Tables of a machine for an entity.
typedef struct md5_entity_machine {
    const struct md5_machine_desc *desc; // md5machine.h
    md5_allocator allocator;
} md5_entity_machine;

// Makes the tables of a state machine. Each clip that can be played becomes a clip of the same
// name, with its frame commands as events; one with a rate of its own is
// played by a motion "paced NAME" of that speed. Clips of the names "", "(none)" and those that
// begin with "paced " are left out with a warning. Each channel that has joints becomes a layer,
// whose first state "(none)" is empty and whose others are the clips, in order. As in the engine,
// the layer "all" hides those of the body's parts, and "eyelids" hides "all". A game copies the
// tables, adds what it needs, and calls md5_create_machine(). Unlike an actor's poses, those of a
// machine are without md5_entity.offset, and the root is as in the file.
//
// The entity must outlive the tables. Of `opts`, allocator, memory_limit, warn, warn_user and
// max_warnings are used. Returns NULL only if memory runs out. Time and memory: linear in clips,
// commands and the names of joints.
MD5_API md5_entity_machine *md5_make_entity_machine(const md5_entity *entity,
                                                    const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_entity_machine(md5_entity_machine *machine); // NULL is allowed

// -- Parts ----------------------------------------------------------------------------------------

// Returns the placement of a part in the body's model space, from the body's joints[model joints].
MD5_API md5_xform md5_entity_part_placement(const md5_entity_part *part, const md5_mat34 *joints);

// Changes the joints of a head that follow those of its body. `body` and `head` are poses relative
// to parents, [model joints] each; `joints`, [body's model joints], is `body` in model space.
// Matrices of the head must be computed after that, by md5_local_to_palette(). Time: the number of
// copies times the depth of the head's skeleton.
MD5_API void md5_entity_part_copy_joints(const md5_entity_part *part, const md5_xform *body,
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
// it. Of `opts`, allocator and memory_limit are used. Returns NULL only if memory runs out.
MD5_API md5_actor *md5_create_actor(const md5_entity *entity, const md5_load_opts *opts,
                                    md5_error *error);
MD5_API void md5_destroy_actor(md5_actor *actor); // NULL is allowed

// Sets the state of the random number generator, initially 0. It is the engine's own, and chooses
// among the clips of an alias, where cycles with MD5_ANIM_RANDOM_CYCLE_START begin, and when the
// eyes blink.
MD5_API void md5_actor_set_seed(md5_actor *actor, uint32_t seed);

// Sets whether the root motion is removed from the pose, as for the engine's monsters and players.
// Initially false: it stays in the pose. md5_actor_root_motion() returns it in either case.
MD5_API void md5_actor_set_in_place(md5_actor *actor, bool is_removed);

// Returns the index of a clip of this name, case-sensitive, or -1. A name that ends in a digit is
// that of one clip; else it is an alias, and one of the first 64 clips that have it is chosen at
// random.
MD5_API int32_t md5_actor_choose(md5_actor *actor, const char *name);

// The same, but a clip "PREFIX_name" is preferred to "name", as in the engine for characters with
// an animation prefix: "wounded_walk" for "walk". An empty prefix has no effect. For the head
// channel the engine searches the head's own model: call this for the head's actor.
MD5_API int32_t md5_actor_choose_prefixed(md5_actor *actor, const char *prefix, const char *name);

// Starts what the engine starts when a character spawns: a head cycles its clip "def_head", and the
// eyelids play the clip "blink" immediately and then repeatedly, at random intervals between
// blink_min and blink_max of `body` (keys of the same names, in seconds; default 0.5 and 8). Call
// it for each actor of a character: `body` is the actor's own entity or, for a head, the entity
// that the head is a part of. Does nothing for a body with a head, since the head blinks.
MD5_API void md5_actor_spawn(md5_actor *actor, const md5_entity *body);

// Stops blinking and opens the eyes, or resumes blinking after a random time. Call it for the
// commands MD5_FRAME_DISABLE_EYE_FOCUS and MD5_FRAME_ENABLE_EYE_FOCUS, and when a character dies.
// Does nothing if the actor never blinks.
MD5_API void md5_actor_set_blinking(md5_actor *actor, bool is_blinking);

// Start a clip now: once, in a loop, or held at a frame (1 is the first; it is clamped; frame 1
// shows the base frame, as in the engine). It fades in over `blend` milliseconds. Return false and
// change nothing if the channel or clip index is invalid or the clip cannot be played.
MD5_API bool md5_actor_play(md5_actor *actor, md5_channel channel, int32_t clip, uint32_t blend);
MD5_API bool md5_actor_cycle(md5_actor *actor, md5_channel channel, int32_t clip, uint32_t blend);
MD5_API bool md5_actor_hold(md5_actor *actor, md5_channel channel, int32_t clip, uint32_t frame,
                            uint32_t blend);

// Fades out all that plays in a channel over `blend` milliseconds, from its present weight, or ends
// it immediately if that is 0. Returns false if the channel is invalid.
MD5_API bool md5_actor_clear(md5_actor *actor, md5_channel channel, uint32_t blend);

// Plays the newest clip of the channel `from` in another channel, too, at the same time within the
// clip. Only `from` fires frame commands. Returns false if a channel is invalid.
MD5_API bool md5_actor_sync(md5_actor *actor, md5_channel channel, md5_channel from,
                            uint32_t blend);

// Sets the weight of one of the files that the channel's newest clip plays together; initially 1
// for the first and 0 for the others. They are blended by weight. Returns false and changes nothing
// if the channel or file is invalid or the weight is negative, above 1e30 or not finite.
MD5_API bool md5_actor_weigh(md5_actor *actor, md5_channel channel, uint32_t file, float weight);

// Called for each frame command that is passed: channel by channel, newest clip first, then by
// frame and as in the file. Must not change the actor.
typedef void md5_frame_fn(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                          md5_channel channel);

// Advances an actor by one tick of the engine. Fires the commands of the frames after that of the
// last tick, up to and including the present one. A clip fires nothing before the first tick after
// its start, which also fires those of its first frame. At the end of a cycle the commands of its
// last and of its first frame fire, though both show the same pose. A tick passes the end of a clip
// at most once. Held frames, clips that have ended and synchronised channels fire nothing.
// `on_frame` may be NULL.
MD5_API void md5_actor_advance(md5_actor *actor, uint32_t milliseconds, md5_frame_fn *on_frame,
                               void *user);

// Returns the root motion of the last md5_actor_advance(), in the space of the character before it,
// blended from the channels that move joint 0; its rotation is that of clips with MD5_ANIM_TURN. It
// is part of the pose, too, unless md5_actor_set_in_place() is set.
MD5_API md5_xform md5_actor_root_motion(const md5_actor *actor);

// Writes pose[model joints], relative to parents, with md5_entity.offset in joint 0; `joints`
// and `palette`, [model joints] each, may be NULL and must not overlap. The actor's own buffers are
// used.
MD5_API void md5_actor_pose(md5_actor *actor, md5_xform *pose, md5_mat34 *joints,
                            md5_mat34 *palette);

// Returns the union of the bounds that the files of all playing clips store for the present frames,
// which the engine uses for culling; the bounds of the bind pose if nothing plays.
MD5_API md5_bounds md5_actor_bounds(const md5_actor *actor);

// Status of the newest clip of a channel.
typedef struct md5_actor_status {
    int32_t clip;  // -1: none, and all else is 0
    uint32_t time; // of the clip, in milliseconds
    uint32_t held; // the frame that is held, 1 is the first; 0: none
    float weight;
    bool is_cycling, has_ended;
} md5_actor_status;
// Returns the status; {.clip = -1} if the channel is invalid.
MD5_API md5_actor_status md5_actor_channel(const md5_actor *actor, md5_channel channel);

// Saves an actor in bytes[MD5_ACTOR_SAVE_SIZE], which are the same on all platforms. A restored
// actor continues with the same bits. md5_actor_restore() accepts untrusted bytes: every number is
// checked. On failure it returns false and changes nothing; `error` may be NULL.
// MD5_ERROR_MISMATCH: saved by another version, or with an entity that has other clips;
// MD5_ERROR_SYNTAX: not a saved actor, or another size; MD5_ERROR_RANGE: a number is out of range.
enum { MD5_ACTOR_SAVE_SIZE = 1868 };
MD5_API void md5_actor_save(const md5_actor *actor, void *bytes);
MD5_API bool md5_actor_restore(md5_actor *actor, const void *bytes, size_t size, md5_error *error);

#ifdef __cplusplus
}
#endif

#endif
