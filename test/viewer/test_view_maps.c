// Texture maps: their names, painted layers, choices, and materials of games.
#define _POSIX_C_SOURCE 200809L // mkstemp()
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include <unistd.h>

TEST (view_maps_are_found_by_their_endings) {
    static char a[] = "x/imp.tga";
    static char b[] = "x/Imp_S.PNG";
    static char c[] = "x/imp_nor.jpg";
    static char d[] = "x/imp_local.tga";
    static char e[] = "x/imp_local.txt";
    static char f[] = "x/imps_s.png";
    char *names[] = {f, e, c, b, d, a};
    const common_list files = {names, 6};
    // The suffix _local of id Software has priority.
    CHECK_STRING(view_find_map(&files, "x/imp.tga", MD5GL_IMAGE_NORMALS), d);
    CHECK_STRING(view_find_map(&files, "x/imp_d.tga", MD5GL_IMAGE_SPECULAR), b);
    CHECK_STRING(view_find_map(&files, "x/imp_col.png", MD5GL_IMAGE_NORMALS), d);
    CHECK(view_find_map(&files, "x/imp.tga", MD5GL_IMAGE_GLOW) == NULL);
    CHECK(view_find_map(&files, "x/other_d.tga", MD5GL_IMAGE_NORMALS) == NULL);
    CHECK_STRING(view_map_name(MD5GL_IMAGE_GLOW), "glow map");
}

// -- Lit stages -----------------------------------------------------------------------------------

// Layers of lit stages: the stages of a material that are drawn together, their colors, and their
// conditions.

enum { WHITE = MD5_FIRST_REGISTER, HALF, OFF, NUM_REGISTERS, MAX_STAGES = 6 };

static const float registers[NUM_REGISTERS] = {[WHITE] = 1, [HALF] = 0.5f};

static md5_stage lit_stage(md5_stage_light light, uint32_t condition, uint32_t red)
{
    return (md5_stage){.light = light, .condition = condition, .color = {red, WHITE, WHITE, WHITE}};
}

// Stages, and the layers made from them. The textures are numbered from 1 in the order of the
// stages.
typedef struct lit_case {
    md5_stage stages[MAX_STAGES];
    md5gl_texture textures[MAX_STAGES];
    md5gl_material shown[MAX_STAGES];
    md5_material material;
    view_lit_layers lit;
} lit_case;

static void select(lit_case *c, uint32_t num_stages)
{
    for (uint32_t i = 0; i < MAX_STAGES; i++)
        c->textures[i] = i + 1;
    c->material =
        (md5_material){.stages = c->stages, .num_stages = num_stages, ROWS(registers, registers)};
    c->lit.textures = c->textures;
    c->lit.shown = c->shown;
    view_select_lit_layers(&c->lit, &c->material, registers);
}

// A layer begins with a bump map or with a second diffuse map. A specular map belongs to the
// diffuse map before it. The mesh's own maps have the number 0.
TEST (view_lit_stages_are_layers) {
    lit_case c = {
        .stages = {
            lit_stage(MD5_STAGE_BUMP, WHITE, WHITE), lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
            lit_stage(MD5_STAGE_DIFFUSE, WHITE, HALF), lit_stage(MD5_STAGE_SPECULAR, WHITE, WHITE),
            lit_stage(MD5_STAGE_BUMP, WHITE, WHITE), lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE)}};
    static const md5gl_texture expected[3][3] = {{0, 0, 0}, {3, 1, 4}, {6, 5, 0}};
    select(&c, 6);
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

// A stage that is off has no effect. Without a map nothing is reflected.
TEST (view_lit_stages_that_are_off_draw_nothing) {
    lit_case c = {.stages = {lit_stage(MD5_STAGE_BUMP, WHITE, WHITE),
                             lit_stage(MD5_STAGE_DIFFUSE, OFF, WHITE),
                             lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
                             lit_stage(MD5_STAGE_SPECULAR, WHITE, WHITE)}};
    select(&c, 4);
    CHECK(c.lit.num_shown == 1 && c.shown[0].diffuse == 3 && c.shown[0].specular == 0);
    c.stages[2].condition = OFF;
    select(&c, 4);
    const md5_vec3 black = c.shown[0].diffuse_color; // not 0, because texture 0 is white
    CHECK_UINT(c.lit.num_shown, 1);
    CHECK(black.x > 0.0f);
    CHECK(black.x < 1e-30f && black.y < 1e-30f && black.z < 1e-30f);
    CHECK(view_reflects(c.shown[0].specular_color));
    select(&c, 1);
    CHECK_UINT(c.lit.num_shown, 0);
    c.stages[1].condition = WHITE;
    c.lit.lacks_diffuse = true;
    select(&c, 2);
    CHECK_UINT(c.lit.num_shown, 0);
    c.lit.lacks_diffuse = false;
    select(&c, 2);
    CHECK_UINT(c.lit.num_shown, 1);
}

