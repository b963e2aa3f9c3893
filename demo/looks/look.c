// How a mesh looks: by what files declare of it, by Quake's rules, or by the names of images.
#include "demo/looks/look.h"

#include "demo/common/memory.h"
#include "demo/common/system.h"
#include "demo/looks/image.h"

#include <ctype.h>

// == Names ========================================================================================
//
// What the words of names of files, meshes and shaders say, and which names mean the same.

// What a word says about a name that it is in.
enum {
    WORD_COLOR = 1,    // "skin", "diffuse": the name is that of a colour map
    WORD_MAP = 2,      // "normal", "spec": it is that of another map
    WORD_GENERIC = 4,  // "mesh", "default": it says nothing
    WORD_PART = 8,     // "eye", "hands": a part that usually has an image of its own
    WORD_OTHER = 16,   // "icon", "flash": the image is on no model
    WORD_VARIANT = 32, // "red", "off", numbers: one of several that are alike
};

static const struct word_row {
    uint8_t kind;
    const char *words; // each between spaces
} word_rows[] = {
    {WORD_MAP, // and md5gl_texture_keywords()
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

// Copies the next word with the spaces around it, and moves past it. False at the end.
static bool next_word(const char **rest, view_name *word)
{
    const size_t size = **rest != '\0' ? strcspn(*rest + 1, " ") : 0;
    memcpy(word->words, *rest, size + 2);
    word->words[size > 0 ? size + 2 : 0] = '\0';
    *rest += size + 1;
    return size > 0;
}

static uint8_t kind_of(const view_name *word)
{
    uint8_t kind = isdigit((unsigned char)word->words[1]) ? WORD_VARIANT : 0;
    for (int map = 0; map < MD5GL_NUM_IMAGE_KINDS; map++)
        if (strstr(md5gl_texture_keywords((md5gl_image_kind)map), word->words) != NULL)
            kind |= map == MD5GL_IMAGE_DIFFUSE ? WORD_COLOR | WORD_GENERIC : WORD_MAP;
    for (size_t i = 0; i < COMMON_LENGTH(word_rows); i++)
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
        now = isdigit((unsigned char)*c) ? DIGIT : is_upper ? UPPER : is_lower ? LOWER : BETWEEN;
        const bool goes_on = now == last || (last == UPPER && now == LOWER && to[used - 2] == ' ');
        if (!goes_on && to[used - 1] != ' ')
            to[used++] = ' ';
        // Zeros before a number are left out.
        if (now != BETWEEN && !(*c == '0' && to[used - 1] == ' ' && isdigit((unsigned char)c[1])))
            to[used++] = is_upper ? (char)(*c - 'A' + 'a') : *c;
    }
    if (to[used - 1] != ' ')
        to[used] = ' ';
    return split;
}

// The name without words of these kinds.
static view_name drop_words(view_name name, uint8_t kinds)
{
    view_name result = {" "};
    view_name word;
    size_t used = 1;
    for (const char *rest = name.words; next_word(&rest, &word);)
        if ((kind_of(&word) & kinds) == 0) {
            const size_t size = strlen(word.words) - 1;
            memcpy(result.words + used, word.words + 1, size);
            used += size;
        }
    return result;
}

// The same, or the name itself if no others are left.
static view_name main_words(view_name name, uint8_t kinds)
{
    const view_name result = drop_words(name, kinds);
    return result.words[1] != '\0' ? result : name;
}

// Whether the name has a word of these kinds.
static bool has_word(const view_name *name, uint8_t kinds)
{
    return strcmp(drop_words(*name, kinds).words, name->words) != 0;
}

// Whether it has such only.
static bool is_all(const view_name *name, uint8_t kinds)
{
    return name->words[1] != '\0' && drop_words(*name, kinds).words[1] == '\0';
}

// Whether three letters are in others than generic words, parts and variants.
static bool is_specific(const view_name *name)
{
    const uint8_t vague = WORD_GENERIC | WORD_PART | WORD_VARIANT;
    return strlen(drop_words(*name, vague).words) >= 3 + 2;
}

// The last word but for those of variants and single letters that mean nothing: "n" of "wall_n2".
static view_name last_word(const view_name *name)
{
    view_name last = {" "};
    view_name word;
    for (const char *rest = name->words; next_word(&rest, &word);) {
        const uint8_t kind = kind_of(&word);
        if ((kind & WORD_VARIANT) == 0 && (kind != 0 || strlen(word.words) > 1 + 2))
            last = word;
    }
    return last;
}

uint32_t view_share_in(const view_name *a, const view_name *b)
{
    uint32_t shared = 0;
    uint32_t all = 0;
    view_name word;
    for (const char *rest = a->words; next_word(&rest, &word);) {
        const uint32_t size = (uint32_t)strlen(word.words) - 2;
        const uint32_t weight = (kind_of(&word) & WORD_VARIANT) != 0 ? 1 : size;
        bool is_in = strstr(b->words, word.words) != NULL;
        if (!is_in && isdigit((unsigned char)word.words[1])
            && strpbrk(b->words, "0123456789") != NULL)
            return 0;
        word.words[size + 1] = '\0';
        is_in = is_in || (size >= 4 && strstr(b->words, word.words + 1) != NULL);
        shared += is_in ? weight : 0;
        all += weight;
    }
    return all > 0 ? 100 * shared / all : 0;
}

// -- Names of files -------------------------------------------------------------------------

bool view_is_image(const char *path)
{
    const char *const *ending = md5gl_image_extensions();
    while (*ending && !common_has_ending(path, *ending))
        ending++;
    return *ending != NULL;
}

// A copy of a path without the extension of an image, and the words of its last part.
static char *without_ending(const char *path)
{
    char *const stem = common_copy(path);
    for (const char *const *ending = md5gl_image_extensions(); *ending != NULL; ending++)
        if (common_has_ending(stem, *ending))
            stem[strlen(stem) - strlen(*ending)] = '\0';
    return stem;
}

static view_name split_stem(const char *path)
{
    char *const stem = without_ending(common_base(path));
    const view_name name = view_split_name(stem);
    free(stem);
    return name;
}

// Whether two names are the same but for words of these kinds.
static bool is_same(const view_name *a, const view_name *b, uint8_t kinds)
{
    const view_name x = main_words(*a, kinds);
    const view_name y = main_words(*b, kinds);
    return strcmp(x.words, y.words) == 0;
}

// Whether two images lie in one folder, and their names are the same but for words of colour maps
// and, with `variants`, of variants.
static bool is_same_image(const view_image_file *a, const view_image_file *b, bool variants)
{
    const view_name x = variants ? main_words(a->name, WORD_VARIANT) : a->name;
    const view_name y = variants ? main_words(b->name, WORD_VARIANT) : b->name;
    const size_t length = (size_t)(common_base(a->path) - a->path);
    return length == (size_t)(common_base(b->path) - b->path)
           && strncmp(a->path, b->path, length) == 0 && is_same(&x, &y, WORD_COLOR);
}

// Whether a path without extension ends in another, which begins with a slash; words of colour maps
// may follow.
static bool ends_in(const char *path, const char *end)
{
    const view_name name = view_split_name(common_base(path));
    const view_name last = view_split_name(common_base(end));
    char *const folder = common_folder(path);
    char *const inner = common_folder(end);
    const bool is_it = common_has_ending(path, end)
                       || (is_same(&name, &last, WORD_COLOR)
                           && common_has_ending(folder, inner[1] != '\0' ? inner : ""));
    free(folder);
    free(inner);
    return is_it;
}

// -- Maps of images -------------------------------------------------------------------------

bool view_is_other_map(const view_name *name)
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

md5gl_image_kind view_map_of(const char *path)
{
    const view_name name = split_stem(path);
    const view_name last = last_word(&name);
    for (md5gl_image_kind map = MD5GL_NUM_IMAGE_KINDS; --map > MD5GL_IMAGE_DIFFUSE;)
        if (last.words[0] != '\0' && last.words[1] != '\0'
            && strstr(md5gl_texture_keywords(map), last.words) != NULL)
            return map == MD5GL_IMAGE_HEIGHTS ? MD5GL_IMAGE_NORMALS : map;
    return MD5GL_IMAGE_DIFFUSE;
}

const char *view_find_map(const common_list *files, const char *diffuse, md5gl_image_kind map)
{
    const view_name image = split_stem(diffuse);
    const char *best = NULL;
    view_name tail;
    for (const char *rest = md5gl_texture_keywords(map); !best && next_word(&rest, &tail);)
        for (const char *const *end = md5gl_image_extensions(); *end != NULL && !best; end++)
            for (size_t f = 0; f < files->count && best == NULL; f++) {
                if (!common_has_ending(files->names[f], *end))
                    continue;
                // Of the same name, or both are called after their purpose alone: "skin.png" and
                // "normals.png".
                const view_name name = split_stem(files->names[f]);
                const view_name last = last_word(&name);
                if (strcmp(last.words, tail.words) == 0
                    && (is_same(&image, &name, WORD_COLOR | WORD_MAP)
                        || (is_all(&image, WORD_COLOR) && is_all(&name, WORD_MAP))))
                    best = files->names[f];
            }
    return best;
}

const md5_image_program *view_material_image(const md5_material *material, md5gl_image_kind map)
{
    const md5_stage_light light = map == MD5GL_IMAGE_NORMALS    ? MD5_STAGE_BUMP
                                  : map == MD5GL_IMAGE_SPECULAR ? MD5_STAGE_SPECULAR
                                                                : MD5_STAGE_DIFFUSE;
    const md5_image_program *any = NULL;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (stage->image.text[0] == '\0')
            continue;
        if (stage->light == light)
            return &stage->image;
        if (!any && map == MD5GL_IMAGE_DIFFUSE && stage->light == MD5_STAGE_AMBIENT)
            any = &stage->image;
    }
    return any;
}

