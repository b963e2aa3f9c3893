// Libraries of game folders: lists of names, paths, entities as models, and previews.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include <sys/stat.h>

static const char *const base = "models/game/base";

static bool has_name(const view_library *library, view_section section, const char *name)
{
    for (size_t i = 0; i < library->num_names[section]; i++) {
        if (strcmp(library->names[section][i], name) == 0)
            return true;
    }
    return false;
}

// -- Contents -----------------------------------------------------------------------------------

TEST (library_lists_the_contents_of_a_game_folder) {
    md5_error error = {0};
    view_library *const library =
        view_open_library(test_path("models/game/base///"), NULL, NULL, &error);
    REQUIRE(library);
    CHECK(strcmp(library->location, test_path(base)) == 0);
    // The names are listed in models/game/README.md. Heads and lanterns have models, too.
    CHECK(has_name(library, VIEW_ENTITIES, "monster_bobbin"));
    CHECK(has_name(library, VIEW_ENTITIES, "monster_thimble_hurried"));
    CHECK(has_name(library, VIEW_MODELS, "monster_thimble"));
    CHECK(has_name(library, VIEW_MODELS, "models/md5/bobbin/body.md5mesh"));
    CHECK(library->num_names[VIEW_SKINS] == 4);
    CHECK(library->num_names[VIEW_ANIMS] > 10);
    for (size_t i = 0; i < library->num_names[VIEW_ANIMS]; i++)
        CHECK(common_has_suffix(library->names[VIEW_ANIMS][i], ".md5anim"));
    view_drop_library(library);
}

TEST (library_of_a_plain_folder_lists_its_files) {
    md5_error error = {0};
    view_library *const library = view_open_library(test_path("models/bobbin"), NULL, NULL, &error);
    REQUIRE(library);
    CHECK(has_name(library, VIEW_MODELS, "bobbin.md5mesh"));
    CHECK(has_name(library, VIEW_ANIMS, "walk.md5anim"));
    CHECK(library->num_names[VIEW_ENTITIES] == 0 && library->num_names[VIEW_SKINS] == 0);
    view_drop_library(library);
}

TEST (library_of_an_archive_lists_its_files) {
    md5_error error = {0};
    view_library *const library =
        view_open_library(test_path("models/game/base/pak000.pk4"), NULL, NULL, &error);
    if (library == NULL) { // built without libzip
        CHECK(strstr(error.message, "zip"));
        return;
    }
    CHECK(has_name(library, VIEW_MODELS, "models/md5/bobbin/body.md5mesh"));
    CHECK(library->num_names[VIEW_ENTITIES] == 0);
    view_drop_library(library);
}

// Each entity inherits from its predecessor: together they have 720 thousand keys.
TEST (deep_inheritance_is_listed_in_linear_memory) {
    enum { COUNT = 1200 };
    md5_error error = {0};
    char *const folder = folder_make();
    char *const def = common_join(folder, "def");
    char *const path = common_join(def, "a.def");
    CHECK(mkdir(def, 0700) == 0);
    FILE *const file = fopen(path, "wb");
    if (file != NULL) {
        for (int i = 0; i < COUNT; i++)
            fprintf(file, "entityDef e%d { \"inherit\" \"e%d\" \"key%d\" \"\" }\n", i, i - 1, i);
    }
    if (CHECK(file))
        CHECK(fclose(file) == 0);
    view_library *const library = view_open_library(folder, NULL, NULL, &error);
    if (CHECK(library)) {
        // No entity has a model. Entities above the limit are listed without being evaluated.
        CHECK(library->num_names[VIEW_ENTITIES] > 100);
        CHECK(library->num_names[VIEW_ENTITIES] < 400);
    }
    view_drop_library(library);
    folder_remove(folder);
    free(path);
    free(def);
}

TEST (library_that_cannot_be_opened_reports_the_reason) {
    md5_error error = {0};
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
    md5_error error = {0};
    int num_calls = 0;
    CHECK(view_open_library(test_path(base), stop, &num_calls, &error) == NULL);
    CHECK(num_calls >= 1 && strcmp(error.message, "stopped") == 0);
}

// -- Threads ------------------------------------------------------------------------------------

