// Tests with files that are designed to be slow or to need much memory: memory and time must be
// linear in the size of the file.
//
// MD5_HOSTILE_MB=N makes each file N million bytes long and limits the nanoseconds per byte, which
// takes several attempts on a busy machine: see test/long/hostile.sh. Without it, files are small,
// and the limit applies to the growth of time with the size.
//
// Inputs are described by pieces of text (`piece`), by forms (`anim_form`), or by functions;
// hostile_case is one kind of input.
#include "test/load/test_asset.h"
#include "test/scoped.h"

#include <stdarg.h>
#include <time.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored \
    "-Wmissing-field-initializers" // initializers omit members that are 0
#endif

// -- Texts ----------------------------------------------------------------------------------------

// A text that grows. The caller frees `bytes`.
typedef struct hostile_text {
    char *bytes;
    size_t size, capacity;
} hostile_text;

static void reserve(hostile_text *text, size_t size)
{
    if (text->capacity - text->size > size)
        return;
    text->capacity = 2 * text->capacity + size + 4096;
    text->bytes = realloc(text->bytes, text->capacity);
    if (!text->bytes)
        abort();
}

TEST_PRINTF(2, 3) static void add(hostile_text *text, const char *format, ...)
{
    enum { LONGEST = 512 };
    reserve(text, LONGEST);
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text->bytes + text->size, LONGEST, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= LONGEST)
        abort();
    text->size += (size_t)length;
}

static void fill(hostile_text *text, const char *part, size_t size)
{
    const size_t length = strlen(part);
    reserve(text, size + length);
    for (size_t used = 0; used < size; used += length) {
        memcpy(text->bytes + text->size, part, length);
        text->size += length;
    }
}

// A part of a hostile text of about `size` bytes. The characters # and ? in `words` are replaced by
// numbers.
typedef struct piece {
    const char *words;
    enum { ONCE, TIMES, BYTES, NULS } kind;
    // ONCE writes the words once; # is size / part, and ? is size / other. TIMES repeats the words
    // size / part times; # is the index of the repetition, $ is its last digit, and @ are three
    // digits that cycle; ? is the number of repetitions or, if `second_part` is set, size / other -
    // 1. BYTES repeats the words until size / part bytes are written. NULS writes `size` bytes of
    // 0.
    size_t part, second_part;
} piece;

static void add_text(hostile_text *text, const piece *from, size_t size, size_t which)
{
    const size_t count = from->part ? size / from->part : 0;
    const bool once = from->kind == ONCE;
    const size_t last = once ? 0 : 1;
    const size_t second_part = from->second_part ? size / from->second_part - last : count;
    for (const char *word = from->words; *word; word++) {
        const size_t plain = strcspn(word, "#?$@");
        add(text, "%.*s", (int)plain, word);
        word += plain;
        if (*word == '\0')
            return;
        if (*word == '#')
            add(text, "%zu", once ? count : which);
        else if (*word == '?')
            add(text, "%zu", second_part);
        else if (*word == '$')
            add(text, "%zu", which % 10);
        else
            add(text, "%u", (unsigned)(which * 2654435761u % 900 + 100));
    }
}

// A count. If it is negative, -n means size / n, where `size` is the size of the text.
typedef long amount;

static size_t resolve_amount(amount number, size_t size)
{
    return number < 0 ? size / (size_t)-number : (size_t)number;
}

// Every joint has `flags`; its first component is `first` plus its index times `stride`. Numbers of
// frames alternate between `even` and `odd`.
typedef struct anim_form {
    amount frames;
    amount joints;
    amount components; // plus `stride` for each joint
    unsigned flags;
    size_t stride, first;
    const char *even, *odd;
    amount boxes;
} anim_form;

#define ANIM_HEAD                                                            \
    "MD5Version 10 commandline\"\"numFrames %zu numJoints %zu frameRate 24 " \
    "numAnimatedComponents %zu hierarchy{\n"

// Appends an animation of the given form, whose amounts depend on `size`.
static void add_anim(hostile_text *text, const anim_form *form, size_t size)
{
    const size_t frames = resolve_amount(form->frames, size);
    const size_t joints = resolve_amount(form->joints, size);
    const size_t components = resolve_amount(form->components, size) + joints * form->stride;
    const size_t boxes = resolve_amount(form->boxes, size);
    add(text, ANIM_HEAD, frames, joints, components);
    for (size_t j = 0; j < joints; j++)
        add(text, "a -1 %u %zu ", form->flags, form->first + j * form->stride);
    add(text, "}baseframe{");
    for (size_t j = 0; j < joints; j++)
        add(text, "(0 0 0)(0 0 0)");
    add(text, "}");
    if (boxes > 0)
        add(text, "bounds{");
    for (size_t box = 0; box < boxes; box++)
        add(text, "(0 0 0)(0 0 0)");
    if (boxes > 0)
        add(text, "}");
    if (form->even) {
        for (size_t frame = 0; frame < frames; frame++) {
            add(text, "frame %zu{", frame);
            for (size_t i = 0; i < components; i++)
                add(text, "%s ", (frame + i) % 2 == 0 ? form->even : form->odd);
            add(text, "}");
        }
    }
}

