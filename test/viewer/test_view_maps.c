// How the viewer distinguishes kinds of normal maps, and derives them from heights.
#define _POSIX_C_SOURCE 200809L // mkstemp()
#include "test/render/test_gl_scene.h"
#include "test/test.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/viewer/assets/look.h"
#include "demo/viewer/assets/image.h"
#include "demo/viewer/assets/textures.h"
#include "demo/viewer/base/config.h"
#include "render/md5gl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 64 };

// The height of an oblique hill and valley that wrap around, 0..255.
static double height(double x, double y)
{
    const double turn = 6.283185307179586 / (double)SIDE;
    return 127.5 + 60.0 * sin(turn * (x + y)) + 60.0 * cos(turn * (2.0 * x - y));
}

// The expected normal at a pixel: from differences of exact heights.
static void exact_normal(double x, double y, double scale, double normal[3])
{
    const double small = 1e-4;
    normal[0] = -(height(x + small, y) - height(x - small, y)) / (2.0 * small) * scale / 256.0;
    normal[1] = -(height(x, y + small) - height(x, y - small)) / (2.0 * small) * scale / 256.0;
    const double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + 1.0);
    normal[0] /= length;
    normal[1] /= length;
    normal[2] = 1.0 / length;
}

static view_image make_image(void)
{
    view_image image = {malloc((size_t)SIDE * SIDE * 4), SIDE, SIDE};
    if (image.rgba == NULL)
        abort();
    memset(image.rgba, 255, (size_t)SIDE * SIDE * 4);
    return image;
}

// Normals as id stores them.
static view_image make_normals(void)
{
    view_image image = make_image();
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            double normal[3];
            exact_normal(x, y, 8.0, normal);
            for (int i = 0; i < 3; i++)
                image.rgba[4 * (y * SIDE + x) + i] = (uint8_t)lround(127.5 + 127.5 * normal[i]);
        }
    }
    return image;
}

TEST (view_maps_show_the_direction_of_green) {
    view_image image = make_normals();
    CHECK(view_green_side(&image) > 0.7);
    CHECK_UINT(view_guess_normals(&image), 0);
    for (int i = 0; i < SIDE * SIDE; i++)
        image.rgba[4 * i + 1] = (uint8_t)(255 - image.rgba[4 * i + 1]);
    CHECK(view_green_side(&image) < -0.7);
    CHECK_UINT(view_guess_normals(&image), MD5GL_NORMALS_GREEN_UP);
    // x in alpha, nothing in red.
    for (int i = 0; i < SIDE * SIDE; i++) {
        image.rgba[4 * i + 3] = image.rgba[4 * i];
        image.rgba[4 * i] = 0;
    }
    CHECK_UINT(view_guess_normals(&image), MD5GL_NORMALS_GREEN_UP | MD5GL_NORMALS_RXGB);
    free(image.rgba);
}

// Flat normals show no direction: id's convention is assumed.
TEST (view_maps_of_flat_normals_are_in_ids_convention) {
    view_image image = make_image();
    for (int i = 0; i < SIDE * SIDE; i++)
        image.rgba[4 * i] = image.rgba[4 * i + 1] = 128;
    CHECK_UINT(view_guess_normals(&image), 0);
    image.width = image.height = 1;
    CHECK_UINT(view_guess_normals(&image), 0);
    free(image.rgba);
}

// The largest error of a picture's normals, in steps of its bytes, against exact normals half a
// pixel further, which is where four heights meet.
static double worst_normal(const view_image *image, double scale)
{
    double worst = 0.0;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            double normal[3];
            exact_normal(x + 0.5, y + 0.5, scale, normal);
            for (int i = 0; i < 3; i++)
                worst = fmax(worst,
                             fabs(127.5 + 127.5 * normal[i] - image->rgba[4 * (y * SIDE + x) + i]));
        }
    }
    return worst;
}

