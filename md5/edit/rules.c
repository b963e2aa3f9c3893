// The engines that read MD5 files, the rules that files may violate, and the diagnostics of a
// check.
//
// The table `rules` contains the reaction of each engine to each violation. The reactions were
// determined from the source code of the engines: dhewm3 ae43c289 (The Dark Mod 5793b30b, openQ4
// 4066e3f and the SDK of Quake 4 react in the same way), RBDOOM-3-BFG 95306dbd, Ironwail 7ff4ec57,
// vkQuake 46e5e6dd, QSS-M 46a47195, FTEQW 93257c1a, q2pro 3aa0d40b, yquake2remaster e98451aa, Red
// Eclipse faf378d1, Daemon b276137b. Four of the engines were also run.
#include "md5/core/freed.h"
#include "md5/edit/check.h"

#include <stdlib.h>

// == Engines and rules ============================================================================

enum { NUM_ENGINES = 14 };

// An engine, or the old versions of an engine. An entry for old versions follows the entry of the
// newest version. The order of the entries is the order of the letters in rule.effects.
static const struct engine {
    const char *name;
    const char *alias;
    const char *below; // the entry represents the versions before this version; NULL: the newest
} engine_rows[NUM_ENGINES] = {
    {.name = "doom3", .alias = "dhewm3"},
    {.name = "darkmod", .alias = "tdm"},
    {.name = "quake4", .alias = "openq4"},
    {.name = "rbdoom", .alias = "bfg"},
    {.name = "ironwail"},
    {.name = "ironwail", .below = "0.8.2"},
    {.name = "vkquake"},
    {.name = "vkquake", .below = "1.36"},
    {.name = "qss", .alias = "quakespasm-spiked"},
    {.name = "fte", .alias = "fteqw"},
    {.name = "q2pro"},
    {.name = "yquake2", .alias = "yquake2remaster"},
    {.name = "cube2", .alias = "redeclipse"},
    {.name = "daemon", .alias = "unvanquished"},
};

// Reactions of engines, for the letters in rule.effects. Two letters are not listed: '-' means that
// the engine accepts the file, and '.' means that its reaction is unknown.
static const struct effect {
    char letter;
    bool is_error;
    const char *text; // followed by the names of the engines
} effects[] = {
    {.letter = 'E', .is_error = true, .text = "stops"},
    {.letter = 'F', .is_error = true, .text = "refused by"},
    {.letter = 'M', .is_error = true, .text = "out-of-bounds read in"},
    {.letter = 'X', .is_error = true, .text = "broken or invisible in"},
    {.letter = 'S', .is_error = false, .text = "wrong in"},
    {.letter = 'W', .is_error = false, .text = "reported by"},
    {.letter = 'N', .is_error = false, .text = "not drawn by"},
};