// The last diffuse or specular stage of a layer determines the use of vertex colors.
TEST (view_lit_stages_determine_the_use_of_vertex_colors) {
    lit_case c = {.stages = {lit_stage(MD5_STAGE_BUMP, WHITE, WHITE),
                             lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
                             lit_stage(MD5_STAGE_SPECULAR, WHITE, WHITE)}};
    for (int i = 0; i < 3; i++) {
        c.stages[2].vertex_color = (md5_vertex_color)i;
        select(&c, 3);
        CHECK(c.lit.num_shown == 1 && c.shown[0].no_vertex_color == (i == 0)
              && c.shown[0].inverse_vertex_color == (i == 2));
        CHECK(view_is_colored_stage(&c.material, &c.stages[2]) == (i > 0));
    }
}

TEST (view_lit_stages_of_other_colors_are_painted) {
    const md5_stage stages[4] = {
        lit_stage(MD5_STAGE_BUMP, WHITE, HALF), lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
        lit_stage(MD5_STAGE_DIFFUSE, WHITE, HALF),
        lit_stage(MD5_STAGE_SPECULAR, WHITE, 1)}; // a register that changes over time
    const md5_material material = {ROWS(stages, stages), ROWS(registers, registers)};
    for (int i = 0; i < 4; i++)
        CHECK(view_is_colored_stage(&material, &stages[i]) == (i > 1));
}

// -- Layers ---------------------------------------------------------------------------------------

// Materials of a game folder in the viewer: the drawn stages, their conditions and state, and
// --parm.

// -- The option --parm ------------------------------------------------------------------------

static bool read_parm(const char *text, view_options *options)
{
    char problem[256] = "";
    char parm[] = "--parm";
    SCOPED_STRING copy = strcpy(malloc(strlen(text) + 1), text);
    char *arguments[] = {parm, copy};
    const bool is_read = view_read_options(2, arguments, options, problem, sizeof problem);
    CHECK(is_read || strstr(problem, "parm") != NULL);
    return is_read;
}

TEST (view_parm_option_is_a_number_and_a_value) {
    STRINGS(wrong) = {"7", "12=1", "-1=1", "7=", "7=x", "7=1x", "7=nan", "7=inf", "7=1e99", "x=1"};
    view_options options;
    if (CHECK(read_parm("7=2.5", &options))) {
        CHECK(options.parms.values[7] == 2.5f && options.parms.values[11] == 0.0f);
        CHECK(options.parms.values[0] == 1.0f && options.parms.values[3] == 1.0f);
        CHECK(options.names_content);
    }
    view_free_options(&options);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        CHECK(!read_parm(wrong[i], &options));
        view_free_options(&options);
    }
}

// -- Drawn stages -----------------------------------------------------------------------------

typedef struct layer_case {
    const char *material;
    bool is_layered;
    md5gl_base base;
    uint32_t num_stages;
    md5gl_factor source, target; // blending of the first stage
    bool is_staged;              // true: stages draw the mesh, and it casts no shadow
} layer_case;

// The materials of models/game/base/materials, which that folder's README describes.
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
static view_textures load_material(gl_scene *scene, view_package *package, const char *material,
                                   float time, float parm7, view_log *log)
{
    view_textures textures = {.num_meshes = 1, .meshes = common_alloc(1, sizeof *textures.meshes)};
    *log = (view_log){.level = VIEW_QUIET};
    view_add_layers(
        &(view_texture_task){.textures = &textures,
                             .renderer = scene->renderer,
                             .log = log,
                             .game = view_package_game(package, view_log_listener(log))},
        material);
    view_sort_layers(&textures.layers, 1);
    view_evaluate_layers(&textures.layers,
                         &(md5_material_input){.time = time, .parms = {1, 1, 1, 1, [7] = parm7}});
    return textures;
}

