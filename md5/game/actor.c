// Actors: what plays in which channel, by the rules of the engine's animator: its integer times in
// milliseconds, its order of comparisons, its weights in single precision.
#include "md5/core/freed.h"
#include "md5/game/actor.h"

#include "md5/core/arena.h"
#include "md5/core/bytes.h"
#include "md5/core/math.h"

#include <math.h>
#include <string.h>

static inline const md5_entity_clip *md5_slot_clip(const md5_actor *actor,
                                                   const md5_actor_slot *slot)
{
    return slot->clip != MD5_NONE ? &actor->entity->clips[slot->clip] : NULL;
}

// == Frames =======================================================================================
//
// From the engine's clock to frames. The engine counts in whole milliseconds and whole frames a
// second: a clip's duration is rounded up, so that a cycle may restart 1 ms late.

// The time within a clip, in milliseconds: an endless cycle's is below the clip's duration.
static int64_t slot_time(const md5_actor *actor, const md5_actor_slot *slot, int64_t time)
{
    const int64_t duration = actor->entity->clips[slot->clip].anim->milliseconds;
    if (slot->held > 0)
        return (int64_t)(slot->held - 1) * 1000 / 24; // whatever the frame rate is
    const int64_t passed =
        (int64_t)((double)(time - slot->start) * (double)slot->rate) + slot->offset;
    if (slot->cycles > 0)
        return passed < duration * slot->cycles ? passed : duration * slot->cycles;
    if (duration == 0)
        return 0;
    return passed % duration + (passed % duration < 0 ? duration : 0);
}

// The frames of a clip's file at a time within the clip.
static md5_sample_position frames_at(const md5_anim *anim, int64_t milliseconds, int32_t cycles)
{
    const int64_t intervals = (int64_t)anim->num_frames - 1;
    md5_sample_position sample = {.frame0 = 0};
    if (intervals == 0)
        return sample;
    const double whole_rate = floor(anim->frame_rate < 1e6 ? anim->frame_rate : 1e6);
    const int64_t thousandths = milliseconds > 0 ? milliseconds * (int64_t)whole_rate : 0;
    const int64_t frame = thousandths / 1000;
    sample.cycle = frame / intervals;
    if (cycles > 0 && sample.cycle >= cycles) {
        sample.frame0 = sample.frame1 = (uint32_t)intervals;
        sample.cycle = cycles - 1;
        return sample;
    }
    sample.frame0 = (uint32_t)(frame % intervals);
    sample.frame1 = sample.frame0 + 1;
    sample.fraction = (float)(thousandths % 1000) * 0.001f;
    return sample;
}

static md5_vec3 root_of_frame(const md5_anim *anim, uint32_t frame)
{
    const md5_sample_position first = {.frame0 = 0};
    const md5_sample_position at = {.frame0 = frame, .frame1 = frame};
    const bool moves = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    md5_vec3 stored = anim->constant[0].translation;
    if (moves && anim->packed_size)
        stored = md5_vec3_add(stored, md5_anim_root_motion(anim, first, at));
    else if (moves)
        stored = anim->translations[(size_t)frame * anim->num_translations];
    return md5_vec3_sub(stored, anim->base_frame[0].translation);
}

// The displacement of the root from the base frame, as MD5_ROOT_ID has it.
static md5_vec3 root_at(const md5_anim *anim, const md5_sample_position *sample)
{
    const md5_vec3 cycle = root_of_frame(anim, anim->num_frames - 1);
    const md5_vec3 within = md5_vec3_lerp(root_of_frame(anim, sample->frame0),
                                          root_of_frame(anim, sample->frame1), sample->fraction);
    return md5_vec3_add(within, md5_vec3_scale(cycle, (float)sample->cycle));
}

md5_vec3 md5_entity_clip_movement(const md5_entity_clip *clip)
{
    MD5_ASSERT_PART(clip, anim);
    return clip->num_files > 0 ? root_of_frame(clip->anims[0], clip->anims[0]->num_frames - 1)
                               : (md5_vec3){0.0f, 0.0f, 0.0f};
}

// == Channels =====================================================================================
//
// Actors: what plays in which channel.

// -- Making ---------------------------------------------------------------------------------------

static const md5_actor_slot empty_slot = {.clip = MD5_NONE};