// clang-format off
static const struct check_rule {
    const char *name;              // a part after a slash distinguishes variants of the same rule
    char effects[NUM_ENGINES + 1]; // a letter of `effects` for each engine, in the order of engines
    bool is_library_too;           // this library reports a problem on the same line
    const char *text;              // description of a violation
    const char *fix;               // remedy, an imperative
} rules[] = {
    {.name = "version",                  .effects = "EEEEFEFEEFFFFF", .is_library_too = true,
     .text = "MD5Version is not 10",
     .fix = "use md5tool fix"},
    {.name = "no-version",               .effects = "EEEEFEFEEFF--F", .is_library_too = true,
     .text = "MD5Version is missing",
     .fix = "use md5tool fix"},
    {.name = "no-commandline",           .effects = "EEEE------F--F", .is_library_too = true,
     .text = "commandline is missing",
     .fix = "use md5tool fix"},
    {.name = "long-commandline",         .effects = "----FE-.E-----",
     .text = "the command line has 1024 bytes or more",
     .fix = "shorten the command line"},
    {.name = "mesh-name",                .effects = "----FEFEEFF--F",
     .text = "a mesh contains the keyword 'name'",
     .fix = "use md5tool fix"},
    {.name = "unknown-word",             .effects = "EEEEFEFEEFF--F", .is_library_too = true,
     .text = "a mesh contains an unknown keyword",
     .fix = "remove the keyword"},
    {.name = "section-order",            .effects = "EEEEFEFEE-F--F",
     .text = "the sections of a mesh file are out of order",
     .fix = "use md5tool fix"},
    {.name = "section-order/clip",       .effects = "EEEEFEFEEFFM-F",
     .text = "the sections of a clip are out of order",
     .fix = "use md5tool fix"},
    {.name = "missing-section",          .effects = "EEEEFEFEEFF..F",
     .text = "a section is missing",
     .fix = "use md5tool fix"},
    {.name = "brace-line",               .effects = "------------XF",
     .text = "{ is on another line than its keyword",
     .fix = "use md5tool fix"},
    {.name = "brace-column",             .effects = "------------X-",
     .text = "} is not the first character of its line",
     .fix = "use md5tool fix"},
    {.name = "broken-row",               .effects = "------------XF",
     .text = "an entry continues on the next line",
     .fix = "use md5tool fix"},
    {.name = "no-blanks",                .effects = "---------.FF--",
     .text = "a blank next to a parenthesis is missing",
     .fix = "use md5tool fix"},
    {.name = "row-order",                .effects = "SSSS---------S", .is_library_too = true,
     .text = "the indices of entries are out of order",
     .fix = "use md5tool fix"},
    {.name = "nan",                      .effects = "EEEEXXXXXXXXXX", .is_library_too = true,
     .text = "a number is nan or inf",
     .fix = "export the file again"},
    {.name = "nan/mark",                 .effects = "EEEESSSSSSFSSS", .is_library_too = true,
     .text = "a number is 1.#IND or similar: engines read 1",
     .fix = "export the file again"},
    {.name = "nan/suffix",               .effects = "----......F...",
     .text = "a number has the suffix f",
     .fix = "use md5tool fix"},
    {.name = "capital-exponent",         .effects = "EEEE----------",
     .text = "an exponent begins with a capital E",
     .fix = "use md5tool fix"},
    {.name = "decimal-comma",            .effects = "EEEESSSSSSFSXS", .is_library_too = true,
     .text = "a number has a decimal comma",
     .fix = "export the file with decimal points"},
    {.name = "plus-sign",                .effects = "EEEE----------",
     .text = "a number begins with a plus sign",
     .fix = "use md5tool fix"},
    {.name = "octal",                    .effects = "SSSSSSSSS.-...",
     .text = "an integer begins with 0: engines read it as octal",
     .fix = "use md5tool fix"},
    {.name = "leading-zero",             .effects = "EEEE----------",
     .text = "a number begins with a superfluous 0, such as 00.5, 08 or 0e5",
     .fix = "use md5tool fix"},
    {.name = "hexadecimal",              .effects = "---------SFSMS", .is_library_too = true,
     .text = "a number is hexadecimal, such as 0x3F",
     .fix = "write the number in decimal"},
    {.name = "bare-name",                .effects = "EEEE----------",
     .text = "a name without quotes contains other characters than letters, digits and _ / "
             "\\ : .",
     .fix = "use md5tool fix"},
    {.name = "row-count",                .effects = "EEEESSSSSFFMMF", .is_library_too = true,
     .text = "the number of vertices, triangles or weights differs from the declared number",
     .fix = "correct numverts, numtris or numweights"},
    {.name = "joint-count",              .effects = "EEEEFEFEEEFFFF", .is_library_too = true,
     .text = "the number of joints differs from numJoints",
     .fix = "correct numJoints"},
    {.name = "no-weights",               .effects = "EEEESSSSSFSSSS", .is_library_too = true,
     .text = "a vertex has no weights",
     .fix = "use md5tool fix --weights"},
    {.name = "weight-range",             .effects = "MMMMFEFEEMFMMM", .is_library_too = true,
     .text = "a vertex refers to weights outside numweights",
     .fix = "export the mesh again"},
    {.name = "weight-joint",             .effects = "EEEEFEFEEFFFMM", .is_library_too = true,
     .text = "a weight refers to a joint outside numJoints",
     .fix = "export the mesh again"},
    {.name = "triangle-corner",          .effects = "EEEEFEFEEMFMMM", .is_library_too = true,
     .text = "a triangle refers to a vertex outside numverts",
     .fix = "use md5tool fix --bad-triangles"},
    {.name = "parent-order",             .effects = "XXXXXXFEXF--.S", .is_library_too = true,
     .text = "a joint comes before its parent",
     .fix = "use md5tool fix"},
    {.name = "parent-order/last",        .effects = "EEEEXXFEXF--.S", .is_library_too = true,
     .text = "the parent of a joint is the last joint or out of range",
     .fix = "correct the index of the parent joint"},
    {.name = "roots",                    .effects = "---------F----",
     .text = "a mesh file has several root joints",
     .fix = "use md5tool fix --add-root NAME for the mesh and its clips"},
    {.name = "roots/clip",               .effects = "EEEE-----F----",
     .text = "a clip has several root joints",
     .fix = "use md5tool fix --add-root NAME for the mesh and its clips"},
    {.name = "many-joints",              .effects = "---XXXXXXXF-XF",
     .text = "the file has more than 256 joints",
     .fix = "use md5tool fix --unused-joints for the mesh and its clips"},
    {.name = "4-weights",                .effects = "---SSS--SS--SE",
     .text = "a vertex has more than 4 weights",
     .fix = "use md5tool fix --influences 4"},
    {.name = "8-weights",                .effects = "------SS------",
     .text = "a vertex has more than 8 weights",
     .fix = "use md5tool fix --influences 8"},
    {.name = "many-vertices",            .effects = "---XXXXXX.F.X-",
     .text = "a mesh has more than 65535 vertices",
     .fix = "use md5tool fix --max-vertices 65535"},
    {.name = "q2pro-limit",              .effects = "----------F---",
     .text = "the file exceeds a limit of q2pro",
     .fix = "use md5tool fix with --merge for meshes, --max-vertices or --max-triangles for the size "
            "of a mesh, or --frames for frames"},
    {.name = "weight-sum",               .effects = "SSSSSS--SSSSSS",
     .text = "the weights of a vertex do not sum to 1 within 0.001",
     .fix = "use md5tool fix, or md5tool fix --weights if a sum is 0"},
    {.name = "negative-weight",          .effects = "SSSSXXSSSSSSSX",
     .text = "a weight is negative",
     .fix = "correct the weights, and export the mesh again"},
    {.name = "long-rotation",            .effects = "SSSSSSSSSSSSSS", .is_library_too = true,
     .text = "the x y z of a rotation is longer than 1",
     .fix = "use md5tool fix"},
    {.name = "long-name",                .effects = "----FE--E----.",
     .text = "a joint name has 32 bytes or more",
     .fix = "use md5tool fix --rename OLD=NEW for the mesh and its clips"},
    {.name = "blank-name",               .effects = "------------X-",
     .text = "a joint name contains a blank",
     .fix = "use md5tool fix --rename OLD=NEW for the mesh and its clips"},
    {.name = "same-name",                .effects = "------FE------",
     .text = "two joints of a clip have the same name",
     .fix = "rename one of the joints"},
    {.name = "same-name/mesh",           .effects = "SSSS--S--.....",
     .text = "two joints of a mesh file have the same name: engines use the first",
     .fix = "rename one of the joints"},
    {.name = "clip-joint-count",         .effects = "EEEWFE-EEWFMFW",
     .text = "clip and mesh have different numbers of joints",
     .fix = "use md5tool fix CLIP --mesh MESH"},
    {.name = "clip-joint-name",          .effects = "EEEEFESEEW---S",
     .text = "a joint of a clip is missing in its mesh",
     .fix = "use md5tool fix CLIP --mesh MESH"},
    {.name = "clip-joint-order",         .effects = "EEEEFE-EEWSSSS",
     .text = "the joints of a clip are in another order than in its mesh",
     .fix = "use md5tool fix CLIP --mesh MESH"},
    {.name = "clip-joint-parent",        .effects = "EEEEFEFEEW--SS",
     .text = "a joint of a clip has another parent than in its mesh",
     .fix = "use md5tool fix CLIP --mesh MESH"},
    {.name = "clip-scale",               .effects = "SSSSSSSSSSSSSS",
     .text = "the bones of a clip are longer or shorter than in its mesh",
     .fix = "use md5tool fix CLIP --mesh MESH"},
    {.name = "clip-turn",                .effects = "SSSSSSSSSSSSSS",
     .text = "a clip is rotated relative to its mesh",
     .fix = "use md5tool fix CLIP --mesh MESH"},
    {.name = "clip-axes",                .effects = "SSSSSSSSSSSSSS",
     .text = "the joints of a clip have other axes than in its mesh",
     .fix = "use md5tool fix CLIP --mesh MESH"},
    {.name = "flags",                    .effects = "EEEEFEFEE----.", .is_library_too = true,
     .text = "the flags of a joint are above 63",
     .fix = "correct the flags of the joint"},
    {.name = "components",               .effects = "MMMMSSFESMFMMM", .is_library_too = true,
     .text = "the components of a joint are outside the components of a frame",
     .fix = "correct the first component of the joint"},
    {.name = "first-component",          .effects = "EEEEFEFEE.F...", .is_library_too = true,
     .text = "the first component of a joint without components is out of range",
     .fix = "use md5tool fix"},
    {.name = "base-frame-needed",        .effects = "----XX-XX-----",
     .text = "the base frame is not 0 for a component that the frames do not contain",
     .fix = "use md5tool fix"},
    {.name = "base-frame-root",          .effects = "SSSS----------",
     .text = "the root of frame 0 differs from the base frame: cycles drift",
     .fix = "export the clip with a base frame that equals frame 0"},
    {.name = "frame-size",               .effects = "EEEEFEFEE.F...", .is_library_too = true,
     .text = "a frame has a wrong number of values",
     .fix = "use md5tool fix"},
    {.name = "frame-count",              .effects = "EEEEXXSSXFFSMF", .is_library_too = true,
     .text = "the file has fewer frames than numFrames",
     .fix = "correct numFrames"},
    {.name = "frame-number",             .effects = "EEEEFEFEEFFFMF", .is_library_too = true,
     .text = "the frames are not numbered from 0",
     .fix = "use md5tool fix"},
    {.name = "frame-order",              .effects = "EEEE-----F---F", .is_library_too = true,
     .text = "the frame numbers are out of order",
     .fix = "number the frames in ascending order"},
    {.name = "more-frames",              .effects = "----FEFEE--FM-",
     .text = "the file has more frames than numFrames",
     .fix = "use md5tool fix"},
    {.name = "frame-rate",               .effects = "EEEE---------.", .is_library_too = true,
     .text = "frameRate is 0",
     .fix = "use md5tool fix"},
    {.name = "bounds-count",             .effects = "EEEE-----FFS-F", .is_library_too = true,
     .text = "the number of bounding boxes differs from numFrames",
     .fix = "use md5tool fix"},
    {.name = "bounds",                   .effects = "S-SS---------S", .is_library_too = true,
     .text = "a bounding box is empty: the model is not visible",
     .fix = "use md5tool fix, with --mesh MESH if the folder contains several meshes"},
    {.name = "no-skin",                  .effects = "----XXWWX-----",
     .text = "the image progs/SHADER_00_00 is missing",
     .fix = "add the image next to the mesh"},
    {.name = "long-skin",                .effects = "----XX--X-----",
     .text = "the path progs/SHADER_00_00 has 64 bytes or more",
     .fix = "use md5tool fix --rename OLD=NEW with a shorter shader name"},
    {.name = "long-skin/58",             .effects = "----XXW.X-----",
     .text = "the image name SHADER_00_00 has 64 bytes or more",
     .fix = "use md5tool fix --rename OLD=NEW with a shorter shader name"},
    {.name = "shader-name",              .effects = "SSSSXXWWXS---S",
     .text = "a shader name is empty or an absolute path",
     .fix = "use md5tool fix --rename OLD=NEW with a relative path"},
    // The rules below apply to game folders.
    {.name = "no-material",              .effects = "SSSS----------",
     .text = "a material has no declaration, and no image has its name",
     .fix = "declare the material, or add the image"},
    {.name = "no-image",                 .effects = "SSSS----------",
     .text = "an image of a material is missing",
     .fix = "add the image, or correct its name"},
    {.name = "no-image/unreadable",      .effects = "SSSS----------",
     .text = "an image of a material cannot be read",
     .fix = "save the image again"},
    {.name = "no-skin-decl",             .effects = "SSSS----------",
     .text = "a skin has no declaration",
     .fix = "declare the skin, or correct its name"},
    {.name = "defaulted",                .effects = "F-------------",
     .text = "the engine replaces an invalid modelDef with the default",
     .fix = "correct the declaration"},
    {.name = "defaulted/material",       .effects = "S-------------",
     .text = "the engine replaces an invalid material of a mesh with the default",
     .fix = "correct the declaration"},
    {.name = "no-clip",                  .effects = "----FEXXXS----",
     .text = "no clip has the name of the mesh",
     .fix = "add the clip with the name of the mesh"},
    {.name = "no-meshes",                .effects = "----FEFEEFFSFF", .is_library_too = true,
     .text = "numMeshes is 0",
     .fix = "export at least one mesh"},
    {.name = "mesh-count",               .effects = "EEEEFEFEE-F--F", .is_library_too = true,
     .text = "the file has fewer meshes than numMeshes",
     .fix = "use md5tool fix"},
    {.name = "empty-mesh",               .effects = "NNNNNNNNNNNNNN",
     .text = "a mesh has no triangles",
     .fix = "remove the mesh from the file"},
    {.name = "no-area",                  .effects = "NNNNNNNNNNNNNN",
     .text = "triangles have an area of 0",
     .fix = "use md5tool fix --unused"},
    {.name = "more-meshes-than-joints",  .effects = "--------M-----",
     .text = "the file has more meshes than joints",
     .fix = "use md5tool fix --merge, or md5tool convert --for qss if the materials differ"},
    {.name = "text-before",              .effects = "--------FF---F",
     .text = "text comes before MD5Version",
     .fix = "use md5tool fix"},
    {.name = "seam",                     .effects = "SSSSSSSSSSSSSS",
     .text = "vertices at a seam have slightly different positions: the lighting breaks there",
     .fix = "move the vertices to the same position"},
    {.name = "weights-apart",            .effects = "----SS--S-----",
     .text = "the weights of a vertex have different positions",
     .fix = "export the mesh again"},
    {.name = "inside-out",               .effects = "SSSSSSSSSSSS.S",
     .text = "a closed mesh faces inwards",
     .fix = "use md5tool fix --winding"},
    // Rules for culling: a model whose bounding box is too small disappears while a part of it is
    // still in view.
    {.name = "bounds-small",             .effects = "S-SS---------S",
     .text = "the skin exceeds the bounding boxes of the clip: the model disappears too early",
     .fix = "use md5tool fix --rate N with the frame rate N of the clip, which computes the bounds "
            "from the skin; add --mesh MESH if the folder contains several meshes"},
    {.name = "bind-box",                 .effects = "----SSSSS-----",
     .text = "the skin exceeds the bounding box of the bind pose: the model disappears too early",
     .fix = "move the bind pose of the figure, or keep the motion near it"},
    {.name = "loop",                     .effects = "SSSS----------",
     .text = "the last frame of a loop differs from the first",
     .fix = "use md5tool fix --close-loop"},
    {.name = "doubled-frame",            .effects = "SSSSSSSSSSSSSS",
     .text = "the first frame occurs twice: the motion stops for a frame",
     .fix = "use md5tool fix"},
    {.name = "root-drift",               .effects = "SSSS----------",
     .text = "the root of an in-place loop does not return to its start",
     .fix = "use md5tool fix --in-place"},
    {.name = "root-motion",              .effects = "SSSS----------",
     .text = "the motion of the figure is not on the first joint",
     .fix = "use md5tool fix --root-motion JOINT"},
    {.name = "sliding-feet",             .effects = "SSSSSSSSSSSSSS",
     .text = "planted feet slide",
     .fix = "match the speed of the root to the steps of the feet"},
    {.name = "fewer-frames",             .effects = "----SSSSSSWS--",
     .text = "a clip has fewer frames than the .mdl or .md2 that it replaces",
     .fix = "repeat the last frame until the counts are equal"},
    {.name = "tga-kind",                 .effects = "E..E--........",
     .text = "a TGA image is neither of type 2 or 10 with 24 or 32 bits, nor of type 3",
     .fix = "save the image with 24 or 32 bits, type 2 or 10"},
    {.name = "pcx-kind",                 .effects = "....EEEE..F..-",
     .text = "a PCX image does not have one plane of 8 bits",
     .fix = "save the image with 256 colors"},
    {.name = "image-sides",              .effects = "S...----......",
     .text = "the sides of an image are not powers of two: the engine shrinks the image",
     .fix = "resize the image to powers of two"},
};
// clang-format on
enum { NUM_RULES = MD5_COUNT(rules) };

