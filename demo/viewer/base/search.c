// Computes the ratings of the command search, and finds answers to searches for missing features.
//
// Each word of the search text is compared with several texts of a menu entry, for example its
// label and its tooltip. A match has points. They depend on the text and on the position of the
// word in the text.
#include "demo/viewer/base/search.h"

#include "demo/viewer/base/options.h"

#include <ctype.h>
#include <strings.h>

// == Ratings ======================================================================================

// Points of a match in one kind of text.
typedef struct text_points {
    int complete_word; // the word is a whole word of the text
    int begins;        // the word begins a word of the text
    int inside;        // the word is inside of a word; 0: not a match
    int is_first;      // additional points at the beginning of the text
} text_points;

// Returns the points of the best match of a word (`length` bytes) in a text, or 0 if the text does
// not contain the word. `text` may be NULL.
static int rate_word(const char *text, const char *word, size_t length, const text_points *points)
{
    if (text == NULL)
        return 0;
    const bool may_be_inside = length >= 3 && points->inside > 0;
    int best = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        const bool begins = i == 0 || !isalnum((unsigned char)text[i - 1]);
        if ((!begins && !may_be_inside) || strncasecmp(text + i, word, length) != 0)
            continue;
        const bool ends = !isalnum((unsigned char)text[i + length]);
        int sum = i == 0 ? points->is_first : 0;
        if (begins && ends)
            sum += points->complete_word;
        else if (begins)
            sum += points->begins;
        else
            sum += points->inside;
        if (sum > best)
            best = sum;
    }
    return best;
}

// Returns the points of a word in the text in which it matches best. A plural also matches its
// singular, with fewer points.
static int rate_word_in_texts(const char *const *texts, const text_points *points, int num_texts,
                              const char *word, size_t length)
{
    enum { MINUS_OF_SINGULAR = 100 };
    const bool is_plural = length > 3 && tolower((unsigned char)word[length - 1]) == 's';
    int best = 0;
    for (int i = 0; i < num_texts; i++) {
        int rated = rate_word(texts[i], word, length, &points[i]);
        if (rated == 0 && is_plural)
            rated = rate_word(texts[i], word, length - 1, &points[i]) - MINUS_OF_SINGULAR;
        if (rated > best)
            best = rated;
    }
    return best;
}

// Returns true if a word describes an action that most commands have in common, for example "show"
// in "show the grid". A menu entry does not need to contain such a word.
static bool is_common_word(const char *word, size_t length)
{
    static const char *const common_words[] = {
        "a",    "all",    "an",     "and",  "are",   "as",   "can",  "change", "display",
        "do",   "does",   "enable", "for",  "go",    "hide", "how",  "i",      "in",
        "is",   "it",     "look",   "make", "me",    "my",   "of",   "off",    "on",
        "open", "select", "set",    "show", "the",   "this", "to",   "toggle", "turn",
        "use",  "view",   "viewer", "what", "where", "why",  "with",
    };
    for (size_t i = 0; i < COMMON_LENGTH(common_words); i++) {
        if (strlen(common_words[i]) == length && strncasecmp(common_words[i], word, length) == 0)
            return true;
    }
    return false;
}

// Returns the mean points of the words from `words` to `end`, or VIEW_NO_MATCH if a word does not
// match. A shorter first text has more points.
//
// If `has_common_words` is true, common words such as "show" may be missing in the texts. If they
// match, they add only a tenth of their points. If all words are common, at least one must match.
static int rate_words(const char *const *texts, const text_points *points, int num_texts,
                      const char *words, const char *end, bool has_common_words)
{
    int sum = 0;
    int count = 0;
    int common_sum = 0;
    int num_common = 0;
    if (words >= end)
        return 0;
    while (words < end) {
        const size_t length = strcspn(words, " ");
        const int rated = rate_word_in_texts(texts, points, num_texts, words, length);
        if (has_common_words && is_common_word(words, length)) {
            common_sum += rated;
            num_common++;
        } else if (rated > 0) {
            sum += rated;
            count++;
        } else {
            return VIEW_NO_MATCH;
        }
        words += length;
        words += strspn(words, " ");
    }
    const int minus = (int)strlen(texts[0]);
    if (count > 0)
        return sum / count + common_sum / 10 - minus;
    return common_sum > 0 ? common_sum / num_common - minus : VIEW_NO_MATCH;
}

// Writes the words with one space between them, but without articles and possessives. Returns the
// length of the text.
static size_t write_phrase(char *text, size_t size, const char *words, const char *end)
{
    static const char articles[] = "a an my the this";
    static const text_points points = {.complete_word = 1};
    text[0] = '\0';
    while (words < end) {
        const size_t length = strcspn(words, " ");
        if (length > 0 && rate_word(articles, words, length, &points) == 0)
            common_append(text, size, " ", "%.*s", (int)length, words);
        words += length;
        words += strspn(words, " ");
    }
    return strlen(text);
}