// Passes on a text, which it frees.
static void warn(view_listener warnings, char *text)
{
    warnings.warn(warnings.user, text);
    free(text);
}

// == Looks ========================================================================================

char *view_copy_file(md5_files files, const char *path, size_t *size, md5_error *error)
{
    const void *const bytes = files.open(files.user, path, size, error);
    if (!bytes)
        return NULL;
    char *const copy = memcpy(common_alloc(*size + 1, 1), bytes, *size);
    files.close(files.user, bytes, *size);
    return copy;
}

bool view_is_mesh(const md5_model *model, uint32_t number, const char *text, size_t length)
{
    char digits[16];
    const char *const names[] = {model->meshes[number].name, model->meshes[number].shader, digits};
    COMMON_TEXT(digits, "%u", number);
    for (size_t i = 0; i < COMMON_LENGTH(names); i++)
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
            return true;
    return false;
}

void view_free_look(view_look *look)
{
    free(look->diffuse);
    free(look->normals);
    free(look->masks);
    free(look->why);
    for (uint32_t i = 0; i < look->num_turns; i++)
        free(look->turns[i]);
    common_free_list(&look->tried);
    common_free_list(&look->looked);
    *look = (view_look){0};
}

// NOLINTNEXTLINE(readability-non-const-parameter): it is freed
void view_note_looked(view_look *look, bool is_found, char *text)
{
    common_add(&look->looked, common_format("%c%s", is_found ? '+' : '-', text));
    free(text);
}

// -- What an md5.cfg says ---------------------------------------------------------------------

// The last value that a line sets for the whole model, or `fallback`.
static float setting_of(const md5_cube2 *cube, const char *word, float fallback)
{
    for (uint32_t i = cube->num_settings; i-- > 0;) {
        const md5_cube2_setting *const setting = &cube->settings[i];
        if (strcmp(setting->keyword, word) == 0 && setting->num_values > 0)
            return strtof(setting->values[0], NULL);
    }
    return fallback;
}

// What a mesh sets, else the model, else the engines; as a share of `whole`, 0 to 1.
static float share_of(const md5_cube2 *cube, float own, const char *word, float usual, float whole)
{
    const float value = own >= 0 ? own : setting_of(cube, word, usual);
    return value > 0 ? (value < whole ? value / whole : 1) : 0;
}

