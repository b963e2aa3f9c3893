// Finds the package of a model, and lists the images and declarations in it.
#include "demo/looks/names.h"
#include "demo/looks/search.h"

#include "demo/common/memory.h"
#include "demo/common/system.h"

// Returns a copy of the bytes of a file, followed by a 0 byte, or NULL. The file is read by the
// functions of the caller, which may read from an archive. They own the original bytes, so these
// are copied.
char *view_copy_file(md5_files files, const char *path, size_t *size, md5_error *error)
{
    const void *const bytes = files.open(files.user, path, size, error);
    if (!bytes)
        return NULL;
    char *const copy = memcpy(common_alloc(*size + 1, 1), bytes, *size);
    files.close(files.user, bytes, *size);
    return copy;
}

// Limits of the search, because a model can be in a home folder with many files.
enum {
    MAX_IMAGES = 20000,
    MAX_FOLDERS = 4000,     // folders of the package
    MAX_NEAR_FOLDERS = 200, // folders around the model
    MAX_MODELS = 1000,
};

// Returns true if a folder has a subfolder with this name.
static bool has_folder(const char *folder, const char *name)
{
    char *const path = common_join(folder, name);
    const bool exists = common_is_folder(path);
    free(path);
    return exists;
}

// Returns true for the root folder and the folders directly in it, such as "/home". They are never
// the folder of a game.
static bool is_top_level(const char *absolute)
{
    const char *const second = *absolute != '\0' ? strchr(absolute + 1, '/') : NULL;
    return !second || second[1] == '\0';
}

// Returns true if a folder is probably the folder of a game or a mod. It then contains archives, or
// a folder with a name that is typical of games.
static bool is_package(const char *folder)
{
    static const char *const folders[] = {"materials", "def",     "skins", "textures",
                                          "progs",     "scripts", "data"};
    common_list archives = common_list_folder(folder, ".pk4");
    const bool has_archives = archives.count > 0;
    common_free_list(&archives);
    if (has_archives)
        return true;
    for (size_t i = 0; i < COMMON_LENGTH(folders); i++) {
        if (has_folder(folder, folders[i]))
            return true;
    }
    return false;
}

// Returns the nearest ancestor of a folder that contains the folder in a subfolder "models" or
// "progs". Returns NULL if there is none.
static char *find_game_folder(const char *folder)
{
    char *game = NULL;
    char *current = common_copy(folder);
    while (!game && !is_top_level(current)) {
        const char *const name = common_base(current);
        const bool contains_models =
            common_compare_case(name, "models") == 0 || common_compare_case(name, "progs") == 0;
        char *const parent = common_folder(current);
        if (contains_models && !is_top_level(parent))
            game = common_copy(parent);
        free(current);
        current = parent;
    }
    free(current);
    return game;
}

// Sets the folders of a package:
// - root: the folder of the game or mod, if it is recognized;
// - parent: the parent folder of the model's folder, if it is searched;
// - last_ancestor: the last ancestor in which relative names are searched.
static void find_folders(view_package *package)
{
    const char *const folder = package->folder;
    char *const game = find_game_folder(folder);
    char *const parent = common_folder(folder);
    if (game && is_package(game))
        package->root = common_copy(game);
    else if (!is_top_level(folder) && is_package(folder))
        package->root = common_copy(folder);

    // The parent folder is not searched if it is outside of the package.
    if (!is_top_level(parent) && (!package->root || common_is_in(parent, package->root)))
        package->parent = common_copy(parent);

    package->last_ancestor = game;
    if (!game)
        package->last_ancestor = common_copy(package->parent ? parent : folder);
    free(parent);
}

// Stores the normalized path of the model and finds the folders to search. With a reader, only the
// model's folder is searched. Images are listed later, when they are needed.
view_package *view_open_package(const char *model_path, const md5_files *reader)
{
    view_package *const package = common_alloc(1, sizeof *package);
    char *const absolute = common_absolute(model_path);
    package->model = common_normalize_path(absolute);
    package->folder = common_folder(package->model);
    package->reader = reader;
    if (!reader)
        find_folders(package);
    free(absolute);
    return package;
}

// Frees a package with its list of images, its game and its models. `package` may be NULL.
void view_close_package(view_package *package)
{
    if (!package)
        return;
    for (size_t i = 0; i < package->num_cubes; i++)
        md5_free_cube2(package->cubes[i]);
    for (size_t i = 0; i < package->num_images; i++) {
        free(package->images[i].path);
        free(package->images[i].stem);
    }

    free(package->images);
    free(package->models);
    common_free_list(&package->scripts);
    md5_destroy_game(package->game);
    common_free_list(&package->declaration_files);
    common_free_game_paths(&package->paths);
    free(package->model);
    free(package->folder);
    free(package->parent);
    free(package->last_ancestor);
    free(package->root);
    free(package);
}

// The next functions are callbacks of a folder in a game's search path (md5_game_path). They are
// used if an md5_files reader reads the files of a package. The folder contains only the
// declarations next to the model. declaration_file_name() returns the name of a file, relative to
// the model's folder.
static const char *declaration_file_name(void *user, size_t file)
{
    const view_package *const package = user;
    return package->declaration_files.names[file] + strlen(package->folder) + 1;
}

