#include "demo/viewer/assets/find_texture.h"

#include "demo/viewer/assets/file_words.h"
#include "demo/viewer/assets/image.h"
#include "demo/viewer/assets/maps.h"
#include "demo/viewer/assets/quake.h"
#include "demo/viewer/assets/look.h"

#include <stdlib.h>
#include <string.h>

void view_free_texture_found(view_texture_found *found)
{
    free(found->path);
    free(found->why);
    view_free_look(&found->look);
    for (uint32_t i = 0; i < found->num_turns; i++)
        free(found->turns[i]);
    common_free_list(&found->tried);
    *found = (view_texture_found){0};
}

// -- Evidence -------------------------------------------------------------------------------

typedef enum evidence {
    BY_DECLARATION,
    BY_SKIN,
    BY_PATH,
    BY_END_OF_PATH,
    BY_SHADER,
    BY_MODEL,
    BY_MESH,
    BY_FOLDER,
    BY_PURPOSE,
    BY_ITSELF,
    NUM_EVIDENCE,
} evidence;

// What an image gets for each place, if a name is the same. Farther away only specific names count:
// "eyes" and "default" are in every package.
static const struct evidence_row {
    const char *name;
    int scores[VIEW_NUM_PLACES]; // beside the model, below, above, around, elsewhere
    bool is_of_model;            // does not say for which mesh it is
} rows[NUM_EVIDENCE] = {
    [BY_DECLARATION] = {"declaration", {150, 150, 150, 150, 150}, false},
    [BY_SKIN] = {"the skin's number", {130, 130, 130, 130, 130}, false},
    [BY_PATH] = {"the shader's path", {120, 120, 120, 120, 120}, false},
    [BY_END_OF_PATH] = {"the end of the shader's path", {105, 100, 90, 85, 75}, false},
    [BY_SHADER] = {"the shader's name", {100, 95, 80, 75, 45}, false},
    [BY_MODEL] = {"the model's name", {85, 75, 60, 70, 45}, true},
    [BY_MESH] = {"the mesh's name", {80, 70, 45, 0, 0}, false},
    [BY_FOLDER] = {"the folder's name", {60, 55, 0, 45, 0}, true},
    [BY_PURPOSE] = {"a name of colour maps", {70, 0, 50, 0, 0}, true},
    [BY_ITSELF] = {"being the only image", {50, 0, 0, 0, 0}, true},
};

static const char *const place_names[VIEW_NUM_PLACES] = {
    "beside the model", "in a folder beside the model", "in the folder above",
    "in a folder around the model", "elsewhere in the package"};

// Below LEAST evidence is too weak; of two within MARGIN none is taken, of a model with several
// materials within WIDE_MARGIN. From SURE on nothing is looked for farther away, and it is no guess
// from SAID on.
enum { LEAST = 40, MARGIN = 6, WIDE_MARGIN = 30, SURE = 70, SAID = 90, SAME = 90 };

// What is subtracted.
enum { NOT_ON_MODELS = 60, OF_ANOTHER = 60, OF_A_PART = 30, IS_TINY = 5 };

typedef struct wanted {
    const view_texture_search *search;
    const md5_mesh *mesh;
    char *at;   // the absolute path of the model
    char *path; // the shader with slashes before each part, without drive and ending
    view_name shader, name, model, folder, all; // all: the four others
    bool is_foreign;                            // the shader is a path of the author's machine
    bool has_others;                            // other meshes have other materials
    bool is_main;    // it may have the image that the model is named after
    bool is_part;    // a word of its names says so that the model's name lacks
    bool is_shared;  // other models lie beside it: whose the images are only names can say
    bool has_images; // some lie beside the model: those farther away are icons and the like
    const view_image_file *only; // the only one beside the model that may be on it, or NULL
} wanted;

typedef struct candidate {
    const view_image_file *image;
    evidence by;
    int score;
    const char *objection; // or NULL
} candidate;

// -- What is wanted -------------------------------------------------------------------------

// What tells a mesh from the others: its shader, else its name.
static const char *identity_of(const md5_mesh *mesh)
{
    return mesh->shader[0] != '\0' ? mesh->shader : mesh->name;
}

