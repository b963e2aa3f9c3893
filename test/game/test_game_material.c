// Materials, rule by rule. verdicts.sh compares the results of a whole real folder.
#include "test/game/game_case.h"
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Opens a game whose only material is m, and returns that.
static const md5_material *parse(const char *text, md5_game **game, game_log *log)
{
    md5_error error;
    *game = open_materials(text, log);
    const md5_material *const material = md5_game_material(*game, "m", &error);
    CHECK(material);
    return material;
}

// -- Expressions ----------------------------------------------------------------------------------

// The value of an expression at time 1.5, with parm4 = 0.25 and a table ramp of 0, 10.
static void check_value(const char *expression, double expected)
{
    char text[1024] = "table ramp { { 0, 10 } }\nm { { map x red ";
    md5_game *game;
    game_log log;
    strcat(text, expression);
    strcat(text, " } }");
    const md5_material *const material = parse(text, &game, &log);
    CHECK_UINT(material->decl->state, MD5_DECL_PARSED);
    CHECK_NEAR(color_at(material, 0, 0, 1.5f), expected, 1e-6);
    CHECK_STRING(log.text, "");
    md5_destroy_game(game);
}

TEST (expressions_are_right_associative) {
    check_value("20 - 5 - 3", 18.0);
    check_value("100 / 10 * 5", 2.0);
    check_value("9 % 5 % 3", 1.0);
    check_value("( 20 - 5 ) - 3", 12.0);
}

TEST (expressions_have_four_levels) {
    check_value("2 + 3 * 4", 14.0);
    check_value("2 * 3 + 4", 10.0);
    check_value("1 + 1 > 1 * 1", 1.0);
    check_value("2 < 1 || 3 >= 3", 1.0);
    check_value("1 && 0", 0.0);
    check_value("4 != 4", 0.0);
    check_value("4 == 4", 1.0);
    check_value("4 <= 3", 0.0);
}

TEST (expressions_have_terms_of_all_kinds) {
    check_value("TIME", 1.5);
    check_value("parm4", 0.25);
    check_value("parm11 + global7 + sound", 0.0);
    check_value("fragmentPrograms", 1.0);
    check_value("-2 * time", -3.0);
    check_value("ramp[ 0.25 ]", 5.0);
    check_value("ramp[ ramp[ 0.25 ] / 20 ] + 1", 6.0);
    check_value("7 % 0", 0.0);
    check_value("time * 0 + 0", 0.0);
    check_value("( 1e30 * 1e30 ) % 7", 1.0); // 2147483647 % 7
}

static void check_defaulted(const char *text, const char *line)
{
    md5_game *game;
    game_log log;
    const md5_material *const material = parse(text, &game, &log);
    CHECK_UINT(material->decl->state, MD5_DECL_DEFAULTED);
    CHECK_UINT(material->num_stages, 1);
    CHECK_STRING(material->stages[0].image.text, "_default");
    CHECK_UINT(material->coverage, MD5_COVERAGE_TRANSLUCENT);
    has_logged(&log, line);
    md5_destroy_game(game);
}

TEST (mistakes_in_expressions_default_a_material) {
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
    char *const text = malloc(2 * TOO_DEEP + 100);
    md5_game *game;
    for (size_t depth = DEPTH; depth <= TOO_DEEP; depth *= TOO_DEEP / DEPTH) {
        strcpy(text, "m { { map x red ");
        size_t used = strlen(text);
        memset(text + used, '(', depth);
        used += depth;
        text[used++] = '2';
        memset(text + used, ')', depth);
        strcpy(text + used + depth, " } }");
        const md5_material *const material = parse(text, &game, NULL);
        CHECK_UINT(material->decl->state, depth == DEPTH ? MD5_DECL_PARSED : MD5_DECL_DEFAULTED);
        if (depth == DEPTH)
            CHECK_NEAR(color_at(material, 0, 0, 0.0f), 2.0, 0.0);
        md5_destroy_game(game);
    }
    free(text);
}

TEST (too_many_operations_default_a_material) {
    char *const text = malloc(100000);
    md5_game *game;
    strcpy(text, "m { { map x red 1");
    for (int i = 0; i < 5000; i++)
        strcat(text, " - time");
    strcat(text, " } }");
    CHECK_UINT(parse(text, &game, NULL)->decl->state, MD5_DECL_DEFAULTED);
    md5_destroy_game(game);
    free(text);
}

// -- Images ---------------------------------------------------------------------------------------