// Returns the material that the layers of mesh 0 produce.
static md5gl_material paint_layers(const view_layers *layers)
{
    md5gl_material material = {0};
    view_apply_lit_layer(layers, 0, true, &material);
    return material;
}

TEST_SCENE (view_layers_are_the_stages_of_a_material) {
    view_log log;
    view_package *const package =
        view_open_package(test_path("models/game/base/any.md5mesh"), NULL);
    for (size_t i = 0; i < COUNT_OF(layer_cases); i++) {
        const layer_case *const row = &layer_cases[i];
        const layer_case *const wanted = row;
        view_textures textures = load_material(scene, package, wanted->material, 0.0f, 0.0f, &log);
        CHECK_UINT(textures.layers.num_meshes, wanted->is_layered);
        const md5gl_material material = paint_layers(&textures.layers);
        CHECK(material.is_staged == wanted->is_staged && material.no_shadow == wanted->is_staged);
        CHECK(!material.is_opaque);
        if (textures.layers.num_meshes == 1) {
            const md5gl_stage_list *const list = &textures.layers.lists[0];
            CHECK_THAT(list->base == wanted->base && list->num_stages == wanted->num_stages,
                       "%s: base %d, %u stages", wanted->material, (int)list->base,
                       (unsigned)list->num_stages);
            if (list->num_stages > 0)
                CHECK(list->stages[0].source == wanted->source
                      && list->stages[0].target == wanted->target);
        }
        view_free_textures(&textures, scene->renderer);
    }
    view_close_package(package);
}

// Notes name the stages that cannot be shown.
TEST_SCENE (view_layers_report_unsupported_stages) {
    view_log log;
    static const struct {
        const char *material, *note;
    } cases[] = {
        {"kinds/program", "stage 1 is not shown: program heatHaze.vfp"},
        {"kinds/video", "stage 1 is not shown: video video/none.roq"},
        {"kinds/sound", "stage 1 is not shown: sound visualization: waveform"},
        {"kinds/mirror", "stage 1 is not shown: rendered view: mirror"},
        {"kinds/remote", "stage 1 is not shown: rendered view: remote camera"},
        {"kinds/screen_gui", "GUI is not shown: guis/none.gui"},
        {"kinds/add", NULL},
    };
    view_package *const package =
        view_open_package(test_path("models/game/base/any.md5mesh"), NULL);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_textures textures = load_material(scene, package, cases[i].material, 0.0f, 0.0f, &log);
        CHECK_UINT(textures.layers.num_notes, cases[i].note != NULL);
        if (textures.layers.num_notes > 0)
            CHECK_STRING(textures.layers.notes[0].text, cases[i].note);
        view_free_textures(&textures, scene->renderer);
    }
    view_close_package(package);
}

TEST_SCENE (view_layers_enable_alpha_tests_of_cut_out_maps) {
    static const struct {
        const char *material;
        bool is_cut;
    } cases[] = {{"models/md5/bobbin/moss", false}, {"kinds/cut_out", true}};
    view_log log;
    view_package *const package =
        view_open_package(test_path("models/game/base/any.md5mesh"), NULL);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_textures textures = load_material(scene, package, cases[i].material, 0.0f, 0.0f, &log);
        const view_mesh_textures *const mesh_textures = &textures.meshes[0];
        CHECK(mesh_textures->opaque != cases[i].is_cut
              && (mesh_textures->alpha_test > 0.0f) == cases[i].is_cut);
        view_free_textures(&textures, scene->renderer);
    }
    view_close_package(package);
}

