// Game folders: modification times of files, lists of contents, mods over a base game, materials,
// entities and their playback, and characters that visit each other.
#define _XOPEN_SOURCE 700 // utimensat()
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"
#include "test/viewer/test_view_shot.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *folder, const char *name, time_t seconds)
{
    SCOPED_STRING path = common_join(folder, name);
    FILE *const file = fopen(path, "wb");
    if (CHECK(file))
        CHECK(fclose(file) == 0);
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
}

static void remove_file(const char *folder, const char *name)
{
    SCOPED_STRING path = common_join(folder, name);
    CHECK(remove(path) == 0);
}

// Returns the modification time of the file with this name.
static int64_t file_time(const md5_game_path *search_path, const char *name)
{
    size_t file = 0;
    while (file < search_path->num_files
           && strcmp(search_path->name(search_path->user, file), name) != 0)
        file++;
    return CHECK(file < search_path->num_files) ? search_path->time(search_path->user, file) : -1;
}

TEST (files_of_game_folders_have_modification_times) {
    SCOPED_FOLDER folder = folder_make();
    write_file(folder, "new.tga", 1000000);
    write_file(folder, "old.tga", 900000);
    common_game_paths game_paths = {.count = 0};
    CHECK(common_add_game_path(&game_paths, folder, NULL));
    if (CHECK(game_paths.count == 1 && game_paths.paths[0].num_files == 2)) {
        const md5_game_path *const search_path = &game_paths.paths[0];
        const double ratio =
            (double)file_time(search_path, "new.tga") / (double)file_time(search_path, "old.tga");
        CHECK_NEAR(ratio, 10.0 / 9.0, 1e-12); // independent of the unit
        remove_file(folder, "old.tga");
        CHECK(file_time(search_path, "old.tga") == 0);
        remove_file(folder, "new.tga");
    }
    common_free_game_paths(&game_paths);
}

// -- Game list ------------------------------------------------------------------------------------

// The contents of a game as a list: queries by keys, text and mouse.

typedef struct listed {
    view_library *library;
    view_browser browser;
} listed;

static bool list_base(listed *fixture, view_section section, const char *shown)
{
    *fixture = (listed){0};
    fixture->library = view_open_library(test_path("models/game/base"), NULL, NULL, NULL);
    if (!CHECK(fixture->library))
        return false;
    view_list_section(&fixture->browser, fixture->library, section, shown);
    return true;
}

static void end_listed(listed *fixture)
{
    view_clear_browser(&fixture->browser);
    view_drop_library(fixture->library);
}

static view_command press_key(listed *fixture, int32_t code)
{
    return view_key_browser(&fixture->browser, code);
}

#define TEST_HERE(title, ...) \
    TEST_IF (title, listed, fixture, list_base(fixture, __VA_ARGS__), end_listed(fixture))

TEST_HERE (game_list_begins_at_the_shown_entity, VIEW_ENTITIES, "monster_thimble") {
    view_command request = press_key(fixture, VIEW_KEY_RETURN);
    CHECK(request.action == VIEW_OPEN_NAMED && request.number == VIEW_ENTITIES);
    CHECK_STRING(request.path, "monster_thimble");
    CHECK(fixture->browser.kind == VIEW_BROWSE_NOTHING);
    free(request.path);
}

// The list of a game that was opened by its name has no locations.
TEST_SCREEN (game_list_without_locations_begins_at_the_left,
             screen_open(s, "models/thimble/thimble.md5mesh", 1280, 720)) {
    view_state *const viewer = &s->viewer;
    view_lists *const lists = &viewer->lists;
    lists->game = view_open_library(test_path("models/game/base"), NULL, NULL, NULL);
    view_show_section(viewer, VIEW_ENTITIES);
    const view_stage stage = item_draw(viewer, 1280, 720);
    common_list *const locations = &viewer->panels.browser.locations;
    CHECK_UINT(locations->count, 0);
    const view_rect alone = item_find(viewer, &stage, "list/Filter");
    common_add(locations, common_copy(""));
    const view_rect beside = item_find(viewer, &stage, "list/Filter");
    CHECK(alone.width > 0 && beside.x > alone.x + 10 * viewer->ui.em);
}

TEST_HERE (game_list_filters_by_typing_in_all_sections, VIEW_ENTITIES, NULL) {
    view_filter_list(&fixture->browser, "MOS");
    CHECK(fixture->browser.num_found == 1);
    view_list_section(&fixture->browser, fixture->library, VIEW_SKINS, NULL);
    CHECK(strcmp(fixture->browser.filter, "MOS") == 0 && fixture->browser.num_found == 1);
    view_command request = press_key(fixture, VIEW_KEY_RETURN);
    CHECK(request.action == VIEW_OPEN_NAMED && request.number == VIEW_SKINS);
    CHECK(strstr(request.path, "moss"));
    free(request.path);
}

TEST_HERE (game_list_cycles_through_its_sections, VIEW_ENTITIES, NULL) {
    view_command request = press_key(fixture, VIEW_KEY_TAB);
    CHECK(request.action == VIEW_OPEN_SECTION && request.number == VIEW_MODELS);
    fixture->browser.section = VIEW_SKINS;
    request = press_key(fixture, VIEW_KEY_TAB);
    CHECK(request.action == VIEW_OPEN_SECTION && request.number == VIEW_ENTITIES);
}

// Tab lists the game of a folder. In a folder without a game it moves the keyboard focus.
TEST (list_of_files_switches_to_the_game) {
    view_browser browser = {0};
    view_browse_folder(&browser, test_path("models/game/base"), NULL, NULL);
    CHECK(view_key_browser(&browser, VIEW_KEY_LEFT).action == VIEW_LIST_CHANGED);
    const view_command request = view_key_browser(&browser, VIEW_KEY_TAB);
    SCOPED_STRING canonical = common_canonical_path(test_path("models/game/base"));
    CHECK(request.action == VIEW_OPEN_GAME && strcmp(request.path, canonical) == 0);
    free(request.path);

    view_browse_folder(&browser, test_path("models/bobbin"), NULL, NULL);
    CHECK(view_key_browser(&browser, VIEW_KEY_TAB).action == VIEW_NOTHING);
    view_clear_browser(&browser);
}

TEST (list_of_a_game_is_empty_while_it_opens) {
    view_browser browser = {0};
    view_list_scan(&browser, "somewhere");
    browser.num_scanned = 1234;
    view_list_scan(&browser, "somewhere"); // continues
    CHECK(browser.is_scanning && browser.num_scanned == 1234 && browser.num_found == 0);
    CHECK(view_key_browser(&browser, VIEW_KEY_RETURN).action == VIEW_HANDLED);
    CHECK(view_key_browser(&browser, VIEW_KEY_TAB).action == VIEW_HANDLED);
    CHECK(view_key_browser(&browser, VIEW_KEY_ESCAPE).action == VIEW_LIST_CLOSED);
    CHECK(browser.kind == VIEW_BROWSE_NOTHING);
    view_clear_browser(&browser);
}

// -- Search paths ---------------------------------------------------------------------------------

// A mod over its base game: search paths of several folders, and their syntax on the command line.

static const char *const base = "models/game/base";
static const char *const mod = "models/game/winter";

// Copies the first path, because test_path() returns the same memory each time.
static char *make_search_path(const char *first, const char *second)
{
    SCOPED_STRING path = common_copy(test_path(first));
    const char *bases[] = {test_path(second)};
    return view_with_bases(path, bases, 1);
}

static bool has_name(const view_library *library, view_section section, const char *name)
{
    for (size_t i = 0; i < library->num_names[section]; i++) {
        if (strcmp(library->names[section][i], name) == 0)
            return true;
    }
    return false;
}

// -- Base games ---------------------------------------------------------------------------------

