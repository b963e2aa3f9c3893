// The state of an actor. The rules are those of the engine's animator: its integer times in
// milliseconds, its order of comparisons, its weights in single precision.
#ifndef MD5_GAME_ACTOR_H
#define MD5_GAME_ACTOR_H

#include "md5/core/arena.h"
#include "md5/md5game.h"

enum { MD5_ACTOR_SLOTS = 3 };

// One animation of a channel. Invariant: `clip` is -1, and all else 0, or a clip that can be
// played; a duration is below 2^32 and times are at most 2^54.
typedef struct md5_actor_slot {
    int32_t clip;
    uint32_t held;                      // frame, 1 is the first; 0 = it is playing
    bool is_cycling;                    // or held; else it is played once
    bool is_muted;                      // fires no commands
    int64_t start;                      // when its time was 0
    int64_t end;                        // when it is over, -1 = never
    int64_t ramp;                       // when its weight began to change,
    uint32_t duration;                  // over how many milliseconds,
    float from, to;                     // between which values
    float shares[MD5_MAX_SYNCED_ANIMS]; // weights of the clip's files
} md5_actor_slot;

// The state of automatic blinking.
typedef struct md5_actor_blink {
    int32_t clip;      // -1: never
    int64_t next;      // when the next one begins
    uint32_t min, max; // milliseconds between two of them, at most MD5_MOST_BLINK_WAIT
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
    md5_xform *clip_pose, *file_pose; // [model joints] scratch memory
    md5_allocator allocator;
    size_t size;
};

// -- actor.c --------------------------------------------------------------------------------------

static inline const md5_entity_clip *md5_slot_clip(const md5_actor *actor,
                                                   const md5_actor_slot *slot)
{
    return slot->clip >= 0 ? &actor->entity->clips[slot->clip] : NULL;
}

// The next number of the engine's generator, which has 15 bits.
uint32_t md5i_actor_random(md5_actor *actor);

// The weight of a slot at a time, 0..1.
float md5i_slot_weight(const md5_actor_slot *slot, int64_t time);

// -- actor_appear.c -------------------------------------------------------------------------------

// Begins to blink if it is time for that.
void md5i_actor_blink_now(md5_actor *actor);

// -- actor_frames.c -------------------------------------------------------------------------------

// The time within a clip, in milliseconds: a cycle's is below the clip's duration.
int64_t md5i_slot_time(const md5_actor *actor, const md5_actor_slot *slot, int64_t time);

// The frames of a clip's file at a time within the clip.
md5_moment md5i_frames_at(const md5_anim *anim, int64_t milliseconds, bool is_cycling);

// The displacement of the root from the base frame, as MD5_ROOT_ID has it.
md5_vec3 md5i_root_at(const md5_anim *anim, const md5_moment *moment);

#endif