md5_actor *md5_create_actor(const md5_entity *entity, const md5_allocator *allocator,
                            md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(entity, MD5_TAG_ENTITY);
    if (!entity) {
        md5i_fail_missing(error, "entity");
        return NULL;
    }
    MD5_ASSERT_ALLOCATOR(allocator);
    const size_t num_joints = entity->model->skeleton.num_joints;
    md5_context context;
    md5_block block = {0};
    md5i_context_begin_memory(&context, allocator ? *allocator : (md5_allocator){0}, error);
    (void)md5i_block_take(&block, 1, sizeof(md5_actor));
    (void)md5i_block_take(&block, 2 * num_joints, sizeof(md5_xform));
    const size_t size = block.used;
    if (!md5i_block_allocate(&context, &block))
        return NULL;
    md5_actor *const actor = (md5_actor *)md5i_block_take(&block, 1, sizeof *actor);
    memset(actor, 0, sizeof *actor);
    actor->pose = (md5_xform *)md5i_block_take(&block, 2 * num_joints, sizeof(md5_xform));
    actor->clip_pose = actor->pose + num_joints;
    actor->entity = entity;
    actor->internal = (md5_internal){.allocator = context.allocator, .tag = MD5_TAG_ACTOR};
    actor->size = size;
    actor->blink.clip = MD5_NONE;
    for (uint32_t channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        for (uint32_t i = 0; i < MD5_ACTOR_SLOTS; i++)
            actor->slots[channel][i] = actor->shown[channel][i] = empty_slot;
    }
    return actor;
}

void md5_destroy_actor(md5_actor *actor)
{
    MD5_FREE(actor, MD5_TAG_ACTOR);
}

void md5_actor_set_in_place(md5_actor *actor, bool is_removed)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    actor->removes_motion = is_removed;
    actor->is_posed = false;
}

// -- Random numbers -------------------------------------------------------------------------------

// The next number of the engine's generator, which has 15 bits.
static uint32_t actor_random(md5_actor *actor)
{
    actor->random = actor->random * 69069u + 1u;
    return actor->random & 0x7FFFu;
}

void md5_actor_set_seed(md5_actor *actor, uint32_t seed)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    actor->random = seed;
}

// Whether a text is a name, or PREFIX_name if the prefix is not empty.
static bool is_name(const char *text, const char *prefix, const char *name)
{
    const size_t length = strlen(prefix);
    if (length == 0)
        return strcmp(text, name) == 0;
    return strncmp(text, prefix, length) == 0 && text[length] == '_'
           && strcmp(text + length + 1, name) == 0;
}

static uint32_t select(md5_actor *actor, const char *prefix, const char *name)
{
    enum { MOST = 64 };
    const md5_entity *const entity = actor->entity;
    const size_t length = strlen(name);
    const bool is_exact = length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9';
    uint32_t found[MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < entity->num_clips && count < MOST; i++) {
        const md5_model_anim *const anim = entity->clips[i].anim;
        if (is_name(is_exact ? anim->name : anim->alias, prefix, name)) {
            if (is_exact)
                return i;
            found[count++] = i;
        }
    }
    return count > 0 ? found[actor_random(actor) % count] : MD5_NONE;
}

uint32_t md5_actor_choose(md5_actor *actor, const char *prefix, const char *name)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    MD5_ASSERT_NOT_NULL(name);
    const uint32_t clip = prefix && prefix[0] ? select(actor, prefix, name) : MD5_NONE;
    return clip != MD5_NONE ? clip : select(actor, "", name);
}

// -- Weights --------------------------------------------------------------------------------------

// The weight of a slot at a time, 0..1.
static float slot_weight(const md5_actor_slot *slot, int64_t time)
{
    const int64_t passed = time - slot->ramp;
    if (passed <= 0)
        return slot->from;
    if (passed >= slot->duration)
        return slot->to;
    return slot->from + (slot->to - slot->from) * ((float)passed / (float)slot->duration);
}

static void clear(md5_actor_slot *slot, int64_t time, uint32_t blend)
{
    if (blend == 0) {
        *slot = empty_slot;
    } else if (slot->clip != MD5_NONE) {
        // The weight fades from its present value to 0. The fade begins one millisecond earlier, so
        // that something is seen immediately.
        slot->from = slot_weight(slot, time);
        slot->to = 0.0f;
        slot->ramp = time - 1;
        slot->duration = blend;
        slot->end = time + blend;
    }
}

// -- Commands -------------------------------------------------------------------------------------

static bool is_channel(md5_channel channel)
{
    return (unsigned)channel < MD5_NUM_CHANNELS;
}