TEST (search_path_is_split_into_its_folders) {
    common_list parts = view_split_location("mods/a/|games/base//|x.pk4");
    CHECK_UINT(parts.count, 3);
    CHECK_STRING(parts.names[0], "mods/a");
    CHECK_STRING(parts.names[1], "games/base");
    CHECK_STRING(parts.names[2], "x.pk4");
    common_free_list(&parts);
    parts = view_split_location("/");
    CHECK(parts.count == 1 && strcmp(parts.names[0], "/") == 0);
    common_free_list(&parts);
}

TEST (title_of_a_search_path_names_its_base_game) {
    char *title = view_location_title("mods/a|games/base/");
    CHECK_STRING(title, "mods/a + base");
    free(title);
    title = view_location_title("mods/a");
    CHECK_STRING(title, "mods/a");
    free(title);
}

TEST (base_game_is_found_next_to_a_mod) {
    SCOPED_STRING expected = make_search_path(mod, base);
    char *found = view_with_bases(test_path(mod), NULL, 0);
    CHECK_STRING(found, expected);
    free(found);
    found = view_with_bases(expected, NULL, 0); // has a base already
    CHECK_STRING(found, expected);
    free(found);
    found = view_with_bases(test_path(base), NULL, 0); // is a base game itself
    CHECK_STRING(found, test_path(base));
    free(found);
    found = view_with_bases(test_path("models/game/README.md"), NULL, 0); // not a folder
    CHECK(strchr(found, '|') == NULL);
    free(found);
    // The folder models/bobbin is not next to a folder "base", so no search path is added.
    found = view_with_bases(test_path("models/bobbin"), NULL, 0);
    CHECK(strchr(found, '|') == NULL);
    free(found);
}

// -- Libraries ----------------------------------------------------------------------------------

TEST (mod_and_base_are_one_game) {
    SCOPED_STRING search_path = make_search_path(mod, base);
    view_library *const library = view_open_library(search_path, NULL, NULL, NULL);
    if (CHECK(library)) {
        CHECK_STRING(library->location, search_path);
        CHECK(library->num_mod_paths >= 1 && library->num_mod_paths < library->search_paths.count);
        CHECK_STRING(library->search_paths.titles[library->num_mod_paths], test_path(base));
        CHECK(has_name(library, VIEW_ENTITIES, "monster_bobbin_winter")); // from the mod
        CHECK(has_name(library, VIEW_ENTITIES, "monster_thimble"));       // from the base game
        for (size_t i = 0; i < library->num_names[VIEW_ENTITIES]; i++)
            CHECK(view_is_from_mod(library, VIEW_ENTITIES, i)
                  == (strstr(library->names[VIEW_ENTITIES][i], "winter") != NULL));
        CHECK(!view_is_from_mod(library, VIEW_ANIMS, 0)
              && !view_is_from_mod(library, VIEW_SKINS, 0));
    }
    view_drop_library(library);
}

// According to models/game/README.md the mod's entity inherits body and head from the base game,
// and the mod declares the material of that body.
TEST (entity_of_a_mod_has_the_model_of_its_base) {
    view_scene scene;
    view_log log = quiet_log;
    SCOPED_STRING search_path = make_search_path(mod, base);
    SCOPED_STRING address = view_make_address(search_path, "monster_bobbin_winter", NULL);
    REQUIRE(view_load_game_scene(&scene, NULL, address, &log));
    const md5_decl *const decl =
        md5_find_decl(scene.library->game, MD5_DECL_MATERIAL, "models/md5/bobbin/skin");
    CHECK(decl != NULL && strcmp(decl->file, "materials/aaa_winter.mtr") == 0);
    CHECK(scene.entity.num_parts == 3 && scene.num_clips > 5); // body, head, lantern
    view_free_scene(&scene);
}

// Names that the game does not declare, and an unknown skin that was requested, are warnings with
// file and line.
TEST (missing_names_of_a_game_are_warnings) {
    static const struct {
        const char *name;
        const char *skin;
        const char *message;
    } cases[] = {
        {"lamp", NULL,
         "a.def:3: key 'def_attach': cannot load entity 'lwo': unknown model 'models/lamp.lwo': "
         "expected a modelDef"},
        {"bare", NULL, "a.def:6: Unknown skin 'blue'"},
        {"neck", NULL, "a.def:9: Joint 'horn' not found for 'head_joint' on 'neck'"},
        {"m", "blue", "skin blue not found"},
    };
    SCOPED_FOLDER folder = folder_make();
    folder_write_text(folder, "def/a.def",
                      "model m { mesh models/a.md5mesh }\n"
                      "entityDef lamp { \"model\" \"m\"\n\"def_attach\" \"lwo\" }\n"
                      "entityDef lwo { \"model\" \"models/lamp.lwo\" \"joint\" \"origin\" }\n"
                      "entityDef bare { \"model\" \"m\"\n\"skin\" \"blue\" }\n"
                      "entityDef neck { \"model\" \"m\" \"def_head\" \"m\"\n\n"
                      "\"head_joint\" \"horn\" }\n");
    folder_write_text(folder, "models/lamp.lwo", "FORM");
    folder_write_text(
        folder, "models/a.md5mesh",
        "MD5Version 10 commandline \"\" numJoints 1 numMeshes 0 joints { \"origin\" -1 ( 0 "
        "0 0 ) ( 0 0 0 ) }");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_scene scene;
        view_log log = quiet_log;
        SCOPED_STRING address = view_make_address(folder, cases[i].name, cases[i].skin);
        if (!CHECK(view_load_game_scene(&scene, NULL, address, &log)))
            continue;
        CHECK_THAT(strstr(log.warning, cases[i].message) != NULL, "%s: '%s'", cases[i].message,
                   log.warning);
        CHECK_UINT(log.num_warnings, 1);
        view_free_scene(&scene);
    }
}

TEST (missing_base_game_is_reported_by_name) {
    md5_error error = {0};
    SCOPED_STRING search_path = make_search_path(mod, "models/game/nowhere");
    CHECK(view_open_library(search_path, NULL, NULL, &error) == NULL);
    CHECK_STRING(error.file, test_path("models/game/nowhere"));
}

// -- The command line ---------------------------------------------------------------------------

// Returns the search path that the arguments open, or "-" if they are wrong. The first arguments
// are folders of the tests. The caller frees the result.
static char *arguments_search_path(int count, char **arguments)
{
    char problem[256];
    view_options options;
    const bool is_read = view_read_options(count, arguments, &options, problem, sizeof problem);
    char *const search_path =
        is_read && options.game != NULL
            ? view_with_bases(options.game, options.bases.names, options.bases.count)
            : common_copy("-");
    view_free_options(&options);
    return search_path;
}

TEST (base_game_can_be_set_on_the_command_line) {
    SCOPED_STRING mod_path = common_copy(test_path(mod));
    SCOPED_STRING model_folder = common_copy(test_path("models/bobbin"));
    char game[] = "--game";
    char behind[] = "--base";
    char name[] = "x";
    char last[] = "last";
    char *arguments[] = {game, mod_path, behind, model_folder, behind, last, name};
    char *search_path = arguments_search_path(7, arguments);
    SCOPED_STRING expected = common_format("%s|%s|last", mod_path, model_folder);
    CHECK_STRING(search_path, expected); // no default base game is added
    free(search_path);
    char *alone[] = {mod_path, behind, model_folder};
    SCOPED_STRING shorter = common_format("%s|%s", mod_path, model_folder);
    search_path = arguments_search_path(3, alone);
    CHECK_STRING(search_path, shorter);
    free(search_path);
    char *without[] = {game, mod_path, name};
    SCOPED_STRING found = make_search_path(mod, base);
    search_path = arguments_search_path(3, without);
    CHECK_STRING(search_path, found);
    free(search_path);
    char *wrong[] = {behind, model_folder};
    search_path = arguments_search_path(2, wrong);
    CHECK_STRING(search_path, "-");
    free(search_path);
}