TEST (view_maps_make_normals_of_heights) {
    view_image heights = make_image();
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            memset(heights.rgba + 4 * (y * SIDE + x), (int)lround(height(x, y)), 3);
    view_image once = view_normals_of_heights(&heights, 4.0f);
    CHECK(once.width == SIDE && once.height == SIDE);
    // Heights are whole numbers, so a slope is off by a unit of height at most.
    CHECK(worst_normal(&once, 4.0) < 1.0 + 127.5 * 4.0 / 256.0);
    CHECK(view_green_side(&once) > 0.2);
    // Twice the slopes, from a map of another size.
    view_image small = {calloc((size_t)SIDE * SIDE / 4, 4), SIDE / 2, SIDE / 2};
    for (int i = 0; i < SIDE * SIDE / 4; i++)
        memcpy(small.rgba + 4 * i, once.rgba + 4 * (i / (SIDE / 2) * 2 * SIDE + i % (SIDE / 2) * 2),
               4);
    view_add_slopes(&once, &small);
    CHECK(worst_normal(&once, 8.0) < 12.0);
    CHECK(worst_normal(&once, 4.0) > 20.0);
    free(small.rgba);
    free(once.rgba);
    free(heights.rgba);
}

TEST (view_maps_have_holes_where_alpha_is_low) {
    view_image image = make_image();
    CHECK(!view_has_holes(&image));
    for (int i = 0; i < SIDE * SIDE / 50; i++)
        image.rgba[4 * i + 3] = 10;
    CHECK(view_has_holes(&image));
    free(image.rgba);
}

TEST (view_maps_are_found_by_their_endings) {
    static char a[] = "x/imp.tga", b[] = "x/Imp_S.PNG", c[] = "x/imp_nor.jpg",
                d[] = "x/imp_local.tga", e[] = "x/imp_local.txt", f[] = "x/imps_s.png";
    char *names[] = {f, e, c, b, d, a};
    const common_list files = {names, 6};
    CHECK_STRING(view_find_map(&files, "x/imp.tga", VIEW_MAP_NORMALS), d); // id's ending first
    CHECK_STRING(view_find_map(&files, "x/imp_d.tga", VIEW_MAP_SPECULAR), b);
    CHECK_STRING(view_find_map(&files, "x/imp_col.png", VIEW_MAP_NORMALS), d);
    CHECK(view_find_map(&files, "x/imp.tga", VIEW_MAP_GLOW) == NULL);
    CHECK(view_find_map(&files, "x/other_d.tga", VIEW_MAP_NORMALS) == NULL);
    CHECK_STRING(view_map_name(VIEW_MAP_GLOW), "glow map");
}

// -- View painted ---------------------------------------------------------------------------------

// Layers of lit stages: which stages of a material are drawn together, in which colours, and when.

enum { WHITE = MD5_FIRST_REGISTER, HALF, OFF, NUM_REGISTERS, MOST_STAGES = 6 };

static const float registers[NUM_REGISTERS] = {[WHITE] = 1.0f, [HALF] = 0.5f};

static md5_stage lit_stage(md5_stage_light light, uint32_t condition, uint32_t red)
{
    return (md5_stage){.light = light, .condition = condition, .color = {red, WHITE, WHITE, WHITE}};
}

// Layers whose textures have the numbers of their stages, from 1.
typedef struct lit_case {
    md5_stage stages[MOST_STAGES];
    md5gl_texture textures[MOST_STAGES];
    md5gl_material shown[MOST_STAGES];
    md5_material material;
    view_lit_layers lit;
} lit_case;

static void choose(lit_case *c, uint32_t num_stages)
{
    for (uint32_t i = 0; i < MOST_STAGES; i++)
        c->textures[i] = i + 1;
    c->material =
        (md5_material){.stages = c->stages, .num_stages = num_stages, ROWS(registers, registers)};
    c->lit.textures = c->textures;
    c->lit.shown = c->shown;
    view_choose_lit_layers(&c->lit, &c->material, registers);
}

