// md5actor: plays the animations of a Doom 3 character by the rules of the original engine. The
// character is an entity that was loaded from a game folder (md5entity.h).
//
//   md5_actor *actor = md5_create_actor(imp, NULL, &error);
//   uint32_t walk = md5_actor_choose(actor, NULL, "walk");
//   md5_actor_play(actor, MD5_CHANNEL_ALL, walk, MD5_ACTOR_CYCLE, 0, 200);
//   md5_actor_advance(actor, 16, on_frame, NULL);
//   md5_actor_pose(actor, pose, joints, palette);
//
// Terms that are used below:
//
// - Engine: id Software's Doom 3 engine. Its animator is the part that plays animations.
// - Entity: a character or object of the game, with a model and clips. Its definition in the game
//   folder (an entityDef) consists of keys, which are pairs of a name and a value.
// - Clip: an animation of an entity.
// - Channel: a part of the body for which clips can be played separately, such as torso or legs.
// - Frame command: an instruction in the definition of a clip that is executed at a frame, such as
//   the sound of a footstep.
// - Tick: one call of md5_actor_advance(), like one frame of the game.
//
// An actor counts time in whole milliseconds, as the engine does; the clock determines which frames
// a tick passes. Its poses equal the engine's poses within 1e-4 units. Other sources of joint
// motion in a game are not included: articulated figures (ragdolls), inverse kinematics, and joints
// that the game's code rotates.
//
// Only one thread at a time may use an actor. After an actor is created, no function allocates
// memory. md5entity.h explains the coordinate system.
#ifndef MD5ACTOR_H
#define MD5ACTOR_H

#include "md5entity.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// The playback state of one character, an opaque structure. An actor follows these rules of the
// engine:
//
// - An actor has five channels (md5_channel). Each channel plays up to three clips.
// - When a clip starts, it fades in. The previous clip of the channel fades out over the same time
//   and then ends. Weights change linearly.
// - The pose is the pose of MD5_CHANNEL_ALL. If the weights of its clips sum to less than 1, the
//   torso, legs and head channels are blended in at their joints. The eyelids channel is blended
//   over all other channels.
// - A clip that has ended shows its last frame if no other clip plays.
// - If no clip plays at all, for example after md5_actor_clear() with a time of 0, the last pose
//   remains. Before the first clip, this is the bind pose.
typedef struct md5_actor md5_actor;

// Creates an actor for an entity. The actor starts at time 0 and plays no clip; call
// md5_actor_spawn() to start the automatic clips. The entity must outlive the actor. Free the actor
// with md5_destroy_actor(). The actor is one memory block from `allocator`; if `allocator` is NULL,
// malloc() and free() are used. Returns NULL only if memory runs out or `entity` is NULL.
MD5_GAME_API md5_actor *md5_create_actor(const md5_entity *entity, const md5_allocator *allocator,
                                         md5_error *error);
MD5_GAME_API void md5_destroy_actor(md5_actor *actor); // accepts NULL

// Sets the state of the actor's random number generator, which is initially 0. Two actors with the
// same seed make the same random choices if they receive the same calls. The engine has the same
// generator. The random numbers select
//
// - one of several clips with the same alias, in md5_actor_choose();
// - the position at which a cycle starts, for clips with MD5_ANIM_RANDOM_CYCLE_START;
// - the times of blinks.
MD5_GAME_API void md5_actor_set_seed(md5_actor *actor, uint32_t seed);

// Selects whether poses contain root motion, which is the part of the motion of joint 0 that moves
// the character:
//
// - If true, the root motion is removed from the pose, as the engine does for monsters and players.
//   The game moves the character by md5_actor_root_motion() instead.
// - If false, the pose contains the root motion. This is the initial value.
//
// md5_actor_root_motion() returns the root motion in both cases.
MD5_GAME_API void md5_actor_set_in_place(md5_actor *actor, bool is_removed);

