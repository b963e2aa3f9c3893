// Actors: playback of the clips of an entity by the rules of the engine's animator.
//
// An actor has several channels: one for each part of the body, and one for the whole body. Each
// channel has MD5_ACTOR_SLOTS slots. A slot plays one clip with a weight that changes over time.
// The first slot plays the newest clip. The other slots play older clips that fade out.
//
// To reproduce the engine's results, times are integers in milliseconds, weights are floats, and
// comparisons have the engine's order.
#include "md5/core/freed.h"
#include "md5/game/actor.h"

#include "md5/core/arena.h"
#include "md5/core/bytes.h"
#include "md5/core/math.h"
#include "md5/decl/game.h"

#include <math.h>
#include <string.h>

// Returns the clip of a slot, or NULL if the slot is empty.
static inline const md5_entity_clip *md5_slot_clip(const md5_actor *actor,
                                                   const md5_actor_slot *slot)
{
    return slot->clip != MD5_NONE ? &actor->entity->clips[slot->clip] : NULL;
}

// == Frames =======================================================================================
//
// The engine converts times to frames with integer milliseconds and an integer frame rate. It
// rounds the duration of a clip up, so a cycle may restart 1 ms late.

// The frame rate at which the engine counts held frames and fades, Hz. It does not depend on the
// file.
enum { ENGINE_FRAME_RATE = 24 };

// Returns the time in a slot's clip at a time of the actor, both in ms. The time in an endless clip
// wraps around at its duration. With a number of cycles, it stops at the end of the last cycle.
static int64_t slot_time(const md5_actor *actor, const md5_actor_slot *slot, int64_t time)
{
    const bool is_held = slot->held_frame > 0;
    if (is_held) // held_frame counts from 1
        return (int64_t)(slot->held_frame - 1) * 1000 / ENGINE_FRAME_RATE;

    const int64_t duration = actor->entity->clips[slot->clip].anim->milliseconds;
    const int64_t passed =
        (int64_t)((double)(time - slot->start) * (double)slot->rate) + slot->offset;
    const bool is_endless = slot->cycles <= 0;
    if (!is_endless) {
        const int64_t end = duration * slot->cycles;
        return passed < end ? passed : end;
    }

    // `passed` is negative if the start of the clip is later than `time`, or the clip was moved
    // back.
    if (duration == 0)
        return 0;
    const int64_t remainder = passed % duration;
    return remainder < 0 ? remainder + duration : remainder;
}

// Returns the sample position of an animation file at a clip time in ms. The last frame of a file
// is the first frame of the next cycle, so a cycle has one frame less than the file. If `cycles` is
// positive, the animation stops at its last frame after this number of cycles.
static md5_sample_position sample_position_at(const md5_anim *anim, int64_t milliseconds,
                                              int32_t cycles)
{
    const int64_t frames_per_cycle = (int64_t)anim->num_frames - 1;
    md5_sample_position sample = {.frame0 = 0};
    if (frames_per_cycle == 0)
        return sample;

    // Use integers, as in the engine. Milliseconds multiplied by frames per second are thousandths
    // of a frame.
    const double integer_rate = floor(anim->frame_rate < 1e6 ? anim->frame_rate : 1e6);
    const int64_t thousandths = milliseconds > 0 ? milliseconds * (int64_t)integer_rate : 0;
    const int64_t frame = thousandths / 1000;
    sample.cycle = frame / frames_per_cycle;
    const bool has_ended = cycles > 0 && sample.cycle >= cycles;
    if (has_ended) {
        sample.frame0 = (uint32_t)frames_per_cycle;
        sample.frame1 = (uint32_t)frames_per_cycle;
        sample.cycle = cycles - 1;
        return sample;
    }

    sample.frame0 = (uint32_t)(frame % frames_per_cycle);
    sample.frame1 = sample.frame0 + 1;
    sample.fraction = (float)(thousandths % 1000) * 0.001f;
    return sample;
}

// Returns the translation of the root in a frame, relative to the base frame.
static md5_vec3 root_translation(const md5_anim *anim, uint32_t frame)
{
    const md5_sample_position first = {.frame0 = 0};
    const md5_sample_position last = {.frame0 = frame, .frame1 = frame};
    // If the root does not move, the frames do not contain its translation. The frames of a packed
    // animation cannot be read one by one, so its root motion from frame 0 is added.
    const bool is_animated = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    md5_vec3 stored = anim->constant[0].translation;
    if (is_animated && anim->packed_size)
        stored = md5_vec3_add(stored, md5_anim_root_motion(anim, first, last));
    else if (is_animated)
        stored = anim->translations[(size_t)frame * anim->num_translations];
    return md5_vec3_sub(stored, anim->base_frame[0].translation);
}

// Returns the translation of the root at a sample position, relative to the base frame. As with
// MD5_ROOT_ID, each cycle adds the translation of the last frame.
static md5_vec3 root_displacement(const md5_anim *anim, const md5_sample_position *sample)
{
    const md5_vec3 cycle = root_translation(anim, anim->num_frames - 1);
    const md5_vec3 within = md5_vec3_lerp(root_translation(anim, sample->frame0),
                                          root_translation(anim, sample->frame1), sample->fraction);
    return md5_vec3_add(within, md5_vec3_scale(cycle, (float)sample->cycle));
}

// Returns the vector by which one cycle of a clip moves the character, for example to test whether
// an attack reaches an enemy.
md5_vec3 md5_entity_clip_movement(const md5_entity_clip *clip)
{
    MD5_ASSERT_PART(clip, anim);
    if (clip->num_files == 0)
        return (md5_vec3){0.0f, 0.0f, 0.0f};
    return root_translation(clip->anims[0], clip->anims[0]->num_frames - 1);
}

// == Channels =====================================================================================

// -- Creation -------------------------------------------------------------------------------------

static const md5_actor_slot empty_slot = {.clip = MD5_NONE};

