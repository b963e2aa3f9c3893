// What the engines that read MD5 files say to a file and to a clip with its mesh. The text is read
// here by itself, tolerantly: most rules are about files that the library, or another engine,
// refuses. `md5tool check --rules` prints the table.
//
// What an engine does was read in its source: dhewm3 ae43c289 (The Dark Mod 5793b30b, openQ4
// 4066e3f and the SDK of Quake 4 are alike here), RBDOOM-3-BFG 95306dbd, Ironwail 7ff4ec57, vkQuake
// 46e5e6dd, QSS-M 46a47195, FTEQW 93257c1a, q2pro 3aa0d40b, yquake2remaster e98451aa, Red Eclipse
// faf378d1, Daemon b276137b. Four of them were also run.
#include "demo/common/file.h"
#include "demo/common/text.h"
#include "demo/tool/tool.h"

#include <math.h>
#include <stdarg.h>
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
};
enum { NUM_EFFECTS = sizeof effects / sizeof effects[0] };

typedef enum rule_id {
    RULE_VERSION,
    RULE_COMMAND_LINE,
    RULE_MESH_NAME,
    RULE_WORD,
    RULE_ORDER,
    RULE_ORDER_CLIP,
    RULE_BRACE,
    RULE_BRACE_END,
    RULE_BROKEN_ROW,
    RULE_BLANKS,
    RULE_ROW_ORDER,
    RULE_NAN,
    RULE_IND,
    RULE_EXPONENT,
    RULE_COMMA,
    RULE_PLUS,
    RULE_OCTAL,
    RULE_ROWS,
    RULE_JOINTS,
    RULE_NO_WEIGHTS,
    RULE_WEIGHT_RANGE,
    RULE_WEIGHT_JOINT,
    RULE_CORNER,
    RULE_PARENT,
    RULE_LAST_PARENT,
    RULE_ROOTS,
    RULE_ROOTS_CLIP,
    RULE_256_JOINTS,
    RULE_4_WEIGHTS,
    RULE_8_WEIGHTS,
    RULE_VERTICES,
    RULE_Q2PRO_LIMIT,
    RULE_SUM,
    RULE_NEGATIVE,
    RULE_LONG_ROTATION,
    RULE_LONG_NAME,
    RULE_BLANK_NAME,
    RULE_SAME_NAME,
    RULE_PAIR_COUNT,
    RULE_PAIR_NAME,
    RULE_PAIR_ORDER,
    RULE_PAIR_PARENT,
    RULE_FLAGS,
    RULE_COMPONENTS,
    RULE_FIRST,
    RULE_PARTIAL,
    RULE_BASE_ROOT,
    RULE_FRAME_SIZE,
    RULE_FRAMES,
    RULE_FRAME_NUMBER,
    RULE_RATE,
    RULE_BOUNDS_ROWS,
    RULE_BOUNDS,
    RULE_SKIN,
    RULE_NO_CLIP,
    RULE_NO_MESHES,
    RULE_MANY_MESHES,
    RULE_BEFORE,
    RULE_SEAM,
    RULE_APART,
    RULE_INSIDE_OUT,
    NUM_RULES
} rule_id;

