// Textures that the user chose for meshes: the list of them, its lines in the configuration file,
// and their use for a model.
#define _POSIX_C_SOURCE 200809L // mkstemp()
#include "test/render/test_gl_scene.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/viewer/base/config.h"
#include "demo/viewer/assets/textures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST (view_chosen_textures_are_found_replaced_and_forgotten) {
    view_chosen_list list = {.count = 0};
    view_choose_texture(&list, "/a/imp.md5mesh", 0, "/a/red.png");
    view_choose_texture(&list, "/a/imp.md5mesh", 1, "/a/blue.png");
    view_choose_texture(&list, "/b/imp.md5mesh", 0, "/b/green.png");
    CHECK_STRING(view_chosen_texture(&list, "/a/imp.md5mesh", 0), "/a/red.png");
    CHECK_STRING(view_chosen_texture(&list, "/a/imp.md5mesh", 1), "/a/blue.png");
    CHECK(view_chosen_texture(&list, "/a/imp.md5mesh", 2) == NULL);
    CHECK(view_chosen_texture(NULL, "/a/imp.md5mesh", 0) == NULL);
    view_choose_texture(&list, "/a/imp.md5mesh", 0, "/a/white.png");
    CHECK_STRING(view_chosen_texture(&list, "/a/imp.md5mesh", 0), "/a/white.png");
    CHECK(list.count == 3);
    view_choose_texture(&list, "/a/imp.md5mesh", 1, NULL);
    CHECK(view_chosen_texture(&list, "/a/imp.md5mesh", 1) == NULL);
    view_choose_texture(&list, "/a/imp.md5mesh", 1, NULL); // not in the list
    CHECK_STRING(view_chosen_texture(&list, "/b/imp.md5mesh", 0), "/b/green.png");
    view_free_chosen(&list);
}

TEST (view_chosen_textures_of_a_full_list_replace_the_oldest) {
    view_chosen_list list = {.count = 0};
    for (uint32_t i = 0; i <= VIEW_MAX_CHOSEN; i++)
        view_choose_texture(&list, "/imp.md5mesh", i, "/red.png");
    CHECK(list.count == VIEW_MAX_CHOSEN);
    CHECK(view_chosen_texture(&list, "/imp.md5mesh", 0) == NULL);
    CHECK_STRING(view_chosen_texture(&list, "/imp.md5mesh", 1), "/red.png");
    CHECK_STRING(view_chosen_texture(&list, "/imp.md5mesh", VIEW_MAX_CHOSEN), "/red.png");
    CHECK(!view_read_chosen(&list, "1 /a.png\t/b.md5mesh")); // full
    view_free_chosen(&list);
}

TEST (view_chosen_textures_with_invalid_lines_are_refused) {
    static const char *const lines[] = {
        "",
        "red.png",
        "1",
        "1 red.png",
        "1 \timp.md5mesh",
        "1\ta b",
        "-1 a\tb",
        " 1 a\tb",
        "x 1 a\tb",
        "1 red.png\t",
        "1x a\tb",
        "4294967296 a\tb",
        "99999999999999999999 a\tb",
    };
    view_chosen_list list = {.count = 0};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        test_check(!view_read_chosen(&list, lines[i]), __FILE__, __LINE__, "line %zu", i);
    CHECK(list.count == 0);
    view_free_chosen(&list);
}

TEST (view_chosen_textures_are_stored_in_the_configuration) {
    const char *const folder = getenv("TMPDIR");
    char *const path = common_format("%s/md5view_chosen_XXXXXX", folder != NULL ? folder : "/tmp");
    view_log log = {.level = VIEW_QUIET};
    view_config config = {.path = path}, read;
    const int file = mkstemp(path);
    CHECK(file >= 0);
    if (file >= 0)
        (void)close(file);
    view_choose_texture(&config.chosen, "/a b/imp.md5mesh", 3, "/a b/red 1.png");
    view_choose_texture(&config.chosen, "/imp.md5mesh", 0, "/two\nlines.png");
    view_choose_texture(&config.chosen, "/imp.md5mesh", 1, "/with\ttab.png");
    view_choose_texture(&config.chosen, "/imp.md5mesh", 2, "/blue.png");
    CHECK(view_write_config(&config, &log));
    view_read_config(&read, path, &log);
    CHECK(log.num_warnings == 0);
    CHECK(read.chosen.count == 2); // a line cannot hold a newline or a tab in a path
    CHECK_STRING(view_chosen_texture(&read.chosen, "/a b/imp.md5mesh", 3), "/a b/red 1.png");
    CHECK_STRING(view_chosen_texture(&read.chosen, "/imp.md5mesh", 2), "/blue.png");
    CHECK(read.chosen.rows[0].mesh == 2); // the latest is first, as before
    view_free_config(&read);
    (void)remove(path);
    view_free_config(&config);
}

// Bobbin with the eyes' texture on his skin, and a file that does not exist for his eyes.
TEST_SCENE (view_chosen_textures_are_used_unless_they_cannot_be_read) {
    char *const model_path = common_copy(test_path("models/bobbin/bobbin.md5mesh"));
    md5_model *const model = md5_load_model(model_path, NULL, NULL);
    char *const eye = common_copy(test_path("models/bobbin/bobbin_eye.png"));
    view_chosen_list list = {.count = 0};
    view_textures textures;
    view_log log = {.level = VIEW_QUIET};
    view_choose_texture(&list, model_path, 0, eye);
    view_choose_texture(&list, model_path, 1, "/nowhere/at/all.png");
    if (CHECK(view_load_textures(
            &textures, &(view_loader){.renderer = scene->renderer, .log = &log, .chosen = &list},
            &(view_dressing){.model = model, .path = model_path}))) {
        char *const chosen = common_absolute(eye);
        CHECK_STRING(view_mesh_map_path(&textures, 0, VIEW_MAP_DIFFUSE), chosen);
        CHECK(view_mesh_look(&textures, 0)->is_chosen);
        CHECK(strstr(view_mesh_map_path(&textures, 1, VIEW_MAP_DIFFUSE), "bobbin_eye.png") != NULL);
        CHECK(!view_mesh_look(&textures, 1)->is_chosen);
        CHECK(log.num_warnings == 1 && strstr(log.last[0], "/nowhere/at/all.png") != NULL);
        free(chosen);
    }
    view_free_textures(&textures, scene->renderer);
    view_free_chosen(&list);
    free(eye);
    free(model_path);
    md5_free_model(model);
}