// -- Materials ------------------------------------------------------------------------------------

// Materials of the game folder test/data/shown: images with and without a card in front of a wall.

#define CARDS "test/data/shown/cards.md5mesh"
#define SMALL                                                                         \
    " --resolution 440,80 --samples 1 --camera-orthographic --camera-azimuth-angle 0" \
    " --camera-elevation-angle 0 "

// -- Materials of cards on a wall -------------------------------------------------------------

enum { NUM_CARDS = 16 };

// Expected effect of a card on the image of the wall. Channels count as different if they differ by
// more than 24 of 255.
typedef struct card_case {
    int card;            // index of its mesh
    const char *options; // options of both images; NULL: the options of an entity
    bool gets_darker, gets_brighter;
    bool is_red; // it becomes brighter, more in red than in blue
} card_case;

static const card_case card_cases[] = {
    {1, "", false, true, true},   // adds light and has no shadow
    {2, "", false, false, false}, // a flash without its image
    {3, "", false, false, false}, // a film without its image
    {4, "", false, false, false}, // a decal
    {5, "", false, false, false}, // a lit decal
    {6, "", true, true, false},   // an opaque surface without its image has a pattern and a shadow
    {7, "", true, true, false},   // the same for a surface that is not lit
    {8, "", false, false, false}, // a muzzle flash of a gun that fired a minute ago
    {8, "--parm 4=0", false, true, false},
    {8, "--parm 4=0.5", false, false, false},
    {9, "", false, false, false}, // its only stage is off
    {9, "--parm 6=1", false, true, false},
    // parameter 6 selects one of two diffuse maps: 0 is white,
    {10, "", false, true, false},
    {10, "--parm 6=1", true, false, false}, // 1 is black
    {11, "", true, false, false},           // no diffuse map: only highlights
    // The program of this material is not supported. The surface below its stages is drawn, which
    // is black.
    {12, "", true, false, false},
    {13, "", false, true, false},  // lit, without a shadow
    {14, "", false, false, false}, // seen from its front; it has only a back side
    {14, "--camera-azimuth-angle 180", false, true, false},
    {15, "", false, true, false}, // in the color of the entity: white by default,
    {15, "--parm 2=0 --parm 1=0", false, true, true}, // red by options,
    {15, NULL, false, true, true},                    // red, by the key of the entity
    {9, NULL, false, true, false},                    // its only stage uses the key, too
    {16, "", true, true, false}, // an alpha-tested surface without its image has a pattern
};

// Draws the wall with one card, or without any card if `card` is 0.
static shot draw_card(shot_viewer *viewer, int card)
{
    const uint64_t cards = (((uint64_t)1 << NUM_CARDS) - 1) << 1;
    view_show_meshes(viewer->state.document, card == 0 ? cards : cards & ~((uint64_t)1 << card));
    return shot_draw(viewer);
}

TEST_SCENE (view_materials_of_a_game_folder_are_shown_as_declared) {
    for (size_t i = 0; i < COUNT_OF(card_cases); i++) {
        const card_case *const row = &card_cases[i];
        const card_case *const expected = row;
        char line[256];
        SCOPED_SHOT viewer;
        if (expected->options != NULL)
            snprintf(line, sizeof line, "%s" SMALL "%s", CARDS, expected->options);
        else
            snprintf(line, sizeof line, "test/data/shown::shown_red" SMALL);
        if (!shot_open(&viewer, scene, line))
            break;
        SCOPED_PICTURE without = draw_card(&viewer, 0);
        SCOPED_PICTURE with = draw_card(&viewer, expected->card);
        size_t darker = 0;
        size_t brighter = 0;
        long red = 0;
        for (size_t k = 0; k < 4 * (size_t)with.width * with.height; k++) {
            const int change = with.rgba[k] - without.rgba[k];
            darker += change < -24;
            brighter += change > 24;
            if (k % 4 == 0)
                red += change;
            else if (k % 4 == 2)
                red -= change;
        }
        const bool is_darker_clear = darker <= 100 || darker > 300;
        const bool is_brighter_clear = brighter <= 100 || brighter > 300;
        const bool is_darker_right = (darker > 100) == expected->gets_darker && is_darker_clear;
        const bool is_brighter_right =
            (brighter > 100) == expected->gets_brighter && is_brighter_clear;
        CHECK_THAT(is_darker_right && is_brighter_right && (red > 10000) == expected->is_red,
                   "card %d %s: %zu darker, %zu brighter, red %ld", expected->card,
                   expected->options ? expected->options : "of the entity", darker, brighter, red);
    }
}

// -- Files ------------------------------------------------------------------------------------

// Loads a file of the folder and its textures, by its path or from the opened folder.
static md5_model *load(const gl_scene *scene, const char *path, view_textures *textures,
                       view_log *log)
{
    md5_model *const model = our_model(path);
    if (CHECK(model))
        CHECK(view_load_textures(textures, &(view_loader){.renderer = scene->renderer, .log = log},
                                 &(view_texture_sources){.model = model, .path = test_path(path)}));
    return model;
}

// Two images are missing. Four materials name one of them and three materials the other.
TEST_SCENE (view_missing_images_are_reported_once) {
    view_reports reports = {.count = 0};
    view_log log = {.level = VIEW_QUIET, .reports = &reports};
    view_textures textures;
    SCOPED_MODEL model = load(scene, CARDS, &textures, &log);
    if (CHECK_UINT(reports.count, 2)) {
        CHECK(strncmp(reports.rows[0].text, "image no/flash: ", 16) == 0);
        CHECK(strncmp(reports.rows[1].text, "image no/film: ", 15) == 0);
    }
    view_free_reports(&reports);
    view_free_textures(&textures, scene->renderer);
}

// The maps are the ones that the material declares. A glow map whose file is next to the texture is
// not used, and neither is a normal map whose name matches the texture better than the declared
// map.
TEST_SCENE (view_declared_materials_have_their_own_maps) {
    view_log log = quiet_log;
    view_textures textures;
    SCOPED_MODEL model = load(scene, "test/data/shown/painted.md5mesh", &textures, &log);
    const char *const paths[] = {view_mesh_image(&textures, 0, MD5GL_IMAGE_DIFFUSE)->path,
                                 view_mesh_image(&textures, 0, MD5GL_IMAGE_NORMALS)->path};
    CHECK_STRING(paths[0] != NULL ? paths[0] : "none", "paint");
    CHECK_STRING(paths[1] != NULL ? paths[1] : "none", "dents");
    CHECK(view_mesh_image(&textures, 0, MD5GL_IMAGE_SPECULAR) == NULL);
    CHECK(view_mesh_image(&textures, 0, MD5GL_IMAGE_GLOW) == NULL);
    CHECK_UINT(log.num_warnings, 0);
    view_free_textures(&textures, scene->renderer);
}

// -- Rates ------------------------------------------------------------------------------------

// A clip of one second with a rate of 2 takes half a second, on the time bar and in the pose, for a
// clip of a file and for the channels of an actor.
TEST_SHOT (view_clips_play_at_the_rate_of_their_modeldef, "test/data/shown::shown_quick") {
    view_scene *const shown = &viewer->state.document->scene;
    view_play *const play = &viewer->state.play;
    CHECK_NEAR(view_shown_anim(shown)->duration, 0.5, 1e-6);
    for (int i = 0; i < 2; i++) {
        shown->entity.is_played = i == 1;
        view_select_motion(shown);
        if (i == 1)
            CHECK(view_play_channel(&shown->entity, MD5_CHANNEL_ALL, 0));
        for (int step = 0; step < 4; step++) {
            play->time = 0.125 * step;
            view_pose(shown, play);
            CHECK_NEAR(shown->joints[0].m[3], 8.0 * play->time, 1e-3);
        }
    }
}

