#include "demo/viewer/scene/file_words.h"

#include <stddef.h>
#include <string.h>

static const struct word_row {
    uint8_t kind;
    const char *words; // each between spaces
} word_rows[] = {
    {VIEW_WORD_COLOR | VIEW_WORD_GENERIC,
     " skin skins texture textures tex diffuse diff dif d color colour col albedo basecolor cc "},
    {VIEW_WORD_MAP,
     " local n nm nor norm norms normal normals nrm nrml nrmls bmp bump h height heights disp "
     "displacement parallax z s sc spec specc specular gloss glossiness roughness metallic metalness "
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
     " gfx ui guis interface flash muzzle muzzleflash icon icons thumb thumbs thumbnail thumbnails preview previews "
     "levelshot levelshots screenshot screenshots lightmap lightmaps lm hud crosshair crosshairs "
     "logo gui menu particle particles smoke spark sparks decal decals shadow sprite sprites "
     "placeholder missing notexture checker checkerboard loading splash font sky skybox explosion "
     "default mini portrait avatar render wireframe uv uvs uvmap uvlayout uvw template concept "
     "reference "},
    {VIEW_WORD_VARIANT,
     " red blue green yellow black white orange purple cyan magenta grey gray brown pink on off "},
};

static uint8_t kind_of(const char *word, size_t size)
{
    char padded[VIEW_NAME_SIZE + 3] = " ";
    uint8_t kind = 0;
    if (word[0] >= '0' && word[0] <= '9')
        return VIEW_WORD_GENERIC | VIEW_WORD_VARIANT;
    memcpy(padded + 1, word, size);
    padded[size + 1] = ' ';
    padded[size + 2] = '\0';
    for (size_t i = 0; i < sizeof word_rows / sizeof word_rows[0]; i++)
        if (strstr(word_rows[i].words, padded) != NULL)
            kind |= word_rows[i].kind;
    return kind;
}

// Classes of bytes: 0 = between words, those above ASCII are letters.
enum { BETWEEN, DIGIT, LOWER, UPPER };

static int class_of(char c)
{
    if (c >= '0' && c <= '9')
        return DIGIT;
    if (c >= 'A' && c <= 'Z')
        return UPPER;
    return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80 ? LOWER : BETWEEN;
}

// A word goes on within a class, and from its first capital to small letters.
static bool goes_on(const char *at, size_t length)
{
    const int last = class_of(at[length - 1]), next = class_of(at[length]);
    return next == last || (last == UPPER && next == LOWER && length == 1);
}

static void add_word(view_name *name, const char *word, size_t size, size_t *used)
{
    while (size > 1 && word[0] == '0') {
        word++;
        size--;
    }
    if (name->count == VIEW_NAME_WORDS || *used + size >= VIEW_NAME_SIZE)
        return;
    char *const to = name->text + *used;
    for (size_t i = 0; i < size; i++)
        to[i] = (char)(class_of(word[i]) == UPPER ? word[i] - 'A' + 'a' : word[i]);
    name->begin[name->count] = (uint8_t)*used;
    name->size[name->count] = (uint8_t)size;
    name->kind[name->count++] = kind_of(to, size);
    *used += size;
}

view_name view_split_name(const char *name)
{
    view_name split = {.count = 0};
    size_t used = 0;
    while (*name != '\0') {
        size_t length = 1;
        if (class_of(*name) == BETWEEN) {
            name++;
            continue;
        }
        while (goes_on(name, length))
            length++;
        add_word(&split, name, length, &used);
        name += length;
    }
    return split;
}

uint8_t view_kind_of_all(const view_name *name)
{
    uint8_t kind = name->count > 0 ? UINT8_MAX : 0;
    for (uint32_t i = 0; i < name->count; i++)
        kind &= name->kind[i];
    return kind;
}

uint8_t view_kind_of_any(const view_name *name)
{
    uint8_t kind = 0;
    for (uint32_t i = 0; i < name->count; i++)
        kind |= name->kind[i];
    return kind;
}

