// Opens what is shown: files, folders and what is in them, games with their previews, pages of
// techniques, and files anew when they change. Remembers the size of the window and what was
// selected.
#include "demo/viewer/jobs/view.h"

#include <stdatomic.h>

#include "demo/common/text.h"

// Stores it after files were read, with --watch.
static void note_files(view_state *viewer)
{
    if (viewer->options->watch)
        viewer->files_stamp = view_stamp_files(viewer);
}

// == What is remembered ===========================================================================

// -- Configuration --------------------------------------------------------------------------

// `is_soon`: see view_store_config().
static bool store_state(view_state *viewer, bool is_soon)
{
    view_remember_document(viewer);
    return view_store_config(viewer->config, viewer->options, is_soon, &viewer->log);
}

void view_remember(view_state *viewer)
{
    if (viewer->config != NULL)
        store_state(viewer, false);
}

// The name of what is shown if it is of the listed game; to be freed; or NULL.
static char *shown_name(const view_state *viewer)
{
    view_address address;
    const view_scene *const scene = &viewer->document->scene;
    if (viewer->library == NULL || scene->library != viewer->library
        || !view_read_address(scene->path, &address))
        return NULL;
    char *const name = common_copy(address.name);
    view_free_address(&address);
    return name;
}

// == Previews of a game's list ====================================================================

void view_drop_pictures(view_state *viewer, bool is_in_game, bool is_all)
{
    COMMON_FOR (i, VIEW_MAX_PICTURES) {
        view_small_picture *const picture = &viewer->ui.pictures[i];
        if (picture->wish == NULL || picture->is_in_game != is_in_game
            || (picture->is_seen && !is_all))
            continue;
        if (viewer->renderer != NULL)
            md5gl_destroy_texture(viewer->renderer, picture->texture);
        free(picture->wish);
        *picture = (view_small_picture){.wish = NULL};
    }
}

// Asks for those that are seen and not there yet, and takes those that are ready.
static bool follow_pictures(view_state *viewer, view_previews **previews, bool is_in_game)
{
    const char *wishes[VIEW_MAX_PICTURES];
    view_small_picture *asked[VIEW_MAX_PICTURES];
    const view_preview *made[VIEW_MAX_PICTURES];
    size_t count = 0;
    view_drop_pictures(viewer, is_in_game, is_in_game && viewer->library == NULL);
    COMMON_FOR (i, VIEW_MAX_PICTURES) {
        view_small_picture *const picture = &viewer->ui.pictures[i];
        if (picture->wish != NULL && picture->is_in_game == is_in_game && !picture->is_made) {
            wishes[count] = picture->wish;
            asked[count++] = picture;
        }
    }
    if (*previews == NULL && count > 0)
        *previews = view_begin_previews(is_in_game ? viewer->library->place : NULL);
    if (*previews == NULL)
        return false;
    bool has_more = view_want_previews(*previews, wishes, count, made);
    COMMON_FOR (i, count) {
        view_small_picture *const picture = asked[i];
        if (made[i] == NULL)
            continue;
        const view_image *const image = &made[i]->image;
        picture->is_made = has_more = true;
        picture->is_wrong = made[i]->is_wrong;
        picture->num_missing = made[i]->num_missing;
        picture->width = image->width;
        picture->height = image->height;
        memcpy(picture->facts, made[i]->facts, sizeof picture->facts);
        if (image->rgba != NULL && viewer->renderer != NULL)
            picture->texture =
                view_make_texture(viewer->renderer, image->rgba, image->width, image->height);
    }
    return has_more;
}

bool view_follow_previews(view_state *viewer)
{
    const bool has_files = follow_pictures(viewer, &viewer->images, false);
    return follow_pictures(viewer, &viewer->previews, true) || has_files;
}

// == What has failed ==============================================================================

// Stores the command that has led to an error.
static void note_failed(view_state *viewer, const view_command *command)
{
    char *const path = common_copy(command->path); // it may be the stored one
    free(viewer->failed.path);
    viewer->failed = *command;
    viewer->failed.path = path;
}

// == Our own models ===============================================================================

// The folder of our own models: from the build, or relative to the program.
#ifndef MD5VIEW_MODELS
#define MD5VIEW_MODELS "models"
#endif

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
    char *const base = view_program_folder(); // folder of the program, with a slash
    static const char *const places[] = {"models", "../models", "../../models",
                                         "../share/md5model/models"};
    for (size_t i = 0; i < 4 && base != NULL && found == NULL; i++) {
        char *models = common_join(base, places[i]);
        found = first_machine(models);
        free(models);
    }
    free(base);
    return found != NULL ? found : first_machine(MD5VIEW_MODELS);
}

// The folder of our own models, to be freed, or NULL.
static char *own_models(void)
{
    char *const machine = find_own_model();
    char *const folder = machine != NULL ? common_folder(machine) : NULL;
    char *const models = folder != NULL ? common_folder(folder) : NULL;
    free(machine);
    free(folder);
    return models;
}

// == Folders and archives as lists ================================================================

// -- Places ---------------------------------------------------------------------------------

// The user's folder, or the current one.
static const char *home_folder(void)
{
    const char *const home = getenv("HOME"), *const profile = getenv("USERPROFILE");
    return home != NULL ? home : profile != NULL ? profile : ".";
}

// Adds a folder or a game to the places; "": it is not there.
static void add_place(view_state *viewer, const char *path)
{
    common_list *const places = &viewer->ui.places;
    bool is_there = false;
    for (size_t i = 5; i < places->count; i++)
        is_there = is_there || strcmp(places->names[i], path) == 0;
    if (!is_there)
        common_add(places, path[0] != '\0' ? common_whole(path) : common_copy(""));
}

// Lists a folder, for what is asked.
static void list_files(view_state *viewer, const char *folder, view_asked asked)
{
    view_browser *const browser = &viewer->ui.browser;
    const view_config *const config = viewer->config;
    const char *const shown = viewer->document->scene.path;
    char *const models = own_models(), *const beside = common_folder(shown != NULL ? shown : "");
    common_free_list(&viewer->ui.places);
    add_place(viewer, "");
    add_place(viewer, home_folder());
    add_place(viewer,
              viewer->document->scene.library == NULL && common_is_folder(beside) ? beside : "");
    add_place(viewer, models != NULL ? models : "");
    add_place(viewer, "/");
    for (size_t i = 0; config != NULL && i < config->recent.count; i++) {
        view_address address;
        if (!view_read_address(config->recent.names[i], &address))
            continue;
        add_place(viewer, address.place);
        view_free_address(&address);
    }
    free(models);
    free(beside);
    free(browser->asked.form);
    browser->asked = asked;
    view_browse_folder(browser, folder, shown, config);
}

void view_browse_place(view_state *viewer, const char *path)
{
    if (view_is_game(path))
        view_browse_game(viewer, path);
    else
        list_files(viewer, path, (view_asked){.takes = 0});
}

// -- Listing --------------------------------------------------------------------------------