static const struct {
    const char *name;
    char verdicts[TOOL_NUM_ENGINES + 2]; // the last one: '=' if this library reports the same line
    const char *what;
} rules[NUM_RULES] = {
    // doom darkmod quake4 rbdoom ironwail 0.8.1 vkquake 1.35 qss fte q2pro yquake2 cube2 daemon =
    [RULE_VERSION] = {"version", "EEEEFEFEEFFFFF=", "the version is not 10"},
    [RULE_COMMAND_LINE] = {"no-commandline", "EEEE------F--F=", "no line commandline"},
    [RULE_MESH_NAME] = {"mesh-name", "----FEFEEFF--F-", "the word name in a mesh"},
    [RULE_WORD] = {"unknown-word", "EEEEFEFEEFF--F=", "a word that is not one of the format"},
    [RULE_ORDER] = {"section-order", "EEEEFEFEE-F--F-", "sections of a mesh file in another order"},
    [RULE_ORDER_CLIP] = {"section-order", "EEEEFEFEEFFM-F-", "sections of a clip in another order"},
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
    [RULE_ROWS] = {"row-count", "EEEESSSSSFFMMF=", "other rows of a mesh than counted"},
    [RULE_JOINTS] = {"joint-count", "EEEEFEFEEEFFFF=", "fewer joints than counted"},
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
    [RULE_RATE] = {"frame-rate", "EEEE---------.=", "frameRate 0"},
    [RULE_BOUNDS_ROWS] = {"bounds-count", "EEEE-----FFS-F=", "other boxes than frames"},
    [RULE_BOUNDS] = {"bounds", "S-SS---------S=", "a box that holds nothing: the model vanishes"},
    [RULE_SKIN] = {"no-skin", "----XXWWX------", "no image progs/SHADER_00_00"},
    [RULE_NO_CLIP] = {"no-clip", "----FEXXXS-----", "no clip of the same name"},
    [RULE_NO_MESHES] = {"no-meshes", "----FEFEEFFSFF=", "numMeshes 0"},
    [RULE_MANY_MESHES] = {"more-meshes-than-joints", "--------M------", "more meshes than joints"},
    [RULE_BEFORE] = {"text-before", "--------FF---F-", "text before MD5Version"},
    [RULE_SEAM] = {"seam", "SSSSSSSSSSSSSS-",
                   "vertices of a seam at not quite the same place: light breaks there"},
    [RULE_APART] = {"weights-apart", "----SS--S------", "weights of a vertex at different places"},
    [RULE_INSIDE_OUT] = {"inside-out", "SSSSSSSSSSSS.S-", "a mesh whose triangles face inwards"},
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

// == Reading the text =============================================================================

// What a byte is in a word; a word ends before those that are END.
enum {
    DIGIT = 1,
    POINT = 2,
    MINUS = 4,
    SMALL_E = 8,
    LARGE_E = 16,
    COMMA = 32,
    PLUS = 64,
    OTHER = 128,
    END = 256,  // of a word: a blank, a quote, a slash or a mark
    MARK = 512, // ( ) { }
};

typedef struct text_place {
    uint32_t line, column;
} text_place;

typedef struct named_joint {
    char *name;
    int32_t parent;
    uint32_t line, flags, first;
} named_joint;

// Of one file what its clip or mesh is compared with, and what was found.
struct tool_facts {
    char *path;
    bool is_clip, is_whole; // whole: read to its end
    tool_engines asked;
    const tool_facts *judged_with;    // the mesh that it was compared with last
    named_joint *joints;              // [num_joints]
    uint32_t num_joints, joints_line; // of the word numJoints
    char **shaders;                   // [num_shaders] of meshes
    size_t num_shaders;
    tool_finding *found; // [num_found]
    size_t num_found;
};

typedef struct reader {
    const char *at, *end, *line_start;
    uint32_t line;
    // The word that was read last.
    const char *text;
    size_t size;
    text_place word;
    uint32_t classes;
    bool is_quoted, is_glued; // glued: a parenthesis without a blank
    uint32_t row_line;        // where the row began
    tool_facts *facts;
    uint32_t place[NUM_RULES]; // of its finding, from 1
    uint16_t class_of[256];    // of bytes
    bool is_known;             // the library has read the file without a warning
    bool minds_layout;         // an engine that was asked reads lines
} reader;

// -- Findings -------------------------------------------------------------------------------------

static void add(tool_facts *facts, rule_id rule, text_place at, const char *format, va_list values)
{
    tool_finding found = {.error = {.status = MD5_WARNING, .line = at.line, .column = at.column},
                          .rule = rules[rule].name,
                          .is_library_too = rules[rule].verdicts[TOOL_NUM_ENGINES] == '=',
                          .count = 1};
    found.is_silent = !judge(rule, facts->asked, &found);
    tool_name_file(&found.error, facts->path);
    (void)vsnprintf(found.error.message, sizeof found.error.message, format, values);
    facts->found = common_grow(facts->found, facts->num_found, sizeof *facts->found);
    facts->found[facts->num_found++] = found;
}

// Reports what breaks a rule; of one rule once a file, at the first place, with the number.
static void found(reader *from, rule_id rule, text_place at, const char *format, ...)
{
    if (from->place[rule] > 0) {
        from->facts->found[from->place[rule] - 1].count++;
        return;
    }
    va_list values;
    va_start(values, format);
    add(from->facts, rule, at, format, values);
    va_end(values);
    from->place[rule] = (uint32_t)from->facts->num_found;
}

// Reports what breaks a rule in a line, or in none, 0, of what has been read.
static void found_later(tool_facts *facts, rule_id rule, uint32_t line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    add(facts, rule, (text_place){line, line > 0}, format, values);
    va_end(values);
}

// -- Words ----------------------------------------------------------------------------------------

static void set_classes(reader *from)
{
    static const struct {
        const char *bytes;
        uint16_t bits;
    } rows[] = {{"0123456789", DIGIT}, {".", POINT},        {"-", MINUS},
                {"e", SMALL_E},        {"E", LARGE_E},      {",", COMMA},
                {"+", PLUS},           {" \t\r\n\"/", END}, {"(){}", END | MARK}};
    for (int i = 0; i < 256; i++)
        from->class_of[i] = i < ' ' ? END : OTHER;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (const char *byte = rows[i].bytes; *byte; byte++)
            from->class_of[(unsigned char)*byte] = rows[i].bits;
}

// Skips blanks and comments. Returns the next byte, or NULL at the end.
static const char *skip_blanks(reader *from)
{
    const char *at = from->at, *const end = from->end;
    bool is_comment = false, is_long = false;
    for (; at < end; at++) {
        if (*at == '\n') {
            from->line++;
            from->line_start = at + 1;
            is_comment = false;
        } else if (is_long) {
            is_long = !(*at == '*' && end - at > 1 && at[1] == '/');
            at += !is_long;
        } else if (!is_comment && (unsigned char)*at > ' ') {
            if (*at != '/' || end - at < 2 || (at[1] != '/' && at[1] != '*'))
                break;
            is_comment = at[1] == '/';
            is_long = at[1] == '*';
            at++;
        }
    }
    from->at = at;
    return at < end ? at : NULL;
}

// Reads the next word: a parenthesis or a brace, a text in quotes, or what stands up to a blank.
static bool next(reader *from)
{
    const char *at = from->at, *const before = at, *const end = from->end;
    const bool was_mark = (from->classes & MARK) != 0;
    if (end - at > 1 && *at == ' ') // as between most words
        at++;
    from->size = 0;
    if (at == end || (unsigned char)*at <= ' ' || *at == '/') {
        at = skip_blanks(from);
        if (!at)
            return false;
    }
    uint32_t classes = from->class_of[(unsigned char)*at];
    from->is_quoted = *at == '"';
    from->is_glued = at == before && (was_mark || classes & MARK) && at > from->line_start;
    from->word = (text_place){from->line, (uint32_t)(at - from->line_start) + 1};
    from->text = at++;
    if (from->is_quoted) {
        from->text = at;
        while (at < end && *at != '"' && *at != '\n')
            at++;
        from->size = (size_t)(at - from->text);
        from->at = at + (at < end && *at == '"');
        from->classes = OTHER;
        return true;
    }
    for (; !(classes & MARK) && at < end; at++) {
        const uint32_t bits = from->class_of[(unsigned char)*at];
        // A slash is of names, unless a comment begins.
        if (bits & END && (*at != '/' || (end - at > 1 && (at[1] == '/' || at[1] == '*'))))
            break;
        classes |= bits;
    }
    from->classes = classes;
    from->size = (size_t)(at - from->text);
    from->at = at;
    return true;
}

static inline bool is_mark(const reader *from, char mark)
{
    return from->classes & MARK && *from->text == mark;
}

static inline bool is(const reader *from, const char *word)
{
    return !from->is_quoted && from->size == strlen(word)
           && memcmp(from->text, word, from->size) == 0;
}

// Whether the last word is the next part of a section: anything but its end.
static bool next_in(reader *from)
{
    if (!next(from) || !is_mark(from, '}'))
        return from->size > 0;
    if (from->word.column != 1)
        found(from, RULE_BRACE_END, from->word, "'}' is in column %u", from->word.column);
    return false;
}

static char *copy_word(const reader *from)
{
    return common_format("%.*s", (int)(from->size < 1000 ? from->size : 1000), from->text);
}

// What may not stand in a number, or is read otherwise by some engines.
static void check_number(reader *from)
{
    const int shown = (int)(from->size < 40 ? from->size : 40);
    const uint32_t classes = from->classes;
    if (classes & COMMA)
        found(from, RULE_COMMA, from->word, "'%.*s' has a decimal comma", shown, from->text);
    else if (classes & OTHER)
        found(from, classes & DIGIT ? RULE_IND : RULE_NAN, from->word, "'%.*s' is not a number",
              shown, from->text);
    else if (classes & LARGE_E)
        found(from, RULE_EXPONENT, from->word, "'%.*s' has a capital E", shown, from->text);
    else if (*from->text == '+')
        found(from, RULE_PLUS, from->word, "'%.*s' begins with +", shown, from->text);
}

// The last word as a number, 0 if it is none. id's lexer lets a sign stand apart.
static double number(reader *from)
{
    bool is_negative = from->size == 1 && *from->text == '-';
    if (is_negative && (!next(from) || from->classes & MARK))
        return 0.0;
    const bool is_plain = !(from->classes & ~(uint32_t)(DIGIT | POINT | MINUS));
    if (!is_plain)
        check_number(from);
    const char *at = from->text, *const end = at + from->size;
    if (from->size < 16 && is_plain) {
        static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
        int64_t digits = 0;
        int behind = 0, step = 0;
        is_negative ^= *at == '-';
        for (at += *at == '-'; at < end; at++) {
            if (*at == '.') {
                step = 1;
            } else if (*at != '-') {
                digits = 10 * digits + (*at - '0');
                behind += step;
            }
        }
        const double value = (double)digits / powers[behind];
        return is_negative ? -value : value;
    }
    char text[64];
    const size_t size = from->size < sizeof text ? from->size : sizeof text - 1;
    memcpy(text, from->text, size);
    text[size] = '\0';
    const double value = strtod(text, NULL);
    return !isfinite(value) ? 0.0 : is_negative ? -value : value;
}

// The same of an integer, within those of 32 bits.
static int32_t integer(reader *from)
{
    const double value = number(from);
    if (*from->text == '0' && from->size > 1
        && (value >= 8.0 || memchr(from->text, '8', from->size)
            || memchr(from->text, '9', from->size)))
        found(from, RULE_OCTAL, from->word, "'%.*s' is octal to id's engine",
              (int)(from->size < 40 ? from->size : 40), from->text);
    return value >= INT32_MAX ? INT32_MAX : value <= INT32_MIN ? INT32_MIN : (int32_t)value;
}

// Reads the rest of a row if it is written as most are: plain numbers and parentheses with one
// blank between them, whole numbers of a few digits. Otherwise nothing is read, and false is
// returned.
static bool read_plain_row(reader *from, const char *shape, double *values)
{
    const uint16_t *const classes = from->class_of;
    const char *at = from->at, *const end = from->end;
    for (; *shape; shape++) {
        if (end - at < 2 || (*at != ' ' && *at != '\t'))
            return false;
        const char *const word = ++at;
        if (*shape == '(' && shape[1] == 'x' && from->is_known) { // nothing in it is needed
            const char *const close = memchr(at, ')', (size_t)(end - at));
            if (*at != '(' || !close || at[1] != ' ' || close[-1] != ' '
                || memchr(at, '\n', (size_t)(close - at)))
                return false;
            at = close + 1;
            shape = strchr(shape, ')');
        } else if (*shape == '(' || *shape == ')') {
            if (*at++ != *shape)
                return false;
        } else if (*shape == 'i') {
            uint32_t value = 0;
            for (; at < end && *at >= '0' && *at <= '9'; at++)
                value = 10 * value + (uint32_t)(*at - '0');
            if (at == word || at - word > 8 || (*word == '0' && at - word > 1))
                return false;
            *values++ = value;
        } else {
            while (at < end && classes[(unsigned char)*at] & (DIGIT | POINT | MINUS))
                at++;
            if (at == word)
                return false;
            if (*shape == 'f') {
                from->text = word;
                from->size = (size_t)(at - word);
                from->classes = DIGIT;
                *values++ = number(from);
            }
        }
        if (at == end || !(classes[(unsigned char)*at] & END) || *at == '/')
            return false;
    }
    from->classes = 0;
    from->size = 1;
    from->at = at;
    return true;
}

// Reads a row of that shape: i an integer, f a number, x one that is not needed, and parentheses;
// it began in row_line. Its first word is the last one if `has_first`. Returns false if it has
// another shape.
static bool read_row(reader *from, const char *shape, bool has_first, double *values)
{
    for (bool may_be_plain = true; *shape; shape++) {
        if (!has_first && may_be_plain && read_plain_row(from, shape, values))
            return true;
        may_be_plain = has_first;
        if (!has_first && !next(from))
            return false;
        has_first = false;
        if (from->word.line != from->row_line)
            found(from, RULE_BROKEN_ROW, from->word, "a row goes on in the next line");
        if (from->is_glued)
            found(from, RULE_BLANKS, from->word, "no blank at a parenthesis");
        if (from->classes & MARK || *shape == '(' || *shape == ')') {
            if (!is_mark(from, *shape))
                return false;
        } else if (*shape == 'i') {
            *values++ = integer(from);
        } else if (*shape == 'f') {
            *values++ = number(from);
        } else if (from->classes & ~(uint32_t)(DIGIT | POINT | MINUS)) {
            check_number(from);
        }
    }
    return true;
}

// Reads `{` behind the word of a section, whose line is then row_line.
static bool begin(reader *from)
{
    from->row_line = from->word.line;
    if (!next(from) || !is_mark(from, '{'))
        return false;
    if (from->word.line != from->row_line)
        found(from, RULE_BRACE, from->word, "'{' is on a line of its own");
    return true;
}

// Skips words up to the end of a block that has begun.
static void skip_block(reader *from)
{
    for (int depth = 1; depth > 0 && next(from);)
        depth += is_mark(from, '{') ? 1 : is_mark(from, '}') ? -1 : 0;
}

// Reads the number behind the last word.
static int32_t read_count(reader *from)
{
    return next(from) ? integer(from) : 0;
}

// Adds a joint whose name is the last word.
static named_joint *add_joint(reader *from)
{
    tool_facts *const facts = from->facts;
    facts->joints = common_grow(facts->joints, facts->num_joints, sizeof *facts->joints);
    named_joint *const to = &facts->joints[facts->num_joints++];
    *to = (named_joint){.name = copy_word(from), .line = from->word.line};
    if (from->size >= 32)
        found(from, RULE_LONG_NAME, from->word, "the name of the joint has %zu bytes", from->size);
    if (strchr(to->name, ' '))
        found(from, RULE_BLANK_NAME, from->word, "the joint's name has a blank: '%.100s'",
              to->name);
    from->row_line = from->word.line;
    return to;
}

// Checks what joints of both kinds of files have in common; `line` is that of numJoints.
static void check_joints(reader *from, int32_t counted)
{
    const tool_facts *const facts = from->facts;
    const uint32_t count = facts->num_joints;
    if (counted > (int32_t)count)
        found(from, RULE_JOINTS, from->word, "numJoints is %d, but there are %u", (int)counted,
              count);
    if (count > 256)
        found(from, RULE_256_JOINTS, from->word, "%u joints", count);
}

// -- Mesh files -----------------------------------------------------------------------------------

// x y z of a rotation, whose w is not stored.
static void check_rotation(reader *from, const double *q)
{
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    if (square > 1.0002)
        found(from, RULE_LONG_ROTATION, from->word, "x y z of the rotation have length %g",
              sqrt(square));
}

static bool read_joints(reader *from, int32_t counted)
{
    uint32_t num_roots = 0;
    while (next_in(from)) {
        double row[7];
        named_joint *const to = add_joint(from);
        const uint32_t i = from->facts->num_joints - 1;
        if (!next(from))
            return false;
        to->parent = integer(from);
        num_roots += to->parent < 0;
        if (to->parent >= counted - 1 && to->parent >= 0)
            found(from, RULE_LAST_PARENT, from->word, "the parent of '%.60s' is %d, of %d joints",
                  to->name, (int)to->parent, (int)counted);
        else if (to->parent >= (int32_t)i)
            found(from, RULE_PARENT, from->word, "the parent of '%.60s' comes after it", to->name);
        if (num_roots == 2 && to->parent < 0)
            found(from, RULE_ROOTS, from->word, "'%.60s' is a second root", to->name);
        if (!read_row(from, "(xxx)(fff)", false, row))
            return false;
        check_rotation(from, row);
    }
    check_joints(from, counted);
    return from->size > 0;
}

typedef struct mesh_rows {
    uint32_t counts[3], rows[3], count_lines[3]; // vert, tri, weight
    uint32_t (*verts)[3];                        // [rows[0]] first weight, number, line
    float *biases;                               // [rows[2]]
} mesh_rows;

// Reads one row of a mesh, of the kind whose word is the last one.
static bool read_mesh_row(reader *from, int kind, mesh_rows *mesh)
{
    static const char *const shapes[] = {"i(xx)ii", "iiii", "iif(xxx)"};
    static const char *const words[] = {"vert", "tri", "weight"};
    double row[7] = {0};
    const uint32_t i = mesh->rows[kind];
    from->row_line = from->word.line;
    const text_place begin = from->word;
    if (kind == 1 && from->is_known && !from->minds_layout) { // nothing in it is needed
        const char *const end = memchr(from->at, '\n', (size_t)(from->end - from->at));
        from->at = end ? end : from->end;
        mesh->rows[kind]++;
        return true;
    }
    if (!read_row(from, shapes[kind], false, row))
        return false;
    if ((int32_t)row[0] != (int32_t)i)
        found(from, RULE_ROW_ORDER, begin, "'%s %d' is the row of number %u", words[kind],
              (int)row[0], i);
    if (kind == 0) {
        mesh->verts = common_grow(mesh->verts, i, sizeof *mesh->verts);
        mesh->verts[i][0] = row[1] > 0.0 ? (uint32_t)row[1] : 0;
        mesh->verts[i][1] = row[2] > 0.0 ? (uint32_t)row[2] : 0;
        mesh->verts[i][2] = begin.line;
        if (row[2] < 1.0)
            found(from, RULE_NO_WEIGHTS, begin, "vertex %u has no weights", i);
    } else if (kind == 1) {
        for (int k = 1; k < 4; k++)
            if (row[k] < 0.0 || row[k] >= mesh->counts[0])
                found(from, RULE_CORNER, begin, "the triangle has vertex %d, but numverts is %u",
                      (int)row[k], mesh->counts[0]);
    } else {
        mesh->biases = common_grow(mesh->biases, i, sizeof *mesh->biases);
        mesh->biases[i] = (float)row[2];
        if (row[1] < 0.0 || row[1] >= from->facts->num_joints)
            found(from, RULE_WEIGHT_JOINT, begin, "the weight is on joint %d, of %u", (int)row[1],
                  from->facts->num_joints);
        if (row[2] < 0.0)
            found(from, RULE_NEGATIVE, begin, "the weight is %g", row[2]);
    }
    mesh->rows[kind]++;
    return true;
}

// Checks the vertices of a mesh against its weights.
static void check_vertices(reader *from, const mesh_rows *mesh)
{
    enum { MOST_VERTICES = 65535, Q2PRO_ROWS = 6144, Q2PRO_WEIGHTS = 8192 };
    const uint32_t num_weights = mesh->rows[2];
    for (uint32_t i = 0; i < mesh->rows[0]; i++) {
        const uint32_t first = mesh->verts[i][0], count = mesh->verts[i][1];
        const text_place at = {mesh->verts[i][2], 1};
        if (first > num_weights || count > num_weights - first) {
            found(from, RULE_WEIGHT_RANGE, at, "weights %u to %u, of %u", first, first + count - 1,
                  num_weights);
            continue;
        }
        float sum = 0.0f;
        for (uint32_t k = 0; k < count; k++)
            sum += mesh->biases[first + k];
        if (count > 0 && fabsf(sum - 1.0f) > 1e-3f)
            found(from, RULE_SUM, at, "the weights of vertex %u sum to %g", i, (double)sum);
        if (count > 4)
            found(from, RULE_4_WEIGHTS, at, "vertex %u has %u weights", i, count);
        if (count > 8)
            found(from, RULE_8_WEIGHTS, at, "vertex %u has %u weights", i, count);
    }
    static const char *const words[] = {"vertices", "triangles", "weights"};
    for (int kind = 0; kind < 3; kind++) {
        // Where the rows end.
        const text_place at = {kind < 2 ? mesh->count_lines[kind + 1] : from->word.line, 1};
        if (mesh->rows[kind] != mesh->counts[kind])
            found(from, RULE_ROWS, at, "%u %s are counted, but there are %u", mesh->counts[kind],
                  words[kind], mesh->rows[kind]);
        if (mesh->rows[kind] > (uint32_t)(kind == 2 ? Q2PRO_WEIGHTS : Q2PRO_ROWS))
            found(from, RULE_Q2PRO_LIMIT, at, "%u %s in a mesh", mesh->rows[kind], words[kind]);
        if (kind == 0 && mesh->rows[kind] > MOST_VERTICES)
            found(from, RULE_VERTICES, at, "%u vertices in a mesh", mesh->rows[kind]);
    }
}

// Goes on to a row whose word begins the next line behind a tab, as nearly all do.
static bool next_row(reader *from, const char *word, size_t size)
{
    const char *at = from->at, *const end = from->end;
    at += end - at > 1 && *at == '\r';
    if ((size_t)(end - at) < size + 3 || at[0] != '\n' || at[1] != '\t'
        || memcmp(at + 2, word, size) != 0 || at[2 + size] != ' ')
        return false;
    from->line_start = at + 1;
    from->text = at + 2;
    from->size = size;
    from->at = from->text + size;
    from->word = (text_place){++from->line, 2};
    from->classes = OTHER;
    from->is_quoted = from->is_glued = false;
    return true;
}

// Reads a mesh up to its `}`.
static bool read_mesh(reader *from, mesh_rows *mesh)
{
    static const struct {
        const char *text;
        size_t size;
    } words[] = {{"vert", 4},     {"tri", 3},     {"weight", 6},
                 {"numverts", 8}, {"numtris", 7}, {"numweights", 10}};
    for (int kind = 6;;) {
        const bool is_alike = kind < 3 && next_row(from, words[kind].text, words[kind].size);
        if (!is_alike && !next_in(from))
            break;
        kind = is_alike ? kind : 0;
        while (kind < 6
               && (from->size != words[kind].size
                   || memcmp(from->text, words[kind].text, words[kind].size) != 0))
            kind++;
        if (kind < 3) {
            if (!read_mesh_row(from, kind, mesh))
                return false;
        } else if (kind < 6) {
            mesh->count_lines[kind - 3] = from->word.line;
            mesh->counts[kind - 3] = (uint32_t)fmax(read_count(from), 0);
        } else if (is(from, "shader") || is(from, "name")) {
            const bool is_shader = is(from, "shader");
            tool_facts *const facts = from->facts;
            if (!is_shader)
                found(from, RULE_MESH_NAME, from->word, "'name' in a mesh");
            if (!next(from))
                return false;
            if (is_shader) {
                facts->shaders =
                    common_grow(facts->shaders, facts->num_shaders, sizeof *facts->shaders);
                facts->shaders[facts->num_shaders++] = copy_word(from);
            }
        } else {
            found(from, RULE_WORD, from->word, "unknown word '%.*s' in a mesh",
                  (int)(from->size < 60 ? from->size : 60), from->text);
            return false;
        }
    }
    check_vertices(from, mesh);
    return from->size > 0;
}

// -- Clips ----------------------------------------------------------------------------------------

typedef struct clip_rows {
    int32_t num_joints, num_frames, num_components;
    uint32_t components_line;
    uint32_t num_boxes, num_base, num_read; // frames that were read
    double (*base)[6];                      // [num_base]
    double *frame;                          // [num_components] at most: of frame 0
    uint32_t num_numbers;                   // of that
} clip_rows;

static bool read_hierarchy(reader *from, const clip_rows *clip)
{
    uint32_t num_roots = 0;
    while (next_in(from)) {
        double row[3];
        named_joint *const to = add_joint(from);
        const text_place begin = from->word;
        if (!read_row(from, "iii", false, row))
            return false;
        to->parent = (int32_t)row[0];
        to->flags = (uint32_t)(int32_t)row[1];
        to->first = (uint32_t)(int32_t)row[2];
        num_roots += to->parent < 0;
        if (num_roots == 2 && to->parent < 0)
            found(from, RULE_ROOTS_CLIP, begin, "'%.60s' is a second root", to->name);
        if (to->parent >= (int32_t)from->facts->num_joints - 1)
            found(from, RULE_PARENT, begin, "the parent of '%.60s' comes after it", to->name);
        if (to->flags > 63)
            found(from, RULE_FLAGS, begin, "flags %g", row[1]);
        uint32_t count = 0;
        for (uint32_t bits = to->flags & 63; bits; bits &= bits - 1)
            count++;
        if (count > 0 && (row[2] < 0.0 || row[2] + count > clip->num_components))
            found(from, RULE_COMPONENTS, begin,
                  "components up to %d, but numAnimatedComponents is %d", (int)row[2] + (int)count,
                  (int)clip->num_components);
        else if (clip->num_components > 0 && (row[2] < 0.0 || row[2] >= clip->num_components))
            found(from, RULE_FIRST, begin, "the first component is %d, of %d", (int)row[2],
                  (int)clip->num_components);
    }
    check_joints(from, clip->num_joints);
    return from->size > 0;
}

static bool read_boxes(reader *from, clip_rows *clip)
{
    const text_place begin = {from->row_line, 1};
    uint32_t num_empty = 0;
    while (next_in(from)) {
        double row[6];
        from->row_line = from->word.line;
        if (!read_row(from, "(fff)(fff)", true, row))
            return false;
        num_empty += row[0] >= row[3] && row[1] >= row[4] && row[2] >= row[5];
        clip->num_boxes++;
    }
    if (num_empty > 0)
        found(from, RULE_BOUNDS, begin, "%u of %u boxes hold nothing", num_empty, clip->num_boxes);
    if (clip->num_boxes != (uint32_t)clip->num_frames)
        found(from, RULE_BOUNDS_ROWS, begin, "numFrames is %d, but there are %u boxes",
              (int)clip->num_frames, clip->num_boxes);
    return from->size > 0;
}

static bool read_base(reader *from, clip_rows *clip)
{
    while (next_in(from)) {
        from->row_line = from->word.line;
        clip->base = common_grow(clip->base, clip->num_base, sizeof *clip->base);
        double *const row = clip->base[clip->num_base];
        if (!read_row(from, "(fff)(fff)", true, row))
            return false;
        check_rotation(from, row + 3);
        const named_joint *const of =
            clip->num_base < from->facts->num_joints ? &from->facts->joints[clip->num_base] : NULL;
        for (int k = 0; of && k < 6; k++)
            if (!(of->flags >> k & 1) && fabs(row[k]) > 1e-4)
                found(from, RULE_PARTIAL, from->word, "'%.60s' needs the base frame for its %s",
                      of->name, k < 3 ? "position" : "rotation");
        clip->num_base++;
    }
    return from->size > 0;
}

// Skips the numbers of a frame that the library has read.
static bool skip_numbers(reader *from)
{
    const char *const end = memchr(from->at, '}', (size_t)(from->end - from->at));
    if (!end || memchr(from->at, '/', (size_t)(end - from->at)))
        return false;
    for (const char *at = from->at; (at = memchr(at, '\n', (size_t)(end - at))) != NULL;) {
        from->line++;
        from->line_start = ++at;
    }
    from->at = end;
    return true;
}

// Reads a frame behind its word. Of frames behind the first only what a number may not be is seen.
static bool read_frame(reader *from, clip_rows *clip)
{
    const int32_t index = read_count(from);
    if (index != (int32_t)clip->num_read)
        found(from, RULE_FRAME_NUMBER, from->word, "frame %d, where frame %u belongs", (int)index,
              clip->num_read);
    uint32_t count = 0;
    if (!begin(from))
        return false;
    if (clip->num_read > 0 && from->is_known && skip_numbers(from))
        count = (uint32_t)clip->num_components;
    for (; next_in(from); count++) {
        if (clip->num_read == 0) {
            clip->frame = common_grow(clip->frame, count, sizeof *clip->frame);
            clip->frame[count] = number(from);
        } else if (from->classes & ~(uint32_t)(DIGIT | POINT | MINUS)) {
            check_number(from);
        }
    }
    if ((int32_t)count != clip->num_components)
        found(from, RULE_FRAME_SIZE, (text_place){clip->components_line, 1},
              "frame %d has %u numbers, but numAnimatedComponents is %d", (int)index, count,
              (int)clip->num_components);
    if (clip->num_read++ == 0)
        clip->num_numbers = count;
    return from->size > 0;
}

// The root of frame 0 beside that of the base frame, from which id's engine counts.
static void check_base_root(reader *from, const clip_rows *clip)
{
    const named_joint *const root = from->facts->joints;
    if (from->facts->num_joints == 0 || clip->num_base == 0)
        return;
    uint32_t at = root->first;
    double away = 0.0;
    for (int k = 0; k < 3; k++)
        if (root->flags >> k & 1 && at < clip->num_numbers)
            away = fmax(away, fabs(clip->frame[at++] - clip->base[0][k]));
    if (away > 0.01)
        found(from, RULE_BASE_ROOT, (text_place){root->line, 1},
              "the root is %g units from that of the base frame in frame 0", away);
}

// == Files ========================================================================================

// Sections in the order in which id's engine wants them.
static const char *const sections[2][12] = {
    {"MD5Version", "commandline", "numJoints", "numMeshes", "joints", "mesh"},
    {"MD5Version", "commandline", "numFrames", "numJoints", "frameRate", "numAnimatedComponents",
     "hierarchy", "bounds", "baseframe", "frame"},
};
enum { MESH_SECTIONS = 6, CLIP_SECTIONS = 10 };

// Reads the section whose word was read. Returns false if the rest cannot be read.
static bool read_mesh_section(reader *from, int section, int32_t counts[2], uint32_t *num_meshes)
{
    mesh_rows mesh = {0};
    bool is_read = true;
    switch (section) {
    case 2:
        from->facts->joints_line = from->word.line;
        counts[0] = read_count(from);
        break;
    case 3:
        counts[1] = read_count(from);
        if (counts[1] == 0)
            found(from, RULE_NO_MESHES, from->word, "numMeshes is 0");
        if (counts[1] > counts[0])
            found(from, RULE_MANY_MESHES, from->word, "%d meshes, but %d joints", (int)counts[1],
                  (int)counts[0]);
        break;
    case 4:
        is_read = begin(from) && read_joints(from, counts[0]);
        break;
    default:
        ++*num_meshes;
        is_read = begin(from) && read_mesh(from, &mesh);
        free(mesh.verts);
        free(mesh.biases);
    }
    return is_read;
}

static bool read_clip_section(reader *from, int section, clip_rows *clip)
{
    switch (section) {
    case 2:
        clip->num_frames = read_count(from);
        if (clip->num_frames > 1024)
            found(from, RULE_Q2PRO_LIMIT, from->word, "%d frames", (int)clip->num_frames);
        return true;
    case 3:
        from->facts->joints_line = from->word.line;
        clip->num_joints = read_count(from);
        return true;
    case 4: {
        const double rate = next(from) ? number(from) : 0.0;
        if (rate < 1.0)
            found(from, RULE_RATE, from->word, "frameRate is %g", rate);
        return true;
    }
    case 5:
        clip->components_line = from->word.line;
        clip->num_components = read_count(from);
        return true;
    case 6:
        return begin(from) && read_hierarchy(from, clip);
    case 7:
        return begin(from) && read_boxes(from, clip);
    case 8:
        return begin(from) && read_base(from, clip);
    default:
        return read_frame(from, clip);
    }
}

static bool has_all(bool is_clip, const clip_rows *clip, const int32_t counts[2],
                    uint32_t num_meshes)
{
    return is_clip ? clip->num_read > 0 && (int32_t)clip->num_read >= clip->num_frames
                   : num_meshes > 0 && (int32_t)num_meshes >= counts[1];
}

// Reads all sections in whatever order.
static bool read_sections(reader *from, clip_rows *clip, uint32_t *num_meshes)
{
    const bool is_clip = from->facts->is_clip;
    const int count = is_clip ? CLIP_SECTIONS : MESH_SECTIONS;
    int last = -1;
    bool has_command_line = false, is_read = true;
    int32_t counts[2] = {0};
    // Behind the last mesh or frame that is counted engines read nothing.
    while (is_read && !has_all(is_clip, clip, counts, *num_meshes) && next(from)) {
        int section = 0;
        while (section < count && !is(from, sections[is_clip][section]))
            section++;
        if (section == count) {
            found(from, RULE_WORD, from->word, "unknown word '%.*s'",
                  (int)(from->size < 60 ? from->size : 60), from->text);
            if (is_mark(from, '{'))
                skip_block(from);
            continue;
        }
        if (section < last)
            found(from, is_clip ? RULE_ORDER_CLIP : RULE_ORDER, from->word, "'%s' behind '%s'",
                  sections[is_clip][section], sections[is_clip][last]);
        last = section > last ? section : last;
        if (section == 0) {
            const int32_t version = read_count(from);
            if (version != 10) { // the rest may be anything
                found(from, RULE_VERSION, from->word, "version %d", (int)version);
                return false;
            }
        } else if (section == 1) {
            has_command_line = next(from);
        } else {
            if (!has_command_line)
                found(from, RULE_COMMAND_LINE, (text_place){1, 1}, "no 'commandline' before '%s'",
                      sections[is_clip][section]);
            has_command_line = true;
            is_read = is_clip ? read_clip_section(from, section, clip)
                              : read_mesh_section(from, section, counts, num_meshes);
        }
    }
    return is_read;
}

// Whether a text that the library reads without a warning may have a number that an engine does
// not.
static bool has_odd_number(const char *text, size_t size)
{
    const char *const end = text + size;
    for (const char *at = text; (at = memchr(at, 'E', (size_t)(end - at))) != NULL; at++)
        if (at > text && at + 1 < end && strchr("0123456789.", at[-1])
            && strchr("+-0123456789", at[1]))
            return true;
    return memchr(text, '+', size) != NULL;
}

tool_facts *tool_read_facts(const char *path, const char *text, size_t size, bool is_known,
                            tool_engines asked)
{
    const tool_kind kind = tool_kind_of(path);
    if ((kind != TOOL_MODEL && kind != TOOL_ANIM) || (size >= 4 && memcmp(text, "M5CC", 4) == 0))
        return NULL;
    tool_facts *const facts = common_alloc(1, sizeof *facts);
    reader from = {.at = text,
                   .end = text + size,
                   .line_start = text,
                   .line = 1,
                   .text = text,
                   .word = {1, 1},
                   .facts = facts,
                   .is_known = is_known && !has_odd_number(text, size)};
    clip_rows clip = {0};
    uint32_t num_meshes = 0;
    facts->path = common_copy(path);
    facts->is_clip = kind == TOOL_ANIM;
    from.minds_layout = tool_minds(asked, "broken-row") || tool_minds(asked, "no-blanks");
    facts->asked = asked;
    set_classes(&from);
    if (size < 4 || memcmp(text, "MD5V", 4) != 0)
        found(&from, RULE_BEFORE, (text_place){0}, "the file does not begin with MD5Version");
    facts->is_whole = read_sections(&from, &clip, &num_meshes);
    if (facts->is_clip && facts->is_whole) {
        if ((int32_t)clip.num_read < clip.num_frames)
            found(&from, RULE_FRAMES, from.word, "numFrames is %d, but there are %u",
                  (int)clip.num_frames, clip.num_read);
        check_base_root(&from, &clip);
    }
    free(clip.base);
    free(clip.frame);
    return facts;
}

void tool_free_facts(tool_facts *facts)
{
    if (!facts)
        return;
    for (uint32_t i = 0; i < facts->num_joints; i++)
        free(facts->joints[i].name);
    for (size_t i = 0; i < facts->num_shaders; i++)
        free(facts->shaders[i]);
    free(facts->path);
    free(facts->joints);
    free(facts->shaders);
    free(facts->found);
    free(facts);
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

// -- Shapes ---------------------------------------------------------------------------------------

static int by_x(const void *a, const void *b)
{
    const float first = ((const md5_vec3 *)a)->x, second = ((const md5_vec3 *)b)->x;
    return (first > second) - (first < second);
}

// The number of vertices that lie beside another one, nearer than a seam is wide and not at the
// same place, by a sweep along x. Of a cloud that a plane holds only so many neighbours are looked
// at.
static uint32_t count_seams(const md5_mesh *mesh)
{
    enum { MOST_NEIGHBORS = 64 };
    const float width = 1e-3f;
    md5_vec3 *const sorted = common_alloc(mesh->num_vertices, sizeof *sorted);
    uint32_t count = 0;
    memcpy(sorted, mesh->positions, mesh->num_vertices * sizeof *sorted);
    qsort(sorted, mesh->num_vertices, sizeof *sorted, by_x);
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        bool is_split = false;
        for (uint32_t k = i + 1; k < mesh->num_vertices && k - i <= MOST_NEIGHBORS; k++) {
            const md5_vec3 away = md5_vec3_sub(sorted[k], sorted[i]);
            if (away.x > width)
                break;
            const float square = md5_vec3_dot(away, away);
            is_split |= square > 0.0f && square <= width * width;
        }
        count += is_split;
    }
    free(sorted);
    return count;
}

// The number of vertices whose weights lie further apart than files round.
static uint32_t count_apart(const md5_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        float most = 0.0f;
        for (uint32_t k = mesh->first_influence[i]; k < mesh->first_influence[i + 1]; k++) {
            const md5_vec4 at = mesh->influences[k];
            const md5_vec3 away = {at.x - at.w * mesh->positions[i].x,
                                   at.y - at.w * mesh->positions[i].y,
                                   at.z - at.w * mesh->positions[i].z};
            most = fmaxf(most, md5_vec3_length(away));
        }
        count += most > 0.02f;
    }
    return count;
}

