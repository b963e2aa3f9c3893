// Materials, rule by rule. verdicts.sh compares the results of a whole real folder.
#include "test/real.h"
#include "test/decl/game_case.h"
#include "test/scoped.h"

// Returns the material m of a game.
static const md5_material *parse(md5_game *game)
{
    const md5_material *const material = md5_game_material(game, "m", NULL);
    CHECK(material);
    return material;
}

// Declares the only material of a game, which is freed at the end of the block.
#define MATERIAL(material, text)                     \
    SCOPED_GAME game = open_materials((text), NULL); \
    const md5_material *const material = parse(game)

// -- Expressions ----------------------------------------------------------------------------------

// Checks the value of an expression at time 1.5, with parm4 = 0.25 and a table ramp of 0, 10.
static void check_value(const char *expression, double expected)
{
    char text[1024] = "table ramp { { 0, 10 } }\nm { { map x red ";
    game_log log;
    strcat(text, expression);
    strcat(text, " } }");
    SCOPED_GAME game = open_materials(text, &log);
    const md5_material *const material = parse(game);
    CHECK_UINT(material->decl->state, MD5_DECL_PARSED);
    CHECK_NEAR(color_at(material, 0, 0, 1.5f), expected, 1e-6);
    CHECK_STRING(log.text, "");
}

TEST (expressions_are_right_associative) {
    check_value("20 - 5 - 3", 18);
    check_value("100 / 10 * 5", 2);
    check_value("9 % 5 % 3", 1);
    check_value("( 20 - 5 ) - 3", 12);
}

// Operators bind in four levels of precedence, from * and / to && and ||, as in the original
// engine.
TEST (expressions_have_four_levels) {
    check_value("2 + 3 * 4", 14);
    check_value("2 * 3 + 4", 10);
    check_value("1 + 1 > 1 * 1", 1);
    check_value("2 < 1 || 3 >= 3", 1);
    check_value("1 && 0", 0);
    check_value("4 != 4", 0);
    check_value("4 == 4", 1);
    check_value("4 <= 3", 0);
}

TEST (expressions_have_terms_of_all_kinds) {
    check_value("TIME", 1.5);
    check_value("parm4", 0.25);
    check_value("parm11 + global7 + sound", 0);
    check_value("fragmentPrograms", 1);
    check_value("-2 * time", -3);
    check_value("ramp[ 0.25 ]", 5);
    check_value("ramp[ ramp[ 0.25 ] / 20 ] + 1", 6);
    check_value("7 % 0", 0);
    check_value("time * 0 + 0", 0);
    check_value("( 1e30 * 1e30 ) % 7", 1); // 2147483647 % 7
}

static void check_defaulted(const char *text, const char *line)
{
    game_log log;
    SCOPED_GAME game = open_materials(text, &log);
    const md5_material *const material = parse(game);
    CHECK_UINT(material->decl->state, MD5_DECL_DEFAULTED);
    CHECK_UINT(material->num_stages, 1);
    CHECK_STRING(material->stages[0].image.text, "_default");
    CHECK_UINT(material->coverage, MD5_COVERAGE_TRANSLUCENT);
    has_logged(&log, line);
}

TEST (errors_in_expressions_default_a_material) {
    check_defaulted("m { { map x\nred - parm4 } }",
                    "materials/all.mtr:2: Bad negative number 'parm4'");
    check_defaulted("m { { map x red what } }", "materials/all.mtr:1: Bad term 'what'");
    check_defaulted("m { { map x red ( 1 } }", "materials/all.mtr:1: expected ')' but found '}'");
    check_defaulted("m { { map x scroll 1 2 } }",
                    "materials/all.mtr:1: expected ',' but found '2'");
    check_defaulted("m { { map x rotate 1 } }",
                    "materials/all.mtr:1: no sinTable for rotate defined");
    check_defaulted("m { { map x red parm12 } }", "materials/all.mtr:1: Bad term 'parm12'");
}

TEST (deep_expressions_are_read_without_recursion) {
    enum { DEPTH = 1000, TOO_DEEP = 100000 };
    SCOPED_STRING text = malloc(2 * TOO_DEEP + 100);
    for (size_t depth = DEPTH; depth <= TOO_DEEP; depth *= TOO_DEEP / DEPTH) {
        strcpy(text, "m { { map x red ");
        size_t used = strlen(text);
        memset(text + used, '(', depth);
        used += depth;
        text[used++] = '2';
        memset(text + used, ')', depth);
        strcpy(text + used + depth, " } }");
        MATERIAL(material, text);
        CHECK_UINT(material->decl->state, depth == DEPTH ? MD5_DECL_PARSED : MD5_DECL_DEFAULTED);
        if (depth == DEPTH)
            CHECK_EXACT(color_at(material, 0, 0, 0), 2);
    }
}

