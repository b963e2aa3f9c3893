// Everything about files in a window. This file contains the lists of folders, archives and games
// with previews, and the use of dropped and selected files. It also contains textures, repairs, the
// start page, the first document, and the commands for all of these.
//
// view_run_file_command() runs a command; view_update_files() runs the background work once per
// frame.
#include "demo/viewer/jobs/check.h"
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/view.h"

#include "demo/common/text.h"

// == Stored settings =============================================================================

// -- Configuration -------------------------------------------------------------------------------

// Stores the options and the settings of the shown document in the configuration file. `is_soon`:
// see view_store_config(). Returns false and logs an error on failure.
static bool store_state(view_state *viewer, bool is_soon)
{
    view_store_shown_document(viewer);
    return view_store_config(viewer->config, viewer->options, is_soon, &viewer->log);
}

void view_save_config(view_state *viewer)
{
    view_end_hover_preview(viewer);
    if (viewer->config != NULL)
        store_state(viewer, false);
}

// Returns the name of the shown document in the listed game, or NULL; the caller frees it.
static char *shown_game_name(const view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    const view_library *const listed = viewer->lists.game;
    view_address address;
    if (listed == NULL || scene->library != listed)
        return NULL;
    if (!view_read_address(scene->path, &address))
        return NULL;
    char *const name = common_copy(address.name);
    view_free_address(&address);
    return name;
}

// == Previews of files and games =================================================================

// Collects the thumbnails that the last image requested and that are not drawn yet. If `is_in_game`
// is true, these are thumbnails of names in the game, otherwise of files. Returns their number.
static size_t collect_missing(view_state *viewer, bool is_in_game,
                              view_thumbnail *missing[VIEW_MAX_THUMBNAILS])
{
    size_t count = 0;
    for (int i = 0; i < VIEW_MAX_THUMBNAILS; i++) {
        view_thumbnail *const thumbnail = &viewer->ui.pictures[i];
        const bool is_requested = thumbnail->request != NULL && !thumbnail->is_valid;
        if (is_requested && thumbnail->is_in_game == is_in_game)
            missing[count++] = thumbnail;
    }
    return count;
}

// Stores a finished preview as a thumbnail, and uploads its image as a texture.
static void store_preview(view_thumbnail *thumbnail, const view_preview *preview,
                          md5gl_renderer *renderer)
{
    const view_image *const image = &preview->image;
    thumbnail->is_valid = true;
    thumbnail->is_wrong = preview->is_wrong;
    thumbnail->num_missing = preview->num_missing;
    thumbnail->width = image->width;
    thumbnail->height = image->height;
    memcpy(thumbnail->info, preview->info, sizeof thumbnail->info);
    if (image->rgba != NULL && renderer != NULL)
        thumbnail->texture = view_make_texture(renderer, image->rgba, image->width, image->height);
}

// Requests visible previews that are missing, and stores previews that are complete. If
// `is_in_game` is true, updates the previews of the listed game, otherwise of files. Returns true
// if the image changes.
static bool update_thumbnails(view_state *viewer, view_previews **previews, bool is_in_game)
{
    const bool is_game_closed = is_in_game && viewer->lists.game == NULL;
    view_drop_previews(viewer, is_in_game, is_game_closed);

    // The previews are created when the first thumbnail is requested.
    view_thumbnail *missing[VIEW_MAX_THUMBNAILS];
    const size_t count = collect_missing(viewer, is_in_game, missing);
    if (*previews == NULL && count > 0)
        *previews = view_begin_previews(is_in_game ? viewer->lists.game->location : NULL,
                                        view_find_models_folder());
    if (*previews == NULL)
        return false;

    const char *requests[VIEW_MAX_THUMBNAILS];
    const view_preview *finished[VIEW_MAX_THUMBNAILS]; // NULL: not finished
    const view_preview_drawer drawer = {view_draw_preview, viewer};
    for (size_t i = 0; i < count; i++)
        requests[i] = missing[i]->request;
    bool is_changed = view_update_previews(*previews, requests, count, &drawer, finished);
    for (size_t i = 0; i < count; i++) {
        if (finished[i] != NULL) {
            store_preview(missing[i], finished[i], viewer->renderer);
            is_changed = true;
        }
    }
    return is_changed;
}

bool view_update_file_previews(view_state *viewer)
{
    const bool has_files = update_thumbnails(viewer, &viewer->lists.file_previews, false);
    return update_thumbnails(viewer, &viewer->lists.game_previews, true) || has_files;
}

// == Failed commands =============================================================================

// Stores the command that has led to an error.
static void store_failed_command(view_state *viewer, const view_command *command)
{
    char *const path = common_copy(command->path); // `command` may be viewer->failed
    free(viewer->opening.failed.path);
    viewer->opening.failed = *command;
    viewer->opening.failed.path = path;
}

// == Lists of folders and archives ===============================================================

// -- Locations -----------------------------------------------------------------------------------

// Returns the home folder, or the current folder.
static const char *home_folder(void)
{
    const char *const home = getenv("HOME");
    const char *const profile = getenv("USERPROFILE");
    if (home != NULL)
        return home;
    return profile != NULL ? profile : ".";
}

// Adds a folder or a game to the list of locations. The path "" adds an empty entry. A game that is
// already in the list is not added again. The first five entries are folders with fixed meanings
// (see list_locations()), so they are added even if two of them are equal.
static void add_location(view_state *viewer, const char *path)
{
    enum { NUM_FOLDERS = 5 };
    common_list *const locations = &viewer->panels.browser.locations;
    for (size_t i = NUM_FOLDERS; i < locations->count; i++) {
        if (strcmp(locations->names[i], path) == 0)
            return;
    }
    common_add(locations, path[0] != '\0' ? common_canonical_path(path) : common_copy(""));
}

// Lists the locations of the browser: five folders in a fixed order, then the recent games. The
// folders are the recent files, the home folder, the folder of the shown file, our models, and the
// root. The entry of the recent files is "", and so is the entry of a folder that does not exist.
static void list_locations(view_state *viewer, const char *shown)
{
    const view_config *const config = viewer->config;
    const view_scene *const scene = &viewer->document->scene;
    char *const models = view_find_models_folder();
    char *const shown_folder = common_folder(shown != NULL ? shown : "");
    const bool has_shown_folder = scene->library == NULL && common_is_folder(shown_folder);
    common_free_list(&viewer->panels.browser.locations);
    add_location(viewer, "");
    add_location(viewer, home_folder());
    add_location(viewer, has_shown_folder ? shown_folder : "");
    add_location(viewer, models != NULL ? models : "");
    add_location(viewer, "/");
    free(models);
    free(shown_folder);

    for (size_t i = 0; config != NULL && i < config->recent.count; i++) {
        view_address address;
        if (!view_read_address(config->recent.names[i], &address))
            continue;
        add_location(viewer, address.location);
        view_free_address(&address);
    }
}

// Shows the list of the files in a folder. `purpose` determines the use of the selected file.
static void list_files(view_state *viewer, const char *folder, view_list_purpose purpose)
{
    view_browser *const browser = &viewer->panels.browser;
    const char *const shown = view_shown_file(viewer->document);
    list_locations(viewer, shown);
    free(browser->purpose.form);
    browser->purpose = purpose;
    view_browse_folder(browser, folder, shown, viewer->config);
}

