// Tests of models of Cube 2's engines: md5.cfg files, their language and their commands.
//
// cube_case contains a loaded model and its files in memory. "Scripts" tests the language, "Real
// models" a model of MD5_CORPUS.
#include "test/decl/game_case.h"
#include "test/scoped.h"
#include "test/real.h"

// md5.cfg files in memory.

// The path of the md5.cfg of a case.
#define CUBE_CASE_PATH "data/actors/hero/md5.cfg"

// A loaded model and the texts of its files.
typedef struct cube_case {
    game_text files[4]; // the last has no name
    game_log log;
    md5_error error;
    md5_cube2 *cube;
} cube_case;

static unsigned num_open_files;

static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    for (const game_text *file = user; file->name; file++) {
        if (strcmp(file->name, path) != 0)
            continue;
        *size = strlen(file->text);
        char *const copy = test_copy(file->text, *size);
        num_open_files++;
        return copy;
    }
    snprintf(error->message, sizeof error->message, "not on this shelf");
    return NULL;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    num_open_files--;
    free((void *)(uintptr_t)bytes);
}

static void add_line(void *user, const md5_error *warning)
{
    game_log *const log = user;
    const size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s:%u:%u: %s\n", warning->file,
             warning->line, warning->column, warning->message);
    log->count++;
}

// Returns options that read from files[]. The last file has no name.
static md5_load_opts cube_opts(const game_text *files, game_log *log)
{
    memset(log, 0, sizeof *log);
    return (md5_load_opts){
        .warn = add_line,
        .warn_user = log,
        .files = {.open = open_file, .close = close_file, .user = (void *)(uintptr_t)files},
    };
}

// Loads an md5.cfg with this text, in a folder that also contains a file `name` with the text
// `second_text`. Returns NULL on failure.
static const md5_cube2 *open_cube_with(cube_case *test, const char *text, const char *name,
                                       const char *second_text)
{
    memset(test, 0, sizeof *test);
    test->files[0] = (game_text){CUBE_CASE_PATH, text};
    test->files[1] = (game_text){name, second_text};
    const md5_load_opts opts = cube_opts(test->files, &test->log);
    test->cube = md5_load_cube2(CUBE_CASE_PATH, NULL, &opts, &test->error);
    CHECK_UINT(num_open_files, 0);
    return test->cube;
}

// Loads an md5.cfg with this text. Returns NULL on failure.
static const md5_cube2 *open_cube(cube_case *test, const char *text)
{
    return open_cube_with(test, text, NULL, NULL);
}

static void close_cube(cube_case *test)
{
    md5_free_cube2(test->cube);
    test->cube = NULL;
}

#define SCOPED_CUBE __attribute__((cleanup(close_cube))) cube_case

// Declares a loaded cube until the end of the block; its case is `test`.
#define OPEN_CUBE(cube, text)                               \
    SCOPED_CUBE test;                                       \
    const md5_cube2 *const cube = open_cube(&test, (text)); \
    REQUIRE(cube)

// -- Parts ----------------------------------------------------------------------------------------

TEST (cube_reads_parts_with_their_animations) {
    OPEN_CUBE(cube, "md5load body.md5mesh hero 60\n"
                    "md5anim \"idle|mapmodel\" idle.md5anim 15 2 3 -4\n"
                    "md5anim run ../shared/run.md5anim // a comment; md5anim x y\n"
                    "md5load \"sub\\hat.md5mesh\"; md5link 0 1 tag_hat 1 2 3\n");
    CHECK_UINT(cube->num_parts, 2);
    const md5_cube2_part *const body = &cube->parts[0];
    CHECK_STRING(body->mesh, "data/actors/hero/body.md5mesh");
    CHECK_STRING(body->skeleton, "hero");
    CHECK_EXACT(body->smooth, 60);
    CHECK_STRING(cube->parts[1].mesh, "data/actors/hero/sub/hat.md5mesh");
    CHECK_STRING(cube->parts[1].skeleton, "");
    CHECK_UINT(body->num_anims, 2);
    CHECK_STRING(body->anims[0].names, "idle|mapmodel");
    CHECK_STRING(body->anims[0].file, "data/actors/hero/idle.md5anim");
    CHECK_EXACT(body->anims[0].frame_rate, 15);
    CHECK(body->anims[0].priority == 2 && body->anims[0].start == 3 && body->anims[0].end == -4);
    CHECK_STRING(body->anims[1].file, "data/actors/shared/run.md5anim");
    CHECK_EXACT(body->anims[1].frame_rate, 10); // default of the engines
    CHECK_UINT(cube->num_links, 1);
    CHECK(cube->links[0].parent == 0 && cube->links[0].child == 1);
    CHECK_STRING(cube->links[0].tag, "tag_hat");
    CHECK_EXACT(cube->links[0].translation.y, -2); // mirrored
    CHECK_UINT(cube->num_warnings, 0);
}

