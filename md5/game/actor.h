// The state of an actor, which actor.c (channels, poses) and states.c (what scripts play) share.
#ifndef MD5_GAME_ACTOR_H
#define MD5_GAME_ACTOR_H

#include "md5/game/entity.h"

enum { MD5_ACTOR_SLOTS = 3 };

// One animation of a channel. Invariant: `clip` is MD5_NONE, and all else 0, or a clip that can
// be played; a duration is below 2^32 and times are at most 2^54.
typedef struct md5_actor_slot {
    uint32_t clip;
    uint32_t held;     // frame, 1 is the first; 0 = it is playing
    int32_t cycles;    // how often it is played; -1: endlessly, or held
    bool is_muted;     // fires no frame commands
    float rate;        // at which it is played; 0: it stands still
    int64_t start;     // when its time was 0,
    int64_t offset;    // but for these milliseconds of its own, once the rate was changed
    int64_t end;       // when it is over, -1 = never
    int64_t ramp;      // when its weight began to change,
    uint32_t duration; // over how many milliseconds,
    float from, to;    // between which values
} md5_actor_slot;

// The state of automatic blinking.
typedef struct md5_actor_blink {
    uint32_t clip;     // MD5_NONE: never
    int64_t next;      // when the next one begins
    uint32_t min, max; // milliseconds between two of them, at most MD5_MAX_BLINK_WAIT
    bool is_stopped;   // for now
} md5_actor_blink;

struct md5_actor {
    const md5_entity *entity;
    int64_t time, before; // now, and before the last advance
    uint32_t random;
    bool removes_motion;
    md5_actor_blink blink;
    md5_actor_slot slots[MD5_NUM_CHANNELS][MD5_ACTOR_SLOTS]; // newest first
    // What the last pose was made of, and when: while nothing plays the pose stays.
    md5_actor_slot shown[MD5_NUM_CHANNELS][MD5_ACTOR_SLOTS];
    int64_t shown_at;
    bool is_posed;               // `pose` is that pose
    md5_xform *pose, *clip_pose; // [model joints]; the second is scratch memory
    md5_internal internal;
    size_t size;
};

// Check the actor of a public function and its entity; of a function that changes the actor, that
// no callback of this actor runs.
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

// The same as md5_actor_set_blinking(), but also for frame commands, which run in a callback of the
// actor.
void md5i_actor_set_blinking(md5_actor *actor, bool is_blinking);

// The two halves of md5_actor_advance(): the time, and the frame commands that were passed in it.
void md5i_actor_step(md5_actor *actor, uint32_t milliseconds);
void md5i_actor_fire(const md5_actor *actor, md5_frame_fn *on_frame, void *user);

// What md5_actor_pose() writes to `pose`, computed once for what plays now. It stays until the next
// call.
const md5_xform *md5i_actor_pose(md5_actor *actor);

// Lets a channel play what another one plays, silently. If it does already, only its weight grows.
void md5i_actor_sync(md5_actor *actor, md5_channel channel, md5_channel leader, uint32_t blend);

#endif