// -- Eyes -------------------------------------------------------------------------------------

// Position of an eye in an image, and the middle of its white part, in pixels.
typedef struct eye {
    uint32_t left;
    uint32_t right;
    uint32_t num_pixels;
    uint32_t num_white;
    double white;
} eye;

// Finds the eye in the left or right part of an image.
static eye find_eye(const shot *picture, uint32_t from, uint32_t to)
{
    eye found = {.left = to};
    for (uint32_t y = 0; y < picture->height; y++) {
        for (uint32_t x = from; x < to; x++) {
            const uint8_t *const pixel = &picture->rgba[4 * ((size_t)y * picture->width + x)];
            if (pixel[3] == 0)
                continue;
            found.left = x < found.left ? x : found.left;
            found.right = x + 1 > found.right ? x + 1 : found.right;
            found.num_pixels++;
            found.num_white += pixel[0] > 128;
            found.white += pixel[0] > 128 ? x + 0.5 : 0.0;
        }
    }
    found.white /= found.num_white > 0 ? found.num_white : 1;
    return found;
}

// Eyes are squares of 16 units, 8 units in front of their origin. Their texture is white in the
// middle 7.5 units. The first eye looks ahead, so the white part is in its middle; the second one
// looks to its left by atan(1/4), so it is 2 units off. The triangles are not drawn.
TEST_SCENE (view_eyes_look_in_the_direction_of_their_triangles) {
    SCOPED_PICTURE picture =
        render_shot(scene, "test/data/shown/eyes.md5mesh" SMALL "--no-background");
    const uint32_t middle = picture.width * 2 / 5;
    const eye ahead = find_eye(&picture, 0, middle);
    const eye left = find_eye(&picture, middle, picture.width);
    const eye *const eyes[2] = {&ahead, &left};
    for (int i = 0; i < 2; i++) {
        const double side = eyes[i]->right - eyes[i]->left;
        const double offset = (eyes[i]->white - eyes[i]->left) / side - 0.5;
        CHECK(side > 40.0);
        CHECK_NEAR(eyes[i]->num_pixels / (side * side), 1, 0.05);
        CHECK_NEAR(offset, i == 0 ? 0.0 : 2.0 / 16.0, 0.02);
        CHECK_NEAR(eyes[i]->num_white / (side * side), 7.5 * 7.5 / 256.0, 0.03);
    }
}

// The border is black even if the texture is drawn smaller than its size.
TEST_SCENE (view_borders_of_built_in_images_stay_black) {
    SCOPED_PICTURE picture = render_shot(scene, "test/data/shown/eyes.md5mesh" SMALL
                                                "--no-background --resolution 110,20");
    const eye ahead = find_eye(&picture, 0, picture.width * 2 / 5);
    const size_t middle = (size_t)(picture.height / 2) * picture.width;
    CHECK(ahead.num_white > 0 && ahead.right - ahead.left < 20);
    for (uint32_t x = ahead.left + 1; x < ahead.left + 3; x++)
        CHECK(picture.rgba[4 * (middle + x)] < 8);
}

// The pattern for missing images is blended, as in the engine, and is visible: a plate of 100
// pixels is behind an eye of 27 pixels.
TEST_SCENE (view_shows_the_pattern_of_missing_images) {
    SCOPED_PICTURE picture =
        render_shot(scene, "test/data/shown::face.md5mesh" SMALL "--no-background");
    const eye plate = find_eye(&picture, 0, picture.width);
    CHECK(plate.right - plate.left > 80);
}

// -- Entities -------------------------------------------------------------------------------------

// Playback of entities in the viewer: clips in channels, their time, frame commands, and poses.

typedef struct played {
    view_log log;
    view_scene scene;
    view_play play;
} played;

static bool open_played(played *fixture, const char *address)
{
    *fixture = (played){.log = {.level = VIEW_QUIET}, .play = {.playing = true, .speed = 1}};
    return CHECK(view_load_game_scene(&fixture->scene, NULL, address, &fixture->log));
}

static int32_t find_clip(const view_entity *fixture, const char *name)
{
    for (uint32_t i = 0; i < fixture->entity->num_clips; i++) {
        if (strcmp(fixture->entity->clips[i].anim->name, name) == 0)
            return (int32_t)i;
    }
    CHECK(false);
    return -1;
}

static void play_seconds(played *fixture, double seconds)
{
    for (int i = 0; i < 50; i++) {
        fixture->play.time += seconds / 50;
        view_pose(&fixture->scene, &fixture->play);
    }
}

// Returns the largest distance between the positions of joints[0, count) of two poses.
static double difference(const md5_mat34 *a, const md5_mat34 *b, uint32_t count)
{
    double max_distance = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 delta =
            md5_vec3_sub(md5_mat34_translation(a[i]), md5_mat34_translation(b[i]));
        const double distance = md5_vec3_length(delta);
        max_distance = distance > max_distance ? distance : max_distance;
    }
    return max_distance;
}

static const char *const bobbin = "models/game/base::monster_bobbin";

TEST (torso_over_legs_is_posed_like_the_engine) {
    played fixture;
    if (!open_played(&fixture, test_path(bobbin)))
        return;
    view_entity *const entity = &fixture.scene.entity;
    const int32_t walk = find_clip(entity, "walk");
    const int32_t run = find_clip(entity, "run");
    md5_destroy_monster(entity->monster); // only the clips
    entity->monster = NULL;
    CHECK(view_play_channel(entity, MD5_CHANNEL_LEGS, walk));
    CHECK(view_play_channel(entity, MD5_CHANNEL_TORSO, run) && entity->focus == MD5_CHANNEL_TORSO);
    CHECK(entity->channels[MD5_CHANNEL_ALL].clip == -1);
    CHECK(entity->channels[MD5_CHANNEL_LEGS].clip == walk);
    fixture.play.time = 0.0;
    play_seconds(&fixture, 0.8); // the channel "all" has faded out
    // An actor that has only played this clip.
    const uint32_t count = entity->entity->model->skeleton.num_joints;
    SCOPED_ACTOR actor = md5_create_actor(&entity->played, NULL, NULL);
    SCOPED md5_xform *const pose = common_alloc(count, sizeof *pose);
    SCOPED md5_mat34 *const joints = common_alloc(count, sizeof *joints);
    CHECK(md5_actor_play(actor, MD5_CHANNEL_LEGS, (uint32_t)walk, MD5_ACTOR_CYCLE, 0, 0));
    CHECK(md5_actor_play(actor, MD5_CHANNEL_TORSO, (uint32_t)run, MD5_ACTOR_CYCLE, 0, 0));
    md5_actor_advance(actor, 800, NULL, NULL);
    md5_actor_pose(actor, pose, joints, NULL);
    CHECK_SMALL(difference(joints, fixture.scene.joints, count),
                0.02); // tolerance of one millisecond
    CHECK(md5_actor_play(actor, MD5_CHANNEL_TORSO, (uint32_t)walk, MD5_ACTOR_CYCLE, 0, 0));
    md5_actor_advance(actor, 800, NULL, NULL);
    md5_actor_pose(actor, pose, joints, NULL);
    CHECK(difference(joints, fixture.scene.joints, count) > 1.0); // proves that the test can fail
    view_free_scene(&fixture.scene);
}

