#include "demo/viewer/draw/companion.h"

#include "demo/viewer/draw/lighting.h"

#include <string.h>

// `side`: 1 = to the left of the scene's model, -1 = to the right.
static md5_mat34 placed_beside(const view_document *document, const view_companion *companion,
                               float side)
{
    const view_scene *const scene = &document->scene;
    const md5_xform aside = {
        .rotation = {.w = 1.0f},
        .translation = {0.0f, side * view_companion_distance(companion, scene), 0.0f},
    };
    return md5_mat34_mul(md5_mat34_from_xform(aside), md5_mat34_from_xform(view_place_of(scene)));
}

// Companion `i`, or NULL if it is not shown.
static view_companion *shown_companion(const view_stage *stage, int i)
{
    view_companion *const companion = &stage->document->companions[i];
    return companion->model != NULL && !view_shows_crowd(stage->document) ? companion : NULL;
}

// Writes the companion's palette and returns its placement.
static md5_mat34 pose(view_companion *companion, const view_document *document)
{
    const md5_skeleton *const skeleton = &companion->model->skeleton;
    const view_scene *const scene = &document->scene;
    if (companion->machine != NULL) {
        // A guest's palette is in the world already.
        view_pose_machine(companion->machine, skeleton->num_joints, companion->pose,
                          companion->joints, companion->palette);
        return companion->joint >= 0 ? scene->joints[companion->joint]
                                     : md5_mat34_from_xform((md5_xform){.rotation = {.w = 1.0f}});
    }
    const bool is_compared = companion == &document->companions[VIEW_COMPARED];
    md5_mat34 place = placed_beside(document, companion, is_compared ? -1.0f : 1.0f);
    if (scene->turn.is_set)
        place = md5_mat34_mul(place, scene->turn.matrix);
    if (is_compared) {
        md5_build_palette(companion->model, document->compare.joints, companion->palette);
        return place;
    }
    if (companion->retarget != NULL) {
        md5_retarget_pose(companion->retarget, scene->pose, companion->scratch, companion->pose);
    } else {
        memcpy(companion->pose, companion->model->bind_local,
               skeleton->num_joints * sizeof *companion->pose);
        place = scene->joints[companion->joint];
    }
    md5_local_to_model(skeleton, companion->pose, companion->palette);
    md5_build_palette(companion->model, companion->palette, companion->palette);
    return place;
}

bool view_pose_companions(const view_stage *stage, md5_error *error)
{
    bool posed = true;
    for (int i = 0; i < VIEW_NUM_COMPANIONS && posed; i++) {
        view_companion *const companion = shown_companion(stage, i);
        if (companion == NULL)
            continue;
        companion->place = pose(companion, stage->document);
        view_set_materials(stage, companion->textures, companion->drawn);
        const md5gl_instances one = {
            .count = 1, .palettes = companion->palette, .placements = &companion->place};
        posed = md5gl_pose(stage->renderer, companion->drawn, &one, error);
    }
    return posed;
}

void view_shade_companions(const view_stage *stage)
{
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        if (shown_companion(stage, i) != NULL)
            md5gl_draw_shadows(stage->renderer, stage->document->companions[i].drawn);
}

void view_draw_companions(const view_stage *stage, uint32_t style)
{
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        if (shown_companion(stage, i) != NULL)
            md5gl_draw_model(stage->renderer, stage->document->companions[i].drawn, style);
}

bool view_layer_companions(const view_stage *stage, md5gl_stage_pass pass, md5_error *error)
{
    bool drawn = true;
    for (int i = 0; i < VIEW_NUM_COMPANIONS && drawn; i++) {
        const view_companion *const companion = shown_companion(stage, i);
        drawn = companion == NULL
                || view_draw_layers(stage, companion->textures, companion->drawn, pass, error);
    }
    return drawn;
}