// Creates an actor, the playback state of an entity, in one memory block. It starts at time 0
// without clips.
md5_actor *md5_create_actor(const md5_entity *entity, const md5_allocator *allocator,
                            md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(entity, MD5_TAG_ENTITY);
    if (!entity) {
        md5i_fail_missing(error, "entity");
        return NULL;
    }
    MD5_ASSERT_ALLOCATOR(allocator);

    // The first allocations measure the block, and the second ones assign the arrays.
    const size_t num_joints = entity->model->skeleton.num_joints;
    md5_context context;
    md5_block block = {0};
    md5i_context_begin_memory(&context, allocator ? *allocator : (md5_allocator){0}, error);
    (void)md5i_block_alloc(&block, 1, sizeof(md5_actor));
    (void)md5i_block_alloc(&block, 2 * num_joints, sizeof(md5_xform));
    const size_t size = block.used;
    if (!md5i_block_end_measuring(&context, &block))
        return NULL;
    md5_actor *const actor = (md5_actor *)md5i_block_alloc(&block, 1, sizeof *actor);
    memset(actor, 0, sizeof *actor);
    actor->pose = (md5_xform *)md5i_block_alloc(&block, 2 * num_joints, sizeof(md5_xform));
    actor->clip_pose = actor->pose + num_joints;

    actor->entity = entity;
    actor->internal = (md5_internal){.allocator = context.allocator, .tag = MD5_TAG_ACTOR};
    actor->size = size;
    actor->blink.clip = MD5_NONE;
    for (uint32_t channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        for (uint32_t i = 0; i < MD5_ACTOR_SLOTS; i++) {
            actor->slots[channel][i] = empty_slot;
            actor->posed_slots[channel][i] = empty_slot;
        }
    }
    return actor;
}

void md5_destroy_actor(md5_actor *actor)
{
    MD5_FREE(actor, MD5_TAG_ACTOR);
}

// Selects whether poses contain root motion, which is the motion of joint 0 that moves the
// character.
void md5_actor_set_in_place(md5_actor *actor, bool is_removed)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    actor->removes_motion = is_removed;
    actor->is_posed = false;
}

// -- Random numbers -------------------------------------------------------------------------------

enum { RANDOM_RANGE = 1 << 15 };

// Returns the next number of the engine's generator, 0 to RANDOM_RANGE - 1.
static uint32_t actor_random(md5_actor *actor)
{
    actor->random = actor->random * 69069u + 1u;
    return actor->random & (RANDOM_RANGE - 1u);
}

void md5_actor_set_seed(md5_actor *actor, uint32_t seed)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    actor->random = seed;
}

// Returns true if `text` is `name`. If the prefix is not empty, `text` must be PREFIX_name instead.
static bool matches_name(const char *text, const char *prefix, const char *name)
{
    const size_t length = strlen(prefix);
    if (length == 0)
        return strcmp(text, name) == 0;
    return strncmp(text, prefix, length) == 0 && text[length] == '_'
           && strcmp(text + length + 1, name) == 0;
}

// Returns the index of the first clip with a name, or MD5_NONE. `prefix` is as in matches_name().
static uint32_t find_clip_by_name(const md5_entity *entity, const char *prefix, const char *name)
{
    for (uint32_t i = 0; i < entity->num_clips; i++) {
        if (matches_name(entity->clips[i].anim->name, prefix, name))
            return i;
    }
    return MD5_NONE;
}

// Returns the index of a random clip with an alias, or MD5_NONE if no clip has the alias. As in the
// engine, only the first 64 clips with the alias are considered.
static uint32_t choose_clip_by_alias(md5_actor *actor, const char *prefix, const char *alias)
{
    enum { MAX_CHOICES = 64 };
    const md5_entity *const entity = actor->entity;
    uint32_t choices[MAX_CHOICES];
    uint32_t num_choices = 0;
    for (uint32_t i = 0; i < entity->num_clips && num_choices < MAX_CHOICES; i++) {
        if (matches_name(entity->clips[i].anim->alias, prefix, alias))
            choices[num_choices++] = i;
    }
    return num_choices > 0 ? choices[actor_random(actor) % num_choices] : MD5_NONE;
}

// Chooses a clip. If `name` ends with a digit, it is the name of a clip, otherwise the alias of one
// or more clips. Returns MD5_NONE if the entity does not have such a clip.
static uint32_t choose_clip(md5_actor *actor, const char *prefix, const char *name)
{
    const size_t length = strlen(name);
    const bool is_clip_name = length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9';
    if (is_clip_name)
        return find_clip_by_name(actor->entity, prefix, name);
    return choose_clip_by_alias(actor, prefix, name);
}

// Selects a clip by its name, as the engine does. Returns the index of the clip, or MD5_NONE if no
// clip matches. Names are case-sensitive.
uint32_t md5_actor_choose(md5_actor *actor, const char *prefix, const char *name)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    MD5_ASSERT_NOT_NULL(name);
    const uint32_t clip = prefix && prefix[0] ? choose_clip(actor, prefix, name) : MD5_NONE;
    return clip != MD5_NONE ? clip : choose_clip(actor, "", name);
}

// -- Weights --------------------------------------------------------------------------------------

// Returns the weight of a slot at an actor time, 0..1.
static float slot_weight(const md5_actor_slot *slot, int64_t time)
{
    const int64_t passed = time - slot->fade_start;
    if (passed <= 0)
        return slot->from_weight;
    if (passed >= slot->fade_duration)
        return slot->to_weight;
    return slot->from_weight
           + (slot->to_weight - slot->from_weight) * ((float)passed / (float)slot->fade_duration);
}

// Fades the clip of a slot out over `blend` ms, from its current weight to 0. Clears the slot if
// `blend` is 0.
static void fade_out_slot(md5_actor_slot *slot, int64_t time, uint32_t blend)
{
    if (blend == 0) {
        *slot = empty_slot;
        return;
    }
    if (slot->clip == MD5_NONE)
        return;
    // The fade begins 1 ms before now, so that it is already visible now.
    slot->from_weight = slot_weight(slot, time);
    slot->to_weight = 0.0f;
    slot->fade_start = time - 1;
    slot->fade_duration = blend;
    slot->end = time + blend;
}

// -- Commands -------------------------------------------------------------------------------------

static bool is_valid_channel(md5_channel channel)
{
    return (unsigned)channel < MD5_NUM_CHANNELS;
}

// Frees the first slot of a channel for a new clip. Moves all slots by one, fades out the clip that
// played, and drops the oldest clip. The slots are not moved if the first slot has weight 0 or was
// started at the current time. The new clip then replaces the first one.
static void shift_slots(const md5_actor *actor, md5_actor_slot *slots, uint32_t blend)
{
    const bool is_invisible = slot_weight(&slots[0], actor->time) == 0.0f;
    const bool has_just_started = slots[0].start == actor->time;
    if (is_invisible || has_just_started)
        return;
    for (int i = MD5_ACTOR_SLOTS - 1; i > 0; i--)
        slots[i] = slots[i - 1];
    slots[0] = empty_slot;
    fade_out_slot(&slots[1], actor->time, blend);
}

