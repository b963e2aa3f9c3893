// Opens documents: files (also of other formats, after a conversion), our own models, and lessons;
// reloads them when files change.
//
// open_files() replaces viewer->document only when the new document is complete. view_open()
// applies remembered settings and frames the document; view_reload() keeps the state of the old
// document.
#include "demo/viewer/jobs/view.h"

#include <assert.h>

#include "demo/common/system.h"
#include "demo/common/text.h"
#include "demo/convert/convert.h"

// Stores the stamp of the files after they were read, with --watch.
void view_store_files_stamp(view_state *viewer)
{
    if (viewer->options->watch)
        viewer->opening.files_stamp = view_stamp_files(viewer);
}

// == Our own models ==============================================================================

// The folder of our own models in the source tree. Other folders are relative to the program.
#ifndef MD5VIEW_MODELS
#define MD5VIEW_MODELS "models"
#endif

common_list view_list_examples(const char *models)
{
    common_list list = {0};
    common_list folders = common_list_folder(models, NULL);
    for (size_t i = 0; i < folders.count; i++) {
        common_list machines = common_list_folder(folders.names[i], ".md5machine");
        char *const model =
            common_format("%s/%s.md5mesh", folders.names[i], common_base(folders.names[i]));
        if (machines.count > 0)
            common_add(&list, common_copy(machines.names[0]));
        else if (common_is_file(model))
            common_add(&list, common_copy(model));
        common_free_list(&machines);
        free(model);
    }
    common_free_list(&folders);
    return list;
}

// Returns the first machine among our own models, or NULL.
static char *first_machine(const char *models)
{
    common_list list = view_list_examples(models);
    char *found = NULL;
    for (size_t i = 0; i < list.count && found == NULL; i++)
        if (common_has_suffix(list.names[i], ".md5machine"))
            found = common_copy(list.names[i]);
    common_free_list(&list);
    return found;
}

// Searches folders near the program, built or installed, and then the folder of the build; returns
// the first that contains a machine.
char *view_find_models_folder(void)
{
    static const char *const places[] = {"models", "../models", "../../models",
                                         "../share/md5model/models"};
    char *const base = view_program_folder(); // ends with a slash
    const char *const start = base != NULL ? base : ".";
    char *found = NULL;
    for (size_t i = 0; i <= COMMON_LENGTH(places) && found == NULL; i++) {
        char *const models =
            i < COMMON_LENGTH(places) ? common_join(start, places[i]) : common_copy(MD5VIEW_MODELS);
        char *const machine = first_machine(models);
        found = machine != NULL ? common_copy(models) : NULL;
        free(machine);
        free(models);
    }
    free(base);
    return found;
}

void view_read_ahead(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const size_t model = view_find_model(options->files, options->num_files);
    char *const models = options->num_files == 0 ? view_find_models_folder() : NULL;
    char *path = NULL;
    if (model < options->num_files)
        path = common_copy(options->files[model]);
    else if (models != NULL)
        path = first_machine(models);
    if (path != NULL)
        view_begin_prefetch(&viewer->opening.prefetch, path);
    free(path);
    free(models);
}

// == Opening =====================================================================================

static view_loader make_loader(view_state *viewer)
{
    return (view_loader){viewer->options, viewer->renderer, &viewer->log,
                         &viewer->opening.prefetch};
}

static bool should_continue(void *log)
{
    return view_log_progress(log, "conversion", 0, 1);
}

// Converts a file of another format into a temporary folder and returns the file to open: the
// machine or model, whose clips are in the same folder, or else a clip. Returns a copy of the name
// if no conversion is necessary. Returns NULL and logs an error on failure.
static char *convert_source(const char *file, char **folder, view_log *log)
{
    static const char *const endings[] = {".md5machine", ".md5mesh", ".md5anim", ".md5camera"};
    const char *const inputs[1] = {file};
    if (!view_is_converted(file))
        return common_copy(file);
    md5_error error;
    *folder = common_create_temporary_folder("md5view");
    convert_fail(&error, MD5_ERROR_IO, file, "cannot create a temporary folder for the conversion");
    const convert_job job = {.inputs = inputs,
                             .num_inputs = 1,
                             .output = *folder,
                             .is_forced = true,
                             .note = view_log_listener(log).warn,
                             .goes_on = should_continue,
                             .user = log};
    if (*folder == NULL || !convert_files(&job, &error)) {
        if (!log->has_stopped)
            view_log_error(log, &error);
        return NULL;
    }
    common_list made = common_walk_folder(*folder, &(common_walk){.user = NULL});
    char *shown = NULL;
    for (size_t kind = 0; kind < COMMON_LENGTH(endings); kind++)
        for (size_t i = 0; i < made.count; i++)
            if (shown == NULL && common_has_suffix(made.names[i], endings[kind]))
                shown = common_copy(made.names[i]);
    common_free_list(&made);
    return shown;
}

