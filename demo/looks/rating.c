// Rates how well an image matches a mesh, and selects the image with the highest score.
//
// Each piece of evidence that an image belongs to the mesh, such as an equal name, raises the score
// of the image. Each objection lowers it.
#include "demo/looks/names.h"
#include "demo/looks/search.h"

#include "demo/common/memory.h"
#include "demo/looks/image.h"

// -- Evidence ------------------------------------------------------------------------------------

// The score of an image whose name is equal, for each location of the image. Outside of the model's
// folder, only specific names raise the score, because every package contains names such as "eyes"
// and "default".
static const struct evidence_rule {
    const char *name;
    int scores[VIEW_NUM_LOCATIONS];
    bool is_of_model; // names the whole model, so it supports the same image for all of its meshes
} rules[NUM_EVIDENCE] = {
    [BY_DECLARATION] = {"declaration", {150, 150, 150, 150, 150}, false},
    [BY_SKIN] = {"the skin's index", {130, 130, 130, 130, 130}, false},
    [BY_PATH] = {"the shader's path", {120, 120, 120, 120, 120}, false},
    [BY_END_OF_PATH] = {"the end of the shader's path", {105, 100, 90, 85, 75}, false},
    [BY_SHADER] = {"the shader's name", {100, 95, 80, 75, 45}, false},
    [BY_MODEL] = {"the model's name", {85, 75, 60, 70, 45}, true},
    [BY_MESH] = {"the mesh's name", {80, 70, 45, 0, 0}, false},
    [BY_FOLDER] = {"the folder's name", {60, 55, 0, 45, 0}, true},
    [BY_PURPOSE] = {"a name typical of color maps", {70, 0, 50, 0, 0}, true},
    [BY_ITSELF] = {"being the only image", {50, 0, 0, 0, 0}, true},
};

static const char *const location_names[VIEW_NUM_LOCATIONS] = {
    "in the model's folder", "in a folder next to the model", "in the parent folder",
    "in an ancestor folder", "elsewhere in the package"};

// Thresholds of scores. A score rates how well an image matches a mesh.
enum {
    MIN_SCORE = 40,      // weaker evidence is ignored
    MARGIN = 6,          // an image is not selected if another has nearly the same score
    WIDE_MARGIN = 30,    // the same for models with several materials
    SURE_SCORE = 70,     // from this score on, other folders are not searched
    DECLARED_SCORE = 90, // from this score on, the image is not a guess
    SAME_NAME = 90,      // names are the same from this similarity on, percent
};

// Objections lower the score of an image by these amounts.
enum { NOT_ON_MODELS = 60, OF_ANOTHER = 60, OF_A_PART = 30, IS_TINY = 5 };

// An image with its score for a mesh.
typedef struct candidate {
    const view_image_file *image;
    view_evidence by; // the evidence with the highest score
    int score;
    const char *objection; // reason why the score was lowered, or NULL
} candidate;

// Returns the text that distinguishes a mesh from other meshes. It is the shader or, without a
// shader, the name.
const char *view_mesh_identity(const md5_mesh *mesh)
{
    return mesh->shader[0] != '\0' ? mesh->shader : mesh->name;
}

// -- Objections ----------------------------------------------------------------------------------

// Returns true if the name of a mesh or a model claims an image. This means that the image's name
// contains the words of the name, so the image is probably named after it. Names without a meaning,
// such as "mesh", claim nothing.
static bool claims(const view_name *name, const view_name *image)
{
    if (view_has_only_words(name, WORD_GENERIC | WORD_VARIANT))
        return false;
    return view_name_similarity(name, image) >= SAME_NAME;
}

// Returns true if the shader or the name of a mesh claims an image.
static bool is_claimed_by(const md5_mesh *mesh, const view_name *image)
{
    const view_name shader = view_split_stem(mesh->shader);
    const view_name name = view_split_name(mesh->name);
    return claims(&shader, image) || claims(&name, image);
}

