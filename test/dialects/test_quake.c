// Tests of additional files of the Quake re-releases: skins by name, scales of joints.
#include "test/real.h"
#include "test/decl/game_case.h"
#include "test/scoped.h"

// -- Skins ----------------------------------------------------------------------------------------

// Returns true if a list contains a name. `user` is the list, which ends with NULL.
static bool is_listed(void *user, const char *name)
{
    for (const char *const *listed = user; *listed; listed++) {
        if (strcmp(*listed, name) == 0)
            return true;
    }
    return false;
}

TEST (quake_finds_skins_by_their_names) {
    STRINGS(names) = {"progs/dog_00_00",
                      "progs/dog_01_00",
                      "textures/dog_01_01",
                      "dog_01_02",
                      "progs/dog_02_01",
                      "progs/dog_03_00",
                      NULL};
    md5_quake_skins skins;
    md5_build_quake_skins("dog", is_listed, (void *)(uintptr_t)names, &skins);
    CHECK_UINT(skins.num_skins, 2); // skin 2 does not have image 0
    CHECK_UINT(skins.num_images[0], 1);
    CHECK_UINT(skins.num_images[1], 3);
    md5_build_quake_skins("cat", is_listed, (void *)(uintptr_t)names, &skins);
    CHECK_UINT(skins.num_skins, 0);
    CHECK_UINT(md5_quake_image_at(&skins, 0, 1), 0);
}

static bool file_exists(void *user, const char *name)
{
    (void)user, (void)name;
    return true;
}

TEST (quake_limits_skins_and_images) {
    md5_quake_skins skins;
    char text[2000], name[16];
    md5_build_quake_skins("dog", file_exists, NULL, &skins);
    CHECK_UINT(skins.num_skins, 32);
    CHECK_UINT(skins.num_images[31], 4);
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    md5_build_quake_skins(text, file_exists, NULL, &skins);
    CHECK_UINT(skins.num_skins, 0);
    CHECK_UINT(md5_quake_image_name("progs/ogre", 7, 3, name, sizeof name), 16);
    CHECK_STRING(name, "progs/ogre_07_0"); // truncated
    CHECK_UINT(md5_quake_image_name("ogre", 31, 0, name, sizeof name), 10);
    CHECK_STRING(name, "ogre_31_00");
}

// At 0 to 0.3 s, groups of 1 to 4 images, as vkQuake fills its four slots.
TEST (quake_shows_images_in_turn) {
    static const uint32_t expected[4][4] = {{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 2, 0}, {0, 1, 2, 3}};
    const md5_quake_skins skins = {.num_skins = 4, .num_images = {1, 2, 3, 4}};
    for (uint32_t skin = 0; skin < 4; skin++) {
        for (uint32_t tenth = 0; tenth < 12; tenth++)
            CHECK_UINT(md5_quake_image_at(&skins, skin, 0.1 * tenth + 0.05),
                       expected[skin][tenth % 4]);
        CHECK_UINT(md5_quake_image_at(&skins, skin, -1), 0);
        CHECK_UINT(md5_quake_image_at(&skins, skin, NAN), 0);
        CHECK_UINT(md5_quake_image_at(&skins, skin, INFINITY), 0);
    }
}

// -- Scales ---------------------------------------------------------------------------------------

