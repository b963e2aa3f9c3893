// Models of the Quake re-releases in the viewer: frame rate, scales of joints, and skins. The tests
// write the files.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"
#include "test/viewer/test_view_shot.h"

#include <sys/stat.h>

static const char mesh[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n"
    "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"arm\" 0 ( 0 0 10 ) ( 0 0 0 )\n}\nmesh {\nshader \"x\"\n"
    "numverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nnumtris 1\n"
    "tri 0 0 1 2\nnumweights 3\nweight 0 0 1 ( 0 0 0 )\nweight 1 1 1 ( 4 0 0 )\n"
    "weight 2 1 1 ( 0 0 2 )\n}\n";

static const char anim[] =
    "MD5Version 10\ncommandline \"\"\nnumFrames 3\nnumJoints 2\nframeRate 24\n"
    "numAnimatedComponents 0\nhierarchy {\n\"root\" -1 0 0\n\"arm\" 0 0 0\n}\n"
    "bounds {\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n"
    "( 0 0 0 ) ( 0 0 0 )\n( 0 0 10 ) ( 0 0 0 )\n}\nframe 0 {\n}\nframe 1 {\n}\nframe 2 {\n}\n";

static const char scale[] = "{ \"arm\": { \"scale_positions\": true, \"1\": 0.5 } }";

typedef struct quake_view {
    char *top, *folder;
    view_log log;
    view_scene scene;
    bool is_open;
} quake_view;

// Opens a model in a folder with this name, with an animation and, unless NULL, an .md5scale with
// this text.
static void open_view(quake_view *view, const char *folder, const char *scale_text)
{
    *view = (quake_view){.top = folder_make(), .log = {.level = VIEW_QUIET}};
    view->folder = common_join(view->top, folder);
    CHECK(mkdir(view->folder, 0700) == 0);
    folder_write_text(view->folder, "tris.md5mesh", mesh);
    folder_write_text(view->folder, "tris.md5anim", anim);
    if (scale_text != NULL)
        folder_write_text(view->folder, "tris.md5scale", scale_text);
    folder_write_text(view->top, "tris.md2", "too short to be one");
    SCOPED_STRING path = common_join(view->folder, "tris.md5mesh");
    const char *const files[] = {path};
    view->is_open = view_load_scene(&view->scene, files, 1, NULL, true, &view->log);
}

static void close_view(quake_view *view)
{
    view_free_scene(&view->scene);
    folder_remove(view->top);
    free(view->folder);
}

TEST (view_quake_plays_ten_frames_a_second) {
    static const struct {
        const char *folder;
        double rate;
    } cases[] = {{"progs", 10}, {"md5", 10}, {"models", 24}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        quake_view view;
        open_view(&view, cases[i].folder, NULL);
        if (CHECK(view.is_open) && CHECK_UINT(view.scene.num_clips, 1)) {
            CHECK_NEAR(view.scene.clips[0].anim->frame_rate, cases[i].rate, 1e-12);
            CHECK_NEAR(view.scene.clips[0].anim->duration, 2.0 / cases[i].rate, 1e-12);
            CHECK(!view.scene.clips[0].scales);
        }
        // Neither an empty shader nor a truncated .md2 names a skin.
        folder_write_text(view.folder, "_00_00.png", "");
        const view_look_search search = {.model = view.scene.model,
                                         .package = view_open_package(view.scene.path, NULL)};
        view_look look = view_find_look(&search, view_log_listener(&view.log));
        CHECK(look.why == NULL || strstr(look.why, "the skin's index") == NULL);
        view_free_look(&look);
        view_close_package(search.package);
        close_view(&view);
    }
}

// At frame 1 the arm is half as far from the root, at z = 5, and vertices on it are half as far
// from the arm: at x = 2 and z = 6.
TEST (view_quake_scales_joints) {
    quake_view view;
    open_view(&view, "md5", scale);
    if (CHECK(view.is_open) && CHECK_UINT(view.scene.num_clips, 1)) {
        const md5_vec3 *const at = view.scene.skinned[0].positions;
        view_pose_at(&view.scene, &(md5_sample_position){.frame0 = 1, .frame1 = 1});
        view_skin(&view.scene);
        CHECK_NEAR(at[1].x, 2, 1e-5);
        CHECK_NEAR(at[1].z, 5, 1e-5);
        CHECK_NEAR(at[2].z, 6, 1e-5);
        view_pose_at(&view.scene, &(md5_sample_position){.frame0 = 2, .frame1 = 2});
        view_skin(&view.scene);
        CHECK_NEAR(at[2].z, 12, 1e-5);
    }
    close_view(&view);
}

TEST (view_quake_finds_scales_in_any_case) {
    quake_view view;
    open_view(&view, "md5", NULL);
    CHECK(view.is_open && view.scene.num_clips == 1 && !view.scene.clips[0].scales);
    view_free_scene(&view.scene);
    folder_write_text(view.folder, "run.md5anim", anim);
    folder_write_text(view.folder, "Tris.MD5Scale", scale);

    // The scales belong to the clip of the same name, both if the clip is found and if it is named.
    SCOPED_STRING model = common_join(view.folder, "tris.md5mesh");
    SCOPED_STRING clip = common_join(view.folder, "tris.md5anim");
    const char *const files[] = {model, clip};
    for (size_t num_files = 1; num_files <= COUNT_OF(files); num_files++) {
        if (!CHECK(view_load_scene(&view.scene, files, num_files, NULL, true, &view.log)))
            break;
        CHECK_UINT(view.scene.num_clips, 3 - num_files);
        for (size_t i = 0; i < view.scene.num_clips; i++) {
            const bool is_tris = strcmp(view.scene.clips[i].name, "tris") == 0;
            CHECK((view.scene.clips[i].scales != NULL) == is_tris);
        }
        view_free_scene(&view.scene);
    }
    close_view(&view);
}

TEST (view_quake_reports_a_scale_that_is_wrong) {
    quake_view view;
    open_view(&view, "md5", "{ \"arm\": \n x }");
    CHECK(view.is_open && view.scene.num_clips == 1);
    CHECK_UINT(view.log.num_warnings, 1);
    CHECK(strstr(view.log.warning, "tris.md5scale:2: expected an object, found 'x'"));
    close_view(&view);
}

// -- Quake skins ----------------------------------------------------------------------------------

// Images of models with the skins of the Quake re-releases: the selected skin, and skins of several
// images. The tests write the files.

static const char quake_skins_mesh[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n"
    "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh {\nshader \"progs/board\"\n"
    "numverts 4\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nvert 3 ( 1 1 ) 3 1\n"
    "numtris 2\ntri 0 0 1 2\ntri 1 2 1 3\nnumweights 4\nweight 0 0 1 ( 0 -9 18 )\n"
    "weight 1 0 1 ( 0 9 18 )\nweight 2 0 1 ( 0 -9 0 )\nweight 3 0 1 ( 0 9 0 )\n}\n";

typedef struct quake_folder {
    char *top, *model; // top/progs/tris.md5mesh, or top/md5/...
    char *below;
} quake_folder;

// Writes an image of 8 by 8 pixels in red, green or blue: 2, 1 or 0.
static void write_color_image(const char *folder, const char *name, int color)
{
    enum { HEAD = 18, SIDE = 8 };
    uint8_t file[HEAD + 3 * SIDE * SIDE] = {[2] = 2, [12] = SIDE, [14] = SIDE, [16] = 24};
    for (size_t i = HEAD + (size_t)color; i < sizeof file; i += 3)
        file[i] = 200;
    folder_write(folder, name, file, sizeof file);
}

static bool make_folder(quake_folder *folder, const char *name)
{
    folder->top = folder_make();
    folder->below = common_join(folder->top, name);
    folder->model = common_join(folder->below, "tris.md5mesh");
    if (!CHECK(mkdir(folder->below, 0700) == 0))
        return false;
    folder_write_text(folder->below, "tris.md5mesh", quake_skins_mesh);
    return true;
}

static void remove_folder(quake_folder *folder)
{
    folder_remove(folder->top);
    free(folder->below);
    free(folder->model);
}

// Returns the strongest color of the image: 'r', 'g' or 'b'.
static char strongest_color(shot_viewer *viewer, double time)
{
    viewer->state.play.time = time;
    SCOPED_PICTURE picture = shot_draw(viewer);
    double sums[3] = {0, 0, 0};
    for (size_t i = 0; i < (size_t)picture.width * picture.height; i++) {
        for (int k = 0; k < 3; k++)
            sums[k] += picture.rgba[4 * i + (size_t)k];
    }
    if (sums[0] > sums[1] && sums[0] > sums[2])
        return 'r';
    return sums[1] > sums[2] ? 'g' : 'b';
}

// Checks the colors at intervals of 0.1 s, starting at 0.05 s.
static void check_skin(gl_scene *scene, const quake_folder *folder, const char *skin,
                       const char *colors, uint32_t num_warnings)
{
    SCOPED_SHOT viewer;
    SCOPED_STRING line = common_format(
        "%s%s --no-background --samples 1 --two-sided --resolution 48,48", folder->model, skin);
    if (shot_open(&viewer, scene, line)) {
        char shown[16] = "";
        for (size_t i = 0; i < strlen(colors); i++)
            shown[i] = strongest_color(&viewer, 0.05 + 0.1 * (double)i);
        CHECK_STRING(shown, colors);
        CHECK_UINT(viewer.state.log.num_warnings, num_warnings);
    }
}

// Skin 0 has three images, which vkQuake shows in the order 0 1 2 0. Skin 1 has one image, and skin
// 2 has none.
TEST_SCENE (view_quake_shows_skins_and_their_images_in_turn) {
    quake_folder folder;
    if (make_folder(&folder, "progs")) {
        write_color_image(folder.below, "board_00_00.tga", 2);
        write_color_image(folder.below, "board_00_01.tga", 1);
        write_color_image(folder.below, "board_00_02.tga", 0);
        write_color_image(folder.below, "board_01_00.tga", 1);
        check_skin(scene, &folder, "", "rgbrrg", 0);
        check_skin(scene, &folder, " --skin 0", "rgbr", 0);
        check_skin(scene, &folder, " --skin 1", "ggg", 0);
        // Skin 2 does not exist, so the first skin is shown.
        check_skin(scene, &folder, " --skin 2", "rgbr", 1);
        folder_write(folder.below, "board_00_01.tga", "?", 1);
        check_skin(scene, &folder, "", "rrr", 1); // damaged, so the first image remains
    }
    remove_folder(&folder);
}

// The header of an .md2 with two skins, whose list is at byte 68.
TEST_SCENE (view_quake_2_shows_the_skins_of_the_md2) {
    enum { HEAD = 68, NAME = 64 };
    unsigned char file[HEAD + 2 * NAME] = {'I', 'D', 'P', '2', 8, [20] = 2, [44] = HEAD};
    quake_folder folder;
    if (make_folder(&folder, "md5")) {
        strcpy((char *)file + HEAD, "models/x/skin.pcx");
        strcpy((char *)file + HEAD + NAME, "models/x/pain.pcx");
        folder_write(folder.top, "tris.md2", file, sizeof file);
        write_color_image(folder.below, "skin.tga", 2);
        write_color_image(folder.below, "pain.tga", 0);
        check_skin(scene, &folder, "", "rr", 0);
        check_skin(scene, &folder, " --skin 1", "bb", 0);
        check_skin(scene, &folder, " --skin 2", "rr", 1);
    }
    remove_folder(&folder);
}

TEST_SCENE (view_other_models_have_no_numbered_skins) {
    quake_folder folder;
    if (make_folder(&folder, "models")) {
        write_color_image(folder.below, "board.tga", 1);
        check_skin(scene, &folder, " --skin 1", "gg", 1);
    }
    remove_folder(&folder);
}