// Room for a new animation. One that has no weight, or that began just now, is replaced.
static void push(const md5_actor *actor, md5_actor_slot *slots, uint32_t blend)
{
    if (slot_weight(&slots[0], actor->time) == 0.0f || slots[0].start == actor->time)
        return;
    for (int i = MD5_ACTOR_SLOTS - 1; i > 0; i--)
        slots[i] = slots[i - 1];
    slots[0] = empty_slot;
    clear(&slots[1], actor->time, blend);
}

// Sets when a slot is over, after its start, cycles or rate were set.
static void set_end(const md5_actor *actor, md5_actor_slot *slot)
{
    const double duration = actor->entity->clips[slot->clip].anim->milliseconds;
    slot->end =
        slot->cycles < 0 || slot->rate == 0.0f
            ? -1
            : slot->start - slot->offset + (int64_t)(duration * slot->cycles / (double)slot->rate);
}

bool md5_actor_play(md5_actor *actor, md5_channel channel, uint32_t clip, md5_actor_mode mode,
                    uint32_t frame, uint32_t blend)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    MD5_ASSERT((int)mode >= 0 && mode <= MD5_ACTOR_HOLD, "mode: must be a value of md5_actor_mode");
    const md5_entity *const entity = actor->entity;
    TRY(is_channel(channel) && clip < entity->num_clips && entity->clips[clip].num_files > 0);
    const md5_model_anim *const anim = entity->clips[clip].anim;
    md5_actor_slot *const slots = actor->slots[channel];

    actor->is_posed = false;
    push(actor, slots, blend);
    slots[0] = (md5_actor_slot){
        .clip = clip,
        .cycles = mode == MD5_ACTOR_ONCE ? 1 : -1,
        .rate = anim->rate,
        .start = actor->time,
        .ramp = actor->time - 1,
        .duration = blend,
        .to = 1.0f,
    };
    if (mode == MD5_ACTOR_HOLD) {
        const uint32_t num_frames = entity->clips[clip].anims[0]->num_frames;
        slots->held = frame < 1 ? 1 : frame > num_frames ? num_frames : frame;
    } else if (mode == MD5_ACTOR_CYCLE && (anim->flags & MD5_ANIM_RANDOM_CYCLE_START)) {
        const double share = actor_random(actor) / 32768.0 / anim->rate;
        slots->start = (int64_t)((double)actor->time - share * anim->milliseconds);
    }
    set_end(actor, slots);
    return true;
}

// The newest animation of a channel, if one plays there.
static md5_actor_slot *playing(md5_actor *actor, md5_channel channel)
{
    md5_actor_slot *const slot = is_channel(channel) ? actor->slots[channel] : NULL;
    actor->is_posed = false;
    return slot && slot->clip != MD5_NONE ? slot : NULL;
}

static bool is_rate(float rate)
{
    return rate == 0.0f || (rate >= 0.01f && rate <= 100.0f);
}

bool md5_actor_set_rate(md5_actor *actor, md5_channel channel, float rate)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    md5_actor_slot *const slot = playing(actor, channel);
    TRY(slot && is_rate(rate));
    const int64_t time = slot_time(actor, slot, actor->time);
    slot->rate = rate;
    slot->offset = time - (int64_t)((double)(actor->time - slot->start) * (double)rate);
    set_end(actor, slot);
    return true;
}

bool md5_actor_set_cycles(md5_actor *actor, md5_channel channel, int32_t cycles)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    md5_actor_slot *const slot = playing(actor, channel);
    TRY(slot && slot->held == 0 && cycles <= MD5_MAX_CYCLES);
    slot->cycles = cycles < 0 ? -1 : cycles == 0 ? 1 : cycles;
    set_end(actor, slot);
    return true;
}

bool md5_actor_set_start(md5_actor *actor, md5_channel channel, int64_t milliseconds)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    md5_actor_slot *const slot = playing(actor, channel);
    TRY(slot && milliseconds >= 0 && milliseconds <= MD5_MAX_PASSED);
    slot->start = actor->time - milliseconds;
    set_end(actor, slot);
    return true;
}

void md5i_actor_sync(md5_actor *actor, md5_channel channel, md5_channel leader, uint32_t blend)
{
    const md5_actor_slot from = actor->slots[leader][0];
    md5_actor_slot *const slot = actor->slots[channel];
    if (from.clip == MD5_NONE && slot->clip == MD5_NONE)
        return;
    actor->is_posed = false;
    if (slot->clip != from.clip || slot->start != from.start || slot->end != from.end) {
        push(actor, slot, blend);
        *slot = from;
        slot->from = slot->to = 0.0f;
    }
    if (from.clip == MD5_NONE)
        return;
    // A millisecond earlier than where a clip begins to play.
    slot->from = slot_weight(slot, actor->time - 1);
    slot->to = from.to;
    slot->ramp = actor->time - 2;
    slot->duration = blend;
    slot->is_muted = true;
    if (slot->to == 0.0f)
        slot->end = actor->time - 1 + blend;
}

