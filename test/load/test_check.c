// Tests of md5_check_doc(), which reports the compatibility of texts with engines, and of the
// checks of pairs, models, bindings and clips that extend its result. The texts of diagnostics are
// tested with md5tool check; the table of test/tool/check.sh contains the engines that reject each
// fault.
#include "test/scoped.h"

#include <time.h>

static void release_check(md5_check *const *owner)
{
    md5_free_check(*owner);
}
#define SCOPED_CHECK __attribute__((unused, cleanup(release_check))) md5_check *const

static md5_check *check_text(md5_doc_kind kind, const char *text, const char *engines)
{
    const uint32_t set = md5_find_engines(engines);
    const md5_load_opts opts = {.file_name = "folder/a.md5mesh"};
    return md5_check_doc(kind, text, strlen(text), (md5_engines){set, set}, &opts, NULL);
}

static const md5_diagnostic *find_rule(const md5_check *check, const char *rule)
{
    if (check) {
        for (uint32_t i = 0; i < check->num_diagnostics; i++) {
            if (strcmp(check->diagnostics[i].rule, rule) == 0)
                return &check->diagnostics[i];
        }
    }
    return NULL;
}

static const char mesh_text[] = "MD5Version 10\n"
                                "commandline \"\"\n"
                                "numJoints 2\n"
                                "numMeshes 1\n"
                                "joints {\n"
                                "\t\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
                                "\t\"limb\" 0 ( 0 0 6 ) ( 1E0 1 0 )\n"
                                "}\n"
                                "mesh {\n"
                                "\tshader \"fur\"\n"
                                "\tnumverts 1\n"
                                "\tvert 0 ( 1E0 0 ) 0 1\n"
                                "\tnumtris 0\n"
                                "\tnumweights 1\n"
                                "\tweight 0 1 1 ( 0 0 0 )\n"
                                "}\n";
static const char clip_text[] = "MD5Version 10\n"
                                "commandline \"\"\n"
                                "numFrames 1\n"
                                "numJoints 2\n"
                                "frameRate 24\n"
                                "numAnimatedComponents 0\n"
                                "hierarchy {\n"
                                "\t\"limd\" -1 0 0\n"
                                "\t\"root\" -1 0 0\n"
                                "}\n"
                                "bounds {\n\t( 0 0 0 ) ( 1 1 1 )\n}\n"
                                "baseframe {\n\t( 0 0 0 ) ( 0 0 0 )\n\t( 0 0 0 ) ( 0 0 0 )\n}\n"
                                "frame 0 {\n}\n";

// Contains a capital E twice: id's lexer stops there, other readers accept it.
TEST (check_finds_the_location_of_violations) {
    SCOPED_CHECK check = check_text(MD5_DOC_MODEL, mesh_text, "doom3");
    const md5_diagnostic *const found = find_rule(check, "capital-exponent");
    REQUIRE(found);
    CHECK_UINT(found->error.line, 7);
    CHECK_UINT(found->error.column, 23);
    CHECK_UINT(found->count, 2);
    CHECK_UINT(found->error.status, MD5_ERROR_MISMATCH);
    CHECK_STRING(found->error.file, "folder/a.md5mesh");
    CHECK_STRING(found->engines, "stops doom3");
    CHECK(!found->is_silent && !found->is_library_too);
    CHECK(find_rule(check, "long-rotation") && find_rule(check, "long-rotation")->is_library_too);
    CHECK_UINT(check->num_joints, 2);
    CHECK_STRING(check->joints[1].name, "limb");
    CHECK_STRING(check->shaders[0].name, "fur");
    SCOPED_CHECK silent = check_text(MD5_DOC_MODEL, mesh_text, "cube2");
    CHECK(find_rule(silent, "capital-exponent")
          && find_rule(silent, "capital-exponent")->is_silent);
}

// Each word replaces the x position of a joint. id's lexer accepts the suffix of a number in C, but
// no other letters.
TEST (check_reports_words_that_are_not_numbers) {
    static const struct {
        const char *word;
        bool is_number;
        bool stops_doom3;
    } rows[] = {
        {"1.5", true, false},  {"1.5f", false, false}, {"1F", false, false},
        {"1.5x", false, true}, {"1x5", false, true},   {"12g", false, true},
        {"inf", false, true},  {"f", false, true},     {"\"1\"", false, true},
    };
    const char *const match = strstr(mesh_text, "0 0 6");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        test_text text = {0};
        test_append(&text, "%.*s%s%s", (int)(match - mesh_text), mesh_text, rows[i].word,
                    match + 1);
        SCOPED_CHECK check = check_text(MD5_DOC_MODEL, text.bytes, "all");
        free(text.bytes);
        const md5_diagnostic *const found = find_rule(check, "nan");
        CHECK_THAT(!found == rows[i].is_number, "%s", rows[i].word);
        const bool stops_doom3 = found && strstr(found->engines, "stops doom3");
        CHECK_THAT(stops_doom3 == rows[i].stops_doom3, "%s: %s", rows[i].word,
                   found ? found->engines : "no diagnostic");
    }
}

