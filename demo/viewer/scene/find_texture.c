#include "demo/viewer/scene/find_texture.h"

#include "demo/viewer/scene/file_words.h"
#include "demo/viewer/scene/image.h"
#include "demo/viewer/scene/maps.h"
#include "demo/viewer/scene/quake.h"
#include "demo/viewer/scene/shader_file.h"

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
    BY_QUAKE,
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

// What an image gets for each place if the names are the same. Farther away only names that are
// the same count: "eyes" and "default" are in every package.
static const struct evidence_row {
    const char *name;
    int scores[VIEW_NUM_PLACES]; // beside the model, below, above, around, elsewhere
    bool is_of_model;            // says nothing about which mesh it is for
} evidence_rows[NUM_EVIDENCE] = {
    [BY_DECLARATION] = {"as declared", {150, 150, 150, 150, 150}, false},
    [BY_QUAKE] = {"the skin's number", {130, 130, 130, 130, 130}, false},
    [BY_PATH] = {"the shader's path", {120, 120, 120, 120, 120}, false},
    [BY_END_OF_PATH] = {"the end of the shader's path", {105, 95, 90, 85, 75}, false},
    [BY_SHADER] = {"the shader's name", {100, 90, 80, 75, 45}, false},
    [BY_MODEL] = {"the model's name", {85, 75, 60, 70, 45}, true},
    [BY_MESH] = {"the mesh's name", {80, 70, 45, 0, 0}, false},
    [BY_FOLDER] = {"the folder's name", {60, 55, 0, 45, 0}, true},
    [BY_PURPOSE] = {"a name of colour maps", {70, 50, 55, 0, 0}, true},
    [BY_ITSELF] = {"the only image", {50, 42, 0, 0, 0}, true},
};

static const char *const place_names[VIEW_NUM_PLACES] = {
    "beside the model", "in a folder beside the model", "in the folder above",
    "in a folder around the model", "elsewhere in the package"};

// Below LEAST there is no evidence; of two within MARGIN none is taken. Above SURE it is not looked
// for farther away.
enum { LEAST = 40, MARGIN = 6, WIDE_MARGIN = 30, SURE = 70, SPECIFIC = 3, ALIKE = 30, SAME = 90 };

// What speaks against an image.
enum { NOT_ON_MODELS = 60, OF_ANOTHER = 60, OF_A_PART = 30 };

// Names of the mesh that is searched for, and of all that may claim an image.
typedef struct wanted {
    const view_texture_search *search;
    char *path; // the shader: slashes only, without root, drive and ending
    view_name shader, mesh, model, folder, all; // all: of these together
    view_name *others; // [num_others] of the other meshes with other materials
    uint32_t num_others;
    bool is_foreign; // the shader is a path of the author's machine
    bool is_main;  // it is the only mesh, or may have the image that the model is named after
    bool is_alone;   // no other model lies beside this one
    bool has_images; // some lie beside it: those of its name farther away are icons and the like
    uint8_t part;  // VIEW_WORD_PART if its names have one that the model's do not
    const view_image_file *only; // the only image near the model that may be on one, or NULL
    bool has_maps;            // with other maps beside it: it is that of a model
} wanted;

typedef struct candidate {
    const view_image_file *picture;
    evidence by;
    int score;
    const char *objection; // or NULL
} candidate;

// -- What is wanted -------------------------------------------------------------------------

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

static char *relative_path(const char *shader)
{
    char *const stem = without_ending(shader);
    const size_t drive = stem[0] != '\0' && stem[1] == ':' ? 2 : 0;
    char *const path = common_copy(stem + drive + strspn(stem + drive, "/"));
    free(stem);
    return path;
}

static view_name split_stem(const char *path)
{
    char *const stem = without_ending(common_base(path));
    const view_name name = view_split_name(stem);
    free(stem);
    return name;
}

// What tells a mesh from the others: its shader, else its name.
static const char *identity_of(const md5_mesh *mesh)
{
    return mesh->shader[0] != '\0' ? mesh->shader : mesh->name;
}