TEST (image_programs_are_trees) {
    md5_game *game;
    const md5_material *const material =
        parse("m { { map AddNormals(a.tga,heightmap( B\\c ,  4 )) } }", &game, NULL);
    const md5_image_program *const image = &material->stages[0].image;
    CHECK_STRING(image->text, "AddNormals( a, heightmap( B/c, 4))");
    CHECK_UINT(image->num_steps, 4);
    CHECK_STRING(image->steps[0].file, "a");
    CHECK_STRING(image->steps[1].file, "b/c");
    CHECK_UINT(image->steps[2].kind, MD5_IMAGE_HEIGHTMAP);
    CHECK_NEAR((double)image->steps[2].values[0], 4.0, 0.0);
    CHECK_UINT(image->steps[3].kind, MD5_IMAGE_ADD_NORMALS);
    md5_destroy_game(game);
}

TEST (image_programs_take_numbers_in_order) {
    md5_game *game;
    const md5_material *const material =
        parse("m { { map scale( a, .5, 2, 3, 4 ) } }", &game, NULL);
    const md5_image_program *const image = &material->stages[0].image;
    CHECK_UINT(image->num_steps, 2);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR((double)image->steps[1].values[i], i == 0 ? 0.5 : i + 1.0, 0.0);
    md5_destroy_game(game);
}

TEST (deep_image_programs_are_read_without_recursion) {
    enum { DEPTH = 20000 };
    char *const text = malloc(16 * DEPTH);
    md5_game *game;
    char *end = text + strlen(strcpy(text, "m { { map "));
    for (int i = 0; i < DEPTH; i++)
        end += strlen(strcpy(end, "makeAlpha("));
    *end++ = 'a';
    memset(end, ')', DEPTH);
    strcpy(end + DEPTH, " } }");
    CHECK_UINT(strlen(parse(text, &game, NULL)->stages[0].image.text), 255);
    md5_destroy_game(game);
    free(text);
}

// -- Stages ---------------------------------------------------------------------------------------