// A word may contain apostrophes and bytes above 127, except as the first byte. `it's` is one name,
// so the number that follows is the parent.
TEST (check_reads_words_with_apostrophes) {
    STRINGS(names) = {"limb", "lim'b", "limb'", "l\xC3\xA9mb", "l'\xC3\xA9'b"};
    const char *const match = strstr(mesh_text, "\"limb\"");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        test_text text = {0};
        test_append(&text, "%.*s%s%s", (int)(match - mesh_text), mesh_text, names[i],
                    match + strlen("\"limb\""));
        SCOPED_CHECK check = check_text(MD5_DOC_MODEL, text.bytes, "all");
        free(text.bytes);
        REQUIRE(check && check->num_joints == 2);
        CHECK_STRING(check->joints[1].name, names[i]);
    }
}

// Each name replaces the name of a joint. The rule bare-name reports it if id's lexer reads it as
// several words.
TEST (check_reports_names_that_need_quotes) {
    static const struct {
        const char *name;
        bool needs_quotes;
    } rows[] = {
        {"\"\"", false},        {"''", false},    {"fore-limb", true}, {"\"fore-limb\"", false},
        {"'fore-limb'", false}, {"lim'b", true},  {"limb", false},     {"_/\\:.zZ09", false},
        {":limb", true},        {"li:mb", false}, {"120", false},      {"1limb", true},
        {"1.5", true},
    };
    const char *const match = strstr(mesh_text, "\"limb\"");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        test_text text = {0};
        test_append(&text, "%.*s%s%s", (int)(match - mesh_text), mesh_text, rows[i].name,
                    match + strlen("\"limb\""));
        SCOPED_CHECK check = check_text(MD5_DOC_MODEL, text.bytes, "doom3");
        free(text.bytes);
        REQUIRE(check && check->num_joints == 2);
        CHECK_THAT(!find_rule(check, "bare-name") == !rows[i].needs_quotes, "%s", rows[i].name);
    }
}

// Checks a model with a vertex of `count` equal weights whose sum is `sum`.
static md5_check *check_weights(uint32_t count, double sum)
{
    test_text text = {NULL, 0, 0};
    const char *const vertex = strstr(mesh_text, "\tvert 0");
    test_append(&text, "%.*s", (int)(vertex - mesh_text), mesh_text);
    test_append(&text, "\tvert 0 ( 1 0 ) 0 %u\n\tnumtris 0\n\tnumweights %u\n", count, count);
    for (uint32_t i = 0; i < count; i++)
        test_append(&text, "\tweight %u 1 %.6f ( 0 0 0 )\n", i, sum / count);
    test_append(&text, "}\n");
    md5_check *const check = check_text(MD5_DOC_MODEL, text.bytes, "all");
    free(text.bytes);
    return check;
}

TEST (check_limits_the_sum_and_the_number_of_weights) {
    static const double right[] = {0.9991, 1, 1.0009};
    static const double wrong[] = {-1, 0.9989, 1.0011};
    for (size_t i = 0; i < COUNT_OF(right); i++) {
        SCOPED_CHECK good = check_weights(2, right[i]);
        CHECK_THAT(good && !find_rule(good, "weight-sum"), "%g", right[i]);
        SCOPED_CHECK bad = check_weights(2, wrong[i]);
        CHECK_THAT(find_rule(bad, "weight-sum"), "%g", wrong[i]);
    }
    for (uint32_t count = 1; count <= 10; count++) {
        SCOPED_CHECK check = check_weights(count, 1);
        CHECK((find_rule(check, "4-weights") != NULL) == (count > 4));
        CHECK((find_rule(check, "8-weights") != NULL) == (count > 8));
    }
}

TEST (check_accepts_engines_and_their_versions) {
    char text[64];
    CHECK_UINT(md5_find_engines("tdm"), md5_find_engines("darkmod"));
    CHECK_UINT(md5_find_engines("nobody"), 0);
    CHECK_UINT(md5_find_engines("ironwail:0.8.2"), md5_find_engines("ironwail"));
    CHECK_UINT(md5_find_engines("ironwail:new") | md5_find_engines("ironwail:"), 0);
    const uint32_t set = md5_find_engines("ironwail:0.8.1") | md5_find_engines("md5model");
    CHECK_UINT(md5_engine_names(set, text, sizeof text), strlen("md5model, ironwail before 0.8.2"));
    CHECK_STRING(text, "md5model, ironwail before 0.8.2");
    CHECK_UINT(md5_engine_names(set, text, 9), 31);
    CHECK_STRING(text, "md5model");
}

