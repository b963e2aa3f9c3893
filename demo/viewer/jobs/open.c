// Opens documents: files, our own models, and lessons. Files of other formats are converted first.
// Reloads documents when their files change.
//
// open_files() replaces viewer->document only when the new document is complete. view_open()
// applies stored settings and frames the document. view_reload() keeps the state of the old
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

// Lists our own models for the start page. Each folder contributes its first machine. A folder
// without a machine contributes the model with the name of the folder.
common_list view_list_examples(const char *models)
{
    // Each folder contains one model. Its machine is preferred to its .md5mesh.
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
    for (size_t i = 0; i < list.count && found == NULL; i++) {
        if (common_has_suffix(list.names[i], ".md5machine"))
            found = common_copy(list.names[i]);
    }
    common_free_list(&list);
    return found;
}

// Searches the folder of our models near the program, which may be built or installed. Then
// searches the source folder that was set when the program was built. Returns the first folder that
// contains a machine.
char *view_find_models_folder(void)
{
    static const char *const relative_paths[] = {"models", "../models", "../../models",
                                                 "../share/md5model/models"};
    char *const program_folder = view_program_folder(); // ends with a slash
    const char *const start = program_folder != NULL ? program_folder : ".";
    common_list candidates = {0};
    for (size_t i = 0; i < COMMON_LENGTH(relative_paths); i++)
        common_add(&candidates, common_join(start, relative_paths[i]));
    common_add(&candidates, common_copy(MD5VIEW_MODELS));

    char *found = NULL;
    for (size_t i = 0; i < candidates.count && found == NULL; i++) {
        char *const machine = first_machine(candidates.names[i]);
        if (machine != NULL)
            found = common_copy(candidates.names[i]);
        free(machine);
    }
    common_free_list(&candidates);
    free(program_folder);
    return found;
}

// Starts to decode the images of the first document on a thread, before the document is opened.
// Finds the file that will be opened. It is the first model of the command line. Without files, it
// is the first state machine of our own models. Does nothing if the files of the command line do
// not include a model.
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

// Returns the options and services of the viewer with which documents are loaded.
static view_loader make_loader(view_state *viewer)
{
    return (view_loader){viewer->options, viewer->renderer, &viewer->log,
                         &viewer->opening.prefetch};
}

// Callback of convert_job: shows that the conversion is running. Returns false if the user has
// stopped it.
static bool should_continue(void *log)
{
    return view_log_progress(log, "conversion", 0, 1);
}

// Returns the path of the file to open in a folder of converted files, or NULL. A machine is
// preferred to a model. A model, with its clips in the same folder, is preferred to a clip or a
// camera path. The caller frees the path.
static char *find_main_file(const char *folder)
{
    static const char *const extensions[] = {".md5machine", ".md5mesh", ".md5anim", ".md5camera"};
    common_list files = common_walk_folder(folder, &(common_walk){.user = NULL});
    char *found = NULL;
    for (size_t kind = 0; kind < COMMON_LENGTH(extensions) && found == NULL; kind++) {
        for (size_t i = 0; i < files.count && found == NULL; i++) {
            if (common_has_suffix(files.names[i], extensions[kind]))
                found = common_copy(files.names[i]);
        }
    }
    common_free_list(&files);
    return found;
}

// Converts a file of another format into a temporary folder. Returns the path of the converted file
// to open, and stores the folder in *folder. If no conversion is necessary, returns a copy of
// `file` and leaves *folder unchanged. Returns NULL on failure, and logs an error unless the user
// has stopped the conversion. The caller removes the folder also after a failure.
static char *convert_source(const char *file, char **folder, view_log *log)
{
    if (!view_is_converted(file))
        return common_copy(file);
    md5_error error;
    *folder = common_create_temporary_folder("md5view");
    if (*folder == NULL) {
        convert_fail(&error, MD5_ERROR_IO, file,
                     "cannot create a temporary folder for the conversion");
        view_log_error(log, &error);
        return NULL;
    }
    const char *const inputs[1] = {file};
    const convert_job job = {.inputs = inputs,
                             .num_inputs = 1,
                             .output = *folder,
                             .is_forced = true,
                             .note = view_log_listener(log).warn,
                             .should_continue = should_continue,
                             .user = log};
    if (!convert_files(&job, &error)) {
        if (!log->has_stopped) // by the user
            view_log_error(log, &error);
        return NULL;
    }
    return find_main_file(*folder);
}