TEST (channel_continues_the_clip_of_all_channels) {
    played fixture;
    if (!open_played(&fixture, test_path(bobbin)))
        return;
    view_entity *const entity = &fixture.scene.entity;
    const int32_t walk = find_clip(entity, "walk");
    const int32_t run = find_clip(entity, "run");
    CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, walk));
    CHECK(view_play_channel(entity, MD5_CHANNEL_TORSO, run));
    CHECK(entity->channels[MD5_CHANNEL_LEGS].clip == walk);
    CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, run));
    CHECK(entity->channels[MD5_CHANNEL_LEGS].clip == -1);
    CHECK(entity->channels[MD5_CHANNEL_TORSO].clip == -1);
    CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, -1));
    CHECK(entity->channels[MD5_CHANNEL_ALL].clip == -1);
    CHECK(!view_has_channel(entity, MD5_CHANNEL_EYELIDS));
    CHECK(!view_play_channel(entity, MD5_CHANNEL_EYELIDS, run)); // has no joints
    CHECK(!view_play_channel(entity, MD5_CHANNEL_ALL, 1000));
    view_free_scene(&fixture.scene);
}

TEST (seeking_backward_gives_the_same_pose) {
    played fixture;
    if (!open_played(&fixture, test_path(bobbin)))
        return;
    view_entity *const entity = &fixture.scene.entity;
    CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, find_clip(entity, "run")));
    fixture.play.time = 0.0;
    play_seconds(&fixture, 0.5);
    const uint32_t count = entity->entity->model->skeleton.num_joints;
    SCOPED md5_mat34 *const joints = common_alloc(count, sizeof *joints);
    memcpy(joints, fixture.scene.joints, count * sizeof *joints);
    play_seconds(&fixture, 0.3);
    CHECK(difference(joints, fixture.scene.joints, count) > 1.0);
    fixture.play.time = 0.5;
    view_pose(&fixture.scene, &fixture.play);
    CHECK_SMALL(difference(joints, fixture.scene.joints, count), 1e-4);
    // Seek over a million cycles, most of which are skipped and not played. The head continues its
    // clip.
    const double length = 0.001 * entity->anims[entity->channels[0].clip].milliseconds;
    const uint32_t foot = md5_find_joint(fixture.scene.skeleton, "foot_l");
    fixture.play.time = 0.5 + length * 1e6;
    view_pose(&fixture.scene, &fixture.play);
    CHECK_SMALL(difference(&joints[foot], &fixture.scene.joints[foot], 1),
                0.2); // times are whole milliseconds
    fixture.play.time = -0.25;
    view_pose(&fixture.scene, &fixture.play);
    fixture.play.time = NAN; // never produced, but must not hang
    view_pose(&fixture.scene, &fixture.play);
    view_free_scene(&fixture.scene);
}

// Points to the left and to the right; the engine's yaw is positive to the left. After a second the
// head has reached the direction. Without a pointer the result is the same each time.
TEST (monster_looks_at_the_pointer) {
    played fixture;
    if (!open_played(&fixture, test_path(bobbin)))
        return;
    view_scene *const scene = &fixture.scene;
    const view_motion_kind *const mover = view_get_mover(scene);
    float yaws[2];
    for (int side = 0; side < 2; side++) {
        mover->point(scene, (md5_vec3){200, side == 0 ? 200.0f : -200.0f, 44});
        play_seconds(&fixture, 1.5);
        yaws[side] = md5_monster_state(scene->entity.monster).look.yaw;
    }
    CHECK_NEAR(yaws[0], 45, 8); // atan2(200, 200), but the eye is not at the origin
    CHECK_NEAR(yaws[1], -45, 8);
    view_free_scene(scene);
}

// By the rule of the engine an ankle is as far above the ground below its toes as it is above level
// ground in the clip, after smoothing. The ground is measured below the square of 4 units, key
// ik_footSize, around the toes: on a slope of 20 degrees along a diagonal it is the highest corner
// of the square.
TEST (monster_stands_on_a_slope) {
    played fixture;
    if (!open_played(&fixture, test_path(bobbin)))
        return;
    view_scene *const scene = &fixture.scene;
    double level[2], floors[2];
    uint32_t ankles[2], toes[2];
    for (int i = 0; i < 2; i++) {
        ankles[i] = md5_find_joint(scene->skeleton, i == 0 ? "foot_l" : "foot_r");
        toes[i] = md5_find_joint(scene->skeleton, i == 0 ? "toes_l" : "toes_r");
    }
    view_pose(scene, &fixture.play);
    for (int i = 0; i < 2; i++)
        level[i] = (double)scene->joints[ankles[i]].m[11];
    CHECK_UINT(view_find_feet(&scene->terrain, scene, VIEW_SLOPE), 2);
    scene->entity.time = 1.0; // playback restarts, so the smoothing of the ankles does too
    view_pose(scene, &fixture.play);
    for (int i = 0; i < 2; i++) {
        const md5_vec3 at = md5_mat34_translation(scene->joints[toes[i]]);
        floors[i] = (double)view_ground_height(&scene->terrain, at.x, at.y);
        CHECK_NEAR(scene->joints[ankles[i]].m[11], level[i] + floors[i] + 2.0 * sqrt(2.0) * 0.36397,
                   0.01);
    }
    CHECK(floors[0] - floors[1] > 1.0); // the ground rises to the left
    view_free_scene(scene);
}

// Two instances of the monster, which walk; the first one walks on a terrain. open_pair() returns
// false if they cannot be opened.
typedef struct pair {
    played players[2];
} pair;

static bool open_pair(pair *fixture, view_ground_kind kind)
{
    for (int i = 0; i < 2; i++) {
        if (!open_played(&fixture->players[i], test_path(bobbin)))
            return false;
        view_scene *const scene = &fixture->players[i].scene;
        const int32_t walk = find_clip(&scene->entity, "walk");
        scene->root = MD5_ROOT_ID;
        CHECK(view_play_channel(&scene->entity, MD5_CHANNEL_ALL, walk));
        CHECK(i > 0 || view_find_feet(&scene->terrain, scene, kind) == 2);
    }
    return true;
}

static void close_pair(pair *fixture)
{
    for (int i = 0; i < 2; i++)
        view_free_scene(&fixture->players[i].scene);
}

static float joint_height(const played *fixture, const char *joint)
{
    return fixture->scene.joints[md5_find_joint(fixture->scene.skeleton, joint)].m[11];
}

// In each tick ankles and waist move by a quarter of the remaining height of a stair, key
// ik_smoothing, in addition to their movement in the clip. So ten ticks after a foot has passed an
// edge it is on the next tread, and the point that the camera follows does not jump.
TEST_IF (monster_walks_downstairs_smoothly, pair, fixture, open_pair(fixture, VIEW_STAIRS),
         close_pair(fixture)) {
    STRINGS(joints) = {"foot_l", "foot_r", "toes_l", "toes_r"};
    const view_scene *const scene = &fixture->players[0].scene;
    const double step = scene->terrain.height;
    double heights[2][4] = {{0}};
    double old[2][4];
    double waist = 0;
    double old_waist;
    int away[2] = {0};
    for (int tick = 0; tick < 625; tick++) {
        memcpy(old, heights, sizeof old);
        old_waist = waist;
        for (int i = 0; i < 2; i++) {
            fixture->players[i].play.time = 0.016 * tick + 1e-4;
            view_pose(&fixture->players[i].scene, &fixture->players[i].play);
            for (int k = 0; k < 4; k++)
                heights[i][k] = joint_height(&fixture->players[i], joints[k]);
        }
        waist = view_walked(scene, &fixture->players[0].play).z;
        for (int i = 0; i < 2; i++) {
            const uint32_t toes = md5_find_joint(scene->skeleton, joints[2 + i]);
            const md5_vec3 at = md5_mat34_translation(scene->joints[toes]);
            const double off = heights[0][2 + i] - heights[1][2 + i]
                               - view_ground_under(&scene->terrain, at, 2.0f);
            away[i] = fabs(off) > step / 8.0 ? away[i] + 1 : 0;
            CHECK_THAT(away[i] < 10, "%g off the tread at tick %d", off, tick);
            if (tick > 1)
                CHECK_SMALL(heights[0][i] - old[0][i],
                            step / 4.0 + fabs(heights[1][i] - old[1][i]) + 0.1);
        }
        if (tick > 1)
            CHECK_SMALL(waist - old_waist, step / 4.0 + 0.1);
    }
    const md5_vec3 position = view_placement(scene).translation;
    const view_entity *const entity = &scene->entity;
    const md5_sample_position begin = {0}, end = {.cycle = 10}; // ten cycles of one second
    const md5_anim *const anim = entity->entity->clips[find_clip(entity, "walk")].anims[0];
    CHECK_NEAR(position.x, md5_anim_root_motion(anim, begin, end).x, 2);
    CHECK_NEAR(position.z, view_ground_height(&scene->terrain, position.x, position.y), 1e-4);
    CHECK(position.z < -3.0f * (float)step);
}