// Whether triangles face the middle of their mesh more than they face away: the volume that they
// enclose is below 0, and not by a few of them alone.
static bool is_inside_out(const md5_mesh *mesh)
{
    const md5_vec3 middle = md5_vec3_scale(md5_vec3_add(mesh->bounds.min, mesh->bounds.max), 0.5f);
    double volume = 0.0, all = 0.0;
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const corner = mesh->indices + 3 * (size_t)i;
        const md5_vec3 a = md5_vec3_sub(mesh->positions[corner[0]], middle);
        const md5_vec3 b = md5_vec3_sub(mesh->positions[corner[1]], middle);
        const md5_vec3 c = md5_vec3_sub(mesh->positions[corner[2]], middle);
        const double part = (double)md5_vec3_dot(a, md5_vec3_cross(c, b)); // clockwise outside
        volume += part;
        all += fabs(part);
    }
    return volume < -0.5 * all;
}

void tool_judge_model(tool_facts *facts, const md5_model *model)
{
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        const uint32_t num_seams = count_seams(mesh), num_apart = count_apart(mesh);
        if (num_seams > 0)
            found_later(facts, RULE_SEAM, 0, "mesh %u: %u vertices lie within 0.001 of others", i,
                        num_seams);
        if (num_apart > 0)
            found_later(facts, RULE_APART, 0, "mesh %u: the weights of %u vertices do not meet", i,
                        num_apart);
        if (is_inside_out(mesh))
            found_later(facts, RULE_INSIDE_OUT, 0, "mesh %u: triangles face inwards", i);
    }
}

