// Materials of a game folder in the viewer: which stages are drawn when and with what state, and
// --parm.
#include "test/render/test_gl_scene.h"
#include "test/test.h"

#include "demo/viewer/assets/textures.h"
#include "demo/viewer/assets/look.h"
#include "demo/viewer/base/options.h"

#include <stdlib.h>
#include <string.h>

// -- The option -------------------------------------------------------------------------------

static bool read_parm(const char *text, view_options *options)
{
    char problem[256] = "", parm[] = "--parm";
    char *const copy = strcpy(malloc(strlen(text) + 1), text);
    char *arguments[] = {parm, copy};
    const bool is_read = view_read_options(2, arguments, options, problem, sizeof problem);
    CHECK(is_read || strstr(problem, "parm") != NULL);
    free(copy);
    return is_read;
}

TEST (view_parm_option_is_a_number_and_a_value) {
    static const char *const wrong[] = {"7",    "12=1",  "-1=1",  "7=",     "7=x",
                                        "7=1x", "7=nan", "7=inf", "7=1e99", "x=1"};
    view_options options;
    if (CHECK(read_parm("7=2.5", &options))) {
        CHECK(options.parms.values[7] == 2.5f && options.parms.values[11] == 0.0f);
        CHECK(options.parms.values[0] == 1.0f && options.parms.values[3] == 1.0f);
        CHECK(options.names_content);
    }
    view_free_options(&options);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(!read_parm(wrong[i], &options));
        view_free_options(&options);
    }
}

// -- Layers -----------------------------------------------------------------------------------

typedef struct layer_case {
    const char *material;
    bool is_layered;
    md5gl_base base;
    uint32_t num_stages;
    md5gl_factor source, target; // of the first stage
    bool is_staged;              // and casts no shadow
} layer_case;

// The materials of models/game/base/materials, as that folder's README describes them.
static const layer_case layer_cases[] = {
    {.material = "kinds/lit_stages"},
    {.material = "kinds/nosuch"},
    {"kinds/add", true, MD5GL_BASE_NONE, 1, MD5GL_FACTOR_ONE, MD5GL_FACTOR_ONE, true},
    {"kinds/blend", true, MD5GL_BASE_NONE, 1, MD5GL_FACTOR_SOURCE_ALPHA,
     MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA, true},
    {"kinds/filter", true, MD5GL_BASE_NONE, 1, MD5GL_FACTOR_TARGET_COLOR, MD5GL_FACTOR_ZERO, true},
    {"kinds/factors", true, MD5GL_BASE_NONE, 1, MD5GL_FACTOR_TARGET_COLOR, MD5GL_FACTOR_ONE, true},
    {"models/md5/thimble/hull", true, MD5GL_BASE_NONE, 1, MD5GL_FACTOR_ONE, MD5GL_FACTOR_ONE,
     false},
    {"kinds/lit_film", true, MD5GL_BASE_ADDED, 0, MD5GL_FACTOR_ZERO, MD5GL_FACTOR_ZERO, true},
    {"kinds/hidden", true, MD5GL_BASE_NONE, 0, MD5GL_FACTOR_ZERO, MD5GL_FACTOR_ZERO, true},
};

// Adds one material as mesh 0 and evaluates it.
static view_layers add(gl_scene *scene, view_package *package, const char *material, float time,
                       float parm7)
{
    view_log log = {.level = VIEW_QUIET};
    view_layers layers = {0};
    (void)view_add_layers(&layers, scene->renderer, view_package_game(package, &log), 0, material,
                          &log);
    view_sort_layers(&layers, 1);
    view_evaluate_layers(&layers,
                         &(md5_material_input){.time = time, .parms = {1, 1, 1, 1, [7] = parm7}});
    return layers;
}

// What the layers of mesh 0 make of a material.
static md5gl_material painted(const view_layers *layers)
{
    md5gl_material material = {0};
    view_paint_layer(layers, 0, true, &material);
    return material;
}

TEST_SCENE (view_layers_are_the_stages_of_a_material) {
    view_package *const package = view_open_package(test_path("models/game/base/any.md5mesh"));
    for (size_t i = 0; i < sizeof layer_cases / sizeof layer_cases[0]; i++) {
        const layer_case *const wanted = &layer_cases[i];
        view_layers layers = add(scene, package, wanted->material, 0.0f, 0.0f);
        CHECK_UINT(layers.num_meshes, wanted->is_layered);
        const md5gl_material material = painted(&layers);
        CHECK(material.is_staged == wanted->is_staged && material.no_shadow == wanted->is_staged);
        CHECK(!material.is_opaque);
        if (layers.num_meshes == 1) {
            const md5gl_stage_list *const list = &layers.lists[0];
            test_check(list->base == wanted->base && list->num_stages == wanted->num_stages,
                       __FILE__, __LINE__, "%s: base %d, %u stages", wanted->material,
                       (int)list->base, (unsigned)list->num_stages);
            if (list->num_stages > 0)
                CHECK(list->stages[0].source == wanted->source
                      && list->stages[0].target == wanted->target);
        }
        view_free_layers(&layers, scene->renderer);
    }
    view_close_package(package);
}