void view_show_section(view_state *viewer, size_t section)
{
    if (viewer->library == NULL || section >= VIEW_NUM_SECTIONS)
        return;
    char *const name = shown_name(viewer);
    viewer->section = (view_section)section;
    view_list_section(&viewer->ui.browser, viewer->library, viewer->section, name);
    free(name);
}

void view_browse_game(view_state *viewer, const char *place)
{
    char *const whole = view_with_bases(place, NULL, 0);
    if (viewer->library != NULL && strcmp(viewer->library->place, whole) == 0) {
        view_show_section(viewer, viewer->section);
    } else {
        view_stop_scan(viewer->scan);
        viewer->scan = view_begin_scan(whole);
        view_list_scan(&viewer->ui.browser, whole);
    }
    free(whole);
}

static bool open_other(view_state *viewer, const char *const *files, size_t num_files);

// Opens a file, or a name of the listed game with a skin or none.
static void open_one(view_state *viewer, const char *file, bool is_name, const char *skin)
{
    char *const address = is_name ? view_make_address(viewer->library->place, file, skin) : NULL;
    const char *const files[1] = {is_name ? address : file};
    if (!open_other(viewer, files, 1))
        view_notice(viewer, "%s cannot be opened", common_base(file));
    free(address);
}

bool view_follow_scan(view_state *viewer)
{
    size_t num_files = 0;
    if (viewer->scan == NULL)
        return false;
    if (view_has_scanned(viewer->scan, &num_files)) {
        md5_error error = {0};
        char *const place = common_copy(viewer->scan->place);
        view_library *const library = view_end_scan(viewer->scan, &error);
        const bool is_awaited = viewer->ui.browser.is_scanning;
        viewer->scan = NULL;
        if (library == NULL) {
            view_log_error(&viewer->log, &error);
            note_failed(viewer, &(view_command){.action = VIEW_OPEN_GAME, .path = place});
            if (is_awaited)
                view_clear_browser(&viewer->ui.browser);
        } else {
            if (md5_game_num_unread(library->game) > 0)
                view_warn(&viewer->log,
                          "%s: %u files of declarations are not read: see md5tool check",
                          library->place, md5_game_num_unread(library->game));
            view_drop_library(viewer->library);
            viewer->library = library;

            // Forgets all pictures, for another game.
            view_stop_previews(viewer->previews);
            viewer->previews = NULL;
            view_drop_pictures(viewer, true, true);

            // The first section that has names.
            viewer->section = VIEW_ENTITIES;
            for (int i = VIEW_NUM_SECTIONS; i-- > 0;)
                if (library->num_names[i] > 0)
                    viewer->section = (view_section)i;
            const bool is_one = common_is_archive(library->place)
                                && library->num_names[VIEW_ENTITIES] <= 1
                                && library->num_names[VIEW_MODELS] == 1;
            if (is_awaited && is_one)
                view_clear_browser(&viewer->ui.browser);
            if (is_awaited && is_one)
                open_one(viewer, library->names[viewer->section][0], true, NULL);
            else if (is_awaited) // unless the user closed the list meanwhile
                view_show_section(viewer, viewer->section);
        }
        free(place);
        view_tell_state(viewer, "scanned");
    } else if (viewer->ui.browser.is_scanning)
        viewer->ui.browser.num_scanned = num_files;
    return true;
}

// == Opening ======================================================================================

void view_frame_anew(view_state *viewer)
{
    const view_options *const options = viewer->options;
    viewer->camera = VIEW_DEFAULT_CAMERA;
    viewer->camera.orthographic = options->orthographic;
    if (options->azimuth_given)
        viewer->camera.azimuth = options->azimuth;
    if (options->elevation_given)
        viewer->camera.elevation = options->elevation;
    view_frame_again(viewer, viewer->width, viewer->height);
    if (options->distance_given)
        viewer->camera.distance = options->distance;
    if (options->target_given)
        viewer->camera.target =
            (md5_vec3){options->target[0], options->target[1], options->target[2]};
    // Without a model the camera path itself is framed.
    viewer->following = viewer->document->scene.camera_path.camera != NULL
                        && viewer->document->scene.skeleton != NULL && !options->camera_path;
    view_snap(viewer);
}

// What engines say is looked for on a thread, after the first picture.
struct view_checking {
    view_thread *thread;
    common_list files;
    view_reports found;
    atomic_bool is_done;
};

static int check_files(void *user)
{
    struct view_checking *const checking = user;
    view_check_files(&checking->files, &checking->found);
    atomic_store(&checking->is_done, true);
    view_wake_window();
    return 0;
}

void view_end_check(view_state *viewer)
{
    struct view_checking *const checking = viewer->checking;
    if (checking == NULL)
        return;
    view_wait_thread(checking->thread, "check");
    view_free_reports(&checking->found);
    common_free_list(&checking->files);
    free(checking);
    viewer->checking = NULL;
}

// The model and the clips that are shown, if they are MD5 files on disk.
static void begin_check(view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    view_end_check(viewer);
    viewer->checked = viewer->document;
    if (viewer->log.reports == NULL || scene->model == NULL || !common_is_file(scene->path)
        || !common_has_ending(scene->path, ".md5mesh"))
        return;
    viewer->checking = common_alloc(1, sizeof *viewer->checking);
    common_add(&viewer->checking->files, common_copy(scene->path));
    COMMON_FOR (i, scene->num_clips)
        if (common_has_ending(scene->clips[i].path, ".md5anim"))
            common_add(&viewer->checking->files, common_copy(scene->clips[i].path));
    viewer->checking->thread = view_start_thread(check_files, "check", viewer->checking);
}

// Replaces the document when the new one is complete. `again`: it is the same, read again, so that
// its machines go on. `guest`: who visits without --guest, or NULL.
static bool open_files(view_state *viewer, const char *const *files, size_t num_files, bool pick_up,
                       bool as_asked, bool again, const char *guest)
{
    const view_options *const options = viewer->options;
    const view_loader loader = {options, viewer->renderer, &viewer->log};
    const view_turn none = {0}, upright = options->up_is_y ? view_turn_further(none, 0) : none;
    const view_manner manner = {viewer->document->scene.root, viewer->document->scene.dual,
                                again ? viewer->document->scene.turn : upright, viewer->library,
                                guest};
    const view_log before = viewer->log;
    view_reports reports = viewer->reports;
    viewer->reports = (view_reports){.count = 0};
    view_log_clear(&viewer->log);
    viewer->log.keeps_rest =
        as_asked && !again && viewer->window != NULL && view_shows_window(options);
    if (viewer->window != NULL && num_files > 0)
        view_note_risk(viewer, files[0]);
    view_document *const opened =
        view_load_document(&loader, files, num_files, pick_up, as_asked, manner);
    viewer->log.keeps_rest = false;
    if (opened == NULL) {
        viewer->log.num_warnings = before.num_warnings; // its error stays
        viewer->log.num_notes = before.num_notes;
        view_free_reports(&viewer->reports);
        viewer->reports = reports;
        return false;
    }
    if (viewer->pages.game != NULL)
        view_close_page(viewer);
    view_document *const old = viewer->document;
    if (again)
        view_adopt_machine(&opened->scene.machine, &old->scene.machine, &viewer->log);
    for (int i = 0; again && i < VIEW_NUM_COMPANIONS; i++)
        if (opened->companions[i].machine != NULL && old->companions[i].machine != NULL)
            view_adopt_machine(opened->companions[i].machine, old->companions[i].machine,
                               &viewer->log);
    view_free_reports(&reports);
    view_free_pages(&viewer->pages, viewer->renderer);
    view_free_document(old, viewer->renderer);
    viewer->document = opened;
    view_forget_rows(&viewer->ui);
    viewer->ui.hovered_joint = viewer->ui.selected_joint = -1;
    viewer->pick = viewer->measured = (view_pick){.is_set = false};
    note_files(viewer);
    return true;
}

