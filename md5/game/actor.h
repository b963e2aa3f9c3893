// The state of an actor, shared by actor.c (channels, poses, saving) and states.c (commands of
// scripts).
#ifndef MD5_GAME_ACTOR_H
#define MD5_GAME_ACTOR_H

#include "md5/game/entity.h"

enum { MD5_ACTOR_SLOTS = 3 };

// An animation of a channel. All times are in ms and at most 2^54. Either `clip` is MD5_NONE and
// all other members are 0, or the files of the clip are loaded.
typedef struct md5_actor_slot {
    uint32_t clip;
    uint32_t held_frame;    // 1 is the first frame; 0 if the clip plays
    int32_t cycles;         // number of cycles; -1 if the clip is endless or a frame is held
    bool is_muted;          // the slot does not call frame commands
    float rate;             // playback rate; 0 pauses the clip
    int64_t start;          // actor time at which the clip time was 0
    int64_t offset;         // added to the clip time, so that a change of the rate keeps the
                            // current clip time
    int64_t end;            // actor time at which the clip ends; -1 if it does not end
    int64_t fade_start;     // actor time at which the weight begins to change
    uint32_t fade_duration; // duration of the change of the weight
    float from_weight;      // weight before the change
    float to_weight;        // weight after the change
} md5_actor_slot;

// The state of automatic blinking.
typedef struct md5_actor_blink {
    uint32_t clip;   // MD5_NONE if the actor does not blink
    int64_t next;    // actor time of the next blink, ms
    uint32_t min;    // minimum time between blinks, ms, at most MD5_MAX_BLINK_WAIT
    uint32_t max;    // maximum time between blinks, ms, at most MD5_MAX_BLINK_WAIT
    bool is_stopped; // blinking is paused
} md5_actor_blink;

struct md5_actor {
    const md5_entity *entity;
    int64_t time;          // ms
    int64_t previous_time; // before the last advance, ms
    uint32_t random;       // state of the random number generator
    bool removes_motion;
    md5_actor_blink blink;
    md5_actor_slot slots[MD5_NUM_CHANNELS][MD5_ACTOR_SLOTS]; // newest first
    // Slots and time of the last pose. If no clip contributes to a pose, the actor keeps the last
    // one.
    md5_actor_slot posed_slots[MD5_NUM_CHANNELS][MD5_ACTOR_SLOTS];
    int64_t posed_time;
    bool is_posed;        // `pose` is the current pose
    md5_xform *pose;      // [model joints]
    md5_xform *clip_pose; // [model joints], scratch memory
    md5_internal internal;
    size_t size;
};

// Check the actor of a public function and its entity. MD5_ASSERT_ACTOR_CHANGE() is for functions
// that change the actor: it also checks that no callback of this actor is running.
// NOLINTBEGIN(bugprone-macro-parentheses): as messages name the arguments
#define MD5_ASSERT_ACTOR(actor)                          \
    do {                                                 \
        MD5_ASSERT_ALIVE(actor, MD5_TAG_ACTOR);          \
        MD5_ASSERT_ALIVE(actor->entity, MD5_TAG_ENTITY); \
    } while (0)
#define MD5_ASSERT_ACTOR_CHANGE(actor) \
    do {                               \
        MD5_ASSERT_ACTOR(actor);       \
        MD5_ASSERT_NO_CALLBACK(actor); \
    } while (0)
// NOLINTEND(bugprone-macro-parentheses)

// Like md5_actor_set_blinking(), but also allowed in a callback of the actor, because frame
// commands stop blinking.
void md5i_actor_set_blinking(md5_actor *actor, bool is_blinking);

// The two steps of md5_actor_advance(). The first advances the time. The second calls the frame
// commands of the frames that were passed.
void md5i_actor_advance_time(md5_actor *actor, uint32_t milliseconds);
void md5i_actor_call_frame_commands(const md5_actor *actor, md5_frame_fn *on_frame, void *user);

// Returns the current pose, which md5_actor_pose() copies. It is computed on the first call after a
// change, and is valid until the next call.
const md5_xform *md5i_actor_pose(md5_actor *actor);

// Plays the newest clip of channel `leader` on `channel`, without frame commands. If `channel`
// already plays it, only changes its weight. `blend` is the duration of the fade in ms.
void md5i_actor_sync(md5_actor *actor, md5_channel channel, md5_channel leader, uint32_t blend);

#endif