// A second diffuse map is a separate lit layer with the bump map that precedes it. A decal has a
// depth offset.
TEST_SCENE (view_layers_are_lit_twice) {
    view_log log;
    view_package *const package =
        view_open_package(test_path("models/game/base/any.md5mesh"), NULL);
    view_textures textures = load_material(scene, package, "kinds/lit_twice", 0.0f, 0.0f, &log);
    if (CHECK(textures.layers.num_meshes == 1 && textures.layers.lists[0].num_lit_layers == 1)) {
        CHECK(textures.layers.lists[0].base == MD5GL_BASE_LIT
              && textures.layers.lists[0].casts_shadow);
        CHECK(textures.layers.lists[0].lit_layers[0].diffuse != 0);
        CHECK(textures.layers.lists[0].lit_layers[0].normals != 0);
        CHECK(textures.layers.lists[0].lit_layers[0].specular == 0);
        CHECK_UINT(textures.layers.num_notes, 0);
    }
    view_free_textures(&textures, scene->renderer);
    textures = load_material(scene, package, "kinds/lit_decal", 0.0f, 1.0f, &log);
    if (CHECK(textures.layers.num_meshes == 1)) {
        // A polygonOffset of 2 in the engine is a depth offset of -1200.
        CHECK_EXACT(textures.layers.lists[0].depth_offset, -1200);
        CHECK(textures.layers.lists[0].base == MD5GL_BASE_LIT
              && textures.layers.lists[0].num_lit_layers == 1);
        CHECK(textures.layers.lists[0].lit_layers[0].specular != 0);
    }
    view_free_textures(&textures, scene->renderer);
    textures = load_material(scene, package, "kinds/lit_decal", 0.0f, 0.0f,
                             &log); // its second layer is off
    CHECK(textures.layers.num_meshes == 1 && textures.layers.lists[0].num_lit_layers == 0);
    view_free_textures(&textures, scene->renderer);
    view_close_package(package);
}

// Deforms such as sprites need skinning on the CPU. A note names the deforms that are not
// supported.
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
         "deform eyeBall is not shown: expected an eye and two triangles"},
        {"kinds/particle", MD5GL_PATH_4,
         "deform is not shown: particles are not supported: sparks"},
    };
    view_log log;
    view_package *const package =
        view_open_package(test_path("models/game/base/any.md5mesh"), NULL);
    SCOPED_MODEL model = scene_square();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_textures textures = load_material(scene, package, cases[i].material, 0.0f, 0.0f, &log);
        md5gl_model *const drawn = md5gl_create_model(scene->renderer, model, cases[i].path, NULL);
        CHECK(!textures.layers.has_deforms);
        view_set_deforms(&textures.layers, scene->renderer, drawn, model, &log);
        CHECK(textures.layers.has_deforms == (cases[i].note == NULL));
        CHECK(textures.layers.num_meshes == 1);
        CHECK_UINT(textures.layers.num_notes, cases[i].note != NULL);
        if (textures.layers.num_notes > 0)
            CHECK_STRING(textures.layers.notes[0].text, cases[i].note);
        md5gl_destroy_model(scene->renderer, drawn);
        view_free_textures(&textures, scene->renderer);
    }
    view_close_package(package);
}

// A skin that burns away has no stages before the time parm7. From then on, more and more of the
// skin and of its shadow is cut out. The alpha of a ghost depends on the time.
TEST_SCENE (view_layers_follow_time_and_parms) {
    view_log log;
    view_package *const package =
        view_open_package(test_path("models/game/base/any.md5mesh"), NULL);
    static const char skin[] = "models/md5/bobbin/skin";
    view_textures off = load_material(scene, package, skin, 2.0f, 0.0f, &log);
    CHECK(off.layers.num_meshes == 1 && off.layers.lists[0].num_stages == 0
          && !off.layers.lists[0].casts_shadow);
    const md5gl_material plain = paint_layers(&off.layers);
    CHECK(!plain.is_staged && !plain.no_shadow && !plain.is_opaque);
    for (int i = 0; i < 3; i++) {
        const float seconds = 0.5f * (float)i;
        view_textures on = load_material(scene, package, skin, 3.0f + seconds, 3.0f, &log);
        if (CHECK(on.layers.num_meshes == 1 && on.layers.lists[0].num_stages == 7)) {
            // `burnaway[ ( time - parm7 ) * 0.5 ]`, with a clamped table from 0 to 1.
            const md5gl_stage_list *const list = &on.layers.lists[0];
            CHECK_NEAR(list->stages[0].alpha_test, 0.5 * (double)seconds, 1e-5);
            CHECK(list->stages[0].is_tested && list->stages[0].texture != 0);
            CHECK(list->base == MD5GL_BASE_LIT && list->casts_shadow);
            const md5gl_material burning = paint_layers(&on.layers);
            CHECK(burning.is_staged && burning.no_shadow && burning.is_opaque);
            CHECK(list->stages[6].source == MD5GL_FACTOR_TARGET_ALPHA);
            CHECK_NEAR(list->stages[6].color[1], i == 0 ? 0.0 : 0.4, 1e-5);
        }
        view_free_textures(&on, scene->renderer);
    }
    CHECK_UINT(off.layers.read, 1 | 1 << 8); // time and parm7
    view_textures ghost =
        load_material(scene, package, "models/md5/bobbin/ghost", 1.0f, 0.0f, &log);
    // Its `colored` keyword reads registers 0 to 2.
    CHECK_UINT(ghost.layers.read, 1 | 1 << 1 | 1 << 2 | 1 << 3);
    if (CHECK(ghost.layers.num_meshes == 1 && ghost.layers.lists[0].num_stages == 1)) {
        CHECK_NEAR(ghost.layers.lists[0].stages[0].color[3], 0.5, 1e-5); // the sine's maximum
        CHECK_UINT(ghost.layers.lists[0].stages[0].masked, MD5GL_MASK_ALPHA);
        CHECK(ghost.layers.lists[0].cull == MD5GL_CULL_NONE);
    }
    view_free_textures(&off, scene->renderer);
    view_free_textures(&ghost, scene->renderer);
    view_close_package(package);
}