// Takes what is remembered of a document, where the command line does not say otherwise: of a
// picture its textures. Adds what is lost since.
static void restore(view_state *viewer, const char *path, common_list *lost)
{
    view_options *const options = viewer->options;
    const bool names_content = options->names_content;
    const char *lines = view_find_document(viewer->documents, path);
    char *value;
    viewer->is_restored = false;
    for (const view_option *row; lines != NULL && (row = view_next_setting(&lines, &value)) != NULL;
         free(value)) {
        const bool is_meant = row->scope >= VIEW_SCOPE_ANY && !options->said[row - view_option_rows]
                              && (row->kind == VIEW_OPTION_TEXTURE || view_shows_window(options));
        const char *const file = is_meant ? view_file_in(row, value) : NULL;
        if (file != NULL && strstr(path, "::") == NULL && common_file_stamp(file) == 0)
            common_add(lost, common_format("%s is gone, with which it was shown", file));
        else if (is_meant && !view_read_option(row, value, options))
            view_reset_option(row, options);
        viewer->is_restored |= is_meant;
    }
    options->names_content = names_content;
}

// Opens another document, with what is remembered of it.
static bool open_other(view_state *viewer, const char *const *files, size_t num_files)
{
    view_options *const options = viewer->options;
    view_remember_document(viewer);
    char *const before = view_write_settings(options, NULL, VIEW_SCOPE_ANY, VIEW_SCOPE_PLACE);
    memset(options->said, 0, view_num_options);
    view_take_settings(options, "", VIEW_SCOPE_ANY, VIEW_SCOPE_PLACE);
    const bool is_open = view_open(viewer, files, num_files, true);
    if (!is_open)
        view_take_settings(options, before, VIEW_SCOPE_ANY, VIEW_SCOPE_PLACE);
    free(before);
    view_take_options(viewer);
    if (is_open)
        view_take_place(viewer);
    return is_open;
}

bool view_open(view_state *viewer, const char *const *files, size_t num_files, bool as_asked)
{
    const view_options *const options = viewer->options;
    const bool is_own = num_files == 0;
    // The first minute plays if nothing is said of what is shown, and from where.
    const bool acts = is_own && as_asked && !options->names_content && options->num_folders == 0
                      && !options->shown.reduced_motion && !options->azimuth_given
                      && !options->elevation_given && !options->distance_given
                      && !options->target_given && !options->orthographic_given;
    char *visitor = NULL;
    common_list lost = {0};
    common_list own = {.count =
                           0}; // the files to show if none is named; in a crowd, several models
    if (is_own) {
        static const char *const company[] = {"../spindle/spindle.md5mesh",
                                              "../thimble/thimble.md5mesh"};
        char *const machine = find_own_model();
        if (machine == NULL)
            return view_error(&viewer->log, "no file given, and no example model in %s",
                              MD5VIEW_MODELS);
        common_add(&own, machine);
        char *const folder = common_folder(machine);
        for (size_t i = 0; i < 2 && options->crowd > 2; i++) {
            char *const path = common_join(folder, company[i]);
            if (common_is_file(path))
                common_add(&own, path);
            else
                free(path);
        }
        visitor = common_join(folder, "../thimble/visitor.md5machine");
        free(folder);
    }
    if (!acts || !common_is_file(visitor)) {
        free(visitor);
        visitor = NULL;
    }
    if (as_asked)
        restore(viewer,
                is_own ? own.names[0] : files[view_find_model(files, num_files) % num_files],
                &lost);
    view_take_options(viewer);
    const bool waits = acts && viewer->window != NULL && view_shows_window(options)
                       && view_is_window_hidden(viewer->window);
    const bool is_whole = view_shows_window(options);
    common_list whole = {NULL, 0};
    COMMON_FOR (i, is_own ? own.count : num_files) {
        const char *const file = is_own ? own.names[i] : files[i];
        common_add(&whole,
                   is_whole && strstr(file, "::") == NULL ? common_whole(file) : common_copy(file));
    }
    const bool opened = open_files(viewer, (const char *const *)whole.names, whole.count,
                                   !options->no_auto, as_asked, false, waits ? NULL : visitor);
    for (size_t k = 0; k < lost.count && opened; k++)
        view_warn(&viewer->log, "%s", lost.names[k]);
    common_free_list(&lost);
    common_free_list(&own);
    common_free_list(&whole);
    if (opened) {
        free(viewer->visitor);
        viewer->has_rest = waits;
        viewer->visitor = waits ? visitor : NULL;
    }
    if (!opened || !waits)
        free(visitor);
    if (!opened)
        return false;
    view_clear_start(&viewer->ui);
    bool is_right = true;
    viewer->options->hidden_meshes = 0;
    if (as_asked)
        is_right = view_hide_meshes(viewer);
    else
        view_show_meshes(viewer->document, 0);
    if (viewer->config != NULL && !is_own)
        view_note_recent(viewer->config, viewer->document->scene.path);
    viewer->play.time = 0;
    viewer->play.held_at_end = false;
    viewer->document->scene.machine.acts = viewer->ui.docks.is_folded = acts;
    viewer->ui.end_at = acts ? viewer->now + 60 : 0;
    if (waits)
        view_measure_document(viewer->document, &viewer->play);
    else
        view_measure(viewer);
    view_frame_anew(viewer);
    view_debug(&viewer->log, "opened: %s, %zu clips, %u joints, %u vertices",
               viewer->document->scene.path, viewer->document->scene.num_clips,
               viewer->document->scene.num_joints,
               view_count_vertices(viewer->document->scene.model));
    view_forget_steps(viewer); // they begin anew, with the next event
    return is_right;
}

bool view_hide_meshes(view_state *viewer)
{
    view_options *const options = viewer->options;
    const md5_model *const model = viewer->document->scene.model;
    const uint32_t num_meshes = model != NULL ? model->num_meshes : 0;
    bool is_right = true;
    options->hidden_meshes = 0;
    COMMON_FOR (i, options->hidden.count) {
        const char *const name = options->hidden.names[i];
        bool is_found = false;
        for (uint32_t m = 0; m < num_meshes && m < 64; m++) {
            if (view_is_mesh(model, m, name, strlen(name))) {
                options->hidden_meshes |= (uint64_t)1 << m;
                is_found = true;
            }
        }
        if (!is_found)
            is_right = view_error(&viewer->log, "--hide %s: no such mesh; the model has %u", name,
                                  num_meshes);
    }
    view_show_meshes(viewer->document, options->hidden_meshes);
    return is_right;
}

