// The time of an actor: frame commands that are passed, and the motion of the root.
#include "md5/game/actor.h"

// -- Frame commands -------------------------------------------------------------------------------

// The function that receives the frame commands of a channel.
typedef struct frame_listener {
    md5_frame_fn *on_frame;
    void *user;
    md5_channel channel;
} frame_listener;

// Returns the first command whose frame, counted from 0, is at least `frame`.
static uint32_t first_command(const md5_model_anim *anim, uint32_t frame)
{
    uint32_t low = 0, high = anim->num_commands;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (anim->commands[middle].frame <= frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Fires the commands of frames first to last, both included.
static void fire(const frame_listener *listener, const md5_entity_clip *clip, uint32_t first,
                 uint32_t last)
{
    const md5_model_anim *const anim = clip->anim;
    for (uint32_t i = first_command(anim, first);
         i < anim->num_commands && anim->commands[i].frame <= last + 1; i++)
        listener->on_frame(listener->user, &anim->commands[i], clip, listener->channel);
}

static void fire_slot(const md5_actor *actor, const md5_actor_slot *slot,
                      const frame_listener *listener)
{
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    if (!clip || slot->is_muted || slot->held > 0 || clip->anim->num_commands == 0
        || (slot->end > 0 && actor->before > slot->end) || actor->time <= slot->start)
        return;
    const md5_anim *const anim = clip->anims[0];
    const int64_t from = md5i_slot_time(actor, slot, actor->before);
    int64_t to = md5i_slot_time(actor, slot, actor->time);
    to += to < from ? clip->anim->milliseconds : 0;
    const uint32_t old = md5i_frames_at(anim, from, slot->is_cycling).frame0;
    const uint32_t now = md5i_frames_at(anim, to, slot->is_cycling).frame0;
    const bool is_first = from <= 0;
    if (is_first || old < now) {
        fire(listener, clip, is_first ? 0 : old + 1, now);
    } else if (old > now) {
        // Past the end of a cycle: up to the last frame, and from the first one, which shows the
        // same.
        if (old + 1 < anim->num_frames)
            fire(listener, clip, old + 1, anim->num_frames - 1);
        fire(listener, clip, 0, now);
    }
}

// -- Root motion ----------------------------------------------------------------------------------

// The root motion of several slots, blended.
typedef struct root_sum {
    float weight, turn_weight;
    md5_vec3 move;
    md5_quat turn;
} root_sum;

static md5_quat rotation_of_file(const md5_actor *actor, const md5_actor_slot *slot, uint32_t file,
                                 int64_t time)
{
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    const md5_moment moment = md5i_frames_at(clip->anims[file], time, slot->is_cycling);
    md5_sample(clip->bindings[file], moment, MD5_ROOT_ID, actor->file_pose);
    return actor->file_pose[0].rotation;
}

// The rotation of the root from one time of a clip to another. As in the engine, that of further
// files begins at the blended first rotation also for the second time.
static md5_quat root_turn(const md5_actor *actor, const md5_actor_slot *slot, int64_t from,
                          int64_t to)
{
    const uint32_t num_files = md5_slot_clip(actor, slot)->num_files;
    md5_quat before = {0.0f, 0.0f, 0.0f, 1.0f}, now = before;
    float sum = 0.0f;
    for (uint32_t i = 0; i < num_files; i++) {
        if (slot->shares[i] <= 0.0f)
            continue;
        const md5_quat first = rotation_of_file(actor, slot, i, from);
        const md5_quat last = rotation_of_file(actor, slot, i, to);
        sum += slot->shares[i];
        before =
            sum == slot->shares[i] ? first : md5_quat_slerp(before, first, slot->shares[i] / sum);
        now = sum == slot->shares[i] ? last : md5_quat_slerp(before, last, slot->shares[i] / sum);
    }
    return md5_quat_mul(now, md5_quat_conjugate(before));
}

static md5_vec3 root_move(const md5_entity_clip *clip, const md5_actor_slot *slot, int64_t from,
                          int64_t to)
{
    md5_vec3 move = {0.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < clip->num_files; i++) {
        const md5_anim *const anim = clip->anims[i];
        const md5_moment first = md5i_frames_at(anim, from, slot->is_cycling);
        const md5_moment last = md5i_frames_at(anim, to, slot->is_cycling);
        const md5_vec3 own = md5_vec3_sub(md5i_root_at(anim, &last), md5i_root_at(anim, &first));
        move = md5_vec3_add(move, md5_vec3_scale(own, slot->shares[i]));
    }
    return move;
}

static void add_slot(const md5_actor *actor, const md5_actor_slot *slot, root_sum *sum)
{
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    const float weight = md5i_slot_weight(slot, actor->time);
    if (!clip || slot->held > 0 || weight == 0.0f || (slot->end > 0 && actor->before > slot->end))
        return;
    const int64_t from = md5i_slot_time(actor, slot, actor->before);
    int64_t to = md5i_slot_time(actor, slot, actor->time);
    to += to < from ? clip->anim->milliseconds : 0;
    const md5_vec3 move = root_move(clip, slot, from, to);
    sum->weight += weight;
    sum->move = md5_vec3_lerp(sum->move, move, weight / sum->weight);
    if (!(clip->anim->flags & MD5_ANIM_TURN))
        return;
    sum->turn_weight += weight;
    sum->turn =
        md5_quat_slerp(sum->turn, root_turn(actor, slot, from, to), weight / sum->turn_weight);
}

md5_xform md5_actor_root_motion(const md5_actor *actor)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    const float *const *const masks = actor->entity->masks;
    root_sum sum = {.turn = {0.0f, 0.0f, 0.0f, 1.0f}};
    const bool moves =
        actor->time != actor->before && actor->entity->model->skeleton.num_joints > 0;
    for (int channel = 0; channel < MD5_NUM_CHANNELS && moves; channel++) {
        for (int i = 0; i < MD5_ACTOR_SLOTS && masks[channel][0] > 0.0f; i++)
            add_slot(actor, &actor->slots[channel][i], &sum);
    }
    return (md5_xform){.rotation = sum.turn, .translation = sum.move};
}

// -- Time -----------------------------------------------------------------------------------------

// The clock stops after more than 200000 years, so that sums of times stay exact.
#define LAST_TIME ((int64_t)1 << 53)

void md5_actor_advance(md5_actor *actor, uint32_t milliseconds, md5_frame_fn *on_frame, void *user)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    actor->before = actor->time;
    actor->time = actor->time < LAST_TIME ? actor->time + milliseconds : actor->time;
    md5i_actor_blink_now(actor);
    for (int channel = 0; channel < MD5_NUM_CHANNELS && on_frame; channel++) {
        const frame_listener listener = {on_frame, user, (md5_channel)channel};
        for (int i = 0; i < MD5_ACTOR_SLOTS; i++)
            fire_slot(actor, &actor->slots[channel][i], &listener);
    }
}