static wanted begin(const view_texture_search *search)
{
    const md5_mesh *const mesh = &search->model->meshes[search->mesh];
    wanted of = {.search = search, .mesh = mesh, .is_foreign = common_is_absolute(mesh->shader)};
    const bool has_drive = mesh->shader[0] != '\0' && mesh->shader[1] == ':';
    char *const stem = view_without_ending(mesh->shader + (has_drive ? 2 : 0));
    char *const absolute = common_absolute(search->model_path);
    char *const model = common_stem(search->model_path);
    of.path = common_clean(stem);
    of.at = common_clean(absolute);
    char *const above = common_folder(of.at);
    of.shader = view_split_name(common_base(of.path));
    of.name = view_split_name(mesh->name);
    of.model = view_split_name(model);
    of.model = view_main_words(of.model, VIEW_WORD_GENERIC);
    of.folder = view_split_name(common_base(above));
    char *const all =
        common_format("%s%s%s%s", of.shader.words, of.name.words, of.model.words, of.folder.words);
    of.all = view_split_name(all);
    free(all);
    free(model);
    free(above);
    free(absolute);
    free(stem);
    for (uint32_t i = 0; i < search->model->num_meshes; i++)
        of.has_others =
            of.has_others || strcmp(identity_of(&search->model->meshes[i]), identity_of(mesh)) != 0;
    of.is_part =
        of.has_others
        && (view_has_word(&of.shader, VIEW_WORD_PART) || view_has_word(&of.name, VIEW_WORD_PART))
        && !view_has_word(&of.model, VIEW_WORD_PART);
    const bool is_else = view_is_specific(&of.shader) && view_share_in(&of.shader, &of.model) == 0
                         && view_share_in(&of.shader, &of.folder) == 0;
    of.is_main = !of.has_others || (!of.is_part && !is_else);
    return of;
}

// -- Objections -----------------------------------------------------------------------------

// Whether an image has all words of a name that says something.
static bool claims(const view_name *name, const view_name *image)
{
    return !view_is_all(name, VIEW_WORD_GENERIC | VIEW_WORD_VARIANT)
           && view_share_in(name, image) >= SAME;
}

static bool is_claimed_by(const md5_mesh *mesh, const view_name *image)
{
    const view_name shader = view_split_stem(mesh->shader), name = view_split_name(mesh->name);
    return claims(&shader, image) || claims(&name, image);
}

// Whether another mesh, or another model beside this one, is called like an image.
static bool is_of_another(const wanted *of, const view_name *image)
{
    enum { MOST = 64 }; // real models have fewer meshes
    const md5_model *const model = of->search->model;
    const common_list *const models = view_package_models(of->search->package);
    bool is_claim = false, is_model = false;
    for (uint32_t i = 0; i < model->num_meshes && i < MOST && of->has_others; i++)
        is_claim = is_claim
                   || (strcmp(identity_of(&model->meshes[i]), identity_of(of->mesh)) != 0
                       && is_claimed_by(&model->meshes[i], image));
    for (size_t i = 0; i < models->count; i++) {
        const view_name other = view_split_name(models->names[i]);
        is_model = is_model || (view_is_specific(&other) && claims(&other, image));
    }
    return (is_claim || (is_model && !claims(&of->model, image)))
           && !is_claimed_by(of->mesh, image);
}

// Whether its name, or that of its folder, has a word of images that are on no model, which the
// model and the mesh lack.
static bool is_not_on_models(const wanted *of, const view_image_file *image)
{
    char *const folder = common_folder(image->path);
    const char *const above = image->place != VIEW_BESIDE ? common_base(folder) : "";
    char *const both = common_format("%s %s", common_base(image->path), above);
    const view_name name = view_split_name(both);
    free(both);
    free(folder);
    return view_has_word(&name, VIEW_WORD_OTHER) && !view_has_word(&of->all, VIEW_WORD_OTHER);
}

static void object(candidate *made, int score, const char *objection)
{
    made->score -= score;
    made->objection = objection;
}

// -- Scores ---------------------------------------------------------------------------------

// Halfway alike is more than half as good as the same.
static void consider(candidate *made, evidence by, uint32_t likeness, int percent)
{
    const int most = rows[by].scores[made->image->place];
    const int score =
        likeness > 0 ? most * (30 + 70 * (int)likeness / 100) / 100 * percent / 100 : 0;
    if (score > made->score) {
        made->score = score;
        made->by = by;
    }
}

