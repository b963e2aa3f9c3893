// The engines that read MD5 files, the rules that files break for them, and what was found.
//
// What an engine does was read in its source: dhewm3 ae43c289 (The Dark Mod 5793b30b, openQ4
// 4066e3f and the SDK of Quake 4 are alike here), RBDOOM-3-BFG 95306dbd, Ironwail 7ff4ec57, vkQuake
// 46e5e6dd, QSS-M 46a47195, FTEQW 93257c1a, q2pro 3aa0d40b, yquake2remaster e98451aa, Red Eclipse
// faf378d1, Daemon b276137b. Four of them were also run.
#include "md5/edit/check.h"

#include <stdlib.h>

// == Engines and rules ============================================================================

// The number of engines, and where parts of a row of rules stand.
enum { NUM_ENGINES = 14, VERDICTS = 24, WHAT = VERDICTS + NUM_ENGINES + 2 };

// In the order of the letters of the rules. Of some an old version is an engine of its own, behind
// the newest.
static const struct engine {
    const char *name, *alias;
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
    {'M', true, "memory of others read by"},
    {'X', true, "broken or invisible in"},
    {'S', false, "wrong in"},
    {'W', false, "warned of by"},
    {'N', false, "not drawn by"},
};

// A row has a name; what each engine does, and '=' if this library reports the same line; and what
// breaks the rule. A name with a slash is a row of its own for the rule before it.
// NOLINTBEGIN(bugprone-suspicious-missing-comma): long rows are two literals
static const char *const rules[] = {
    // doom darkmod quake4 rbdoom ironwail 0.8.1 vkquake 1.35 qss fte q2pro yquake2 cube2 daemon =
    "version                 EEEEFEFEEFFFFF= the version is not 10",
    "no-version              EEEEFEFEEFF--F= no line MD5Version",
    "no-commandline          EEEE------F--F= no line commandline",
    "long-commandline        ----FE-.E------ a command line of 1024 bytes or more",
    "mesh-name               ----FEFEEFF--F- the word name in a mesh",
    "unknown-word            EEEEFEFEEFF--F= a word that is not one of the format",
    "section-order           EEEEFEFEE-F--F- words of a mesh file in another order",
    "section-order/clip      EEEEFEFEEFFM-F- sections of a clip in another order",
    "missing-section         EEEEFEFEEFF..F- a section is missing",
    "brace-line              ------------XF- { on another line than its word",
    "brace-column            ------------X-- } is not the first of its line",
    "broken-row              ------------XF- a row over several lines",
    "no-blanks               ---------.FF--- no blanks around parentheses",
    "row-order               SSSS---------S= numbers of rows out of order",
    "nan                     EEEEXXXXXXXXXX= nan or inf",
    "nan/mark                EEEESSSSSSFSSS= 1.#IND or the like, read as 1",
    "nan/suffix              ----......F...- a number with the suffix f",
    "capital-exponent        EEEE----------- an exponent with E",
    "decimal-comma           EEEESSSSSSFSXS= a decimal comma",
    "plus-sign               EEEE----------- a number with +",
    "octal                   SSSSSSSSS.-...- an integer that begins with 0: octal",
    "leading-zero            EEEE----------- a number like 00.5, 08 or 0e5",
    "hexadecimal             ---------SFSMS= a number like 0x3F",
    "bare-name               EEEE----------- a name without quotes that letters, digits and _ / "
    "\\ : . do not make",
    "row-count               EEEESSSSSFFMMF= other rows of a mesh than counted",
    "joint-count             EEEEFEFEEEFFFF= another number of joints than counted",
    "no-weights              EEEESSSSSFSSSS= a vertex without weights",
    "weight-range            MMMMFEFEEMFMMM= a vertex with weights beyond numweights",
    "weight-joint            EEEEFEFEEFFFMM= a weight on a joint beyond numJoints",
    "triangle-corner         EEEEFEFEEMFMMM= a corner beyond numverts",
    "parent-order            XXXXXXFEXF--.S= a joint before its parent",
    "parent-order/last       EEEEXXFEXF--.S= a child of the last joint, or of one beyond it",
    "roots                   ---------F----- several roots in a mesh file",
    "roots/clip              EEEE-----F----- several roots in a clip",
    "many-joints             ---XXXXXXXF-XF- more than 256 joints",
    "4-weights               ---SSS--SS--SE- more than 4 weights on a vertex",
    "8-weights               ------SS------- more than 8 weights on a vertex",
    "many-vertices           ---XXXXXX.F.X-- more than 65535 vertices in a mesh",
    "q2pro-limit             ----------F---- a limit of q2pro",
    "weight-sum              SSSSSS--SSSSSS- weights that do not sum to 1 within 0.001",
    "negative-weight         SSSSXXSSSSSSSX- a negative weight",
    "long-rotation           SSSSSSSSSSSSSS= x y z of a rotation longer than 1",
    "long-name               ----FE--E----.- a joint name of 32 bytes or more",
    "blank-name              ------------X-- a blank in a joint name",
    "same-name               ------FE------- a name twice in a clip",
    "same-name/mesh          SSSS--S--.....- a name twice in a mesh file: the first is found",
    "clip-joint-count        EEEWFE-EEWFMFW- a clip with another number of joints than its mesh",
    "clip-joint-name         EEEEFESEEW---S- a joint of a clip that its mesh does not have",
    "clip-joint-order        EEEEFE-EEWSSSS- joints of a clip in another order than in its mesh",
    "clip-joint-parent       EEEEFEFEEW--SS- a joint with another parent than in the mesh",
    "clip-scale              SSSSSSSSSSSSSS- bones of a clip that are longer or shorter than its "
    "mesh's",
    "clip-turn               SSSSSSSSSSSSSS- clips that are turned against their mesh",
    "flags                   EEEEFEFEE----.= flags above 63",
    "components              MMMMSSFESMFMMM= components of a joint beyond those of a frame",
    "first-component         EEEEFEFEE.F...= a first component out of range, of a joint without "
    "any",
    "base-frame-needed       ----XX-XX------ components without flag that are not 0 in the base "
    "frame",
    "base-frame-root         SSSS----------- the root of frame 0 is not that of the base frame: "
    "cycles drift",
    "frame-size              EEEEFEFEE.F...= other numbers in a frame than counted",
    "frame-count             EEEEXXSSXFFSMF= fewer frames than counted",
    "frame-number            EEEEFEFEEFFFMF= frames not numbered from 0",
    "frame-order             EEEE-----F---F= frames whose numbers are out of order",
    "more-frames             ----FEFEE--FM-- more frames than counted",
    "frame-rate              EEEE---------.= frameRate 0",
    "bounds-count            EEEE-----FFS-F= other boxes than frames",
    "bounds                  S-SS---------S= a box that holds nothing: the model vanishes",
    "no-skin                 ----XXWWX------ no image progs/SHADER_00_00",
    "long-skin               ----XX--X------ progs/SHADER_00_00 has 64 bytes or more",
    "long-skin/58            ----XXW.X------ SHADER_00_00 has 64 bytes or more",
    "shader-name             SSSSXXWWXS---S- a shader without a name, or an absolute path",
    // Of game folders.
    "no-material             SSSS----------- a material that is declared nowhere, and no image "
    "has the name",
    "no-image                SSSS----------- an image of a material that is missing",
    "no-image/unreadable     SSSS----------- an image of a material that cannot be read",
    "no-skin-decl            SSSS----------- a skin that is declared nowhere",
    "defaulted               F-------------- a modelDef that is replaced by the default",
    "defaulted/material      S-------------- a material of a mesh that is replaced by the default",
    "no-clip                 ----FEXXXS----- no clip of the same name",
    "no-meshes               ----FEFEEFFSFF= numMeshes 0",
    "mesh-count              EEEEFEFEE-F--F= fewer meshes than counted",
    "empty-mesh              NNNNNNNNNNNNNN- a mesh without triangles",
    "no-area                 NNNNNNNNNNNNNN- triangles without area",
    "more-meshes-than-joints --------M------ more meshes than joints",
    "text-before             --------FF---F- text before MD5Version",
    "seam                    SSSSSSSSSSSSSS- vertices of a seam at not quite the same place: "
    "light breaks there",
    "weights-apart           ----SS--S------ weights of a vertex at different places",
    "inside-out              SSSSSSSSSSSS.S- a closed mesh that faces inwards",
    // What is culled by the boxes of a clip, or by that of the bind pose, vanishes while it is
    // seen.
    "bounds-small            S-SS---------S- the skin reaches out of the boxes of the clip: it "
    "vanishes too early",
    "bind-box                ----SSSSS------ the skin reaches out of the box of the bind pose: "
    "it vanishes too early",
    "loop                    SSSS----------- the last frame of a loop is not the first again",
    "root-drift              SSSS----------- the root of a loop that stays does not come back",
    "sliding-feet            SSSSSSSSSSSSSS- feet that move while they stand",
    "fewer-frames            ----SSSSSSWS--- fewer frames than the .mdl or .md2 that is replaced",
    "tga-kind                E..E--........- a TGA that is neither of 24 or 32 bits nor gray, "
    "types 2, 10 and 3",
    "pcx-kind                ....EEEE..F..-- a PCX that is not of one plane of 8 bits",
    "image-sides             S...----......- an image whose sides are no powers of two: it is "
    "shrunk",
};
// NOLINTEND(bugprone-suspicious-missing-comma)
enum { NUM_RULES = MD5_COUNT(rules) };