TEST (cube_reads_commands_for_the_whole_model) {
    OPEN_CUBE(cube, "mdlscale 420\nmdltrans 1 2 -0.25f\nmdlyaw 90; mdlpitch 5; mdlroll -7\n"
                    "md5load a.md5mesh\nmdlspin 50 1\nmdlcollide\n");
    CHECK_NEAR(cube->scale, 1.05, 1e-6);
    CHECK_VEC3(cube->translation, 1, -2, -0.25, 0);
    CHECK_EXACT(cube->yaw, 90);
    CHECK_EXACT(cube->pitch, 5);
    CHECK_EXACT(cube->roll, -7);
    CHECK_UINT(cube->num_settings, 2);
    CHECK_STRING(cube->settings[0].keyword, "mdlspin");
    CHECK_UINT(cube->settings[0].num_values, 2);
    CHECK_STRING(cube->settings[0].values[1], "1");
    CHECK_UINT(cube->settings[1].num_values, 0);
    CHECK_UINT(cube->num_warnings, 0);
}

TEST (cube_reads_pitch_and_masks) {
    OPEN_CUBE(cube, "md5load a.md5mesh\nmd5pitch \"\" 1\nmd5pitch Head 0.5 10 -20 30\n"
                    "md5anim idle a.md5anim\nmd5animpart \"Waist  !Head\"\n"
                    "md5anim shoot b.md5anim\nmd5anim shoot c.md5anim\n");
    const md5_cube2_part *const part = &cube->parts[0];
    CHECK_UINT(part->num_pitches, 2);
    CHECK_STRING(part->pitches[0].joint, "");
    CHECK_EXACT(part->pitches[0].min, -360); // neither is given: the whole circle
    CHECK_EXACT(part->pitches[0].max, 360);
    CHECK_EXACT(part->pitches[1].offset, 10);
    CHECK_EXACT(part->pitches[1].min, -20);
    CHECK_EXACT(part->pitches[1].max, 30);
    CHECK_UINT(part->num_masks, 2);
    CHECK_UINT(part->masks[0].num_joints, 0);
    CHECK_UINT(part->masks[1].num_joints, 2);
    CHECK_STRING(part->masks[1].joints[0], "Waist");
    CHECK_STRING(part->masks[1].joints[1], "!Head");
    CHECK(md5_find_cube2_anim(part, 0, "idle") == 0);
    CHECK(md5_find_cube2_anim(part, 0, "shoot") == MD5_NONE);
    CHECK(md5_find_cube2_anim(part, 1, "shoot") == 2); // the last match
    CHECK(md5_find_cube2_anim(part, 1, NULL) == MD5_NONE);
}

// The engines' matrix of a tag is the matrix of a quaternion whose components are products of half
// angles. The order does not matter for a rotation about one axis.
TEST (cube_mirrors_tags) {
    OPEN_CUBE(cube, "md5load a.md5mesh\nmd5tag Hand tag_weapon 1 2 3 90 0 0\nmd5tag Head tag_head\n"
                    "md5tag Foot tag_foot 0 0 0 0 60\n");
    const md5_cube2_tag *const tags = cube->parts[0].tags;
    CHECK_UINT(cube->parts[0].num_tags, 3);
    CHECK_STRING(tags[0].joint, "Hand");
    CHECK_STRING(tags[0].name, "tag_weapon");
    CHECK_EXACT(tags[0].transform.translation.y, -2);
    CHECK_NEAR(tags[0].transform.rotation.x, -0.70710678, 1e-6);
    CHECK_NEAR(tags[0].transform.rotation.w, 0.70710678, 1e-6);
    CHECK_EXACT(tags[1].transform.rotation.w, 1);
    CHECK_NEAR(tags[2].transform.rotation.y, 0.5, 1e-6); // about the mirrored axis: same sign
}

static bool matches(const char *pattern, const char *name)
{
    const md5_cube2_anim anim = {.names = pattern};
    const md5_cube2_part part = {.num_anims = 1, .anims = &anim};
    return md5_find_cube2_anim(&part, 0, name) == 0;
}

