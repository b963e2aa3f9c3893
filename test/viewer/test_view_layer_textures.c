// Cube maps of materials: the six pictures of a camera, and the textures of stages.
#include "test/render/test_gl_scene.h"

#include "demo/viewer/assets/layers.h"
#include "demo/viewer/assets/look.h"

#include <string.h>

enum { SIDE = 4 };

static void encode(const double way[3], uint8_t *texel)
{
    for (int i = 0; i < 3; i++)
        texel[i] = (uint8_t)(128.0 + 100.0 * way[i]);
    texel[3] = 255;
}

// The direction in which a camera of the engine's world (x forward, y left, z up) looks at a point
// of its picture.
static void camera_way(int number, double right, double down, double way[3])
{
    const double ways[6][3] = {{1, -right, -down},  {-1, right, -down}, {right, 1, -down},
                               {-right, -1, -down}, {down, -right, 1},  {-down, -right, -1}};
    memcpy(way, ways[number], sizeof ways[number]);
}

// The direction that OpenGL looks up at (s, t) of a side: its specification, "Cube Map Texture
// Selection", solved for the direction.
static void side_way(int number, double s, double t, double way[3])
{
    const double ways[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                               {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
    memcpy(way, ways[number], sizeof ways[number]);
}

// The centre of a texel, -1 to 1.
static double middle(int texel)
{
    return (texel + 0.5) * 2.0 / (int)SIDE - 1.0;
}

TEST (view_camera_cubes_show_where_the_camera_looked) {
    for (int number = 0; number < 6; number++) {
        uint8_t from[SIDE * SIDE][4], to[SIDE * SIDE][4], expected[4];
        double way[3];
        for (int i = 0; i < SIDE * SIDE; i++) {
            camera_way(number, middle(i % SIDE), middle(i / SIDE), way);
            encode(way, from[i]);
        }
        view_turn_camera_side(number, SIDE, from[0], to[0]);
        for (int i = 0; i < SIDE * SIDE; i++) {
            side_way(number, middle(i % SIDE), middle(i / SIDE), way);
            encode(way, expected);
            CHECK(memcmp(to[i], expected, 4) == 0);
        }
    }
}

TEST_SCENE (view_layers_have_cube_maps_and_generated_coordinates) {
    static const struct {
        const char *material;
        md5gl_texgen texgen;
        const char *note;
        uint32_t num_warnings;
    } cases[] = {
        {"kinds/reflect", MD5GL_TEXGEN_REFLECT, NULL, 0},
        {"kinds/skybox", MD5GL_TEXGEN_SKYBOX, NULL, 0},
        {"kinds/normal", MD5GL_TEXGEN_NORMAL, NULL, 0},
        {"kinds/screen", MD5GL_TEXGEN_SCREEN, NULL, 0},
        {"kinds/built_in_cube", MD5GL_TEXGEN_NORMAL, NULL, 0},
        {"kinds/wobble_sky", MD5GL_TEXGEN_MESH,
         "stage 1 not shown: texture coordinates of a wobbling sky", 0},
        {"kinds/missing_cube", MD5GL_TEXGEN_MESH, NULL, 1},
        {"kinds/flat_cube", MD5GL_TEXGEN_MESH,
         "stage 1 not shown: cube map env/kinds without directions", 0},
    };
    view_package *const package = view_open_package(test_path("models/game/base/any.md5mesh"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bool is_shown = cases[i].note == NULL && cases[i].num_warnings == 0;
        view_log log = {.level = VIEW_QUIET};
        view_layers layers = {0};
        (void)view_add_layers(&layers, scene->renderer, view_package_game(package, &log), 0,
                              cases[i].material, &log);
        view_sort_layers(&layers, 1);
        view_evaluate_layers(&layers, &(md5_material_input){.time = 0.0f});
        CHECK_UINT(layers.num_meshes, 1);
        CHECK_UINT(log.num_warnings, cases[i].num_warnings);
        CHECK_UINT(layers.num_notes, cases[i].note != NULL);
        if (layers.num_notes > 0)
            CHECK_STRING(layers.notes[0].text, cases[i].note);
        CHECK_UINT(layers.lists[0].num_stages, is_shown);
        if (is_shown) {
            CHECK(layers.lists[0].stages[0].texture != 0);
            CHECK_UINT(layers.lists[0].stages[0].texgen, cases[i].texgen);
        }
        view_free_layers(&layers, scene->renderer);
    }
    view_close_package(package);
}