// Returns the points of a menu entry for the words of a search, or VIEW_NO_MATCH.
int view_rate_entry(const view_menu_entry *entry, const char *words, const char *end)
{
    enum { NUM_TEXTS = 5 };
    static const text_points points[NUM_TEXTS] = {
        {.complete_word = 1000, .begins = 800, .is_first = 100}, // label
        {.complete_word = 600, .begins = 500},                   // synonyms
        {.complete_word = 300, .begins = 300},                   // menu
        {.complete_word = 300, .begins = 300},                   // submenu
        {.complete_word = 150},                                  // tooltip
    };
    const char *const texts[NUM_TEXTS] = {view_get_label(entry), entry->synonyms,
                                          view_menu_names[entry->menu], entry->label,
                                          view_get_tooltip(entry)};
    const int rated = rate_words(texts, points, NUM_TEXTS, words, end, true);

    // Some synonyms are phrases, for example "show bones". A match of the whole phrase is better
    // than matches of its words.
    static const text_points phrase_points = {.complete_word = 1200};
    char phrase_text[256];
    const size_t length = write_phrase(phrase_text, sizeof phrase_text, words, end);
    if (strchr(phrase_text, ' ') == NULL)
        return rated;
    const int phrase = rate_word(entry->synonyms, phrase_text, length, &phrase_points);
    return phrase > 0 ? phrase : rated;
}

// Returns a rating for how well the name of an object matches the words of a search. The points
// make a match of the name rank above the same match of `text`. The rating is higher if a name
// is shorter, or matches from its beginning.
int view_rate_name(const char *name, const char *text, const char *words, const char *end)
{
    enum { NUM_TEXTS = 2 };
    static const text_points points[NUM_TEXTS] = {
        {.complete_word = 1000, .begins = 800, .inside = 200, .is_first = 100},
        {.complete_word = 600, .begins = 500},
    };
    const char *const texts[NUM_TEXTS] = {name, text};
    return rate_words(texts, points, NUM_TEXTS, words, end, false);
}

// Returns the smallest edit distance between a word and the words of a text. The word is in lower
// case.
static size_t distance_to_words(const char *text, const char *word, size_t length)
{
    static const char separators[] = " /";
    size_t min_distance = SIZE_MAX;
    const char *position = text;
    while (*position != '\0') {
        const size_t part_length = strcspn(position, separators);
        char part[32];
        COMMON_TEXT(part, "%.*s", (int)part_length, position);
        for (char *letter = part; *letter != '\0'; letter++)
            *letter = (char)tolower((unsigned char)*letter);
        const size_t distance = common_edit_distance(word, length, part, false);
        if (distance < min_distance)
            min_distance = distance;
        position += part_length;
        position += strspn(position, separators);
    }
    return min_distance;
}

// Finds the menu entry for a misspelt word. Compares the word with the words of each label by edit
// distance. About one error per four letters is accepted.
const view_menu_entry *view_find_similar_entry(const view_menu_entries *list, const char *word)
{
    enum { MIN_LENGTH = 4, LETTERS_PER_ERROR = 4 };
    const size_t length = strlen(word);
    const bool is_single_word = strchr(word, ' ') == NULL;
    if (length < MIN_LENGTH || !is_single_word)
        return NULL;

    const size_t max_errors = (length + 1) / LETTERS_PER_ERROR;
    const view_menu_entry *similar = NULL;
    size_t min_distance = max_errors + 1;
    for (size_t i = 0; i < list->count; i++) {
        const view_menu_entry *const entry = list->entries[i];
        const bool is_in_menu_bar = entry->menu < VIEW_NUM_MENUS;
        if (!is_in_menu_bar)
            continue;
        const size_t distance = distance_to_words(view_get_label(entry), word, length);
        if (distance < min_distance) {
            similar = entry;
            min_distance = distance;
        }
    }
    return similar;
}

// == Missing features =============================================================================

// A feature that the viewer does not have.
typedef struct missing_feature {
    const char *names; // the search text contains at least one of these words
    const char *words; // other words that the search text may contain
    const char *answer;
} missing_feature;

