// Actors: what plays in which channel.
#include "md5/game/actor.h"

#include <string.h>

// -- Making ---------------------------------------------------------------------------------------

static const md5_actor_slot empty_slot = {.clip = -1};

static void empty(md5_actor *actor)
{
    for (int channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        for (int i = 0; i < MD5_ACTOR_SLOTS; i++)
            actor->slots[channel][i] = actor->shown[channel][i] = empty_slot;
    }
}

md5_actor *md5_create_actor(const md5_entity *entity, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT(entity != NULL, "entity: not NULL");
    MD5_ASSERT_OPTS(opts);
    const size_t num_joints = entity->model->skeleton.num_joints;
    md5_context context;
    md5_block measured = {.base = NULL};
    md5i_context_begin(&context, opts, NULL, error);
    (void)md5i_block_take(&measured, 1, sizeof(md5_actor));
    (void)md5i_block_take(&measured, 2 * num_joints, sizeof(md5_xform));
    unsigned char *const memory = (unsigned char *)md5i_alloc(&context, measured.used);
    if (!memory)
        return NULL;
    md5_block block = {.base = memory};
    md5_actor *const actor = (md5_actor *)md5i_block_take(&block, 1, sizeof *actor);
    memset(actor, 0, sizeof *actor);
    actor->clip_pose = (md5_xform *)md5i_block_take(&block, 2 * num_joints, sizeof(md5_xform));
    actor->file_pose = actor->clip_pose + num_joints;
    actor->entity = entity;
    actor->allocator = context.allocator;
    actor->size = measured.used;
    actor->blink.clip = -1;
    empty(actor);
    return actor;
}

void md5_destroy_actor(md5_actor *actor)
{
    if (actor)
        actor->allocator.free(actor->allocator.user, actor, actor->size);
}

void md5_actor_set_in_place(md5_actor *actor, bool is_removed)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    actor->removes_motion = is_removed;
}

// -- Random numbers -------------------------------------------------------------------------------

uint32_t md5i_actor_random(md5_actor *actor)
{
    actor->random = actor->random * 69069u + 1u;
    return actor->random & 0x7FFFu;
}

void md5_actor_set_seed(md5_actor *actor, uint32_t seed)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    actor->random = seed;
}

static bool ends_in_digit(const char *name)
{
    const size_t length = strlen(name);
    return length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9';
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

static int32_t choose(md5_actor *actor, const char *prefix, const char *name)
{
    enum { MOST = 64 };
    const md5_entity *const entity = actor->entity;
    const bool is_exact = ends_in_digit(name);
    uint32_t found[MOST], count = 0;
    for (uint32_t i = 0; i < entity->num_clips && count < MOST; i++) {
        const md5_model_anim *const anim = entity->clips[i].anim;
        if (is_name(is_exact ? anim->name : anim->alias, prefix, name)) {
            if (is_exact)
                return (int32_t)i;
            found[count++] = i;
        }
    }
    return count > 0 ? (int32_t)found[md5i_actor_random(actor) % count] : -1;
}

int32_t md5_actor_choose(md5_actor *actor, const char *name)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    MD5_ASSERT(name != NULL, "name: not NULL");
    return choose(actor, "", name);
}

int32_t md5_actor_choose_prefixed(md5_actor *actor, const char *prefix, const char *name)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    MD5_ASSERT(prefix != NULL && name != NULL, "prefix, name: not NULL");
    const int32_t clip = prefix[0] ? choose(actor, prefix, name) : -1;
    return clip >= 0 ? clip : choose(actor, "", name);
}

// -- Weights --------------------------------------------------------------------------------------

float md5i_slot_weight(const md5_actor_slot *slot, int64_t time)
{
    const int64_t passed = time - slot->ramp;
    if (passed <= 0)
        return slot->from;
    if (passed >= slot->duration)
        return slot->to;
    return slot->from + (slot->to - slot->from) * ((float)passed / (float)slot->duration);
}

// Fades the weight of a slot from its present value to `weight`. The fade begins one millisecond
// earlier, so that something is seen immediately.
static void set_weight(md5_actor_slot *slot, float weight, int64_t time, uint32_t blend)
{
    slot->from = md5i_slot_weight(slot, time);
    slot->to = weight;
    slot->ramp = time - 1;
    slot->duration = blend;
    if (weight == 0.0f)
        slot->end = time + blend;
}

static void clear(md5_actor_slot *slot, int64_t time, uint32_t blend)
{
    if (blend == 0)
        *slot = empty_slot;
    else if (slot->clip >= 0)
        set_weight(slot, 0.0f, time, blend);
}