// Highlights are 100 % unless a line says otherwise, and glow is 300 % in the engines, where light
// may exceed 1; here that is the color of the texture. The renderer does not blend: what would be
// blended is cut out. Without either all is opaque but what is wholly transparent.
view_look view_cube_look(const md5_cube2 *cube, const md5_cube2_part *part, const char *mesh)
{
    const float NEXT_TO_NONE = 1e-6f;
    md5_cube2_material skin;
    md5_build_cube2_material(part, mesh, &skin);
    const float test =
        skin.alpha_test >= 0 ? skin.alpha_test : setting_of(cube, "mdlalphatest", -1);
    const float blend = skin.alpha_blend != MD5_CUBE2_UNSET ? (skin.alpha_blend == MD5_CUBE2_ON)
                                                            : setting_of(cube, "mdlalphablend", 1);
    return (view_look){
        .diffuse = common_copy(skin.texture.path),
        .normals = common_copy(skin.normal_map.path),
        .masks = common_copy(skin.masks.path),
        .specular = share_of(cube, skin.specular, "mdlspec", 100, 100),
        .glow = share_of(cube, skin.glow, "mdlglow", 300, 300),
        .alpha_test = test == 0 && blend == 0 ? NEXT_TO_NONE
                      : test > 0 && test < 1  ? test
                                              : 0,
        .two_sided = skin.cull_face == MD5_CUBE2_OFF,
    };
}

// -- What lies around a model --------------------------------------------------------------------

// Limits of the search, since a model may be in a home folder with many files.
enum {
    MAX_PICTURES = 20000,
    MAX_FOLDERS = 4000, // of the package
    MAX_NEAR = 200,     // around the model
    MAX_MODELS = 1000,
};

static bool has_folder(const char *folder, const char *name)
{
    char *const path = common_join(folder, name);
    const bool is_there = common_is_folder(path);
    free(path);
    return is_there;
}

// System folders, which are never the root of a game.
static bool is_top(const char *absolute)
{
    const char *const second = *absolute != '\0' ? strchr(absolute + 1, '/') : NULL;
    return !second || second[1] == '\0';
}

// Whether a folder looks like that of a game or a mod.
static bool is_package(const char *folder)
{
    static const char *const folders[] = {"materials", "def",     "skins", "textures",
                                          "progs",     "scripts", "data"};
    common_list archives = common_list_folder(folder, ".pk4");
    bool is_it = archives.count > 0;
    common_free_list(&archives);
    for (size_t i = 0; i < COMMON_LENGTH(folders); i++)
        is_it = is_it || has_folder(folder, folders[i]);
    return is_it;
}

view_package *view_open_package(const char *model_path, const md5_files *reader)
{
    view_package *const package = common_alloc(1, sizeof *package);
    char *const absolute = common_absolute(model_path);
    package->model = common_clean(absolute);
    package->folder = common_folder(package->model);
    package->reader = reader;
    free(absolute);
    if (reader)
        return package;
    // The nearest folder above with a folder of models that this one is in.
    char *const around = common_folder(package->folder);
    char *here = common_copy(package->folder);
    while (!is_top(here) && !package->end) {
        const char *const name = common_base(here);
        char *const above = common_folder(here);
        if (!is_top(above)
            && (common_compare_case(name, "models") == 0
                || common_compare_case(name, "progs") == 0))
            package->end = common_copy(above);
        free(here);
        here = above;
    }
    free(here);
    if (package->end && is_package(package->end))
        package->root = common_copy(package->end);
    else if (!is_top(package->folder) && is_package(package->folder))
        package->root = common_copy(package->folder);
    if (!is_top(around) && (!package->root || common_is_in(around, package->root)))
        package->around = common_copy(around);
    if (!package->end)
        package->end = common_copy(package->around ? around : package->folder);
    free(around);
    return package;
}

void view_close_package(view_package *package)
{
    if (!package)
        return;
    for (size_t i = 0; i < package->num_cubes; i++)
        md5_free_cube2(package->cubes[i]);
    for (size_t i = 0; i < package->num_pictures; i++) {
        free(package->pictures[i].path);
        free(package->pictures[i].stem);
    }
    free(package->pictures);
    free(package->models);
    common_free_list(&package->scripts);
    md5_destroy_game(package->game);
    common_free_list(&package->declaring);
    common_free_game_places(&package->places);
    free(package->model);
    free(package->folder);
    free(package->around);
    free(package->end);
    free(package->root);
    free(package);
}

// Files of declarations beside a model that is read by a reader: a search path of a game.
static const char *declaring_name(void *user, size_t file)
{
    const view_package *const package = user;
    return package->declaring.names[file] + strlen(package->folder) + 1;
}

static const void *open_declaring(void *user, size_t file, size_t *size, md5_error *error)
{
    const view_package *const package = user;
    return package->reader->open(package->reader->user, package->declaring.names[file], size,
                                 error);
}

static void close_declaring(void *user, const void *bytes, size_t size)
{
    const view_package *const package = user;
    package->reader->close(package->reader->user, bytes, size);
}

md5_game *view_package_game(view_package *package, view_listener warnings)
{
    if (!package || package->is_game_open)
        return package ? package->game : NULL;
    md5_error error = {0};
    package->is_game_open = true;
    if (package->reader) {
        char *const folder = common_join(package->folder, "materials");
        package->declaring = common_list_folder(folder, ".mtr");
        free(folder);
        const md5_game_path beside = {.num_files = package->declaring.count,
                                      .name = declaring_name,
                                      .open = open_declaring,
                                      .close = close_declaring,
                                      .user = package};
        if (package->declaring.count > 0)
            package->game = md5_create_game(&beside, 1, NULL, &error);
        return package->game;
    }
    const char *root = package->root;
    // Above a folder called progs there are no materials; a model in it may be for Doom 3, though.
    if (root && !has_folder(root, "materials") && !is_top(package->folder))
        root = package->folder;
    if (!root || !has_folder(root, "materials")
        || !common_add_game_place(&package->places, root, &error))
        return NULL;
    package->game = md5_create_game(package->places.paths, package->places.count, NULL, &error);
    if (!package->game)
        warn(warnings, common_format("%s: %s", root, error.message));
    return package->game;
}

