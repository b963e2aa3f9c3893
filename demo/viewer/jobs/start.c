// The first document and the start page of a window.
#include "demo/viewer/jobs/view.h"

// == The start page ===============================================================================

// Lists the recent files on the start page, and marks those that do not exist.
static void list_recent_files(view_start *start, const view_config *config)
{
    for (size_t i = 0; i < config->recent.count; i++) {
        const char *const path = config->recent.names[i];
        if (!view_is_address(path) && !common_is_file(path) && !common_is_folder(path))
            start->missing |= 1u << i;
        common_add(&start->recent, common_copy(path));
    }
}

void view_show_start(view_state *viewer)
{
    view_start *const start = &viewer->panels.start;
    view_clear_start(&viewer->ui, start);
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

// == The first document ===========================================================================

// Shows our own model with the error of the document that could not be opened. Returns false if our
// model cannot be opened, too.
static bool open_start_model(view_state *viewer)
{
    const view_log before = viewer->log;
    if (!view_open(viewer, NULL, 0, false))
        return false;
    memcpy(viewer->log.error, before.error, sizeof before.error);
    viewer->log.failure = before.failure;
    view_show_start(viewer);
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
        return view_open_clip(viewer, options->files[0], true);
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
        view_show_start(viewer);
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
