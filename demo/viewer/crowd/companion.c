#include "demo/viewer/crowd/companion.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/assets/layers.h"

#include <stdlib.h>
#include <string.h>

// Distance of the retargeted model, relative to the sum of both models' sizes.
static const float relative_distance = 0.4f;

static void free_companion(view_companion *companion, md5gl_renderer *renderer)
{
    if (companion->textures != NULL)
        view_free_textures(companion->textures, renderer);
    if (companion->drawn != NULL)
        md5gl_destroy_model(renderer, companion->drawn);
    md5_destroy_retarget(companion->retarget);
    free(companion->textures);
    free(companion->scratch);
    free(companion->pose);
    free(companion->palette);
    free(companion->joints);
    if (companion->machine != NULL)
        view_free_machine(companion->machine);
    free(companion->machine);
    md5_free_model(companion->own_model);
    *companion = (view_companion){0};
}

// Uploads companion->model with the textures of the file `path`, or of a scene of the same model.
static bool upload(view_companion *companion, const view_loader *loader, const char *path,
                   const view_scene *same)
{
    const uint32_t num_joints = companion->model->skeleton.num_joints;
    companion->pose = common_alloc(num_joints, sizeof *companion->pose);
    companion->palette = common_alloc(num_joints, sizeof *companion->palette);
    companion->textures = common_alloc(1, sizeof *companion->textures);
    return same != NULL
               ? view_upload_scene(loader, same, false, &companion->drawn, companion->textures)
               : view_upload(loader, &(view_dressing){.model = companion->model, .path = path},
                             &companion->drawn, companion->textures);
}

static bool load(view_companion *companion, const view_scene *scene, const view_loader *loader,
                 const char *path)
{
    md5_error error = {0};
    *companion = (view_companion){.joint = -1};
    companion->model = companion->own_model = md5_load_model(path, NULL, &error);
    if (companion->model == NULL)
        return view_log_error(loader->log, &error);
    companion->scratch = common_alloc(scene->num_joints, sizeof *companion->scratch);
    return upload(companion, loader, path, NULL);
}

// Index of the joint of that name, or -1.
static int32_t find_joint(const view_scene *scene, const char *name, size_t length)
{
    const md5_skeleton *const skeleton = scene->skeleton;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const char *const joint = skeleton->joints[i].name;
        if (strlen(joint) == length && strncmp(joint, name, length) == 0)
            return (int32_t)i;
    }
    return -1;
}

bool view_load_companions(view_companion companions[VIEW_NUM_COMPANIONS], const view_scene *scene,
                          const view_loader *loader)
{
    view_companion *const body = &companions[0], *const thing = &companions[1];
    const char *const retarget = loader->options->retarget, *const attach = loader->options->attach;
    md5_error error = {0};
    if (loader->renderer == NULL || scene->model == NULL)
        return true;
    if (retarget != NULL) {
        if (!load(body, scene, loader, retarget))
            return false;
        body->retarget = md5_create_retarget(scene->model, body->model, NULL, 0, NULL, &error);
        if (body->retarget == NULL)
            return view_log_error(loader->log, &error);
    }
    if (attach != NULL) {
        const char *const equals = strchr(attach, '=');
        if (!load(thing, scene, loader, equals + 1))
            return false;
        thing->joint = find_joint(scene, attach, (size_t)(equals - attach));
        if (thing->joint < 0)
            return view_error(loader->log, "--attach %s: the model has no joint of that name",
                              attach);
    }
    return true;
}

// Loads a machine with its model and textures.
static bool load_machine(view_companion *companion, const char *path, const view_loader *loader)
{
    view_machine *const machine = common_alloc(1, sizeof *machine);
    *companion = (view_companion){.joint = -1, .machine = machine};
    if (!view_load_machine(machine, path, NULL, loader->log))
        return false;
    companion->model = machine->character->model;
    companion->joints =
        common_alloc(companion->model->skeleton.num_joints, sizeof *companion->joints);
    return upload(companion, loader, machine->character->model_path, NULL);
}

bool view_load_guest(view_companion *guest, view_scene *scene, const view_loader *loader)
{
    const char *const path = loader->options->guest;
    if (path == NULL || loader->renderer == NULL || scene->model == NULL)
        return true;
    if (view_machine_of(scene) == NULL)
        return view_error(loader->log, "--guest: there is no state machine that %s could visit",
                          path);
    if (!load_machine(guest, path, loader))
        return false;
    const float reach = view_size(scene->model->bounds);
    guest->machine->start = (md5_xform){
        .rotation = {.z = 0.70710678f, .w = 0.70710678f},
        .translation = {0.3f * reach, -3.79f * reach, 0.0f},
    };
    guest->machine->place = guest->machine->start;
    guest->machine->host = &scene->machine;
    scene->machine.guest = guest->machine;
    return true;
}

bool view_load_carried(view_companion *carried, view_scene *scene, const view_loader *loader)
{
    if (loader->renderer == NULL || scene->model == NULL || view_machine_of(scene) == NULL)
        return true;
    char *const beside = common_folder(scene->machine.character->model_path);
    char *const folder = common_join(beside, "attached");
    common_list files = common_list_folder(folder, ".md5machine");
    bool is_loaded = true;
    for (size_t i = 0; i < files.count && scene->machine.carried == NULL && is_loaded; i++) {
        char *const name = common_stem(files.names[i]);
        const int32_t joint = find_joint(scene, name, strlen(name));
        free(name);
        if (joint < 0)
            continue;
        is_loaded = load_machine(carried, files.names[i], loader);
        if (is_loaded) {
            carried->joint = joint;
            scene->machine.carried = carried->machine;
        }
    }
    common_free_list(&files);
    free(folder);
    free(beside);
    return is_loaded;
}

bool view_load_compared(view_companion *compared, const view_compare *compare,
                        const view_scene *scene, const char *path, const view_loader *loader)
{
    *compared = (view_companion){.model = compare->model, .joint = -1};
    const bool is_same = compare->model == scene->model;
    return upload(compared, loader, is_same ? scene->path : path, is_same ? scene : NULL);
}

void view_free_companions(view_companion companions[VIEW_NUM_COMPANIONS], md5gl_renderer *renderer)
{
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        free_companion(&companions[i], renderer);
}

float view_companion_distance(const view_companion *companion, const view_scene *scene)
{
    const md5_model *const model = scene->model, *const other = companion->model;
    if (model == NULL || other == NULL)
        return 0.0f;
    return relative_distance * (view_size(model->bounds) + view_size(other->bounds));
}