// A root, a joint 2 above it that is rotated by 90 degrees, and a joint at 1 along its x axis,
// which is at (0 -1 2). Files have w < 0, so that z = 0.7071068 rotates x to -y.
static const char mesh_text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 3\nnumMeshes 1\njoints {\n"
    "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"arm\" 0 ( 0 0 2 ) ( 0 0 0.70710678 )\n"
    "\"hand\" 1 ( 0 -1 2 ) ( 0 0 0.70710678 )\n}\nmesh {\nshader \"\"\nnumverts 3\n"
    "vert 0 ( 0 0 ) 0 1\nvert 1 ( 0 0 ) 1 2\nvert 2 ( 0 0 ) 3 1\nnumtris 1\ntri 0 0 1 2\n"
    "numweights 4\nweight 0 1 1 ( 1 0 0 )\nweight 1 0 0.5 ( 4 0 0 )\nweight 2 1 0.5 ( 1 0 0 )\n"
    "weight 3 2 1 ( 0 0 0 )\n}\n";
static const char anim_text[] =
    "MD5Version 10\ncommandline \"\"\nnumFrames 3\nnumJoints 3\nframeRate 10\n"
    "numAnimatedComponents 0\nhierarchy {\n\"root\" -1 0 0\n\"arm\" 0 0 0\n\"hand\" 1 0 0\n}\n"
    "bounds {\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n"
    "( 0 0 0 ) ( 0 0 0 )\n( 0 0 2 ) ( 0 0 0.70710678 )\n( 1 0 0 ) ( 0 0 0 )\n}\n"
    "frame 0 {\n}\nframe 1 {\n}\nframe 2 {\n}\n";

typedef struct scale_case {
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    md5_scales *scales;
    md5_error error;
    char log[2048];
} scale_case;

static void add_warning(void *user, const md5_error *warning)
{
    scale_case *const test = user;
    const size_t used = strlen(test->log);
    snprintf(test->log + used, sizeof test->log - used, "%u:%u: %s\n", warning->line,
             warning->column, warning->message);
}

static bool open_scales(scale_case *test, const char *text)
{
    memset(test, 0, sizeof *test);
    test->model = md5_parse_model(mesh_text, strlen(mesh_text), NULL, &test->error);
    test->anim = md5_parse_anim(anim_text, strlen(anim_text), NULL, &test->error);
    if (!CHECK(test->model && test->anim))
        return false;
    test->binding = md5_bind(test->model, test->anim, NULL, &test->error);
    const md5_load_opts opts = {.warn = add_warning, .warn_user = test};
    test->scales = md5_parse_scales(text, strlen(text), test->anim, &opts, &test->error);
    return test->scales != NULL;
}

static void close_scales(scale_case *test)
{
    md5_free_scales(test->scales);
    md5_free_binding(test->binding);
    md5_free_anim(test->anim);
    md5_free_model(test->model);
}

static void check_vertex(md5_vec3 actual, double x, double y, double z)
{
    CHECK_VEC3(actual, x, y, z, 1e-6);
}

// Computes the three vertices at a sample position.
static void skin_scaled(const scale_case *test, const md5_sample_position *sample,
                        md5_vec3 vertices[3])
{
    md5_xform pose[3];
    md5_mat34 joints[3], palette[3];
    md5_sample(test->binding, *sample, MD5_ROOT_FILE, pose);
    md5_scale_pose(test->scales, test->binding, *sample, pose);
    md5_local_to_palette(test->model, pose, joints, palette);
    md5_scale_palette(test->scales, test->binding, *sample, joints, palette);
    md5_skin(&test->model->meshes[0], palette, vertices, NULL, NULL);
}

TEST (scales_affect_descendants_of_a_joint) {
    scale_case test;
    md5_vec3 vertices[3];
    REQUIRE(open_scales(&test, "{ \"arm\": { \"1\": 0.5, \"2\": 0 } }"));
    md5_sample_position sample = md5_sample_position_from_frames(test.anim, 0, 0, 0);
    skin_scaled(&test, &sample, vertices);
    check_vertex(vertices[0], 0, -1, 2);
    check_vertex(vertices[1], 2, -0.5, 1);
    check_vertex(vertices[2], 0, -1, 2);
    sample = md5_sample_position_from_frames(test.anim, 1, 1, 0);
    skin_scaled(&test, &sample, vertices);
    check_vertex(vertices[0], 0, -0.5, 2);
    check_vertex(vertices[1], 2, -0.25, 1); // half of its weight is on the root
    check_vertex(vertices[2], 0, -1, 2);    // not inherited
    sample = md5_sample_position_from_frames(test.anim, 1, 2, 0.25f);
    skin_scaled(&test, &sample, vertices);
    check_vertex(vertices[0], 0, 0, 2); // not interpolated
    close_scales(&test);
}

TEST (scales_change_positions_if_asked) {
    scale_case test;
    md5_vec3 vertices[3];
    REQUIRE(open_scales(&test, "{\"arm\":{\"0\":0.5,\"scale_positions\":true}}"));
    const md5_sample_position sample = md5_sample_position_from_frames(test.anim, 0, 0, 0);
    skin_scaled(&test, &sample, vertices);
    check_vertex(vertices[0], 0, -0.5, 1);
    check_vertex(vertices[1], 2, -0.25, 0.5);
    check_vertex(vertices[2], 0, -1, 1); // follows the arm
    close_scales(&test);
}

TEST (scales_do_not_change_other_joints) {
    scale_case test;
    md5_mat34 joints[3] = {{{0}}};
    md5_mat34 palette[3];
    REQUIRE(open_scales(&test, "{\"arm\":{\"2\":0.5}}"));
    const md5_sample_position sample = md5_sample_position_from_frames(test.anim, 1, 1, 0);
    memset(palette, 0x41, sizeof palette);
    md5_mat34 expected_joints[3];
    memcpy(expected_joints, palette, sizeof expected_joints);
    md5_scale_palette(test.scales, test.binding, sample, joints, palette);
    CHECK_BYTES(expected_joints, palette, sizeof expected_joints);
    close_scales(&test);
}

TEST (scales_are_sorted_and_the_last_counts) {
    scale_case test;
    REQUIRE(open_scales(&test, "{\"hand\":{\"2\":3,\"0\":2,\"2\":4,\"scale_positions\":true},"
                               "\"root\":{\"scale_positions\":false},\"arm\":{},"
                               "\"hand\":{\"scale_positions\":false,\"1\":-1e0}}"));
    CHECK_UINT(test.scales->num_joints, 2);
    CHECK_UINT(test.scales->joints[0].joint, 0);
    CHECK_UINT(test.scales->joints[0].num_keys, 0);
    const md5_scaled_joint *const hand = &test.scales->joints[1];
    CHECK(!hand->scales_position);
    CHECK_UINT(hand->num_keys, 3);
    for (uint32_t frame = 0; frame < 3; frame++) {
        static const float expected[] = {2, -1, 4};
        CHECK_UINT(hand->keys[frame].frame, frame);
        CHECK_EXACT(hand->keys[frame].scale, expected[frame]);
    }
    CHECK_STRING(test.log, "");
    close_scales(&test);
}

TEST (scales_report_unknown_words) {
    scale_case test;
    REQUIRE(open_scales(&test,
                        "{ \"tail\": { \"0\": 2 },\n\"a\\\"b\": {}, \"arm\":\n"
                        "{ \"3\": 1, \"x\": 2, \"\": 3, \"0\": \"big\", \"1\": [ 1, { \"}\": "
                        "2 } ],\n\"2\": 1e10, \"scale_positions\": 1 },\n\"hand\": 5 } x"));
    CHECK_UINT(test.scales->num_joints, 0);
    CHECK_STRING(test.log, "1:3: unknown joint 'tail': the animation does not have it\n"
                           "2:1: unknown joint 'a\"b': the animation does not have it\n"
                           "3:3: unknown frame '3': expected 0 to 2\n"
                           "3:11: unknown frame 'x': expected 0 to 2\n"
                           "3:19: unknown frame '': expected 0 to 2\n"
                           "3:31: expected a number from -1e9 to 1e9, found '\"big\"': skipped\n"
                           "3:43: expected a number from -1e9 to 1e9, found '[': skipped\n"
                           "4:6: expected a number from -1e9 to 1e9, found '1e10,': skipped\n"
                           "4:31: expected true or false, found '1': skipped\n"
                           "5:9: expected an object, found '5': skipped\n"
                           "5:13: text after the last brace is ignored\n");
    CHECK_UINT(test.scales->num_warnings, 11);
    close_scales(&test);
}

// A backslash and one character after it are a unit.
TEST (scales_read_a_quote_at_the_end_of_a_name) {
    scale_case test;
    REQUIRE(open_scales(&test, "{ \"a\\\"\": {}, \"b\\\\\": {} }"));
    CHECK_STRING(test.log, "1:3: unknown joint 'a\"': the animation does not have it\n"
                           "1:14: unknown joint 'b\\': the animation does not have it\n");
    close_scales(&test);
}

static void check_error(const char *text, uint32_t line, uint32_t column, const char *message)
{
    scale_case test;
    CHECK_FAILS(open_scales(&test, text), test.error, MD5_ERROR_SYNTAX);
    CHECK_UINT(test.error.line, line);
    CHECK_UINT(test.error.column, column);
    CHECK_STRING(test.error.message, message);
    close_scales(&test);
}

TEST (scales_name_line_and_column_of_errors) {
    check_error("", 1, 1, "expected '{' at the start of scales, found the end of the file");
    check_error("[", 1, 1, "expected '{' at the start of scales, found '['");
    check_error("{\n arm", 2, 2, "expected a quoted name, found 'arm'");
    check_error("{ \"arm\n\" }", 1, 3,
                "unterminated string: expected a closing quote before the end of the line");
    check_error("{ \"arm\\", 1, 3,
                "unterminated string: expected a closing quote before the end of the line");
    check_error("{ \"arm\" {", 1, 9, "expected ':' after a name, found '{'");
    check_error("{ \"arm\": { \"0\" 1", 1, 16, "expected ':' after a name, found '1'");
    check_error("{ \"arm\": { \"0\": 1 \"1\"", 1, 19,
                "expected '}' or ',' after a scale, found '\"1\"'");
    check_error("{ \"arm\": { }", 1, 13,
                "expected '}' or ',' after a joint, found the end of the file");
    check_error("{ \"arm\":", 1, 9,
                "expected '{' before the scales of a joint, found the end of the file");
    check_error("{ \"arm\": [ {} ", 1, 10,
                "unterminated '[': expected ']' before the end of the file");
    check_error("{ } /* arm", 1, 5,
                "unterminated comment: expected '*/', found the end of the file");
    check_error("{ \"arm\": { \"0\": , } }", 1, 17, "expected a value, found ','");
}

TEST (scales_survive_failure_of_every_allocation) {
    static const char text[] = "{\"arm\":{\"0\":0.5,\"1\":2}}";
    md5_error error = {0};
    SCOPED_ANIM anim = text_anim(anim_text, &error);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_SCALES scales =
            md5_parse_scales(text, strlen(text), anim, &failure.opts, &failure.error);
        CHECK_FAILURE(failure, scales);
    }
    md5_free_scales(NULL);
}