// The files of a new document.
typedef struct document_files {
    common_list *files;     // at least one; the first is replaced by its converted file
    bool finds_clips;       // also loads the animations in the model's folder
    bool uses_options;      // opened with the files and textures of the command line
    bool is_reload;         // the files of the current document: its machines keep their state
    const char *guest_path; // see view_document_settings
    const char *scenery;    // see view_document_settings
} document_files;

// Returns the settings of the current document that the new document keeps.
static view_document_settings choose_document_settings(const view_state *viewer,
                                                       const document_files *request)
{
    const view_scene *const current = &viewer->document->scene;
    view_rotation rotation = {0};
    if (request->is_reload)
        rotation = current->rotation;
    else if (viewer->options->up_is_y)
        rotation = view_rotate_further(rotation, 0);
    return (view_document_settings){
        .root = current->root,
        .dual = current->dual,
        .rotation = rotation,
        .library = viewer->lists.game,
        .guest_path = request->guest_path,
        .scenery = request->scenery,
    };
}

// Loads the files of a request as a document. If the format of the first file is not MD5, it is
// converted first, and the converted file replaces it in the list. document->source and
// document->folder receive its original name and the temporary folder of the conversion. Returns
// NULL and logs an error on failure.
static view_document *load_converted(view_state *viewer, const document_files *request,
                                     const view_document_settings *settings)
{
    const view_loader loader = make_loader(viewer);
    common_list *const files = request->files;
    char *const source = files->names[0];
    char *folder = NULL;
    files->names[0] = convert_source(source, &folder, &viewer->log);
    view_document *document = NULL;
    if (files->names[0] != NULL)
        document = view_load_document(&loader, (const char *const *)files->names, files->count,
                                      request->finds_clips, request->uses_options, *settings);
    if (document == NULL) {
        view_remove_folder(folder);
        free(source);
        return NULL;
    }
    document->folder = folder;
    document->source = source;
    return document;
}

// Loads a new document and replaces viewer->reports by its messages. Returns NULL and logs an error
// on failure.
static view_document *load_new_document(view_state *viewer, const document_files *request)
{
    const view_document_settings settings = choose_document_settings(viewer, request);
    const bool has_window = viewer->window != NULL && view_shows_window(viewer->options);
    assert(request->files->count > 0);
    viewer->reports = (view_reports){.count = 0};
    view_log_clear(&viewer->log);

    // In a window, the user can stop a long conversion, and a file is shown even if parts of it are
    // missing. If loading a file crashes the program, the note names this file.
    viewer->log.may_stop = has_window;
    viewer->log.skips_faulty_files = request->uses_options && !request->is_reload && has_window;
    if (has_window)
        view_write_crash_note(viewer, request->files->names[0]);

    view_document *const document = load_converted(viewer, request, &settings);
    viewer->log.skips_faulty_files = false;
    viewer->log.may_stop = false;
    view_end_warnings(&viewer->log);
    return document;
}

// Copies the state of the machines of the current document to the same machines of a new document.
static void migrate_machines(view_state *viewer, view_document *document)
{
    view_document *const current = viewer->document;
    view_migrate_machine(&document->scene.machine, &current->scene.machine, &viewer->log);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        view_machine *const machine = document->companions[i].machine;
        view_machine *const old_machine = current->companions[i].machine;
        if (machine != NULL && old_machine != NULL)
            view_migrate_machine(machine, old_machine, &viewer->log);
    }
}

// Shows a new document instead of the current document, which is freed.
static void replace_document(view_state *viewer, view_document *document)
{
    if (viewer->has_interface) {
        view_free_pages(&viewer->pages, viewer->renderer);
        view_reset_panels(&viewer->ui, &viewer->panels);
    }
    view_free_document(viewer->document, viewer->renderer);
    viewer->document = document;
    // The retargeting panel replaces the inspector.
    if (document->companions[VIEW_RETARGETED].model != NULL)
        viewer->ui.docks.front = VIEW_DOCK_RIGHT;
    view_store_files_stamp(viewer);
}

// Replaces the document when the new document is complete. If it cannot be opened, logs an error,
// keeps the current document with its messages, and returns false.
static bool open_files(view_state *viewer, const document_files *request)
{
    const view_log log_before = viewer->log;
    view_reports reports_before = viewer->reports;
    view_document *const document = load_new_document(viewer, request);
    if (document == NULL) {
        // Restore the messages of the current document, but keep the error that was logged.
        viewer->log.num_warnings = log_before.num_warnings;
        viewer->log.num_notes = log_before.num_notes;
        view_free_reports(&viewer->reports);
        viewer->reports = reports_before;
        return false;
    }
    if (request->is_reload)
        migrate_machines(viewer, document);
    view_free_reports(&reports_before);
    replace_document(viewer, document);
    return true;
}