TEST (scan_opens_a_library_on_a_thread) {
    md5_error error = {0};
    size_t num_files = 0;
    view_scan *const scan = view_begin_scan(test_path(base));
    CHECK(strcmp(scan->location, test_path(base)) == 0);
    for (int i = 0; !view_is_scan_done(scan, &num_files) && CHECK(i < MAX_WAITS); i++)
        view_sleep(0.001);
    CHECK(num_files > 0);
    view_library *const library = view_end_scan(scan, &error);
    if (CHECK(library))
        CHECK(has_name(library, VIEW_ENTITIES, "monster_bobbin"));
    view_drop_library(library);
}

TEST (scan_can_be_stopped_and_fails_with_an_error) {
    md5_error error = {0};
    view_stop_scan(NULL);
    view_stop_scan(view_begin_scan(test_path("models")));
    CHECK_FAILS(view_end_scan(view_begin_scan(test_path("models/nowhere")), &error), error,
                MD5_ERROR_IO);
}

// -- Names --------------------------------------------------------------------------------------

TEST (addresses_consist_of_folder_name_and_optional_skin) {
    view_address address;
    CHECK(!view_read_address("models/bobbin/bobbin.md5mesh", &address));
    CHECK(!view_read_address("models:x", &address) && address.location == NULL);
    char *text = view_make_address("a/b.pk4", "models/x.md5mesh", NULL);
    CHECK_STRING(text, "a/b.pk4::models/x.md5mesh");
    if (CHECK(view_read_address(text, &address)))
        CHECK(strcmp(address.location, "a/b.pk4") == 0
              && strcmp(address.name, "models/x.md5mesh") == 0 && address.skin == NULL);
    view_free_address(&address);
    free(text);
    text = view_make_address("base", "imp", "skins/ash");
    if (CHECK(view_read_address(text, &address)))
        CHECK(strcmp(address.name, "imp") == 0 && strcmp(address.skin, "skins/ash") == 0);
    view_free_address(&address);
    free(text);
}

TEST (similar_names_have_few_typing_errors) {
    md5_error error = {0};
    char text[200], tiny[4];
    view_library *const library = view_open_library(test_path(base), NULL, NULL, &error);
    REQUIRE(library);
    view_list_similar(library, "bobin_wachman", text, sizeof text);
    CHECK_STRING(text, "monster_bobbin_watchman");
    view_list_similar(library, "THIMBEL", text, sizeof text);
    CHECK(strstr(text, "monster_thimble"));
    int num_commas = 0;
    for (const char *c = text; *c != '\0'; c++)
        num_commas += *c == ',';
    CHECK(num_commas <= 2);
    view_list_similar(library, "monster_bobbin", tiny, sizeof tiny);
    CHECK_STRING(tiny, "mon");
    view_list_similar(library, "zebra", text, sizeof text);
    CHECK(text[0] == '\0');
    view_list_similar(library, "m", text, sizeof text); // every name contains it
    CHECK(text[0] == '\0');
    view_drop_library(library);
}

// -- Scenes -------------------------------------------------------------------------------------

TEST (entity_is_one_model_with_its_head_and_lantern) {
    view_log log = quiet_log;
    view_scene scene;
    REQUIRE(view_load_game_scene(&scene, NULL,
                                 test_path("models/game/base::monster_bobbin_watchman"), &log));
    CHECK(strcmp(scene.name, "monster_bobbin_watchman") == 0 && scene.has_found_clips);
    const view_entity *const fixture = &scene.entity;
    if (CHECK(fixture->num_parts == 3 && scene.model != NULL)) {
        uint32_t num_joints = 0;
        uint32_t num_meshes = 0;
        for (uint32_t i = 0; i < fixture->num_parts; i++) {
            view_entity_part *const part = &fixture->parts[i];
            const md5_model *const model = part->entity->model;
            CHECK(part->first_joint == num_joints);
            num_joints += model->skeleton.num_joints;
            num_meshes += model->num_meshes;
        }
        CHECK(scene.num_joints == num_joints && scene.model->num_meshes == num_meshes);
        // The parent of the head's root is the body joint that the entity names.
        const view_entity_part *const head = &fixture->parts[1];
        CHECK(scene.skeleton->joints[head->first_joint].parent == head->attached->joint);
        CHECK(strncmp(scene.skeleton->joints[head->first_joint].name, "1:", 2) == 0);
        // The head is above the feet: body and head together are as high as Bobbin, whose height is
        // near 60.
        CHECK(scene.model->bounds.max.z > 45.0f && scene.model->bounds.max.z < 75.0f);
    }
    CHECK(scene.num_clips == fixture->entity->num_clips && scene.num_clips > 5);
    CHECK(common_contains(scene.clips[scene.clip].name, "idle"));
    view_free_scene(&scene);
}

