// The engines that read MD5 files, the rules that files break for them, and what was found.
//
// What an engine does was read in its source: dhewm3 ae43c289 (The Dark Mod 5793b30b, openQ4
// 4066e3f and the SDK of Quake 4 are alike here), RBDOOM-3-BFG 95306dbd, Ironwail 7ff4ec57, vkQuake
// 46e5e6dd, QSS-M 46a47195, FTEQW 93257c1a, q2pro 3aa0d40b, yquake2remaster e98451aa, Red Eclipse
// faf378d1, Daemon b276137b. Four of them were also run.
#include "md5/core/freed.h"
#include "md5/edit/check.h"

#include <stdlib.h>

// == Engines and rules ============================================================================

// The number of engines, and where parts of a row of rules stand.
enum { NUM_ENGINES = 14, EFFECTS = 24, WHAT = EFFECTS + NUM_ENGINES + 2 };

// In the order of the letters of the rules. Of some an old version is an engine of its own, behind
// the newest.
static const struct engine {
    const char *name;
    const char *alias;
    const char *below; // it stands for the versions below this one; NULL: for the newest
} engines[NUM_ENGINES] = {
    {"doom3", "dhewm3", NULL},
    {"darkmod", "tdm", NULL},
    {"quake4", "openq4", NULL},
    {"rbdoom", "bfg", NULL},
    {"ironwail", NULL, NULL},
    {"ironwail", NULL, "0.8.2"},
    {"vkquake", NULL, NULL},
    {"vkquake", NULL, "1.36"},
    {"qss", "quakespasm-spiked", NULL},
    {"fte", "fteqw", NULL},
    {"q2pro", NULL, NULL},
    {"yquake2", "yquake2remaster", NULL},
    {"cube2", "redeclipse", NULL},
    {"daemon", "unvanquished", NULL},
};

// What an engine does, by the letter of a rule; '-' nothing, '.' is not known.
static const struct effect {
    char letter;
    bool is_error;
    const char *text; // before the engines
} effects[] = {
    {'E', true, "stops"},
    {'F', true, "refused by"},
    {'M', true, "out-of-bounds read in"},
    {'X', true, "broken or invisible in"},
    {'S', false, "wrong in"},
    {'W', false, "reported by"},
    {'N', false, "not drawn by"},
};