TEST (check_compares_a_clip_with_its_mesh) {
    SCOPED_CHECK mesh = check_text(MD5_DOC_MODEL, mesh_text, "doom3");
    SCOPED_CHECK clip = check_text(MD5_DOC_ANIM, clip_text, "doom3");
    REQUIRE(mesh && clip);
    CHECK_UINT(md5_check_pair(mesh, clip), 1);
    CHECK_STRING(clip->diagnostics[clip->num_diagnostics - 1].error.message,
                 "a.md5mesh has no joint 'limd': did you mean 'limb'?");
    CHECK_UINT(clip->diagnostics[clip->num_diagnostics - 1].error.line, 8);
    CHECK_UINT(md5_check_pair(mesh, clip), 0); // the same mesh again
}

// Writes the message that is expected if a clip has a joint that its mesh does not have. The names
// of both joints have `length` letters, of which only the last one differs.
static void write_name_message(uint32_t length, char *message, size_t size)
{
    char name[512];
    memset(name, 'x', length);
    name[length] = '\0';
    test_text mesh_with_name = {0};
    test_append(&mesh_with_name,
                "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 0\njoints {\n"
                "\t\"%s\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n",
                name);
    name[length - 1] = 'y';
    test_text clip_with_name = {0};
    test_append(&clip_with_name,
                "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints 1\nframeRate 24\n"
                "numAnimatedComponents 0\nhierarchy {\n\t\"%s\" -1 0 0\n}\n"
                "bounds {\n\t( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n\t( 0 0 0 ) ( 0 0 0 )\n}\n"
                "frame 0 {\n}\n",
                name);
    SCOPED_CHECK mesh = check_text(MD5_DOC_MODEL, mesh_with_name.bytes, "md5model");
    SCOPED_CHECK clip = check_text(MD5_DOC_ANIM, clip_with_name.bytes, "md5model");
    free(mesh_with_name.bytes);
    free(clip_with_name.bytes);
    REQUIRE(mesh && clip);
    CHECK_UINT(md5_check_pair(mesh, clip), 1);
    const md5_diagnostic *const found = find_rule(clip, "clip-joint-name");
    REQUIRE(found);
    snprintf(message, size, "%s", found->error.message);
}

TEST (check_suggests_joint_names_up_to_a_length) {
    enum { LIMIT = 255 };
    char message[512] = "";
    write_name_message(LIMIT, message, sizeof message);
    CHECK_THAT(strstr(message, "did you mean 'xxxx") != NULL, "%s", message);
    write_name_message(LIMIT + 1, message, sizeof message);
    CHECK_THAT(strstr(message, "has no joint 'xxxx") && !strstr(message, "did you mean"), "%s",
               message);
}

// The only frame has the number 3 and moves the root by 5 units. Names may differ in a third of
// their letters plus one; the second weight is 2 units from the first.
TEST (check_reports_counts_and_locations) {
    SCOPED_CHECK clip = check_text(
        MD5_DOC_ANIM,
        "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints 2\n"
        "frameRate 24\nnumAnimatedComponents 1\nhierarchy {\n"
        "\t\"abcxyz\" -1 1 0\n\t\"tail\" 0 0 0\n}\nbounds {\n\t( 0 0 0 ) ( 1 1 1 )\n}\n"
        "baseframe {\n\t( 0 0 0 ) ( 0 0 0 )\n\t( 0 0 0 ) ( 0 0 0 )\n}\nframe 3 {\n\t5\n}\n",
        "all");
    REQUIRE(clip && find_rule(clip, "frame-number") && find_rule(clip, "base-frame-root"));
    CHECK_UINT(find_rule(clip, "frame-number")->error.line, 18);
    CHECK_STRING(
        find_rule(clip, "base-frame-root")->error.message,
        "root of frame 0 is 5 units from the root of the base frame: expected equal positions");
    static const char text[] =
        "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n"
        "\t\"abcdef\" -1 ( 0 0 0 ) ( 0 0 0 )\n\t\"tail\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh "
        "{\n\tshader \"fur\"\n\tnumverts 1\n"
        "\tvert 0 ( 0 0 ) 0 2\n\tnumtris 0\n\tnumweights 2\n\tweight 0 0 0.5 ( 0 0 0 )\n"
        "\tweight 1 1 0.5 ( 2 0 0 )\n}\n";
    SCOPED_CHECK mesh = check_text(MD5_DOC_MODEL, text, "all");
    SCOPED_MODEL model = text_model(text, NULL);
    REQUIRE(mesh && model && md5_check_model(mesh, model));
    REQUIRE(find_rule(mesh, "weights-apart"));
    CHECK_STRING(find_rule(mesh, "weights-apart")->error.message,
                 "mesh 0: the weights of 1 vertices have different positions: expected one bind "
                 "position per vertex");
    CHECK_UINT(md5_check_pair(mesh, clip), 1);
    CHECK_STRING(clip->diagnostics[clip->num_diagnostics - 1].error.message,
                 "a.md5mesh has no joint 'abcxyz': did you mean 'abcdef'?");
}