// Names and parents of the joints of a model or an animation, in a given number of bytes each.
typedef enum naming { UNNAMED, EQUAL, COUNTED, COUNTED_DOWN, LONG_PREFIX, LONG_ROOT } naming;
typedef enum shape { FLAT, CHAIN, REVERSED, STAR, SCATTERED, CIRCLE } shape;
typedef struct joint_form {
    size_t bytes;
    naming names;
    shape shape;
} joint_form;

static long shape_parent(shape form, size_t joint, size_t count)
{
    switch (form) {
    case FLAT:
        return -1;
    case REVERSED: // the parent of each joint is the next joint in the table; the last joint is the
                   // root
        return joint + 1 < count ? (long)joint + 1 : -1;
    case CIRCLE:
        return (long)((joint + count / 2 + 1) % count);
    default:
        break;
    }
    if (joint == 0)
        return -1;
    // SCATTERED: parents are far from their children, all over the table.
    if (form == STAR)
        return 0;
    return form == CHAIN ? (long)joint - 1 : (long)((uint64_t)joint * 2654435761u % joint);
}

// Appends a mesh or an animation of as many joints as fit into `size` bytes, with the given names
// and parents.
static void add_joints(hostile_text *text, const joint_form *form, bool is_anim, size_t size)
{
    const size_t count = size / form->bytes;
    if (is_anim)
        add(text, ANIM_HEAD, (size_t)1, count, (size_t)0);
    else
        add(text, "MD5Version 10 commandline\"\"numJoints %zu numMeshes 0 joints{\n", count);
    for (size_t j = 0; j < count; j++) {
        naming names = form->names;
        size_t joint = j;
        static const char prefix[] = "a_name_that_is_the_same_for_a_long_time_before_it_differs_";
        if (names == LONG_ROOT && joint == 0)
            fill(text, "r", 20 * count);
        if (names <= EQUAL)
            add(text, "a ");
        else if (names == LONG_PREFIX)
            add(text, "%s%zu ", prefix, (size_t)((uint64_t)joint * 7919 % count));
        else
            add(text, "j%zu ", names == COUNTED_DOWN ? count - 1 - joint : joint);
        add(text, is_anim ? "%ld 0 0 " : "%ld(0 0 0)(0 0 0)", shape_parent(form->shape, j, count));
    }
    add(text, "}");
    if (!is_anim)
        return;
    add(text, "baseframe{");
    for (size_t j = 0; j < count; j++)
        add(text, "(0 0 0)(0 0 0)");
    add(text, "}frame 0{}");
}

// -- Cases ----------------------------------------------------------------------------------------

// One kind of hostile input in any size. It consists of pieces, follows a form, or is written by a
// function. If both forms of joints are set, a model and an animation are bound.
typedef struct hostile_case {
    const char *name;
    bool is_refused; // true: expect an error; false: an asset
    piece pieces[8];
    joint_form mesh_joints, anim_joints;
    anim_form anim;
    void (*make)(hostile_text *text, size_t size);
} hostile_case;

#define JOINTS(joints, meshes) \
    "MD5Version 10 commandline\"\"numJoints " joints " numMeshes " meshes " joints{\n"
#define ROOT "a -1(0 0 0)(0 0 0)"
#define ONE_ROOT JOINTS("1", "1") ROOT "}"
#define EMPTY_MESH "numverts 0 numtris 0 numweights 0}"
#define WEIGHT "weight 0 # 1($ 0 0)"
#define COUNTS "numJoints 1 numMeshes 0 joints{a -1(0 0 0)(0 0 0)}\n"
#define REST "commandline \"\" " COUNTS // the required entries of a model after its first line
#define WHOLE "MD5Version 10 " REST

