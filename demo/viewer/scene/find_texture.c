#include "demo/viewer/scene/find_texture.h"

#include "demo/viewer/scene/image.h"
#include "demo/viewer/scene/maps.h"
#include "demo/viewer/scene/quake.h"
#include "demo/viewer/scene/shader_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FOLDERS_UP = 8, MAX_TRIED = 64 };

void view_free_texture_found(view_texture_found *found)
{
    free(found->path);
    free(found->normals);
    for (uint32_t i = 0; i < found->num_turns; i++)
        free(found->turns[i]);
    common_free_list(&found->tried);
    *found = (view_texture_found){0};
}

// -- One name in one folder -----------------------------------------------------------------

// Adds a name to the list of names tried, once.
static void note_tried(view_texture_found *found, char *name)
{
    common_list *const tried = &found->tried;
    bool is_new = tried->count < MAX_TRIED;
    for (size_t i = 0; i < tried->count; i++)
        is_new = is_new && strcmp(tried->names[i], name) != 0;
    if (is_new) {
        tried->names = common_realloc(tried->names, tried->count + 1, sizeof *tried->names);
        tried->names[tried->count++] = name;
    } else {
        free(name);
    }
}

// Too small for a model's texture: a placeholder.
static bool is_tiny(const char *path)
{
    enum { TINY = 16, TINY_BYTES = 64 * 1024 };
    view_image image;
    view_image_fault fault;
    if (common_file_size(path) > TINY_BYTES || !view_read_image(path, &image, &fault))
        return false;
    free(image.rgba);
    return image.width <= TINY && image.height <= TINY;
}

// Returns the file of the list with the name and suffix and the extension of an image, or NULL.
static const char *pick_with_suffix(const common_list *files, const char *name, const char *suffix)
{
    const char *found = NULL;
    for (const char *const *ending = view_image_endings(); *ending != NULL && found == NULL;
         ending++) {
        char *const file = common_format("%s%s%s", name, suffix, *ending);
        found = common_pick(files, file);
        free(file);
    }
    return found;
}

// Finds the stem with each suffix of colour maps. The name without suffix comes first, unless it is
// tiny and another is found.
static char *find_stem(const char *folder, const char *stem)
{
    common_list files = common_find_starting(folder, stem);
    const char *const name = common_base(stem), *const plain = pick_with_suffix(&files, name, "");
    const char *found = NULL;
    if (plain == NULL || is_tiny(plain))
        for (const char *const *suffix = view_map_suffixes(VIEW_MAP_DIFFUSE);
             *suffix != NULL && found == NULL; suffix++)
            if (**suffix != '\0')
                found = pick_with_suffix(&files, name, *suffix);
    found = found != NULL ? found : plain;
    char *const path = found != NULL ? common_copy(found) : NULL;
    common_free_list(&files);
    return path;
}

// Returns a copy without the extension of an image, with slashes only.
static char *without_ending(const char *name)
{
    char *const stem = common_copy(name);
    for (char *c = stem; *c != '\0'; c++)
        if (*c == '\\')
            *c = '/';
    for (const char *const *ending = view_image_endings(); *ending != NULL; ending++)
        if (common_has_ending(stem, *ending))
            stem[strlen(stem) - strlen(*ending)] = '\0';
    return stem;
}

// Finds `name` in `folder`: unchanged if it has the extension of an image, then with each of the
// extensions.
static char *find_variant(view_texture_found *found, const char *folder, const char *name)
{
    char *const stem = without_ending(name);
    char *path = view_is_image(name) ? common_find(folder, name) : NULL;
    if (path == NULL || is_tiny(path)) {
        char *const other = find_stem(folder, stem);
        if (other != NULL) {
            free(path);
            path = other;
        }
    }
    if (path == NULL)
        note_tried(found, common_join(folder, stem));
    free(stem);
    return path;
}

// -- By the shader's path -------------------------------------------------------------------

// Finds "a/b/c", then "b/c", then "c" in one folder.
static char *find_in_folder(view_texture_found *found, const char *folder, const char *name)
{
    for (const char *rest = name;; rest++) {
        char *const path = *rest != '\0' ? find_variant(found, folder, rest) : NULL;
        rest = strchr(rest, '/');
        if (path != NULL || rest == NULL)
            return path;
    }
}

// In the folders "textures" and "images" beside the model.
static char *find_beside(view_texture_found *found, const char *folder, const char *name)
{
    static const char *const names[] = {"textures", "images"};
    char *path = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && path == NULL; i++) {
        char *const beside = common_join(folder, names[i]);
        if (common_is_folder(beside))
            path = find_variant(found, beside, common_base(name));
        free(beside);
    }
    return path;
}