TEST (entity_in_another_skin_has_its_materials) {
    view_log log = quiet_log;
    view_scene plain, ghost;
    REQUIRE(
        view_load_game_scene(&plain, NULL, test_path("models/game/base::monster_bobbin"), &log));
    const char *const skin = plain.library->names[VIEW_SKINS][2];
    SCOPED_STRING address = view_make_address(test_path(base), "monster_bobbin", skin);
    if (CHECK(view_load_game_scene(&ghost, plain.library, address, &log))) {
        CHECK(ghost.library == plain.library && ghost.library->num_users == 2);
        uint32_t num_changed = 0;
        for (uint32_t i = 0; i < plain.model->num_meshes; i++)
            num_changed +=
                strcmp(plain.model->meshes[i].shader, ghost.model->meshes[i].shader) != 0;
        CHECK(num_changed > 0);
        view_free_scene(&ghost);
    }
    view_free_scene(&plain);
}

TEST (files_of_a_game_can_be_opened_as_scenes) {
    view_log log = quiet_log;
    view_scene scene;
    if (CHECK(
            view_load_game_scene(&scene, NULL, test_path("models/bobbin::bobbin.md5mesh"), &log))) {
        CHECK(strcmp(scene.name, "bobbin") == 0 && scene.num_clips == 0);
        CHECK(view_add_clip(&scene, "walk.md5anim", &log) && scene.num_clips == 1);
        CHECK(strcmp(scene.clips[0].path, test_path("models/bobbin::walk.md5anim")) == 0);
        CHECK(!view_add_clip(&scene, "nothing.md5anim", &log) && scene.num_clips == 1);
        view_free_scene(&scene);
    }
    REQUIRE(view_load_game_scene(&scene, NULL, test_path("models/bobbin::walk.md5anim"), &log));
    CHECK(scene.model == NULL && scene.num_clips == 1 && scene.num_joints > 0);
    view_free_scene(&scene);
}

TEST (unknown_names_in_a_game_are_errors_with_similar_names) {
    view_log log = quiet_log;
    view_scene scene;
    CHECK(!view_load_game_scene(&scene, NULL, test_path("models/game/base::monster_bobin"), &log));
    CHECK(strstr(log.error, "monster_bobin") && strstr(log.error, "similar: monster_bobbin"));
    CHECK(!view_load_game_scene(&scene, NULL, test_path("models/game/nowhere::x"), &log));
    CHECK(strstr(log.error, "nowhere"));
    CHECK(!view_load_game_scene(&scene, NULL, test_path("models/bobbin"), &log));
    CHECK(strstr(log.error, "FOLDER::NAME"));
    CHECK(!view_load_game_scene(&scene, NULL, test_path("models/bobbin::none.md5anim"), &log));
    CHECK(scene.model == NULL && scene.library == NULL);
}

// -- Previews -------------------------------------------------------------------------------------

// Defines a test with a screen `s`, whose renderer draws previews.
#define TEST_PREVIEW(title) TEST_SCREEN (title, screen_begin(s, 64, 64))

static view_preview_drawer preview_drawer(screen *s)
{
    return (view_preview_drawer){view_draw_preview, &s->viewer};
}

// -- Previews of clips and skins ----------------------------------------------------------------

static const char *const body = "models/md5/bobbin/body.md5mesh";

static view_image draw_preview(screen *s, view_library *library, view_section section,
                               const char *name, const char *on)
{
    SCOPED_STRING request = view_preview_request(section, name, on);
    const view_preview_drawer drawer = preview_drawer(s);
    const view_preview preview = view_make_preview(library, request, &drawer);
    return preview.image;
}

// Returns the number of pixels that differ between two images.
static uint32_t count_different(view_image a, view_image b)
{
    uint32_t count = 0;
    if (a.rgba != NULL && b.rgba != NULL) {
        for (size_t i = 0; i < (size_t)a.width * a.height; i++)
            count += memcmp(&a.rgba[4 * i], &b.rgba[4 * i], 4) != 0;
    }
    return count;
}

