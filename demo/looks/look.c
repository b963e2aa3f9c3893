// Finds the textures of a mesh: in declarations of files, by the rules of the Quake re-releases, or
// by the names of images.
//
// A name is split into words (view_name). `keyword_lists` contains words with a known meaning. A
// view_package lists the images around a model. Each image is a `candidate` for a mesh, which is
// called the subject of the search (named_mesh). Each piece of `evidence` that an image belongs to
// the mesh, such as an equal name, raises its score. Each objection lowers it. The candidate with
// the highest score is selected.
#include "demo/looks/look.h"

#include "demo/common/memory.h"
#include "demo/common/system.h"
#include "demo/looks/image.h"

#include <ctype.h>

// == Names ========================================================================================
//
// This section finds the meaning of words in names of files, meshes and shaders.

// Meaning of a keyword in a texture's file name (bit flags).
enum {
    WORD_COLOR = 1,    // "skin", "diffuse": a color map
    WORD_MAP = 2,      // "normal", "spec": another map
    WORD_GENERIC = 4,  // "mesh", "default": no information
    WORD_PART = 8,     // "eye", "hands": a part of a body that usually has a separate image
    WORD_OTHER = 16,   // "icon", "flash": an image that is not on models
    WORD_VARIANT = 32, // "red", "off", numbers: one of several similar images
};

// The words of each kind. A word can be in several lists.
static const struct keyword_list {
    uint8_t kind;
    const char *words; // each between spaces
} keyword_lists[] = {
    {WORD_MAP, // in addition to md5gl_texture_keywords()
     " norms heights disp displacement parallax z glossiness roughness metallic metalness ao "
     "occlusion cavity mask masks g emission emissive env envmap orm "},
    {WORD_GENERIC,
     " mesh model md material materials mat default cube box cylinder sphere plane circle object "
     "obj untitled none noname unnamed null lambert phong blinn standard polysurface pcube body "
     "main base root shader surface surf geo geometry group scene lod node layer tris view par "
     "faut human male female player weapon item faked image new "},
    {WORD_PART,
     " eye eyes eyeball eyeballs arm arms hand hands finger fingers glove gloves hair head face "
     "teeth tooth tongue mouth glass lens visor muzzle cornea lash lashes eyelash eyelashes brow "
     "brows tail wing wings horn horns claw claws strap screen display flash laser bullet shell "
     "clip scope health "},
    {WORD_OTHER,
     " gfx ui guis interface flash muzzle muzzleflash icon icons thumb thumbs thumbnail thumbnails "
     "preview previews "
     "levelshot levelshots screenshot screenshots lightmap lightmaps lm hud crosshair crosshairs "
     "logo gui menu particle particles smoke spark sparks decal decals shadow sprite sprites "
     "placeholder missing notexture checker checkerboard loading splash font sky skybox explosion "
     "default mini portrait avatar render wireframe uv uvs uvmap uvlayout uvw template concept "
     "reference "},
    {WORD_VARIANT,
     " red blue green yellow black white orange purple cyan magenta grey gray brown pink on off "},
};

// Each word is between spaces. Neighboring words share a space, so a name with one word has two
// spaces.
enum { NUM_SPACES = 2 };

// Copies the next word with the spaces around it. *rest points to the space before the word and is
// moved to the space after it. If no word remains, returns false and sets `word` to an empty name.
static bool next_word(const char **rest, view_name *word)
{
    const size_t length = **rest != '\0' ? strcspn(*rest + 1, " ") : 0;
    if (length == 0) {
        *word = (view_name){""};
        return false;
    }
    const size_t size = length + NUM_SPACES;
    memcpy(word->words, *rest, size);
    word->words[size] = '\0';
    *rest += length + 1;
    return true;
}

// Returns the length of a word, which is between spaces.
static size_t word_length(const view_name *word)
{
    return strlen(word->words) - NUM_SPACES;
}

// Returns the kinds of a word: the kinds of all lists that contain it. A number is a variant. The
// renderer's keywords of maps are also such lists.
static uint8_t classify_word(const view_name *word)
{
    const bool is_number = isdigit((unsigned char)word->words[1]);
    uint8_t kinds = is_number ? WORD_VARIANT : 0;
    for (int map = 0; map < MD5GL_NUM_IMAGE_KINDS; map++) {
        if (strstr(md5gl_texture_keywords((md5gl_image_kind)map), word->words) != NULL)
            kinds |= map == MD5GL_IMAGE_DIFFUSE ? WORD_COLOR | WORD_GENERIC : WORD_MAP;
    }
    for (size_t i = 0; i < COMMON_LENGTH(keyword_lists); i++) {
        if (strstr(keyword_lists[i].words, word->words) != NULL)
            kinds |= keyword_lists[i].kind;
    }
    return kinds;
}

enum char_kind { SEPARATOR, DIGIT, LOWER, UPPER };