void view_list_location(view_state *viewer, const char *path)
{
    if (view_is_game(path))
        view_browse_game(viewer, path);
    else
        list_files(viewer, path, (view_list_purpose){.accepted_kinds = 0});
}

// -- Listing -------------------------------------------------------------------------------------

// Lists a section of the open game, such as its models. Does nothing if no game is open. The
// list marks the name of the shown document, if the document is from this game.
void view_show_section(view_state *viewer, size_t section)
{
    if (viewer->lists.game == NULL || section >= VIEW_NUM_SECTIONS)
        return;
    char *const name = shown_game_name(viewer);
    viewer->lists.section = (view_section)section;
    view_list_section(&viewer->panels.browser, viewer->lists.game, viewer->lists.section, name);
    free(name);
}

// Lists the contents of a game, which is scanned on a thread if it is not open.
void view_browse_game(view_state *viewer, const char *location)
{
    char *const whole = view_with_bases(location, NULL, 0);
    if (viewer->lists.game != NULL && strcmp(viewer->lists.game->location, whole) == 0) {
        view_show_section(viewer, viewer->lists.section);
    } else {
        view_stop_scan(viewer->jobs.scan);
        viewer->jobs.scan = view_begin_scan(whole);
        view_list_scan(&viewer->panels.browser, whole);
    }
    free(whole);
}

// Opens another document with its stored settings. If it cannot be opened, the settings of the
// shown document are restored.
static bool open_document(view_state *viewer, const char *const *files, size_t num_files)
{
    view_options *const options = viewer->options;
    view_store_shown_document(viewer);
    view_options before = view_copy_options(options, VIEW_SCOPE_ANY, VIEW_SCOPE_CAMERA);
    memset(options->is_given, 0, view_num_options);
    view_restore_options(options, NULL, VIEW_SCOPE_ANY, VIEW_SCOPE_CAMERA);

    const bool is_open = view_open(viewer, files, num_files, true);
    if (!is_open)
        view_restore_options(options, &before, VIEW_SCOPE_ANY, VIEW_SCOPE_CAMERA);
    view_free_options(&before);

    view_apply_options(viewer);
    if (is_open) {
        view_close_page(viewer); // the lesson needs another character
        view_apply_start_options(viewer);
    }
    return is_open;
}

// Opens a file. If `is_name` is true, opens an entity or a model of the listed game instead. `skin`
// is the skin of the entity; NULL: the skin that the game defines. Shows a notice if this fails.
static void open_item(view_state *viewer, const char *file, bool is_name, const char *skin)
{
    char *address = NULL;
    if (is_name)
        address = view_make_address(viewer->lists.game->location, file, skin);
    const char *const files[1] = {is_name ? address : file};
    if (!open_document(viewer, files, 1)) {
        const bool is_canceled = viewer->log.has_stopped;
        const char *const reason = is_canceled ? "Opening %s was canceled" : "Cannot open %s";
        view_notice(viewer, reason, common_base(file));
    }
    free(address);
}

// Replaces the listed game by `library`, frees the previews of the former game, and selects the
// first section that contains names.
static void replace_library(view_state *viewer, view_library *library)
{
    view_drop_library(viewer->lists.game);
    viewer->lists.game = library;

    // The previews belong to the former game.
    view_stop_previews(viewer->lists.game_previews);
    viewer->lists.game_previews = NULL;
    view_drop_previews(viewer, true, true);

    int section = 0;
    while (section < VIEW_NUM_SECTIONS && library->num_names[section] == 0)
        section++;
    const bool is_empty = section == VIEW_NUM_SECTIONS;
    viewer->lists.section = is_empty ? VIEW_ENTITIES : (view_section)section;
}

// Returns true for an archive with a single character.
static bool has_single_model(const view_library *library)
{
    return common_is_archive(library->location) && library->num_names[VIEW_ENTITIES] <= 1
           && library->num_names[VIEW_MODELS] == 1;
}

// Replaces the listed game by a scanned game, and warns about declarations that were skipped.
// `is_awaited` means that the user waits for the list. It is then shown. If the game contains a
// single model, this model is opened instead.
static void show_scanned_game(view_state *viewer, view_library *library, bool is_awaited)
{
    const uint32_t num_skipped = md5_game_num_unread(library->game);
    if (num_skipped > 0)
        view_warn(&viewer->log, "%s: skipped %u declaration %s; run md5tool check for the reasons",
                  library->location, num_skipped, common_noun(num_skipped, "file", "files"));
    replace_library(viewer, library);
    if (!is_awaited)
        return;
    if (has_single_model(library)) {
        view_clear_browser(&viewer->panels.browser);
        open_item(viewer, library->names[viewer->lists.section][0], true, NULL);
    } else {
        view_show_section(viewer, viewer->lists.section);
    }
}

// Ends a scan and shows its result, the contents of the game. If the game contains a single model,
// shows the model instead. If the game cannot be opened, logs an error and closes the list.
static void end_scan(view_state *viewer)
{
    md5_error error = {0};
    char *const location = common_copy(viewer->jobs.scan->location);
    view_library *const library = view_end_scan(viewer->jobs.scan, &error);
    viewer->jobs.scan = NULL;

    const bool is_awaited = viewer->panels.browser.is_scanning; // the user has not closed the list
    if (library != NULL) {
        show_scanned_game(viewer, library, is_awaited);
    } else {
        view_log_error(&viewer->log, &error);
        store_failed_command(viewer, &(view_command){.action = VIEW_OPEN_GAME, .path = location});
        if (is_awaited)
            view_clear_browser(&viewer->panels.browser);
    }
    free(location);
    view_log_state(viewer, "scanned");
}

// Shows the progress of a scan or, when it has ended, its result. Returns true if the image
// changes. A scan reads the contents of a game on a thread. The list shows the number of files
// that were found so far, unless the user has closed it.
bool view_update_scan(view_state *viewer)
{
    size_t num_files = 0;
    if (viewer->jobs.scan == NULL)
        return false;
    if (view_is_scan_done(viewer->jobs.scan, &num_files))
        end_scan(viewer);
    else if (viewer->panels.browser.is_scanning)
        viewer->panels.browser.num_scanned = num_files;
    return true;
}

// == Textures ====================================================================================

// Selects a mesh and opens the inspector with the list of its textures, also if panels are hidden.
static void open_textures(view_state *viewer, uint32_t mesh)
{
    const md5_model *const model = viewer->document->scene.model;
    if (model == NULL || mesh >= model->num_meshes)
        return;
    view_select_mesh(&viewer->ui, viewer->uptime, mesh);
    viewer->ui.folded &= ~(1u << UI_SECTION_TEXTURES);
    view_set_switch(viewer, VIEW_OPTION(shown.panel), true);
    view_set_switch(viewer, VIEW_OPTION(shown.inspector), true);
    viewer->ui.docks.is_sheet_open = true;
    viewer->ui.docks.is_folded = false;
}

// Returns the mesh for commands about textures. It is the selected mesh. If none is selected, it is
// the mesh of the last click, otherwise the first mesh.
static uint32_t selected_texture_mesh(const view_state *viewer)
{
    const view_selection *const selection = &viewer->ui.selection;
    if (selection->mesh >= 0)
        return (uint32_t)selection->mesh;
    return selection->pick.is_set ? selection->pick.mesh : 0;
}