static const void *open_declaration_file(void *user, size_t file, size_t *size, md5_error *error)
{
    const view_package *const package = user;
    return package->reader->open(package->reader->user, package->declaration_files.names[file],
                                 size, error);
}

static void close_declaration_file(void *user, const void *bytes, size_t size)
{
    const view_package *const package = user;
    package->reader->close(package->reader->user, bytes, size);
}

// Reports a fault of a declaration. It is the callback md5_load_opts.warn.
static void warn_of_declaration(void *user, const md5_error *fault)
{
    const view_package *const package = user;
    if (package->warnings.warn)
        view_report_warning(package->warnings,
                            common_format("%s:%u:%u: %s", fault->file, (unsigned)fault->line,
                                          (unsigned)fault->column, fault->message));
}

// Opens the materials in the model's folder through the package's reader.
static md5_game *open_game_with_reader(view_package *package)
{
    md5_error error = {0};
    char *const folder = common_join(package->folder, "materials");
    package->declaration_files = common_list_folder(folder, ".mtr");
    free(folder);
    if (package->declaration_files.count == 0)
        return NULL;
    const md5_game_path path = {.num_files = package->declaration_files.count,
                                .name = declaration_file_name,
                                .open = open_declaration_file,
                                .close = close_declaration_file,
                                .user = package};
    const md5_load_opts opts = {.warn = warn_of_declaration, .warn_user = package};
    return md5_create_game(&path, 1, &opts, &error);
}

// Returns the folder of a package that contains the folder "materials", or NULL. This is the root
// of the package or the model's folder. A root that was recognized by "progs" usually has no
// materials. But a model in "progs" may be made for Doom 3, with the materials in its own folder.
static const char *find_materials_root(const view_package *package)
{
    if (!package->root)
        return NULL;
    if (has_folder(package->root, "materials"))
        return package->root;
    const char *const folder = package->folder;
    return !is_top_level(folder) && has_folder(folder, "materials") ? folder : NULL;
}

// Opens the materials of the package from the disk. Returns NULL if the package does not have
// materials, or after a warning if they cannot be read.
static md5_game *open_game_on_disk(view_package *package, view_listener warnings)
{
    md5_error error = {0};
    const char *const root = find_materials_root(package);
    if (!root || !common_add_game_path(&package->paths, root, &error))
        return NULL;
    const md5_load_opts opts = {.warn = warn_of_declaration, .warn_user = package};
    md5_game *const game =
        md5_create_game(package->paths.paths, package->paths.count, &opts, &error);
    if (!game)
        view_report_warning(warnings, common_format("%s: %s", root, error.message));
    return game;
}

// Opens the game on the first call. All calls return the same result, which may be NULL. With a
// reader, the game consists of the declarations next to the model.
md5_game *view_package_game(view_package *package, view_listener warnings)
{
    if (!package)
        return NULL;
    if (!package->is_game_open) {
        package->is_game_open = true;
        if (package->reader)
            package->game = open_game_with_reader(package);
        else
            package->game = open_game_on_disk(package, warnings);
    }

    // Faults that opening the game finds are not reported: most files do not concern the model.
    package->warnings = warnings;
    return package->game;
}

void view_silence_package(view_package *package)
{
    if (package)
        package->warnings = (view_listener){NULL, NULL};
}

// Returns the location of a folder relative to the model's folder.
static view_location locate_folder(const view_package *package, const char *folder)
{
    if (common_is_in(folder, package->folder)) {
        // A subfolder with a name such as "textures" counts as the model's folder.
        const view_name name = view_split_name(folder + strlen(package->folder));
        const bool is_same_folder =
            strcmp(folder, package->folder) == 0 || view_has_only_words(&name, WORD_COLOR);
        return is_same_folder ? VIEW_SAME_FOLDER : VIEW_SUBFOLDER;
    }
    if (package->parent && common_is_in(folder, package->parent))
        return strcmp(folder, package->parent) == 0 ? VIEW_PARENT_FOLDER : VIEW_PARENT_SUBFOLDER;
    return VIEW_ELSEWHERE;
}

// Adds an image to the package, up to a limit. With a reader, links are not followed, because they
// can lead out of the model's folder.
static void add_image(view_package *package, const char *path, view_location location)
{
    if (package->num_images == MAX_IMAGES)
        return;
    if (package->reader && common_is_link(path))
        return;
    char *const stem = view_remove_extension(path);
    *COMMON_ADD_ITEM(package->images, package->num_images) =
        (view_image_file){common_copy(path), stem, view_split_name(common_base(stem)), location};
}

// Adds the name of another model in the model's folder to the package if the name is specific.
static void add_model(view_package *package, const char *path)
{
    if (package->num_models == MAX_MODELS || strcmp(path, package->model) == 0)
        return;
    char *const stem = common_stem(path);
    const view_name name = view_split_name(stem);
    free(stem);
    if (view_is_specific_name(&name))
        *COMMON_ADD_ITEM(package->models, package->num_models) = name;
}