// Returns true if another mesh of the model claims an image.
static bool is_claimed_by_other_mesh(const view_named_mesh *subject, const view_name *image)
{
    enum { MAX_COMPARED = 64 }; // real models have fewer meshes
    const md5_model *const model = subject->search->model;
    if (!subject->has_multiple_materials)
        return false;
    for (uint32_t i = 0; i < model->num_meshes && i < MAX_COMPARED; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        if (strcmp(view_mesh_identity(mesh), view_mesh_identity(subject->mesh)) != 0
            && is_claimed_by(mesh, image))
            return true;
    }
    return false;
}

// Returns true if another model in the folder claims an image, but the model of the subject does
// not.
static bool is_claimed_by_other_model(const view_named_mesh *subject, const view_name *image)
{
    const view_package *const package = subject->search->package;
    bool is_claimed = false;
    for (size_t i = 0; i < package->num_models && !is_claimed; i++)
        is_claimed = claims(&package->models[i], image);
    return is_claimed && !claims(&subject->model, image);
}

// Returns true if another mesh or another model claims an image, but the mesh itself does not.
static bool is_of_another(const view_named_mesh *subject, const view_name *image)
{
    if (!is_claimed_by_other_mesh(subject, image) && !is_claimed_by_other_model(subject, image))
        return false;
    return !is_claimed_by(subject->mesh, image);
}

// Returns true if the name of an image or of its folder contains a word of images that are not on
// models, such as "icon". Returns false if a name of the model or the mesh also contains such a
// word.
static bool is_not_on_models(const view_named_mesh *subject, const view_image_file *image)
{
    char *const folder = common_folder(image->path);
    const view_name folder_name =
        view_split_name(image->location != VIEW_SAME_FOLDER ? common_base(folder) : "");
    free(folder);
    if (!view_has_word(&image->name, WORD_OTHER) && !view_has_word(&folder_name, WORD_OTHER))
        return false;
    return !view_has_word(&subject->combined, WORD_OTHER);
}

// Lowers the score of a candidate because of an objection. The objection is stored for the report,
// which gives it as the reason if the candidate is rejected.
static void subtract_score(candidate *rated, int score, const char *objection)
{
    rated->score -= score;
    rated->objection = objection;
}

// -- Scores --------------------------------------------------------------------------------------

// Raises the score of a candidate to the score of a piece of evidence, unless its score is higher
// already. `similarity` is the similarity of the names, 0 to 100 percent. Full similarity is worth
// all of the score, and a very low similarity 30 percent of it. `weight` is another factor in
// percent.
static void add_evidence(candidate *rated, view_evidence by, uint32_t similarity, int weight)
{
    const int max_score = rules[by].scores[rated->image->location];
    if (similarity == 0)
        return;
    const int percent = 30 + 70 * (int)similarity / 100;
    const int score = max_score * percent / 100 * weight / 100;
    if (score > rated->score) {
        rated->score = score;
        rated->by = by;
    }
}

// Returns true if an image is neither in its model's folder nor in a subfolder nor in the parent
// folder.
static bool is_far_from_model(const view_image_file *image)
{
    return image->location == VIEW_PARENT_SUBFOLDER || image->location == VIEW_ELSEWHERE;
}

// Returns true if nearly all letters of `a` are in words of `b`. The names then count as equal.
static bool is_similar(const view_name *a, const view_name *b)
{
    return view_name_similarity(a, b) >= SAME_NAME;
}

// Returns the similarity of an image's name and `expected`, a name of the model or the mesh: 0 to
// 100 percent. The image's name must contain all words of the expected name. It can have additional
// words only if they are in other names of the mesh. For example, the mesh "tail" of the model
// "imp" matches "imp_tail2.png", but not "imp_tail_light.png".
static uint32_t rate_name(const view_named_mesh *subject, const view_image_file *image,
                          const view_name *expected)
{
    const uint8_t vague = WORD_COLOR | WORD_GENERIC | WORD_VARIANT;
    const uint8_t ignored = is_far_from_model(image) ? WORD_COLOR : vague;
    const view_name main = view_remove_words(image->name, ignored);
    const bool has_more_words = main.words[1] != '\0';
    if (!is_similar(expected, &image->name))
        return 0;
    if (!has_more_words || is_similar(&main, expected))
        return 100;
    return is_similar(&main, &subject->combined) ? 80 : 0;
}

