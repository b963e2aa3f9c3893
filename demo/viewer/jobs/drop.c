// Uses files that the user has dropped on the window or selected. A file is added to the shown
// document if it fits, such as a clip, an image or a camera path. Otherwise it is opened as a
// document.
#include "demo/viewer/jobs/view.h"

void view_list_uses(view_state *viewer, char *path)
{
    const md5_load_opts opts = {.skip_geometry = MD5_GEOMETRY_ALL};
    md5_model *const model = md5_load_model(path, &opts, NULL);
    if (model != NULL)
        view_list_folder_with(viewer, &(common_list){&path, 1},
                              (view_list_purpose){.is_dropped = true});
    else
        view_drop(viewer, path);
    md5_free_model(model);
}

bool view_open_clip(view_state *viewer, const char *path, bool is_first)
{
    common_list models = view_list_models_for_clip(path);
    const bool has_one_model = models.count == 1;
    const char *const files[2] = {has_one_model ? models.names[0] : path, path};
    const size_t num_files = has_one_model ? 2 : 1;
    const bool is_open = is_first ? view_open(viewer, files, num_files, true)
                                  : view_open_document(viewer, files, num_files);
    if (is_open && models.count > 1)
        view_list_folder_with(viewer, &models,
                              (view_list_purpose){.accepted_kinds = 1u << VIEW_ENTRY_MODEL});
    common_free_list(&models);
    return is_open;
}

void view_map_joints(view_state *viewer, const char *path)
{
    const char *const line_break = strchr(path, '\n');
    const char *const clip = line_break != NULL ? line_break + 1 : path;
    char *const target = common_copy(viewer->document->scene.path);
    viewer->log.error[0] = '\0';

    common_list models = {0};
    if (line_break != NULL)
        common_add(&models, common_format("%.*s", (int)(line_break - path), path));
    else
        models = view_list_models_for_clip(clip);

    if (models.count == 1) {
        const char *const files[] = {models.names[0], clip};
        if (view_open_document(viewer, files, 2)) {
            view_set_option(viewer, VIEW_OPTION(retarget), common_text_value(target));
            view_show_retarget(&viewer->ui, &viewer->panels.retarget);
        }
    } else {
        // The last file determines the folder if no model fits. The selected model replaces \1.
        const view_list_purpose purpose = {
            .accepted_kinds = 1u << VIEW_ENTRY_MODEL,
            .answer = {.action = VIEW_MAP_JOINTS},
            .form = common_format("\1\n%s", clip),
        };
        common_add(&models, common_copy(clip));
        view_list_folder_with(viewer, &models, purpose);
    }
    common_free_list(&models);
    free(target);
}

// Assigns a dropped image to the only mesh. If the model has several meshes, the user selects one.
static void drop_image(view_state *viewer, const char *path)
{
    view_clear_start(&viewer->ui, &viewer->panels.start);
    if (viewer->document->scene.model->num_meshes == 1) {
        view_assign_texture(viewer, 0, view_guess_map(path), path);
        return;
    }
    view_open_textures(viewer, view_selected_texture_mesh(viewer));
    free(viewer->panels.textures.offered);
    viewer->panels.textures.offered = common_copy(path);
}

// Adds a dropped clip to the open model. A machine cannot play it: its model is opened with the
// clip instead.
static bool drop_clip(view_state *viewer, const char *path)
{
    view_scene *const scene = &viewer->document->scene;
    bool is_open;
    if (view_get_mover(scene)->clip_use == VIEW_CLIP_UNUSED) {
        // Copy the path, because the character is freed with the replaced document.
        char *const model = common_copy(scene->machine.character->model_path);
        const char *const files[2] = {model, path};
        is_open = view_open_document(viewer, files, 2);
        free(model);
    } else {
        is_open = view_add_clip(scene, path, &viewer->log);
        if (is_open)
            view_show_added_clip(viewer);
    }
    viewer->play.playing = viewer->play.playing || is_open;
    return is_open;
}

// Adds a dropped camera path to the open document, and follows it.
static bool drop_camera_path(view_state *viewer, const char *path)
{
    if (!view_load_camera_path(&viewer->document->scene, path, &viewer->log))
        return false;
    viewer->cameras.follows_path = true;
    viewer->play.time = 0;
    viewer->play.playing = true;
    return true;
}

// Opens a dropped document. A camera path that was opened without a model is kept with a model.
static bool drop_document(view_state *viewer, const char *path)
{
    const view_scene *const scene = &viewer->document->scene;
    const bool is_camera_path = common_has_suffix(path, ".md5camera");
    const bool keeps_path =
        scene->camera_path.camera != NULL && scene->skeleton == NULL && !is_camera_path;
    char *const camera_path = keeps_path ? common_copy(scene->camera_path.path) : NULL;
    const char *const files[2] = {path, camera_path};
    const bool is_open = view_open_document(viewer, files, keeps_path ? 2 : 1);
    free(camera_path);
    return is_open;
}