// A material is declared but its image is missing; then a model is missing.
TEST_PREVIEW(view_preview_counts_files_that_are_missing)
{
    const view_preview_drawer drawer = preview_drawer(s);
    md5_error error = {0};
    size_t size;
    SCOPED_FOLDER folder = folder_make();
    SCOPED_STRING materials = common_join(folder, "materials");
    SCOPED_STRING mesh = test_read_file(test_path("test/reference/data/still.md5mesh"), &size);
    CHECK(mkdir(materials, 0700) == 0);
    folder_write_text(materials, "a.mtr", "still { diffusemap textures/not_there.tga }\n");
    folder_write(folder, "still.md5mesh", mesh, size);
    view_library *const library = view_open_library(folder, NULL, NULL, &error);
    if (CHECK(library)) {
        const view_preview preview = view_make_preview(library, "still.md5mesh", &drawer);
        CHECK(preview.image.rgba);
        CHECK_UINT(preview.num_missing, 1);
        free(preview.image.rgba);
        CHECK_UINT(view_make_preview(library, "nobody", &drawer).num_missing, 1);
    }
    view_drop_library(library);
}

TEST_PREVIEW(view_preview_of_a_clip_is_its_middle_on_a_model)
{
    md5_error error = {0};
    view_library *const library =
        view_open_library(test_path("models/game/base"), NULL, NULL, &error);
    REQUIRE(library);
    const char *const walk = "models/md5/bobbin/walk.md5anim";
    const view_image still = draw_preview(s, library, VIEW_MODELS, body, NULL);
    const view_image beside = draw_preview(s, library, VIEW_ANIMS, walk, NULL);
    const view_image shown = draw_preview(s, library, VIEW_ANIMS, walk, body);
    const view_image another =
        draw_preview(s, library, VIEW_ANIMS, walk, "monster_thimble"); // the clip does not fit
    CHECK(beside.rgba != NULL && count_different(still, beside) > 300);
    CHECK(shown.rgba != NULL && count_different(shown, beside) == 0);
    CHECK(another.rgba != NULL && count_different(another, beside) == 0);
    CHECK(draw_preview(s, library, VIEW_ANIMS, "models/md5/nothing.md5anim", NULL).rgba == NULL);
    const view_image head =
        draw_preview(s, library, VIEW_ANIMS, "models/md5/bobbin/head_idle.md5anim", NULL);
    // The clip of the head is drawn on the head, so the image differs from the image of the body.
    CHECK(head.rgba != NULL && count_different(head, beside) > 3000);
    free(head.rgba);
    free(still.rgba);
    free(beside.rgba);
    free(shown.rgba);
    free(another.rgba);
    view_drop_library(library);
}

TEST_PREVIEW(view_preview_of_a_clip_without_a_model_has_its_joints)
{
    md5_error error = {0};
    view_library *const library =
        view_open_library(test_path("models/game/base/pak000.pk4"), NULL, NULL, &error);
    if (library == NULL) // built without libzip
        return;
    library->num_names[VIEW_MODELS] = 0;
    const view_image image =
        draw_preview(s, library, VIEW_ANIMS, "models/md5/thimble/trot.md5anim", NULL);
    uint32_t num_visible = 0;
    if (image.rgba != NULL) {
        for (size_t i = 0; i < (size_t)image.width * image.height; i++)
            num_visible += image.rgba[4 * i + 3] > 128;
    }
    CHECK(num_visible > 100 && num_visible < 6000);
    free(image.rgba);
    view_drop_library(library);
}