// Adds evidence if the name of an image matches `expected`, a name of the model or the mesh.
// Outside of the model's folder, only specific names count, because others occur in many models.
static void compare_name(const view_named_mesh *subject, candidate *rated, view_evidence by,
                         const view_name *expected, int weight)
{
    const view_image_file *const image = rated->image;
    const bool is_in_model_folder = image->location == VIEW_SAME_FOLDER;
    if (!is_in_model_folder && !view_is_specific_name(expected))
        return;
    if (is_far_from_model(image) && subject->has_images)
        return;

    // An absolute path is a path on the author's machine. The author may have renamed the image
    // since then.
    const bool is_maybe_renamed = by == BY_SHADER && subject->is_foreign && is_in_model_folder;
    uint32_t similarity = rate_name(subject, image, expected);
    if (similarity == 0 && is_maybe_renamed)
        similarity = view_name_similarity(expected, &image->name);
    add_evidence(rated, by, similarity, weight);
}

// Returns how typical a name is of a color map that is not named after a mesh: 0 to 100 percent. An
// example is "base_skin".
static uint32_t rate_purpose(const view_named_mesh *subject, const view_name *name)
{
    const view_name bare = view_main_words(*name, WORD_VARIANT);
    const view_name specific = view_main_words(bare, WORD_GENERIC);
    if (view_has_only_words(&bare, WORD_COLOR))
        return 100;
    if (!view_has_word(name, WORD_COLOR))
        return 0;
    return view_name_similarity(&specific, &subject->combined) >= SAME_NAME ? 80 : 60;
}

// Lowers the score of an image if its name suggests that it does not belong to the mesh.
static void add_objections(const view_named_mesh *subject, candidate *rated)
{
    const view_name *const name = &rated->image->name;
    if (subject->is_part && !claims(&subject->shader, name) && !claims(&subject->name, name))
        subtract_score(rated, OF_A_PART, "the mesh is a separate part of the body");
    if (is_of_another(subject, name))
        subtract_score(rated, OF_ANOTHER, "another mesh or model has this name");
    else if (is_not_on_models(subject, rated->image))
        subtract_score(rated, NOT_ON_MODELS, "the name suggests that it is not a model texture");
}

// Compares an image with all names of a mesh. If the shader has a specific name, that name is the
// most reliable, so the other names have less weight.
static void compare_names(const view_named_mesh *subject, candidate *rated)
{
    const int weight = view_is_specific_name(&subject->shader) ? 75 : 100;
    compare_name(subject, rated, BY_SHADER, &subject->shader, 100);
    compare_name(subject, rated, BY_MESH, &subject->name, weight);
    if (subject->is_main)
        compare_name(subject, rated, BY_MODEL, &subject->model, weight);
    if (subject->is_main && !subject->is_shared) {
        const bool is_only = subject->only != NULL && rated->image == subject->only;
        compare_name(subject, rated, BY_FOLDER, &subject->folder, weight);
        add_evidence(rated, BY_PURPOSE, rate_purpose(subject, &rated->image->name), weight);
        add_evidence(rated, BY_ITSELF, is_only ? 100 : 0, weight);
    }
    if (rated->score > 0)
        add_objections(subject, rated);
}

// Returns true if an image is at the shader's path, relative to an ancestor of the model. Both
// paths are without extension.
static bool is_at_path(const view_named_mesh *subject, const char *path)
{
    char *const folder = common_folder(path);
    char *const inner = common_folder(subject->path);
    const size_t length = strlen(folder);
    const size_t inner_length = strlen(inner);
    const size_t root_length = length > inner_length ? length - inner_length : 0;
    free(folder);
    free(inner);
    if (!view_ends_with_path(path, subject->path))
        return false;

    // The path without the shader's path is a folder. It must contain the model.
    const char *const model = subject->search->package->model;
    return strncmp(path, model, root_length) == 0 && model[root_length] == '/';
}

