#include "demo/viewer/app/open.h"

#include "demo/common/file.h"
#include "demo/viewer/app/places.h"
#include "demo/viewer/app/remember.h"
#include "demo/viewer/app/stamp.h"
#include "demo/viewer/app/tell.h"
#include "demo/viewer/assets/file_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// The folder of our own models: from the build, or relative to the program.
#ifndef MD5VIEW_MODELS
#define MD5VIEW_MODELS "models"
#endif

void view_close(view_state *viewer)
{
    view_free_pages(&viewer->pages, viewer->renderer);
    view_free_document(viewer->document, viewer->renderer);
    viewer->document = NULL;
}

// -- Own model ------------------------------------------------------------------------------

// The first machine in a folder of `models`, or NULL.
static char *first_machine(const char *models)
{
    char *found = NULL;
    common_list folders = common_list_folder(models, NULL);
    for (size_t i = 0; i < folders.count && found == NULL; i++) {
        common_list files = common_list_folder(folders.names[i], ".md5machine");
        if (files.count > 0)
            found = common_copy(files.names[0]);
        common_free_list(&files);
    }
    common_free_list(&folders);
    return found;
}

// Beside the program, built or installed, or in the folder that the build defines.
static char *find_own_model(void)
{
    char *found = NULL;
    char *const base = SDL_GetBasePath(); // folder of the program, with a slash
    static const char *const places[] = {"models", "../models", "../../models",
                                         "../share/md5model/models"};
    for (size_t i = 0; i < 4 && base != NULL && found == NULL; i++) {
        char *models = common_join(base, places[i]);
        found = first_machine(models);
        free(models);
    }
    SDL_free(base);
    return found != NULL ? found : first_machine(MD5VIEW_MODELS);
}

typedef struct own_files {
    char *paths[3];
    size_t count;
} own_files;

// The files to show if none is named; in a crowd, several models.
static bool find_own_files(view_state *viewer, own_files *own)
{
    static const char *const company[] = {"../spindle/spindle.md5mesh",
                                          "../thimble/thimble.md5mesh"};
    own->paths[0] = find_own_model();
    if (own->paths[0] == NULL) {
        view_error(&viewer->log, "no file given, and no example model in %s", MD5VIEW_MODELS);
        return false;
    }
    own->count = 1;
    char *const folder = common_folder(own->paths[0]);
    for (size_t i = 0; i < 2 && viewer->options->crowd > 2; i++) {
        char *const path = common_join(folder, company[i]);
        if (common_is_file(path))
            own->paths[own->count++] = path;
        else
            free(path);
    }
    free(folder);
    return true;
}

char *view_own_model(const char *name)
{
    char *const machine = find_own_model();
    if (machine == NULL)
        return NULL;
    char *const folder = common_folder(machine);
    char *const models = common_folder(folder);
    char *const path = common_join(models, name);
    free(machine);
    free(folder);
    free(models);
    return path;
}

// -- Framing --------------------------------------------------------------------------------

void view_measure(view_state *viewer)
{
    view_measure_document(viewer->document, NULL);
    view_pose(&viewer->document->scene, &viewer->play);
}

void view_change_clip(view_state *viewer, size_t clip)
{
    view_choose_clip(&viewer->document->scene, clip);
    viewer->play.time = 0.0;
    viewer->play.range_first = viewer->play.range_last = 0;
    viewer->play.held_at_end = false;
    view_measure(viewer);
}

// -- Opening --------------------------------------------------------------------------------

// Replaces the document when the new one is complete.
static bool open_files(view_state *viewer, const char *const *files, size_t num_files, bool pick_up,
                       bool as_asked)
{
    const view_loader loader = {viewer->options, viewer->renderer, &viewer->log, viewer->chosen};
    const view_manner manner = {viewer->document->scene.root, viewer->document->scene.dual,
                                viewer->document->scene.turn, viewer->library};
    const view_log before = viewer->log;
    view_log_clear(&viewer->log);
    view_document *const opened =
        view_load_document(&loader, files, num_files, pick_up, as_asked, manner);
    if (opened == NULL) {
        view_log_restore(&viewer->log, &before);
        return false;
    }
    view_close(viewer);
    viewer->document = opened;
    viewer->ui.hierarchy_scroll = 0.0f;
    viewer->ui.hovered_joint = viewer->ui.chosen_joint = -1;
    viewer->hidden_meshes = 0;
    viewer->pick = viewer->measured = (view_pick){.is_set = false};
    view_note_files(viewer);
    return true;
}

// The meshes of a name, a shader or a number, a bit for each of the first 64.
static uint64_t find_meshes(const md5_model *model, const char *name)
{
    uint64_t found = 0;
    for (uint32_t i = 0; model != NULL && i < model->num_meshes && i < 64; i++) {
        char number[16];
        (void)snprintf(number, sizeof number, "%u", (unsigned)i);
        if (strcmp(name, model->meshes[i].name) == 0 || strcmp(name, model->meshes[i].shader) == 0
            || strcmp(name, number) == 0)
            found |= (uint64_t)1 << i;
    }
    return found;
}