// Returns the number of registers of a material with this number of operations, each of which has a
// register. Returns 0 if the material is defaulted.
static uint32_t count_registers(uint32_t num_operations)
{
    SCOPED_TEXT text = {0};
    test_append(&text, "m { { map x\n");
    for (uint32_t i = 0; i < num_operations; i++)
        test_append(&text, "red 1 - time\n");
    test_append(&text, "} }");
    MATERIAL(material, text.bytes);
    return material->decl->state == MD5_DECL_PARSED ? material->num_registers : 0;
}

TEST (too_many_registers_default_a_material) {
    const uint32_t max_operations = MD5_MAX_REGISTERS - count_registers(0);
    CHECK_UINT(count_registers(max_operations), MD5_MAX_REGISTERS);
    CHECK_UINT(count_registers(max_operations + 1), 0);
}

// -- Images ---------------------------------------------------------------------------------------

// An image program is stored in postfix order: operands come before the step that uses them. Its
// text is normalized, and file names are in lower case, without extensions.
TEST (image_programs_are_trees) {
    MATERIAL(material, "m { { map AddNormals(a.tga,heightmap( B\\c ,  4 )) } }");
    const md5_image_program *const image = &material->stages[0].image;
    CHECK_STRING(image->text, "AddNormals( a, heightmap( B/c, 4))");
    CHECK_UINT(image->num_steps, 4);
    CHECK_STRING(image->steps[0].file, "a");
    CHECK_STRING(image->steps[1].file, "b/c");
    CHECK_UINT(image->steps[2].kind, MD5_IMAGE_HEIGHTMAP);
    CHECK_EXACT(image->steps[2].values[0], 4);
    CHECK_UINT(image->steps[3].kind, MD5_IMAGE_ADD_NORMALS);
}

TEST (image_programs_read_numbers_in_order) {
    MATERIAL(material, "m { { map scale( a, .5, 2, 3, 4 ) } }");
    const md5_image_program *const image = &material->stages[0].image;
    CHECK_UINT(image->num_steps, 2);
    for (int i = 0; i < 4; i++)
        CHECK_EXACT(image->steps[1].values[i], i == 0 ? 0.5 : i + 1.0);
}

TEST (deep_image_programs_are_read_without_recursion) {
    enum { DEPTH = 20000 };
    SCOPED_STRING text = malloc(16 * DEPTH);
    char *end = text + strlen(strcpy(text, "m { { map "));
    for (int i = 0; i < DEPTH; i++)
        end += strlen(strcpy(end, "makeAlpha("));
    *end++ = 'a';
    memset(end, ')', DEPTH);
    strcpy(end + DEPTH, " } }");
    MATERIAL(material, text);
    CHECK_UINT(strlen(material->stages[0].image.text), 255);
}

// -- Stages ---------------------------------------------------------------------------------------

// Checks the lights of all stages of a material. `expected` contains a digit for each stage.
static void check_lights(const char *text, const char *expected)
{
    char lights[32] = "";
    MATERIAL(material, text);
    for (uint32_t i = 0; i < material->num_stages && i < 31; i++)
        lights[i] = (char)('0' + material->stages[i].light);
    CHECK_STRING(lights, expected);
}

TEST (stages_are_added_and_sorted_by_light) {
    check_lights("m { diffusemap x }", "12");
    check_lights("m { bumpmap x }", "12");
    check_lights("m { specularmap x }", "13");
    check_lights("m { specularmap x { map y } diffusemap x bumpmap x }", "0123");
    check_lights("m { bumpmap x diffusemap x bumpmap y { map z } specularmap y }", "12013");
    check_lights("m { bumpmap x { texgen reflect cubeMap y } }", "01");
    check_lights("m { { map x } }", "0");
    check_lights("m { nonsolid }", "");
}

TEST (stages_read_their_keywords) {
    MATERIAL(
        material,
        "m { clamp { map x blend GL_DST_COLOR, GL_ONE maskAlpha nearest nopicmip vertexColor\n"
        "if parm4 alphaTest 0.5 privatePolygonOffset -2\n texGen skybox zeroclamp } { map _white } "
        "}");
    const md5_stage *const stage = &material->stages[0];
    CHECK_UINT(material->num_stages, 2);
    CHECK_UINT(stage->bits & 0x1FFF, 0x1000 | 0x100 | 0x23);
    CHECK_UINT(stage->filter, MD5_FILTER_NEAREST);
    CHECK(stage->no_picmip && stage->has_alpha_test);
    CHECK_UINT(stage->vertex_color, MD5_VERTEX_COLOR_MODULATE);
    CHECK_UINT(stage->condition, MD5_REGISTER_PARM0 + 4);
    CHECK_EXACT(stage->polygon_offset, -2);
    CHECK_UINT(stage->texgen, MD5_TEXGEN_SKYBOX);
    CHECK_UINT(stage->repeat, MD5_IMAGE_CLAMP_ZERO);
    CHECK_UINT(material->stages[1].repeat, MD5_IMAGE_REPEAT);
}