// Returns a pointer to the last two parts of a path.
static const char *last_two_parts(const char *path)
{
    const char *end = common_base(path);
    for (int part = 0; part < 2 && end > path; part++) {
        do
            end--;
        while (end > path && *end != '/');
    }
    return end;
}

// Returns true if a path has at least two parts. A path with only one part is a plain name, and
// compare_names() compares those.
static bool has_two_parts(const char *path)
{
    const char *const end = last_two_parts(path);
    return end[0] == '/' && strchr(end + 1, '/') != NULL;
}

// Returns true if an image is too small for a model's texture, so that it is probably a
// placeholder.
static bool is_tiny(const char *path)
{
    enum { MAX_PIXELS = 16 * 16, MAX_BYTES = 64 * 1024 };
    view_image image = {.rgba = NULL};
    md5_error error;
    if (common_file_size(path) > MAX_BYTES)
        return false;
    // Reading fails if the image has more pixels than the limit.
    const bool is_within_limit = view_read_image(path, MAX_PIXELS, &image, &error);
    free(image.rgba);
    return is_within_limit;
}

// Returns true if an image can be a color map. Images of other maps cannot, unless they have
// exactly the name of the model.
static bool can_be_color_map(const view_named_mesh *subject, const view_image_file *image)
{
    return !view_is_non_color_map(&image->name)
           || view_is_same_name(&image->name, &subject->model, 0);
}

// Lowers the score of a candidate if its image is so small that it is probably a placeholder.
static void rate_size(candidate *rated)
{
    if (rated->score >= MIN_SCORE && is_tiny(rated->image->path))
        subtract_score(rated, IS_TINY, "the image is too small");
}

// Adds evidence if the last two parts of an image's path equal the last two parts of the shader's
// path, such as "head/skin" of "models/monster/head/skin". The evidence has less weight if the
// image is in a different folder and the shader's name is common.
static void compare_path_end(const view_named_mesh *subject, candidate *rated)
{
    enum { FULL_WEIGHT = 100, WEAK_WEIGHT = 60, FULL_SIMILARITY = 100 }; // percent
    const view_image_file *const image = rated->image;
    if (!has_two_parts(subject->path)
        || !view_ends_with_path(image->stem, last_two_parts(subject->path)))
        return;
    const bool is_strong =
        image->location == VIEW_SAME_FOLDER || view_is_specific_name(&subject->shader);
    add_evidence(rated, BY_END_OF_PATH, FULL_SIMILARITY, is_strong ? FULL_WEIGHT : WEAK_WEIGHT);
}

// Returns the score of an image for a mesh. All evidence counts except the complete path of the
// shader, which view_select_at_path() compares.
static candidate rate_image(const view_named_mesh *subject, const view_image_file *image)
{
    candidate rated = {.image = image};
    if (!can_be_color_map(subject, image))
        return rated;
    compare_path_end(subject, &rated);
    compare_names(subject, &rated);
    rate_size(&rated);
    return rated;
}

// -- Selection -----------------------------------------------------------------------------------

// Stores the selected image in the appearance, and the evidence for it as a text.
static void select_image(view_look *look, const candidate *best)
{
    look->diffuse = common_copy(best->image->path);
    look->why = common_format("%s, %s (%d)", rules[best->by].name,
                              location_names[best->image->location], best->score);
    look->is_guess = best->score < DECLARED_SCORE;
}

// Selects an image that is known to belong to the mesh, without comparing it with others.
void view_select_known_image(view_look *look, const view_image_file *image, view_evidence by)
{
    const int score = rules[by].scores[0]; // the same for all locations
    select_image(look, &(candidate){.image = image, .by = by, .score = score});
}