bool tool_is_judged(const tool_facts *facts, const md5_error *error)
{
    const bool may_be = facts && error->line > 0 && !(facts->asked.all & TOOL_LIBRARY);
    for (size_t i = 0; may_be && i < facts->num_found; i++)
        if (facts->found[i].is_library_too && facts->found[i].error.line == error->line)
            return true;
    return false;
}

// == Pairs ========================================================================================

static int compare_joints(const void *a, const void *b)
{
    return strcmp((*(const named_joint *const *)a)->name, (*(const named_joint *const *)b)->name);
}

// Returns the joints sorted by name.
static const named_joint **sort_joints(const tool_facts *facts)
{
    const named_joint **const sorted = common_alloc(facts->num_joints, sizeof(named_joint *));
    for (uint32_t i = 0; i < facts->num_joints; i++)
        sorted[i] = &facts->joints[i];
    if (facts->num_joints > 0)
        qsort(sorted, facts->num_joints, sizeof *sorted, compare_joints);
    return sorted;
}

// What two lists of joints, sorted by name, do not share.
typedef struct difference {
    uint32_t num_only_a, num_only_b;
    const named_joint *only_a, *only_b; // the first in the file
} difference;

static difference compare_names(const named_joint **a, uint32_t num_a, const named_joint **b,
                                uint32_t num_b)
{
    difference found = {0};
    for (uint32_t i = 0, j = 0; i < num_a || j < num_b;) {
        const int order = i == num_a ? 1 : j == num_b ? -1 : strcmp(a[i]->name, b[j]->name);
        if (order < 0) {
            found.num_only_a++;
            if (!found.only_a || a[i] < found.only_a)
                found.only_a = a[i];
        } else if (order > 0) {
            found.num_only_b++;
            if (!found.only_b || b[j] < found.only_b)
                found.only_b = b[j];
        }
        i += order <= 0;
        j += order >= 0;
    }
    return found;
}