// How like the name of an image is to one that is said of the model or the mesh. The image's may
// have further words if other names account for them: the mesh "tail" of the model "imp" has
// "imp_tail2.png", but not "imp_tail_light.png".
static void consider_name(const wanted *of, candidate *made, evidence by, const view_name *said,
                          const view_name *name, int percent)
{
    const view_place place = made->image->place;
    const bool is_far = place == VIEW_AROUND || place == VIEW_ELSEWHERE;
    const uint8_t further =
        is_far ? VIEW_WORD_COLOR : VIEW_WORD_COLOR | VIEW_WORD_GENERIC | VIEW_WORD_VARIANT;
    const view_name main = view_drop_words(*name, further);
    const bool is_bare = main.words[1] == '\0', is_said = view_share_in(said, name) >= SAME;
    if (place != VIEW_BESIDE && (!view_is_specific(said) || (is_far && of->has_images)))
        return;
    if (is_said && (is_bare || view_share_in(&main, said) >= SAME))
        consider(made, by, 100, percent);
    else if (is_said && view_share_in(&main, &of->all) >= SAME)
        consider(made, by, 80, percent);
    else if (by == BY_SHADER && of->is_foreign && place == VIEW_BESIDE)
        consider(made, by, view_share_in(said, name), percent); // it was renamed since
}

// How far a name says that it is that of a colour map, and not of which: "skin", "base_skin".
static uint32_t purpose_of(const wanted *of, const view_name *name)
{
    const view_name bare = view_main_words(*name, VIEW_WORD_VARIANT);
    const view_name rest = view_main_words(bare, VIEW_WORD_GENERIC);
    if (view_is_all(&bare, VIEW_WORD_COLOR))
        return 100;
    if (!view_has_word(name, VIEW_WORD_COLOR))
        return 0;
    return view_share_in(&rest, &of->all) >= SAME ? 80 : 60;
}

// Too small for a model's texture: a placeholder.
static bool is_tiny(const char *path)
{
    enum { TINY = 16 * 16, TINY_BYTES = 64 * 1024 };
    view_image image = {.rgba = NULL};
    view_image_fault fault;
    const bool is_it =
        common_file_size(path) <= TINY_BYTES && view_read_small_image(path, TINY, &image, &fault);
    free(image.rgba);
    return is_it;
}

static void consider_names(const wanted *of, candidate *made, const view_name *name)
{
    const int percent = view_is_specific(&of->shader) ? 75 : 100; // of what the shader does not say
    consider_name(of, made, BY_SHADER, &of->shader, name, 100);
    consider_name(of, made, BY_MESH, &of->name, name, percent);
    if (of->is_main)
        consider_name(of, made, BY_MODEL, &of->model, name, percent);
    if (of->is_main && !of->is_shared) {
        consider_name(of, made, BY_FOLDER, &of->folder, name, percent);
        consider(made, BY_PURPOSE, purpose_of(of, name), percent);
        consider(made, BY_ITSELF, made->image == of->only ? 100 : 0, percent);
    }
    if (made->score <= 0)
        return;
    if (of->is_part && !claims(&of->shader, name) && !claims(&of->name, name))
        object(made, OF_A_PART, "the mesh is a part of its own");
    if (is_of_another(of, name))
        object(made, OF_ANOTHER, "another mesh or model is called so");
    else if (is_not_on_models(of, made->image))
        object(made, NOT_ON_MODELS, "its name is not that of a model's image");
}

// Whether an image lies where the shader says, as seen from a folder that the model is in.
static bool is_at_path(const wanted *of, const char *path)
{
    char *const folder = common_folder(path), *const inner = common_folder(of->path);
    const size_t length = strlen(folder), inner_length = strlen(inner);
    const size_t above = length > inner_length ? length - inner_length : 0;
    free(folder);
    free(inner);
    return view_ends_in(path, of->path) && strncmp(path, of->at, above) == 0
           && of->at[above] == '/';
}

static candidate judge(const wanted *of, const view_image_file *image)
{
    candidate made = {.image = image};
    char *const path = view_without_ending(image->path);
    const view_name name = view_split_name(common_base(path));
    const char *end = common_base(of->path); // the last two parts of the shader's path
    for (int part = 0; part < 2 && end > of->path; part++)
        while (--end > of->path && *end != '/') {
        }
    if (view_is_other_map(image->path) && !view_is_same(&name, &of->model, 0)) {
        free(path);
        return made;
    }
    if (end >= of->path && strchr(end + 1, '/') != NULL) {
        if (is_at_path(of, path))
            consider(&made, BY_PATH, 100, 100);
        else if (view_ends_in(path, end))
            consider(&made, BY_END_OF_PATH, 100,
                     image->place == VIEW_BESIDE || view_is_specific(&of->shader) ? 100 : 60);
    }
    free(path);
    if (made.by != BY_PATH)
        consider_names(of, &made, &name);
    if (made.score >= LEAST && is_tiny(image->path))
        object(&made, IS_TINY, "it is tiny");
    return made;
}