// Shows a notice about a dropped file. If it was opened, the notice is "LABEL: NAME", such as
// "Environment: sky.hdr".
static void report_drop(view_state *viewer, const char *path, const char *label, bool is_open)
{
    const char *failure = "Cannot open %s";
    if (viewer->log.has_stopped)
        failure = "Opening %s was canceled";
    else if (viewer->log.failure.status == MD5_ERROR_MISMATCH)
        failure = "%s does not match the model";
    if (is_open)
        view_notice(viewer, "%s: %s", label, common_base(path));
    else
        view_notice(viewer, failure, common_base(path));
}

// Returns true if a clip has tracks of joints that the model does not have. Its motion is then
// incomplete, or it was made for another skeleton. `clip` may be NULL.
static bool has_extra_joints(const view_clip *clip)
{
    return clip != NULL && clip->binding != NULL && clip->binding->num_extra > 0;
}

// Shows a notice about a clip that does not match the model, such as "walk was made for another
// skeleton (1 of 57 joints match)". A click on it opens the list of problems. The notice is visible
// longer than other notices, because the model appears not to move.
static void report_misfit(view_state *viewer, const view_clip *clip)
{
    const double seconds = 10;
    char *const text = view_describe_binding(clip);
    view_notice(viewer, "%s" VIEW_DOT "show", text);
    viewer->ui.notice.end = viewer->uptime + seconds;
    viewer->ui.notice.action = VIEW_WARNINGS;
    viewer->reports.was_announced = true; // by this notice
    free(text);
}

// Uses a dropped environment image for the light. Returns false and logs an error on failure.
static bool drop_environment(view_state *viewer, const char *path)
{
    if (!view_set_option(viewer, VIEW_OPTION(environment), common_text_value(path)))
        return false;
    view_set_switch(viewer, VIEW_OPTION(shown.environment), true);
    return true;
}

// Uses a dropped file according to its type and to the shown document. Images, environments, clips
// and camera paths are added to the document if they fit it. Otherwise the file is opened as a new
// document. Shows a notice with the result.
static void drop_file(view_state *viewer, const char *path)
{
    const view_scene *const scene = &viewer->document->scene;
    const bool is_clip = common_has_suffix(path, ".md5anim");
    const bool is_camera_path = common_has_suffix(path, ".md5camera");
    const bool is_environment = common_has_suffix(path, ".hdr");
    const bool is_texture = view_is_image(path) && !is_environment;
    const bool has_model = scene->model != NULL;
    if (is_clip && view_shows_crowd(viewer->document)) {
        view_notice(viewer, "Cannot add clips to a crowd; drop a model instead");
        return;
    }
    if (is_texture && has_model) {
        drop_image(viewer, path);
        return;
    }

    const bool opens_clip = is_clip && (!has_model || viewer->panels.start.is_open);
    const char *label = "Opened";
    bool is_open;
    if (is_environment) {
        label = "Environment";
        is_open = drop_environment(viewer, path);
    } else if (opens_clip) {
        is_open = view_open_clip(viewer, path, false);
    } else if (is_clip) {
        label = "Animation";
        is_open = drop_clip(viewer, path);
    } else if (is_camera_path && scene->skeleton != NULL) {
        label = "Camera path";
        is_open = drop_camera_path(viewer, path);
    } else {
        is_open = drop_document(viewer, path);
    }

    if (is_open)
        view_clear_start(&viewer->ui, &viewer->panels.start);
    report_drop(viewer, path, label, is_open);
    const view_clip *const clip = view_shown_clip(&viewer->document->scene);
    if (is_open && is_clip && has_extra_joints(clip))
        report_misfit(viewer, clip);
    view_store_files_stamp(viewer);
}

// Opens a file or a folder that the user dropped on the window. A folder with exactly one model
// is opened as that model. Other folders, archives and games are listed. Other files are used by
// drop_file() according to their type.
void view_drop(view_state *viewer, const char *path)
{
    char *const only_model = view_only_model(path); // NULL unless `path` is a folder with one model
    viewer->log.error[0] = '\0';
    // The web page sends an empty path when all files of our machine are loaded. The machine
    // continues to play.
    if (path[0] == '\0')
        viewer->opening.has_deferred_work =
            view_reload(viewer) && viewer->document->scene.machine.guest == NULL;
    else if (only_model == NULL && view_is_listed(path))
        view_list_location(viewer, path);
    else
        drop_file(viewer, only_model != NULL ? only_model : path);
    free(only_model);
}