// On a lift, up and down, the ankles are as far above it as they are above level ground in the
// clip: they are not smoothed on a lift.
TEST_IF (monster_stands_on_a_lift, pair, fixture, open_pair(fixture, VIEW_LIFT),
         close_pair(fixture)) {
    float highest = 0.0f;
    for (int k = 0; k < 2; k++) {
        view_entity *const entity = &fixture->players[k].scene.entity;
        CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, find_clip(entity, "idle")));
    }
    for (int i = 0; i < 180; i++) {
        for (int k = 0; k < 2; k++) {
            fixture->players[k].play.time = i / 30.0;
            view_pose(&fixture->players[k].scene, &fixture->players[k].play);
        }
        const float rise = fixture->players[0].scene.terrain.rise;
        highest = fmaxf(highest, rise);
        CHECK_NEAR(view_placement(&fixture->players[0].scene).translation.z, rise, 1e-4);
        CHECK_NEAR(joint_height(&fixture->players[0], "foot_l")
                       - joint_height(&fixture->players[1], "foot_l"),
                   rise, 0.02);
    }
    CHECK(highest > 20.0f && highest <= fixture->players[0].scene.terrain.height);
}

// Begins a state or sets a flag.
static void send_state_or_flag(played *fixture, bool is_flag, const char *name)
{
    const char *candidate;
    for (uint32_t i = 0; (candidate = view_script_name(&fixture->scene.entity, is_flag, i)) != NULL;
         i++) {
        if (strcmp(candidate, name) == 0)
            view_run_script_item(&fixture->scene.entity, is_flag, i, true);
    }
}

// Plays a fixed sequence of inputs: clips in channels, states, a flag. The time is -3.37 at the
// beginning and 3 at the end.
static void play_inputs(played *fixture)
{
    view_entity *const entity = &fixture->scene.entity;
    CHECK_UINT(view_find_feet(&fixture->scene.terrain, &fixture->scene, VIEW_STAIRS), 2);
    play_seconds(fixture, 2.0);
    CHECK(view_play_channel(entity, MD5_CHANNEL_LEGS, find_clip(entity, "walk")));
    fixture->play.time = 0.0;
    play_seconds(fixture, 1.37);
    CHECK(view_play_channel(entity, MD5_CHANNEL_TORSO, find_clip(entity, "gesture1")));
    fixture->play.time = 0.0;
    play_seconds(fixture, 1.0);
    send_state_or_flag(fixture, false, "Torso_Idle");
    send_state_or_flag(fixture, false, "Legs_Idle");
    play_seconds(fixture, 0.8);
    send_state_or_flag(fixture, true, "AI_FORWARD");
    play_seconds(fixture, 1.2);
}

// The pose at a time does not depend on previous seeks: backward, back and forth, to a time before
// an input and then after it, and by more than ten minutes, which restarts playback.
TEST (monster_pose_is_independent_of_earlier_seeks) {
    static const double times[] = {3, -0.4, 2.5, 0.9, -2, -3.37, 620, 621, 615, 3, -7, -1.5};
    float farthest = 0.0f;
    for (int i = 0; i < (int)COUNT_OF(times); i++) {
        pair both;
        pair *const fixture = &both;
        REQUIRE(open_pair(fixture, VIEW_STAIRS));
        for (int k = 0; k < 2; k++)
            play_inputs(&fixture->players[k]);
        for (int k = 0; k < i + 1; k++) { // a time that all sequences pass
            fixture->players[0].play.time = times[k];
            view_pose(&fixture->players[0].scene, &fixture->players[0].play);
        }
        fixture->players[1].play.time = times[i];
        view_pose(&fixture->players[1].scene, &fixture->players[1].play);
        const md5_vec3 positions[] = {view_placement(&fixture->players[0].scene).translation,
                                      view_placement(&fixture->players[1].scene).translation};
        CHECK_THAT(memcmp(&positions[0], &positions[1], sizeof positions[0]) == 0, "%g: %g %g",
                   times[i], (double)positions[0].x, (double)positions[1].x);
        CHECK_SMALL(difference(fixture->players[0].scene.joints, fixture->players[1].scene.joints,
                               fixture->players[0].scene.num_joints),
                    1e-6);
        farthest = fmaxf(farthest, positions[0].x);
        close_pair(fixture);
    }
    CHECK(farthest > 60.0f);
}

// The game's scripts control the states: a flag makes the monster walk, a dead monster drops the
// items of its keys, and selecting a clip ends the states.
TEST (states_of_a_script_play_and_follow_flags) {
    played fixture;
    if (!open_played(&fixture, test_path(bobbin)))
        return;
    view_entity *const entity = &fixture.scene.entity;
    const md5_script *const script = entity->script;
    if (CHECK(script != NULL && entity->states != NULL)) {
        send_state_or_flag(&fixture, false, "Torso_Idle");
        send_state_or_flag(&fixture, false, "Legs_Idle");
        play_seconds(&fixture, 1.0);
        CHECK(entity->channels[MD5_CHANNEL_ALL].clip == -1);
        CHECK(entity->channels[MD5_CHANNEL_LEGS].clip == find_clip(entity, "idle"));
        send_state_or_flag(&fixture, true, "AI_FORWARD");
        play_seconds(&fixture, 1.0);
        CHECK(entity->channels[MD5_CHANNEL_LEGS].clip == find_clip(entity, "walk"));
        CHECK_STRING(md5_states_channel(entity->states, MD5_CHANNEL_LEGS).name, "Legs_Walk");
        fixture.play.time = 0.2; // before the flag was set
        view_pose(&fixture.scene, &fixture.play);
        CHECK_STRING(md5_states_channel(entity->states, MD5_CHANNEL_LEGS).name, "Legs_Idle");
        fixture.play.time = 2.0;
        view_pose(&fixture.scene, &fixture.play);
        CHECK_STRING(md5_states_channel(entity->states, MD5_CHANNEL_LEGS).name, "Legs_Walk");
        CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, find_clip(entity, "run")));
        CHECK(!entity->is_in_states);
    }
    view_free_scene(&fixture.scene);
}

// Each edge is drawn once: a closed surface has three edges for two triangles. Each body is near
// its joint.
TEST (bodies_of_a_monster_are_drawn_at_their_joints) {
    played fixture;
    if (!open_played(&fixture, test_path(bobbin)))
        return;
    view_document document = {.scene = fixture.scene};
    const md5_figure *const bodies = fixture.scene.entity.bodies;
    const view_shown shown = {.joint_bounds = true};
    const view_camera camera = {.scene_radius = 1};
    view_lines lines = {0};
    const view_stage stage = {
        .document = &document, .camera = &camera, .shown = &shown, .lines = &lines};
    view_pose(&document.scene, &fixture.play);
    view_add_overlays(&stage, false);
    if (CHECK(bodies)) {
        CHECK_UINT(lines.count, 3 * bodies->num_triangles);
        const float size = view_size(document.scene.model->bounds);
        for (uint32_t i = 0; i < lines.count; i++)
            CHECK(md5_vec3_length(lines.vertices[i].position) < 2.0f * size);
    }
    view_free_lines(&lines);
    view_free_scene(&document.scene);
}