// Computes the game time at which the clip of a slot ends, in ms. It is -1 if the clip repeats
// forever or does not advance.
//
// slot_time() adds the offset to the clip's time. A positive offset means that the clip is ahead,
// so it ends earlier. The engine subtracts the offset from the game time without dividing it by the
// rate, and this function does the same. If the rate is not 1, the clip therefore ends too early or
// too late.
static void update_end(const md5_actor *actor, md5_actor_slot *slot)
{
    if (slot->cycles < 0 || slot->rate == 0.0f) {
        slot->end = -1;
        return;
    }
    const double cycle = actor->entity->clips[slot->clip].anim->milliseconds;
    const int64_t duration = (int64_t)(cycle * slot->cycles / (double)slot->rate);
    slot->end = slot->start + duration - slot->offset;
}

// Returns a frame number, which counts from 1, limited to the frames of a file.
static uint32_t clamp_frame(uint32_t frame, uint32_t num_frames)
{
    if (frame < 1)
        return 1;
    return frame > num_frames ? num_frames : frame;
}

// Returns a start time for a clip whose cycle begins at a random position. It is before now by a
// random part of the clip's duration.
static int64_t random_cycle_start(md5_actor *actor, const md5_model_anim *anim)
{
    const double fraction = actor_random(actor) / (double)RANDOM_RANGE / anim->rate;
    return (int64_t)((double)actor->time - fraction * anim->milliseconds);
}

// Starts a clip in a channel, while the previous clip of the channel fades out. `blend` is the
// duration of the fade in ms. `frame` is the frame that MD5_ACTOR_HOLD shows; frames count from 1.
// Returns false if the channel or the clip is invalid.
bool md5_actor_play(md5_actor *actor, md5_channel channel, uint32_t clip, md5_actor_mode mode,
                    uint32_t frame, uint32_t blend)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    MD5_ASSERT((int)mode >= 0 && mode <= MD5_ACTOR_HOLD, "mode: must be a value of md5_actor_mode");
    const md5_entity *const entity = actor->entity;
    TRY(is_valid_channel(channel) && clip < entity->num_clips && entity->clips[clip].num_files > 0);
    const md5_model_anim *const anim = entity->clips[clip].anim;
    md5_actor_slot *const slots = actor->slots[channel];

    // The weight of the clip rises from 0 to 1 in `blend` ms. As in fade_out_slot(), the fade
    // begins 1 ms before now.
    actor->is_posed = false;
    shift_slots(actor, slots, blend);
    slots[0] = (md5_actor_slot){
        .clip = clip,
        .cycles = mode == MD5_ACTOR_ONCE ? 1 : -1,
        .rate = anim->rate,
        .start = actor->time,
        .fade_start = actor->time - 1,
        .fade_duration = blend,
        .to_weight = 1.0f,
    };
    const bool has_random_start = (anim->flags & MD5_ANIM_RANDOM_CYCLE_START) != 0;
    if (mode == MD5_ACTOR_HOLD)
        slots[0].held_frame = clamp_frame(frame, entity->clips[clip].anims[0]->num_frames);
    else if (mode == MD5_ACTOR_CYCLE && has_random_start)
        slots[0].start = random_cycle_start(actor, anim);
    update_end(actor, &slots[0]);
    return true;
}

// Returns the first slot of a channel. The caller changes it, so the stored pose is marked as
// invalid. Returns NULL if the channel does not exist or does not play a clip.
static md5_actor_slot *playing_slot(md5_actor *actor, md5_channel channel)
{
    actor->is_posed = false;
    if (!is_valid_channel(channel))
        return NULL;
    md5_actor_slot *const slot = &actor->slots[channel][0];
    return slot->clip != MD5_NONE ? slot : NULL;
}

static bool is_valid_rate(float rate)
{
    return rate == 0.0f || (rate >= 0.01f && rate <= 100.0f);
}

// Sets the playback rate of a channel's clip to 0 or 0.01 to 100. Also changes the clip's offset,
// so that its current time does not jump.
bool md5_actor_set_rate(md5_actor *actor, md5_channel channel, float rate)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    md5_actor_slot *const slot = playing_slot(actor, channel);
    TRY(slot && is_valid_rate(rate));
    const int64_t time = slot_time(actor, slot, actor->time);
    slot->rate = rate;
    slot->offset = time - (int64_t)((double)(actor->time - slot->start) * (double)rate);
    update_end(actor, slot);
    return true;
}

// Sets how often a channel's clip plays. A negative number makes it an endless cycle.
bool md5_actor_set_cycles(md5_actor *actor, md5_channel channel, int32_t cycles)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    md5_actor_slot *const slot = playing_slot(actor, channel);
    TRY(slot && slot->held_frame == 0 && cycles <= MD5_MAX_CYCLES);
    slot->cycles = cycles;
    if (cycles < 0)
        slot->cycles = -1;
    else if (cycles == 0)
        slot->cycles = 1;
    update_end(actor, slot);
    return true;
}

// Sets the start time of a channel's clip, in ms before the current time.
bool md5_actor_set_start(md5_actor *actor, md5_channel channel, int64_t milliseconds)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    md5_actor_slot *const slot = playing_slot(actor, channel);
    TRY(slot && milliseconds >= 0 && milliseconds <= MD5_MAX_PASSED);
    slot->start = actor->time - milliseconds;
    update_end(actor, slot);
    return true;
}

// Returns true if two slots play the same clip at the same time.
static bool is_same_playback(const md5_actor_slot *a, const md5_actor_slot *b)
{
    return a->clip == b->clip && a->start == b->start && a->end == b->end;
}

