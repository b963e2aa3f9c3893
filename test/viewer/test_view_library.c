// The contents of a game folder by names; addresses; and entities as models.
#define _XOPEN_SOURCE 700 // mkdtemp()

#include "demo/common/file.h"
#include "demo/viewer/motion/scene.h"
#include "demo/viewer/assets/library.h"
#include "test/viewer/test_view_wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const base = "models/game/base";

static bool has_name(const view_library *library, view_section section, const char *name)
{
    for (size_t i = 0; i < library->num_names[section]; i++)
        if (strcmp(library->names[section][i], name) == 0)
            return true;
    return false;
}

// -- Contents -----------------------------------------------------------------------------------

TEST (library_lists_what_a_game_folder_holds) {
    md5_error error;
    view_library *const library =
        view_open_library(test_path("models/game/base///"), NULL, NULL, &error);
    if (!CHECK(library != NULL))
        return;
    CHECK(strcmp(library->place, test_path(base)) == 0);
    // As in models/game/README.md; heads and lanterns have models, too.
    CHECK(has_name(library, VIEW_ENTITIES, "monster_bobbin"));
    CHECK(has_name(library, VIEW_ENTITIES, "monster_thimble_hurried"));
    CHECK(has_name(library, VIEW_MODELS, "monster_thimble"));
    CHECK(has_name(library, VIEW_MODELS, "models/md5/bobbin/body.md5mesh"));
    CHECK(library->num_names[VIEW_SKINS] == 4);
    CHECK(library->num_names[VIEW_ANIMS] > 10);
    for (size_t i = 0; i < library->num_names[VIEW_ANIMS]; i++)
        CHECK(common_has_ending(library->names[VIEW_ANIMS][i], ".md5anim"));
    view_drop_library(library);
}

TEST (library_of_a_plain_folder_lists_its_files) {
    md5_error error;
    view_library *const library = view_open_library(test_path("models/bobbin"), NULL, NULL, &error);
    if (!CHECK(library != NULL))
        return;
    CHECK(has_name(library, VIEW_MODELS, "bobbin.md5mesh"));
    CHECK(has_name(library, VIEW_ANIMS, "walk.md5anim"));
    CHECK(library->num_names[VIEW_ENTITIES] == 0 && library->num_names[VIEW_SKINS] == 0);
    view_drop_library(library);
}

TEST (library_of_an_archive_lists_its_files) {
    md5_error error;
    view_library *const library =
        view_open_library(test_path("models/game/base/pak000.pk4"), NULL, NULL, &error);
    if (library == NULL) { // built without libzip
        CHECK(strstr(error.message, "zip") != NULL);
        return;
    }
    CHECK(has_name(library, VIEW_MODELS, "models/md5/bobbin/body.md5mesh"));
    CHECK(library->num_names[VIEW_ENTITIES] == 0);
    view_drop_library(library);
}

// Each entity inherits from the one before it: all together they have 720 thousand keys.
TEST (long_line_of_ancestors_is_listed_in_linear_memory) {
    enum { COUNT = 1200 };
    md5_error error;
    const char *const above = getenv("TMPDIR");
    char *const folder = common_join(above ? above : "/tmp", "md5library-XXXXXX");
    if (!CHECK(mkdtemp(folder) != NULL)) {
        free(folder);
        return;
    }
    char *const def = common_join(folder, "def"), *const path = common_join(def, "a.def");
    CHECK(mkdir(def, 0700) == 0);
    FILE *const file = fopen(path, "wb");
    for (int i = 0; i < COUNT && file != NULL; i++)
        fprintf(file, "entityDef e%d { \"inherit\" \"e%d\" \"key%d\" \"\" }\n", i, i - 1, i);
    if (CHECK(file != NULL))
        CHECK(fclose(file) == 0);
    view_library *const library = view_open_library(folder, NULL, NULL, &error);
    if (CHECK(library != NULL)) {
        // None has a model; those beyond the limit are listed without being evaluated.
        CHECK(library->num_names[VIEW_ENTITIES] > 100);
        CHECK(library->num_names[VIEW_ENTITIES] < 400);
    }
    view_drop_library(library);
    CHECK(remove(path) == 0 && rmdir(def) == 0 && rmdir(folder) == 0);
    free(path);
    free(def);
    free(folder);
}