static void clear_channel(md5_actor *actor, md5_channel channel, uint32_t blend)
{
    actor->is_posed = false;
    for (uint32_t i = 0; i < MD5_ACTOR_SLOTS; i++)
        clear(&actor->slots[channel][i], actor->time, blend);
}

bool md5_actor_clear(md5_actor *actor, md5_channel channel, uint32_t blend)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    TRY(is_channel(channel));
    clear_channel(actor, channel, blend);
    return true;
}

md5_actor_status md5_actor_channel(const md5_actor *actor, md5_channel channel)
{
    MD5_ASSERT_ACTOR(actor);
    const md5_actor_slot *const slot = is_channel(channel) ? actor->slots[channel] : &empty_slot;
    md5_actor_status status = {.clip = slot->clip};
    if (slot->clip == MD5_NONE)
        return status;
    const int64_t time = slot_time(actor, slot, actor->time);
    status.time = time > 0 ? (uint32_t)time : 0;
    status.held = slot->held;
    status.weight = slot_weight(slot, actor->time);
    status.is_cycling = slot->cycles < 0 && slot->held == 0;
    status.has_ended = slot->end >= 0 && actor->time >= slot->end;
    return status;
}

// == What plays by itself =========================================================================
//
// What characters play automatically: a head its own cycle, and eyelids that blink.
//
// When the engine spawns a character it looks for two animations in the modelDef of the head, or of
// the body if there is no head: "def_head" is cycled by a head, and "blink" is played by the
// eyelids again and again. (It starts "def_head" on a body without a head, too, but clears it in
// the same tick.)

static uint32_t select_playable(md5_actor *actor, const char *name)
{
    const uint32_t clip = md5_actor_choose(actor, NULL, name);
    return clip != MD5_NONE && actor->entity->clips[clip].num_files > 0 ? clip : MD5_NONE;
}

void md5_actor_spawn(md5_actor *actor, const md5_entity *body)
{
    MD5_ASSERT_ALIVE(body, MD5_TAG_ENTITY);
    MD5_ASSERT_ACTOR_CHANGE(actor);
    const bool has_head = body->num_parts > 0 && strlen(body->parts[0].key) == strlen("def_head");
    const md5_entity *const head = has_head ? body->parts[0].entity : NULL;
    if (head && head != actor->entity)
        return; // the head blinks
    const md5_actor_blink blink = {
        .clip = select_playable(actor, "blink"),
        .next = actor->time,
        .min = body->blink_min,
        .max = body->blink_max,
    };
    actor->blink = blink.clip != MD5_NONE ? blink : (md5_actor_blink){.clip = MD5_NONE};
    if (head)
        (void)md5_actor_play(actor, MD5_CHANNEL_ALL, select_playable(actor, "def_head"),
                             MD5_ACTOR_CYCLE, 0, 0);
}

// Selects the time of the next blink. If blink_max is below blink_min, the range runs downward, as
// in the engine.
static void select_next(md5_actor *actor)
{
    md5_actor_blink *const blink = &actor->blink;
    const int64_t range = (int64_t)blink->max - blink->min;
    blink->next = actor->time + blink->min + range * actor_random(actor) / 0x8000;
}

void md5_actor_set_blinking(md5_actor *actor, bool is_blinking)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    md5i_actor_set_blinking(actor, is_blinking);
}

void md5i_actor_set_blinking(md5_actor *actor, bool is_blinking)
{
    enum { FADE = 2 * 1000 / 24 }; // two frames of the engine's 24 a second
    if (actor->blink.clip == MD5_NONE)
        return;
    actor->blink.is_stopped = !is_blinking;
    if (is_blinking)
        select_next(actor);
    else
        clear_channel(actor, MD5_CHANNEL_EYELIDS, FADE);
}

void md5i_actor_blink(md5_actor *actor)
{
    actor->blink.next = actor->blink.clip != MD5_NONE ? actor->time : 0;
}

// == Poses ========================================================================================
//
// The pose of an actor: what plays in its channels, blended by the engine's rules.