// -- Layer textures -------------------------------------------------------------------------------

// Cube maps of materials: the six images of a camera, and the textures of stages.

enum { LAYERS_SIDE = 4 };

static void encode(const double direction[3], uint8_t *texel)
{
    for (int i = 0; i < 3; i++)
        texel[i] = (uint8_t)(128.0 + 100.0 * direction[i]);
    texel[3] = 255;
}

// Returns the center of a texel, -1 to 1.
static double middle(int texel)
{
    return (texel + 0.5) * 2.0 / (int)LAYERS_SIDE - 1.0;
}

TEST (view_camera_cubes_show_where_the_camera_looked) {
    for (int number = 0; number < 6; number++) {
        uint8_t from[LAYERS_SIDE * LAYERS_SIDE][4];
        uint8_t to[LAYERS_SIDE * LAYERS_SIDE][4];
        uint8_t expected[4];
        double direction[3];
        for (int i = 0; i < LAYERS_SIDE * LAYERS_SIDE; i++) {
            // The direction from a camera of the engine's world (x forward, y left, z up) to a
            // point of its image.
            double right = middle(i % LAYERS_SIDE);
            double down = middle(i / LAYERS_SIDE);
            const double directions[6][3] = {{1, -right, -down}, {-1, right, -down},
                                             {right, 1, -down},  {-right, -1, -down},
                                             {down, -right, 1},  {-down, -right, -1}};
            memcpy(direction, directions[number], sizeof directions[number]);

            encode(direction, from[i]);
        }
        view_rotate_camera_side(number, LAYERS_SIDE, from[0], to[0]);
        for (int i = 0; i < LAYERS_SIDE * LAYERS_SIDE; i++) {
            // The direction of (s, t) on a side in OpenGL: the specification, "Cube Map Texture
            // Selection", solved for the direction.
            double s = middle(i % LAYERS_SIDE);
            double t = middle(i / LAYERS_SIDE);
            const double directions[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                                             {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
            memcpy(direction, directions[number], sizeof directions[number]);

            encode(direction, expected);
            CHECK_BYTES(to[i], expected, 4);
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
         "stage 1 is not shown: wobbleSky texture coordinates", 0},
        {"kinds/missing_cube", MD5GL_TEXGEN_MESH, NULL, 1},
        {"kinds/flat_cube", MD5GL_TEXGEN_MESH,
         "stage 1 is not shown: cube map env/kinds without cube map coordinates", 0},
    };
    view_package *const package =
        view_open_package(test_path("models/game/base/any.md5mesh"), NULL);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const bool is_shown = cases[i].note == NULL && cases[i].num_warnings == 0;
        view_log log;
        view_textures textures = load_material(scene, package, cases[i].material, 0.0f, 0.0f, &log);
        CHECK_UINT(textures.layers.num_meshes, 1);
        CHECK_UINT(log.num_warnings, cases[i].num_warnings);
        CHECK_UINT(textures.layers.num_notes, cases[i].note != NULL);
        if (textures.layers.num_notes > 0)
            CHECK_STRING(textures.layers.notes[0].text, cases[i].note);
        CHECK_UINT(textures.layers.lists[0].num_stages, is_shown);
        if (is_shown) {
            CHECK(textures.layers.lists[0].stages[0].texture != 0);
            CHECK_UINT(textures.layers.lists[0].stages[0].texgen, cases[i].texgen);
        }
        view_free_textures(&textures, scene->renderer);
    }
    view_close_package(package);
}

// -- Shader files ---------------------------------------------------------------------------------

// Materials of Unvanquished: .shader files.

static bool read_text(const char *text, const char *name, view_look *look, view_log *log)
{
    *log = (view_log){.level = VIEW_QUIET};
    return view_read_shader("x.shader", text, strlen(text), name, look, view_log_listener(log));
}

typedef struct shader_case {
    const char *text;
    const char *diffuse, *normals; // NULL: no image
    bool two_sided;
} shader_case;

static const shader_case cases[] = {
    {"m\n{\n}\n", NULL, NULL, false},
    {"m\n{\n\tdiffuseMap art/a.tga\n\tnormalMap art\\b\n\tspecularMap c\n}\n", "art/a", "art/b",
     false},
    {"m { // a\n diffuseMap \"art/a b.tga\"\n }", "art/a b", NULL, false},
    // Stages, with and without their names. Of several stages of a kind, the first is used.
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
    const char *const found = path != NULL ? path : "-";
    const char *const wanted = expected != NULL ? expected : "-";
    CHECK_THAT(strcmp(found, wanted) == 0, "case %zu: %s", index, found);
}

TEST (view_shader_files_name_images) {
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_log log;
        view_look look;
        CHECK_THAT(read_text(cases[i].text, "m", &look, &log), "case %zu: not found", i);
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
    STRINGS(same) = {"models/imp/skin", "MODELS\\imp/Skin.tga"};
    STRINGS(other_names) = {"models/imp/skins", "models/imp/ski", "skin", ""};
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(read_text(text, same[i], &look, &log) && look.diffuse != NULL);
        view_free_look(&look);
    }
    for (uint32_t i = 0; i < 4; i++)
        CHECK(!read_text(text, other_names[i], &look, &log) && look.diffuse == NULL);
}

