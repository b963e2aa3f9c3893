// Lists of files in folders: the locations that the list offers, the folder that is listed first,
// and lists in which the user selects a file for an option, an image for a mesh, or a folder for
// exported files.
#include "demo/viewer/jobs/view.h"

#include "demo/common/text.h"

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

    if (config == NULL)
        return;
    for (size_t i = 0; i < config->recent.count; i++) {
        view_address address;
        if (!view_read_address(config->recent.names[i], &address))
            continue;
        add_location(viewer, address.location);
        view_free_address(&address);
    }
}

void view_browse_files(view_state *viewer, const char *folder, view_list_purpose purpose)
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
        view_browse_files(viewer, path, (view_list_purpose){.accepted_kinds = 0});
}

void view_list_folder_with(view_state *viewer, const common_list *files, view_list_purpose purpose)
{
    char *const folder = common_folder(files->names[0]);
    view_browse_files(viewer, folder, purpose);
    view_list_first(&viewer->panels.browser, files);
    free(folder);
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

char *view_get_default_folder(const view_state *viewer)
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

// == Selection of a file or a folder ==============================================================

void view_list_images_for_map(view_state *viewer, const view_command *command)
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
    view_browse_files(viewer, folder, purpose);
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

void view_list_files_for_option(view_state *viewer, size_t number, const char *form)
{
    const view_list_purpose purpose = {
        .accepted_kinds = accepted_kinds(&view_option_rows[number]),
        .answer = {.action = VIEW_SET, .number = number},
        .form = common_copy(form),
        .returns_to = viewer->ui.over,
    };
    char *const folder = view_get_default_folder(viewer);
    view_browse_files(viewer, folder, purpose);
    free(folder);
}

void view_list_export_folders(view_state *viewer)
{
    const char *const folder = viewer->panels.export.choices.folder;
    const view_list_purpose purpose = {
        .accepted_kinds = 1u << VIEW_ENTRY_FOLDER,
        .is_folder = true,
        .returns_to = VIEW_OVERLAY_EXPORT,
        .answer = {.action = VIEW_OPEN_FOLDER, .number = VIEW_FOLDER_OF_EXPORT},
    };
    if (!view_open_file_dialog(viewer, VIEW_EXPORT, folder))
        view_browse_files(viewer, folder, purpose);
}

void view_select_export_folder(view_state *viewer, const char *path)
{
    view_export_choices *const choices = &viewer->panels.export.choices;
    if (strlen(path) < sizeof choices->folder)
        COMMON_TEXT(choices->folder, "%s", path);
    else
        view_notice(viewer, "Cannot open the folder: its path is too long");
    view_open_overlay(&viewer->ui, &viewer->panels, VIEW_OVERLAY_EXPORT);
}