// Returns the new value of the option of a map, such as --texture, after the image of one mesh is
// replaced. It consists of the present entries without those of this mesh, then the entry
// MESH=PATH. If `path` is NULL, the mesh gets no entry. The caller frees the text.
static char *write_map_option(const view_state *viewer, size_t mesh, md5gl_image_kind map,
                              const char *path)
{
    const md5_model *const model = viewer->document->scene.model;
    char *text = common_copy("");
    for (size_t i = 0; i < viewer->options->maps[map].count; i++) {
        const char *const entry = viewer->options->maps[map].names[i]; // [MESH=]PATH
        const char *const equals = strchr(entry, '=');
        const bool is_of_mesh =
            equals != NULL && view_is_mesh(model, (uint32_t)mesh, entry, (size_t)(equals - entry));
        if (!is_of_mesh)
            common_extend(&text, "%s\n", entry);
    }
    if (path != NULL)
        common_extend(&text, "%zu=%s\n", mesh, path);
    return text;
}

// Assigns an image to a map of a mesh; NULL: the image that is found automatically. Replaces the
// mesh's entries of the option --texture or of the option of another map.
static void assign_texture(view_state *viewer, size_t mesh, md5gl_image_kind map, const char *path)
{
    const view_option *const option = view_get_map_option(map);
    if (mesh >= viewer->document->textures.num_meshes || option == NULL)
        return;

    // The entries of the option are separated by line breaks.
    char *const full_path = path != NULL ? common_absolute(path) : NULL;
    if (full_path != NULL && strchr(full_path, '\n') != NULL) {
        view_notice(viewer, "File names with line breaks are not supported");
        free(full_path);
        return;
    }
    char *const entries = write_map_option(viewer, mesh, map, full_path);
    free(full_path);
    free(viewer->panels.textures.offered);
    viewer->panels.textures.offered = NULL;

    const bool is_set = view_set_option(viewer, option, common_text_value(entries));
    free(entries);
    if (!is_set) {
        view_notice(viewer, "Cannot read %s; %s of mesh %zu is unchanged",
                    path != NULL ? common_base(path) : "the image", view_map_name(map), mesh);
        return;
    }
    view_notice(viewer, "%s of mesh %zu: %s", view_map_name(map), mesh,
                path != NULL ? common_base(path) : "automatic");
}

// Saves the materials after the user has confirmed their path; otherwise asks for the confirmation.
// `is_sure` is true if the user pressed the button that confirms. The confirmation is not valid if
// the path has changed since it was shown, or if a file at the path has appeared or disappeared.
static void save_textures(view_state *viewer, bool is_sure)
{
    view_texture_panel *const panel = &viewer->panels.textures;
    const view_textures *const textures = &viewer->document->textures;
    char *const confirmed_path = panel->saved;
    panel->saved = NULL;
    char *const path = view_materials_path(textures);
    if (path == NULL) {
        view_notice(viewer, "Cannot save materials into an archive");
        free(confirmed_path);
        return;
    }

    const bool exists = common_is_file(path);
    const bool is_same_path = confirmed_path != NULL && strcmp(path, confirmed_path) == 0;
    const bool is_confirmed = is_sure && is_same_path && panel->replaces == exists;
    free(confirmed_path);
    if (!is_confirmed) {
        open_textures(viewer, selected_texture_mesh(viewer));
        panel->saved = path;
        panel->replaces = exists;
        return;
    }
    const uint32_t count =
        view_save_materials(textures, viewer->document->scene.model, &viewer->log);
    view_notice(viewer, count > 0 ? "Saved %s" : "Cannot save %s, see Problems", path);
    free(path);
}

// == Dropped files ===============================================================================

// Checks the clip that was added to the scene, which is its current clip, and shows it.
static void show_added_clip(view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    view_check_clips(scene, scene->clip, &viewer->log);
    view_change_clip(viewer, scene->clip);
}

// Lists the folder of files, with these files first.
static void list_folder_with(view_state *viewer, const common_list *files,
                             view_list_purpose purpose)
{
    char *const folder = common_folder(files->names[0]);
    list_files(viewer, folder, purpose);
    view_list_first(&viewer->panels.browser, files);
    free(folder);
}

// Lists the folder of a model that was dropped on the open model, with buttons for its uses. If the
// file has an error, opens the model instead, so that the error is shown.
static void list_uses(view_state *viewer, char *path)
{
    const md5_load_opts opts = {.skip_geometry = MD5_GEOMETRY_ALL};
    md5_model *const model = md5_load_model(path, &opts, NULL);
    if (model != NULL)
        list_folder_with(viewer, &(common_list){&path, 1}, (view_list_purpose){.is_dropped = true});
    else
        view_drop(viewer, path);
    md5_free_model(model);
}

// Opens a clip without a named model, on the model in its folder that it fits. If several models
// fit, opens the clip alone and lists the models. `is_first` is true for the first document of the
// program: the settings of a former document are then not stored.
static bool open_clip(view_state *viewer, const char *path, bool is_first)
{
    common_list models = view_list_models_for_clip(path);
    const bool has_one_model = models.count == 1;
    const char *const files[2] = {has_one_model ? models.names[0] : path, path};
    const size_t num_files = has_one_model ? 2 : 1;
    const bool is_open = is_first ? view_open(viewer, files, num_files, true)
                                  : open_document(viewer, files, num_files);
    if (is_open && models.count > 1)
        list_folder_with(viewer, &models,
                         (view_list_purpose){.accepted_kinds = 1u << VIEW_ENTRY_MODEL});
    common_free_list(&models);
    return is_open;
}

// Opens a clip of another skeleton on its own model, and retargets it to the shown model. `path` is
// the clip's path, or "MODEL\nCLIP". If the model is not named, the clip's folder must contain
// exactly one model that fits. Otherwise lists models. The user's selection runs this command again
// with "MODEL\nCLIP".
static void map_joints(view_state *viewer, const char *path)
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
        if (open_document(viewer, files, 2)) {
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
        list_folder_with(viewer, &models, purpose);
    }
    common_free_list(&models);
    free(target);
}