TEST (view_shader_files_report_errors) {
    static const struct {
        const char *text, *warning;
    } errors[] = {
        {"m\n{\n diffuseMap\n}\n", "x.shader:4:1: expected an image name, found '}'"},
        {"m\n{\n {\n  map\n }\n}\n", "x.shader:5:2: expected an image name, found '}'"},
        {"m\n{\n {\n {\n", "x.shader:4:2: expected '}' at the end of the stage, found '{'"},
        {"m\n{\n diffuseMap a\n", "x.shader:4:1: expected '}', found the end of the file"},
        {"m\nmodel\n{\n}\n", "x.shader:2:1: expected '{', found 'model'"},
    };
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        view_reports reports = {.count = 0};
        view_log log = {.level = VIEW_QUIET, .reports = &reports};
        view_look look;
        const char *const text = errors[i].text;
        view_read_shader("x.shader", text, strlen(text), "m", &look, view_log_listener(&log));
        if (CHECK(reports.count > 0))
            CHECK_STRING(reports.rows[0].text, errors[i].warning);
        view_free_reports(&reports);
        view_free_look(&look);
    }
}

// Each prefix of a text, and texts of one repeated byte, do not cause a crash.
TEST (view_shader_files_survive_arbitrary_bytes) {
    view_log log = quiet_log;
    view_look look;
    const char *const text = cases[7].text;
    for (size_t size = 0; size <= strlen(text); size++) {
        SCOPED_STRING copy = common_alloc(size + 1, 1);
        memcpy(copy, text, size);
        view_read_shader("x", copy, size, "m", &look, view_log_listener(&log));
        view_free_look(&look);
    }
    enum { LONG = 200000 };
    SCOPED_STRING many = common_alloc(LONG, 1);
    for (const char *c = "{}\"/*m\n"; *c != '\0'; c++) {
        memset(many, *c, LONG);
        memcpy(many, "m {", 3);
        view_read_shader("x", many, LONG, "m", &look, view_log_listener(&log));
        view_free_look(&look);
    }
}

// -- Saved materials ------------------------------------------------------------------------------