// A row has a name; what each engine does, and '=' if this library reports the same line; and what
// breaks the rule. A name with a slash is a row of its own for the rule before it.
// NOLINTBEGIN(bugprone-suspicious-missing-comma): long rows are two literals
static const char *const rules[] = {
    // doom darkmod quake4 rbdoom ironwail 0.8.1 vkquake 1.35 qss fte q2pro yquake2 cube2 daemon =
    "version                 EEEEFEFEEFFFFF= MD5Version is not 10",
    "no-version              EEEEFEFEEFF--F= MD5Version is missing",
    "no-commandline          EEEE------F--F= commandline is missing",
    "long-commandline        ----FE-.E------ command line of 1024 bytes or more",
    "mesh-name               ----FEFEEFF--F- keyword name in a mesh",
    "unknown-word            EEEEFEFEEFF--F= unknown keyword",
    "section-order           EEEEFEFEE-F--F- sections of a mesh file out of order",
    "section-order/clip      EEEEFEFEEFFM-F- sections of a clip out of order",
    "missing-section         EEEEFEFEEFF..F- missing section",
    "brace-line              ------------XF- { on another line than its keyword",
    "brace-column            ------------X-- } is not the first character of its line",
    "broken-row              ------------XF- entry over several lines",
    "no-blanks               ---------.FF--- no blanks around parentheses",
    "row-order               SSSS---------S= entries with indices out of order",
    "nan                     EEEEXXXXXXXXXX= nan or inf",
    "nan/mark                EEEESSSSSSFSSS= 1.#IND or similar, read as 1",
    "nan/suffix              ----......F...- number with the suffix f",
    "capital-exponent        EEEE----------- exponent with a capital E",
    "decimal-comma           EEEESSSSSSFSXS= decimal comma",
    "plus-sign               EEEE----------- number with a plus sign",
    "octal                   SSSSSSSSS.-...- integer with a leading 0, read as octal",
    "leading-zero            EEEE----------- number such as 00.5, 08 or 0e5",
    "hexadecimal             ---------SFSMS= hexadecimal number such as 0x3F",
    "bare-name               EEEE----------- name without quotes that contains other characters "
    "than letters, digits and _ / \\ : .",
    "row-count               EEEESSSSSFFMMF= wrong number of vertices, triangles or weights",
    "joint-count             EEEEFEFEEEFFFF= wrong number of joints",
    "no-weights              EEEESSSSSFSSSS= vertex without weights",
    "weight-range            MMMMFEFEEMFMMM= vertex that refers to weights outside numweights",
    "weight-joint            EEEEFEFEEFFFMM= weight on a joint outside numJoints",
    "triangle-corner         EEEEFEFEEMFMMM= triangle that refers to a vertex outside numverts",
    "parent-order            XXXXXXFEXF--.S= joint before its parent",
    "parent-order/last       EEEEXXFEXF--.S= child of the last joint, or of a joint out of range",
    "roots                   ---------F----- several roots in a mesh file",
    "roots/clip              EEEE-----F----- several roots in a clip",
    "many-joints             ---XXXXXXXF-XF- more than 256 joints",
    "4-weights               ---SSS--SS--SE- more than 4 weights on a vertex",
    "8-weights               ------SS------- more than 8 weights on a vertex",
    "many-vertices           ---XXXXXX.F.X-- more than 65535 vertices in a mesh",
    "q2pro-limit             ----------F---- limit of q2pro is exceeded",
    "weight-sum              SSSSSS--SSSSSS- weights that do not sum to 1 within 0.001",
    "negative-weight         SSSSXXSSSSSSSX- negative weight",
    "long-rotation           SSSSSSSSSSSSSS= rotation whose x y z is longer than 1",
    "long-name               ----FE--E----.- joint name of 32 bytes or more",
    "blank-name              ------------X-- blank in a joint name",
    "same-name               ------FE------- duplicate joint name in a clip",
    "same-name/mesh          SSSS--S--.....- duplicate joint name in a mesh file: the first joint "
    "is used",
    "clip-joint-count        EEEWFE-EEWFMFW- clip and mesh have different numbers of joints",
    "clip-joint-name         EEEEFESEEW---S- joint of a clip that its mesh does not have",
    "clip-joint-order        EEEEFE-EEWSSSS- joints of a clip in another order than in its mesh",
    "clip-joint-parent       EEEEFEFEEW--SS- joint with another parent than in the mesh",
    "clip-scale              SSSSSSSSSSSSSS- bones of a clip longer or shorter than in its mesh",
    "clip-turn               SSSSSSSSSSSSSS- clip rotated relative to its mesh",
    "flags                   EEEEFEFEE----.= joint flags above 63",
    "components              MMMMSSFESMFMMM= components of a joint outside those of a frame",
    "first-component         EEEEFEFEE.F...= first component out of range, for a joint without "
    "components",
    "base-frame-needed       ----XX-XX------ components without flag that are not 0 in the base "
    "frame",
    "base-frame-root         SSSS----------- root of frame 0 differs from the base frame: cycles "
    "drift",
    "frame-size              EEEEFEFEE.F...= wrong number of values in a frame",
    "frame-count             EEEEXXSSXFFSMF= fewer frames than numFrames",
    "frame-number            EEEEFEFEEFFFMF= frames not numbered from 0",
    "frame-order             EEEE-----F---F= frame numbers out of order",
    "more-frames             ----FEFEE--FM-- more frames than numFrames",
    "frame-rate              EEEE---------.= frameRate 0",
    "bounds-count            EEEE-----FFS-F= number of bounding boxes differs from numFrames",
    "bounds                  S-SS---------S= empty bounding box: the model is not visible",
    "no-skin                 ----XXWWX------ missing image progs/SHADER_00_00",
    "long-skin               ----XX--X------ progs/SHADER_00_00 has 64 bytes or more",
    "long-skin/58            ----XXW.X------ SHADER_00_00 has 64 bytes or more",
    "shader-name             SSSSXXWWXS---S- empty shader name, or an absolute path",
    // Of game folders.
    "no-material             SSSS----------- material without a declaration and without an image "
    "of its name",
    "no-image                SSSS----------- missing image of a material",
    "no-image/unreadable     SSSS----------- unreadable image of a material",
    "no-skin-decl            SSSS----------- skin without a declaration",
    "defaulted               F-------------- modelDef that is replaced by the default",
    "defaulted/material      S-------------- material of a mesh that is replaced by the default",
    "no-clip                 ----FEXXXS----- no clip with the same name",
    "no-meshes               ----FEFEEFFSFF= numMeshes 0",
    "mesh-count              EEEEFEFEE-F--F= fewer meshes than numMeshes",
    "empty-mesh              NNNNNNNNNNNNNN- mesh without triangles",
    "no-area                 NNNNNNNNNNNNNN- triangles with zero area",
    "more-meshes-than-joints --------M------ more meshes than joints",
    "text-before             --------FF---F- text before MD5Version",
    "seam                    SSSSSSSSSSSSSS- vertices at a seam with slightly different positions: "
    "lighting breaks there",
    "weights-apart           ----SS--S------ weights of a vertex with different positions",
    "inside-out              SSSSSSSSSSSS.S- closed mesh that faces inwards",
    // What is culled by the boxes of a clip, or by that of the bind pose, vanishes while it is
    // seen.
    "bounds-small            S-SS---------S- skin outside the bounding boxes of the clip: it "
    "disappears too early",
    "bind-box                ----SSSSS------ skin outside the bounding box of the bind pose: it "
    "disappears too early",
    "loop                    SSSS----------- last frame of a loop that differs from the first",
    "root-drift              SSSS----------- root of an in-place loop that does not return to its "
    "start",
    "sliding-feet            SSSSSSSSSSSSSS- feet that slide while they stand",
    "fewer-frames            ----SSSSSSWS--- fewer frames than the .mdl or .md2 that is replaced",
    "tga-kind                E..E--........- TGA that is neither of 24 or 32 bits nor grayscale, "
    "types 2, 10 and 3",
    "pcx-kind                ....EEEE..F..-- PCX that does not have one plane of 8 bits",
    "image-sides             S...----......- image with sides that are not powers of two: it is "
    "reduced",
};
// NOLINTEND(bugprone-suspicious-missing-comma)
enum { NUM_RULES = MD5_COUNT(rules) };

