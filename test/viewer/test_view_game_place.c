// A mod over its base: places of several folders, and how the command line names them.
#include "demo/common/memory.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/assets/library.h"
#include "demo/viewer/motion/scene.h"
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

static const char *const base = "models/game/base", *const mod = "models/game/winter";

// test_path() returns the same memory each time.
static char *place_of(const char *first, const char *second)
{
    char *const path = common_copy(test_path(first));
    char *const place = view_put_behind(path, test_path(second));
    free(path);
    return place;
}

static bool has_name(const view_library *library, view_section section, const char *name)
{
    for (size_t i = 0; i < library->num_names[section]; i++)
        if (strcmp(library->names[section][i], name) == 0)
            return true;
    return false;
}

// -- Places -------------------------------------------------------------------------------------

TEST (place_is_split_into_its_folders) {
    common_list parts = view_split_place("mods/a/|games/base//|x.pk4");
    CHECK_UINT(parts.count, 3);
    CHECK_STRING(parts.names[0], "mods/a");
    CHECK_STRING(parts.names[1], "games/base");
    CHECK_STRING(parts.names[2], "x.pk4");
    common_free_list(&parts);
    parts = view_split_place("/");
    CHECK(parts.count == 1 && strcmp(parts.names[0], "/") == 0);
    common_free_list(&parts);
}

TEST (title_of_a_place_names_its_base_shortly) {
    char *title = view_title_of_place("mods/a|games/base/");
    CHECK_STRING(title, "mods/a + base");
    free(title);
    title = view_title_of_place("mods/a");
    CHECK_STRING(title, "mods/a");
    free(title);
}

TEST (base_is_found_beside_a_mod) {
    char *const expected = place_of(mod, base);
    char *found = view_with_base(test_path(mod));
    CHECK_STRING(found, expected);
    free(found);
    found = view_with_base(expected); // has one already
    CHECK_STRING(found, expected);
    free(found);
    free(expected);
    found = view_with_base(test_path(base)); // is one itself
    CHECK_STRING(found, test_path(base));
    free(found);
    found = view_with_base(test_path("models/game/README.md")); // no folder
    CHECK(strchr(found, '|') == NULL);
    free(found);
    found = view_with_base(test_path("models/bobbin")); // no folder "base" beside it
    CHECK(strchr(found, '|') == NULL);
    free(found);
}

// -- Libraries ----------------------------------------------------------------------------------

TEST (mod_and_base_are_one_game) {
    md5_error error;
    char *const place = place_of(mod, base);
    view_library *const library = view_open_library(place, NULL, NULL, &error);
    if (CHECK(library != NULL)) {
        CHECK_STRING(library->place, place);
        CHECK(library->num_own >= 1 && library->num_own < library->places.count);
        CHECK_STRING(library->places.titles[library->num_own], test_path(base));
        CHECK(has_name(library, VIEW_ENTITIES, "monster_bobbin_winter")); // of the mod
        CHECK(has_name(library, VIEW_ENTITIES, "monster_thimble"));       // of the base
        for (size_t i = 0; i < library->num_names[VIEW_ENTITIES]; i++)
            CHECK(view_is_own(library, VIEW_ENTITIES, i)
                  == (strstr(library->names[VIEW_ENTITIES][i], "winter") != NULL));
        CHECK(!view_is_own(library, VIEW_ANIMS, 0) && !view_is_own(library, VIEW_SKINS, 0));
    }
    view_drop_library(library);
    free(place);
}

// By models/game/README.md: the mod's entity inherits body and head of the base, and the material
// of that body is the mod's.
TEST (entity_of_a_mod_has_the_model_of_its_base) {
    view_scene scene;
    view_log log = {.level = VIEW_QUIET};
    char *const place = place_of(mod, base);
    char *const address = view_make_address(place, "monster_bobbin_winter", NULL);
    if (CHECK(view_load_game_scene(&scene, NULL, address, &log))) {
        const md5_decl *const decl =
            md5_find_decl(scene.library->game, MD5_DECL_MATERIAL, "models/md5/bobbin/skin");
        CHECK(decl != NULL && strcmp(decl->file, "materials/aaa_winter.mtr") == 0);
        CHECK(scene.entity.num_parts == 3 && scene.num_clips > 5); // body, head, lantern
        view_free_scene(&scene);
    }
    free(address);
    free(place);
}

TEST (base_that_is_missing_is_named) {
    md5_error error;
    char *const place = place_of(mod, "models/game/nowhere");
    CHECK(view_open_library(place, NULL, NULL, &error) == NULL);
    CHECK_STRING(error.file, test_path("models/game/nowhere"));
    free(place);
}

// -- The command line ---------------------------------------------------------------------------

// What the arguments open, or "-" if they are wrong; the first are folders of the tests. To be
// freed.
static char *place_of_arguments(int count, char **arguments)
{
    char problem[256];
    view_options options;
    const bool is_read = view_read_options(count, arguments, &options, problem, sizeof problem);
    char *const place =
        is_read && options.game != NULL ? view_place_of_options(&options) : common_copy("-");
    view_free_options(&options);
    return place;
}

TEST (base_is_given_on_the_command_line) {
    char *const mod_path = common_copy(test_path(mod));
    char *const other = common_copy(test_path("models/bobbin"));
    char game[] = "--game", behind[] = "--base", name[] = "x", last[] = "last";
    char *whole[] = {game, mod_path, behind, other, behind, last, name};
    char *place = place_of_arguments(7, whole);
    char *const expected = common_format("%s|%s|last", mod_path, other);
    CHECK_STRING(place, expected); // and no base that is found
    free(place);
    char *alone[] = {mod_path, behind, other};
    char *const shorter = common_format("%s|%s", mod_path, other);
    place = place_of_arguments(3, alone);
    CHECK_STRING(place, shorter);
    free(place);
    char *without[] = {game, mod_path, name};
    char *const found = place_of(mod, base);
    place = place_of_arguments(3, without);
    CHECK_STRING(place, found);
    free(place);
    char *wrong[] = {behind, other};
    place = place_of_arguments(2, wrong);
    CHECK_STRING(place, "-");
    free(place);
    free(found);
    free(shorter);
    free(expected);
    free(other);
    free(mod_path);
}
