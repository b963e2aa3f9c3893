// The listed game: the scan of its folder or archive, the lists of its contents, and the display of
// an item.
#include "demo/viewer/jobs/view.h"

#include "demo/common/text.h"

// Lists a section of the open game, such as its models. Does nothing if no game is open. The
// list marks the name of the shown document, if the document is from this game.
void view_show_section(view_state *viewer, size_t section)
{
    if (viewer->lists.game == NULL || section >= VIEW_NUM_SECTIONS)
        return;
    char *const name = view_shown_game_name(viewer);
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
        view_open_item(viewer, library->names[viewer->lists.section][0], true, NULL);
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
        view_store_failed_command(viewer,
                                  &(view_command){.action = VIEW_OPEN_GAME, .path = location});
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

// == Items of the game ============================================================================

void view_list_game(view_state *viewer)
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
    char *model = view_shown_game_name(viewer);
    if (model == NULL || view_entity_parms(&viewer->document->scene) == NULL) {
        free(model);
        model = view_model_for_skin(viewer->lists.game, skin);
    }
    if (model != NULL)
        view_open_item(viewer, model, true, skin);
    else
        view_notice(viewer, "This skin does not apply to the current model");
    free(model);
}

void view_show_game_item(view_state *viewer, size_t section, const char *selected)
{
    view_scene *const scene = &viewer->document->scene;
    if (viewer->lists.game == NULL)
        return;
    const bool shows_model_of_game = scene->library == viewer->lists.game && scene->model != NULL;
    if (section == VIEW_SKINS)
        show_skin(viewer, selected);
    else if (section != VIEW_ANIMS || !shows_model_of_game)
        view_open_item(viewer, selected, true, NULL);
    else if (view_add_clip(scene, selected, &viewer->log))
        view_show_added_clip(viewer);
    else
        view_notice(viewer, "%s does not match the model", common_base(selected));
}

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