// Plays the newest clip of channel `leader` on another channel, at the same time in the clip. The
// slot is muted, so that only the leader calls frame commands. `blend` is the duration of the fade
// in ms.
void md5i_actor_sync(md5_actor *actor, md5_channel channel, md5_channel leader, uint32_t blend)
{
    const md5_actor_slot leader_slot = actor->slots[leader][0];
    md5_actor_slot *const slot = actor->slots[channel];
    if (leader_slot.clip == MD5_NONE && slot->clip == MD5_NONE)
        return;

    actor->is_posed = false;
    if (!is_same_playback(slot, &leader_slot)) {
        shift_slots(actor, slot, blend);
        *slot = leader_slot;
        slot->from_weight = 0.0f;
        slot->to_weight = 0.0f;
    }
    if (leader_slot.clip == MD5_NONE)
        return;

    // The fade begins 1 ms earlier than in md5_actor_play(), as in the engine.
    slot->from_weight = slot_weight(slot, actor->time - 1);
    slot->to_weight = leader_slot.to_weight;
    slot->fade_start = actor->time - 2;
    slot->fade_duration = blend;
    slot->is_muted = true;
    if (slot->to_weight == 0.0f)
        slot->end = actor->time - 1 + blend;
}

// Fades out all clips of a channel over `blend` ms.
static void clear_channel(md5_actor *actor, md5_channel channel, uint32_t blend)
{
    actor->is_posed = false;
    for (uint32_t i = 0; i < MD5_ACTOR_SLOTS; i++)
        fade_out_slot(&actor->slots[channel][i], actor->time, blend);
}

// Stops all clips of a channel. The clips fade out from their current weights to 0 over `blend`
// milliseconds. If `blend` is 0, they end immediately.
bool md5_actor_clear(md5_actor *actor, md5_channel channel, uint32_t blend)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    TRY(is_valid_channel(channel));
    clear_channel(actor, channel, blend);
    return true;
}

// Returns the clip that a channel started last, with its time in ms and its weight.
md5_actor_status md5_actor_channel(const md5_actor *actor, md5_channel channel)
{
    MD5_ASSERT_ACTOR(actor);
    const md5_actor_slot *const slot =
        is_valid_channel(channel) ? actor->slots[channel] : &empty_slot;
    md5_actor_status status = {.clip = slot->clip};
    if (slot->clip == MD5_NONE)
        return status;
    const int64_t time = slot_time(actor, slot, actor->time);
    status.time = time > 0 ? (uint32_t)time : 0;
    status.held = slot->held_frame;
    status.weight = slot_weight(slot, actor->time);
    status.is_cycling = slot->cycles < 0 && slot->held_frame == 0;
    status.has_ended = slot->end >= 0 && actor->time >= slot->end;
    return status;
}

// == Automatic clips ==============================================================================
//
// Characters play two clips automatically: the cycle of a head, "def_head", and the blinking of the
// eyelids, "blink".
//
// When the engine spawns a character, it searches the modelDef of the head for both clips, or the
// modelDef of the body if there is no separate head. (The engine also starts "def_head" on a body
// without a head, but clears it in the same tick.)

// Like md5_actor_choose() without a prefix, but returns MD5_NONE if the files of the clip could not
// be loaded.
static uint32_t choose_playable_clip(md5_actor *actor, const char *name)
{
    const uint32_t clip = md5_actor_choose(actor, NULL, name);
    const bool can_play = clip != MD5_NONE && actor->entity->clips[clip].num_files > 0;
    return can_play ? clip : MD5_NONE;
}

// Starts the clips that the engine starts when a character appears. `body` is the entity of the
// whole character, even if `actor` is its head.
void md5_actor_spawn(md5_actor *actor, const md5_entity *body)
{
    MD5_ASSERT_ALIVE(body, MD5_TAG_ENTITY);
    MD5_ASSERT_ACTOR_CHANGE(actor);
    // The head is the first part. Other parts have keys that begin with "def_attach".
    const bool has_head =
        body->num_parts > 0 && md5_equals_ignore_case(body->parts[0].key, "def_head");
    const md5_entity *const head = has_head ? body->parts[0].entity : NULL;
    if (head && head != actor->entity)
        return; // this actor is the body, and the head blinks
    const md5_actor_blink blink = {
        .clip = choose_playable_clip(actor, "blink"),
        .next = actor->time,
        .min = body->blink_min,
        .max = body->blink_max,
    };
    actor->blink = blink.clip != MD5_NONE ? blink : (md5_actor_blink){.clip = MD5_NONE};
    if (head)
        (void)md5_actor_play(actor, MD5_CHANNEL_ALL, choose_playable_clip(actor, "def_head"),
                             MD5_ACTOR_CYCLE, 0, 0);
}

// Chooses the time of the next blink. As in the engine, the range may be negative, if blink_max is
// below blink_min.
static void schedule_blink(md5_actor *actor)
{
    md5_actor_blink *const blink = &actor->blink;
    const int64_t range = (int64_t)blink->max - blink->min;
    blink->next = actor->time + blink->min + range * actor_random(actor) / RANDOM_RANGE;
}

void md5_actor_set_blinking(md5_actor *actor, bool is_blinking)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    md5i_actor_set_blinking(actor, is_blinking);
}

// Enables or stops automatic blinking. Does nothing if the character has no clip "blink".
void md5i_actor_set_blinking(md5_actor *actor, bool is_blinking)
{
    enum { FADE = 2 * 1000 / ENGINE_FRAME_RATE }; // two frames, in ms
    if (actor->blink.clip == MD5_NONE)
        return;
    actor->blink.is_stopped = !is_blinking;
    if (is_blinking)
        schedule_blink(actor);
    else
        clear_channel(actor, MD5_CHANNEL_EYELIDS, FADE);
}

void md5i_actor_blink(md5_actor *actor)
{
    actor->blink.next = actor->blink.clip != MD5_NONE ? actor->time : 0;
}

// == Poses ========================================================================================
//
// The pose of an actor is the blend of the clips in the slots of its channels, by the engine's
// rules.

// -- One clip -------------------------------------------------------------------------------------

// Writes the pose of the clip's base frame with its root at the origin. Joints without a track keep
// their bind pose.
void md5i_base_frame_pose(const md5_binding *binding, md5_xform *pose)
{
    for (uint32_t i = 0; i < binding->skeleton->num_joints; i++) {
        const uint32_t track = binding->tracks[i];
        pose[i] = track != MD5_NONE ? binding->anim->base_frame[track] : binding->bind_local[i];
        if (track == 0)
            pose[i].translation = (md5_vec3){0.0f, 0.0f, 0.0f};
    }
}

