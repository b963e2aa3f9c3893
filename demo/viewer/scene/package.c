#include "demo/viewer/scene/package.h"

#include "demo/common/file.h"
#include "demo/common/game_folder.h"
#include "md5/md5cube.h"
#include "demo/viewer/scene/maps.h"

#include <stdlib.h>
#include <string.h>

// Limits of the search, since a model may be in a home folder with many files.
enum { MAX_FOLDERS_UP = 5, MAX_IMAGES = 20000, MAX_FOLDERS = 4000 };

struct view_package {
    char *root; // or NULL
    bool is_listed, is_game_open, is_cube_open;
    md5_cube *cube; // or NULL
    common_list images;
    common_game_places places;
    md5_game *game;
};

// -- The root -------------------------------------------------------------------------------

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

static char *find_root(const char *model_path)
{
    char *const folder = common_folder(model_path);
    char *here = common_absolute(folder);
    free(folder);
    for (int up = 0; up <= MAX_FOLDERS_UP && here != NULL && !is_top(here); up++) {
        if (is_root(here))
            return here;
        char *const above = common_folder(here);
        free(here);
        here = above;
    }
    free(here);
    return NULL;
}

view_package *view_open_package(const char *model_path)
{
    view_package *const package = common_alloc(1, sizeof *package);
    package->root = find_root(model_path);
    return package;
}

void view_close_package(view_package *package)
{
    if (package == NULL)
        return;
    md5_free_cube(package->cube);
    md5_free_game(package->game);
    common_free_game_places(&package->places);
    common_free_list(&package->images);
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
    package->game = md5_open_game(package->places.paths, package->places.count, NULL, &error);
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
    if (!package->is_game_open)
        open_game(package, log);
    return package->game;
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

static md5_cube *open_cube(const char *model_path)
{
    md5_cube *cube = NULL;
    char *folder = common_folder(model_path);
    for (int up = 0; up < 2 && cube == NULL; up++) {
        char *const path = common_join(folder, "md5.cfg"), *const above = common_folder(folder);
        if (common_is_file(path))
            cube = md5_load_cube(path, NULL, NULL, NULL);
        free(path);
        free(folder);
        folder = above;
    }
    free(folder);
    return cube;
}

const char *view_package_skin(view_package *package, const char *model_path, const char *mesh)
{
    if (!package->is_cube_open)
        package->cube = open_cube(model_path);
    package->is_cube_open = true;
    for (uint32_t i = 0; package->cube != NULL && i < package->cube->num_parts; i++) {
        const md5_cube_part *const part = &package->cube->parts[i];
        md5_cube_skin skin;
        md5_cube_find_skin(part, mesh, &skin);
        if (skin.texture.path != NULL && common_same_file(part->mesh, model_path))
            return skin.texture.path;
    }
    return NULL;
}

// -- Pictures -------------------------------------------------------------------------------

static void append(common_list *list, common_list *more, size_t most)
{
    const size_t left = list->count < most ? most - list->count : 0;
    const size_t added = more->count < left ? more->count : left;
    list->names = common_realloc(list->names, list->count + added + 1, sizeof *list->names);
    for (size_t i = 0; i < more->count; i++) {
        if (i < added)
            list->names[list->count++] = more->names[i];
        else
            free(more->names[i]);
    }
    free(more->names);
    *more = (common_list){0};
}

static void add_images(common_list *images, const char *folder)
{
    common_list files = common_list_folder(folder, "");
    size_t kept = 0;
    for (size_t f = 0; f < files.count; f++) {
        if (view_is_image(files.names[f]))
            files.names[kept++] = files.names[f];
        else
            free(files.names[f]);
    }
    files.count = kept;
    append(images, &files, MAX_IMAGES);
}

// Breadth-first search through the folders.
static void list_images(view_package *package)
{
    package->is_listed = true;
    if (package->root == NULL)
        return;
    common_list folders = {common_alloc(1, sizeof *folders.names), 1};
    folders.names[0] = common_copy(package->root);
    for (size_t i = 0; i < folders.count; i++) {
        common_list below = common_list_folder(folders.names[i], NULL);
        add_images(&package->images, folders.names[i]);
        append(&folders, &below, MAX_FOLDERS);
    }
    common_free_list(&folders);
}

const common_list *view_package_images(view_package *package, const char *model_path)
{
    if (!package->is_listed)
        list_images(package);
    if (package->root == NULL && package->images.count == 0) {
        char *const folder = common_folder(model_path);
        add_images(&package->images, folder);
        free(folder);
    }
    return &package->images;
}

// Returns the length of the common prefix of two paths, in bytes.
static size_t shared_start(const char *a, const char *b)
{
    size_t length = 0;
    while (a[length] != '\0' && a[length] == b[length])
        length++;
    return length;
}

static bool is_stem(const char *path, const char *stem)
{
    char *const found = common_stem(path);
    const bool same = strlen(found) == strlen(stem) && common_has_ending(found, stem);
    free(found);
    return same;
}

const char *view_package_image(view_package *package, const char *stem, const char *near)
{
    if (!package->is_listed)
        list_images(package);
    char *const absolute = common_absolute(near);
    const char *best = NULL;
    size_t best_shared = 0;
    for (size_t i = 0; i < package->images.count; i++) {
        const char *const path = package->images.names[i];
        const size_t shared = shared_start(path, absolute);
        if (is_stem(path, stem) && (best == NULL || shared > best_shared)) {
            best = path;
            best_shared = shared;
        }
    }
    free(absolute);
    return best;
}