// Replaces the document when the new document is complete. `again`: the same files are read again,
// so its machines keep their state. `guest`, `place`: see view_manner.
static bool open_files(view_state *viewer, common_list *files, bool pick_up, bool uses_options,
                       bool again, const char *guest, const char *place)
{
    const view_options *const options = viewer->options;
    const view_loader loader = make_loader(viewer);
    const view_turn none = {0};
    const view_turn upright = options->up_is_y ? view_turn_further(none, 0) : none;
    const view_manner manner = {viewer->document->scene.root,
                                viewer->document->scene.dual,
                                again ? viewer->document->scene.turn : upright,
                                viewer->lists.library,
                                guest,
                                place};
    const view_log before = viewer->log;
    view_reports reports = viewer->reports;
    viewer->reports = (view_reports){.count = 0};
    view_log_clear(&viewer->log);
    viewer->log.may_stop = viewer->window != NULL && view_shows_window(options);
    viewer->log.keeps_rest = uses_options && !again && viewer->log.may_stop;
    assert(files->names != NULL); // at least one file
    char *const file = files->names[0];
    char *folder = NULL;
    if (viewer->window != NULL)
        view_write_crash_note(viewer, file);
    files->names[0] = convert_source(file, &folder, &viewer->log);
    view_document *const opened =
        files->names[0] != NULL ? view_load_document(&loader, (const char *const *)files->names,
                                                     files->count, pick_up, uses_options, manner)
                                : NULL;
    viewer->log.keeps_rest = viewer->log.may_stop = false;
    view_end_warnings(&viewer->log);
    if (opened == NULL) {
        viewer->log.num_warnings = before.num_warnings; // keep the error of the log
        viewer->log.num_notes = before.num_notes;
        view_free_reports(&viewer->reports);
        viewer->reports = reports;
        view_remove_folder(folder);
        free(file);
        return false;
    }
    opened->folder = folder;
    opened->source = file;
    view_document *const old = viewer->document;
    if (again)
        view_migrate_machine(&opened->scene.machine, &old->scene.machine, &viewer->log);
    for (int i = 0; again && i < VIEW_NUM_COMPANIONS; i++)
        if (opened->companions[i].machine != NULL && old->companions[i].machine != NULL)
            view_migrate_machine(opened->companions[i].machine, old->companions[i].machine,
                                 &viewer->log);
    view_free_reports(&reports);
    view_free_pages(&viewer->pages, viewer->renderer);
    view_free_document(old, viewer->renderer);
    viewer->document = opened;
    if (viewer->has_interface)
        view_reset_panels(&viewer->ui, &viewer->panels);
    if (opened->companions[VIEW_RETARGETED].model
        != NULL) // the retargeting panel replaces the inspector
        viewer->ui.docks.front = VIEW_DOCK_RIGHT;
    viewer->ui.hovered_joint = viewer->ui.selected_joint = -1;
    viewer->pick = viewer->measured = (view_pick){.is_set = false};
    view_store_files_stamp(viewer);
    return true;
}

// Applies the remembered settings of a document, except options of the command line; without a
// window, only its textures. Adds messages for missing files to `lost`.
static void restore_settings(view_state *viewer, const char *path, common_list *lost)
{
    view_options *const options = viewer->options;
    const bool names_content = options->names_content;
    const char *lines = view_find_document(viewer->documents, path);
    char *value;
    viewer->opening.is_restored = false;
    for (const view_option *row; lines != NULL && (row = view_next_setting(&lines, &value)) != NULL;
         free(value)) {
        const bool is_used = view_is_texture(row) || view_shows_window(options);
        const bool is_given = options->is_given[row - view_option_rows];
        const bool is_meant = row->scope >= VIEW_SCOPE_ANY && !is_given && is_used;
        const char *const file = is_meant ? view_file_in(row, value) : NULL;
        if (file != NULL && strstr(path, "::") == NULL && common_file_stamp(file) == 0)
            common_add(lost,
                       common_format(
                           "%s no longer exists; it was in use when the file was last open", file));
        else if (is_meant && !view_read_option(row, value, options))
            view_reset_option(row, options);
        viewer->opening.is_restored |= is_meant && view_is_undone(row);
    }
    options->names_content = names_content;
}