bool view_dress(view_state *viewer)
{
    view_document *const document = viewer->document;
    const view_loader loader = {viewer->options, viewer->renderer, &viewer->log};
    view_textures textures = {.num_meshes = 0};
    if (document->scene.model == NULL || viewer->renderer == NULL)
        return true;
    // What materials draw besides belongs to the model; and warnings that it mends are made anew.
    bool is_whole = document->textures.layers.num_meshes > 0 || viewer->log.num_warnings > 0;
    document->as_asked = true;
    if (!is_whole && !view_dress_scene(&loader, &document->scene, &textures))
        return false;
    is_whole = is_whole || textures.layers.num_meshes > 0;
    view_textures *const old = is_whole ? &textures : &document->textures;
    view_free_textures(old, viewer->renderer);
    *old = textures;
    return !is_whole || view_reload(viewer);
}

bool view_open_rest(view_state *viewer)
{
    const view_loader loader = {viewer->options, viewer->renderer, &viewer->log};
    if (!viewer->has_rest)
        return false;
    viewer->has_rest = false;
    if (viewer->visitor != NULL)
        view_load_guest(viewer->document, viewer->visitor, &loader);
    view_measure(viewer);
    note_files(viewer);
    return true;
}

bool view_select_environment(view_state *viewer)
{
    const char *const path = viewer->options->environment;
    if (path == NULL && viewer->renderer != NULL) {
        md5gl_destroy_environment(viewer->renderer, viewer->environment.light);
        viewer->environment.light = NULL;
    }
    return path == NULL || viewer->renderer == NULL
           || view_load_environment(&viewer->environment, viewer->renderer, path, &viewer->log);
}

bool view_reload(view_state *viewer)
{
    if (viewer->pages.game != NULL) // which has its own document
        view_close_page(viewer);
    // The names must outlive their scene.
    const size_t num_clips =
        viewer->document->scene.picked_up ? 0 : viewer->document->scene.num_clips;
    const bool model = viewer->document->scene.model != NULL;
    const size_t shown = viewer->document->scene.clip;
    const bool is_bind_pose = view_is_bind_pose(&viewer->document->scene);
    const int32_t joint = viewer->ui.selected_joint, mesh = viewer->ui.selected_mesh;
    const bool acts = viewer->document->scene.machine.acts;
    const view_crowd *const crowd = &viewer->document->crowd;
    common_list files = {0};
    if (model)
        common_add(&files, common_copy(viewer->document->scene.path));
    COMMON_FOR (i, num_clips)
        common_add(&files, common_copy(viewer->document->scene.clips[i].path));
    if (viewer->document->scene.camera_path.camera != NULL)
        common_add(&files, common_copy(viewer->document->scene.camera_path.path));
    COMMON_FOR (i, crowd->files.count)
        common_add(&files, common_copy(crowd->files.names[i]));

    const bool opened = open_files(viewer, (const char *const *)files.names, files.count,
                                   viewer->document->scene.picked_up, viewer->document->as_asked,
                                   true, viewer->document->companions[VIEW_GUEST].path);
    if (opened && shown < viewer->document->scene.num_clips)
        view_select_clip(&viewer->document->scene, shown);
    if (opened) {
        view_show_bind_pose(&viewer->document->scene, is_bind_pose && model, NULL);
        viewer->ui.selected_joint = joint;
        viewer->ui.selected_mesh = mesh;
        viewer->document->scene.machine.acts = acts;
        note_files(viewer);
        view_show_meshes(viewer->document, viewer->options->hidden_meshes);
        view_measure(viewer);
    }
    common_free_list(&files);
    return opened;
}

// == Textures =====================================================================================

// Selects a mesh, and shows its textures.
static void open_textures(view_state *viewer, uint32_t mesh)
{
    const md5_model *const model = viewer->document->scene.model;
    if (model == NULL || mesh >= model->num_meshes)
        return;
    view_select_mesh(&viewer->ui, viewer->now, mesh);
    viewer->ui.folded &= ~(1u << UI_SECTION_TEXTURES);
    viewer->options->shown.panel = viewer->options->shown.inspector = true;
    viewer->ui.docks.is_sheet_open = true;
    viewer->ui.docks.is_folded = false;
}

// The mesh that textures are asked for: the selected one, that of the last click, or the first.
static uint32_t mesh_of_textures(const view_state *viewer)
{
    return viewer->ui.selected_mesh >= 0 ? (uint32_t)viewer->ui.selected_mesh
           : viewer->pick.is_set         ? viewer->pick.mesh
                                         : 0;
}

// Gives a mesh an image that the user chose, or with NULL the one that is found: in place of what
// --texture MESH=FILE says of it.
static void take_texture(view_state *viewer, size_t mesh, md5gl_picture map, const char *path)
{
    const md5_model *const model = viewer->document->scene.model;
    const char *const name = map < MD5GL_NUM_PICTURES ? view_map_options[map] : NULL;
    if (mesh >= viewer->document->textures.num_meshes || name == NULL)
        return;
    char *const full = path != NULL ? common_absolute(path) : NULL, *text = common_copy("");
    if (full != NULL && strchr(full, '\n') != NULL) {
        view_notice(viewer, "A name with a line break cannot be chosen");
    } else {
        COMMON_FOR (i, viewer->options->num_textures) {
            const view_texture_choice *const choice = &viewer->options->textures[i];
            const bool is_own =
                choice->mesh != NULL
                && view_is_mesh(model, (uint32_t)mesh, choice->mesh, strlen(choice->mesh));
            if (choice->map == map && !is_own)
                common_extend(&text, "%s%s%s\n", choice->mesh != NULL ? choice->mesh : "",
                              choice->mesh != NULL ? "=" : "", choice->file);
        }
        if (full != NULL)
            common_extend(&text, "%zu=%s\n", mesh, full);
        free(viewer->ui.textures.offered);
        viewer->ui.textures.offered = NULL;
        if (view_set_option(
                viewer, (size_t)(view_find_option(name, strlen(name)) - view_option_rows), text))
            view_notice(viewer, "%s of mesh %zu: %s", view_map_name(map), mesh,
                        path != NULL ? common_base(path) : "as found");
        else
            view_notice(viewer, "mesh %zu keeps its %s: %s cannot be read", mesh,
                        view_map_name(map), path != NULL ? common_base(path) : "another");
    }
    free(text);
    free(full);
}

// Says in the panel where the materials are saved or, if that was said and is so, saves them.
static void save_textures(view_state *viewer, bool is_sure)
{
    view_texture_panel *const panel = &viewer->ui.textures;
    const view_textures *const textures = &viewer->document->textures;
    char *const path = view_materials_path(textures), *const said = panel->saved;
    const bool exists = path != NULL && common_is_file(path);
    panel->saved = NULL;
    if (path == NULL) {
        view_notice(viewer, "Materials cannot be saved into an archive");
    } else if (is_sure && said != NULL && strcmp(path, said) == 0 && panel->replaces == exists) {
        const uint32_t count =
            view_save_materials(textures, viewer->document->scene.model, &viewer->log);
        view_notice(viewer, count > 0 ? "Saved: %s" : "Not saved, see Problems: %s", path);
    } else {
        open_textures(viewer, mesh_of_textures(viewer));
        panel->saved = common_copy(path);
        panel->replaces = exists;
    }
    free(said);
    free(path);
}