TEST (cube_matches_names_by_patterns) {
    CHECK(matches("idle", "idle"));
    CHECK(!matches("idle", "idle2"));
    CHECK(!matches("idle2", "idle"));
    CHECK(matches("jump|idle", "idle"));
    CHECK(matches("jump|pistol *", "pistol reload"));
    CHECK(!matches("pistol *", "pistol"));
    CHECK(!matches("pistol *", "pistol reload now"));
    CHECK(matches("*", "idle"));
    CHECK(matches("* idle", "gun idle"));
    CHECK(!matches("*", ""));
    CHECK(!matches("*idle", "gunidle")); // * matches the whole word
    CHECK(matches("a||b", ""));
    CHECK(!matches("a|b", ""));
}

static void check_range(int32_t start, int32_t end, uint32_t first, uint32_t count)
{
    const md5_cube2_anim anim = {.start = start, .end = end};
    uint32_t actual_first = 99;
    uint32_t actual_count = 99;
    md5_cube2_anim_range(&anim, 10, &actual_first, &actual_count);
    CHECK_UINT(actual_first, first);
    CHECK_UINT(actual_count, count);
}

// For any numbers in the configuration file, a range of frames is limited to the frames of the
// clip, and contains at least one frame. The arguments of check_range() are `start` and `end` of
// the file, then the expected first frame and the expected number of frames of a clip with 10
// frames.
TEST (cube_ranges_are_never_empty) {
    check_range(0, 0, 0, 10);
    check_range(3, 0, 3, 7);
    check_range(12, 0, 9, 1);
    check_range(-4, 0, 6, 4);
    check_range(-12, 0, 0, 10);
    check_range(0, 4, 0, 4);
    check_range(0, 40, 0, 10);
    check_range(0, -4, 0, 6);
    check_range(8, -4, 8, 1);
    check_range(INT32_MIN, INT32_MIN, 0, 1);
    check_range(INT32_MAX, INT32_MAX, 9, 1);
}

// -- Materials ------------------------------------------------------------------------------------

TEST (cube_finds_the_skin_of_a_mesh) {
    md5_cube2_material skin;
    OPEN_CUBE(
        cube,
        "md5load a.md5mesh\nmd5skin * base.png\nmd5skin Body \"<dds>skin.png\" <dds><a:1>mask.jpg "
        "0.25 0.0625\nmd5bumpmap Body normals.png\nmd5envmap * skyboxes/lump\nmd5spec * 25\n"
        "md5ambient * 3; md5glow * 4; md5glare * 0.5 1; md5alphatest Body 0.5\n"
        "md5alphablend Body 0; md5cullface Body 1; md5material Body 2 3; md5scroll Body 1 -1\n"
        "md5shader Body glossy; md5fullbright Body 0.75\n");
    md5_build_cube2_material(&cube->parts[0], "Body", &skin);
    CHECK_STRING(skin.texture.path, "data/actors/hero/skin.png");
    CHECK_STRING(skin.texture.commands, "<dds>");
    CHECK_STRING(skin.masks.path, "data/actors/hero/mask.jpg");
    CHECK_STRING(skin.masks.commands, "<dds><a:1>");
    CHECK_EXACT(skin.environment_range[0], 0.25);
    CHECK_EXACT(skin.environment_range[1], 0.0625);
    CHECK_STRING(skin.normal_map.path, "data/actors/hero/normals.png");
    CHECK_STRING(skin.environment, "skyboxes/lump");
    CHECK_STRING(skin.shader, "glossy");
    CHECK_EXACT(skin.specular, 25);
    CHECK_EXACT(skin.ambient, 3);
    CHECK_EXACT(skin.glow, 4);
    CHECK_EXACT(skin.glare[1], 1);
    CHECK_EXACT(skin.alpha_test, 0.5);
    CHECK(skin.alpha_blend == MD5_CUBE2_OFF && skin.cull_face == MD5_CUBE2_ON);
    CHECK(skin.materials[0] == 2 && skin.materials[1] == 3);
    CHECK_EXACT(skin.scroll[1], -1);
    CHECK_EXACT(skin.fullbright, 0.75);
    md5_build_cube2_material(&cube->parts[0], "Tail", &skin);
    CHECK_STRING(skin.texture.path, "data/actors/hero/base.png");
    CHECK_STRING(skin.texture.commands, "");
    CHECK(!skin.masks.path && !skin.normal_map.path && !skin.shader);
    CHECK_EXACT(skin.alpha_test, -1);
    CHECK(skin.cull_face == MD5_CUBE2_UNSET);
}

// -- Adjustments ----------------------------------------------------------------------------------