// -- One clip -------------------------------------------------------------------------------------

void md5i_base_frame_pose(const md5_binding *binding, md5_xform *pose)
{
    for (uint32_t i = 0; i < binding->skeleton->num_joints; i++) {
        const uint32_t track = binding->tracks[i];
        pose[i] = track != MD5_NONE ? binding->anim->base_frame[track] : binding->bind_local[i];
        if (track == 0)
            pose[i].translation = (md5_vec3){0.0f, 0.0f, 0.0f};
    }
}

// Writes a slot's own pose to actor->clip_pose: that of the first of its clip's files, since the
// engine's weights of the others are 0 unless its code sets them.
static void sample_slot(const md5_actor *actor, const md5_actor_slot *slot)
{
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    const md5_binding *const binding = clip->bindings[0];
    if (slot->held == 1) {
        md5i_base_frame_pose(binding, actor->clip_pose);
        return;
    }
    const md5_sample_position sample =
        slot->held > 0
            ? md5_sample_position_from_frames(clip->anims[0], slot->held - 1, slot->held - 1, 0.0f)
            : frames_at(clip->anims[0], slot_time(actor, slot, actor->time), slot->cycles);
    md5_sample(binding, sample, MD5_ROOT_ID, actor->clip_pose);
}

// -- Channels -------------------------------------------------------------------------------------

// Blends a slot into the joints of its channel. `sum` is the weight that they have so far. Returns
// false if it contributes nothing.
static bool blend_slot(const md5_actor *actor, md5_channel channel, const md5_actor_slot *slot,
                       float *sum, md5_xform *pose)
{
    const md5_entity *const entity = actor->entity;
    const float *const mask = channel == MD5_CHANNEL_ALL ? NULL : entity->masks[channel];
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    const float weight = slot_weight(slot, actor->time);
    if (!clip)
        return false;
    if (*sum > 0.0f) {
        if ((slot->end >= 0 && actor->time >= slot->end) || weight == 0.0f)
            return false;
        if (channel == MD5_CHANNEL_EYELIDS)
            *sum = 1.0f - weight;
    }
    sample_slot(actor, slot);
    if (actor->removes_motion) {
        // The root motion: the translation and, for clips that turn, the rotation, which becomes
        // the engine's (-half, 0, 0, half); its rotations are conjugates of ours.
        static const md5_xform turned = {
            .rotation = {-0.70710677f, 0.0f, 0.0f, -0.70710677f},
            .translation = {0.0f, 0.0f, 0.0f},
        };
        actor->clip_pose[0].translation = turned.translation;
        if (clip->anim->flags & MD5_ANIM_TURN)
            actor->clip_pose[0].rotation =
                md5i_transform_to_axes(entity->model->skeleton.axes, turned).rotation;
    }
    // The first pose is taken as a whole, even without weight, for others to be blended with.
    const float part = *sum == 0.0f ? 1.0f : weight / (*sum + weight);
    *sum += weight;
    md5_blend_poses(pose, actor->clip_pose, part, mask, entity->model->skeleton.num_joints, pose);
    return true;
}

// Blends the slots of a channel into its joints, which have the weight *sum so far. Returns whether
// one of them contributes something.
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

// Returns false if nothing plays.
static bool blend_channels(const md5_actor *actor, md5_xform *pose)
{
    float all = 0.0f;
    bool plays = blend_channel(actor, MD5_CHANNEL_ALL, &all, pose);
    for (int i = MD5_CHANNEL_TORSO; i < MD5_NUM_CHANNELS; i++) {
        float sum = all;
        if (all < 1.0f || i == MD5_CHANNEL_EYELIDS)
            plays |= blend_channel(actor, (md5_channel)i, &sum, pose);
    }
    return plays;
}

const md5_xform *md5i_actor_pose(md5_actor *actor)
{
    const md5_model *const model = actor->entity->model;
    md5_xform *const pose = actor->pose;
    if (model->skeleton.num_joints == 0 || (actor->is_posed && actor->time == actor->shown_at))
        return pose;
    memcpy(pose, model->bind_local, model->skeleton.num_joints * sizeof *pose);
    if (blend_channels(actor, pose)) {
        memcpy(actor->shown, actor->slots, sizeof actor->shown);
        actor->shown_at = actor->time;
    } else {
        md5_actor last = *actor;
        memcpy(last.slots, actor->shown, sizeof last.slots);
        last.time = actor->shown_at;
        (void)blend_channels(&last, pose);
    }
    pose[0].translation = md5_vec3_add(pose[0].translation, actor->entity->offset);
    actor->is_posed = true;
    return pose;
}

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

