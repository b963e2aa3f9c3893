// Saved actors: numbers of fixed size, the lowest byte first.
#include "md5/game/actor.h"

#include <string.h>

enum { SAVE_VERSION = 3 };
static const char magic[4] = {'M', 'D', '5', 'A'};

// -- Numbers --------------------------------------------------------------------------------------

static void put(unsigned char **at, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        *(*at)++ = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char **at, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t) * (*at)++ << (8 * i);
    return value;
}

static void put_float(unsigned char **at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(at, bits, 4);
}

static float get_float(const unsigned char **at)
{
    const uint32_t bits = (uint32_t)get(at, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// -- Fingerprint ----------------------------------------------------------------------------------

static uint64_t add_to_hash(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001B3u; // FNV-1a
    return hash;
}

// A hash of the clips' names, numbers of files and frames, times and rates, on all platforms equal.
static uint64_t fingerprint(const md5_entity *entity)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint32_t i = 0; i < entity->num_clips; i++) {
        const md5_entity_clip *const clip = &entity->clips[i];
        unsigned char numbers[16], *at = numbers;
        put(&at, clip->num_files, 4);
        put(&at, clip->anim->num_frames, 4);
        put(&at, clip->anim->milliseconds, 4);
        put_float(&at, clip->anim->rate);
        hash = add_to_hash(hash, clip->anim->name, strlen(clip->anim->name) + 1);
        hash = add_to_hash(hash, numbers, sizeof numbers);
    }
    return hash;
}

// -- Saving ---------------------------------------------------------------------------------------

static void put_slot(unsigned char **at, const md5_actor_slot *slot)
{
    put(at, (uint32_t)slot->clip, 4);
    put(at, slot->held, 4);
    put(at, (slot->is_cycling ? 1u : 0u) + (slot->is_muted ? 2u : 0u), 4);
    put(at, slot->duration, 4);
    put(at, (uint64_t)slot->start, 8);
    put(at, (uint64_t)slot->end, 8);
    put(at, (uint64_t)slot->ramp, 8);
    put_float(at, slot->from);
    put_float(at, slot->to);
    for (int i = 0; i < MD5_MAX_SYNCED_ANIMS; i++)
        put_float(at, slot->shares[i]);
}

void md5_actor_save(const md5_actor *actor, void *bytes)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    MD5_ASSERT(bytes != NULL, "bytes: not NULL");
    unsigned char *at = (unsigned char *)bytes;
    memcpy(at, magic, sizeof magic);
    at += sizeof magic;
    put(&at, SAVE_VERSION, 4);
    put(&at, fingerprint(actor->entity), 8);
    put(&at, (uint64_t)actor->time, 8);
    put(&at, (uint64_t)actor->before, 8);
    put(&at, actor->random, 4);
    put(&at, (actor->removes_motion ? 1u : 0u) + (actor->blink.is_stopped ? 2u : 0u), 4);
    put(&at, (uint32_t)actor->blink.clip, 4);
    put(&at, actor->blink.min, 4);
    put(&at, actor->blink.max, 4);
    put(&at, (uint64_t)actor->blink.next, 8);
    put(&at, (uint64_t)actor->shown_at, 8);
    for (int channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        for (int i = 0; i < MD5_ACTOR_SLOTS; i++) {
            put_slot(&at, &actor->slots[channel][i]);
            put_slot(&at, &actor->shown[channel][i]);
        }
    }
}

// -- Restoring ------------------------------------------------------------------------------------

// A cycle may have begun before time 0, by its length at the least rate.
#define LEAST_TIME (-((int64_t)1 << 40))
#define MOST_TIME ((int64_t)1 << 54)

static bool is_time(int64_t time)
{
    return time >= LEAST_TIME && time <= MOST_TIME;
}

static bool is_weight(float weight, float most)
{
    return weight >= 0.0f && weight <= most;
}

static bool is_empty(const md5_actor_slot *slot)
{
    static const md5_actor_slot empty_slot = {.clip = -1};
    return slot->held == 0 && !slot->is_cycling && !slot->is_muted && slot->start == 0
           && slot->end == 0 && slot->ramp == 0 && slot->duration == 0
           && memcmp(&slot->from, &empty_slot.from, sizeof slot->from) == 0 && slot->to == 0.0f;
}