// Returns true if the options do not set the content or the camera, so that the demo scene can
// play.
static bool allows_demo_scene(const view_options *options)
{
    const bool has_direction = options->azimuth_given || options->elevation_given;
    const bool has_position = options->distance_given || options->target_given;
    const bool has_camera = has_direction || has_position || options->orthographic_given;
    const bool has_content = options->names_content || options->num_folders > 0;
    return !has_content && !has_camera && !options->shown.reduced_motion;
}

bool view_open(view_state *viewer, const char *const *files, size_t num_files, bool uses_options)
{
    static const char *const crowd_models[] = {"spindle/spindle.md5mesh",
                                               "thimble/thimble.md5mesh"};
    const view_options *const options = viewer->options;
    const bool is_own = num_files == 0;
    const bool has_window = view_shows_window(options);
    const bool acts = is_own && uses_options && allows_demo_scene(options);
    char *visitor = NULL;
    char *place = NULL;
    common_list lost = {0};
    // The files to show. In a crowd without named models, several of our models.
    common_list shown = {0};
    for (size_t i = 0; i < num_files; i++)
        common_add(&shown, has_window && strstr(files[i], "::") == NULL
                               ? common_canonical_path(files[i])
                               : common_copy(files[i]));
    if (is_own) {
        char *const models = view_find_models_folder();
        if (models == NULL)
            return view_error(&viewer->log, "no file given, and no example model found in %s",
                              MD5VIEW_MODELS);
        common_add(&shown, first_machine(models));
        for (size_t i = 0; i < COMMON_LENGTH(crowd_models) && options->crowd > 2; i++) {
            char *const path = common_join(models, crowd_models[i]);
            if (common_is_file(path))
                common_add(&shown, common_copy(path));
            free(path);
        }
        visitor = common_join(models, "thimble/visitor.md5machine");
        place = common_join(models, "place/desert.md5mesh");
        free(models);
    }
    const bool is_hidden = viewer->window != NULL && view_is_window_hidden(viewer->window);
    const bool waits = acts && has_window && is_hidden;
    if (!acts || !(waits || common_is_file(visitor))) {
        free(visitor);
        visitor = NULL;
    }
    const char *const *const names = (const char *const *)shown.names;
    if (uses_options)
        restore_settings(viewer, names[view_find_model(names, shown.count) % shown.count], &lost);
    view_apply_options(viewer);
    const char *const shown_visitor = waits ? NULL : visitor;
    const char *const shown_place = place != NULL && common_is_file(place) ? place : NULL;
    const bool opened = open_files(viewer, &shown, !options->no_auto, uses_options, false,
                                   shown_visitor, shown_place);
    free(place);
    for (size_t i = 0; i < lost.count && opened; i++)
        view_warn(&viewer->log, "%s", lost.names[i]);
    common_free_list(&lost);
    common_free_list(&shown);
    if (!opened || !waits) {
        free(visitor);
        visitor = NULL;
    }
    if (!opened)
        return false;
    free(viewer->opening.companion_path);
    viewer->opening.has_deferred_work = waits;
    viewer->opening.companion_path = visitor;
    view_clear_start(&viewer->ui, &viewer->panels.start);
    viewer->options->hidden_meshes = 0;
    const bool is_valid = !uses_options || view_hide_meshes(viewer);
    if (!uses_options)
        view_show_meshes(viewer->document, 0);
    if (viewer->config != NULL && !is_own)
        view_note_recent(viewer->config, view_shown_file(viewer->document));
    viewer->play.time = 0;
    viewer->play.held_at_end = false;
    viewer->document->scene.machine.acts = viewer->ui.docks.is_folded = acts;
    viewer->panels.decision.demo_end =
        acts ? viewer->now + (double)(VIEW_MINUTE + VIEW_INVITING) : 0;
    if (waits)
        view_measure_document(viewer->document, &viewer->play);
    else
        view_measure(viewer);
    view_place_camera(viewer);
    view_debug(&viewer->log, "opened: %s, %zu clips, %u joints, %u vertices",
               viewer->document->scene.path, viewer->document->scene.num_clips,
               viewer->document->scene.num_joints,
               view_count_vertices(viewer->document->scene.model));
    view_clear_steps(viewer); // the next event stores the first step
    return is_valid;
}