// Writes the pose of a slot to `pose`. It is the pose of the slot's clip at the current time, or
// the frame that the slot holds. Held frames count from 1. If frame 1 is held, the engine does not
// show the first frame, but the base frame of the clip.
//
// Samples only the first file of the clip, because in the engine the weights of the other files are
// 0 unless game code sets them.
static void sample_slot(const md5_actor *actor, const md5_actor_slot *slot, md5_xform *pose)
{
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    const md5_binding *const binding = clip->bindings[0];
    if (slot->held_frame == 1) {
        md5i_base_frame_pose(binding, pose);
        return;
    }
    md5_sample_position sample;
    if (slot->held_frame > 0) {
        const uint32_t frame = slot->held_frame - 1; // held frames count from 1
        sample = md5_sample_position_from_frames(clip->anims[0], frame, frame, 0.0f);
    } else {
        const int64_t time = slot_time(actor, slot, actor->time);
        sample = sample_position_at(clip->anims[0], time, slot->cycles);
    }
    md5_sample(binding, sample, MD5_ROOT_ID, pose);
}

// Removes the root motion from the pose of a clip. This is the translation of joint 0. If the clip
// rotates the root, it is also the rotation, which becomes a constant of the engine:
//
//   (-sqrt(0.5), 0, 0, sqrt(0.5)).
//
// Its w has the opposite sign here, because the engine's quaternions are the conjugates of the
// quaternions of this library. q and -q are the same rotation.
static void remove_root_motion(const md5_actor *actor, const md5_entity_clip *clip, md5_xform *pose)
{
    static const md5_xform root = {
        .rotation = {-0.70710677f, 0.0f, 0.0f, -0.70710677f},
        .translation = {0.0f, 0.0f, 0.0f},
    };
    pose[0].translation = root.translation;
    if (clip->anim->flags & MD5_ANIM_TURN)
        pose[0].rotation =
            md5i_transform_to_axes(actor->entity->model->skeleton.axes, root).rotation;
}

// -- Channels -------------------------------------------------------------------------------------

// Blends the pose of a slot into the joints of its channel. *sum is the total weight of the poses
// that were blended before, and the weight of the slot is added to it. Returns false if the slot
// does not contribute.
static bool blend_slot(const md5_actor *actor, md5_channel channel, const md5_actor_slot *slot,
                       float *sum, md5_xform *pose)
{
    const md5_entity *const entity = actor->entity;
    const float *const mask = channel == MD5_CHANNEL_ALL ? NULL : entity->masks[channel];
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    const float weight = slot_weight(slot, actor->time);
    if (!clip)
        return false;

    // After the first pose, slots that have ended or have no weight are skipped. Eyelids must get
    // exactly their weight, regardless of earlier poses. Therefore their sum is replaced so that
    // the fraction below is this weight.
    const bool is_first = !(*sum > 0.0f);
    if (!is_first) {
        const bool has_ended = slot->end >= 0 && actor->time >= slot->end;
        if (has_ended || weight == 0.0f)
            return false;
        if (channel == MD5_CHANNEL_EYELIDS)
            *sum = 1.0f - weight;
    }

    // The first pose replaces `pose` completely, even if its weight is 0. Later poses are blended
    // with it.
    const float fraction = *sum == 0.0f ? 1.0f : weight / (*sum + weight);
    *sum += weight;
    const bool replaces_all_joints = fraction == 1.0f && !mask;
    md5_xform *const clip_pose = replaces_all_joints ? pose : actor->clip_pose;
    sample_slot(actor, slot, clip_pose);
    if (actor->removes_motion)
        remove_root_motion(actor, clip, clip_pose);
    if (!replaces_all_joints)
        md5_blend_poses(pose, clip_pose, fraction, mask, entity->model->skeleton.num_joints, pose);
    return true;
}

// Blends the slots of a channel into its joints. *sum is the total weight of the poses that were
// blended before. Returns true if a slot contributes.
static bool blend_channel(const md5_actor *actor, md5_channel channel, float *sum, md5_xform *pose)
{
    bool plays = false;
    for (uint32_t i = 0; i < MD5_ACTOR_SLOTS; i++) {
        const bool contributes = blend_slot(actor, channel, &actor->slots[channel][i], sum, pose);
        plays |= contributes;
        if (contributes && *sum >= 1.0f)
            break;
    }
    return plays;
}

// Blends the slots of all channels into a pose. MD5_CHANNEL_ALL comes first. The channels of the
// parts of the body get the weight that it leaves. The eyelids are blended even if it leaves none.
// Returns false if no slot contributes.
static bool blend_channels(const md5_actor *actor, md5_xform *pose)
{
    float weight_of_all = 0.0f;
    bool plays = blend_channel(actor, MD5_CHANNEL_ALL, &weight_of_all, pose);
    for (int i = MD5_CHANNEL_TORSO; i < MD5_NUM_CHANNELS; i++) {
        float sum = weight_of_all;
        if (weight_of_all < 1.0f || i == MD5_CHANNEL_EYELIDS)
            plays |= blend_channel(actor, (md5_channel)i, &sum, pose);
    }
    return plays;
}

// Returns the current pose, relative to parents. If no clip plays, returns the last pose.
const md5_xform *md5i_actor_pose(md5_actor *actor)
{
    const md5_model *const model = actor->entity->model;
    md5_xform *const pose = actor->pose;
    if (model->skeleton.num_joints == 0 || (actor->is_posed && actor->time == actor->posed_time))
        return pose;

    memcpy(pose, model->bind_local, model->skeleton.num_joints * sizeof *pose);
    if (blend_channels(actor, pose)) {
        memcpy(actor->posed_slots, actor->slots, sizeof actor->posed_slots);
        actor->posed_time = actor->time;
    } else {
        // Nothing plays, so compute the last pose again from its slots and its time.
        md5_actor last = *actor;
        memcpy(last.slots, actor->posed_slots, sizeof last.slots);
        last.time = actor->posed_time;
        (void)blend_channels(&last, pose);
    }
    pose[0].translation = md5_vec3_add(pose[0].translation, actor->entity->offset);
    actor->is_posed = true;
    return pose;
}

// Writes the current pose, the joint matrices in model space, and the palette for skinning.
void md5_actor_pose(md5_actor *actor, md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    const md5_model *const model = actor->entity->model;
    MD5_ASSERT_ARRAY(pose, model->skeleton.num_joints);
    if (model->skeleton.num_joints == 0)
        return;
    memcpy(pose, md5i_actor_pose(actor), model->skeleton.num_joints * sizeof *pose);
    md5_local_to_palette(model, pose, joints, palette);
}