// models/game/base/skins/characters.skin: moss has a model; ember only has entries apart from the
// body; ghost replaces all materials of any model; alarm belongs to Thimble.
TEST_PREVIEW(view_preview_of_a_skin_is_on_a_model_that_it_changes)
{
    md5_error error = {0};
    view_library *const library =
        view_open_library(test_path("models/game/base"), NULL, NULL, &error);
    REQUIRE(library);
    const view_image plain = draw_preview(s, library, VIEW_MODELS, body, NULL);
    const view_image moss = draw_preview(s, library, VIEW_SKINS, "skins/bobbin/moss", NULL);
    const view_image ember =
        draw_preview(s, library, VIEW_SKINS, "skins/bobbin/ember", "monster_thimble");
    const view_image alarm = draw_preview(s, library, VIEW_SKINS, "skins/thimble/alarm", body);
    const view_image ghost = draw_preview(s, library, VIEW_SKINS, "skins/bobbin/ghost", body);
    CHECK(moss.rgba != NULL && count_different(moss, plain) > 1000);
    CHECK(ember.rgba != NULL && count_different(ember, moss) > 1000);
    CHECK(alarm.rgba != NULL && count_different(alarm, plain) > 3000);
    CHECK(ghost.rgba != NULL && count_different(ghost, plain) > 1000); // translucent, but visible
    // Neither a skin without a model nor an unknown skin has a preview.
    CHECK(draw_preview(s, library, VIEW_SKINS, "skins/bobbin/ghost", NULL).rgba == NULL);
    CHECK(draw_preview(s, library, VIEW_SKINS, "nothing", body).rgba == NULL);
    SCOPED_STRING bobbin = view_model_for_skin(library, "skins/bobbin/moss");
    SCOPED_STRING thimble = view_model_for_skin(library, "skins/thimble/alarm");
    CHECK_STRING(bobbin, body);
    CHECK(thimble != NULL && strstr(thimble, "thimble") != NULL);
    CHECK(view_model_for_skin(library, "skins/bobbin/ghost") == NULL);
    CHECK(view_model_for_skin(library, "nothing") == NULL);
    free(plain.rgba);
    free(moss.rgba);
    free(ember.rgba);
    free(alarm.rgba);
    free(ghost.rgba);
    view_drop_library(library);
}

// -- Previews on a thread -----------------------------------------------------------------------

// Waits until an image is ready. Returns NULL if it fails.
static const view_image *wait_for_preview(screen *s, view_previews *previews, const char *name)
{
    const view_preview_drawer drawer = preview_drawer(s);
    const char *const names[1] = {name};
    const view_preview *preview = NULL;
    for (int i = 0;
         !(view_update_previews(previews, names, 1, &drawer, &preview) && preview != NULL)
         && CHECK(i < MAX_WAITS);
         i++)
        view_sleep(0.001);
    return preview != NULL && preview->image.rgba != NULL ? &preview->image : NULL;
}

TEST_PREVIEW(view_previews_are_made_of_entities_and_models)
{
    view_previews *const previews = view_begin_previews(test_path("models/game/base"), NULL);
    CHECK(!view_update_previews(previews, NULL, 0, NULL, NULL));
    const view_image *const bobbin = wait_for_preview(s, previews, "monster_bobbin");
    if (CHECK(bobbin != NULL && bobbin->width == VIEW_PREVIEW_SIZE)) {
        uint32_t num_visible = 0;
        uint32_t num_colored = 0;
        for (uint32_t i = 0; i < bobbin->width * bobbin->height; i++) {
            const uint8_t *const rgba = &bobbin->rgba[4 * (size_t)i];
            num_visible += rgba[3] > 128;
            num_colored += rgba[3] > 128 && (rgba[2] > rgba[0] + 20 || rgba[0] > rgba[2] + 20);
        }
        const double visible_fraction = num_visible / (double)(bobbin->width * bobbin->height);
        CHECK(visible_fraction > 0.15 && visible_fraction < 0.8);
        CHECK(num_colored > num_visible / 3); // Bobbin is turquoise and orange
    }
    CHECK(wait_for_preview(s, previews, "nothing_at_all") == NULL);
    view_stop_previews(previews);
    view_stop_previews(NULL);
}

TEST_PREVIEW(view_previews_of_a_missing_game_fail)
{
    view_previews *const previews = view_begin_previews(test_path("models/nowhere"), NULL);
    CHECK(wait_for_preview(s, previews, "monster_bobbin") == NULL);
    // The thread must stop even while images are requested.
    const char *const names[2] = {"a", "b"};
    const view_preview *preview[2];
    view_update_previews(previews, names, 2, NULL, preview);
    view_stop_previews(previews);
}