// The names of other meshes with other materials; of the first ones, since models have few.
static void take_others(wanted *of, const md5_model *model, uint32_t own)
{
    enum { MOST = 32 };
    of->others = common_alloc(2 * MOST, sizeof *of->others);
    for (uint32_t i = 0; i < model->num_meshes && of->num_others < 2 * MOST; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        if (strcmp(identity_of(mesh), identity_of(&model->meshes[own])) == 0)
            continue;
        of->others[of->num_others++] = split_stem(mesh->shader);
        of->others[of->num_others++] = split_stem(mesh->name);
    }
}

static bool is_specific(const view_name *name)
{
    return view_specific_letters(name) >= SPECIFIC;
}

static uint8_t part_of(const wanted *of)
{
    view_name both[2] = {of->shader, of->mesh};
    for (int i = 0; i < 2; i++)
        for (uint32_t word = 0; word < both[i].count; word++) {
            char text[VIEW_NAME_SIZE] = "";
            memcpy(text, both[i].text + both[i].begin[word], both[i].size[word]);
            if ((both[i].kind[word] & VIEW_WORD_PART) != 0
                && strstr(of->model.text, text) == NULL)
                return VIEW_WORD_PART;
        }
    return 0;
}

static wanted begin(const view_texture_search *search)
{
    const md5_mesh *const mesh = &search->model->meshes[search->mesh];
    char *const folder = common_folder(search->model_path);
    char *const absolute = common_absolute(folder);
    const common_list *const models = view_package_models(search->package);
    wanted of = {
        .search = search,
        .path = relative_path(mesh->shader),
        .is_foreign = common_is_absolute(mesh->shader),
        .is_alone = true,
    };
    char *const stem = common_stem(search->model_path);
    of.shader = split_stem(of.path);
    of.mesh = view_split_name(mesh->name);
    of.model = view_split_name(stem);
    of.folder = view_split_name(common_base(absolute));
    view_drop_words(&of.model, VIEW_WORD_GENERIC & ~VIEW_WORD_VARIANT);
    for (size_t i = 0; i < models->count; i++) {
        const view_name name = view_split_name(models->names[i]);
        of.is_alone = of.is_alone && view_likeness(&name, &of.model) >= ALIKE;
    }
    of.all = of.shader;
    view_append_words(&of.all, &of.mesh);
    view_append_words(&of.all, &of.model);
    view_append_words(&of.all, &of.folder);
    take_others(&of, search->model, search->mesh);
    of.part = of.num_others > 0 ? part_of(&of) : 0;
    const bool is_other = is_specific(&of.shader) && view_likeness(&of.shader, &of.model) < ALIKE
                          && view_likeness(&of.shader, &of.folder) < ALIKE;
    of.is_main = of.num_others == 0 || (of.part == 0 && !is_other);
    free(stem);
    free(absolute);
    free(folder);
    return of;
}

static void end(wanted *of)
{
    free(of->others);
    free(of->path);
}

// -- Scores ---------------------------------------------------------------------------------

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool is_same_text(const char *a, size_t length_a, const char *b, size_t length_b)
{
    size_t i = 0;
    while (i < length_a && i < length_b && lower(a[i]) == lower(b[i]))
        i++;
    return i == length_a && i == length_b;
}

// The last part of a path before *end, which is moved there.
static const char *last_part(const char *path, const char **end)
{
    const char *part = *end;
    while (part > path && part[-1] != '/')
        part--;
    return part;
}

// The number of folders at their ends that two paths without endings share, once their base names
// are the same; of the second one's, which may have the suffix of a colour map.
static uint32_t shared_folders(const char *path, const view_name *base, const char *image,
                               const view_name *name, bool *is_whole)
{
    const char *end_a = path + strlen(path), *end_b = image + strlen(image);
    uint32_t count = 0;
    *is_whole = false;
    for (bool is_base = true;; is_base = false, count++) {
        const char *const a = last_part(path, &end_a), *const b = last_part(image, &end_b);
        const bool is_same = is_same_text(a, (size_t)(end_a - a), b, (size_t)(end_b - b));
        if (!is_same
            && (!is_base || (view_kind_of_all(base) & VIEW_WORD_COLOR) != 0
                || !view_same_words(base, name, VIEW_WORD_COLOR)))
            return count > 0 ? count - 1 : 0;
        *is_whole = a == path;
        if (a == path || b == image)
            return count;
        end_a = a - 1;
        end_b = b - 1;
    }
}

