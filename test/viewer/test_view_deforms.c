// Surfaces that materials deform, for each instance: companions and crowds.
#include "test/viewer/test_view_shot.h"

#include "demo/viewer/assets/layers.h"
#include "demo/viewer/assets/library.h"
#include "demo/viewer/assets/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALF = SCENE_WIDTH / 2 };

// The brightness of half a picture, and the largest difference of its halves.
static uint32_t sum_of(const gl_picture *picture, int half, int *difference)
{
    uint32_t sum = 0;
    *difference = 0;
    for (int row = 0; row < SCENE_HEIGHT; row++)
        for (int column = 0; column < HALF; column++)
            for (int channel = 0; channel < 3; channel++) {
                const int left = picture->rgba[row][column][channel];
                const int right = picture->rgba[row][column + HALF][channel];
                sum += (uint32_t)(half == 0 ? left : right);
                *difference = abs(left - right) > *difference ? abs(left - right) : *difference;
            }
    return sum;
}

static view_layers load_layers(gl_stage *stage, view_package *package, const char *material)
{
    view_log log = {.level = VIEW_QUIET};
    view_layers layers = {0};
    (void)view_add_layers(&layers, stage->scene.renderer, view_package_game(package, &log), 0,
                          material, &log);
    view_sort_layers(&layers, 1);
    view_evaluate_layers(&layers, &(md5_material_input){.parms = {1, 1, 1, 1}});
    view_set_deforms(&layers, stage->scene.renderer, stage->copy, stage->model, &log);
    return layers;
}

static void draw_two(gl_stage *stage, const view_layers *layers, const md5_mat34 placements[2],
                     gl_picture *picture)
{
    const md5_mat34 palettes[4] = {scene_identity, scene_identity, scene_identity, scene_identity};
    md5gl_renderer *const renderer = stage->scene.renderer;
    md5gl_begin_frame(renderer, &stage->frame);
    CHECK(scene_pose(renderer, stage->copy, palettes, placements, 2, NULL));
    CHECK(
        md5gl_draw_stages(renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, layers->lists, 1, NULL));
    scene_finish(&stage->scene, &stage->frame, picture);
}

// Two placements of one model: as in its file, and turned so that it is seen from its edge. Sprites
// look the same in both if each has a view of its own.
TEST_STAGE (view_deforms_face_the_viewer_in_every_instance, scene_square, 1) {
    // As scene_frame() looks: along -x.
    static const md5_deform_view view = {{500, 0, 0}, {0, -1, 0}, {0, 0, 1}};
    const md5_mat34 placements[2] = {scene_moved(0, -40, 0),
                                     {{0, -1, 0, 7, 1, 0, 0, 40, 0, 0, 1, 0}}};
    gl_picture picture;
    int difference;
    view_package *const package = view_open_package(test_path("models/game/base/any.md5mesh"));
    view_layers layers = load_layers(stage, package, "kinds/sprite");
    CHECK(view_has_deforms(&layers));
    CHECK(md5gl_mesh_path(stage->copy, 0, NULL) == MD5GL_PATH_CPU);

    view_see_deforms(&layers, &view, placements, 2);
    draw_two(stage, &layers, placements, &picture);
    CHECK(sum_of(&picture, 0, &difference) > 10000);
    CHECK(difference <= 1);

    // With one view in model space for both, the second one is seen from its edge.
    view_see_deforms(&layers, &view, NULL, 0);
    draw_two(stage, &layers, placements, &picture);
    CHECK(sum_of(&picture, 1, &difference) < 100);
    view_free_layers(&layers, stage->scene.renderer);
    view_close_package(package);
}

// The size of a sprite is that of its quad, also if the placement scales it.
TEST_STAGE (view_deforms_keep_scale, scene_square, 1) {
    static const md5_deform_view view = {{500, 0, 0}, {0, -1, 0}, {0, 0, 1}};
    const md5_mat34 whole_size[2] = {scene_moved(0, -40, 0), scene_moved(0, 40, 0)};
    const md5_mat34 half[2] = {scene_moved(0, -40, 0),
                               {{0.5f, 0, 0, 0, 0, 0.5f, 0, 40, 0, 0, 0.5f, 0}}};
    gl_picture picture;
    int difference;
    view_package *const package = view_open_package(test_path("models/game/base/any.md5mesh"));
    view_layers layers = load_layers(stage, package, "kinds/sprite");
    view_see_deforms(&layers, &view, whole_size, 2);
    draw_two(stage, &layers, whole_size, &picture);
    const uint32_t whole = sum_of(&picture, 1, &difference);
    view_see_deforms(&layers, &view, half, 2);
    draw_two(stage, &layers, half, &picture);
    CHECK_NEAR((double)sum_of(&picture, 1, &difference) / whole, 0.25, 0.02);
    view_free_layers(&layers, stage->scene.renderer);
    view_close_package(package);
}