// Adds the files of a folder: pictures by their endings, in order of preference.
static void add_files(view_package *package, const char *folder)
{
    common_list files = common_list_folder(folder, "");
    const char *const around = package->around;
    view_place place = VIEW_ELSEWHERE;
    if (common_is_in(folder, package->folder)) {
        // A folder "textures" beside the model is as good as its own.
        const view_name name = view_split_name(folder + strlen(package->folder));
        const bool is_own = strcmp(folder, package->folder) == 0 || is_all(&name, WORD_COLOR);
        place = is_own ? VIEW_BESIDE : VIEW_BELOW;
    } else if (around && common_is_in(folder, around)) {
        place = strcmp(folder, around) == 0 ? VIEW_ABOVE : VIEW_AROUND;
    }
    for (const char *const *ending = md5gl_image_extensions(); *ending != NULL; ending++)
        for (size_t i = 0; i < files.count; i++) {
            const char *const path = files.names[i];
            if (!common_has_ending(path, *ending) || package->num_pictures == MAX_PICTURES
                || (package->reader && common_is_link(path)))
                continue;
            char *const stem = without_ending(path);
            *COMMON_MORE(package->pictures, package->num_pictures) = (view_image_file){
                common_copy(path), stem, view_split_name(common_base(stem)), place};
        }
    for (size_t i = 0; i < files.count; i++) {
        const char *const path = files.names[i];
        if (strcmp(common_base(path), "md5.cfg") == 0 && package->scripts.count < VIEW_MAX_SCRIPTS
            && !package->is_near_listed)
            common_add(&package->scripts, common_copy(path));
        else if (common_has_ending(path, ".md5mesh") && package->num_models < MAX_MODELS
                 && strcmp(folder, package->folder) == 0 && strcmp(path, package->model) != 0) {
            char *const stem = common_stem(path);
            const view_name name = view_split_name(stem);
            free(stem);
            if (!is_specific(&name))
                continue;
            *COMMON_MORE(package->models, package->num_models) = name;
        }
    }
    common_free_list(&files);
}

static void list_below(view_package *package, const char *first, const char *listed,
                       size_t max_folders)
{
    common_list folders = common_folders_below(first, listed, max_folders, package->reader == NULL);
    for (size_t i = 0; i < folders.count; i++)
        add_files(package, folders.names[i]);
    common_free_list(&folders);
}

// Lists the pictures around the model, by folders, the nearest first; with `all` also those of the
// rest of the package.
static void list_pictures(view_package *package, bool all)
{
    const char *const around = package->around;
    if (!package->is_near_listed) {
        list_below(package, package->folder, "", MAX_NEAR);
        if (around)
            list_below(package, around, package->folder, MAX_NEAR);
    }
    package->is_near_listed = true;
    if (all && !package->is_all_listed && around && package->root)
        list_below(package, package->root, around, MAX_FOLDERS);
    package->is_all_listed = package->is_all_listed || all;
}

// Adds the pictures in a folder, if there is one and they are not there yet.
static void seek_in(view_package *package, const char *above, const char *inner)
{
    char *const found = common_find(above, inner);
    bool is_new = found && common_is_folder(found);
    for (size_t i = 0; i < package->num_pictures && is_new; i++) {
        const char *const path = package->pictures[i].path;
        const size_t length = strlen(found);
        is_new = strncmp(path, found, length) != 0 || path + length + 1 != common_base(path);
    }
    if (is_new)
        add_files(package, found);
    free(found);
}

// Adds the pictures of the folder that `name` is in, ignoring case: of an absolute name, if it
// leads into the package or, without one, around the model; of a relative one, below the model's
// folder and below those above it, up to the end of the package. Returns the name as common_clean()
// does, to be freed.
static char *seek_pictures(view_package *package, const char *name)
{
    list_pictures(package, false);
    char *const path = common_clean(name);
    char *const folder = common_folder(path);
    char *above = common_copy(package->folder);
    const char *const whole = package->root     ? package->root
                              : package->around ? package->around
                                                : package->folder;
    if (common_is_absolute(name) && common_is_in(path, whole))
        seek_in(package, whole, folder + strlen(whole));
    bool is_end = common_is_absolute(name) || folder[1] == '\0';
    while (!is_end) {
        seek_in(package, above, folder);
        is_end = !package->end || strcmp(above, package->end) == 0;
        char *const next = common_folder(above);
        free(above);
        above = next;
    }
    free(folder);
    free(above);
    return path;
}

// -- Evidence of names ---------------------------------------------------------------------------

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

static const char *const place_names[VIEW_NUM_PLACES] = {
    "in the model's folder", "in a folder next to the model", "in the parent folder",
    "in an ancestor folder", "elsewhere in the package"};

// Below LEAST evidence is too weak; of two within MARGIN none is taken, of a model with several
// materials within WIDE_MARGIN. From SURE on nothing is looked for farther away, and it is no guess
// from SAID on.
enum { LEAST = 40, MARGIN = 6, WIDE_MARGIN = 30, SURE = 70, SAID = 90, SAME = 90 };

// What is subtracted.
enum { NOT_ON_MODELS = 60, OF_ANOTHER = 60, OF_A_PART = 30, IS_TINY = 5 };

// A mesh whose image is sought.
typedef struct named_mesh {
    const view_look_search *search;
    const md5_mesh *mesh;
    char *path; // the shader with slashes before each part, without drive and ending
    view_name shader, name, model, folder, all; // all: the four others
    bool is_foreign;                            // the shader is a path of the author's machine
    bool has_others;                            // other meshes have other materials
    bool is_main;    // it may have the image that the model is named after
    bool is_part;    // a word of its names says so that the model's name lacks
    bool is_shared;  // other models lie beside it: whose the images are only names can say
    bool has_images; // some lie beside the model: those farther away are icons and the like
    const view_image_file *only; // the only one beside the model that may be on it, or NULL
} named_mesh;