TEST (library_that_is_none_says_why) {
    md5_error error;
    CHECK(view_open_library(test_path("models/game/nowhere"), NULL, NULL, &error) == NULL);
    CHECK(error.status == MD5_ERROR_IO && error.message[0] != '\0');
    CHECK(strcmp(error.file, test_path("models/game/nowhere")) == 0);
    CHECK(view_open_library(test_path("models/bobbin/bobbin.md5mesh"), NULL, NULL, &error) == NULL);
    CHECK(error.status == MD5_ERROR_IO && error.message[0] != '\0');
}

static bool stop(void *user, size_t num_files)
{
    (void)num_files;
    ++*(int *)user;
    return false;
}

TEST (opening_a_library_can_be_stopped) {
    md5_error error;
    int num_calls = 0;
    CHECK(view_open_library(test_path(base), stop, &num_calls, &error) == NULL);
    CHECK(num_calls >= 1 && strcmp(error.message, "stopped") == 0);
}

// -- In the background --------------------------------------------------------------------------

TEST (scan_opens_a_library_on_a_thread) {
    md5_error error;
    size_t num_files = 0;
    view_scan *const scan = view_begin_scan(test_path(base));
    CHECK(strcmp(view_scanned_place(scan), test_path(base)) == 0);
    WAIT_UNTIL(view_has_scanned(scan, &num_files));
    CHECK(num_files > 0);
    view_library *const library = view_end_scan(scan, &error);
    if (CHECK(library != NULL))
        CHECK(has_name(library, VIEW_ENTITIES, "monster_bobbin"));
    view_drop_library(library);
}

TEST (scan_can_be_stopped_and_fails_with_an_error) {
    md5_error error;
    view_stop_scan(NULL);
    view_stop_scan(view_begin_scan(test_path("models")));
    CHECK(view_end_scan(view_begin_scan(test_path("models/nowhere")), &error) == NULL);
    CHECK(error.status == MD5_ERROR_IO);
}

// -- Names --------------------------------------------------------------------------------------

TEST (addresses_have_a_place_a_name_and_perhaps_a_skin) {
    view_address address;
    CHECK(!view_is_address("models/bobbin/bobbin.md5mesh"));
    CHECK(!view_read_address("models:x", &address) && address.place == NULL);
    char *text = view_make_address("a/b.pk4", "models/x.md5mesh", NULL);
    CHECK(strcmp(text, "a/b.pk4::models/x.md5mesh") == 0 && view_is_address(text));
    if (CHECK(view_read_address(text, &address)))
        CHECK(strcmp(address.place, "a/b.pk4") == 0 && strcmp(address.name, "models/x.md5mesh") == 0
              && address.skin == NULL);
    view_free_address(&address);
    free(text);
    text = view_make_address("base", "imp", "skins/ash");
    if (CHECK(view_read_address(text, &address)))
        CHECK(strcmp(address.name, "imp") == 0 && strcmp(address.skin, "skins/ash") == 0);
    view_free_address(&address);
    free(text);
}

TEST (similar_names_are_those_with_few_mistakes) {
    md5_error error;
    char text[200], tiny[4];
    view_library *const library = view_open_library(test_path(base), NULL, NULL, &error);
    if (!CHECK(library != NULL))
        return;
    view_list_similar(library, "bobin_wachman", text, sizeof text);
    CHECK(strcmp(text, "monster_bobbin_watchman") == 0);
    view_list_similar(library, "THIMBEL", text, sizeof text);
    CHECK(strstr(text, "monster_thimble") != NULL);
    int num_commas = 0;
    for (const char *c = text; *c != '\0'; c++)
        num_commas += *c == ',';
    CHECK(num_commas <= 2);
    view_list_similar(library, "monster_bobbin", tiny, sizeof tiny);
    CHECK(strcmp(tiny, "mon") == 0);
    view_list_similar(library, "zebra", text, sizeof text);
    CHECK(text[0] == '\0');
    view_list_similar(library, "m", text, sizeof text); // every name contains it
    CHECK(text[0] == '\0');
    view_drop_library(library);
}

// -- Scenes -------------------------------------------------------------------------------------