// == Advancing ====================================================================================
//
// An advance calls the frame commands between the old and the new position of each clip. It also
// moves the root from the old to the new position.

// -- Passed samples -------------------------------------------------------------------------------

// Finds the sample positions of a slot before and after the last advance. Sets *from to the clip
// time of the first sample, in ms. If the slot has passed the end of a cycle, the second sample is
// in the next cycle. Returns false if the slot did not play.
static bool find_passed_samples(const md5_actor *actor, const md5_actor_slot *slot, int64_t *from,
                                md5_sample_position samples[2])
{
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    const bool is_held = slot->held_frame > 0;
    const bool has_ended_before = slot->end > 0 && actor->previous_time > slot->end;
    if (!clip || is_held || has_ended_before)
        return false;

    *from = slot_time(actor, slot, actor->previous_time);
    int64_t to = slot_time(actor, slot, actor->time);
    if (to < *from) // a new cycle has begun
        to += clip->anim->milliseconds;
    samples[0] = sample_position_at(clip->anims[0], *from, slot->cycles);
    samples[1] = sample_position_at(clip->anims[0], to, slot->cycles);
    return true;
}

// -- Frame commands -------------------------------------------------------------------------------

// The function to call for frame commands, and the channel of their clip.
typedef struct frame_listener {
    md5_frame_fn *on_frame;
    void *user;
    md5_channel channel;
} frame_listener;

// Calls the commands of the frames `first` to `last`, which count from 0. The frames of commands
// count from 1.
static void call_commands(const frame_listener *listener, const md5_entity_clip *clip,
                          uint32_t first, uint32_t last)
{
    const md5_model_anim *const anim = clip->anim;
    // Binary search for the first command whose frame, counted from 0, is at least `first`.
    uint32_t low = 0;
    uint32_t high = anim->num_commands;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (anim->commands[middle].frame <= first)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = low; i < anim->num_commands && anim->commands[i].frame <= last + 1; i++)
        listener->on_frame(listener->user, &anim->commands[i], clip, listener->channel);
}

// -- Root motion ----------------------------------------------------------------------------------

// The weighted mean of the root motion of several slots.
typedef struct root_motion {
    float weight;          // total weight of the translations
    float rotation_weight; // total weight of the rotations
    md5_vec3 translation;
    md5_quat rotation;
} root_motion;

// Returns the rotation of joint 0 from one sample position to another.
static md5_quat root_rotation(const md5_actor *actor, const md5_binding *binding,
                              const md5_sample_position samples[2])
{
    md5_sample(binding, samples[0], MD5_ROOT_ID, actor->clip_pose);
    const md5_quat start = actor->clip_pose[0].rotation;
    md5_sample(binding, samples[1], MD5_ROOT_ID, actor->clip_pose);
    return md5_quat_mul(actor->clip_pose[0].rotation, md5_quat_conjugate(start));
}

// Blends the root motion of a slot in the last advance into *motion. The factor is the slot's
// weight divided by the total weight so far, so that the result is a weighted mean. Only clips with
// the flag MD5_ANIM_TURN rotate the root.
static void add_root_motion(root_motion *motion, const md5_actor *actor, const md5_actor_slot *slot)
{
    const float weight = slot_weight(slot, actor->time);
    int64_t unused; // the clip time of the first sample
    md5_sample_position samples[2];
    if (weight == 0.0f || !find_passed_samples(actor, slot, &unused, samples))
        return;

    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    const md5_anim *const anim = clip->anims[0];
    const md5_vec3 before = root_displacement(anim, &samples[0]);
    const md5_vec3 after = root_displacement(anim, &samples[1]);
    motion->weight += weight;
    motion->translation =
        md5_vec3_lerp(motion->translation, md5_vec3_sub(after, before), weight / motion->weight);

    const bool rotates_root = (clip->anim->flags & MD5_ANIM_TURN) != 0;
    if (!rotates_root)
        return;
    const md5_quat rotation = root_rotation(actor, clip->bindings[0], samples);
    motion->rotation_weight += weight;
    motion->rotation = md5_quat_slerp(motion->rotation, rotation, weight / motion->rotation_weight);
}

// Returns the root motion of the last tick, by which the game moves the character: the weighted
// mean of the root motion of all clips that move joint 0.
md5_xform md5_actor_root_motion(const md5_actor *actor)
{
    MD5_ASSERT_ACTOR(actor);
    root_motion motion = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    const bool has_advanced = actor->time != actor->previous_time;
    const bool has_root = actor->entity->model->skeleton.num_joints > 0;
    if (!has_advanced || !has_root)
        return (md5_xform){.rotation = motion.rotation, .translation = motion.translation};

    for (int channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        const bool moves_root = actor->entity->masks[channel][0] > 0.0f;
        if (!moves_root)
            continue;
        for (int i = 0; i < MD5_ACTOR_SLOTS; i++)
            add_root_motion(&motion, actor, &actor->slots[channel][i]);
    }
    return (md5_xform){.rotation = motion.rotation, .translation = motion.translation};
}

// -- Time -----------------------------------------------------------------------------------------

// The time does not increase above this limit, which is more than 200 000 years. Sums of times are
// therefore exact.
#define TIME_LIMIT ((int64_t)1 << 53)

// Advances the time of an actor, and starts a blink if it is due. Does not call frame commands.
void md5i_actor_advance_time(md5_actor *actor, uint32_t milliseconds)
{
    actor->previous_time = actor->time;
    if (actor->time < TIME_LIMIT)
        actor->time += milliseconds;
    const md5_actor_blink *const blink = &actor->blink;
    if (blink->clip != MD5_NONE && !blink->is_stopped && blink->next <= actor->time) {
        (void)md5_actor_play(actor, MD5_CHANNEL_EYELIDS, blink->clip, MD5_ACTOR_ONCE, 0, 1);
        schedule_blink(actor);
    }
}