// --hide
static bool hide_asked(view_state *viewer)
{
    const view_options *const options = viewer->options;
    for (size_t i = 0; i < options->num_hidden; i++) {
        const md5_model *const model = viewer->document->scene.model;
        const uint64_t found = find_meshes(model, options->hidden[i]);
        viewer->hidden_meshes |= found;
        if (found != 0)
            continue;
        view_error(&viewer->log, "--hide %s: no such mesh; the model has %u", options->hidden[i],
                   model != NULL ? (unsigned)model->num_meshes : 0);
        return false;
    }
    if (options->num_hidden > 0)
        view_show_meshes(viewer->document, viewer->hidden_meshes);
    return true;
}

bool view_open(view_state *viewer, const char *const *files, size_t num_files, bool as_asked)
{
    const bool is_own = num_files == 0;
    own_files own = {.count = 0};
    if (is_own && !find_own_files(viewer, &own))
        return false;
    const bool opened =
        open_files(viewer, is_own ? (const char *const *)own.paths : files,
                   is_own ? own.count : num_files, !viewer->options->no_auto, as_asked);
    for (size_t i = 0; i < own.count; i++)
        free(own.paths[i]);
    if (!opened || (as_asked && !hide_asked(viewer)))
        return false;
    if (view_remembers_model(viewer))
        view_note_model(viewer->config, is_own ? NULL : viewer->document->scene.path);
    if (viewer->config != NULL && !is_own)
        view_note_recent(viewer->config, viewer->document->scene.path);
    viewer->play.time = 0.0;
    viewer->play.held_at_end = false;
    viewer->document->scene.machine.acts = is_own && viewer->options->num_settings == 0;
    view_measure(viewer);
    view_frame_anew(viewer);
    view_debug(&viewer->log, "opened: %s, %zu clips, %u joints, %u vertices",
               viewer->document->scene.path, viewer->document->scene.num_clips,
               (unsigned)viewer->document->scene.num_joints,
               (unsigned)view_count_vertices(&viewer->document->scene));
    return true;
}

bool view_choose_environment(view_state *viewer)
{
    const char *const path = viewer->options->environment;
    return path == NULL || viewer->renderer == NULL
           || view_load_environment(&viewer->environment, viewer->renderer, path, &viewer->log);
}

bool view_reload(view_state *viewer)
{
    // The names must outlive their scene.
    const size_t num_clips =
        viewer->document->scene.picked_up ? 0 : viewer->document->scene.num_clips;
    const bool model = viewer->document->scene.model != NULL;
    const size_t shown = viewer->document->scene.clip;
    const bool is_bind_pose = view_is_bind_pose(&viewer->document->scene);
    const int32_t joint = viewer->ui.chosen_joint;
    const uint64_t hidden = viewer->hidden_meshes;
    const bool acts = viewer->document->scene.machine.acts;
    char *const texture = viewer->document->textures.dropped != NULL
                              ? common_copy(viewer->document->textures.dropped)
                              : NULL;
    const view_crowd *const crowd = &viewer->document->crowd;
    char **files = common_alloc(num_clips + 2 + crowd->num_files, sizeof *files);
    size_t count = 0;
    if (model)
        files[count++] = common_copy(viewer->document->scene.path);
    for (size_t i = 0; i < num_clips; i++)
        files[count++] = common_copy(viewer->document->scene.clips[i].path);
    if (viewer->document->scene.camera_path.camera != NULL)
        files[count++] = common_copy(viewer->document->scene.camera_path.path);
    for (size_t i = 0; i < crowd->num_files; i++)
        files[count++] = common_copy(crowd->files[i]);

    const bool opened = open_files(viewer, (const char *const *)files, count,
                                   viewer->document->scene.picked_up, viewer->document->as_asked);
    if (opened && shown < viewer->document->scene.num_clips)
        view_choose_clip(&viewer->document->scene, shown);
    if (opened) {
        view_show_bind_pose(&viewer->document->scene, is_bind_pose && model, NULL);
        viewer->ui.chosen_joint = joint;
        viewer->hidden_meshes = hidden;
        viewer->document->scene.machine.acts = acts;
        if (texture != NULL)
            (void)view_use_texture(&viewer->document->textures, viewer->renderer, texture,
                                   &viewer->log);
        view_note_files(viewer);
        view_show_meshes(viewer->document, viewer->hidden_meshes);
        view_measure(viewer);
    }
    for (size_t i = 0; i < count; i++)
        free(files[i]);
    free(files);
    free(texture);
    return opened;
}