// Rotates a dual quaternion like the engines: real = q real, dual = q^-1 dual.
static void rotate_dual(real4 *real, real4 *dual, double x, double y, double z, double degrees)
{
    const double half = degrees * 3.14159265358979323846 / 360.0;
    const real4 q = {x * sin(half), y * sin(half), z * sin(half), cos(half)};
    *real = real4_mul(q, *real);
    *dual = real4_mul(real4_conjugate(q), *dual);
}

TEST (cube_adjusts_joints_like_the_engines) {
    const md5_cube2_adjustment adjustment = {
        .joint = "j", .yaw = 35, .pitch = -50, .roll = 20, .translation = {0.5f, -0.25f, 1}};
    const md5_xform local = {.rotation = {0.5f, 0.5f, -0.5f, -0.5f}, .translation = {1, 2, 3}};
    // Mirroring: y and, in quaternions, x and z change their signs.
    real4 real = {-0.5, 0.5, 0.5, -0.5};
    const real4 half_translation = {0.5, -1, 1.5, 0};
    real4 dual = real4_mul(half_translation, real);
    rotate_dual(&real, &dual, 0, 0, 1, 35);
    rotate_dual(&real, &dual, 0, -1, 0, -50);
    rotate_dual(&real, &dual, -1, 0, 0, 20);
    const real4 translation = real4_mul(dual, real4_conjugate(real));
    const md5_cube2_part part = {.num_adjustments = 1, .adjustments = &adjustment};
    const md5_cube2_anim anim = {.num_adjustments = 1};
    const md5_joint joint = {.name = "j", .parent = MD5_NONE};
    const md5_skeleton skeleton = {.num_joints = 1, .joints = &joint};
    md5_xform adjusted = local;
    md5_cube2_adjust_pose(&part, &anim, &skeleton, &adjusted);
    CHECK_NEAR(adjusted.rotation.x, -real.x, 1e-6);
    CHECK_NEAR(adjusted.rotation.y, real.y, 1e-6);
    CHECK_NEAR(adjusted.rotation.z, -real.z, 1e-6);
    CHECK_NEAR(adjusted.rotation.w, real.w, 1e-6);
    CHECK_VEC3(adjusted.translation, 2 * translation.x + 0.5, -2 * translation.y - 0.25,
               2 * translation.z + 1, 1e-5);
}

