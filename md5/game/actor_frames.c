// From the engine's clock to frames. The engine counts in whole milliseconds and whole frames a
// second: a clip's duration is rounded up, so that a cycle may restart 1 ms late.
#include "md5/game/actor.h"

#include <math.h>

int64_t md5i_slot_time(const md5_actor *actor, const md5_actor_slot *slot, int64_t time)
{
    const md5_model_anim *const anim = actor->entity->clips[slot->clip].anim;
    const int64_t duration = anim->milliseconds;
    if (slot->held > 0)
        return (int64_t)(slot->held - 1) * 1000 / 24; // whatever the frame rate is
    const int64_t passed = (int64_t)((double)(time - slot->start) * (double)anim->rate);
    if (!slot->is_cycling)
        return passed < duration ? passed : duration;
    if (duration == 0)
        return 0;
    return passed % duration + (passed % duration < 0 ? duration : 0);
}

static int64_t whole_rate(const md5_anim *anim)
{
    const double rate = floor(anim->frame_rate);
    return rate < 1e6 ? (int64_t)rate : 1000000;
}

md5_moment md5i_frames_at(const md5_anim *anim, int64_t milliseconds, bool is_cycling)
{
    const int64_t intervals = (int64_t)anim->num_frames - 1;
    md5_moment moment = {.frame0 = 0};
    if (intervals == 0)
        return moment;
    const int64_t thousandths = milliseconds > 0 ? milliseconds * whole_rate(anim) : 0;
    const int64_t frame = thousandths / 1000;
    if (!is_cycling && frame >= intervals) {
        moment.frame0 = moment.frame1 = (uint32_t)intervals;
        return moment;
    }
    moment.frame0 = (uint32_t)(frame % intervals);
    moment.frame1 = moment.frame0 + 1;
    moment.fraction = (float)(thousandths % 1000) * 0.001f;
    moment.cycle = frame / intervals;
    return moment;
}

static md5_vec3 root_of_frame(const md5_anim *anim, uint32_t frame)
{
    const bool moves = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    const md5_vec3 stored = moves ? anim->translations[(size_t)frame * anim->num_translations]
                                  : anim->constant[0].translation;
    return md5_vec3_sub(stored, anim->base_frame[0].translation);
}

md5_vec3 md5i_root_at(const md5_anim *anim, const md5_moment *moment)
{
    const md5_vec3 cycle = root_of_frame(anim, anim->num_frames - 1);
    const md5_vec3 within = md5_vec3_lerp(root_of_frame(anim, moment->frame0),
                                          root_of_frame(anim, moment->frame1), moment->fraction);
    return md5_vec3_add(within, md5_vec3_scale(cycle, (float)moment->cycle));
}