// The lights of all stages, as digits.
static void check_lights(const char *text, const char *expected)
{
    char lights[32] = "";
    md5_game *game;
    const md5_material *const material = parse(text, &game, NULL);
    for (uint32_t i = 0; i < material->num_stages && i < 31; i++)
        lights[i] = (char)('0' + (int)material->stages[i].light);
    CHECK_STRING(lights, expected);
    md5_destroy_game(game);
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

TEST (stages_keep_words_of_their_own) {
    md5_game *game;
    const md5_material *const material = parse(
        "m { clamp { map x blend GL_DST_COLOR, GL_ONE maskAlpha nearest nopicmip vertexColor\n"
        "if parm4 alphaTest 0.5 privatePolygonOffset -2\n texGen skybox zeroclamp } { map _white } "
        "}",
        &game, NULL);
    const md5_stage *const stage = &material->stages[0];
    CHECK_UINT(material->num_stages, 2);
    CHECK_UINT(stage->bits & 0x1FFF, 0x1000 | 0x100 | 0x23);
    CHECK_UINT(stage->filter, MD5_FILTER_NEAREST);
    CHECK(stage->no_picmip && stage->has_alpha_test);
    CHECK_UINT(stage->vertex_color, MD5_VERTEX_COLOR_MODULATE);
    CHECK_UINT(stage->condition, MD5_REGISTER_PARM0 + 4);
    CHECK_NEAR((double)stage->polygon_offset, -2.0, 0.0);
    CHECK_UINT(stage->texgen, MD5_TEXGEN_SKYBOX);
    CHECK_UINT(stage->repeat, MD5_IMAGE_CLAMP_ZERO);
    CHECK_UINT(material->stages[1].repeat, MD5_IMAGE_REPEAT);
    md5_destroy_game(game);
}

TEST (stages_keep_programs) {
    md5_game *game;
    const md5_material *const material =
        parse("m { { program heat.vfp\nvertexParm 1 time , 2\nfragmentMap 0 clamp "
              "_currentRender\nfragmentMap 1 y } }",
              &game, NULL);
    const md5_stage_program *const program = &material->stages[0].program;
    CHECK_STRING(program->vertex, "heat.vfp");
    CHECK_STRING(program->fragment, "heat.vfp");
    CHECK_UINT(program->num_vertex_parms, 2);
    CHECK_UINT(program->vertex_parms[1][0], MD5_REGISTER_TIME);
    CHECK_NEAR((double)material->registers[program->vertex_parms[1][1]], 2.0, 0.0);
    CHECK_NEAR((double)material->registers[program->vertex_parms[1][2]], 0.0, 0.0);
    CHECK_NEAR((double)material->registers[program->vertex_parms[1][3]], 1.0, 0.0);
    CHECK_UINT(program->num_images, 2);
    CHECK_UINT(program->repeat[0], MD5_IMAGE_CLAMP);
    CHECK_STRING(program->images[1].text, "y");
    CHECK_NEAR((double)material->sort, 100.0, 0.0);
    md5_destroy_game(game);
}

TEST (matrices_multiply_from_the_right) {
    static float registers[MD5_MAX_REGISTERS];
    const md5_material_input input = {.time = 100.25f};
    float matrix[2][3];
    md5_game *game;
    const md5_material *const material =
        parse("m { { map x scale 2, 4 scroll 3, time } }", &game, NULL);
    md5_evaluate_material(material, &input, registers);
    md5_stage_matrix(&material->stages[0], registers, matrix);
    CHECK_NEAR((double)matrix[0][0], 2.0, 1e-6);
    CHECK_NEAR((double)matrix[0][2], 6.0, 1e-6); // 2 * 3
    CHECK_NEAR((double)matrix[1][1], 4.0, 1e-6);
    CHECK_NEAR((double)matrix[1][2], 0.0, 1e-6); // 4 * 100.25 = 401, beyond 40: its fraction
    md5_destroy_game(game);
}

// -- The whole ------------------------------------------------------------------------------------

TEST (materials_keep_words_of_their_own) {
    md5_game *game;
    const md5_material *const material = parse(
        "m { qer_editorimage a/b.tga ignored words\n description \"a thing\"\n noFog noselfshadow\n"
        "flesh metal ladder nonsolid guisurf guis/x.gui\n decalInfo 2 3 ( 1 2 3 4 ) ( 5 6 7 8 )\n"
        "renderbump -size 16 \"x y\"\n spectrum 3\n deform flare time\n { map x } }",
        &game, NULL);
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
    CHECK_NEAR((double)material->decal_fade, 3.0, 0.0);
    CHECK_NEAR((double)material->decal_end[3], 8.0, 0.0);
    md5_destroy_game(game);
}

TEST (coverage_and_sort_follow_from_stages) {
    md5_game *game;
    CHECK_UINT(parse("m { { map x blend add } }", &game, NULL)->coverage, MD5_COVERAGE_TRANSLUCENT);
    md5_destroy_game(game);
    CHECK_UINT(parse("m { { map x blend add } diffusemap y }", &game, NULL)->coverage,
               MD5_COVERAGE_OPAQUE);
    md5_destroy_game(game);
    CHECK_UINT(parse("m { translucent { map x alphaTest .5 } }", &game, NULL)->coverage,
               MD5_COVERAGE_PERFORATED);
    md5_destroy_game(game);
    CHECK_NEAR((double)parse("m { sort nearest\n { map x } }", &game, NULL)->sort, 7.0, 0.0);
    md5_destroy_game(game);
    CHECK_NEAR((double)parse("m { sort \"010\"\n { map x } }", &game, NULL)->sort, 10.0, 0.0);
    md5_destroy_game(game);
    CHECK_NEAR((double)parse("m { polygonOffset 2\n { map x } }", &game, NULL)->sort, 2.0, 0.0);
    md5_destroy_game(game);
    const md5_material *const mirror = parse("m { mirror { mirrorRenderMap 8, 9 } }", &game, NULL);
    CHECK_UINT(mirror->decl->state, MD5_DECL_DEFAULTED); // the comma is neither a number nor a word
    md5_destroy_game(game);
}

TEST (mistakes_default_a_material) {
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

TEST (too_many_stages_default_a_material) {
    char *const text = malloc(4000);
    md5_game *game;
    strcpy(text, "m { ");
    for (int i = 0; i < 257; i++)
        strcat(text, "{ map x } ");
    strcat(text, "}");
    CHECK_UINT(parse(text, &game, NULL)->decl->state, MD5_DECL_DEFAULTED);
    md5_destroy_game(game);
    free(text);
}

// Whatever a material says: the engine made these images with options of their own.
TEST (builtin_images_have_their_own_sampling) {
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        md5_game *game;
        (void)snprintf(text, sizeof text, "m { { map %s zeroClamp linear } }", cases[i].image);
        const md5_material *const material = parse(text, &game, NULL);
        test_check(material->stages[0].repeat == cases[i].repeat
                       && material->stages[0].filter == cases[i].filter,
                   __FILE__, __LINE__, "%s: repeat %d, filter %d", cases[i].image,
                   (int)material->stages[0].repeat, (int)material->stages[0].filter);
        md5_destroy_game(game);
    }
}

TEST (missing_materials_are_implicit) {
    md5_game *const game = open_materials("", NULL);
    md5_error error;
    const md5_material *const material = md5_game_material(game, "Models\\Imp.tga", &error);
    CHECK_STRING(material->decl->name, "models/imp");
    CHECK(material->decl->file == NULL);
    CHECK_UINT(material->num_stages, 1);
    CHECK_STRING(material->stages[0].image.text, "models/imp");
    CHECK_UINT(material->stages[0].repeat, MD5_IMAGE_CLAMP);
    CHECK_UINT(material->stages[0].bits, 0x165);
    CHECK(md5_game_material(game, "models/imp", &error) == material);
    md5_destroy_game(game);
}