// As in the engines, md5adjust affects only the animations that are loaded after it. The second
// part of the test checks the pose: only the clip with a complete adjustment changes, and only at
// the named joint.
TEST (cube_adjusts_animations_that_come_later) {
    OPEN_CUBE(cube, "md5load a.md5mesh\nmd5anim a a.md5anim\nmd5adjust Hand 90 0 0 4 8 12\n"
                    "md5anim b b.md5anim\nmd5adjust Hand\nmd5adjust Nobody 1\nmd5anim c c.md5anim\n"
                    "md5anim again ../hero/a.md5anim\n");
    const md5_cube2_part *const part = &cube->parts[0];
    const md5_joint joints[] = {{"Root", MD5_NONE}, {"Hand", 0}};
    const uint32_t order[] = {0, 1};
    const md5_skeleton skeleton = {.num_joints = 2, .joints = joints, .order = order};
    const md5_xform still = {.rotation = {0, 0, 0, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        static const uint32_t counts[] = {0, 1, 3, 0}; // a file is loaded once
        md5_xform pose[] = {still, still};
        CHECK_UINT(part->anims[i].num_adjustments, counts[i]);
        md5_cube2_adjust_pose(part, &part->anims[i], &skeleton, pose);
        const bool is_adjusted = i == 1;
        CHECK_EXACT(pose[0].rotation.w, 1);
        CHECK_NEAR(pose[1].rotation.z, is_adjusted ? -0.70710678 : 0, 1e-6);
        const double moved = is_adjusted ? 1 : 0; // divided by 4
        CHECK_VEC3(pose[1].translation, moved, -2 * moved, 3 * moved, 0);
    }
}

TEST (cube_adjusts_poses_in_other_axes) {
    OPEN_CUBE(cube, "md5load a.md5mesh\nmd5adjust Hand 90 0 0 4 0 0\nmd5anim a a.md5anim\n");
    const md5_joint joint = {"Hand", MD5_NONE};
    const uint32_t order = 0;
    const md5_skeleton skeleton = {
        .num_joints = 1, .joints = &joint, .order = &order, .axes = MD5_AXES_Y_UP_LEFT, .scale = 2};
    md5_xform pose = {.rotation = {0, 0, 0, 1}};
    md5_cube2_adjust_pose(&cube->parts[0], &cube->parts[0].anims[0], &skeleton, &pose);
    // In Unity z is forward and y is up, and its space is mirrored.
    CHECK_NEAR(pose.translation.z, 2, 1e-6);
    CHECK_SMALL(pose.translation.x, 1e-6);
    CHECK_NEAR(fabs((double)pose.rotation.y), 0.70710678, 1e-6);
    CHECK(pose.rotation.y * pose.rotation.w > 0); // to the right: clockwise from above
}

// -- Scripts --------------------------------------------------------------------------------------

// The language of md5.cfg files: words, blocks, variables, other files, and their errors.

static void check_warnings(const char *text, const char *expected)
{
    SCOPED_CUBE test;
    CHECK(open_cube(&test, text));
    CHECK_STRING(test.log.text, expected);
}

#define AT(location) CUBE_CASE_PATH ":" location ": "

TEST (cube_warns_with_line_and_column) {
    check_warnings("md5load a.md5mesh\n\n  md5fly 1; mdlscale 100\n",
                   AT("3:3") "unknown command 'md5fly': the line is skipped\n");
    check_warnings("md5load a.md5mesh\r\nmdlscale big\r\n",
                   AT("2:10") "expected a number, found 'big'; using 0\n");
    check_warnings("md5load a.md5mesh\nmdlscale 1e12\n",
                   AT("2:10") "expected a number, found '1e12'; using 0\n");
    check_warnings(
        "md5tag a b\nmd5load a.md5mesh\n",
        AT("1:1") "command 'md5tag' before 'md5load' is skipped; move it after 'md5load'\n");
    check_warnings(
        "md5skin a b\nmd5load a.md5mesh\n",
        AT("1:1") "command 'md5skin' before 'md5load' is skipped; move it after 'md5load'\n");
    check_warnings(
        "md5load a.md5mesh\nmd5link 0 1 tag\n",
        AT("2:9") "link refers to an unknown part: expected indices below 1, found 0 and 1\n");
    check_warnings("md5load a.md5mesh\nmd5tag \"open\n",
                   AT("2:8") "unterminated string: expected '\"' before the end of the line\n" //
                   AT("2:1") "expected a joint and a tag name after 'md5tag'\n");
    check_warnings("md5load a.md5mesh [ b\n",
                   AT("1:19") "unterminated '[': expected ']' before the end of the file\n");
}

TEST (cube_reports_missing_arguments_of_commands) {
    check_warnings("md5load a.md5mesh\nmd5load\nmd5dir\nmd5anim a\nmd5pitch a\nmd5adjust\n"
                   "md5link 0 0\nmd5skin\nexec\nif 1\n",
                   AT("2:1") "expected a mesh file after 'md5load'\n"                     //
                   AT("3:1") "expected a folder after 'md5dir'\n"                         //
                   AT("4:1") "expected an animation name and its file after 'md5anim'\n"  //
                   AT("5:1") "expected a joint and a factor after 'md5pitch'\n"           //
                   AT("6:1") "expected a joint after 'md5adjust'\n"                       //
                   AT("7:1") "expected two part indices and a tag name after 'md5link'\n" //
                   AT("8:1") "expected a mesh name or * after 'md5skin'\n"                //
                   AT("9:1") "expected a file name after 'exec'\n"                        //
                   AT("10:1") "incomplete 'if': expected a condition and a block in [ ]\n");
}

TEST (cube_reads_strings_and_comments) {
    OPEN_CUBE(cube, "// md5load no.md5mesh\nmd5load \"a^n^t^\"^^b.md5mesh\" // c\n"
                    ";;md5tag \"a b\" tag//c\n\tmd5tag b [tag c];md5tag c tag;\n");
    CHECK_STRING(cube->parts[0].mesh, "data/actors/hero/a\n\t\"^b.md5mesh");
    CHECK_UINT(cube->parts[0].num_tags, 3);
    CHECK_STRING(cube->parts[0].tags[0].joint, "a b");
    CHECK_STRING(cube->parts[0].tags[0].name, "tag");
    CHECK_STRING(cube->parts[0].tags[1].name, "tag c");
    CHECK_STRING(test.log.text, "");
}

// A string ends at the end of its line, also after ^.
TEST (cube_ends_strings_with_their_lines) {
    OPEN_CUBE(cube, "md5load \"a^\nmd5tag b \"c^\nmd5tag d e\n");
    CHECK_STRING(cube->parts[0].mesh, "data/actors/hero/a^");
    CHECK_UINT(cube->parts[0].num_tags, 2);
    CHECK_STRING(cube->parts[0].tags[0].name, "c^");
}

TEST (cube_reads_conditions_and_variables) {
    OPEN_CUBE(cube,
              "skin = red\nalias no \"0\"\nmd5load $skin\nif $no [ md5tag a 0 ] [ md5tag a 1\n"
              "md5fly ]\nif 1 [ if \"\" [ md5tag b 0 ]; if 0.5 [\nmd5tag b 1 ] ]\n"
              "if (> $x 1) [ md5tag c 1 ] [ md5tag c 0 ]\nif 0 [ md5tag d 0 ]\nif 1 md5tag\n"
              "other = (+ 1 2)\nmdlscale $other\n");
    const md5_cube2_part *const part = &cube->parts[0];
    CHECK_STRING(part->mesh, "data/actors/hero/red");
    CHECK_UINT(part->num_tags, 3);
    for (uint32_t i = 0; i < part->num_tags; i++) {
        const md5_cube2_tag *const tag = &part->tags[i];
        CHECK_STRING(tag->name, "1");
    }
    CHECK_STRING(
        test.log.text,
        AT("5:1") "unknown command 'md5fly': the line is skipped\n" //
        AT("8:4") "condition of 'if' is not supported: expected a constant; the condition "
                  "is assumed to be true\n"                           //
        AT("10:6") "'if' without a block: expected commands in [ ]\n" //
        AT("12:10") "value of variable '$other' is unknown: expected a command before this "
                    "line that sets the variable to a constant\n" //
        AT("12:10") "expected a number, found ''; using 0\n");
}

// A variable is set to the second word of its command, also if an earlier command had more words.
TEST (cube_sets_variables_after_longer_commands) {
    OPEN_CUBE(cube, "if 0 [ ] [ ]\nskin = red\nmd5load $skin\n");
    CHECK_STRING(cube->parts[0].mesh, "data/actors/hero/red");
}

// A line with too many words and blocks that are nested too deeply are reported and shortened, so
// that a hostile file cannot exhaust memory or the stack.
TEST (cube_limits_words_and_depth) {
    SCOPED_CUBE test;
    char text[1024] = "md5load a.md5mesh\nmdlspin";
    for (int i = 0; i < 26; i++)
        strcat(text, " 1");
    for (int i = 0; i < 20; i++)
        strcat(text, i ? " if 1 [" : "\nif 1 [");
    const md5_cube2 *const cube = open_cube(&test, text);
    REQUIRE(cube);
    CHECK_UINT(cube->settings[0].num_values, 24);
    CHECK(strstr(test.log.text, AT("2:57") "command has too many words: expected at most 25; the "
                                           "surplus words are skipped\n"));
    CHECK(
        strstr(test.log.text,
               "blocks are nested too deeply: expected at most 16 levels; the block is skipped\n"));
}

// -- Files ----------------------------------------------------------------------------------------

TEST (cube_reads_files_of_exec_but_not_recursively) {
    SCOPED_CUBE test;
    const md5_cube2 *const cube = open_cube_with(
        &test, "exec \"actors/./hero/../base.cfg\"\nmd5fly\n", "data/actors/base.cfg",
        "md5load a.md5mesh\nmd5hop\nexec actors/hero/md5.cfg\n"
        "exec actors/base.cfg\n");
    REQUIRE(cube);
    CHECK_STRING(cube->parts[0].mesh, "data/actors/hero/a.md5mesh");
    CHECK_STRING(
        test.log.text,
        "data/actors/base.cfg:2:1: unknown command 'md5hop': the line is "
        "skipped\ndata/actors/base.cfg:3:6: 'actors/hero/md5.cfg' is skipped: the file contains "
        "itself, directly or through another file\ndata/actors/base.cfg:4:6: 'actors/base.cfg' is "
        "skipped: the file contains itself, directly or through another file\n" //
        AT("2:1") "unknown command 'md5fly': the line is skipped\n");
    CHECK(!test.error.message[0] && !test.error.file[0]); // no call failed
}

TEST (cube_continues_without_unreadable_files) {
    check_warnings("exec a.cfg\nmd5load a.md5mesh\nexec ../b.cfg\nexec /c.cfg\nexec d:e\n",
                   AT("1:6") "'data/a.cfg': cannot open the file: not on this shelf\n"         //
                   AT("3:6") "'../b.cfg' is skipped: expected a path inside the game folder\n" //
                   AT("4:6") "'/c.cfg' is skipped: expected a path inside the game folder\n"   //
                   AT("5:6") "'d:e' is skipped: expected a path inside the game folder\n");
}

TEST (cube_reads_a_limited_number_of_files) {
    SCOPED_CUBE test;
    char text[2048] = "md5load a.md5mesh\n";
    for (int i = 0; i < 64; i++)
        strcat(text, "exec b.cfg\n");
    const md5_cube2 *const cube = open_cube_with(&test, text, "data/b.cfg", "mdlspin\n");
    REQUIRE(cube);
    CHECK_UINT(cube->num_settings, 63);
    CHECK_STRING(test.log.text,
                 AT("65:6") "'b.cfg' is skipped: too many files are read or nested\n");
}

static void check_mesh(const char *path, const char *root, const char *text, const char *mesh)
{
    const game_text files[] = {{path, text}, {NULL, NULL}};
    game_log log;
    const md5_load_opts opts = cube_opts(files, &log);
    SCOPED_CUBE2 cube = md5_load_cube2(path, root, &opts, NULL);
    if (CHECK(cube))
        CHECK_STRING(cube->parts[0].mesh, mesh);
}

TEST (cube_finds_the_folders_of_a_game) {
    check_mesh("md5.cfg", NULL, "md5load a", "a");
    check_mesh("md5.cfg", NULL, "md5load ../a", "../a");
    check_mesh("/g/packages/models/flag/md5.cfg", NULL, "md5load ../a", "/g/packages/models/a");
    check_mesh("/g/packages/models/flag/md5.cfg", NULL, "md5dir pit;md5load a",
               "/g/packages/models/pit/a");
    check_mesh("re/data/props/md5.cfg", NULL, "md5dir actors;md5load a", "re/data/actors/a");
    check_mesh("re/props/md5.cfg", "re", "md5dir actors;md5load a", "re/actors/a");
    check_mesh("re/props/md5.cfg", "", "md5dir actors;md5load a", "actors/a");
    check_mesh("re/props/md5.cfg", NULL, "md5load /../../../../a", "../../a");
}

TEST (cube_without_a_configuration_uses_the_model_of_its_folder) {
    game_log log;
    md5_error error = {0};
    const game_text files[] = {
        {"m/flag/flag.md5mesh", ""}, {"m/flag/flag.md5anim", ""}, {NULL, NULL}};
    const game_text single_file[] = {{"m/flag/flag.md5mesh", ""}, {NULL, NULL}};
    md5_load_opts opts = cube_opts(files, &log);
    md5_cube2 *cube = md5_load_cube2("m/flag/md5.cfg", NULL, &opts, &error);
    if (CHECK(cube)) {
        CHECK_STRING(cube->parts[0].mesh, "m/flag/flag.md5mesh");
        CHECK_UINT(cube->parts[0].num_anims, 1);
        CHECK_STRING(cube->parts[0].anims[0].file, "m/flag/flag.md5anim");
    }
    CHECK_STRING(
        log.text,
        "m/flag/md5.cfg:0:0: configuration file not found: using model 'm/flag/flag.md5mesh'\n");
    md5_free_cube2(cube);
    opts = cube_opts(single_file, &log);
    cube = md5_load_cube2("m/flag/md5.cfg", NULL, &opts, &error);
    CHECK(cube && cube->parts[0].num_anims == 0);
    md5_free_cube2(cube);
    opts = cube_opts(single_file + 1, &log);
    CHECK_REFUSED(md5_load_cube2("m/flag/md5.cfg", NULL, &opts, &error), error, MD5_ERROR_IO,
                  "cannot open the file: not on this shelf");
    CHECK(!md5_load_cube2("md5.cfg", NULL, &opts, NULL));
    md5_free_cube2(NULL);
}

TEST (cube_without_a_mesh_is_an_error) {
    cube_case test;
    CHECK_REFUSED(open_cube(&test, "mdlscale 100\n"), test.error, MD5_ERROR_SYNTAX,
                  "configuration file does not load a mesh: expected a line 'md5load FILE'");
    CHECK_STRING(test.error.file, CUBE_CASE_PATH);
}

// -- Memory, and hostile texts --------------------------------------------------------------------

static const char all_commands[] =
    "md5load a.md5mesh\nmd5anim \"a b\" b.md5anim\nmd5tag a b 1 2 3 4 5 6\n"
    "md5pitch a 1\nmd5adjust b 1 2 3 4 5 6\nmd5skin * <dds>a b\n"
    "md5animpart \"a b\"\nmd5link 0 0 tag\nmdlspin 1 2\nx = 2\n"
    "if $x [ md5envmap * a; exec b.cfg ]\nmd5dir d\n";

TEST (cube_survives_failure_of_every_allocation) {
    const game_text files[] = {
        {"md5.cfg", all_commands}, {"b.cfg", "md5shader * a\n"}, {NULL, NULL}};
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        game_log log;
        md5_load_opts opts = cube_opts(files, &log);
        opts.allocator = failure.opts.allocator;
        SCOPED_CUBE2 cube = md5_load_cube2("md5.cfg", NULL, &opts, &failure.error);
        CHECK_FAILURE(failure, cube);
    }
}