// Returns true if version a is before version b. Versions such as "0.8.1" are compared number by
// number.
static bool is_version_before(const char *a, const char *b)
{
    while (*a || *b) {
        char *a_end = NULL;
        char *b_end = NULL;
        const unsigned long a_number = strtoul(a, &a_end, 10);
        const unsigned long b_number = strtoul(b, &b_end, 10);
        if (a_number != b_number)
            return a_number < b_number;
        a = *a_end == '.' ? a_end + 1 : "";
        b = *b_end == '.' ? b_end + 1 : "";
    }
    return false;
}

// Returns true if engine_rows[index] represents a version of its engine. The version NULL means the
// newest. An entry with `below` represents the versions before `below`. The entry before it
// represents the other versions of the same engine.
static bool includes_version(uint32_t index, const char *version)
{
    if (engine_rows[index].below)
        return version && is_version_before(version, engine_rows[index].below);
    const bool is_last = index + 1 == NUM_ENGINES;
    const char *const first_version = is_last ? NULL : engine_rows[index + 1].below;
    const bool is_too_old = version && first_version && is_version_before(version, first_version);
    return !is_too_old;
}

// Returns true if name[length] is the name or the alias of an engine. The name "all" stands for
// every engine.
static bool has_engine_name(const struct engine *engine, const char *name, size_t length)
{
    const char *const names[] = {engine->name, engine->alias, "all"};
    for (uint32_t i = 0; i < MD5_COUNT(names); i++) {
        if (names[i] && strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return true;
    }
    return false;
}

// Represents this library in sets of engines, such as "md5model, doom3".
static const struct engine library_engine = {.name = "md5model"};

// Returns the bit of engine_rows[index] in a set of engines.
static uint32_t engine_bit(uint32_t index)
{
    return UINT32_C(1) << index;
}

// Returns the set of engines that a name such as "doom3" or "ironwail:0.8.1" selects. A set has one
// bit for each engine. Returns 0 if the name is unknown.
uint32_t md5_find_engines(const char *name)
{
    // The name may be followed by a colon and a version.
    const size_t length = strcspn(name, ":");
    const char *const version = name[length] ? name + length + 1 : NULL; // NULL: the newest
    if (version && (*version == '\0' || version[strspn(version, "0123456789.")] != '\0'))
        return 0;

    uint32_t found = strcmp(name, library_engine.name) == 0 ? MD5_ENGINE_LIBRARY : 0;
    for (uint32_t i = 0; i < NUM_ENGINES; i++) {
        if (includes_version(i, version) && has_engine_name(&engine_rows[i], name, length))
            found |= engine_bit(i);
    }
    return found;
}

// Appends the name of an engine to the names in text[size], of which `used` bytes are used. Returns
// the new number of bytes, which may exceed `size`.
static size_t append_engine_name(const struct engine *engine, char *text, size_t size, size_t used)
{
    const size_t left = used < size ? size - used : 0;
    char *const end = left > 0 ? text + used : NULL;
    const char *const separator = used > 0 ? ", " : "";
    int length;
    if (engine->below)
        length = snprintf(end, left, "%s%s before %s", separator, engine->name, engine->below);
    else
        length = snprintf(end, left, "%s%s", separator, engine->name);
    return used + (size_t)length;
}

// Writes the names of the engines in a set, separated by commas. Returns the length of the full
// text, which may be larger than `size`.
size_t md5_engine_names(uint32_t engines, char *text, size_t size)
{
    size_t used = 0;
    if (size > 0)
        text[0] = '\0';
    if (engines & MD5_ENGINE_LIBRARY)
        used = append_engine_name(&library_engine, text, size, used);
    for (uint32_t i = 0; i < NUM_ENGINES; i++) {
        if (engines & engine_bit(i))
            used = append_engine_name(&engine_rows[i], text, size, used);
    }
    return used;
}

// Returns the set of engines on which a violation of a rule has a certain effect. `letter` is the
// letter of the effect in the table of rules. For example, 'E' means that the engine stops.
static uint32_t engines_with_effect(const struct check_rule *rule, char letter)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < NUM_ENGINES; i++) {
        if (rule->effects[i] == letter)
            set |= engine_bit(i);
    }
    return set;
}