// Makes room for a new animation. One that has no weight, or that began just now, is replaced.
static void push(md5_actor *actor, md5_actor_slot *slots, uint32_t blend)
{
    if (md5i_slot_weight(&slots[0], actor->time) == 0.0f || slots[0].start == actor->time)
        return;
    for (int i = MD5_ACTOR_SLOTS - 1; i > 0; i--)
        slots[i] = slots[i - 1];
    slots[0] = empty_slot;
    clear(&slots[1], actor->time, blend);
}

// -- Commands -------------------------------------------------------------------------------------

static bool is_channel(md5_channel channel)
{
    return (int)channel >= 0 && (int)channel < MD5_NUM_CHANNELS;
}

// Puts a clip that never ends into a channel. Returns NULL if it cannot be played.
static md5_actor_slot *begin(md5_actor *actor, md5_channel channel, int32_t clip, uint32_t blend)
{
    const md5_entity *const entity = actor->entity;
    if (!is_channel(channel) || clip < 0 || (uint32_t)clip >= entity->num_clips
        || entity->clips[clip].num_files == 0)
        return NULL;
    md5_actor_slot *const slots = actor->slots[channel];
    push(actor, slots, blend);
    slots[0] = (md5_actor_slot){
        .clip = clip,
        .is_cycling = true,
        .start = actor->time,
        .end = -1,
        .ramp = actor->time - 1,
        .duration = blend,
        .to = 1.0f,
        .shares = {1.0f},
    };
    return slots;
}

bool md5_actor_play(md5_actor *actor, md5_channel channel, int32_t clip, uint32_t blend)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    md5_actor_slot *const slot = begin(actor, channel, clip, blend);
    TRY(slot);
    slot->is_cycling = false;
    const md5_model_anim *const anim = actor->entity->clips[clip].anim;
    slot->end = actor->time + (int64_t)(anim->milliseconds / (double)anim->rate);
    return true;
}

bool md5_actor_cycle(md5_actor *actor, md5_channel channel, int32_t clip, uint32_t blend)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    md5_actor_slot *const slot = begin(actor, channel, clip, blend);
    TRY(slot);
    const md5_model_anim *const anim = actor->entity->clips[clip].anim;
    if (!(anim->flags & MD5_ANIM_RANDOM_CYCLE_START))
        return true;
    const double share = md5i_actor_random(actor) / 32768.0 / (double)anim->rate;
    slot->start = (int64_t)((double)actor->time - share * anim->milliseconds);
    return true;
}

bool md5_actor_hold(md5_actor *actor, md5_channel channel, int32_t clip, uint32_t frame,
                    uint32_t blend)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    md5_actor_slot *const slot = begin(actor, channel, clip, blend);
    TRY(slot);
    const uint32_t num_frames = actor->entity->clips[clip].anims[0]->num_frames;
    slot->held = frame < 1 ? 1 : frame > num_frames ? num_frames : frame;
    return true;
}

bool md5_actor_clear(md5_actor *actor, md5_channel channel, uint32_t blend)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    TRY(is_channel(channel));
    for (int i = 0; i < MD5_ACTOR_SLOTS; i++)
        clear(&actor->slots[channel][i], actor->time, blend);
    return true;
}

bool md5_actor_sync(md5_actor *actor, md5_channel channel, md5_channel from, uint32_t blend)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    TRY(is_channel(channel) && is_channel(from));
    const md5_actor_slot *const source = actor->slots[from];
    md5_actor_slot *const slots = actor->slots[channel];
    const float weight = source->to;
    if (channel == from)
        return true;
    if (source->clip != slots->clip || source->start != slots->start || source->end != slots->end) {
        push(actor, slots, blend);
        slots[0] = *source;
        slots[0].from = slots[0].to = 0.0f;
    }
    if (slots->clip >= 0)
        set_weight(slots, weight, actor->time - 1, blend);
    slots->is_muted = slots->clip >= 0;
    return true;
}

bool md5_actor_weigh(md5_actor *actor, md5_channel channel, uint32_t file, float weight)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    TRY(is_channel(channel) && weight >= 0.0f && weight <= 1e30f);
    md5_actor_slot *const slot = actor->slots[channel];
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    TRY(clip && file < clip->num_files);
    slot->shares[file] = weight;
    return true;
}

md5_actor_status md5_actor_channel(const md5_actor *actor, md5_channel channel)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    const md5_actor_slot *const slot = is_channel(channel) ? actor->slots[channel] : &empty_slot;
    md5_actor_status status = {.clip = slot->clip};
    if (slot->clip < 0)
        return status;
    const int64_t time = md5i_slot_time(actor, slot, actor->time);
    status.time = time > 0 ? (uint32_t)time : 0;
    status.held = slot->held;
    status.weight = md5i_slot_weight(slot, actor->time);
    status.is_cycling = slot->is_cycling && slot->held == 0;
    status.has_ended = slot->end >= 0 && actor->time >= slot->end;
    return status;
}