// == What is dropped ==============================================================================

static void show_added(view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    view_check_clips(scene, scene->clip, &viewer->log);
    view_change_clip(viewer, scene->clip);
}

// Opens a clip alone: on the model beside it that it fits; of several it is asked which.
static bool open_clip(view_state *viewer, const char *path, bool is_first)
{
    common_list models = view_models_of_clip(path);
    const bool is_one = models.count == 1;
    const char *const files[2] = {is_one ? models.names[0] : path, path};
    const bool opened = is_first ? view_open(viewer, files, is_one ? 2 : 1, true)
                                 : open_other(viewer, files, is_one ? 2 : 1);
    if (opened && models.count > 1) {
        char *const folder = common_folder(models.names[0]);
        list_files(viewer, folder, (view_asked){.takes = 1u << VIEW_ENTRY_MODEL});
        view_list_first(&viewer->ui.browser, &models);
        free(folder);
    }
    common_free_list(&models);
    return opened;
}

void view_drop(view_state *viewer, const char *path)
{
    bool done = false;
    const char *what = "opened";
    view_scene *const scene = &viewer->document->scene;
    const bool is_clip = common_has_ending(path, ".md5anim");
    const bool is_camera_path = common_has_ending(path, ".md5camera");
    viewer->log.error[0] = '\0';
    if (view_is_listed(path)) {
        view_browse_place(viewer, path);
        return;
    }
    if (is_clip && view_shows_crowd(viewer->document)) {
        view_notice(viewer, "Clips cannot be added to a crowd: drop a model");
        return;
    }
    if (common_has_ending(path, ".hdr")) {
        what = "environment";
        done = view_set_option(
            viewer, (size_t)(view_find_option("environment", 11) - view_option_rows), path);
        viewer->options->shown.environment |= done;
    } else if (view_is_image(path) && scene->model != NULL) {
        view_clear_start(&viewer->ui);
        if (scene->model->num_meshes == 1)
            take_texture(viewer, 0, view_map_of(path), path);
        else { // beside all: it is asked which
            open_textures(viewer, mesh_of_textures(viewer));
            free(viewer->ui.textures.offered);
            viewer->ui.textures.offered = common_copy(path);
        }
        return;
    } else if (is_clip && (scene->model == NULL || viewer->ui.start.is_open)) {
        done = open_clip(viewer, path, false);
    } else if (is_clip) {
        what = "animation";
        if (view_mover_of(scene)->clip_use == VIEW_CLIP_UNUSED) {
            // A machine: its model is shown with the clip instead. A copy: the character is freed
            // with the replaced document.
            char *const model = common_copy(scene->machine.character->model_path);
            const char *const files[2] = {model, path};
            done = open_other(viewer, files, 2);
            free(model);
        } else {
            done = view_add_clip(scene, path, &viewer->log);
            if (done)
                show_added(viewer);
        }
        viewer->play.playing = viewer->play.playing || done;
    } else if (is_camera_path && scene->skeleton != NULL) {
        what = "camera path";
        done = view_load_camera_path(scene, path, &viewer->log);
        viewer->following = viewer->following || done;
        if (done) {
            viewer->play.time = 0;
            viewer->play.playing = true;
        }
    } else {
        // A camera path that was opened alone is kept with the new model.
        const bool is_waiting =
            scene->camera_path.camera != NULL && scene->skeleton == NULL && !is_camera_path;
        char *const camera_path = is_waiting ? common_copy(scene->camera_path.path) : NULL;
        const char *const files[2] = {path, camera_path};
        done = open_other(viewer, files, is_waiting ? 2 : 1);
        free(camera_path);
    }
    if (done)
        view_clear_start(&viewer->ui);
    if (done)
        view_notice(viewer, "%s: %s", what, common_base(path));
    else
        view_notice(viewer, "%s does not fit", common_base(path));
    note_files(viewer);
}

// == What lies in a game ==========================================================================

bool view_open_game_name(view_state *viewer)
{
    md5_error error = {0};
    const view_options *const options = viewer->options;
    char *const place = view_with_bases(options->game, options->bases.names, options->bases.count);
    viewer->library = view_open_library(place, NULL, NULL, &error);
    free(place);
    if (viewer->library == NULL)
        return view_log_error(&viewer->log, &error);
    char *const address = view_make_address(viewer->library->place, options->files[0], NULL);
    const char *const files[1] = {address};
    const bool is_open = view_open(viewer, files, 1, true);
    free(address);
    return is_open;
}

// == Following ====================================================================================

void view_watch_files(view_state *viewer)
{
    if (!viewer->options->watch || viewer->now < viewer->next_watch || viewer->left != NULL)
        return;
    viewer->next_watch = viewer->now + 0.25;
    const uint64_t now = view_stamp_files(viewer);
    if (now == viewer->files_stamp)
        return;
    const bool done = view_reload(viewer);
    // Taken before reading: files that change meanwhile, or were saved only in part, are read
    // again.
    viewer->files_stamp = now;
    if (!done)
        note_failed(viewer, &(view_command){.action = VIEW_RELOAD});
    view_notice(viewer, "%s", done ? "Reloaded" : "Reload failed: unchanged");
    view_tell_state(viewer, "watch");
}

bool view_follow_files(view_state *viewer)
{
    view_watch_files(viewer);
    const view_command answer = view_follow_desktop(viewer);
    if (answer.action != VIEW_NOTHING) {
        view_perform_file(viewer, &answer);
        free(answer.path);
        view_tell_state(viewer, "answered");
    }
    if (viewer->checked != viewer->document
        && (viewer->window == NULL || !view_is_window_hidden(viewer->window)))
        begin_check(viewer);
    const bool is_checked = viewer->checking != NULL && atomic_load(&viewer->checking->is_done);
    if (is_checked) {
        view_take_reports(&viewer->log, &viewer->checking->found, viewer->document->scene.model);
        view_end_check(viewer);
    }
    if (viewer->log.num_warnings > 0 && !viewer->reports.is_told
        && viewer->now >= viewer->ui.notice_end) {
        viewer->reports.is_told = true;
        view_notice(viewer, "%u problem%s" VIEW_DOT "show", viewer->log.num_warnings,
                    viewer->log.num_warnings == 1 ? "" : "s");
        viewer->ui.notice_action = VIEW_WARNINGS;
    }
    const view_command rested = view_take_waiting(&viewer->ui, viewer->now);
    if (rested.path != NULL)
        view_set_option(viewer, rested.number, rested.path);
    free(rested.path);
    const bool is_scanned = view_follow_scan(viewer), has_preview = view_follow_previews(viewer);
    const bool has_picture = view_follow_pictures(viewer);
    if (viewer->config != NULL && viewer->now >= viewer->noted + 1) {
        viewer->noted = viewer->now;
        if (!store_state(viewer, true))
            viewer->noted = INFINITY; // reported once; view_remember() tries again
    }
    return answer.action != VIEW_NOTHING || rested.action != VIEW_NOTHING || is_checked
           || is_scanned || has_preview || has_picture;
}