TEST (cube_survives_every_memory_limit) {
    const game_text files[] = {
        {"md5.cfg", all_commands}, {"b.cfg", "md5shader * a\n"}, {NULL, NULL}};
    // The text is repeated many times, so that more than one block of memory is needed.
    char text[sizeof all_commands * 40];
    text[0] = '\0';
    for (int i = 0; i < 40; i++)
        strcat(text, all_commands);
    const game_text many[] = {{"md5.cfg", text}, files[1], files[2]};
    md5_cube2 *cube = NULL;
    for (size_t limit = 1000; !cube && limit < 10000000; limit += 977) {
        game_log log;
        md5_error error = {0};
        md5_load_opts opts = cube_opts(many, &log);
        opts.allocator.limit = limit;
        cube = md5_load_cube2("md5.cfg", NULL, &opts, &error);
        CHECK(cube || error.status == MD5_ERROR_MEMORY);
    }
    CHECK(cube);
    md5_free_cube2(cube);
}

TEST (cube_reads_truncated_and_altered_texts) {
    static const char bytes[] = {'"', '[', ']', '(', ')', '\0',  '\n',
                                 ';', '$', '^', '/', '.', '\xff'};
    const size_t size = strlen(all_commands);
    for (size_t i = 0; i < size * (1 + sizeof bytes); i++) {
        char text[sizeof all_commands];
        game_log log;
        md5_error error = {0};
        memcpy(text, all_commands, sizeof text);
        text[i % size] = i < size ? '\0' : bytes[i / size - 1];
        const game_text files[] = {{"md5.cfg", text}, {NULL, NULL}};
        const md5_load_opts opts = cube_opts(files, &log);
        SCOPED_CUBE2 cube = md5_load_cube2("md5.cfg", NULL, &opts, &error);
        CHECK(cube || error.status == MD5_ERROR_SYNTAX);
    }
}