// Returns the kind of a character. Bytes of UTF-8 sequences count as lower-case letters.
static enum char_kind classify_char(char c)
{
    if (isdigit((unsigned char)c))
        return DIGIT;
    if (c >= 'A' && c <= 'Z')
        return UPPER;
    const bool is_letter = (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
    return is_letter ? LOWER : SEPARATOR;
}

// Splits a name into words at separators, between letters and digits, and before capital letters.
// For example, "LeftArm_02" becomes " left arm 2 ". Letters become lower case, and zeros before a
// number are removed.
view_name view_split_name(const char *name)
{
    enum { MAX_ADDED = 3 }; // a step adds a space and a character; the end adds a space
    enum char_kind previous_kind = SEPARATOR;
    view_name split = {" "};
    char *const to = split.words;
    size_t used = 1;
    for (const char *c = name; *c != '\0' && used + MAX_ADDED < sizeof split.words; c++) {
        // A word ends where the kind of character changes. The exception is a capital at the
        // beginning of a word, as in "Arm": the small letters after it belong to the same word.
        const enum char_kind kind = classify_char(*c);
        const bool is_after_capital = previous_kind == UPPER && kind == LOWER;
        const bool is_after_initial = is_after_capital && to[used - 2] == ' ';
        const bool is_same_word = kind == previous_kind || is_after_initial;
        if (!is_same_word && to[used - 1] != ' ')
            to[used++] = ' ';

        const bool is_word_start = to[used - 1] == ' ';
        const bool is_leading_zero = *c == '0' && is_word_start && isdigit((unsigned char)c[1]);
        if (kind != SEPARATOR && !is_leading_zero)
            to[used++] = kind == UPPER ? (char)(*c - 'A' + 'a') : *c;
        previous_kind = kind;
    }

    if (to[used - 1] != ' ')
        to[used] = ' ';
    return split;
}

// Returns a name without the words of some kinds. `kinds` is a combination of bit flags.
static view_name remove_words(view_name name, uint8_t kinds)
{
    view_name result = {" "};
    view_name word;
    size_t used = 1;
    const char *rest = name.words;
    while (next_word(&rest, &word)) {
        const bool is_removed = (classify_word(&word) & kinds) != 0;
        if (is_removed)
            continue;
        const size_t size = strlen(word.words) - 1; // with the space after it
        memcpy(result.words + used, word.words + 1, size);
        used += size;
    }
    return result;
}

// Returns a name without the words of some kinds. If no other words remain, returns the complete
// name.
static view_name main_words(view_name name, uint8_t kinds)
{
    const view_name result = remove_words(name, kinds);
    return result.words[1] != '\0' ? result : name;
}

// Returns true if the name contains a word of these kinds.
static bool has_word(const view_name *name, uint8_t kinds)
{
    return strcmp(remove_words(*name, kinds).words, name->words) != 0;
}

// Returns true if a name is not empty and all its words are of these kinds.
static bool has_only_words(const view_name *name, uint8_t kinds)
{
    return name->words[1] != '\0' && remove_words(*name, kinds).words[1] == '\0';
}

// Returns true if a name probably belongs to one model only. Such a name has at least three letters
// in words that are neither generic nor parts nor variants.
static bool is_specific(const view_name *name)
{
    enum { MIN_LETTERS = 3 };
    const uint8_t vague = WORD_GENERIC | WORD_PART | WORD_VARIANT;
    return strlen(remove_words(*name, vague).words) >= MIN_LETTERS + NUM_SPACES;
}

// Returns the last word of a name that can be a suffix with a meaning. Variants are skipped. Single
// letters are skipped unless they are keywords. For example, the suffix of "wall_n2" is "n".
static view_name last_word(const view_name *name)
{
    view_name last = {" "};
    view_name word;
    const char *rest = name->words;
    while (next_word(&rest, &word)) {
        const uint8_t kinds = classify_word(&word);
        const bool is_variant = (kinds & WORD_VARIANT) != 0;
        const bool has_meaning = kinds != 0 || word_length(&word) > 1;
        if (!is_variant && has_meaning)
            last = word;
    }
    return last;
}

// Returns true if a name contains a word, or a longer word with that word in it. For example,
// "forehead" contains "head". Words of fewer than four letters must match completely, because short
// texts occur in many words.
static bool contains_word(const view_name *name, const view_name *word)
{
    enum { MIN_PART = 4 };
    const size_t size = word_length(word);
    if (strstr(name->words, word->words) != NULL)
        return true;
    view_name part = *word;
    part.words[size + 1] = '\0'; // removes the space at the end
    return size >= MIN_PART && strstr(name->words, part.words + 1) != NULL;
}

// Returns the percentage of the letters of `a` that are in words of `b`. A variant counts as only
// one letter. Names with different numbers are not similar, so the result is then 0.
uint32_t view_name_similarity(const view_name *a, const view_name *b)
{
    uint32_t matching = 0; // letters
    uint32_t total = 0;
    view_name word;
    const char *rest = a->words;
    while (next_word(&rest, &word)) {
        const bool is_variant = (classify_word(&word) & WORD_VARIANT) != 0;
        const uint32_t weight = is_variant ? 1 : (uint32_t)word_length(&word);
        const bool is_number = isdigit((unsigned char)word.words[1]);
        const bool is_equal = strstr(b->words, word.words) != NULL;
        if (is_number && !is_equal && strpbrk(b->words, "0123456789") != NULL)
            return 0;
        if (contains_word(b, &word))
            matching += weight;
        total += weight;
    }
    return total > 0 ? 100 * matching / total : 0;
}

// -- Names of files -------------------------------------------------------------------------

bool view_is_image(const char *path)
{
    const char *const *extension = md5gl_image_extensions();
    while (*extension && !common_has_suffix(path, *extension))
        extension++;
    return *extension != NULL;
}

// Returns a copy of a path without the extension of an image.
static char *remove_extension(const char *path)
{
    char *const stem = common_copy(path);
    for (const char *const *extension = md5gl_image_extensions(); *extension; extension++) {
        if (common_has_suffix(stem, *extension))
            stem[strlen(stem) - strlen(*extension)] = '\0';
    }
    return stem;
}

// Returns the words of a path's last part, without the extension.
static view_name split_stem(const char *path)
{
    char *const stem = remove_extension(common_base(path));
    const view_name name = view_split_name(stem);
    free(stem);
    return name;
}

// Returns true if two names are equal after the words of some kinds are removed.
static bool is_same(const view_name *a, const view_name *b, uint8_t kinds)
{
    const view_name x = main_words(*a, kinds);
    const view_name y = main_words(*b, kinds);
    return strcmp(x.words, y.words) == 0;
}

// Returns true if two paths are in the same folder.
static bool is_in_same_folder(const char *a, const char *b)
{
    const size_t length_a = (size_t)(common_base(a) - a);
    const size_t length_b = (size_t)(common_base(b) - b);
    return length_a == length_b && strncmp(a, b, length_a) == 0;
}

// Returns true if two files probably contain the same image. They must be in the same folder, and
// their names must be equal except for words of color maps. If `ignores_variants`, they may also
// differ in words of variants.
static bool is_same_image(const view_image_file *a, const view_image_file *b, bool ignores_variants)
{
    const view_name x = ignores_variants ? main_words(a->name, WORD_VARIANT) : a->name;
    const view_name y = ignores_variants ? main_words(b->name, WORD_VARIANT) : b->name;
    return is_in_same_folder(a->path, b->path) && is_same(&x, &y, WORD_COLOR);
}

// Returns true if a path without extension ends with the path `end`, which begins with a slash. The
// last part of `path` may have additional words of color maps. For example, "a/models/imp_skin"
// ends with "/models/imp".
static bool ends_with_path(const char *path, const char *end)
{
    if (common_has_suffix(path, end))
        return true;
    const view_name name = view_split_name(common_base(path));
    const view_name last = view_split_name(common_base(end));
    char *const folder = common_folder(path);
    char *const inner = common_folder(end);
    const bool is_in_folder = common_has_suffix(folder, inner[1] != '\0' ? inner : "");
    free(folder);
    free(inner);
    return is_in_folder && is_same(&name, &last, WORD_COLOR);
}

// -- Maps of images -------------------------------------------------------------------------

// Returns true if the last word of a name is the keyword of a map other than the color map. A
// single letter counts only after other words. For example, "imp_n" is a normal map, but "n" is
// not.
bool view_is_non_color_map(const view_name *name)
{
    const view_name last = last_word(name);
    const bool is_letter = strlen(last.words) == 1 + 2;
    return has_word(&last, WORD_MAP) && !(is_letter && strcmp(last.words, name->words) == 0);
}

const char *view_map_name(md5gl_image_kind map)
{
    static const char *const names[MD5GL_NUM_IMAGE_KINDS] = {"texture", "normal map", "height map",
                                                             "specular map", "glow map"};
    return names[map];
}

// Compares the last word of the name with the keywords of each map. An image without a keyword is a
// color map. A height map counts as a normal map, because the renderer creates normals from
// heights.
md5gl_image_kind view_guess_map(const char *path)
{
    const view_name name = split_stem(path);
    const view_name last = last_word(&name);
    if (last.words[0] == '\0' || last.words[1] == '\0')
        return MD5GL_IMAGE_DIFFUSE;
    for (int i = MD5GL_NUM_IMAGE_KINDS - 1; i > MD5GL_IMAGE_DIFFUSE; i--) {
        const md5gl_image_kind map = (md5gl_image_kind)i;
        if (strstr(md5gl_texture_keywords(map), last.words) != NULL)
            return map == MD5GL_IMAGE_HEIGHTS ? MD5GL_IMAGE_NORMALS : map;
    }
    return MD5GL_IMAGE_DIFFUSE;
}

// Returns true if `name` is the name of another map of the same material as `image`. Both names are
// equal except for their suffixes, or both consist only of suffixes, such as "skin.png" and
// "normals.png".
static bool is_map_of_image(const view_name *name, const view_name *image)
{
    if (is_same(image, name, WORD_COLOR | WORD_MAP))
        return true;
    return has_only_words(image, WORD_COLOR) && has_only_words(name, WORD_MAP);
}

// Returns the first file that is a map of `image` and has this suffix and extension, or NULL.
static const char *find_with_suffix(const common_list *files, const view_name *image,
                                    const view_name *suffix, const char *extension)
{
    for (size_t i = 0; i < files->count; i++) {
        if (!common_has_suffix(files->names[i], extension))
            continue;
        const view_name name = split_stem(files->names[i]);
        const view_name last = last_word(&name);
        if (strcmp(last.words, suffix->words) == 0 && is_map_of_image(&name, image))
            return files->names[i];
    }
    return NULL;
}

// Tries the usual suffixes of the map, such as "local" and "normal", in the order of their
// priority. For each suffix, tries the extensions of images in the renderer's order.
const char *view_find_map(const common_list *files, const char *diffuse, md5gl_image_kind map)
{
    const view_name diffuse_name = split_stem(diffuse);
    const char *const *const extensions = md5gl_image_extensions(); // ends with NULL
    const char *remaining_suffixes = md5gl_texture_keywords(map);
    view_name suffix;
    while (next_word(&remaining_suffixes, &suffix)) {
        for (size_t i = 0; extensions[i] != NULL; i++) {
            const char *const path = find_with_suffix(files, &diffuse_name, &suffix, extensions[i]);
            if (path != NULL)
                return path;
        }
    }
    return NULL;
}

// Returns the kind of stage that contains a map of a lit material.
static md5_stage_light stage_light(md5gl_image_kind map)
{
    if (map == MD5GL_IMAGE_NORMALS)
        return MD5_STAGE_BUMP;
    return map == MD5GL_IMAGE_SPECULAR ? MD5_STAGE_SPECULAR : MD5_STAGE_DIFFUSE;
}

// Returns the image of the first stage for the map. A material without a diffuse stage is not lit.
// Its color map is then the image of its first ambient stage.
const md5_image_program *view_material_image(const md5_material *material, md5gl_image_kind map)
{
    const md5_stage_light light = stage_light(map);
    const md5_image_program *unlit = NULL;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (stage->image.text[0] == '\0')
            continue;
        if (stage->light == light)
            return &stage->image;
        if (!unlit && map == MD5GL_IMAGE_DIFFUSE && stage->light == MD5_STAGE_AMBIENT)
            unlit = &stage->image;
    }
    return unlit;
}