// == The start page ===============================================================================

// Our models: of each folder beside that of our own one the first machine, or else the model that
// is called as the folder.
static void list_examples(common_list *list)
{
    char *const models = own_models();
    if (models == NULL)
        return;
    common_list folders = common_list_folder(models, NULL);
    COMMON_FOR (i, folders.count) {
        common_list machines = common_list_folder(folders.names[i], ".md5machine");
        char *const model =
            common_format("%s/%s.md5mesh", folders.names[i], common_base(folders.names[i]));
        if (machines.count > 0)
            common_add(list, common_copy(machines.names[0]));
        else if (common_is_file(model))
            common_add(list, common_copy(model));
        common_free_list(&machines);
        free(model);
    }
    common_free_list(&folders);
    free(models);
}

// Opens it, or lists anew what is on it.
static void show_start(view_state *viewer)
{
    view_start *const start = &viewer->ui.start;
    view_clear_start(&viewer->ui);
    start->is_open = true;
    view_lay_over(&viewer->ui, VIEW_OVER_START);
    for (size_t i = 0; viewer->config != NULL && i < viewer->config->recent.count; i++) {
        const char *const path = viewer->config->recent.names[i];
        view_address address;
        const bool is_in_game = view_read_address(path, &address);
        if (is_in_game)
            view_free_address(&address);
        else if (!common_is_file(path) && !common_is_folder(path))
            start->missing |= 1u << i;
        common_add(&start->recent, common_copy(path));
    }
    list_examples(&start->examples);
    COMMON_FOR (i, view_num_pages)
        common_add(&start->pages, common_copy(view_page_at(i)->title));
}

// Where files are looked for when none is open: beside the last one, or in the user's folder.
static char *first_folder(const view_state *viewer, bool is_last)
{
    const view_config *const config = viewer->config;
    const char *const shown = viewer->document->scene.path;
    // Never the folder of our own model, which nobody has opened.
    if (is_last && !viewer->ui.start.is_open && shown != NULL && common_is_file(shown))
        return common_folder(shown);
    if (is_last && config != NULL && config->recent.count > 0)
        return common_folder(config->recent.names[0]);
    return common_copy(home_folder());
}

// Lists images for a map of a mesh, beside the one that it has, or the model.
static void list_images(view_state *viewer, const view_command *command)
{
    const view_textures *const textures = &viewer->document->textures;
    const view_texture *const image =
        command->number < textures->num_meshes
            ? view_mesh_image(textures, (uint32_t)command->number, MD5GL_PICTURE_DIFFUSE)
            : NULL;
    const char *const beside = image != NULL && image->program == NULL ? image->path
                               : textures->package != NULL             ? textures->package->model
                                                                       : "./";
    char *const folder = common_folder(beside);
    list_files(viewer, folder,
               (view_asked){.takes = 1u << VIEW_ENTRY_PICTURE,
                            .answer = {VIEW_TAKE_TEXTURE, command->number, command->item, NULL}});
    free(folder);
}

// Lists files for an option: what it takes.
static void ask_for_file(view_state *viewer, size_t number, const char *form)
{
    static const unsigned takes[] = {
        [VIEW_NAMES_MODEL] = 1u << VIEW_ENTRY_MODEL | 1u << VIEW_ENTRY_ANIM,
        [VIEW_NAMES_MACHINE] = 1u << VIEW_ENTRY_MODEL,
        [VIEW_NAMES_MAP] = 1u << VIEW_ENTRY_MAP,
        [VIEW_NAMES_PICTURE] = 1u << VIEW_ENTRY_PICTURE | 1u << VIEW_ENTRY_LIGHT};
    const view_option *const option = &view_option_rows[number];
    view_asked asked = {.takes = option->kind == VIEW_OPTION_TEXTURE ? 1u << VIEW_ENTRY_PICTURE
                                                                     : takes[option->names],
                        .answer = {VIEW_SET, number, viewer->ui.over, NULL},
                        .form = common_copy(form)};
    char *const folder = first_folder(viewer, true);
    list_files(viewer, folder, asked);
    free(folder);
}

// == Pages of techniques, and the game ============================================================

// What is shown in place of the document begins at time 0, or at that of the options.
static void begin_page(view_state *viewer, int32_t number)
{
    view_close_page(viewer);
    view_open_page(&viewer->pages, number);
    viewer->following = false;
    if (viewer->options->num_times == 0)
        viewer->play.time = 0;
    viewer->play.held_at_end = false;
}

// Opens a page with its character, or the contents. Returns false and logs an error if that cannot
// be opened.
static bool show_page(view_state *viewer, int32_t number)
{
    const view_page *const page = number >= 0 ? view_page_at((uint32_t)number) : NULL;
    char *const models = own_models();
    if (models == NULL)
        return view_error(&viewer->log, "pages: example models not found");
    bool is_open = true;
    if (page != NULL) { // its character, unless that is the document
        char *const path =
            common_join(models, page->model != NULL ? page->model : VIEW_USUAL_MODEL);
        const char *const shown = viewer->document->scene.path, *const files[1] = {path};
        is_open = (shown != NULL && strcmp(path, shown) == 0
                   && view_mode_of(viewer->document) == VIEW_MODE_CLIPS)
                  || view_open(viewer, files, 1, false);
        free(path);
    }
    free(viewer->pages.folder);
    viewer->pages.folder = models;
    if (!is_open)
        return false;
    view_clear_start(&viewer->ui);
    begin_page(viewer, number);
    return true;
}

bool view_select_game(view_state *viewer)
{
    if (!viewer->options->game_demo) {
        if (viewer->pages.game != NULL)
            view_close_page(viewer);
        return true;
    }
    char *const models = own_models();
    if (models == NULL)
        return view_error(&viewer->log, "--game-demo: example models not found");
    char *const path = common_join(models, VIEW_GAME_CHARACTER);
    const char *const files[1] = {path};
    const view_loader loader = {viewer->options, viewer->renderer, &viewer->log};
    view_close_page(viewer); // a page, or a game of before
    view_document *const own =
        view_load_document(&loader, files, 1, true, false, (view_manner){.dual = false});
    view_game *const game = own != NULL ? view_make_game(own, models, &loader) : NULL;
    free(models);
    free(path);
    if (game == NULL) {
        view_free_document(own, viewer->renderer);
        return false;
    }
    viewer->left_play = viewer->play;
    begin_page(viewer, VIEW_GAME_PAGE);
    viewer->left = viewer->document;
    viewer->document = own;
    viewer->play.playing = viewer->options->output == NULL;
    view_show_bind_pose(&own->scene, false, NULL);
    viewer->has_let_go = false; // keys drive him
    viewer->pages.game = game;
    return true;
}