// Assigns a dropped image to the only mesh. If the model has several meshes, the user selects one.
static void drop_image(view_state *viewer, const char *path)
{
    view_clear_start(&viewer->ui, &viewer->panels.start);
    if (viewer->document->scene.model->num_meshes == 1) {
        assign_texture(viewer, 0, view_guess_map(path), path);
        return;
    }
    open_textures(viewer, selected_texture_mesh(viewer));
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
        is_open = open_document(viewer, files, 2);
        free(model);
    } else {
        is_open = view_add_clip(scene, path, &viewer->log);
        if (is_open)
            show_added_clip(viewer);
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
    const bool is_open = open_document(viewer, files, keeps_path ? 2 : 1);
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
        is_open = open_clip(viewer, path, false);
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

// -- Repairs -------------------------------------------------------------------------------------

// Adds the line "COUNT NOUN DESCRIPTION" about a repair, if it has changed anything. Returns false
// if the repair failed: `count` is MD5_NONE.
static bool note_repair(char **lines, uint32_t count, const char *singular, const char *plural,
                        const char *description)
{
    if (count == MD5_NONE)
        return false;
    if (count > 0)
        common_extend(lines, "%u %s %s\n", count, common_noun(count, singular, plural),
                      description);
    return true;
}

// Returns true if bounding boxes of a clip are missing or do not contain the model. Adds the
// diagnostics of the clip, if it is in the scene, to its check.
static bool has_wrong_bounds(const md5_doc *doc, const view_scene *scene, md5_check *check)
{
    for (size_t i = 0; i < scene->num_clips; i++) {
        const view_clip *const clip = &scene->clips[i];
        if (clip->binding != NULL && common_same_file(clip->path, check->file))
            (void)md5_check_binding(check, clip->binding);
    }
    for (uint32_t i = 0; i < check->num_diagnostics; i++) {
        if (strncmp(check->diagnostics[i].rule, "bounds", strlen("bounds")) == 0)
            return true;
    }
    return doc->bounds == NULL;
}

// Converts a clip to the space and the skeleton of the model. Recomputes bounding boxes that are
// missing or wrong, but not boxes that are only larger than necessary.
static bool repair_clip(md5_doc *doc, const view_scene *scene, md5_check *check, char **lines,
                        md5_error *error)
{
    const bool is_wrong = has_wrong_bounds(doc, scene, check);
    const uint32_t moved = md5_edit_space(doc, &check->space, error);
    if (!note_repair(lines, moved, "joint", "joints",
                     "converted to the scale and orientation of the model"))
        return false;
    if (!note_repair(lines, md5_fix_joints(doc, scene->model, false, error), "joint", "joints",
                     "adapted to the skeleton of the model"))
        return false;
    if (moved == 0 && !is_wrong)
        return true;
    return note_repair(lines, md5_fix_bounds(doc, scene->model, error), "bounding box",
                       "bounding boxes", "recomputed from the mesh");
}

// Repairs a document of a model, and appends a line to `lines` for each kind of repair that has
// changed anything. Returns false after an error.
static bool repair_model(md5_doc *doc, char **lines, md5_error *error)
{
    const md5_joint_edit order = {.root = NULL};
    return note_repair(lines, md5_fix_rotations(doc, error), "rotation", "rotations", "normalized")
           && note_repair(lines, md5_fix_weights(doc, 0, 1e-3f, NULL, error), "vertex", "vertices",
                          "with weights scaled to a sum of 1")
           && note_repair(lines, md5_edit_joints(doc, &order, error), "joint", "joints",
                          "sorted so that parents come first");
}

// Repairs the document of a model or a clip. Appends a line to `lines` for each kind of repair that
// has changed anything. A clip is adapted to the model of the scene; without a model it is not
// changed. Returns false and sets the error on failure.
static bool repair_doc(md5_doc *doc, md5_check *check, bool is_clip, const view_scene *scene,
                       char **lines, md5_error *error)
{
    if (!is_clip)
        return repair_model(doc, lines, error);
    if (scene->model == NULL)
        return true;
    return repair_clip(doc, scene, check, lines, error);
}

// Repairs everything in a file that id's engine rejects or shows wrong and that can be repaired
// automatically. Returns the new text, and adds the changes to the lines. The caller frees the
// text. Returns NULL and sets the error on failure.
static char *repair_file(const char *path, const view_scene *scene, size_t *size, char **lines,
                         md5_error *error)
{
    const uint32_t engine = md5_find_engines("doom3");
    const bool is_clip = common_has_suffix(path, ".md5anim");
    const md5_doc_kind kind = is_clip ? MD5_DOC_ANIM : MD5_DOC_MODEL;
    const md5_load_opts opts = {.file_name = path};
    char *const text = convert_read_file(path, size, error);
    if (text == NULL)
        return NULL;

    md5_doc *const doc = md5_parse_doc(kind, text, *size, &opts, error);
    md5_check *check = NULL;
    if (doc != NULL)
        check = md5_check_doc(kind, text, *size, (md5_engines){engine, engine}, &opts, error);
    char *repaired = NULL;
    if (check != NULL && repair_doc(doc, check, is_clip, scene, lines, error))
        (void)convert_print_doc(doc, &repaired, size, error);
    md5_free_check(check);
    md5_free_doc(doc);
    free(text);
    return repaired;
}

// Shows the changes of a repair in the dialog of problems, with the path of the new file. Takes
// ownership of the lines.
static void show_repair(view_problems *list, const char *path, char *lines)
{
    char *const folder = common_folder(path);
    char *const stem = common_stem(path);
    char *const fixed = common_format("%s-fixed", stem);
    list->repair = lines;
    list->broken = common_copy(path);
    list->repaired = view_find_unused_path(folder, fixed, strrchr(path, '.') + 1);
    free(fixed);
    free(stem);
    free(folder);
}

// Runs the command VIEW_REPAIR. If command->number is 0, only lists the changes in the dialog of
// problems. Otherwise repairs the file into a new file in the same folder, and opens the new file
// if command->item is not 0.
static void repair_or_preview(view_state *viewer, const view_command *command)
{
    view_problems *const list = &viewer->panels.problems;
    const char *const path = command->path;
    const bool is_trial = command->number == 0;
    md5_error error = {.status = MD5_OK};
    size_t size = 0;
    char *lines = common_copy("");
    char *const repaired = repair_file(path, &viewer->document->scene, &size, &lines, &error);
    char *const output = is_trial ? NULL : common_copy(list->repaired);
    view_clear_repair(list); // frees list->repaired

    const convert_job job = {.inputs = &path};
    bool is_done = repaired != NULL;
    if (is_done && !is_trial)
        is_done = convert_write_file(&job, output, repaired, size, &error);

    if (!is_done) {
        view_log_error(&viewer->log, &error);
    } else if (is_trial && lines[0] == '\0') {
        view_notice(viewer, "Nothing in %s can be repaired automatically", common_base(path));
    } else if (is_trial) {
        show_repair(list, path, lines);
        lines = NULL;
    } else {
        view_notice(viewer, "Saved %s", output);
        if (command->item != 0)
            view_drop(viewer, output);
    }
    free(repaired);
    free(output);
    free(lines);
}

// == Names in a game =============================================================================

// Opens the game of the option --game and shows the name in it that is given as first file. Opens
// the game and its base folders as a library. Makes an address from the location of the library and
// the name. Opens this address like a file. Returns false and logs an error on failure.
bool view_open_game_name(view_state *viewer)
{
    md5_error error = {0};
    const view_options *const options = viewer->options;
    char *const location =
        view_with_bases(options->game, options->bases.names, options->bases.count);
    viewer->lists.game = view_open_library(location, NULL, NULL, &error);
    free(location);
    if (viewer->lists.game == NULL)
        return view_log_error(&viewer->log, &error);
    char *const address = view_make_address(viewer->lists.game->location, options->files[0], NULL);
    const char *const files[1] = {address};
    const bool is_open = view_open(viewer, files, 1, true);
    free(address);
    return is_open;
}

// == Background work =============================================================================

// Implements the option --watch. Checks the files of the document four times a second, and reloads
// the document when one of them has changed.
void view_watch_files(view_state *viewer)
{
    if (!viewer->options->watch || viewer->uptime < viewer->opening.next_stamp_time)
        return;
    viewer->opening.next_stamp_time = viewer->uptime + 0.25;
    const uint64_t stamp = view_stamp_files(viewer);
    if (stamp == viewer->opening.files_stamp)
        return;

    // Store the stamp from before reading: files that change during the reload, or were saved only
    // in part, are read again.
    const bool is_reloaded = view_reload(viewer);
    viewer->opening.files_stamp = stamp;
    if (!is_reloaded)
        store_failed_command(viewer, &(view_command){.action = VIEW_RELOAD});
    view_notice(viewer, "%s",
                is_reloaded ? "Reloaded" : "Reload failed; the previous version is kept");
    view_log_state(viewer, "watch");
}

// Runs the command that the user selected in a dialog of the desktop. Returns false while the
// dialog is open.
static bool update_file_dialog(view_state *viewer)
{
    const view_command answer = view_poll_file_dialog(viewer);
    if (answer.action == VIEW_NOTHING)
        return false;
    view_run_file_command(viewer, &answer);
    free(answer.path);
    view_log_state(viewer, "answered");
    return true;
}

// Starts a check of a new document, unless the window is hidden. Returns true if a check has ended.
static bool update_check(view_state *viewer)
{
    const bool is_hidden = viewer->window != NULL && view_is_window_hidden(viewer->window);
    if (viewer->jobs.checked_document != viewer->document && !is_hidden)
        view_begin_check(viewer);
    view_checking *const check = viewer->jobs.check;
    if (check == NULL || !atomic_load(&check->is_done))
        return false;
    view_move_reports(&viewer->log, &check->found, viewer->document->scene.model);
    view_end_check(viewer);
    return true;
}

// Shows a notice about the number of new problems, which opens their list. Does nothing if the list
// is visible.
static void announce_problems(view_state *viewer)
{
    const bool has_new_problems = viewer->log.num_warnings > 0 && !viewer->reports.was_announced;
    const bool is_list_shown = viewer->ui.docks.shows_problems;
    if (!has_new_problems || is_list_shown)
        return;
    const uint32_t count = view_count_problems(&viewer->log);
    viewer->reports.was_announced = true;
    view_notice(viewer, "%u %s" VIEW_DOT "show", count, common_noun(count, "problem", "problems"));
    viewer->ui.notice.action = VIEW_WARNINGS;
}

// Shows the notices that were postponed because another notice was visible, one after the other.
static void show_postponed_notices(view_state *viewer)
{
    if (viewer->uptime >= viewer->ui.notice.end)
        announce_problems(viewer);
    // The notice about problems, if it was shown, has changed the end.
    if (viewer->opening.is_restored && viewer->uptime >= viewer->ui.notice.end) {
        viewer->opening.is_restored = false;
        view_notice(viewer, "Continue last session" VIEW_DOT "reset");
        viewer->ui.notice.action = VIEW_RESET_ALL;
    }
}

// Sets the options whose values are due after a delay. Returns true if a value was due.
static bool run_delayed_commands(view_state *viewer)
{
    view_card *const card = &viewer->panels.card;
    bool was_due = false;
    view_command command = view_pop_delayed_command(card, viewer->uptime);
    while (command.action != VIEW_NOTHING) {
        was_due = true;
        view_execute_set(viewer, &command);
        free(command.path);
        command = view_pop_delayed_command(card, viewer->uptime);
    }
    return was_due;
}

// Stores the configuration once per second. A temporary value under the mouse is not stored.
static void store_state_periodically(view_state *viewer)
{
    const bool is_temporary = viewer->ui.hover_preview.before != NULL;
    if (viewer->config == NULL || is_temporary || viewer->uptime < viewer->config_time + 1)
        return;
    viewer->config_time = viewer->uptime;
    if (!store_state(viewer, true))
        viewer->config_time = INFINITY; // reported once; view_save_config() tries again
}

// Runs the background work of a window, once per frame. Returns true if the image changes. Every
// part of the work must run in every frame. Therefore the results are combined with |=, which
// always calls the function, and not with ||.
bool view_update_files(view_state *viewer)
{
    view_watch_files(viewer);
    bool is_changed = update_file_dialog(viewer);
    is_changed |= update_check(viewer);
    show_postponed_notices(viewer);
    is_changed |= run_delayed_commands(viewer);
    is_changed |= view_update_scan(viewer);
    is_changed |= view_update_file_previews(viewer);
    is_changed |= view_draw_next_thumbnail(viewer);
    is_changed |= view_update_hover_preview(viewer);
    store_state_periodically(viewer);
    return is_changed;
}

// == The start page ==============================================================================

// Lists the recent files on the start page, and marks those that do not exist.
static void list_recent_files(view_start *start, const view_config *config)
{
    for (size_t i = 0; i < config->recent.count; i++) {
        const char *const path = config->recent.names[i];
        view_address address;
        const bool is_in_game = view_read_address(path, &address);
        if (is_in_game)
            view_free_address(&address);
        else if (!common_is_file(path) && !common_is_folder(path))
            start->missing |= 1u << i;
        common_add(&start->recent, common_copy(path));
    }
}

// Opens the start page with lists of recent files, examples and lessons. If it is open, updates the
// lists.
static void show_start(view_state *viewer)
{
    view_start *const start = &viewer->panels.start;
    view_clear_start(&viewer->ui, &viewer->panels.start);
    start->is_open = true;
    view_open_overlay(&viewer->ui, &viewer->panels, VIEW_OVERLAY_START);

    if (viewer->config != NULL)
        list_recent_files(start, viewer->config);
    char *const models = view_find_models_folder();
    if (models != NULL)
        start->examples = view_list_examples(models);
    free(models);
    for (uint32_t i = 0; i < view_num_pages; i++)
        common_add(&start->pages, common_copy(view_page_at(i)->title));
}

// Returns true if the shown file is a model of ours that the user has not opened.
static bool shows_bundled_model(const view_state *viewer, const char *shown)
{
    const view_config *const config = viewer->config;
    if (viewer->panels.start.is_open)
        return true;
    if (viewer->options->num_files > 0)
        return false;
    const bool has_recent = config != NULL && config->recent.count > 0;
    if (has_recent && common_same_file(config->recent.names[0], shown))
        return false;

    char *const found = view_find_models_folder();
    char *const models = found != NULL ? common_canonical_path(found) : NULL;
    char *const path = common_canonical_path(shown);
    const bool is_bundled = models != NULL && common_is_in(path, models);
    free(found);
    free(models);
    free(path);
    return is_bundled;
}

// Returns the folder whose files are listed first. It is the folder of the shown file. If no file
// is shown, it is that of the most recent file. Without recent files, it is the working directory.
// A program that was not started in a terminal can have the root folder as its working directory,
// in which users have no files; then returns the home folder. The caller frees the path.
static char *get_default_folder(const view_state *viewer)
{
    const view_config *const config = viewer->config;
    const char *const shown = view_shown_file(viewer->document);
    if (shown != NULL && common_is_file(shown) && !shows_bundled_model(viewer, shown))
        return common_folder(shown);

    const bool has_recent = config != NULL && config->recent.count > 0;
    char *const folder =
        has_recent ? common_folder(config->recent.names[0]) : common_canonical_path(".");
    const bool is_useful = common_is_folder(folder) && strcmp(folder, "/") != 0;
    if (is_useful)
        return folder;
    free(folder);
    return common_copy(home_folder());
}

// Lists images for a map of a mesh, in the folder of its current image or of the model.
static void list_images(view_state *viewer, const view_command *command)
{
    const view_textures *const textures = &viewer->document->textures;
    const size_t mesh = command->number;
    const view_texture *image = NULL;
    if (mesh < textures->num_meshes)
        image = view_mesh_image(textures, (uint32_t)mesh, MD5GL_IMAGE_DIFFUSE);

    const char *neighbor = "./";
    if (image != NULL && image->program == NULL)
        neighbor = image->path;
    else if (textures->package != NULL)
        neighbor = textures->package->model;

    char *const folder = common_folder(neighbor);
    const view_list_purpose purpose = {
        .accepted_kinds = 1u << VIEW_ENTRY_PICTURE,
        .answer = {.action = VIEW_ASSIGN_TEXTURE, .number = mesh, .item = command->item}};
    list_files(viewer, folder, purpose);
    free(folder);
}

// Returns the kinds of files that an option accepts, as bits of view_entry_kind.
static unsigned accepted_kinds(const view_option *option)
{
    static const unsigned kinds[] = {
        [VIEW_NAMES_MODEL] = 1u << VIEW_ENTRY_MODEL,
        [VIEW_NAMES_MODEL_OR_CLIP] = 1u << VIEW_ENTRY_MODEL | 1u << VIEW_ENTRY_ANIM,
        [VIEW_NAMES_MAP] = 1u << VIEW_ENTRY_MAP,
        [VIEW_NAMES_PICTURE] = 1u << VIEW_ENTRY_PICTURE | 1u << VIEW_ENTRY_LIGHT,
    };
    return view_is_texture(option) ? 1u << VIEW_ENTRY_PICTURE : kinds[option->names];
}

// Lists the files that the option with the index `number` accepts. `form` is the value of the
// option for a selected file, see view_list_purpose.
static void list_files_for_option(view_state *viewer, size_t number, const char *form)
{
    const view_list_purpose purpose = {
        .accepted_kinds = accepted_kinds(&view_option_rows[number]),
        .answer = {.action = VIEW_SET, .number = number},
        .form = common_copy(form),
        .returns_to = viewer->ui.over,
    };
    char *const folder = get_default_folder(viewer);
    list_files(viewer, folder, purpose);
    free(folder);
}

// Lets the user select the folder of exported files, in the desktop's dialog or in our list.
static void list_export_folders(view_state *viewer)
{
    const char *const folder = viewer->panels.export.choices.folder;
    const view_list_purpose purpose = {
        .accepted_kinds = 1u << VIEW_ENTRY_FOLDER,
        .is_folder = true,
        .returns_to = VIEW_OVERLAY_EXPORT,
        .answer = {.action = VIEW_OPEN_FOLDER, .number = VIEW_FOLDER_OF_EXPORT},
    };
    if (!view_open_file_dialog(viewer, VIEW_EXPORT, folder))
        list_files(viewer, folder, purpose);
}

// Returns from the list of files to the export dialog. The folder that the user has selected
// becomes the folder of exported files.
static void select_export_folder(view_state *viewer, const char *path)
{
    view_export_choices *const choices = &viewer->panels.export.choices;
    if (strlen(path) < sizeof choices->folder)
        COMMON_TEXT(choices->folder, "%s", path);
    else
        view_notice(viewer, "Cannot open the folder: its path is too long");
    view_open_overlay(&viewer->ui, &viewer->panels, VIEW_OVERLAY_EXPORT);
}

// == The first document ==========================================================================

// Shows our own model with the error of the document that could not be opened. Returns false if our
// model cannot be opened, too.
static bool open_start_model(view_state *viewer)
{
    const view_log before = viewer->log;
    if (!view_open(viewer, NULL, 0, false))
        return false;
    memcpy(viewer->log.error, before.error, sizeof before.error);
    viewer->log.failure = before.failure;
    show_start(viewer);
    return true;
}

// Checks the folders of the command line if there is no window. Returns true for a single folder
// with --output, which writes a sheet of its models. Returns false and logs an error otherwise.
static bool check_folders_without_window(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const bool has_only_folder = options->num_folders == 1 && options->num_files == 0;
    if (options->output != NULL && has_only_folder && common_is_folder(options->folders[0]))
        return true;
    return view_error(&viewer->log,
                      "%s: cannot list a folder without a window; name a file, or one folder "
                      "with --output",
                      options->folders[0]);
}

// Returns true if the command line selects the content.
static bool names_content(const view_options *options)
{
    return options->num_files > 0 || options->num_folders > 0 || options->names_content;
}

// Returns true if the last document is opened again. This is the case if the command line names no
// content, the options request it, and no question about a crash is open.
static bool reopens_last(const view_state *viewer)
{
    const view_options *const options = viewer->options;
    const view_config *const config = viewer->config;
    const bool is_requested = !names_content(options) && options->shown.open_last;
    const bool is_undecided = viewer->panels.decision.file[0] != '\0';
    if (!is_requested || is_undecided || config == NULL)
        return false;
    return config->recent.count > 0 && common_is_file(config->recent.names[0]);
}

// Returns the path of the document to open if the command line names no files. It is the last
// document, or the only model of the only folder. Otherwise returns NULL. The caller frees the
// path.
static char *find_implied_file(const view_state *viewer)
{
    const view_options *const options = viewer->options;
    if (reopens_last(viewer))
        return common_copy(viewer->config->recent.names[0]);
    if (options->num_folders == 1 && options->num_files == 0 && options->game == NULL)
        return view_only_model(options->folders[0]);
    return NULL;
}

// Opens the files of the command line or, without files, our own model.
static bool open_named_files(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const view_config *const config = viewer->config;
    const bool is_clip =
        options->num_files == 1 && common_has_suffix(options->files[0], ".md5anim");
    if (is_clip && !options->no_auto)
        return open_clip(viewer, options->files[0], true);
    const bool uses_options = names_content(options) || config == NULL || config->is_new;
    return view_open(viewer, options->files, options->num_files, uses_options);
}

// Returns true if the start page is shown over our own model. The demo scene shows it later.
static bool begins_with_start_page(const view_state *viewer)
{
    const view_options *const options = viewer->options;
    const bool has_content =
        options->num_files > 0 || (options->names_content && options->game == NULL);
    return viewer->window != NULL && !has_content && !viewer->document->scene.machine.plays_demo;
}

// Lists the folders and the game of the command line in the browser. Each list replaces the
// previous list, so only the last remains visible.
static void list_named_locations(view_state *viewer)
{
    const view_options *const options = viewer->options;
    for (size_t i = 0; i < options->num_folders; i++)
        view_list_location(viewer, options->folders[i]);
    if (options->game != NULL) {
        char *const location =
            view_with_bases(options->game, options->bases.names, options->bases.count);
        view_browse_game(viewer, location);
        free(location);
    }
}

// Opens the document of a job without a window. It consists of the files of the command line, a
// name in its game, or our own model. Returns false and logs an error on failure.
static bool open_for_job(view_state *viewer)
{
    const view_options *const options = viewer->options;
    if (options->num_folders > 0)
        return check_folders_without_window(viewer);
    if (options->game == NULL)
        return view_open(viewer, options->files, options->num_files, true);
    if (options->num_files > 0)
        return view_open_game_name(viewer);
    return view_error(&viewer->log,
                      "--game %s: cannot list its contents without a window; add the name of an "
                      "entity, model or file",
                      options->game);
}

// Opens the first document of a window: the files of the command line, or a name in its game.
// Without them, opens the last document if the options request it, otherwise our own model with the
// start page. Then lists the folders of the command line. Returns false and logs an error on
// failure.
static bool open_for_window(view_state *viewer)
{
    const view_options *const options = viewer->options;
    if (options->game != NULL && options->num_files > 0)
        return view_open_game_name(viewer);

    char *const implied_file = find_implied_file(viewer);
    if (implied_file != NULL) {
        const char *const files[1] = {implied_file};
        const bool is_open = view_open(viewer, files, 1, true);
        free(implied_file);
        return is_open;
    }

    if (!open_named_files(viewer))
        return false;
    if (begins_with_start_page(viewer))
        show_start(viewer);
    list_named_locations(viewer);
    return true;
}

// Opens the first document. If a window cannot open it but shows an earlier document, the error is
// shown with that document, otherwise with our own model.
bool view_open_first(view_state *viewer)
{
    if (!view_shows_window(viewer->options))
        return open_for_job(viewer) && view_apply_start_options(viewer);
    view_read_crash_note(viewer);
    if (open_for_window(viewer) && view_apply_start_options(viewer))
        return true;
    if (viewer->window == NULL)
        return false;
    const bool has_document = viewer->document->scene.path != NULL;
    return has_document || open_start_model(viewer);
}

// == Commands ====================================================================================

// Opens or closes the list of the last game, or of the game that contains the shown model.
static void list_game(view_state *viewer)
{
    view_browser *const browser = &viewer->panels.browser;
    const bool was_open = browser->kind == VIEW_BROWSE_GAME;
    const view_package *const package = viewer->document->textures.package;
    const char *const root = package != NULL ? package->root : NULL;
    view_clear_browser(browser);
    if (was_open)
        return;
    if (viewer->jobs.scan != NULL)
        view_list_scan(browser, viewer->jobs.scan->location);
    else if (viewer->lists.game != NULL)
        view_show_section(viewer, viewer->lists.section);
    else if (root != NULL)
        view_browse_game(viewer, root);
    else
        view_notice(viewer, "No game folder is open; drop a game folder or archive here");
}

// Shows a skin on the shown entity, or on the first model that the skin changes.
static void show_skin(view_state *viewer, const char *skin)
{
    char *model = shown_game_name(viewer);
    if (model == NULL || view_entity_parms(&viewer->document->scene) == NULL) {
        free(model);
        model = view_model_for_skin(viewer->lists.game, skin);
    }
    if (model != NULL)
        open_item(viewer, model, true, skin);
    else
        view_notice(viewer, "This skin does not apply to the current model");
    free(model);
}

// Shows an item of the listed game. An entity or a model is opened. A clip is played on the shown
// model. A skin is shown on the shown entity. A clip is opened like a model if no model of the game
// is shown.
static void show_game_item(view_state *viewer, size_t section, const char *selected)
{
    view_scene *const scene = &viewer->document->scene;
    if (viewer->lists.game == NULL)
        return;
    const bool shows_model_of_game = scene->library == viewer->lists.game && scene->model != NULL;
    if (section == VIEW_SKINS)
        show_skin(viewer, selected);
    else if (section != VIEW_ANIMS || !shows_model_of_game)
        open_item(viewer, selected, true, NULL);
    else if (view_add_clip(scene, selected, &viewer->log))
        show_added_clip(viewer);
    else
        view_notice(viewer, "%s does not match the model", common_base(selected));
}

// Returns the index of the item after (step +1) or before (step -1) `name`, cyclically. For a name
// that is not in the list, returns the index of the second or the last item.
static size_t neighbor_index(const char *const *names, size_t count, const char *name, int step)
{
    size_t index = 0;
    while (index < count && strcmp(names[index], name) != 0)
        index++;
    const size_t offset = step > 0 ? 1 : count - 1; // modulo `count`, the latter is -1
    return (index + offset) % count;
}

// Opens the next (step +1) or previous (step -1) item of the listed section of the game. An item is
// an entity or a model.
static void open_neighbor_in_game(view_state *viewer, int step)
{
    const view_library *const library = viewer->lists.game;
    const view_section shown_section = viewer->lists.section;
    const view_section section = shown_section < VIEW_SKINS ? shown_section : VIEW_ENTITIES;
    char *const name = shown_game_name(viewer); // NULL if another game is listed
    if (name == NULL || library->num_names[section] == 0) {
        view_notice(viewer, "No other item in this list");
    } else {
        const char *const *const names = library->names[section];
        const size_t count = library->num_names[section];
        open_item(viewer, names[neighbor_index(names, count, name, step)], true, NULL);
    }
    free(name);
}

// Returns the file extension of the documents of the same kind as the shown document.
static const char *shown_extension(const view_scene *scene)
{
    const char *const motion_extension = view_get_mover(scene)->ending;
    if (motion_extension != NULL)
        return motion_extension;
    if (scene->model != NULL)
        return ".md5mesh";
    return scene->num_clips > 0 ? ".md5anim" : ".md5camera";
}

// Opens the next (step +1) or previous (step -1) document. If a game is shown, this is an item of
// the game. Otherwise it is a file of the same kind in the folder of the shown file.
static void open_neighbor(view_state *viewer, int step)
{
    const view_scene *const scene = &viewer->document->scene;
    if (scene->library != NULL) {
        open_neighbor_in_game(viewer, step);
        return;
    }

    const char *const extension = shown_extension(scene);
    char *const folder = common_folder(scene->path);
    char *const path = common_join(folder, common_base(scene->path));
    common_list files = common_list_folder(folder, extension);
    if (files.count < 2) {
        view_notice(viewer, "No other %s file in this folder", extension);
    } else {
        const char *const *const names = (const char *const *)files.names;
        open_item(viewer, names[neighbor_index(names, files.count, path, step)], false, NULL);
    }
    common_free_list(&files);
    free(path);
    free(folder);
}

// Runs the commands VIEW_FILES and VIEW_CLIPS, which open a list of files or of clips. If
// command->item is not 0, it is the index + 1 of an option for which the user selects a file. If
// command->path is not NULL, it is a dropped model whose uses are listed. After an error, shows the
// previous list again. Otherwise the list is for opening a file or selecting a clip.
static void open_list(view_state *viewer, const view_command *command)
{
    view_browser *const browser = &viewer->panels.browser;
    const bool is_files = command->action == VIEW_FILES;
    if (command->item > 0) {
        list_files_for_option(viewer, command->item - 1, command->path);
        return;
    }
    if (command->path != NULL) {
        list_uses(viewer, command->path);
        return;
    }

    // After an error, return to the list from which the item was opened.
    const bool is_closed = browser->kind == VIEW_BROWSE_NOTHING;
    const bool has_list = !is_closed || browser->was != VIEW_BROWSE_NOTHING;
    const bool is_after_error = viewer->log.error[0] != '\0';
    viewer->log.error[0] = '\0';
    if (is_after_error && has_list) {
        if (is_closed)
            browser->kind = browser->was;
        return;
    }

    if (is_files && is_closed) {
        char *const folder = get_default_folder(viewer);
        if (!view_open_file_dialog(viewer, VIEW_FILES, folder))
            list_files(viewer, folder, (view_list_purpose){.accepted_kinds = 0});
        free(folder);
        return;
    }
    const view_browser_kind kind = is_files ? VIEW_BROWSE_FILES : VIEW_BROWSE_CLIPS;
    if (!view_open_browser(browser, kind, 0, &viewer->document->scene))
        view_notice(viewer, VIEW_NO_CLIP);
}

// Opens a folder that was chosen in a list or in the dialog of the desktop. If `path` is NULL, lets
// the user choose it.
static void open_folder(view_state *viewer, const char *path)
{
    view_browser *const browser = &viewer->panels.browser;
    if (path == NULL) {
        char *const folder = get_default_folder(viewer);
        if (!view_open_file_dialog(viewer, VIEW_OPEN_FOLDER, folder))
            list_files(viewer, folder, (view_list_purpose){.accepted_kinds = 0});
        free(folder);
    } else if (browser->kind == VIEW_BROWSE_NOTHING) {
        view_drop(viewer, path);
    } else {
        view_browse_folder(browser, path, browser->folder, viewer->config);
    }
}

// Opens the next (step +1) or previous (step -1) lesson, cyclically. The order is the list of
// lessons, then all lessons. If no lesson is open, opens the list or the last lesson.
static void open_next_lesson(view_state *viewer, int step)
{
    const int32_t num_lessons = (int32_t)view_num_pages;
    const int32_t open = viewer->pages.open;
    const bool is_list_open = open >= num_lessons; // VIEW_CONTENTS

    // Positions in the order: 0 is the list, `i + 1` is lesson i.
    int32_t position = open + 1;
    if (open < 0)
        position = step > 0 ? -1 : 0; // one before the list, or the list
    else if (is_list_open)
        position = 0;
    const int32_t num_positions = num_lessons + 1;
    position = (position + step + num_positions) % num_positions;
    view_open_lesson(viewer, position == 0 ? VIEW_CONTENTS : position - 1);
}

// Removes a file from the list of recent files, and shows the list again.
static void remove_recent(view_state *viewer, const char *path)
{
    if (viewer->config != NULL)
        view_remove_recent(viewer->config, path);
    if (viewer->panels.browser.kind == VIEW_BROWSE_NOTHING)
        show_start(viewer);
    else
        view_browse_folder(&viewer->panels.browser, "", NULL, viewer->config);
}

// Runs a command about files. view_action describes the fields of a command for each action.
static void run_file_command(view_state *viewer, const view_command *command)
{
    view_browser *const browser = &viewer->panels.browser;
    const view_scene *const scene = &viewer->document->scene;
    const view_action action = command->action;
    const size_t number = command->number;
    const char *const path = command->path;
    bool is_reloaded;
    // A list closes when an item is opened.
    if (action == VIEW_OPEN_FILE || action == VIEW_OPEN_PAGE || action == VIEW_ASSIGN_TEXTURE)
        view_close_browser(browser);
    switch (action) {
    case VIEW_FILES:
    case VIEW_CLIPS:
        open_list(viewer, command);
        break;
    case VIEW_FIND_TEXTURE:
        list_images(viewer, command);
        break;
    case VIEW_LIST_CHANNEL:
        view_open_browser(browser, VIEW_BROWSE_CHANNEL, (uint32_t)command->item, scene);
        break;
    case VIEW_GAME:
        list_game(viewer);
        break;
    case VIEW_NEXT_FILE:
    case VIEW_PREVIOUS_FILE:
        open_neighbor(viewer, action == VIEW_NEXT_FILE ? 1 : -1);
        break;
    case VIEW_RELOAD:
        is_reloaded = view_reload(viewer);
        view_notice(viewer, "%s",
                    is_reloaded ? "Reloaded" : "Reload failed; the previous version is kept");
        break;
    case VIEW_NEXT_PAGE:
    case VIEW_PREVIOUS_PAGE:
        open_next_lesson(viewer, action == VIEW_NEXT_PAGE ? 1 : -1);
        break;
    case VIEW_OPEN_FOLDER:
        if (number != VIEW_FOLDER_OF_EXPORT)
            open_folder(viewer, path);
        else if (path == NULL)
            list_export_folders(viewer);
        else
            select_export_folder(viewer, path);
        break;
    case VIEW_START_PAGE:
        if (viewer->panels.start.is_open)
            view_clear_start(&viewer->ui, &viewer->panels.start);
        else
            show_start(viewer);
        break;
    case VIEW_REMOVE_RECENT:
        remove_recent(viewer, path);
        break;
    case VIEW_OPEN_GAME:
        view_browse_game(viewer, path);
        break;
    case VIEW_OPEN_SECTION:
        view_show_section(viewer, number);
        break;
    case VIEW_OPEN_FILE:
        view_drop(viewer, path);
        break;
    case VIEW_OPEN_CLIP:
        if (number < scene->num_clips) // after a reload fewer clips may exist
            view_change_clip(viewer, number);
        viewer->play.playing |= command->item > 0;
        break;
    case VIEW_OPEN_NAMED:
        show_game_item(viewer, number, path);
        break;
    case VIEW_TEXTURES:
        open_textures(viewer, command->item > 0 ? (uint32_t)command->item - 1
                                                : selected_texture_mesh(viewer));
        break;
    case VIEW_ASSIGN_TEXTURE:
        assign_texture(viewer, number, (md5gl_image_kind)command->item, path);
        break;
    case VIEW_SAVE_TEXTURES:
        save_textures(viewer, number != 0);
        break;
    case VIEW_MAP_JOINTS:
        map_joints(viewer, path);
        break;
    case VIEW_REPAIR:
        repair_or_preview(viewer, command);
        break;
    case VIEW_OPEN_PAGE:
        view_open_lesson(viewer, (int32_t)number);
        break;
    case VIEW_KEEP_MOVIE:
    case VIEW_DELETE_MOVIE:
        view_resolve_lost_movie(viewer, action == VIEW_KEEP_MOVIE);
        break;
    default: // the interface has already run the command
        break;
    }
}

// Runs a command about files. A failed command is stored, so that the error dialog can try it
// again.
void view_run_file_command(view_state *viewer, const view_command *command)
{
    const uint32_t num_errors = viewer->log.num_errors;
    const bool is_retry = command->action == VIEW_TRY_AGAIN;
    const view_command *const effective = is_retry ? &viewer->opening.failed : command;
    if (is_retry)
        viewer->log.error[0] = '\0';
    // If no command has failed, the first document could not be opened.
    if (is_retry && effective->action == VIEW_NOTHING)
        view_open_first(viewer);
    else
        run_file_command(viewer, effective);
    view_sync_overlay(&viewer->ui, &viewer->panels);
    if (viewer->log.num_errors != num_errors)
        store_failed_command(viewer, effective);
}