typedef struct candidate {
    const view_image_file *image;
    evidence by;
    int score;
    const char *objection; // or NULL
} candidate;

// -- What a mesh is called -----------------------------------------------------------------------

// What tells a mesh from the others: its shader, else its name.
static const char *identity_of(const md5_mesh *mesh)
{
    return mesh->shader[0] != '\0' ? mesh->shader : mesh->name;
}

// -- Objections ----------------------------------------------------------------------------------

// Whether an image has all words of a name that says something.
static bool claims(const view_name *name, const view_name *image)
{
    return !is_all(name, WORD_GENERIC | WORD_VARIANT) && view_share_in(name, image) >= SAME;
}

static bool is_claimed_by(const md5_mesh *mesh, const view_name *image)
{
    const view_name shader = split_stem(mesh->shader);
    const view_name name = view_split_name(mesh->name);
    return claims(&shader, image) || claims(&name, image);
}

// Whether another mesh, or another model beside this one, is called like an image.
static bool is_of_another(const named_mesh *subject, const view_name *image)
{
    enum { MOST = 64 }; // real models have fewer meshes
    const md5_model *const model = subject->search->model;
    const view_package *const package = subject->search->package;
    bool is_claim = false;
    bool is_model = false;
    for (uint32_t i = 0; i < model->num_meshes && i < MOST && subject->has_others; i++)
        is_claim = is_claim
                   || (strcmp(identity_of(&model->meshes[i]), identity_of(subject->mesh)) != 0
                       && is_claimed_by(&model->meshes[i], image));
    for (size_t i = 0; i < package->num_models; i++)
        is_model = is_model || claims(&package->models[i], image);
    return (is_claim || (is_model && !claims(&subject->model, image)))
           && !is_claimed_by(subject->mesh, image);
}

// Whether its name, or that of its folder, has a word of images that are on no model, which the
// model and the mesh lack.
static bool is_not_on_models(const named_mesh *subject, const view_image_file *image)
{
    char *const folder = common_folder(image->path);
    const view_name above = view_split_name(image->place != VIEW_BESIDE ? common_base(folder) : "");
    free(folder);
    return (has_word(&image->name, WORD_OTHER) || has_word(&above, WORD_OTHER))
           && !has_word(&subject->all, WORD_OTHER);
}

static void object(candidate *judged, int score, const char *objection)
{
    judged->score -= score;
    judged->objection = objection;
}

// -- Scores --------------------------------------------------------------------------------------

// Halfway alike is more than half as good as the same.
static void consider(candidate *judged, evidence by, uint32_t likeness, int percent)
{
    const int most = rows[by].scores[judged->image->place];
    const int score =
        likeness > 0 ? most * (30 + 70 * (int)likeness / 100) / 100 * percent / 100 : 0;
    if (score > judged->score) {
        judged->score = score;
        judged->by = by;
    }
}

// How like the name of an image is to one that is said of the model or the mesh. The image's may
// have further words if other names account for them: the mesh "tail" of the model "imp" has
// "imp_tail2.png", but not "imp_tail_light.png".
static void consider_name(const named_mesh *subject, candidate *judged, evidence by,
                          const view_name *said, int percent)
{
    const view_name *const name = &judged->image->name;
    const view_place place = judged->image->place;
    const bool is_far = place == VIEW_AROUND || place == VIEW_ELSEWHERE;
    const uint8_t further = is_far ? WORD_COLOR : WORD_COLOR | WORD_GENERIC | WORD_VARIANT;
    const view_name main = drop_words(*name, further);
    const bool is_bare = main.words[1] == '\0';
    const bool is_said = view_share_in(said, name) >= SAME;
    if (place != VIEW_BESIDE && (!is_specific(said) || (is_far && subject->has_images)))
        return;
    if (is_said && (is_bare || view_share_in(&main, said) >= SAME))
        consider(judged, by, 100, percent);
    else if (is_said && view_share_in(&main, &subject->all) >= SAME)
        consider(judged, by, 80, percent);
    else if (by == BY_SHADER && subject->is_foreign && place == VIEW_BESIDE)
        consider(judged, by, view_share_in(said, name), percent); // it was renamed since
}

// Considers an image by all that the mesh is called.
static void consider_names(const named_mesh *subject, candidate *judged)
{
    const view_name *const name = &judged->image->name;
    const int percent = is_specific(&subject->shader) ? 75 : 100; // of what the shader does not say
    consider_name(subject, judged, BY_SHADER, &subject->shader, 100);
    consider_name(subject, judged, BY_MESH, &subject->name, percent);
    if (subject->is_main)
        consider_name(subject, judged, BY_MODEL, &subject->model, percent);
    if (subject->is_main && !subject->is_shared) {
        // How far a name says that it is that of a colour map, and not of which: "base_skin".
        const view_name bare = main_words(*name, WORD_VARIANT);
        const view_name rest = main_words(bare, WORD_GENERIC);
        const uint32_t purpose = is_all(&bare, WORD_COLOR)                     ? 100
                                 : !has_word(name, WORD_COLOR)                 ? 0
                                 : view_share_in(&rest, &subject->all) >= SAME ? 80
                                                                               : 60;
        consider_name(subject, judged, BY_FOLDER, &subject->folder, percent);
        consider(judged, BY_PURPOSE, purpose, percent);
        consider(judged, BY_ITSELF, judged->image == subject->only ? 100 : 0, percent);
    }
    if (judged->score <= 0)
        return;
    if (subject->is_part && !claims(&subject->shader, name) && !claims(&subject->name, name))
        object(judged, OF_A_PART, "the mesh is a separate part of the body");
    if (is_of_another(subject, name))
        object(judged, OF_ANOTHER, "another mesh or model has this name");
    else if (is_not_on_models(subject, judged->image))
        object(judged, NOT_ON_MODELS, "the name suggests that it is not a model texture");
}