TEST (check_accepts_diagnostics_of_callers) {
    SCOPED_CHECK check = md5_check_doc(MD5_DOC_MODEL, NULL, 0, (md5_engines){0}, NULL, NULL);
    REQUIRE(check);
    CHECK_UINT(check->num_diagnostics, 0);
    CHECK(md5_add_diagnostic(check, "no-skin", 3, 4, "no image \x01 of it"));
    CHECK_STRING(check->diagnostics[0].error.message, "no image \\x01 of it");
    CHECK_UINT(check->diagnostics[0].error.column, 4);
}

TEST (check_fails_if_memory_runs_out) {
    size_t fail_at = 1;
    size_t num_failed = 0;
    for (bool is_done = false; !is_done && fail_at < 200; fail_at++) {
        test_heap heap = {.fail_at = fail_at};
        const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap, 0}};
        md5_error error = {0};
        SCOPED_CHECK check = md5_check_doc(MD5_DOC_ANIM, clip_text, strlen(clip_text),
                                           (md5_engines){0}, &opts, &error);
        is_done = check != NULL;
        num_failed += !is_done;
        CHECK(is_done || error.status == MD5_ERROR_MEMORY);
        CHECK(is_done || heap.live == 0);
    }
    CHECK(num_failed > 0);
}

// Returns the shortest processor time of three checks of 40 000 vertices with one weight each or
// with all 40 000 weights.
static double time_weights(bool all)
{
    enum { COUNT = 40000, ROW = 40 };
    SCOPED_STRING text = test_alloc((size_t)2 * COUNT * ROW + 400);
    size_t used = (size_t)sprintf(text,
                                  "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\n"
                                  "joints {\n\t\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n"
                                  "mesh {\n\tshader \"\"\n\tnumverts %d\n",
                                  COUNT);
    for (int i = 0; i < COUNT; i++)
        used += (size_t)sprintf(text + used, "\tvert %d ( 0 0 ) 0 %d\n", i, all ? COUNT : 1);
    used += (size_t)sprintf(text + used, "\tnumtris 0\n\tnumweights %d\n", COUNT);
    for (int i = 0; i < COUNT; i++)
        used += (size_t)sprintf(text + used, "\tweight %d 0 1 ( 0 0 0 )\n", i);
    memcpy(text + used, "}\n", 3);
    double shortest = INFINITY;
    for (int round = 0; round < 3; round++) {
        const clock_t begin = clock();
        SCOPED_CHECK check = check_text(MD5_DOC_MODEL, text, "all");
        shortest = fmin(shortest, (double)(clock() - begin) / CLOCKS_PER_SEC);
        const md5_diagnostic *const many = find_rule(check, "8-weights");
        CHECK(check && (all ? many && many->count == COUNT : !many));
    }
    return shortest;
}

// A check that computed the sum of each vertex separately would add 40 000 * 40 000 = 1.6e9
// weights.
TEST (check_is_linear_in_shared_weights) {
    const double shared = time_weights(true);
    const double separate = time_weights(false);
    CHECK_THAT(shared < 10 * separate, "%g s, for one weight each %g s", shared, separate);
}

// -- Limits of engines ----------------------------------------------------------------------------

enum {
    NAME_LENGTH, // length of the first joint's name
    NUM_JOINTS,
    SHADER_LENGTH,
    COMMAND_LENGTH,
    NUM_MESHES, // in the header
    NUM_VERTICES,
    NUM_TRIANGLES,
    NUM_WEIGHTS,
    NUM_SIZES
};

// The smallest sizes that no rule reports.
static const uint32_t small_sizes[NUM_SIZES] = {
    [NAME_LENGTH] = 1,  [NUM_JOINTS] = 1,    [SHADER_LENGTH] = 1, [NUM_MESHES] = 1,
    [NUM_VERTICES] = 1, [NUM_TRIANGLES] = 1, [NUM_WEIGHTS] = 1,
};

static void append_letters(test_text *text, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        test_append(text, "x");
}