// Selects a clip by its name, as the engine does. Returns the index of the clip, or MD5_NONE if no
// clip matches. Names are case-sensitive.
//
// - If `name` ends with a digit, such as "pain2", it is the name of one clip.
// - Any other name, such as "pain", is an alias: it stands for all clips whose names consist of the
//   alias and a number. One of the first 64 clips with this alias is selected at random.
//
// `prefix` selects a variant of a clip; it may be NULL or "". A clip "PREFIX_name" is preferred to
// "name". For example, with the prefix "wounded" and the name "walk", "wounded_walk" is selected if
// it exists, and "walk" otherwise.
//
// The head of a character is a separate entity with a separate actor. To select a clip of the head,
// call this function with the actor of the head.
MD5_GAME_API uint32_t md5_actor_choose(md5_actor *actor, const char *prefix, const char *name);

// Starts the clips that the engine starts when a character spawns (appears in the game):
//
// - A head plays its clip "def_head" in a cycle.
// - The eyelids play the clip "blink" immediately, and then again after random times. The range of
//   the times is specified by the keys "blink_min" and "blink_max" of `body`, in seconds; the
//   defaults are 0.5 and 8.
//
// Call this function once for each actor of a character. `body` is the entity of the actor. For the
// actor of a head, `body` is the entity to which the head is attached. If a body has a head, the
// function has no effect for the body, because the head blinks.
MD5_GAME_API void md5_actor_spawn(md5_actor *actor, const md5_entity *body);

// Stops or resumes the blinking that md5_actor_spawn() started. Has no effect if the actor does not
// blink.
//
// - If false, the eyes open and remain open.
// - If true, the actor blinks again after a random time.
//
// The engine stops blinking at the frame command MD5_FRAME_DISABLE_EYE_FOCUS and when a character
// dies. It resumes blinking at the frame command MD5_FRAME_ENABLE_EYE_FOCUS.
MD5_GAME_API void md5_actor_set_blinking(md5_actor *actor, bool is_blinking);

// Selects how often a clip plays.
//
// - MD5_ACTOR_ONCE: the clip plays once.
// - MD5_ACTOR_CYCLE: the clip plays in an endless cycle.
// - MD5_ACTOR_HOLD: the clip shows one frame.
typedef enum md5_actor_mode { MD5_ACTOR_ONCE, MD5_ACTOR_CYCLE, MD5_ACTOR_HOLD } md5_actor_mode;

// Starts a clip in a channel (a part of the body) at the current time. `clip` is an index from
// md5_actor_choose(). The clip fades in over `blend` milliseconds, while the previous clip of the
// channel fades out. A clip with several files plays the first file.
//
// `frame` is the frame that MD5_ACTOR_HOLD shows; other modes do not use it. Frames are numbered
// from 1, and a number outside the clip is clamped. Frame 1 shows the base frame of the file, as in
// the engine.
//
// Returns false and changes nothing if the channel or the clip is invalid, or if the clip cannot be
// played because none of its files was loaded.
MD5_GAME_API bool md5_actor_play(md5_actor *actor, md5_channel channel, uint32_t clip,
                                 md5_actor_mode mode, uint32_t frame, uint32_t blend);

// Stops all clips of a channel. The clips fade out from their current weights to 0 over `blend`
// milliseconds; if `blend` is 0, they end immediately. Returns false if the channel is invalid.
MD5_GAME_API bool md5_actor_clear(md5_actor *actor, md5_channel channel, uint32_t blend);

// The next three functions change the clip that a channel started last, as the code of the engine
// does. They return false and change nothing if the channel plays no clip or the value is out of
// range. The constants are the largest arguments of md5_actor_set_cycles() and
// md5_actor_set_start().
enum { MD5_MAX_CYCLES = 1000, MD5_MAX_PASSED = 1000000000 };

// Sets the playback rate of the clip: 0.01 to 100, where 1 is the normal speed, or 0 to stop the
// clip at its current frame. The current time of the clip does not change.
MD5_GAME_API bool md5_actor_set_rate(md5_actor *actor, md5_channel channel, float rate);

// Sets the number of times that the clip plays before it ends: 1 to MD5_MAX_CYCLES. 0 has the same
// effect as 1; a negative value means an endless cycle. Also returns false if the clip holds a
// frame.
MD5_GAME_API bool md5_actor_set_cycles(md5_actor *actor, md5_channel channel, int32_t cycles);

// Sets the start time of the clip: the clip continues as if it had started this number of
// milliseconds before the current time. `milliseconds` is 0 to MD5_MAX_PASSED.
MD5_GAME_API bool md5_actor_set_start(md5_actor *actor, md5_channel channel, int64_t milliseconds);