// --set on a page. What follows the name of a slider may be left out, such as a unit, if only one
// begins so.
static bool set_slider(view_state *viewer, const view_page *page, const view_setting *setting)
{
    const size_t length = strlen(setting->parameter);
    int number = -1; // -2: there are several
    char names[256] = "";
    COMMON_FOR (i, (int)view_num_sliders(page)) {
        const char *const own = page->sliders[i].name;
        common_append(names, sizeof names, ", ", "'%s'", own);
        if (strncmp(own, setting->parameter, length) != 0)
            continue;
        if (own[length] == '\0') {
            number = i;
            break;
        }
        if (own[length] == ',' || own[length] == ' ')
            number = number == -1 ? i : -2;
    }
    if (number < 0 || setting->time != 0)
        return view_error(&viewer->log, "--set %s: page %s has %s", setting->parameter, page->name,
                          number < 0 ? names : "no @TIME");
    const view_slider *const slider = &page->sliders[number];
    const bool is_whole = slider->words != NULL;
    if (!(setting->value >= slider->low && setting->value <= slider->high)
        || (is_whole && setting->value != floorf(setting->value)))
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
        return view_error(&viewer->log, "--set %s: there is no parameter of that name",
                          setting->parameter);
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
        return view_error(&viewer->log, "--page %s: no such page; --page list prints the names",
                          name);
    if (number == VIEW_CONTENTS && options->num_settings > 0)
        return view_error(&viewer->log, "--set: the contents have no sliders");
    bool is_set = show_page(viewer, number);
    for (size_t i = 0; is_set && i < options->num_settings; i++)
        is_set = set_slider(viewer, view_page_at((uint32_t)number), &options->settings[i]);
    return is_set;
}

// == What is shown first ==========================================================================

// Shows our own model with the error of what could not be opened; the next start does not.
static bool open_own_behind(view_state *viewer)
{
    const view_log before = viewer->log;
    if (!view_open(viewer, NULL, 0, false))
        return false;
    memcpy(viewer->log.error, before.error, sizeof before.error);
    viewer->log.failure = before.failure;
    show_start(viewer);
    return true;
}

// The files on the command line; without any the last model, if that is asked for, or else the
// start page, which follows the first minute. Lists the folder on it.
static bool open_named(view_state *viewer)
{
    const view_options *const options = viewer->options;
    if (options->num_folders > 0 && !view_shows_window(options)) {
        const bool is_sheet = options->output != NULL && options->num_folders == 1
                              && options->num_files == 0 && common_is_folder(options->folders[0]);
        if (!is_sheet)
            view_error(&viewer->log,
                       "%s: folders can be listed in a window, or one alone drawn by --output; "
                       "name a file",
                       options->folders[0]);
        return is_sheet;
    }
    if (options->game != NULL && options->num_files == 0 && !view_shows_window(options))
        return view_error(&viewer->log,
                          "--game %s: it can be listed in a window only; name an entity, "
                          "a model or a file in it",
                          options->game);
    if (options->game != NULL && options->num_files > 0)
        return view_open_game_name(viewer);
    const view_config *const config = viewer->config;
    const bool is_named =
        options->num_files > 0 || options->num_folders > 0 || options->names_content;
    const bool is_folder = options->num_folders == 1 && options->num_files == 0;
    const bool has_last = !is_named && options->shown.open_last && config != NULL
                          && viewer->ui.lost[0] == '\0' && config->recent.count > 0
                          && common_is_file(config->recent.names[0]);
    char *const only = has_last                             ? common_copy(config->recent.names[0])
                       : is_folder && options->game == NULL ? view_only_model(options->folders[0])
                                                            : NULL;
    const bool has_one = only != NULL;
    const char *const files[1] = {only};
    const bool is_clip = view_shows_window(options) && !options->no_auto && options->num_files == 1
                         && common_has_ending(options->files[0], ".md5anim");
    const bool opened =
        is_clip
            ? open_clip(viewer, options->files[0], true)
            : view_open(viewer, has_one ? files : options->files, has_one ? 1 : options->num_files,
                        is_named || has_one || config == NULL || config->is_new);
    free(only);
    if (has_one)
        return opened;
    if (opened && viewer->window != NULL && view_shows_window(options) && options->num_files == 0
        && (!options->names_content || options->game != NULL)
        && !viewer->document->scene.machine.acts)
        show_start(viewer);
    // As if dropped: of several folders the last one is listed.
    for (size_t i = 0; i < options->num_folders && opened; i++)
        view_browse_place(viewer, options->folders[i]);
    if (options->game != NULL && opened) {
        char *const place =
            view_with_bases(options->game, options->bases.names, options->bases.count);
        view_browse_game(viewer, place);
        free(place);
    }
    return opened;
}

bool view_open_first(view_state *viewer)
{
    view_find_risk(viewer);
    if (open_named(viewer) && view_take_place(viewer))
        return true;
    return viewer->window != NULL && view_shows_window(viewer->options)
           && (viewer->document->scene.path != NULL || open_own_behind(viewer));
}

// == Commands =====================================================================================

// Opens or closes the list of the last game, or of the one that the shown model lies in.
static void list_game(view_state *viewer)
{
    view_browser *const browser = &viewer->ui.browser;
    const bool was_open = browser->kind == VIEW_BROWSE_GAME;
    const view_package *const package = viewer->document->textures.package;
    const char *const root = package != NULL ? package->root : NULL;
    view_clear_browser(browser);
    if (was_open)
        return;
    if (viewer->scan != NULL)
        view_list_scan(browser, viewer->scan->place);
    else if (viewer->library != NULL)
        view_show_section(viewer, viewer->section);
    else if (root != NULL)
        view_browse_game(viewer, root);
    else
        view_notice(viewer, "No game folder: drop one here, or an archive");
    browser->fresh = true;
}

// Shows a name of a section of the listed game: an entity or a model; a clip on the shown model; a
// skin on the shown entity, or on the first model that it changes.
static void show_named(view_state *viewer, size_t section, const char *selected)
{
    view_scene *const scene = &viewer->document->scene;
    if (viewer->library == NULL)
        return;
    char *shown = section == VIEW_SKINS ? shown_name(viewer) : NULL;
    if (section == VIEW_SKINS && (shown == NULL || view_own_parms(scene) == NULL)) {
        free(shown);
        shown = view_model_for_skin(viewer->library, selected);
    }
    if (section == VIEW_SKINS && shown == NULL)
        view_notice(viewer, "No model here has what this skin changes");
    else if (section == VIEW_SKINS)
        open_one(viewer, shown, true, selected);
    else if (section != VIEW_ANIMS || scene->library != viewer->library || scene->model == NULL)
        open_one(viewer, selected, true, NULL);
    else if (view_add_clip(scene, selected, &viewer->log))
        show_added(viewer);
    else
        view_notice(viewer, "%s does not fit", common_base(selected));
    free(shown);
}