static void consider(candidate *made, evidence by, uint32_t likeness, int percent)
{
    const view_place place = made->picture->place;
    const bool is_far = place == VIEW_AROUND || place == VIEW_ELSEWHERE;
    if (likeness < (is_far ? SAME : ALIKE))
        return;
    // Halfway alike is more than half as good as the same.
    const int score =
        evidence_rows[by].scores[place] * (30 + 70 * (int)likeness / 100) / 100 * percent / 100;
    if (score <= made->score)
        return;
    made->score = score;
    made->by = by;
}

// How like the name of an image is to one that is said of the model or the mesh. The image's may
// have further words if other names account for them: the mesh "tail" of the model "imp" has
// "imp_tail2.png", but not "imp_tail_light.png".
static uint32_t likeness_of(const wanted *of, const candidate *made, const view_name *said,
                            const view_name *name)
{
    const view_place place = made->picture->place;
    const bool is_far = place == VIEW_AROUND || place == VIEW_ELSEWHERE;
    view_name bare = *name;
    view_drop_words(&bare, VIEW_WORD_COLOR);
    if (!is_far)
        view_drop_words(&bare, VIEW_WORD_GENERIC | VIEW_WORD_VARIANT);
    const bool is_said = view_share_in(said, name) >= SAME && !view_numbers_differ(said, name);
    if (is_said && view_share_in(&bare, said) >= SAME)
        return 100;
    if (is_said && view_share_in(&bare, &of->all) >= SAME)
        return 80;
    // The same model from elsewhere: "lower_defender" in the file, "lower_attacker" beside it.
    return said == &of->shader && of->is_foreign && place == VIEW_BESIDE
               ? view_likeness(said, &bare)
               : 0;
}

// What is not specific counts near the model only.
static void consider_name(const wanted *of, candidate *made, evidence by, const view_name *said,
                          const view_name *name, int percent)
{
    const view_place place = made->picture->place;
    const bool is_near = place == VIEW_BESIDE || place == VIEW_BELOW;
    const bool is_far = place == VIEW_AROUND || place == VIEW_ELSEWHERE;
    if (is_near || (is_specific(said) && !(is_far && of->has_images)))
        consider(made, by, likeness_of(of, made, said, name), percent);
}

// Whether an image has all words of a name that says something.
static bool is_claimed(const view_name *by, const view_name *name)
{
    return (view_kind_of_all(by) & VIEW_WORD_GENERIC) == 0 && view_share_in(by, name) >= SAME
           && !view_numbers_differ(by, name);
}

static bool is_own(const wanted *of, const view_name *name)
{
    return is_claimed(&of->shader, name) || is_claimed(&of->mesh, name);
}

static bool is_of_another_mesh(const wanted *of, const view_name *name)
{
    bool is_claim = false;
    for (uint32_t i = 0; i < of->num_others; i++)
        is_claim = is_claim || is_claimed(&of->others[i], name);
    return is_claim && !is_own(of, name);
}

static bool is_of_another_model(const wanted *of, const view_name *name)
{
    const common_list *const models = view_package_models(of->search->package);
    bool is_claim = false;
    for (size_t i = 0; i < models->count; i++) {
        const view_name other = view_split_name(models->names[i]);
        is_claim = is_claim || (is_specific(&other) && is_claimed(&other, name));
    }
    return is_claim && !is_own(of, name) && !is_claimed(&of->model, name);
}

// How far a name says that it is that of a colour map, and not of which: "skin", "base_skin".
static uint32_t purpose_of(const wanted *of, const view_name *name)
{
    view_name bare = *name;
    view_drop_words(&bare, VIEW_WORD_COLOR | VIEW_WORD_VARIANT);
    if ((view_kind_of_all(&bare) & VIEW_WORD_COLOR) != 0)
        return 100;
    view_drop_words(&bare, VIEW_WORD_GENERIC);
    return view_kind_of_all(&bare) != 0 || view_share_in(&bare, &of->all) >= SAME ? 80 : ALIKE;
}

// Words that no image of a model has, unless the model or the mesh is called so.
static bool has_other_words(const wanted *of, const view_name *name)
{
    for (uint32_t i = 0; i < name->count; i++) {
        char text[VIEW_NAME_SIZE] = "";
        memcpy(text, name->text + name->begin[i], name->size[i]);
        if ((name->kind[i] & VIEW_WORD_OTHER) != 0 && strstr(of->all.text, text) == NULL)
            return true;
    }
    return false;
}