// Copies a file of the project into a folder.
static char *copy_file(const char *folder, const char *name, const char *from)
{
    size_t size = 0;
    SCOPED_STRING bytes = test_read_file(test_path(from), &size);
    folder_write(folder, name, bytes, size);
    return common_join(folder, name);
}

// Bobbin with images whose names are unrelated to its materials: selected images are found again by
// the saved materials. Images in other folders are not saved, and no empty folder is created.
TEST_SCENE (view_textures_are_saved_as_materials_that_are_found) {
    SCOPED_FOLDER folder = folder_make();
    SCOPED_STRING model_path = copy_file(folder, "m.md5mesh", "models/bobbin/bobbin.md5mesh");
    static const struct {
        const char *name;
        uint32_t mesh;
        md5gl_image_kind map;
        const char *from;
    } selected[] = {
        {"A1.png", 0, MD5GL_IMAGE_DIFFUSE, "models/bobbin/bobbin.png"},
        {"b.2.png", 0, MD5GL_IMAGE_NORMALS, "models/bobbin/bobbin_local.png"},
        {"c_3.png", 0, MD5GL_IMAGE_SPECULAR, "models/bobbin/bobbin_s.png"},
        {"d.png", 1, MD5GL_IMAGE_DIFFUSE, "models/bobbin/bobbin_eye.png"},
    };
    SCOPED_MODEL model = md5_load_model(model_path, NULL, NULL);
    view_options options = {.skin = 0};
    view_textures textures;
    view_log log = quiet_log;
    view_loader loader = {.renderer = scene->renderer, .log = &log};
    const view_texture_sources sources = {.model = model, .path = model_path, .options = &options};
    for (int round = 0; round < 3; round++) { // 0: images elsewhere; 2: as materials
        for (size_t i = 0; i < COUNT_OF(selected) && round < 2; i++) {
            SCOPED_STRING path = round == 0 ? common_copy(test_path(selected[i].from))
                                            : copy_file(folder, selected[i].name, selected[i].from);
            SCOPED_STRING chosen = common_format("%u=%s", selected[i].mesh, path);
            CHECK(view_read_option(view_get_map_option(selected[i].map), chosen, &options));
        }
        if (round == 2) {
            for (md5gl_image_kind map = 0; map < MD5GL_NUM_IMAGE_KINDS; map++)
                options.maps[map].count = 0;
        }
        log.num_warnings = 0;
        if (!CHECK(view_load_textures(&textures, &loader, &sources)))
            continue;
        CHECK_UINT(log.num_warnings, 0);
        SCOPED_STRING path = view_materials_path(&textures);
        CHECK(strstr(path, "/materials/m.mtr") != NULL && common_is_in(path, folder));
        if (round == 0) {
            SCOPED_STRING materials_folder = common_join(folder, "materials");
            CHECK_UINT(view_save_materials(&textures, model, &log), 0);
            CHECK(log.num_warnings == 2 && strstr(log.warning, "in another folder") != NULL);
            CHECK(!common_is_folder(materials_folder));
        } else { // the second time it replaces the first file
            CHECK_UINT(view_save_materials(&textures, model, &log), 2);
        }
        for (size_t i = 0; i < COUNT_OF(selected) && round > 0; i++) {
            const view_texture *const image =
                view_mesh_image(&textures, selected[i].mesh, selected[i].map);
            const bool is_found = image != NULL && image->texture != 0
                                  && (image->program != NULL) == (round == 2)
                                  && strstr(image->path, selected[i].name) != NULL;
            CHECK_THAT(is_found, "round %d, %s", round, selected[i].name);
        }
        view_free_textures(&textures, scene->renderer);
    }
    view_free_options(&options);
}

TEST (view_map_type_is_the_last_word_of_a_name) {
    CHECK_UINT(view_guess_map("/a/imp_local.tga"), MD5GL_IMAGE_NORMALS);
    CHECK_UINT(view_guess_map("imp_h.png"), MD5GL_IMAGE_NORMALS);
    CHECK_UINT(view_guess_map("imp_s.png"), MD5GL_IMAGE_SPECULAR);
    CHECK_UINT(view_guess_map("imp_glow.png"), MD5GL_IMAGE_GLOW);
    CHECK_UINT(view_guess_map("imp.png"), MD5GL_IMAGE_DIFFUSE);
    CHECK_UINT(view_guess_map(".png"), MD5GL_IMAGE_DIFFUSE);
}
