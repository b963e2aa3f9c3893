// Models of the Quake re-releases in the viewer: frame rate and scales of joints. The tests write
// the files.
#define _XOPEN_SOURCE 700 // mkdtemp(), nftw()

#include "demo/common/file.h"
#include "demo/viewer/assets/look.h"
#include "demo/viewer/motion/motion.h"
#include "test/test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void put_text(const char *folder, const char *name, const char *text)
{
    char *const path = common_join(folder, name);
    FILE *const file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        CHECK(fwrite(text, 1, strlen(text), file) == strlen(text));
        CHECK(fclose(file) == 0);
    }
    free(path);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

typedef struct quake_view {
    char *top, *folder;
    view_log log;
    view_scene scene;
    bool is_open;
} quake_view;

// Opens a model in a folder of that name, with an animation and, unless NULL, an .md5scale of that
// text.
static void open_view(quake_view *view, const char *folder, const char *scale_text)
{
    const char *const above = getenv("TMPDIR");
    *view = (quake_view){.log = {.level = VIEW_QUIET}};
    view->top = common_format("%s/md5view_quake_XXXXXX", above != NULL ? above : "/tmp");
    CHECK(mkdtemp(view->top) != NULL);
    view->folder = common_join(view->top, folder);
    CHECK(mkdir(view->folder, 0700) == 0);
    put_text(view->folder, "tris.md5mesh", mesh);
    put_text(view->folder, "tris.md5anim", anim);
    if (scale_text != NULL)
        put_text(view->folder, "tris.md5scale", scale_text);
    put_text(view->top, "tris.md2", "too short to be one");
    char *const path = common_join(view->folder, "tris.md5mesh");
    const char *const files[] = {path};
    view->is_open = view_load_scene(&view->scene, files, 1, true, &view->log);
    free(path);
}

static void close_view(quake_view *view)
{
    view_free_scene(&view->scene);
    CHECK(nftw(view->top, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
    free(view->folder);
    free(view->top);
}

TEST (view_quake_plays_ten_frames_a_second) {
    static const struct {
        const char *folder;
        double rate;
    } cases[] = {{"progs", 10.0}, {"md5", 10.0}, {"models", 24.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        quake_view view;
        open_view(&view, cases[i].folder, NULL);
        if (CHECK(view.is_open) && CHECK_UINT(view.scene.num_clips, 1)) {
            CHECK_NEAR(view.scene.clips[0].anim->frame_rate, cases[i].rate, 1e-12);
            CHECK_NEAR(view.scene.clips[0].anim->duration, 2.0 / cases[i].rate, 1e-12);
            CHECK(view.scene.clips[0].scales == NULL);
        }
        // Neither an empty shader nor an .md2 that is too short names a skin.
        put_text(view.folder, "_00_00.png", "");
        const view_look_search search = {.model_path = view.scene.path,
                                         .model = view.scene.model,
                                         .package = view_open_package(view.scene.path)};
        view_look look = view_find_look(&search, &view.log);
        CHECK(look.why == NULL || strstr(look.why, "the skin's number") == NULL);
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
        view_pose_moment(&view.scene, &(md5_moment){.frame0 = 1, .frame1 = 1});
        view_skin(&view.scene);
        CHECK_NEAR(at[1].x, 2.0, 1e-5);
        CHECK_NEAR(at[1].z, 5.0, 1e-5);
        CHECK_NEAR(at[2].z, 6.0, 1e-5);
        view_pose_moment(&view.scene, &(md5_moment){.frame0 = 2, .frame1 = 2});
        view_skin(&view.scene);
        CHECK_NEAR(at[2].z, 12.0, 1e-5);
    }
    close_view(&view);
}

TEST (view_quake_reports_a_scale_that_is_wrong) {
    quake_view view;
    open_view(&view, "md5", "{ \"arm\": \n x }");
    CHECK(view.is_open && view.scene.num_clips == 1);
    CHECK_UINT(view.log.num_warnings, 1);
    CHECK(strstr(view.log.last[0], "tris.md5scale:2: expected an object, found 'x'") != NULL);
    close_view(&view);
}