static const missing_feature missing_features[] = {
    {"rename renaming", "joint bone mesh material shader name",
     "Renaming joints, meshes and shaders: md5tool fix --rename OLD=NEW"},
    {"fbx dae collada smd psk psa vrm bvh", "export save write convert as to model",
     "FBX, DAE, SMD, PSK, VRM and BVH can only be imported; export a .glb file instead"},
    {"stl ply usd alembic abc 3mf print printing",
     "3d export save write convert as to model import open",
     "This format is not supported; md5tool convert --formats lists all formats"},
    {"manual documentation docs", "user open read show online",
     "Manual: md5view --man; F1 lists all shortcuts"},
    {"about version", "program viewer md5view", "Version: md5view --version"},
    {"theme dark", "light mode color colour interface window",
     "The interface has one theme; View > Background\xE2\x80\xA6 sets the color of the viewport"},
    {"delete remove erase", "mesh part joint bone geometry vertices triangle",
     "Models are not edited here: hide a mesh (Ctrl+H), or md5tool convert --hide MESH"},
    {"occlusion ssao ao", "ambient screen space",
     "Ambient occlusion is not supported; Light > Lights\xE2\x80\xA6 sets the ambient light (sky)"},
    {"fov field focal", "of view camera length angle lens",
     "The field of view is fixed; Camera > Orthographic removes the perspective"},
    {"navigate navigation orbit pan fly", "mode camera view mouse move the around how to walk",
     "Mouse: left drag orbits, middle drag pans, the wheel zooms (F1 lists all)"},
    {"isolate solo local", "view mesh show only selected",
     "Isolating a mesh: right-click the mesh in the outliner and choose Isolate"},
    {"msaa fxaa aliasing antialiasing smaa", "anti samples quality",
     "Anti-aliasing: md5view --samples N"},
    {"bloom tonemapping tone effect postprocessing post processing raytracing ray dof",
     "mapping tracing depth field of screen space reflections",
     "Effects after drawing, such as bloom or tone mapping, are not supported"},
    {"metallic roughness metalness pbr", "map texture material workflow",
     "Materials have diffuse, normal, specular and glow maps: Model > Textures\xE2\x80\xA6"},
    {"vertex vertices", "color colour colored paint",
     "Only files of version 12 have vertex colors; View > Shading shows weights or a UV grid"},
    {"extract", "texture image save",
     "Textures are separate files; Model > Textures\xE2\x80\xA6 lists their paths"},
    {"background", "image picture photo plate",
     "An image as background: Light > Environment map\xE2\x80\xA6"},
    {"onion ghosting ghosts", "skin skinning trail motion previous frames",
     "Frames next to each other: File > Export\xE2\x80\xA6 > Contact sheet"},
    {"language translation locale", "interface program change set", "The interface is in English"},
    {"new another second", "window tab open view program",
     "A second window: start md5view again; each window is a separate program"},
    {"project session workspace", "save open new load file",
     "The settings of each model are stored; Edit > Copy as command line stores a view"},
    {"plugin script scripting python addon macro", "add on run install",
     "Plug-ins are not supported; scripts can use md5tool and md5view --output"},
    {"merge join combine weld", "mesh material shader by distance vertices",
     "Merging meshes with the same shader: md5tool fix --merge"},
    {"scale resize rescale unit units", "apply model mesh size meter metre",
     "Scaling a model and its clips: md5tool fix --scale FACTOR"},
    {"mirror flip symmetry", "model mesh animation x axis",
     "Mirroring a model and its clips: md5tool fix --mirror"},
    {"winding flip invert inside", "out normals faces face triangles mesh recalculate",
     "Turning triangles that face inwards: md5tool fix --winding"},
    {"volume scalar colormap point cloud translucency peeling",
     "rendering coloring depth size data by map",
     "Only triangle meshes are supported, not volumes, points or data"},
    {"sticker reality ar vr", "mixed augmented virtual view",
     "Stickers and mixed reality are not supported"},
    {"repair validate validation check", "model file mesh clip",
     "Checking and repairing files: md5tool check FILE, md5tool fix FILE"},
    {"cut split", "clip animation part",
     "Cutting a clip into parts: md5tool fix --cut walk=0-30,run=31-60"},
    {"batch bulk", "convert export folder all",
     "Converting a folder: md5tool convert FOLDER --output FOLDER --to glb"},
    {"keyframe keying paint painting sculpt sculpting edit editing subdivide subdivision modifier "
     "constraint decimate remesh recalculate extrude snap snapping boolean",
     "insert add weight vertex mesh animation clip bone joint mode normals surface geometry to",
     "Models are not edited here: export a .glb file, edit it in Blender, convert it back with "
     "md5tool"},
};

// Returns true if a text contains the word, or its singular, as a whole word.
static bool contains_word(const char *text, const char *word, size_t length)
{
    static const text_points points = {.complete_word = 1000};
    return rate_word_in_texts(&text, &points, 1, word, length) > 0;
}

// Returns true if a search text is about a feature. Each of its words must be a word of the
// feature, and at least one must be its name.
static bool is_feature(const missing_feature *feature, const char *words)
{
    bool is_named = false;
    const char *word = words;
    while (*word != '\0') {
        const size_t length = strcspn(word, " ");
        const bool is_name = contains_word(feature->names, word, length);
        if (!is_name && !contains_word(feature->words, word, length))
            return false;
        is_named = is_named || is_name;
        word += length;
        word += strspn(word, " ");
    }
    return is_named;
}

const char *view_find_missing_feature(const char *words)
{
    for (size_t i = 0; i < COMMON_LENGTH(missing_features); i++) {
        if (is_feature(&missing_features[i], words))
            return missing_features[i].answer;
    }
    return NULL;
}
