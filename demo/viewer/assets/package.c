#include "demo/viewer/assets/package.h"

#include "demo/common/game_folder.h"
#include "demo/common/system.h"
#include "demo/common/walk.h"
#include "demo/viewer/assets/cube.h"
#include "demo/viewer/assets/file_words.h"

#include <stdlib.h>
#include <string.h>

// Limits of the search, since a model may be in a home folder with many files.
enum {
    MAX_FOLDERS_UP = 5,
    MAX_SOUGHT_UP = 8,
    MAX_PICTURES = 20000,
    MAX_FOLDERS = 4000, // of the package
    MAX_NEAR = 200,     // around the model
    MAX_SCRIPTS = 64,
    MAX_MODELS = 1000,
};

struct view_package {
    char *model, *folder;    // absolute paths
    char *around;            // the folder above, or NULL: it is not searched
    char *root;              // or NULL
    const md5_files *reader; // of view_open_folder(), or NULL
    bool is_near_listed, is_all_listed, is_game_open;
    view_image_file *pictures;
    size_t num_pictures;
    common_list models, scripts;   // scripts: the md5.cfg files around the model
    md5_cube2 *cubes[MAX_SCRIPTS]; // [num_cubes] what the first ones say; NULL: cannot be read
    size_t num_cubes;
    common_game_places places;
    md5_game *game;
};

// -- Folders --------------------------------------------------------------------------------

static bool has_folder(const char *folder, const char *name)
{
    char *const path = common_join(folder, name);
    const bool is_there = common_is_folder(path);
    free(path);
    return is_there;
}

static bool has_files(const char *folder, const char *ending)
{
    common_list found = common_list_folder(folder, ending);
    const bool any = found.count > 0;
    common_free_list(&found);
    return any;
}