TEST (frame_commands_run_when_their_frame_is_passed) {
    played fixture;
    if (!open_played(&fixture, test_path(bobbin)))
        return;
    view_entity *const entity = &fixture.scene.entity;
    CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, find_clip(entity, "walk")));
    fixture.play.time = 0.0;
    const uint32_t before = entity->num_fired;
    play_seconds(&fixture, 0.1); // two commands of frame 1
    CHECK(entity->num_fired == before + 2);
    CHECK_STRING(entity->fired[0].text, "all walk 1: leftfoot");
    CHECK_STRING(entity->fired[1].text, "all walk 1: sound_body snd_footstep = bobbin_step");
    play_seconds(&fixture, 12.0 / 24.0); // a command of frame 13: 0.5 s after frame 1 at 24 Hz
    CHECK(entity->num_fired == before + 4);
    CHECK_STRING(entity->fired[0].text, "all walk 13: rightfoot");
    CHECK_NEAR(entity->fired[0].time, 0.5, 0.03);
    fixture.play.time = 0.1; // backward playback executes no commands
    view_pose(&fixture.scene, &fixture.play);
    CHECK(entity->num_fired == before + 4);
    view_free_scene(&fixture.scene);
}

TEST (time_bar_shows_the_focused_channel) {
    played fixture;
    if (!open_played(&fixture, test_path(bobbin)))
        return;
    view_entity *const entity = &fixture.scene.entity;
    CHECK(view_play_channel(entity, MD5_CHANNEL_LEGS, find_clip(entity, "walk")));
    fixture.play.time = 0.0;
    play_seconds(&fixture, 0.75);
    CHECK(view_play_channel(entity, MD5_CHANNEL_TORSO, find_clip(entity, "run")));
    CHECK_SMALL(entity->time, 1e-9);
    fixture.play.time = 0.0;
    play_seconds(&fixture, 0.25);
    CHECK_NEAR(view_focus_channel(entity, MD5_CHANNEL_LEGS), 1, 1e-9);
    CHECK(entity->focus == MD5_CHANNEL_LEGS);
    CHECK_NEAR(view_focus_channel(entity, MD5_CHANNEL_HEAD), 1, 1e-9); // this channel plays nothing
    CHECK(entity->focus == MD5_CHANNEL_LEGS);
    view_free_scene(&fixture.scene);
}

TEST (head_stays_on_its_body) {
    played fixture;
    if (!open_played(&fixture, test_path("models/game/base::monster_bobbin_watchman")))
        return;
    const view_entity *const entity = &fixture.scene.entity;
    fixture.play.time = 0.0;
    for (int i = 0; i < 5; i++) {
        play_seconds(&fixture, 0.2);
        for (uint32_t p = 1; p < entity->num_parts; p++) {
            const view_entity_part *const part = &entity->parts[p];
            // Poses relative to parents and joints in model space agree over the whole model.
            const uint32_t parent = entity->parts[part->parent].first_joint + part->attached->joint;
            const md5_mat34 local = md5_mat34_from_xform(fixture.scene.pose[part->first_joint]);
            const md5_mat34 joint = md5_mat34_mul(fixture.scene.joints[parent], local);
            CHECK_SMALL(difference(&joint, &fixture.scene.joints[part->first_joint], 1), 1e-3);
            // An attached part is near its joint.
            CHECK(difference(&fixture.scene.joints[parent],
                             &fixture.scene.joints[part->first_joint], 1)
                  < 30.0);
        }
    }
    view_free_scene(&fixture.scene);
}

TEST (added_clip_is_played_without_the_entity) {
    played fixture;
    if (!open_played(&fixture, test_path(bobbin)))
        return;
    const size_t num_clips = fixture.scene.num_clips;
    CHECK(fixture.scene.entity.is_played);
    CHECK(view_add_clip(&fixture.scene, "models/md5/bobbin/walk.md5anim", &fixture.log));
    CHECK(fixture.scene.num_clips == num_clips + 1 && !fixture.scene.entity.is_played);
    view_pose(&fixture.scene, &fixture.play);
    view_select_clip(&fixture.scene, 0);
    CHECK(fixture.scene.entity.is_played);
    view_free_scene(&fixture.scene);
}

// -- A machine that visits another one ------------------------------------------------------------

// A machine that visits another one: events of each of them set triggers of the other.

static const char *state_in(const view_machine *machine, uint32_t layer)
{
    return machine->desc->layers[layer].states[md5_player_layer(machine->player, layer).state].name;
}

static const char *state_name(const view_machine *machine)
{
    return state_in(machine, 0);
}

static const char *story_state_name(const view_machine *machine)
{
    uint32_t layer = 0;
    while (layer + 1 < machine->desc->num_layers
           && strcmp(machine->desc->layers[layer].name, "story") != 0)
        layer++;
    return state_in(machine, layer);
}

// Returns the name of the clip of the one-shot in the first slot.
static const char *one_shot_name(const view_machine *machine)
{
    const md5_one_shot_status act = md5_player_one_shot(machine->player, 0);
    return act.is_playing ? machine->desc->clips[act.clip].name : "none";
}

// Returns true if the host pats the guest.
static bool is_patting(const view_machine *machine)
{
    return strcmp(one_shot_name(machine), "pat") == 0;
}

static float parameter_value(const view_machine *machine, const char *name)
{
    return md5_player_get(machine->player, md5_find_parameter(machine->character->machine, name));
}

static void trigger(view_machine *machine, const char *name)
{
    const uint32_t parameter = md5_find_parameter(machine->character->machine, name);
    CHECK(parameter != MD5_NONE && md5_player_set(machine->player, parameter, 1));
}

TEST (view_carried_lamp_burns_during_a_sneeze) {
    view_log log = quiet_log;
    view_machine host, fire;
    REQUIRE(view_load_machine(&host, test_path("models/bobbin/bobbin.md5machine"), NULL, &log)
            && view_load_machine(&fire, test_path("models/bobbin/attached/head.md5machine"), NULL,
                                 &log));
    host.carried = &fire;
    trigger(&host, "sneeze");
    view_run_machine(&host, 1.2);
    CHECK_STRING(state_name(&fire), "out");
    view_run_machine(&host, 1.4);
    CHECK_STRING(state_name(&fire), "burst");
    CHECK_STRING(state_in(&fire, 1), "soot");
    view_restart_machine(&host);
    CHECK_STRING(state_name(&fire), "out");
    trigger(&host, "sneeze");
    view_run_machine(&host, 4.0);
    CHECK_STRING(state_name(&fire), "out");
    CHECK_STRING(state_in(&fire, 1), "soot");
    view_run_machine(&host, 9.0);
    CHECK_STRING(state_in(&fire, 1), "clean");
    view_free_machine(&fire);
    view_free_machine(&host);
}

// Returns the mean of the red channel below his mouth.
static double mean_red_below_mouth(const shot *picture)
{
    double sum = 0.0;
    for (uint32_t y = 160; y < 180u; y++) {
        for (uint32_t x = 110; x < 130u; x++)
            sum += picture->rgba[4 * ((size_t)y * picture->width + x)];
    }
    return sum / 400.0;
}

TEST_SHOT (view_carried_lamp_lights_its_carrier,
           "models/bobbin/bobbin.md5machine --resolution 240,240 --set sneeze=1@0.1 "
           "--camera-azimuth-angle 40 --animation-time 1.5") {
    view_companion *const fire = &viewer->state.document->companions[VIEW_CARRIED];
    SCOPED_PICTURE with = shot_draw(viewer);
    const md5_model *const model = fire->model;
    fire->model = NULL;
    SCOPED_PICTURE without = shot_draw(viewer);
    fire->model = model;
    CHECK_THAT(mean_red_below_mouth(&with) > mean_red_below_mouth(&without) + 10.0,
               "red is %g, %g without", mean_red_below_mouth(&with),
               mean_red_below_mouth(&without));
}