// == Time =========================================================================================
//
// The time of an actor: frame commands that are passed, and the motion of the root.

// -- Steps ----------------------------------------------------------------------------------------

// What a slot passed in the last advance: two times within its clip, of which the second may lie
// in the next cycle. Returns false if it did not play.
static bool find_step(const md5_actor *actor, const md5_actor_slot *slot, int64_t *from,
                      md5_sample_position samples[2])
{
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    if (!clip || slot->held > 0 || (slot->end > 0 && actor->before > slot->end))
        return false;
    *from = slot_time(actor, slot, actor->before);
    int64_t to = slot_time(actor, slot, actor->time);
    to += to < *from ? clip->anim->milliseconds : 0;
    samples[0] = frames_at(clip->anims[0], *from, slot->cycles);
    samples[1] = frames_at(clip->anims[0], to, slot->cycles);
    return true;
}

// -- Frame commands -------------------------------------------------------------------------------

// The function that receives the frame commands of a channel.
typedef struct frame_listener {
    md5_frame_fn *on_frame;
    void *user;
    md5_channel channel;
} frame_listener;

// Fires the commands of frames first to last, both included.
static void fire(const frame_listener *listener, const md5_entity_clip *clip, uint32_t first,
                 uint32_t last)
{
    const md5_model_anim *const anim = clip->anim;
    uint32_t low = 0;
    uint32_t high = anim->num_commands;
    while (low < high) { // frames of commands count from 1
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

// The root motion of several slots, blended.
typedef struct root_sum {
    float weight;
    float turn_weight;
    md5_vec3 move;
    md5_quat turn;
} root_sum;

md5_xform md5_actor_root_motion(const md5_actor *actor)
{
    MD5_ASSERT_ACTOR(actor);
    const float *const *const masks = actor->entity->masks;
    root_sum sum = {.turn = {0.0f, 0.0f, 0.0f, 1.0f}};
    const bool moves =
        actor->time != actor->before && actor->entity->model->skeleton.num_joints > 0;
    for (int channel = 0; channel < MD5_NUM_CHANNELS && moves; channel++) {
        for (int i = 0; i < MD5_ACTOR_SLOTS && masks[channel][0] > 0.0f; i++) {
            const md5_actor_slot *const slot = &actor->slots[channel][i];
            const float weight = slot_weight(slot, actor->time);
            int64_t from;
            md5_sample_position samples[2];
            if (weight == 0.0f || !find_step(actor, slot, &from, samples))
                continue;
            const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
            const md5_anim *const anim = clip->anims[0];
            const md5_vec3 move =
                md5_vec3_sub(root_at(anim, &samples[1]), root_at(anim, &samples[0]));
            sum.weight += weight;
            sum.move = md5_vec3_lerp(sum.move, move, weight / sum.weight);
            if (!(clip->anim->flags & MD5_ANIM_TURN))
                continue;
            sum.turn_weight += weight;
            md5_sample(clip->bindings[0], samples[0], MD5_ROOT_ID, actor->clip_pose);
            const md5_quat before = actor->clip_pose[0].rotation;
            md5_sample(clip->bindings[0], samples[1], MD5_ROOT_ID, actor->clip_pose);
            const md5_quat turn =
                md5_quat_mul(actor->clip_pose[0].rotation, md5_quat_conjugate(before));
            sum.turn = md5_quat_slerp(sum.turn, turn, weight / sum.turn_weight);
        }
    }
    return (md5_xform){.rotation = sum.turn, .translation = sum.move};
}

// -- Time -----------------------------------------------------------------------------------------

// The clock stops after more than 200000 years, so that sums of times stay exact.
#define LAST_TIME ((int64_t)1 << 53)

void md5i_actor_step(md5_actor *actor, uint32_t milliseconds)
{
    actor->before = actor->time;
    actor->time = actor->time < LAST_TIME ? actor->time + milliseconds : actor->time;
    // It may be time to blink.
    const md5_actor_blink *const blink = &actor->blink;
    if (blink->clip != MD5_NONE && !blink->is_stopped && blink->next <= actor->time) {
        (void)md5_actor_play(actor, MD5_CHANNEL_EYELIDS, blink->clip, MD5_ACTOR_ONCE, 0, 1);
        select_next(actor);
    }
}

void md5i_actor_fire(const md5_actor *actor, md5_frame_fn *on_frame, void *user)
{
    for (int channel = 0; channel < MD5_NUM_CHANNELS && on_frame; channel++) {
        const frame_listener listener = {on_frame, user, (md5_channel)channel};
        for (uint32_t i = 0; i < MD5_ACTOR_SLOTS; i++) {
            const md5_actor_slot *const slot = &actor->slots[channel][i];
            const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
            int64_t from;
            md5_sample_position samples[2];
            if (actor->time <= slot->start || !clip || slot->is_muted
                || clip->anim->num_commands == 0 || !find_step(actor, slot, &from, samples))
                continue;
            const md5_anim *const anim = clip->anims[0];
            const uint32_t old = samples[0].frame0;
            const uint32_t now = samples[1].frame0;
            const bool is_first = from <= 0;
            if (is_first || old < now) {
                fire(&listener, clip, is_first ? 0 : old + 1, now);
            } else if (old > now) {
                // Past the end of a cycle: up to the last frame, and from the first one, which
                // shows the same.
                if (old + 1 < anim->num_frames)
                    fire(&listener, clip, old + 1, anim->num_frames - 1);
                fire(&listener, clip, 0, now);
            }
        }
    }
}

void md5_actor_advance(md5_actor *actor, uint32_t milliseconds, md5_frame_fn *on_frame, void *user)
{
    MD5_ASSERT_ACTOR_CHANGE(actor);
    md5i_actor_step(actor, milliseconds);
    md5_mark_callback(&actor->internal, MD5_CALLBACK);
    md5i_actor_fire(actor, on_frame, user);
    md5_mark_callback(&actor->internal, MD5_NO_CALLBACK);
}

// == Saving =======================================================================================
//
// Saved actors: numbers of fixed size, the lowest byte first.

enum { SAVE_VERSION = 5 };
static const char magic[4] = {'M', 'D', '5', 'A'};

// A hash of the clips' names, numbers of files and frames, times and rates, on all platforms equal.
static uint64_t fingerprint(const md5_entity *entity)
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
            md5_put_bytes(bytes, numbers[number], sizeof bytes);
            hash = md5_fnv(hash, bytes, sizeof bytes);
        }
    }
    return hash;
}