// Lists the names with which images were compared, beginning with the strongest evidence. The list
// ends with the evidence `found`, which is marked as found. If no image was found, it is
// NUM_EVIDENCE.
static void note_names(view_look *look, const view_named_mesh *subject, view_evidence found)
{
    const char *const names[NUM_EVIDENCE] = {
        [BY_PATH] = subject->path,           [BY_END_OF_PATH] = subject->path,
        [BY_SHADER] = subject->shader.words, [BY_MODEL] = subject->model.words,
        [BY_MESH] = subject->name.words,     [BY_FOLDER] = subject->folder.words,
        [BY_PURPOSE] = "skin, diffuse, ...", [BY_ITSELF] = "in the model's folder",
    };
    for (view_evidence by = BY_PATH; by <= found && by < NUM_EVIDENCE; by++) {
        const char *const name = names[by] + strspn(names[by], " /");
        if (name[0] != '\0')
            view_add_searched_name(look, by == found,
                                   common_format("%s: %s", rules[by].name, name));
    }
}

// Returns true if the folder contains another model whose name shares no word with this model's
// name. Images in the folder can then belong to that model.
static bool is_folder_shared(const view_package *package, const view_name *model)
{
    for (size_t i = 0; i < package->num_models; i++) {
        if (view_name_similarity(&package->models[i], model) == 0
            && view_name_similarity(model, &package->models[i]) == 0)
            return true;
    }
    return false;
}

// Returns true if the shader probably names a particular image. A generic name such as "default"
// does not, unless it is in a folder.
static bool has_meaningful_shader(const view_named_mesh *subject)
{
    if (subject->path[0] == '\0')
        return false;
    const view_name main = view_main_words(subject->shader, WORD_VARIANT);
    if (!view_has_only_words(&main, WORD_GENERIC) || view_has_word(&main, WORD_COLOR))
        return true;
    return !subject->is_foreign && common_base(subject->path) > subject->path + 1;
}

// Returns true if an image in the model's folder can belong to the mesh.
static bool is_possible_image(const view_named_mesh *subject, const view_image_file *image)
{
    if (subject->is_shared || view_is_non_color_map(&image->name))
        return false;
    return !is_of_another(subject, &image->name);
}

// Returns true if an image is a texture of a model in the model's folder.
static bool is_texture_in_folder(const view_named_mesh *subject, const view_image_file *image)
{
    return image->location == VIEW_SAME_FOLDER && !is_not_on_models(subject, image);
}

// Returns true if the model's folder contains textures.
static bool has_textures(const view_named_mesh *subject, const view_image_file *images,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_texture_in_folder(subject, &images[i]))
            return true;
    }
    return false;
}

// Returns the only image in the model's folder that can belong to the mesh. If all such images are
// variants of one image, returns the first. Otherwise returns NULL.
static const view_image_file *find_only_image(const view_named_mesh *subject,
                                              const view_image_file *images, size_t count)
{
    const view_image_file *only = NULL;
    for (size_t i = 0; i < count; i++) {
        const view_image_file *const image = &images[i];
        if (!is_texture_in_folder(subject, image) || !is_possible_image(subject, image))
            continue;
        if (only && !view_is_same_image(only, image, true))
            return NULL;
        if (!only)
            only = image;
    }
    return only;
}

// Sets the members of a mesh that depend on the images in the model's folder. If the shader names a
// particular image, an image with another name does not fit, even if it is the only one.
static void examine_folder(view_named_mesh *subject, const view_image_file *images, size_t count)
{
    subject->is_shared =
        subject->is_shared || is_folder_shared(subject->search->package, &subject->model);
    subject->has_images = has_textures(subject, images, count);
    subject->only = NULL;
    if (!has_meaningful_shader(subject))
        subject->only = find_only_image(subject, images, count);
}