// Calls the frame commands of the frames that the clip of a slot has passed in the last advance.
static void call_slot_commands(const md5_actor *actor, const md5_actor_slot *slot,
                               const frame_listener *listener)
{
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    const bool has_started = actor->time > slot->start;
    if (!clip || !has_started || slot->is_muted || clip->anim->num_commands == 0)
        return;
    int64_t from;
    md5_sample_position samples[2];
    if (!find_passed_samples(actor, slot, &from, samples))
        return;

    const uint32_t previous_frame = samples[0].frame0;
    const uint32_t frame = samples[1].frame0;
    const bool was_at_start = from <= 0;
    if (was_at_start) {
        call_commands(listener, clip, 0, frame);
    } else if (previous_frame < frame) {
        call_commands(listener, clip, previous_frame + 1, frame);
    } else if (previous_frame > frame) {
        // The slot passed the end of a cycle. The last and the first frame show the same pose, but
        // both have commands.
        const uint32_t num_frames = clip->anims[0]->num_frames;
        if (previous_frame + 1 < num_frames)
            call_commands(listener, clip, previous_frame + 1, num_frames - 1);
        call_commands(listener, clip, 0, frame);
    }
}

// Calls `on_frame` for each frame command of the frames that the clips of all channels have passed
// in this tick.
void md5i_actor_call_frame_commands(const md5_actor *actor, md5_frame_fn *on_frame, void *user)
{
    if (!on_frame)
        return;
    for (int channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        const frame_listener listener = {on_frame, user, (md5_channel)channel};
        for (uint32_t i = 0; i < MD5_ACTOR_SLOTS; i++)
            call_slot_commands(actor, &actor->slots[channel][i], &listener);
    }
}

// Advances an actor by one tick of `milliseconds`: plays its clips and calls `on_frame` for each
// frame command that is passed.
void md5_actor_advance(md5_actor *actor, uint32_t milliseconds, md5_frame_fn *on_frame, void *user)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    md5i_actor_advance_time(actor, milliseconds);
    md5_mark_callback(&actor->internal, MD5_CALLBACK);
    md5i_actor_call_frame_commands(actor, on_frame, user);
    md5_mark_callback(&actor->internal, MD5_NO_CALLBACK);
}

// == Saving =======================================================================================
//
// Saved actors are sequences of little-endian integers and floats of fixed size. The archive_*
// functions write or read them, depending on the archive.

enum { SAVE_VERSION = 5 };
static const char actor_magic[4] = {'M', 'D', '5', 'A'};

// Returns a hash of the names, file counts, frame counts, durations and rates of the clips. It
// detects that a saved actor belongs to other clips, and is the same on all platforms.
static uint64_t hash_clips(const md5_entity *entity)
{
    uint64_t hash = MD5_FNV;
    for (uint32_t i = 0; i < entity->num_clips; i++) {
        const md5_entity_clip *const clip = &entity->clips[i];
        uint32_t rate;
        memcpy(&rate, &clip->anim->rate, sizeof rate);
        const uint32_t numbers[4] = {clip->num_files, clip->anim->num_frames,
                                     clip->anim->milliseconds, rate};
        hash = md5_fnv(hash, clip->anim->name, strlen(clip->anim->name) + 1);
        for (uint32_t number = 0; number < 4; number++) {
            unsigned char bytes[4];
            md5_write_le(bytes, numbers[number], sizeof bytes);
            hash = md5_fnv(hash, bytes, sizeof bytes);
        }
    }
    return hash;
}

// Writes or reads a slot, depending on the archive. Returns false if the flags that were read are
// invalid.
static bool archive_slot(md5_state_archive *archive, md5_actor_slot *slot)
{
    uint32_t flags = slot->is_muted;
    md5_archive_32(archive, &slot->clip);
    md5_archive_32(archive, &slot->held_frame);
    md5_archive_32(archive, &flags);
    md5_archive_32(archive, &slot->fade_duration);
    md5_archive_64(archive, &slot->start);
    md5_archive_64(archive, &slot->end);
    md5_archive_64(archive, &slot->fade_start);
    md5_archive_32(archive, &slot->from_weight);
    md5_archive_32(archive, &slot->to_weight);
    md5_archive_32(archive, &slot->cycles);
    md5_archive_32(archive, &slot->rate);
    md5_archive_64(archive, &slot->offset);
    slot->is_muted = flags != 0;
    return flags < 2;
}

// Writes an actor to an archive, or replaces its values by the values in the archive. Returns false
// if flags are invalid.
static bool archive_actor(md5_state_archive *archive, md5_actor *actor)
{
    enum { REMOVES_MOTION = 1, BLINK_IS_STOPPED = 2, ALL_FLAGS = 3 };
    md5_actor_blink *const blink = &actor->blink;

    // The archive writes the values or replaces them, so the flags are set before and read after.
    uint32_t flags = 0;
    if (actor->removes_motion)
        flags |= REMOVES_MOTION;
    if (blink->is_stopped)
        flags |= BLINK_IS_STOPPED;
    md5_archive_64(archive, &actor->time);
    md5_archive_64(archive, &actor->previous_time);
    md5_archive_32(archive, &actor->random);
    md5_archive_32(archive, &flags);
    md5_archive_32(archive, &blink->clip);
    md5_archive_32(archive, &blink->min);
    md5_archive_32(archive, &blink->max);
    md5_archive_64(archive, &blink->next);
    md5_archive_64(archive, &actor->posed_time);
    actor->removes_motion = (flags & REMOVES_MOTION) != 0;
    blink->is_stopped = (flags & BLINK_IS_STOPPED) != 0;

    bool is_valid = flags <= ALL_FLAGS;
    for (uint32_t channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        for (uint32_t i = 0; i < MD5_ACTOR_SLOTS; i++) {
            is_valid = archive_slot(archive, &actor->slots[channel][i]) && is_valid;
            is_valid = archive_slot(archive, &actor->posed_slots[channel][i]) && is_valid;
        }
    }
    return is_valid;
}

// Writes the state of an actor to bytes[MD5_ACTOR_SAVE_SIZE]. The bytes are a magic number, the
// version of the format, a hash of the clips, and the values.
void md5_actor_save(const md5_actor *actor, void *bytes)
{
    MD5_ASSERT_ACTOR(actor);
    MD5_ASSERT_NOT_NULL(bytes);
    md5_state_archive archive = {.to = (unsigned char *)bytes + sizeof actor_magic};
    uint32_t version = SAVE_VERSION;
    uint64_t hash = hash_clips(actor->entity);
    md5_actor copy = *actor;
    memcpy(bytes, actor_magic, sizeof actor_magic);
    md5_archive_32(&archive, &version);
    md5_archive_64(&archive, &hash);
    (void)archive_actor(&archive, &copy);
}