TEST (stages_keep_programs) {
    MATERIAL(material, "m { { program heat.vfp\nvertexParm 1 time , 2\nfragmentMap 0 clamp "
                       "_currentRender\nfragmentMap 1 y } }");
    const md5_stage_program *const program = &material->stages[0].program;
    CHECK_STRING(program->vertex, "heat.vfp");
    CHECK_STRING(program->fragment, "heat.vfp");
    CHECK_UINT(program->num_vertex_parms, 2);
    CHECK_UINT(program->vertex_parms[1][0], MD5_REGISTER_TIME);
    CHECK_EXACT(material->registers[program->vertex_parms[1][1]], 2);
    CHECK_EXACT(material->registers[program->vertex_parms[1][2]], 0);
    CHECK_EXACT(material->registers[program->vertex_parms[1][3]], 1);
    CHECK_UINT(program->num_images, 2);
    CHECK_UINT(program->repeat[0], MD5_IMAGE_CLAMP);
    CHECK_STRING(program->images[1].text, "y");
    CHECK_EXACT(material->sort, 100);
}

// The keywords of a stage that change texture coordinates are applied in the reverse order of the
// file. Large offsets are reduced to their fraction.
TEST (matrices_multiply_from_the_right) {
    static float registers[MD5_MAX_REGISTERS];
    const md5_material_input input = {.time = 100.25f};
    float matrix[2][3];
    MATERIAL(material, "m { { map x scale 2, 4 scroll 3, time } }");
    md5_evaluate_material(material, &input, registers);
    md5_stage_matrix(&material->stages[0], registers, matrix);
    CHECK_NEAR(matrix[0][0], 2, 1e-6);
    CHECK_NEAR(matrix[0][2], 6, 1e-6); // 2 * 3
    CHECK_NEAR(matrix[1][1], 4, 1e-6);
    CHECK_SMALL(matrix[1][2], 1e-6); // 4 * 100.25 = 401, beyond 40: its fraction
}

// -- Materials ------------------------------------------------------------------------------------

TEST (materials_read_their_keywords) {
    MATERIAL(
        material,
        "m { qer_editorimage a/b.tga ignored words\n description \"a thing\"\n noFog noselfshadow\n"
        "flesh metal ladder nonsolid guisurf guis/x.gui\n decalInfo 2 3 ( 1 2 3 4 ) ( 5 6 7 8 )\n"
        "renderbump -size 16 \"x y\"\n spectrum 3\n deform flare time\n { map x } }");
    CHECK_UINT(material->decl->state, MD5_DECL_PARSED);
    CHECK_STRING(material->editor_image, "a/b.tga");
    CHECK_STRING(material->description, "a thing");
    CHECK_STRING(material->gui, "guis/x.gui");
    CHECK_STRING(material->render_bump, "-size 16 \"x y\"");
    CHECK(material->no_fog && material->no_self_shadow && material->no_shadows);
    CHECK_UINT(material->surface, 1 | 1 << 7);
    CHECK_UINT(material->contents, 2);
    CHECK_UINT((uint64_t)material->spectrum, 3);
    CHECK_UINT(material->deform, MD5_DEFORM_FLARE);
    CHECK_UINT(material->deform_registers[0], MD5_REGISTER_TIME);
    CHECK_UINT(material->cull, MD5_CULL_NONE);
    CHECK_EXACT(material->decal_fade, 3);
    CHECK_EXACT(material->decal_end[3], 8);
}

// Like the engine, converts numbers to unsigned and reinterprets them as signed. Larger numbers
// give the largest integer.
TEST (materials_read_integers_like_the_engine) {
    static const struct {
        const char *number;
        int32_t expected;
    } rows[] = {
        {"0", 0},           {"2147483647", INT32_MAX},   {"2147483648", INT32_MIN},
        {"4294967295", -1}, {"4294967296.0", INT32_MAX}, {"5e9", INT32_MAX},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        test_text text = {0};
        test_append(&text, "m { spectrum %s { map x } }", rows[i].number);
        MATERIAL(material, text.bytes);
        CHECK_THAT(material->spectrum == rows[i].expected, "%s: %d", rows[i].number,
                   material->spectrum);
        free(text.bytes);
    }
}