// Describes a rule as a diagnostic, with its effects on the requested engines. Returns false if
// there is no rule with this index.
bool md5_get_rule(uint32_t index, md5_engines engines, md5_diagnostic *diagnostic)
{
    *diagnostic = (md5_diagnostic){.error = {.status = MD5_WARNING}, .count = 1, .is_silent = true};
    if (index >= NUM_RULES)
        return false;

    // Copy the rule. The part of its name after a slash is only used in this file.
    const struct check_rule *const rule = &rules[index];
    memcpy(diagnostic->rule, rule->name, strcspn(rule->name, "/"));
    diagnostic->is_library_too = rule->is_library_too;
    diagnostic->fix = rule->fix;
    snprintf(diagnostic->error.message, sizeof diagnostic->error.message, "%s", rule->text);

    // List the effects on the requested engines, such as "stops doom3; wrong in fte". The buffer
    // has space for all engines.
    char *next = diagnostic->engines;
    char *const end = next + sizeof diagnostic->engines;
    for (uint32_t k = 0; k < MD5_COUNT(effects); k++) {
        const uint32_t set = engines_with_effect(rule, effects[k].letter) & engines.all;
        if (set == 0)
            continue;
        const char *const separator = diagnostic->is_silent ? "" : "; ";
        next += snprintf(next, (size_t)(end - next), "%s%s ", separator, effects[k].text);
        next += md5_engine_names(set, next, (size_t)(end - next));
        diagnostic->is_silent = false;
        if (effects[k].is_error && (engines.sure & set) != 0)
            diagnostic->error.status = MD5_ERROR_MISMATCH;
    }
    return true;
}