// The folder above: "a/b" gives "a", "a" gives ".", "." gives "..", "/" none.
static char *parent_folder(const char *folder)
{
    const char *const base = common_base(folder);
    if (strcmp(folder, "/") == 0)
        return NULL;
    if (strcmp(folder, ".") == 0)
        return common_copy("..");
    if (strcmp(base, "..") == 0)
        return common_format("%s/..", folder);
    return common_folder(folder);
}

// In the model's folder and those above; `name` is relative.
static char *find_upward(view_texture_found *found, const char *model_path, const char *name)
{
    char *folder = common_folder(model_path), *path = NULL;
    for (int up = 0; up <= MAX_FOLDERS_UP && folder != NULL && path == NULL; up++) {
        if (up == 0)
            path = find_in_folder(found, folder, name);
        else if (strchr(name, '/') != NULL) // a name without folders could match an unrelated file
            path = find_variant(found, folder, name);
        if (up == 0 && path == NULL)
            path = find_beside(found, folder, name);
        char *const above = parent_folder(folder);
        free(folder);
        folder = above;
    }
    free(folder);
    return path;
}

// Converts the shader to a path: without a drive letter, with slashes. Files near the model come
// before those of the current folder, which may belong to another copy of the game.
static char *find_by_shader(view_texture_found *found, const char *model_path, const char *shader)
{
    const char *const whole = shader[0] != '\0' && shader[1] == ':' ? shader + 2 : shader;
    const bool is_absolute = common_is_absolute(whole);
    const char *relative = whole;
    while (*relative == '/')
        relative++;
    if (*relative == '\0')
        return NULL;
    char *path = is_absolute ? find_variant(found, "/", whole) : NULL;
    if (path == NULL)
        path = find_upward(found, model_path, relative);
    return path != NULL || is_absolute ? path : find_variant(found, ".", relative);
}

// -- By declarations and guesses ------------------------------------------------------------

static char *find_by_material(view_texture_found *found, const view_texture_search *search,
                              const char *shader, view_log *log)
{
    const char *const file =
        *shader != '\0' ? view_package_material(search->package, shader, log) : NULL;
    return file != NULL ? find_variant(found, view_package_root(search->package), file) : NULL;
}

// By a .shader file, whose pictures are those of the whole package.
static char *find_by_script(view_texture_found *found, const view_texture_search *search,
                            const char *shader, view_log *log)
{
    const char *const root = view_package_root(search->package);
    char *const scripts = root != NULL ? common_join(root, "scripts") : NULL;
    view_look look = {0};
    char *path = NULL;
    if (scripts != NULL && view_find_shader(scripts, shader, &look, log)) {
        path = look.diffuse != NULL ? find_variant(found, root, look.diffuse) : NULL;
        found->normals = look.normals != NULL ? find_variant(found, root, look.normals) : NULL;
        found->two_sided = look.two_sided;
    }
    view_free_look(&look);
    free(scripts);
    return path;
}

static char *find_by_cube(view_texture_found *found, const view_texture_search *search)
{
    const char *const file = view_package_skin(search->package, search->model_path, search->mesh);
    return file != NULL ? find_variant(found, ".", file) : NULL;
}

// An image of a skin: beside the model, or in the folder "textures" of the game.
static char *find_quake_image(view_texture_found *found, const char *model_path, const char *shader,
                              uint32_t number, uint32_t image)
{
    char *const skin = view_quake_skin(model_path, shader, number, image);
    char *const below = skin != NULL ? common_format("textures/%s", skin) : NULL;
    char *path = skin != NULL ? find_upward(found, model_path, skin) : NULL;
    if (path == NULL && below != NULL)
        path = find_upward(found, model_path, below);
    free(below);
    free(skin);
    return path;
}

static char *find_by_quake(view_texture_found *found, const view_texture_search *search,
                           const char *shader, view_log *log)
{
    const char *const model = search->model_path;
    view_texture_found others = {0}; // what else was tried is not worth a line
    uint32_t skin = search->skin;
    char *path = find_quake_image(found, model, shader, skin, 0);
    if (path == NULL && skin > 0) {
        skin = 0;
        path = find_quake_image(found, model, shader, skin, 0);
        if (path != NULL)
            view_warn(log, "mesh \"%s\" has no skin %u: skin 0 is shown", search->mesh,
                      (unsigned)search->skin);
    }
    while (path != NULL && found->num_turns < MD5_QUAKE_MAX_IMAGES - 1) {
        char *const next = find_quake_image(&others, model, shader, skin, found->num_turns + 1);
        if (next == NULL)
            break;
        found->turns[found->num_turns++] = next;
    }
    view_free_texture_found(&others);
    return path;
}