// Whether the folder looks like the root of a game or a mod.
static bool is_root(const char *folder)
{
    static const char *const folders[] = {"materials", "def",     "skins", "textures",
                                          "progs",     "scripts", "data"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (has_folder(folder, folders[i]))
            return true;
    return has_files(folder, ".pk4");
}

// System folders, which are never the root of a game.
static bool is_top(const char *absolute)
{
    const char *const second = *absolute != '\0' ? strchr(absolute + 1, '/') : NULL;
    return second == NULL || second[1] == '\0';
}

static char *find_root(const char *folder)
{
    char *here = common_copy(folder);
    for (int up = 0; up <= MAX_FOLDERS_UP && !is_top(here); up++) {
        if (is_root(here))
            return here;
        char *const above = common_folder(here);
        free(here);
        here = above;
    }
    free(here);
    return NULL;
}

static view_package *open_package(const char *model_path)
{
    view_package *const package = common_alloc(1, sizeof *package);
    char *const absolute = common_absolute(model_path);
    package->model = common_clean(absolute);
    package->folder = common_folder(package->model);
    free(absolute);
    return package;
}

view_package *view_open_package(const char *model_path)
{
    view_package *const package = open_package(model_path);
    char *const around = common_folder(package->folder);
    package->root = find_root(package->folder);
    if (!is_top(around) && (package->root == NULL || common_is_in(around, package->root)))
        package->around = common_copy(around);
    free(around);
    return package;
}

view_package *view_open_folder(const char *model_path, const md5_files *reader)
{
    view_package *const package = open_package(model_path);
    package->reader = reader;
    return package;
}

bool view_is_inside(const view_package *package)
{
    return package->reader != NULL;
}

void view_close_package(view_package *package)
{
    if (package == NULL)
        return;
    for (size_t i = 0; i < package->num_cubes; i++)
        md5_free_cube2(package->cubes[i]);
    for (size_t i = 0; i < package->num_pictures; i++)
        free(package->pictures[i].path);
    free(package->pictures);
    common_free_list(&package->models);
    common_free_list(&package->scripts);
    md5_destroy_game(package->game);
    common_free_game_places(&package->places);
    free(package->model);
    free(package->folder);
    free(package->around);
    free(package->root);
    free(package);
}

const char *view_package_root(const view_package *package)
{
    return package->root;
}

// -- Declarations ---------------------------------------------------------------------------

static void open_game(view_package *package, view_log *log)
{
    md5_error error;
    package->is_game_open = true;
    if (package->root == NULL || !has_folder(package->root, "materials")
        || !common_add_game_folder(&package->places, package->root))
        return;
    package->game = md5_create_game(package->places.paths, package->places.count, NULL, &error);
    if (package->game == NULL)
        view_warn(log, "%s: %s", package->root, error.message);
}

// Returns the first file name of an image program.
static const char *first_file(const md5_image_program *image)
{
    for (uint32_t i = 0; i < image->num_steps; i++)
        if (image->steps[i].kind == MD5_IMAGE_FILE && image->steps[i].file[0] != '_')
            return image->steps[i].file;
    return NULL;
}

md5_game *view_package_game(view_package *package, view_log *log)
{
    if (package != NULL && !package->is_game_open)
        open_game(package, log);
    return package != NULL ? package->game : NULL;
}

const char *view_package_material(view_package *package, const char *material, view_log *log)
{
    if (view_package_game(package, log) == NULL
        || md5_find_decl(package->game, MD5_DECL_MATERIAL, material) == NULL)
        return NULL;
    const md5_material *const found = md5_game_material(package->game, material, NULL);
    const char *any = NULL;
    for (uint32_t i = 0; found != NULL && i < found->num_stages; i++) {
        const md5_stage *const stage = &found->stages[i];
        const char *const file = first_file(&stage->image);
        if (file != NULL && stage->light == MD5_STAGE_DIFFUSE)
            return file;
        if (any == NULL && stage->light == MD5_STAGE_AMBIENT)
            any = file;
    }
    return any;
}

static bool gives_look(const view_package *package, const md5_cube2 *cube, const char *mesh,
                       view_look *look)
{
    for (uint32_t i = 0; cube != NULL && i < cube->num_parts; i++) {
        const md5_cube2_part *const part = &cube->parts[i];
        *look = view_cube_look(cube, part, mesh);
        char *const mesh_path = common_absolute(part->mesh), *const named = common_clean(mesh_path);
        const bool is_it = strcmp(named, package->model) == 0
                           || (!view_is_inside(package) && common_same_file(named, package->model));
        free(mesh_path);
        free(named);
        if (look->diffuse != NULL && is_it)
            return true;
        view_free_look(look);
    }
    return false;
}

bool view_package_look(view_package *package, const char *mesh, view_look *look)
{
    size_t count;
    const md5_load_opts opts = {.files =
                                    package->reader != NULL ? *package->reader : (md5_files){0}};
    (void)view_package_pictures(package, false, &count);
    for (size_t i = 0; i < package->scripts.count; i++) {
        if (i == package->num_cubes)
            package->cubes[package->num_cubes++] =
                md5_load_cube2(package->scripts.names[i], NULL, &opts, NULL);
        if (gives_look(package, package->cubes[i], mesh, look))
            return true;
    }
    return false;
}

// -- Pictures -------------------------------------------------------------------------------

static view_place place_of(const view_package *package, const char *path)
{
    char *const folder = common_folder(path);
    const char *const around = package->around;
    view_place place = VIEW_ELSEWHERE;
    if (common_is_in(folder, package->folder)) {
        // A folder "textures" beside the model is as good as its own.
        const view_name name = view_split_name(folder + strlen(package->folder));
        const bool is_own =
            strcmp(folder, package->folder) == 0 || view_is_all(&name, VIEW_WORD_COLOR);
        place = is_own ? VIEW_BESIDE : VIEW_BELOW;
    } else if (around != NULL && common_is_in(folder, around))
        place = strcmp(folder, around) == 0 ? VIEW_ABOVE : VIEW_AROUND;
    free(folder);
    return place;
}

static void add_picture(view_package *package, const char *path)
{
    if (package->num_pictures == MAX_PICTURES || (view_is_inside(package) && common_is_link(path)))
        return;
    package->pictures =
        common_realloc(package->pictures, package->num_pictures + 1, sizeof *package->pictures);
    package->pictures[package->num_pictures++] =
        (view_image_file){common_copy(path), place_of(package, path)};
}

// Adds the files of a folder: pictures by their endings, in order of preference.
static void add_files(view_package *package, const char *folder)
{
    common_list files = common_list_folder(folder, "");
    for (const char *const *ending = view_image_endings(); *ending != NULL; ending++)
        for (size_t i = 0; i < files.count; i++)
            if (common_has_ending(files.names[i], *ending))
                add_picture(package, files.names[i]);
    for (size_t i = 0; i < files.count; i++) {
        const char *const path = files.names[i];
        if (strcmp(common_base(path), "md5.cfg") == 0 && package->scripts.count < MAX_SCRIPTS
            && !package->is_near_listed)
            common_add(&package->scripts, common_copy(path));
        else if (common_has_ending(path, ".md5mesh") && package->models.count < MAX_MODELS
                 && strcmp(folder, package->folder) == 0 && strcmp(path, package->model) != 0)
            common_add(&package->models, common_stem(path));
    }
    common_free_list(&files);
}

static void list_below(view_package *package, const char *first, const char *listed, size_t most)
{
    common_list folders = common_folders_below(first, listed, most, !view_is_inside(package));
    for (size_t i = 0; i < folders.count; i++)
        add_files(package, folders.names[i]);
    common_free_list(&folders);
}

const view_image_file *view_package_pictures(view_package *package, bool all, size_t *count)
{
    const char *const around = package->around;
    if (!package->is_near_listed) {
        list_below(package, package->folder, "", MAX_NEAR);
        if (around != NULL)
            list_below(package, around, package->folder, MAX_NEAR);
    }
    package->is_near_listed = true;
    if (all && !package->is_all_listed && around != NULL && package->root != NULL)
        list_below(package, package->root, around, MAX_FOLDERS);
    package->is_all_listed = package->is_all_listed || all;
    *count = package->num_pictures;
    return package->pictures;
}

const common_list *view_package_models(const view_package *package)
{
    return &package->models;
}

// Adds the pictures in a folder, if there is one and they are not there yet.
static void seek_in(view_package *package, const char *above, const char *inner)
{
    char *const found = common_find(above, inner);
    bool is_new = found != NULL && common_is_folder(found);
    for (size_t i = 0; i < package->num_pictures && is_new; i++) {
        const char *const path = package->pictures[i].path;
        const size_t length = strlen(found);
        is_new = strncmp(path, found, length) != 0 || path + length + 1 != common_base(path);
    }
    if (is_new)
        add_files(package, found);
    free(found);
}

char *view_seek_pictures(view_package *package, const char *name)
{
    size_t count;
    (void)view_package_pictures(package, false, &count);
    char *const path = common_clean(name), *const folder = common_folder(path);
    char *above = common_copy(package->folder);
    const char *const whole = package->root != NULL     ? package->root
                              : package->around != NULL ? package->around
                                                        : package->folder;
    if (common_is_absolute(name) && common_is_in(path, whole))
        seek_in(package, whole, folder + strlen(whole));
    for (int up = 0; up <= MAX_SOUGHT_UP && !common_is_absolute(name) && folder[1] != '\0'; up++) {
        if (up > 0 && (view_is_inside(package) || is_top(above)))
            break;
        seek_in(package, above, folder);
        char *const next = common_folder(above);
        free(above);
        above = next;
    }
    free(folder);
    free(above);
    return path;
}
