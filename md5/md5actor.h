// md5actor: plays an entity of a Doom 3 game folder as the original engine's animator does.
//
//   md5_actor *actor = md5_create_actor(imp, NULL, &error);
//   uint32_t walk = md5_actor_choose(actor, NULL, "walk");
//   md5_actor_play(actor, MD5_CHANNEL_ALL, walk, MD5_ACTOR_CYCLE, 0, 200);
//   md5_actor_advance(actor, 16, on_frame, NULL);
//   md5_actor_pose(actor, pose, joints, palette);
//
// An actor is the state of one character; one thread at a time may use it. After it is created, no
// call allocates memory. Space: see md5entity.h.
//
// An md5_actor follows the rules of the engine's animator, down to its clock of whole milliseconds,
// which decides which frames are passed; poses agree to 1e-4 units. What else moves joints in a
// game is not part of it: articulated figures, IK, joints that code turns.
#ifndef MD5ACTOR_H
#define MD5ACTOR_H

#include "md5entity.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

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

// Sets the state of the random number generator, initially 0: the engine's own, which selects among
// the clips of an alias, where cycles with MD5_ANIM_RANDOM_CYCLE_START begin, and blinks.
MD5_GAME_API void md5_actor_set_seed(md5_actor *actor, uint32_t seed);

// Sets whether the root motion is removed from the pose, as for the engine's monsters and players,
// initially false. md5_actor_root_motion() returns it in either case.
MD5_GAME_API void md5_actor_set_in_place(md5_actor *actor, bool is_removed);

// Returns the index of a clip of this name, case-sensitive, or MD5_NONE. A name that ends in a
// digit is that of one clip; else it is an alias, and one of the first 64 clips that have it is
// selected at random. With a `prefix`, which may be NULL or "", a clip "PREFIX_name" is preferred
// to "name": "wounded_walk" to "walk". For the head channel call this for the head's actor.
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
enum { MD5_ACTOR_SAVE_SIZE = 1988 };
MD5_GAME_API void md5_actor_save(const md5_actor *actor, void *bytes);
MD5_GAME_API bool md5_actor_restore(md5_actor *actor, const void *bytes, size_t size,
                                    md5_error *error);

#ifdef __cplusplus
}
#endif

#endif