// Adds vertices that share `width` weights: as many as the text can contain, but with at most one
// reference to a weight in `per_byte` bytes of text.
static void add_shared_weights(hostile_text *text, size_t size, size_t width, size_t per_byte)
{
    const size_t text_size = size - size / 8;
    const size_t capacity = text_size - width * 40;
    const size_t by_text = capacity / 19;
    const size_t by_sharing = text_size / per_byte / width;
    const size_t count = by_text < by_sharing ? by_text : by_sharing;
    add(text, JOINTS("%zu", "1"), width);
    for (size_t j = 0; j < width; j++)
        add(text, ROOT);
    add(text, "}mesh{numverts %zu ", count);
    for (size_t v = 0; v < count; v++)
        add(text, "vert 0(0 0)0 %zu ", width);
    add(text, " numtris 0 numweights %zu ", width);
    for (size_t w = 0; w < width; w++)
        add(text, "weight 0 %zu 1(%zu 0 0)", w, w % 10);
    add(text, "}\n");
    if (text->size < size)
        fill(text, "//\n", size - text->size);
}

static void write_shared_range(hostile_text *text, size_t size)
{
    add_shared_weights(text, size, 1000, 8);
}

static void write_shared_few(hostile_text *text, size_t size)
{
    add_shared_weights(text, size, 2, 1);
}

// Every vertex is in triangles of both orientations of the texture, all at one position.
static void add_seam_mesh(hostile_text *text, size_t num_vertices)
{
    add(text, "mesh{numverts %zu ", num_vertices);
    STRINGS(texcoords) = {"0 0", "1 0", "0 1"};
    for (size_t v = 0; v < num_vertices; v++)
        add(text, "vert 0(%s)0 1 ", texcoords[v % 3]);
    add(text, "numtris %zu ", num_vertices / 3 * 2);
    for (size_t v = 0; v + 2 < num_vertices; v += 3)
        add(text, "tri 0 %zu %zu %zu tri 0 %zu %zu %zu ", v, v + 1, v + 2, v, v + 2, v + 1);
    add(text, "numweights 1 weight 0 0 1(0 0 0)}");
}

static void write_seams(hostile_text *text, size_t size)
{
    add(text, ONE_ROOT);
    add_seam_mesh(text, size / 108 * 3);
}

static void write_seams_in_small_meshes(hostile_text *text, size_t size)
{
    const size_t count = size / 300;
    add(text, JOINTS("1", "%zu") ROOT "}", count);
    for (size_t m = 0; m < count; m++)
        add_seam_mesh(text, 9);
}

static const hostile_case models[] = {
    {"joints in a chain", .mesh_joints = {23, UNNAMED, CHAIN}},
    {"joints in a chain from the end", .mesh_joints = {23, UNNAMED, REVERSED}},
    {"roots", .mesh_joints = {18, UNNAMED, FLAT}},
    {"joints below one", .mesh_joints = {17, UNNAMED, STAR}}, // the shortest joints that are valid
    {"joints all over the table", .mesh_joints = {23, UNNAMED, SCATTERED}},
    {"joints in a circle", .is_refused = true, .mesh_joints = {23, UNNAMED, CIRCLE}},
    {"weights of one vertex",
     false,
     {{ONE_ROOT "mesh{numverts 1 vert 0(0 0)0 # numtris 0 numweights ? ", ONCE, 19, 19},
      {"weight 0 0 1($ 0 0)", TIMES, 19},
      {"}"}}},
    {"joints of one vertex",
     false,
     {{JOINTS("#", "1"), ONCE, 43},
      {ROOT, TIMES, 43},
      {"}mesh{numverts 1 vert 0(0 0)0 # numtris 0 numweights ? ", ONCE, 43, 43},
      {"weight 0 # .@(0 0 0)", TIMES, 43},
      {"}"}}},
    {"vertices sharing many weights", .make = write_shared_range},
    {"vertices sharing two weights", .make = write_shared_few},
    // Thousands of vertices, each with the same thousands of weights.
    {"vertices sharing too many weights",
     true,
     {{JOINTS("#", "1"), ONCE, 58},
      {ROOT, TIMES, 58},
      {"}mesh{numverts # ", ONCE, 58},
      {"vert 0(0 0)0 ? ", TIMES, 58},
      {"numtris 0 numweights # ", ONCE, 58},
      {WEIGHT, TIMES, 58},
      {"}"}}},
    {"empty meshes",
     false,
     {{JOINTS("1", "#") ROOT "}", ONCE, 39}, {"mesh{" EMPTY_MESH, TIMES, 39}}},
    {"small meshes",
     false,
     {{JOINTS("1", "#") ROOT "}", ONCE, 88},
      {"mesh{numverts 2 vert 0(0 0)0 1 vert 1(0 0)0 0 numtris 0 "
       "numweights 1 weight 0 0 1(.1 .2 .3)}",
       TIMES, 88}}},
    // Half of the text are joints, half are meshes that each use the last joint.
    {"meshes of the last joint",
     false,
     {{JOINTS("#", "?"), ONCE, 2 * 18, 2 * 75},
      {ROOT, TIMES, 2 * 18},
      {"}"},
      {"mesh{numverts 1 vert 0(0 0)0 1 numtris 0 numweights 1 weight 0 ? 1(0 0 0)}", TIMES, 2 * 75,
       2 * 18}}},
    {"vertices",
     false,
     {{ONE_ROOT "mesh{numverts # ", ONCE, 15},
      {"vert 0(0 0)0 0 ", TIMES, 15},
      {"numtris 0 numweights 0}"}}},
    {"triangles",
     false,
     {{ONE_ROOT "mesh{numverts 1 vert 0(0 0)0 1 numtris # ", ONCE, 12},
      {"tri 0 0 0 0 ", TIMES, 12},
      {"numweights 1 weight 0 0 1(0 0 0)}"}}},
    {"mirror seams", .make = write_seams},
    {"mirror seams of small meshes", .make = write_seams_in_small_meshes},
    // Two triangles of opposite orientation of the texture; one of their corners has very many
    // influences.
    {"mirror seam of many joints",
     false,
     {{JOINTS("#", "1"), ONCE, 43},
      {ROOT, TIMES, 43},
      {"}mesh{numverts 3 vert 0(0 0)0 # vert 1(0 1)0 1 vert 2(1 0)0 1 numtris 2 "
       "tri 0 0 1 2 tri 1 0 2 1 numweights ? ",
       ONCE, 43, 43},
      {WEIGHT, TIMES, 43},
      {"}"}}},
    {0},
};