// Stages that cannot be shown are named in notes.
TEST_SCENE (view_layers_name_what_is_not_shown) {
    static const struct {
        const char *material, *note;
    } cases[] = {
        {"kinds/program", "stage 1 not shown: program heatHaze.vfp"},
        {"kinds/video", "stage 1 not shown: video video/none.roq"},
        {"kinds/sound", "stage 1 not shown: sound as a picture: waveform"},
        {"kinds/mirror", "stage 1 not shown: view of the world, as a mirror"},
        {"kinds/remote", "stage 1 not shown: view of the world, as a remote camera"},
        {"kinds/screen_gui", "GUI not shown: guis/none.gui"},
        {"kinds/add", NULL},
    };
    view_package *const package = view_open_package(test_path("models/game/base/any.md5mesh"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        view_layers layers = add(scene, package, cases[i].material, 0.0f, 0.0f);
        CHECK_UINT(layers.num_notes, cases[i].note != NULL);
        if (layers.num_notes > 0)
            CHECK_STRING(layers.notes[0].text, cases[i].note);
        view_free_layers(&layers, scene->renderer);
    }
    view_close_package(package);
}

TEST_SCENE (view_layers_say_whether_the_diffuse_map_cuts) {
    static const struct {
        const char *material;
        bool is_cut;
    } cases[] = {{"models/md5/bobbin/moss", false}, {"kinds/cut_out", true}};
    view_log log = {.level = VIEW_QUIET};
    view_package *const package = view_open_package(test_path("models/game/base/any.md5mesh"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        view_layers layers = {0};
        const view_layer_surface surface = view_add_layers(
            &layers, scene->renderer, view_package_game(package, &log), 0, cases[i].material, &log);
        CHECK(surface.is_declared && surface.is_cut == cases[i].is_cut);
        view_free_layers(&layers, scene->renderer);
    }
    view_close_package(package);
}

// A second diffuse map is a lit layer of its own, with the bump map that precedes it; a decal has a
// depth offset.
TEST_SCENE (view_layers_are_lit_twice) {
    view_package *const package = view_open_package(test_path("models/game/base/any.md5mesh"));
    view_layers layers = add(scene, package, "kinds/lit_twice", 0.0f, 0.0f);
    if (CHECK(layers.num_meshes == 1 && layers.lists[0].num_lit_layers == 1)) {
        CHECK(layers.lists[0].base == MD5GL_BASE_LIT && layers.lists[0].casts_shadow);
        CHECK(layers.lists[0].lit_layers[0].diffuse != 0);
        CHECK(layers.lists[0].lit_layers[0].normals != 0);
        CHECK(layers.lists[0].lit_layers[0].specular == 0);
        CHECK_UINT(layers.num_notes, 0);
    }
    view_free_layers(&layers, scene->renderer);
    layers = add(scene, package, "kinds/lit_decal", 0.0f, 1.0f);
    if (CHECK(layers.num_meshes == 1)) {
        CHECK_NEAR(layers.lists[0].depth_offset, -1200.0, 0.0); // 2 units of the engine
        CHECK(layers.lists[0].base == MD5GL_BASE_LIT && layers.lists[0].num_lit_layers == 1);
        CHECK(layers.lists[0].lit_layers[0].specular != 0);
    }
    view_free_layers(&layers, scene->renderer);
    layers = add(scene, package, "kinds/lit_decal", 0.0f, 0.0f); // its second layer is off
    CHECK(layers.num_meshes == 1 && layers.lists[0].num_lit_layers == 0);
    view_free_layers(&layers, scene->renderer);
    view_close_package(package);
}

// Deforms such as sprites need skinning on the CPU; a note names those that are not shown.
TEST_SCENE (view_layers_deform_quads) {
    static const struct {
        const char *material;
        md5gl_path path;
        const char *note;
    } cases[] = {
        {"kinds/sprite", MD5GL_PATH_CPU, NULL},
        {"kinds/turbulent", MD5GL_PATH_CPU, NULL},
        {"kinds/tube", MD5GL_PATH_4, NULL},
        {"kinds/eyeball", MD5GL_PATH_CPU,
         "deform eyeBall not shown: the mesh is not an eye and two triangles"},
        {"kinds/particle", MD5GL_PATH_4, "deform not shown: particles of sparks"},
    };
    view_log log = {.level = VIEW_QUIET};
    view_package *const package = view_open_package(test_path("models/game/base/any.md5mesh"));
    md5_model *const model = scene_square();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        view_layers layers = add(scene, package, cases[i].material, 0.0f, 0.0f);
        md5gl_model *const drawn = md5gl_create_model(scene->renderer, model, cases[i].path, NULL);
        CHECK(!view_has_deforms(&layers));
        view_set_deforms(&layers, scene->renderer, drawn, model, &log);
        CHECK(view_has_deforms(&layers) == (cases[i].note == NULL));
        CHECK(layers.num_meshes == 1);
        CHECK_UINT(layers.num_notes, cases[i].note != NULL);
        if (layers.num_notes > 0)
            CHECK_STRING(layers.notes[0].text, cases[i].note);
        md5gl_destroy_model(scene->renderer, drawn);
        view_free_layers(&layers, scene->renderer);
    }
    md5_free_model(model);
    view_close_package(package);
}

// A skin that burns away: no stages before, then cut out more and more from the time parm7 on, as
// its shadow is; and a ghost whose alpha follows time.
TEST_SCENE (view_layers_follow_time_and_parms) {
    view_package *const package = view_open_package(test_path("models/game/base/any.md5mesh"));
    static const char skin[] = "models/md5/bobbin/skin";
    view_layers off = add(scene, package, skin, 2.0f, 0.0f);
    CHECK(off.num_meshes == 1 && off.lists[0].num_stages == 0 && !off.lists[0].casts_shadow);
    const md5gl_material plain = painted(&off);
    CHECK(!plain.is_staged && !plain.no_shadow && !plain.is_opaque);
    for (int i = 0; i < 3; i++) {
        const float seconds = 0.5f * (float)i;
        view_layers on = add(scene, package, skin, 3.0f + seconds, 3.0f);
        if (CHECK(on.num_meshes == 1 && on.lists[0].num_stages == 7)) {
            // `burnaway[ ( time - parm7 ) * 0.5 ]`, of a clamped table from 0 to 1.
            const md5gl_stage_list *const list = &on.lists[0];
            CHECK_NEAR((double)list->stages[0].alpha_test, 0.5 * (double)seconds, 1e-5);
            CHECK(list->stages[0].is_tested && list->stages[0].texture != 0);
            CHECK(list->base == MD5GL_BASE_LIT && list->casts_shadow);
            const md5gl_material burning = painted(&on);
            CHECK(burning.is_staged && burning.no_shadow && burning.is_opaque);
            CHECK(list->stages[6].source == MD5GL_FACTOR_TARGET_ALPHA);
            CHECK_NEAR((double)list->stages[6].color[1], i == 0 ? 0.0 : 0.4, 1e-5);
        }
        view_free_layers(&on, scene->renderer);
    }
    CHECK_UINT(off.read, 1 | 1 << 8); // time and parm7
    view_layers ghost = add(scene, package, "models/md5/bobbin/ghost", 1.0f, 0.0f);
    CHECK_UINT(ghost.read, 1 | 1 << 1 | 1 << 2 | 1 << 3); // its `colored` reads 0 to 2
    if (CHECK(ghost.num_meshes == 1 && ghost.lists[0].num_stages == 1)) {
        CHECK_NEAR((double)ghost.lists[0].stages[0].color[3], 0.5, 1e-5); // the sine's maximum
        CHECK_UINT(ghost.lists[0].stages[0].masked, MD5GL_MASK_ALPHA);
        CHECK(ghost.lists[0].cull == MD5GL_CULL_NONE);
    }
    view_free_layers(&off, scene->renderer);
    view_free_layers(&ghost, scene->renderer);
    view_close_package(package);
}

// -- View layer textures --------------------------------------------------------------------------

// Cube maps of materials: the six pictures of a camera, and the textures of stages.

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

// -- View shader file -----------------------------------------------------------------------------

// Materials of Unvanquished: .shader files.

static bool read_text(const char *text, const char *name, view_look *look, view_log *log)
{
    *log = (view_log){.level = VIEW_QUIET};
    return view_read_shader("x.shader", text, strlen(text), name, look, log);
}

typedef struct shader_case {
    const char *text;
    const char *diffuse, *normals; // NULL: none
    bool two_sided;
} shader_case;

static const shader_case cases[] = {
    {"m\n{\n}\n", NULL, NULL, false},
    {"m\n{\n\tdiffuseMap art/a.tga\n\tnormalMap art\\b\n\tspecularMap c\n}\n", "art/a", "art/b",
     false},
    {"m { // a\n diffuseMap \"art/a b.tga\"\n }", "art/a b", NULL, false},
    // Stages, with and without their names; the first of a kind counts.
    {"m\n{\n cull none\n {\n map a\n rgbGen vertex\n }\n {\n map b\n }\n}\n", "a", NULL, true},
    {"m\n{\n {\n stage specularMap\n map s\n }\n {\n stage normalMap\n map n\n }\n"
     " {\n map d\n stage diffuseMap\n }\n}\n",
     "d", "n", false},
    {"m\n{\n {\n map $whiteimage\n }\n {\n map *black\n }\n {\n clampmap c\n }\n}\n", "c", NULL,
     false},
    {"m\n{\n diffuseMap .tga\n diffuseMap \"\"\n diffuseMap a\n}\n", "a", NULL, false},
    // Other materials, tables and comments are skipped; names are compared like paths.
    {"table t { { 0 1 } }\nother\n{\n {\n map no\n }\n}\n/* m { */\nM.tga\n{\n {\n map y\n }\n}\n",
     "y", NULL, false},
    {"m\n{\n cull back\n diffuseMap a\n}\nm\n{\n diffuseMap b\n}\n", "a", NULL, false},
    {"m\n{\n cull twoSided\n twoSided\n}\n", NULL, NULL, true},
};

static void check_path(const char *path, const char *expected, size_t index)
{
    test_check(strcmp(path != NULL ? path : "-", expected != NULL ? expected : "-") == 0, __FILE__,
               __LINE__, "case %zu: %s", index, path != NULL ? path : "-");
}

TEST (view_shader_files_name_pictures) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        view_log log;
        view_look look;
        test_check(read_text(cases[i].text, "m", &look, &log), __FILE__, __LINE__,
                   "case %zu: not found", i);
        check_path(look.diffuse, cases[i].diffuse, i);
        check_path(look.normals, cases[i].normals, i);
        CHECK(look.two_sided == cases[i].two_sided);
        CHECK_UINT(log.num_warnings, 0);
        view_free_look(&look);
    }
}