// Whether a version such as "0.8.1" is before another one, number by number.
static bool is_before(const char *version, const char *other)
{
    while (*version || *other) {
        char *end = NULL;
        char *other_end = NULL;
        const unsigned long a = strtoul(version, &end, 10);
        const unsigned long b = strtoul(other, &other_end, 10);
        if (a != b)
            return a < b;
        version = *end == '.' ? end + 1 : "";
        other = *other_end == '.' ? other_end + 1 : "";
    }
    return false;
}

uint32_t md5_find_engines(const char *name)
{
    uint32_t found = strcmp(name, "md5model") == 0 ? MD5_ENGINE_LIBRARY : 0;
    const size_t length = strcspn(name, ":");
    const char *const version = name[length] ? name + length + 1 : NULL; // NULL: the newest
    if (version && (*version == '\0' || version[strspn(version, "0123456789.")] != '\0'))
        return 0;
    for (uint32_t i = 0; i < NUM_ENGINES; i++) {
        const char *const names[] = {engines[i].name, engines[i].alias, "all"};
        const char *const old = i + 1 < NUM_ENGINES ? engines[i + 1].below : NULL;
        const bool is_meant = engines[i].below ? version && is_before(version, engines[i].below)
                                               : !(version && old && is_before(version, old));
        if (is_meant) {
            for (uint32_t k = 0; k < 3; k++)
                if (names[k] && strlen(names[k]) == length && strncmp(names[k], name, length) == 0)
                    found |= UINT32_C(1) << i;
        }
    }
    return found;
}

size_t md5_engine_names(uint32_t set, char *text, size_t size)
{
    static const struct engine library = {"md5model", NULL, NULL};
    size_t used = 0;
    if (size > 0)
        text[0] = '\0';
    for (int i = -1; i < NUM_ENGINES; i++) {
        const struct engine *const engine = i < 0 ? &library : &engines[i];
        if (!(set & (i < 0 ? MD5_ENGINE_LIBRARY : UINT32_C(1) << i)))
            continue;
        const size_t left = used < size ? size - used : 0;
        char *const end = left > 0 ? text + used : NULL;
        const char *const format = engine->below ? "%s%s before %s" : "%s%s";
        used +=
            (size_t)snprintf(end, left, format, used > 0 ? ", " : "", engine->name, engine->below);
    }
    return used;
}

bool md5_get_rule(uint32_t number, md5_engines asked, md5_diagnostic *diagnostic)
{
    *diagnostic = (md5_diagnostic){.error = {.status = MD5_WARNING}, .count = 1, .is_silent = true};
    if (number >= NUM_RULES)
        return false;
    const char *const rule = rules[number];
    char *at = diagnostic->engines;
    char *const end = at + sizeof diagnostic->engines;
    memcpy(diagnostic->rule, rule, strcspn(rule, "/ "));
    diagnostic->is_library_too = rule[EFFECTS + NUM_ENGINES] == '=';
    snprintf(diagnostic->error.message, sizeof diagnostic->error.message, "%s", rule + WHAT);
    for (uint32_t k = 0; k < MD5_COUNT(effects); k++) {
        uint32_t set = 0;
        for (uint32_t i = 0; i < NUM_ENGINES; i++)
            set |= (uint32_t)(rule[EFFECTS + i] == effects[k].letter) << i;
        set &= asked.all;
        if (set == 0)
            continue;
        at += snprintf(at, (size_t)(end - at), "%s%s ", diagnostic->is_silent ? "" : "; ",
                       effects[k].text);
        at += md5_engine_names(set, at, (size_t)(end - at));
        diagnostic->is_silent = false;
        if (effects[k].is_error && asked.sure & set)
            diagnostic->error.status = MD5_ERROR_MISMATCH;
    }
    return true;
}

