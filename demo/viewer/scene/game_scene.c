#include "demo/viewer/scene/game_scene.h"

#include "demo/common/file.h"
#include "demo/viewer/scene/entity_play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARNINGS_A_FILE = 20 };

// How files of the scene's library are loaded.
static md5_load_opts opts_of(const view_scene *scene, view_log *log)
{
    return (md5_load_opts){.files = md5_game_files(scene->library->game),
                           .warn = view_log_warning,
                           .warn_user = log,
                           .max_warnings = WARNINGS_A_FILE};
}

// -- Clips ----------------------------------------------------------------------------------

static bool load_clip(view_scene *scene, const char *name, view_log *log)
{
    md5_error error;
    md5_load_opts opts = opts_of(scene, log);
    view_clip clip = {.name = common_stem(name)};
    clip.path = view_make_address(scene->library->place, name, NULL);
    clip.anim = md5_load_anim(name, &opts, &error);
    opts.file_name = name;
    if (clip.anim != NULL)
        clip.binding = view_bind_clip(scene, clip.anim, &opts, &error);
    if (clip.binding != NULL) {
        view_append_clip(scene, clip);
        return true;
    }
    view_log_error(log, &error);
    md5_free_anim(clip.anim);
    free(clip.path);
    free(clip.name);
    return false;
}

bool view_add_game_clip(view_scene *scene, const char *name, view_log *log)
{
    if (!load_clip(scene, name, log))
        return false;
    view_choose_clip(scene, scene->num_clips - 1);
    return true;
}

// The clips of an entity, which stay its own.
static void take_clips(view_scene *scene, view_log *log)
{
    const md5_entity *const entity = scene->entity.entity;
    scene->entity.paced = common_alloc(entity->num_clips, sizeof *scene->entity.paced);
    for (uint32_t i = 0; i < entity->num_clips; i++) {
        md5_error error;
        const md5_entity_clip *const from = &entity->clips[i];
        if (from->num_files == 0)
            continue;
        view_clip clip = {.name = common_copy(from->anim->name), .in_entity = i + 1};
        clip.path = view_make_address(scene->library->place, from->anim->files[0], NULL);
        clip.anim = &scene->entity.paced[i];
        *clip.anim = *from->anims[0];
        clip.anim->frame_rate *= (double)from->anim->rate;
        clip.anim->duration /= (double)from->anim->rate;
        clip.binding = md5_bind(scene->model, clip.anim, NULL, &error);
        if (clip.binding != NULL) {
            view_append_clip(scene, clip);
            continue;
        }
        view_log_error(log, &error);
        free(clip.path);
        free(clip.name);
    }
}

// -- Models ---------------------------------------------------------------------------------

static void report_missing(const view_library *library, const char *name, const md5_error *error,
                           view_log *log)
{
    char similar[256];
    view_list_similar(library, name, similar, sizeof similar);
    view_error(log, "%s: %s%s%s", library->place, error->message,
               similar[0] != '\0' ? "; similar: " : "", similar);
}

static bool load_entity(view_scene *scene, const view_address *address, view_log *log)
{
    md5_error error;
    view_library *const library = scene->library;
    library->log = log;
    md5_entity *const entity = md5_load_entity(library->game, address->name, NULL, &error);
    library->log = NULL;
    if (entity == NULL && error.line > 0)
        view_log_error(log, &error);
    else if (entity == NULL)
        report_missing(library, address->name, &error, log);
    if (entity == NULL)
        return false;
    view_take_entity(&scene->entity, entity, address->skin);
    scene->model = scene->own_model =
        view_join_entity(&scene->entity, library->game, address->name, &error);
    if (scene->model == NULL) {
        view_log_error(log, &error);
        return false;
    }
    view_make_pose(scene, &scene->model->skeleton);
    take_clips(scene, log);
    if (view_start_actors(&scene->entity, &error))
        return true;
    view_log_error(log, &error);
    return false;
}

static bool load_named(view_scene *scene, const view_address *address, view_log *log)
{
    if (!common_has_ending(address->name, ".md5anim"))
        return load_entity(scene, address, log);
    return load_clip(scene, address->name, log);
}

// A clip with motion, an idle one first.
static size_t first_clip(const view_scene *scene)
{
    size_t best = 0;
    int most = -1;
    for (size_t i = 0; i < scene->num_clips; i++) {
        const view_clip *const clip = &scene->clips[i];
        const int merit =
            2 * (clip->anim->num_frames > 1) + (common_contains(clip->name, "idle") ? 1 : 0);
        if (merit > most) {
            best = i;
            most = merit;
        }
    }
    return best;
}

bool view_load_game_scene(view_scene *scene, view_library *library, const char *address,
                          view_log *log)
{
    md5_error error;
    view_address parts;
    *scene = (view_scene){0};
    if (!view_read_address(address, &parts)) {
        view_error(log, "%s: no name in a game, as in FOLDER::NAME", address);
        return false;
    }
    const bool is_open = library != NULL && strcmp(library->place, parts.place) == 0;
    scene->library =
        is_open ? view_share_library(library) : view_open_library(parts.place, NULL, NULL, &error);
    if (scene->library == NULL)
        view_log_error(log, &error);
    scene->path = common_copy(address);
    scene->name = common_has_ending(parts.name, ".md5mesh") ? common_stem(parts.name)
                                                            : common_copy(common_base(parts.name));
    const bool is_loaded = scene->library != NULL && load_named(scene, &parts, log);
    view_free_address(&parts);
    if (!is_loaded) {
        view_free_scene(scene);
        return false;
    }
    scene->picked_up = scene->entity.entity != NULL;
    if (scene->num_clips > 0)
        view_choose_clip(scene, first_clip(scene));
    return true;
}