bool view_hide_meshes(view_state *viewer)
{
    view_options *const options = viewer->options;
    const md5_model *const model = viewer->document->scene.model;
    const uint32_t num_meshes = view_count_meshes(&viewer->document->scene);
    bool is_valid = true;
    options->hidden_meshes = 0;
    for (size_t i = 0; i < options->hidden.count; i++) {
        const char *const name = options->hidden.names[i];
        bool is_found = false;
        for (uint32_t m = 0; m < num_meshes && m < 64; m++) {
            if (view_is_mesh(model, m, name, strlen(name))) {
                options->hidden_meshes |= (uint64_t)1 << m;
                is_found = true;
            }
        }
        if (!is_found)
            is_valid =
                view_error(&viewer->log, "--hide %s: mesh not found; the model has %u meshes", name,
                           num_meshes);
    }
    view_show_meshes(viewer->document, options->hidden_meshes);
    return is_valid;
}

// Applies the options --flag or --state to the script.
static bool apply_script_names(view_state *viewer, bool is_flag)
{
    view_entity *const figure = &viewer->document->scene.entity;
    const common_texts *const requested =
        is_flag ? &viewer->options->flags : &viewer->options->states;
    char *known = common_copy(" ");
    const char *name;
    bool is_valid = true;
    if (!is_flag && requested->count == 0 && figure->is_in_states)
        view_change_clip(viewer, viewer->document->scene.clip);
    for (uint32_t i = 0; (name = view_script_name(figure, is_flag, i)) != NULL; i++) {
        bool is_requested = false;
        for (size_t k = 0; k < requested->count; k++)
            is_requested = is_requested || strcmp(requested->names[k], name) == 0;
        common_extend(&known, "%s%s", name, name[0] != '\0' ? " " : "");
        if (is_requested != view_is_script_item_active(figure, is_flag, i)
            && (is_flag || is_requested))
            view_run_script_item(figure, is_flag, i, is_requested);
    }
    const char *const valid_names = known[1] != '\0' ? known : " none (no script is loaded) ";
    for (size_t k = 0; k < requested->count; k++) {
        char *const word = common_format(" %s ", requested->names[k]);
        if (strstr(known, word) == NULL)
            is_valid = view_error(&viewer->log, "--%s: unknown value '%s'; valid values:%.*s",
                                  is_flag ? "flag" : "state", requested->names[k],
                                  (int)strlen(valid_names) - 1, valid_names);
        free(word);
    }
    free(known);
    return is_valid;
}

bool view_apply_script_options(view_state *viewer)
{
    return apply_script_names(viewer, false) && apply_script_names(viewer, true);
}

bool view_apply_texture_options(view_state *viewer)
{
    view_document *const document = viewer->document;
    const view_loader loader = make_loader(viewer);
    view_textures textures = {.num_meshes = 0};
    if (document->scene.model == NULL || viewer->renderer == NULL)
        return true;
    // Layers of materials belong to the model, and warnings about textures may no longer apply:
    // both require a reload.
    bool is_whole = document->textures.layers.num_meshes > 0 || viewer->log.num_warnings > 0;
    document->uses_options = true;
    if (!is_whole && !view_load_scene_textures(&loader, &document->scene, &textures))
        return false;
    is_whole = is_whole || textures.layers.num_meshes > 0;
    view_textures *const old = is_whole ? &textures : &document->textures;
    view_free_textures(old, viewer->renderer);
    *old = textures;
    return !is_whole || view_reload(viewer);
}

