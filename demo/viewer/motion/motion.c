// Selects the kind of motion that moves a scene.
#include "demo/viewer/motion/motion.h"

// -- Selection -----------------------------------------------------------------------------------

// The first of these kinds that can move the scene is selected. If none can, the kind of the clip
// is selected.
static const view_motion_kind *const kinds[] = {&view_machine_motion, &view_legs_motion,
                                                &view_entity_motion};

// Selects the first kind of the table that can move the scene. scene->mover remains NULL if only
// clips can.
void view_select_motion(view_scene *scene)
{
    const bool shows_bind_pose = view_is_bind_pose(scene);
    scene->mover = NULL;
    for (size_t i = 0; i < COMMON_LENGTH(kinds) && scene->mover == NULL; i++) {
        if (kinds[i]->moves(scene))
            scene->mover = kinds[i];
    }
    view_show_bind_pose(scene, shows_bind_pose, NULL);
}

void view_show_bind_pose(view_scene *scene, bool on, view_play *play)
{
    const view_motion_kind *const mover = view_get_mover(scene);
    scene->motion = on ? &view_bind_motion : mover;
    if (!on && play != NULL && mover->resume != NULL)
        mover->resume(scene, play);
}

bool view_begin_walk(view_scene *scene)
{
    const bool has_legs = scene->model != NULL && view_find_legs(scene, &scene->legs) > 0;
    view_select_motion(scene);
    return has_legs;
}

bool view_end_walk(view_scene *scene)
{
    const bool walked = scene->legs.num_legs > 0;
    scene->legs = (view_legs){.num_legs = 0};
    view_select_motion(scene);
    return walked;
}

bool view_is_on_ground(const view_scene *scene)
{
    return scene->legs.num_legs > 0 || scene->terrain.kind != VIEW_LEVEL;
}

// -- Description ---------------------------------------------------------------------------------

// Writes a description of the shown motion for the statistics to text[size]. Uses the
// description of the kind of motion, if it has one; otherwise the name of the shown clip and its
// position in the list.
void view_describe_motion(const view_scene *scene, char *text, size_t size)
{
    const view_motion_kind *const motion = view_get_motion(scene);
    const view_clip *const clip = view_shown_clip(scene);
    text[0] = '\0';
    if (motion->describe != NULL)
        motion->describe(scene, text, size);
    else if (clip != NULL)
        snprintf(text, size, "%s  \xE2\x80\xA2  %zu of %zu", clip->name, scene->clip + 1,
                 scene->num_clips);
    else if (scene->skeleton != NULL)
        snprintf(text, size, "bind pose");
}