// == Findings =====================================================================================

md5_checker *md5i_begin_check(const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena kept = {.context = &context};
    md5_checker *const from = MD5_NEW(&kept, md5_checker, 1);
    uint32_t *const numbers = from ? MD5_NEW(&kept, uint32_t, NUM_RULES) : NULL;
    const char *const name = opts && opts->file_name ? opts->file_name : "";
    char *const file = numbers ? md5_copy_text(&kept, name, strlen(name)) : NULL;
    if (!file) {
        md5i_arena_free(&kept);
        return NULL;
    }
    context.warn = NULL;
    *from = (md5_checker){.context = context, .numbers = numbers};
    from->check.file = file;
    from->check.internal.tag = MD5_TAG_CHECK;
    from->kept = (md5_arena){.context = &from->context, .chunks = kept.chunks};
    from->scratch.context = &from->context;
    return from;
}

void md5_free_check(md5_check *check)
{
    MD5_ASSERT_NULL_OR_ALIVE(check, MD5_TAG_CHECK);
    if (!check)
        return;
    // Its own memory goes, too.
    md5_checker *const from = (md5_checker *)check;
    md5_context context = from->context;
    md5_arena kept = {.context = &context, .chunks = from->kept.chunks};
    md5i_arena_free_object(&kept);
}

// Bytes that are not printable UTF-8 are escaped.
static void write_message(char message[sizeof((md5_error *)0)->message], const char *text)
{
    size_t used = 0;
    for (const char *at = text, *const end = text + strlen(text); at < end;) {
        char bytes[MD5_ESCAPED];
        const size_t count = md5i_escape(&at, end, bytes);
        if (used + count >= sizeof((md5_error *)0)->message)
            break;
        memcpy(message + used, bytes, count);
        used += count;
    }
    message[used] = '\0';
}

// Adds a diagnostic of a row of the table.
static void add(md5_checker *from, uint32_t row, md5_text_place at, const char *text)
{
    md5_check *const check = &from->check;
    md5_diagnostic *const diagnostics = (md5_diagnostic *)md5_grow(
        &from->kept, check->diagnostics, check->num_diagnostics, sizeof *diagnostics);
    if (!diagnostics)
        return;
    md5_diagnostic *const to = &diagnostics[check->num_diagnostics++];
    check->diagnostics = diagnostics;
    md5_get_rule(row, check->engines, to);
    write_message(to->error.message, text);
    memcpy(to->error.file, from->context.error.file, sizeof to->error.file);
    to->error.line = at.line;
    to->error.column = at.column;
}

static uint32_t find_row(const char *rule)
{
    const size_t size = strlen(rule);
    uint32_t row = 0;
    while (row < NUM_RULES && (strncmp(rules[row], rule, size) != 0 || rules[row][size] != ' '))
        row++;
    return row;
}

// Room for what quotes cut to 256 bytes and more, whose bytes may all be escaped.
typedef char md5_raw_message[1024];

void md5i_add_diagnostic(md5_checker *from, const char *rule, md5_text_place at, const char *format,
                         ...)
{
    md5_raw_message text;
    MD5_PRINT(text, format);
    add(from, find_row(rule), at, text);
}

void md5i_found(md5_checker *from, const char *rule, md5_text_place at, const char *format, ...)
{
    const uint32_t row = find_row(rule);
    md5_raw_message text;
    if (from->numbers[row] > 0) {
        from->check.diagnostics[from->numbers[row] - 1].count++;
        return;
    }
    MD5_PRINT(text, format);
    add(from, row, at, text);
    from->numbers[row] = from->check.num_diagnostics;
}

bool md5_add_diagnostic(md5_check *check, const char *rule, uint32_t line, uint32_t column,
                        const char *text)
{
    MD5_ASSERT_ALIVE(check, MD5_TAG_CHECK);
    const uint32_t row = find_row(rule);
    const uint32_t count = check->num_diagnostics;
    MD5_ASSERT(row < NUM_RULES, "rule: must be the name of a rule");
    if (row < NUM_RULES)
        add((md5_checker *)check, row, (md5_text_place){line, column}, text);
    return check->num_diagnostics > count;
}