// The type of a surface does not change the contents of the material: solid, bit 0, and opaque,
// bit 1.
TEST (types_of_surfaces_keep_a_material_solid) {
    STRINGS(types) = {"metal",      "stone",      "flesh",      "wood",       "cardboard",
                      "liquid",     "glass",      "plastic",    "ricochet",   "surftype10",
                      "surftype11", "surftype12", "surftype13", "surftype14", "surftype15"};
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        char text[64];
        snprintf(text, sizeof text, "m { %s { map x } }", types[i]);
        MATERIAL(material, text);
        CHECK_UINT(material->surface, i + 1);
        CHECK_UINT(material->contents, 3);
    }
}

// If the material does not contain the coverage and the drawing order, both are derived from its
// stages, as in the original engine.
TEST (coverage_and_sort_follow_from_stages) {
    static const struct {
        const char *text;
        md5_coverage coverage;
    } coverages[] = {
        {"m { { map x blend add } }", MD5_COVERAGE_TRANSLUCENT},
        {"m { { map x blend add } diffusemap y }", MD5_COVERAGE_OPAQUE},
        {"m { translucent { map x alphaTest .5 } }", MD5_COVERAGE_PERFORATED},
    };
    for (size_t i = 0; i < COUNT_OF(coverages); i++) {
        MATERIAL(material, coverages[i].text);
        CHECK_THAT(material->coverage == coverages[i].coverage, "%s", coverages[i].text);
    }
    static const struct {
        const char *text;
        float sort;
    } sorts[] = {{"m { sort nearest\n { map x } }", 7},
                 {"m { sort \"010\"\n { map x } }", 10},
                 {"m { polygonOffset 2\n { map x } }", 2}};
    for (size_t i = 0; i < COUNT_OF(sorts); i++) {
        MATERIAL(material, sorts[i].text);
        CHECK_THAT(material->sort == sorts[i].sort, "%s", sorts[i].text);
    }
    MATERIAL(mirror, "m { mirror { mirrorRenderMap 8, 9 } }");
    CHECK_UINT(mirror->decl->state, MD5_DECL_DEFAULTED); // the comma is neither a number nor a word
}

TEST (errors_default_a_material) {
    check_defaulted("m {\n\nwrong }",
                    "materials/all.mtr:3: unknown general material parameter 'wrong' in 'm'");
    check_defaulted("m { { map x wrong } }",
                    "materials/all.mtr:1: unknown token 'wrong' in material 'm'");
    check_defaulted("m { { map x blend GL_X, GL_ONE } }",
                    "materials/all.mtr:1: unknown blend mode 'GL_X' in material 'm'");
    check_defaulted("m { sort\n{ map x } }", "materials/all.mtr:1: missing sort parameter");
    check_defaulted("m { diffusemap \"two words\" }",
                    "materials/all.mtr:1: unknown token 'words' in material 'm'");
    check_defaulted("m { { map x ", "materials/all.mtr:1: couldn't read expected token");
}