// Returns true if no other candidate has nearly the score of the best one. Variants of the same
// image do not compete with it. The exception is evidence that does not distinguish meshes, in a
// model with several materials. The margin must then be wide, and variants compete, because each
// material could have one of them.
static bool is_clear_winner(const view_named_mesh *subject, const candidate *best,
                            const candidate *candidates, size_t count)
{
    const bool is_vague = rules[best->by].is_of_model && subject->has_multiple_materials;
    const int margin = is_vague ? WIDE_MARGIN : MARGIN;
    for (size_t i = 0; i < count; i++) {
        if (candidates[i].score > best->score - margin
            && !view_is_same_image(best->image, candidates[i].image, !is_vague))
            return false;
    }
    return true;
}

// Returns the reason why a candidate was not selected.
static const char *rejection(const candidate *rejected)
{
    if (rejected->objection)
        return rejected->objection;
    if (rejected->score < MIN_SCORE)
        return "the score is too low";
    return "another image has the same score";
}

// Lists the first candidates, and why each was not selected.
static void note_rejected(view_look *look, const candidate *candidates, size_t count)
{
    enum { MAX_NOTES = 8 };
    for (size_t i = 0; i < count && look->tried.count < MAX_NOTES; i++) {
        const candidate *const rejected = &candidates[i];
        if (rejected->score > 0 || rejected->objection)
            common_add(&look->tried, common_format("%s: matched by %s, %s, score %d, but %s",
                                                   rejected->image->path, rules[rejected->by].name,
                                                   location_names[rejected->image->location],
                                                   rejected->score, rejection(rejected)));
    }
}

// Selects the image at the shader's path, preferring images that are not tiny. No other evidence is
// stronger, so the names of images need not be compared then. Returns false if no image is at the
// path.
bool view_select_at_path(view_look *look, const view_named_mesh *subject)
{
    const view_package *const package = subject->search->package;
    candidate best = {.score = 0};
    if (!has_two_parts(subject->path))
        return false;

    for (size_t i = 0; i < package->num_images; i++) {
        const view_image_file *const image = &package->images[i];
        if (!can_be_color_map(subject, image) || !is_at_path(subject, image->stem))
            continue;
        candidate found = {
            .image = image, .by = BY_PATH, .score = rules[BY_PATH].scores[image->location]};
        rate_size(&found);
        if (found.score > best.score)
            best = found;
    }
    if (best.score == 0)
        return false;

    select_image(look, &best);
    note_names(look, subject, BY_PATH);
    return true;
}

// Rates all images for a mesh and writes them to candidates[count]. Returns the candidate with the
// highest score. Its score is 0 if there is no evidence for any image.
static candidate rate_images(const view_named_mesh *subject, const view_image_file *images,
                             size_t count, candidate *candidates)
{
    candidate best = {.score = 0};
    for (size_t i = 0; i < count; i++) {
        candidates[i] = rate_image(subject, &images[i]);
        if (candidates[i].score > best.score)
            best = candidates[i];
    }
    return best;
}

// Selects the image with the highest score. Returns false if the score is too low, or if another
// image has nearly the same score. The last step of the search accepts lower scores. If it fails,
// it lists the rejected images.
bool view_select_best(view_look *look, view_named_mesh *subject, view_search_step step)
{
    const bool is_last = step == WHOLE_PACKAGE;
    const int min_score = is_last ? MIN_SCORE : SURE_SCORE;
    const view_package *const package = subject->search->package;
    const view_image_file *const images = package->images;
    const size_t count = package->num_images;
    candidate *const candidates = common_alloc(count + 1, sizeof *candidates);
    examine_folder(subject, images, count);
    const candidate best = rate_images(subject, images, count, candidates);

    const bool is_clear =
        best.score >= min_score && is_clear_winner(subject, &best, candidates, count);
    if (is_clear)
        select_image(look, &best);
    if (is_clear || is_last)
        note_names(look, subject, is_clear ? best.by : NUM_EVIDENCE);
    if (is_last && !is_clear)
        note_rejected(look, candidates, count);
    free(candidates);
    return is_clear;
}