// -- Pictures ---------------------------------------------------------------------------------

#define GLOW "test/data/sprites/glow.md5mesh test/data/sprites/still.md5anim"
#define SMALL                                                                               \
    " --resolution 160,120 --samples 1 --no-shadow --camera-orthographic --camera-distance" \
    " 200 --camera-elevation-angle 60 "

// The number of pixels that the orange sprites cover.
static double count_orange(const gl_scene *scene, const char *line)
{
    shot taken = shot_take(scene, line);
    uint32_t count = 0;
    for (uint32_t i = 0; taken.rgba != NULL && i < taken.width * taken.height; i++)
        count += taken.rgba[4 * i] > 200 && taken.rgba[4 * i + 2] < 150;
    free(taken.rgba);
    return (double)count;
}

// From every side each character has a sprite of the same size: one model, that with another beside
// it, a crowd. The quads are turned in different directions, and some would be seen from behind.
TEST_SCENE (view_deforms_of_companions_and_crowds) {
    static const struct {
        const char *line;
        double sprites;
    } cases[] = {
        {GLOW SMALL, 1},
        {GLOW SMALL "--camera-azimuth-angle 90 --retarget test/data/sprites/glow.md5mesh", 2},
        {GLOW SMALL "--camera-azimuth-angle 200 --attach root=test/data/sprites/glow.md5mesh", 1},
        {GLOW SMALL "--crowd 5 --crowd-impostors 64 --camera-azimuth-angle 190", 5},
    };
    double first = 0.0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double count = count_orange(scene, cases[i].line);
        first = i == 0 ? count : first;
        test_check(first > 20 && fabs(count / first - cases[i].sprites) < 0.1 * cases[i].sprites,
                   __FILE__, __LINE__, "%s: %g pixels, the first %g", cases[i].line, count, first);
    }
}

// A lit surface of an image that is built into the engine shows that, and neither it nor a surface
// of stages alone misses a file.
TEST_SCENE (view_layers_show_built_in_images) {
    static const char *const cases[] = {"test/data/sprites/plain.md5mesh",
                                        "test/data/sprites/glow.md5mesh"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        view_log log = {.level = VIEW_QUIET};
        view_textures textures;
        md5_model *const model = md5_load_model(test_path(cases[i]), NULL, NULL);
        CHECK(view_load_textures(&textures,
                                 &(view_loader){.renderer = scene->renderer, .log = &log},
                                 &(view_dressing){.model = model, .path = test_path(cases[i])}));
        const md5gl_material material =
            view_mesh_material(&textures, scene->renderer, 0, true, 0.0);
        CHECK(material.diffuse != md5gl_checker_texture(scene->renderer));
        CHECK_UINT(view_mesh_look(&textures, 0)->tried.count, 0);
        view_free_textures(&textures, scene->renderer);
        md5_free_model(model);
    }
}

// In a game folder too a texture that no material names is guessed, by the name of the model; but
// not that of an entity.
TEST_SCENE (view_textures_are_guessed_in_a_game_folder) {
    view_log log = {.level = VIEW_QUIET};
    const char *const path = test_path("test/data/lost/lost.md5mesh");
    view_package *const package = view_open_package(path);
    md5_model *const model = md5_load_model(path, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        view_textures textures;
        char *const address = view_make_address(view_package_root(package),
                                                i == 0 ? "lost.md5mesh" : "monster_lost", NULL);
        CHECK(view_load_textures(
            &textures, &(view_loader){.renderer = scene->renderer, .log = &log},
            &(view_dressing){
                .model = model, .path = address, .game = view_package_game(package, &log)}));
        const view_texture *const image = view_mesh_image(&textures, 0, VIEW_MAP_DIFFUSE);
        CHECK((view_mesh_look(&textures, 0)->is_guess) == (i == 0));
        CHECK((image != NULL && image->width == 8) == (i == 0));
        view_free_textures(&textures, scene->renderer);
        free(address);
    }
    md5_free_model(model);
    view_close_package(package);
}