void view_open_neighbour(view_state *viewer, int step)
{
    const view_scene *const scene = &viewer->document->scene;
    const char *const own = view_mover_of(scene)->ending;
    const char *const ending = own != NULL            ? own
                               : scene->model != NULL ? ".md5mesh"
                               : scene->num_clips > 0 ? ".md5anim"
                                                      : ".md5camera";
    char *folder = common_folder(viewer->document->scene.path);
    common_list list = common_list_folder(folder, ending);
    char *clean = common_join(folder, common_base(viewer->document->scene.path));
    size_t place = 0;
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.names[i], clean) == 0)
            place = i;
    if (list.count < 2) {
        view_notice(viewer, "No other %s in this folder", ending);
    } else {
        place = (place + list.count + (step > 0 ? 1 : list.count - 1)) % list.count;
        const char *const file = list.names[place];
        if (!view_open(viewer, &file, 1, false))
            view_notice(viewer, "%s cannot be opened", common_base(file));
    }
    free(clean);
    common_free_list(&list);
    free(folder);
}

// A camera path that was opened alone is kept with the new model.
static bool open_dropped(view_state *viewer, const char *path)
{
    const view_scene *const scene = &viewer->document->scene;
    const bool waiting = scene->camera_path.camera != NULL && scene->skeleton == NULL
                         && !common_has_ending(path, ".md5camera");
    char *camera_path = waiting ? common_copy(scene->camera_path.path) : NULL;
    const char *const files[2] = {path, camera_path};
    const bool opened = view_open(viewer, files, waiting ? 2 : 1, false);
    free(camera_path);
    return opened;
}

// On what uses no clips, a machine: its model is shown with the clip instead.
static bool drop_clip(view_state *viewer, const char *path)
{
    bool done;
    if (view_mover_of(&viewer->document->scene)->clip_use == VIEW_CLIP_UNUSED) {
        // A copy: the character is freed with the replaced document.
        char *model = common_copy(viewer->document->scene.machine.character->model_path);
        const char *const files[2] = {model, path};
        done = view_open(viewer, files, 2, false);
        free(model);
    } else {
        done = view_add_clip(&viewer->document->scene, path, &viewer->log);
        if (done)
            view_change_clip(viewer, viewer->document->scene.clip);
    }
    viewer->play.playing = viewer->play.playing || done;
    return done;
}

void view_drop(view_state *viewer, const char *path)
{
    bool done = false;
    const char *what = "opened";
    viewer->log.error[0] = '\0';
    char *const script = common_join(path, "md5.cfg");
    const bool is_model = common_is_file(script);
    free(script);
    if ((common_is_folder(path) && !is_model) || view_is_archive(path)) {
        view_browse_place(viewer, path);
        return;
    }
    if (common_has_ending(path, ".hdr")) {
        what = "environment";
        done = view_load_environment(&viewer->environment, viewer->renderer, path, &viewer->log);
        viewer->shown.environment = viewer->shown.environment || done;
    } else if (view_is_image(path) && viewer->document->scene.model != NULL) {
        what = "texture";
        done = view_use_texture(&viewer->document->textures, viewer->renderer, path, &viewer->log);
    } else if (common_has_ending(path, ".md5anim") && view_shows_crowd(viewer->document)) {
        view_notice(viewer, "Clips cannot be added to a crowd: drop a model");
        return;
    } else if (common_has_ending(path, ".md5anim") && viewer->document->scene.model != NULL) {
        what = "animation";
        done = drop_clip(viewer, path);
    } else if (common_has_ending(path, ".md5camera") && viewer->document->scene.skeleton != NULL) {
        what = "camera path";
        done = view_load_camera_path(&viewer->document->scene, path, &viewer->log);
        viewer->following = viewer->following || done;
        if (done) {
            viewer->play.time = 0.0;
            viewer->play.playing = true;
        }
    } else {
        done = open_dropped(viewer, path);
    }
    if (done)
        view_notice(viewer, "%s: %s", what, common_base(path));
    else
        view_notice(viewer, "%s does not fit", common_base(path));
    view_note_files(viewer);
}

void view_give_texture(view_state *viewer, uint32_t mesh, const char *path)
{
    view_textures *const old = &viewer->document->textures;
    free(old->dropped); // it would cover the chosen one
    old->dropped = NULL;
    view_choose_texture(viewer->chosen, viewer->document->scene.path, mesh, path);
    if (!view_reload(viewer)) {
        view_notice(viewer, "the model cannot be read again");
        return;
    }
    if (path == NULL) {
        view_notice(viewer, "texture of mesh %u: as found", (unsigned)mesh);
    } else if (view_mesh_look(&viewer->document->textures, mesh)->is_chosen) {
        view_notice(viewer, "texture of mesh %u: %s", (unsigned)mesh, common_base(path));
    } else {
        view_choose_texture(viewer->chosen, viewer->document->scene.path, mesh, NULL);
        view_notice(viewer, "mesh %u keeps its texture: %s cannot be read, or --texture is given",
                    (unsigned)mesh, common_base(path));
    }
}