// The name of a mesh's joint that is nearest to one that it does not have, or NULL. Of a hostile
// mesh only the first joints are looked at.
static const char *nearest_name(const tool_facts *mesh, const char *name)
{
    enum { MOST_WORK = 20000000 };
    const char *nearest = NULL;
    const size_t length = strlen(name);
    size_t least = length / 3 + 2, work = 0;
    for (uint32_t i = 0; i < mesh->num_joints && work < MOST_WORK; i++) {
        const size_t distance = common_distance(name, length, mesh->joints[i].name, false);
        work += length * strlen(mesh->joints[i].name) + 1;
        if (distance < least) {
            least = distance;
            nearest = mesh->joints[i].name;
        }
    }
    return nearest;
}

static const char *parent_name(const tool_facts *facts, uint32_t i)
{
    const int32_t parent = facts->joints[i].parent;
    return parent >= 0 && parent < (int32_t)facts->num_joints ? facts->joints[parent].name : "none";
}

// Joints that have the same names in both files, one by one: their order and parents.
static void judge_order(const tool_facts *mesh, tool_facts *clip)
{
    for (uint32_t i = 0; i < clip->num_joints; i++) {
        const named_joint *const joint = &clip->joints[i];
        if (strcmp(joint->name, mesh->joints[i].name) != 0) {
            found_later(clip, RULE_PAIR_ORDER, joint->line,
                        "joint %u is '%.60s', but '%.60s' in %s", i, joint->name,
                        mesh->joints[i].name, common_base(mesh->path));
            return;
        }
        if ((joint->parent < 0 ? -1 : joint->parent)
            != (mesh->joints[i].parent < 0 ? -1 : mesh->joints[i].parent)) {
            found_later(clip, RULE_PAIR_PARENT, joint->line,
                        "the parent of '%.60s' is %.60s, but %.60s in %s", joint->name,
                        parent_name(clip, i), parent_name(mesh, i), common_base(mesh->path));
            return;
        }
    }
}

