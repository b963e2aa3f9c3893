// What is shown of the materials of a game folder, test/data/shown: pictures with and without a
// card in front of a wall.
#include "test/viewer/test_view_shot.h"

#include "demo/viewer/motion/entity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CARDS "test/data/shown/cards.md5mesh"
#define SMALL                                                                         \
    " --resolution 440,80 --samples 1 --camera-orthographic --camera-azimuth-angle 0" \
    " --camera-elevation-angle 0 "

// -- Cards ------------------------------------------------------------------------------------

enum { NUM_CARDS = 16 };

// How a card changes the picture of the wall; channels differ by more than 24 of 255.
typedef struct card_case {
    int card;            // number of its mesh
    const char *options; // of both pictures; NULL: those of an entity
    bool gets_darker, gets_brighter;
    bool is_red; // it becomes brighter by more red than blue
} card_case;

static const card_case card_cases[] = {
    {1, "", false, true, true},   // light is added, and no shadow falls
    {2, "", false, false, false}, // a flash without its picture
    {3, "", false, false, false}, // a film likewise
    {4, "", false, false, false}, // a decal
    {5, "", false, false, false}, // a lit one
    {6, "", true, true, false},   // an opaque surface has a pattern and a shadow
    {7, "", true, true, false},   // one that is not lit, too
    {8, "", false, false, false}, // a gun that fired a minute ago
    {8, "--parm 4=0", false, true, false},
    {8, "--parm 4=0.5", false, false, false},
    {9, "", false, false, false}, // its only stage is off
    {9, "--parm 6=1", false, true, false},
    {10, "", false, true, false},           // of two diffuse maps one is on: white,
    {10, "--parm 6=1", true, false, false}, // and black
    {11, "", true, false, false},           // no diffuse map: nothing but highlights
    {12, "", true, false, false},  // its program is not shown; below its stages it is black
    {13, "", false, true, false},  // lit, without a shadow
    {14, "", false, false, false}, // seen from its front, it has only a back
    {14, "--camera-azimuth-angle 180", false, true, false},
    {15, "", false, true, false}, // in the colour of the entity, which is white,
    {15, "--parm 2=0 --parm 1=0", false, true, true}, // red,
    {15, NULL, false, true, true},                    // and red by its key
    {9, NULL, false, true, false},                    // which its only stage asks for, too
    {16, "", true, true, false}, // one without its picture that would be cut out has a pattern
};

// Draws the wall, with one card or, if that is 0, without any.
static shot draw_card(shot_viewer *viewer, int card)
{
    const uint64_t cards = (((uint64_t)1 << NUM_CARDS) - 1) << 1;
    view_show_meshes(viewer->state.document, card == 0 ? cards : cards & ~((uint64_t)1 << card));
    return shot_draw(viewer);
}

TEST_SCENE (view_materials_of_a_game_folder_are_shown_as_declared) {
    for (size_t i = 0; i < sizeof card_cases / sizeof card_cases[0]; i++) {
        const card_case *const expected = &card_cases[i];
        char line[256];
        shot_viewer viewer;
        (void)snprintf(line, sizeof line, "%s" SMALL "%s",
                       expected->options ? CARDS : "test/data/shown::shown_red",
                       expected->options ? expected->options : "");
        if (!shot_open(&viewer, scene, line))
            break;
        shot without = draw_card(&viewer, 0), with = draw_card(&viewer, expected->card);
        size_t darker = 0, brighter = 0;
        long red = 0;
        for (size_t k = 0; k < 4 * (size_t)with.width * with.height; k++) {
            const int change = with.rgba[k] - without.rgba[k];
            darker += change < -24;
            brighter += change > 24;
            red += k % 4 == 0 ? change : k % 4 == 2 ? -change : 0;
        }
        test_check(
            (darker > 100) == expected->gets_darker && (brighter > 100) == expected->gets_brighter
                && (darker <= 100 || darker > 300) && (brighter <= 100 || brighter > 300)
                && (red > 10000) == expected->is_red,
            __FILE__, __LINE__, "card %d %s: %zu darker, %zu brighter, red %ld", expected->card,
            expected->options ? expected->options : "of the entity", darker, brighter, red);
        free(without.rgba);
        free(with.rgba);
        shot_close(&viewer);
    }
}

// -- Files ------------------------------------------------------------------------------------

// Loads the textures of a file of the folder, by its path or from the opened folder.
static md5_model *load(const gl_scene *scene, const char *path, view_textures *textures,
                       view_log *log)
{
    md5_model *const model = md5_load_model(test_path(path), NULL, NULL);
    if (CHECK(model != NULL))
        CHECK(view_load_textures(textures, &(view_loader){.renderer = scene->renderer, .log = log},
                                 &(view_dressing){.model = model, .path = test_path(path)}));
    return model;
}