// -- Real models ----------------------------------------------------------------------------------

TEST (cube_reads_red_eclipses_drone) {
    md5_cube2_material skin;
    REQUIRE_CORPUS();
    SCOPED_CUBE2 cube =
        md5_load_cube2(test_path("corpus/redeclipse/drone/md5.cfg"), NULL, NULL, NULL);
    REQUIRE(cube);
    const md5_cube2_part *const part = &cube->parts[0];
    // The numbers were counted in the file, with commands such as grep -c '^md5tag'.
    CHECK_UINT(cube->num_parts, 1);
    CHECK_UINT(part->num_tags, 6);
    CHECK_UINT(part->num_pitches, 2);
    CHECK_UINT(part->num_masks, 2);
    CHECK_UINT(part->num_anims, 89);
    CHECK_UINT(part->num_adjustments, 1);
    CHECK_NEAR(cube->scale, 4.2, 1e-6);
    CHECK_UINT(cube->num_warnings, 1); // its ragdoll.cfg is not in the corpus
    const uint32_t shoot = md5_find_cube2_anim(part, 1, "rifle secondary");
    if (CHECK(shoot != MD5_NONE)) {
        CHECK(strstr(part->anims[shoot].file, "/drone/rifle-shoot.md5anim"));
        CHECK_EXACT(part->anims[shoot].frame_rate, 25);
    }
    CHECK(md5_find_cube2_anim(part, 0, "sword") == md5_find_cube2_anim(part, 0, "claw"));
    SCOPED_MODEL model = md5_load_model(part->mesh, NULL, NULL);
    REQUIRE(model);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        md5_build_cube2_material(part, mesh->name, &skin);
        CHECK(skin.texture.path && strstr(skin.texture.path, "/drone/skin.jpg"));
        CHECK(skin.normal_map.path && strstr(skin.normal_map.path, "/drone/normals.png"));
    }
    CHECK(md5_find_joint(&model->skeleton, part->adjustments[0].joint) != MD5_NONE);
}