// Whether an image lies where the shader says, as seen from a folder that the model is in.
static bool is_at_path(const named_mesh *subject, const char *path)
{
    char *const folder = common_folder(path);
    char *const inner = common_folder(subject->path);
    const size_t length = strlen(folder);
    const size_t inner_length = strlen(inner);
    const size_t above = length > inner_length ? length - inner_length : 0;
    free(folder);
    free(inner);
    const char *const model = subject->search->package->model;
    return ends_in(path, subject->path) && strncmp(path, model, above) == 0 && model[above] == '/';
}

static candidate judge(const named_mesh *subject, const view_image_file *image)
{
    candidate judged = {.image = image};
    const char *end = common_base(subject->path); // the last two parts of the shader's path
    for (int part = 0; part < 2 && end > subject->path; part++)
        while (--end > subject->path && *end != '/') {
        }
    if (view_is_other_map(&image->name) && !is_same(&image->name, &subject->model, 0))
        return judged;
    if (end >= subject->path && strchr(end + 1, '/') != NULL) {
        if (is_at_path(subject, image->stem))
            consider(&judged, BY_PATH, 100, 100);
        else if (ends_in(image->stem, end))
            consider(&judged, BY_END_OF_PATH, 100,
                     image->place == VIEW_BESIDE || is_specific(&subject->shader) ? 100 : 60);
    }
    if (judged.by != BY_PATH)
        consider_names(subject, &judged);
    // Too small for a model's texture: a placeholder.
    enum { TINY = 16 * 16, TINY_BYTES = 64 * 1024 };
    view_image tiny = {.rgba = NULL};
    md5_error error;
    if (judged.score >= LEAST && common_file_size(image->path) <= TINY_BYTES
        && view_read_image(image->path, TINY, &tiny, &error))
        object(&judged, IS_TINY, "the image is tiny");
    free(tiny.rgba);
    return judged;
}

// -- The best ------------------------------------------------------------------------------------

static void take(view_look *look, const candidate *best)
{
    look->diffuse = common_copy(best->image->path);
    look->why = common_format("%s, %s (%d)", rows[best->by].name, place_names[best->image->place],
                              best->score);
    look->is_guess = best->score < SAID;
}

// The names that images were compared with, up to the one that was `found`.
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
            view_note_looked(look, by == found, common_format("%s: %s", rows[by].name, name));
    }
}

// Takes the image with the highest score, unless it is low or that of another image is about the
// same. `is_last`: else notes why the likeliest are not taken.
static bool take_best(view_look *look, named_mesh *subject, bool all, int min_score, bool is_last)
{
    enum { NOTED = 8 };
    view_package *const package = subject->search->package;
    list_pictures(package, all);
    const view_image_file *const images = package->pictures;
    const size_t count = package->num_pictures;
    candidate *const judged = common_alloc(count + 1, sizeof *judged);
    candidate best = {.score = 0};

    // The only image that lies beside a model whose shader says no other name.
    bool is_only = true;
    for (size_t i = 0; i < package->num_models; i++)
        subject->is_shared = subject->is_shared
                             || (view_share_in(&package->models[i], &subject->model) == 0
                                 && view_share_in(&subject->model, &package->models[i]) == 0);
    subject->only = NULL;
    subject->has_images = false;
    for (size_t i = 0; i < count; i++) {
        const view_image_file *const image = &images[i];
        if (image->place != VIEW_BESIDE || is_not_on_models(subject, image))
            continue;
        subject->has_images = true;
        if (!is_only || subject->is_shared || view_is_other_map(&image->name)
            || is_of_another(subject, &image->name))
            continue;
        is_only = !subject->only || is_same_image(subject->only, image, true);
        subject->only = !subject->only ? image : subject->only;
    }
    const view_name said = main_words(subject->shader, WORD_VARIANT);
    const bool is_said =
        subject->path[0] != '\0'
        && (!is_all(&said, WORD_GENERIC) || has_word(&said, WORD_COLOR)
            || (!subject->is_foreign && common_base(subject->path) > subject->path + 1));
    subject->only = is_only && !is_said ? subject->only : NULL;

    for (size_t i = 0; i < count; i++) {
        judged[i] = judge(subject, &images[i]);
        best = judged[i].score > best.score ? judged[i] : best;
    }
    // Of several materials each may have one of the images that are alike.
    const bool is_vague = rows[best.by].is_of_model && subject->has_others;
    const int margin = is_vague ? WIDE_MARGIN : MARGIN;
    bool is_clear = best.score >= min_score;
    for (size_t i = 0; i < count && is_clear && best.by > BY_PATH; i++)
        is_clear = judged[i].score <= best.score - margin
                   || is_same_image(best.image, &images[i], !is_vague);
    if (is_clear)
        take(look, &best);
    if (is_clear || is_last)
        note_names(look, subject, is_clear ? best.by : NUM_EVIDENCE);
    for (size_t i = 0; i < count && is_last && !is_clear && look->tried.count < NOTED; i++)
        if (judged[i].score > 0 || judged[i].objection)
            common_add(&look->tried, common_format("%s: by %s, %s (%d), but %s", images[i].path,
                                                   rows[judged[i].by].name,
                                                   place_names[images[i].place], judged[i].score,
                                                   judged[i].objection ? judged[i].objection
                                                   : judged[i].score < LEAST
                                                       ? "the score is too low"
                                                       : "another image has the same score"));
    free(judged);
    return is_clear;
}

// -- What files declare --------------------------------------------------------------------------

// Finds the image of a path, which may be relative to the package and need not have the right
// ending. NULL if there is none.
static const view_image_file *find_at(view_package *package, const char *path)
{
    char *const whole = common_join(package->root ? package->root : ".", path);
    char *const named = seek_pictures(package, whole);
    char *const stem = without_ending(named);
    const view_name name = view_split_name(common_base(stem));
    const view_image_file *found = NULL;
    for (size_t i = 0; i < package->num_pictures && found == NULL; i++) {
        const view_image_file *const image = &package->pictures[i];
        if (view_is_other_map(&image->name) == view_is_other_map(&name)
            && ends_in(image->stem, stem))
            found = image;
    }
    free(stem);
    free(named);
    free(whole);
    return found;
}

