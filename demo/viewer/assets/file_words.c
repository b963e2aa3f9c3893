#include "demo/viewer/assets/file_words.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct word_row {
    uint8_t kind;
    const char *words; // each between spaces
} word_rows[] = {
    {VIEW_WORD_COLOR | VIEW_WORD_GENERIC, " skin skins texture textures tex diffuse diff dif d "
                                          "color colour col albedo basecolor cc images img maps "},
    {VIEW_WORD_MAP,
     " local n nm nor norm norms normal normals nrm nrml nrmls bmp bump h height heights disp "
     "displacement parallax z s sc spec specc specular gloss glossiness roughness metallic "
     "metalness "
     "ao occlusion cavity mask masks g glo glow emit emission emissive luma add env envmap orm "},
    {VIEW_WORD_GENERIC,
     " mesh model md material materials mat default cube box cylinder sphere plane circle object "
     "obj untitled none noname unnamed null lambert phong blinn standard polysurface pcube body "
     "main base root shader surface surf geo geometry group scene lod node layer tris view par "
     "faut human male female player weapon item faked image new "},
    {VIEW_WORD_PART,
     " eye eyes eyeball eyeballs arm arms hand hands finger fingers glove gloves hair head face "
     "teeth tooth tongue mouth glass lens visor muzzle cornea lash lashes eyelash eyelashes brow "
     "brows tail wing wings horn horns claw claws strap screen display flash laser bullet shell "
     "clip scope health "},
    {VIEW_WORD_OTHER,
     " gfx ui guis interface flash muzzle muzzleflash icon icons thumb thumbs thumbnail thumbnails "
     "preview previews "
     "levelshot levelshots screenshot screenshots lightmap lightmaps lm hud crosshair crosshairs "
     "logo gui menu particle particles smoke spark sparks decal decals shadow sprite sprites "
     "placeholder missing notexture checker checkerboard loading splash font sky skybox explosion "
     "default mini portrait avatar render wireframe uv uvs uvmap uvlayout uvw template concept "
     "reference "},
    {VIEW_WORD_VARIANT,
     " red blue green yellow black white orange purple cyan magenta grey gray brown pink on off "},
};