// Images keep their aspect ratio and are not enlarged. Files that cannot be read have no preview.
TEST_PREVIEW(view_previews_are_made_of_image_files)
{
    const view_preview_drawer drawer = preview_drawer(s);
    SCOPED_FOLDER folder = folder_make();
    STRINGS(lost) = {"broken.png", "none.png", "huge.tga", "folder.png"};
    // A TGA of one row, 300 texels wide, half of them white, and a header of an image that is too
    // large.
    static uint8_t row[18 + 3 * 300] = {[2] = 2, [12] = 300 & 255, [13] = 1, [14] = 1, [16] = 24};
    const uint8_t huge[18] = {[2] = 2, [12] = 255, [13] = 255, [14] = 255, [15] = 255, [16] = 24};
    memset(row + 18, 255, sizeof row / 2);
    folder_write(folder, "wide \xC3\xBC 1.tga", row, sizeof row);
    folder_write(folder, "huge.tga", huge, sizeof huge);
    folder_write_text(folder, "broken.png", "\x89PNG");
    view_previews *const previews = view_begin_previews(NULL, NULL);
    SCOPED_STRING wide = common_join(folder, "wide \xC3\xBC 1.tga");
    const view_image *const image = wait_for_preview(s, previews, wide);
    if (CHECK(image)) {
        CHECK(image->width == VIEW_PREVIEW_SIZE && image->height == 1);
        CHECK(image->rgba[0] == 255 && image->rgba[4 * (VIEW_PREVIEW_SIZE - 1)] == 0);
    }
    // Information about our own files, from their first lines: images are 512 or, if reduced for
    // tests, 128 pixels wide.
    static const char *const stage[][3] = {
        {"models/bobbin/bobbin_eye.png",
         "512\xC3\x97"
         "512 png",
         "128\xC3\x97"
         "128 png"},
        {"models/bobbin/bobbin.md5mesh", "79 joints", "79 joints"},
        {"models/bobbin/walk.md5anim", "1.00 s", "1.00 s"}};
    for (size_t i = 0; i < COUNT_OF(stage); i++) {
        const view_preview preview = view_preview_file(test_path(stage[i][0]), 64, NULL, &drawer);
        CHECK(preview.image.rgba != NULL && preview.image.width <= 64 && !preview.is_wrong);
        CHECK_THAT(strncmp(preview.info, stage[i][1], strlen(stage[i][1])) == 0
                       || strncmp(preview.info, stage[i][2], strlen(stage[i][2])) == 0,
                   "%s", preview.info);
        free(preview.image.rgba);
    }
    // A model of puffs that have no size in the bind pose: a clip in the same folder shows their
    // fire.
    const view_preview flame =
        view_preview_file(test_path("models/flame/flame.md5mesh"), 64, NULL, &drawer);
    uint32_t num_hot = 0;
    for (int i = 0; i < 64 * 64; i++) {
        const uint8_t *const rgba = flame.image.rgba + 4 * i;
        num_hot += rgba[3] > 128 && rgba[0] > 200 && rgba[0] > 2 * rgba[2];
    }
    CHECK_THAT(num_hot > 64 * 64 / 20, "%u", num_hot);
    CHECK_THAT(strncmp(flame.info, "87 joints\n", 10) == 0, "%s", flame.info);
    free(flame.image.rgba);
    SCOPED_STRING canonical = common_canonical_path(test_path("models/zoo"));
    SCOPED_STRING models = common_folder(canonical);
    for (int is_ours = 0; is_ours < 2; is_ours++) { // a machine whose model is in another folder
        const view_preview first = view_preview_file(test_path("models/zoo/first.md5machine"), 64,
                                                     is_ours == 1 ? models : NULL, &drawer);
        CHECK(first.is_wrong == (is_ours == 0) && (first.image.rgba != NULL) == (is_ours == 1));
        free(first.image.rgba);
    }
    folder_write_text(folder, "broken.md5mesh", "MD5Version 10\ncommandline \"\"\n\nnumJoints x\n");
    SCOPED_STRING broken = common_join(folder, "broken.md5mesh");
    const view_preview wrong = view_preview_file(broken, 64, NULL, &drawer);
    CHECK(wrong.is_wrong && wrong.image.rgba == NULL);
    CHECK_THAT(strncmp(wrong.info, "line 4\n", 7) == 0, "%s", wrong.info);
    for (size_t i = 0; i < COUNT_OF(lost); i++) {
        SCOPED_STRING path = common_join(folder, lost[i]);
        CHECK_THAT(wait_for_preview(s, previews, path) == NULL, "%s", lost[i]);
    }
    view_stop_previews(previews);
}