// Applies a stored setting. Options of the command line have priority. Without a window, only
// stored textures are applied. If the setting refers to a missing file, adds a message instead.
static void restore_setting(view_state *viewer, const view_option *option, const char *value,
                            bool is_in_game, common_list *messages)
{
    view_options *const options = viewer->options;
    const bool is_used = view_is_texture(option) || view_shows_window(options);
    const bool is_given = options->is_given[view_option_index(option)];
    if (option->scope < VIEW_SCOPE_ANY || is_given || !is_used)
        return;

    const char *const file = view_file_in(option, value);
    const bool is_missing = file != NULL && !is_in_game && common_file_stamp(file) == 0;
    if (is_missing) {
        char *const message =
            common_format("%s no longer exists; a stored setting of the model refers to it", file);
        common_add(messages, message);
    } else if (!view_read_option(option, value, options)) {
        view_reset_option(option, options); // the value is invalid
    }
    viewer->opening.is_restored |= view_is_undone(option);
}

// Applies the stored settings of a document. Settings that refer to missing files are skipped,
// and a message about each is added to `messages`.
static void restore_settings(view_state *viewer, const char *path, common_list *messages)
{
    view_options *const options = viewer->options;
    const bool names_content = options->names_content;
    const bool is_in_game = strstr(path, "::") != NULL;
    const char *lines = view_find_document(viewer->documents, path);
    viewer->opening.is_restored = false;
    if (lines == NULL)
        return;

    const view_option *option;
    char *value;
    while ((option = view_next_setting(&lines, &value)) != NULL) {
        restore_setting(viewer, option, value, is_in_game, messages);
        free(value);
    }
    // view_read_option() may have set this as if the option were on the command line.
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

// Our own models that are shown if no file is named. Each member may be NULL.
typedef struct example_files {
    char *guest;   // machine of a second character in the demo scene
    char *scenery; // model of its surroundings
} example_files;

static void free_examples(example_files *examples)
{
    free(examples->guest);
    free(examples->scenery);
    *examples = (example_files){NULL, NULL};
}

// Adds two of our own models, besides the first machine, as further kinds of a crowd. Models that
// are not installed are omitted.
static void add_crowd_models(common_list *files, const char *models)
{
    static const char *const crowd_models[] = {"spindle/spindle.md5mesh",
                                               "thimble/thimble.md5mesh"};
    for (size_t i = 0; i < COMMON_LENGTH(crowd_models); i++) {
        char *const path = common_join(models, crowd_models[i]);
        if (common_is_file(path))
            common_add(files, common_copy(path));
        free(path);
    }
}

// Lists our own models that are shown if no file is named. Adds the first machine to `files`, and
// two more models for a crowd of three or more. Fills `examples`. Returns false and logs an error
// if our models are not found.
static bool list_example_files(view_state *viewer, common_list *files, example_files *examples)
{
    char *const models = view_find_models_folder();
    if (models == NULL)
        return view_error(
            &viewer->log,
            "the example models were not found in %s; name a file on the command line",
            MD5VIEW_MODELS);

    common_add(files, first_machine(models));
    if (viewer->options->crowd > 2)
        add_crowd_models(files, models);
    examples->guest = common_join(models, "thimble/visitor.md5machine");
    examples->scenery = common_join(models, "place/desert.md5mesh");
    if (!common_is_file(examples->scenery)) {
        free(examples->scenery);
        examples->scenery = NULL;
    }
    free(models);
    return true;
}

// Adds copies of the file names to a list. A window stores them in the configuration file, so it
// needs absolute paths. Names in a game are not changed.
static void list_named_files(const view_state *viewer, common_list *list, const char *const *files,
                             size_t num_files)
{
    const bool has_window = view_shows_window(viewer->options);
    for (size_t i = 0; i < num_files; i++) {
        const bool is_in_game = strstr(files[i], "::") != NULL;
        if (has_window && !is_in_game)
            common_add(list, common_canonical_path(files[i]));
        else
            common_add(list, common_copy(files[i]));
    }
}

// Opens files with the stored settings of the model, or of the first file if there is no model.
// Warns about settings that refer to missing files.
static bool open_with_settings(view_state *viewer, const document_files *request)
{
    const common_list *const files = request->files;
    common_list missing = {0};
    if (request->uses_options) {
        const size_t model = view_find_model((const char *const *)files->names, files->count);
        const bool has_model = model < files->count;
        restore_settings(viewer, files->names[has_model ? model : 0], &missing);
    }
    view_apply_options(viewer);
    const bool is_open = open_files(viewer, request);
    if (is_open) {
        for (size_t i = 0; i < missing.count; i++)
            view_warn(&viewer->log, "%s", missing.names[i]);
    }
    common_free_list(&missing);
    return is_open;
}

// Starts the playback of a new document at time 0 and places the camera. If `is_demo` is true, the
// demo scene plays.
static void start_document(view_state *viewer, bool is_demo)
{
    view_scene *const scene = &viewer->document->scene;
    viewer->play.time = 0;
    viewer->play.held_at_end = false;
    scene->machine.plays_demo = is_demo;
    viewer->ui.docks.is_folded = is_demo; // the demo scene is shown without panels
    viewer->panels.decision.demo_end = 0;
    if (is_demo)
        viewer->panels.decision.demo_end =
            viewer->uptime + (double)(VIEW_DEMO_SECONDS + VIEW_DEMO_NOTICE_SECONDS);
    if (viewer->opening.has_deferred_work)
        view_measure_document(viewer->document, &viewer->play);
    else
        view_measure(viewer);
    view_reset_camera(viewer);
    view_debug(&viewer->log, "opened: %s, %zu clips, %u joints, %u vertices", scene->path,
               scene->num_clips, scene->num_joints, view_count_vertices(scene->model));
    if (viewer->has_interface)
        view_clear_steps(viewer); // the next event stores the first step
}

// Moves the path of the guest from `examples` to `opening` if view_finish_opening() must load the
// guest after the first image (`is_deferred`). Otherwise removes the path of a former document.
static void defer_guest(view_opening *opening, bool is_deferred, example_files *examples)
{
    free(opening->guest_path);
    opening->guest_path = NULL;
    opening->has_deferred_work = is_deferred;
    if (is_deferred) {
        opening->guest_path = examples->guest;
        examples->guest = NULL;
    }
}

// Completes the opening of a document: hides meshes, adds the file to the recent files, and starts
// the playback. Returns false and logs an error if --hide names an unknown mesh.
static bool finish_document(view_state *viewer, bool uses_options, bool is_example, bool is_demo)
{
    bool is_valid = true;
    if (viewer->has_interface)
        view_clear_start(&viewer->ui, &viewer->panels.start);
    viewer->options->hidden_meshes = 0;
    if (uses_options)
        is_valid = view_hide_meshes(viewer);
    else
        view_show_meshes(viewer->document, 0);
    if (viewer->config != NULL && !is_example)
        view_add_recent(viewer->config, view_shown_file(viewer->document));
    start_document(viewer, is_demo);
    return is_valid;
}

// Opens a document instead of the current one; without files, our own model. With `uses_options`,
// the options of the command line apply to it. On failure, returns false, logs an error and keeps
// the current document.
bool view_open(view_state *viewer, const char *const *files, size_t num_files, bool uses_options)
{
    const view_options *const options = viewer->options;
    const bool is_example = num_files == 0;
    common_list shown = {0};
    example_files examples = {NULL, NULL};
    if (is_example && !list_example_files(viewer, &shown, &examples))
        return false;
    list_named_files(viewer, &shown, files, num_files);

    // The guest is the second character of the demo scene. A window shows its first image sooner if
    // view_finish_opening() loads the guest after it. In a browser, the file of the guest may still
    // be downloading.
    const bool is_demo = is_example && uses_options && allows_demo_scene(options);
    const bool is_hidden = viewer->window != NULL && view_is_window_hidden(viewer->window);
    const bool is_deferred = is_demo && view_shows_window(options) && is_hidden;
    const bool has_guest = is_demo && !is_deferred && common_is_file(examples.guest);
    const document_files request = {
        .files = &shown,
        .finds_clips = !options->no_auto,
        .uses_options = uses_options,
        .guest_path = has_guest ? examples.guest : NULL,
        .scenery = examples.scenery,
    };
    const bool is_open = open_with_settings(viewer, &request);
    if (is_open)
        defer_guest(&viewer->opening, is_deferred, &examples);
    free_examples(&examples);
    common_free_list(&shown);
    if (!is_open)
        return false;
    return finish_document(viewer, uses_options, is_example, is_demo);
}

// Returns one bit for each of the first 64 meshes that a word of --hide selects. The word is a
// name, a shader or an index of meshes.
static uint64_t find_meshes_to_hide(const view_scene *scene, const char *name)
{
    uint64_t found = 0;
    for (uint32_t m = 0; m < view_count_meshes(scene) && m < 64; m++) {
        if (view_is_mesh(scene->model, m, name, strlen(name)))
            found |= (uint64_t)1 << m;
    }
    return found;
}

// Sets the bits of options->hidden_meshes to the meshes that the option --hide names, and hides
// these meshes. Returns false and logs an error for each name that does not exist.
bool view_hide_meshes(view_state *viewer)
{
    view_options *const options = viewer->options;
    const view_scene *const scene = &viewer->document->scene;
    bool is_valid = true;
    options->hidden_meshes = 0;
    for (size_t i = 0; i < options->hidden.count; i++) {
        const char *const name = options->hidden.names[i];
        const uint64_t meshes = find_meshes_to_hide(scene, name);
        options->hidden_meshes |= meshes;
        if (meshes == 0)
            is_valid = view_error(&viewer->log,
                                  "--hide %s: mesh not found: expected the name, shader or index "
                                  "of a mesh; number of meshes: %u",
                                  name, view_count_meshes(scene));
    }
    view_show_meshes(viewer->document, options->hidden_meshes);
    return is_valid;
}

// Logs that --flag (if `is_flag` is true) or --state names an unknown item of the script, with the
// valid names. Returns false.
static bool report_unknown_item(view_state *viewer, bool is_flag, const char *requested)
{
    const view_entity *const figure = &viewer->document->scene.entity;
    const char *name;
    char *names = common_copy("");
    for (uint32_t i = 0; (name = view_script_name(figure, is_flag, i)) != NULL; i++) {
        if (name[0] != '\0')
            common_extend(&names, " %s", name);
    }
    const char *const option = is_flag ? "flag" : "state";
    const char *const valid_names = names[0] != '\0' ? names : " none (no script is loaded)";
    view_error(&viewer->log, "--%s: unknown value '%s'; valid values:%s", option, requested,
               valid_names);
    free(names);
    return false;
}

// Returns true if the script of the entity has a state with the requested name. If `is_flag` is
// true, searches for a flag instead.
static bool has_script_item(const view_entity *figure, bool is_flag, const char *requested)
{
    const char *name;
    for (uint32_t i = 0; (name = view_script_name(figure, is_flag, i)) != NULL; i++) {
        if (name[0] != '\0' && strcmp(name, requested) == 0)
            return true;
    }
    return false;
}

// Sets the flags of the entity's script, or begins its states, so that the requested items are
// active. Other flags are reset; other states continue.
static void run_requested_items(view_entity *figure, bool is_flag, const common_texts *requested)
{
    const char *name;
    for (uint32_t i = 0; (name = view_script_name(figure, is_flag, i)) != NULL; i++) {
        const bool is_requested = view_is_name_in(name, requested->names, requested->count);
        const bool is_changed = is_requested != view_is_script_item_active(figure, is_flag, i);
        const bool can_change = is_flag || is_requested;
        if (is_changed && can_change)
            view_run_script_item(figure, is_flag, i, is_requested);
    }
}

// Applies the options --flag (if `is_flag` is true) or --state to the script of the entity. A flag
// that is not named is reset. Returns false and logs an error if a name is unknown.
static bool apply_script_names(view_state *viewer, bool is_flag)
{
    const view_options *const options = viewer->options;
    view_entity *const figure = &viewer->document->scene.entity;
    const common_texts *const requested = is_flag ? &options->flags : &options->states;
    // Without --state, the entity leaves its state and plays the selected clip.
    const bool leaves_states = !is_flag && requested->count == 0 && figure->is_in_states;
    if (leaves_states)
        view_change_clip(viewer, viewer->document->scene.clip);
    run_requested_items(figure, is_flag, requested);

    bool is_valid = true;
    for (size_t i = 0; i < requested->count; i++) {
        if (!has_script_item(figure, is_flag, requested->names[i]))
            is_valid = report_unknown_item(viewer, is_flag, requested->names[i]);
    }
    return is_valid;
}

bool view_apply_script_options(view_state *viewer)
{
    return apply_script_names(viewer, false) && apply_script_names(viewer, true);
}

// Replaces only the textures if possible. A reload is necessary in two cases. The model on the GPU
// contains the layers of materials (stages that are drawn in addition to maps). Warnings about
// textures may no longer apply, and only a reload removes them.
bool view_apply_texture_options(view_state *viewer)
{
    view_document *const document = viewer->document;
    const view_loader loader = make_loader(viewer);
    if (document->scene.model == NULL || viewer->renderer == NULL)
        return true;
    document->uses_options = true;
    if (document->textures.layers.num_meshes > 0 || viewer->log.num_warnings > 0)
        return view_reload(viewer);

    view_textures textures = {.num_meshes = 0};
    if (!view_load_scene_textures(&loader, &document->scene, &textures))
        return false;
    const bool has_layers = textures.layers.num_meshes > 0;
    if (has_layers) {
        view_free_textures(&textures, viewer->renderer);
        return view_reload(viewer);
    }
    view_free_textures(&document->textures, viewer->renderer);
    document->textures = textures;
    return true;
}

// Does the work that was deferred so that the first image appears sooner. Returns true if there was
// such work. Loads the guest and measures the document again. Stores the state of the files on
// disk, so that later changes of them are noticed.
bool view_finish_opening(view_state *viewer)
{
    const view_loader loader = make_loader(viewer);
    if (!viewer->opening.has_deferred_work)
        return false;
    viewer->opening.has_deferred_work = false;
    // In a browser, the file of the guest may not be downloaded yet.
    if (viewer->opening.guest_path != NULL && common_is_file(viewer->opening.guest_path))
        view_load_guest(viewer->document, viewer->opening.guest_path, &loader);
    view_measure(viewer);
    view_store_files_stamp(viewer);
    return true;
}

// Reads the environment map of the option --environment. Returns false and logs an error on
// failure. Without the option, destroys the current environment map. Without a renderer, does
// nothing and returns true, because the map could not be used.
bool view_select_environment(view_state *viewer)
{
    const char *const path = viewer->options->environment;
    view_environment *const environment = &viewer->drawing.environment;
    if (viewer->renderer == NULL)
        return true;
    if (path != NULL)
        return view_load_environment(environment, viewer->renderer, path, &viewer->log);
    md5gl_destroy_environment(viewer->renderer, environment->light);
    environment->light = NULL;
    return true;
}

// Moves the camera after the number of a crowd's members has changed from `old_count`. Frames the
// crowd, unless options set the camera. If the crowd was turned off, restores the camera that the
// single model had before.
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

// Adds copies of the file names of a document: model, clips and camera path. Clips that were found
// in the model's folder are omitted, because they are found again.
static void list_document_files(const view_document *document, common_list *files)
{
    const view_scene *const scene = &document->scene;
    const size_t num_clips = scene->has_found_clips ? 0 : scene->num_clips;
    if (scene->model != NULL)
        common_add(files, common_copy(view_shown_file(document)));
    for (size_t i = 0; i < num_clips; i++)
        common_add(files, common_copy(scene->clips[i].path));
    if (scene->camera_path.camera != NULL)
        common_add(files, common_copy(scene->camera_path.path));
}

// State that a reload preserves, because open_files() frees or resets it.
typedef struct reload_state {
    bool shows_bind_pose;
    bool plays_demo; // the demo scene plays
    size_t clip;
    int32_t selected_joint;
    int32_t selected_mesh;
    uint32_t crowd_count;
} reload_state;

// Returns the selection of the user, which is restored after the files were reloaded.
static reload_state store_reload_state(const view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    return (reload_state){
        .shows_bind_pose = view_is_bind_pose(scene) && scene->model != NULL,
        .plays_demo = scene->machine.plays_demo,
        .clip = scene->clip,
        .selected_joint = viewer->ui.selection.joint,
        .selected_mesh = viewer->ui.selection.mesh,
        .crowd_count = viewer->document->crowd.count,
    };
}

// Applies the state of the previous document to the reloaded document. The clip is selected unless
// the reloaded document has fewer clips.
static void restore_reload_state(view_state *viewer, const reload_state *state)
{
    view_scene *const scene = &viewer->document->scene;
    if (state->clip < scene->num_clips)
        view_select_clip(scene, state->clip);
    (void)view_apply_script_options(viewer);
    view_show_bind_pose(scene, state->shows_bind_pose, NULL);
    viewer->ui.selection.joint = state->selected_joint;
    viewer->ui.selection.mesh = state->selected_mesh;
    scene->machine.plays_demo = state->plays_demo;
    view_store_files_stamp(viewer);
    view_show_meshes(viewer->document, viewer->options->hidden_meshes);
    view_measure(viewer);
    frame_changed_crowd(viewer, state->crowd_count);
}

// Opens the files of the document again, for example after they have changed. The new document has
// the same files, options and companions as the current document. Then restores the state of the
// user interface. On failure, keeps the current document and returns false.
bool view_reload(view_state *viewer)
{
    const view_document *const current = viewer->document; // freed by open_files()
    const reload_state state = store_reload_state(viewer);
    common_list files = {0};
    list_document_files(current, &files);
    // While the crowd is turned off, the names of its other models are kept, because undo may turn
    // it on again.
    common_list kept_names = {0};
    common_list *const crowd_names = viewer->options->crowd > 0 ? &files : &kept_names;
    for (size_t i = 0; i < current->crowd.files.count; i++)
        common_add(crowd_names, common_copy(current->crowd.files.names[i]));

    const document_files request = {
        .files = &files,
        .finds_clips = current->scene.has_found_clips,
        .uses_options = current->uses_options,
        .is_reload = true,
        .guest_path = current->companions[VIEW_GUEST].path,
        .scenery = current->scenery.path,
    };
    const bool is_open = open_files(viewer, &request);
    if (is_open) {
        for (size_t i = 0; i < kept_names.count; i++)
            common_add(&viewer->document->crowd.files, common_copy(kept_names.names[i]));
        restore_reload_state(viewer, &state);
    }
    common_free_list(&kept_names);
    common_free_list(&files);
    return is_open;
}

// == Lessons =====================================================================================

// Shows a lesson instead of the document. The lesson starts at time 0, unless the option
// --animation-time sets the time.
static void show_page_at_start(view_state *viewer, int32_t number)
{
    view_close_page(viewer);
    view_open_page(&viewer->pages, number);
    viewer->cameras.follows_path = false;
    const view_page *const page = view_page_at((uint32_t)number); // NULL: the list of lessons
    if (page != NULL && !viewer->options->azimuth_given)
        viewer->cameras.user.azimuth = view_page_azimuth(page);
    if (viewer->options->num_times == 0)
        viewer->play.time = 0;
    viewer->play.held_at_end = false;
}

// Opens the character of a lesson, unless it is already the document. Returns false and logs an
// error on failure.
static bool open_lesson_character(view_state *viewer, const view_page *page, const char *models)
{
    char *const path = common_join(models, page->model != NULL ? page->model : VIEW_DEFAULT_MODEL);
    const char *const shown = viewer->document->scene.path;
    const bool is_same_file = shown != NULL && strcmp(path, shown) == 0;
    const bool is_shown = is_same_file && view_get_mode(viewer->document) == VIEW_MODE_CLIPS;
    const char *const files[1] = {path};
    const bool is_open = is_shown || view_open(viewer, files, 1, false);
    free(path);
    return is_open;
}

// Opens a lesson with its character, or the list of lessons. Returns false and logs an error on
// failure.
bool view_open_lesson(view_state *viewer, int32_t number)
{
    const view_page *const page = number >= 0 ? view_page_at((uint32_t)number) : NULL;
    if (page != NULL && view_send_page_request(page->name))
        return true;
    char *const models = view_find_models_folder();
    if (models == NULL)
        return view_error(&viewer->log,
                          "--lesson: example models not found; install md5model with its models");

    const bool is_open = page == NULL || open_lesson_character(viewer, page, models);
    free(viewer->pages.folder);
    viewer->pages.folder = models;
    if (!is_open)
        return false;
    view_clear_start(&viewer->ui, &viewer->panels.start);
    show_page_at_start(viewer, number);
    return true;
}

// Results of find_slider() that are not indices.
enum { SLIDER_UNKNOWN = -1, SLIDER_AMBIGUOUS = -2 };

// Returns the index of a slider of a lesson, or one of the values above. A unit can be omitted: a
// name also fits the part of a slider's name before a comma or a space. If it fits several sliders
// in this way, it is ambiguous.
static int find_slider(const view_page *page, const char *name)
{
    const size_t length = strlen(name);
    int found = SLIDER_UNKNOWN;
    for (int i = 0; i < (int)view_num_sliders(page); i++) {
        const char *const slider_name = page->sliders[i].name;
        if (strncmp(slider_name, name, length) != 0)
            continue;
        const char next_char = slider_name[length];
        if (next_char == '\0')
            return i;
        if (next_char == ',' || next_char == ' ')
            found = found == SLIDER_UNKNOWN ? i : SLIDER_AMBIGUOUS;
    }
    return found;
}

// Logs that --set does not name one slider of a lesson, with the valid names. Returns false.
static bool report_slider(view_log *log, const view_page *page, const char *name, bool is_ambiguous)
{
    char names[256] = "";
    for (uint32_t i = 0; i < view_num_sliders(page); i++)
        common_append(names, sizeof names, ", ", "'%s'", page->sliders[i].name);
    return view_error(log, "--set %s: %s slider of lesson %s; valid names: %s", name,
                      is_ambiguous ? "ambiguous" : "unknown", page->name, names);
}

// Sets a slider of a lesson to the value that the option --set gives. Returns false and logs an
// error if the slider does not exist, or if the value is invalid for it.
static bool set_slider(view_state *viewer, const view_page *page, const view_setting *setting)
{
    const char *const name = setting->parameter;
    const int number = find_slider(page, name);
    if (number < 0)
        return report_slider(&viewer->log, page, name, number == SLIDER_AMBIGUOUS);
    if (setting->time != 0)
        return view_error(&viewer->log,
                          "--set %s: @TIME is not supported for the sliders of a lesson", name);

    const view_slider *const slider = &page->sliders[number];
    const bool is_integer = slider->words != NULL;
    const bool is_in_range = setting->value >= slider->low && setting->value <= slider->high;
    const bool has_fraction = setting->value != floorf(setting->value);
    if (!is_in_range || (is_integer && has_fraction))
        return view_error(&viewer->log, "--set %s=%g: expected a%s number from %g to %g", name,
                          setting->value, is_integer ? " whole" : "", slider->low, slider->high);
    viewer->pages.values[number] = setting->value;
    return true;
}

// Sets a slider of the open lesson. Without a lesson, sets a parameter of the state machine.
bool view_set_parameter(view_state *viewer, const view_setting *setting)
{
    const view_page *const page =
        viewer->pages.open >= 0 ? view_page_at((uint32_t)viewer->pages.open) : NULL;
    if (page != NULL)
        return set_slider(viewer, page, setting);

    const view_machine *const machine = &viewer->document->scene.machine;
    uint32_t parameter = MD5_NONE;
    if (view_get_mode(viewer->document) == VIEW_MODE_MACHINE)
        parameter = md5_find_parameter(machine->character->machine, setting->parameter);
    if (parameter == MD5_NONE)
        return view_error(
            &viewer->log,
            "--set %s: parameter not found: expected a parameter of an open state machine",
            setting->parameter);
    return md5_player_set(machine->player, parameter, setting->value);
}

// Logs an error about a lesson that does not exist. If an earlier version had the lesson, the
// message names its replacement. Returns false.
static bool report_unknown_lesson(view_state *viewer, const char *name)
{
    const common_removed *const removed =
        common_find_removed(view_removed_pages, view_num_removed_pages, name, strlen(name));
    if (removed != NULL)
        return view_error(&viewer->log, "--lesson %s was removed: %s", name, removed->advice);
    return view_error(&viewer->log,
                      "--lesson %s: unknown lesson; use --lesson list to print the names", name);
}

// Opens the lesson of the option --lesson, and sets its sliders to the values of --set. Returns
// false and logs an error on failure. The value "contents" opens the list of all lessons, which
// does not have sliders. An unknown name or an invalid slider value is an error.
bool view_select_page(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const char *const name = options->page;
    if (name == NULL)
        return true;
    const bool is_list = strcmp(name, "contents") == 0; // the list of all lessons
    const int32_t number = is_list ? VIEW_CONTENTS : view_find_page(name);
    if (number < 0)
        return report_unknown_lesson(viewer, name);
    if (is_list && options->settings.count > 0)
        return view_error(&viewer->log,
                          "--set has no effect on the list of lessons; name a lesson");

    if (!view_open_lesson(viewer, number))
        return false;
    for (size_t i = 0; i < options->settings.count; i++) {
        if (!set_slider(viewer, view_page_at((uint32_t)number), &options->settings.rows[i]))
            return false;
    }
    return true;
}