void view_drop_words(view_name *name, uint8_t kinds)
{
    view_name kept = {.count = 0};
    size_t used = 0;
    for (uint32_t i = 0; i < name->count; i++)
        if ((name->kind[i] & kinds) == 0)
            add_word(&kept, name->text + name->begin[i], name->size[i], &used);
    if (kept.count > 0)
        *name = kept;
}

static bool is_same_word(const view_name *a, uint32_t i, const view_name *b, uint32_t j)
{
    return a->size[i] == b->size[j]
           && memcmp(a->text + a->begin[i], b->text + b->begin[j], a->size[i]) == 0;
}

bool view_same_words(const view_name *a, const view_name *b, uint8_t kinds)
{
    uint32_t i = 0, j = 0;
    for (;; i++, j++) {
        while (i < a->count && (a->kind[i] & kinds) != 0)
            i++;
        while (j < b->count && (b->kind[j] & kinds) != 0)
            j++;
        if (i == a->count || j == b->count)
            return i == a->count && j == b->count;
        if (!is_same_word(a, i, b, j))
            return false;
    }
}

uint32_t view_specific_letters(const view_name *name)
{
    uint32_t letters = 0;
    for (uint32_t i = 0; i < name->count; i++)
        if ((name->kind[i] & (VIEW_WORD_GENERIC | VIEW_WORD_PART)) == 0)
            letters += name->size[i];
    return letters;
}

// Numbers say less than words of their length.
static uint32_t weight_of(const view_name *name, uint32_t word)
{
    return (name->kind[word] & VIEW_WORD_VARIANT) != 0 ? 1 : name->size[word];
}

// Words of four letters and more are also found within others: "squirrel" in "flyingsquirrel".
static bool has_word(const view_name *name, const view_name *of, uint32_t word)
{
    enum { LONG = 4 };
    char text[VIEW_NAME_SIZE] = "";
    memcpy(text, of->text + of->begin[word], of->size[word]);
    if (of->size[word] >= LONG && strstr(name->text, text) != NULL)
        return true;
    for (uint32_t i = 0; i < name->count; i++)
        if (is_same_word(of, word, name, i))
            return true;
    return false;
}

static void count_letters(const view_name *name, const view_name *other, uint32_t *shared,
                          uint32_t *all)
{
    for (uint32_t i = 0; i < name->count; i++) {
        *shared += has_word(other, name, i) ? weight_of(name, i) : 0;
        *all += weight_of(name, i);
    }
}

uint32_t view_share_in(const view_name *name, const view_name *other)
{
    uint32_t shared = 0, all = 0;
    if (name->count > 0 && strcmp(name->text, other->text) == 0)
        return 100;
    count_letters(name, other, &shared, &all);
    return all > 0 ? 100 * shared / all : 0;
}

uint32_t view_likeness(const view_name *a, const view_name *b)
{
    uint32_t shared = 0, all = 0;
    if (a->count > 0 && strcmp(a->text, b->text) == 0)
        return 100;
    count_letters(a, b, &shared, &all);
    count_letters(b, a, &shared, &all);
    return all > 0 ? 100 * shared / all : 0;
}

static bool is_number(const view_name *name, uint32_t word)
{
    const char first = name->text[name->begin[word]];
    return first >= '0' && first <= '9';
}

bool view_numbers_differ(const view_name *a, const view_name *b)
{
    bool any = false, all_found = true;
    for (uint32_t i = 0; i < b->count; i++)
        any = any || is_number(b, i);
    for (uint32_t i = 0; i < a->count; i++)
        all_found = all_found && (!is_number(a, i) || has_word(b, a, i));
    return any && !all_found;
}

void view_append_words(view_name *name, const view_name *more)
{
    size_t used = strlen(name->text);
    for (uint32_t i = 0; i < more->count; i++)
        add_word(name, more->text + more->begin[i], more->size[i], &used);
}