// Starts Bobbin and Thimble as his guest.
static bool begin_guest(view_machine *host, view_machine *guest)
{
    view_log log = quiet_log;
    if (!CHECK(view_load_machine(host, test_path("models/bobbin/bobbin.md5machine"), NULL, &log)
               && view_load_machine(guest, test_path("models/thimble/visitor.md5machine"), NULL,
                                    &log)))
        return false;
    host->guest = guest;
    guest->host = host;
    return true;
}

TEST (view_guest_reacts_to_events_of_its_host) {
    view_machine host, guest;
    if (!begin_guest(&host, &guest))
        return;
    guest.start.translation = guest.placement.translation = (md5_vec3){50, 0, 0};
    view_run_machine(&host, 24.0);
    CHECK_STRING(state_name(&guest), "waits");
    CHECK_EXACT(guest.placement.translation.x, 50);
    view_run_machine(&host, 37.4); // a snore or two later
    CHECK_STRING(story_state_name(&host), "doze");
    CHECK_STRING(state_name(&guest), "looks");
    CHECK(guest.placement.translation.x > 360.0f);
    view_run_machine(&host, 40.1); // Thimble has chirped
    CHECK_STRING(state_name(&host), "idle");
    CHECK_STRING(state_name(&guest), "begs");
    trigger(&host, "attack");
    view_run_machine(&host, 40.4);
    CHECK_STRING(state_name(&guest), "begs"); // Bobbin still winds up
    view_run_machine(&host, 41.1);
    CHECK_STRING(state_name(&guest), "fold");
    view_restart_machine(&host);
    CHECK_STRING(state_name(&guest), "waits");
    CHECK_EXACT(guest.placement.translation.x, 50);
    view_free_machine(&guest);
    view_free_machine(&host);
}

// Bobbin pats a guest in front of him. A guest elsewhere is not patted, and stops begging.
TEST (view_guest_is_patted_where_the_hand_reaches) {
    for (int far = 0; far < 2; far++) {
        view_machine host, guest;
        if (!begin_guest(&host, &guest))
            return;
        guest.placement.translation = (md5_vec3){far ? 60.0f : 27.0f, -13, 0};
        view_run_machine(&host, 0.1);
        trigger(&host, "beg");
        view_run_machine(&host, 0.2);
        CHECK(is_patting(&host) == !far);
        guest.placement.translation.x = 27.0f;
        view_run_machine(&host, 1.0);
        CHECK(is_patting(&host) == !far);
        view_free_machine(&guest);
        view_free_machine(&host);
    }
}

// A guest that has gone away comes again from its starting position relative to the host.
TEST (view_guest_that_left_comes_to_its_host_again) {
    view_machine host, guest;
    if (!begin_guest(&host, &guest))
        return;
    guest.start.translation = (md5_vec3){30, 40, 0};
    host.placement.translation = (md5_vec3){1000, 0, 0};
    view_run_machine(&host, 26.3);
    CHECK_STRING(state_name(&guest), "start");
    CHECK_NEAR(guest.placement.translation.x, 1030, 6);
    CHECK_NEAR(guest.placement.translation.y, 40, 0.1);
    view_free_machine(&guest);
    view_free_machine(&host);
}

// Without a pointer Bobbin looks at a guest that is near and in front of him, and not at a guest
// elsewhere.
TEST (view_host_looks_at_a_near_guest) {
    static const struct {
        float ahead;
        float left;
        float yaw;
    } cases[] = {{60, 30, 26.565f}, {400, 30, 0}, {-60, 30, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_machine host, guest;
        if (!begin_guest(&host, &guest))
            return;
        guest.placement.translation = (md5_vec3){cases[i].ahead, cases[i].left, 0};
        view_run_machine(&host, 3.0);
        CHECK_NEAR(parameter_value(&host, "eyes_yaw"), cases[i].yaw, 0.1);
        CHECK_NEAR(parameter_value(&host, "head_yaw"), cases[i].yaw, 0.5);
        CHECK((parameter_value(&host, "eyes_pitch") < -5.0f)
              == (cases[i].yaw > 0.0f)); // Thimble is lower than Bobbin
        CHECK_EXACT(parameter_value(&host, "pointer"), 0);
        host.target = (md5_vec3){100, -100, 40}; // a pointer has priority
        host.has_target = true;
        host.pointer_time = host.time;
        view_run_machine(&host, 5.0);
        CHECK_NEAR(parameter_value(&host, "eyes_yaw"), -45, 0.1);
        view_free_machine(&guest);
        view_free_machine(&host);
    }
}

// Checks that the weights of all expressions are at most 1. A larger weight would pull the mouth
// into the eyes.
static void check_face(const view_machine *machine)
{
    const uint32_t count = md5_machine_num_morphs(machine->character->machine);
    SCOPED float *const weights = test_calloc(count, sizeof *weights);
    md5_player_morphs(machine->player, weights);
    for (uint32_t i = 0; i < count; i++)
        CHECK_THAT(weights[i] >= 0.0f && weights[i] < 1.01f, "%s is %g at %g s",
                   md5_machine_morph_name(machine->character->machine, i), (double)weights[i],
                   machine->time);
}

// Plays the demo scene at two frame rates. The events must be the same, each shot must show the
// front, and the scene must end when the user takes over.
TEST (view_demo_scene_tells_its_story) {
    static const struct {
        double second;
        const char *shot;
        const char *story;
        const char *guest; // the state of the guest
    } cases[] = {
        {5, "wave", "ready", "waits"},       {10, "stand", "chase", "waits"},
        {15, "stand", "dizzy", "waits"},     {19.5, "sneeze", "ready", "waits"},
        {24, "none", "yawn", "trots"},       {30, "stand", "doze", "comes"},
        {33.2, "stand", "startle", "looks"}, {35.6, "pat", "ready", "begs"},
        {37.5, "pat", "ready", "purrs"},     {44.5, "wave", "ready", "leaves"},
        {48, "giggle", "ready", "goes"},
    };
    view_machine host, guest;
    view_camera camera = {.scene_radius = 1};
    const float aspect = 16.0f / 9;
    for (int rate = 1; rate <= 50; rate += 49) {
        if (!begin_guest(&host, &guest))
            return;
        guest.start = (md5_xform){.rotation = {.z = 0.70710678f, .w = 0.70710678f},
                                  .translation = {27.5f, -347, 0}};
        guest.placement = guest.start;
        host.plays_demo = true;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            for (double time = host.time; time < cases[i].second; time += 1.0 / rate) {
                view_run_machine(&host, time);
                check_face(&host);
                CHECK(view_find_demo_camera(&host, aspect, &camera));
                CHECK(fabsf(camera.azimuth) <= 60.0f);
            }
            view_run_machine(&host, cases[i].second);
            CHECK_STRING(one_shot_name(&host), cases[i].shot);
            CHECK_STRING(story_state_name(&host), cases[i].story);
            CHECK_STRING(state_name(&guest), cases[i].guest);
        }
        CHECK_NEAR(parameter_value(&host, "pointer"), 1, 0.01); // Bobbin looks into the camera
        CHECK_NEAR(parameter_value(&host, "eyes_yaw"), camera.azimuth, 3);
        // The last shot remains, and the camera comes no nearer, until the user takes over.
        view_run_machine(&host, (double)VIEW_DEMO_SECONDS + (rate == 1 ? 300 : 0));
        // The scene ends on the face.
        CHECK(view_find_demo_camera(&host, aspect, &camera));
        CHECK(camera.distance > 80.0f && camera.distance < 100.0f);
        view_stop_acting(&host);
        CHECK(!view_find_demo_camera(&host, aspect, &camera));
        view_free_machine(&guest);
        view_free_machine(&host);
    }
}