bool view_finish_opening(view_state *viewer)
{
    const view_loader loader = make_loader(viewer);
    if (!viewer->opening.has_deferred_work)
        return false;
    viewer->opening.has_deferred_work = false;
    // In a browser the file is downloaded later.
    if (viewer->opening.companion_path != NULL && common_is_file(viewer->opening.companion_path))
        view_load_guest(viewer->document, viewer->opening.companion_path, &loader);
    view_measure(viewer);
    view_store_files_stamp(viewer);
    return true;
}

bool view_select_environment(view_state *viewer)
{
    const char *const path = viewer->options->environment;
    if (path == NULL && viewer->renderer != NULL) {
        md5gl_destroy_environment(viewer->renderer, viewer->drawing.environment.light);
        viewer->drawing.environment.light = NULL;
    }
    return path == NULL || viewer->renderer == NULL
           || view_load_environment(&viewer->drawing.environment, viewer->renderer, path,
                                    &viewer->log);
}

// Frames a crowd after its count has changed. Without a crowd restores the camera that the model
// had before the crowd was shown.
static void frame_changed_crowd(view_state *viewer, uint32_t old_count)
{
    view_cameras *const cameras = &viewer->cameras;
    const uint32_t count = viewer->document->crowd.count;
    if (count == old_count)
        return;
    if (count == 0 && cameras->has_single) {
        cameras->user = cameras->single;
        cameras->framing = cameras->single_framing;
        cameras->has_single = false;
        return;
    }
    if (old_count == 0) {
        cameras->single = cameras->user;
        cameras->single_framing = cameras->framing;
        cameras->has_single = true;
    }
    if (!viewer->options->distance_given && !viewer->options->target_given)
        view_frame_document(viewer, viewer->width, viewer->height);
}

bool view_reload(view_state *viewer)
{
    // Copies of the names, because the old scene is freed.
    const view_document *const old = viewer->document;
    const view_scene *const before = &old->scene;
    const bool picked_up = before->picked_up;
    const bool is_bind_pose = view_is_bind_pose(before);
    const bool acts = before->machine.acts;
    const bool has_model = before->model != NULL;
    const size_t clip = before->clip;
    const size_t num_clips = picked_up ? 0 : before->num_clips;
    const int32_t joint = viewer->ui.selected_joint;
    const int32_t mesh = viewer->ui.selected_mesh;
    const uint32_t crowd_count = old->crowd.count;
    common_list files = {0};
    if (has_model)
        common_add(&files, common_copy(view_shown_file(old)));
    for (size_t i = 0; i < num_clips; i++)
        common_add(&files, common_copy(before->clips[i].path));
    if (before->camera_path.camera != NULL)
        common_add(&files, common_copy(before->camera_path.path));
    // Keep the other models of a crowd while the crowd is turned off, because undo may turn it on
    // again.
    common_list others = {0};
    for (size_t i = 0; i < old->crowd.files.count; i++)
        common_add(viewer->options->crowd > 0 ? &files : &others,
                   common_copy(old->crowd.files.names[i]));

    const bool opened = open_files(viewer, &files, picked_up, old->uses_options, true,
                                   old->companions[VIEW_GUEST].path, old->place.path);
    view_scene *const scene = &viewer->document->scene;
    if (opened && clip < scene->num_clips)
        view_select_clip(scene, clip);
    if (opened) {
        for (size_t i = 0; i < others.count; i++)
            common_add(&viewer->document->crowd.files, common_copy(others.names[i]));
        (void)view_apply_script_options(viewer);
        view_show_bind_pose(scene, is_bind_pose && has_model, NULL);
        viewer->ui.selected_joint = joint;
        viewer->ui.selected_mesh = mesh;
        scene->machine.acts = acts;
        view_store_files_stamp(viewer);
        view_show_meshes(viewer->document, viewer->options->hidden_meshes);
        view_measure(viewer);
        frame_changed_crowd(viewer, crowd_count);
    }
    common_free_list(&others);
    common_free_list(&files);
    return opened;
}

// == Lessons =====================================================================================

// Shows a lesson instead of the document, from time 0 or the time of the options.
static void show_page_at_start(view_state *viewer, int32_t number)
{
    view_close_page(viewer);
    view_open_page(&viewer->pages, number);
    viewer->cameras.follows_path = false;
    if (viewer->options->num_times == 0)
        viewer->play.time = 0;
    viewer->play.held_at_end = false;
}