// Numbers next to the middle between two floats, and tiny numbers: the slowest input for a reader.
static void write_slow_numbers(hostile_text *text, size_t size)
{
    STRINGS(numbers) = {"1.000000059604644775390625",
                        "16777217",
                        "536870944.0",
                        "1e-40",
                        "7e-46",
                        "0.9e9",
                        "1.17549428e-38",
                        "67108866",
                        "2.3509887e-38",
                        "33554434.00000000000000000001"};
    enum { NUM_NUMBERS = COUNT_OF(numbers) };
    const size_t count = size / 50;
    add(text, ONE_ROOT "mesh{numverts 0 numtris 0 numweights %zu ", count);
    for (size_t w = 0; w < count; w++)
        add(text, "weight 0 0 %s(%s %s 0)", numbers[w % 3], numbers[(w + 3) % NUM_NUMBERS],
            numbers[w % NUM_NUMBERS]);
    add(text, "}");
}

static const hostile_case tokens[] = {
    {"line comments", true, {{"//\n", BYTES, 1}}},
    {"block comments", false, {{WHOLE}, {"/**/", BYTES, 1}}},
    {"comments without end", true, {{"/* ", BYTES, 1}, {WHOLE}}},
    {"comments without end behind all", false, {{WHOLE}, {"/* ", BYTES, 1}}},
    {"comments with names of meshes",
     false,
     {{ONE_ROOT "mesh{"}, {"// meshes: a\n", BYTES, 1}, {EMPTY_MESH}}},
    {"blank lines", false, {{"\n", BYTES, 1}, {WHOLE}}},
    {"carriage returns", true, {{"x 1\r", BYTES, 1}, {WHOLE}}},
    {"carriage returns between words", false, {{"MD5Version 10\r"}, {"x 1\r", BYTES, 1}, {REST}}},
    {"bytes from 0x80 on", false, {{JOINTS("1", "0")}, {"\xE9", BYTES, 1}, {ROOT "}"}}},
    {"NUL bytes", true, {{"", NULS}}},
    {"NUL bytes behind", false, {{WHOLE}, {"", NULS}}},
    {"NUL bytes inside", true, {{"MD5Version 10 commandline \"\""}, {"", NULS}, {WHOLE}}},
    {"endless token", true, {{"a", BYTES, 1}}},
    {"endless name", false, {{JOINTS("1", "0")}, {"a b ", BYTES, 1}, {ROOT "}"}}},
    {"endless number",
     false,
     {{JOINTS("1", "0") "a -1("},
      {"0", BYTES, 4},
      {"1", BYTES, 4},
      {"."},
      {"1", BYTES, 4},
      {"e-# 0.", ONCE, 4},
      {"0", BYTES, 4},
      {"1 0)(0 0 0)}"}}},
    {"endless count", true, {{"MD5Version 10 commandline \"\" numJoints "}, {"1", BYTES, 1}}},
    {"endless string", true, {{"MD5Version 10 commandline \""}, {"a", BYTES, 1}}},
    {"long string", false, {{"MD5Version 10 commandline \""}, {"a", BYTES, 1}, {"\"\n" COUNTS}}},
    {"strings to join", false, {{"MD5Version 10 commandline "}, {"\"\"", BYTES, 1}, {"\n" COUNTS}}},
    {"shaders of one mesh", false, {{ONE_ROOT "mesh{"}, {"shader\"\"", BYTES, 1}, {EMPTY_MESH}}},
    {"deep blocks",
     false,
     {{"MD5Version 10 unknown "}, {"{", BYTES, 2}, {"}", BYTES, 2}, {"\n" REST}}},
    {"deep blocks without end", true, {{"MD5Version 10 unknown "}, {"{", BYTES, 1}}},
    {"brackets", true, {{"MD5Version 10 unknown "}, {"(", BYTES, 1}}},
    {"unknown words", false, {{"MD5Version 10\n"}, {"m\n", BYTES, 1}, {REST}}},
    {"unknown values", false, {{"MD5Version 10\nunknown "}, {"n ", BYTES, 1}, {REST}}},
    {"unknown words in a mesh",
     false,
     {{ONE_ROOT "mesh{\n"}, {"n\n", BYTES, 2}, {"unknown "}, {"n ", BYTES, 2}, {EMPTY_MESH}}},
    {"unknown blocks", false, {{"MD5Version 10\n"}, {"x{}\n", BYTES, 1}, {REST}}},
    {"slow numbers", .make = write_slow_numbers},
    {"huge counts",
     true,
     {{"MD5Version 10 commandline \"\" numJoints 4294967295 numMeshes 4294967295 "},
      {"a 0(0 0 0)(0 0 0)", BYTES, 1}}},
    {"huge count of vertices",
     true,
     {{ONE_ROOT "mesh{numverts 4294967295 "}, {"vert 0(0 0)0 0", BYTES, 1}}},
    // Counts that the text could just contain if it contained nothing else, one after the other.
    {"largest counts",
     true,
     {{"MD5Version 10 commandline \"\" numJoints # numMeshes ? joints{", ONCE, 17, 39},
      {" ", BYTES, 1}}},
    {"largest count of weights",
     true,
     {{ONE_ROOT "mesh{numverts 0 numtris 0 numweights # mesh{numverts 0 numtris 0 numweights ? ",
       ONCE, 19, 19},
      {" ", BYTES, 1}}},
    {0},
};