// Reports a warning and frees its text.
static void warn(view_listener warnings, char *text)
{
    warnings.warn(warnings.user, text);
    free(text);
}

// == Appearances ==================================================================================

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

// Returns true if text[length] is the name, the shader or the index of a mesh. The index is
// compared as a decimal number.
bool view_is_mesh(const md5_model *model, uint32_t number, const char *text, size_t length)
{
    char digits[16];
    const char *const names[] = {model->meshes[number].name, model->meshes[number].shader, digits};
    COMMON_TEXT(digits, "%u", number);
    for (size_t i = 0; i < COMMON_LENGTH(names); i++) {
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
            return true;
    }
    return false;
}

// Frees the members of a look, which may all be 0. The structure is zeroed afterwards and can be
// freed again.
void view_free_look(view_look *look)
{
    free(look->diffuse);
    free(look->normals);
    free(look->masks);
    free(look->why);
    for (uint32_t i = 0; i < look->num_later_images; i++)
        free(look->later_images[i]);
    common_free_list(&look->tried);
    common_free_list(&look->searched_locations);
    *look = (view_look){0};
}

// NOLINTNEXTLINE(readability-non-const-parameter): `text` is freed
void view_add_searched_name(view_look *look, bool is_found, char *text)
{
    common_add(&look->searched_locations, common_format("%c%s", is_found ? '+' : '-', text));
    free(text);
}

// -- md5.cfg files ----------------------------------------------------------------------------

// Returns the last value that an md5.cfg sets for the whole model, or `fallback` if it sets none.
static float get_setting(const md5_cube2 *cube, const char *keyword, float fallback)
{
    for (uint32_t i = cube->num_settings; i-- > 0;) {
        const md5_cube2_setting *const setting = &cube->settings[i];
        if (strcmp(setting->keyword, keyword) == 0 && setting->num_values > 0)
            return strtof(setting->values[0], NULL);
    }
    return fallback;
}

// Returns a value of a mesh as a fraction of `maximum`, 0 to 1. If `mesh_value` is below 0, the
// mesh does not specify it. The value of the model is then used, or else the default of the
// engines.
static float get_fraction(const md5_cube2 *cube, float mesh_value, const char *keyword,
                          float default_value, float maximum)
{
    const float value = mesh_value >= 0 ? mesh_value : get_setting(cube, keyword, default_value);
    if (!(value > 0))
        return 0;
    return value < maximum ? value / maximum : 1;
}

// Returns md5gl_material.alpha_test for a material. The renderer does not blend, so texels that the
// engines would blend are cut out. If a material neither tests nor blends alpha, only fully
// transparent texels are cut out.
static float cube_alpha_test(const md5_cube2 *cube, const md5_cube2_material *material)
{
    const float almost_transparent = 1e-6f;
    const float test =
        material->alpha_test >= 0 ? material->alpha_test : get_setting(cube, "mdlalphatest", -1);
    float blend = material->alpha_blend == MD5_CUBE2_ON;
    if (material->alpha_blend == MD5_CUBE2_UNSET)
        blend = get_setting(cube, "mdlalphablend", 1);
    if (test == 0 && blend == 0)
        return almost_transparent;
    return test > 0 && test < 1 ? test : 0;
}

// Returns the appearance that an md5.cfg declares for a mesh. The default of highlights is 100 %.
// The default of glow is 300 %, because light can exceed 1 in the engines. Here, 300 % of glow is
// the color of the texture.
view_look view_cube_look(const md5_cube2 *cube, const md5_cube2_part *part, const char *mesh)
{
    md5_cube2_material skin;
    md5_build_cube2_material(part, mesh, &skin);
    return (view_look){
        .diffuse = common_copy(skin.texture.path),
        .normals = common_copy(skin.normal_map.path),
        .masks = common_copy(skin.masks.path),
        .specular = get_fraction(cube, skin.specular, "mdlspec", 100, 100),
        .glow = get_fraction(cube, skin.glow, "mdlglow", 300, 300),
        .alpha_test = cube_alpha_test(cube, &skin),
        .two_sided = skin.cull_face == MD5_CUBE2_OFF,
    };
}