// By its own name or, if it does not lie beside the model, that of its folder.
static bool is_not_on_models(const wanted *of, const view_image_file *image)
{
    char *const folder = common_folder(image->path);
    const view_name name = split_stem(image->path), above = view_split_name(common_base(folder));
    free(folder);
    return has_other_words(of, &name)
           || (image->place != VIEW_BESIDE && has_other_words(of, &above));
}

static void object(candidate *made, int score, const char *objection)
{
    made->score -= score;
    made->objection = objection;
}

// Evidence of names, and what speaks against it.
static void consider_names(const wanted *of, candidate *made, const view_name *name)
{
    const int percent = is_specific(&of->shader) ? 75 : 100; // of what the shader does not say
    consider_name(of, made, BY_SHADER, &of->shader, name, 100);
    consider_name(of, made, BY_MESH, &of->mesh, name, percent);
    if (of->is_main) {
        consider_name(of, made, BY_MODEL, &of->model, name, percent);
        consider_name(of, made, BY_FOLDER, &of->folder, name, percent);
        if ((view_kind_of_any(name) & VIEW_WORD_COLOR) != 0)
            consider(made, BY_PURPOSE, purpose_of(of, name), percent);
        if (made->picture == of->only)
            consider(made, BY_ITSELF, 100, of->has_maps ? 120 * percent / 100 : percent);
    }
    if (made->score <= 0)
        return;
    if (of->part != 0 && !is_own(of, name))
        object(made, OF_A_PART, "the mesh is a part of its own");
    if (is_of_another_mesh(of, name))
        object(made, OF_ANOTHER, "another mesh is called so");
    else if (is_of_another_model(of, name))
        object(made, OF_ANOTHER, "another model is called so");
    else if (is_not_on_models(of, made->picture))
        object(made, NOT_ON_MODELS, "its name is not that of a model's image");
}

static candidate judge(const wanted *of, const view_image_file *picture)
{
    candidate made = {.picture = picture};
    char *const image = without_ending(picture->path);
    const view_name name = view_split_name(common_base(image));
    bool is_whole = false;
    const uint32_t folders = shared_folders(of->path, &of->shader, image, &name, &is_whole);
    if (view_is_other_map(picture->path)
        && !view_same_words(&name, &of->model, 0)) {
        made.by = BY_ITSELF; // no evidence
    } else if (folders > 0 && is_whole) {
        consider(&made, BY_PATH, 100, 100);
    } else {
        const bool is_named = picture->place == VIEW_BESIDE || is_specific(&of->shader);
        if (folders > 0)
            consider(&made, BY_END_OF_PATH, 100, is_named ? 100 : 60);
        consider_names(of, &made, &name);
    }
    free(image);
    return made;
}

// -- The only image -------------------------------------------------------------------------

static bool is_in_same_folder(const char *a, const char *b)
{
    const size_t length = (size_t)(common_base(a) - a);
    return length == (size_t)(common_base(b) - b) && strncmp(a, b, length) == 0;
}

// Whether two images lie in one folder and have the same name apart from words of these kinds.
static bool is_same_image(const char *a, const char *b, uint8_t kinds)
{
    const view_name name = split_stem(a), other = split_stem(b);
    return is_in_same_folder(a, b) && view_same_words(&name, &other, kinds);
}

// Finds the only image in one place, NULL if there are others; `none` if there is none at all.
static const view_image_file *only_image(const wanted *of, const view_image_file *pictures, size_t count,
                                      view_place place, bool *none)
{
    const view_image_file *only = NULL;
    *none = true;
    for (size_t i = 0; i < count; i++) {
        const view_name name = split_stem(pictures[i].path);
        if (pictures[i].place != place || view_is_other_map(pictures[i].path)
            || is_not_on_models(of, &pictures[i]) || is_of_another_mesh(of, &name))
            continue;
        *none = false;
        if (only == NULL)
            only = &pictures[i];
        else if (!is_same_image(only->path, pictures[i].path, VIEW_WORD_COLOR | VIEW_WORD_VARIANT))
            return NULL;
    }
    return only;
}