// Bump maps need a diffuse map, which is added if there is room for another stage.
TEST (too_many_stages_default_a_material) {
    static const struct {
        const char *stage;
        uint32_t count;
        uint32_t expected; // 0: the material is defaulted
    } rows[] = {{"{ map x } ", 256, 256},
                {"{ map x } ", 257, 0},
                {"bumpmap x ", 255, 256},
                {"bumpmap x ", 256, 256},
                {"bumpmap x ", 257, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SCOPED_TEXT text = {0};
        test_append(&text, "m { ");
        for (uint32_t k = 0; k < rows[i].count; k++)
            test_append(&text, "%s", rows[i].stage);
        test_append(&text, "}");
        MATERIAL(material, text.bytes);
        const bool is_parsed = material->decl->state == MD5_DECL_PARSED;
        CHECK_THAT(is_parsed == (rows[i].expected > 0), "%u %s", rows[i].count, rows[i].stage);
        CHECK_UINT(material->num_stages, is_parsed ? rows[i].expected : 1);
    }
}

// The engine created these images with fixed options, so that keywords of a material have no
// effect.
TEST (builtin_images_have_fixed_sampling) {
    static const struct {
        const char *image;
        md5_image_repeat repeat;
        md5_image_filter filter;
    } cases[] = {
        {"_white", MD5_IMAGE_REPEAT, MD5_FILTER_DEFAULT},
        {"_quadratic", MD5_IMAGE_CLAMP, MD5_FILTER_DEFAULT},
        {"_Fog.tga", MD5_IMAGE_CLAMP, MD5_FILTER_DEFAULT},
        {"_noFalloff", MD5_IMAGE_CLAMP_ZERO, MD5_FILTER_DEFAULT},
        {"_ramp", MD5_IMAGE_CLAMP, MD5_FILTER_NEAREST},
        {"_unknown", MD5_IMAGE_REPEAT, MD5_FILTER_DEFAULT},
        {"plain", MD5_IMAGE_CLAMP_ZERO, MD5_FILTER_LINEAR},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[128];
        snprintf(text, sizeof text, "m { { map %s zeroClamp linear } }", cases[i].image);
        MATERIAL(material, text);
        CHECK_THAT(material->stages[0].repeat == cases[i].repeat
                       && material->stages[0].filter == cases[i].filter,
                   "%s: repeat %d, filter %d", cases[i].image, (int)material->stages[0].repeat,
                   (int)material->stages[0].filter);
    }
}

// A name without a declaration is a material with one stage, which draws the image of this name.
TEST (missing_materials_are_implicit) {
    SCOPED_GAME game = open_materials("", NULL);
    const md5_material *const material = md5_game_material(game, "Models\\Imp.tga", NULL);
    CHECK_STRING(material->decl->name, "models/imp");
    CHECK(!material->decl->file);
    CHECK_UINT(material->num_stages, 1);
    CHECK_STRING(material->stages[0].image.text, "models/imp");
    CHECK_UINT(material->stages[0].repeat, MD5_IMAGE_CLAMP);
    CHECK_UINT(material->stages[0].bits, 0x165);
    CHECK(md5_game_material(game, "models/imp", NULL) == material);
}

// -- Deforms --------------------------------------------------------------------------------------

// Deforms, compared with numbers computed manually.

// A quad about (10, 0, 0) in the plane x = 10, whose front faces +x: from y = -1 to 1, z = -5 to 5.
// Its triangles are 0 1 2 and 2 1 3.
static const char quad_text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\n"
    "joints {\n\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n"
    "mesh {\nshader \"m\"\nnumverts 4\n"
    "vert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nvert 3 ( 1 1 ) 3 1\n"
    "numtris 2\ntri 0 0 1 2\ntri 1 2 1 3\nnumweights 4\n"
    "weight 0 0 1 ( 10 -1 5 )\nweight 1 0 1 ( 10 1 5 )\n"
    "weight 2 0 1 ( 10 -1 -5 )\nweight 3 0 1 ( 10 1 -5 )\n}\n";

// The view from +x, where y points to the right.
static const md5_deform_view from_front = {.eye = {110, 0, 0}, .left = {0, -1, 0}, .up = {0, 0, 1}};

typedef struct deform_case {
    md5_game *game;
    md5_model *model;
    const md5_mesh *mesh;
    uint32_t num_vertices, num_triangles;
    md5_vec3 positions[16];
    md5_vec2 texcoords[16];
    md5_vec4 colors[16];
    uint32_t indices[54];
} deform_case;

// Deforms the quad by a material with this deform.
static void form(deform_case *c, const char *deform, const md5_deform_view *view)
{
    char text[512] = "table ramp { { 0, 8 } }\nm { deform ";
    float registers[MD5_MAX_REGISTERS];
    const md5_material_input input = {.time = 2};
    memset(c, 0, sizeof *c);
    c->game = open_materials(strcat(strcat(text, deform), " { map x } }"), NULL);
    c->model = text_model(quad_text, NULL);
    c->mesh = &c->model->meshes[0];
    const md5_material *const material = md5_game_material(c->game, "m", NULL);
    const md5_deformed out = {
        .positions = c->positions, .texcoords = c->texcoords, .colors = c->colors};
    const char *const name = material->deform_decl;
    const md5_table *const table = name ? md5_game_table(c->game, name, NULL) : NULL;
    CHECK(md5_deform_size(material->deform, c->mesh, &c->num_vertices, &c->num_triangles));
    md5_deform_indices(material->deform, c->mesh, c->indices);
    md5_evaluate_material(material, &input, registers);
    md5_deform_vertices(material, table, registers, c->mesh, c->mesh->positions, c->mesh->normals,
                        view, &out);
}

static void free_case(deform_case *c)
{
    md5_free_model(c->model);
    md5_destroy_game(c->game);
}

#define SCOPED_DEFORM __attribute__((cleanup(free_case))) deform_case

static void check_position(const deform_case *c, uint32_t vertex, double x, double y, double z)
{
    CHECK_VEC3(c->positions[vertex], x, y, z, 1e-4);
}

TEST (deform_sprite_faces_the_viewer) {
    // The view from above: left is +y, and up in the image is +x.
    static const md5_deform_view from_above = {
        .eye = {10, 0, 100}, .left = {0, 1, 0}, .up = {1, 0, 0}};
    static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    const double half = 0.707 * sqrt(26.0); // (-1, 5) from the middle
    SCOPED_DEFORM c;
    form(&c, "sprite", &from_above);
    check_position(&c, 0, 10 + half, half, 0);
    check_position(&c, 1, 10 + half, -half, 0);
    check_position(&c, 2, 10 - half, -half, 0);
    check_position(&c, 3, 10 - half, half, 0);
    CHECK(c.texcoords[0].x == 0 && c.texcoords[0].y == 0);
    CHECK(c.texcoords[1].x == 1 && c.texcoords[1].y == 0);
    CHECK(c.texcoords[2].x == 1 && c.texcoords[2].y == 1);
    CHECK(c.texcoords[3].x == 0 && c.texcoords[3].y == 1);
    CHECK_BYTES(c.indices, indices, sizeof indices);
    CHECK(c.colors[0].x == 1 && c.colors[3].w == 1);
}

// In the view from the side, +y, the width is along x. In the view from the front nothing changes.
TEST (deform_tube_turns_about_its_long_axis) {
    static const md5_deform_view from_side = {
        .eye = {10, 100, 0}, .left = {1, 0, 0}, .up = {0, 0, 1}};
    SCOPED_DEFORM c;
    form(&c, "tube", &from_side);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_NEAR(fabs((double)c.positions[i].x - 10), 1, 1e-3);
        CHECK_SMALL(c.positions[i].y, 1e-3);
        CHECK_NEAR(c.positions[i].z, c.mesh->positions[i].z, 1e-3);
    }
    // The sides remain separate: 0 is above 2, 1 is above 3.
    CHECK(c.positions[0].x * c.positions[1].x > 0 && c.positions[0].x != c.positions[1].x);
    CHECK_NEAR(c.positions[0].x, c.positions[2].x, 1e-3);
    CHECK_NEAR(c.positions[1].x, c.positions[3].x, 1e-3);
    CHECK(c.texcoords[3].x == 1 && c.texcoords[3].y == 1);
}

