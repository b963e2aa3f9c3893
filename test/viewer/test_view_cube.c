// Models of Cube 2's engines in the viewer: parts linked by tags, skins, scale and placement, and
// animations by name. The tests write the files. The expected numbers are computed manually from
// the engines' rules; see view_cube_*().
#define _XOPEN_SOURCE 700 // dup(), dup2()
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"
#include "test/viewer/test_view_shot.h"

#include "demo/viewer/assets/cube.h"
#include "demo/viewer/assets/model_text.h"

#include <unistd.h>

// -- Files ----------------------------------------------------------------------------------------

typedef struct named_text {
    const char *name, *text;
} named_text;

#define TRIANGLE                                                                          \
    "numverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nnumtris 1\n" \
    "tri 0 0 1 2\nnumweights 3\n"

static const char body_mesh[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n"
    "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"arm\" 0 ( 0 0 10 ) ( 0 0 0 )\n}\n"
    "mesh {\n// meshes: torso\nshader \"a.tga\"\n" TRIANGLE
    "weight 0 0 1 ( 0 0 0 )\nweight 1 1 1 ( 4 0 0 )\nweight 2 1 1 ( 0 0 2 )\n}\n";

static const char gun_mesh[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n"
    "\"root\" -1 ( 1 0 0 ) ( 0 0 0 )\n}\n"
    "mesh {\n// meshes: barrel\nshader \"b\"\n" TRIANGLE
    "weight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 8 0 0 )\nweight 2 0 1 ( 0 0 6 )\n}\n";

// Two frames of root and arm. The arm's z is 10 and then `second`.
#define TWO_FRAMES(second)                                                      \
    "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 2\nframeRate 24\n" \
    "numAnimatedComponents 1\nhierarchy {\n\"root\" -1 0 0\n\"arm\" 0 4 0\n}\n" \
    "bounds {\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n"      \
    "( 0 0 0 ) ( 0 0 0 )\n( 0 0 10 ) ( 0 0 0 )\n}\nframe 0 {\n10\n}\nframe 1 {\n" second "\n}\n"

static const named_text common_files[] = {
    {"body.md5mesh", body_mesh},
    {"gun.md5mesh", gun_mesh},
    {"walk.md5anim", TWO_FRAMES("20")},
    {"up.md5anim", TWO_FRAMES("50")},
    {"bad.md5anim", "MD5Version 10\nnumFrames 1\n"},
};

// A folder with the files and an md5.cfg, opened by the folder's name.
typedef struct cube_view {
    char *folder;
    view_log log;
    view_scene scene;
    bool is_open;
} cube_view;

static void open_view(cube_view *view, const char *script)
{
    *view = (cube_view){.folder = folder_make(), .log = {.level = VIEW_QUIET}};
    for (size_t i = 0; i < COUNT_OF(common_files); i++) {
        const named_text *const common_file = &common_files[i];
        folder_write_text(view->folder, common_file->name, common_file->text);
    }
    folder_write_text(view->folder, "md5.cfg", script);
    const char *const files[] = {view->folder};
    view->is_open = view_load_scene(&view->scene, files, 1, NULL, true, &view->log);
}

static void close_view(cube_view *view)
{
    view_free_scene(&view->scene);
    folder_remove(view->folder);
}

static void check_joint(const cube_view *view, const char *name, float x, float y, float z)
{
    const uint32_t joint = md5_find_joint(view->scene.skeleton, name);
    REQUIRE(joint != MD5_NONE);
    const md5_vec3 at = md5_mat34_translation(view->scene.joints[joint]);
    CHECK_NEAR(at.x, x, 1e-4);
    CHECK_NEAR(at.y, y, 1e-4);
    CHECK_NEAR(at.z, z, 1e-4);
}

static bool show_frame(cube_view *view, const char *clip, uint32_t frame)
{
    const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
    for (size_t i = 0; i < view->scene.num_clips; i++) {
        if (strcmp(view->scene.clips[i].name, clip) != 0)
            continue;
        view_select_clip(&view->scene, i);
        if (!CHECK(frame < view->scene.clips[i].anim->num_frames))
            return false;
        view_pose_at(&view->scene, &sample);
        return true;
    }
    return CHECK_THAT(false, "no clip \"%s\"", clip);
}

// -- Parts, skins and animations ------------------------------------------------------------------

static const char linked[] = "md5load body.md5mesh\nmd5tag arm tag_gun 2 0 0\n"
                             "md5skin torso \"<dds>red.png\"\nmd5bumpmap torso bump.png\n"
                             "md5cullface torso 0\nmd5anim \"walk|run\" walk.md5anim 5\n"
                             "md5load gun.md5mesh\nmd5skin * blue.png\nmd5link 0 1 tag_gun 0 3 0\n"
                             "mdlscale 200\nmdlyaw 90\nmdltrans 1 0 0\n";

#define TEST_HERE(title, ...) \
    TEST_WITH (title, cube_view, view, open_view(view, __VA_ARGS__), close_view(view))

// The gun's root (1 0 0) is relative to the link's (0 3 0) with y mirrored. The link is relative to
// the tag's (2 0 0), and the tag to the arm at (0 0 10). The sum is (3 -3 10). The model translates
// that by (1 0 0), rotates it by 90 degrees clockwise and scales it by a quarter of 200 %, which is
// 0.5.
TEST_HERE (view_cube_links_parts_by_tags, linked) {
    if (CHECK(view->is_open) && CHECK_UINT(view->scene.model->num_meshes, 2)) {
        view_show_bind_pose(&view->scene, true, NULL);
        view_pose_at(&view->scene, &(md5_sample_position){0});
        check_joint(view, "root", 0.0f, -0.5f, 0.0f);
        check_joint(view, "arm", 0.0f, -0.5f, 5.0f);
        check_joint(view, "1/root", -1.5f, -2.0f, 5.0f);
        view_skin(&view->scene);
        const md5_vec3 *const gun = view->scene.skinned[1].positions;
        CHECK_NEAR(gun[1].x, -1.5, 1e-4); // 8 units along the gun's x axis, which points along -y
        CHECK_NEAR(gun[1].y, -6, 1e-4);
        CHECK_NEAR(gun[2].z, 8, 1e-4);
        CHECK_UINT(view->log.num_warnings, 0);
    }
}

TEST_HERE (view_cube_plays_animations_by_name, linked) {
    if (CHECK(view->is_open) && CHECK_UINT(view->scene.num_clips, 2)) {
        CHECK_STRING(view->scene.clips[0].name, "walk");
        CHECK_STRING(view->scene.clips[1].name, "run");
        CHECK_UINT(view->scene.clips[0].anim->num_frames, 3); // the last frame repeats the first
        CHECK_NEAR(view->scene.clips[0].anim->frame_rate, 5, 1e-9);
        CHECK(view->scene.has_found_clips);
        if (show_frame(view, "run", 1)) {
            check_joint(view, "arm", 0.0f, -0.5f, 10.0f);
            check_joint(view, "1/root", -1.5f, -2.0f, 10.0f);
        }
        if (show_frame(view, "run", 2))
            check_joint(view, "1/root", -1.5f, -2.0f, 5.0f);
    }
}

TEST_HERE (view_cube_reads_materials_of_meshes, linked) {
    if (CHECK(view->is_open) && CHECK_UINT(view->scene.num_looks, 2)) {
        const view_look *const looks = view->scene.looks;
        CHECK(common_has_suffix(looks[0].diffuse, "/red.png"));
        CHECK(common_has_suffix(looks[0].normals, "/bump.png") && looks[0].two_sided);
        CHECK(common_has_suffix(looks[1].diffuse, "/blue.png"));
        CHECK(looks[1].normals == NULL && !looks[1].two_sided);
        CHECK_STRING(view->scene.model->meshes[0].name, "torso");
        CHECK(strcmp(view->scene.name, common_base(view->folder)) == 0); // the folder's name
    }
}

// The strengths come from the mesh, otherwise from the model, otherwise from the engines' defaults:
// 100 % for highlights, 300 % for glow.
TEST (view_cube_materials_have_masks_and_alpha) {
    static const struct {
        const char *lines;
        float specular;
        float glow;
        float alpha_test;
        bool has_masks;
    } cases[] = {
        {"md5skin torso red.png", 1, 1, 0, false},
        {"md5skin torso red.png masks.png", 1, 1, 0, true},
        {"md5skin torso red.png masks.png\nmdlspec 25\nmdlglow 150", 0.25f, 0.5f, 0, true},
        {"md5skin * red.png masks.png\nmdlspec 25\nmd5spec torso 40\nmd5glow * 0", 0.4f, 0, 0,
         true},
        {"mdlspec 900\nmdlglow -5", 1, 0, 0, false},
        {"md5alphatest torso 0.9", 1, 1, 0.9f, false},
        {"mdlalphatest 0.25\nmdlalphablend 0", 1, 1, 0.25f, false},
        {"mdlalphatest 0\nmdlalphablend 0", 1, 1, 1e-6f, false},
        {"mdlalphatest 0", 1, 1, 0, false}, // blended, so the default alpha test is used
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        cube_view view;
        SCOPED_STRING script = common_format("md5load body.md5mesh\n%s\n", cases[i].lines);
        open_view(&view, script);
        if (CHECK(view.is_open) && CHECK_UINT(view.scene.num_looks, 1)) {
            const view_look *const look = &view.scene.looks[0];
            CHECK_NEAR(look->specular, cases[i].specular, 1e-6);
            CHECK_NEAR(look->glow, cases[i].glow, 1e-6);
            CHECK_NEAR(look->alpha_test, cases[i].alpha_test, 1e-9);
            CHECK((look->masks != NULL) == cases[i].has_masks);
            CHECK(look->masks == NULL || common_has_suffix(look->masks, "/masks.png"));
        }
        close_view(&view);
    }
}

TEST (view_masks_become_highlights_and_glow) {
    uint8_t masks[] = {200, 0, 9, 9, 100, 255, 9, 9, 0, 128, 9, 9, 255, 51, 9, 9};
    uint8_t shine[sizeof masks];
    uint8_t color[] = {10, 20, 250, 0, 100, 200, 255, 0};
    static const uint8_t highlights[] = {100, 100, 100, 255, 50,  50,  50,  255,
                                         0,   0,   0,   255, 128, 128, 128, 255};
    // The expected glow is green / 255, multiplied by the left color for the first two texels and
    // by the right color for the others.
    static const uint8_t glow[] = {0,  0,   0,   255, 10, 20, 250, 255,
                                   50, 100, 128, 255, 20, 40, 51,  255};
    memcpy(shine, masks, sizeof masks);
    view_image masked = {shine, 4, 1};
    view_apply_masks(&masked, NULL, 0.5f);
    CHECK_BYTES(shine, highlights, sizeof highlights);
    const view_image texture = {color, 2, 1};
    masked.rgba = masks;
    view_apply_masks(&masked, &texture, 1.0f);
    CHECK_BYTES(masks, glow, sizeof glow);
}

// Redirects standard error to a file while view_report_unsupported() prints, and checks the printed
// line.
TEST (view_cube_reports_unsupported_lines) {
    SCOPED_FOLDER folder = folder_make();
    folder_write_text(folder, "md5.cfg",
                      "md5load a.md5mesh\nrdvert 1 2 3\nrdtri 0 1 2\nmd5envmap * sky\nmdlspin 3\n"
                      "mdlenvmap 0.2\nmdlscale 100\nmdlname x\nmd5spec * 3\n");
    SCOPED_STRING path = common_join(folder, "md5.cfg");
    SCOPED_STRING messages = common_join(folder, "said");
    SCOPED_CUBE2 cube = md5_load_cube2(path, NULL, NULL, NULL);
    view_log log = {.level = VIEW_INFO};
    fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    if (CHECK(cube) && CHECK(kept >= 0) && CHECK(freopen(messages, "w", stderr))) {
        view_report_unsupported(cube, "md5.cfg", &log);
        fflush(stderr);
        CHECK(dup2(kept, STDERR_FILENO) >= 0);
        size_t size;
        SCOPED_STRING text = test_read_file(messages, &size);
        CHECK(text != NULL
              && strstr(text, "md5.cfg: not supported: ragdoll, reflections, spinning\n") != NULL);
    }
    if (kept >= 0)
        close(kept);
}

// The second mask contains the arm. It plays another file, which has three frames at another rate;
// its adjustment is (4 8 12) / 4, mirrored. A mask without an animation of that name plays "idle".
TEST (view_cube_blends_masks_and_adjusts) {
    cube_view view;
    open_view(&view,
              "md5load body.md5mesh\nmd5anim walk walk.md5anim 5 0 0 1\n"
              "md5anim idle walk.md5anim 5 0 1\nmd5animpart arm\nmd5adjust arm 0 0 0 4 8 12\n"
              "md5anim walk up.md5anim 10\nmd5anim shoot up.md5anim 10 0 1\nmdlscale 400\n");
    if (CHECK(view.is_open) && CHECK_UINT(view.scene.num_clips, 3)) {
        if (show_frame(&view, "walk", 1))
            check_joint(&view, "arm", 1.0f, -2.0f, 53.0f);
        if (show_frame(&view, "shoot", 0))
            check_joint(&view, "arm", 1.0f, -2.0f, 53.0f);
        CHECK_UINT(view.scene.clips[0].anim->num_frames, 3);
        CHECK_NEAR(view.scene.clips[0].anim->frame_rate, 10, 1e-9);
        CHECK_UINT(view.scene.clips[2].anim->num_frames, 1);
        // The mask of the arm does not have an animation "idle", so the arm has its bind pose.
        if (show_frame(&view, "idle", 0))
            check_joint(&view, "arm", 0.0f, 0.0f, 10.0f);
    }
    close_view(&view);
}

// A joint whose pitch has an offset is rotated even if the view is straight ahead: by 90 degrees
// about the engines' x axis. This rotates the engines' z axis to their -y axis, which is our y
// axis.
TEST_HERE (view_cube_rotates_joints_that_follow_the_view,
           "md5load body.md5mesh\nmd5pitch root 1 90\nmd5pitch nobody 1 9\n"
           "md5anim walk walk.md5anim\nmdlscale 400\n") {
    if (CHECK(view->is_open) && show_frame(view, "walk", 0))
        check_joint(view, "arm", 0.0f, 10.0f, 0.0f);
}

TEST_HERE (view_cube_parts_share_a_skeleton,
           "md5load body.md5mesh both\nmd5tag arm hand\nmd5anim walk walk.md5anim\n"
           "md5load body.md5mesh both\nmd5load gun.md5mesh\nmd5link 1 2 hand\n") {
    REQUIRE(view->is_open);
    CHECK_UINT(view->scene.num_joints, 4); // the origin, two shared joints, the gun's root
    CHECK_UINT(view->scene.model->num_meshes, 3);
    if (show_frame(view, "walk", 1))
        check_joint(view, "2/root", 0.25f, 0.0f, 5.0f);
}

// -- Errors ---------------------------------------------------------------------------------------

static void check_warning(const char *script, const char *part, uint32_t num_meshes)
{
    cube_view view;
    open_view(&view, script);
    if (CHECK(view.is_open)) {
        CHECK_UINT(view.scene.model->num_meshes, num_meshes);
        CHECK_UINT(view.log.num_warnings, 1);
        CHECK_THAT(strstr(view.log.warning, part) != NULL, "%s: %s", part, view.log.warning);
    }
    close_view(&view);
}

TEST (view_cube_reports_parts_that_do_not_fit) {
    check_warning("md5load body.md5mesh\nmd5load gun.md5mesh\n",
                  "skipped part 1: the part is not linked to another part", 1);
    check_warning("md5load body.md5mesh\nmd5load gun.md5mesh\nmd5link 0 1 hand\n",
                  "skipped part 1: tag 'hand' not found in part 0", 1);
    check_warning("md5load body.md5mesh\nmd5tag leg hand\nmd5load gun.md5mesh\nmd5link 0 1 hand\n",
                  "skipped part 1: tag 'hand' not found in part 0", 1);
    check_warning("md5load body.md5mesh\nmd5load gun.md5mesh\nmd5link 1 1 hand\n",
                  "skipped part 1: the part is linked to part 1, which must be loaded before", 1);
    check_warning("md5load body.md5mesh\nmd5anim idle nothing.md5anim\n", "nothing.md5anim", 1);
    check_warning("md5load body.md5mesh\nmd5anim idle bad.md5anim\n", "bad.md5anim:2:11: error", 1);
}

TEST (view_cube_fails_without_its_mesh) {
    cube_view view;
    open_view(&view, "md5load nothing.md5mesh\n");
    CHECK(!view.is_open && strstr(view.log.error, "nothing.md5mesh") != NULL);
    CHECK(!view.scene.model);
    close_view(&view);
    open_view(&view, "md5load bad.md5anim\n");
    CHECK(!view.is_open && strstr(view.log.error, "bad.md5anim, line 2, column 1: ") != NULL);
    close_view(&view);
}

// Without a limit, the longest duration (2000 s) at the highest rate (1 000 000 frames per second)
// would give a huge clip.
TEST_HERE (view_cube_limits_frames,
           "md5load body.md5mesh\nmd5anim walk walk.md5anim 0.001\nmd5animpart arm\n"
           "md5anim walk up.md5anim 1000000\n") {
    if (CHECK(view->is_open) && CHECK_UINT(view->scene.num_clips, 1)) {
        CHECK_UINT(view->scene.clips[0].anim->num_frames, 4001);
        CHECK_NEAR(view->scene.clips[0].anim->duration, 2000, 1e-2);
    }
}

// File names are untrusted: a quote must not end the quoted name.
TEST (view_words_quote_names) {
    view_text words = {0};
    view_append_name(&words, "a\"b\\c\nd");
    view_append(&words, " %d", 5);
    CHECK(words.size == 11 && memcmp(words.text, "\"a_b_c_d\" 5", 11) == 0);
    free(words.text);
}

// A folder with an md5.cfg is a model on the command line. Other folders are listed in a window.
TEST_HERE (view_cube_folders_are_models, "md5load body.md5mesh\n") {
    view_options options;
    char problem[256];
    char *arguments[] = {view->folder};
    CHECK(view_read_options(1, arguments, &options, problem, sizeof problem));
    CHECK(options.num_files == 1 && options.num_folders == 0);
    view_free_options(&options);
    SCOPED_STRING script = common_join(view->folder, "md5.cfg");
    CHECK(remove(script) == 0);
    CHECK(view_read_options(1, arguments, &options, problem, sizeof problem));
    CHECK(options.num_files == 0 && options.num_folders == 1);
    view_free_options(&options);
}

// -- Cube masks -----------------------------------------------------------------------------------

// Images of models with the masks of an md5.cfg. The test writes the files.

static const char mesh[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n"
    "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh {\n// meshes: board\nshader \"a.tga\"\n"
    "numverts 4\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nvert 3 ( 1 1 ) 3 1\n"
    "numtris 2\ntri 0 0 1 2\ntri 1 2 1 3\nnumweights 4\nweight 0 0 1 ( 0 -9 18 )\n"
    "weight 1 0 1 ( 0 9 18 )\nweight 2 0 1 ( 0 -9 0 )\nweight 3 0 1 ( 0 9 0 )\n}\n";

// Writes an image of 8 by 8 pixels of one color.
static void write_color_image(const char *folder, const char *name, uint8_t red, uint8_t green,
                              uint8_t blue)
{
    enum { HEAD = 18, SIDE = 8 };
    uint8_t file[HEAD + 3 * SIDE * SIDE] = {[2] = 2, [12] = SIDE, [14] = SIDE, [16] = 24};
    for (size_t i = HEAD; i < sizeof file; i += 3) {
        file[i] = blue;
        file[i + 1] = green;
        file[i + 2] = red;
    }
    folder_write(folder, name, file, sizeof file);
}

// Returns the mean of the red channel over the image of an md5.cfg, or -1 on failure.
static double mean_red(gl_scene *scene, const char *folder, const char *lines,
                       uint32_t num_warnings)
{
    SCOPED_SHOT viewer;
    SCOPED_STRING script = common_format("md5load board.md5mesh\nmd5cullface * 0\n%s\n", lines);
    folder_write_text(folder, "md5.cfg", script);
    char *const line =
        common_format("%s/md5.cfg --no-background --samples 1 --resolution 64,64", folder);
    double mean = -1.0;
    if (shot_open(&viewer, scene, line)) {
        SCOPED_PICTURE picture = shot_draw(&viewer);
        double sum = 0.0;
        for (int i = 0; i < 64 * 64; i++)
            sum += picture.rgba[4 * i];
        mean = sum / (64 * 64);
        CHECK_UINT(viewer.state.log.num_warnings, num_warnings);
    }
    free(line);
    return mean;
}

TEST_SCENE (view_cube_masks_glow_and_shine) {
    SCOPED_FOLDER folder = folder_make();
    folder_write_text(folder, "board.md5mesh", mesh);
    write_color_image(folder, "skin.tga", 120, 40, 40);
    write_color_image(folder, "glow.tga", 0, 255, 0);
    write_color_image(folder, "shine.tga", 255, 0, 0);
    write_color_image(folder, "dull.tga", 0, 0, 255);
    const double dull = mean_red(scene, folder, "md5skin * skin.tga dull.tga", 0);
    const double shine = mean_red(scene, folder, "md5skin * skin.tga shine.tga", 0);
    const double weak = mean_red(scene, folder, "md5skin * skin.tga shine.tga\nmdlspec 10", 0);
    const double glow = mean_red(scene, folder, "md5skin * skin.tga glow.tga", 0);
    const double none = mean_red(scene, folder, "md5skin * skin.tga glow.tga\nmd5glow * 0", 0);
    CHECK(dull > 0.0);
    CHECK(glow > dull * 1.2);
    // Specular reflection reduces diffuse light, and its small highlight may be outside the image.
    CHECK_THAT(fabs(shine - dull) > 1.0 && fabs(weak - dull) < fabs(shine - dull),
               "red %g, %g with highlights, %g with weak ones", dull, shine, weak);
    CHECK_NEAR(none, dull, 0.01);
    // Missing masks give one warning, and nothing glows.
    CHECK(mean_red(scene, folder, "md5skin * skin.tga nothing.tga", 1) > 0.0);
    // A missing skin also causes a warning, because the color of the glow is unknown.
    CHECK(mean_red(scene, folder, "md5skin * nothing.tga glow.tga", 1) > 0.0);
}