// == Diagnostics ==================================================================================

// Creates a checker, which is stored in its own arena. Returns NULL if memory runs out.
md5_checker *md5i_begin_check(const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};
    md5_checker *const checker = MD5_ALLOC_ZEROED(&arena, md5_checker, 1);
    uint32_t *const reported = checker ? MD5_ALLOC_ZEROED(&arena, uint32_t, NUM_RULES) : NULL;
    const char *const name = opts && opts->file_name ? opts->file_name : "";
    char *const file = reported ? md5_copy_text(&arena, name, strlen(name)) : NULL;
    if (!file) {
        md5i_arena_free(&arena);
        return NULL;
    }

    // The context moves into the checker, to which the arenas then refer.
    context.warn = NULL;
    *checker = (md5_checker){.context = context, .reported = reported};
    checker->check.file = file;
    checker->check.internal.tag = MD5_TAG_CHECK;
    checker->arena = (md5_arena){.context = &checker->context, .chunks = arena.chunks};
    checker->scratch.context = &checker->context;
    return checker;
}

// Frees a check with its diagnostics. NULL has no effect.
void md5_free_check(md5_check *check)
{
    MD5_ASSERT_NULL_OR_ALIVE(check, MD5_TAG_CHECK);
    if (!check)
        return;
    // The checker is itself in its arena, so freeing needs copies of the context and the arena.
    md5_checker *const checker = (md5_checker *)check;
    md5_context context = checker->context;
    md5_arena arena = {.context = &context, .chunks = checker->arena.chunks};
    md5i_arena_free_object(&arena);
}