TEST (deform_expand_and_move_by_registers) {
    for (int is_moved = 0; is_moved < 2; is_moved++) {
        SCOPED_DEFORM c;
        form(&c, is_moved ? "move 0 - time" : "expand time * 2", &from_front);
        for (uint32_t i = 0; i < 4; i++)
            check_position(&c, i, is_moved ? 8 : 14, c.mesh->positions[i].y,
                           c.mesh->positions[i].z);
        CHECK_BYTES(c.indices, c.mesh->indices, 6 * sizeof *c.indices);
    }
}

#define TEST_HERE(title, ...) TEST_WITH (title, deform_case, c, form(c, __VA_ARGS__), free_case(c))

// The table is 0 at 0, 8 at 0.5 and 0 at 1, and linear in between.
TEST_HERE (deform_turbulent_moves_texture_coordinates, "turbulent ramp 0.5 0.05 2", &from_front) {
    for (uint32_t i = 0; i < 4; i++) {
        const md5_vec3 at = c->mesh->positions[i];
        const double x = 0.1 + 2 * (0.003 * at.x + 0.007 * at.y + 0.011 * at.z);
        const double phase = x - floor(x);
        const double first = phase < 0.5 ? 16 * phase : 16 - 16 * phase;
        CHECK_NEAR(c->texcoords[i].x, c->mesh->texcoords[i].x + 0.5 * first, 1e-4);
        CHECK_NEAR(c->texcoords[i].y, c->mesh->texcoords[i].y + 0.5 * (8 - first), 1e-4);
        check_position(c, i, at.x, at.y, at.z);
    }
}

// In the view from 100 units in front, the border is 3 wide on each side, and at corners on both
// sides. It is in the plane of the quad or in front of it, and every vertex is drawn.
TEST_HERE (deform_flare_has_a_border, "flare 3", &from_front) {
    uint32_t uses[16] = {0};
    CHECK_UINT(c->num_vertices, 16);
    CHECK_UINT(c->num_triangles, 18);
    for (uint32_t i = 0; i < 54; i++)
        uses[c->indices[i]]++;
    double widest = 0;
    double highest = 0;
    for (uint32_t i = 0; i < 16; i++) {
        CHECK(uses[i] > 0 && c->positions[i].x > 10 - 1e-3f);
        CHECK_EXACT(c->texcoords[i].x, i < 4 ? 0.5 : 0);
        CHECK_EXACT(c->texcoords[i].y, 0.5);
        CHECK(c->colors[i].x == 1 && c->colors[i].w == 1);
        const double wide = fabs((double)c->positions[i].y);
        const double high = fabs((double)c->positions[i].z);
        widest = fmax(widest, wide);
        highest = fmax(highest, high);
    }
    CHECK_NEAR(widest, 4, 0.2);
    CHECK_NEAR(highest, 8, 0.2);
}