static char *path_at(view_package *package, const char *path, view_listener warnings)
{
    const view_image_file *const image = path ? find_at(package, path) : NULL;
    if (path && !image)
        warn(warnings, common_format("declared image %s not found", path));
    return image ? common_copy(image->path) : NULL;
}

// Finds the material of a shader in the package's declarations, whose image is that of the diffuse
// map of a lit material, else of the first stage. Returns false if no file declares one.
static bool find_material(view_package *package, const char *shader, view_look *look,
                          view_listener warnings)
{
    md5_game *const game = view_package_game(package, warnings);
    if (!game || md5_find_decl(game, MD5_DECL_MATERIAL, shader) == NULL)
        return false;
    const md5_material *const material = md5_game_material(game, shader, NULL);
    const md5_image_program *const image =
        material ? view_material_image(material, MD5GL_IMAGE_DIFFUSE) : NULL;
    for (uint32_t i = 0; image && i < image->num_steps && !look->diffuse; i++)
        if (image->steps[i].kind == MD5_IMAGE_FILE && image->steps[i].file[0] != '_')
            look->diffuse = common_copy(image->steps[i].file); // the first one of the program
    return look->diffuse;
}

// Finds a material in the .shader files of the package, in the order of their names: the first one
// counts. Large files are left out.
static bool find_shader(const view_package *package, const char *name, view_look *look,
                        view_listener warnings)
{
    const uint64_t max_size = 4 << 20;
    bool is_found = false;
    if (!package->root)
        return false;
    char *const folder = common_join(package->root, "scripts");
    common_list files = common_list_folder(folder, ".shader");
    for (size_t i = 0; i < files.count && !is_found; i++) {
        size_t size;
        const char *reason;
        char *const text = common_file_size(files.names[i]) <= max_size
                               ? common_read_stream(files.names[i], &size, &reason)
                               : NULL;
        is_found = text && view_read_shader(files.names[i], text, size, name, look, warnings);
        free(text);
    }
    common_free_list(&files);
    free(folder);
    return is_found;
}

// Finds how a mesh looks by an md5.cfg (Cube 2 engines) around the model that loads it. Returns
// false, with `look` as it was, if there is none that gives the mesh a texture.
static bool find_cube_look(view_package *package, const char *mesh, view_look *look)
{
    const md5_load_opts opts = {.files = package->reader ? *package->reader : (md5_files){0}};
    list_pictures(package, false);
    for (size_t i = 0; i < package->scripts.count; i++) {
        if (i == package->num_cubes)
            package->cubes[package->num_cubes++] =
                md5_load_cube2(package->scripts.names[i], NULL, &opts, NULL);
        const md5_cube2 *const cube = package->cubes[i];
        for (uint32_t k = 0; cube && k < cube->num_parts; k++) {
            const md5_cube2_part *const part = &cube->parts[k];
            char *const absolute = common_absolute(part->mesh);
            char *const path = common_clean(absolute);
            const bool is_it = strcmp(path, package->model) == 0
                               || (!package->reader && common_same_file(path, package->model));
            free(absolute);
            free(path);
            view_look said = is_it ? view_cube_look(cube, part, mesh) : (view_look){0};
            if (said.diffuse) {
                view_free_look(look);
                *look = said;
                return true;
            }
            view_free_look(&said);
        }
    }
    return false;
}

// Takes the declared image, and what is declared besides. If the image is missing, no other one is
// right.
static bool take_declared(view_look *look, const named_mesh *subject, view_listener warnings)
{
    view_package *const package = subject->search->package;
    view_look own = {0}, notes = {0}; // own: with paths as in files
    if (!subject->search->said) {
        char *const shader = common_clean(subject->mesh->shader);
        const bool has_shader = shader[0] != '\0';
        const char *const name = has_shader ? shader + 1 : "no shader";
        const bool is_material = has_shader && find_material(package, name, &own, warnings);
        const bool is_script =
            has_shader && !is_material && find_shader(package, name, &own, warnings) && own.diffuse;
        view_note_looked(&notes, is_material, common_format("materials/*.mtr: %s", name));
        if (!is_material)
            view_note_looked(&notes, is_script, common_format("scripts/*.shader: %s", name));
        if (!is_material && !is_script)
            view_note_looked(&notes, find_cube_look(package, subject->mesh->name, &own),
                             common_copy("md5.cfg in the model's folder and above"));
        free(shader);
    }
    const view_look *const said = subject->search->said ? subject->search->said : &own;
    *look = *said;
    look->looked = notes.looked;
    look->diffuse = NULL;
    look->normals = path_at(package, said->normals, warnings);
    look->masks = path_at(package, said->masks, warnings);
    const view_image_file *image = said->diffuse ? find_at(package, said->diffuse) : NULL;
    if (!image && said->diffuse && !common_is_absolute(said->diffuse)) {
        char *const compressed = common_join("dds", said->diffuse); // as in id's games
        image = find_at(package, compressed);
        free(compressed);
    }
    look->is_declared = image != NULL;
    if (said->diffuse)
        view_note_looked(look, image != NULL, common_copy(said->diffuse));
    if (image)
        take(look, &(candidate){.image = image, .score = rows[BY_DECLARATION].scores[0]});
    else if (said->diffuse)
        common_add(&look->tried, common_format("declared image %s not found", said->diffuse));
    view_free_look(&own);
    return image || look->tried.count > 0;
}

// -- Skins of the Quake re-releases --------------------------------------------------------------

// Which game a file belongs to; of Quake II also the .md2 that it stands for, to be freed.
static view_quake find_quake(const char *path, char **md2)
{
    char *const folder = common_folder(path);
    char *const absolute = common_absolute(folder);
    const bool is_progs = strcmp(common_base(absolute), "progs") == 0;
    *md2 = NULL;
    if (strcmp(common_base(absolute), "md5") == 0) {
        char *const above = common_folder(absolute);
        char *const stem = common_stem(path);
        char *const name = common_format("%s.md2", stem);
        *md2 = common_find(above, name);
        free(above);
        free(stem);
        free(name);
    }
    free(folder);
    free(absolute);
    return is_progs ? VIEW_QUAKE_1 : *md2 ? VIEW_QUAKE_2 : VIEW_QUAKE_NONE;
}