// As many frames as can share the components of 200 joints.
static void write_shared_anim(hostile_text *text, size_t size)
{
    const anim_form form = {
        (long)((size - 25 * 200) / 4 / 200), 200, 1, 8, .even = "0", .odd = "1"};
    add_anim(text, &form, size);
    if (text->size < size)
        fill(text, "//\n", size - text->size);
}

static void write_unknown_anim_keywords(hostile_text *text, size_t size)
{
    const anim_form overlong = {5, 1, 0, 56, .stride = 3, .even = "1", .odd = "2"};
    add(text, "MD5Version 10\n");
    fill(text, "f\n", size / 2);
    add(text, "unknown ");
    fill(text, "n ", size / 2);
    const size_t start = text->size;
    add_anim(text, &overlong, 0);
    memset(text->bytes + start, ' ', strlen("MD5Version 10"));
}

// One frame that repeats one number.
#define NUMBERS(number) .anim = {1, 1, -(long)sizeof(number), 7, .even = (number), .odd = (number)}

static const hostile_case anims[] = {
    {"frames without numbers", .anim = {-2 * 14, -2 * 22, 0, .even = "0"}},
    {"joints in a chain from the end", .anim_joints = {32, UNNAMED, REVERSED}},
    {"joints", .anim = {1, -22, 0, .even = "0"}},
    // One changing number for each rotation, which is stored as four numbers.
    {"rotations of one number", .anim = {-2100, 1000, 0, 8, .stride = 1, .even = "0", .odd = "1"}},
    // Joints take about as many bytes as frames.
    {"two frames", .anim = {2, -34, 0, 8, .stride = 1, .even = "0", .odd = "1"}},
    {"overlong rotations in many frames",
     .anim = {-20, 1, 0, 56, .stride = 3, .even = "1", .odd = "2"}},
    {"overlong rotations of many joints",
     .anim = {5, -60, 0, 56, .stride = 3, .even = "1", .odd = "2"}},
    // Every frame has one rotation that is too long because of its last number.
    {"overlong rotations at the end of frames",
     .anim = {-2100, 1, 1000, 8, .first = 999, .even = "3", .odd = "3"}},
    {"joints sharing components", .make = write_shared_anim},
    {"joints sharing components too often", .is_refused = true,
     .anim = {-2 * 17, -2 * 22, 1, 8, .even = "0", .odd = "1"}},
    {"boxes", .anim = {-30, 1, 0, .boxes = -30, .even = "0"}},
    {"boxes of one frame", .anim = {1, 1, 0, .boxes = -14, .even = "0"}},
    {"one large frame", .anim = {1, 1, -2, 63, .even = "0", .odd = "0"}},
    {"one large frame that is wrong",
     true,
     {{"frame 0{"}, {"0 ", BYTES, 1}, {"}"}},
     .anim = {2, 1, 6, 63}},
    {"tiny numbers", NUMBERS("1e-40")},
    {"large numbers", NUMBERS("0.99e9")},
    {"numbers between two floats", NUMBERS("16777217")},
    {"decimals between two floats", NUMBERS("8388608.5")},
    {"numbers nearly between two floats", NUMBERS("1.0000000596046448")},
    // Differs from the middle between two floats only in its last digit.
    {"long numbers", NUMBERS("1.00000005960464477539062500000000000000000000000000000001")},
    {"long tiny numbers", NUMBERS("7.00649232162408535461864791644958e-46")},
    {"missing frames", true, {{"frame 0{0 0 0 0 0 0}"}, {" ", BYTES, 1}}, .anim = {-9, 1, 6, 63}},
    {"unknown words", .make = write_unknown_anim_keywords},
    {"huge counts",
     true,
     {{"MD5Version 10 commandline \"\" numFrames 4294967295 numJoints 4294967295 "},
      {"frame 0{}", BYTES, 1}}},
    {0},
};