const tool_finding *tool_judge_pair(const tool_facts *mesh, tool_facts *clip, size_t *count)
{
    const size_t before = clip->num_found;
    *count = 0;
    if (mesh->num_joints == 0 || clip->num_joints == 0 || clip->judged_with == mesh)
        return NULL;
    clip->judged_with = mesh;
    const named_joint **const of_clip = sort_joints(clip), **const of_mesh = sort_joints(mesh);
    const difference names = compare_names(of_clip, clip->num_joints, of_mesh, mesh->num_joints);
    for (uint32_t i = 1; i < clip->num_joints; i++) {
        if (strcmp(of_clip[i]->name, of_clip[i - 1]->name) != 0)
            continue;
        found_later(clip, RULE_SAME_NAME, of_clip[i]->line, "a second joint '%.100s'",
                    of_clip[i]->name);
        break;
    }
    const char *const file = common_base(mesh->path);
    if (mesh->num_joints != clip->num_joints) {
        const bool is_more = clip->num_joints > mesh->num_joints;
        const named_joint *const extra = is_more ? names.only_a : names.only_b;
        found_later(clip, RULE_PAIR_COUNT, clip->joints_line,
                    "%u joints, but %s has %u: '%.60s' is not in the %s", clip->num_joints, file,
                    mesh->num_joints, extra ? extra->name : "", is_more ? "mesh" : "clip");
    }
    if (names.num_only_a > 0 && names.num_only_b > 0) {
        const char *const nearest = nearest_name(mesh, names.only_a->name);
        found_later(clip, RULE_PAIR_NAME, names.only_a->line,
                    nearest ? "%s has no joint '%.60s': did you mean '%.60s'?"
                            : "%s has no joint '%.60s'",
                    file, names.only_a->name, nearest ? nearest : "");
    } else if (mesh->num_joints == clip->num_joints) {
        judge_order(mesh, clip);
    }
    free(of_clip);
    free(of_mesh);
    *count = clip->num_found - before;
    return clip->found + before;
}

void tool_judge_place(tool_facts *mesh)
{
    static const char *const images[] = {"png", "tga", "jpg", "pcx", "lmp"};
    char *const folder = common_folder(mesh->path), *const stem = common_stem(mesh->path);
    const bool is_of_quake = strcmp(common_base(folder), "progs") == 0;
    if (is_of_quake && !tool_has_sibling(mesh->path, stem, ".md5anim"))
        found_later(mesh, RULE_NO_CLIP, 1, "there is no %.100s.md5anim", stem);
    for (size_t i = 0; is_of_quake && i < mesh->num_shaders; i++) {
        bool is_there = false;
        for (size_t k = 0; k < sizeof images / sizeof images[0] && !is_there; k++) {
            char *const ending = common_format("_00_00.%s", images[k]);
            is_there = tool_has_sibling(mesh->path, common_base(mesh->shaders[i]), ending);
            free(ending);
        }
        if (!is_there)
            found_later(mesh, RULE_SKIN, 1, "no image %.100s_00_00", mesh->shaders[i]);
    }
    free(folder);
    free(stem);
}