static void find_only(wanted *of, const view_image_file *pictures, size_t count)
{
    bool none;
    of->only = only_image(of, pictures, count, VIEW_BESIDE, &none);
    if (none)
        of->only = only_image(of, pictures, count, VIEW_BELOW, &none);
    if (!of->is_alone)
        of->only = NULL;
    of->has_maps = of->has_images = false;
    for (size_t i = 0; i < count; i++)
        of->has_images = of->has_images
                         || (pictures[i].place == VIEW_BESIDE
                             && !is_not_on_models(of, &pictures[i]));
    for (size_t i = 0; i < count && of->only != NULL; i++)
        of->has_maps =
            of->has_maps
            || (view_is_other_map(pictures[i].path)
                && is_same_image(of->only->path, pictures[i].path,
                                 VIEW_WORD_COLOR | VIEW_WORD_MAP));
}

// -- The best -------------------------------------------------------------------------------

static int ending_rank(const char *path)
{
    int rank = 0;
    for (const char *const *ending = view_image_endings();
         *ending != NULL && !common_has_ending(path, *ending); ending++)
        rank++;
    return rank;
}

// Whether `a` comes before `b`, which was listed before it: by score; in one folder, with less at
// the end of its name.
static bool is_better(const candidate *a, const candidate *b)
{
    if (b->picture == NULL || a->score != b->score)
        return a->score > b->score;
    const char *const path = a->picture->path, *const other = b->picture->path;
    if (!is_in_same_folder(path, other))
        return false;
    const size_t length = strlen(path), other_length = strlen(other);
    const int rank = ending_rank(path), other_rank = ending_rank(other);
    const char *const *const endings = view_image_endings();
    const size_t stem = length - strlen(endings[rank]);
    const size_t other_stem = other_length - strlen(endings[other_rank]);
    if (stem != other_stem)
        return stem < other_stem;
    return rank < other_rank && is_same_text(path, stem, other, stem);
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

// Another of the same name, if this one is tiny.
static const view_image_file *replace_tiny(const view_image_file *best, const view_image_file *pictures,
                                        size_t count)
{
    const view_image_file *other = NULL;
    for (size_t i = 0; i < count && is_tiny(best->path) && other == NULL; i++)
        if (&pictures[i] != best && !view_is_other_map(pictures[i].path)
            && is_same_image(best->path, pictures[i].path, VIEW_WORD_COLOR)
            && !is_tiny(pictures[i].path))
            other = &pictures[i];
    return other != NULL ? other : best;
}

static void note(view_texture_found *found, char *line)
{
    common_list *const tried = &found->tried;
    tried->names = common_realloc(tried->names, tried->count + 1, sizeof *tried->names);
    tried->names[tried->count++] = line;
}

static char *describe(const candidate *of)
{
    return common_format("%s, %s (%d)", evidence_rows[of->by].name,
                         place_names[of->picture->place], of->score);
}

// Notes the likeliest images, and why none of them was taken.
static void note_candidates(view_texture_found *found, const candidate *candidates, size_t count)
{
    enum { MOST = 8 };
    for (size_t i = 0; i < count && found->tried.count < MOST; i++) {
        const candidate *const of = &candidates[i];
        if (of->score <= 0 && of->objection == NULL)
            continue;
        char *const text = describe(of);
        note(found, common_format("%s: by %s; but %s", of->picture->path, text,
                                  of->objection != NULL ? of->objection
                                  : of->score < LEAST   ? "that is too little"
                                                        : "another is as likely"));
        free(text);
    }
}

static void take(view_texture_found *found, const candidate *best, const view_image_file *pictures,
                 size_t count)
{
    found->path = common_copy(replace_tiny(best->picture, pictures, count)->path);
    found->why = describe(best);
    found->is_guess = best->score < evidence_rows[BY_SHADER].scores[VIEW_BELOW];
}

// Takes the image with the highest score, unless it is low or that of another image is about the
// same. `is_last`: notes why none is taken.
static bool take_best(view_texture_found *found, wanted *of, bool all, int least, bool is_last)
{
    size_t count;
    const view_image_file *const pictures = view_package_pictures(of->search->package, all, &count);
    candidate *const candidates = common_alloc(count + 1, sizeof *candidates);
    candidate best = {.score = 0};
    bool is_clear = true;
    find_only(of, pictures, count);
    for (size_t i = 0; i < count; i++) {
        candidates[i] = judge(of, &pictures[i]);
        if (is_better(&candidates[i], &best))
            best = candidates[i];
    }
    // Of several materials each may have one of the images that look alike.
    const bool is_vague = evidence_rows[best.by].is_of_model && of->num_others > 0;
    const uint8_t alike = is_vague ? VIEW_WORD_COLOR : VIEW_WORD_COLOR | VIEW_WORD_VARIANT;
    const int margin = is_vague ? WIDE_MARGIN : MARGIN;
    for (size_t i = 0; i < count && best.picture != NULL && best.by > BY_PATH; i++)
        is_clear = is_clear
                   && (candidates[i].score <= best.score - margin
                       || is_same_image(best.picture->path, pictures[i].path, alike));
    const bool is_taken = is_clear && best.score >= least;
    if (is_taken)
        take(found, &best, pictures, count);
    else if (is_last)
        note_candidates(found, candidates, count);
    free(candidates);
    return is_taken;
}

// -- What files say -------------------------------------------------------------------------

// Finds the picture of a path, which need not have the right ending; else one with the suffix of a
// colour map. NULL if there is none.
static const view_image_file *find_at(view_package *package, const char *path, size_t *count)
{
    char *const seeked = view_seek_picture(package, path), *const stem = without_ending(seeked);
    const view_image_file *const pictures = view_package_pictures(package, false, count);
    const view_image_file *found = NULL;
    for (int suffix = 0; suffix < 2 && found == NULL; suffix++)
        for (size_t i = 0; i < *count; i++) {
            char *const image = without_ending(pictures[i].path);
            const bool is_it = suffix == 0
                                   ? is_same_text(image, strlen(image), stem, strlen(stem))
                                   : !view_is_other_map(pictures[i].path)
                                         && is_same_image(pictures[i].path, stem, VIEW_WORD_COLOR);
            free(image);
            if (is_it && (found == NULL || ending_rank(pictures[i].path) < ending_rank(found->path)))
                found = &pictures[i];
        }
    free(seeked);
    free(stem);
    return found;
}

// Replaces the path in a declaration by that of the file; NULL if there is none.
static void settle_path(view_package *package, char **path)
{
    size_t count;
    const view_image_file *const picture = *path != NULL ? find_at(package, *path, &count) : NULL;
    free(*path);
    *path = picture != NULL ? common_copy(picture->path) : NULL;
}

// A name in a declaration of the package.
static char *in_package(const view_package *package, const char *name)
{
    return name != NULL ? common_format("%s/%s", view_package_root(package), name) : NULL;
}

// What a .shader file of the package says.
static bool read_script(const wanted *of, const char *shader, view_look *look, view_log *log)
{
    const char *const root = view_package_root(of->search->package);
    char *const scripts = root != NULL ? common_join(root, "scripts") : NULL;
    view_look read = {0};
    const bool is_found = scripts != NULL && view_find_shader(scripts, shader, &read, log);
    if (is_found)
        *look = (view_look){.diffuse = in_package(of->search->package, read.diffuse),
                            .normals = in_package(of->search->package, read.normals),
                            .two_sided = read.two_sided};
    view_free_look(&read);
    free(scripts);
    return is_found;
}

static char *copy_or_null(const char *text)
{
    return text != NULL ? common_copy(text) : NULL;
}

// Reads what declares the mesh. Returns false if nothing does.
static bool read_declaration(const wanted *of, view_look *look, view_log *log)
{
    const view_texture_search *const search = of->search;
    const md5_mesh *const mesh = &search->model->meshes[search->mesh];
    char *const shader = common_copy(mesh->shader);
    for (char *c = shader; *c != '\0'; c++)
        *c = *c == '\\' ? '/' : *c;
    *look = (view_look){0};
    if (search->look != NULL) {
        *look = *search->look;
        look->diffuse = copy_or_null(search->look->diffuse);
        look->normals = copy_or_null(search->look->normals);
        look->masks = copy_or_null(search->look->masks);
    } else if (*shader != '\0') {
        const char *const file = view_package_material(search->package, shader, log);
        look->diffuse = in_package(search->package, file);
        if (look->diffuse == NULL)
            (void)read_script(of, shader, look, log);
    }
    if (look->diffuse == NULL && search->look == NULL)
        (void)view_package_look(search->package, mesh->name, look);
    free(shader);
    return look->diffuse != NULL;
}

static bool take_declared(view_texture_found *found, const wanted *of, view_log *log)
{
    size_t count;
    view_package *const package = of->search->package;
    if (!read_declaration(of, &found->look, log)) {
        view_free_look(&found->look);
        return false;
    }
    char *const named = common_copy(found->look.diffuse);
    settle_path(package, &found->look.normals);
    settle_path(package, &found->look.masks);
    const view_image_file *picture = find_at(package, named, &count);
    if (picture == NULL && view_package_root(package) != NULL) { // compressed ahead, as in id's games
        const char *const root = view_package_root(package);
        const size_t length = strncmp(named, root, strlen(root)) == 0 ? strlen(root) : 0;
        char *const compressed = common_format("%s/dds%s", root, named + length);
        picture = find_at(package, compressed, &count);
        free(compressed);
    }
    free(found->look.diffuse);
    found->look.diffuse = NULL;
    if (picture != NULL) {
        const int score = evidence_rows[BY_DECLARATION].scores[picture->place];
        const candidate best = {picture, BY_DECLARATION, score, NULL};
        take(found, &best, view_package_pictures(package, false, &count), count);
        found->look.diffuse = common_copy(found->path);
    } else {
        note(found, common_format("%s, which is declared, is missing", named));
    }
    free(named);
    return true;
}

// -- Skins of the Quake re-releases ---------------------------------------------------------

// An image of a skin: beside the model, or in the folder "textures" of the game.
static const view_image_file *find_quake_image(const wanted *of, uint32_t skin, uint32_t image)
{
    size_t count;
    const view_texture_search *const search = of->search;
    char *const name = view_quake_skin(search->model_path, of->path, skin, image);
    char *const below = common_format("textures/%s", name != NULL ? name : "");
    const view_image_file *found = NULL;
    if (name != NULL) {
        view_seek_pictures(search->package, name);
        view_seek_pictures(search->package, below);
    }
    const view_image_file *const pictures = view_package_pictures(search->package, false, &count);
    for (size_t i = 0; i < count && name != NULL; i++) {
        char *const stem = without_ending(pictures[i].path), *const folder = common_folder(stem);
        const char *const base = common_base(stem);
        const bool is_near = pictures[i].place == VIEW_BESIDE
                             || strcmp(common_base(folder), "textures") == 0;
        if (found == NULL && is_near && is_same_text(base, strlen(base), name, strlen(name)))
            found = &pictures[i];
        free(stem);
        free(folder);
    }
    free(name);
    free(below);
    return found;
}

static bool take_quake(view_texture_found *found, const wanted *of, view_log *log)
{
    size_t count;
    const view_texture_search *const search = of->search;
    uint32_t skin = search->skin;
    const view_image_file *picture = find_quake_image(of, skin, 0);
    if (picture == NULL && skin > 0) {
        skin = 0;
        picture = find_quake_image(of, skin, 0);
        if (picture != NULL)
            view_warn(log, "mesh \"%s\" has no skin %u: skin 0 is shown",
                      search->model->meshes[search->mesh].name, (unsigned)search->skin);
    }
    if (picture == NULL)
        return false;
    const candidate best = {picture, BY_QUAKE, evidence_rows[BY_QUAKE].scores[picture->place], NULL};
    take(found, &best, view_package_pictures(search->package, false, &count), count);
    while (found->num_turns < MD5_QUAKE_MAX_IMAGES - 1
           && (picture = find_quake_image(of, skin, found->num_turns + 1)) != NULL)
        found->turns[found->num_turns++] = common_copy(picture->path);
    return true;
}

view_texture_found view_find_texture(const view_texture_search *search, view_log *log)
{
    view_texture_found found = {0};
    wanted of = begin(search);
    if (!take_declared(&found, &of, log) && !take_quake(&found, &of, log)) {
        if (strchr(of.path, '/') != NULL)
            view_seek_pictures(search->package, of.path);
        if (!take_best(&found, &of, false, SURE, false))
            (void)take_best(&found, &of, true, LEAST, true);
    }
    end(&of);
    return found;
}