// -- Restoring ------------------------------------------------------------------------------------

// Earliest start of a cycle: before time 0 by the duration of a clip at the minimum rate.
#define MIN_TIME (-((int64_t)1 << 40))
#define MAX_TIME ((int64_t)1 << 54)
// Sums of this offset and MAX_TIME times the largest rate do not overflow.
#define MAX_OFFSET ((int64_t)1 << 61)

static bool is_valid_time(int64_t time)
{
    return time >= MIN_TIME && time <= MAX_TIME;
}

static bool is_valid_weight(float weight)
{
    return weight >= 0.0f && weight <= 1.0f;
}

// Returns true if a restored slot without a clip is empty. All its members must be 0, as playing
// leaves them.
static bool is_empty_slot(const md5_actor_slot *slot)
{
    const bool has_no_playback = slot->held_frame == 0 && slot->cycles == 0 && !slot->is_muted;
    const bool has_no_rate = slot->rate == 0.0f && slot->offset == 0;
    const bool has_no_times = slot->start == 0 && slot->end == 0;
    const bool has_no_fade = slot->fade_start == 0 && slot->fade_duration == 0;
    // Compare the bits of from_weight, because -0 is not empty: playing never stores -0.
    const bool has_no_from_weight =
        memcmp(&slot->from_weight, &empty_slot.from_weight, sizeof slot->from_weight) == 0;
    const bool has_no_weights = has_no_from_weight && slot->to_weight == 0.0f;
    return has_no_playback && has_no_rate && has_no_times && has_no_fade && has_no_weights;
}

// Returns true if an index of a restored clip is valid, and the files of the clip were loaded.
static bool is_playable_clip(const md5_entity *entity, uint32_t clip)
{
    return clip < entity->num_clips && entity->clips[clip].num_files > 0;
}

// Returns true if the values of a restored slot are in the ranges that playing produces.
static bool is_valid_slot(const md5_entity *entity, const md5_actor_slot *slot)
{
    if (slot->clip == MD5_NONE)
        return is_empty_slot(slot);
    if (!is_playable_clip(entity, slot->clip))
        return false;

    const bool has_valid_frame = slot->held_frame <= entity->clips[slot->clip].anims[0]->num_frames;
    const bool has_valid_cycles =
        slot->cycles >= -1 && slot->cycles != 0 && slot->cycles <= MD5_MAX_CYCLES;
    const bool has_valid_offset = slot->offset >= -MAX_OFFSET && slot->offset <= MAX_OFFSET;
    const bool has_valid_rate = is_valid_rate(slot->rate) && has_valid_offset;
    const bool has_valid_times =
        is_valid_time(slot->start) && is_valid_time(slot->end) && is_valid_time(slot->fade_start);
    const bool has_valid_weights =
        is_valid_weight(slot->from_weight) && is_valid_weight(slot->to_weight);
    const bool has_valid_playback = has_valid_frame && has_valid_cycles && has_valid_rate;
    return has_valid_playback && has_valid_times && has_valid_weights;
}

// Returns true if the values of a restored blink are in the ranges that playing produces. Without a
// clip, all values are 0.
static bool is_valid_blink(const md5_entity *entity, const md5_actor_blink *blink)
{
    if (blink->clip == MD5_NONE)
        return !blink->is_stopped && blink->next == 0 && blink->min == 0 && blink->max == 0;
    const bool has_valid_range =
        blink->min <= MD5_MAX_BLINK_WAIT && blink->max <= MD5_MAX_BLINK_WAIT;
    return is_playable_clip(entity, blink->clip) && has_valid_range && is_valid_time(blink->next);
}

// Returns true if all restored values are in the ranges that playing produces.
static bool is_valid_actor(const md5_actor *actor)
{
    const md5_entity *const entity = actor->entity;
    const bool has_valid_times = is_valid_time(actor->time) && is_valid_time(actor->previous_time)
                                 && is_valid_time(actor->posed_time);
    if (!has_valid_times || !is_valid_blink(entity, &actor->blink))
        return false;
    for (uint32_t channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        for (uint32_t i = 0; i < MD5_ACTOR_SLOTS; i++) {
            if (!is_valid_slot(entity, &actor->slots[channel][i])
                || !is_valid_slot(entity, &actor->posed_slots[channel][i]))
                return false;
        }
    }
    return true;
}

// Reads the version and the hash of the clips of a saved actor, which follow the signature. Fails
// if the version is not supported, or if the actor was saved with other clips.
static bool read_actor_header(md5_context *context, const md5_entity *entity,
                              md5_state_archive *archive)
{
    uint32_t version;
    md5_archive_32(archive, &version);
    if (version != SAVE_VERSION)
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "unsupported version of a saved actor: expected %u, found %u",
                        (unsigned)SAVE_VERSION, (unsigned)version);

    uint64_t hash;
    md5_archive_64(archive, &hash);
    if (hash != hash_clips(entity))
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "saved actor does not match the entity: expected an actor that was saved "
                        "with the same clips");
    return true;
}

// Restores the state that md5_actor_save() wrote. First checks the version, the clips and every
// value, so that a failure changes nothing.
bool md5_actor_restore(md5_actor *actor, const void *bytes, size_t size, md5_error *error)
{
    if (!actor)
        return md5i_fail_missing(error, "actor");
    MD5_ASSERT_ACTOR_CHANGE(actor);
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: must not be NULL");

    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    const bool has_size = size == MD5_ACTOR_SAVE_SIZE;
    if (!has_size || memcmp(bytes, actor_magic, sizeof actor_magic) != 0)
        return MD5_FAIL(&context, MD5_ERROR_SYNTAX,
                        "data is not a saved actor: expected %d bytes, found %zu bytes%s",
                        MD5_ACTOR_SAVE_SIZE, size, has_size ? " of other data" : "");

    md5_state_archive archive = {.from = (const unsigned char *)bytes + sizeof actor_magic};
    TRY(read_actor_header(&context, actor->entity, &archive));

    md5_actor restored = *actor;
    if (!archive_actor(&archive, &restored) || !is_valid_actor(&restored))
        return MD5_FAIL(&context, MD5_ERROR_RANGE,
                        "invalid saved actor: a value is out of range; save the actor again");
    *actor = restored;
    actor->is_posed = false;
    return true;
}