// Two pictures are missing, one named by four materials and one by three others.
TEST_SCENE (view_missing_pictures_are_reported_once) {
    view_log log = {.level = VIEW_QUIET};
    view_textures textures;
    md5_model *const model = load(scene, CARDS, &textures, &log);
    CHECK_UINT(log.num_warnings, 2);
    CHECK(strncmp(log.last[0], "picture no/flash: ", 18) == 0);
    CHECK(strncmp(log.last[1], "picture no/film: ", 17) == 0);
    view_free_textures(&textures, scene->renderer);
    md5_free_model(model);
}

// Maps are those that a material declares. A glow map whose file is beside its texture is none of
// them, nor are normals whose name fits the texture's better than those that it names.
TEST_SCENE (view_declared_materials_have_their_own_maps) {
    view_log log = {.level = VIEW_QUIET};
    view_textures textures;
    md5_model *const model = load(scene, "test/data/shown/painted.md5mesh", &textures, &log);
    const char *const paths[] = {view_mesh_map_path(&textures, 0, VIEW_MAP_DIFFUSE),
                                 view_mesh_map_path(&textures, 0, VIEW_MAP_NORMALS)};
    CHECK_STRING(paths[0] != NULL ? paths[0] : "none", "paint");
    CHECK_STRING(paths[1] != NULL ? paths[1] : "none", "dents");
    CHECK(view_mesh_map_path(&textures, 0, VIEW_MAP_SPECULAR) == NULL);
    CHECK(view_mesh_map_path(&textures, 0, VIEW_MAP_GLOW) == NULL);
    CHECK_UINT(log.num_warnings, 0);
    view_free_textures(&textures, scene->renderer);
    md5_free_model(model);
}

// -- Rates ------------------------------------------------------------------------------------

// A clip of a second with a rate of 2 takes half a second, on the time bar and as it is posed: as
// it is in its file, and in the channels of an actor.
TEST_SCENE (view_clips_play_at_the_rate_of_their_modeldef) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, "test/data/shown::shown_quick")) {
        view_scene *const shown = &viewer.state.document->scene;
        view_play *const play = &viewer.state.play;
        CHECK_NEAR(view_shown_anim(shown)->duration, 0.5, 1e-6);
        for (int i = 0; i < 2; i++) {
            shown->entity.is_played = i == 1;
            view_choose_motion(shown);
            if (i == 1)
                CHECK(view_play_channel(&shown->entity, MD5_CHANNEL_ALL, 0));
            for (int step = 0; step < 4; step++) {
                play->time = 0.125 * step;
                view_pose(shown, play);
                CHECK_NEAR((double)shown->joints[0].m[3], 8.0 * play->time, 1e-3);
            }
        }
    }
    shot_close(&viewer);
}

// -- Eyes -------------------------------------------------------------------------------------

// Where an eye is in a picture, and where the middle of its white part is, in pixels.
typedef struct eye {
    uint32_t left, right, num_pixels, num_white;
    double white;
} eye;

// Finds the eye in the left or right part of a picture.
static eye find_eye(const shot *picture, uint32_t from, uint32_t to)
{
    eye found = {.left = to};
    for (uint32_t y = 0; y < picture->height; y++)
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
    found.white /= found.num_white > 0 ? found.num_white : 1;
    return found;
}

// Eyes are squares of 16 units, 8 in front of where they look from. Their texture is white in the
// middle 7.5 units: of the first one, which looks ahead, in its middle; of the second one, which
// looks to its left by atan(1/4), 2 units beside. The triangles are not drawn.
TEST_SCENE (view_eyes_look_where_their_triangles_say) {
    shot taken = shot_take(scene, "test/data/shown/eyes.md5mesh" SMALL "--no-background");
    const uint32_t middle = taken.width * 2 / 5;
    const eye ahead = find_eye(&taken, 0, middle), left = find_eye(&taken, middle, taken.width);
    const eye *const eyes[2] = {&ahead, &left};
    for (int i = 0; i < 2; i++) {
        const double side = eyes[i]->right - eyes[i]->left;
        const double offset = (eyes[i]->white - eyes[i]->left) / side - 0.5;
        CHECK(side > 40.0);
        CHECK_NEAR(eyes[i]->num_pixels / (side * side), 1.0, 0.05);
        CHECK_NEAR(offset, i == 0 ? 0.0 : 2.0 / 16.0, 0.02);
        CHECK_NEAR(eyes[i]->num_white / (side * side), 7.5 * 7.5 / 256.0, 0.03);
    }
    free(taken.rgba);
}

// The border stays black where the texture is drawn smaller than it is.
TEST_SCENE (view_borders_of_built_in_images_stay_black) {
    shot taken = shot_take(scene, "test/data/shown/eyes.md5mesh" SMALL
                                  "--no-background --resolution 110,20");
    const eye ahead = find_eye(&taken, 0, taken.width * 2 / 5);
    const size_t middle = (size_t)(taken.height / 2) * taken.width;
    CHECK(ahead.num_white > 0 && ahead.right - ahead.left < 20);
    for (uint32_t x = ahead.left + 1; x < ahead.left + 3; x++)
        CHECK(taken.rgba[4 * (middle + x)] < 8);
    free(taken.rgba);
}