// Whether flags are valid.
static bool keep_slot(md5_kept_state *archive, md5_actor_slot *slot)
{
    uint32_t flags = slot->is_muted;
    md5_keep_32(archive, &slot->clip);
    md5_keep_32(archive, &slot->held);
    md5_keep_32(archive, &flags);
    md5_keep_32(archive, &slot->duration);
    md5_keep_64(archive, &slot->start);
    md5_keep_64(archive, &slot->end);
    md5_keep_64(archive, &slot->ramp);
    md5_keep_32(archive, &slot->from);
    md5_keep_32(archive, &slot->to);
    md5_keep_32(archive, &slot->cycles);
    md5_keep_32(archive, &slot->rate);
    md5_keep_64(archive, &slot->offset);
    slot->is_muted = flags != 0;
    return flags < 2;
}

static bool keep_actor(md5_kept_state *archive, md5_actor *actor)
{
    md5_actor_blink *const blink = &actor->blink;
    uint32_t flags = (actor->removes_motion ? 1u : 0u) + (blink->is_stopped ? 2u : 0u);
    md5_keep_64(archive, &actor->time);
    md5_keep_64(archive, &actor->before);
    md5_keep_32(archive, &actor->random);
    md5_keep_32(archive, &flags);
    md5_keep_32(archive, &blink->clip);
    md5_keep_32(archive, &blink->min);
    md5_keep_32(archive, &blink->max);
    md5_keep_64(archive, &blink->next);
    md5_keep_64(archive, &actor->shown_at);
    actor->removes_motion = (flags & 1) != 0;
    blink->is_stopped = (flags & 2) != 0;
    bool is_valid = flags < 4;
    for (uint32_t channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        for (uint32_t i = 0; i < MD5_ACTOR_SLOTS; i++) {
            is_valid = keep_slot(archive, &actor->slots[channel][i]) && is_valid;
            is_valid = keep_slot(archive, &actor->shown[channel][i]) && is_valid;
        }
    }
    return is_valid;
}

void md5_actor_save(const md5_actor *actor, void *bytes)
{
    MD5_ASSERT_ACTOR(actor);
    MD5_ASSERT_NOT_NULL(bytes);
    md5_kept_state archive = {.to = (unsigned char *)bytes + sizeof magic};
    uint32_t version = SAVE_VERSION;
    uint64_t hash = fingerprint(actor->entity);
    md5_actor copy = *actor;
    memcpy(bytes, magic, sizeof magic);
    md5_keep_32(&archive, &version);
    md5_keep_64(&archive, &hash);
    (void)keep_actor(&archive, &copy);
}