// Finds the only image that lies beside a model whose shader says no other name.
static void find_only(wanted *of, const view_image_file *images, size_t count)
{
    const common_list *const models = view_package_models(of->search->package);
    bool is_only = true;
    for (size_t i = 0; i < models->count; i++) {
        const view_name other = view_split_name(models->names[i]);
        of->is_shared = of->is_shared
                        || (view_is_specific(&other) && view_share_in(&other, &of->model) == 0
                            && view_share_in(&of->model, &other) == 0);
    }
    of->only = NULL;
    of->has_images = false;
    for (size_t i = 0; i < count; i++) {
        const view_name name = view_split_stem(images[i].path);
        if (images[i].place != VIEW_BESIDE || is_not_on_models(of, &images[i]))
            continue;
        of->has_images = true;
        if (!is_only || of->is_shared || view_is_other_map(images[i].path)
            || is_of_another(of, &name))
            continue;
        is_only = is_only
                  && (of->only == NULL || view_is_same_image(of->only->path, images[i].path, true));
        of->only = of->only == NULL ? &images[i] : of->only;
    }
    const view_name said = view_main_words(of->shader, VIEW_WORD_VARIANT);
    const bool is_said =
        of->path[0] != '\0'
        && (!view_is_all(&said, VIEW_WORD_GENERIC) || view_has_word(&said, VIEW_WORD_COLOR)
            || (!of->is_foreign && common_base(of->path) > of->path + 1));
    of->only = is_only && !is_said ? of->only : NULL;
}

// -- The best -------------------------------------------------------------------------------

static void take(view_texture_found *found, const candidate *best)
{
    found->path = common_copy(best->image->path);
    found->why = common_format("%s, %s (%d)", rows[best->by].name, place_names[best->image->place],
                               best->score);
    found->is_guess = best->score < SAID;
}

// Takes the image with the highest score, unless it is low or that of another image is about the
// same. `is_last`: else notes why the likeliest are not taken.
static bool take_best(view_texture_found *found, wanted *of, bool all, int least, bool is_last)
{
    enum { NOTED = 8 };
    size_t count;
    const view_image_file *const images = view_package_pictures(of->search->package, all, &count);
    candidate *const made = common_alloc(count + 1, sizeof *made), best = {.score = 0};
    find_only(of, images, count);
    for (size_t i = 0; i < count; i++) {
        made[i] = judge(of, &images[i]);
        best = made[i].score > best.score ? made[i] : best;
    }
    // Of several materials each may have one of the images that are alike.
    const bool is_vague = rows[best.by].is_of_model && of->has_others;
    const int margin = is_vague ? WIDE_MARGIN : MARGIN;
    bool is_clear = best.score >= least;
    for (size_t i = 0; i < count && is_clear && best.by > BY_PATH; i++)
        is_clear = made[i].score <= best.score - margin
                   || view_is_same_image(best.image->path, images[i].path, !is_vague);
    if (is_clear)
        take(found, &best);
    for (size_t i = 0; i < count && is_last && !is_clear && found->tried.count < NOTED; i++)
        if (made[i].score > 0 || made[i].objection != NULL)
            common_add(&found->tried,
                       common_format("%s: by %s, %s (%d), but %s", images[i].path,
                                     rows[made[i].by].name, place_names[images[i].place],
                                     made[i].score,
                                     made[i].objection != NULL ? made[i].objection
                                     : made[i].score < LEAST   ? "that is too little"
                                                               : "another is as likely"));
    free(made);
    return is_clear;
}

// -- What files say -------------------------------------------------------------------------

// Finds the image of a path, which may be relative to the package and need not have the right
// ending. NULL if there is none.
static const view_image_file *find_at(view_package *package, const char *path)
{
    size_t count;
    const char *const root = view_package_root(package);
    char *const whole =
        common_is_absolute(path) || root == NULL ? common_copy(path) : common_join(root, path);
    char *const named = view_seek_pictures(package, whole);
    char *const stem = view_without_ending(named);
    const view_image_file *const images = view_package_pictures(package, false, &count);
    const view_image_file *found = NULL;
    for (size_t i = 0; i < count && found == NULL; i++) {
        char *const image = view_without_ending(images[i].path);
        found = !view_is_other_map(image) == !view_is_other_map(stem) && view_ends_in(image, stem)
                    ? &images[i]
                    : NULL;
        free(image);
    }
    free(stem);
    free(named);
    free(whole);
    return found;
}

static char *path_at(view_package *package, const char *path, view_log *log)
{
    const view_image_file *const image = path != NULL ? find_at(package, path) : NULL;
    if (path != NULL && image == NULL)
        view_warn(log, "%s, which is declared, is missing", path);
    return image != NULL ? common_copy(image->path) : NULL;
}

