// The engines that read MD5 files, and the rules that files break for them.
//
// What an engine does was read in its source: dhewm3 ae43c289 (The Dark Mod 5793b30b, openQ4
// 4066e3f and the SDK of Quake 4 are alike here), RBDOOM-3-BFG 95306dbd, Ironwail 7ff4ec57, vkQuake
// 46e5e6dd, QSS-M 46a47195, FTEQW 93257c1a, q2pro 3aa0d40b, yquake2remaster e98451aa, Red Eclipse
// faf378d1, Daemon b276137b. Four of them were also run.
#include "demo/tool/rules.h"

#include "demo/common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// == Engines and rules ============================================================================

// In the order of the letters of the rules. Of some an old version is an engine of its own, behind
// the newest.
static const struct {
    const char *name, *alias;
    const char *below; // it stands for the versions below this one; NULL: for the newest
} engines[TOOL_NUM_ENGINES] = {
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
enum { NUM_EFFECTS = sizeof effects / sizeof effects[0] };

static const struct {
    const char *name;
    char verdicts[TOOL_NUM_ENGINES + 2]; // the last one: '=' if this library reports the same line
    const char *what;
} rules[NUM_RULES] = {
    // doom darkmod quake4 rbdoom ironwail 0.8.1 vkquake 1.35 qss fte q2pro yquake2 cube2 daemon =
    [RULE_VERSION] = {"version", "EEEEFEFEEFFFFF=", "the version is not 10"},
    [RULE_NO_VERSION] = {"no-version", "EEEEFEFEEFF--F=", "no line MD5Version"},
    [RULE_COMMAND_LINE] = {"no-commandline", "EEEE------F--F=", "no line commandline"},
    [RULE_LONG_LINE] = {"long-commandline", "----FE-.E------",
                        "a command line of 1024 bytes or more"},
    [RULE_MESH_NAME] = {"mesh-name", "----FEFEEFF--F-", "the word name in a mesh"},
    [RULE_WORD] = {"unknown-word", "EEEEFEFEEFF--F=", "a word that is not one of the format"},
    [RULE_ORDER] = {"section-order", "EEEEFEFEE-F--F-", "words of a mesh file in another order"},
    [RULE_ORDER_CLIP] = {"section-order", "EEEEFEFEEFFM-F-", "sections of a clip in another order"},
    [RULE_MISSING] = {"missing-section", "EEEEFEFEEFF..F-", "a section is missing"},
    [RULE_BRACE] = {"brace-line", "------------XF-", "{ on another line than its word"},
    [RULE_BRACE_END] = {"brace-column", "------------X--", "} is not the first of its line"},
    [RULE_BROKEN_ROW] = {"broken-row", "------------XF-", "a row over several lines"},
    [RULE_BLANKS] = {"no-blanks", "---------.FF---", "no blanks around parentheses"},
    [RULE_ROW_ORDER] = {"row-order", "SSSS---------S=", "numbers of rows out of order"},
    [RULE_NAN] = {"nan", "EEEEXXXXXXXXXX=", "nan or inf"},
    [RULE_IND] = {"nan", "EEEESSSSSSFSSS=", "1.#IND or the like, read as 1"},
    [RULE_EXPONENT] = {"capital-exponent", "EEEE-----------", "an exponent with E"},
    [RULE_COMMA] = {"decimal-comma", "EEEESSSSSSFSXS=", "a decimal comma"},
    [RULE_PLUS] = {"plus-sign", "EEEE-----------", "a number with +"},
    [RULE_OCTAL] = {"octal", "SSSSSSSSS.-...-", "an integer that begins with 0: octal"},
    [RULE_LEADING_ZERO] = {"leading-zero", "EEEE-----------", "a number like 00.5, 08 or 0e5"},
    [RULE_HEX] = {"hexadecimal", "---------SFSMS=", "a number like 0x3F"},
    [RULE_BARE_NAME] = {"bare-name", "EEEE-----------",
                        "a name without quotes that letters, digits and _ / \\ : . do not make"},
    [RULE_ROWS] = {"row-count", "EEEESSSSSFFMMF=", "other rows of a mesh than counted"},
    [RULE_JOINTS] = {"joint-count", "EEEEFEFEEEFFFF=", "another number of joints than counted"},
    [RULE_NO_WEIGHTS] = {"no-weights", "EEEESSSSSFSSSS=", "a vertex without weights"},
    [RULE_WEIGHT_RANGE] = {"weight-range",
                           "MMMMFEFEEMFMMM=", "a vertex with weights beyond numweights"},
    [RULE_WEIGHT_JOINT] = {"weight-joint",
                           "EEEEFEFEEFFFMM=", "a weight on a joint beyond numJoints"},
    [RULE_CORNER] = {"triangle-corner", "EEEEFEFEEMFMMM=", "a corner beyond numverts"},
    [RULE_PARENT] = {"parent-order", "XXXXXXFEXF--.S=", "a joint before its parent"},
    [RULE_LAST_PARENT] = {"parent-order",
                          "EEEEXXFEXF--.S=", "a child of the last joint, or of one beyond it"},
    [RULE_ROOTS] = {"roots", "---------F-----", "several roots in a mesh file"},
    [RULE_ROOTS_CLIP] = {"roots", "EEEE-----F-----", "several roots in a clip"},
    [RULE_256_JOINTS] = {"many-joints", "---XXXXXXXF-XF-", "more than 256 joints"},
    [RULE_4_WEIGHTS] = {"4-weights", "---SSS--SS--SE-", "more than 4 weights on a vertex"},
    [RULE_8_WEIGHTS] = {"8-weights", "------SS-------", "more than 8 weights on a vertex"},
    [RULE_VERTICES] = {"many-vertices", "---XXXXXX.F.X--", "more than 65535 vertices in a mesh"},
    [RULE_Q2PRO_LIMIT] = {"q2pro-limit", "----------F----", "a limit of q2pro"},
    [RULE_SUM] = {"weight-sum", "SSSSSS--SSSSSS-", "weights that do not sum to 1 within 0.001"},
    [RULE_NEGATIVE] = {"negative-weight", "SSSSXXSSSSSSSX-", "a negative weight"},
    [RULE_LONG_ROTATION] = {"long-rotation",
                            "SSSSSSSSSSSSSS=", "x y z of a rotation longer than 1"},
    [RULE_LONG_NAME] = {"long-name", "----FE--E----.-", "a joint name of 32 bytes or more"},
    [RULE_BLANK_NAME] = {"blank-name", "------------X--", "a blank in a joint name"},
    [RULE_SAME_NAME] = {"same-name", "------FE-------", "a name twice in a clip"},
    [RULE_PAIR_COUNT] = {"clip-joint-count", "EEEWFE-EEWFMFW-",
                         "a clip with another number of joints than its mesh"},
    [RULE_PAIR_NAME] = {"clip-joint-name", "EEEEFESEEW---S-",
                        "a joint of a clip that its mesh does not have"},
    [RULE_PAIR_ORDER] = {"clip-joint-order", "EEEEFE-EEWSSSS-",
                         "joints of a clip in another order than in its mesh"},
    [RULE_PAIR_PARENT] = {"clip-joint-parent", "EEEEFEFEEW--SS-",
                          "a joint with another parent than in the mesh"},
    [RULE_FLAGS] = {"flags", "EEEEFEFEE----.=", "flags above 63"},
    [RULE_COMPONENTS] = {"components",
                         "MMMMSSFESMFMMM=", "components of a joint beyond those of a frame"},
    [RULE_FIRST] = {"first-component",
                    "EEEEFEFEE.F...=", "a first component out of range, of a joint without any"},
    [RULE_PARTIAL] = {"base-frame-needed", "----XX-XX------",
                      "components without flag that are not 0 in the base frame"},
    [RULE_BASE_ROOT] = {"base-frame-root", "SSSS-----------",
                        "the root of frame 0 is not that of the base frame: cycles drift"},
    [RULE_FRAME_SIZE] = {"frame-size", "EEEEFEFEE.F...=", "other numbers in a frame than counted"},
    [RULE_FRAMES] = {"frame-count", "EEEEXXSSXFFSMF=", "fewer frames than counted"},
    [RULE_FRAME_NUMBER] = {"frame-number", "EEEEFEFEEFFFMF=", "frames not numbered from 0"},
    [RULE_FRAME_ORDER] = {"frame-order",
                          "EEEE-----F---F=", "frames whose numbers are out of order"},
    [RULE_MORE_FRAMES] = {"more-frames", "----FEFEE--FM--", "more frames than counted"},
    [RULE_RATE] = {"frame-rate", "EEEE---------.=", "frameRate 0"},
    [RULE_BOUNDS_ROWS] = {"bounds-count", "EEEE-----FFS-F=", "other boxes than frames"},
    [RULE_BOUNDS] = {"bounds", "S-SS---------S=", "a box that holds nothing: the model vanishes"},
    [RULE_SKIN] = {"no-skin", "----XXWWX------", "no image progs/SHADER_00_00"},
    [RULE_LONG_SKIN] = {"long-skin", "----XX--X------", "progs/SHADER_00_00 has 64 bytes or more"},
    [RULE_LONG_SKIN_58] = {"long-skin", "----XXW.X------", "SHADER_00_00 has 64 bytes or more"},
    [RULE_SHADER] = {"shader-name", "SSSSXXWWXS---S-",
                     "a shader without a name, or an absolute path"},
    // Of game folders.
    [RULE_MATERIAL] = {"no-material", "SSSS-----------",
                       "a material that is declared nowhere, and no image has the name"},
    [RULE_IMAGE] = {"no-image", "SSSS-----------", "an image of a material that is missing"},
    [RULE_SKIN_DECL] = {"no-skin-decl", "SSSS-----------", "a skin that is declared nowhere"},
    [RULE_DEFAULTED] = {"defaulted", "F--------------",
                        "a modelDef that is replaced by the default"},
    [RULE_NO_CLIP] = {"no-clip", "----FEXXXS-----", "no clip of the same name"},
    [RULE_NO_MESHES] = {"no-meshes", "----FEFEEFFSFF=", "numMeshes 0"},
    [RULE_FEWER_MESHES] = {"mesh-count", "EEEEFEFEE-F--F=", "fewer meshes than counted"},
    [RULE_EMPTY_MESH] = {"empty-mesh", "NNNNNNNNNNNNNN-", "a mesh without triangles"},
    [RULE_NO_AREA] = {"no-area", "NNNNNNNNNNNNNN-", "triangles without area"},
    [RULE_MANY_MESHES] = {"more-meshes-than-joints", "--------M------", "more meshes than joints"},
    [RULE_BEFORE] = {"text-before", "--------FF---F-", "text before MD5Version"},
    [RULE_SEAM] = {"seam", "SSSSSSSSSSSSSS-",
                   "vertices of a seam at not quite the same place: light breaks there"},
    [RULE_APART] = {"weights-apart", "----SS--S------", "weights of a vertex at different places"},
    [RULE_INSIDE_OUT] = {"inside-out", "SSSSSSSSSSSS.S-", "a closed mesh that faces inwards"},
    // What is culled by the boxes of a clip, or by that of the bind pose, vanishes while it is
    // seen.
    [RULE_BOUNDS_SMALL] = {"bounds-small", "S-SS---------S-",
                           "the skin reaches out of the boxes of the clip: it vanishes too early"},
    [RULE_BIND_BOX] = {"bind-box", "----SSSSS------",
                       "the skin reaches out of the box of the bind pose: it vanishes too early"},
    [RULE_LOOP] = {"loop", "SSSS-----------", "the last frame of a loop is not the first again"},
    [RULE_ROOT_DRIFT] = {"root-drift", "SSSS-----------",
                         "the root of a loop that stays does not come back"},
    [RULE_FEET] = {"sliding-feet", "SSSSSSSSSSSSSS-", "feet that move while they stand"},
    [RULE_FEWER_FRAMES] = {"fewer-frames", "----SSSSSSWS---",
                           "fewer frames than the .mdl or .md2 that is replaced"},
    [RULE_TGA] = {"tga-kind", "E..E--........-",
                  "a TGA that is neither of 24 or 32 bits nor gray, types 2, 10 and 3"},
    [RULE_PCX] = {"pcx-kind", "....EEEE..F..--", "a PCX that is not of one plane of 8 bits"},
    [RULE_IMAGE_SIDES] = {"image-sides", "S...----......-",
                          "an image whose sides are no powers of two: it is shrunk"},
};

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

uint32_t tool_find_engines(const char *name)
{
    uint32_t found = strcmp(name, "md5model") == 0 ? TOOL_LIBRARY : 0;
    const size_t length = strcspn(name, ":");
    const char *const version = name[length] ? name + length + 1 : NULL; // NULL: the newest
    for (int i = 0; i < TOOL_NUM_ENGINES; i++) {
        const char *const names[] = {engines[i].name, engines[i].alias, "all"};
        const char *const old = i + 1 < TOOL_NUM_ENGINES ? engines[i + 1].below : NULL;
        const bool is_meant = engines[i].below ? version && is_before(version, engines[i].below)
                                               : !(version && old && is_before(version, old));
        for (int k = 0; k < 3 && is_meant; k++)
            if (names[k] && strlen(names[k]) == length && strncmp(names[k], name, length) == 0)
                found |= 1u << i;
    }
    return found;
}

// Writes the name with, for an old version, the one that it is older than.
static const char *name_engine(int i, char name[40])
{
    (void)snprintf(name, 40, engines[i].below ? "%s before %s" : "%s", engines[i].name,
                   engines[i].below);
    return name;
}

void tool_print_engines(uint32_t set)
{
    bool is_first = !(set & TOOL_LIBRARY);
    if (!is_first)
        fputs("md5model", stdout);
    for (int i = 0; i < TOOL_NUM_ENGINES; i++) {
        if (!(set >> i & 1))
            continue;
        char name[40];
        printf("%s%s", is_first ? "" : ", ", name_engine(i, name));
        is_first = false;
    }
}

// Returns whether one of the asked engines says anything, and writes what they say.
static bool judge(rule_id rule, tool_engines asked, tool_finding *found)
{
    size_t used = 0;
    bool has_any = false;
    for (int k = 0; k < NUM_EFFECTS; k++) {
        bool has_one = false;
        for (int i = 0; i < TOOL_NUM_ENGINES; i++) {
            if (!(asked.all >> i & 1) || rules[rule].verdicts[i] != effects[k].letter)
                continue;
            if (!has_one)
                used += (size_t)snprintf(found->engines + used, sizeof found->engines - used,
                                         "%s%s", has_any ? "; " : "", effects[k].text);
            char name[40];
            used += (size_t)snprintf(found->engines + used, sizeof found->engines - used, "%s %s",
                                     has_one ? "," : "", name_engine(i, name));
            has_one = has_any = true;
            if (effects[k].is_error && asked.sure >> i & 1)
                found->error.status = MD5_ERROR_MISMATCH;
        }
    }
    return has_any;
}

bool tool_minds(tool_engines asked, const char *rule)
{
    for (int i = 0; i < NUM_RULES; i++) {
        tool_finding found = {0};
        if (strcmp(rules[i].name, rule) == 0 && judge((rule_id)i, asked, &found))
            return true;
    }
    return false;
}

void tool_print_rules(void)
{
    for (int i = 0; i < NUM_RULES; i++) {
        tool_finding found = {0};
        judge((rule_id)i, (tool_engines){.all = tool_find_engines("all")}, &found);
        printf("%s: %s\n    %s\n", rules[i].name, rules[i].what, found.engines);
    }
}

// -- Findings -------------------------------------------------------------------------------------

void tool_add_finding(tool_facts *facts, rule_id rule, text_place at, const char *format,
                      va_list values)
{
    tool_finding found = {.error = {.status = MD5_WARNING, .line = at.line, .column = at.column},
                          .rule = rules[rule].name,
                          .is_library_too = rules[rule].verdicts[TOOL_NUM_ENGINES] == '=',
                          .count = 1};
    found.is_silent = !judge(rule, facts->asked, &found);
    tool_name_file(&found.error, facts->path);
    common_write_text(found.error.message, sizeof found.error.message, format, values);
    facts->found = common_grow(facts->found, facts->num_found, sizeof *facts->found);
    facts->found[facts->num_found++] = found;
}

void tool_found(tool_facts *facts, rule_id rule, uint32_t line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tool_add_finding(facts, rule, (text_place){line, line > 0}, format, values);
    va_end(values);
}

tool_facts *tool_create_facts(const char *path, tool_engines asked)
{
    tool_facts *const facts = common_alloc(1, sizeof *facts);
    facts->path = common_copy(path);
    facts->asked = asked;
    return facts;
}

void tool_free_facts(tool_facts *facts)
{
    if (!facts)
        return;
    for (uint32_t i = 0; i < facts->num_joints; i++)
        free(facts->joints[i].name);
    for (size_t i = 0; i < facts->num_shaders; i++)
        free(facts->shaders[i].name);
    free(facts->path);
    free(facts->joints);
    free(facts->shaders);
    free(facts->points);
    free(facts->found);
    free(facts);
}

void tool_forget_findings(tool_facts *facts)
{
    facts->num_found = 0;
}

const char *tool_facts_path(const tool_facts *facts)
{
    return facts->path;
}

uint32_t tool_asked_engines(const tool_facts *facts)
{
    return facts->asked.all;
}

static int by_place(const void *a, const void *b)
{
    const md5_error *const first = &((const tool_finding *)a)->error;
    const md5_error *const second = &((const tool_finding *)b)->error;
    if (first->line != second->line)
        return first->line < second->line ? -1 : 1;
    return (first->column > second->column) - (first->column < second->column);
}

const tool_finding *tool_findings(tool_facts *facts, size_t *count)
{
    *count = facts->num_found;
    if (facts->num_found > 0)
        qsort(facts->found, facts->num_found, sizeof *facts->found, by_place);
    return facts->found;
}

bool tool_is_judged(const tool_facts *facts, const md5_error *error)
{
    const bool may_be = facts && error->line > 0 && !(facts->asked.all & TOOL_LIBRARY);
    for (size_t i = 0; may_be && i < facts->num_found; i++)
        if (facts->found[i].is_library_too && facts->found[i].error.line == error->line)
            return true;
    return false;
}
