// --hide: meshes by name, shader or number, as if they were clicked on in the panel.
#include "test/viewer/test_view_shot.h"

#include "demo/common/memory.h"
#include "demo/viewer/app/open.h"

#include <stdlib.h>

// Our model without its clips: mesh 0 is the body, mesh 1 the eyes.
#define MODEL "models/bobbin/bobbin.md5mesh --no-auto --no-background --samples 1"
#define SMALL MODEL " --resolution 160,120"

TEST_SCENE (view_option_hide_finds_meshes) {
    static const struct {
        const char *line;
        uint64_t hidden;
    } cases[] = {
        {MODEL, 0},
        {MODEL " --hide 1", 2},
        {MODEL " --hide=models/bobbin/bobbin", 1},
        {MODEL " --hide 0 --hide=models/bobbin/bobbin_eye", 3},
    };
    shot_viewer viewer;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (shot_open(&viewer, scene, cases[i].line))
            CHECK_UINT(viewer.state.hidden_meshes, cases[i].hidden);
        shot_close(&viewer);
    }
}

TEST_SCENE (view_option_hide_empties_the_picture) {
    shot all = shot_take(scene, SMALL " --grid=no");
    shot none = shot_take(scene, SMALL " --grid=no --no-shadow --hide 0 --hide 1");
    CHECK(shot_cover_of(&all).share > 0.02);
    CHECK(shot_cover_of(&none).share == 0.0);
    free(all.rgba);
    free(none.rgba);
}

// A misspelt name is an error, but only for files of the command line.
TEST_SCENE (view_option_hide_refuses_unknown_meshes) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MODEL)) {
        const char *const path = test_path("models/bobbin/bobbin.md5mesh");
        viewer.options.hidden = common_alloc(1, sizeof *viewer.options.hidden);
        viewer.options.hidden[viewer.options.num_hidden++] = "bobin";
        CHECK(view_open(&viewer.state, &path, 1, false));
        CHECK(!view_open(&viewer.state, &path, 1, true));
        CHECK(viewer.state.hidden_meshes == 0);
    }
    shot_close(&viewer);
}