// Checks a model of these sizes for all engines. It has one mesh.
static md5_check *check_sizes(const uint32_t sizes[NUM_SIZES])
{
    test_text text = {0};
    test_append(&text, "MD5Version 10\ncommandline \"");
    append_letters(&text, sizes[COMMAND_LENGTH]);
    test_append(&text, "\"\nnumJoints %u\nnumMeshes %u\njoints {\n\t\"", sizes[NUM_JOINTS],
                sizes[NUM_MESHES]);
    append_letters(&text, sizes[NAME_LENGTH]);
    test_append(&text, "\" -1 ( 0 0 0 ) ( 0 0 0 )\n");
    for (uint32_t j = 1; j < sizes[NUM_JOINTS]; j++)
        test_append(&text, "\t\"j%u\" 0 ( 0 0 0 ) ( 0 0 0 )\n", j);
    test_append(&text, "}\nmesh {\n\tshader \"");
    append_letters(&text, sizes[SHADER_LENGTH]);
    test_append(&text, "\"\n\tnumverts %u\n", sizes[NUM_VERTICES]);
    for (uint32_t i = 0; i < sizes[NUM_VERTICES]; i++)
        test_append(&text, "\tvert %u ( 0 0 ) 0 1\n", i);
    test_append(&text, "\tnumtris %u\n", sizes[NUM_TRIANGLES]);
    for (uint32_t i = 0; i < sizes[NUM_TRIANGLES]; i++)
        test_append(&text, "\ttri %u 0 0 0\n", i);
    test_append(&text, "\tnumweights %u\n", sizes[NUM_WEIGHTS]);
    for (uint32_t i = 0; i < sizes[NUM_WEIGHTS]; i++)
        test_append(&text, "\tweight %u 0 1 ( 0 0 0 )\n", i);
    test_append(&text, "}\n");
    md5_check *const check = check_text(MD5_DOC_MODEL, text.bytes, "all");
    free(text.bytes);
    return check;
}