#define CAMERA_HEAD(frames, cuts) \
    "MD5Version 10 commandline\"\"numFrames " frames " frameRate 24 numCuts " cuts " cuts{"
#define VIEW "(0 0 0)(0 0 0)1 "

static const hostile_case cameras[] = {
    {"views", false, {{CAMERA_HEAD("#", "0") "}camera{", ONCE, 16}, {VIEW, TIMES, 16}, {"}"}}},
    {"overlong rotations",
     false,
     {{CAMERA_HEAD("#", "0") "}camera{", ONCE, 16}, {"(0 0 0)(1 1 1)0 ", TIMES, 16}, {"}"}}},
    {"cuts", false, {{CAMERA_HEAD("1", "#"), ONCE, 2}, {"0 ", TIMES, 2}, {"}camera{" VIEW "}"}}},
    {"cuts with places",
     false,
     {{CAMERA_HEAD("1", "#"), ONCE, 17},
      {"0 pos(0 0 0)pos(0 0 0)", TIMES, 17},
      {"}camera{" VIEW "}"}}},
    {"huge counts",
     true,
     {{"MD5Version 10 commandline \"\" numCuts 4294967295 numFrames 4294967295 "},
      {"0 ", BYTES, 1}}},
    {0},
};

// Models and animations whose joints are hard to match.
static const hostile_case pairs[] = {
    {"equal names", .mesh_joints = {23, EQUAL, CHAIN}, .anim_joints = {28, EQUAL, FLAT}},
    {"names from both ends", .mesh_joints = {30, COUNTED, CHAIN},
     .anim_joints = {34, COUNTED_DOWN, CHAIN}},
    {"a chain against roots", .mesh_joints = {30, COUNTED, CHAIN},
     .anim_joints = {34, COUNTED, FLAT}},
    {"names that differ at their ends", .mesh_joints = {85, LONG_PREFIX, CHAIN},
     .anim_joints = {90, LONG_PREFIX, STAR}},
    {"a long name above many", .mesh_joints = {50, LONG_ROOT, STAR},
     .anim_joints = {55, LONG_ROOT, FLAT}},
    {"roots against a long name", .mesh_joints = {30, COUNTED, FLAT},
     .anim_joints = {55, LONG_ROOT, STAR}},
    {0},
};

// -- Reading --------------------------------------------------------------------------------------

// Limits for reading n bytes. Time per byte: attempts are repeated until one is within the first
// limit, which an idle machine reaches. The test fails only if every attempt took longer than
// `max_ratio` times the reference work, which is measured at the same time: a slow machine, or a
// machine with busy memory, slows both. Memory: FIXED_BYTES + BYTES_PER_BYTE * n, including the
// text.
static const double target_nanoseconds = 10;
static const double max_ratio = 1.5;
enum { FIXED_BYTES = 64 << 10, BYTES_PER_BYTE = 16 };

enum { SMALL = 400 * 1000, GROWTH = 4, ATTEMPTS = 4 };

typedef struct outcome {
    double seconds;
    size_t peak_bytes;
    bool is_refused;
} outcome;