// -- Restoring ------------------------------------------------------------------------------------

// A cycle may have begun before time 0, by its length at the least rate.
#define MIN_TIME (-((int64_t)1 << 40))
#define MAX_TIME ((int64_t)1 << 54)
#define MAX_OFFSET ((int64_t)1 << 61) // so that MAX_TIME times the largest rate can be added

static bool is_time(int64_t time)
{
    return time >= MIN_TIME && time <= MAX_TIME;
}

static bool is_weight(float weight)
{
    return weight >= 0.0f && weight <= 1.0f;
}

static bool is_slot(const md5_entity *entity, const md5_actor_slot *slot)
{
    if (slot->clip == MD5_NONE) {
        return slot->held == 0 && slot->cycles == 0 && !slot->is_muted && slot->rate == 0.0f
               && slot->offset == 0 && slot->start == 0 && slot->end == 0 && slot->ramp == 0
               && slot->duration == 0
               && memcmp(&slot->from, &empty_slot.from, sizeof slot->from) == 0 && slot->to == 0.0f;
    }
    TRY(slot->clip < entity->num_clips);
    const md5_entity_clip *const clip = &entity->clips[slot->clip];
    TRY(clip->num_files > 0 && slot->held <= clip->anims[0]->num_frames);
    TRY(slot->cycles >= -1 && slot->cycles != 0 && slot->cycles <= MD5_MAX_CYCLES);
    TRY(is_rate(slot->rate) && slot->offset >= -MAX_OFFSET && slot->offset <= MAX_OFFSET);
    return is_time(slot->start) && is_time(slot->end) && is_time(slot->ramp)
           && is_weight(slot->from) && is_weight(slot->to);
}

static bool is_blink(const md5_entity *entity, const md5_actor_blink *blink)
{
    if (blink->clip == MD5_NONE)
        return !blink->is_stopped && blink->min == 0 && blink->max == 0 && blink->next == 0;
    return blink->clip < entity->num_clips && entity->clips[blink->clip].num_files > 0
           && blink->min <= MD5_MAX_BLINK_WAIT && blink->max <= MD5_MAX_BLINK_WAIT
           && is_time(blink->next);
}

static bool is_actor(const md5_actor *actor)
{
    const md5_entity *const entity = actor->entity;
    TRY(is_time(actor->time) && is_time(actor->before) && is_time(actor->shown_at)
        && is_blink(entity, &actor->blink));
    for (uint32_t channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        for (uint32_t i = 0; i < MD5_ACTOR_SLOTS; i++)
            TRY(is_slot(entity, &actor->slots[channel][i])
                && is_slot(entity, &actor->shown[channel][i]));
    }
    return true;
}

bool md5_actor_restore(md5_actor *actor, const void *bytes, size_t size, md5_error *error)
{
    if (!actor)
        return md5i_fail_missing(error, "actor");
    MD5_ASSERT_ACTOR_CHANGE(actor);
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: must not be NULL");
    md5_context context;
    md5_actor read = *actor;
    uint32_t version;
    uint64_t hash;
    md5i_context_begin(&context, NULL, NULL, error);
    if (size != MD5_ACTOR_SAVE_SIZE || memcmp(bytes, magic, sizeof magic) != 0)
        return MD5_FAIL(
            &context, MD5_ERROR_SYNTAX, "not a saved actor: expected %d bytes, found %zu bytes%s",
            MD5_ACTOR_SAVE_SIZE, size, size == MD5_ACTOR_SAVE_SIZE ? " of other data" : "");
    md5_kept_state archive = {.from = (const unsigned char *)bytes + sizeof magic};
    md5_keep_32(&archive, &version);
    if (version != SAVE_VERSION)
        return MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                        "unsupported version of a saved actor: expected %u, found %u",
                        (unsigned)SAVE_VERSION, (unsigned)version);
    md5_keep_64(&archive, &hash);
    if (hash != fingerprint(actor->entity))
        return MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                        "saved actor does not match the entity: their clips differ");
    if (!keep_actor(&archive, &read) || !is_actor(&read))
        return MD5_FAIL(&context, MD5_ERROR_RANGE, "invalid saved actor: a value is out of range");
    *actor = read;
    actor->is_posed = false;
    return true;
}