// Adds the images among the files of one folder to the package. They are ordered by their
// extensions, so that preferred formats are first.
static void add_images(view_package *package, const common_list *files, view_location location)
{
    for (const char *const *extension = md5gl_image_extensions(); *extension; extension++) {
        for (size_t i = 0; i < files->count; i++) {
            if (common_has_suffix(files->names[i], *extension))
                add_image(package, files->names[i], location);
        }
    }
}

// Adds an md5.cfg file to the package, up to a limit. The folders near the model are listed first,
// and files in other folders are not used.
static void add_script(view_package *package, const char *path)
{
    const bool is_full = package->scripts.count == VIEW_MAX_SCRIPTS;
    if (!is_full && !package->is_near_listed)
        common_add(&package->scripts, common_copy(path));
}

// Adds the images and md5.cfg files of a folder to the package. If it is the model's folder, also
// adds the names of other models.
static void add_files(view_package *package, const char *folder)
{
    common_list files = common_list_folder(folder, "");
    const bool is_model_folder = strcmp(folder, package->folder) == 0;
    add_images(package, &files, locate_folder(package, folder));
    for (size_t i = 0; i < files.count; i++) {
        const char *const path = files.names[i];
        if (strcmp(common_base(path), "md5.cfg") == 0)
            add_script(package, path);
        else if (is_model_folder && common_has_suffix(path, ".md5mesh"))
            add_model(package, path);
    }
    common_free_list(&files);
}

// Adds the files of a folder and its subfolders to the package. The folder `listed` is skipped.
static void add_folders(view_package *package, const char *first, const char *listed,
                        size_t max_folders)
{
    common_list folders =
        common_list_subfolders(first, listed, max_folders, package->reader == NULL);
    for (size_t i = 0; i < folders.count; i++)
        add_files(package, folders.names[i]);
    common_free_list(&folders);
}

// Lists the images in the model's folder, in its parent folder and in their subfolders, unless they
// are listed already.
static void list_near_images(view_package *package)
{
    if (package->is_near_listed)
        return;
    add_folders(package, package->folder, "", MAX_NEAR_FOLDERS);
    if (package->parent)
        add_folders(package, package->parent, package->folder, MAX_NEAR_FOLDERS);
    package->is_near_listed = true;
}

// Lists the images around the model, beginning with the nearest folders. If `is_all_wanted`, also
// lists all other images of the package after them. Nothing is listed twice.
void view_list_images(view_package *package, bool is_all_wanted)
{
    list_near_images(package);
    if (!is_all_wanted || package->is_all_listed)
        return;
    if (package->parent && package->root)
        add_folders(package, package->root, package->parent, MAX_FOLDERS);
    package->is_all_listed = true;
}

// Returns true if one of the listed images is directly in a folder. All images of that folder are
// then listed.
static bool is_folder_listed(const view_package *package, const char *folder)
{
    const size_t length = strlen(folder);
    for (size_t i = 0; i < package->num_images; i++) {
        const char *const path = package->images[i].path;
        const bool is_inside = strncmp(path, folder, length) == 0;
        if (is_inside && path + length + 1 == common_base(path)) // a slash, then the name
            return true;
    }
    return false;
}

// Adds the images in the folder parent/inner, if it exists and is not listed yet.
static void add_found_folder(view_package *package, const char *parent, const char *inner)
{
    char *const found = common_find(parent, inner);
    if (found && common_is_folder(found) && !is_folder_listed(package, found))
        add_files(package, found);
    free(found);
}

// Returns the uppermost folder that is searched.
static const char *search_root(const view_package *package)
{
    if (package->root)
        return package->root;
    return package->parent ? package->parent : package->folder;
}

// Adds the images of all folders called `inner` in the model's folder and in its ancestors, up to
// package->last_ancestor.
static void add_folder_in_ancestors(view_package *package, const char *inner)
{
    char *ancestor = common_copy(package->folder);
    bool is_end = false;
    while (!is_end) {
        add_found_folder(package, ancestor, inner);
        is_end = !package->last_ancestor || strcmp(ancestor, package->last_ancestor) == 0;
        char *const next = common_folder(ancestor);
        free(ancestor);
        ancestor = next;
    }
    free(ancestor);
}

// Adds the images of the folder that contains the file `name`, ignoring case. An absolute name must
// be inside of search_root(). A relative name is searched in the model's folder and in its
// ancestors, up to the end of the package. Returns the normalized name, which begins with a slash
// and which the caller frees.
char *view_add_named_folder(view_package *package, const char *name)
{
    view_list_images(package, false);
    char *const path = common_normalize_path(name);
    char *const folder = common_folder(path);
    const char *const root = search_root(package);
    const bool has_folder_part = folder[1] != '\0'; // otherwise `name` is only the name of a file
    if (common_is_absolute(name)) {
        if (common_is_in(path, root))
            add_found_folder(package, root, folder + strlen(root));
    } else if (has_folder_part) {
        add_folder_in_ancestors(package, folder);
    }
    free(folder);
    return path;
}