static size_t long_size(void)
{
    const char *const megabytes = getenv("MD5_HOSTILE_MB");
    return megabytes ? (size_t)strtoul(megabytes, NULL, 10) * 1000 * 1000 : 0;
}

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// Does the reference work, and returns its time per byte in seconds. It is the work that a byte of
// a file may cost by design: the C library converts a text of numbers, and BYTES_PER_BYTE bytes of
// new memory are touched for each byte of it. The numbers are as short as the tokens of hostile
// files: a byte costs most if every second byte is a token.
static double reference_per_byte(void)
{
    enum {
        TEXT_BYTES = (4 << 20) - 1,
        MEMORY_BYTES = TEXT_BYTES * BYTES_PER_BYTE,
        CACHE_LINE = 64
    };
    static const char number[] = "1 "; // the last byte of the text is a digit
    SCOPED_STRING text = malloc(TEXT_BYTES + 1);
    for (size_t i = 0; i < TEXT_BYTES; i++)
        text[i] = number[i % (sizeof number - 1)];
    text[TEXT_BYTES] = '\0';
    const double begin = processor_seconds();
    volatile unsigned char *const memory = malloc(MEMORY_BYTES);
    for (size_t i = 0; i < MEMORY_BYTES; i += CACHE_LINE)
        memory[i] = 1;
    double sum = 0;
    char *at = text;
    while (at < text + TEXT_BYTES)
        sum += strtod(at, &at);
    const double seconds = processor_seconds() - begin;
    CHECK(sum > 0);
    free((void *)memory);
    return seconds / (double)TEXT_BYTES;
}

typedef enum file_kind { MODEL, ANIM, CAMERA, PAIR } file_kind;

static void *parse(file_kind kind, const hostile_text *text, const md5_load_opts *opts,
                   md5_error *error)
{
    if (kind == MODEL)
        return md5_parse_model(text->bytes, text->size, opts, error);
    if (kind == ANIM)
        return md5_parse_anim(text->bytes, text->size, opts, error);
    return md5_parse_camera(text->bytes, text->size, opts, error);
}

static uint32_t num_warnings(file_kind kind, const void *asset)
{
    if (kind == MODEL)
        return ((const md5_model *)asset)->num_warnings;
    if (kind == ANIM)
        return ((const md5_anim *)asset)->num_warnings;
    return ((const md5_camera *)asset)->num_warnings;
}

static const char *find_fault(file_kind kind, const void *asset)
{
    if (kind == MODEL)
        return asset_model_fault(asset);
    return kind == ANIM ? asset_anim_fault(asset) : asset_camera_fault(asset);
}

static void check_fault(const char *name, const char *fault)
{
    CHECK_THAT(!fault, "%s: %s", name, fault ? fault : "");
}

// Reads a text. Measures the processor time and the memory, and checks that the result or the error
// is valid.
static outcome read_text(const char *name, file_kind kind, const hostile_text *text)
{
    asset_heap heap = {0};
    asset_warnings warnings = {0};
    md5_load_opts opts = asset_opts(&heap, &warnings);
    md5_error error = {0};
    opts.allocator.limit = SIZE_MAX;
    const double start = processor_seconds();
    void *const asset = parse(kind, text, &opts, &error);
    const outcome result = {processor_seconds() - start, heap.peak_bytes, !asset};
    check_fault(name, asset_answer_fault(asset, asset ? num_warnings(kind, asset) : 0, &opts,
                                         &error, text->bytes, text->size));
    if (asset) {
        check_fault(name, find_fault(kind, asset));
        if (kind == MODEL)
            md5_free_model(asset);
        else if (kind == ANIM)
            md5_free_anim(asset);
        else
            md5_free_camera(asset);
    } else if (getenv("MD5_HOSTILE_TELL")) {
        printf("    %u:%u: %s\n", error.line, error.column, error.message);
    }
    check_fault(name, asset_heap_fault(&heap));
    return result;
}

static outcome bind_texts(const hostile_text *mesh, const hostile_text *motion)
{
    asset_heap heap = {0};
    asset_warnings warnings = {0};
    const md5_load_opts opts = asset_opts(&heap, &warnings);
    const md5_load_opts unlimited = {.allocator = {.limit = SIZE_MAX}};
    SCOPED_MODEL model = md5_parse_model(mesh->bytes, mesh->size, &unlimited, NULL);
    SCOPED_ANIM anim = md5_parse_anim(motion->bytes, motion->size, &unlimited, NULL);
    outcome result = {.is_refused = true};
    if (CHECK(model && anim)) {
        const double start = processor_seconds();
        md5_binding *const binding = md5_bind(model, anim, &opts, NULL);
        result = (outcome){processor_seconds() - start, heap.peak_bytes, !binding};
        if (CHECK(binding))
            check_fault("binding", asset_binding_fault(binding));
        md5_free_binding(binding);
        check_fault("binding", asset_heap_fault(&heap));
    }
    return result;
}