// Whether a version such as "0.8.1" is before another one, number by number.
static bool is_before(const char *version, const char *other)
{
    while (*version || *other) {
        char *end = NULL, *other_end = NULL;
        const unsigned long a = strtoul(version, &end, 10), b = strtoul(other, &other_end, 10);
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
    MD5_FOR (i, NUM_ENGINES) {
        const char *const names[] = {engines[i].name, engines[i].alias, "all"};
        const char *const old = i + 1 < NUM_ENGINES ? engines[i + 1].below : NULL;
        const bool is_meant = engines[i].below ? version && is_before(version, engines[i].below)
                                               : !(version && old && is_before(version, old));
        MD5_FOR_WHILE (k, 3, is_meant)
            if (names[k] && strlen(names[k]) == length && strncmp(names[k], name, length) == 0)
                found |= UINT32_C(1) << i;
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
        const size_t at = used < size ? used : size;
        used += (size_t)snprintf(text + at, size - at, engine->below ? "%s%s before %s" : "%s%s",
                                 used > 0 ? ", " : "", engine->name, engine->below);
    }
    return used;
}

bool md5_get_rule(uint32_t number, md5_engines asked, md5_finding *finding)
{
    *finding = (md5_finding){.error = {.status = MD5_WARNING}, .count = 1, .is_silent = true};
    if (number >= NUM_RULES)
        return false;
    const char *const rule = rules[number];
    char *at = finding->engines, *const end = at + sizeof finding->engines;
    memcpy(finding->rule, rule, strcspn(rule, "/ "));
    finding->is_library_too = rule[VERDICTS + NUM_ENGINES] == '=';
    snprintf(finding->error.message, sizeof finding->error.message, "%s", rule + WHAT);
    MD5_FOR (k, MD5_COUNT(effects)) {
        uint32_t set = 0;
        MD5_FOR (i, NUM_ENGINES)
            set |= (uint32_t)(rule[VERDICTS + i] == effects[k].letter) << i;
        set &= asked.all;
        if (set == 0)
            continue;
        at += snprintf(at, (size_t)(end - at), "%s%s ", finding->is_silent ? "" : "; ",
                       effects[k].text);
        at += md5_engine_names(set, at, (size_t)(end - at));
        finding->is_silent = false;
        if (effects[k].is_error && asked.sure & set)
            finding->error.status = MD5_ERROR_MISMATCH;
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
    from->kept = (md5_arena){.context = &from->context, .chunks = kept.chunks};
    from->scratch.context = &from->context;
    return from;
}

void md5_free_check(md5_check *check)
{
    if (!check)
        return;
    // Its own memory goes, too.
    md5_checker *const from = (md5_checker *)check;
    md5_context context = from->context;
    md5_arena kept = {.context = &context, .chunks = from->kept.chunks};
    md5i_arena_free(&kept);
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

// Adds a finding of a row of the table.
static void add(md5_checker *from, uint32_t row, md5_text_place at, const char *text)
{
    md5_check *const check = &from->check;
    md5_finding *const findings = (md5_finding *)md5_grow(&from->kept, check->findings,
                                                          check->num_findings, sizeof *findings);
    if (!findings)
        return;
    md5_finding *const to = &findings[check->num_findings++];
    check->findings = findings;
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

void md5i_add_finding(md5_checker *from, const char *rule, md5_text_place at, const char *format,
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
        from->check.findings[from->numbers[row] - 1].count++;
        return;
    }
    MD5_PRINT(text, format);
    add(from, row, at, text);
    from->numbers[row] = from->check.num_findings;
}

bool md5_add_finding(md5_check *check, const char *rule, uint32_t line, uint32_t column,
                     const char *text)
{
    const uint32_t row = find_row(rule), count = check->num_findings;
    MD5_ASSERT(row < NUM_RULES, "rule: the name of one");
    if (row < NUM_RULES)
        add((md5_checker *)check, row, (md5_text_place){line, column}, text);
    return check->num_findings > count;
}