// A layer begins with a bump map, and with a second diffuse map; a specular map belongs to the
// diffuse map before it. The mesh's own maps are 0.
TEST (view_lit_stages_are_layers) {
    lit_case c = {
        .stages = {
            lit_stage(MD5_STAGE_BUMP, WHITE, WHITE), lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
            lit_stage(MD5_STAGE_DIFFUSE, WHITE, HALF), lit_stage(MD5_STAGE_SPECULAR, WHITE, WHITE),
            lit_stage(MD5_STAGE_BUMP, WHITE, WHITE), lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE)}};
    static const md5gl_texture expected[3][3] = {{0, 0, 0}, {3, 1, 4}, {6, 5, 0}};
    choose(&c, 6);
    CHECK_UINT(c.lit.num_shown, 3);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_UINT(c.shown[i].diffuse, expected[i][0]);
        CHECK_UINT(c.shown[i].normals, expected[i][1]);
        CHECK_UINT(c.shown[i].specular, expected[i][2]);
        CHECK(view_reflects(c.shown[i].specular_color) == (i == 1));
    }
    const md5_vec3 color = c.shown[1].diffuse_color;
    CHECK(color.x == 0.5f && color.y == 1.0f && color.z == 1.0f);
}

// What is off is as if it were not there; without a map nothing is reflected.
TEST (view_lit_stages_that_are_off_draw_nothing) {
    lit_case c = {.stages = {lit_stage(MD5_STAGE_BUMP, WHITE, WHITE),
                             lit_stage(MD5_STAGE_DIFFUSE, OFF, WHITE),
                             lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
                             lit_stage(MD5_STAGE_SPECULAR, WHITE, WHITE)}};
    choose(&c, 4);
    CHECK(c.lit.num_shown == 1 && c.shown[0].diffuse == 3 && c.shown[0].specular == 0);
    c.stages[2].condition = OFF;
    choose(&c, 4);
    const md5_vec3 black = c.shown[0].diffuse_color; // not 0, which is white
    CHECK(c.lit.num_shown == 1 && black.x > 0.0f && black.x < 1e-30f && black.y < 1e-30f
          && black.z < 1e-30f);
    CHECK(view_reflects(c.shown[0].specular_color));
    choose(&c, 1);
    CHECK_UINT(c.lit.num_shown, 0);
    c.stages[1].condition = WHITE;
    c.lit.lacks_diffuse = true;
    choose(&c, 2);
    CHECK_UINT(c.lit.num_shown, 0);
    c.lit.lacks_diffuse = false;
    choose(&c, 2);
    CHECK_UINT(c.lit.num_shown, 1);
}

// The last diffuse or specular stage of a layer decides.
TEST (view_lit_stages_say_what_vertex_colours_do) {
    lit_case c = {.stages = {lit_stage(MD5_STAGE_BUMP, WHITE, WHITE),
                             lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
                             lit_stage(MD5_STAGE_SPECULAR, WHITE, WHITE)}};
    for (int i = 0; i < 3; i++) {
        c.stages[2].vertex_color = (md5_vertex_color)i;
        choose(&c, 3);
        CHECK(c.lit.num_shown == 1 && c.shown[0].no_vertex_color == (i == 0)
              && c.shown[0].inverse_vertex_color == (i == 2));
        CHECK(view_is_painted(&c.material, &c.stages[2]) == (i > 0));
    }
}

TEST (view_lit_stages_of_other_colours_are_painted) {
    const md5_stage stages[4] = {
        lit_stage(MD5_STAGE_BUMP, WHITE, HALF), lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
        lit_stage(MD5_STAGE_DIFFUSE, WHITE, HALF),
        lit_stage(MD5_STAGE_SPECULAR, WHITE, 1)}; // a register that changes
    const md5_material material = {ROWS(stages, stages), ROWS(registers, registers)};
    for (int i = 0; i < 4; i++)
        CHECK(view_is_painted(&material, &stages[i]) == (i > 1));
}

// -- View chosen ----------------------------------------------------------------------------------

// Textures that the user chose for meshes: the list of them, its lines in the configuration file,
// and their use for a model.

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