// Creates the input, reads or binds it, and returns its size in bytes.
static size_t attempt(const hostile_case *tried, file_kind kind, size_t size, outcome *result)
{
    hostile_text first = {0};
    hostile_text second = {0};
    if (tried->anim.frames)
        add_anim(&first, &tried->anim, size);
    for (const piece *part = tried->pieces; part->words; part++) {
        if (part->kind == NULS) {
            reserve(&first, size);
            memset(first.bytes + first.size, '\0', size);
            first.size += size;
        } else if (part->kind == BYTES)
            fill(&first, part->words, size / part->part);
        else
            for (size_t i = 0; i < (part->kind == ONCE ? 1 : size / part->part); i++)
                add_text(&first, part, size, i);
    }
    if (tried->make)
        tried->make(&first, size);
    if (tried->mesh_joints.bytes)
        add_joints(&first, &tried->mesh_joints, false, size);
    if (tried->anim_joints.bytes)
        add_joints(kind == PAIR ? &second : &first, &tried->anim_joints, true, size);
    *result = kind == PAIR ? bind_texts(&first, &second) : read_text(tried->name, kind, &first);
    free(first.bytes);
    free(second.bytes);
    return first.size + second.size;
}

static void check_memory(const hostile_case *tried, file_kind kind, size_t size,
                         const outcome *result)
{
    const size_t max_bytes = FIXED_BYTES + BYTES_PER_BYTE * size - (kind == PAIR ? 0 : size);
    CHECK_THAT(result->peak_bytes <= max_bytes,
               "%s: %zu bytes of memory for %zu bytes of text: %.1f each", tried->name,
               result->peak_bytes, size, (double)result->peak_bytes / (double)size);
}

// Checks that reading a large text is fast enough, compared with the reference work, because
// machines have different speeds.
static void check_long(const hostile_case *tried, file_kind kind, size_t wanted)
{
    double nanoseconds = 0;
    double ratio = 0;
    outcome result = {0};
    size_t size = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
        const double reference = reference_per_byte();
        size = attempt(tried, kind, wanted, &result);
        const double seconds_per_byte = result.seconds / (double)size;
        if (i == 0 || seconds_per_byte / reference < ratio)
            ratio = seconds_per_byte / reference;
        if (i == 0 || seconds_per_byte * 1e9 < nanoseconds)
            nanoseconds = seconds_per_byte * 1e9;
        if (nanoseconds <= target_nanoseconds)
            break;
    }
    printf("%6.2f ns per byte, %4.2f times the reference; %5.2f bytes of memory per byte of %11zu: "
           "%s%s\n",
           nanoseconds, ratio, (double)result.peak_bytes / (double)size, size, tried->name,
           result.is_refused ? " (refused)" : "");
    check_memory(tried, kind, size, &result);
    CHECK_THAT(ratio <= max_ratio, "%s: %.1f ns per byte, %.2f times the reference", tried->name,
               nanoseconds, ratio);
}

// Checks that time and memory grow linearly from a small to a large text. `slack` covers the
// resolution of the clock and costs that do not depend on the size.
static void check_growth(const hostile_case *tried, file_kind kind)
{
    const double slack = 0.03;
    outcome small = {0};
    outcome large = {0};
    size_t size = 0;
    bool is_linear = false;
    for (int i = 0; i < ATTEMPTS && !is_linear; i++) {
        attempt(tried, kind, SMALL, &small);
        size = attempt(tried, kind, GROWTH * SMALL, &large);
        is_linear = large.seconds <= 2 * GROWTH * small.seconds + slack;
    }
    check_memory(tried, kind, size, &large);
    CHECK_THAT(is_linear, "%s: %.0f ms, but %.0f ms for %d times the size", tried->name,
               small.seconds * 1e3, large.seconds * 1e3, GROWTH);
    CHECK_THAT(large.is_refused == tried->is_refused, "%s: %s", tried->name,
               large.is_refused ? "refused" : "not refused");
}

static void check_cases(const hostile_case *cases, file_kind kind)
{
    const size_t size = long_size();
    for (; cases->name; cases++) {
        if (size > 0)
            check_long(cases, kind, size);
        else
            check_growth(cases, kind);
    }
}

TEST (hostile_models_are_read_in_linear_time_and_memory) {
    check_cases(models, MODEL);
}

TEST (hostile_tokens_are_read_in_linear_time_and_memory) {
    check_cases(tokens, MODEL);
}

TEST (hostile_anims_are_read_in_linear_time_and_memory) {
    check_cases(anims, ANIM);
}

TEST (hostile_cameras_are_read_in_linear_time_and_memory) {
    check_cases(cameras, CAMERA);
}

TEST (hostile_names_are_bound_in_linear_time_and_memory) {
    check_cases(pairs, PAIR);
}