static bool is_slot(const md5_entity *entity, const md5_actor_slot *slot)
{
    if (slot->clip < 0)
        return slot->clip == -1 && is_empty(slot);
    TRY((uint32_t)slot->clip < entity->num_clips);
    const md5_entity_clip *const clip = &entity->clips[slot->clip];
    TRY(clip->num_files > 0 && slot->held <= clip->anims[0]->num_frames);
    for (int i = 0; i < MD5_MAX_SYNCED_ANIMS; i++)
        TRY(is_weight(slot->shares[i], 1e30f));
    return is_time(slot->start) && is_time(slot->end) && is_time(slot->ramp)
           && is_weight(slot->from, 1.0f) && is_weight(slot->to, 1.0f);
}

static bool get_slot(const unsigned char **at, const md5_entity *entity, md5_actor_slot *slot)
{
    slot->clip = (int32_t)(uint32_t)get(at, 4);
    slot->held = (uint32_t)get(at, 4);
    const uint64_t flags = get(at, 4);
    slot->is_cycling = (flags & 1) != 0;
    slot->is_muted = (flags & 2) != 0;
    slot->duration = (uint32_t)get(at, 4);
    slot->start = (int64_t)get(at, 8);
    slot->end = (int64_t)get(at, 8);
    slot->ramp = (int64_t)get(at, 8);
    slot->from = get_float(at);
    slot->to = get_float(at);
    for (int i = 0; i < MD5_MAX_SYNCED_ANIMS; i++)
        slot->shares[i] = get_float(at);
    return flags < 4 && is_slot(entity, slot);
}

static bool is_blink(const md5_entity *entity, const md5_actor_blink *blink)
{
    if (blink->clip < 0)
        return blink->clip == -1 && !blink->is_stopped && blink->min == 0 && blink->max == 0
               && blink->next == 0;
    return (uint32_t)blink->clip < entity->num_clips && entity->clips[blink->clip].num_files > 0
           && blink->min <= MD5_MOST_BLINK_WAIT && blink->max <= MD5_MOST_BLINK_WAIT
           && is_time(blink->next);
}

static bool read_actor(const unsigned char *at, const md5_actor *actor, md5_actor *read)
{
    *read = *actor;
    read->time = (int64_t)get(&at, 8);
    read->before = (int64_t)get(&at, 8);
    read->random = (uint32_t)get(&at, 4);
    const uint64_t flags = get(&at, 4);
    read->removes_motion = (flags & 1) != 0;
    read->blink.is_stopped = (flags & 2) != 0;
    read->blink.clip = (int32_t)(uint32_t)get(&at, 4);
    read->blink.min = (uint32_t)get(&at, 4);
    read->blink.max = (uint32_t)get(&at, 4);
    read->blink.next = (int64_t)get(&at, 8);
    read->shown_at = (int64_t)get(&at, 8);
    TRY(is_time(read->time) && is_time(read->before) && is_time(read->shown_at) && flags < 4
        && is_blink(actor->entity, &read->blink));
    for (int channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        for (int i = 0; i < MD5_ACTOR_SLOTS; i++)
            TRY(get_slot(&at, actor->entity, &read->slots[channel][i])
                && get_slot(&at, actor->entity, &read->shown[channel][i]));
    }
    return true;
}

bool md5_actor_restore(md5_actor *actor, const void *bytes, size_t size, md5_error *error)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: not NULL");
    md5_context context;
    md5_actor read;
    const unsigned char *at = (const unsigned char *)bytes;
    md5i_context_begin(&context, NULL, NULL, error);
    if (size != MD5_ACTOR_SAVE_SIZE || memcmp(at, magic, sizeof magic) != 0)
        return md5i_fail(&context, MD5_ERROR_SYNTAX, 0, 0,
                         "expected the %d bytes of a saved actor, found %zu bytes%s",
                         MD5_ACTOR_SAVE_SIZE, size,
                         size == MD5_ACTOR_SAVE_SIZE ? " of something else" : "");
    at += sizeof magic;
    const uint64_t version = get(&at, 4);
    if (version != SAVE_VERSION)
        return md5i_fail(&context, MD5_ERROR_MISMATCH, 0, 0,
                         "the actor was saved in version %u, expected version %u",
                         (unsigned)version, (unsigned)SAVE_VERSION);
    if (get(&at, 8) != fingerprint(actor->entity))
        return md5i_fail(&context, MD5_ERROR_MISMATCH, 0, 0,
                         "the actor was saved with an entity that has other clips");
    if (!read_actor(at, actor, &read))
        return md5i_fail(&context, MD5_ERROR_RANGE, 0, 0,
                         "a number of the saved actor is out of range");
    *actor = read;
    return true;
}