// Copies the next word with the spaces around it, and moves past it. False at the end.
static bool next_word(const char **at, view_name *word)
{
    const size_t size = **at != '\0' ? strcspn(*at + 1, " ") : 0;
    memcpy(word->words, *at, size + 2);
    word->words[size > 0 ? size + 2 : 0] = '\0';
    *at += size + 1;
    return size > 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static uint8_t kind_of(const view_name *word)
{
    uint8_t kind = is_digit(word->words[1]) ? VIEW_WORD_VARIANT : 0;
    for (size_t i = 0; i < sizeof word_rows / sizeof word_rows[0]; i++)
        kind |= strstr(word_rows[i].words, word->words) != NULL ? word_rows[i].kind : 0;
    return kind;
}

view_name view_split_name(const char *name)
{
    enum { BETWEEN, DIGIT, LOWER, UPPER } last = BETWEEN, now = BETWEEN;
    view_name split = {" "};
    char *const to = split.words;
    size_t used = 1;
    for (const char *c = name; *c != '\0' && used + 3 < sizeof split.words; c++, last = now) {
        const bool is_upper = *c >= 'A' && *c <= 'Z';
        const bool is_lower = (*c >= 'a' && *c <= 'z') || (unsigned char)*c >= 0x80;
        now = is_digit(*c) ? DIGIT : is_upper ? UPPER : is_lower ? LOWER : BETWEEN;
        const bool goes_on = now == last || (last == UPPER && now == LOWER && to[used - 2] == ' ');
        if (!goes_on && to[used - 1] != ' ')
            to[used++] = ' ';
        // Zeros before a number are left out.
        if (now != BETWEEN && !(*c == '0' && to[used - 1] == ' ' && is_digit(c[1])))
            to[used++] = is_upper ? (char)(*c - 'A' + 'a') : *c;
    }
    if (to[used - 1] != ' ')
        to[used] = ' ';
    return split;
}

view_name view_main_words(view_name name, uint8_t kinds)
{
    const view_name kept = view_drop_words(name, kinds);
    return kept.words[1] != '\0' ? kept : name;
}

bool view_has_word(const view_name *name, uint8_t kinds)
{
    return strcmp(view_drop_words(*name, kinds).words, name->words) != 0;
}

bool view_is_all(const view_name *name, uint8_t kinds)
{
    return name->words[1] != '\0' && view_drop_words(*name, kinds).words[1] == '\0';
}

bool view_is_specific(const view_name *name)
{
    const uint8_t vague = VIEW_WORD_GENERIC | VIEW_WORD_PART | VIEW_WORD_VARIANT;
    return strlen(view_drop_words(*name, vague).words) >= 3 + 2;
}

view_name view_drop_words(view_name name, uint8_t kinds)
{
    view_name kept = {" "}, word;
    size_t used = 1;
    for (const char *at = name.words; next_word(&at, &word);)
        if ((kind_of(&word) & kinds) == 0) {
            const size_t size = strlen(word.words) - 1;
            memcpy(kept.words + used, word.words + 1, size);
            used += size;
        }
    return kept;
}

// The last word but for those of variants and single letters that mean nothing: "n" of "wall_n2".
static view_name last_word(const view_name *name)
{
    view_name last = {" "}, word;
    for (const char *at = name->words; next_word(&at, &word);) {
        const uint8_t kind = kind_of(&word);
        if ((kind & VIEW_WORD_VARIANT) == 0 && (kind != 0 || strlen(word.words) > 1 + 2))
            last = word;
    }
    return last;
}

static bool has_number(const view_name *name)
{
    return strpbrk(name->words, "0123456789") != NULL;
}

uint32_t view_share_in(const view_name *a, const view_name *b)
{
    uint32_t shared = 0, all = 0;
    view_name word;
    for (const char *at = a->words; next_word(&at, &word);) {
        const uint32_t size = (uint32_t)strlen(word.words) - 2;
        const uint32_t weight = (kind_of(&word) & VIEW_WORD_VARIANT) != 0 ? 1 : size;
        bool is_in = strstr(b->words, word.words) != NULL;
        if (!is_in && is_digit(word.words[1]) && has_number(b))
            return 0;
        word.words[size + 1] = '\0';
        is_in = is_in || (size >= 4 && strstr(b->words, word.words + 1) != NULL);
        shared += is_in ? weight : 0;
        all += weight;
    }
    return all > 0 ? 100 * shared / all : 0;
}

// -- Names of files -------------------------------------------------------------------------

const char *const *view_image_endings(void)
{
    static const char *const endings[] = {".tga", ".png", ".jpg", ".jpeg", ".dds", NULL};
    return endings;
}

bool view_is_image(const char *path)
{
    const char *const *ending = view_image_endings();
    while (*ending != NULL && !common_has_ending(path, *ending))
        ending++;
    return *ending != NULL;
}

char *view_without_ending(const char *path)
{
    char *const stem = common_copy(path);
    for (const char *const *ending = view_image_endings(); *ending != NULL; ending++)
        if (common_has_ending(stem, *ending))
            stem[strlen(stem) - strlen(*ending)] = '\0';
    return stem;
}

view_name view_split_stem(const char *path)
{
    char *const stem = view_without_ending(common_base(path));
    const view_name name = view_split_name(stem);
    free(stem);
    return name;
}

bool view_is_same(const view_name *a, const view_name *b, uint8_t kinds)
{
    const view_name x = view_main_words(*a, kinds), y = view_main_words(*b, kinds);
    return strcmp(x.words, y.words) == 0;
}

static bool is_in_same_folder(const char *a, const char *b)
{
    const size_t length = (size_t)(common_base(a) - a);
    return length == (size_t)(common_base(b) - b) && strncmp(a, b, length) == 0;
}

bool view_is_same_image(const char *a, const char *b, bool variants)
{
    view_name x = view_split_stem(a), y = view_split_stem(b);
    if (variants) {
        x = view_main_words(x, VIEW_WORD_VARIANT);
        y = view_main_words(y, VIEW_WORD_VARIANT);
    }
    return is_in_same_folder(a, b) && view_is_same(&x, &y, VIEW_WORD_COLOR);
}

bool view_ends_in(const char *path, const char *end)
{
    const view_name name = view_split_name(common_base(path));
    const view_name last = view_split_name(common_base(end));
    char *const folder = common_folder(path), *const inner = common_folder(end);
    const bool is_it = common_has_ending(path, end)
                       || (view_is_same(&name, &last, VIEW_WORD_COLOR)
                           && common_has_ending(folder, inner[1] != '\0' ? inner : ""));
    free(folder);
    free(inner);
    return is_it;
}

// -- Maps of images -------------------------------------------------------------------------

enum { MAX_TAILS = 12 };

// The last words of their names; the first one is id's, and NULL ends a row.
static const char *const tails[VIEW_NUM_MAPS][MAX_TAILS] = {
    [VIEW_MAP_NORMALS] = {"local", "n", "nor", "norm", "normal", "normals", "nrm", "bmp", "nm",
                          "nrml", "nrmls"},
    [VIEW_MAP_HEIGHT] = {"h", "height", "bump"},
    [VIEW_MAP_SPECULAR] = {"s", "spec", "specular", "gloss", "specc", "sc"},
    [VIEW_MAP_GLOW] = {"add", "glow", "emit", "luma", "glo"},
};

bool view_is_other_map(const char *path)
{
    const view_name name = view_split_stem(path), last = last_word(&name);
    const bool is_letter = strlen(last.words) == 1 + 2;
    return view_has_word(&last, VIEW_WORD_MAP)
           && !(is_letter && strcmp(last.words, name.words) == 0);
}

const char *view_map_name(view_map map)
{
    static const char *const names[VIEW_NUM_MAPS] = {"texture", "normal map", "height map",
                                                     "specular map", "glow map"};
    return names[map];
}

// Whether a file is the map of an image with that word: of the same name, or both are called after
// their purpose alone: "skin.png" and "normals.png".
static bool is_map_of(const view_name *image, const char *path, const char *word)
{
    const view_name name = view_split_stem(path), last = last_word(&name);
    const size_t length = strlen(last.words) - 2;
    return length == strlen(word) && strncmp(last.words + 1, word, length) == 0
           && (view_is_same(image, &name, VIEW_WORD_COLOR | VIEW_WORD_MAP)
               || (view_is_all(image, VIEW_WORD_COLOR) && view_is_all(&name, VIEW_WORD_MAP)));
}

const char *view_find_map(const common_list *files, const char *diffuse, view_map map)
{
    const char *best = NULL;
    const char *const *const endings = view_image_endings();
    const view_name image = view_split_stem(diffuse);
    for (int t = 0; t < MAX_TAILS && tails[map][t] != NULL && best == NULL; t++)
        for (size_t e = 0; endings[e] != NULL && best == NULL; e++)
            for (size_t f = 0; f < files->count && best == NULL; f++)
                if (common_has_ending(files->names[f], endings[e])
                    && is_map_of(&image, files->names[f], tails[map][t]))
                    best = files->names[f];
    return best;
}
