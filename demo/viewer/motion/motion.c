// What moves a scene: the choice among the kinds.
#include "demo/viewer/motion/motion.h"

#include <stdio.h>
#include <string.h>

// -- Choosing -------------------------------------------------------------------------------------

// The first one that moves a scene is taken, else the clip.
static const view_motion_kind *const kinds[] = {&view_machine_motion, &view_legs_motion,
                                                &view_entity_motion};

void view_choose_motion(view_scene *scene)
{
    const bool rests = view_is_bind_pose(scene);
    scene->mover = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && scene->mover == NULL; i++)
        scene->mover = kinds[i]->moves(scene) ? kinds[i] : NULL;
    view_show_bind_pose(scene, rests, NULL);
}

void view_show_bind_pose(view_scene *scene, bool on, view_play *play)
{
    const view_motion_kind *const mover = view_mover_of(scene);
    scene->motion = on ? &view_bind_motion : mover;
    if (!on && play != NULL && mover->resume != NULL)
        mover->resume(scene, play);
}

bool view_begin_walk(view_scene *scene)
{
    const bool has_legs = scene->model != NULL && view_find_legs(scene, &scene->legs) > 0;
    view_choose_motion(scene);
    return has_legs;
}

bool view_end_walk(view_scene *scene)
{
    const bool walked = scene->legs.num_legs > 0;
    scene->legs = (view_legs){.num_legs = 0};
    view_choose_motion(scene);
    return walked;
}

bool view_is_on_ground(const view_scene *scene)
{
    return scene->legs.num_legs > 0 || scene->terrain.num_feet > 0;
}

// -- Channels of an entity ------------------------------------------------------------------------

// The time bar shows the clip of the channel in focus.
static void take_focus(view_scene *scene, view_play *play)
{
    const int32_t playing = scene->entity.channels[scene->entity.focus].clip;
    for (size_t i = 0; i < scene->num_clips && playing >= 0; i++)
        if (scene->clips[i].in_entity == (uint32_t)playing + 1)
            scene->clip = i;
    play->time = scene->entity.time;
    play->range_first = play->range_last = 0;
    play->held_at_end = false;
}

bool view_play_in_channel(view_scene *scene, uint32_t channel, size_t clip, view_play *play)
{
    const bool is_one = clip < scene->num_clips && scene->clips[clip].in_entity > 0;
    const int32_t played = is_one ? (int32_t)scene->clips[clip].in_entity - 1 : -1;
    if (scene->entity.entity == NULL || channel >= MD5_NUM_CHANNELS || (!is_one && clip != SIZE_MAX)
        || !view_play_channel(&scene->entity, (md5_channel)channel, played))
        return false;
    scene->entity.is_played = true;
    view_choose_motion(scene);
    view_show_bind_pose(scene, false, NULL);
    take_focus(scene, play);
    return true;
}

bool view_focus_in_scene(view_scene *scene, uint32_t channel, view_play *play)
{
    if (scene->entity.entity == NULL || channel >= MD5_NUM_CHANNELS)
        return false;
    (void)view_focus_channel(&scene->entity, (md5_channel)channel);
    take_focus(scene, play);
    return true;
}

// -- Figures --------------------------------------------------------------------------------------

void view_describe_motion(const view_scene *scene, char *text, size_t size)
{
    const view_motion_kind *const motion = view_motion_of(scene);
    const view_clip *const clip = view_shown_clip(scene);
    text[0] = '\0';
    if (motion->describe != NULL)
        motion->describe(scene, text, size);
    else if (clip != NULL)
        (void)snprintf(text, size, "%s  \xE2\x80\xA2  %zu of %zu", clip->name, scene->clip + 1,
                       scene->num_clips);
    else if (scene->skeleton != NULL)
        (void)snprintf(text, size, "bind pose");
}
