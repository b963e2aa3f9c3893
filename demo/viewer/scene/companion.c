#include "demo/viewer/scene/companion.h"

#include "demo/common/memory.h"
#include "demo/viewer/app/view.h"
#include "demo/viewer/base/math.h"

#include <stdlib.h>
#include <string.h>

// How far beside the scene's model another body stands, as a share of the size of both.
static const float apart = 0.4f;

static void free_companion(view_state *viewer, view_companion *companion)
{
    if (companion->textures != NULL)
        view_free_textures(companion->textures, viewer->renderer);
    if (companion->drawn != NULL)
        md5gl_destroy_model(viewer->renderer, companion->drawn);
    md5_free_retarget(companion->retarget);
    free(companion->textures);
    free(companion->scratch);
    free(companion->pose);
    free(companion->palette);
    md5_free_model(companion->model);
    *companion = (view_companion){0};
}

static bool load(view_state *viewer, view_companion *companion, const char *path)
{
    md5_error error;
    *companion = (view_companion){.joint = -1};
    companion->model = md5_load_model(path, NULL, &error);
    if (companion->model == NULL)
        view_log_error(&viewer->log, &error);
    else
        companion->drawn = view_create_model(viewer, companion->model);
    if (companion->drawn == NULL) {
        free_companion(viewer, companion);
        return false;
    }
    const uint32_t num_joints = companion->model->skeleton.num_joints;
    companion->scratch = common_alloc(viewer->scene.num_joints, sizeof *companion->scratch);
    companion->pose = common_alloc(num_joints, sizeof *companion->pose);
    companion->palette = common_alloc(num_joints, sizeof *companion->palette);
    companion->textures = common_alloc(1, sizeof *companion->textures);
    if (view_load_textures(companion->textures, viewer->renderer, companion->model, path, NULL,
                           &viewer->log))
        return true;
    free_companion(viewer, companion);
    return false;
}

static bool load_other_body(view_state *viewer)
{
    md5_error error;
    view_companion *const body = &viewer->companions[0];
    if (!load(viewer, body, viewer->options->retarget))
        return false;
    body->retarget = md5_create_retarget(viewer->scene.model, body->model, NULL, 0, NULL, &error);
    if (body->retarget != NULL)
        return true;
    view_log_error(&viewer->log, &error);
    free_companion(viewer, body);
    return false;
}

static bool load_held_thing(view_state *viewer)
{
    const char *const equals = strchr(viewer->options->attach, '=');
    const size_t length = (size_t)(equals - viewer->options->attach);
    view_companion *const thing = &viewer->companions[1];
    if (!load(viewer, thing, equals + 1))
        return false;
    const md5_skeleton *const skeleton = viewer->scene.skeleton;
    for (uint32_t i = 0; i < skeleton->num_joints && thing->joint < 0; i++) {
        const char *const name = skeleton->joints[i].name;
        if (strlen(name) == length && strncmp(name, viewer->options->attach, length) == 0)
            thing->joint = (int32_t)i;
    }
    if (thing->joint >= 0)
        return true;
    view_error(&viewer->log, "--attach %s: the model has no joint of that name",
               viewer->options->attach);
    free_companion(viewer, thing);
    return false;
}

bool view_load_companions(view_state *viewer)
{
    if (viewer->renderer == NULL || viewer->scene.model == NULL)
        return true;
    return (viewer->options->retarget == NULL || load_other_body(viewer))
           && (viewer->options->attach == NULL || load_held_thing(viewer));
}

void view_free_companions(view_state *viewer)
{
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        free_companion(viewer, &viewer->companions[i]);
}

float view_companion_distance(const view_state *viewer)
{
    const md5_model *const model = viewer->scene.model, *const other = viewer->companions[0].model;
    if (model == NULL || other == NULL)
        return 0.0f;
    return apart * (view_size(model->bounds) + view_size(other->bounds));
}

static md5_mat34 placed_beside(const view_state *viewer)
{
    const md5_transform aside = {
        .rotation = {.w = 1.0f},
        .translation = {0.0f, view_companion_distance(viewer), 0.0f},
    };
    const md5_mat34 beside = md5_mat34_from_transform(aside);
    if (viewer->scene.machine.player == NULL)
        return beside;
    // Beside the place where the scene's model has gone, not beside itself.
    const md5_mat34 place = md5_mat34_from_transform(viewer->scene.machine.place);
    return md5_mat34_mul(beside, place);
}

static bool is_shown(const view_state *viewer, const view_companion *companion)
{
    return companion->model != NULL && viewer->crowd.count == 0;
}

bool view_pose_companions(view_state *viewer, md5_error *error)
{
    bool posed = true;
    for (int i = 0; i < VIEW_NUM_COMPANIONS && posed; i++) {
        view_companion *const companion = &viewer->companions[i];
        if (!is_shown(viewer, companion))
            continue;
        const md5_skeleton *const skeleton = &companion->model->skeleton;
        md5_mat34 place;
        if (companion->retarget != NULL) {
            md5_retarget_pose(companion->retarget, viewer->scene.pose, companion->scratch,
                              companion->pose);
            place = placed_beside(viewer);
        } else {
            memcpy(companion->pose, companion->model->bind_local,
                   skeleton->num_joints * sizeof *companion->pose);
            place = viewer->scene.joints[companion->joint];
        }
        md5_local_to_model(skeleton, companion->pose, companion->palette);
        md5_build_palette(companion->model, companion->palette, companion->palette);
        view_set_materials(viewer, companion->textures, companion->drawn);
        posed = md5gl_pose_models(viewer->renderer, companion->drawn, companion->palette, &place, 1,
                                  error);
    }
    return posed;
}

void view_shade_companions(view_state *viewer)
{
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        if (is_shown(viewer, &viewer->companions[i]))
            md5gl_draw_shadows(viewer->renderer, viewer->companions[i].drawn);
}

void view_draw_companions(view_state *viewer, uint32_t style)
{
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        if (is_shown(viewer, &viewer->companions[i]))
            md5gl_draw_posed(viewer->renderer, viewer->companions[i].drawn, style);
}