// One size of a small model changes: `accepted` is the last value without a diagnostic of the rule,
// and `refused` is the first value with one.
TEST (check_reports_sizes_of_models_beyond_the_limits_of_engines) {
    static const struct {
        int size;
        uint32_t accepted, refused;
        const char *rule, *message;
    } rows[] = {
        {NAME_LENGTH, 31, 32, "long-name",
         "joint name is too long: expected at most 31 bytes, found 32 bytes"},
        {NUM_JOINTS, 256, 257, "many-joints", "too many joints: expected at most 256, found 257"},
        {SHADER_LENGTH, 51, 52, "long-skin",
         "shader name is too long: expected at most 51 bytes, found 52"},
        {SHADER_LENGTH, 1, 0, "shader-name",
         "shader name is empty: expected the name of a material"},
        {COMMAND_LENGTH, 1023, 1024, "long-commandline",
         "command line is too long: expected at most 1023 bytes, found 1024 bytes"},
        {NUM_MESHES, 32, 33, "q2pro-limit", "too many meshes: expected at most 32, found 33"},
        {NUM_MESHES, 1, 0, "no-meshes", "numMeshes is out of range: expected at least 1, found 0"},
        {NUM_MESHES, 1, 2, "more-meshes-than-joints",
         "more meshes than joints: numMeshes is 2, numJoints is 1"},
        {NUM_VERTICES, 6144, 6145, "q2pro-limit",
         "too many vertices in a mesh: expected at most 6144, found 6145"},
        {NUM_VERTICES, 65535, 65536, "many-vertices",
         "too many vertices in a mesh: expected at most 65535, found 65536"},
        {NUM_TRIANGLES, 6144, 6145, "q2pro-limit",
         "too many triangles in a mesh: expected at most 6144, found 6145"},
        {NUM_TRIANGLES, 1, 0, "empty-mesh", "mesh has no triangles: expected at least 1"},
        {NUM_WEIGHTS, 8192, 8193, "q2pro-limit",
         "too many weights in a mesh: expected at most 8192, found 8193"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t sizes[NUM_SIZES];
        memcpy(sizes, small_sizes, sizeof sizes);
        sizes[rows[i].size] = rows[i].accepted;
        SCOPED_CHECK at_limit = check_sizes(sizes);
        CHECK_THAT(at_limit && !find_rule(at_limit, rows[i].rule), "%u: %s", rows[i].accepted,
                   rows[i].message);
        sizes[rows[i].size] = rows[i].refused;
        SCOPED_CHECK beyond = check_sizes(sizes);
        const md5_diagnostic *const found = find_rule(beyond, rows[i].rule);
        if (CHECK_THAT(found, "%s", rows[i].message))
            CHECK_STRING(found->error.message, rows[i].message);
    }
}

// One limit is for engines that add a folder to the name, one for engines that do not.
TEST (check_reports_long_shader_names_with_the_limit_of_the_engine) {
    STRINGS(messages) = {
        "shader name is too long: expected at most 51 bytes, found 57",
        "shader name is too long: expected at most 57 bytes, or 51 in engines that add 'progs/', "
        "found 58",
    };
    for (uint32_t i = 0; i < COUNT_OF(messages); i++) {
        uint32_t sizes[NUM_SIZES];
        memcpy(sizes, small_sizes, sizeof sizes);
        sizes[SHADER_LENGTH] = 57 + i;
        SCOPED_CHECK check = check_sizes(sizes);
        const md5_diagnostic *const found = find_rule(check, "long-skin");
        if (CHECK(found))
            CHECK_STRING(found->error.message, messages[i]);
    }
}

// QSS and its relatives reject models of more than 256 joints, id's engines read them.
TEST (check_limits_joints_only_for_engines_with_a_limit) {
    for (uint32_t count = 256; count <= 257; count++) {
        test_text text = {0};
        test_append(&text, "MD5Version 10\ncommandline \"\"\nnumJoints %u\nnumMeshes 0\njoints {\n",
                    count);
        for (uint32_t j = 0; j < count; j++)
            test_append(&text, "\t\"j%u\" %d ( 0 0 0 ) ( 0 0 0 )\n", j, j > 0 ? 0 : -1);
        test_append(&text, "}\n");
        STRINGS(engines) = {"qss", "doom3"};
        for (size_t i = 0; i < COUNT_OF(engines); i++) {
            SCOPED_CHECK check = check_text(MD5_DOC_MODEL, text.bytes, engines[i]);
            const md5_diagnostic *const found = find_rule(check, "many-joints");
            const bool is_reported = found && !found->is_silent;
            CHECK_THAT(is_reported == (count > 256 && i == 0), "%u joints in %s", count,
                       engines[i]);
        }
        free(text.bytes);
    }
}

// Each entry replaces `from` in a clip of two joints and one component. `accepted` is the last
// value without a diagnostic of the rule.
TEST (check_reports_numbers_of_clips_beyond_the_limits_of_engines) {
    static const char text[] = "MD5Version 10\n"
                               "commandline \"\"\n"
                               "numFrames 1\n"
                               "numJoints 2\n"
                               "frameRate 24\n"
                               "numAnimatedComponents 1\n"
                               "hierarchy {\n"
                               "\t\"root\" -1 1 0\n"
                               "\t\"limb\" 0 0 0\n"
                               "}\n"
                               "bounds {\n\t( 0 0 0 ) ( 1 1 1 )\n}\n"
                               "baseframe {\n\t( 0 0 0 ) ( 0 0 0 )\n\t( 0 0 0 ) ( 0 0 0 )\n}\n"
                               "frame 0 {\n\t0\n}\n";
    static const struct {
        const char *from, *accepted, *refused, *rule, *message;
    } rows[] = {
        {"numFrames 1", "numFrames 1024", "numFrames 1025", "q2pro-limit",
         "too many frames: expected at most 1024, found 1025"},
        {"frameRate 24", "frameRate 1", "frameRate 0.99", "frame-rate",
         "frameRate is out of range: expected 1 or more, found 0.99"},
        {"-1 1 0", "-1 63 0", "-1 64 0", "flags",
         "joint flags are out of range: expected 0 to 63, found 64"},
        {"-1 1 0", "-1 1 0", "-1 3 0", "components",
         "components of a joint are out of range: found 2 components from 0, but "
         "numAnimatedComponents is 1"},
        {"-1 1 0", "-1 1 0", "-1 1 -1", "components",
         "components of a joint are out of range: found 1 components from -1, but "
         "numAnimatedComponents is 1"},
        {"0 0 0\n}", "0 0 0\n}", "0 0 1\n}", "first-component",
         "first component is out of range: expected an index below 1, found 1"},
        {"0 0 0\n}", "0 0 0\n}", "0 0 -1\n}", "first-component",
         "first component is out of range: expected an index below 1, found -1"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *const values[] = {rows[i].accepted, rows[i].refused};
        const char *const match = strstr(text, rows[i].from);
        for (int k = 0; k < 2; k++) {
            test_text changed = {0};
            test_append(&changed, "%.*s%s%s", (int)(match - text), text, values[k],
                        match + strlen(rows[i].from));
            SCOPED_CHECK check = check_text(MD5_DOC_ANIM, changed.bytes, "all");
            free(changed.bytes);
            const md5_diagnostic *const found = find_rule(check, rows[i].rule);
            if (CHECK_THAT(check && !found == (k == 0), "%s", values[k]) && found)
                CHECK_STRING(found->error.message, rows[i].message);
        }
    }
}

// -- Scale and rotation ---------------------------------------------------------------------------

// A clip on a mesh whose joints are 5 above each other; x y z of the root's rotation in two frames.
// The first `num_odd` joints below the root have bones of other lengths.
typedef struct chain {
    int num_joints, num_odd;
    double scale[2]; // scale of the clip's bones in both frames
    const char *rotations[2];
} chain;

// Writes a mesh and a clip of a chain of joints, and returns the result of md5_check_binding() for
// them.
static md5_check *check_chain(const chain *joint_chain)
{
    char mesh[2048], clip[4096];
    size_t a = (size_t)sprintf(
        mesh, "MD5Version 10\ncommandline \"\"\nnumJoints %d\nnumMeshes 0\njoints {\n",
        joint_chain->num_joints);
    size_t b =
        (size_t)sprintf(clip,
                        "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints %d\nframeRate 24\n"
                        "numAnimatedComponents %d\nhierarchy {\n",
                        joint_chain->num_joints, joint_chain->num_joints + 2);
    for (int i = 0; i < joint_chain->num_joints; i++) {
        a += (size_t)sprintf(mesh + a, "\"j%d\" %d ( 0 0 %d ) ( 0 0 0 )\n", i, i - 1, 5 * i);
        const int flags = i > 0 ? 4 : 56;
        const int first_component = i > 0 ? i + 2 : 0;
        b += (size_t)sprintf(clip + b, "\"j%d\" %d %d %d\n", i, i - 1, flags, first_component);
    }
    memcpy(mesh + a, "}\n", 3);
    b += (size_t)sprintf(clip + b,
                         "}\nbounds {\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n");
    for (int i = 0; i < joint_chain->num_joints; i++)
        b += (size_t)sprintf(clip + b, "( 0 0 %d ) ( 0 0 0 )\n", i > 0 ? 5 : 0);
    for (int f = 0; f < 2; f++) {
        b += (size_t)sprintf(clip + b, "}\nframe %d {\n%s\n", f, joint_chain->rotations[f]);
        for (int i = 1; i < joint_chain->num_joints; i++)
            b += (size_t)sprintf(clip + b, "%.9g\n",
                                 (i <= joint_chain->num_odd ? 5 + i : 5) * joint_chain->scale[f]);
    }
    memcpy(clip + b, "}\n", 3);
    md5_error error = {0};
    SCOPED_MODEL model = text_model(mesh, &error);
    SCOPED_ANIM anim = text_anim(clip, &error);
    SCOPED_BINDING binding = model && anim ? md5_bind(model, anim, NULL, &error) : NULL;
    md5_check *const check = check_text(MD5_DOC_ANIM, clip, "all");
    CHECK_DONE(binding, error);
    CHECK(check && binding && md5_check_binding(check, binding));
    return check;
}

TEST (check_finds_bones_of_another_length) {
    static const struct {
        chain joint_chain;
        const char *expected; // expected text; NULL: no diagnostic
    } rows[] = {
        {{.num_joints = 6, .scale = {1.6, 1.6}},
         "1.6 times as long as in the mesh; use 'md5tool fix --mesh'"},
        {{.num_joints = 6, .scale = {0.0254, 0.0254}},
         "in the mesh (meters instead of inches); use"},
        {{.num_joints = 6, .scale = {39.37, 39.37}}, "in the mesh (inches instead of meters); use"},
        {{.num_joints = 6, .scale = {0.01, 0.01}},
         "in the mesh (meters instead of centimeters); use"},
        {{.num_joints = 6, .scale = {100, 100}},
         "in the mesh (centimeters instead of meters); use"},
        {{.num_joints = 6, .scale = {0.3937, 0.3937}},
         "in the mesh (inches instead of centimeters); use"},
        {{.num_joints = 6, .scale = {2.54, 2.54}},
         "in the mesh (centimeters instead of inches); use"},
        {{.num_joints = 6, .scale = {1.06, 1.06}}, "1.06 times"},
        {{.num_joints = 6, .scale = {1.04, 1.04}}, NULL},
        {{.num_joints = 5, .scale = {1.6, 1.6}}, NULL}, // 4 bones
        {{.num_joints = 6, .scale = {1.6, 0.5}}, NULL}, // the scale changes
        {{.num_joints = 11, .num_odd = 2, .scale = {1.06, 1.06}}, "1.06 times"}, // 8 of 10
        {{.num_joints = 11, .num_odd = 3, .scale = {1.06, 1.06}}, NULL},
        {{.num_joints = 11, .num_odd = 3, .scale = {1.3, 1.3}}, "1.3 times"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        chain joint_chain = rows[i].joint_chain;
        joint_chain.rotations[0] = joint_chain.rotations[1] = "0 0 0";
        SCOPED_CHECK check = check_chain(&joint_chain);
        const md5_diagnostic *const found = find_rule(check, "clip-scale");
        const char *const expected = found ? found->error.message : "nothing";
        CHECK_THAT(rows[i].expected ? strstr(expected, rows[i].expected) != NULL : !found,
                   "row %zu: %s", i, expected);
        CHECK_NEAR(check->space.scale, found ? 1 / joint_chain.scale[0] : 1,
                   1e-4 / joint_chain.scale[0]);
        CHECK(!found || !found->is_silent);
    }
}

// The four odd bones are 1.2 to 1.8 times as long as the other three, so the median is 1.2 times
// the scale of the clip. The odd bones are first: the median is not the bone in the middle.
TEST (check_finds_the_median_of_bone_lengths) {
    const chain joint_chain = {
        .num_joints = 8, .num_odd = 4, .scale = {1.3, 1.3}, .rotations = {"0 0 0", "0 0 0"}};
    SCOPED_CHECK check = check_chain(&joint_chain);
    const md5_diagnostic *const found = find_rule(check, "clip-scale");
    REQUIRE(found);
    CHECK_THAT(strstr(found->error.message, "1.56 times"), "%s", found->error.message);
    CHECK_NEAR(check->space.scale, 1 / (1.2 * 1.3), 1e-4);
}

// x y z of a rotation belong to a quaternion whose w is negative: 0.7071 0 0 is a rotation by -90
// degrees about x.
TEST (check_reports_rotated_clips_once) {
    static const char *const by_x = "0.70710678 0 0";
    static const char *const by_y = "0 0.70710678 0";
    static const char *const none = "0 0 0";
    static const struct {
        const char *rotations[3]; // rotations of three clips, in all frames
        const char *last;         // rotation of the first clip in its last frame, if it differs
        int number;               // index of the clip that is reported as rotated; -1: none
        const char *expected;
    } rows[] = {
        {{none, by_x, none},
         NULL,
         1,
         "clip is rotated by -90 degrees about x relative to the mesh, but the other 2 clips are "
         "not"},
        {{by_y, by_y, by_y},
         NULL,
         0,
         "clip is rotated by -90 degrees about y relative to the mesh, as are the other 2 clips"},
        {{by_x, by_x, none}, NULL, -1, NULL},
        {{by_x, by_x, by_y}, NULL, -1, NULL},
        {{by_x, none, none}, "0.6 0 0", -1, NULL},        // the rotation changes
        {{"0.72 0 0", none, none}, NULL, -1, NULL},       // by 92 degrees
        {{"0 0 0.70710678", none, none}, NULL, -1, NULL}, // along the bones, which do not move
        {{"0.5 0.5 0.5", none, none}, NULL, 0, "several axes"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        md5_check *clips[3];
        for (int k = 0; k < 3; k++) {
            const chain joint_chain = {
                .num_joints = 6,
                .scale = {1, 1},
                .rotations = {rows[i].rotations[k],
                              k == 0 && rows[i].last ? rows[i].last : rows[i].rotations[k]}};
            clips[k] = check_chain(&joint_chain);
        }
        CHECK(md5_check_turns(clips, 3));
        for (int k = 0; k < 3; k++) {
            const md5_diagnostic *const found = find_rule(clips[k], "clip-turn");
            CHECK_THAT((found != NULL) == (k == rows[i].number), "row %zu, clip %d", i, k);
            CHECK(!found || strstr(found->error.message, rows[i].expected));
            md5_free_check(clips[k]);
        }
    }
}

// The text is at the end of a block, so that a sanitizer detects a read past its end.
TEST (check_does_not_read_past_the_end) {
    STRINGS(ends) = {"\"", "-", "'", "/", "/*", "1 \"\"", "\xC3", "{", "0x"};
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        static const char begin[] = "MD5Version 10\ncommandline \"\"\nnumJoints ";
        const size_t size = sizeof begin - 1 + strlen(ends[i]);
        SCOPED_STRING text = test_alloc(size);
        memcpy(text, begin, sizeof begin - 1);
        memcpy(text + sizeof begin - 1, ends[i], strlen(ends[i]));
        for (int kind = MD5_DOC_MODEL; kind <= MD5_DOC_ANIM; kind++) {
            SCOPED_CHECK check =
                md5_check_doc((md5_doc_kind)kind, text, size, (md5_engines){0}, NULL, NULL);
            CHECK(check);
        }
    }
}