// The next (+1) or previous (-1) name of the shown one's section of a game, or else file of the
// kind in the same folder.
static void open_neighbour(view_state *viewer, int step)
{
    const view_scene *const scene = &viewer->document->scene;
    const view_library *const library = viewer->library;
    size_t place = 0;
    if (scene->library != NULL) {
        char *const name = shown_name(viewer);
        const view_section section = viewer->section < VIEW_SKINS ? viewer->section : VIEW_ENTITIES;
        const size_t count = library != NULL ? library->num_names[section] : 0;
        while (name != NULL && place < count && strcmp(library->names[section][place], name) != 0)
            place++;
        if (count == 0 || name == NULL)
            view_notice(viewer, "Nothing else in this list");
        else
            open_one(viewer, library->names[section][(place + (step > 0 ? 1 : count - 1)) % count],
                     true, NULL);
        free(name);
        return;
    }
    const char *const own = view_mover_of(scene)->ending;
    const char *const ending = own != NULL            ? own
                               : scene->model != NULL ? ".md5mesh"
                               : scene->num_clips > 0 ? ".md5anim"
                                                      : ".md5camera";
    char *const folder = common_folder(scene->path);
    common_list list = common_list_folder(folder, ending);
    char *const clean = common_join(folder, common_base(scene->path));
    COMMON_FOR (i, list.count)
        if (strcmp(list.names[i], clean) == 0)
            place = i;
    if (list.count < 2)
        view_notice(viewer, "No other %s in this folder", ending);
    else
        open_one(viewer, list.names[(place + (step > 0 ? 1 : list.count - 1)) % list.count], false,
                 NULL);
    free(clean);
    common_free_list(&list);
    free(folder);
}

static void open_path(view_state *viewer, const char *path)
{
    char *const only = view_is_listed(path) ? view_only_model(path) : NULL;
    view_drop(viewer, only != NULL ? only : path);
    free(only);
}

static void perform_file(view_state *viewer, const view_command *command)
{
    view_browser *const browser = &viewer->ui.browser;
    const view_scene *const scene = &viewer->document->scene;
    const view_action action = command->action;
    const bool is_wrong = viewer->log.error[0] != '\0';
    const size_t number = command->number;
    const char *const path = command->path;
    const bool is_next = action == VIEW_NEXT_FILE || action == VIEW_NEXT_PAGE;
    const bool is_closed = browser->kind == VIEW_BROWSE_NOTHING;
    char *const folder = first_folder(viewer, action != VIEW_OPEN_FOLDER);
    int32_t count, page;
    // A list does not stay over what is opened, nor an error over a list that it leads to.
    if (action == VIEW_OPEN_FILE || action == VIEW_OPEN_PAGE || action == VIEW_TAKE_TEXTURE)
        view_close_browser(browser);
    switch (action) {
    case VIEW_FILES:
    case VIEW_CLIPS:
        if (command->item > 0) {
            ask_for_file(viewer, command->item - 1, path);
            break;
        }
        viewer->log.error[0] = '\0';
        if (is_wrong && (!is_closed || browser->was != VIEW_BROWSE_NOTHING)) {
            // What could not be opened is in it.
            browser->kind = is_closed ? browser->was : browser->kind;
            break;
        }
        if (action == VIEW_FILES && is_closed && view_ask_desktop(viewer, action, folder))
            break;
        if (action == VIEW_FILES && is_closed) {
            list_files(viewer, folder, (view_asked){.takes = 0});
            browser->fresh = true;
        } else if (!view_open_browser(browser,
                                      action == VIEW_FILES ? VIEW_BROWSE_FILES : VIEW_BROWSE_CLIPS,
                                      0, scene))
            view_notice(viewer, VIEW_NO_CLIP);
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
        open_neighbour(viewer, is_next ? 1 : -1);
        break;
    case VIEW_RELOAD:
        view_notice(viewer, "%s", view_reload(viewer) ? "Reloaded" : "Reload failed: unchanged");
        break;
    case VIEW_NEXT_PAGE:
    case VIEW_PREVIOUS_PAGE:
        // Contents, then all pages, and round again.
        count = (int32_t)view_num_pages + 1;
        page = viewer->pages.open < 0            ? (is_next ? -1 : 0)
               : viewer->pages.open >= count - 1 ? 0
                                                 : viewer->pages.open + 1;
        page = (page + (is_next ? 1 : -1) + count) % count;
        show_page(viewer, page == 0 ? VIEW_CONTENTS : page - 1);
        break;
    case VIEW_OPEN_FOLDER:
        if (number == VIEW_FOLDER_OF_EXPORT)
            view_ask_desktop(viewer, VIEW_EXPORT, viewer->ui.export.choices.folder);
        else if (path != NULL && is_closed) // of the desktop's dialog
            open_path(viewer, path);
        else if (path != NULL)
            view_browse_folder(browser, path, browser->folder, viewer->config);
        else if (!view_ask_desktop(viewer, action, folder))
            list_files(viewer, folder, (view_asked){.takes = 0});
        break;
    case VIEW_START_PAGE:
        if (viewer->left != NULL)
            view_close_page(viewer);
        else if (viewer->ui.start.is_open)
            view_clear_start(&viewer->ui);
        else
            show_start(viewer);
        break;
    case VIEW_FORGET_RECENT:
        if (viewer->config != NULL)
            view_forget_recent(viewer->config, path);
        if (is_closed)
            show_start(viewer);
        else
            view_browse_folder(browser, "", NULL, viewer->config);
        break;
    case VIEW_OPEN_GAME:
        view_browse_game(viewer, path);
        break;
    case VIEW_OPEN_SECTION:
        view_show_section(viewer, number);
        break;
    case VIEW_OPEN_FILE:
        open_path(viewer, path);
        break;
    case VIEW_OPEN_CLIP:
        if (number < scene->num_clips) // a file that changed may have fewer
            view_change_clip(viewer, number);
        viewer->play.playing |= command->item > 0;
        break;
    case VIEW_OPEN_NAMED:
        show_named(viewer, number, path);
        break;
    case VIEW_TEXTURES:
        open_textures(viewer,
                      command->item > 0 ? (uint32_t)command->item - 1 : mesh_of_textures(viewer));
        break;
    case VIEW_TAKE_TEXTURE:
        take_texture(viewer, number, (md5gl_picture)command->item, path);
        break;
    case VIEW_SAVE_TEXTURES:
        save_textures(viewer, number != 0);
        break;
    case VIEW_OPEN_PAGE:
        show_page(viewer, (int32_t)number);
        break;
    case VIEW_KEEP_MOVIE:
    case VIEW_DELETE_MOVIE:
        view_end_lost_movie(viewer, action == VIEW_KEEP_MOVIE);
        break;
    default: // the interface has done it alone
        break;
    }
    free(folder);
}

void view_perform_file(view_state *viewer, const view_command *command)
{
    const uint32_t num_errors = viewer->log.num_errors;
    const bool is_again = command->action == VIEW_TRY_AGAIN;
    if (is_again) {
        viewer->log.error[0] = '\0';
        command = &viewer->failed;
    }
    if (is_again && command->action == VIEW_NOTHING)
        view_open_first(viewer);
    else
        perform_file(viewer, command);
    view_note_over(&viewer->ui);
    if (viewer->log.num_errors != num_errors)
        note_failed(viewer, command);
}