// Opens a lesson with its character, or the list of lessons. Returns false and logs an error on
// failure.
bool view_open_lesson(view_state *viewer, int32_t number)
{
    const view_page *const page = number >= 0 ? view_page_at((uint32_t)number) : NULL;
    if (page != NULL && view_ask_page(page->name))
        return true;
    char *const models = view_find_models_folder();
    if (models == NULL)
        return view_error(&viewer->log, "lessons: example models not found");
    bool is_open = true;
    if (page != NULL) { // open its character, unless it is already the document
        char *const path =
            common_join(models, page->model != NULL ? page->model : VIEW_USUAL_MODEL);
        const char *const shown = viewer->document->scene.path;
        const char *const files[1] = {path};
        const bool is_shown = shown != NULL && strcmp(path, shown) == 0
                              && view_mode_of(viewer->document) == VIEW_MODE_CLIPS;
        is_open = is_shown || view_open(viewer, files, 1, false);
        free(path);
    }
    free(viewer->pages.folder);
    viewer->pages.folder = models;
    if (!is_open)
        return false;
    view_clear_start(&viewer->ui, &viewer->panels.start);
    show_page_at_start(viewer, number);
    return true;
}

// Sets a slider of a lesson by the option --set. The name may omit text after a comma or a space,
// such as a unit, if the rest is unique.
static bool set_slider(view_state *viewer, const view_page *page, const view_setting *setting)
{
    const size_t length = strlen(setting->parameter);
    int number = -1; // -2: ambiguous
    char names[256] = "";
    for (int i = 0; i < (int)view_num_sliders(page); i++) {
        const char *const slider_name = page->sliders[i].name;
        common_append(names, sizeof names, ", ", "'%s'", slider_name);
        if (strncmp(slider_name, setting->parameter, length) != 0)
            continue;
        if (slider_name[length] == '\0') {
            number = i;
            break;
        }
        if (slider_name[length] == ',' || slider_name[length] == ' ')
            number = number == -1 ? i : -2;
    }
    if (number < 0)
        return view_error(&viewer->log, "--set %s: unknown slider of lesson %s; valid names: %s",
                          setting->parameter, page->name, names);
    if (setting->time != 0)
        return view_error(&viewer->log,
                          "--set %s: @TIME is not supported for the sliders of a lesson",
                          setting->parameter);
    const view_slider *const slider = &page->sliders[number];
    const bool is_whole = slider->words != NULL;
    const bool is_in_range = setting->value >= slider->low && setting->value <= slider->high;
    const bool has_fraction = setting->value != floorf(setting->value);
    if (!is_in_range || (is_whole && has_fraction))
        return view_error(&viewer->log, "--set %s=%g: expected a%s number from %g to %g",
                          setting->parameter, setting->value, is_whole ? " whole" : "", slider->low,
                          slider->high);
    viewer->pages.values[number] = setting->value;
    return true;
}

bool view_set_parameter(view_state *viewer, const view_setting *setting)
{
    const view_machine *const machine = &viewer->document->scene.machine;
    if (viewer->pages.open >= 0 && view_page_at((uint32_t)viewer->pages.open) != NULL)
        return set_slider(viewer, view_page_at((uint32_t)viewer->pages.open), setting);
    const uint32_t parameter =
        view_mode_of(viewer->document) == VIEW_MODE_MACHINE
            ? md5_find_parameter(machine->character->machine, setting->parameter)
            : MD5_NONE;
    if (parameter == MD5_NONE)
        return view_error(&viewer->log, "--set %s: unknown parameter", setting->parameter);
    return md5_player_set(machine->player, parameter, setting->value);
}

bool view_select_page(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const char *const name = options->page;
    if (name == NULL)
        return true;
    const int32_t number = strcmp(name, "contents") == 0 ? VIEW_CONTENTS : view_find_page(name);
    if (number < 0)
        return view_error(&viewer->log,
                          "--lesson %s: unknown lesson; use --lesson list to print the names",
                          name);
    if (number == VIEW_CONTENTS && options->settings.count > 0)
        return view_error(&viewer->log, "--set: the list of lessons has no sliders");
    bool is_set = view_open_lesson(viewer, number);
    for (size_t i = 0; is_set && i < options->settings.count; i++)
        is_set = set_slider(viewer, view_page_at((uint32_t)number), &options->settings.rows[i]);
    return is_set;
}