// If the eye is behind a flare or in its plane, all vertices are at one point and the color is
// black.
TEST (deform_flare_is_invisible_from_behind_and_from_its_plane) {
    static const md5_deform_view views[] = {
        {.eye = {-90, 0, 0}, .left = {0, 1, 0}, .up = {0, 0, 1}},
        {.eye = {10, 90, 0}, .left = {1, 0, 0}, .up = {0, 0, 1}}};
    for (int view = 0; view < 2; view++) {
        SCOPED_DEFORM c;
        form(&c, "flare 3", &views[view]);
        for (uint32_t i = 0; i < 16; i++)
            check_position(&c, i, 10, 0, 0);
        CHECK(c.colors[0].x == 0);
    }
}

// -- Eyes -------------------------------------------------------------------------------------

// Creates a model of three parts. The origin is a triangle about (0, 0, 0) in the plane y = 0. The
// eye is a square of two triangles in front of it, at x = 1. The target is a triangle about the
// point `focus`. If `is_last` is true, the triangle of the origin is the last triangle, otherwise
// the first.
static md5_model *make_eye(md5_vec3 focus, bool is_last)
{
    static const char vertices[10][24] = {"-1 0 -1",   "1 0 0",    "-1 0 1", "1 -.5 .5", "1 .5 .5",
                                          "1 -.5 -.5", "1 .5 -.5", "",       "",         ""};
    static const char *const orders[2] = {"tri 0 0 1 2\ntri 1 3 4 5\ntri 2 5 4 6\ntri 3 7 8 9\n",
                                          "tri 0 3 4 5\ntri 1 5 4 6\ntri 2 7 8 9\ntri 3 0 1 2\n"};
    SCOPED_TEXT text = {0};
    test_append(&text, "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n"
                       "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh {\nshader \"m\"\nnumverts 10\n");
    for (int i = 0; i < 10; i++)
        test_append(&text, "vert %d ( 9 9 ) %d 1\n", i, i);
    test_append(&text, "numtris 4\n%snumweights 10\n", orders[is_last]);
    for (int i = 0; i < 10; i++) {
        if (i < 7)
            test_append(&text, "weight %d 0 1 ( %s )\n", i, vertices[i]);
        else // a triangle whose bounds are about the focus
            test_append(&text, "weight %d 0 1 ( %g %g %g )\n", i, (double)focus.x + (i - 8),
                        (double)focus.y - (i - 8), (double)focus.z + (i == 8 ? 0 : i - 8));
    }
    test_append(&text, "}\n");
    md5_model *const model = md5_parse_model(text.bytes, text.used, NULL, NULL);
    CHECK(model);
    return model;
}

// Checks that only the eye is drawn, at its position, with the texture coordinates `expected` of
// its four vertices.
static void check_eye(md5_model *model, const double expected[4][2])
{
    const md5_mesh *const mesh = &model->meshes[0];
    const md5_material material = {.deform = MD5_DEFORM_EYEBALL};
    const float registers[MD5_FIRST_REGISTER] = {0};
    uint32_t num_vertices = 0;
    uint32_t num_triangles = 0;
    uint32_t indices[12];
    static const uint32_t eye[6] = {3, 4, 5, 5, 4, 6};
    md5_vec3 positions[10];
    md5_vec2 texcoords[10];
    const md5_deformed out = {.positions = positions, .texcoords = texcoords};
    CHECK(md5_deform_size(MD5_DEFORM_EYEBALL, mesh, &num_vertices, &num_triangles));
    CHECK(num_vertices == 10 && num_triangles == 2);
    md5_deform_indices(MD5_DEFORM_EYEBALL, mesh, indices);
    CHECK_BYTES(indices, eye, sizeof eye);
    md5_deform_vertices(&material, NULL, registers, mesh, mesh->positions, NULL, &from_front, &out);
    CHECK_BYTES(positions, mesh->positions, sizeof positions);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(texcoords[3 + i].x, expected[i][0], 1e-4);
        CHECK_NEAR(texcoords[3 + i].y, expected[i][1], 1e-4);
    }
    md5_free_model(model);
}

// For a target straight ahead, s is along -y, the normal of the origin's triangle, and t is along
// the cross product of this normal and the gaze, z. One unit is one texture.
TEST (deform_eye_projects_the_texture_from_its_origin) {
    static const double ahead[4][2] = {{1, 1}, {0, 1}, {1, 0}, {0, 0}};
    check_eye(make_eye((md5_vec3){100, 0, 0}, false), ahead);
}