// Copies a text into a message. Escapes bytes that are not printable UTF-8, and truncates the text
// before a character that does not fit.
static void write_message(char message[sizeof((md5_error *)0)->message], const char *text)
{
    const char *const end = text + strlen(text);
    const char *next = text;
    size_t used = 0;
    while (next < end) {
        char bytes[MD5_ESCAPED];
        const size_t count = md5i_escape(&next, end, bytes); // moves `next` to the next character
        if (used + count >= sizeof((md5_error *)0)->message)
            break;
        memcpy(message + used, bytes, count);
        used += count;
    }
    message[used] = '\0';
}

// Adds a diagnostic of rules[rule] with the message `text`. If memory runs out, adds nothing and
// sets the error of the context.
static void add_diagnostic(md5_checker *checker, uint32_t rule, md5_text_location location,
                           const char *text)
{
    md5_check *const check = &checker->check;
    md5_diagnostic *const diagnostics = (md5_diagnostic *)md5_grow(
        &checker->arena, check->diagnostics, check->num_diagnostics, sizeof *diagnostics);
    if (!diagnostics)
        return;
    md5_diagnostic *const added = &diagnostics[check->num_diagnostics++];
    check->diagnostics = diagnostics;
    md5_get_rule(rule, check->engines, added);
    write_message(added->error.message, text);
    memcpy(added->error.file, checker->context.error.file, sizeof added->error.file);
    added->error.line = location.line;
    added->error.column = location.column;
}