TEST (scales_have_as_many_rows_as_memory_allows) {
    md5_error error = {0};
    SCOPED_ANIM anim = text_anim(anim_text, &error);
    SCOPED_TEXT text = {0};
    REQUIRE(anim);
    test_append(&text, "{\"arm\":{\"0\":1");
    while (text.used < (1 << 20) - 64)
        test_append(&text, ",\"%u\":%zu", (unsigned)(text.used % 3), text.used);
    test_append(&text, "}}");
    md5_load_opts opts = {.allocator = {.limit = 100000}};
    CHECK_FAILS(md5_parse_scales(text.bytes, text.used, anim, &opts, &error), error,
                MD5_ERROR_MEMORY);
    opts.allocator.limit = 0;
    SCOPED_SCALES scales = md5_parse_scales(text.bytes, text.used, anim, &opts, &error);
    CHECK(scales && scales->joints[0].num_keys == 3);
}

TEST (scales_are_read_from_files) {
    md5_error error = {0};
    SCOPED_ANIM anim = text_anim(anim_text, &error);
    REQUIRE(anim);
    CHECK_FAILS(md5_load_scales("no/such.md5scale", anim, NULL, &error), error, MD5_ERROR_IO);
    SCOPED_SCALES scales =
        md5_load_scales(test_path("test/fuzz/seeds/scale/arm"), anim, NULL, &error);
    CHECK(scales && scales->num_joints > 0);
}
