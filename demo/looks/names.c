// Splits names of files, meshes and shaders into words, and finds the meaning of words.
#include "demo/looks/names.h"

#include "demo/common/memory.h"

#include <ctype.h>

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
view_name view_remove_words(view_name name, uint8_t kinds)
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
view_name view_main_words(view_name name, uint8_t kinds)
{
    const view_name result = view_remove_words(name, kinds);
    return result.words[1] != '\0' ? result : name;
}

// Returns true if the name contains a word of these kinds.
bool view_has_word(const view_name *name, uint8_t kinds)
{
    return strcmp(view_remove_words(*name, kinds).words, name->words) != 0;
}

// Returns true if a name is not empty and all its words are of these kinds.
bool view_has_only_words(const view_name *name, uint8_t kinds)
{
    return name->words[1] != '\0' && view_remove_words(*name, kinds).words[1] == '\0';
}

// Returns true if a name probably belongs to one model only. Such a name has at least three letters
// in words that are neither generic nor parts nor variants.
bool view_is_specific_name(const view_name *name)
{
    enum { MIN_LETTERS = 3 };
    const uint8_t vague = WORD_GENERIC | WORD_PART | WORD_VARIANT;
    return strlen(view_remove_words(*name, vague).words) >= MIN_LETTERS + NUM_SPACES;
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
char *view_remove_extension(const char *path)
{
    char *const stem = common_copy(path);
    for (const char *const *extension = md5gl_image_extensions(); *extension; extension++) {
        if (common_has_suffix(stem, *extension))
            stem[strlen(stem) - strlen(*extension)] = '\0';
    }
    return stem;
}

// Returns the words of a path's last part, without the extension.
view_name view_split_stem(const char *path)
{
    char *const stem = view_remove_extension(common_base(path));
    const view_name name = view_split_name(stem);
    free(stem);
    return name;
}

// Returns true if two names are equal after the words of some kinds are removed.
bool view_is_same_name(const view_name *a, const view_name *b, uint8_t kinds)
{
    const view_name x = view_main_words(*a, kinds);
    const view_name y = view_main_words(*b, kinds);
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
bool view_is_same_image(const view_image_file *a, const view_image_file *b, bool ignores_variants)
{
    const view_name x = ignores_variants ? view_main_words(a->name, WORD_VARIANT) : a->name;
    const view_name y = ignores_variants ? view_main_words(b->name, WORD_VARIANT) : b->name;
    return is_in_same_folder(a->path, b->path) && view_is_same_name(&x, &y, WORD_COLOR);
}

// Returns true if a path without extension ends with the path `end`, which begins with a slash. The
// last part of `path` may have additional words of color maps. For example, "a/models/imp_skin"
// ends with "/models/imp".
bool view_ends_with_path(const char *path, const char *end)
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
    return is_in_folder && view_is_same_name(&name, &last, WORD_COLOR);
}

// -- Maps of images -------------------------------------------------------------------------

// Returns true if the last word of a name is the keyword of a map other than the color map. A
// single letter counts only after other words. For example, "imp_n" is a normal map, but "n" is
// not.
bool view_is_non_color_map(const view_name *name)
{
    const view_name last = last_word(name);
    const bool is_letter = strlen(last.words) == 1 + 2;
    return view_has_word(&last, WORD_MAP) && !(is_letter && strcmp(last.words, name->words) == 0);
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
    const view_name name = view_split_stem(path);
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
    if (view_is_same_name(image, name, WORD_COLOR | WORD_MAP))
        return true;
    return view_has_only_words(image, WORD_COLOR) && view_has_only_words(name, WORD_MAP);
}

// Returns the first file that is a map of `image` and has this suffix and extension, or NULL.
static const char *find_with_suffix(const common_list *files, const view_name *image,
                                    const view_name *suffix, const char *extension)
{
    for (size_t i = 0; i < files->count; i++) {
        if (!common_has_suffix(files->names[i], extension))
            continue;
        const view_name name = view_split_stem(files->names[i]);
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
    const view_name diffuse_name = view_split_stem(diffuse);
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