// Returns the index of a rule, or NUM_RULES if the name is unknown.
static uint32_t find_rule(const char *name)
{
    uint32_t i = 0;
    while (i < NUM_RULES && strcmp(rules[i].name, name) != 0)
        i++;
    return i;
}

// Buffer for a message before escaping. It is larger than a message, because messages quote up to
// 256 bytes of a file.
typedef char md5_raw_message[1024];

// Adds a diagnostic of a rule. If memory runs out, adds nothing and sets the error of the context.
void md5i_add_diagnostic(md5_checker *checker, const char *rule, md5_text_location location,
                         const char *format, ...)
{
    md5_raw_message text;
    MD5_PRINT(text, format);
    add_diagnostic(checker, find_rule(rule), location, text);
}

// Reports a violation of a rule. The first violation adds a diagnostic with its location. Further
// violations only increase the count of this diagnostic.
void md5i_report_violation(md5_checker *checker, const char *rule, md5_text_location location,
                           const char *format, ...)
{
    const uint32_t index = find_rule(rule);
    md5_raw_message text;
    const bool is_reported = checker->reported[index] > 0;
    if (is_reported) {
        checker->check.diagnostics[checker->reported[index] - 1].count++;
        return;
    }
    MD5_PRINT(text, format);
    add_diagnostic(checker, index, location, text);
    checker->reported[index] = checker->check.num_diagnostics; // 1 + the index of the diagnostic
}

// Adds a diagnostic of the caller. `rule` is the name of a rule, `line` and `column` are the
// location, and `text` is the message.
bool md5_add_diagnostic(md5_check *check, const char *rule, uint32_t line, uint32_t column,
                        const char *text)
{
    MD5_ASSERT_ALIVE(check, MD5_TAG_CHECK);
    const uint32_t index = find_rule(rule);
    const uint32_t count = check->num_diagnostics;
    MD5_ASSERT(index < NUM_RULES, "rule: must be the name of a rule");
    if (index < NUM_RULES)
        add_diagnostic((md5_checker *)check, index, (md5_text_location){line, column}, text);
    return check->num_diagnostics > count;
}