// Reads what declares the mesh's look. Returns false if nothing does.
static bool read_look(const wanted *of, view_look *look, view_log *log)
{
    view_package *const package = of->search->package;
    const char *const root = view_package_root(package);
    char *const shader = common_clean(of->mesh->shader);
    const char *const file =
        shader[0] != '\0' ? view_package_material(package, shader + 1, log) : NULL;
    char *const scripts = root != NULL ? common_join(root, "scripts") : NULL;
    *look = (view_look){.diffuse = file != NULL ? common_copy(file) : NULL};
    const bool is_read =
        file != NULL
        || (scripts != NULL && shader[0] != '\0' && view_find_shader(scripts, shader + 1, look, log)
            && look->diffuse != NULL)
        || view_package_look(package, of->mesh->name, look);
    free(scripts);
    free(shader);
    return is_read;
}

// Takes the declared image. If it is missing, no other one is right.
static bool take_declared(view_texture_found *found, const wanted *of, view_log *log)
{
    view_package *const package = of->search->package;
    view_look read = {0};
    const view_look *const look = of->search->look;
    const bool is_read = look == NULL && read_look(of, &read, log);
    const view_look said = look == NULL || is_read ? read : *look;
    found->look = said;
    found->look.diffuse = NULL;
    found->look.normals = path_at(package, said.normals, log);
    found->look.masks = path_at(package, said.masks, log);
    const view_image_file *image = said.diffuse != NULL ? find_at(package, said.diffuse) : NULL;
    if (image == NULL && said.diffuse != NULL && !common_is_absolute(said.diffuse)) {
        char *const compressed = common_join("dds", said.diffuse); // as in id's games
        image = find_at(package, compressed);
        free(compressed);
    }
    if (image != NULL) {
        take(found, &(candidate){.image = image, .score = rows[BY_DECLARATION].scores[0]});
        found->look.diffuse = common_copy(found->path);
    } else if (said.diffuse != NULL) {
        common_add(&found->tried, common_format("%s, which is declared, is missing", said.diffuse));
    }
    view_free_look(&read);
    return image != NULL || found->tried.count > 0;
}

// -- Skins of the Quake re-releases ---------------------------------------------------------

// An image of a skin: beside the model, or in the folder "textures" of the game.
static const view_image_file *find_skin_image(const wanted *of, uint32_t skin, uint32_t image)
{
    size_t count;
    view_package *const package = of->search->package;
    if (view_is_inside(package)) // which of Quake's it is the folder above says
        return NULL;
    char *const name = view_quake_skin(of->search->model_path, of->path, skin, image);
    if (name == NULL)
        return NULL;
    char *const below = common_format("/textures/%s", name);
    const char *const end = strrchr(below, '/');
    const view_image_file *found = NULL;
    free(view_seek_pictures(package, below + 1));
    const view_image_file *const images = view_package_pictures(package, false, &count);
    for (size_t i = 0; i < count && found == NULL; i++) {
        char *const path = view_without_ending(images[i].path);
        if (common_has_ending(path, images[i].place == VIEW_BESIDE ? end : below))
            found = &images[i];
        free(path);
    }
    free(name);
    free(below);
    return found;
}

static bool take_skin(view_texture_found *found, const wanted *of, view_log *log)
{
    uint32_t skin = of->search->skin;
    const view_image_file *image = find_skin_image(of, skin, 0);
    if (image == NULL && skin > 0 && (image = find_skin_image(of, 0, 0)) != NULL) {
        view_warn(log, "mesh \"%s\" has no skin %u: skin 0 is shown", of->mesh->name,
                  (unsigned)skin);
        skin = 0;
    }
    if (image == NULL)
        return false;
    take(found, &(candidate){.image = image, .by = BY_SKIN, .score = rows[BY_SKIN].scores[0]});
    while (found->num_turns < MD5_MAX_QUAKE_IMAGES - 1
           && (image = find_skin_image(of, skin, found->num_turns + 1)) != NULL)
        found->turns[found->num_turns++] = common_copy(image->path);
    return true;
}

view_texture_found view_find_texture(const view_texture_search *search, view_log *log)
{
    view_texture_found found = {0};
    wanted of = begin(search);
    if (!take_declared(&found, &of, log) && !take_skin(&found, &of, log)) {
        free(view_seek_pictures(search->package, of.path[0] != '\0' ? of.path + 1 : ""));
        if (!take_best(&found, &of, false, SURE, false))
            (void)take_best(&found, &of, true, LEAST, true);
    }
    free(of.path);
    free(of.at);
    return found;
}