view_quake view_quake_of(const char *path)
{
    char *md2;
    const view_quake quake = find_quake(path, &md2);
    free(md2);
    return quake;
}

// A name in an .md2's list of skins: "models/monsters/x/skin.pcx". The head has their number at
// byte 20 and where they are at byte 44; each takes 64 bytes. NULL if there is none.
static char *find_md2_skin(const char *path, uint32_t skin)
{
    enum { HEAD = 68, NUM_SKINS = 20, SKINS = 44, VERSION = 8, NAME = 64 };
    unsigned char head[HEAD];
    char name[NAME + 1] = "";
    FILE *const file = fopen(path, "rb");
    if (!file)
        return NULL;
    const bool is_md2 =
        fread(head, 1, HEAD, file) == HEAD && memcmp(head, "IDP2", 4) == 0
        && common_number(head + 4, 4) == VERSION && common_number(head + NUM_SKINS, 4) > skin
        && common_number(head + SKINS, 4) < 1u << 30
        && fseek(file, (long)common_number(head + SKINS, 4) + (long)skin * NAME, SEEK_SET) == 0
        && fread(name, 1, NAME, file) == NAME && name[0] != '\0';
    fclose(file);
    return is_md2 ? common_stem(name) : NULL;
}

// An image of a mesh's skin: beside the model, or in the folder "textures" of the game. Quake's
// names follow from the shader, and there may be up to MD5_MAX_QUAKE_IMAGES of them, shown in turn;
// Quake II's is that of the .md2. There need not be such a file.
static const view_image_file *find_skin_image(const named_mesh *subject, uint32_t skin,
                                              uint32_t number)
{
    view_package *const package = subject->search->package;
    char *md2 = NULL;
    char *name = NULL;
    char text[256];
    if (package->reader) // which of Quake's it is the folder above says
        return NULL;
    const view_quake quake = find_quake(package->model, &md2);
    if (quake == VIEW_QUAKE_1 && subject->path[0] != '\0'
        && md5_quake_image_name(common_base(subject->path), skin, number, text, sizeof text)
               < sizeof text)
        name = common_copy(text);
    else if (quake == VIEW_QUAKE_2 && number == 0)
        name = find_md2_skin(md2, skin);
    free(md2);
    if (!name)
        return NULL;
    char *const below = common_format("/textures/%s", name);
    const char *const end = strrchr(below, '/');
    const view_image_file *found = NULL;
    free(seek_pictures(package, below + 1));
    for (size_t i = 0; i < package->num_pictures && found == NULL; i++) {
        const view_image_file *const image = &package->pictures[i];
        if (common_has_ending(image->stem, image->place == VIEW_BESIDE ? end : below))
            found = image;
    }
    free(name);
    free(below);
    return found;
}

static bool take_skin(view_look *look, const named_mesh *subject, view_listener warnings)
{
    uint32_t skin = subject->search->skin;
    const view_image_file *image = find_skin_image(subject, skin, 0);
    if (!image && skin > 0 && (image = find_skin_image(subject, 0, 0)) != NULL) {
        warn(warnings,
             common_format("mesh \"%s\" has no skin %u; using skin 0", subject->mesh->name, skin));
        skin = 0;
    }
    if (!image)
        return false;
    take(look, &(candidate){.image = image, .by = BY_SKIN, .score = rows[BY_SKIN].scores[0]});
    while (look->num_turns < MD5_MAX_QUAKE_IMAGES - 1
           && (image = find_skin_image(subject, skin, look->num_turns + 1)) != NULL)
        look->turns[look->num_turns++] = common_copy(image->path);
    return true;
}

view_look view_find_look(const view_look_search *search, view_listener warnings)
{
    view_look look;
    // All that the mesh is called.
    const md5_mesh *const mesh = &search->model->meshes[search->mesh];
    named_mesh subject = {
        .search = search, .mesh = mesh, .is_foreign = common_is_absolute(mesh->shader)};
    const bool has_drive = mesh->shader[0] != '\0' && mesh->shader[1] == ':';
    char *const stem = without_ending(mesh->shader + (has_drive ? 2 : 0));
    char *const model = common_stem(search->package->model);
    subject.path = common_clean(stem);
    subject.shader = view_split_name(common_base(subject.path));
    subject.name = view_split_name(mesh->name);
    subject.model = view_split_name(model);
    subject.model = main_words(subject.model, WORD_GENERIC);
    subject.folder = view_split_name(common_base(search->package->folder));
    char *const all = common_format("%s%s%s%s", subject.shader.words, subject.name.words,
                                    subject.model.words, subject.folder.words);
    subject.all = view_split_name(all);
    free(all);
    free(model);
    free(stem);
    for (uint32_t i = 0; i < search->model->num_meshes; i++)
        subject.has_others =
            subject.has_others
            || strcmp(identity_of(&search->model->meshes[i]), identity_of(mesh)) != 0;
    subject.is_part =
        subject.has_others
        && (has_word(&subject.shader, WORD_PART) || has_word(&subject.name, WORD_PART))
        && !has_word(&subject.model, WORD_PART);
    const bool is_else = is_specific(&subject.shader)
                         && view_share_in(&subject.shader, &subject.model) == 0
                         && view_share_in(&subject.shader, &subject.folder) == 0;
    subject.is_main = !subject.has_others || (!subject.is_part && !is_else);
    if (!take_declared(&look, &subject, warnings) && !take_skin(&look, &subject, warnings)) {
        free(seek_pictures(search->package, subject.path[0] != '\0' ? subject.path + 1 : ""));
        if (!take_best(&look, &subject, false, SURE, false))
            take_best(&look, &subject, true, LEAST, true);
    }
    free(subject.path);
    return look;
}
