// What characters play automatically: a head its own cycle, and eyelids that blink.
//
// When the engine spawns a character it looks for two animations in the modelDef of the head, or of
// the body if there is no head: "def_head" is cycled by a head, and "blink" is played by the
// eyelids again and again. (It starts "def_head" on a body without a head, too, but clears it in
// the same tick.)
#include "md5/game/actor.h"

#include <string.h>

// Returns the head of an entity, NULL if it has none.
static const md5_entity *head_of(const md5_entity *body)
{
    const bool has_head = body->num_parts > 0 && strlen(body->parts[0].key) == strlen("def_head");
    return has_head ? body->parts[0].entity : NULL;
}

static int32_t choose_playable(md5_actor *actor, const char *name)
{
    const int32_t clip = md5_actor_choose(actor, name);
    return clip >= 0 && actor->entity->clips[clip].num_files > 0 ? clip : -1;
}

void md5_actor_spawn(md5_actor *actor, const md5_entity *body)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    MD5_ASSERT(body != NULL, "body: not NULL");
    const md5_entity *const head = head_of(body);
    if (head && head != actor->entity)
        return; // the head blinks
    const md5_actor_blink blink = {
        .clip = choose_playable(actor, "blink"),
        .next = actor->time,
        .min = body->blink_min,
        .max = body->blink_max,
    };
    actor->blink = blink.clip >= 0 ? blink : (md5_actor_blink){.clip = -1};
    if (head)
        (void)md5_actor_cycle(actor, MD5_CHANNEL_ALL, choose_playable(actor, "def_head"), 0);
}

// Chooses the time of the next blink. If blink_max is below blink_min, the range runs downward, as
// in the engine.
static void choose_next(md5_actor *actor)
{
    md5_actor_blink *const blink = &actor->blink;
    const int64_t range = (int64_t)blink->max - blink->min;
    blink->next = actor->time + blink->min + range * (int64_t)md5i_actor_random(actor) / 0x8000;
}

void md5i_actor_blink_now(md5_actor *actor)
{
    const md5_actor_blink *const blink = &actor->blink;
    if (blink->clip < 0 || blink->is_stopped || blink->next > actor->time)
        return;
    (void)md5_actor_play(actor, MD5_CHANNEL_EYELIDS, blink->clip, 1);
    choose_next(actor);
}

void md5_actor_set_blinking(md5_actor *actor, bool is_blinking)
{
    enum { FADE = 2 * 1000 / 24 }; // two frames of the engine's 24 a second
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    if (actor->blink.clip < 0)
        return;
    actor->blink.is_stopped = !is_blinking;
    if (is_blinking)
        choose_next(actor);
    else
        (void)md5_actor_clear(actor, MD5_CHANNEL_EYELIDS, FADE);
}