// Returns the distance and direction in which a clip moves the character, for example to test if an
// attack reaches an enemy. The result is the displacement of joint 0 over the whole clip, in units.
// Returns zero if the clip cannot be played. No actor is needed.
MD5_GAME_API md5_vec3 md5_entity_clip_movement(const md5_entity_clip *clip);

// A function of the game that receives the frame commands that md5_actor_advance() passes. The
// commands of one tick are ordered by channel. Within a channel, the commands of the newest clip
// come first; the commands of one clip are ordered by frame, then by their order in the file. The
// function must not change the actor.
typedef void md5_frame_fn(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                          md5_channel channel);

// Advances an actor by one tick of `milliseconds`: plays its clips and calls `on_frame` for each
// frame command that is passed. `on_frame` may be NULL. The rules are the same as in the engine:
//
// - A tick passes the commands of all frames after the frame of the previous tick, up to and
//   including the current frame.
// - A clip passes no commands before the first tick after its start. That tick also passes the
//   commands of the first frame.
// - At the end of a cycle, the commands of the last frame and of the first frame are both passed,
//   although both frames show the same pose.
// - One tick passes the end of a clip at most once, even if it is longer than the clip.
// - A clip that holds a frame or has ended passes no commands.
MD5_GAME_API void md5_actor_advance(md5_actor *actor, uint32_t milliseconds, md5_frame_fn *on_frame,
                                    void *user);

// Returns the root motion of the last tick: the translation and rotation by which the game moves
// the character. It is in the space of the character before the tick, and is blended from all
// channels that move joint 0. It only contains a rotation for clips with MD5_ANIM_TURN.
//
// If md5_actor_set_in_place() is false, which is the initial value, the pose contains the same
// motion; the game must then not also move the character by it.
MD5_GAME_API md5_xform md5_actor_root_motion(const md5_actor *actor);

// Computes the pose at the current time. Writes pose[model joints]: the transform of each joint
// relative to its parent. The transform of joint 0 includes the entity's offset
// (md5_entity.offset). Also writes the model-space matrices to joints[model joints] and the palette
// for skinning to palette[model joints]. `joints` and `palette` may be NULL. The arrays must not
// overlap.
//
// The function uses buffers of the actor, so two threads must not pose the same actor at a time.
MD5_GAME_API void md5_actor_pose(md5_actor *actor, md5_xform *pose, md5_mat34 *joints,
                                 md5_mat34 *palette);

// State of the clip that a channel (part of the body) started last.
typedef struct md5_actor_status {
    // Index of the clip. If MD5_NONE, the channel plays no clip or is invalid, and all other
    // members are 0.
    uint32_t clip;
    uint32_t time; // time within the clip, in milliseconds
    // Frame that a clip with the mode MD5_ACTOR_HOLD shows, numbered from 1. The value is 0 in the
    // other modes.
    uint32_t held;
    float weight; // current weight of the clip, 0 to 1
    // `is_cycling` is true if the clip plays in an endless cycle. `has_ended` is true if it has
    // reached its end.
    bool is_cycling, has_ended;
    uint64_t reserved[2]; // always 0
} md5_actor_status;

// Returns the state of the clip that a channel started last, for example to test if the clip has
// ended.
MD5_GAME_API md5_actor_status md5_actor_channel(const md5_actor *actor, md5_channel channel);

// md5_actor_save() saves the state of an actor to bytes[MD5_ACTOR_SAVE_SIZE], for saved games or
// for a network. The format is the same on all platforms.
//
// md5_actor_restore() restores this state. The restored actor continues bit-identically. The data
// may come from an untrusted source. On failure the function returns false and changes nothing. The
// error is
//
// - MD5_ERROR_MISMATCH if the data was saved by another version of the format, or by an actor whose
//   entity has other clips;
// - MD5_ERROR_SYNTAX if the data has another size or is not a saved actor;
// - MD5_ERROR_RANGE if a number is out of range.
enum { MD5_ACTOR_SAVE_SIZE = 1988 };
MD5_GAME_API void md5_actor_save(const md5_actor *actor, void *bytes);
MD5_GAME_API bool md5_actor_restore(md5_actor *actor, const void *bytes, size_t size,
                                    md5_error *error);

#ifdef __cplusplus
}
#endif

#endif