TEST (view_shader_files_compare_names_as_paths) {
    view_log log;
    view_look look;
    static const char text[] = "models/imp/skin\n{\n diffuseMap a\n}\n";
    static const char *const same[] = {"models/imp/skin", "MODELS\\imp/Skin.tga"};
    static const char *const others[] = {"models/imp/skins", "models/imp/ski", "skin", ""};
    for (size_t i = 0; i < 2; i++) {
        CHECK(read_text(text, same[i], &look, &log) && look.diffuse != NULL);
        view_free_look(&look);
    }
    for (size_t i = 0; i < 4; i++)
        CHECK(!read_text(text, others[i], &look, &log) && look.diffuse == NULL);
}

TEST (view_shader_files_report_mistakes) {
    static const struct {
        const char *text, *warning;
    } mistakes[] = {
        {"m\n{\n diffuseMap\n}\n", "x.shader:4:1: expected the name of a picture, found '}'"},
        {"m\n{\n {\n  map\n }\n}\n", "x.shader:5:2: expected the name of a picture, found '}'"},
        {"m\n{\n {\n {\n", "x.shader:4:2: expected '}' of the stage, found '{'"},
        {"m\n{\n diffuseMap a\n", "x.shader:4:1: expected '}', found the end of the file"},
        {"m\nmodel\n{\n}\n", "x.shader:2:1: expected '{', found 'model'"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        view_log log;
        view_look look;
        (void)read_text(mistakes[i].text, "m", &look, &log);
        CHECK(log.num_warnings > 0);
        test_check(strcmp(log.last[0], mistakes[i].warning) == 0, __FILE__, __LINE__, "%s",
                   log.last[0]);
        view_free_look(&look);
    }
}

// Each prefix of a text, and texts of one repeated byte, are read without a crash.
TEST (view_shader_files_may_be_anything) {
    view_log log = {.level = VIEW_QUIET};
    view_look look;
    const char *const text = cases[7].text;
    for (size_t size = 0; size <= strlen(text); size++) {
        char *const copy = common_alloc(size + 1, 1);
        memcpy(copy, text, size);
        (void)view_read_shader("x", copy, size, "m", &look, &log);
        view_free_look(&look);
        free(copy);
    }
    enum { LONG = 200000 };
    char *const many = common_alloc(LONG, 1);
    for (const char *c = "{}\"/*m\n"; *c != '\0'; c++) {
        memset(many, *c, LONG);
        memcpy(many, "m {", 3);
        (void)view_read_shader("x", many, LONG, "m", &look, &log);
        view_free_look(&look);
    }
    free(many);
}