// -- The files around a model --------------------------------------------------------------------

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
        warn(package->warnings, common_format("%s:%u:%u: %s", fault->file, (unsigned)fault->line,
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
        warn(warnings, common_format("%s: %s", root, error.message));
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
            strcmp(folder, package->folder) == 0 || has_only_words(&name, WORD_COLOR);
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
    char *const stem = remove_extension(path);
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
    if (is_specific(&name))
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
static void list_images(view_package *package, bool is_all_wanted)
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
static char *add_named_folder(view_package *package, const char *name)
{
    list_images(package, false);
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

// -- Evidence ------------------------------------------------------------------------------------

// The reasons to select an image, strongest first.
typedef enum evidence {
    BY_DECLARATION, // a file declares the image for the mesh
    BY_SKIN,        // the image belongs to a skin in Quake
    BY_PATH,        // the image and the shader have the same path
    BY_END_OF_PATH, // the last two parts of both paths are equal
    BY_SHADER,      // the image is named after the shader
    BY_MODEL,       // the image is named after the model
    BY_MESH,        // the image is named after the mesh
    BY_FOLDER,      // the image is named after the model's folder
    BY_PURPOSE,     // the image has a name typical of color maps, such as "skin"
    BY_ITSELF,      // the image is the only one in the model's folder
    NUM_EVIDENCE,
} evidence;

// The score of an image whose name is equal, for each location of the image. In folders other than
// the model's, only specific names count, because every package contains names such as "eyes" and
// "default".
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

// The subject of a search, a mesh whose image is wanted: its names, and properties that affect the
// scores of images.
typedef struct named_mesh {
    const view_look_search *search;
    const md5_mesh *mesh;
    char *path; // the shader with slashes before each part, without drive and extension

    // The words of its names.
    view_name shader;
    view_name name;
    view_name model;
    view_name folder;
    view_name combined; // the words of all four

    bool is_foreign;             // the shader is an absolute path, which is on the author's machine
    bool has_multiple_materials; // other meshes have other materials
    bool is_main;                // the image that is named after the model can belong to this mesh
    bool is_part; // its names contain a part of a body, and the model's name does not

    // True if the folder contains other models. Images without a matching name can then belong to
    // them.
    bool is_shared;

    // True if the model's folder contains images. Images elsewhere then probably belong to other
    // models.
    bool has_images;
    const view_image_file *only; // the only possible image in the model's folder, or NULL
} named_mesh;

// An image with its score for a mesh.
typedef struct candidate {
    const view_image_file *image;
    evidence by; // the evidence with the highest score
    int score;
    const char *objection; // reason why the score was lowered, or NULL
} candidate;

// -- Identity of a mesh --------------------------------------------------------------------------

// Returns the text that distinguishes a mesh from other meshes. It is the shader or, without a
// shader, the name.
static const char *mesh_identity(const md5_mesh *mesh)
{
    return mesh->shader[0] != '\0' ? mesh->shader : mesh->name;
}

// -- Objections ----------------------------------------------------------------------------------

// Returns true if the name of a mesh or a model claims an image. This means that the image's name
// contains the words of the name, so the image is probably named after it. Names without a meaning,
// such as "mesh", claim nothing.
static bool claims(const view_name *name, const view_name *image)
{
    if (has_only_words(name, WORD_GENERIC | WORD_VARIANT))
        return false;
    return view_name_similarity(name, image) >= SAME_NAME;
}

// Returns true if the shader or the name of a mesh claims an image.
static bool is_claimed_by(const md5_mesh *mesh, const view_name *image)
{
    const view_name shader = split_stem(mesh->shader);
    const view_name name = view_split_name(mesh->name);
    return claims(&shader, image) || claims(&name, image);
}

// Returns true if another mesh of the model claims an image.
static bool is_claimed_by_other_mesh(const named_mesh *subject, const view_name *image)
{
    enum { MAX_COMPARED = 64 }; // real models have fewer meshes
    const md5_model *const model = subject->search->model;
    if (!subject->has_multiple_materials)
        return false;
    for (uint32_t i = 0; i < model->num_meshes && i < MAX_COMPARED; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        if (strcmp(mesh_identity(mesh), mesh_identity(subject->mesh)) != 0
            && is_claimed_by(mesh, image))
            return true;
    }
    return false;
}

// Returns true if another model in the folder claims an image, but the model of the subject does
// not.
static bool is_claimed_by_other_model(const named_mesh *subject, const view_name *image)
{
    const view_package *const package = subject->search->package;
    bool is_claimed = false;
    for (size_t i = 0; i < package->num_models && !is_claimed; i++)
        is_claimed = claims(&package->models[i], image);
    return is_claimed && !claims(&subject->model, image);
}

// Returns true if another mesh or another model claims an image, but the mesh itself does not.
static bool is_of_another(const named_mesh *subject, const view_name *image)
{
    if (!is_claimed_by_other_mesh(subject, image) && !is_claimed_by_other_model(subject, image))
        return false;
    return !is_claimed_by(subject->mesh, image);
}

// Returns true if the name of an image or of its folder contains a word of images that are not on
// models, such as "icon". Returns false if a name of the model or the mesh also contains such a
// word.
static bool is_not_on_models(const named_mesh *subject, const view_image_file *image)
{
    char *const folder = common_folder(image->path);
    const view_name folder_name =
        view_split_name(image->location != VIEW_SAME_FOLDER ? common_base(folder) : "");
    free(folder);
    if (!has_word(&image->name, WORD_OTHER) && !has_word(&folder_name, WORD_OTHER))
        return false;
    return !has_word(&subject->combined, WORD_OTHER);
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
static void add_evidence(candidate *rated, evidence by, uint32_t similarity, int weight)
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
static uint32_t rate_name(const named_mesh *subject, const view_image_file *image,
                          const view_name *expected)
{
    const uint8_t vague = WORD_COLOR | WORD_GENERIC | WORD_VARIANT;
    const uint8_t ignored = is_far_from_model(image) ? WORD_COLOR : vague;
    const view_name main = remove_words(image->name, ignored);
    const bool has_more_words = main.words[1] != '\0';
    if (!is_similar(expected, &image->name))
        return 0;
    if (!has_more_words || is_similar(&main, expected))
        return 100;
    return is_similar(&main, &subject->combined) ? 80 : 0;
}

// Adds evidence if the name of an image matches `expected`, a name of the model or the mesh.
// Outside of the model's folder, only specific names count, because others occur in many models.
static void compare_name(const named_mesh *subject, candidate *rated, evidence by,
                         const view_name *expected, int weight)
{
    const view_image_file *const image = rated->image;
    const bool is_in_model_folder = image->location == VIEW_SAME_FOLDER;
    if (!is_in_model_folder && !is_specific(expected))
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
static uint32_t rate_purpose(const named_mesh *subject, const view_name *name)
{
    const view_name bare = main_words(*name, WORD_VARIANT);
    const view_name specific = main_words(bare, WORD_GENERIC);
    if (has_only_words(&bare, WORD_COLOR))
        return 100;
    if (!has_word(name, WORD_COLOR))
        return 0;
    return view_name_similarity(&specific, &subject->combined) >= SAME_NAME ? 80 : 60;
}

// Lowers the score of an image if its name suggests that it does not belong to the mesh.
static void add_objections(const named_mesh *subject, candidate *rated)
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
static void compare_names(const named_mesh *subject, candidate *rated)
{
    const int weight = is_specific(&subject->shader) ? 75 : 100;
    compare_name(subject, rated, BY_SHADER, &subject->shader, 100);
    compare_name(subject, rated, BY_MESH, &subject->name, weight);
    if (subject->is_main)
        compare_name(subject, rated, BY_MODEL, &subject->model, weight);
    if (subject->is_main && !subject->is_shared) {
        const bool is_only = rated->image == subject->only;
        compare_name(subject, rated, BY_FOLDER, &subject->folder, weight);
        add_evidence(rated, BY_PURPOSE, rate_purpose(subject, &rated->image->name), weight);
        add_evidence(rated, BY_ITSELF, is_only ? 100 : 0, weight);
    }
    if (rated->score > 0)
        add_objections(subject, rated);
}

// Returns true if an image is at the shader's path, relative to an ancestor of the model. Both
// paths are without extension.
static bool is_at_path(const named_mesh *subject, const char *path)
{
    char *const folder = common_folder(path);
    char *const inner = common_folder(subject->path);
    const size_t length = strlen(folder);
    const size_t inner_length = strlen(inner);
    const size_t root_length = length > inner_length ? length - inner_length : 0;
    free(folder);
    free(inner);
    if (!ends_with_path(path, subject->path))
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
static bool can_be_color_map(const named_mesh *subject, const view_image_file *image)
{
    return !view_is_non_color_map(&image->name) || is_same(&image->name, &subject->model, 0);
}

// Lowers the score of a candidate if its image is so small that it is probably a placeholder.
static void rate_size(candidate *rated)
{
    if (rated->score >= MIN_SCORE && is_tiny(rated->image->path))
        subtract_score(rated, IS_TINY, "the image is too small");
}

// Adds evidence if the last two parts of an image's path equal those of the shader's path, such as
// "head/skin" of "models/monster/head/skin". The evidence has less weight if the image is in a
// different folder and the shader's name is common.
static void compare_path_end(const named_mesh *subject, candidate *rated)
{
    enum { FULL_WEIGHT = 100, WEAK_WEIGHT = 60, FULL_SIMILARITY = 100 }; // percent
    const view_image_file *const image = rated->image;
    if (!has_two_parts(subject->path)
        || !ends_with_path(image->stem, last_two_parts(subject->path)))
        return;
    const bool is_strong = image->location == VIEW_SAME_FOLDER || is_specific(&subject->shader);
    add_evidence(rated, BY_END_OF_PATH, FULL_SIMILARITY, is_strong ? FULL_WEIGHT : WEAK_WEIGHT);
}

// Returns the score of an image for a mesh. All evidence counts except the complete path of the
// shader, which select_at_path() compares.
static candidate rate_image(const named_mesh *subject, const view_image_file *image)
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

// Lists the names with which images were compared, beginning with the strongest evidence. The list
// ends with the evidence `found`, which is marked as found. If no image was found, it is
// NUM_EVIDENCE.
static void note_names(view_look *look, const named_mesh *subject, evidence found)
{
    const char *const names[NUM_EVIDENCE] = {
        [BY_PATH] = subject->path,           [BY_END_OF_PATH] = subject->path,
        [BY_SHADER] = subject->shader.words, [BY_MODEL] = subject->model.words,
        [BY_MESH] = subject->name.words,     [BY_FOLDER] = subject->folder.words,
        [BY_PURPOSE] = "skin, diffuse, ...", [BY_ITSELF] = "in the model's folder",
    };
    for (evidence by = BY_PATH; by <= found && by < NUM_EVIDENCE; by++) {
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
static bool has_meaningful_shader(const named_mesh *subject)
{
    if (subject->path[0] == '\0')
        return false;
    const view_name main = main_words(subject->shader, WORD_VARIANT);
    if (!has_only_words(&main, WORD_GENERIC) || has_word(&main, WORD_COLOR))
        return true;
    return !subject->is_foreign && common_base(subject->path) > subject->path + 1;
}

// Returns true if an image in the model's folder can belong to the mesh.
static bool is_possible_image(const named_mesh *subject, const view_image_file *image)
{
    if (subject->is_shared || view_is_non_color_map(&image->name))
        return false;
    return !is_of_another(subject, &image->name);
}

// Returns true if an image is a texture of a model in the model's folder.
static bool is_texture_in_folder(const named_mesh *subject, const view_image_file *image)
{
    return image->location == VIEW_SAME_FOLDER && !is_not_on_models(subject, image);
}

// Returns true if the model's folder contains textures.
static bool has_textures(const named_mesh *subject, const view_image_file *images, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_texture_in_folder(subject, &images[i]))
            return true;
    }
    return false;
}

// Returns the only image in the model's folder that can belong to the mesh. If all such images are
// variants of one image, returns the first. Otherwise returns NULL.
static const view_image_file *find_only_image(const named_mesh *subject,
                                              const view_image_file *images, size_t count)
{
    const view_image_file *only = NULL;
    for (size_t i = 0; i < count; i++) {
        const view_image_file *const image = &images[i];
        if (!is_texture_in_folder(subject, image) || !is_possible_image(subject, image))
            continue;
        if (only && !is_same_image(only, image, true))
            return NULL;
        if (!only)
            only = image;
    }
    return only;
}

// Sets the members of a mesh that depend on the images in the model's folder. If the shader names a
// particular image, an image with another name does not fit, even if it is the only one.
static void examine_folder(named_mesh *subject, const view_image_file *images, size_t count)
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
static bool is_clear_winner(const named_mesh *subject, const candidate *best,
                            const candidate *candidates, size_t count)
{
    const bool is_vague = rules[best->by].is_of_model && subject->has_multiple_materials;
    const int margin = is_vague ? WIDE_MARGIN : MARGIN;
    for (size_t i = 0; i < count; i++) {
        if (candidates[i].score > best->score - margin
            && !is_same_image(best->image, candidates[i].image, !is_vague))
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

// The steps of the search. The second step is made only if the first has found no sure image.
typedef enum search_step { AROUND_MODEL, WHOLE_PACKAGE } search_step;

// Selects the image at the shader's path, preferring images that are not tiny. No other evidence is
// stronger, so the names of images need not be compared then. Returns false if no image is at the
// path.
static bool select_at_path(view_look *look, const named_mesh *subject)
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
static candidate rate_images(const named_mesh *subject, const view_image_file *images, size_t count,
                             candidate *candidates)
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
static bool select_best(view_look *look, named_mesh *subject, search_step step)
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

// -- Declarations --------------------------------------------------------------------------------

// Finds the image at a path. The path can be relative to the package and can have a wrong
// extension. A color map and another map of the same name are different images. Returns NULL if the
// image does not exist.
static const view_image_file *find_image(view_package *package, const char *path)
{
    char *const joined = common_join(package->root ? package->root : ".", path);
    char *const normalized = add_named_folder(package, joined);
    char *const stem = remove_extension(normalized);
    const view_name name = view_split_name(common_base(stem));
    const bool is_non_color_map = view_is_non_color_map(&name);
    const view_image_file *found = NULL;
    for (size_t i = 0; i < package->num_images && !found; i++) {
        const view_image_file *const image = &package->images[i];
        if (view_is_non_color_map(&image->name) == is_non_color_map
            && ends_with_path(image->stem, stem))
            found = image;
    }
    free(stem);
    free(normalized);
    free(joined);
    return found;
}

// Returns the path of an image that a file declares. If the image does not exist, gives a warning
// and returns NULL. Also returns NULL if `path` is NULL. The caller frees the result.
static char *find_image_path(view_package *package, const char *path, view_listener warnings)
{
    if (!path)
        return NULL;
    const view_image_file *const image = find_image(package, path);
    if (!image)
        warn(warnings, common_format("image %s not found, which the material declares", path));
    return image ? common_copy(image->path) : NULL;
}

// Returns the first file that an image program reads, or NULL. Names that begin with '_' are
// skipped, because they are images that the engine creates.
static const char *find_image_file(const md5_image_program *image)
{
    for (uint32_t i = 0; i < image->num_steps; i++) {
        const md5_image_step *const step = &image->steps[i];
        if (step->kind == MD5_IMAGE_FILE && step->file[0] != '_')
            return step->file;
    }
    return NULL;
}

// Finds the material of a shader in the package's declarations. Sets look->diffuse to the first
// file of its diffuse map. If the material is not lit, it is the first file of its first stage.
// Returns false if the material is not declared or does not have an image.
static bool find_material(view_package *package, const char *shader, view_look *look,
                          view_listener warnings)
{
    md5_game *const game = view_package_game(package, warnings);
    if (!game || md5_find_decl(game, MD5_DECL_MATERIAL, shader) == NULL)
        return false;
    const md5_material *const material = md5_game_material(game, shader, NULL);
    if (!material)
        return false;
    const md5_image_program *const image = view_material_image(material, MD5GL_IMAGE_DIFFUSE);
    look->diffuse = image ? common_copy(find_image_file(image)) : NULL;
    return look->diffuse;
}

// Finds a material in a .shader file and writes its appearance. Returns false if the file does not
// declare the material, is too large or cannot be read.
static bool find_in_shader_file(const char *path, const char *name, view_look *look,
                                view_listener warnings)
{
    const uint64_t max_size = 4 << 20;
    size_t size;
    const char *reason;
    if (common_file_size(path) > max_size)
        return false;
    char *const text = common_read_stream(path, &size, &reason);
    const bool is_found = text && view_read_shader(path, text, size, name, look, warnings);
    free(text);
    return is_found;
}

// Finds a material in the .shader files of the package (Quake III) and writes its appearance. The
// files are searched in the order of their names, and the first declaration is used. Returns false
// if no file declares the material.
static bool find_shader(const view_package *package, const char *name, view_look *look,
                        view_listener warnings)
{
    if (!package->root)
        return false;
    char *const folder = common_join(package->root, "scripts");
    common_list files = common_list_folder(folder, ".shader");
    bool is_found = false;
    for (size_t i = 0; i < files.count && !is_found; i++)
        is_found = find_in_shader_file(files.names[i], name, look, warnings);
    common_free_list(&files);
    free(folder);
    return is_found;
}

// Returns true if a part of an md5.cfg is the model of the package.
static bool is_package_model(const view_package *package, const md5_cube2_part *part)
{
    char *const absolute = common_absolute(part->mesh);
    char *const path = common_normalize_path(absolute);
    bool is_model = strcmp(path, package->model) == 0;
    if (!is_model && !package->reader)
        is_model = common_same_file(path, package->model);
    free(absolute);
    free(path);
    return is_model;
}

// Returns the contents of the md5.cfg file with the index `script`, or NULL if the file is invalid.
// Files are read on demand and stored in the package.
static const md5_cube2 *get_cube(view_package *package, size_t script)
{
    const md5_load_opts opts = {.files = package->reader ? *package->reader : (md5_files){0}};
    while (package->num_cubes <= script) {
        const char *const path = package->scripts.names[package->num_cubes];
        package->cubes[package->num_cubes++] = md5_load_cube2(path, NULL, &opts, NULL);
    }
    return package->cubes[script];
}

// Finds the appearance of a mesh in the contents of an md5.cfg. Returns false and leaves `look`
// unchanged if the file does not load the model or does not declare a texture of the mesh.
static bool find_in_cube(const view_package *package, const md5_cube2 *cube, const char *mesh,
                         view_look *look)
{
    for (uint32_t i = 0; i < cube->num_parts; i++) {
        const md5_cube2_part *const part = &cube->parts[i];
        if (!is_package_model(package, part))
            continue;
        view_look declared = view_cube_look(cube, part, mesh);
        if (declared.diffuse) {
            view_free_look(look);
            *look = declared;
            return true;
        }
        view_free_look(&declared);
    }
    return false;
}

// Finds the appearance of a mesh in an md5.cfg (Cube 2 engines) around the model. Returns false and
// leaves `look` unchanged if no such file declares a texture of the mesh.
static bool find_cube_look(view_package *package, const char *mesh, view_look *look)
{
    list_images(package, false);
    for (size_t i = 0; i < package->scripts.count; i++) {
        const md5_cube2 *const cube = get_cube(package, i);
        if (cube && find_in_cube(package, cube, mesh, look))
            return true;
    }
    return false;
}

// Searches the declaration of a shader, first in materials, then in .shader files. Returns false if
// none declares an image. `shader` is NULL if the mesh does not have a shader.
static bool find_shader_declaration(view_package *package, const char *shader, view_look *declared,
                                    view_look *notes, view_listener warnings)
{
    const char *const name = shader ? shader : "no shader";
    const bool is_material = shader && find_material(package, shader, declared, warnings);
    view_add_searched_name(notes, is_material, common_format("materials/*.mtr: %s", name));
    if (is_material)
        return true;
    const bool is_script = shader && find_shader(package, shader, declared, warnings);
    const bool has_image = is_script && declared->diffuse;
    view_add_searched_name(notes, has_image, common_format("scripts/*.shader: %s", name));
    return has_image;
}

// Searches the declarations of a mesh: materials, then .shader files, then md5.cfg files. The first
// declaration with an image is used. `declared` receives paths as they are in the files. `notes`
// lists the searched declarations.
static void find_declaration(view_package *package, const md5_mesh *mesh, view_look *declared,
                             view_look *notes, view_listener warnings)
{
    char *const shader = common_normalize_path(mesh->shader);
    const bool has_shader = shader[0] != '\0';
    const char *const name = has_shader ? shader + 1 : NULL; // without the first slash
    if (!find_shader_declaration(package, name, declared, notes, warnings)) {
        const bool is_in_cube = find_cube_look(package, mesh->name, declared);
        view_add_searched_name(notes, is_in_cube,
                               common_copy("md5.cfg in the model's folder and above"));
    }
    free(shader);
}

// Finds a declared image. If it does not exist, also searches the folder "dds", because id's games
// have compressed images there.
static const view_image_file *find_declared_image(view_package *package, const char *path)
{
    const view_image_file *image = find_image(package, path);
    if (!image && !common_is_absolute(path)) {
        char *const compressed = common_join("dds", path);
        image = find_image(package, compressed);
        free(compressed);
    }
    return image;
}

// Selects the color map that is declared as `diffuse`, or lists it as missing.
static void select_declared_image(view_look *look, view_package *package, const char *diffuse)
{
    const view_image_file *const image = find_declared_image(package, diffuse);
    look->is_declared = image != NULL;
    view_add_searched_name(look, look->is_declared, common_copy(diffuse));
    if (image) {
        const int score = rules[BY_DECLARATION].scores[0]; // the same for all locations
        select_image(look, &(candidate){.image = image, .by = BY_DECLARATION, .score = score});
    } else {
        common_add(&look->tried,
                   common_format("image %s not found, which the material declares", diffuse));
    }
}

// Sets the appearance that the caller has specified (search->cfg_look) or that a file declares for
// a mesh. Returns true if an image is declared, even if it does not exist. A missing image is not
// replaced by another image.
static bool select_declared(view_look *look, const named_mesh *subject, view_listener warnings)
{
    view_package *const package = subject->search->package;
    view_look found = {0};
    view_look notes = {0};
    const view_look *declared = subject->search->cfg_look;
    if (!declared) {
        find_declaration(package, subject->mesh, &found, &notes, warnings);
        declared = &found;
    }

    // Replace the paths of the declaration by the paths of existing files.
    *look = *declared;
    look->searched_locations = notes.searched_locations;
    look->diffuse = NULL;
    look->normals = find_image_path(package, declared->normals, warnings);
    look->masks = find_image_path(package, declared->masks, warnings);
    look->is_declared = false;
    if (declared->diffuse)
        select_declared_image(look, package, declared->diffuse);
    view_free_look(&found);
    return look->is_declared || look->tried.count > 0;
}

// -- Skins of the Quake re-releases --------------------------------------------------------------

// Returns the path of the .md2 file that a model of Quake II replaces, or NULL. `path` is the path
// of the model and `folder` its folder. The .md2 file has the name of the model and is in the
// parent folder. The caller frees the result.
static char *find_md2(const char *folder, const char *path)
{
    char *const parent = common_folder(folder);
    char *const stem = common_stem(path);
    char *const name = common_format("%s.md2", stem);
    char *const md2 = common_find(parent, name);
    free(parent);
    free(stem);
    free(name);
    return md2;
}

// Returns the Quake game to which a model belongs, as its folder indicates. For Quake II, *md2
// receives the path of the .md2 file that the model replaces, and the caller frees it. Otherwise
// *md2 is NULL.
static view_quake find_quake(const char *path, char **md2)
{
    char *const folder = common_folder(path);
    char *const absolute = common_absolute(folder);
    const char *const name = common_base(absolute);
    const bool is_progs = strcmp(name, "progs") == 0;
    *md2 = strcmp(name, "md5") == 0 ? find_md2(absolute, path) : NULL;
    free(folder);
    free(absolute);
    if (is_progs)
        return VIEW_QUAKE_1;
    return *md2 ? VIEW_QUAKE_2 : VIEW_QUAKE_NONE;
}

view_quake view_detect_quake_game(const char *path)
{
    char *md2;
    const view_quake quake = find_quake(path, &md2);
    free(md2);
    return quake;
}

enum { MD2_NAME_SIZE = 64 }; // bytes of a name in an .md2 file's list of skins

// Reads a name of an .md2 file's list of skins. Returns false if the file is invalid or the index
// is too large.
static bool read_md2_skin(FILE *file, uint32_t skin, char name[MD2_NAME_SIZE + 1])
{
    // The header with the byte offsets of its members. Numbers are little-endian.
    enum { HEADER_SIZE = 68, VERSION_AT = 4, NUM_SKINS_AT = 20, LIST_OFFSET_AT = 44, VERSION = 8 };
    const uint32_t max_offset = 1u << 30; // of the list; larger sums could overflow `long`
    unsigned char header[HEADER_SIZE];
    if (fread(header, 1, HEADER_SIZE, file) != HEADER_SIZE || memcmp(header, "IDP2", 4) != 0)
        return false;
    const uint32_t version = common_read_little_endian(header + VERSION_AT, 4);
    const uint32_t num_skins = common_read_little_endian(header + NUM_SKINS_AT, 4);
    const uint32_t offset = common_read_little_endian(header + LIST_OFFSET_AT, 4);
    if (version != VERSION || skin >= num_skins || offset >= max_offset)
        return false;
    if (fseek(file, (long)offset + (long)skin * MD2_NAME_SIZE, SEEK_SET) != 0)
        return false;
    return fread(name, 1, MD2_NAME_SIZE, file) == MD2_NAME_SIZE && name[0] != '\0';
}

// Returns the name of a skin in an .md2 file without folder and extension: "skin" for
// "models/monsters/x/skin.pcx". Returns NULL if the index is too large.
static char *find_md2_skin(const char *path, uint32_t skin)
{
    char name[MD2_NAME_SIZE + 1] = "";
    FILE *const file = fopen(path, "rb");
    if (!file)
        return NULL;
    const bool is_read = read_md2_skin(file, skin, name);
    fclose(file);
    return is_read ? common_stem(name) : NULL;
}

// Returns the name of one image of a skin in Quake. It is derived from the shader, the skin and the
// index of the image. Returns NULL if the mesh does not have a shader or the name is too long.
static char *derive_image_name(const named_mesh *subject, uint32_t skin, uint32_t index)
{
    char name[256];
    if (subject->path[0] == '\0')
        return NULL;
    const size_t length =
        md5_quake_image_name(common_base(subject->path), skin, index, name, sizeof name);
    return length < sizeof name ? common_copy(name) : NULL;
}

// Returns the name of image `index` of a mesh's skin, without folder and extension. Returns NULL if
// it does not exist. A skin of Quake II has only one image, and its name is in the .md2 file. The
// caller frees the result.
static char *skin_image_name(const named_mesh *subject, uint32_t skin, uint32_t index)
{
    char *md2 = NULL;
    char *name = NULL;
    const view_quake quake = find_quake(subject->search->package->model, &md2);
    if (quake == VIEW_QUAKE_1)
        name = derive_image_name(subject, skin, index);
    else if (quake == VIEW_QUAKE_2 && index == 0)
        name = find_md2_skin(md2, skin);
    free(md2);
    return name;
}

// Returns the image of a skin with this name, in the model's folder or in the folder "textures" of
// the game. Returns NULL if it does not exist.
static const view_image_file *find_skin_file(view_package *package, const char *name)
{
    char *const in_textures = common_format("/textures/%s", name);
    char *const in_folder = common_format("/%s", name);
    free(add_named_folder(package, in_textures + 1)); // lists the game's folder "textures"
    const view_image_file *found = NULL;
    for (size_t i = 0; i < package->num_images && !found; i++) {
        const view_image_file *const image = &package->images[i];
        const bool is_in_model_folder = image->location == VIEW_SAME_FOLDER;
        if (common_has_suffix(image->stem, is_in_model_folder ? in_folder : in_textures))
            found = image;
    }
    free(in_textures);
    free(in_folder);
    return found;
}

// Finds image `index` of a mesh's skin in the model's folder or in the folder "textures" of the
// game. Returns NULL if it does not exist. A skin of Quake can have up to MD5_MAX_QUAKE_IMAGES
// images, which are shown in turn.
static const view_image_file *find_skin_image(const named_mesh *subject, uint32_t skin,
                                              uint32_t index)
{
    view_package *const package = subject->search->package;
    if (package->reader) // the game is unknown, because only the model's folder is read
        return NULL;

    char *const name = skin_image_name(subject, skin, index);
    const view_image_file *const found = name ? find_skin_file(package, name) : NULL;
    free(name);
    return found;
}

// Returns the first image of the mesh's skin *skin. If it does not exist, gives a warning, sets
// *skin to 0 and returns the first image of skin 0. Returns NULL if that does not exist either.
static const view_image_file *find_first_image(const named_mesh *subject, uint32_t *skin,
                                               view_listener warnings)
{
    const uint32_t requested = *skin;
    const view_image_file *const image = find_skin_image(subject, requested, 0);
    if (image || requested == 0)
        return image;
    *skin = 0;
    const view_image_file *const fallback = find_skin_image(subject, 0, 0);
    if (fallback)
        warn(warnings, common_format("mesh \"%s\" has no skin %u; using skin 0",
                                     subject->mesh->name, requested));
    return fallback;
}

// Stores the further images of an animated skin in look->later_images. The first image is
// look->diffuse.
static void add_later_images(view_look *look, const named_mesh *subject, uint32_t skin)
{
    while (look->num_later_images < MD5_MAX_QUAKE_IMAGES - 1) {
        const uint32_t index = look->num_later_images + 1;
        const view_image_file *const next = find_skin_image(subject, skin, index);
        if (!next)
            break;
        look->later_images[look->num_later_images] = common_copy(next->path);
        look->num_later_images++;
    }
}

// Selects the images of the mesh's skin. If the skin does not exist, uses skin 0 with a warning.
// Returns false if no image exists.
static bool select_skin(view_look *look, const named_mesh *subject, view_listener warnings)
{
    uint32_t skin = subject->search->skin;
    const view_image_file *const image = find_first_image(subject, &skin, warnings);
    if (!image)
        return false;
    const int score = rules[BY_SKIN].scores[0]; // the same for all locations
    select_image(look, &(candidate){.image = image, .by = BY_SKIN, .score = score});
    add_later_images(look, subject, skin);
    return true;
}

// -- Search --------------------------------------------------------------------------------------

// Returns true if meshes of the model have different shaders or, without shaders, different names.
static bool has_several_materials(const md5_model *model)
{
    for (uint32_t i = 1; i < model->num_meshes; i++) {
        if (strcmp(mesh_identity(&model->meshes[i]), mesh_identity(&model->meshes[0])) != 0)
            return true;
    }
    return false;
}

// Returns the shader as a path with a slash before each part, without drive and extension. The
// caller frees it.
static char *shader_path(const char *shader)
{
    const bool has_drive = shader[0] != '\0' && shader[1] == ':';
    char *const stem = remove_extension(shader + (has_drive ? 2 : 0));
    char *const path = common_normalize_path(stem);
    free(stem);
    return path;
}

// Splits all names of a mesh into words: its shader, its name, and the names of the model and of
// the folder.
static void split_names(named_mesh *subject)
{
    const view_package *const package = subject->search->package;
    char *const model_stem = common_stem(package->model);
    const view_name model = view_split_name(model_stem);
    subject->shader = view_split_name(common_base(subject->path));
    subject->name = view_split_name(subject->mesh->name);
    subject->model = main_words(model, WORD_GENERIC);
    subject->folder = view_split_name(common_base(package->folder));
    char *const combined = common_format("%s%s%s%s", subject->shader.words, subject->name.words,
                                         subject->model.words, subject->folder.words);
    subject->combined = view_split_name(combined);
    free(combined);
    free(model_stem);
}

// Collects the names of a mesh and the properties that follow from them. The caller frees `path`.
static named_mesh describe_mesh(const view_look_search *search)
{
    const md5_mesh *const mesh = &search->model->meshes[search->mesh];
    named_mesh subject = {
        .search = search,
        .mesh = mesh,
        .path = shader_path(mesh->shader),
        .is_foreign = common_is_absolute(mesh->shader),
        .has_multiple_materials = has_several_materials(search->model),
    };
    split_names(&subject);

    // A mesh named after a part of a body probably has an image of its own.
    const bool has_part_name =
        has_word(&subject.shader, WORD_PART) || has_word(&subject.name, WORD_PART);
    subject.is_part =
        subject.has_multiple_materials && has_part_name && !has_word(&subject.model, WORD_PART);

    // An image that is named after the model does not belong to a mesh with an unrelated shader.
    const bool has_unrelated_shader =
        is_specific(&subject.shader) && view_name_similarity(&subject.shader, &subject.model) == 0
        && view_name_similarity(&subject.shader, &subject.folder) == 0;
    subject.is_main =
        !subject.has_multiple_materials || (!subject.is_part && !has_unrelated_shader);
    return subject;
}

// Selects one of the images that are listed in a step of the search. Returns false if none of them
// fits.
static bool search_images(view_look *look, named_mesh *subject, search_step step)
{
    list_images(subject->search->package, step == WHOLE_PACKAGE);
    return select_at_path(look, subject) || select_best(look, subject, step);
}

// Finds the appearance of a mesh. A declared appearance is used first, then a skin of Quake.
// Otherwise paths and names are compared with the images around the model. If none of them is sure,
// they are compared with all images of the package.
view_look view_find_look(const view_look_search *search, view_listener warnings)
{
    view_look look;
    named_mesh subject = describe_mesh(search);
    if (!select_declared(&look, &subject, warnings) && !select_skin(&look, &subject, warnings)) {
        free(add_named_folder(search->package, subject.path[0] != '\0' ? subject.path + 1 : ""));
        if (!search_images(&look, &subject, AROUND_MODEL))
            search_images(&look, &subject, WHOLE_PACKAGE);
    }
    free(subject.path);
    return look;
}