// For a gaze to the left by atan(1/2), s is along (1, -2, 0) / sqrt(5), so that its middle is at
// the intersection of gaze and eye, at y = 1/2. For a gaze up by the same angle, t is along (-1, 0,
// 2) / sqrt(5).
TEST (deform_eye_follows_its_focus) {
    const double across = 2.0 / sqrt(5.0);
    const double tilted = 1.0 / sqrt(5.0);
    const double left[4][2] = {{0.5 + across, 1}, {0.5, 1}, {0.5 + across, 0}, {0.5, 0}};
    check_eye(make_eye((md5_vec3){100, 50, 0}, false), left);
    const double up[4][2] = {{1, 0.5 - tilted + 0.5 * across},
                             {0, 0.5 - tilted + 0.5 * across},
                             {1, 0.5 - tilted - 0.5 * across},
                             {0, 0.5 - tilted - 0.5 * across}};
    check_eye(make_eye((md5_vec3){100, 0, 50}, false), up);
}

// The engine reads the corners of the origin's triangle from the index that equals the number of
// the triangle: here from the fourth index on, 5 4 6, which is the second triangle of the eye. Its
// normal is the direction of the gaze. Therefore the axes are 0, and the whole eye has the texel in
// the middle.
TEST (deform_eye_repeats_the_fault_of_the_engine) {
    static const double middle[4][2] = {{0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}};
    check_eye(make_eye((md5_vec3){100, 0, 0}, true), middle);
}

// With a different number of islands the engine draws the mesh unchanged. The caller must do so.
TEST (deform_eye_needs_three_groups_of_at_most_60_triangles) {
    uint32_t num_vertices, num_triangles;
    SCOPED_MODEL model = make_eye((md5_vec3){100, 0, 0}, false);
    md5_mesh mesh = model->meshes[0];
    for (mesh.num_triangles = 1; mesh.num_triangles <= 4; mesh.num_triangles++)
        CHECK(md5_deform_size(MD5_DEFORM_EYEBALL, &mesh, &num_vertices, &num_triangles)
              == (mesh.num_triangles == 4));
    // The last group repeats its triangle.
    uint32_t indices[3 * 61];
    for (uint32_t i = 0; i < COUNT_OF(indices); i++)
        indices[i] = model->meshes[0].indices[i < 12 ? i : 9 + i % 3];
    mesh.indices = indices;
    for (mesh.num_triangles = 60; mesh.num_triangles <= 61; mesh.num_triangles++)
        CHECK(md5_deform_size(MD5_DEFORM_EYEBALL, &mesh, &num_vertices, &num_triangles)
              == (mesh.num_triangles == 60));
}

TEST (deform_is_rejected_for_other_meshes) {
    static const char triangle[] = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\n"
                                   "joints {\n\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n"
                                   "mesh {\nshader \"m\"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\n"
                                   "vert 1 ( 1 0 ) 0 1\nvert 2 ( 0 1 ) 0 1\nnumtris 1\n"
                                   "tri 0 0 1 2\nnumweights 1\nweight 0 0 1 ( 0 0 0 )\n}\n";
    uint32_t num_vertices, num_triangles;
    SCOPED_MODEL model = text_model(triangle, NULL);
    for (int i = MD5_DEFORM_NONE; i <= MD5_DEFORM_TURBULENT; i++) {
        const md5_deform deform = (md5_deform)i;
        const bool is_any = deform == MD5_DEFORM_EXPAND || deform == MD5_DEFORM_MOVE
                            || deform == MD5_DEFORM_TURBULENT;
        CHECK(md5_deform_size(deform, &model->meshes[0], &num_vertices, &num_triangles) == is_any);
    }
}

// A flare whose triangles do not form a quad shrinks to its center. Tubes of points do not move.
// Without a table, without normals and without a deform no vertex moves.
TEST_HERE (deform_of_unusual_input_is_harmless, "tube", &from_front) {
    static const uint32_t apart[6] = {0, 1, 2, 0, 1, 3};
    static const md5_vec3 points[4] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, NAN}};
    float registers[MD5_MAX_REGISTERS] = {0};
    md5_mesh mesh = *c->mesh;
    const md5_deformed out = {.positions = c->positions, .texcoords = c->texcoords};
    md5_material material = {.deform = MD5_DEFORM_TUBE};
    md5_deform_vertices(&material, NULL, registers, &mesh, points, NULL, &from_front, &out);
    check_position(c, 0, 1, 2, 3);
    for (int i = MD5_DEFORM_NONE; i <= MD5_DEFORM_TURBULENT; i++) {
        material.deform = (md5_deform)i;
        if (material.deform == MD5_DEFORM_FLARE || material.deform == MD5_DEFORM_SPRITE
            || material.deform == MD5_DEFORM_TUBE)
            continue;
        md5_deform_vertices(&material, NULL, registers, &mesh, points, NULL, &from_front, &out);
        check_position(c, 0, 1, 2, 3);
    }
    mesh.indices = apart;
    material.deform = MD5_DEFORM_FLARE;
    md5_deform_vertices(&material, NULL, registers, &mesh, mesh.positions, NULL, &from_front, &out);
    check_position(c, 15, 10, 0, 0);
}