TEST (entity_is_one_model_with_its_head_and_lantern) {
    view_log log = {.level = VIEW_QUIET};
    view_scene scene;
    if (!CHECK(view_load_game_scene(&scene, NULL,
                                    test_path("models/game/base::monster_bobbin_watchman"), &log)))
        return;
    CHECK(strcmp(scene.name, "monster_bobbin_watchman") == 0 && scene.picked_up);
    const view_entity *const of = &scene.entity;
    if (CHECK(of->num_parts == 3 && scene.model != NULL)) {
        uint32_t num_joints = 0, num_meshes = 0;
        for (uint32_t i = 0; i < of->num_parts; i++) {
            const md5_model *const model = of->parts[i].entity->model;
            CHECK(of->parts[i].first_joint == num_joints);
            num_joints += model->skeleton.num_joints;
            num_meshes += model->num_meshes;
        }
        CHECK(scene.num_joints == num_joints && scene.model->num_meshes == num_meshes);
        // The root of the head hangs at the joint of the body that the entity names.
        const view_entity_part *const head = &of->parts[1];
        CHECK(scene.skeleton->joints[head->first_joint].parent == (int32_t)head->hung->joint);
        CHECK(strncmp(scene.skeleton->joints[head->first_joint].name, "1:", 2) == 0);
        // A head is above the feet: the whole is as high as Bobbin, whose height is near 60.
        CHECK(scene.model->bounds.max.z > 45.0f && scene.model->bounds.max.z < 75.0f);
    }
    CHECK(scene.num_clips == of->entity->num_clips && scene.num_clips > 5);
    CHECK(common_contains(scene.clips[scene.clip].name, "idle"));
    view_free_scene(&scene);
}

TEST (entity_in_another_skin_has_its_materials) {
    view_log log = {.level = VIEW_QUIET};
    view_scene plain, ghost;
    if (!CHECK(view_load_game_scene(&plain, NULL, test_path("models/game/base::monster_bobbin"),
                                    &log)))
        return;
    const char *const skin = plain.library->names[VIEW_SKINS][2];
    char *const address = view_make_address(test_path(base), "monster_bobbin", skin);
    if (CHECK(view_load_game_scene(&ghost, plain.library, address, &log))) {
        CHECK(ghost.library == plain.library && ghost.library->num_users == 2);
        uint32_t num_changed = 0;
        for (uint32_t i = 0; i < plain.model->num_meshes; i++)
            num_changed +=
                strcmp(plain.model->meshes[i].shader, ghost.model->meshes[i].shader) != 0;
        CHECK(num_changed > 0);
        view_free_scene(&ghost);
    }
    free(address);
    view_free_scene(&plain);
}

TEST (files_of_a_game_are_scenes_too) {
    view_log log = {.level = VIEW_QUIET};
    view_scene scene;
    if (CHECK(
            view_load_game_scene(&scene, NULL, test_path("models/bobbin::bobbin.md5mesh"), &log))) {
        CHECK(strcmp(scene.name, "bobbin") == 0 && scene.num_clips == 0);
        CHECK(view_add_game_clip(&scene, "walk.md5anim", &log) && scene.num_clips == 1);
        CHECK(strcmp(scene.clips[0].path, test_path("models/bobbin::walk.md5anim")) == 0);
        CHECK(!view_add_game_clip(&scene, "nothing.md5anim", &log) && scene.num_clips == 1);
        view_free_scene(&scene);
    }
    if (CHECK(view_load_game_scene(&scene, NULL, test_path("models/bobbin::walk.md5anim"), &log))) {
        CHECK(scene.model == NULL && scene.num_clips == 1 && scene.num_joints > 0);
        view_free_scene(&scene);
    }
}

TEST (what_is_not_in_a_game_is_an_error_with_similar_names) {
    view_log log = {.level = VIEW_QUIET};
    view_scene scene;
    CHECK(!view_load_game_scene(&scene, NULL, test_path("models/game/base::monster_bobin"), &log));
    CHECK(strstr(log.error, "monster_bobin") && strstr(log.error, "similar: monster_bobbin"));
    CHECK(!view_load_game_scene(&scene, NULL, test_path("models/game/nowhere::x"), &log));
    CHECK(strstr(log.error, "nowhere") != NULL);
    CHECK(!view_load_game_scene(&scene, NULL, test_path("models/bobbin"), &log));
    CHECK(strstr(log.error, "FOLDER::NAME") != NULL);
    CHECK(!view_load_game_scene(&scene, NULL, test_path("models/bobbin::none.md5anim"), &log));
    CHECK(scene.model == NULL && scene.library == NULL);
}