static char *find_in_package(const view_texture_search *search, const char *shader)
{
    const char *path = NULL;
    char *const named = without_ending(common_base(shader));
    for (const char *const *suffix = view_map_suffixes(VIEW_MAP_DIFFUSE);
         *suffix != NULL && path == NULL; suffix++) {
        char *const stem = common_format("%s%s", named, *suffix);
        path = *stem != '\0' ? view_package_image(search->package, stem, search->model_path) : NULL;
        free(stem);
    }
    free(named);
    return path != NULL ? common_copy(path) : NULL;
}

static char *find_by_name(view_texture_found *found, const char *model_path, const char *name)
{
    char *const folder = common_folder(model_path);
    char *path = *name != '\0' ? find_variant(found, folder, common_base(name)) : NULL;
    if (path == NULL && *name != '\0')
        path = find_beside(found, folder, name);
    free(folder);
    return path;
}

// Returns the total length of the words of `name` that occur in `text`. A word has three or more
// letters.
static size_t shared_words(const char *name, const char *text)
{
    enum { LEAST = 3 };
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t shared = 0;
    for (const char *at = name + strcspn(name, letters); *at != '\0'; at += strcspn(at, letters)) {
        const size_t length = strspn(at, letters);
        char *const word = common_copy(at);
        word[length] = '\0';
        if (length >= LEAST && common_contains(text, word))
            shared += length;
        free(word);
        at += length;
    }
    return shared;
}

// Scores a colour map beside the model by its base name; 0 excludes it.
typedef size_t picture_score(const view_texture_search *search, const char *stem);

static size_t by_words(const view_texture_search *search, const char *stem)
{
    char *const shader = common_stem(search->shader);
    const size_t score = shared_words(shader, stem) + shared_words(search->mesh, stem);
    free(shader);
    return score;
}

// A name with the suffix of a colour map scores higher.
static size_t by_suffix(const view_texture_search *search, const char *stem)
{
    (void)search;
    for (const char *const *suffix = view_map_suffixes(VIEW_MAP_DIFFUSE); *suffix != NULL; suffix++)
        if (**suffix != '\0' && common_has_ending(stem, *suffix))
            return 2;
    return 1;
}

// Returns the image beside the model with the highest score; NULL if all are 0, two are equal, or
// there are more than `most`.
static char *find_best(const view_texture_search *search, picture_score *score_of, size_t most)
{
    char *const folder = common_folder(search->model_path);
    common_list files = common_list_folder(folder, "");
    const char *best = NULL;
    size_t best_score = 0, count = 0;
    for (size_t i = 0; i < files.count; i++) {
        if (!view_is_image(files.names[i]) || view_is_other_map(files.names[i]))
            continue;
        count++;
        char *const stem = common_stem(files.names[i]);
        const size_t score = score_of(search, stem);
        free(stem);
        if (score >= best_score)
            best = score > best_score ? files.names[i] : NULL;
        best_score = score > best_score ? score : best_score;
    }
    char *const path = best != NULL && count <= most ? common_copy(best) : NULL;
    common_free_list(&files);
    free(folder);
    return path;
}

enum { FEW = 4 }; // images of one model; a folder with more is a collection of models

static void guess(view_texture_found *found, const view_texture_search *search, const char *shader)
{
    char *const model = common_stem(search->model_path);
    if (*shader != '\0' && (found->path = find_in_package(search, shader)) != NULL)
        found->guess = "by its name elsewhere in the package";
    else if ((found->path = find_by_name(found, search->model_path, search->mesh)) != NULL)
        found->guess = "by the name of the mesh";
    else if ((found->path = find_by_name(found, search->model_path, model)) != NULL)
        found->guess = "by the name of the model";
    else if ((found->path = find_best(search, by_words, SIZE_MAX)) != NULL)
        found->guess = "by words in its file name";
    else if ((found->path = find_best(search, by_suffix, FEW)) != NULL)
        found->guess = "the only colour map beside the model";
    free(model);
}

view_texture_found view_find_texture(const view_texture_search *search, view_log *log)
{
    view_texture_found found = {0};
    char *const shader = common_copy(search->shader);
    for (char *c = shader; *c != '\0'; c++)
        if (*c == '\\')
            *c = '/';
    found.path = find_by_material(&found, search, shader, log);
    if (found.path == NULL)
        found.path = find_by_script(&found, search, shader, log);
    if (found.path == NULL)
        found.path = find_by_cube(&found, search);
    if (found.path == NULL)
        found.path = find_by_quake(&found, search, shader, log);
    if (found.path == NULL)
        found.path = find_by_shader(&found, search->model_path, shader);
    // A mesh without a shader is searched by its own name.
    if (found.path == NULL && *shader == '\0')
        found.path = find_by_name(&found, search->model_path, search->mesh);
    if (found.path == NULL)
        guess(&found, search, shader);
    free(shader);
    return found;
}
